"""tensormap.replace and tensormap.cp_fenceproxy: kernels that change tensor maps themselves."""

from ptxlab.isa.effects import Access, Hint
from ptxlab.isa.form import Rule, form, oneof, rule
from ptxlab.isa.limits import TENSOR_MAP_BOX, TENSOR_MAP_ELEMENT_STRIDE, TENSOR_MAP_STRIDE
from ptxlab.isa.specs import Range, Spec, addr, imm, pred_dst, src
from ptxlab.isa.targets import Need, only, ptx, sm
from ptxlab.isa.terms import Term, mod, op

_NEEDS = ptx(8, 3) & only("90a", "100f", "110f", "120f")
_MAP = addr(mod("space").map({None: "generic", "global": "global", "shared::cta": "shared::cta"}), "rw", bytes=128)
_RANK = rule(
    "PTX0354",
    op("value").in_(None, Range(0, 4)),
    "`{opcode}`: {value} is no rank of a tensor map",
    help="the field holds the number of dimensions less one: 0 to 4",
    severity="warning",
)
_LAST = rule(
    "PTX0354",
    op("ordinal").in_(Range(0, 3)),
    "`{opcode}`: there is no stride {ordinal}",
    help="strides are numbered 0 to 3, from the second dimension on: the innermost has none",
    severity="warning",
)
_STRIDE = rule(
    "PTX0354",
    (op("value") % 16 == 0) & op("value").in_(None, Range(16, TENSOR_MAP_STRIDE - 16)),
    "`{opcode}`: {value} bytes are no stride of a tensor map",
    help="strides are multiples of 16 bytes below 2^40",
    severity="warning",
)
_BASE = rule(
    "PTX0354",
    op("value") % 16 == 0,
    "`{opcode}`: a tensor does not start at {value}",
    help="the address is a multiple of 16 bytes, of 32 with an interleaving of 32 bytes",
    severity="warning",
)


def _within(most: int, what: str) -> Rule:
    return rule(
        "PTX0354",
        op("value").in_(None, Range(1, most)),
        f"`{{opcode}}`: {{value}} is no {what} of a tensor map",
        help=f"it is 1 to {most}; the field holds it as it is, not less one",
        severity="warning",
    )


_COUNT = src("u32").with_pairs()
_ORDINAL = imm(Range(0, 4)).about("which dimension, innermost first")


def _replace(
    field: str,
    bits: int,
    value: Spec,
    doc: str,
    *,
    key: str | None = None,
    ordinal: Spec | None = None,
    rules: tuple[Rule, ...] = (),
    needs: Need = _NEEDS,
    needs_when: tuple[tuple[Term, Need], ...] = (),
) -> None:
    """The row of one field; `ordinal` where a dimension is named."""
    form(
        "tensormap.replace",
        key=f"tensormap.replace.{key or field}",
        syntax=f"tensormap.replace.tile.{field}{{.space}}.b1024.b{bits} [map], {'ordinal, ' if ordinal else ''}value;",
        mods={"space": oneof("global", "shared::cta")},
        operands={
            "map": _MAP.about("the tensor map, 128 bytes"),
            **({"ordinal": ordinal} if ordinal else {}),
            "value": value,
        },
        rules=rules,
        needs=needs,
        needs_when=needs_when,
        isa="tensormap.replace",
        effect=Access("store", tensormap="replace", field=field),
        doc=doc,
    )


_replace(
    "global_address", 64, src("b64"), "Set where the tensor of a tensor map starts in global memory.", rules=(_BASE,)
)
_replace(
    "rank",
    32,
    src("b32").about("the number of dimensions less one"),
    "Set how many dimensions a tensor map has.",
    rules=(_RANK,),
)
_replace(
    "box_dim",
    32,
    _COUNT.about("1 to 256"),
    "Set an extent of a tensor map's box, in elements.",
    ordinal=_ORDINAL,
    rules=(_within(TENSOR_MAP_BOX, "box extent"),),
)
_replace(
    "global_dim",
    32,
    _COUNT,
    "Set an extent of a tensor map's tensor, in elements.",
    ordinal=_ORDINAL,
    rules=(_within((1 << 32) - 1, "extent"),),
)
_replace(
    "element_stride",
    32,
    _COUNT.about("1 to 8"),
    "Set the distance of the elements that a tensor map takes along a dimension.",
    ordinal=_ORDINAL,
    rules=(_within(TENSOR_MAP_ELEMENT_STRIDE, "element stride"),),
)
_replace(
    "global_stride",
    64,
    src("b64").about("bytes, a multiple of 16"),
    "Set the distance in bytes between neighbours along a dimension.",
    ordinal=_ORDINAL,
    rules=(_LAST, _STRIDE),
)
_replace(
    "elemtype",
    32,
    imm(Range(0, 15)).about(
        "0 u8, 1 u16, 2 u32, 3 s32, 4 u64, 5 s64, 6 f16, 7 f32, 8 f32.ftz, 9 f64, 10 bf16, 11 tf32, 12 tf32.ftz, "
        "13 b4x16, 14 b4x16_p64, 15 b6x16_p32"
    ),
    "Set the element type of a tensor map.",
    needs_when=((op("value").in_(Range(13, 15)), ptx(8, 7) & sm(100)),),
)
_replace(
    "interleave_layout",
    32,
    imm(Range(0, 2)).about("0 none, 1 16 bytes, 2 32 bytes"),
    "Set the interleaving of a tensor map.",
)
_replace(
    "swizzle_mode",
    32,
    imm(Range(0, 3)).about("0 none, 1 32 bytes, 2 64 bytes, 3 128 bytes"),
    "Set the swizzle of a tensor map.",
)
_replace(
    "swizzle_mode",
    32,
    imm(4).about("96 bytes"),
    "Set the swizzle of a tensor map to spans of 96 bytes.",
    key="swizzle_mode.96B",
    needs=ptx(8, 8) & only("103a") | ptx(9, 4) & only("107a"),
)
_replace(
    "swizzle_atomicity",
    32,
    imm(Range(0, 3)).about("0 16 bytes, 1 32 bytes, 2 32 bytes with flipped halves, 3 64 bytes"),
    "Set what a tensor map's swizzle keeps together.",
    needs=_NEEDS & sm(100) & ptx(8, 6),
)
_replace("fill_mode", 32, imm(Range(0, 1)).about("0 zeros, 1 NaN"), "Set what a tensor map gives outside its tensor.")

form(
    "tensormap.cp_fenceproxy",
    syntax="tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release<.scope>.sync.aligned "
    "[dst], [src], size;",
    mods={"scope": oneof("cta", "cluster", "gpu", "sys")},
    operands={
        "dst": addr("global", "w", bytes=128, align=128).about("where the tensor map goes"),
        "src": addr("shared::cta", "r", bytes=128, align=128).about("where it was made"),
        "size": imm(128),
    },
    needs=ptx(8, 3) & sm(90),
    isa="tensormap.cp_fenceproxy",
    effect=Access("store", "release", mod("scope"), tensormap="publish", joins=(("generic", "tensormap"),)),
    doc="Copy a tensor map from shared to global memory and publish it for copies through it.",
)

form(
    "tensormap.query.alloc_class_large",
    syntax="tensormap.query.alloc_class_large{.global}.b1024 p, [map];",
    operands={
        "p": pred_dst(sink=False),
        "map": addr(mod("global").map({None: "generic", "global": "global"}), "a", bytes=128, wide=True),
    },
    needs=ptx(9, 5) & _NEEDS,
    isa="tensormap.query",
    effect=Hint(),
    doc="Ask whether a tensor map is of the large class of allocations.",
    unsimulated="what the bits of a tensor map say of its allocation is not documented",
)
