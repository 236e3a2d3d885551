"""cvt to and from packed floats of eight bits and fewer, as targets since sm_100 have them, and stochastic rounding."""

from __future__ import annotations

from dataclasses import replace

from ptxlab.isa.form import form, oneof
from ptxlab.isa.specs import Spec, dst, src
from ptxlab.isa.targets import only, ptx
from ptxlab.isa.terms import chosen, mod

_D, _A = mod("dtype"), mod("type")
_SMALL = oneof("e2m1x2", "e2m3x2", "e3m2x2")
_PAIR = oneof("f16x2", "bf16x2")
_FAMILIES = ptx(8, 6) & only("100f", "110f", "120f")
_LATER = ptx(9, 1) & only("100f", "110f", "120f")
_RUBIN = ptx(9, 4) & only("107f")
_FIXED = ptx(9, 1) & only("100a", "103a", "110a", "120a", "121a") | ptx(9, 4) & only("107a")
_STOCHASTIC = ptx(8, 7) & only("100a", "103a") | ptx(9, 4) & only("107a")
_ABSENT = "sm_90a does not have it"
_UPPER, _LOWER = src("f32").about("becomes the upper part"), src("f32").about("becomes the lower part")
_F16_PAIR = _D == "f16x2"  # beside these alone registers may be wider than their types
_BITS = replace(src("b32", imm=False), untyped=True).about("random bits, added below the last place that is kept")
_SCALE = (
    src("ue8m0x2", imm=False).given(chosen("scaled::n2::ue8m0")).about("a factor, a power of two, for each of the pair")
)


def _cvt(key: str, syntax: str, operands: dict[str, Spec], doc: str, **more: object) -> None:
    form("cvt", key=key, syntax=syntax, operands=operands, isa="cvt", unsimulated=_ABSENT, doc=doc, **more)  # type: ignore[arg-type]


_cvt(
    "cvt.small",
    "cvt.rn.satfinite{.relu}<.dtype>.f32 d, a, b;",
    {"d": dst(_D), "a": _UPPER, "b": _LOWER},
    "Convert two f32 to a pair of numbers of four or six bits.",
    mods={"dtype": _SMALL},
    needs=_FAMILIES,
)
_cvt(
    "cvt.small.pair",
    "cvt.rn.satfinite{.relu}<.dtype><.type> d, a;",
    {"d": dst(_D), "a": src(_A)},
    "Convert a pair of 16-bit numbers to a pair of numbers of four or six bits.",
    mods={"dtype": _SMALL, "type": _PAIR},
    needs=_LATER,
)
_cvt(
    "cvt.fp8.bf16x2",
    "cvt.rn.satfinite{.relu}<.dtype>.bf16x2 d, a;",
    {"d": dst(_D), "a": src("bf16x2")},
    "Convert a pair of bf16 to a pair of 8-bit numbers.",
    mods={"dtype": oneof("e4m3x2", "e5m2x2")},
    needs=_LATER,
)
_cvt(
    "cvt.from_small",
    "cvt.rn{.relu}.f16x2<.type> d, a;",
    {"d": dst("f16x2"), "a": src(_A)},
    "Convert a pair of numbers of four or six bits to a pair of f16.",
    mods={"type": _SMALL},
    needs=_FAMILIES,
)
_EXPONENT = {"rnd": oneof("rz", "rp")}
_cvt(
    "cvt.ue8m0",
    "cvt<.rnd>{.satfinite}.ue8m0x2.f32 d, a, b;",
    {"d": dst("ue8m0x2"), "a": _UPPER, "b": _LOWER},
    "Convert two f32 to a pair of powers of two.",
    mods=_EXPONENT,
    needs=_FAMILIES,
)
_cvt(
    "cvt.ue8m0.bf16x2",
    "cvt<.rnd>{.satfinite}.ue8m0x2.bf16x2 d, a;",
    {"d": dst("ue8m0x2"), "a": src("bf16x2")},
    "Convert a pair of bf16 to a pair of powers of two.",
    mods=_EXPONENT,
    needs=_FAMILIES,
)
_cvt(
    "cvt.from_ue8m0",
    "cvt.rn.bf16x2.ue8m0x2 d, a;",
    {"d": dst("bf16x2"), "a": src("ue8m0x2")},
    "Convert a pair of powers of two to a pair of bf16.",
    needs=_FAMILIES,
)
for _rnd, _mark, _needs in (("rn", "", _FIXED), ("rz", ".rz", ptx(9, 4) & only("107a"))):
    _cvt(
        f"cvt.s2f6{_mark}",
        f"cvt.{_rnd}.satfinite{{.relu}}{{.scaled::n2::ue8m0}}.s2f6x2.f32 d, a, b{{, scale}};",
        {"d": dst("b16"), "a": _UPPER, "b": _LOWER, "scale": _SCALE},
        "Convert two f32 to a pair of fixed-point numbers with six bits behind the point.",
        needs=_needs,
    )
    _cvt(
        f"cvt.s2f6.bf16x2{_mark}",
        f"cvt.{_rnd}.satfinite{{.relu}}{{.scaled::n2::ue8m0}}.s2f6x2.bf16x2 d, a{{, scale}};",
        {"d": dst("b16"), "a": src("bf16x2"), "scale": _SCALE},
        "Convert a pair of bf16 to a pair of fixed-point numbers with six bits behind the point.",
        needs=_needs,
    )
_cvt(
    "cvt.from_s2f6",
    "cvt.rn{.satfinite}{.relu}{.scaled::n2::ue8m0}.bf16x2.s2f6x2 d, a{, scale};",
    {"d": dst("bf16x2"), "a": src("s2f6x2"), "scale": _SCALE},
    "Convert a pair of fixed-point numbers with six bits behind the point to a pair of bf16.",
    needs=_FIXED,
)
_TINY = oneof("e4m3x2", "e5m2x2", *_SMALL)
_ONE_SCALE = src("b8", imm=False).given(chosen("scaled::n1::ue8m0")).about("a factor for both, a power of two")
_LOOSE = {"rnd": oneof("rn", "rz"), "dtype": _TINY}
_cvt(
    "cvt.tiny",
    "cvt<.rnd>.satfinite{.relu}{.pzo}{.scaled::n1::ue8m0}<.dtype>.f32 d, a, b{, scale};",
    {"d": dst(_D), "a": _UPPER, "b": _LOWER, "scale": _ONE_SCALE},
    "Convert two f32 to a pair of numbers of eight bits or fewer, rounded and scaled as it says.",
    mods=_LOOSE,
    needs=_RUBIN,
)
_cvt(
    "cvt.tiny.pair",
    "cvt<.rnd>.satfinite{.relu}{.pzo}{.scaled::n1::ue8m0}<.dtype><.type> d, a{, scale};",
    {"d": dst(_D), "a": src(_A), "scale": _ONE_SCALE},
    "Convert a pair of 16-bit numbers to a pair of numbers of eight bits or fewer, rounded and scaled as it says.",
    mods=_LOOSE | {"type": _PAIR},
    needs=_RUBIN,
)
_cvt(
    "cvt.from_tiny",
    "cvt.rn{.relu}{.satfinite}{.scaled::n2::ue8m0}.bf16x2<.type> d, a{, scale};",
    {"d": dst("bf16x2"), "a": src(_A), "scale": _SCALE},
    "Convert a pair of numbers of eight bits or fewer to a pair of bf16.",
    mods={"type": _TINY},
    needs=ptx(9, 2) & only("100f", "110f", "120f"),
)
for _key, _source, _operands in (
    ("", ".f32", {"a": _UPPER, "b": _LOWER}),
    (".pair", "<.type>", {"a": src(_A)}),
):
    _names = ", ".join(_operands)
    _cvt(
        f"cvt.ue5m3{_key}",
        f"cvt<.rnd>{{.satfinite}}.ue5m3x2{_source} d, {_names};",
        {"d": dst("ue5m3x2"), **_operands},
        "Convert two numbers to a pair of unsigned 8-bit numbers.",
        mods={"rnd": oneof("rn", "rz", "rp")} | ({"type": _PAIR} if _key else {}),
        needs=_RUBIN,
    )
    _cvt(
        f"cvt.ue5m3{_key}.scaled",
        f"cvt<.rnd>{{.satfinite}}.scaled::n1::ue8m0.ue5m3x2{_source} d, {_names}, scale;",
        {"d": dst("ue5m3x2"), **_operands, "scale": src("b8", imm=False).about("a factor for both, a power of two")},
        "Convert two numbers to a pair of unsigned 8-bit numbers, scaled.",
        mods={"rnd": oneof("rn", "rz")} | ({"type": _PAIR} if _key else {}),
        needs=_RUBIN,
    )
_cvt(
    "cvt.f16x2.ue5m3",
    "cvt.rn.f16x2.ue5m3x2 d, a;",
    {"d": dst("f16x2"), "a": src("ue5m3x2")},
    "Convert a pair of unsigned 8-bit numbers to a pair of f16.",
    needs=_RUBIN,
)
_cvt(
    "cvt.bf16x2.ue5m3",
    "cvt.rn{.satfinite}{.scaled::n2::ue8m0}.bf16x2.ue5m3x2 d, a{, scale};",
    {"d": dst("bf16x2"), "a": src("ue5m3x2"), "scale": _SCALE},
    "Convert a pair of unsigned 8-bit numbers to a pair of bf16.",
    needs=_RUBIN,
)
for _to, _operands in (
    (oneof("f16", "bf16"), {"a": src("f32")}),
    (_PAIR, {"a": _UPPER, "b": _LOWER}),
    (oneof("tf32"), {"a": src("f32")}),
):
    _cvt(
        f"cvt.pzo.{_to[0]}",
        f"cvt<.rnd>{{.relu}}{{.satfinite}}.pzo<.dtype>.f32 d, {', '.join(_operands)};",
        {n: replace(spec, wider=_D.in_("f16", "f16x2")) for n, spec in ({"d": dst(_D)} | _operands).items()},
        "Convert f32 so that zeros are positive.",
        mods={"rnd": oneof("rn", "rz"), "dtype": _to},
        needs=_RUBIN,
    )

_cvt(
    "cvt.rs",
    "cvt.rs{.relu}{.satfinite}<.dtype>.f32 d, a, b, bits;",
    {
        "d": dst(_D, wider=_F16_PAIR),
        "a": replace(_UPPER, wider=_F16_PAIR),
        "b": replace(_LOWER, wider=_F16_PAIR),
        "bits": _BITS,
    },
    "Round two f32 to a pair of 16-bit numbers, up or down as random bits decide.",
    mods={"dtype": _PAIR},
    needs=_STOCHASTIC,
)
_cvt(
    "cvt.rs.four",
    "cvt.rs{.relu}.satfinite<.dtype>.f32 d, a, bits;",
    {
        "d": dst(_D),
        "a": replace(src("f32", count=4), held="type").about("the first becomes the upper part"),
        "bits": _BITS,
    },
    "Round four f32 to numbers of eight bits or fewer, up or down as random bits decide.",
    mods={"dtype": oneof("e4m3x4", "e5m2x4", "e2m3x4", "e3m2x4", "e2m1x4")},
    needs=_STOCHASTIC,
)
