"""What warps know of accesses before theirs: of threads, of copies and products that somebody has waited for."""

# pyright: basic

from __future__ import annotations

from ptxlab.codegen.language import native
from ptxlab.sim.order.native.state import (
    COPY,
    LOST,
    MOST_OTHERS,
    OF_CLUSTERS,
    OPERATION,
    OPERATIONS,
    PHASES,
    RELEASED,
    UNREAD,
    UPDATED,
    Copy,
    Operation,
    Slot,
    arena,
    follows,
)


@native
def entry_of(agent: int):
    """The record of an operation; none where a later one has taken its place."""
    entry = arena.operations[(agent - OPERATION) % OPERATIONS]
    return entry if entry.agent == agent else Operation(0)


@native
def copy_at(agent: int):
    """The record of a copy, or of a product."""
    return arena.copies[(agent & (COPY - 1)) >> 5]


@native
def number_of(copy: Copy):
    """The number of a record of copies."""
    return (int(copy) - int(arena.copies)) // Copy.WORDS


@native
def agent_of(copy: Copy):
    """The agent that is the copy of lane 0, or the product."""
    return OPERATION | COPY | number_of(copy) << 5


@native
def row_in(slot: Slot, warp: int):
    """The number of a warp of the CTA in rows."""
    if follows.clusters:
        return slot.first_row + warp
    return warp


@native
def row_of_agent(slot: Slot, agent: int):
    """The number in rows of a thread's warp; -1 for threads that rows do not have."""
    thread = agent - slot.base
    if 0 <= thread < 32 * slot.warps:
        return row_in(slot, thread >> 5)
    if follows.clusters and follows.mbarriers:
        for rank in range(slot.peer_count):
            peer = slot.peers[rank]
            thread = agent - peer.base
            if 0 <= thread < 32 * peer.warps:
                return peer.first_row + (thread >> 5)
    return -1


@native
def is_near(slot: Slot, entry: Operation):
    """Whether rows of the CTA have the mbarrier that tells of the end of an operation."""
    if follows.clusters and follows.mbarriers:
        return entry.cluster == slot.cluster
    return entry.home == slot.cta


@native
def at_mbarrier(slot: Slot, begin: int, end: int):
    """Whether bytes of a CTA's shared memory, all of which it has, are those of an mbarrier, or were."""
    if begin >= slot.mbarriers_end or end <= slot.mbarriers_begin:
        return False
    first, last = begin >> 3, (end - 1) >> 3
    for i in range(first >> 5, (last >> 5) + 1):
        bits = slot.mbarriers[i]
        if i == first >> 5:
            bits &= LOST << (first & 31)
        if i == last >> 5:
            bits &= LOST >> (31 - (last & 31))
        if bits & LOST:
            return True
    return False


@native
def known(slot: Slot, warp: int, agent: int, time: int, wrote: bool):
    """Whether all threads of a warp know what a thread did up to a time, or that an operation has written, or read."""
    if agent >= OPERATION:  # they know what somebody knows who has waited for it
        entry = entry_of(agent)
        if not entry:
            return False
        if entry.mbarrier:
            return is_near(slot, entry) and slot.rows[warp].phases[entry.mbarrier - 1] >= entry.phase
        reads = entry.read_by != 0 and not wrote
        agent, time = (entry.read_by, entry.read) if reads else (entry.over_by, entry.over)
    row = row_of_agent(slot, agent)
    if row >= 0 and slot.rows[warp].all[row] >= time:
        return True
    if row < 0 and knows_other(slot, warp, agent, time):
        return True
    return follows.clusters and has_met(slot, warp, agent, time)


@native
def knows_other(slot: Slot, warp: int, agent: int, time: int):
    """Whether all threads of a warp know what a thread of another CTA did up to a time, as far as Python has told."""
    first = ((agent - 1) & ~31) + 1
    for i in range(MOST_OTHERS):
        other = slot.others[warp][i]
        if other.first == first:
            return other.time >= time
    return False


@native
def has_met(slot: Slot, warp: int, agent: int, time: int):
    """Whether a warp has passed a barrier of the cluster at which a thread has arrived since it did something."""
    phase = slot.passed[warp]
    for rank in range(slot.peer_count if phase else 0):
        peer = slot.peers[rank]
        thread = agent - peer.base
        if 0 <= thread < 32 * peer.warps:
            return peer.arrived[phase % PHASES][thread >> 5] >= time
    return False


@native
def is_reported(before: int, info: int):
    """Whether a race of two instructions has been found so often that nobody looks at more of them."""
    found = False
    for i in range(arena.reported_count):
        found = found or (arena.reported[i].before == before and arena.reported[i].now == info)
    return found


@native
def behind(slot: Slot, warp: int, lanes: int, in_line: bool, agent: int, time: int, before: int, wrote: bool):
    """Whether lanes (a mask; of a line: how they lie) come after an earlier access by `before`: it is theirs, or they know of it.

    A copy of cp.async counts as done by its thread when that waited for it: nobody learns of it otherwise.
    """
    mine = slot.base + 32 * warp
    if agent < OPERATION:
        same = agent == mine and before == lanes and (in_line or lanes & (lanes - 1) == 0)
        return same or known(slot, warp, agent, time, wrote)
    if not agent & COPY:
        return known(slot, warp, agent, time, wrote)
    copy = copy_at(agent)
    if copy.time != time:
        return True  # another one has taken its place since
    if copy.product:
        return product_over(slot, warp, copy)
    first, count = agent & 31, 1
    if in_line:
        first, count = before & 31, 32 >> (before >> 5)
    latest = 0
    for lane in range(first, first + count):
        end = copy.ends[lane]
        if end == 0:
            return False
        latest = max(latest, end)
    owner = copy.warp
    if owner == mine and lanes == (before if in_line else 1 << first):
        return True
    return known(slot, warp, owner, latest, wrote)


@native
def product_over(slot: Slot, warp: int, product: Copy):
    """Whether all threads of a warp know that some warp has waited for a product."""
    for member in range(4):
        end, owner = product.ends[member], product.warp + 32 * member
        if end and (owner == slot.base + 32 * warp or known(slot, warp, owner, end, False)):
            return True
        if follows.mbarriers and end and slot.phases:
            # all lanes have waited, so what some thread of that warp did is enough
            row = row_of_agent(slot, owner)
            if row >= 0 and slot.rows[warp].some[row] >= end:
                return True
    return False


@native
def close_copies(slot: Slot):
    """A CTA has ended: nobody waits for its copies any more."""
    for warp in range(slot.warps):
        copy = slot.first_copy[warp]
        while copy:
            if copy.open == copy.lanes:
                lane = 0
                while not (copy.open >> lane) & 1:
                    lane += 1
                remember_unwaited(copy, lane)
            copy.open = 0
            copy = copy.next
        slot.first_copy[warp] = 0
        slot.last_copy[warp] = 0
    if arena.own_eye:
        close_products(slot)


@native
def close_products(slot: Slot):
    """The same of products."""
    for group in range((slot.warps + 3) >> 2):
        product = slot.first_product[group]
        while product:
            if product.open == product.lanes:
                remember_unwaited(product, 0)
            product.open = 0
            product = product.next
        slot.first_product[group] = 0
        slot.last_product[group] = 0


@native
def remember_unwaited(copy: Copy, lane: int):
    """Nobody has waited for a copy: its instruction keeps the first such one."""
    site = arena.sites[copy.site + 1]
    if site.unwaited == 0:
        site.unwaited = agent_of(copy) | lane


@native
def may_defer(slot: Slot, warp: int, flags: int, everywhere: bool):
    """Whether Python need not hear of a relaxed atomic operation now: who makes it has nothing to publish, nor has anybody else who
    may have written there (`everywhere`: in global memory, or in a cluster), or nobody sees what it finds."""
    if not has_released(slot, everywhere):
        return True
    return flags & UNREAD != 0 and arena.released & UPDATED == 0 and (slot.released >> warp) & 1 == 0


@native
def has_released(slot: Slot, everywhere: bool):
    """Whether anybody who can write to global memory (`everywhere`), or to the CTA's own, has released something."""
    released = arena.released
    return released & RELEASED != 0 and (everywhere or released & OF_CLUSTERS != 0 or slot.released != 0)
