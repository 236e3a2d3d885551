"""Every member of the family of matrix products: sums of integers are exact in f32, so each must give NumPy's product."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import ptxlab as px
from ptxlab.cuda import ptxas
from ptxlab.diag import Diagnostic
from ptxlab.kernels import gemm_call
from ptxlab.kernels.blocks import epilogue
from ptxlab.kernels.blocks.choice import Shape, candidates, choose
from ptxlab.kernels.blocks.tiling import Tiling
from ptxlab.kernels.gemm import SHARED_SUMS, gemm, kernels, prepare
from tools.record.family import MEMBERS

BF16 = np.dtype(ml_dtypes.bfloat16)
F16 = np.dtype(np.float16)
F32 = np.dtype(np.float32)
SIZES = ((136, 200, 584), (9, 264, 512), (70, 133, 520))


def integers(shape: tuple[int, int], seed: int, dtype: np.dtype[Any] = BF16) -> np.ndarray:
    made = px.empty(shape, dtype)
    made[...] = np.random.default_rng(seed).integers(-8, 9, shape).astype(dtype)
    return made


def check(name: str, size: tuple[int, int, int], b_layout: Any, dtype: np.dtype[Any], out: np.dtype[Any]) -> None:
    m, n, depth = size
    a, b = integers((m, depth), 1, dtype), integers((depth, n) if b_layout == "kn" else (n, depth), 2, dtype)
    c = px.empty((m, n), out)
    c[...] = np.nan
    gemm(a, b, c, b_layout=b_layout, config=name)
    right = b if b_layout == "kn" else b.T
    assert c.tobytes() == (a.astype(F32) @ right.astype(F32)).astype(out).tobytes()


def _members() -> Iterator[Any]:
    """Each member with B both ways. Sums of many CTAs are slow to sanitize: one of them is enough, and half of the others."""
    for name, b_layout in itertools.product(MEMBERS, ("kn", "nk")):
        sanitize = b_layout == "nk" and ("split" not in name or name in ("64x64-1c-split4", "64x16-1c-swapped-split2"))
        yield pytest.param(name, b_layout, marks=pytest.mark.ptxlab(sanitize=sanitize))


CHECKED = {
    "kn": ((SIZES[0], F32), (SIZES[1], BF16)),
    "nk": ((SIZES[0], BF16), (SIZES[1], BF16), (SIZES[2], F32)),
}
"""By layout of B. `conformance/test_gemm_family_digests.py` has SIZES[0] of "kn" and SIZES[2] of "nk" with results of 16 bits."""


@pytest.mark.parametrize(("name", "b_layout"), _members())
def test_each_member_is_exact(name: str, b_layout: str) -> None:
    for size, out in CHECKED[b_layout]:
        check(name, size, b_layout, BF16, out)


@pytest.mark.parametrize("name", ["256x192-2c", "128x256-2c-4b", "256x176-2c-swapped", "64x136-1c-swapped-17b"])
def test_wide_tiles_and_boxes_stored_at_once(name: str) -> None:
    for out in (BF16, F32)[: 1 if name.endswith("b") else 2]:
        check(name, (136, 200, 136), "nk", BF16, out)


@pytest.mark.parametrize(
    ("name", "size"),
    [
        ("128x32-2c", (200, 32, 96)),
        ("64x16-1c-split2", (72, 8, 200)),
        ("64x32-1c-swapped", (24, 136, 200)),
        ("", (90, 16, 40)),
    ],
)
def test_a_few_lines_across_k_have_a_span_of_their_own(name: str, size: tuple[int, int, int]) -> None:
    """Both matrices run across K: boxes of 16 or 32 columns, in 32 or 64 bytes of shared memory."""
    m, n, depth = size
    a, b, c = integers((depth, m), 1), integers((depth, n), 2), px.empty((m, n), F32)
    c[...] = np.nan
    gemm(a.T, b, c, config=name or None)
    assert c.tobytes() == (a.T.astype(F32) @ b.astype(F32)).tobytes()


@pytest.mark.parametrize("name", ["128x256-2c", "64x16-1c-swapped-split2"])
def test_f16(name: str) -> None:
    for b_layout, out in itertools.product(("kn", "nk"), (F16, F32)):
        check(name, (72, 136, 200), b_layout, F16, out)


@pytest.mark.skipif(ptxas.find() is None, reason="there is no ptxas: install the extra `ptxas`")
@pytest.mark.parametrize("name", MEMBERS)
def test_ptxas_accepts_each_without_a_warning(name: str) -> None:
    t = Tiling.named(name).fitted(2)
    extras = SHARED_SUMS if t.shares > 1 else ()
    for b_major, kernel in zip(("K", "MN"), kernels(t.consumers, t.ctas, extras), strict=True):
        chosen = kernel.specialize(tiling=t, majors=(b_major, "K") if t.swapped else ("K", b_major))
        assert chosen.warnings == ()
        assert (chosen.resources.spill_stores, chosen.resources.spill_loads, chosen.resources.stack) == (0, 0, 0)


def test_sums_along_k_are_added_in_one_order() -> None:
    """Random data, whose sums depend on the order: the same bytes however the CTAs of a cluster run."""
    rng = np.random.default_rng(3)
    a, b, c = px.empty((40, 640), BF16), px.empty((72, 640), BF16), px.empty((40, 72), F32)
    a[...], b[...] = rng.standard_normal(a.shape), rng.standard_normal(b.shape)
    p = prepare(a, b, c, b_layout="nk", config="64x64-1c-split4")
    found = set()
    for seed in range(4):
        c[...] = np.nan
        p(schedule="random", seed=seed)  # type: ignore[call-arg]
        found.add(c.tobytes())
    assert len(found) == 1
    assert np.abs(c - a.astype(F32) @ b.astype(F32).T).max() < 1e-3


@pytest.mark.parametrize("name", ["64x128-1c-cluster2x1", "128x64-2c-swapped-cluster1x2"])
@pytest.mark.parametrize(("schedule", "seed"), [("eager", 0), ("late", 0), ("random", 1)])
def test_ctas_that_load_for_each_other(name: str, schedule: str, seed: int) -> None:
    """An odd number of tiles in both directions, and rows that begin anywhere: the same bytes as alone, and nothing to find."""
    rng = np.random.default_rng(3)
    a, b, c = px.empty((150, 328), BF16), px.empty((280, 328), BF16), px.empty((150, 280), F32)
    a[...], b[...] = rng.standard_normal(a.shape), rng.standard_normal(b.shape)
    alone = px.empty(c.shape, F32)
    prepare(a, b, alone, b_layout="nk", config="64x64-1c")()
    c[...] = np.nan
    prepare(a, b, c, b_layout="nk", config=name)(schedule=schedule, seed=seed, sanitize=True)  # type: ignore[call-arg]
    assert c.tobytes() == alone.tobytes()


def test_clusters_are_taken_where_rows_begin_anywhere() -> None:
    assert choose(Shape(1000, 1000, 1000, 2, "K", 132)).shared
    assert not any(t.shared for t in candidates(Shape(1024, 1024, 1024, 2, "K", 132)))
    odd = choose(Shape(3000, 3000, 3000, 2, "K", 131))
    assert odd.shared


def test_one_cta_takes_all_tiles(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gemm_call, "device_of", lambda array: px.Device("few", 1))
    for name in ("64x32-1c-swapped", "192x64-3c", "256x64-2c", "64x128-1c-cluster1x2"):
        check(name, (150, 520, 192), "kn", BF16, BF16)


# --- the choice ----------------------------------------------------------------------------------------------------------
def test_names_are_read_back() -> None:
    for name in (*MEMBERS, "128x256-2c-4st"):
        assert str(Tiling.named(name)) == name


def test_small_products_are_cut_small_and_large_ones_large() -> None:
    def chosen(m: int, n: int, k: int) -> Tiling:
        return choose(Shape(m, n, k, 2, "K", 132))

    assert str(chosen(4096, 4096, 4096)) == "128x256-2c"
    assert chosen(3072, 3072, 3072).tiles(3072, 3072) % 132 in (0, *range(120, 132))  # full rounds, not 2.2 of them
    assert str(chosen(130, 7168, 2048)) == "64x136-1c-swapped-17b"  # M in one tile, with little beside it
    assert chosen(777, 4104, 8192).tiles(777, 4104) == 132
    assert chosen(16, 8192, 8192).swapped
    assert chosen(16, 8192, 8192).columns == 16
    assert chosen(64, 4096, 4096).splits > 1
    assert chosen(1536, 1536, 1536).tiles(1536, 1536) <= 132


@pytest.mark.parametrize("b_major", ["K", "MN"])
def test_there_is_a_tiling_for_every_shape(b_major: str) -> None:
    for m, n, k in itertools.product((1, 7, 64, 300, 5000), (1, 8, 1000, 30000), (1, 64, 4096, 100000)):
        s = Shape(m, n, k, 2, b_major, 132)
        choose(s).fitted(s.item, s.k, s.b_major)
        assert candidates(s)


def test_what_is_chosen_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    a, c = integers((64, 64), 1), px.empty((64, 64), BF16)
    prepare(a, a, c, explain=True)
    shown = capsys.readouterr().err
    assert shown.startswith("64 × 64 × 64, B along N")
    assert "µs expected" in shown


BAD = {
    "another word": ("large", "is no tiling"),
    "a cluster of four": ("128x256-2c-cluster2x2", "has a cluster of 2 × 2 tiles"),
    "a cluster and splits": ("128x256-2c-split2-cluster2x1", "shares loads"),
    "columns that cannot be halved": ("64x8-1c-swapped-cluster2x1", "shares 8 columns"),
    "four consumers": ("256x64-4c", "has 4 consumers"),
    "rows": ("96x64-1c", "has 96 rows"),
    "rows of consumers": ("64x64-2c", "has 64 rows"),
    "columns": ("128x40-2c", "has 40 columns"),
    "registers": ("256x256-2c", "too many results"),
    "splits": ("128x64-2c-split3", "splits K among 3"),
    "stages": ("128x256-2c-9st", "no room for 9 stages"),
    "more splits than stages": ("128x64-2c-split8", "splits 64 steps"),
    "half a span": ("128x96-2c", "cuts B as K×N"),
}


@pytest.mark.parametrize(("name", "words"), BAD.values(), ids=list(BAD))
def test_a_tiling_that_cannot_be(name: str, words: str) -> None:
    a, c = integers((64, 64), 1), px.empty((64, 64), BF16)
    with pytest.raises(Diagnostic) as caught:
        gemm(a, a, c, config=name)
    assert caught.value.code == "PTX2112"
    assert words in caught.value.message
    assert caught.value.help
    assert caught.value.origin is not None
    assert caught.value.origin.file == __file__


def test_types_that_do_not_go_together() -> None:
    a, b, c = integers((64, 64), 1), integers((64, 64), 1, F16), px.empty((64, 64), BF16)
    with pytest.raises(Diagnostic, match="B is a float16") as caught:
        gemm(a, b, c)
    assert caught.value.code == "PTX2307"


# --- epilogues -----------------------------------------------------------------------------------------------------------
def leaky(k: px.Builder, x: Any) -> Any:
    return k.max.f32(x, k.mul.f32(x, 0.25))


EPILOGUES: dict[str, tuple[Any, Any, float]] = {
    "relu": (epilogue.relu, lambda x: np.maximum(x, 0), 0),
    "scaled": (epilogue.scaled(0.125), lambda x: x * 0.125, 0),
    "scaled, then relu": (epilogue.scaled(-2.0) | epilogue.relu, lambda x: np.maximum(x * -2, 0), 0),
    "a user's own": (leaky, lambda x: np.maximum(x, x / 4), 0),
    "gelu": (epilogue.gelu, lambda x: x / 2 * (1 + np.tanh(0.7978845608 * (x + 0.044715 * x**3))), 2e-3),
    "silu": (epilogue.silu, lambda x: x / (1 + np.exp(-x)), 1e-5),
}


@pytest.mark.parametrize("name", ["128x64-2c", "64x16-1c-swapped-split2"])
@pytest.mark.parametrize(("given", "wanted", "error"), EPILOGUES.values(), ids=list(EPILOGUES))
def test_an_epilogue(given: Any, wanted: Any, error: float, name: str) -> None:
    for n in (72, 69):  # by TMA, and by single elements
        a, b, c = integers((40, 136), 1), integers((n, 136), 2), px.empty((40, n), F32)
        gemm(a, b, c, b_layout="nk", config=name, epilogue=epilogue.scaled(1 / 256) | given)
        right = wanted((a.astype(np.float64) @ b.astype(np.float64).T) / 256)
        assert np.abs(c - right).max() <= error


def test_an_epilogue_that_is_none() -> None:
    a, c = integers((64, 64), 1), px.empty((64, 64), BF16)
    with pytest.raises(Diagnostic, match="'relu' is no epilogue") as caught:
        gemm(a, a, c, epilogue="relu")  # type: ignore[arg-type]
    assert caught.value.code == "PTX2112"
    assert caught.value.help
