"""Attention with an online softmax on tensor cores: a warp for 16 queries, 16 keys at a time."""

# pyright: reportAttributeAccessIssue=false, reportInvalidTypeForm=false

from __future__ import annotations

import math
from typing import Any

import numpy as np

import ptxlab as px

D = 64
"""Elements of a head."""
SCALE = 1 / math.sqrt(D) * math.log2(math.e)


@px.kernel(threads=32)
def flash(
    k, q: px.Ptr[px.bf16], keys: px.Ptr[px.bf16], v: px.Ptr[px.bf16], out: px.Ptr[px.bf16], n: px.u32, *, causal=False
):
    """Scores and their exponentials stay in registers: an accumulator's layout is that of the next product's factor."""
    g, t, first = k.laneid >> 2, k.laneid & 3, k.ctaid.x * 16
    mine = [
        [k.ld.global_.b32(q[(first + g + r) * D + c * 16 + 2 * t + s]) for s in (0, 8) for r in (0, 8)]
        for c in range(D // 16)
    ]
    top = [k.mov.f32(-math.inf) for _ in range(2)]
    total = [k.mov.f32(0.0) for _ in range(2)]
    held = [[k.mov.f32(0.0) for _ in range(4)] for _ in range(D // 8)]
    with k.loop(n, step=16) as at:
        scores = [_scores(k, mine, keys, at + 8 * half, g, t) for half in range(2)]
        if causal:
            scores = [_masked(k, s, first + g, at + 8 * half + 2 * t) for half, s in enumerate(scores)]
        for r in range(2):
            _shrink(k, scores, top, total, held, r)
        factor = [
            k.cvt.rn.bf16x2.f32(scores[half][2 * r + 1], scores[half][2 * r]) for half in range(2) for r in range(2)
        ]
        for j, acc in enumerate(held):
            k.mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32(factor, _values(k, v, at, j * 8 + g, t), acc, d=acc)
    for r in range(2):
        _sum_of_four(k, total, r, k.add.rn.f32)
    for j, acc in enumerate(held):
        for r in range(2):
            low, high = (k.div.full.f32(acc[2 * r + s], total[r]) for s in range(2))
            k.st.global_.b32(out[(first + g + 8 * r) * D + j * 8 + 2 * t], k.cvt.rn.bf16x2.f32(high, low))


def _scores(k: Any, mine: Any, keys: Any, key: Any, g: Any, t: Any) -> list[Any]:
    """16 queries by 8 keys."""
    acc = [k.mov.f32(0.0) for _ in range(4)]
    for c, left in enumerate(mine):
        right = [k.ld.global_.b32(keys[(key + g) * D + c * 16 + 2 * t + s]) for s in (0, 8)]
        k.mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32(left, right, acc, d=acc)
    return acc


def _masked(k: Any, scores: list[Any], row: Any, column: Any) -> list[Any]:
    """−∞ for keys behind the query."""
    return [k.selp.f32(s, k.mov.f32(-math.inf), (column + i % 2) <= (row + 8 * (i // 2))) for i, s in enumerate(scores)]


def _shrink(k: Any, scores: Any, top: Any, total: Any, held: Any, r: int) -> None:
    """A row's exponentials, and what has been summed before, for the new maximum."""
    new = k.mov.f32(top[r])
    for half in range(2):
        for s in range(2):
            k.max.f32(new, scores[half][2 * r + s], d=new)
    for distance in (1, 2):
        k.max.f32(new, k.shfl.sync.bfly.b32(new, distance, 31, 0xFFFFFFFF), d=new)
    shrunk = k.ex2.approx.f32(k.mul.rn.f32(k.sub.rn.f32(top[r], new), SCALE))
    k.mul.rn.f32(total[r], shrunk, d=total[r])
    for acc in held:
        for s in range(2):
            k.mul.rn.f32(acc[2 * r + s], shrunk, d=acc[2 * r + s])
    for half in range(2):
        for s in range(2):
            e = k.ex2.approx.f32(k.mul.rn.f32(k.sub.rn.f32(scores[half][2 * r + s], new), SCALE))
            k.mov.f32(e, d=scores[half][2 * r + s])
            k.add.rn.f32(total[r], e, d=total[r])
    k.mov.f32(new, d=top[r])


def _sum_of_four(k: Any, values: Any, r: int, add: Any) -> None:
    for distance in (1, 2):
        add(values[r], k.shfl.sync.bfly.b32(values[r], distance, 31, 0xFFFFFFFF), d=values[r])


def _values(k: Any, v: Any, key: Any, column: Any, t: Any) -> list[Any]:
    """16 keys of a column of V, two in each register."""
    out: list[Any] = []
    for s in (0, 8):
        low, high = (k.ld.global_.b16(v[(key + 2 * t + s + i) * D + column]) for i in range(2))
        out.append(k.mov.b32([low, high]))
    return out


def attended(q: Any, keys: Any, v: Any, n: int) -> Any:
    """softmax(Q · Kᵀ / √d) · V."""
    return _weighted(q @ keys.T / math.sqrt(D), v)


def attended_causal(q: Any, keys: Any, v: Any, n: int) -> Any:
    """The same of keys that do not lie behind the query."""
    rows, columns = np.arange(q.shape[0])[:, None], np.arange(n)[None, :]
    return _weighted(np.where(columns <= rows, q @ keys.T / math.sqrt(D), -np.inf), v)


def _weighted(scores: Any, v: Any) -> Any:
    e = np.exp(scores - scores.max(axis=1, keepdims=True))
    return (e / e.sum(axis=1, keepdims=True)) @ v


def spec(queries: int = 128, keys: int = 128, **options: Any) -> px.Spec:
    """Heads of 64 elements."""

    def case() -> px.Case:
        given = [px.Input("bf16", (queries, D)), *(px.Input("bf16", (keys, D)) for _ in range(2))]
        constants = {"causal": True} if options.get("causal") else {}
        return px.case([*given, px.Output("bf16", (queries, D)), keys], grid=queries // 16, **constants)

    return px.Spec(case, algebraic="only")
