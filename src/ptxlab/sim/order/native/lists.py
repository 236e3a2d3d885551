"""The last accesses that a cell holds, and the lists of further ones beside a cell or a line."""

# pyright: basic

from __future__ import annotations

from ptxlab.codegen.language import native
from ptxlab.sim.order.native.state import MOST_BESIDE, OPERATION, SITE_BITS, STRONG, Cell, Longs, Node, arena


@native
def granule_of(in_lines: int):
    """Bytes of a granule: of global memory, whose cells come in lines, or of shared memory."""
    return arena.granule if in_lines else arena.shared_granule


@native
def bits_of(in_lines: int):
    """The same as a shift."""
    return arena.bits if in_lines else arena.shared_bits


@native
def alike(addresses: Longs, lanes: int, lane: int):
    """The lanes whose address is that of one of them."""
    out = 0
    for other in range(32):
        out |= int(addresses[other] == addresses[lane]) << other
    return out & lanes


@native
def drop(cell: Cell):
    """Forget what stands beside a cell, or a line."""
    head = cell.more
    last = head
    while last.next:
        last = last.next
    last.next = arena.free_node
    arena.free_node = head
    cell.more = 0


@native
def node():
    """A place for one more access, or none."""
    taken = arena.free_node
    if taken:
        arena.free_node = taken.next
        return taken
    taken = arena.node
    if int(taken[1]) > arena.nodes_end:
        arena.forgotten += 1
        arena.doubtful = 1
        return Node(0)
    arena.node = taken[1]
    return taken


@native
def remember(cell: Cell, agent: int, lanes: int, time: int, info: int, writes: int):
    """Remember one more access beside a cell: in the place of those by the same lanes at the same place in the program."""
    count, before, here, reads = 0, Node(0), cell.more, False
    while here:
        reads = reads or here.writes == 0
        if here.agent == agent and here.info == info:
            old, then = here.lanes, here.time
            if then == time or old == lanes:
                here.lanes = old | lanes
                here.time = max(then, time)
                return
        if arena.unflagged and here.agent == agent and here.writes == writes and is_alike(here.info, info):
            here.lanes |= lanes  # more than it has to be: what is behind that is in order
            here.time = max(here.time, time)
            return
        count += 1
        following = here.next
        if not following and count >= MOST_BESIDE:  # the oldest one makes room
            before.next = 0
            here.next = arena.free_node
            arena.free_node = here
            arena.forgotten += 1
            arena.doubtful |= int(reads)
            here = before
        before, here = here, following
    put_first(cell, agent, lanes, time, info, writes)


@native
def is_alike(before: int, info: int):
    """Whether two accesses are strong, and of one kind."""
    return (info >> STRONG) & 1 == 1 and before >> SITE_BITS == info >> SITE_BITS


@native
def put_first(cell: Cell, agent: int, lanes: int, time: int, info: int, writes: int):
    """Put one more access beside a cell."""
    new = node()
    if new:
        new.agent = agent
        new.lanes = lanes
        new.time = time
        new.info = info
        new.writes = writes
        new.next = cell.more
        cell.more = new


@native
def put_beside(cell: Cell, agent: int, lanes: int, time: int, info: int, writes: int):
    """Remember beside a cell what it holds itself. Lanes of a warp are kept together."""
    if 0 < agent < OPERATION and lanes == 1:
        lane = (agent - 1) & 31
        remember(cell, agent - lane, 1 << lane, time, info, writes)
    elif agent:
        remember(cell, agent, lanes, time, info, writes)


@native
def keep(cell: Cell):
    """A cell is about to be written, and what it holds may stand beside that unordered: it stays."""
    put_beside(cell, cell.writer, 1, cell.write_time, cell.write_info, 1)
    put_beside(cell, cell.reader, cell.read_lanes, cell.read_time, cell.read_info, 0)
    cell.reader = 0


@native
def keep_beside(where: Longs, count: int):
    """The same of several cells."""
    for i in range(count):
        keep(Cell(where[i]))


@native
def set_writer(cell: Cell, agent: int, time: int, info: int):
    """An agent has written a cell, and whoever read it before no longer matters."""
    if cell.more:
        drop(cell)
    cell.reader = 0
    cell.writer = agent
    cell.write_time = time
    cell.write_info = info


@native
def set_reader(cell: Cell, agent: int, lanes: int, time: int, info: int):
    """An agent is the last one that has read a cell."""
    cell.reader = agent
    cell.read_lanes = lanes
    cell.read_time = time
    cell.read_info = info
