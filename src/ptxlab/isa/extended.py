"""Extended-precision integer arithmetic: instructions that pass a carry on, one bit for each thread."""

from __future__ import annotations

from ptxlab.isa.effects import Carry
from ptxlab.isa.form import form, oneof
from ptxlab.isa.specs import dst, src
from ptxlab.isa.targets import Need, ptx, sm
from ptxlab.isa.terms import mod

_TYPE = mod("type")
_TYPES = oneof("u32", "s32", "u64", "s64")
_LONG = (_TYPE.in_("u64", "s64"), ptx(4, 3))
_BASE = ptx(1, 2)
_MAD = ptx(3, 0) & sm(20)


def _row(name: str, key: str, opcode: str, operands: str, effect: Carry, needs: Need, doc: str) -> None:
    names = operands.split()
    form(
        name,
        key=key,
        syntax=f"{opcode}<.type> {', '.join(names)};",
        mods={"type": _TYPES, "part": oneof("lo", "hi")},
        operands={n: dst(_TYPE) if n == "d" else src(_TYPE) for n in names},
        needs=needs,
        needs_when=[_LONG],
        isa=name,
        effect=effect,
        doc=doc,
    )


_row("add", "add.cc", "add.cc", "d a b", Carry(writes=True), _BASE, "Add and keep the carry.")
_row("addc", "addc", "addc", "d a b", Carry(reads=True), _BASE, "Add with the carry kept before.")
_row(
    "addc",
    "addc.cc",
    "addc.cc",
    "d a b",
    Carry(True, True),
    _BASE,
    "Add with the carry kept before, and keep the new one.",
)
_row("sub", "sub.cc", "sub.cc", "d a b", Carry(writes=True), _BASE, "Subtract and keep the borrow.")
_row("subc", "subc", "subc", "d a b", Carry(reads=True), _BASE, "Subtract with the borrow kept before.")
_row("subc", "subc.cc", "subc.cc", "d a b", Carry(True, True), _BASE, "Subtract with the borrow, and keep the new one.")
_row(
    "mad",
    "mad.cc",
    "mad<.part>.cc",
    "d a b c",
    Carry(writes=True),
    _MAD,
    "Multiply, add to the lower or upper half, and keep the carry.",
)
_row(
    "madc",
    "madc",
    "madc<.part>",
    "d a b c",
    Carry(reads=True),
    _MAD,
    "Multiply, add to the lower or upper half with the carry kept before.",
)
_row(
    "madc",
    "madc.cc",
    "madc<.part>.cc",
    "d a b c",
    Carry(True, True),
    _MAD,
    "Multiply, add with the carry kept before, and keep the new one.",
)
