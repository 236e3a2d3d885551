"""Records: structures in an array of 32-bit words that native code (lower.py) and Python read by the same names.

A class declares its fields once, with type and count; they find their own offsets, so two never overlap and nobody counts words:

    class Cell(Record):
        writer = word()  # the agent that wrote last
        reads = word(4)  # four counts: cell.reads[2]
        rows = word(32, 32)  # a table: cell.rows[3][5]
        begin = wide()  # 64 bits
        next = link("Cell")  # a record elsewhere in the array, or none
        boxes = block(Box, 8)  # records that lie within this one: cell.boxes[2].end

A record is a place in the array: the index of its first word, and 0 is the place of none. In functions for native code (`native` in
lower.py) `Cell(index)` is the record at an index, `cell[2]` the second one behind it, `int(cell)` its index, and `if cell:` asks
whether it is one. In Python a record also has the array: `Cell(index, words)`.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from math import prod
from typing import Any, ClassVar, Final, overload

import numpy as np
from numpy.typing import NDArray

WIDE: Final = 2
"""Words of a field of 64 bits."""


@dataclass(frozen=True, slots=True)
class Field:
    """A field of a record.

    Attributes:
        name: of the field. offset: of its first word from the record's. counts: of its dimensions; none for a single element.
        kind: "word", "wide", "link" or "block". record: the name of the record that is linked or lies here.
        home: the module of the class that declares it.
    """

    name: str
    offset: int
    counts: tuple[int, ...]
    kind: str
    record: str
    home: str

    @property
    def to(self) -> type[Record]:
        """The class of the record that is linked or lies here."""
        return getattr(sys.modules[self.home], self.record)

    @property
    def size(self) -> int:
        """Words of an element."""
        return {"word": 1, "link": 1, "wide": WIDE}.get(self.kind) or self.to.WORDS

    @property
    def words(self) -> int:
        """Words of the field."""
        return self.size * prod(self.counts)


class _Declared:
    """A field as its class declares it, and how Python reads and sets it."""

    def __init__(self, kind: str, counts: tuple[int, ...], record: str = "") -> None:
        self.kind, self.counts, self.record = kind, counts, record
        self.field: Field

    def __get__(self, record: Record | None, owner: type[Record]) -> Any:
        if record is None:
            return self
        return element(record.words, record.index + self.field.offset, self.field, self.counts)

    def __set__(self, record: Record, value: int) -> None:
        store(record.words, record.index + self.field.offset, self.field, value)


def word(*counts: int) -> Any:
    """32 bits, or an array of such words."""
    return _Declared("word", counts)


def wide(*counts: int) -> Any:
    """64 bits: two words, the lower one first; or an array of them."""
    return _Declared("wide", counts)


def link(record: str, *counts: int) -> Any:
    """The place of another record, by the name of its class in the same module."""
    return _Declared("link", counts, record)


def block(record: type[Record], *counts: int) -> Any:
    """Records that lie within this one."""
    return _Declared("block", counts, record.__name__)


class Record:
    """A place in an array of words, and the fields that lie there.

    Attributes:
        WORDS: how many words a record takes. FIELDS: its fields by name, in order.
        index: of its first word; 0 where there is none. words: the array.
    """

    WORDS: ClassVar[int] = 0
    FIELDS: ClassVar[Mapping[str, Field]] = {}
    __slots__ = ("index", "words")

    def __init_subclass__(cls, at_least: int = 0) -> None:
        fields, at = dict(cls.FIELDS), cls.WORDS
        for name, declared in list(vars(cls).items()):
            if isinstance(declared, _Declared):
                field = Field(name, at, declared.counts, declared.kind, declared.record, cls.__module__)
                declared.field = fields[name] = field
                at += field.words
        setattr(cls, "FIELDS", fields)  # noqa: B010 - constants of the class, which it alone sets
        setattr(cls, "WORDS", max(at, at_least))  # noqa: B010

    def __init__(self, index: int | Record, words: Any = None) -> None:
        self.index, self.words = int(index), words

    def __getitem__(self, number: int) -> Any:
        return type(self)(self.index + number * self.WORDS, self.words)

    def __int__(self) -> int:
        return self.index

    __index__ = __int__

    def __bool__(self) -> bool:
        return self.index != 0

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Record) and self.index == other.index

    def __hash__(self) -> int:
        return hash(self.index)

    @classmethod
    def at(cls, name: str) -> int:
        """The offset of a field in words: its column in an array of rows."""
        return cls.FIELDS[name].offset

    @classmethod
    def row(cls, **values: int) -> list[int]:
        """The words of a record with these fields, and zeros elsewhere."""
        words = [0] * cls.WORDS
        record = cls(0, words)
        for name, value in values.items():
            assert name in cls.FIELDS, f"{cls.__name__} has no field {name}"
            setattr(record, name, value)
        return words

    @classmethod
    def array(cls, words: NDArray[np.uint32], first: int, count: int) -> NDArray[Any]:
        """Records that follow one another, as a structured array that shares their memory: `array(…)["time"]`."""
        return words[first : first + count * cls.WORDS].view(_dtype(cls))


@cache
def _dtype(record: type[Record]) -> np.dtype[Any]:
    """How NumPy sees a record."""
    fields = record.FIELDS.values()
    kinds = {"word": "<u4", "link": "<u4", "wide": "<u8"}
    formats = [(kinds.get(f.kind) or _dtype(f.to), f.counts) for f in fields]
    offsets = [4 * f.offset for f in fields]
    return np.dtype(
        {"names": list(record.FIELDS), "formats": formats, "offsets": offsets, "itemsize": 4 * record.WORDS}
    )


class Elements:
    """An array within a record, or some of its dimensions; single ones are read and set by number.

    Attributes:
        index: of its first word. field: what it is of. counts: of the dimensions that are left.
    """

    __slots__ = ("counts", "field", "index", "words")

    def __init__(self, words: Any, index: int, field: Field, counts: tuple[int, ...]) -> None:
        self.words, self.index, self.field, self.counts = words, index, field, counts

    def _place(self, number: int) -> int:
        assert 0 <= number < self.counts[0], f"{self.field.name} has {self.counts[0]}, not number {number}"
        return self.index + number * self.field.size * prod(self.counts[1:])

    @overload
    def __getitem__(self, number: int) -> Any: ...
    @overload
    def __getitem__(self, number: slice) -> Any: ...
    def __getitem__(self, number: int | slice) -> Any:
        if isinstance(number, slice):
            return self.all()[number]
        return element(self.words, self._place(number), self.field, self.counts[1:])

    def __setitem__(self, number: int | slice, value: Any) -> None:
        if isinstance(number, slice):
            self.all()[number] = value
        else:
            store(self.words, self._place(number), self.field, value)

    def all(self) -> Any:
        """Its words, as an array that shares their memory, of the shape of the dimensions."""
        words = np.asarray(self.words)[self.index : self.index + self.field.size * prod(self.counts)]
        return words.reshape(self.counts) if self.field.size == 1 else words

    def __len__(self) -> int:
        return self.counts[0]


def element(words: Any, index: int, field: Field, counts: tuple[int, ...]) -> Any:
    """What lies at an index: a number, a record, or an array of what has dimensions left."""
    if counts:
        return Elements(words, index, field, counts)
    if field.kind == "word":
        return int(words[index])
    if field.kind == "wide":
        return int(words[index]) | int(words[index + 1]) << 32
    return field.to(index if field.kind == "block" else int(words[index]), words)


def store(words: Any, index: int, field: Field, value: Any) -> None:
    """Set a number, or a link."""
    assert field.kind != "block", f"{field.name} is a record: set its fields"
    words[index] = int(value) & 0xFFFF_FFFF
    if field.kind == "wide":
        words[index + 1] = int(value) >> 32
