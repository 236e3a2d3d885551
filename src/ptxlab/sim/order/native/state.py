"""What the sanitizer's native part knows, declared: records in one array of words that native code and Python share.

| record | holds |
|---|---|
| Header | the time, and where everything else is; `arena` in native code |
| Site, Place | what native code has to know of each instruction, and the site's number at each place in the program |
| Buffer | global memory: its lines |
| Line | 32 granules of global memory that lanes of a warp access together: one cell for all; else where their cells are |
| Cell | of a granule, who wrote it last and who has read it since |
| Node | a further access beside a cell or a line, in a list |
| Slot | of a CTA: what its warps know of each other, the barriers that they have come to, the cells of its shared memory |
| Phases, Row, Box | of a CTA whose mbarriers native code follows: what is known (rows.py), and what copies have filled |
| Copy | an instruction of cp.async by a warp, with the group and the end of each lane's copy; or a product of a warpgroup |
| Eye | what an asynchronous operation knows when it accesses memory |
| Operation | an asynchronous operation: who it is, and who has waited for it |
| Entry | an access since the CTA's threads last met (shared.py), or a read of memory that nobody has written (lines.py) |
| Reported | two instructions whose races have been told |
| Deferred | a relaxed atomic operation that Python has not heard of yet |
| Note | an event that Python has not taken yet: an arrival, a wait, a fence |

Times are counts of events. A thread is a number: of the launch's threads, by CTA, from 1 on (0 is nobody). An agent is a thread,
or an asynchronous operation (`OPERATION`). A warp stands for the thread of its lane 0.
"""

# pyright: basic

from __future__ import annotations

from typing import Any, Final

from ptxlab.codegen.language import Switches
from ptxlab.codegen.records import Record, block, link, wide, word
from ptxlab.sim.engine.compiled.frame import JUDGE_EQUAL

BARRIERS: Final = 16
"""Barriers of a CTA."""
WARPS: Final = 32
LANES: Final = 32
GROUPS: Final = 8
"""Warpgroups of a CTA."""
MOST_PEERS: Final = 16
"""CTAs of a cluster."""
PHASES: Final = 4
"""Phases of a cluster's barrier that are told apart: while a warp has passed one, others may arrive in the next but one."""
LINE: Final = 32
"""Granules of a line."""
LOST: Final = (1 << 32) - 1
"""In `Line.cells`: there was no room for them. In the place of an mbarrier: it has ended."""
RECORDED: Final = 1
"""In `Line.cells`: it has none, and the record has reads of it."""
HOME: Final = 20
"""In the place of an mbarrier: above these bits is its CTA, by its rank + 1; 0 stands for the CTA at hand."""
OPERATION: Final = 1 << 31
"""In the word of an agent: it is an asynchronous operation, by its number; else a thread."""
COPY: Final = 1 << 30
"""In an operation's number: it is a lane's copy that native code follows: 32 × the number of its record + the lane."""

MOST_BESIDE: Final = 64
"""Accesses that are remembered beside a cell."""
MOST_REPORTED: Final = 64
"""Pairs of instructions whose races are not looked for any more."""
MOST_SORTS: Final = 64
"""Sorts of cells that are told apart in what one operation accesses."""

# --- how somebody accesses memory: `info`, the number of the instruction and bits above it
SITE_BITS: Final = 18
STRONG, SCOPE, SIZE, PROXY, UPDATE = 18, 19, 22, 25, 27
WIDE: Final = 3
"""The first scope that includes all threads of a launch."""

# --- flags of a site
READS, WRITES, SHARED, GENERIC, ATOMIC, TEXTURE, TEXTURES, IN_LINE, DEFERRED, NARROW = (1 << i for i in range(10))
FLAG: Final = 1 << 14
"""A strong store, where flags are taken to order nothing: it stays beside others, as atomic operations do, and is ATOMIC here."""
OF_CLUSTER: Final = 1 << 12
"""Of an atomic operation that is NARROW: its scope is the cluster, which includes all who reach shared memory. Of an arrival at an
mbarrier, or a wait: its scope includes the cluster."""
RELAXED: Final = 1 << 10
"""Of an arrival at an mbarrier, or a wait: it orders nothing."""
UNTOLD: Final = 1 << 13
"""Of an arrival at an mbarrier, or a wait, whose scope is narrower, with `Header.restricts`: rows get nothing of it as `freed`."""
UNREAD: Final = 1 << 15
"""Of an atomic operation: nobody reads what it has found."""
FAR: Final = 1 << 11
"""Of an access at hand: its buffer is too long for offsets of a word."""
EQUAL: Final = JUDGE_EQUAL
"""Of an access at hand: lanes that write to the same bytes write the same there."""

# --- Header.released
RELEASED, OF_CLUSTERS, UPDATED = 1, 2, 4
"""Some thread of the launch has released something; clusters have several CTAs; asynchronous operations add to memory."""


class Site(Record):
    """An instruction that accesses memory."""

    info = word()  # how it does
    size = word()  # bytes of each lane
    flags = word()  # READS and so on
    lanes = word()
    helped = word()
    unwaited = word()  # of a copy: one that nobody has waited for, or 0


class Wait(Record):
    """An instruction that waits for copies or products, in the place of a site."""

    number = word()  # among the waits
    groups = word()  # it waits for copies as many groups old; 0: for all
    flags = word()
    lanes = word()
    helped = word()  # whether it has ended any
    unwaited = word()


class Place(Record):
    """A place in the program."""

    site = word()  # number of its site, 0 for none


class Node(Record):
    """A further access beside a cell or a line."""

    agent = word()
    lanes = word()  # of a line: how they lie
    time = word()
    info = word()
    writes = word()
    next = link("Node")


class Cell(Record):
    """Who has accessed a granule."""

    writer = word()  # an agent, 0 for none
    write_time = word()
    write_info = word()
    reader = word()  # a warp, or an operation; 0 for none
    read_lanes = word()
    read_time = word()
    read_info = word()
    more = link("Node")  # further accesses, the latest first


class Line(Cell):
    """Who has accessed 32 granules alike.

    Lanes are told as their first one and a shift: granule g belongs to lane first + (g >> shift); the word is first | shift << 5.
    """

    cells = word()  # index of the first of their own cells; 0: they have none; RECORDED, LOST
    write_lanes = word()


class Buffer(Record):
    """An array in global memory."""

    begin = wide()
    end = wide()
    lines = link("Line")
    unused = word()


class Mark(Record):
    """Who has accessed a granule of shared memory last, and when: threads of its CTA, and above them the epoch (shared.py). Several
    warps that have read it, or operated on it atomically, have done so at NEVER_KNOWN."""

    writer = word()
    time = word()
    atomic = word()
    atomic_time = word()
    atomic_info = word()
    reader = word()  # as far as its line does not tell
    read_time = word()
    alone = word()  # whether only this thread has read it


class SharedLine(Record):
    """128 bytes of shared memory: the latest epoch in which something was done to them, and who did that last, as in `Mark`."""

    whole = word()  # the first epoch of the CTA by which all of it is known to have been written
    doubted = word()  # whether Python alone knows of some of it
    written = word()
    writer = word()  # the warp
    write_time = word()
    mixed = word()  # atomic operations
    read_apart = word()  # reads of which the marks tell
    read = word()  # those by all lanes of a warp in their order
    reader = word()  # the warp
    read_time = word()
    how = (
        word()
    )  # where its lane 0 reads, + 1, if each lane reads what follows that by as many `step`s, and nothing else; or 0
    step = word()


NEVER_KNOWN: Final = (1 << 32) - 1
"""In the place of a time: nobody knows of it until all threads of the CTA have met."""
RECORD_WORDS: Final = 1 << 14
"""Of the record of a CTA's accesses to its shared memory."""
THREAD_BITS: Final = 10
"""Bits of `Mark.writer` below the epoch."""
SHARED_LINE: Final = 128
"""Bytes of a line of shared memory."""


class Entry(Record, at_least=8):
    """An access by a warp whose addresses follow a pattern."""

    warp = word()
    lanes = word()
    time = word()
    place = (
        word()
    )  # in the program, and below it how addresses follow: lanes of a row as a shift, + 1; 0: in no pattern
    first = word()  # the first lane's byte
    step = word()  # bytes from lane to lane in a row
    over = word()  # from row to row
    buffer = link("Buffer")  # none: shared memory


class ScatteredEntry(Entry):
    """An access whose addresses follow no pattern."""

    bytes = word(LANES)  # of each lane


class Note(Record):
    """An event that Python has not heard of."""

    what = word()  # the warp, and bits from NUMBER on
    lanes = word()
    time = word()
    place = word()
    first = word()
    second = word()


NUMBER, WAITS, OVER, FULL, FENCE, GUARD, MET, MEET, KIND = 8, 16, 17, 18, 19, 20, 21, 22, 24
"""Bits of `Note.what` above the warp: of an arrival the number of its barrier, whether it waits, whether the barrier is over,
whether all threads of the CTA have met there (MET), and whether this note alone tells of them (FULL); or that it is a proxy fence,
for the memories NUMBER (OVER: of the whole warp), or wgmma.fence; or that all lanes of the warp have met (MEET); or which wait."""
NO_BARRIER: Final = 0xFF
"""The number in a note that is about no barrier."""


class Copy(Record):
    """Copies of one instruction of cp.async by a warp; or a product of a warpgroup, whose lanes are its warps (`product`)."""

    time = word()  # of issue
    warp = word()  # the first one of a warpgroup
    site = word()  # number of the instruction
    cta = word()
    lanes = word()
    open = word()  # lanes that have yet to wait
    next = link("Copy")
    product = word()
    groups = word(LANES)  # of each lane, the group of its copy; of a product the first is its number
    ends = word(LANES)  # when each lane had waited; 0: it has not


ROWS: Final = 64
"""Warps of a cluster whose mbarriers native code follows, at most."""
MOST_MBARRIERS: Final = 32
"""mbarriers of a CTA that native code follows."""
NUMBERED: Final = 128
MBARRIER_WORDS: Final = 228 * 1024 // 8 // 32
"""The same of a cluster."""


class Row(Record):
    """What somebody knows of the CTA, or where native code follows mbarriers, of the cluster: whose warps have numbers (`row_in`).

    Native code that does not follow mbarriers keeps `all` alone, and `fenced` for products.
    """

    all = word(ROWS)  # of each warp, up to which time what all its threads did
    fenced = word(ROWS)  # of that, what proxy fences have let through to the async proxy in shared memory
    some = word(ROWS)  # of each warp, what some thread of it did
    apart = word(ROWS)  # what the lanes did that were the last to act apart from the others
    phases = word(NUMBERED)  # of each mbarrier, the phases that are known to be over
    drained = word(ROWS)  # as `all`, of what mbarriers have told
    freed = word(ROWS)  # as `some`, of what mbarriers have told whatever the scope: see `View.freed`
    freed_apart = word(ROWS)  # as `apart`, the same
    freed_phases = word(NUMBERED)  # as `phases`, the same


MOST_BOXES: Final = 32
MOST_BOX_READS: Final = 16
JOINED: Final = 12
"""Waits for products that are remembered of a warp."""


class BoxRead(Record):
    """A product that reads of a box."""

    agent = word()
    time = word()
    info = word()
    runs = word()  # of bytes that it reads
    starts = wide()  # addresses of arrays: where runs begin, and their bytes
    sizes = wide()


class Box(Record):
    """Bytes of shared memory that a copy has filled."""

    begin = word()
    end = word()
    writer = word()
    write_time = word()
    write_info = word()
    count = word()
    unused = word(2)
    reads = block(BoxRead, MOST_BOX_READS)


class Join(Record):
    """A wait of a warp for products."""

    time = word()
    latest = word()  # when the latest product was issued that was over


class Pass(Record):
    """A warp that has found a phase over."""

    time = word()  # 0: it has not
    lanes = word()


class Published(Record):
    """What phases of an mbarrier publish, by parity."""

    phase = word(2)  # + 1, that the row is of
    rows = block(Row, 2)


class Mbarrier(Record):
    """An mbarrier."""

    state = word()  # IN_ORDER and so on
    number = word()  # in `Row.phases`
    met = word()  # with MET_IN_CLUSTER: the phase, + 1, of the cluster's barrier
    maker = word()  # the thread that has initialised it
    checked = word()  # phases whose ends have been looked at
    arrived = word(2)  # by parity: the phase, + 1, that the row is of
    passed = word(2)  # + 2
    awaited = word()  # the latest phase, + 1, in which a thread of another CTA has arrived
    near = block(Published)  # of arrivals of its CTA
    far = block(Published)  # of those of other CTAs
    arrived_rows = block(Row, 2)  # what those know who have come to it
    passes = block(Pass, 2, WARPS)


IN_ORDER, FENCED, PUBLISHED, SHOWN, MET_IN_CLUSTER, PUBLISHED_IN_CLUSTER = (1 << i for i in range(6))
"""Of an mbarrier: all threads have met since it was made; who made it has fenced that; and all have met since then. By
fence.mbarrier_init: a relaxed barrier of the cluster publishes that, too. The same two of all threads of the cluster."""


class Meeting(Record):
    """A phase of the barrier of a cluster."""

    phase = word()  # + 1
    came = word()  # warps, with all their lanes
    released = word()  # of these, with release
    row = block(Row)  # what those know who have released


class Phases(Record):
    """What is known of the mbarriers of a CTA (phases.py)."""

    count = word()  # of mbarriers
    numbered = word()  # of the first CTA of a cluster: mbarriers of all
    meetings = block(Meeting, PHASES)  # the same: by phase of the cluster's barrier
    released_lanes = word(WARPS)  # of each warp, the lanes that have executed a release fence about shared memory
    released = block(Row, WARPS)  # and what that hands on, as `freed`
    pending_lanes = word(WARPS)  # of each warp, the lanes that have found phases over by relaxed waits
    pending = block(Row, WARPS)  # and what an acquire fence about shared memory takes of them, as `freed`
    far = word(ROWS)  # of each warp of the cluster, when it last arrived at an mbarrier of this CTA from another one
    known = block(Row)  # what any thread of the CTA knows, at its exit
    offsets = word(MOST_MBARRIERS)  # of each, its place in shared memory; LOST where it has ended
    met = word(BARRIERS)  # of each barrier, the warps that have met there last
    met_at = word(BARRIERS)  # when
    waited = word(BARRIERS)  # and which of them have waited
    coming = word(BARRIERS)  # those who have come now
    lanes = word(WARPS)  # of each warp, the lanes that were the last to act apart from the others
    since = word(WARPS)  # and since when
    joined = block(Join, WARPS, JOINED)  # of each warp, the latest one first
    apart = block(Row, WARPS)  # of each warp, what its lanes apart know
    box_count = word()
    boxes = block(Box, MOST_BOXES)
    mbarriers = block(Mbarrier, MOST_MBARRIERS)


MOST_OTHERS: Final = 16
"""Warps of other CTAs of which native code has, for each warp, what all its threads know."""


class Other(Record):
    """Up to which time all threads of a warp know all threads of a warp of another CTA, as Python has found out."""

    first = word()  # the first of these; 0 for none
    time = word()


class Slot(Record):
    """A CTA that is resident."""

    cta = word()  # its number in the launch
    base = word()  # its first thread
    warps = word()
    shared_first = word()
    shared_bytes = word()
    cells = link("Cell")  # of its shared memory; they lie behind the slot
    cell_count = word()
    lists = word()  # whether anything may stand beside a cell
    open = word()  # barriers that somebody has come to, and that are not over
    partial = word()  # barriers at which some warp came with fewer lanes than it has
    log_count = word()
    mbarriers_begin = word()  # bytes of shared memory among which mbarriers are
    mbarriers_end = word()
    mbarriers = word(MBARRIER_WORDS)  # a bit for each 8 bytes of shared memory: whether an mbarrier is there, or was
    private = word()  # whether only its own threads access its shared memory
    own = word()  # and marks say who did
    epoch = word()
    first_epoch = word()
    since = word()  # when this epoch began
    marks = link("Mark")
    lines = link("SharedLine")
    line_count = word()
    record = link("Entry")
    record_end = link("Entry")
    unknown = (
        word()
    )  # the epoch of which the record has lost accesses: who asks for them, where flags are not followed, is in doubt
    exact = word()
    cells_used = word()
    released = word()  # the warps of which some thread has released something
    log = link("Note")  # what Python has not taken
    log_most = word()
    phases = link("Phases")  # none where Python follows mbarriers
    living = word(WARPS)  # the lanes that each warp begins with
    waiting = word(BARRIERS)  # of each barrier, the warps that wait there
    joins = block(Row, BARRIERS)  # of each barrier, what those know who have come
    rows = block(Row, WARPS)  # of each warp, what all its threads know
    others = block(Other, WARPS, MOST_OTHERS)  # of each warp
    first_copy = link("Copy", WARPS)  # of each warp, the copies for which some lane has yet to wait: the oldest
    last_copy = link("Copy", WARPS)  # and the latest
    groups = word(WARPS, LANES)  # of each lane, the groups of copies that it has committed
    guards = link(
        "Row"
    )  # of each warp, its `all`, `fenced` and `phases` at its last wgmma.fence; none without products or mbarriers
    own_fenced = word(WARPS)  # when each warp last executed a proxy fence
    cluster = word()  # its number
    first_row = word()  # the number of its first warp in rows
    peer_count = word()  # CTAs of its cluster, this one among them; 0 where it has no others
    peers = link("Slot", MOST_PEERS)
    arrived = word(
        PHASES, WARPS
    )  # by phase of the cluster's barrier, when each warp arrived there with release; 0: not all of its lanes did
    passed = word(WARPS)  # of each warp, the phase, + 1, that all its lanes have passed with acquire last; 0: none
    first_product = link("Copy", GROUPS)  # of each warpgroup, products for which some warp has yet to wait: the oldest
    last_product = link("Copy", GROUPS)  # and the latest


class Thread(Record):
    """In an eye: up to which time it knows a thread."""

    time = word()


class Bits(Record):
    """32 members of a set."""

    word = word()


class Eye(Record):
    """What an asynchronous operation knows."""

    fenced = (
        word()
    )  # whether its proxy is not the generic one; ONLY_GLOBAL for memory for which no fence let anything through
    base = word()  # the first thread of its CTA
    threads = word()  # of the CTA, as whole warps
    cta = word()
    cluster = word()
    set_words = word()  # of each of the two sets, EYE_WORDS at most
    over = link("Bits")  # numbers of operations that are over, and behind them of those that have read
    some = link("Thread")  # as Row.some; none: it is not known
    phases = link("Thread")  # as Row.phases; none: it is not known
    freed_phases = link("Thread")  # as Row.freed_phases, for what is written
    slot = link("Slot")  # whose rows these are
    times = link(
        "Thread"
    )  # of each thread: for accesses by the proxy; behind them for writes, and for reads, by the generic proxy


ONLY_GLOBAL: Final = 2
EYE_WORDS: Final = 1 << 12


class Operation(Record):
    """An asynchronous operation that Python has made."""

    agent = word()
    cta = word()
    cluster = word()
    bit = word()  # its number in Eye.over
    turn = word()  # the groups that it is waited for in, as a number; 0 for none
    over_by = word()  # who has waited until it was over: the first thread of a warp
    over = word()  # and when
    read_by = word()  # the same until it had read
    read = word()
    mbarrier = word()  # the number, + 1, of the mbarrier that tells of its end; 0 for none
    phase = word()  # the phases that are over then
    home = word()  # the CTA of that mbarrier


OPERATIONS: Final = 1 << 14
"""Operations that are remembered: a later one takes the place of an older one."""
MOST_COPIES: Final = 1 << 18
"""Instructions that copy, or multiply, that are remembered. An older one counts as long over."""


class DeferredOperation(Record):
    """A relaxed atomic operation that Python has not heard of; or what else a chain of them has to know."""

    warp = word()
    lanes = word()
    time = word()
    site = word()  # number of the instruction
    what = word()  # OPERATES and so on
    buffer = link("Buffer")  # none: shared memory
    home = word()  # the CTA whose shared memory it is
    bytes = word(LANES)  # of each lane


OPERATES, FOUND, OVERWRITES = 0, 1, 2
"""Of `DeferredOperation.what`: an atomic operation; the plain store of a lane that its operation, which comes next, has found; a
plain store that ends the chains at what it writes."""


class Reported(Record):
    """Two instructions that race, as has been found and told: how the earlier and the later one access memory. LOST as the earlier
    one: the later one reads shared memory that nobody has written."""

    before = word()
    now = word()


class Header(Record, at_least=64):
    """The time, and where the other parts are."""

    now = word()
    threads = word()  # of a CTA, as whole warps
    granule = word()  # bytes, of global memory
    shared_granule = word()
    bits = word()  # of the two, as shifts: native code divides by them all the time
    shared_bits = word()
    sites = link("Site")  # number 0 is nobody's
    places = link("Place")
    buffers = link("Buffer")
    buffer_count = word()
    cell = link("Cell")  # the next one that is free, and where they end
    cells_end = word()
    node = link("Node")
    nodes_end = word()
    free_node = link("Node")  # nodes that have been given back
    lost = word()  # lines without room for cells
    forgotten = word()  # accesses without room beside a cell
    unflagged = (
        word()
    )  # whether flags are taken to order nothing, and native code sees to them (companions/unflagged.py)
    doubtful = word()  # whether there might have been room for some, had flags been followed
    eye = link("Eye")  # of the operation at hand
    own_eye = link("Eye")  # of products that native code follows; none where it follows none
    operations = link("Operation")
    copies = link("Copy")
    next_copy = word()  # number
    latest_copy = word()
    left = link("Bits")  # of each wait, the instructions whose copies it found unfinished
    left_words = word()  # words of each
    record = link("Entry")  # reads of global memory that nobody has written
    record_at = link("Entry")
    record_end = word()
    most_epochs = word()
    deferred = link("DeferredOperation")
    deferred_at = link("DeferredOperation")
    deferred_end = word()
    released = word()  # RELEASED, OF_CLUSTERS
    restricts = (
        word()
    )  # whether it is fences about shared memory that tell what rows have as `freed`: then it holds for reads, too
    alike_first = (
        word()
    )  # operations that lanes have issued together, and that do the same: the first agent, and the last
    alike_last = word()
    reported_count = word()
    reported = block(Reported, MOST_REPORTED)


arena: Final = Header(0)
"""In native code: the header of the arena at hand."""

follows: Final = Switches("shared", "barriers", "copies", "products", "mbarriers", "clusters")
"""What a launch has: shared memory, barriers of the CTA, clusters of several CTAs, and, where native code follows them, cp.async,
products, mbarriers."""

Longs = Any
"""In native code: an array of 64-bit numbers that the caller hands in."""
