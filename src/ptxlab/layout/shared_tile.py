"""What a kernel declares in shared memory: where the elements of a tile lie (rows, panels and swizzle), and its mbarriers."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ptxlab.diag import Span
from ptxlab.layout.swizzles import Swizzle, swizzle, swizzle_span


@dataclass(frozen=True, slots=True)
class SharedTile:
    """A tile as it was declared.

    Attributes:
        name: of its variable. dtype: of its elements, by PTX's name. bits: of an element, 8 or more.
        shape: extents, outermost first. swizzle: how TMA writes it.
        strides: bytes from one index to the next, for all dimensions but the last.
        offset: where it starts in a block of dynamic shared memory; None where it is a variable of its own.
        linear: whether the kernel counts bytes of it, and never asks where an element lies.
    """

    name: str
    dtype: str
    bits: int
    shape: tuple[int, ...]
    swizzle: Swizzle
    strides: tuple[int, ...]
    offset: int | None = None
    linear: bool = False

    def offsets(self) -> NDArray[np.int64]:
        """The first byte of each element, counted from the tile's own: int64 of `shape`."""
        size = self.bits // 8
        rows, columns = (1, *self.shape)[-2:]
        row, column = np.indices((rows, columns))
        if self.swizzle == "none":
            matrix = row * columns * size + column * size
        else:
            span = swizzle_span(self.swizzle)
            panel, within = np.divmod(column, span // size)
            matrix = swizzle(row * span + within * size, self.swizzle) + panel * rows * span
        out = matrix.reshape(self.shape[-2:]).astype(np.int64)
        for axis in range(len(self.shape) - 3, -1, -1):
            out = np.stack([out + i * self.strides[axis] for i in range(self.shape[axis])])
        return out


MBARRIER_BYTES = 8


@dataclass(frozen=True, slots=True)
class SharedMbarriers:
    """mbarriers that lie side by side, as they were declared.

    Attributes:
        name: of their variable. count: arrivals that complete a phase. n: how many they are.
        call: what declared them, with `{}` for the count: "k.mbarrier({}, …)". place: where that stands.
        offset: where they start in a block of dynamic shared memory; None where they are a variable of their own.
    """

    name: str
    count: int
    n: int
    call: str
    place: Span
    offset: int | None = None

    def counting(self, count: int) -> str:
        """The declaration with another count."""
        return self.call.format(count)

    @property
    def nbytes(self) -> int:
        """Bytes of all of them."""
        return MBARRIER_BYTES * self.n


def element(name: str, inner: int, *, alone: bool) -> str:
    """A place in an array of elements of 8 bytes: "`full[1]`", or "`full`" where there is but one."""
    index, rest = divmod(inner, MBARRIER_BYTES)
    return f"`{name}{'' if alone else f'[{index}]'}`{f' + {rest:#x}' if rest else ''}"
