"""Products of which each device has a part of the rows: what their kernels have in common.

The rows of A and of C come in as many equal shards as there are devices, each with maps of its own. A device computes all of them,
in an order that goes round the devices, and numbers them by their places in this order. In its own memory a device has a *slot* for
each other one: slot i belongs to the device i + 1 behind it, going round.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

import ptxlab as px
from ptxlab.kernels.blocks.finish import Finish
from ptxlab.kernels.blocks.mainloop import Mainloop, Operand, Operands
from ptxlab.kernels.blocks.product import Product, Tile
from ptxlab.kernels.blocks.signature import Extra, extended
from ptxlab.kernels.blocks.store import Store, TmaStore
from ptxlab.kernels.blocks.tiling import Tiling, parts
from ptxlab.kernels.collectives.room import reach
from ptxlab.kernels.pipeline import corner


@dataclass(frozen=True, slots=True)
class Neighbours:
    """The other devices, and the flags that they and this one set in each other's memory.

    The first RANKS flags of a device say by slot which launch the others have begun; then come those of the operation, by slot.

    Attributes:
        there: flags of the others, the device in front of this one first. Entry i has this device in its slot i, and its own slot
            here is `slot(i)`. here: this device's flags. count: how often this CTA has been launched, in memory.
        patience: nanoseconds that a thread waits before it traps; 0: for ever.
    """

    k: px.Builder
    there: Sequence[Any]
    here: Any
    count: Any
    patience: int = 0

    def slot(self, entry: int) -> int:
        """The slot of an entry of `there`."""
        return len(self.there) - 1 - entry

    def begin(self) -> Any:
        """Tell the others that all earlier launches of this device have ended. Returns the number of this one, from 1 on."""
        k = self.k
        number = k.ld.global_.u32(self.count) + 1
        k.bar.sync(0)
        with k.if_(k.tid.x == 0):
            k.st.global_.u32(self.count, number)
        for slot, flags in enumerate(self.there):
            with k.if_(k.ctaid.x == 0), k.if_(k.tid.x == slot):
                k.st.release.sys.global_.u32(flags[slot], number)
        return number

    def wait(self, flag: Any, number: Any) -> None:
        """Wait until a flag of this device's has come to a number."""
        reach(self.k, self.here[flag], number, self.patience)


@dataclass(slots=True)
class ShardTile(Tile):
    """Tile `index` of all shards, of `rows` × `columns` tiles each.

    Attributes:
        place: of its shard in the order of computing. within: its number in the shard. Both are there once `corner` was called.
    """

    place: Any = None
    within: Any = None

    def corner(self) -> tuple[Any, Any]:
        """Its first row and its first column in its shard."""
        k, t = self.k, self.tiling
        each = self.rows * self.columns
        self.place = self.index // each
        self.within = self.index - self.place * each
        row, column = corner(k, self.within, self.rows, self.columns, t.group)
        return row * t.out_rows, column * t.out_columns


@dataclass(frozen=True, slots=True)
class ShardedProduct(Product):
    """The product of all shards; `rows` and `columns` are those of one.

    Attributes:
        maps: of A's shards, in the order of computing.
    """

    maps: Sequence[Any] = ()

    @contextmanager
    def tiles(self) -> Generator[Tile, None, None]:
        """Loop over this CTA's tiles, shard after shard."""
        k, t = self.k, self.tiling
        rows, columns = parts(self.rows, t.out_rows), parts(self.columns, t.out_columns)
        with k.loop(rows * columns * len(self.maps), start=k.ctaid.x, step=k.nctaid.x) as index:
            yield ShardTile(k, t, index, rows, columns)

    def fill(self, ring: px.Ring, tile: Tile, start: Any, stop: Any) -> None:
        """Load a tile's stages through the map of its shard."""
        assert isinstance(tile, ShardTile)
        row, column = tile.corner()
        self.await_rows(tile, column if self.tiling.swapped else row)
        side = "right" if self.tiling.swapped else "left"
        for place, map in enumerate(self.maps):
            operand = replace(getattr(self.operands, side), map=map)
            with self.k.if_(tile.place == place):
                replace(self.operands, **{side: operand}).fill(ring, row, column, start, stop)

    def await_rows(self, tile: ShardTile, row: Any) -> None:
        """Wait for the rows of A that a tile needs, from `row` of its shard on. One thread executes it."""

    def rest(self, main: Mainloop, steps: Any, store: Store, tile: Tile, at: tuple[Any, Any]) -> None:
        """The same, and the store knows where the tile belongs."""
        assert isinstance(store, ShardStore)
        assert isinstance(tile, ShardTile)
        store.place = tile.place
        main.rest(steps)


@dataclass(frozen=True, slots=True)
class Given:
    """What a kernel of shards is given behind its own parameters.

    Attributes:
        a, c: maps of shards, in the order of computing. flags, others: of each other device its flags, and what else there is.
    """

    a: Sequence[Any]
    c: Sequence[Any]
    flags: Sequence[Any]
    others: Sequence[Any]

    @classmethod
    def of(cls, more: Sequence[Any], ranks: int) -> Given:
        """The values of these parameters, as `shard_kernel` declares them."""
        maps, rest = more[: 2 * ranks], more[2 * ranks :]
        return cls(maps[:ranks], maps[ranks:], rest[: ranks - 1], rest[ranks - 1 :])

    def operands(
        self,
        k: px.Builder,
        tiling: Tiling,
        b: Any,
        majors: tuple[str, str],
        types: tuple[type[px.Register], type[px.Register]],
    ) -> Operands:
        """A's first shard and B, as wgmma has them."""
        sides = [Operand(x, *kind) for x, kind in zip((self.a[0], b), zip(majors, types, strict=True), strict=True)]
        return Operands(k, tiling, *(reversed(sides) if tiling.swapped else sides))


def shard_kernel(function: Callable[..., None], consumers: int, ranks: int, other: tuple[str, Any]) -> px.Kernel:
    """A kernel of shards, for so many consumers and devices, with what is `Given` as its last parameters.

    other: the name and the type of what it has of each other device.
    """
    per_shard = [Extra(f"{name}{i}", px.TensorMap) for name in ("a", "c") for i in range(ranks)]
    per_other = [
        Extra(f"{name}{i}", kind) for name, kind in (("flags", px.Ptr[px.u32]), other) for i in range(ranks - 1)
    ]
    made = px.kernel(target="sm_90a", threads=Tiling(consumers=consumers).threads)
    return made(extended(function, [*per_shard, *per_other]))


class ShardStore(TmaStore):
    """Stores through the map of a tile's shard.

    Args:
        maps: of C's shards, in the order of computing.
    """

    def __init__(
        self, k: px.Builder, maps: Sequence[Any], out: type[px.Register], tiling: Tiling, finish: Finish
    ) -> None:
        super().__init__(k, maps[0], out, tiling, finish)
        self.maps = maps
        self.place: Any = None

    def _send(self, at: tuple[Any, Any], box: px.Tile) -> None:
        for place, map in enumerate(self.maps):
            with self.k.if_(self.place == place):
                self.k.tma_store(map, at, box)
