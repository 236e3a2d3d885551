"""PTX9223: waits for groups that leave as many groups pending as there are, so that they never wait for anything.

A wait that waits for nothing is right in the first iterations of a pipeline. So a wait is reported where it has never waited for
anything in the whole launch, and an operation that it left pending is part of another finding: somebody relied on the wait.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ptxlab.diag import Diagnostic
from ptxlab.isa.effects import Group
from ptxlab.isa.operands import Imm
from ptxlab.sim.engine.units.groups import kind_of
from ptxlab.sim.order.companions.companion import Companion

if TYPE_CHECKING:
    from ptxlab.ptx.program import Op
    from ptxlab.sim.engine.machine.observer import Observed
    from ptxlab.sim.engine.machine.operation import Operation, Stage
    from ptxlab.sim.engine.machine.resident import Cluster, Warp

RELIED = ("PTX9133", "PTX9210", "PTX9211", "PTX9215", "PTX9222")


class WaitCounts(Companion):
    """Follows which operations waits by groups leave pending."""

    def attach(self, machine: Observed) -> None:
        super().attach(machine)
        self._waits = {
            pc: op
            for pc, op in machine.image.with_effect(Group).items()
            if isinstance(op.inst.form.effect, Group) and op.inst.form.effect.kind == "wait" and _count(op)
        }
        self._now: dict[Warp, Op] = {}
        self._helped: set[int] = set()
        self._left: dict[int, set[int]] = {}
        self._pending: dict[Warp, dict[int, Operation]] = {}

        self.core.at_waits.append(lambda warp, pc: self.trap_begins(warp, 0, pc))

    def issued(self, operation: Operation) -> None:
        if self._waits and self._is_pending(operation.op):
            for warp in operation.warps:
                self._pending.setdefault(warp, {})[operation.number] = operation

    def _is_pending(self, op: Op) -> bool:
        """Whether groups complete an operation, and machine code does not follow it."""
        followed = self.core.numbers[id(op)] in self.core.copies.products
        return not followed and self.core.operations.awaitable(op)

    def trap_begins(self, warp: Warp, mask: int, pc: int) -> None:
        op = self._waits.get(pc)
        if op is None:
            self._now.pop(warp, None)
            return
        self._now[warp], group = op, kind_of(op)
        left = self._left.setdefault(id(op), set())
        for operation in self._pending.get(warp, {}).values():
            end = self.core.action(operation.op).completion
            if end is not None and end.mechanism == group:
                left.add(id(operation.op))

    def waited(self, warp: Warp, operations: Sequence[tuple[Operation, int]], stage: Stage) -> None:
        op = self._now.get(warp)
        if op is not None:
            self._helped.add(id(op))
        pending = self._pending.get(warp)
        if pending is not None:
            for operation, _ in operations:
                pending.pop(operation.number, None)

    def cluster_retired(self, cluster: Cluster) -> None:
        for cta in cluster.ctas:
            for warp in cta.warps:
                self._pending.pop(warp, None)
                self._now.pop(warp, None)

    def tally(self, report: object) -> None:
        findings = [d for d in self.machine.report.findings if d.code in RELIED and not _is_repeated(d)]
        relied = {place for d in findings for place in (d.span or d.origin, d.other or d.other_origin)}
        ops = {id(op): op for op in self.machine.image.ops} if self._waits else {}
        for wait in self._waits.values():
            site, arena = self.core.numbers[id(wait)], self.core.arena
            among = self.core.copies.waits.get(site)
            if id(wait) in self._helped or (among is not None and arena.site(site).helped):
                continue
            followed = () if among is None else (id(self.machine.image.ops[n]) for n in arena.left(among))
            for number in (*self._left.get(id(wait), ()), *followed):
                operation = ops[number]
                if (operation.span or operation.origin) in relied:
                    self._found(wait, operation)
                    break

    def _found(self, wait: Op, operation: Op) -> None:
        message = (
            f"`{wait.inst.text()}` never waits for anything: there are never more groups pending than it leaves, and "
            f"`{operation.inst.opcode}` is in one of them"
        )
        self.report("PTX9223", message, wait, [f"what is left pending: `{operation.text}`"], operation)


def _is_repeated(found: Diagnostic) -> bool:
    """Whether several threads execute one instruction whose operations nothing orders: no thread's wait would order them."""
    places = {(one.span, one.origin) for one in found.accesses}
    return len(found.accesses) == 2 and len(places) == 1 and len({(a.cta, a.thread) for a in found.accesses}) == 2


def _count(op: Op) -> int:
    """How many groups a wait leaves."""
    numbers = [o.value for o in op.inst.operands.values() if isinstance(o, Imm) and isinstance(o.value, int)]
    return int(numbers[0]) if numbers else 0
