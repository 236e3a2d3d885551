"""Operands against a row: an instruction becomes an instance, or a diagnostic says why not."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from ptxlab.diag import Diagnostic
from ptxlab.isa.brackets import apart
from ptxlab.isa.conditions import broken, check_needs, check_rules
from ptxlab.isa.form import Form, Place
from ptxlab.isa.instance import Instance
from ptxlab.isa.match import Head, heads, why_no_head
from ptxlab.isa.mismatch import kind_error
from ptxlab.isa.operands import Addr, Operand, Pair, Sink, Sreg, Symbol, Vec
from ptxlab.isa.shape import Shape, flat, shape
from ptxlab.isa.specs import Spec
from ptxlab.isa.terms import UNKNOWN, Present, lift
from ptxlab.isa.vectors import check_operand


class _Mismatch(Exception):
    def __init__(self, diagnostic: Diagnostic, depth: int) -> None:
        super().__init__(diagnostic.message)
        self.diagnostic, self.depth = diagnostic, depth


def _demanded(row: Form, inst: Instance, place: Place) -> bool | None:
    """Whether an operand must be given (True), must not be (False), or may be (None)."""
    if not place.optional:
        return True
    when = row.operands[place.names[0]].when
    held = when.eval(inst) if when is not None else None
    return held if isinstance(held, bool) else None


def _distribute(row: Form, mods: Mapping[str, str], operands: Sequence[Operand]) -> dict[str, Operand]:
    """Operands to names, by position; optional ones by their condition, else from left to right."""
    inst = Instance(row, "", mods, {})
    wanted: list[Place] = []
    given = {p.names[0]: _demanded(row, inst, p) for p in row.places}
    # What is left for the places that nothing but the number of operands decides about.
    spare = len(operands) - sum(1 for demanded in given.values() if demanded is True)
    for place in row.places:
        demanded = given[place.names[0]]
        if demanded is False or (demanded is None and spare <= 0):
            continue
        if demanded is None:
            spare -= 1
        wanted.append(place)
    if len(wanted) != len(operands):
        least = sum(1 for p in row.places if not p.optional)
        most = len(row.places)
        count = str(least) if least == most else f"{least} to {most}"
        raise _Mismatch(
            Diagnostic(
                "PTX0103",
                f"`{row.name}` takes {count} operands here, not {len(operands)}",
                help=f"the form is `{row.syntax}`",
                isa=row.isa,
            ),
            _fitting(inst, wanted, operands),
        )
    out: dict[str, Operand] = {}
    for depth, (place, operand) in enumerate(zip(wanted, operands, strict=True)):
        try:
            _assign_place(inst, place, operand, out)
        except Diagnostic as wrong:
            raise _Mismatch(wrong, depth) from None
    return out


def _fitting(inst: Instance, wanted: Sequence[Place], operands: Sequence[Operand]) -> int:
    """How many of the first operands are what the row wants there, where their number is not."""
    for depth, (place, operand) in enumerate(zip(wanted, operands, strict=False)):
        out: dict[str, Operand] = {}
        try:
            _assign_place(inst, place, operand, out)
            for name, one in out.items():
                check_operand(inst, name, one)
        except Diagnostic:
            return depth
    return min(len(wanted), len(operands))


def _assign_place(inst: Instance, place: Place, operand: Operand, out: dict[str, Operand]) -> None:
    row, first = inst.form, place.names[0]
    if place.kind in ("tensor", "list"):
        out.update(apart(row, place, operand))
    elif place.kind in ("pair", "optpair"):
        if isinstance(operand, Pair):
            if isinstance(operand.first, Sink) and isinstance(operand.second, Sink):
                raise kind_error(row, first, operand, "a register on one side of the `|`: ptxas reads no `_|_`")
            out[first], out[place.names[1]] = operand.first, operand.second
        elif place.kind == "optpair":
            out[first] = operand
        else:
            raise kind_error(row, first, operand, "a pair d|p")
    else:
        if isinstance(operand, Addr) and operand.coords is not None:
            raise kind_error(row, first, operand, "an address without coordinates")
        out[first] = _element(row.operands[first], operand) or _unwrapped(inst, row.operands[first], operand)


def _element(spec: Spec, operand: Operand) -> Addr | None:
    """The address that an element of an array stands for, where it may: `ld.global.u32 d, array[4];`."""
    if not spec.indexed or not isinstance(operand, Symbol) or not operand.indexed:
        return None
    return Addr(replace(operand, offset=0, written="", indexed=True), operand.offset)


def _unwrapped(inst: Instance, spec: Spec, operand: Operand) -> Operand:
    """Without the braces around a single register, which mean nothing where a scalar may stand for a vector. A vector register
    has none around it."""
    if not isinstance(operand, Vec) or len(operand.items) != 1 or spec.count is None or spec.always_vector:
        return operand
    if isinstance(operand.items[0], Vec) or (isinstance(operand.items[0], Sreg) and spec.spare is not False):
        return operand
    return operand.items[0] if spec.braced is True or lift(spec.braced).eval(inst) else operand


class _HeadFacts:
    """The modifiers of an instance; its operands are unknown, so that only rules about modifiers decide."""

    def __init__(self, inst: Instance) -> None:
        self.mod = inst.mod
        self.chosen = inst.chosen

    def operand_value(self, name: str) -> Any:
        return UNKNOWN

    def present(self, name: str) -> Any:
        return UNKNOWN

    def declared(self, name: str) -> Any:
        return UNKNOWN


def _check_head(inst: Instance) -> None:
    """A combination of modifiers that a rule forbids is said before anything about operands, unless another row has it."""
    facts = _HeadFacts(inst)
    for r in inst.form.rules:
        if r.severity == "error" and r.term.eval(facts) is False:
            raise _Mismatch(broken(r, inst), _HEAD_DEPTH)


_HEAD_DEPTH = -1


def _check_operands(inst: Instance) -> None:
    row = inst.form
    for depth, (name, operand) in enumerate(inst.operands.items()):
        try:
            check_operand(inst, name, operand)
        except Diagnostic as wrong:
            raise _Mismatch(wrong, depth + 1) from None
    for name, spec in row.operands.items():
        missing = spec.when is not None and spec.when.eval(inst) is True and name not in inst.operands
        if missing:
            wrong = Diagnostic(
                "PTX0103",
                f"`{inst.opcode}` wants the operand `{name}`",
                help=f"the form is `{row.syntax}`",
                isa=row.isa,
            )
            raise _Mismatch(wrong, len(inst.operands))


def _bind_one(opcode: str, head: Head, operands: Sequence[Operand]) -> Instance:
    row, mods = head
    inst = Instance(row, opcode, mods, {})
    _check_head(inst)
    inst.operands = _distribute(row, mods, operands)
    _check_operands(inst)
    return inst


def bind_named(row: Form, opcode: str, mods: Mapping[str, str], operands: dict[str, Operand]) -> Instance:
    """The instance of a row whose operands are known by name already (`[map, coords]`: the Addr carries the Vec).

    Raises Diagnostic (without a place) as `bind` does.
    """
    inst = Instance(row, opcode, mods, operands)
    try:
        _check_head(inst)
        _check_operands(inst)
    except _Mismatch as wrong:
        raise wrong.diagnostic from None
    return inst


def bind(opcode: str, operands: Sequence[Operand]) -> Instance:
    """The instruction as an instance of the row that it fits.

    Raises Diagnostic (without a place) when no row takes the opcode or the operands: of all rows that take the opcode the
    one that gets furthest is reported. Rules and needs are checked apart, by `check_rules` and `check_needs`.
    """
    key = shape(opcode, operands)
    known = _BOUND.get(key) if key is not None else None
    if known is not None:
        row, mods, names = known
        return Instance(row, opcode, mods, dict(zip(names, flat(operands), strict=True)), key)
    inst = _bind_first(opcode, operands)
    if key is not None and list(inst.operands.values()) == flat(operands):
        if len(_BOUND) >= _MOST_SHAPES:
            _BOUND.clear()
        _BOUND[key] = inst.form, inst.mods, tuple(inst.operands)
        inst.shape = key
    return inst


_MOST_SHAPES = 1 << 16
_BOUND: dict[Shape, tuple[Form, Mapping[str, str], tuple[str, ...]]] = {}


def _bind_first(opcode: str, operands: Sequence[Operand]) -> Instance:
    """Bind an instruction of a shape that was not met before."""
    candidates = heads(opcode)
    if not candidates:
        raise why_no_head(opcode)
    best: _Mismatch | None = None
    for head in candidates:
        try:
            return _bind_one(opcode, head, operands)
        except _Mismatch as wrong:
            if best is None or wrong.depth > best.depth:
                best = wrong
    assert best is not None
    raise best.diagnostic


__all__ = ["Instance", "Present", "bind", "bind_named", "check_needs", "check_rules"]
