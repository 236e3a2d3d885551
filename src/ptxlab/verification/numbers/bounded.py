"""Arrays of numbers with error bounds, which NumPy's functions take.

A reference is computed in double precision. Beside each number goes a bound of the error of whoever computes the same formula in
the arithmetic that the kernel is allowed: sums in any order, products fused or not. It is a running error analysis (Higham,
"Accuracy and Stability of Numerical Algorithms", chapter 3): each operation adds what it may round away, and passes on what came
in.
Where nothing can be lost, as in sums of small integers, the bound is zero.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from ptxlab.verification.numbers.followed import Followed, Function, Unfollowed
from ptxlab.verification.numbers.formats import F32, Floats, Format, format_of

UFUNCS: Final[dict[tuple[str, str], Function]] = {}
"""What to do for ufuncs of NumPy and SciPy, by name and method. `functions` fills this table, and the next."""
FUNCTIONS: Final[dict[str, Function]] = {}
"""What to do for other functions of NumPy."""


class Undecided(Exception):
    """A comparison that rounding may turn."""


@dataclass(slots=True)
class Arithmetic:
    """What a reference is computed in, and what it has cost.

    Attributes:
        format: of intermediate results. products: of the operands of matrix products, where that is coarser.
        multiply_adds: of matrix products so far. operations: on elements, so far.
    """

    format: Format = F32
    products: Format | None = None
    multiply_adds: int = 0
    operations: int = 0


class Bounded(Followed):
    """An array of numbers, and how far each may be off.

    Attributes:
        value: what is exact up to double precision. error: the bound, not negative; infinite where anything may come out.
    """

    ufuncs, functions = UFUNCS, FUNCTIONS

    def __init__(self, value: Any, error: Any, within: Arithmetic) -> None:
        self.value: Floats = np.asarray(value, np.float64)
        self.error: Floats = np.broadcast_to(np.asarray(error, np.float64), self.value.shape)
        self.within = within

    @property
    def _numbers(self) -> Floats:
        return self.value

    def _take(self, found: Any) -> None:
        self.value, self.error = found.value, found.error

    def __setitem__(self, index: Any, given: Any) -> None:
        one = bounded(given, self.within)
        self.value, self.error = self.value.copy(), self.error.copy()
        self.value[index], self.error[index] = one.value, one.error

    def astype(self, dtype: Any, **_: Any) -> Bounded:
        """Rounded to another type. What is known exactly is rounded to nearest, ties to even."""
        from ptxlab.launch.arrays import dtype_of

        wanted = dtype_of(dtype)
        if wanted.kind in "iub":
            return self._integral(np.trunc(self.value), jumps_at=0.0)
        to = format_of(wanted)
        if to is None:
            raise Unfollowed(f"astype({wanted})")
        with np.errstate(over="ignore", invalid="ignore"):
            near = self.value.astype(wanted).astype(np.float64)
            lost = to.unit * np.abs(self.value) + to.step
        exact = self.error == 0
        error = np.where(to.holds(self.value), self.error, self.error + lost)
        return Bounded(np.where(exact, near, self.value), np.where(exact, 0, error), self.within)

    def _integral(self, value: Floats, jumps_at: float) -> Bounded:
        """Whole numbers: off by one where the error reaches the next jump; jumps lie at whole numbers + `jumps_at`."""
        shifted = self.value - jumps_at
        near = np.abs(shifted - np.rint(shifted)) <= self.error
        return Bounded(value, np.where(near & (self.error > 0), 1 + self.error, 0), self.within)

    def _moved(self, function: Callable[[Any], Any]) -> Bounded:
        return Bounded(function(self.value), function(self.error), self.within)


def bounded(given: Any, within: Arithmetic) -> Bounded:
    """Numbers of a reference: arrays and constants are rounded to the format where it does not hold them."""
    if isinstance(given, Bounded):
        return given
    value = np.asarray(given)
    if value.dtype.kind in "Oc":
        raise Unfollowed("an array of objects" if value.dtype.kind == "O" else "complex numbers")
    value = value.astype(np.float64)
    holds = within.format.holds(value)
    return Bounded(value, np.where(holds, 0, within.format.unit * np.abs(value)), within)


def flushed(one: Bounded) -> Bounded:
    """An operand of instructions, which may take subnormal numbers for zero (.ftz)."""
    form, size = one.within.format, np.abs(one.value)
    if not form.flushes:
        return one
    taken = (size != 0) & (size < form.least)
    return Bounded(one.value, one.error + np.where(taken, size, 0), one.within) if taken.any() else one


def rounded(value: Floats, error: Floats, within: Arithmetic, roundings: Any = 1, size: Any = None) -> Bounded:
    """A result after roundings, each of numbers as large as `size`, which is that of the result where it is left out.

    A result that has no error and that the format holds is exact, if it comes of one rounding at most.
    """
    form = within.format
    with np.errstate(invalid="ignore", over="ignore"):
        magnitude: Floats = np.abs(value) if size is None else size
        unit = form.unit * (2 if form.bits >= DOUBLE else 1)  # the reference, too, is rounded so
        gone = form.flushes & (value != 0) & (np.abs(value) < form.least)
        exact = (error == 0) & (np.less_equal(roundings, 1)) & form.proves(value) & ~gone
        total = error + roundings * (unit * magnitude + np.where(gone | (magnitude < form.least), form.step, 0))
        total = np.where(exact, 0, total)
        total = np.where(magnitude + total > form.most, np.inf, total)
    return Bounded(value, settled(value, total), within)


def settled(value: Floats, error: Floats) -> Floats:
    """Errors where numbers are finite: NaN and infinities have none, and what is not known is infinite."""
    return np.where(np.isfinite(value), np.where(np.isnan(error), np.inf, error), 0.0)


def sure(a: Bounded, b: Bounded) -> NDArray[np.float64]:
    """a − b, where its sign is certain. Raises: Undecided."""
    with np.errstate(invalid="ignore"):
        difference = a.value - b.value
        reach = a.error + b.error
        if bool(np.any((np.abs(difference) <= reach) & (reach > 0))):
            raise Undecided
    return difference


DOUBLE: Final = 53
TOO_SMALL: Final = (0, 2, 4, 8, 12, 16, 24)
"""Binary places that are tried for a grid on which all numbers lie."""


def places(value: Floats) -> int | None:
    """Binary places behind the point that all of these numbers need; None where it is more than a few."""
    finite = value[np.isfinite(value)]
    return next((n for n in TOO_SMALL if bool(np.all(np.ldexp(finite, n) == np.rint(np.ldexp(finite, n))))), None)


__all__ = [
    "Arithmetic",
    "Bounded",
    "Undecided",
    "Unfollowed",
    "bounded",
    "flushed",
    "places",
    "rounded",
    "settled",
    "sure",
]
