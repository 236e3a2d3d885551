"""Random chains of grids: the sanitizer finds a race in those launches that race by the rules of griddepcontrol, and in no other.

Each grid is a CTA of two warps. Lane 0 of each does what is drawn for it, phase by phase, with a barrier of the CTA between two.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import pytest

import ptxlab as px
from ptxlab.diag import Diagnostic

WORDS = 4
COUNTED = 3
"""The word that is only added to, atomically."""
SCHEDULES = (("eager", 0), ("late", 0), ("random", 3))
_LATER = re.compile(r"launch (\d+) of the stream\) (?:reads|writes)")
Step = tuple[str, int]


@dataclass(frozen=True)
class Grid:
    """A grid: of each phase the steps of both warps, and whether it may begin early."""

    phases: list[tuple[list[Step], list[Step]]]
    programmatic: bool


def drawn(seed: int) -> list[Grid]:
    """A chain of two to four grids."""
    dice = np.random.default_rng(seed)
    out: list[Grid] = []
    for _ in range(dice.integers(2, 5)):
        phases = [tuple(_steps(dice) for _ in range(2)) for _ in range(dice.integers(1, 4))]
        out.append(Grid(phases, bool(dice.random() < 0.85)))  # type: ignore[arg-type]
    return out


def _steps(dice: np.random.Generator) -> list[Step]:
    kinds = dice.choice(["ld", "st", "red", "wait", "trigger"], dice.integers(0, 4), p=[0.3, 0.2, 0.1, 0.25, 0.15])
    return [(str(kind), COUNTED if kind == "red" else int(dice.integers(COUNTED))) for kind in kinds]


# --- what is expected -------------------------------------------------------------------------------------------------
def behind_waits(grid: Grid) -> list[tuple[Step, bool]]:
    """The steps of a grid, and whether each comes behind one of its waits."""
    out: list[tuple[Step, bool]] = []
    known = [False, False]
    for phase in grid.phases:
        for warp, steps in enumerate(phase):
            for step in steps:
                known[warp] |= step[0] == "wait"
                out.append((step, known[warp]))
        known = [any(known)] * 2
    return out


def passes(grid: Grid) -> bool:
    """Whether the next grid may begin while those in front of this one run."""
    steps = behind_waits(grid)
    waits = any(step[0] == "wait" for step, _ in steps)
    return not waits or any(step[0] == "trigger" and not behind for step, behind in steps)


def meets(one: Step, other: Step) -> bool:
    """Whether two accesses are to one word, and one is a plain write."""
    return one[1] == other[1] and "st" in (one[0], other[0])


def racing(chain: list[Grid]) -> set[int]:
    """The launches, from 1 on, that race with one in front of them."""
    out = set[int]()
    beside: dict[int, list[int]] = {0: []}
    for before, number in pairwise(range(len(chain))):
        grid = chain[number]
        further = beside[before] if passes(chain[before]) and chain[before].programmatic else []
        beside[number] = [before, *further] if grid.programmatic else []
        mine = [step for step, behind in behind_waits(grid) if not behind and step[0] in ("ld", "st", "red")]
        theirs = [step for i in beside[number] for step, _ in behind_waits(chain[i]) if step[0] in ("ld", "st", "red")]
        if any(meets(one, other) for one in mine for other in theirs):
            out.add(number + 1)
    return out


# --- what is found ----------------------------------------------------------------------------------------------------
def kernel(grid: Grid) -> px.Kernel:
    """The grid as a kernel."""

    @px.kernel(threads=64)
    def made(k: px.Builder, x: px.Ptr[px.u32]) -> None:
        for n, phase in enumerate(grid.phases):
            if n:
                k.bar.sync(0)
            for warp, steps in enumerate(phase):
                with k.if_(k.tid.x == 32 * warp):
                    for kind, word in steps:
                        if kind == "ld":
                            k.st.global_.u32(x[8 + word], k.ld.global_.u32(x[word]), pred=k.ctaid.x == 1)
                        elif kind == "st":
                            k.st.global_.u32(x[word], 1)
                        elif kind == "red":
                            k.red.relaxed.gpu.global_.add.u32(x[word], 1)
                        elif kind == "wait":
                            k.griddepcontrol.wait()
                        else:
                            k.griddepcontrol.launch_dependents()

    return made


def found(chain: list[Grid], schedule: str, seed: int) -> set[int]:
    """The launches in whose reports something of others is found."""
    x, stream = np.zeros(16, np.uint32), px.Stream()
    for grid in chain:
        kernel(grid).launch(grid=1, args=[x], stream=stream, programmatic=grid.programmatic)
    try:
        reports = px.synchronize(schedule=schedule, seed=seed, sanitize=True)
    except Diagnostic as stop:
        told = [stop, *stop.also]
    else:
        told = [d for report in reports for d in report.findings]
    numbers = [_LATER.search(d.message) for d in told if d.code in ("PTX9260", "PTX9261")]
    return {int(n[1]) for n in numbers if n is not None}


@pytest.mark.filterwarnings("ignore::ptxlab.PtxWarning")
@pytest.mark.parametrize("seeds", [range(start, start + 25) for start in range(0, 100, 25)], ids=str)
def test_random_chains(seeds: range) -> None:
    wrong: list[str] = []
    races = 0
    for seed in seeds:
        chain = drawn(seed)
        wanted = racing(chain)
        races += bool(wanted)
        for schedule, number in SCHEDULES:
            got = found(chain, schedule, number)
            if got != wanted:
                wrong.append(f"{seed} {schedule}: {sorted(got)}, wanted {sorted(wanted)}: {chain}")
    assert wrong == []
    assert 0 < races < len(seeds)
