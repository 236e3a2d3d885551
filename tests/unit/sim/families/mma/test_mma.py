"""mma of one warp against NumPy, and against wgmma's arithmetic where numbers do not come out even."""

from __future__ import annotations

from itertools import product

import ml_dtypes
import numpy as np
import pytest
from numpy.typing import NDArray

from ptxlab.diag import Diagnostic
from ptxlab.layout.fragments import Fragment, mma_a, mma_b, mma_d
from ptxlab.sim.numerics.kernels import matmul
from ptxlab.sim.numerics.steps import fp8_matmul
from sim.numerics import reference

from ...launching import launch

BITS = {"f16": 16, "bf16": 16, "tf32": 32, "s8": 8, "u8": 8, "s4": 4, "u4": 4, "b1": 1}
DTYPES = {"f16": np.float16, "bf16": ml_dtypes.bfloat16, "tf32": np.float32, "f32": np.float32, "s32": np.int32}
HOLDERS = {"f32": "f32", "s32": "b32", "f16": "b32"}


def sizes(shape: str) -> tuple[int, int, int]:
    m, rest = shape[1:].split("n")
    n, k = rest.split("k")
    return int(m), int(n), int(k)


def pack(patterns: NDArray[np.uint32], fragment: Fragment, bits: int, registers: int) -> NDArray[np.uint32]:
    """The registers of the lanes, one row of 32 words a register."""
    per = 32 // bits
    held = patterns[fragment.rows[:, : registers * per], fragment.cols[:, : registers * per]].reshape(
        32, registers, per
    )
    shifted = held.astype(np.uint64) << (np.arange(per, dtype=np.uint64) * np.uint64(bits))
    return np.ascontiguousarray(shifted.sum(axis=2).astype(np.uint32).T)


def run(
    opcode: str,
    a: NDArray[np.uint32],
    b: NDArray[np.uint32],
    c: NDArray[np.uint32],
    bits: int,
    out: str,
    guard: str = "",
) -> NDArray[np.uint32]:
    """D of one mma on matrices of patterns."""
    return counted(opcode, a, b, c, bits, out, guard)[0]


def counted(
    opcode: str,
    a: NDArray[np.uint32],
    b: NDArray[np.uint32],
    c: NDArray[np.uint32],
    bits: int,
    out: str,
    guard: str = "",
) -> tuple[NDArray[np.uint32], int]:
    """D of one mma, and how many instructions went to Python."""
    (m, k), n = a.shape, b.shape[1]
    width = 16 if out == "f16" else 32
    counts = {"a": m * k * bits // 1024, "b": n * k * bits // 1024, "c": m * n * width // 1024}
    parts = [
        pack(a, mma_a(bits), bits, counts["a"]),
        pack(b, mma_b(bits), bits, counts["b"]),
        pack(c, mma_d(), width, counts["c"]),
    ]
    source = np.concatenate(parts).reshape(-1)
    target = np.zeros(counts["c"] * 32, np.uint32)
    lines = [
        f".visible .entry k(.param .u64 from, .param .u64 to) {{ .reg .b32 a<5>, b<5>, t<3>; .reg .{HOLDERS[out]} c<5>;"
    ]
    lines += [".reg .b64 p, q; .reg .pred on; ld.param.u64 p, [from]; ld.param.u64 q, [to];"]
    lines += ["mov.u32 t0, %laneid; setp.lt.u32 on, t0, 7; mad.wide.u32 p, t0, 4, p; mad.wide.u32 q, t0, 4, q;"]
    names = [f"{x}{i}" for x in "abc" for i in range(counts[x])]
    lines += [f"ld.global.b32 {name}, [p+{128 * i}];" for i, name in enumerate(names)]
    groups = {x: "{" + ", ".join(n for n in names if n[0] == x) + "}" for x in "abc"}
    lines += [f"{guard} {opcode} {groups['c']}, {groups['a']}, {groups['b']}, {groups['c']};"]
    lines += [f"st.global.b32 [q+{128 * i}], c{i};" for i in range(counts["c"])]
    report = launch("\n".join([*lines, "ret; }"]), [source, target])
    words = target.reshape(counts["c"], 32).T
    held = np.ascontiguousarray(words).view(np.uint16 if width == 16 else np.uint32)
    fragment = mma_d()
    result = np.zeros((m, n), np.uint32)
    result[fragment.rows[:, : held.shape[1]], fragment.cols[:, : held.shape[1]]] = held
    return result, sum(report.stats.traps.values())


def patterns(values: NDArray[np.generic]) -> NDArray[np.uint32]:
    return values.view(f"u{values.dtype.itemsize}").astype(np.uint32)


@pytest.mark.parametrize(
    ("shape", "type_", "out"),
    [
        ("m16n8k16", "f16", "f32"),
        ("m16n8k16", "f16", "f16"),
        ("m16n8k8", "f16", "f32"),
        ("m16n8k8", "bf16", "f32"),
        ("m16n8k16", "bf16", "f32"),
        ("m16n8k4", "tf32", "f32"),
        ("m16n8k8", "tf32", "f32"),
    ],
)
def test_small_numbers_are_exact(shape: str, type_: str, out: str) -> None:
    m, n, k = sizes(shape)
    dice = np.random.default_rng(1)
    a, b, c = (dice.integers(-8, 9, s).astype(np.float32) for s in ((m, k), (k, n), (m, n)))
    made = (patterns(a.astype(DTYPES[type_])), patterns(b.astype(DTYPES[type_])), patterns(c.astype(DTYPES[out])))
    found = run(f"mma.sync.aligned.{shape}.row.col.{out}.{type_}.{type_}.{out}", *made, BITS[type_], out)
    assert np.array_equal(found, patterns((a @ b + c).astype(DTYPES[out])))


@pytest.mark.parametrize(("shape", "type_", "out"), [("m16n8k16", "bf16", "f32"), ("m16n8k8", "f16", "f16")])
def test_sums_are_cut_as_tensor_cores_cut_them(shape: str, type_: str, out: str) -> None:
    m, n, k = sizes(shape)
    dice = np.random.default_rng(2)
    a, b = (
        patterns((dice.standard_normal(s) * 2.0 ** dice.integers(-12, 6, s)).astype(DTYPES[type_]))
        for s in ((m, k), (k, n))
    )
    c = patterns(dice.standard_normal((m, n)).astype(DTYPES[out]))
    found = run(f"mma.sync.aligned.{shape}.row.col.{out}.{type_}.{type_}.{out}", a, b, c, 16, out)
    for i, j in product(range(0, m, 5), range(n)):
        row, column = [int(x) for x in a[i]], [int(x) for x in b[:, j]]
        assert found[i, j] == reference.fda(row, column, int(c[i, j]), type_, out=out)  # type: ignore[arg-type]


FORMATS = {"f16": (5, 10), "bf16": (8, 7), "tf32": (8, 23), "f32": (8, 23), "e4m3": (4, 3), "e5m2": (5, 2)}


def drawn(
    dice: np.random.Generator, shape: tuple[int, int], type_: str, spread: int, special: bool
) -> NDArray[np.uint32]:
    """Patterns with exponent fields near the middle, zeros among them; of narrow formats subnormal numbers too."""
    exponent, fraction = FORMATS[type_]
    middle = (1 << exponent - 1) - 1
    low, high = max(middle - spread, 0), min(middle + spread, 2 * middle)
    out = dice.integers(low, high + 1, shape) << fraction | dice.integers(0, 1 << fraction, shape)
    out |= dice.integers(0, 2, shape) << exponent + fraction
    out[dice.random(shape) < 0.1] = 0
    if special:
        out[tuple(dice.integers(0, n) for n in shape)] = (1 << exponent + fraction) - 1
    return out.astype(np.uint32)


@pytest.mark.parametrize("special", [False, True])
@pytest.mark.parametrize(
    ("shape", "left", "right", "out"),
    [
        ("m16n8k16", "f16", "f16", "f32"),
        ("m16n8k16", "f16", "f16", "f16"),
        ("m16n8k8", "f16", "f16", "f16"),
        ("m16n8k16", "bf16", "bf16", "f32"),
        ("m16n8k8", "tf32", "tf32", "f32"),
        ("m16n8k32", "e4m3", "e4m3", "f32"),
        ("m16n8k32", "e5m2", "e4m3", "f16"),
        ("m16n8k16", "e4m3", "e5m2", "f32"),
    ],
)
def test_compiled_products_are_those_of_the_kernels(shape: str, left: str, right: str, out: str, special: bool) -> None:
    """Python is asked where a special number takes part in a product of 8-bit floats, and nowhere else."""
    m, n, k = sizes(shape)
    dice = np.random.default_rng(5)
    for spread in (1, 4, 7, 9, 12, 20):
        a, b = drawn(dice, (m, k), left, spread, special), drawn(dice, (k, n), right, spread, False)
        c = drawn(dice, (m, n), out, spread, False)
        bits = {"e4m3": 8, "e5m2": 8}.get(left) or BITS[left]
        found, traps = counted(f"mma.sync.aligned.{shape}.row.col.{out}.{left}.{right}.{out}", a, b, c, bits, out)
        if bits == 8:
            wanted = fp8_matmul(a, b, c, (left, right), out)
        else:
            wanted = matmul(a, b, c, left, out=out)
        assert np.array_equal(found, wanted), spread
        if bits != 8:
            assert traps == 0
        else:
            assert traps == special or out == "f16", "the sum of its first step may be infinite"


@pytest.mark.parametrize(
    ("shape", "type_", "out"),
    [
        ("m16n8k16", "f16", "f32"),
        ("m16n8k16", "f16", "f16"),
        ("m16n8k8", "bf16", "f32"),
        ("m16n8k16", "bf16", "f32"),
        ("m16n8k4", "tf32", "f32"),
        ("m16n8k8", "tf32", "f32"),
    ],
)
def test_special_numbers_need_no_python(shape: str, type_: str, out: str) -> None:
    """Inf and NaN of both signs in A, B and C, beside zeros, finite numbers and numbers whose products pass f32."""
    m, n, k = sizes(shape)
    dice = np.random.default_rng(11)
    for _ in range(4):
        made: list[NDArray[np.uint32]] = []
        for size, name in (((m, k), type_), ((k, n), type_), ((m, n), out)):
            exponent, fraction = FORMATS[name]
            found = drawn(dice, size, name, 6, False)
            top = ((1 << exponent) - 1) << fraction
            odd = np.array([top, top | 1 << exponent + fraction, top | 1 << fraction - 1, 0], np.uint32)
            where = dice.random(size) < 0.06
            found[where] = dice.choice(odd, where.sum())
            made.append(found)
        a, b, c = made
        found, traps = counted(
            f"mma.sync.aligned.{shape}.row.col.{out}.{type_}.{type_}.{out}", a, b, c, BITS[type_], out
        )
        assert traps == 0
        assert np.array_equal(found, matmul(a, b, c, type_, out=out))


def signed(values: NDArray[np.uint32], type_: str) -> NDArray[np.int64]:
    out = values.astype(np.int64)
    bits = BITS[type_]
    return np.where(out >> (bits - 1) == 1, out - (1 << bits), out) if type_[0] == "s" else out


@pytest.mark.parametrize(
    ("shape", "left", "right"),
    [
        ("m8n8k16", "s8", "u8"),
        ("m16n8k16", "u8", "u8"),
        ("m16n8k32", "s8", "s8"),
        ("m8n8k32", "s4", "u4"),
        ("m16n8k32", "u4", "s4"),
        ("m16n8k64", "s4", "s4"),
    ],
)
@pytest.mark.parametrize("clamp", [False, True])
def test_integers(shape: str, left: str, right: str, clamp: bool) -> None:
    m, n, k = sizes(shape)
    dice = np.random.default_rng(3)
    bits = BITS[left]
    a, b = (dice.integers(0, 1 << bits, s, dtype=np.uint32) for s in ((m, k), (k, n)))
    c = dice.integers(-(1 << 31), 1 << 31, (m, n)).astype(np.int32)
    c[0] = 0x7FFF_FFFF
    c[1] = -(1 << 31)
    option = ".satfinite" if clamp else ""
    opcode = f"mma.sync.aligned.{shape}.row.col{option}.s32.{left}.{right}.s32"
    found = run(opcode, a, b, patterns(c), bits, "s32")
    total = signed(a, left) @ signed(b, right) + c
    wanted = np.clip(total, -(1 << 31), (1 << 31) - 1) if clamp else total
    assert np.array_equal(found, wanted.astype(np.uint64).astype(np.uint32))
    assert clamp == bool((wanted != total).any())


@pytest.mark.parametrize("shape", ["m8n8k128", "m16n8k128", "m16n8k256"])
@pytest.mark.parametrize("op", ["and", "xor"])
def test_bits(shape: str, op: str) -> None:
    m, n, k = sizes(shape)
    dice = np.random.default_rng(4)
    a, b = (dice.integers(0, 2, s, dtype=np.uint32) for s in ((m, k), (k, n)))
    c = dice.integers(-5, 5, (m, n)).astype(np.int32)
    found = run(f"mma.sync.aligned.{shape}.row.col.s32.b1.b1.s32.{op}.popc", a, b, patterns(c), 1, "s32")
    pairs = a[:, :, None] & b[None] if op == "and" else a[:, :, None] ^ b[None]
    assert np.array_equal(found.view(np.int32), pairs.sum(axis=1).astype(np.int64) + c)


def test_some_lanes_alone_are_refused() -> None:
    zeros = np.zeros((16, 8), np.uint32)
    with pytest.raises(Diagnostic) as e:
        run("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32", zeros, zeros[:8], zeros, 16, "f32", guard="@on")
    assert e.value.code == "PTX9130"
    assert "lanes 0-6 of warp 0" in e.value.message


def test_movmatrix_turns_a_matrix_around() -> None:
    source = np.arange(64, dtype=np.uint16)
    target = np.zeros(64, np.uint16)
    text = """.visible .entry k(.param .u64 from, .param .u64 to) { .reg .b32 a, b, t; .reg .b64 p, q;
        ld.param.u64 p, [from]; ld.param.u64 q, [to]; mov.u32 t, %laneid; mad.wide.u32 p, t, 4, p;
        mad.wide.u32 q, t, 4, q; ld.global.b32 a, [p]; movmatrix.sync.aligned.m8n8.trans.b16 b, a; st.global.b32 [q], b;
        ret; }"""
    launch(text, [source, target])
    assert np.array_equal(target.reshape(8, 8), source.reshape(8, 8).T)
