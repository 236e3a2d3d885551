"""Notes of what orders a CTA's warps, in the order in which it happens, for Python to take when it has to judge: arrivals at
barriers, fences (fences.py), waits, and what concerns mbarriers (phases.py).
"""

# Numba has no types
# pyright: basic

from __future__ import annotations

import numpy as np

from ptxlab.sim.engine.compiled.frame import NOTE_ARRIVAL, NOTE_PHASE
from ptxlab.sim.families.mbarrier.filter import arrives, comes, meets, passes
from ptxlab.sim.order.native import arena as A
from ptxlab.sim.order.native.fences import comes_fenced, condense, meets_fenced
from ptxlab.sim.order.native.lists import get, jit, put
from ptxlab.sim.order.native.shared import next_epoch


@jit
def arrive(m, s, warp, alive, number, waits, first, over, pc):
    """A warp has come to a barrier of the CTA, first of all or so that it is over: see `ptxlab_arrive_told`."""
    now = get(m, A.H_NOW)
    put(m, A.H_NOW, now + 1)
    join = s + A.S_JOINS + 32 * number
    mine = s + A.S_KNOWN + 32 * warp
    if first:
        for b in range(32):
            put(m, join + b, 0)
        put(m, s + A.S_WAITING + number, 0)
    for b in range(32):
        put(m, join + b, max(get(m, join + b), get(m, mine + b)))
    whole = alive == get(m, s + A.S_LIVING + warp)
    if whole:
        put(m, join + warp, now)
    fences = get(m, A.H_OWN_EYE) != 0
    if fences:
        comes_fenced(m, s, warp, number, first, whole)
    phases = get(m, s + A.S_PHASES) != 0
    sure = comes(m, s, warp, number, first, over) if phases else True
    partial = get(m, s + A.S_PARTIAL)
    if first:
        partial &= ~(1 << number)
    if not whole:
        partial |= 1 << number
    put(m, s + A.S_PARTIAL, partial)
    waiting = get(m, s + A.S_WAITING + number) | waits << warp
    put(m, s + A.S_WAITING + number, waiting)
    open_ = (get(m, s + A.S_OPEN) | 1 << number) & ~(over << number)
    put(m, s + A.S_OPEN, open_)
    warps = get(m, s + A.S_WARPS)
    if over:
        for a in range(warps):
            if (waiting >> a) & 1:
                theirs = s + A.S_KNOWN + 32 * a
                for b in range(32):
                    put(m, theirs + b, max(get(m, theirs + b), get(m, join + b)))
        if fences:
            meets_fenced(m, s, number, waiting)
    word = warp | number << A.G_NUMBER | waits << A.G_WAITS | over << A.G_OVER
    whole = over and open_ == 0 and waiting == (1 << warps) - 1 and (partial >> number) & 1 == 0
    if phases and over:
        meets(m, s, number, waiting, whole)
    if whole:  # whoever came first has done nothing since: what they all did is known up to now
        for a in range(warps):
            for b in range(warps):
                put(m, s + A.S_KNOWN + 32 * a + b, now)
        if get(m, s + A.S_OWN):
            next_epoch(m, s)
    full = whole and not phases and only_this(m, s, number)
    if full:
        if fences:
            condense(m, s)
        else:
            put(
                m, s + A.S_LOG_COUNT, 0
            )  # all know what all know: whatever they heard of each other before says no more
        word |= 1 << A.G_FULL
    log = get(m, s + A.S_LOG_COUNT)
    entry = get(m, s + A.S_LOG_AT) + A.LOG_WORDS * log
    put(m, entry, word)
    put(m, entry + 1, alive)
    put(m, entry + 2, now)
    put(m, entry + 3, pc)
    put(m, s + A.S_LOG_COUNT, log + 1)
    if phases:
        return np.int32(log + 1 == get(m, s + A.S_LOG_MOST) or not sure)
    # Python looks at who meets at a barrier's number when they have met
    return np.int32(log + 1 == get(m, s + A.S_LOG_MOST) or (over and not full))


@jit
def note(m, s, kind, warp, lanes, pc, first, second):
    """Note what lanes of a warp have waited for, in order with the arrivals at barriers. 1: Python has to take the notes now.

    kind, first, second: see `NOTE_PRODUCTS` and so on.
    """
    now, sure = get(m, A.H_NOW), True
    if get(m, s + A.S_PHASES) and kind in (NOTE_PHASE, NOTE_ARRIVAL):
        site = get(m, A.H_SITES) + A.SITE_WORDS * get(m, get(m, A.H_PLACES) + (pc >> 3))
        relaxed, phase = get(m, site + 2) & A.T_RELAXED != 0, np.int64(np.int32(second))
        if kind == NOTE_PHASE:
            sure = passes(m, s, warp, lanes, first, phase, relaxed)
        else:
            sure = arrives(m, s, warp, lanes, first, phase, relaxed)
            put(m, A.H_NOW, now + 1)  # what the lanes do from now on comes later
    return write_down(m, s, kind, warp, lanes, pc, first, second, now) | np.int32(not sure)


@jit
def write_down(m, s, kind, warp, lanes, pc, first, second, now):
    """A note of its own kind."""
    log = get(m, s + A.S_LOG_COUNT)
    entry = get(m, s + A.S_LOG_AT) + A.LOG_WORDS * log
    put(m, entry, warp | A.G_NONE << A.G_NUMBER | kind << A.G_KIND)
    put(m, entry + 1, lanes)
    put(m, entry + 2, now)
    put(m, entry + 3, pc)
    put(m, entry + 4, first)
    put(m, entry + 5, second)
    put(m, s + A.S_LOG_COUNT, log + 1)
    return np.int32(log + 1 == get(m, s + A.S_LOG_MOST))


@jit
def only_this(m, s, number):
    """Whether behind meetings of all threads nothing is noted but arrivals at this barrier since it was over last."""
    for i in range(get(m, s + A.S_LOG_COUNT)):
        word = get(m, get(m, s + A.S_LOG_AT) + A.LOG_WORDS * i)
        other = (word >> A.G_NUMBER) & 0xFF != number or (word >> A.G_OVER) & 1
        if other and not word & (1 << A.G_FULL | 1 << A.G_FENCE | 1 << A.G_GUARD):
            return False
    return True
