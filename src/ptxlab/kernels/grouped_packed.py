"""Products of groups that lie packed in one matrix: by rows, by experts with room for each, or along K, in one launch.

A model with experts has one matrix of all tokens, sorted by expert, and one matrix for each expert. How many tokens an expert has
is known on the GPU alone. Reading it back would stop the host, and a CUDA graph cannot do it. So offsets and counts are read on
the device:

- `grouped_rows`: rows `offsets[e]` to `offsets[e + 1]` of A times B[e] give the same rows of C.
- `grouped_masked`: A, B and C are stacks; the first `counts[e]` rows of A[e] times B[e] give those of C[e].
- `grouped_depth`: C[e] = A[these rows]ᵀ · B[these rows], the gradient of an expert's weights: groups are parts of the sum.

A small kernel makes the table of groups from them (`grouped_listing`). Tiles are then given to the CTAs as in `grouped_gemm`, and
a warp of each CTA sets tensor maps that are exact to the row (`grouped_scheduler`): the part of a tile beyond its group is read
as zeros and not written. So groups may begin at any row, and rows between them or behind a count stay as they are. Tiles,
mainloop and stores are those of `gemm`: whatever it multiplies without a copy works here, and so does fp8 with a scale for each
128 steps along K.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import ptxlab as px
from ptxlab import Launch, device_of
from ptxlab.kernels.blocks.finish import Finish
from ptxlab.kernels.blocks.mainloop import Mainloop, Operand, Operands
from ptxlab.kernels.blocks.promotion import PromotedMainloop, Scales
from ptxlab.kernels.blocks.store import DirectStore, TmaStore
from ptxlab.kernels.blocks.tiling import REGISTERS, ROWS, WARPGROUP, Tiling, parts
from ptxlab.kernels.gemm_call import L2_PROMOTION, SWIZZLE, TYPES, BLayout
from ptxlab.kernels.gemm_degenerate import EmptyProduct
from ptxlab.kernels.grouped_call import AT, Table
from ptxlab.kernels.grouped_listing import SORTED, listing
from ptxlab.kernels.grouped_packed_call import PITCHES, Packed, Read, by_depth, by_rows, masked
from ptxlab.kernels.grouped_scheduler import MAPS, SETS, ProductList, ProductQueue, TileIterator, bind


@dataclass(frozen=True, slots=True)
class _Products:
    """The launch while its kernel is traced.

    Attributes:
        operands: with templates of the maps of A and B. c: template of that of C, or None. groups: in all.
        scales: of fp8 in blocks. strides: of A's and of B's scales, bytes from line to line and along K.
    """

    operands: Operands
    c: Any
    listed: ProductList
    groups: Any
    out: type[px.Register]
    scales: Scales | None
    strides: Sequence[Any]

    @property
    def k(self) -> px.Builder:
        return self.operands.k

    @property
    def maps(self) -> tuple[Any, Any]:
        """Templates of the maps of A and B."""
        left, right = self.operands.left.map, self.operands.right.map
        return (right, left) if self.operands.tiling.swapped else (left, right)

    @property
    def tile(self) -> tuple[int, int]:
        """Rows and columns of a tile as wgmma has them."""
        return self.operands.tiling.rows, self.operands.tiling.columns


class _Group:
    """The consumers' registers for the current group: rows and columns as wgmma has them, addresses of C and of scales."""

    def __init__(self, p: _Products, queue: ProductQueue) -> None:
        k = self.k = p.k
        self.queue, self.swapped = queue, p.operands.tiling.swapped
        self.rows, self.columns = k.reg(px.u32), k.reg(px.u32)
        self.c, self.pitch = k.reg(px.u64), k.reg(px.u64)
        self.scales = [k.reg(px.u64), k.reg(px.u64)] if p.scales else []
        self.pitches = [k.reg(px.u64), k.reg(px.u64)] if p.scales else []

    def load(self, iterator: TileIterator, *, results: bool) -> None:
        """Read what the next steps need, of the results or of the scales: registers are too few to keep all of it."""
        k, entry = self.k, self.queue.entries[iterator.set]
        words = (
            (("c", self.c), ("c_pitch", self.pitch))
            if results
            else zip(self._order("a_pad", "b_pad"), self.scales, strict=True)
        )
        for name, word in words:
            k.ld.shared.u64(entry.at(AT[name]), d=word)
        for name, word in zip(self._order("c_outer", "c_inner"), (self.rows, self.columns), strict=True):
            k.ld.shared.u32(entry.at(AT[name]), d=word)
        for at, word in zip(self._order(*PITCHES), () if results else self.pitches, strict=False):
            k.cvt.u64.u32(k.ld.shared.u32(entry.at(at)), d=word)

    def _order(self, *names: Any) -> Sequence[Any]:
        """What A is and what B is, as wgmma has them."""
        return names[::-1] if self.swapped else names


def _multiply(p: _Products) -> None:
    k, t = p.k, p.operands.tiling
    ring, queue = p.operands.ring(), ProductQueue(p.listed, 1 + t.consumers * WARPGROUP)
    group = _Group(p, queue)
    finish = _finish(p, group)
    store = BoundStore(k, p.c, p.out, t, finish) if p.c is not None else _DirectStore(p, group, finish)
    loads, multiplies = REGISTERS[t.consumers]
    k.init_barriers()
    k.griddepcontrol.wait()  # for the table
    k.ld.global_.u32(p.listed.ends[p.groups - 1], d=p.listed.tiles)
    with k.roles():
        with k.role(warpgroup=0, registers=loads):
            with k.if_(k.warp == 0), k.elect():
                _produce(p, queue, ring)
            with k.if_(k.warp == 1):
                bind(queue, (*p.maps, p.c))
        with k.role(warpgroup=range(1, 1 + t.consumers), registers=multiplies):
            _consume(p, queue, ring, group, store)


def _produce(p: _Products, queue: ProductQueue, ring: px.Ring) -> None:
    """One thread keeps the ring full."""
    k, iterator = p.k, TileIterator(queue, p.tile)
    places = [k.reg(px.u64) for _ in range(2)]
    maps = [k.tensormap(px.Address.of(at), like=template) for at, template in zip(places, p.maps, strict=True)]
    sides = maps[::-1] if p.operands.tiling.swapped else maps
    left, right = (replace(x, map=map) for x, map in zip((p.operands.left, p.operands.right), sides, strict=True))
    operands = replace(p.operands, left=left, right=right)

    def on_product() -> None:
        # what it knew of the last group is in registers now: it need not wait for the loads to end
        queue.done[iterator.before].arrive(pred=iterator.changed == 1)
        for i, (place, map) in enumerate(zip(places, maps, strict=True)):
            k.mov.u64(iterator.map(i).register(), d=place)
            map.acquire()

    with iterator.tiles(on_product) as tile:
        operands.fill(ring, *iterator.corner(tile), iterator.start, iterator.stop)


def _consume(p: _Products, queue: ProductQueue, ring: px.Ring, group: _Group, store: BoundStore | _DirectStore) -> None:
    """A warpgroup multiplies its share of the rows of each tile, and stores it."""
    k, t = p.k, p.operands.tiling
    member = k.warpgroup - 1
    main = _mainloop(p, ring, member, group)
    store.begin(member)
    iterator = TileIterator(queue, p.tile)

    with iterator.tiles(lambda: store.open(iterator)) as tile:
        steps = parts(iterator.stop - iterator.start, t.step)
        if isinstance(main, PromotedMainloop):  # which has to know where the tile is
            group.load(iterator, results=False)
            row, column = iterator.corner(tile)
            first = k.mad.lo.u32(member, ROWS * t.blocks, row)
            main.tile(first, column, 0, steps)
            main.first()
        else:
            main.first()
            row, column = iterator.corner(tile)  # its divisions hide behind the tensor cores here
            first = k.mad.lo.u32(member, ROWS * t.blocks, row)
        main.rest(steps)
        with k.if_(iterator.changed == 1):
            store.close()
            queue.done[iterator.before].arrive()
        if p.c is None:
            group.load(iterator, results=True)
        for i, block in enumerate(main.results):
            store.write(block, first + ROWS * i if i else first, column)
    store.end()


def _mainloop(p: _Products, ring: px.Ring, member: Any, group: _Group) -> Mainloop:
    """The consumers' side of the ring."""
    if p.scales is None:
        return Mainloop(p.operands, ring, member)
    arguments = [x for side in zip(group.scales, group.pitches, p.strides, strict=True) for x in side]
    extents = (group.rows, group.columns)
    return PromotedMainloop(p.operands, ring, member, p.scales, arguments, extents=extents)


def _finish(p: _Products, group: _Group) -> Finish:
    """Sums are stored as they are."""
    extents = (group.rows, group.columns)
    return Finish(p.k, p.operands.tiling, (), arguments=(), extents=extents, out=p.out)


class BoundStore(TmaStore):
    """Stores through the map of the current group. `c`: the template of that map."""

    def __init__(self, k: px.Builder, c: Any, out: type[px.Register], tiling: Tiling, finish: Finish) -> None:
        self.place = k.reg(px.u64)
        slot = k.tensormap(px.Address.of(self.place), like=c)
        super().__init__(k, slot, out, tiling, finish, prefetch=False)

    def open(self, iterator: TileIterator) -> None:
        """A group begins."""
        k = self.k
        k.mov.u64(iterator.map(MAPS - 1).register(), d=self.place)
        with k.if_(self.at.leads):
            self.c.acquire()

    def close(self) -> None:
        """The map of the previous group is no longer in use."""
        self.k.cp.async_.bulk.wait_group.read(0, pred=self.at.leads)


class _DirectStore(DirectStore):
    """Ordinary stores to the group at hand."""

    def __init__(self, p: _Products, group: _Group, finish: Finish) -> None:
        super().__init__(p.k, group.c, group.pitch, p.out, p.operands.tiling, finish)

    def open(self, iterator: TileIterator) -> None:
        """Nothing: `_Group` says where."""

    def close(self) -> None:
        """Nothing is under way."""


# --- kernels -------------------------------------------------------------------------------------------------------------
@cache
def kernels(consumers: int) -> tuple[px.Kernel, px.Kernel]:
    """The kernels for so many consumers: one that stores by TMA, one that stores single elements."""

    def by_tma(
        k: px.Builder,
        a: px.TensorMap,
        b: px.TensorMap,
        c: px.TensorMap,
        maps: px.Ptr[px.TensorMap],
        ends: px.Ptr[px.u32],
        entries: px.Ptr[px.b8],
        groups: px.u32,
        left_stride: px.u64,
        right_stride: px.u64,
        *,
        tiling: Tiling,
        majors: tuple[str, str],
        types: tuple[type[px.Register], type[px.Register]] = (px.bf16, px.bf16),
        out: type[px.Register] = px.bf16,
        scales: Scales | None = None,
    ) -> None:
        maps_of = (b, a) if tiling.swapped else (a, b)
        left, right = (Operand(*x) for x in zip(maps_of, majors, types, strict=True))
        listed = ProductList(k, maps, ends, entries, k.reg(px.u32))
        strides = (left_stride, right_stride)
        operands = Operands(k, tiling, left, right)
        _multiply(_Products(operands, c, listed, groups, out=out, scales=scales, strides=strides))

    def direct(
        k: px.Builder,
        a: px.TensorMap,
        b: px.TensorMap,
        maps: px.Ptr[px.TensorMap],
        ends: px.Ptr[px.u32],
        entries: px.Ptr[px.b8],
        groups: px.u32,
        left_stride: px.u64,
        right_stride: px.u64,
        *,
        tiling: Tiling,
        majors: tuple[str, str],
        types: tuple[type[px.Register], type[px.Register]] = (px.bf16, px.bf16),
        out: type[px.Register] = px.bf16,
        scales: Scales | None = None,
    ) -> None:
        maps_of = (b, a) if tiling.swapped else (a, b)
        left, right = (Operand(*x) for x in zip(maps_of, majors, types, strict=True))
        listed = ProductList(k, maps, ends, entries, k.reg(px.u32))
        strides = (left_stride, right_stride)
        operands = Operands(k, tiling, left, right)
        _multiply(_Products(operands, None, listed, groups, out=out, scales=scales, strides=strides))

    options: dict[str, Any] = {"target": "sm_90a", "threads": (1 + consumers) * WARPGROUP}
    return (
        px.kernel(**options, name="grouped_packed_tma")(by_tma),
        px.kernel(**options, name="grouped_packed_direct")(direct),
    )


# --- calls ---------------------------------------------------------------------------------------------------------------
def grouped_rows(
    a: Any,
    b: Any,
    c: Any,
    offsets: Any,
    *,
    b_layout: BLayout = "kn",
    scale_a: Any = None,
    scale_b: Any = None,
    config: Tiling | str | None = None,
    expected: int | None = None,
    device: str = "auto",
    stream: Any = None,
) -> None:
    """C[rows] = A[rows] · B[e] for the rows of each group e, in one launch.

    Args:
        a: tokens × K, sorted by group. b: groups × K × N, with b_layout="nk" groups × N × K. c: tokens × N, overwritten where a row
            belongs to a group. Types as `gemm` takes them; of 8 and 32 bits B lies along K.
        offsets: int32 or int64. Group e has the rows from offsets[e] to offsets[e + 1]; or without the leading one, as torch has
            it, those that end before offsets[e]. An array on the device of A is read there at each launch. Others, and lists
            of ints, are read once by the host.
        scale_a, scale_b: of fp8, float32: one for each token and 128 steps along K, and for each group one for each 128 × 128 of B,
            or for each line and 128 steps. In the order of A's and B's own dimensions. The last block along K may be shorter.
        config: a tiling as `gemm` names them, not split; None: the one that should be fastest where a group has `expected` rows.
        expected: None: all rows by the number of groups. device, stream: as in `Kernel.launch`.

    Raises: Diagnostic PTX2324 for offsets that descend or exceed the rows, where the host or the simulator sees them; a GPU cuts
        those that exceed to what there is. PTX2307, PTX2308, PTX2309 for arrays as in `gemm`; PTX2101, PTX2102 where TMA
        cannot read A or B; PTX2112 for a tiling that cannot be.

    Example:
        from ptxlab.kernels.grouped_packed import grouped_rows

        a, b, c = px.empty((10, 64), "bf16"), px.empty((3, 64, 32), "bf16"), px.empty((10, 32), "f32")
        a[...], b[0], b[1], b[2] = 1, 1, 2, 3
        grouped_rows(a, b, c, np.array([0, 4, 4, 10], np.int32))  # the second expert has no tokens
        print((c[:4] == 64).all(), (c[4:] == 192).all())  # True True
    """
    prepare_rows(
        a,
        b,
        c,
        offsets,
        b_layout=b_layout,
        scale_a=scale_a,
        scale_b=scale_b,
        config=config,
        expected=expected,
        device=device,
        stream=stream,
    )()


def prepare_rows(
    a: Any,
    b: Any,
    c: Any,
    offsets: Any,
    *,
    b_layout: BLayout = "kn",
    scale_a: Any = None,
    scale_b: Any = None,
    config: Tiling | str | None = None,
    expected: int | None = None,
    device: str = "auto",
    stream: Any = None,
) -> Launch:
    """`grouped_rows`, checked, packed and loaded once. Its calls read `offsets` anew, also in a CUDA graph.

    The launch owns the memory of its table and maps: its calls are made one after the other, in one stream at a time.

    Example:
        from ptxlab.kernels.grouped_packed import prepare_rows

        a, b, c = px.empty((10, 64), "bf16"), px.empty((2, 64, 32), "bf16"), px.empty((10, 32), "f32")
        a[...], b[0], b[1] = 1, 1, 2
        offsets = np.array([0, 4, 10], np.int32)
        product = prepare_rows(a, b, c, offsets)
        product()
        offsets[1] = 9
        product()
        print((c[:9] == 64).all(), (c[9:] == 128).all())  # True True
    """
    return _prepared(by_rows(a, b, c, offsets, b_layout, (scale_a, scale_b)), (config, expected), device, stream)


def grouped_masked(
    a: Any,
    b: Any,
    c: Any,
    counts: Any,
    *,
    b_layout: BLayout = "kn",
    scale_a: Any = None,
    scale_b: Any = None,
    config: Tiling | str | None = None,
    expected: int | None = None,
    device: str = "auto",
    stream: Any = None,
) -> None:
    """C[e, :counts[e]] = A[e, :counts[e]] · B[e] for each e, in one launch. Rows behind a count are neither computed nor written.

    Args:
        a: groups × rows × K. b: groups × K × N, with b_layout="nk" groups × N × K. c: groups × rows × N.
        counts: int32 or int64, one for each group. An array on the device of A is read there at each launch.
        scale_a: as in `grouped_rows`, groups × rows × K/128. expected: rows that a group may have on average; None: all.
            Everything else: as in `grouped_rows`.

    Raises: Diagnostic PTX2324 for counts below 0 or above the rows, where the host or the simulator sees them; a GPU cuts them to
        that. Others as `grouped_rows`.

    Example:
        from ptxlab.kernels.grouped_packed import grouped_masked

        a, b, c = px.empty((2, 16, 64), "bf16"), px.empty((2, 64, 32), "bf16"), px.empty((2, 16, 32), "f32")
        a[...], b[...], c[...] = 1, 2, -1
        grouped_masked(a, b, c, np.array([16, 5], np.int32))
        print((c[1, :5] == 128).all(), (c[1, 5:] == -1).all())  # True True
    """
    prepare_masked(
        a,
        b,
        c,
        counts,
        b_layout=b_layout,
        scale_a=scale_a,
        scale_b=scale_b,
        config=config,
        expected=expected,
        device=device,
        stream=stream,
    )()


def prepare_masked(
    a: Any,
    b: Any,
    c: Any,
    counts: Any,
    *,
    b_layout: BLayout = "kn",
    scale_a: Any = None,
    scale_b: Any = None,
    config: Tiling | str | None = None,
    expected: int | None = None,
    device: str = "auto",
    stream: Any = None,
) -> Launch:
    """`grouped_masked`, checked, packed and loaded once, as `prepare_rows`.

    Example:
        from ptxlab.kernels.grouped_packed import prepare_masked

        a, b, c = px.empty((2, 16, 64), "bf16"), px.empty((2, 64, 32), "bf16"), px.empty((2, 16, 32), "f32")
        a[...], b[...], c[...] = 1, 2, -1
        counts = np.array([16, 5], np.int32)
        product = prepare_masked(a, b, c, counts)
        product()
        print((c[1, :5] == 128).all(), (c[1, 5:] == -1).all())  # True True
    """
    return _prepared(masked(a, b, c, counts, b_layout, (scale_a, scale_b)), (config, expected), device, stream)


def grouped_depth(
    a: Any,
    b: Any,
    c: Any,
    offsets: Any,
    *,
    config: Tiling | str | None = None,
    device: str = "auto",
    stream: Any = None,
) -> None:
    """C[e] = A[rows]ᵀ · B[rows] for the rows of each group e: gradients of the weights of all experts, in one launch.

    Args:
        a: tokens × M, sorted by group. b: tokens × N. Both bf16, or both f16. c: groups × M × N; zeros for a group without rows.
        offsets: as in `grouped_rows`. config: neither split nor swapped. device, stream: as in `grouped_rows`.

    Raises: Diagnostic as `grouped_rows`.

    Example:
        from ptxlab.kernels.grouped_packed import grouped_depth

        x, dy, dw = px.empty((10, 64), "bf16"), px.empty((10, 32), "bf16"), px.empty((3, 64, 32), "f32")
        x[...], dy[...] = 1, 2
        grouped_depth(x, dy, dw, np.array([0, 4, 4, 10], np.int32))
        print(dw[0, 0, 0], dw[1, 0, 0], dw[2, 0, 0])  # 8.0 0.0 12.0
    """
    prepare_depth(a, b, c, offsets, config=config, device=device, stream=stream)()


def prepare_depth(
    a: Any,
    b: Any,
    c: Any,
    offsets: Any,
    *,
    config: Tiling | str | None = None,
    device: str = "auto",
    stream: Any = None,
) -> Launch:
    """`grouped_depth`, checked, packed and loaded once, as `prepare_rows`.

    Example:
        from ptxlab.kernels.grouped_packed import prepare_depth

        x, dy, dw = px.empty((10, 64), "bf16"), px.empty((10, 32), "bf16"), px.empty((2, 64, 32), "f32")
        x[...], dy[...] = 1, 2
        product = prepare_depth(x, dy, dw, np.array([0, 4, 10], np.int32))
        product()
        print(dw[0, 0, 0], dw[1, 0, 0])  # 8.0 12.0
    """
    return _prepared(by_depth(a, b, c, offsets), (config, None), device, stream)


def _prepared(p: Packed, cut: tuple[Tiling | str | None, int | None], device: str, stream: Any) -> Launch:
    """The launch of the table's kernel and of that of the products. `cut`: the tiling, or what it is chosen by."""
    if p.nothing:
        return EmptyProduct(p.c)
    t = p.tiling(*cut)
    made = p.table(t)
    ctas = min(p.tiles(t), device_of(p.c).sm_count)
    facts, entries, ends, maps = (
        device_of(p.c).copy(x) for x in (made, made, p.room_for_ends(), Table.room(ctas * SETS * MAPS))
    )
    read = Read.of(p)
    options: dict[str, Any] = {"device": device, "stream": stream}
    first = listing.specialize(
        given=p.numbers.given,
        size=p.numbers.size,
        tile=p.counted_tile(t),
        counted="columns" if t.swapped else "rows",
        ordered=p.groups <= SORTED,
        summed=p.each.depth > 0,
    ).prepare(
        grid=(1, 1, 1),
        args=[read.array, facts, entries, ends, p.groups, p.limit, p.other_tiles(t), *p.shifts],
        **options,
    )
    sides = [(p.each.a_major, TYPES[p.each.a.dtype]), (p.each.b_major, TYPES[p.each.b.dtype])]
    majors, types = zip(*(reversed(sides) if t.swapped else sides), strict=True)
    by_tma, direct = kernels(t.consumers)
    chosen = (by_tma if p.tma_can_store else direct).specialize(
        tiling=t, majors=majors, types=types, out=TYPES[p.c.dtype], scales=p.scales_of(t)
    )
    found = templates(t, (p.each.a.dtype, p.each.a_major), (p.each.b.dtype, p.each.b_major), p.c.dtype)
    args = [*(found if p.tma_can_store else found[:2]), maps, ends, entries, p.groups, *p.strides(t)]
    products = chosen.prepare(grid=(ctas, 1, 1), args=args, buffers=p.arrays, **options)
    return read.then(first, products, always=p.form == "depth")


def templates(t: Tiling, a: tuple[str, str], b: tuple[str, str], c: str) -> list[px.TensorMap]:
    """Templates of the maps of A, B and C: addresses, extents and strides are placeholders.

    Args:
        a, b: dtypes, and how they lie. c: a dtype.
    """

    def box(major: str, lines: int) -> tuple[int, int]:
        return (lines, t.step) if major == "K" else (t.step, min(lines, t.step))

    lines = (t.columns, t.rows) if t.swapped else (t.rows, t.columns)
    kinds = [
        (a[0], box(a[1], lines[0]), L2_PROMOTION),
        (b[0], box(b[1], lines[1]), L2_PROMOTION),
        (c, t.box(TYPES[c].scalar.bytes), "none"),
    ]
    return [
        px.TensorMap.tiled(
            dtype="u8" if dtype.startswith("float8") else TYPES[dtype].scalar.name,
            address=0,
            dims=(columns, rows),
            strides=(128,),
            box=(columns, rows),
            swizzle=SWIZZLE,
            l2_promotion=promotion,
        )
        for dtype, (rows, columns), promotion in kinds
    ]
