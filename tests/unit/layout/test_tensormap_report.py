"""What is said of a tensor map: its fields, its reach, its copies, and what looks wrong."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ptxlab.diag import Diagnostic
from ptxlab.layout import TensorMap, tile_box
from ptxlab.layout.im2col import im2col_box
from ptxlab.layout.tensormap_doubts import known_bits, overlap
from ptxlab.layout.tensormap_report import bit_ranges, differences, report

GOOD: dict[str, Any] = {
    "dtype": "bf16",
    "address": 1 << 32,
    "dims": (1024, 512),
    "strides": (2048,),
    "box": (64, 128),
    "swizzle": "128B",
}
CONV: dict[str, Any] = {
    "dtype": "bf16",
    "address": 1 << 32,
    "dims": (64, 32, 16, 8),
    "strides": (128, 4096, 65536),
    "lower": (-1, -1),
    "upper": (-1, -1),
    "channels": 64,
    "pixels": 128,
    "swizzle": "128B",
}


def tiled(**changes: Any) -> TensorMap:
    return TensorMap.tiled(**(GOOD | changes))


def kinds(m: TensorMap, data: bytes | None = None) -> list[str]:
    return [d.kind for d in report(m, data).doubts]


def test_a_map_for_a_gemm_is_beyond_doubt() -> None:
    found = report(tiled())
    assert not found.doubts
    assert not found.broken
    assert (found.shape.transaction_bytes, found.shape.shared_bytes, found.shape.alignment) == (16384, 16384, 1024)


def test_every_bit_that_is_set_belongs_to_a_field() -> None:
    for m in (tiled(), TensorMap.im2col(**CONV), tiled(dims=(1,), strides=(), box=(64,))):
        data = m.encode()
        covered = sum(p.mask << p.bit for e in report(m).entries for p in e.bits)
        assert not int.from_bytes(data, "little") & ~covered
        assert not int.from_bytes(data, "little") & ~known_bits(m)


def test_raw_numbers_are_what_stands_in_the_bytes() -> None:
    m = tiled(address=0x7F12_3456_7800, strides=(1 << 39,))
    data = m.encode()
    n = int.from_bytes(data, "little")
    for e in report(m).entries:
        assert e.raw == tuple(n >> p.bit & (1 << p.width) - 1 for p in e.bits)
    by_name = {e.name: e for e in report(m).entries}
    assert by_name["strides[0]"].raw == (1 << 35 & 0xFFFFFFFF, 1 << 3)
    assert by_name["strides[0]"].where == "96–127, 224–227"
    assert by_name["dims[1]"].raw == (511,)


@pytest.mark.parametrize(
    ("kind", "changes"),
    [
        ("null-address", {"address": 0}),
        ("stride-zero", {"strides": (0,)}),
        ("overlap", {"strides": (1024,)}),
        ("ragged-row", {"dims": (1001, 512)}),
        ("box-beyond-tensor", {"dims": (32, 512)}),
        ("box-beyond-tensor", {"dims": (1024, 100)}),
        ("element-stride-ignored", {"element_strides": (2, 1)}),
        ("element-stride-beyond-box", {"element_strides": (1, 8), "box": (64, 4)}),
        ("element-stride-holes", {"element_strides": (1, 3)}),
        ("narrower-than-swizzle", {"box": (32, 128)}),
        ("bank-conflicts", {"swizzle": "none"}),
        ("does-not-fit", {"box": (16, 256, 8), "dims": (1024, 512, 9), "strides": (2048, 1 << 20), "swizzle": "128B"}),
        ("l2-promotion", {"l2_promotion": "256B"}),
        ("half-sectors", {"strides": (2064,)}),
        ("half-sectors", {"box": (8, 128), "swizzle": "none"}),
        ("sm-100", {"swizzle": "128B_atom_64B", "target": "sm_100"}),
    ],
)
def test_each_suspicion(kind: str, changes: dict[str, Any]) -> None:
    m = tiled(**changes)
    found = report(m).doubts
    assert kind in [d.kind for d in found]
    assert all(d.message.endswith(".") and d.help for d in found)
    assert kind not in kinds(tiled())


@pytest.mark.parametrize(
    ("kind", "changes"),
    [
        ("box-beyond-tensor", {"dims": (48, 32, 16, 8)}),
        ("pixels-beyond-images", {"dims": (64, 9, 4, 1), "upper": (-1, -1)}),
        ("narrower-than-swizzle", {"channels": 32}),
    ],
)
def test_each_suspicion_of_im2col(kind: str, changes: dict[str, Any]) -> None:
    assert kind in kinds(TensorMap.im2col(**(CONV | changes)))
    assert kinds(TensorMap.im2col(**CONV)) == []


def test_bytes_that_were_changed_on_the_device_show() -> None:
    m = tiled()
    data = bytearray(m.encode())
    data[56] = 63  # box_dim 1, as tensormap.replace writes it
    changed = TensorMap.decode(data)
    assert changed.box == (64, 64)
    assert kinds(changed, bytes(data)) == ["upper-half"]
    data[120] = 1
    assert kinds(changed, bytes(data)) == ["upper-half", "unknown-bits"]


def test_a_map_that_a_driver_would_refuse_is_reported_and_not_raised() -> None:
    data = bytearray(tiled().encode())
    data[0] = 8
    found = report(TensorMap.decode(data), bytes(data))
    assert [d.code for d in found.broken] == ["PTX2101"]
    assert found.json()["broken"][0]["code"] == "PTX2101"


@settings(max_examples=200, deadline=None)
@given(st.binary(min_size=128, max_size=128), st.sampled_from([0, 8, 64]))
def test_whatever_decodes_can_be_explained(noise: bytes, keep: int) -> None:
    data = bytearray(noise)
    if keep:
        data[8:12] = tiled().encode()[8:12]
    try:
        m = TensorMap.decode(data)
    except Diagnostic:
        return
    found = report(m, bytes(data))
    assert found.json()["bytes"] == bytes(data).hex()
    assert found.reach


@settings(max_examples=150, deadline=None)
@given(
    st.lists(st.tuples(st.integers(1, 5), st.integers(0, 9)), min_size=1, max_size=3),
    st.integers(1, 40),
)
def test_overlap_is_what_counting_bytes_finds(outer: list[tuple[int, int]], inner: int) -> None:
    dims = (inner, *(d for d, _ in outer))
    strides = tuple(16 * s for _, s in outer)
    m = TensorMap.tiled(dtype="u16", address=0, dims=dims, strides=strides, box=(8, *[1] * len(outer)))
    offsets = np.arange(inner) * 2
    for d, s in zip(dims[1:], strides, strict=True):
        offsets = (offsets[:, None] + np.arange(d) * s).reshape(-1)
    alone = len(set(offsets.tolist())) == offsets.size
    zeros = any(not s and d > 1 for d, s in zip(dims[1:], strides, strict=True))
    if overlap(m) is None:
        assert alone or zeros
    elif not zeros:
        # Rows that pass through each other without sharing a byte count as overlapping too: they are as unlikely to be meant.
        assert not alone or any(s < 2 * inner for s in strides) or len(outer) > 1


def test_the_shape_is_what_the_simulator_moves() -> None:
    for changes in (
        {},
        {"box": (32, 128)},
        {"element_strides": (2, 3)},
        {"swizzle": "none"},
        {"box": (16, 8), "swizzle": "64B"},
    ):
        m = tiled(**changes)
        box, shape = tile_box(m), report(m).shape
        assert (shape.transaction_bytes, shape.shared_bytes, shape.pitch) == (box.nbytes, box.footprint, box.pitch)
        assert shape.alignment == box.alignment


INTERLEAVED: dict[str, Any] = {
    "dtype": "u8",
    "address": 1 << 32,
    "dims": (64, 32, 8, 4),
    "strides": (2048, 65536, 524288),
    "box": (16, 4, 2, 1),
    "interleave": "32B",
}


@pytest.mark.parametrize(
    "m",
    [
        TensorMap.tiled(**INTERLEAVED),
        TensorMap.tiled(**(INTERLEAVED | {"swizzle": "32B", "element_strides": (1, 2, 1, 1)})),
        TensorMap.im2col(**CONV),
        TensorMap.im2col(**(CONV | {"channels": 32, "element_strides": (1, 2, 2, 1)})),
        TensorMap.im2col(**(CONV | {"interleave": "16B", "channels": 8, "lower": (0, 0), "upper": (0, 0)})),
    ],
)
def test_the_shape_of_other_modes_is_what_the_simulator_moves(m: TensorMap) -> None:
    box, shape = (tile_box(m) if m.window is None else im2col_box(m)), report(m).shape
    assert (shape.transaction_bytes, shape.shared_bytes, shape.pitch) == (box.nbytes, box.footprint, box.pitch)
    assert shape.alignment == box.alignment


def test_interleaved_maps_count_slices() -> None:
    found = report(TensorMap.tiled(**INTERLEAVED))
    assert "64 × 32 × 8 × 4 slices of 32B (innermost first), 2097152 bytes" in found.reach[0]
    assert "4 × 8 × 8 × 4 = 1024 boxes" in found.reach[-1]
    assert [d.kind for d in found.doubts] == ["bank-conflicts"]
    assert not report(TensorMap.tiled(**(INTERLEAVED | {"swizzle": "32B"}))).doubts


def test_im2col_says_where_its_pixels_can_be() -> None:
    found = report(TensorMap.im2col(**(CONV | {"element_strides": (1, 2, 2, 1)})))
    assert "W from -1 to 30, H from -1 to 14: 16 × 8" in found.reach[-1]
    assert found.shape.transaction_bytes == 64 * 128 * 2
    assert found.json()["lower"] == [-1, -1]


def test_differences() -> None:
    a, b = tiled(), tiled(dtype="f16", box=(64, 64), swizzle="128B")
    assert not differences(a.encode(), a.encode())
    found = {name: (one, two) for name, one, two in differences(a.encode(), b.encode())}
    assert set(found) == {"dtype", "box[1]", "byte count"}
    assert found["box[1]"] == ("128 elements", "64 elements")
    deeper = tiled(dims=(1024, 512, 2), strides=(2048, 1 << 20), box=(64, 64, 2))
    found = {name: (one, two) for name, one, two in differences(b.encode(), deeper.encode())}
    assert found["dims[2]"] == ("–", "2 elements")
    damaged = bytearray(a.encode())
    damaged[127] = 0xC0
    assert differences(a.encode(), bytes(damaged)) == [("bits 1022–1023", "0", "set: 1022–1023")]


@given(st.integers(0, (1 << 200) - 1))
def test_bit_ranges(mask: int) -> None:
    back = 0
    for text in bit_ranges(mask):
        low, _, high = text.partition("–")
        for bit in range(int(low), int(high or low) + 1):
            assert not back >> bit & 1
            back |= 1 << bit
    assert back == mask
