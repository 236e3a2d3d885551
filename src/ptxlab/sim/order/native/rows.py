"""Rows: what warps know of each other (`Row`), and how it is handed on.

Each warp of a CTA has a row of what all its threads know, and one of what the lanes know that were the last to act apart from the
others. Barriers and mbarriers have rows, too: of what those know who have come.
"""

# pyright: basic

from __future__ import annotations

from ptxlab.codegen.language import clear, native, raise_to
from ptxlab.sim.order.native.known import row_in
from ptxlab.sim.order.native.state import Row, Slot, arena, follows


@native
def raise_row(row: Row, by: Row):
    """Add to a row what another one knows."""
    if follows.clusters:
        raise_to(row, by)
        return
    raise_to(row.all, by.all)
    raise_to(row.fenced, by.fenced)
    spread(row, by)


@native
def apart(slot: Slot, warp: int, lanes: int):
    """What some lanes of a warp know: what all its threads do, and what these have learnt since others acted apart."""
    phases = slot.phases
    row = phases.apart[warp]
    if phases.lanes[warp] != lanes:
        phases.lanes[warp] = lanes
        phases.since[warp] = arena.now
        clear(row)
    raise_row(row, slot.rows[warp])
    return row


@native
def row_of(slot: Slot, warp: int, lanes: int):
    """What lanes of a warp know."""
    return slot.rows[warp] if is_whole(slot, warp, lanes) else apart(slot, warp, lanes)


@native
def is_whole(slot: Slot, warp: int, lanes: int):
    """Whether these are all lanes of a warp."""
    return lanes == slot.living[warp]


@native
def publish(slot: Slot, warp: int, lanes: int, row: Row, now: int):
    """Add to a row what lanes know, and what they have done until `now`."""
    raise_row(row, row_of(slot, warp, lanes))
    own = row_in(slot, warp)
    if is_whole(slot, warp, lanes):
        row.all[own] = now
        row.fenced[own] = max(row.fenced[own], slot.own_fenced[warp])
    row.some[own] = now
    row.freed[own] = now
    row.apart[own] = now
    row.freed_apart[own] = now


@native
def spread(row: Row, known: Row):
    """Add to a row what another one knows of copies, and of warps as a barrier of the CTA makes it known."""
    raise_to(row.some, known.some)
    raise_to(row.apart, known.apart)
    raise_to(row.phases, known.phases)
    raise_to(row.drained, known.drained)
    if follows.clusters:
        free(row, known)


@native
def free(row: Row, known: Row):
    """Add to a row what another one knows that may be told whatever the scope."""
    raise_to(row.freed, known.freed)
    raise_to(row.freed_apart, known.freed_apart)
    raise_to(row.freed_phases, known.freed_phases)


@native
def forget_freed(row: Row):
    """A row has nothing as `freed`."""
    clear(row.freed)
    clear(row.freed_apart)
    clear(row.freed_phases)


@native
def spread_far(row: Row, known: Row):
    """Add to a row what one of another CTA knows: fences there are about that one's shared memory."""
    raise_to(row.all, known.all)
    raise_to(row.some, known.some)
    raise_to(row.apart, known.apart)
    raise_to(row.phases, known.phases)
    free(row, known)


@native
def come_to(row: Row, number: int):
    """Up to which time a row knows some thread of a warp to have come, whatever the scope that told so."""
    if follows.clusters:
        return row.freed[number]
    return row.some[number]


@native
def apart_in(row: Row, number: int):
    """The same of the lanes of a warp that were the last to act apart from the others."""
    if follows.clusters:
        return row.freed_apart[number]
    return row.apart[number]


@native
def put_off(row: Row, known: Row):
    """Add to a row as `freed` what another one knows."""
    raise_to(row.freed, known.some)
    raise_to(row.freed_apart, known.apart)
    raise_to(row.freed_phases, known.phases)
    free(row, known)
