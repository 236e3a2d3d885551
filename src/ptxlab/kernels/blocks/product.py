"""The structure of a product's kernel: which tiles a CTA computes, the thread that loads them, the warpgroups that multiply.

A `Product` says what its kernel computes. Those that share their work with other devices override what they do otherwise: the
order of tiles, what is waited for before one is loaded, and what the idle warps of the warpgroup that loads are for.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import ptxlab as px
from ptxlab.kernels.blocks.exchange import Exchange
from ptxlab.kernels.blocks.loading import Loader
from ptxlab.kernels.blocks.mainloop import Mainloop, Operands
from ptxlab.kernels.blocks.partials import Partials
from ptxlab.kernels.blocks.promotion import PromotedMainloop, Scales
from ptxlab.kernels.blocks.store import Store
from ptxlab.kernels.blocks.tiling import REGISTERS, ROWS, Tiling, loading_registers, parts
from ptxlab.kernels.pipeline import corner


@dataclass(frozen=True, slots=True)
class Product:
    """The product while its kernel is traced: `rows`, `columns` and `depth` as wgmma has them, of results.

    Attributes:
        scales, arguments: of fp8 in blocks, and the kernel's parameters for them.
        launches_dependents: the next kernel's CTAs may come as soon as all loads have been issued.
        partials: where the sums of a tile's shares are added.
    """

    operands: Operands
    rows: Any
    columns: Any
    depth: Any
    scales: Scales | None = None
    arguments: Sequence[Any] = ()
    launches_dependents: bool = False
    partials: Partials | None = None

    @property
    def k(self) -> px.Builder:
        return self.operands.k

    @property
    def tiling(self) -> Tiling:
        return self.operands.tiling

    @property
    def rank(self) -> Any:
        """Number of the CTA in its cluster."""
        return self.k.ctaid.x & (self.tiling.splits - 1)

    @contextmanager
    def tiles(self) -> Generator[Tile, None, None]:
        """Loop over this CTA's tiles: all that are left where it works alone, one where a cluster shares it."""
        k, t = self.k, self.tiling
        rows, columns = parts(self.rows, t.out_rows), parts(self.columns, t.out_columns)
        if t.parts > 1:
            yield Tile(k, t, k.ctaid.x // t.parts, rows, columns)
            return
        if t.shared:
            rows, columns = (parts(x, n) if n > 1 else x for x, n in zip((rows, columns), t.cluster, strict=True))
            with k.loop(rows * columns, start=k.clusterid.x, step=k.nclusterid.x) as index:
                yield Tile(k, t, index, rows, columns)
            return
        with k.loop(rows * columns, start=k.ctaid.x, step=k.nctaid.x) as index:
            yield Tile(k, t, index, rows, columns)

    def begin(self) -> None:
        """What all threads do before anything is loaded."""

    def fill(self, ring: px.Ring, tile: Tile, start: Any, stop: Any) -> None:
        """Load a tile's stages. One thread executes it."""
        self.operands.fill(ring, *tile.corner(), start, stop, stride=self.stride)

    def rest(self, main: Mainloop, steps: Any, store: Store, tile: Tile, at: tuple[Any, Any]) -> None:
        """Multiply all stages of a tile but the first. `at`: the first row and column of a warpgroup's results."""
        main.rest(steps)

    def beside(self) -> None:
        """What the other three warps of the warpgroup that loads do meanwhile."""

    def share(self) -> tuple[Any, Any]:
        """The CTA's steps along K: the first and the end, `stride` from stage to stage."""
        k, t = self.k, self.tiling
        if t.parts == 1:
            return 0, self.depth
        stages = parts(self.depth, t.step)
        if t.shares > 1:  # stages in turn: what all read at one time lies together in memory
            return k.ctaid.x % t.parts * t.step, self.depth
        start = stages * self.rank // t.splits * t.step
        return start, k.min.u32((stages * self.rank + stages) // t.splits * t.step, self.depth)

    @property
    def stride(self) -> int:
        """Steps along K from one of the CTA's stages to the next."""
        return self.tiling.step * (self.tiling.parts if self.tiling.shares > 1 else 1)

    def mainloop(self, ring: px.Ring, member: Any) -> Mainloop:
        """The consumers' side of the ring."""
        if self.scales is None:
            return Mainloop(self.operands, ring, member)
        return PromotedMainloop(
            self.operands, ring, member, self.scales, self.arguments, extents=(self.rows, self.columns)
        )


@dataclass(slots=True)
class Tile:
    """Tile `index` of `rows` × `columns` tiles. All are registers."""

    k: px.Builder
    tiling: Tiling
    index: Any
    rows: Any
    columns: Any

    def corner(self) -> tuple[Any, Any]:
        """Its first row and its first column."""
        k, t = self.k, self.tiling
        row, column = corner(k, self.index, self.rows, self.columns, t.group)
        if t.cluster == (2, 1):
            row = k.mad.lo.u32(row, 2, k.cluster_ctarank)
        elif t.cluster == (1, 2):
            column = k.mad.lo.u32(column, 2, k.cluster_ctarank)
        return row * t.out_rows, column * t.out_columns


def multiply(p: Product, store: Store) -> None:
    """The kernel: `store` writes what the consumers computed."""
    k, t = p.k, p.tiling
    ring = p.operands.ring()
    loads, multiplies = loading_registers(t) if p.operands.loaded else REGISTERS[t.consumers]
    k.init_barriers()
    k.griddepcontrol.wait()  # what stands above overlaps the end of the previous kernel
    p.begin()
    with k.roles():
        with k.role(warpgroup=0, registers=loads):
            if p.operands.loaded:
                _produce(p, ring)
            else:
                with k.if_(k.warp == 0), k.elect():
                    _produce(p, ring)
                p.beside()
            if t.splits > 1:
                Exchange.join_barriers(k)
        with k.role(warpgroup=range(1, 1 + t.consumers), registers=multiplies):
            _consume(p, ring, store)


def _produce(p: Product, ring: px.Ring) -> None:
    """One thread keeps the ring full, or where threads load an operand, a warpgroup."""
    p.operands.prefetch()
    start, stop = p.share()
    loader = Loader(p.operands, ring) if p.operands.loaded else None
    with p.tiles() as tile:
        if loader is not None:
            loader.fill(*tile.corner(), start, stop, p.stride)
        else:
            p.fill(ring, tile, start, stop)
    p.operands.drain(ring)
    if p.launches_dependents:
        p.k.griddepcontrol.launch_dependents()


def _consume(p: Product, ring: px.Ring, store: Store) -> None:
    """A warpgroup multiplies its share of the rows of each tile, and stores it."""
    k, t = p.k, p.tiling
    member = k.warpgroup - 1
    main = p.mainloop(ring, member)
    store.begin(member)
    start, stop = p.share()
    steps = parts(stop - start, p.stride)
    height = ROWS * t.out_rows // t.rows * t.blocks
    with p.tiles() as tile:
        if isinstance(main, PromotedMainloop):  # which has to know where the tile is
            row, column = tile.corner()
            first = k.mad.lo.u32(member, height, row)
            main.tile(first, column, start, steps)
            main.first()
            main.rest(steps)
        else:
            main.first()
            row, column = tile.corner()  # its divisions hide behind the tensor cores here
            first = k.mad.lo.u32(member, height, row)
            if t.parts == 1:
                store.prefetch_inputs(first, column)
            p.rest(main, steps, store, tile, (first, column))
        if t.splits == 1:
            _store_last(p, store, main.results, first, column)
        else:
            rank = p.rank
            sums = Exchange(k, t, ring, rank).add(main.results)
            with k.if_(rank < t.slices):
                _store_last(p, store, sums, first, k.mad.lo.u32(rank, t.stored_columns, column))
    store.end()


def _store_last(p: Product, store: Store, sums: Any, row: Any, column: Any) -> None:
    """Store these sums, or where others have shares in the tile and this CTA is the last one, those of all."""
    k, t = p.k, p.tiling
    if p.partials is None:
        _store(t, store, sums, row, column)
        return
    tile = k.ctaid.x // t.parts
    slot = k.mad.lo.u32(tile, t.slices, p.rank) if t.splits > 1 else tile
    with p.partials.last(sums, slot, k.ctaid.x // t.splits % t.shares) as added:
        _store(t, store, added, row, column)


def _store(t: Tiling, store: Store, blocks: Any, row: Any, column: Any) -> None:
    if t.gated and t.swapped:
        store.write([*blocks[0], *blocks[1]], row, column)
        return
    for i, block in enumerate(blocks):
        store.write(block, row + ROWS * i if i else row, column)
