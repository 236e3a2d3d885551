"""The gemm on a GPU: exact on integers, and on random numbers the same bytes as in the simulator."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest

import ptxlab as px
from ptxlab.conformance.kernels import inputs
from ptxlab.kernels.gemm import gemm, prepare

pytestmark = pytest.mark.gpu

BF16 = np.dtype(ml_dtypes.bfloat16)
F32 = np.dtype(np.float32)
SMALL = [(128, 256, 64), (256, 512, 128), (130, 264, 72), (200, 520, 136), (1, 8, 8)]
LARGE = [(1000, 520, 200), (640, 768, 4096), (2944, 4360, 520)]
NAMES = {"ids": lambda s: "x".join(map(str, s))}


@pytest.fixture
def torch() -> Any:
    return pytest.importorskip("torch", reason="needs torch")


def on_gpu(torch: Any, array: np.ndarray) -> Any:
    if array.dtype != BF16:
        return torch.from_numpy(array).cuda()
    return torch.from_numpy(array.view(np.int16)).view(torch.bfloat16).cuda()


def off_gpu(torch: Any, tensor: Any) -> np.ndarray:
    if tensor.dtype != torch.bfloat16:
        return tensor.cpu().numpy()
    return tensor.contiguous().view(torch.int16).cpu().numpy().view(BF16)


def aligned(array: np.ndarray) -> np.ndarray:
    out = px.empty(array.shape, array.dtype)
    out[...] = array
    return out


def operands(make: Any, size: tuple[int, int, int], b_layout: str) -> tuple[np.ndarray, np.ndarray]:
    m, n, depth = size
    return aligned(make((m, depth), BF16, seed=1)), aligned(
        make((depth, n) if b_layout == "kn" else (n, depth), BF16, seed=2)
    )


def run(
    torch: Any, a: np.ndarray, b: np.ndarray, shape: tuple[int, int], dtype: np.dtype[Any], b_layout: Any
) -> np.ndarray:
    c = on_gpu(torch, np.full(shape, np.nan, dtype))
    gemm(on_gpu(torch, a), on_gpu(torch, b), c, b_layout=b_layout)
    return off_gpu(torch, c)


@pytest.mark.parametrize("dtype", [BF16, F32], ids=str)
@pytest.mark.parametrize("b_layout", ["kn", "nk"])
@pytest.mark.parametrize("size", [*SMALL, *LARGE], **NAMES)
def test_integers_are_exact(torch: Any, size: tuple[int, int, int], b_layout: str, dtype: np.dtype[Any]) -> None:
    a, b = operands(inputs.integers, size, b_layout)
    found = run(torch, a, b, size[:2], dtype, b_layout)
    right = on_gpu(torch, b if b_layout == "kn" else np.ascontiguousarray(b.T)).double()
    wanted = (on_gpu(torch, a).double() @ right).to(torch.bfloat16 if dtype == BF16 else torch.float32)
    assert found.tobytes() == off_gpu(torch, wanted).tobytes()


@pytest.mark.parametrize("dtype", [BF16, F32], ids=str)
@pytest.mark.parametrize("b_layout", ["kn", "nk"])
@pytest.mark.parametrize("size", [*SMALL, (77, 521, 200)], **NAMES)
def test_the_simulator_gives_the_same_bytes(
    torch: Any, size: tuple[int, int, int], b_layout: Any, dtype: np.dtype[Any]
) -> None:
    if b_layout == "kn" and size[1] % 8:
        pytest.skip("TMA cannot read rows of B that are no multiple of 16 bytes")
    a, b = operands(inputs.uniform, size, b_layout)
    c = px.empty(size[:2], dtype)
    gemm(a, b, c, b_layout=b_layout)
    assert run(torch, a, b, size[:2], dtype, b_layout).tobytes() == c.tobytes()


@pytest.mark.parametrize(("columns", "kernel"), [(264, "gemm_tma"), (261, "gemm_direct")])
def test_nothing_outside_c_is_written(torch: Any, columns: int, kernel: str) -> None:
    a, w = operands(inputs.integers, (131, columns, 72), "nk")
    around = on_gpu(torch, np.full((133, 280), np.nan, BF16))
    left = 8 if kernel == "gemm_tma" else 1
    c = around[1:-1, left : left + columns]
    p = prepare(on_gpu(torch, a), on_gpu(torch, w).T, c)
    assert p.record.program.name == kernel
    p()
    torch.cuda.synchronize()
    assert torch.equal(c, (on_gpu(torch, a).double() @ on_gpu(torch, w).double().T).to(torch.bfloat16))
    c.fill_(float("nan"))
    assert bool(torch.isnan(around).all())


def test_repeated_launches_agree(torch: Any) -> None:
    """A prepared launch on random data, 50 times: whatever the order of the machine, the same bytes."""
    a, b = operands(inputs.uniform, (1024, 1024, 512), "kn")
    c = on_gpu(torch, np.zeros((1024, 1024), BF16))
    p = prepare(on_gpu(torch, a), on_gpu(torch, b), c)
    p()
    first = off_gpu(torch, c).tobytes()
    for _ in range(50):
        c.fill_(float("nan"))
        p()
        assert off_gpu(torch, c).tobytes() == first
