"""What an asynchronous operation accesses: cells that say the same are sorted together, and all are noted at once."""

# Numba has no types
# pyright: basic

from __future__ import annotations

import numpy as np

from ptxlab.sim.order.native import arena as A
from ptxlab.sim.order.native.lines import expand
from ptxlab.sim.order.native.lists import CELL, beside, drop, get, granule_of, jit, put


@jit
def cell_at(m, first, lines, g):
    """The cell of a granule of a region that begins at a word; 0 where it is not followed."""
    if not lines:
        return first + g * CELL
    cells = expand(m, first + (g >> 5) * A.LINE_WORDS)
    return cells + (g & 31) * CELL if cells else np.int64(0)


@jit
def same_writer(a, b):
    """Whether two words of agents are one operation, copies of one instruction, threads of one warp, or nobody."""
    if a == b:
        return True
    if a == 0 or b == 0:
        return False
    if a < A.OPERATION:
        return b < A.OPERATION and (a - 1) >> 5 == (b - 1) >> 5
    return a & A.COPY and a >> 5 == b >> 5


@jit
def same_past(m, a, b):
    """Whether two cells say the same, but for which lane of a warp wrote there."""
    wrote, read = get(m, a + A.W_AGENT), get(m, a + A.R_WARP)
    if not same_writer(wrote, get(m, b + A.W_AGENT)) or read != get(m, b + A.R_WARP):
        return False
    if wrote and (m[a + A.W_TIME] != m[b + A.W_TIME] or m[a + A.W_INFO] != m[b + A.W_INFO]):
        return False
    if read:
        for word in (A.R_LANES, A.R_TIME, A.R_INFO):
            if m[a + word] != m[b + word]:
                return False
    a, b = get(m, a + A.R_MORE), get(m, b + A.R_MORE)
    while a and b:
        for word in (A.N_AGENT, A.N_LANES, A.N_TIME, A.N_INFO, A.N_WRITES):
            if m[a + word] != m[b + word]:
                return False
        a, b = get(m, a + A.N_NEXT), get(m, b + A.N_NEXT)
    return a == b


@jit
def sort_cells(m, first, lines, runs, starts, sizes, which, some):
    """Sort the cells of runs of bytes by what they say.

    which: gets the number of each cell's sort, -1 where it is not followed. some: gets a cell of each sort.
    Returns: how many sorts there are, or -1 for more than MOST_SORTS.
    """
    granule = granule_of(m, lines)
    count, sort, n = 0, 0, 0
    for run in range(runs):
        if sizes[run] <= 0:
            continue
        for g in range(starts[run] // granule, (starts[run] + sizes[run] - 1) // granule + 1):
            c = cell_at(m, first, lines, g)
            if c == 0:
                which[n] = -1
                n += 1
                continue
            if sort >= count or not same_past(m, c, some[sort]):
                sort = 0
                while sort < count and not same_past(m, c, some[sort]):
                    sort += 1
                if sort == count:
                    if count == A.MOST_SORTS:
                        return -1
                    some[count] = c
                    count += 1
            which[n] = sort
            n += 1
    return count


@jit
def note_tile(m, first, lines, runs, starts, sizes, which, keep, agents, who, parts, info, writes):
    """Note what an operation does to the cells of runs of bytes: `which` as from sort_cells.

    agents: of its parts. who: the part of each run. keep: for each sort and part, whether the sort's reads stay.
    """
    granule, now, n, listed = granule_of(m, lines), get(m, A.H_NOW), 0, False
    for run in range(runs):
        if sizes[run] <= 0:
            continue
        agent = agents[who[run]]
        for g in range(starts[run] // granule, (starts[run] + sizes[run] - 1) // granule + 1):
            sort = which[n]
            n += 1
            if sort < 0:
                continue
            c = cell_at(m, first, lines, g)
            if writes:
                if get(m, c + A.R_MORE):
                    drop(m, c)
                put(m, c + A.R_WARP, 0)
                put(m, c + A.W_AGENT, agent)
                put(m, c + A.W_TIME, now)
                put(m, c + A.W_INFO, info)
                continue
            read, lanes, time = get(m, c + A.R_WARP), get(m, c + A.R_LANES), get(m, c + A.R_TIME)
            if agents[0] <= read <= agents[parts - 1] and time == now and get(m, c + A.R_INFO) == info:
                continue
            if read and keep[sort * parts + who[run]]:
                beside(m, c, read, lanes, time, get(m, c + A.R_INFO), 0)
                listed = not lines or listed
            put(m, c + A.R_WARP, agent)
            put(m, c + A.R_LANES, 1)
            put(m, c + A.R_TIME, now)
            put(m, c + A.R_INFO, info)
    if listed:
        put(m, first - A.SLOT_WORDS + A.S_LISTS, 1)
