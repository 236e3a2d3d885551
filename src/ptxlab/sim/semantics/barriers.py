"""mbarriers of the own CTA where nothing has to be woken, looked up or reported: without Python. Everything else traps."""

from __future__ import annotations

from typing import Any

from ptxlab.layout.mbarrier_state import LIMIT, pack, parity_of
from ptxlab.sim.compiled import frame as F
from ptxlab.sim.compiled.address import SHARED_WINDOW, WINDOW_SHIFT
from ptxlab.sim.compiled.emit import Address, Emitter
from ptxlab.sim.compiled.ir import I32, I64, PTR, T, Val
from ptxlab.sim.compiled.memory import WIDE
from ptxlab.sim.compiled.registry import meaning
from ptxlab.sim.semantics.control import to_trap

ROW = T("u", 32)


def _same(e: Emitter, value: Val) -> Val:
    """The value that all executing lanes share, as a scalar; traps where they differ."""
    fn = e.fn
    value = fn.splat(value)
    first = fn.extract(value, fn.intrinsic("cttz", e.exec, extra=", i1 true"))
    with fn.if_((fn.mask(value.unsigned != first.unsigned) & e.exec) != 0):
        to_trap(e)
    return first.unsigned


def _find(e: Emitter, a: Address) -> Val:
    """Pointer to the state of the barrier that all executing lanes name; traps where there is none."""
    fn = e.fn
    with fn.if_(e.exec == 0):
        e.goto_next()
    with fn.if_(fn.load(e.env, I64, F.E_UNWATCHED, 8) == 0):
        to_trap(e)
    address = _same(e, a.value)
    if a.space == "generic":
        with fn.if_(address.to(I64) >> WINDOW_SHIFT != SHARED_WINDOW >> WINDOW_SHIFT):
            to_trap(e)
    offset = (address.to(I32) - fn.load(e.frame, I32, F.F_SHARED_FIRST, 4)).to(I64)
    with fn.if_(((offset + 8) > fn.load(e.frame, I64, F.F_SHARED_BYTES, 8)) | ((offset & 7) != 0)):
        to_trap(e)
    table = fn.load(fn.load(e.frame, PTR, F.F_CTA, 8), PTR, F.C_MBARRIERS, 8)
    entry = fn.at(table, offset * (F.MBARRIER_BYTES // 8))
    with fn.if_(fn.load(entry, I32, F.M_LIVE, 4) == 0):
        to_trap(e)
    return entry


def _signed(e: Emitter, entry: Val, at: int) -> Val:
    return e.load(entry, T("s", 32, 0), at, 4).to(T("s", 64, 0)).unsigned


def _state(e: Emitter, entry: Val, count: Val, nbytes: Val) -> Val:
    """What each lane finds before it arrives itself: those in front of it, in lane order, have arrived."""
    fn = e.fn
    below = fn.vector([(1 << lane) - 1 for lane in range(F.LANES)], ROW)
    before = fn.intrinsic("ctpop", below & fn.splat(e.exec)).to(WIDE)
    pending = fn.splat(_signed(e, entry, F.M_PENDING)) - before * fn.splat(count)
    lacking = fn.splat(_signed(e, entry, F.M_BYTES)) + before * fn.splat(nbytes)
    total, phase = fn.splat(_signed(e, entry, F.M_COUNT)), fn.splat(_signed(e, entry, F.M_PHASE))
    return pack(phase, pending, lacking, total)


def _arrive(e: Emitter, mbar: Address, count: Val, nbytes: Val) -> Val | None:
    """All lanes arrive at once: no phase completes in between, as that would lack arrivals for the rest."""
    fn = e.fn
    entry = _find(e, mbar)
    count, nbytes = _same(e, count).to(I64), _same(e, nbytes).to(I64)
    lanes = fn.intrinsic("ctpop", e.exec).to(I64)
    pending = _signed(e, entry, F.M_PENDING)
    arrivals, limit = lanes * count, LIMIT
    with fn.if_((count == 0) | (count >= limit) | (arrivals > pending) | (nbytes >= limit)):
        to_trap(e)
    lacking = _signed(e, entry, F.M_BYTES) + lanes * nbytes
    left = pending - arrivals
    done = (left == 0) & (lacking == 0)
    with fn.if_(((lacking + limit - 1) > 2 * limit - 2) | (done & (fn.load(entry, I32, F.M_AWAITED, 4) != 0))):
        to_trap(e)
    state = _state(e, entry, count, nbytes) if e.shape("state") != "_" else None
    full = fn.load(entry, I32, F.M_COUNT, 4)
    fn.store(fn.select(done, full, left.to(I32)), entry, F.M_PENDING, 4)
    fn.store(lacking.to(I32), entry, F.M_BYTES, 4)
    fn.store(fn.load(entry, I32, F.M_PHASE, 4) + done.to(I32), entry, F.M_PHASE, 4)
    return state


@meaning("mbarrier.arrive", halfway=True)
def arrive(e: Emitter, mbar: Address, count: Val | None = None) -> Val | None:
    """One arrival of each lane, or so many."""
    return _arrive(e, mbar, e.fn.const(1, ROW) if count is None else count, e.fn.const(0, ROW))


@meaning("mbarrier.arrive.expect_tx", halfway=True)
def arrive_expect(e: Emitter, mbar: Address, tx_count: Val) -> Val | None:
    """Bytes to expect, then one arrival of each lane."""
    return _arrive(e, mbar, e.fn.const(1, ROW), tx_count)


def _wait(e: Emitter, mbar: Address, odd: Val, *, asks: bool) -> Val:
    """True where the phase is complete. Whoever waits for another one traps; so does who asks, where units take their time."""
    fn = e.fn
    entry = _find(e, mbar)
    phase = fn.load(entry, I32, F.M_PHASE, 4)
    complete = fn.select((phase & 1) != 0, ~odd, odd) & e.exec
    with fn.if_(complete != e.exec):
        if asks:
            with fn.if_(fn.load(e.env, I64, F.E_EAGER_COPIES, 8) == 0):
                to_trap(e)
        else:
            to_trap(e)
    with fn.if_(complete != 0):
        fn.store(phase, entry, F.M_SEEN, 4)
    return fn.lanes(complete)


def _odd_state(e: Emitter, state: Val) -> Val:
    return e.mask(parity_of(e.splat(state).unsigned) != 0)


def _odd_parity(e: Emitter, parity: Val) -> Val:
    return e.mask((e.splat(parity).unsigned & 1) != 0)


@meaning("mbarrier.test_wait", halfway=True)
def test_state(e: Emitter, mbar: Address, state: Val, *_: Any) -> Val:
    """Whether the phase of an arrival is complete."""
    return _wait(e, mbar, _odd_state(e, state), asks=True)


@meaning("mbarrier.test_wait.parity", halfway=True)
def test_parity(e: Emitter, mbar: Address, parity: Val, *_: Any) -> Val:
    """Whether the phase of a parity is complete."""
    return _wait(e, mbar, _odd_parity(e, parity), asks=True)


@meaning("mbarrier.try_wait", halfway=True)
def wait_state(e: Emitter, mbar: Address, state: Val, *_: Any) -> Val:
    """Wait for the phase of an arrival."""
    return _wait(e, mbar, _odd_state(e, state), asks=False)


@meaning("mbarrier.try_wait.parity", halfway=True)
def wait_parity(e: Emitter, mbar: Address, parity: Val, *_: Any) -> Val:
    """Wait for the phase of a parity."""
    return _wait(e, mbar, _odd_parity(e, parity), asks=False)
