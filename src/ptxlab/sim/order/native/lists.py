"""Words of the arena, and the lists of further accesses beside a cell or a line."""

# pyright: basic

from __future__ import annotations

import numpy as np

from ptxlab.sim.engine.compiled.lower import native
from ptxlab.sim.order.native import arena as A

jit = native
WORD = (1 << 32) - 1
CELL = A.CELL_WORDS


@jit
def get(m, i):
    """A word."""
    return np.int64(m[i])


@jit
def put(m, i, value):
    """Set a word."""
    m[i] = np.uint32(value)


@jit
def granule_of(m, lines):
    """Bytes of a granule: of global memory, whose cells come in lines, or of shared memory."""
    return get(m, A.H_GRANULE) if lines else get(m, A.H_SHARED_GRANULE)


@jit
def alike(a, lanes, lane):
    """The lanes whose address is that of one of them."""
    out = 0
    for other in range(32):
        out |= np.int64(a[other] == a[lane]) << other
    return out & lanes


# --- lists beside cells -------------------------------------------------------------------------------------------------
@jit
def drop(m, c):
    """Forget what stands beside a cell, or a line."""
    head = get(m, c + A.R_MORE)
    last = head
    while get(m, last + A.N_NEXT):
        last = get(m, last + A.N_NEXT)
    put(m, last + A.N_NEXT, get(m, A.H_FREE_NODE))
    put(m, A.H_FREE_NODE, head)
    put(m, c + A.R_MORE, 0)


@jit
def node(m):
    """A place for one more access; 0 where there is none."""
    taken = get(m, A.H_FREE_NODE)
    if taken:
        put(m, A.H_FREE_NODE, get(m, taken + A.N_NEXT))
        return taken
    taken = get(m, A.H_NODE)
    if taken + A.NODE_WORDS > get(m, A.H_NODES_END):
        put(m, A.H_FORGOTTEN, get(m, A.H_FORGOTTEN) + 1)
        return 0
    put(m, A.H_NODE, taken + A.NODE_WORDS)
    return taken


@jit
def beside(m, c, agent, lanes, time, info, writes):
    """Remember one more access beside a cell: in the place of those by the same lanes at the same place in the program."""
    count, before, here = 0, 0, get(m, c + A.R_MORE)
    while here:
        if get(m, here + A.N_AGENT) == agent and get(m, here + A.N_INFO) == info:
            old, then = get(m, here + A.N_LANES), get(m, here + A.N_TIME)
            if then == time or old == lanes:
                put(m, here + A.N_LANES, old | lanes)
                put(m, here + A.N_TIME, max(then, time))
                return
        count += 1
        following = get(m, here + A.N_NEXT)
        if following == 0 and count >= A.MOST_BESIDE:  # the oldest one makes room
            put(m, before + A.N_NEXT, 0)
            put(m, here + A.N_NEXT, get(m, A.H_FREE_NODE))
            put(m, A.H_FREE_NODE, here)
            put(m, A.H_FORGOTTEN, get(m, A.H_FORGOTTEN) + 1)
            here = before
        before, here = here, following
    new = node(m)
    if new:
        put(m, new + A.N_AGENT, agent)
        put(m, new + A.N_LANES, lanes)
        put(m, new + A.N_TIME, time)
        put(m, new + A.N_INFO, info)
        put(m, new + A.N_WRITES, writes)
        put(m, new + A.N_NEXT, get(m, c + A.R_MORE))
        put(m, c + A.R_MORE, new)
