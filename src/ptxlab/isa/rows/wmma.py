"""wmma: fragments of matrices, whose layout over the warp is the machine's own: load, multiply, store."""

from __future__ import annotations

from dataclasses import replace
from functools import reduce

from ptxlab.isa.effects import Access, WarpWide
from ptxlab.isa.extents import Lines
from ptxlab.isa.form import Rule, form, oneof, rule
from ptxlab.isa.rows.mma import LAYOUT, ROUNDINGS, SAME_TYPES, SHAPE, K, M, N, shape_rule, shapes
from ptxlab.isa.specs import Spec, addr, fragment, src
from ptxlab.isa.targets import Need, ptx, sm
from ptxlab.isa.terms import Term, mod, op, present

_BIG = ("m16n16k16", "m8n32k16", "m32n8k16")
_SPACE = oneof("global", "shared", "shared::cta")
_WHERE = mod("space").map({None: "generic"} | {s: s for s in _SPACE})
_STRIDE = src("s32").about("elements from one row (.row) or column (.col) to the next; default: they lie close")
_BASE = ptx(6, 3) & sm(70)
_TYPE = mod("type")
_BITS = {"bf16": 16, "tf32": 32, "s8": 8, "u8": 8, "s4": 4, "u4": 4, "b1": 1}
_SHAPES_OF = {
    "f16": _BIG,
    "bf16": _BIG,
    "s8": _BIG,
    "u8": _BIG,
    "tf32": ("m16n16k8",),
    "f64": ("m8n8k4",),
    "s4": ("m8n8k32",),
    "u4": ("m8n8k32",),
    "b1": ("m8n8k128",),
}
_ALL = (*_BIG, "m16n16k8", "m8n8k4", "m8n8k32", "m8n8k128")
_BYTES = _TYPE.in_("s8", "u8")
_SUB_BYTE = _TYPE.in_("s4", "u4", "b1")
_AMPERE = _TYPE.in_("bf16", "tf32", "f64")
_NEEDS_OF: list[tuple[Term, Need]] = [(_BYTES, sm(72)), (_SUB_BYTE, sm(75)), (_AMPERE, ptx(7, 0) & sm(80))]


_ELEMENT = _TYPE.map(_BITS | {"f16": 16, "f32": 32, "s32": 32, "f64": 64})


def _matrix(access: str, extent: tuple[Term, Term]) -> Spec:
    """A matrix of so many rows and columns: its lines are the rows (.row) or the columns (.col)."""
    rows, columns = extent
    by_rows = mod("layout") == "row"
    lines, along = (by_rows.where(a, b) for a, b in ((rows, columns), (columns, rows)))
    stride = present("stride").where(op("stride"), along) * _ELEMENT
    return replace(addr(_WHERE, access), extent=Lines(lines, along * _ELEMENT, stride))


def _fits(types: tuple[str, ...], what: str) -> list[Rule]:
    """Every type has its shapes."""
    return [
        rule(
            "PTX0338",
            _TYPE.in_(name).implies(SHAPE.in_(*_SHAPES_OF[name])),
            f"{what} of .{{type}} has no shape `.{{shape}}`",
            help=f"its shapes: {', '.join('.' + s for s in _SHAPES_OF[name])}",
        )
        for name in types
    ]


def _load(frag: str, types: tuple[str, ...], count: Term | int, type_: str, key: str) -> None:
    majors = {"a": "row", "b": "col"}
    held = {"b32": "bits", "f64": "each"}.get(type_, "type")
    form(
        "wmma.load",
        key=f"wmma.load.{frag}.{key}",
        syntax=f"wmma.load.{frag}.sync.aligned<.layout><.shape>{{.space}}<.type> d, [src]{{, stride}};",
        mods={
            "layout": LAYOUT,
            "shape": shapes(*dict.fromkeys(s for t in types for s in _SHAPES_OF[t])),
            "space": _SPACE,
            "type": types,
        },
        operands={
            "d": replace(fragment(type_, count, "w", sink=True, held=held), whole="no").about("the fragment"),
            "src": _matrix("r", (M, K) if frag == "a" else (K, N)).about("where the matrix begins"),
            "stride": _STRIDE,
        },
        rules=[
            *_fits(types, f"wmma.load.{frag}"),
            rule(
                "PTX0333",
                _SUB_BYTE.implies(mod("layout") == majors[frag]),
                f"{frag.upper()} of .{{type}} lies by {'rows' if frag == 'a' else 'columns'}, not `.{{layout}}`",
                help=f"write `.{majors[frag]}`",
            ),
        ],
        needs=_BASE,
        needs_when=_NEEDS_OF,
        isa="wmma.load",
        effect=Access("load"),
        doc=f"Load the fragments of a matrix {frag.upper()} from memory.",
    )


for _frag, _line in (("a", M), ("b", N)):
    # an f16 fragment holds every element twice in the larger shapes
    _load(_frag, oneof("f16"), 8, "f16x2", "f16")
    _load(_frag, oneof("f64"), 1, "f64", "f64")
    _load(_frag, oneof("tf32"), 4, "tf32", "tf32")
    _load(_frag, oneof("bf16"), _line * K // 64, "bf16x2", "bf16")
    _load(_frag, oneof("s8", "u8"), _line * K // 128, "s32", "int8")
    _load(_frag, oneof("s4", "u4"), 1, "b32", "int4")
    _load(_frag, oneof("b1"), 1, "b32", "b1")

# --- accumulators

_ACC_SHAPES: dict[str, tuple[str, ...]] = {
    "f16": _BIG,
    "f32": (*_BIG, "m16n16k8"),
    "s32": (*_BIG, "m8n8k32", "m8n8k128"),
    "f64": ("m8n8k4",),
}
# ptxas moves f32 fragments of the shapes of integers too, which no product takes.
_LENIENT = (*_ACC_SHAPES["f32"], "m8n8k32", "m8n8k128")
_HELD = {"f16": "f16x2", "f32": "f32", "s32": "s32", "f64": "f64"}
_EACH = {"f16": 2, "f32": 1, "s32": 1, "f64": 1}
_ACC_NEEDS: list[tuple[Term, Need]] = [
    (_TYPE == "s32", sm(72)),
    (SHAPE.in_("m8n8k32", "m8n8k128"), sm(75)),
    (SHAPE.in_("m16n16k8", "m8n8k4"), ptx(7, 0) & sm(80)),
]


def _fragment(type_: Term, role: str) -> Spec:
    """C or D; ptxas dies of one that is a vector register by its name."""
    return replace(fragment(type_.map(_HELD), M * N // 32 // type_.map(_EACH), role, sink=True), whole="no")


def _moved_fragment(role: str) -> Spec:
    return replace(_fragment(_TYPE, role), held=(_TYPE == "f64").where("each", "type"), doubles=False)


def _acc_rules(what: str) -> list[Rule]:
    out = [
        rule(
            "PTX0338",
            _TYPE.in_(name).implies(SHAPE.in_(*(_LENIENT if name == "f32" else legal))),
            f"{what} of .{{type}} has no shape `.{{shape}}`",
            help=f"its shapes: {', '.join('.' + s for s in legal)}",
        )
        for name, legal in _ACC_SHAPES.items()
    ]
    strange = (_TYPE == "f32") & SHAPE.in_("m8n8k32", "m8n8k128")
    out.append(
        rule(
            "PTX0338",
            ~strange,
            "no product of `.{shape}` adds in .{type}",
            help="write .s32",
            severity="warning",
        )
    )
    return out


def _moved() -> dict[str, tuple[str, ...]]:
    return {"layout": LAYOUT, "shape": shapes(*_ALL), "space": _SPACE, "type": oneof("f16", "f32", "s32", "f64")}


form(
    "wmma.load",
    key="wmma.load.c",
    syntax="wmma.load.c.sync.aligned<.layout><.shape>{.space}<.type> d, [src]{, stride};",
    mods=_moved(),
    operands={
        "d": _moved_fragment("w").about("the fragment"),
        "src": _matrix("r", (M, N)).about("where the matrix begins"),
        "stride": _STRIDE,
    },
    rules=_acc_rules("wmma.load.c"),
    needs=_BASE,
    needs_when=_ACC_NEEDS,
    isa="wmma.load",
    effect=Access("load"),
    doc="Load the fragments of a matrix C from memory.",
)

form(
    "wmma.store",
    key="wmma.store.d",
    syntax="wmma.store.d.sync.aligned<.layout><.shape>{.space}<.type> [dst], s{, stride};",
    mods=_moved(),
    operands={
        "dst": _matrix("w", (M, N)).about("where the matrix begins"),
        "s": _moved_fragment("r").about("the fragment"),
        "stride": _STRIDE,
    },
    rules=_acc_rules("wmma.store.d"),
    needs=_BASE,
    needs_when=_ACC_NEEDS,
    isa="wmma.store",
    effect=Access("store"),
    doc="Store the fragments of a matrix D to memory.",
)

# --- products

_LAYOUTS = {"alayout": LAYOUT, "blayout": LAYOUT}
_ROW_COL = rule(
    "PTX0333",
    (mod("alayout") == "row") & (mod("blayout") == "col"),
    "wmma takes A of this type by rows and B by columns, not `.{alayout}.{blayout}`",
    help="write `.row.col`",
)


def _factor(type_: str, count: Term | int, *, imm: bool, alike: bool = False) -> Spec:
    """A or B; ptxas dies of one that is a vector register by its name. `alike`: its registers are all of the type."""
    held = "each" if type_ == "f64" or alike else "type"
    return replace(fragment(type_, count, imm=imm and not alike, held=held), whole="no")


def _tf32() -> tuple[Spec, Spec]:
    """D and C of tf32: no part of D can be left out."""
    d, c = _fragment(mod("dtype"), "w"), _fragment(mod("ctype"), "r")
    return replace(d, kinds=frozenset({"reg"})), c


def _product(
    key: str,
    head: str,
    legal: tuple[str, ...],
    registers: tuple[str, Term | int, Term | int],
    *,
    what: str,
    doc: str,
    mods: dict[str, tuple[str, ...]],
    needs: Need = Need(),
    needs_when: tuple[tuple[Term, Need], ...] = (),
    rules: tuple[Rule, ...] = (),
    accumulator: tuple[Spec, Spec] | None = None,
    defaults: dict[str, str] | None = None,
    imm: tuple[bool, bool] = (True, True),
) -> None:
    """One row: `registers` is the type of those of A and B and how many of them A and B have. `imm`: numbers may stand in
    A, in B."""
    type_, count_a, count_b = registers
    d, c = accumulator or (_fragment(mod("dtype"), "w"), _fragment(mod("ctype"), "r"))
    form(
        "wmma.mma",
        key=f"wmma.mma.{key}",
        syntax=f"wmma.mma{head} d, a, b, c;",
        mods={"shape": shapes(*legal), **_LAYOUTS, **mods},
        operands={
            "d": d.about("the result"),
            "a": _factor(type_, count_a, imm=imm[0]),
            "b": _factor(type_, count_b, imm=imm[1], alike=type_ == "tf32"),
            "c": c.about("what the product is added to"),
        },
        rules=[shape_rule(legal, what, "wmma"), *rules],
        needs=_BASE & needs,
        needs_when=needs_when,
        isa="wmma.mma",
        effect=WarpWide(),
        doc=doc,
        defaults=defaults,
    )


_HEAD = ".sync.aligned<.alayout><.blayout><.shape>"
_TYPED = "<.dtype><.atype><.btype><.ctype>"
_F32 = {"dtype": oneof("f32"), "ctype": oneof("f32")}
_S32 = {"dtype": oneof("s32"), "ctype": oneof("s32")}

_product(
    "f16",
    f"{_HEAD}<.dtype><.ctype>",
    _BIG,
    ("f16x2", 8, 8),
    what=".f16",
    # before sm_80 ptxas reads D where it does not convert it
    needs_when=(
        (
            ((mod("dtype") == "f32") | (mod("ctype") == "f16"))
            & reduce(lambda a, b: a | b, (op("d").item(i) == "_" for i in range(8))),
            sm(80),
        ),
    ),
    doc="D = A·B + C of f16.",
    mods={"dtype": oneof("f16", "f32"), "ctype": oneof("f16", "f32")},
)
_product(
    "bf16",
    f"{_HEAD}{_TYPED}",
    _BIG,
    ("bf16x2", M * K // 64, N * K // 64),
    what=".bf16",
    doc="D = A·B + C of bf16 in f32.",
    mods={**_F32, "atype": oneof("bf16"), "btype": oneof("bf16")},
    needs=ptx(7, 0) & sm(80),
)
_product(
    "tf32",
    f"{_HEAD}{_TYPED}",
    ("m16n16k8",),
    ("tf32", 4, 4),
    what=".tf32",
    doc="D = A·B + C of tf32 in f32.",
    mods={**_F32, "atype": oneof("tf32"), "btype": oneof("tf32")},
    needs=ptx(7, 0) & sm(80),
    accumulator=_tf32(),
)
_product(
    "f64",
    f"{_HEAD}{{.rnd}}.f64.f64.f64.f64",
    ("m8n8k4",),
    ("f64", 1, 1),
    what=".f64",
    doc="D = A·B + C of f64.",
    mods={"rnd": ROUNDINGS},
    needs=ptx(7, 0) & sm(80),
    accumulator=(
        replace(fragment("f64", 2, "w", sink=True), whole="no"),
        replace(fragment("f64", 2), whole="no"),
    ),
    defaults={"rnd": "rn"},
)
_product(
    "int8",
    f"{_HEAD}{_TYPED}{{.satfinite}}",
    _BIG,
    ("s32", M * K // 128, N * K // 128),
    imm=(True, False),
    what=".{atype}",
    doc="D = A·B + C of 8-bit integers in s32.",
    mods={**_S32, "atype": oneof("s8", "u8"), "btype": oneof("s8", "u8")},
    needs=sm(72),
    rules=(SAME_TYPES,),
)
_product(
    "int4",
    f"{_HEAD}{_TYPED}{{.satfinite}}",
    ("m8n8k32",),
    ("s32", 1, 1),
    what=".{atype}",
    doc="D = A·B + C of 4-bit integers in s32.",
    mods={**_S32, "atype": oneof("s4", "u4"), "btype": oneof("s4", "u4")},
    needs=sm(75),
    rules=(_ROW_COL, SAME_TYPES),
)
_product(
    "b1",
    f"<.bitop>.popc{_HEAD}<.dtype>.b1.b1<.ctype>",
    ("m8n8k128",),
    ("s32", 1, 1),
    imm=(False, False),
    what=".b1",
    doc="D = C + the number of ones in (row of A) xor, or and, (column of B).",
    mods={**_S32, "bitop": oneof("xor", "and")},
    needs=sm(75),
    needs_when=((mod("bitop") == "and", ptx(7, 1) & sm(80)),),
    rules=(_ROW_COL,),
)
