"""Variables in shared memory, and places in them."""

from __future__ import annotations

from dataclasses import dataclass, field

from ptxlab.diag import Span
from ptxlab.lang.trace.values import Address, Index, Register, whole


@dataclass(slots=True, eq=False)
class Variable:
    """One shared variable: `nbytes` at a multiple of `align`; `base` holds its address from the kernel's entry on.

    counted, located: whether its tiles were asked for the place of a byte that a register counts, and of an element.
    """

    name: str
    nbytes: int
    align: int
    base: Register
    place: Span
    offset: int = 0
    counted: bool = False
    located: bool = False
    descriptors: dict[int, Register] = field(default_factory=dict[int, Register])


@dataclass(frozen=True, slots=True)
class Location:
    """A place in a variable.

    Attributes:
        address: the place as instructions take it.
        offset, steps: how far behind the variable's start: constant bytes, and (register, bytes that it counts).
    """

    variable: Variable
    address: Address
    offset: int = 0
    steps: tuple[tuple[Register, int], ...] = ()

    def moved(self, index: Index, step: int) -> Location:
        """The place `index * step` bytes on. An int costs no instruction; a register costs one."""
        where = self.address.at(index, step)
        if isinstance(index, Register):
            return Location(self.variable, where, self.offset, (*self.steps, (index, step)))
        return Location(self.variable, where, self.offset + whole(index) * step, self.steps)
