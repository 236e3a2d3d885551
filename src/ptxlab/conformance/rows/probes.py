"""Probes: an instance of a row between loads of its operands and stores of its results."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property
from itertools import product
from typing import Any, Final

from ptxlab.isa.bind import Instance
from ptxlab.isa.effects import Carry, Compute, WarpWide
from ptxlab.isa.form import FORMS, Form, Slot
from ptxlab.isa.match import heads
from ptxlab.isa.operands import Imm
from ptxlab.isa.specs import Spec
from ptxlab.isa.targets import Target
from ptxlab.isa.terms import UNKNOWN, Chosen, Mod, Term
from ptxlab.isa.types import TYPES, ScalarType

TARGET: Final = "sm_90a"
VERSION: Final = (9, 0)
PER_ROW: Final = 48
"""Combinations of modifiers of a row that are probed where it has more; each value of a modifier stands in some."""
FORMULAS: Final = {
    f"{name}.{type_}": formula
    for name, formula, types in (
        ("mul", "a·b", ("f16", "bf16", "f32", "f64")),
        ("fma", "a·b + c", ("f16", "bf16", "f32", "f64")),
        ("mad", "a·b + c", ("f32", "f64")),
        ("div", "a/b", ("f32", "f64")),
    )
    for type_ in types
}
"""Rows that are probed at the edge of the normal numbers too, and what they compute."""

_PARTS: Final = "its operands are parts of registers, too: conformance/micro/video.py"
_LOW_BITS: Final = "ptxas 13.1 to 13.5 moves the lowest byte, or the lowest half, of its one element only"
_SHARES: Final = (
    "ptxas 13.1 to 13.5 leaves anything above each element's share: what is read of it depends on its next use"
)
_READ_ALONE: Final = "ptxas 13.1 to 13.5 loses the other operand of an instruction that reads its result, or dies"
EXCLUDED: Final = {
    "cvta": "its result is an address",
    "cvta.to": "its operand is an address",
    "isspacep": "its operand is an address",
    "mapa": "its result is an address",
    "getctarank": "its operand is an address",
    "alloca": "its result is an address",
    "stacksave": "its result is an address",
    "mbarrier.pending_count": "its operand is the state of a barrier",
    **dict.fromkeys(("mov.pack.b32.1", "mov.pack.b64.1", "mov.unpack.b32.1", "mov.unpack.b64.1"), _LOW_BITS),
    **dict.fromkeys(("mov.pack.b16.1", "mov.unpack.b16.1"), _READ_ALONE),
    "mov.shares": _SHARES,
    **{form.key: _PARTS for form in FORMS.values() if form.family == "video"},
}
"""Computing rows that are not probed, with the reason."""

_IMMEDIATE: Final = frozenset({"imm"})
_TABLES: Final = (0x00, 0xFF, 0x80, 0xFE, 0x96, 0xCA, 0xE8, 0x1B)
_WIDENED: Final = ("u8", "s8", "u16", "s16", "u32", "s32", "f16")  # registers for other types must fit
PRODUCTS: Final = ("mma", "mma.sp", "wmma.mma")
"""Products of matrices by one warp."""
_EXCHANGES: Final = ("ldmatrix", "stmatrix")
_EIGHT_BITS: Final = ("mma.f8", "mma.sp.f8")  # which convert what they multiply
_FULL_MASK: Final = ("shfl.sync",)  # what a lane outside the mask would give is undefined


@dataclass(frozen=True, slots=True)
class Port:
    """A register that is loaded before the instruction or stored after it.

    Attributes:
        name: of the register, percent sign included.
        type: of the values: what the row says.
        bits: of the register; wider than the type where cvt may have it so.
        operand: whose it is, or whose part.
    """

    name: str
    type: ScalarType
    bits: int
    operand: str

    @property
    def bytes(self) -> int:
        """Bytes of an element in memory; predicates are bytes."""
        return max(1, self.bits // 8)


CARRY: Final = Port("%carry", TYPES["pred"], 1, "carry")
LEFT: Final = Port("%left", TYPES["pred"], 1, "carry")
"""The carry that an instruction reads and the one that it leaves, as predicates."""


@dataclass(frozen=True)
class Probe:
    """An instance of a row.

    Attributes:
        form: the row.
        opcode: with its modifiers.
        variant: what the modifiers do not say: "pair" writes d|p, "not" negates predicates that are read, "wide" gives cvt
            registers wider than its types, "crossed" lets an addition read a subtraction's borrow and the other way round,
            "table=N" is an immediate, "edge" has results next to the least normal number, "small" has subnormal e4m3 beside
            large factors, "sparse" has zeros of both signs nearly everywhere.
    """

    form: Form
    opcode: str
    variant: tuple[str, ...] = ()

    @property
    def key(self) -> str:
        """The probe's name in a record: it changes with the instance, and with nothing else."""
        return " ".join((self.form.key, self.opcode, *self.variant))

    @classmethod
    def of_key(cls, key: str) -> Probe:
        """The probe of a name. Raises: KeyError where the row is gone."""
        row, opcode, *variant = key.split(" ")
        return cls(FORMS[row], opcode, tuple(variant))

    @cached_property
    def mods(self) -> Mapping[str, str]:
        """The modifiers chosen. Raises: KeyError where the row does not take the opcode any more."""
        for form, mods in heads(self.opcode):
            if form is self.form:
                return mods
        raise KeyError(self.opcode)

    @cached_property
    def differs(self) -> bool:
        """Whether every part of the variant changes something."""
        if not self.variant:
            return True
        if "not" in self.variant and "!" not in self.text:
            return False
        if "edge" in self.variant and self.approximate:
            return False
        if "small" in self.variant and "e4m3" not in self.mods.values():
            return False
        if "wide" in self.variant and "bf16" in self.mods.values():
            return False  # no operand of such a conversion may be wider
        return "wide" not in self.variant or any(p.bits > max(16, p.type.bits) for p in (*self.inputs, *self.outputs))

    @cached_property
    def adds_floats(self) -> bool:
        """Whether it is a product of matrices of floats, on data without a name of their own."""
        return self.form.name in PRODUCTS and "small" not in self.variant and self.outputs[0].type.kind != "s"

    @cached_property
    def approximate(self) -> bool:
        """Whether the manual gives a bound for the error, and not the result."""
        return self.mods.get("rnd") in ("approx", "full") or ".approx" in self.form.syntax

    @cached_property
    def _ports(self) -> dict[str, list[Port]]:
        inst = Instance(self.form, self.opcode, self.mods, {})
        return {name: self._of(inst, name, self.form.operands[name]) for name in self._names(inst)}

    def _names(self, inst: Instance) -> Iterator[str]:
        for place in self.form.places:
            first = self.form.operands[place.names[0]]
            if place.optional and (first.when is None or first.when.eval(inst) is not True):
                continue
            yield place.names[0]
            if place.kind == "pair" or (place.kind == "optpair" and "pair" in self.variant):
                yield place.names[1]

    def _of(self, inst: Instance, name: str, spec: Spec) -> list[Port]:
        if spec.kinds == _IMMEDIATE:
            return []
        if "addr" in spec.kinds:  # a row of 16 bytes in shared memory: see `emit`
            return [Port(f"%row{i}", TYPES["b32"], 32, name) for i in range(4)]
        type_ = inst.type_of(name)
        assert type_ is not None, f"{self.form.key}: {name} has no type"
        bits = type_.bits
        if spec.wider is not False:
            bits = max(16, bits)
            if "wide" in self.variant and type_.name in _WIDENED:
                bits = 2 * bits
        count = inst.count_of(name)
        if count == 1 and not spec.always_vector:
            return [Port(f"%{name}", type_, bits, name)]
        return [Port(f"%{name}{i}", type_, bits, name) for i in range(count)]

    @cached_property
    def inputs(self) -> list[Port]:
        """What is loaded, in the order of the text, then the carry."""
        named = [p for name, ports in self._ports.items() if "r" in self._role(name) for p in ports]
        return [*named, CARRY] if isinstance(self.form.effect, Carry) and self.form.effect.reads else named

    @cached_property
    def outputs(self) -> list[Port]:
        """What is stored, in the order of the text, then the carry."""
        named = [p for name, ports in self._ports.items() if "w" in self._role(name) for p in ports]
        return [*named, LEFT] if isinstance(self.form.effect, Carry) and self.form.effect.writes else named

    def _role(self, name: str) -> str:
        return self.form.operands[name].access or self.form.operands[name].role

    @property
    def memory(self) -> str:
        """What it does to shared memory: "r", "w" or nothing."""
        return next((s.access for s in self.form.operands.values() if s.access), "")

    @property
    def masked(self) -> bool:
        """Whether only the lanes of its mask execute it."""
        return isinstance(self.form.effect, WarpWide) and self.form.name not in _FULL_MASK

    @cached_property
    def text(self) -> str:
        """The instruction."""
        shown: list[str] = []
        for place in self.form.places:
            parts = [self._operand(n) for n in place.names if n in self._ports]
            if parts:
                shown.append("|".join(parts))
        return f"{self.opcode} {', '.join(shown)};"

    def _operand(self, name: str) -> str:
        ports, spec = self._ports[name], self.form.operands[name]
        if not ports:
            return next(v for v in self.variant if v.startswith(f"{name}=")).partition("=")[2]
        if "addr" in spec.kinds:
            return "[%place]" if "shared" in self.opcode else "[%generic]"
        if len(ports) > 1 or spec.always_vector:
            return "{" + ", ".join(p.name for p in ports) + "}"
        negated = "not" in self.variant and "not" in spec.kinds
        return f"!{ports[0].name}" if negated else ports[0].name

    @property
    def mask(self) -> Port | None:
        """The operand that names the lanes that take part."""
        if not isinstance(self.form.effect, WarpWide):
            return None
        return next((p for p in self.inputs if p.operand in ("mask", "membermask")), None)


def probes(per_row: int = PER_ROW, seed: int = 0) -> list[Probe]:
    """Every computing row, in all combinations of modifiers that sm_90a has, or `per_row` of them."""
    found = [p for form in FORMS.values() if probed(form) for p in of_row(form, per_row, seed)]
    return [*found, *(replace(p, variant=(*p.variant, "sparse")) for p in found if p.adds_floats)]


def probed(form: Form) -> bool:
    """Whether a row computes registers from registers, or moves matrices between them, and is simulated."""
    if form.name in _EXCHANGES:
        return True
    return isinstance(form.effect, (Carry, Compute, WarpWide)) and form.key not in EXCLUDED and not form.unsimulated


def of_row(form: Form, limit: int, seed: int) -> list[Probe]:
    """Probes of a row: all combinations of modifiers and variants where they are few, else so many drawn ones.

    Of cvt, whose types make it another instruction each time, all without a variant.
    """
    legal = list(_legal(form))
    if len(legal) <= limit:
        return [p for p, _ in legal]
    dice = random.Random(f"{seed}:{form.key}")
    dice.shuffle(legal)
    missing = {part for _, parts in legal for part in parts}
    first: list[Probe] = []
    rest: list[Probe] = []
    for probe, parts in legal:
        fresh = missing & set(parts)
        (first if fresh else rest).append(probe)
        missing -= fresh
    drawn = max(0, limit - len(first))
    return [*first, *rest[:drawn], *(p for p in rest[drawn:] if form.name == "cvt" and not p.variant)]


_Parts = tuple[str | None, ...]
_OPEN: Final = "?"
"""What stands in a slot that is not filled yet."""


def draw(form: Form, dice: random.Random) -> Probe | None:
    """A legal instance of a row, drawn without going through all of them; None where sm_90a has none."""
    for parts, inst in _instances(form, dice=dice):
        fits = [v for v in _variants(form) if _chooses(form, inst, v)]
        made = [Probe(form, ".".join(p for p in parts if p is not None), tuple(p for p in v if p)) for v in fits]
        legal = [p for p in made if p.differs]
        if legal:
            return dice.choice(legal)
    return None


def choices(form: Form) -> set[tuple[str, str]]:
    """Slots by name, and the values of them that some instance on sm_90a has."""
    out: set[tuple[str, str]] = set()
    for i, slot in enumerate(form.slots):
        for value in slot.values if slot.name is not None else ():
            if (slot.name, value) not in out:
                found = next(_instances(form, (i, value)), None)
                out |= set(found[1].mods.items()) if found is not None else set[tuple[str, str]]()
    return out


def has_instances(form: Form) -> bool:
    """Whether sm_90a has the row at all."""
    return any(True for _ in _instances(form))


@cache
def _legal(form: Form) -> tuple[tuple[Probe, list[tuple[int, str | None]]], ...]:
    """Every legal combination with what was chosen in each slot."""
    return tuple(_combined(form))


def _combined(form: Form) -> Iterator[tuple[Probe, list[tuple[int, str | None]]]]:
    variants = _variants(form)
    for parts, inst in _instances(form):
        for variant in variants:
            if not _chooses(form, inst, variant):
                continue
            made = Probe(form, ".".join(p for p in parts if p is not None), tuple(v for v in variant if v))
            made.__dict__["mods"] = inst.mods  # what its opcode would be parsed for
            if made.differs:
                yield made, [*enumerate(parts), *((-1 - i, v) for i, v in enumerate(variant))]


def _instances(
    form: Form, given: tuple[int, str] | None = None, dice: random.Random | None = None
) -> Iterator[tuple[_Parts, Instance]]:
    """Every combination of modifiers that sm_90a has, operands aside; `given`: a slot, and the only value for it.

    With dice, the order is drawn.
    """
    target = Target.parse(TARGET)
    asked = sorted(frozenset[str]().union(*(_modifiers(term) for term, _ in form.needs_when)))
    known: dict[tuple[str | None, ...], bool] = {}  # whether sm_90a has it, by what needs ask for
    rules = [_Rule(form, r.term) for r in form.rules if r.severity == "error"]
    for parts in _heads(form, (), rules, given, dice):
        inst = Instance(form, form.name, _chosen(form.slots, parts), {})
        chosen = tuple(inst.mods.get(name) for name in asked)
        if chosen not in known:
            need = inst.need()
            # what only some releases of ptxas take, the driver may not
            known[chosen] = need.releases is None and need.version <= VERSION and need.target_ok(target)
        if known[chosen]:
            yield parts, inst


def _modifiers(term: Term) -> frozenset[str]:
    """The modifiers that a term asks for."""
    if isinstance(term, (Mod, Chosen)):
        return frozenset({term.name})
    return frozenset[str]().union(*(_modifiers(part) for part in vars(term).values() if isinstance(part, Term)))


def _chosen(slots: tuple[Slot, ...], parts: _Parts) -> dict[str, str]:
    """Modifiers by their names."""
    return {s.name: p for s, p in zip(slots, parts, strict=True) if s.name is not None and p is not None}


_PROMISES: Final = frozenset(("no_membermask_overlap",))
"""Modifiers that tell the assembler what a kernel does anyway, and change no value."""


def _heads(
    form: Form,
    parts: _Parts,
    rules: Sequence[_Rule],
    given: tuple[int, str] | None = None,
    dice: random.Random | None = None,
) -> Iterator[_Parts]:
    """All that goes on from the first parts and breaks no rule, in order; `rules` are those not yet known to hold.

    A rule is asked as soon as a part more is known: rows of memory have a hundred thousand combinations, few of them legal.
    """
    if len(parts) == len(form.slots):
        yield parts
        return
    slot = form.slots[len(parts)]
    written = () if slot.name in _PROMISES else dict.fromkeys(slot.values)
    values = [*([None] if slot.optional else []), *written]
    if dice is not None:
        dice.shuffle(values)
    for part in values if given is None or given[0] != len(parts) else [given[1]]:
        longer = (*parts, part)
        answers = [r.holds(longer) for r in rules]
        if not any(a is False for a in answers):
            left = [r for r, a in zip(rules, answers, strict=True) if a is not True]
            yield from _heads(form, longer, left, given, dice)


class _Rule:
    """A rule of a row, and its answers so far: they depend on the few modifiers that it asks for."""

    def __init__(self, form: Form, term: Term) -> None:
        self._form, self._term = form, term
        names = _modifiers(term)
        self._places = [i for i, s in enumerate(form.slots) if s.name in names]
        self._answers: dict[tuple[str | None, ...], Any] = {}

    def holds(self, parts: _Parts) -> Any:
        """Whether it holds where the first slots are filled so: True, False or UNKNOWN."""
        key = tuple(parts[i] if i < len(parts) else _OPEN for i in self._places)
        if key not in self._answers:
            slots = self._form.slots
            left = frozenset(s.name for s in slots[len(parts) :] if s.name)
            facts = _Begun(self._form, self._form.name, _chosen(slots[: len(parts)], parts), {}, open=left)
            self._answers[key] = self._term.eval(facts)
        return self._answers[key]


@dataclass(slots=True, eq=False)
class _Begun(Instance):
    """An instance of which only the first slots are filled: terms know nothing yet of those that are `open`."""

    open: frozenset[str] = frozenset()

    def mod(self, name: str) -> Any:
        """As of an instance; UNKNOWN for an open slot."""
        return UNKNOWN if name in self.open else Instance.mod(self, name)

    def chosen(self, name: str) -> Any:
        """As of an instance; UNKNOWN for an open slot."""
        return UNKNOWN if name in self.open else Instance.chosen(self, name)


def _immediates(form: Form) -> list[str]:
    return [n for n, s in form.operands.items() if s.kinds == _IMMEDIATE]


def _chooses(form: Form, inst: Instance, variant: tuple[str, ...]) -> bool:
    """Whether the immediates of a variant are what the row's rules take; a warning is a no here."""
    given = {n: Imm(int(v), v) for n, _, v in (part.partition("=") for part in variant) if n in form.operands}
    full = Instance(form, inst.opcode, inst.mods, dict(given))
    return not given or not any(r.term.eval(full) is False for r in form.rules)


def _variants(form: Form) -> list[tuple[str, ...]]:
    """Combinations of what modifiers do not say; an empty string where nothing is."""
    specs = form.operands
    options: list[tuple[str, ...]] = []
    if any(p.kind == "optpair" and "reg" in specs[p.names[1]].kinds for p in form.places):
        options.append(("", "pair"))
    if any("not" in s.kinds for s in specs.values()):
        options.append(("", "not"))
    if any(s.wider is not False for s in specs.values()):
        options.append(("", "wide"))
    if isinstance(form.effect, Carry) and form.effect.reads:
        options.append(("", "crossed"))
    if form.key in FORMULAS:
        options.append(("", "edge"))
    if form.key in _EIGHT_BITS:
        options.append(("", "small"))
    tables = (range(4) if n == "selector" else _TABLES for n, s in specs.items() if s.kinds == _IMMEDIATE)
    options += [tuple(f"{n}={v}" for v in values) for n, values in zip(_immediates(form), tables, strict=True)]
    return list(product(*options))


__all__ = ["EXCLUDED", "PER_ROW", "TYPES", "Port", "Probe", "of_row", "probed", "probes"]
