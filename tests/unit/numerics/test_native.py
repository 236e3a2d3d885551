"""The vector code against the kernels, which the integer reference holds to account; fragments as `layout` has them."""

from __future__ import annotations

import numpy as np
import pytest

from ptxlab.layout.fragments import wgmma_d
from ptxlab.sim.numerics import kernels
from ptxlab.sim.numerics.native import native

from .test_kernels import FILLS, patterns

FORMS = ["bf16", "f16", "tf32"]


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("negate", [False, True])
def test_decode(form: str, negate: bool) -> None:
    if form == "tf32":
        bits = np.random.default_rng(0).integers(0, 1 << 32, 4096, np.uint32)
        bits[:8] = (0, 1 << 31, 0x1FFF, 0x7F800000, 0x7F801FFF, 0xFFFFFFFF, 0x00402000, 0x007FFFFF)
    else:
        bits = np.arange(1 << 16, dtype=np.uint16)
    values, exponents = kernels.decode(bits, form, negate)
    got, got_exponents = np.empty_like(values), np.empty_like(exponents)
    index = np.random.default_rng(1).permutation(bits.size).astype(np.int32)
    native().decode[form](
        bits.ctypes.data,
        index.ctypes.data,
        bits.size,
        -(1 << 31) if negate else 0,
        got.ctypes.data,
        got_exponents.ctypes.data,
    )
    assert np.array_equal(got_exponents, exponents[index])
    assert np.array_equal(np.isnan(got), np.isnan(values[index]))
    numbers = ~np.isnan(got)
    assert np.array_equal(got.view(np.uint32)[numbers], values[index].view(np.uint32)[numbers])


@pytest.mark.parametrize("fill", FILLS)
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(("n", "accumulate"), [(8, 1), (24, 1), (48, 0)])
def test_multiply(form: str, fill: str, n: int, accumulate: int) -> None:
    rng = np.random.default_rng([n, FILLS.index(fill)])
    a, b = patterns(rng, form, (64, 16), fill), patterns(rng, form, (16, n), fill)
    c = patterns(rng, "f32", (64, n), fill).astype(np.uint32)
    want = c.copy() if accumulate else np.zeros_like(c)
    va, ea = kernels.decode(a.reshape(64, 1, 16), form)
    vb, eb = kernels.decode(b.reshape(1, 16, n), form)
    addends = want.copy()
    kernels.dot_add(va, ea, vb, eb, want.view(np.int32), 25, kernels.OUT_F32)

    registers = n // 2
    starts = (rng.permutation(registers) * 128 + 64).astype(np.int64)
    frames = np.zeros((4, 64 + 128 * registers), np.uint8)
    flat = wgmma_d(n).flat.reshape(4, 32, registers)
    rows = [(w, e, frames[w, starts[e] : starts[e] + 128].view(np.uint32)) for w in range(4) for e in range(registers)]
    for w, e, row in rows:
        row[:] = c.ravel()[flat[w, :, e]]
    places = np.array([f.ctypes.data for f in frames], np.uint64)
    flags = np.zeros((64, n), np.int8)
    count = native().multiply(
        *(x.ctypes.data for x in (va, ea, vb, eb, places, starts)), n, accumulate, flags.ctypes.data
    )
    got = np.zeros(64 * n, np.uint32)
    for w, e, row in rows:
        got[flat[w, :, e]] = row
    flagged = flags.astype(bool)
    assert count == flagged.sum()
    assert np.array_equal(got.reshape(64, n)[~flagged], want[~flagged])
    assert np.array_equal(got.reshape(64, n)[flagged], addends[flagged])
    assert fill != "near one" or form == "f16" or count == 0
