"""What becomes of scores before the softmax: masks, and functions of a score and where it stands."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import ptxlab as px
from ptxlab import Diagnostic, user_span
from ptxlab.kernels.attention.softmax import place_of
from ptxlab.kernels.attention.tiling import ROWS


@dataclass(frozen=True, slots=True)
class ScorePlace:
    """Where a score stands.

    Attributes:
        batch, head: registers of px.u32; the head is that of the query. query: a register of px.s32, counts from 0.
        base, column: the key is their sum.

    Example: see attention
    """

    batch: Any
    head: Any
    query: Any
    base: Any
    column: int

    @property
    def key(self) -> Any:
        """A register of px.s32, counts from 0. One addition.

        Example: see attention
        """
        return self.base + self.column


Score: TypeAlias = Callable[[Any, Any, ScorePlace], Any]
"""A function of the builder, a scaled score (px.f32) and its place that gives the new score."""


def shape(
    k: Any,
    scores: Sequence[Any],
    scales: Sequence[Any],
    score: Score | None,
    rows: Sequence[Callable[[int], ScorePlace]],
) -> None:
    """Multiply scores by the scales of their rows, and make of them what `score` says, in place.

    Args:
        scores: of a tile. rows: for each row of the lane, the place of a column.
    """
    for i, x in enumerate(scores):
        r, column = place_of(i)
        k.mul.rn.f32(x, scales[r], d=x)
        if score:
            k.mov.f32(score(k, x, rows[r](column)), d=x)


@dataclass(frozen=True, slots=True)
class Bounds:
    """Which sides of the band of visible keys have an end."""

    left: bool = False
    right: bool = False


@dataclass(frozen=True, slots=True)
class softcap:  # a function that compares equal to another one of the same cap, so that its kernel is found again
    """Scores stay between -cap and cap: cap · tanh(score / cap). A function of scores for `attention(…, score=softcap(30))`.

    Attributes:
        cap: the largest score, a positive number.

    Raises: Diagnostic PTX2112 for a cap that is not positive and finite.

    Example:
        from ptxlab.kernels.attention import attention, softcap

        q, k, v, o = (px.empty((1, 1, 16, 64), "bf16") for _ in range(4))
        for x in (q, k, v):
            x[...] = 1
        attention(q, k, v, o, score=softcap(30.0))
        print((o == 1).all())  # True
    """

    cap: float

    def __post_init__(self) -> None:
        if not (self.cap > 0 and math.isfinite(self.cap)):
            raise Diagnostic(
                "PTX2112", f"softcap({self.cap!r}) is no cap.", help="give a positive number", origin=user_span()
            )

    def __call__(self, k: Any, x: Any, place: ScorePlace) -> Any:
        return k.mul.rn.f32(k.tanh.approx.f32(k.mul.rn.f32(x, 1 / self.cap)), float(self.cap))


@dataclass(frozen=True, slots=True)
class Band:
    """The keys that queries see, while the kernel is traced: a query sees keys from `first(query)` on, up to `end(query)`.

    Attributes:
        bounds: which sides have an end. length: the number of keys. shift: the number of keys less that of queries.
        left, right: how far the band reaches from the query's own key. All but bounds are registers of px.s32.
    """

    k: px.Builder
    bounds: Bounds
    length: Any
    shift: Any
    left: Any
    right: Any

    def first(self, query: Any) -> Any:
        """The first key that a query sees; may be negative."""
        return query + self.shift - self.left

    def end(self, query: Any) -> Any:
        """The key behind the last one that a query sees; may be negative."""
        if not self.bounds.right:
            return self.length
        return self.k.min.s32(query + self.shift + self.right + 1, self.length)

    def blocks(self, query: Any, rows: int, keys: int) -> tuple[Any, Any]:
        """The first block of keys that any of `rows` queries sees, and the end. There is at least one block."""
        k = self.k
        first = self._whole(self.first(query), keys) if self.bounds.left else k.mov.s32(0)
        end = self._whole(self.end(query + (rows - 1)) + (keys - 1), keys)
        return first, k.max.s32(end, first + 1)

    def clear(self, query: Any, keys: int, first: Any, end: Any) -> tuple[Any, Any]:
        """The blocks among `first` to `end` that all of a consumer's queries see, and the last one is not among them."""
        k = self.k
        stop = k.max.s32(k.min.s32(self._whole(self.end(query), keys), end - 1), first)
        if not self.bounds.left:
            return first, stop
        start = self._whole(self.first(query) + (ROWS - 1 + keys - 1), keys)
        return k.max.s32(k.min.s32(start, stop), first), stop

    def hide(self, scores: Sequence[Any], lines: Sequence[Any], base: Any) -> None:
        """-inf for scores of invisible keys. `lines`: the lane's two queries. `base`: the first key that the lane has."""
        k = self.k
        ends = [self.end(line) - base for line in (lines if self.bounds.right else lines[:1])]
        firsts = [self.first(line) - base for line in lines] if self.bounds.left else []
        inside: dict[tuple[int, int], Any] = {}
        for i, x in enumerate(scores):
            r, at = place_of(i)
            sees = inside.get((at, r % len(ends)))
            if sees is None or firsts:
                sees = ends[r % len(ends)] > at
                sees = sees & (firsts[r] <= at) if firsts else sees
                inside[at, r % len(ends)] = sees
            k.selp.f32(x, -math.inf, sees, d=x)

    def _whole(self, number: Any, keys: int) -> Any:
        """Blocks that lie in front of a key; none where it is negative."""
        return self.k.max.s32(number, 0) // keys
