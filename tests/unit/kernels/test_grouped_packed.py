"""Packed groups in the simulator: integer inputs, whose sums are exact in f32, must give NumPy's products bit for bit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any, cast

import ml_dtypes
import numpy as np
import pytest

import ptxlab as px
from ptxlab.conformance.kernels import bounds
from ptxlab.cuda import ptxas
from ptxlab.diag import Diagnostic
from ptxlab.kernels import grouped_packed as module
from ptxlab.kernels.blocks.promotion import Scales
from ptxlab.kernels.blocks.tiling import Tiling
from ptxlab.kernels.gemm_degenerate import EmptyProduct
from ptxlab.kernels.grouped_call import AT, ENTRY
from ptxlab.kernels.grouped_listing import THREADS, listing
from ptxlab.kernels.grouped_packed import (
    grouped_depth,
    grouped_masked,
    grouped_rows,
    kernels,
    prepare_depth,
    prepare_masked,
    prepare_rows,
)
from ptxlab.kernels.grouped_packed_call import by_rows

BF16 = np.dtype(ml_dtypes.bfloat16)
F32 = np.dtype(np.float32)
OFFSETS = (2, 132, 132, 133, 202)
"""The second group has no rows, and rows 0 and 1 belong to none."""
UNTOUCHED = 7


@pytest.fixture
def ctas(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Let a launch have so many CTAs at most."""
    return lambda n: monkeypatch.setattr(module, "device_of", lambda array: px.Device("few", n))


def integers(shape: Sequence[int], seed: int, dtype: Any = BF16) -> np.ndarray:
    out = px.empty(shape, dtype)
    out[...] = np.random.default_rng(seed).integers(-4, 5, shape).astype(F32)
    return out


def room(shape: Sequence[int], dtype: Any = F32) -> np.ndarray:
    out = px.empty(shape, dtype)
    out[...] = UNTOUCHED
    return out


def equal(found: np.ndarray, wanted: np.ndarray) -> None:
    assert np.ascontiguousarray(found).tobytes() == wanted.astype(found.dtype).tobytes()


def rows(
    n: int, k: int, layout: Any = "kn", dtype: Any = BF16, out: Any = F32, offsets: Sequence[int] = OFFSETS
) -> tuple[Any, Any, Any, Any]:
    """A, B and C of groups of rows, and what C should be."""
    groups, total = len(offsets) - 1, offsets[-1] + 3
    a = integers((total, k), 1, dtype)
    b = integers((groups, k, n) if layout == "kn" else (groups, n, k), 2, dtype)
    c = room((total, n), out)
    wanted = c.astype(F32)
    for e, (first, end) in enumerate(pairwise(offsets)):
        right = b[e].astype(F32)
        wanted[first:end] = a[first:end].astype(F32) @ (right if layout == "kn" else right.T)
    return a, b, c, wanted


def masked(counts: Sequence[int], size: int, n: int, k: int, out: Any = F32) -> tuple[Any, Any, Any]:
    groups = len(counts)
    return integers((groups, size, k), 3), integers((groups, k, n), 4), room((groups, size, n), out)


def product_of(a: Any, b: Any, c: Any, counts: Sequence[int]) -> np.ndarray:
    wanted = np.full(c.shape, UNTOUCHED, F32)
    for e, count in enumerate(counts):
        wanted[e, :count] = a[e, :count].astype(F32) @ b[e].astype(F32)
    return wanted


# --- what is emitted -----------------------------------------------------------------------------------------------------
VARIANTS = [
    *(("128x256-2c", px.bf16, ("K", b), None) for b in ("K", "MN")),
    ("128x256-2c", px.bf16, ("MN", "MN"), None),
    ("128x256-2c", px.e4m3, ("K", "K"), None),
    *((name, px.e4m3, ("K", "K"), Scales(1, 128)) for name in ("128x128-2c", "256x128-2c", "192x128-3c")),
    *((name, px.bf16, ("K", "K"), None) for name in ("64x16-1c-swapped", "128x128-2c-swapped", "256x64-2c-swapped")),
    *((name, px.e4m3, ("K", "K"), Scales(128, 1)) for name in ("128x64-2c-swapped", "128x128-2c-swapped")),
    ("128x128-2c", px.e4m3, ("K", "K"), Scales(1, 1)),
]


@pytest.mark.skipif(ptxas.find() is None, reason="there is no ptxas: install the extra `ptxas`")
@pytest.mark.parametrize("direct", [False, True], ids=["by TMA", "direct"])
@pytest.mark.parametrize("variant", VARIANTS, ids=lambda v: f"{v[0]}-{v[1].__name__}-{''.join(v[2])}-{v[3]}")
def test_ptxas_accepts_it_without_a_warning(variant: Any, direct: bool) -> None:
    name, kind, majors, scales = variant
    spread = scales is not None and scales.right == 1
    t = replace(Tiling.named(name), size=kind.scalar.bytes, promoted=scales is not None, spread=spread)
    chosen = kernels(t.consumers)[direct].specialize(
        tiling=t.fitted(2, None, majors[1], majors[0]), majors=majors, types=(kind, kind), out=px.bf16, scales=scales
    )
    assert chosen.warnings == ()
    found = chosen.resources
    assert (found.spill_stores, found.spill_loads, found.stack) == (0, 0, 0)


@pytest.mark.skipif(ptxas.find() is None, reason="there is no ptxas: install the extra `ptxas`")
@pytest.mark.parametrize("given", ["offsets", "ends", "counts"])
@pytest.mark.parametrize("tile_rows", [0, 128, 192])
def test_ptxas_accepts_the_listing(given: str, tile_rows: int) -> None:
    chosen = listing.specialize(given=given, size=8, tile=tile_rows, ordered=True)
    assert chosen.warnings == ()
    assert (chosen.resources.spill_stores, chosen.resources.stack) == (0, 0)
    assert [str(d) for d in px.check(chosen.ptx)] == []


# --- the table -----------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("dtype", [np.int32, np.int64])
@pytest.mark.parametrize("given", ["offsets", "ends", "counts"])
@pytest.mark.parametrize("tile_rows", [0, 128, 192])
def test_the_table_of_more_groups_than_threads(given: str, tile_rows: int, dtype: Any) -> None:
    groups = THREADS + 44
    counts = np.random.default_rng(5).integers(0, 300, groups)
    offsets = np.concatenate([[0], np.cumsum(counts)])
    numbers = {"offsets": offsets, "ends": offsets[1:], "counts": counts}[given].astype(dtype)
    facts, entries = np.zeros((groups, ENTRY), np.uint8), np.zeros((groups, ENTRY), np.uint8)
    ends = np.zeros(groups, np.uint32)
    listing.specialize(given=given, size=numbers.itemsize, tile=tile_rows, ordered=True).prepare(
        grid=(1, 1, 1),
        args=[numbers.view(np.uint8), facts, entries, ends, groups, int(offsets[-1]), 3, 2, 4, 8, 1],
    )()

    def word(name: str, size: int = 4) -> np.ndarray:
        return entries[:, AT[name] : AT[name] + size].copy().view(f"<u{size}")[:, 0]

    if tile_rows == 0:  # the longest sums first; the order of equal ones is that of groups
        order = np.argsort(-counts, kind="stable")
        tiles = np.full(groups, 3)
        assert (word("stop") == np.where(counts[order] == 0, 65, counts[order])).all()
    else:
        order = np.arange(groups)
        tiles = -(-counts // tile_rows) * 3
        assert (word("rows") == -(-counts // tile_rows)).all()
        assert (word("c_outer") == counts).all()
    assert (ends == np.cumsum(tiles)).all()
    assert (word("first") == np.cumsum(tiles) - tiles).all()
    full = counts[order] > 0
    assert (word("a_outer")[full] == counts[order][full]).all()
    if given != "counts":
        assert (word("a", 8)[full] == 2 * offsets[:-1][order][full]).all()


# --- groups of rows ------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(("count", "layout", "out"), [(2, "kn", BF16), (2, "nk", F32), (50, "nk", BF16)])
def test_groups_of_rows(ctas: Any, count: int, layout: Any, out: Any) -> None:
    ctas(count)
    a, b, c, wanted = rows(264, 72, layout, out=out)
    grouped_rows(a, b, c, np.array(OFFSETS, np.int32), b_layout=layout)
    equal(c, wanted)


@pytest.mark.parametrize("schedule", ["eager", "late", "random"])
def test_no_schedule_changes_the_result(ctas: Any, schedule: str) -> None:
    ctas(2)
    a, b, c, wanted = rows(264, 200)
    prepare_rows(a, b, c, np.array(OFFSETS))(schedule=schedule, seed=3)  # type: ignore[call-arg]
    equal(c, wanted)


@pytest.mark.parametrize(
    "given",
    [list(OFFSETS), np.array(OFFSETS, np.int64), np.array(OFFSETS, np.int32)],
    ids=["list", "int64", "int32"],
)
def test_offsets_of_every_kind(given: Any) -> None:
    a, b, c, wanted = rows(40, 72)
    grouped_rows(a, b, c, given)
    equal(c, wanted)


def test_ends_of_groups_as_torch_has_them() -> None:
    a, b, c, wanted = rows(40, 72, offsets=(0, 30, 30, 45))
    grouped_rows(a, b, c, [30, 30, 45])
    equal(c, wanted)


def test_a_prepared_launch_reads_offsets_anew() -> None:
    offsets = np.array(OFFSETS, np.int32)
    a, b, c, wanted = rows(40, 72)
    launch = prepare_rows(a, b, c, offsets)
    launch()
    equal(c, wanted)
    offsets[:] = other = (0, 5, 9, 9, 205)
    launch()
    wanted = np.concatenate([a[x:y].astype(F32) @ b[e].astype(F32) for e, (x, y) in enumerate(pairwise(other))])
    equal(c, wanted)


def test_rows_that_tma_cannot_write() -> None:
    a, b, c, wanted = rows(77, 72, "nk", out=BF16)
    launch = prepare_rows(a, b, c, list(OFFSETS), b_layout="nk")
    assert launch.record.program.name == "grouped_packed_direct"
    launch()
    equal(c, wanted)


@pytest.mark.parametrize("dtype", ["float16", "float8_e5m2", "float32"])
def test_other_types(dtype: str) -> None:
    a, b, c, wanted = rows(136, 144, "nk", dtype, offsets=(0, 30, 30, 45))
    grouped_rows(a, b, c, [0, 30, 30, 45], b_layout="nk")
    equal(c, wanted)


@pytest.mark.parametrize("name", ["192x128-3c", "64x64-1c", "256x128-2c", "64x16-1c-swapped", "128x64-2c-swapped"])
def test_other_tilings(name: str) -> None:
    a, b, c, wanted = rows(136, 72)
    grouped_rows(a, b, c, list(OFFSETS), config=name)
    equal(c, wanted)


def test_random_numbers_lie_within_the_bound_of_float64() -> None:
    a, b, c, _ = rows(136, 264, "nk")
    a[...], b[...] = (np.random.default_rng(6).normal(size=x.shape) for x in (a, b))
    grouped_rows(a, b, c, list(OFFSETS), b_layout="nk")
    for e, (first, end) in enumerate(pairwise(OFFSETS)):
        if first < end:
            assert bounds.outside(c[first:end], bounds.sums(a[first:end], b[e])) == ""


@pytest.mark.parametrize(
    ("expected", "scales", "name"),
    [(4096, False, "128x256-2c"), (16, False, "swapped"), (1024, True, "128x128-2c"), (30, True, "swapped")],
)
def test_the_tiling_is_chosen_by_the_rows_that_are_expected(expected: int, scales: bool, name: str) -> None:
    kind = "e4m3" if scales else BF16
    a, b = px.empty((8192, 512), kind), px.empty((8, 1024, 512), kind)
    given = (np.ones((8192, 4), F32), np.ones((8, 8, 4), F32)) if scales else (None, None)
    packed = by_rows(a, b, px.empty((8192, 1024), BF16), [0] * 9, "nk", given)
    assert name in str(packed.tiling(None, expected))


def test_bytes_do_not_depend_on_who_has_which_tile(ctas: Any) -> None:
    a, b, c, _ = rows(264, 200, offsets=(0, 30, 30, 45))
    a[...], b[...] = (np.random.default_rng(8).normal(size=x.shape) for x in (a, b))
    found = set()
    for count in (1, 3, 50):
        ctas(count)
        prepare_rows(a, b, c, [0, 30, 30, 45])(schedule="random", seed=count)  # type: ignore[call-arg]
        found.add(c.tobytes())
    assert len(found) == 1


# --- room for each group -------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("out", [BF16, F32], ids=str)
def test_rows_behind_a_count_stay_as_they_are(ctas: Any, out: Any) -> None:
    """Neither is what lies there in A looked at: it may be anything."""
    ctas(3)
    counts = np.array([130, 0, 1, 70], np.int64)
    a, b, c = masked(counts.tolist(), 140, 264, 72, out)
    for e, count in enumerate(counts):
        a[e, count:] = np.nan
    launch = prepare_masked(a, b, c, counts)
    assert launch.record.program.name == "grouped_packed_tma"
    launch()
    equal(c, product_of(a, b, c, counts.tolist()))


def test_counts_are_read_at_each_launch() -> None:
    counts = np.array([0, 3], np.int32)
    a, b, c = masked([0, 0], 16, 40, 72)
    launch = prepare_masked(a, b, c, counts)
    for some in ((0, 3), (16, 1), (0, 0)):
        counts[:] = some
        c[...] = UNTOUCHED
        launch()
        equal(c, product_of(a, b, c, some))


def test_sums_of_nothing_are_zeros_up_to_the_count() -> None:
    a, b, c = masked([0, 0], 16, 40, 0)
    grouped_masked(a, b, c, [3, 16])
    equal(c, product_of(a, b, c, [3, 16]))


# --- parts of K ----------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(("count", "out"), [(2, BF16), (50, F32)])
def test_parts_of_k(ctas: Any, count: int, out: Any) -> None:
    """What lies in A and B beside a group's rows must not reach its sum: neither a number nor a NaN."""
    ctas(count)
    offsets = (1, 71, 71, 72, 330)
    x, dy, c = integers((331, 136), 7), integers((331, 264), 8), room((4, 136, 264), out)
    x[0] = dy[0] = x[-1] = np.nan
    grouped_depth(x, dy, c, np.array(offsets, np.int32))
    for e, (first, end) in enumerate(pairwise(offsets)):
        equal(c[e], x[first:end].astype(F32).T @ dy[first:end].astype(F32))


def test_groups_without_rows_give_zeros() -> None:
    for total, offsets in ((9, [0, 0, 9, 9]), (9, [9, 9, 9, 9]), (0, [0, 0, 0, 0])):
        x, dy, c = integers((total, 24), 1), integers((total, 40), 2), room((3, 24, 40))
        prepare_depth(x, dy, c, offsets)()
        for e, (first, end) in enumerate(pairwise(offsets)):
            equal(c[e], x[first:end].astype(F32).T @ dy[first:end].astype(F32))


# --- scales --------------------------------------------------------------------------------------------------------------
def scaled(lines: int, n: int = 264, k: int = 272) -> tuple[dict[str, Any], np.ndarray]:
    a, b, c, _ = rows(n, k, "nk", "float8_e4m3fn")
    steps, draw = -(-k // 128), np.random.default_rng(9)
    of_a, of_b = px.empty((len(a), steps), F32), px.empty((len(b), -(-n // lines), steps), F32)
    of_a[...], of_b[...] = (2.0 ** draw.integers(-2, 3, x.shape) for x in (of_a, of_b))
    left = a.astype(F32) * np.repeat(of_a, 128, 1)[:, :k]
    right = b.astype(F32) * np.repeat(np.repeat(of_b, lines, 1)[:, :n], 128, 2)[..., :k]
    wanted = c.copy()
    for e, (first, end) in enumerate(pairwise(OFFSETS)):
        wanted[first:end] = left[first:end] @ right[e].T
    return {"a": a, "b": b, "c": c, "scale_a": of_a, "scale_b": of_b}, wanted


@pytest.mark.parametrize("config", ["128x128-2c", "256x128-2c", "128x64-2c-swapped"])
@pytest.mark.parametrize(("lines", "count"), [(128, 2), (128, 50), (1, 2)])
def test_scales_in_blocks(ctas: Any, count: int, lines: int, config: str) -> None:
    ctas(count)
    given, wanted = scaled(lines)
    if lines == 1 and config == "256x128-2c":
        with pytest.raises(Diagnostic, match="a scale for each column"):
            grouped_rows(**given, offsets=list(OFFSETS), b_layout="nk", config=config)
        return
    grouped_rows(**given, offsets=np.array(OFFSETS, np.int32), b_layout="nk", config=config)
    equal(given["c"], wanted)


def test_scales_in_blocks_of_transposed_arrays() -> None:
    """B comes as K × N, whose neighbours lie along K, and so do its scales; those of A as cuBLAS wants them, along M."""
    given, wanted = scaled(128, 136)
    of_a = px.empty(given["scale_a"].shape[::-1], F32)
    of_a[...] = given["scale_a"].T
    turned = {name: np.swapaxes(given[name], 1, 2) for name in ("b", "scale_b")}
    grouped_rows(**given | turned | {"scale_a": of_a.T}, offsets=list(OFFSETS))
    equal(given["c"], wanted)


def test_scales_of_rooms() -> None:
    counts = [5, 0, 16]
    a, b, c = integers((3, 16, 144), 1, "e4m3"), integers((3, 40, 144), 2, "e5m2"), room((3, 16, 40))
    of_a, of_b = np.full((3, 16, 2), 0.5, F32), np.ones((3, 1, 2), F32)
    of_b[:, :, 1] = 4
    grouped_masked(a, b, c, counts, b_layout="nk", scale_a=of_a, scale_b=of_b)
    for e, count in enumerate(counts):
        left, right = a[e, :count].astype(F32), b[e].astype(F32)
        equal(c[e, :count], 0.5 * (left[:, :128] @ right[:, :128].T + 4 * left[:, 128:] @ right[:, 128:].T))
        assert (c[e, count:] == UNTOUCHED).all()


# --- bad input -----------------------------------------------------------------------------------------------------------
def zeros(*shape: int, dtype: Any = BF16) -> np.ndarray:
    out = px.empty(shape, dtype)
    out[...] = 0
    return out


A, B, C = zeros(16, 64), zeros(3, 64, 32), zeros(16, 32)
A8, B8 = zeros(16, 128, dtype="e4m3"), zeros(3, 32, 128, dtype="e4m3")
OF_A, OF_B = np.ones((16, 1), F32), np.ones((3, 1, 1), F32)
FINE = [0, 4, 4, 16]
BLOCKED: dict[str, Any] = {"b_layout": "nk", "scale_a": OF_A, "scale_b": OF_B}
BAD: dict[str, tuple[str, str, Any]] = {
    "offsets that descend": (
        "PTX2324",
        "offsets[2] is 3, and offsets[1] is 4.",
        lambda: grouped_rows(A, B, C, [0, 4, 3, 16]),
    ),
    "offsets in an array that descend": (
        "PTX2324",
        "offsets[2] is 3",
        lambda: grouped_rows(A, B, C, np.array([0, 4, 3, 16], np.int32)),
    ),
    "offsets beyond the rows": (
        "PTX2324",
        "offsets[3] is 17, but there are 16",
        lambda: grouped_rows(A, B, C, [0, 4, 4, 17]),
    ),
    "offsets below 0": ("PTX2324", "offsets[0] is -1.", lambda: grouped_rows(A, B, C, [-1, 4, 4, 16])),
    "too few offsets": ("PTX2308", "offsets has 2 numbers for 3 groups", lambda: grouped_rows(A, B, C, [0, 16])),
    "offsets of floats": ("PTX2307", "offsets is a float32 array", lambda: grouped_rows(A, B, C, np.zeros(4, F32))),
    "offsets of two dimensions": (
        "PTX2308",
        "offsets has 2",
        lambda: grouped_rows(A, B, C, np.zeros((2, 2), np.int32)),
    ),
    "offsets with gaps": ("PTX2309", "offsets has gaps", lambda: grouped_rows(A, B, C, np.zeros(8, np.int32)[::2])),
    "no offsets": ("PTX2324", "offsets=None", lambda: grouped_rows(A, B, C, None)),
    "counts beyond the room": (
        "PTX2324",
        "counts[1] is 9, but each group has room for 8 rows",
        lambda: grouped_masked(zeros(2, 8, 64), B[:2], zeros(2, 8, 32), [0, 9]),
    ),
    "counts of words": (
        "PTX2324",
        "counts=['a', 'b']",
        lambda: grouped_masked(zeros(2, 8, 64), B[:2], zeros(2, 8, 32), ["a", "b"]),
    ),
    "counts for others": (
        "PTX2308",
        "counts has 3",
        lambda: grouped_masked(zeros(2, 8, 64), B[:2], zeros(2, 8, 32), [1, 1, 1]),
    ),
    "groups that differ": (
        "PTX2308",
        "A has 2, B has 3, C has 2 groups",
        lambda: grouped_masked(zeros(2, 8, 64), B, zeros(2, 8, 32), [1, 1]),
    ),
    "a flat B": ("PTX2308", "B has 2 dimensions", lambda: grouped_rows(A, B[0], C, FINE)),
    "a stacked A": ("PTX2308", "A has 3 dimensions", lambda: grouped_rows(B, B, C, FINE)),
    "inner sizes": ("PTX2308", "A is 16×64", lambda: grouped_rows(A, zeros(3, 32, 32), C, FINE)),
    "dtypes": (
        "PTX2307",
        "B is a float32 array of 64×32",
        lambda: grouped_rows(A, zeros(3, 64, 32, dtype=F32), C, FINE),
    ),
    "fp8 across K": (
        "PTX2309",
        "B is float8_e4m3fn, and its neighbours lie across K",
        lambda: grouped_rows(A8, zeros(3, 128, 32, dtype="e4m3"), C, FINE),
    ),
    "rows of A": ("PTX2102", "A: ", lambda: grouped_rows(zeros(16, 68)[:, :60], zeros(3, 60, 32), C, FINE)),
    "columns of A": ("PTX2309", "A has strides of 2 and 32", lambda: grouped_rows(zeros(64, 16).T, B, C, FINE)),
    "columns of rooms": (
        "PTX2309",
        "A has strides of 2 and 16",
        lambda: grouped_masked(np.swapaxes(zeros(2, 64, 8), 1, 2), B[:2], zeros(2, 8, 32), [1, 1]),
    ),
    "a short K": ("PTX2102", "A: Stride 2", lambda: grouped_rows(zeros(16, 1), zeros(3, 1, 32), C, FINE)),
    "a short K of fp8": (
        "PTX2102",
        "A: Stride 120",
        lambda: grouped_rows(zeros(16, 120, dtype="e4m3"), zeros(3, 32, 120, dtype="e4m3"), C, FINE, b_layout="nk"),
    ),
    "start of A": ("PTX2101", "A: ", lambda: grouped_rows(zeros(16, 72)[:, 1:65], B, C, FINE)),
    "groups of B": (
        "PTX2102",
        "B has groups 4098 bytes apart",
        lambda: grouped_rows(A, np.lib.stride_tricks.as_strided(zeros(4, 64, 32), (3, 64, 32), (4098, 64, 2)), C, FINE),
    ),
    "groups of C that overlap": (
        "PTX2309",
        "C has groups 512 bytes apart",
        lambda: grouped_masked(
            zeros(2, 16, 64),
            B[:2],
            np.lib.stride_tricks.as_strided(zeros(2, 16, 32), (2, 16, 32), (512, 64, 2)),
            [1, 1],
        ),
    ),
    "fp8 along K": (
        "PTX2307",
        "A is a float8_e4m3fn array",
        lambda: grouped_depth(A8, zeros(16, 32, dtype="e4m3"), zeros(2, 128, 32), [8, 16]),
    ),
    "columns": (
        "PTX2309",
        "A has strides of 2 and 32",
        lambda: grouped_depth(zeros(64, 16).T, C, zeros(2, 64, 32), [8, 16]),
    ),
    "one scale of two": (
        "PTX2112",
        "scale_b is None",
        lambda: grouped_rows(A8, B8, C, FINE, b_layout="nk", scale_a=OF_A),
    ),
    "scales of bf16": ("PTX2307", "A is bfloat16", lambda: grouped_rows(A, B, C, FINE, scale_a=OF_A, scale_b=OF_B)),
    "shape of scales": (
        "PTX2308",
        "scale_a is a float32 array of 1×16",
        lambda: grouped_rows(A8, B8, C, FINE, **cast("Any", BLOCKED | {"scale_a": OF_A.T})),
    ),
    "type of scales": (
        "PTX2307",
        "scale_b is a float64 array",
        lambda: grouped_rows(A8, B8, C, FINE, **cast("Any", BLOCKED | {"scale_b": OF_B.astype(np.float64)})),
    ),
    "a tiling with splits": (
        "PTX2112",
        "64x64-1c-split2",
        lambda: grouped_rows(A, B, C, FINE, config="64x64-1c-split2"),
    ),
    "a tiling across K": (
        "PTX2112",
        "64x16-1c-swapped",
        lambda: grouped_depth(A, C, zeros(2, 64, 32), [8, 16], config="64x16-1c-swapped"),
    ),
    "expected words": ("PTX2112", "expected='many'", lambda: grouped_rows(A, B, C, FINE, expected="many")),  # type: ignore[arg-type]
    "a layout": ("PTX2112", "'mn' is no layout", lambda: grouped_rows(A, B, C, FINE, b_layout="mn")),  # type: ignore[arg-type]
}


@pytest.mark.parametrize(("code", "words", "call"), BAD.values(), ids=list(BAD))
def test_bad_input(code: str, words: str, call: Any) -> None:
    with pytest.raises(Diagnostic) as caught:
        call()
    wrong = caught.value
    assert wrong.code == code, wrong
    assert words in wrong.message
    assert wrong.help
    assert wrong.origin is not None
    assert wrong.origin.file == __file__


def test_numbers_are_looked_at_before_every_simulation() -> None:
    offsets = np.array(FINE, np.int32)
    launch = prepare_rows(A, B, C, offsets)
    launch()
    offsets[1] = 99
    with pytest.raises(Diagnostic, match=r"offsets\[1\] is 99") as caught:
        launch()
    assert caught.value.code == "PTX2324"


def test_a_gpu_that_reads_bad_numbers_stays_within_the_matrices(monkeypatch: pytest.MonkeyPatch) -> None:
    """There nobody looks at them before: groups end where the rows do."""
    from ptxlab.kernels.grouped_packed_call import Numbers

    monkeypatch.setattr(Numbers, "check", lambda self, values: None)
    a, b, c = integers((16, 64), 1), integers((3, 64, 32), 2), room((16, 32))
    grouped_rows(a, b, c, np.array([-5, 3, 20, 10_000], np.int64))
    equal(c[:3], a[:3].astype(F32) @ b[0].astype(F32))
    equal(c[3:], a[3:].astype(F32) @ b[1].astype(F32))
    c[...] = UNTOUCHED
    grouped_rows(a, b, c, np.array([9, 3, 3, 16], np.int64))  # what descends has no rows
    equal(c[3:], a[3:].astype(F32) @ b[2].astype(F32))
    assert (c[:3] == UNTOUCHED).all()
    counts = np.array([-1, 2**40], np.int64)
    a, b, c = integers((2, 8, 64), 1), integers((2, 64, 32), 2), room((2, 8, 32))
    grouped_masked(a, b, c, counts)
    equal(c, product_of(a, b, c, [0, 8]))


def test_one_row_and_one_column() -> None:
    """Of a single row it cannot be told how it lies."""
    for total, n, offsets in ((1, 32, [0, 0, 1, 1]), (16, 1, FINE)):
        a, b, c = integers((total, 64), 1), integers((3, n, 64), 2), room((total, n))
        grouped_rows(a, b, c, offsets, b_layout="nk")
        for e, (first, end) in enumerate(pairwise(offsets)):
            equal(c[first:end], a[first:end].astype(F32) @ b[e].astype(F32).T)
    x, dy, c = integers((1, 8), 1), integers((1, 8), 2), room((2, 8, 8))
    grouped_depth(x, dy, c, [0, 1, 1])
    equal(c[0], x.astype(F32).T @ dy.astype(F32))


def test_products_without_any_tile() -> None:
    empty = (
        prepare_rows(zeros(0, 64), B, zeros(0, 32), [0, 0, 0, 0]),
        prepare_rows(A, zeros(3, 64, 0), zeros(16, 0), FINE),
        prepare_rows(A, zeros(0, 64, 32), C, [0]),
        prepare_masked(zeros(2, 0, 64), B[:2], zeros(2, 0, 32), [0, 0]),
        prepare_depth(A, C, zeros(0, 64, 32), []),
    )
    for launch in empty:
        assert isinstance(launch, EmptyProduct)
        launch()
