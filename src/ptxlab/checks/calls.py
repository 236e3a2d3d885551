"""Calls: who is called, with what, and where branches through lists lead."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ptxlab.diag import Diagnostic
from ptxlab.isa.operands import OPAQUE, Imm, Label, Operand, Params, Reg, Sink, Symbol, Vec
from ptxlab.isa.types import ScalarType, register_fits
from ptxlab.ptx.functions import signature_of
from ptxlab.ptx.program import Op, Param, Program, Signature
from ptxlab.ptx.variables import Var


def check_calls(program: Program) -> Iterator[Diagnostic]:
    """What is wrong with the calls of a kernel or function."""
    own: dict[str, Var] | None = None
    known: dict[str, Signature] = {}
    for op in program.ops:
        operands = op.inst.operands
        callee = operands.get("callee")
        if callee is None:
            continue
        own = {v.name: v for v in program.variables if v.space == "param"} if own is None else own
        yield from (d.at(op.span, op.origin) for d in _call(op, callee, program, own, known))


def _call(
    op: Op, callee: Operand, program: Program, own: dict[str, Var], known: dict[str, Signature]
) -> Iterator[Diagnostic]:
    proto = op.inst.operands.get("proto")
    if proto is not None:
        signature = program.prototypes.get(str(proto))
        if signature is None:
            return
        name = str(proto)
    else:
        name = str(callee)
        function = program.module.function(name)
        if function is not None and function.kind == "entry":
            yield Diagnostic("PTX0021", f"`{name}` is a kernel, and cannot be called", help="call a .func")
            return
        if function is None or (isinstance(callee, Label) and _names_label(op)):
            yield Diagnostic(
                "PTX0021",
                f"`{name}` is called, and no function of this name is declared in front of the call",
                help=f"declare it: `.extern .func {name} …;` where another file defines it"
                + (f", and rename the label `{name}`" if name in program.labels else ""),
            )
            return
        signature = known.get(name) or known.setdefault(name, signature_of(function))
    yield from _lists(op, name, signature, own)


def _names_label(op: Op) -> bool:
    """Whether a call names no function that is known there, or one that a label hides; what was not read from text is known."""
    node = op.node
    if node is None or node.source is None:
        return False
    return not any(isinstance(o, Symbol) and o.space == "func" for o in node.operands)


def _lists(op: Op, name: str, signature: Signature, own: dict[str, Var]) -> Iterator[Diagnostic]:
    for which, formal in (("ret", signature.returns), ("args", signature.params)):
        given = op.inst.operands.get(which)
        items = given.items if isinstance(given, Params) else () if given is None else (given,)
        open_ = bool(formal) and formal[-1].size == 0
        if len(items) != len(formal) and not (open_ and given is not None and len(items) == len(formal) - 1):
            what = "result" if which == "ret" else "argument"
            many = "" if len(formal) == 1 else "s"
            yield Diagnostic(
                "PTX0022",
                f"`{name}` has {len(formal)} {what}{many}, and the call names {len(items)}",
                help=f"write {_shown(formal)}",
            )
            return
        for item, one in zip(items, formal, strict=False):
            yield from _argument(item, one, own, written=which == "ret")


def _shown(formal: Sequence[Param]) -> str:
    return f"({', '.join(f'.{p.type} {p.name}' for p in formal)})" if formal else "no list"


def _argument(item: Operand, formal: Param, own: dict[str, Var], *, written: bool) -> Iterator[Diagnostic]:
    array = formal.is_array
    wants = (
        f"a .param of {formal.size} bytes aligned to {formal.align}"
        if array
        else f"a .v{formal.vector} .{formal.type}"
        if formal.vector
        else f"a .{formal.type}"
    )
    fits = False
    if isinstance(item, Reg):  # ptxas reads no element of a vector register here
        fits = "." not in str(item) and not array and not formal.vector and register_fits(item.type, formal.type)
    elif isinstance(item, Vec):
        fits = bool(item.written) and len(item.items) == formal.vector
        fits = fits and all(isinstance(one, Reg) and one.type.bits == formal.type.bits for one in item.items)
    elif isinstance(item, Imm):
        fits = not array and not formal.vector and not written and formal.type.kind != "p"
        fits = fits and literal_fits(item, formal.type)
    elif isinstance(item, Symbol):
        var = own.get(item.name)
        # Nothing that a caller declares is an array of vectors to ptxas.
        fits = (
            var is not None
            and not formal.vector
            and item.offset == 0
            and not item.written
            and _variable_fits(var, formal)
        )
    elif isinstance(item, Sink):
        fits = written
    if not fits:
        yield Diagnostic(
            "PTX0022",
            f"`{item}` is passed for `{formal.name}`, which is {wants}",
            help=f"pass {wants}" if not array else f"declare `.param .align {formal.align} .b8 name[{formal.size}];`",
        )


def literal_fits(item: Imm, type_: ScalarType) -> bool:
    """Whether a number may be passed for a type, or be the initial value of one."""
    return type_.kind == "b" or (type_.kind == "f") == item.is_float


def _variable_fits(var: Var, formal: Param) -> bool:
    if var.is_array != formal.is_array or (formal.size and var.size != formal.size):
        return False
    if not formal.is_array and not register_fits(var.type, formal.type):
        return False
    if formal.type.name in OPAQUE and var.type.name != formal.type.name:
        return False
    return var.align == formal.align
