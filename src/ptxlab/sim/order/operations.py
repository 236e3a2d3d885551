"""Asynchronous operations: what comes before each, what it touches, and who knows that it is over."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ptxlab.isa.action import Action
from ptxlab.sim.engine.compiled import frame as F
from ptxlab.sim.engine.machine.naming import lanes_of
from ptxlab.sim.engine.machine.operation import Footprint, Operation, Place, Stage
from ptxlab.sim.engine.machine.resident import Cluster, Cta, Warp
from ptxlab.sim.engine.machine.trap import TrapContext
from ptxlab.sim.order.accesses import Accesses
from ptxlab.sim.order.clocks import Clock, over, sources_read
from ptxlab.sim.order.core import Core
from ptxlab.sim.order.eyes import Eye
from ptxlab.sim.order.findings.findings import stored_bytes
from ptxlab.sim.order.knowledge import Position, Team, threads_of
from ptxlab.sim.order.native.arena import PARTS
from ptxlab.sim.order.native.state import COPY, MOST_COPIES, UPDATED, Copy
from ptxlab.sim.order.parts import parts
from ptxlab.sim.order.places import Reached
from ptxlab.sim.order.shadow import OPERATION, Kind
from ptxlab.sim.order.sites import operation_kind
from ptxlab.sim.order.tables import Tables
from ptxlab.sim.order.threads import Started
from ptxlab.sim.order.views import NOTHING, View

if TYPE_CHECKING:
    from ptxlab.ptx.program import Op

_MOST_OVERS = 32


@dataclass(slots=True)
class Issued:
    """An operation under way: its numbers for clocks, from the first on: for each lane, for each CTA that it writes to, or one.

    base: the first of its numbers in the launch. view: what its threads knew; NOTHING as long as that is only noted.

    copies: of an arrival behind copies, what stands for those in clocks.
    """

    operation: Operation
    cluster: int
    first: int
    by_lane: bool
    base: int
    started: int
    tiles: tuple[Cta, ...]
    view: View = NOTHING
    waited: bool = False
    copies: int = 0

    def bits(self, lanes: int) -> int:
        """What stands for it in clocks, where these lanes are concerned."""
        return (lanes if self.by_lane else (1 << max(1, len(self.tiles))) - 1) << self.first

    def agents(self, lanes: int) -> list[int]:
        """What stands for it in shadow memory, where these lanes are concerned."""
        if self.by_lane:
            whole = self.started - ((self.operation.lanes & -self.operation.lanes).bit_length() - 1)
            return [whole + lane for lane in lanes_of(lanes)]
        return [self.started + i for i in range(max(1, len(self.tiles)))]

    def bits_at(self, lanes: int, cta: Cta) -> int:
        """The same where it is over as far as an mbarrier of this CTA tells: of a multicast, its own tile."""
        return 1 << self.first + self.part_at(cta) if cta in self.tiles else self.bits(lanes)

    def part_at(self, cta: Cta) -> int:
        """The number of the part that a CTA gets: of a multicast its own tile, of all else the only one."""
        return self.tiles.index(cta) if self.tiles else 0


class Operations:
    """Follows asynchronous operations, and the mbarriers that they complete on."""

    def __init__(self, core: Core, accesses: Accesses) -> None:
        self._core, self._accesses = core, accesses
        self._issued: dict[int, Issued] = {}
        self._counts: dict[int, int] = {}
        self._copies: dict[tuple[Warp, int], int] = {}
        self._tables = Tables(core)
        self._copied = parts().copied
        self._last: tuple[Operation, int] | None = None
        self._repeated = range(0)
        self._kinds: dict[tuple[int, str, bool], Kind] = {}
        self._overs: dict[tuple[int, int, Stage], View] = {}
        self._excess: set[tuple[int, int]] = set()
        self._updating: list[Issued] = []

    def forget(self, cluster: Cluster) -> None:
        """A cluster has ended: whoever has not waited for its own operations by then does not do so any more."""
        for number in [n for n, one in self._issued.items() if one.operation.cluster is cluster]:
            issued = self._issued.pop(number)
            if not issued.waited and self.awaitable(issued.operation.op):
                self._core.findings.never_waited(issued.operation.op, issued.started)

    def awaitable(self, op: Op) -> bool:
        """Whether the thread that starts such an operation is to wait for it, by a group."""
        end = self._core.action(op).completion
        return end is not None and end.mechanism.endswith("-group")

    def issued(self, operation: Operation) -> None:
        """An operation starts."""
        self._core.polls.changed()
        if self._core.lazy and self._can_be_noted(operation):
            self._notes(operation)
            return
        warp, op = operation.warp, operation.op
        # of several warps that join an operation, the first may wait at a barrier by now
        team = self._core.team(warp.cta) if operation.group else self._core.team_of(warp)
        site = self._core.numbers[id(op)]
        action = self._core.action(op)
        issued = self._enter(operation, team.at)
        base = issued.base
        views = self._issuer_views(operation, team)
        issued.view = views[0]
        if getattr(op.inst.form.effect, "after", None) is not None:
            mine = [self._copies.get((warp, one), 0) for one in lanes_of(operation.lanes)]
            issued.copies = functools.reduce(int.__or__, mine, 0)
        for part, footprint, writes in self._parts(operation, issued):
            kind = self._kind(site, action, footprint.proxy, writes=writes)
            self._touches(footprint, team, views, base + part, issued.by_lane, kind, writes=writes)
            if kind.update and footprint.proxy == "generic":
                self._updating.append(issued)
                # atomic operations before this one, which machine code has seen to, are made known; later ones are not left to
                # it: they come before this one, or behind
                for place in self._words(footprint, kind):
                    self._core.deferred.flush(place)
                self._core.knowledge.releases(team.at.cta, range(team.threads))
                self._core.arena.header.released |= UPDATED

    def _enter(self, operation: Operation, at: Position) -> Issued:
        """Give an operation its numbers, and its places in tables."""
        warp, op = operation.warp, operation.op
        site, action = self._core.numbers[id(op)], self._core.action(op)
        by_lane = action.completion is not None and action.completion.mechanism == "cp.async-group"
        cluster = warp.cta.cluster.index
        first = self._counts.get(cluster, 0)
        tiles = _tiles(operation)
        parts = PARTS if by_lane else max(1, len(tiles))
        self._counts[cluster] = first + parts
        started = self._core.threads.started
        base = len(started)
        lane = (operation.lanes & -operation.lanes).bit_length() - 1
        group = action.completion.mechanism if self.awaitable(op) and action.completion is not None else ""
        content = 0 if by_lane or operation.group else self._content(operation, site, action)
        for i in range(parts):
            one = i if by_lane else lane
            started.append(
                Started(
                    site,
                    at,
                    cluster,
                    number=first + i,
                    warp=warp.index,
                    lane=one,
                    group=group,
                    spread=bool(tiles),
                    signals=operation.signals,
                    content=content,
                )
            )
        turn = (group, at, warp.index, -1 if by_lane else lane) if group else None
        self._tables.enter(base, parts, at.cta, cluster, first, turn)
        if by_lane:
            for one in lanes_of(operation.lanes):
                self._copies[warp, one] = self._copies.get((warp, one), 0) | 1 << first + one
        issued = self._issued[operation.number] = Issued(
            operation, cluster, first, by_lane, base, started=OPERATION | base + (lane if by_lane else 0), tiles=tiles
        )
        self._core.findings.at = (warp, op)
        self._repeats(operation, content, range(base, base + parts))
        return issued

    def _content(self, operation: Operation, site: int, action: Action) -> int:
        """What `Started.content` says of an operation."""
        writes = operation.writes
        if not writes or self._kind(site, action, writes[0].proxy, writes=True).update:
            return 0
        if operation.reads:
            both = (*operation.reads, *writes)
            return hash((site, *((f.cta, f.starts.tobytes(), f.nbytes.tobytes()) for f in both)))
        values = stored_bytes(operation.warp, operation.op)
        if values is None or any(f.lanes is None for f in writes):
            return 0
        stored = {
            (f.cta, start, value.tobytes())
            for f in writes
            for start, value in zip(f.starts.tolist(), values[f.lanes], strict=True)
        }
        return hash((site, frozenset(stored)))

    # -- operations that Python hears of when it has to judge something
    def _can_be_noted(self, operation: Operation) -> bool:
        """Whether an operation is one of a single thread, and nobody has published anything in what it may write."""
        completion = self._core.action(operation.op).completion
        plain = completion is not None and completion.mechanism in ("mbarrier", "bulk-group")
        return plain and not operation.group and not self._overwrites_flags(operation)

    def _overwrites_flags(self, operation: Operation) -> bool:
        """Whether somebody has published something in what an operation writes."""
        written, deferred = self._core.knowledge.written, self._core.deferred
        if not deferred.waits() and not written:
            return False
        found = (r for f in operation.writes if f.proxy != "tensormap" for r, _ in self._found(f))
        return any(written.within(reached) or deferred.has_any(reached) for reached in found)

    def _notes(self, operation: Operation) -> None:
        """An operation starts: machine code judges what it accesses, and Python what that is not sure of."""
        core, warp, op, cta = self._core, operation.warp, operation.op, operation.warp.cta
        at = core.place(cta)
        site, action, issued = core.numbers[id(op)], core.action(op), self._enter(operation, at)
        pc, slot = core.points[site], core.slots[cta.slot]
        item = core.keep(cta, operation)
        if core.arena.native.issue(slot, warp.index, operation.lanes, pc, item):
            core.team(cta)
        self._tables.shows_anew()
        left: list[tuple[int, Footprint, bool]] = []
        repeats = self._tell_alike(issued.base)
        for part, footprint, writes in self._parts(operation, issued):
            kind = self._kind(site, action, footprint.proxy, writes=writes)
            home = cta if footprint.cta is None else footprint.cta
            mine, there = home is cta or bool(issued.tiles), slot if home is cta else core.slots[home.slot]
            if not mine or not self._tables.noted(
                footprint, there, OPERATION | issued.base + part, kind, writes=writes
            ):
                left.append((part, footprint, writes))
        if repeats:
            self._forget_alike()
        for part, footprint, writes in left:
            team = core.team(cta)  # it has taken the note of this operation, too
            core.findings.at = (warp, op)
            kind = self._kind(site, action, footprint.proxy, writes=writes)
            self._touches(footprint, team, [issued.view], issued.base + part, by_lane=False, kind=kind, writes=writes)

    @staticmethod
    def _parts(operation: Operation, issued: Issued) -> Iterable[tuple[int, Footprint, bool]]:
        """What an operation reads and writes, with the number of the part that does: of a multicast each tile is one."""
        tiles = len(issued.tiles)
        parts = [(i, f, False) for f in operation.reads if f.proxy != "tensormap" for i in range(tiles or 1)]
        parts += [(i if tiles else 0, f, True) for i, f in enumerate(operation.writes) if f.proxy != "tensormap"]
        return parts

    def was_issued(self, operation: Operation) -> None:
        """Take the note that an operation has started."""
        issued = self._issued.get(operation.number)
        if issued is not None:
            team = self._core.team_of(operation.warp)
            issued.view = self._core.knowledge.publish(team, threads_of(operation.warp.index, operation.lanes))

    def counts_later(self, operation: Operation, place: Place, phase: int) -> None:
        """An operation counts in a phase, which Python hears of later."""
        core, warp, cta = self._core, operation.warp, operation.warp.cta
        core.polls.changed()
        issued = self._issued.get(operation.number)
        if issued is None:
            return
        issued.waited = True
        item = core.keep(cta, (operation, place, phase))
        pc, slot = core.points[core.numbers[id(operation.op)]], core.slots[cta.slot]
        too_much = self._brings_too_much(operation, place)
        if too_much:
            self._excess.add((operation.number, phase))
        near = self._ends_at(operation, place).cta == place.cta.index
        entry = self._tables.place(issued.base + issued.part_at(place.cta)) if near and not too_much else 0
        words = (core.slots[place.cta.slot], warp.index, operation.lanes, pc, item, place.offset, phase, entry)
        if core.arena.native.complete(slot, *words) or too_much:
            core.team(cta)

    def _repeats(self, operation: Operation, content: int, numbers: range) -> None:
        """Note the operations, by number, that lanes have issued together with this one, if all of them do the same."""
        if self._last is not None and content:
            last, known = self._last
            if last.warp is operation.warp and last.number + 1 == operation.number and known == content:
                numbers = range(self._repeated.start, numbers.stop)
        self._last, self._repeated = (operation, content), numbers

    def copies(self, warp: Warp, mask: int, op: Op) -> None:
        """Lanes start copies by cp.async that machine code follows, but cannot say that they are in order."""
        self._core.polls.changed()
        team, arena = self._core.team_of(warp), self._core.arena
        ctx = TrapContext(self._core.machine, warp.cta.cluster, warp.cta, warp, mask=mask, op=op)
        view = self._core.knowledge.publish(team, threads_of(warp.index, mask))
        place = arena.header.latest_copy
        arena.copy_at(place).time = self._core.knowledge.now
        self._core.findings.at = (warp, op)
        site, action = self._core.numbers[id(op)], self._core.action(op)
        for footprints, writes in zip(self._copied(ctx, op), (False, True), strict=True):
            for footprint in footprints:
                kind = self._kind(site, action, footprint.proxy, writes=writes)
                self._touches(footprint, team, [view], COPY | place << 5, by_lane=True, kind=kind, writes=writes)

    def product(self, operation: Operation) -> None:
        """A warpgroup multiplies: machine code follows that, but cannot say yet that what is read is in order."""
        self._core.polls.changed()
        warp, op, arena = operation.warp, operation.op, self._core.arena
        site = self._core.numbers[id(op)]
        state = warp.cta.slot.products[warp.index // F.P_WARPS * F.GROUP_BYTES :]
        number = int(state[F.P_DONE : F.P_DONE + 4].view(np.uint32)[0])
        slot = self._core.slots[warp.cta.slot]
        if self._tables.judge_product(operation, slot, self._core.points[site], number):
            return
        team = self._core.team(warp.cta)
        arena.native.begin_product(slot, warp.index, site, number)
        place, action = arena.header.latest_copy, self._core.action(op)
        self._core.findings.at = (warp, op)
        views = self._issuer_views(operation, team)
        for footprint in operation.reads:
            kind = self._kind(site, action, footprint.proxy, writes=False)
            self._touches(footprint, team, views, COPY | place << 5, by_lane=False, kind=kind, writes=False)

    def joined(self, warp: Warp, since: int) -> Iterable[tuple[int, int]]:
        """Of products that a warp has joined since then, and that machine code follows, who has waited for them, and when."""
        arena, first = self._core.arena, warp.index // F.P_WARPS * F.P_WARPS
        base = self._core.threads.agent(self._core.place(warp.cta).cta, 32 * first)
        rows = Copy.array(arena.words, arena.copies, MOST_COPIES)
        rows = rows[: max(1, arena.header.next_copy)] if not rows["time"][-1] else rows
        mine = (rows["warp"] == base) & (rows["product"] != 0) & (rows["time"] >= since)
        for ends in rows["ends"][mine, : F.P_WARPS].tolist():
            yield from ((first + member, end) for member, end in enumerate(ends) if end)

    def end(self) -> None:
        """The launch is over: nobody waits any more for copies of CTAs that have ended."""
        for number in self._core.copies.all:
            agent = self._core.arena.site(number).unwaited
            if agent:
                self._core.findings.never_waited(self._core.machine.image.ops[number], agent)

    def _kind(self, site: int, action: Action, proxy: str, *, writes: bool) -> Kind:
        """How an operation accesses memory."""
        key = (site, proxy, writes)
        found = self._kinds.get(key)
        if found is None:
            found = self._kinds[key] = operation_kind(site, action, proxy, writes=writes)
        return found

    def knows_at_issue(self, operation: Operation) -> View | None:
        """What the threads that issued an operation knew then; None where it is not under way."""
        issued = self._issued.get(operation.number)
        return None if issued is None else issued.view

    def in_clocks(self, operation: Operation) -> tuple[int, dict[int, int]]:
        """What stands for an operation that has just been issued in clocks: its cluster, and bits by lane."""
        issued = self._issued[operation.number]
        return issued.cluster, {lane: issued.bits(1 << lane) for lane in lanes_of(operation.lanes)}

    def is_over(self, operation: Operation, clock: Clock) -> bool:
        """Whether a clock knows that an operation is over."""
        issued = self._issued.get(operation.number)
        if issued is None:
            return True
        bits = issued.bits(operation.lanes)
        return clock.done.get(issued.cluster, 0) & bits == bits

    def has_read(self, operation: Operation, clock: Clock) -> bool:
        """Whether a clock knows that an operation has read its sources and its tensor map: `wait_group.read` is enough."""
        issued = self._issued.get(operation.number)
        if issued is None:
            return True
        bits = issued.bits(operation.lanes)
        known = clock.done.get(issued.cluster, 0) | clock.read.get(issued.cluster, 0)
        return known & bits == bits

    def _issuer_views(self, operation: Operation, team: Team) -> list[View]:
        """What comes before an operation: what its threads did before issuing it.

        Of wgmma, what each of its warps knew at its last wgmma.fence: any of them may be the first to get to the operands.
        """
        if len(operation.warps) > 1:
            views = [self._core.fenced.get(warp, NOTHING) for warp in operation.warps]
            return list({id(view): view for view in views}.values())
        return [self._core.knowledge.publish(team, threads_of(operation.warp.index, operation.lanes))]

    def _touches(
        self,
        footprint: Footprint,
        team: Team,
        views: Sequence[View],
        base: int,
        by_lane: bool,
        kind: Kind,
        *,
        writes: bool,
    ) -> None:
        if writes and not kind.update and (self._core.deferred.waits() or self._core.knowledge.written):
            for reached, _ in self._found(footprint):
                self._core.deferred.overwritten(reached)
                self._core.knowledge.overwrite(reached)
        if not by_lane and self._in_order(footprint, team, views, OPERATION | base, kind, writes=writes):
            return
        lanes = footprint.lanes if by_lane and footprint.lanes is not None else np.zeros(len(footprint.starts), np.int8)
        agents = (base + lanes.astype(np.int64) | OPERATION).astype(np.uint32)
        home, proxy = footprint.cta and footprint.cta.index, footprint.proxy
        fenced = [view.let_through(team.at.cta, home) if proxy == "async" else None for view in views]
        eyes = [Eye(team.at, view, proxy, known, self._core.strict) for view, known in zip(views, fenced, strict=True)]
        for reached, runs in self._found(footprint):
            self._accesses.mbarriers_there(reached, agents[runs], kind, writes=writes)
            self._core.checks.by_operation(reached, agents[runs], eyes, self._core.knowledge.now, kind, writes=writes)

    def _in_order(
        self, footprint: Footprint, team: Team, views: Sequence[View], agent: int, kind: Kind, *, writes: bool
    ) -> bool:
        """Whether native code has found an access in order."""
        repeats = self._tell_alike(agent & ~OPERATION)
        sure = self._tables.in_order(footprint, team, views, agent, kind, writes=writes)
        if repeats:
            self._forget_alike()
        return sure

    def _tell_alike(self, number: int) -> bool:
        """Tell native code which operations are the same copy as this one, by other lanes. Returns whether there are any."""
        again = self._repeated
        if self._core.strict or len(again) <= 1 or number not in again:
            return False
        header = self._core.arena.header
        header.alike_first, header.alike_last = OPERATION | again.start, OPERATION | again.stop - 1
        return True

    def _forget_alike(self) -> None:
        """What native code judges by itself is by no other lane."""
        header = self._core.arena.header
        header.alike_first = header.alike_last = 0

    def _found(self, footprint: Footprint) -> Iterable[tuple[Reached, NDArray[np.int64]]]:
        numbers = np.arange(len(footprint.starts))
        if footprint.cta is not None:
            region = self._core.regions.shared.get(footprint.cta)
            if region is not None:
                yield Reached(region, numbers, footprint.starts, footprint.nbytes), numbers
            return
        for reached in self._core.regions.in_global(numbers, footprint.starts.astype(np.uint64), footprint.nbytes):
            yield reached, reached.lanes

    def waits_later(self, warp: Warp, operations: Sequence[tuple[Operation, int]], stage: Stage) -> None:
        """Lanes have waited for operations by groups, which Python hears of later."""
        core, lanes = self._core, 0
        core.polls.changed()
        for operation, which in operations:
            issued, lanes = self._issued.get(operation.number), lanes | which
            if issued is not None and which & operation.lanes:
                issued.waited = True
                lane = (which & -which).bit_length() - 1
                thread = core.threads.agent(core.place(warp.cta).cta, 32 * warp.index + lane)
                self._tables.waited(issued.agents(which & operation.lanes), thread, reads=stage is Stage.READ)
        op = operations[0][0].op
        core.note(warp, lanes, op, F.NOTE_WAITED, core.keep(warp.cta, (operations, stage)))

    def waited(self, warp: Warp, operations: Sequence[tuple[Operation, int]], stage: Stage) -> None:
        """Lanes have waited for operations by groups."""
        self._core.polls.changed()
        team = self._core.team_of(warp)
        by_lanes: dict[int, int] = {}
        cluster = warp.cta.cluster.index
        first = self._core.threads.agent(team.at.cta, 32 * warp.index)
        for operation, lanes in operations:
            issued = self._issued.get(operation.number)
            if issued is None:
                continue
            issued.waited = True
            self._tables.waited(issued.agents(lanes & operation.lanes), first, reads=stage is Stage.READ)
            if issued.by_lane:
                for lane in lanes_of(lanes & operation.lanes):
                    by_lanes[1 << lane] = by_lanes.get(1 << lane, 0) | issued.bits(1 << lane)
            else:
                by_lanes[lanes] = by_lanes.get(lanes, 0) | issued.bits(lanes)
        for lanes, bits in by_lanes.items():
            self._core.knowledge.learn(team, threads_of(warp.index, lanes), self._over(cluster, bits, stage))

    def _over(self, cluster: int, bits: int, stage: Stage) -> View:
        """That operations are over, or have read. Warps wait for the same ones after each other: they are told the same view."""
        key = (cluster, bits, stage)
        found = self._overs.get(key)
        if found is None:
            if len(self._overs) >= _MOST_OVERS:
                self._overs.clear()
            known = sources_read(cluster, bits) if stage is Stage.READ else over(cluster, bits)
            found = self._overs[key] = View(known)
        return found

    def mbarrier_completed(self, operation: Operation, place: Place, phase: int) -> None:
        """An operation counts in a phase."""
        self._core.polls.changed()
        issued = self._issued.get(operation.number)
        if issued is None:
            return
        team = self._core.knowledge.teams.get(operation.warp.cta.index)
        if team is None:
            return
        issued.waited = True
        known = over(issued.cluster, issued.bits_at(operation.lanes, place.cta))
        after = getattr(operation.op.inst.form.effect, "after", None)
        if after is not None:  # an arrival behind the thread's copies: it publishes them
            for one in self._issued.values():
                if one.by_lane and one.bits(one.operation.lanes) & issued.copies:
                    one.waited = True
            known = over(issued.cluster, issued.copies)
        if self._core.beside is not None:
            known = self._core.beside.ends(issued.view, known)
        self._core.findings.at = (operation.warp, operation.op)
        asynchronous = getattr(operation.op.inst.form.effect, "proxy", "generic") == "async"
        self._core.mbarriers.used_by_operation(team.at, issued.view, place, issued.started, asynchronous=asynchronous)
        excess = (
            (operation.number, phase) in self._excess if self._core.lazy else self._brings_too_much(operation, place)
        )
        if excess:
            return
        ends_at = self._ends_at(operation, place)
        self._core.mbarriers.complete(place, phase, known, ends_at)
        number = self._core.mbarriers.number(place)
        if number is not None and after is None and ends_at.cta == place.cta.index:
            self._tables.ends(issued.base + issued.part_at(place.cta), number, phase, place.cta.index)

    def show_updates(self) -> None:
        """Somebody looks for what strong writes have published: operations that change words atomically through the generic proxy
        (red.async) are among them once they have written. Who finds such a word comes behind the operation."""
        for issued in [one for one in self._updating if one.operation.stage >= Stage.WRITTEN]:
            self._updating.remove(issued)
            operation = issued.operation
            site, action = self._core.numbers[id(operation.op)], self._core.action(operation.op)
            at = self._core.place(operation.warp.cta)
            for footprint in operation.writes:
                kind = self._kind(site, action, footprint.proxy, writes=True)
                for place in self._words(footprint, kind):
                    self._core.knowledge.updated(place, at, kind.scope, (0, issued.started))

    def _words(self, footprint: Footprint, kind: Kind) -> Iterator[tuple[object, int]]:
        """The words that an operation changes atomically."""
        for reached, _ in self._found(footprint):
            for start, nbytes in zip(reached.starts.tolist(), reached.nbytes.tolist(), strict=True):
                for offset in range(start, start + nbytes, kind.size):
                    yield reached.region.key, offset

    def _brings_too_much(self, operation: Operation, place: Place) -> bool:
        """Whether an operation brings more bytes than the phase lacks: that ends before the last of them are there."""
        lacks = self._core.mbarriers.lacks(place)
        return 0 < lacks < sum(int(f.nbytes.sum()) for f in operation.writes if f.cta is place.cta)

    def _ends_at(self, operation: Operation, place: Place) -> Position:
        """From where an operation releases what it did, which scopes of waits have to reach: its issuer's CTA.

        What is multicast counts as coming from the CTA that gets it: everybody waits for it with the scope of the CTA.
        """
        cta = place.cta if _tiles(operation) and not self._core.strict else operation.warp.cta
        return Position(cta.index, cta.cluster.index)


def _tiles(operation: Operation) -> tuple[Cta, ...]:
    """The CTAs that a multicast writes to: it is an operation for each. None of anything else."""
    if len(operation.cluster.ctas) == 1:
        return ()
    ctas = [f.cta for f in operation.writes if f.cta is not None]
    return tuple(ctas) if len(ctas) > 1 and len(ctas) == len(operation.writes) == len(set(ctas)) else ()
