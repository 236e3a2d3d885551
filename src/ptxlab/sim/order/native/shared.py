"""Shared memory that nobody accesses but threads of its own CTA, by plain loads and stores for the most part.

When all threads of the CTA have met at a barrier, each of them knows all that was done before: that need not be remembered.
So time is cut into epochs, from one such barrier to the next. Each granule has a mark (the epoch of its last write, and which
thread made it), and each line of 128 bytes says whether the current epoch has read it. That is enough to accept most accesses.
What an epoch accesses goes to a record, which is thrown away at its end. When somebody needs to know exactly (Python, or an
access that the marks do not settle), the record is written into the cells first, in order and with the times of then.
"""

# pyright: basic

from __future__ import annotations

from ptxlab.codegen.language import clear, native
from ptxlab.sim.order.native.lines import recalled_read
from ptxlab.sim.order.native.lists import alike, set_writer
from ptxlab.sim.order.native.patterns import following, note_entry, offset_of, pattern, site_of
from ptxlab.sim.order.native.state import (
    ATOMIC,
    LOST,
    RECORD_WORDS,
    SHARED_LINE,
    THREAD_BITS,
    WRITES,
    Buffer,
    Longs,
    ScatteredEntry,
    Slot,
    arena,
)

NOT_GOOD = 1 << 31


# --- epochs ---------------------------------------------------------------------------------------------------------------
@native
def begin_epochs(slot: Slot):
    """A new CTA: nobody has written anything. Cells are empty."""
    epoch = slot.epoch + 2
    if epoch >= arena.most_epochs or slot.exact:
        for g in range(slot.cell_count):
            slot.marks[g].word = 0
        for line in range(slot.line_count):
            clear(slot.lines[line])
        epoch = 2
        slot.exact = 0
    slot.epoch = epoch
    slot.first_epoch = epoch - 1
    slot.since = arena.now
    slot.record_end = slot.record
    slot.cells_used = 0
    slot.own = 1


@native
def next_epoch(slot: Slot):
    """All threads of the CTA have met, and the time has gone on since."""
    epoch = slot.epoch + 1
    if epoch >= arena.most_epochs:
        recall(slot)
        for g in range(slot.cell_count):
            settle(slot, g)
        slot.own = 0
        slot.cells_used = 1
        return
    slot.epoch = epoch
    slot.since = arena.now
    slot.record_end = slot.record


# --- into the cells ---------------------------------------------------------------------------------------------------------
@native
def settle(slot: Slot, g: int):
    """Bring a granule's cell up to date: of what earlier epochs did no more is left than who wrote it last."""
    mark = slot.marks[g].word
    if mark < slot.first_epoch << THREAD_BITS or mark >= slot.epoch << THREAD_BITS:
        return  # nobody has written it, or it is up to date
    cell, first, time = slot.cells[g], slot.base, slot.since - 1
    if cell.write_time == time and first <= cell.writer < first + 32 * slot.warps:
        return
    set_writer(cell, first + (mark & ((1 << THREAD_BITS) - 1)), time, 0)


@native
def recall(slot: Slot):
    """Write what the epoch has accessed into the cells."""
    at, end = slot.record, slot.record_end
    if at == end:
        return
    slot.cells_used = 1
    slot.lists = 1
    slot.record_end = at
    granule, since = arena.shared_granule, slot.since
    while int(at) < int(end):
        site = site_of(at)
        info, size, flags = site.info, site.size, site.flags
        warp, lanes, time, done = at.warp, at.lanes, at.time, 0
        for lane in range(32):
            if (lanes >> lane) & 1 == 0 or (done >> lane) & 1:
                continue
            offset, mask = offset_of(at, lane), 0
            for other in range(lane, 32):
                mask |= int(offset_of(at, other) == offset) << other
            mask &= lanes
            done |= mask
            for g in range(offset // granule, (offset + size) // granule):
                settle(slot, g)
                if flags & WRITES:
                    set_writer(slot.cells[g], warp + lane, time, info)
                else:
                    recalled_read(slot.cells[g], warp, mask, time, info, since)
        at = following(at)


@native
def doubt(slot: Slot, g: int):
    """From now on a granule's cell alone says who has accessed it."""
    slot.marks[g].word = LOST
    slot.exact = 1
    slot.lines[g * arena.shared_granule // SHARED_LINE].good = slot.epoch | NOT_GOOD


@native
def settle_runs(slot: Slot, where: Longs, count: int):
    """Python is about to look at granules, and to change their cells."""
    if slot.own == 0:
        return
    recall(slot)
    slot.cells_used = 1
    for i in range(count):
        settle(slot, where[i])
        doubt(slot, where[i])


@native
def before_cells(slot: Slot, addresses: Longs, lanes: int, first: int, size: int):
    """An access is about to look at cells: bring them up to date."""
    granule = arena.shared_granule
    recall(slot)
    slot.cells_used = 1
    for lane in range(32):
        if (lanes >> lane) & 1:
            for g in range((addresses[lane] - first) // granule, (addresses[lane] - first + size) // granule):
                settle(slot, g)


@native
def behind_cells(slot: Slot, addresses: Longs, lanes: int, warp: int, first: int, size: int, flags: int):
    """An access has been noted in the cells: the marks follow."""
    granule, epoch = arena.shared_granule, slot.epoch
    for lane in range(32):
        if (lanes >> lane) & 1 == 0:
            continue
        offset = addresses[lane] - first
        line = slot.lines[offset // SHARED_LINE]
        if flags & ATOMIC:
            for g in range(offset // granule, (offset + size) // granule):
                doubt(slot, g)
        elif flags & WRITES:
            line.good = epoch | NOT_GOOD
            for g in range(offset // granule, (offset + size) // granule):
                slot.marks[g].word = epoch << THREAD_BITS | 32 * warp | lane
        else:
            line.read = epoch


# --- accesses -----------------------------------------------------------------------------------------------------------------
@native
def is_good(slot: Slot, number: int):
    """Whether all granules of a line were written in earlier epochs, and in none by somebody whom Python alone knows."""
    line, epoch = slot.lines[number], slot.epoch
    if line.good == epoch:
        return True
    if line.good == epoch | NOT_GOOD:
        return False
    each = SHARED_LINE // arena.shared_granule
    low, high = slot.first_epoch << THREAD_BITS, epoch << THREAD_BITS
    marks, bad = slot.marks, False
    for g in range(number * each, min(number * each + each, slot.cell_count)):
        bad |= (marks[g].word < low) | (marks[g].word >= high)
    line.good = epoch | NOT_GOOD if bad else epoch
    return not bad


@native
def read_by_marks(slot: Slot, addresses: Longs, lanes: int, warp: int, first: int, size: int):
    """Whether lanes read only what was written in earlier epochs, or by themselves."""
    granule, marks, lines, epoch = arena.shared_granule, slot.marks, slot.lines, slot.epoch
    low, high = slot.first_epoch << THREAD_BITS, epoch << THREAD_BITS
    for lane in range(32):
        if (lanes >> lane) & 1 == 0:
            continue
        mine = high | 32 * warp | lane
        offset = addresses[lane] - first
        for g in range(offset // granule, (offset + size) // granule):
            mark = marks[g].word
            if (mark < low or mark >= high) and mark != mine:
                return False
    for lane in range(32):
        if (lanes >> lane) & 1:
            lines[(addresses[lane] - first) // SHARED_LINE].read = epoch
    return True


@native
def written_by_marks(slot: Slot, addresses: Longs, lanes: int, warp: int, first: int, size: int):
    """Whether lanes write only what this epoch has not read, nor anybody else written; if so, the marks then say that they did."""
    granule, marks, lines, epoch = arena.shared_granule, slot.marks, slot.lines, slot.epoch
    high, last, rising = epoch << THREAD_BITS, -1, True
    for lane in range(32):
        if (lanes >> lane) & 1 == 0:
            continue
        rising = rising and addresses[lane] > last
        last = addresses[lane]
        offset = addresses[lane] - first
        if lines[offset // SHARED_LINE].read == epoch:
            return False
        for g in range(offset // granule, (offset + size) // granule):
            mark = marks[g].word
            if mark >= high and mark != high | 32 * warp | lane:
                return False
    if not rising:
        for lane in range(32):
            if (lanes >> lane) & 1 and alike(addresses, lanes, lane) != 1 << lane:
                return False
    for lane in range(32):
        if (lanes >> lane) & 1:
            offset = addresses[lane] - first
            lines[offset // SHARED_LINE].good = epoch | NOT_GOOD
            for g in range(offset // granule, (offset + size) // granule):
                marks[g].word = high | 32 * warp | lane
    return True


@native
def by_marks(slot: Slot, addresses: Longs, lanes: int, warp: int, first: int, size: int, flags: int, place: int):
    """Whether the marks accept an access, which is recorded then."""
    nbytes = slot.shared_bytes
    if slot.mbarriers_begin < slot.mbarriers_end:
        return False
    if int(ScatteredEntry(slot.record_end)[1]) > int(slot.record) + RECORD_WORDS:
        recall(slot)
    at = slot.record_end
    shift, step, over = pattern(addresses, lanes)
    known = False
    if shift >= 0:
        start = addresses[0] - first
        width, height = ((1 << shift) - 1) * step, ((32 >> shift) - 1) * over
        low, high = start + min(width, 0) + min(height, 0), start + max(width, 0) + max(height, 0)
        if low < 0 or high + size > nbytes or (addresses[0] | step | over) & (size - 1):
            return False
        if not flags & WRITES:
            known = True
            lines, epoch = slot.lines, slot.epoch
            for row in range(32 >> shift):
                begin = start + row * over + min(width, 0)
                for line in range(begin // SHARED_LINE, (begin + abs(width) + size - 1) // SHARED_LINE + 1):
                    known = known and is_good(slot, line)
                    lines[line].read = epoch
    else:
        bad = False
        for i in range(32):
            outside = (addresses[i] < first) | (addresses[i] + size > first + nbytes) | (addresses[i] & (size - 1) != 0)
            bad |= outside & ((lanes >> i) & 1 == 1)
        if bad:
            return False
    if flags & WRITES:
        known = written_by_marks(slot, addresses, lanes, warp, first, size)
    elif not known:
        known = read_by_marks(slot, addresses, lanes, warp, first, size)
    if not known:
        return False
    mine = slot.base + 32 * warp
    slot.record_end = note_entry(at, addresses, lanes, mine, place, Buffer(0), first, shift, step, over)
    return True
