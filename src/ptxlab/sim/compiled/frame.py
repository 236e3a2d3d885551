"""The machine's state in native memory: every offset, in one place.

Four kinds of blocks, addressed by byte offsets: the *environment* (one a launch), a *CTA*, a warp's *frame*, and the
*records* of the program. A frame is its header, the constant rows, then a row of 32 lanes for every register. A program
counter is the byte offset of a record.
"""

from __future__ import annotations

LANES = 32
FULL = 0xFFFF_FFFF

# --- status codes that handlers and the dispatcher return -------------------------------------------------------------
REGROUP = 0  # the groups of lanes changed: choose again
EXITED = 1  # all lanes of the warp have exited (dispatcher), all warps (CTA loop), all CTAs (grid loop)
PARKED = 2  # every living lane waits
TRAP = 3  # an instruction for Python
FAULT = 4  # the frame says what went wrong
SLICE = 5  # the slice of instructions is used up
POLLS = 6  # whoever can run asks in vain for what others have to do (a group of lanes, a warp, all warps of a CTA)

# --- why a debugger's handlers have left ------------------------------------------------------------------------------
STOPPED = 1  # lanes have arrived somewhere
MAKES_ROOM = 2  # for the warp that is stepped

# --- faults -----------------------------------------------------------------------------------------------------------
FAULT_BOUNDS = 1  # outside every buffer
FAULT_ALIGN = 2  # not a multiple of the access size
FAULT_READONLY = 3
FAULT_SHARED = 4  # outside the CTA's shared memory
FAULT_LOCAL = 5  # outside the thread's local memory
FAULT_RANK = 6  # a CTA that the cluster does not have
FAULT_TRAP = 7  # the `trap` instruction
FAULT_WARP = 8  # lanes of a member mask never arrive
FAULT_BARRIER = 9  # a barrier number over 15, or a count that is no multiple of 32
FAULT_OTHER_CTA = 10  # a shared::cta address with the rank of a CTA that is not the executing one
FAULT_STACK = 11  # calls nest deeper than local memory has room
FAULT_FUNCTION = 12  # a call of an address that is no function's
FAULT_PROTOTYPE = 13  # a call of a function with other parameters than the prototype's
FAULT_TARGET = 14  # an index behind the end of a list of branch targets
FAULT_EXITED = 15  # a CTA of the cluster that has exited

# --- a warp's frame ---------------------------------------------------------------------------------------------------
F_PCS = 0  # u32[32]: where each lane waits, while it is not in the running group
F_ALIVE = 128  # u32 mask: lanes that have not exited
F_WAITING = 132  # u32 mask: lanes parked by a trap
F_SYNC = 136  # u32 mask: lanes waiting for other lanes of the warp, or at a barrier of the CTA
F_MERGE = 140  # u32: least pc of the other runnable lanes
F_LAST = 144  # u32: pc at which the running group was chosen
F_ROTATE = 148  # u32: not 0: choose the next group round robin instead of the least pc
F_ONES = 152  # u32: all ones, the guard of unguarded records
F_BARRIER = 156  # u32: 1 + the number of the CTA barrier that the warp waits at, 0 for none
F_RELEASED = 160  # u32 mask: lanes whose barrier has completed
F_TRAP_MASK = 164  # u32 mask: lanes at the trap
F_TRAP_PC = 168  # u32: its record
F_FAULT = 172  # u32: FAULT_*
F_FAULT_LANE = 176  # u32
F_FAULT_PC = 180  # u32
F_FAULT_ADDRESS = 184  # u64
F_FAULT_BYTES = 192  # u32
F_FAULT_SPACE = 196  # u32: SPACES
F_INSTRUCTIONS = 200  # u64: instructions that this warp has executed
F_CTA = 208  # pointer to its CTA
F_SHARED = 216  # host pointer to the kernel's part of the CTA's shared memory
F_SHARED_BYTES = 224  # u64
F_LOCAL = 232  # host pointer to lane 0's local memory
F_LOCAL_BYTES = 240  # u64: of one lane; the stride between lanes
F_BAR_AND = 248  # u32: 1 if all predicates at the barrier that completed were true
F_BAR_COUNT = 252  # u32: how many were
F_SREGS = 256  # u32[48]: special registers that all threads of the warp share
F_SHARED_FIRST = 448  # u32: the address of the first byte of F_SHARED, with the CTA's rank
F_CARRY = 452  # u32 mask: lanes whose last extended-precision instruction left a carry or borrow
F_PASS_PC = 456  # u32: where a debugger has stopped lanes of the warp, F_PASS_MASK: the next time they go on
F_PASS_MASK = 460  # u32 mask
F_ARRIVED = 464  # u64: with counters, E_WARP_COUNT when the warp came to the barrier that it waits at
F_POLLED = 472  # u32: polls in vain since another group of lanes last got its turn
F_SPENT = 476  # u32: instructions of the warp, while diverged, since then
F_HEADER = 512

# Order of the words at F_SREGS.
UNIFORM_SREGS = (
    *(f"%{name}.{axis}" for name in ("ctaid", "ntid", "nctaid", "clusterid", "nclusterid") for axis in "xyz"),
    *(f"%{name}.{axis}" for name in ("cluster_ctaid", "cluster_nctaid") for axis in "xyz"),
    "%cluster_ctarank",
    "%cluster_nctarank",
    "%is_explicit_cluster",
    "%warpid",
    "%nwarpid",
    "%smid",
    "%nsmid",
    "%gridid",
    "%dynamic_smem_size",
    "%total_smem_size",
    "%aggr_smem_size",
    "%reserved_smem_offset_begin",
    "%reserved_smem_offset_end",
    "%reserved_smem_offset_cap",
    "%reserved_smem_offset_0",
    "%reserved_smem_offset_1",
    "%envreg1",
    "%envreg2",
)
SREG_OFFSET = {name: F_SREGS + 4 * i for i, name in enumerate(UNIFORM_SREGS)}
assert F_SREGS + 4 * len(UNIFORM_SREGS) <= F_SHARED_FIRST
S_CTAID = SREG_OFFSET["%ctaid.x"]
# Rows of 32 × u32 that differ between lanes; a program has those that it uses.
LANE_SREGS = (
    "%tid.x",
    "%tid.y",
    "%tid.z",
    "%laneid",
    "%lanemask_eq",
    "%lanemask_le",
    "%lanemask_lt",
    "%lanemask_ge",
    "%lanemask_gt",
)
CLOCK_SREGS = ("%clock", "%clock_hi", "%clock64", "%globaltimer", "%globaltimer_lo", "%globaltimer_hi")

# --- a CTA ------------------------------------------------------------------------------------------------------------
C_RUNNABLE = 0  # u32 mask over warps
C_ALIVE = 4  # u32 mask over warps
C_WARPS = 8  # u32
C_NEXT = 12  # u32: the warp to try first
C_CURRENT = 16  # u32: the warp that returned last
C_RANK = 20  # u32: in its cluster
C_CLUSTER_SIZE = 24  # u32
C_FRAME_BYTES = 28  # u32: stride between frames
C_FRAMES = 32  # pointer to the frame of warp 0
C_SHARED = 40  # host pointer, as F_SHARED
C_SHARED_BYTES = 48  # u64
C_CLUSTER = 56  # pointer to u64[16]: the CTAs of the cluster by rank
C_THREADS = 64  # u32
C_ENTRY = 68  # u32: the program counter that all threads start at
C_MBARRIERS = 72  # pointer to the state of its mbarriers, MBARRIER_BYTES for every 8 bytes of shared memory
C_POLLED = 80  # u32 mask over warps: those that have polled in vain in this pass
C_PASSES = 84  # u32: passes over all warps in which nobody did anything else
C_PRODUCTS = 88  # pointer to the state of its warpgroups' products, GROUP_BYTES each
C_BARRIERS = 128  # 16 barriers of 32 bytes
C_BYTES = C_BARRIERS + 16 * 32
B_ARRIVED = 0  # u32: threads, in whole warps
B_EXPECTED = 4  # u32: threads of the explicit count, 0 for all of the CTA
B_WAITERS = 8  # u32 mask over warps
B_AND = 12  # u32: conjunction of the predicates so far
B_COUNT = 16  # u32: sum of true predicates
BARRIER_BYTES = 32

# --- an mbarrier; words are i32 ---------------------------------------------------------------------------------------
M_LIVE = 0  # whether one is there
M_COUNT = 4  # arrivals that complete a phase
M_PENDING = 8  # arrivals that this phase lacks
M_BYTES = 12  # bytes that it lacks; negative: they arrived before they were expected
M_PHASE = 16  # phases completed
M_SEEN = 20  # how many of them a wait has found so
M_AWAITED = 24  # whether lanes are parked until this phase completes
MBARRIER_BYTES = 32
MBARRIER_LIMIT = 1 << 20  # counts of arrivals and bytes stay below this

# --- products of a warpgroup's tensor core; u32 -------------------------------------------------------------------------
P_ISSUED = 0  # [4]: products that each warp has executed
P_COMMITTED = 16  # [4]: groups that each warp has committed
P_DONE = 32  # products carried out
P_AGREED = 36  # 1 + the number of a product that the last warp executes as all others have
P_COMMITS = 64  # [4][P_WINDOW]: P_ISSUED at the latest commits of each warp
P_RING = 192  # P_WINDOW products that not all warps have executed yet, of P_BYTES
GROUP_BYTES = 448
P_WINDOW = 8
P_NUMBER = 0  # 1 + its number
P_PC = 4
P_ACCUMULATE = 8
P_A = 16  # u64: descriptors
P_B = 24
P_BYTES = 32

# --- the environment --------------------------------------------------------------------------------------------------
E_LIMIT = 0  # u64: the slice ends when E_WARP_COUNT passes this
E_WARP_COUNT = 8  # u64: warp instructions of the launch
E_THREAD_COUNT = 16  # u64: thread instructions of the launch
E_RECORDS = 24  # pointer
E_PARAMS = 32  # pointer to the parameter block
E_BUFFERS = (
    40  # pointer to u64[n][4], BUFFER_BYTES each: begin, end, writable, what to add for the host address; sorted
)
E_BUFFER_COUNT = 48  # u64
E_FUNCTIONS = 56  # pointer to u32[n][2] by address / FUNCTION_UNIT: program counter (FULL for none), signature
E_FUNCTION_COUNT = 64  # u64
E_HEAP = 72  # u64: the first byte of the heap, 0 where there is none
E_HEAP_BYTES = 80  # u64
E_HEAP_SHADOW = 112  # pointer to u8[]: of each 16 bytes of the heap, how many belong to an allocation
E_RESOLVE = 88  # pointer to ptxlab_resolve
E_ROTATE_LIMIT = 96  # u64: while a warp is diverged, its group's slice ends here
E_ARRIVE = 104  # pointer to ptxlab_arrive
E_NEXT_CTA = 120  # u64: linear index of the next CTA to start
E_END_CTA = 128  # u64
E_GRID = 136  # u32[3]
E_EAGER_COPIES = 152  # u64: not 0 where cp.async copies and wgmma multiplies when it is issued, and nobody watches
E_READS = 168  # u64: in a logged launch, what lies between a byte of its memory and the mark that it was read
E_WRITES = 176  # u64: the same for writes
E_ARENA = 184  # pointer to the memory of a logged launch, which holds all its buffers
E_ORIGINAL = 192  # pointer to the records as they were before a debugger or counters put their own handlers in
E_STEP = 200  # pointer to the frame that is stepped
E_STOPPED = 208  # u32: not 0 where the trap is a debugger's: STOPPED, MAKES_ROOM
E_UNWATCHED = 160  # u64: not 0 where nobody keeps a timeline or looks for races
E_COUNTERS = 216  # pointer to COUNTERS u64 for every 16 bytes of records
E_STARTS = 224  # pointer to u64[n][3]: begin and end of each buffer, and where its sectors are counted from
E_START_COUNT = 232  # u64
E_ARENA_BYTES = 240  # u64
E_WATCH = 248  # pointer to the block of W_BYTES in which handlers of a watched machine note what has an effect
E_SKEW = 512  # u64: what clocks show beyond the instructions of the launch: time that went by while everybody polled
E_PLAIN = 520  # pointer to the records as they were before the machine was watched
E_PASSES = 528  # u64: how often all warps of a CTA that can run poll in vain before its turn is over
E_SCRATCH = 256  # u64[32]: host addresses of the lanes
E_BYTES = E_SCRATCH + 256 + 64

# --- what a watched machine notes; see semantics/effects.py -------------------------------------------------------------
W_EFFECTS = 0  # u64: instructions that have changed anything but registers
W_CLOCKS = 8  # u64: instructions that have read a clock
W_VERIFY = 16  # pointer to ptxlab_verify
W_LANES = 24  # u32 mask: lanes of the last access whose outcome has not been looked at yet
W_SIZE = 28  # u32: bytes of each
W_PLACES = 64  # u64[32]: host addresses
W_BEFORE = 320  # 32 × W_WIDEST bytes: what was there
W_WIDEST = 64
W_BYTES = W_BEFORE + 32 * W_WIDEST

# --- records ----------------------------------------------------------------------------------------------------------
R_HANDLER = 0  # pointer
R_GUARD = 8  # u32: frame offset of the predicate
R_NEGATE = 12  # u32: XORed to it
R_FIELDS = 16  # u64 each: a frame offset, or an immediate
FIELD = 8
CACHE_FIELDS = 3  # of a remembered buffer: its row in E_BUFFERS without `writable`
BUFFER_BYTES = 32
# bits of the word `writable`; the upper ones name a window
BUFFER_WRITABLE, BUFFER_CONST, BUFFER_PARAM = 1, 1 << 32, 1 << 33

# --- counters of an instruction: u64 each ------------------------------------------------------------------------------
COUNTERS = (
    "executions",  # by warps
    "threads",
    "skipped",  # executions by warps none of whose lanes had the guard
    "shared_requests",
    "wavefronts",
    "least_wavefronts",
    "worst_wavefronts",
    "global_requests",
    "sectors",
    "least_sectors",
    "shared_threads",
    "remote_threads",  # of them, those that reach another CTA
    "global_threads",
    "local_threads",
    "waits",
    "waited",  # warp instructions of the launch that went by
)

SPACES = ("generic", "global", "shared", "local", "param", "const", "shared::cluster")
"""`shared` is shared::cta: it reaches the executing CTA alone."""


def record_bytes(fields: int) -> int:
    """The size of a record with so many operand fields."""
    return R_FIELDS + FIELD * fields


def row_bytes(bits: int) -> int:
    """The size of a register's row; a predicate is one word."""
    return 4 if bits == 1 else LANES * max(2, bits // 8)
