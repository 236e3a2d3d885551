"""Attention, decoding and kernels on rows on a GPU: the simulator's bytes, and the same ones run after run."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from ptxlab.kernels import rows
from ptxlab.kernels.attention import attention, softcap
from ptxlab.kernels.decode import decode

pytestmark = pytest.mark.gpu
WHERE = "cuda"


class Place:
    """Makes the same arrays on the CPU and on a GPU: the same numbers each time, and NaN where a result comes."""

    def __init__(self, torch: Any, where: str) -> None:
        self.torch, self.where = torch, where
        self._numbers = np.random.default_rng(0)

    def drawn(self, *shape: int, dtype: str = "bfloat16") -> Any:
        x = self.torch.from_numpy(self._numbers.standard_normal(shape, np.float32))
        return x.to(getattr(self.torch, dtype)).to(self.where)

    def room(self, *shape: int, dtype: str = "bfloat16") -> Any:
        kind = getattr(self.torch, dtype)
        return self.torch.full(shape, float("nan"), device=self.where).to(kind)

    def integers(self, *values: Any, dtype: str = "int32") -> Any:
        return self.torch.tensor(*values, dtype=getattr(self.torch, dtype), device=self.where)


Run = Callable[[Place], list[Any]]


def forward(rows: int, keys: int, depth: int, of_values: int, dtype: str = "bfloat16", **options: Any) -> Run:
    def run(p: Place) -> list[Any]:
        q, k = p.drawn(2, 4, rows, depth, dtype=dtype), p.drawn(2, 2, keys, depth, dtype=dtype)
        v, o = p.drawn(2, 2, keys, of_values, dtype=dtype), p.room(2, 4, rows, of_values)
        lse = p.room(2, 4, rows, dtype="float32")
        attention(q, k, v, o, lse=lse, **options)
        return [o, lse]

    return run


def packed(p: Place) -> list[Any]:
    q, k, v = (p.drawn(300, heads, 128) for heads in (4, 2, 2))
    o, lse, sinks = p.room(300, 4, 128), p.room(4, 300, dtype="float32"), p.drawn(4, dtype="float32")
    ends = p.integers([0, 130, 130, 141, 300])
    attention(q, k, v, o, lse=lse, causal=True, sinks=sinks, q_offsets=ends, k_offsets=ends)
    return [o, lse]


def biased(p: Place) -> list[Any]:
    q, k, v, o = p.drawn(2, 4, 150, 64), p.drawn(2, 2, 170, 64), p.drawn(2, 2, 170, 64), p.room(2, 4, 150, 64)
    attention(q, k, v, o, score=lambda k, x, at, slopes: k.add.rn.f32(x, slopes[at.head]), score_args=(p.drawn(4),))
    return [o]


def paged(cache: str, new: int = 1) -> Run:
    def run(p: Place) -> list[Any]:
        q, o = p.drawn(5, new, 8, 128), p.room(5, new, 8, 128)
        k, v = p.drawn(60, 32, 2, 128, dtype=cache), p.drawn(60, 32, 2, 128, dtype=cache)
        table = p.integers(np.random.default_rng(1).permutation(60).reshape(5, 12).tolist())
        lse = p.room(5, 8, new, dtype="float32")
        decode(q, k, v, o, p.integers([384, 1, 0, 200, 33]), table=table, lse=lse)
        return [o, lse]

    return run


def norms(columns: int, dtype: str) -> Run:
    def run(p: Place) -> list[Any]:
        x, residual, dy = (p.drawn(37, columns, dtype=dtype) for _ in range(3))
        weight, bias = p.drawn(columns, dtype=dtype), p.drawn(columns, dtype=dtype)
        y, kept, z, dx, dz, s, t = (p.room(37, columns, dtype=dtype) for _ in range(7))
        of_weight, of_layer, of_bias = (p.room(columns, dtype=dtype) for _ in range(3))
        turned = p.room(columns, 37, dtype=dtype)
        rows.rms_norm(x, y, weight, residual=residual, kept=kept)
        rows.layer_norm(x, z, weight, bias)
        rows.rms_norm_backward(dy, x, dx, weight, dweight=of_weight)
        rows.layer_norm_backward(dy, x, dz, weight, dweight=of_layer, dbias=of_bias)
        rows.softmax(x, s)
        t.copy_(x)
        rows.transpose(t, turned)
        return [y, kept, z, dx, of_weight, dz, of_layer, of_bias, s, turned]

    return run


def losses(columns: int, dtype: str) -> Run:
    def run(p: Place) -> list[Any]:
        x, dloss = p.drawn(9, columns, dtype=dtype), p.drawn(9, dtype="float32")
        targets = p.integers([0, columns - 1, -100, 5, 6, 7, 8, 9, 10], dtype="int64")
        loss, lse = p.room(9, dtype="float32"), p.room(9, dtype="float32")
        given, again = p.room(9, columns, dtype=dtype), p.room(9, columns, dtype=dtype)
        rows.cross_entropy(x, targets, loss, lse=lse)
        rows.cross_entropy_backward(dloss, x, targets, lse, given)
        rows.cross_entropy_backward(dloss, x, targets, None, again)
        return [loss, lse, given, again]

    return run


def quantized(p: Place) -> list[Any]:
    x, out = p.drawn(37, 1024), []
    for scaled, shape in (("row", (37,)), ("block", (37, 8)), ("tensor", (1,))):
        y, scales = p.room(37, 1024, dtype="float8_e4m3fn"), p.room(*shape, dtype="float32")
        rows.quantize(x, y, scales, scaled=scaled)  # type: ignore[arg-type]
        out += [y, scales]
    return out


CASES: dict[str, Run] = {
    "attention, causal": forward(200, 230, 128, 128, causal=True),
    "attention, a window and a cap": forward(150, 170, 64, 64, window=(30, 20), score=softcap(5.0)),
    "attention, 192 and 128": forward(130, 140, 192, 128, causal=True),
    "attention, 96": forward(130, 140, 96, 96),
    "attention, 256": forward(130, 140, 256, 256, causal=True),
    "attention in fp8": forward(130, 340, 128, 128, "float8_e4m3fn", causal=True),
    "attention, packed": packed,
    "attention, an array that scores read": biased,
    "decode": paged("bfloat16"),
    "decode, four new rows": paged("bfloat16", 4),
    "decode, a cache in fp8": paged("float8_e4m3fn"),
    **{f"norms, {columns} columns, {dtype}": norms(columns, dtype)
       for columns, dtype in ((100, "bfloat16"), (4096, "bfloat16"), (20000, "float16"), (1000, "float32"))},
    **{f"losses, {columns} columns, {dtype}": losses(columns, dtype)
       for columns, dtype in ((1000, "bfloat16"), (50257, "bfloat16"), (131072, "float32"))},
    "fp8": quantized,
}  # fmt: skip


@pytest.mark.parametrize("case", CASES.values(), ids=list(CASES))
def test_the_simulator_gives_the_same_bytes(case: Run) -> None:
    torch = pytest.importorskip("torch", reason="needs torch")
    simulated = case(Place(torch, "cpu"))
    for _ in range(3):
        for number, (ours, wanted) in enumerate(zip(case(Place(torch, WHERE)), simulated, strict=True)):
            ours, wanted = (x.cpu().contiguous().view(torch.uint8) for x in (ours, wanted))
            assert torch.equal(ours, wanted), f"result {number}: {int((ours != wanted).sum())} bytes of {ours.numel()}"
