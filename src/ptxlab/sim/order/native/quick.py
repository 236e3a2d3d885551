"""The native part of the sanitizer: it accepts plain accesses that are surely ordered, and notes them in the shadow.

Whatever it is not sure of it leaves to Python, which judges by what every thread knows. Here there is less: for each warp of a
CTA, the time up to which all its threads know what all threads of another warp of the CTA did. Barriers of the CTA raise it.

All state lies in one array of 32-bit words, the arena: see arena.py, which names the places. Functions here take the arena and
indices into it. Numba compiles them; code.py keeps the machine code. They use signed 64-bit integers throughout: Numba makes
floats of mixed ones.
"""

# Numba has no types
# pyright: basic

from __future__ import annotations

import numpy as np

from ptxlab.sim.families.bulk.filter_boxes import boxes, clear_boxes, unpack
from ptxlab.sim.families.mbarrier.filter import begin_phases, part
from ptxlab.sim.order.native import arena as A
from ptxlab.sim.order.native.fences import begin_fences
from ptxlab.sim.order.native.lines import expand, is_unwritten, read_unwritten
from ptxlab.sim.order.native.lists import CELL, WORD, alike, beside, drop, get, granule_of, jit, put
from ptxlab.sim.order.native.shared import before_cells, begin_epochs, behind_cells, by_marks


@jit
def entry_of(m, agent):
    """Where an operation is entered; 0 where it is not any more."""
    o = get(m, A.H_OPERATIONS) + A.OPERATION_WORDS * ((agent - A.OPERATION) % A.OPERATIONS)
    return o if get(m, o + A.O_AGENT) == agent else np.int64(0)


# --- what warps know ----------------------------------------------------------------------------------------------------
@jit
def known(m, s, warp, agent, time, wrote):
    """Whether all threads of a warp know what a thread did up to a time, or that an operation has written, or read."""
    if agent >= A.OPERATION:  # they know what somebody knows who has waited for it
        o = entry_of(m, agent)
        if o == 0:
            return False
        if get(m, o + A.O_MBARRIER):
            mine = get(m, o + A.O_CTA) == get(m, s + A.S_INDEX)
            return mine and get(m, part(m, s, warp, A.ROW_PHASES) + get(m, o + A.O_MBARRIER) - 1) >= get(
                m, o + A.O_PHASE
            )
        by = o + A.O_READ_BY if get(m, o + A.O_READ_BY) and not wrote else o + A.O_OVER_BY
        agent, time = get(m, by), get(m, by + 1)
    thread = agent - get(m, s + A.S_BASE)
    if thread < 0 or thread >= 32 * get(m, s + A.S_WARPS):
        return False
    return get(m, s + A.S_KNOWN + 32 * warp + (thread >> 5)) >= time


@jit
def behind(m, s, warp, lanes, line, agent, time, before, wrote):
    """Whether lanes (a mask; of a line: how they lie) come after an earlier access by `before`: it is theirs, or they know of it.

    A copy of cp.async counts as done by its thread when that waited for it: nobody learns of it otherwise.
    """
    base = get(m, s + A.S_BASE) + 32 * warp
    if agent < A.OPERATION:
        mine = agent == base and before == lanes and (line or lanes & (lanes - 1) == 0)
        return mine or known(m, s, warp, agent, time, wrote)
    if not agent & A.COPY:
        return known(m, s, warp, agent, time, wrote)
    row = copy_at(m, agent)
    if get(m, row + A.K_TIME) != time:
        return True  # another one has taken its place since
    if get(m, row + A.K_JOINT):
        return product_over(m, s, warp, row)
    first, count = agent & 31, 1
    if line:
        first, count = before & 31, 32 >> (before >> 5)
    latest = 0
    for lane in range(first, first + count):
        end = get(m, row + A.K_ENDS + lane)
        if end == 0:
            return False
        latest = max(latest, end)
    owner = get(m, row + A.K_BASE)
    if owner == base and lanes == (before if line else 1 << first):
        return True
    return known(m, s, warp, owner, latest, wrote)


@jit
def product_over(m, s, warp, row):
    """Whether all threads of a warp know that some warp has waited for a product."""
    for member in range(4):
        end, owner = get(m, row + A.K_ENDS + member), get(m, row + A.K_BASE) + 32 * member
        if end and (owner == get(m, s + A.S_BASE) + 32 * warp or known(m, s, warp, owner, end, False)):
            return True
        if end and get(m, s + A.S_PHASES):  # all lanes have waited, so some thread of the warp is enough
            other = owner - get(m, s + A.S_BASE)
            if 0 <= other < 32 * get(m, s + A.S_WARPS) and get(m, part(m, s, warp, A.ROW_SOME) + (other >> 5)) >= end:
                return True
    return False


@jit
def copy_at(m, agent):
    """Where what is known of a copy lies."""
    return get(m, A.H_COPIES) + ((agent & (A.COPY - 1)) >> 5) * A.COPY_WORDS


@jit
def close_copies(m, s):
    """A CTA has ended: nobody waits for its copies any more."""
    for warp in range(get(m, s + A.S_WARPS)):
        row = get(m, s + A.S_FIRST + warp)
        while row:
            if get(m, row + A.K_OPEN) == get(m, row + A.K_LANES):
                site = get(m, A.H_SITES) + A.SITE_WORDS * (get(m, row + A.K_SITE) + 1)
                if get(m, site + A.T_UNWAITED) == 0:
                    lane = 0
                    while not (get(m, row + A.K_OPEN) >> lane) & 1:
                        lane += 1
                    number = (row - get(m, A.H_COPIES)) // A.COPY_WORDS
                    put(m, site + A.T_UNWAITED, A.OPERATION | A.COPY | number << 5 | lane)
            put(m, row + A.K_OPEN, 0)
            row = get(m, row + A.K_NEXT)
        put(m, s + A.S_FIRST + warp, 0)
        put(m, s + A.S_LAST + warp, 0)
    if get(m, A.H_OWN_EYE):
        close_products(m, s)


@jit
def close_products(m, s):
    """The same of products."""
    for group in range((get(m, s + A.S_WARPS) + 3) >> 2):
        row = get(m, s + A.S_FIRST_PRODUCT + group)
        while row:
            if get(m, row + A.K_OPEN) == get(m, row + A.K_LANES):
                site = get(m, A.H_SITES) + A.SITE_WORDS * (get(m, row + A.K_SITE) + 1)
                if get(m, site + A.T_UNWAITED) == 0:
                    number = (row - get(m, A.H_COPIES)) // A.COPY_WORDS
                    put(m, site + A.T_UNWAITED, A.OPERATION | A.COPY | number << 5)
            put(m, row + A.K_OPEN, 0)
            row = get(m, row + A.K_NEXT)
        put(m, s + A.S_FIRST_PRODUCT + group, 0)
        put(m, s + A.S_LAST_PRODUCT + group, 0)


@jit
def begin(m, s, index):
    """A CTA takes the place of another."""
    close_copies(m, s)
    put(m, s + A.S_INDEX, index)
    put(m, s + A.S_BASE, index * get(m, A.H_EACH) + 1)
    known_ = s + A.S_KNOWN
    for i in range(known_, known_ + 32 * get(m, s + A.S_WARPS)):
        m[i] = np.uint32(0)
    if get(m, A.H_OWN_EYE):
        begin_fences(m, s)
    if get(m, s + A.S_PHASES):
        begin_phases(m, s)
        clear_boxes(m, s)
    put(m, s + A.S_LOG_COUNT, 0)
    put(m, s + A.S_OPEN, 0)
    put(m, s + A.S_RELEASED, 0)
    put(m, s + A.S_MBARRIERS, WORD)
    put(m, s + A.S_MBARRIERS + 1, 0)
    if get(m, s + A.S_PRIVATE) == 0 or get(m, s + A.S_CELLS_USED):
        clear_cells(m, s)
    if get(m, s + A.S_PRIVATE):
        begin_epochs(m, s)


@jit
def clear_cells(m, s):
    """Nobody has accessed the shared memory of a CTA."""
    cells, words = get(m, s + A.S_CELLS), get(m, s + A.S_CELL_COUNT) * CELL
    if get(m, s + A.S_LISTS):
        for c in range(cells, cells + words, CELL):
            if get(m, c + A.R_MORE):
                drop(m, c)
        put(m, s + A.S_LISTS, 0)
    for i in range(cells, cells + words):
        m[i] = np.uint32(0)


@jit
def has_released(m, s, everywhere):
    """Whether anybody who can write to global memory (`everywhere`), or to the CTA's own, has released something."""
    released = get(m, A.H_RELEASED)
    return released & A.RELEASED != 0 and (everywhere or released & A.OF_CLUSTERS != 0 or get(m, s + A.S_RELEASED) != 0)


# --- looking, and noting --------------------------------------------------------------------------------------------------
@jit
def unsure(m, s, c, warp, lanes, flags, info):
    """Whether an access by lanes (a mask; of a line: how they lie) to a cell, or a whole line, is for Python to judge."""
    base = get(m, s + A.S_BASE) + 32 * warp
    line = flags & A.T_LINE
    writes = flags & A.T_WRITES
    atomic = flags & A.T_ATOMIC
    wrote = get(m, c + A.W_AGENT)
    if wrote == 0:
        if flags & A.T_READS and flags & A.T_SHARED:
            return True
    else:
        before = get(m, c + A.W_INFO)
        if atomic and before >> A.SITE_BITS == info >> A.SITE_BITS:
            pass
        elif flags & A.T_TEXTURE:
            return True
        elif (before >> A.STRONG) & 1 and (writes or has_released(m, s, not flags & A.T_SHARED)):
            return True  # who writes ends its chain, who reads might have acquired what it publishes
        elif line:
            if not (wrote == base and get(m, c + A.L_WROTE) == lanes) and not known(
                m, s, warp, wrote, get(m, c + A.W_TIME), True
            ):
                return True
        elif wrote >= A.OPERATION:
            if not behind(m, s, warp, lanes, 0, wrote, get(m, c + A.W_TIME), 1, True):
                return True
        elif not (wrote >= base and wrote < base + 32 and lanes == 1 << (wrote - base)) and not known(
            m, s, warp, wrote, get(m, c + A.W_TIME), True
        ):
            return True
    read = get(m, c + A.R_WARP)
    if writes and read:
        if flags & A.T_TEXTURES and (get(m, c + A.R_INFO) >> A.PROXY) & 3 == 3:
            return True
        if not behind(m, s, warp, lanes, line, read, get(m, c + A.R_TIME), get(m, c + A.R_LANES), False):
            return True
    here = get(m, c + A.R_MORE)
    while here:
        wrote_too = get(m, here + A.N_WRITES)
        if writes or wrote_too:
            before = get(m, here + A.N_INFO)
            if flags & A.T_TEXTURES and (before >> A.PROXY) & 3 == 3:
                return True
            same = atomic and wrote_too and before >> A.SITE_BITS == info >> A.SITE_BITS
            earlier, then = get(m, here + A.N_AGENT), get(m, here + A.N_TIME)
            if not same and not behind(
                m, s, warp, lanes, line, earlier, then, get(m, here + A.N_LANES), wrote_too == 1
            ):
                return True
        here = get(m, here + A.N_NEXT)
    return False


@jit
def note_read(m, s, c, warp, lanes, line, info):
    """Note a read of a cell or a line."""
    base, now = get(m, s + A.S_BASE) + 32 * warp, get(m, A.H_NOW)
    read = get(m, c + A.R_WARP)
    if read:
        old, then, before = get(m, c + A.R_LANES), get(m, c + A.R_TIME), get(m, c + A.R_INFO)
        if read == base and then == now and before == info and (not line or old == lanes):
            put(m, c + A.R_LANES, old | lanes)
            return
        within = old == lanes if line else old & ~lanes == 0
        alike = before >> A.SITE_BITS == info >> A.SITE_BITS
        if not (alike and ((read == base and within) or behind(m, s, warp, lanes, line, read, then, old, False))):
            beside(m, c, read, old, then, before, 0)
            put(m, s + A.S_LISTS, 1)
    put(m, c + A.R_WARP, base)
    put(m, c + A.R_LANES, lanes)
    put(m, c + A.R_TIME, now)
    put(m, c + A.R_INFO, info)


@jit
def note_write(m, s, c, warp, lanes, line, info):
    """Note a weak write of a cell or a line."""
    base = get(m, s + A.S_BASE) + 32 * warp
    if get(m, c + A.R_MORE):
        drop(m, c)
    put(m, c + A.R_WARP, 0)
    if line:
        put(m, c + A.W_AGENT, base)
        put(m, c + A.L_WROTE, lanes)
    else:
        lane = 31
        while not (lanes >> lane) & 1:
            lane -= 1
        put(m, c + A.W_AGENT, base + lane)
    put(m, c + A.W_TIME, get(m, A.H_NOW))
    put(m, c + A.W_INFO, info)


@jit
def note_atomic(m, s, c, warp, lanes, info):
    """Note an atomic operation on a cell: what it stands beside stays."""
    base = get(m, s + A.S_BASE) + 32 * warp
    lane = 31
    while not (lanes >> lane) & 1:
        lane -= 1
    wrote, before = get(m, c + A.W_AGENT), get(m, c + A.W_INFO)
    if wrote >= A.OPERATION:
        beside(m, c, wrote, 1, get(m, c + A.W_TIME), before, 1)
    elif wrote:
        thread = (wrote - 1) & 31
        beside(m, c, wrote - thread, 1 << thread, get(m, c + A.W_TIME), before, 1)
    read = get(m, c + A.R_WARP)
    if read:
        beside(m, c, read, get(m, c + A.R_LANES), get(m, c + A.R_TIME), get(m, c + A.R_INFO), 0)
        put(m, c + A.R_WARP, 0)
    put(m, s + A.S_LISTS, 1)
    put(m, c + A.W_AGENT, base + lane)
    put(m, c + A.W_TIME, get(m, A.H_NOW))
    put(m, c + A.W_INFO, info)


# --- relaxed atomic operations, in programs with flags ---------------------------------------------------------------------
@jit
def may_defer(m, s, row):
    """Whether Python need not hear of a relaxed atomic operation now: who makes it has nothing to publish, nor has anybody else
    who may have written there."""
    if has_released(m, s, row != 0):
        return False
    return get(m, A.H_DEFERRED_AT) < get(m, A.H_DEFERRED_END)


@jit
def finds_its_own(m, s, c, warp, lanes):
    """Whether one of the lanes has written a cell last, by a plain store: who finds its operation has found that, too."""
    lane = get(m, c + A.W_AGENT) - get(m, s + A.S_BASE) - 32 * warp
    return 0 <= lane < 32 and (lanes >> lane) & 1 == 1 and (get(m, c + A.W_INFO) >> A.STRONG) & 1 == 0


@jit
def defer(m, s, a, lanes, warp, row, first, info):
    """Write down a relaxed atomic operation, for Python to hear of it when it asks."""
    at = get(m, A.H_DEFERRED_AT)
    put(m, at + A.D_AGENT, get(m, s + A.S_BASE) + 32 * warp)
    put(m, at + A.D_LANES, lanes)
    put(m, at + A.D_TIME, get(m, A.H_NOW))
    put(m, at + A.D_SITE, info & ((1 << A.SITE_BITS) - 1))
    put(m, at + A.D_ROW, row)
    for lane in range(32):
        put(m, at + A.D_OFFSETS + lane, a[lane] - first)
    put(m, A.H_DEFERRED_AT, at + A.DEFERRED_WORDS)


# --- an access of a warp ------------------------------------------------------------------------------------------------
@jit
def buffer_of(m, address):
    """The row of the buffer that an address lies in; 0 for none."""
    row = get(m, A.H_BUFFERS)
    for _ in range(get(m, A.H_BUFFER_COUNT)):
        begin = get(m, row + A.B_BEGIN) | get(m, row + A.B_BEGIN + 1) << 32
        end = get(m, row + A.B_END) | get(m, row + A.B_END + 1) << 32
        if begin <= address < end:
            return row
        row += A.BUFFER_WORDS
    return 0


@jit
def by_lines(m, s, a, lanes, warp, row, first, size, flags, info):
    """An access whose lanes cover whole lines in order, 32 >> shift of them each. Whether it was one, and has been noted."""
    granule = get(m, A.H_GRANULE)
    shift = 0
    while granule << shift < size:
        shift += 1
    if shift > 5:
        return False
    side = 32 >> shift
    begin = get(m, row + A.B_BEGIN) | get(m, row + A.B_BEGIN + 1) << 32
    end = get(m, row + A.B_END) | get(m, row + A.B_END + 1) << 32
    lines = get(m, row + A.B_LINES)
    apart, start = 0, a[0]
    for lane in range(32):
        apart |= a[lane] - start - lane * size
    if apart and shift:  # not one row, but rows of whole lines may be
        apart = 0
        for lane in range(32):
            apart |= a[lane] - a[lane & ~(side - 1)] - (lane & (side - 1)) * size
        # lanes of two rows in one place may store different values: `by_cells` looks at them one by one
        for group in range(side, 32, side):
            for other in range(0, group, side):
                apart |= np.int64(a[other] == a[group] and (lanes >> other) & (lanes >> group) & 1 == 1)
    if apart:
        return False
    some = (1 << side) - 1
    for group in range(1 << shift):
        active = (lanes >> (group * side)) & some
        if active == 0:
            continue
        place = a[group * side] - begin
        if active != some or place < 0 or a[group * side] + 32 * granule > end or place & (32 * granule - 1):
            return False
        line = lines + place // (32 * granule) * A.LINE_WORDS
        if not flags & A.T_WRITES and is_unwritten(m, line) and read_by_others(m, s, line, warp):
            return False  # the record is for that
        if get(m, line + A.L_CELLS) or unsure(m, s, line, warp, group * side | shift << 5, flags | A.T_LINE, info):
            return False
    for group in range(1 << shift):
        if (lanes >> (group * side)) & some:
            line = lines + (a[group * side] - begin) // (32 * granule) * A.LINE_WORDS
            if flags & A.T_WRITES:
                note_write(m, s, line, warp, group * side | shift << 5, True, info)
            else:
                note_read(m, s, line, warp, group * side | shift << 5, True, info)
    return True


@jit
def read_by_others(m, s, line, warp):
    """Whether somebody else has read a line, and a read by this warp does not stand for theirs."""
    read = get(m, line + A.R_WARP)
    if read == 0 or read == get(m, s + A.S_BASE) + 32 * warp:
        return False
    return not known(m, s, warp, read, get(m, line + A.R_TIME), False)


@jit
def cell_of(m, s, row, place, granule):
    """The cell of a byte: of a buffer's row, or of the CTA's shared memory where that is 0; 0 where it is not followed."""
    g = place // granule
    if row == 0:
        return get(m, s + A.S_CELLS) + g * CELL
    first = expand(m, get(m, row + A.B_LINES) + (g >> 5) * A.LINE_WORDS)
    return first + (g & 31) * CELL if first else 0


@jit
def by_cells(m, s, a, lanes, warp, row, first, size, flags, info, note):
    """Look at all cells of an access, or note it there. Whether Python has to judge."""
    granule = granule_of(m, row)
    rising, last = True, np.int64(-1)
    for lane in range(32):
        if (lanes >> lane) & 1:
            rising = rising and a[lane] > last
            last = a[lane]
    done = 0
    for lane in range(32):
        if (lanes >> lane) & 1 == 0 or (done >> lane) & 1:
            continue
        mask = np.int64(1) << lane if rising else alike(a, lanes, lane)
        done |= mask
        if mask != 1 << lane and flags & A.T_WRITES and not flags & (A.T_ATOMIC | A.T_EQUAL):
            return True  # they may write different values to one place
        for k in range(0, size, granule):
            c = cell_of(m, s, row, a[lane] - first + k, granule)
            if c == 0:
                continue
            if not note and unsure(m, s, c, warp, mask, flags, info):
                return True
            if not note and flags & A.T_DEFERRED and finds_its_own(m, s, c, warp, mask):
                return True
            if flags & A.T_ATOMIC:
                if note:
                    note_atomic(m, s, c, warp, mask, info)
            elif flags & A.T_WRITES:
                if note:
                    note_write(m, s, c, warp, mask, False, info)
            else:  # if Python judges another lane's, it notes this one once more: no matter
                note_read(m, s, c, warp, mask, False, info)
    return False


@jit
def same(a, values, lanes):
    """Whether some lanes have one address, and all that do have one value."""
    some = False
    for lane in range(32):
        if (lanes >> lane) & 1:
            for other in range(lane):
                if (lanes >> other) & 1 and a[other] == a[lane]:
                    some = True
                    if values[other] != values[lane]:
                        return 0
    return int(some)


@jit
def judged(m, s, a, lanes, warp, place, how):
    """Lanes of a warp are about to access memory at addresses `a`. 0: that is in order, and noted; 1: Python has to judge.

    how: T_EQUAL of a store whose lanes store one value where they have one address, or 0.
    """
    site = get(m, A.H_SITES) + A.SITE_WORDS * get(m, get(m, A.H_PLACES) + (place >> 3))
    info, size, flags = get(m, site), get(m, site + 1), get(m, site + 2) | how
    lanes &= get(m, site + 3)
    if lanes == 0:
        return 0
    lane = 0
    while not (lanes >> lane) & 1:
        lane += 1
    shared_first = get(m, s + A.S_SHARED_FIRST)
    row, first, limit = np.int64(0), np.int64(0), np.int64(0)
    if flags & A.T_GENERIC and (a[lane] >> 56) == 1:
        flags |= A.T_SHARED
        first = (np.int64(1) << 56) + shared_first
    elif flags & A.T_SHARED:
        first = shared_first
    if flags & A.T_SHARED:
        limit = first + get(m, s + A.S_SHARED_BYTES)
        low, high = first + get(m, s + A.S_MBARRIERS), first + get(m, s + A.S_MBARRIERS + 1)
    else:
        row = buffer_of(m, a[lane])
        if row == 0:
            return 1
        first = get(m, row + A.B_BEGIN) | get(m, row + A.B_BEGIN + 1) << 32
        limit = get(m, row + A.B_END) | get(m, row + A.B_END + 1) << 32
        low, high = limit, limit
    if row and not flags & A.T_ATOMIC:
        if by_lines(m, s, a, lanes, warp, row, first, size, flags, info):
            return 0
        if not flags & A.T_WRITES and read_unwritten(m, s, a, lanes, warp, row, first, limit, size, place >> 3):
            return 0
    own = row == 0 and get(m, s + A.S_OWN) != 0
    if own and not flags & A.T_ATOMIC and by_marks(m, s, a, lanes, warp, first, size, flags, place >> 3):
        return 0
    bad = False
    for i in range(32):
        outside = (
            (a[i] < first) | (a[i] + size > limit) | (a[i] & (size - 1) != 0) | ((a[i] < high) & (a[i] + size > low))
        )
        bad |= outside & ((lanes >> i) & 1 == 1)
    if bad:
        return 1
    if flags & A.T_NARROW and (row or get(m, A.H_RELEASED) & A.OF_CLUSTERS):
        return 1
    if flags & A.T_DEFERRED and (not may_defer(m, s, row) or limit - first >= 1 << 32):
        return 1
    if row == 0 and boxes(m, s):
        for i in range(32):
            if (lanes >> i) & 1:
                unpack(m, s, a[i] - first, a[i] - first + size)
    if own:
        before_cells(m, s, a, lanes, first, size)
    if flags & A.T_ATOMIC:
        put(m, A.H_NOW, get(m, A.H_NOW) + 1)
    if by_cells(m, s, a, lanes, warp, row, first, size, flags, info, False):
        if flags & A.T_ATOMIC:
            put(m, A.H_NOW, get(m, A.H_NOW) - 1)
        return 1
    if flags & A.T_WRITES:
        by_cells(m, s, a, lanes, warp, row, first, size, flags, info, True)
    if flags & A.T_DEFERRED:
        defer(m, s, a, lanes, warp, row, first, info)
    if flags & A.T_ATOMIC:
        put(m, A.H_NOW, get(m, A.H_NOW) + 1)
    if own:
        behind_cells(m, s, a, lanes, warp, first, size, flags)
    return 0
