"""What a kernel is declared with."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from ptxlab.isa.targets import Target

Extent3: TypeAlias = tuple[int, int, int]


@dataclass(frozen=True, slots=True)
class Options:
    """What `@px.kernel` was given. Extents are x, y, z."""

    target: Target
    block: Extent3
    cluster: Extent3 | None
    min_ctas: int | None
    max_registers: int | None
    name: str

    @property
    def threads(self) -> int:
        """Threads of a CTA."""
        x, y, z = self.block
        return x * y * z
