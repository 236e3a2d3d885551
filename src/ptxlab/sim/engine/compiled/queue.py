"""What is under way in a CTA that runs alone: copies and arrivals that take their time, queued and carried out without Python.

They lie in the block QUEUE, a list for each warp in the order of issue. Functions as in runtime.py:

| function | does |
|---|---|
| ptxlab_take | a new operation, the latest of its warp |
| ptxlab_await | carries out the copies that lanes of a warp wait for |
| ptxlab_oldest | carries out the oldest operation of the CTA |
| ptxlab_wake | ends the waits for a phase of an mbarrier |
"""

from __future__ import annotations

from ptxlab.codegen.ir import I32, I64, PTR, Fn, T, Val
from ptxlab.sim.engine.compiled import frame as F
from ptxlab.sim.engine.compiled.runtime import ROW, runtime_function

_BYTE = T("u", 8, 0)
SIZES = (4, 8, 16)
"""Bytes that a lane may copy."""


def _get(fn: Fn, base: Val, offset: Val | int, t: T = I64) -> Val:
    return fn.load(base, t, offset, t.bits // 8)


def _set(fn: Fn, base: Val, offset: Val | int, value: Val | int, t: T = I64) -> None:
    fn.store(fn.const(value, t), base, offset, t.bits // 8)


def _add(fn: Fn, base: Val, offset: int, value: int) -> None:
    _set(fn, base, offset, _get(fn, base, offset) + value)


def _of(warp: Val, table: int) -> Val:
    """Where a table of the queue has the word of a warp."""
    return warp.to(I64) * 8 + table


@runtime_function("ptxlab_take")
def take() -> Fn:
    """i64 (queue, warp): the address of a new operation; 0 where there is no room."""
    fn = Fn("ptxlab_take", "i64", (PTR, I32))
    queue, warp = fn.args
    entry = fn.variable(_get(fn, queue, F.Q_FREE))
    with fn.if_(entry.get() != 0):
        _set(fn, queue, F.Q_FREE, _get(fn, entry.get().to(PTR), F.U_NEXT))
    with fn.if_(entry.get() == 0):
        used = _get(fn, queue, F.Q_USED)
        with fn.if_(used >= F.QUEUE_ROOM):
            fn.ret(fn.const(0, I64))
        _set(fn, queue, F.Q_USED, used + 1)
        entry.set(fn.at(queue, used * F.PENDING_BYTES + F.Q_ROOM).to(I64))
    taken = entry.get()
    _set(fn, taken.to(PTR), F.U_NEXT, 0)
    _set(fn, taken.to(PTR), F.U_NUMBER, _get(fn, queue, F.Q_ISSUED))
    _add(fn, queue, F.Q_ISSUED, 1)
    _add(fn, queue, F.Q_PENDING, 1)
    last = _get(fn, queue, _of(warp, F.Q_LAST))
    with fn.if_(last == 0):
        _set(fn, queue, _of(warp, F.Q_FIRST), taken)
    with fn.if_(last != 0):
        _set(fn, last.to(PTR), F.U_NEXT, taken)
    _set(fn, queue, _of(warp, F.Q_LAST), taken)
    fn.ret(taken)
    return fn


def _drop(fn: Fn, queue: Val, warp: Val, entry: Val, before: Val) -> None:
    """Code that takes an operation out of its warp's list; `before`: the one in front of it there, or 0."""
    following = _get(fn, entry.to(PTR), F.U_NEXT)
    with fn.if_(before == 0):
        _set(fn, queue, _of(warp, F.Q_FIRST), following)
    with fn.if_(before != 0):
        _set(fn, before.to(PTR), F.U_NEXT, following)
    with fn.if_(following == 0):
        _set(fn, queue, _of(warp, F.Q_LAST), before)
    _set(fn, entry.to(PTR), F.U_NEXT, _get(fn, queue, F.Q_FREE))
    _set(fn, queue, F.Q_FREE, entry)
    _add(fn, queue, F.Q_PENDING, -1)


def copy_lane(fn: Fn, size: int, source: Val, target: Val, taken: Val) -> None:
    """Code that copies what a lane reads, and fills the rest of its bytes with zeros."""
    t = T("u", 8 * size, 0)
    with fn.if_(taken == size):
        fn.store(fn.load(source, t, align=size), target, align=size)
    with fn.if_(taken != size):
        fn.store(fn.const(0, t), target, align=size)
        with fn.count(taken) as k:
            fn.store(fn.load(source, _BYTE, k), target, k)


@runtime_function("ptxlab_copy")
def copy() -> Fn:
    """void (operation): carries out a copy, the lowest lane first."""
    fn = Fn("ptxlab_copy", "void", (PTR,))
    (entry,) = fn.args
    lanes = _get(fn, entry, F.U_LANES, I32)
    for size in SIZES:
        with fn.if_(_get(fn, entry, F.U_SIZE, I32) == size), fn.each_bit(lanes) as lane:
            source, target = (fn.load(entry, PTR, lane.to(I64) * 8 + at, 8) for at in (F.U_FROM, F.U_TO))
            copy_lane(fn, size, source, target, fn.load(entry, I32, lane.to(I64) * 4 + F.U_TAKEN, 4))
    fn.ret_void()
    return fn


@runtime_function("ptxlab_await")
def wait() -> Fn:
    """void (queue, warp, lanes, how many groups are too many): carries out, oldest first, the copies that are so many groups old.

    A copy is carried out for all its lanes when one of those that wait asks for it. 0: all copies of these lanes.
    """
    fn = Fn("ptxlab_await", "void", (PTR, I32, I32, I32))
    queue, warp, lanes, old = fn.args
    committed = fn.load(queue, ROW, warp.to(I64) * (4 * F.LANES) + F.Q_COMMITTED, 64)
    entry, before = (fn.variable(v) for v in (_get(fn, queue, _of(warp, F.Q_FIRST)), fn.const(0, I64)))
    with fn.while_() as after:
        here = entry.get()
        fn.break_if(here == 0, after)
        block = here.to(PTR)
        entry.set(_get(fn, block, F.U_NEXT))
        age = committed - fn.load(block, ROW, F.U_GROUPS, 64)
        due = fn.mask(age >= fn.splat(old)) & lanes & _get(fn, block, F.U_LANES, I32)
        wanted = (due != 0) & (_get(fn, block, F.U_SIZE, I32) != 0)
        with fn.if_(wanted):
            fn.do(f"call void @ptxlab_copy(ptr {block.text})")
            _drop(fn, queue, warp, here, before.get())
        before.set(fn.select(wanted, before.get(), here))
    fn.ret_void()
    return fn


@runtime_function("ptxlab_oldest")
def oldest() -> Fn:
    """i32 (queue, cta): 1 when it has carried out the CTA's oldest operation, an arrival of one lane; 0 when there is none, or
    when Python has to say what is wrong with it.
    """
    fn = Fn("ptxlab_oldest", "i32", (PTR, PTR))
    queue, cta = fn.args
    best, owner, least = (fn.variable(v) for v in (fn.const(0, I64), fn.const(0, I32), fn.const(-1, I64)))
    with fn.count(_get(fn, cta, F.C_WARPS, I32)) as warp:
        first = _get(fn, queue, _of(warp, F.Q_FIRST))
        with fn.if_(first != 0):
            number = _get(fn, first.to(PTR), F.U_NUMBER)
            with fn.if_(number < least.get()):
                best.set(first)
                owner.set(warp)
                least.set(number)
    entry, none = best.get(), fn.const(0, I64)
    with fn.if_(entry == 0):
        fn.ret(0)
    block = entry.to(PTR)
    with fn.if_(_get(fn, block, F.U_SIZE, I32) != 0):
        fn.do(f"call void @ptxlab_copy(ptr {block.text})")
        _drop(fn, queue, owner.get(), entry, none)
        fn.ret(1)
    lanes = _get(fn, block, F.U_LANES, I32)
    lane = fn.intrinsic("cttz", lanes, extra=", i1 true")
    _arrive(fn, cta, fn.load(block, PTR, lane.to(I64) * 8 + F.U_TO, 8))
    _set(fn, block, F.U_LANES, lanes & (lanes - 1), I32)
    with fn.if_((lanes & (lanes - 1)) == 0):
        _add(fn, queue, F.Q_ARRIVALS, -1)
        _drop(fn, queue, owner.get(), entry, none)
    fn.ret(1)
    return fn


def _arrive(fn: Fn, cta: Val, barrier: Val) -> None:
    """Code for one arrival; leaves with 0 where there is no barrier any more, or it lacks none."""
    left = _get(fn, barrier, F.M_PENDING, I32) - 1
    with fn.if_((_get(fn, barrier, F.M_LIVE, I32) == 0) | (left == -1)):
        fn.ret(0)
    done = (left == 0) & (_get(fn, barrier, F.M_BYTES, I32) == 0)
    _set(fn, barrier, F.M_PENDING, fn.select(done, _get(fn, barrier, F.M_COUNT, I32), left), I32)
    _set(fn, barrier, F.M_PHASE, _get(fn, barrier, F.M_PHASE, I32) + done.to(I32), I32)
    with fn.if_(done):
        fn.do(f"call void @ptxlab_wake(ptr {cta.text}, ptr {barrier.text})")


@runtime_function("ptxlab_wake")
def wake() -> Fn:
    """void (cta, state of an mbarrier): the warps with lanes that sleep until its phase is over try again."""
    fn = Fn("ptxlab_wake", "void", (PTR, PTR))
    cta, barrier = fn.args
    sleepers = _get(fn, barrier, F.M_SLEEPERS, I32)
    frames, stride = fn.load(cta, PTR, F.C_FRAMES, 8), _get(fn, cta, F.C_FRAME_BYTES, I32)
    with fn.each_bit(sleepers) as number:
        frame = fn.at(frames, (number * stride).to(I64))
        waiting = _get(fn, frame, F.F_WAITING, I32) & ~_get(fn, frame, F.F_SLEEPING, I32)
        _set(fn, frame, F.F_WAITING, waiting, I32)
        _set(fn, frame, F.F_SLEEPING, 0, I32)
    _set(fn, cta, F.C_RUNNABLE, _get(fn, cta, F.C_RUNNABLE, I32) | sleepers, I32)
    _set(fn, barrier, F.M_SLEEPERS, 0, I32)
    fn.ret_void()
    return fn
