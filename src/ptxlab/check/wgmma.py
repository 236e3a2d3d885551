"""Registers of wgmma: fenced before they are used, and left alone until a wait."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass

from ptxlab.check.analysis import Analysis, at_op
from ptxlab.diag import Diagnostic
from ptxlab.isa.effects import AsyncMma, Group
from ptxlab.isa.operands import Imm, Vec
from ptxlab.ptx.flow import Graph, branch_kind
from ptxlab.ptx.program import Op
from ptxlab.ptx.uses import names_in, touched

_GROUP = "wgmma-group"
_MOST_GROUPS = 16  # older groups than these are taken as one
# Registers in flight, group by group, the oldest first and the uncommitted last: (written ones, ones only read) as bits.
_Flight = tuple[tuple[int, int], ...]
_NOTHING: tuple[int, int] = (0, 0)


@dataclass(frozen=True, slots=True)
class _State:
    """`fenced`: whether a fence came before on every way; `dirty`: registers written behind the last fence."""

    fenced: bool
    dirty: int
    flight: _Flight


@dataclass(frozen=True, slots=True)
class _Event:
    """What an op does to registers of wgmma. kind: issue, fence, commit, wait, touch or call."""

    kind: str
    op: int
    reads: int = 0  # of an issue: the registers of A
    writes: int = 0  # of an issue: the accumulator
    left: int = 0  # of a wait: groups that may still be pending


def check_wgmma(analysis: Analysis) -> Iterator[Diagnostic]:
    """Products without a fence in front, and registers that are touched while a product may still use them."""
    ops = analysis.program.ops
    if not any(type(op.inst.form.effect) is AsyncMma for op in ops):
        return
    bits = _bits(ops)
    graph = analysis.graph
    events = [list(_events(graph, b, bits)) for b in range(len(graph))]
    states = _solve(graph, events, fenced=analysis.program.function.kind != "entry")
    said: set[str] = set()
    for b in range(len(graph)):
        state = states[b]
        for event in events[b] if state is not None else ():
            assert state is not None
            found = _finding(ops[event.op], event, state, bits)
            if found is not None and found.code not in said:  # one mistake shows at many places
                said.add(found.code)
                yield found
            state = _after(state, event)


def _bits(ops: list[Op]) -> dict[str, int]:
    """A bit for every register that a product uses."""
    out: dict[str, int] = {}
    for op in ops:
        if type(op.inst.form.effect) is AsyncMma:
            for operand in op.inst.operands.values():
                if isinstance(operand, Vec):
                    for name in names_in(operand):
                        out.setdefault(name, 1 << len(out))
    return out


def _mask(names: list[str], bits: dict[str, int]) -> int:
    out = 0
    for name in names:
        out |= bits.get(name, 0)
    return out


def _events(graph: Graph, b: int, bits: dict[str, int]) -> Iterator[_Event]:
    for i in graph.span(b):
        op = graph.ops[i]
        effect = op.inst.form.effect
        if type(effect) is AsyncMma:
            yield _issue(op, i, bits)
        elif type(effect) is Group and effect.group == _GROUP:
            yield _Event(effect.kind, i, left=_pending(op))
        elif branch_kind(op) == "call":
            yield _Event("call", i)
        else:
            reads, writes = touched(op)
            r, w = _mask(reads, bits), _mask(writes, bits)
            if r or w:
                yield _Event("touch", i, r, w)


def _issue(op: Op, i: int, bits: dict[str, int]) -> _Event:
    reads = writes = 0
    for name, operand in op.inst.operands.items():
        if isinstance(operand, Vec):
            mask = _mask(list(names_in(operand)), bits)
            if "w" in op.inst.form.operands[name].role:
                writes |= mask
            else:
                reads |= mask
    return _Event("issue", i, reads, writes)


def _pending(op: Op) -> int:
    """The groups that a wait leaves; none where it does not say a number."""
    numbers = [o.value for o in op.inst.operands.values() if isinstance(o, Imm) and isinstance(o.value, int)]
    return max(0, int(numbers[0])) if numbers else 0


def _after(state: _State, event: _Event) -> _State:
    flight = state.flight
    match event.kind:
        case "fence":
            return _State(True, 0, flight)
        case "issue":
            written, read = flight[-1]
            return _State(state.fenced, state.dirty, (*flight[:-1], (written | event.writes, read | event.reads)))
        case "commit":
            return _State(state.fenced, state.dirty, _bounded((*flight, _NOTHING)))
        case "wait":
            committed = flight[:-1]
            kept = committed[len(committed) - min(event.left, len(committed)) :]
            return _State(state.fenced, state.dirty, (*kept, flight[-1]))
        case "call":
            return _State(True, 0, (_NOTHING,))
        case _:
            return _State(state.fenced, state.dirty | event.writes, flight)


def _bounded(flight: _Flight) -> _Flight:
    while len(flight) > _MOST_GROUPS:
        (a, b), (c, d), *rest = flight
        flight = ((a | c, b | d), *rest)
    return flight


def _joined(a: _State | None, b: _State) -> _State:
    """What may hold where two ways meet; groups are matched from the newest on."""
    if a is None or a == b:
        return b
    size = max(len(a.flight), len(b.flight))
    x = (_NOTHING,) * (size - len(a.flight)) + a.flight
    y = (_NOTHING,) * (size - len(b.flight)) + b.flight
    flight = tuple((p | r, q | s) for (p, q), (r, s) in zip(x, y, strict=True))
    while len(flight) > 1 and flight[0] == _NOTHING:
        flight = flight[1:]
    return _State(a.fenced and b.fenced, a.dirty | b.dirty, flight)


def _solve(graph: Graph, events: list[list[_Event]], *, fenced: bool) -> list[_State | None]:
    """The state at the begin of each block; None where nothing leads."""
    states: list[_State | None] = [None] * len(graph)
    states[0] = _State(fenced, 0, (_NOTHING,))
    work = deque(graph.order)
    waiting = set(work)
    while work:
        b = work.popleft()
        waiting.discard(b)
        state = states[b]
        if state is None:
            continue
        for event in events[b]:
            state = _after(state, event)
        for s in graph.successors[b]:
            joined = _joined(states[s], state)
            if joined != states[s]:
                states[s] = joined
                if s not in waiting:
                    waiting.add(s)
                    work.append(s)
    return states


def _finding(op: Op, event: _Event, state: _State, bits: dict[str, int]) -> Diagnostic | None:
    if event.kind == "issue":
        return _unfenced(op, event, state, bits)
    if event.kind != "touch":
        return None
    written = read = 0
    for w, r in state.flight:
        written |= w
        read |= r
    clash = (event.reads | event.writes) & written or event.writes & read
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


def _unfenced(op: Op, event: _Event, state: _State, bits: dict[str, int]) -> Diagnostic | None:
    if not state.fenced:
        return at_op(
            op,
            "PTX5010",
            f"`{op.inst.form.name}` comes without a wgmma.fence before it",
            "put wgmma.fence.sync.aligned in front of the first wgmma",
            isa="wgmma.fence",
        )
    used = event.writes | event.reads if _accumulates(op) else event.reads
    if used & state.dirty:
        return at_op(
            op,
            "PTX5011",
            f"`{op.inst.form.name}` uses `{_name(used & state.dirty, bits)}`, written since the last wgmma.fence",
            "put wgmma.fence.sync.aligned between the write and the wgmma",
            isa="wgmma.fence",
        )
    return None


def _accumulates(op: Op) -> bool:
    """Whether the product may add to its accumulator; a literal false starts it anew."""
    scale = op.inst.operand_value("scale_d") if op.inst.present("scale_d") else 1
    return not (isinstance(op.inst.operands.get("scale_d"), Imm) and scale == 0)


def _name(mask: int, bits: dict[str, int]) -> str:
    lowest = mask & -mask
    return next(name for name, bit in bits.items() if bit == lowest)
