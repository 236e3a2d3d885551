"""Lines of global memory: cells for their granules, and reads of memory that nobody has written.

Such reads are in order whoever makes them, and many may read one place. So they only go to a record, and their lines say so.
Whoever writes there, or asks for the cells, has the record written into the cells first.
"""

# pyright: basic

from __future__ import annotations

from ptxlab.codegen.language import native
from ptxlab.sim.order.native.lists import remember, set_reader
from ptxlab.sim.order.native.patterns import following, note_entry, offset_of, pattern, site_of
from ptxlab.sim.order.native.state import (
    LINE,
    LOST,
    MOST_BESIDE,
    OPERATION,
    RECORDED,
    SITE_BITS,
    Buffer,
    Cell,
    Line,
    Longs,
    Node,
    ScatteredEntry,
    Slot,
    arena,
)


@native
def expand_now(line: Line):
    """Give a line a cell for each granule. Returns the first cell, or none where there is no room: it is not followed any more."""
    if line.cells > RECORDED:
        return Cell(0) if line.cells == LOST else Cell(line.cells)
    first = arena.cell
    if int(first[LINE]) > arena.cells_end:
        line.cells = LOST
        arena.lost += 1
        return Cell(0)
    arena.cell = first[LINE]
    line.cells = int(first)
    wrote, read = line.writer, line.reader
    how_wrote, how_read = line.write_lanes, line.read_lanes
    for g in range(LINE):
        cell = first[g]
        if wrote:
            cell.writer = wrote + (how_wrote & 31) + (g >> (how_wrote >> 5))
            cell.write_time = line.write_time
            cell.write_info = line.write_info
        if read:
            lane = (how_read & 31) + (g >> (how_read >> 5))
            cell.reader = read + lane if read >= OPERATION else read
            cell.read_lanes = 1 if read >= OPERATION else 1 << lane
            cell.read_time = line.read_time
            cell.read_info = line.read_info
    expand_list(line, first)
    return first


@native
def expand_list(line: Line, first: Cell):
    """What stands beside a line, beside each of its cells."""
    for _ in range(MOST_BESIDE):
        here, skip = line.more, Node(0)
        if not here:
            return
        while here.next:  # the oldest first
            skip, here = here, here.next
        how = here.lanes
        for g in range(LINE):
            lane = (how & 31) + (g >> (how >> 5))
            agent, lanes = here.agent, 1 << lane
            if agent >= OPERATION:
                agent, lanes = agent + lane, 1
            remember(first[g], agent, lanes, here.time, here.info, here.writes)
        if skip:
            skip.next = 0
        else:
            line.more = 0
        here.next = arena.free_node
        arena.free_node = here


# --- reads that are recorded ------------------------------------------------------------------------------------------------
@native
def expand(line: Line):
    """The same, behind what the record has of it."""
    if line.cells == RECORDED:
        recall_reads()
    return expand_now(line)


@native
def recall_reads():
    """Write the recorded reads of global memory into cells."""
    at, end = arena.record, arena.record_at
    arena.record_at = at
    bits = arena.bits
    while int(at) < int(end):
        site, lines = site_of(at), at.buffer.lines
        info, size, lanes, done = site.info, site.size, at.lanes, 0
        for lane in range(32):
            if (lanes >> lane) & 1 == 0 or (done >> lane) & 1:
                continue
            offset, mask = offset_of(at, lane), 0
            for other in range(lane, 32):
                mask |= int(offset_of(at, other) == offset) << other
            mask &= lanes
            done |= mask
            for g in range(offset >> bits, (offset + size) >> bits):
                first = expand_now(lines[g >> 5])
                if first:
                    recalled_read(first[g & 31], at.warp, mask, at.time, info, 0)
        at = following(at)


@native
def recalled_read(cell: Cell, warp: int, lanes: int, time: int, info: int, since: int):
    """Note a read of a record, where the cell's last read need not be kept if it came before a time, `since`.

    What warps have heard of each other since the read does not count.
    """
    read = cell.reader
    if read:
        old, then, before = cell.read_lanes, cell.read_time, cell.read_info
        if read == warp and then == time and before == info:
            cell.read_lanes = old | lanes
            return
        similar = before >> SITE_BITS == info >> SITE_BITS
        if not (similar and ((read == warp and old & ~lanes == 0) or then < since)):
            remember(cell, read, old, then, before, 0)
    set_reader(cell, warp, lanes, time, info)


@native
def is_unwritten(line: Line):
    """Whether nobody has written to a line, and it has no cells."""
    return line.cells <= RECORDED and line.writer == 0


@native
def read_unwritten(
    slot: Slot, addresses: Longs, lanes: int, warp: int, buffer: Buffer, first: int, limit: int, size: int, place: int
):
    """Whether lanes read only what nobody has written; it is recorded then."""
    shift, step, over = pattern(addresses, lanes)
    width, height, low, high = 0, 0, addresses[0], addresses[0]
    if shift >= 0:
        width, height = ((1 << shift) - 1) * step, ((32 >> shift) - 1) * over
        low, high = low + min(width, 0) + min(height, 0), high + max(width, 0) + max(height, 0)
        if (addresses[0] | step | over) & (size - 1):
            return False
    else:
        bad, low, high = 0, limit, first
        for i in range(32):
            if (lanes >> i) & 1:
                bad |= addresses[i] & (size - 1)
                low, high = min(low, addresses[i]), max(high, addresses[i])
        if bad:
            return False
    if low < first or high + size > limit or limit - first >= 1 << 32:
        return False
    at = arena.record_at
    if int(ScatteredEntry(at)[1]) > arena.record_end:
        recall_reads()
        return False
    each, bits, lines = LINE * arena.granule, arena.bits + 5, buffer.lines
    if shift >= 0 and abs(step) <= each:
        for marked in range(2):
            for k in range(32 >> shift):
                begin = addresses[0] - first + k * over + min(width, 0)
                for n in range(begin >> bits, ((begin + abs(width) + size - 1) >> bits) + 1):
                    if marked:
                        lines[n].cells = RECORDED
                    elif not is_unwritten(lines[n]):
                        return False
    else:
        for marked in range(2):
            for lane in range(32):
                if (lanes >> lane) & 1:
                    line = lines[(addresses[lane] - first) >> bits]
                    if marked:
                        line.cells = RECORDED
                    elif not is_unwritten(line):
                        return False
    mine = slot.base + 32 * warp
    arena.record_at = note_entry(at, addresses, lanes, mine, place, buffer, first, shift, step, over)
    return True
