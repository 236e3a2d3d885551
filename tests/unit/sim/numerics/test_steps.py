"""Products in several steps against exact sums of fractions."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from numpy.typing import NDArray

from ptxlab.sim.numerics.kernels import sparse_matmul
from ptxlab.sim.numerics.steps import fp8_matmul, fp8_sparse, odd_sum
from sim.numerics.reference import fda, mma_fp8

DICE = np.random.default_rng(11)


def near(shape: tuple[int, ...]) -> NDArray[np.float32]:
    return (DICE.standard_normal(shape) * 2.0 ** DICE.integers(-9, 4, shape)).astype(np.float32)


@pytest.mark.parametrize("out", ["f32", "f16"])
@pytest.mark.parametrize("types", [("e4m3", "e4m3"), ("e5m2", "e4m3")])
def test_eight_bit_floats(types: tuple[str, str], out: str) -> None:
    a, b = (DICE.integers(0, 256, s).astype(np.uint8) for s in ((16, 32), (32, 8)))
    c = near((16, 8)).astype(np.float16 if out == "f16" else np.float32)
    c[:, 0] = -0.0
    a[3] = 0x80  # sums of zeros
    bits = c.view(f"u{c.itemsize}")
    found = fp8_matmul(a, b, bits, types, out)
    for i in range(16):
        for j in range(8):
            row, column = a[i].tolist(), b[:, j].tolist()
            assert found[i, j] == mma_fp8(row, column, int(bits[i, j]), *types, out)  # type: ignore[arg-type]


def test_subnormal_numbers_of_e4m3_are_normal_halves() -> None:
    """What an H100 gave: 2^-7, a subnormal e4m3, is aligned by its own exponent, so that one bit more of the others is kept."""
    a = np.frombuffer(bytes.fromhex("c53ea537d20f8dbb0f50dd04d4dee9a4"), np.uint8)
    b = np.frombuffer(bytes.fromhex("08493481bada45aa99cf13f8b90083eb"), np.uint8)
    c = np.array([[0x27FD24E6]], np.uint32)
    assert fp8_matmul(a[None], b[:, None], c, ("e4m3", "e5m2"), "f32")[0, 0] == 0x435ABE09
    assert mma_fp8(a.tolist(), b.tolist(), 0x27FD24E6, "e4m3", "e5m2") == 0x435ABE09


def test_sparse_sums_take_the_named_rows_alone() -> None:
    a = near((16, 16)).view(np.uint32) >> 16
    b = near((32, 8)).view(np.uint32) >> 16
    c = near((16, 8)).view(np.uint32)
    index = np.sort(np.argsort(DICE.random((16, 8, 4)), axis=2)[:, :, :2], axis=2) + 4 * np.arange(8)[:, None]
    index = index.reshape(16, 16)
    named = np.zeros((32, 8), bool)
    b[31] = 0x7FC0  # NaN where no element of row 0 stands
    index[0, 14:] = [28, 29]
    found = sparse_matmul(a.astype(np.uint16), b.astype(np.uint16), c, index, "bf16")
    for i in range(16):
        for j in range(8):
            want = fda(a[i].tolist(), b[index[i], j].tolist(), int(c[i, j]))
            assert found[i, j] == want
            named[index[i], j] = True
    assert (found[0] != 0x7FFFFFFF).all()
    assert named.all()


def test_sparse_eight_bit_floats() -> None:
    a, b = (DICE.integers(0, 0x70, s).astype(np.uint8) for s in ((16, 32), (64, 8)))
    index = np.tile([0, 3], 16) + 4 * np.repeat(np.arange(16), 2)
    c = near((16, 8)).view(np.uint32)
    found = fp8_sparse(a, b, c, np.broadcast_to(index, (16, 32)), ("e4m3", "e5m2"), "f32")
    want = [
        [mma_fp8(r.tolist(), b[index, j].tolist(), int(c[i, j]), "e4m3", "e5m2") for j in range(8)]
        for i, r in enumerate(a)
    ]
    assert np.array_equal(found, want)


def test_sums_rounded_to_odd_round_once() -> None:
    x, y = near((4096,)).astype(np.float64), near((4096,)).astype(np.float64) * 2.0**-30 * 1.000000119
    found = odd_sum(x, y).astype(np.float32)
    for i in range(0, 4096, 7):
        exact = Fraction(x[i]) + Fraction(y[i])
        options = [np.nextafter(found[i], np.float32(s)) for s in (-np.inf, np.inf)]
        error = abs(Fraction(float(found[i])) - exact)
        assert all(error <= abs(Fraction(float(o)) - exact) for o in options)
