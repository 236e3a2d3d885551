"""Two accesses to the same bytes: whether something orders them.

Whoever accesses memory now looks at who did before; `Eye` (eyes.py) is who looks.
Accesses that nothing orders are a race unless both are strong, in each other's scope, of one size and through one proxy.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ptxlab.sim.engine.machine.naming import lanes_of
from ptxlab.sim.engine.machine.resident import Cta
from ptxlab.sim.order import shadow
from ptxlab.sim.order.clocks import START, Clock, joined
from ptxlab.sim.order.earlier import word_of
from ptxlab.sim.order.eyes import Eye, at_region
from ptxlab.sim.order.knowledge import OF_LAUNCHES, Knowledge
from ptxlab.sim.order.native.state import LANES, LOST, MOST_REPORTED, PROXY
from ptxlab.sim.order.places import Reached
from ptxlab.sim.order.reads_from import Seen
from ptxlab.sim.order.shadow import OPERATION, Kind, Past, Region, Tile
from ptxlab.sim.order.threads import Threads

Words = NDArray[np.uint32]
ENOUGH = 64
"""Races of the same two instructions, accessing memory in the same way, after which no more of them are looked for. The finding has
been told at the first; a kernel that has a race in each of a million threads would otherwise be judged for hours."""


@dataclass(frozen=True, slots=True)
class Clash:
    """Two accesses that nothing orders: the earlier one and the later one, by `agent`, in granule `granule` of a region.

    known: what the later one's thread or operation knows.
    """

    region: Region
    granule: int
    past: Past
    culprit: int
    agent: int
    kind: Kind
    writes: bool
    fence_missing: bool
    near: str
    known: Clock


class Checks:
    """Looks at every access.

    Attributes:
        updates: of stores that end an update of two instructions, by their number, that of the load. lost: called where another
            thread's update may be lost by one. free: told of two strong accesses that come in any order: the instructions, by
            their numbers, by whom each is, and where, if that is known; None: nobody asks.

    What clashes goes to `clashed`, which says whether it is no matter after all; shared memory that is read before anybody writes
    it goes to `unwritten`.
    """

    def __init__(
        self,
        threads: Threads,
        knowledge: Knowledge,
        clashed: Callable[[Clash], bool],
        unwritten: Callable[[Region, int, int, Kind], None],
        *,
        textures: bool,
        strict: bool,
    ) -> None:
        self.threads, self._reads_from, self._clashed, self._unwritten = (
            threads,
            knowledge.reads_from,
            clashed,
            unwritten,
        )
        self._before_read = knowledge.before_read
        self._textures, self._strict = textures, strict
        self.updates: Mapping[int, int] = {}
        self.lost: Callable[[Clash], None] = lambda clash: None
        self.free: Callable[[int, int, int, int, tuple[object, int] | None], None] | None = None
        self._open: list[tuple[int, Past]] = []
        self.behind: set[int] = set()
        self._races: Counter[tuple[int, int]] = Counter()
        self._told: set[tuple[int, int]] = set()
        self._arena = threads.arena

    def access(
        self, reached: Reached, agents: Words, eyes: Sequence[Eye], now: int, kind: Kind, *, reads: bool, writes: bool
    ) -> None:
        """An access: of each run who makes it, and with what knowledge.

        agents: of each run. eyes: of each run. now: the time.
        """
        region = reached.region
        where, runs = region.granules(reached.starts, reached.nbytes)
        if not len(where):
            return
        eyes = at_region(eyes, region)
        region.was_read |= reads
        who = agents[runs]
        if kind.site in self.updates:
            self._look_at_lanes(region, where, who, eyes[0], now, kind)
        self._open.clear()
        groups: dict[int, list[int]] = {}
        for i, eye in enumerate(eyes if not self._are_apart(region, where, who, kind, reads, writes) else ()):
            groups.setdefault(id(eye), []).append(i)
        for members in groups.values():
            eye = eyes[members[0]]
            mine = np.isin(runs, members) if len(groups) > 1 else slice(None)
            self._look(region, where[mine], who[mine], eye, kind, reads=reads, writes=writes)
            if self._textures:
                self._look_at_textures(region, where[mine], who[mine], eye, kind, writes=writes)
        if reads and not writes:
            self._note_reads(region, where, who, runs, eyes, now=now, kind=kind)
        else:
            self._note_writes(region, where, who, now, kind)
            for granule, past in self._open:  # later accesses have to come behind these, too
                region.remember(granule, past)

    def by_operation(
        self, reached: Reached, agents: Words, eyes: Sequence[Eye], now: int, kind: Kind, *, writes: bool
    ) -> None:
        """An asynchronous operation's access, with the knowledge of each of these eyes: any of them may come first.

        Cells of its tile that say the same are judged once. Where any is not in order, all are looked at one by one.
        """
        if not len(agents):
            return
        eyes = at_region(eyes, reached.region)
        agent = int(agents[0]) if (agents == agents[0]).all() else 0
        tile = None
        if not (writes and (self._strict or kind.strong)):
            tile = reached.region.tile(reached.starts, reached.nbytes)
        if tile is None or not self._in_order(tile, agent, eyes, kind, writes=writes):
            for eye in eyes:
                self.access(reached, agents, [eye] * len(agents), now, kind, reads=not writes, writes=writes)
            return
        reached.region.was_read |= not writes
        tile.note(agents, kind.info, lambda past, new: self._superseded(past, new, 1, eyes[0], kind), writes=writes)

    def _in_order(self, tile: Tile, agent: int, eyes: Sequence[Eye], kind: Kind, *, writes: bool) -> bool:
        """Whether an operation's access surely comes behind all that its tile has seen. agent: 0 where it has several."""
        for cell in tile.some.tolist():
            write, read, others = tile.past(cell)
            if write is None and (kind.update or not writes) and tile.region.space == "shared":
                return False
            pasts = [write, *(p for p in (read, *others) if p is not None and (writes or p.writes))]
            for eye in eyes:
                if any(
                    p is not None and not self._behind(tile.region, p, agent, eye, kind, writes=writes) for p in pasts
                ):
                    return False
        return True

    def _behind(self, region: Region, past: Past, agent: int, eye: Eye, kind: Kind, *, writes: bool) -> bool:
        how = Kind.of(past.info)
        if how.proxy == "texture":
            return False
        culprit = self._unknown(self._clock(region, eye, how, past, writes=writes), past, agent)
        return not culprit or self._strong(how, kind, culprit, agent, eye)

    def locks(self, reached: Reached, agents: Words, eyes: Sequence[Eye], kind: Kind) -> None:
        """An atomic operation that takes a lock, say: with what its threads know before it.

        What clears the lock has to come before that. Who finds the lock given back knows of the one who has cleared it, but
        might have come earlier, and found anything.
        """
        region = reached.region
        where, runs = region.granules(reached.starts, reached.nbytes)
        for g, run in zip(where.tolist(), runs.tolist(), strict=True):
            for past in region.others(g):
                if past.writes and not Kind.of(past.info).strong:
                    self._judge(region, g, past, int(agents[int(run)]), eyes[int(run)], kind, writes=True)

    # -- looking
    def _are_apart(
        self, region: Region, where: NDArray[np.int64], who: Words, kind: Kind, reads: bool, writes: bool
    ) -> bool:
        """Whether an access may stand beside all that was done there, whatever its threads know: all are strong, in scopes of the
        launch, of one size and through one proxy."""
        if not kind.strong or kind.scope not in OF_LAUNCHES or self._textures or self.free is not None:
            return False
        if self.updates and writes and (kind.update or kind.site in self.updates):
            return False  # an update may be lost all the same
        cells = region.cells[where]
        wrote, read = cells[:, shadow.WRITER], cells[:, shadow.READER] * np.uint32(writes)
        if region.space == "shared" and (reads or kind.update) and not wrote.all():
            return False
        infos = {*cells[(wrote != 0) & (wrote != who), shadow.WRITE_INFO].tolist()}
        infos.update(cells[read != 0, shadow.READ_INFO].tolist())
        for g in where[cells[:, shadow.MORE] != 0].tolist():
            infos.update(past.info for past in region.others(g, reads=writes))
        return all(self._alike(Kind.of(info), kind) for info in infos)

    @staticmethod
    def _alike(before: Kind, now: Kind) -> bool:
        wide = before.strong and before.scope in OF_LAUNCHES
        return wide and before.proxy == now.proxy and before.size == now.size

    def _look_at_lanes(
        self, region: Region, where: NDArray[np.int64], who: Words, eye: Eye, now: int, kind: Kind
    ) -> None:
        """Lanes that end an update of two instructions at the same place: all but one of them are lost."""
        order = np.argsort(where, kind="stable")
        same = np.flatnonzero(np.diff(where[order]) == 0)
        pairs = [(where[order[i]], *who[order[i : i + 2]]) for i in same.tolist()]
        for granule, one, other in pairs:
            if one != other:
                past = Past(int(one), 1, now, kind.info, True)
                accesses = (region, int(granule), past, int(one), int(other), kind)
                self.lost(Clash(*accesses, writes=True, fence_missing=False, near="", known=eye.view.clock))
                return

    def _look_at_textures(
        self, region: Region, where: NDArray[np.int64], who: Words, eye: Eye, kind: Kind, *, writes: bool
    ) -> None:
        """.nc loads are for data that nobody writes while the kernel runs, whatever orders the two."""
        cells = region.cells[where]
        if kind.proxy == "texture":
            for i in np.flatnonzero(cells[:, shadow.WRITER])[:1].tolist():
                past = shadow.past_write(cells[i])
                assert past is not None
                self._clash(
                    region, int(where[i]), past, past.agent, int(who[i]), eye, kind=kind, writes=writes, ordered=True
                )
        elif writes:
            for i in np.flatnonzero(cells[:, shadow.READER]).tolist():
                past = shadow.past_read(cells[i])
                if past is not None and Kind.of(past.info).proxy == "texture":
                    self._clash(
                        region, int(where[i]), past, past.agent, int(who[i]), eye, kind=kind, writes=True, ordered=True
                    )
                    return

    def _look(
        self, region: Region, where: NDArray[np.int64], who: Words, eye: Eye, kind: Kind, *, reads: bool, writes: bool
    ) -> None:
        if not writes and len(where) > 2 and (where == where[0]).all():
            # Lanes that know the same read one granule: what is wrong for any of them is wrong for one of the first two.
            where, who = where[:2], who[:2]
        cells = region.cells[where]
        before = cells[:, shadow.WRITER]
        if (reads or kind.update) and region.space == "shared" and not before.all():
            first = int(np.flatnonzero(before == 0)[0])
            self._unwritten(region, int(where[first]), int(who[first]), kind)
            self._has_told(LOST, kind.info)  # once is enough
        other = (before != 0) & (before != who)
        if other.any():
            self._look_at_writes(region, where, who, cells, other, eye=eye, kind=kind, writes=writes)
        if writes:
            there = np.flatnonzero(cells[:, shadow.READER])
            if len(there):
                self._look_at_reads(region, where[there], who[there], cells[there], eye, kind)
        more = np.flatnonzero(cells[:, shadow.MORE])
        for i in more.tolist():
            for past in region.others(int(where[i]), reads=writes):
                self._judge(region, int(where[i]), past, int(who[i]), eye, kind, writes=writes)

    def _look_at_writes(
        self,
        region: Region,
        where: NDArray[np.int64],
        who: Words,
        cells: Words,
        other: NDArray[np.bool_],
        eye: Eye,
        kind: Kind,
        *,
        writes: bool,
    ) -> None:
        before = cells[:, shadow.WRITER]
        plain = other & (before < OPERATION)
        if plain.any():
            agents, times = before[plain].astype(np.int64) - 1, cells[plain, shadow.WRITE_TIME]
            known = self._known(eye.clock_for("generic", wrote=True), agents, times)
            other = other.copy()
            other[np.flatnonzero(plain)[known]] = False
        there = np.flatnonzero(other)
        there = there[self._looked_for(cells[there, shadow.WRITE_INFO], kind)]
        pasts = [Past(agent, 1, time, info, True) for agent, time, info in cells[there, :3].tolist()]
        self._judge_each(region, where[there], who[there], pasts, eye, kind, writes=writes)

    def _judge_each(
        self,
        region: Region,
        where: NDArray[np.int64],
        who: Words,
        pasts: Sequence[Past],
        eye: Eye,
        kind: Kind,
        *,
        writes: bool,
    ) -> None:
        """Earlier accesses against those at hand, each pair once, however many granules they share."""
        seen: set[tuple[Past, int]] = set()
        sure: dict[Past, bool] = {}
        for granule, agent, past in zip(where.tolist(), who.tolist(), pasts, strict=True):
            if past not in sure:
                sure[past] = self._surely_before(region, past, eye, writes=writes)
            key = past, agent
            if sure[past] or key in seen:
                continue
            seen.add(key)
            if self._judge(region, granule, past, agent, eye, kind, writes=writes) and past.writes:
                seen.discard(key)  # no matter here: its other bytes may be another matter

    def _looked_for(self, infos: Words, kind: Kind) -> NDArray[np.bool_]:
        """Of earlier accesses, those whose instruction has not raced often enough with the one at hand."""
        enough = [info for info in np.unique(infos).tolist() if self._races[info, kind.info] >= ENOUGH]
        return ~np.isin(infos, enough)

    def _surely_before(self, region: Region, past: Past, eye: Eye, *, writes: bool) -> bool:
        """Whether an earlier access is known to be over to whoever has that knowledge."""
        return not self._unknown(self._clock(region, eye, Kind.of(past.info), past, writes=writes), past, 0)

    def _known(self, clock: Clock, agents: NDArray[np.int64], times: Words) -> NDArray[np.bool_]:
        ctas, threads = np.divmod(agents, self.threads.each)
        out = np.zeros(len(agents), bool)
        for cta in np.unique(ctas).tolist():
            known = clock.threads.get(cta)
            if known is not None:
                mine = ctas == cta
                out[mine] = known[threads[mine]] >= times[mine]
        if out.any():
            self.behind.update((agents[out] // LANES).tolist())
        return out

    def _look_at_reads(
        self, region: Region, where: NDArray[np.int64], who: Words, cells: Words, eye: Eye, kind: Kind
    ) -> None:
        rows = cells[:, shadow.READER : shadow.READ_INFO + 1]
        left = np.flatnonzero(~self._known_reads(region, rows, who, eye))
        left = left[self._looked_for(cells[left, shadow.READ_INFO], kind)]
        pasts = [Past(agent, lanes, time, info, False) for agent, lanes, time, info in rows[left].tolist()]
        self._judge_each(region, where[left], who[left], pasts, eye, kind, writes=True)

    def _known_reads(self, region: Region, rows: Words, who: Words, eye: Eye) -> NDArray[np.bool_]:
        """Which of these are reads of one thread through the generic proxy that `who` has made itself, or that are known."""
        agents, lanes, times, info = rows.T
        single = (agents < OPERATION) & (lanes & (lanes - 1) == 0) & (info >> PROXY & 3 == 0)
        out = np.zeros(len(rows), bool)
        at = np.flatnonzero(single)
        if len(at):
            readers = agents[at].astype(np.int64) + np.log2(lanes[at]).astype(np.int64)
            clock = self._clock(region, eye, Kind(0), Past(int(readers[0]), 1, 0, 0, False), writes=True)
            out[at] = (readers == who[at]) | self._known(clock, readers - 1, times[at])
        return out

    def _judge(
        self, region: Region, granule: int, past: Past, agent: int, eye: Eye, kind: Kind, *, writes: bool
    ) -> bool:
        """One earlier access against the one at hand. Returns: whether they clash, and it is no matter."""
        pair = (past.info, kind.info)
        if self._races[pair] >= ENOUGH:
            return False
        how = Kind.of(past.info)
        if "texture" in (how.proxy, kind.proxy):
            return False
        clock = self._clock(region, eye, how, past, writes=writes)
        culprit = self._unknown(clock, past, agent)
        if not culprit:
            if past.agent < OPERATION:
                self.behind.add((past.agent - 1) // LANES)
            return False
        if self._strong(how, kind, culprit, agent, eye, (region, granule)):
            both = [one.update or one.site in self.updates for one in (how, kind)]
            if self.updates and writes and past.writes and all(both) and not (how.update and kind.update):
                accesses = (region, granule, past, culprit, agent, kind)
                self.lost(Clash(*accesses, writes=True, fence_missing=False, near="", known=clock))
            return False
        found = self._found(region, granule, past, agent, eye)
        if found is not None:
            culprit = self._unknown(clock, past, agent, found)
            if not culprit:
                return False
        ordered = not self._unknown(eye.view.clock, past, agent, found)
        harmless = self._clash(region, granule, past, culprit, agent, eye, kind=kind, writes=writes, ordered=ordered)
        if not harmless:
            self._races[pair] += 1
            if self._races[pair] == ENOUGH:
                self._has_told(*pair)
            if writes:
                self._open.append((granule, past))
        return harmless

    def _clock(self, region: Region, eye: Eye, how: Kind, past: Past, *, writes: bool) -> Clock:
        """What somebody knows of an earlier access.

        The async proxies of two CTAs are two, and a fence has to join them, too. What is multicast counts as written in the proxy
        of the CTA that gets it.
        """
        if eye.fenced is not None and past.writes and past.agent & OPERATION and how.proxy == "async":
            one = self.threads.operation(past.agent)
            if one.at.cta != eye.at.cta and not one.spread:
                return eye.fenced
        clock = eye.clock_for(how.proxy, wrote=past.writes)
        if eye.view.freed is START or self._strict or not isinstance(region.key, Cta):
            return clock
        if past.writes and not (writes and eye.fenced is not None and past.agent & OPERATION):
            return clock  # what a thread wrote may still be on its way
        return joined(clock, eye.view.freed_in(region.key.index))

    def _clash(
        self,
        region: Region,
        granule: int,
        past: Past,
        culprit: int,
        agent: int,
        eye: Eye,
        kind: Kind,
        *,
        writes: bool,
        ordered: bool,
    ) -> bool:
        near = next((code for code, known in eye.view.near.items() if not self._unknown(known, past, agent)), "")
        who = (region, granule, past, culprit, agent, kind)
        known = eye.view.clock
        return self._clashed(Clash(*who, writes=writes, fence_missing=ordered, near=near, known=known))

    def _unknown(self, clock: Clock, past: Past, agent: int, found: Callable[[Seen], bool] | None = None) -> int:
        """Who of an earlier access is not known to have come before; 0 if all are, or it is the same thread."""
        if past.agent & OPERATION:
            if past.agent == agent:
                return 0
            one = self.threads.operation(past.agent)
            if one.copy:
                return 0 if self.threads.copy_over(one, past, clock, agent) else past.agent
            known = clock.is_done(one.cluster, one.number) if past.writes else clock.has_read(one.cluster, one.number)
            return 0 if known or (found is not None and found((0, past.agent))) else past.agent
        cta, thread = self.threads.thread(past.agent)
        times = clock.threads.get(cta)
        for lane in lanes_of(past.lanes):
            who = past.agent + lane
            if (
                who != agent
                and (times is None or times[thread + lane] < past.time)
                and (found is None or not found((past.time, who - 1)))
            ):
                return who
        return 0

    def _found(self, region: Region, granule: int, past: Past, agent: int, eye: Eye) -> Callable[[Seen], bool] | None:
        """Tells of a write to a place whether strong reads have found it: then it came before who looks now."""
        place = (region.key, granule * region.granule)
        how = Kind.of(past.info)
        if not past.writes or (past.agent & OPERATION and not (how.update and how.proxy == "generic")):
            return None
        self._before_read((place,))
        if not self._reads_from.any_at(place):
            return None
        clock = eye.fenced or eye.before or eye.view.clock
        thread = -1 if agent & OPERATION else agent - 1
        return lambda write: self._reads_from.knows(place, write, clock, thread, self.threads.each)

    def has_found(self, region: Region, granule: int, past: Past, clock: Clock) -> bool:
        """Whether strong reads that a clock knows of have found a write to a place, by all threads that made it."""
        place = (region.key, granule * region.granule)
        self._before_read((place,))
        writes = [(past.time, past.agent - 1 + lane) for lane in lanes_of(past.lanes)]
        return all(self._reads_from.knows(place, write, clock, -1, self.threads.each) for write in writes)

    def _strong(
        self, before: Kind, now: Kind, culprit: int, agent: int, eye: Eye, place: tuple[Region, int] | None = None
    ) -> bool:
        """Whether the two are morally strong."""
        if not (before.strong and now.strong) or before.proxy != now.proxy:
            return False
        if before.size != now.size and not (before.update and now.update and now.proxy == "async"):
            return False
        met = self.threads.position(culprit).meets(before.scope, eye.at, now.scope)
        if met and self.free is not None:
            self.free(before.site, now.site, culprit, agent, None if place is None else _word(*place))
        return met

    def _has_told(self, before: int, now: int) -> None:
        """Races of two kinds of accesses have been found often enough: machine code takes more of them for ordered. `before`: LOST
        for reads of what nobody has written."""
        header = self._arena.header
        if (before, now) not in self._told and len(self._told) < MOST_REPORTED:
            self._told.add((before, now))
            pair = header.reported[header.reported_count]
            pair.before, pair.now = before, now
            header.reported_count += 1

    # -- taking down
    def _note_reads(
        self,
        region: Region,
        where: NDArray[np.int64],
        who: Words,
        runs: NDArray[np.int64],
        eyes: Sequence[Eye],
        now: int,
        kind: Kind,
    ) -> None:
        info = kind.info
        if len(who) and who[0] & OPERATION:
            bases, bits = who, np.full(len(who), 1, np.uint32)
        else:
            lanes = (who - 1) % 32
            bases, bits = who - lanes, np.uint32(1) << lanes
        unique, first, back = np.unique(where, return_index=True, return_inverse=True)
        masks = np.zeros(len(unique), np.uint32)
        np.bitwise_or.at(masks, back, bits.astype(np.uint32))
        base = bases[first]
        cells = region.cells[unique]
        same = (
            (cells[:, shadow.READER] == base)
            & (cells[:, shadow.READ_TIME] == now)
            & (cells[:, shadow.READ_INFO] == info)
        )
        empty = cells[:, shadow.READER] == 0
        for i in np.flatnonzero(~(same | empty)).tolist():
            eye = eyes[int(runs[first[i]])]
            past = shadow.past_read(cells[i])
            assert past is not None
            if not self._superseded(past, int(base[i]), int(masks[i]), eye, kind):
                region.remember(int(unique[i]), past)
        lanes_now = np.where(same, cells[:, shadow.READ_LANES] | masks, masks)
        for word, value in (
            (shadow.READER, base),
            (shadow.READ_LANES, lanes_now),
            (shadow.READ_TIME, now),
            (shadow.READ_INFO, info),
        ):
            region.cells[unique, word] = value

    def _superseded(self, past: Past, base: int, lanes: int, eye: Eye, kind: Kind) -> bool:
        """Whether who is ordered behind the new read is so behind the old one, too: then the old one need not be kept."""
        if past.info >> shadow.SITE_BITS != kind.info >> shadow.SITE_BITS:
            return False
        if past.agent == base and past.lanes & ~lanes == 0:
            return True
        if base & OPERATION:  # who waits for an operation does not wait for what its thread did before
            one = self.threads.operation(base)
            return bool(past.agent & OPERATION) and one.in_turn(self.threads.operation(past.agent))
        return not self._unknown(eye.view.clock, past, 0)

    def _note_writes(self, region: Region, where: NDArray[np.int64], who: Words, now: int, kind: Kind) -> None:
        by_operation = self._strict and len(who) and who[0] & OPERATION
        if kind.strong or by_operation:  # who waits for an operation does not wait for what its thread did before
            self._keep(region, where, kind)
        else:
            region.cells[where, shadow.READER] = 0
            region.forget(where)
        region.write(where, who, now, kind.info)

    def _keep(self, region: Region, where: NDArray[np.int64], kind: Kind) -> None:
        """Accesses that may stand beside this one unordered: later ones have to be ordered behind each of them.

        A write whose instruction has raced often enough with the one at hand is taken for ordered, and not kept.
        """
        cells = region.cells
        cells[where[~self._looked_for(cells[where, shadow.WRITE_INFO], kind)], shadow.WRITER] = 0
        # strong ones: also of the thread's own, as who is in the scope of this one, or has seen it, need not be so with that
        region.keep(np.unique(where))


def _word(region: Region, granule: int) -> tuple[object, int]:
    """A granule as certificates name it."""
    return word_of((region.key, granule * region.granule))
