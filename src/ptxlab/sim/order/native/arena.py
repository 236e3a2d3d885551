"""The sanitizer's memory: one array of 32-bit words that native code and Python share, and where what lies in it.

| part | holds |
|---|---|
| header (H_) | the time, and where the other parts are |
| sites (T_) | what native code has to know of each instruction, and the number of the site at each program counter |
| buffers (B_) | global memory: its lines, each 32 granules |
| lines (L_) | of 32 granules that lanes of a warp access together, one cell for all; else where its cells are |
| cells (W_, R_) | of a granule, who wrote it last and who has read it since |
| nodes (N_) | more accesses beside a cell or a line, in lists |
| slots (S_) | of a CTA: what its warps know of each other, the barriers they have come to, and the cells of its shared memory |
| copies (K_) | of each cp.async of a warp, the group and the end of each lane's copy, and of each product: the latest MOST_COPIES |
| deferred (D_) | relaxed atomic operations that Python has not heard of: who makes them, when, and where |
| records (P_) | accesses since a CTA's threads last met (shared.py), reads of global memory that nobody has written (lines.py) |

The system gives memory where it is touched. Cells and nodes are bounded: memory whose cells have no room is not followed any more.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import count

import numpy as np
from numpy.typing import NDArray

from ptxlab.sim.engine.compiled.frame import JUDGE_EQUAL
from ptxlab.sim.order.native.pages import Pages
from ptxlab.sim.report.unwatched import Unwatched

Words = NDArray[np.uint32]

OPERATION = 1 << 31
"""In the word of an agent: it is an asynchronous operation, by its number; else a thread, by its number + 1."""
COPY = 1 << 30
"""In its number: it is a lane's copy that machine code follows: 32 × its place among the copies + the lane."""
MOST_BESIDE = 64
"""Accesses that are remembered beside a cell."""
MOST_SORTS = 64
"""Sorts of cells that are told apart in what one operation accesses."""
SITE_BITS = 18
STRONG, SCOPE, SIZE, PROXY, UPDATE = 18, 19, 22, 25, 27
"""The bits of the word that says how somebody accesses memory, above the number of the instruction."""
RECORDED = 1
"""In the place of a line's cells: it has none, and the record has reads of it."""
LOST = (1 << 32) - 1
"""In the place of a line's cells: there was no room for them."""

# --- header
_next = count()
H_NOW, H_EACH, H_GRANULE, H_SITES, H_PLACES, H_BUFFERS, H_BUFFER_COUNT = (next(_next) for _ in range(7))
H_CELL, H_CELLS_END, H_NODE, H_NODES_END, H_FREE_NODE, H_LOST, H_FORGOTTEN = (next(_next) for _ in range(7))
H_EYE, H_OPERATIONS = (next(_next) for _ in range(2))
H_COPIES, H_COPY, H_LATEST, H_LEFT, H_LEFT_WORDS = (next(_next) for _ in range(5))
H_RECORD, H_RECORD_AT, H_RECORD_END, H_MOST_EPOCHS, H_SHARED_GRANULE = (next(_next) for _ in range(5))
H_OWN_EYE = next(_next)  # of products that machine code follows, what they know; 0 where it follows none
H_DEFERRED, H_DEFERRED_AT, H_DEFERRED_END, H_RELEASED = (next(_next) for _ in range(4))
# H_RELEASED: RELEASED when any thread of the launch has released something; OF_CLUSTERS where clusters have several CTAs
RELEASED, OF_CLUSTERS = 1, 2
HEADER_WORDS = 32
assert next(_next) <= HEADER_WORDS
# --- a site: how it accesses memory, bytes of each lane, flags, lanes
SITE_WORDS = 6
# of a wait for copies: whether it has ended any; of a copy: one that nobody has waited for, or 0
T_HELPED, T_UNWAITED = 4, 5
T_READS, T_WRITES, T_SHARED, T_GENERIC, T_ATOMIC, T_TEXTURE, T_TEXTURES, T_LINE, T_DEFERRED, T_NARROW = (
    1 << i for i in range(10)
)
T_RELAXED = 1 << 10  # of an arrival at an mbarrier, or a wait: it orders nothing
T_EQUAL = JUDGE_EQUAL  # of an access at hand: lanes that write to the same bytes write the same there
# --- a buffer: begin and end in two words each, its lines
B_BEGIN, B_END, B_LINES = 0, 2, 4
BUFFER_WORDS = 6
# --- a cell. R_MORE: the first node of its list
W_AGENT, W_TIME, W_INFO, R_WARP, R_LANES, R_TIME, R_INFO, R_MORE = range(8)
CELL_WORDS = 8
# --- a line: as a cell, of all its granules; lanes as their first one and a shift: granule g belongs to lane first + (g >> shift)
L_CELLS, L_WROTE = 8, 9
LINE_WORDS = 10
LINE = 32
# --- a node
N_AGENT, N_LANES, N_TIME, N_INFO, N_WRITES, N_NEXT = range(6)
NODE_WORDS = 6
# --- a slot
BARRIERS = 16
LOG_MOST = 256
S_INDEX, S_BASE, S_WARPS, S_SHARED_FIRST, S_SHARED_BYTES, S_CELLS, S_CELL_COUNT = range(7)
S_LISTS, S_OPEN, S_PARTIAL, S_LOG_COUNT, S_MBARRIERS = range(7, 12)  # S_MBARRIERS: begin and end of where live ones are
S_PRIVATE, S_OWN, S_EPOCH, S_FIRST_EPOCH, S_SINCE = range(13, 18)  # epochs: see shared.py; S_SINCE: when this one began
S_MARKS, S_LINES, S_LINE_COUNT, S_RECORD, S_RECORD_AT, S_EXACT, S_CELLS_USED = range(18, 25)
S_RELEASED = 25  # whether any thread of the CTA has released something
S_LOG_AT, S_LOG_MOST = 26, 27  # where notes are that Python has not taken, and how many there may be
S_PHASES = 28  # what is known of mbarriers (phases.py); 0 where Python follows them
S_LIVING = 32  # of each warp, the lanes that it begins with
S_WAITING = 64  # of each barrier, the warps that wait there
S_JOINS = 96  # of each barrier, what those who have come know: as S_KNOWN
S_KNOWN = S_JOINS + BARRIERS * 32  # of each warp, the time up to which it knows each warp
S_FIRST = S_KNOWN + 32 * 32  # of each warp, the copies for which some lane has yet to wait: the oldest, and the latest
S_LAST = S_FIRST + 32
S_GROUPS = S_LAST + 32  # of each lane of each warp, the groups of copies that it has committed
S_FENCED = S_GROUPS + 32 * 32  # as S_KNOWN, of what proxy fences have let through to the async proxy in shared memory
S_GUARD_KNOWN = S_FENCED + 32 * 32  # of each warp, S_KNOWN and S_FENCED as they were at its last wgmma.fence
S_GUARD_FENCED = S_GUARD_KNOWN + 32 * 32
S_JOINS_FENCED = S_GUARD_FENCED + 32 * 32  # of each barrier, as S_JOINS
S_OWN_FENCED = S_JOINS_FENCED + BARRIERS * 32  # of each warp, when it last executed a proxy fence
S_FIRST_PRODUCT = (
    S_OWN_FENCED + 32
)  # of each warpgroup, products that some warp has yet to wait for: the oldest, and the latest
S_LAST_PRODUCT = S_FIRST_PRODUCT + 8
SLOT_WORDS = S_LAST_PRODUCT + 8
LOG_WORDS = 6  # of a note: an arrival, or whatever else Python has not heard of
G_NUMBER, G_WAITS, G_OVER, G_FULL = 8, 16, 17, 18  # bits of an arrival's first word, above the warp
G_FENCE, G_GUARD = 19, 20  # it is a proxy fence, for memory G_NUMBER, or wgmma.fence; G_OVER: of the whole warp
G_KIND = 24  # the kind of a note where it is a wait; its number is then that of no barrier
G_NONE = 0xFF

# --- what is known of mbarriers: see phases.py. A row is what a thread knows, in parts of 32 words: of each warp up to which time
# what all its threads did; the same of what fences have let through; what some thread of it did; what the lanes did that were the
# last to act apart from the others; of each mbarrier the phases that are known to be over; as the first, what mbarriers have told
ROW_ALL, ROW_FENCED, ROW_SOME, ROW_APART, ROW_PHASES, ROW_DRAINED = range(0, 192, 32)
ROW = 192
MOST_MBARRIERS = 32
"""mbarriers of a CTA that machine code follows."""
X_COUNT = 0
X_OFFSETS = 8  # of each mbarrier: its place in shared memory, LOST where it has ended
X_STATES = X_OFFSETS + MOST_MBARRIERS  # IN_ORDER and so on
X_MAKERS = X_STATES + MOST_MBARRIERS  # the thread that has initialised it
X_CHECKED = X_MAKERS + MOST_MBARRIERS  # phases whose ends have been looked at
X_PUBLISHED = X_CHECKED + MOST_MBARRIERS  # by parity: the phase, + 1, that the row is of
X_CAME = X_PUBLISHED + 2 * MOST_MBARRIERS
X_PASSED = X_CAME + 2 * MOST_MBARRIERS  # + 2
X_MET = (
    X_PASSED + 2 * MOST_MBARRIERS
)  # of each barrier, the warps that have met there last, and those who have come now
X_COMING = X_MET + BARRIERS
X_LANES = X_COMING + BARRIERS  # of each warp, the lanes that were the last to act apart from the others, and since when
X_SINCE = X_LANES + 32
X_GUARD_PHASES = X_SINCE + 32  # of each warp, its ROW_PHASES at its last wgmma.fence
X_JOINED = (
    X_GUARD_PHASES + 32 * 32
)  # of each warp, its latest waits for products: when, and the latest product that was over
JOINED = 4
X_BARRIERS = X_JOINED + 32 * JOINED * 2  # of each barrier, what those who have come know, but for the first two parts
X_WARPS = X_BARRIERS + BARRIERS * ROW  # of each warp, what all its threads know, but for the first two parts
X_ONES = X_WARPS + 32 * ROW  # of each warp, what its lanes apart know
X_ROWS = X_ONES + 32 * ROW  # of each mbarrier, by parity: what a phase publishes
X_CAME_ROWS = X_ROWS + 2 * MOST_MBARRIERS * ROW  # what those know who have come to it
X_PASSES = X_CAME_ROWS + 2 * MOST_MBARRIERS * ROW  # of each warp, when it has found a phase over, and its lanes
X_BOX_COUNT = X_PASSES + 2 * MOST_MBARRIERS * 32 * 2  # boxes.py
X_BOXES = X_BOX_COUNT + 8
# a box: its bytes, who has filled it and how, and the products that have read of it: who, when, how, and the addresses of the runs
V_BEGIN, V_END, V_AGENT, V_TIME, V_INFO, V_COUNT = range(6)
V_READS, READ_WORDS, MOST_BOX_READS = 8, 8, 16
BOX_WORDS = V_READS + READ_WORDS * MOST_BOX_READS
MOST_BOXES = 32
PHASES_WORDS = X_BOXES + BOX_WORDS * MOST_BOXES
IN_ORDER, FENCED, PUBLISHED = 1, 2, 4
"""Of an mbarrier: all threads have met since it was made; who made it has fenced that; and all have met since then."""
PHASES_LOG, PHASES_LOGS = 1 << 14, 1 << 22
"""Notes of a CTA whose mbarriers machine code follows, at most, and of all that are resident."""
PHASES_SLOTS = 1 << 13
"""CTAs that may be resident then."""

# --- what an operation knows. E_FENCED: whether its proxy is not the generic one. E_BASE, E_EACH: words of the threads of its CTA.
# E_TIMES: of each thread, up to which time it is known for accesses by the proxy, and for writes and reads by the generic
# one. E_SETS: where, from here, the numbers of operations that are over begin, and behind them of those that have read; E_WORDS of
# each, EYE_WORDS at most
# E_SOME, E_PHASES: where, from here, ROW_SOME and ROW_PHASES are; 0: they are not known. E_FENCED is GLOBAL where memory is meant
# for which no fence has let anything through
E_FENCED, E_BASE, E_EACH, E_CTA, E_CLUSTER, E_WORDS, E_SETS, E_SOME, E_PHASES, E_TIMES = range(10)
GLOBAL = 2
EYE_WORDS = 1 << 12
# --- an operation: its word; its CTA, cluster and number there; what groups it is waited for in, as a number, 0 for none; and who
# has waited until it was over, and until it had read: the first word of a warp's threads, and when. O_PHASE: the mbarrier, + 1,
# that tells of its end, and the phases that are over then; 0 where machine code does not follow that
O_AGENT, O_CTA, O_CLUSTER, O_BIT, O_TURN, O_OVER_BY, O_OVER, O_READ_BY, O_READ, O_MBARRIER, O_PHASE = range(11)
OPERATION_WORDS = 11
OPERATIONS = 1 << 14
PARTS = 32
"""Parts of an operation, at most."""
# --- an entry of a record: who, when, the place in the program and how addresses follow, the first byte, steps, the buffer's row
P_AGENT, P_LANES, P_TIME, P_PLACE, P_FIRST, P_STEP, P_OVER, P_ROW = range(8)
ENTRY_WORDS = 8
ENTRY_MOST = ENTRY_WORDS + 32  # where addresses follow no pattern, the byte of each lane
RECORD_WORDS = 1 << 12
# --- a deferred operation: who, when, the number of the instruction, the buffer's row (0: shared memory), the byte of each lane
D_AGENT, D_LANES, D_TIME, D_SITE, D_ROW, D_OFFSETS = range(6)
DEFERRED_WORDS = D_OFFSETS + 32
MOST_DEFERRED = 1 << 14
# --- a mark: the thread, and above it the epoch; of a line of shared memory whether it is good, and the epoch that reads it
THREAD_BITS = 10
SHARED_LINE = 128
MOST_EPOCHS = (1 << 32 - THREAD_BITS) - 1

MOST_LINES = 1 << 18
"""Lines with cells of their own: 1 KiB each."""
MOST_READS = 1 << 23
"""Words of the record of global memory."""
MOST_NODES = 1 << 22
# --- a copy: the time of its issue, the word of its warp's lane 0, its instruction, its CTA, its lanes, those that have yet to wait
K_TIME, K_BASE, K_SITE, K_INDEX, K_LANES, K_OPEN, K_NEXT, K_JOINT = range(8)
K_GROUPS, K_ENDS = 8, 40  # of each lane, the group of its copy, and when it had waited for it; 0: it has not
# K_JOINT: it is a product of the warpgroup that begins with the warp, its lanes are the warps, and its first group is its number
COPY_WORDS = 72
MOST_COPIES = 1 << 18
"""Instructions that are remembered. An older one counts as long over."""


class Arena:
    """The memory of one launch.

    Args:
        buffers: of global memory, begin and bytes. granule: bytes. shared_granule: the same of shared memory.
        sites: how each instruction accesses memory, rows of T_.
        places: the number of the row at each program counter.
        slots: how many CTAs can be resident. shared: bytes of shared memory of each. threads: of a CTA.
        copies: whether machine code follows cp.async. waits: instructions that wait for them.
        products: whether it follows products.
        private: whether only the CTA's own threads access its shared memory, and none by an asynchronous operation.
        phases: whether machine code follows mbarriers.

    Attributes:
        words: all of it. address: where it lies.
    """

    def __init__(
        self,
        buffers: Sequence[tuple[int, int]],
        granule: int,
        *,
        places: Words,
        sites: Words,
        slots: int,
        shared: int,
        threads: int,
        copies: bool = False,
        waits: int = 0,
        products: bool = False,
        private: bool = False,
        phases: bool = False,
        shared_granule: int | None = None,
    ) -> None:
        self.granule, self.shared, self.threads = granule, shared, threads
        self.shared_granule = shared_granule or granule
        lines = [-(-nbytes // (LINE * granule)) for _, nbytes in buffers]
        cells = min(sum(lines), MOST_LINES) * LINE * CELL_WORDS
        self._private = private and granule > 1  # the marks of single bytes would take too much memory
        granules = -(-shared // self.shared_granule)
        self._phases = phases
        self._log = max(LOG_MOST, min(PHASES_LOG, PHASES_LOGS // max(1, slots))) if phases else LOG_MOST
        self._slot_words = SLOT_WORDS + granules * CELL_WORDS + LOG_WORDS * self._log + PHASES_WORDS * phases
        if self._private:
            self._slot_words += granules + 2 * -(-shared // SHARED_LINE) + RECORD_WORDS
        at, each = HEADER_WORDS, -(-threads // 32) * 32
        parts: list[int] = []
        left_words = len(sites) // SITE_WORDS // 32 + 1
        for size in (
            len(sites),
            len(places),
            BUFFER_WORDS * len(buffers),
            self._slot_words * slots,
            LINE_WORDS * sum(lines),
            NODE_WORDS * MOST_NODES,
            cells,
            MOST_READS,
            E_TIMES + 3 * each + 2 * EYE_WORDS + 64,
            OPERATION_WORDS * OPERATIONS,
            COPY_WORDS * MOST_COPIES * copies,
            waits * left_words,
            (E_TIMES + 3 * each + 64) * (products or phases),
            DEFERRED_WORDS * MOST_DEFERRED,
        ):
            parts.append(at)
            at += -(-size // 16) * 16
        sites_at, places_at, buffers_at, self._slots_at, lines_at, nodes_at, cells_at, *more = parts
        record_at, eye_at, operations_at, self.copies, left_at, own_eye_at, deferred_at = more
        self._pages = Pages(at + 16)
        self.words: Words = self._pages.words
        self.address = int(self.words.ctypes.data)
        self._given = 0
        w = self.words
        w[H_NOW], w[H_EACH], w[H_GRANULE], w[H_SHARED_GRANULE] = 1, each, granule, self.shared_granule
        w[H_EYE], w[H_OPERATIONS], w[H_OWN_EYE] = eye_at, operations_at, own_eye_at * (products or phases)
        w[H_SITES], w[H_PLACES], w[H_BUFFERS], w[H_BUFFER_COUNT] = sites_at, places_at, buffers_at, len(buffers)
        w[H_COPIES], w[H_LEFT], w[H_LEFT_WORDS] = self.copies, left_at, left_words
        w[sites_at : sites_at + len(sites)], w[places_at : places_at + len(places)] = sites, places
        w[H_CELL], w[H_CELLS_END] = cells_at, cells_at + cells
        w[H_RECORD], w[H_RECORD_AT], w[H_RECORD_END] = record_at, record_at, record_at + MOST_READS
        w[H_MOST_EPOCHS] = MOST_EPOCHS
        w[H_DEFERRED], w[H_DEFERRED_AT], w[H_DEFERRED_END] = (
            deferred_at,
            deferred_at,
            deferred_at + DEFERRED_WORDS * MOST_DEFERRED,
        )
        w[H_NODE], w[H_NODES_END] = nodes_at, nodes_at + NODE_WORDS * MOST_NODES
        self.lines: list[int] = []
        for i, ((begin, nbytes), number) in enumerate(zip(buffers, lines, strict=True)):
            row = buffers_at + BUFFER_WORDS * i
            w[row : row + 4] = np.array([begin, begin + nbytes], "<u8").view(np.uint32)
            w[row + B_LINES] = lines_at
            self.lines.append(lines_at)
            lines_at += LINE_WORDS * number

    def give_back(self) -> None:
        """The launch is over, and nobody asks any more."""
        self._pages.give_back()

    def get(self, at: int) -> int:
        """A word."""
        return int(self.words[at])

    def unwatched(self) -> Unwatched:
        """What there was no room for."""
        return Unwatched(self.get(H_LOST) * LINE * self.granule, self.get(H_FORGOTTEN))

    def of_site(self, number: int, word: int) -> int:
        """What native code has noted of an instruction (T_HELPED, T_UNWAITED)."""
        return self.get(self.get(H_SITES) + SITE_WORDS * (number + 1) + word)

    def left(self, wait: int) -> list[int]:
        """The instructions whose copies a wait, by its number among the waits, has found unfinished, until it ended any."""
        words = self.get(H_LEFT_WORDS)
        at = self.get(H_LEFT) + wait * words
        bits = np.unpackbits(self.words[at : at + words].view(np.uint8), bitorder="little")
        return np.flatnonzero(bits).tolist()

    def slot(self) -> int:
        """A place for a CTA."""
        at = self._slots_at + self._slot_words * self._given
        self._given += 1
        w, warps = self.words, -(-self.threads // 32)
        w[at + S_WARPS], w[at + S_SHARED_BYTES] = warps, self.shared
        w[at + S_CELLS], w[at + S_CELL_COUNT] = at + SLOT_WORDS, -(-self.shared // self.shared_granule)
        if self._private:
            marks = at + SLOT_WORDS + int(w[at + S_CELL_COUNT]) * CELL_WORDS
            lines = marks + int(w[at + S_CELL_COUNT])
            count = -(-self.shared // SHARED_LINE)
            w[at + S_PRIVATE], w[at + S_MARKS], w[at + S_LINES], w[at + S_LINE_COUNT] = 1, marks, lines, count
            w[at + S_RECORD] = lines + 2 * count
        log = at + self._slot_words - LOG_WORDS * self._log - PHASES_WORDS * self._phases
        w[at + S_LOG_AT], w[at + S_LOG_MOST] = log, self._log
        w[at + S_PHASES] = (log + LOG_WORDS * self._log) * self._phases
        w[at + S_LIVING : at + S_LIVING + warps] = LOST
        if self.threads % 32:
            w[at + S_LIVING + warps - 1] = (1 << self.threads % 32) - 1
        return at
