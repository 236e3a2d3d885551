"""What of a rewritten program comes to Python: matrix products of parted warps, and what cannot be expressed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ptxlab.diag import Diagnostic
from ptxlab.sim.engine.machine.trap import Outcome, trap
from ptxlab.sim.engine.units.place import check_converged
from ptxlab.sim.families.algebra.meaning import DEGREES, PREFIX

if TYPE_CHECKING:
    from ptxlab.ptx.program import Op
    from ptxlab.sim.engine.machine.trap import TrapContext

REFUSED = PREFIX + "refused"


@trap(*(prefix + key for prefix in (PREFIX, DEGREES) for key in ("mma.half", "mma.tf32", "mma.f64")))
def apart(ctx: TrapContext, op: Op) -> Outcome:
    """What compiled code does for whole warps. Raises: Diagnostic PTX9130."""
    check_converged(ctx, op)
    raise AssertionError(f"{op.inst.opcode} of a whole warp came to Python")


@trap(REFUSED)
def refuse(ctx: TrapContext, op: Op) -> Outcome:
    """Raises: Diagnostic PTX9279."""
    words = f"`{op.text}` treats floating-point numbers as bits, or rounds them to integers or to 8 bits"
    raise Diagnostic("PTX9279", words, isa=op.inst.form.isa)
