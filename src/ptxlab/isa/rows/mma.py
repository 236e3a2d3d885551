"""mma: matrix multiplication by one warp, operands and results spread over its registers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ptxlab.isa.effects import WarpWide
from ptxlab.isa.form import Rule, Shapes, form, oneof, rule
from ptxlab.isa.specs import Spec, braced, fragment, src
from ptxlab.isa.targets import Need, before, only, ptx, sm
from ptxlab.isa.terms import Term, declared, mod, op

SHAPE = mod("shape")
M, N, K = (SHAPE.field(letter) for letter in "mnk")
LAYOUT = oneof("row", "col")
FP8 = oneof("e4m3", "e5m2")
NARROW = oneof("e4m3", "e5m2", "e3m2", "e2m3", "e2m1")
ROUNDINGS = oneof("rn", "rz", "rm", "rp")
# Families of the targets that take .kind::f8f6f4 for 8-bit floats, and of those that take the narrower ones.
KIND_TARGETS = only("100f", "110f", "120f")
NARROW_TARGETS = only("120f")
BOTH_FP8: Term = mod("atype").in_(*FP8) & mod("btype").in_(*FP8)

_PER_REGISTER = {"f32": 1, "s32": 1, "f16": 2}
_HOLDER = {"f32": "f32", "s32": "s32", "f16": "f16x2"}
NOT_HOPPER = "not on sm_90a"


def shapes(*legal: str) -> Shapes:
    """The legal shapes of a row; others are taken too, so that a rule can say which exist."""
    return Shapes.of(r"m\d+n\d+k\d+", legal)


def shape_rule(legal: Sequence[str], what: str, name: str = "mma") -> Rule:
    """The shape is one of those listed."""
    return rule(
        "PTX0330",
        SHAPE.in_(*legal),
        f"{name} has no shape `.{{shape}}` for {what}",
        help=f"its shapes there: {', '.join('.' + s for s in legal)}",
    )


ROW_COL = rule(
    "PTX0333",
    (mod("alayout") == "row") & (mod("blayout") == "col"),
    "this product takes A by rows and B by columns, not `.{alayout}.{blayout}`",
    help="write `.row.col`; ldmatrix with .trans, or movmatrix, turns a matrix around",
)
SAME_ACCUMULATOR = rule(
    "PTX0332",
    mod("dtype") == mod("ctype"),
    "this product adds and returns one type, not .{ctype} and .{dtype}",
    help="give C and D the same type",
)
SAME_TYPES = rule(
    "PTX0331",
    mod("atype") == mod("btype"),
    "mma multiplies operands of one type here, not .{atype} by .{btype}",
    help="convert one operand; 8-bit floats and integers of one width do mix",
)
BF16_IN_F32 = rule(
    "PTX0332",
    (mod("atype") == "bf16").implies(mod("dtype") == "f32"),
    "products of .bf16 are added in .f32, not in .{dtype}",
    help="use f32 accumulators",
)


_D = op("d")
SINK_IN_D = (_D.item(0) == "_") | (_D.item(1) == "_") | (_D.item(2) == "_") | (_D.item(3) == "_")
WHOLE_F8 = (SINK_IN_D, sm(120))  # elsewhere ptxas takes products of 8-bit floats apart, and moves no result into a sink


def result(type_: str | Term, count: object, held: str | Term = "type") -> Spec:
    """D: parts of it may be left out, and ptxas dies of one vector register for it and for another operand."""
    return replace(fragment(type_, count, "w", sink=True, held=held), whole="once").about("the result")


def accumulators(held: str | Term = "type") -> dict[str, Spec]:
    """D and C of M x N elements, 32 bits or a pair of f16 in a register."""
    d, c = ((mod(n).map(_HOLDER), M * N // 32 // mod(n).map(_PER_REGISTER)) for n in ("dtype", "ctype"))
    return {"d": result(*d, held), "c": fragment(*c, held=held).about("what the product is added to")}


def operands(
    type_: str | Term, bits: int, *, held: str | Term = "type", acc: str | Term = "type", sparse: bool = False
) -> dict[str, Spec]:
    """D, A, B and C of a product whose A and B have elements of so many bits; sparse A holds half of them.

    held, acc: how registers of A and B, and those of C and D, are declared.
    """
    per_warp = 1024 // bits  # elements that a register of every lane holds
    return {
        "a": fragment(type_, M * K // (per_warp * (2 if sparse else 1)), held=held),
        "b": fragment(type_, N * K // per_warp, held=held),
        **accumulators(acc),
    }


def byte_floats(*, sparse: bool = False) -> dict[str, Spec]:
    """D, A, B and C of 8-bit floats, which ptxas unpacks: a number in C is a value, and none in A or B a double."""
    out = operands("b32", 8, held="bits", acc="each", sparse=sparse)
    return out | {
        "a": replace(out["a"], doubles=False),
        "b": replace(out["b"], doubles=False),
        "c": replace(out["c"], cut=False),
    }


# --- f16, bf16, tf32, f64

form(
    "mma",
    key="mma.f16.m8n8k4",
    syntax="mma.sync.aligned.m8n8k4<.alayout><.blayout><.dtype>.f16.f16<.ctype> d, a, b, c;",
    mods={"alayout": LAYOUT, "blayout": LAYOUT, "dtype": oneof("f16", "f32"), "ctype": oneof("f16", "f32")},
    operands={
        "d": result(mod("dtype").map(_HOLDER), mod("dtype").map({"f16": 4, "f32": 8})).about("the results"),
        "a": fragment("f16x2", 2),
        "b": fragment("f16x2", 2),
        "c": fragment(mod("ctype").map(_HOLDER), mod("ctype").map({"f16": 4, "f32": 8})),
    },
    rules=[
        rule(
            "PTX0332",
            (mod("dtype") == "f16").implies(mod("ctype") == "f16"),
            "a sum that begins in .f32 is not returned in .f16",
            help="give D the type .f32, or C the type .f16",
        )
    ],
    needs=ptx(6, 4) & sm(70),
    isa="mma",
    effect=WarpWide(),
    doc="Four products of 8 x 4 by 4 x 8 matrices, one by each group of eight lanes; made for sm_70, slow elsewhere.",
)

PAIR = mod("atype").map({"f16": "f16x2", "bf16": "bf16x2"})
_HALF = ("m16n8k8", "m16n8k16")
form(
    "mma",
    key="mma.half",
    syntax="mma.sync.aligned<.shape><.alayout><.blayout><.dtype><.atype><.btype><.ctype> d, a, b, c;",
    mods={
        "shape": shapes(*_HALF),
        "alayout": LAYOUT,
        "blayout": LAYOUT,
        "dtype": oneof("f16", "f32"),
        "atype": oneof("f16", "bf16"),
        "btype": oneof("f16", "bf16"),
        "ctype": oneof("f16", "f32"),
    },
    operands=operands(PAIR, 16),
    rules=[shape_rule(_HALF, ".{atype}"), ROW_COL, SAME_TYPES, SAME_ACCUMULATOR, BF16_IN_F32],
    needs=ptx(6, 5) & sm(75),
    needs_when=[((SHAPE == "m16n8k16") | (mod("atype") == "bf16"), ptx(7, 0) & sm(80))],
    isa="mma",
    effect=WarpWide(),
    doc="D = A·B + C of f16 or bf16.",
)

_TF32 = ("m16n8k4", "m16n8k8")
form(
    "mma",
    key="mma.tf32",
    syntax="mma.sync.aligned<.shape><.alayout><.blayout><.dtype>.tf32.tf32<.ctype> d, a, b, c;",
    mods={
        "shape": shapes(*_TF32),
        "alayout": LAYOUT,
        "blayout": LAYOUT,
        "dtype": oneof("f32"),
        "ctype": oneof("f32"),
    },
    operands=operands("tf32", 32),
    rules=[shape_rule(_TF32, ".tf32"), ROW_COL],
    needs=ptx(7, 0) & sm(80),
    isa="mma",
    effect=WarpWide(),
    doc="D = A·B + C of tf32 in f32.",
)

_F64 = ("m8n8k4", "m16n8k4", "m16n8k8", "m16n8k16")
form(
    "mma",
    key="mma.f64",
    syntax="mma.sync.aligned<.shape><.alayout><.blayout>{.rnd}.f64.f64.f64.f64 d, a, b, c;",
    mods={"shape": shapes(*_F64), "alayout": LAYOUT, "blayout": LAYOUT, "rnd": ROUNDINGS},
    defaults={"rnd": "rn"},
    operands={
        "d": result("f64", M * N // 32),
        "a": fragment("f64", M * K // 32),
        "b": fragment("f64", N * K // 32),
        "c": fragment("f64", M * N // 32),
    },
    rules=[shape_rule(_F64, ".f64"), ROW_COL],
    needs=ptx(7, 0) & sm(80),
    needs_when=[
        (SHAPE != "m8n8k4", ptx(7, 8) & sm(90)),
        # ptxas takes the larger shapes apart there, and moves no result into a sink or an integer
        ((SHAPE != "m8n8k4") & (SINK_IN_D | declared("d", "us")), before(100)),
    ],
    isa="mma",
    effect=WarpWide(),
    doc="D = A·B + C of f64.",
)

# --- integers and bits


_REGISTERS = rule(
    "PTX0104",
    (SHAPE == "m8n8k16").implies(op("a").item(0).in_() & op("b").item(0).in_()),
    "A and B of `.{shape}` are registers, not the numbers in `{a}` and `{b}`",
    help="move the number into a register first",
)


def _integers(key: str, bits: int, legal: tuple[str, ...]) -> None:
    types = oneof(f"s{bits}", f"u{bits}")
    held = "bits" if bits < 8 else SHAPE.in_(legal[0]).where("type", "bits")
    form(
        "mma",
        key=f"mma.{key}",
        syntax="mma.sync.aligned<.shape><.alayout><.blayout>{.satfinite}<.dtype><.atype><.btype><.ctype> d, a, b, c;",
        mods={
            "shape": shapes(*legal),
            "alayout": LAYOUT,
            "blayout": LAYOUT,
            "dtype": oneof("s32"),
            "atype": types,
            "btype": types,
            "ctype": oneof("s32"),
        },
        operands=operands("b32" if bits < 8 else SHAPE.in_(legal[0]).where("s32", "b32"), bits, held=held),
        rules=[shape_rule(legal, ".{atype}"), ROW_COL, *([_REGISTERS] if bits == 8 else [])],
        needs=ptx(6, 5) & sm(75),
        needs_when=[(~SHAPE.in_(legal[0]), ptx(7, 0) & sm(80))],
        isa="mma",
        effect=WarpWide(),
        doc=f"D = A·B + C of {bits}-bit integers in s32, clamped with .satfinite, else modulo 2^32.",
    )


_integers("int8", 8, ("m8n8k16", "m16n8k16", "m16n8k32"))
_integers("int4", 4, ("m8n8k32", "m16n8k32", "m16n8k64"))

_BITS = ("m8n8k128", "m16n8k128", "m16n8k256")
form(
    "mma",
    key="mma.b1",
    syntax="mma.sync.aligned<.shape><.alayout><.blayout><.dtype>.b1.b1<.ctype><.bitop>.popc d, a, b, c;",
    mods={
        "shape": shapes(*_BITS),
        "alayout": LAYOUT,
        "blayout": LAYOUT,
        "dtype": oneof("s32"),
        "ctype": oneof("s32"),
        "bitop": oneof("xor", "and"),
    },
    operands=operands("b32", 1, held="bits"),
    rules=[shape_rule(_BITS, ".b1"), ROW_COL],
    needs=ptx(7, 0) & sm(75),
    needs_when=[(SHAPE != "m8n8k128", sm(80)), (mod("bitop") == "and", ptx(7, 1) & sm(80))],
    isa="mma",
    effect=WarpWide(),
    doc="D = C + the number of ones in (row of A) xor, or and, (column of B).",
)

# --- floats of 8 bits and less

_F8 = ("m16n8k16", "m16n8k32")
form(
    "mma",
    key="mma.f8",
    syntax="mma.sync.aligned<.shape><.alayout><.blayout><.dtype><.atype><.btype><.ctype> d, a, b, c;",
    mods={
        "shape": shapes(*_F8),
        "alayout": LAYOUT,
        "blayout": LAYOUT,
        "dtype": oneof("f16", "f32"),
        "atype": FP8,
        "btype": FP8,
        "ctype": oneof("f16", "f32"),
    },
    operands=byte_floats(),
    rules=[shape_rule(_F8, ".{atype}"), ROW_COL, SAME_ACCUMULATOR],
    needs=ptx(8, 4) & sm(89),
    needs_when=[((SHAPE == "m16n8k16") | (mod("dtype") == "f16"), ptx(8, 7)), WHOLE_F8],
    isa="mma",
    effect=WarpWide(),
    doc="D = A·B + C of 8-bit floats.",
)

form(
    "mma",
    key="mma.f8f6f4",
    syntax="mma.sync.aligned<.shape><.alayout><.blayout>.kind::f8f6f4<.dtype><.atype><.btype><.ctype> d, a, b, c;",
    mods={
        "shape": shapes(*_F8),
        "alayout": LAYOUT,
        "blayout": LAYOUT,
        "dtype": oneof("f16", "f32"),
        "atype": NARROW,
        "btype": NARROW,
        "ctype": oneof("f16", "f32"),
    },
    operands=operands("b32", 8, held="bits"),
    rules=[
        shape_rule(_F8, ".kind::f8f6f4"),
        rule(
            "PTX0330",
            (SHAPE == "m16n8k16").implies(BOTH_FP8),
            "mma has no shape `.{shape}` for .{atype} by .{btype}",
            help="use .m16n8k32; .m16n8k16 is for e4m3 and e5m2",
        ),
        ROW_COL,
        SAME_ACCUMULATOR,
    ],
    needs=ptx(8, 6),
    needs_when=[
        (BOTH_FP8, KIND_TARGETS),
        ((SHAPE == "m16n8k16") | (mod("dtype") == "f16"), ptx(8, 7)),
        (~BOTH_FP8, ptx(8, 7) & NARROW_TARGETS),
        WHOLE_F8,
    ],
    isa="mma",
    effect=WarpWide(),
    doc="D = A·B + C of floats of 8, 6 and 4 bits, each in a byte.",
    unsimulated=NOT_HOPPER,
)

# --- with a scale for every block of A and B

_SELECT = replace(braced("u16", 2), held="type", kinds=frozenset({"reg", "imm"}))
SCALES: dict[str, Spec] = {
    "scale_a": src("b32", imm=False).about("scales of A, one a byte"),
    "select_a": _SELECT.about("which byte of scale_a, and which of two lane pairs, holds the scales"),
    "scale_b": src("b32", imm=False).about("scales of B, one a byte"),
    "select_b": _SELECT.about("which byte of scale_b, and which of four lanes, holds the scales"),
}
SCALED = "d, a, b, c, scale_a, select_a, scale_b, select_b;"


def _lane_rule(name: str, last: int) -> Rule:
    lane = op(name).item(1)
    return rule(
        "PTX0336",
        (lane >= 0) & (lane <= last),
        f"the lanes that hold the scales are chosen by 0 to {last}: `{{{name}}}`",
        help=f"write 0 to {last} as the second number of `{name}`",
    )


def select_rules(step: Term) -> list[Rule]:
    """What select_a and select_b may hold: the first byte of a group of scales (`step` bytes), and lanes."""
    out = [_lane_rule("select_a", 1), _lane_rule("select_b", 3)]
    for name in ("select_a", "select_b"):
        byte = op(name).item(0)
        out.append(
            rule(
                "PTX0336",
                (byte >= 0) & (byte <= 3) & (byte % step == 0),
                f"scales of this many a block do not begin at the byte that `{{{name}}}` chooses",
                help=".scale_vec::1X takes the bytes 0 to 3, ::2X 0 and 2, ::4X 0",
            )
        )
    return out


FP4_SCALES = [
    rule(
        "PTX0335",
        (mod("kind") == "kind::mxf4").implies(mod("scale_vec").in_(None, "scale_vec::2X")),
        "`.kind::mxf4` has two scales a row, not `.{scale_vec}`",
        help="write `.scale_vec::2X`, or `.kind::mxf4nvf4` for four",
    ),
    rule(
        "PTX0335",
        (mod("kind") == "kind::mxf4nvf4").implies(mod("scale_vec").in_("scale_vec::2X", "scale_vec::4X")),
        "`.kind::mxf4nvf4` does not say how many scales a row has",
        help="write `.scale_vec::2X` or `.scale_vec::4X`",
    ),
    rule(
        "PTX0335",
        (mod("stype") == "ue4m3").implies(mod("scale_vec") == "scale_vec::4X"),
        "scales of .ue4m3 come four a row",
        help="write `.scale_vec::4X`, or .ue8m0",
    ),
]
FP4_STEP = mod("scale_vec").map({None: 2, "scale_vec::2X": 2, "scale_vec::4X": 4})
FP4_NEEDS: list[tuple[Term, Need]] = [
    ((mod("scale_vec") == "scale_vec::4X") & (mod("stype") == "ue8m0"), ptx(9, 1)),
]

form(
    "mma",
    key="mma.mxf8f6f4",
    syntax="mma.sync.aligned<.shape><.alayout><.blayout>.kind::mxf8f6f4.block_scale{.scale_vec}"
    f"<.dtype><.atype><.btype><.ctype>.ue8m0 {SCALED}",
    mods={
        "shape": shapes("m16n8k32"),
        "alayout": LAYOUT,
        "blayout": LAYOUT,
        "scale_vec": oneof("scale_vec::1X"),
        "dtype": oneof("f32"),
        "atype": NARROW,
        "btype": NARROW,
        "ctype": oneof("f32"),
    },
    operands=operands("b32", 8) | SCALES,
    rules=[
        shape_rule(("m16n8k32",), ".kind::mxf8f6f4"),
        ROW_COL,
        *select_rules(mod("scale_vec").map({None: 1, "scale_vec::1X": 1})),
    ],
    needs=ptx(8, 7) & NARROW_TARGETS,
    isa="mma",
    effect=WarpWide(),
    doc="D = A·B + C of floats of 8, 6 and 4 bits, every 32 of a row of A and of a column of B with a scale.",
    unsimulated=NOT_HOPPER,
)

form(
    "mma",
    key="mma.mxf4",
    syntax="mma.sync.aligned<.shape><.alayout><.blayout><.kind>.block_scale{.scale_vec}"
    f"<.dtype>.e2m1.e2m1<.ctype><.stype> {SCALED}",
    mods={
        "shape": shapes("m16n8k64"),
        "alayout": LAYOUT,
        "blayout": LAYOUT,
        "kind": oneof("kind::mxf4", "kind::mxf4nvf4"),
        "scale_vec": oneof("scale_vec::2X", "scale_vec::4X"),
        "dtype": oneof("f32"),
        "ctype": oneof("f32"),
        "stype": oneof("ue8m0", "ue4m3"),
    },
    operands=operands("b32", 4) | SCALES,
    rules=[shape_rule(("m16n8k64",), "`.{kind}`"), ROW_COL, *FP4_SCALES, *select_rules(FP4_STEP)],
    needs=ptx(8, 7) & NARROW_TARGETS,
    needs_when=FP4_NEEDS,
    isa="mma",
    effect=WarpWide(),
    doc="D = A·B + C of 4-bit floats, every 32 or 16 of a row of A and of a column of B with a scale.",
    unsimulated=NOT_HOPPER,
)
