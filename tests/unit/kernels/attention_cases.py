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


def softened(
    q: np.ndarray,
    k: np.ndarray,
    visible: np.ndarray,
    factor: float,
    *,
    score: Any = None,
    sinks: np.ndarray | None = None,
) -> tuple[np.ndarray, np.ndarray, float]:
    """The softmax's weights, the logarithms of its sums, and how far scores may be off.

    Args:
        q, k: in float64, with a head of K for each of Q: batches × heads × rows × depth. visible: rows × keys.
        factor: by which products are multiplied. score: of scores, query, key, head, batch. sinks: a logit for each head.
    """
    s = q @ k.transpose(0, 1, 3, 2) * factor
    if score is not None:
        batch, head, query, key = np.indices(s.shape)
        s = score(s, query, key, head, batch)
    s = np.where(visible, s, -np.inf)
    logits = np.full(q.shape[1], -np.inf) if sinks is None else sinks.astype(np.float64)
    logits = logits[None, :, None, None]
    top = np.maximum(s.max(axis=-1, keepdims=True, initial=-np.inf), logits)
    still = np.where(np.isinf(top), 0, top)
    e = np.exp(s - still)
    total = e.sum(axis=-1, keepdims=True) + np.exp(logits - still)
    weights = np.divide(e, total, out=np.zeros_like(e), where=total > 0)
    with np.errstate(divide="ignore"):
        lse = (top + np.log(total))[..., 0]
    largest = (abs(q) @ abs(k).transpose(0, 1, 3, 2)).max(initial=0)
    # sums of scores in f32
    moved = (q.shape[-1] + 8) * 2.0**-23 * abs(factor) * largest + (2**-10 if score is not None else 0)
    return weights, lse, moved


def allowed(
    weights: np.ndarray, v: np.ndarray, moved: float, dtype: np.dtype[Any], of_weights: np.dtype[Any] | None = None
) -> np.ndarray:
    """How far results may be off: exponentials, sums and products are f32, and weights are rounded to 16 bits before the product.

    Args:
        moved: of scores. dtype: of results; of_weights: in which these are multiplied with V, where that is another one.
    """
    kind, length = of_weights or dtype, v.shape[-2]
    bound = weights @ abs(v) * (HALF_ULP[kind] + 2 * moved + (length + 64) * 2.0**-22)
    bound += LEAST[kind] * (1 + abs(v).sum(axis=-2, keepdims=True)) + HALF_ULP[dtype] * abs(weights @ v) + LEAST[dtype]
    return bound * 1.01


def check(
    found: tuple[np.ndarray, np.ndarray],
    given: tuple[np.ndarray, np.ndarray, np.ndarray],
    visible: np.ndarray,
    factor: float,
    *,
    score: Any = None,
    sinks: np.ndarray | None = None,
    weights: np.dtype[Any] | None = None,
) -> None:
    """Compare O and lse with the reference. given: Q, K and V as `softened` takes them. weights: as `allowed` takes it."""
    (o, found_lse), (q, k, v) = found, given
    shares, lse, moved = softened(q, k, visible, factor, score=score, sinks=sinks)
    bound = allowed(shares, v, moved, o.dtype, weights)
    error = abs(o.astype(np.float64) - shares @ v)
    assert (error <= bound).all(), (error / bound).max()
    hidden = np.isinf(lse)
    assert np.array_equal(hidden, np.isneginf(found_lse))
    slack = 2 * moved + (k.shape[-2] + 64) * 2.0**-23 + 2.0**-22 * abs(lse[~hidden])
    assert (abs(found_lse[~hidden] - lse[~hidden]) <= slack).all()
    assert not o[np.broadcast_to(hidden[..., None], o.shape)].any()


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
        return softened(q, k, self.visible(), self.factor, score=score, sinks=self.sinks)

    def allowed(self, weights: np.ndarray, moved: float) -> np.ndarray:
        """How far results may be off."""
        return allowed(weights, self.given()[2], moved, self.dtype)

    def check(self, score: Any = None) -> None:
        """Compare o and lse with the reference, and look at what lies around them. `score`: of scores, query, key, head, batch."""
        q, k, v = self.given()
        check((self.o, self.lse), (q, k, v), self.visible(), self.factor, score=score, sinks=self.sinks)
        self.check_around()

    def check_around(self) -> None:
        for around, inner in self.frames:
            kept = inner.copy()
            inner[...] = 77
            assert (around == 77).all()
            inner[...] = kept
        assert (self.logs[:4] == 77).all()
        assert (self.logs[-4:] == 77).all()
