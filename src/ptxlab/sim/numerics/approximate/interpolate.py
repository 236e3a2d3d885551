"""The interpolator of the special function unit: three coefficients from a table, a truncated square, one sum, cut off.

The upper bits of a fraction choose a segment, the lower ones are the argument x of 17 bits within it. The result is

    floor((c0 · 2^14 + rounding + c1 · x + c2 · s · 2) / 2^17),    s: the square of x, without what the squarer leaves out

in units of the result's last bit, which is exact: no product is cut off before the sum. Functions whose results are numbers
of fixed point take the sum itself, the numerator. Coefficients and the rounding constant were recovered from all results of a
binade of each function. The design is that of S. Oberman and M. Siu, "A high-performance area-efficient multifunction
interpolator" (ARITH 2005); widths and tables are the chip's own.
"""

from __future__ import annotations

from dataclasses import dataclass

from ptxlab.codegen.ir import Fn, T, Val

ARGUMENT_BITS = 17
"""Of the argument within a segment."""
CONSTANT_STEP = 14
_KEPT_SHIFT = 9
"""The upper 8 bits of the argument are squared whole; of the lower ones only what reaches column 19."""


@dataclass(frozen=True, slots=True)
class Table:
    """What a function looks up.

    Attributes:
        name: of its constants in LLVM.
        rounding: added to every result, in units of 2^-17 of its last bit.
        rows: c0, c1, c2 of each segment: in eighths, whole numbers and halves of the last bit.
    """

    name: str
    rounding: int
    rows: tuple[tuple[int, int, int], ...]


def squared(x: Val) -> Val:
    """The square of the argument in units of 2^19: partial products x_i · x_j below column 19 are not added."""
    high = x >> _KEPT_SHIFT
    total = high * high >> 1
    for i in range(2, _KEPT_SHIFT):
        total = total + (-(x >> i & 1) & x >> (18 - i))
    return total


def interpolate(fn: Fn, table: Table, segment: Val, x: Val) -> Val:
    """The result for an argument x in a segment, both u32: an integer in units of its last bit."""
    return (interpolated(fn, table, segment, x) >> ARGUMENT_BITS).to(x.t)


def interpolated(fn: Fn, table: Table, segment: Val, x: Val) -> Val:
    """The whole sum, before it is cut off, as s64."""
    wide = T("s", 64, x.t.lanes)
    base = _looked_up(fn, table, "base", [(c0 << CONSTANT_STEP) + table.rounding for c0, _, _ in table.rows], segment)
    factors = _looked_up(fn, table, "factors", [c1 * 2**32 + (c2 & 0xFFFF_FFFF) for _, c1, c2 in table.rows], segment)
    linear = (factors >> 32) * x.to(wide)
    square = (factors << 32 >> 32) * (squared(x) << 1).to(wide)
    return base + linear + square


def _looked_up(fn: Fn, table: Table, part: str, values: list[int], segment: Val) -> Val:
    where = fn.constants(f"ptxlab.{table.name}.{part}", values, T("s", 64, 0))
    return fn.gather(where, segment, T("s", 64, segment.t.lanes))
