"""Extended-precision integer arithmetic: instructions that pass a carry on, one bit for each thread."""

# references are lambdas over Python's numbers
# pyright: reportUnknownLambdaType=false, reportUnknownArgumentType=false, reportUnknownVariableType=false, reportUnknownMemberType=false

from __future__ import annotations

from ptxlab.isa.effects import Carry
from ptxlab.isa.form import form, oneof, rule
from ptxlab.isa.plain import Function, clamp, mad_with_carry, with_carry
from ptxlab.isa.specs import dst, src
from ptxlab.isa.targets import Need, ptx, sm
from ptxlab.isa.terms import Const, mod

_TYPE = mod("type")
_TYPES = oneof("u32", "s32", "u64", "s64")
_SHORT = oneof("u16", "s16")
_LONG = (_TYPE.in_("u64", "s64"), ptx(4, 3))
_BASE = ptx(1, 2)
_MAD = ptx(3, 0) & sm(20)


_FUNCTIONS = {
    "add": with_carry(lambda a, b, carry: a + b + carry),
    "sub": with_carry(lambda a, b, carry: a - b - carry),
    "mad": mad_with_carry,
}


_BEYOND = rule(
    "PTX0233",
    ~_TYPE.in_(*_SHORT),
    "the manual has no `{opcode}`; ptxas takes it",
    help="carry on in words of 32 bits: other assemblers and versions need not know these",
    severity="warning",
)
_HIGH = rule(
    "PTX0233",
    ~(_TYPE.in_(*_SHORT) & (mod("part") == "hi")),
    "`{opcode}` adds what stands above 32 bits of the product, not its upper 16 bits",
    help="multiply with mul.wide, and shift",
    severity="warning",
)


def _row(key: str, effect: Carry, needs: Need, doc: str) -> None:
    name = key.partition(".")[0]
    names = ["d", "a", "b", *("c" if name.startswith("mad") else "")]
    part = "<.part>" if name.startswith("mad") else ""
    form(
        name,
        key=key,
        syntax=f"{key.replace(name, name + part)}<.type> {', '.join(names)};",
        mods={"type": _TYPES if effect.writes else _TYPES + _SHORT, "part": oneof("lo", "hi")},
        operands={n: dst(_TYPE) if n == "d" else src(_TYPE) for n in names},
        rules=[] if effect.writes else [_BEYOND, *([_HIGH] if part else [])],
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


def _clamped(name: str, part: str, function: Function, needs: Need, doc: str, warning: str) -> None:
    """What ptxas takes beyond the manual: .sat behind a carry."""
    names = ["d", "a", "b", *("c" if part else "")]
    form(
        name,
        key=f"{name}.sat",
        syntax=f"{name}{part}.sat.s32 {', '.join(names)};",
        operands={n: dst("s32") if n == "d" else src("s32") for n in names},
        rules=[rule("PTX0233", Const(False), warning, help="write it without .sat, and clamp", severity="warning")],
        needs=needs,
        isa=name,
        effect=Carry(reads=True),
        reference=function,
        doc=doc,
    )


_S32 = -(1 << 31), (1 << 31) - 1
_SAT = "the manual has no `{opcode}`; ptxas takes it, and clamps"
_clamped(
    "addc", "", lambda a, b, carry: clamp(a + b + carry, *_S32), _BASE, "Add with the carry kept before, clamped.", _SAT
)
_clamped("subc", "", lambda a, b, carry: clamp(a - b - carry, *_S32), _BASE, "Subtract with the borrow, clamped.", _SAT)
_clamped(
    "madc",
    ".hi",
    lambda a, b, c, carry: (a * b >> 32) + c + carry,
    _MAD,
    "Multiply, add to the upper half with the carry kept before; not clamped.",
    "the manual has no `{opcode}`; ptxas takes it, and does not clamp",
)
