"""mbarriers: what warps learn of each other there, and of copies that are over, without Python.

As with barriers, this is less than what Python knows. It is kept in rows (see `ROW_ALL` and so on): of each warp what all its
threads know, and what those lanes know that were the last to act apart from the others, as who issues copies does. A phase
publishes a row: what those know who have arrived in it, or in phases before. Copies that are over count as a phase of their own.

Each of these events is noted, too. So Python can make up for all of them, in order, when it has to judge something; as long as it
has not, notes of a CTA that has ended are thrown away. What may be a mistake is not surely in order, and goes to Python.
"""

# Numba has no types
# pyright: basic

from __future__ import annotations

import numpy as np

from ptxlab.sim.order.native import arena as A
from ptxlab.sim.order.native.lists import get, jit, put

_PARTS = A.ROW // 32


# --- rows -----------------------------------------------------------------------------------------------------------------
@jit
def part(m, s, warp, at):
    """A part of what all threads of a warp know."""
    if at == A.ROW_ALL:
        return s + A.S_KNOWN + 32 * warp
    if at == A.ROW_FENCED:
        return s + A.S_FENCED + 32 * warp
    return get(m, s + A.S_PHASES) + A.X_WARPS + A.ROW * warp + at


@jit
def raise_to(m, to, by):
    """Of 32 words the greater ones."""
    for i in range(32):
        m[to + i] = max(m[to + i], m[by + i])


@jit
def clear(m, first, words):
    """Nothing is known."""
    for i in range(first, first + words):
        m[i] = np.uint32(0)


@jit
def apart(m, s, warp, lanes):
    """What some lanes of a warp know: what all its threads do, and what these have learnt since others acted apart."""
    p = get(m, s + A.S_PHASES)
    row = p + A.X_ONES + A.ROW * warp
    if get(m, p + A.X_LANES + warp) != lanes:
        put(m, p + A.X_LANES + warp, lanes)
        put(m, p + A.X_SINCE + warp, get(m, A.H_NOW))
        clear(m, row, A.ROW)
    for k in range(_PARTS):
        raise_to(m, row + 32 * k, part(m, s, warp, 32 * k))
    return row


@jit
def is_whole(m, s, warp, lanes):
    """Whether these are all lanes of a warp."""
    return lanes == get(m, s + A.S_LIVING + warp)


@jit
def publish(m, s, warp, lanes, row, now):
    """What lanes know and have done until then comes to a row."""
    whole = is_whole(m, s, warp, lanes)
    own = np.int64(0) if whole else apart(m, s, warp, lanes)
    for k in range(_PARTS):
        raise_to(m, row + 32 * k, part(m, s, warp, 32 * k) if whole else own + 32 * k)
    if whole:
        put(m, row + A.ROW_ALL + warp, now)
        fenced = row + A.ROW_FENCED + warp
        put(m, fenced, max(get(m, fenced), get(m, s + A.S_OWN_FENCED + warp)))
    put(m, row + A.ROW_SOME + warp, now)
    put(m, row + A.ROW_APART + warp, now)


# --- barriers of the CTA ----------------------------------------------------------------------------------------------------
@jit
def begin_phases(m, s):
    """A new CTA."""
    p, warps = get(m, s + A.S_PHASES), get(m, s + A.S_WARPS)
    put(m, p + A.X_COUNT, 0)
    clear(m, p + A.X_MET, 2 * A.BARRIERS + 2 * 32)
    clear(m, p + A.X_GUARD_PHASES, 32 * warps)
    clear(m, p + A.X_JOINED, 2 * A.JOINED * warps)
    clear(m, p + A.X_WARPS, warps * A.ROW)


@jit
def comes(m, s, warp, number, first, over):
    """A warp has come to a barrier. Whether it is surely right that it meets others there.

    Who takes part in a use of a barrier may be new: then Python looks at what orders that behind the use before.
    """
    p = get(m, s + A.S_PHASES)
    row, bit = p + A.X_BARRIERS + A.ROW * number, np.int64(1) << warp
    if first:
        clear(m, row, A.ROW)
        put(m, p + A.X_COMING + number, 0)
    for k in range(A.ROW_SOME, A.ROW, 32):
        raise_to(m, row + k, part(m, s, warp, k))
    now = get(m, A.H_NOW) - 1
    put(m, row + A.ROW_SOME + warp, now)
    put(m, row + A.ROW_APART + warp, now)
    met, coming = get(m, p + A.X_MET + number), get(m, p + A.X_COMING + number) | bit
    put(m, p + A.X_COMING + number, coming)
    if over:
        put(m, p + A.X_MET + number, coming)
        put(m, p + A.X_COMING + number, 0)
    return met == 0 or met & bit != 0


@jit
def meets(m, s, number, waiting, everybody):
    """A barrier is over for these warps. `everybody`: all threads of the CTA have met."""
    p = get(m, s + A.S_PHASES)
    row = p + A.X_BARRIERS + A.ROW * number
    for warp in range(get(m, s + A.S_WARPS)):
        if (waiting >> warp) & 1:
            for k in range(A.ROW_SOME, A.ROW, 32):
                raise_to(m, part(m, s, warp, k), row + k)
    if everybody:
        for j in range(get(m, p + A.X_COUNT)):
            state = get(m, p + A.X_STATES + j)
            put(m, p + A.X_STATES + j, state | A.IN_ORDER | (A.PUBLISHED if state & A.FENCED else 0))


@jit
def fences_makers(m, s, warp, lanes):
    """Lanes execute a proxy fence, or fence.mbarrier_init: that of the mbarriers that they have made is done."""
    p, base = get(m, s + A.S_PHASES), get(m, s + A.S_BASE) + 32 * warp
    for j in range(get(m, p + A.X_COUNT)):
        lane = get(m, p + A.X_MAKERS + j) - base
        if 0 <= lane < 32 and (lanes >> lane) & 1:
            put(m, p + A.X_STATES + j, get(m, p + A.X_STATES + j) | A.FENCED)


@jit
def fences_apart(m, s, warp, lanes):
    """Lanes of a warp, not all, execute a proxy fence for shared memory: what they know of others is let through."""
    row = apart(m, s, warp, lanes)
    raise_to(m, row + A.ROW_FENCED, row + A.ROW_ALL)


@jit
def guard_phases(m, s, warp, whole):
    """A warp executes wgmma.fence: products that follow start from the phases that it knows now."""
    p = get(m, s + A.S_PHASES)
    to, by = p + A.X_GUARD_PHASES + 32 * warp, p + A.X_WARPS + A.ROW * warp + A.ROW_PHASES
    for i in range(32):
        m[to + i] = m[by + i] if whole else np.uint32(0)


@jit
def joins(m, s, warp, latest):
    """A warp has waited for products, the latest of which was issued then."""
    ring = get(m, s + A.S_PHASES) + A.X_JOINED + 2 * A.JOINED * warp
    i = ring + 2 * A.JOINED - 1
    while i > ring + 1:
        m[i] = m[i - 2]
        i -= 1
    put(m, ring, get(m, A.H_NOW))
    put(m, ring + 1, latest)


# --- mbarriers ----------------------------------------------------------------------------------------------------------------
@jit
def make_mbarrier(m, s, offset, maker):
    """A thread has initialised an mbarrier."""
    end_mbarrier(m, s, offset)
    p = get(m, s + A.S_PHASES)
    j = get(m, p + A.X_COUNT)
    if j == A.MOST_MBARRIERS:
        return
    put(m, p + A.X_COUNT, j + 1)
    put(m, p + A.X_OFFSETS + j, offset)
    put(m, p + A.X_MAKERS + j, maker)
    put(m, p + A.X_STATES + j, 0)
    put(m, p + A.X_CHECKED + j, 0)
    for words in (A.X_PUBLISHED, A.X_CAME, A.X_PASSED):
        clear(m, p + words + 2 * j, 2)


@jit
def end_mbarrier(m, s, offset):
    """There is no mbarrier at this place any more."""
    j = find(m, s, offset)
    if j >= 0:
        put(m, get(m, s + A.S_PHASES) + A.X_OFFSETS + j, A.LOST)


@jit
def find(m, s, offset):
    """The number of the mbarrier at a place; -1 for one that is not followed."""
    p = get(m, s + A.S_PHASES)
    for j in range(get(m, p + A.X_COUNT)):
        if get(m, p + A.X_OFFSETS + j) == offset:
            return j
    return np.int64(-1)


@jit
def may_use(m, s, j, warp, lanes, copies):
    """Whether lanes surely come behind the initialisation of an mbarrier; `copies`: so does a copy that they issue."""
    p = get(m, s + A.S_PHASES)
    state = get(m, p + A.X_STATES + j)
    if state & (A.PUBLISHED if copies else A.IN_ORDER):
        return True
    lane = get(m, p + A.X_MAKERS + j) - get(m, s + A.S_BASE) - 32 * warp
    return 0 <= lane < 32 and lanes == 1 << lane and (not copies or state & A.FENCED != 0)


@jit
def published_in(m, s, j, phase):
    """The row of what a phase publishes, to which the phases before it belong."""
    p, q = get(m, s + A.S_PHASES), phase & 1
    row = p + A.X_ROWS + A.ROW * (2 * j + q)
    if get(m, p + A.X_PUBLISHED + 2 * j + q) != phase + 1:
        if get(m, p + A.X_PUBLISHED + 2 * j + q) == 0:
            clear(m, row, A.ROW)
        if phase and get(m, p + A.X_PUBLISHED + 2 * j + 1 - q) == phase:
            for k in range(_PARTS):
                raise_to(m, row + 32 * k, p + A.X_ROWS + A.ROW * (2 * j + 1 - q) + 32 * k)
        put(m, p + A.X_PUBLISHED + 2 * j + q, phase + 1)
    return row


@jit
def came_to(m, s, j, phase):
    """The row of what those know who have come to a phase."""
    p, q = get(m, s + A.S_PHASES), phase & 1
    row = p + A.X_CAME_ROWS + A.ROW * (2 * j + q)
    if get(m, p + A.X_CAME + 2 * j + q) != phase + 1:
        clear(m, row, A.ROW)
        put(m, p + A.X_CAME + 2 * j + q, phase + 1)
    return row


@jit
def arrives(m, s, warp, lanes, offset, phase, relaxed):
    """Lanes arrive in a phase. Whether that is surely right."""
    j = find(m, s, offset)
    if j < 0:
        return False
    sure, now = are_over(m, s, j, phase - 1) and may_use(m, s, j, warp, lanes, False), get(m, A.H_NOW)
    if not relaxed:
        row = published_in(m, s, j, phase)
        publish(m, s, warp, lanes, row, now)
        raise_to(m, row + A.ROW_DRAINED, row + A.ROW_ALL)
    publish(m, s, warp, lanes, came_to(m, s, j, phase), now)
    return sure


@jit
def completes(m, s, warp, lanes, offset, phase, entry):
    """A copy that lanes have just issued, which has taken one step of time, counts in a phase. Whether that is surely right.

    entry: of the operation, 0 where it has none.
    """
    j = find(m, s, offset)
    if j < 0:
        return False
    sure = are_over(m, s, j, phase - 1) and may_use(m, s, j, warp, lanes, True)
    if entry:
        put(m, entry + A.O_MBARRIER, j + 1)
        put(m, entry + A.O_PHASE, phase + 1)
    publish(m, s, warp, lanes, came_to(m, s, j, phase), get(m, A.H_NOW) - 1)
    return sure


@jit
def passes(m, s, warp, lanes, offset, phase, relaxed):
    """Lanes have found a phase over, or that none is yet (-1). Whether that is surely right."""
    j = find(m, s, offset)
    if j < 0:
        return False
    p, whole, now = get(m, s + A.S_PHASES), is_whole(m, s, warp, lanes), get(m, A.H_NOW)
    sure = are_over(m, s, j, phase) and may_use(m, s, j, warp, lanes, False)
    own = np.int64(0) if whole else apart(m, s, warp, lanes)
    q = phase & 1
    at = p + A.X_PASSED + 2 * j + q
    times = p + A.X_PASSES + 64 * (2 * j + q)
    if get(m, at) < phase + 2:
        clear(m, times, 64)
        put(m, at, phase + 2)
    if get(m, at) == phase + 2:
        put(m, times + 2 * warp, now)
        put(m, times + 2 * warp + 1, lanes)
    if phase < 0 or relaxed:
        return sure
    said = get(m, p + A.X_PUBLISHED + 2 * j + q)
    row = p + A.X_ROWS + A.ROW * (2 * j + q)
    if said == phase + 1:
        for k in range(_PARTS):
            raise_to(m, part(m, s, warp, 32 * k) if whole else own + 32 * k, row + 32 * k)
    known = (part(m, s, warp, A.ROW_PHASES) if whole else own + A.ROW_PHASES) + j
    put(m, known, max(get(m, known), phase + 1))
    return sure and said <= phase + 1


# --- phases that run over ---------------------------------------------------------------------------------------------------------
@jit
def are_over(m, s, j, phase):
    """All phases up to this one are over. Whether all waits that found the ones before over surely came before that."""
    at = get(m, s + A.S_PHASES) + A.X_CHECKED + j
    sure = True
    for n in range(get(m, at), phase + 1):
        sure = has_waited(m, s, j, n) and sure
    put(m, at, max(get(m, at), phase + 1))
    return sure


@jit
def has_waited(m, s, j, phase):
    """Whether those who came to a phase knew of all waits for the one before it: else it may run over while somebody waits."""
    p, q = get(m, s + A.S_PHASES), phase & 1
    if get(m, p + A.X_CAME + 2 * j + q) != phase + 1 or get(m, p + A.X_PASSED + 2 * j + 1 - q) != phase + 1:
        return True
    came, times = p + A.X_CAME_ROWS + A.ROW * (2 * j + q), p + A.X_PASSES + 64 * (2 * j + 1 - q)
    for warp in range(get(m, s + A.S_WARPS)):
        time, lanes = get(m, times + 2 * warp), get(m, times + 2 * warp + 1)
        if time == 0:
            continue
        if is_whole(m, s, warp, lanes):
            known = get(m, came + A.ROW_SOME + warp) >= time
        else:
            same = lanes == get(m, p + A.X_LANES + warp) and time >= get(m, p + A.X_SINCE + warp)
            known = same and get(m, came + A.ROW_APART + warp) >= time
        if not known and not has_joined(m, s, came, warp, time):
            return False
    return True


@jit
def has_joined(m, s, came, warp, time):
    """Whether a product is known to be over that a warp has joined since then: it has gone on."""
    rings = get(m, s + A.S_PHASES) + A.X_JOINED
    for member in range(warp & ~3, (warp & ~3) + 4):
        ring = rings + 2 * A.JOINED * member
        for i in range(ring, ring + 2 * A.JOINED, 2):
            waited = get(m, i)
            if waited and waited <= get(m, came + A.ROW_SOME + member) and get(m, i + 1) >= time:
                return True
    return False


# --- what operations know ---------------------------------------------------------------------------------------------------------
@jit
def look(m, s, warp, lanes):
    """What an operation knows that lanes issue now, for `in_order`."""
    e, each, now = get(m, A.H_EYE), get(m, A.H_EACH), get(m, A.H_NOW)
    row = apart(m, s, warp, lanes)
    put(m, e + A.E_FENCED, 1)
    put(m, e + A.E_BASE, get(m, s + A.S_BASE))
    put(m, e + A.E_EACH, each)
    put(m, e + A.E_CTA, get(m, s + A.S_INDEX))
    put(m, e + A.E_WORDS, 0)
    put(m, e + A.E_SETS, 0)
    times = e + A.E_TIMES
    for b in range(get(m, s + A.S_WARPS)):
        known, fenced = m[row + A.ROW_ALL + b], m[row + A.ROW_FENCED + b]
        drained = max(fenced, m[row + A.ROW_DRAINED + b])
        for i in range(times + 32 * b, times + 32 * b + 32):
            m[i] = known
            m[i + each] = fenced
            m[i + 2 * each] = drained
    own = get(m, s + A.S_OWN_FENCED + warp)
    for lane in range(32):
        if (lanes >> lane) & 1:
            i = times + 32 * warp + lane
            put(m, i, now)
            put(m, i + each, max(get(m, i + each), own))
            put(m, i + 2 * each, max(get(m, i + 2 * each), own))
    more = e + A.E_TIMES + 3 * each
    put(m, e + A.E_SOME, A.E_TIMES + 3 * each)
    put(m, e + A.E_PHASES, A.E_TIMES + 3 * each + 32)
    for i in range(32):
        m[more + i] = m[row + A.ROW_SOME + i]
        m[more + 32 + i] = m[row + A.ROW_PHASES + i]
    put(m, more + warp, now)
