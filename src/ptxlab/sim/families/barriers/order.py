"""Barriers of a CTA, of a warp and of a cluster: who has arrived at them, and what those know; and PTX9233.

PTX9233 is about a barrier number that different warps use, with nothing to order their uses. The warps that meet at a barrier may
change from one use of its number to the next. Then a new one has to come after the use before: else it may count among the others.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from ptxlab.isa.order import ACQUIRING, RELEASING
from ptxlab.sim.engine.compiled import frame as F
from ptxlab.sim.engine.machine.naming import lanes_of
from ptxlab.sim.engine.machine.resident import Cluster, Cta, Warp
from ptxlab.sim.engine.machine.trap import TrapContext
from ptxlab.sim.families.cluster.unit import ClusterBarriers
from ptxlab.sim.order.companions.companion import Companion, knows
from ptxlab.sim.order.core import Core
from ptxlab.sim.order.knowledge import Team, threads_of
from ptxlab.sim.order.native.state import FULL, MET, NUMBER, OVER, WAITS
from ptxlab.sim.order.views import NOTHING, View, together

if TYPE_CHECKING:
    from ptxlab.diag import Diagnostic
    from ptxlab.ptx.program import Op
    from ptxlab.sim.order.sanitizer import Sanitizer


@dataclass(slots=True)
class Meeting:
    """A barrier in use: what those know who have arrived, and who waits."""

    view: View = NOTHING
    waiting: list[tuple[Team, list[int]]] = field(default_factory=list[tuple[Team, list[int]]])
    warps: set[Warp] = field(default_factory=set[Warp])
    arrived: int = 0


class Meetings:
    """Follows barriers: those who go on learn what those know who have arrived."""

    def __init__(self, core: Core) -> None:
        self._core = core
        self._meetings: dict[tuple[Cta, int], Meeting] = {}
        self._warp_meetings: dict[tuple[Warp, int], Meeting] = {}
        self._cluster_meetings: dict[Cluster, dict[int, View]] = {}
        self._waits_at: dict[Warp, tuple[Cta, int]] = {}

    def forget(self, cta: Cta) -> None:
        """A CTA has ended."""
        for warp in cta.warps:
            self._waits_at.pop(warp, None)
        for key in [key for key in self._meetings if key[0] is cta]:
            del self._meetings[key]

    def forget_cluster(self, cluster: Cluster) -> None:
        """A cluster has ended."""
        self._cluster_meetings.pop(cluster, None)

    def noted_arrival(self, cta: Cta, team: Team, word: int, alive: int, op: Op) -> None:
        """An arrival that native code has noted."""
        number = word >> NUMBER & 0xFF
        if word >> MET & 1:
            self._all_arrived(cta, team, number, op, cta.warps if word >> FULL & 1 else [cta.warps[word & 0xFF]])
        else:
            waits, over = (bool(word >> bit & 1) for bit in (WAITS, OVER))
            self._arrived(cta.warps[word & 0xFF], alive, team, number, op, waits=waits, over=over)

    def _all_arrived(self, cta: Cta, team: Team, number: int, op: Op, new: Sequence[Warp]) -> None:
        """All threads of a CTA have met. Who came first has done nothing since, so all know what all did until now: machine code
        relies on that, too. `new`: the warps whose arrival has not been entered yet."""
        self._core.polls.changed()
        self._meetings.pop((cta, number), None)
        everybody = range(self._core.machine.record.threads)
        view = self._core.knowledge.publish(team, everybody)
        for warp in cta.warps:
            self._waits_at.pop(warp, None)
        for warp in new:
            for hook in self._core.at_barriers:
                hook(warp, number, op, waits=True, over=warp is new[-1])
        self._core.knowledge.learn(team, everybody, view)

    def runs(self, warp: Warp) -> None:
        """A warp that has waited at a barrier runs again: others have exited, and that was the end of the barrier."""
        meeting = self._waits_at.pop(warp, None)
        if meeting is not None:
            self._completed(meeting)

    def _arrived(
        self, warp: Warp, alive: int, team: Team, number: int, op: Op | None, *, waits: bool, over: bool
    ) -> None:
        self._core.polls.changed()
        self.runs(warp)
        threads = threads_of(warp.index, alive)
        key = (warp.cta, number)
        meeting = self._meetings.setdefault(key, Meeting())
        meeting.view = together(meeting.view, self._core.knowledge.publish(team, threads))
        if waits:
            meeting.waiting.append((team, threads))
            self._waits_at[warp] = key
            meeting.warps.add(warp)
        for hook in self._core.at_barriers:
            hook(warp, number, op, waits=waits, over=over)
        if over:
            self._completed(key)

    def _completed(self, key: tuple[Cta, int]) -> None:
        """A barrier of a CTA is over."""
        meeting = self._meetings.pop(key, None)
        if meeting is not None:
            for warp in meeting.warps:
                self._waits_at.pop(warp, None)
            for team, threads in meeting.waiting:
                self._core.knowledge.learn(team, threads, meeting.view)

    def in_warp(self, warp: Warp, mask: int, op: Op, team: Team) -> None:
        """bar.warp.sync. Lanes that are let go run it once more."""
        passing = warp.frame.get(F.F_RELEASED) & mask
        mask &= ~passing
        if not mask:
            return
        for hook in self._core.at_masks:
            hook(warp, mask, op)
        ctx = TrapContext(self._core.machine, warp.cta.cluster, warp.cta, warp, mask=mask, op=op)
        named = ctx.read("mask").astype(np.int64) & 0xFFFF_FFFF
        for members in {int(named[lane]) for lane in lanes_of(mask)}:
            mine = sum(1 << lane for lane in lanes_of(mask & members) if named[lane] == members)
            if mine:
                self._lanes_arrived(warp, mine, members, team)

    def warp_meets(self, warp: Warp, lanes: int, team: Team) -> None:
        """All lanes of a warp meet at once, as machine code has noted."""
        self._core.polls.changed()
        self.runs(warp)
        threads = threads_of(warp.index, lanes)
        self._core.knowledge.learn(team, threads, self._core.knowledge.publish(team, threads))

    def _lanes_arrived(self, warp: Warp, mask: int, members: int, team: Team) -> None:
        """Lanes arrive at a barrier of these members; a lane that is not among them meets nobody."""
        key = (warp, members)
        meeting = self._warp_meetings.setdefault(key, Meeting())
        threads = threads_of(warp.index, mask)
        meeting.view = together(meeting.view, self._core.knowledge.publish(team, threads))
        meeting.waiting.append((team, threads))
        meeting.arrived |= mask
        if members & warp.frame.get(F.F_ALIVE) & ~meeting.arrived == 0:
            del self._warp_meetings[key]
            for one, who in meeting.waiting:
                self._core.knowledge.learn(one, who, meeting.view)

    def phase_of(self, cluster: Cluster) -> int:
        """The phase of the barrier of a cluster."""
        return self._core.machine.unit(ClusterBarriers).get(cluster).phase

    def cluster_arrived(self, warp: Warp, lanes: int, phase: int, op: Op) -> None:
        """Lanes arrive in a phase of the barrier of the cluster."""
        self._core.polls.changed()
        team = self._core.team_of(warp)
        meetings = self._cluster_meetings.setdefault(warp.cta.cluster, {})
        threads = threads_of(warp.index, lanes)
        view = self._core.knowledge.publish(team, threads)
        if self._core.action(op).order not in RELEASING:
            view = together(View(inits=view.inits), self._core.knowledge.fenced(team, threads))
        meetings[phase] = together(meetings.get(phase, NOTHING), view)
        meetings.pop(phase - 2, None)  # all have passed it

    def cluster_passed(self, warp: Warp, lanes: int, phase: int, op: Op) -> None:
        """Lanes go on behind a phase of the barrier of the cluster."""
        self._core.polls.changed()
        team = self._core.team_of(warp)
        view = self._cluster_meetings.get(warp.cta.cluster, {}).get(phase, NOTHING)
        if self._core.action(op).order not in ACQUIRING:
            view = View(inits=view.inits)
        self._core.knowledge.learn(team, threads_of(warp.index, lanes), view)


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
        core.at_barriers.append(self.arrives)
        self._before: dict[tuple[Cta, int, int], _Use] = {}
        self._now: dict[tuple[Cta, int, int], _Use] = {}
        self._users: dict[int, set[int]] = {}
        self._counted: dict[int, Diagnostic] = {}

    def arrives(self, warp: Warp, number: int, op: Op | None, *, waits: bool, over: bool) -> None:
        """A warp has arrived at a barrier, and knows nothing yet of the others there. `over`: it was the last."""
        key = (warp.cta, warp.cta.index, number)
        users = self._users.setdefault(id(op), set())
        if warp.index not in users:
            users.add(warp.index)
            if op is not None and id(op) in self._counted:
                self._count(op)
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
        notes = [f"{self.who(warp)}: `{op.text}`"]
        if op is before.op:  # one instruction, for those that are to meet: then it counts too few of them
            notes.append(f"this instruction has counted {F.LANES * len(before.warps)} threads there")
        found = self.report("PTX9233", message, op, notes, before.op)
        if found is not None and op is before.op:
            self._counted[id(op)] = found
            self._count(op)

    def _count(self, op: Op) -> None:
        """Say how many threads come to an instruction that has counted too few."""
        warps = self._users[id(op)]
        self._counted[id(op)].help = (
            f"count {F.LANES * len(warps)} threads if warps {', '.join(map(str, sorted(warps)))} are to meet there; "
            "else give each group of warps a barrier number of its own, 0 to 15"
        )

    def cluster_retired(self, cluster: Cluster) -> None:
        for uses in (self._before, self._now):
            for key in [k for k in uses if k[0].cluster is cluster]:
                del uses[key]
