"""What `ptxlab bench sim` launches: prepared, with inputs of integers, and with a check against NumPy."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import ptxlab as px
from ptxlab.bench.sim import kernels

if TYPE_CHECKING:
    from ptxlab.launch.prepare import Launch


@dataclass(frozen=True, slots=True)
class Work:
    """A launch to time.

    Attributes:
        work: additions or multiply-adds of the problem; threads: those of the grid.
        reset: what is done before every run, outside the timed part.
        right: whether the arrays hold the result after a run.
    """

    launch: Launch
    work: int
    threads: int
    reset: Callable[[], object]
    right: Callable[[], bool]


def vector_add(n: int) -> Work:
    """c = a + b of n f32."""
    import numpy as np

    a, b, c = _integers(n, seed=0), _integers(n, seed=1), px.empty(n, np.float32)
    grid = -(-n // kernels.THREADS)
    launch = kernels.vector_add.prepare(grid=grid, args=[a, b, c, n])
    return Work(launch, n, grid * kernels.THREADS, lambda: c.fill(0), lambda: bool(np.array_equal(c, a + b)))


def reduction(n: int) -> Work:
    """The sum of n f32; n is a multiple of 1024."""
    import numpy as np

    a, out = _integers(n, seed=2), px.empty(1, np.float32)
    grid = n // (kernels.THREADS * kernels.EACH)
    launch = kernels.reduction.prepare(grid=grid, args=[a, out])
    return Work(launch, n, grid * kernels.THREADS, lambda: out.fill(0), lambda: float(out[0]) == float(a.sum()))


def counters(n: int, *, atomic: bool) -> Work:
    """n threads count in 64 words; n is a multiple of 256. Without `atomic` they race, and nothing is said of the result."""
    import numpy as np

    out = px.empty(64, np.uint32)
    launch = kernels.counters.prepare(grid=n // kernels.THREADS, args=[out], atomic=atomic)
    return Work(launch, n, n, lambda: out.fill(0), lambda: not atomic or bool((out == n // 64).all()))


def exchange(n: int, *, barrier: bool) -> Work:
    """n threads swap numbers through shared memory; n is a multiple of 256. Without `barrier` they race."""
    import numpy as np

    out, expected = px.empty(n, np.uint32), np.arange(n, dtype=np.uint32) % kernels.THREADS ^ 32
    launch = kernels.exchange.prepare(grid=n // kernels.THREADS, args=[out], barrier=barrier)
    return Work(launch, n, n, lambda: out.fill(0), lambda: not barrier or bool(np.array_equal(out, expected)))


def cluster_histogram(n: int, clusters: int) -> Work:
    """How often each of n values occurs, counted by clusters in their shared memory."""
    import numpy as np

    values, out = px.empty(n, np.uint32), px.empty(kernels.BINS, np.uint32)
    values[...] = np.random.default_rng(12).integers(0, kernels.BINS, n)
    expected = np.bincount(values, minlength=kernels.BINS)
    launch = kernels.cluster_histogram.prepare(grid=clusters * kernels.PEERS, args=[values, out, n])
    return Work(launch, n, n, lambda: out.fill(0), lambda: bool(np.array_equal(out, expected)))


def matmul(n: int, *, tiled: bool) -> Work:
    """C = A · B of n × n f32, by a thread for each element; n is a multiple of 16."""
    import numpy as np

    a, b, c = _integers((n, n), seed=3), _integers((n, n), seed=4), px.empty((n, n), np.float32)
    kernel, tiles = kernels.tiled_matmul if tiled else kernels.naive_matmul, n // kernels.TILE
    launch = kernel.prepare(grid=(tiles, tiles), args=[a, b, c, n])
    return Work(launch, n**3, n * n, lambda: c.fill(0), lambda: bool(np.array_equal(c, a @ b)))


def divergent(n: int) -> Work:
    """The lengths of n Collatz sequences; n is a multiple of 256."""
    import numpy as np

    out, expected = px.empty(n, np.uint32), _collatz(n)
    launch = kernels.divergent.prepare(grid=n // kernels.THREADS, args=[out])
    return Work(launch, int(expected.sum()), n, lambda: out.fill(0), lambda: bool(np.array_equal(out, expected)))


def _collatz(n: int) -> Any:
    import numpy as np

    x, steps = np.arange(1, n + 1, dtype=np.uint64), np.zeros(n, np.uint32)
    while (left := x != 1).any():
        x = np.where(left, np.where(x & 1, 3 * x + 1, x >> 1), x)
        steps += left
    return steps


def single_cta(turns: int) -> Work:
    """`turns` numbers of a generator in each of 128 threads."""
    import numpy as np

    out = px.empty(kernels.SINGLE, np.uint32)
    expected = np.arange(1, kernels.SINGLE + 1, dtype=np.uint32)
    for _ in range(turns):
        expected ^= expected << 13
        expected ^= expected >> 17
        expected ^= expected << 5
    launch = kernels.single_cta.prepare(grid=1, args=[out, turns])
    work = turns * kernels.SINGLE
    return Work(launch, work, kernels.SINGLE, lambda: out.fill(0), lambda: bool(np.array_equal(out, expected)))


def products(turns: int) -> Work:
    """`turns` times 64 × 256 × 64 multiply-adds of one warpgroup, bf16 into f32."""
    import numpy as np

    m, n, depth = kernels.PRODUCT_M, kernels.PRODUCT_N, kernels.PRODUCT_K
    a, b = _integers((m, depth), seed=5, dtype="bfloat16"), _integers((n, depth), seed=6, dtype="bfloat16")
    c = px.empty((m, n), np.float32)
    maps = [px.tensor_map(x, box=x.shape, swizzle="128B") for x in (a, b)]
    launch = kernels.products.prepare(grid=1, args=[*maps, c, turns])
    expected = turns * (a.astype(np.float32) @ b.astype(np.float32).T)
    return Work(launch, turns * m * n * depth, 128, lambda: c.fill(0), lambda: bool(np.array_equal(c, expected)))


def warp_products(turns: int) -> Work:
    """`turns` times 16 × 8 × 16 multiply-adds of one warp by mma, f16 into f32."""
    import numpy as np

    from ptxlab.layout.fragments import Fragment, mma_a, mma_b, mma_d

    def held(matrix: Any, fragment: Fragment) -> Any:
        """A matrix as registers of 32 lanes, elements side by side."""
        lanes = np.ascontiguousarray(matrix[fragment.rows, fragment.cols]).view(np.uint32)
        return np.ascontiguousarray(lanes.T)

    m, n, depth = kernels.WARP_M, kernels.WARP_N, kernels.WARP_K
    a, b = _integers((m, depth), seed=10, dtype="float16"), _integers((depth, n), seed=11, dtype="float16")
    c = px.empty((4, 32), np.float32)
    args = [held(a, mma_a()), held(b, mma_b()), c, turns]
    launch = kernels.warp_products.prepare(grid=1, args=args)
    expected = held(turns * (a.astype(np.float32) @ b.astype(np.float32)), mma_d()).view(np.float32)
    return Work(launch, turns * m * n * depth, 32, lambda: c.fill(0), lambda: bool(np.array_equal(c, expected)))


def gemm(n: int, config: str = "128x256-2c") -> Work:
    """The library's gemm of n × n × n bf16; `config` is by default what earlier records measured."""
    import numpy as np

    from ptxlab.kernels import gemm as library

    a, b = _integers((n, n), seed=7, dtype="bfloat16"), _integers((n, n), seed=8, dtype="bfloat16")
    c = px.empty((n, n), "bfloat16")
    launch = library.prepare(a, b, c, config=config)
    exact = (a.astype(np.float32) @ b.astype(np.float32)).astype(c.dtype)  # sums of integers: exact in f32
    return Work(launch, n**3, 0, lambda: c.fill(0), lambda: c.tobytes() == exact.tobytes())


def _integers(shape: Any, *, seed: int, dtype: Any = "float32") -> Any:
    import numpy as np

    made = px.empty(shape, dtype)
    made[...] = np.random.default_rng(seed).integers(-3, 4, shape)
    return made
