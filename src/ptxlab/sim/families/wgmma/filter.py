"""Native filter for wgmma: whether what a product reads is in order, and which warps have waited for it.

A product is a record among the copies (cp_async/filter.py): it is over for whoever knows that any warp of its warpgroup has waited
for it, and the end of each warp is the time of that wait. It knows what its four warps knew at their last wgmma.fence.
"""

# pyright: basic

from __future__ import annotations

from ptxlab.codegen.language import native
from ptxlab.sim.families.bulk.filter import holds, note_box_reads
from ptxlab.sim.families.cp_async.filter import note_left, place_for
from ptxlab.sim.families.mbarrier.filter import joins, open_eye
from ptxlab.sim.order.native.known import agent_of, row_in
from ptxlab.sim.order.native.operations import in_order, is_filled, note_reads
from ptxlab.sim.order.native.state import LOST, NUMBERED, READS, SHARED, Copy, Eye, Longs, Slot, Wait, arena, follows

MEMBERS = 4
"""Warps of a warpgroup."""


@native
def product(
    slot: Slot,
    first: int,
    place: int,
    number: int,
    a_runs: int,
    a_starts: Longs,
    a_sizes: Longs,
    b_runs: int,
    b_starts: Longs,
    b_sizes: Longs,
):
    """A warpgroup is about to multiply. 0: what it reads is in order, and noted; 1: Python has to judge.

    first: its first warp. number: of the product. Of A and of B: the runs of bytes in shared memory.
    """
    site = arena.places[place >> 3].site
    eye = arena.eye
    look_at_guards(slot, arena.own_eye, first)
    arena.eye = arena.own_eye
    a_held, b_held = holds(slot, a_runs, a_starts, a_sizes), holds(slot, b_runs, b_starts, b_sizes)
    if a_held and not holds(slot, a_runs, a_starts, a_sizes):
        a_held = False  # the other operand has needed the cells
    sure = is_ready(slot, a_held, a_runs, a_starts, a_sizes)
    sure = sure and is_ready(slot, b_held, b_runs, b_starts, b_sizes)
    arena.eye = eye
    if not sure:
        return 1
    record = begin_product(slot, first, site - 1, number)
    agent, info = agent_of(record), arena.sites[site].info
    note_operand(slot, a_held, a_runs, a_starts, a_sizes, agent, info)
    if b_held and not holds(slot, b_runs, b_starts, b_sizes):
        b_held = False  # both operands are of one box, which was nearly full
    note_operand(slot, b_held, b_runs, b_starts, b_sizes, agent, info)
    return 0


@native
def is_ready(slot: Slot, held: bool, runs: int, starts: Longs, sizes: Longs):
    """Whether what wrote an operand surely happens before the product. `held`: boxes hold it."""
    if held:
        return is_filled(slot, runs, starts, sizes)
    return in_order(int(slot.cells), 0, 0, runs, starts, sizes, 0, READS | SHARED)


@native
def note_operand(slot: Slot, held: bool, runs: int, starts: Longs, sizes: Longs, agent: int, info: int):
    """Note that a product reads an operand."""
    if held:
        note_box_reads(slot, runs, starts, sizes, agent, info)
    else:
        slot.lists = 1
        note_reads(int(slot.cells), 0, 0, runs, starts, sizes, agent, info)


@native
def look_at_guards(slot: Slot, eye: Eye, first: int):
    """What all four warps knew at their last wgmma.fence, for `in_order`."""
    each = arena.threads
    open_eye(slot, eye)
    eye.some = 0
    eye.phases = 0
    by_proxy, writes, reads = eye.times, eye.times[each], eye.times[2 * each]
    for warp in range(slot.warps):
        known = fenced = LOST
        for member in range(first, first + MEMBERS):
            known = min(known, slot.guards[member].all[row_in(slot, warp)])
            fenced = min(fenced, slot.guards[member].fenced[row_in(slot, warp)])
        for i in range(32 * warp, 32 * warp + 32):
            by_proxy[i].time = known
            writes[i].time = fenced
            reads[i].time = fenced
    if follows.mbarriers and slot.phases:
        eye.phases = eye.times[3 * each]
        for i in range(NUMBERED):
            phases = LOST
            for member in range(first, first + MEMBERS):
                phases = min(phases, slot.guards[member].phases[i])
            eye.phases[i].time = phases


@native
def begin_product(slot: Slot, first: int, site: int, number: int):
    """A record for a product."""
    record, group = place_for(slot, (1 << MEMBERS) - 1, first, site), first // MEMBERS
    record.product = 1
    record.groups[0] = number
    for member in range(MEMBERS):
        record.ends[member] = 0
    if slot.last_product[group]:
        slot.last_product[group].next = record
    else:
        slot.first_product[group] = record
    slot.last_product[group] = record
    return record


@native
def waits(slot: Slot, warp: int, target: int, place: int):
    """A warp has waited for the products of its warpgroup before number `target`."""
    site = Wait(arena.sites[arena.places[place >> 3].site])
    group, bit, now = warp // MEMBERS, 1 << warp % MEMBERS, arena.now
    record, before, helped, latest = slot.first_product[group], Copy(0), site.helped, 0
    if site.groups and not helped:
        note_left(record, site.number, bit)
    while record:
        following = record.next
        if record.open & bit and record.groups[0] < target:
            record.open &= ~bit
            helped = 1
            latest = max(latest, record.time)
            record.ends[warp % MEMBERS] = now
        if record.open:
            before = record
        elif before:
            before.next = following
        else:
            slot.first_product[group] = following
        record = following
    slot.last_product[group] = before
    site.helped = helped
    if follows.mbarriers and latest and slot.phases:
        joins(slot, warp, latest)
