"""wgmma: machine code judges what a product reads, and notes which warps have waited for it.

A product is a record among the copies (copies.py): it is over for who knows that any warp of its warpgroup has waited for it, and
the end of each warp is the time of that wait. What it starts from is what its four warps knew at their last wgmma.fence.
"""

# Numba has no types
# pyright: basic

from __future__ import annotations

import numpy as np

from ptxlab.sim.families.bulk.filter_boxes import holds, note_box_reads
from ptxlab.sim.families.cp_async.filter import note_left, place_for
from ptxlab.sim.families.mbarrier.filter import joins
from ptxlab.sim.order.native import arena as A
from ptxlab.sim.order.native.lists import get, jit, put
from ptxlab.sim.order.native.operations import in_order, is_filled, note_reads

_MEMBERS = 4


@jit
def product(m, s, first, place, number, a_runs, a_starts, a_sizes, b_runs, b_starts, b_sizes):
    """A warpgroup is about to multiply. 0: what it reads is in order, and noted; 1: Python has to judge.

    first: its first warp. number: of the product. Of A and of B: the runs of bytes in shared memory.
    """
    site = get(m, get(m, A.H_PLACES) + (place >> 3))
    cells, flags = get(m, s + A.S_CELLS), A.T_READS | A.T_SHARED
    eye = get(m, A.H_EYE)
    _look(m, s, get(m, A.H_OWN_EYE), first)
    put(m, A.H_EYE, get(m, A.H_OWN_EYE))
    zero = np.int64(0)
    a_held, b_held = holds(m, s, a_runs, a_starts, a_sizes), holds(m, s, b_runs, b_starts, b_sizes)
    if a_held and not holds(m, s, a_runs, a_starts, a_sizes):
        a_held = False  # the other operand has needed the cells
    if a_held:
        sure = is_filled(m, s, a_runs, a_starts, a_sizes)
    else:
        sure = in_order(m, cells, zero, zero, a_runs, a_starts, a_sizes, zero, flags)
    if b_held:
        sure = sure and is_filled(m, s, b_runs, b_starts, b_sizes)
    else:
        sure = sure and in_order(m, cells, zero, zero, b_runs, b_starts, b_sizes, zero, flags)
    put(m, A.H_EYE, eye)
    if not sure:
        return 1
    row = begin_product(m, s, first, site - 1, number)
    agent = A.OPERATION | A.COPY | (row - get(m, A.H_COPIES)) // A.COPY_WORDS << 5
    info = get(m, get(m, A.H_SITES) + A.SITE_WORDS * site)
    if a_held:
        note_box_reads(m, s, a_runs, a_starts, a_sizes, agent, info)
    else:
        put(m, s + A.S_LISTS, 1)
        note_reads(m, cells, zero, zero, a_runs, a_starts, a_sizes, agent, info)
    if b_held and not holds(m, s, b_runs, b_starts, b_sizes):
        b_held = False  # both operands are of one box, which was nearly full
    if b_held:
        note_box_reads(m, s, b_runs, b_starts, b_sizes, agent, info)
    else:
        put(m, s + A.S_LISTS, 1)
        note_reads(m, cells, zero, zero, b_runs, b_starts, b_sizes, agent, info)
    return 0


@jit
def _look(m, s, e, first):
    """What all four warps knew at their last wgmma.fence, for `in_order`."""
    each = get(m, A.H_EACH)
    put(m, e + A.E_FENCED, 1)
    put(m, e + A.E_BASE, get(m, s + A.S_BASE))
    put(m, e + A.E_EACH, each)
    put(m, e + A.E_CTA, get(m, s + A.S_INDEX))
    put(m, e + A.E_WORDS, 0)
    put(m, e + A.E_SOME, 0)
    put(m, e + A.E_PHASES, 0)
    for warp in range(get(m, s + A.S_WARPS)):
        known = fenced = np.int64(A.LOST)
        for member in range(first, first + _MEMBERS):
            known = min(known, get(m, s + A.S_GUARD_KNOWN + 32 * member + warp))
            fenced = min(fenced, get(m, s + A.S_GUARD_FENCED + 32 * member + warp))
        times = e + A.E_TIMES + 32 * warp
        for i in range(times, times + 32):
            put(m, i, known)
            put(m, i + each, fenced)
            put(m, i + 2 * each, fenced)
    if get(m, s + A.S_PHASES):
        more, guards = A.E_TIMES + 3 * each, get(m, s + A.S_PHASES) + A.X_GUARD_PHASES + 32 * first
        put(m, e + A.E_PHASES, more)
        for i in range(32):
            m[e + more + i] = min(min(m[guards + i], m[guards + 32 + i]), min(m[guards + 64 + i], m[guards + 96 + i]))


@jit
def begin_product(m, s, first, site, number):
    """A record for a product."""
    row, group = place_for(m, s, (1 << _MEMBERS) - 1, first, site), first // _MEMBERS
    put(m, row + A.K_JOINT, 1)
    put(m, row + A.K_GROUPS, number)
    for member in range(_MEMBERS):
        put(m, row + A.K_ENDS + member, 0)
    last = get(m, s + A.S_LAST_PRODUCT + group)
    if last:
        put(m, last + A.K_NEXT, row)
    else:
        put(m, s + A.S_FIRST_PRODUCT + group, row)
    put(m, s + A.S_LAST_PRODUCT + group, row)
    return row


@jit
def waits(m, s, warp, target, place):
    """A warp has waited for the products of its warpgroup before number `target`."""
    site = get(m, A.H_SITES) + A.SITE_WORDS * get(m, get(m, A.H_PLACES) + (place >> 3))
    group, bit, now = warp // _MEMBERS, np.int64(1) << warp % _MEMBERS, get(m, A.H_NOW)
    row, before, helped = get(m, s + A.S_FIRST_PRODUCT + group), np.int64(0), get(m, site + A.T_HELPED)
    latest = np.int64(0)
    if get(m, site + 1) and not helped:
        note_left(m, row, get(m, site), bit)
    while row:
        following, open_ = get(m, row + A.K_NEXT), get(m, row + A.K_OPEN)
        if open_ & bit and get(m, row + A.K_GROUPS) < target:
            open_ &= ~bit
            helped = np.int64(1)
            latest = max(latest, get(m, row + A.K_TIME))
            put(m, row + A.K_ENDS + warp % _MEMBERS, now)
            put(m, row + A.K_OPEN, open_)
        if open_:
            before = row
        elif before:
            put(m, before + A.K_NEXT, following)
        else:
            put(m, s + A.S_FIRST_PRODUCT + group, following)
        row = following
    put(m, s + A.S_LAST_PRODUCT + group, before)
    put(m, site + A.T_HELPED, helped)
    if latest and get(m, s + A.S_PHASES):
        joins(m, s, warp, latest)
