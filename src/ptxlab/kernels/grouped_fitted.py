"""Products with few rows each, in one launch, in tiles that are only as wide as each product needs.

The kernel computes Cᵀ = Bᵀ · Aᵀ: rows of A become the N of wgmma, which may be any multiple of 8, where `grouped_gemm` cuts rows
into blocks of 128. So 200 rows are one tile of 208 columns, where 256 would be multiplied, and 264 rows are two tiles of 144. One
kernel holds all widths: a CTA branches to the code for its product, each with its own registers and wgmma. A stage takes as many
boxes of rows of A as the tile is wide.

Tensor maps and tiles are scheduled as in `grouped_gemm`; ring, mainloop and stores are those of `gemm`. The largest products come
first: CTAs stay in step, so that tiles of one product read the same columns of B at the same time, and the last tiles are the
smallest. docs/reference/bench-kernels.md says what was measured.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import ptxlab as px
from ptxlab import Launch, device_of
from ptxlab.kernels.blocks.finish import Finish
from ptxlab.kernels.blocks.mainloop import Mainloop, Operand, Operands
from ptxlab.kernels.blocks.tiling import REGISTERS, ROWS, WARPGROUP, Tiling, parts
from ptxlab.kernels.gemm_call import TYPES
from ptxlab.kernels.gemm_degenerate import EmptyProduct
from ptxlab.kernels.grouped_call import Groups, Piece, pieces_of, table_of
from ptxlab.kernels.grouped_packed import BoundStore, templates
from ptxlab.kernels.grouped_scheduler import MAPS, SETS, ProductList, ProductQueue, TileIterator, bind

STEP = 16
"""Rows of A that a tile's width is a multiple of, and rows of A and of C in a box."""
WIDEST = 256
"""Rows of A of a tile at most."""
HEIGHT = 128
"""Columns of B of a tile."""
TOGETHER = 4
"""Boxes of C that are stored at once."""
BOARD = 2048
"""Bytes of shared memory for the binder: what is known of the products, and the maps that it changes."""
WORTH = 0.97
"""Of the work in blocks of 128 rows, how much tiles of fitting width may leave at most to be preferred."""


def width_of(rows: int) -> tuple[int, int]:
    """Columns of tiles that so many rows are cut into, and the width of each."""
    count = -(-rows // WIDEST)
    return count, -(-rows // count // STEP) * STEP


def is_faster(found: Groups, tile_m: int, tile_n: int, narrow: int) -> bool:
    """Whether tiles of fitting width save enough work compared with tiles of `tile_m` × `tile_n` that end in `narrow` columns."""
    if not found.tma_can_store or not found.problems:
        return False
    fixed = fitted = 0
    for p in found.problems:
        count, width = width_of(p.m)
        fitted += count * width * -(-p.n // HEIGHT) * HEIGHT * p.depth
        for piece in pieces_of(p, tile_m, tile_n, narrow):
            fixed += piece.rows * tile_m * piece.columns * (narrow if piece.word else tile_n) * p.depth
    return fitted < WORTH * fixed


@dataclass(frozen=True, slots=True)
class _Products:
    """The launch while its kernel is traced.

    Attributes:
        operands: of the widest tiles, with templates of the maps. c: template of that of C. widths: that there are.
    """

    operands: Operands
    c: Any
    listed: ProductList
    widths: tuple[int, ...]
    out: type[px.Register]

    @property
    def k(self) -> px.Builder:
        return self.operands.k

    @property
    def maps(self) -> tuple[Any, Any, Any]:
        """Templates of the maps of A, B and C."""
        return self.operands.right.map, self.operands.left.map, self.c


def _multiply(p: _Products) -> None:
    k, t = p.k, p.operands.tiling
    ring, queue = p.operands.ring(), ProductQueue(p.listed, 1 + t.consumers * WARPGROUP)
    store = _store(p)
    loads, multiplies = REGISTERS[t.consumers]
    k.init_barriers()
    with k.roles():
        with k.role(warpgroup=0, registers=loads):
            with k.if_(k.warp == 0), k.elect():
                _produce(p, queue, ring)
            with k.if_(k.warp == 1):
                bind(queue, p.maps)
        with k.role(warpgroup=range(1, 1 + t.consumers), registers=multiplies):
            _consume(p, queue, ring, store)


def _produce(p: _Products, queue: ProductQueue, ring: px.Ring) -> None:
    """One thread keeps the ring full."""
    k, t, iterator = p.k, p.operands.tiling, _TileIterator(queue, p)
    places = [k.reg(px.u64) for _ in range(2)]
    a, b = (k.tensormap(px.Address.of(at), like=template) for at, template in zip(places, p.maps, strict=False))
    left = replace(p.operands.left, map=b)
    fixed, each = (tile.nbytes // t.stages for tile in ring.tiles)
    each = each // t.columns * STEP

    def on_product() -> None:
        # what it knew of the last product is in registers now: it need not wait for the loads to end
        queue.done[iterator.before].arrive(pred=iterator.changed == 1)
        for i, (place, map) in enumerate(zip(places, (a, b), strict=True)):
            k.mov.u64(iterator.map(i).register(), d=place)
            map.acquire()

    with iterator.tiles(on_product) as tile:
        row, column = iterator.corner(tile)
        boxes = iterator.narrow // STEP
        nbytes = boxes * each + fixed
        with k.loop(iterator.stop, start=iterator.start, step=t.step) as at, ring.produce(nbytes=nbytes) as slot:
            left.load(k, slot[0], at, row, slot.full)
            with k.loop(boxes) as i:
                k.tma_load(slot[1].part(i, t.columns // STEP), a, (at, k.mad.lo.u32(i, STEP, column)), slot.full)


def _consume(p: _Products, queue: ProductQueue, ring: px.Ring, store: BoundStore) -> None:
    """A warpgroup multiplies its share of the rows of each tile, and stores it."""
    k, t = p.k, p.operands.tiling
    member = k.warpgroup - 1
    mains = {w: Mainloop(replace(p.operands, tiling=replace(t, columns=w)), ring, member) for w in p.widths}
    store.begin(member)
    iterator = _TileIterator(queue, p)

    with iterator.tiles(lambda: store.open(iterator)) as tile:
        steps = parts(iterator.stop - iterator.start, t.step)
        row, column = iterator.corner(tile)
        first = k.mad.lo.u32(member, ROWS * t.blocks, row)
        for width, main in mains.items():
            with k.if_(iterator.narrow == width):
                main.first()
                main.rest(steps)
                with k.if_(iterator.changed == 1):
                    store.close()
                    queue.done[iterator.before].arrive()
                for i, block in enumerate(main.results):
                    store.write(block, first + ROWS * i if i else first, column)
    store.end()


class _TileIterator(TileIterator):
    """Iterates over tiles whose width depends on the product."""

    def __init__(self, queue: ProductQueue, p: _Products) -> None:
        super().__init__(queue, (HEIGHT, WIDEST))

    def corner(self, tile: Any) -> tuple[Any, Any]:
        """First row and first column of a tile in its product."""
        row, column = self.place(tile)
        return row * HEIGHT, column * self.narrow


def _store(p: _Products) -> BoundStore:
    """Results go to memory as they are."""
    k, t = p.k, replace(p.operands.tiling, columns=STEP)
    nowhere = k.mov.u32(0)
    finish = Finish(k, t, (), arguments=(), extents=(nowhere, nowhere), out=p.out)
    return BoundStore(k, p.c, p.out, t, finish)


@px.kernel(target="sm_90a", threads=(1 + 2) * WARPGROUP)
def grouped_fitted(
    k: px.Builder,
    a: px.TensorMap,
    b: px.TensorMap,
    c: px.TensorMap,
    maps: px.Ptr[px.TensorMap],
    ends: px.Ptr[px.u32],
    entries: px.Ptr[px.b8],
    tiles: px.u32,
    *,
    tiling: Tiling,
    widths: tuple[int, ...],
    b_major: str,
    types: tuple[type[px.Register], type[px.Register]],
    out: type[px.Register],
) -> None:
    """C is written by TMA: the rows of every one are multiples of 16 bytes."""
    operands = Operands(k, tiling, Operand(b, b_major, types[1]), Operand(a, "K", types[0]))
    _multiply(_Products(operands, c, ProductList(k, maps, ends, entries, tiles), widths, out))


def tiling_of(found: Groups, widest: int) -> Tiling:
    """The widest tiles of a list."""
    size, item = found.problems[0].a.itemsize, found.anchor.itemsize
    t = Tiling(HEIGHT, widest, 2, swapped=True, size=size, together=TOGETHER)
    return replace(t, stages=t.stages_left(replace(t, columns=STEP).staging(item) + BOARD))


def prepare_fitted(found: Groups, device: str, stream: Any) -> Launch:
    """The launch of products. Raises: Diagnostic, see `grouped_gemm`."""
    if not found.problems:
        return EmptyProduct(found.anchor)
    cut = [(p, *width_of(p.m)) for p in found.problems]
    cut.sort(key=lambda x: (-x[0].depth * x[2], -x[2]))
    pieces: Sequence[Piece] = [Piece(p, -(-p.n // HEIGHT), count, width) for p, count, width in cut]
    made = table_of(pieces)
    widths = tuple(sorted({width for _, _, width in cut}))
    t = tiling_of(found, widths[-1])
    ctas = min(made.tiles, device_of(found.anchor).sm_count)
    maps, ends, entries = (
        device_of(found.anchor).copy(x) for x in (made.room(ctas * SETS * MAPS), made.ends, made.entries)
    )
    kinds = (found.types[0], "K"), (found.types[1], found.b_major), found.dtype
    patterns = templates(replace(t, columns=STEP), *kinds)
    return grouped_fitted.specialize(
        tiling=t,
        widths=widths,
        b_major=found.b_major,
        types=(TYPES[found.types[0]], TYPES[found.types[1]]),
        out=TYPES[found.dtype],
    ).prepare(
        grid=(ctas, 1, 1),
        args=[*patterns, maps, ends, entries, made.tiles],
        buffers=found.arrays,
        device=device,
        stream=stream,
    )
