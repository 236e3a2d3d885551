"""Video instructions: 32-bit integer arithmetic on bytes and halves of registers."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations, product
from typing import Final

from ptxlab.isa.form import form, oneof
from ptxlab.isa.specs import Spec, dst, src
from ptxlab.isa.targets import ptx, sm
from ptxlab.isa.terms import mod

PARTS: Final = ("b0", "b1", "b2", "b3", "h0", "h1")
"""Parts of a register that an operand, or the destination, may be."""
HALVES_WRITTEN: Final = ("h0", "h1", "h10")
BYTES_WRITTEN: Final = tuple("b" + "".join(lanes) for count in (1, 2, 3, 4) for lanes in combinations("3210", count))
"""Which halves or bytes of its destination an instruction on two halves or four bytes writes."""
HALVES_READ: Final = tuple("h" + "".join(lanes) for lanes in product("0123", repeat=2))
BYTES_READ: Final = tuple("b" + "".join(lanes) for lanes in product("01234567", repeat=4))
"""Where those come from, the highest first: the lower numbers are parts of `a`, the upper ones of `b`."""
COMPARISONS: Final = oneof("eq", "ne", "lt", "le", "gt", "ge")
_INT: Final = oneof("u32", "s32")
_TYPES: Final = {"dtype": _INT, "atype": _INT, "btype": _INT}
_SECOND: Final = oneof("add", "min", "max")
_SCALAR: Final = ptx(2, 0) & sm(20)
_SIMD: Final = ptx(3, 0) & sm(30)
_D: Final = dst(mod("dtype"))
_A: Final = src(mod("atype")).in_part(PARTS)
_B: Final = src(mod("btype")).in_part(PARTS)
_C: Final = src(mod("dtype"))
_VIDEO: Final = "Video Instructions"
_OPERATIONS: Final = {
    "vadd": "Add",
    "vsub": "Subtract",
    "vabsdiff": "The distance of",
    "vmin": "The smaller of",
    "vmax": "The larger of",
}


def _scalar(name: str, head: str, mods: Mapping[str, tuple[str, ...]], doc: str, *, d: Spec, a: Spec, b: Spec) -> None:
    """The three rows of an instruction: alone, with a second operation, and into a part of a register."""
    isa = f"Scalar {_VIDEO}: {name}"
    ab = {"a": a, "b": b}
    form(name, syntax=f"{head} d, a, b;", mods=mods, operands={"d": d, **ab}, needs=_SCALAR, isa=isa, doc=doc)
    c = _C if "dtype" in mods else src("u32")
    form(
        name,
        key=f"{name}.second",
        syntax=f"{head}<.op2> d, a, b, c;",
        mods={**mods, "op2": _SECOND},
        operands={"d": d, **ab, "c": c},
        needs=_SCALAR,
        isa=isa,
        doc=f"{doc[:-1]}, then the sum with `c`, or the smaller or larger of the two.",
    )
    form(
        name,
        key=f"{name}.merge",
        syntax=f"{head} d, a, b, c;",
        mods=mods,
        operands={"d": d.in_part(PARTS), **ab, "c": c.about("all that `d` names no part for")},
        needs=_SCALAR,
        isa=isa,
        doc=f"{doc[:-1]}; a part of `d` takes it, and the rest is that of `c`. Into .h1 ptxas before 13.3 writes the upper half.",
    )


for _name, _what in _OPERATIONS.items():
    _scalar(
        _name,
        f"{_name}<.dtype><.atype><.btype>{{.sat}}",
        _TYPES,
        f"{_what} two integers, or bytes or halves of them.",
        d=_D,
        a=_A,
        b=_B,
    )
for _name, _what in (("vshl", "left"), ("vshr", "right")):
    _scalar(
        _name,
        f"{_name}<.dtype><.atype><.btype>{{.sat}}<.mode>",
        {"dtype": _INT, "atype": _INT, "btype": oneof("u32"), "mode": oneof("clamp", "wrap")},
        f"Shift an integer, or a byte or half of it, to the {_what}.",
        d=_D,
        a=_A,
        b=_B,
    )
_scalar(
    "vset",
    "vset<.atype><.btype><.cmp>",
    {"atype": _INT, "btype": _INT, "cmp": COMPARISONS},
    "Compare two integers, or bytes or halves of them: 1 or 0.",
    d=dst("u32"),
    a=_A,
    b=_B,
)

_SCALE: Final = oneof("shr7", "shr15")
_MAD: Final = "vmad<.dtype><.atype><.btype>{.sat}{.scale}"
_SIGNED_C: Final = Spec(frozenset(("minus",)), "r", mod("dtype"))
for _key, _syntax, _specs, _what in (
    (
        "vmad",
        _MAD,
        {
            "a": src(mod("atype")).in_part(PARTS, negated=True),
            "b": src(mod("btype")).in_part(PARTS, negated=True),
            "c": _C,
        },
        "Multiply integers, or bytes or halves of them, and add; the product may be negated.",
    ),
    (
        "vmad.difference",
        _MAD,
        {"a": _A, "b": _B, "c": _SIGNED_C},
        "Multiply integers, or bytes or halves of them, and subtract.",
    ),
    (
        "vmad.po",
        "vmad<.dtype><.atype><.btype>.po{.sat}{.scale}",
        {"a": _A, "b": _B, "c": _C},
        "Multiply integers, or bytes or halves of them, and add, and add one.",
    ),
):
    form(
        "vmad",
        key=_key,
        syntax=f"{_syntax} d, a, b, c;",
        mods={**_TYPES, "scale": _SCALE},
        operands={"d": _D, **_specs},
        needs=_SCALAR,
        isa=f"Scalar {_VIDEO}: vmad",
        doc=_what,
    )


def _simd(name: str, lanes: int, head: str, mods: Mapping[str, tuple[str, ...]], doc: str) -> None:
    """An instruction on two halves or four bytes."""
    written, read = (HALVES_WRITTEN, HALVES_READ) if lanes == 2 else (BYTES_WRITTEN, BYTES_READ)
    types = {n: mod(n) if n in mods else "u32" for n in ("dtype", "atype", "btype")}
    form(
        f"{name}{lanes}",
        syntax=f"{name}{lanes}{head} d, a, b, c;",
        mods=mods,
        operands={
            "d": dst(types["dtype"]).in_part(written).about("with a mask: the lanes that are computed"),
            "a": src(types["atype"], imm=False).in_part(read),
            "b": src(types["btype"], imm=False).in_part(read),
            "c": src(types["dtype"], imm=False).about("the other lanes; with .add a summand"),
        },
        needs=_SIMD,
        isa=f"SIMD {_VIDEO}: {name}{lanes}",
        doc=doc.format(_LANES[lanes]),
    )


_LANES: Final = {2: "two halves", 4: "four bytes"}
for _lanes in _LANES:
    for _name, _what in (_OPERATIONS | {"vavrg": "The mean of"}).items():
        _simd(
            _name,
            _lanes,
            "<.dtype><.atype><.btype>{.how}",
            {**_TYPES, "how": oneof("sat", "add")},
            f"{_what} numbers in {{}} of registers; with .add their sum.",
        )
    _simd(
        "vset",
        _lanes,
        "<.atype><.btype><.cmp>{.add}",
        {"atype": _INT, "btype": _INT, "cmp": COMPARISONS},
        "Compare numbers in {} of registers; with .add how many of them hold.",
    )

__all__ = ["BYTES_READ", "BYTES_WRITTEN", "HALVES_READ", "HALVES_WRITTEN", "PARTS"]
