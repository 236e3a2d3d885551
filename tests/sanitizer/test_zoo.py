"""The bug zoo: right kernels are right and silent; faulty ones are what they say, and found at their lines."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import Any
from zlib import crc32

import numpy as np
import pytest

import ptxlab as px
from ptxlab.diag import Diagnostic
from ptxlab.diag.causes import with_alike

from . import zoo
from .zoo import Mutant, Right, Text

RIGHT = [pytest.param(k, id=f"{k.family}/{k.name}") for k in zoo.kernels()]
MUTANTS = list(zoo.mutants())
# Stops and findings of the simulator itself, which it has without the sanitizer.
OWN = frozenset(m.code for _, m in MUTANTS if not m.code.startswith("PTX92"))


def later(kernel: Right, mutant: Mutant) -> bool:
    """Whether the sanitizer does not find it yet."""
    return f"{kernel.family}/{kernel.name}/{mutant.name}" in zoo.LATER


def faulty(*codes: str) -> list[Any]:
    """Faulty kernels as parameters of a test: those of some codes, or all."""
    return [pytest.param(k, m, id=f"{k.family}/{k.name}-{m.name}") for k, m in MUTANTS if not codes or m.code in codes]


FOUND = [p for p in faulty(*zoo.CODES, *OWN) if not later(*p.values)]
RUNS = [
    pytest.param(*p.values, schedule, seed, id=f"{p.id}-{schedule}-{seed}")
    for p in FOUND
    for i, (schedule, seed) in enumerate(zoo.SCHEDULES)
    if i == 0 or crc32(str(p.id).encode()) % 6 == i
]
"""Every faulty kernel under the first schedule, and under the others a sixth of them each."""


@lru_cache(maxsize=1)
def parsed(text: str, file: str) -> Any:
    """A kernel, once for all its schedules, which come one after the other."""
    return px.parse(text, file)["k"]


def told(
    kernel: Right, text: Text, schedule: str, seed: int, *, strict: bool = False
) -> tuple[list[Diagnostic], list[tuple[Any, Any]]]:
    """What a launch finds, where it stops too, what follows from another finding too, and results beside what they should be."""
    launch, results = kernel.launch()
    try:
        report = px.simulate(
            parsed(str(text), kernel.path.name),
            **launch,
            lints=False,
            schedule=schedule,
            seed=seed,
            sanitize="strict" if strict else True,
        )
    except Diagnostic as stop:
        return with_alike([stop]), []
    return with_alike(report.findings), results


def places(found: Diagnostic) -> set[int]:
    """The lines that a finding names: its own, and that of the other access."""
    spans = [found.span, getattr(found, "other", None), *(d.span for d in found.also if d.code == found.code)]
    return {span.line for span in spans if span is not None}


def lenient(kernel: Right) -> frozenset[str]:
    """What compilers and libraries do without a fence that the model asks for."""
    return frozenset(("PTX9214",) if kernel.lenient else ())


def is_it(found: Diagnostic, mutant: Mutant, text: Text) -> bool:
    """Whether a finding is the mutant's: its code, and its lines. Where both are known, it names no third one."""
    named, here = [text.numbers(name) for name in mutant.at], places(found)
    if found.code != mutant.code or not all(here & lines for lines in named):
        return False
    return len(named) < 2 or (len(here) <= 2 and here <= named[0] | named[1])


@pytest.mark.parametrize(("schedule", "seed"), zoo.SCHEDULES)
@pytest.mark.parametrize("kernel", RIGHT)
def test_right_kernels_are_right_and_silent(kernel: Right, schedule: str, seed: int) -> None:
    findings, results = told(kernel, kernel.text(), schedule, seed)
    warnings = [d for d in findings if d.severity == "warning"]
    assert [str(d) for d in findings if d not in warnings] == []
    assert {d.code for d in warnings} == ({"PTX9214"} if kernel.lenient else set())
    assert results
    for got, expected in results:
        np.testing.assert_array_equal(got, expected)


@pytest.mark.parametrize("kernel", RIGHT)
def test_right_kernels_have_no_error(kernel: Right) -> None:
    assert errors(kernel.text()) == []


@pytest.mark.parametrize(("kernel", "mutant"), faulty())
def test_faulty_kernels_differ_and_have_no_error(kernel: Right, mutant: Mutant) -> None:
    """An edit that changes nothing makes no faulty kernel, and a mistake that the checker refuses is none for the zoo."""
    text = kernel.text(mutant)
    assert str(text) != str(kernel.text())
    assert errors(text) == []
    assert all(text.numbers(name) for name in mutant.at)


def errors(text: Text) -> list[str]:
    return [str(d) for d in px.check(str(text)) if d.severity == "error"]


@pytest.mark.parametrize(("kernel", "mutant", "schedule", "seed"), RUNS)
def test_faulty_kernels_are_found_at_their_lines(kernel: Right, mutant: Mutant, schedule: str, seed: int) -> None:
    text = kernel.text(mutant)
    findings, _ = told(kernel, text, schedule, seed, strict=mutant.strict)
    if mutant.strict:
        lax, _ = told(kernel, text, schedule, seed)
        assert {d.code for d in lax} <= lenient(kernel)
    if mutant.instead and findings and findings[0].code in mutant.instead:
        return
    lines = [sorted(text.numbers(name)) for name in mutant.at]
    said = [(d.code, sorted(places(d)), d.message) for d in findings]
    assert any(is_it(d, mutant, text) for d in findings), f"no {mutant.code} at lines {lines}, but {said or 'nothing'}"
    if mutant.code not in OWN:  # what a deadlock, say, leads to besides is not listed
        named = {d.code for d in findings if d.code.startswith("PTX92")}
        assert named - lenient(kernel) <= {mutant.code, *mutant.besides, *zoo.RELATED.get(mutant.code, ())}


def test_what_waits_for_the_sanitizer_is_counted(capsys: pytest.CaptureFixture[str]) -> None:
    """A code is one that the simulator or the sanitizer finds, or it waits here; the sum is that of all faulty kernels."""
    waiting = [m for k, m in MUTANTS if m.code not in zoo.CODES | OWN or later(k, m)]
    with capsys.disabled():
        print(
            f"\nzoo: {len(RIGHT)} right kernels, {len(MUTANTS)} faulty ones, {len(waiting)} of them wait for the sanitizer"
        )
    assert len(waiting) + len(FOUND) == len(MUTANTS)


def test_what_is_said_to_come_later_is_there() -> None:
    assert {f"{k.family}/{k.name}/{m.name}" for k, m in MUTANTS} >= zoo.LATER


def test_names_are_unique() -> None:
    def twice(names: Iterator[str]) -> list[str]:
        seen = list(names)
        return sorted({n for n in seen if seen.count(n) > 1})

    assert twice(f"{k.family}/{k.name}" for k in zoo.kernels()) == []
    assert twice(f"{k.family}/{k.name}/{m.name}" for k, m in zoo.mutants()) == []


def test_no_kernel_is_left_over() -> None:
    """Every file is a declared kernel."""
    declared = {k.path for k in zoo.kernels()}
    assert {p for family in zoo.FAMILIES for p in (zoo.ROOT / family).glob("*.ptx")} == declared
