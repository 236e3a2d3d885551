"""The gemm in the simulator: integer inputs, whose sums are exact in f32, must give NumPy's product bit for bit."""

from __future__ import annotations

import inspect
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import ptxlab as px
from ptxlab.cuda import ptxas
from ptxlab.diag import Diagnostic
from ptxlab.kernels import gemm_call
from ptxlab.kernels.blocks.tiling import Tiling
from ptxlab.kernels.gemm import gemm, kernels, prepare

BF16 = np.dtype(ml_dtypes.bfloat16)
F32 = np.dtype(np.float32)
LARGE = Tiling(128, 256)
VARIANTS = [
    pytest.param(
        kernel.specialize(tiling=LARGE.fitted(2), majors=("K", b_major), out=out),
        id=f"{kernel.name}-{b_major}-{out.__name__}",
    )
    for kernel in kernels(2, 1)
    for b_major in ("K", "MN")
    for out in (px.bf16, px.f32)
]


def integers(shape: tuple[int, int], seed: int, *, pad: int = 0) -> np.ndarray:
    """bf16 integers from -8 to 8 in rows that are `pad` elements longer in memory."""
    whole = px.empty((shape[0], shape[1] + pad), BF16)
    whole[...] = np.random.default_rng(seed).integers(-8, 9, whole.shape).astype(BF16)
    return whole[:, : shape[1]]


def product(a: np.ndarray, b: np.ndarray, dtype: np.dtype[Any]) -> np.ndarray:
    return (a.astype(F32) @ b.astype(F32)).astype(dtype)


def same(left: np.ndarray, right: np.ndarray) -> bool:
    return left.tobytes() == right.tobytes()


def poisoned(shape: tuple[int, int], dtype: np.dtype[Any]) -> np.ndarray:
    c = px.empty(shape, dtype)
    c[...] = np.nan
    return c


# --- what is emitted -----------------------------------------------------------------------------------------------------
@pytest.mark.skipif(ptxas.find() is None, reason="there is no ptxas: install the extra `ptxas`")
@pytest.mark.parametrize("kernel", VARIANTS)
def test_ptxas_accepts_it_without_a_warning(kernel: Any) -> None:
    assert kernel.warnings == ()
    found = kernel.resources
    assert (found.spill_stores, found.spill_loads, found.stack) == (0, 0, 0)
    assert found.registers == 168  # all that 384 threads can start with: none is lost before setmaxnreg moves them


@pytest.mark.parametrize("kernel", VARIANTS)
def test_the_shape_of_the_kernel(kernel: Any) -> None:
    entry = kernel.entry()
    text = str(entry.module)
    assert text.count("wgmma.mma_async") == 8  # the first stage of a tile, and the loop
    assert text.count(", 49152;") == 1  # bytes of a stage
    assert "setmaxnreg.dec.sync.aligned.u32 40;" in text
    assert "setmaxnreg.inc.sync.aligned.u32 232;" in text
    assert entry.shared == 229440
    assert entry.cluster is None  # see the module for what sharing B in a cluster would cost


# --- results -------------------------------------------------------------------------------------------------------------
SIZES = [(128, 256, 64), (256, 512, 128), (130, 264, 72), (200, 520, 136), (1, 8, 8)]


@pytest.mark.parametrize("dtype", [BF16, F32], ids=str)
@pytest.mark.parametrize("b_layout", ["kn", "nk"])
@pytest.mark.parametrize("size", SIZES, ids=lambda s: "x".join(map(str, s)))
def test_integers_equal_numpy(size: tuple[int, int, int], b_layout: Any, dtype: np.dtype[Any]) -> None:
    m, n, depth = size
    a, b, c = integers((m, depth), 1), integers((depth, n), 2), poisoned((m, n), dtype)
    given = b if b_layout == "kn" else np.ascontiguousarray(b.T)
    gemm(a, aligned(given), c, b_layout=b_layout)
    assert same(c, product(a, b, dtype))


def aligned(array: np.ndarray) -> np.ndarray:
    out = px.empty(array.shape, array.dtype)
    out[...] = array
    return out


@pytest.mark.parametrize("dtype", [BF16, F32], ids=str)
def test_rows_that_tma_cannot_write(dtype: np.dtype[Any]) -> None:
    """N is odd, rows are padded: elements behind each row and around C stay as they are."""
    m, n, depth = 131, 261, 72
    a, b = integers((m, depth), 1), integers((n, depth), 2)
    around = poisoned((m + 2, n + 3), dtype)
    c = around[1:-1, 1 : n + 1]
    p = prepare(a, b, c, b_layout="nk")
    assert p.record.program.name == "gemm_direct"
    p()
    assert same(np.ascontiguousarray(c), product(a, b.T, dtype))
    c[...] = np.nan
    assert np.isnan(around.astype(F32)).all()


def test_padded_rows_by_tma() -> None:
    m, n, depth = 140, 264, 72
    a, b = integers((m, depth), 1, pad=24), integers((depth, n), 2, pad=8)
    around = poisoned((m, n + 16), BF16)
    c = around[:, :n]
    p = prepare(a, b, c)
    assert p.record.program.name == "gemm_tma"
    p()
    assert same(np.ascontiguousarray(c), product(a, b, BF16))
    assert np.isnan(around[:, n:].astype(F32)).all()


def test_a_transposed_view_is_read_as_it_lies() -> None:
    a, w, c = integers((128, 64), 1), integers((256, 64), 2), poisoned((128, 256), F32)
    gemm(a, w.T, c)
    assert same(c, product(a, w.T, F32))
    v = integers((64, 256), 3)
    gemm(a, v.T, c, b_layout="nk")
    assert same(c, product(a, v, F32))


def test_one_column_is_read_along_k() -> None:
    a, b, c = integers((128, 64), 1), px.empty((64, 1), BF16), poisoned((128, 1), F32)
    b[...] = integers((64, 1), 2)
    gemm(a, b, c)
    assert same(c, product(a, b, F32))


@pytest.mark.parametrize("schedule", ["eager", "late", "random"])
def test_one_cta_takes_all_tiles(monkeypatch: pytest.MonkeyPatch, schedule: str) -> None:
    """Nine tiles of three stages each: rings and staging buffers go round, whenever copies happen to finish."""
    monkeypatch.setattr(gemm_call, "device_of", lambda array: px.Device("few", 1))
    m, n, depth = 300, 576, 192
    a, b, c = integers((m, depth), 1), integers((depth, n), 2), poisoned((m, n), BF16)
    p = prepare(a, b, c)
    assert p.record.grid == (1, 1, 1)
    p(schedule=schedule, seed=5)  # type: ignore[call-arg]
    assert same(c, product(a, b, BF16))


def test_groups_of_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    """Seventeen rows of tiles are a group of sixteen and one of a single row."""
    monkeypatch.setattr(gemm_call, "device_of", lambda array: px.Device("few", 8))
    m, n, depth = 16 * 128 + 8, 264, 8
    a, b, c = integers((m, depth), 1), integers((n, depth), 2), poisoned((m, n), BF16)
    p = prepare(a, b, c, b_layout="nk")
    assert p.record.grid == (8, 1, 1)
    p()
    assert same(c, product(a, b.T, BF16))


def test_a_prepared_launch_reads_the_arrays_anew() -> None:
    a, b, c = integers((64, 64), 1), integers((64, 64), 2), poisoned((64, 64), F32)
    p = prepare(a, b, c)
    p()
    a[...] = integers((64, 64), 3)
    p()
    assert same(c, product(a, b, F32))


# --- bad input -----------------------------------------------------------------------------------------------------------
def bf(*shape: int) -> np.ndarray:
    return px.empty(shape, BF16)


def read_only(array: np.ndarray) -> np.ndarray:
    array.flags.writeable = False
    return array


BAD = {
    "dimensions": ("PTX2308", "A has 1", lambda: (bf(64), bf(64, 64), bf(64, 64))),
    "inner sizes": ("PTX2308", "A is 64×32, B 64×64", lambda: (bf(64, 32), bf(64, 64), bf(64, 64))),
    "size of C": ("PTX2308", "C 64×72", lambda: (bf(64, 64), bf(64, 64), bf(64, 72))),
    "dtype of A": ("PTX2307", "A is an int32", lambda: (px.empty((64, 64), "int32"), bf(64, 64), bf(64, 64))),
    "dtype of B": ("PTX2307", "B is a bfloat16", lambda: (px.empty((64, 64), F32), bf(64, 64), bf(64, 64))),
    "dtype of C": ("PTX2307", "C is a float64", lambda: (bf(64, 64), bf(64, 64), px.empty((64, 64), "float64"))),
    "columns of A": ("PTX2309", "A has strides", lambda: (bf(64, 128)[:, ::2], bf(64, 64), bf(64, 64))),
    "every other column": ("PTX2309", "B has strides", lambda: (bf(64, 64), bf(64, 128)[:, ::2], bf(64, 64))),
    "C upside down": ("PTX2309", "C has strides of -128", lambda: (bf(64, 64), bf(64, 64), bf(64, 64)[::-1])),
}


@pytest.mark.parametrize(("code", "words", "arrays"), BAD.values(), ids=list(BAD))
def test_bad_arrays(code: str, words: str, arrays: Any) -> None:
    a, b, c = arrays()
    before = c.tobytes()
    with pytest.raises(Diagnostic) as caught:
        gemm(a, b, c)
    wrong = caught.value
    assert wrong.code == code
    assert wrong.message.startswith(words) or words in wrong.message
    assert wrong.help
    assert wrong.origin is not None
    assert wrong.origin.file == __file__
    assert c.tobytes() == before


def test_a_read_only_result() -> None:
    c = read_only(bf(64, 64))
    with pytest.raises(Diagnostic):
        gemm(bf(64, 64), bf(64, 64), c)


def test_another_word_for_the_layout() -> None:
    with pytest.raises(Diagnostic) as caught:
        prepare(bf(64, 64), bf(64, 64), bf(64, 64), b_layout="tn")  # type: ignore[arg-type]
    assert caught.value.code == "PTX2112"


def test_numpy_arrays_do_not_go_to_the_gpu() -> None:
    with pytest.raises(Diagnostic) as caught:
        gemm(bf(64, 64), bf(64, 64), bf(64, 64), device="gpu")
    assert caught.value.code == "PTX2303"


def test_errors_name_lines_of_the_caller() -> None:
    line = inspect.currentframe().f_lineno + 2  # type: ignore[union-attr]
    with pytest.raises(Diagnostic) as caught:
        gemm(bf(64, 64), bf(64, 64), bf(64, 65))
    assert caught.value.origin is not None
    assert caught.value.origin.line == line
