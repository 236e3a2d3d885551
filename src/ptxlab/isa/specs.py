"""What an operand of a row may be: kind, direction, type, width, state space, range."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from ptxlab.isa.extents import Extent
from ptxlab.isa.terms import Const, Term, lift


@dataclass(frozen=True, slots=True)
class Range:
    """Immediates from `low` to `high` inclusive, in steps of `step` counted from `low`.

    bits: of a number that has more, or is negative, ptxas takes so many of the lowest; 0: it refuses it. Those may be below
    `low` then, which it asks of the number as it is written.
    """

    low: int
    high: int
    step: int = 1
    bits: int = 0

    def __contains__(self, value: object) -> bool:
        if not isinstance(value, int):
            return False
        kept = self.kept(value)
        low = self.low if kept == value else 0
        return low <= kept <= self.high and (kept - self.low) % self.step == 0

    def kept(self, value: int) -> int:
        """What ptxas takes a number for."""
        return value & ((1 << self.bits) - 1) if self.bits else value

    def __str__(self) -> str:
        return f"{self.low} to {self.high}" + (f" in steps of {self.step}" if self.step > 1 else "")

    def nearest(self, value: int) -> int:
        """The legal value closest to an illegal one."""
        clamped = min(max(value, self.low), self.high)
        return self.low + (clamped - self.low + self.step // 2) // self.step * self.step


@dataclass(frozen=True, slots=True)
class Spec:
    """One operand of a row. Build it with the functions below.

    kinds: what may stand here, of: reg, imm, sreg, symbol, label, not, sink, part, minus, addr, params.
    role: "r" read, "w" written, "rw" both. type: a type name, a term giving one, or None where types do not matter.
    count: 0 for a scalar; a term for the number of elements, a scalar standing for one unless `always_vector`.
    wider: registers may be wider than the type (ld, st, cvt), up to `widest` bits, which may be a term, or may where a term holds.
    integral: wider ones alone where neither is floating-point. untyped: they are declared .bN.
    holding: integer registers of the width may hold a floating-point operand, too, or may where a term holds.
    space, access, bytes: for addresses: where they lie, what is done there ("r", "w", "rw", "a" for the address alone), how much;
    wide: no register of 32 bits holds them in global or generic memory (of a value: it is such an address); unified: they
    may be marked so; indexed: an element of an array may stand for them, without brackets.
    when: the operand is present exactly when this holds (None: wherever the syntax allows it).
    extent: how the bytes lie where they are not one run of `bytes` a thread. proxy: where it is not the effect's.
    parts: the parts of a register that may stand for it. mask: the operand that says which bytes of every 16 are written.
    symbols: the space of variables that may stand for it, where a register may hold an address of another.
    unless: the predicate that, where true, leaves the access out. each: the types of a vector's elements where they differ.
    held: how the elements of a vector that are all of one type must be declared: "value": as a single operand would be,
    and integers may hold floats; "type": of this type, untyped, or integers for integers; "number": the same of registers, and
    numbers as a single operand; "bits": by width alone. "each": elements are looked at one by one, whatever the others are.
    cut: floating literals in a vector are bits, the lowest ones of a double; doubles: those may stand for fewer bits.
    whole: a vector register may stand for it by its name: "yes", "no", or "once", when no other operand is the same.
    bare: a single coordinate needs no braces. sinks: where `_` may leave out elements of a
    vector; None: as its kinds say.
    braced: a single value may stand in braces.
    spare: whether ptxas overlooks how many there are, or where a term holds: two or four in braces where fewer do, and of
    coordinates one register for any number.
    alone: what may stand without braces for several: "fits": one that would fit as an element; "wider": a number, or a
    register with more bits than an element; "number": a number.
    lone: whether `_` may stand for the entire vector, without braces.
    pairs: registers of pairs (.f16x2) may hold it where it is an integer; None: unless its type is its own, not the opcode's.
    """

    kinds: frozenset[str]
    role: str = "r"
    type: Term | None = None
    count: Term | None = None
    always_vector: bool = False
    wider: bool | Term = False
    widest: int | Term = 128
    integral: bool = False
    untyped: bool = False
    holding: bool | Term = False
    values: tuple[int, ...] | Range | None = None
    space: Term | None = None
    access: str = ""
    bytes: Term | None = None
    align: Term | None = None
    coords: Term | None = None
    unified: bool = False
    indexed: bool = False
    wide: bool = False
    extent: Extent[Term] | None = None
    proxy: str | None = None
    mask: str | None = None
    unless: str | None = None
    parts: tuple[str, ...] = ()
    each: Term | None = None
    held: str | Term = "value"
    cut: bool = False
    doubles: bool = True
    whole: str = "yes"
    bare: bool = False
    sinks: Term | None = None
    braced: bool | Term = True
    lone: bool = False
    spare: bool | Term = False
    alone: str = ""
    pairs: bool | None = None
    when: Term | None = None
    symbols: str = ""
    note: str = ""

    @property
    def fixed(self) -> bool:
        """Whether its type is always the same, whatever the modifiers are."""
        return isinstance(self.type, Const)

    @property
    def opaque(self) -> bool:
        """Whether it is a texture or a surface."""
        space = self.space.value if isinstance(self.space, Const) else None
        return space in ("texref", "surfref") or isinstance(space, tuple)

    def given(self, when: Term) -> Spec:
        """The same operand, present exactly when the term holds."""
        return replace(self, when=when)

    def in_part(self, parts: tuple[str, ...], *, negated: bool = False) -> Spec:
        """The same operand, or parts of a register; `negated`: with a minus sign in front, too."""
        return replace(self, kinds=self.kinds | _kinds("part minus" if negated else "part"), parts=parts)

    def with_pairs(self) -> Spec:
        """The same operand, for which a register of a pair may stand."""
        return replace(self, pairs=True)

    def without_pairs(self) -> Spec:
        """The same operand, for which no register of a pair may stand."""
        return replace(self, pairs=False)

    def about(self, note: str) -> Spec:
        """The same operand with a few words for the reference."""
        return replace(self, note=note)


def _kinds(text: str) -> frozenset[str]:
    return frozenset(text.split())


def dst(type: str | Term, *, count: object = None, wider: bool | Term = False, sink: bool = False) -> Spec:
    """A register that is written; `count` registers in braces when it is more than one."""
    return Spec(
        _kinds("reg sink" if sink else "reg"),
        "w",
        lift(type),
        None if count is None else lift(count),
        wider=wider,
    )


def src(
    type: str | Term,
    *,
    count: object = None,
    wider: bool | Term = False,
    imm: bool = True,
    values: tuple[int, ...] | Range | None = None,
) -> Spec:
    """A value that is read: a register, or an immediate (one of `values`). Special registers go through `mov` first."""
    return Spec(
        _kinds("reg imm" if imm else "reg"),
        "r",
        lift(type),
        None if count is None else lift(count),
        wider=wider,
        values=values,
    )


def braced(type: str | Term, count: object, role: str = "r") -> Spec:
    """A brace-enclosed list of `count` values."""
    return Spec(_kinds("reg imm sreg" if role == "r" else "reg"), role, lift(type), lift(count), always_vector=True)


def fragment(
    type: str | Term, count: object, role: str = "r", *, sink: bool = False, imm: bool = True, held: str | Term = "type"
) -> Spec:
    """What each lane holds of a matrix: a brace-enclosed list of `count` registers, `_` for one that is left out, or numbers
    in place of those that are read."""
    kinds = ("reg imm" if imm else "reg") if role == "r" else "reg sink" if sink else "reg"
    return Spec(_kinds(kinds), role, lift(type), lift(count), always_vector=True, held=held, cut=True)


def pred_dst(sink: bool = True) -> Spec:
    """A predicate that is written."""
    return Spec(_kinds("reg sink" if sink else "reg"), "w", lift("pred"))


def pred_src(negated: bool = True, imm: bool = False) -> Spec:
    """A predicate that is read, negated with `!` where that is allowed."""
    return Spec(_kinds("reg" + (" not" if negated else "") + (" imm" if imm else "")), "r", lift("pred"))


def imm(*values: int | Range, type: str = "s32") -> Spec:
    """An immediate: one of the values, or in the range."""
    allowed: tuple[int, ...] | Range | None
    if len(values) == 1 and isinstance(values[0], Range):
        allowed = values[0]
    else:
        allowed = tuple(v for v in values if isinstance(v, int)) or None
    return Spec(_kinds("imm"), "r", lift(type), values=allowed)


def addr(
    space: str | Term | Iterable[str],
    access: str,
    *,
    bytes: object = None,
    align: object = None,
    coords: object = None,
    wide: bool = False,
) -> Spec:
    """An address in brackets. `bytes`: how much is accessed; `align`: what it must be a multiple of (default: `bytes`);
    `wide`: no register of 32 bits holds it in global or generic memory."""
    return Spec(
        _kinds("addr"),
        "r",
        None,
        space=lift(space),
        access=access,
        bytes=None if bytes is None else lift(bytes),
        align=None if align is None else lift(align),
        coords=None if coords is None else lift(coords),
        wide=wide,
    )


def label() -> Spec:
    """A branch target."""
    return Spec(_kinds("label"))


def symbol_or(type: str | Term) -> Spec:
    """What `mov` reads: a register, an immediate, a special register or the address of a symbol."""
    return Spec(_kinds("reg imm sreg symbol"), "r", lift(type))


def anything(kinds: str) -> Spec:
    """An operand whose kind alone matters."""
    return Spec(_kinds(kinds))
