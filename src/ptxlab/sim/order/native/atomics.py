"""Atomic operations, noted in cells: many may stand beside one another."""

# pyright: basic

from __future__ import annotations

from ptxlab.codegen.language import native
from ptxlab.sim.order.native.lists import keep, put_first, remember
from ptxlab.sim.order.native.state import LOST, MOST_BESIDE, OPERATION, SITE_BITS, Cell, Slot, arena


@native
def last_of(lanes: int):
    """The highest of some lanes."""
    lane = 31
    while not (lanes >> lane) & 1:
        lane -= 1
    return lane


@native
def only_counts(cell: Cell, info: int):
    """Whether nothing but atomic operations of one kind is at a cell and beside it, as `note_atomic` has noted there: as many as
    `read_lanes` says, which no read uses while there is no reader."""
    same = cell.read_info >> SITE_BITS == info >> SITE_BITS and cell.write_info >> SITE_BITS == info >> SITE_BITS
    return same and cell.reader == 0 and cell.writer != 0 and cell.read_time == cell.write_time


@native
def is_over(slot: Slot, cell: Cell):
    """Whether all threads of a CTA, whose shared memory nobody else accesses, have met since a cell was accessed last."""
    wrote = cell.writer != 0 and cell.writer < OPERATION and cell.write_time < slot.since
    return wrote and slot.own == 1 and cell.more == 0 and (cell.reader == 0 or is_read_over(slot, cell))


@native
def is_read_over(slot: Slot, cell: Cell):
    """The same of its reader."""
    return cell.reader < OPERATION and cell.read_time < slot.since


@native
def note_atomic(home: Slot, cell: Cell, mine: int, lanes: int, info: int, time: int):
    """Note an atomic operation by lanes of a warp, `mine`, on a cell, which is in the shared memory of `home` if there is one: what
    it stands beside stays."""
    count = 0
    if only_counts(cell, info):
        count = cell.read_lanes + 1
        lane = (cell.writer - 1) & 31
        if count < MOST_BESIDE and not arena.unflagged:
            put_first(cell, cell.writer - lane, 1 << lane, cell.write_time, cell.write_info, 1)
        else:
            remember(cell, cell.writer - lane, 1 << lane, cell.write_time, cell.write_info, 1)
            count = min(count, MOST_BESIDE)
    elif not home or not is_over(home, cell):
        keep(cell)
        count = LOST
    cell.writer = mine + last_of(lanes)
    cell.write_time = time
    cell.write_info = info
    cell.reader = 0
    cell.read_time = 0
    if count != LOST:
        cell.read_time = time
        cell.read_lanes = count
        cell.read_info = info
