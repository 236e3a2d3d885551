"""Tiles of several dimensions and swizzle spans through TMA: which boxes they are, and where their elements lie."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from typing import Any

import numpy as np
import pytest

import ptxlab as px


def whole(tile: px.Tile) -> px.Tile:
    return tile


def second_span(tile: px.Tile) -> px.Tile:
    return tile.part(1, 2, axis=len(tile.shape) - 1)


def lower_rows(tile: px.Tile) -> px.Tile:
    return tile.part(1, 2, axis=len(tile.shape) - 2)


@px.kernel(threads=64)
def through(
    k: Any, src: px.TensorMap, dst: px.TensorMap, y: px.Ptr[px.b16], *, shape: Any, chosen: Any, start: Any, known: bool
):
    """A part of a tile is loaded, read element by element, and stored again. `known`: Python counts the rows."""
    part = chosen(k.smem(px.bf16, shape, swizzle="128B"))
    bar = k.mbarrier(1)
    k.init_barriers()
    with k.if_(k.thread == 0):
        bar.arrive_expect_tx(part.nbytes)
        k.tma_load(part, src, start, bar)
    bar.wait(0)
    *outer, rows, columns = part.shape
    for n, index in enumerate(product(*map(range, outer))):
        one = part
        for i in index:
            one = one[i]
        with k.if_(k.thread < rows):
            for column in range(0, columns, 8):
                row = k.thread
                if not known:
                    k.st.global_.b16(y[(row + n * rows) * columns + column], k.ld.shared.b16(one.locate(row, column)))
                for r in range(rows if known else 0):
                    at = y[(n * rows + r) * columns + column]
                    k.st.global_.b16(at, k.ld.shared.b16(one.locate(r, column)), pred=row == 0)
    with k.if_(k.thread == 0):
        k.tma_store(dst, start, part)
        k.cp.async_.bulk.commit_group()
        k.cp.async_.bulk.wait_group(0)


@pytest.mark.parametrize("known", [False, True])
@pytest.mark.parametrize(
    ("shape", "chosen", "box", "copies"),
    [
        ((2, 8, 64), whole, (2, 8, 64), 1),
        ((2, 8, 128), whole, (1, 8, 64), 4),
        ((2, 2, 8, 128), whole, (1, 1, 8, 64), 8),
        ((2, 8, 128), second_span, (1, 8, 64), 2),
        ((2, 16, 64), lower_rows, (1, 8, 64), 2),
        ((1, 8, 128), whole, (1, 8, 64), 2),
        ((4, 128), whole, (4, 64), 2),
        ((2, 4, 128), whole, (1, 4, 64), 4),
    ],
)
def test_a_tile_is_a_sequence_of_boxes(
    shape: tuple[int, ...], chosen: Callable[[px.Tile], px.Tile], box: tuple[int, ...], copies: int, known: bool
) -> None:
    a, b = px.empty(shape, np.int16), px.empty(shape, np.int16)
    a[...] = np.arange(a.size).reshape(shape)
    b[...] = -1
    rows, columns = shape[-2] // (1 + (chosen is lower_rows)), shape[-1] // (1 + (chosen is second_span))
    part = a[..., -rows:, -columns:]
    y = np.full(part.shape, -1, np.int16)
    start = (shape[-1] - columns, shape[-2] - rows, *[0] * (len(shape) - 2))
    maps = [px.tensor_map(x, box=box, swizzle="128B", dtype="bf16") for x in (a, b)]
    chosen_kernel = through.specialize(shape=shape, chosen=chosen, start=start, known=known)
    chosen_kernel[1](*maps, y)
    assert (y[..., ::8] == part[..., ::8]).all()
    assert (b[..., -rows:, -columns:] == part).all()
    assert (b == -1).sum() == b.size - part.size
    assert chosen_kernel.ptx.count("cp.async.bulk.tensor") == 2 * copies


@pytest.mark.parametrize(
    ("swizzle", "columns", "parts", "words"),
    [
        ("128B", 96, 1, "it has 96 columns, and a swizzle span has 64"),
        (
            "none",
            256,
            2,
            "(8, 128) none, part of 8 × 256> is no sequence of whole boxes: its rows lie 512 bytes apart, those of a box of "
            "128 columns 256",
        ),
    ],
)
def test_what_is_no_sequence_of_boxes_is_told_with_the_reason(
    swizzle: Any, columns: int, parts: int, words: str
) -> None:
    @px.kernel(threads=32)
    def load(k, src: px.TensorMap):
        tile = k.smem(px.bf16, (8, columns), swizzle=swizzle, align=1024)
        bar = k.mbarrier(1)
        k.init_barriers()
        k.tma_load(tile.part(0, parts, axis=1) if parts > 1 else tile, src, (0, 0), bar)

    with pytest.raises(px.Diagnostic) as caught:
        load.ptx  # noqa: B018
    assert caught.value.code == "PTX2211"
    assert words in caught.value.message
