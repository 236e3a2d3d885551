"""Operands in braces, and any operand against its row.

ptxas gives a vector one type: that of its elements where they agree, else bits of their width. Elements of different
types may stand side by side when one of the two is untyped, or both are integers.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

from ptxlab.diag import Diagnostic, Severity
from ptxlab.isa.instance import Instance, type_of
from ptxlab.isa.mismatch import KIND, kind_error, wants
from ptxlab.isa.operands import Imm, Operand, Reg, Sink, Sreg, Vec
from ptxlab.isa.scalars import check_scalar, holds_floats, literal_fits, takes_pairs, wider, widest
from ptxlab.isa.specs import Spec
from ptxlab.isa.terms import lift
from ptxlab.isa.types import TYPES, ScalarType, register_fits

_INTEGER = ScalarType("integer", 64, "s")
"""What a number without a point is."""


def check_operand(inst: Instance, name: str, operand: Operand) -> None:
    """An operand of any kind. Raises: Diagnostic, without a place."""
    spec = inst.form.operands[name]
    count = None if spec.count is None else spec.count.eval(inst)
    if not isinstance(count, int) or not (spec.always_vector or count > 1):
        if isinstance(operand, Vec) and len(operand.items) in (1, 2, 4) and _is_spare(inst, spec):
            _check_for_one(inst, name, spec, operand)
        else:
            check_scalar(inst, name, spec, operand)
        return
    if spec.lone and isinstance(operand, Sink):
        return
    if spec.alone and isinstance(operand, Reg | Imm):
        _check_alone(inst, name, spec, operand)
        return
    if not isinstance(operand, Vec):
        raise kind_error(inst.form, name, operand, f"a vector of {count} in braces")
    if len(operand.items) != count and not _overlooked(inst, spec, operand, count):
        raise Diagnostic(
            "PTX0106",
            f"operand `{name}` of `{inst.opcode}` has {len(operand.items)} registers, but takes {count}",
            help=f"give {count} registers in braces",
            isa=inst.form.isa,
        )
    _check_numbers_beside_elements(inst, name, operand)
    if operand.bare and not (spec.bare and isinstance(operand.items[0], Reg)):
        raise kind_error(inst.form, name, operand.items[0], "braces around the coordinate")
    each: Any = None if spec.each is None else spec.each.eval(inst)
    types: tuple[str, ...] = tuple(map(str, each)) if isinstance(each, tuple) else ()  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType]
    types = (*types, *types[-1:] * (len(operand.items) - len(types)))[: len(operand.items)]
    if types:
        _check_each(inst, name, spec, operand, types)
    else:
        _check_elements(inst, name, spec, operand)
    if all(isinstance(item, Sink) for item in operand.items):
        raise kind_error(inst.form, name, operand, "a register among the elements: all of them are left out")
    _check_whole(inst, name, spec, operand)


def _overlooked(inst: Instance, spec: Spec, operand: Vec, count: int) -> bool:
    """Whether ptxas does not mind the number of coordinates: more of them in braces, or a lone register for several, but for
    textures in layers."""
    spare = _is_spare(inst, spec)
    if operand.bare:
        return spare and not (spec.each is not None and str(inst.mod("geom")).startswith("a"))
    return spare and len(operand.items) in (2, 4) and len(operand.items) > count


def _is_spare(inst: Instance, spec: Spec) -> bool:
    return spec.spare if isinstance(spec.spare, bool) else spec.spare.eval(inst) is True


def _check_for_one(inst: Instance, name: str, spec: Spec, operand: Vec) -> None:
    """Several in braces where one operand does. Of what surfaces hold, ptxas asks for as many bits altogether, and for a
    register or an integer in front."""
    if spec.wider:
        first = operand.items[0]
        if isinstance(first, Sink) or (isinstance(first, Imm) and first.is_float):
            raise kind_error(inst.form, name, first, "a register in front of the others")
        type_ = type_of(inst, spec)
        bits = min((item.type.bits for item in operand.items if isinstance(item, Reg)), default=0)
        if type_ is not None and bits < type_.bits <= bits * len(operand.items):
            spec = replace(spec, type=lift(f"b{bits}"))
    _check_elements(inst, name, spec, operand)


def _check_alone(inst: Instance, name: str, spec: Spec, operand: Reg | Imm) -> None:
    """One operand without braces where the row has several. In three dimensions ptxas takes no untyped offset so."""
    type_ = type_of(inst, spec)
    if name == "offset" and isinstance(operand, Reg) and operand.type.kind == "b" and inst.mods.get("geom") == "3d":
        raise kind_error(inst.form, name, operand, "registers in braces")
    if isinstance(operand, Reg) and spec.alone != "fits" and type_ is not None:
        wide = operand.type.bits > type_.bits and operand.type.kind != "p"
        if spec.alone == "number" or not wide:
            raise kind_error(inst.form, name, operand, "registers in braces")
        return
    check_scalar(inst, name, replace(spec, count=None), operand)


def check_spare(inst: Instance) -> list[Diagnostic]:
    """A warning for operands of which ptxas overlooks the number."""
    out: list[Diagnostic] = []
    for name, spec in inst.form.spare:
        operand = inst.operands.get(name)
        count = None if spec.count is None else spec.count.eval(inst)
        count = 1 if spec.count is None else count
        given = len(operand.items) if isinstance(operand, Vec) else int(isinstance(operand, Reg | Imm))
        if given and isinstance(count, int) and given != count:
            many = f"{given} elements" if isinstance(operand, Vec) else "no braces"
            text = f"operand `{name}` of `{inst.opcode}` has {many}, and ptxas does not count the elements"
            help = f"give {count}: " + (
                "others have no effect" if given > count else "what it takes for the others is not known"
            )
            out.append(Diagnostic("PTX0233", text, help=help, isa=inst.form.isa, severity=Severity.WARNING))
    return out


def _check_numbers_beside_elements(inst: Instance, name: str, operand: Vec) -> None:
    """ptxas puts no number beside an element of a vector register, `v.x` or `%tid.x`."""
    part = next((i for i in operand.items if isinstance(i, Reg | Sreg) and "." in i.name), None)
    number = next((i for i in operand.items if isinstance(i, Imm)), None)
    if part is not None and number is not None:
        raise Diagnostic(
            "PTX0104",
            f"operand `{name}` of `{inst.opcode}` has the number `{number}` beside `{part}`, an element of a vector register",
            help="move one of the two into a register first",
            isa=inst.form.isa,
        )


def _check_each(inst: Instance, name: str, spec: Spec, operand: Vec, types: tuple[str, ...]) -> None:
    """Elements of which the row gives each a type of its own: coordinates of a texture, special registers among them. Those
    behind the layer stand side by side as in any vector. Where registers may hold floats as integers, numbers may, but not
    all of them."""
    if operand.bare:
        spec = replace(spec, holding=False)
    bits = holds_floats(inst, spec) and not all(isinstance(i, Imm) and not i.is_float for i in operand.items)
    several = len({item.type.name for item in operand.items if isinstance(item, Reg)}) > 1
    for item, own in zip(operand.items, types, strict=True):
        if bits and isinstance(item, Imm) and not item.is_float:
            continue
        if bits and several and own == "f32" and isinstance(item, Reg) and item.type.kind == "x":
            continue
        if isinstance(item, Sreg) and item.type.bits == TYPES[own].bits and (bits or own != "f32"):
            continue  # bits without a type
        check_scalar(inst, name, replace(spec, type=lift(own)), item, in_vector=True)
    first = types.index("u32") + 1 if "u32" in types else 0
    held = [(item, t) for item in operand.items[first:] if (t := _held(item)) is not None]
    for (one, a), (other, b) in pairwise(held):
        if not _side_by_side(a, b):
            raise _apart(inst, name, operand, one, other)


def _check_elements(inst: Instance, name: str, spec: Spec, operand: Vec) -> None:
    """Elements of which the row gives one type."""
    special = "imm" in spec.kinds and not spec.always_vector  # loads and stores: not what has one element
    for item in operand.items:
        kind = KIND[type(item)]
        fits = _may_lack(inst, spec) if kind == "sink" else kind in spec.kinds or (kind == "sreg" and special)
        if not fits:
            raise kind_error(inst.form, name, item, wants(spec))
    type_ = type_of(inst, spec)
    if type_ is None:
        return
    if spec.values is not None or _how(inst, spec) == "each":
        for item in operand.items:
            check_scalar(inst, name, spec, item, in_vector=True)
        return
    held = [(item, t) for item in operand.items if (t := _held(item)) is not None]
    for (first, a), (second, b) in pairwise(held):
        if not _side_by_side(a, b):
            raise _apart(inst, name, operand, first, second)
    if _how(inst, spec) == "value":
        _check_first(inst, name, type_, operand)
    how = _how(inst, spec) if len({t.name for _, t in held}) == 1 else _MIXED
    if len(held) < len(operand.items) and "w" not in spec.role and all(isinstance(item, Imm) for item, _ in held):
        _check_lone_numbers(inst, name, spec, type_, held)
        return
    for item, t in held:
        _check_element(inst, name, spec, type_, item, held=t, how=how, whole=bool(operand.written))
    if len({item.type.bits for item in operand.items if isinstance(item, Reg | Sreg)}) > 1:
        raise Diagnostic(
            "PTX0105",
            f"operand `{name}` of `{inst.opcode}` has registers of different widths: `{operand}`",
            help="give all registers of a vector one width",
            isa=inst.form.isa,
        )


def _check_first(inst: Instance, name: str, type_: ScalarType, operand: Vec) -> None:
    """A float in front of registers that hold narrow ones: there it has 32 bits of its own."""
    first = operand.items[0]
    narrow = type_.kind == "x" or (type_.kind == "f" and type_.bits == 16)
    if narrow and isinstance(first, Imm) and first.is_float and any(isinstance(o, Reg) for o in operand.items):
        raise kind_error(inst.form, name, first, f"a register of type .{type_} in front of the others")


def _check_lone_numbers(
    inst: Instance, name: str, spec: Spec, type_: ScalarType, held: Sequence[tuple[Operand, ScalarType]]
) -> None:
    """Numbers with nothing but sinks beside them: to ptxas they have the type that they are written in, as registers have."""
    for item, own in held:
        if not _register_fits(inst, spec, type_, own, _how(inst, spec)):
            raise kind_error(inst.form, name, item, f"a register of type .{type_}, or a literal written as one")


def _may_lack(inst: Instance, spec: Spec) -> bool:
    """Whether elements may be left out."""
    return "sink" in spec.kinds if spec.sinks is None else spec.sinks.eval(inst) is True


_MIXED = "mixed"
"""In a vector of several types the width of an element counts alone."""


def _how(inst: Instance, spec: Spec) -> str:
    return spec.held if isinstance(spec.held, str) else str(spec.held.eval(inst))


def _held(item: Operand) -> ScalarType | None:
    """The type of an element; None for one that is left out. Special registers are untyped."""
    if isinstance(item, Reg):
        return item.type
    if isinstance(item, Sreg):
        return TYPES[f"b{item.type.bits}"]
    if not isinstance(item, Imm):
        return None
    return _INTEGER if not item.is_float else TYPES["f32" if item.float_bits == 32 else "f64"]


def _side_by_side(a: ScalarType, b: ScalarType) -> bool:
    if "b" in (a.kind, b.kind) or a.name == b.name:
        return True
    if a.kind == "f" or b.kind == "f":
        return a.kind == b.kind
    return {a.kind, b.kind} <= {"u", "s"}


def _apart(inst: Instance, name: str, operand: Vec, first: Operand, second: Operand) -> Diagnostic:
    return Diagnostic(
        "PTX0105",
        f"operand `{name}` of `{inst.opcode}` has elements of types that do not go together: `{first}` beside `{second}`",
        help="give all elements one type, or declare the registers untyped (.b32)",
        isa=inst.form.isa,
    )


def _check_element(
    inst: Instance, name: str, spec: Spec, type_: ScalarType, item: Operand, held: ScalarType, how: str, whole: bool
) -> None:
    if isinstance(item, Imm):
        if not _number_fits(_how(inst, spec), spec, type_, item, mixed=how == _MIXED):
            raise kind_error(inst.form, name, item, f"a literal or a register of type .{type_}")
        return
    if held.kind == "p" or not _register_fits(inst, spec, type_, held, how):
        # says the same as of an operand without braces
        check_scalar(inst, name, replace(spec, kinds=spec.kinds | {"sreg"}), item, in_vector=True)
        # mov.v4.u16 takes the lowest bits of a special register that is read whole, `%tid`; nothing takes them of one in braces
        lowest = whole and isinstance(item, Sreg) and inst.mods.get("type") == type_.name
        if not lowest:
            raise kind_error(inst.form, name, item, f"a register of type .{type_}")


def _register_fits(inst: Instance, spec: Spec, type_: ScalarType, held: ScalarType, how: str) -> bool:
    """Whether an element's type fits."""
    wide = wider(inst, spec) and type_.bits < held.bits <= widest(inst, spec)
    if spec.untyped and held.kind != "b":
        return False
    if held.kind == "x" and how != _MIXED and not takes_pairs(inst, spec, type_):
        return False
    if held.bits != type_.bits and not wide:
        return False
    if how in (_MIXED, "bits") or held.kind == "b":
        return True
    if how in ("type", "number"):
        same = held.name == type_.name or {held.kind, type_.kind} <= {"u", "s"}
        return same or (type_.name == "f64" and held.kind in "us")
    floats = held.kind in "us" and type_.name in _PLAIN_FLOATS and held.bits == type_.bits
    return floats or register_fits(held, type_, wider=wide)


_PLAIN_FLOATS = ("f16", "f32", "f64")


def _number_fits(how: str, spec: Spec, type_: ScalarType, item: Imm, *, mixed: bool) -> bool:
    """Whether a literal may stand among the elements: it has a width of its own unless there are others beside it."""
    double = item.is_float and item.float_bits != 32
    if how in ("value", "number"):
        if double and type_.kind == "x":
            return False
        return literal_fits(item, type_) or (mixed and (item.is_float or type_.kind in "bus"))
    if double and type_.bits < 64 and not spec.doubles:
        return False
    if mixed or type_.name == "f64":
        return True
    if how == "bits":
        return item.float_bits == type_.bits
    return type_.kind in "us" if not item.is_float else type_.name == "f32" and not double


def _check_whole(inst: Instance, name: str, spec: Spec, operand: Vec) -> None:
    """A vector register by its name: ptxas dies of it in some places."""
    if operand.written and isinstance(operand.items[0], Sreg):
        type_ = type_of(inst, spec)
        if "sreg" not in spec.kinds or (type_ is not None and type_.kind == "f"):
            raise kind_error(
                inst.form, name, operand, "registers in braces: mov alone reads a special register, and no floats"
            )
    if not operand.written or not isinstance(operand.items[0], Reg) or spec.whole == "yes":
        return
    if spec.whole == "once" and not any(n != name and same == operand for n, same in _vectors(inst)):
        return
    raise Diagnostic(
        "PTX0104",
        f"operand `{name}` of `{inst.opcode}` is the whole vector register `{operand}`, which ptxas does not take there",
        help=f"write its elements: `{{{', '.join(map(str, operand.items))}}}`",
        isa=inst.form.isa,
    )


def _vectors(inst: Instance) -> Iterator[tuple[str, Vec]]:
    for name, operand in inst.operands.items():
        if isinstance(operand, Vec) and operand.written:
            yield name, operand
