"""Instances of a row, legal ones and their illegal neighbours, as text that an assembler can judge.

A candidate carries no verdict: `verdict` asks the rows, the conformance tests ask ptxas, and both must agree.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cache
from itertools import product
from typing import Any, Final

from ptxlab.diag import Diagnostic, Severity
from ptxlab.isa.bind import Instance, bind, check_needs, check_rules
from ptxlab.isa.brackets import together
from ptxlab.isa.form import BY_ROOT, Form, Place
from ptxlab.isa.operands import Addr, Imm, Label, Minus, Not, Operand, Pair, Params, Part, Reg, Sink, Symbol, Vec
from ptxlab.isa.specs import Range, Spec
from ptxlab.isa.targets import Release, Target, Version
from ptxlab.isa.types import TYPES

# Registers that every generated kernel declares: type → prefix and count.
REGISTERS: Final[dict[str, tuple[str, int]]] = {
    "pred": ("%p", 16),
    "b8": ("%bb", 16),
    "b16": ("%h", 16),
    "u16": ("%uh", 16),
    "s16": ("%sh", 16),
    "f16": ("%fh", 16),
    "b32": ("%r", 300),
    "u32": ("%ur", 80),
    "s32": ("%sr", 300),
    "f32": ("%f", 300),
    "b64": ("%rd", 80),
    "u64": ("%ud", 16),
    "s64": ("%sd", 16),
    "f64": ("%fd", 80),
    "b128": ("%q", 16),
}
_SYMBOLS: Final[dict[str, Symbol]] = {
    "global": Symbol("glob", "global", 0, 128, 128),
    "const": Symbol("cst", "const", 0, 128, 128),
    "shared": Symbol("sh", "shared", 0, 128, 128),
    "local": Symbol("loc", "local", 0, 128, 128),
    "param": Symbol("map", "param", 0, 64, 128),
    "param::func": Symbol("arg", "param::func", 0, 16, 64),
}
_LABELS: Final = {"targets": Label("ts"), "proto": Label("pt")}
_PARAMETERS: Final = {
    "param": _SYMBOLS["param"],
    "param::entry": _SYMBOLS["param"],
    "param::func": _SYMBOLS["param::func"],
}


@dataclass(frozen=True, slots=True)
class Candidate:
    """An instruction that may or may not be legal. `why` says what is tried with it."""

    form: Form
    opcode: str
    operands: tuple[Operand, ...]
    why: str

    @property
    def text(self) -> str:
        """The instruction as PTX."""
        return f"{self.opcode} {', '.join(map(str, self.operands))};" if self.operands else f"{self.opcode};"


def verdict(
    candidate: Candidate, target: Target, version: Version, release: Release | None = None
) -> Diagnostic | None:
    """What the rows have against a candidate; None when they take it. Warnings do not count. `release`: of ptxas."""
    try:
        instance = bind(candidate.opcode, candidate.operands)
    except Diagnostic as wrong:
        return wrong
    found = [*check_rules(instance), *check_needs(instance, target, version, release)]
    return next((d for d in found if d.severity is Severity.ERROR), None)


# --- opcodes


def _choices(form: Form) -> list[list[str | None]]:
    """What may stand in each slot; None where it may be left out."""
    return [[*([None] if s.optional else []), *_values(s.values)] for s in form.slots]


def _values(values: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(values))


def _opcode(parts: Iterable[str | None]) -> str:
    return ".".join(p for p in parts if p is not None)


def _mods(form: Form, parts: Iterable[str | None]) -> dict[str, str]:
    return {s.name: p for s, p in zip(form.slots, parts, strict=True) if s.name is not None and p is not None}


def _heads(form: Form, dice: random.Random, limit: int) -> list[tuple[str | None, ...]]:
    """Combinations of modifiers: all where there are few, else as many drawn as the limit says, each value at least once."""
    choices = _choices(form)
    total = 1
    for c in choices:
        total *= len(c)
    if total <= limit:
        return list(product(*choices))
    plain = tuple(c[0] for c in choices)
    out: dict[tuple[str | None, ...], None] = {plain: None}
    for i, options in enumerate(choices):
        for value in options:
            out[(*plain[:i], value, *plain[i + 1 :])] = None
    tries = 0
    while len(out) < limit and tries < 20 * limit:
        tries += 1
        out[tuple(dice.choice(c) for c in choices)] = None
    return list(out)


def _broken_rules(form: Form, mods: dict[str, str]) -> int:
    """How many of the row's rules the modifiers alone break."""
    bare = Instance(form, form.name, mods, {})
    return sum(1 for r in form.rules if r.severity == "error" and r.term.eval(bare) is False)


# --- operands


def _registers(type_name: str, count: int, first: int = 1) -> list[Reg]:
    prefix, _ = REGISTERS[type_name]
    return [Reg(f"{prefix}{first + i}", TYPES[type_name]) for i in range(count)]


_HOLDERS: Final[dict[str, str]] = {
    "bf16": "b16",
    "tf32": "b32",
    "e4m3": "b8",
    "e5m2": "b8",
    "u8": "b16",
    "s8": "b16",
}


def _holder(type_name: str, wider: bool) -> str:
    """The type of a register that holds an operand of the type."""
    if type_name == "b8" and wider:
        return "b16"
    if TYPES[type_name].kind == "x":
        return f"b{TYPES[type_name].bits}"
    return _HOLDERS.get(type_name, type_name)


def _immediate(spec: Spec, type_name: str | None) -> Imm:
    if isinstance(spec.values, Range):
        return Imm(spec.values.low, str(spec.values.low))
    if spec.values:
        return Imm(spec.values[0], str(spec.values[0]))
    if type_name == "f32":
        return Imm(0x3F800000, "0f3F800000", 32)
    if type_name == "f64":
        return Imm(0x3FF0000000000000, "0d3FF0000000000000", 64)
    return Imm(1, "1")


def _address(spec: Spec, inst: Instance, coords: int | None) -> Addr:
    # Parameters are reached through their symbol: a register that holds their address is an indirection of its own.
    space = spec.space.eval(inst) if spec.space is not None else "generic"
    base: Reg | Symbol = _PARAMETERS.get(space) or _registers("b32" if space == "tmem" else "b64", 1, 5)[0]
    vector = Vec(tuple(_registers("s32", coords))) if coords is not None else None
    return Addr(base, 0, vector)


_ONLY_NEGATED: Final = frozenset(("minus",))


def _default(form: Form, inst: Instance, name: str, first: int) -> Operand | None:
    """The plainest operand that the spec asks for; None where the row cannot say."""
    spec = form.operands[name]
    type_ = inst.type_of(name)
    type_name = str(type_) if type_ is not None else None
    if "addr" in spec.kinds:
        return _address(spec, inst, None)
    if "label" in spec.kinds:
        return _LABELS.get(name, Symbol("ext", "func") if "symbol" in spec.kinds else Label("L"))
    if "params" in spec.kinds:
        return Params(())
    count = spec.count.eval(inst) if spec.count is not None else None
    if "reg" in spec.kinds and type_name is not None:
        holder = _holder(type_name, spec.wider is not False)
        if isinstance(count, int) and (spec.always_vector or count > 1):
            return Vec(tuple(_registers(holder, count, first)))
        return _registers(holder, 1, first)[0]
    if spec.kinds == _ONLY_NEGATED and type_name is not None:
        return Minus(_registers(type_name, 1, first)[0])
    if "imm" in spec.kinds:
        return _immediate(spec, type_name)
    if "symbol" in spec.kinds:
        return _SYMBOLS["global"]
    return Sink() if "sink" in spec.kinds else None


def _filled(form: Form, mods: dict[str, str], wanted: set[str]) -> dict[str, Operand] | None:
    """An operand for every name; optional places only where they are wanted or must be."""
    inst = Instance(form, form.name, mods, {})
    out: dict[str, Operand] = {}
    for n, place in enumerate(form.places):
        if place.optional and not _given(form, inst, place, wanted):
            continue
        names = place.names if place.kind != "optpair" or "pairs" in wanted else place.names[:1]
        for name in names:
            if place.kind == "tensor" and name == place.names[-1]:
                continue
            made = _default(form, inst, name, 1 + n % 3)
            if made is None:
                return None
            out[name] = made
        if place.kind == "tensor":
            out.update(_tensor(form, inst, place))
    return out


def _given(form: Form, inst: Instance, place: Place, wanted: set[str]) -> bool:
    when = form.operands[place.names[0]].when
    if when is not None:
        return when.eval(inst) is True
    return place.names[0] in wanted


def _tensor(form: Form, inst: Instance, place: Place) -> dict[str, Operand]:
    coords = form.operands[place.names[-1]]
    count = coords.count.eval(inst) if coords.count is not None else None
    made = _address(form.operands[place.names[0]], inst, count if isinstance(count, int) else 1)
    assert made.coords is not None
    each: Any = coords.each.eval(inst) if coords.each is not None else None
    if not isinstance(each, tuple):
        return {place.names[0]: made, place.names[-1]: made.coords}
    types = [str(t) for t in each]  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType]
    items = Vec(tuple(_registers(_holder(t, False), 1, 1 + i)[0] for i, t in enumerate(types)))
    return {place.names[0]: replace(made, coords=items), place.names[-1]: items}


def _row(form: Form, named: dict[str, Operand]) -> tuple[Operand, ...]:
    """Named operands in the order of the text."""
    out: list[Operand] = []
    for place in form.places:
        first = named.get(place.names[0])
        if first is None:
            continue
        if place.kind in ("pair", "optpair") and place.names[1] in named:
            out.append(Pair(first, named[place.names[1]]))
        else:
            out.append(together(place, named))
    return tuple(out)


# --- variations


_TYPES_TRIED = ("b16", "u16", "f16", "b32", "u32", "s32", "f32", "b64", "u64", "f64", "pred")


def _instead(spec: Spec, inst: Instance, name: str, current: Operand) -> Iterator[tuple[Operand, str]]:
    """Other operands in place of one: some that are legal too, some that are not."""
    if isinstance(current, Addr):
        yield from _other_addresses(spec, inst, current)
        return
    if isinstance(current, Vec):
        yield Vec(current.items[:-1]), f"{name} with an element less"
        yield Vec((*current.items, current.items[-1])), f"{name} with an element more"
        yield current.items[0], f"{name} without braces"
        yield Vec((Sink(), *current.items[1:])), f"{name} with a sink in it"
        return
    if "imm" in spec.kinds and spec.values is not None:
        yield from _other_immediates(spec, name)
    for type_name in _TYPES_TRIED:
        yield _registers(type_name, 1, 4)[0], f"{name} as .{type_name}"
    type_ = inst.type_of(name)
    yield _immediate(replace(spec, values=None), str(type_) if type_ is not None else None), f"{name} as an immediate"
    yield Imm(3, "3"), f"{name} as the integer 3"
    yield Imm(-1, "-1"), f"{name} as -1"
    yield Imm(0x40490FDB, "0f40490FDB", 32), f"{name} as a float literal"
    yield Imm(1.5, "1.5"), f"{name} as a decimal fraction"
    yield Sink(), f"{name} as a sink"
    yield Not(_registers("pred", 1, 2)[0]), f"{name} as a negated predicate"
    yield Addr(_registers("b64", 1, 5)[0]), f"{name} as an address"
    if not name.startswith("policy"):
        yield _SYMBOLS["shared"], f"{name} as a symbol"
    if any(s.parts for s in inst.form.operands.values()):
        yield from _parts(spec, inst, name)


_PARTS_TRIED: Final = ("b0", "b4", "h1", "h2", "h10", "h01", "h33", "b10", "b31", "b310", "b3210", "b0000", "b7654")


def _parts(spec: Spec, inst: Instance, name: str) -> Iterator[tuple[Operand, str]]:
    """Parts of a register and negated ones, those that the operand has and others."""
    type_ = inst.type_of(name)
    register = _registers(str(type_), 1, 4)[0]
    some = spec.parts[:: max(1, len(spec.parts) // 8)]
    for which in dict.fromkeys((*some, *_PARTS_TRIED)):
        yield Part(register, which), f"{name} as .{which}"
    yield Minus(register), f"{name} negated"
    yield Minus(Part(register, "b1")), f"{name} as .b1, negated"
    yield Part(_registers("f32", 1)[0], "b1"), f"{name} as .b1 of .f32"


def _other_addresses(spec: Spec, inst: Instance, current: Addr) -> Iterator[tuple[Operand, str]]:
    if current.coords is not None:
        items = current.coords.items
        yield replace(current, coords=None), "no coordinates"
        yield replace(current, coords=Vec(items[:-1])), "a coordinate less"
        yield replace(current, coords=Vec((*items, items[0]))), "a coordinate more"
        yield replace(current, coords=Vec((Imm(2, "2"), *items[1:]))), "an immediate coordinate"
        return
    yield replace(current, offset=16), "an offset"
    yield replace(current, unified=True), "a unified address"
    yield replace(current, base=_registers("f32", 1)[0]), "a float as address"
    yield replace(current, base=_registers("u32", 1)[0]), "an address of 32 bits"
    for space, symbol in _SYMBOLS.items():
        yield replace(current, base=symbol), f"a symbol of .{space}"
    yield _registers("b64", 1)[0], "an address without brackets"


def _other_immediates(spec: Spec, name: str) -> Iterator[tuple[Operand, str]]:
    values = spec.values
    if isinstance(values, Range):
        tried = [values.low - 1, values.low, values.low + 1, values.high, values.high + 1, values.high + values.step]
    else:
        tried = [*(values or ()), 0, max(values or (0,)) + 1, 3]
    for value in dict.fromkeys(tried):
        if value >= 0:
            yield Imm(value, str(value)), f"{name} as {value}"


def _variations(form: Form, mods: dict[str, str], opcode: str) -> Iterator[Candidate]:
    """One operand changed at a time, one left out, one too many."""
    named = _filled(form, mods, set())
    if named is None:
        return
    inst = Instance(form, form.name, mods, named)
    for name in named:
        if any(p.kind == "tensor" and p.names[-1] == name for p in form.places):
            continue
        for other, why in _instead(form.operands[name], inst, name, named[name]):
            yield Candidate(form, opcode, _row(form, {**named, name: other}), why)
    operands = _row(form, named)
    if operands:
        yield Candidate(form, opcode, operands[:-1], "the last operand left out")
        yield Candidate(form, opcode, (*operands, Imm(1, "1")), "an operand too many")
    optional = {p.names[0] for p in form.places if p.optional} | {"pairs"}
    full = _filled(form, mods, optional)
    if full is not None:
        yield Candidate(form, opcode, _row(form, full), "all optional operands")
        for name in full.keys() - named.keys():
            for other, why in _instead(form.operands[name], inst, name, full[name]):
                yield Candidate(form, opcode, _row(form, {**full, name: other}), why)


_STRANGERS = ("sat", "ftz", "rn", "f32", "b32", "u64", "shared", "global", "v2", "relaxed", "gpu", "x2")


def _broken_opcodes(form: Form, parts: tuple[str | None, ...], dice: random.Random) -> Iterator[tuple[str, str]]:
    """A modifier left out, one from elsewhere put in, and the same ones in another order."""
    shown = [p for p in parts if p is not None]
    for i in range(1, len(shown)):
        yield ".".join(shown[:i] + shown[i + 1 :]), f"without .{shown[i]}"
    # ptxas lets most modifiers stand in any order: only one that no row of this name has is surely wrong.
    known = {v for row in BY_ROOT[form.slots[0].values[0]] for slot in row.slots for v in slot.values}
    foreign = [s for s in _STRANGERS if s not in known]
    for stranger in dice.sample(foreign, min(3, len(foreign))):
        yield ".".join((*shown, stranger)), f"with .{stranger} at the end"
    yield ".".join((shown[0], *dice.sample(shown[1:], len(shown) - 1))), "with its modifiers in another order"


def candidates(form: Form, *, seed: int = 0, limit: int = 64) -> list[Candidate]:
    """Instances of a row to try: about `limit` combinations of modifiers with plain operands, legal ones and such as break a
    rule, and for a few of them every operand varied and the opcode damaged. The same for the same seed."""
    dice = random.Random(f"{form.key}:{seed}")
    heads = _heads(form, dice, limit)
    out: dict[str, Candidate] = {}

    def add(one: Candidate) -> None:
        out.setdefault(one.text, one)

    for parts in heads:
        mods = _mods(form, parts)
        named = _filled(form, mods, set())
        if named is not None and _broken_rules(form, mods) <= 1:
            add(Candidate(form, _opcode(parts), _row(form, named), "plain"))
    sound = [p for p in heads if _broken_rules(form, _mods(form, p)) == 0]
    for parts in dice.sample(sound, min(3, len(sound))):
        mods = _mods(form, parts)
        for one in _variations(form, mods, _opcode(parts)):
            add(one)
        named = _filled(form, mods, set())
        if named is not None:
            for opcode, why in _broken_opcodes(form, parts, dice):
                add(Candidate(form, opcode, _row(form, named), why))
    return list(out.values())


def plain_instances(form: Form, dice: random.Random, limit: int) -> list[Candidate]:
    """Instances of a row with plain operands that break none of its rules, the optional operands given in some."""
    out: list[Candidate] = []
    optional = {p.names[0] for p in form.places if p.optional} | {"pairs"}
    heads = [p for p in _heads(form, dice, 8 * limit) if _broken_rules(form, _mods(form, p)) == 0]
    for parts in dice.sample(heads, min(limit, len(heads))):
        for wanted in (set[str](), optional) if dice.random() < 0.3 else (set[str](),):
            named = _filled(form, _mods(form, parts), wanted)
            if named is not None:
                out.append(Candidate(form, _opcode(parts), _row(form, named), "plain"))
    return out


_EXAMPLE_TARGETS: Final = ("sm_90a", "sm_90", "sm_80", "sm_120a", "sm_100a", "sm_103a", "sm_107a", "sm_75")
NEWEST: Final[Version] = (9, 5)
"""The newest PTX version whose forms the rows have."""


@cache
def example(form: Form) -> tuple[Candidate, str] | None:
    """The plainest legal instance of a row and a target that has it; None where the row takes nothing that is enumerated."""
    dice = random.Random(form.key)
    found: list[Candidate] = []
    for parts in _heads(form, dice, 256):
        mods = _mods(form, parts)
        named = _filled(form, mods, set()) if _broken_rules(form, mods) == 0 else None
        if named is not None:
            found.append(Candidate(form, _opcode(parts), _row(form, named), "example"))
    return _first_legal(form, found) or _first_legal(form, candidates(form))


def _first_legal(form: Form, tried: list[Candidate]) -> tuple[Candidate, str] | None:
    release = form.needs.releases[1] if form.needs.releases else None
    for target in _EXAMPLE_TARGETS:
        for one in tried:
            if (
                verdict(one, Target.parse(target), NEWEST, release) is None
                and bind(one.opcode, one.operands).form is form
            ):
                return one, target
    return None
