"""cp.async: the copies of a warp are one record, with the group and the end of each lane's copy.

A copy is over for who knows that its thread has waited for it. So its end is the time of that wait, and what barriers tell warps
of each other tells them of copies, too: see `behind` in quick.py.
"""

# Numba has no types
# pyright: basic

from __future__ import annotations

from ptxlab.sim.families.bulk.filter_boxes import boxes, unpack
from ptxlab.sim.order.native import arena as A
from ptxlab.sim.order.native.lists import CELL, beside, drop, get, jit, put
from ptxlab.sim.order.native.quick import behind, buffer_of, cell_of, unsure


@jit
def copy(m, s, sources, targets, taken, lanes, warp, place):
    """Lanes of a warp are about to start copies of these bytes. 0: that is in order, and noted; 1: Python has to judge.

    taken: bytes that each lane reads.
    """
    number = get(m, get(m, A.H_PLACES) + (place >> 3)) - 1
    site = get(m, A.H_SITES) + A.SITE_WORDS * (number + 1)
    row = _new(m, s, lanes, warp, number)
    if not _apart(targets, lanes, get(m, site + 1)) or not _targets(m, s, row, targets, lanes, warp, site, False):
        return 1
    if not _sources(m, s, row, sources, taken, lanes, warp, site, False):
        return 1
    _targets(m, s, row, targets, lanes, warp, site, True)
    _sources(m, s, row, sources, taken, lanes, warp, site, True)
    return 0


@jit
def place_for(m, s, lanes, warp, number):
    """A place for copies, or a product: that of the oldest ones, unless somebody has yet to wait for those."""
    index = get(m, A.H_COPY)
    row = get(m, A.H_COPIES) + index * A.COPY_WORDS
    while get(m, row + A.K_OPEN):
        index = (index + 1) & (A.MOST_COPIES - 1)
        row = get(m, A.H_COPIES) + index * A.COPY_WORDS
    put(m, A.H_COPY, (index + 1) & (A.MOST_COPIES - 1))
    put(m, A.H_LATEST, index)
    put(m, row + A.K_TIME, get(m, A.H_NOW))
    put(m, row + A.K_BASE, get(m, s + A.S_BASE) + 32 * warp)
    put(m, row + A.K_SITE, number)
    put(m, row + A.K_INDEX, get(m, s + A.S_INDEX))
    put(m, row + A.K_LANES, lanes)
    put(m, row + A.K_OPEN, lanes)
    put(m, row + A.K_NEXT, 0)
    return row


@jit
def _new(m, s, lanes, warp, number):
    """A place for the copies of an instruction."""
    row = place_for(m, s, lanes, warp, number)
    put(m, row + A.K_JOINT, 0)
    groups = s + A.S_GROUPS + 32 * warp
    for lane in range(32):
        m[row + A.K_GROUPS + lane] = m[groups + lane]
        put(m, row + A.K_ENDS + lane, 0)
    last = get(m, s + A.S_LAST + warp)
    if last:
        put(m, last + A.K_NEXT, row)
    else:
        put(m, s + A.S_FIRST + warp, row)
    put(m, s + A.S_LAST + warp, row)
    return row


@jit
def _agent(m, row):
    """The word of the copy of lane 0."""
    return A.OPERATION | A.COPY | (row - get(m, A.H_COPIES)) // A.COPY_WORDS << 5


@jit
def _apart(targets, lanes, size):
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


@jit
def says_same(m, c):
    """Whether a cell says what the one before it does, and nothing stands beside it."""
    different = m[c + A.R_MORE]
    for word in range(CELL):
        different |= m[c + word] ^ m[c - CELL + word]
    return different == 0


@jit
def _targets(m, s, row, a, lanes, warp, site, note):
    """Look at what copies write, or note it. Whether all is in order."""
    info, size, flags = get(m, site), get(m, site + 1), get(m, site + 2) | A.T_WRITES | A.T_SHARED
    first, granule = get(m, s + A.S_SHARED_FIRST), get(m, A.H_SHARED_GRANULE)
    limit = first + get(m, s + A.S_SHARED_BYTES)
    low, high = first + get(m, s + A.S_MBARRIERS), first + get(m, s + A.S_MBARRIERS + 1)
    agent, now = _agent(m, row), get(m, A.H_NOW)
    for lane in range(32):
        if not (lanes >> lane) & 1:
            continue
        if not note and (
            a[lane] < first
            or a[lane] + size > limit
            or a[lane] & (size - 1)
            or (a[lane] < high and a[lane] + size > low)
        ):
            return False
        if not note and boxes(m, s):
            unpack(m, s, a[lane] - first, a[lane] - first + size)
        begin = get(m, s + A.S_CELLS) + (a[lane] - first) // granule * CELL
        for c in range(begin, begin + size // granule * CELL, CELL):
            if not note:
                if (c == begin or not says_same(m, c)) and unsure(m, s, c, warp, 1 << lane, flags, info):
                    return False
                continue
            if get(m, c + A.R_MORE):
                drop(m, c)
            put(m, c + A.R_WARP, 0)
            put(m, c + A.W_AGENT, agent | lane)
            put(m, c + A.W_TIME, now)
            put(m, c + A.W_INFO, info)
    return True


@jit
def _sources(m, s, row, a, taken, lanes, warp, site, note):
    """Look at what copies read, or note it. Whether all is in order."""
    info, size, flags = get(m, site), get(m, site + 1), get(m, site + 2) | A.T_READS
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
    buffer = buffer_of(m, a[lane])
    if buffer == 0:
        return False
    begin = get(m, buffer + A.B_BEGIN) | get(m, buffer + A.B_BEGIN + 1) << 32
    end = get(m, buffer + A.B_END) | get(m, buffer + A.B_END + 1) << 32
    for lane in range(32):
        if (reading >> lane) & 1 and (a[lane] < begin or a[lane] + taken[lane] > end or a[lane] & (size - 1)):
            return False
    if whole and _in_lines(m, a, reading, buffer, begin, end, size):
        return _lines(m, s, row, a, reading, warp, buffer, begin, size, flags, info, note)
    agent, granule = _agent(m, row), get(m, A.H_GRANULE)
    for lane in range(32):
        if (reading >> lane) & 1:
            for k in range(0, taken[lane], granule):
                c = cell_of(m, s, buffer, a[lane] - begin + k, granule)
                if c == 0:
                    return False
                if note:
                    _read(m, s, c, warp, 1 << lane, 0, agent | lane, 1, info)
                elif unsure(m, s, c, warp, 1 << lane, flags, info):
                    return False
    return True


@jit
def _shift(size, granule):
    """How many granules a lane has, as a shift."""
    shift = 0
    while granule << shift < size:
        shift += 1
    return shift


@jit
def _in_lines(m, a, lanes, buffer, begin, end, size):
    """Whether lanes read whole lines in order, no line twice, and none of them has cells of its own."""
    granule = get(m, A.H_GRANULE)
    side = 32 >> _shift(size, granule)
    some = (1 << side) - 1
    for first in range(0, 32, side):
        active = (lanes >> first) & some
        if active == 0:
            continue
        place = a[first] - begin
        if active != some or place & (32 * granule - 1) or a[first] + 32 * granule > end:
            return False
        for lane in range(first, first + side):
            if a[lane] != a[first] + (lane - first) * size:
                return False
        for other in range(0, first, side):
            if (lanes >> other) & 1 and a[other] == a[first]:
                return False
        if get(m, get(m, buffer + A.B_LINES) + place // (32 * granule) * A.LINE_WORDS + A.L_CELLS):
            return False
    return True


@jit
def _lines(m, s, row, a, lanes, warp, buffer, begin, size, flags, info, note):
    """Look at whole lines that copies read, or note it. Whether all is in order."""
    granule, agent = get(m, A.H_GRANULE), _agent(m, row)
    shift = _shift(size, granule)
    for first in range(0, 32, 32 >> shift):
        if (lanes >> first) & 1:
            line = get(m, buffer + A.B_LINES) + (a[first] - begin) // (32 * granule) * A.LINE_WORDS
            how = first | shift << 5
            if note:
                _read(m, s, line, warp, how, 1, agent, how, info)
            elif unsure(m, s, line, warp, how, flags | A.T_LINE, info):
                return False
    return True


@jit
def _read(m, s, c, warp, lanes, line, agent, how, info):
    """Note that copies read a cell or a line. `how`: the lanes as they are noted with the word of the agent.

    Who comes behind them comes behind what their threads did and knew before, and behind earlier copies of the same threads.
    """
    read = get(m, c + A.R_WARP)
    if read:
        old, then, before = get(m, c + A.R_LANES), get(m, c + A.R_TIME), get(m, c + A.R_INFO)
        alike = before >> A.SITE_BITS == info >> A.SITE_BITS
        if not (
            alike
            and (behind(m, s, warp, lanes, line, read, then, old, False) or _earlier(m, read, agent, old, how, line))
        ):
            beside(m, c, read, old, then, before, 0)
    put(m, c + A.R_WARP, agent)
    put(m, c + A.R_LANES, how)
    put(m, c + A.R_TIME, get(m, A.H_NOW))
    put(m, c + A.R_INFO, info)


@jit
def _earlier(m, one, other, how_one, how_other, line):
    """Whether two words are of copies by the same lanes: they are waited for in order."""
    if one < A.OPERATION or not one & A.COPY or (how_one != how_other if line else (one ^ other) & 31):
        return False
    base = A.COPY_WORDS
    a = get(m, A.H_COPIES) + ((one & (A.COPY - 1)) >> 5) * base
    b = get(m, A.H_COPIES) + ((other & (A.COPY - 1)) >> 5) * base
    return get(m, a + A.K_BASE) == get(m, b + A.K_BASE)


@jit
def commit(m, s, lanes, warp):
    """Lanes make their copies since the last time a group."""
    groups = s + A.S_GROUPS + 32 * warp
    for lane in range(32):
        if (lanes >> lane) & 1:
            put(m, groups + lane, get(m, groups + lane) + 1)


@jit
def wait(m, s, lanes, warp, place):
    """Lanes have waited for copies that are as many groups old as the instruction says: 0 for all of them."""
    site = get(m, A.H_SITES) + A.SITE_WORDS * get(m, get(m, A.H_PLACES) + (place >> 3))
    number, old, now = get(m, site), get(m, site + 1), get(m, A.H_NOW)
    first = get(m, s + A.S_FIRST + warp)
    groups, helped = s + A.S_GROUPS + 32 * warp, get(m, site + A.T_HELPED)
    if old and not helped:
        note_left(m, first, number, A.LOST)
    before, row = 0, first
    while row:
        following, open_ = get(m, row + A.K_NEXT), get(m, row + A.K_OPEN)
        due = 0
        for lane in range(32):
            age = get(m, groups + lane) - get(m, row + A.K_GROUPS + lane)
            if (lanes & open_) >> lane & 1 and (old == 0 or age >= old):
                due |= 1 << lane
                put(m, row + A.K_ENDS + lane, now)
        if due:
            helped = 1
            put(m, row + A.K_OPEN, open_ & ~due)
        if open_ & ~due:
            before = row
        elif before:
            put(m, before + A.K_NEXT, following)
        else:
            put(m, s + A.S_FIRST + warp, following)
        row = following
    put(m, s + A.S_LAST + warp, before)
    put(m, site + A.T_HELPED, helped)


@jit
def note_left(m, row, wait_number, who):
    """Note the instructions whose copies, or products, a wait of these lanes, or warps, finds."""
    table = get(m, A.H_LEFT) + wait_number * get(m, A.H_LEFT_WORDS)
    while row:
        number = get(m, row + A.K_SITE)
        if get(m, row + A.K_OPEN) & who:
            put(m, table + (number >> 5), get(m, table + (number >> 5)) | 1 << (number & 31))
        row = get(m, row + A.K_NEXT)
