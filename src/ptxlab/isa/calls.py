"""What a call of an instruction gives and gets back: the operands of a row in the order of its text."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from ptxlab.isa.form import Form, Place
from ptxlab.isa.instance import Instance


class Given(NamedTuple):
    """An operand of a row.

    place, number: where its name stands. result: whether the call returns it. optional: whether it may be left out.
    """

    name: str
    place: Place
    number: int
    result: bool
    optional: bool


def operands_of(row: Form) -> Iterator[Given]:
    """Every operand, in the order of the text."""
    inst = Instance(row, "", {}, {})
    for place in row.places:
        for index, name in enumerate(place.names):
            spec = row.operands[name]
            second = place.kind == "optpair" and index == 1
            result = spec.role == "w" and "addr" not in spec.kinds
            optional = place.optional or second or (spec.when is not None and spec.when.eval(inst) is not True)
            yield Given(name, place, index, result, optional)


__all__ = ["Given", "operands_of"]
