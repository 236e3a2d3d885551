"""The sanitizer against the memory model: on random programs and on our litmus tests it finds the races that the model finds.

`tools/agreement.py` says how the two are compared, and runs as many programs as one likes.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from pathlib import Path

import pytest

import ptxlab as px
from ptxlab.diag import Diagnostic
from ptxlab.litmus import kernel, random_test
from tools.agreement import SCHEDULES, compared, disagreements, to_the_letter

ROOT = Path(__file__).parents[2]
SEEDS: list[Sequence[int]] = [range(start, start + 25) for start in range(0, 200, 25)]
ONCE_WRONG = (20247, 20653, 22577, 22929, 23802, 23826, 24654, 28654, 41677, 48527)
"""Of twenty thousand programs, those that showed mistakes of the sanitizer: with several strong writes of a thread, with operations
that come behind accesses of their thread, and with what a read has found."""
TESTS = sorted((ROOT / "examples" / "litmus").rglob("*.litmus"))
NOT_FOLLOWED = {
    "wgmma-": "a thread of the test stands for a warpgroup there, of which one warp writes and no barrier tells the others",
}
"""Litmus tests whose races the sanitizer tells otherwise, and why."""

HALVES = (122295, 308111)
"""Programs in which the read of an atomic operation races alone, in some of the executions that a run may have been."""


@pytest.fixture(autouse=True)
def strictly() -> Generator[None]:
    with to_the_letter():
        yield


@pytest.mark.parametrize("seeds", [*SEEDS, ONCE_WRONG, HALVES], ids=str)
def test_random_programs(seeds: Sequence[int]) -> None:
    wrong: list[str] = []
    for seed in seeds:
        wrong += disagreements(seed)
    assert wrong == []


@pytest.mark.parametrize("seed", HALVES)
def test_a_read_that_races_alone_is_told_apart(seed: int) -> None:
    """It is a race of every execution, by the same two instructions, and yet of some executions only in part."""
    verdict = px.litmus(random_test(seed, runnable=True), all_races=True, hang=False)
    racing = [r for r in verdict.racing.values() if r.always]
    assert racing
    assert any(r.whole != r.always for r in racing)


@pytest.mark.parametrize("part", range(8))
def test_litmus_tests(part: int) -> None:
    wrong: list[str] = []
    for path in TESTS[part::8]:
        if any(path.name.startswith(name) for name in NOT_FOLLOWED):
            continue
        try:
            verdict = px.litmus(path, all_races=True, hang=False)
            kernel(verdict.program)
        except Diagnostic as d:
            if d.code != "PTX0604":  # there is no kernel of it
                raise
            continue
        wrong += [f"{path.name}, {w}" for s in SCHEDULES if (w := compared(verdict, s, 1))]
    assert wrong == []
