"""What becomes of scores before the softmax: masks, and functions of a score and where it stands."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import ptxlab as px
from ptxlab import Diagnostic, user_span
from ptxlab.kernels.attention.tiling import ROWS


@dataclass(frozen=True, slots=True)
class ScorePlace:
    """Where a score stands.

    Attributes:
        batch, head: registers of px.u32; the head is that of the query. query: a register of px.s32, counts from 0. Where
            sequences are packed, the batch is the number of the sequence, and queries and keys count from its first ones.
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


Score: TypeAlias = Callable[..., Any]
"""A function of the builder, a scaled score (px.f32), its place and arrays (`ScoreArray`) that gives the new score."""


def row_of(i: int) -> int:
    """Which of the lane's two rows register i of an accumulator of 64 rows belongs to."""
    return i // 2 % 2


def column_of(i: int) -> int:
    """How many columns behind the lane's first one it lies."""
    return 8 * (i // 4) + i % 2


def shape(
    k: Any,
    scores: Sequence[Any],
    scales: Sequence[Any],
    score: Score | None,
    rows: Sequence[Callable[[int], ScorePlace]],
    arrays: Sequence[Any] = (),
) -> None:
    """Multiply scores by the scales of their rows, and make of them what `score` says, in place.

    Args:
        scores: of a tile. rows: for each row of the lane, the place of a column. arrays: that `score` reads.
    """
    for i, x in enumerate(scores):
        k.mul.rn.f32(x, scales[row_of(i)], d=x)
        if score:
            k.mov.f32(score(k, x, rows[row_of(i)](column_of(i)), *arrays), d=x)


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

    def gradient(self, k: Any, x: Any, y: Any, place: ScorePlace) -> Any:
        """Its derivative where it has made y of x: 1 - (y / cap)². What `attention_backward` takes where no other one is given.

        Example:
            from ptxlab.kernels.attention import softcap

            @px.kernel(threads=32)
            def slope(k, out: px.Ptr[px.f32]):
                x = k.mov.f32(3.0)
                k.st.global_.f32(out[k.thread], softcap(2.0).gradient(k, x, k.mov.f32(1.0), None))

            out = np.zeros(32, np.float32)
            slope[1](out)
            print(out[0])  # 0.75
        """
        share = k.mul.rn.f32(y, 1 / self.cap)
        return k.fma.rn.f32(k.neg.f32(share), share, 1.0)


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

    def mirrored(self) -> Band:
        """The same with queries and keys in each other's place: the queries that see a key."""
        turned = Bounds(self.bounds.right, self.bounds.left)
        rows = self.length - self.shift
        return Band(self.k, turned, rows, self.k.neg.s32(self.shift), left=self.right, right=self.left)

    def first(self, query: Any) -> Any:
        """The first key that a query sees; may be negative."""
        return query + self.shift - self.left

    def end(self, query: Any) -> Any:
        """The key behind the last one that a query sees; may be negative."""
        if not self.bounds.right:
            return self.length
        return self.k.min.s32(query + self.shift + self.right + 1, self.length)

    def blocks(self, query: Any, rows: int, keys: int, *, least: int = 1) -> tuple[Any, Any]:
        """The first block of keys that any of `rows` queries sees, and the end. There are at least `least` blocks."""
        k = self.k
        first = self._whole(self.first(query), keys) if self.bounds.left else k.mov.s32(0)
        end = self._whole(self.end(query + (rows - 1)) + (keys - 1), keys)
        return first, k.max.s32(end, first + least if least else first)

    def clear(self, query: Any, keys: int, first: Any, end: Any, rows: int = ROWS) -> tuple[Any, Any]:
        """The blocks among `first` to `end` that all of `rows` queries see, and the last one is not among them."""
        k = self.k
        stop = k.max.s32(k.min.s32(self._whole(self.end(query), keys), end - 1), first)
        if not self.bounds.left:
            return first, stop
        start = self._whole(self.first(query) + (rows - 1 + keys - 1), keys)
        return k.max.s32(k.min.s32(start, stop), first), stop

    def seen(self, lines: Sequence[Any], base: Any) -> Callable[[int], Any]:
        """Which scores of a block are visible.

        Args:
            lines: the two queries that the lane has. base: the first key that it has.

        Returns: a function of the number of a register of the accumulator, which gives a predicate.
        """
        ends = [self.end(line) - base for line in (lines if self.bounds.right else lines[:1])]
        firsts = [self.first(line) - base for line in lines] if self.bounds.left else []
        inside: dict[tuple[int, int], Any] = {}

        def sees(i: int) -> Any:
            r, at = row_of(i), column_of(i)
            found = inside.get((at, r % len(ends)))
            if found is None or firsts:
                found = ends[r % len(ends)] > at
                found = found & (firsts[r] <= at) if firsts else found
                inside[at, r % len(ends)] = found
            return found

        return sees

    def hide(self, scores: Sequence[Any], lines: Sequence[Any], base: Any) -> None:
        """-inf for scores of invisible keys. lines, base: as in `seen`."""
        sees = self.seen(lines, base)
        for i, x in enumerate(scores):
            self.k.selp.f32(x, -math.inf, sees(i), d=x)

    def _whole(self, number: Any, keys: int) -> Any:
        """Blocks that lie in front of a key; none where it is negative."""
        return self.k.max.s32(number, 0) // keys
