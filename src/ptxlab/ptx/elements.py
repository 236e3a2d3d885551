"""Operands that take instructions of their own to compute: elements of arrays that a register names, `array[%r1+4]`, addresses
in registers of 8 or 16 bits, sums of a register or a variable's address and a number, `%r1+4`, and addresses of functions. Also
doubles of which `mov` gives each element of a vector a share.

Of a sum that has more bits than the instruction takes ptxas takes the lowest. It takes one with fewer, too, and the others are
whatever a register holds by chance: here they come from one that nobody has written."""

from __future__ import annotations

import re
import struct
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import product

from ptxlab.diag import Diagnostic
from ptxlab.isa.bind import bind, check_rules
from ptxlab.isa.instance import Instance
from ptxlab.isa.match import heads
from ptxlab.isa.operands import Addr, Element, Imm, Operand, Reg, Sum, Symbol, Vec
from ptxlab.isa.sums import takes_sum
from ptxlab.isa.types import TYPES
from ptxlab.ptx.nodes import Instruction

_LARGE = ("global", "const")  # spaces whose addresses have 64 bits
_INDEX = {16: "cvt.u32.u16", 32: "mov.b32", 64: "cvt.u32.u64"}


_NAMES_FUNCTIONS = ("mov", "call", "cvta", "isspacep")  # these take the name of a function themselves


def are_spread(opcode: str, operands: Sequence[Operand]) -> bool:
    """Whether other instructions compute one of these operands."""
    for i, operand in enumerate(operands):
        kind = operand.__class__
        if kind is Element or kind is Sum or (kind is Addr and _is_short(operand)):
            return True
        if kind is Symbol and _is_function(operand) and not opcode.startswith(_NAMES_FUNCTIONS):
            return True
        if kind is Symbol and _is_place(operand) and not _names_variables(opcode, i):
            return True
        if kind is Imm and _is_shared_double(opcode, operand):
            return True
    return False


@lru_cache(maxsize=1 << 10)
def _names_variables(opcode: str, i: int) -> bool:
    """Whether rows of the opcode take a variable's address themselves as an operand, which places count."""
    return any(
        "symbol" in form.operands[name].kinds
        for form, _ in heads(opcode)
        if i < len(form.places)
        for name in form.places[i].names
    )


def _is_place(operand: Operand) -> bool:
    """Whether it is the address of a variable and a number."""
    added = isinstance(operand, Symbol) and (operand.offset or operand.written) and not operand.indexed
    return bool(added) and isinstance(operand, Symbol) and operand.space in (*_LARGE, "shared", "local")


_SHARES = re.compile(r"mov\.v([24])\.f32")


def _is_shared_double(opcode: str, operand: Operand) -> bool:
    """Whether a vector of .f32 shares the 64 bits of a double: ptxas 13.1 to 13.5 make no single number of it first."""
    double = isinstance(operand, Imm) and operand.is_float and operand.float_bits != 32
    return double and _SHARES.fullmatch(opcode) is not None


def _shared(opcode: str, operand: Imm) -> Vec:
    """The shares of a double, the lowest first."""
    found = _SHARES.fullmatch(opcode)
    assert found is not None
    bits = int(operand.value) if operand.float_bits else struct.unpack("<Q", struct.pack("<d", operand.value))[0]
    count = int(found[1])
    each = 64 // count
    shares = [bits >> i * each & (1 << each) - 1 for i in range(count)]
    return Vec(tuple(Imm(share, f"0f{share:08X}", 32) for share in shares))


def _is_function(operand: Operand) -> bool:
    return isinstance(operand, Symbol) and operand.space == "func" and not operand.offset and not operand.written


def _is_short(operand: Operand) -> bool:
    return isinstance(operand, Addr) and isinstance(operand.base, Reg) and operand.base.type.bits in (8, 16)


def short(operands: Sequence[Operand], node: Instruction) -> Iterator[Diagnostic]:
    """A warning for each address in 8 or 16 bits, as ptxas gives it: what was computed there may have more of them; and one for
    each sum of too few. And what the row says of a double that is shared."""
    for operand in operands:
        if _is_shared_double(node.opcode, operand):
            for found in check_rules(bind(node.opcode, operands)):
                yield found.at(node.span, node.origin)
        if isinstance(operand, Addr) and _is_short(operand):
            yield Diagnostic(
                "PTX0121",
                f"the address `{operand}` of `{node.opcode}` lies in `{operand.base}`, and more bits than it has may count",
                help="convert it to 64 bits, or in shared memory to 32, with cvt",
                span=node.span,
                origin=node.origin,
            )
    yield from _narrow(operands, node)


def _narrow(operands: Sequence[Operand], node: Instruction) -> Iterator[Diagnostic]:
    """A warning for each sum that has fewer bits than the instruction takes."""
    if not any(isinstance(o, Sum) or _is_place(o) for o in operands):
        return
    asked, checked = _fitting(node.opcode, operands)
    for operand, one in zip(operands, asked, strict=True):
        if one is not operand and isinstance(one, Reg) and _bits(operand) < one.type.bits:
            yield Diagnostic(
                "PTX0122",
                f"the sum `{operand}` of `{checked.opcode}` has {_bits(operand)} bits, and {one.type.bits} are taken",
                help="convert it with cvt first: ptxas leaves the upper bits to chance",
                span=node.span,
                origin=node.origin,
            )


def spread(opcode: str, operands: Sequence[Operand], fresh: Callable[[str], str]) -> Iterator[Instance]:
    """The instruction with a register for each such operand, behind those that compute it.

    `fresh` makes names of registers.

    The index counts elements and has 32 bits, wherever it comes from; so has its product with their size.
    Raises Diagnostic where no row takes the instruction.
    """
    asked, checked = _fitting(opcode, operands)
    _check_roles(checked, operands, asked)
    made: list[Operand] = []
    for operand, one in zip(operands, asked, strict=True):
        if isinstance(operand, Addr) and _is_short(operand):
            address = Reg(fresh("%address"), TYPES["u64"])
            yield bind(f"cvt.u64.u{operand.base.type.bits}", (address, operand.base))  # type: ignore[union-attr]
            made.append(replace(operand, base=address))
            continue
        if isinstance(operand, Sum):
            held = Reg(fresh("%sum"), operand.reg.type)
            number = _number(operand.offset % (1 << held.type.bits))
            yield bind(f"add.u{held.type.bits}", (held, operand.reg, number))
            taken, made_of = _of_width(held, one, fresh)
            yield from made_of
            made.append(taken)
            continue
        if _is_place(operand) and one is not operand:
            held = Reg(fresh("%place"), TYPES[f"u{_bits(operand)}"])
            yield bind(f"mov.{held.type}", (held, operand))
            taken, made_of = _of_width(held, one, fresh)
            yield from made_of
            made.append(taken)
            continue
        if _is_function(operand):
            held = Reg(fresh("%function"), TYPES["u64"])
            yield bind("mov.u64", (held, operand))
            made.append(held)
            continue
        if isinstance(operand, Imm) and _is_shared_double(opcode, operand):
            made.append(_shared(opcode, operand))
            continue
        if not isinstance(operand, Element):
            made.append(operand)
            continue
        name, taken = next((n, o) for n, o in checked.operands.items() if _is_of(o, operand))
        if isinstance(taken, Addr):
            bits = 64 if operand.base.space in _LARGE else 32
        else:
            type_ = checked.type_of(name)
            bits = type_.bits if type_ is not None else 64
        address = Reg(fresh("%address"), TYPES[f"u{bits}"])
        yield from _computed(operand, address, fresh)
        made.append(Addr(address) if isinstance(taken, Addr) else address)
    yield bind(opcode, tuple(made))


def _first(operand: Operand) -> Operand:
    """What stands for it where rows are asked: the first element, or a register."""
    if _is_function(operand):
        return Reg(str(operand), TYPES["u64"])
    if isinstance(operand, Sum):
        return Reg(operand.reg.name, operand.reg.type)  # an object of its own, by which it is found again
    return replace(operand.base, written="[0]", indexed=True) if isinstance(operand, Element) else operand


def _bits(operand: Operand) -> int:
    """How many a sum has: of a register, or of a variable's address."""
    if isinstance(operand, Sum):
        return operand.reg.type.bits
    return 64 if isinstance(operand, Symbol) and operand.space in _LARGE else 32


def _fitting(opcode: str, operands: Sequence[Operand]) -> tuple[tuple[Operand, ...], Instance]:
    """What stands for the operands where the row is asked, and what it makes of that: a sum has its own width, or, where no row
    takes it so, another one. Raises Diagnostic where no row takes it in any width."""
    wrong: Diagnostic | None = None
    for asked in product(*(_widths(o, _names_variables(opcode, i)) for i, o in enumerate(operands))):
        try:
            checked = bind(opcode, asked)
        except Diagnostic as found:
            wrong = wrong or found
            continue
        if all(_may_be_cut(checked, o, one) for o, one in zip(operands, asked, strict=True)):
            return asked, checked
    if wrong is None:
        bind(opcode, operands)  # says what is wrong with the sum itself
    assert wrong is not None
    raise wrong


def _widths(operand: Operand, named: bool) -> Iterator[Operand]:
    """What may stand for an operand, its own width first. `named`: the instruction takes addresses of variables itself."""
    first = _first(operand)
    if _is_place(operand) and not named:
        first = Reg(str(operand), TYPES[f"u{_bits(operand)}"])
    yield first
    if isinstance(first, Reg) and (isinstance(operand, Sum) or _is_place(operand)):
        for bits in (32, 16, 64):
            if bits != first.type.bits:
                yield Reg(first.name, TYPES[f"{first.type.kind}{bits}"])


def _may_be_cut(checked: Instance, operand: Operand, one: Operand) -> bool:
    """Whether ptxas takes what stands for an operand there, where that is a sum."""
    if one is operand or not (isinstance(operand, Sum) or _is_place(operand)):
        return True
    name = next((n for n, taken in checked.operands.items() if taken is one), None)
    same = isinstance(one, Reg) and one.type.bits == _bits(operand)
    return name is not None and takes_sum(checked, name, register=isinstance(operand, Sum), same_width=same)


def _of_width(held: Reg, wanted: Operand, fresh: Callable[[str], str]) -> tuple[Reg, list[Instance]]:
    """A register of the width that is wanted, and what makes it: the lowest bits of another, or all of them below those of a
    register that nobody has written."""
    if not isinstance(wanted, Reg) or wanted.type.bits == held.type.bits:
        return held, []
    bits = wanted.type.bits
    made = Reg(fresh("%lowest"), wanted.type)
    if bits < held.type.bits:
        return made, [bind(f"cvt.u{bits}.u{held.type.bits}", (made, held))]
    upper = Reg(fresh("%upper"), TYPES[f"b{held.type.bits}"])
    return made, [bind(f"mov.b{bits}", (made, Vec((held, *[upper] * (bits // held.type.bits - 1)))))]


def _check_roles(checked: Instance, operands: Sequence[Operand], asked: Sequence[Operand]) -> None:
    """Raise for a sum or a function that the instruction would write. `asked`: what stood for each operand where the row was
    asked."""
    for operand, one in zip(operands, asked, strict=True):
        if operand is one or not (isinstance(operand, Sum) or _is_function(operand) or _is_place(operand)):
            continue
        for name, taken in checked.operands.items():
            if taken is one and checked.form.operands[name].role != "r":
                raise Diagnostic(
                    "PTX0104",
                    f"operand `{name}` of `{checked.opcode}` is `{operand}`, which cannot be written",
                    help="write to a register",
                )


def _is_of(taken: Operand, operand: Element) -> bool:
    base = taken.base if isinstance(taken, Addr) else taken
    return isinstance(base, Symbol) and base.indexed and base.name == operand.base.name


def _computed(operand: Element, address: Reg, fresh: Callable[[str], str]) -> Iterator[Instance]:
    index = Reg(fresh("%index"), TYPES["u32"])
    yield bind(_INDEX[max(16, operand.index.type.bits)], (index, operand.index))
    if operand.offset:
        yield bind("add.u32", (index, index, _number(operand.offset)))
    yield bind("shl.b32", (index, index, _number(operand.base.element.bit_length() - 1)))
    base = replace(operand.base, written="", indexed=False)
    yield bind(f"mov.{address.type}", (address, base))
    offset = index
    if address.type.bits == 64:
        offset = Reg(fresh("%offset"), TYPES["u64"])
        yield bind("cvt.u64.u32", (offset, index))
    yield bind(f"add.{address.type}", (address, address, offset))


def _number(value: int) -> Imm:
    return Imm(value, str(value))
