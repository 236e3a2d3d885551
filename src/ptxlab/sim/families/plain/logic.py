"""Logic, shifts, bit fields, bytes."""

from __future__ import annotations

from ptxlab.codegen.ir import T, Val
from ptxlab.sim.engine.compiled.emit import Emitter
from ptxlab.sim.engine.compiled.registry import meaning

U32 = T("u", 32)


@meaning("and", "and.pred")
def and_(e: Emitter, a: Val, b: Val) -> Val:
    return a & b


@meaning("or", "or.pred")
def or_(e: Emitter, a: Val, b: Val) -> Val:
    return a | b


@meaning("xor", "xor.pred")
def xor(e: Emitter, a: Val, b: Val) -> Val:
    return a ^ b


@meaning("not", "not.pred")
def not_(e: Emitter, a: Val) -> Val:
    return ~a


@meaning("cnot")
def cnot(e: Emitter, a: Val) -> Val:
    return (a == 0).to(a.t)


# --- shifts: amounts beyond the width act as the width ------------------------------------------------------------------
@meaning("shl")
def shift_left(e: Emitter, a: Val, n: Val) -> Val:
    """a << n, zero for n ≥ width."""
    bits = a.t.bits
    amount = e.min(n, bits - 1).to(a.t.unsigned_type())
    return e.select(n > bits - 1, e.const(0, a.t), a << amount.as_(a.t))


@meaning("shr")
def shift_right(e: Emitter, a: Val, n: Val) -> Val:
    """a >> n: zero, or the sign of signed values, for n ≥ width."""
    bits = a.t.bits
    amount = e.min(n, bits - 1).to(a.t.unsigned_type()).as_(a.t)
    shifted = a >> amount
    return shifted if a.t.kind == "s" else e.select(n > bits - 1, e.const(0, a.t), shifted)


@meaning("shf")
def shf(e: Emitter, a: Val, b: Val, c: Val) -> Val:
    n = e.min(c, 32) if e.mod("mode") == "clamp" else c & 31
    wide = T("u", 64)
    whole = (b.to(wide) << 32) | a.to(wide)
    if e.mod("dir") == "l":
        return ((whole << n.to(wide)) >> 32).to(U32)
    return (whole >> n.to(wide)).to(U32)


# --- bit fields -----------------------------------------------------------------------------------------------------------
def low_ones(e: Emitter, n: Val, t: T) -> Val:
    """n ones, for n from 0 to beyond the width."""
    return ~shift_left(e, e.const(-1, t), n)


def _place(a: Val, *words: Val) -> tuple[Val, ...]:
    """Position and length of a field: the low bytes of their words; fields of 64 bits (software) take the words whole."""
    return tuple(w & 0xFF for w in words) if a.t.bits == 32 else words


@meaning("bfe")
def bfe(e: Emitter, a: Val, b: Val, c: Val) -> Val:
    bits = a.t.bits
    position, length = _place(a, b, c)
    field = shift_right(e, a.unsigned, position)
    if a.t.kind == "u":
        return field & low_ones(e, length, field.t)
    inside = e.min(length, e.const(bits, U32) - e.min(position, bits))  # bits of the field that `a` has
    up = e.min(e.const(bits, U32) - inside, bits - 1).to(field.t)
    extended = ((field << up).signed >> up.signed).as_(a.t)
    sign = a >> (bits - 1)
    out = e.select(inside == 0, sign, extended)
    return e.select(length == 0, e.const(0, a.t), out)


@meaning("bfi")
def bfi(e: Emitter, a: Val, b: Val, c: Val, l: Val) -> Val:  # noqa: E741  (the operand's name)
    position, length = _place(a, c, l)
    mask = shift_left(e, low_ones(e, length, a.t), position)
    return (b & ~mask) | (shift_left(e, a, position) & mask)


@meaning("bfind")
def bfind(e: Emitter, a: Val) -> Val:
    bits = a.t.bits
    value = (e.select(a < 0, ~a, a) if a.t.kind == "s" else a).unsigned
    zeros = e.intrinsic("ctlz", value, extra=", i1 false").to(U32)
    found = zeros if e.has("shiftamt") else e.const(bits - 1, U32) - zeros
    return e.select(value == 0, e.const(-1, U32), found)


@meaning("fns")
def fns(e: Emitter, mask: Val, base: Val, offset: Val) -> Val:
    """Walk from `base`, upwards for positive and downwards for negative offsets, to the |offset|-th set bit.

    The result of an offset of −2^31, whose magnitude is no s32, is 0.
    """
    s32 = T("s", 32)
    offset = offset.as_(s32)
    down = offset < 0
    left = e.variable(e.max(e.select(down, -offset, offset) - 1, 0))
    found = e.variable(e.const(-1, s32))
    base = base.as_(s32)
    starts = (base >= 0) & (base < 32)
    with e.count(32) as step:
        moved = e.splat(step.as_(s32.scalar))
        at = e.select(down, base - moved, base + moved)
        inside = starts & (at >= 0) & (at < 32) & ((offset != 0) | (moved == 0))
        bit = ((mask >> (at & 31).as_(U32)) & 1) == 1
        here = inside & bit & (found.get() == -1)
        found.set(e.select(here & (left.get() == 0), at, found.get()))
        left.set(e.select(here & (found.get() == -1), left.get() - 1, left.get()))
    return e.select(offset == -(1 << 31), e.const(0, s32), found.get())


@meaning("bmsk")
def bmsk(e: Emitter, a: Val, b: Val) -> Val:
    clamp = e.mod("mode") == "clamp"
    position, width = (e.min(v, 32) if clamp else v & 31 for v in (a, b))
    return shift_left(e, low_ones(e, width, U32), position)


@meaning("szext")
def szext(e: Emitter, a: Val, b: Val) -> Val:
    width = e.min(b, 32) if e.mod("mode") == "clamp" else b & 31
    if a.t.kind == "u":
        return a & low_ones(e, width, a.t)
    up = e.min(e.const(32, U32) - width, 31).as_(a.t)
    return e.select(width == 0, e.const(0, a.t), (a << up) >> up)


@meaning("popc")
def popc(e: Emitter, a: Val) -> Val:
    return e.intrinsic("ctpop", a).to(U32)


@meaning("clz")
def clz(e: Emitter, a: Val) -> Val:
    return e.intrinsic("ctlz", a, extra=", i1 false").to(U32)


@meaning("brev")
def brev(e: Emitter, a: Val) -> Val:
    return e.intrinsic("bitreverse", a)


# --- functions of three, bytes --------------------------------------------------------------------------------------------
def lookup3(e: Emitter, a: Val, b: Val, c: Val, table: int) -> Val:
    """Bit 4a + 2b + c of the table, bit by bit."""

    def of_c(two: int) -> Val:
        return {0: e.const(0, c.t), 1: ~c, 2: c, 3: e.const(-1, c.t)}[two]

    def pick(p: Val, yes: Val, no: Val) -> Val:
        return (p & yes) | (~p & no)

    rows = [of_c(table >> 2 * i & 3) for i in range(4)]
    return pick(a, pick(b, rows[3], rows[2]), pick(b, rows[1], rows[0]))


@meaning("lop3")
def lop3(e: Emitter, a: Val, b: Val, c: Val, table: Val) -> Val:
    return lookup3(e, a, b, c, e.constant("table") & 0xFF)


@meaning("lop3.pred")
def lop3_pred(e: Emitter, a: Val, b: Val, c: Val, table: Val, q: Val) -> tuple[Val, Val]:
    out = lookup3(e, a, b, c, e.constant("table") & 0xFF)
    held = out != 0
    return out, held & q if e.mod("bool") == "and" else held | q


# Bytes that each mode selects for selectors 0 to 3, highest byte of the result first.
_PRMT = {
    "f4e": ("3210", "4321", "5432", "6543"),
    "b4e": ("5670", "6701", "7012", "0123"),
    "rc8": ("0000", "1111", "2222", "3333"),
    "ecl": ("3210", "3211", "3222", "3333"),
    "ecr": ("0000", "1110", "2210", "3210"),
    "rc16": ("1010", "3232", "1010", "3232"),
}


@meaning("prmt")
def prmt(e: Emitter, a: Val, b: Val, c: Val) -> Val:
    mode = e.mod("mode")
    if mode is not None:
        rows = [e.const(int(digits, 16), U32) for digits in _PRMT[mode]]
        selector = c & 3
        c = e.select(
            selector == 0, rows[0], e.select(selector == 1, rows[1], e.select(selector == 2, rows[2], rows[3]))
        )
    wide = T("u", 64)
    both = (b.to(wide) << 32) | a.to(wide)
    out = e.const(0, U32)
    for i in range(4):
        nibble = (c >> 4 * i) & 0xF
        byte = (both >> ((nibble & 7) << 3).to(wide)).to(U32) & 0xFF
        sign = e.select((byte & 0x80) != 0, e.const(0xFF, U32), e.const(0, U32))
        out = out | (e.select((nibble & 8) != 0, sign, byte) << 8 * i)
    return out
