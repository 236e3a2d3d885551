"""Proxy fences and wgmma.fence: what warps of a CTA know of accesses that fences have let through, and what products start from.

As with barriers, this is less than what Python knows: of each warp up to which time all its threads know what all threads of
another warp did, and that fences let it through to the async proxy in the CTA's shared memory. Fences are noted among the
arrivals at barriers. When all threads of the CTA have met, notes that say nothing any more are thrown away.
"""

# pyright: basic

from __future__ import annotations

from ptxlab.codegen.language import clear, copy, native, raise_to
from ptxlab.sim.families.mbarrier.filter import acquires_shared, fences_apart, fences_makers, releases_shared
from ptxlab.sim.order.native.known import row_in
from ptxlab.sim.order.native.rows import is_whole
from ptxlab.sim.order.native.state import FENCE, FENCED, FULL, GUARD, NUMBER, OVER, RELEASED, Slot, arena, follows

FOR_SHARED, FOR_GLOBAL, RELEASES, ACQUIRES = 1, 2, 4, 8
"""For which memory a proxy fence is. Or a fence is none, and releases, or acquires, what is about shared memory, in the cluster."""
_EITHER = 1 << FENCE | 1 << GUARD


# --- what warps know ----------------------------------------------------------------------------------------------------
@native
def begin_fences(slot: Slot):
    """A new CTA: there were no fences."""
    for warp in range(slot.warps):
        clear(slot.rows[warp].fenced)
        clear(slot.guards[warp].all)
        clear(slot.guards[warp].fenced)
    clear(slot.own_fenced)


@native
def fence(slot: Slot, lanes: int, warp: int, kinds: int, place: int):
    """Lanes of a warp execute a fence between the generic and the async proxy. Whether Python is to take the notes.

    kinds: for which memory, FOR_SHARED and FOR_GLOBAL.
    """
    now = arena.now
    if kinds & (RELEASES | ACQUIRES):
        return fence_shared(slot, lanes, warp, kinds, place)
    whole = is_whole(slot, warp, lanes)
    if whole and kinds & FOR_SHARED:
        raise_to(slot.rows[warp].fenced, slot.rows[warp].all)
        slot.own_fenced[warp] = now
    if follows.mbarriers and kinds & FOR_SHARED and slot.phases:
        fences_makers(slot, warp, lanes, FENCED)
        if not whole:
            fences_apart(slot, warp, lanes)
    return note_fence(slot, warp | kinds << NUMBER | 1 << FENCE | int(whole) << OVER, lanes, now, place)


@native
def fence_shared(slot: Slot, lanes: int, warp: int, kinds: int, place: int):
    """Lanes execute a fence of the cluster about shared memory. Whether Python is to take the notes."""
    now = arena.now
    if follows.clusters and follows.mbarriers:
        if kinds & RELEASES:
            releases_shared(slot, warp, lanes)
        else:
            acquires_shared(slot, warp, lanes)
    if kinds & RELEASES:
        arena.released |= RELEASED
        slot.released |= 1 << warp
    arena.now = now + 1
    return add_note(slot, warp | kinds << NUMBER | 1 << FENCE, lanes, now, place)


@native
def guard(slot: Slot, lanes: int, warp: int, kinds: int, place: int):
    """Lanes execute wgmma.fence: products that follow start from what the warp knows now. Whether Python is to take the notes."""
    now = arena.now
    whole = is_whole(slot, warp, lanes)
    row = slot.guards[warp]
    if whole:
        copy(row.all, slot.rows[warp].all)
        copy(row.fenced, slot.rows[warp].fenced)
        own = row_in(slot, warp)
        row.all[own] = now
        row.fenced[own] = max(row.fenced[own], slot.own_fenced[warp])
    else:
        clear(row.all)
        clear(row.fenced)
    if follows.mbarriers and slot.phases:
        if whole:
            copy(row.phases, slot.rows[warp].phases)
            if follows.clusters and arena.restricts:
                raise_to(row.phases, slot.rows[warp].freed_phases)
        else:
            clear(row.phases)
    return note_fence(slot, warp | 1 << GUARD | int(whole) << OVER, lanes, now, place)


# --- notes ----------------------------------------------------------------------------------------------------------------
@native
def remove(slot: Slot, i: int):
    """Take a note away."""
    slot.log_count -= 1
    for k in range(i, slot.log_count):
        copy(slot.log[k], slot.log[k + 1])


@native
def replace(slot: Slot, word: int):
    """Take notes away of which a new one of the same warp says the same, as long as no barrier is in between.

    Of two wgmma.fence the later one counts; of two proxy fences, too, unless a wgmma.fence stands between them.
    """
    is_guard, fenced, i = word & (1 << GUARD), 0, slot.log_count - 1
    while i >= 0 and slot.log[i].what & _EITHER:
        other = slot.log[i].what
        if other & 0xFF == word & 0xFF:
            if other != word and (not is_guard or other & (1 << GUARD) or other == fenced):
                if other == fenced:
                    remove(slot, i)
                return
            if other == word:
                remove(slot, i)
                if not is_guard:
                    return
            else:
                fenced = other
        i -= 1


@native
def note_fence(slot: Slot, word: int, lanes: int, now: int, place: int):
    """Note a fence, in the place of one of this warp before it that says nothing any more, as long as the CTA does not meet."""
    if (word >> OVER) & 1:
        replace(slot, word)
    arena.now = now + 1
    return add_note(slot, word, lanes, now, place)


@native
def add_note(slot: Slot, what: int, lanes: int, time: int, place: int):
    """Add a note. Returns: whether there is no room for another one."""
    note = slot.log[slot.log_count]
    note.what = what
    note.lanes = lanes
    note.time = time
    note.place = place
    slot.log_count += 1
    return slot.log_count == slot.log_most


@native
def condense(slot: Slot):
    """All threads of the CTA have met. Keep only notes that still say something, and what Python needs to understand them.

    Notes from one such meeting to the next belong together. Fences behind a later meeting let all through that earlier ones did,
    and wgmma.fence stands for the ones of its warp before it. What a warp knew at its last one depends on the fences before that.
    """
    both = FOR_SHARED | FOR_GLOBAL
    end, needed, guarded, kept = slot.log_count, both, 0, slot.log_count
    while end > 0:
        begin = end - 1
        while begin > 0 and not (slot.log[begin].what >> FULL) & 1:
            begin -= 1
        shared, everywhere, kinds, latest, later, odd = 0, 0, 0, False, 0, False
        for i in range(begin, end):
            word = slot.log[i].what
            warp, whole = word & 0xFF, (word >> OVER) & 1 == 1
            if (word >> FENCE) & 1:
                odd |= not whole
                kinds |= (word >> NUMBER) & both
                shared |= ((word >> NUMBER) & FOR_SHARED) << warp
                everywhere |= ((word >> NUMBER) // FOR_GLOBAL & 1) << warp
            elif (word >> GUARD) & 1:
                odd |= not whole
                if not (guarded >> warp) & 1:
                    latest = True
                    later |= (1 << warp) & ~(shared & everywhere)
        for i in range(begin, end):
            word = slot.log[i].what
            if (word >> GUARD) & 1:
                guarded |= 1 << (word & 0xFF)
        if latest or odd or kinds & needed:
            needed = both if later or odd else needed & ~kinds
            kept = keep(slot, begin, end, kept)
        end = begin
    count = slot.log_count - kept
    for i in range(count):
        copy(slot.log[i], slot.log[kept + i])
    slot.log_count = count


@native
def keep(slot: Slot, begin: int, end: int, kept: int):
    """Move notes in front of those that are kept, but for arrivals. Where those begin then."""
    i = end - 1
    while i >= begin:
        if slot.log[i].what & (_EITHER | 1 << FULL):
            kept -= 1
            copy(slot.log[kept], slot.log[i])
        i -= 1
    return kept
