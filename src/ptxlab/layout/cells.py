"""Fragments in cells: neighbouring elements that lie in one register of one thread are one cell.

So fragments of different types look alike: A of mma.m16n8k16 of bf16 and of mma.m16n8k32 of s8 are the same 16 × 8 cells, of two
and of four elements. Large ones are a part that repeats, with other threads or other registers.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ptxlab.layout.fragments import Fragment, IntArray
from ptxlab.layout.shapes import MatrixFragment

MOST = 16
"""Rows and columns of cells that are shown; of more, the part that repeats."""


@dataclass(frozen=True, slots=True)
class Step:
    """What changes from one part to the next: `cells` rows or columns further on, thread and register are this much higher."""

    cells: int
    threads: int
    registers: int


@dataclass(frozen=True, eq=False, slots=True)
class Cells:
    """Who holds what, cell by cell.

    Attributes:
        owner: int32 [rows, columns, 2]: thread and register of each cell that is shown.
        high, wide: elements in a cell, below each other and side by side.
        down, right: how the part that is shown goes on; None where it is all.
    """

    owner: IntArray
    high: int
    wide: int
    down: Step | None = None
    right: Step | None = None

    @property
    def key(self) -> tuple[object, ...]:
        """The same for fragments that look alike, whatever their elements and however they go on."""
        return self.owner.shape, self.owner.tobytes()

    def rows(self) -> list[str]:
        """What each row of cells is called: the rows of the matrix that it holds."""
        return [_span(i, self.high) for i in range(self.owner.shape[0])]

    def columns(self) -> list[str]:
        """What each column of cells is called: the columns of the matrix that it holds."""
        return [_span(i, self.wide) for i in range(self.owner.shape[1])]

    def further(self) -> list[str]:
        """How the part that is shown goes on, in words."""
        parts = [("rows", self.high, self.down), ("columns", self.wide, self.right)]
        return [_further(what, step.cells * each, step) for what, each, step in parts if step is not None]

    def text(self) -> list[str]:
        """Lines with `thread:register` at each cell."""
        shown = [[f"{t}:{r}" for t, r in row] for row in self.owner.tolist()]
        return grid_text(self.rows(), self.columns(), shown)


def grid_text(rows: Sequence[str], columns: Sequence[str], shown: Sequence[Sequence[str]]) -> list[str]:
    """A grid as lines of text, with what its rows and columns are called."""
    left, width = max(map(len, rows)), max(len(x) for row in (columns, *shown) for x in row)
    lines = [" " * left + "  " + " ".join(c.rjust(width) for c in columns)]
    return lines + [
        f"{r.rjust(left)}  " + " ".join(x.rjust(width) for x in row) for r, row in zip(rows, shown, strict=True)
    ]


def cells(fragment: Fragment, bits: int, most: int = MOST) -> Cells:
    """A fragment in cells.

    Args:
        fragment: the map.
        bits: of an element.
        most: rows and columns of cells that are shown, where the rest repeats them.
    """
    each = max(1, 32 // bits)
    owner = np.stack([fragment.owner[..., 0], fragment.owner[..., 1] // each], axis=-1)
    high, wide = next((h, w) for h, w in ((1, each), (each, 1), (1, 1)) if _alike(owner, h, w))
    owner = owner[::high, ::wide]
    down, right = _step(owner, most), _step(owner.swapaxes(0, 1), most)
    owner = owner[: down.cells if down else None, : right.cells if right else None]
    return Cells(np.ascontiguousarray(owner, np.int32), high, wide, down, right)


def of(fragment: MatrixFragment) -> Cells:
    """A named fragment in cells: of an accumulator of wgmma, which has any width, eight columns."""
    accumulator = fragment.name.startswith("wgmma") and fragment.matrix in "cd"
    return cells(fragment, fragment.bits, 8 * fragment.bits // 32 if accumulator else MOST)


def _alike(owner: IntArray, high: int, wide: int) -> bool:
    """Whether all elements of each block of such a size lie in one register."""
    if owner.shape[0] % high or owner.shape[1] % wide:
        return False
    return bool((owner == owner[::high, ::wide].repeat(high, 0).repeat(wide, 1)).all())


def _step(owner: IntArray, most: int) -> Step | None:
    """The shortest part along the first axis that repeats to the end, if there is more than `most`."""
    if len(owner) <= most:
        return None
    for count in (c for c in range(4, MOST + 1) if len(owner) % c == 0):
        more = owner[count:] - owner[:-count]
        if (more == more[0, 0]).all():
            return Step(count, int(more[0, 0, 0]), int(more[0, 0, 1]))
    return None


def _span(index: int, each: int) -> str:
    return str(index) if each == 1 else f"{index * each}–{index * each + each - 1}"


def _further(what: str, count: int, step: Step) -> str:
    changes = [f"{name} + {by}" for name, by in (("thread", step.threads), ("register", step.registers)) if by]
    return f"each further {count} {what}: {', '.join(changes)}"
