"""Which tiles of keys a CTA has, where one kernel computes all gradients, and in which order tiles add to dQ.

Every tile of keys has a part of dQ of each block of queries that sees it, and adds it to global memory. For the same bits in each
run a block's parts are added in a fixed order: the one in which they are ready if every block of every tile takes as long. So tiles
hardly wait, as long as they have a block at different times:

| queries see | a CTA's unit of work | its way through the blocks of queries |
|---|---|---|
| all keys | a tile | around all of them, each tile from another one on |
| a window | a tile | from the first one that sees it on |
| keys up to an end, or from one on | a long tile and a short one, as long as any other two | away from the mask, then back |

Where there are no more tiles than CTAs, a unit is a tile. CTA c of n has units c, c + n, c + 2n and so on: a round is n units that
are computed at the same time. A tile waits only for parts of an earlier round, or of an earlier moment of its own one. Each CTA has
its parts in that order, and all CTAs are resident, so nobody waits for ever.
"""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from typing import Any

import ptxlab as px
from ptxlab.kernels.attention.backward.queue import Place, Queue
from ptxlab.kernels.attention.backward.tiling import Cut
from ptxlab.kernels.attention.program import tiles_of
from ptxlab.kernels.attention.scores import Band
from ptxlab.kernels.attention.softmax import LANES

WORDS = ("line", "batch", "head", "place", "second", "row", "first", "end", "start", "stop", "begin")
"""What is known of a tile. `line`: of its head, and ENDED behind the last tile."""
SIGNED = WORDS.index("row")
"""The first of them that is px.s32."""
ENDED = 0xFFFFFFFF
TILES, CHUNKS, WARP = 2, 2, 32
"""Tiles that may be known ahead, and turns: chunks of one for each lane."""


class KeyTile:
    """A tile of keys, and its blocks of queries, as it lies in shared memory: each attribute is loaded when it is asked for.

    Attributes:
        line: the head of keys among those of all batches; batch, head: px.u32. row: the first key, px.s32.
        place: of its unit among those of the head, px.u32. second: whether it is the other tile of the unit, px.u32 0 or 1.
        first, end: blocks of queries that see it, and start, stop: those that see all of it; begin: the one that it starts with;
            px.s32.
    """

    def __init__(self, at: Place) -> None:
        self._at = at

    def __getattr__(self, name: str) -> Any:
        number, k = WORDS.index(name), self._at.k
        return (k.ld.shared.s32 if number >= SIGNED else k.ld.shared.u32)(self._at.word(number))

    @property
    def phase(self) -> Any:
        """Whether it is an odd one of the CTA, px.u32 0 or 1."""
        return self._at.count & 1

    @property
    def count(self) -> Any:
        """Blocks that see it."""
        return self.end - self.first


class Walk:
    """The tiles of all CTAs and the order of their blocks.

    Args:
        length: keys, px.s32. lines: heads of keys of all batches; heads: those of one; px.u32.
        band: the queries that see a key. paired: whether a unit has two tiles.
    """

    def __init__(
        self, k: px.Builder, cut: Cut, length: Any, lines: Any, heads: Any, band: Band, *, paired: bool
    ) -> None:
        height, block = cut.rows, cut.block
        self.k, self.height, self.block, self.length, self.band, self.heads = k, height, block, length, band, heads
        self.bounded = band.bounds.left or band.bounds.right
        self.paired, self.backwards = paired, band.bounds.right and not band.bounds.left
        self.down = tiles_of(k, length, height)
        self.units = (self.down + 1) >> 1 if self.paired else self.down
        self.all = lines * self.units
        if not self.bounded:
            self.blocks = tiles_of(k, band.length, block)
            together = k.min.u32(self.units, k.nctaid.x)
            self.stride = self.blocks // together
            left = k.cvt.u64.u32(self.blocks - self.stride * together)
            self.fraction = k.cvt.u32.u64(k.div.u64(k.shl.b64(left, 32), k.cvt.u64.u32(together)))

    def declare(self, readers: int) -> None:
        """Declare the queues: of tiles, which so many roles and warpgroups read, and of turns."""
        self.tiles = Queue(self.k, TILES, len(WORDS), readers, "tiles")
        self.turns = Queue(self.k, CHUNKS, 2 + 2 * WARP, 1, "turns")

    def publish(self, group: Any, blocks: Any) -> None:
        """A warp tells the others about the tiles of the CTA, and about the turns of their blocks.

        Args:
            group: heads of queries that share keys; blocks: of queries of a head; px.u32.
        """
        k, unit = self.k, self.k.reg(px.u32)
        tiles, turns, leads = self.tiles.writer(), self.turns.writer(), k.laneid == 0
        k.mov.u32(k.ctaid.x, d=unit)
        with k.while_(lambda: unit < self.all):
            line = unit // self.units
            place = unit - line * self.units
            with k.loop(self.tiles_of_unit(place) if self.paired else 1) as second:
                tiles.wait()
                with k.if_(leads):
                    self._describe(tiles, line, place, second)
                k.bar.warp.sync(LANES)
                tiles.queue.full[tiles.entry].arrive(pred=leads)
                tile = KeyTile(tiles)
                with k.loop(group) as pass_, k.loop(tile.count, step=WARP) as some:
                    block = self.block_at(tile, some + k.cvt.s32.u32(k.laneid))
                    turn = self.turn(tile, pass_, block, group)
                    index = k.mad.lo.u32(k.mad.lo.u32(tile.line, group, pass_), blocks, k.cvt.u32.s32(block))
                    turns.wait()
                    own = turns.word(2).at(k.laneid * 8)
                    k.st.shared.v2.u32(own, [k.cvt.u32.s32(turn), index])
                    k.st.shared.s32(turns.word(0), tile.count - some, pred=leads)
                    k.bar.warp.sync(LANES)
                    turns.over(leads)
                tiles.advance()
            k.add.u32(unit, k.nctaid.x, d=unit)
        tiles.wait()
        k.st.shared.u32(tiles.word(0), ENDED, pred=leads)
        tiles.over(leads)
        turns.wait()
        k.st.shared.s32(turns.word(0), 0, pred=leads)
        turns.over(leads)

    def _describe(self, at: Place, line: Any, place: Any, second: Any) -> None:
        """What is known of a tile, into the queue."""
        k, batch = self.k, line // self.heads
        row, first, end = self._extent(place, second)
        start, stop = self.band.clear(row, self.block, first, end, rows=self.height)
        stop = k.selp.s32(stop, start, row + self.height <= self.length)  # keys that there are not are hidden as well
        begin = self._begin(line, place, second, first, end)
        known = line, batch, line - batch * self.heads, place, second, row, first, end, start, stop, begin
        for i, word in enumerate(known):
            (k.st.shared.s32 if i >= SIGNED else k.st.shared.u32)(at.word(i), word)

    @contextmanager
    def each(self, gives: Any = None) -> Generator[KeyTile, None, None]:
        """Loop over this CTA's tiles. `gives`: the thread that gives them back, behind all others of its role; None: each."""
        k, at, more = self.k, self.tiles.reader(), self.k.mov.u32(1)
        with k.while_(lambda: more != 0):
            at.wait()
            tile = KeyTile(at)
            k.selp.u32(0, 1, tile.line == ENDED, d=more)
            with k.if_(more != 0):
                yield tile
                at.over(gives)

    def tiles_of_unit(self, place: Any) -> Any:
        """Two, but for the unit of the tile in the middle."""
        return self.k.selp.u32(1, 2, place * 2 + 1 == self.down)

    def _extent(self, place: Any, second: Any) -> tuple[Any, Any, Any]:
        """The first key of a tile, and the blocks of queries that see it: px.s32."""
        k, index = self.k, place
        if self.paired:
            other = self.down - 1 - place
            near, far = (other, place) if self.backwards else (place, other)
            index = (near, far)[second] if isinstance(second, int) else k.selp.u32(near, far, second == 0)
        row = k.cvt.s32.u32(index * self.height)
        return row, *self.band.blocks(row, self.height, self.block, least=0)

    # --- blocks ----------------------------------------------------------------------------------------------------------------
    def _begin(self, line: Any, place: Any, second: Any, first: Any, end: Any) -> Any:
        """The block that a tile starts with, px.s32."""
        if self.bounded:
            return self.k.selp.s32(first, end - 1, self.rises(second))
        return self._start(place - self._round(line, place)[0])

    def _round(self, line: Any, place: Any) -> tuple[Any, Any]:
        """The units of the head that are computed in the same round as one of them: the first one, and the one behind the last."""
        k, before = self.k, line * self.units
        start = (before + place) // k.nctaid.x * k.nctaid.x
        return k.max.u32(start, before) - before, k.min.u32(start + k.nctaid.x - before, self.units)

    def _start(self, number: Any) -> Any:
        """The first block of a tile, by its number among those of its round: they are spread evenly over all blocks."""
        k = self.k
        return k.cvt.s32.u32(k.mad.lo.u32(number, self.stride, k.mul.hi.u32(number, self.fraction)))

    def rises(self, second: Any) -> Any:
        """Whether a tile goes from its first block to its last one."""
        return self.k.mov.u32(second) == int(self.backwards)

    def step(self, tile: KeyTile) -> Any:
        """What is added to a block's number for the next one, px.s32."""
        return self.k.selp.s32(1, -1, self.rises(tile.second)) if self.bounded else 1

    def block_at(self, tile: KeyTile, number: Any) -> Any:
        """The block that a tile has at so many blocks after its first one, px.s32."""
        k = self.k
        if self.bounded:
            return k.mad.lo.s32(number, self.step(tile), tile.begin)
        at = tile.begin + number
        return k.selp.s32(at, at - tile.end, at < tile.end)

    # --- turns -----------------------------------------------------------------------------------------------------------------
    def turn(self, tile: KeyTile, pass_: Any, block: Any, group: Any) -> Any:
        """How many tiles add to a block of queries before this one does, px.s32.

        Args:
            pass_: the number of the block's head among the `group` of those that share the tile's keys; px.u32.
        """
        k = self.k
        pass_, group = k.cvt.s32.u32(pass_), k.cvt.s32.u32(group)
        start, stop = self._round(tile.line, tile.place)
        second = tile.second if self.paired else 0
        mine = self._time(tile.place - start, tile.place, second, pass_, block, group)[0]
        count = self._earlier(start, block)
        with k.loop(stop, start=start) as place:
            for other in (0, 1) if self.paired else (0,):
                time, sees = self._time(place - start, place, other, pass_, block, group)
                tie = place < tile.place
                if self.paired:
                    tie = place * 2 + other < tile.place * 2 + second
                before = (time < mine) | ((time == mine) & tie)
                k.add.s32(count, k.selp.s32(1, 0, before if sees is None else before & sees), d=count)
        return count

    def _earlier(self, start: Any, block: Any) -> Any:
        """How many tiles of the units in front of `start` see a block, px.s32: those whose first block is not behind it, but for
        those whose last one is in front of it."""
        k, start, down = self.k, self.k.cvt.s32.u32(start), self.k.cvt.s32.u32(self.down)
        if not self.bounded:
            return k.mov.s32(start)
        band, first = self.band, block * self.block
        begun, ended = k.mov.s32(down), k.mov.s32(0)
        if band.bounds.left:
            reach = k.max.s32(first + self.block - band.shift + band.left, 0)
            begun = k.min.s32((reach + (self.height - 1)) // self.height, down)
        if band.bounds.right:
            ended = k.max.s32(first - band.shift - band.right, 0) // self.height
        count = k.max.s32(k.min.s32(begun, start) - ended, 0)
        if self.paired:
            count = count + k.max.s32(begun - k.max.s32(ended, down - start), 0)
        return k.mov.s32(count)

    def _time(self, number: Any, place: Any, second: Any, pass_: Any, block: Any, group: Any) -> tuple[Any, Any]:
        """When a tile has a block of a head, counted in blocks from the start of its round, px.s32, and whether it sees it."""
        k = self.k
        if not self.bounded:
            time = block - self._start(number)
            return k.selp.s32(time + k.cvt.s32.u32(self.blocks), time, time < 0), None
        _, first, end = self._extent(place, second)
        sees = (first <= block) & (block < end)
        time = k.selp.s32(block - first, end - 1 - block, self.rises(second))
        time = k.mad.lo.s32(pass_, end - first, time)
        if isinstance(second, int) and not second:
            return time, sees
        _, begin, last = self._extent(place, 0)
        later = k.mad.lo.s32(group, last - begin, time)
        if isinstance(second, int):
            return later, sees & (place * 2 + 1 != self.down)
        return k.selp.s32(time, later, second == 0), sees
