"""What a rewritten program does in Python: matrix products of a warp, and what cannot be expressed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ptxlab.diag import Diagnostic
from ptxlab.layout.fragments import mma_a, mma_b, mma_d
from ptxlab.sim.engine.machine.trap import DONE, Outcome, trap
from ptxlab.sim.engine.units.place import check_converged
from ptxlab.sim.families.algebra.meaning import PREFIX
from ptxlab.sim.families.mma.meaning import sizes
from ptxlab.sim.families.mma.unit import BITS, addend, elements, matrix, put
from ptxlab.sim.numerics import residues as r
from ptxlab.sim.numerics.coded import code_of, held

if TYPE_CHECKING:
    from ptxlab.ptx.program import Op
    from ptxlab.sim.engine.machine.trap import TrapContext

REFUSED = PREFIX + "refused"


@trap(PREFIX + "mma.half", PREFIX + "mma.tf32")
def product(ctx: TrapContext, op: Op) -> Outcome:
    """A · B + C of a warp."""
    check_converged(ctx, op)
    m, n, k = sizes(op.inst.mod("shape") or "")
    bits = BITS[op.inst.mod("atype") or "tf32"]
    out = 16 if op.inst.mod("dtype") == "f16" else 32
    a = code_of(matrix(elements(ctx, "a", bits), mma_a(bits), m, k))
    b = code_of(matrix(elements(ctx, "b", bits), mma_b(bits, 4), k, n))
    c = code_of(addend(ctx, out))
    put(ctx, out, held(r.add(r.ARRAYS, r.dot(a, b), c), out))
    return DONE


@trap(REFUSED)
def refuse(ctx: TrapContext, op: Op) -> Outcome:
    """Raises: Diagnostic PTX9279."""
    words = f"`{op.text}` treats floating-point numbers as bits, or rounds them to integers or to 8 bits"
    raise Diagnostic("PTX9279", words, isa=op.inst.form.isa)
