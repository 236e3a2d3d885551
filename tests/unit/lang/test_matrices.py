"""Registers that hold a matrix: their elements, and storing them."""

from __future__ import annotations

import numpy as np
import pytest

import ptxlab as px
from tests.unit.lang.tracing import instructions


def _numbered(k, held) -> None:
    for row, column, register in held.elements():
        k.cvt.rn.f32.u32(row * 256 + column, d=register)


@px.kernel(threads=256)
def second_group(k, c: px.Ptr[px.f32], d: px.Ptr[px.bf16], rows: px.u32, columns: px.u32):
    with k.if_(k.warpgroup == 1):
        acc = k.accumulator(128, 24)
        _numbered(k, acc)
        acc.store(c, 24)
        acc.store(d, columns, rows=rows, columns=columns, row=1, epilogue=lambda k, x: k.min.f32(x, 16.0))


def test_an_accumulator_of_two_blocks_is_stored_whole_and_within_bounds() -> None:
    c, d = px.empty((128, 24), np.float32), px.empty((100, 7), "bfloat16")
    d[:] = -1
    second_group[1](c, d, np.uint32(100), np.uint32(7))
    whole = np.arange(128)[:, None] * 256 + np.arange(24)
    assert (c == whole).all()
    assert (d[0].astype(np.float32) == -1).all()
    assert (d[1:].astype(np.float32) == np.minimum(whole, 16)[:99, :7]).all()


@px.kernel(threads=128)
def through_a_tile(k, c: px.Ptr[px.bf16]):
    tile = k.smem(px.bf16, (64, 128), swizzle="128B")
    acc = k.accumulator(64, 128)
    for row, column, register in acc.elements():
        k.cvt.rn.f32.u32(row + column, d=register)
    acc.store(tile)
    k.bar.sync(0)
    for column in range(128):
        with k.if_(k.tid.x < 64):
            k.st.global_.b16(c[k.tid.x * 128 + column], k.ld.shared.b16(tile.locate(k.tid.x, column)))


def test_a_swizzled_tile_takes_the_matrix_where_locate_finds_it() -> None:
    c = px.empty((64, 128), "bfloat16")
    through_a_tile[1](c)
    assert (c.astype(np.float32) == np.arange(64)[:, None] + np.arange(128)).all()


@pytest.mark.parametrize(
    ("name", "dtype"),
    [
        ("mma.m16n8k16", px.f32),
        ("mma.m8n8k4", px.f64),
        ("mma.m8n8k4", px.f32),
        ("wmma.m8n32k16", px.f32),
        ("mma.m16n8k8", px.f16),
    ],
)
def test_fragments_of_a_warp_are_stored_where_lane_of_says(name: str, dtype) -> None:
    held = px.fragment(name, "d", dtype.scalar.name)
    as_kept = {"f16": px.f16, "f32": px.f32, "f64": px.f64}[dtype.scalar.name]

    @px.kernel(threads=32)
    def own(k, c: px.Ptr[as_kept]):
        made = k.fragment(name, "d", dtype)
        assert c.element is as_kept.scalar
        for i, register in enumerate(made):
            if dtype is px.f16:  # two of 1.0
                k.mov.b32(0x3C003C00, d=register)
            else:
                getattr(k.cvt.rn, dtype.scalar.name).u32(k.laneid * 64 + i, d=register)
        made.store(c, held.shape[1])

    c = px.empty(held.shape, {"f16": np.float16, "f32": np.float32, "f64": np.float64}[dtype.scalar.name])
    own[1](c)
    for (r, col), x in np.ndenumerate(c):
        place = held.lane_of(r, col)
        assert x == (1 if dtype is px.f16 else place.thread * 64 + place.register)


def test_neighbours_are_stored_together() -> None:
    def body(k, c: px.Ptr[px.f32]):
        k.accumulator(64, 16).store(c, 16)

    stores = [i for i in instructions(body) if i.startswith("st.")]
    assert len(stores) == 4
    assert all(".v2." in s for s in stores)


def test_a_group_of_wgmma() -> None:
    def body(k):
        with k.wgmma_group(wait=1):
            pass
        with k.wgmma_group(wait=None):
            pass

    pair = ["wgmma.fence.sync.aligned", "wgmma.commit_group.sync.aligned"]
    assert instructions(body) == [*pair, "wgmma.wait_group.sync.aligned 1", *pair]


def _no_pitch(k, c: px.Ptr[px.f32]):
    k.accumulator(64, 8).store(c)


def _no_place(k, c: px.Ptr[px.f32]):
    k.accumulator(64, 8).store(k.tid.x, 8)


def _other_type(k, c: px.Ptr[px.u8]):
    k.accumulator(64, 8).store(c, 8)


def _bounds_of_a_tile(k):
    k.accumulator(64, 8).store(k.smem(px.f32, (64, 8)), rows=3)


def _bad_wait(k):
    with k.wgmma_group(wait=8):
        pass


def _small_elements(k):
    list(k.fragment("mma.m16n8k32", "a", "e4m3").elements())


def _other_count(k):
    k.fragment("mma.m16n8k16", "d", px.f32, registers=k.accumulator(64, 8)[:3])


def _wide_pitch(k, c: px.Ptr[px.f32], pitch: px.u64):
    k.accumulator(64, 8).store(c, pitch)


def _wide_bound(k, c: px.Ptr[px.f32], rows: px.u64):
    k.accumulator(64, 8).store(c, 8, rows=rows)


@pytest.mark.parametrize(
    "body",
    [
        *(_no_pitch, _no_place, _other_type, _bounds_of_a_tile, _bad_wait, _small_elements, _other_count),
        *(_wide_pitch, _wide_bound),
    ],
)
def test_misuse(body) -> None:
    with pytest.raises(px.Diagnostic, match="PTX2232") as caught:
        instructions(body)
    assert caught.value.origin is not None
    assert caught.value.help


@px.kernel(threads=32, cluster=2)
def neighbours(k, out: px.Ptr[px.u32]):
    tile = k.smem(px.u32, 32)
    k.st.shared.u32(tile.at(k.tid.x * 4), k.tid.x + 100 * k.cluster_ctarank)
    k.cluster_sync()
    other = tile.remote(k.cluster_ctarank ^ 1)
    k.st.global_.u32(out[k.ctaid.x * 32 + k.tid.x], k.ld.shared__cluster.u32(other.at(k.tid.x * 4)))
    k.cluster_sync()


def test_a_remote_tile_has_addresses() -> None:
    out = px.empty(64, np.uint32)
    neighbours[2](out)
    assert (out == np.concatenate([np.arange(32) + 100, np.arange(32)])).all()


@px.kernel(threads=128)
def in_place(k, c: px.Ptr[px.f32], d: px.Ptr[px.f16]):
    acc, half = k.accumulator(64, 8), k.accumulator(64, 8, px.f16)
    for register in acc:
        k.mov.f32(1.0, d=register)
    for register in half:
        k.mov.b32(0x40003C00, d=register)  # 1 and 2
    acc[0] += 2.0
    acc[1] *= acc[0]
    half[1] += half[0]
    acc.store(c, 8)
    half.store(d, 8)


def test_one_register_is_written_in_place() -> None:
    c, d = np.zeros((64, 8), np.float32), np.zeros((64, 8), np.float16)
    in_place[1](c, d)
    assert (c[0] == 3).all()
    assert (c[8] == 1).all()
    assert (d[0, :2] == (1, 2)).all()
    assert (d[8, :2] == (2, 4)).all()  # the two of a register are added as f16


@pytest.mark.parametrize(
    ("use", "code", "words"),
    [
        (lambda acc: acc[0, 1], "PTX0109", "acc.elements() gives row, column and register"),
        (lambda acc: acc["x"], "PTX0109", "registers are counted: acc[i]"),
        (lambda acc: acc[4], "PTX2210", "there is no register 4 among 4"),
        (lambda acc: acc.__delitem__(0), "PTX2205", "cannot be taken out"),
        (lambda acc: acc.__iadd__(acc), "PTX2205", "`+` does not compute with 4 registers at once"),
        (lambda acc: 1.0 + acc, "PTX2205", "`+` does not compute"),
        (lambda acc: acc % 2, "PTX2205", "`%` does not compute"),
        (lambda acc: 1 << acc, "PTX2205", "`<<` does not compute"),
        (lambda acc: abs(acc), "PTX2205", "`abs` does not compute"),
    ],
)
def test_what_is_no_register_of_a_matrix(use, code: str, words: str) -> None:
    @px.kernel(threads=128)
    def wrong(k):
        acc = k.accumulator(64, 8)
        assert len((acc[0],).__add__(acc[:2])) == len(acc[:1] + acc[:2]) == 3
        use(acc)

    with pytest.raises(px.Diagnostic) as caught:
        wrong.ptx  # noqa: B018
    assert caught.value.code == code
    assert words in str(caught.value)
