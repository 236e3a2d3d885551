from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ptxlab.diag import Diagnostic
from ptxlab.layout import TensorMap, box_elements, swizzle_span, tile_box
from ptxlab.layout.tensormap_fields import ELEMENT_TYPES


def simple(**changes: object) -> TensorMap:
    arguments: dict[str, object] = {
        "dtype": "f32",
        "address": 0x1000,
        "dims": (1024, 1024),
        "strides": (4096,),
        "box": (32, 16),
    }
    return TensorMap.tiled(**(arguments | changes))  # type: ignore[arg-type]


def test_a_narrow_box_keeps_the_pitch_of_the_span() -> None:
    # A box of 32 rows of 16 f32 under 128B, as printed after the copy on a GPU: 4 full chunks, then 4 untouched.
    box = tile_box(simple(box=(16, 32), swizzle="128B"))
    assert (box.pitch, box.nbytes, box.footprint, box.alignment) == (128, 2048, 4096, 1024)
    chunks = box_elements(box.map, (0, 0))
    printed = ["0123....", "1032....", "2301....", "3210....", "....0123", "....1032", "....2301", "....3210"]
    shown = [["."] * 8 for _ in range(32)]
    for row, source in itertools.product(range(32), range(4)):
        place = int(chunks.shared_offset[row, source])
        shown[place // 128][place % 128 // 16] = str(source)
    assert ["".join(row) for row in shown] == printed * 4


def test_sizes_of_boxes() -> None:
    assert tile_box(simple()).nbytes == 32 * 16 * 4
    assert tile_box(simple()).footprint == 32 * 16 * 4
    assert tile_box(simple()).alignment == 128
    assert tile_box(simple(box=(8, 16), swizzle="32B")).alignment == 256
    line = tile_box(TensorMap.tiled(dtype="u8", address=0, dims=(100,), strides=(), box=(64,)))
    assert (line.rows, line.nbytes) == (1, 64)
    strided = tile_box(simple(element_strides=(1, 3)))
    assert strided.counts == (32, 6)  # rows 0, 3, … 15 of the 16


@st.composite
def copies(draw: st.DrawFn) -> tuple[TensorMap, tuple[int, ...], int]:
    dtype = draw(st.sampled_from(["u8", "f16", "f32", "f64"]))
    size = ELEMENT_TYPES[dtype].nbytes
    mode = draw(st.sampled_from(["none", "32B", "64B", "128B"]))
    rank = draw(st.integers(1, 4))
    widest = swizzle_span(mode) if mode != "none" else 96
    inner = draw(st.integers(1, widest // 16)) * 16 // size
    box = (inner, *(draw(st.integers(1, 5)) for _ in range(rank - 1)))
    dims = tuple(draw(st.integers(1, 40 if i == 0 else 7)) for i in range(rank))
    strides, bytes_so_far = [], dims[0] * size
    for n in dims[1:]:
        strides.append(-(-bytes_so_far // 16) * 16 + 16 * draw(st.integers(0, 2)))
        bytes_so_far = strides[-1] * n
    steps = tuple(draw(st.integers(1, 3)) for _ in range(rank))
    m = TensorMap.tiled(
        dtype=dtype, address=0, dims=dims, strides=strides, box=box, element_strides=steps, swizzle=mode
    )
    at = (draw(st.integers(-2, 4)) * 16 // size, *(draw(st.integers(-3, 8)) for _ in range(rank - 1)))
    return m, at, draw(st.integers(0, 16)) * 128


@settings(max_examples=150, deadline=None)
@given(copies())
def test_chunks_equal_an_element_by_element_walk(copy: tuple[TensorMap, tuple[int, ...], int]) -> None:
    m, at, base = copy
    size = m.element.nbytes
    span = swizzle_span(m.swizzle)  # type: ignore[arg-type]
    bits = {"none": 0, "32B": 1, "64B": 2, "128B": 3}[m.swizzle]
    pitch = max(m.box[0] * size, span)
    counts = [m.box[0]] + [len(range(0, b, s)) for b, s in zip(m.box[1:], m.element_strides[1:], strict=True)]
    expected: dict[int, int | None] = {}  # shared byte → global byte, None out of bounds
    walk = itertools.product(*(range(n) for n in reversed(counts)))
    for number, reverse in enumerate(walk):
        j = reverse[::-1]
        row = number // counts[0]
        index = [at[0] + j[0]] + [c + i * s for c, i, s in zip(at[1:], j[1:], m.element_strides[1:], strict=True)]
        real = all(0 <= i < n for i, n in zip(index, m.dims, strict=True))
        source = index[0] * size + sum(i * s for i, s in zip(index[1:], m.strides, strict=True))
        for byte in range(size):
            place = base + row * pitch + j[0] * size + byte
            for b in range(bits):
                place ^= (place >> (7 + b) & 1) << (4 + b)
            expected[place - base] = source + byte if real else None
    chunks = box_elements(m, at, base)
    got: dict[int, int | None] = {}
    for g, s, valid in zip(
        chunks.global_offset.ravel(), chunks.shared_offset.ravel(), chunks.valid.ravel(), strict=True
    ):
        for byte in range(16):
            got[int(s) + byte] = int(g) + byte if byte < valid else None
    assert got == expected
    assert tile_box(m).nbytes == len(expected)
    assert tile_box(m).footprint > max(s % (tile_box(m).footprint + base) for s in expected) >= 0


def test_stores_round_the_end_of_a_row_up_to_16_bytes() -> None:
    m = simple(dims=(30, 8), strides=(128,), box=(32, 8))
    assert box_elements(m, (0, 0)).valid[0].tolist() == [16] * 7 + [8]
    assert box_elements(m, (0, 0), store=True).valid[0].tolist() == [16] * 8
    outside = box_elements(m, (0, 4), store=True).valid
    assert outside[:4].all()
    assert not outside[4:].any()
    assert not box_elements(m, (32, 0), store=True).valid.any()


def test_fill() -> None:
    assert tile_box(simple()).fill == bytes(16)
    assert np.frombuffer(tile_box(simple(oob_fill="nan")).fill, "<u2").tolist() == [0x7FF7] * 8


@pytest.mark.parametrize(
    ("coordinates", "store", "words"),
    [
        ((0,), False, "1 coordinates for a tensor map of 2"),
        ((2, 0), False, "not a multiple of 16 bytes"),
        ((-2, 0), False, "not a multiple of 16 bytes"),
        ((0, -1), True, "negative"),
    ],
)
def test_coordinates_on_which_the_hardware_faults(coordinates: tuple[int, ...], store: bool, words: str) -> None:
    with pytest.raises(Diagnostic, match=words) as e:
        tile_box(simple()).at(coordinates, store=store)
    assert e.value.code == "PTX2117"
    assert e.value.help


def test_an_interleaved_box_takes_one_slice_of_channels() -> None:
    """Dimensions W, H, C, N; elements of 16 bytes."""
    m = TensorMap.tiled(
        dtype="f16", address=0, dims=(5, 3, 4, 2), strides=(80, 240, 960), box=(8, 2, 3, 1), interleave="16B"
    )
    box = tile_box(m)
    assert (box.rows, box.row_bytes, box.pitch, box.nbytes) == (16, 16, 16, 256)
    rows = box.at((-1, 2, 3, 1))
    first = 2 * 80 + 3 * 240 + 960
    assert rows.offsets.reshape(2, 8).tolist() == [[first + 80 * h + 16 * (w - 1) for w in range(8)] for h in range(2)]
    assert rows.inside is not None
    assert rows.inside.reshape(2, 8).tolist() == [[0 <= w - 1 < 5 for w in range(8)], [False] * 8]


def test_a_stride_along_w_parts_the_slices() -> None:
    m = TensorMap("f16", 0, (9, 3, 2), (144, 432), (8, 1, 1), (3, 1, 1), interleave="16B")
    box = tile_box(m)
    assert box.nbytes == 3 * 16
    assert box.at((1, 0, 0)).offsets.tolist() == [16, 64, 112]


def test_bad_boxes() -> None:
    channels_last = {"dtype": "f16", "address": 0, "dims": (64, 8, 8, 2), "strides": (128, 1024, 8192)}
    im2col = TensorMap.im2col(**channels_last, lower=(0, 0), upper=(0, 0), channels=64, pixels=16)  # type: ignore[arg-type]
    with pytest.raises(Diagnostic) as e:
        tile_box(im2col)
    assert e.value.code == "PTX2118"
    with pytest.raises(Diagnostic) as e:
        tile_box(simple()).shared_chunks(64)
    assert e.value.code == "PTX2117"
