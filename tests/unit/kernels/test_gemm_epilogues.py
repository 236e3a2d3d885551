"""Epilogues of the matrix product, held to float64: integers and powers of two, so that all but the approximate ones are exact."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import ptxlab as px
from ptxlab.cuda import ptxas
from ptxlab.diag import Diagnostic
from ptxlab.kernels.blocks import epilogue as e
from ptxlab.kernels.blocks.epilogue import Epilogue
from ptxlab.kernels.gemm import fitting, gemm, specialized
from ptxlab.kernels.gemm_call import problem
from ptxlab.kernels.gemm_inputs import inputs_of

M, K = 40, 136
NAMES = ("128x64-2c", "64x16-1c-swapped-split2", "64x64-1c-split2")
GATED = ("128x64-2c", "128x128-2c-split2", "128x16-1c-swapped-split2", "256x32-2c-swapped")
f64 = np.float64


def integers(shape: tuple[int, ...], dtype: str = "bfloat16", seed: int = 0) -> Any:
    made = px.empty(shape, dtype)
    made[...] = np.random.default_rng([seed, *shape]).integers(-4, 5, shape)
    return made


def product(n: int, layout: str = "nk") -> tuple[Any, Any, Any]:
    a, b = integers((M, K), seed=1), integers((n, K) if layout == "nk" else (K, n), seed=2)
    return a, b, a.astype(f64) @ (b.astype(f64).T if layout == "nk" else b.astype(f64))


def same(c: Any, wanted: Any) -> bool:
    return c.tobytes() == wanted.astype(np.float32).astype(c.dtype).tobytes()


@pytest.mark.parametrize("n", [72, 69])  # by TMA, and by single elements
@pytest.mark.parametrize("name", NAMES)
def test_all_kinds_in_a_row(name: str, n: int) -> None:
    a, b, exact = product(n)
    added, matrix, factors = integers((n,), "float32"), integers((M, n)), integers((M,), "float16")
    factor, largest, c = px.empty((1,), "float32"), px.empty((1,), "float32"), px.empty((M, n), "float32")
    factor[...], largest[...] = 2, 0
    row = e.scaled(0.5) | e.bias(added) | e.relu | e.scaled_by(e.per_row(factors)) | e.residual(matrix)
    gemm(a, b, c, b_layout="nk", config=name, epilogue=row | e.scaled_by(e.per_scalar(factor)) | e.amax(largest))
    wanted = (np.maximum(exact * 0.5 + added, 0) * factors.astype(f64)[:, None] + matrix.astype(f64)) * 2
    assert same(c, wanted)
    assert largest[0] == np.abs(wanted).max()


@pytest.mark.parametrize("dtype", ["float32", "bfloat16", "float8_e4m3fn"])
@pytest.mark.parametrize("name", NAMES)
def test_c_itself_is_read(name: str, dtype: str) -> None:
    for n in (80, 69) if dtype == "bfloat16" else (80,):
        a, b, exact = product(n)
        c = px.empty((M, n), dtype)
        if dtype == "float8_e4m3fn":
            gemm(a, b, c, b_layout="nk", config=name, epilogue=e.scaled(2.0**-6))
            assert same(c, exact * 2.0**-6)
            continue
        c[...] = before = integers((M, n), seed=5)
        gemm(a, b, c, b_layout="nk", config=name, epilogue=e.linear(2, -0.5, c))
        assert same(c, 2 * exact - 0.5 * before.astype(f64))


@pytest.mark.parametrize("name", ["128x128-2c", "256x128-2c", "64x128-1c-split2"])
def test_a_matrix_comes_through_shared_memory(name: str) -> None:
    for n in (136, 132):  # rows of whole 16 bytes, and others, whose matrix is read as it is
        a, b, exact = product(n)
        matrix, added, c = integers((M, n)), integers((n,)), px.empty((M, n), "bfloat16")
        gemm(a, b, c, b_layout="nk", config=name, epilogue=e.bias(added) | e.residual(matrix) | e.scaled(0.5))
        assert same(c, (exact + added.astype(f64) + matrix.astype(f64)) * 0.5)


def difference(k: px.Builder, gate: Any, x: Any) -> Any:
    return k.sub.f32(k.mul.f32(gate, 2.0), x)


@pytest.mark.parametrize("n", [72, 69])
@pytest.mark.parametrize("name", GATED)
def test_a_gate(name: str, n: int) -> None:
    a, b, exact = product(2 * n)
    added, matrix, c = integers((2 * n,), "float32"), integers((M, 2 * n)), px.empty((M, n), "float32")
    row = e.bias(added) | e.residual(matrix) | e.gated(difference) | e.scaled(0.5)
    gemm(a, b, c, b_layout="nk", config=name, epilogue=row)
    sums = exact + added + matrix.astype(f64)
    assert same(c, sums[:, :n] - sums[:, n:] / 2)


@pytest.mark.parametrize("name", ["128x128-2c", "128x16-1c-swapped"])
def test_a_gate_over_rows_of_b(name: str) -> None:
    a, b, exact = product(144, "kn")
    c = px.empty((M, 72), "bfloat16")
    gemm(a, b, c, config=name, epilogue=e.scaled(2.0**-7) | e.swiglu)
    gate, x = exact[:, :72] / 128, exact[:, 72:] / 128
    assert np.abs(c.astype(f64) - gate / (1 + np.exp(-gate)) * x).max() <= 2.0**-6


def test_a_gate_chooses_a_tiling_by_itself() -> None:
    for m in (3, 130):
        a, b, c = integers((m, 64)), integers((64, 64)), px.empty((m, 32), "float32")
        gemm(a, b, c, b_layout="nk", epilogue=e.gated(difference))
        exact = a.astype(f64) @ b.astype(f64).T
        assert same(c, 2 * exact[:, :32] - exact[:, 32:])


def test_amax_of_results_alone() -> None:
    """Beyond C, sums are zeros, of which this epilogue makes the largest number; and a NaN is larger than all others."""

    def flipped(k: px.Builder, x: Any) -> Any:
        return k.sub.f32(1e6, k.abs.f32(x))

    a, b, _ = product(72)
    c, largest = px.empty((M, 72), "float32"), np.zeros(1, np.float32)
    b[...] = np.maximum(b.astype(np.float32), 1)
    a[...] = np.maximum(a.astype(np.float32), 1)
    gemm(a, b, c, b_layout="nk", config="64x32-1c", epilogue=e.epilogue_of(flipped) | e.amax(largest))
    assert largest[0] == np.abs(c).max() < 1e6
    a[3, 4] = np.nan
    gemm(a, b, c, b_layout="nk", config="64x32-1c", epilogue=e.amax(largest))
    assert np.isnan(largest[0])
    assert np.isnan(c[3]).all()


def test_equal_epilogues_share_a_kernel() -> None:
    assert e.scaled(0.5).steps == e.scaled(0.5).steps
    assert (e.relu | e.scaled(2)) == (e.relu | e.scaled(2))
    assert isinstance(e.relu | (lambda k, x: x) | e.gelu, Epilogue)


def test_one_within_a_function_of_your_own() -> None:
    def shifted(k: px.Builder, x: Any) -> Any:
        return e.relu(k, k.sub.f32(x, 3.0))

    a, b, exact = product(72)
    c = px.empty((M, 72), "float32")
    gemm(a, b, c, b_layout="nk", epilogue=shifted)
    assert same(c, np.maximum(exact - 3, 0))


# --- what cannot be ------------------------------------------------------------------------------------------------------
def halved(k: Any, x: Any) -> Any:
    return k.mul.rn.f32(x, 0.5)


def _twice(_: Any) -> Epilogue:
    return e.swiglu | e.swiglu


BAD: dict[str, tuple[Any, str, str]] = {
    "length": (lambda c: e.bias(np.zeros(71, np.float32)), "PTX2308", "per_column of the epilogue"),
    "shape": (lambda c: e.residual(np.zeros((72, M), np.float32)), "PTX2308", "its place is 40×72"),
    "dtype": (lambda c: e.bias(np.zeros(72, np.float64)), "PTX2307", "float64"),
    "gaps": (lambda c: e.bias(np.zeros(144, np.float32)[::2]), "PTX2309", "gaps"),
    "columns": (lambda c: e.residual(np.zeros((72, M), np.float32).T), "PTX2309", "strides"),
    "amax in bf16": (lambda c: e.amax(integers((1,))), "PTX2307", "bfloat16"),
    "two gates": (_twice, "PTX2308", "C 40×72"),
    "no array": (lambda c: e.bias(3.0), "PTX2306", "per_column is given 3.0"),
    "a number": (lambda c: e.apply(difference, e.per_scalar(0.5)), "PTX2306", "per_scalar is given 0.5"),
    "no matrix": (lambda c: e.amax([0.5]), "PTX2306", ""),
    "not wrapped": (lambda c: e.apply(difference, np.zeros(72)), "PTX2112", "does not say how it lies"),  # type: ignore[arg-type]
    "no function": (lambda c: e.apply(3), "PTX2112", "is no function"),  # type: ignore[arg-type]
    "a word": (lambda c: e.relu | "gelu", "PTX2112", "'gelu' is no epilogue"),
    "returns nothing": (lambda c: lambda k, x: None, "PTX2112", "returns nothing and not a register of .f32"),
    "returns a predicate": (lambda c: lambda k, x: x > 0.0, "PTX2112", "returns a register of .pred"),
    "an array is lacking": (lambda c: difference, "PTX2112", "cannot be called as difference(k, x)"),
    "an array too many": (
        lambda c: e.apply(halved, e.per_column(np.zeros(72, np.float32))),
        "PTX2112",
        "cannot be called as halved(k, x, …) with 1 number of arrays",
    ),
    "no gate": (lambda c: e.gated(halved), "PTX2112", "cannot be called as halved(k, gate, x)"),
    "reads": (lambda c: lambda k, x: e.bias(np.zeros(72, np.float32))(k, x), "PTX2112", "reads arrays"),
}


@pytest.mark.parametrize(("made", "code", "words"), BAD.values(), ids=list(BAD))
def test_what_cannot_be(made: Any, code: str, words: str) -> None:
    a, b, _ = product(72)
    c = px.empty((M, 72), "float32")
    with pytest.raises(Diagnostic) as caught:
        gemm(a, b, c, b_layout="nk", epilogue=made(c))
    assert caught.value.code == code
    assert words in caught.value.message
    assert caught.value.help
    assert caught.value.origin is not None
    assert caught.value.origin.file == __file__


def test_a_number_that_stays_the_same_stands_in_the_function() -> None:
    with pytest.raises(Diagnostic) as caught:
        e.per_scalar(0.5)
    assert "per_scalar(np.array([0.5], np.float32))" in str(caught.value.help)
    assert "scaled(0.5)" in str(caught.value.help)


def test_gates_that_cannot_be() -> None:
    a, b, _ = product(144)
    c = px.empty((M, 72), "float32")
    for given, words in (
        (e.swiglu | e.swiglu, "several gates"),
        (e.amax(np.zeros(1, np.float32)) | e.swiglu, "before a gate"),
    ):
        with pytest.raises(Diagnostic, match=words):
            gemm(a, b, c, b_layout="nk", epilogue=given)
    for name, words in (("64x16-1c-swapped", "has no gate"), ("128x48-2c", "for a gate and its values")):
        with pytest.raises(Diagnostic, match=words) as caught:
            gemm(a, b, c, b_layout="nk", config=name, epilogue=e.swiglu)
        assert caught.value.code == "PTX2112"


# --- ptxas ---------------------------------------------------------------------------------------------------------------
def test_very_wide_tiles_are_not_for_epilogues_that_read_a_matrix() -> None:
    a, b, _ = product(80)
    c = px.empty((M, 80), "bfloat16")
    with pytest.raises(Diagnostic, match="too many results for the registers"):
        gemm(a, b, c, b_layout="nk", config="256x192-2c", epilogue=e.residual(integers((M, 80))))


@pytest.mark.skipif(ptxas.find() is None, reason="there is no ptxas: install the extra `ptxas`")
@pytest.mark.parametrize("name", ["128x256-2c", "256x64-2c-swapped"])
@pytest.mark.parametrize("n", [256, 253])
def test_ptxas_finds_registers_enough(name: str, n: int) -> None:
    a, v = px.empty((64, 64), "bfloat16"), px.empty((n,), "float32")
    for row, sums in (
        (e.bias(v) | e.gelu, 1),
        (e.residual(px.empty((64, n), "bfloat16")), 1),
        (e.swiglu | e.amax(v[:1]), 2),
    ):
        b, c = px.empty((n * sums, 64), "bfloat16"), px.empty((64, n), "bfloat16")
        p = problem(a, b, c, "nk", gated=sums == 2)
        beside = inputs_of(p, row, (None, None), "nk")
        found, _ = specialized(p, fitting(p, name, promoted=False), beside)
        assert found.warnings == ()
        assert (found.resources.spill_stores, found.resources.spill_loads, found.resources.stack) == (0, 0, 0)
