"""Causes come before what follows from them, which is told with them."""

from __future__ import annotations

from ptxlab.diag import Diagnostic, Span
from ptxlab.diag.causes import causes_first


def finding(code: str, line: int, other: int | None = None) -> Diagnostic:
    place = None if other is None else Span("k.ptx", other)
    return Diagnostic(code, f"{code} in line {line}", span=Span("k.ptx", line), other=place)


def test_a_cause_comes_first_and_has_what_follows() -> None:
    fence = finding("PTX9221", 7, 5)
    before, races, behind = finding("PTX9200", 1, 2), [finding("PTX9215", 7, i) for i in (2, 3)], finding("PTX9210", 9, 7)
    apart = finding("PTX9215", 8, 3)
    assert causes_first([before, *races, apart, fence, behind]) == [before, fence, apart]
    assert fence.also == (*races, behind)
    assert fence.notes == ("from this follow: PTX9215 (2), PTX9210",)


def test_what_names_another_instruction_stays() -> None:
    found = [finding("PTX9215", 8, 3), finding("PTX9221", 7, 5), finding("PTX9133", 7, 5)]
    assert causes_first(found) == found
    assert [d.also for d in found] == [(), (), ()]


def test_findings_of_python_are_told_apart_by_their_lines_there() -> None:
    wait = Diagnostic("PTX9223", "wait", origin=Span("k.py", 4), other_origin=Span("k.py", 2))
    race = Diagnostic("PTX9210", "race", origin=Span("k.py", 6), other_origin=Span("k.py", 2))
    assert causes_first([race, wait]) == [wait]
    assert wait.also == (race,)
