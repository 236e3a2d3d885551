from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ptxlab.diag import Diagnostic
from ptxlab.layout import TensorMap, tensor_map
from ptxlab.layout.tensormap_fields import ELEMENT_TYPES

GOOD: dict[str, Any] = {
    "dtype": "bf16",
    "address": 4096,
    "dims": (1024, 512),
    "strides": (2048,),
    "box": (64, 128),
    "swizzle": "128B",
}


def refused(**changes: Any) -> Diagnostic:
    with pytest.raises(Diagnostic) as e:
        TensorMap.tiled(**(GOOD | changes))
    assert e.value.origin is not None
    assert e.value.origin.file == __file__
    return e.value


@pytest.mark.parametrize(
    ("code", "bad", "name", "nearest"),
    [
        ("PTX2101", {"address": 4100}, "address", 4112),
        ("PTX2102", {"strides": (2040,)}, "strides", (2048,)),
        ("PTX2103", {"strides": (1 << 40,)}, "strides", ((1 << 40) - 16,)),
        ("PTX2104", {"dims": (0, 512)}, "dims", (1, 512)),
        ("PTX2104", {"dims": (1024, (1 << 32) + 1)}, "dims", (1024, 1 << 32)),
        ("PTX2105", {"box": (64, 257)}, "box", (64, 256)),
        ("PTX2105", {"box": (64, 0)}, "box", (64, 1)),
        ("PTX2106", {"box": (60, 128)}, "box", (56, 128)),
        ("PTX2107", {"box": (72, 128)}, "box", (64, 128)),
        ("PTX2108", {"box": (64, 128, 30), "dims": (64, 512, 64), "strides": (128, 65536)}, "box", (64, 60, 30)),
        ("PTX2109", {"element_strides": (1, 9)}, "element_strides", (1, 8)),
        ("PTX2110", {"dtype": "u16", "oob_fill": "nan"}, "oob_fill", "zero"),
        ("PTX2111", {"dtype": "16u4_align8b"}, "dtype", "u8"),
        ("PTX2111", {"swizzle": "128B_atom_64B"}, "swizzle", "128B"),
        ("PTX2112", {"swizzle": "96B"}, "swizzle", "128B"),
        ("PTX2112", {"dtype": "b16"}, "dtype", "u16"),
    ],
)
def test_each_rule_names_a_value_that_would_do(code: str, bad: dict[str, Any], name: str, nearest: Any) -> None:
    found = refused(**bad)
    assert found.code == code
    assert found.help
    number = (
        nearest[next(i for i, v in enumerate(nearest) if v != bad[name][i])] if isinstance(nearest, tuple) else nearest
    )
    assert re.search(rf"\b(0x)?({number}|{number:x})\b" if isinstance(number, int) else re.escape(number), found.help)
    TensorMap.tiled(**(GOOD | bad | {name: nearest})).encode()


@pytest.mark.parametrize(
    "bad",
    [
        {"dims": (8,) * 6, "strides": (16,) * 5, "box": (8,) * 6},
        {"dims": (), "strides": (), "box": ()},
        {"strides": (2048, 4096)},
        {"box": (64,)},
        {"element_strides": (1,)},
        {"interleave": "16B"},
        {"box": 64},
    ],
)
def test_ranks_that_do_not_fit(bad: dict[str, Any]) -> None:
    assert refused(**bad).code == "PTX2100"


def test_all_findings_come_at_once() -> None:
    found = refused(address=1, strides=(17,), element_strides=(0, 1))
    assert [d.code for d in (found, *found.also)] == ["PTX2101", "PTX2102", "PTX2109"]


def test_floats_and_nonsense_are_no_integers() -> None:
    assert refused(dims=(1024.0, 512)).code == "PTX2123"
    assert refused(address="somewhere").code == "PTX2119"


def test_numeric_aliases() -> None:
    words = TensorMap.tiled(**GOOD, l2_promotion="256B")
    assert TensorMap.tiled(**(GOOD | {"swizzle": 128, "interleave": None, "l2_promotion": 256})) == words


WORDS = [t.name for t in ELEMENT_TYPES.values() if t.code is not None]


@st.composite
def maps(draw: st.DrawFn) -> TensorMap:
    rank = draw(st.integers(1, 5))
    interleave = draw(st.sampled_from(["none", "16B", "32B"] if rank >= 3 else ["none"]))
    unit = 32 if interleave == "32B" else 16
    dtype = draw(st.sampled_from(WORDS))
    t = ELEMENT_TYPES[dtype]
    dims = draw(st.lists(st.integers(1, 1 << 31), min_size=rank, max_size=rank))
    common: dict[str, Any] = {
        "dtype": dtype,
        "address": draw(st.integers(0, (1 << 57) // unit)) * unit,
        "strides": [s * unit for s in draw(st.lists(st.integers(0, (1 << 40) // unit - 1), min_size=rank - 1, max_size=rank - 1))],
        "element_strides": draw(st.lists(st.integers(1, 8), min_size=rank, max_size=rank)),
        "interleave": interleave,
        "swizzle": draw(st.sampled_from(["none", "32B", "64B", "128B"])),
        "l2_promotion": draw(st.sampled_from(["none", "64B", "128B", "256B"])),
        "oob_fill": draw(st.sampled_from(["zero", "nan"] if t.is_float else ["zero"])),
    }  # fmt: skip
    inner = draw(st.integers(1, 2)) * 16 // t.nbytes
    if rank < 3 or draw(st.booleans()):
        box = [inner, *draw(st.lists(st.integers(1, 8), min_size=rank - 1, max_size=rank - 1))]
        return TensorMap.tiled(dims=dims, box=box, **common)
    half = {3: 1 << 15, 4: 1 << 7, 5: 1 << 4}[rank]
    corner = st.lists(st.integers(-half, half - 1), min_size=rank - 2, max_size=rank - 2)
    dims = [min(d + (1 << 20), (1 << 31) - 1) for d in dims]  # keeps the bounding box from being empty
    window = {"lower": draw(corner), "upper": draw(corner), "channels": inner, "pixels": draw(st.integers(1, 1024))}
    return TensorMap.im2col(dims=dims, **window, **common)


@settings(max_examples=300, deadline=None)
@given(maps())
def test_decode_is_the_inverse_of_encode(m: TensorMap) -> None:
    assert TensorMap.decode(m.encode()) == m


@settings(max_examples=300, deadline=None)
@given(st.binary(min_size=128, max_size=128))
def test_any_bytes_decode_or_get_a_diagnostic(data: bytes) -> None:
    try:
        m = TensorMap.decode(data)
    except Diagnostic as d:
        assert d.code == "PTX2116"  # noqa: PT017
        return
    if not m.problems():
        assert TensorMap.decode(m.encode()) == m


def test_other_lengths_are_no_tensor_map() -> None:
    with pytest.raises(Diagnostic) as e:
        TensorMap.decode(bytes(64))
    assert e.value.code == "PTX2116"


def aligned(shape: tuple[int, ...], dtype: Any) -> np.ndarray:
    raw = np.zeros(int(np.prod(shape)) * np.dtype(dtype).itemsize + 128, np.uint8)
    start = -raw.ctypes.data % 128
    return raw[start : raw.size - 128 + start].view(dtype).reshape(shape)


def test_a_map_of_an_array_has_its_axes_reversed() -> None:
    a = aligned((6, 10, 64), np.float32)
    m = tensor_map(a, box=(1, 5, 32), swizzle=128, element_strides=(1, 2, 1))
    assert m == TensorMap.tiled(
        dtype="f32",
        address=a.ctypes.data,
        dims=(64, 10, 6),
        strides=(256, 2560),
        box=(32, 5, 1),
        element_strides=(1, 2, 1),
        swizzle="128B",
    )


def test_padded_rows_and_other_words() -> None:
    a = aligned((8, 64), np.float32)[:, :50]
    m = tensor_map(a, box=(8, 32), dtype="tf32")
    assert (m.dims, m.strides, m.dtype) == ((50, 8), (256,), "tf32")
    single = aligned((1, 50), np.uint8)  # its stride is 50, and never used
    assert tensor_map(single, box=(1, 16)).strides == (0,)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: aligned((8, 64), np.float32).T, "not contiguous"),
        (lambda: aligned((8, 64), np.float32)[::-1], "negative stride"),
        (lambda: aligned((8, 64), np.complex64), "no element type"),
        (lambda: np.array(1.0), "at least one dimension"),
        (lambda: [1, 2], "no array"),
    ],
)
def test_arrays_that_no_map_describes(make: Any, words: str) -> None:
    with pytest.raises(Diagnostic, match=words) as e:
        tensor_map(make(), box=(8, 8))
    assert e.value.code == "PTX2119"


@dataclass
class Elsewhere:
    """An array of another library, described."""

    address: int = 0x7F0000000000
    shape: tuple[int, ...] = (128, 64)
    strides: tuple[int, ...] = (128, 2)
    itemsize: int = 2
    dtype: str = "bfloat16"


def test_described_arrays() -> None:
    m = tensor_map(Elsewhere(), box=(64, 64), swizzle="128B")
    assert (m.dtype, m.address, m.dims, m.strides) == ("bf16", 0x7F0000000000, (64, 128), (128,))
