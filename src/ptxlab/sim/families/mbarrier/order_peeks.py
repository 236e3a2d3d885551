"""Whether a peek asks for the phase that the loop waits for which its answer may save (certify/peeks.py).

A question by parity is answered with yes once that phase is over; and too early, if the phase before it is not over either. So the
thread has to know that the phase before is over when it peeks: it has waited for that itself.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ptxlab.diag import Diagnostic
from ptxlab.sim.certify.judge import FreeOrder
from ptxlab.sim.certify.peeks import groups, is_peek
from ptxlab.sim.engine.machine.faults import shared_name
from ptxlab.sim.engine.machine.naming import lanes_of
from ptxlab.sim.engine.machine.operation import Place
from ptxlab.sim.order.companions.companion import Companion

if TYPE_CHECKING:
    from ptxlab.ptx.program import Op
    from ptxlab.sim.engine.machine.observer import Observed
    from ptxlab.sim.engine.machine.resident import Warp


@dataclass(frozen=True, slots=True)
class _Peek:
    """The latest peek of a thread: by which instruction, where, for which parity, and the phase it had waited for there before."""

    op: Op
    place: Place
    parity: int
    waited: int


class Peeks(Companion):
    """Compares each wait with the latest peek that may save it."""

    def attach(self, machine: Observed) -> None:
        super().attach(machine)
        program = machine.record.program
        programs = [program, *program.functions] if machine.options.certify else []
        peeking = [one for one in programs if any(map(is_peek, one.ops))]
        self._groups = {id(one.ops[i]): (id(one), group) for one in peeking for i, group in groups(one).items()}
        self._latest: dict[tuple[Warp, int, tuple[int, int]], _Peek] = {}
        self._waited: dict[Place, dict[tuple[Warp, int], int]] = {}

    def mbarrier_initialised(self, warp: Warp, lane: int, place: Place, op: Op) -> None:
        """A second life of an mbarrier is not followed."""
        if self._groups and place in self._waited:
            self._not_proved(op, f"makes {shared_name(self.machine, place.offset)} anew, for whose phases threads peek")

    def mbarrier_peeked(self, warp: Warp, lanes: int, place: Place, parity: int, op: Op) -> None:
        self.core.mbarriers.asked(warp, lanes, place, op)
        waited = self._waited.setdefault(place, {})
        for lane in lanes_of(lanes):
            peek = _Peek(op, place, parity, waited.get((warp, lane), -1))
            self._latest[warp, lane, self._groups[id(op)]] = peek

    def mbarrier_passed(self, warp: Warp, lanes: int, place: Place, phase: int, op: Op) -> None:
        if not self._groups:
            return
        waited, group = self._waited.setdefault(place, {}), self._groups.get(id(op))
        for lane in lanes_of(lanes):
            waited[warp, lane] = phase
            peek = self._latest.get((warp, lane, group)) if group is not None else None
            if peek is not None and not _asks_for(peek, place, phase):
                where, other = (shared_name(self.machine, one.offset) for one in (peek.place, place))
                self._not_proved(
                    peek.op,
                    f"asks for parity {peek.parity} at {where}, having waited there up to phase {peek.waited}, and its answer may "
                    f"save a wait for phase {phase} at {other}",
                )

    def _not_proved(self, op: Op, message: str) -> None:
        free = self.core.checks.free
        if isinstance(free, FreeOrder) and ("PTX9302", id(op), 0) not in self._said:
            self._said.add(("PTX9302", id(op), 0))
            free.others.append(Diagnostic("PTX9302", f"`{op.inst.opcode}` {message}", span=op.span, origin=op.origin))


def _asks_for(peek: _Peek, place: Place, phase: int) -> bool:
    """Whether a peek asks for a phase, and can find no other one over."""
    return peek.place == place and peek.parity == phase & 1 and peek.waited in (phase - 1, phase)


__all__ = ["Peeks"]
