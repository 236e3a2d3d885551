"""cvt: conversion between types, with rounding and saturation."""

# references are lambdas over Python's numbers
# pyright: reportUnknownLambdaType=false, reportUnknownArgumentType=false, reportUnknownVariableType=false, reportUnknownMemberType=false

from __future__ import annotations

from dataclasses import replace

from ptxlab.isa.effects import Compute
from ptxlab.isa.form import form, oneof, rule
from ptxlab.isa.plain import clamp, converted, integral, packed, plain, to_integer
from ptxlab.isa.specs import Spec, dst, src
from ptxlab.isa.targets import ANY, ptx, sm
from ptxlab.isa.terms import Term, chosen, mod

_D, _A, _RND = mod("dtype"), mod("type"), mod("rnd")
# Registers may be wider than their types, except beside bf16 and floats of 8 bits; of tf32 they never are.
_WIDER = ~(_D.in_("bf16", "bf16x2", "e4m3x2", "e5m2x2") | _A.in_("bf16", "e4m3x2", "e5m2x2"))
_INTS = oneof("u8", "u16", "u32", "u64", "s8", "s16", "s32", "s64")
_FLOATS = oneof("f16", "bf16", "f32", "f64")
_ROUND = oneof("rn", "rz", "rm", "rp")
_INTEGRAL = oneof("rni", "rzi", "rmi", "rpi")
_BITS = {"f16": 16, "bf16": 16, "f32": 32, "f64": 64}
_FTZ = rule(
    "PTX0304",
    chosen("ftz").implies((_D == "f32") | (_A == "f32")),
    "`{opcode}`: .ftz flushes f32 numbers, and there are none",
    help="leave .ftz out",
)
_BF16 = (_D == "bf16") | (_A == "bf16")
_BF16_SAT = rule(
    "PTX0308",
    chosen("sat").implies(~_BF16),
    "`{opcode}`: bf16 numbers are not clamped by .sat",
    help="leave .sat out, or clamp as f32",
)
_BF16_BYTE = rule(
    "PTX0309",
    _BF16.implies(~(_D.in_("u8", "s8") | _A.in_("u8", "s8"))),
    "`{opcode}`: bf16 is not converted to or from 8-bit integers",
    help="go through a 16-bit integer",
)
# ptxas flushes by an instruction of its own there, and moves no 128 bits.
_TO_LONG = chosen("ftz") & _D.in_("s64", "u64")
_BF16_NEED = ptx(7, 8) & sm(90)
_F16_NEED = ptx(4, 2) & sm(53)


# The integer types whose every value the type holds: converting from them has nothing to clamp.
_HOLDS = {
    "u8": ("u8",),
    "u16": ("u8", "u16"),
    "u32": ("u8", "u16", "u32"),
    "u64": ("u8", "u16", "u32", "u64"),
    "s8": ("s8",),
    "s16": ("s8", "s16", "u8"),
    "s32": ("s8", "s16", "s32", "u8", "u16"),
    "s64": ("s8", "s16", "s32", "s64", "u8", "u16", "u32"),
}
_SAT = [
    rule(
        "PTX0315",
        (chosen("sat") & (_D == wide)).implies(~_A.in_(*held)),  # noqa: SIM300  (a term, not a comparison)
        "`{opcode}`: every .{type} fits .{dtype}, so that .sat has nothing to clamp",
        help="leave .sat out",
    )
    for wide, held in _HOLDS.items()
]


def _source(type_: str | Term) -> Spec:
    return src(type_, wider=_WIDER)


form(
    "cvt",
    syntax="cvt{.sat}<.dtype><.type> d, a;",
    mods={"dtype": _INTS, "type": _INTS},
    operands={
        "d": dst(_D, wider=_WIDER),
        "a": replace(_source(_A), kinds=frozenset({"reg", "imm", "sreg"})),
    },
    rules=_SAT,
    needs=ANY,
    isa="cvt",
    effect=Compute("copy", of=("a",), when=~chosen("sat")),
    reference=lambda a, sat, low, high: clamp(a, low, high) if sat else a,
    doc="Convert between integers: extend, cut off, or clamp with .sat.",
)
form(
    "cvt",
    key="cvt.to_int",
    syntax="cvt<.rnd>{.ftz}{.sat}<.dtype><.type> d, a;",
    mods={"rnd": _INTEGRAL, "dtype": _INTS, "type": _FLOATS},
    operands={
        "d": replace(dst(_D, wider=_WIDER), widest=_TO_LONG.where(64, 128)),
        "a": replace(_source(_A), widest=_TO_LONG.where(64, 128)),
    },
    rules=[_FTZ, _BF16_SAT, _BF16_BYTE],
    needs_when=[(_A == "bf16", _BF16_NEED), (_A == "f64", sm(13)), (_A == "f16", _F16_NEED)],
    needs=ANY,
    isa="cvt",
    reference=plain(to_integer, when=~chosen("ftz")),
    doc="Round a floating-point number to an integer, clamped to its range.",
)
form(
    "cvt",
    key="cvt.from_int",
    syntax="cvt<.rnd>{.ftz}{.sat}<.dtype><.type> d, a;",
    mods={"rnd": _ROUND, "dtype": _FLOATS, "type": _INTS},
    operands={"d": dst(_D, wider=_WIDER), "a": _source(_A)},
    rules=[_FTZ, _BF16_SAT, _BF16_BYTE],
    needs_when=[(_D == "bf16", _BF16_NEED), (_D == "f64", sm(13)), (_D == "f16", _F16_NEED)],
    needs=ANY,
    isa="cvt",
    reference=plain(converted, when=~chosen("ftz") & ~chosen("sat")),
    doc="Convert an integer to floating point.",
)
form(
    "cvt",
    key="cvt.integral",
    syntax="cvt<.rnd>{.ftz}{.sat}<.dtype><.type> d, a;",
    mods={"rnd": _INTEGRAL, "dtype": _FLOATS, "type": _FLOATS},
    operands={"d": dst(_D, wider=_WIDER), "a": _source(_A)},
    rules=[
        _FTZ,
        rule(
            "PTX0305",
            ~(_D != _A),
            "`{opcode}`: rounding to an integral value keeps the type",
            help="convert to .{type} with this rounding, and to .{dtype} apart",
        ),
        _BF16_SAT,
    ],
    needs_when=[(_BF16, _BF16_NEED), (_A == "f16", _F16_NEED)],
    needs=ANY,
    isa="cvt",
    reference=plain(integral, when=~chosen("ftz") & ~chosen("sat")),
    doc="Round a floating-point number to an integral value of the same type.",
)
_FROM_F32 = (_D == "bf16") & (_A == "f32")
_TO_F32 = (_D == "f32") & (_A == "bf16") & ~chosen("ftz")
# ptxas flushes by an instruction of its own, and moves no 128 bits.
_DOUBLE = chosen("ftz") & ((_D == "f64") | (_A == "f64"))
_MOVED = _DOUBLE & (_D == "f32") & (_RND != "rn")  # whose result it moves, where it does not round to nearest
_WIDEST = _DOUBLE.where(64, 128)
_NARROWS = mod("dtype").map(_BITS) < mod("type").map(_BITS)
form(
    "cvt",
    key="cvt.float",
    syntax="cvt{.rnd}{.ftz}{.sat}<.dtype><.type> d, a;",
    mods={"rnd": _ROUND, "dtype": _FLOATS, "type": _FLOATS},
    operands={
        "d": replace(dst(_D, wider=_WIDER & ~_MOVED), widest=_WIDEST),
        "a": replace(_source(_A), widest=_WIDEST),
    },
    rules=[
        _FTZ,
        rule(
            "PTX0306",
            _NARROWS.implies(chosen("rnd")),
            "`{opcode}` loses bits and needs a rounding",
            help="write .rn, .rz, .rm or .rp before the types",
        ),
        rule(
            "PTX0307",
            chosen("rnd").implies(_NARROWS | ((_D != _A) & _BF16)),
            "`{opcode}` is exact and takes no rounding",
            help="leave .{rnd} out",
        ),
        _BF16_SAT,
    ],
    needs_when=[
        (_BF16 & ~_FROM_F32 & ~_TO_F32, _BF16_NEED),
        (_FROM_F32, ptx(7, 0) & sm(80)),
        (_TO_F32, ptx(7, 1) & sm(80)),
        ((_D == "f16") | (_A == "f16"), _F16_NEED),
    ],
    needs=ANY,
    isa="cvt",
    reference=plain(converted, when=~chosen("ftz") & ~chosen("sat")),
    doc="Convert between floating-point types.",
)

_TO_16 = oneof("f16", "bf16")
_TO_PAIR = oneof("f16x2", "bf16x2")
_NEAR = oneof("rn", "rz")
_SATFINITE = (chosen("satfinite"), ptx(8, 1))
form(
    "cvt",
    key="cvt.narrow",
    syntax="cvt<.rnd>{.relu}{.satfinite}<.dtype>.f32 d, a;",
    mods={"rnd": _NEAR, "dtype": _TO_16},
    operands={"d": dst(_D, wider=_WIDER), "a": _source("f32")},
    needs=ptx(7, 0) & sm(70),
    needs_when=[(chosen("relu") | (mod("dtype") == "bf16"), sm(80)), _SATFINITE],
    isa="cvt",
    reference=plain(converted, when=~chosen("relu") & ~chosen("satfinite")),
    doc="Convert f32 to 16 bits; .relu cuts off below zero, .satfinite above the largest number.",
)
form(
    "cvt",
    key="cvt.pair",
    syntax="cvt<.rnd>{.relu}{.satfinite}<.dtype>.f32 d, a, b;",
    mods={"rnd": _NEAR, "dtype": _TO_PAIR},
    operands={
        "d": dst(_D, wider=_WIDER),
        "a": _source("f32").about("becomes the upper half"),
        "b": _source("f32").about("becomes the lower half"),
    },
    needs=ptx(7, 0) & sm(80),
    needs_when=[_SATFINITE],
    isa="cvt",
    doc="Convert two f32 to a pair of 16-bit numbers.",
)
form(
    "cvt",
    key="cvt.tf32.rna",
    syntax="cvt.rna{.satfinite}.tf32.f32 d, a;",
    operands={"d": dst("tf32"), "a": src("f32")},
    needs=ptx(7, 0) & sm(80),
    needs_when=[_SATFINITE],
    isa="cvt",
    doc="Round f32 to tf32, ties away from zero.",
)
form(
    "cvt",
    key="cvt.tf32",
    syntax="cvt<.rnd>{.satfinite}{.relu}.tf32.f32 d, a;",
    mods={"rnd": _NEAR},
    operands={"d": dst("tf32"), "a": src("f32")},
    needs=ptx(7, 8) & sm(90),
    needs_when=[(chosen("satfinite"), ptx(8, 6) & sm(100))],
    isa="cvt",
    doc="Round f32 to tf32.",
)
_FP8 = oneof("e4m3x2", "e5m2x2")
_FP8_NEED = ptx(7, 8) & sm(90) | ptx(8, 1) & sm(89)
form(
    "cvt",
    key="cvt.fp8",
    syntax="cvt.rn.satfinite{.relu}<.dtype>.f32 d, a, b;",
    mods={"dtype": _FP8},
    operands={
        "d": dst(_D, wider=_WIDER),
        "a": _source("f32").about("becomes the upper byte"),
        "b": _source("f32").about("becomes the lower byte"),
    },
    needs=_FP8_NEED,
    isa="cvt",
    doc="Convert two f32 to a pair of 8-bit numbers.",
)
form(
    "cvt",
    key="cvt.fp8.f16x2",
    syntax="cvt.rn.satfinite{.relu}<.dtype>.f16x2 d, a;",
    mods={"dtype": _FP8},
    operands={"d": dst(_D, wider=_WIDER), "a": _source("f16x2")},
    needs=_FP8_NEED,
    isa="cvt",
    doc="Convert a pair of f16 to a pair of 8-bit numbers.",
)
form(
    "cvt",
    key="cvt.from_fp8",
    syntax="cvt.rn{.relu}.f16x2<.type> d, a;",
    mods={"type": _FP8},
    operands={"d": dst("f16x2", wider=_WIDER), "a": _source(_A)},
    needs=_FP8_NEED,
    isa="cvt",
    doc="Convert a pair of 8-bit numbers to a pair of f16.",
)
_PACKED = oneof("u16", "s16")
form(
    "cvt.pack",
    key="cvt.pack.16",
    syntax="cvt.pack.sat<.dtype>.s32 d, a, b;",
    mods={"dtype": _PACKED},
    operands={"d": dst("u32", wider=True).with_pairs(), "a": _source("s32"), "b": _source("s32")},
    needs=ptx(6, 5) & sm(72),
    isa="cvt.pack",
    reference=lambda a, b, dtype: packed((a, b), dtype),
    doc="Clamp two integers to 16 bits and pack them, `a` in the upper half.",
)
form(
    "cvt.pack",
    key="cvt.pack.8",
    syntax="cvt.pack.sat<.dtype>.s32.b32 d, a, b, c;",
    mods={"dtype": oneof("u8", "s8", "u4", "s4", "u2", "s2")},
    operands={
        "d": dst("u32", wider=True).with_pairs(),
        "a": _source("s32"),
        "b": _source("s32"),
        "c": _source("b32"),
    },
    needs=ptx(6, 5) & sm(72),
    needs_when=[(mod("dtype").in_("u4", "s4", "u2", "s2"), sm(75))],
    isa="cvt.pack",
    reference=lambda a, b, c, dtype: packed((a, b), dtype, c),
    doc="Clamp two integers to fewer bits, pack them into the lowest bits above those of `c`.",
)
