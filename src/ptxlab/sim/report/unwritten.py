"""Arrays that a launch has written in part: which of their elements nobody has written."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from ptxlab.abi import arrays
from ptxlab.abi.arrays import ArrayView
from ptxlab.abi.record import Buffer


@dataclass(frozen=True, slots=True)
class Unwritten:
    """Elements of an array that nobody has written, though the launch has written others of it.

    Attributes:
        array: the name of the array. count: how many elements these are. of: how many the array has.
        first: the index of the first.
    """

    array: str
    count: int
    of: int
    first: tuple[int, ...]

    def __str__(self) -> str:
        index = ", ".join(map(str, self.first))
        return f"nobody writes {self.count:,} of the {self.of:,} elements of `{self.array}`, first [{index}]"


@dataclass(frozen=True, slots=True)
class Stored:
    """What a launch, or a part of it, has stored into a buffer.

    Attributes:
        granule: bytes that share a bit. bits: of each granule a bit, the first one highest: whether somebody has written it.
        keeps: whether it also uses what the buffer held before: it reads a granule that it does not write, or adds to one.
    """

    granule: int
    bits: NDArray[np.uint8]
    keeps: bool

    def joined(self, other: Stored | None) -> Stored:
        """Of both parts of a launch."""
        if other is None:
            return self
        return Stored(self.granule, self.bits | other.bits, self.keeps or other.keeps)

    def lacks(self, offsets: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Of bytes at these offsets, whether nobody has written them."""
        return ~self._written()[offsets // self.granule]

    def lacks_of(self, begin: int, count: int, itemsize: int) -> NDArray[np.bool_]:
        """Of elements one behind the other, whether nobody has written them."""
        if begin % self.granule or (self.granule % itemsize and itemsize % self.granule):
            return self.lacks(begin + np.arange(count, dtype=np.int64) * itemsize)
        written = self._written()[begin // self.granule :]
        wide, narrow = itemsize // self.granule, self.granule // itemsize
        return ~(written[::wide] if wide else np.repeat(written, narrow))[:count]

    def _written(self) -> NDArray[np.bool_]:
        return np.unpackbits(self.bits).view(np.bool_)


def unwritten(buffers: Iterable[Buffer], stored: Mapping[int, Stored]) -> list[Unwritten]:
    """The arrays that a launch has written in part, and uses for nothing but what it writes. stored: by address."""
    found: list[Unwritten] = []
    for buffer in buffers:
        mine, view = stored.get(buffer.address), view_of(buffer)
        if mine is None or view is None or mine.keeps or not mine.bits.any() or (mine.bits == 0xFF).all():
            continue
        begin = view.address - buffer.address
        if view.contiguous:
            lacks = mine.lacks_of(begin, math.prod(view.shape), view.itemsize)
        else:
            lacks = mine.lacks(begin + _offsets(view))
        count = int(np.count_nonzero(lacks))
        if count:
            first = np.unravel_index(int(lacks.argmax()), view.shape)
            found.append(Unwritten(buffer.name, count, lacks.size, tuple(map(int, first))))
    return found


def _offsets(view: ArrayView) -> NDArray[np.int64]:
    """Where each element begins, seen from the first one, in the order of their indices."""
    out = np.zeros(1, np.int64)
    for extent, stride in zip(view.shape, view.strides, strict=True):
        out = (out[:, None] + np.arange(extent, dtype=np.int64) * stride).reshape(-1)
    return out


def view_of(buffer: Buffer) -> ArrayView | None:
    """The array that a buffer was made of; None where it was made of none."""
    kept: Any = buffer.array
    owner: Any = cast("tuple[Any, ...]", kept)[0] if isinstance(kept, tuple) else kept
    return arrays.view(owner) if owner is not None and arrays.is_array(owner) else None


__all__ = ["Stored", "Unwritten", "unwritten", "view_of"]
