"""Whether an array holds the codes of residues that a reference has, and how they come into arrays."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ptxlab.launch.compared import Mismatch
from ptxlab.sim.numerics import coded as c
from ptxlab.sim.numerics import degrees as d
from ptxlab.sim.numerics import residues as r
from ptxlab.verification.agreement import Wrong
from ptxlab.verification.drawn import filled
from ptxlab.verification.numbers.coded import Coded, Field, coded
from ptxlab.verification.numbers.followed import Unfollowed
from ptxlab.verification.numbers.formats import format_of
from ptxlab.verification.spec import Array, Input, Output

PRIMES = (r.P, r.Q)
Flags = NDArray[np.bool_]


def is_coded(dtype: np.dtype[Any]) -> bool:
    """Whether its elements are codes: those that are floating-point numbers."""
    return dtype.itemsize > 1 and format_of(dtype) is not None


def content(one: Input | Output, rng: np.random.Generator) -> Array:
    """What an array holds: random codes, or small integers."""
    if is_coded(one.elements):
        if isinstance(one, Input) and one.values is not None:
            return coded_array(filled(one, "random", rng), one.elements)
        a, b = (rng.integers(prime, size=one.extents, dtype=np.uint32) for prime in PRIMES)
        return _array(r.joined(a, b), one.elements)
    if isinstance(one, Input):
        return filled(one, "integers", rng)
    nbytes = one.elements.itemsize * int(np.prod(one.extents))
    return rng.integers(0, 256, nbytes, dtype=np.uint8).view(one.elements).reshape(one.extents)


def degrees(one: Input | Output, rng: np.random.Generator) -> Array:
    """What an array holds in a run with degrees: inputs, but for what a function of the caller's draws, and integers as else."""
    if not is_coded(one.elements):
        return content(one, rng)
    constant = isinstance(one, Input) and one.values is not None
    return _array(np.full(one.extents, d.CONSTANT if constant else d.INPUT, np.uint32), one.elements)


def degrees_in(array: Array) -> tuple[int, int] | None:
    """The degrees of numerator and denominator that an array's elements have at most; None where they are not known.

    Raises: Unfollowed for polynomials of so high a degree that they may agree with others at every point.
    """
    if not is_coded(array.dtype) or not array.size:
        return 0, 0
    codes = codes_in(array)
    above, below = (int(part.max()) for part in d.parts(r.ARRAYS, codes))
    if above >= d.MOST[0] and not below:
        raise Unfollowed(f"polynomials of degree {above} or more")
    known = (codes != r.NAN).all() and above < d.MOST[0] and below < d.MOST[1]
    return (above, below) if known else None


def coded_array(numbers: Array, dtype: np.dtype[Any]) -> Array:
    """An array with the codes of numbers."""
    with np.errstate(invalid="ignore"):  # NaN that signal
        return _array(c.constants(numbers.astype(np.float64)), dtype)


def _array(codes: Any, dtype: np.dtype[Any]) -> Array:
    return np.ascontiguousarray(c.held(codes, 8 * dtype.itemsize)).view(dtype)


def codes_in(array: Array) -> NDArray[np.uint32]:
    """The codes in an array; NaN for what is none."""
    return c.code_of(_words(array))


def _words(array: Array) -> Any:
    return np.ascontiguousarray(array).view(f"u{array.dtype.itemsize}")


@dataclass(frozen=True, slots=True)
class Compared:
    """An array beside what is wanted.

    Attributes:
        known: which residues both know, [2, …]. degree: of numerator and denominator of what is wanted. wrong: what contradicts it.
        odd: where one has NaN or an infinity and the other has not: by chance both of a number's residues may be 0.
    """

    known: Flags
    degree: tuple[int, int]
    wrong: Flags
    odd: Flags
    given: Any
    wanted: Any
    shown: Callable[[Any], str]

    def mismatch(self, name: str, where: Flags) -> Wrong:
        """The elements that are wrong."""
        places = np.argwhere(where)
        index = tuple(int(i) for i in places[0])
        value, want = (self.shown(x[index].item()) for x in (self.given, self.wanted))
        return Wrong(Mismatch(name, len(places), where.size, index, value, want), places, None)


def compared(array: Array, target: Any, within: Field) -> Compared:
    """Integers are compared as they are. Raises: Unfollowed for integers that come of floating-point numbers."""
    none = np.zeros(array.shape, bool)
    if not is_coded(array.dtype):
        if isinstance(target, Coded):
            raise Unfollowed("integers as results, which come of floating-point numbers")
        wanted = np.broadcast_to(np.asarray(target), array.shape)
        every = np.ones((2, *array.shape), bool)
        return Compared(every, (0, 0), array != wanted, none, given=array, wanted=wanted, shown=str)
    answer, given = coded(target, within), codes_in(array)
    wanted = np.broadcast_to(answer.codes, array.shape)
    foreign = (given == r.NAN) & (_words(array) != c.held(r.NAN, 8 * array.dtype.itemsize))
    finite = (given < r.SPECIAL) & (wanted < r.SPECIAL)
    known, wrong = _of_residues(given, wanted, finite)
    same = ~finite & (given == wanted)
    degree = answer.degree.above, answer.degree.under
    odd = ~finite & ~same & ~foreign
    return Compared(known | same, degree, wrong | foreign, odd, given=given, wanted=wanted, shown=c.shown)


def _of_residues(given: Any, wanted: Any, finite: Flags) -> tuple[Flags, Flags]:
    """Which residues of finite numbers both know, and where they differ."""
    known, differ = list[Flags](), np.zeros(given.shape, bool)
    for one, other, prime in zip(r.parts(r.ARRAYS, given), r.parts(r.ARRAYS, wanted), PRIMES, strict=True):
        defined = finite & (one < prime) & (other < prime)
        differ |= defined & (one != other)
        known.append(defined)
    return np.stack(known), differ


__all__ = ["PRIMES", "Compared", "coded_array", "codes_in", "compared", "content", "degrees", "degrees_in", "is_coded"]
