"""PTX9234, PTX9235: shared memory of a CTA of the cluster that may have exited, or may not have started.

A CTA's shared memory is there from its start until its last thread has exited. So some thread of it has to know, when it exits, of
each access from outside, and who accesses it has to know that it runs. For the start a relaxed barrier of the cluster will do:
nobody passes it before all have come. For the exit it will not: it orders no accesses, so a load that stands before it may be
under way when the others have passed, and on an H200 it faults then. What a relaxed arrival tells is that operations are over
that its thread has waited for, and what a release fence in front of it publishes.

A copy of the CTA's own counts as an access from outside where it completes at an mbarrier: often a CTA that receives the bytes
waits there, and the sender learns nothing of it, so its shared memory may be gone before the copy has read it. Operations that
groups wait for are PTX9222's.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ptxlab.diag import Access
from ptxlab.sim.engine.machine.naming import cta_name
from ptxlab.sim.engine.machine.resident import Cta
from ptxlab.sim.order.clocks import START, Clock, all_joined, joined
from ptxlab.sim.order.companions.companion import Companion, knows, thread_at, thread_name
from ptxlab.sim.order.knowledge import threads_of
from ptxlab.sim.order.native.state import LOST
from ptxlab.sim.order.shadow import (
    MORE,
    OPERATION,
    READ_INFO,
    READER,
    WRITE_INFO,
    WRITER,
    Kind,
    Past,
    Words,
    past_write,
    starts_of_runs,
)

if TYPE_CHECKING:
    from ptxlab.ptx.program import Op
    from ptxlab.sim.engine.machine.operation import Operation, Place
    from ptxlab.sim.engine.machine.resident import Cluster, Warp
    from ptxlab.sim.order.sanitizer import Sanitizer
    from ptxlab.sim.order.shadow import Region


@dataclass(frozen=True, slots=True)
class _Arrival:
    """Lanes of a warp have arrived in a phase of an mbarrier of another CTA."""

    warp: Warp
    lanes: int
    time: int
    op: Op
    phase: int


@dataclass(frozen=True, slots=True)
class _Who:
    """A thread, by its number, or an operation of its."""

    cta: Cta
    thread: int
    asynchronous: bool = False


class ClusterOrder(Companion):
    """Follows accesses to the shared memory of other CTAs. It is told of the end of a cluster before the sanitizer forgets it."""

    def __init__(self, core: Sanitizer) -> None:
        super().__init__(core)
        core.remote.append(self.reaches)
        self._met: dict[Cta, Clock] = {}
        self._meetings: dict[tuple[Cluster, int], Clock] = {}
        self._done: dict[Cta, Clock] = {}
        self._ends: dict[tuple[Cluster, int], Clock] = {}
        self._arrivals: dict[Cta, dict[tuple[Warp, int, Place], _Arrival]] = {}

    # -- barriers of the cluster, relaxed or not
    def cluster_arrived(self, warp: Warp, lanes: int, op: Op) -> None:
        if self.core.later:
            return
        know, cluster, phase = self.core.knowledge, warp.cta.cluster, self.core.arrival_phase(warp)
        team, threads = know.teams[warp.cta.index], threads_of(warp.index, lanes)
        came = over = know.publish(team, threads).clock
        if self.core.action(op).order == "relaxed":
            over = joined(Clock({}, came.done, came.read), know.fenced(team, threads).clock)
        key = (cluster, phase)
        for meetings, clock in ((self._meetings, came), (self._ends, over)):
            meetings[key] = joined(meetings.get(key, START), clock)
            meetings.pop((cluster, phase - 2), None)

    def cluster_passed(self, warp: Warp, lanes: int, op: Op) -> None:
        if self.core.later:
            return
        key = (warp.cta.cluster, self.core.phase_of(warp))
        for meetings, known in ((self._meetings, self._met), (self._ends, self._done)):
            known[warp.cta] = joined(known.get(warp.cta, START), meetings.get(key, START))

    # -- the start
    def reaches(self, warp: Warp, lanes: int, cta: Cta, op: Op) -> None:
        """Lanes access shared memory of another CTA."""
        if cta.index in self._met.get(warp.cta, START).threads:
            return
        team = self.core.team(warp.cta)
        if any(cta.index in team.views[t].of_shared(cta.index).clock.threads for t in threads_of(warp.index, lanes)):
            return
        message = f"`{op.inst.opcode}` uses shared memory of {cta_name(cta)}, and nothing orders that behind the start of the CTA"
        self.report("PTX9235", message, op, [f"{self.who(warp, lanes)}: `{op.text}`"])

    def issued(self, operation: Operation) -> None:
        if len(operation.cluster.ctas) == 1:
            return
        for footprint in (*operation.reads, *operation.writes):
            cta = footprint.cta
            if cta is not None and cta is not operation.warp.cta and not self.core.has_met(operation.warp):
                self.reaches(operation.warp, operation.lanes, cta, operation.op)

    def mbarrier_arrived(self, warp: Warp, lanes: int, place: Place, phase: int, op: Op) -> None:
        if place.cta is not warp.cta and not self.core.later:
            self.reaches(warp, lanes, place.cta, op)
            there = self._arrivals.setdefault(place.cta, {})
            there[warp, id(op), place] = _Arrival(warp, lanes, self.core.knowledge.now, op, phase)

    def mbarrier_passed(self, warp: Warp, lanes: int, place: Place, phase: int, op: Op) -> None:
        """A phase that is over has had its arrivals, whatever order and scope they have."""
        there = self._arrivals.get(place.cta) if place.cta is warp.cta and not self.core.later else None
        for key in [k for k, one in (there or {}).items() if k[2] == place and one.phase <= phase]:
            del self._arrivals[place.cta][key]

    # -- the end
    def cluster_retired(self, cluster: Cluster) -> None:
        several = len(cluster.ctas) > 1
        if several and self.core.lazy and all(map(self.core.may_exit, cluster.ctas)):
            several = False
        for cta in cluster.ctas if several else ():
            views = {id(v): v for v in self.core.team(cta).views}
            mine = [v.of_shared(cta.index) for v in views.values()]
            known = all_joined([self._done.get(cta, START), *(v.clock for v in mine)])
            come = all_joined([known, *(v.freed for v in mine)])
            self._arrivals_before_exit(cta, come)
            region = self.core.regions.shared.get(cta)
            if region is not None and not self.core.may_exit(cta):
                self._accesses_before_exit(cta, region, known, come)
        for cta in cluster.ctas:
            for known_of in (self._met, self._done, self._arrivals):
                known_of.pop(cta, None)
        self._meetings = {key: met for key, met in self._meetings.items() if key[0] is not cluster}
        self._ends = {key: met for key, met in self._ends.items() if key[0] is not cluster}

    def _arrivals_before_exit(self, cta: Cta, known: Clock) -> None:
        for one in self._arrivals.get(cta, {}).values():
            at = (one.warp.cta.index, threads_of(one.warp.index, one.lanes), one.time)
            if not knows(known, *at):
                thread = 32 * one.warp.index + (one.lanes & -one.lanes).bit_length() - 1
                who = _Who(one.warp.cta, thread)
                self._found(cta, one.op, who, relaxed=knows(self._met.get(cta, START), *at))

    def _accesses_before_exit(self, cta: Cta, region: Region, known: Clock, come: Clock) -> None:
        """The last accesses to each granule are in its shadow.

        come: how far threads and operations have come, whatever the scope of the arrivals that tell so. What a thread has written
        may still be on its way then.
        """
        cells, pasts = region.cells, list[Past]()

        def wanted(agents: Words, lanes: Words, times: Words) -> NDArray[np.bool_]:
            return ~self._surely_known(agents, lanes, times, known, cta)

        for first, last in ((WRITER, WRITE_INFO), (READER, READ_INFO)):
            rows = cells[cells[:, first] != 0, first : last + 1]
            lanes = rows[:, 1] if first == READER else np.ones(len(rows), np.uint32)
            rows = rows[wanted(rows[:, 0], lanes, rows[:, -2])]
            for row in np.unique(rows[starts_of_runs(rows)], axis=0).tolist():
                pasts.append(Past(row[0], 1 if first == WRITER else row[1], row[-2], row[-1], first == WRITER))
        for past in sorted(
            (*pasts, *region.all_others(wanted)), key=lambda past: self._is_own(past, cta)
        ):  # the first of a copy is told
            in_time = self._known(past, come if self._has_happened(past) else known, cta)
            if not in_time and not self._seen(past, region, known, cta):
                op = self.machine.image.ops[Kind.of(past.info).site]
                if self._is_own(past, cta):
                    self._found_own(cta, op, self._whose(past))
                    continue
                relaxed = self._known(past, self._met.get(cta, START), cta)
                self._found(cta, op, self._whose(past), relaxed=relaxed)

    def _has_happened(self, past: Past) -> bool:
        """Whether an access has happened where its thread, or operation, has come past it."""
        return bool(past.agent & OPERATION) or not (past.writes or self.core.strict)

    def _surely_known(self, agents: Words, lanes: Words, times: Words, known: Clock, cta: Cta) -> NDArray[np.bool_]:
        """Which accesses are by threads of the CTA itself, or by others that are all known to have come past them."""
        whose, thread = np.divmod(agents.astype(np.int64) - 1, self.core.threads.each)
        sure = whose == cta.index
        for index, reached in known.threads.items():
            there = np.flatnonzero(whose == index)
            who = thread[there]
            far = np.where(lanes[there] == 1, reached[who], reached.reshape(-1, 32).min(axis=1)[who // 32])
            sure[there] |= far >= times[there]
        return sure

    def _known(self, past: Past, known: Clock, cta: Cta) -> bool:
        threads = self.core.threads
        if past.agent & OPERATION:
            one = threads.operation(past.agent)
            if self._is_own(past, cta) and not self._is_source(past):
                return True
            return known.is_done(one.cluster, one.number) if past.writes else known.has_read(one.cluster, one.number)
        other, thread = threads.thread(past.agent)
        lanes = threads_of(thread // 32, past.lanes) if past.lanes != 1 else [thread]
        return knows(known, other, lanes, past.time)

    def _seen(self, past: Past, region: Region, known: Clock, cta: Cta) -> bool:
        """Whether a thread of the CTA has found a strong write there, or knows who has: a flag that it polls, say. What the writer
        published came before its write, so it does not tell of the write itself."""
        if not (past.writes and Kind.of(past.info).strong) or past.agent & OPERATION:
            return False
        itself = np.full(self.core.threads.each, LOST, np.uint32)
        clock = Clock({**known.threads, cta.index: itself}, known.done, known.read)
        cells = region.cells
        there = np.flatnonzero((cells[:, MORE] != 0) | (cells[:, WRITER] == past.agent))
        return all(
            self.core.checks.has_found(region, g, past, clock)
            for g in there.tolist()
            if past in (past_write(cells[g]), *region.others(g))
        )

    def _is_own(self, past: Past, cta: Cta) -> bool:
        """Whether the CTA has issued the operation itself."""
        return bool(past.agent & OPERATION) and self.core.threads.operation(past.agent).at.cta == cta.index

    def _is_source(self, past: Past) -> bool:
        """Whether a copy reads its source there whose end is counted at an mbarrier."""
        end = self.core.action(self.machine.image.ops[Kind.of(past.info).site]).completion
        return not past.writes and end is not None and end.mechanism == "mbarrier"

    def _whose(self, past: Past) -> _Who:
        threads = self.core.threads
        if past.agent & OPERATION:
            one = threads.operation(past.agent)
            index, thread = one.at.cta, 32 * one.warp + one.lane
        else:
            index, thread = threads.thread(past.agent)
        cta = next(c for cluster in self.core.clusters() for c in cluster.ctas if c.index == index)
        return _Who(cta, thread, asynchronous=bool(past.agent & OPERATION))

    def _accesses(self, cta: Cta, op: Op, who: _Who) -> tuple[Access, Access]:
        """Who uses shared memory of a CTA, and the exit of that."""
        thread = thread_at(self.machine, who.thread)
        uses = Access(thread, who.cta.coordinates, op.text, "uses", who.asynchronous, span=op.span, origin=op.origin)
        return uses, Access((0, 0, 0), cta.coordinates, "exit", "exits")

    def _found_own(self, cta: Cta, op: Op, who: _Who) -> None:
        message = f"{cta_name(cta)} may exit before its own `{op.inst.opcode}` has read its source in shared memory"
        said = thread_name(self.machine, who.cta, who.thread)
        notes = [f"{said}: `{op.text}`", "only who waits at the mbarrier of the copy learns that it is over"]
        help_ = "end with barrier.cluster.arrive and barrier.cluster.wait, behind the wait for the copy in the CTA that gets it"
        self.report("PTX9234", message, op, notes, help=help_, accesses=self._accesses(cta, op, who))

    def _found(self, cta: Cta, op: Op, who: _Who, *, relaxed: bool) -> None:
        """`relaxed`: both meet at a barrier of the cluster afterwards, whose arrival is relaxed."""
        message = (
            f"{cta_name(cta)} may exit before `{op.inst.opcode}` uses its shared memory: no thread of it waits for that"
        )
        notes, help_ = [f"{thread_name(self.machine, who.cta, who.thread)}: `{op.text}`"], None
        if relaxed:
            message = f"{cta_name(cta)} may exit before `{op.inst.opcode}` has used its shared memory"
            notes.append(
                "barrier.cluster.arrive.relaxed comes in between, which orders no access: it may still be under way"
            )
            help_ = "arrive without .relaxed at the last barrier of the cluster"
        self.report("PTX9234", message, op, notes, help=help_, accesses=self._accesses(cta, op, who))
