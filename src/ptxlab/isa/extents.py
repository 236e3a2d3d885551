"""How the bytes of one access lie: the named kinds of footprints.

In a row the quantities are terms; `ptxlab.isa.action` gives the same kinds with numbers, None where a register decides.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any, Generic, TypeAlias, TypeVar

from ptxlab.isa.terms import Facts, Term

Q = TypeVar("Q")
Known: TypeAlias = int | None
"""A number, or None where it is known only when the instruction runs."""


@dataclass(frozen=True, slots=True, eq=False)
class Run(Generic[Q]):
    """One run of `bytes` bytes from the address of each thread."""

    bytes: Q


@dataclass(frozen=True, slots=True, eq=False)
class Rows(Generic[Q]):
    """`rows` rows of `bytes` bytes each: lane i of the warp gives the address of row i, for all lanes together."""

    rows: Q
    bytes: Q


@dataclass(frozen=True, slots=True, eq=False)
class Lines(Generic[Q]):
    """A matrix at one address for the whole warp: `lines` lines of `bits` bits each, `stride` bits from one to the next."""

    lines: Q
    bits: Q
    stride: Q


@dataclass(frozen=True, slots=True, eq=False)
class Matrix(Generic[Q]):
    """What a shared-memory matrix descriptor describes: `rows` rows (of A, or of B's transpose) by `bits` bits along K.

    `transposed`: 1 where it lies M- or N-major, 0 where it lies K-major. Where the bytes lie follows from the descriptor's 64 bits.
    """

    rows: Q
    bits: Q
    transposed: Q


@dataclass(frozen=True, slots=True, eq=False)
class Box(Generic[Q]):
    """A box of a tensor, whose extent and type the tensor map gives.

    side: "tensor" for the elements in global memory that the coordinates name, "shared" for their dense copy at the address.
    map, coords, offsets: the operands that say which box; `mode`: how the tensor is walked (tile, im2col, tile::gather4 …).
    """

    side: str
    mode: str | Q
    map: str = "map"
    coords: str = "coords"
    offsets: str | None = None


Extent: TypeAlias = Run[Q] | Rows[Q] | Lines[Q] | Matrix[Q] | Box[Q]


def known(extent: Extent[Term], facts: Facts) -> Extent[Known]:
    """The same kind of extent with numbers for terms."""
    made: Any = type(extent)
    return made(**{f.name: _value(getattr(extent, f.name), facts) for f in fields(extent)})


def _value(found: Any, facts: Facts) -> Any:
    """A field as it is; a term's value, None where that is neither a number nor a word."""
    if not isinstance(found, Term):
        return found
    value = found.eval(facts)
    return value if isinstance(value, int | str) else None
