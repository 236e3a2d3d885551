"""Extended-precision integer arithmetic: instructions that pass a carry on, one bit for each thread."""

# references are lambdas over Python's numbers
# pyright: reportUnknownLambdaType=false, reportUnknownArgumentType=false, reportUnknownVariableType=false, reportUnknownMemberType=false

from __future__ import annotations

from ptxlab.isa.effects import Carry
from ptxlab.isa.form import form, oneof
from ptxlab.isa.plain import mad_with_carry, with_carry
from ptxlab.isa.specs import dst, src
from ptxlab.isa.targets import Need, ptx, sm
from ptxlab.isa.terms import mod

_TYPE = mod("type")
_TYPES = oneof("u32", "s32", "u64", "s64")
_LONG = (_TYPE.in_("u64", "s64"), ptx(4, 3))
_BASE = ptx(1, 2)
_MAD = ptx(3, 0) & sm(20)


_FUNCTIONS = {
    "add": with_carry(lambda a, b, carry: a + b + carry),
    "sub": with_carry(lambda a, b, carry: a - b - carry),
    "mad": mad_with_carry,
}


def _row(key: str, effect: Carry, needs: Need, doc: str) -> None:
    name = key.partition(".")[0]
    names = ["d", "a", "b", *("c" if name.startswith("mad") else "")]
    part = "<.part>" if name.startswith("mad") else ""
    form(
        name,
        key=key,
        syntax=f"{key.replace(name, name + part)}<.type> {', '.join(names)};",
        mods={"type": _TYPES, "part": oneof("lo", "hi")},
        operands={n: dst(_TYPE) if n == "d" else src(_TYPE) for n in names},
        needs=needs,
        needs_when=[_LONG],
        isa=name,
        effect=effect,
        reference=_FUNCTIONS[name[:3]],
        doc=doc,
    )


_row("add.cc", Carry(writes=True), _BASE, "Add and keep the carry.")
_row("addc", Carry(reads=True), _BASE, "Add with the carry kept before.")
_row("addc.cc", Carry(True, True), _BASE, "Add with the carry kept before, and keep the new one.")
_row("sub.cc", Carry(writes=True), _BASE, "Subtract and keep the borrow.")
_row("subc", Carry(reads=True), _BASE, "Subtract with the borrow kept before.")
_row("subc.cc", Carry(True, True), _BASE, "Subtract with the borrow, and keep the new one.")
_row("mad.cc", Carry(writes=True), _MAD, "Multiply, add to the lower or upper half, and keep the carry.")
_row("madc", Carry(reads=True), _MAD, "Multiply, add to the lower or upper half with the carry kept before.")
_row("madc.cc", Carry(True, True), _MAD, "Multiply, add with the carry kept before, and keep the new one.")
