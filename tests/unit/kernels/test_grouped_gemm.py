"""Grouped products in the simulator: integer inputs, whose sums are exact in f32, must give NumPy's products bit for bit."""

from __future__ import annotations

import re
import warnings
from collections.abc import Sequence
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import ptxlab as px
from ptxlab.cuda import ptxas
from ptxlab.diag import Diagnostic
from ptxlab.kernels import grouped_call, grouped_fitted, grouped_scaled
from ptxlab.kernels import grouped_gemm as module
from ptxlab.kernels.gemm_degenerate import EmptyProduct
from ptxlab.kernels.grouped_call import AT, CHUNK, SIZES, WORTH_CUTTING, Table, groups, table
from ptxlab.kernels.grouped_gemm import (
    BLOCKS,
    FITTED,
    grouped_direct,
    grouped_gemm,
    grouped_tma,
    prepare,
)

BF16 = np.dtype(ml_dtypes.bfloat16)
F32 = np.dtype(np.float32)
Size = tuple[int, int, int]
RAGGED = [
    (130, 264, 72),
    (1, 8, 8),
    (0, 64, 64),
    (257, 40, 136),
    (64, 520, 0),
    (300, 256, 200),
    (128, 256, 64),
    (40, 72, 328),
]
VARIANTS = [
    pytest.param(kernel, b_major, out, id=f"{kernel.name}-{b_major}-{out.__name__}")
    for kernel in (grouped_tma, grouped_direct)
    for b_major in ("K", "MN")
    for out in (px.bf16, px.f32)
]


@pytest.fixture
def ctas(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Let a launch have so many CTAs at most."""

    def limit(n: int) -> None:
        for which in (module, grouped_fitted):
            monkeypatch.setattr(which, "device_of", lambda array: px.Device("few", n))

    return limit


def integers(shape: tuple[int, int], seed: int) -> np.ndarray:
    out = px.empty(shape, BF16)
    out[...] = np.random.default_rng(seed).integers(-8, 9, shape).astype(BF16)
    return out


def problems(sizes: Sequence[Size], layout: str = "kn", dtype: np.dtype[Any] = BF16) -> list[tuple[Any, Any, Any]]:
    out = []
    for i, (m, n, k) in enumerate(sizes):
        c = px.empty((m, n), dtype)
        c[...] = np.nan
        out.append((integers((m, k), i), integers((k, n) if layout == "kn" else (n, k), 100 + i), c))
    return out


def check(given: list[tuple[Any, Any, Any]], layout: str = "kn") -> None:
    for i, (a, b, c) in enumerate(given):
        right = b.astype(F32) if layout == "kn" else b.astype(F32).T
        wanted = (a.astype(F32) @ right).astype(c.dtype)
        assert np.ascontiguousarray(c).tobytes() == wanted.tobytes(), f"product {i}"


# --- what is emitted -----------------------------------------------------------------------------------------------------
@pytest.mark.skipif(ptxas.find() is None, reason="there is no ptxas: install the extra `ptxas`")
@pytest.mark.parametrize(("kernel", "b_major", "out"), VARIANTS)
def test_ptxas_accepts_it_without_a_warning(kernel: Any, b_major: str, out: type[px.Register]) -> None:
    chosen = kernel.specialize(b_major=b_major, out=out)
    assert chosen.warnings == ()
    found = chosen.resources
    assert (found.spill_stores, found.spill_loads, found.stack) == (0, 0, 0)
    assert found.registers == 168  # all that 384 threads can start with


@pytest.mark.parametrize(("kernel", "b_major", "out"), VARIANTS)
def test_every_map_is_published_and_acquired(kernel: Any, b_major: str, out: type[px.Register]) -> None:
    text = str(kernel.entry(b_major=b_major, out=out).module)
    maps = 2 if "direct" in kernel.name else 3
    assert len(re.findall(r"tensormap\.cp_fenceproxy\S*release\.gpu", text)) == maps
    assert len(re.findall(r"fence\.proxy\.tensormap::generic\.acquire\.gpu", text)) == maps
    for field, times in (("global_address", maps), ("global_dim", 2 * maps), ("global_stride", maps)):
        assert text.count(f"tensormap.replace.tile.{field}.shared::cta") == times


# --- results -------------------------------------------------------------------------------------------------------------
EITHER, OTHER = (("kn", BF16), ("nk", F32)), (("nk", BF16), ("kn", F32))
"""Layouts of B and types of results."""


@pytest.mark.parametrize(
    ("config", "count", "layout", "dtype"),
    [
        *((BLOCKS, count, *of) for count in (2, 50) for of in EITHER),
        *((BLOCKS, 5, *of) for of in OTHER),
        *((FITTED, 2, *of) for of in EITHER),
        *((FITTED, 50, *of) for of in OTHER),
    ],
    ids=str,
)
def test_eight_ragged_products(ctas: Any, config: str, count: int, layout: Any, dtype: np.dtype[Any]) -> None:
    """One CTA takes all tiles, or some, or each its own: maps are bound again and again, or once."""
    ctas(count)
    given = problems(RAGGED, layout, dtype)
    p = prepare(given, b_layout=layout, config=config)
    assert p.record.program.name == {BLOCKS: "grouped_tma", FITTED: "grouped_fitted"}[config]
    p()
    check(given, layout)


@pytest.mark.parametrize("config", [BLOCKS, FITTED])
@pytest.mark.parametrize("schedule", ["eager", "late", "random"])
def test_no_schedule_changes_the_result(ctas: Any, schedule: str, config: str) -> None:
    ctas(2)
    given = problems(RAGGED)
    prepare(given, config=config)(schedule=schedule, seed=3)  # type: ignore[call-arg]
    check(given)


@pytest.mark.parametrize("dtype", [BF16, F32], ids=str)
def test_rows_that_tma_cannot_write(ctas: Any, dtype: np.dtype[Any]) -> None:
    ctas(2)
    given = problems([(33, 77, 64), (130, 261, 72), (5, 9, 0), (1, 1, 8)], "nk", dtype)
    p = prepare(given, b_layout="nk")
    assert p.record.program.name == "grouped_direct"
    p()
    check(given, "nk")


@pytest.mark.parametrize("config", [BLOCKS, FITTED])
def test_neighbours_in_one_array_are_left_alone(ctas: Any, config: str) -> None:
    """All C are rows of one matrix, as experts have it: what a tile has beyond its product must not reach the next one."""
    ctas(3)
    counts, n, k = (100, 1, 60, 129, 38), 264, 72
    whole = px.empty((sum(counts) + len(counts), n), BF16)
    whole[...] = np.nan
    given, at = [], 0
    for i, m in enumerate(counts):
        given.append((integers((m, k), i), integers((k, n), 10 + i), whole[at : at + m]))
        at += m + 1  # a row between them that nobody writes
    grouped_gemm(given, config=config)
    check(given)
    for _, _, c in given:
        c[...] = 0
    between = np.cumsum([m + 1 for m in counts]) - 1
    assert np.isnan(whole[between].astype(F32)).all()
    assert np.isnan(whole.astype(F32)).any(1).sum() == len(counts)


@pytest.mark.parametrize("config", [BLOCKS, FITTED])
def test_more_products_than_are_looked_at_in_one_step(ctas: Any, config: str) -> None:
    ctas(4)
    given = problems([(1 + i % 3, 8, 8 + 8 * (i % 2)) for i in range(2 * CHUNK + 1)])
    grouped_gemm(given, config=config)
    check(given)


def test_which_tiling_a_list_gets() -> None:
    """Blocks of 128 rows where these are full, tiles of fitting width where they are not and TMA can store what they give."""
    full, few, odd = [(256, 256, 64)] * 2, [(200, 256, 64), (72, 256, 64)], [(200, 77, 64)]
    names = [prepare(problems(sizes, "nk"), b_layout="nk").record.program.name for sizes in (full, few, odd)]
    assert names == ["grouped_tma", "grouped_fitted", "grouped_direct"]


@pytest.mark.parametrize(
    ("change", "config", "words"),
    [
        (lambda x: x, "64x64-1c", 'use "128x256-2c" or "128x256-2c-swapped"'),
        (lambda x: [(a, b[:77], np.zeros((8, 77), BF16)) for a, b, _ in x], FITTED, "multiples of 16 bytes"),
    ],
)
def test_a_tiling_that_cannot_be(change: Any, config: str, words: str) -> None:
    with pytest.raises(Diagnostic, match=words) as wrong:
        grouped_gemm(change(problems([(8, 80, 64)], "nk")), b_layout="nk", config=config)
    assert wrong.value.code == "PTX2112"


@pytest.mark.skipif(ptxas.find() is None, reason="there is no ptxas: install the extra `ptxas`")
@pytest.mark.parametrize("layout", ["kn", "nk"])
def test_ptxas_accepts_tiles_of_all_widths_without_a_warning(monkeypatch: pytest.MonkeyPatch, layout: Any) -> None:
    chosen: list[px.Kernel] = []
    prepared = px.Kernel.prepare
    monkeypatch.setattr(px.Kernel, "prepare", lambda self, **o: (chosen.append(self), prepared(self, **o))[1])
    prepare(problems([(rows, 64, 8) for rows in range(16, 257, 16)], layout), b_layout=layout, config=FITTED)
    assert chosen[-1].warnings == ()
    found = chosen[-1].resources
    assert (found.spill_stores, found.spill_loads, found.stack) == (0, 0, 0)


def test_products_without_any_tile() -> None:
    """Nobody is told that the launch writes nothing, and NumPy's own strides of empty arrays will do."""
    given = problems([(0, 64, 64), (64, 0, 8)])
    empty = (np.zeros((0, 64), BF16), np.zeros((64, 8), BF16), np.zeros((0, 8), BF16))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        grouped_gemm(given)
        grouped_gemm([empty])
    check(given)


def test_a_prepared_launch_reads_the_arrays_anew() -> None:
    given = problems(RAGGED[:2])
    p = prepare(given)
    p()
    given[0][0][...] = integers(given[0][0].shape, 77)
    p()
    check(given)


def test_the_longest_sums_come_first() -> None:
    found = groups(problems([(8, 8, 8), (8, 8, 64), (8, 8, 0), (8, 8, 16)]), "kn")
    assert [p.depth for p in found.problems] == [64, 16, 8, 0]
    made = table(found, 128, 256, 64)
    assert (made.tiles, list(made.ends[:5])) == (4, [1, 2, 3, 4, 2**32 - 1])
    assert len(made.ends) == CHUNK


# --- narrow tiles --------------------------------------------------------------------------------------------------------
def word(made: Table, name: str, count: int) -> list[int]:
    """A fact of the first entries of a table."""
    at = AT[name]
    return [int.from_bytes(x[at : at + SIZES[name]].tobytes(), "little") for x in made.entries[:count]]


@pytest.mark.parametrize("layout", ["kn", "nk"])
def test_last_columns_become_a_product_of_narrow_tiles(layout: str) -> None:
    given = problems([(300, 520, 1024), (8, 64, 512), (8, 576, WORTH_CUTTING - 8)], layout, F32)
    made = table(groups(given, layout), 128, 256, 64)
    assert word(made, "narrow", 4) == [0, 1, 1, 0]
    assert word(made, "c_inner", 4) == [512, 8, 64, 576]
    assert list(made.ends[:5]) == [6, 9, 10, 13, 2**32 - 1]
    (a, b, c), rest = given[0], 512
    assert word(made, "a", 2) == [a.ctypes.data] * 2
    assert word(made, "c", 2) == [c.ctypes.data, c.ctypes.data + rest * 4]
    assert word(made, "b", 2) == [b.ctypes.data, b.ctypes.data + rest * (2 if layout == "kn" else 2 * 1024)]
    assert word(made, "b_outer" if layout == "nk" else "b_inner", 2) == [512, 8]
    assert word(made, "c_pitch", 2) == [520 * 4] * 2


def test_more_columns_than_a_narrow_tile_has_stay_in_a_wide_one() -> None:
    made = table(groups(problems([(8, 328, 1024), (8, 320, 1024)]), "kn"), 128, 256, 64)
    assert word(made, "narrow", 3) == [0, 0, 1]
    assert word(made, "c_inner", 3) == [328, 256, 64]


@pytest.mark.parametrize(("layout", "dtype"), EITHER, ids=str)
def test_narrow_tiles_between_wide_ones(
    ctas: Any, monkeypatch: pytest.MonkeyPatch, layout: Any, dtype: np.dtype[Any]
) -> None:
    """Both kinds take turns in every CTA, with more stages than the ring has."""
    monkeypatch.setattr(grouped_call, "WORTH_CUTTING", 0)
    ctas(2)
    given = problems(
        [(300, 264, 328), (130, 576, 200), (257, 64, 136), (40, 520, 72), (5, 256, 72), (1, 8, 8)], layout, dtype
    )
    prepare(given, b_layout=layout)()
    check(given, layout)


@pytest.mark.parametrize("schedule", ["late", "random"])
def test_no_schedule_changes_narrow_tiles(ctas: Any, monkeypatch: pytest.MonkeyPatch, schedule: str) -> None:
    monkeypatch.setattr(grouped_call, "WORTH_CUTTING", 0)
    ctas(2)
    given = problems([(300, 264, 328), (130, 520, 72)])
    prepare(given)(schedule=schedule, seed=5)  # type: ignore[call-arg]
    check(given)


def test_narrow_tiles_by_ordinary_stores(ctas: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(grouped_call, "WORTH_CUTTING", 0)
    ctas(2)
    given = problems([(130, 261, 72), (33, 77, 64), (140, 319, 328)], "nk")
    p = prepare(given, b_layout="nk")
    assert p.record.program.name == "grouped_direct"
    p()
    check(given, "nk")


def test_without_its_acquires_the_simulator_says_so(ctas: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """What only sometimes goes wrong on the chip: a copy through a map that the SM has not looked at again."""
    ctas(1)
    monkeypatch.setattr(px.MapSlot, "acquire", lambda self, *, scope="gpu": None)
    fresh = px.kernel(target="sm_90a", threads=module.THREADS)(grouped_tma._source._function.fn)  # type: ignore[attr-defined]
    monkeypatch.setitem(module._KERNELS, True, fresh)  # type: ignore[attr-defined]
    with pytest.raises(Diagnostic) as caught:
        grouped_gemm(problems(RAGGED), config=BLOCKS)
    assert caught.value.code.startswith("PTX916")


# --- fp8 -----------------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("types", [("float8_e4m3fn", "float8_e4m3fn"), ("float8_e5m2", "float8_e4m3fn")])
def test_fp8(types: tuple[str, str]) -> None:
    given = []
    for a, b, c in problems([(130, 264, 320), (16, 40, 144), (8, 16, 0)], "nk"):
        a8, b8 = px.empty(a.shape, types[0]), px.empty(b.shape, types[1])
        a8[...], b8[...] = a, b
        given.append((a8, b8, c))
    grouped_gemm(given, b_layout="nk")
    check(given, "nk")


def in_blocks(sizes: Sequence[Size], layout: str = "nk", lines: int = 128) -> tuple[list[Any], list[np.ndarray]]:
    """Products with scales, powers of two, and what should come out."""
    draw = np.random.default_rng(11)
    given, wanted = [], []
    for a, b, c in problems(sizes, "nk", F32):
        (m, k), n, steps = a.shape, len(b), -(-a.shape[1] // 128)
        a8, b8 = px.empty(a.shape, "e4m3"), px.empty(b.shape, "e5m2")
        a8[...], b8[...] = a // 2, b // 2
        of_a, of_b = px.empty((m, steps), F32), px.empty((-(-n // lines), steps), F32)
        of_a[...], of_b[...] = (2.0 ** draw.integers(-2, 3, x.shape) for x in (of_a, of_b))
        left = a8.astype(F32) * np.repeat(of_a, 128, 1)[:, :k]
        right = b8.astype(F32) * np.repeat(np.repeat(of_b, lines, 0)[:n], 128, 1)[:, :k]
        wanted.append(left @ right.T)
        given.append((a8, b8.T, c, of_a, of_b.T) if layout == "kn" else (a8, b8, c, of_a, of_b))
    return given, wanted


SCALED = [(130, 264, 272), (0, 16, 144), (16, 40, 400), (8, 16, 0), (1, 8, 16), (257, 136, 128)]


@pytest.mark.parametrize(("layout", "lines"), [("nk", 128), ("nk", 1), ("kn", 128)])
@pytest.mark.parametrize("count", [2, 50])
def test_fp8_with_scales_in_blocks(monkeypatch: pytest.MonkeyPatch, count: int, layout: Any, lines: int) -> None:
    monkeypatch.setattr(grouped_scaled, "device_of", lambda array: px.Device("few", count))
    given, wanted = in_blocks(SCALED, layout, lines)
    grouped_gemm(given, b_layout=layout)
    for (_, _, c, *_), right in zip(given, wanted, strict=True):
        assert c.tobytes() == right.tobytes()


def test_scales_in_blocks_by_ordinary_stores() -> None:
    given, wanted = in_blocks([(130, 77, 272), (5, 9, 16)])
    p = prepare(given, b_layout="nk")
    assert p.record.program.name == "grouped_packed_direct"
    p()
    for (_, _, c, *_), right in zip(given, wanted, strict=True):
        assert c.tobytes() == right.tobytes()


def test_products_with_scales_and_without_any_tile() -> None:
    given, _ = in_blocks([(0, 16, 144), (16, 0, 144)])
    assert isinstance(prepare(given, b_layout="nk"), EmptyProduct)


BAD_SCALES = {
    "some without": ("PTX2318", "Product 1 has no scales", lambda x: [x[0], x[1][:3]]),
    "no arrays": ("PTX2112", "Product 1: scale_a is 2", lambda x: [x[0], (*x[1][:3], 2, x[1][4])]),
    "shapes": (
        "PTX2308",
        "Product 0: scale_b is a float32 array of 2×3",
        lambda x: [(*x[0][:4], x[0][4][:2]), x[1]],
    ),
    "types": (
        "PTX2307",
        "Product 1: scale_a is a float64",
        lambda x: [x[0], (*x[1][:3], x[1][3].astype(float), x[1][4])],
    ),
    "across K": (
        "PTX2309",
        "Product 0: scale_a has strides",
        lambda x: [(*x[0][:3], np.asfortranarray(x[0][3]), x[0][4])],
    ),
    "bf16": ("PTX2307", "Product 0 has scales in blocks, but A is bfloat16", lambda x: [(*GOOD, x[0][3], x[0][4])]),
    "lines that differ": (
        "PTX2318",
        "Scales of the products belong to",
        lambda x: [x[0], in_blocks([(130, 264, 272)], lines=1)[0][0]],
    ),
    "four": ("PTX2318", "Product 0 is no (a, b, c)", lambda x: [x[0][:4]]),
}


@pytest.mark.parametrize(("code", "words", "change"), BAD_SCALES.values(), ids=list(BAD_SCALES))
def test_bad_scales(code: str, words: str, change: Any) -> None:
    given, _ = in_blocks([(16, 264, 272), (8, 16, 272)])
    with pytest.raises(Diagnostic) as caught:
        grouped_gemm(change(given), b_layout="nk")
    assert caught.value.code == code, caught.value
    assert words in caught.value.message
    assert caught.value.help


# --- bad input -----------------------------------------------------------------------------------------------------------
def bf(*shape: int) -> np.ndarray:
    return px.empty(shape, BF16)


GOOD = (lambda: (bf(64, 64), bf(64, 64), bf(64, 64)))()
BAD = {
    "nothing": ("PTX2318", "There is no product", []),
    "no list": ("PTX2318", "7 is no list", 7),
    "pairs": ("PTX2318", "Product 1 is no (a, b, c)", [GOOD, GOOD[:2]]),
    "inner sizes": ("PTX2308", "Product 1: A is 64×32", [GOOD, (bf(64, 32), bf(64, 64), bf(64, 64))]),
    "dtype of A": ("PTX2307", "Product 0: A is", [(px.empty((64, 64), F32), *GOOD[1:])]),
    "dtypes of C": ("PTX2318", "The C of the products differ", [GOOD, (*GOOD[:2], px.empty((64, 64), F32))]),
    "kinds of B": ("PTX2318", "The B of the products differ", [GOOD, (bf(64, 64), bf(64, 64).T, bf(64, 64))]),
    "rows of A": ("PTX2102", "Product 1: A: ", [GOOD, (bf(64, 4), bf(4, 64), bf(64, 64))]),
    "start of B": ("PTX2101", "Product 1: B: ", [GOOD, (bf(64, 64), bf(64, 72)[:, 1:65], bf(64, 64))]),
    "fp8 across K": (
        "PTX2309",
        "Product 0: B is float8_e4m3fn",
        [(px.empty((64, 64), "e4m3"), px.empty((64, 64), "e4m3"), GOOD[2])],
    ),
    "dtypes of A": (
        "PTX2318",
        "The A of the products differ",
        [GOOD, (px.empty((64, 64), "e4m3"), px.empty((64, 64), "e4m3").T, GOOD[2])],
    ),
    "C upside down": ("PTX2309", "Product 0: C has strides", [(*GOOD[:2], bf(64, 64)[::-1])]),
}


@pytest.mark.parametrize(("code", "words", "given"), BAD.values(), ids=list(BAD))
def test_bad_lists(code: str, words: str, given: Any) -> None:
    with pytest.raises(Diagnostic) as caught:
        grouped_gemm(given)
    wrong = caught.value
    assert wrong.code == code
    assert words in wrong.message
    assert wrong.help
    assert wrong.origin is not None
    assert wrong.origin.file == __file__


def test_arrays_on_several_devices() -> None:
    class OnGpu:
        """An array of another library, as far as a launch looks at it before it runs."""

        def __init__(self) -> None:
            self.dtype = BF16
            self.__cuda_array_interface__ = {
                "shape": (64, 64),
                "typestr": "<V2",
                "data": (1 << 20, False),
                "version": 3,
            }

    with pytest.raises(Diagnostic, match="C of product 1 on GPU 0") as caught:
        grouped_gemm([GOOD, (GOOD[0], GOOD[1], OnGpu())])
    assert caught.value.code == "PTX2303"
