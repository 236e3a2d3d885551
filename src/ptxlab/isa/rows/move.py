"""mov, cvta, isspacep: values and addresses from one register to another."""

# references are lambdas over Python's numbers
# pyright: reportUnknownLambdaType=false, reportUnknownArgumentType=false, reportUnknownVariableType=false, reportUnknownMemberType=false

from __future__ import annotations

from dataclasses import replace
from typing import Final

from ptxlab.isa.effects import Compute
from ptxlab.isa.form import form, oneof, rule
from ptxlab.isa.plain import joined, plain, shares, split
from ptxlab.isa.specs import braced, dst, pred_dst, pred_src, src, symbol_or
from ptxlab.isa.targets import ANY, ptx, sm
from ptxlab.isa.terms import Const, mod, op
from ptxlab.isa.types import TYPES

_TYPE = mod("type")
_MOVED = oneof("b16", "b32", "b64", "u16", "u32", "u64", "s16", "s32", "s64", "f32", "f64")
_ADDRESS = oneof("u64", "u32")
_SPACES = oneof("global", "shared", "shared::cta", "shared::cluster", "local", "const", "param", "param::entry")

form(
    "mov",
    syntax="mov<.type> d, a;",
    mods={"type": _MOVED},
    operands={"d": dst(_TYPE), "a": replace(symbol_or(_TYPE), wide=True)},
    needs=ANY,
    isa="mov",
    effect=Compute("copy", of=("a",)),
    reference=plain(lambda a: a, raw=True),
    doc="Copy a register, an immediate, a special register, or the address of a symbol.",
)
form(
    "mov",
    key="mov.b128",
    syntax="mov.b128 d, a;",
    operands={"d": dst("b128"), "a": src("b128")},
    needs=ptx(8, 3) & sm(70),
    isa="mov",
    reference=lambda a: a,
    doc="Copy a register of 128 bits.",
)
form(
    "mov",
    key="mov.pred",
    syntax="mov.pred p, a;",
    operands={
        "p": pred_dst(sink=False),
        "a": replace(pred_src(imm=True), kinds=frozenset({"reg", "not", "imm", "sreg"})),
    },
    needs=ANY,
    isa="mov",
    effect=Compute("copy", of=("a",), to="p"),
    reference=lambda a: a,
    doc="Copy a predicate.",
)

_VEC = mod("vec")
_COUNT = _VEC.map({"v2": 2, "v4": 4})
_UP_TO_128 = rule(
    "PTX0310",
    (_VEC == "v4").implies(~_TYPE.in_("b64", "u64", "s64", "f64")),
    "mov moves up to 128 bits, not `.v4.{type}`",
    help="move two elements at a time",
)
form(
    "mov",
    key="mov.vector",
    syntax="mov<.vec><.type> d, a;",
    mods={"vec": oneof("v2", "v4"), "type": _MOVED},
    operands={
        "d": replace(braced(_TYPE, _COUNT, "w"), kinds=frozenset({"reg", "sink"})),
        "a": braced(_TYPE, _COUNT),
    },
    rules=[_UP_TO_128],
    needs=ANY,
    isa="mov",
    reference=lambda a: a,
    doc="Copy a vector of registers, or a special register such as %tid with all its elements.",
)

form(
    "mov",
    key="mov.shares",
    syntax="mov<.vec><.type> d, a;",
    mods={"vec": oneof("v2", "v4"), "type": _MOVED},
    operands={
        "d": replace(braced(_TYPE, _COUNT, "w"), kinds=frozenset({"reg", "sink"})),
        "a": replace(symbol_or(_TYPE), wide=True),
    },
    rules=[
        _UP_TO_128,
        rule(
            "PTX0233",
            Const(False),
            "`{opcode}` of one value gives each element a share of its bits; what is above the share depends on who reads it: "
            "zeros for stores and mov, a number converted to a float for those of `.f32` and `.f64`, else anything; "
            "the manual has no such form",
            help="write the value once for each element, in braces; or take it apart with mov.b32 and mov.b64",
            severity="warning",
        ),
    ],
    needs=ANY,
    isa="mov",
    reference=plain(lambda a, vec, type: shares(a, int(vec[1:]), int(type[1:])), raw=True),
    doc="Spread the bits of one value over elements, zeros above each share.",
)

# The elements of a vector of n share the bits of the scalar evenly: {type: {n: element}}.
_ELEMENT = {
    "b16": {1: "b16", 2: "b8"},
    "b32": {1: "b32", 2: "b16", 4: "b8"},
    "b64": {1: "b64", 2: "b32", 4: "b16"},
    "b128": {2: "b64", 4: "b32"},
}
_LEFT_OUT = [
    rule(
        "PTX0233",
        (op("a").item(0) != "_") & (op("a").item(1) != "_"),
        "the manual has no `_` among what `{opcode}` puts together; ptxas takes it as zero",
        help="write a register that holds 0",
        severity="warning",
    ),
    rule(
        "PTX0104",
        (op("a").item(0) == "_").implies(op("a").item(1).in_())
        & (op("a").item(1) == "_").implies(op("a").item(0).in_()),
        "beside `_`, `{opcode}` takes a register alone",
        help="write both halves, or one number",
    ),
]
# Of a vector of one element, ptxas 13.1 to 13.5 moves so many bits: machine code and an H200 agree.
LOW_BITS: Final = {"b32": 8, "b64": 16}
_PARTLY = [
    rule(
        "PTX0234",
        Const(False),
        "ptxas moves only the lowest bits (8 of 32, 16 of 64) of what `{opcode}` takes from a vector of one element",
        help="leave the braces out",
        severity="warning",
    )
]
_READ_ALONE = [
    rule(
        "PTX0233",
        Const(False),
        "the manual has no `{opcode}` of a vector of one element; ptxas takes it, and gives wrong results where they are read",
        help="leave the braces out",
        severity="warning",
    )
]


for _type, _by_count in _ELEMENT.items():
    for _count, _element in _by_count.items():
        _need = ptx(8, 3) & sm(70) if _type == "b128" else ptx(1, 0)
        _parts = braced(_element, _count)
        _left_out = (_type, _count) == ("b32", 2)
        _whole = TYPES[_type].bits
        _moved = LOW_BITS.get(_type, _whole) if _count == 1 else _whole
        _mask, _rules = (1 << _moved) - 1, _PARTLY if _moved < _whole else []
        if (_type, _count) == ("b16", 1):
            _rules = _READ_ALONE
        form(
            "mov",
            key=f"mov.pack.{_type}.{_count}",
            syntax=f"mov.{_type} d, a;",
            operands={"d": dst(_type), "a": replace(_parts, kinds=_parts.kinds | ({"sink"} if _left_out else set()))},
            rules=_LEFT_OUT if _left_out else _rules,
            needs=_need,
            isa="mov",
            reference=lambda a, bits, mask=_mask: joined(a, bits) & mask,
            doc=f"Put {_count} registers side by side in one, the first lowest.",
        )
        form(
            "mov",
            key=f"mov.unpack.{_type}.{_count}",
            syntax=f"mov.{_type} d, a;",
            operands={"d": replace(_parts, kinds=frozenset({"reg", "sink"}), role="w"), "a": symbol_or(_type)},
            rules=_rules,
            needs=_need,
            isa="mov",
            reference=lambda a, bits, n=_count, mask=_mask: split(a & mask, n, bits),
            doc=f"Take one register apart into {_count}, the first the lowest.",
        )

form(
    "cvta",
    syntax="cvta<.space><.type> d, a;",
    mods={"space": _SPACES, "type": _ADDRESS},
    operands={
        "d": replace(dst(_TYPE), wide=True),
        "a": replace(symbol_or(_TYPE), kinds=frozenset({"reg", "imm", "symbol"}), space=mod("space")),
    },
    needs=ptx(2, 0) & sm(20),
    needs_when=[
        (mod("space") == "const", ptx(3, 1)),
        (mod("space").in_("shared::cta", "shared::cluster"), ptx(7, 8)),
        (mod("space") == "shared::cluster", sm(90)),
        (mod("space").in_("param", "param::entry"), ptx(7, 7) & sm(70)),
        (mod("space") == "param::entry", ptx(8, 3)),
    ],
    isa="cvta",
    effect=Compute("copy", of=("a",)),
    doc="The generic address of a place in a state space.",
)
form(
    "cvta",
    key="cvta.to",
    syntax="cvta.to<.space><.type> d, a;",
    mods={"space": _SPACES, "type": _ADDRESS},
    operands={"d": replace(dst(_TYPE), wide=True), "a": src(_TYPE)},
    needs=ptx(2, 0) & sm(20),
    needs_when=[
        (mod("space") == "const", ptx(3, 1)),
        (mod("space").in_("shared::cta", "shared::cluster"), ptx(7, 8)),
        (mod("space") == "shared::cluster", sm(90)),
        (mod("space").in_("param", "param::entry"), ptx(7, 7) & sm(70)),
        (mod("space") == "param::entry", ptx(8, 3)),
    ],
    isa="cvta",
    effect=Compute("copy", of=("a",)),
    doc="The address within a state space of a generic address.",
)
form(
    "isspacep",
    syntax="isspacep<.space> p, a;",
    mods={"space": _SPACES},
    operands={"p": pred_dst(sink=False), "a": replace(src("u32", wider=True), widest=64)},
    needs=ptx(2, 0) & sm(20),
    needs_when=[
        (mod("space") == "const", ptx(3, 1)),
        (mod("space").in_("shared::cta", "shared::cluster"), ptx(7, 8)),
        (mod("space") == "shared::cluster", sm(90)),
        (mod("space").in_("param", "param::entry"), ptx(7, 7) & sm(70)),
        (mod("space") == "param::entry", ptx(8, 3)),
    ],
    isa="isspacep",
    doc="Whether a generic address lies in a state space.",
)
form(
    "istypep",
    syntax="istypep<.kind> p, a;",
    mods={"kind": oneof("texref", "samplerref", "surfref")},
    operands={"p": pred_dst(sink=False), "a": src("u64").about("the address of an opaque variable")},
    needs=ptx(4, 0) & sm(30),
    isa="istypep",
    doc="Whether an opaque variable is a texture, a sampler or a surface.",
    unsimulated="there are no textures",
)
