"""mma: products of one warp, from its registers and back. A sum with special or extreme numbers goes to Python as a whole."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from ptxlab.codegen.ir import Fn, T, Val
from ptxlab.layout.fragments import Fragment, mma_a, mma_b, mma_d
from ptxlab.sim.engine.compiled import floats as fp
from ptxlab.sim.engine.compiled import frame as F
from ptxlab.sim.engine.compiled.emit import Emitter
from ptxlab.sim.engine.compiled.registry import meaning
from ptxlab.sim.engine.handlers.control import to_trap
from ptxlab.sim.numerics import fused
from ptxlab.sim.numerics.formats import SPECIAL_EXPONENT, ZERO_EXPONENT

_SIGN, _ONE, _INF = 0x8000_0000, 0x3F80_0000, 0x7F80_0000
U16, U32, S16, S32, F64 = T("u", 16), T("u", 32), T("s", 16), T("s", 32), T("f", 64)


@lru_cache(maxsize=256)
def sizes(shape: str) -> tuple[int, int, int]:
    """M, N and K of a shape."""
    m, rest = shape[1:].split("n")
    n, k = rest.split("k")
    return int(m), int(n), int(k)


Places = dict[tuple[int, int], tuple[int, int]]
"""Lane and number of the element at each row and column."""


@lru_cache(maxsize=64)
def places(fragment: Fragment) -> Places:
    """Where the elements of a matrix are held."""
    rows, cols = fragment.rows, fragment.cols
    return {
        (int(rows[lane, number]), int(cols[lane, number])): (lane, number)
        for lane in range(F.LANES)
        for number in range(rows.shape[1])
    }


@dataclass(frozen=True, slots=True)
class Layout:
    """How the lanes of a warp hold A, B and D. Of several products in one, `block` rows of A meet as many columns of B."""

    left: Fragment
    right: Fragment
    out: Fragment
    k: int
    block: int = 0


class Product:
    """A x B of a warp: brings together, for every element of D that lanes hold, the elements of A and B that meet in it."""

    def __init__(self, e: Emitter, bits: int, elements: int, layout: Layout | None = None) -> None:
        """bits: of an element of A and B. elements: of D, in every lane. layout: None: that of mma."""
        self.e, self.bits, self.elements = e, bits, elements
        layout = layout or Layout(mma_a(bits), mma_b(bits, 4), mma_d(), sizes(str(e.mod("shape")))[2])
        self.k, self.out, self._block = layout.k, layout.out, layout.block
        self.left, self.right = places(layout.left), places(layout.right)
        self._moved: dict[tuple[str, tuple[int, ...]], Val] = {}

    def taken(self, held: Val, lanes: list[int]) -> Val:
        """What each lane takes from the lane that is named for it."""
        key = held.text, tuple(lanes)
        if key not in self._moved:
            self._moved[key] = self.e.fn.shuffle(held, None, lanes)
        return self._moved[key]

    def met(self, held: Sequence[Val], where: list[tuple[int, int]]) -> Val:
        """The elements at these lanes and numbers, by lane."""
        lanes = [lane for lane, _ in where]
        numbers = sorted({number for _, number in where})
        out = self.taken(held[numbers[0]], lanes)
        for number in numbers[1:]:
            picks = [i + F.LANES * (mine == number) for i, (_, mine) in enumerate(where)]
            out = self.e.fn.shuffle(out, self.taken(held[number], lanes), picks)
        return out

    def pair(self, a: Sequence[Val], b: Sequence[Val], element: int, k: int) -> tuple[Val, Val]:
        """What meets in an element of D at k, by lane; `a` and `b` are the elements that each lane holds."""
        return self.met(a, [self.left[int(row), k] for row in self.out.rows[:, element]]), self.of_b(b, element, k)

    def of_b(self, b: Sequence[Val], element: int, k: int) -> Val:
        """B's element that meets an element of D at k, by lane."""
        rows, cols = self.out.rows[:, element], self.out.cols[:, element]
        first = rows // self._block * self._block if self._block else 0 * rows
        return self.met(b, [self.right[k, int(col)] for col in first + cols])


def elements(e: Emitter, registers: Sequence[Val], bits: int) -> list[Val]:
    """The elements that registers hold, low bits first, in words of 16 bits, or 32 for wider ones; not extended."""
    if bits >= 32:
        return [r.unsigned for r in registers]
    parts = [r.unsigned >> up for r in registers for up in range(0, 32, bits)]
    if bits < 16:
        parts = [p & ((1 << bits) - 1) for p in parts]
    return [p.to(U16) for p in parts]


def unless_together(e: Emitter) -> None:
    """Go on where no lane executes; Python says what is wrong where some do."""
    with e.if_(e.exec == 0):
        e.goto_next()
    with e.if_(e.exec != -1):
        to_trap(e)


def words(values: Sequence[Val], bits: int) -> list[Val]:
    """Registers of 32 bits of patterns."""
    if bits == 32:
        return list(values)
    return [values[i].to(U32) | (values[i + 1].to(U32) << 16) for i in range(0, len(values), 2)]


Factors = tuple[list[Val], list[Val]]
"""Values and exponents of the elements that lanes hold."""


def factors(e: Emitter, elements: Sequence[Val], type_: str) -> Factors:
    both = [fused.factor(e.fn, x, type_) for x in elements]
    return [value for value, _ in both], [exponent for _, exponent in both]


def dot_add(
    product: Product, a: Factors, b: Factors, c: Sequence[Val], ks: Sequence[int], out: str
) -> tuple[list[Val], Val]:
    """One fused step over these k: patterns of D, and a mask that is 0 where all of them hold."""
    fn = product.e.fn
    results, unsafe = _dot_adds(product, a, b, c, ks, out)
    return results, _any(product.e, unsafe, fn.const(0, T("u", 32, 0)))


def _dot_adds(
    product: Product, a: Factors, b: Factors, c: Sequence[Val], ks: Sequence[int], out: str
) -> tuple[list[Val], list[Val]]:
    """One fused step over these k: patterns of D, and the lanes where they do not hold."""
    fn = product.e.fn
    results: list[Val] = []
    unsafe: list[Val] = []
    for element in range(product.elements):
        largest = fn.const(-30000, S16)
        for k in ks:
            x, y = product.pair(a[1], b[1], element, k)
            largest = fn.max(largest, x + y)
        total = fused.FusedSum(fn, *fused.addend(fn, c[element], out), largest)
        for k in ks:
            x, y = product.pair(a[0], b[0], element, k)
            total.add(x * y)
        results.append(total.half() if out == "f16" else total.single().unsigned)
        unsafe.append(total.unsafe)
    return results, unsafe


def _units(fn: Fn, factors: Factors) -> list[Val]:
    """The factors with 1 for every finite number but zero, and its sign."""
    out: list[Val] = []
    for value, exponent in zip(*factors, strict=True):
        one = ((value.unsigned & _SIGN) | _ONE).as_(value.t)
        finite = fn.select(exponent == ZERO_EXPONENT, fn.null(value.t), one)
        out.append(fn.select(exponent == SPECIAL_EXPONENT, value, finite))
    return out


def _special(product: Product, a: Factors, b: Factors, c: Sequence[Val], out: str) -> Iterator[tuple[Val, Val]]:
    """Of every element of D: where special numbers make it Inf or NaN, and its patterns there.

    Finite terms count as 1 or not at all: whether a sum is special, and how, does not depend on their size.
    """
    fn = product.e.fn
    left, right = _units(fn, a), _units(fn, b)
    for element in range(product.elements):
        addend, _ = fused.addend(fn, c[element], out)
        total = fn.select((addend.unsigned & _INF) == _INF, addend, fn.null(addend.t))
        for k in range(product.k):
            x, y = product.pair(left, right, element, k)
            total = total + x * y
        bits = total.unsigned
        nan, narrow = (bits & ~_SIGN) > _INF, out == "f16"
        pattern = (bits >> 16 & 0x8000 | 0x7C00).to(U16) if narrow else bits
        made = fn.select(nan, fn.const(0x7FFF if narrow else 0x7FFF_FFFF, pattern.t), pattern)
        yield (bits & _INF) == _INF, made


@meaning("mma.half", "mma.tf32", halfway=True)
def floats(e: Emitter, a: list[Val], b: list[Val], c: list[Val]) -> None:
    """f16, bf16 and tf32: one step over all of K. Inf and NaN are seen to here; Python has sums of extreme exponents."""
    unless_together(e)
    type_, out = e.mod("atype") or "tf32", "f16" if e.mod("dtype") == "f16" else "f32"
    bits, d_bits = 32 if type_ == "tf32" else 16, 16 if out == "f16" else 32
    addends = elements(e, c, d_bits)
    product = Product(e, bits, len(addends))
    left, right = (factors(e, elements(e, x, bits), type_) for x in (a, b))
    found, unsafe = _dot_adds(product, left, right, addends, range(product.k), out)
    results = [e.fn.variable(r) for r in found]
    none = e.const(0, T("u", 32, 0))
    with e.if_(_any(e, unsafe, none) != 0):
        rest: list[Val] = []
        for i, (special, pattern) in enumerate(_special(product, left, right, addends, out)):
            results[i].set(e.select(special, pattern, found[i]))
            rest.append(unsafe[i] & ~special)
        with e.if_(_any(e, rest, none) != 0):
            to_trap(e)
    e.write("d", words([r.get() for r in results], d_bits))


def _any(e: Emitter, lanes: Sequence[Val], mask: Val) -> Val:
    """A mask with the lanes of all these."""
    for one in lanes:
        mask = mask | e.fn.mask(one)
    return mask


def as_half(e: Emitter, code: Val, type_: str) -> Val:
    """The f16 pattern of an 8-bit float; a NaN becomes one."""
    sign, size = (code & 0x80) << 8, code & 0x7F
    if type_ == "e5m2":
        return code << 8
    # shifted into an f16 it is 2^8 too small; the product normalises it
    scaled = (fp.widen(size << 7, "f16") * 256.0).unsigned
    pattern = (scaled - (112 << 23) >> 13).to(U16)
    pattern = e.select(size == 0, e.const(0, U16), pattern)
    return e.select(size == 0x7F, e.const(0x7FFF, U16), pattern) | sign


@meaning("mma.f8", halfway=True)
def fp8(e: Emitter, a: list[Val], b: list[Val], c: list[Val]) -> None:
    """8-bit floats: as f16, a step over the k with k mod 4 below 2, one over the others, then an addition."""
    unless_together(e)
    out = str(e.mod("dtype"))
    d_bits = 16 if out == "f16" else 32
    addends = elements(e, c, d_bits)
    product = Product(e, 8, len(addends))
    left, right = (
        factors(e, [as_half(e, code, str(e.mod(name))) for code in elements(e, x, 8)], "f16")
        for x, name in ((a, "atype"), (b, "btype"))
    )
    groups = [[k for k in range(product.k) if k % 4 // 2 == high] for high in range(2)]
    results, unsafe = in_steps(product, left, right, addends, groups, out)
    with e.if_(unsafe != 0):
        to_trap(e)
    e.write("d", words(results, d_bits))


def in_steps(
    product: Product, a: Factors, b: Factors, c: Sequence[Val], groups: Sequence[Sequence[int]], out: str
) -> tuple[list[Val], Val]:
    """A fused step over each group of k, one after the other from 0, then C: patterns and mask as of `dot_add`."""
    e = product.e
    total, unsafe = [e.const(0, c[0].t)] * len(c), e.const(0, T("u", 32, 0))
    for ks in groups:
        total, more = dot_add(product, a, b, total, ks, out)
        unsafe = unsafe | more
    return [_rounded_sum(e, x, y, out) for x, y in zip(total, c, strict=True)], unsafe


def _rounded_sum(e: Emitter, x: Val, y: Val, out: str) -> Val:
    """x + y, rounded to nearest even: f32 has room enough for that of f16 to be rounded twice."""
    if out == "f16":
        return fp.narrow(e.fn, fp.widen(x, "f16") + fp.widen(y, "f16"), "f16")
    return fp.canonical(e.fn, x.floating + y.floating).unsigned


@meaning("mma.f64", halfway=True)
def doubles(e: Emitter, a: list[Val], b: list[Val], c: list[Val]) -> None:
    """f64: fused multiply-adds, k ascending from the addend, each rounded."""
    unless_together(e)
    e.write("d", chains(e, Product(e, 64, len(c)), a, b, c))


def chains(e: Emitter, product: Product, a: list[Val], b: list[Val], c: list[Val]) -> list[Val]:
    """f64: D by fused multiply-adds in the instruction's rounding."""
    mode = e.mod("rnd") or "rn"
    with e.fn.rounding(mode):
        return [_chain(product, a, b, element, total, mode) for element, total in enumerate(c)]


def _chain(product: Product, a: list[Val], b: list[Val], element: int, total: Val, mode: str) -> Val:
    e = product.e
    for k in range(product.k):
        x, y = product.pair(a, b, element, k)
        done = e.fn.intrinsic("fma", x, y, total) if mode == "rn" else e.fn.rounded("fma", mode, F64, x, y, total)
        total = fp.canonical64(e.fn, done, y, total, x)
    return total


@meaning("mma.int8", "mma.int4", halfway=True)
def integers(e: Emitter, a: list[Val], b: list[Val], c: list[Val]) -> None:
    """Exact sums, wrapped or clamped to 32 bits."""
    unless_together(e)
    left, right = str(e.mod("atype")), str(e.mod("btype"))
    bits = int(left[1:])
    product = Product(e, bits, len(c))
    numbers = [[number(x, type_) for x in elements(e, v, bits)] for v, type_ in ((a, left), (b, right))]
    e.write("d", [counted(e, product, numbers, element, held) for element, held in enumerate(c)])


def number(code: Val, type_: str) -> Val:
    up = 16 - int(type_[1:])
    return ((code << up).signed >> up if type_[0] == "s" else code).to(S32)


def counted(e: Emitter, product: Product, numbers: list[list[Val]], element: int, held: Val) -> Val:
    total = e.const(0, S32)
    for k in range(product.k):
        x, y = product.pair(numbers[0], numbers[1], element, k)
        total = total + x * y
    return _into(e, held, total)


def _into(e: Emitter, held: Val, total: Val) -> Val:
    return e.fn.intrinsic("sadd.sat", held.signed, total) if e.has("satfinite") else held.signed + total


@meaning("mma.b1", halfway=True)
def ones(e: Emitter, a: list[Val], b: list[Val], c: list[Val]) -> None:
    """How many bits are set in (row and column), or in (row xor column): 32 of them at a time."""
    unless_together(e)
    e.write("d", ones_of(e, Product(e, 1, len(c)), a, b, c))


def ones_of(e: Emitter, product: Product, a: list[Val], b: list[Val], c: list[Val]) -> list[Val]:
    """D of bits."""
    spread = [[v.unsigned for v in x for _ in range(32)] for x in (a, b)]
    results: list[Val] = []
    for element, held in enumerate(c):
        total = e.const(0, U32)
        for first in range(0, product.k, 32):
            x, y = product.pair(spread[0], spread[1], element, first)
            total = total + e.fn.intrinsic("ctpop", x & y if e.mod("bitop") == "and" else x ^ y)
        results.append(_into(e, held, total.signed))
    return results
