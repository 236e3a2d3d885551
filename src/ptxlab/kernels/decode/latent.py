"""Latent attention for decoding: heads of 576 elements, whose first 512 are the values, and one of which up to 128 queries share.

Rows of queries are 64 at a time, as wgmma wants them, for there are many operations to each byte: with 128 heads the tensor cores
take longer than memory. Keys lie in shared memory once, for both products, and leave room for two blocks of 64:

- A warpgroup computes scores and their softmax, and hands over weights, each lane to the lanes that have the same rows.
- Two warpgroups have 256 columns of results each. They add the product of one block while scores of the next one are computed.
- Halves of keys have rings of their own: the columns of a warpgroup are loaded anew when it has multiplied them.
"""

from __future__ import annotations

import math
from functools import partial
from typing import Any

import ptxlab as px
from ptxlab.kernels.attention.scores import Band, ScorePlace, shape
from ptxlab.kernels.attention.softmax import LANES, Softmax
from ptxlab.kernels.attention.tiling import ITEM, SPAN, WARPGROUP
from ptxlab.kernels.attention.warpgroup import ALONG, Warpgroup
from ptxlab.kernels.decode.combine import Combine, State
from ptxlab.kernels.decode.consumer import NOWHERE
from ptxlab.kernels.decode.latent_rooms import CHUNK, HALF, VECTOR, LatentRooms
from ptxlab.kernels.decode.loads import Loader
from ptxlab.kernels.decode.program import Program
from ptxlab.kernels.decode.queries import lines
from ptxlab.kernels.decode.schedule import Schedule, Segment
from ptxlab.kernels.decode.tiling import LATENT_DEPTH, LATENT_SLICES, LATENT_VALUES, ROWS

PARTS = 2
"""Products of so many parts of the columns: ptxas wants one to do with the registers that threads start with."""
THREADS = (2 + LATENT_SLICES) * WARPGROUP
"""Of a CTA: a warpgroup that loads, one with scores, and those with results."""
REGISTERS = (40, 120, 176)
"""Of a thread that loads, one that computes scores, and one with results."""


def attend(p: Program) -> None:
    """The kernel."""
    k, (loads, scores, results) = p.k, REGISTERS
    rooms = LatentRooms(p)
    k.init_barriers()
    with k.roles():
        with k.role(warpgroup=0, registers=loads), k.if_(k.warp == 0):
            Loader(p, rooms).run()
        with k.role(warpgroup=1, registers=scores):
            Scores(p, rooms).run()
        for half in range(LATENT_SLICES):
            with k.role(warpgroup=2 + half, registers=results):
                Results(p, rooms, half).run()


class Scores(Warpgroup):
    """The warpgroup that computes scores and their softmax."""

    def __init__(self, p: Program, rooms: LatentRooms) -> None:
        super().__init__(p.k, p.form.dtype, LATENT_DEPTH, LATENT_VALUES)
        k = p.k
        self.p, self.rooms = p, rooms
        self.left = rooms.queries.descriptor("K")
        self.scores = k.accumulator(p.tiling.rows, p.tiling.keys)
        self.softmax = softmax_of(p)

    def run(self) -> None:
        """All segments of the CTA."""
        k, p = self.k, self.p
        schedule = Schedule(p)
        with schedule.segments() as segment:
            self._load(segment)
            self.lines = lines(p, segment, k.cvt.s32.u32(self.warp))
            self.softmax.begin()
            band = p.band(segment.length)
            clear = self._clear(band)
            with k.loop(segment.stop, start=segment.first) as block:
                there = self._multiply()
                self._shape(segment, block)
                all_seen = (block >= clear[0]) & (block < clear[1])
                for x in there:
                    all_seen = all_seen & (x != 0)
                with k.if_(~all_seen):
                    self._hide(block, band, there)
                self._hand_over(self.softmax.update(self.scores, masked=True))
            self.softmax.gather()
            with self.rooms.handed.produce(expect=False) as slot:
                k.st.shared.v4.f32(self.rooms.places(k, slot)[0][0], [*self.softmax.top, *self.softmax.total])
                self._give(slot)

    def _load(self, segment: Segment) -> None:
        """Queries to shared memory: each thread has half a row."""
        k, p = self.k, self.p
        thread = k.tid.x & (WARPGROUP - 1)
        row, half = thread >> 1, thread & 1
        most = p.rows * p.group - 1
        number = k.min.s32(segment.strip * p.tiling.rows + k.cvt.s32.u32(row), most)
        query = number // p.group
        head = segment.head * p.group + (number - query * p.group)
        start = p.queries.at(k, segment.batch, query, head).at(half * CHUNK)
        width = SPAN * ITEM // (2 * CHUNK)
        places = [self.rooms.queries.locate(row, (half + 2 * i) * (CHUNK // ITEM)) for i in range(width)]
        self.meet()
        for i in range(LATENT_DEPTH * ITEM // (2 * CHUNK)):
            place = places[i % width].at(i // width * self.rooms.queries.panel_bytes)
            k.st.shared.v4.b32(place, k.ld.global_.v4.b32(start.at(2 * CHUNK * i)))
        k.fence.proxy.async_.shared__cta()
        self.meet()

    def _clear(self, band: Band) -> tuple[Any, Any]:
        """Blocks all keys of which all queries see, but for pages that are not there."""
        k, p, keys = self.k, self.p, self.p.tiling.keys
        stop = k.max.s32(band.end(k.mov.s32(0)), 0) // keys
        if not band.bounds.left:
            return k.mov.s32(0), stop
        return (k.max.s32(band.first(p.rows - 1), 0) + (keys - 1)) // keys, stop

    def _multiply(self) -> list[Any]:
        """The scores of a block. Returns: for each copy of it whether its page is in the pool."""
        k, there = self.k, list[Any]()
        first, second = self.rooms.halves
        with first.consume(release=None) as one:
            if self.rooms.there is not None:
                place = self.rooms.there[one.stage]
                there += [k.ld.shared.u32(place.at(4 * i)) for i in range(self.rooms.boxes)]
            done = self._add(one, 0)
        with second.consume(release=None) as two:
            self._add(two, done)
        k.wgmma.wait_group.sync.aligned(0)
        return there

    def _add(self, slot: px.Slot, done: int) -> int:
        """Issue the product with half of the keys' elements. Returns: how many times 16 elements are done."""
        for tile in slot:
            right, count = tile[0][0].descriptor("K"), tile.shape[-1] // self.step
            steps = ((self.left[done + i], right[i], done + i > 0) for i in range(count))
            self._issue(self.p.tiling.keys, self.scores, steps, ALONG)
            done += count
        return done

    def _shape(self, segment: Segment, block: Any) -> None:
        """What a function makes of scores."""
        k, p = self.k, self.p
        if p.form.scales_first:
            base = self.first_column(block, p.tiling.keys)
            batch = k.cvt.u32.s32(segment.batch)
            rows = [partial(ScorePlace, batch, k.cvt.u32.s32(x.head), x.query, base) for x in self.lines]
            shape(k, self.scores, [p.scale] * 2, p.form.score, rows)

    def _hide(self, block: Any, band: Band, there: list[Any]) -> None:
        """-inf for scores of keys that are invisible."""
        k, t = self.k, self.p.tiling
        base = self.first_column(block, t.keys)
        queries = [line.query for line in self.lines]
        for i in range(t.keys // ROWS):
            first = base + ROWS * i
            if there:
                first = k.selp.s32(first, NOWHERE, there[ROWS * i * len(there) // t.keys] != 0)
            band.hide(self.scores[8 * i : 8 * i + 8], queries, first)

    def _hand_over(self, shrinks: list[Any]) -> None:
        """Weights, and what results shrink by."""
        k, words = self.k, [self.k.reg(px.b32) for _ in range(self.rooms.words)]
        self.pack(self.scores, words)
        with self.rooms.handed.produce(expect=False) as slot:
            weights, place = self.rooms.places(k, slot)
            for i, at in enumerate(weights):
                k.st.shared.v4.b32(at, words[VECTOR * i : VECTOR * i + VECTOR])
            k.st.shared.v2.f32(place, shrinks)
            self._give(slot)

    def _give(self, slot: px.Slot) -> None:
        self.k.bar.warp.sync(LANES)
        slot.full.arrive(pred=self.lane == 0)


class Results(Warpgroup):
    """A warpgroup with half of the columns of results."""

    def __init__(self, p: Program, rooms: LatentRooms, half: int) -> None:
        super().__init__(p.k, p.form.dtype, LATENT_DEPTH, HALF // PARTS)
        k = p.k
        self.p, self.rooms, self.ring = p, rooms, rooms.halves[half]
        self.sums = [k.accumulator(p.tiling.rows, HALF // PARTS) for _ in range(PARTS)]
        self.state = State(k, softmax_of(p), [x for some in self.sums for x in some])
        more = {"slices": LATENT_SLICES, "slice": half}
        self.ends = Combine(p, rooms, self.warp, k.mov.u32(0), self.state, **more)

    def run(self) -> None:
        """All segments of the CTA."""
        k, p, rooms, softmax = self.k, self.p, self.rooms, self.state.softmax
        schedule = Schedule(p)
        with schedule.segments() as segment:
            self.state.begin()
            band = p.band(segment.length)
            with k.loop(segment.stop, start=segment.first) as block:
                self._step(band, block)
            with self.rooms.handed.consume(release=None) as slot:
                for register, x in zip(
                    (*softmax.top, *softmax.total), k.ld.shared.v4.f32(rooms.places(k, slot)[0][0]), strict=True
                ):
                    k.mov.f32(x, d=register)
                self._take(slot)
            self.ends.finish(segment, *schedule.takers(segment))

    def _step(self, band: Band, block: Any) -> None:
        """Add the product of a block."""
        k = self.k
        with self.rooms.handed.consume(release=None) as slot:
            places, place = self.rooms.places(k, slot)
            weights = [x for at in places for x in k.ld.shared.v4.b32(at)]
            shrinks = k.ld.shared.v2.f32(place)
            self._take(slot)
        with self.ring.consume(release=None) as keys:
            self._blank(band, block, keys[0][0][0])
            self.state.shrink(shrinks)
            for i, sums in enumerate(self.sums):
                self.add_product(sums, weights, keys[0][0][0].part(i, PARTS, axis=1))
            k.wgmma.wait_group.sync.aligned(0)
            keys.empty.arrive(pred=self.leads)

    def _take(self, slot: px.Slot) -> None:
        self.k.bar.warp.sync(LANES)
        slot.empty.arrive(pred=self.lane == 0)

    def _blank(self, band: Band, block: Any, tile: px.Tile) -> None:
        """Zeros for values that nobody sees: what lies there may be anything, and 0 times it need not be 0."""
        k, t = self.k, self.p.tiling
        thread = k.tid.x & (WARPGROUP - 1)
        row = thread & (t.keys - 1)
        first = block * t.keys
        partly = first + t.keys > band.length
        if band.bounds.left:
            partly = partly | (first < band.first(k.mov.s32(0)))
        with k.if_(partly):
            key = first + k.cvt.s32.u32(row)
            hidden = key >= band.length
            if band.bounds.left:
                hidden = hidden | (key < band.first(k.mov.s32(0)))
            span, panels = SPAN * ITEM, HALF // SPAN
            with k.if_(hidden):
                mine = panels * t.keys // WARPGROUP
                start = tile.at(row * span + (thread // t.keys) * (mine * tile.panel_bytes))
                for panel in range(mine):
                    for byte in range(0, span, CHUNK):
                        k.st.shared.v4.b32(start.at(panel * tile.panel_bytes + byte), [0] * VECTOR)
            k.fence.proxy.async_.shared__cta()
            self.meet()


def softmax_of(p: Program) -> Softmax:
    """The softmax of a lane's rows."""
    return Softmax(p.k, [math.log2(math.e) if p.form.scales_first else p.scale] * 2)
