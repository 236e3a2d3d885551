"""The degree of an expression as a quotient of polynomials in its inputs, as an upper bound for all elements of an array.

Denominators are kept apart: a sum of quotients with one denominator has that, and not its power. Results of functions that are no
quotients count as inputs of their own.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from itertools import count
from typing import Any, cast

_names = count()


@dataclass(frozen=True, slots=True)
class Denominator:
    """What is divided by: its degree, and the axes, counted from the last one as −1, along which all elements share it."""

    degree: int
    shared: frozenset[int]


@dataclass(frozen=True, slots=True)
class Degree:
    """above: of the numerator. below: the denominators, by name."""

    above: int = 0
    below: Mapping[int, Denominator] = field(default_factory=dict[int, Denominator])

    @property
    def whole(self) -> int:
        """Of numerator and denominator together: that of the difference of two such quotients, over one denominator."""
        return self.above + self.under

    @property
    def under(self) -> int:
        """Of the denominator."""
        return sum(one.degree for one in self.below.values())

    def __mul__(self, other: Degree) -> Degree:
        # an equal name on both sides is its square
        below = {**self.below, **{n if n not in self.below else next(_names): d for n, d in other.below.items()}}
        return Degree(self.above + other.above, below)

    def __add__(self, other: Degree) -> Degree:
        below = {**self.below, **other.below}
        total = sum(one.degree for one in below.values())
        return Degree(max(self.above + total - self.under, other.above + total - other.under), below)

    def over(self, other: Degree, shape: tuple[int, ...], wanted: tuple[int, ...]) -> Degree:
        """Divided by a number of another degree, which is an array of `shape` broadcast to `wanted`."""
        shared = frozenset(-1 - i for i in range(len(wanted)) if i >= len(shape) or shape[-1 - i] == 1)
        below = {**self.below, next(_names): Denominator(other.above, shared)}
        return Degree(self.above + other.under, below)

    def summed(self, axes: Iterable[int], extents: Mapping[int, int]) -> Degree:
        """Added along axes (negative ones) of these extents."""
        out = self
        for axis in axes:
            below = {
                n: d if axis in d.shared else replace(d, degree=d.degree * extents[axis]) for n, d in out.below.items()
            }
            more = sum(d.degree for d in below.values()) - out.under
            out = Degree(out.above + more, below)
        return out

    def moved(self) -> Degree:
        """Of elements at other places: nothing is known to be shared along an axis."""
        if not self.below:
            return self
        return Degree(self.above, {n: replace(d, shared=frozenset()) for n, d in self.below.items()})


CONSTANT = Degree()
INPUT = Degree(1)


def negative_axes(axis: Any, ndim: int) -> list[int]:
    """Axes as counted from the end; None for all."""
    chosen = range(ndim) if axis is None else cast("tuple[int, ...]", axis if isinstance(axis, tuple) else (axis,))
    return [a - ndim if a >= 0 else a for a in chosen]


__all__ = ["CONSTANT", "INPUT", "Degree", "Denominator", "negative_axes"]
