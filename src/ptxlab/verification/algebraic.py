"""A candidate beside a reference as expressions: both computed modulo primes, at random points.

Schwartz–Zippel: quotients of polynomials of degree d that differ agree modulo a prime p at a random point with probability d/p at
most. Points are added until that is small for every element of every result.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from ptxlab.abi.options import SimOptions
from ptxlab.diag import Diagnostic, Span
from ptxlab.launch.compared import Mismatch
from ptxlab.launch.last_writer import written
from ptxlab.sim.numerics import coded as c
from ptxlab.sim.numerics import residues as r
from ptxlab.verification.agreement import Wrong
from ptxlab.verification.drawn import filled
from ptxlab.verification.execution import Execution, Prepared, Ran
from ptxlab.verification.numbers.coded import Coded, Field, coded
from ptxlab.verification.numbers.degrees import INPUT
from ptxlab.verification.numbers.followed import Unfollowed
from ptxlab.verification.numbers.formats import format_of
from ptxlab.verification.returned import returned
from ptxlab.verification.spec import Array, Case, Input, Output, Spec, drawn_sizes
from ptxlab.verification.verdict import Algebra, Trial

SURE: Final = 2.0**-40
"""The probability of agreement by chance that is low enough."""
MOST: Final = 48
"""Points for a case."""
CASES: Final = (0, 3)
"""Turns of `drawn_sizes`."""
PRIMES: Final = (r.P, r.Q)


@dataclass(slots=True)
class Judged:
    """What the points have shown: the cause where something is wrong or cannot be said."""

    algebra: Algebra
    cause: Diagnostic | None = None
    trial: Trial | None = None
    wrong: Wrong | None = None


class _Ended(Exception):
    def __init__(self, cause: Diagnostic, wrong: Wrong | None = None) -> None:
        super().__init__(cause.code)
        self.cause, self.wrong = cause, wrong


class Points:
    """Runs a candidate at random points."""

    def __init__(
        self, execution: Execution, reference: Callable[..., Any], spec: Spec, seed: int, origin: Span | None
    ) -> None:
        self._execution, self._reference, self._spec = execution, reference, spec
        self._seed, self._origin = seed, origin
        self._rng = np.random.default_rng((seed, r.P))
        self._sizes: dict[str, int] = {}
        self._end = 0.0

    def judged(self, end: float) -> Judged:
        """What is found. end: no point begins after this time."""
        self._end = end
        points, degree, worst, judged = 0, 0, 0.0, list[dict[str, int]]()
        try:
            for turn in CASES if self._spec.sizes else CASES[:1]:
                self._sizes, case = drawn_sizes(self._spec, self._rng, turn)
                more, of, chance = self._case(case)
                points, degree, worst = points + more, max(degree, of), max(worst, chance)
                judged.append(self._sizes)
        except _Ended as ended:
            trial = Trial(self._sizes, ("residues",), "eager", self._seed)
            none = Algebra(points, PRIMES, degree, 1.0, judged)
            return Judged(none, ended.cause, trial, ended.wrong)
        return Judged(Algebra(points, PRIMES, degree, worst, judged))

    def _case(self, case: Case) -> tuple[int, int, float]:
        """Points for a case: how many, the degree, and the probability that is left."""
        self._check(case)
        counts = [np.zeros((2, *one.extents), np.int64) for one in case.written]
        degree, chance = 0, 1.0
        for point in range(1, MOST + 1):
            if time.monotonic() > self._end:
                message = f"time is up after {self._execution.runs} runs"
                raise _Ended(Diagnostic("PTX9278", message, origin=self._origin))
            degree = max(degree, self._point(case, counts))
            if degree >= r.Q:
                raise self._unsaid(f"the reference is of degree {degree}, which the primes {PRIMES} are too small for")
            chance = max((_chance(count, degree) for count in counts), default=0.0)
            if chance <= SURE:
                return point, degree, chance
        for one, count in zip(case.written, counts, strict=True):
            blank = np.argwhere(~count.any(axis=0))
            if len(blank):
                message = f"of {case.arrays.index(one)}, element {blank[0].tolist()}, no residue is defined"
                raise self._unsaid(message + ": an exponential of an exponential, or a logarithm of a logarithm")
        raise self._unsaid(f"{MOST} points are too few for degree {degree}")

    def _unsaid(self, message: str) -> _Ended:
        return _Ended(Diagnostic("PTX9279", message, origin=self._origin))

    def _check(self, case: Case) -> None:
        for one in case.arrays:
            if one.elements.kind not in "iub" and one.elements.itemsize not in (2, 4, 8):
                raise self._unsaid(f"an array of {one.elements} has no room for residues")

    # --- one point -----------------------------------------------------------------------------------------------------
    def _point(self, case: Case, counts: Sequence[NDArray[np.int64]]) -> int:
        """A run and the reference at a random point; the degree of the reference."""
        decoys = [self._content(one) for one in case.arrays]
        prepared = self._execution.prepared(case, decoys, self._rng)
        contents = [self._content(one) for one in case.arrays]
        within = Field()
        try:
            wanted = returned(case, self._reference, contents, lambda a: _seen(a, within), self._origin)
        except Unfollowed as unknown:
            raise self._unsaid(f"the reference uses {unknown}, which residues do not follow") from None
        ran = self._execution.run_coded(prepared, contents, int(self._rng.integers(1 << 32)))
        if ran.error is not None:
            if ran.error.span is None:
                ran.error.at(origin=self._origin)
            raise _Ended(ran.error)
        degree = 0
        for one, array, target, count in zip(case.written, ran.written, wanted, counts, strict=True):
            degree = max(degree, self._compare(prepared, ran, contents, one, array, target, count, within))
        return degree

    def _content(self, one: Input | Output) -> Array:
        """What an array holds: random codes, or small integers."""
        if _is_coded(one.elements):
            if isinstance(one, Input) and one.values is not None:
                values = filled(one, "random", self._rng).astype(np.float64)
                return _array(c.constants(values), one.elements)
            a, b = (self._rng.integers(prime, size=one.extents, dtype=np.uint32) for prime in PRIMES)
            return _array(r.joined(a, b), one.elements)
        if isinstance(one, Input):
            return filled(one, "integers", self._rng)
        nbytes = one.elements.itemsize * int(np.prod(one.extents))
        return self._rng.integers(0, 256, nbytes, dtype=np.uint8).view(one.elements).reshape(one.extents)

    def _compare(
        self,
        prepared: Prepared,
        ran: Ran,
        contents: Sequence[Array],
        one: Input | Output,
        array: Array,
        target: Any,
        count: NDArray[np.int64],
        within: Field,
    ) -> int:
        if not _is_coded(one.elements):
            if isinstance(target, Coded):
                raise self._unsaid("the reference makes integers of floating-point numbers")
            right, known = array == np.asarray(target), np.ones((2, *array.shape), bool)
            shown, degree = [str, str], 0
            given, wanted = array, np.asarray(target)
        else:
            answer = coded(target, within)
            given, wanted = _codes(array), np.broadcast_to(answer.codes, array.shape)
            right, known = _agree(given, wanted)
            shown, degree = [c.shown, c.shown], answer.degree.whole
        if bool(right.all()):
            count += known
            return degree
        where = np.argwhere(~right)
        index = tuple(int(i) for i in where[0])
        name = ran.names[[id(a) for a in prepared.case.arrays].index(id(one))]
        value, want = (show(x[index].item()) for show, x in zip(shown, (given, wanted), strict=True))
        mismatch = Mismatch(name, len(where), right.size, index, value, want)
        if within.unsure:
            raise self._unsaid(f"the reference compares numbers of which a residue is not defined; {mismatch}")
        found = Diagnostic("PTX9273", f"another expression than the reference's: {mismatch}", origin=self._origin)
        found.help = f"px.verify(…, seed={self._seed}) does it again"
        if ran.record is not None:
            self._written_by(ran, contents, prepared, one, where, found)
        raise _Ended(found, Wrong(mismatch, where, None))

    def _written_by(
        self, ran: Ran, contents: Sequence[Array], prepared: Prepared, one: Any, where: Any, found: Diagnostic
    ) -> None:
        assert ran.record is not None
        prepared.fill(contents)
        array = ran.arrays[[id(a) for a in prepared.case.arrays].index(id(one))]
        told = written(ran.record, SimOptions(), array, where)
        found.notes = tuple(told.notes)
        if told.writer is not None:
            found.span, found.origin = told.writer.span, told.writer.origin or self._origin


def _is_coded(dtype: np.dtype[Any]) -> bool:
    return format_of(dtype) is not None


def _array(codes: Any, dtype: np.dtype[Any]) -> Array:
    return np.ascontiguousarray(c.held(codes, 8 * dtype.itemsize)).view(dtype)


def _codes(array: Array) -> NDArray[np.uint32]:
    """Its codes, and what is no code as it is."""
    words = np.ascontiguousarray(array).view(f"u{array.dtype.itemsize}")
    return c.code_of(words)


def _seen(array: Array, within: Field) -> Any:
    if not _is_coded(array.dtype):
        return array.copy()
    return Coded(_codes(array), within, INPUT)


def _agree(given: Any, wanted: Any) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Where codes do not contradict each other, and which residues both know. NaN contradicts nothing."""
    known: list[Any] = []
    differ = np.zeros(given.shape, bool)
    both = (given < r.SPECIAL) & (wanted < r.SPECIAL)
    for one, other, prime in zip(r.parts(r.ARRAYS, given), r.parts(r.ARRAYS, wanted), PRIMES, strict=True):
        defined = both & (one < prime) & (other < prime)
        differ |= defined & (one != other)
        known.append(defined)
    some = (given != r.NAN) & (wanted != r.NAN)
    infinite = some & ~both
    differ |= infinite & (given != wanted)
    equal = infinite & (given == wanted)
    return ~differ, np.stack([known[0] | equal, known[1] | equal])


def _chance(count: NDArray[np.int64], degree: int) -> float:
    """The greatest probability that an element agrees by chance."""
    if not count[0].size:
        return 0.0
    ratio = [np.log2(max(degree, 1) / prime) for prime in PRIMES]
    return float(2.0 ** (count[0] * ratio[0] + count[1] * ratio[1]).max())


__all__ = ["Judged", "Points"]
