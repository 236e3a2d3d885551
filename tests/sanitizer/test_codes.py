"""Some faulty kernel of the zoo has every code of the sanitizer."""

from __future__ import annotations

from . import zoo


def test_every_code_has_a_faulty_kernel() -> None:
    lacking = zoo.CODES - {m.code for _, m in zoo.mutants()}
    assert not lacking, f"write a faulty kernel for {sorted(lacking)} in tests/sanitizer/zoo: a Mutant of a kernel that is right"
