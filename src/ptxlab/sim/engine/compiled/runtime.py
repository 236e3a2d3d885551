"""The native machine: finding memory, choosing groups of lanes, running warps, CTAs and grids.

Functions here are compiled once and called from Python and from handlers. All take and return plain integers and pointers;
their state lies in the blocks that frame.py lays out.

| function | does |
|---|---|
| ptxlab_resolve | host addresses for lanes whose access the handler could not settle, or the fault |
| ptxlab_arrive | a warp arrives at a barrier of its CTA |
| ptxlab_arrive_notifying | the same, and the sanitizer is notified |
| ptxlab_warp | runs a warp until it waits, traps, faults, exits or has used up its slice |
| ptxlab_cta | runs the warps of a CTA in turn |
| ptxlab_start | puts a CTA into its slot: program counters, masks, %ctaid |
| ptxlab_grid | starts and runs CTAs one after the other in one slot |
| ptxlab_verify | whether the last access of a watched machine has changed memory |
| ptxlab_enter_cta, ptxlab_enter_grid | the same for callers from outside, under IEEE arithmetic |
"""

from __future__ import annotations

import platform
from collections.abc import Callable
from dataclasses import dataclass

from ptxlab.abi.limits import SM_COUNT
from ptxlab.codegen.ir import I32, I64, PTR, Fn, T, Val, Variable
from ptxlab.sim.engine.compiled import frame as F
from ptxlab.sim.engine.compiled.address import ADDRESS32, OFFSET_MASK, RANK_SHIFT, SHARED_BASE, WINDOW_SHIFT

ROW = T("u", 32)
VAIN_POLLS = 1024
"""Polls of a warp in vain after which another group of its lanes gets its turn: it may be what is waited for."""
DIVERGED_SLICE = 1024
"""Warp instructions that a group of a diverged warp runs before another group gets its turn."""

RUNTIME: dict[str, Callable[[], Fn]] = {}
"""What makes each function, by its name in native code."""


def empty(fn: Fn, queue: Val) -> None:
    """Code that drops whatever a CTA has left under way: its shared memory is gone. See queue.py."""
    for offset in (F.Q_ISSUED, F.Q_PENDING, F.Q_ARRIVALS, F.Q_POLLS, F.Q_FREE, F.Q_USED):
        _set(fn, queue, offset, 0, I64)
    for table in (F.Q_FIRST, F.Q_LAST):
        fn.store(fn.null(T("u", 64, F.MOST_WARPS)), queue, table, 64)


def runtime_text() -> str:
    """The LLVM text of all functions of the runtime."""
    fns = [build() for build in RUNTIME.values()]
    declared = sorted(set[str]().union(*(f.declared for f in fns)))
    return "\n".join([*declared, *(f.text() for f in fns)])


def runtime_function(name: str) -> Callable[[Callable[[], Fn]], Callable[[], Fn]]:
    """Register what makes a function of the runtime."""

    def register(build: Callable[[], Fn]) -> Callable[[], Fn]:
        RUNTIME[name] = build
        return build

    return register


def _get(fn: Fn, base: Val, offset: int, t: T = I32) -> Val:
    return fn.load(base, t, offset, t.bits // 8)


def _set(fn: Fn, base: Val, offset: int, value: Val | int, t: T = I32) -> None:
    fn.store(fn.const(value, t), base, offset, t.bits // 8)


def _bit(fn: Fn, number: Val) -> Val:
    return fn.const(1, I32) << number


# --- memory -----------------------------------------------------------------------------------------------------------
@runtime_function("ptxlab_resolve")
def resolve() -> Fn:
    """i32 (frame, remembered buffer in the record, env, lanes, access word, record): 0, or FAULT."""
    fn = Fn("ptxlab_resolve", "i32", (PTR, PTR, PTR, I32, I32, PTR))
    frame, cache, env, lanes, word, record = fn.args
    size = (word & 0xFF).to(I64)
    space = (word >> 8) & 0xFF
    write = (word >> 16) & 1
    align = (word >> 20).to(I64)
    with fn.each_bit(lanes) as lane:
        slot = fn.at(env, lane * 8 + F.E_SCRATCH)
        address = fn.load(slot, I64, align=8)
        found = _Found(fn.variable(fn.const(0, I32)), fn.variable(fn.const(0, I64)))
        with fn.if_((address & (align - 1)) != 0):
            found.kind.set(fn.const(F.FAULT_ALIGN, I32))
        with fn.if_(found.kind.get() == 0):
            generic = space == F.SPACES.index("generic")
            window = fn.select(generic, address >> WINDOW_SHIFT, fn.const(0, I64))
            by_rank = (space == F.SPACES.index("shared::cluster")) | (window == 1)
            shared = (space == F.SPACES.index("shared")) | by_rank
            local = (space == F.SPACES.index("local")) | (window == 2)
            with fn.if_(shared):
                _resolve_shared(fn, frame, found, address.to(I32), size, by_rank=by_rank)
            with fn.if_(local):
                _resolve_local(fn, frame, found, lane, address & ADDRESS32, size)
            with fn.if_(~(shared | local)):
                _resolve_global(fn, env, found, address, size, cache=cache, write=write)
            fn.store(found.host.get(), slot, align=8)
        with fn.if_(found.kind.get() != 0):
            records = _get(fn, env, F.E_RECORDS, I64)
            _set(fn, frame, F.F_FAULT, found.kind.get())
            _set(fn, frame, F.F_FAULT_LANE, lane)
            _set(fn, frame, F.F_FAULT_PC, (record.to(I64) - records).to(I32))
            _set(fn, frame, F.F_FAULT_ADDRESS, address, I64)
            _set(fn, frame, F.F_FAULT_BYTES, size.to(I32))
            _set(fn, frame, F.F_FAULT_SPACE, space)
            fn.ret(F.FAULT)
    fn.ret(0)
    return fn


@dataclass(frozen=True, slots=True)
class _Found:
    """What becomes of a lane's access: FAULT_* or 0, and its host address."""

    kind: Variable
    host: Variable


def _resolve_shared(fn: Fn, frame: Val, found: _Found, address: Val, size: Val, *, by_rank: Val) -> None:
    """Shared memory of a CTA that has exited cannot be reached."""
    cta = fn.variable(_get(fn, frame, F.F_CTA, PTR))
    rank = address >> RANK_SHIFT
    offset = ((address & OFFSET_MASK) - SHARED_BASE).to(I64)  # huge in the system's part
    exists = rank < _get(fn, cta.get(), F.C_CLUSTER_SIZE)
    known = fn.select(by_rank, exists, rank == _get(fn, cta.get(), F.C_RANK))
    with fn.if_(~known):
        unknown = fn.select(by_rank, fn.const(F.FAULT_RANK, I32), fn.const(F.FAULT_OTHER_CTA, I32))
        found.kind.set(unknown)
    with fn.if_(known):
        with fn.if_(by_rank):
            table = _get(fn, cta.get(), F.C_CLUSTER, PTR)
            cta.set(fn.load(table, PTR, rank.to(I64) * 8, 8))
            with fn.if_(_get(fn, cta.get(), F.C_ALIVE) == 0):
                found.kind.set(fn.const(F.FAULT_EXITED, I32))
        inside = offset + size <= _get(fn, cta.get(), F.C_SHARED_BYTES, I64)
        found.host.set(_get(fn, cta.get(), F.C_SHARED, I64) + offset)
        with fn.if_(~inside):
            found.kind.set(fn.const(F.FAULT_SHARED, I32))


def _resolve_local(fn: Fn, frame: Val, found: _Found, lane: Val, offset: Val, size: Val) -> None:
    stride = _get(fn, frame, F.F_LOCAL_BYTES, I64)
    found.host.set(_get(fn, frame, F.F_LOCAL, I64) + lane.to(I64) * stride + offset)
    with fn.if_(offset + size > stride):
        found.kind.set(fn.const(F.FAULT_LOCAL, I32))


def _resolve_global(fn: Fn, env: Val, found: _Found, address: Val, size: Val, *, cache: Val, write: Val) -> None:
    place, bytes_ = address - _get(fn, env, F.E_HEAP, I64), _get(fn, env, F.E_HEAP_BYTES, I64)
    inside = (place < bytes_) & (place + size <= bytes_)  # the sum alone may wrap around
    with fn.if_(inside):
        _resolve_heap(fn, env, found, place, size)
        found.host.set(address)
    with fn.if_(~inside):
        _resolve_buffer(fn, env, found, address, size, cache=cache, write=write)


def _resolve_heap(fn: Fn, env: Val, found: _Found, place: Val, size: Val) -> None:
    """An aligned access lies in one unit of 16 bytes, or takes two whole ones."""
    shadow = fn.at(_get(fn, env, F.E_HEAP_SHADOW, PTR), place / 16)
    held = fn.load(shadow, T("u", 8, 0)).to(I64)
    wanted = fn.min((place & 15) + size, fn.const(16, I64))
    with fn.if_(held < wanted):
        found.kind.set(fn.const(F.FAULT_BOUNDS, I32))
    with fn.if_(size > 16):
        second = fn.load(shadow, T("u", 8, 0), 1).to(I64)
        with fn.if_(second < 16):
            found.kind.set(fn.const(F.FAULT_BOUNDS, I32))


def _resolve_buffer(fn: Fn, env: Val, found: _Found, address: Val, size: Val, *, cache: Val, write: Val) -> None:
    table = _get(fn, env, F.E_BUFFERS, PTR)
    count = _get(fn, env, F.E_BUFFER_COUNT, I64).to(I32)
    found.kind.set(fn.const(F.FAULT_BOUNDS, I32))
    with fn.count(count) as i:
        row = fn.at(table, i.to(I64) * F.BUFFER_BYTES)
        begin, end, apart = (fn.load(row, I64, at, 8) for at in (0, 8, 24))
        with fn.if_((address >= begin) & (address + size <= end) & (address <= end)):
            found.host.set(address + apart)
            found.kind.set(fn.const(0, I32))
            allowed = fn.load(row, I64, 16, 8).to(I32) >= write
            with fn.if_(~allowed):
                found.kind.set(fn.const(F.FAULT_READONLY, I32))
            with fn.if_(allowed):
                fn.store(begin, cache, 0, 8)
                fn.store(end, cache, 8, 8)
                fn.store(apart, cache, 16, 8)


# --- barriers of a CTA ------------------------------------------------------------------------------------------------
def complete_barrier(fn: Fn, cta: Val, barrier: Val) -> None:
    """Code that releases all warps that wait at a barrier and starts its next phase."""
    waiters = _get(fn, barrier, F.B_WAITERS)
    frames, stride = _get(fn, cta, F.C_FRAMES, PTR), _get(fn, cta, F.C_FRAME_BYTES)
    with fn.each_bit(waiters) as number:
        frame = fn.at(frames, (number * stride).to(I64))
        _set(fn, frame, F.F_RELEASED, _get(fn, frame, F.F_SYNC))
        _set(fn, frame, F.F_SYNC, 0)
        _set(fn, frame, F.F_BARRIER, 0)
        _set(fn, frame, F.F_BAR_AND, _get(fn, barrier, F.B_AND))
        _set(fn, frame, F.F_BAR_COUNT, _get(fn, barrier, F.B_COUNT))
    _set(fn, cta, F.C_RUNNABLE, _get(fn, cta, F.C_RUNNABLE) | waiters)
    _set(fn, barrier, F.B_ARRIVED, 0)
    _set(fn, barrier, F.B_WAITERS, 0)
    _set(fn, barrier, F.B_AND, 1)
    _set(fn, barrier, F.B_COUNT, 0)


def barrier_at(fn: Fn, cta: Val, number: Val) -> Val:
    """Pointer to a barrier of the CTA."""
    return fn.at(cta, (number * F.BARRIER_BYTES + F.C_BARRIERS).to(I64))


def wanted_threads(fn: Fn, cta: Val, explicit: Val) -> Val:
    """Threads that complete a barrier: the count given, or all warps of the CTA that still live."""
    alive = fn.intrinsic("ctpop", _get(fn, cta, F.C_ALIVE)) * F.LANES
    return fn.select(explicit == 0, alive, explicit)


@runtime_function("ptxlab_arrive")
def arrive() -> Fn:
    """i32 (frame, cta, barrier number, thread count or 0, whether to wait, and-predicate, true predicates, kind, record).

    1 when the warp has to wait, 0 when it goes on, 2 when the barrier is in use otherwise. An H100 does not take a count that
    is left out for one that is as large.
    """
    fn = Fn("ptxlab_arrive", "i32", (PTR, PTR, I32, I32, I32, I32, I32, I32, I32))
    frame, cta, number, threads, wait, all_true, true_count, kind, pc = fn.args
    barrier = barrier_at(fn, cta, number)
    me = _get(fn, frame, F.SREG_OFFSET["%warpid"])
    before = _get(fn, barrier, F.B_ARRIVED)
    with fn.if_(before == 0):
        _set(fn, barrier, F.B_PC, pc)
        _set(fn, barrier, F.B_KIND, kind)
    other = (_get(fn, barrier, F.B_EXPECTED) != threads) | (_get(fn, barrier, F.B_KIND) != kind)
    with fn.if_((before != 0) & other):
        _set(fn, frame, F.F_FAULT_ADDRESS, _get(fn, barrier, F.B_PC).to(I64), I64)
        _set(fn, frame, F.F_FAULT_BYTES, _get(fn, barrier, F.B_EXPECTED))
        fn.ret(2)
    arrived = before + F.LANES
    _set(fn, barrier, F.B_ARRIVED, arrived)
    _set(fn, barrier, F.B_EXPECTED, threads)
    _set(fn, barrier, F.B_AND, _get(fn, barrier, F.B_AND) & all_true)
    _set(fn, barrier, F.B_COUNT, _get(fn, barrier, F.B_COUNT) + true_count)
    with fn.if_(wait != 0):
        _set(fn, barrier, F.B_WAITERS, _get(fn, barrier, F.B_WAITERS) | _bit(fn, me))
        _set(fn, frame, F.F_BARRIER, number + 1)
    with fn.if_(arrived >= wanted_threads(fn, cta, threads)):
        complete_barrier(fn, cta, barrier)
        fn.ret(0)
    with fn.if_(wait != 0):
        _set(fn, cta, F.C_RUNNABLE, _get(fn, cta, F.C_RUNNABLE) & ~_bit(fn, me))
    fn.ret((wait != 0).to("u32"))
    return fn


@runtime_function("ptxlab_arrive_notifying")
def arrive_notifying() -> Fn:
    """`ptxlab_arrive` where the sanitizer listens: it notes who comes, and asks Python to take the notes when they are many."""
    words = (PTR, PTR, *(I32,) * 7)
    fn = Fn("ptxlab_arrive_notifying", "i32", words)
    frame, cta, number, _, wait, *_, pc = fn.args
    barrier = barrier_at(fn, cta, number)
    first = (_get(fn, barrier, F.B_ARRIVED) == 0).to(I32)
    shown = ", ".join(f"{t} {a.text}" for t, a in zip(words, fn.args, strict=True))
    status = fn.line(f"call i32 @ptxlab_arrive({shown})", I32)
    with fn.if_(status != 2):
        over = (_get(fn, barrier, F.B_ARRIVED) == 0).to(I32)
        arena, note, flush = (_get(fn, cta, at, PTR) for at in (F.C_ARENA, F.C_NOTE, F.C_FLUSH))
        warp, alive = _get(fn, frame, F.SREG_OFFSET["%warpid"]), _get(fn, frame, F.F_ALIVE)
        noted = (arena, _get(fn, cta, F.C_SLOT), warp, alive, number, wait, first, over, pc)
        with fn.if_(fn.invoke(note, I32, *noted) != 0):
            fn.run(flush, frame)
    fn.ret(status)
    return fn


# --- warps ------------------------------------------------------------------------------------------------------------
@runtime_function("ptxlab_warp")
def run_warp() -> Fn:
    """i32 (frame, env): EXITED, PARKED, TRAP, FAULT, SLICE, or POLLS when a group of lanes has polled in vain."""
    fn = Fn("ptxlab_warp", "i32", (PTR, PTR))
    frame, env = fn.args
    records = _get(fn, env, F.E_RECORDS, PTR)
    none = fn.const(F.FULL, ROW)
    with fn.while_():
        alive = _get(fn, frame, F.F_ALIVE)
        ready = alive & ~(_get(fn, frame, F.F_WAITING) | _get(fn, frame, F.F_SYNC))
        with fn.if_(ready == 0):
            _nothing_ready(fn, frame, alive)
        pcs = fn.load(frame, ROW, F.F_PCS, 64)
        here = fn.select(fn.lanes(ready), pcs, none)
        least = fn.reduce("umin", here)
        pc = fn.variable(least)
        with fn.if_(_get(fn, frame, F.F_ROTATE) != 0):
            _set(fn, frame, F.F_ROTATE, 0)
            later = fn.reduce("umin", fn.select(here > _get(fn, frame, F.F_LAST), here, none))
            with fn.if_(later != F.FULL):
                pc.set(later)
        active = fn.mask(here == pc.get())
        merge = fn.reduce("umin", fn.select(here > pc.get(), here, none))
        _set(fn, frame, F.F_MERGE, merge)
        _set(fn, frame, F.F_LAST, pc.get())
        slice_end = _get(fn, env, F.E_LIMIT, I64)
        turn = fn.min(slice_end, _get(fn, env, F.E_WARP_COUNT, I64) + DIVERGED_SLICE)
        _set(fn, env, F.E_ROTATE_LIMIT, fn.select(active != ready, turn, slice_end), I64)
        record = fn.at(records, pc.get().to(I64))
        handler = fn.load(record, PTR, F.R_HANDLER, 8)
        before = _get(fn, env, F.E_WARP_COUNT, I64)
        status = fn.line(
            f"call i32 {handler.text}(ptr {frame.text}, ptr {record.text}, ptr {env.text}, i32 {active.text})", I32
        )
        spent = _get(fn, frame, F.F_SPENT) + (_get(fn, env, F.E_WARP_COUNT, I64) - before).to(I32)
        _set(fn, frame, F.F_SPENT, fn.select(active == ready, fn.const(0, I32), spent))
        with fn.if_(status == F.POLLS):
            polled = _get(fn, frame, F.F_POLLED) + 1
            _rotate_after(fn, env, frame, active, counter=F.F_POLLED, count=polled, most=VAIN_POLLS)
            fn.ret(F.POLLS)
        with fn.if_(status == F.SLICE):
            spent = _get(fn, frame, F.F_SPENT)
            _rotate_after(fn, env, frame, active, counter=F.F_SPENT, count=spent, most=DIVERGED_SLICE)
            with fn.if_(_get(fn, env, F.E_WARP_COUNT, I64) >= _get(fn, env, F.E_LIMIT, I64)):
                fn.ret(F.SLICE)
        with fn.if_((status != F.SLICE) & (status != F.REGROUP)):
            fn.ret(status)
    fn.do("unreachable")
    return fn


def _rotate_after(fn: Fn, env: Val, frame: Val, active: Val, *, counter: int, count: Val, most: int) -> None:
    """Another group of lanes gets its turn when this one has had so much, in a loop where ptxas lets it.

    Elsewhere the others wait where they meet again, however long that takes.
    """
    _set(fn, frame, counter, count)
    with fn.if_(count >= most):
        _set(fn, frame, counter, 0)
        lane = fn.intrinsic("cttz", active, extra=", i1 true")
        pc = fn.load(frame, I32, lane.to(I64) * 4 + F.F_PCS, 4)
        yields = fn.load(fn.at(_get(fn, env, F.E_YIELDS, PTR), (pc / F.FIELD).to(I64)), T("u", 8, 0))
        _set(fn, frame, F.F_ROTATE, yields.to(I32))


def _nothing_ready(fn: Fn, frame: Val, alive: Val) -> None:
    with fn.if_(alive == 0):
        fn.ret(F.EXITED)
    waits = _get(fn, frame, F.F_WAITING) | _get(fn, frame, F.F_BARRIER)
    with fn.if_(waits != 0):
        fn.ret(F.PARKED)
    # every living lane waits for others of a member mask that cannot come
    sync = _get(fn, frame, F.F_SYNC)
    lane = fn.intrinsic("cttz", sync, extra=", i1 true")
    _set(fn, frame, F.F_FAULT, F.FAULT_WARP)
    _set(fn, frame, F.F_FAULT_LANE, lane)
    _set(fn, frame, F.F_FAULT_PC, fn.load(frame, I32, lane.to(I64) * 4, 4))
    fn.ret(F.FAULT)


# --- CTAs -------------------------------------------------------------------------------------------------------------
@runtime_function("ptxlab_cta")
def run_cta() -> Fn:
    """i32 (cta, env): EXITED, PARKED (all living warps wait), POLLS (the others poll, and have done so E_PASSES times),
    TRAP, FAULT or SLICE; C_CURRENT names the warp."""
    fn = Fn("ptxlab_cta", "i32", (PTR, PTR))
    cta, env = fn.args
    with fn.while_():
        with fn.if_(_get(fn, cta, F.C_ALIVE) == 0):
            fn.ret(F.EXITED)
        with fn.while_() as ready:  # nobody can run: what is under way may end a wait
            fn.break_if(_get(fn, cta, F.C_RUNNABLE) != 0, ready)
            queue = _get(fn, env, F.E_QUEUE, I64)
            with fn.if_(queue == 0):
                fn.ret(F.PARKED)
            with fn.if_(fn.line(f"call i32 @ptxlab_oldest(ptr {queue.to(PTR).text}, ptr {cta.text})", I32) == 0):
                fn.ret(F.PARKED)
        runnable = _get(fn, cta, F.C_RUNNABLE)
        behind = runnable & (fn.const(-1, I32) << _get(fn, cta, F.C_NEXT))
        number = fn.intrinsic("cttz", fn.select(behind == 0, runnable, behind), extra=", i1 true")
        _set(fn, cta, F.C_CURRENT, number)
        _set(fn, cta, F.C_NEXT, (number + 1) & 31)
        offset = (number * _get(fn, cta, F.C_FRAME_BYTES)).to(I64)
        frame = fn.at(_get(fn, cta, F.C_FRAMES, PTR), offset)
        status = fn.line(f"call i32 @ptxlab_warp(ptr {frame.text}, ptr {env.text})", I32)
        me = _bit(fn, number)
        with fn.if_(status == F.EXITED):
            _set(fn, cta, F.C_ALIVE, _get(fn, cta, F.C_ALIVE) & ~me)
            _set(fn, cta, F.C_RUNNABLE, _get(fn, cta, F.C_RUNNABLE) & ~me)
            _barriers_after_exit(fn, cta)
        with fn.if_(status == F.PARKED):
            _set(fn, cta, F.C_RUNNABLE, _get(fn, cta, F.C_RUNNABLE) & ~me)
        with fn.if_(status == F.POLLS):
            _polled(fn, cta, env, me)
        with fn.if_(status == F.SLICE):
            _set(fn, cta, F.C_POLLED, 0)
            _set(fn, cta, F.C_PASSES, 0)
        with fn.if_(status == F.TRAP):
            # the warp goes on where it was, once Python has done its part
            _set(fn, cta, F.C_NEXT, number)
        with fn.if_((status == F.TRAP) | (status == F.FAULT) | (status == F.SLICE)):
            fn.ret(status)
    fn.do("unreachable")
    return fn


def _polled(fn: Fn, cta: Val, env: Val, me: Val) -> None:
    """A warp has polled in vain: the next one's turn. Leaves when all have, several times over: two may answer each other."""
    polled = _get(fn, cta, F.C_POLLED) | me
    _set(fn, cta, F.C_POLLED, polled)
    with fn.if_((_get(fn, cta, F.C_RUNNABLE) & ~polled) == 0):
        _set(fn, cta, F.C_POLLED, 0)
        passes = _get(fn, cta, F.C_PASSES) + 1
        _set(fn, cta, F.C_PASSES, passes)
        with fn.if_(passes.to(I64) >= _get(fn, env, F.E_PASSES, I64)):
            _set(fn, cta, F.C_PASSES, 0)
            fn.ret(F.POLLS)


def _barriers_after_exit(fn: Fn, cta: Val) -> None:
    """A barrier for all threads counts those that live: an exit may complete it. Nobody waits while all that live can run."""
    with fn.if_(_get(fn, cta, F.C_ALIVE) != _get(fn, cta, F.C_RUNNABLE)), fn.count(16) as number:
        barrier = barrier_at(fn, cta, number)
        waited = (_get(fn, barrier, F.B_WAITERS) != 0) & (_get(fn, barrier, F.B_EXPECTED) == 0)
        with fn.if_(waited & (_get(fn, barrier, F.B_ARRIVED) >= wanted_threads(fn, cta, fn.const(0, I32)))):
            complete_barrier(fn, cta, barrier)


@runtime_function("ptxlab_start")
def start_cta() -> Fn:
    """void (cta, env, x, y, z, sm): all warps at the first record, with these %ctaid and this %smid."""
    fn = Fn("ptxlab_start", "void", (PTR, PTR, I32, I32, I32, I32))
    cta, env, x, y, z, sm = fn.args
    warps = _get(fn, cta, F.C_WARPS)
    threads = _get(fn, cta, F.C_THREADS)
    all_warps = fn.const(-1, I32) >> (fn.const(32, I32) - warps)
    _set(fn, cta, F.C_RUNNABLE, all_warps)
    _set(fn, cta, F.C_ALIVE, all_warps)
    for offset in (F.C_NEXT, F.C_POLLED, F.C_PASSES, F.C_TRIGGERED, F.C_BEHIND):
        _set(fn, cta, offset, 0)
    with fn.count(16) as number:
        barrier = barrier_at(fn, cta, number)
        fn.store(fn.null(T("u", 64, 4)), barrier, 0, 8)
        _set(fn, barrier, F.B_AND, 1)
    with fn.count(_get(fn, cta, F.C_LIVE_COUNT)) as number:
        offset = fn.load(cta, I32, number.to(I64) * 4 + F.C_LIVE, 4).to(I64)
        _set(fn, fn.at(_get(fn, cta, F.C_MBARRIERS, PTR), offset * (F.MBARRIER_BYTES // 8)), F.M_LIVE, 0)
    _set(fn, cta, F.C_LIVE_COUNT, 0)
    with fn.count(warps) as number:
        frame = fn.at(_get(fn, cta, F.C_FRAMES, PTR), (number * _get(fn, cta, F.C_FRAME_BYTES)).to(I64))
        left = threads - number * F.LANES
        living = fn.select(left >= F.LANES, fn.const(-1, I32), (fn.const(1, I32) << (left & 31)) - 1)
        fn.store(fn.splat(_get(fn, cta, F.C_ENTRY)), frame, F.F_PCS, 64)
        for offset in (
            F.F_WAITING,
            F.F_SYNC,
            F.F_ROTATE,
            F.F_BARRIER,
            F.F_RELEASED,
            F.F_FAULT,
            F.F_POLLED,
            F.F_SPENT,
            F.F_CARRY,
            F.F_SLEEPING,
        ):
            _set(fn, frame, offset, 0)
        _set(fn, frame, F.F_INSTRUCTIONS, 0, I64)
        _set(fn, frame, F.F_ALIVE, living)
        for i, value in enumerate((x, y, z)):
            _set(fn, frame, F.S_CTAID + 4 * i, value)
            _set(fn, frame, F.S_CLUSTERID + 4 * i, value)  # of a cluster of one; larger ones write their own
        _set(fn, frame, F.SREG_OFFSET["%smid"], sm)
        _unwritten(fn, frame, env)
    _copy(
        fn,
        _get(fn, cta, F.C_SHARED, PTR),
        _get(fn, env, F.E_UNWRITTEN_SHARED, PTR),
        _get(fn, cta, F.C_SHARED_BYTES, I64),
    )
    fn.ret_void()
    return fn


def _unwritten(fn: Fn, frame: Val, env: Val) -> None:
    """What a warp's registers and local memory hold before they are written."""
    rows = fn.at(frame, _get(fn, env, F.E_UNWRITTEN_ROWS_AT, I64))
    _copy(fn, rows, _get(fn, env, F.E_UNWRITTEN_ROWS, PTR), _get(fn, env, F.E_UNWRITTEN_ROWS_BYTES, I64))
    image, size = _get(fn, env, F.E_UNWRITTEN_LOCAL, PTR), _get(fn, env, F.E_UNWRITTEN_LOCAL_BYTES, I64)
    local, stride = _get(fn, frame, F.F_LOCAL, PTR), _get(fn, frame, F.F_LOCAL_BYTES, I64)
    with fn.if_(size != 0), fn.count(F.LANES) as lane:
        _copy(fn, fn.at(local, lane.to(I64) * stride), image, size)


def _copy(fn: Fn, target: Val, source: Val, size: Val) -> None:
    fn.declared.add("declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)")
    fn.do(f"call void @llvm.memcpy.p0.p0.i64(ptr {target.text}, ptr {source.text}, i64 {size.text}, i1 false)")


@runtime_function("ptxlab_grid")
def run_grid() -> Fn:
    """i32 (cta, env): starts and runs CTAs E_NEXT_CTA … E_END_CTA one after the other. EXITED, or the status of one that
    did not end; E_NEXT_CTA is then the CTA behind it. EXITED also at E_PAUSE, where E_TURN is set.

    Of a CTA that has ended with arrivals under way the status is PARKED: Python knows whether they are right.
    """
    fn = Fn("ptxlab_grid", "i32", (PTR, PTR))
    cta, env = fn.args
    width = _get(fn, env, F.E_GRID, I32).to(I64)
    height = _get(fn, env, F.E_GRID + 4, I32).to(I64)
    with fn.while_() as after:
        index = _get(fn, env, F.E_NEXT_CTA, I64)
        fn.break_if(index >= _get(fn, env, F.E_END_CTA, I64), after)
        turn, count = _get(fn, env, F.E_TURN, I64), _get(fn, env, F.E_WARP_COUNT, I64)
        fn.break_if((turn != 0) & (count >= _get(fn, env, F.E_PAUSE, I64)), after)
        with fn.if_(turn != 0):
            _set(fn, env, F.E_LIMIT, count + turn, I64)
        queue = _get(fn, env, F.E_QUEUE, I64)
        with fn.if_(queue != 0):
            empty(fn, queue.to(PTR))
        _set(fn, env, F.E_NEXT_CTA, index + 1, I64)
        x, y, z = index % width, (index / width) % height, index / (width * height)
        shown = ", ".join(f"i32 {v.to(I32).text}" for v in (x, y, z, index % SM_COUNT))
        fn.do(f"call void @ptxlab_start(ptr {cta.text}, ptr {env.text}, {shown})")
        hook = _get(fn, env, F.E_BEGIN, PTR)
        with fn.if_(hook.to(I64) != 0):
            fn.run(hook, _get(fn, cta, F.C_ARENA, PTR), _get(fn, cta, F.C_SLOT), index.to(I32))
        status = fn.line(f"call i32 @ptxlab_cta(ptr {cta.text}, ptr {env.text})", I32)
        with fn.if_(status != F.EXITED):
            fn.ret(status)
        with fn.if_(queue != 0), fn.if_(_get(fn, queue.to(PTR), F.Q_ARRIVALS, I64) != 0):
            fn.ret(F.PARKED)
    fn.ret(F.EXITED)
    return fn


@runtime_function("ptxlab_verify")
def verify() -> Fn:
    """void (the block of a watched machine): counts an effect if the last access noted there has changed memory."""
    fn = Fn("ptxlab_verify", "void", (PTR,))
    (block,) = fn.args
    byte = T("u", 8, 0)
    changed = fn.variable(fn.const(0, I64))
    with fn.each_bit(_get(fn, block, F.W_LANES)) as lane:
        now = fn.load(block, PTR, lane * 8 + F.W_PLACES, 8)
        with fn.count(_get(fn, block, F.W_SIZE)) as k:
            before = fn.load(block, byte, lane * F.W_WIDEST + k + F.W_BEFORE)
            changed.set(changed.get() | (fn.load(now, byte, k.to(I64)) != before).to(I64))
    _set(fn, block, F.W_EFFECTS, _get(fn, block, F.W_EFFECTS, I64) + changed.get(), I64)
    _set(fn, block, F.W_LANES, 0)
    fn.ret_void()
    return fn


# --- the way in ---------------------------------------------------------------------------------------------------------
MXCSR_IEEE = 0x1F80
"""x86: round to nearest, no traps, no flushing of subnormal numbers. On arm64 the same is 0 in FPCR."""


def _enter(name: str) -> Fn:
    """Some libraries leave flush-to-zero switched on in their thread; results must not depend on it."""
    fn = Fn(f"ptxlab_enter_{name}", "i32", (PTR, PTR))
    cta, env = fn.args
    x86 = platform.machine() in ("x86_64", "AMD64")
    arm = platform.machine() in ("arm64", "aarch64")
    old = fn.alloca(I64)
    if x86:
        new = fn.alloca(I32)
        fn.store(fn.const(MXCSR_IEEE, I32), new, align=4)
        fn.declared |= {f"declare void @llvm.x86.sse.{w}(ptr)" for w in ("stmxcsr", "ldmxcsr")}
        fn.do(f"call void @llvm.x86.sse.stmxcsr(ptr {old.text})")
        fn.do(f"call void @llvm.x86.sse.ldmxcsr(ptr {new.text})")
    elif arm:
        fn.declared |= {"declare i64 @llvm.aarch64.get.fpcr()", "declare void @llvm.aarch64.set.fpcr(i64)"}
        fn.store(fn.line("call i64 @llvm.aarch64.get.fpcr()", I64), old, align=8)
        fn.do("call void @llvm.aarch64.set.fpcr(i64 0)")
    status = fn.line(f"call i32 @ptxlab_{name}(ptr {cta.text}, ptr {env.text})", I32)
    if x86:
        fn.do(f"call void @llvm.x86.sse.ldmxcsr(ptr {old.text})")
    elif arm:
        fn.do(f"call void @llvm.aarch64.set.fpcr(i64 {fn.load(old, I64, align=8).text})")
    fn.ret(status)
    return fn


@runtime_function("ptxlab_enter_cta")
def enter_cta() -> Fn:
    """`ptxlab_cta` for callers from outside."""
    return _enter("cta")


@runtime_function("ptxlab_enter_grid")
def enter_grid() -> Fn:
    """`ptxlab_grid` for callers from outside."""
    return _enter("grid")
