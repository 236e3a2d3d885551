"""Arguments become the bytes that the entry's parameters lay out, or one diagnostic says which one does not."""

from __future__ import annotations

import ctypes
import struct

import ml_dtypes
import numpy as np
import pytest

from ptxlab.abi.maps import BoundMap, tensor_map
from ptxlab.abi.params import pack
from ptxlab.abi.rules import ArrayRule, MapRule
from ptxlab.diag import Diagnostic
from ptxlab.isa.types import TYPES
from ptxlab.launch.arrays import empty
from ptxlab.ptx.program import Param


def layout(*kinds: str) -> tuple[list[Param], int]:
    """Parameters p0, p1 … of types such as "u32" or "b8[128]@64", laid out as PTX does, and the block's size."""
    params: list[Param] = []
    at = 0
    for i, kind in enumerate(kinds):
        name, _, align = kind.partition("@")
        base, _, count = name.partition("[")
        number = int(count.rstrip("]") or 1)
        size = TYPES[base].bytes * number
        step = int(align or TYPES[base].bytes)
        at = -(-at // step) * step
        params.append(Param(f"p{i}", TYPES[base], number, size, step, at, is_array=bool(count)))
        at += size
    return params, at


def packed(kinds: list[str], args: list[object], rules: dict[str, object] | None = None) -> bytes:
    params, size = layout(*kinds)
    found: list[Diagnostic] = []
    out = pack(params, size, args, rules or {}, found)  # type: ignore[arg-type]
    if found:
        raise found[0]
    return out.data


def test_block_is_laid_out_with_padding() -> None:
    a = np.zeros(4, np.float32)
    raw = packed(["u32", "u64", "f32", "u16"], [7, a, 1.5, np.uint16(3)])
    assert raw == struct.pack("<I4xQfH", 7, a.ctypes.data, 1.5, 3)


@pytest.mark.parametrize(
    ("kind", "value", "raw"),
    [
        ("u32", -1, b"\xff\xff\xff\xff"),
        ("u32", 2**32 - 1, b"\xff\xff\xff\xff"),
        ("s32", -(2**31), b"\x00\x00\x00\x80"),
        ("u8", True, b"\x01"),
        ("u8", np.bool_(True), b"\x01"),
        ("u64", np.int64(-2), b"\xfe" + b"\xff" * 7),
        ("b16", ml_dtypes.bfloat16(1.0), b"\x80\x3f"),
        ("b32", np.float32(1.0), b"\x00\x00\x80\x3f"),
        ("f16", 1.0, b"\x00\x3c"),
        ("bf16", 1, b"\x80\x3f"),
        ("f32", np.float64(0.1), struct.pack("<f", 0.1)),
        ("f64", 0.1, struct.pack("<d", 0.1)),
        ("f32", float("inf"), struct.pack("<f", float("inf"))),
        ("b8[4]", b"abcd", b"abcd"),
        ("b8[8]@4", np.array((1, 2.0), [("i", "<i4"), ("x", "<f4")])[()], struct.pack("<if", 1, 2.0)),
        ("b8[4]", (ctypes.c_int * 1)(5), b"\x05\x00\x00\x00"),
        ("b8[4]", bytearray(b"abcd"), b"abcd"),
        ("b8[4]", np.frombuffer(b"abcd", np.uint8), b"abcd"),
        ("b8[128]@64", np.full((2, 64), 7, np.uint8), b"\x07" * 128),
        ("b8[8]@8", np.frombuffer(b"abcdefgh", np.uint8), b"abcdefgh"),
        ("b8[1]", b"a", b"a"),
        ("b8[1]", bytearray(b"a"), b"a"),
        ("b8[1]", memoryview(b"a"), b"a"),
        ("b8[1]", np.array([97], np.uint8), b"a"),
        ("b8[1]", 97, b"a"),
        ("b8[1]", np.uint8(97), b"a"),
        ("s8[1]", np.array([-1], np.int8), b"\xff"),
        ("b32[1]", b"abcd", b"abcd"),
        ("b32[2]", np.array([1, 2], np.uint32), struct.pack("<II", 1, 2)),
        ("f32[2]", np.array([1, 2], np.float32)[::-1], struct.pack("<ff", 2, 1)),
        ("f32[2]", np.zeros(8, np.uint8), bytes(8)),
    ],
)
def test_scalars(kind: str, value: object, raw: bytes) -> None:
    assert packed([kind], [value]) == raw


@pytest.mark.parametrize(
    ("kind", "value", "code"),
    [
        ("u32", 2**32, "PTX2305"),
        ("u32", -(2**31) - 1, "PTX2305"),
        ("s32", 2**31, "PTX2305"),
        ("u8", 256, "PTX2305"),
        ("u32", 1.5, "PTX2302"),
        ("u32", np.float32(1.5), "PTX2302"),
        ("b32", 1.5, "PTX2302"),
        ("b64", np.float32(1.5), "PTX2302"),
        ("f32", 1e39, "PTX2305"),
        ("f16", 65520.0, "PTX2305"),
        ("f32", "1.0", "PTX2302"),
        ("u32", None, "PTX2302"),
        ("u32", np.zeros(3, np.uint32), "PTX2302"),
        ("b8[128]@64", np.zeros((64, 64), np.float32), "PTX2302"),
        ("b8[8]", b"abcd", "PTX2302"),
        ("b8[1]", b"", "PTX2302"),
        ("b8[1]", b"ab", "PTX2302"),
        ("b8[1]", np.zeros(2, np.uint8), "PTX2302"),
        ("b8[1]", "a", "PTX2302"),
        ("b8[8]", np.zeros(7, np.uint8), "PTX2302"),
        ("b8[8]", np.zeros(2, np.float32), "PTX2302"),
        ("f32[2]", np.zeros(2, np.int32), "PTX2302"),
        ("u32", np.zeros(4, np.uint8), "PTX2302"),
        ("b8[8]", 5, "PTX2302"),
        ("u64", np.array([object()]), "PTX2306"),
    ],
)
def test_misfits_name_the_parameter(kind: str, value: object, code: str) -> None:
    with pytest.raises(Diagnostic) as caught:
        packed(["u32", kind], [1, value])
    assert caught.value.code == code
    assert "Argument 1 (`p1`)" in caught.value.message
    assert caught.value.help


def test_an_array_of_eight_bytes_is_still_pointed_at() -> None:
    a = np.zeros(8, np.uint8)
    assert packed(["b64[1]"], [a]) == a.ctypes.data.to_bytes(8, "little")


def test_count() -> None:
    with pytest.raises(Diagnostic) as caught:
        packed(["u32", "u64"], [1])
    assert caught.value.code == "PTX2301"
    assert "p1 (.u64)" in (caught.value.help or "")


def test_tensor_map_takes_128_bytes_and_brings_its_array() -> None:
    a = empty((64, 64), "bfloat16")
    bound = tensor_map(a, (8, 64), swizzle=128)
    params, size = layout("b8[128]@64")
    out = pack(params, size, [bound], {}, [])
    assert out.data == bound.encode()
    assert len(out.data) == 128
    [buffer] = out.buffers
    assert (buffer.name, buffer.address, buffer.nbytes) == ("p0", a.ctypes.data, a.nbytes)
    with pytest.raises(Diagnostic) as caught:
        packed(["u64"], [bound])
    assert caught.value.code == "PTX2302"
    assert "map.encode()" in (caught.value.help or "")
    assert "buffers=[…]" in (caught.value.help or "")
    with pytest.raises(Diagnostic) as caught:
        packed(["f32"], [bound])
    assert "encode" not in (caught.value.help or "")  # no pointer to a map either


def test_buffers_cover_views_in_both_directions_and_repeat_no_memory() -> None:
    a = np.arange(100, dtype=np.int32)
    a.flags.writeable = False
    params, size = layout("u64", "u64", "u64", "u64")
    out = pack(params, size, [a[::-1], a[10:20:3], a[::-1], a[:0]], {}, [])
    assert struct.unpack_from("<Q", out.data)[0] == a.ctypes.data + 99 * 4
    assert [(b.name, b.address - a.ctypes.data, b.nbytes, b.writable) for b in out.buffers] == [
        ("p0", 0, 400, False),
        ("p1", 40, 40, False),
        ("p3", 0, 0, False),  # for reports: there is an array, without elements
    ]


def found_by(rule: object, arg: object, kind: str = "u64") -> list[str]:
    params, size = layout(kind)
    found: list[Diagnostic] = []
    pack(params, size, [arg], {"p0": rule}, found)  # type: ignore[dict-item]
    return [d.code for d in found]


@pytest.mark.parametrize(
    ("dtype", "array", "fits"),
    [
        ("f32", np.float32, True),
        ("f32", np.int32, False),
        ("b32", np.float32, True),
        ("b32", np.float64, False),
        ("b8", np.float64, True),
        ("u32", np.int32, True),
        ("u32", np.float32, False),
        ("bf16", ml_dtypes.bfloat16, True),
        ("bf16", np.float16, False),
        ("tf32", np.float32, True),
        ("e4m3", ml_dtypes.float8_e4m3fn, True),
        ("e4m3", ml_dtypes.float8_e5m2, False),
    ],
)
def test_dtype_rule(dtype: str, array: type, fits: bool) -> None:
    assert found_by(ArrayRule(dtype=TYPES[dtype]), np.zeros(4, array)) == ([] if fits else ["PTX2307"])


def test_rank_contiguity_and_alignment_rules() -> None:
    a = empty((8, 8), np.float32)
    assert found_by(ArrayRule(rank=1), a) == ["PTX2308"]
    assert found_by(ArrayRule(contiguous=True), a) == []
    assert found_by(ArrayRule(contiguous=True), a[:1, :]) == []
    assert found_by(ArrayRule(contiguous=True), a.T) == ["PTX2309"]
    assert found_by(ArrayRule(contiguous=True), a[:, :4]) == ["PTX2309"]
    assert found_by(ArrayRule(align=16), a[0, 4:]) == []
    assert found_by(ArrayRule(align=16), a[0, 1:]) == ["PTX2310"]
    assert found_by(ArrayRule(rank=3, contiguous=True, align=16), a.T[1:]) == ["PTX2308", "PTX2309", "PTX2310"]


def test_map_rule() -> None:
    made: BoundMap = tensor_map(empty((64, 64), "bfloat16"), (8, 64), swizzle="128B")
    kind = "b8[128]@64"
    assert found_by(MapRule(2, "bf16", (64, 8), "128B"), made, kind) == []
    assert found_by(MapRule(3, "f16"), made, kind) == ["PTX2308"]
    assert found_by(MapRule(2, "f16"), made, kind) == ["PTX2307"]
    assert found_by(MapRule(2, "b16", (8, 64), "64B"), made, kind) == ["PTX2317", "PTX2317"]
    assert found_by(MapRule(2, "bf16", (8, 64)), made.map, kind) == ["PTX2317"]


@pytest.mark.parametrize(
    ("made", "wanted", "fits"),
    [
        *(("e4m3", "e4m3", True), ("e5m2", "e5m2", True), ("uint8", "e4m3", True), ("int8", "e5m2", True)),
        *(("e4m3", "b8", True), ("e4m3", "e5m2", False), ("e5m2", "e4m3", False)),
    ],
)
def test_the_two_types_of_float8_are_told_apart(made: str, wanted: str, fits: bool) -> None:
    array = empty((64, 128), made)
    found = found_by(MapRule(2, wanted), tensor_map(array, box=(8, 128)), "b8[128]@64")
    assert found == ([] if fits else ["PTX2307"])
    for word in (wanted, "u8"):
        assert tensor_map(array, box=(8, 128), dtype=word).map.dtype == "u8"
