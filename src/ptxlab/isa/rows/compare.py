"""Comparison and selection."""

# references are lambdas over Python's numbers
# pyright: reportUnknownLambdaType=false, reportUnknownArgumentType=false, reportUnknownVariableType=false, reportUnknownMemberType=false

from __future__ import annotations

from ptxlab.isa.effects import Compute
from ptxlab.isa.form import form, oneof, rule
from ptxlab.isa.plain import outcome, plain, set_result
from ptxlab.isa.specs import anything, dst, pred_dst, pred_src, src
from ptxlab.isa.targets import ANY, Need, only, ptx, sm
from ptxlab.isa.terms import chosen, mod

_TYPE = mod("type")
_CMP = mod("cmp")
_BOOL = oneof("and", "or", "xor")
_INT_CMP = oneof("eq", "ne", "lt", "le", "gt", "ge", "lo", "ls", "hi", "hs")
_FLOAT_CMP = oneof("eq", "ne", "lt", "le", "gt", "ge", "equ", "neu", "ltu", "leu", "gtu", "geu", "num", "nan")
_BITS = oneof("b16", "b32", "b64")
_INTS = oneof("b16", "b32", "b64", "u16", "u32", "u64", "s16", "s32", "s64")
_C = pred_src(imm=True).given(chosen("bool"))
_NO_LITERAL = pred_src().given(chosen("bool"))
_F16 = ptx(4, 2) & sm(53)
_BF16 = ptx(7, 8) & sm(90)

_ORDER_OF_BITS = rule(
    "PTX0302",
    _TYPE.in_(*_BITS).implies(_CMP.in_("eq", "ne")),
    "`{opcode}`: bits have no order",
    help="compare with .eq or .ne, or name a signed or unsigned type",
)
_UNSIGNED_ORDER = rule(
    "PTX0303",
    _TYPE.in_("s16", "s32", "s64").implies(~_CMP.in_("lo", "ls", "hi", "hs")),
    "`{opcode}`: .{cmp} compares unsigned numbers",
    help="use lt, le, gt or ge for signed types",
)


def _setp(kind: str, head: str, types: tuple[str, ...], cmp: tuple[str, ...], **more: object) -> None:
    form(
        "setp",
        key="setp" if kind == "int" else f"setp.{kind}",
        syntax=f"setp<.cmp>{{.bool}}{head}<.type> p{{|q}}, a, b{{, c}};",
        mods={"cmp": cmp, "bool": _BOOL, "type": types},
        operands={"p": pred_dst(), "q": pred_dst(), "a": src(_TYPE), "b": src(_TYPE), "c": _C},
        isa="setp",
        effect=Compute("compare" if kind == "int" else None, to="p", when=~chosen("bool")),
        reference=plain(outcome, when=~chosen("ftz")),
        doc="Compare; `p` is the outcome and `q` its opposite, each combined with `c` where .and, .or or .xor says so.",
        **more,  # type: ignore[arg-type]
    )


_setp("int", "", _INTS, _INT_CMP, rules=[_ORDER_OF_BITS, _UNSIGNED_ORDER], needs=ANY)
_setp("f32", "{.ftz}", ("f32",), _FLOAT_CMP, needs=ANY)
_setp("f64", "", ("f64",), _FLOAT_CMP, needs=sm(13))


def _setp_half(kind: str, head: str, imm: bool, need: Need) -> None:
    form(
        "setp",
        key=f"setp.{kind}",
        syntax=f"setp<.cmp>{{.bool}}{head}.{kind} p{{|q}}, a, b{{, c}};",
        mods={"cmp": _FLOAT_CMP, "bool": _BOOL},
        operands={
            "p": pred_dst(),
            "q": anything("sink").about("the opposite is not given for 16-bit types"),
            "a": src(kind),
            "b": src(kind),
            "c": pred_src(imm=imm).given(chosen("bool")),
        },
        needs=need,
        isa="setp",
        reference=plain(outcome, when=~chosen("ftz")),
        doc="Compare 16-bit numbers; the outcome is combined with `c` where .and, .or or .xor says so.",
    )


_setp_half("f16", "{.ftz}", True, _F16)
_setp_half("bf16", "", False, _BF16)


def _setp_pair(kind: str, head: str, imm: bool, need: Need) -> None:
    form(
        "setp",
        key=f"setp.{kind}",
        syntax=f"setp<.cmp>{{.bool}}{head}.{kind} p{{|q}}, a, b{{, c}};",
        mods={"cmp": _FLOAT_CMP, "bool": _BOOL},
        operands={
            "p": pred_dst(),
            "q": pred_dst(),
            "a": src(kind),
            "b": src(kind),
            "c": pred_src(imm=imm).given(chosen("bool")),
        },
        needs=need,
        isa="setp",
        doc="Compare two pairs; `p` is the outcome of the lower halves and `q` of the upper.",
    )


_setp_pair("f16x2", "{.ftz}", True, _F16)
_setp_pair("bf16x2", "", False, _BF16)


def _set(
    kind: str, head: str, dtypes: tuple[str, ...], stypes: tuple[str, ...], cmp: tuple[str, ...], **more: object
) -> None:
    """A row; where a bf16 is read or written, no literal stands for the predicate."""
    form(
        "set",
        key="set" if kind == "int" else f"set.{kind}",
        syntax=f"set<.cmp>{{.bool}}{head}<.dtype><.type> d, a, b{{, c}};",
        mods={"cmp": cmp, "bool": _BOOL, "dtype": dtypes, "type": stypes},
        operands={
            "d": dst(mod("dtype")),
            "a": src(_TYPE),
            "b": src(_TYPE),
            "c": _NO_LITERAL if "bf16" in kind else _C,
        },
        isa="set",
        reference=plain(set_result, when=~chosen("ftz")) if "x2" not in kind else None,
        doc="Compare; all ones (integers) or 1.0 (floating-point) where it holds, else zero.",
        **more,  # type: ignore[arg-type]
    )


_WORD = oneof("u32", "s32", "f32")
_ORDER = [_ORDER_OF_BITS, _UNSIGNED_ORDER]
_HALF_RESULT = (mod("dtype") == "f16", _F16)
_set("int", "", (*_WORD, "f16"), _INTS, _INT_CMP, rules=_ORDER, needs=ANY, needs_when=[_HALF_RESULT])
_set("f32", "{.ftz}", (*_WORD, "f16"), ("f32",), _FLOAT_CMP, needs=ANY, needs_when=[_HALF_RESULT])
_set("f64", "", (*_WORD, "f16"), ("f64",), _FLOAT_CMP, needs=sm(13), needs_when=[_HALF_RESULT])
_set("bf16.int", "", ("bf16",), _INTS, _INT_CMP, rules=_ORDER, needs=_BF16)
_set("bf16.float", "", ("bf16",), oneof("f32", "f64"), _FLOAT_CMP, needs=_BF16)
_set("bf16.f16", "", ("bf16",), ("f16",), _FLOAT_CMP, needs=_BF16)
_INT_RESULT = (mod("dtype").in_("u16", "s16", "u32", "s32"), ptx(6, 5))
_set(
    "f16",
    "{.ftz}",
    oneof("f16", "u16", "s16", "u32", "s32"),
    ("f16",),
    _FLOAT_CMP,
    needs=_F16,
    needs_when=[_INT_RESULT],
)
_set("bf16", "", oneof("bf16", "u16", "s16", "u32", "s32"), ("bf16",), _FLOAT_CMP, needs=_BF16)
_set(
    "f16x2",
    "{.ftz}",
    oneof("f16x2", "u32", "s32"),
    ("f16x2",),
    _FLOAT_CMP,
    needs=_F16,
    needs_when=[_INT_RESULT],
)
_set("bf16x2", "", oneof("bf16x2", "u32", "s32"), ("bf16x2",), _FLOAT_CMP, needs=_BF16)

form(
    "set",
    key="set.packed",
    syntax="set<.cmp><.type> d, a, b;",
    mods={"cmp": _INT_CMP, "type": oneof("u8x4", "s8x4", "u16x2", "s16x2")},
    operands={"d": dst(_TYPE), "a": src(_TYPE, imm=False), "b": src(_TYPE, imm=False)},
    rules=[
        rule(
            "PTX0303",
            _TYPE.in_("s8x4", "s16x2").implies(~_CMP.in_("lo", "ls", "hi", "hs")),
            "`{opcode}`: .{cmp} compares unsigned numbers",
            help="use lt, le, gt or ge for signed types",
        )
    ],
    needs=ptx(9, 4) & only("107f"),
    isa="set",
    doc="Compare packed integers; all ones where it holds, else zero.",
    unsimulated="sm_90a does not have it",
)

_SELECTED = _INTS + oneof("f32", "f64")
form(
    "selp",
    syntax="selp<.type> d, a, b, c;",
    mods={"type": _SELECTED},
    operands={"d": dst(_TYPE), "a": src(_TYPE), "b": src(_TYPE), "c": pred_src(imm=True)},
    needs=ANY,
    isa="selp",
    reference=plain(lambda a, b, c: a if c else b, raw=True),
    doc="`a` where the predicate holds, else `b`.",
)
form(
    "slct",
    syntax="slct<.type>.s32 d, a, b, c;",
    mods={"type": _SELECTED},
    operands={"d": dst(_TYPE), "a": src(_TYPE), "b": src(_TYPE), "c": src("s32")},
    needs=ANY,
    isa="slct",
    reference=plain(lambda a, b, c: a if c >= 0 else b, raw=True),
    doc="`a` where `c` is at least zero, else `b`.",
)
form(
    "slct",
    key="slct.f32",
    syntax="slct{.ftz}<.type>.f32 d, a, b, c;",
    mods={"type": _SELECTED},
    operands={"d": dst(_TYPE), "a": src(_TYPE), "b": src(_TYPE), "c": src("f32")},
    needs=ANY,
    isa="slct",
    doc="`a` where `c` is at least zero, else `b`.",
)
