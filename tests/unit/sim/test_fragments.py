"""wmma and mma.m8n8k4 in compiled code: fragments in registers, against the products that numerics computes of the matrices."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest
from numpy.typing import NDArray

from ptxlab.layout.fragments import Fragment, octet_a, octet_b, octet_d
from ptxlab.layout.wmma import wmma
from ptxlab.sim.numerics import doubles
from ptxlab.sim.numerics.kernels import matmul
from ptxlab.sim.numerics.steps import numbers, octet_matmul

from .launching import launch

BITS = {"f16": 16, "bf16": 16, "tf32": 32, "f32": 32, "s32": 32, "f64": 64, "s8": 8, "u8": 8, "s4": 4, "u4": 4, "b1": 1}
FLOATS: dict[str, Any] = {
    "f16": np.float16,
    "bf16": ml_dtypes.bfloat16,
    "tf32": np.float32,
    "f32": np.float32,
    "f64": np.float64,
}
Matrix = NDArray[Any]


def drawn(rng: np.random.Generator, type_: str, shape: tuple[int, int]) -> Matrix:
    """Patterns of numbers near one, so that sums are cut and none is special."""
    if type_ in FLOATS:
        values = rng.standard_normal(shape) * 2.0 ** rng.integers(-3, 4, shape)
        made = values.astype(FLOATS[type_])
        return made.view(f"u{made.itemsize}")
    bits = BITS[type_]
    return rng.integers(0, 1 << bits, shape).astype(np.uint64 if bits == 64 else np.uint32)


def registers(matrix: Matrix, fragment: Fragment, bits: int, count: int) -> NDArray[np.uint8]:
    """What the lanes hold, [register, lane, bytes], elements again and again where there is room."""
    held = matrix[fragment.rows, fragment.cols].astype(np.uint64)
    width = max(32, bits)
    per = width // bits
    held = np.tile(held, (1, count * per // held.shape[1])).reshape(32, count, per)
    words = np.bitwise_or.reduce(held << (np.arange(per, dtype=np.uint64) * np.uint64(bits)), axis=2)
    return np.ascontiguousarray(words.T.astype(f"u{width // 8}")).view(np.uint8).reshape(count, -1)


def launched(opcode: str, parts: list[NDArray[np.uint8]], width: int, results: int) -> tuple[NDArray[np.uint8], int]:
    """D's registers as bytes of the lanes, and how many instructions went to Python."""
    lines = [f".reg .b{width} {x}<{len(part)}>;" for x, part in zip("abc", parts, strict=True)]
    at = 0
    for x, part in zip("abc", parts, strict=True):
        for i in range(len(part)):
            lines.append(f"ld.global.b{width} {x}{i}, [p+{at}];")
            at += part.shape[1]
    names = {x: "{" + ", ".join(f"{x}{i}" for i in range(len(p))) + "}" for x, p in zip("abc", parts, strict=True)}
    d = "{" + ", ".join(f"d{i}" for i in range(results)) + "}"
    text = f""".visible .entry k(.param .u64 from, .param .u64 to) {{
        .reg .b32 t; .reg .b64 p, q; .reg .b{width} d<{results}>; ld.param.u64 p, [from]; ld.param.u64 q, [to];
        mov.u32 t, %laneid; mad.wide.u32 p, t, {width // 8}, p; mad.wide.u32 q, t, {width // 8}, q;
        {" ".join(lines)} {opcode} {d}, {names["a"]}, {names["b"]}, {names["c"]};
        {" ".join(f"st.global.b{width} [q+{32 * width // 8 * i}], d{i};" for i in range(results))} ret; }}"""
    target = np.zeros(results * 4 * width, np.uint8)
    report = launch(text, [np.concatenate([p.reshape(-1) for p in parts]), target])
    return target, sum(report.stats.traps.values())


def gathered(raw: NDArray[np.uint8], fragment: Fragment, bits: int, results: int) -> Matrix:
    width = max(32, bits) // 8
    lanes = np.ascontiguousarray(raw.reshape(results, 32, width).transpose(1, 0, 2)).reshape(32, -1)
    out = np.zeros(fragment.shape, f"u{bits // 8}")
    out[fragment.rows, fragment.cols] = lanes.view(out.dtype)
    return out


def expected(a: Matrix, b: Matrix, c: Matrix, type_: str, own: str, out: str) -> Matrix:
    if type_ == "f64":
        return doubles.matmul(a, b, c)
    if type_ in FLOATS:
        if own == "f16" and out == "f32":
            c = c.view(np.float16).astype(np.float32).view(np.uint32)
        kept = out if own == out else "f32"
        step = 4 if type_ == "tf32" else a.shape[1]
        for first in range(0, a.shape[1], step):
            c = matmul(a[:, first : first + step], b[first : first + step], c, type_, out=kept)
        if kept != out:
            c = c.view(np.float32).astype(np.float16).view(np.uint16)
        return c.astype(f"u{BITS[out] // 8}")
    x, y = (v.astype(np.int64) for v in (a, b))
    if type_ == "b1":
        total = np.bitwise_xor(x[:, :, None], y[None]).sum(axis=1)
    else:
        half = 1 << BITS[type_] - 1
        x, y = (v - 2 * half * (v >= half) if type_[0] == "s" else v for v in (x, y))
        total = x @ y
    total = total + c.astype(np.uint32).view(np.int32)
    if type_[0] != "b":
        total = np.clip(total, -(1 << 31), (1 << 31) - 1)
    return total.astype(np.int64).astype(np.uint32)


WMMA = [
    *(
        (s, "f16", own, out)
        for s in ("m16n16k16", "m8n32k16", "m32n8k16")
        for own in ("f16", "f32")
        for out in ("f16", "f32")
    ),
    *(
        (s, t, o, o)
        for s in ("m16n16k16", "m8n32k16", "m32n8k16")
        for t, o in (("bf16", "f32"), ("s8", "s32"), ("u8", "s32"))
    ),
    ("m16n16k8", "tf32", "f32", "f32"),
    ("m8n8k4", "f64", "f64", "f64"),
    *(("m8n8k32", t, "s32", "s32") for t in ("s4", "u4")),
    ("m8n8k128", "b1", "s32", "s32"),
]


@pytest.mark.parametrize(("shape", "type_", "own", "out"), WMMA)
def test_wmma(shape: str, type_: str, own: str, out: str) -> None:
    m, rest = shape[1:].split("n")
    extents = int(m), *map(int, rest.split("k"))
    bits = BITS[type_]
    rng = np.random.default_rng(3)
    sizes = {"a": (extents[0], extents[2]), "b": (extents[2], extents[1]), "c": extents[:2]}
    types = {"a": type_, "b": type_, "c": own}
    matrices, parts = {}, []
    for letter, size in sizes.items():
        matrices[letter] = drawn(rng, types[letter], size)
        fragment, wide = wmma(letter, extents, bits), BITS[types[letter]]  # type: ignore[arg-type]
        count = 8 if type_ == "f16" and letter != "c" else fragment.elements * wide // max(32, wide)
        parts.append(registers(matrices[letter], fragment, wide, count))
    target = wmma("d", extents, bits)
    results = target.elements * BITS[out] // max(32, BITS[out])
    typed = {"f16": f"{out}.{own}", "f64": "f64.f64.f64.f64"}.get(type_, f"{out}.{type_}.{type_}.{own}")
    tail = ".satfinite" if type_[1:] in ("8", "4") else ""
    bit = ".xor.popc" if type_ == "b1" else ""
    opcode = f"wmma.mma{bit}.sync.aligned.row.col.{shape}.{typed}{tail}"
    raw, traps = launched(opcode, parts, max(32, bits), results)
    assert traps == 0
    want = expected(matrices["a"], matrices["b"], matrices["c"], type_, own, out)
    assert np.array_equal(gathered(raw, target, BITS[out], results), want)


@pytest.mark.parametrize(("own", "out"), [("f16", "f16"), ("f32", "f32"), ("f16", "f32")])
@pytest.mark.parametrize("layouts", [("row", "col"), ("col", "row"), ("row", "row"), ("col", "col")])
@pytest.mark.parametrize("special", [False, True])
def test_octets(layouts: tuple[str, str], own: str, out: str, *, special: bool) -> None:
    rng = np.random.default_rng(4)
    patterns = [drawn(rng, t, s) for t, s in (("f16", (32, 4)), ("f16", (4, 32)), (own, (32, 8)))]
    if special:
        patterns = [rng.integers(0, 1 << 8 * x.itemsize, x.shape).astype(x.dtype) for x in patterns]
    a, b, c = patterns
    fragments = octet_a(layouts[0]), octet_b(layouts[1]), octet_d(BITS[own])
    parts = [
        registers(x, f, 8 * x.itemsize, f.elements * x.itemsize // 4) for x, f in zip(patterns, fragments, strict=True)
    ]
    results = 8 * BITS[out] // 32
    opcode = f"mma.sync.aligned.m8n8k4.{layouts[0]}.{layouts[1]}.{out}.f16.f16.{own}"
    raw, traps = launched(opcode, parts, 32, results)
    assert traps == 0
    left, right = a.reshape(4, 8, 4), b.reshape(4, 4, 8).transpose(1, 0, 2)
    values = numbers(left, "f16"), numbers(right, "f16"), numbers(c.reshape(4, 8, 8), own)
    want = octet_matmul(*values, out).reshape(32, 8)
    assert np.array_equal(gathered(raw, octet_d(BITS[out]), BITS[out], results), want)
