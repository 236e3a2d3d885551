"""The machine's state in native memory: every field, in one place.

Four kinds of blocks, addressed by the byte offsets that their declarations give: the *environment* (one a launch), a *CTA*, a
warp's *frame*, and the *records* of the program. A frame is its header, the constant rows, then a row of 32 lanes for every
register. A program counter is the byte offset of a record.
"""

from __future__ import annotations

from ptxlab.codegen.structure import Structure

LANES = 32
LAYERS = 6
"""Layers of prologues that the environment has room for."""
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
FAULT_MASK = 16  # a lane executes with a member mask that lacks it
FAULT_VECTOR = 18  # an atomic of a vector on a generic address outside global memory
FAULT_BARRIERS = 17  # lanes of a warp name different barriers
FAULT_EXITED = 15  # a CTA of the cluster that has exited
FAULT_FOREIGN = 20  # bits that are no code of residues, in a program that computes with codes
FAULT_COUNTS = 19  # a barrier of the CTA that is in use with another count, or otherwise

# --- a warp's frame ---------------------------------------------------------------------------------------------------
FRAME = Structure("frame")
F_PCS = FRAME.u32(LANES)  # where each lane waits, while it is not in the running group
F_ALIVE = FRAME.u32()  # mask: lanes that have not exited
F_WAITING = FRAME.u32()  # mask: lanes parked by a trap
F_SYNC = FRAME.u32()  # mask: lanes waiting for other lanes of the warp, or at a barrier of the CTA
F_MERGE = FRAME.u32()  # least pc of the other runnable lanes
F_LAST = FRAME.u32()  # pc at which the running group was chosen
F_ROTATE = FRAME.u32()  # not 0: choose the next group round robin instead of the least pc
F_ONES = FRAME.u32()  # all ones, the guard of unguarded records
F_BARRIER = FRAME.u32()  # 1 + the number of the CTA barrier that the warp waits at, 0 for none
F_RELEASED = FRAME.u32()  # mask: lanes whose barrier has completed
F_TRAP_MASK = FRAME.u32()  # mask: lanes at the trap
F_TRAP_PC = FRAME.u32()  # its record
F_FAULT = FRAME.u32()  # FAULT_*
F_FAULT_LANE = FRAME.u32()
F_FAULT_PC = FRAME.u32()
F_FAULT_ADDRESS = FRAME.u64()
F_FAULT_BYTES = FRAME.u32()
F_FAULT_SPACE = FRAME.u32()  # SPACES
F_INSTRUCTIONS = FRAME.u64()  # instructions that this warp has executed
F_CTA = FRAME.pointer()  # its CTA
F_SHARED = FRAME.pointer()  # the kernel's part of the CTA's shared memory
F_SHARED_BYTES = FRAME.u64()
F_LOCAL = FRAME.pointer()  # lane 0's local memory
F_LOCAL_BYTES = FRAME.u64()  # of one lane; the stride between lanes
F_BAR_AND = FRAME.u32()  # 1 if all predicates at the barrier that completed were true
F_BAR_COUNT = FRAME.u32()  # how many were
F_SREGS = FRAME.u32(48)  # special registers that all threads of the warp share: UNIFORM_SREGS
F_SHARED_FIRST = FRAME.u32()  # the address of the first byte of F_SHARED, with the CTA's rank
F_CARRY = FRAME.u32()  # mask: lanes whose last extended-precision instruction left a carry or borrow
F_PASS_PC = FRAME.u32()  # where a debugger has stopped lanes of the warp, F_PASS_MASK: the next time they go on
F_PASS_MASK = FRAME.u32()
F_ARRIVED = FRAME.u64()  # with counters, E_WARP_COUNT when the warp came to the barrier that it waits at
F_POLLED = FRAME.u32()  # polls in vain since another group of lanes last got its turn
F_SPENT = FRAME.u32()  # instructions of the warp, while diverged, since then
F_SLEEPING = FRAME.u32()  # mask: lanes that wait for an mbarrier without Python
F_SLEEPS_AT = FRAME.u32()  # byte of shared memory where that mbarrier is
F_SLEPT = FRAME.u64()  # what clocks showed when they began
F_HEADER = FRAME.close(align=512)  # rows of registers begin here

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
S_CTAID, S_CLUSTERID = SREG_OFFSET["%ctaid.x"], SREG_OFFSET["%clusterid.x"]
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

# --- a barrier of a CTA -----------------------------------------------------------------------------------------------
BARRIER = Structure("barrier of a CTA")
B_ARRIVED = BARRIER.u32()  # threads, in whole warps
B_EXPECTED = BARRIER.u32()  # threads of the explicit count, 0 for all of the CTA
B_WAITERS = BARRIER.u32()  # mask over warps
B_AND = BARRIER.u32()  # conjunction of the predicates so far
B_COUNT = BARRIER.u32()  # sum of true predicates
B_KIND = BARRIER.u32()  # what the first of them does there: BARRIER_KINDS
B_PC = BARRIER.u32()  # the record at which the first of them arrived
BARRIER_BYTES = BARRIER.close(align=32)
BARRIERS = 16
BARRIER_KINDS = ("sync", "and", "or", "popc")  # how a barrier is used: arrivals go with sync

# --- an mbarrier ------------------------------------------------------------------------------------------------------
MBARRIER = Structure("mbarrier")
M_LIVE = MBARRIER.i32()  # whether one is there
M_COUNT = MBARRIER.i32()  # arrivals that complete a phase
M_PENDING = MBARRIER.i32()  # arrivals that this phase lacks
M_BYTES = MBARRIER.i32()  # bytes that it lacks; negative: they arrived before they were expected
M_PHASE = MBARRIER.i32()  # phases completed
M_SEEN = MBARRIER.i32()  # how many of them a wait has found so
M_AWAITED = MBARRIER.i32()  # whether lanes are parked until this phase completes
M_SLEEPERS = MBARRIER.i32()  # mask over warps of its CTA: those with lanes that wait for it without Python
MBARRIER_BYTES = MBARRIER.close(align=32)
LIVE_MOST = 48  # mbarriers of a CTA that can be initialised without Python

# --- what carries a product out without Python ---------------------------------------------------------------------------
READY = Structure("product that is ready")
Y_PC = READY.u32()  # 1 + the program counter of its instruction; 0: nothing is here
Y_ACCUMULATE = READY.u32()
Y_A = READY.u64()  # descriptors, as in PRODUCT: they and the two above are what it is looked up by
Y_B = READY.u64()
Y_DECODE_A = READY.pointer()  # functions of numerics/native.py, and what they take
Y_DECODE_B = READY.pointer()
Y_MULTIPLY = READY.pointer()
Y_CHOOSE = READY.pointer()  # 0 where A is not sparse
Y_INDEX_A = READY.pointer()
Y_INDEX_B = READY.pointer()
Y_COUNT_A = READY.u64()  # elements of A, or of a warp's part of it
Y_COUNT_B = READY.u64()
Y_FLIP_A = READY.u32()
Y_FLIP_B = READY.u32()
Y_REGISTERS = READY.u32()  # not 0 where A comes from registers
Y_OPTIONS = READY.u32()
Y_VALUES_A = READY.pointer()
Y_EXPONENTS_A = READY.pointer()
Y_VALUES_B = READY.pointer()
Y_EXPONENTS_B = READY.pointer()
Y_STARTS = READY.pointer()
Y_N = READY.u64()
Y_FLAGS = READY.pointer()
Y_CHOSEN = READY.pointer()
Y_DEPTH = READY.u64()
Y_METADATA = READY.u64()
Y_LANES = READY.pointer()
Y_SHIFTS = READY.pointer()
Y_GROUPS = READY.u64()
Y_RUNS_A = READY.u64()  # what operands in shared memory consist of, where E_JUDGE_PRODUCT asks: how many runs of bytes,
Y_STARTS_A = READY.pointer()  # i64 each: where they begin
Y_SIZES_A = READY.pointer()  # and their bytes
Y_RUNS_B = READY.u64()
Y_STARTS_B = READY.pointer()
Y_SIZES_B = READY.pointer()
READY_BYTES = READY.close(align=64)
READY_PLACES = 1024  # of a launch's table
READY_TRIES = 16  # places that a product may be at, from the one that its key hashes to

# --- products of a warpgroup's tensor core ------------------------------------------------------------------------------
P_WARPS = 4  # of a warpgroup
P_WINDOW = 8  # products and commits that are remembered
PRODUCT = Structure("product")
P_NUMBER = PRODUCT.u32()  # 1 + its number
P_PC = PRODUCT.u32()
P_ACCUMULATE = PRODUCT.u32()
P_A = PRODUCT.u64()  # descriptors
P_B = PRODUCT.u64()
P_BYTES = PRODUCT.close()
PRODUCTS = Structure("products of a warpgroup")
P_ISSUED = PRODUCTS.u32(P_WARPS)  # products that each warp has executed
P_COMMITTED = PRODUCTS.u32(P_WARPS)  # groups that each warp has committed
P_WAITED = PRODUCTS.u32(P_WARPS)  # products that each warp has waited for
P_DONE = PRODUCTS.u32()  # products carried out
P_SLEEPING = PRODUCTS.u32()  # mask over its warps: those that wait, without Python, until a product is carried out
P_AGREED = PRODUCTS.u32()  # 1 + the number of a product that the last warp executes as all others have
P_HELD = PRODUCTS.u32()  # products that Python sees to: all later ones wait for them
P_FLAGGED = PRODUCTS.u32()  # 1 + the place in E_READY of a product some of whose results Python has to work out; else 0
P_BOXES = PRODUCTS.u32()  # not 0 where copies have written boxes that descriptors may read with another swizzle
P_COMMITS = PRODUCTS.u32(P_WARPS * P_WINDOW, align=64)  # [P_WARPS][P_WINDOW]: P_ISSUED at each warp's latest commits
P_RING = PRODUCTS.blocks(PRODUCT, P_WINDOW, align=64)  # products that not all warps have executed yet
P_KNOWN = PRODUCTS.u32(READY_PLACES // 32, align=64)  # by place in E_READY: products that agree with the CTA's boxes
GROUP_BYTES = PRODUCTS.close(align=64)

# --- copies of a CTA that are under way, where nobody but native code sees to them ----------------------------------------
MOST_WARPS = 32
PENDING = Structure("operation that is pending")
U_NEXT = PENDING.pointer()  # the warp's next one
U_NUMBER = PENDING.u64()  # the order of their issue
U_PC = PENDING.u32()  # its instruction
U_LANES = PENDING.u32()  # mask: lanes for whom it is pending
U_SIZE = PENDING.u32()  # bytes of each lane's copy; 0 for an arrival on an mbarrier
U_TAKEN = PENDING.u32(LANES, align=64)  # of those, the ones that are read; zeros fill the rest
U_GROUPS = PENDING.u32(LANES, align=64)  # the group that each lane's copy belongs to
U_FROM = PENDING.u64(LANES, align=64)  # host addresses
U_TO = PENDING.u64(LANES, align=64)  # host addresses; of an arrival, the state of the mbarrier
PENDING_BYTES = PENDING.close(align=64)
QUEUE_ROOM = 4096
PATIENCE = 1024  # so many vain polls of a cluster make an event happen that the schedule would hold back
QUEUE = Structure("queue of pending operations")
Q_ISSUED = QUEUE.u64()  # operations since the CTA began
Q_PENDING = QUEUE.u64()  # that are pending now
Q_ARRIVALS = QUEUE.u64()  # of those, arrivals
Q_POLLS = QUEUE.u64()  # how often an mbarrier was asked in vain, since the first operation
Q_FREE = QUEUE.pointer()  # the first of those that have been carried out and can be used again
Q_USED = QUEUE.u64()  # how many of Q_ROOM have ever been used by this CTA
Q_FIRST = QUEUE.u64(MOST_WARPS, align=64)  # of each warp, its oldest operation; 0 for none
Q_LAST = QUEUE.u64(MOST_WARPS, align=64)  # and its latest
Q_COMMITTED = QUEUE.u32(MOST_WARPS * LANES, align=64)  # groups that each lane of each warp has committed
Q_ROOM = QUEUE.blocks(PENDING, QUEUE_ROOM, align=64)
QUEUE_BYTES = QUEUE.close(align=64)

# --- a CTA ------------------------------------------------------------------------------------------------------------
CTA = Structure("CTA")
C_RUNNABLE = CTA.u32()  # mask over warps
C_ALIVE = CTA.u32()  # mask over warps
C_WARPS = CTA.u32()
C_NEXT = CTA.u32()  # the warp to try first
C_CURRENT = CTA.u32()  # the warp that returned last
C_RANK = CTA.u32()  # in its cluster
C_CLUSTER_SIZE = CTA.u32()
C_FRAME_BYTES = CTA.u32()  # stride between frames
C_FRAMES = CTA.pointer()  # the frame of warp 0
C_SHARED = CTA.pointer()  # as F_SHARED
C_SHARED_BYTES = CTA.u64()
C_CLUSTER = CTA.pointer()  # u64[16]: the CTAs of the cluster by rank
C_THREADS = CTA.u32()
C_ENTRY = CTA.u32()  # the program counter that all threads start at
C_MBARRIERS = CTA.pointer()  # the state of its mbarriers, MBARRIER_BYTES for every 8 bytes of shared memory
C_POLLED = CTA.u32()  # mask over warps: those that have polled in vain in this pass
C_PASSES = CTA.u32()  # passes over all warps in which nobody did anything else
C_PRODUCTS = CTA.pointer()  # the state of its warpgroups' products, GROUP_BYTES each
C_TRIGGERED = CTA.u32()  # not 0 once a thread has executed griddepcontrol.launch_dependents
C_BEHIND = (
    CTA.u32()
)  # mask over warps: those all of whose threads come behind the grids in front, as the sanitizer knows
C_LIVE_COUNT = CTA.u32()  # mbarriers that were initialised without Python
C_LIVE = CTA.u32(LIVE_MOST)  # and the byte of shared memory where each is
C_ARENA = CTA.pointer()  # the sanitizer's memory (sim/order/native/arena.py), where it runs, and its functions:
C_NOTE = CTA.pointer()  # i32 (arena, slot, warp, alive lanes, number, waits, first, over, record): not 0: call C_FLUSH
C_FLUSH = CTA.pointer()  # void (frame): Python takes what has been noted
C_SLOT = CTA.u32()  # the CTA's part of the arena
C_BARRIERS = CTA.blocks(BARRIER, BARRIERS, align=128)
C_BYTES = CTA.close(align=64)

# --- the environment --------------------------------------------------------------------------------------------------
ENVIRONMENT = Structure("environment")
E_LIMIT = ENVIRONMENT.u64()  # the slice ends when E_WARP_COUNT passes this
E_WARP_COUNT = ENVIRONMENT.u64()  # warp instructions of the launch
E_THREAD_COUNT = ENVIRONMENT.u64()  # thread instructions of the launch
E_RECORDS = ENVIRONMENT.pointer()
E_PARAMS = ENVIRONMENT.pointer()  # the parameter block
E_BUFFERS = ENVIRONMENT.pointer()  # u64[n][4], sorted: begin, end, writable, what to add for the host address
E_BUFFER_COUNT = ENVIRONMENT.u64()
E_FUNCTIONS = ENVIRONMENT.pointer()  # u32[n][2], for each function: program counter (FULL for none), signature
E_FUNCTION_COUNT = ENVIRONMENT.u64()
E_FUNCTION_BASE = ENVIRONMENT.u64()  # address of the first
E_HEAP = ENVIRONMENT.u64()  # the first byte of the heap, 0 where there is none
E_HEAP_BYTES = ENVIRONMENT.u64()
E_RESOLVE = ENVIRONMENT.pointer()  # ptxlab_resolve
E_ROTATE_LIMIT = ENVIRONMENT.u64()  # while a warp is diverged, its group's slice ends here
E_ARRIVE = ENVIRONMENT.pointer()  # ptxlab_arrive
E_HEAP_SHADOW = ENVIRONMENT.pointer()  # u8[]: of each 16 bytes of the heap, how many belong to an allocation
E_NEXT_CTA = ENVIRONMENT.u64()  # linear index of the next CTA to start
E_END_CTA = ENVIRONMENT.u64()
E_GRID = ENVIRONMENT.u32(3)
E_EAGER_COPIES = ENVIRONMENT.u64()  # not 0 where asynchronous operations run at issue, and nobody observes them
E_COMMITS = ENVIRONMENT.u64()  # not 0 where nobody keeps a timeline or hears that a group is committed
E_JOINS = (
    ENVIRONMENT.u64()
)  # not 0 where warps join a wgmma without Python: it runs at issue, in Python if it is observed
E_COPIES = ENVIRONMENT.u64()  # not 0 where cp.async copies when it is issued, and nobody has to hear of that in Python
E_PRODUCTS = ENVIRONMENT.u64()  # not 0 where wgmma multiplies at issue, and Python need not be notified
E_SLEEPS = ENVIRONMENT.u64()  # not 0 where nobody has to hear that a warp waits for products
E_EARLY = ENVIRONMENT.u64()  # not 0 while grids that griddepcontrol.wait waits for may run
E_HOLDS = ENVIRONMENT.u64()  # not 0 where CTAs stay at griddepcontrol.launch_dependents until nobody else gets on
E_UNWATCHED = ENVIRONMENT.u64()  # not 0 where nobody keeps a timeline or listens to asynchronous hooks
E_READS = ENVIRONMENT.u64()  # in a logged launch, what lies between a byte of its memory and the mark that it was read
E_WRITES = ENVIRONMENT.u64()  # the same for writes
E_ARENA = ENVIRONMENT.pointer()  # the memory of a logged launch, which holds all its buffers
E_STEP = ENVIRONMENT.pointer()  # the frame that is stepped
E_STOPPED = ENVIRONMENT.u32()  # not 0 where the trap is a debugger's: STOPPED, MAKES_ROOM
E_COUNTERS = ENVIRONMENT.pointer()  # COUNTERS u64 for every 16 bytes of records
E_STARTS = ENVIRONMENT.pointer()  # u64[n][3]: begin and end of each buffer, and where its sectors are counted from
E_START_COUNT = ENVIRONMENT.u64()
E_ARENA_BYTES = ENVIRONMENT.u64()
E_WATCH = ENVIRONMENT.pointer()  # the block WATCH in which handlers of a watched machine note what has an effect
E_SCRATCH = ENVIRONMENT.u64(LANES, align=64)  # host addresses of the lanes
E_SKEW = ENVIRONMENT.u64()  # what clocks show beyond the launch's instructions: time that passed while all warps polled
E_BELOW = ENVIRONMENT.u64(LAYERS)  # pointers: for each layer of prologues, the records below it; see layers.py
E_YIELDS = ENVIRONMENT.pointer()  # u8[] by program counter / FIELD: whether other lanes run on while some are there
E_PASSES = ENVIRONMENT.u64()  # how often all warps of a CTA that can run poll in vain before its turn is over
E_UNWRITTEN_ROWS = ENVIRONMENT.pointer()  # a warp's registers when its CTA begins: engine/machine/unwritten.py
E_UNWRITTEN_ROWS_AT = ENVIRONMENT.u64()  # frame offset of the first
E_UNWRITTEN_ROWS_BYTES = ENVIRONMENT.u64()
E_UNWRITTEN_SHARED = ENVIRONMENT.pointer()  # the same for shared memory, C_SHARED_BYTES
E_UNWRITTEN_LOCAL = ENVIRONMENT.pointer()  # the same for the local memory of a thread
E_UNWRITTEN_LOCAL_BYTES = ENVIRONMENT.u64()
E_OUTSIDE = ENVIRONMENT.u32(3)  # of a shuffle that reads a lane without part in it: that lane + 1, who reads, members
E_OTHER = ENVIRONMENT.u32(2)  # shuffles between these program counters get other bits from such lanes
E_PRODUCT = ENVIRONMENT.pointer()  # where products are carried out at issue, the function that does: numerics/ready.py
E_ALONE = ENVIRONMENT.u64()  # not 0 while CTAs run one after the other, and nobody observes waits for mbarriers
E_QUEUE = ENVIRONMENT.pointer()  # the block QUEUE of the CTA that runs alone where its copies take their time; else 0
E_TAKE = ENVIRONMENT.pointer()  # ptxlab_take
E_AWAIT = ENVIRONMENT.pointer()  # ptxlab_await
E_OLDEST = ENVIRONMENT.pointer()  # ptxlab_oldest
E_WAKE = ENVIRONMENT.pointer()  # ptxlab_wake
E_TURN = ENVIRONMENT.u64()  # warp instructions of a CTA's first slice in ptxlab_grid; 0: up to E_LIMIT
E_PAUSE = ENVIRONMENT.u64()  # with E_TURN: no further CTA starts when E_WARP_COUNT has passed this
E_READY = ENVIRONMENT.pointer()  # READY_PLACES blocks READY: the products that it knows
E_NOTIFY = ENVIRONMENT.pointer()  # called before an instruction runs: void (frame, program counter, executing lanes)
E_JUDGE = (
    ENVIRONMENT.pointer()
)  # i32 (arena, slot, lanes' addresses, lanes, warp, program counter, JUDGE_EQUAL or 0): 0 where an access is in order
E_SAME = ENVIRONMENT.pointer()  # i32 (addresses, values, lanes): whether lanes with one address have one value
E_COPY = (
    ENVIRONMENT.pointer()
)  # i32 (arena, slot, sources, destinations, bytes read by each lane, lanes, warp, program counter): the same of copies
E_COMMIT = ENVIRONMENT.pointer()  # void (arena, slot, lanes, warp): they make their copies a group
E_WAIT = ENVIRONMENT.pointer()  # void (arena, slot, lanes, warp, program counter): they wait for copies
E_JUDGE_PRODUCT = (
    ENVIRONMENT.pointer()
)  # i32 (arena, slot, first warp, record, number, of A and of B: runs, starts, sizes): as E_JUDGE; 0 where nobody asks
E_PRODUCT_WAIT = ENVIRONMENT.pointer()  # void (arena, slot, warp, number, record): waits for products before this one
E_FENCE = (
    ENVIRONMENT.pointer()
)  # i32 (arena, slot, lanes, warp, kinds, record): a proxy fence; not 0: the notes are full
E_GUARD = ENVIRONMENT.pointer()  # the same of wgmma.fence
E_MEET = ENVIRONMENT.pointer()  # i32 (arena, slot, masks, lanes, warp, released, record): bar.warp.sync: `lanes_meet`
E_BEGIN = ENVIRONMENT.pointer()  # void (arena, slot, index): a CTA begins; 0 where nobody has to hear
E_WAITS = ENVIRONMENT.u64()  # not 0 where warps wait for products without Python, which may be noted for it: E_NOTE
E_NOTE = ENVIRONMENT.pointer()  # i32 (arena, slot, kind, warp, lanes, pc, two words): a wait; not 0: the notes are full
E_CLOCK = (
    ENVIRONMENT.pointer()
)  # with a timeline, called at barriers of a CTA: void (frame, program counter, executing lanes)
E_ARRIVALS = ENVIRONMENT.u64()  # not 0 where arrivals at mbarriers may be noted so, too
E_BYTES = ENVIRONMENT.close(align=64)

# --- what a watched machine notes; see engine/handlers/effects.py -------------------------------------------------------------
W_WIDEST = 64
WATCH = Structure("watch")
W_EFFECTS = WATCH.u64()  # instructions that have changed anything but registers
W_CLOCKS = WATCH.u64()  # instructions that have read a clock
W_VERIFY = WATCH.pointer()  # ptxlab_verify
W_LANES = WATCH.u32()  # mask: lanes of the last access whose outcome has not been looked at yet
W_SIZE = WATCH.u32()  # bytes of each
W_PLACES = WATCH.u64(LANES, align=64)  # host addresses
W_BEFORE = WATCH.bytes(LANES * W_WIDEST, align=64)  # what was there
W_BYTES = WATCH.close(align=64)

# --- records ----------------------------------------------------------------------------------------------------------
RECORD = Structure("record")
R_HANDLER = RECORD.pointer()
R_GUARD = RECORD.u32()  # frame offset of the predicate
R_NEGATE = RECORD.u32()  # XORed to it
R_FIELDS = RECORD.close()  # u64 each: a frame offset, or an immediate
FIELD = 8
CACHE_FIELDS = 3  # of a remembered buffer: its row in E_BUFFERS without `writable`
BUFFER_BYTES = 32
# bits of the word `writable`; the upper ones name a window
BUFFER_WRITABLE, BUFFER_CONST, BUFFER_PARAM = 1, 1 << 32, 1 << 33

MEET_FULL, MEET_IN_PART = 1, 2  # of E_MEET: the notes are full; not all lanes of the warp meet, so Python has to look

# --- kinds of notes that warps take for the sanitizer (E_NOTE), and what the two words are -----------------------------------
NOTE_PRODUCTS = 1  # a warp has waited for products before a number
NOTE_PHASE = 2  # lanes have found a phase of an mbarrier over: its place, and the phase
NOTE_ARRIVAL = 3  # lanes arrive at an mbarrier: its place, and the phase
NOTE_ISSUE = 4  # lanes issue an operation: which of the things that Python has kept
NOTE_COMPLETE = 5  # an operation counts in a phase of an mbarrier: the same
NOTE_WAITED = 6  # lanes have waited for operations by groups: the same
NOTE_CLUSTER = 7  # lanes arrive at the barrier of the cluster, or (1) have passed it: the phase, and which
NOTE_EXPECTED = (
    8  # lanes add to the bytes that a phase of an mbarrier expects, and do not arrive: its place, and the phase
)
NOTE_INITS = 9  # lanes execute fence.mbarrier_init

JUDGE_EQUAL = 1 << 16  # E_JUDGE: lanes that store to the same bytes store the same there

STRUCTURES = (FRAME, BARRIER, MBARRIER, READY, PRODUCT, PRODUCTS, PENDING, QUEUE, CTA, ENVIRONMENT, WATCH, RECORD)

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
