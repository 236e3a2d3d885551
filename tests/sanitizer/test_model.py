"""The sanitizer against the memory model: on random programs and on our litmus tests it finds the races that the model finds.

A program is run once under each schedule. What it read tells which executions of the model it may have been; a race that all of
them have has to be found, and one that none of them has must not be. Where a thread accesses a location twice, the sanitizer
remembers the later access, so of several races with one location the later ones count.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

import ptxlab as px
from ptxlab.diag import Diagnostic
from ptxlab.litmus import Verdict, kernel, random_test
from ptxlab.litmus.race import Race
from ptxlab.sim.sanitizer.sanitizer import Sanitizer

ROOT = Path(__file__).parents[2]
SCHEDULES = ("eager", "late", "random")
RACES = frozenset(
    ["PTX9200", "PTX9201", "PTX9202", "PTX9203", "PTX9210", "PTX9211", "PTX9213", "PTX9214", "PTX9215", "PTX9216"]
)
SEEDS: list[Sequence[int]] = [range(start, start + 25) for start in range(0, 200, 25)]
ONCE_WRONG = (20247, 20653, 22577, 22929, 23802, 23826, 24654, 28654, 41677, 48527)
"""Of twenty thousand programs, those that showed mistakes of the sanitizer: with several strong writes of a thread, with operations
that come behind accesses of their thread, and with what a read has found."""
TESTS = sorted((ROOT / "examples" / "litmus").rglob("*.litmus"))
NOT_FOLLOWED = {
    "wgmma-": "a thread of the test stands for a warpgroup there, of which one warp writes and no barrier tells the others",
}
"""Litmus tests whose races the sanitizer tells otherwise, and why."""

Pair = frozenset[tuple[str, int]]


@pytest.fixture(autouse=True)
def to_the_letter(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Sanitizer, "strict", True)


def half_of_an_atomic(race: Race) -> bool:
    """What is read by an atomic operation whose write has been seen: the model does not order that read."""
    return any(a.kind == "read" and a.text.startswith(("atom", "red")) for a in race.accesses)


def compared(verdict: Verdict, schedule: str, seed: int) -> str:
    """Run a test and compare; "" where both agree."""
    made = kernel(verdict.program)
    module = px.parse(made.text, "k.ptx")
    try:
        report = px.simulate(
            module["litmus"], **made.shape, args=[], lints=False, schedule=schedule, seed=seed, sanitize=True
        )
    except Diagnostic as stop:
        return "" if stop.code in ("PTX9100", "PTX9101") else str(stop)
    racing = verdict.racing[made.outcome(verdict.names, lambda name: module.symbol(name)[:])]
    found: set[Pair] = set()
    for d in report.findings:
        if d.code in RACES:
            assert d.span is not None
            assert d.other is not None
            found.add(frozenset([made.steps[d.span.line], made.steps[d.other.line]]))
    always = {key for key in racing.always or () if not half_of_an_atomic(racing.some[key])}
    some = {pair_of(key) for key in racing.some}
    if found - some:
        return f"{schedule}: no race: {found - some}"
    return f"{schedule}: not found: {always}" if always and not found else ""


def pair_of(key: tuple[tuple[str, int, str], tuple[str, int, str]]) -> Pair:
    return frozenset((thread, step) for thread, step, _ in key)


@pytest.mark.parametrize("seeds", [*SEEDS, ONCE_WRONG], ids=str)
def test_random_programs(seeds: Sequence[int]) -> None:
    wrong: list[str] = []
    for seed in seeds:
        verdict = px.litmus(random_test(seed, runnable=True), all_races=True, hang=False)
        wrong += [f"seed {seed}, {w}" for s in SCHEDULES if (w := compared(verdict, s, seed))]
    assert wrong == []


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
