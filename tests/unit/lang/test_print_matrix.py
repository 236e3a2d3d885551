"""`k.print` of matrices: every element stands in its row and column, whoever holds it."""

from __future__ import annotations

import re
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import ptxlab as px
from ptxlab.checks import check
from ptxlab.ptx.parser import parse

TYPES = {"f32": np.float32, "tf32": np.float32, "f16": np.float16, "bf16": ml_dtypes.bfloat16, "f64": np.float64,
         "s32": np.int32, "s8": np.int8, "u8": np.uint8, "e4m3": ml_dtypes.float8_e4m3fn,
         "e5m2": ml_dtypes.float8_e5m2}  # fmt: skip
LINE = re.compile(r"(\w+)\[ *(\d+)(?:, (\d+):(\d+))?\](.*)")


def printed(text: str, name: str, shape: tuple[int, int], convert: Any = float) -> np.ndarray[Any, Any]:
    """The matrix that lines show; each element once."""
    out = np.zeros(shape)
    seen = np.zeros(shape, int)
    for line in text.splitlines():
        found = LINE.fullmatch(line)
        assert found is not None, line
        assert found[1] == name
        first = int(found[3] or 0)
        values = [convert(word) for word in found[5].split()]
        assert first + len(values) == int(found[4] or shape[1])
        out[int(found[2]), first : first + len(values)] = values
        seen[int(found[2]), first : first + len(values)] += 1
    assert (seen == 1).all()
    return out


def words_of(held: px.MatrixFragment, matrix: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """What the registers of each thread hold: uint32 [threads, words]."""
    elements = np.ascontiguousarray(matrix[held.rows, held.cols])
    words = elements.view(np.uint32)
    whole = held.registers * (2 if held.bits == 64 else 1)
    repeats = whole // words.shape[1]
    return np.tile(words, (1, repeats))


@pytest.mark.parametrize(
    ("name", "matrix", "dtype", "conversion"),
    [
        ("mma.m16n8k16", "d", "f32", "%7.1f"),
        ("mma.m16n8k16", "d", "f16", "%g"),
        ("mma.m16n8k16", "a", "bf16", "%g"),
        ("mma.m16n8k16", "b", "f16", "%g"),
        ("mma.m16n8k8", "a", "tf32", "%f"),
        ("mma.m8n8k4", "d", "f64", "%e"),
        ("mma.m8n8k4", "a", "f64", "%g"),
        ("mma.m16n8k32", "d", "s32", "%d"),
        ("mma.m16n8k32", "a", "s8", "%4d"),
        ("mma.m16n8k32", "b", "u8", "%u"),
        ("mma.m16n8k32", "a", "e4m3", "%g"),
        ("mma.m16n8k32", "b", "e5m2", "%g"),
        ("wmma.m16n16k16", "d", "f32", "%g"),
        ("wmma.m16n16k16", "a", "f16", "%g"),
        ("wgmma.m64n8k16", "d", "f32", "%g"),
        ("wgmma.m64n24k16", "d", "f16", "%g"),
        ("wgmma.m64n8k16", "a", "bf16", "%g"),
    ],
)
def test_registers(name: str, matrix: str, dtype: str, conversion: str, capsys: pytest.CaptureFixture[str]) -> None:
    held = px.fragment(name, matrix, dtype)
    count = held.shape[0] * held.shape[1]
    values = (np.arange(count) % 113 - (0 if dtype == "u8" else 56)).reshape(held.shape).astype(TYPES[dtype])
    words = words_of(held, values)

    @px.kernel(threads=held.threads)
    def show(k, x: px.Ptr[px.b32], *, ty):
        bits = [k.ld.global_.b32(x[k.tid.x * words.shape[1] + i]) for i in range(words.shape[1])]
        if held.bits == 64:
            registers = [k.mov.b64(bits[i : i + 2]) for i in range(0, len(bits), 2)]
        else:
            registers = bits
        made = k.fragment(name, matrix, ty, registers)
        k.print(f"it {conversion}", made)

    show[1](words, ty=dtype)
    found = printed(capsys.readouterr().out, "it", held.shape)
    np.testing.assert_array_equal(found, values.astype(np.float64))


def test_blocks_of_an_accumulator_and_values_in_front(capsys: pytest.CaptureFixture[str]) -> None:
    @px.kernel(threads=128)
    def show(k):
        acc = k.accumulator(128, 40)
        for row, column, register in acc.elements():
            k.cvt.rn.f32.u32(row * 40 + column, d=register)
        k.print("100%% of step %u acc %g|", 3, acc)

    show[1]()
    lines = capsys.readouterr().out
    assert lines.count("100% of step 3 acc[") == lines.count("|\n") == 128 * 3
    found = printed(lines.replace("100% of step 3 ", "").replace("|", ""), "acc", (128, 40))
    np.testing.assert_array_equal(found, np.arange(128 * 40).reshape(128, 40))


@pytest.mark.parametrize(
    ("dtype", "swizzle", "conversion"),
    [("f32", "none", "%g"), ("f16", "128B", "%g"), ("bf16", "64B", "%g"), ("s32", "32B", "%d"), ("u8", "none", "%3u"),
     ("s8", "none", "%d"), ("e4m3", "128B", "%g"), ("f64", "none", "%g"), ("e5m2", "none", "%g")],
)  # fmt: skip
def test_tiles(dtype: str, swizzle: str, conversion: str, capsys: pytest.CaptureFixture[str]) -> None:
    size = np.dtype(TYPES[dtype]).itemsize
    columns = 32 if swizzle == "none" else max(32, int(swizzle[:-1]) // size)
    values = (np.arange(8 * columns) % 57 - (0 if dtype == "u8" else 28)).reshape(8, columns).astype(TYPES[dtype])

    @px.kernel(threads=32)
    def show(k, x: px.Ptr[px.b32]):
        tile = k.smem(dtype, (8, columns), swizzle=swizzle)
        words = columns * size // 4
        with k.loop(8) as row, k.if_(k.tid.x == 0):
            for i in range(words):
                at = tile.locate(row, i * 4 // size) if size <= 4 else tile.at(row * columns * size + i * 4)
                k.st.shared.b32(at, k.ld.global_.b32(x[row * words + i]))
        k.bar.sync(0)
        k.print(f"tile {conversion}", tile)

    show[1](values.view(np.uint32).reshape(-1))
    np.testing.assert_array_equal(printed(capsys.readouterr().out, "tile", values.shape), values.astype(np.float64))


def test_a_row_and_the_bits_of_elements(capsys: pytest.CaptureFixture[str]) -> None:
    @px.kernel(threads=64)
    def show(k):
        row = k.smem(px.u16, 8)
        with k.if_(k.tid.x == 40):
            for i in range(8):
                k.st.shared.u16(row.at(2 * i), i * 4096)
            k.print("%04x", row)

    show[1]()
    assert capsys.readouterr().out == "[0] " + " ".join(f"{i * 4096:04x}" for i in range(8)) + "\n"


def test_once_for_each_warp_and_where_the_predicate_holds(capsys: pytest.CaptureFixture[str]) -> None:
    @px.kernel(threads=96)
    def show(k):
        d = k.fragment("mma.m16n8k16", "d", "f32")
        for _, _, register in d.elements():
            k.cvt.rn.f32.u32(k.warp, d=register)
        k.print("w%u %g", k.warp, d, pred=k.warp > 0)

    show[1]()
    text = capsys.readouterr().out
    assert [text.count(f"w{w}[") for w in range(3)] == [0, 16, 16]
    assert "w2[15] 2 2 2 2 2 2 2 2\n" in text


@pytest.mark.parametrize(
    ("body", "words"),
    [
        (lambda k, d, t: k.print("%g %u", d, 3), "at the end of the format"),
        (lambda k, d, t: k.print("%g %g", d, d), "at the end of the format"),
        (lambda k, d, t: k.print("%s", d), "at the end of the format"),
        (lambda k, d, t: k.print("%*g", 7, d), "at the end of the format"),
        (lambda k, d, t: k.print("%d", d), "prints integers"),
        (lambda k, d, t: k.print("%d" * 28, *[1] * 27, d), "in front of a matrix"),
        (lambda k, d, t: k.print("%g", k.smem(px.f16, (2, 8, 8))), "has 3 dimensions"),
        (lambda k, d, t: k.print("%g", k.smem(px.f16, (256, 128))), "too large"),
        (lambda k, d, t: k.print("%d", t), "prints integers"),
    ],
)
def test_what_is_no_print_of_a_matrix_is_refused(body: Any, words: str) -> None:
    @px.kernel(threads=32)
    def wrong(k):
        body(k, k.fragment("mma.m16n8k16", "d", "f32"), k.smem(px.f32, (8, 8)))

    with pytest.raises(px.Diagnostic) as found:
        _ = wrong.ptx
    assert found.value.code == "PTX2221"
    assert words in found.value.message
    assert found.value.help


def test_a_tile_has_an_address_too(capsys: pytest.CaptureFixture[str]) -> None:
    @px.kernel(threads=32)
    def show(k):
        tile = k.smem(px.f16, (8, 8))
        k.print("%p|", tile, pred=k.tid.x == 0)

    show[1]()
    assert re.fullmatch(r"0x[0-9a-f]+\|", capsys.readouterr().out)


def test_it_is_ptx_like_any_other() -> None:
    @px.kernel(threads=128)
    def show(k):
        acc = k.accumulator(64, 32)
        for register in acc:
            k.mov.f32(1.0, d=register)
        tile = k.smem(px.e4m3, (8, 128), swizzle="128B")
        k.st.shared.b32(tile.at(k.tid.x * 4), 0)
        k.bar.sync(0)
        k.print("acc %g", acc)
        k.print("tile %g", tile, pred=k.warp == 0)

    assert str(parse(show.ptx)) == show.ptx
    assert [d for d in check(show.ptx) if d.severity == "error"] == []
    from ptxlab.cuda.ptxas import find

    if find() is None:
        pytest.skip("there is no ptxas: install the extra `ptxas`")
    assert show.cubin
