"""Textures and surfaces. The simulator has neither."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Final

from ptxlab.isa.effects import Opaque
from ptxlab.isa.form import Form, form, oneof, rule
from ptxlab.isa.specs import Spec, addr, braced, dst, pred_dst, src
from ptxlab.isa.targets import Need, ptx, sm
from ptxlab.isa.terms import mod, present

_UNSIMULATED: Final = "the simulator has no textures and surfaces"
_TEXTURE: Final = addr("texref", "a").about("a .texref, or its handle")
_SURFACE: Final = addr("surfref", "a").about("a .surfref, or its handle")
_COUNT: Final = {
    "1d": 1,
    "1d_buffer": 1,
    "2d": 2,
    "a1d": 2,
    **dict.fromkeys(("3d", "a2d", "cube", "acube", "2dms", "a2dms"), 4),
}
_OFFSETS: Final = {"1d": 1, "a1d": 1, "2d": 2, "a2d": 2, "2dms": 2, "a2dms": 2, "3d": 4, "cube": 1, "acube": 1}
_SLOPES: Final = {"1d": 1, "a1d": 1, "2d": 2, "a2d": 2, "3d": 4, "cube": 4, "acube": 4}
_REAL: Final = {
    "1d": ("f32",),
    "2d": ("f32",) * 2,
    "3d": ("f32",) * 4,
    "a1d": ("u32", "f32"),
    "a2d": ("u32", "f32", "f32", "f32"),
    "cube": ("f32",) * 4,
    "acube": ("u32", "f32", "f32", "f32"),
}
"""Types of coordinates by the geometry of the texture: of arrays the layer first, and where three are needed a filler last."""
_INTEGER: Final = {
    "1d": ("s32",),
    "2d": ("s32",) * 2,
    "3d": ("s32",) * 4,
    "a1d": ("u32", "s32"),
    "a2d": ("u32", "s32", "s32", "s32"),
    "2dms": ("s32",) * 4,
    "a2dms": ("s32", "u32", "s32", "s32"),
}
"""The same of integer coordinates; the number of the sample stands in front."""


_READ: Final = Opaque("load", "texture")


def _form(name: str, syntax: str, doc: str, *, needs: Need = Need(), effect: Opaque = Opaque(), **more: Any) -> Form:
    return form(
        name,
        syntax=syntax,
        doc=doc,
        isa=more.pop("isa", name),
        needs=needs,
        effect=effect,
        unsimulated=_UNSIMULATED,
        **more,
    )


def _coordinates(types: dict[str, tuple[str, ...]], *, slopes: bool = False, compared: bool = False) -> Spec:
    # from sm_90 on ptxas copies the others, and those that depths are compared with, as floats
    held = not slopes or (not compared and mod("geom").in_("1d", "2d", "a1d", "a2d"))
    return replace(
        src("b32"),
        count=mod("geom").map(_COUNT),
        always_vector=True,
        each=mod("geom").map(dict(types)),
        holding=held,
        bare=True,
        spare=True,
    ).about("coordinates: of arrays the layer first, but behind the sample")


_PAIRS: Final = rule(
    "PTX0341",
    (mod("vec") == "v2").implies(mod("dtype") == "f16x2") & (mod("dtype") == "f16x2").implies(mod("vec") == "v2"),
    "`{opcode}` does not give so many elements",
    help="two of .f16x2, four of every other type",
)
_RESULT: Final = replace(
    dst(mod("dtype"), count=mod("vec").map({"v2": 2, "v4": 4}), sink=True),
    always_vector=True,
    holding=True,
    sinks=mod("dtype") != "f16x2",  # which ptxas expands to moves
)
_RESIDENT: Final = pred_dst(sink=False).about("whether the texels are resident")
_HALF: Final = (mod("dtype").in_("f16", "f16x2"), ptx(4, 2) & sm(53))
_PREDICATE: Final = (present("p"), ptx(7, 1))
_DEPTH: Final = src("f32").about("what depths are compared with")
_FLAT: Final = ~mod("geom").in_("cube", "acube")  # of cubes ptxas takes an offset without braces
_TEXELS: Final = replace(
    src("s32", count=mod("geom").map(_OFFSETS)).without_pairs(),
    spare=_FLAT,
    braced=mod("geom").in_("1d", "a1d"),
    alone="fits",
).about("offset in texels")


def _optional(doc: str, names: dict[str, Spec]) -> str:
    extra = {"offset": ", with an offset", "depth": ", and compare depths"}
    return doc[:-1] + "".join(text for name, text in extra.items() if name in names) + "."


_COMPARED: Final = ("1d", "2d", "a1d", "a2d", "cube", "acube")
_VARIANTS: Final[tuple[tuple[str, dict[str, Spec]], ...]] = (
    ("", {}),
    (".depth", {"depth": _DEPTH}),
    (".offset", {"offset": _TEXELS}),
    (".offset.depth", {"offset": _TEXELS, "depth": _DEPTH}),
)


def _samples(kind: str, head: str, lod: dict[str, Spec], doc: str, *, float_coordinates: bool) -> None:
    types = _REAL if float_coordinates else _INTEGER
    geometries = tuple(types)
    if lod:
        geometries = tuple(g for g in geometries if not g.endswith("ms"))
    for suffix, more in _VARIANTS:
        if "depth" in more and not float_coordinates:
            continue
        coords = _coordinates(types, slopes=kind == "grad", compared="depth" in more)
        more = dict(more)
        if len(more) == 2 and kind == "grad":
            more["offset"] = replace(_TEXELS, always_vector=True, alone="")  # from sm_90 on ptxas needs the braces
        operands = {"d": _RESULT, "p": _RESIDENT, "a": _TEXTURE, "coords": coords, **lod, **more}
        tail = "".join(f", {n}" for n in (*lod, *more))
        chosen = tuple(
            g
            for g in geometries
            if not ("offset" in more and more["offset"].always_vector and g.endswith("cube"))
            and ("depth" not in more or g in _COMPARED)
        )
        _form(
            head.partition("{")[0],
            f"{head}<.geom><.vec><.dtype>.{'f32' if float_coordinates else 's32'} d{{|p}}, [a, coords]{tail};",
            _optional(doc, more),
            key=f"tex.{kind}{'' if float_coordinates else '.integer'}{suffix}",
            mods={"geom": chosen, "vec": oneof("v4", "v2"), "dtype": oneof("u32", "s32", "f32", "f16", "f16x2")},
            operands=operands,
            rules=[_PAIRS],
            needs_when=[_HALF, _PREDICATE],
            effect=_READ,
        )


_SLOPE: Final = braced("f32", mod("geom").map(_SLOPES))
for _real in (True, False):
    _LOD = {"lod": replace(src("f32" if _real else "s32"), spare=True).about("level of detail")}
    _samples("plain", "tex{.base}", {}, "Read a texture.", float_coordinates=_real)
    _samples("level", "tex.level", _LOD, "Read a level of a texture.", float_coordinates=_real)
    _samples(
        "grad",
        "tex.grad",
        {
            "dx": replace(_SLOPE, held="number"),
            "dy": replace(_SLOPE, held="number"),
        },
        "Read the level of a texture that slopes choose.",
        float_coordinates=_real,
    )

for _suffix, _more in _VARIANTS:
    _form(
        "tld4",
        f"tld4<.comp><.geom>.v4<.dtype>.f32 d{{|p}}, [a, coords]{''.join(f', {n}' for n in _more)};",
        _optional("One component of the four texels that a filter would blend.", _more),
        key=f"tld4{_suffix}",
        mods={
            "comp": oneof("r", "g", "b", "a"),
            "geom": oneof("2d", "a2d", "cube", "acube"),
            "dtype": oneof("u32", "s32", "f32"),
        },
        operands={
            "d": replace(dst(mod("dtype"), count=4, sink=True), always_vector=True, holding=True),
            "p": _RESIDENT,
            "a": _TEXTURE,
            "coords": _coordinates(_REAL),
            **_more,
        },
        needs_when=[_PREDICATE],
        effect=_READ,
    )

_form(
    "txq",
    "txq<.query>.b32 d, [a];",
    "What a texture is like.",
    mods={
        "query": oneof(
            *("width", "height", "depth", "channel_data_type", "channel_order", "normalized_coords", "array_size"),
            *("num_mipmap_levels", "num_samples"),
        )
    },
    operands={"d": dst("b32"), "a": _TEXTURE},
)
_form(
    "txq",
    "txq<.query>.b32 d, [a];",
    "How a texture is sampled: asked of its sampler where the module keeps the two apart.",
    key="txq.sampler",
    mods={"query": oneof("filter_mode", "addr_mode_0", "addr_mode_1", "addr_mode_2")},
    operands={
        "d": dst("b32"),
        "a": addr(("texref", "samplerref"), "a").about("a .texref or .samplerref, or its handle"),
    },
)
_form(
    "txq",
    "txq.force_unnormalized_coords.b32 d, [a];",
    "Whether a sampler overrides that coordinates are normalized.",
    key="txq.unnormalized",
    operands={"d": dst("b32"), "a": addr(("samplerref",), "a").about("a .samplerref, or its handle")},
)
_form(
    "txq",
    "txq.memory_layout.b32 d, [a];",
    "How a texture lies in memory: asked of samplers and surfaces, too, where the module keeps samplers apart.",
    key="txq.layout",
    operands={"d": dst("b32"), "a": addr(("texref", "samplerref", "surfref"), "a").about("one of them, or its handle")},
)
_form(
    "txq.level",
    "txq.level<.query>.b32 d, [a], lod;",
    "The extent of a level of a texture.",
    isa="txq",
    mods={"query": oneof("width", "height", "depth")},
    operands={"d": dst("b32"), "a": _TEXTURE, "lod": replace(src("s32"), spare=True)},
)

# --- surfaces -----------------------------------------------------------------------------------------------------------
_SURFACES: Final = oneof("1d", "2d", "3d", "a1d", "a2d", "1d_buffer")
_CLAMP: Final = oneof("trap", "clamp", "zero")
_VECTOR: Final = {None: 1, "v2": 2, "v4": 4}
_SCALAR: Final = ~mod("vec").in_("v2", "v4")  # ptxas counts the data of vectors
_STORED: Final = oneof("wb", "cg", "cs", "wt")
_BITS: Final = oneof("b8", "b16", "b32", "b64")
_WIDE: Final = rule(
    "PTX0341",
    ((mod("type") == "b64") & (mod("vec") == "v4")).implies(False),
    "`{opcode}` would move 32 bytes",
    help="a thread moves at most 16 bytes: take .v2",
)
_PLACE: Final = replace(braced("s32", mod("geom").map(_COUNT)), held="type", cut=True, bare=True, spare=True).about(
    "coordinates in bytes: of arrays the layer first"
)

_form(
    "suld.b",
    "suld.b<.geom>{.cop}{.vec}<.type><.clamp> d, [a, coords];",
    "Load from a surface.",
    isa="suld",
    mods={
        "geom": _SURFACES,
        "cop": oneof("ca", "cg", "cs", "cv"),
        "vec": oneof("v2", "v4"),
        "type": _BITS,
        "clamp": _CLAMP,
    },
    operands={
        "d": replace(dst(mod("type"), count=mod("vec").map(_VECTOR), wider=True, sink=True), spare=_SCALAR),
        "a": _SURFACE,
        "coords": _PLACE,
    },
    rules=[_WIDE],
    effect=Opaque("load", "surface"),
)
_form(
    "sust.b",
    "sust.b<.geom>{.cop}{.vec}<.type><.clamp> [a, coords], c;",
    "Store to a surface.",
    isa="sust",
    mods={"geom": _SURFACES, "cop": _STORED, "vec": oneof("v2", "v4"), "type": _BITS, "clamp": _CLAMP},
    operands={
        "a": _SURFACE,
        "coords": _PLACE,
        "c": replace(
            src(mod("type"), count=mod("vec").map(_VECTOR), wider=True), spare=_SCALAR, braced=_SCALAR, alone="wider"
        ),
    },
    rules=[_WIDE],
    effect=Opaque("store", "surface"),
)
_form(
    "sust.p",
    "sust.p<.geom>{.cop}{.vec}.b32<.clamp> [a, coords], c;",
    "Store to a surface, converted to its format.",
    isa="sust",
    mods={"geom": _SURFACES, "cop": _STORED, "vec": oneof("v2", "v4"), "clamp": _CLAMP},
    operands={
        "a": _SURFACE,
        "coords": _PLACE,
        "c": replace(
            src("b32", count=mod("vec").map(_VECTOR), wider=True), spare=_SCALAR, braced=_SCALAR, alone="number"
        ),
    },
    effect=Opaque("store", "surface"),
)
_REDUCIBLE: Final = oneof("1d", "2d", "3d", "1d_buffer")
_REDUCED: Final = {
    "add": ("u32", "s32", "u64"),
    "min": ("u32", "s32", "u64", "s64"),
    "max": ("u32", "s32", "u64", "s64"),
    "and": ("b32",),
    "or": ("b32",),
}
for _op, _types in _REDUCED.items():
    _form(
        "sured.b",
        f"sured.b.{_op}<.geom><.type><.clamp> [a, coords], c;",
        "Reduce a value into a surface.",
        key=f"sured.b.{_op}",
        isa="sured",
        mods={"geom": _REDUCIBLE, "type": _types, "clamp": _CLAMP},
        operands={"a": _SURFACE, "coords": _PLACE, "c": replace(src(mod("type"), wider=True), integral=True)},
        needs_when=[(mod("type").in_("u64", "s64"), ptx(8, 1))] if _op in ("min", "max") else [],
        effect=Opaque("atomic", "surface", _op),
    )
for _ops, _types in ((("add", "and", "or"), ("b32",)), (("min", "max"), ("b32", "b64"))):
    _form(
        "sured.p",
        "sured.p<.op><.geom><.type><.clamp> [a, coords], c;",
        "Reduce a value into a surface by the type of its texels.",
        key=f"sured.p.{_ops[0]}",
        isa="sured",
        mods={"op": oneof(*_ops), "geom": _REDUCIBLE, "type": _types, "clamp": _CLAMP},
        operands={
            "a": _SURFACE,
            "coords": _PLACE,
            # ptxas takes a floating register for .b64 alone
            "c": replace(src(mod("type"), wider=True), integral=len(_types) == 1),
        },
        needs_when=[(mod("type") == "b64", ptx(8, 1))] if len(_types) > 1 else [],
        effect=Opaque("atomic", "surface", mod("op")),
    )
_form(
    "suq",
    "suq<.query>.b32 d, [a];",
    "What a surface is like.",
    mods={
        "query": oneof(
            *("width", "height", "depth", "channel_data_type", "channel_order", "array_size", "memory_layout")
        )
    },
    operands={"d": dst("b32"), "a": _SURFACE},
)
