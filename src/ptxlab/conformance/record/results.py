"""What a device gave for some keys, and where two devices differ."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Ran:
    """Results, and the CRC-32 of the operands, by key."""

    results: dict[str, NDArray[np.uint8]]
    operands: dict[str, int]


NO_DETAILS: Final = (
    "a compact record says no more than that they differ: the record in a checkout of ptxlab shows where"
)


@dataclass(frozen=True, slots=True)
class Difference:
    """What the simulator computes otherwise than the chip.

    Attributes:
        key: its name.
        text: the instruction.
        count: results that differ, of `of`.
        examples: one line each: operands, the chip's results, the simulator's.
    """

    key: str
    text: str
    count: int
    of: int
    examples: tuple[str, ...]

    def __str__(self) -> str:
        shown = "".join(f"\n    {e}" for e in self.examples)
        return f"{self.key}\n  {self.text}\n  {self.count} of {self.of} differ{shown}"
