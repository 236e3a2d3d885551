"""Which registers a thread may read before it has written them."""

from __future__ import annotations

from ptxlab.ptx.flow import graph_of
from ptxlab.ptx.program import Op, Program
from ptxlab.ptx.uses import accumulates, names_in, roles, touched


def exposed(program: Program) -> frozenset[str]:
    """The registers that some way from the entry reads, or may leave partly as they are, before an unguarded write."""
    graph = graph_of(program)
    number: dict[str, int] = {}
    blocks = [_block(graph.ops[graph.start[b] : graph.start[b + 1]]) for b in range(len(graph))]
    reads, writes = ([_bits(names[i], number) for names in blocks] for i in range(2))
    before: dict[int, int] = {}  # what is written on every way to a block
    changed = True
    while changed:
        changed = False
        for b in graph.order:
            new = -1 if b else 0
            for p in graph.predecessors[b]:
                new &= before[p] | writes[p] if p in before else -1
            if before.get(b) != new:
                before[b], changed = new, True
    found = 0
    for b in graph.order:
        found |= reads[b] & ~before[b]
    return frozenset(name for name, n in number.items() if found >> n & 1)


def exposing(program: Program, name: str) -> Op | None:
    """The first op, in the order of the flow, that may read a register before anything has written it."""
    graph = graph_of(program)
    blocks = [_block(graph.ops[graph.start[b] : graph.start[b + 1]]) for b in range(len(graph))]
    reached, work = {0}, [0]  # blocks to which some way leads that does not write it
    while work:
        b = work.pop()
        for s in graph.successors[b] if name not in blocks[b][1] else ():
            if s not in reached:
                reached.add(s)
                work.append(s)
    for b in graph.order:
        if b in reached and name in blocks[b][0]:
            return next(graph.ops[i] for i in graph.span(b) if name in _block([graph.ops[i]])[0])
    return None


def _bits(names: set[str], number: dict[str, int]) -> int:
    """A set of registers as a mask; `number` gets those that it lacks."""
    out = 0
    for name in names:
        out |= 1 << number.setdefault(name, len(number))
    return out


def _block(ops: list[Op]) -> tuple[set[str], set[str]]:
    """What a block reads before it writes it, and what it surely writes."""
    read: set[str] = set()
    written: set[str] = set()
    for op in ops:
        surely, maybe = touched(op)
        role = roles(op.inst.form)
        changed = op.inst.operands.items() if accumulates(op) else ()  # a product that starts from zero changes nothing
        kept = {n for name, operand in changed if role.get(name) == "rw" for n in names_in(operand)}
        read |= {*surely, *kept} - written
        if op.guard is None:
            written |= {*maybe} - kept
    return read, written


__all__ = ["exposed", "exposing"]
