"""Arithmetic on integers and floating-point numbers."""

# references are lambdas over Python's numbers
# pyright: reportUnknownLambdaType=false, reportUnknownArgumentType=false, reportUnknownVariableType=false, reportUnknownMemberType=false

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from ptxlab.isa.effects import Compute
from ptxlab.isa.form import Form, Rule, form, oneof, rule
from ptxlab.isa.plain import (
    Reference,
    carryless,
    clamp,
    divided,
    dot2,
    dot4,
    exact,
    extremum,
    part_of,
    plain,
    product24,
    quotient,
    rest,
)
from ptxlab.isa.specs import dst, pred_dst, src
from ptxlab.isa.targets import ANY, Need, only, ptx, released, sm
from ptxlab.isa.terms import Const, Term, chosen, mod

TYPE = mod("type")
INTS = oneof("u16", "u32", "u64", "s16", "s32", "s64")
ROUND = oneof("rn", "rz", "rm", "rp")
_HALF = oneof("f16", "f16x2")
_BHALF = oneof("bf16", "bf16x2")
_PAIRS = oneof("u16x2", "s16x2")
_F16 = ptx(4, 2) & sm(53)
_BF16 = ptx(7, 0) & sm(80)
_BF16_ADD = ptx(7, 8) & sm(90)
_F64 = sm(13)
_X2 = ptx(8, 6) & sm(100)
_PAIR_NEED = ptx(8, 0) & sm(90)
_PACKED = ptx(9, 2) & only("120f") | ptx(9, 4) & only("107f")
_BYTES = oneof("u8x4", "s8x4")
_RUBIN = ptx(9, 4) & only("107f")
_ABSENT = "sm_90a does not have it"
_PLAIN = ~chosen("ftz") & ~chosen("sat")


def _plus(a: Any, b: Any) -> Any:
    return a + b


def _minus(a: Any, b: Any) -> Any:
    return a - b


_XORSIGN = ptx(7, 2) & sm(86)


def _floating(
    name: str,
    kind: str,
    syntax: str,
    types: tuple[str, ...],
    operands: str,
    doc: str,
    *,
    needs: Need = Need(),
    needs_when: Sequence[tuple[Term, Need]] = (),
    rules: Sequence[Rule] = (),
    reference: Reference | None = None,
) -> Form:
    """A row of a floating-point operation: all operands of one type."""
    names = operands.split()
    return form(
        name,
        key=f"{name}.{kind}",
        syntax=f"{syntax} {', '.join(names)};",
        mods={"type": types, "rnd": ROUND},
        operands={n: dst(TYPE) if n == "d" else src(TYPE) for n in names},
        rules=rules,
        needs=needs,
        needs_when=needs_when,
        isa=name,
        doc=doc,
        reference=reference,
    )


def _sums() -> None:
    for name, what, function in (("add", "Add", _plus), ("sub", "Subtract", _minus)):
        form(
            name,
            syntax=f"{name}<.type> d, a, b;",
            mods={"type": INTS + (_PAIRS if name == "add" else ())},
            operands={"d": dst(TYPE), "a": src(TYPE), "b": src(TYPE)},
            needs_when=[(TYPE.in_(*_PAIRS), _PAIR_NEED)] if name == "add" else [],
            needs=ANY,
            isa=name,
            effect=Compute(name, when=~TYPE.in_(*_PAIRS)),
            reference=function,
            doc=f"{what} integers, modulo 2^n.",
        )
        form(
            name,
            key=f"{name}.sat",
            syntax=f"{name}.sat.s32 d, a, b;",
            operands={"d": dst("s32"), "a": src("s32"), "b": src("s32")},
            needs=ANY,
            isa=name,
            reference=lambda a, b, low, high, f=function: clamp(f(a, b), low, high),
            doc=f"{what} and clamp to the range of s32.",
        )
        if name == "sub":
            _withdrawn(name, "d a b", f"{what} pairs of integers.")
        _packed(name, f"{name}{{.sat}}", "d a b", _BYTES, f"{what} four bytes.")
        if name == "add":
            _packed(
                name, "add.sat", "d a b", (*_PAIRS, "u32"), "Add, each clamped to the range of its type.", "packed.sat"
            )
        _floating(
            name,
            "f32",
            f"{name}{{.rnd}}{{.ftz}}{{.sat}}<.type>",
            ("f32",),
            "d a b",
            f"{what} f32.",
            reference=exact(function, when=_PLAIN),
        )
        _floating(name, "f32x2", f"{name}{{.rnd}}{{.ftz}}<.type>", ("f32x2",), "d a b", f"{what} two f32.", needs=_X2)
        _floating(
            name,
            "f64",
            f"{name}{{.rnd}}<.type>",
            ("f64",),
            "d a b",
            f"{what} f64.",
            needs=_F64,
            reference=exact(function),
        )
        _halves(name, "d a b", f"{what} 16-bit floating-point numbers, alone or in pairs.", "rn")
        _mixed(name, "{.rnd}", "d a c", f"{what} f32, the first operand being of 16 bits.")


def _packed(name: str, head: str, operands: str, types: tuple[str, ...], doc: str, kind: str = "bytes") -> None:
    """A row of packed integers that sm_90a does not have."""
    names = operands.split()
    form(
        name,
        key=f"{name}.{kind}",
        syntax=f"{head}<.type> {', '.join(names)};",
        mods={"type": types},
        operands={n: dst(TYPE) if n == "d" else src(TYPE) for n in names},
        needs=_PACKED,
        isa=name,
        doc=doc,
        unsimulated=_ABSENT,
    )


def _withdrawn(name: str, operands: str, doc: str) -> None:
    """A row of pairs of integers that two releases of ptxas took."""
    names = operands.split()
    form(
        name,
        key=f"{name}.pairs",
        syntax=f"{name}<.type> {', '.join(names)};",
        mods={"type": _PAIRS},
        operands={n: dst(TYPE) if n == "d" else src(TYPE, imm=False) for n in names},
        needs=released((13, 2), (13, 3)),
        isa=name,
        doc=doc,
        unsimulated="no manual has it",
    )


def _typed(name: str, key: str, head: str, operands: str, *, types: Sequence[str], doc: str, **more: Any) -> None:
    """A row that names the type of each operand, which sm_90a does not have."""
    names = operands.split()
    form(
        name,
        key=f"{name}.{key}",
        syntax=f"{head}.{'.'.join(types)} {', '.join(names)};",
        operands={n: dst(t) if n == "d" else src(t, imm=False) for n, t in zip(names, types, strict=True)},
        needs=_RUBIN,
        isa=name,
        doc=doc,
        unsimulated=_ABSENT,
        **more,
    )


def _mixed_pairs() -> None:
    """Pairs: a summand or factor of 16 bits with a result of f32, and a result of 16 bits from f32."""
    doc = "The same on pairs of numbers, of which some are of 16 bits."
    for narrow, flush in (("f16x2", ".ftz"), ("bf16x2", "")):
        for name, rounding, operands, more in (
            ("add", "{.rnd}", "d a c", ()),
            ("sub", "{.rnd}", "d a c", ()),
            ("fma", "<.rnd>", "d a b c", ("f32x2",)),
        ):
            types = ("f32x2", narrow, *more, "f32x2")
            _typed(name, f"f32x2.{narrow}", f"{name}{rounding}", operands, types=types, doc=doc, mods={"rnd": ROUND})
        for name in ("add", "sub", "mul"):
            operands = "d a b" if name == "mul" else "d a c"
            types = (narrow, "f32x2", "f32x2")
            _typed(name, f"{narrow}.f32x2", f"{name}.rz{flush}", operands, types=types, doc=doc)
    for first, second in (("f16x2", "bf16x2"), ("bf16x2", "f16x2")):
        _typed("mul", f"{first}.{second}", "mul", "d a b", types=(first, first, second), doc=doc)


_FOURS = oneof("e4m3x4", "e5m2x4", "e3m2x4", "e2m3x4", "e2m1x4", "e2m1p4x4", "ue8m0x4")


def _fours() -> None:
    """Four numbers of eight bits or fewer at once."""
    for name, doc in (("add", "Add"), ("sub", "Subtract"), ("mul", "Multiply"), ("fma", "Multiply and add")):
        factors = name in ("mul", "fma")
        names = {"add": "d a c", "sub": "d a c", "mul": "d a b", "fma": "d a b c"}[name].split()
        types = {"d": mod("dtype"), "a": mod("atype"), "b": mod("btype"), "c": mod("dtype")}
        form(
            name,
            key=f"{name}.x4",
            syntax=f"{name}{{.rn}}{{.satfinite}}<.dtype><.atype>{'<.btype>' if factors else ''} {', '.join(names)};",
            mods={"dtype": _FOURS[:2], "atype": _FOURS} | ({"btype": _FOURS} if factors else {}),
            operands={n: replace(dst(types[n]) if n == "d" else src(types[n], imm=False), untyped=True) for n in names},
            needs=ptx(9, 4) & only("100a", "103a"),
            isa=name,
            doc=f"{doc} four numbers of eight bits or fewer.",
            unsimulated=_ABSENT,
        )


def _mixed(name: str, rounding: str, operands: str, doc: str) -> None:
    """A row whose factors or first summand are of 16 bits and whose result is f32."""
    names = operands.split()
    specs = {n: src("f32" if n == "c" else TYPE) for n in names[1:]}
    form(
        name,
        key=f"{name}.mixed",
        syntax=f"{name}{rounding}{{.sat}}.f32<.type> {', '.join(names)};",
        mods={"type": oneof("f16", "bf16"), "rnd": ROUND},
        operands={"d": dst("f32"), **specs},
        needs=_X2,
        isa=name,
        doc=doc,
        unsimulated="sm_90a does not have it",
    )


def _halves(name: str, operands: str, doc: str, rounding: str | None) -> None:
    names = operands.split()
    specs = {n: dst(TYPE) if n == "d" else src(TYPE) for n in names}
    rnd = "{.rnd}" if rounding else ""
    form(
        name,
        key=f"{name}.f16",
        syntax=f"{name}{rnd}{{.ftz}}{{.sat}}<.type> {', '.join(names)};",
        mods={"type": _HALF, "rnd": ("rn",)},
        operands=specs,
        needs=_F16,
        isa=name,
        doc=doc,
    )
    form(
        name,
        key=f"{name}.bf16",
        syntax=f"{name}{rnd}<.type> {', '.join(names)};",
        mods={"type": _BHALF, "rnd": ("rn",)},
        operands=specs,
        needs=_BF16_ADD,
        isa=name,
        doc=doc,
    )


def _magnitude(a: Any) -> Any:
    return abs(a)


def _negative(a: Any) -> Any:
    return -a


def _smaller(a: int, b: int) -> int:
    return min(a, b)


def _larger(a: int, b: int) -> int:
    return max(a, b)


def _least(a: float, b: float, NaN: bool) -> float:
    return extremum(a, b, NaN, largest=False)


def _greatest(a: float, b: float, NaN: bool) -> float:
    return extremum(a, b, NaN, largest=True)


def _fused(a: Any, b: Any, c: Any) -> Any:
    return a * b + c


_WIDE_DST = TYPE.map({"u16": "u32", "s16": "s32", "u32": "u64", "s32": "s64"})


def _products() -> None:
    form(
        "mul",
        syntax="mul<.part><.type> d, a, b;",
        mods={"type": INTS, "part": oneof("lo", "hi")},
        operands={"d": dst(TYPE), "a": src(TYPE), "b": src(TYPE)},
        needs=ANY,
        isa="mul",
        effect=Compute("mul", when=mod("part") == "lo"),
        reference=lambda a, b, part, bits: part_of(a * b, part, bits),
        doc="The lower or upper half of an integer product.",
    )
    form(
        "mul",
        key="mul.wide",
        syntax="mul.wide<.type> d, a, b;",
        mods={"type": oneof("u16", "u32", "s16", "s32")},
        operands={"d": dst(_WIDE_DST), "a": src(TYPE), "b": src(TYPE)},
        needs=ANY,
        isa="mul",
        reference=lambda a, b: a * b,
        doc="An integer product, twice as wide as its factors.",
    )
    _floating(
        "mul",
        "f32",
        "mul{.rnd}{.ftz}{.sat}<.type>",
        ("f32",),
        "d a b",
        "Multiply f32.",
        reference=exact(lambda a, b: a * b, when=_PLAIN),
    )
    _floating("mul", "f32x2", "mul{.rnd}{.ftz}<.type>", ("f32x2",), "d a b", "Multiply two f32.", needs=_X2)
    _floating(
        "mul",
        "f64",
        "mul{.rnd}<.type>",
        ("f64",),
        "d a b",
        "Multiply f64.",
        needs=_F64,
        reference=exact(lambda a, b: a * b),
    )
    _halves("mul", "d a b", "Multiply 16-bit floating-point numbers, alone or in pairs.", "rn")
    form(
        "mad",
        syntax="mad<.part><.type> d, a, b, c;",
        mods={"type": INTS, "part": oneof("lo", "hi")},
        operands={"d": dst(TYPE), "a": src(TYPE), "b": src(TYPE), "c": src(TYPE)},
        needs=ANY,
        isa="mad",
        reference=lambda a, b, c, part, bits: part_of(a * b, part, bits) + c,
        doc="Multiply, take the lower or upper half, and add.",
    )
    form(
        "mad",
        key="mad.hi.sat",
        syntax="mad.hi.sat.s32 d, a, b, c;",
        operands={n: dst("s32") if n == "d" else src("s32") for n in "dabc"},
        needs=ANY,
        isa="mad",
        reference=lambda a, b, c, low, high: clamp(part_of(a * b, "hi", 32) + c, low, high),
        doc="Multiply, take the upper half, add, and clamp to the range of s32.",
    )
    form(
        "mad",
        key="mad.wide",
        syntax="mad.wide<.type> d, a, b, c;",
        mods={"type": oneof("u16", "u32", "s16", "s32")},
        operands={"d": dst(_WIDE_DST), "a": src(TYPE), "b": src(TYPE), "c": src(_WIDE_DST)},
        needs=ANY,
        isa="mad",
        reference=lambda a, b, c: a * b + c,
        doc="Multiply to twice the width and add.",
    )
    _floating(
        "mad",
        "f32",
        "mad<.rnd>{.ftz}{.sat}<.type>",
        ("f32",),
        "d a b c",
        "Multiply and add f32, rounded once.",
        needs=sm(20),
        reference=exact(_fused, when=_PLAIN),
    )
    _floating(
        "mad",
        "f64",
        "mad<.rnd><.type>",
        ("f64",),
        "d a b c",
        "Multiply and add f64, rounded once.",
        needs=_F64,
        reference=exact(_fused),
    )
    _floating(
        "fma",
        "f32",
        "fma<.rnd>{.ftz}{.sat}<.type>",
        ("f32",),
        "d a b c",
        "Multiply and add f32, rounded once.",
        needs=sm(20),
        reference=exact(_fused, when=_PLAIN),
    )
    _floating("fma", "f32x2", "fma<.rnd>{.ftz}<.type>", ("f32x2",), "d a b c", "Multiply and add two f32.", needs=_X2)
    _floating(
        "fma",
        "f64",
        "fma<.rnd><.type>",
        ("f64",),
        "d a b c",
        "Multiply and add f64, rounded once.",
        needs=_F64,
        reference=exact(_fused),
    )
    _mixed_pairs()
    _fours()
    _mixed("fma", "<.rnd>", "d a b c", "Multiply numbers of 16 bits and add to f32, rounded once.")
    specs = {n: dst(TYPE) if n == "d" else src(TYPE) for n in "dabc"}
    form(
        "fma",
        key="fma.f16",
        syntax="fma.rn{.ftz}{.bound}<.type> d, a, b, c;",
        mods={"type": _HALF, "bound": oneof("sat", "relu")},
        operands=specs,
        needs=_F16,
        needs_when=[(mod("bound") == "relu", _BF16)],
        isa="fma",
        doc="Multiply and add 16-bit floating-point numbers, rounded once.",
    )
    form(
        "fma",
        key="fma.bf16",
        syntax="fma.rn{.relu}<.type> d, a, b, c;",
        mods={"type": _BHALF},
        operands=specs,
        needs=_BF16,
        isa="fma",
        doc="Multiply and add 16-bit floating-point numbers, rounded once.",
    )
    form(
        "fma",
        key="fma.oob",
        syntax="fma.rn.oob{.relu}<.type> d, a, b, c;",
        mods={"type": _HALF + _BHALF},
        operands=specs,
        needs=ptx(8, 1) & sm(90),
        isa="fma",
        doc="Multiply and add; a factor that is the out-of-bounds NaN counts as zero.",
    )
    form(
        "fma",
        key="fma.oob.sat",
        syntax="fma.rn.oob.sat<.type> d, a, b, c;",
        mods={"type": _HALF},
        operands=specs,
        rules=[
            rule(
                "PTX0233",
                Const(False),
                "the manual has no `.sat` beside `.oob`",
                help="write it without .sat, and clamp",
                severity="warning",
            )
        ],
        needs=ptx(8, 1) & sm(90),
        isa="fma",
        doc="The same, and something with the result: no manual has it.",
        unsimulated="no manual has it",
    )
    form(
        "clmad",
        syntax="clmad<.part><.type> d, a, b, c;",
        mods={"part": oneof("lo", "hi"), "type": oneof("u64", "s64")},
        operands={n: dst("u64") if n == "d" else src("u64") for n in "dabc"},
        rules=[
            rule(
                "PTX0233",
                mod("type") == "u64",
                "the manual has `clmad` with .u64 alone, not .{type}",
                help="write `.u64`: a product without carries has no sign",
                severity="warning",
            )
        ],
        needs=ptx(9, 3) & _BF16,
        isa="clmad",
        reference=carryless,
        doc="Multiply without carries, take the lower or upper half, and combine it with `c` by exclusive or.",
    )
    for name, what, reference in (
        ("mul24", "The product of two 24-bit integers.", product24),
        ("mad24", "Multiply 24-bit integers and add.", lambda a, b, c, part, type: product24(a, b, part, type) + c),
    ):
        names = "d a b" if name == "mul24" else "d a b c"
        form(
            name,
            syntax=f"{name}<.part><.type> {', '.join(names.split())};",
            mods={"type": oneof("u32", "s32"), "part": oneof("lo", "hi")},
            operands={n: dst(TYPE) if n == "d" else src(TYPE) for n in names.split()},
            needs=ANY,
            isa=name,
            reference=reference,
            doc=what,
        )

    form(
        "mad24",
        key="mad24.hi.sat",
        syntax="mad24.hi.sat.s32 d, a, b, c;",
        operands={n: dst("s32") if n == "d" else src("s32") for n in "dabc"},
        needs=ANY,
        isa="mad24",
        reference=lambda a, b, c, low, high: clamp(product24(a, b, "hi", "s32") + c, low, high),
        doc="Multiply 24-bit integers, take the upper half, add, and clamp to the range of s32.",
    )


def _quotients() -> None:
    for name, doc, reference in (
        ("div", "Divide integers, rounding towards zero.", quotient),
        ("rem", "The rest of an integer division.", rest),
    ):
        form(
            name,
            syntax=f"{name}<.type> d, a, b;",
            mods={"type": INTS},
            operands={"d": dst(TYPE), "a": src(TYPE), "b": src(TYPE)},
            needs=ANY,
            isa=name,
            reference=reference,
            doc=doc,
        )
    form(
        "div",
        key="div.f32",
        syntax="div<.rnd>{.ftz}.f32 d, a, b;",
        mods={"rnd": ("approx", "full", *ROUND)},
        operands={"d": dst("f32"), "a": src("f32"), "b": src("f32")},
        needs_when=[(mod("rnd").in_(*ROUND), sm(20))],
        needs=ANY,
        isa="div",
        reference=plain(divided, when=mod("rnd").in_(*ROUND) & ~chosen("ftz")),
        doc="Divide f32: rounded as IEEE 754 says, or within 2 ulp (`full`, `approx`).",
    )
    _floating("div", "f64", "div<.rnd><.type>", ("f64",), "d a b", "Divide f64.", needs=_F64, reference=plain(divided))


def _signs() -> None:
    for name, doc, reference in (("abs", "The absolute value.", _magnitude), ("neg", "The negative.", _negative)):
        form(
            name,
            syntax=f"{name}<.type> d, a;",
            mods={"type": oneof("s16", "s32", "s64")},
            operands={"d": dst(TYPE), "a": src(TYPE)},
            needs=ANY,
            isa=name,
            reference=reference,
            doc=doc,
        )
        if name == "neg":
            _withdrawn(name, "d a", "The negatives of two integers.")
            _packed(name, "neg", "d a", ("s8x4",), "The negatives of four bytes.")
        single = plain(reference, when=_PLAIN)
        _floating(name, "f32", f"{name}{{.ftz}}<.type>", ("f32",), "d a", doc, reference=single)
        _floating(name, "f64", f"{name}<.type>", ("f64",), "d a", doc, needs=_F64, reference=plain(reference))
        form(
            name,
            key=f"{name}.f16",
            syntax=f"{name}{{.ftz}}<.type> d, a;",
            mods={"type": _HALF},
            operands={"d": dst(TYPE), "a": src(TYPE)},
            needs=ptx(6, 5) & sm(53) if name == "abs" else ptx(6, 0) & sm(53),
            isa=name,
            doc=doc,
        )
        form(
            name,
            key=f"{name}.bf16",
            syntax=f"{name}<.type> d, a;",
            mods={"type": _BHALF},
            operands={"d": dst(TYPE), "a": src(TYPE)},
            needs=_BF16,
            isa=name,
            doc=doc,
        )
    for type_ in ("f32", "f64"):
        form(
            "copysign",
            key=f"copysign.{type_}",
            syntax=f"copysign.{type_} d, a, b;",
            operands={"d": dst(type_), "a": src(type_), "b": src(type_)},
            needs=ptx(2, 0) & sm(20),
            isa="copysign",
            reference=lambda a, b: math.copysign(b, a),
            doc="`b` with the sign of `a`.",
        )


def _extremes() -> None:
    for name, word, function in (("min", "smaller", _smaller), ("max", "larger", _larger)):
        reference = plain(_greatest if name == "max" else _least, when=_PLAIN)
        doc = f"The {word} of two numbers."
        form(
            name,
            syntax=f"{name}<.type> d, a, b;",
            mods={"type": INTS + _PAIRS},
            operands={"d": dst(TYPE), "a": src(TYPE), "b": src(TYPE)},
            needs_when=[(TYPE.in_(*_PAIRS), _PAIR_NEED)],
            needs=ANY,
            isa=name,
            reference=function,
            doc=doc,
        )
        _packed(name, name, "d a b", ("u8x4",), f"The {word} of each pair of bytes.")
        _packed(
            name, f"{name}{{.relu}}", "d a b", ("s8x4",), f"The {word} of each pair of signed bytes.", "signed_bytes"
        )
        form(
            name,
            key=f"{name}.relu",
            syntax=f"{name}.relu<.type> d, a, b;",
            mods={"type": oneof("s32", "s16x2")},
            operands={"d": dst(TYPE), "a": src(TYPE), "b": src(TYPE)},
            needs=_PAIR_NEED,
            isa=name,
            reference=lambda a, b, f=function: max(f(a, b), 0),
            doc=f"The {word} of two numbers, at least zero.",
        )
        form(
            name,
            key=f"{name}.f32",
            syntax=f"{name}{{.ftz}}{{.NaN}}.f32 d, a, b;",
            operands={"d": dst("f32"), "a": src("f32"), "b": src("f32")},
            needs_when=[(chosen("NaN"), _BF16)],
            needs=ANY,
            isa=name,
            reference=reference,
            doc=doc,
        )
        form(
            name,
            key=f"{name}.f32.xorsign",
            syntax=f"{name}{{.ftz}}{{.NaN}}.xorsign.abs.f32 d, a, b;",
            operands={"d": dst("f32"), "a": src("f32"), "b": src("f32")},
            needs=_XORSIGN,
            isa=name,
            doc=f"The {word} of two magnitudes, with the product of their signs.",
        )
        form(
            name,
            key=f"{name}.f32.3",
            syntax=f"{name}{{.ftz}}{{.NaN}}{{.abs}}.f32 d, a, b, c;",
            operands={"d": dst("f32"), "a": src("f32"), "b": src("f32"), "c": src("f32")},
            needs=ptx(8, 8) & sm(100),
            isa=name,
            doc=f"The {word}st of three numbers.",
        )
        _floating(name, "f64", f"{name}<.type>", ("f64",), "d a b", doc, needs=_F64, reference=reference)
        for kind, types, ftz in (("f16", _HALF, "{.ftz}"), ("bf16", _BHALF, "")):
            form(
                name,
                key=f"{name}.{kind}",
                syntax=f"{name}{ftz}{{.NaN}}<.type> d, a, b;",
                mods={"type": types},
                operands={"d": dst(TYPE), "a": src(TYPE), "b": src(TYPE)},
                needs=_BF16,
                isa=name,
                doc=doc,
            )
            form(
                name,
                key=f"{name}.{kind}.xorsign",
                syntax=f"{name}{ftz}{{.NaN}}.xorsign.abs<.type> d, a, b;",
                mods={"type": types},
                operands={"d": dst(TYPE), "a": src(TYPE), "b": src(TYPE)},
                needs=_XORSIGN,
                isa=name,
                doc=f"The {word} of two magnitudes, with the product of their signs.",
            )


def _functions() -> None:
    for name, doc in (("rcp", "The reciprocal."), ("sqrt", "The square root.")):
        form(
            name,
            key=f"{name}.f32",
            syntax=f"{name}<.rnd>{{.ftz}}.f32 d, a;",
            mods={"rnd": ("approx", *ROUND)},
            operands={"d": dst("f32"), "a": src("f32")},
            needs_when=[(mod("rnd").in_(*ROUND), sm(20))],
            needs=ANY,
            isa=name,
            doc=doc,
        )
        _floating(name, "f64", f"{name}<.rnd><.type>", ("f64",), "d a", doc, needs=sm(20))
    form(
        "rcp",
        key="rcp.ftz.f64",
        syntax="rcp<.rnd>.ftz.f64 d, a;",
        mods={"rnd": ROUND},
        operands={"d": dst("f64"), "a": src("f64")},
        needs=sm(20),
        isa="rcp",
        doc="The reciprocal; ptxas takes .ftz here, no manual has it.",
        unsimulated="no manual says what .ftz does to f64",
    )
    for name in ("rcp", "rsqrt"):
        form(
            name,
            key=f"{name}.approx.f64",
            syntax=f"{name}.approx.ftz.f64 d, a;",
            operands={"d": dst("f64"), "a": src("f64")},
            needs=ptx(4, 0) & sm(20) if name == "rsqrt" else ptx(2, 1) & sm(20),
            isa=name,
            doc="A coarse approximation, to 20 bits; it sees the upper half of its operand only.",
        )
    form(
        "rsqrt",
        key="rsqrt.approx.f64.full",
        syntax="rsqrt.approx.f64 d, a;",
        operands={"d": dst("f64"), "a": src("f64")},
        needs=sm(13),
        isa="rsqrt",
        doc="An approximation of the reciprocal square root in f64.",
    )
    for name, doc in (
        ("rsqrt", "The reciprocal square root, approximately."),
        ("sin", "The sine, approximately."),
        ("cos", "The cosine, approximately."),
        ("lg2", "The logarithm to base 2, approximately."),
        ("ex2", "2 to the power of the operand, approximately."),
    ):
        form(
            name,
            key=f"{name}.f32",
            syntax=f"{name}.approx{{.ftz}}.f32 d, a;",
            operands={"d": dst("f32"), "a": src("f32")},
            needs=ANY,
            isa=name,
            doc=doc,
        )
    for name, doc in (
        ("sin", "The sine of an angle in turns, approximately."),
        ("cos", "The cosine of an angle in turns, approximately."),
    ):
        form(
            name,
            key=f"{name}.2pi",
            syntax=f"{name}.approx.ftz.2pi.f32 d, a;",
            operands={"d": dst("f32"), "a": src("f32")},
            needs=ptx(9, 5),
            isa=name,
            doc=doc,
            unsimulated="what the chip gives is not recorded yet",
        )
    form(
        "tanh",
        key="tanh.f32",
        syntax="tanh.approx.f32 d, a;",
        operands={"d": dst("f32"), "a": src("f32")},
        needs=ptx(7, 0) & sm(75),
        isa="tanh",
        doc="The hyperbolic tangent, approximately.",
    )
    for name, half, bhalf in (
        ("tanh", "tanh.approx<.type>", "tanh.approx<.type>"),
        ("ex2", "ex2.approx<.type>", "ex2.approx.ftz<.type>"),
    ):
        form(
            name,
            key=f"{name}.f16",
            syntax=f"{half} d, a;",
            mods={"type": _HALF},
            operands={"d": dst(TYPE), "a": src(TYPE)},
            needs=ptx(7, 0) & sm(75),
            isa=name,
            doc="The same on 16-bit floating-point numbers.",
        )
        form(
            name,
            key=f"{name}.bf16",
            syntax=f"{bhalf} d, a;",
            mods={"type": _BHALF},
            operands={"d": dst(TYPE), "a": src(TYPE)},
            needs=_BF16_ADD,
            isa=name,
            doc="The same on bfloat16 numbers.",
        )
    for type_ in ("f32", "f64"):
        form(
            "testp",
            key=f"testp.{type_}",
            syntax=f"testp<.op>.{type_} p, a;",
            mods={"op": oneof("finite", "infinite", "number", "notanumber", "normal", "subnormal")},
            operands={"p": pred_dst(sink=False), "a": src(type_)},
            needs=ptx(2, 0) & sm(20),
            isa="testp",
            doc="Which kind of floating-point number it is.",
        )


def _dots() -> None:
    for name, extra in (("dp4a", ""), ("dp2a", "<.part>")):
        form(
            name,
            syntax=f"{name}{extra}<.atype><.btype> d, a, b, c;",
            mods={"atype": oneof("u32", "s32"), "btype": oneof("u32", "s32"), "part": oneof("lo", "hi")},
            operands={
                "d": dst(_DOT).without_pairs(),
                "a": src(mod("atype")),
                "b": src(mod("btype")),
                "c": src(_DOT).without_pairs(),
            },
            needs=ptx(5, 0) & sm(61),
            isa=name,
            reference=dot2 if extra else dot4,
            doc="Multiply bytes (or halves by bytes) pairwise and add them all to `c`.",
        )
    form(
        "sad",
        syntax="sad<.type> d, a, b, c;",
        mods={"type": INTS},
        operands={"d": dst(TYPE), "a": src(TYPE), "b": src(TYPE), "c": src(TYPE)},
        needs=ANY,
        isa="sad",
        reference=lambda a, b, c: c + abs(a - b),
        doc="`c` + |`a` − `b`|.",
    )


_DOT = mod("atype").map({"u32": "u32", "s32": "s32"})

_sums()
_products()
_quotients()
_signs()
_extremes()
_functions()
_dots()
