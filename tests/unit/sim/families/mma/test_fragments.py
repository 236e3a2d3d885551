"""wmma and mma.m8n8k4 in compiled code: fragments in registers, against the products that numerics computes of the matrices."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest

from ptxlab.layout.fragments import mma_a, mma_b, mma_d, octet_a, octet_b, octet_d
from ptxlab.layout.wmma import wmma
from ptxlab.sim.numerics.kernels import matmul

from ...fragments import BITS, FLOATS, Matrix, drawn, gathered, launched, registers


def rounded(value: Fraction, mode: str) -> float:
    """A fraction as f64, away from the least and the largest numbers."""
    close = float(value)
    if mode == "rn" or Fraction(close) == value:
        return close
    below = close if Fraction(close) < value else math.nextafter(close, -math.inf)
    above = math.nextafter(below, math.inf)
    up = mode == "rp" or (mode == "rz" and value < 0)
    return above if up else below


def chained(a: Matrix, b: Matrix, c: Matrix, mode: str) -> Matrix:
    """Fused multiply-adds from the addend on, k ascending, each rounded."""
    out = c.copy()
    for i, j in np.ndindex(*c.shape):
        total = float(c[i, j])
        for k in range(a.shape[1]):
            total = rounded(Fraction(a[i, k]) * Fraction(b[k, j]) + Fraction(total), mode)
        out[i, j] = total
    return out


def octet_products(a: Matrix, b: Matrix, c: Matrix, out: str) -> Matrix:
    """Four products [4, 8, 4] x [4, 4, 8] + [4, 8, 8] as ptxas computes them: in f32, multiply-adds from +0 on, then the addend."""
    with np.errstate(all="ignore"):
        p = [a[:, :, k, None].astype(np.float32) * b[:, None, k, :].astype(np.float32) for k in range(4)]
        c = c.astype(np.float32)
        if out == "f16":
            made = ((c + (p[0] + p[1])) + (p[2] + p[3])).astype(np.float16)
        else:
            made = c + ((((np.float32(0) + p[0]) + p[1]) + p[2]) + p[3])
    return np.where(np.isnan(made), 0x7FFF if out == "f16" else 0x7FFF_FFFF, made.view(f"u{made.itemsize}"))


def expected(a: Matrix, b: Matrix, c: Matrix, type_: str, own: str, out: str) -> Matrix:
    if type_ == "f64":
        return chained(*(x.view(np.float64) for x in (a, b, c)), "rn").view(np.uint64)
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
@pytest.mark.parametrize("data", ["near", "bits", "zeros"])
def test_octets(layouts: tuple[str, str], own: str, out: str, data: str) -> None:
    rng = np.random.default_rng(4)
    patterns = [drawn(rng, t, s) for t, s in (("f16", (32, 4)), ("f16", (4, 32)), (own, (32, 8)))]
    if data == "bits":
        patterns = [rng.integers(0, 1 << 8 * x.itemsize, x.shape).astype(x.dtype) for x in patterns]
    elif data == "zeros":  # of both signs, but for one in eight
        signs = [x.dtype.type(1 << 8 * x.itemsize - 1) for x in patterns]
        patterns = [np.where(rng.integers(0, 8, x.shape) == 0, x, x & s) for x, s in zip(patterns, signs, strict=True)]
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
    values = left.view(np.float16), right.copy().view(np.float16), c.view(FLOATS[own]).reshape(4, 8, 8)
    want = octet_products(*values, out).reshape(32, 8)
    assert np.array_equal(gathered(raw, octet_d(BITS[out]), BITS[out], results), want)


def double_product(a: Matrix, b: Matrix, c: Matrix, mode: str = "rn") -> Matrix:
    """D of mma.m16n8k4 of f64 on patterns."""
    fragments, counts = (mma_a(64), mma_b(64, 4), mma_d()), (2, 1, 4)
    parts = [
        registers_of_doubles(x, f.rows[:, :n], f.cols[:, :n])
        for x, f, n in zip((a, b, c), fragments, counts, strict=True)
    ]
    raw, traps = launched(f"mma.sync.aligned.m16n8k4.row.col.{mode}.f64.f64.f64.f64", parts, 64, 4)
    assert traps == 0
    return gathered(raw, mma_d(), 64, 4)


def registers_of_doubles(matrix: Matrix, rows: Matrix, cols: Matrix) -> Matrix:
    return np.ascontiguousarray(matrix[rows, cols].T).view(np.uint8).reshape(rows.shape[1], -1)


@pytest.mark.parametrize("mode", ["rn", "rz", "rm", "rp"])
def test_doubles_are_chained(mode: str) -> None:
    rng = np.random.default_rng(6)
    a, b, c = (rng.standard_normal(s) for s in ((16, 4), (4, 8), (16, 8)))
    found = double_product(*(x.view(np.uint64) for x in (a, b, c)), mode)
    assert np.array_equal(found.view(np.float64), chained(a, b, c, mode))


@pytest.mark.parametrize("mode", ["rn", "rz"])
def test_doubles_keep_the_nan_of_b_then_c_then_a(mode: str) -> None:
    nan = [np.uint64(0x7FF0_0000_0000_0000 + n) for n in (1, 2, 3)]
    quiet = np.uint64(1 << 51)
    a, b, c = (np.full(s, 0x3FF0 << 48, np.uint64) for s in ((16, 4), (4, 8), (16, 8)))
    a[:, 3] = nan[0]
    assert (double_product(a, b, c, mode) == nan[0] | quiet).all()
    c[:] = nan[2]
    assert (double_product(a, b, c, mode) == nan[2] | quiet).all()
    b[0] = nan[1]
    assert (double_product(a, b, c, mode) == nan[1] | quiet).all()
