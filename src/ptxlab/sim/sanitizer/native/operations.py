"""An asynchronous operation looks at what it accesses, and notes it, where it surely comes behind all that.

Python says what the operation knows (`E_` of the arena), and enters each operation in a table (`O_`). The table is a ring: of one
that has been overwritten nothing is known here, and Python looks at its accesses.
"""

# Numba has no types
# pyright: basic

from __future__ import annotations

import numpy as np

from ptxlab.sim.sanitizer.native import arena as A
from ptxlab.sim.sanitizer.native.quick import beside, drop, entry_of, get, jit, put
from ptxlab.sim.sanitizer.native.tiles import cell_at

_WHOLE = 5 << 5
"""How the lanes of a line lie where one operation accesses all of it: granule g belongs to part g >> 5."""


@jit
def time_of(m, e, agent, row):
    """Up to which time an eye knows a thread, by one of its clocks; -1 for threads of other CTAs."""
    thread = agent - get(m, e + A.E_BASE)
    if thread < 0 or thread >= get(m, e + A.E_EACH):
        return np.int64(-1)
    return get(m, e + A.E_TIMES + row * get(m, e + A.E_EACH) + thread)


@jit
def has_bit(m, at, number):
    """A bit of a set."""
    return (get(m, at + (number >> 5)) >> (number & 31)) & 1 == 1


@jit
def comes_before(m, e, agent, lanes, time, info, wrote):
    """Whether an eye surely knows of an earlier access."""
    proxy = (info >> A.PROXY) & 3
    fenced = get(m, e + A.E_FENCED) == 1
    if agent >= A.OPERATION:
        o = entry_of(m, agent)
        if o == 0 or (fenced and proxy == 0) or get(m, o + A.O_CLUSTER) != get(m, e + A.E_CLUSTER):
            return False
        if fenced and wrote and get(m, o + A.O_CTA) != get(m, e + A.E_CTA):
            return False
        number = get(m, o + A.O_BIT)
        if number >= 32 * get(m, e + A.E_WORDS):
            return False
        sets = e + get(m, e + A.E_SETS)
        return has_bit(m, sets, number) or (not wrote and has_bit(m, sets + A.EYE_WORDS, number))
    row = 0 if not fenced or proxy else 1 if wrote else 2
    if lanes == 1:
        return time_of(m, e, agent, row) >= time
    sure = True
    for lane in range(32):
        sure &= (lanes >> lane) & 1 == 0 or time_of(m, e, agent + lane, row) >= time
    return sure


@jit
def lanes_in(how, line):
    """The lanes that have accessed a cell, or any granule of a line: that says how they lie."""
    if not line:
        return how
    side = 32 >> (how >> 5)
    return ((1 << side) - 1) << (how & 31) if side else 1


@jit
def all_before(m, e, c, line, agent, flags):
    """Whether an operation surely comes behind all that a cell, or a line, has seen."""
    wrote = get(m, c + A.W_AGENT)
    if wrote == 0:
        if flags & A.T_READS and flags & A.T_SHARED:
            return False
    elif wrote != agent:
        lanes = lanes_in(get(m, c + A.L_WROTE), True) if line and wrote < A.OPERATION else 1
        if not comes_before(m, e, wrote, lanes, get(m, c + A.W_TIME), get(m, c + A.W_INFO), True):
            return False
    writes = flags & A.T_WRITES
    read = get(m, c + A.R_WARP)
    if writes and read and read != agent:
        lanes = lanes_in(get(m, c + A.R_LANES), line and read < A.OPERATION)
        if not comes_before(m, e, read, lanes, get(m, c + A.R_TIME), get(m, c + A.R_INFO), False):
            return False
    here = get(m, c + A.R_MORE)
    while here:
        who, wrote_too = get(m, here + A.N_AGENT), get(m, here + A.N_WRITES)
        if (writes or wrote_too) and who != agent:
            lanes = lanes_in(get(m, here + A.N_LANES), line and who < A.OPERATION)
            if not comes_before(m, e, who, lanes, get(m, here + A.N_TIME), get(m, here + A.N_INFO), wrote_too == 1):
                return False
        here = get(m, here + A.N_NEXT)
    return True


@jit
def same_cell(m, a, b):
    """Whether two cells without lists say the same."""
    for word in range(A.R_MORE):
        if m[a + word] != m[b + word]:
            return False
    return m[a + A.R_MORE] == 0 and m[b + A.R_MORE] == 0


@jit
def superseded(m, past, agent):
    """Whether who has waited for an operation has waited for an earlier one, too."""
    if past < A.OPERATION:
        return False
    mine, its = entry_of(m, agent), entry_of(m, past)
    return mine != 0 and its != 0 and get(m, mine + A.O_TURN) != 0 and m[mine + A.O_TURN] == m[its + A.O_TURN]


@jit
def note(m, c, line, agent, info, writes):
    """Note what an operation does to a cell, or to a whole line."""
    now = get(m, A.H_NOW)
    if writes:
        if get(m, c + A.R_MORE):
            drop(m, c)
        put(m, c + A.R_WARP, 0)
        put(m, c + A.W_AGENT, agent)
        put(m, c + A.W_TIME, now)
        put(m, c + A.W_INFO, info)
        if line:
            put(m, c + A.L_WROTE, _WHOLE)
        return
    lanes = _WHOLE if line else 1
    read, before = get(m, c + A.R_WARP), get(m, c + A.R_INFO)
    if read:
        alike = before >> A.SITE_BITS == info >> A.SITE_BITS
        if read == agent and get(m, c + A.R_TIME) == now and before == info:
            return
        same = read == agent and get(m, c + A.R_LANES) == lanes
        if not (alike and (same or superseded(m, read, agent))):
            beside(m, c, read, get(m, c + A.R_LANES), get(m, c + A.R_TIME), before, 0)
    put(m, c + A.R_WARP, agent)
    put(m, c + A.R_LANES, lanes)
    put(m, c + A.R_TIME, now)
    put(m, c + A.R_INFO, info)


@jit
def operation(m, first, lines, base, runs, starts, sizes, agent, info, flags):
    """An operation accesses runs of bytes of a region. 1: that is in order, and noted; 0: Python has to judge.

    first, lines: as of a region. base: of two words, what is subtracted from `starts`.
    """
    granule, e = get(m, A.H_GRANULE), get(m, A.H_EYE)
    origin = get(m, base) | get(m, base + 1) << 32 if base else np.int64(0)
    for noting in range(2):
        before = np.int64(0)
        for run in range(runs):
            g = (starts[run] - origin) // granule
            end = (starts[run] - origin + sizes[run] - 1) // granule + 1
            while g < end:
                if lines and g & 31 == 0 and g + 32 <= end:
                    c = first + (g >> 5) * A.LINE_WORDS
                    if get(m, c + A.L_CELLS) == 0:
                        if noting:
                            note(m, c, True, agent, info, flags & A.T_WRITES)
                        elif not all_before(m, e, c, True, agent, flags):
                            return np.int32(0)
                        g += 32
                        continue
                c = cell_at(m, first, lines, g)
                g += 1
                if c == 0:
                    continue
                if noting:
                    note(m, c, False, agent, info, flags & A.T_WRITES)
                elif before == 0 or not same_cell(m, before, c):
                    if not all_before(m, e, c, False, agent, flags):
                        return np.int32(0)
                    before = c
    return np.int32(1)
