"""Python values as operands of an instruction."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from typing import Any

import numpy as np

from ptxlab.diag import Diagnostic
from ptxlab.isa.form import Form
from ptxlab.isa.operands import Addr, Imm, Label, Minus, Not, Operand, Pair, Part, Reg, Sink, Sreg, Symbol, Vec
from ptxlab.isa.types import ScalarType
from ptxlab.lang.trace.values import Address, Negated, Register, Registers

SINK = "_"
"""Passed for a destination, it drops the result: `state="_"`."""

_PASSED = (Reg, Sreg, Imm, Symbol, Label, Not, Sink, Part, Minus, Vec, Pair, Addr)


def number(value: int | float, type_: ScalarType | None) -> Imm:
    """A Python number as an immediate: floats and whatever goes to a float type by their bits, so that none is rounded twice."""
    if type_ is not None and type_.kind == "f" and type_.bits in (32, 64):
        if type_.bits == 64:
            bits = struct.unpack("<Q", struct.pack("<d", float(value)))[0]
            return Imm(bits, f"0d{bits:016X}", 64)
        bits = int(np.float32(value).view(np.uint32))
        return Imm(bits, f"0f{bits:08X}", 32)
    if isinstance(value, float):
        return Imm(value, repr(value))
    return Imm(value, str(value))


def operand(value: Any, *, address: bool, type_: ScalarType | None) -> Operand:
    """What an instruction is given for `value`.

    Args:
        value: register, address, tile, barrier, number, NumPy scalar, sequence of these, or "_".
        address: the instruction wants an address in brackets here.
        type_: the type it wants, which decides how numbers are written.

    Raises: Diagnostic PTX0109 for anything else.
    """
    if isinstance(value, Register):
        return Addr(value.reg) if address else value.reg
    if isinstance(value, Address):
        return value.operand if address else _plain(value, type_)
    if isinstance(value, bool | np.bool_):
        return number(int(value), type_)  # pyright: ignore[reportUnknownArgumentType]
    if isinstance(value, int | float):
        return number(value, type_)
    if isinstance(value, Registers):
        return value.operand
    if isinstance(value, Negated):
        return Not(value.inner.reg)
    if isinstance(value, np.integer):
        return number(int(value), type_)  # pyright: ignore[reportUnknownArgumentType]
    if isinstance(value, np.floating) or type(value).__module__ == "ml_dtypes":
        return number(float(value), type_)  # pyright: ignore[reportUnknownArgumentType]
    where = getattr(
        value, "address", None
    )  # a tile, a barrier, a tensor map; a protocol check would cost as much as the rest
    found = where() if callable(where) else None
    if isinstance(found, Address):
        return found.operand if address else _plain(found, type_)
    if isinstance(value, Sequence) and not isinstance(value, str):
        return Vec(tuple(operand(v, address=False, type_=type_) for v in value))  # pyright: ignore[reportUnknownVariableType]
    if isinstance(value, str) and value == SINK:
        return Sink()
    if isinstance(value, _PASSED):
        return value
    raise Diagnostic("PTX0109", f"{type(value).__name__} is no operand of an instruction", help=_how_to_pass(value))


def _how_to_pass(value: object) -> str:
    """What to give instead of a value that is no operand."""
    if isinstance(value, np.ndarray):
        return (
            "arrays are parameters of a kernel, and of an epilogue by apply(function, per_column(array)); "
            "a number that Python knows is passed by itself: array[0]"
        )
    if isinstance(value, str):
        return "a label is made by k.label(); strings go to k.print alone"
    return str(
        getattr(
            type(value),
            "as_operand",
            "pass a register, a number, an address (tile, pointer.at(…)) or a tuple of registers",
        )
    )


def check_place(value: Any, wanted: object, row: Form) -> None:
    """An address is of the state space that an instruction accesses, as far as both are known. Raises: Diagnostic PTX0108."""
    if isinstance(value, Register):
        return
    where = value if isinstance(value, Address) else getattr(value, "address", None)
    place = where() if callable(where) else where
    if not isinstance(place, Address):
        return
    lies, accessed = _APART.get(place.space), _APART.get(str(wanted))
    if lies is not None and accessed is not None and lies != accessed:
        raise Diagnostic(
            "PTX0108",
            f"{place!r} lies in .{place.space}, but `{row.name}` accesses .{wanted} here",
            help=f"take the form for .{place.space}, or an address of .{wanted}",
            isa=row.isa,
        )


_APART = {
    **dict.fromkeys(("shared", "shared::cta", "shared::cluster"), "shared"),
    "global": "global",
    "local": "local",
    "const": "const",
}
"""State spaces that no address is in two of."""
_DESCRIBED = "products take descriptors, tile.descriptor()[i]; elsewhere load what lies there first"


def _plain(address: Address, type_: ScalarType | None) -> Operand:
    """An address where a register is wanted: its base, where the instruction takes an address as a number."""
    if type_ is not None and (type_.kind not in "bus" or type_.bits != address.base.type.bits):
        raise address.unread(f"a register of type .{type_} is wanted", _DESCRIBED if type_.bits == 64 else "")
    if address.offset:
        raise Diagnostic(
            "PTX0104",
            f"the address {address.operand} with its offset is no register",
            help="put it into one with .register(), which is one add",
        )
    return address.base


def signature(op: Operand) -> object:
    """All that checks may depend on: kinds, types, spaces and immediates, not which register it is."""
    kind = type(op)
    if kind is Reg:
        return op.type.name  # type: ignore[union-attr]
    if kind is Imm:
        return (op.value, op.float_bits)  # type: ignore[union-attr]
    if kind is Addr:
        base = op.base  # type: ignore[union-attr]
        what = base.type.name if isinstance(base, Reg) else base.space if isinstance(base, Symbol) else "imm"
        coords = op.coords  # type: ignore[union-attr]
        return ("[]", what, None if coords is None else signature(coords))  # pyright: ignore[reportUnknownArgumentType]
    if kind is Vec:
        items = op.items  # type: ignore[union-attr]
        return ("{}", *[i.type.name if type(i) is Reg else signature(i) for i in items])  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType]
    if kind is Not:
        return ("!", op.reg.type.name)  # type: ignore[union-attr]
    if isinstance(op, Part):
        return (".", op.which, op.reg.type.name)
    if isinstance(op, Minus):
        return ("-", signature(op.of))
    if isinstance(op, Symbol):
        return ("symbol", op.space)
    return kind
