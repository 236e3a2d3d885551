"""An asynchronous operation looks at what it accesses, and notes it, where it surely comes behind all that.

What the operation knows is an `Eye`: Python says it, or `look` of mbarrier/filter.py. Each operation is entered in a table, which
is a ring: of one that has been overwritten nothing is known here, and Python looks at its accesses. Regions are as in
bulk/filter.py.
"""

# pyright: basic

from __future__ import annotations

from ptxlab.codegen.language import native
from ptxlab.sim.engine.compiled.frame import NOTE_COMPLETE, NOTE_ISSUE
from ptxlab.sim.families.bulk.filter import (
    box_of,
    cell_at,
    fill,
    has_boxes,
    highest,
    lowest,
    new_box,
    overlaps,
    slot_of,
    unpack,
)
from ptxlab.sim.families.mbarrier.filter import completes, look
from ptxlab.sim.order.native.accesses import TEXTURE_PROXY, buffer_of
from ptxlab.sim.order.native.known import at_mbarrier, copy_at, entry_of, row_of_agent
from ptxlab.sim.order.native.lists import granule_of, remember, set_reader, set_writer
from ptxlab.sim.order.native.notes import write_down
from ptxlab.sim.order.native.state import (
    COPY,
    LINE,
    ONLY_GLOBAL,
    OPERATION,
    PROXY,
    READS,
    SHARED,
    SITE_BITS,
    WRITES,
    Bits,
    Box,
    Buffer,
    Cell,
    Copy,
    Eye,
    Line,
    Longs,
    Operation,
    Slot,
    arena,
    follows,
)

WHOLE = 5 << 5
"""How the lanes of a line lie where one operation accesses all of it: granule g belongs to part g >> 5."""
BY_PROXY, GENERIC_WRITES, GENERIC_READS = range(3)
"""The clocks of an eye: for accesses by its own proxy, and for writes and reads by the generic one."""


@native
def time_of(eye: Eye, agent: int, clock: int):
    """Up to which time an eye knows a thread, by one of its clocks; -1 for threads of other CTAs."""
    thread = agent - eye.base
    if thread < 0 or thread >= eye.threads:
        return -1
    return eye.times[clock * eye.threads + thread].time


@native
def has_bit(members: Bits, number: int):
    """Whether a set has a member."""
    return (members[number >> 5].word >> (number & 31)) & 1 == 1


@native
def copies_before(eye: Eye, agent: int, lanes: int, time: int, clock: int):
    """Whether an eye surely knows, by one of its clocks, that copies by cp.async are over.

    lanes: bits, the first of them that of `agent`.
    """
    copy = copy_at(agent)
    if copy.time != time:
        return True  # another one has taken its place since
    sure, first = True, agent & 31
    for lane in range(first, 32):
        if (lanes << first >> lane) & 1:
            sure &= copy.ends[lane] != 0 and time_of(eye, copy.warp + lane, clock) >= copy.ends[lane]
    return sure


@native
def product_before(eye: Eye, product: Copy, time: int):
    """Whether an eye surely knows that a product is over: any of its warps has waited for it."""
    over = False
    if product.time != time:
        return True  # another one has taken its place since
    for member in range(4):
        end, first = product.ends[member], product.warp + 32 * member
        over |= end != 0 and time_of(eye, first, BY_PROXY) >= end
        if end and eye.some:  # all its lanes have waited, so what some thread of the warp did is enough
            row = row_of_agent(eye.slot, first)
            over |= row >= 0 and eye.some[row].time >= end
    return over


@native
def ended_before(eye: Eye, entry: Operation, wrote: bool):
    """Whether an eye that knows phases of mbarriers surely knows the end of an operation of its CTA, or that it has read."""
    if entry.mbarrier:
        return eye.phases[entry.mbarrier - 1].time >= entry.phase
    reads = entry.read_by != 0 and not wrote
    agent, time = (entry.read_by, entry.read) if reads else (entry.over_by, entry.over)
    return agent != 0 and time_of(eye, agent, BY_PROXY) >= time


@native
def comes_before(eye: Eye, agent: int, lanes: int, time: int, info: int, wrote: bool):
    """Whether an eye surely knows of an earlier access."""
    proxy = (info >> PROXY) & 3
    fenced = eye.fenced != 0
    if proxy == TEXTURE_PROXY:
        return False  # nothing orders a write behind a .nc load
    if agent >= OPERATION and agent & COPY:
        if copy_at(agent).product:
            return product_before(eye, copy_at(agent), time)
        clock = BY_PROXY if not fenced else GENERIC_WRITES if wrote else GENERIC_READS
        return copies_before(eye, agent, lanes, time, clock)
    if agent >= OPERATION:
        if arena.alike_first <= agent <= arena.alike_last:
            return True  # the same copy, by another lane
        entry = entry_of(agent)
        near = entry != 0 and (entry.cta == eye.cta or (follows.clusters and entry.cluster == eye.cluster))
        if near and eye.phases and (proxy or not fenced):
            return ended_before(eye, entry, wrote)
        if not entry or (fenced and proxy == 0) or entry.cluster != eye.cluster:
            return False
        if fenced and wrote and entry.cta != eye.cta:
            return False
        number = entry.bit
        if number >= 32 * eye.set_words:
            return False
        return has_bit(eye.over, number) or (not wrote and has_bit(eye.over[eye.set_words], number))
    clock = BY_PROXY if not fenced or proxy else GENERIC_WRITES if wrote else GENERIC_READS
    if clock and eye.fenced == ONLY_GLOBAL:
        return False
    if lanes == 1:
        return time_of(eye, agent, clock) >= time
    sure = True
    for lane in range(32):
        sure &= (lanes >> lane) & 1 == 0 or time_of(eye, agent + lane, clock) >= time
    return sure


@native
def by_lanes(agent: int):
    """Whether each lane has granules of its own in a line."""
    return agent < OPERATION or agent & COPY != 0


@native
def lanes_in(how: int, in_line: bool):
    """The lanes that have accessed a cell, or any granule of a line: that says how they lie."""
    if not in_line:
        return how
    side = 32 >> (how >> 5)
    return ((1 << side) - 1) << (how & 31) if side else 1


@native
def place(first: int, in_lines: int, g: int, end: int):
    """A granule's cell, or its line; none where it is not followed. And how many granules that tells of."""
    if in_lines and g & 31 == 0 and g + LINE <= end:
        line = Line(first)[g >> 5]
        if line.cells == 0:
            return Cell(line), LINE
    return cell_at(first, in_lines, g), 1


@native
def in_order(first: int, in_lines: int, origin: int, runs: int, starts: Longs, sizes: Longs, agent: int, flags: int):
    """Whether an operation surely comes behind all that its cells have seen. What the cell before has seen is not asked again."""
    granule, eye, writes = granule_of(in_lines), arena.eye, flags & WRITES
    w_agent, w_time, w_info, w_lanes = agent, 0, 0, 0
    r_agent, r_time, r_info, r_lanes = agent, 0, 0, 0
    n_agent, n_time, n_info, n_lanes, n_writes = agent, 0, 0, 0, 0
    for run in range(runs):
        g = (starts[run] - origin) // granule
        end = (starts[run] - origin + sizes[run] - 1) // granule + 1
        while g < end:
            cell, step = place(first, in_lines, g, end)
            g += step
            if not cell:
                continue
            in_line = step == LINE
            who, time, info = cell.writer, cell.write_time, cell.write_info
            if who == 0:
                if flags & READS and flags & SHARED:
                    return False
            elif who != agent:
                lanes = 1
                if in_line and who < OPERATION:
                    lanes = lanes_in(Line(cell).write_lanes, True)
                if who != w_agent or time != w_time or info != w_info or lanes != w_lanes:
                    if not comes_before(eye, who, lanes, time, info, True):
                        return False
                    w_agent, w_time, w_info, w_lanes = who, time, info, lanes
            who = cell.reader
            if writes and who and who != agent:
                time, info, how = cell.read_time, cell.read_info, cell.read_lanes
                if who != r_agent or time != r_time or info != r_info or how != r_lanes:
                    if not comes_before(eye, who, lanes_in(how, in_line and by_lanes(who)), time, info, False):
                        return False
                    r_agent, r_time, r_info, r_lanes = who, time, info, how
            here = cell.more
            while here:
                who, wrote = here.agent, here.writes
                if (writes or wrote) and who != agent:
                    time, info, how = here.time, here.info, here.lanes
                    if who != n_agent or time != n_time or info != n_info or how != n_lanes or wrote != n_writes:
                        lanes = lanes_in(how, in_line and by_lanes(who))
                        if not comes_before(eye, who, lanes, time, info, wrote == 1):
                            return False
                        n_agent, n_time, n_info, n_lanes, n_writes = who, time, info, how, wrote
                here = here.next
    return True


# --- boxes ----------------------------------------------------------------------------------------------------------------
@native
def may_fill(box: Box):
    """Whether an eye surely knows of all that was done to a box."""
    if not comes_before(arena.eye, box.writer, 1, box.write_time, box.write_info, True):
        return False
    for i in range(box.count):
        read = box.reads[i]
        if not comes_before(arena.eye, read.agent, 1, read.time, read.info, False):
            return False
    return True


@native
def is_filled(slot: Slot, runs: int, starts: Longs, sizes: Longs):
    """Whether an eye surely knows that the boxes are filled of which a product reads."""
    low, high = lowest(runs, starts), highest(runs, starts, sizes)
    for i in range(slot.phases.box_count):
        box = slot.phases.boxes[i]
        filled = comes_before(arena.eye, box.writer, 1, box.write_time, box.write_info, True)
        if overlaps(box, low, high) and not filled:
            return False
    return True


# --- noting ---------------------------------------------------------------------------------------------------------------
@native
def superseded(past: int, agent: int):
    """Whether who has waited for an operation has waited for an earlier one, too: lanes that copy the same wait together."""
    if past < OPERATION:
        return False
    if arena.alike_first <= past <= arena.alike_last:
        return True
    if past & agent & COPY:
        new, old = copy_at(agent), copy_at(past)
        return new.product != 0 and old.product != 0 and new.warp == old.warp
    mine, its = entry_of(agent), entry_of(past)
    return mine != 0 and its != 0 and mine.turn != 0 and mine.turn == its.turn


@native
def note_writes(first: int, in_lines: int, origin: int, runs: int, starts: Longs, sizes: Longs, agent: int, info: int):
    """Note that an operation writes its cells."""
    granule, now = granule_of(in_lines), arena.now
    for run in range(runs):
        g = (starts[run] - origin) // granule
        end = (starts[run] - origin + sizes[run] - 1) // granule + 1
        while g < end:
            cell, step = place(first, in_lines, g, end)
            g += step
            if not cell:
                continue
            set_writer(cell, agent, now, info)
            if step == LINE:
                Line(cell).write_lanes = WHOLE


@native
def note_reads(first: int, in_lines: int, origin: int, runs: int, starts: Longs, sizes: Longs, agent: int, info: int):
    """Note that an operation reads its cells: a read before stays beside it unless the operation stands for that, too."""
    granule, now = granule_of(in_lines), arena.now
    last, keep = 0, True
    for run in range(runs):
        g = (starts[run] - origin) // granule
        end = (starts[run] - origin + sizes[run] - 1) // granule + 1
        while g < end:
            cell, step = place(first, in_lines, g, end)
            g += step
            if not cell:
                continue
            read, before = cell.reader, cell.read_info
            if read:
                if read == agent and cell.read_time == now and before == info:
                    continue
                if read != last:
                    last, keep = read, read != agent and not superseded(read, agent)
                if keep or before >> SITE_BITS != info >> SITE_BITS:
                    remember(cell, read, cell.read_lanes, cell.read_time, before, 0)
            set_reader(cell, agent, WHOLE if step == LINE else 1, now, info)


@native
def operation(
    first: int, in_lines: int, base: Buffer, runs: int, starts: Longs, sizes: Longs, agent: int, info: int, flags: int
):
    """An operation accesses runs of bytes of a region. 1: that is in order, and noted; 0: Python has to judge.

    base: a buffer whose address is subtracted from `starts`, or none.
    """
    origin = 0
    if base:
        origin = base.begin
    slot = Slot(0)
    if not in_lines and slot_of(first).phases:
        slot = slot_of(first)
    whole = slot != 0 and runs == 1 and flags & WRITES and not flags & READS
    if whole:
        box = box_of(slot, starts[0], starts[0] + sizes[0])
        if box and may_fill(box):
            fill(box, agent, info)
            return True
        if box:
            return False
    elif slot and has_boxes(slot):
        for run in range(runs):
            unpack(slot, starts[run], starts[run] + sizes[run])
    if not in_order(first, in_lines, origin, runs, starts, sizes, agent, flags):
        return False
    box = new_box(slot, starts[0], starts[0] + sizes[0]) if whole else Box(0)
    if box:
        fill(box, agent, info)
    elif flags & WRITES:
        note_writes(first, in_lines, origin, runs, starts, sizes, agent, info)
    else:
        note_reads(first, in_lines, origin, runs, starts, sizes, agent, info)
    return True


@native
def touches(home: Slot, runs: int, starts: Longs, sizes: Longs, agent: int, info: int, flags: int):
    """The same of an operation that a CTA has just issued (`issue`): on shared memory of `home`, or if there is none, on global
    memory.

    2: also Python has nothing to look at there, as there is nothing.
    """
    if runs == 0:
        return 2
    low, high = lowest(runs, starts), highest(runs, starts, sizes)
    eye = arena.eye
    phases = eye.phases
    if follows.clusters and home and (arena.restricts or flags & (READS | WRITES) == WRITES):
        eye.phases = eye.freed_phases
    sure = 0
    if home:
        if low >= 0 and high <= home.shared_bytes and not at_mbarrier(home, low, high):
            home.lists = 1
            eye.fenced = 1 if home.cta == eye.cta else ONLY_GLOBAL
            sure = int(operation(int(home.cells), 0, Buffer(0), runs, starts, sizes, agent, info, flags | SHARED))
    else:
        buffer = buffer_of(low)
        if buffer and high <= buffer.end:
            eye.fenced = ONLY_GLOBAL
            sure = int(operation(int(buffer.lines), 1, buffer, runs, starts, sizes, agent, info, flags))
    eye.phases = phases
    return sure


@native
def issue(slot: Slot, warp: int, lanes: int, pc: int, item: int):
    """Lanes issue an operation: what it knows is what `operation` asks from now on. Whether Python has to take the notes now.

    item: which of the things that Python has kept for that.
    """
    now = arena.now
    look(slot, warp, lanes)
    arena.now = now + 1
    return write_down(slot, NOTE_ISSUE, warp, lanes, pc, item, 0, now)


@native
def complete(
    slot: Slot, home: Slot, warp: int, lanes: int, pc: int, item: int, offset: int, phase: int, entry: Operation
):
    """An operation that lanes have just issued counts in a phase of an mbarrier of the CTA `home`. Whether Python has to take the
    notes now."""
    sure = completes(slot, home, warp, lanes, offset, phase, entry)
    return write_down(slot, NOTE_COMPLETE, warp, lanes, pc, item, 0, arena.now) | (not sure)
