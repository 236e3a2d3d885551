"""cp.async: small copies of each thread, and the groups that complete them.

A copy is kept for its whole warp. Each lane counts its own commits, so lanes that diverged have their own groups.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ptxlab.diag import Diagnostic
from ptxlab.sim.engine.compiled import frame as F
from ptxlab.sim.engine.compiled.address import shared_address
from ptxlab.sim.engine.machine.faults import name_of
from ptxlab.sim.engine.machine.naming import lanes_of
from ptxlab.sim.engine.machine.operation import Footprints, Operation, Stage
from ptxlab.sim.engine.machine.resident import lane_bits
from ptxlab.sim.engine.machine.trap import DONE, Outcome, trap, unit
from ptxlab.sim.engine.units import handover
from ptxlab.sim.engine.units.groups import Groups
from ptxlab.sim.engine.units.operands import immediate, pending
from ptxlab.sim.engine.units.place import Place, check_shared, lane_places
from ptxlab.sim.engine.units.touches import by_lanes, proxy_of
from ptxlab.sim.engine.units.trace import Timeline
from ptxlab.sim.families.mbarrier.unit import Mbarriers

if TYPE_CHECKING:
    from ptxlab.ptx.program import Op
    from ptxlab.sim.engine.machine.resident import Cta, Warp
    from ptxlab.sim.engine.machine.trap import TrapContext


class WarpCopies:
    """The copies of a warp that are under way.

    Attributes:
        committed: groups that each lane has committed.
        copies: (operation, lanes, group number of each lane), oldest first.
    """

    __slots__ = ("committed", "copies")

    def __init__(self) -> None:
        self.committed = np.zeros(32, np.int64)
        self.copies: list[tuple[Operation, NDArray[np.bool_], NDArray[np.int64]]] = []


@unit
class AsyncCopies(Groups[WarpCopies]):
    """cp.async copies of all warps."""

    def add(self, warp: Warp, operation: Operation, lanes: NDArray[np.bool_]) -> None:
        """An issued copy of these lanes; it belongs to the group that each lane commits next."""
        if operation.stage < Stage.COMPLETE:
            state = self.of.setdefault(warp, WarpCopies())
            state.copies.append((operation, lanes, state.committed.copy()))
        if self.backlog is not None:
            self.backlog.add(operation)

    def wait(self, ctx: TrapContext, pending: int | None) -> None:
        """Carry out all but the latest `pending` groups of the executing lanes; everything with None."""
        state = self.of.get(ctx.warp)
        if state is not None:
            for operation, movers, group in state.copies:
                mine = movers & ctx.lane_mask
                if mine.any() and (pending is None or (group < state.committed - pending)[mine].any()):
                    self.engine.advance(operation)
            state.copies = [entry for entry in state.copies if entry[0].stage < Stage.COMPLETE]
        self.waited(ctx, pending, Stage.COMPLETE, "cp.async wait")

    def outstanding(self, warp: Warp, lanes: NDArray[np.bool_]) -> list[Operation]:
        """The operations of these lanes that are not complete."""
        state = self.of.get(warp)
        if state is None:
            return []
        return [o for o, movers, _ in state.copies if o.stage < Stage.COMPLETE and (movers & lanes).any()]

    def taken_over(self, cta: Cta) -> None:
        where = self.machine.env.get64(F.E_QUEUE)
        if not where:
            return
        queue = handover.Queue(cta, where)
        for warp in cta.warps:
            self.of.setdefault(warp, WarpCopies()).committed[:] = queue.committed(warp)
        for one in queue.pending():
            if one.size:
                self._take_copy(cta, one)
            else:
                self._take_arrivals(cta, one)
        self.engine.polled_before(cta.cluster, queue.polls if queue.issued else None)

    def _take_copy(self, cta: Cta, one: handover.Queued) -> None:
        sources, size, shared = one.sources(), one.size, cta.shared
        places = one.targets()[:, None] + np.arange(size)

        def write(data: NDArray[np.uint8]) -> None:
            shared[places] = data

        op = self.machine.image.op_at(one.pc)
        operation = Operation(one.warp, one.lanes, op, lambda: handover.read(sources, size), write)
        self.engine.issue(operation)
        self.of[one.warp].copies.append((operation, lane_bits(one.lanes), one.groups))

    def _take_arrivals(self, cta: Cta, one: handover.Queued) -> None:
        op, barriers, where = self.machine.image.op_at(one.pc), self.machine.unit(Mbarriers), Place(cta, one.barrier)
        for lane in lanes_of(one.lanes):
            before = self.outstanding(one.warp, lane_bits(1 << lane))
            finish, arrive = _finisher(self, before), _arrival(barriers, where, op, 0)
            self.engine.issue(Operation(one.warp, 1 << lane, op, finish, lambda _: None, arrive))


@trap("cp.async", "cp.async.ignore_src")
def copy(ctx: TrapContext, op: Op) -> Outcome:
    size = immediate(ctx, "size")
    lanes = ctx.lanes
    taken = _taken(ctx, size)
    sources = ctx.read_addr("src")
    offsets = np.zeros(32, np.int64)
    for lane, where in lane_places(ctx, "dst"):
        check_shared(where, size, size, "destination", op)
        offsets[lane] = where.offset
    _check_sources(ctx, sources, size, taken)
    memory = _source_views(ctx, sources, taken)
    shared = ctx.shared
    columns = np.arange(size)
    places = offsets[lanes][:, None] + columns

    def read() -> NDArray[np.uint8]:
        out = np.zeros((lanes.size, size), np.uint8)
        for view, rows, starts, nbytes in memory:
            out[rows, :nbytes] = view[starts[:, None] + columns[:nbytes]]
        return out

    def write(data: NDArray[np.uint8]) -> None:
        shared[places] = data

    unit_ = ctx.machine.unit(AsyncCopies)
    touches = (_touched, ctx.cta, op, lanes, sources, taken, offsets, size)
    operation = Operation(ctx.warp, ctx.mask, op, read, write, touches=touches)
    unit_.engine.issue(operation, ctx.cta.rank << 16 | ctx.warp.index << 5)
    unit_.add(ctx.warp, operation, ctx.lane_mask)
    if unit_.clocks is not None:
        end = ctx.machine.unit(Timeline).small_copies(ctx.warp, op, lanes.size * size)
        unit_.clocks.add(ctx.warp, ctx.mask, end)
    return DONE


def _taken(ctx: TrapContext, size: int) -> NDArray[np.int64]:
    """The bytes that each lane reads."""
    taken = np.full(32, size, np.int64)
    if ctx.present("src_size"):
        taken = ctx.read("src_size").astype(np.int64)
    if ctx.present("ignore_src"):
        taken[ctx.read("ignore_src")] = 0
    return taken


def copy_touches(ctx: TrapContext, op: Op) -> tuple[Footprints, Footprints]:
    """What copies are about to read and write. Destinations outside the CTA's memory are left out: the copy itself will fail."""
    size = immediate(ctx, "size")
    taken = np.minimum(_taken(ctx, size), size)
    offsets = (ctx.read_addr("dst").astype(np.int64) & 0xFFFF_FFFF) - shared_address(ctx.cta.rank, 0)
    lanes = ctx.lanes[(offsets[ctx.lanes] >= 0) & (offsets[ctx.lanes] + size <= len(ctx.cta.shared))]
    return _touched(ctx.cta, op, lanes, sources=ctx.read_addr("src"), taken=taken, offsets=offsets, size=size)


def _touched(
    cta: Cta,
    op: Op,
    lanes: NDArray[np.intp],
    sources: NDArray[np.uint64],
    taken: NDArray[np.int64],
    offsets: NDArray[np.int64],
    size: int,
) -> tuple[Footprints, Footprints]:
    """Each lane reads as many bytes as it takes, and writes all of its copy."""
    proxy, whole = proxy_of(op), np.full(lanes.size, size)
    read = by_lanes(None, lanes, sources[lanes], taken[lanes], proxy)
    return read, by_lanes(cta, lanes, offsets[lanes], whole, proxy)


def _check_sources(ctx: TrapContext, sources: NDArray[np.uint64], size: int, taken: NDArray[np.int64]) -> None:
    op, odd, long = ctx.op, sources % size != 0, taken > size
    for lane in np.flatnonzero((odd | long) & ctx.lane_mask).tolist():
        ctx.lane = lane
        if long[lane]:
            words = f"`{op.inst.opcode}` reads {taken[lane]} bytes of a copy of {size}"
            raise Diagnostic("PTX0213", words, help="the source size is at most the copy's size", isa=op.inst.form.isa)
        where = name_of(ctx.machine, int(sources[lane]))
        words = f"the source of `{op.inst.opcode}` at {where} is not aligned to {size} bytes"
        help_ = f"start at multiples of {size} bytes, or copy in smaller pieces"
        raise Diagnostic("PTX9121", words, help=help_, isa=op.inst.form.isa)


View = tuple[NDArray[np.uint8], NDArray[np.intp], NDArray[np.int64], int]


def _source_views(ctx: TrapContext, sources: NDArray[np.uint64], taken: NDArray[np.int64]) -> list[View]:
    """Where the executing lanes read: (memory, rows of the copy, starts in the memory, bytes each).

    One view serves all lanes that read the same number of bytes, if they lie in one array.
    """
    lanes = ctx.lanes
    address, nbytes = sources[lanes].astype(np.int64), taken[lanes]
    out: list[View] = []
    for count in np.unique(nbytes[nbytes > 0]).tolist():
        rows = np.flatnonzero(nbytes == count)
        low, high = int(address[rows].min()), int(address[rows].max()) + count
        try:
            out.append((ctx.global_view(low, high - low), rows, address[rows] - low, count))
        except Diagnostic:
            # several arrays, or a fault: lane by lane the right one is named
            for row in rows.tolist():
                ctx.lane = int(lanes[row])
                view = ctx.global_view(int(address[row]), count)
                out.append((view, np.array([row]), np.zeros(1, np.int64), count))
            ctx.lane = None
    return out


@trap("cp.async.commit_group")
def commit_group(ctx: TrapContext, op: Op) -> Outcome:
    unit_ = ctx.machine.unit(AsyncCopies)
    state = unit_.of.get(ctx.warp)
    if state is not None:
        state.committed[ctx.lane_mask] += 1
    unit_.committed(ctx)
    return DONE


@trap("cp.async.wait_group")
def wait_group(ctx: TrapContext, op: Op) -> Outcome:
    ctx.machine.unit(AsyncCopies).wait(ctx, pending(ctx))
    return DONE


@trap("cp.async.wait_all")
def wait_all(ctx: TrapContext, op: Op) -> Outcome:
    ctx.machine.unit(AsyncCopies).wait(ctx, None)
    return DONE


@trap("cp.async.mbarrier.arrive")
def mbarrier_arrive(ctx: TrapContext, op: Op) -> Outcome:
    """The arrival happens when the lane's earlier copies are complete; without .noinc the phase waits for it in addition."""
    copies, barriers = ctx.machine.unit(AsyncCopies), ctx.machine.unit(Mbarriers)
    extra = op.inst.mod("noinc") is None
    now = barriers.timeline.now(ctx.warp)
    for lane, where in lane_places(ctx, "mbar"):
        found = barriers.find(where, op)
        if extra:
            barriers.raise_pending(found, op)
        alone = np.arange(32) == lane
        before = copies.outstanding(ctx.warp, alone)
        done = 0 if copies.clocks is None else copies.clocks.until(ctx.warp, 1 << lane, None)
        finish, arrive = _finisher(copies, before), _arrival(barriers, where, op, max(now, done))
        operation = Operation(ctx.warp, 1 << lane, op, finish, lambda _: None, arrive)
        copies.engine.issue(operation, ctx.cta.rank << 16 | ctx.warp.index << 5 | lane)
    return DONE


def _finisher(copies: AsyncCopies, before: list[Operation]):
    def finish() -> None:
        for operation in before:
            copies.engine.advance(operation)

    return finish


def _arrival(barriers: Mbarriers, where: Place, op: Op, now: int):
    def arrive(operation: Operation) -> None:
        found = barriers.find(where, op)
        found.clock = max(found.clock, now)
        barriers.notify_completed(operation, found)
        barriers.arrive(found, 1, op)

    return arrive
