"""What ordinary instructions do: accesses to memory, and fences."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ptxlab.isa.action import Action, Touch
from ptxlab.isa.effects import Access, Barrier, Fence, Group
from ptxlab.isa.extents import Run
from ptxlab.sim.engine.compiled import frame as F
from ptxlab.sim.engine.machine.resident import Cta, Warp
from ptxlab.sim.engine.machine.trap import TrapContext
from ptxlab.sim.order.clocks import START, Clock, knows_of
from ptxlab.sim.order.core import Core, Unflagged
from ptxlab.sim.order.deferred import writes_of
from ptxlab.sim.order.earlier import Comparison, value_of, word_of
from ptxlab.sim.order.eyes import Eye, seen_by
from ptxlab.sim.order.findings.findings import stored_bytes
from ptxlab.sim.order.findings.flags import How, Step
from ptxlab.sim.order.knowledge import Team, Written, threads_of
from ptxlab.sim.order.native.state import FENCED, LANES, MOST_OTHERS, SHOWN, STRONG
from ptxlab.sim.order.parts import Meetings
from ptxlab.sim.order.places import SHADOWED, Reached
from ptxlab.sim.order.reads_from import Place, Seen
from ptxlab.sim.order.shadow import OPERATION, WRITE_INFO, WRITER, Kind, Past, Region
from ptxlab.sim.order.sites import kind_of
from ptxlab.sim.order.views import View

if TYPE_CHECKING:
    from ptxlab.ptx.program import Op


def _size(touch: Touch, op: Op) -> int:
    """Bytes of an access to one integer of 4 or 8 bytes; 0 for others."""
    size = touch.extent.bytes if isinstance(touch.extent, Run) else None
    return size if size in (4, 8) and op.inst.mod("vec") is None and (op.inst.mod("type") or "")[:1] in "usb" else 0


class Accesses:
    """Looks at what instructions do themselves, and takes it down."""

    def __init__(self, core: Core, meetings: Meetings) -> None:
        self._core, self._meetings = core, meetings
        self._hows: dict[tuple[int, str, str, bool], How] = {}

    def executes(self, warp: Warp, mask: int, op: Op) -> None:
        """Lanes are about to execute an instruction."""
        action = self._core.action(op)
        effect = action.effect
        if action.only == "mbarrier.init" and self._core.lazy:
            slot = self._core.slots[warp.cta.slot]
            self._core.arena.native.fences_makers(slot, warp.index, mask, FENCED | SHOWN)
            self._core.note(warp, mask, op, F.NOTE_INITS, 0)
            return
        team = self._core.team_of(warp)
        if isinstance(effect, Access):
            if not self._core.polls.repeats(warp, mask, op, self._core.knowledge.now, self._exchanges):
                self._accesses(warp, mask, op, action, team)
            return
        if isinstance(effect, Fence):
            self._fences(warp, mask, op, action, team)
            return
        self._core.polls.changed()
        if isinstance(effect, Barrier):
            self._meetings.in_warp(warp, mask, op, team)
        elif isinstance(effect, Group):
            self._guards(warp, mask, team)

    def fences(self, cta: Cta, number: int, mask: int, op: Op, team: Team) -> None:
        """A proxy fence, or a wgmma.fence, that native code has noted."""
        warp = cta.warps[number]
        self._meetings.runs(warp)
        action = self._core.action(op)
        if isinstance(action.effect, Fence):
            self._fences(warp, mask, op, action, team)
        else:
            self._core.polls.changed()
            self._guards(warp, mask, team)

    def _guards(self, warp: Warp, mask: int, team: Team) -> None:
        self._core.fenced[warp] = self._core.knowledge.publish(team, threads_of(warp.index, mask))

    def _how(self, op: Op, order: str, scope: str, *, adds: bool = False) -> How:
        """How an instruction accesses a flag, or what kind of fence it is."""
        key = id(op), order, scope, adds
        how = self._hows.get(key)
        if how is None:
            how = self._hows[key] = How(self._core.numbers[id(op)], order, scope, adds)
        return how

    def _step(self, team: Team, thread: int, how: How) -> Step:
        """A thread's access to a flag, or its fence."""
        who, now = team.at.cta * team.threads + thread, self._core.knowledge.now
        return self._core.findings.flags.step(who, how, now, team.views[thread].clock)

    def _fences(self, warp: Warp, mask: int, op: Op, action: Action, team: Team) -> None:
        threads = threads_of(warp.index, mask)
        if action.only or action.joins:
            self._core.polls.changed()
        if action.only == "mbarrier.init":
            self._core.knowledge.show_inits(team, threads)
        elif action.joins:
            half = action.order if action.order in ("acquire", "release") else None
            self._core.knowledge.join_proxies(team, threads, action.joins, action.space, half)
        else:
            assert action.order is not None
            assert action.scope is not None
            know, how, first = (
                self._core.knowledge,
                self._how(op, action.order, action.scope),
                team.at.cta * team.threads,
            )
            before = know.now
            for view, members in team.by_view(threads):
                self._core.findings.flags.fences([first + t for t in members], how, before, view.clock)
            beside = self._core.beside
            if beside is not None:
                beside.fence(team, threads, action.order, action.scope)
            know.fence(team, threads, action.order, action.scope, action.space)
            if beside is not None:
                beside.fenced(team, threads, action.order, action.scope)
            self._core.polls.quiet(before, know.now)

    def _accesses(self, warp: Warp, mask: int, op: Op, action: Action, team: Team) -> None:
        ctx = TrapContext(self._core.machine, warp.cta.cluster, warp.cta, warp, mask=mask, op=op)
        site, wrote, vain = self._core.numbers[id(op)], False, list[Reached]()
        for touch in action.touches:
            if touch.space not in SHADOWED or touch.proxy == "constant":
                continue
            kind = kind_of(site, op, touch)
            for reached in self._core.regions.reached(ctx, touch):
                if touch.update == "cas" and len(reached.lanes) == 1 and not self._exchanges(ctx, reached):
                    touch = replace(touch, writes=False)  # it finds another value, and writes nothing
                    vain.append(reached)
                wrote = wrote or touch.writes
                self._reach(warp, team, reached, touch, kind, op)
        if wrote:
            self._core.polls.changed()
        else:
            self._core.polls.note(ctx, vain, self._core.knowledge.now)

    def _exchanges(self, ctx: TrapContext, reached: Reached) -> bool:
        """Whether a compare-and-swap of one thread finds what it compares with."""
        lane, start, nbytes = int(reached.lanes[0]), int(reached.starts[0]), int(reached.nbytes[0])
        cta = reached.region.key
        if isinstance(cta, Cta):
            there = cta.shared[start : start + nbytes]
        else:
            there = self._core.machine.global_view(reached.region.base + start, nbytes)
        return bool(np.array_equal(there, ctx.read_bytes("b")[lane][:nbytes]))

    def _reach(self, warp: Warp, team: Team, reached: Reached, touch: Touch, kind: Kind, op: Op) -> None:
        self._core.deferred.take()
        threads = (reached.lanes + 32 * warp.index).tolist()
        before: list[View] = [team.views[t] for t in threads] if kind.strong else []
        self._core.findings.at = (warp, op)
        if self._core.beside is not None and reached.region.space == "global":
            self._core.beside.reaches(warp, team, threads, reached, touch, kind)
        if kind.strong:
            if not self._core.flags:
                raise Unflagged
            self._strong(team, threads, reached, touch, op)
        elif (self._core.knowledge.written or self._core.deferred.some) and touch.writes:
            self._core.deferred.overwritten(reached)
            self._core.knowledge.overwrite(reached)
        elif self._core.knowledge.written or self._core.deferred.some:
            self._weak_reads(team, threads, reached, op)
        there = reached.region.key
        if isinstance(there, Cta) and there is not warp.cta:
            for hook in self._core.remote:
                hook(warp, sum(1 << lane for lane in set(reached.lanes.tolist())), there, op)
        agents = np.array([self._core.threads.agent(team.at.cta, t) for t in threads], np.uint32)
        # what a read finds comes before what follows it, not before itself: so finds are noted in the end, and known as before
        eyes = seen_by(threads, team.views, team.at, before)
        self._core.findings.at, self._core.findings.reached = (warp, op), reached
        if touch.writes and not kind.update and len(threads) > 1:
            self._same_bytes(warp, reached, op, kind)
        self.mbarriers_there(reached, agents, kind, writes=touch.writes)
        early = self._core.mbarriers.use_ended(team, threads, reached)
        if early is not None:
            thread, offset, ended_by = early
            agent = self._core.threads.agent(team.at.cta, thread)
            self._core.findings.of_mbarrier(
                reached.region, offset // reached.region.granule, agent, kind, writes=touch.writes, ended_by=ended_by
            )
        self._core.checks.access(
            reached, agents, eyes, self._core.knowledge.now, kind, reads=touch.reads, writes=touch.writes
        )
        if touch.order in ("acquire", "acq_rel") and touch.update is not None and not self._core.strict:
            self._core.checks.locks(reached, agents, [Eye(team.at, v) for v in before], kind)
        self._tell_others(warp, team)
        if kind.strong:
            self._core.knowledge.reads_from.settle()
            if touch.writes:
                self._core.knowledge.now += 1

    def _tell_others(self, warp: Warp, team: Team) -> None:
        """Tell native code what all threads of a warp know of the warps of other CTAs that its access is behind."""
        core, each = self._core, team.threads // LANES
        others = [other for other in core.checks.behind if other // each != team.at.cta]
        core.checks.behind.clear()
        if not others:
            return
        living, first = core.machine.record.threads, LANES * warp.index
        clocks = {id(v): v.clock for v in team.views[first : min(first + LANES, living)]}.values()
        for other in others:
            cta, number = divmod(other, each)
            theirs = slice(LANES * number, min(LANES * (number + 1), living))
            known = [clock.threads.get(cta) for clock in clocks]
            time = min(0 if times is None else int(times[theirs].min()) for times in known)
            entries, agent = core.slot_of(warp.cta).others[warp.index], LANES * other + 1
            free = (one for one in map(entries.__getitem__, range(MOST_OTHERS)) if one.first in (0, agent))
            entry = next(free, None) or entries[core.knowledge.now % MOST_OTHERS]
            entry.first, entry.time = agent, time

    def _weak_reads(self, team: Team, threads: Sequence[int], reached: Reached, op: Op) -> None:
        """Weak reads of what may be flags."""
        know, flags, how = self._core.knowledge, self._core.findings.flags, self._how(op, "weak", "")
        places: list[Place] = [(reached.region.key, start) for start in reached.starts.tolist()]
        know.before_read(places)
        for thread, place in zip(threads, places, strict=True):
            if flags.is_flag(place):
                flags.finds(place, self._step(team, thread, how))
            know.read(team, [thread], place, "weak", None)

    def _strong(self, team: Team, threads: Sequence[int], reached: Reached, touch: Touch, op: Op) -> None:
        """Strong accesses: each may find what somebody has published at its place, or publish."""
        know, region, starts = self._core.knowledge, reached.region, reached.starts.tolist()
        places: list[Place] = [(region.key, start) for start in starts]
        if touch.writes and self._core.earlier.loads and (size := _size(touch, op)):
            for place in places:  # what lanes add follows what memory holds now
                self._core.earlier.held(place, know.written.get(place), self._held(place, size))
        if touch.writes:
            know.now += 1  # what the instruction writes is told from what its threads wrote before
        know.before_read(places)
        if touch.writes:
            self._one_by_one(team, threads, places, touch, op)
            self._strong_writes(team, threads, places, reached, touch, op)
            know.stamp(places)
            self._thin_out(region, starts)
            return
        weak, readers = self._weak_places(reached), dict[int, list[int]]()
        for thread, start in zip(threads, starts, strict=True):
            readers.setdefault(start, []).append(thread)
        for start in sorted(readers):
            self._strong_read(team, readers[start], region, start, touch, op, weak=weak.get(start))

    def _one_by_one(self, team: Team, threads: Sequence[int], places: Sequence[Place], touch: Touch, op: Op) -> None:
        """Lanes of one instruction that update the same place come in any order, too."""
        told, first = self._core.checks.free, dict[Place, int]()
        if told is None or touch.update is None:
            return
        for thread, place in zip(threads, places, strict=True):
            if first.setdefault(place, thread) != thread:
                site = self._core.numbers[id(op)]
                one, other = (self._core.threads.agent(team.at.cta, t) for t in (first[place], thread))
                told(site, site, one, other, word_of(place))

    def _strong_read(
        self, team: Team, threads: list[int], region: Region, start: int, touch: Touch, op: Op, *, weak: Past | None
    ) -> tuple[Seen, ...]:
        """A strong access of threads reads one location. weak: the weak store that has written it last, if it was one.

        Returns: that store, if it is the thread's own.
        """
        know, place, flags = self._core.knowledge, (region.key, start), self._core.findings.flags
        own = self._weakly_written(team, threads, place, weak) if weak else ()
        reduction = touch.writes and self._core.is_unread(op)
        instead = None if touch.writes else self._found_earlier(team, threads, place, touch, op)
        know.read(team, threads, place, touch.order, touch.scope, reduction=reduction, instead=instead)
        if not reduction and flags.is_flag(place):
            how = self._how(op, touch.order, touch.scope or "")
            for t in threads:
                flags.finds(place, self._step(team, t, how))
        return own

    def _strong_writes(
        self,
        team: Team,
        threads: Sequence[int],
        places: Sequence[Place],
        reached: Reached,
        touch: Touch,
        op: Op,
    ) -> None:
        """Each of these threads writes its place strongly, one after the other."""
        know, flags, follows = self._core.knowledge, self._core.findings.flags, self._core.earlier.loads
        how = self._how(op, touch.order, touch.scope or "", adds=touch.reads)
        weak, own = self._weak_places(reached) if touch.reads else dict[int, Past](), tuple[Seen, ...]()
        for thread, place in zip(threads, places, strict=True):
            if touch.reads:
                own = self._strong_read(team, [thread], reached.region, place[1], touch, op, weak=weak.get(place[1]))
            flags.stores(place, self._step(team, thread, how))
            know.write(team, thread, place, touch.order, touch.scope, chain=touch.reads, own=own)
            if follows:
                self._takes_down(team, thread, place, touch, op)

    # -- values of words that threads wait for
    def _found_earlier(self, team: Team, threads: list[int], place: Place, touch: Touch, op: Op) -> Written | None:
        """What threads that load a word may have found instead of what was stored there last."""
        earlier, at = self._core.earlier, self._core.findings.at
        if not earlier.loads or at is None:
            return None
        size = _size(touch, op)
        if not size:
            earlier.drop(place)  # what it finds is not followed, and nothing older may be found behind it
            return None
        held = earlier.held(place, self._core.knowledge.written.get(place), self._held(place, size))
        site = self._core.numbers[id(op)]
        comparisons = earlier.loads.get(site)
        if earlier.history is not None and comparisons is not None:
            for t in threads:
                others = tuple(other for _, other in self._others(at[0], t % 32, comparisons))
                earlier.history.asked(word_of(place), size, site, others)
        if held is None:
            return None
        found: list[Written | None] = []
        for t in threads:
            who, view = team.at.cta * team.threads + t, team.views[t]
            same = None if comparisons is None else self._same_answers(at[0], t % 32, comparisons, held)
            load = who, self._core.knowledge.now, site
            found.append(earlier.found(place, load, view.clock, same))
        return found[0] if all(one is found[0] for one in found) else None

    def _same_answers(
        self, warp: Warp, lane: int, comparisons: Sequence[Comparison], held: int
    ) -> Callable[[int], bool]:
        """Whether comparisons of a lane say of a value what they say of the one that is held."""
        known = [(c, other, c.answer(held, other)) for c, other in self._others(warp, lane, comparisons)]
        return lambda value: all(c.answer(value, other) == said for c, other, said in known)

    @staticmethod
    def _others(warp: Warp, lane: int, comparisons: Sequence[Comparison]) -> list[tuple[Comparison, int]]:
        """Comparisons, and what a lane compares with."""
        return [(c, c.other if isinstance(c.other, int) else int(warp.read_row(c.other)[lane])) for c in comparisons]

    def _takes_down(self, team: Team, thread: int, place: Place, touch: Touch, op: Op) -> None:
        """A thread stores to a word strongly, or adds to it: its value, where that is known."""
        earlier, at = self._core.earlier, self._core.findings.at
        assert at is not None
        size = _size(touch, op)
        values = stored_bytes(at[0], op) if touch.update in (None, "add") and size else None
        if values is None or values.shape[1] != size:
            earlier.drop(place)
            return
        value, last = value_of(values[thread % 32]), earlier.last(place)
        before = self._held(place, size) if last is None else last
        if touch.update is not None:
            value = value + before & (1 << 8 * size) - 1
        if earlier.history is not None:
            earlier.history.stored(word_of(place), size, before, value, adds=touch.update is not None)
        written = self._core.knowledge.written.get(place)
        assert written is not None
        earlier.stored(place, value, written, team.at.cta * team.threads + thread, self._core.knowledge.now)

    def _held(self, place: Place, size: int) -> int:
        """What memory holds at a place."""
        memory, offset = place
        if isinstance(memory, Cta):
            return value_of(memory.shared[offset : offset + size])
        assert isinstance(memory, int)
        return value_of(self._core.machine.global_view(memory + offset, size))

    def _thin_out(self, region: Region, starts: list[int]) -> None:
        """Forget of chains of writes, and of who has found them, what no cell has any more."""
        know = self._core.knowledge
        for start in set(starts):
            place = (region.key, start)
            written = know.written.get(place)
            if written is not None and know.reads_from.is_full(place, written.chain):
                where, _ = region.granules(np.array([start]), np.array([1]))
                wanted = [one for g in where.tolist() for one in writes_of(region, g)]
                know.reads_from.thin_out(place, written.chain, [*wanted, *written.chain.latest()])

    def mbarriers_there(self, reached: Reached, agents: NDArray[np.uint32], kind: Kind, *, writes: bool) -> None:
        """Accesses to bytes of live mbarriers."""
        live = self._core.mbarriers.offsets(reached.region.key)
        for offset in live:
            hit = (reached.starts < offset + 8) & (reached.starts + reached.nbytes > offset)
            if hit.any():
                agent = int(agents[int(np.flatnonzero(hit)[0])])
                self._core.findings.of_mbarrier(
                    reached.region, offset // reached.region.granule, agent, kind, writes=writes
                )

    @staticmethod
    def _weak_places(reached: Reached) -> Mapping[int, Past]:
        """The places that runs of bytes begin at and that a thread has written last by a weak store: that store."""
        region, starts = reached.region, np.unique(reached.starts)
        where, runs = region.granules(starts, np.ones_like(starts))
        cells = region.cells[where]
        strong = cells[:, WRITE_INFO] >> STRONG & 1
        weak = (cells[:, WRITER] != 0) & (cells[:, WRITER] & OPERATION == 0) & (strong == 0)
        stores = [Past(agent, 1, time, info, True) for agent, time, info in cells[weak, : WRITE_INFO + 1].tolist()]
        return dict(zip(starts[runs[weak]].tolist(), stores, strict=True))

    def _weakly_written(self, team: Team, threads: list[int], place: Place, store: Past) -> tuple[Seen, ...]:
        """A strong read of what was written by a weak store: as a flag it would have told of what came before that.

        Returns: that store, if it is the thread's own, and it reads alone.
        """
        cta, writer = self._core.threads.thread(store.agent)
        if threads == [writer] and cta == team.at.cta:
            return ((store.time, store.agent - 1),)
        if cta == team.at.cta:
            threads = [t for t in threads if t != writer]
        threads = [t for t in threads if knows_of(team.views[t].clock, cta, writer) < store.time]
        if not threads:
            return ()  # they come behind it anyway
        times = np.zeros(self._core.threads.each, np.uint32)
        times[writer] = store.time
        how, flags = How(Kind.of(store.info).site, "weak", ""), self._core.findings.flags
        flags.stores(place, flags.step(store.agent - 1, how, store.time, START))
        self._core.knowledge.miss(team, threads, "PTX9202", Clock({cta: times}, {}, {}))
        return ()

    def _same_bytes(self, warp: Warp, reached: Reached, op: Op, kind: Kind) -> None:
        """Lanes of one store that write the same bytes: no matter if they write the same."""
        where, runs = reached.region.granules(reached.starts, reached.nbytes)
        unique = np.unique(where)
        if len(unique) == len(where):
            return
        self._core.findings.collision(warp, reached, where, runs, op, kind)
