"""The tile scheduler of a kernel of many products, and the warp that changes tensor maps for it.

The tiles of all products are numbered through and given to the CTAs in turn, forwards and backwards (`TileSchedule`). A CTA has
SETS sets of tensor maps in global memory. One warp, the *binder*, goes through the CTA's tiles ahead of the other warps (`bind`):
it looks up the product of the next tile in the table of products (`grouped_call`), writes the product's addresses, extents and
strides into the oldest set of maps, and publishes the set in the `ProductQueue`. The other roles follow, each with a
`TileIterator`.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import ptxlab as px
from ptxlab.kernels.grouped_call import AT, CHUNK, ENTRY
from ptxlab.kernels.pipeline import TileSchedule, corner

GROUP = 16
"""Rows of tiles of a product that are finished before the next ones begin."""
SETS = 4
"""Sets of maps of a CTA: one in use by the consumers, one by the thread that loads ahead of them, and two to come."""
MAPS = 3
"""Maps of a set: A, B and C."""
LANES = 32
ALL = 0xFFFFFFFF


@dataclass(frozen=True, slots=True)
class ProductList:
    """The products of a launch while its kernel is traced.

    Attributes:
        maps: SETS sets for each CTA. ends, entries: the table of products, see `grouped_call`. tiles: in all.
    """

    k: px.Builder
    maps: Any
    ends: Any
    entries: Any
    tiles: Any


class ProductQueue:
    """What the binder publishes about a product: one entry of shared memory for each set of maps.

    Args:
        readers: threads that give a set back before it is bound again: those that have a `TileIterator` and arrive at `done`.
    """

    def __init__(self, p: ProductList, readers: int) -> None:
        k = self.k = p.k
        self.p = p
        self.entries = k.smem(px.b32, (SETS, ENTRY // 4), align=16, name="products")
        # every thread that writes an entry arrives, and every one that reads it: nobody relies on what a neighbour has seen
        self.bound = k.mbarrier(LANES, n=SETS, name="bound")
        self.done = k.mbarrier(readers, n=SETS, name="done")

    def maps_of(self, set: Any) -> Any:
        """Number of the first map of a set among those of all CTAs."""
        k = self.k
        return (k.ctaid.x * SETS + set) * MAPS


class QueuePosition:
    """A role's position among the sets of maps: which set, and the parity of its phase."""

    def __init__(self, k: px.Builder, parity: int) -> None:
        self.k = k
        self.set, self.parity = k.reg(px.u32), k.reg(px.u32)
        k.mov.u32(0, d=self.set)
        k.mov.u32(parity, d=self.parity)

    def advance(self) -> None:
        """To the next set; the parity flips after the last one."""
        k = self.k
        k.add.u32(self.set, 1, d=self.set)
        wrapped = self.set == SETS
        k.selp.u32(0, self.set, wrapped, d=self.set)
        self.parity ^= k.selp.u32(1, 0, wrapped)


class TileIterator:
    """One role's iteration over the CTA's tiles of `tile` rows and columns, product by product. All attributes are registers.

    Attributes:
        set: of the product's maps. first, end: the product's tiles. rows, columns: how many of them; start, stop: along K.
        narrow: 1 where its tiles are narrow, or how wide they are: a word that the kernel understands.
        changed: 1 where this tile is the first of a product and not the first of all.
    """

    FIELDS = ("first", "end", "rows", "columns", "start", "stop", "narrow")

    def __init__(self, queue: ProductQueue, tile: tuple[int, int]) -> None:
        k = self.k = queue.k
        self.queue, self.position, self.tile = queue, QueuePosition(k, 0), tile
        self.set, self.before, self.changed = k.reg(px.u32), k.reg(px.u32), k.reg(px.u32)
        self.first, self.end, self.rows, self.columns = (k.reg(px.u32) for _ in range(4))
        self.start, self.stop, self.narrow = (k.reg(px.u32) for _ in range(3))
        k.mov.u32(0, d=self.end)
        k.mov.u32(0, d=self.set)

    @contextmanager
    def tiles(self, on_product: Any) -> Generator[Any, None, None]:
        """Loop over the tiles. `on_product()` is called where a product begins."""
        k = self.k
        schedule = TileSchedule(self.k)
        with k.while_(lambda: schedule.tile < self.queue.p.tiles):
            k.mov.u32(0, d=self.changed)
            with k.if_(schedule.tile >= self.end):
                self._open()
                on_product()
            yield schedule.tile
            schedule.advance()

    def _open(self) -> None:
        k, position = self.k, self.position
        k.selp.u32(1, 0, self.end != 0, d=self.changed)
        k.mov.u32(self.set, d=self.before)
        k.mov.u32(position.set, d=self.set)
        self.queue.bound[position.set].wait(position.parity)
        entry = self.queue.entries[position.set]
        for name in self.FIELDS:
            k.ld.shared.u32(entry.at(AT[name]), d=getattr(self, name))
        position.advance()

    def corner(self, tile: Any) -> tuple[Any, Any]:
        """First row and first column of a tile in its product."""
        row, column = self.place(tile)
        return row * self.tile[0], column * self.tile[1]

    def place(self, tile: Any) -> tuple[Any, Any]:
        """Row and column of a tile among those of its product."""
        return corner(self.k, tile - self.first, self.rows, self.columns, GROUP)

    def map(self, number: int) -> px.Address:
        """Where one of the product's maps lies."""
        return self.queue.p.maps[self.queue.maps_of(self.set) + number]


# --- the binder ----------------------------------------------------------------------------------------------------------
def bind(queue: ProductQueue, templates: Sequence[Any]) -> None:
    """One warp: each product that the CTA has tiles of, in turn.

    Args:
        templates: of the maps of A, B and C, with everything but addresses, extents and strides; None for C where it has no map.
    """
    p, k = queue.p, queue.k
    place, position = k.reg(px.u64), QueuePosition(k, 1)  # the first pass finds every set free
    slots = [
        k.tensormap(px.Address.of(place, 128 * i), like=template, name=f"{name}_map")
        for i, (name, template) in enumerate(zip("abc", templates, strict=True))
        if template is not None
    ]
    for slot in slots:
        slot.seed()
    schedule, base = TileSchedule(k), k.mov.u32(0)
    with k.while_(lambda: schedule.tile < p.tiles):
        number = _search(p, base, schedule.tile)
        entry = px.Address.of(k.mad.wide.u32(number, ENTRY, p.entries), space="global")
        queue.done[position.set].wait(position.parity)
        k.mov.u64(p.maps[queue.maps_of(position.set)].register(), d=place)
        for slot, source in zip(slots, (AT["a"], AT["b"], AT["c"]), strict=False):
            address, pitch = k.ld.global_.v2.u64(entry + source)
            inner, outer = k.ld.global_.v2.u32(entry + (source + 16))
            slot.rebind(address=address, dims=(inner, outer), strides=(pitch,), seed=False, acquire=False)
        end = _publish(queue, entry, position)
        position.advance()
        with k.while_(lambda: schedule.tile < end):
            schedule.advance()


def _search(p: ProductList, base: Any, tile: Any) -> Any:
    """The product that a tile belongs to, from the chunk `base` of products on: each lane looks at the end of another one."""
    k = p.k
    lane = k.tid.x & 31
    behind = k.reg(px.b32)

    def none() -> Any:
        end = k.ld.global_.u32(p.ends[base + lane])
        k.vote.sync.ballot.b32(end > tile, ALL, d=behind)
        return behind == 0

    with k.while_(none):
        base += CHUNK
    return base + k.clz.b32(k.brev.b32(behind))


def _publish(queue: ProductQueue, entry: Any, position: QueuePosition) -> Any:
    """Publish an entry of the table, and that the set is bound; returns the product's end, in all lanes."""
    k = queue.k
    lane = k.tid.x & 31
    k.st.shared.b32(queue.entries[position.set].address().at(lane, 4), k.ld.global_.b32(entry.at(lane, 4)))
    queue.bound[position.set].arrive()
    return k.ld.global_.u32(entry + AT["end"])
