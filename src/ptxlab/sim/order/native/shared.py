"""Shared memory that nobody accesses but threads of its own CTA, by plain loads and stores for the most part.

When all threads of the CTA have met at a barrier, each of them knows all that was done before: that need not be remembered.
So time is cut into epochs, from one such barrier to the next. Each granule has a mark (the epoch of its last write, and which
thread made it), and each line of 128 bytes says whether the current epoch has read it. That is enough to accept most accesses.
What an epoch accesses goes to a record, which is thrown away at its end. When somebody needs to know exactly (Python, or an
access that the marks do not settle), the record is written into the cells first, in order and with the times of then.
"""

# Numba has no types
# pyright: basic

from __future__ import annotations

import numpy as np

from ptxlab.sim.order.native import arena as A
from ptxlab.sim.order.native.lines import recalled_read
from ptxlab.sim.order.native.lists import CELL, WORD, alike, drop, get, jit, put
from ptxlab.sim.order.native.patterns import entry_words, note_entry, offset_of, pattern, site_of

NOT_GOOD = 1 << 31


# --- epochs ---------------------------------------------------------------------------------------------------------------
@jit
def begin_epochs(m, s):
    """A new CTA: nobody has written anything. Cells are empty."""
    epoch = get(m, s + A.S_EPOCH) + 2
    if epoch >= get(m, A.H_MOST_EPOCHS) or get(m, s + A.S_EXACT):
        marks, lines = get(m, s + A.S_MARKS), get(m, s + A.S_LINES)
        for i in range(marks, marks + get(m, s + A.S_CELL_COUNT)):
            m[i] = np.uint32(0)
        for i in range(lines, lines + 2 * get(m, s + A.S_LINE_COUNT)):
            m[i] = np.uint32(0)
        epoch = 2
        put(m, s + A.S_EXACT, 0)
    put(m, s + A.S_EPOCH, epoch)
    put(m, s + A.S_FIRST_EPOCH, epoch - 1)
    put(m, s + A.S_SINCE, get(m, A.H_NOW))
    put(m, s + A.S_RECORD_AT, get(m, s + A.S_RECORD))
    put(m, s + A.S_CELLS_USED, 0)
    put(m, s + A.S_OWN, 1)


@jit
def next_epoch(m, s):
    """All threads of the CTA have met, and the time has gone on since."""
    epoch = get(m, s + A.S_EPOCH) + 1
    if epoch >= get(m, A.H_MOST_EPOCHS):
        recall(m, s)
        for g in range(get(m, s + A.S_CELL_COUNT)):
            settle(m, s, g)
        put(m, s + A.S_OWN, 0)
        put(m, s + A.S_CELLS_USED, 1)
        return
    put(m, s + A.S_EPOCH, epoch)
    put(m, s + A.S_SINCE, get(m, A.H_NOW))
    put(m, s + A.S_RECORD_AT, get(m, s + A.S_RECORD))


# --- into the cells ---------------------------------------------------------------------------------------------------------
@jit
def settle(m, s, g):
    """Bring a granule's cell up to date: of what earlier epochs did no more is left than who wrote it last."""
    mark, epoch = get(m, get(m, s + A.S_MARKS) + g), get(m, s + A.S_EPOCH)
    if mark < get(m, s + A.S_FIRST_EPOCH) << A.THREAD_BITS or mark >= epoch << A.THREAD_BITS:
        return  # nobody has written it, or it is up to date
    c, base, time = get(m, s + A.S_CELLS) + g * CELL, get(m, s + A.S_BASE), get(m, s + A.S_SINCE) - 1
    wrote = get(m, c + A.W_AGENT)
    if get(m, c + A.W_TIME) == time and wrote >= base and wrote < base + 32 * get(m, s + A.S_WARPS):
        return
    if get(m, c + A.R_MORE):
        drop(m, c)
    put(m, c + A.R_WARP, 0)
    put(m, c + A.W_AGENT, base + (mark & ((1 << A.THREAD_BITS) - 1)))
    put(m, c + A.W_TIME, time)
    put(m, c + A.W_INFO, 0)


@jit
def recall(m, s):
    """Write what the epoch has accessed into the cells."""
    at, end = get(m, s + A.S_RECORD), get(m, s + A.S_RECORD_AT)
    if at == end:
        return
    put(m, s + A.S_CELLS_USED, 1)
    put(m, s + A.S_LISTS, 1)
    put(m, s + A.S_RECORD_AT, at)
    since = get(m, s + A.S_SINCE)
    granule, cells = get(m, A.H_SHARED_GRANULE), get(m, s + A.S_CELLS)
    while at < end:
        site = site_of(m, at)
        info, size, flags = get(m, site), get(m, site + 1), get(m, site + 2)
        base, lanes, time, done = get(m, at + A.P_AGENT), get(m, at + A.P_LANES), get(m, at + A.P_TIME), 0
        for lane in range(32):
            if (lanes >> lane) & 1 == 0 or (done >> lane) & 1:
                continue
            offset, mask = offset_of(m, at, lane), 0
            for other in range(lane, 32):
                mask |= np.int64(offset_of(m, at, other) == offset) << other
            mask &= lanes
            done |= mask
            for g in range(offset // granule, (offset + size) // granule):
                settle(m, s, g)
                if flags & A.T_WRITES:
                    recalled_write(m, cells + g * CELL, base + lane, time, info)
                else:
                    recalled_read(m, cells + g * CELL, base, mask, time, info, since)
        at += entry_words(m, at)


@jit
def recalled_write(m, c, agent, time, info):
    """Note a write of the record."""
    if get(m, c + A.R_MORE):
        drop(m, c)
    put(m, c + A.R_WARP, 0)
    put(m, c + A.W_AGENT, agent)
    put(m, c + A.W_TIME, time)
    put(m, c + A.W_INFO, info)


@jit
def doubt(m, s, g):
    """From now on a granule's cell alone says who has accessed it."""
    put(m, get(m, s + A.S_MARKS) + g, WORD)
    put(m, s + A.S_EXACT, 1)
    line = get(m, s + A.S_LINES) + 2 * (g * get(m, A.H_SHARED_GRANULE) >> 7)
    put(m, line, get(m, s + A.S_EPOCH) | NOT_GOOD)


@jit
def settle_runs(m, s, where, count):
    """Python is about to look at granules, and to change their cells."""
    if get(m, s + A.S_OWN) == 0:
        return
    recall(m, s)
    put(m, s + A.S_CELLS_USED, 1)
    for i in range(count):
        settle(m, s, where[i])
        doubt(m, s, where[i])


@jit
def before_cells(m, s, a, lanes, first, size):
    """An access is about to look at cells: bring them up to date."""
    granule = get(m, A.H_SHARED_GRANULE)
    recall(m, s)
    put(m, s + A.S_CELLS_USED, 1)
    for lane in range(32):
        if (lanes >> lane) & 1:
            for g in range((a[lane] - first) // granule, (a[lane] - first + size) // granule):
                settle(m, s, g)


@jit
def behind_cells(m, s, a, lanes, warp, first, size, flags):
    """An access has been noted in the cells: the marks follow."""
    granule, epoch = get(m, A.H_SHARED_GRANULE), get(m, s + A.S_EPOCH)
    marks, lines = get(m, s + A.S_MARKS), get(m, s + A.S_LINES)
    for lane in range(32):
        if (lanes >> lane) & 1 == 0:
            continue
        line = lines + 2 * ((a[lane] - first) >> 7)
        if flags & A.T_ATOMIC:
            for g in range((a[lane] - first) // granule, (a[lane] - first + size) // granule):
                doubt(m, s, g)
        elif flags & A.T_WRITES:
            put(m, line, epoch | NOT_GOOD)
            for g in range((a[lane] - first) // granule, (a[lane] - first + size) // granule):
                put(m, marks + g, epoch << A.THREAD_BITS | 32 * warp | lane)
        else:
            put(m, line + 1, epoch)


# --- accesses -----------------------------------------------------------------------------------------------------------------
@jit
def is_good(m, s, line):
    """Whether all granules of a line were written in earlier epochs, and in none by somebody whom Python alone knows."""
    word = get(m, s + A.S_LINES) + 2 * line
    epoch = get(m, s + A.S_EPOCH)
    said = get(m, word)
    if said == epoch:
        return True
    if said == epoch | NOT_GOOD:
        return False
    each = 128 // get(m, A.H_SHARED_GRANULE)
    begin = line * each
    end = min(begin + each, get(m, s + A.S_CELL_COUNT))
    low, high = get(m, s + A.S_FIRST_EPOCH) << A.THREAD_BITS, epoch << A.THREAD_BITS
    marks, bad = get(m, s + A.S_MARKS), False
    for g in range(marks + begin, marks + end):
        bad |= (m[g] < low) | (m[g] >= high)
    put(m, word, epoch | NOT_GOOD if bad else epoch)
    return not bad


@jit
def read_by_marks(m, s, a, lanes, warp, first, size):
    """Whether lanes read only what was written in earlier epochs, or by themselves."""
    granule, marks = get(m, A.H_SHARED_GRANULE), get(m, s + A.S_MARKS)
    low, high = get(m, s + A.S_FIRST_EPOCH) << A.THREAD_BITS, get(m, s + A.S_EPOCH) << A.THREAD_BITS
    for lane in range(32):
        if (lanes >> lane) & 1 == 0:
            continue
        mine = high | 32 * warp | lane
        offset = a[lane] - first
        for g in range(offset // granule, (offset + size) // granule):
            mark = get(m, marks + g)
            if (mark < low or mark >= high) and mark != mine:
                return False
    lines, epoch = get(m, s + A.S_LINES), get(m, s + A.S_EPOCH)
    for lane in range(32):
        if (lanes >> lane) & 1:
            put(m, lines + 2 * ((a[lane] - first) >> 7) + 1, epoch)
    return True


@jit
def written_by_marks(m, s, a, lanes, warp, first, size):
    """Whether lanes write only what this epoch has not read, nor anybody else written; if so, the marks then say that they did."""
    granule, marks, lines = get(m, A.H_SHARED_GRANULE), get(m, s + A.S_MARKS), get(m, s + A.S_LINES)
    epoch = get(m, s + A.S_EPOCH)
    high, last, rising = epoch << A.THREAD_BITS, np.int64(-1), True
    for lane in range(32):
        if (lanes >> lane) & 1 == 0:
            continue
        rising = rising and a[lane] > last
        last = a[lane]
        offset = a[lane] - first
        if get(m, lines + 2 * (offset >> 7) + 1) == epoch:
            return False
        for g in range(offset // granule, (offset + size) // granule):
            mark = get(m, marks + g)
            if mark >= high and mark != high | 32 * warp | lane:
                return False
    if not rising:
        for lane in range(32):
            if (lanes >> lane) & 1 and alike(a, lanes, lane) != 1 << lane:
                return False
    for lane in range(32):
        if (lanes >> lane) & 1:
            offset = a[lane] - first
            put(m, lines + 2 * (offset >> 7), epoch | NOT_GOOD)
            for g in range(offset // granule, (offset + size) // granule):
                put(m, marks + g, high | 32 * warp | lane)
    return True


@jit
def by_marks(m, s, a, lanes, warp, first, size, flags, place):
    """Whether the marks accept an access, which is recorded then."""
    nbytes = get(m, s + A.S_SHARED_BYTES)
    if get(m, s + A.S_MBARRIERS) < get(m, s + A.S_MBARRIERS + 1):
        return False
    if get(m, s + A.S_RECORD_AT) + A.ENTRY_MOST > get(m, s + A.S_RECORD) + A.RECORD_WORDS:
        recall(m, s)
    at = get(m, s + A.S_RECORD_AT)
    shift, step, over = pattern(a, lanes)
    known = False
    if shift >= 0:
        start = a[0] - first
        width, height = ((1 << shift) - 1) * step, ((32 >> shift) - 1) * over
        low, high = start + min(width, 0) + min(height, 0), start + max(width, 0) + max(height, 0)
        if low < 0 or high + size > nbytes or (a[0] | step | over) & (size - 1):
            return False
        if not flags & A.T_WRITES:
            known = True
            lines, epoch = get(m, s + A.S_LINES), get(m, s + A.S_EPOCH)
            for row in range(32 >> shift):
                begin = start + row * over + min(width, 0)
                for line in range(begin >> 7, ((begin + abs(width) + size - 1) >> 7) + 1):
                    known = known and is_good(m, s, line)
                    put(m, lines + 2 * line + 1, epoch)
    else:
        bad = False
        for i in range(32):
            outside = (a[i] < first) | (a[i] + size > first + nbytes) | (a[i] & (size - 1) != 0)
            bad |= outside & ((lanes >> i) & 1 == 1)
        if bad:
            return False
    if flags & A.T_WRITES:
        known = written_by_marks(m, s, a, lanes, warp, first, size)
    elif not known:
        known = read_by_marks(m, s, a, lanes, warp, first, size)
    if not known:
        return False
    base = get(m, s + A.S_BASE) + 32 * warp
    put(m, s + A.S_RECORD_AT, note_entry(m, at, a, lanes, base, place, 0, first, shift, step, over))
    return True
