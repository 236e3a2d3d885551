"""PTX9233: a barrier number that different warps use, with nothing to order their uses.

The warps that meet at a barrier may change from one use of its number to the next. Then who is new has to come after the use
before: else it may count among the others.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ptxlab.sim.order.companions.companion import Companion, knows
from ptxlab.sim.order.knowledge import threads_of

if TYPE_CHECKING:
    from ptxlab.ptx.program import Op
    from ptxlab.sim.engine.machine.resident import Cluster, Cta, Warp
    from ptxlab.sim.order.sanitizer import Sanitizer


@dataclass(slots=True)
class _Use:
    """Warps that meet at a barrier: all of them, those who wait, when it was over, and one instruction."""

    warps: set[Warp] = field(default_factory=set["Warp"])
    waiting: set[Warp] = field(default_factory=set["Warp"])
    time: int = 0
    op: Op | None = None


class BarrierNumbers(Companion):
    """Follows who meets at each numbered barrier."""

    def __init__(self, core: Sanitizer) -> None:
        super().__init__(core)
        core.at_barriers.append(self.comes)
        self._before: dict[tuple[Cta, int, int], _Use] = {}
        self._now: dict[tuple[Cta, int, int], _Use] = {}

    def comes(self, warp: Warp, number: int, op: Op | None, *, waits: bool, over: bool) -> None:
        """A warp has come to a barrier, and knows nothing yet of who meets there. `over`: it was the last."""
        key = (warp.cta, warp.cta.index, number)
        before = self._before.get(key)
        if before is not None and warp not in before.warps and op is not None and not self._later(warp, before):
            self._found(warp, number, op, before)
        now = self._now.setdefault(key, _Use(op=op))
        now.warps.add(warp)
        if waits:
            now.waiting.add(warp)
        if over:
            now.time = self.core.knowledge.now
            self._before[key] = self._now.pop(key)

    def _later(self, warp: Warp, before: _Use) -> bool:
        """Whether some thread of a warp knows that the use before was over."""
        team = self.core.knowledge.teams[warp.cta.index]
        views = {id(v): v for v in team.views[32 * warp.index : 32 * warp.index + 32]}
        return any(
            knows(view.clock, warp.cta.index, threads_of(other.index, 0xFFFF_FFFF), before.time)
            for view in views.values()
            for other in before.waiting
        )

    def _found(self, warp: Warp, number: int, op: Op, before: _Use) -> None:
        others = ", ".join(str(w.index) for w in sorted(before.warps, key=lambda w: w.index))
        message = (
            f"warp {warp.index} uses barrier {number}, at which warps {others} have met, and nothing orders it behind them: "
            "it may be counted among them"
        )
        self.tell("PTX9233", message, op, [f"{self.who(warp)}: `{op.text}`"], before.op)

    def cluster_retired(self, cluster: Cluster) -> None:
        for uses in (self._before, self._now):
            for key in [k for k in uses if k[0].cluster is cluster]:
                del uses[key]
