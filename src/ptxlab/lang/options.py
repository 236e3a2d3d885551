"""What a kernel is declared with, and what it expects of a launch."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from ptxlab.diag import Span
from ptxlab.isa.targets import Target

Extent3: TypeAlias = tuple[int, int, int]


@dataclass(frozen=True, slots=True)
class MapUse:
    """What a kernel expects of a tensor map that it receives.

    Attributes:
        box: extents of the box in elements, innermost first. dtype: PTX type of the elements. swizzle: the map's swizzle.
        place: the line that says so.
    """

    box: tuple[int, ...]
    dtype: str
    swizzle: str
    place: Span

    @property
    def rank(self) -> int:
        """Dimensions of the tensor."""
        return len(self.box)


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
