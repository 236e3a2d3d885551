"""Native filter for mbarriers: what warps learn there of each other, and of copies that are over, without Python.

As with barriers, this is less than what Python knows. It is kept in rows (`Row`): of each warp what all its threads know, and what
the lanes know that were the last to act apart from the others, such as the lane that issues copies. A phase publishes a row: what
those know who have arrived in it or in earlier phases. Copies that are over count as a phase of their own.

Each of these events is noted, too, so Python can process them later, in order, when it has to judge something; until then notes of
a CTA that has ended are thrown away. What is not surely in order goes to Python.
"""

# pyright: basic

from __future__ import annotations

from ptxlab.codegen.language import clear, copy, native, raise_to
from ptxlab.sim.order.native.known import row_in
from ptxlab.sim.order.native.rows import (
    apart,
    apart_in,
    come_to,
    forget_freed,
    free,
    is_whole,
    publish,
    put_off,
    raise_row,
    row_of,
    spread,
    spread_far,
)
from ptxlab.sim.order.native.state import (
    FENCED,
    HOME,
    IN_ORDER,
    JOINED,
    LOST,
    MET_IN_CLUSTER,
    MOST_MBARRIERS,
    NUMBERED,
    OF_CLUSTER,
    PHASES,
    PUBLISHED,
    PUBLISHED_IN_CLUSTER,
    RELAXED,
    ROWS,
    UNTOLD,
    Eye,
    Mbarrier,
    Operation,
    Published,
    Row,
    Slot,
    arena,
    follows,
)


# --- barriers of the CTA ----------------------------------------------------------------------------------------------------
@native
def begin_phases(slot: Slot):
    """A new CTA starts: forget everything."""
    phases = slot.phases
    phases.count = 0
    phases.numbered = 0
    phases.box_count = 0
    clear(phases.far)
    clear(phases.released_lanes)
    clear(phases.pending_lanes)
    for k in range(PHASES):
        phases.meetings[k].phase = 0
    clear(phases.met)
    clear(phases.coming)
    clear(phases.lanes)
    clear(phases.since)
    for warp in range(slot.warps):
        clear(slot.guards[warp].phases)
        clear(phases.joined[warp])
        clear(slot.rows[warp])


@native
def arrives_at_barrier(slot: Slot, warp: int, number: int, waits: int, first: int, over: int):
    """A warp has arrived at a barrier. Returns whether its use of that number is surely ordered.

    A warp that did not take part in the previous use may be new: it has to know that one who waited there has gone on since.
    """
    phases, row = slot.phases, slot.joins[number]
    if first:
        clear(row.some)
        clear(row.apart)
        clear(row.phases)
        clear(row.drained)
        if follows.clusters:
            forget_freed(row)
        phases.coming[number] = 0
    spread(row, slot.rows[warp])
    own = row_in(slot, warp)
    row.some[own] = arena.now - 1
    row.freed[own] = arena.now - 1
    row.apart[own] = arena.now - 1
    row.freed_apart[own] = arena.now - 1
    met, coming = phases.met[number], phases.coming[number] | 1 << warp
    phases.coming[number] = 0 if over else coming
    sure = met == 0 or (met >> warp) & 1 == 1
    for other in range(0 if sure else slot.warps):
        come = slot.rows[warp].some[row_in(slot, other)]
        sure = sure or ((phases.waited[number] >> other) & 1 == 1 and come > phases.met_at[number])
    if over:
        phases.met[number] = coming
        phases.met_at[number] = arena.now
        phases.waited[number] = slot.waiting[number] | waits << warp
    return sure


@native
def meets(slot: Slot, number: int, waiting: int, everybody: bool):
    """A barrier has completed for these warps. `everybody`: all threads of the CTA have arrived."""
    phases = slot.phases
    for warp in range(slot.warps):
        if (waiting >> warp) & 1:
            spread(slot.rows[warp], slot.joins[number])
    if everybody:
        for j in range(phases.count):
            mbarrier = phases.mbarriers[j]
            mbarrier.state = mbarrier.state | IN_ORDER | (PUBLISHED if mbarrier.state & FENCED else 0)


@native
def fences_makers(slot: Slot, warp: int, lanes: int, how: int):
    """Lanes execute a proxy fence (`how`: FENCED), or fence.mbarrier_init (and SHOWN): the mbarriers that they have initialised are
    fenced."""
    phases, first = slot.phases, slot.base + 32 * warp
    for j in range(phases.count):
        lane = phases.mbarriers[j].maker - first
        if 0 <= lane < 32 and (lanes >> lane) & 1:
            phases.mbarriers[j].state |= how


@native
def fences_apart(slot: Slot, warp: int, lanes: int):
    """Some lanes of a warp execute a proxy fence for shared memory: it covers what they know of others."""
    row = apart(slot, warp, lanes)
    raise_to(row.fenced, row.all)


@native
def joins(slot: Slot, warp: int, latest: int):
    """A warp has waited for products, the latest of which was issued at time `latest`."""
    joined = slot.phases.joined[warp]
    for i in range(JOINED - 1, 0, -1):
        copy(joined[i], joined[i - 1])
    joined[0].time = arena.now
    joined[0].latest = latest


# --- mbarriers ----------------------------------------------------------------------------------------------------------------
@native
def make_mbarrier(slot: Slot, offset: int, maker: int):
    """A thread has initialised an mbarrier."""
    end_mbarrier(slot, offset)
    phases = slot.phases
    j = phases.count
    number = j
    if follows.clusters:
        first = slot.peers[0].phases
        number = first.numbered
        first.numbered = number + 1
    if j == MOST_MBARRIERS or number >= NUMBERED:
        return
    phases.count = j + 1
    phases.offsets[j] = offset
    mbarrier = phases.mbarriers[j]
    mbarrier.maker = maker
    mbarrier.number = number
    mbarrier.state = 0
    mbarrier.checked = 0
    clear(mbarrier.near.phase)
    clear(mbarrier.far.phase)
    mbarrier.awaited = 0
    clear(mbarrier.arrived)
    clear(mbarrier.passed)


@native
def end_mbarrier(slot: Slot, offset: int):
    """The mbarrier at a place is gone."""
    j = find(slot, offset)
    if j >= 0:
        slot.phases.offsets[j] = LOST


@native
def find(slot: Slot, offset: int):
    """The number of the mbarrier at a place; -1 for one that is not followed."""
    phases = slot.phases
    for j in range(phases.count):
        if phases.offsets[j] == offset:
            return j
    return -1


@native
def may_use(slot: Slot, home: Slot, mbarrier: Mbarrier, warp: int, lanes: int, by_copy: bool):
    """Whether the initialisation of an mbarrier surely happens before its use by lanes; `by_copy`: by a copy that they issue.

    home: the CTA whose mbarrier it is.
    """
    if int(home) == int(slot) and mbarrier.state & (PUBLISHED if by_copy else IN_ORDER):
        return True
    if follows.clusters and mbarrier.state & (PUBLISHED_IN_CLUSTER if by_copy else MET_IN_CLUSTER):
        return slot.passed[warp] >= mbarrier.met
    lane = mbarrier.maker - slot.base - 32 * warp
    return 0 <= lane < 32 and lanes == 1 << lane and (not by_copy or mbarrier.state & FENCED != 0)


@native
def published_in(published: Published, phase: int):
    """The row of what a phase publishes, to which the phases before it belong."""
    q = phase & 1
    row = published.rows[q]
    if published.phase[q] != phase + 1:
        if published.phase[q] == 0:
            clear(row)
        if phase and published.phase[1 - q] == phase:
            raise_to(row, published.rows[1 - q])
        published.phase[q] = phase + 1
    return row


@native
def arrived_in(mbarrier: Mbarrier, phase: int):
    """The row of what those know who have arrived in a phase."""
    q = phase & 1
    if mbarrier.arrived[q] != phase + 1:
        clear(mbarrier.arrived_rows[q])
        mbarrier.arrived[q] = phase + 1
    return mbarrier.arrived_rows[q]


@native
def arrives(slot: Slot, warp: int, lanes: int, place: int, phase: int, how: int):
    """Lanes arrive in a phase. Returns whether that is surely in order. place: of the mbarrier, and its CTA (HOME). how: RELAXED,
    OF_CLUSTER."""
    home = slot
    if follows.clusters and place >> HOME:
        home = slot.peers[(place >> HOME) - 1]
    j = find(home, place & ((1 << HOME) - 1))
    if j < 0:
        return False
    mbarrier, now = home.phases.mbarriers[j], arena.now
    sure = are_over(home, mbarrier, phase - 1) and may_use(slot, home, mbarrier, warp, lanes, False)
    if follows.clusters and int(home) != int(slot):
        sure = sure and slot.passed[warp] != 0
        home.phases.far[row_in(slot, warp)] = now
        mbarrier.awaited = max(mbarrier.awaited, phase + 1)
        if how & RELAXED:
            hand_on(slot, warp, lanes, published_in(mbarrier.far, phase), how)
        else:
            publish_far(slot, warp, lanes, published_in(mbarrier.far, phase), now, how)
    elif how & RELAXED:
        hand_on(slot, warp, lanes, published_in(mbarrier.near, phase), how)
    else:
        row = published_in(mbarrier.near, phase)
        publish(slot, warp, lanes, row, now)
        raise_to(row.drained, row.all)
    publish(slot, warp, lanes, arrived_in(mbarrier, phase), now)
    return sure


@native
def publish_far(slot: Slot, warp: int, lanes: int, row: Row, now: int, how: int):
    """Add to a row of another CTA's mbarrier what lanes know."""
    known, own = row_of(slot, warp, lanes), row_in(slot, warp)
    if how & UNTOLD:
        return
    if how & OF_CLUSTER:
        spread_far(row, known)
        if is_whole(slot, warp, lanes):
            row.all[own] = now
        row.some[own] = now
        row.apart[own] = now
    else:
        put_off(row, known)
    row.freed[own] = now
    row.freed_apart[own] = now


# --- fences about shared memory ---------------------------------------------------------------------------------------------
@native
def releases_shared(slot: Slot, warp: int, lanes: int):
    """Lanes execute a release fence about the shared memory of their CTA: relaxed arrivals hand on what that says of its own warps,
    and of its mbarriers."""
    phases, known = slot.phases, row_of(slot, warp, lanes)
    row = phases.released[warp]
    if phases.released_lanes[warp] != lanes:
        phases.released_lanes[warp] = lanes
        forget_freed(row)
    for other in range(slot.warps):
        own = row_in(slot, other)
        row.freed[own] = max(row.freed[own], known.some[own], known.freed[own])
        row.freed_apart[own] = max(row.freed_apart[own], known.apart[own], known.freed_apart[own])
    row.freed[row_in(slot, warp)] = arena.now
    row.freed_apart[row_in(slot, warp)] = arena.now
    for j in range(phases.count):
        number = phases.mbarriers[j].number
        row.freed_phases[number] = max(row.freed_phases[number], known.phases[number], known.freed_phases[number])


@native
def hand_on(slot: Slot, warp: int, lanes: int, row: Row, how: int):
    """Lanes arrive relaxed: what their release fence has published is handed on."""
    if how & OF_CLUSTER and slot.phases.released_lanes[warp] & lanes == lanes:
        free(row, slot.phases.released[warp])


@native
def waits_relaxed(slot: Slot, warp: int, lanes: int, mbarrier: Mbarrier, phase: int):
    """Lanes have found a phase over by a relaxed wait: an acquire fence takes what it hands on."""
    phases, q = slot.phases, phase & 1
    row = phases.pending[warp]
    if phases.pending_lanes[warp] != lanes:
        phases.pending_lanes[warp] = lanes
        forget_freed(row)
    if mbarrier.near.phase[q] == phase + 1:
        put_off(row, mbarrier.near.rows[q])
    if mbarrier.far.phase[q] == phase + 1:
        put_off(row, mbarrier.far.rows[q])
    row.freed_phases[mbarrier.number] = max(row.freed_phases[mbarrier.number], phase + 1)


@native
def acquires_shared(slot: Slot, warp: int, lanes: int):
    """Lanes execute an acquire fence about the shared memory of the cluster."""
    if slot.phases.pending_lanes[warp] & lanes == lanes:
        free(row_of(slot, warp, lanes), slot.phases.pending[warp])


# --- what phases publish ----------------------------------------------------------------------------------------------------
@native
def completes(slot: Slot, home: Slot, warp: int, lanes: int, offset: int, phase: int, entry: Operation):
    """A copy that lanes issued one step of time ago counts in a phase. Returns whether that is surely in order.

    home: the CTA whose mbarrier it is. entry: of the operation, where it has one.
    """
    j = find(home, offset)
    if j < 0:
        return False
    mbarrier = home.phases.mbarriers[j]
    sure = are_over(home, mbarrier, phase - 1) and may_use(slot, home, mbarrier, warp, lanes, True)
    if entry:
        entry.mbarrier = mbarrier.number + 1
        entry.phase = phase + 1
        entry.home = home.cta
    publish(slot, warp, lanes, arrived_in(mbarrier, phase), arena.now - 1)
    return sure


@native
def passes(slot: Slot, warp: int, lanes: int, offset: int, phase: int, how: int):
    """Lanes have found a phase over, or that none is yet (-1). Returns whether that is surely in order. how: as of `arrives`."""
    j = find(slot, offset)
    if j < 0:
        return False
    mbarrier = slot.phases.mbarriers[j]
    sure = are_over(slot, mbarrier, phase) and may_use(slot, slot, mbarrier, warp, lanes, False)
    mine = row_of(slot, warp, lanes)
    q = phase & 1
    if mbarrier.passed[q] < phase + 2:
        clear(mbarrier.passes[q])
        mbarrier.passed[q] = phase + 2
    if mbarrier.passed[q] == phase + 2:
        mbarrier.passes[q][warp].time = arena.now
        mbarrier.passes[q][warp].lanes = lanes
    if phase < 0:
        return sure
    if how & RELAXED:
        if follows.clusters and how & OF_CLUSTER:
            waits_relaxed(slot, warp, lanes, mbarrier, phase)
        return sure
    said, far = mbarrier.near.phase[q], mbarrier.far.phase[q]
    if said == phase + 1:
        raise_row(mine, mbarrier.near.rows[q])
    if follows.clusters:
        sure = sure and far <= phase + 1
        if far == phase + 1 and how & OF_CLUSTER:
            spread_far(mine, mbarrier.far.rows[q])
        elif far == phase + 1 and not how & UNTOLD:
            free(mine, mbarrier.far.rows[q])
        mine.freed_phases[mbarrier.number] = max(mine.freed_phases[mbarrier.number], phase + 1)
    mine.phases[mbarrier.number] = max(mine.phases[mbarrier.number], phase + 1)
    return sure and said <= phase + 1


# --- phases that run over ---------------------------------------------------------------------------------------------------------
@native
def are_over(slot: Slot, mbarrier: Mbarrier, phase: int):
    """All phases up to this one are over. Returns whether all waits for earlier phases surely happened before that."""
    sure = True
    for n in range(mbarrier.checked, phase + 1):
        sure = has_waited(slot, mbarrier, n) and sure
    mbarrier.checked = max(mbarrier.checked, phase + 1)
    return sure


@native
def has_waited(slot: Slot, mbarrier: Mbarrier, phase: int):
    """Whether those who arrived in a phase knew of all waits for the one before it: else it may end while somebody still waits."""
    phases, q = slot.phases, phase & 1
    if mbarrier.arrived[q] != phase + 1 or mbarrier.passed[1 - q] != phase + 1:
        return True
    came = mbarrier.arrived_rows[q]
    for warp in range(slot.warps):
        time, lanes = mbarrier.passes[1 - q][warp].time, mbarrier.passes[1 - q][warp].lanes
        if time == 0:
            continue
        if is_whole(slot, warp, lanes):
            known = come_to(came, row_in(slot, warp)) >= time
        else:
            same = lanes == phases.lanes[warp] and time >= phases.since[warp]
            known = same and apart_in(came, row_in(slot, warp)) >= time
        if not known and not has_joined(slot, came, warp, time):
            return False
    return True


@native
def has_joined(slot: Slot, came: Row, warp: int, time: int):
    """Whether a product is known to be complete that a warp has joined since then, so that it must have gone on."""
    for member in range(warp & ~3, (warp & ~3) + 4):
        for i in range(JOINED):
            joined = slot.phases.joined[member][i]
            if joined.time and joined.time <= come_to(came, row_in(slot, member)) and joined.latest >= time:
                return True
    return False


@native
def open_eye(slot: Slot, eye: Eye):
    """Begin what an operation of a CTA knows."""
    eye.fenced = 1
    eye.base = slot.base
    eye.threads = arena.threads
    eye.cta = slot.cta
    eye.cluster = slot.cluster
    eye.slot = slot
    eye.set_words = 0


# --- what operations know ---------------------------------------------------------------------------------------------------------
@native
def look(slot: Slot, warp: int, lanes: int):
    """Set up `arena.eye` for `in_order`: what an operation knows that lanes issue now."""
    eye, each, now = arena.eye, arena.threads, arena.now
    row = apart(slot, warp, lanes)
    open_eye(slot, eye)
    eye.over = 0
    by_proxy, writes, reads = eye.times, eye.times[each], eye.times[2 * each]
    for other in range(slot.warps):
        other_row = row_in(slot, other)
        known, fenced = row.all[other_row], row.fenced[other_row]
        drained = max(fenced, row.drained[other_row])
        for i in range(32 * other, 32 * other + 32):
            by_proxy[i].time = known
            writes[i].time = fenced
            reads[i].time = drained
    own = slot.own_fenced[warp]
    for lane in range(32):
        if (lanes >> lane) & 1:
            i = 32 * warp + lane
            by_proxy[i].time = now
            writes[i].time = max(writes[i].time, own)
            reads[i].time = max(reads[i].time, own)
    eye.some = eye.times[3 * each]
    eye.phases = eye.times[3 * each + ROWS]
    eye.freed_phases = eye.times[3 * each + ROWS + NUMBERED]
    for i in range(ROWS):
        eye.some[i].time = come_to(row, i)
    for i in range(NUMBERED):
        eye.phases[i].time = row.phases[i]
        eye.freed_phases[i].time = row.freed_phases[i]
    eye.some[row_in(slot, warp)].time = now
