"""PTX9218: operands of wgmma that begin in one array of shared memory and end in another."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ptxlab.isa.effects import AsyncMma
from ptxlab.sim.engine.machine.faults import shared_name
from ptxlab.sim.order.companions.companion import Companion

if TYPE_CHECKING:
    from ptxlab.sim.engine.machine.observer import Observed
    from ptxlab.sim.engine.machine.operation import Footprint, Operation


class OperandArrays(Companion):
    """Holds what products read against the arrays that the kernel declares."""

    def attach(self, machine: Observed) -> None:
        super().attach(machine)
        program = machine.record.program
        found = [v for v in program.variables if v.space.startswith("shared") and v.size]
        self._arrays = sorted((v.offset, v.offset + v.size, v.name) for v in found)
        self._ops = {id(op) for op in machine.image.ops if type(op.inst.form.effect) is AsyncMma}

    def issued(self, operation: Operation) -> None:
        if id(operation.op) in self._ops and len(self._arrays) > 1:
            for footprint in operation.reads:
                self._look(operation, footprint)

    def _look(self, operation: Operation, footprint: Footprint) -> None:
        if footprint.space != "shared" or not len(footprint.starts):
            return
        begin, end = int(footprint.starts.min()), int((footprint.starts + footprint.nbytes).max())
        for first, behind, name in self._arrays:
            if first <= begin < behind < end:
                self._found(operation, begin, end, name, end - behind)

    def _found(self, operation: Operation, begin: int, end: int, name: str, over: int) -> None:
        op = operation.op
        message = (
            f"`{op.inst.opcode}` reads {end - begin} bytes of shared memory from {shared_name(self.machine, begin)} on, "
            f"{over} of them behind the end of `{name}`"
        )
        self.tell("PTX9218", message, op, [f"{self.who(operation.warp)}: `{op.text}`"])


__all__ = ["OperandArrays"]
