"""Products whose rows begin anywhere, and sums that many CTAs share through memory."""

from __future__ import annotations

import random
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import ptxlab as px
from ptxlab.cuda import ptxas
from ptxlab.diag import Diagnostic
from ptxlab.kernels import gemm as module
from ptxlab.kernels.blocks import epilogue
from ptxlab.kernels.blocks.choice import Shape, choose
from ptxlab.kernels.blocks.tiling import Tiling
from ptxlab.kernels.gemm import gemm, kernels, prepare

BF16, F16, F32 = np.dtype(ml_dtypes.bfloat16), np.dtype(np.float16), np.dtype(np.float32)
TILES = ("64x64-1c", "128x64-2c", "64x64-1c-swapped", "128x64-2c-swapped-split2", "64x64-1c-split2-shares3")
DEEP = (
    *("64x64-1c-shares4", "64x64-1c-split2-shares3", "128x64-2c-shares2", "128x128-2c-split2-shares2"),
    *("64x8-1c-swapped-split4-shares5", "128x64-2c-swapped-split2-shares3"),
)


def within(shape: tuple[int, int], dtype: np.dtype[Any], offset: int, pad: int) -> tuple[np.ndarray, np.ndarray]:
    """A matrix whose first element is element `offset` of what lies around it, in rows that are `pad` elements longer."""
    rows, pitch = shape[0], shape[1] + pad
    around = px.empty((offset + rows * pitch,), dtype)
    around[...] = 7
    return around, around[offset:].reshape(rows, pitch)[:, : shape[1]]


def drawn(shape: tuple[int, int], dtype: np.dtype[Any], offset: int, pad: int, seed: int) -> np.ndarray:
    found = within(shape, dtype, offset, pad)[1]
    found[...] = np.random.default_rng(seed).integers(-8, 9, shape).astype(dtype)
    return found


DRAWN = (0, 1, 3, 4, 5, 6, 9, 10, 11, 13, 14, 20, 22, 23)
"""Of 24 seeds: each size, offset and padding is there, and all pairs of a tile, a layout or a type with a way that they have."""


@pytest.mark.parametrize("seed", DRAWN)
def test_rows_that_begin_anywhere(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every way to read A and B that is known, the sanitizer silent, and nothing written but C."""
    dice = random.Random(seed)
    m, n, k = (dice.choice((1, 2, 7, 64, 65, 100, 133)) for _ in range(3))
    dtype, out, layout = dice.choice((BF16, F16)), dice.choice((BF16, F32)), dice.choice(("kn", "nk"))
    name = dice.choice(TILES)
    k += 400 * ("split" in name)
    offsets, pads = [[dice.choice((0, 1, 2, 4, 8)) for _ in range(3)] for _ in range(2)]
    a = drawn((m, k), dtype, offsets[0], pads[0], seed)
    b = drawn((k, n) if layout == "kn" else (n, k), dtype, offsets[1], pads[1], seed + 1)
    around, c = within((m, n), out, offsets[2], pads[2])
    wanted = a.astype(F32) @ (b if layout == "kn" else b.T).astype(F32)
    product = module.problem(a, b, c, layout)
    for kept in module.kept_in_place(product, promoted=False):
        monkeypatch.setattr(module, "kept_in_place", lambda p, promoted, kept=kept: [kept])
        c[...] = np.nan
        prepare(a, b, c, b_layout=layout, config=name)(sanitize=True)  # type: ignore[call-arg, arg-type]
        assert np.ascontiguousarray(c).tobytes() == wanted.astype(out).tobytes(), kept
    c[...] = 7
    assert (around == 7).all()


@pytest.mark.parametrize("itemsize", [1, 4])
def test_rows_of_other_types(itemsize: int) -> None:
    """fp8 at odd addresses is copied first, tf32 is loaded by threads."""
    dtype = np.dtype(ml_dtypes.float8_e4m3fn) if itemsize == 1 else F32
    a, b = drawn((70, 133), dtype, 1, 0, 1), drawn((67, 133), dtype, 0, 0, 2)
    c = px.empty((70, 67), F32)
    gemm(a, b, c, b_layout="nk")
    assert c.tobytes() == (a.astype(F32) @ b.astype(F32).T).tobytes()


def test_what_is_copied_and_what_is_loaded_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    a, b = drawn((3, 67), BF16, 0, 0, 1), drawn((5, 67), BF16, 0, 0, 2)
    prepare(a, b, px.empty((3, 5), F32), b_layout="nk", explain=True)
    shown = capsys.readouterr().err
    assert "A is loaded by threads" in shown
    a, b = (drawn((64, 67), np.dtype(ml_dtypes.float8_e4m3fn), 0, 0, seed) for seed in (1, 2))
    prepare(a, b, px.empty((64, 64), F32), b_layout="nk", explain=True)
    assert "B is copied first" in capsys.readouterr().err


def test_an_epilogue_and_a_gate_where_rows_begin_anywhere() -> None:
    a, b, under = drawn((66, 69), BF16, 0, 0, 1), drawn((70, 69), BF16, 0, 0, 2), drawn((66, 35), F32, 1, 3, 3)
    wanted = a.astype(F32) @ b.astype(F32).T
    c = px.empty((66, 35), F32)
    gemm(a, b[:35], c, b_layout="nk", epilogue=epilogue.residual(under))
    assert c.tobytes() == (wanted[:, :35] + under).tobytes()
    gemm(a, b, c, b_layout="nk", epilogue=epilogue.gated(lambda k, gate, x: k.mul.f32(gate, x)))
    assert c.tobytes() == (wanted[:, :35] * wanted[:, 35:]).tobytes()


# --- sums that CTAs share ------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("name", DEEP)
def test_shares_are_exact(name: str) -> None:
    for size, out, layout in (((70, 136, 1304), BF16, "nk"), ((9, 64, 1290), F32, "kn")):
        m, n, k = size
        a, b = drawn((m, k), BF16, 0, 0, 1), drawn((k, n) if layout == "kn" else (n, k), BF16, 0, 0, 2)
        c = px.empty((m, n), out)
        launch = prepare(a, b, c, b_layout=layout, config=name)  # type: ignore[arg-type]
        for again in (False, True):  # counters are zero again
            c[...] = np.nan
            launch(sanitize=not again)  # type: ignore[call-arg]
            assert c.tobytes() == (a.astype(F32) @ (b if layout == "kn" else b.T).astype(F32)).astype(out).tobytes()


@pytest.mark.ptxlab(sanitize=False)
@pytest.mark.parametrize("name", ["64x64-1c-shares5", "64x64-1c-split2-shares3"])
def test_shares_are_added_in_one_order(name: str) -> None:
    """Random data, whose sums depend on the order: the same bytes whoever comes last."""
    rng = np.random.default_rng(3)
    a, b, c = px.empty((40, 1280), BF16), px.empty((72, 1280), BF16), px.empty((40, 72), F32)
    a[...], b[...] = rng.standard_normal(a.shape), rng.standard_normal(b.shape)
    launch = prepare(a, b, c, b_layout="nk", config=name)
    found = set()
    for schedule, seed in (("eager", 0), ("late", 0), *(("random", i) for i in range(4))):
        c[...] = np.nan
        launch(schedule=schedule, seed=seed)  # type: ignore[call-arg]
        found.add(c.tobytes())
    assert len(found) == 1
    assert np.abs(c - a.astype(F32) @ b.astype(F32).T).max() < 1e-3


@pytest.mark.parametrize("schedule", ["late", "random"])
def test_launches_in_two_streams_have_their_own_sums(schedule: Any) -> None:
    """Launches of one shape at the same time: neither counts in the other's memory."""
    b, streams, made = drawn((64, 1280), BF16, 0, 0, 2), [px.Stream(), px.Stream()], []
    for i, stream in enumerate(streams):
        a, c = drawn((8, 1280), BF16, 0, 0, 5 + i), px.empty((8, 64), F32)
        launch = prepare(a, b, c, b_layout="nk", config="64x8-1c-swapped-shares4", stream=stream)
        made.append((a, c, launch))
    for _ in range(2):
        for _, c, launch in made:
            c[...] = np.nan
            launch()
        px.synchronize(schedule=schedule, seed=3, sanitize=True)
    assert all(c.tobytes() == (a.astype(F32) @ b.astype(F32).T).tobytes() for a, c, _ in made)


def test_sums_of_integers_are_shared() -> None:
    a, b, c = px.empty((64, 2048), "int8"), px.empty((64, 2048), "int8"), px.empty((64, 64), "int32")
    rng = np.random.default_rng(5)
    a[...], b[...] = rng.integers(-128, 128, a.shape), rng.integers(-128, 128, b.shape)
    gemm(a, b, c, b_layout="nk", config="64x64-1c-split2-shares4")
    assert (c == a.astype(np.int32) @ b.astype(np.int32).T).all()


def test_deep_products_are_shared_and_others_are_not() -> None:
    assert choose(Shape(56, 64, 80768, 2, "K", 132)).parts > 8
    assert choose(Shape(256, 256, 131072, 2, "K", 132)).parts > 8
    assert choose(Shape(4096, 4096, 4096, 2, "K", 132)).parts == 1


@pytest.mark.skipif(ptxas.find() is None, reason="there is no ptxas: install the extra `ptxas`")
@pytest.mark.parametrize("at_once", [2, 4, 8])
@pytest.mark.parametrize("name", [*TILES, "128x128-2c", "256x128-2c", "64x256-1c"])
def test_ptxas_accepts_each_without_a_warning(name: str, at_once: int) -> None:
    t = Tiling.named(name).fitted(2)
    extras = module.SHARED_SUMS if t.shares > 1 else ()
    made = zip(("K", "MN"), kernels(t.consumers, t.ctas, extras, (True, True)), strict=True)
    for major, kernel in list(made)[{2: slice(1), 4: slice(1, 2), 8: slice(2)}[at_once]]:
        majors = (major, "K") if t.swapped else ("K", major)
        chosen = kernel.specialize(tiling=t, majors=majors, at_once=(at_once,) * 3)
        assert chosen.warnings == ()
        assert (chosen.resources.spill_stores, chosen.resources.spill_loads, chosen.resources.stack) == (0, 0, 0)


@pytest.mark.parametrize(
    ("name", "words"), [("64x64-1c-shares200", "has 200 shares"), ("64x64-1c-shares9", "splits 512 steps")]
)
def test_shares_that_cannot_be(name: str, words: str) -> None:
    a = drawn((64, 512), BF16, 0, 0, 1)
    with pytest.raises(Diagnostic, match=words) as caught:
        gemm(a, a, px.empty((64, 64), F32), b_layout="nk", config=name)
    assert caught.value.code == "PTX2112"
