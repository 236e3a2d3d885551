"""Variables of a kernel's source, and the registers that hold them."""

from __future__ import annotations

from dataclasses import dataclass

from ptxlab.layout.fragments import Fragment


@dataclass(frozen=True, slots=True)
class Matrix:
    """A matrix in registers: `blocks` of the fragment's shape, one below the other, with elements of type `dtype`."""

    fragment: Fragment
    blocks: int
    dtype: str


@dataclass(frozen=True, slots=True)
class Variable:
    """A name of the source, from one place of the kernel on.

    Attributes:
        name: in the source. start: number of the instruction in front of which it is bound, counted in the kernel's text.
        registers: that hold it; one is its own shape (32,), a list of them (length, 32). several: whether it is a list.
        matrix: what the registers hold together, if anything.
    """

    name: str
    start: int
    registers: tuple[str, ...]
    several: bool = False
    matrix: Matrix | None = None
