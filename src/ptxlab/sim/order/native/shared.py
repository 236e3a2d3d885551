"""Shared memory that nobody accesses but threads of its own CTA, by plain loads and stores for the most part.

When all threads of the CTA have met at a barrier, each of them knows all that was done before: that need not be remembered.
So time is cut into epochs, from one such barrier to the next. Each granule has marks: who has written it last, operated on it
atomically, and read it, in which epoch, and when in that. Each line of 128 bytes has the same of warps: accesses in the order
of lanes need no marks. That is enough to accept most accesses: behind what a barrier, also of some warps or of a warp's lanes, has
made known, or by the same thread.
What an epoch accesses goes to a record, which is thrown away at its end. When somebody needs to know exactly (Python, or an
access that the marks do not settle), the record is written into the cells first, in order and with the times of then.
"""

# pyright: basic

from __future__ import annotations

from ptxlab.codegen.language import clear, native
from ptxlab.sim.order.native.atomics import note_atomic
from ptxlab.sim.order.native.lines import recalled_read
from ptxlab.sim.order.native.lists import alike, set_writer
from ptxlab.sim.order.native.patterns import following, note_entry, offset_of, pattern, site_of
from ptxlab.sim.order.native.state import (
    ATOMIC,
    LOST,
    NEVER_KNOWN,
    RECORD_WORDS,
    SHARED_LINE,
    SITE_BITS,
    THREAD_BITS,
    WRITES,
    Buffer,
    Entry,
    Longs,
    Mark,
    ScatteredEntry,
    SharedLine,
    Site,
    Slot,
    arena,
)


# --- epochs ---------------------------------------------------------------------------------------------------------------
@native
def begin_epochs(slot: Slot):
    """A new CTA: nobody has written anything. Cells are empty."""
    epoch = slot.epoch + 2
    if epoch >= arena.most_epochs or slot.exact:
        for g in range(slot.cell_count):
            clear(slot.marks[g])
        for line in range(slot.line_count):
            clear(slot.lines[line])
        epoch = 2
        slot.exact = 0
    slot.epoch = epoch
    slot.unknown = 0
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
    mark = slot.marks[g].writer
    if mark < slot.first_epoch << THREAD_BITS or mark >= slot.epoch << THREAD_BITS:
        return  # nobody has written it, or it is up to date
    cell, first, time = slot.cells[g], slot.base, slot.since - 1
    if cell.write_time >= time and first <= cell.writer < first + 32 * slot.warps:
        return
    set_writer(cell, first + (mark & ((1 << THREAD_BITS) - 1)), time, 0)


@native
def recall(slot: Slot):
    """Write what the epoch has accessed into the cells."""
    if slot.unknown == slot.epoch:
        arena.doubtful = 1
    at, end = slot.record, slot.record_end
    if at == end:
        return
    slot.cells_used = 1
    slot.lists = 1
    slot.record_end = at
    while int(at) < int(end):
        site, lanes, done = site_of(at), at.lanes, 0
        for lane in range(32):
            if (lanes >> lane) & 1 == 0 or (done >> lane) & 1:
                continue
            offset, mask = offset_of(at, lane), 0
            for other in range(lane, 32):
                mask |= int(offset_of(at, other) == offset) << other
            mask &= lanes
            done |= mask
            recall_lanes(slot, at, site, lane, mask, offset)
        at = following(at)


@native
def recall_lanes(slot: Slot, at: Entry, site: Site, lane: int, lanes: int, offset: int):
    """The same of lanes that have accessed one place."""
    bits, info = arena.shared_bits, site.info
    for g in range(offset >> bits, (offset + site.size) >> bits):
        cell = slot.cells[g]
        settle(slot, g)
        if site.flags & ATOMIC:
            note_atomic(slot, cell, at.warp, lanes, info, at.time)
        elif site.flags & WRITES:
            set_writer(cell, at.warp + lane, at.time, info)
        else:
            recalled_read(cell, at.warp, lanes, at.time, info, slot.since)


@native
def doubt(slot: Slot, g: int):
    """From now on a granule's cell alone says who has accessed it."""
    slot.marks[g].writer = LOST
    slot.exact = 1
    slot.lines[(g << arena.shared_bits) // SHARED_LINE].doubted = 1


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
    bits = arena.shared_bits
    recall(slot)
    slot.cells_used = 1
    for lane in range(32):
        if (lanes >> lane) & 1:
            for g in range((addresses[lane] - first) >> bits, (addresses[lane] - first + size) >> bits):
                settle(slot, g)


@native
def behind_cells(slot: Slot, addresses: Longs, lanes: int, warp: int, first: int, size: int, flags: int):
    """An access has been noted in the cells: the marks follow."""
    bits, epoch = arena.shared_bits, slot.epoch
    for lane in range(32):
        if (lanes >> lane) & 1 == 0:
            continue
        offset = addresses[lane] - first
        line = slot.lines[offset // SHARED_LINE]
        if flags & ATOMIC:
            for g in range(offset >> bits, (offset + size) >> bits):
                doubt(slot, g)
        elif flags & WRITES:
            note_written(line, epoch, warp)
            for g in range(offset >> bits, (offset + size) >> bits):
                slot.marks[g].writer = epoch << THREAD_BITS | 32 * warp | lane
                slot.marks[g].time = arena.now
        else:
            line.read_apart = epoch
            for g in range(offset >> bits, (offset + size) >> bits):
                note_read_of(slot.marks[g], epoch << THREAD_BITS | 32 * warp | lane)


# --- accesses -----------------------------------------------------------------------------------------------------------------
@native
def is_whole(slot: Slot, number: int):
    """Whether all granules of a line have been written, and marks say by whom."""
    line = slot.lines[number]
    if line.whole == slot.first_epoch or line.doubted:
        return line.doubted == 0
    each, low, marks, bad = SHARED_LINE >> arena.shared_bits, slot.first_epoch << THREAD_BITS, slot.marks, False
    for g in range(number * each, min(number * each + each, slot.cell_count)):
        bad |= marks[g].writer < low
    if not bad:
        line.whole = slot.first_epoch
    return not bad


@native
def is_good(slot: Slot, warp: int, number: int):
    """Whether a warp may read of a line: all is written, and it knows of that."""
    line, epoch = slot.lines[number], slot.epoch
    return line.mixed != epoch and knows_writes(slot, warp, line) and is_whole(slot, number)


@native
def is_clean(slot: Slot, warp: int, line: SharedLine):
    """Whether a warp knows of all that was done to a line, but for what its lanes read in their order."""
    epoch = slot.epoch
    others = line.mixed == epoch or line.read_apart == epoch or line.doubted != 0
    return not others and knows_writes(slot, warp, line)


@native
def knows_writes(slot: Slot, warp: int, line: SharedLine):
    """Whether a warp knows of all plain writes to a line in this epoch."""
    return line.written != slot.epoch or slot.rows[warp].all[line.writer] >= line.write_time


@native
def note_written(line: SharedLine, epoch: int, warp: int):
    """A warp writes to a line."""
    alone = line.written != epoch or (line.writer == warp and line.write_time != NEVER_KNOWN)
    line.written = epoch
    line.writer = warp
    line.write_time = arena.now if alone else NEVER_KNOWN


@native
def note_line(line: SharedLine, epoch: int, warp: int, how: int, step: int):
    """All lanes of a warp read of lines, in their order."""
    if line.read != epoch:
        line.read = epoch
        line.reader = warp
        line.read_time = arena.now
        line.how = how
        line.step = step
        return
    if line.reader != warp:
        line.read_time = NEVER_KNOWN
        line.how = 0
    elif line.read_time != NEVER_KNOWN:
        line.read_time = arena.now
    if line.how != how or line.step != step:
        line.how = 0


@native
def note_read_of(mark: Mark, thread: int):
    """A thread, with the epoch above it, reads a granule."""
    before = mark.reader
    if before >> THREAD_BITS != thread >> THREAD_BITS:
        mark.alone = 1
        mark.read_time = arena.now
    else:
        mark.alone &= int(before == thread)
        same = (before ^ thread) >> 5 == 0 and mark.read_time != NEVER_KNOWN
        mark.read_time = arena.now if same else NEVER_KNOWN
    mark.reader = thread


@native
def is_behind(slot: Slot, warp: int, lane: int, mark: Mark):
    """Whether a lane comes after the plain writes of a granule in this epoch: they are its own, or its warp knows of them."""
    high = slot.epoch << THREAD_BITS
    if mark.writer < high or mark.writer == high | 32 * warp | lane:
        return True
    return mark.writer != LOST and slot.rows[warp].all[(mark.writer >> 5) & 31] >= mark.time


@native
def knows_atomic(slot: Slot, warp: int, mark: Mark):
    """Whether a warp comes after the atomic operations on a granule in this epoch."""
    return mark.atomic < slot.epoch << THREAD_BITS or slot.rows[warp].all[(mark.atomic >> 5) & 31] >= mark.atomic_time


@native
def knows_reads(slot: Slot, warp: int, line: SharedLine, how: int, step: int):
    """Whether a warp's lanes come after the reads of a line in this epoch: they are their own, or the warp knows of them."""
    if line.read != slot.epoch or slot.rows[warp].all[line.reader] >= line.read_time:
        return True
    return line.reader == warp and how != 0 and line.how == how and line.step == step


@native
def knows_read(slot: Slot, warp: int, lane: int, mark: Mark):
    """The same of reads of a granule."""
    high = slot.epoch << THREAD_BITS
    if mark.reader < high or (mark.alone and mark.reader == high | 32 * warp | lane):
        return True
    return slot.rows[warp].all[(mark.reader >> 5) & 31] >= mark.read_time


@native
def read_by_marks(slot: Slot, addresses: Longs, lanes: int, warp: int, first: int, size: int, noted: bool):
    """Whether lanes read only what was written in earlier epochs, or what their warp knows of. noted: their lines tell of that."""
    bits, marks = arena.shared_bits, slot.marks
    low, high = slot.first_epoch << THREAD_BITS, slot.epoch << THREAD_BITS
    for lane in range(32):
        if (lanes >> lane) & 1 == 0:
            continue
        offset = addresses[lane] - first
        if not is_inside(slot, offset, size):
            return False
        for g in range(offset >> bits, (offset + size) >> bits):
            mark = marks[g]
            if mark.writer < low or not is_behind(slot, warp, lane, mark) or not knows_atomic(slot, warp, mark):
                return False
            if not noted:
                note_read_of(mark, high | 32 * warp | lane)
        if not noted:
            slot.lines[offset // SHARED_LINE].read_apart = slot.epoch
    return True


@native
def is_inside(slot: Slot, offset: int, size: int):
    """Whether an access lies in the CTA's shared memory, and is aligned."""
    return offset >= 0 and offset + size <= slot.shared_bytes and offset & (size - 1) == 0


@native
def written_by_marks(slot: Slot, addresses: Longs, lanes: int, warp: int, first: int, size: int, how: int, step: int):
    """Whether lanes write only what nobody else has accessed in this epoch, as far as their warp does not know of it; if so, the
    marks then say that they did."""
    bits, marks, lines = arena.shared_bits, slot.marks, slot.lines
    high, last, rising, line, clean = slot.epoch << THREAD_BITS, -1, True, -1, False
    for lane in range(32):
        if (lanes >> lane) & 1 == 0:
            continue
        rising = rising and addresses[lane] > last
        last = addresses[lane]
        offset = addresses[lane] - first
        if not is_inside(slot, offset, size):
            return False
        if offset // SHARED_LINE != line:
            line = offset // SHARED_LINE
            if not knows_reads(slot, warp, lines[line], how, step):
                return False
            clean = is_clean(slot, warp, lines[line])
        if not clean and not is_free(slot, warp, lane, offset >> bits, (offset + size) >> bits):
            return False
    if not rising:
        for lane in range(32):
            if (lanes >> lane) & 1 and alike(addresses, lanes, lane) != 1 << lane:
                return False
    line = -1
    for lane in range(32):
        if (lanes >> lane) & 1:
            offset = addresses[lane] - first
            if offset // SHARED_LINE != line:
                line = offset // SHARED_LINE
                note_written(lines[line], slot.epoch, warp)
            for g in range(offset >> bits, (offset + size) >> bits):
                marks[g].writer = high | 32 * warp | lane
                marks[g].time = arena.now
    return True


@native
def is_free(slot: Slot, warp: int, lane: int, begin: int, end: int):
    """Whether a lane comes after all that was done to granules in this epoch, but for what their line tells."""
    for g in range(begin, end):
        mark = slot.marks[g]
        if not is_behind(slot, warp, lane, mark) or not knows_atomic(slot, warp, mark):
            return False
        if not knows_read(slot, warp, lane, mark):
            return False
    return True


@native
def updated_by_marks(slot: Slot, addresses: Longs, lanes: int, warp: int, first: int, size: int, info: int):
    """The same of atomic operations: behind all but others of their kind."""
    bits, marks, lines = arena.shared_bits, slot.marks, slot.lines
    low, high = slot.first_epoch << THREAD_BITS, slot.epoch << THREAD_BITS
    for lane in range(32):
        if (lanes >> lane) & 1 == 0:
            continue
        offset = addresses[lane] - first
        if not is_inside(slot, offset, size) or not knows_reads(slot, warp, lines[offset // SHARED_LINE], 0, 0):
            return False
        for g in range(offset >> bits, (offset + size) >> bits):
            mark = marks[g]
            other = mark.atomic >= high and mark.atomic_info >> SITE_BITS != info >> SITE_BITS
            if (
                other
                or mark.writer < low
                or not is_behind(slot, warp, lane, mark)
                or not knows_read(slot, warp, lane, mark)
            ):
                return False
    for lane in range(32):
        if (lanes >> lane) & 1:
            offset = addresses[lane] - first
            lines[offset // SHARED_LINE].mixed = slot.epoch
            for g in range(offset >> bits, (offset + size) >> bits):
                note_mark(marks[g], high, warp, info)
    return True


@native
def note_mark(mark: Mark, high: int, warp: int, info: int):
    """A warp makes an atomic operation on a granule."""
    alone = mark.atomic < high or (mark.atomic == high | 32 * warp and mark.atomic_time != NEVER_KNOWN)
    mark.atomic = high | 32 * warp
    mark.atomic_time = arena.now if alone else NEVER_KNOWN
    mark.atomic_info = info


@native
def by_marks(
    slot: Slot, addresses: Longs, lanes: int, warp: int, first: int, size: int, flags: int, info: int, place: int
):
    """Whether the marks accept an access, which is recorded then."""
    nbytes = slot.shared_bytes
    if slot.mbarriers_begin < slot.mbarriers_end:
        return False
    if int(ScatteredEntry(slot.record_end)[1]) > int(slot.record) + RECORD_WORDS:
        if arena.unflagged:
            slot.record_end = slot.record
            slot.unknown = slot.epoch
        else:
            recall(slot)
    at = slot.record_end
    shift, step, over = pattern(addresses, lanes)
    known, how, noted, some = False, 0, False, lanes
    if shift >= 0:
        start = addresses[0] - first
        width, height = ((1 << shift) - 1) * step, ((32 >> shift) - 1) * over
        low, high = start + min(width, 0) + min(height, 0), start + max(width, 0) + max(height, 0)
        if low < 0 or high + size > nbytes or (addresses[0] | step | over) & (size - 1):
            return False
        if shift == 5 and abs(step) >= size:
            how = start + 1
        if not width | height:
            some = 3 if is_good(slot, warp, start // SHARED_LINE) else lanes  # two stand for all, which read the same
        elif not flags & WRITES:
            known, noted = True, True
            lines, epoch = slot.lines, slot.epoch
            for row in range(32 >> shift):
                begin = start + row * over + min(width, 0)
                for line in range(begin // SHARED_LINE, (begin + abs(width) + size - 1) // SHARED_LINE + 1):
                    known = known and is_good(slot, warp, line)
                    note_line(lines[line], epoch, warp, how, step)
    if flags & ATOMIC:
        known = updated_by_marks(slot, addresses, lanes, warp, first, size, info)
    elif flags & WRITES:
        known = written_by_marks(slot, addresses, lanes, warp, first, size, how, step)
    elif not known:
        known = read_by_marks(slot, addresses, some, warp, first, size, noted)
    if not known:
        return False
    mine = slot.base + 32 * warp
    slot.record_end = note_entry(at, addresses, lanes, mine, place, Buffer(0), first, shift, step, over)
    return True
