"""Words for operands of the wrong kind."""

from __future__ import annotations

from ptxlab.diag import Diagnostic
from ptxlab.isa.form import Form
from ptxlab.isa.operands import (
    Addr,
    Element,
    Imm,
    Label,
    Minus,
    Not,
    Operand,
    Pair,
    Params,
    Part,
    Raw,
    Reg,
    Sink,
    Sreg,
    Sum,
    Symbol,
    Vec,
)
from ptxlab.isa.specs import Spec

KIND: dict[type, str] = {
    Reg: "reg",
    Sreg: "sreg",
    Imm: "imm",
    Symbol: "symbol",
    Element: "element",
    Sum: "sum",
    Label: "label",
    Not: "not",
    Sink: "sink",
    Part: "part",
    Minus: "minus",
    Vec: "vec",
    Pair: "pair",
    Addr: "addr",
    Params: "params",
    Raw: "raw",
}
_KIND_WORDS = {
    "reg": "a register",
    "sreg": "a special register",
    "imm": "an immediate",
    "symbol": "a symbol",
    "element": "an element of an array that a register names",
    "sum": "a sum of a register and a number",
    "label": "a label",
    "not": "a negated predicate",
    "sink": "the sink `_`",
    "part": "a part of a register",
    "minus": "a negated register",
    "vec": "a vector in braces",
    "pair": "a pair d|p",
    "addr": "an address in brackets",
    "params": "a list in parentheses",
    "raw": "text that is no operand here",
}


def _describe(operand: Operand) -> str:
    return f"{_KIND_WORDS[KIND[type(operand)]]} (`{operand}`)"


def wants(spec: Spec) -> str:
    """What a row takes for an operand, in words."""
    if spec.always_vector:
        return "a vector in braces"
    words = [
        _KIND_WORDS[k]
        for k in ("addr", "reg", "imm", "sreg", "symbol", "label", "not", "part", "minus", "sink")
        if k in spec.kinds
    ]
    return " or ".join(words)


def kind_error(row: Form, name: str, operand: Operand, wants: str) -> Diagnostic:
    """An operand that is none of the kinds that its row takes."""
    return Diagnostic(
        "PTX0104",
        f"operand `{name}` of `{row.name}` is {_describe(operand)}, but wants {wants}",
        help=f"the form is `{row.syntax}`",
        isa=row.isa,
    )
