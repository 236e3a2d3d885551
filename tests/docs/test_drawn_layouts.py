"""What the pictures of layouts show, against the functions that the simulator uses."""

from __future__ import annotations

import numpy as np
import pytest

import ptxlab as px
from ptxlab.layout import SWIZZLES, element_offsets, tile_box
from ptxlab.layout.swizzles import CHUNK, Swizzle
from tools.pictures.boxes import COLUMNS, ROWS, box_map, copied
from tools.pictures.fragments import groups
from tools.pictures.swizzles import SHOWN, SIZES, offsets, tile


@pytest.mark.parametrize("bits", SIZES)
@pytest.mark.parametrize("mode", SWIZZLES)
def test_chunks_of_k_major_tiles_lie_where_the_descriptor_has_them(mode: Swizzle, bits: int) -> None:
    held = tile(mode, "K", bits)
    drawn = np.array(offsets(held))
    for step in range(held.k_steps):
        read = element_offsets(held.descriptor(step=step), held.lines, 256 // bits, bits)
        assert (read[:SHOWN, :: CHUNK * 8 // bits] == drawn[:, 2 * step : 2 * step + 2]).all()


@pytest.mark.parametrize("mode", SWIZZLES)
def test_chunks_of_mn_major_tiles_lie_where_the_descriptor_has_them(mode: Swizzle) -> None:
    held = tile(mode, "MN")
    read = element_offsets(held.descriptor(), held.lines, 16, 16, "MN")
    drawn = np.array(offsets(held))
    assert (drawn == read[::8].T).all()


def test_rows_that_follow_lie_as_far_on_as_the_picture_says() -> None:
    for mode in SWIZZLES:
        for major in ("K", "MN"):
            at = np.array(offsets(tile(mode, major), 64))
            assert (at[8:] - at[:-8] == at[8, 0] - at[0, 0]).all()


@px.kernel(target="sm_90a", threads=32)
def one_box(k, src: px.TensorMap, dst: px.Ptr[px.b32], column: px.s32, row: px.s32):
    tile = k.smem(px.u16, (4, 32), swizzle="64B")
    full = k.mbarrier(1)
    k.init_barriers()
    with k.if_(k.tid.x == 0):
        full.arrive_expect_tx(tile.nbytes)
        k.tma_load(tile, src, (column, row), full)
    full.wait(0)
    for i in range(2):
        word = k.tid.x + 32 * i
        k.st.global_.b32(dst[word], k.ld.shared.b32(tile.at(word * 4)))


@pytest.mark.parametrize("at", [(16, 2), (48, 6), (0, 0)])
def test_chunks_of_a_box_lie_where_the_simulator_copies_them(at: tuple[int, int]) -> None:
    matrix = px.empty((ROWS, COLUMNS), np.uint16)
    matrix[:] = np.arange(1, ROWS * COLUMNS + 1, dtype=np.uint16).reshape(ROWS, COLUMNS)
    memory = np.full(64, 7, np.uint32)
    one_box[1](px.tensor_map(matrix, box=(4, 32), swizzle="64B"), memory, *at)
    held = tile_box(box_map())
    drawn = [one.text for line in copied(held, held.at(at))[1] for one in line]
    assert len(drawn) == 16
    for name, words in zip(drawn, memory.view(np.uint16).reshape(16, 8), strict=True):
        row, chunk = divmod(int(name), 4) if name != "zero" else (0, 0)
        there = np.asarray(matrix)[at[1] + row, at[0] + 8 * chunk :][:8]
        assert (words == (0 if name == "zero" else there)).all()


def test_groups_hold_every_fragment_once() -> None:
    members = [(one.name, one.matrix, one.dtype) for group in groups() for one, _ in group.members]
    assert len(members) == len(set(members)) > 1000
    assert len({group.file for group in groups()}) == len({group.title for group in groups()}) == len(groups())
