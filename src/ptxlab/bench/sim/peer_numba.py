"""Numba's CUDA simulator on small sizes; run by its path, so that it shares no process and no import with ptxlab.

Prints a JSON object: workload → [seconds, operations, threads, what was run]. Operations: additions or multiply-adds.
"""

# pyright: basic, reportCallIssue=false, reportArgumentType=false

from __future__ import annotations

import json
import os
import sys
import time

os.environ["NUMBA_ENABLE_CUDASIM"] = "1"  # read when numba is imported

import numpy as np
from numba import cuda, float32

TILE = 16
BLOCK = 128


@cuda.jit
def vector_add(a, b, c):
    i = cuda.grid(1)
    if i < c.size:
        c[i] = a[i] + b[i]


@cuda.jit
def reduction(a, out):
    part = cuda.shared.array(BLOCK, float32)
    t = cuda.threadIdx.x
    part[t] = a[cuda.grid(1)]
    cuda.syncthreads()
    step = BLOCK // 2
    while step:
        if t < step:
            part[t] += part[t + step]
        cuda.syncthreads()
        step //= 2
    if t == 0:
        cuda.atomic.add(out, 0, part[0])


@cuda.jit
def naive_matmul(a, b, c):
    column, row = cuda.grid(2)
    total = float32(0)
    for i in range(c.shape[0]):
        total += a[row, i] * b[i, column]
    c[row, column] = total


@cuda.jit
def tiled_matmul(a, b, c):
    a_tile = cuda.shared.array((TILE, TILE), float32)
    b_tile = cuda.shared.array((TILE, TILE), float32)  # the simulator tells arrays apart by their lines
    column, row = cuda.grid(2)
    x, y = cuda.threadIdx.x, cuda.threadIdx.y
    total = float32(0)
    for first in range(0, c.shape[0], TILE):
        a_tile[y, x] = a[row, first + x]
        b_tile[y, x] = b[first + y, column]
        cuda.syncthreads()
        for i in range(TILE):
            total += a_tile[y, i] * b_tile[i, x]
        cuda.syncthreads()
    c[row, column] = total


def timed(kernel, grid, block, args, out, expected):
    """Seconds of the second run."""
    seconds = 0.0
    for _ in range(2):
        out[...] = 0
        begin = time.perf_counter()
        kernel[grid, block](*args)
        seconds = time.perf_counter() - begin
    assert np.array_equal(out, expected), kernel
    return seconds


def vectors(elements):
    a, b = np.random.default_rng(0).integers(-3, 4, (2, elements)).astype(np.float32)
    c, total = np.zeros_like(a), np.zeros(1, np.float32)
    grid = elements // BLOCK
    yield "vector add", timed(vector_add, grid, BLOCK, (a, b, c), c, a + b), elements, elements, f"{elements} elements"
    seconds = timed(reduction, grid, BLOCK, (a, total), total, [a.sum()])
    yield "reduction", seconds, elements, elements, f"{elements} elements"


def matmuls(n):
    a, b = np.random.default_rng(1).integers(-3, 4, (2, n, n)).astype(np.float32)
    c = np.zeros_like(a)
    for name, kernel in (("naive matmul", naive_matmul), ("tiled matmul", tiled_matmul)):
        seconds = timed(kernel, (n // TILE, n // TILE), (TILE, TILE), (a, b, c), c, a @ b)
        yield name, seconds, n**3, n * n, f"{n}³"


if __name__ == "__main__":
    print(json.dumps({name: rest for name, *rest in (*vectors(int(sys.argv[1])), *matmuls(int(sys.argv[2])))}))
