"""Of findings about the same lines one is told: the one that says most."""

from __future__ import annotations

from ptxlab.diag import Access, Diagnostic, Span, one_of_each_line


def finding(line: int, *notes: str) -> Diagnostic:
    access = Access((0, 0, 0), (0, 0, 0), "ld", "reads")
    return Diagnostic("PTX9200", "race", origin=Span("kernel.py", line), notes=notes, accesses=[access])


def test_the_one_with_most_notes_stays_in_the_place_of_the_first() -> None:
    found = [finding(1, "who"), finding(2, "who"), finding(1, "who", "why"), finding(1, "who")]
    shown = one_of_each_line(found)
    assert [d.origin.line for d in shown if d.origin is not None] == [1, 2]
    assert shown[0].notes == ("who", "why", "and 2 more instructions of this line")
    assert shown[1].notes == ("who",)


def test_of_those_that_say_as_much_the_first_stays() -> None:
    found = [finding(1, "one"), finding(1, "two")]
    (shown,) = one_of_each_line(found)
    assert shown.notes[0] == "one"


def test_findings_without_accesses_are_folded_too() -> None:
    """An unrolled loop without the barrier in front: its instructions differ in registers and threads alone."""
    found = [Diagnostic("PTX9235", f"`st` of lane {i}", origin=Span("kernel.py", 1), notes=["who"]) for i in range(4)]
    (shown,) = one_of_each_line(found)
    assert shown.notes == ("who", "and 3 more instructions of this line")
    apart = [Diagnostic("PTX9235", "`st`", span=Span("k.ptx", i)) for i in range(2)]  # of PTX without a source
    assert one_of_each_line(apart) == apart
