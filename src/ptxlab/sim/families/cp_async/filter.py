"""Native filter for cp.async: the copies of a warp are one record, with the group and the end of each lane's copy.

A copy is over for whoever knows that its thread has waited for it. So its end is the time of that wait, and warps learn of it at
barriers as they learn of everything else: see `behind` in order/native/known.py.
"""

# pyright: basic

from __future__ import annotations

from ptxlab.codegen.language import clear, copy, native
from ptxlab.sim.families.bulk.filter import has_boxes, unpack
from ptxlab.sim.order.native.accesses import buffer_of, cell_of, unsure
from ptxlab.sim.order.native.known import agent_of, at_mbarrier, behind, copy_at
from ptxlab.sim.order.native.lists import remember, set_reader, set_writer
from ptxlab.sim.order.native.state import (
    COPY,
    IN_LINE,
    LINE,
    LOST,
    MOST_COPIES,
    OPERATION,
    READS,
    SHARED,
    SITE_BITS,
    WRITES,
    Buffer,
    Cell,
    Copy,
    Longs,
    Site,
    Slot,
    Wait,
    arena,
    follows,
)


@native
def copies(slot: Slot, sources: Longs, targets: Longs, taken: Longs, lanes: int, warp: int, place: int):
    """Lanes of a warp are about to start copies of these bytes. 0: that is in order, and noted; 1: Python has to judge.

    taken: bytes that each lane reads.
    """
    number = arena.places[place >> 3].site
    site = arena.sites[number]
    record = new_copies(slot, lanes, warp, number - 1)
    if not are_apart(targets, lanes, site.size) or not written(slot, record, targets, lanes, warp, site, False):
        return 1
    if not read(slot, record, sources, taken, lanes, warp, site, False):
        return 1
    written(slot, record, targets, lanes, warp, site, True)
    read(slot, record, sources, taken, lanes, warp, site, True)
    return 0


@native
def place_for(slot: Slot, lanes: int, warp: int, number: int):
    """A place for copies, or a product: that of the oldest ones, unless somebody has yet to wait for those."""
    index = arena.next_copy
    while arena.copies[index].open:
        index = (index + 1) & (MOST_COPIES - 1)
    arena.next_copy = (index + 1) & (MOST_COPIES - 1)
    arena.latest_copy = index
    record = arena.copies[index]
    record.time = arena.now
    record.warp = slot.base + 32 * warp
    record.site = number
    record.cta = slot.cta
    record.lanes = lanes
    record.open = lanes
    record.next = 0
    return record


@native
def new_copies(slot: Slot, lanes: int, warp: int, number: int):
    """A place for the copies of an instruction."""
    record = place_for(slot, lanes, warp, number)
    record.product = 0
    copy(record.groups, slot.groups[warp])
    clear(record.ends)
    if slot.last_copy[warp]:
        slot.last_copy[warp].next = record
    else:
        slot.first_copy[warp] = record
    slot.last_copy[warp] = record
    return record


@native
def are_apart(targets: Longs, lanes: int, size: int):
    """Whether no lanes write to the same bytes."""
    rising, last = True, 0
    for lane in range(32):
        if (lanes >> lane) & 1:
            rising = rising and targets[lane] >= last
            last = targets[lane] + size
    if rising:
        return True
    for lane in range(32):
        if (lanes >> lane) & 1:
            for other in range(lane):
                if (lanes >> other) & 1 and abs(targets[lane] - targets[other]) < size:
                    return False
    return True


@native
def says_same(cell: Cell, before: Cell):
    """Whether a cell has the same accesses as another one, and neither has a list of more."""
    wrote = cell.writer == before.writer and cell.write_time == before.write_time
    reads = cell.reader == before.reader and cell.read_lanes == before.read_lanes
    later = cell.read_time == before.read_time and cell.read_info == before.read_info
    return wrote and cell.write_info == before.write_info and reads and later and cell.more == 0 and before.more == 0


@native
def written(slot: Slot, record: Copy, addresses: Longs, lanes: int, warp: int, site: Site, note: bool):
    """Look at what copies write, or note it. Whether all is in order."""
    info, size, flags = site.info, site.size, site.flags | WRITES | SHARED
    first, granule = slot.shared_first, arena.shared_granule
    limit = first + slot.shared_bytes
    agent, now = agent_of(record), arena.now
    for lane in range(32):
        if not (lanes >> lane) & 1:
            continue
        begin, end = addresses[lane], addresses[lane] + size
        if not note and (begin < first or end > limit or begin & (size - 1)):
            return False
        if not note and at_mbarrier(slot, begin - first, end - first):
            return False
        if follows.mbarriers and not note and has_boxes(slot):
            unpack(slot, begin - first, end - first)
        earliest = (begin - first) // granule
        for g in range(earliest, earliest + size // granule):
            cell = slot.cells[g]
            if note:
                set_writer(cell, agent | lane, now, info)
            elif (g == earliest or not says_same(cell, cell[-1])) and unsure(slot, cell, warp, 1 << lane, flags, info):
                return False
    return True


@native
def read(slot: Slot, record: Copy, addresses: Longs, taken: Longs, lanes: int, warp: int, site: Site, note: bool):
    """Look at what copies read, or note it. Whether all is in order."""
    info, size, flags = site.info, site.size, site.flags | READS
    reading, whole = 0, True
    for lane in range(32):
        if (lanes >> lane) & 1 and taken[lane]:
            reading |= 1 << lane
            whole = whole and taken[lane] == size
    if reading == 0:
        return True
    lane = 0
    while not (reading >> lane) & 1:
        lane += 1
    buffer = buffer_of(addresses[lane])
    if not buffer:
        return False
    begin, end = buffer.begin, buffer.end
    for lane in range(32):
        start = addresses[lane]
        if (reading >> lane) & 1 and (start < begin or start + taken[lane] > end or start & (size - 1)):
            return False
    if whole and in_lines(addresses, reading, buffer, size):
        return read_lines(slot, record, addresses, reading, warp, buffer, size, flags, info, note)
    agent, granule = agent_of(record), arena.granule
    for lane in range(32):
        if (reading >> lane) & 1:
            for k in range(0, taken[lane], granule):
                cell = cell_of(slot, buffer, addresses[lane] - begin + k, arena.bits)
                if not cell:
                    return False
                if note:
                    note_source(slot, cell, warp, 1 << lane, False, agent | lane, 1, info)
                elif unsure(slot, cell, warp, 1 << lane, flags, info):
                    return False
    return True


@native
def shift_of(size: int):
    """How many granules of global memory a lane has, as a shift."""
    shift = 0
    while arena.granule << shift < size:
        shift += 1
    return shift


@native
def in_lines(addresses: Longs, lanes: int, buffer: Buffer, size: int):
    """Whether lanes read whole lines in order, no line twice, and none of them has cells of its own."""
    nbytes = LINE * arena.granule
    side = 32 >> shift_of(size)
    some = (1 << side) - 1
    for first in range(0, 32, side):
        active = (lanes >> first) & some
        if active == 0:
            continue
        place = addresses[first] - buffer.begin
        if active != some or place & (nbytes - 1) or addresses[first] + nbytes > buffer.end:
            return False
        for lane in range(first, first + side):
            if addresses[lane] != addresses[first] + (lane - first) * size:
                return False
        for other in range(0, first, side):
            if (lanes >> other) & 1 and addresses[other] == addresses[first]:
                return False
        if buffer.lines[place // nbytes].cells:
            return False
    return True


@native
def read_lines(
    slot: Slot,
    record: Copy,
    addresses: Longs,
    lanes: int,
    warp: int,
    buffer: Buffer,
    size: int,
    flags: int,
    info: int,
    note: bool,
):
    """Look at whole lines that copies read, or note it. Whether all is in order."""
    agent, shift = agent_of(record), shift_of(size)
    for first in range(0, 32, 32 >> shift):
        if (lanes >> first) & 1:
            line = buffer.lines[(addresses[first] - buffer.begin) // (LINE * arena.granule)]
            how = first | shift << 5
            if note:
                note_source(slot, line, warp, how, True, agent, how, info)
            elif unsure(slot, line, warp, how, flags | IN_LINE, info):
                return False
    return True


@native
def note_source(slot: Slot, cell: Cell, warp: int, lanes: int, in_line: bool, agent: int, how: int, info: int):
    """Note that copies read a cell or a line. `how`: the lanes as they are noted with the word of the agent.

    Whatever is ordered behind them is ordered behind what their threads did and knew before, and behind their earlier copies.
    """
    before, old, then = cell.reader, cell.read_lanes, cell.read_time
    if before:
        similar = cell.read_info >> SITE_BITS == info >> SITE_BITS
        follows_it = similar and behind(slot, warp, lanes, in_line, before, then, old, False)
        if not follows_it and not (similar and of_same(before, agent, old, how, in_line)):
            remember(cell, before, old, then, cell.read_info, 0)
    set_reader(cell, agent, how, arena.now, info)


@native
def of_same(one: int, other: int, how_one: int, how_other: int, in_line: bool):
    """Whether two agents are copies by the same lanes: they are waited for in order."""
    if one < OPERATION or not one & COPY:
        return False
    if (in_line and how_one != how_other) or (not in_line and (one ^ other) & 31):
        return False
    return copy_at(one).warp == copy_at(other).warp


@native
def commit(slot: Slot, lanes: int, warp: int):
    """Lanes make their copies since the last time a group."""
    for lane in range(32):
        if (lanes >> lane) & 1:
            slot.groups[warp][lane] += 1


@native
def wait(slot: Slot, lanes: int, warp: int, place: int):
    """Lanes have waited for copies that are as many groups old as the instruction says: 0 for all of them."""
    site = Wait(arena.sites[arena.places[place >> 3].site])
    old, now, helped = site.groups, arena.now, site.helped
    record, before = slot.first_copy[warp], Copy(0)
    if old and not helped:
        note_left(record, site.number, LOST)
    while record:
        following, due = record.next, 0
        for lane in range(32):
            age = slot.groups[warp][lane] - record.groups[lane]
            if (lanes & record.open) >> lane & 1 and (old == 0 or age >= old):
                due |= 1 << lane
                record.ends[lane] = now
        if due:
            helped = 1
            record.open &= ~due
        if record.open:
            before = record
        elif before:
            before.next = following
        else:
            slot.first_copy[warp] = following
        record = following
    slot.last_copy[warp] = before
    site.helped = helped


@native
def note_left(record: Copy, number: int, who: int):
    """Note the instructions whose copies, or products, a wait (by its number) of these lanes, or warps, finds unfinished."""
    left = arena.left[number * arena.left_words]
    while record:
        if record.open & who:
            left[record.site >> 5].word |= 1 << (record.site & 31)
        record = record.next
