"""Native filter for what asynchronous operations access: cells with the same accesses are sorted together, and noted at once.

A region is the granules that begin at a word of the arena: at the first cell of a CTA's shared memory, or at the first line of a
buffer (`in_lines`).

A box is bytes of shared memory that one copy has filled, and that nobody but products has accessed since. It stands for its cells:
who filled it, and which products read of it, each with the runs of bytes that it read. So a copy that fills the same bytes again,
and a product that reads within a box, look at a few words instead of hundreds of cells. Before anybody else accesses the bytes the
box is written into its cells.
"""

# pyright: basic

from __future__ import annotations

from ptxlab.codegen.language import address, copy, longs, native
from ptxlab.sim.order.native.known import copy_at
from ptxlab.sim.order.native.lines import expand
from ptxlab.sim.order.native.lists import granule_of, remember, set_reader, set_writer
from ptxlab.sim.order.native.state import (
    COPY,
    MOST_BOX_READS,
    MOST_BOXES,
    MOST_SORTS,
    OPERATION,
    SITE_BITS,
    Box,
    Cell,
    Line,
    Longs,
    Slot,
    arena,
)


@native
def cell_at(first: int, in_lines: int, g: int):
    """The cell of a granule of a region; none where it is not followed."""
    if not in_lines:
        return Cell(first)[g]
    cells = expand(Line(first)[g >> 5])
    return cells[g & 31] if cells else Cell(0)


@native
def same_writer(a: int, b: int):
    """Whether two words of agents are one operation, copies of one instruction, threads of one warp, or nobody."""
    if a == b:
        return True
    if a == 0 or b == 0:
        return False
    if a < OPERATION:
        return b < OPERATION and (a - 1) >> 5 == (b - 1) >> 5
    return a & COPY != 0 and a >> 5 == b >> 5


@native
def same_past(a: Cell, b: Cell):
    """Whether two cells say the same, but for which lane of a warp wrote there."""
    if not same_writer(a.writer, b.writer) or a.reader != b.reader:
        return False
    if a.writer and (a.write_time != b.write_time or a.write_info != b.write_info):
        return False
    if a.reader and (a.read_lanes != b.read_lanes or a.read_time != b.read_time or a.read_info != b.read_info):
        return False
    here, other = a.more, b.more
    while here and other:
        if here.agent != other.agent or here.lanes != other.lanes or here.time != other.time:
            return False
        if here.info != other.info or here.writes != other.writes:
            return False
        here, other = here.next, other.next
    return here == other


@native
def sort_cells(first: int, in_lines: int, runs: int, starts: Longs, sizes: Longs, which: Longs, some: Longs):
    """Sort the cells of runs of bytes by what they say.

    which: gets the number of each cell's sort, -1 where it is not followed. some: gets a cell of each sort.
    Returns: how many sorts there are, or -1 for more than MOST_SORTS.
    """
    granule = granule_of(in_lines)
    count, sort, n = 0, 0, 0
    for run in range(runs):
        if sizes[run] <= 0:
            continue
        for g in range(starts[run] // granule, (starts[run] + sizes[run] - 1) // granule + 1):
            cell = cell_at(first, in_lines, g)
            if not cell:
                which[n] = -1
                n += 1
                continue
            if sort >= count or not same_past(cell, Cell(some[sort])):
                sort = 0
                while sort < count and not same_past(cell, Cell(some[sort])):
                    sort += 1
                if sort == count:
                    if count == MOST_SORTS:
                        return -1
                    some[count] = int(cell)
                    count += 1
            which[n] = sort
            n += 1
    return count


@native
def note_tile(
    first: int,
    in_lines: int,
    runs: int,
    starts: Longs,
    sizes: Longs,
    which: Longs,
    keep: Longs,
    agents: Longs,
    who: Longs,
    parts: int,
    info: int,
    writes: int,
):
    """Note what an operation does to the cells of runs of bytes: `which` as from sort_cells.

    agents: of its parts. who: the part of each run. keep: for each sort and part, whether the sort's reads stay.
    """
    granule, now, n, listed = granule_of(in_lines), arena.now, 0, False
    for run in range(runs):
        if sizes[run] <= 0:
            continue
        agent = agents[who[run]]
        for g in range(starts[run] // granule, (starts[run] + sizes[run] - 1) // granule + 1):
            sort = which[n]
            n += 1
            if sort < 0:
                continue
            cell = cell_at(first, in_lines, g)
            if writes:
                set_writer(cell, agent, now, info)
                continue
            read, lanes, time = cell.reader, cell.read_lanes, cell.read_time
            if agents[0] <= read <= agents[parts - 1] and time == now and cell.read_info == info:
                continue
            if read and keep[sort * parts + who[run]]:
                remember(cell, read, lanes, time, cell.read_info, 0)
                listed = not in_lines or listed
            set_reader(cell, agent, 1, now, info)
    if listed:
        slot_of(first).lists = 1


@native
def slot_of(first: int):
    """The CTA whose shared memory begins at a cell."""
    return Slot(first)[-1]


# --- boxes ------------------------------------------------------------------------------------------------------------------
@native
def has_boxes(slot: Slot):
    """Whether a CTA has any boxes."""
    return slot.phases != 0 and slot.phases.box_count != 0


@native
def overlaps(box: Box, low: int, high: int):
    """Whether bytes from `low` to `high` are among those of a box."""
    return box.begin < high and low < box.end


@native
def lowest(runs: int, starts: Longs):
    """Where the first of some runs of bytes begins."""
    low = starts[0]
    for run in range(runs):
        low = min(low, starts[run])
    return low


@native
def highest(runs: int, starts: Longs, sizes: Longs):
    """Where the last of some runs of bytes ends."""
    high = starts[0] + sizes[0]
    for run in range(runs):
        high = max(high, starts[run] + sizes[run])
    return high


# --- boxes into cells -------------------------------------------------------------------------------------------------------
@native
def unpack(slot: Slot, low: int, high: int):
    """Write the boxes that have any of these bytes into their cells, and forget them."""
    phases = slot.phases
    if not has_boxes(slot):
        return
    for i in range(phases.box_count - 1, -1, -1):
        if overlaps(phases.boxes[i], low, high):
            into_cells(slot, phases.boxes[i])
            phases.box_count -= 1
            copy(phases.boxes[i], phases.boxes[phases.box_count])


@native
def into_cells(slot: Slot, box: Box):
    """Write a box into its cells."""
    granule, begin, end = arena.shared_granule, box.begin, box.end
    for g in range(begin // granule, end // granule):
        set_writer(slot.cells[g], box.writer, box.write_time, box.write_info)
    for i in range(box.count):
        read = box.reads[i]
        starts, sizes = longs(read.starts), longs(read.sizes)
        for run in range(read.runs):
            low, high = max(starts[run], begin), min(starts[run] + sizes[run], end)
            if low < high:
                for g in range(low // granule, (high - 1) // granule + 1):
                    note_product(slot, slot.cells[g], read.agent, read.time, read.info)


@native
def note_product(slot: Slot, cell: Cell, agent: int, time: int, info: int):
    """Note in a cell that a product has read it: as `note_reads`."""
    read, before = cell.reader, cell.read_info
    if read and (before >> SITE_BITS != info >> SITE_BITS or copy_at(agent).warp != copy_at(read).warp):
        remember(cell, read, 1, cell.read_time, before, 0)
        slot.lists = 1
    set_reader(cell, agent, 1, time, info)


# --- copies that fill boxes ---------------------------------------------------------------------------------------------------
@native
def box_of(slot: Slot, begin: int, end: int):
    """The box of just these bytes, or none. Others that have some of them become cells."""
    phases, other = slot.phases, False
    for i in range(phases.box_count):
        box = phases.boxes[i]
        if box.begin == begin and box.end == end:
            return box
        other = other or overlaps(box, begin, end)
    if other:
        unpack(slot, begin, end)
    return Box(0)


@native
def new_box(slot: Slot, begin: int, end: int):
    """A box that none of the others overlaps; none where there is no room."""
    phases, granule = slot.phases, arena.shared_granule
    if phases.box_count == MOST_BOXES or begin % granule or end % granule:
        return Box(0)
    box = phases.boxes[phases.box_count]
    phases.box_count += 1
    box.begin = begin
    box.end = end
    return box


@native
def fill(box: Box, agent: int, info: int):
    """A copy fills a box."""
    box.writer = agent
    box.write_time = arena.now
    box.write_info = info
    box.count = 0


# --- products that read boxes ---------------------------------------------------------------------------------------------------
@native
def holds(slot: Slot, runs: int, starts: Longs, sizes: Longs):
    """Whether boxes with room for one more reader hold all that a product reads. Else those that it reads of become cells."""
    if runs == 0 or not has_boxes(slot):
        return False
    low, high, total = lowest(runs, starts), highest(runs, starts, sizes), 0
    for run in range(runs):
        total += sizes[run]
    some, held, room = False, 0, True
    for i in range(slot.phases.box_count):
        box = slot.phases.boxes[i]
        begin, end = box.begin, box.end
        if begin <= low and high <= end:
            if box.count < MOST_BOX_READS:
                return True
            unpack(slot, begin, end)
            return False
        if overlaps(box, low, high):
            some, room = True, room and box.count < MOST_BOX_READS
            for run in range(runs):
                held += max(0, min(starts[run] + sizes[run], end) - max(starts[run], begin))
    if held == total and room:
        return True
    if some:
        unpack(slot, low, high)
    return False


@native
def note_box_reads(slot: Slot, runs: int, starts: Longs, sizes: Longs, agent: int, info: int):
    """A product reads what boxes hold."""
    low, high = lowest(runs, starts), highest(runs, starts, sizes)
    for i in range(slot.phases.box_count):
        box = slot.phases.boxes[i]
        if overlaps(box, low, high):
            read = box.reads[box.count]
            box.count += 1
            read.agent = agent
            read.time = arena.now
            read.info = info
            read.runs = runs
            read.starts = address(starts)
            read.sizes = address(sizes)
