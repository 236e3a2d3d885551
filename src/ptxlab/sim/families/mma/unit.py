"""mma: matrix products of one warp, done at once when the warp reaches them.

Most are computed without coming here (families/mma/meaning.py): those whose numbers are neither special nor extreme floats.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ptxlab.isa.operands import Vec
from ptxlab.layout.fragments import Fragment, mma_a, mma_b, mma_d
from ptxlab.sim.engine.machine.trap import DONE, Outcome, trap
from ptxlab.sim.engine.units.place import check_converged
from ptxlab.sim.families.mma.meaning import sizes

if TYPE_CHECKING:
    from ptxlab.ptx.program import Op
    from ptxlab.sim.engine.machine.trap import TrapContext

Matrix = NDArray[np.unsignedinteger[Any]]
BITS = {"f16": 16, "bf16": 16, "tf32": 32, "e4m3": 8, "e5m2": 8}
"""Bits of an element of A and B."""


def elements(ctx: TrapContext, name: str, bits: int) -> Matrix:
    """What the lanes hold in the registers of an operand: (32, elements) patterns, low bits of a register first."""
    vector = ctx.op.inst.operands[name]
    assert isinstance(vector, Vec)
    words = np.stack([row.view(np.uint32) for row in ctx.frame_rows(vector.items)], axis=1)
    return words.view(np.dtype(f"u{bits // 8}"))


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
    n = len(vector.items) * 32 // bits
    held = values[fragment.rows[:, :n], fragment.cols[:, :n]]
    words = np.ascontiguousarray(held.astype(f"u{bits // 8}")).view(np.uint32)
    for i, row in enumerate(ctx.frame_rows(vector.items)):
        row.view(np.uint32)[:] = words[:, i]


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


@trap(
    *("mma.f64", "mma.f16.m8n8k4", "mma.int8", "mma.int4", "mma.b1", "mma.sp.int8", "mma.sp.int4"),
    *(f"wmma.mma.{key}" for key in ("f64", "int8", "int4", "b1")),
)
def apart(ctx: TrapContext, op: Op) -> Outcome:
    """What compiled code does for whole warps, whatever the numbers. Raises: Diagnostic PTX9130."""
    check_converged(ctx, op)
    raise AssertionError(f"{op.inst.opcode} of a whole warp came to Python")
