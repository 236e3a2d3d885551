"""How often a thread turns its loops: what is tried of a loop whose end depends on memory, and of one whose count is constant."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

TURNS: Final = 2
"""How often a loop that writes is turned again, where what it reads decides when it ends."""
MOST_COUNTED: Final = 256
"""The same where it is counted: its end depends on no read."""

Counted = Mapping[tuple[int, int], int]
"""By thread and head of a loop, how often it is turned because it is counted."""


@dataclass(slots=True)
class Loops:
    """The loops of a trace under way, by their heads.

    A turn is a counted one if a branch that depends on no read was taken or passed by in it, and none that depends on a read.

    Attributes:
        turns: turns that are no counted ones. counted: those that are. begun: of a turn, the reads on which branches depended and
            the branches that depended on none, until it began. constant: such branches so far.
    """

    turns: dict[int, int] = field(default_factory=dict[int, int])
    counted: dict[int, int] = field(default_factory=dict[int, int])
    begun: dict[int, tuple[int, int]] = field(default_factory=dict[int, tuple[int, int]])
    constant: int = 0

    def copy(self) -> Loops:
        return Loops(dict(self.turns), dict(self.counted), dict(self.begun), self.constant)

    def branch(self, depends: int) -> None:
        """A conditional branch, whose condition depends on these reads."""
        self.constant += depends == 0

    def back(self, head: int, control: int) -> None:
        """The way back to a head; `control`: the reads on which branches have depended so far."""
        before, constant = self.begun.get(head, (0, 0))
        kind = self.counted if control == before and self.constant > constant else self.turns
        kind[head] = kind.get(head, 0) + 1

    def enter(self, head: int, control: int, most: int) -> bool:
        """Begin a turn; false where there have been enough. most: counted ones."""
        self.begun[head] = control, self.constant
        return self.turns.get(head, 0) <= TURNS and self.counted.get(head, 0) <= most

    def turned(self, head: int) -> int:
        """How often a loop has been turned."""
        return self.turns.get(head, 0) + self.counted.get(head, 0)
