"""Boxes: bytes of shared memory that one copy has filled, and that nobody but products has accessed since.

A box stands for its cells: who filled it, and which products read of it, each with the runs of bytes that it read. So a copy that
fills the same bytes again, and a product that reads within a box, look at a few words in the place of hundreds of cells. Whoever
else gets there has the box written into its cells first.
"""

# Numba has no types
# pyright: basic

from __future__ import annotations

import numpy as np

from ptxlab.sim.engine.compiled.lower import address, longs
from ptxlab.sim.order.native import arena as A
from ptxlab.sim.order.native.lists import CELL, beside, drop, get, jit, put


@jit
def boxes(m, s):
    """Where the boxes of a CTA are; 0 where there are none."""
    p = get(m, s + A.S_PHASES)
    return p + A.X_BOXES if p and get(m, p + A.X_BOX_COUNT) else np.int64(0)


@jit
def clear_boxes(m, s):
    """A new CTA."""
    put(m, get(m, s + A.S_PHASES) + A.X_BOX_COUNT, 0)


@jit
def overlaps(m, b, low, high):
    """Whether bytes from `low` to `high` are among those of a box."""
    return get(m, b + A.V_BEGIN) < high and low < get(m, b + A.V_END)


# --- boxes into cells -------------------------------------------------------------------------------------------------------
@jit
def unpack(m, s, low, high):
    """Write the boxes that have any of these bytes into their cells, and forget them."""
    first = boxes(m, s)
    if first == 0:
        return
    p = get(m, s + A.S_PHASES)
    i = get(m, p + A.X_BOX_COUNT) - 1
    while i >= 0:
        b = first + A.BOX_WORDS * i
        if overlaps(m, b, low, high):
            _into_cells(m, s, b)
            last = first + A.BOX_WORDS * (get(m, p + A.X_BOX_COUNT) - 1)
            for k in range(A.BOX_WORDS):
                m[b + k] = m[last + k]
            put(m, p + A.X_BOX_COUNT, get(m, p + A.X_BOX_COUNT) - 1)
        i -= 1


@jit
def _into_cells(m, s, b):
    granule, cells = get(m, A.H_SHARED_GRANULE), get(m, s + A.S_CELLS)
    begin, end = get(m, b + A.V_BEGIN), get(m, b + A.V_END)
    for c in range(cells + begin // granule * CELL, cells + end // granule * CELL, CELL):
        if get(m, c + A.R_MORE):
            drop(m, c)
        put(m, c + A.R_WARP, 0)
        m[c + A.W_AGENT] = m[b + A.V_AGENT]
        m[c + A.W_TIME] = m[b + A.V_TIME]
        m[c + A.W_INFO] = m[b + A.V_INFO]
    for i in range(get(m, b + A.V_COUNT)):
        r = b + A.V_READS + A.READ_WORDS * i
        agent, time, info, runs = get(m, r), get(m, r + 1), get(m, r + 2), get(m, r + 3)
        starts = longs(get(m, r + 4) | get(m, r + 5) << 32)
        sizes = longs(get(m, r + 6) | get(m, r + 7) << 32)
        for run in range(runs):
            low, high = max(starts[run], begin), min(starts[run] + sizes[run], end)
            if low < high:
                for g in range(low // granule, (high - 1) // granule + 1):
                    _read(m, s, cells + g * CELL, agent, time, info)


@jit
def _read(m, s, c, agent, time, info):
    """Note in a cell that a product has read it: as `note_reads`."""
    read, before = get(m, c + A.R_WARP), get(m, c + A.R_INFO)
    if read:
        mine = get(m, _record(m, agent) + A.K_BASE)
        if before >> A.SITE_BITS != info >> A.SITE_BITS or mine != get(m, _record(m, read) + A.K_BASE):
            beside(m, c, read, 1, get(m, c + A.R_TIME), before, 0)
            put(m, s + A.S_LISTS, 1)
    put(m, c + A.R_WARP, agent)
    put(m, c + A.R_LANES, 1)
    put(m, c + A.R_TIME, time)
    put(m, c + A.R_INFO, info)


@jit
def _record(m, agent):
    """Where what is known of a product lies."""
    return get(m, A.H_COPIES) + ((agent & (A.COPY - 1)) >> 5) * A.COPY_WORDS


# --- copies that fill boxes ---------------------------------------------------------------------------------------------------
@jit
def box_of(m, s, begin, end):
    """The box of just these bytes; 0 where there is none. Others that have some of them become cells."""
    first = boxes(m, s)
    if first == 0:
        return np.int64(0)
    other = False
    for i in range(get(m, get(m, s + A.S_PHASES) + A.X_BOX_COUNT)):
        b = first + A.BOX_WORDS * i
        if get(m, b + A.V_BEGIN) == begin and get(m, b + A.V_END) == end:
            return b
        other = other or overlaps(m, b, begin, end)
    if other:
        unpack(m, s, begin, end)
    return np.int64(0)


@jit
def new_box(m, s, begin, end):
    """A box that none of the others overlaps; 0 where there is no room."""
    p, granule = get(m, s + A.S_PHASES), get(m, A.H_SHARED_GRANULE)
    count = get(m, p + A.X_BOX_COUNT)
    if count == A.MOST_BOXES or begin % granule or end % granule:
        return np.int64(0)
    put(m, p + A.X_BOX_COUNT, count + 1)
    b = p + A.X_BOXES + A.BOX_WORDS * count
    put(m, b + A.V_BEGIN, begin)
    put(m, b + A.V_END, end)
    return b


@jit
def fill(m, b, agent, info):
    """A copy fills a box."""
    put(m, b + A.V_AGENT, agent)
    put(m, b + A.V_TIME, get(m, A.H_NOW))
    put(m, b + A.V_INFO, info)
    put(m, b + A.V_COUNT, 0)


# --- products that read boxes ---------------------------------------------------------------------------------------------------
@jit
def holds(m, s, runs, starts, sizes):
    """Whether boxes with room for one more reader hold all that a product reads. Else those that it reads of become cells."""
    first = boxes(m, s)
    if first == 0 or runs == 0:
        return False
    low, high, total = starts[0], starts[0] + sizes[0], np.int64(0)
    for run in range(runs):
        low, high, total = min(low, starts[run]), max(high, starts[run] + sizes[run]), total + sizes[run]
    some, held, room = False, np.int64(0), True
    for i in range(get(m, get(m, s + A.S_PHASES) + A.X_BOX_COUNT)):
        b = first + A.BOX_WORDS * i
        begin, end = get(m, b + A.V_BEGIN), get(m, b + A.V_END)
        if begin <= low and high <= end:
            if get(m, b + A.V_COUNT) < A.MOST_BOX_READS:
                return True
            unpack(m, s, begin, end)
            return False
        if overlaps(m, b, low, high):
            some, room = True, room and get(m, b + A.V_COUNT) < A.MOST_BOX_READS
            for run in range(runs):
                held += max(np.int64(0), min(starts[run] + sizes[run], end) - max(starts[run], begin))
    if held == total and room:
        return True
    if some:
        unpack(m, s, low, high)
    return False


@jit
def note_box_reads(m, s, runs, starts, sizes, agent, info):
    """A product reads what boxes hold."""
    low, high = starts[0], starts[0] + sizes[0]
    for run in range(runs):
        low, high = min(low, starts[run]), max(high, starts[run] + sizes[run])
    for i in range(get(m, get(m, s + A.S_PHASES) + A.X_BOX_COUNT)):
        b = get(m, s + A.S_PHASES) + A.X_BOXES + A.BOX_WORDS * i
        if overlaps(m, b, low, high):
            r = b + A.V_READS + A.READ_WORDS * get(m, b + A.V_COUNT)
            put(m, b + A.V_COUNT, get(m, b + A.V_COUNT) + 1)
            put(m, r, agent)
            put(m, r + 1, get(m, A.H_NOW))
            put(m, r + 2, info)
            put(m, r + 3, runs)
            put(m, r + 4, address(starts) & 0xFFFFFFFF)
            put(m, r + 5, address(starts) >> 32)
            put(m, r + 6, address(sizes) & 0xFFFFFFFF)
            put(m, r + 7, address(sizes) >> 32)
