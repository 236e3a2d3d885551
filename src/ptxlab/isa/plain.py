"""Meanings in plain Python: what a row's `reference=` may be, and the longer ones of them.

A reference is a function of Python values. Its parameters are named after what it wants:

- an operand: an int (negative ones too for signed types), a float, a bool for a predicate; a tuple for an operand in braces;
  None for one that is left out. Of packed types such as u16x2 it gets the halves, one call each.
- a modifier: its value, None where it is left out; True or False for a flag such as `sat`.
- `bits`, `low`, `high`: width and range of the result's type. `carry`: the carry that it reads, 0 or 1.

It returns the result, a tuple for several results, the carry that it leaves behind them. Integers are cut to the result's
type; a Fraction is rounded once, as the modifier `rnd` says, to nearest even without one; NaN stands for any NaN. None says that
the result is not specified for these operands. Nothing here is fast: it is what `tools.row_references` holds
the compiled meanings to.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

from ptxlab.isa.terms import Term

if TYPE_CHECKING:
    from fractions import Fraction

Function: TypeAlias = Callable[..., Any]


@dataclass(frozen=True, slots=True, eq=False)
class Reference:
    """A meaning in plain Python.

    Attributes:
        function: see above. when: the instances that it is for; None: all. raw: it gets floating-point numbers as their bits.
        exact: it is asked with fractions where all numbers are finite, so that its result is rounded once.
    """

    function: Function
    when: Term | None = None
    raw: bool = False
    exact: bool = False

    @property
    def wants(self) -> tuple[str, ...]:
        """The names of what it wants: its parameters without a default."""
        code = self.function.__code__
        return code.co_varnames[: code.co_argcount - len(self.function.__defaults__ or ())]


def plain(function: Function, *, when: Term | None = None, raw: bool = False) -> Reference:
    """A reference for some instances of a row, or one that moves bits."""
    return Reference(function, when, raw)


def exact(function: Function, *, when: Term | None = None) -> Reference:
    """A reference that is rounded once."""
    return Reference(function, when, exact=True)


# --- integers


def clamp(value: int, low: int, high: int) -> int:
    """The nearest value of a range."""
    return min(max(value, low), high)


def part_of(product: int, part: str, bits: int) -> int:
    """The lower or upper half of a product of numbers of so many bits."""
    return product >> bits if part == "hi" else product & (1 << bits) - 1


def quotient(a: int, b: int) -> int | None:
    """Division towards zero; what division by zero gives is not specified."""
    return None if b == 0 else abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


def rest(a: int, b: int) -> int | None:
    """What division towards zero leaves."""
    found = quotient(a, b)
    return None if found is None else a - b * found


def field(value: int, width: int, *, signed: bool) -> int:
    """The lowest bits of a value as a number."""
    low = value & (1 << width) - 1
    return low - (1 << width) if signed and width and low >> width - 1 else low


def product24(a: int, b: int, part: str, type: str) -> int:
    """The lower 32 bits, or those from bit 16 on, of the product of the lowest 24 bits."""
    signed = type == "s32"
    return field(a, 24, signed=signed) * field(b, 24, signed=signed) >> (16 if part == "hi" else 0)


def carryless(a: int, b: int, c: int, part: str) -> int:
    """The lower or upper 64 bits of the product of two polynomials over GF(2), and `c` by exclusive or."""
    product = 0
    for i in range(64):
        if b >> i & 1:
            product ^= a << i
    return (product >> 64 if part == "hi" else product) & (1 << 64) - 1 ^ c


def dot4(a: int, b: int, c: int, atype: str, btype: str) -> int:
    """`c` and the products of four bytes."""
    return c + sum(
        field(a >> i, 8, signed=atype == "s32") * field(b >> i, 8, signed=btype == "s32") for i in range(0, 32, 8)
    )


def dot2(a: int, b: int, c: int, atype: str, btype: str, part: str) -> int:
    """`c` and the products of two halves of `a` with the lower or upper two bytes of `b`."""
    b >>= 16 if part == "hi" else 0
    return c + sum(
        field(a >> 16 * i, 16, signed=atype == "s32") * field(b >> 8 * i, 8, signed=btype == "s32") for i in range(2)
    )


def with_carry(function: Callable[[int, int, int], int]) -> Function:
    """Sums of two numbers and a carry, or differences: what fits, and whether something is left over or owed."""

    def run(a: int, b: int, carry: int, bits: int) -> tuple[int, int]:
        below = (1 << bits) - 1
        total = function(a & below, b & below, carry)
        return total & below, int(not 0 <= total <= below)

    return run


def mad_with_carry(a: int, b: int, c: int, part: str, carry: int, bits: int) -> tuple[int, int]:
    """Half a product, a summand and a carry; what is left over. The upper half of 16 bits is what stands above 32 bits."""
    below = (1 << bits) - 1
    total = (part_of(a * b, part, max(bits, 32) if part == "hi" else bits) & below) + (c & below) + carry
    return total & below, total >> bits


# --- bits: of places and widths of 32-bit fields the lowest byte counts; of 64-bit fields numbers above 255 mean nothing


def funnel(a: int, b: int, c: int, dir: str, mode: str) -> int:
    """The 64 bits b:a, shifted: the upper word to the left, the lower one to the right."""
    n = min(c, 32) if mode == "clamp" else c & 31
    both = b << 32 | a
    return both << n >> 32 if dir == "l" else both >> n


def extract(a: int, b: int, c: int, type: str) -> int | None:
    """`c` bits at bit `b`, extended by zeros or by the field's highest bit that is there."""
    bits, signed = int(type[1:]), type[0] == "s"
    if bits == 64 and max(b, c) > 0xFF:
        return None
    at, width = b & 0xFF, c & 0xFF
    if width == 0:
        return 0
    value = field(a, bits, signed=signed)  # above it: zeros, or its sign
    return field(value >> at, width, signed=signed)


def insert(a: int, b: int, c: int, l: int, bits: int) -> int | None:  # noqa: E741  (PTX's name of the operand)
    """`b` with some bits of `a` in it."""
    if bits == 64 and max(c, l) > 0xFF:
        return None
    at, width = c & 0xFF, l & 0xFF
    ones = ((1 << width) - 1 << at) & (1 << bits) - 1
    return b & ~ones | a << at & ones


def highest(a: int, type: str, shiftamt: bool) -> int:
    """The place of the highest bit that is not the sign, or how far it is from the top; all ones where there is none."""
    place = (~a if a < 0 else a).bit_length() - 1
    return -1 if place < 0 else int(type[1:]) - 1 - place if shiftamt else place


def mask_of(a: int, b: int, mode: str) -> int:
    """`b` ones from bit `a` on."""
    at, width = (min(a, 32), min(b, 32)) if mode == "clamp" else (a & 31, b & 31)
    return (1 << width) - 1 << at


def extended(a: int, b: int, mode: str, type: str) -> int:
    """The lowest `b` bits with their sign, or with zeros above."""
    return field(a, min(b, 32) if mode == "clamp" else b & 31, signed=type == "s32")


def by_table(a: int, b: int, c: int, table: int) -> int:
    """Bit by bit what a truth table says."""
    return sum((table >> (4 * (a >> i & 1) + 2 * (b >> i & 1) + (c >> i & 1)) & 1) << i for i in range(32))


def reverse(a: int, bits: int) -> int:
    """The bits in reverse."""
    return int(f"{a:0{bits}b}"[::-1], 2)


def joined(parts: tuple[int, ...], bits: int) -> int:
    """Parts side by side, the first lowest."""
    return sum(part << i * bits // len(parts) for i, part in enumerate(parts))


def split(value: int, count: int, bits: int) -> tuple[int, ...]:
    """So many parts of as many bits each, the first the lowest."""
    return tuple(value >> i * bits & (1 << bits) - 1 for i in range(count))


def shares(value: int, count: int, bits: int) -> tuple[int, ...]:
    """As many of so many bits for each element, the first the lowest; less than a byte is not shared."""
    each = bits // count if bits // count >= 8 else bits
    return tuple(value >> i * each & (1 << each) - 1 for i in range(count))


_PERMUTED: dict[str, Callable[[int], list[int]]] = {
    "f4e": lambda n: [n, n + 1, n + 2, n + 3],
    "b4e": lambda n: [n, n + 7, n + 6, n + 5],
    "rc8": lambda n: [n] * 4,
    "ecl": lambda n: [max(i, n) for i in range(4)],
    "ecr": lambda n: [min(i, n) for i in range(4)],
    "rc16": lambda n: [2 * (n & 1), 2 * (n & 1) + 1] * 2,
}


def permuted(a: int, b: int, c: int, mode: str | None) -> int:
    """Four of the eight bytes of b:a."""
    both = b << 32 | a
    if mode is not None:
        return joined(tuple(both >> 8 * (i & 7) & 0xFF for i in _PERMUTED[mode](c & 3)), 32)
    out: list[int] = []
    for i in range(4):
        chosen = c >> 4 * i & 0xF
        byte = both >> 8 * (chosen & 7) & 0xFF
        out.append(0xFF * (byte >> 7) if chosen & 8 else byte)
    return joined(tuple(out), 32)


def packed(parts: tuple[int, ...], dtype: str, below: int = 0) -> int:
    """Numbers clamped to a type, side by side, the last lowest; those that were in `below` move up."""
    bits = int(dtype[1:])
    low, high = (-(1 << bits - 1), (1 << bits - 1) - 1) if dtype[0] == "s" else (0, (1 << bits) - 1)
    for part in parts:
        below = below << bits | clamp(part, low, high) & (1 << bits) - 1
    return below


# --- comparison

_COMPARE: dict[str, Callable[[Any, Any], bool]] = {
    "eq": lambda a, b: a == b,
    "ne": lambda a, b: a != b and a == a and b == b,
    "lt": lambda a, b: a < b,
    "le": lambda a, b: a <= b,
    "gt": lambda a, b: a > b,
    "ge": lambda a, b: a >= b,
    "num": lambda a, b: a == a and b == b,
}
_UNSIGNED = {"lo": "lt", "ls": "le", "hi": "gt", "hs": "ge"}


def holds(cmp: str, a: float, b: float) -> bool:
    """Whether a comparison holds; `u` at the end of a floating-point one: where an operand is NaN too."""
    if cmp == "nan":
        return not _COMPARE["num"](a, b)
    if len(cmp) == 3 and cmp[-1] == "u":
        return not _COMPARE["num"](a, b) or _COMPARE[cmp[:2]](a, b)
    return _COMPARE[_UNSIGNED.get(cmp, cmp)](a, b)


def combined(found: bool, bool: str | None, c: bool | None) -> bool:
    """An outcome with a predicate."""
    if bool is None or c is None:
        return found
    return found and c if bool == "and" else found or c if bool == "or" else found != c


def outcome(a: float, b: float, c: bool | None, cmp: str, bool: str | None) -> tuple[bool, bool]:
    """What setp gives: the outcome and its opposite, each combined."""
    found = holds(cmp, a, b)
    return combined(found, bool, c), combined(not found, bool, c)


def set_result(a: float, b: float, c: bool | None, cmp: str, bool: str | None, dtype: str) -> float:
    """What set gives: all ones, or 1.0, where it holds."""
    return (1.0 if dtype[0] in "fb" else -1) if combined(holds(cmp, a, b), bool, c) else 0


# --- floating point


def _fraction(a: float) -> Fraction:
    from fractions import Fraction  # not needed to import the rows

    return Fraction(a)


def divided(a: float, b: float, rnd: str | None) -> Any:
    """A quotient."""
    if b == 0 or not math.isfinite(a) or not math.isfinite(b) or a == 0:
        sign = math.copysign(1.0, a) * math.copysign(1.0, b)
        if math.isnan(a) or math.isnan(b) or a == b == 0 or (math.isinf(a) and math.isinf(b)):
            return math.nan
        return sign * (math.inf if b == 0 or math.isinf(a) else 0.0)
    return _fraction(a) / _fraction(b)


def extremum(a: float, b: float, NaN: bool, *, largest: bool) -> float:
    """The smaller or larger of two numbers; -0 is below 0. NaN wins with `.NaN`, and loses without."""
    if math.isnan(a) or math.isnan(b):
        return math.nan if NaN else b if math.isnan(a) else a
    order = sorted((a, b), key=lambda x: (x, math.copysign(1.0, x)))
    return order[1 if largest else 0]


def converted(a: float) -> Any:
    """The same number: rounded to whatever the result's type is."""
    return _fraction(a) if math.isfinite(a) and a else a


_INTEGRAL: dict[str, Callable[[Fraction], int]] = {
    "rni": round,
    "rzi": math.trunc,
    "rmi": math.floor,
    "rpi": math.ceil,
}


def to_integer(a: float, rnd: str, low: int, high: int) -> int | None:
    """A number rounded to an integer, and clamped; what NaN gives is not specified."""
    if math.isnan(a):
        return None
    return (high if a > 0 else low) if math.isinf(a) else clamp(_INTEGRAL[rnd](_fraction(a)), low, high)


def integral(a: float, rnd: str) -> Any:
    """A number rounded to an integral one."""
    if not math.isfinite(a):
        return a
    return math.copysign(0.0, a) if (found := _INTEGRAL[rnd](_fraction(a))) == 0 else _fraction(found)
