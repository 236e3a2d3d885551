"""An asynchronous operation looks at what it accesses, and notes it, where it surely comes behind all that.

Python says what the operation knows (`E_` of the arena), and enters each operation in a table (`O_`). The table is a ring: of one
that has been overwritten nothing is known here, and Python looks at its accesses.
"""

# Numba has no types
# pyright: basic

from __future__ import annotations

import numpy as np

from ptxlab.sim.engine.compiled.frame import NOTE_COMPLETE, NOTE_ISSUE
from ptxlab.sim.families.bulk.filter_boxes import box_of, boxes, fill, new_box, overlaps, unpack
from ptxlab.sim.families.bulk.filter_tiles import cell_at
from ptxlab.sim.families.mbarrier.filter import completes, look
from ptxlab.sim.order.native import arena as A
from ptxlab.sim.order.native.lists import granule_of
from ptxlab.sim.order.native.notes import write_down
from ptxlab.sim.order.native.quick import beside, buffer_of, copy_at, drop, entry_of, get, jit, put

_WHOLE = 5 << 5
"""How the lanes of a line lie where one operation accesses all of it: granule g belongs to part g >> 5."""


@jit
def time_of(m, e, agent, row):
    """Up to which time an eye knows a thread, by one of its clocks; -1 for threads of other CTAs."""
    thread = agent - get(m, e + A.E_BASE)
    if thread < 0 or thread >= get(m, e + A.E_EACH):
        return np.int64(-1)
    return get(m, e + A.E_TIMES + row * get(m, e + A.E_EACH) + thread)


@jit
def has_bit(m, at, number):
    """A bit of a set."""
    return (get(m, at + (number >> 5)) >> (number & 31)) & 1 == 1


@jit
def copies_before(m, e, agent, lanes, time, row):
    """Whether an eye surely knows, by one of its clocks, that copies by cp.async are over.

    lanes: bits, the first of them that of `agent`.
    """
    k = copy_at(m, agent)
    if get(m, k + A.K_TIME) != time:
        return True  # another one has taken its place since
    sure, lanes = True, lanes << (agent & 31)
    if lanes == 1 << (agent & 31):
        end = get(m, k + A.K_ENDS + (agent & 31))
        return end != 0 and time_of(m, e, get(m, k + A.K_BASE) + (agent & 31), row) >= end
    for lane in range(32):
        if (lanes >> lane) & 1:
            end = get(m, k + A.K_ENDS + lane)
            sure &= end != 0 and time_of(m, e, get(m, k + A.K_BASE) + lane, row) >= end
    return sure


@jit
def product_before(m, e, agent, time):
    """Whether an eye surely knows that a product is over: any of its warps has waited for it."""
    k, over = copy_at(m, agent), False
    if get(m, k + A.K_TIME) != time:
        return True  # another one has taken its place since
    for member in range(4):
        end, base = get(m, k + A.K_ENDS + member), get(m, k + A.K_BASE) + 32 * member
        over |= end != 0 and time_of(m, e, base, 0) >= end
        if end and get(m, e + A.E_SOME):  # all its lanes have waited, so what some thread of the warp did is enough
            thread = base - get(m, e + A.E_BASE)
            mine = 0 <= thread < get(m, e + A.E_EACH)
            over |= mine and get(m, e + get(m, e + A.E_SOME) + (thread >> 5)) >= end
    return over


@jit
def ended_before(m, e, o, wrote):
    """Whether an eye that knows phases of mbarriers surely knows the end of an operation of its CTA, or that it has read."""
    if get(m, o + A.O_MBARRIER):
        phases = e + get(m, e + A.E_PHASES)
        return get(m, phases + get(m, o + A.O_MBARRIER) - 1) >= get(m, o + A.O_PHASE)
    by = o + A.O_READ_BY if get(m, o + A.O_READ_BY) and not wrote else o + A.O_OVER_BY
    return get(m, by) != 0 and time_of(m, e, get(m, by), 0) >= get(m, by + 1)


@jit
def comes_before(m, e, agent, lanes, time, info, wrote):
    """Whether an eye surely knows of an earlier access."""
    proxy = (info >> A.PROXY) & 3
    fenced = get(m, e + A.E_FENCED) != 0
    if agent >= A.OPERATION and agent & A.COPY:
        if get(m, copy_at(m, agent) + A.K_JOINT):
            return product_before(m, e, agent, time)
        return copies_before(m, e, agent, lanes, time, 0 if not fenced else 1 if wrote else 2)
    if agent >= A.OPERATION:
        o = entry_of(m, agent)
        if o and get(m, e + A.E_PHASES) and get(m, o + A.O_CTA) == get(m, e + A.E_CTA) and (proxy or not fenced):
            return ended_before(m, e, o, wrote)
        if o == 0 or (fenced and proxy == 0) or get(m, o + A.O_CLUSTER) != get(m, e + A.E_CLUSTER):
            return False
        if fenced and wrote and get(m, o + A.O_CTA) != get(m, e + A.E_CTA):
            return False
        number = get(m, o + A.O_BIT)
        if number >= 32 * get(m, e + A.E_WORDS):
            return False
        sets = e + get(m, e + A.E_SETS)
        return has_bit(m, sets, number) or (not wrote and has_bit(m, sets + get(m, e + A.E_WORDS), number))
    row = 0 if not fenced or proxy else 1 if wrote else 2
    if row and get(m, e + A.E_FENCED) == A.GLOBAL:
        return False
    if lanes == 1:
        return time_of(m, e, agent, row) >= time
    sure = True
    for lane in range(32):
        sure &= (lanes >> lane) & 1 == 0 or time_of(m, e, agent + lane, row) >= time
    return sure


@jit
def by_lanes(agent):
    """Whether each lane has granules of its own in a line."""
    return agent < A.OPERATION or agent & A.COPY != 0


@jit
def lanes_in(how, line):
    """The lanes that have accessed a cell, or any granule of a line: that says how they lie."""
    if not line:
        return how
    side = 32 >> (how >> 5)
    return ((1 << side) - 1) << (how & 31) if side else 1


@jit
def place(m, first, lines, g, end):
    """The word of a granule's cell, or of its line, 0 where it is not followed; and how many granules that tells of."""
    if lines and g & 31 == 0 and g + 32 <= end:
        line = first + (g >> 5) * A.LINE_WORDS
        if get(m, line + A.L_CELLS) == 0:
            return line, np.int64(32)
    return cell_at(m, first, lines, g), np.int64(1)


@jit
def in_order(m, first, lines, origin, runs, starts, sizes, agent, flags):
    """Whether an operation surely comes behind all that its cells have seen. What the cell before has seen is not asked again."""
    granule, e, writes = granule_of(m, lines), get(m, A.H_EYE), flags & A.T_WRITES
    w_agent, w_time, w_info, w_lanes = agent, np.int64(0), np.int64(0), np.int64(0)
    r_agent, r_time, r_info, r_lanes = agent, np.int64(0), np.int64(0), np.int64(0)
    n_agent, n_time, n_info, n_lanes, n_writes = agent, np.int64(0), np.int64(0), np.int64(0), np.int64(0)
    for run in range(runs):
        g = (starts[run] - origin) // granule
        end = (starts[run] - origin + sizes[run] - 1) // granule + 1
        while g < end:
            c, step = place(m, first, lines, g, end)
            g += step
            if c == 0:
                continue
            line = step == 32
            who, time, info = get(m, c + A.W_AGENT), get(m, c + A.W_TIME), get(m, c + A.W_INFO)
            if who == 0:
                if flags & A.T_READS and flags & A.T_SHARED:
                    return False
            elif who != agent:
                lanes = lanes_in(get(m, c + A.L_WROTE), True) if line and who < A.OPERATION else np.int64(1)
                if who != w_agent or time != w_time or info != w_info or lanes != w_lanes:
                    if not comes_before(m, e, who, lanes, time, info, True):
                        return False
                    w_agent, w_time, w_info, w_lanes = who, time, info, lanes
            who = get(m, c + A.R_WARP)
            if writes and who and who != agent:
                time, info, how = get(m, c + A.R_TIME), get(m, c + A.R_INFO), get(m, c + A.R_LANES)
                if who != r_agent or time != r_time or info != r_info or how != r_lanes:
                    if not comes_before(m, e, who, lanes_in(how, line and by_lanes(who)), time, info, False):
                        return False
                    r_agent, r_time, r_info, r_lanes = who, time, info, how
            here = get(m, c + A.R_MORE)
            while here:
                who, wrote = get(m, here + A.N_AGENT), get(m, here + A.N_WRITES)
                if (writes or wrote) and who != agent:
                    time, info, how = get(m, here + A.N_TIME), get(m, here + A.N_INFO), get(m, here + A.N_LANES)
                    if who != n_agent or time != n_time or info != n_info or how != n_lanes or wrote != n_writes:
                        lanes = lanes_in(how, line and by_lanes(who))
                        if not comes_before(m, e, who, lanes, time, info, wrote == 1):
                            return False
                        n_agent, n_time, n_info, n_lanes, n_writes = who, time, info, how, wrote
                here = get(m, here + A.N_NEXT)
    return True


@jit
def may_fill(m, box):
    """Whether an eye surely knows of all that was done to a box."""
    e = get(m, A.H_EYE)
    if not comes_before(
        m, e, get(m, box + A.V_AGENT), np.int64(1), get(m, box + A.V_TIME), get(m, box + A.V_INFO), True
    ):
        return False
    for i in range(get(m, box + A.V_COUNT)):
        r = box + A.V_READS + A.READ_WORDS * i
        if not comes_before(m, e, get(m, r), np.int64(1), get(m, r + 1), get(m, r + 2), False):
            return False
    return True


@jit
def is_filled(m, s, runs, starts, sizes):
    """Whether an eye surely knows that the boxes are filled of which a product reads."""
    e, low, high = get(m, A.H_EYE), starts[0], starts[0] + sizes[0]
    for run in range(runs):
        low, high = min(low, starts[run]), max(high, starts[run] + sizes[run])
    for i in range(get(m, get(m, s + A.S_PHASES) + A.X_BOX_COUNT)):
        b = get(m, s + A.S_PHASES) + A.X_BOXES + A.BOX_WORDS * i
        time, info = get(m, b + A.V_TIME), get(m, b + A.V_INFO)
        if overlaps(m, b, low, high) and not comes_before(m, e, get(m, b + A.V_AGENT), np.int64(1), time, info, True):
            return False
    return True


@jit
def superseded(m, past, agent):
    """Whether who has waited for an operation has waited for an earlier one, too."""
    if past < A.OPERATION:
        return False
    if past & agent & A.COPY:
        new, old = copy_at(m, agent), copy_at(m, past)
        joint = get(m, new + A.K_JOINT) and get(m, old + A.K_JOINT)
        return joint != 0 and m[new + A.K_BASE] == m[old + A.K_BASE]
    mine, its = entry_of(m, agent), entry_of(m, past)
    return mine != 0 and its != 0 and get(m, mine + A.O_TURN) != 0 and m[mine + A.O_TURN] == m[its + A.O_TURN]


@jit
def note_writes(m, first, lines, origin, runs, starts, sizes, agent, info):
    """Note that an operation writes its cells."""
    granule, now = granule_of(m, lines), get(m, A.H_NOW)
    for run in range(runs):
        g = (starts[run] - origin) // granule
        end = (starts[run] - origin + sizes[run] - 1) // granule + 1
        while g < end:
            c, step = place(m, first, lines, g, end)
            g += step
            if c == 0:
                continue
            if get(m, c + A.R_MORE):
                drop(m, c)
            put(m, c + A.R_WARP, 0)
            put(m, c + A.W_AGENT, agent)
            put(m, c + A.W_TIME, now)
            put(m, c + A.W_INFO, info)
            if step == 32:
                put(m, c + A.L_WROTE, _WHOLE)


@jit
def note_reads(m, first, lines, origin, runs, starts, sizes, agent, info):
    """Note that an operation reads its cells: a read before stays beside it unless the operation stands for that, too."""
    granule, now = granule_of(m, lines), get(m, A.H_NOW)
    last, keep = np.int64(0), True
    for run in range(runs):
        g = (starts[run] - origin) // granule
        end = (starts[run] - origin + sizes[run] - 1) // granule + 1
        while g < end:
            c, step = place(m, first, lines, g, end)
            g += step
            if c == 0:
                continue
            lanes = np.int64(_WHOLE) if step == 32 else np.int64(1)
            read, before = get(m, c + A.R_WARP), get(m, c + A.R_INFO)
            if read:
                if read == agent and get(m, c + A.R_TIME) == now and before == info:
                    continue
                if read != last:
                    last, keep = read, read != agent and not superseded(m, read, agent)
                if keep or before >> A.SITE_BITS != info >> A.SITE_BITS:
                    beside(m, c, read, get(m, c + A.R_LANES), get(m, c + A.R_TIME), before, 0)
            put(m, c + A.R_WARP, agent)
            put(m, c + A.R_LANES, lanes)
            put(m, c + A.R_TIME, now)
            put(m, c + A.R_INFO, info)


@jit
def operation(m, first, lines, base, runs, starts, sizes, agent, info, flags):
    """An operation accesses runs of bytes of a region. 1: that is in order, and noted; 0: Python has to judge.

    first, lines: as of a region. base: of two words, what is subtracted from `starts`.
    """
    origin = get(m, base) | get(m, base + 1) << 32 if base else np.int64(0)
    s = first - A.SLOT_WORDS if not lines and get(m, first - A.SLOT_WORDS + A.S_PHASES) else np.int64(0)
    whole = s != 0 and runs == 1 and flags & A.T_WRITES and not flags & A.T_READS
    if whole:
        box = box_of(m, s, starts[0], starts[0] + sizes[0])
        if box and may_fill(m, box):
            fill(m, box, agent, info)
            return np.int32(1)
        if box:
            return np.int32(0)
    elif s and boxes(m, s):
        for run in range(runs):
            unpack(m, s, starts[run], starts[run] + sizes[run])
    if not in_order(m, first, lines, origin, runs, starts, sizes, agent, flags):
        return np.int32(0)
    box = new_box(m, s, starts[0], starts[0] + sizes[0]) if whole else np.int64(0)
    if box:
        fill(m, box, agent, info)
    elif flags & A.T_WRITES:
        note_writes(m, first, lines, origin, runs, starts, sizes, agent, info)
    else:
        note_reads(m, first, lines, origin, runs, starts, sizes, agent, info)
    return np.int32(1)


@jit
def touches(m, s, runs, starts, sizes, agent, info, flags):
    """The same of an operation that a CTA has just issued (`issue`): on its shared memory, or where `s` is 0, on global memory.

    2: also Python has nothing to look at there, as there is nothing.
    """
    if runs == 0:
        return np.int32(2)
    low, high = starts[0], starts[0] + sizes[0]
    for run in range(runs):
        low, high = min(low, starts[run]), max(high, starts[run] + sizes[run])
    if s:
        live, end = get(m, s + A.S_MBARRIERS), get(m, s + A.S_MBARRIERS + 1)
        if low < 0 or high > get(m, s + A.S_SHARED_BYTES) or (low < end and high > live):
            return np.int32(0)
        put(m, s + A.S_LISTS, 1)
        put(m, get(m, A.H_EYE) + A.E_FENCED, 1)
        return operation(m, get(m, s + A.S_CELLS), 0, 0, runs, starts, sizes, agent, info, flags | A.T_SHARED)
    row = buffer_of(m, low)
    if row == 0 or high > get(m, row + A.B_END) | get(m, row + A.B_END + 1) << 32:
        return np.int32(0)
    put(m, get(m, A.H_EYE) + A.E_FENCED, A.GLOBAL)
    return operation(m, get(m, row + A.B_LINES), 1, row, runs, starts, sizes, agent, info, flags)


@jit
def issue(m, s, warp, lanes, pc, item):
    """Lanes issue an operation: what it knows is what `operation` asks from now on. Whether Python has to take the notes now.

    item: which of the things that Python has kept for that.
    """
    now = get(m, A.H_NOW)
    look(m, s, warp, lanes)
    put(m, A.H_NOW, now + 1)
    return write_down(m, s, NOTE_ISSUE, warp, lanes, pc, item, 0, now)


@jit
def complete(m, s, warp, lanes, pc, item, offset, phase, entry):
    """An operation that lanes have just issued counts in a phase of an mbarrier. Whether Python has to take the notes now."""
    sure = completes(m, s, warp, lanes, offset, phase, entry)
    return write_down(m, s, NOTE_COMPLETE, warp, lanes, pc, item, 0, get(m, A.H_NOW)) | np.int32(not sure)
