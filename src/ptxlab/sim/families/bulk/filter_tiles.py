"""What an asynchronous operation accesses: cells that say the same are sorted together, and all are noted at once.

A region is the granules that begin at a word of the arena: at the first cell of a CTA's shared memory, or at the first line of a
buffer (`in_lines`).
"""

# pyright: basic

from __future__ import annotations

from ptxlab.sim.engine.subset.language import native
from ptxlab.sim.order.native.lines import expand
from ptxlab.sim.order.native.lists import beside, drop, granule_of
from ptxlab.sim.order.native.state import COPY, MOST_SORTS, OPERATION, Cell, Line, Longs, Slot, arena


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
                beside(cell, read, lanes, time, cell.read_info, 0)
                listed = not in_lines or listed
            set_reader(cell, agent, 1, now, info)
    if listed:
        slot_of(first).lists = 1


@native
def set_writer(cell: Cell, agent: int, time: int, info: int):
    """An agent has written a cell, and whoever read it before no longer matters."""
    if cell.more:
        drop(cell)
    cell.reader = 0
    cell.writer = agent
    cell.write_time = time
    cell.write_info = info


@native
def set_reader(cell: Cell, agent: int, lanes: int, time: int, info: int):
    """An agent is the last one that has read a cell."""
    cell.reader = agent
    cell.read_lanes = lanes
    cell.read_time = time
    cell.read_info = info


@native
def slot_of(first: int):
    """The CTA whose shared memory begins at a cell."""
    return Slot(first)[-1]
