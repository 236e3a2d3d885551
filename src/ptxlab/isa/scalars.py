"""One operand against what a row wants of it: kind, type, width, range."""

from __future__ import annotations

from ptxlab.diag import Diagnostic, Severity
from ptxlab.isa.addressing import check_address, check_space
from ptxlab.isa.instance import Instance, type_of
from ptxlab.isa.mismatch import KIND, kind_error, wants
from ptxlab.isa.operands import OPAQUE, Addr, Imm, Minus, Not, Operand, Part, Reg, Sreg, Symbol, Vec
from ptxlab.isa.specs import Range, Spec
from ptxlab.isa.sregs import SREGS
from ptxlab.isa.types import ScalarType, register_fits


def wider(inst: Instance, spec: Spec) -> bool:
    """Whether registers may be wider than the operand."""
    return spec.wider if isinstance(spec.wider, bool) else spec.wider.eval(inst) is True


def widest(inst: Instance, spec: Spec) -> int:
    """Up to how many bits they may have."""
    if isinstance(spec.widest, int):
        return spec.widest
    bits = spec.widest.eval(inst)
    return bits if isinstance(bits, int) else 128


def check_scalar(inst: Instance, name: str, spec: Spec, operand: Operand, *, in_vector: bool = False) -> None:
    """One operand, or one element of a vector. Raises: Diagnostic, without a place."""
    kind = KIND[type(operand)]
    if kind not in spec.kinds:
        raise kind_error(inst.form, name, operand, wants(spec))
    if kind == "sink" and spec.count is not None and not in_vector:
        raise kind_error(inst.form, name, operand, "a register: only parts of a vector can be left out")
    if isinstance(operand, Addr):
        check_address(inst, name, spec, operand)
        return
    if isinstance(operand, Symbol):
        check_space(inst, spec, operand)
        if operand.space == "func" and (operand.offset or operand.written):
            raise kind_error(
                inst.form, name, operand, f"`{operand.name}` alone: nothing is added to a function's address"
            )
    if isinstance(operand, Part | Minus):
        operand = _checked_part(inst, name, spec, operand)
    type_ = type_of(inst, spec)
    if type_ is None:
        return
    if isinstance(operand, Symbol) and type_.kind not in "bus":
        raise kind_error(inst.form, name, operand, f"a register of type .{type_}: an address is an integer")
    if _is_handle(operand, type_) and type_.name != "u64" and inst.form.name != "cvta":
        raise kind_error(
            inst.form, name, operand, f"another operand: the handle `{operand}` is an .u64, not a .{type_}"
        )
    if isinstance(operand, (Reg, Sreg)) and not (
        (
            register_fits(operand.type, type_, wider=wider(inst, spec) and _widens(spec, operand, type_))
            or _narrower(operand, type_)
            or _held(inst, spec, operand, type_)
        )
        and (operand.type.kind != "x" or takes_pairs(inst, spec, type_))
        and operand.type.bits <= max(widest(inst, spec), type_.bits)
        and (not spec.untyped or operand.type.kind == "b")
        and not (isinstance(operand, Sreg) and type_.kind == "f")
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
        raise kind_error(inst.form, name, operand, "a predicate")
    if isinstance(operand, Imm):
        _check_immediate(inst, name, spec, operand, type_)


def _is_handle(operand: Operand, type_: ScalarType) -> bool:
    """Whether an operand is the handle of a texture, sampler or surface. An array of them has an address of 64 bits."""
    is_address = isinstance(operand, Symbol) and operand.element and type_.bits == 64
    return isinstance(operand, Symbol) and operand.space in OPAQUE and not is_address


def _widens(spec: Spec, operand: Reg | Sreg, type_: ScalarType) -> bool:
    """Whether a register may be wider as far as floating point is concerned."""
    return not (spec.integral and "f" in (operand.type.kind, type_.kind))


def holds_floats(inst: Instance, spec: Spec) -> bool:
    """Whether integer registers may hold a floating-point operand."""
    return spec.holding if isinstance(spec.holding, bool) else spec.holding.eval(inst) is True


def _held(inst: Instance, spec: Spec, operand: Reg | Sreg, type_: ScalarType) -> bool:
    """Whether an integer register may hold a floating-point operand here."""
    return (
        holds_floats(inst, spec) and type_.kind == "f" and operand.type.kind in "us" and operand.type.bits == type_.bits
    )


def takes_pairs(inst: Instance, spec: Spec, type_: ScalarType) -> bool:
    """Whether a register of a pair may hold an operand. ptxas takes one for an integer of the type that the opcode names, and
    for bits; not where an operand has a type of its own."""
    if spec.pairs is not None:
        return spec.pairs
    own = type_.kind in "us" and spec.fixed
    return not own or any(slot.values == (type_.name,) for slot in inst.form.slots)


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
        if operand.is_float or operand.value not in spec.values:
            raise _range_error(inst, name, spec, operand)
        return
    if literal_fits(operand, type_) and (spec.doubles or not _cut_double(operand, type_)):
        return
    if not operand.is_float or (type_.kind == "f" and not spec.doubles):
        wants = (
            f"a literal such as {1.0 if type_.bits == 64 else '0f3F800000'}"
            if type_.name in ("f32", "f64")
            else "a register"
        )
        raise kind_error(inst.form, name, operand, f"{wants} of type .{type_}")
    raise kind_error(inst.form, name, operand, f"an integer or a register of type .{type_}")


def _cut_double(operand: Imm, type_: ScalarType) -> bool:
    """Whether a literal is a double, and the type has fewer bits."""
    return operand.is_float and operand.float_bits != 32 and type_.bits < 64


def literal_fits(operand: Imm, type_: ScalarType) -> bool:
    """Whether a literal may stand for a type: integers for integers, 0f… for 32 bits, 0d… and 1.5 for 64, all for f32 and f64."""
    if not operand.is_float:
        return type_.kind in "busp"
    if type_.name in ("f32", "f64"):
        return True
    return type_.name == ("b32" if operand.float_bits == 32 else "b64")


def check_widths(inst: Instance) -> list[Diagnostic]:
    """Immediates of which the instruction takes the lowest bits alone, or that are not the number that they look like: ptxas
    says no word of it."""
    out: list[Diagnostic] = []
    for name, operand in inst.operands.items():
        if not isinstance(operand, Imm | Vec):
            continue
        spec, type_ = inst.form.operands[name], inst.type_of(name)
        if type_ is None or (spec.values is not None and not (isinstance(spec.values, Range) and spec.values.bits)):
            continue
        for item in operand.items if isinstance(operand, Vec) else (operand,):
            said = _lost(item, spec, type_) if isinstance(item, Imm) else None
            if said is not None:
                text, way = f"operand `{name}` of `{inst.opcode}` is {item}, {said[0]}", said[1]
                out.append(Diagnostic("PTX0107", text, help=way, isa=inst.form.isa, severity=Severity.WARNING))
    return out


def _lost(item: Imm, spec: Spec, type_: ScalarType) -> tuple[str, str] | None:
    """What becomes of a number that is not taken as it stands, and the way out."""
    if not item.is_float:
        low, high = -(1 << (type_.bits - 1)), (1 << type_.bits) - 1
        if type_.kind not in "bus" or low <= item.value <= high:
            return None
        return (
            f"which does not fit .{type_}: its upper bits are lost",
            f"an immediate of .{type_} lies between {low} and {high}",
        )
    single = item.float_bits == 32
    if single and type_.name == "f64":
        return f"which stands for its bits there, not for {item.number}", f"write {item.number}"
    if (32 if single else 64) <= type_.bits or (type_.name == "f32" and not spec.cut):
        return None
    if single:
        return f"of which the lowest {type_.bits} bits are taken", "write the bits as an integer"
    return f"a double of which the lowest {type_.bits} bits are taken", "write 0f… with the bits of a single number"


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
