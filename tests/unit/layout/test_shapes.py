"""Fragments by the name of a shape: against each other, and against what the simulator's products do."""

from __future__ import annotations

import numpy as np
import pytest

import ptxlab as px
from ptxlab.isa.form import FORMS
from ptxlab.layout.fragments import bit_fields
from ptxlab.layout.shapes import selectors
from ptxlab.layout.sparse import columns as kept_columns
from ptxlab.layout.sparse import group_columns, metadata_places

SHAPES = [
    ("mma.m16n8k16", "a", "bf16", 4), ("mma.m16n8k8", "a", "f16", 2), ("mma.m16n8k16", "b", "bf16", 2),
    ("mma.m16n8k8", "b", "f16", 1), ("mma.m16n8k4", "a", "tf32", 2), ("mma.m16n8k8", "d", "f32", 4),
    ("mma.m8n8k16", "a", "s8", 1), ("mma.m8n8k32", "a", "s4", 1), ("mma.m16n8k64", "b", "u4", 2), ("mma.m8n8k4", "a", "f64", 1),
    ("mma.m8n8k4", "d", "f32", 8), ("mma.m8n8k4", "a", "f16", 2), ("mma.m16n8k256", "a", "b1", 4), ("mma.m16n8k16", "a", "f64", 8),
    ("mma.m16n8k64", "a", "e2m1", 4), ("mma.m16n8k32", "a", "e2m1", 4), ("mma.sp.m16n8k32", "a", "bf16", 4),
    ("mma.sp.m16n8k32", "b", "bf16", 4), ("mma.m16n8k16", "d", "f16", 2), ("wgmma.m64n128k16", "d", "f32", 64),
    ("wgmma.m64n128k16", "d", "f16", 32), ("wgmma.m64n8k32", "a", "e4m3", 4), ("wgmma.sp.m64n8k32", "a", "f16", 4),
    ("wmma.m16n16k16", "a", "f16", 8), ("wmma.m8n32k16", "d", "f32", 8), ("wmma.m16n16k8", "b", "tf32", 4),
]  # fmt: skip


@pytest.mark.parametrize(("name", "matrix", "dtype", "registers"), SHAPES)
def test_every_element_has_one_place(name: str, matrix: str, dtype: str, registers: int) -> None:
    held = px.fragment(name, matrix, dtype)
    assert held.registers == registers
    seen = {held.lane_of(r, c) for r in range(held.shape[0]) for c in range(held.shape[1])}
    assert len(seen) == held.shape[0] * held.shape[1]
    thread, register, bit = held.lane_of(held.shape[0] - 1, held.shape[1] - 1)
    element = register * max(1, 32 // held.bits) + bit // held.bits
    assert (held.rows[thread, element], held.cols[thread, element]) == (held.shape[0] - 1, held.shape[1] - 1)
    for values in (held.rows[:, 0], held.cols[:, 0]):
        again = [
            values[0] + sum((t >> f.shift & (1 << f.width) - 1) * f.factor for f in bit_fields(values))
            for t in range(len(values))
        ]
        assert again == list(values)


def test_every_shape_of_the_rows_has_fragments() -> None:
    tried = 0
    for form in FORMS.values():
        if form.name not in ("mma", "mma.sp", "wgmma.mma_async", "wgmma.mma_async.sp") or "atype" not in form.mods:
            continue
        family = form.name.replace(".mma_async", "")
        for shape in form.mods["shape"]:
            for dtype in form.mods["atype"]:
                held = px.fragment(f"{family}.{shape}", "a", dtype)
                m, k = int(shape[1:].split("n")[0]), int(shape.split("k")[1])
                assert held.shape == (m, k // 2 if held.sparse else k)
                tried += 1
    assert tried > 500


@px.kernel(threads=32)
def one_product(k, a: px.Ptr[px.b32], b: px.Ptr[px.b32], d: px.Ptr[px.f32]):
    left = [k.ld.global_.b32(a[k.laneid * 4 + i]) for i in range(4)]
    right = [k.ld.global_.b32(b[k.laneid * 2 + i]) for i in range(2)]
    out = k.mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32(left, right, [0.0, 0.0, 0.0, 0.0])
    k.fragment("mma.m16n8k16", "d", px.f32, registers=out).store(d, 8)


def test_a_product_whose_fragments_were_filled_by_lane_of() -> None:
    """The simulator multiplies what `lane_of` placed."""
    rng = np.random.default_rng(1)
    left, right = (rng.integers(-4, 5, s).astype(np.float32) for s in ((16, 16), (16, 8)))
    words = [np.zeros((32, n), np.uint32) for n in (4, 2)]
    for held, matrix, into in (("a", left, words[0]), ("b", right, words[1])):
        where = px.fragment("mma.m16n8k16", held, "bf16")
        for (r, c), x in np.ndenumerate(matrix):
            thread, register, bit = where.lane_of(r, c)
            into[thread, register] |= np.uint32(int(np.float32(x).view(np.uint32)) >> 16 << bit)
    d = px.empty((16, 8), np.float32)
    one_product[1](*words, d)
    assert (d == left @ right).all()


@pytest.mark.parametrize(("name", "dtype", "selector"), [("mma.sp.m16n8k32", "bf16", 1), ("mma.sp.m16n8k64", "s8", 0)])
def test_metadata_say_which_columns_are_there(name: str, dtype: str, selector: int) -> None:
    found = px.sparse_metadata(name, dtype, selector)
    k = int(name.rsplit("k", 1)[1])
    words = np.zeros(32, np.uint32)
    for row in range(16):
        for group in range(k // 4):
            lane, bit = found.lane_of(row, 4 * group + 3)
            words[lane] |= np.uint32(0b1101 << bit)  # the second and the last of four
    bits = {"bf16": 16, "s8": 8}[dtype]
    assert (kept_columns(words, bits, k, selector)[:, :4] == [1, 3, 5, 7]).all()
    assert (found.lanes == metadata_places(bits, k, selector)[0]).all()
    assert found.picture().count(":") == 16 * k // 4


@pytest.mark.parametrize(
    "call",
    [
        lambda: px.fragment("mma.m16n8k17", "a", "bf16"),
        lambda: px.fragment("mma", "a", "bf16"),
        lambda: px.fragment("mma.m16n8k16", "e", "bf16"),
        lambda: px.fragment("mma.m16n8k16", "a", "f33"),
        lambda: px.fragment("wgmma.m64n8k16", "b", "bf16"),
        lambda: px.fragment("mma.m16n8k16", "a", "bf16").lane_of(16, 0),
        lambda: px.sparse_metadata("mma.m16n8k16", "bf16"),
        lambda: px.sparse_metadata("mma.sp.m16n8k32", "bf16", 2),
        lambda: px.sparse_metadata("mma.sp.m16n8k32", "bf16").lane_of(0, 32),
    ],
)
def test_what_does_not_exist(call) -> None:
    with pytest.raises(px.Diagnostic, match="PTX2122"):
        call()


def test_pictures() -> None:
    held = px.fragment("wgmma.m64n8k16", "d", "f32")
    lines = held.picture().splitlines()
    assert len(lines) == 65
    assert lines[1].split() == ["0", "0:0", "0:1", "1:0", "1:1", "2:0", "2:1", "3:0", "3:1"]
    assert ">0:0</td>" in held._repr_html_()


SPARSE = (
    *(("mma.sp.m16n8k16", "bf16"), ("mma.sp.m16n8k32", "f16"), ("mma.sp.m16n8k8", "tf32"), ("mma.sp.m16n8k16", "tf32")),
    *(("mma.sp.m16n8k32", "s8"), ("mma.sp.m16n8k64", "e4m3"), ("mma.sp.m16n8k64", "s4"), ("mma.sp.m16n8k128", "u4")),
    *(("wgmma.sp.m64n64k32", "f16"), ("wgmma.sp.m64n64k64", "e4m3"), ("wgmma.sp.m64n64k16", "tf32")),
)


def kept(bits: int, k: int, seed: int) -> np.ndarray:
    """Columns of stored elements: some of each group."""
    dice, group = np.random.default_rng(seed), group_columns(bits)
    if bits == 32:
        within = dice.integers(0, 2, (16, k // 2, 1))
    else:
        within = np.sort(dice.permuted(np.tile(range(4), (16, k // group, 1)), axis=2)[:, :, :2], axis=2)
    if bits == 4:
        within = np.stack([2 * within[..., 0], 2 * within[..., 0] + 1, 2 * within[..., 1], 2 * within[..., 1] + 1], -1)
    return (within + np.arange(k // group)[:, None] * group).reshape(16, -1)


@pytest.mark.parametrize(("name", "dtype"), SPARSE)
def test_metadata_of_columns_are_read_as_these_columns(name: str, dtype: str) -> None:
    a, k = px.fragment(name, "a", dtype), int(name.rpartition("k")[2])
    for selector in range(selectors(a)):
        for seed in range(3):
            columns = kept(a.bits, k, seed)
            words = px.sparse_metadata(name, dtype, selector).words(columns)
            assert (kept_columns(words, a.bits, k, selector) == columns).all()


@pytest.mark.parametrize(
    ("columns", "words"),
    [
        (np.zeros((16, 8), np.float32), "takes integers of shape"),
        (np.zeros((16, 16), np.int64), "takes integers of shape"),
        (np.tile([0, 0, 4, 5, 8, 9, 12, 13], (16, 1)), "stored twice"),
        (np.tile([0, 4, 4, 5, 8, 9, 12, 13], (16, 1)), "outside of its group"),
    ],
)
def test_columns_that_cannot_be(columns: np.ndarray, words: str) -> None:
    with pytest.raises(px.Diagnostic, match=words) as caught:
        px.sparse_metadata("mma.sp.m16n8k16", "bf16").words(columns)
    assert caught.value.code == "PTX2122"
    assert caught.value.help
