"""Integer instructions against Python's own integers, on random and on extreme operands."""

from __future__ import annotations

import math
import random
from collections.abc import Callable

import numpy as np
import pytest

from ...elementwise import apply

TYPES = ("u16", "u32", "u64", "s16", "s32", "s64")
RNG = random.Random(7)


def signed(v: int, bits: int) -> int:
    v &= (1 << bits) - 1
    return v - (1 << bits) if v >> (bits - 1) else v


def values(type_: str, n: int = 300) -> np.ndarray:
    bits = int(type_[1:])
    edges = [0, 1, 2, 3, (1 << bits) - 1, 1 << (bits - 1), (1 << (bits - 1)) - 1, (1 << bits) - 2]
    drawn = [RNG.getrandbits(bits) >> RNG.choice([0, 0, bits // 2, bits - 4]) for _ in range(n - len(edges))]
    both = edges + drawn
    RNG.shuffle(both)
    return np.array(both, f"u{bits // 8}")


def python(type_: str, fn: Callable[..., int], *columns: np.ndarray) -> list[int]:
    bits = int(type_[1:])
    read = (lambda v: signed(int(v), bits)) if type_[0] == "s" else int
    return [fn(*(read(v) for v in row)) & ((1 << bits) - 1) for row in zip(*columns, strict=True)]


def quotient(a: int, b: int) -> int:
    return -1 if b == 0 else int(math.copysign(1, a) * math.copysign(1, b)) * (abs(a) // abs(b))


BINARY: dict[str, Callable[[int, int], int]] = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul.lo": lambda a, b: a * b,
    "div": quotient,
    "rem": lambda a, b: -1 if b == 0 else a - quotient(a, b) * b,
    "min": min,
    "max": max,
}


@pytest.mark.parametrize("type_", TYPES)
@pytest.mark.parametrize("name", BINARY)
def test_binary(name: str, type_: str) -> None:
    a, b = values(type_), values(type_)
    t = "b" + type_[1:]
    got = apply(f"{name}.{type_} d, a0, a1;", t, f"{t} {t}", a, b)
    assert got.tolist() == python(type_, BINARY[name], a, b)


@pytest.mark.parametrize("type_", TYPES)
def test_high_product_and_mad(type_: str) -> None:
    bits, t = int(type_[1:]), "b" + type_[1:]
    a, b, c = values(type_), values(type_), values(type_)
    got = apply(f"mul.hi.{type_} d, a0, a1;", t, f"{t} {t}", a, b)
    assert got.tolist() == python(type_, lambda x, y: x * y >> bits, a, b)
    got = apply(f"mad.hi.{type_} d, a0, a1, a2;", t, f"{t} {t} {t}", a, b, c)
    assert got.tolist() == python(type_, lambda x, y, z: (x * y >> bits) + z, a, b, c)
    got = apply(f"sad.{type_} d, a0, a1, a2;", t, f"{t} {t} {t}", a, b, c)
    assert got.tolist() == python(type_, lambda x, y, z: abs(x - y) + z, a, b, c)


@pytest.mark.parametrize("type_", ["u16", "u32", "s16", "s32"])
def test_wide_product(type_: str) -> None:
    bits = int(type_[1:])
    a, b = values(type_), values(type_)
    c = values(f"u{2 * bits}")
    t, wide = f"b{bits}", f"b{2 * bits}"
    read = (lambda v: signed(int(v), bits)) if type_[0] == "s" else int
    mask = (1 << 2 * bits) - 1
    got = apply(f"mul.wide.{type_} d, a0, a1;", wide, f"{t} {t}", a, b)
    assert got.tolist() == [read(x) * read(y) & mask for x, y in zip(a, b, strict=True)]
    got = apply(f"mad.wide.{type_} d, a0, a1, a2;", wide, f"{t} {t} {wide}", a, b, c)
    assert got.tolist() == [read(x) * read(y) + int(z) & mask for x, y, z in zip(a, b, c, strict=True)]


@pytest.mark.parametrize("type_", ["b16", "b32", "b64", "u16", "u32", "u64", "s16", "s32", "s64"])
def test_shifts_clamp(type_: str) -> None:
    bits = int(type_[1:])
    a = values(type_)
    n = np.array([RNG.choice([0, 1, bits - 1, bits, bits + 1, 255, 2**32 - 1, RNG.randrange(bits)]) for _ in a], "u4")
    kind = "s" if type_[0] == "s" else "u"
    got = apply(f"shr.{type_} d, a0, a1;", f"b{bits}", f"b{bits} b32", a, n)
    want = python(kind + type_[1:], lambda x: x, a)
    shown = [signed(x, bits) if kind == "s" else x for x in want]
    assert got.tolist() == [(x >> min(int(k), bits)) & ((1 << bits) - 1) for x, k in zip(shown, n, strict=True)]
    if type_[0] == "b":
        got = apply(f"shl.{type_} d, a0, a1;", type_, f"{type_} b32", a, n)
        assert got.tolist() == [(int(x) << min(int(k), bits)) & ((1 << bits) - 1) for x, k in zip(a, n, strict=True)]


def test_funnel_shift() -> None:
    a, b, c = values("u32"), values("u32"), values("u32")
    c[:100] %= 40
    for mode in ("clamp", "wrap"):
        amounts = [min(int(x), 32) if mode == "clamp" else int(x) & 31 for x in c]
        both = [(int(y) << 32) | int(x) for x, y in zip(a, b, strict=True)]
        got = apply(f"shf.l.{mode}.b32 d, a0, a1, a2;", "b32", "b32 b32 b32", a, b, c)
        assert got.tolist() == [(v << n >> 32) & 0xFFFFFFFF for v, n in zip(both, amounts, strict=True)]
        got = apply(f"shf.r.{mode}.b32 d, a0, a1, a2;", "b32", "b32 b32 b32", a, b, c)
        assert got.tolist() == [(v >> n) & 0xFFFFFFFF for v, n in zip(both, amounts, strict=True)]


def reference_bfe(a: int, b: int, c: int, bits: int, is_signed: bool) -> int:
    """As the manual's pseudocode puts it; the chip takes the low bytes for 32 bits, and whole words for 64."""
    low = 0xFF if bits == 32 else 0xFFFF_FFFF
    position, length, top = b & low, min(c & low, bits), bits - 1
    sign = 0 if not is_signed or length == 0 else (a >> min(position + length - 1, top)) & 1
    out = 0
    for i in range(bits):
        bit = (a >> (position + i)) & 1 if i < length and position + i <= top else sign
        out |= bit << i
    return out


@pytest.mark.parametrize("type_", ["u32", "s32", "u64", "s64"])
def test_bit_field_extract(type_: str) -> None:
    bits = int(type_[1:])
    a = values(type_)
    b = np.array([RNG.choice([0, 1, bits - 1, bits, 200, 256, RNG.randrange(bits)]) for _ in a], "u4")
    c = np.array([RNG.choice([0, 1, bits - 1, bits, 200, 256, RNG.randrange(bits)]) for _ in a], "u4")
    got = apply(f"bfe.{type_} d, a0, a1, a2;", f"b{bits}", f"b{bits} b32 b32", a, b, c)
    want = [reference_bfe(int(x), int(y), int(z), bits, type_[0] == "s") for x, y, z in zip(a, b, c, strict=True)]
    assert got.tolist() == want


@pytest.mark.parametrize("bits", [32, 64])
def test_bit_field_insert(bits: int) -> None:
    a, b = values(f"u{bits}"), values(f"u{bits}")
    c = np.array([RNG.choice([0, 1, bits - 1, bits, 200, RNG.randrange(bits)]) for _ in a], "u4")
    size = np.array([RNG.choice([0, 1, bits - 1, bits, 200, RNG.randrange(bits)]) for _ in a], "u4")
    got = apply(f"bfi.b{bits} d, a0, a1, a2, a3;", f"b{bits}", f"b{bits} b{bits} b32 b32", a, b, c, size)
    want = []
    for x, y, at, n in zip(a.tolist(), b.tolist(), c.tolist(), size.tolist(), strict=True):
        for i in range(n):
            if at + i < bits:
                y = y & ~(1 << (at + i)) | ((x >> i) & 1 if i < bits else 0) << (at + i)
        want.append(y)
    assert got.tolist() == want


@pytest.mark.parametrize("table", [0x00, 0xFF, 0x80, 0xE8, 0x96, 0xCA, 0xF0, 0xCC, 0xAA, 0x1B])
def test_lop3(table: int) -> None:
    a, b, c = values("u32"), values("u32"), values("u32")
    got = apply(f"lop3.b32 d, a0, a1, a2, {table};", "b32", "b32 b32 b32", a, b, c)
    want = np.zeros_like(a)
    for i in range(32):
        index = ((a >> i & 1) << 2) | ((b >> i & 1) << 1) | (c >> i & 1)
        want |= ((np.uint32(table) >> index) & 1) << np.uint32(i)
    assert (got == want).all()


def test_permute_bytes() -> None:
    a, b, c = values("u32"), values("u32"), values("u32")
    got = apply("prmt.b32 d, a0, a1, a2;", "b32", "b32 b32 b32", a, b, c)
    want = []
    for x, y, s in zip(a.tolist(), b.tolist(), c.tolist(), strict=True):
        both, out = y << 32 | x, 0
        for i in range(4):
            nibble = s >> 4 * i & 15
            byte = both >> 8 * (nibble & 7) & 255
            out |= (255 * (byte >> 7) if nibble & 8 else byte) << 8 * i
        want.append(out)
    assert got.tolist() == want


@pytest.mark.parametrize("bits", [32, 64])
def test_bit_counts(bits: int) -> None:
    a = values(f"u{bits}")
    t = f"b{bits}"
    text = [f"{v:0{bits}b}" for v in a.tolist()]
    assert apply(f"popc.{t} d, a0;", "b32", t, a).tolist() == [s.count("1") for s in text]
    assert apply(f"clz.{t} d, a0;", "b32", t, a).tolist() == [len(s) - len(s.lstrip("0")) for s in text]
    assert apply(f"brev.{t} d, a0;", t, t, a).tolist() == [int(s[::-1], 2) for s in text]
    found = apply(f"bfind.u{bits} d, a0;", "b32", t, a).tolist()
    assert found == [(v.bit_length() - 1) & 0xFFFFFFFF for v in a.tolist()]
    found = apply(f"bfind.shiftamt.s{bits} d, a0;", "b32", t, a).tolist()
    flipped = [~signed(v, bits) if signed(v, bits) < 0 else v for v in a.tolist()]
    assert found == [bits - v.bit_length() if v else 0xFFFFFFFF for v in flipped]


def test_find_nth_set() -> None:
    mask, base = (
        values("u32"),
        np.array([RNG.choice([RNG.randrange(32), 32, -1, 0x7FFFFFFF]) for _ in range(300)], "i4"),
    )
    offset = np.array([RNG.choice([0, 1, -1, 2, -2, 5, -7, 40, -(2**31)]) for _ in range(300)], "i4")
    got = apply("fns.b32 d, a0, a1, a2;", "b32", "b32 b32 b32", mask, base.view("u4"), offset.view("u4"))
    want = []
    for m, b, k in zip(mask.tolist(), base.tolist(), offset.tolist(), strict=True):
        if k == -(2**31):  # its magnitude is no s32: the chip finds bit 0
            want.append(0)
            continue
        order = range(b, b + 1) if k == 0 else range(b, 32) if k > 0 else range(b, -1, -1)
        hits = [i for i in order if m >> i & 1] if 0 <= b < 32 else []
        want.append(hits[max(abs(k) - 1, 0)] if len(hits) > max(abs(k) - 1, 0) else 0xFFFFFFFF)
    assert got.tolist() == want


def test_packed_and_saturating() -> None:
    a, b, c = values("u32"), values("u32"), values("u32")
    got = apply("add.u16x2 d, a0, a1;", "b32", "b32 b32", a, b)
    assert (got.view("u2") == a.view("u2") + b.view("u2")).all()
    got = apply("min.s16x2 d, a0, a1;", "b32", "b32 b32", a, b)
    assert (got.view("i2") == np.minimum(a.view("i2"), b.view("i2"))).all()
    got = apply("add.sat.s32 d, a0, a1;", "b32", "b32 b32", a, b)
    exact = a.view("i4").astype("i8") + b.view("i4")
    assert (got.view("i4") == np.clip(exact, -(2**31), 2**31 - 1)).all()
    got = apply("dp4a.s32.u32 d, a0, a1, a2;", "b32", "b32 b32 b32", a, b, c)
    dots = (a.view("i1").reshape(-1, 4).astype("i8") * b.view("u1").reshape(-1, 4)).sum(axis=1) + c
    assert (got == (dots & 0xFFFFFFFF)).all()


@pytest.mark.parametrize("cmp", ["eq", "ne", "lt", "le", "gt", "ge"])
@pytest.mark.parametrize("type_", ["u16", "s32", "u64", "s64"])
def test_comparisons(cmp: str, type_: str) -> None:
    a, b = values(type_), values(type_)
    b[::5] = a[::5]
    t = "b" + type_[1:]
    got = apply(f"setp.{cmp}.{type_} d, a0, a1;", "pred", f"{t} {t}", a, b)
    kind = f"{'i' if type_[0] == 's' else 'u'}{int(type_[1:]) // 8}"
    want = {
        "eq": np.equal,
        "ne": np.not_equal,
        "lt": np.less,
        "le": np.less_equal,
        "gt": np.greater,
        "ge": np.greater_equal,
    }
    assert (got == want[cmp](a.view(kind), b.view(kind))).all()


def test_comparison_combines_and_gives_the_opposite() -> None:
    a, b = values("u32"), values("u32")
    b[::3] = a[::3]
    got = apply(
        """setp.ne.u32 q, a1, 0; setp.lt.and.u32 d|p, a0, a1, q; selp.b32 held, 2, 0, p;
        @d add.u32 held, held, 1; setp.ge.u32 d, held, 1; @p setp.ge.u32 d, held, 2;""",
        "pred",
        "b32 b32",
        a,
        b,
    )
    assert (got == (((a < b) & (b != 0)) | (~(a < b) & (b != 0)))).all()


@pytest.mark.parametrize("to", ["u8", "s8", "u16", "s16", "u32", "s32", "u64", "s64"])
@pytest.mark.parametrize("source", ["s8", "u16", "s32", "u64", "s64"])
def test_integer_conversions(to: str, source: str) -> None:
    wide = max(16, int(source[1:]))
    a = values(f"u{wide}")
    bits, from_bits = int(to[1:]), int(source[1:])
    held = max(16, bits)
    read = [signed(int(v), from_bits) if source[0] == "s" else int(v) & ((1 << from_bits) - 1) for v in a]
    low, high = (-(1 << (bits - 1)), (1 << (bits - 1)) - 1) if to[0] == "s" else (0, (1 << bits) - 1)
    reach = (-(1 << (from_bits - 1)), (1 << (from_bits - 1)) - 1) if source[0] == "s" else (0, (1 << from_bits) - 1)
    for sat in ("", ".sat") if reach[0] < low or reach[1] > high else ("",):
        got = apply(f"cvt{sat}.{to}.{source} d, a0;", f"b{held}", f"b{wide}", a)
        clamped = [min(max(v, low), high) for v in read] if sat else read
        # the register is wider than u8 and s8: it holds the value extended
        want = [(signed(v, bits) if to[0] == "s" else v & ((1 << bits) - 1)) & ((1 << held) - 1) for v in clamped]
        assert got.tolist() == want


@pytest.mark.parametrize("type_", ["u32", "s32"])
@pytest.mark.parametrize("part", ["lo", "hi"])
@pytest.mark.parametrize("name", ["mul24", "mad24"])
def test_products_of_24_bits(name: str, part: str, type_: str) -> None:
    a, b, c = values(type_), values(type_), values(type_)
    third = ", a2" if name == "mad24" else ""
    got = apply(f"{name}.{part}.{type_} d, a0, a1{third};", "b32", "b32 b32 b32", a, b, c)
    assert got.tolist() == python(type_, lambda x, y, z: _half24(x, y, part, type_) + (z if third else 0), a, b, c)


def test_products_of_24_bits_clamped() -> None:
    a, b, c = values("s32"), values("s32"), values("s32")
    got = apply("mad24.hi.sat.s32 d, a0, a1, a2;", "b32", "b32 b32 b32", a, b, c)
    least, most = -(1 << 31), (1 << 31) - 1
    assert got.tolist() == python("s32", lambda x, y, z: min(max(_half24(x, y, "hi", "s32") + z, least), most), a, b, c)


def _half24(x: int, y: int, part: str, type_: str) -> int:
    """Bits 31 to 0, or 47 to 16, of the product of the lower 24 bits."""
    x, y = (signed(v, 24) if type_ == "s32" else v & 0xFF_FFFF for v in (x, y))
    return signed(x * y >> 16 if part == "hi" else x * y, 32)
