"""PTX9237: setmaxnreg that not all warps of a warpgroup execute alike."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ptxlab.isa.effects import RegisterFile
from ptxlab.sim.engine.compiled import frame as F
from ptxlab.sim.order.companions.companion import Companion

if TYPE_CHECKING:
    from ptxlab.ptx.program import Op
    from ptxlab.sim.engine.machine.observer import Observed
    from ptxlab.sim.engine.machine.resident import Cluster, Cta, Parked, Warp


class RegisterCounts(Companion):
    """Compares what the warps of each warpgroup have asked for."""

    def attach(self, machine: Observed) -> None:
        super().attach(machine)
        self._asks = machine.image.with_effect(RegisterFile)
        self._asked: dict[Warp, list[Op]] = {}
        self._waiting: dict[Warp, Op] = {}

    def trap_begins(self, warp: Warp, mask: int, pc: int) -> None:
        op = self._asks.get(pc)
        if op is not None:
            self._waiting[warp] = op

    @property
    def hears_sleeps(self) -> bool:
        return False

    def trap_ended(self, warp: Warp, mask: int, pc: int, parked: Parked | None) -> None:
        if parked is None and pc in self._asks:
            self._asked.setdefault(warp, []).append(self._asks[pc])
            self._waiting.pop(warp, None)

    def cluster_retired(self, cluster: Cluster) -> None:
        for cta in cluster.ctas:
            self._compare(cta)
            for warp in cta.warps:
                self._asked.pop(warp, None)

    def tally(self, report: object) -> None:
        """Where the launch hangs, warps that wait for registers have asked, too."""
        for warp, op in self._waiting.items():
            self._asked.setdefault(warp, []).append(op)
        for cta in {warp.cta for warp in self._asked}:
            self._compare(cta)
        self._asked.clear()
        self._waiting.clear()

    def _compare(self, cta: Cta) -> None:
        for first in range(0, len(cta.warps) - F.P_WARPS + 1, F.P_WARPS):
            warps = cta.warps[first : first + F.P_WARPS]
            asked = [self._asked.get(warp, []) for warp in warps]
            words = [[op.inst.text() for op in ops] for ops in asked]
            if any(one != words[0] for one in words):
                self._found(warps, asked)

    def _found(self, warps: list[Warp], asked: list[list[Op]]) -> None:
        most = max(asked, key=len)
        for i, op in enumerate(most):
            words = op.inst.text()
            here = [w for w, ops in zip(warps, asked, strict=True) if i < len(ops) and ops[i].inst.text() == words]
            if len(here) < len(warps):
                others = [str(w.index) for w in warps if w not in here]
                message = (
                    f"`{words}` is executed by {len(here)} of the {len(warps)} warps of a warpgroup: "
                    f"warp{'s' if len(others) > 1 else ''} {', '.join(others)} did not"
                )
                self.report("PTX9237", message, op, [f"{self.who(here[0])}: `{op.text}`"])
                return
