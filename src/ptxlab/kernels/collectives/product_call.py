"""The arguments of products that devices share, checked; how one is tiled, and the memory that it takes on each device."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

import ptxlab as px
from ptxlab import ArrayView, Device, Diagnostic, Launch, Process, array_view, user_span
from ptxlab.kernels.blocks.choice import Shape, candidates, time_of
from ptxlab.kernels.blocks.tiling import Tiling
from ptxlab.kernels.collectives.call import Members, bad, element_of, located
from ptxlab.kernels.collectives.room import RANKS
from ptxlab.kernels.gemm_call import (
    TMA_BYTES,
    TYPES,
    Problem,
    check_matrix,
    operand_box,
    operand_map,
    problem,
)

FEWEST_STAGES = 3
"""Of the ring, where all of a tile's results have a place in shared memory."""


@dataclass(frozen=True, slots=True)
class Rooms:
    """Memory for a product on each device, as this process addresses it.

    Attributes:
        buffers: of each device, one part for each other one. flags: of each device, zeros at first.
        counts: of each device, for its own kernel alone, zeros at first; of devices of other processes any array.
    """

    buffers: Sequence[Any]
    flags: Sequence[Any]
    counts: Sequence[Any]

    def part(self, device: int, slot: int) -> ArrayView:
        """A part of a device's buffer."""
        whole = array_view(self.buffers[device])
        return replace(
            whole, address=whole.address + slot * whole.strides[0], shape=whole.shape[1:], strides=whole.strides[1:]
        )


@dataclass(frozen=True, slots=True)
class Wanted:
    """The room that a product takes on each device: `shape` and `dtype` of the buffer, flags, and counts.

    Of two products with the same wishes, one may have the other's room, if they run one after the other. What flags count depends
    on the tiling, and on whether A is gathered.
    """

    shape: tuple[int, ...]
    dtype: str
    flags: int
    counts: int
    tiling: Tiling
    gathers: bool

    def on(self, group: Sequence[Device] | Process) -> Rooms:
        """Rooms on these devices, or on those of all processes, which call this in the same order."""
        if isinstance(group, Process):
            buffers, flags = (group.symmetric(*x) for x in ((self.shape, self.dtype), (self.flags, np.uint32)))
            return Rooms(buffers, flags, [group.device.zeros(self.counts, np.uint32)] * group.count)
        devices = group
        return Rooms(
            [device.zeros(self.shape, self.dtype) for device in devices],
            [device.zeros(self.flags, np.uint32) for device in devices],
            [device.zeros(self.counts, np.uint32) for device in devices],
        )


@dataclass(frozen=True, slots=True)
class ShardedWork:
    """What one device does of a product whose rows come in shards.

    Attributes:
        rank, ranks: of the device, and how many there are. rows: of a shard.
        one: the product of the first shard, of arrays of this device.
        gathers: whether A comes from all devices; else the sums go to all of them.
    """

    rank: int
    ranks: int
    rows: int
    one: Problem
    tiling: Tiling
    gathers: bool

    @property
    def n(self) -> int:
        """Columns of the product."""
        return self.one.n

    @property
    def itemsize(self) -> int:
        """Bytes of a result."""
        return self.one.c.itemsize

    @property
    def out(self) -> type[px.Register]:
        """The type of results."""
        return TYPES[self.one.c.dtype]

    @property
    def high(self) -> int:
        """Rows of C in a tile."""
        return self.tiling.columns if self.tiling.swapped else self.tiling.rows

    @property
    def chunks(self) -> int:
        """Rows of tiles in a shard."""
        return -(-self.rows // self.high)

    @property
    def tiles(self) -> int:
        """Tiles of a shard."""
        return self.tiling.tiles(self.rows, self.n)

    @property
    def ctas(self) -> int:
        """CTAs of the device."""
        return min(self.tiles * self.ranks, self.one.multiprocessors)

    @property
    def wanted(self) -> Wanted:
        """The room that it takes on each device, the same on all."""
        others = self.ranks - 1
        flags = RANKS + others * (self.chunks if self.gathers else self.tiles * self.tiling.consumers)
        width, dtype = (self.one.depth, self.one.a.dtype) if self.gathers else (self.n, self.one.c.dtype)
        return Wanted((others, self.rows, width), dtype, flags, self.ctas, self.tiling, self.gathers)

    @property
    def a_shards(self) -> list[ArrayView]:
        """The shards of this device's A, where it has all of them."""
        step = self.one.a.strides[0 if self.one.a_major == "K" else 1] * self.rows
        return [_moved(self.one.a, step * i) for i in range(self.ranks)]

    @property
    def c_shards(self) -> list[ArrayView]:
        """The shards of this device's output, where it has all of them."""
        return [_moved(self.one.c, self.one.pitch * self.rows * i) for i in range(self.ranks)]

    def prepared(
        self,
        kernel: px.Kernel,
        *,
        a: Sequence[ArrayView],
        c: Sequence[ArrayView],
        numbers: Sequence[Any],
        more: Sequence[Any],
        stream: Any,
        **constants: Any,
    ) -> Launch:
        """The launch of a kernel of shards, in the order of computing.

        Args:
            a, c: of each shard, as they lie. numbers, more: the kernel's further arguments, behind the sizes and behind the maps.
            constants: of the kernel, beside those of all such kernels.
        """
        p, t = self.one, self.tiling
        wide = t.rows if t.swapped else t.columns
        box = operand_box(p.a_major, self.high, t.step)
        maps = [operand_map(p, "A", x, box) for x in a]
        maps += [p.map("C", x, t.box(x.itemsize)) for x in c]
        b = operand_map(p, "B", p.b, operand_box(p.b_major, wide, t.step))
        sizes = (self.n, self.rows) if t.swapped else (self.rows, self.n)
        types = (TYPES[p.a.dtype], TYPES[p.b.dtype])
        made = kernel.specialize(tiling=t, majors=(p.a_major, p.b_major), types=types, **constants)
        args = [b, *sizes, p.depth, *numbers, *maps, *more]
        return made.prepare(grid=self.ctas, args=args, buffers=[*a, p.b, *c], stream=stream)


def _moved(x: ArrayView, nbytes: int) -> ArrayView:
    return replace(x, address=x.address + nbytes)


def shared_work(
    group: Members,
    a: Any,
    b: Any,
    outputs: Any,
    *,
    b_layout: str,
    config: Tiling | str | None,
    gathers: bool,
) -> list[ShardedWork]:
    """What each device of a group in this process does. Raises: Diagnostic PTX2345 and those of `work_of`."""
    views = [located(name, group, x) for name, x in (("a", a), ("b", b), ("outputs", outputs))]
    for name, some in zip(("a", "b", "outputs"), views, strict=True):
        if len({x.strides for x in some}) > 1:
            raise bad(f"The arrays of {name} have different strides.", "give arrays that lie alike on all devices")
    return [
        work_of(rank, group.count, *arrays, b_layout=b_layout, config=config, gathers=gathers)
        for rank, arrays in zip(group.ranks, zip(*views, strict=True), strict=True)
    ]


def work_of(
    rank: int,
    ranks: int,
    a: Any,
    b: Any,
    output: Any,
    *,
    b_layout: str = "kn",
    config: Tiling | str | None = None,
    gathers: bool,
) -> ShardedWork:
    """What one device does, which depends on its own arrays alone.

    Raises: Diagnostic PTX2345 for shapes and layouts that cannot be shared; PTX2307, PTX2308, PTX2309, PTX2112 as `gemm`.
    """
    left, result = array_view(a), array_view(output)
    for name, x in (("A", left), ("The output", result)):
        check_matrix(name, x, (x.dtype,))
    part, whole = (left, result) if gathers else (result, left)
    rows = part.shape[0]
    if whole.shape[0] != rows * ranks:
        raise bad(
            f"{'The output' if gathers else 'A'} has {whole.shape[0]} rows, and a device's part {rows}.",
            f"of {ranks} devices each has 1/{ranks} of the rows: pad them to a multiple of {ranks}",
        )
    first = replace(whole, shape=(rows, whole.shape[1]))
    p = problem(left, b, first, b_layout) if gathers else problem(first, b, result, b_layout)
    _check(p, rows, gathers=gathers)
    return ShardedWork(rank, ranks, rows, p, _tiling(p, ranks, config, gathers=gathers), gathers)


def _check(p: Problem, rows: int, *, gathers: bool) -> None:
    """That TMA reads and writes all shards, and that nothing is written that others read."""
    if not gathers:
        element_of([p.c])
    if 0 in (*p.c.shape, p.depth):
        raise bad("The product has no elements.", "give matrices with rows and columns")
    if gathers and (p.a_major != "K" or not p.a.contiguous):
        raise bad("A is not contiguous.", "other devices get it as it lies: give a contiguous copy")
    for name, x, major in (("A", p.a, p.a_major), ("B", p.b, p.b_major)):
        if major == "MN" and x.itemsize != 2:
            way = "M×K" if name == "A" else "N×K"
            raise bad(f"{name} is {x.dtype}, and its neighbours lie across K.", f"give it as {way}, with rows along K")
        pitch = x.strides[0] if x.shape[0] > 1 or name == "A" else 0
        across = rows * x.itemsize if name == "A" and major == "MN" else 0
        if any(at % TMA_BYTES for at in (x.address, pitch, across)):
            raise bad(f"Rows of {name} do not begin at multiples of {TMA_BYTES} bytes.", "pad them, shard by shard")
    if not p.c.writable:
        raise bad("The output is read-only.", "give an array that can be written")
    if not p.tma_can_store or p.pitch % TMA_BYTES:
        raise bad(f"Rows of the output are no multiples of {TMA_BYTES} bytes.", "pad its rows")
    if any(p.c.overlaps(x) for x in (p.a, p.b)):
        raise bad("The output overlaps an input.", "give another array")


def _tiling(p: Problem, ranks: int, config: Tiling | str | None, *, gathers: bool) -> Tiling:
    """The tiling that is asked for, or the fastest for all shards; with room for a tile's results, where they go elsewhere."""
    one = p.shape(per_line="" if gathers else "c")
    if config is None:
        alone = [t for t in candidates(replace(one, m=one.m * ranks)) if t.ctas == 1]
        chosen = min(alone, key=lambda t: time_of(_padded(one, ranks, t), t), default=one.cut(Tiling(64, 64, 1)))
    else:
        chosen = one.cut(Tiling.named(config) if isinstance(config, str) else config)
    if chosen.ctas > 1:
        raise Diagnostic(
            "PTX2112",
            f"Tiling {chosen} has clusters.",
            help="a CTA computes a tile alone where devices share a product",
            origin=user_span(),
        )
    fitted = chosen.fitted(p.c.itemsize, p.depth, p.b_major, p.a_major)
    if gathers or chosen.stages:
        return fitted
    wide = replace(chosen, together=chosen.boxes(p.c.itemsize))
    enough = wide.room(p.c.itemsize) >= FEWEST_STAGES
    return wide.fitted(p.c.itemsize, p.depth, p.b_major, p.a_major) if enough else fitted


def _padded(one: Shape, ranks: int, t: Tiling) -> Shape:
    """The product with shards of whole tiles."""
    high = t.columns if t.swapped else t.rows
    return replace(one, m=-(-one.m // high) * high * ranks)
