"""The ring of stages, the thread that fills it, and what a consumer warpgroup multiplies."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import ptxlab as px
from ptxlab.kernels.blocks.tiling import ROWS, SPAN, SWIZZLES, WARPGROUP, Tiling


@dataclass(frozen=True, slots=True, repr=False)
class Operand:
    """A matrix to multiply: its map, whether its rows run along K ("K") or across it ("MN"), and the type of its elements.

    Attributes:
        map: a px.TensorMap parameter; its box is a step along K by the lines of a tile, its swizzle "128B".
        major: "K" or "MN". dtype: e.g. px.bf16.

    Example:
        from ptxlab.kernels.blocks.mainloop import Operand
        from ptxlab.kernels.blocks.tiling import Tiling

        @px.kernel(threads=128, cluster=2)
        def stage(k, a: px.TensorMap):
            operand = Operand(a, "K", px.bf16)
            tiles = operand.tile(k, Tiling(stages=2), 32, "a_tiles")
            halves = operand.tile(k, Tiling(stages=1), 64, "halves")
            bar = k.mbarrier(1)
            k.init_barriers()
            with k.if_(k.thread == 0):
                bar.arrive_expect_tx(2 * tiles[0].nbytes + halves[0].nbytes)
                operand.load(k, tiles[0], 0, 0, bar)
                operand.load_pieces(k, tiles[1], 0, [0], bar)
                rank = k.cluster_ctarank
                operand.load_half(k, halves[0], 0, 32 * rank, bar, rank)  # and the peer's half comes from the peer
            bar.wait_cluster(0, only_shared=True)
            k.cluster_sync()

        a = px.empty((64, 64), "bf16")
        a[...] = 1
        px.simulate(stage, grid=2, args=[px.tensor_map(a, box=(32, 64), swizzle="128B")])
    """

    map: Any
    major: str
    dtype: type[px.Register]

    @property
    def by_threads(self) -> bool:
        """Whether threads load it, by ordinary loads: see `LoadedOperand`."""
        return False

    def __repr__(self) -> str:
        return f"<Operand {self.map!r} of .{self.dtype.scalar}, rows along {self.major}>"

    def tile(self, k: px.Builder, tiling: Tiling, lines: int, name: str) -> px.Tile:
        """Its part of the ring: `lines` along M or N."""
        shape = (lines, tiling.step) if self.major == "K" else (tiling.step, lines)
        span = min(SPAN, shape[1] * self.dtype.scalar.bytes)  # less of a few lines whose neighbours lie across K
        return k.smem(self.dtype, (tiling.stages, *shape), swizzle=SWIZZLES[span], name=name)

    def load(self, k: px.Builder, tile: px.Tile, at: Any, line: Any, full: px.Mbarrier) -> None:
        """A stage of it, from step `at` along K and from `line` on."""
        k.tma_load(tile, self.map, (at, line) if self.major == "K" else (line, at), full)

    def load_half(self, k: px.Builder, tile: px.Tile, at: Any, line: Any, full: px.Mbarrier, rank: Any) -> None:
        """Half of a stage of it, from `line` on, for both CTAs of a cluster: the half of this CTA's rank."""
        half = tile.part(rank, 2, axis=0 if self.major == "K" else 1)
        k.tma_load(half, self.map, (at, line) if self.major == "K" else (line, at), full, multicast=0b11)

    def load_pieces(self, k: px.Builder, tile: px.Tile, at: Any, lines: Sequence[Any], full: px.Mbarrier) -> None:
        """A stage of it in equal pieces that begin at different lines."""
        axis = 0 if self.major == "K" else 1
        for i, line in enumerate(lines):
            self.load(k, tile.part(i, len(lines), axis=axis), at, line, full)


@dataclass(frozen=True, slots=True, repr=False)
class Operands:
    """What is multiplied, as wgmma sees it: `left` has the rows of a tile, `right` its columns.

    Attributes:
        k: the builder. tiling: how the product is cut. left, right: the matrices.
        gap: of a tiling with a gate, how far what it lets through is behind the gate: a register, or None.

    Example: see Mainloop
    """

    k: px.Builder
    tiling: Tiling
    left: Operand
    right: Operand
    gap: Any = None

    def __repr__(self) -> str:
        return f"<Operands of {self.tiling}: {self.left!r}, {self.right!r}>"

    def ring(self) -> px.Ring:
        """The stages in shared memory.

        Example: see Mainloop
        """
        k, t = self.k, self.tiling
        left = self.left.tile(k, t, t.rows, "left_tiles")
        right = self.right.tile(k, t, t.columns, "right_tiles")
        count = t.consumers * t.cluster[0] * t.cluster[1]
        return k.ring(t.stages, left, right, producers=self._producers, consumers=count, cluster=t.shared)

    @property
    def loaded(self) -> bool:
        """Whether threads load an operand."""
        return self.left.by_threads or self.right.by_threads

    @property
    def _producers(self) -> int:
        """Arrivals that fill a stage: of the thread that starts copies, and of each warp that loads."""
        warps = WARPGROUP // 32 if self.loaded else 0
        return warps + (not (self.left.by_threads and self.right.by_threads))

    def prefetch(self) -> None:
        """The maps, before they are needed.

        Example: see Mainloop
        """
        for operand in (self.left, self.right):
            if not operand.by_threads:
                self.k.prefetch.tensormap(operand.map)

    def fill(self, ring: px.Ring, row: Any, column: Any, start: Any, stop: Any, *, stride: int | None = None) -> None:
        """Load the stages of a tile: steps `start` to `stop` along K. One thread executes it.

        Args:
            ring: of `ring()`. row, column: where the tile starts: ints or registers. start, stop: along K.
            stride: steps from one stage to the next; default `tiling.step`.

        Example: see Mainloop
        """
        k, t = self.k, self.tiling
        if t.shared:
            self._fill_shared(ring, row, column, start, stop)
            return
        rows, columns = [row], [column]
        if t.gated and t.swapped:
            firsts = [row + ROWS * i if i else row for i in range(t.consumers)]
            rows = [x for first in firsts for x in (first, first + self.gap)]
        elif t.gated:
            columns = [column, column + self.gap]
        with k.loop(stop, start=start, step=stride or t.step) as at, ring.produce() as slot:
            self.left.load_pieces(k, slot[0], at, rows, slot.full)
            self.right.load_pieces(k, slot[1], at, columns, slot.full)

    def _fill_shared(self, ring: px.Ring, row: Any, column: Any, start: Any, stop: Any) -> None:
        """`fill`, where each of two CTAs loads half of the rows or columns that both multiply."""
        k, t, rank = self.k, self.tiling, self.k.cluster_ctarank
        across = t.cluster == (1, 2)
        half = k.mad.lo.u32(rank, t.rows // 2, row) if across else k.mad.lo.u32(rank, t.columns // 2, column)
        with k.loop(stop, start=start, step=t.step) as at, ring.produce() as slot:
            if across:
                self.left.load_half(k, slot[0], at, half, slot.full, rank)
                self.right.load(k, slot[1], at, column, slot.full)
            else:
                self.left.load(k, slot[0], at, row, slot.full)
                self.right.load_half(k, slot[1], at, half, slot.full, rank)

    def drain(self, ring: px.Ring) -> None:
        """Wait until all that was loaded is used up, in both CTAs of a cluster: a CTA that is gone cannot be told so.

        Args:
            ring: of `ring()`.

        Example: see Mainloop
        """
        if self.tiling.shared:
            with self.k.loop(self.tiling.stages), ring.produce(expect=False):
                pass


class Mainloop:
    """The consumers' side of the ring: each stage is multiplied, and given back one stage later.

    Attributes:
        results: one accumulator for each 64 rows that the warpgroup has.

    Args:
        operands: what is multiplied. ring: of `operands.ring()`. member: number of the warpgroup among the consumers, a register.

    Example:
        from ptxlab.kernels.blocks.finish import Finish
        from ptxlab.kernels.blocks.mainloop import Mainloop, Operand, Operands
        from ptxlab.kernels.blocks.store import TmaStore
        from ptxlab.kernels.blocks.tiling import Tiling

        tiling = Tiling(rows=64, columns=64, consumers=1, stages=2)

        @px.kernel(threads=tiling.threads)
        def product(k, a: px.TensorMap, b: px.TensorMap, c: px.TensorMap):
            operands = Operands(k, tiling, Operand(a, "K", px.bf16), Operand(b, "K", px.bf16))
            ring = operands.ring()
            finish = Finish(k, tiling, [], arguments=[], extents=(k.mov.u32(64), k.mov.u32(64)), out=px.f32)
            store = TmaStore(k, c, px.f32, tiling, finish)
            k.init_barriers()
            with k.roles():
                with k.role(warpgroup=0), k.if_(k.warp == 0), k.elect():
                    operands.prefetch()
                    operands.fill(ring, 0, 0, 0, 128)  # row 0, column 0, steps 0 to 128
                    operands.drain(ring)
                with k.role(warpgroup=1):
                    main = Mainloop(operands, ring, k.warpgroup - 1)
                    store.begin(k.warpgroup - 1)
                    at = k.mov.u32(0)
                    main.first()
                    store.prefetch_inputs(at, at)
                    main.some(1, 2)  # 128 steps are two stages
                    main.complete()  # `main.rest(2)` does both
                    store.write(main.results[0], at, at)
                    store.end()

        a, b, c = px.empty((64, 128), "bf16"), px.empty((64, 128), "bf16"), px.empty((64, 64), "f32")
        a[...], b[...] = 1, 2
        maps = [px.tensor_map(x, box=(64, 64), swizzle="128B") for x in (a, b)]
        product[1](*maps, px.tensor_map(c, box=tiling.box(4), swizzle="128B"))
        print((c == 256).all())  # True
    """

    INTEGERS = ("s8", "u8")

    def __init__(self, operands: Operands, ring: px.Ring, member: Any) -> None:
        k = self.k = operands.k
        self.operands, self.ring, self.tiling = operands, ring, operands.tiling
        t = self.tiling
        whole = operands.left.dtype.scalar.name in self.INTEGERS
        self.results = [k.accumulator(ROWS, t.columns, "s32" if whole else "f32") for _ in range(t.blocks)]
        left, right = ring.tiles
        part = left.part(member, t.consumers, axis=1 if operands.left.major == "K" else 2) if t.consumers > 1 else left
        described = part.descriptor(operands.left.major)
        self.left = [described.at(ROWS * i) if i else described for i in range(t.blocks)]
        self.right = right.descriptor(operands.right.major)
        thread = k.tid.x & (WARPGROUP - 1)
        self.arrives = thread < t.cluster[0] * t.cluster[1]  # thread r gives stages back to CTA r of the cluster
        self.empty = ring.empty.remote(thread & 1) if t.shared else ring.empty
        self.previous = k.reg(px.u32)
        self.wgmma, self.more = self._instruction(whole)

    def __repr__(self) -> str:
        return f"<Mainloop of {self.tiling}>"

    def _instruction(self, whole: bool) -> tuple[Any, list[int]]:
        """wgmma for these types, and what it takes beside operands and scale_d: signs, and where operands lie across K."""
        o, t = self.operands, self.tiling
        found = getattr(self.k.wgmma.mma_async.sync.aligned, f"m64n{t.columns}k{t.step // 4}")
        found = found.s32 if whole else found.f32
        for operand in (o.left, o.right):
            name = operand.dtype.scalar.name
            found = getattr(found, "tf32" if name == "f32" else name)
        if whole:
            return found, []
        across = [int(operand.major == "MN") for operand in (o.left, o.right)]
        return found, [1, 1, *across] if t.size == 2 else [1, 1]

    def first(self) -> None:
        """Begin a tile: issue the products of its first stage."""
        self._multiply(first=True)

    def rest(self, steps: Any) -> None:
        """All stages of a tile but the first, of `steps` in all; then the results are complete."""
        self.some(1, steps)
        self.complete()

    def some(self, start: Any, stop: Any) -> None:
        """Stages `start` to `stop` of a tile. Behind them the products of the last one are under way.

        Args:
            start, stop: ints or registers; the first stage is that of `first`.

        Example: see Mainloop
        """
        with self.k.loop(stop, start=start):
            self._multiply(first=False)

    def complete(self) -> None:
        """Behind the last stage of a tile: the results are complete.

        Example: see Mainloop
        """
        self.k.wgmma.wait_group.sync.aligned(0)
        self._give_back(self.previous)

    def _multiply(self, *, first: bool) -> None:
        k = self.k
        with self.ring.consume(release=None) as slot:
            left, right = [d.stage(slot.stage) for d in self.left], self.right.stage(slot.stage)
            k.wgmma.fence.sync.aligned()
            for i in range(right.steps):
                b = right[i]
                for block, a in zip(self.results, left, strict=True):
                    self.wgmma(block, a[i], b, not (first and i == 0), *self.more)
            k.wgmma.commit_group.sync.aligned()
            if not first:
                k.wgmma.wait_group.sync.aligned(1)
                self._give_back(self.previous)
            k.mov.u32(slot.stage, d=self.previous)

    def _give_back(self, stage: Any) -> None:
        """A stage may be loaded again, as far as this warpgroup is concerned."""
        if isinstance(self.empty, px.Mbarrier):
            self.empty[stage].arrive(pred=self.arrives)
        else:
            self.empty[stage].arrive(publish="shared", pred=self.arrives)
