"""What the passes over one kernel or function share, each part made when it is first asked for."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from math import prod

from ptxlab.checks.values import Values
from ptxlab.diag import Diagnostic
from ptxlab.isa.limits import WARP_SIZE
from ptxlab.ptx.flow import Graph, graph_of
from ptxlab.ptx.program import Op, Program
from ptxlab.ptx.uses import Uses


class Analysis:
    """A program with its flow of control, its registers' uses and their known values."""

    def __init__(self, program: Program) -> None:
        self.program = program

    @cached_property
    def graph(self) -> Graph:
        """Basic blocks."""
        return graph_of(self.program)

    @cached_property
    def uses(self) -> Uses:
        """Which registers are read and written where."""
        return Uses(self.graph)

    @cached_property
    def values(self) -> Values:
        """What registers surely hold in the first warp of a CTA."""
        return Values(self.program, self.uses)

    @cached_property
    def second_warp(self) -> Values | None:
        """What they surely hold in the second warp; None where nobody says that there is one."""
        extents = self.program.directives.reqntid
        if extents is None or prod(extents) < 2 * WARP_SIZE:
            return None
        return Values(self.program, self.uses, warp=1)

    @cached_property
    def constants(self) -> Values:
        """What registers surely hold in every thread."""
        return Values(self.program, self.uses, everywhere=True)


def at_op(
    op: Op, code: str, message: str, help: str, *, isa: str | None = None, notes: Sequence[str] = ()
) -> Diagnostic:
    """A finding at an instruction."""
    section = isa or op.inst.form.isa
    return Diagnostic(code, message, help=help, span=op.span, origin=op.origin, isa=section, notes=notes)
