"""C = A · B in bf16 with f32 results: on a GPU where torch finds one, else in the simulator."""

import numpy as np

import ptxlab as px
from ptxlab.kernels.gemm import gemm

M, N, K = 300, 520, 200


def on_the_cpu() -> float:
    """Largest error against NumPy's product in double precision."""
    rng = np.random.default_rng(0)
    a, b = px.empty((M, K), "bfloat16"), px.empty((K, N), "bfloat16")
    a[:], b[:] = rng.standard_normal(a.shape), rng.standard_normal(b.shape)
    c = px.empty((M, N), np.float32)
    gemm(a, b, c)
    return float(np.abs(c - a.astype(np.float64) @ b.astype(np.float64)).max())


def on_the_gpu(torch) -> float:
    """The same call with tensors on the GPU."""
    a = torch.randn(M, K, device="cuda").to(torch.bfloat16)
    b = torch.randn(K, N, device="cuda").to(torch.bfloat16)
    c = torch.empty(M, N, device="cuda")
    gemm(a, b, c)
    return float((c.double() - a.double() @ b.double()).abs().max())


if __name__ == "__main__":
    try:
        import torch

        error = on_the_gpu(torch) if torch.cuda.is_available() else on_the_cpu()
    except ImportError:
        error = on_the_cpu()
    print("largest error below 1e-4:", error < 1e-4)
