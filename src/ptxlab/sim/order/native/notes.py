"""Notes of what orders a CTA's warps, in the order in which it happens, for Python to take when it has to judge: arrivals at
barriers, fences (fences.py), waits, and what concerns mbarriers (mbarrier/filter.py).
"""

# pyright: basic

from __future__ import annotations

from ptxlab.codegen.language import clear, native, raise_to, signed
from ptxlab.sim.engine.compiled.frame import (
    MEET_FULL,
    MEET_IN_PART,
    NOTE_ARRIVAL,
    NOTE_EXPECTED,
    NOTE_INITS,
    NOTE_PHASE,
)
from ptxlab.sim.families.mbarrier.filter import arrives, arrives_at_barrier, meets, passes
from ptxlab.sim.order.native.fences import add_note, condense
from ptxlab.sim.order.native.known import row_in
from ptxlab.sim.order.native.rows import is_whole, raise_row
from ptxlab.sim.order.native.shared import next_epoch
from ptxlab.sim.order.native.state import (
    FENCE,
    FULL,
    GUARD,
    KIND,
    LOST,
    MEET,
    MET,
    NO_BARRIER,
    NUMBER,
    OVER,
    WAITS,
    Longs,
    Slot,
    arena,
    follows,
)


@native
def arrive(slot: Slot, warp: int, alive: int, number: int, waits: int, first: int, over: int, pc: int):
    """A warp has come to a barrier of the CTA, first of all or so that it is over: see `ptxlab_arrive_told`.

    Returns: whether Python has to take the notes now.
    """
    now = arena.now
    arena.now = now + 1
    join, mine, own = slot.joins[number], slot.rows[warp], row_in(slot, warp)
    fences, phases = arena.own_eye != 0, follows.mbarriers and slot.phases != 0
    if first:
        clear(join.all)
        if fences:
            clear(join.fenced)
        slot.waiting[number] = 0
    whole = is_whole(slot, warp, alive)
    raise_to(join.all, mine.all)
    if whole:
        join.all[own] = now
    if fences:
        raise_to(join.fenced, mine.fenced)
        if whole:
            join.fenced[own] = max(join.fenced[own], slot.own_fenced[warp])
    sure = True
    if phases:
        sure = arrives_at_barrier(slot, warp, number, waits, first, over)
    partial = slot.partial
    if first:
        partial &= ~(1 << number)
    if not whole:
        partial |= 1 << number
    slot.partial = partial
    slot.waiting[number] = slot.waiting[number] | waits << warp
    waiting = slot.waiting[number]
    slot.open = (slot.open | 1 << number) & ~(over << number)
    if over:
        for other in range(slot.warps):
            if (waiting >> other) & 1:
                raise_to(slot.rows[other].all, join.all)
                if fences:
                    raise_to(slot.rows[other].fenced, join.fenced)
    everybody = over and slot.open == 0 and waiting == (1 << slot.warps) - 1 and (partial >> number) & 1 == 0
    if phases and over:
        meets(slot, number, waiting, everybody)
    if everybody:  # whoever came first has done nothing since: what they all did is known up to now
        for one in range(slot.warps):
            for other in range(slot.warps):
                slot.rows[one].all[row_in(slot, other)] = now
        if follows.shared and slot.own:
            next_epoch(slot)
    full = everybody and not phases and only_this(slot, number)
    if full:
        if fences:
            condense(slot)
        else:
            slot.log_count = 0  # all know what all know: what they heard of each other before says no more
    what = warp | number << NUMBER | waits << WAITS | over << OVER | int(full) << FULL | int(everybody) << MET
    is_full = add_note(slot, what, alive, now, pc)
    if phases:
        return is_full or not sure
    # Python looks at who meets at a barrier's number when they have met
    return is_full or (over and not full)


@native
def note(slot: Slot, kind: int, warp: int, lanes: int, pc: int, first: int, second: int):
    """Note what lanes of a warp have waited for, in order with the arrivals at barriers. 1: Python has to take the notes now.

    kind, first, second: see `NOTE_PRODUCTS` and so on.
    """
    now, sure = arena.now, True
    if follows.mbarriers and slot.phases and kind in (NOTE_PHASE, NOTE_ARRIVAL):
        site = arena.sites[arena.places[pc >> 3].site]
        how, phase = site.flags, signed(second)
        if kind == NOTE_PHASE:
            sure = passes(slot, warp, lanes, first, phase, how)
        else:
            sure = arrives(slot, warp, lanes, first, phase, how)
    if kind in (NOTE_ARRIVAL, NOTE_EXPECTED, NOTE_INITS):
        arena.now = now + 1  # what the lanes do from now on comes later
    return write_down(slot, kind, warp, lanes, pc, first, second, now) | (not sure)


@native
def lanes_meet(slot: Slot, masks: Longs, lanes: int, warp: int, released: int, pc: int):
    """Lanes of a warp come to a bar.warp.sync with these member masks. 0: there is nothing more to do.

    All lanes of a warp know behind it what any of them knew. released: lanes that it has let go, which come by once more.
    """
    if lanes & released == lanes:
        return 0
    everybody = LOST
    for lane in range(32):
        if (lanes >> lane) & 1:
            everybody &= int(masks[lane])
    if lanes & released or not is_whole(slot, warp, lanes) or lanes & ~everybody:
        return MEET_IN_PART
    now = arena.now
    row = slot.rows[warp]
    if follows.mbarriers and slot.phases:
        if slot.phases.lanes[warp]:
            raise_row(row, slot.phases.apart[warp])
        row.some[row_in(slot, warp)] = now
        row.freed[row_in(slot, warp)] = now
    row.all[row_in(slot, warp)] = now
    arena.now = now + 1
    return MEET_FULL if add_note(slot, warp | NO_BARRIER << NUMBER | 1 << MEET, lanes, now, pc) else 0


@native
def write_down(slot: Slot, kind: int, warp: int, lanes: int, pc: int, first: int, second: int, now: int):
    """A note of its own kind. Returns: whether there is no room for another one."""
    note = slot.log[slot.log_count]
    note.first = first
    note.second = second
    if follows.clusters and follows.mbarriers:
        arena.now = max(arena.now, now + 1)  # notes of several CTAs are taken in order
    return add_note(slot, warp | NO_BARRIER << NUMBER | kind << KIND, lanes, now, pc)


@native
def only_this(slot: Slot, number: int):
    """Whether behind meetings of all threads nothing is noted but arrivals at this barrier since it was over last."""
    for i in range(slot.log_count):
        word = slot.log[i].what
        other = (word >> NUMBER) & 0xFF != number or (word >> OVER) & 1
        if other and not word & (1 << FULL | 1 << FENCE | 1 << GUARD | 1 << MEET):
            return False
    return True
