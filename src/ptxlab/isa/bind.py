"""Operands against a row: an instruction becomes an instance, or a diagnostic says why not."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ptxlab.diag import Diagnostic, Severity
from ptxlab.isa import releases
from ptxlab.isa.action import Action, action
from ptxlab.isa.effects import Barrier
from ptxlab.isa.form import Form, Place, Rule
from ptxlab.isa.match import Head, heads, why_no_head
from ptxlab.isa.operands import (
    Addr,
    Imm,
    Label,
    Minus,
    Not,
    Operand,
    Pair,
    Params,
    Part,
    Raw,
    Reg,
    Sink,
    Sreg,
    Symbol,
    Vec,
)
from ptxlab.isa.shape import Shape, flat, shape
from ptxlab.isa.specs import Range, Spec
from ptxlab.isa.sregs import SREGS
from ptxlab.isa.targets import Need, Release, Target, Version
from ptxlab.isa.terms import UNKNOWN, Present, lift
from ptxlab.isa.types import TYPES, ScalarType, register_fits

_KIND: dict[type, str] = {
    Reg: "reg",
    Sreg: "sreg",
    Imm: "imm",
    Symbol: "symbol",
    Label: "label",
    Not: "not",
    Sink: "sink",
    Part: "part",
    Minus: "minus",
    Vec: "vec",
    Pair: "pair",
    Addr: "addr",
    Params: "params",
    Raw: "raw",
}
_KIND_WORDS = {
    "reg": "a register",
    "sreg": "a special register",
    "imm": "an immediate",
    "symbol": "a symbol",
    "label": "a label",
    "not": "a negated predicate",
    "sink": "the sink `_`",
    "part": "a part of a register",
    "minus": "a negated register",
    "vec": "a vector in braces",
    "pair": "a pair d|p",
    "addr": "an address in brackets",
    "params": "a list in parentheses",
    "raw": "text that is no operand here",
}


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
    """What its row's rules and needs hang on, where that is known."""

    @property
    def effect(self) -> Action:
        """What it does to memory and order, in plain values; None where a register decides."""
        return action(self.form, self)

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

    def type_of(self, name: str) -> ScalarType | None:
        """The type that the row gives to an operand."""
        return _type_of(self, self.form.operands[name])

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


def _type_of(inst: Instance, spec: Spec) -> ScalarType | None:
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
        base = [r for r in (operand.base, operand.sampler) if isinstance(r, Reg)]
        return base + (_regs_in(operand.coords) if operand.coords is not None else [])
    return []


def _place_text(inst: Instance, place: Place) -> str | None:
    first = inst.operands.get(place.names[0])
    if first is None:
        return None
    if place.kind in ("pair", "optpair"):
        second = inst.operands.get(place.names[1])
        return f"{first}|{second}" if second is not None else str(first)
    return str(first)


def _describe(operand: Operand) -> str:
    return f"{_KIND_WORDS[_KIND[type(operand)]]} (`{operand}`)"


def _wants(spec: Spec) -> str:
    if spec.always_vector:
        return "a vector in braces"
    words = [
        _KIND_WORDS[k] for k in ("addr", "reg", "imm", "sreg", "symbol", "label", "not", "part", "minus", "sink") if k in spec.kinds
    ]
    return " or ".join(words)


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
            _assign_place(row, place, operand, out)
        except Diagnostic as wrong:
            raise _Mismatch(wrong, depth) from None
    return out


def _fitting(inst: Instance, wanted: Sequence[Place], operands: Sequence[Operand]) -> int:
    """How many of the first operands are what the row wants there, where their number is not."""
    for depth, (place, operand) in enumerate(zip(wanted, operands, strict=False)):
        out: dict[str, Operand] = {}
        try:
            _assign_place(inst.form, place, operand, out)
            for name, one in out.items():
                _check_operand(inst, name, one)
        except Diagnostic:
            return depth
    return min(len(wanted), len(operands))


def _assign_place(row: Form, place: Place, operand: Operand, out: dict[str, Operand]) -> None:
    first = place.names[0]
    if place.kind == "tensor":
        if not isinstance(operand, Addr) or operand.coords is None:
            raise _kind_error(row, first, operand, "a tensor address `[map, {coordinates}]`")
        out[first], out[place.names[1]] = operand, operand.coords
    elif place.kind in ("pair", "optpair"):
        if isinstance(operand, Pair):
            out[first], out[place.names[1]] = operand.first, operand.second
        elif place.kind == "optpair":
            out[first] = operand
        else:
            raise _kind_error(row, first, operand, "a pair d|p")
    else:
        if isinstance(operand, Addr) and operand.coords is not None:
            raise _kind_error(row, first, operand, "an address without coordinates")
        out[first] = _element(row.operands[first], operand) or _unwrapped(row.operands[first], operand)


def _element(spec: Spec, operand: Operand) -> Addr | None:
    """The address that an element of an array stands for, where it may: `ld.global.u32 d, array[4];`."""
    if not spec.indexed or not isinstance(operand, Symbol) or not operand.indexed:
        return None
    return Addr(replace(operand, offset=0, written="", indexed=False), operand.offset)


def _unwrapped(spec: Spec, operand: Operand) -> Operand:
    """Without the braces around a single register, which mean nothing where a scalar may stand for a vector."""
    may = isinstance(operand, Vec) and len(operand.items) == 1 and spec.count is not None and not spec.always_vector
    return operand.items[0] if may else operand  # type: ignore[union-attr]


def _kind_error(row: Form, name: str, operand: Operand, wants: str) -> Diagnostic:
    return Diagnostic(
        "PTX0104",
        f"operand `{name}` of `{row.name}` is {_describe(operand)}, but wants {wants}",
        help=f"the form is `{row.syntax}`",
        isa=row.isa,
    )


def _wider(inst: Instance, spec: Spec) -> bool:
    """Whether registers may be wider than the operand."""
    return spec.wider if isinstance(spec.wider, bool) else spec.wider.eval(inst) is True


def _check_scalar(inst: Instance, name: str, spec: Spec, operand: Operand, *, in_vector: bool = False) -> None:
    kind = _KIND[type(operand)]
    if kind not in spec.kinds:
        raise _kind_error(inst.form, name, operand, _wants(spec))
    if kind == "sink" and spec.count is not None and not in_vector:
        raise _kind_error(inst.form, name, operand, "a register: only parts of a vector can be left out")
    if isinstance(operand, Addr):
        _check_address(inst, name, spec, operand)
        return
    if isinstance(operand, Symbol):
        _check_space(inst, spec, operand)
    if isinstance(operand, Part | Minus):
        operand = _checked_part(inst, name, spec, operand)
    type_ = _type_of(inst, spec)
    if type_ is None:
        return
    if isinstance(operand, Symbol) and type_.kind not in "bus":
        raise _kind_error(inst.form, name, operand, f"a register of type .{type_}: an address is an integer")
    if isinstance(operand, (Reg, Sreg)) and not (
        (register_fits(operand.type, type_, wider=_wider(inst, spec)) or _narrower(operand, type_))
        and operand.type.bits <= max(spec.widest, type_.bits)
        and (not spec.untyped or operand.type.kind == "b")
    ):
        raise Diagnostic(
            "PTX0105",
            f"operand `{name}` of `{inst.opcode}` is `{operand}` of type .{operand.type}, but wants .{type_}",
            help=f"use a register of type .{type_}"
            + (f" or .b{type_.bits}" if type_.kind not in "pb" else "")
            + (", or convert with cvt" if type_.kind != "p" else ", made by setp"),
            isa=inst.form.isa,
        )
    if isinstance(operand, Not) and operand.reg.type.kind != "p":
        raise _kind_error(inst.form, name, operand, "a predicate")
    if isinstance(operand, Imm):
        _check_immediate(inst, name, spec, operand, type_)


def _narrower(operand: Reg | Sreg, type_: ScalarType) -> bool:
    """Whether a special register gives its lowest bits where so many are wanted."""
    return isinstance(operand, Sreg) and type_.kind in "bus" and type_.bits in SREGS[operand.name].narrower


def _checked_part(inst: Instance, name: str, spec: Spec, operand: Part | Minus) -> Reg:
    """The register that an operand is a part of, or the negative of."""
    part = operand.of if isinstance(operand, Minus) else operand
    if isinstance(part, Part) and part.which not in spec.parts:
        few = len(spec.parts) <= _FEW_PARTS
        shown = ", ".join(f".{p}" for p in spec.parts) if few else f"the like of .{spec.parts[0]} and .{spec.parts[-1]}"
        raise Diagnostic(
            "PTX0104",
            f"operand `{name}` of `{inst.opcode}` is `{operand}`, which it has no part for",
            help=f"it takes {shown}",
            isa=inst.form.isa,
        )
    return operand.reg


_FEW_PARTS = 20


def _check_immediate(inst: Instance, name: str, spec: Spec, operand: Imm, type_: ScalarType) -> None:
    if spec.values is not None:
        if operand.float_bits or operand.value not in spec.values:
            raise _range_error(inst, name, spec, operand)
        return
    if _literal_fits(operand, type_):
        return
    if not operand.is_float:
        wants = (
            f"a literal such as {1.0 if type_.bits == 64 else '0f3F800000'}"
            if type_.name in ("f32", "f64")
            else "a register"
        )
        raise _kind_error(inst.form, name, operand, f"{wants} of type .{type_}")
    raise _kind_error(inst.form, name, operand, f"an integer or a register of type .{type_}")


def _literal_fits(operand: Imm, type_: ScalarType) -> bool:
    """Whether a literal may stand for a type: integers for integers, 0f… for 32 bits, 0d… and 1.5 for 64, all for f32 and f64."""
    if not operand.is_float:
        return type_.kind in "busp"
    if type_.name in ("f32", "f64"):
        return True
    return type_.name == ("b32" if operand.float_bits == 32 else "b64")


def _check_widths(inst: Instance) -> list[Diagnostic]:
    """Immediates of which the instruction takes the lowest bits alone: ptxas cuts them off without a word."""
    out: list[Diagnostic] = []
    for name, operand in inst.operands.items():
        if not isinstance(operand, Imm) or operand.float_bits or not isinstance(operand.value, int):
            continue
        spec, type_ = inst.form.operands[name], inst.type_of(name)
        if spec.values is not None or type_ is None or type_.kind not in "bus":
            continue
        low, high = -(1 << (type_.bits - 1)), (1 << type_.bits) - 1
        if not low <= operand.value <= high:
            out.append(
                Diagnostic(
                    "PTX0107",
                    f"operand `{name}` of `{inst.opcode}` is {operand}, which does not fit .{type_}: its upper bits are lost",
                    help=f"an immediate of .{type_} lies between {low} and {high}",
                    isa=inst.form.isa,
                    severity=Severity.WARNING,
                )
            )
    return out


def _range_error(inst: Instance, name: str, spec: Spec, operand: Imm) -> Diagnostic:
    values = spec.values
    assert values is not None
    allowed = str(values) if isinstance(values, Range) else ", ".join(map(str, values))
    value = operand.value if isinstance(operand.value, int) else 0
    near = values.nearest(value) if isinstance(values, Range) else min(values, key=lambda v: abs(v - value))
    return Diagnostic(
        "PTX0107",
        f"operand `{name}` of `{inst.opcode}` is {operand}, but takes {allowed}",
        help=f"the nearest value that it takes is {near}",
        isa=inst.form.isa,
    )


_SHARED = ("shared", "shared::cta", "shared::cluster")


def _check_address(inst: Instance, name: str, spec: Spec, operand: Addr) -> None:
    base = operand.base
    space = None if spec.space is None else spec.space.eval(inst)
    if isinstance(base, Imm) and space != "local":
        raise Diagnostic(
            "PTX0108",
            f"the address `{operand}` of `{inst.opcode}` is a number, and local memory alone has such addresses",
            help="move the number into a register, or name a variable",
            isa=inst.form.isa,
        )
    if isinstance(base, Reg) and (base.type.kind not in "bus" or base.type.bits not in (32, 64)):
        raise Diagnostic(
            "PTX0105",
            f"the address `{operand}` of `{inst.opcode}` lies in `{base}` of type .{base.type}",
            help="an address is a register of 32 or 64 bits, untyped or integer",
            isa=inst.form.isa,
        )
    if isinstance(base, Reg) and inst.mods.get("space") == "param::func":
        raise Diagnostic(
            "PTX0108",
            f"`{inst.opcode}` reaches a call's parameter through `{base}`",
            help="write the parameter's name as the address",
            isa=inst.form.isa,
        )
    if spec.space is not None and spec.space.eval(inst) == "tmem":
        _check_tensor_memory(inst, name, spec, base)
    if isinstance(base, Symbol):
        _check_space(inst, spec, base)
    if operand.sampler is not None or spec.opaque:
        _check_handle(inst, name, spec, operand)
    if operand.unified:
        _check_unified(inst, spec, operand)


def _check_handle(inst: Instance, name: str, spec: Spec, operand: Addr) -> None:
    """A texture or surface, and a sampler: variables of these types, or registers of 64 bits with their handles."""
    fits = spec.opaque and not operand.offset and not operand.written and not isinstance(operand.base, Imm)
    for one in (operand.base, operand.sampler):
        fits = fits and not (isinstance(one, Reg) and one.type.bits != 64)
    if operand.sampler is not None:
        fits = fits and str(spec.space) == "texref" and not _is_no_sampler(operand.sampler)
    if not fits:
        raise _kind_error(inst.form, name, operand, "variables of .texref, .samplerref, .surfref, or u64 handles")


def _is_no_sampler(operand: Reg | Symbol) -> bool:
    return isinstance(operand, Symbol) and operand.space != "samplerref"


def _check_tensor_memory(inst: Instance, name: str, spec: Spec, base: Reg | Symbol | Imm) -> None:
    fits = isinstance(base, Reg) and base.type.bits == 32 and (not spec.untyped or base.type.kind == "b")
    if not fits:
        wants = "a register of type .b32" if spec.untyped else "a register of 32 bits"
        raise _kind_error(inst.form, name, Addr(base), f"{wants} in brackets: an address of tensor memory")


def _check_unified(inst: Instance, spec: Spec, operand: Addr) -> None:
    space = None if spec.space is None else spec.space.eval(inst)
    if not spec.unified or space not in ("generic", "global") or not isinstance(operand.base, Reg):
        raise Diagnostic(
            "PTX0108",
            f"the address `{operand}` of `{inst.opcode}` cannot be unified",
            help="only loads have it, with a register that holds a generic or global address",
            isa=inst.form.isa,
        )


def _check_space(inst: Instance, spec: Spec, base: Symbol) -> None:
    space = None if spec.space is None else spec.space.eval(inst)
    if isinstance(space, str) and not _space_fits(base.space, space):
        raise Diagnostic(
            "PTX0108",
            f"`{base.name}` lies in .{base.space}, but `{inst.opcode}` accesses .{space}",
            help=f"use a symbol of .{space}, or the form for .{base.space}",
            isa=inst.form.isa,
        )


def _space_fits(declared: str, wanted: str) -> bool:
    if wanted in _SHARED:
        return declared in _SHARED
    if wanted == "generic":
        return declared in ("global", "local", *_SHARED)
    if wanted == "param::entry":
        return declared == "param"
    return declared == wanted or (wanted == "param" and declared == "param::func")


def _check_operand(inst: Instance, name: str, operand: Operand) -> None:
    spec = inst.form.operands[name]
    count = None if spec.count is None else spec.count.eval(inst)
    if isinstance(count, int) and (spec.always_vector or count > 1):
        if not isinstance(operand, Vec):
            raise _kind_error(inst.form, name, operand, f"a vector of {count} in braces")
        if len(operand.items) != count:
            raise Diagnostic(
                "PTX0106",
                f"operand `{name}` of `{inst.opcode}` has {len(operand.items)} registers, but takes {count}",
                help=f"give {count} registers in braces",
                isa=inst.form.isa,
            )
        each: Any = None if spec.each is None else spec.each.eval(inst)
        for i, item in enumerate(operand.items):
            own = replace(spec, type=lift(str(each[i]))) if isinstance(each, tuple) else spec  # pyright: ignore[reportUnknownArgumentType]
            _check_scalar(inst, name, own, item, in_vector=True)
        if all(isinstance(item, Sink) for item in operand.items):
            raise _kind_error(inst.form, name, operand, "a register among the elements: all of them are left out")
        if spec.each is None and len({item.type.bits for item in operand.items if isinstance(item, Reg)}) > 1:
            raise Diagnostic(
                "PTX0105",
                f"operand `{name}` of `{inst.opcode}` has registers of different widths: `{operand}`",
                help="give all registers of a vector one width",
                isa=inst.form.isa,
            )
        return
    _check_scalar(inst, name, spec, operand)


def check_rules(inst: Instance) -> list[Diagnostic]:
    """The row's rules that this instance breaks, and what is accepted but surely not meant."""
    return [_broken(r, inst) for r in inst.form.rules if r.term.eval(inst) is False] + _check_widths(inst)


def _broken(r: Rule, inst: Instance) -> Diagnostic:
    words = _Words(inst)
    return Diagnostic(
        r.code,
        r.message.format_map(words),
        help=r.help.format_map(words),
        isa=inst.form.isa,
        severity=Severity(r.severity),
    )


class _Words(dict[str, str]):
    """Names in a rule's message: modifiers and operands as written."""

    def __init__(self, inst: Instance) -> None:
        super().__init__()
        self.inst = inst

    def __missing__(self, name: str) -> str:
        if name == "opcode":
            return self.inst.opcode
        if name in self.inst.operands:
            return str(self.inst.operands[name])
        return str(self.inst.mod(name))


def check_needs(
    inst: Instance, target: Target | None, version: Version | None, release: Release | None = None
) -> list[Diagnostic]:
    """What the instance needs that the target, the PTX version or the release of ptxas (default: the newest) does not have."""
    need = inst.need()
    out: list[Diagnostic] = []
    if target is not None and not need.target_ok(target):
        out.append(
            Diagnostic(
                "PTX1001",
                f"`{inst.opcode}` does not exist on {target}",
                help=f"it needs {need.targets}",
                isa=inst.form.isa,
            )
        )
    need = need.on(target)
    if version is not None and version < need.version:
        out.append(
            Diagnostic(
                "PTX1002",
                f"`{inst.opcode}` does not exist in PTX {version[0]}.{version[1]}",
                help=f"write `.version {need.version[0]}.{need.version[1]}` or newer"
                + (f", which {readers} read" if (readers := releases.readers(need.version)) else ""),
                isa=inst.form.isa,
            )
        )
    if need.releases is not None:
        out += _check_release(inst, need.releases, release or releases.NEWEST)
    return out


def _check_release(inst: Instance, takes: tuple[Release, Release], release: Release) -> list[Diagnostic]:
    first, last = takes
    if first <= release <= last:
        return []
    which = f"ptxas {releases.name(first)}" + (f" up to {releases.name(last)}" if last != first else "")
    return [
        Diagnostic(
            "PTX1006",
            f"ptxas {releases.name(release)} does not take `{inst.opcode}` with these operands",
            help=f"{which} takes it; no manual has it",
            isa=inst.form.isa,
        )
    ]


class _HeadFacts:
    """The modifiers of an instance; its operands are unknown, so that only rules about modifiers decide."""

    def __init__(self, inst: Instance) -> None:
        self.mod = inst.mod
        self.chosen = inst.chosen

    def operand_value(self, name: str) -> Any:
        return UNKNOWN

    def present(self, name: str) -> Any:
        return UNKNOWN


def _check_head(inst: Instance) -> None:
    """A combination of modifiers that a rule forbids is said before anything about operands, unless another row has it."""
    facts = _HeadFacts(inst)
    for r in inst.form.rules:
        if r.severity == "error" and r.term.eval(facts) is False:
            raise _Mismatch(_broken(r, inst), _HEAD_DEPTH)


_HEAD_DEPTH = -1


def _check_operands(inst: Instance) -> None:
    row = inst.form
    for depth, (name, operand) in enumerate(inst.operands.items()):
        try:
            _check_operand(inst, name, operand)
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
