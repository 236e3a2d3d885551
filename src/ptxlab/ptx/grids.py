"""griddepcontrol: what stands in front of its wait."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from ptxlab.isa.effects import GridDependency
from ptxlab.ptx.flow import branch_kind, graph_of
from ptxlab.ptx.program import Op, Program

WAIT: Final = "wait"
LAUNCH_DEPENDENTS: Final = "launch_dependents"


def of_grids(op: Op) -> str | None:
    """WAIT or LAUNCH_DEPENDENTS; None for other instructions."""
    if type(op.inst.form.effect) is not GridDependency:
        return None
    return WAIT if op.inst.effect.order == "acquire" else LAUNCH_DEPENDENTS


def waits_for_grids(program: Program) -> bool:
    """Whether a kernel, or one of its functions, has griddepcontrol.wait."""
    return any(of_grids(op) == WAIT for one in (program, *program.functions) for op in one.ops)


def before_waits(program: Program) -> list[Op]:
    """The instructions, functions' among them, that a thread of a kernel may reach without griddepcontrol.wait."""
    early = list(_reached(program))
    if any(branch_kind(op) == "call" for op in early):
        early += [op for function in program.functions for op in function.ops]
    return early


def _reached(program: Program) -> Iterator[Op]:
    graph = graph_of(program)
    seen, ahead = {0}, [0] if len(graph) else []
    while ahead:
        block = ahead.pop()
        for i in graph.span(block):
            op = graph.ops[i]
            if op.guard is None and of_grids(op) == WAIT:
                break
            yield op
        else:
            new = [b for b in graph.successors[block] if b not in seen]
            seen.update(new)
            ahead += new
