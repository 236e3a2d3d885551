"""cp.async without Python: copies happen at issue, or in a CTA that runs alone go into its queue until something waits for them
(engine/compiled/queue.py). Every other schedule, and what is wrong, traps."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ptxlab.codegen.ir import I32, I64, PTR, T, Val
from ptxlab.isa.effects import Group
from ptxlab.isa.form import FORMS
from ptxlab.layout.mbarrier_state import LIMIT
from ptxlab.sim.engine.compiled import frame as F
from ptxlab.sim.engine.compiled.address import ADDRESS32
from ptxlab.sim.engine.compiled.emit import Address, Emitter
from ptxlab.sim.engine.compiled.layers import Layer, go_on
from ptxlab.sim.engine.compiled.memory import WIDE, Reach, host_of, pack_access, remembered, report, spill
from ptxlab.sim.engine.compiled.queue import copy_lane
from ptxlab.sim.engine.compiled.registry import meaning
from ptxlab.sim.engine.handlers.control import trap_if
from ptxlab.sim.engine.handlers.notify import call_observer, here
from ptxlab.sim.families.mbarrier.meaning import arrive_once, find, signed_word

ROW = T("u", 32)


def _queue(e: Emitter) -> Val:
    """The queue of pending copies, as u64; 0 where copies happen at issue. Leaves for Python where they do neither."""
    with e.if_(e.exec == 0):
        e.goto_next()
    queue = e.load(e.env, I64, F.E_QUEUE, 8)
    trap_if(e, (queue == 0) & (e.load(e.env, I64, F.E_COPIES, 8) == 0))
    return queue


def _warp(e: Emitter) -> Val:
    return e.frame_word(F.SREG_OFFSET["%warpid"])


def _committed(e: Emitter, queue: Val) -> Val:
    """Where the queue counts the groups of the warp's lanes."""
    return e.fn.at(queue.to(PTR), _warp(e).to(I64) * (4 * F.LANES) + F.Q_COMMITTED)


def _enter(e: Emitter, queue: Val, size: int, words: dict[int, Val]) -> None:
    """A new operation of the executing lanes; traps where there is no room for more. `words`: rows by their offset."""
    fn = e.fn
    found = fn.invoke(fn.load(e.env, PTR, F.E_TAKE, 8), I64, queue.to(PTR), _warp(e))
    trap_if(e, found == 0)
    entry = found.to(PTR)
    for offset, word in {F.U_PC: e.pc, F.U_LANES: e.exec, F.U_SIZE: fn.const(size, I32)}.items():
        fn.store(word, entry, offset, 4)
    for offset, row in words.items():
        fn.store(row, entry, offset, 64)


def _shared(e: Emitter, a: Address, size: int) -> Val:
    """Host addresses (u64 vector) of the destinations; traps where one is misaligned or not the CTA's own."""
    fn = e.fn
    value = fn.splat(a.value).to(T("u", 32))
    offset = (value - fn.load(e.frame, I32, F.F_SHARED_FIRST, 4)).to(WIDE)
    good = ((offset + size) <= fn.load(e.frame, I64, F.F_SHARED_BYTES, 8)) & ((value & (size - 1)) == 0)
    trap_if(e, (~fn.mask(good) & e.exec) != 0)
    return offset + fn.load(e.frame, I64, F.F_SHARED, 8)


@dataclass(frozen=True, slots=True)
class _Source:
    """What lanes read: the operand, bytes of a whole copy, and masks of the lanes that read all of them, and only some.

    `taken`: the bytes of each lane; None where no lane reads some.
    """

    address: Address
    size: int
    whole: Val
    some: Val
    taken: Val | None


def _global(e: Emitter, source: _Source) -> Val:
    """Host addresses (u64 vector) of the sources, all legal; traps otherwise."""
    fn, a, size = e.fn, source.address, source.size
    value = fn.splat(a.value).to(WIDE)
    # Python checks the alignment of sources that are not read, too
    trap_if(e, (fn.mask((value & (size - 1)) != 0) & e.exec) != 0)
    low, high = remembered(e, a)
    out = fn.variable(host_of(e, a, value))
    with fn.if_((~fn.mask((value >= low) & (value <= high - size)) & source.whole) != 0):
        _resolve(e, a, value, size, source.whole)
        out.set(fn.load(e.env, WIDE, F.E_SCRATCH, 64))
    if source.taken is not None:
        _look_at_parts(e, source, value)
    where = out.get()
    report(e, Reach(a, where, source.whole, size, "load"))
    return where


def _resolve(e: Emitter, a: Address, value: Val, size: int, lanes: Val) -> None:
    """Let the runtime find so many bytes for each of some lanes; traps where it does not."""
    fn = e.fn
    fn.store(value, e.env, F.E_SCRATCH, 64)
    word = pack_access(size, "global", write=False, read=True) | size << 20
    status = fn.line(
        f"call i32 {fn.load(e.env, PTR, F.E_RESOLVE, 8).text}(ptr {e.frame.text}, ptr {fn.at(e.rec, a.cache).text}, "
        f"ptr {e.env.text}, i32 {lanes.text}, i32 {word}, ptr {e.rec.text})",
        I32,
    )
    trap_if(e, status != 0)


def _look_at_parts(e: Emitter, source: _Source, value: Val) -> None:
    """Lanes that read only some bytes have to find them in the array that the record remembers; a logged launch asks Python."""
    fn, a, some = e.fn, source.address, source.some
    assert source.taken is not None
    if e.handler.logged:
        trap_if(e, some != 0)
        return
    ends = value + source.taken.to(WIDE)

    def apart() -> Val:
        low, high = remembered(e, a)
        return ~fn.mask((value >= low) & (ends <= high)) & some

    with fn.if_(apart() != 0):
        _resolve(e, a, value, 1, some)
        trap_if(e, apart() != 0)


def _copy(e: Emitter, queue: Val, dst: Address, source: _Source) -> None:
    """Copy now, or enter the copy into the queue. Lanes that read less than all get zeros."""
    fn, size = e.fn, source.size
    where = _shared(e, dst, size)
    found = _global(e, source)
    whole = fn.select(fn.lanes(source.whole), fn.const(size, ROW), fn.const(0, ROW))
    taken = whole if source.taken is None else source.taken
    with fn.if_(queue != 0):
        committed = fn.load(_committed(e, queue), ROW, 0, 64)
        _enter(e, queue, size, {F.U_TAKEN: taken, F.U_GROUPS: committed, F.U_FROM: found, F.U_TO: where})
        report(e, Reach(dst, where, e.exec, size, "store"))
        e.goto_next()
    report(e, Reach(dst, where, e.exec, size, "store"))
    to, from_, bytes_ = spill(e, where), spill(e, found), spill(e, taken)
    with fn.each_bit(e.exec) as lane:
        number = fn.load(bytes_, I32, lane.to(I64) * 4, 4)
        copy_lane(fn, size, fn.load(from_, PTR, lane * 8, 8), fn.load(to, PTR, lane * 8, 8), number)


@meaning("cp.async", halfway=True, alone=True)
def cp_async(e: Emitter, dst: Address, src: Address, size: Any, src_size: Val | None = None) -> None:
    """A copy of all bytes, or of the first ones and zeros."""
    queue, bytes_ = _queue(e), e.constant("size")
    if src_size is None:
        _copy(e, queue, dst, _Source(src, bytes_, e.exec, e.const(0, I32), None))
        return
    taken = e.fn.splat(src_size).to(ROW) & ADDRESS32
    trap_if(e, (e.exec & e.mask(taken > bytes_)) != 0)
    whole, none = e.exec & e.mask(taken == bytes_), e.mask(taken == 0)
    _copy(e, queue, dst, _Source(src, bytes_, whole, e.exec & ~(whole | none), taken))


@meaning("cp.async.ignore_src", halfway=True, alone=True)
def cp_async_ignore(e: Emitter, dst: Address, src: Address, size: Any, ignore_src: Val) -> None:
    """A copy, or zeros where the predicate holds."""
    queue = _queue(e)
    lanes = e.exec & ~e.mask(e.fn.splat(ignore_src))
    _copy(e, queue, dst, _Source(src, e.constant("size"), lanes, e.const(0, I32), None))


@meaning("cp.async.commit_group", halfway=True, alone=True)
def commit(e: Emitter) -> None:
    """The lanes' copies so far become a group. Copies that happened at issue leave nothing to group."""
    fn, queue = e.fn, _queue(e)
    with fn.if_(queue != 0):
        place = _committed(e, queue)
        row = fn.load(place, ROW, 0, 64)
        fn.store(fn.select(e.exec_lanes, row + 1, row), place, 0, 64)


def _wait(e: Emitter, old: int) -> None:
    """Carry out the copies of the lanes that are at least so many groups old."""
    fn, queue = e.fn, _queue(e)
    with fn.if_(queue != 0):
        fn.run(fn.load(e.env, PTR, F.E_AWAIT, 8), queue.to(PTR), _warp(e), e.exec, fn.const(old, I32))


@meaning("cp.async.wait_group", halfway=True, alone=True)
def wait_group(e: Emitter, n: Val) -> None:
    """Wait for all but the latest groups."""
    effect = FORMS[e.handler.key].effect
    assert isinstance(effect, Group)
    _wait(e, effect.pending(e.constant("n")) + 1)


@meaning("cp.async.wait_all", halfway=True, alone=True)
def wait_all(e: Emitter) -> None:
    """Wait for all copies, committed or not."""
    _wait(e, 0)


@meaning("cp.async.mbarrier.arrive", halfway=True, alone=True)
def mbarrier_arrive(e: Emitter, mbar: Address) -> None:
    """Arrive when the lanes' copies are done: at once, where they happen at issue. Without .noinc the phase waits for it, too."""
    fn, queue = e.fn, _queue(e)
    entry = find(e, mbar)
    lanes = fn.intrinsic("ctpop", e.exec).to(I64)
    raised = signed_word(e, entry, F.M_PENDING) + lanes
    if not e.has("noinc"):
        trap_if(e, raised >= LIMIT)
    with fn.if_(queue != 0):
        _enter(e, queue, 0, {F.U_TO: fn.splat(entry.to(I64))})
        arrivals = fn.load(queue.to(PTR), I64, F.Q_ARRIVALS, 8)
        fn.store(arrivals + 1, queue.to(PTR), F.Q_ARRIVALS, 8)
        if not e.has("noinc"):
            fn.store(raised.to(I32), entry, F.M_PENDING, 4)
        e.goto_next()
    if e.has("noinc"):
        arrive_once(e, entry)


# -- prologues of the sanitizer
@meaning("$notify.copy")
def notify_copy(e: Emitter, dst: Address, src: Address, some: Val | None = None) -> None:
    """Notify Python of copies, but only where native code cannot say that they are in order.

    Modifiers: `bytes` of a copy; `ignores`: `some` says who reads nothing, not how much.
    """
    pc = e.pc
    with e.if_(e.exec != 0):
        size = e.fn.splat(e.const(int(e.mods["bytes"]), I32))
        if some is None:
            taken = size
        elif "ignores" in e.mods:
            taken = e.fn.select(e.fn.splat(some), e.fn.splat(e.const(0, I32)), size)
        else:
            taken = e.fn.splat(some).to(ROW)
        where = e.fn.splat(dst.value).to(ROW)
        rows = [spill(e, v.to(WIDE)) for v in (e.fn.splat(src.value), where, taken)]
        arena, slot, warp = here(e)
        judge = e.load(e.env, PTR, F.E_COPY, 8)
        open_ = e.fn.invoke(judge, I32, arena, slot, *rows, e.exec, warp, pc)
        with e.if_(open_ != 0):
            call_observer(e, pc)
    go_on(e, Layer.SANITIZE, pc)


@meaning("$notify.commit")
def notify_commit(e: Emitter) -> None:
    """Note that lanes commit their copies."""
    _note(e, F.E_COMMIT)


@meaning("$notify.wait")
def notify_wait(e: Emitter) -> None:
    """Note that lanes wait for copies."""
    _note(e, F.E_WAIT, e.pc)


def _note(e: Emitter, entry: int, *more: Val) -> None:
    """Call a function of the sanitizer's native part for the executing lanes."""
    pc = e.pc
    with e.if_(e.exec != 0):
        arena, slot, warp = here(e)
        e.fn.run(e.load(e.env, PTR, entry, 8), arena, slot, e.exec, warp, *more)
    go_on(e, Layer.SANITIZE, pc)
