"""Registers of wgmma: fenced before they are used, and left alone until a wait."""

from __future__ import annotations

from collections.abc import Iterator

from ptxlab.checks.analysis import Analysis, at_op
from ptxlab.diag import Diagnostic
from ptxlab.isa.effects import AsyncMma
from ptxlab.ptx.flights import Event, State, after, bits_of, events_of, in_flight, solve
from ptxlab.ptx.program import Op
from ptxlab.ptx.uses import accumulates


def check_wgmma(analysis: Analysis) -> Iterator[Diagnostic]:
    """Products without a fence in front, and registers that are touched while a product may still use them."""
    ops = analysis.program.ops
    if not any(type(op.inst.form.effect) is AsyncMma for op in ops):
        return
    bits = bits_of(ops)
    graph = analysis.graph
    events = [list(events_of(graph, b, bits)) for b in range(len(graph))]
    states = solve(graph, events, fenced=analysis.program.function.kind != "entry")
    said: set[str] = set()
    for b in range(len(graph)):
        state = states[b]
        for event in events[b] if state is not None else ():
            assert state is not None
            found = _finding(ops[event.op], event, state, bits)
            if found is not None and found.code not in said:  # one mistake shows at many places
                said.add(found.code)
                yield found
            state = after(state, event)


def _finding(op: Op, event: Event, state: State, bits: dict[str, int]) -> Diagnostic | None:
    if event.kind == "issue":
        return _unfenced(op, event, state, bits)
    if event.kind != "touch":
        return None
    written, used = in_flight(state)
    clash = (event.reads | event.writes) & written or event.writes & used
    if not clash:
        return None
    name = _name(clash, bits)
    part = "accumulator" if clash & written else "operand"
    return at_op(
        op,
        "PTX5014",
        f"`{op.inst.opcode}` touches `{name}` while it is an {part} of a wgmma that may still run",
        "wait first: wgmma.wait_group.sync.aligned 0",
        isa="wgmma.mma_async",
    )


def _unfenced(op: Op, event: Event, state: State, bits: dict[str, int]) -> Diagnostic | None:
    if not state.fenced:
        return at_op(
            op,
            "PTX5010",
            f"`{op.inst.form.name}` comes without a wgmma.fence before it",
            "put wgmma.fence.sync.aligned in front of the first wgmma",
            isa="wgmma.fence",
        )
    used = event.writes | event.reads if accumulates(op) else event.reads
    if used & state.dirty:
        return at_op(
            op,
            "PTX5011",
            f"`{op.inst.form.name}` uses `{_name(used & state.dirty, bits)}`, written since the last wgmma.fence",
            "put wgmma.fence.sync.aligned between the write and the wgmma",
            isa="wgmma.fence",
        )
    return None


def _name(mask: int, bits: dict[str, int]) -> str:
    lowest = mask & -mask
    return next(name for name, bit in bits.items() if bit == lowest)
