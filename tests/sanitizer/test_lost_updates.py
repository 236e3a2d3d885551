"""PTX9253: updates by a strong load and a strong store, where another thread's may come in between; and those where none can."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import ptxlab as px
from ptxlab.diag import Diagnostic

SCHEDULES: tuple[dict[str, Any], ...] = (
    {"sanitize": True},
    {"sanitize": True, "schedule": "late"},
    {"sanitize": True, "schedule": "random", "seed": 2},
    {"sanitize": "strict"},
)


@px.kernel(threads=64)
def counts(k: px.Builder, n: px.Ptr[px.u32], *, who: str = "all", how: str = "relaxed", place: str = "one") -> None:
    """Threads, or one of each CTA, count up a word by a load and a store."""
    everybody = k.ctaid.x * 64 + k.tid.x
    word = {"one": n[0], "index": n[everybody & 0], "own": n[everybody], "of the CTA": n[k.ctaid.x]}[place]

    def once() -> None:
        if how.startswith("atomic beside"):
            adds = 0 if how == "atomic beside" else 1
            with k.if_(k.ctaid.x == adds):
                k.red.relaxed.gpu.global_.add.u32(word, 1)
            with k.if_(k.ctaid.x != adds):
                k.st.relaxed.gpu.global_.u32(word, k.ld.relaxed.gpu.global_.u32(word) + 1)
        elif how == "atomic":
            k.atom.relaxed.gpu.global_.add.u32(word, 1)
        elif how == "volatile":
            k.st.volatile.global_.u32(word, k.ld.volatile.global_.u32(word) + 1)
        elif how == "maximum":
            k.st.relaxed.gpu.global_.u32(word, k.max.u32(k.ld.relaxed.gpu.global_.u32(word), everybody))
        elif how == "constant":
            k.ld.relaxed.gpu.global_.u32(word)
            k.st.relaxed.gpu.global_.u32(word, 1)
        else:
            k.st.relaxed.gpu.global_.u32(word, k.ld.relaxed.gpu.global_.u32(word) + 1)

    if who == "all":
        once()
    else:
        with k.if_(k.tid.x == 0):
            once()


@px.kernel(threads=32)
def in_turn(k: px.Builder, turn: px.Ptr[px.u32], n: px.Ptr[px.u32], *, how: str = "value") -> None:
    """CTAs take turns by a word, which who has its turn counts up."""
    with k.if_(k.tid.x == 0):
        if how == "value":  # nobody else stores to the word that has told that it is its turn
            with k.while_(lambda: k.ld.relaxed.gpu.global_.u32(turn[0]) != k.ctaid.x):
                pass
            k.st.relaxed.gpu.global_.u32(turn[0], k.ld.relaxed.gpu.global_.u32(turn[0]) + 1)
        else:  # a word of its own, between an acquire and a release
            with k.while_(lambda: k.ld.acquire.gpu.global_.u32(turn[0]) != k.ctaid.x):
                pass
            k.st.relaxed.gpu.global_.u32(n[0], k.ld.relaxed.gpu.global_.u32(n[0]) + 1)
            k.st.release.gpu.global_.u32(turn[0], k.ctaid.x + 1)


@px.kernel(threads=64)
def behind_barriers(k: px.Builder, n: px.Ptr[px.u32], *, barrier: bool = True) -> None:
    """One warp counts, then the other."""
    for warp in range(2):
        with k.if_(k.tid.x == 32 * warp):
            k.st.relaxed.gpu.global_.u32(n[0], k.ld.relaxed.gpu.global_.u32(n[0]) + 1)
        if barrier:
            k.bar.sync(0)


def found(kernel: Any, options: dict[str, Any], grid: int = 2, **constants: Any) -> list[Diagnostic]:
    arrays = [np.zeros(256, np.uint32) for _ in range(2 if kernel is in_turn else 1)]
    return px.simulate(kernel, grid=grid, args=arrays, lints=False, **options, **constants).findings


@pytest.mark.parametrize("options", SCHEDULES, ids=str)
@pytest.mark.parametrize(
    "constants",
    [
        {},
        {"who": "one"},
        {"place": "index"},
        {"how": "volatile"},
        {"how": "maximum", "who": "one"},
        {"how": "atomic beside"},
        {"how": "atomic beside", "who": "one"},
        {"how": "atomic beside, later", "who": "one"},
        {"place": "of the CTA"},
    ],
    ids=str,
)
def test_updates_in_two_instructions(constants: dict[str, Any], options: dict[str, Any]) -> None:
    (lost,) = found(counts, options, **constants)
    assert (lost.code, lost.severity) == ("PTX9253", "warning")
    assert [access.does for access in lost.accesses] == ["writes", "writes"]
    assert lost.accesses[0].instruction.startswith("st.")
    assert "ld." in lost.notes[0]


@pytest.mark.parametrize("options", SCHEDULES, ids=str)
@pytest.mark.parametrize(
    "constants",
    [{"how": "atomic"}, {"how": "constant"}, {"place": "own"}, {"place": "of the CTA", "who": "one"}],
    ids=str,
)
def test_updates_that_lose_nothing(constants: dict[str, Any], options: dict[str, Any]) -> None:
    assert found(counts, options, **constants) == []


@pytest.mark.parametrize("options", SCHEDULES, ids=str)
@pytest.mark.parametrize("how", ["value", "flag"])
def test_updates_in_turn(how: str, options: dict[str, Any]) -> None:
    assert found(in_turn, options, grid=3, how=how) == []


@pytest.mark.parametrize("options", SCHEDULES, ids=str)
def test_updates_behind_barriers(options: dict[str, Any]) -> None:
    assert found(behind_barriers, options, grid=1) == []
    assert [d.code for d in found(behind_barriers, options, grid=1, barrier=False)] == ["PTX9253"]
