"""Declared structures: blocks of native memory whose fields find their own offsets.

A field is declared by its type and gets the next offset that suits the type's alignment, so two fields never overlap and
nobody counts bytes. What a declaration returns is the offset, a plain int that goes into LLVM text and into `Block.get` alike.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Field:
    """`count` elements of `size` bytes from byte `offset` on."""

    offset: int
    size: int
    count: int
    type: str

    @property
    def end(self) -> int:
        """The first byte behind it."""
        return self.offset + self.size * self.count


class Structure:
    """A block of native memory under declaration.

    Attributes:
        name: what the block is. fields: what has been declared, in order. nbytes: its size so far, or for good after `close`.
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self.fields: list[Field] = []
        self.nbytes = 0
        self._closed = False

    def _field(self, type_: str, size: int, count: int, align: int) -> int:
        assert not self._closed, f"{self.name} is closed"
        offset = -(-self.nbytes // align) * align
        field = Field(offset, size, count, type_)
        self.fields.append(field)
        self.nbytes = field.end
        return offset

    def u32(self, count: int = 1, *, align: int = 4) -> int:
        """Words of 32 bits without a sign."""
        return self._field("u32", 4, count, align)

    def i32(self, count: int = 1) -> int:
        """Words of 32 bits with a sign."""
        return self._field("i32", 4, count, 4)

    def u64(self, count: int = 1, *, align: int = 8) -> int:
        """Words of 64 bits without a sign."""
        return self._field("u64", 8, count, align)

    def pointer(self) -> int:
        """An address in this process."""
        return self._field("pointer", 8, 1, 8)

    def blocks(self, of: Structure, count: int, *, align: int = 8) -> int:
        """`count` blocks of another structure, which is closed."""
        assert of._closed, f"{of.name} has no size yet"
        return self._field(of.name, of.nbytes, count, align)

    def bytes(self, count: int, *, align: int = 1) -> int:
        """Bytes."""
        return self._field("bytes", 1, count, align)

    def close(self, *, align: int = 8, at_least: int = 0) -> int:
        """End the declaration. Returns the size of the block, a multiple of `align`."""
        self.nbytes = -(-max(self.nbytes, at_least) // align) * align
        self._closed = True
        return self.nbytes
