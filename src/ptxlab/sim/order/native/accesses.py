"""Accesses of warps: those that surely come behind what they depend on are accepted here, and noted.

What native code is not sure of it leaves to Python, which judges by what every thread knows. Here there is less: for each warp
of a CTA, the time up to which all its threads know what all threads of another warp of the CTA did. Barriers of the CTA raise it.
"""

# pyright: basic

from __future__ import annotations

from ptxlab.codegen.language import clear, native
from ptxlab.sim.families.bulk.filter import has_boxes, unpack
from ptxlab.sim.families.mbarrier.filter import begin_phases
from ptxlab.sim.order.native.atomics import last_of, note_atomic, only_counts
from ptxlab.sim.order.native.fences import begin_fences
from ptxlab.sim.order.native.known import at_mbarrier, behind, close_copies, is_reported, known, may_defer
from ptxlab.sim.order.native.lines import expand, is_unwritten, read_unwritten
from ptxlab.sim.order.native.lists import alike, bits_of, drop, granule_of, remember, set_reader, set_writer
from ptxlab.sim.order.native.shared import before_cells, begin_epochs, behind_cells, by_marks
from ptxlab.sim.order.native.state import (
    ATOMIC,
    DEFERRED,
    EQUAL,
    FAR,
    FLAG,
    FOUND,
    GENERIC,
    IN_LINE,
    LINE,
    LOST,
    NARROW,
    OF_CLUSTER,
    OF_CLUSTERS,
    OPERATES,
    OPERATION,
    OVERWRITES,
    PROXY,
    READS,
    SCOPE,
    SHARED,
    SITE_BITS,
    SIZE,
    STRONG,
    TEXTURE,
    TEXTURES,
    WIDE,
    WRITES,
    Buffer,
    Cell,
    Line,
    Longs,
    Slot,
    arena,
    follows,
)

TEXTURE_PROXY = 3
MOST_AT_ONCE = 33
"""What an access adds to the deferred operations, at most: itself, and a plain store of each lane."""
SHARED_WINDOW = 1
"""The upper eight bits of a generic address in shared memory."""


# --- a CTA begins ---------------------------------------------------------------------------------------------------------
@native
def begin(slot: Slot, index: int):
    """A CTA takes the place of another."""
    if follows.copies or follows.products:
        close_copies(slot)
    slot.cta = index
    slot.base = index * arena.threads + 1
    for warp in range(slot.warps):
        clear(slot.rows[warp].all)
        clear(slot.rows[warp].phases)
        clear(slot.others[warp])
    if arena.own_eye:
        begin_fences(slot)
    if follows.mbarriers and slot.phases:
        begin_phases(slot)
    slot.log_count = 0
    slot.open = 0
    slot.released = 0
    if follows.clusters:
        clear(slot.arrived)
        clear(slot.passed)
    if slot.mbarriers_end:
        clear(slot.mbarriers)
    slot.mbarriers_begin = LOST
    slot.mbarriers_end = 0
    if follows.shared:
        if slot.private == 0 or slot.cells_used:
            clear_cells(slot)
        if slot.private:
            begin_epochs(slot)


@native
def clear_cells(slot: Slot):
    """Nobody has accessed the shared memory of a CTA."""
    for g in range(slot.cell_count):
        if slot.lists and slot.cells[g].more:
            drop(slot.cells[g])
        clear(slot.cells[g])
    slot.lists = 0


# --- looking, and noting --------------------------------------------------------------------------------------------------
@native
def is_apart(before: int, info: int, flags: int):
    """Whether an access may come in any order with an earlier one, as both are strong: in scopes that include both, of one size
    and through one proxy. Where flags are followed native code has only atomic operations of one kind."""
    if not arena.unflagged:
        return (flags & ATOMIC) != 0 and before >> SITE_BITS == info >> SITE_BITS
    if ((before & info) >> STRONG) & 1 == 0 or (before ^ info) & (7 << SIZE | 3 << PROXY):
        return False
    return (flags & SHARED) != 0 or ((before >> SCOPE) & 7 >= WIDE and (info >> SCOPE) & 7 >= WIDE)


@native
def unsure(slot: Slot, cell: Cell, warp: int, lanes: int, flags: int, info: int):
    """Whether an access by lanes (a mask; of a line: how they lie) to a cell, or a whole line, is for Python to judge."""
    mine = slot.base + 32 * warp
    in_line = flags & IN_LINE != 0
    writes = flags & WRITES
    atomic = flags & ATOMIC
    if atomic and only_counts(cell, info):
        return False
    wrote = cell.writer
    if wrote == 0:
        if flags & READS and flags & SHARED and not is_reported(LOST, info):
            return True
    else:
        before = cell.write_info
        if is_apart(before, info, flags):
            pass
        elif flags & TEXTURE or ((before >> STRONG) & 1 and writes and (atomic or flags & FAR)):
            return True
        elif in_line:
            own = wrote == mine and Line(cell).write_lanes == lanes
            if not own and not known(slot, warp, wrote, cell.write_time, True) and not is_reported(before, info):
                return True
        elif wrote >= OPERATION:
            if not behind(slot, warp, lanes, False, wrote, cell.write_time, 1, True) and not is_reported(before, info):
                return True
        elif (
            not (wrote >= mine and wrote < mine + 32 and lanes == 1 << (wrote - mine))
            and not known(slot, warp, wrote, cell.write_time, True)
            and not is_reported(before, info)
        ):
            return True
    read = cell.reader
    if writes and read:
        if flags & TEXTURES and (cell.read_info >> PROXY) & 3 == TEXTURE_PROXY:
            return True
        ordered = arena.unflagged and is_apart(cell.read_info, info, flags)
        ordered = ordered or behind(slot, warp, lanes, in_line, read, cell.read_time, cell.read_lanes, False)
        if not ordered and not is_reported(cell.read_info, info):
            return True
    here = cell.more
    while here:
        wrote_too = here.writes
        if writes or wrote_too:
            before = here.info
            if flags & TEXTURES and (before >> PROXY) & 3 == TEXTURE_PROXY:
                return True
            same = (arena.unflagged or wrote_too) and is_apart(before, info, flags)
            same = same or behind(slot, warp, lanes, in_line, here.agent, here.time, here.lanes, wrote_too == 1)
            if not same and not is_reported(before, info):
                return True
        here = here.next
    return False


@native
def note_read(slot: Slot, cell: Cell, warp: int, lanes: int, in_line: bool, info: int):
    """Note a read of a cell or a line."""
    mine, now = slot.base + 32 * warp, arena.now
    read = cell.reader
    if read:
        old, then, before = cell.read_lanes, cell.read_time, cell.read_info
        if read == mine and then == now and before == info and (not in_line or old == lanes):
            cell.read_lanes = old | lanes
            return
        within = old == lanes if in_line else old & ~lanes == 0
        similar = before >> SITE_BITS == info >> SITE_BITS
        if not (similar and ((read == mine and within) or behind(slot, warp, lanes, in_line, read, then, old, False))):
            remember(cell, read, old, then, before, 0)
            slot.lists = 1
    set_reader(cell, mine, lanes, now, info)


@native
def note_write(slot: Slot, cell: Cell, warp: int, lanes: int, in_line: bool, info: int):
    """Note a weak write of a cell or a line."""
    mine = slot.base + 32 * warp
    if in_line:
        set_writer(cell, mine, arena.now, info)
        Line(cell).write_lanes = lanes
    else:
        set_writer(cell, mine + last_of(lanes), arena.now, info)


# --- relaxed atomic operations, in programs with flags ---------------------------------------------------------------------
@native
def finds_its_own(slot: Slot, cell: Cell, warp: int, lanes: int):
    """Whether one of the lanes has written a cell last, by a plain store: who finds its operation has found that, too."""
    lane = cell.writer - slot.base - 32 * warp
    return 0 <= lane < 32 and (lanes >> lane) & 1 == 1 and (cell.write_info >> STRONG) & 1 == 0


@native
def defer(
    slot: Slot,
    home: Slot,
    addresses: Longs,
    lanes: int,
    warp: int,
    buffer: Buffer,
    first: int,
    info: int,
    what: int,
    time: int,
):
    """Write down a relaxed atomic operation, or what else its chain has to know, for Python to hear of it when it asks."""
    operation = arena.deferred_at
    operation.warp = slot.base + 32 * warp
    operation.lanes = lanes
    operation.time = time
    operation.site = info & ((1 << SITE_BITS) - 1)
    operation.what = what
    operation.buffer = buffer
    operation.home = home.cta
    for lane in range(32):
        operation.bytes[lane] = addresses[lane] - first
    arena.deferred_at = operation[1]


# --- an access of a warp ------------------------------------------------------------------------------------------------
@native
def buffer_of(address: int):
    """The buffer that an address lies in, or none."""
    buffer = arena.buffers
    for _ in range(arena.buffer_count):
        if buffer.begin <= address < buffer.end:
            return buffer
        buffer = buffer[1]
    return Buffer(0)


@native
def by_lines(slot: Slot, addresses: Longs, lanes: int, warp: int, buffer: Buffer, size: int, flags: int, info: int):
    """An access whose lanes cover whole lines in order, 32 >> shift of them each. Whether it was one, and has been noted."""
    granule = arena.granule
    shift = 0
    while granule << shift < size:
        shift += 1
    if shift > 5:
        return False
    side = 32 >> shift
    begin, end, lines = buffer.begin, buffer.end, buffer.lines
    apart, start = addresses[31] - addresses[0] - 31 * size, addresses[0]
    for lane in range(32 if apart == 0 else 0):
        apart |= addresses[lane] - start - lane * size
    if apart and shift:  # not one row, but rows of whole lines may be
        apart = 0
        for lane in range(32):
            apart |= addresses[lane] - addresses[lane & ~(side - 1)] - (lane & (side - 1)) * size
        # lanes of two rows in one place may store different values: `by_cells` looks at them one by one
        for group in range(side, 32, side):
            for other in range(0, group, side):
                both = (lanes >> other) & (lanes >> group) & 1 == 1
                apart |= int(addresses[other] == addresses[group] and both)
    if apart:
        return False
    some = (1 << side) - 1
    for group in range(1 << shift):
        active = (lanes >> (group * side)) & some
        if active == 0:
            continue
        place = addresses[group * side] - begin
        if active != some or place < 0 or place & (LINE * granule - 1):
            return False
        if addresses[group * side] + LINE * granule > end:
            return False
        line = lines[place >> arena.bits >> 5]
        if not flags & WRITES and is_unwritten(line) and read_by_others(slot, line, warp):
            return False  # the record is for that
        if line.cells or unsure(slot, line, warp, group * side | shift << 5, flags | IN_LINE, info):
            return False
    for group in range(1 << shift):
        if (lanes >> (group * side)) & some:
            line = lines[(addresses[group * side] - begin) >> arena.bits >> 5]
            if flags & WRITES:
                note_write(slot, line, warp, group * side | shift << 5, True, info)
            else:
                note_read(slot, line, warp, group * side | shift << 5, True, info)
    return True


@native
def read_by_others(slot: Slot, line: Line, warp: int):
    """Whether somebody else has read a line, and a read by this warp does not stand for theirs."""
    read = line.reader
    if read == 0 or read == slot.base + 32 * warp:
        return False
    return not known(slot, warp, read, line.read_time, False)


@native
def cell_of(home: Slot, buffer: Buffer, place: int, bits: int):
    """The cell of a byte: of a buffer, or of a CTA's shared memory where that is none; none where it is not followed."""
    g = place >> bits
    if follows.shared and not buffer:
        return home.cells[g]
    first = expand(buffer.lines[g >> 5])
    return first[g & 31] if first else Cell(0)


@native
def by_cells(
    slot: Slot,
    home: Slot,
    addresses: Longs,
    lanes: int,
    warp: int,
    buffer: Buffer,
    first: int,
    size: int,
    flags: int,
    info: int,
    note: bool,
):
    """Look at all cells of an access, or note it there. Whether Python has to judge. home: the CTA whose shared memory it is."""
    granule, bits = granule_of(int(buffer)), bits_of(int(buffer))
    rising, last = True, -1
    for lane in range(32):
        if (lanes >> lane) & 1:
            rising = rising and addresses[lane] > last
            last = addresses[lane]
    done, ended = 0, 0
    for lane in range(32):
        if (lanes >> lane) & 1 == 0 or (done >> lane) & 1:
            continue
        mask = 1 << lane if rising else alike(addresses, lanes, lane)
        done |= mask
        if mask != 1 << lane and flags & WRITES and (flags & FLAG or not flags & (ATOMIC | EQUAL)):
            return True  # they may write different values to one place
        for k in range(0, size, granule):
            cell = cell_of(home, buffer, addresses[lane] - first + k, bits)
            if not cell:
                continue
            fresh = buffer and (cell.writer | cell.reader | int(cell.more)) == 0
            if not note and not fresh and unsure(slot, cell, warp, mask, flags, info):
                return True
            if flags & ATOMIC:
                if note:
                    if flags & DEFERRED and finds_its_own(slot, cell, warp, mask):
                        own = 1 << (cell.writer - slot.base - 32 * warp)
                        defer(slot, home, addresses, own, warp, buffer, first, info, FOUND, cell.write_time)
                    note_atomic(Slot(0) if buffer else home, cell, slot.base + 32 * warp, mask, info, arena.now)
                    slot.lists = 1
            elif flags & WRITES:
                if note:
                    ended |= mask if (cell.write_info >> STRONG) & 1 else 0
                    note_write(slot, cell, warp, mask, False, info)
            else:  # if Python judges another lane's, it notes this one once more: no matter
                note_read(slot, cell, warp, mask, False, info)
    if ended and not arena.unflagged:
        defer(slot, home, addresses, ended, warp, buffer, first, info, OVERWRITES, arena.now)
    return False


# --- shared memory of a cluster ---------------------------------------------------------------------------------------------
@native
def lanes_at(home: Slot, addresses: Longs, lanes: int, first: int, size: int):
    """The lanes that access shared memory of a CTA, which begins at `first`: all that lies there, aligned, and is no mbarrier."""
    found = 0
    for lane in range(32):
        at = addresses[lane] - first
        inside = (at >= 0) & (at + size <= home.shared_bytes) & (at & (size - 1) == 0)
        found |= int(inside) << lane
    found &= lanes
    if at_mbarriers(home, addresses, found, first, size):
        for lane in range(32):
            at = addresses[lane] - first
            if (found >> lane) & 1 and at_mbarrier(home, at, at + size):
                found &= ~(1 << lane)
    return found


@native
def at_mbarriers(home: Slot, addresses: Longs, lanes: int, first: int, size: int):
    """Whether lanes may access bytes of mbarriers: they are all in the shared memory of a CTA."""
    low, high, near = first + home.mbarriers_begin, first + home.mbarriers_end, False
    for lane in range(32):
        near |= (addresses[lane] < high) & (addresses[lane] + size > low) & ((lanes >> lane) & 1 == 1)
    return near


@native
def in_cluster(slot: Slot, addresses: Longs, lanes: int, warp: int, window: int, size: int, flags: int, info: int):
    """As `judged`, of shared memory of any CTAs of the cluster. window: what generic addresses begin with.

    A warp that has passed a barrier of the cluster knows that they have started.
    """
    left = lanes
    for rank in range(slot.peer_count):
        left &= ~lanes_at(slot.peers[rank], addresses, left, window + slot.peers[rank].shared_first, size)
    narrow = flags & NARROW and not flags & OF_CLUSTER
    full = flags & WRITES and int(arena.deferred_at[MOST_AT_ONCE]) > arena.deferred_end
    heard = flags & DEFERRED and not may_defer(slot, warp, flags, True)
    if left or slot.passed[warp] == 0 or narrow or full or heard:
        return 1
    if flags & ATOMIC:
        arena.now += 1
    for note in range(2 if flags & WRITES else 1):
        for rank in range(slot.peer_count):
            home, none = slot.peers[rank], Buffer(0)
            first = window + home.shared_first
            there = lanes_at(home, addresses, lanes, first, size)
            if there == 0:
                continue
            home.lists = 1
            if by_cells(slot, home, addresses, there, warp, none, first, size, flags, info, note == 1):
                if flags & ATOMIC:
                    arena.now -= 1
                return 1
            if note and flags & DEFERRED:
                defer(slot, home, addresses, there, warp, none, first, info, OPERATES, arena.now)
    if flags & ATOMIC:
        arena.now += 1
    return 0


@native
def same(addresses: Longs, values: Longs, lanes: int):
    """Whether some lanes have one address, and all that do have one value."""
    some = False
    for lane in range(32):
        if (lanes >> lane) & 1:
            for other in range(lane):
                if (lanes >> other) & 1 and addresses[other] == addresses[lane]:
                    some = True
                    if values[other] != values[lane]:
                        return False
    return some


@native
def judged(slot: Slot, addresses: Longs, lanes: int, warp: int, place: int, how: int):
    """Lanes of a warp are about to access memory at addresses. 0: that is in order, and noted; 1: Python has to judge.

    how: EQUAL of a store whose lanes store one value where they have one address, or 0.
    """
    site = arena.sites[arena.places[place >> 3].site]
    info, size, flags = site.info, site.size, site.flags | how
    lanes &= site.lanes
    if lanes == 0:
        return 0
    lane = 0
    while not (lanes >> lane) & 1:
        lane += 1
    buffer, first, limit = Buffer(0), 0, 0
    if follows.shared and flags & GENERIC and (addresses[lane] >> 56) == SHARED_WINDOW:
        flags |= SHARED
        first = (SHARED_WINDOW << 56) + slot.shared_first
    elif follows.shared and flags & SHARED:
        first = slot.shared_first
    if follows.shared and flags & SHARED:
        if follows.clusters and slot.peer_count and lanes_at(slot, addresses, lanes, first, size) != lanes:
            return in_cluster(slot, addresses, lanes, warp, first - slot.shared_first, size, flags, info)
        limit = first + slot.shared_bytes
    else:
        buffer = buffer_of(addresses[lane])
        if not buffer:
            return 1
        first, limit = buffer.begin, buffer.end
    if buffer and not flags & ATOMIC:
        if by_lines(slot, addresses, lanes, warp, buffer, size, flags, info):
            return 0
        reads = not flags & WRITES
        if reads and read_unwritten(slot, addresses, lanes, warp, buffer, first, limit, size, place >> 3):
            return 0
    own = follows.shared and not buffer and slot.own != 0
    marked = own and not flags & (DEFERRED | FLAG)
    if follows.shared and marked and by_marks(slot, addresses, lanes, warp, first, size, flags, info, place >> 3):
        return 0
    bad = False
    if follows.shared and not buffer:
        bad = lanes_at(slot, addresses, lanes, first, size) != lanes
    else:
        for i in range(32):
            outside = (addresses[i] < first) | (addresses[i] + size > limit) | (addresses[i] & (size - 1) != 0)
            bad |= outside & ((lanes >> i) & 1 == 1)
    if bad:
        return 1
    if flags & NARROW and (buffer or (arena.released & OF_CLUSTERS and not flags & OF_CLUSTER)):
        return 1
    if limit - first >= 1 << 32:
        flags |= FAR
    if flags & WRITES and int(arena.deferred_at[MOST_AT_ONCE]) > arena.deferred_end:
        return 1
    if flags & DEFERRED and (not may_defer(slot, warp, flags, buffer != 0) or flags & FAR):
        return 1
    if follows.mbarriers and not buffer and has_boxes(slot):
        for i in range(32):
            if (lanes >> i) & 1:
                unpack(slot, addresses[i] - first, addresses[i] - first + size)
    if follows.shared and own:
        before_cells(slot, addresses, lanes, first, size)
    if flags & ATOMIC:
        arena.now += 1
    if by_cells(slot, slot, addresses, lanes, warp, buffer, first, size, flags, info, False):
        if flags & ATOMIC:
            arena.now -= 1
        return 1
    if flags & WRITES:
        by_cells(slot, slot, addresses, lanes, warp, buffer, first, size, flags, info, True)
    if flags & DEFERRED:
        defer(slot, slot, addresses, lanes, warp, buffer, first, info, OPERATES, arena.now)
    if flags & ATOMIC:
        arena.now += 1
    if follows.shared and own:
        behind_cells(slot, addresses, lanes, warp, first, size, flags)
    return 0
