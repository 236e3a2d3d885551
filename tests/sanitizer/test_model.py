"""The sanitizer against the memory model: on random programs and on our litmus tests it finds the races that the model finds.

`tools/agreement.py` says how the two are compared, and runs as many programs as one likes.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from itertools import zip_longest
from pathlib import Path

import pytest

import ptxlab as px
from ptxlab.diag import Diagnostic
from ptxlab.memory_model import kernel, random_test
from tools.agreement import SCHEDULES, compared, disagreements, pair_of, to_the_letter

ROOT = Path(__file__).parents[2]
SEEDS: list[Sequence[int]] = [range(start, start + 25) for start in range(0, 200, 25)]
ONCE_WRONG = (20247, 20653, 22577, 22929, 23802, 23826, 24654, 28654, 41677, 48527, 902026, 1201128)
"""Of twenty thousand programs, those that showed mistakes of the sanitizer: with several strong writes of a thread, with operations
that come behind accesses of their thread, and with what a read has found."""
TESTS = sorted((ROOT / "examples" / "litmus").rglob("*.litmus"))
NOT_FOLLOWED = ("wgmma-", "cp.async-then-wgmma")
"""Litmus tests whose races the sanitizer tells otherwise: a thread stands for a warpgroup there, of which one warp writes and no
barrier tells the others."""

FENCED: list[Sequence[int]] = [range(start, start + 20) for start in range(0, 60, 20)]
"""Programs whose mbarriers are relaxed, and order memory by fences around them."""

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


@pytest.mark.parametrize("seeds", FENCED, ids=str)
def test_random_programs_with_fences_around_mbarriers(seeds: Sequence[int]) -> None:
    wrong: list[str] = []
    for seed in seeds:
        wrong += disagreements(seed, "fenced")
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


PUBLISHES = ("st.weak x, 1", "st.release.gpu flag, 1")
OVERWRITES = {
    "a copy": (
        "cp.async.bulk.global.shared::cta.bulk_group [flag], [s], 16",
        "cp.async.bulk.commit_group",
        "cp.async.bulk.wait_group 0",
    ),
    "a store": ("st.weak flag, 5",),
}
FINDS = ("bar.cta.sync 1", "ld.acquire.gpu r0, flag", "ld.weak r1, x")


@pytest.mark.parametrize("write", OVERWRITES)
def test_a_write_ends_what_a_flag_has_published(write: str) -> None:
    """Who acquires the flag then finds 5, which publishes nothing: x races, besides the flag."""
    threads = (PUBLISHES, (*OVERWRITES[write], "bar.cta.sync 1"), FINDS)
    lines = [" | ".join(cells) + " ;" for cells in zip_longest(*threads, fillvalue="")]
    head = "PTX ended\n{ x = 0; flag = 0; .shared s = 5; }\nP0@cta 0,gpu 0 | P1@cta 0,gpu 0 | P2@cta 0,gpu 0 ;\n"
    verdict = px.litmus(head + "\n".join(lines) + "\nlocations [P2:r0;]\n", all_races=True, hang=False)
    made = kernel(verdict.program)
    module = px.parse(made.text, "k.ptx")
    report = px.simulate(module["litmus"], **made.shape, args=[], lints=False, sanitize=True)
    outcome = made.outcome(verdict.names, lambda name: module.symbol(name)[:])
    assert outcome == (5,)
    expected = {pair_of(key) for key in verdict.racing[outcome].whole or ()}
    assert frozenset([("P0", 0), ("P2", 2)]) in expected
    found = {
        frozenset([made.steps[d.span.line], made.steps[d.other.line]]) for d in report.findings if d.span and d.other
    }
    assert found == expected
