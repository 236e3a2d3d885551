"""Several operands in one pair of brackets: a tensor map with coordinates, or a list of values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from ptxlab.isa.form import Form, Place
from ptxlab.isa.mismatch import kind_error
from ptxlab.isa.operands import Addr, Operand, Vec


def apart(row: Form, place: Place, operand: Operand) -> dict[str, Operand]:
    """The operands by name. Raises Diagnostic, without a place, where they are others or too few.

    The address of a tensor map keeps its coordinates.
    """
    first, *between, last = place.names
    if not isinstance(operand, Addr) or operand.coords is None:
        wants = "a tensor address `[map, {coordinates}]`" if place.kind == "tensor" and not between else _wanted(place)
        raise kind_error(row, first, operand, wants)
    if place.kind == "tensor" and not between:
        return {first: operand, last: operand.coords}
    if len(between) != len(operand.between):
        raise kind_error(row, first, operand, _wanted(place))
    middle = dict(zip(between, operand.between, strict=True))
    if place.kind == "tensor":
        return {first: replace(operand, between=()), **middle, last: operand.coords}
    if operand.offset or operand.written or operand.unified:
        raise kind_error(row, first, operand, _wanted(place))
    coords = operand.coords
    return {first: operand.base, **middle, last: coords.items[0] if coords.bare else coords}


def _wanted(place: Place) -> str:
    return f"`[{', '.join(place.names)}]`"


def together(place: Place, named: Mapping[str, Operand]) -> Operand:
    """The operand of a place as it stands in the text: the inverse of `apart`."""
    first = named[place.names[0]]
    if place.kind not in ("tensor", "list"):
        return first
    between = tuple(named[name] for name in place.names[1:-1])
    if place.kind == "tensor":
        return replace(first, between=between) if between and isinstance(first, Addr) else first
    last = named[place.names[-1]]
    coords = last if isinstance(last, Vec) else Vec((last,), bare=True)
    return Addr(first, 0, coords, between=between)  # type: ignore[arg-type]  (what fits no row is said when it is checked)
