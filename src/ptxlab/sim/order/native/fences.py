"""Proxy fences and wgmma.fence: what warps of a CTA know of accesses that fences have let through, and what products start from.

As with barriers, this is less than what Python knows: of each warp up to which time all its threads know what all threads of
another warp did, and that fences let it through to the async proxy in the CTA's shared memory. Fences are noted among the
arrivals at barriers. When all threads of the CTA have met, notes that say nothing any more are thrown away.
"""

# Numba has no types
# pyright: basic

from __future__ import annotations

import numpy as np

from ptxlab.sim.families.mbarrier.filter import fences_apart, fences_makers, guard_phases
from ptxlab.sim.order.native import arena as A
from ptxlab.sim.order.native.lists import get, jit, put

_EITHER = 1 << A.G_FENCE | 1 << A.G_GUARD


# --- what warps know ----------------------------------------------------------------------------------------------------
@jit
def begin_fences(m, s):
    """A new CTA: there were no fences."""
    words = 32 * get(m, s + A.S_WARPS)
    for part in (A.S_FENCED, A.S_GUARD_KNOWN, A.S_GUARD_FENCED):
        for i in range(s + part, s + part + words):
            m[i] = np.uint32(0)
    for i in range(s + A.S_OWN_FENCED, s + A.S_OWN_FENCED + 32):
        m[i] = np.uint32(0)


@jit
def comes_fenced(m, s, warp, number, first, whole):
    """A warp has come to a barrier: those who meet there get to know what its fences have let through."""
    join, mine = s + A.S_JOINS_FENCED + 32 * number, s + A.S_FENCED + 32 * warp
    for b in range(32):
        before = 0 if first else get(m, join + b)
        put(m, join + b, max(before, get(m, mine + b)))
    if whole:
        put(m, join + warp, max(get(m, join + warp), get(m, s + A.S_OWN_FENCED + warp)))


@jit
def meets_fenced(m, s, number, waiting):
    """A barrier is over for these warps."""
    join = s + A.S_JOINS_FENCED + 32 * number
    for warp in range(get(m, s + A.S_WARPS)):
        if (waiting >> warp) & 1:
            mine = s + A.S_FENCED + 32 * warp
            for b in range(32):
                put(m, mine + b, max(get(m, mine + b), get(m, join + b)))


@jit
def fence(m, s, lanes, warp, kinds, place):
    """Lanes of a warp execute a fence between the generic and the async proxy. Whether Python is to take the notes.

    kinds: for which memory, 1 shared, 2 global.
    """
    now = get(m, A.H_NOW)
    whole = lanes == get(m, s + A.S_LIVING + warp)
    if whole and kinds & 1:
        mine, known = s + A.S_FENCED + 32 * warp, s + A.S_KNOWN + 32 * warp
        for b in range(32):
            put(m, mine + b, max(get(m, mine + b), get(m, known + b)))
        put(m, s + A.S_OWN_FENCED + warp, now)
    if kinds & 1 and get(m, s + A.S_PHASES):
        fences_makers(m, s, warp, lanes)
        if not whole:
            fences_apart(m, s, warp, lanes)
    word = warp | kinds << A.G_NUMBER | 1 << A.G_FENCE | np.int64(whole) << A.G_OVER
    return _note(m, s, word, lanes, now, place)


@jit
def guard(m, s, lanes, warp, kinds, place):
    """Lanes execute wgmma.fence: products that follow start from what the warp knows now. Whether Python is to take the notes."""
    now = get(m, A.H_NOW)
    whole = lanes == get(m, s + A.S_LIVING + warp)
    known, fenced = s + A.S_GUARD_KNOWN + 32 * warp, s + A.S_GUARD_FENCED + 32 * warp
    for b in range(32):
        put(m, known + b, get(m, s + A.S_KNOWN + 32 * warp + b) if whole else 0)
        put(m, fenced + b, get(m, s + A.S_FENCED + 32 * warp + b) if whole else 0)
    if whole:
        put(m, known + warp, now)
        put(m, fenced + warp, max(get(m, fenced + warp), get(m, s + A.S_OWN_FENCED + warp)))
    if get(m, s + A.S_PHASES):
        guard_phases(m, s, warp, whole)
    return _note(m, s, warp | 1 << A.G_GUARD | np.int64(whole) << A.G_OVER, lanes, now, place)


# --- notes ----------------------------------------------------------------------------------------------------------------
@jit
def entry(m, s, i):
    """Where a note lies."""
    return get(m, s + A.S_LOG_AT) + A.LOG_WORDS * i


@jit
def _remove(m, s, i):
    """Take a note away."""
    count = get(m, s + A.S_LOG_COUNT) - 1
    for at in range(entry(m, s, i), entry(m, s, count)):
        m[at] = m[at + A.LOG_WORDS]
    put(m, s + A.S_LOG_COUNT, count)


@jit
def _replace(m, s, word):
    """Take notes away of which a new one of the same warp says the same, as long as no barrier is in between.

    Of two wgmma.fence the later one counts; of two proxy fences, too, unless a wgmma.fence stands between them.
    """
    guard, fenced, i = word & (1 << A.G_GUARD), np.int64(0), get(m, s + A.S_LOG_COUNT) - 1
    while i >= 0 and get(m, entry(m, s, i)) & _EITHER:
        other = get(m, entry(m, s, i))
        if other & 0xFF == word & 0xFF:
            if other != word and (not guard or other & (1 << A.G_GUARD) or other == fenced):
                if other == fenced:
                    _remove(m, s, i)
                return
            if other == word:
                _remove(m, s, i)
                if not guard:
                    return
            else:
                fenced = other
        i -= 1


@jit
def _note(m, s, word, lanes, now, place):
    """Note a fence, in the place of one of this warp before it that says nothing any more, as long as the CTA does not meet."""
    if (word >> A.G_OVER) & 1:
        _replace(m, s, word)
    at, count = entry(m, s, get(m, s + A.S_LOG_COUNT)), get(m, s + A.S_LOG_COUNT) + 1
    put(m, at, word)
    put(m, at + 1, lanes)
    put(m, at + 2, now)
    put(m, at + 3, place)
    put(m, s + A.S_LOG_COUNT, count)
    put(m, A.H_NOW, now + 1)
    return int(count == get(m, s + A.S_LOG_MOST))


@jit
def condense(m, s):
    """All threads of the CTA have met. Keep only notes that still say something, and what Python needs to understand them.

    Notes from one such meeting to the next belong together. Fences behind a later meeting let all through that earlier ones did,
    and wgmma.fence stands for the ones of its warp before it. What a warp knew at its last one depends on the fences before that.
    """
    end, needed, guarded, kept = get(m, s + A.S_LOG_COUNT), 3, 0, get(m, s + A.S_LOG_COUNT)
    while end > 0:
        begin = end - 1
        while begin > 0 and not (get(m, entry(m, s, begin)) >> A.G_FULL) & 1:
            begin -= 1
        shared, everywhere, kinds, latest, later, odd = 0, 0, 0, False, 0, False
        for i in range(begin, end):
            word = get(m, entry(m, s, i))
            warp, whole = word & 0xFF, (word >> A.G_OVER) & 1 == 1
            if (word >> A.G_FENCE) & 1:
                odd |= not whole
                kinds |= (word >> A.G_NUMBER) & 3
                shared |= ((word >> A.G_NUMBER) & 1) << warp
                everywhere |= ((word >> A.G_NUMBER + 1) & 1) << warp
            elif (word >> A.G_GUARD) & 1:
                odd |= not whole
                if not (guarded >> warp) & 1:
                    latest = True
                    later |= (1 << warp) & ~(shared & everywhere)
        for i in range(begin, end):
            word = get(m, entry(m, s, i))
            if (word >> A.G_GUARD) & 1:
                guarded |= 1 << (word & 0xFF)
        if latest or odd or kinds & needed:
            needed = 3 if later or odd else needed & ~kinds
            kept = _keep(m, s, begin, end, kept)
        end = begin
    count = get(m, s + A.S_LOG_COUNT) - kept
    for i in range(A.LOG_WORDS * count):
        m[entry(m, s, 0) + i] = m[entry(m, s, kept) + i]
    put(m, s + A.S_LOG_COUNT, count)


@jit
def _keep(m, s, begin, end, kept):
    """Move notes in front of those that are kept, but for arrivals. Where those begin then."""
    i = end - 1
    while i >= begin:
        if get(m, entry(m, s, i)) & (_EITHER | 1 << A.G_FULL):
            kept -= 1
            for k in range(A.LOG_WORDS):
                m[entry(m, s, kept) + k] = m[entry(m, s, i) + k]
        i -= 1
    return kept
