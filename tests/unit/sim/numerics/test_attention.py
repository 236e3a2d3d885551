"""Attention with every approximate function in it, one result handed on to the next: the bytes that an H200 wrote."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import ptxlab as px

KERNEL = px.parse((Path(__file__).parents[3] / "corpus" / "attention.ptx").read_text(encoding="utf-8"))["attention"]
ROWS, KEYS, DEPTH, BLOCK = 256, 40, 8, 128
CHIP = "1abd887fa5f5922e53daed7315322af8661beb0d1690887ee1866aa7152c6ce9"


def arrays() -> list[NDArray[np.float32]]:
    """Queries, keys, values; outputs and the logarithms of the sums."""
    rng = np.random.default_rng(11)
    given = [2 * rng.standard_normal(s).astype(np.float32) for s in ((ROWS, DEPTH), (KEYS, DEPTH), (KEYS, DEPTH))]
    return [*given, np.zeros((ROWS, DEPTH), np.float32), np.zeros(ROWS, np.float32)]


def launch(given: list[Any]) -> None:
    KERNEL.launch(grid=ROWS // BLOCK, block=BLOCK, args=[*given, np.int32(KEYS)])


def digest(out: NDArray[np.float32], sums: NDArray[np.float32]) -> str:
    return hashlib.sha256(out.tobytes() + sums.tobytes()).hexdigest()


def test_the_simulator_writes_the_bytes_of_an_h200() -> None:
    given = arrays()
    launch(given)
    assert {op.inst.form.name for op in KERNEL.entry().program.ops} >= {
        "sin",
        "cos",
        "tanh",
        "ex2",
        "lg2",
        "div",
        "rsqrt",
        "sqrt",
    }
    assert digest(given[3], given[4]) == CHIP


@pytest.mark.gpu
def test_so_does_the_gpu() -> None:
    from ptxlab.cuda.array import GpuArray

    there = [GpuArray(a) for a in arrays()]
    launch(there)
    assert digest(there[3].numpy(), there[4].numpy()) == CHIP
