"""PTX9221: registers that a wgmma uses and that are written after the last wgmma.fence.

What may be written since a fence is found over the flow of control of the program, so it does not depend on the schedule. It is
reported for the products that a launch has executed.

PTX9218: operands of wgmma that begin in one array of shared memory and end in another, or in one box of a tensor copy and end in
another tensor's.
"""

from __future__ import annotations

from collections import deque
from functools import lru_cache
from typing import TYPE_CHECKING

from ptxlab.isa.effects import AsyncMma
from ptxlab.layout.matrix_descriptor import LINES
from ptxlab.layout.swizzles import swizzle_mode, swizzle_span
from ptxlab.ptx.flights import Event, bits_of, events_of
from ptxlab.ptx.flow import Graph, graph_of
from ptxlab.ptx.uses import accumulates
from ptxlab.sim.engine.machine.faults import shared_name
from ptxlab.sim.families.wgmma.swizzles import Layouts, Written, intact
from ptxlab.sim.order.companions.companion import Companion

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ptxlab.ptx.program import Op, Program
    from ptxlab.sim.engine.machine.observer import Observed
    from ptxlab.sim.engine.machine.operation import Operation

Dirty = dict[int, int]
"""Of each op that has written registers of products since the last fence: which ones, as bits."""
Unfenced = dict[int, tuple[int | None, int]]
"""Of each product, by its number: the op that has written its registers last (None: there is no fence at all), and which."""


class WgmmaFences(Companion):
    """Finds products whose registers no wgmma.fence orders behind what was written to them."""

    def attach(self, machine: Observed) -> None:
        super().attach(machine)
        program = machine.record.program
        self._ops = program.ops
        self._unfenced = unfenced(program) if self.machine.image.with_effect(AsyncMma) else {}
        self._number = {id(program.ops[i]): i for i in self._unfenced}
        self._issued: set[int] = set()
        self._names = {bit: name for name, bit in bits_of(program.ops).items()} if self._unfenced else {}

    def issued(self, operation: Operation) -> None:
        number = self._number.get(id(operation.op))
        if number is not None:
            self._issued.add(number)

    def tally(self, report: object) -> None:
        for number in sorted(self._issued):
            self._found(self._ops[number], *self._unfenced[number])
        self._issued.clear()

    def _found(self, op: Op, writer: int | None, registers: int) -> None:
        name = self._names[registers & -registers]
        if writer is None:
            self.report("PTX9221", f"`{op.inst.opcode}` uses `{name}`, and no wgmma.fence comes before it", op)
            return
        other = self._ops[writer]
        what = f"`{op.inst.opcode}` uses `{name}`, which `{other.inst.opcode}` writes"
        notes = [f"the product: `{op.text}`", f"the write before it: `{other.text}`"]
        self.report("PTX9221", f"{what}, and no wgmma.fence is in between", op, notes, other)


def unfenced(program: Program) -> Unfenced:
    """The products of a program that may use registers written since the last fence."""
    return _unfenced(graph_of(program))


@lru_cache(maxsize=32)
def _unfenced(graph: Graph) -> Unfenced:
    ops = graph.ops
    bits = bits_of(ops)
    events = [list(events_of(graph, b, bits)) for b in range(len(graph))]
    begins = _solved(graph, events, None if graph.function.kind == "entry" else {})
    out: Unfenced = {}
    for b, (fenced, dirty) in begins.items():
        for event in events[b]:
            if event.kind == "issue" and event.op not in out:
                used = event.reads | (event.writes if accumulates(ops[event.op]) else 0)
                writers = [op for op, written in dirty.items() if written & used]
                if writers:
                    out[event.op] = (max(writers), dirty[max(writers)] & used)
                elif not fenced:
                    out[event.op] = (None, event.reads | event.writes)
            fenced, dirty = _after(fenced, dirty, event, ops)
    return out


def _solved(graph: Graph, events: list[list[Event]], entry: Dirty | None) -> dict[int, tuple[bool, Dirty]]:
    """The state at the beginning of each block that is reached: whether there was a fence, and what is written since."""
    states: dict[int, tuple[bool, Dirty]] = {0: (entry is not None, {})}
    work = deque(graph.order)
    while work:
        b = work.popleft()
        if b not in states:
            continue
        fenced, dirty = states[b]
        for event in events[b]:
            fenced, dirty = _after(fenced, dirty, event, graph.ops)
        for s in graph.successors[b]:
            old = states.get(s)
            new = (fenced, dirty) if old is None else (old[0] and fenced, _joined(old[1], dirty))
            if new != old:
                states[s] = new
                work.append(s)
    return states


def _joined(a: Dirty, b: Dirty) -> Dirty:
    return {op: a.get(op, 0) | b.get(op, 0) for op in {*a, *b}}


def _after(fenced: bool, dirty: Dirty, event: Event, ops: list[Op]) -> tuple[bool, Dirty]:
    if event.kind in ("fence", "call"):
        return True, {}
    if event.kind == "issue":  # reported for the first product; later ones use the registers behind it
        used = event.reads | event.writes
        return True, {op: left for op, written in dirty.items() if (left := written & ~used)}
    if event.kind == "touch" and event.writes:
        if ops[event.op].guard is None:
            dirty = {op: left for op, written in dirty.items() if (left := written & ~event.writes)}
        return fenced, {**dirty, event.op: event.writes}
    return fenced, dirty


class OperandArrays(Companion):
    """Compares what products read with the arrays that the kernel declares, and with the boxes that copies have brought."""

    def attach(self, machine: Observed) -> None:
        super().attach(machine)
        program = machine.record.program
        found = [v for v in program.variables if v.space.startswith("shared") and v.size]
        self._arrays = sorted((v.offset, v.offset + v.size, v.name) for v in found)
        self._ops = {id(op) for op in machine.image.with_effect(AsyncMma).values()}

    def issued(self, operation: Operation) -> None:
        if id(operation.op) not in self._ops:
            return
        operands = [f for f in operation.reads if f.space == "shared" and len(f.starts)]
        spans = [(int(f.starts[0]), int(f.starts[-1] + f.nbytes[-1])) for f in operands]  # they ascend
        seams = self.machine.unit(Layouts).seams(operation.warp.cta)
        for begin, end in spans:
            if not self._look(operation, begin, end) and seams:
                others = {b for b, _ in spans if b != begin}
                self._look_at_boxes(operation, seams, begin, end, others)

    def _look(self, operation: Operation, begin: int, end: int) -> bool:
        for first, behind, name in self._arrays:
            if first <= begin < behind < end:
                self._found(operation, begin, end, f"`{name}`", end - behind)
                return True
        return False

    def _look_at_boxes(
        self, operation: Operation, seams: Sequence[tuple[Written, Written]], begin: int, end: int, others: set[int]
    ) -> None:
        """Boxes may follow each other, and an operand be made of several, or of the last lines of one and the first of the next.

        Not so where a group of 8 lines has some of either, of different tensors, or where the other operand begins in the next.
        """
        for box, behind in seams:
            if not box.begin <= begin < box.end < end or box.swizzle == "none":
                continue
            span = swizzle_span(swizzle_mode(box.swizzle))
            lines = (begin - box.begin) // span
            apart = lines % LINES and not (box.end - box.begin) % (LINES * span)
            mixes = any(behind.begin <= other < behind.end for other in others)
            cta = operation.warp.cta
            if lines and (apart or mixes) and intact(cta, box) and intact(cta, behind):
                name = f"the box at {shared_name(self.machine, box.begin)}"
                self._found(operation, begin, end, f"{name}, in another tensor's", end - box.end)
                return

    def _found(self, operation: Operation, begin: int, end: int, name: str, over: int) -> None:
        op = operation.op
        message = (
            f"`{op.inst.opcode}` reads {end - begin} bytes of shared memory from {shared_name(self.machine, begin)} on, "
            f"{over} of them behind the end of {name}"
        )
        self.report("PTX9218", message, op, [f"{self.who(operation.warp)}: `{op.text}`"])
