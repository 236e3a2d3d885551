"""mma: matrix products of one warp, done at once when the warp reaches them.

Most are computed without coming here (semantics/mma.py): those whose numbers are neither special nor extreme.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ptxlab.diag import Diagnostic
from ptxlab.isa.operands import Vec
from ptxlab.layout.fragments import Fragment, mma_a, mma_b, mma_d, octet_a, octet_b, octet_d
from ptxlab.sim.semantics.mma import sizes
from ptxlab.sim.trap import DONE, Outcome, trap
from ptxlab.sim.units.operands import ALL_LANES
from ptxlab.sim.units.place import lanes_text

if TYPE_CHECKING:
    from ptxlab.isa.bind import Instance
    from ptxlab.ptx.program import Op
    from ptxlab.sim.trap import TrapContext

Matrix = NDArray[np.unsignedinteger[Any]]
BITS = {"f16": 16, "bf16": 16, "tf32": 32, "e4m3": 8, "e5m2": 8, "s8": 8, "u8": 8, "s4": 4, "u4": 4, "b1": 1}
"""Bits of an element of A and B."""
_LEAST, _MOST = -(1 << 31), (1 << 31) - 1


def elements(ctx: TrapContext, name: str, bits: int) -> Matrix:
    """What the lanes hold in the registers of an operand: (32, elements) patterns, low bits of a register first."""
    vector = ctx.op.inst.operands[name]
    assert isinstance(vector, Vec)
    word = np.uint64 if bits == 64 else np.uint32
    words = np.stack([row.view(word) for row in ctx.frame_rows(vector.items)], axis=1)
    if bits >= 8:
        return words.view(np.dtype(f"u{bits // 8}"))
    parts = words[:, :, None] >> np.arange(0, 32, bits, dtype=np.uint32) & np.uint32((1 << bits) - 1)
    return parts.reshape(32, -1)


def matrix(held: Matrix, fragment: Fragment, rows: int, columns: int) -> Matrix:
    """The matrix that lanes hold as a fragment; smaller ones are a fragment's first registers."""
    out = np.zeros((rows, columns), held.dtype)
    n = held.shape[1]
    out[fragment.rows[:, :n], fragment.cols[:, :n]] = held
    return out


def put(ctx: TrapContext, bits: int, values: Matrix) -> None:
    """Write D, a matrix of patterns, to the registers that hold it."""
    vector = ctx.op.inst.operands["d"]
    assert isinstance(vector, Vec)
    fragment = mma_d()
    n = len(vector.items) * max(32, bits) // bits
    hold(ctx, values[fragment.rows[:, :n], fragment.cols[:, :n]], bits)


def hold(ctx: TrapContext, held: Matrix, bits: int) -> None:
    """Write to the registers of D what the lanes hold: (32, elements) patterns, low bits of a register first."""
    vector = ctx.op.inst.operands["d"]
    assert isinstance(vector, Vec)
    word = np.uint64 if bits == 64 else np.uint32
    words = np.ascontiguousarray(held.astype(f"u{bits // 8}")).view(word)
    for i, row in enumerate(ctx.frame_rows(vector.items)):
        row.view(word)[:] = words[:, i]


def _operands(ctx: TrapContext, bits: int) -> tuple[Matrix, Matrix]:
    """A (M x K) and B (K x N) as patterns."""
    m, n, k = sizes(ctx.op.inst.mod("shape") or "")
    a = matrix(elements(ctx, "a", bits), mma_a(bits), m, k)
    b = matrix(elements(ctx, "b", bits), mma_b(bits, 4), k, n)
    return a, b


def addend(ctx: TrapContext, bits: int) -> Matrix:
    """C (M x N) as patterns."""
    m, n, _ = sizes(ctx.op.inst.mod("shape") or "")
    return matrix(elements(ctx, "c", bits), mma_d(), m, n)


def check_converged(ctx: TrapContext, op: Op) -> None:
    """Raise PTX9130 where lanes of the warp are missing."""
    if ctx.mask != ALL_LANES:
        raise Diagnostic(
            "PTX9130",
            f"`{op.inst.opcode}` is executed by {lanes_text(ctx.mask)} of warp {ctx.warp.index} alone",
            help="let the whole warp reach it: no divergent branch and no guard that differs between its threads",
            isa=op.inst.form.isa,
        )


@trap("mma.half", "mma.tf32")
def floats(ctx: TrapContext, op: Op) -> Outcome:
    """f16, bf16 and tf32: one fused dot-add over all of K."""
    from ptxlab.sim.numerics.kernels import matmul

    check_converged(ctx, op)
    type_ = op.inst.mod("atype") or "tf32"
    out = "f16" if op.inst.mod("dtype") == "f16" else "f32"
    bits = 16 if out == "f16" else 32
    a, b = _operands(ctx, BITS[type_])
    put(ctx, bits, matmul(a, b, addend(ctx, bits), type_, out=out))
    return DONE


def integers_of(patterns: Matrix, type_: str) -> NDArray[np.int64]:
    """The values of patterns of an integer type."""
    bits = BITS[type_]
    values = patterns.astype(np.int64)
    return values - ((values >> (bits - 1)) << bits) if type_[0] == "s" else values


def add_integers(ctx: TrapContext, inst: Instance, total: NDArray[np.int64]) -> None:
    """Write C + total, wrapped or clamped to 32 bits."""
    total = total + addend(ctx, 32).astype(np.uint32).view(np.int32)
    if inst.chosen("satfinite"):
        total = np.clip(total, _LEAST, _MOST)
    put(ctx, 32, total.astype(np.uint64).astype(np.uint32))


@trap("mma.f8")
def fp8(ctx: TrapContext, op: Op) -> Outcome:
    """8-bit floats: two steps and an addition."""
    from ptxlab.sim.numerics.steps import fp8_matmul

    check_converged(ctx, op)
    out = str(op.inst.mod("dtype"))
    bits = 16 if out == "f16" else 32
    a, b = _operands(ctx, 8)
    types = str(op.inst.mod("atype")), str(op.inst.mod("btype"))
    put(ctx, bits, fp8_matmul(a, b, addend(ctx, bits), types, out))
    return DONE


@trap("mma.f64")
def doubles(ctx: TrapContext, op: Op) -> Outcome:
    """f64: fused multiply-adds, one after the other."""
    from ptxlab.sim.numerics.doubles import matmul

    check_converged(ctx, op)
    a, b = _operands(ctx, 64)
    put(ctx, 64, matmul(a, b, addend(ctx, 64), op.inst.mod("rnd") or "rn"))
    return DONE


@trap("mma.f16.m8n8k4")
def octets(ctx: TrapContext, op: Op) -> Outcome:
    """Four products of eight lanes each, of f16."""
    from ptxlab.sim.numerics.steps import numbers, octet_matmul

    check_converged(ctx, op)
    out, own = str(op.inst.mod("dtype")), str(op.inst.mod("ctype"))
    left, right = octet_a(str(op.inst.mod("alayout"))), octet_b(str(op.inst.mod("blayout")))
    a = matrix(elements(ctx, "a", 16), left, 32, 4).reshape(4, 8, 4)
    b = matrix(elements(ctx, "b", 16), right, 4, 32).reshape(4, 4, 8).transpose(1, 0, 2)
    c_bits, d_bits = (16 if t == "f16" else 32 for t in (own, out))
    c = matrix(elements(ctx, "c", c_bits), octet_d(c_bits), 32, 8).reshape(4, 8, 8)
    d = octet_matmul(numbers(a, "f16"), numbers(b, "f16"), numbers(c, own), out).reshape(32, 8)
    target = octet_d(d_bits)
    hold(ctx, d[target.rows, target.cols], d_bits)
    return DONE


@trap("mma.int8", "mma.int4")
def integers(ctx: TrapContext, op: Op) -> Outcome:
    """Exact sums, wrapped or clamped to 32 bits."""
    check_converged(ctx, op)
    left, right = op.inst.mod("atype") or "", op.inst.mod("btype") or ""
    a, b = _operands(ctx, BITS[left])
    add_integers(ctx, op.inst, integers_of(a, left) @ integers_of(b, right))
    return DONE


@trap("mma.b1")
def ones(ctx: TrapContext, op: Op) -> Outcome:
    """How many bits are set in (row and column), or in (row xor column)."""
    check_converged(ctx, op)
    a, b = (x.astype(np.int64) for x in _operands(ctx, 1))
    both = a @ b
    differ = a.sum(axis=1)[:, None] + b.sum(axis=0)[None, :] - 2 * both
    add_integers(ctx, op.inst, both if op.inst.mod("bitop") == "and" else differ)
    return DONE
