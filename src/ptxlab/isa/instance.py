"""An instruction that fits a row: the modifiers chosen, the operands by name."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ptxlab.isa.action import Action, action
from ptxlab.isa.brackets import together
from ptxlab.isa.effects import Barrier, WarpWide
from ptxlab.isa.form import Form, Place
from ptxlab.isa.operands import Addr, Imm, Minus, Not, Operand, Part, Reg, Sink, Vec
from ptxlab.isa.shape import Shape
from ptxlab.isa.specs import Spec
from ptxlab.isa.targets import Need
from ptxlab.isa.terms import UNKNOWN
from ptxlab.isa.types import TYPES, ScalarType

_SHARED_CTA = Need(version=(7, 8))  # the name; where the plain `.shared` may stand it means the same


@dataclass(slots=True, eq=False)
class Instance:
    """An instruction that fits a row: the modifiers chosen and the operands by name (those left out are absent).

    For `[map, {coords}]` the first name holds the Addr and the second its Vec; for `d|p` each name holds its own.
    """

    form: Form
    opcode: str
    mods: Mapping[str, str]
    operands: dict[str, Operand]
    shape: Shape | None = None
    """What its row's rules and needs depend on, where that is known."""
    _effect: Action | None = field(default=None, init=False, repr=False)

    @property
    def effect(self) -> Action:
        """What it does to memory and order, in plain values; None where a register decides."""
        if self._effect is None:  # asked for many times; nothing changes an instance that is complete
            self._effect = action(self.form, self)
        return self._effect

    @property
    def aligned(self) -> bool:
        """Whether all threads of the warp must execute it together: it says so, or is a barrier that has no other kind."""
        told = self.form.aligned
        if told or (told is None and self.chosen("aligned")):
            return True
        effect = self.form.effect
        return told is False and type(effect) is Barrier and effect.scope == "cta"

    def mod(self, name: str) -> str | None:
        """The chosen value of a modifier, its default when left out, else None."""
        return self.mods.get(name, self.form.defaults.get(name))

    def chosen(self, name: str) -> bool:
        """Whether a modifier is written out."""
        return name in self.mods

    @property
    def member_mask(self) -> str | None:
        """The operand that names the lanes of a warp which take part in an instruction of the warp; None where there is none."""
        if not isinstance(self.form.effect, WarpWide | Barrier):
            return None
        return next((name for name in ("mask", "membermask") if name in self.operands), None)

    @property
    def names_shared(self) -> bool:
        """Whether the opcode names shared memory, of the CTA or of the cluster."""
        return any(word.startswith("shared") for word in self.opcode.split("."))

    def present(self, name: str) -> bool:
        """Whether an operand is given."""
        return name in self.operands

    def operand_value(self, name: str) -> Any:
        """The value of an immediate, or those of a vector's elements; "_" for a sink; UNKNOWN for anything else; None when it
        is absent."""
        found = self.operands.get(name)
        if found is None:
            return None
        if isinstance(found, Vec):
            return tuple(map(_element_value, found.items))
        if isinstance(found, Sink):
            return "_"
        return found.number if isinstance(found, Imm) else UNKNOWN

    def declared(self, name: str) -> str:
        """The kinds of types that the registers of an operand are declared with; empty where there are none."""
        found = self.operands.get(name)
        items = found.items if isinstance(found, Vec) else (found,)
        return "".join(item.type.kind for item in items if isinstance(item, Reg))

    def type_of(self, name: str) -> ScalarType | None:
        """The type that the row gives to an operand."""
        return type_of(self, self.form.operands[name])

    def count_of(self, name: str) -> int:
        """How many registers an operand has (1 for a scalar)."""
        spec = self.form.operands[name]
        value = None if spec.count is None else spec.count.eval(self)
        return value if isinstance(value, int) else 1

    def registers(self, role: str) -> list[Reg]:
        """The registers read (`role` "r") or written ("w"), addresses' base registers among those read."""
        out: list[Reg] = []
        for name, operand in self.operands.items():
            spec = self.form.operands[name]
            if role in spec.role or isinstance(operand, Addr):
                out += _regs_in(operand) if not isinstance(operand, Addr) or role == "r" else []
        return out

    def text(self) -> str:
        """The instruction as PTX, without guard and semicolon."""
        parts = [_place_text(self, p) for p in self.form.places]
        shown = ", ".join(p for p in parts if p is not None)
        return f"{self.opcode} {shown}" if shown else self.opcode

    def need(self) -> Need:
        """PTX version and target that this instance needs."""
        total = self.form.needs
        if ".shared::cta" in self.opcode:
            total = total & _SHARED_CTA
        for term, need in self.form.needs_when:
            if term.eval(self) is True:
                total = total & need
        return total


def _element_value(item: Operand) -> Any:
    if isinstance(item, Sink):
        return "_"
    return item.number if isinstance(item, Imm) else UNKNOWN


def type_of(inst: Instance, spec: Spec) -> ScalarType | None:
    """The type that a row gives to an operand; None where types do not matter."""
    value = None if spec.type is None else spec.type.eval(inst)
    return TYPES.get(value) if isinstance(value, str) else None


def _regs_in(operand: Operand) -> list[Reg]:
    if isinstance(operand, Reg):
        return [operand]
    if isinstance(operand, Not | Part | Minus):
        return [operand.reg]
    if isinstance(operand, Vec):
        return [r for item in operand.items for r in _regs_in(item)]
    if isinstance(operand, Addr):
        base = [r for one in (operand.base, *operand.between) for r in _regs_in(one)]
        return base + (_regs_in(operand.coords) if operand.coords is not None else [])
    return []


def _place_text(inst: Instance, place: Place) -> str | None:
    first = inst.operands.get(place.names[0])
    if first is None:
        return None
    if place.kind in ("pair", "optpair"):
        second = inst.operands.get(place.names[1])
        return f"{first}|{second}" if second is not None else str(first)
    return str(together(place, inst.operands))
