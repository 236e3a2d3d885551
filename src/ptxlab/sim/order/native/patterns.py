"""How the addresses of a warp follow one another, and accesses that are remembered by it: eight words for most."""

# Numba has no types
# pyright: basic

from __future__ import annotations

import numpy as np

from ptxlab.sim.order.native import arena as A
from ptxlab.sim.order.native.lists import WORD, get, jit, put


@jit
def pattern(a, lanes):
    """A warp's addresses as rows: lanes of a row (as a shift; -1: they are none), the steps in a row and between rows."""
    if lanes != WORD:
        return np.int64(-1), np.int64(0), np.int64(0)
    step, shift = a[1] - a[0], np.int64(5)
    for k in range(4, 0, -1):
        if a[1 << k] - a[0] != step << k:
            shift = np.int64(k)
    over = a[(1 << shift) & 31] - a[0]
    apart, inside = np.int64(0), (1 << shift) - 1
    for lane in range(32):
        apart |= a[lane] - a[0] - (lane & inside) * step - (lane >> shift) * over
    return np.int64(-1) if apart else shift, step, over


@jit
def note_entry(m, at, a, lanes, base, place, row, first, shift, step, over):
    """Write down an access to memory that begins at `first`. Returns: the word behind it."""
    put(m, at + A.P_AGENT, base)
    put(m, at + A.P_LANES, lanes)
    put(m, at + A.P_TIME, get(m, A.H_NOW))
    put(m, at + A.P_PLACE, place << 3 | (shift + 1))
    put(m, at + A.P_FIRST, a[0] - first)
    put(m, at + A.P_STEP, step)
    put(m, at + A.P_OVER, over)
    put(m, at + A.P_ROW, row)
    if shift >= 0:
        return at + A.ENTRY_WORDS
    for lane in range(32):
        m[at + A.ENTRY_WORDS + lane] = np.uint32(a[lane] - first)
    return at + A.ENTRY_MOST


@jit
def entry_words(m, at):
    """How long an entry is."""
    return A.ENTRY_WORDS if get(m, at + A.P_PLACE) & 7 else A.ENTRY_MOST


@jit
def site_of(m, at):
    """The instruction of an entry."""
    return get(m, A.H_SITES) + A.SITE_WORDS * get(m, get(m, A.H_PLACES) + (get(m, at + A.P_PLACE) >> 3))


@jit
def offset_of(m, at, lane):
    """The byte that a lane begins at."""
    shift = (get(m, at + A.P_PLACE) & 7) - 1
    if shift < 0:
        return get(m, at + A.ENTRY_WORDS + lane)
    inside = lane & ((1 << shift) - 1)
    return (get(m, at + A.P_FIRST) + inside * get(m, at + A.P_STEP) + (lane >> shift) * get(m, at + A.P_OVER)) & WORD
