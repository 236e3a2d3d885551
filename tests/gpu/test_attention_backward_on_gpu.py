"""Gradients of attention on a GPU: the simulator's bytes, and the same ones run after run."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from ptxlab.kernels.attention import attention, attention_backward, softcap

pytestmark = pytest.mark.gpu
WHERE = "cuda"


@pytest.fixture
def torch() -> Any:
    return pytest.importorskip("torch", reason="needs torch")


CASES: dict[str, tuple[tuple[int, ...], dict[str, Any]]] = {  # batches, heads, heads of keys, rows, keys, depth
    "causal": ((2, 4, 2, 200, 230, 128), {"causal": True}),
    "all keys": ((1, 2, 2, 300, 260, 128), {}),
    "more tiles than SMs": ((2, 70, 70, 70, 130, 64), {"causal": True}),
    "a window": ((1, 2, 2, 300, 260, 64), {"window": (30, 20)}),
    "softcap": ((1, 2, 1, 150, 170, 96), {"score": softcap(5.0)}),
    "wide heads": ((1, 2, 1, 130, 140, 256), {"causal": True}),
}


def run(torch: Any, where: str, sizes: tuple[int, ...], options: dict[str, Any]) -> list[Any]:
    """O, the logarithms and the gradients."""
    batches, heads, shared, rows, length, depth = sizes
    numbers = np.random.default_rng(0)

    def drawn(heads: int, rows: int) -> Any:
        return torch.from_numpy(numbers.standard_normal((batches, heads, rows, depth))).bfloat16().to(where)

    q, do, k, v = drawn(heads, rows), drawn(heads, rows), drawn(shared, length), drawn(shared, length)
    o, dq, dk, dv = (torch.full_like(x, float("nan")) for x in (q, q, k, v))
    lse = torch.empty((batches, heads, rows), device=where)
    attention(q, k, v, o, lse=lse, **options)
    attention_backward(do, q, k, v, o, lse, dq=dq, dk=dk, dv=dv, **options)
    return [x.cpu() for x in (o, lse, dq, dk, dv)]


@pytest.mark.parametrize(("sizes", "options"), CASES.values(), ids=list(CASES))
def test_the_simulator_gives_the_same_bytes(torch: Any, sizes: tuple[int, ...], options: dict[str, Any]) -> None:
    simulated = run(torch, "cpu", sizes, options)
    for _ in range(3):
        for name, ours, wanted in zip(
            ("o", "lse", "dq", "dk", "dv"), run(torch, WHERE, sizes, options), simulated, strict=True
        ):
            assert torch.equal(ours.view(torch.uint8), wanted.view(torch.uint8)), name
