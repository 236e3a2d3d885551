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
from ptxlab.layout.tensormap_fields import ELEMENT_TYPES, NEWER_SWIZZLES

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
        ("PTX2101", {"address": 1 << 57}, "address", (1 << 57) - 16),
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


CONV: dict[str, Any] = {
    "dtype": "bf16",
    "address": 4096,
    "dims": (64, 32, 16, 8),
    "strides": (128, 4096, 65536),
    "lower": (-1, -1),
    "upper": (-1, -1),
    "channels": 64,
    "pixels": 128,
}


@pytest.mark.parametrize(
    ("code", "bad", "name", "nearest"),
    [
        ("PTX2100", {"dims": (64, 32), "strides": (128,)}, "", None),
        ("PTX2106", {"channels": 60}, "channels", 56),
        ("PTX2107", {"channels": 128, "swizzle": "128B"}, "channels", 64),
        ("PTX2108", {"channels": 256, "pixels": 1000}, "pixels", 456),
        ("PTX2113", {"lower": (-129, -1)}, "lower", (-128, -1)),
        ("PTX2113", {"upper": (-1, 128)}, "upper", (-1, 127)),
        ("PTX2114", {"channels": 257}, "channels", 256),
        ("PTX2114", {"channels": 0}, "channels", 1),
        ("PTX2114", {"pixels": 1025}, "pixels", 1024),
        ("PTX2115", {"upper": (-33, -1)}, "upper", (-32, -1)),
        ("PTX2115", {"upper": (-1, -17)}, "upper", (-1, -16)),
        ("PTX2115", {"dims": (64, 32, 1 << 31, 8), "upper": (-1, 0)}, "dims", (64, 32, (1 << 31) - 1, 8)),
    ],
)
def test_each_rule_of_im2col_names_a_value_that_would_do(
    code: str, bad: dict[str, Any], name: str, nearest: Any
) -> None:
    with pytest.raises(Diagnostic) as e:
        TensorMap.im2col(**(CONV | bad))
    assert e.value.code == code
    assert e.value.help
    if not name:
        return
    given = (CONV | bad)[name]
    number = next(v for v, w in zip(nearest, given, strict=True) if v != w) if isinstance(nearest, tuple) else nearest
    below = f"below {number + 1}"  # the nearest one, said as a bound
    assert re.search(rf"(?<![\d-]){number}\b", e.value.help) or below in e.value.help
    if code != "PTX2114" or nearest != 1:  # one channel alone is no 16 bytes
        TensorMap.im2col(**(CONV | bad | {name: nearest})).encode()


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


SWIZZLES = ("none", "32B", "64B", "128B", *NEWER_SWIZZLES)
GAPPED_SWIZZLES = {
    "16u4_align16b": SWIZZLES[:1] + SWIZZLES[3:5],
    "16u6_align16b": (*SWIZZLES[:1], *SWIZZLES[3:5], SWIZZLES[6]),
}


@st.composite
def maps(draw: st.DrawFn, kinds: tuple[str, ...] = ("tiled", "im2col", "im2col_wide")) -> TensorMap:
    """Any map that some target has, every word as likely as the others."""
    kind = draw(st.sampled_from(kinds))
    dtype = draw(st.sampled_from(tuple(ELEMENT_TYPES)))
    t = ELEMENT_TYPES[dtype]
    rank = draw(st.integers(1 if kind == "tiled" else 3, 5))
    interleave = draw(st.sampled_from(["none", "16B", "32B"] if rank >= 3 and not t.gap else ["none"]))
    unit = 32 if interleave == "32B" or t.gap else 16
    dims = draw(st.lists(st.integers(1, 1 << (32 if kind == "tiled" else 31)), min_size=rank, max_size=rank))
    grain = 128 if t.gap else 2 if t.group > 1 else 1
    common: dict[str, Any] = {
        "dtype": dtype,
        "address": draw(st.integers(0, (1 << 57) // unit - 1)) * unit,
        "strides": [s * unit for s in draw(st.lists(st.integers(0, (1 << 40) // unit - 1), min_size=rank - 1, max_size=rank - 1))],
        "element_strides": draw(st.lists(st.integers(1, 8), min_size=rank, max_size=rank)),
        "interleave": interleave,
        "swizzle": draw(st.sampled_from(GAPPED_SWIZZLES.get(dtype, SWIZZLES))),
        "l2_promotion": draw(st.sampled_from(["none", "64B", "128B", "256B"])),
        "oob_fill": draw(st.sampled_from(["zero", "nan"] if t.is_float else ["zero"])),
        "target": "sm_100",
    }  # fmt: skip
    inner = 128 if t.gap else draw(st.integers(1, 2)) * 128 // t.bits
    if kind == "tiled":
        box = [inner, *draw(st.lists(st.integers(1, 8), min_size=rank - 1, max_size=rank - 1))]
        dims[0] = -(-dims[0] // grain) * grain
        return TensorMap.tiled(dims=dims, box=box, **common)
    half = {3: 1 << 15, 4: 1 << 7, 5: 1 << 4}[rank]
    offset = st.integers(-half, half - 1)
    corner = st.lists(offset, min_size=rank - 2, max_size=rank - 2)
    dims = [min(d + (1 << 20), (1 << 31) - (1 << 15)) for d in dims]  # keeps the bounding box from being empty
    dims[0] = dims[0] // grain * grain
    window: dict[str, Any] = {"channels": inner, "pixels": draw(st.integers(1, 1024))}
    if kind == "im2col":
        return TensorMap.im2col(dims=dims, lower=draw(corner), upper=draw(corner), **window, **common)
    mode = draw(st.sampled_from(["w", "w128"]))
    return TensorMap.im2col_wide(dims=dims, lower=draw(offset), upper=draw(offset), mode=mode, **window, **common)


@settings(max_examples=600, deadline=None)
@given(maps())
def test_decode_is_the_inverse_of_encode(m: TensorMap) -> None:
    data = m.encode("sm_100")
    assert len(data) == 128
    assert TensorMap.decode(data) == m
    assert TensorMap.decode(data).encode("sm_100") == data


@settings(max_examples=200, deadline=None)
@given(maps())
def test_what_sm_90_has_not_is_refused_and_marked(m: TensorMap) -> None:
    newer = m.dtype.startswith("16u") or m.swizzle in NEWER_SWIZZLES
    assert m.needs == ("sm_100" if newer else "sm_90")
    assert bool(m.unverified) == newer
    if newer:
        with pytest.raises(Diagnostic) as e:
            m.encode()
        assert "PTX2111" in [e.value.code, *(d.code for d in e.value.also)]
    else:
        assert m.encode() == m.encode("sm_100")


def decoded_or_refused(data: bytes) -> TensorMap | None:
    """The map, which can be checked and named whatever it says; None where the bytes are none, with the one code for that."""
    try:
        m = TensorMap.decode(data)
    except Diagnostic as d:
        assert d.code == "PTX2116"  # noqa: PT017
        assert d.help  # noqa: PT017
        return None
    for problem in m.problems("sm_100"):
        assert str(problem)
    if not m.problems("sm_100"):
        assert TensorMap.decode(m.encode("sm_100")) == m
    return m


@settings(max_examples=500, deadline=None)
@given(st.binary(min_size=128, max_size=128))
def test_any_bytes_decode_or_get_a_diagnostic(data: bytes) -> None:
    decoded_or_refused(data)


@settings(max_examples=500, deadline=None)
@given(maps(), st.lists(st.tuples(st.integers(0, 127), st.integers(0, 255)), max_size=4))
def test_changed_bytes_decode_or_get_a_diagnostic(m: TensorMap, changes: list[tuple[int, int]]) -> None:
    data = bytearray(m.encode("sm_100"))
    for at, value in changes:
        data[at] = value
    decoded_or_refused(bytes(data))


@settings(max_examples=200, deadline=None)
@given(st.binary(max_size=300).filter(lambda data: len(data) != 128))
def test_bytes_of_another_number_get_a_diagnostic(data: bytes) -> None:
    assert decoded_or_refused(data) is None


@pytest.mark.parametrize("length", [0, 1, 64, 127, 129, 256])
def test_the_diagnostic_counts_the_bytes(length: int) -> None:
    with pytest.raises(Diagnostic, match=f"these are {length}") as e:
        TensorMap.decode(bytes(length))
    assert e.value.code == "PTX2116"


@pytest.mark.parametrize(
    ("bit", "words"), [(70, "rank"), (76, "interleave"), (84, "atoms"), (86, "96 bytes"), (73, "element-type")]
)
def test_fields_that_say_nothing_known(bit: int, words: str) -> None:
    n = int.from_bytes(TensorMap.tiled(**(GOOD | {"swizzle": "64B", "box": (32, 8)})).encode(), "little")
    with pytest.raises(Diagnostic, match=words):
        TensorMap.decode(
            (n | 7 << bit if bit == 70 else n | 3 << bit - 1 if bit == 76 else n | 1 << bit).to_bytes(128, "little")
        )


PACKED: dict[str, Any] = GOOD | {"dtype": "16u4_align16b", "box": (128, 64), "target": "sm_100"}


@pytest.mark.parametrize(
    ("bad", "name", "nearest"),
    [
        ({"dims": (1000, 512)}, "dims", (1024, 512)),
        ({"box": (64, 64)}, "box", (128, 64)),
        ({"swizzle": "64B"}, "swizzle", "128B"),
        ({"swizzle": "128B_atom_64B"}, "swizzle", "128B"),
        ({"dims": (1025, 512), "dtype": "16u4_align8b"}, "dims", (1024, 512)),
        (
            {"interleave": "16B", "dims": (1024, 8, 8), "strides": (512, 4096), "box": (128, 2, 2)},
            *("interleave", "none"),
        ),
    ],
)
def test_packed_elements_have_rules_of_their_own(bad: dict[str, Any], name: str, nearest: Any) -> None:
    with pytest.raises(Diagnostic) as e:
        TensorMap.tiled(**(PACKED | bad))
    assert e.value.code == "PTX2124"
    wanted = (
        nearest if isinstance(nearest, str) else str(next(v for v, w in zip(nearest, bad[name], strict=True) if v != w))
    )
    assert wanted in (e.value.help or "")
    assert TensorMap.tiled(**(PACKED | bad | {name: nearest})).encode("sm_100")


@pytest.mark.parametrize(
    ("dtype", "swizzle", "fields"),
    [
        ("16u4_align8b", "none", (11, 0, 0)),
        ("16u4_align16b", "128B", (12, 3, 0)),
        ("16u6_align16b", "128B_atom_32B", (13, 3, 1)),
        ("bf16", "128B_atom_32B_flip_8B", (10, 3, 2)),
        ("u8", "128B_atom_64B", (0, 3, 3)),
    ],
)
def test_the_fields_of_sm_100_lie_where_ptxas_writes_them(dtype: str, swizzle: str, fields: tuple[int, ...]) -> None:
    inner = {"u8": 128, "bf16": 64}.get(dtype, 128)
    m = TensorMap.tiled(**(PACKED | {"dtype": dtype, "swizzle": swizzle, "box": (inner, 8)}))
    word = int.from_bytes(m.encode("sm_100")[8:12], "little")
    assert (word >> 7 & 15, word >> 13 & 3, word >> 19 & 3) == fields
    assert m.unverified


def test_numbers_beyond_all_bounds_are_refused_in_few_words() -> None:
    for bad in ({"dims": (10**6000, 512)}, {"address": -(10**6000)}, {"strides": (10**6000,)}, {"box": (64, 10**6000)}):
        assert len(str(refused(**bad))) < 2000


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
