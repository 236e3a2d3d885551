"""What the simulator does not know is said before a launch begins."""

from __future__ import annotations

from ptxlab.diag import Diagnostic, one_of_each, raise_all
from ptxlab.isa.operands import Reg
from ptxlab.ptx.program import Op, Program
from ptxlab.sim.engine.compiled.registry import MEANINGS, SYSTEM_CALLS, TRAPS, load_for


def check(program: Program) -> None:
    """Raise Diagnostic PTX9001 for what the simulator does not know, PTX9003 for functions without a body; one for each."""
    routines = (program, *program.functions)
    load_for({op.inst.form.key for routine in routines for op in routine.ops})
    raise_all(
        one_of_each(
            _unknown(op) if op.inst.form.key not in TRAPS else _missing(op)
            for routine in routines
            for op in routine.ops
            if op.inst.form.key not in MEANINGS and (op.inst.form.key not in TRAPS or not _resolved(program, op))
        )
    )


def _resolved(program: Program, op: Op) -> bool:
    """Whether somebody knows what an instruction calls; true for what is no call."""
    callee = op.inst.operands.get("callee")
    if callee is None or isinstance(callee, Reg):
        return True
    return str(callee) in SYSTEM_CALLS or any(f.name == str(callee) for f in program.functions)


def wrong(op: Op, code: str, message: str, help: str | None = None, isa: str | None = None) -> Diagnostic:
    """What is wrong with an instruction, at its place."""
    return Diagnostic(code, message, help=help, span=op.span, origin=op.origin, isa=isa)


def _unknown(op: Op) -> Diagnostic:
    why = op.inst.form.unsimulated
    message = f"`{op.inst.opcode}` is not simulated yet" + (f": {why}" if why else "")
    return wrong(op, "PTX9001", message, "run the kernel on a GPU", op.inst.form.isa)


def _missing(op: Op) -> Diagnostic:
    callee = str(op.inst.operands["callee"])
    message = f"the function `{callee}` is called, and no file of the launch defines it"
    return wrong(op, "PTX9003", message, f"load the file that defines `{callee}` beside this one: px.link(…)", "call")
