"""mbarriers of the CTA in machine code, where no lanes parked in Python have to be woken and nothing is to be reported.

Everything else traps. While a CTA runs alone, its barriers are made here too, and its warps sleep until a phase is over.
"""

from __future__ import annotations

from typing import Any

from ptxlab.codegen.ir import I32, I64, PTR, T, Val
from ptxlab.layout.mbarrier_state import LIMIT, pack, parity_of, pending_of
from ptxlab.sim.engine.compiled import frame as F
from ptxlab.sim.engine.compiled.address import SHARED_WINDOW, WINDOW_SHIFT
from ptxlab.sim.engine.compiled.emit import Address, Emitter
from ptxlab.sim.engine.compiled.memory import WIDE
from ptxlab.sim.engine.compiled.registry import meaning
from ptxlab.sim.engine.handlers.control import nothing, to_trap, trap_if
from ptxlab.sim.engine.handlers.notify import take_note

ROW = T("u", 32)


def _same(e: Emitter, value: Val) -> Val:
    """The value that all executing lanes share, as a scalar; traps where they differ."""
    fn = e.fn
    value = fn.splat(value)
    first = fn.extract(value, fn.intrinsic("cttz", e.exec, extra=", i1 true"))
    trap_if(e, (fn.mask(value.unsigned != first.unsigned) & e.exec) != 0)
    return first.unsigned


def _unwatched(e: Emitter, unless: int | None = None) -> None:
    """Go on where nobody watches; `unless`: or where this word of the environment is not 0."""
    fn = e.fn
    with fn.if_(e.exec == 0):
        e.goto_next()
    with fn.if_(_watched(e)):
        if unless is None:
            to_trap(e)
        else:
            trap_if(e, fn.load(e.env, I64, unless, 8) == 0)


def _watched(e: Emitter) -> Val:
    return e.fn.load(e.env, I64, F.E_UNWATCHED, 8) == 0


def _place(e: Emitter, a: Address, address: Val) -> tuple[Val, Val]:
    """Where a barrier is in the CTA's shared memory, and the pointer to its state; traps where none can be."""
    fn = e.fn
    if a.space == "generic":
        trap_if(e, address.to(I64) >> WINDOW_SHIFT != SHARED_WINDOW >> WINDOW_SHIFT)
    offset = (address.to(I32) - fn.load(e.frame, I32, F.F_SHARED_FIRST, 4)).to(I64)
    trap_if(e, ((offset + 8) > fn.load(e.frame, I64, F.F_SHARED_BYTES, 8)) | ((offset & 7) != 0))
    return offset, fn.at(_table(e), offset * (F.MBARRIER_BYTES // 8))


def _cta(e: Emitter) -> Val:
    return e.fn.load(e.frame, PTR, F.F_CTA, 8)


def _table(e: Emitter) -> Val:
    return e.fn.load(_cta(e), PTR, F.C_MBARRIERS, 8)


def find(e: Emitter, a: Address, unless: int | None = None) -> Val:
    """Pointer to the state of the barrier that all executing lanes name; traps where there is none, or as `_unwatched` does."""
    fn = e.fn
    _unwatched(e, unless)
    _, entry = _place(e, a, _same(e, a.value))
    trap_if(e, fn.load(entry, I32, F.M_LIVE, 4) == 0)
    return entry


def signed_word(e: Emitter, entry: Val, at: int) -> Val:
    """A word of a barrier's state as 64 bits."""
    return e.load(entry, T("s", 32, 0), at, 4).to(T("s", 64, 0)).unsigned


@meaning("mbarrier.init", halfway=True, alone=True)
def init(e: Emitter, mbar: Address, count: Val) -> None:
    """Make barriers, one for each lane, where there are none. Python makes those of CTAs that do not run alone."""
    fn = e.fn
    _unwatched(e)
    trap_if(e, fn.load(e.env, I64, F.E_ALONE, 8) == 0)
    lanes, cta = fn.intrinsic("ctpop", e.exec), _cta(e)
    live = fn.load(cta, I32, F.C_LIVE_COUNT, 4)
    addresses, counts = fn.splat(mbar.value).unsigned, fn.splat(count).to(ROW).unsigned
    trap_if(e, ((live + lanes) > F.LIVE_MOST) | ((fn.mask((counts == 0) | (counts >= LIMIT)) & e.exec) != 0))
    with fn.each_bit(e.exec) as lane:
        address = fn.extract(addresses, lane)
        _, entry = _place(e, mbar, address)
        others = fn.mask(addresses == address) & e.exec & ~(fn.const(1, I32) << lane)
        trap_if(e, (others != 0) | (fn.load(entry, I32, F.M_LIVE, 4) != 0))
    with fn.each_bit(e.exec) as lane:
        offset, entry = _place(e, mbar, fn.extract(addresses, lane))
        wanted = fn.extract(counts, lane)
        fn.store(fn.null(T("u", 32, F.MBARRIER_BYTES // 4)), entry, 0, 4)
        for word, value in ((F.M_LIVE, fn.const(1, I32)), (F.M_COUNT, wanted), (F.M_PENDING, wanted)):
            fn.store(value, entry, word, 4)
        number = fn.load(cta, I32, F.C_LIVE_COUNT, 4)
        fn.store(offset.to(I32), cta, number.to(I64) * 4 + F.C_LIVE, 4)
        fn.store(number + 1, cta, F.C_LIVE_COUNT, 4)


@meaning("mbarrier.inval", halfway=True, alone=True)
def inval(e: Emitter, mbar: Address) -> None:
    """End a barrier's life; its memory then shows the state. Python knows the barriers of CTAs that do not run alone."""
    fn = e.fn
    entry = find(e, mbar)
    used = fn.load(entry, I32, F.M_SLEEPERS, 4) != 0
    trap_if(e, (fn.load(e.env, I64, F.E_ALONE, 8) == 0) | used | (fn.intrinsic("ctpop", e.exec) != 1))
    state = pack(*(signed_word(e, entry, at) for at in (F.M_PHASE, F.M_PENDING, F.M_BYTES, F.M_COUNT)))
    fn.store(state, fn.at(fn.load(e.frame, PTR, F.F_SHARED, 8), _offset(e, entry)), 0, 8)
    fn.store(fn.const(0, I32), entry, F.M_LIVE, 4)


def _offset(e: Emitter, entry: Val) -> Val:
    """Where in shared memory a barrier is, given its state."""
    return (entry.to(I64) - _table(e).to(I64)) / (F.MBARRIER_BYTES // 8)


def _state(e: Emitter, entry: Val, count: Val, nbytes: Val, dropped: Val) -> Val:
    """What each lane finds before it arrives itself: those in front of it, in lane order, have arrived, or dropped out."""
    fn = e.fn
    below = fn.vector([(1 << lane) - 1 for lane in range(F.LANES)], ROW)
    before = fn.intrinsic("ctpop", below & fn.splat(e.exec)).to(WIDE)
    pending = fn.splat(signed_word(e, entry, F.M_PENDING)) - before * fn.splat(count)
    lacking = fn.splat(signed_word(e, entry, F.M_BYTES)) + before * fn.splat(nbytes)
    total = fn.splat(signed_word(e, entry, F.M_COUNT)) - before * fn.splat(dropped)
    phase = fn.splat(signed_word(e, entry, F.M_PHASE))
    return pack(phase, pending, lacking, total)


def _arrive(e: Emitter, entry: Val, count: Val, nbytes: Val, *, state: bool, drop: bool = False) -> Val | None:
    """All lanes arrive at once: no phase completes in between, as that would lack arrivals for the rest.

    `drop`: later phases do not wait for them.
    """
    fn = e.fn
    lanes = fn.intrinsic("ctpop", e.exec).to(I64)
    pending = signed_word(e, entry, F.M_PENDING)
    arrivals, limit = lanes * count, LIMIT
    trap_if(e, (count == 0) | (count >= limit) | (arrivals > pending) | (nbytes >= limit))
    lacking = signed_word(e, entry, F.M_BYTES) + lanes * nbytes
    left = pending - arrivals
    done = (left == 0) & (lacking == 0)
    sleepers = fn.load(entry, I32, F.M_SLEEPERS, 4)
    # lanes of this warp that sleep join it where the dispatcher chooses again, as it does after Python
    heard = (fn.load(entry, I32, F.M_AWAITED, 4) != 0) | (((sleepers >> _number(e)) & 1) != 0)
    trap_if(e, ((lacking + limit - 1) > 2 * limit - 2) | (done & heard))
    with fn.if_(_watched(e)):
        take_note(e, F.NOTE_ARRIVAL, _offset(e, entry).to(I32), fn.load(entry, I32, F.M_PHASE, 4))
    found = _state(e, entry, count, nbytes, count if drop else fn.const(0, I64)) if state else None
    full = fn.load(entry, I32, F.M_COUNT, 4)
    if drop:
        full = full - arrivals.to(I32)
        fn.store(full, entry, F.M_COUNT, 4)
    fn.store(fn.select(done, full, left.to(I32)), entry, F.M_PENDING, 4)
    fn.store(lacking.to(I32), entry, F.M_BYTES, 4)
    fn.store(fn.load(entry, I32, F.M_PHASE, 4) + done.to(I32), entry, F.M_PHASE, 4)
    with fn.if_(done & (sleepers != 0)):
        fn.run(fn.load(e.env, PTR, F.E_WAKE, 8), _cta(e), entry)
    return found


def _number(e: Emitter) -> Val:
    """Of the warp in its CTA."""
    return e.frame_word(F.SREG_OFFSET["%warpid"])


def arrive_once(e: Emitter, entry: Val) -> None:
    """One arrival of each lane."""
    _arrive(e, entry, e.fn.const(1, I64), e.fn.const(0, I64), state=False)


def _arrive_at(e: Emitter, mbar: Address, count: Val | None, nbytes: Val | None, *, drop: bool) -> Val | None:
    """So many arrivals of each lane, one where no count is given, after so many bytes to expect."""
    entry = find(e, mbar, F.E_ARRIVALS)
    arrivals = e.fn.const(1, I64) if count is None else _same(e, count).to(I64)
    expected = e.fn.const(0, I64) if nbytes is None else _same(e, nbytes).to(I64)
    return _arrive(e, entry, arrivals, expected, state=e.shape("state") != "_", drop=drop)


def _arrivals(name: str, *, drop: bool) -> None:
    """The meanings of arrivals without bytes and with some. `drop`: of lanes that take no part in later phases."""

    @meaning(f"mbarrier.{name}", halfway=True, alone=True)
    def arrive(e: Emitter, mbar: Address, count: Val | None = None) -> Val | None:
        return _arrive_at(e, mbar, count, None, drop=drop)

    @meaning(f"mbarrier.{name}.expect_tx", halfway=True, alone=True)
    def arrive_expect(e: Emitter, mbar: Address, tx_count: Val) -> Val | None:
        return _arrive_at(e, mbar, None, tx_count, drop=drop)


_arrivals("arrive", drop=False)
_arrivals("arrive_drop", drop=True)


@meaning("mbarrier.expect_tx", halfway=True, alone=True)
def expect_tx(e: Emitter, mbar: Address, tx_count: Val) -> None:
    """More bytes to expect from each lane. Where a phase lacks no arrival it may end by them: that is left to Python."""
    fn = e.fn
    entry, nbytes = find(e, mbar), _same(e, tx_count).to(I64)
    lacking = signed_word(e, entry, F.M_BYTES) + fn.intrinsic("ctpop", e.exec).to(I64) * nbytes
    beyond = (nbytes >= LIMIT) | ((lacking + LIMIT - 1) > 2 * LIMIT - 2)
    trap_if(e, beyond | (fn.load(entry, I32, F.M_PENDING, 4) == 0))
    fn.store(lacking.to(I32), entry, F.M_BYTES, 4)


def _wait(e: Emitter, mbar: Address, odd: Val, *, asks: bool) -> Val:
    """True where the phase is complete. Lanes that have to wait sleep in a CTA that runs alone, and trap in others."""
    fn = e.fn
    entry = find(e, mbar, F.E_NOTE)
    phase = fn.load(entry, I32, F.M_PHASE, 4)
    complete = fn.select((phase & 1) != 0, ~odd, odd) & e.exec
    with fn.if_(complete != e.exec):
        trap_if(e, _watched(e))
        if asks:
            with fn.if_(fn.load(e.env, I64, F.E_EAGER_COPIES, 8) == 0):
                _asked(e)
        else:
            trap_if(e, fn.load(e.env, I64, F.E_ALONE, 8) == 0)
            with fn.if_(complete == 0):
                _sleep(e, entry)
    with fn.if_(complete != 0):
        fn.store(phase, entry, F.M_SEEN, 4)
        with fn.if_(_watched(e)):
            take_note(e, F.NOTE_PHASE, _offset(e, entry).to(I32), phase - 1)
    return fn.lanes(complete)


def _asked(e: Emitter) -> None:
    """Carry out the oldest operation under way after so many polls without success. Traps where Python has the operations."""
    fn = e.fn
    address = fn.load(e.env, I64, F.E_QUEUE, 8)
    trap_if(e, address == 0)
    queue = address.to(PTR)
    with fn.if_(fn.load(queue, I64, F.Q_ISSUED, 8) != 0):
        polls = fn.load(queue, I64, F.Q_POLLS, 8) + 1
        with fn.if_((polls % F.PATIENCE == 0) & (fn.load(queue, I64, F.Q_PENDING, 8) != 0)):
            oldest = fn.load(e.env, PTR, F.E_OLDEST, 8)
            trap_if(e, fn.invoke(oldest, I32, queue, _cta(e)) == 0)
        fn.store(polls, queue, F.Q_POLLS, 8)


def _sleep(e: Emitter, entry: Val) -> None:
    """The lanes try again when the phase is over. A warp has one group of lanes that sleeps; others trap."""
    fn = e.fn
    trap_if(e, e.frame_word(F.F_SLEEPING) != 0)
    pc = e.pc
    e.save_pcs(e.active & ~e.exec, e.next_pc)
    e.save_pcs(e.exec, pc)
    e.set_frame_word(F.F_SLEEPING, e.exec)
    e.set_frame_word(F.F_SLEEPS_AT, _offset(e, entry).to(I32))
    now = fn.load(e.env, I64, F.E_WARP_COUNT, 8) + fn.load(e.env, I64, F.E_SKEW, 8)
    fn.store(now, e.frame, F.F_SLEPT, 8)
    sleepers = fn.load(entry, I32, F.M_SLEEPERS, 4)
    fn.store(sleepers | (fn.const(1, I32) << _number(e)), entry, F.M_SLEEPERS, 4)
    e.set_frame_word(F.F_WAITING, e.frame_word(F.F_WAITING) | e.exec)
    e.leave(F.REGROUP)


def _waits(name: str, *, asks: bool) -> None:
    """The meanings of waits for the phase of an arrival, by its state, and for that of a parity. `asks`: they never sleep."""

    @meaning(f"mbarrier.{name}", halfway=True, alone=True)
    def by_state(e: Emitter, mbar: Address, state: Val, *_: Any) -> Val:
        return _wait(e, mbar, e.mask(parity_of(e.splat(state).unsigned) != 0), asks=asks)

    @meaning(f"mbarrier.{name}.parity", halfway=True, alone=True)
    def by_parity(e: Emitter, mbar: Address, parity: Val, *_: Any) -> Val:
        return _wait(e, mbar, e.mask((e.splat(parity).unsigned & 1) != 0), asks=asks)


_waits("test_wait", asks=True)
_waits("try_wait", asks=False)


@meaning("mbarrier.pending_count", halfway=True, alone=True)
def pending_count(e: Emitter, state: Val) -> Val:
    """What a state says of the arrivals that its phase lacked."""
    return pending_of(e.fn.splat(state).unsigned).to(ROW)


meaning("fence.mbarrier_init")(nothing)  # all proxies of the simulator see one memory
