"""mma.sp and wgmma.sp against the dense product of the matrix that metadata and elements stand for."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest
from numpy.typing import NDArray

from ptxlab.layout.fragments import mma_a, mma_b, mma_d

from ...launching import launch

BITS = {"f16": 16, "bf16": 16, "tf32": 32, "s8": 8, "s4": 4, "e4m3": 8}
DTYPES = {"f16": np.float16, "bf16": ml_dtypes.bfloat16, "tf32": np.float32, "e4m3": ml_dtypes.float8_e4m3fn}
DICE = np.random.default_rng(3)


def packed(patterns: NDArray[np.uint32], bits: int) -> NDArray[np.uint32]:
    """Elements of 32 lanes as registers, one row of 32 words a register."""
    per = 32 // bits
    parts = patterns.reshape(32, -1, per).astype(np.uint64) << (np.arange(per, dtype=np.uint64) * np.uint64(bits))
    return np.ascontiguousarray(parts.sum(axis=2).astype(np.uint32).T)


def bits_of(values: NDArray[np.int64], type_: str) -> NDArray[np.uint32]:
    if type_ in DTYPES:
        made = values.astype(DTYPES[type_])
        return made.view(f"u{made.itemsize}").astype(np.uint32)
    return (values & (1 << BITS[type_]) - 1).astype(np.uint32)


def put_nibbles(
    words: NDArray[np.uint32], row: int, group: int, four: int, bits: int, groups: int, selector: int
) -> None:
    """Four bits of metadata where the manual's figures have them."""
    lanes = groups // 4
    if bits >= 16 or lanes == 1:
        lane, half, at = group // 4, row // 8, group % 4
        words[4 * (row % 8) + lanes * selector + lane] |= np.uint32(four << (16 * half + 4 * at))
    else:
        lane = row // 8 + group // 8 * 2
        words[4 * (row % 8) + lanes * selector + lane] |= np.uint32(four << 4 * (group % 8))


@pytest.mark.parametrize(
    ("shape", "type_", "selector"),
    [
        *(("m16n8k16", t, s) for t in ("f16", "bf16") for s in range(4)),
        *(("m16n8k32", "f16", s) for s in range(2)),
        *(("m16n8k8", "tf32", s) for s in (0, 3)),
        ("m16n8k16", "tf32", 1),
        ("m16n8k32", "s8", 1),
        ("m16n8k64", "s8", 0),
        ("m16n8k64", "s4", 1),
        ("m16n8k128", "s4", 0),
        ("m16n8k64", "e4m3", 0),
    ],
)
def test_products_of_one_warp(shape: str, type_: str, selector: int) -> None:
    k, bits = int(shape.partition("k")[2]), BITS[type_]
    size = {32: 2, 4: 8}.get(bits, 4)
    unit = 2 if bits == 4 else 1
    dense, stored = np.zeros((16, k), np.int64), np.zeros((16, k // 2), np.int64)
    words = np.zeros(32, np.uint32)
    for row in range(16):
        for group in range(k // size):
            values = DICE.integers(-3, 4, size // 2)
            stored[row, group * size // 2 : (group + 1) * size // 2] = values
            if bits == 32:
                place = int(DICE.integers(0, 2))
                dense[row, 2 * group + place] = values[0]
                four = 0xE if place else 0x4
            else:
                i, j = sorted(DICE.permutation(4)[:2].tolist())
                four = i | j << 2
                for place, part in ((i, values[:unit]), (j, values[unit:])):
                    dense[row, size * group + unit * place : size * group + unit * (place + 1)] = part
            put_nibbles(words, row, group, four, bits, k // size, selector)
    b = DICE.integers(-3, 4, (k, 8))
    c = DICE.integers(-50, 50, (16, 8))
    out = "s32" if type_[0] == "s" else "f32"
    c_bits = c.astype(np.int32).view(np.uint32) if out == "s32" else c.astype(np.float32).view(np.uint32)
    a_lanes, b_lanes = mma_a(bits), mma_b(bits, 4)
    a_count, b_count = 16 * k // 64, k // 4  # elements of a lane
    source = np.concatenate(
        [
            packed(bits_of(stored, type_)[a_lanes.rows[:, :a_count], a_lanes.cols[:, :a_count]], bits),
            packed(bits_of(b, type_)[b_lanes.rows[:, :b_count], b_lanes.cols[:, :b_count]], bits),
            packed(c_bits[mma_d().rows, mma_d().cols], 32),
            words[None],
        ]
    )
    counts = {"a": a_count * bits // 32, "b": b_count * bits // 32, "c": 4, "m": 1}
    names = [f"{x}{i}" for x, n in counts.items() for i in range(n)]
    lists = {x: "{" + ", ".join(n for n in names if n[0] == x) + "}" for x in "abc"}
    opcode = f"mma.sp::ordered_metadata.sync.aligned.{shape}.row.col.{out}.{type_}.{type_}.{out}"
    text = f""".visible .entry k(.param .u64 from, .param .u64 to) {{ .reg .b32 a<5>, b<5>, m<2>, t; .reg .b64 p, q;
        .reg .{"f32" if out == "f32" else "b32"} c<5>;
        ld.param.u64 p, [from]; ld.param.u64 q, [to]; mov.u32 t, %laneid; mad.wide.u32 p, t, 4, p; mad.wide.u32 q, t, 4, q;
        {" ".join(f"ld.global.b32 {name}, [p+{128 * i}];" for i, name in enumerate(names))}
        {opcode} {lists["c"]}, {lists["a"]}, {lists["b"]}, {lists["c"]}, m0, {selector};
        {" ".join(f"st.global.b32 [q+{128 * i}], c{i};" for i in range(4))} ret; }}"""
    target = np.zeros(128, np.uint32)
    report = launch(text, [source.reshape(-1), target])
    assert not report.stats.traps
    found = np.zeros((16, 8), np.uint32)
    found[mma_d().rows, mma_d().cols] = target.reshape(4, 32).T
    want = dense @ b + c
    assert np.array_equal(found.view(np.int32 if out == "s32" else np.float32), want)
    if out == "f32":
        source[-1] = 0  # two elements at one place
        assert sum(launch(text, [source.reshape(-1), target]).stats.traps.values()) == 1
