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
from ptxlab.launch.last_writer import written
from ptxlab.sim.numerics import residues as r
from ptxlab.verification.agreement import Wrong
from ptxlab.verification.execution import Execution, Prepared, Ran
from ptxlab.verification.numbers.coded import Coded, Field
from ptxlab.verification.numbers.degrees import INPUT
from ptxlab.verification.numbers.followed import Unfollowed
from ptxlab.verification.residues import PRIMES, codes_in, compared, content, degrees, degrees_in, is_coded
from ptxlab.verification.returned import returned
from ptxlab.verification.spec import Array, Case, Spec, drawn_sizes
from ptxlab.verification.verdict import Algebra, Trial

SURE: Final = 2.0**-40
"""The probability of agreement by chance that is low enough."""
MOST: Final = 48
"""Points for a case."""
DOUBTS: Final = 6
"""Points at most where the reference compares equal numbers."""
ODD: Final = 3
"""Points at which an element is NaN or infinite, and should not be, that are no chance."""
CASES: Final = (0, 2, 3)
"""Turns of `drawn_sizes`."""


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
        self._end, self._bounded = 0.0, True

    def judged(self, end: float) -> Judged:
        """What is found. end: no point begins after this time."""
        self._end = end
        points, degree, worst, bounded, judged = 0, 0, 0.0, True, list[dict[str, int]]()
        try:
            for turn in CASES if self._spec.sizes else CASES[:1]:
                self._sizes, case = drawn_sizes(self._spec, self._rng, turn)
                more, of, chance = self._case(case)
                points, degree, worst = points + more, max(degree, of), max(worst, chance)
                bounded &= self._bounded
                judged.append(self._sizes)
        except _Ended as ended:
            trial = Trial(self._sizes, ("residues",), "eager", self._seed)
            none = Algebra(points, PRIMES, degree, 1.0, judged)
            return Judged(none, ended.cause, trial, ended.wrong)
        return Judged(Algebra(points, PRIMES, degree, worst, judged, bounded))

    def _case(self, case: Case) -> tuple[int, int, float]:
        """Points for a case: how many, the degree, and the probability that is left."""
        for one in case.arrays:
            if not is_coded(one.elements) and one.elements.kind not in "iub":
                raise self._unsaid(f"there is an array of {one.elements}, which has no room for residues")
        counts = [np.zeros((3, *one.extents), np.int64) for one in case.written]
        least, most, unsure = 0, 0, 0
        own = self._degrees(case)
        for point in range(1, MOST + 1):
            if time.monotonic() > self._end:
                message = f"time is up after {self._execution.runs} runs"
                raise _Ended(Diagnostic("PTX9278", message, origin=self._origin))
            found = self._point(case, counts)
            if found is None:
                unsure += 1
                if unsure > DOUBTS:
                    raise self._unsaid("the reference compares numbers that are equal, or not known well enough")
                continue
            least = max([least, *(above + below for above, below in found)])
            if least >= r.Q:
                raise self._unsaid(f"the reference is of degree {least}, and the primes are {r.P} and {r.Q}")
            most = r.Q if own is None else max([most, *_of_difference(own, found)])
            self._bounded = most < r.Q
            degree = most if self._bounded else least
            if (chance := _greatest(counts, degree)) <= SURE:
                return point, degree, chance
        if any((~count[:2].any(axis=0)).any() for count in counts):
            raise self._unsaid("some results have no residue: e.g. an exponential of an exponential")
        self._bounded = False
        if (chance := _greatest(counts, least)) <= SURE:
            return MOST, least, chance
        raise self._unsaid(f"{MOST} points are too few for the degree, {least}")

    def _unsaid(self, message: str) -> _Ended:
        return _Ended(Diagnostic("PTX9279", message, origin=self._origin))

    def _degrees(self, case: Case) -> list[tuple[int, int]] | None:
        """The degrees of what the candidate leaves in each array, of numerator and denominator; None where they are not known."""
        contents = [degrees(one, self._rng) for one in case.arrays]
        prepared = self._execution.prepared(case, contents, self._rng)
        if prepared.error is not None or self._execution.compares(prepared):
            return None
        ran = self._execution.run_coded(prepared, contents, int(self._rng.integers(1 << 32)), degrees=True)
        if ran.error is not None:
            return None
        try:
            found = [degrees_in(array) for array in ran.written]
        except Unfollowed as unknown:
            raise self._unsaid(f"the kernel computes {unknown}, and the primes are {r.P} and {r.Q}") from None
        return None if None in found else [one for one in found if one is not None]

    def _point(self, case: Case, counts: Sequence[NDArray[np.int64]]) -> list[tuple[int, int]] | None:
        """A run and the reference at a random point; the degrees of the reference. None where it is not sure of itself.

        counts: how often both residues of each element agreed, and how often one was NaN or infinite, and the other not.
        """
        prepared = self._execution.prepared(case, [content(one, self._rng) for one in case.arrays], self._rng)
        contents = [content(one, self._rng) for one in case.arrays]
        within = Field()

        def seen(array: Array) -> Any:
            return Coded(codes_in(array), within, INPUT) if is_coded(array.dtype) else array.copy()

        ran = self._execution.run_coded(prepared, contents, int(self._rng.integers(1 << 32)))
        if ran.error is not None:
            if ran.error.span is None:
                ran.error.at(origin=self._origin)
            raise _Ended(ran.error)
        try:
            wanted = returned(case, self._reference, contents, seen, self._origin)
            found = [compared(array, one, within) for array, one in zip(ran.written, wanted, strict=True)]
        except Unfollowed as unknown:
            raise self._unsaid(f"the reference uses {unknown}, which residues do not follow") from None
        for array, one, count in zip(ran.written, found, counts, strict=True):
            count[2] += one.odd
            where = one.wrong | (count[2] >= ODD)
            if where.any():
                if within.unsure:
                    return None
                raise self._wrong(prepared, contents, ran, array, one.mismatch(_name(ran, array), where))
            count[:2] += one.known
        return [one.degree for one in found]

    def _wrong(self, prepared: Prepared, contents: Sequence[Array], ran: Ran, array: Array, wrong: Wrong) -> _Ended:
        found = Diagnostic("PTX9273", f"another expression than the reference's: {wrong.mismatch}", origin=self._origin)
        found.help = f"px.verify(…, seed={self._seed}) does it again"
        if ran.record is not None:
            prepared.fill(contents)
            told = written(ran.record, SimOptions(max_instructions=self._execution.most), array, wrong.where)
            found.notes = tuple(told.notes)
            if told.writer is not None:
                found.span, found.origin = told.writer.span, told.writer.origin or self._origin
        return _Ended(found, wrong)


def _of_difference(own: Sequence[tuple[int, int]], wanted: Sequence[tuple[int, int]]) -> list[int]:
    """The degree of the difference of two quotients, over a common denominator, for each array."""
    return [max(a + d, b + c) for (a, b), (c, d) in zip(own, wanted, strict=True)]


def _name(ran: Ran, array: Array) -> str:
    return next(name for name, one in zip(ran.names, ran.arrays, strict=True) if one is array)


def _greatest(counts: Sequence[NDArray[np.int64]], degree: int) -> float:
    """The greatest probability that an element of any array agrees by chance."""
    return max((_chance(count, degree) for count in counts), default=0.0)


def _chance(count: NDArray[np.int64], degree: int) -> float:
    """The greatest probability that an element agrees by chance."""
    if not count[0].size:
        return 0.0
    ratio = [np.log2(max(degree, 1) / prime) for prime in PRIMES]
    return float(2.0 ** (count[0] * ratio[0] + count[1] * ratio[1]).max())


__all__ = ["Judged", "Points"]
