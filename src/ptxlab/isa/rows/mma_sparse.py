"""mma.sp: products of one warp whose A has at most half of its elements, metadata saying which."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ptxlab.isa.effects import WarpWide
from ptxlab.isa.form import Rule, form, oneof, rule
from ptxlab.isa.rows.mma import (
    BF16_IN_F32,
    BOTH_FP8,
    FP4_NEEDS,
    FP4_SCALES,
    FP4_STEP,
    FP8,
    KIND_TARGETS,
    LAYOUT,
    NARROW,
    NARROW_TARGETS,
    NOT_HOPPER,
    PAIR,
    ROW_COL,
    SAME_ACCUMULATOR,
    SAME_TYPES,
    SCALED,
    SCALES,
    SHAPE,
    WHOLE_F8,
    byte_floats,
    operands,
    select_rules,
    shape_rule,
    shapes,
)
from ptxlab.isa.specs import Range, Spec, imm, src
from ptxlab.isa.targets import Need, before, only, ptx, sm
from ptxlab.isa.terms import Term, declared, mod, op

_ORDERED = mod("sparsity") == "sp::ordered_metadata"
_SPARSE: dict[str, Spec] = {
    "meta": src("b32", imm=False).about("two bits for every element of A that is there: its place among four"),
    "selector": imm(Range(0, 3)).about("which lanes of every four hold the metadata"),
}
# elsewhere ptxas takes products of 8-bit floats apart, and moves no metadata from a float
_WHOLE_META = (declared("meta", "f"), before(90) | sm(120))
_TAIL = "d, a, b, c, meta, selector;"
_SCALED_TAIL = SCALED.replace("c, scale_a", "c, meta, selector, scale_a")


def _selector_rule(when: Term, last: int, severity: str = "error") -> Rule:
    allowed = "0" if last == 0 else f"0 to {last}"
    return rule(
        "PTX0334",
        when.implies(op("selector") <= last),
        f"the metadata of `.{{shape}}` is chosen by {allowed}, not by {{selector}}",
        help=f"write {allowed}",
        severity=severity,
    )


_ORDERED_ONLY = rule(
    "PTX0337",
    _ORDERED,
    "this product takes ordered metadata only",
    help="write `mma.sp::ordered_metadata`, with the metadata of every four elements in increasing order",
)


def _fragments(key: str, type_: str | Term, bits: int, held: str | Term, kind: str) -> dict[str, Spec]:
    """ptxas looks closely at the accumulators of a product with a kind, and at all matrices of one with scales."""
    if key == "f8":
        return byte_floats(sparse=True)
    acc = "type" if "kind" in kind else mod("dtype").map({"f32": "bits", "f16": "type", "s32": "type"})
    return operands(type_, bits, held=held, acc=acc, sparse=True)


def _row(
    key: str,
    legal: Sequence[str],
    types: tuple[str, ...],
    type_: str | Term,
    bits: int,
    *,
    held: str | Term = "bits",
    what: str,
    doc: str,
    accumulators: tuple[str, ...] = ("f32",),
    rules: Sequence[Rule] = (),
    needs: Need = Need(),
    needs_when: Sequence[tuple[Term, Need]] = (),
    kind: str = "",
    kinds: Mapping[str, tuple[str, ...]] | None = None,
    stype: str = "",
    scaled: bool = False,
    unsimulated: str | None = None,
) -> None:
    """One row: what differs from the others are shapes, types, kinds and scales."""
    form(
        "mma.sp",
        key=f"mma.sp.{key}",
        syntax=f"mma<.sparsity>.sync.aligned<.shape><.alayout><.blayout>{kind}<.dtype><.atype><.btype><.ctype>{stype} "
        + (_SCALED_TAIL if scaled else _TAIL),
        mods={
            "sparsity": oneof("sp::ordered_metadata", "sp"),
            "shape": shapes(*legal),
            "alayout": LAYOUT,
            "blayout": LAYOUT,
            "dtype": accumulators,
            "atype": types,
            "btype": types,
            "ctype": accumulators,
            **(kinds or {}),
        },
        operands={
            **_fragments(key, type_, bits, "type" if scaled else held, kind),
            **_SPARSE,
            **(SCALES if scaled else {}),
        },
        rules=[shape_rule(legal, what, "mma.sp"), ROW_COL, *rules],
        needs=ptx(7, 1) & sm(80) & needs,
        needs_when=[(_ORDERED, ptx(8, 5)), *needs_when],
        isa="mma.sp",
        effect=WarpWide(),
        doc=doc,
        unsimulated=unsimulated,
    )


_row(
    "half",
    ("m16n8k16", "m16n8k32"),
    oneof("f16", "bf16"),
    PAIR,
    16,
    held=mod("atype").map({"f16": "type", "bf16": "bits"}),
    what=".{atype}",
    accumulators=oneof("f16", "f32"),
    rules=[
        SAME_TYPES,
        SAME_ACCUMULATOR,
        BF16_IN_F32,
        # ptxas checks the selector of f16 in f32 as if the shape were the smaller one.
        _selector_rule((SHAPE == "m16n8k32") & ~((mod("atype") == "f16") & (mod("dtype") == "f32")), 1),
        _selector_rule((SHAPE == "m16n8k32") & (mod("atype") == "f16") & (mod("dtype") == "f32"), 1, "warning"),
    ],
    doc="D = A·B + C of f16 or bf16, two of every four elements of a row of A given.",
)
_row(
    "tf32",
    ("m16n8k8", "m16n8k16"),
    oneof("tf32"),
    "tf32",
    32,
    what=".tf32",
    rules=[_selector_rule(SHAPE == "m16n8k16", 1)],
    doc="D = A·B + C of tf32, one of every two elements of a row of A given.",
)
_row(
    "int8",
    ("m16n8k32", "m16n8k64"),
    oneof("s8", "u8"),
    "b32",
    8,
    what=".{atype}",
    accumulators=oneof("s32"),
    kind="{.satfinite}",
    rules=[_selector_rule(SHAPE == "m16n8k32", 1), _selector_rule(SHAPE == "m16n8k64", 0)],
    doc="D = A·B + C of 8-bit integers, two of every four elements of a row of A given.",
)
_row(
    "int4",
    ("m16n8k64", "m16n8k128"),
    oneof("s4", "u4"),
    "b32",
    4,
    what=".{atype}",
    accumulators=oneof("s32"),
    kind="{.satfinite}",
    rules=[_selector_rule(SHAPE == "m16n8k64", 1), _selector_rule(SHAPE == "m16n8k128", 0)],
    doc="D = A·B + C of 4-bit integers, two of every four pairs of elements of a row of A given.",
)
_row(
    "f8",
    ("m16n8k64",),
    FP8,
    "b32",
    8,
    what=".{atype}",
    accumulators=oneof("f16", "f32"),
    rules=[
        SAME_ACCUMULATOR,
        rule(
            "PTX0337",
            (mod("dtype") == "f16").implies(_ORDERED),
            "this product takes ordered metadata only when it adds in .f16",
            help="write `mma.sp::ordered_metadata`, or add in .f32",
        ),
        _selector_rule(SHAPE == "m16n8k64", 0),
    ],
    needs=ptx(8, 4) & sm(89),
    needs_when=[(mod("dtype") == "f16", ptx(8, 7) & NARROW_TARGETS), WHOLE_F8, _WHOLE_META],
    doc="D = A·B + C of 8-bit floats, two of every four elements of a row of A given.",
)
_row(
    "f8f6f4",
    ("m16n8k64",),
    NARROW,
    "b32",
    8,
    what=".kind::f8f6f4",
    accumulators=oneof("f16", "f32"),
    kind=".kind::f8f6f4",
    rules=[_ORDERED_ONLY, SAME_ACCUMULATOR, _selector_rule(SHAPE == "m16n8k64", 0)],
    needs=ptx(8, 6),
    needs_when=[
        ((mod("dtype") == "f32") & BOTH_FP8, KIND_TARGETS),
        ((mod("dtype") == "f16") | ~BOTH_FP8, ptx(8, 7) & NARROW_TARGETS),
        WHOLE_F8,
        _WHOLE_META,
    ],
    doc="D = A·B + C of floats of 8, 6 and 4 bits, two of every four elements of a row of A given.",
    unsimulated=NOT_HOPPER,
)
_row(
    "mxf8f6f4",
    ("m16n8k64",),
    NARROW,
    "b32",
    8,
    what=".kind::mxf8f6f4",
    kind=".kind::mxf8f6f4.block_scale{.scale_vec}",
    kinds={"scale_vec": oneof("scale_vec::1X")},
    stype=".ue8m0",
    scaled=True,
    rules=[
        _ORDERED_ONLY,
        _selector_rule(SHAPE == "m16n8k64", 0),
        *select_rules(mod("scale_vec").map({None: 1, "scale_vec::1X": 1})),
    ],
    needs=ptx(8, 7) & NARROW_TARGETS,
    doc="D = A·B + C of floats of 8, 6 and 4 bits with scales, two of every four elements of a row of A given.",
    unsimulated=NOT_HOPPER,
)
_row(
    "mxf4",
    ("m16n8k128",),
    oneof("e2m1"),
    "b32",
    4,
    what="`.{kind}`",
    kind="<.kind>.block_scale{.scale_vec}",
    kinds={
        "kind": oneof("kind::mxf4", "kind::mxf4nvf4"),
        "scale_vec": oneof("scale_vec::2X", "scale_vec::4X"),
        "stype": oneof("ue8m0", "ue4m3"),
    },
    stype="<.stype>",
    scaled=True,
    rules=[_ORDERED_ONLY, _selector_rule(SHAPE == "m16n8k128", 0), *FP4_SCALES, *select_rules(FP4_STEP)],
    needs=ptx(8, 7) & only("120a", "121a"),
    needs_when=FP4_NEEDS,
    doc="D = A·B + C of 4-bit floats with scales, two of every four pairs of elements of a row of A given.",
    unsimulated=NOT_HOPPER,
)
