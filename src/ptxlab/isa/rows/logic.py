"""Logic, shifts and bit fields."""

# references are lambdas over Python's numbers
# pyright: reportUnknownLambdaType=false, reportUnknownArgumentType=false, reportUnknownVariableType=false, reportUnknownMemberType=false

from __future__ import annotations

from dataclasses import replace

from ptxlab.isa.effects import Compute
from ptxlab.isa.form import form, oneof, rule
from ptxlab.isa.plain import (
    Function,
    by_table,
    extended,
    extract,
    funnel,
    highest,
    insert,
    mask_of,
    permuted,
    reverse,
)
from ptxlab.isa.specs import Range, dst, imm, pred_dst, pred_src, src
from ptxlab.isa.targets import ANY, ptx, sm
from ptxlab.isa.terms import mod, op

_TYPE = mod("type")
_BITS = oneof("b16", "b32", "b64")
_WORDS = oneof("b32", "b64")
_FIELD = replace(src("u32"), values=Range(0, 255))  # the lowest byte is what counts
_COUNT = src("u32").about("larger counts than the width act as the width")

_FUNCTIONS: dict[str, Function] = {"and": lambda a, b: a & b, "or": lambda a, b: a | b, "xor": lambda a, b: a ^ b}
for _name, _doc in (("and", "Bitwise and."), ("or", "Bitwise or."), ("xor", "Bitwise exclusive or.")):
    form(
        _name,
        syntax=f"{_name}<.type> d, a, b;",
        mods={"type": _BITS},
        operands={"d": dst(_TYPE), "a": src(_TYPE), "b": src(_TYPE)},
        needs=ANY,
        isa=_name,
        effect=Compute(_name, flips=_name == "xor"),
        reference=_FUNCTIONS[_name],
        doc=_doc,
    )
    form(
        _name,
        key=f"{_name}.pred",
        syntax=f"{_name}.pred p, a, b;",
        operands={"p": pred_dst(sink=False), "a": pred_src(imm=True), "b": pred_src(imm=True)},
        needs=ANY,
        isa=_name,
        effect=Compute(_name, to="p"),
        reference=_FUNCTIONS[_name],
        doc=_doc,
    )

form(
    "not",
    syntax="not<.type> d, a;",
    mods={"type": _BITS},
    operands={"d": dst(_TYPE), "a": src(_TYPE)},
    needs=ANY,
    isa="not",
    effect=Compute("not", of=("a",)),
    reference=lambda a: ~a,
    doc="Bitwise not.",
)
form(
    "not",
    key="not.pred",
    syntax="not.pred p, a;",
    operands={"p": pred_dst(sink=False), "a": pred_src(imm=True)},
    needs=ANY,
    isa="not",
    effect=Compute("not", of=("a",), to="p"),
    reference=lambda a: not a,
    doc="The negated predicate.",
)
form(
    "cnot",
    syntax="cnot<.type> d, a;",
    mods={"type": _BITS},
    operands={"d": dst(_TYPE), "a": src(_TYPE)},
    needs=ANY,
    isa="cnot",
    reference=lambda a: int(a == 0),
    doc="1 where the operand is zero, else 0.",
)
form(
    "shl",
    syntax="shl<.type> d, a, b;",
    mods={"type": _BITS},
    operands={"d": dst(_TYPE), "a": src(_TYPE), "b": _COUNT},
    needs=ANY,
    isa="shl",
    effect=Compute("shl"),
    reference=lambda a, b, bits: a << min(b, bits),
    doc="Shift left; zeros come in.",
)
form(
    "shr",
    syntax="shr<.type> d, a, b;",
    mods={"type": oneof("b16", "b32", "b64", "u16", "u32", "u64", "s16", "s32", "s64")},
    operands={"d": dst(_TYPE), "a": src(_TYPE), "b": _COUNT},
    needs=ANY,
    isa="shr",
    effect=Compute("shr"),
    reference=lambda a, b, bits: a >> min(b, bits),
    doc="Shift right; signed types bring in the sign, others zeros.",
)
form(
    "shf",
    syntax="shf<.dir><.mode>.b32 d, a, b, c;",
    mods={"dir": oneof("l", "r"), "mode": oneof("clamp", "wrap")},
    operands={"d": dst("b32"), "a": src("b32"), "b": src("b32"), "c": src("u32")},
    needs=ptx(3, 1) & sm(32),
    isa="shf",
    reference=funnel,
    doc="Shift the 64 bits b:a and take the upper (left) or lower (right) word.",
)
form(
    "bfe",
    syntax="bfe<.type> d, a, b, c;",
    mods={"type": oneof("u32", "u64", "s32", "s64")},
    operands={"d": dst(_TYPE), "a": src(_TYPE), "b": _FIELD, "c": _FIELD},
    needs=ptx(2, 0) & sm(20),
    isa="bfe",
    reference=extract,
    doc="Extract `c` bits at bit `b`, extended by zeros or the field's sign.",
)
form(
    "bfi",
    syntax="bfi<.type> d, a, b, c, l;",
    mods={"type": _WORDS},
    operands={"d": dst(_TYPE), "a": src(_TYPE), "b": src(_TYPE), "c": _FIELD, "l": _FIELD},
    needs=ptx(2, 0) & sm(20),
    isa="bfi",
    reference=insert,
    doc="`b` with `l` bits at bit `c` replaced by the lowest of `a`.",
)
form(
    "bfind",
    syntax="bfind{.shiftamt}<.type> d, a;",
    mods={"type": oneof("u32", "u64", "s32", "s64")},
    operands={"d": dst("u32"), "a": src(_TYPE)},
    needs=ptx(2, 0) & sm(20),
    isa="bfind",
    reference=highest,
    doc="The place of the highest bit that is not the sign; all ones where there is none.",
)
form(
    "fns",
    syntax="fns.b32 d, mask, base, offset;",
    operands={"d": dst("b32"), "mask": src("b32"), "base": src("b32"), "offset": src("b32")},
    needs=ptx(6, 0) & sm(30),
    isa="fns",
    doc="The place of the n-th set bit from `base` on.",
)
form(
    "bmsk",
    syntax="bmsk<.mode>.b32 d, a, b;",
    mods={"mode": oneof("clamp", "wrap")},
    operands={"d": dst("u32"), "a": src("u32"), "b": src("u32")},
    needs=ptx(7, 6) & sm(70),
    isa="bmsk",
    reference=mask_of,
    doc="A mask of `b` ones at bit `a`.",
)
form(
    "szext",
    syntax="szext<.mode><.type> d, a, b;",
    mods={"mode": oneof("clamp", "wrap"), "type": oneof("u32", "s32")},
    operands={"d": dst(_TYPE), "a": src(_TYPE), "b": src("u32")},
    needs=ptx(7, 6) & sm(70),
    isa="szext",
    reference=extended,
    doc="The lowest `b` bits of `a`, extended by sign or zeros.",
)
form(
    "popc",
    syntax="popc<.type> d, a;",
    mods={"type": _WORDS},
    operands={"d": dst("u32"), "a": src(_TYPE)},
    needs=ptx(2, 0) & sm(20),
    isa="popc",
    reference=lambda a: a.bit_count(),
    doc="The number of set bits.",
)
form(
    "clz",
    syntax="clz<.type> d, a;",
    mods={"type": _WORDS},
    operands={"d": dst("u32"), "a": src(_TYPE)},
    needs=ptx(2, 0) & sm(20),
    isa="clz",
    reference=lambda a, type: int(type[1:]) - a.bit_length(),
    doc="The number of leading zeros.",
)
form(
    "brev",
    syntax="brev<.type> d, a;",
    mods={"type": _WORDS},
    operands={"d": dst(_TYPE), "a": src(_TYPE)},
    needs=ptx(2, 0) & sm(20),
    isa="brev",
    reference=reverse,
    doc="The bits in reverse.",
)


def _with_test(a: int, b: int, c: int, table: int, q: bool, bool: str) -> tuple[int, bool]:
    found = by_table(a, b, c, table)
    return found, (found != 0 and q) if bool == "and" else (found != 0 or q)


_TABLE = imm(type="u32").about("the truth table: bit 4a + 2b + c is the result")
_TABLE_RULE = rule(
    "PTX0301",
    op("table").in_(Range(0, 255)),
    "the truth table of `{opcode}` is {table}, which is no byte",
    help="apply the function to 0xF0, 0xCC and 0xAA: the result is the table",
    severity="warning",
)
form(
    "lop3",
    syntax="lop3.b32 d, a, b, c, table;",
    operands={"d": dst("b32", sink=True), "a": src("b32"), "b": src("b32"), "c": src("b32"), "table": _TABLE},
    rules=[_TABLE_RULE],
    needs=ptx(4, 3) & sm(50),
    isa="lop3",
    effect=Compute(flips=True),
    reference=by_table,
    doc="Any bitwise function of three operands.",
)
form(
    "lop3",
    key="lop3.pred",
    syntax="lop3<.bool>.b32 d|p, a, b, c, table, q;",
    mods={"bool": oneof("and", "or")},
    operands={
        "d": dst("b32", sink=True),
        "p": pred_dst(sink=False),
        "a": src("b32"),
        "b": src("b32"),
        "c": src("b32"),
        "table": _TABLE,
        "q": pred_src(imm=True),
    },
    rules=[_TABLE_RULE],
    needs=ptx(8, 2) & sm(70),
    isa="lop3",
    effect=Compute(flips=True),
    reference=_with_test,
    doc="Any bitwise function of three operands; `p` is (result != 0) combined with `q`.",
)
form(
    "prmt",
    syntax="prmt.b32{.mode} d, a, b, c;",
    mods={"mode": oneof("f4e", "b4e", "rc8", "ecl", "ecr", "rc16")},
    operands={"d": dst("b32"), "a": src("b32"), "b": src("b32"), "c": src("b32")},
    needs=ptx(2, 0) & sm(20),
    isa="prmt",
    reference=permuted,
    doc="Choose four of the eight bytes of b:a by the nibbles of `c`.",
)
