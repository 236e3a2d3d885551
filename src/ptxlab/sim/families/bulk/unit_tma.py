"""cp.async.bulk.tensor: boxes of tensors, moved through a tensor map.

A box moves in chunks of 16 bytes. `layout` says where they lie on both sides; here they are copied. Between reading and writing a
box is an array of chunks [rows, chunks of a row], out-of-bounds elements filled in.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ptxlab.diag import Diagnostic
from ptxlab.isa.effects import AsyncCopy
from ptxlab.layout import tensormap_fields as f
from ptxlab.layout.gather import GatherBox, gather_box
from ptxlab.layout.im2col import Im2colBox, im2col_box
from ptxlab.layout.im2col_wide import HALO_BITS, WideBox, wide_box
from ptxlab.layout.swizzles import CHUNK
from ptxlab.layout.tensorbox import TMA_ALIGNMENT, BoxRows, TileBox, tile_box
from ptxlab.layout.tensormap import TensorMap
from ptxlab.sim.engine.compiled.address import is_local, is_shared
from ptxlab.sim.engine.machine.faults import name_of
from ptxlab.sim.engine.machine.operation import Footprints, Operation, Touches
from ptxlab.sim.engine.machine.trap import DONE, Outcome, trap
from ptxlab.sim.engine.units.events import located
from ptxlab.sim.engine.units.operands import addresses, signed_vector
from ptxlab.sim.engine.units.place import Place, check_shared, lane_places
from ptxlab.sim.engine.units.touches import Runs, in_global, in_shared, joined, one, proxy_of
from ptxlab.sim.engine.units.unverified import unverified
from ptxlab.sim.families.bulk.outside import Outside
from ptxlab.sim.families.bulk.tile_layouts import TileLayouts
from ptxlab.sim.families.bulk.unit import MODES, SECTOR, Targets, start_load, start_store, targets_of
from ptxlab.sim.families.mbarrier.unit import Mbarriers
from ptxlab.sim.families.tensormap.unit import TensorMaps
from ptxlab.sim.families.wgmma.swizzles import Layouts
from ptxlab.sim.numerics.reductions import combiner, reduction_type, rounded_to_tf32

if TYPE_CHECKING:
    from ptxlab.ptx.program import Op
    from ptxlab.sim.engine.machine.trap import TrapContext

Chunks = NDArray[Any]
_Store = tuple[Callable[[], Any], Callable[[Any], None], int, Touches]
Geometry = TileBox | Im2colBox | GatherBox | WideBox
WORD = np.dtype("V16")
_MAP_ALIGN = 64
_WIDE = ("im2col::w", "im2col::w::128")
_WALKS = {"tile::gather4": "rows", "tile::scatter4": "rows", "im2col_no_offs": "im2col"}
"""The modes that take pixels along W alone; their offsets are the halo and the shift along W."""


@lru_cache(maxsize=1024)
def _decoded(data: bytes, mode: str, halo: int) -> Geometry:
    made = TensorMap.decode(_seen_by_sm_90(data))
    if mode == "rows":
        return gather_box(made)
    if mode in _WIDE and made.window is not None:
        return wide_box(made, halo, fixed=mode == _WIDE[1])
    return tile_box(made) if made.window is None else im2col_box(made)


def _seen_by_sm_90(data: bytes) -> bytes:
    """Without the fields of younger chips, which an H100 does not look at, whatever the swizzle."""
    n = int.from_bytes(data, "little")
    for field in (f.ATOMICITY, f.SWIZZLE_HIGH):
        n &= ~(field.mask << field.bit)
    return n.to_bytes(f.NBYTES, "little")


def _mode(op: Op) -> str:
    """How the instruction walks its tensor: "tile", "im2col", along W alone, or "rows"."""
    effect = op.inst.form.effect
    assert isinstance(effect, AsyncCopy)
    assert isinstance(effect.mode, str)
    return _WALKS.get(effect.mode, effect.mode)


def _box_of(ctx: TrapContext, address: int, op: Op, lane: int) -> Geometry:
    """The box of the tensor map at a generic address, as the SM sees its bytes.

    With the halo that the lane asks for, where it takes pixels along W alone.

    Raises: Diagnostic PTX9124 for a place that no tensor map can lie in, PTX21xx for what the bytes say.
    """
    if is_shared(address) or is_local(address):
        words = f"the tensor map of `{op.inst.opcode}` lies in {'shared' if is_shared(address) else 'local'} memory"
        help_ = "pass it as a .param, or keep it in global or constant memory"
        raise Diagnostic("PTX9124", words, help=help_, isa=op.inst.form.isa)
    if address % _MAP_ALIGN:
        at = name_of(ctx.machine, address)
        words = f"the tensor map of `{op.inst.opcode}` at {at} is not aligned to {_MAP_ALIGN} bytes"
        help_ = f"declare it `.param .align {_MAP_ALIGN} .b8 map[{f.NBYTES}]`"
        raise Diagnostic("PTX9124", words, help=help_, isa=op.inst.form.isa)
    mode = _mode(op)
    if mode == "rows" or mode in _WIDE:
        unverified(ctx)
    halo = signed_vector(ctx, "offsets", lane)[0] & (1 << HALO_BITS) - 1 if mode in _WIDE else 0
    data = ctx.machine.unit(TensorMaps).look(ctx, address)
    try:
        return _decoded(data, mode, halo)
    except Diagnostic as wrong:
        at = name_of(ctx.machine, address)
        wrong.message = f"The {f.NBYTES} bytes at {at} are no tensor map to copy by. {wrong.message}"
        wrong.notes = (*wrong.notes, "the instruction wants the address of the map, not that of the tensor")
        raise


def _rows(ctx: TrapContext, box: Geometry, lane: int, *, store: bool = False) -> BoxRows:
    """The rows that the instruction's coordinates name. Raises: Diagnostic PTX2117, and PTX9126 for a map of the other mode."""
    op = ctx.op
    coordinates = signed_vector(ctx, "coords", lane)
    wanted = _mode(op)
    if isinstance(box, (Im2colBox, WideBox)) != wanted.startswith("im2col"):
        kind, other = ("an im2col", "im2col") if isinstance(box, Im2colBox) else ("a tiled", "tile")
        words = f"`{op.inst.opcode}` copies in {wanted} mode through {kind} map"
        help_ = f"give a map made for {wanted} mode, or copy in {other} mode"
        raise Diagnostic("PTX9126", words, help=help_, isa=op.inst.form.isa)
    offsets = signed_vector(ctx, "offsets", lane) if ctx.present("offsets") else []
    if isinstance(box, WideBox):
        return box.at(coordinates, (offsets[1] & 0xFFFF) - ((offsets[1] & 0x8000) << 1))
    if isinstance(box, Im2colBox):
        return box.at(coordinates, offsets, store=store)
    rows = box.at(coordinates, store=store)
    if isinstance(box, TileBox) and not box.interleaved:
        ctx.machine.unit(Outside).record(op, box, coordinates)
    return rows


def _chunk_bounds(box: Geometry, rows: BoxRows) -> tuple[int, int, int]:
    """First whole chunk within the tensor, the one behind the last whole one, and the bytes of a partial one there."""
    return rows.begin // CHUNK, rows.end // CHUNK, rows.end % CHUNK


def _inside(rows: BoxRows) -> NDArray[np.int64]:
    """Where the rows begin that lie within the tensor."""
    return rows.offsets if rows.inside is None else rows.offsets[rows.inside]


def _span(
    ctx: TrapContext, box: Geometry, rows: BoxRows, *, write: bool
) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    """Global memory from the first byte of the box that lies within the tensor to its last one, and where its rows begin there.

    A fault outside the tensor's array is found here, for all rows at once.
    """
    offsets = _inside(rows)
    if offsets.size == 0 or rows.begin == rows.end:
        return np.empty(0, np.uint8), np.empty(0, np.int64)
    low = int(offsets.min())
    starts, length = offsets - low, rows.end - rows.begin
    first, nbytes = box.map.address + low + rows.begin, int(starts.max()) + length
    return ctx.global_view(first, nbytes, write=write, pieces=(starts, length)), starts


@lru_cache(maxsize=256)
def _row_chunks(box: TileBox) -> NDArray[np.int64]:
    """Where the chunks of all rows lie behind the first one's beginning in global memory, in chunks: [rows, chunks of a row]."""
    return (box.relative >> 4)[:, None] + np.arange(box.row_bytes // CHUNK)


def _chunks_of(box: Geometry, rows: BoxRows, starts: NDArray[np.int64], count: int) -> NDArray[np.int64]:
    """The same for the first `count` chunks of the rows that lie within the tensor, behind the first of them."""
    if rows.inside is None:
        assert isinstance(box, TileBox)
        return _row_chunks(box)[:, :count]
    return (starts >> 4)[:, None] + np.arange(count)


def _reader(ctx: TrapContext, box: Geometry, rows: BoxRows) -> Callable[[], Chunks]:
    """Reads the box from global memory, filled where it lies outside the tensor."""
    view, starts = _span(ctx, box, rows, write=False)
    count = box.row_bytes // CHUNK
    first, last, rest = _chunk_bounds(box, rows)
    index = _chunks_of(box, rows, starts, last - first)
    whole = rows.inside is None and last - first == count
    convert: Callable[[Chunks], Chunks] = _to_tf32 if box.map.element.tf32 else lambda data: data

    def read() -> Chunks:
        if whole:
            return convert(view.view(WORD)[index])
        out = np.empty((box.rows, count), WORD)
        out[:] = np.frombuffer(box.fill, WORD)[0]
        inside = slice(None) if rows.inside is None else np.flatnonzero(rows.inside)
        if starts.size and last > first:
            out[inside, first:last] = convert(view[: len(view) // CHUNK * CHUNK].view(WORD)[index])
        if starts.size and rest:
            tail = out.view(np.uint8).reshape(box.rows, -1)
            at = (starts + (last - first) * CHUNK)[:, None] + np.arange(rest)
            ends = np.zeros((len(starts), CHUNK), np.uint8)
            ends[:, :rest] = view[at]
            tail[inside, last * CHUNK : last * CHUNK + rest] = convert(ends.view(WORD)).view(np.uint8)[:, :rest]
        return out

    return read


def _to_tf32(data: Chunks) -> Chunks:
    """Loads through maps of type tf32 round every number."""
    return rounded_to_tf32(np.ascontiguousarray(data).view(np.uint32)).view(WORD)


Combine = Callable[[Chunks, Chunks], Chunks]
"""What chunks become: from those in memory and those that a store brings."""


def _writer(ctx: TrapContext, box: Geometry, rows: BoxRows, combine: Combine | None = None) -> Callable[[Chunks], None]:
    """Writes chunks to the part of the box that lies within the tensor, whole chunks at row ends as the hardware does."""
    view, starts = _span(ctx, box, rows, write=True)
    first, last, _ = _chunk_bounds(box, rows)
    index = _chunks_of(box, rows, starts, last - first)

    def write(data: Chunks) -> None:
        if starts.size:
            kept = data if rows.inside is None else data[rows.inside]
            _put(view.view(WORD), index, kept[:, first:last], combine)

    return write


def _put(memory: Chunks, index: NDArray[np.int64], data: Chunks, combine: Combine | None) -> None:
    if combine is None:
        memory[index] = data
    elif np.unique(index).size == index.size:
        memory[index] = combine(memory[index], np.ascontiguousarray(data))
    else:  # rows that overlap are combined one after the other
        for row, values in zip(index, data, strict=True):
            memory[row] = combine(memory[row], np.ascontiguousarray(values))


@lru_cache(maxsize=512)
def _shared_places(box: Geometry, offset: int) -> tuple[NDArray[np.int64], int]:
    """Where the box's chunks lie in shared memory, in chunks, and the bytes that they reach to.

    Swizzles go by absolute addresses.
    """
    places = (box.shared_chunks(offset) + offset) >> 4
    return places, (int(places.max()) + 1) * CHUNK


def _window(where: Place, box: Geometry) -> tuple[Chunks, NDArray[np.int64]]:
    """The CTA's shared memory in chunks, and the box's places there."""
    shared = where.cta.shared
    return shared[: len(shared) // CHUNK * CHUNK].view(WORD), _shared_places(box, where.offset)[0]


def _put_shared(ctx: TrapContext, box: Geometry) -> Callable[[Place, Chunks], None]:
    layouts, op = ctx.machine.unit(Layouts), ctx.op

    def put(where: Place, data: Chunks) -> None:
        memory, places = _window(where, box)
        memory[places] = data
        layouts.wrote(where, where.offset + box.footprint, box.map, places, data, op)

    return put


def _check_box(where: Place, box: Geometry, what: str, op: Op) -> None:
    """Alignment and end of a box in shared memory. A swizzle can touch chunks up to the end of its pattern."""
    check_shared(where, 0, TMA_ALIGNMENT, what, op)
    check_shared(where, _shared_places(box, where.offset)[1] - where.offset, TMA_ALIGNMENT, what, op)


def _unchanged(ctx: TrapContext, address: int, read: Callable[[], Chunks]) -> Callable[[], Chunks]:
    """Reads after a look at whether the map is still the one that the copy was started with."""
    maps, op = ctx.machine.unit(TensorMaps), ctx.op
    if not maps.can_change(address):
        return read
    before = maps.snapshot(address)

    def checked() -> Chunks:
        maps.check_unchanged(address, before, op)
        return read()

    return checked


def _global_runs(box: Geometry, rows: BoxRows) -> Runs:
    """Bytes of the box that lie within the tensor, row by row."""
    starts = _inside(rows)
    if rows.end == rows.begin:
        starts = starts[:0]
    return starts + (box.map.address + rows.begin), np.full(starts.size, rows.end - rows.begin)


@lru_cache(maxsize=512)
def _shared_runs(box: Geometry, offset: int) -> Runs:
    """All bytes of a box in shared memory."""
    return joined(_shared_places(box, offset)[0] * CHUNK, CHUNK)


def _shared_within(box: Geometry, rows: BoxRows, offset: int) -> Runs:
    """Bytes in shared memory of what lies within the tensor: of the rest, nothing is copied by a store."""
    first, last, _ = _chunk_bounds(box, rows)
    if rows.inside is None and last - first == box.row_bytes // CHUNK:
        return _shared_runs(box, offset)
    places = _shared_places(box, offset)[0]
    kept = places if rows.inside is None else places[rows.inside]
    return joined(kept[:, first:last] * CHUNK, CHUNK)


def _map_read(address: int) -> Footprints:
    return in_global(one(address, f.NBYTES), "tensormap")


def _loaded(op: Op, box: Geometry, rows: BoxRows, address: int, targets: Targets) -> tuple[Footprints, Footprints]:
    """What a load reads, and that it writes the whole box, filled where nothing is read."""
    proxy = proxy_of(op)
    written = [p for dst, _ in targets for p in in_shared(dst.cta, _shared_runs(box, dst.offset), proxy)]
    return (*in_global(_global_runs(box, rows), proxy), *_map_read(address)), tuple(written)


def _stored(op: Op, box: Geometry, rows: BoxRows, address: int, source: Place) -> tuple[Footprints, Footprints]:
    """What a store or a reduction reads and writes: what lies within the tensor."""
    proxy = proxy_of(op)
    read = in_shared(source.cta, _shared_within(box, rows, source.offset), proxy)
    return (*read, *_map_read(address)), in_global(_global_runs(box, rows), proxy)


def _unseen(ctx: TrapContext, targets: Targets) -> Callable[[], bool]:
    """Whether nobody has waited for the phases that a load completes."""
    barriers = ctx.machine.unit(Mbarriers)
    counted = [(mbar, found, found.phase) for _, mbar in targets for found in [barriers.find(mbar, ctx.op)]]

    def pending() -> bool:
        return all(found.seen <= phase and barriers.is_live(mbar, found) for mbar, found, phase in counted)

    return pending


def _unawaited(operation: Operation) -> Callable[[], bool]:
    return lambda: not operation.awaited


@trap(*(f"cp.async.bulk.tensor.load{mode}.{space}" for mode in MODES for space in ("cta", "cluster")))
def load(ctx: TrapContext, op: Op) -> Outcome:
    maps = addresses(ctx, "map")
    barriers = dict(lane_places(ctx, "mbar"))
    for lane, dst in lane_places(ctx, "dst"):
        try:
            box = _box_of(ctx, maps[lane], op, lane)
            rows = _rows(ctx, box, lane)
            read = _unchanged(ctx, maps[lane], _reader(ctx, box, rows))
        except Diagnostic as found:
            raise located(found, op) from None
        targets = targets_of(ctx, op, lane, dst, barriers[lane])
        for target, _ in targets:
            _check_box(target, box, "destination", op)
            ctx.machine.unit(TileLayouts).record(op, target, box.map.swizzle, loads=True)
        ctx.machine.unit(TensorMaps).used(ctx, maps[lane], _unseen(ctx, targets))
        touches = (_loaded, op, box, rows, maps[lane], targets)
        put, piece = _put_shared(ctx, box), CHUNK if box.row_bytes % SECTOR else SECTOR
        start_load(ctx, lane, read, put, targets, nbytes=box.nbytes, piece=piece, touches=touches)
    return DONE


def _combine(box: Geometry, op: Op, *, coded: str) -> Combine | None:
    """How a reduction combines chunks; None for a store. Raises: Diagnostic PTX9127 for a type that it does not take."""
    name = op.inst.mod("op")
    if name is None:
        return None
    type_ = reduction_type(name, box.map.dtype)
    if type_ is None:
        words = f"`{op.inst.opcode}` through a tensor map of type {box.map.dtype}: there is no .{name} of such numbers"
        help_ = "describe the tensor by a type that the operation takes"
        raise Diagnostic("PTX9127", words, help=help_, isa=op.inst.form.isa)
    word, combine = combiner(name, type_, coded=coded)

    def chunks(old: Chunks, new: Chunks) -> Chunks:
        return np.ascontiguousarray(combine(old.view(word), new.view(word))).view(WORD)

    return chunks


@trap(
    "cp.async.bulk.tensor.store",
    "cp.async.bulk.tensor.store.im2col",
    "cp.async.bulk.tensor.store.scatter4",
    "cp.reduce.async.bulk.tensor",
    "cp.reduce.async.bulk.tensor.im2col",
)
def store(ctx: TrapContext, op: Op) -> Outcome:
    """Stores, and reductions, which combine what they bring with what is there. Lanes often issue the same one."""
    maps, asked, made = addresses(ctx, "map"), None, None
    for lane, source in lane_places(ctx, "src"):
        wanted = (
            maps[lane],
            source,
            *(signed_vector(ctx, name, lane) for name in ("coords", "offsets") if ctx.present(name)),
        )
        if made is None or wanted != asked:
            asked, made = wanted, _store_of(ctx, op, lane, maps[lane], source)
        read, write, nbytes, touches = made
        operation = start_store(ctx, lane, read, write, nbytes, touches)
        if touches[0] is not _touched_by:
            made = read, write, nbytes, (_touched_by, operation)
        ctx.machine.unit(TensorMaps).used(ctx, maps[lane], _unawaited(operation))
    return DONE


def _store_of(ctx: TrapContext, op: Op, lane: int, address: int, source: Place) -> _Store:
    """A lane's store: how it reads and writes, its bytes, and what it touches."""
    try:
        box = _box_of(ctx, address, op, lane)
        rows = _rows(ctx, box, lane, store=True)
        write = _writer(ctx, box, rows, _combine(box, op, coded=ctx.machine.image.program.coded))
    except Diagnostic as found:
        raise located(found, op) from None
    _check_box(source, box, "source", op)
    ctx.machine.unit(TileLayouts).record(op, source, box.map.swizzle, loads=False)

    def read() -> Chunks:
        memory, places = _window(source, box)
        return memory[places]

    return _unchanged(ctx, address, read), write, box.nbytes, (_stored, op, box, rows, address, source)


def _touched_by(operation: Operation) -> tuple[Footprints, Footprints]:
    """What another lane's operation touches, which does the same."""
    return operation.reads, operation.writes
