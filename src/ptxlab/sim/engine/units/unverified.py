"""Forms younger than sm_90a: simulated as the manual has them, and said to be so."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ptxlab.diag import Diagnostic

if TYPE_CHECKING:
    from ptxlab.sim.engine.machine.trap import TrapContext

_CODE = "PTX9135"


def unverified(ctx: TrapContext) -> None:
    """Warn, once for an instruction, that no chip was asked what it does."""
    op, findings = ctx.op, ctx.machine.report.findings
    if not any(d.code == _CODE and d.span == op.span for d in findings):
        text = f"`{op.inst.opcode}` follows the manual alone: it is not verified on hardware"
        findings.append(Diagnostic(_CODE, text, span=op.span, origin=op.origin, isa=op.inst.form.isa))
