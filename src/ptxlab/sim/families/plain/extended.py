"""Extended-precision integers: carry and borrow are one bit a lane, in the warp's frame."""

from __future__ import annotations

from functools import partial

from ptxlab.codegen.ir import T, Val
from ptxlab.sim.engine.compiled import frame as F
from ptxlab.sim.engine.compiled.emit import Emitter
from ptxlab.sim.engine.compiled.registry import meaning
from ptxlab.sim.families.plain.integer import high_product, product


def _carry(e: Emitter, like: Val) -> Val:
    """The carry of each lane as 0 or 1. Subtraction keeps it the other way round: 1 where nothing was borrowed."""
    return e.select(e.lanes(e.frame_word(F.F_CARRY)), e.const(1, like.t), e.const(0, like.t))


def _keep(e: Emitter, carry: Val) -> None:
    old = e.frame_word(F.F_CARRY)
    e.set_frame_word(F.F_CARRY, (old & ~e.exec) | (e.mask(carry) & e.exec))


def _add(e: Emitter, a: Val, b: Val, *, reads: bool, writes: bool) -> Val:
    a, b = a.unsigned, b.unsigned
    total = a + b
    over = total < a
    if reads:
        more = total + _carry(e, total)
        over = over | (more < total)
        total = more
    if writes:
        _keep(e, over)
    return total


def _subtract(e: Emitter, a: Val, b: Val, *, reads: bool, writes: bool) -> Val:
    a, b = a.unsigned, b.unsigned
    rest = a - b
    under = a < b
    if reads:
        borrow = e.const(1, rest.t) - _carry(e, rest)
        under = under | (rest < borrow)
        rest = rest - borrow
    if writes:
        _keep(e, ~under)
    return rest


def _mad(e: Emitter, a: Val, b: Val, c: Val, *, reads: bool, writes: bool) -> Val:
    return _add(e, product(e, a, b), c, reads=reads, writes=writes)


for _ending, _reads, _writes in ((".cc", False, True), ("c", True, False), ("c.cc", True, True)):
    meaning(f"add{_ending}")(partial(_add, reads=_reads, writes=_writes))
    meaning(f"sub{_ending}")(partial(_subtract, reads=_reads, writes=_writes))
    if _writes:
        meaning(f"mad{_ending}")(partial(_mad, reads=_reads, writes=_writes))


@meaning("madc")
def madc(e: Emitter, a: Val, b: Val, c: Val) -> Val:
    return _add(e, _half(e, a, b), c, reads=True, writes=False)


def _half(e: Emitter, a: Val, b: Val) -> Val:
    """Half a product; of 16 bits the upper one is what stands above 32 bits, as ptxas multiplies in words: copies of the sign.

    A product of 64 bits shifted by 32 would say the same, but LLVM 22 makes wrong code of that for vectors of x86-64.
    """
    if a.t.bits != 16 or e.mod("part") == "lo":
        return product(e, a, b)
    if a.t.kind == "u":
        return e.const(0, a.t)
    word = T("s", 32)
    return ((a.to(word) * b.to(word)) >> 31).to(a.t)


def _clamped(e: Emitter, total: Val) -> Val:
    """A sum of 64 bits in 32."""
    low, high = (e.const(v, total.t) for v in (-(1 << 31), (1 << 31) - 1))
    return e.fn.min(e.fn.max(total, low), high).to(T("s", 32))


@meaning("addc.sat")
def addc_sat(e: Emitter, a: Val, b: Val) -> Val:
    wide = T("s", 64)
    return _clamped(e, a.to(wide) + b.to(wide) + _carry(e, a.to(wide)))


@meaning("subc.sat")
def subc_sat(e: Emitter, a: Val, b: Val) -> Val:
    wide = T("s", 64)
    return _clamped(e, a.to(wide) - b.to(wide) - (e.const(1, wide) - _carry(e, a.to(wide))))


@meaning("madc.sat")
def madc_sat(e: Emitter, a: Val, b: Val, c: Val) -> Val:
    return _add(e, high_product(e, a, b), c, reads=True, writes=False)
