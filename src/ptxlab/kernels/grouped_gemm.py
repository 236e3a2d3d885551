"""`grouped_gemm`: many products C = A · B of different sizes in one launch: bf16 or fp8 in, f32 accumulation, bf16 or f32 out.

A CTA multiplies as in `gemm`, and changes its tensor maps from product to product. It has four sets of maps (A, B and C) in
global memory. One warp, the *binder*, goes through the CTA's tiles ahead of the other warps (`grouped_scheduler`):

- It looks up the product of the next tile, 32 products at a time.
- It waits until the oldest set of maps is free. The consumers release a set when they store the first tile of the next product:
  by then all loads through the old maps are complete, and all stores through them have left shared memory.
- It writes the product's addresses, extents and strides into the three maps (`slot.rebind`), and publishes what the others need:
  first and last tile, rows and columns of tiles, steps along K.
- The thread that loads and the threads that store acquire the maps when they reach the product.

This costs nothing as long as a CTA multiplies longer than the binder needs, one or two microseconds a product. Maps are exact to
the element: the part of a tile beyond its product is read as zeros and never written.

Products with the longest sums come first. Where at most 64 columns are left for the last tiles of a product, they are scheduled
as a product of their own with narrow tiles, right behind the rest, whose rows of A are still in the L2 cache. There are no
clusters: a release at cluster scope costs more than shared loads save. docs/reference/bench-kernels.md has the measurements.
Products with few rows go to `grouped_fitted`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import ptxlab as px
from ptxlab import Diagnostic, Launch, device_of, user_span
from ptxlab.kernels.gemm_call import L2_PROMOTION, SWIZZLE, TYPES, BLayout, box_of_b
from ptxlab.kernels.gemm_store import ROWS, WARPGROUP, DirectStore, TmaStore, box_columns
from ptxlab.kernels.grouped_call import AT, Group, arrays_of, groups, listed, table
from ptxlab.kernels.grouped_fitted import is_faster, prepare_fitted
from ptxlab.kernels.grouped_scaled import prepare_scaled
from ptxlab.kernels.grouped_scheduler import MAPS, SETS, ProductList, ProductQueue, TileIterator, bind
from ptxlab.kernels.pipeline import (
    CONSUMER_REGISTERS,
    CONSUMERS,
    NARROW,
    PRODUCER_REGISTERS,
    STAGES,
    THREADS,
    TILE_K,
    TILE_M,
    TILE_N,
    Operands,
    Stages,
    load_b,
    narrow_b,
    parts,
)


@dataclass(frozen=True, slots=True)
class _Products:
    """The launch while its kernel is traced.

    Attributes:
        a, b, c: templates of the maps; c is None where C is written by ordinary stores.
        maps: SETS sets for each CTA. ends, entries: the table of products, see `grouped_call`. tiles: in all.
    """

    k: px.Builder
    a: Any
    b: Any
    c: Any
    maps: Any
    ends: Any
    entries: Any
    tiles: Any
    b_major: str
    out: type[px.Register]
    types: tuple[type[px.Register], type[px.Register]]

    @property
    def operands(self) -> Operands:
        """What the kernel's parts have in common."""
        return Operands(self.k, self.b_major, self.types)

    @property
    def listed(self) -> ProductList:
        """Where the products are."""
        return ProductList(self.k, self.maps, self.ends, self.entries, self.tiles)


def _multiply(p: _Products) -> None:
    k = p.k
    ring, queue = p.operands.ring(), ProductQueue(p.listed, 1 + CONSUMERS * WARPGROUP)
    store = _TmaStore(p) if p.c is not None else _DirectStore(p, queue)
    k.init_barriers()
    with k.roles():
        with k.role(warpgroup=0, registers=PRODUCER_REGISTERS):
            with k.if_(k.warp == 0), k.elect():
                _produce(p, queue, ring)
            with k.if_(k.warp == 1):
                bind(queue, (p.a, p.b, p.c))
        with k.role(warpgroup=range(1, 1 + CONSUMERS), registers=CONSUMER_REGISTERS):
            _consume(p, queue, ring, store)


# --- the thread that loads -----------------------------------------------------------------------------------------------
def _produce(p: _Products, queue: ProductQueue, ring: px.Ring) -> None:
    k = p.k
    iterator = TileIterator(queue, (TILE_M, TILE_N))
    places = [k.reg(px.u64) for _ in range(2)]
    a, b = (k.tensormap(px.Address.of(at), like=x) for at, x in zip(places, (p.a, p.b), strict=True))

    def on_product() -> None:
        # what it knew of the last product is in registers now: it need not wait for the loads to end
        queue.done[iterator.before].arrive(pred=iterator.changed == 1)
        for i, (place, map) in enumerate(zip(places, (a, b), strict=True)):
            k.mov.u64(iterator.map(i).register(), d=place)
            map.acquire()

    with iterator.tiles(on_product) as tile:
        row, column = iterator.corner(tile)
        with (
            k.if_(iterator.narrow == 0),
            k.loop(iterator.stop, start=iterator.start, step=p.operands.step) as at,
            ring.produce() as slot,
        ):
            k.tma_load(slot[0], a, (at, row), slot.full)
            load_b(p.operands, slot[1], b, at, column, slot.full)
        with k.else_():
            nbytes = ring.tiles[0].nbytes // STAGES + narrow_b(p.operands, ring.tiles[1][0]).nbytes
            with (
                k.loop(iterator.stop, start=iterator.start, step=p.operands.step) as at,
                ring.produce(nbytes=nbytes) as slot,
            ):
                k.tma_load(slot[0], a, (at, row), slot.full)
                load_b(p.operands, narrow_b(p.operands, slot[1]), b, at, column, slot.full)


# --- the warpgroups that multiply ----------------------------------------------------------------------------------------
def _consume(p: _Products, queue: ProductQueue, ring: px.Ring, store: _TmaStore | _DirectStore) -> None:
    k = queue.k
    member = k.warpgroup - 1
    stages = Stages(p.operands, ring, member)
    stages.also(NARROW)
    store.begin(member)
    iterator = TileIterator(queue, (TILE_M, TILE_N))

    def multiply(tile: Any, columns: int) -> None:
        stages.multiply(first=True, columns=columns)
        row, column = iterator.corner(tile)  # its divisions hide behind the tensor cores here
        stages.rest(parts(iterator.stop - iterator.start, p.operands.step), columns)
        with k.if_(iterator.changed == 1):
            store.close()
            queue.done[iterator.before].arrive()
        store.write(stages.results[columns], k.mad.lo.u32(member, ROWS, row), column, columns)

    with iterator.tiles(lambda: store.open(iterator)) as tile:
        with k.if_(iterator.narrow == 0):
            multiply(tile, TILE_N)
        with k.else_():
            multiply(tile, NARROW)
    store.end()


class _TmaStore(TmaStore):
    """Stores through the map of the current product."""

    def __init__(self, p: _Products) -> None:
        k = p.k
        self.place = k.reg(px.u64)
        slot = k.tensormap(px.Address.of(self.place), like=p.c)
        super().__init__(k, slot, p.out, CONSUMERS, prefetch=False)

    def open(self, iterator: TileIterator) -> None:
        """A product begins."""
        k = self.k
        k.mov.u64(iterator.map(MAPS - 1).register(), d=self.place)
        with k.if_(self.leads):
            self.c.acquire()

    def close(self) -> None:
        """The map of the previous product is no longer in use."""
        self.k.cp.async_.bulk.wait_group.read(0, pred=self.leads)


class _DirectStore(DirectStore):
    """Ordinary stores to the product at hand."""

    def __init__(self, p: _Products, queue: ProductQueue) -> None:
        k = p.k
        self.entries = queue.entries
        super().__init__(k, k.reg(px.u64), k.reg(px.u64), k.reg(px.u32), k.reg(px.u32), p.out)

    def open(self, iterator: TileIterator) -> None:
        """A product begins."""
        k, entry = self.k, self.entries[iterator.set]
        for name, register in (("c", self.c), ("c_pitch", self.pitch)):
            k.ld.shared.u64(entry.at(AT[name]), d=register)
        for name, register in (("c_inner", self.n), ("c_outer", self.m)):
            k.ld.shared.u32(entry.at(AT[name]), d=register)

    def close(self) -> None:
        """Nothing is under way."""


# --- kernels and calls ---------------------------------------------------------------------------------------------------
def _by_tma(
    k: px.Builder,
    a: px.TensorMap,
    b: px.TensorMap,
    c: px.TensorMap,
    maps: px.Ptr[px.TensorMap],
    ends: px.Ptr[px.u32],
    entries: px.Ptr[px.b8],
    tiles: px.u32,
    *,
    b_major: str = "MN",
    out: type[px.Register] = px.bf16,
    types: tuple[type[px.Register], type[px.Register]] = (px.bf16, px.bf16),
) -> None:
    """C is written by TMA: the rows of every one are multiples of 16 bytes."""
    _multiply(
        _Products(
            k, a=a, b=b, c=c, maps=maps, ends=ends, entries=entries, tiles=tiles, b_major=b_major, out=out, types=types
        )
    )


def _directly(
    k: px.Builder,
    a: px.TensorMap,
    b: px.TensorMap,
    maps: px.Ptr[px.TensorMap],
    ends: px.Ptr[px.u32],
    entries: px.Ptr[px.b8],
    tiles: px.u32,
    *,
    b_major: str = "MN",
    out: type[px.Register] = px.bf16,
    types: tuple[type[px.Register], type[px.Register]] = (px.bf16, px.bf16),
) -> None:
    """C is written by ordinary stores."""
    _multiply(
        _Products(
            k,
            a=a,
            b=b,
            c=None,
            maps=maps,
            ends=ends,
            entries=entries,
            tiles=tiles,
            b_major=b_major,
            out=out,
            types=types,
        )
    )


BLOCKS, FITTED = "128x256-2c", "128x256-2c-swapped"
"""The tilings that can be named."""
_SINGLE: dict[str, Any] = {"target": "sm_90a", "threads": THREADS}
grouped_tma = px.kernel(**_SINGLE, name="grouped_tma")(_by_tma)
grouped_direct = px.kernel(**_SINGLE, name="grouped_direct")(_directly)


def grouped_gemm(
    problems: Sequence[Group],
    *,
    b_layout: BLayout = "kn",
    config: str | None = None,
    device: str = "auto",
    stream: Any = None,
) -> None:
    """C = A · B for each (a, b, c) of a list, in one launch: in the simulator on NumPy arrays, on the GPU on CUDA arrays.

    Args:
        problems: triples of arrays as `gemm` takes them: A M × K and B K × N (with b_layout="nk" N × K), of bf16, or of fp8 (e4m3,
            e5m2 in any pair) where B lies along K, C bf16 or f32 M × N, overwritten. M, N and K differ from one to the next and may
            be 0: without K, C becomes zeros. All A, all B and all C have one dtype each, all B lie the same way in memory, all
            arrays are on one device. No C overlaps another array. Of fp8 products all may be (a, b, c, scale_a, scale_b), with
            scales in blocks as `gemm` takes them: of every line or 128 lines, and of 128 steps along K.
        config: "128x256-2c", tiles of 128 rows of A; or "128x256-2c-swapped", tiles as wide as the rows of each product need, up to
            256 (`grouped_fitted`). None: the second, where it multiplies so much less. Products with scales take none.
        device, stream: as in `Kernel.launch`.

    Each call builds the table of products anew and, on a GPU, waits until the kernel is done with it; `prepare` does that once.

    Raises: Diagnostic PTX2318 for an empty list, or for products that do not go together, PTX2303 for arrays on several devices,
        PTX2112 for a `config` that cannot be; and for each product what `gemm` raises, its message beginning with the product's
        number.

    Example:
        from ptxlab.kernels.grouped_gemm import grouped_gemm

        a, b, c = px.empty((64, 128), "bf16"), px.empty((128, 64), "bf16"), px.empty((64, 64), "f32")
        a[...], b[...] = 1, 2

        d = px.empty((8, 64), "f32")
        grouped_gemm([(a, b, c), (a[:8], b, d)])
        print((c == 256).all(), (d == 256).all())  # True True
    """
    prepare(problems, b_layout=b_layout, config=config, device=device, stream=stream)()


def prepare(
    problems: Sequence[Group],
    *,
    b_layout: BLayout = "kn",
    config: str | None = None,
    device: str = "auto",
    stream: Any = None,
) -> Launch:
    """`grouped_gemm`, checked, packed and loaded once: call what it returns as often as wanted. Arguments and errors are the same.

    The launch owns the memory of its maps: its calls are made one after the other, in one stream at a time. Prepare another one for
    a second stream.

    Example:
        from ptxlab.kernels.grouped_gemm import prepare

        a, b, c = px.empty((64, 128), "bf16"), px.empty((128, 64), "bf16"), px.empty((64, 64), "f32")
        a[...], b[...] = 1, 2

        products = prepare([(a, b, c)])
        products()
        print((c == 256).all())  # True
    """
    given = listed(problems)
    if config not in (None, BLOCKS, FITTED):
        raise _no_config(config, f'use "{BLOCKS}" or "{FITTED}", or leave it out')
    if any(len(arrays_of(x)) == 5 for x in given):
        if config is not None:
            raise _no_config(config, "leave it out: products with scales have one tiling")
        return prepare_scaled(given, b_layout, device, stream)
    found = groups(given, b_layout)
    if config == FITTED and not found.tma_can_store:
        raise _no_config(config, f'it stores C by TMA, whose rows have to be multiples of 16 bytes: use "{BLOCKS}"')
    if config == FITTED or (config is None and is_faster(found, TILE_M, TILE_N, NARROW)):
        return prepare_fitted(found, device, stream)
    made = table(found, TILE_M, TILE_N, NARROW)
    out = {"bfloat16": px.bf16, "float32": px.f32}[found.dtype]
    ctas = max(1, min(made.tiles, device_of(found.anchor).sm_count))
    maps, ends, entries = (
        device_of(found.anchor).copy(x) for x in (made.room(ctas * SETS * MAPS), made.ends, made.entries)
    )
    types = (TYPES[found.types[0]], TYPES[found.types[1]])
    templates = _templates(found.b_major, out, types)
    if not found.tma_can_store:
        templates.pop()
    return (
        _KERNELS[found.tma_can_store]
        .specialize(b_major=found.b_major, out=out, types=types)
        .prepare(
            grid=(ctas, 1, 1),
            args=[*templates, maps, ends, entries, made.tiles],
            buffers=found.arrays,
            device=device,
            stream=stream,
        )
    )


def _no_config(config: Any, help: str) -> Diagnostic:
    return Diagnostic("PTX2112", f"config={config!r} is no tiling for these products.", help=help, origin=user_span())


_KERNELS = {
    True: grouped_tma,
    False: grouped_direct,
}
"""By whether TMA stores."""


def _templates(
    b_major: str, out: type[px.Register], types: tuple[type[px.Register], type[px.Register]]
) -> list[px.TensorMap]:
    """Templates of the maps: addresses, extents and strides are placeholders."""
    step = TILE_K * 2 // types[0].scalar.bytes
    kind = "bf16" if types[0].scalar.bytes == 2 else "u8"
    boxes = (
        (kind, (TILE_M, step)),
        (kind, box_of_b(b_major, TILE_N, step)),
        (out.scalar.name, (ROWS, box_columns(out))),
    )
    return [
        px.TensorMap.tiled(
            dtype=dtype,
            address=0,
            dims=(columns, rows),
            strides=(128,),
            box=(columns, rows),
            swizzle=SWIZZLE,
            l2_promotion=L2_PROMOTION if i < 2 else "none",
        )
        for i, (dtype, (rows, columns)) in enumerate(boxes)
    ]
