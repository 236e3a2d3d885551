"""The warp that loads: blocks of keys and values into the ring, a page or a part of one for each lane.

Pages that are not in the pool, and those of which nobody sees a key, are not read: their place is filled with zeros, as TMA fills
what lies outside of a tensor. Lines of the table are read a block ahead.
"""

from __future__ import annotations

from typing import Any

import ptxlab as px
from ptxlab.kernels.attention.scores import Band
from ptxlab.kernels.decode.latent_rooms import LatentRooms
from ptxlab.kernels.decode.program import Program, Rooms
from ptxlab.kernels.decode.schedule import Schedule, Segment


class Loader:
    """What the lanes of the warp do that have a part of each block."""

    def __init__(self, p: Program, rooms: Rooms | LatentRooms) -> None:
        self.p, self.rooms, self.k = p, rooms, p.k
        self.box = p.form.box(p.tiling)
        self.lane = p.k.cvt.s32.u32(p.k.laneid)

    def run(self) -> None:
        """All blocks of the CTA."""
        k, p = self.k, self.p
        for tensor in (p.keys, p.values):
            k.prefetch.tensormap(tensor)
        schedule = Schedule(p)
        with k.if_(self.lane < self.rooms.boxes), schedule.segments() as segment:
            entry = k.mov.s32(segment.batch)
            if p.form.page:
                k.mov.s32(self._entry(segment, segment.first), d=entry)
            with k.loop(segment.stop, start=segment.first) as block:
                now = k.mov.s32(entry)
                if p.form.page:
                    k.mov.s32(self._entry(segment, block + 1), d=entry)
                self._load(segment, block, now)

    def _entry(self, segment: Segment, block: Any) -> Any:
        """The page of this lane's keys of a block; -1 where nobody sees one of them."""
        k, p = self.k, self.p
        key = block * p.tiling.keys + self.lane * self.box
        band: Band = p.band(segment.length)
        seen = (key < segment.length) & (block < segment.stop)
        if p.form.bounds.left:
            seen = seen & (key + self.box > band.first(k.mov.s32(0)))
        entry = k.mov.s32(-1)
        line = k.mad.wide.u32(k.cvt.u32.s32(segment.batch), p.line, p.table.address().register())
        place = k.mad.wide.u32(k.cvt.u32.s32(key // p.form.page), 4, line)
        k.ld.global_.s32(px.Address.of(place, space="global"), d=entry, pred=seen)
        return entry

    def _load(self, segment: Segment, block: Any, page: Any) -> None:
        """This lane's part of a block."""
        k, p = self.k, self.p
        row = block * p.tiling.keys + self.lane * self.box
        if p.form.page:
            row = row - row // p.form.page * p.form.page
        boxes = self.rooms.boxes
        for i, (ring, sources) in enumerate(self.rooms.sources(p)):
            with ring.produce(expect=False) as slot:
                if self.rooms.there is not None and i == 0:
                    there = (page >= 0) & (page < p.pages)
                    k.st.shared.u32(self.rooms.there[slot.stage].at(k.laneid * 4), k.selp.u32(1, 0, there))
                slot.full.arrive_expect_tx(ring.nbytes // boxes)
                for tile, (tensor, column) in zip(slot, sources, strict=True):
                    part = tile.part(k.laneid, boxes, axis=2) if boxes > 1 else tile
                    k.tma_load(part, tensor, (column, row, segment.head, page), slot.full)
