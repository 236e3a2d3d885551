"""mma: matrix products of one warp, done at once when the warp reaches them."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ptxlab.diag import Diagnostic
from ptxlab.isa.operands import Vec
from ptxlab.layout.fragments import Fragment, mma_a, mma_b, mma_d
from ptxlab.sim.trap import DONE, Outcome, trap
from ptxlab.sim.units.operands import ALL_LANES
from ptxlab.sim.units.place import lanes_text

if TYPE_CHECKING:
    from ptxlab.isa.bind import Instance
    from ptxlab.ptx.program import Op
    from ptxlab.sim.trap import TrapContext

Matrix = NDArray[np.unsignedinteger[Any]]
_BITS = {"f16": 16, "bf16": 16, "tf32": 32, "s8": 8, "u8": 8, "s4": 4, "u4": 4, "b1": 1}
_LEAST, _MOST = -(1 << 31), (1 << 31) - 1


def elements(ctx: TrapContext, name: str, bits: int) -> Matrix:
    """What the lanes hold in the registers of an operand: (32, elements) patterns, low bits of a register first."""
    vector = ctx.op.inst.operands[name]
    assert isinstance(vector, Vec)
    words = np.stack([row.view(np.uint32) for row in ctx.frame_rows(vector.items)], axis=1)
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
    n = len(vector.items) * 32 // bits
    held = values[fragment.rows[:, :n], fragment.cols[:, :n]].astype(f"u{bits // 8}")
    words = np.ascontiguousarray(held).view(np.uint32)
    for i, row in enumerate(ctx.frame_rows(vector.items)):
        row.view(np.uint32)[:] = words[:, i]


@lru_cache(maxsize=256)
def _sizes(shape: str) -> tuple[int, int, int]:
    m, rest = shape[1:].split("n")
    n, k = rest.split("k")
    return int(m), int(n), int(k)


def _operands(ctx: TrapContext, bits: int) -> tuple[Matrix, Matrix]:
    """A (M x K) and B (K x N) as patterns."""
    m, n, k = _sizes(ctx.op.inst.mod("shape") or "")
    a = matrix(elements(ctx, "a", bits), mma_a(bits), m, k)
    b = matrix(elements(ctx, "b", bits), mma_b(bits), k, n)
    return a, b


def _addend(ctx: TrapContext, bits: int) -> Matrix:
    m, n, _ = _sizes(ctx.op.inst.mod("shape") or "")
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
    a, b = _operands(ctx, _BITS[type_])
    put(ctx, bits, matmul(a, b, _addend(ctx, bits), type_, out=out))
    return DONE


def integers_of(patterns: Matrix, type_: str) -> NDArray[np.int64]:
    """The values of patterns of an integer type."""
    bits = _BITS[type_]
    values = patterns.astype(np.int64)
    return values - ((values >> (bits - 1)) << bits) if type_[0] == "s" else values


def _add(ctx: TrapContext, inst: Instance, total: NDArray[np.int64]) -> None:
    total = total + _addend(ctx, 32).astype(np.uint32).view(np.int32)
    if inst.chosen("satfinite"):
        total = np.clip(total, _LEAST, _MOST)
    put(ctx, 32, total.astype(np.uint64).astype(np.uint32))


@trap("mma.int8", "mma.int4")
def integers(ctx: TrapContext, op: Op) -> Outcome:
    """Exact sums, wrapped or clamped to 32 bits."""
    check_converged(ctx, op)
    left, right = op.inst.mod("atype") or "", op.inst.mod("btype") or ""
    a, b = _operands(ctx, _BITS[left])
    _add(ctx, op.inst, integers_of(a, left) @ integers_of(b, right))
    return DONE


@trap("mma.b1")
def ones(ctx: TrapContext, op: Op) -> Outcome:
    """How many bits are set in (row and column), or in (row xor column)."""
    check_converged(ctx, op)
    a, b = (x.astype(np.int64) for x in _operands(ctx, 1))
    both = a @ b
    differ = a.sum(axis=1)[:, None] + b.sum(axis=0)[None, :] - 2 * both
    _add(ctx, op.inst, both if op.inst.mod("bitop") == "and" else differ)
    return DONE
