"""Barriers of a CTA, of a warp and of a cluster: who has come to them, and what those know."""

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
from ptxlab.sim.order.core import Core
from ptxlab.sim.order.knowledge import Team, threads_of
from ptxlab.sim.order.native.state import FULL, MET, NUMBER, OVER, WAITS
from ptxlab.sim.order.views import NOTHING, View, together

if TYPE_CHECKING:
    from ptxlab.ptx.program import Op


@dataclass(slots=True)
class Meeting:
    """A barrier that threads are coming to: what those who have come know, and who waits."""

    view: View = NOTHING
    waiting: list[tuple[Team, list[int]]] = field(default_factory=list[tuple[Team, list[int]]])
    warps: set[Warp] = field(default_factory=set[Warp])
    came: int = 0


class Meetings:
    """Follows barriers: what those know who have come is handed on to those who go on."""

    def __init__(self, core: Core) -> None:
        self._core = core
        self._meetings: dict[tuple[Cta, int], Meeting] = {}
        self._warp_meetings: dict[tuple[Warp, int], Meeting] = {}
        self._cluster_meetings: dict[Cluster, dict[int, View]] = {}
        self._cluster_phases: dict[Warp, int] = {}
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

    def came(self, cta: Cta, team: Team, word: int, alive: int, op: Op) -> None:
        """An arrival that native code has noted."""
        number = word >> NUMBER & 0xFF
        if word >> MET & 1:
            self._all_meet(cta, team, number, op, cta.warps if word >> FULL & 1 else [cta.warps[word & 0xFF]])
        else:
            waits, over = (bool(word >> bit & 1) for bit in (WAITS, OVER))
            self._comes(cta.warps[word & 0xFF], alive, team, number, op, waits=waits, over=over)

    def _all_meet(self, cta: Cta, team: Team, number: int, op: Op, told: Sequence[Warp]) -> None:
        """All threads of a CTA have met. Who came first has done nothing since, so all know what all did until now: machine code
        counts on that, too. `told`: the warps of whose arrival nothing has been heard yet."""
        self._core.polls.changed()
        self._meetings.pop((cta, number), None)
        everybody = range(self._core.machine.record.threads)
        view = self._core.knowledge.publish(team, everybody)
        for warp in cta.warps:
            self._waits_at.pop(warp, None)
        for warp in told:
            for hook in self._core.at_barriers:
                hook(warp, number, op, waits=True, over=warp is told[-1])
        self._core.knowledge.learn(team, everybody, view)

    def runs(self, warp: Warp) -> None:
        """A warp that has waited at a barrier runs again: others have exited, and that was the end of the barrier."""
        meeting = self._waits_at.pop(warp, None)
        if meeting is not None:
            self._meet(meeting)

    def _comes(
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
            self._meet(key)

    def _meet(self, key: tuple[Cta, int]) -> None:
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
        ctx = TrapContext(self._core.machine, warp.cta.cluster, warp.cta, warp, mask=mask, op=op)
        named = ctx.read("mask").astype(np.int64) & 0xFFFF_FFFF
        for members in {int(named[lane]) for lane in lanes_of(mask)}:
            mine = sum(1 << lane for lane in lanes_of(mask & members) if named[lane] == members)
            if mine:
                self._meets_lanes(warp, mine, members, team)

    def warp_meets(self, warp: Warp, lanes: int, team: Team) -> None:
        """All lanes of a warp meet at once, as machine code has noted."""
        self._core.polls.changed()
        self.runs(warp)
        threads = threads_of(warp.index, lanes)
        self._core.knowledge.learn(team, threads, self._core.knowledge.publish(team, threads))

    def _meets_lanes(self, warp: Warp, mask: int, members: int, team: Team) -> None:
        """Lanes come to a barrier of these members; a lane that is not among them meets nobody."""
        key = (warp, members)
        meeting = self._warp_meetings.setdefault(key, Meeting())
        threads = threads_of(warp.index, mask)
        meeting.view = together(meeting.view, self._core.knowledge.publish(team, threads))
        meeting.waiting.append((team, threads))
        meeting.came |= mask
        if members & warp.frame.get(F.F_ALIVE) & ~meeting.came == 0:
            del self._warp_meetings[key]
            for one, who in meeting.waiting:
                self._core.knowledge.learn(one, who, meeting.view)

    def phase_of(self, cluster: Cluster) -> int:
        """The phase of the barrier of a cluster."""
        return self._core.machine.unit(ClusterBarriers).get(cluster).phase

    def cluster_arrived(self, warp: Warp, lanes: int, op: Op) -> None:
        """Lanes arrive at the barrier of the cluster."""
        self._core.polls.changed()
        team, cluster = self._core.team_of(warp), warp.cta.cluster
        phase = self.phase_of(cluster)
        self._cluster_phases[warp] = phase
        meetings = self._cluster_meetings.setdefault(cluster, {})
        threads = threads_of(warp.index, lanes)
        view = self._core.knowledge.publish(team, threads)
        if self._core.action(op).order not in RELEASING:
            view = together(View(inits=view.inits), self._core.knowledge.fenced(team, threads))
        meetings[phase] = together(meetings.get(phase, NOTHING), view)
        meetings.pop(phase - 2, None)  # all have passed it

    def cluster_passed(self, warp: Warp, lanes: int, op: Op) -> None:
        """Lanes go on behind the barrier of the cluster."""
        self._core.polls.changed()
        team = self._core.team_of(warp)
        view = self._cluster_meetings.get(warp.cta.cluster, {}).get(self._cluster_phases.get(warp, -1), NOTHING)
        if self._core.action(op).order not in ACQUIRING:
            view = View(inits=view.inits)
        self._core.knowledge.learn(team, threads_of(warp.index, lanes), view)
