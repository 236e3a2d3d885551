"""A call of the language against the rows: arguments to operand names, results to allocate, and checks done once per shape.

Checks depend on kinds, types, spaces and immediates of the operands, never on which register stands there. So a call whose
signature passed before becomes an instance at once.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from ptxlab.diag import Diagnostic, Severity, raise_all
from ptxlab.isa.bind import Instance, bind_named, check_needs, check_rules
from ptxlab.isa.brackets import together
from ptxlab.isa.effects import AsyncMma
from ptxlab.isa.form import Form, Place
from ptxlab.isa.match import attribute_of, heads, why_no_head
from ptxlab.isa.operands import Addr, Imm, Not, Operand, Pair, Reg, Sink, Vec
from ptxlab.isa.specs import Spec
from ptxlab.isa.targets import Target, Version
from ptxlab.isa.types import ScalarType
from ptxlab.lang.trace.operands import check_place, operand, signature
from ptxlab.lang.trace.types import Ptr
from ptxlab.lang.trace.values import Register

Allocate = Callable[[ScalarType, int], Any]
"""Given a type and a count (0: a single one), new registers: a Register or Registers."""


@dataclass(frozen=True, slots=True)
class Argument:
    """One operand of a row as a call sees it. `result`: it is allocated and returned unless the call names it.

    `space`: of an address, the state space that the instruction accesses.
    """

    name: str
    spec: Spec
    address: bool
    space: object
    type: ScalarType | None
    count: int  # 0: a single register
    result: bool
    on_request: bool  # the second of d{|p}: allocated when the call passes True
    required: bool


@dataclass(frozen=True, slots=True)
class Plan:
    """A row with its modifiers chosen, ready to take arguments."""

    row: Form
    mods: Mapping[str, str]
    arguments: tuple[Argument, ...]
    names: frozenset[str]
    least: int  # positional arguments that it cannot do without


def _argument(inst: Instance, place: Place, index: int) -> Argument:
    name = place.names[index]
    spec = inst.form.operands[name]
    count = None if spec.count is None else spec.count.eval(inst)
    several = isinstance(count, int) and (spec.always_vector or count > 1)
    coords = place.kind == "tensor" and index == len(place.names) - 1
    second = place.kind == "optpair" and index == 1
    held = spec.when.eval(inst) if spec.when is not None else None
    return Argument(
        name,
        spec,
        address="addr" in spec.kinds and not coords,
        space=None if spec.space is None else spec.space.eval(inst),
        type=inst.type_of(name),
        count=count if several and isinstance(count, int) else 0,
        result=spec.role == "w" and "addr" not in spec.kinds and not second,
        on_request=second,
        required=held is True or (not place.optional and not second and held is None),
    )


@lru_cache(maxsize=4096)
def plans(opcode: str) -> tuple[Plan, ...]:
    """One plan for every row that the opcode fits.

    Raises: Diagnostic PTX0100, PTX0101 or PTX0102 where none does.
    """
    found: list[Plan] = []
    for row, mods in heads(opcode):
        inst = Instance(row, opcode, mods, {})
        arguments = [
            _argument(inst, place, i)
            for place in row.places
            if _held(inst, place) is not False
            for i in range(len(place.names))
        ]
        least = sum(1 for a in arguments if a.required and not a.result)
        found.append(Plan(row, mods, tuple(arguments), frozenset(a.name for a in arguments), least))
    if not found:
        raise why_no_head(opcode)
    return tuple(found)


def _held(inst: Instance, place: Place) -> object:
    when = inst.form.operands[place.names[0]].when
    return None if when is None else when.eval(inst)


@dataclass(slots=True)
class Bound:
    """A call that passed: the instance, its operands in the order of the text, and what the call returns."""

    instance: Instance
    operands: tuple[Operand, ...]
    results: list[Any]
    version: Version


class _Misfit(Exception):
    """This row does not take the call; `depth` says how far it got."""

    def __init__(self, diagnostic: Diagnostic, depth: int) -> None:
        super().__init__(diagnostic.message)
        self.diagnostic, self.depth = diagnostic, depth


def _assign(plan: Plan, args: Sequence[Any], named: Mapping[str, Any]) -> dict[str, Any]:
    """Arguments to operand names: positional ones fill what is not a result, from left to right."""
    needed = plan.least
    if named:
        unknown = [n for n in named if n not in plan.names]
        if unknown:
            raise _Misfit(_unknown_name(plan, unknown[0]), 0)
        needed = sum(1 for a in plan.arguments if a.required and not a.result and a.name not in named)
    spare = len(args) - needed
    if spare < 0:
        raise _Misfit(_count_error(plan, len(args)), 0)
    given = iter(args)
    out: dict[str, Any] = {}
    used = 0
    for a in plan.arguments:
        if a.name in named:
            out[a.name] = named[a.name]
        elif a.result or a.on_request or (not a.required and spare <= 0):
            continue
        else:
            spare -= not a.required
            out[a.name] = next(given)
            used += 1
    if used < len(args):
        raise _Misfit(_count_error(plan, len(args)), 0)
    return out


def _takes(plan: Plan) -> str:
    words = [a.name if a.required else f"[{a.name}]" for a in plan.arguments if not a.result]
    return ", ".join(words) or "nothing"


def _count_error(plan: Plan, count: int) -> Diagnostic:
    most = sum(1 for a in plan.arguments if not a.result)
    wants = str(plan.least) if plan.least == most else f"{plan.least} to {most}"
    return Diagnostic(
        "PTX0103",
        f"`{plan.row.name}` takes {wants} arguments here, not {count}",
        help=f"it takes {_takes(plan)}; the form is `{plan.row.syntax}`",
        isa=plan.row.isa,
    )


def _unknown_name(plan: Plan, name: str) -> Diagnostic:
    return Diagnostic(
        "PTX2203",
        f"`{plan.row.name}` has no operand called `{name}`",
        help=f"its operands are {', '.join(a.name for a in plan.arguments)}; a guard is pred=",
        isa=plan.row.isa,
    )


def _swapped(plan: Plan, values: Mapping[str, Any], at: Argument) -> bool:
    """Whether a register stands where the address belongs, and the address at a later argument."""
    before = plan.arguments[: plan.arguments.index(at)]
    given = [values.get(a.name) for a in before if a.address]
    return any(isinstance(value, Register) and not isinstance(value, Ptr) for value in given)


_MAY_POINT = (Ptr, list, tuple)


def _refuse_pointer(value: Any, at: Argument) -> None:
    """Raises: Diagnostic PTX2224 for a pointer where fewer bits are wanted: a store would take the lower ones of its address."""
    if at.address or at.type is None or at.type.bits >= 64:
        return
    for one in value if isinstance(value, list | tuple) else (value,):  # pyright: ignore[reportUnknownVariableType]
        if isinstance(one, Ptr):
            raise one.address().unread(f"a register of type .{at.type.name} is wanted")


def _convert(
    plan: Plan, opcode: str, values: Mapping[str, Any], allocate: Allocate, results: list[Any]
) -> dict[str, Operand]:
    """Operands by name, in the row's order; results are allocated here."""
    out: dict[str, Operand] = {}
    for depth, a in enumerate(plan.arguments):
        if a.name in values:
            value = values[a.name]
            if a.on_request and value is True:
                value = allocate(a.spec and a.type, a.count)  # type: ignore[arg-type]
                results.append(value)
            try:
                if isinstance(value, _MAY_POINT):
                    _refuse_pointer(value, a)
                out[a.name] = operand(value, address=a.address, type_=a.type)
                if a.address:
                    check_place(value, a.space, plan.row)
            except Diagnostic as wrong:
                if wrong.code == "PTX2224" and _swapped(plan, values, a):
                    wrong.help = f"the address comes first: {_called(opcode)}(place, register)"
                raise _Misfit(wrong, depth + 1) from None
        elif a.result and a.required:
            if "reg" not in a.spec.kinds:
                out[a.name] = Sink()
                continue
            assert a.type is not None, f"{plan.row.key}: the result `{a.name}` has no type"
            made = allocate(a.type, a.count)
            results.append(made)
            out[a.name] = made.operand if a.count else made.reg
    return out


def _merge_coords(row: Form, by_name: dict[str, Operand]) -> None:
    """[map, coords]: the address carries the coordinates too."""
    for place in row.places:
        if place.kind == "tensor":
            where, coords = by_name.get(place.names[0]), by_name.get(place.names[-1])
            if isinstance(where, Addr) and isinstance(coords, Vec):
                by_name[place.names[0]] = Addr(where.base, where.offset, coords)


def _in_text_order(row: Form, by_name: Mapping[str, Operand]) -> tuple[Operand, ...]:
    out: list[Operand] = []
    for place in row.places:
        first = by_name.get(place.names[0])
        if first is None:
            continue
        if place.kind in ("pair", "optpair") and place.names[1] in by_name:
            out.append(Pair(first, by_name[place.names[1]]))
        else:
            out.append(together(place, by_name))
    return tuple(out)


_PASSED: dict[tuple[object, ...], Version] = {}
"""Signatures of calls that passed all checks → the PTX version that they need."""


def _check(plan: Plan, opcode: str, by_name: dict[str, Operand], target: Target) -> tuple[Instance, Version]:
    key = (opcode, plan.row.key, target, *by_name, *map(signature, by_name.values()))
    version = _PASSED.get(key)
    if version is not None:
        return Instance(plan.row, opcode, plan.mods, by_name), version
    inst = bind_named(plan.row, opcode, plan.mods, by_name)
    found = [*check_rules(inst), *check_needs(inst, target, None)]
    for d in found:
        if d.code == "PTX0107":
            d.severity = Severity.ERROR  # ptxas cuts such a number off; from Python it can only be a mistake
    raise_all(found)
    version = _PASSED[key] = inst.need().on(target).version
    return inst, version


def _registers_wanted(plan: Plan, by_name: Mapping[str, Operand]) -> str | None:
    """How to make registers, where numbers stand for several, or there are too many or too few."""
    for a in plan.arguments:
        given = by_name.get(a.name)
        if isinstance(given, Vec) and a.count and len(given.items) != a.count:
            return f"give {a.count} registers in a list or tuple"
        if isinstance(given, Reg) and a.count > 1:
            listed = ", ".join(f"r{i}" for i in range(a.count)) if a.count <= 4 else "r0, …"
            return f"`{a.name}` takes {a.count} registers in a list or tuple: [{listed}]"
        numbers = isinstance(given, Imm) or (isinstance(given, Vec) and any(isinstance(i, Imm) for i in given.items))
        if not a.count or not numbers or a.type is None:
            continue
        if a.spec.role == "rw" and type(plan.row.effect) is AsyncMma:
            return f"`{a.name}` is read and written, so it is registers: k.accumulator(m, n); the first product has scale_d=False"
        type_ = a.type.name if a.type.kind in "us" or a.type.name in ("f32", "f64") else f"b{a.type.bits}"
        zero = "0.0" if type_[0] == "f" else "0"
        return (
            f"`{a.name}` takes registers, one instruction makes each: [k.mov.{type_}({zero}) for _ in range({a.count})]"
        )
    return None


def _predicate_wanted(plan: Plan, opcode: str, by_name: Mapping[str, Operand]) -> str | None:
    """The order of the arguments, where a predicate stands in another's place."""
    given = [a for a in plan.arguments if not a.result and a.name in by_name]
    wants = next((a.name for a in given if a.type is not None and a.type.kind == "p"), None)
    if wants is None or not any(_is_predicate(by_name[a.name]) and a.name != wants for a in given):
        return None
    return f"the order is {_called(opcode)}({', '.join(a.name for a in given)}): the predicate is `{wants}`"


def _is_predicate(operand: Operand) -> bool:
    return isinstance(operand, Not) or (isinstance(operand, Reg) and operand.type.kind == "p")


def _called(opcode: str) -> str:
    """An opcode as a kernel writes it."""
    return ".".join(("k", *map(attribute_of, opcode.split("."))))


def _try(
    plan: Plan, opcode: str, args: Sequence[Any], named: Mapping[str, Any], target: Target, allocate: Allocate
) -> Bound:
    results: list[Any] = []
    by_name = _convert(plan, opcode, _assign(plan, args, named), allocate, results)
    _merge_coords(plan.row, by_name)
    try:
        inst, version = _check(plan, opcode, by_name, target)
    except Diagnostic as wrong:
        if wrong.code < "PTX0200":  # a rule's own help is nearer
            wrong.help = _registers_wanted(plan, by_name) or _predicate_wanted(plan, opcode, by_name) or wrong.help
        raise _Misfit(wrong, len(plan.arguments)) from None
    return Bound(inst, _in_text_order(plan.row, by_name), results, version)


def bind_call(
    opcode: str,
    args: Sequence[Any],
    named: Mapping[str, Any],
    target: Target,
    allocate: Allocate,
    release: Callable[[], None],
) -> Bound:
    """The instruction that a call stands for, checked.

    Args:
        opcode: with all modifiers. args, named: the call's arguments.
        target: what it is written for. allocate: makes result registers; release: forgets those of a row that did not fit.

    Raises: Diagnostic (without a place) PTX01xx for forms and operands, a rule's own code, PTX1001 for the target.
    """
    best: _Misfit | None = None
    for plan in plans(opcode):
        try:
            return _try(plan, opcode, args, named, target, allocate)
        except _Misfit as wrong:
            release()
            if best is None or wrong.depth > best.depth:
                best = wrong
    assert best is not None
    raise best.diagnostic


def written(inst: Instance) -> list[Reg]:
    """Registers that the instruction writes."""
    return inst.registers("w")
