"""cp.async.bulk and cp.reduce.async.bulk: linear copies, and the bulk groups that complete copies out of shared memory."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ptxlab.diag import Diagnostic
from ptxlab.isa.effects import AsyncCopy
from ptxlab.sim.engine.machine.faults import name_of
from ptxlab.sim.engine.machine.naming import cta_name, lanes_of
from ptxlab.sim.engine.machine.operation import Footprints, Operation, Stage, Touches
from ptxlab.sim.engine.machine.trap import DONE, Outcome, trap, unit
from ptxlab.sim.engine.units.events import Engine
from ptxlab.sim.engine.units.groups import Groups
from ptxlab.sim.engine.units.operands import pending
from ptxlab.sim.engine.units.place import Place, check_alive, check_shared, in_cluster, lane_places
from ptxlab.sim.engine.units.touches import in_ctas, in_global, in_shared, joined, one, proxy_of
from ptxlab.sim.engine.units.trace import Timeline
from ptxlab.sim.engine.units.unverified import unverified
from ptxlab.sim.families.mbarrier.unit import Mbarriers
from ptxlab.sim.families.multimem.replicas import replicas
from ptxlab.sim.numerics.reductions import combiner

if TYPE_CHECKING:
    from ptxlab.ptx.program import Op
    from ptxlab.sim.engine.machine.resident import Warp
    from ptxlab.sim.engine.machine.trap import TrapContext

Targets = list[tuple[Place, Place]]
"""Destinations, and the mbarrier of each."""
SECTOR = 32
"""Bytes of a copy that reach shared memory, and are counted, together."""
UNIT = 16
"""Bytes that a bulk copy moves as one: sizes and addresses are multiples of it."""
MODES = ("", ".im2col", ".im2col_w", ".im2col_w128", ".gather4")
"""How loads and prefetches go through a tensor, as their rows are named."""
Bytes = NDArray[np.uint8]


class ThreadGroups:
    """The bulk operations of one thread: those not committed, and the committed groups, oldest first."""

    __slots__ = ("groups", "open")

    def __init__(self) -> None:
        self.open: list[Operation] = []
        self.groups: deque[list[Operation]] = deque()

    def commit(self) -> None:
        self.groups.append(self.open)
        self.open = []


@unit
class BulkGroups(Groups[dict[int, ThreadGroups]]):
    """Bulk groups of all threads that have issued a copy that they complete, by lane of each warp."""

    def add(self, warp: Warp, lane: int, operation: Operation) -> None:
        """An operation that the lane's next commit will put into a group."""
        self.of.setdefault(warp, {}).setdefault(lane, ThreadGroups()).open.append(operation)
        if self.backlog is not None:
            self.backlog.add(operation)

    def wait(self, groups: ThreadGroups, pending: int, stage: Stage) -> None:
        """Carry out all but the latest `pending` groups up to a stage."""
        for group in list(groups.groups)[: max(0, len(groups.groups) - pending)]:
            for operation in group:
                self.engine.advance(operation, stage)
                operation.awaited = True
        while groups.groups and all(o.awaited and o.stage is Stage.COMPLETE for o in groups.groups[0]):
            groups.groups.popleft()


def check_copy(ctx: TrapContext, size: int, address: int, what: str) -> None:
    """Raise PTX9120 for a size, PTX9121 for a global address that is not a multiple of 16 bytes."""
    op = ctx.op
    if size % UNIT:
        words = f"`{op.inst.opcode}` copies {size} bytes, which is not a multiple of {UNIT}"
        help_ = f"copy {size // UNIT * UNIT} or {-(-size // UNIT) * UNIT} bytes"
        raise Diagnostic("PTX9120", words, help=help_, isa=op.inst.form.isa)
    if address % UNIT:
        words = f"the {what} of `{op.inst.opcode}` at {name_of(ctx.machine, address)} is not aligned to {UNIT} bytes"
        help_ = "start copies at multiples of 16 bytes (px.empty aligns to 256)"
        raise Diagnostic("PTX9121", words, help=help_, isa=op.inst.form.isa)


def check_clustered(ctx: TrapContext) -> None:
    """Raise PTX9128 in a launch without clusters: the chip then faults, also where a copy stays in its CTA. A named cluster of
    one CTA will do."""
    if not ctx.machine.record.explicit_cluster:
        words = f"`{ctx.op.inst.opcode}` writes within a cluster, but the launch has none"
        help_ = "launch with clusters: cluster=(2, 1, 1); one of a single CTA will do"
        raise Diagnostic("PTX9128", words, help=help_, isa=ctx.op.inst.form.isa)


def targets_of(ctx: TrapContext, op: Op, lane: int, dst: Place, mbar: Place) -> Targets:
    """Destination and barrier in every CTA that a load writes to. Raises PTX9116, PTX9123."""
    if not ctx.present("mask"):
        if dst.cta is not mbar.cta:
            words = f"`{op.inst.opcode}` writes to {cta_name(dst.cta)} but signals an mbarrier of {cta_name(mbar.cta)}"
            help_ = "take both addresses in the same CTA: mapa both, or neither"
            raise Diagnostic("PTX9123", words, help=help_, isa=op.inst.form.isa)
        return [(dst, mbar)]
    mask = int(ctx.read("mask")[lane]) & 0xFFFF
    return [(dst.at(cta), mbar.at(cta)) for cta in in_cluster(ctx.cluster, mask, op)]


def start_load(
    ctx: TrapContext,
    lane: int,
    read: Callable[[], Any],
    write: Callable[[Place, Any], None],
    targets: Targets,
    *,
    nbytes: int,
    touches: Touches,
    piece: int | None = None,
    lanes: int | None = None,
) -> None:
    """Issue a copy into shared memory that mbarriers count: `nbytes` in each target, in pieces; see `Mbarriers.complete`.

    read: gives what `write` puts into each target. touches: what both reach. lanes: who issues it, as a mask; None: the lane alone.
    """
    machine, op = ctx.machine, ctx.op
    barriers = machine.unit(Mbarriers)
    timeline = machine.unit(Timeline)
    phases = {mbar: barriers.find(mbar, op).phase for _, mbar in targets}
    end = timeline.copy(ctx.cta, op, timeline.now(ctx.warp), nbytes, barriers=phases)

    def put(data: Any) -> None:
        for dst, _ in targets:
            if dst.cta is not ctx.cta:  # what reaches the issuer's own memory after its end is lost
                check_alive(dst.cta, op)
            write(dst, data)

    def signal(operation: Operation) -> None:
        for _, mbar in targets:
            barriers.complete(mbar, nbytes, op, end, piece=piece, operation=operation)

    signals = tuple(mbar for _, mbar in targets)
    who = 1 << lane if lanes is None else lanes
    operation = Operation(ctx.warp, who, op, read, put, signal, touches=touches, signals=signals)
    machine.unit(Engine).issue(operation, agent_of(ctx, lane))


def start_store(
    ctx: TrapContext,
    lane: int,
    read: Callable[[], NDArray[Any]],
    write: Callable[[NDArray[Any]], None],
    nbytes: int,
    touches: Touches,
) -> Operation:
    """Issue a copy out of shared memory that the lane's bulk groups complete."""
    timeline = ctx.machine.unit(Timeline)
    end = timeline.copy(ctx.cta, ctx.op, timeline.now(ctx.warp), nbytes, "store")
    operation = Operation(ctx.warp, 1 << lane, ctx.op, read, write, touches=touches)
    groups = ctx.machine.unit(BulkGroups)
    groups.add(ctx.warp, lane, operation)
    if groups.clocks is not None:
        groups.clocks.add(ctx.warp, 1 << lane, end)
    return ctx.machine.unit(Engine).issue(operation, agent_of(ctx, lane))


def agent_of(ctx: TrapContext, lane: int) -> int:
    """A number for the issuing thread within its cluster."""
    return ctx.cta.rank << 16 | ctx.warp.index << 5 | lane


def _combiner(op: Op, *, coded: str) -> Callable[[Bytes, Bytes], None] | None:
    """Combines bytes into memory, as a reduction's operation and type have it; None for a copy."""
    name = op.inst.mod("op")
    if name is None:
        return None
    word, combine = combiner(name, op.inst.mod("type") or "", coded=coded)

    def into(memory: Bytes, data: Bytes) -> None:
        target = memory.view(word)
        target[:] = combine(target, data.view(word))

    return into


@trap(
    "cp.async.bulk.g2cta", "cp.async.bulk.g2cta.relaxed", "cp.async.bulk.g2cluster", "cp.async.bulk.g2cluster.relaxed"
)
def load(ctx: TrapContext, op: Op) -> Outcome:
    sources, sizes = ctx.read_addr("src"), ctx.read("size")
    barriers = dict(lane_places(ctx, "mbar"))
    for lane, dst in lane_places(ctx, "dst"):
        source, size = int(sources[lane]), int(sizes[lane])
        check_copy(ctx, size, source, "source")
        if ctx.present("mask") and not int(ctx.read("mask")[lane]) & 0xFFFF:
            words = f"the CTA mask of `{op.inst.opcode}` is 0: nothing is copied, and no mbarrier counts it"
            ctx.machine.unit(Mbarriers).warn("PTX9129", words, op)
            continue
        targets = targets_of(ctx, op, lane, dst, barriers[lane])
        for target, _ in targets:
            check_shared(target, size, UNIT, "destination", op)
        memory, piece = ctx.global_view(source, size), _piece(source, dst.offset)
        touches = (_loaded, op, source, targets, size)
        start_load(ctx, lane, memory.copy, _put, targets, nbytes=size, piece=piece, touches=touches)
    return DONE


def _put(dst: Place, data: Bytes) -> None:
    dst.view(data.nbytes)[:] = data


def _loaded(op: Op, source: int, targets: Targets, nbytes: int) -> tuple[Footprints, Footprints]:
    proxy = proxy_of(op)
    return in_global(one(source, nbytes), proxy), in_ctas([dst for dst, _ in targets], nbytes, proxy)


def _exchanged(op: Op, source: Place, targets: Targets, nbytes: int) -> tuple[Footprints, Footprints]:
    """What a copy between the CTAs of a cluster reads and writes."""
    proxy = proxy_of(op)
    read = in_shared(source.cta, one(source.offset, nbytes), proxy)
    return read, in_ctas([dst for dst, _ in targets], nbytes, proxy)


def _stored(
    op: Op, source: Place, addresses: Sequence[int], size: int, keep: NDArray[np.bool_] | None
) -> tuple[Footprints, Footprints]:
    """What a linear copy out of shared memory reads and writes: the bytes that it keeps, counted from its first one."""
    proxy, (starts, nbytes) = proxy_of(op), one(0, size) if keep is None else joined(np.flatnonzero(keep), 1)
    written = tuple(part for a in addresses for part in in_global((starts + a, nbytes), proxy))
    return in_shared(source.cta, (starts + source.offset, nbytes), proxy), written


def _piece(source: int, target: int) -> int:
    """Bytes that arrive together: 32 in an H100, or 16 where one side is aligned to no more."""
    return UNIT if (source | target) % SECTOR else SECTOR


@trap("cp.async.bulk.cta2cluster", "cp.async.bulk.cta2cluster.relaxed", "cp.reduce.async.bulk.cta2cluster")
def between_ctas(ctx: TrapContext, op: Op) -> Outcome:
    """Copies, and reductions, which combine what they bring with what is there."""
    check_clustered(ctx)
    sizes, combine = ctx.read("size"), _combiner(op, coded=ctx.machine.image.program.coded)

    def into(where: Place, data: Bytes) -> None:
        if combine is not None:
            combine(where.view(data.nbytes), data)

    write = _put if combine is None else into
    sources, barriers = dict(lane_places(ctx, "src")), dict(lane_places(ctx, "mbar"))
    for lane, dst in lane_places(ctx, "dst"):
        source, size = sources[lane], int(sizes[lane])
        check_copy(ctx, size, 0, "source")
        check_shared(source, size, UNIT, "source", op)
        check_shared(dst, size, UNIT, "destination", op)
        targets = targets_of(ctx, op, lane, dst, barriers[lane])
        piece = _piece(source.offset, dst.offset) if combine is None else None
        touches = (_exchanged, op, source, targets, size)
        start_load(ctx, lane, source.view(size).copy, write, targets, nbytes=size, piece=piece, touches=touches)
    return DONE


@trap("cp.async.bulk.cta2g", "cp.async.bulk.cta2g.relaxed", "cp.reduce.async.bulk.cta2g")
@trap("multimem.cp.async.bulk", "multimem.cp.async.bulk.relaxed", "multimem.cp.reduce.async.bulk.cta2g")
def store(ctx: TrapContext, op: Op) -> Outcome:
    """Stores, and reductions, which combine what they bring with what is there."""
    addresses, sizes, combine = (
        ctx.read_addr("dst"),
        ctx.read("size"),
        _combiner(op, coded=ctx.machine.image.program.coded),
    )
    byte_masks = ctx.read("bytemask") if ctx.present("bytemask") else None
    effect = op.inst.form.effect
    to_all = isinstance(effect, AsyncCopy) and effect.replicas
    if byte_masks is not None:
        unverified(ctx)
    for lane, source in lane_places(ctx, "src"):
        address, size = int(addresses[lane]), int(sizes[lane])
        check_copy(ctx, size, address, "destination")
        check_shared(source, size, UNIT, "source", op)
        places = replicas(ctx, address, size, UNIT) if to_all else (address,)
        keep = None if byte_masks is None else _kept(int(byte_masks[lane]), size)
        memories = [ctx.global_view(at, size, write=True) for at in places]
        writes = [_put_kept(memory, keep) if combine is None else partial(combine, memory) for memory in memories]
        write = writes[0] if len(writes) == 1 else partial(_in_all, writes)
        start_store(ctx, lane, source.view(size).copy, write, size, (_stored, op, source, places, size, keep))
    return DONE


def _in_all(writes: Sequence[Callable[[Bytes], None]], data: Bytes) -> None:
    for write in writes:
        write(data)


def _kept(mask: int, size: int) -> NDArray[np.bool_]:
    """Which bytes a .cp_mask copy writes: bit i of the mask stands for byte i of every 16."""
    return np.resize((mask >> np.arange(UNIT) & 1).astype(bool), size)


def _put_kept(memory: Bytes, keep: NDArray[np.bool_] | None) -> Callable[[Bytes], None]:
    which = slice(None) if keep is None else keep

    def put(data: Bytes) -> None:
        memory[which] = data[which]

    return put


@trap("cp.async.bulk.commit_group")
def commit_group(ctx: TrapContext, op: Op) -> Outcome:
    unit_ = ctx.machine.unit(BulkGroups)
    threads = unit_.of.get(ctx.warp)
    if threads:
        for lane, groups in threads.items():
            if ctx.mask >> lane & 1:
                groups.commit()
    unit_.committed(ctx)
    return DONE


@trap("cp.async.bulk.wait_group")
def wait_group(ctx: TrapContext, op: Op) -> Outcome:
    """The wait never blocks: what it waits for is carried out now, if the schedule has not done so before."""
    unit_ = ctx.machine.unit(BulkGroups)
    threads = unit_.of.get(ctx.warp)
    stage = Stage.READ if op.inst.mod("read") else Stage.COMPLETE
    left = pending(ctx)
    if threads:
        for lane in lanes_of(ctx.mask):
            if lane in threads:
                unit_.wait(threads[lane], left, stage)
    unit_.waited(ctx, left, stage, "bulk group wait")
    return DONE


@trap("cp.async.bulk.prefetch", *(f"cp.async.bulk.prefetch.tensor{mode}" for mode in MODES))
def prefetch(ctx: TrapContext, op: Op) -> Outcome:
    """Caches have no effect on values, so hints do nothing."""
    return DONE
