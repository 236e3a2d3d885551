"""mma.sp: products of one warp whose A has the elements that its metadata name.

Most are computed without coming here, by families/mma/meaning_sparse.py.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ptxlab.layout.fragments import mma_a, mma_b
from ptxlab.layout.sparse import columns, tf32_rows, tf32_table
from ptxlab.sim.engine.machine.trap import DONE, Outcome, trap
from ptxlab.sim.engine.units.operands import immediate
from ptxlab.sim.engine.units.place import check_converged
from ptxlab.sim.families.mma.meaning import sizes
from ptxlab.sim.families.mma.unit import BITS, addend, elements, matrix, put

if TYPE_CHECKING:
    from ptxlab.ptx.program import Op
    from ptxlab.sim.engine.machine.trap import TrapContext

Matrix = NDArray[np.unsignedinteger[Any]]


def _operands(ctx: TrapContext, op: Op, bits: int) -> tuple[Matrix, Matrix, NDArray[np.int64]]:
    """A [M, K / 2] and B [K, N] as patterns, and the rows of B that A's elements meet [M, K / 2]."""
    check_converged(ctx, op)
    m, n, k = sizes(str(op.inst.mod("shape")))
    a = matrix(elements(ctx, "a", bits), mma_a(bits), m, k // 2)
    b = matrix(elements(ctx, "b", bits), mma_b(bits, 4), k, n)
    metadata = ctx.read("meta").view(np.uint32)
    selector = immediate(ctx, "selector")
    if bits == 32:
        return a, tf32_table(b), tf32_rows(metadata, k, selector)
    return a, b, columns(metadata, bits, k, selector)


@trap("mma.sp.half", "mma.sp.tf32", "mma.sp.f8")
def floats(ctx: TrapContext, op: Op) -> Outcome:
    """f16, bf16 and tf32: one fused dot-add over the elements that are there; 8-bit floats: two, and an addition."""
    from ptxlab.sim.numerics.kernels import sparse_matmul
    from ptxlab.sim.numerics.steps import fp8_sparse

    left, right = str(op.inst.mod("atype")), str(op.inst.mod("btype"))
    out = str(op.inst.mod("dtype"))
    bits = 16 if out == "f16" else 32
    a, b, index = _operands(ctx, op, BITS[left])
    c = addend(ctx, bits)
    if BITS[left] == 8:
        put(ctx, bits, fp8_sparse(a, b, c, index, (left, right), out))
    else:
        put(ctx, bits, sparse_matmul(a, b, c, index, left, out=out))
    return DONE
