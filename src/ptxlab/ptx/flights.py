"""Registers of wgmma in flight: which products may still use a register where an instruction touches it.

The state at the beginning of each block is solved over the flow of control. The lint (checks/wgmma.py) reports what it finds; the
simulator waits at the same places, as ptxas makes the kernel wait there.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass

from ptxlab.isa.effects import AsyncMma, Group
from ptxlab.isa.operands import Imm, Reg, Vec
from ptxlab.ptx.flow import Graph, branch_kind, graph_of
from ptxlab.ptx.program import Op, Program
from ptxlab.ptx.uses import names_in, touched

_GROUP = "wgmma-group"
_WORD = 32  # bits of a register of metadata; descriptors are wider, and read when the product is issued
_MOST_GROUPS = 16  # older groups than these are taken as one
# Registers in flight, group by group, the oldest first and the uncommitted last: (written ones, ones only read) as bits.
Flight = tuple[tuple[int, int], ...]
_NOTHING: tuple[int, int] = (0, 0)


@dataclass(frozen=True, slots=True)
class State:
    """What may hold before an op.

    Attributes:
        fenced: whether a fence came before on every way.
        dirty: registers written behind the last fence.
        flight: registers of products that have not been waited for.
    """

    fenced: bool
    dirty: int
    flight: Flight


@dataclass(frozen=True, slots=True)
class Event:
    """What an op does to registers of wgmma. kind: issue, fence, commit, wait, touch, call or return."""

    kind: str
    op: int
    reads: int = 0  # of an issue: the registers of A
    writes: int = 0  # of an issue: the accumulator
    left: int = 0  # of a wait: groups that may still be pending


def product_registers(op: Op) -> tuple[list[str], list[str]]:
    """The accumulators of a product, and what it only reads while it runs: fragments of A, metadata."""
    written: list[str] = []
    read: list[str] = []
    for name, operand in op.inst.operands.items():
        if isinstance(operand, Vec) or (isinstance(operand, Reg) and operand.type.bits == _WORD):
            (written if "w" in op.inst.form.operands[name].role else read).extend(names_in(operand))
    return written, read


def touching(program: Program) -> frozenset[int]:
    """The ops, by number, that use what a product in flight writes, or change what it uses.

    Calls, and returns from functions, end all products: ptxas does not keep them in flight there (C7510).
    """
    ops = program.ops
    if not any(type(op.inst.form.effect) is AsyncMma for op in ops):
        return frozenset()
    bits, graph = bits_of(ops), graph_of(program)
    events = [list(events_of(graph, b, bits)) for b in range(len(graph))]
    out: set[int] = set()
    for b, state in enumerate(solve(graph, events, fenced=False)):
        if state is None:
            continue
        for event in events[b]:
            written, used = in_flight(state)
            clash = event.reads & written or (event.kind == "touch" and event.writes & used)
            if clash or (event.kind in ("call", "return") and used):
                out.add(event.op)
            state = after(state, event)
    return frozenset(out)


def in_flight(state: State) -> tuple[int, int]:
    """The registers that products in flight write, and all that they use."""
    written = read = 0
    for w, r in state.flight:
        written |= w
        read |= r
    return written, written | read


def bits_of(ops: list[Op]) -> dict[str, int]:
    """A bit for every register that a product uses."""
    out: dict[str, int] = {}
    for op in ops:
        if type(op.inst.form.effect) is AsyncMma:
            for names in product_registers(op):
                for name in names:
                    out.setdefault(name, 1 << len(out))
    return out


def _mask(names: list[str], bits: dict[str, int]) -> int:
    out = 0
    for name in names:
        out |= bits.get(name, 0)
    return out


def events_of(graph: Graph, b: int, bits: dict[str, int]) -> Iterator[Event]:
    """What the ops of a block do to registers of products."""
    for i in graph.span(b):
        op = graph.ops[i]
        effect = op.inst.form.effect
        if type(effect) is AsyncMma:
            yield _issue(op, i, bits)
        elif type(effect) is Group and effect.group == _GROUP:
            yield Event(effect.kind, i, left=_pending(op))
        elif branch_kind(op) == "call":
            yield Event("call", i)
        elif branch_kind(op) == "return" and graph.function.kind != "entry":
            yield Event("return", i)
        else:
            reads, writes = touched(op)
            r, w = _mask(reads, bits), _mask(writes, bits)
            if r or w:
                yield Event("touch", i, r, w)


def _issue(op: Op, i: int, bits: dict[str, int]) -> Event:
    written, read = product_registers(op)
    return Event("issue", i, _mask(read, bits), _mask(written, bits))


def _pending(op: Op) -> int:
    """The groups that a wait leaves; none where it does not say a number."""
    numbers = [o.value for o in op.inst.operands.values() if isinstance(o, Imm) and isinstance(o.value, int)]
    return max(0, int(numbers[0])) if numbers else 0


def after(state: State, event: Event) -> State:
    """What holds behind an op."""
    flight = state.flight
    match event.kind:
        case "fence":
            return State(True, 0, flight)
        case "issue":
            written, read = flight[-1]
            return State(state.fenced, state.dirty, (*flight[:-1], (written | event.writes, read | event.reads)))
        case "commit":
            return State(state.fenced, state.dirty, _bounded((*flight, _NOTHING)))
        case "wait":
            committed = flight[:-1]
            kept = committed[len(committed) - min(event.left, len(committed)) :]
            return State(state.fenced, state.dirty, (*kept, flight[-1]))
        case "call":
            return State(True, 0, (_NOTHING,))
        case _:
            return State(state.fenced, state.dirty | event.writes, flight)


def _bounded(flight: Flight) -> Flight:
    while len(flight) > _MOST_GROUPS:
        (a, b), (c, d), *rest = flight
        flight = ((a | c, b | d), *rest)
    return flight


def _joined(a: State | None, b: State) -> State:
    """What may hold where two ways meet; groups are matched from the newest on."""
    if a is None or a == b:
        return b
    size = max(len(a.flight), len(b.flight))
    x = (_NOTHING,) * (size - len(a.flight)) + a.flight
    y = (_NOTHING,) * (size - len(b.flight)) + b.flight
    flight = tuple((p | r, q | s) for (p, q), (r, s) in zip(x, y, strict=True))
    while len(flight) > 1 and flight[0] == _NOTHING:
        flight = flight[1:]
    return State(a.fenced and b.fenced, a.dirty | b.dirty, flight)


def solve(graph: Graph, events: list[list[Event]], *, fenced: bool) -> list[State | None]:
    """The state at the beginning of each block; None where nothing leads."""
    states: list[State | None] = [None] * len(graph)
    states[0] = State(fenced, 0, (_NOTHING,))
    work = deque(graph.order)
    waiting = set(work)
    while work:
        b = work.popleft()
        waiting.discard(b)
        state = states[b]
        if state is None:
            continue
        for event in events[b]:
            state = after(state, event)
        for s in graph.successors[b]:
            joined = _joined(states[s], state)
            if joined != states[s]:
                states[s] = joined
                if s not in waiting:
                    waiting.add(s)
                    work.append(s)
    return states
