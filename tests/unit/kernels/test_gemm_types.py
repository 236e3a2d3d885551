"""Types, layouts, scales and empty extents of the matrix product, held to float64."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import ptxlab as px
from ptxlab.cuda import ptxas
from ptxlab.diag import Diagnostic
from ptxlab.kernels.blocks import epilogue as e
from ptxlab.kernels.gemm import fitting, gemm, prepare, specialized
from ptxlab.kernels.gemm_call import problem
from ptxlab.kernels.gemm_inputs import inputs_of

NAMES = ("128x64-2c", "64x16-1c-swapped-split2", "64x64-1c-split2")
E4M3, E5M2 = "float8_e4m3fn", "float8_e5m2"
LARGEST = {E4M3: 448.0, E5M2: 57344.0}
f64 = np.float64


def integers(shape: tuple[int, ...], dtype: str, seed: int = 0) -> Any:
    made = px.empty(shape, dtype)
    made[...] = np.random.default_rng([seed, *shape]).integers(0 if dtype.startswith("u") else -4, 5, shape)
    return made


def stored(exact: Any, dtype: str) -> bytes:
    if dtype in LARGEST:
        exact = np.clip(exact, -LARGEST[dtype], LARGEST[dtype])
    return exact.astype(np.float32).astype(px.empty((1,), dtype).dtype).tobytes()


def check(name: str | None, types: tuple[str, str, str], size: tuple[int, int, int] = (40, 72, 272)) -> None:
    m, n, k = size
    a, b, c = integers((m, k), types[0], 1), integers((n, k), types[1], 2), px.empty((m, n), types[2])
    gemm(a, b, c, b_layout="nk", config=name)
    assert c.tobytes() == stored(a.astype(f64) @ b.astype(f64).T, types[2])


PAIRS = (
    (E4M3, E4M3, "bfloat16"),
    (E4M3, E5M2, "float16"),
    (E5M2, E4M3, E5M2),
    (E5M2, E5M2, "float32"),
    ("int8", "int8", "int32"),
    ("int8", "uint8", "float32"),
    ("uint8", "int8", "int32"),
    ("float32", "float32", "bfloat16"),
    ("float16", "float16", E4M3),
    ("bfloat16", "bfloat16", "float16"),
)


@pytest.mark.parametrize(
    ("number", "types"), list(enumerate(PAIRS)), ids=lambda t: "-".join(t) if isinstance(t, tuple) else ""
)
def test_types(number: int, types: tuple[str, str, str]) -> None:
    check(NAMES[number % len(NAMES)], types)


def test_types_choose_a_tiling_by_themselves() -> None:
    check(None, (E4M3, E5M2, "bfloat16"))
    check(None, ("int8", "int8", "int32"), (3, 72, 144))


@pytest.mark.parametrize("out", [E4M3, "int32", "bfloat16", "float32"])
def test_rows_of_c_that_tma_cannot_write(out: str) -> None:
    given = "int8" if out == "int32" else E4M3
    for name in ("64x64-1c", "64x16-1c-swapped"):
        check(name, (given, given, out), (40, 69, 144))


def test_all_widths_of_fp8_boxes() -> None:
    for name in ("64x16-1c", "64x48-1c", "128x176-2c", "64x8-1c-swapped", "256x24-2c-swapped"):
        check(name, ("bfloat16", "bfloat16", E4M3), (72, 272, 64))


@pytest.mark.parametrize("name", ["128x64-2c", "128x64-2c-swapped", "64x64-1c-split2", "256x64-2c"])
def test_a_along_m(name: str) -> None:
    for layout in ("kn", "nk"):
        at, b, c = integers((136, 72), "bfloat16", 1), integers((136, 80), "bfloat16", 2), px.empty((72, 80), "float32")
        right = np.ascontiguousarray(b.T) if layout == "nk" else b
        if layout == "nk":
            right, copied = px.empty((80, 136), "bfloat16"), right
            right[...] = copied
        gemm(at.T, right, c, b_layout=layout, config=name)  # type: ignore[arg-type]
        assert c.tobytes() == stored(at.astype(f64).T @ b.astype(f64), "float32")


def test_integers_do_not_overflow_early() -> None:
    a, b, c = px.empty((8, 4096), "int8"), px.empty((16, 4096), "int8"), px.empty((8, 16), "int32")
    a[...], b[...] = -128, -128
    gemm(a, b, c, b_layout="nk", config="64x8-1c-swapped-split4")
    assert (c == 4096 * 128 * 128).all()


def test_adversarial_bf16() -> None:
    """Large magnitudes, denormals, −0, infinities and NaN, beside float64: errors within what f32 sums of 256 products have."""
    rng = np.random.default_rng(7)
    a, b, c = px.empty((24, 256), "bfloat16"), px.empty((40, 256), "bfloat16"), px.empty((24, 40), "float32")
    a[...] = rng.standard_normal(a.shape) * 2.0 ** rng.integers(-60, 50, a.shape)
    b[...] = rng.standard_normal(b.shape) * 2.0 ** rng.integers(-60, 50, b.shape)
    a[0], a[1, 0], a[2, 5], a[3] = -0.0, np.nan, np.inf, 2.0**-130
    gemm(a, b, c, b_layout="nk", config="64x64-1c-split2")
    exact = a.astype(f64) @ b.astype(f64).T
    bound = np.abs(a.astype(f64)) @ np.abs(b.astype(f64)).T
    assert (c[0] == 0).all()
    assert np.isnan(c[1]).all()
    assert not np.isfinite(c[2]).any()
    assert (np.abs(c[3:] - exact[3:]) <= 256 * 2.0**-22 * bound[3:] + 2.0**-126).all()


@pytest.mark.parametrize("dtype", [E4M3, "int8", "float32"])
def test_operands_across_k_are_copied(dtype: str, capsys: pytest.CaptureFixture[str]) -> None:
    at, b, c = integers((48, 40), dtype, 1), integers((48, 72), dtype, 2), px.empty((40, 72), "float32")
    gemm(at.T, b, c, config="64x64-1c", explain=True)
    assert c.tobytes() == stored(at.astype(f64).T @ b.astype(f64), "float32")
    assert "A is copied first" in capsys.readouterr().err


@pytest.mark.parametrize("dtype", [E4M3, "bfloat16", "float32"])
def test_rows_that_tma_cannot_read(dtype: str) -> None:
    """Odd extents in all layouts, and what starts between multiples of 16 bytes."""
    for layout, turned in (("kn", False), ("nk", False), ("nk", True)):
        whole_a, whole_b = integers((39, 45), dtype, 1), integers((45, 71) if layout == "kn" else (71, 45), dtype, 2)
        a, b = whole_a[1:, 1:], whole_b[1:, 1:] if layout == "nk" else whole_b[1:, :]
        if turned:
            held = px.empty(a.T.shape, dtype)
            held[...] = a.T
            a = held.T
        c = px.empty((38, 71 if layout == "kn" else 70), "float32")
        launch = prepare(a, b, c, b_layout=layout, config="64x64-1c")  # type: ignore[arg-type]
        for factor in (1, 2):  # a prepared launch sees what the arrays hold when it is called
            c[...] = np.nan
            whole_b[...] = (whole_b.astype(np.float32) * factor).astype(whole_b.dtype)
            launch()
            right = b.astype(f64) if layout == "kn" else b.astype(f64).T
            assert c.tobytes() == stored(a.astype(f64) @ right, "float32")


# --- scales --------------------------------------------------------------------------------------------------------------
M, N, K = 72, 136, 272


def powers(shape: tuple[int, ...], seed: int) -> Any:
    made = px.empty(shape, "float32")
    made[...] = 2.0 ** np.random.default_rng(seed).integers(-2, 3, shape)
    return made


def spread(scales: Any, lines: int) -> Any:
    """A scale for each element, K last."""
    each = -(-lines // scales.shape[0])
    return np.repeat(np.repeat(scales.astype(f64), 128 if each > 1 else 1, 0)[:lines], 128, 1)[:, :K]


@pytest.mark.parametrize(
    ("name", "lines"),
    [
        ("128x64-2c", (1, 128)),
        ("64x128-1c-split2", (1, 128)),
        ("64x16-1c-swapped", (1, 128)),
        ("128x128-2c", (128, 1)),
        ("128x32-2c-swapped", (128, 1)),
        ("64x64-1c", (1, 1)),
        ("256x128-2c", (1, 128)),  # whose blocks of rows take turns
        ("192x128-3c", (1, 128)),
        (None, (128, 128)),
    ],
)
def test_blocks(name: str | None, lines: tuple[int, int]) -> None:
    a, b, c = integers((M, K), E4M3, 1), integers((N, K), E5M2, 2), px.empty((M, N), "float32")
    of_a, of_b = (powers((-(-x // g), 3), x) for x, g in zip((M, N), lines, strict=True))
    wanted = stored((a.astype(f64) * spread(of_a, M)) @ (b.astype(f64) * spread(of_b, N)).T, "float32")
    gemm(a, b, c, b_layout="nk", config=name, scale_a=of_a, scale_b=of_b)
    assert c.tobytes() == wanted
    if name != "64x64-1c":
        return
    c[...] = np.nan
    gemm(a, b.T, c, config=name, scale_a=np.asfortranarray(of_a), scale_b=of_b.T)
    assert c.tobytes() == wanted


@pytest.mark.parametrize("name", ["128x64-2c", "128x16-1c-swapped"])
def test_blocks_behind_a_gate(name: str) -> None:
    a, b, c = integers((40, K), E4M3, 1), integers((N, K), E4M3, 2), px.empty((40, N // 2), "float32")
    of_a, of_b = powers((40, 3), 3), powers((2, 3), 4)
    gemm(
        a, b, c, b_layout="nk", config=name, scale_a=of_a, scale_b=of_b,
        epilogue=e.gated(lambda k, gate, x: k.add.f32(gate, x)),
    )  # fmt: skip
    sums = (a.astype(f64) * spread(of_a, 40)) @ (b.astype(f64) * spread(of_b, N)).T
    assert c.tobytes() == stored(sums[:, : N // 2] + sums[:, N // 2 :], "float32")


def test_a_block_is_scaled_by_itself() -> None:
    """Blocks of opposite sign cancel: what the third one takes away is what the first one gave, and the others are left."""
    a, b, c = px.empty((8, 512), E4M3), px.empty((16, 512), E4M3), px.empty((8, 16), "float32")
    a[...], b[...] = 256, 256
    of_a, of_b = np.float32(2.0) ** np.array([[20, 0, 20, -20]] * 8, np.float32), np.ones((1, 4), np.float32)
    of_a[:, 2] *= -1
    gemm(a, b, c, b_layout="nk", scale_a=np.float32(of_a), scale_b=of_b)
    block = 128 * 256.0 * 256.0
    assert (c == np.float32(block + block * 2.0**-20)).all()


def test_scales_of_lines_and_of_all() -> None:
    a, b, c = integers((40, 144), E4M3, 1), integers((72, 144), E4M3, 2), px.empty((40, 72), "float32")
    exact = a.astype(f64) @ b.astype(f64).T
    one, rows, columns = powers((1,), 1), powers((40,), 2), powers((72,), 3)
    for of_a, of_b, wanted in (
        (0.5, one, exact * 0.5 * one),
        (rows, columns, exact * rows[:, None] * columns),
        (rows[:, None], columns[:, None], exact * rows[:, None] * columns),
        (None, columns, exact * columns),
    ):
        gemm(a, b, c, b_layout="nk", scale_a=of_a, scale_b=of_b, epilogue=e.relu)
        assert c.tobytes() == stored(np.maximum(wanted, 0), "float32")


# --- nothing to add, nothing to write ------------------------------------------------------------------------------------
@pytest.mark.parametrize("dtype", ["bfloat16", E4M3, "int8", "float32"])
def test_no_steps(dtype: str) -> None:
    out = "int32" if dtype == "int8" else "float32"
    a, b, c = px.empty((40, 0), dtype), px.empty((72, 0), dtype), px.empty((40, 72), out)
    c[...] = 7
    gemm(a, b, c, b_layout="nk")
    assert c.tobytes() == np.zeros_like(c).tobytes()
    if out == "float32":
        added = integers((72,), "float32")
        gemm(a, b.T, c, epilogue=e.bias(added), scale_a=2.0)
        assert (c == added).all()


def test_no_rows_and_no_columns() -> None:
    for m, n in ((0, 8), (8, 0), (0, 0)):
        a, b, c = integers((m, 16), "bfloat16"), integers((n, 16), "bfloat16"), px.empty((m, n), "float32")
        gemm(a, b, c, b_layout="nk", epilogue=e.relu)
        assert prepare(a, b, c, b_layout="nk")() is None
    with pytest.raises(Diagnostic, match="no streams"):
        prepare(a, b, c, b_layout="nk")(stream=3)


# --- what cannot be ------------------------------------------------------------------------------------------------------
def test_types_that_no_product_has() -> None:
    for types, words in (
        (("float64", "float64", "float64"), "A is a float64"),
        (("bfloat16", E4M3, "float32"), "B is a float8"),
        (("int8", "int8", E4M3), "C is a float8"),
        (("bfloat16", "bfloat16", "int32"), "C is an int32"),
    ):
        a, b, c = (px.empty((16, 16), t) for t in types)
        with pytest.raises(Diagnostic, match=words) as caught:
            gemm(a, b, c)
        assert caught.value.code == "PTX2307"
        assert caught.value.help


SCALES: dict[str, tuple[Any, Any, str, str]] = {
    "shape": (E4M3, np.ones((3, 3), np.float32), "PTX2308", "scale_a is a float32 array of 3×3"),
    "dtype": (E4M3, np.ones((40, 2), np.float16), "PTX2307", "float16"),
    "bf16": ("bfloat16", np.ones((40, 2), np.float32), "PTX2307", "blocks along K, but A is bfloat16"),
    "gaps": (E4M3, np.ones((80, 4), np.float32)[::2, ::2], "PTX2309", "gaps"),
    "word": (E4M3, "two", "PTX2112", "is no scale"),
}


@pytest.mark.parametrize(("dtype", "given", "code", "words"), SCALES.values(), ids=list(SCALES))
def test_scales_that_cannot_be(dtype: str, given: Any, code: str, words: str) -> None:
    a, b, c = px.empty((40, 144), dtype), px.empty((72, 144), dtype), px.empty((40, 72), "float32")
    with pytest.raises(Diagnostic) as caught:
        gemm(a, b, c, b_layout="nk", scale_a=given)
    assert caught.value.code == code
    assert words in caught.value.message
    assert caught.value.help


def test_what_integers_and_blocks_do_not_go_with() -> None:
    a, b, c = px.empty((40, 144), "int8"), px.empty((72, 144), "int8"), px.empty((40, 72), "int32")
    with pytest.raises(Diagnostic, match="an epilogue computes in f32") as caught:
        gemm(a, b, c, b_layout="nk", scale_a=2.0)
    assert caught.value.code == "PTX2307"
    a, b, of_a = px.empty((40, 144), E4M3), px.empty((72, 144), E4M3), np.ones((40, 2), np.float32)
    of_b = np.ones((72, 2), np.float32)
    for config in ("256x128-2c", "192x128-3c"):
        with pytest.raises(Diagnostic, match="with a scale for each column"):
            gemm(a, b, px.empty((40, 72), "float32"), b_layout="nk", config=config, scale_a=of_a, scale_b=of_b)
    with pytest.raises(Diagnostic, match="cannot be scaled in blocks") as caught:
        gemm(a, b, px.empty((40, 72), "float32"), b_layout="nk", config="128x256-2c", scale_a=of_a)
    assert caught.value.code == "PTX2112"


# --- ptxas ---------------------------------------------------------------------------------------------------------------
@pytest.mark.skipif(ptxas.find() is None, reason="there is no ptxas: install the extra `ptxas`")
@pytest.mark.parametrize(
    ("types", "name", "blocks"),
    [
        ((E4M3, E5M2, "bfloat16"), "128x256-2c", 0),
        ((E4M3, E4M3, E4M3), "256x128-2c", 0),
        (("int8", "int8", "int32"), "128x256-2c", 0),
        (("float32", "float32", "float32"), "256x64-2c-swapped", 0),
        ((E4M3, E4M3, "bfloat16"), "128x128-2c", 128),
        ((E4M3, E4M3, "bfloat16"), "64x128-1c", 1),
        ((E4M3, E4M3, "bfloat16"), "256x128-2c", 128),
        ((E4M3, E4M3, "bfloat16"), "192x128-3c", 128),
        ((E4M3, E4M3, "bfloat16"), "256x32-2c-swapped", 128),
    ],
)
def test_ptxas_accepts_without_a_warning(types: tuple[str, str, str], name: str, blocks: int) -> None:
    for n in (256, 253):
        a, b, c = px.empty((64, 256), types[0]), px.empty((n, 256), types[1]), px.empty((64, n), types[2])
        scales = (np.ones((64, 2), np.float32), np.ones((-(-n // blocks), 2), np.float32)) if blocks else (None, None)
        p = problem(a, b, c, "nk")
        beside = inputs_of(p, e.Epilogue(), scales, "nk")
        found, _ = specialized(p, fitting(p, name, promoted=beside.promoted), beside)
        assert found.warnings == ()
        assert (found.resources.spill_stores, found.resources.spill_loads, found.resources.stack) == (0, 0, 0)
