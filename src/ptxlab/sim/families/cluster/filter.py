"""Native filter for clusters: what warps learn at the barrier of the cluster, and whether CTAs may exit.

Where native code follows mbarriers, rows have the warps of all CTAs of the cluster, and a phase of the barrier has a row of what
those know who have arrived with release (`Meeting`). Elsewhere it knows when each warp has arrived, and which phase it has passed.
"""

# pyright: basic

from __future__ import annotations

from ptxlab.codegen.language import clear, native
from ptxlab.sim.order.native.known import entry_of, has_met, row_of_agent
from ptxlab.sim.order.native.rows import is_whole, publish, raise_row, row_of, spread_far
from ptxlab.sim.order.native.state import (
    COPY,
    FENCED,
    MET_IN_CLUSTER,
    OPERATION,
    PHASES,
    PUBLISHED_IN_CLUSTER,
    SHOWN,
    Cell,
    Meeting,
    Slot,
    arena,
    follows,
)


# --- the barrier ----------------------------------------------------------------------------------------------------------
@native
def arrives_in_cluster(slot: Slot, warp: int, lanes: int, phase: int, releases: int):
    """Lanes of a warp are about to arrive at the barrier of the cluster."""
    now = arena.now
    whole = is_whole(slot, warp, lanes)
    slot.arrived[(phase + 1) % PHASES][warp] = now if whole and releases else 0
    if not follows.mbarriers:
        return
    meeting = slot.peers[0].phases.meetings[phase % PHASES]
    if meeting.phase != phase + 1:
        meeting.phase = phase + 1
        meeting.came = 0
        meeting.released = 0
        clear(meeting.row)
    if whole:
        meeting.came += 1
    if releases:
        meeting.released += int(whole)
        publish(slot, warp, lanes, meeting.row, now)
    arena.now = now + 1
    if meeting.came == slot.peer_count * slot.warps:
        meet_in_cluster(slot, meeting, phase)


@native
def meet_in_cluster(slot: Slot, meeting: Meeting, phase: int):
    """All threads of the cluster have arrived: who passes the barrier comes behind the initialisation of mbarriers."""
    released = meeting.released == meeting.came
    for rank in range(slot.peer_count):
        phases = slot.peers[rank].phases
        for j in range(phases.count):
            mbarrier = phases.mbarriers[j]
            state = mbarrier.state
            shown = state & SHOWN != 0 or (released and state & FENCED != 0)
            if not released and not shown:
                continue
            more = MET_IN_CLUSTER | (PUBLISHED_IN_CLUSTER if shown else 0)
            if state & more != more:
                mbarrier.state = state | more
                mbarrier.met = phase + 1


@native
def passes_in_cluster(slot: Slot, warp: int, lanes: int, phase: int, acquires: int):
    """Lanes of a warp have passed the barrier of the cluster."""
    slot.passed[warp] = phase + 1 if acquires and is_whole(slot, warp, lanes) else 0
    if follows.mbarriers and acquires:
        meeting = slot.peers[0].phases.meetings[phase % PHASES]
        if meeting.phase == phase + 1:
            spread_far(row_of(slot, warp, lanes), meeting.row)


# --- the exit -------------------------------------------------------------------------------------------------------------
@native
def may_exit(slot: Slot):
    """Whether some thread of a CTA surely knows, at its exit, of all accesses to its shared memory from outside."""
    if follows.mbarriers:
        phases = slot.phases
        known = phases.known
        clear(known)
        for warp in range(slot.warps):
            raise_row(known, slot.rows[warp])
            if phases.lanes[warp]:
                raise_row(known, phases.apart[warp])
        told = True
        for row in range(slot.peer_count * slot.warps):
            told = told and phases.far[row] <= known.freed[row]
        for j in range(0 if told else phases.count):
            mbarrier = phases.mbarriers[j]
            if mbarrier.awaited and mbarrier.awaited + 1 > max(mbarrier.passed[0], mbarrier.passed[1]):
                return False
        for i in range(phases.box_count):
            if not is_past(slot, phases.boxes[i].writer, phases.boxes[i].write_time, True):
                return False
    past = True
    for g in range(slot.cell_count):
        past = past and all_past(slot, slot.cells[g])
    return past


@native
def all_past(slot: Slot, cell: Cell):
    """The same of a granule: of the last accesses to it."""
    if cell.writer and not is_past(slot, cell.writer, cell.write_time, True):
        return False
    if cell.reader and not is_past(slot, cell.reader, cell.read_time, False):
        return False
    here = cell.more
    while here:
        if not is_past(slot, here.agent, here.time, here.writes == 1):
            return False
        here = here.next
    return True


@native
def is_past(slot: Slot, agent: int, time: int, wrote: bool):
    """Whether an access is one of the CTA itself, or some thread of it surely knows of it."""
    thread = agent - slot.base
    if agent < OPERATION:
        return 0 <= thread < 32 * slot.warps or is_known(slot, agent, time)
    if agent & COPY:
        return True  # its own
    entry = entry_of(agent)
    if not entry:
        return False
    if entry.cta == slot.cta and (wrote or entry.turn):
        return True
    if follows.mbarriers and entry.mbarrier and entry.cluster == slot.cluster:
        return slot.phases.known.freed_phases[entry.mbarrier - 1] >= entry.phase
    return False


@native
def is_known(slot: Slot, agent: int, time: int):
    """Whether some thread of a CTA surely knows what a thread of another one has done."""
    if follows.mbarriers:
        row = row_of_agent(slot, agent)
        return row >= 0 and slot.phases.known.all[row] >= time
    met = False
    for warp in range(slot.warps):
        met = met or has_met(slot, warp, agent, time)
    return met
