"""Convolutions in the simulator: integer inputs, whose sums are exact in f32, must give NumPy's bit for bit."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest

import ptxlab as px
from ptxlab.conformance.kernels.tensors import convolved
from ptxlab.cuda import ptxas
from ptxlab.diag import Diagnostic
from ptxlab.kernels import conv
from ptxlab.kernels.conv import conv2d, conv_direct, conv_tma, prepare

BF16 = np.dtype(ml_dtypes.bfloat16)
F32 = np.dtype(np.float32)
Pair = tuple[int, int]


def integers(shape: tuple[int, ...], seed: int) -> np.ndarray:
    out = px.empty(shape, BF16)
    out[...] = np.random.default_rng(seed).integers(-4, 5, shape).astype(BF16)
    return out


def empty(*shape: int, dtype: Any = BF16) -> np.ndarray:
    out = px.empty(shape, dtype)
    out[...] = np.nan
    return out


@pytest.mark.skipif(ptxas.find() is None, reason="there is no ptxas: install the extra `ptxas`")
@pytest.mark.parametrize("out", [px.bf16, px.f32], ids=lambda t: t.__name__)
@pytest.mark.parametrize("kernel", [conv_tma, conv_direct], ids=lambda k: k.name)
def test_ptxas_accepts_it_without_a_warning(kernel: Any, out: type[px.Register]) -> None:
    chosen = kernel.specialize(out=out)
    assert chosen.warnings == ()
    found = chosen.resources
    assert (found.spill_stores, found.spill_loads, found.stack) == (0, 0, 0)
    assert found.registers == 168


def test_the_reference_is_the_definition() -> None:
    x, w = integers((1, 4, 5, 8), 1), integers((2, 3, 2, 8), 2)
    got = convolved(x, w, (2, 1), (1, 2), (1, 2))
    assert got.shape == (1, 2, 7, 2)
    for p, q, f in np.ndindex(*got.shape[1:]):
        total = 0.0
        for r, s in np.ndindex(3, 2):
            row, column = 2 * p + r - 1, q + 2 * s - 2
            if 0 <= row < 4 and 0 <= column < 5:
                total += float(x[0, row, column].astype(F32) @ w[f, r, s].astype(F32))
        assert got[0, p, q, f] == total


SHAPES = {
    "3x3": ((4, 9, 10, 16), 32, (3, 3), (1, 1), (1, 1), (1, 1)),
    "stride 2": ((4, 9, 10, 16), 32, (3, 3), (2, 2), (1, 1), (1, 1)),
    "dilation 2": ((4, 9, 10, 16), 32, (3, 3), (1, 1), (2, 2), (2, 2)),
    "without padding": ((2, 9, 13, 72), 24, (1, 1), (1, 1), (0, 0), (1, 1)),
    "more padding than the filter reaches": ((1, 3, 3, 8), 8, (1, 1), (1, 1), (2, 1), (1, 1)),
    "two columns of tiles": ((1, 20, 17, 8), 264, (5, 3), (2, 3), (1, 2), (1, 2)),
    "odd filters": ((3, 7, 7, 8), 9, (7, 7), (1, 1), (3, 3), (1, 1)),
    "one pixel": ((1, 3, 3, 8), 8, (3, 3), (1, 1), (0, 0), (1, 1)),
}


@pytest.mark.parametrize("dtype", [BF16, F32], ids=str)
@pytest.mark.parametrize(
    ("shape", "filters", "taps", "stride", "padding", "dilation"), SHAPES.values(), ids=list(SHAPES)
)
def test_integers_equal_numpy(
    shape: tuple[int, ...], filters: int, taps: Pair, stride: Pair, padding: Pair, dilation: Pair, dtype: np.dtype[Any]
) -> None:
    x, w = integers(shape, 1), integers((filters, *taps, shape[3]), 2)
    wanted = convolved(x, w, stride, padding, dilation).astype(dtype)
    y = empty(*wanted.shape, dtype=dtype)
    p = prepare(x, w, y, stride=stride, padding=padding, dilation=dilation)
    assert p.record.program.name == ("conv_direct" if filters % 8 else "conv_tma")
    p()
    assert y.tobytes() == wanted.tobytes()


@pytest.mark.parametrize("schedule", ["eager", "late", "random"])
def test_one_cta_takes_all_tiles(monkeypatch: pytest.MonkeyPatch, schedule: str) -> None:
    monkeypatch.setattr(conv, "device_of", lambda array: px.Device("few", 1))
    x, w, y = integers((4, 9, 10, 72), 1), integers((264, 3, 3, 72), 2), empty(4, 9, 10, 264)
    prepare(x, w, y, padding=1)(schedule=schedule, seed=5)  # type: ignore[call-arg]
    assert y.tobytes() == convolved(x, w, (1, 1), (1, 1), (1, 1)).astype(BF16).tobytes()


def test_a_tap_does_not_see_the_next_ones_channels() -> None:
    """72 channels end within a stage; what lies behind them, the next tap's, is infinite."""
    x, w = integers((1, 4, 4, 72), 1), integers((8, 1, 2, 72), 2)
    w[3, 0, 1] = np.inf
    x[...] = np.abs(x.astype(F32)) + 1
    y = empty(1, 4, 3, 8)
    conv2d(x, w, y)
    assert y.tobytes() == convolved(x, w, (1, 1), (0, 0), (1, 1)).astype(BF16).tobytes()
    assert np.isinf(y[..., 3].astype(F32)).all()


def test_padded_pixels_stay_as_they_are() -> None:
    x, w = integers((2, 5, 6, 8), 1), integers((16, 3, 3, 8), 2)
    around = empty(2, 5, 6, 24)
    y = around[..., :16]
    p = prepare(x, w, y, padding=1)
    assert p.record.program.name == "conv_tma"
    p()
    assert np.array_equal(y.astype(F32), convolved(x, w, (1, 1), (1, 1), (1, 1)))
    assert np.isnan(around[..., 16:].astype(F32)).all()


def test_images_and_filters_with_gaps() -> None:
    x, w = integers((2, 6, 7, 24), 1)[:, :5, 1:, :16], integers((16, 4, 3, 24), 2)[:, 1:, :, 8:]
    y = empty(2, 5, 6, 16)
    conv2d(x, w, y, padding=1)
    assert np.array_equal(y.astype(F32), convolved(x, w, (1, 1), (1, 1), (1, 1)))


X, W, Y = (px.empty((1, 4, 4, 8), BF16), px.empty((8, 3, 3, 8), BF16), px.empty((1, 4, 4, 8), BF16))
BAD: dict[str, tuple[str, str, tuple[Any, Any, Any], dict[str, Any]]] = {
    "dimensions": ("PTX2308", "x has 3", (X[0], W, Y), {}),
    "dtype": ("PTX2307", "w is a float32", (X, W.astype(F32), Y), {}),
    "channels last": ("PTX2309", "x has strides", (X.transpose(0, 3, 1, 2), W, Y), {}),
    "channels": ("PTX2308", "x has 8 channels, w has 16", (X, px.empty((8, 3, 3, 16), BF16), Y), {}),
    "output": ("PTX2308", "gives 1×2×2×8", (X, W, Y), {}),
    "filter too large": ("PTX2308", "larger than the padded image", (X, W, Y), {"dilation": 2}),
    "empty": ("PTX2104", "x is empty", (X[:0], W, Y[:0]), {}),
    "stride 0": ("PTX2319", "stride=0", (X, W, Y), {"stride": 0}),
    "three strides": ("PTX2319", "stride=(1, 1, 1)", (X, W, Y), {"stride": (1, 1, 1)}),
    "a word": ("PTX2319", "padding='same'", (X, W, Y), {"padding": "same"}),
    "stride 9": ("PTX2319", "vertical stride is 9", (X, W, Y[:, :1]), {"stride": (9, 1), "padding": 1}),
    "few channels": ("PTX2102", "x: ", (px.empty((1, 4, 4, 4), BF16), px.empty((8, 1, 1, 4), BF16), Y), {}),
    "rows upside down": ("PTX2309", "y has strides", (X, W, Y[:, ::-1]), {"padding": 1}),
}


@pytest.mark.parametrize(("code", "words", "arrays", "options"), BAD.values(), ids=list(BAD))
def test_bad_arguments(code: str, words: str, arrays: Any, options: dict[str, Any]) -> None:
    with pytest.raises(Diagnostic) as caught:
        conv2d(*arrays, **options)
    wrong = caught.value
    assert wrong.code == code
    assert words in wrong.message
    assert wrong.help
    assert wrong.origin is not None
    assert wrong.origin.file == __file__
