"""Triton's interpreter; run by its path, so that it shares no process and no import with ptxlab.

Prints a JSON object: workload → [seconds, operations, threads, what was run]; the interpreter has no threads, so they are 0.
"""

# pyright: basic, reportMissingImports=false

from __future__ import annotations

import json
import os
import sys
import time

os.environ["TRITON_INTERPRET"] = "1"  # read when a kernel is declared
os.environ.setdefault("TRITON_DEFAULT_FP_FUSION", "1")  # said, so that it is no warning

import numpy as np
import triton
import triton.language as tl

BLOCK = 1024
TILE = 32


class Array:
    """A NumPy array as the interpreter wants a tensor: memory of the CPU that copies of it share."""

    dtype = tl.float32

    def __init__(self, array):
        self.array = array

    def data_ptr(self):
        return self.array.ctypes.data

    def untyped_storage(self):
        return self

    def cpu(self):
        return self

    def new_empty(self, *size, device):
        return Array(self.array)

    def set_(self, *storage):
        return self

    def storage_offset(self):
        return 0

    def size(self):
        return self.array.shape

    def stride(self):
        return self.array.strides

    def copy_(self, other):
        return self


@triton.jit
def vector_add(a, b, c, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(c + i, tl.load(a + i, i < n) + tl.load(b + i, i < n), i < n)


@triton.jit
def reduction(a, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.atomic_add(out, tl.sum(tl.load(a + i, i < n, other=0.0), axis=0))


@triton.jit
def tiled_matmul(a, b, c, n, TILE: tl.constexpr):
    i, j, k = (
        tl.program_id(0) * TILE + tl.arange(0, TILE),
        tl.program_id(1) * TILE + tl.arange(0, TILE),
        tl.arange(0, TILE),
    )
    total = tl.zeros((TILE, TILE), tl.float32)
    for first in range(0, n, TILE):
        left = tl.load(a + i[:, None] * n + (first + k)[None, :])
        right = tl.load(b + (first + k)[:, None] * n + j[None, :])
        total += tl.dot(left, right)
    tl.store(c + i[:, None] * n + j[None, :], total)


def timed(kernel, grid, arrays, n, out, expected, **constants):
    """Seconds of the second run."""
    seconds = 0.0
    for _ in range(2):
        out[...] = 0
        begin = time.perf_counter()
        kernel[grid](*map(Array, arrays), n, **constants)
        seconds = time.perf_counter() - begin
    assert np.array_equal(out, expected), kernel
    return seconds


def vectors(n):
    a, b = np.random.default_rng(0).integers(-3, 4, (2, n)).astype(np.float32)
    c, total = np.zeros_like(a), np.zeros(1, np.float32)
    grid = (-(-n // BLOCK),)
    yield "vector add", timed(vector_add, grid, (a, b, c), n, c, a + b, BLOCK=BLOCK), n, 0, f"{n} elements"
    yield "reduction", timed(reduction, grid, (a, total), n, total, [a.sum()], BLOCK=BLOCK), n, 0, f"{n} elements"


def matmuls(n):
    a, b = np.random.default_rng(1).integers(-3, 4, (2, n, n)).astype(np.float32)
    c = np.zeros_like(a)
    seconds = timed(tiled_matmul, (n // TILE, n // TILE), (a, b, c), n, c, a @ b, TILE=TILE)
    yield "tiled matmul", seconds, n**3, 0, f"{n}³"


if __name__ == "__main__":
    print(json.dumps({name: rest for name, *rest in (*vectors(int(sys.argv[1])), *matmuls(int(sys.argv[2])))}))
