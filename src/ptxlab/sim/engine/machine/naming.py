"""Lanes, warps, threads and CTAs as messages name them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from ptxlab.sim.engine.machine.resident import Cta, Warp


@lru_cache(maxsize=4096)
def lanes_of(mask: int) -> tuple[int, ...]:
    """The lanes of a mask, ascending."""
    return tuple(lane for lane in range(32) if mask >> lane & 1)


def lanes_text(mask: int) -> str:
    """A mask in words: "lane 3", "lanes 0-31", "lanes 0-6, 8"."""
    lanes = lanes_of(mask)
    if len(lanes) == 1:
        return f"lane {lanes[0]}"
    return f"lanes {runs_text(lanes)}"


def warps_text(warps: Sequence[int]) -> str:
    """Numbers of warps in words: "warp 3", "warps 0-3, 8"."""
    return f"warp {warps[0]}" if len(warps) == 1 else f"warps {runs_text(sorted(warps))}"


def runs_text(numbers: Sequence[int]) -> str:
    """Ascending numbers in words: "0-6, 8"."""
    runs: list[list[int]] = []
    for n in numbers:
        if runs and n == runs[-1][1] + 1:
            runs[-1][1] = n
        else:
            runs.append([n, n])
    return ", ".join(str(a) if a == b else f"{a}-{b}" for a, b in runs)


def thread_words(warp: Warp, lane: int) -> str:
    """Which thread it is: "thread (3, 0, 0) of CTA (1, 0, 0)"."""
    return f"thread {warp.thread(lane)} of CTA {warp.cta.coordinates}"


def cta_name(cta: Cta) -> str:
    """How reports call a CTA."""
    return f"CTA {cta.coordinates}"
