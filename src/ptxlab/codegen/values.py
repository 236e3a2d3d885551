"""Types and values of a native function under construction."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod
from typing import Final

from ptxlab.codegen.ir import PTR, T, Val
from ptxlab.codegen.records import Field, Record

NUMBER: Final = T("s", 64, 0)
BOOLEAN: Final = T("p", 1, 0)


@dataclass(frozen=True, slots=True)
class Kind:
    """The type of a value.

    Attributes:
        name: "int", "bool", "longs", "record", "elements".
        record: of a record its class. field, counts: of elements, what they are of, and the dimensions that are left.
    """

    name: str
    record: type[Record] | None = None
    field: Field | None = None
    counts: tuple[int, ...] = ()

    @property
    def llvm(self) -> T:
        """How it is kept."""
        return {"bool": BOOLEAN, "longs": PTR}.get(self.name, NUMBER)

    def __str__(self) -> str:
        if self.record:
            return self.record.__name__
        return f"{self.field.name} {[*self.counts]}" if self.field else self.name


INT, BOOL, LONGS = Kind("int"), Kind("bool"), Kind("longs")
"""Numbers of 64 bits with a sign; booleans; arrays of such numbers in the caller's memory."""


@dataclass(frozen=True, slots=True)
class Value:
    """A value of a function under construction. `constant`: its number where that is known, and booleans count as numbers."""

    kind: Kind
    val: Val
    constant: int | None = None


@dataclass(frozen=True, slots=True)
class Made:
    """A function that has been lowered: its symbol, and what it returns: kinds, none for nothing."""

    symbol: str
    results: tuple[Kind, ...]


def words_of(kind: Kind) -> int:
    """Words of an array or a record; 0 of anything else."""
    if kind.record:
        return kind.record.WORDS
    return kind.field.size * prod(kind.counts) if kind.field else 0


def returned(results: Sequence[Kind]) -> str:
    """The LLVM type of what a function returns."""
    if not results:
        return "void"
    if len(results) == 1:
        return str(results[0].llvm)
    return "{ " + ", ".join(str(k.llvm) for k in results) + " }"
