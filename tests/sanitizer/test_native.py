"""Machine code takes down most accesses by itself, which must not change what is found.

Random programs are run with it, and with every access told to Python, and the findings are compared. Almost always they are the
same to the letter. Two things may differ. Python forgets a read where it knows that a later one came behind it; machine
code knows less and keeps both, so that it finds one more pair with a read. And threads that know different things are looked
at one by one: of several bytes that two instructions race for another one may be named, or the two in another order.
"""

from __future__ import annotations

import random
import re
from collections import Counter, OrderedDict
from collections.abc import Sequence

import numpy as np
import pytest

import ptxlab as px
from ptxlab.abi.occupancy import Residency
from ptxlab.diag import Diagnostic
from ptxlab.diag.causes import with_alike
from ptxlab.sim.order.sanitizer import Sanitizer
from ptxlab.sim.order.shadow import Region
from ptxlab.sim.order.sites import NO_COPIES
from ptxlab.sim.order.tables import Tables
from tools.right_programs import WARPS
from tools.right_programs import Program as Right

from .programs import Program, program

SCHEDULES = ("eager", "late", "random")
SEEDS: list[Sequence[int]] = [range(start, start + 20) for start in range(0, 80, 20)]

Pair = tuple[str, frozenset[int]]


def found(one: Program) -> list[Diagnostic]:
    """What a program's launch finds, where it stops, too."""
    kernel = px.parse(one.text, "k.ptx")["k"]
    schedule = SCHEDULES[one.seed % 3]
    try:
        report = px.simulate(
            kernel,
            grid=one.grid,
            block=one.block,
            args=one.arrays(),
            lints=False,
            schedule=schedule,
            seed=one.seed,
            sanitize=True,
        )
    except Diagnostic as stop:
        return with_alike([stop])
    return with_alike(report.findings)


def both_ways(seed: int) -> tuple[list[Diagnostic], list[Diagnostic]]:
    """What a program finds with machine code, and without. Half of the programs have all their clusters in one place."""
    one = program(seed)
    with pytest.MonkeyPatch.context() as patched:
        if seed % 2:
            patched.setattr(Residency, "count", 1)
        if seed % 4 > 1:  # the others are looked at without flags first
            patched.setattr("ptxlab.sim.order.companions.unflagged.unflagged", lambda *launch: None)
        with_it = found(one)
        patched.setattr("ptxlab.sim.order.sites._kept", OrderedDict())
        patched.setattr("ptxlab.sim.order.sites._Maker._alone", lambda self, op: None)
        patched.setattr("ptxlab.sim.order.sites.has_plain_phases", lambda ops: False)
        patched.setattr("ptxlab.sim.order.sites.copies_of", lambda ops, handlers, **more: NO_COPIES)
        patched.setattr(Region, "tile", lambda self, starts, nbytes: None)
        return with_it, found(one)


def pairs(findings: Sequence[Diagnostic]) -> Counter[Pair]:
    """Codes, and the lines of each."""
    return Counter((d.code, frozenset(s.line for s in (d.span, d.other) if s is not None)) for d in findings)


def compared(seed: int) -> str:
    """How the two ways differ: "" not at all, "a little" as the head of this file says, or else in words."""
    with_it, without = both_ways(seed)
    if sorted(map(str, with_it)) == sorted(map(str, without)):
        return ""
    missed, more = pairs(without) - pairs(with_it), pairs(with_it) - pairs(without)
    lines = program(seed).text.splitlines()
    if not missed and all(any(_reads(lines[line - 1]) for line in where) for _, where in more):
        return "a little"
    return f"{seed}: missed {dict(missed)}, more {dict(more)}"


def _reads(line: str) -> bool:
    return "ld" in line or "cp.async" in line


@pytest.mark.parametrize("seeds", SEEDS, ids=str)
def test_machine_code_changes_no_finding(seeds: Sequence[int]) -> None:
    outcomes = [compared(seed) for seed in seeds]
    assert [words for words in outcomes if words not in ("", "a little")] == []
    assert outcomes.count("a little") <= 2


# --- mbarriers that native code follows ------------------------------------------------------------------------------------
def weakened(seed: int) -> tuple[str, Right]:
    """A right concurrent program with one or two of its synchronizing instructions left out, or made weaker."""
    rng, right = random.Random(seed), Right(seed // 2)
    lines = right.text.splitlines()
    some = [
        i
        for i, line in enumerate(lines)
        if re.search(r"fence|release|acquire|acq_rel|bar\.", line) and "init" not in line
    ]
    for _ in range(rng.randint(1, 2) if some else 0):
        i = rng.choice(some)
        if re.search(r"fence|bar\.sync|bar\.warp", lines[i]) and lines[i].count(";") == 1:
            lines[i] = ""
        elif rng.random() < 0.5:
            lines[i] = lines[i].replace(".release", ".relaxed").replace(".acquire", ".relaxed")
        else:
            lines[i] = lines[i].replace(".release.cluster", ".release.cta").replace(".acquire.cluster", ".acquire.cta")
    return "\n".join(lines), right


def judged_twice(seed: int) -> tuple[list[str], list[str]]:
    """What a weakened program finds with machine code, and where Python judges each access: both follow the same notes, so that the
    launches run in the same order."""
    text, right = weakened(seed)

    def found() -> list[str]:
        out = np.zeros(right.global_bytes // 4 + len(right.warps), np.uint32)
        try:
            kernel = px.parse(text, "weak.ptx")["k"]
            report = px.simulate(kernel, grid=right.grid, block=32 * WARPS, args=[out], lints=False, sanitize=True)
        except Diagnostic as stop:
            return sorted(map(str, (stop, *stop.also)))
        return sorted(map(str, report.findings))

    with pytest.MonkeyPatch.context() as patched:
        first = found()
        patched.setattr("ptxlab.sim.order.sites._kept", OrderedDict())
        patched.setattr("ptxlab.sim.order.sites._Maker._alone", lambda self, op: None)
        patched.setattr(Region, "tile", lambda self, starts, nbytes: None)
        for name in ("noted", "in_order"):
            patched.setattr(Tables, name, lambda *args, **more: False)
        patched.setattr(Sanitizer, "may_exit", lambda self, cta: False)
        return first, found()


@pytest.mark.parametrize("first", range(0, 120, 40))
def test_weakened_programs_are_judged_alike(first: int) -> None:
    outcomes = {seed: judged_twice(seed) for seed in range(first, first + 40)}
    assert {seed: both for seed, both in outcomes.items() if both[0] != both[1]} == {}
    assert sum(bool(native) for native, _ in outcomes.values()) >= 4


def test_programs_are_of_all_kinds() -> None:
    """They are right PTX, and what they are for occurs."""
    texts = [program(seed).text for seed in range(200)]
    assert [str(d) for text in texts[:20] for d in px.check(text) if d.severity == "error"] == []
    for word in (
        "shared::cluster.b",
        ".v2.b8",
        "ld.v4.b32",
        "cp.async.ca",
        "red.relaxed",
        "atom.",
        "stmatrix",
        "bar.arrive",
    ):
        assert sum(word in text for text in texts) > 1, word
    assert len({program(seed).grid for seed in range(100)}) > 3
