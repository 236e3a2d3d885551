"""Lines of global memory: cells for their granules, and reads of memory that nobody has written.

Such reads are in order whoever makes them, and many may read one place. So they only go to a record, and their lines say so.
Whoever writes there, or asks for the cells, has the record written into the cells first.
"""

# Numba has no types
# pyright: basic

from __future__ import annotations

import numpy as np

from ptxlab.sim.order.native import arena as A
from ptxlab.sim.order.native.lists import CELL, beside, get, jit, put
from ptxlab.sim.order.native.patterns import entry_words, note_entry, offset_of, pattern, site_of


@jit
def expand_now(m, line):
    """Give a line a cell for each granule. Returns the first cell, or 0 where there is no room: it is not followed any more."""
    first = get(m, line + A.L_CELLS)
    if first > A.RECORDED:
        return np.int64(0) if first == A.LOST else first
    first = get(m, A.H_CELL)
    if first + 32 * CELL > get(m, A.H_CELLS_END):
        put(m, line + A.L_CELLS, A.LOST)
        put(m, A.H_LOST, get(m, A.H_LOST) + 1)
        return np.int64(0)
    put(m, A.H_CELL, first + 32 * CELL)
    put(m, line + A.L_CELLS, first)
    wrote, read = get(m, line + A.W_AGENT), get(m, line + A.R_WARP)
    how_wrote, how_read = get(m, line + A.L_WROTE), get(m, line + A.R_LANES)
    for g in range(32):
        c = first + g * CELL
        if wrote:
            put(m, c + A.W_AGENT, wrote + (how_wrote & 31) + (g >> (how_wrote >> 5)))
            put(m, c + A.W_TIME, get(m, line + A.W_TIME))
            put(m, c + A.W_INFO, get(m, line + A.W_INFO))
        if read:
            put(m, c + A.R_WARP, read)
            lane = (how_read & 31) + (g >> (how_read >> 5))
            if read >= A.OPERATION:
                put(m, c + A.R_WARP, read + lane)
                put(m, c + A.R_LANES, 1)
            else:
                put(m, c + A.R_LANES, 1 << lane)
            put(m, c + A.R_TIME, get(m, line + A.R_TIME))
            put(m, c + A.R_INFO, get(m, line + A.R_INFO))
    expand_list(m, line, first)
    return first


@jit
def expand_list(m, line, first):
    """What stands beside a line, beside each of its cells."""
    for _ in range(A.MOST_BESIDE):
        here, skip = get(m, line + A.R_MORE), 0
        if here == 0:
            return
        while get(m, here + A.N_NEXT):  # the oldest first
            skip, here = here, get(m, here + A.N_NEXT)
        how = get(m, here + A.N_LANES)
        for g in range(32):
            lane = (how & 31) + (g >> (how >> 5))
            agent, lanes = get(m, here + A.N_AGENT), 1 << lane
            if agent >= A.OPERATION:
                agent, lanes = agent + lane, 1
            beside(
                m,
                first + g * CELL,
                agent,
                lanes,
                get(m, here + A.N_TIME),
                get(m, here + A.N_INFO),
                get(m, here + A.N_WRITES),
            )
        if skip:
            put(m, skip + A.N_NEXT, 0)
        else:
            put(m, line + A.R_MORE, 0)
        put(m, here + A.N_NEXT, get(m, A.H_FREE_NODE))
        put(m, A.H_FREE_NODE, here)


# --- reads that are recorded ------------------------------------------------------------------------------------------------
@jit
def expand(m, line):
    """The same, behind what the record has of it."""
    if get(m, line + A.L_CELLS) == A.RECORDED:
        recall_reads(m)
    return expand_now(m, line)


@jit
def recall_reads(m):
    """Write the recorded reads of global memory into cells."""
    at, end = get(m, A.H_RECORD), get(m, A.H_RECORD_AT)
    put(m, A.H_RECORD_AT, at)
    granule = get(m, A.H_GRANULE)
    while at < end:
        site, lines = site_of(m, at), get(m, get(m, at + A.P_ROW) + A.B_LINES)
        info, size, lanes, done = get(m, site), get(m, site + 1), get(m, at + A.P_LANES), 0
        for lane in range(32):
            if (lanes >> lane) & 1 == 0 or (done >> lane) & 1:
                continue
            offset, mask = offset_of(m, at, lane), 0
            for other in range(lane, 32):
                mask |= np.int64(offset_of(m, at, other) == offset) << other
            mask &= lanes
            done |= mask
            for g in range(offset // granule, (offset + size) // granule):
                first = expand_now(m, lines + (g >> 5) * A.LINE_WORDS)
                if first:
                    recalled_read(
                        m, first + (g & 31) * CELL, get(m, at + A.P_AGENT), mask, get(m, at + A.P_TIME), info, 0
                    )
        at += entry_words(m, at)


@jit
def recalled_read(m, c, base, lanes, time, info, since):
    """Note a read of a record, where the cell's last read need not be kept if it came before a time, `since`.

    What warps have heard of each other since the read does not count.
    """
    read = get(m, c + A.R_WARP)
    if read:
        old, then, before = get(m, c + A.R_LANES), get(m, c + A.R_TIME), get(m, c + A.R_INFO)
        if read == base and then == time and before == info:
            put(m, c + A.R_LANES, old | lanes)
            return
        similar = before >> A.SITE_BITS == info >> A.SITE_BITS
        if not (similar and ((read == base and old & ~lanes == 0) or then < since)):
            beside(m, c, read, old, then, before, 0)
    put(m, c + A.R_WARP, base)
    put(m, c + A.R_LANES, lanes)
    put(m, c + A.R_TIME, time)
    put(m, c + A.R_INFO, info)


@jit
def is_unwritten(m, line):
    """Whether nobody has written to a line, and it has no cells."""
    return get(m, line + A.L_CELLS) <= A.RECORDED and get(m, line + A.W_AGENT) == 0


@jit
def read_unwritten(m, s, a, lanes, warp, row, first, limit, size, place):
    """Whether lanes read only what nobody has written; it is recorded then."""
    shift, step, over = pattern(a, lanes)
    width, height, low, high = np.int64(0), np.int64(0), a[0], a[0]
    if shift >= 0:
        width, height = ((1 << shift) - 1) * step, ((32 >> shift) - 1) * over
        low, high = a[0] + min(width, 0) + min(height, 0), a[0] + max(width, 0) + max(height, 0)
        if (a[0] | step | over) & (size - 1):
            return False
    else:
        bad, low, high = np.int64(0), limit, first
        for i in range(32):
            if (lanes >> i) & 1:
                bad |= a[i] & (size - 1)
                low, high = min(low, a[i]), max(high, a[i])
        if bad:
            return False
    if low < first or high + size > limit or limit - first >= 1 << 32:
        return False
    at = get(m, A.H_RECORD_AT)
    if at + A.ENTRY_MOST > get(m, A.H_RECORD_END):
        recall_reads(m)
        return False
    each, lines = 32 * get(m, A.H_GRANULE), get(m, row + A.B_LINES)
    if shift >= 0 and abs(step) <= each:
        for marked in range(2):
            for k in range(32 >> shift):
                begin = a[0] - first + k * over + min(width, 0)
                for n in range(begin // each, (begin + abs(width) + size - 1) // each + 1):
                    line = lines + n * A.LINE_WORDS
                    if marked:
                        put(m, line + A.L_CELLS, A.RECORDED)
                    elif not is_unwritten(m, line):
                        return False
    else:
        for marked in range(2):
            for lane in range(32):
                if (lanes >> lane) & 1:
                    line = lines + (a[lane] - first) // each * A.LINE_WORDS
                    if marked:
                        put(m, line + A.L_CELLS, A.RECORDED)
                    elif not is_unwritten(m, line):
                        return False
    base = get(m, s + A.S_BASE) + 32 * warp
    put(m, A.H_RECORD_AT, note_entry(m, at, a, lanes, base, place, row, first, shift, step, over))
    return True
