"""Tiles: where they lie, their parts, their swizzled places, their descriptors."""

from __future__ import annotations

import numpy as np
import pytest
from tracing import fails, instructions

import ptxlab as px
from ptxlab.lang.kernel import KernelFunction
from ptxlab.lang.smem.tile import Tile
from ptxlab.layout import MatrixDescriptor, element_offsets, swizzle

_OPS = {
    "mul": lambda a, b: a * b,
    "add": lambda a, b: a + b,
    "and": lambda a, b: a & b,
    "or": lambda a, b: a | b,
    "xor": lambda a, b: a ^ b,
    "shr": lambda a, b: a >> b,
}


def evaluate(lines: list[str], **values: int) -> dict[str, int]:
    """Run straight-line integer instructions; `values` are the registers known before."""
    known = {f"%{n}": v for n, v in values.items()}

    def value(word: str) -> int:
        return known[word] if word.startswith("%") else int(word, 0)

    for line in lines:
        opcode, _, rest = line.partition(" ")
        name = opcode.split(".")[0]
        d, *operands = rest.replace("{", "").replace("}", "").split(", ")
        if name == "mad":
            a, b, c = map(value, operands)
            known[d] = a * b + c
        elif name == "mov":
            low, high = map(value, operands)
            known[d] = low | high << 32
        elif name in _OPS:
            known[d] = _OPS[name](*map(value, operands))
    return known


def traced_with(fn, **constants):
    return KernelFunction(fn, threads=128).trace(**constants)


def test_static_until_48_kilobytes_then_one_dynamic_block() -> None:
    def kernel(k, *, n: int):
        k.smem(px.b8, 100)
        k.smem(px.f32, (n, 256), align=1024, name="large")
        k.smem(px.f64, 1)

    small, large = traced_with(kernel, n=40), traced_with(kernel, n=48)
    assert small.shared_dynamic == 0
    assert ".shared .align 1024 .b8 large[" in small.text()
    assert large.shared_dynamic == 1024 + 48 * 1024 + 8
    text = large.text()
    assert ".extern .shared .align 1024 .b8 dynamic_shared[];" in text
    assert "mov.u32 %large, dynamic_shared+1024;" in text
    assert "mov.u32 %smem_1, dynamic_shared+50176;" in text


def test_exactly_48_kilobytes_are_static() -> None:
    def kernel(k, *, n: int):
        k.smem(px.f32, (n, 256))

    assert traced_with(kernel, n=48).shared_dynamic == 0
    assert traced_with(kernel, n=49).shared_dynamic == 49 * 1024


def tile_in(shape, dtype=px.bf16, mode="128B") -> list[Tile]:
    out: list[Tile] = []

    def kernel(k):
        tile = k.smem(dtype, shape, swizzle=mode)
        out.extend((tile, tile[1] if len(shape) > 2 else tile))

    traced_with(kernel)
    return out


def test_sizes_of_swizzled_tiles() -> None:
    stages, stage = tile_in((4, 128, 64))
    assert (stages.nbytes, stages.footprint, stage.nbytes, stage.offset) == (65536, 65536, 16384, 16384)
    narrow, _ = tile_in((32, 16), px.f32)
    assert (narrow.nbytes, narrow.footprint) == (2048, 4096)  # rows as far apart as the swizzle's span
    wide, _ = tile_in((64, 256))
    assert (wide.panel_columns, wide.panel_bytes, wide.footprint) == (64, 8192, 32768)


def test_parts() -> None:
    def kernel(k, i: px.u32):
        a = k.smem(px.bf16, (4, 128, 64), swizzle="128B", name="a")
        b = k.smem(px.bf16, (4, 64, 256), swizzle="128B", name="b")
        half = a.part(1, 2, axis=1)
        assert (half.shape, half.offset, half[3].offset) == ((4, 64, 64), 8192, 8192 + 3 * 16384)
        assert b[2].part(1, 2, axis=1).offset == 2 * 32768 + 2 * 8192
        assert b.part(1, 2, axis=-1).shape == (4, 64, 128)
        a.part(i, 2, axis=1)[i]

    assert instructions(kernel) == [
        "mad.lo.u32 %u0, %i, 8192, %a",
        "mad.lo.u32 %u1, %i, 16384, %u0",
    ]


@pytest.mark.parametrize("mode", ["none", "32B", "64B", "128B"])
def test_located_elements_lie_where_the_swizzle_puts_them(mode: str) -> None:
    columns = {"none": 64, "32B": 16, "64B": 32, "128B": 64}[mode]

    def kernel(k, row: px.u32, column: px.u32):
        tile = k.smem(px.bf16, (64, columns), swizzle=mode, align=1024, name="tile")
        k.mov.u32(tile.locate(row, column).register(), d=k.reg(px.u32))
        k.mov.u32(tile.locate(row, 12).register(), d=k.reg(px.u32))
        k.mov.u32(tile.locate(5, 12).register(), d=k.reg(px.u32))

    found = instructions(kernel)
    moves = [i.split(", ")[1] for i in found if i.startswith("mov.u32")]
    rest = [i for i in found if not i.startswith("mov.u32")]
    for row, column in ((0, 0), (1, 8), (5, 13), (63, columns - 1), (7, 9)):
        known = evaluate(rest, row=row, column=column, tile=0x4000)
        for place, (r, c) in zip(moves, ((row, column), (row, 12), (5, 12)), strict=True):
            assert known[place] == 0x4000 + swizzle((r * columns + c) * 2, mode)


def test_located_elements_in_further_panels() -> None:
    def kernel(k, row: px.u32):
        tile = k.smem(px.bf16, (64, 128), swizzle="128B", name="tile")
        k.mov.u32(tile.locate(row, 64 + 9).register(), d=k.reg(px.u32))

    found = instructions(kernel)
    known = evaluate(found[:-1], row=10, tile=0x400)
    assert known[found[-1].split(", ")[1]] == 0x400 + 8192 + swizzle(10 * 128 + 18, "128B")


@pytest.mark.parametrize(("major", "shape"), [("K", (128, 64)), ("MN", (64, 256))])
def test_descriptors_read_what_tma_wrote(major: str, shape: tuple[int, int]) -> None:
    rank = 0x01000000  # a shared address in a cluster carries the CTA's rank

    def kernel(k, stage: px.u32, cta: px.u32):
        tile = k.smem(px.bf16, (4, *shape), swizzle="128B", name="tile")
        for i, made in enumerate(tile[stage].descriptor(major)):
            k.mov.b64(made, d=k.named_register(f"result_{i}", made.scalar))

    found = instructions(kernel, threads=128)
    lines = [i for i in found if "result" not in i]
    moves = [i.split(", ")[1] for i in found if "result" in i]
    known = evaluate(lines, stage=3, tile=rank | 0x2000)
    base = 0x2000 + 3 * shape[0] * shape[1] * 2
    row, column = np.divmod(np.arange(shape[0] * shape[1]), shape[1])
    panel, within = np.divmod(column, 64)
    flat = (panel * shape[0] * 128 + row * 128 + within * 2).reshape(shape)
    for step, name in enumerate(moves):
        desc = MatrixDescriptor.decode(known[name])
        read = element_offsets(desc, 64, 16, 16, major)  # type: ignore[arg-type]
        at = slice(16 * step, 16 * step + 16)
        wrote = base + swizzle(flat, "128B")
        expected = wrote[:64, at] if major == "K" else wrote[at, :64].T
        assert np.array_equal(read, expected)


@pytest.mark.parametrize("major", ["K", "MN"])
def test_descriptors_of_all_stages_move_to_one(major: str) -> None:
    """tile.descriptor().stage(i) reads what tile[i].descriptor() does, for parts and constant stages too."""

    def kernel(k, stage: px.u32, half: px.u32):
        tile = k.smem(px.bf16, (4, 128, 64), swizzle="128B", name="tile").part(half, 2, axis=1)
        made = tile.descriptor(major)
        for i, desc in enumerate(
            (made.stage(stage), tile[stage].descriptor(major), made.stage(2), tile[2].descriptor(major))
        ):
            k.mov.b64(desc[1], d=k.named_register(f"result_{i}", px.b64.scalar))

    found = instructions(kernel)
    known = evaluate([i for i in found if "result" not in i], stage=2, half=1, tile=0x400)
    values = {known[i.split(", ")[1]] for i in found if "result" in i}
    assert len(values) == 1


def test_a_tile_without_stages_has_none() -> None:
    def kernel(k, stage: px.u32):
        k.smem(px.bf16, (128, 64), swizzle="128B").descriptor().stage(stage)  # here

    fails(kernel, "PTX2121")


def test_operands_lie_in_two_ways() -> None:
    def kernel(k):
        k.smem(px.bf16, (128, 64), swizzle="128B").descriptor("N")  # here

    assert fails(kernel, "PTX2121").help == 'use "K" or "MN"'


def test_remote_tiles() -> None:
    def kernel(k, rank: px.u32):
        tile = k.smem(px.f32, 8)
        k.st.shared__cluster.f32(tile.remote(rank) + 4, 1.0)

    assert instructions(kernel) == [
        "mapa.shared::cluster.u32 %u0, %smem, %rank",
        "st.shared::cluster.f32 [%u0+4], 0f3F800000",
    ]
