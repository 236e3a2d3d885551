"""What is found out about all threads of a test while each is run by itself: how often loops are turned, and sizes of accesses.

Accesses of different sizes that overlap are refused. The manual's model has them ordered where they overlap completely; here every
place is read and written as a whole.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from ptxlab.diag import Diagnostic
from ptxlab.memory_model.program import Step, split_place


@dataclass(slots=True)
class Noted:
    """What running threads shows that all of them have to know.

    Attributes:
        counted: see `loops.Counted`. sizes: of each place that is accessed, the bytes of the first access, and that.
    """

    counted: dict[tuple[int, int], int] = field(default_factory=dict[tuple[int, int], int])
    sizes: dict[str, tuple[int, Step]] = field(default_factory=dict[str, tuple[int, Step]])

    def check_overlaps(self) -> None:
        """Refuse places that overlap. Raises: Diagnostic PTX0602."""
        ends: dict[str, tuple[int, Step]] = {}
        for name, offset, size, step in sorted(
            ((*split_place(place), size, step) for place, (size, step) in self.sizes.items()), key=lambda one: one[:3]
        ):
            end, before = ends.get(name, (0, step))
            if offset < end:
                raise mixed(step, before)
            ends[name] = offset + size, step


def mixed(step: Step, before: Step) -> Diagnostic:
    """Two accesses overlap, and neither is all of the other."""
    message = f"`{step.text}` and `{before.text}` overlap in a part of their bytes."
    return Diagnostic("PTX0602", message, help="access each place with one size", span=step.span)
