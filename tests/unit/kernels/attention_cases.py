"""Random inputs of attention in the simulator, and what it should make of them: NumPy in float64, within what roundings allow."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import ml_dtypes
import numpy as np

import ptxlab as px
from ptxlab.kernels.attention import prepare

BF16, F16 = np.dtype(ml_dtypes.bfloat16), np.dtype(np.float16)
HALF_ULP = {BF16: 2**-8, F16: 2**-11}
LEAST = {BF16: 2.0**-126, F16: 2**-25}
"""What rounding costs a number at least."""


def alibi(k: Any, x: Any, at: Any) -> Any:
    """The farther a key, the less it counts; each head has a slope of its own."""
    slope = k.mul.rn.f32(k.cvt.rn.f32.u32(at.head + at.batch + 1), 0.125)
    return k.fma.rn.f32(k.cvt.rn.f32.s32(at.key - at.query), slope, x)


def even_keys(k: Any, x: Any, at: Any) -> Any:
    """A mask of one's own: odd keys, and all of query 3, are invisible."""
    return k.selp.f32(x, -math.inf, ((at.key & 1) == 0) & (at.query != 3))


@dataclass
class Case:
    """Random inputs and what attention should make of them."""

    batches: int
    heads: int
    shared: int
    rows: int
    length: int
    depth: int
    dtype: np.dtype[Any] = BF16
    layout: str = "bhsd"
    causal: bool = False
    window: tuple[int | None, int | None] = (None, None)
    scale: float | None = None
    seed: int = 0
    value_depth: int = 0
    sinks: np.ndarray | None = None

    def __post_init__(self) -> None:
        numbers = np.random.default_rng(self.seed)
        self.value_depth = self.value_depth or self.depth
        self.q, self.k = self.tensor(self.heads, self.rows), self.tensor(self.shared, self.length)
        self.v = self.tensor(self.shared, self.length, self.value_depth)
        for x in (self.q, self.k, self.v):
            x[...] = numbers.standard_normal(x.shape)
        self.frames: list[tuple[np.ndarray, np.ndarray]] = []
        self.o = self.framed(self.heads, self.rows, self.value_depth)
        self.logs = np.full(math.prod(self.o.shape[:3]) + 8, 77, np.float32)
        self.lse = self.logs[4:-4].reshape(self.o.shape[:3])

    def tensor(self, heads: int, rows: int, depth: int | None = None) -> np.ndarray:
        middle = (heads, rows) if self.layout == "bhsd" else (rows, heads)
        return px.empty((self.batches, *middle, depth or self.depth), self.dtype)

    def framed(self, heads: int, rows: int, depth: int | None = None) -> np.ndarray:
        """A result with axes batches, heads, rows, depth, in the midst of what nobody may write."""
        width = depth or self.depth
        around = self.heads_first(self.tensor(heads + 1, rows + 3, width + 8))
        around[...] = 77
        inner = around[:, :heads, 1 : rows + 1, :width]
        self.frames.append((around, inner))
        return inner

    def heads_first(self, x: np.ndarray) -> np.ndarray:
        return x if self.layout == "bhsd" else x.transpose(0, 2, 1, 3)

    @property
    def options(self) -> dict[str, Any]:
        return {
            "lse": self.lse,
            "causal": self.causal,
            "window": self.window,
            "scale": self.scale,
            "layout": self.layout,
        }

    def launch(self, **more: Any) -> px.Launch:
        o, options = self.heads_first(self.o), {**self.options, "sinks": self.sinks, **more}
        return prepare(self.q, self.k, self.v, o, **options)  # type: ignore[arg-type]

    def given(self) -> list[np.ndarray]:
        """Q, K and V in float64, a head of K and V for each of Q."""
        q, k, v = (self.heads_first(x).astype(np.float64) for x in (self.q, self.k, self.v))
        return [q, *(np.repeat(x, self.heads // self.shared, axis=1) for x in (k, v))]

    def visible(self) -> np.ndarray:
        own, key = np.arange(self.rows)[:, None] + self.length - self.rows, np.arange(self.length)[None, :]
        left, right = self.window
        right = 0 if self.causal else right
        after = key >= own - (10**6 if left is None else left)
        return after & (key <= own + (10**6 if right is None else right))

    @property
    def factor(self) -> float:
        """By which products of queries and keys are multiplied."""
        return 1 / math.sqrt(self.depth) if self.scale is None else self.scale

    def softened(self, score: Any = None) -> tuple[np.ndarray, np.ndarray, float]:
        """The softmax's weights, the logarithms of its sums, and how far scores may be off."""
        q, k, _ = self.given()
        s = q @ k.transpose(0, 1, 3, 2) * self.factor
        if score is not None:
            batch, head, query, key = np.indices(s.shape)
            s = score(s, query, key, head, batch)
        s = np.where(self.visible(), s, -np.inf)
        sinks = np.full(self.heads, -np.inf) if self.sinks is None else self.sinks.astype(np.float64)
        sinks = sinks[None, :, None, None]
        top = np.maximum(s.max(axis=-1, keepdims=True), sinks)
        still = np.where(np.isinf(top), 0, top)
        e = np.exp(s - still)
        total = e.sum(axis=-1, keepdims=True) + np.exp(sinks - still)
        weights = np.divide(e, total, out=np.zeros_like(e), where=total > 0)
        with np.errstate(divide="ignore"):
            lse = (top + np.log(total))[..., 0]
        # scores: their sums in f32; exponentials, sums and products: f32, and weights are rounded to 16 bits before the product
        moved = (self.depth + 8) * 2.0**-23 * abs(self.factor) * (abs(q) @ abs(k).transpose(0, 1, 3, 2)).max() + (
            2**-10 if score is not None else 0
        )
        return weights, lse, moved

    def allowed(self, weights: np.ndarray, moved: float) -> np.ndarray:
        """How far results may be off."""
        _, _, v = self.given()
        bound = weights @ abs(v) * (HALF_ULP[self.dtype] + 2 * moved + (self.length + 64) * 2.0**-22)
        bound += HALF_ULP[self.dtype] * abs(weights @ v) + LEAST[self.dtype] * (1 + abs(v).sum(axis=-2, keepdims=True))
        return bound * 1.01

    def check(self, score: Any = None) -> None:
        """Compare o and lse with the reference, and look at what lies around them. `score`: of scores, query, key, head, batch."""
        _, _, v = self.given()
        weights, lse, moved = self.softened(score)
        bound = self.allowed(weights, moved)
        error = abs(self.o.astype(np.float64) - weights @ v)
        assert (error <= bound).all(), (error / bound).max()
        hidden = np.isinf(lse)
        assert np.array_equal(hidden, np.isneginf(self.lse))
        allowed = 2 * moved + (self.length + 64) * 2.0**-23 + 2.0**-22 * abs(lse[~hidden])
        assert (abs(self.lse[~hidden] - lse[~hidden]) <= allowed).all()
        assert not self.o[np.broadcast_to(hidden[..., None], self.o.shape)].any()
        self.check_around()

    def check_around(self) -> None:
        for around, inner in self.frames:
            kept = inner.copy()
            inner[...] = 77
            assert (around == 77).all()
            inner[...] = kept
        assert (self.logs[:4] == 77).all()
        assert (self.logs[-4:] == 77).all()
