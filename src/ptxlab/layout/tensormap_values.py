"""What a tensor map says, as values: the rules look at these, the encoder packs them."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod

from ptxlab.layout import tensormap_fields as f
from ptxlab.layout.tensormap_fields import ELEMENT_TYPES, ElementType


@dataclass(frozen=True, slots=True)
class Im2col:
    """What an im2col map has in the place of a box.

    Attributes:
        lower, upper: corners of the bounding box, one signed offset per spatial dimension (rank − 2), innermost first.
        channels: elements along the channel dimension that one copy takes (1–256).
        pixels: pixels that one copy takes (1–1024).

    Example: see TensorMap.im2col
    """

    lower: tuple[int, ...]
    upper: tuple[int, ...]
    channels: int
    pixels: int


@dataclass(frozen=True, slots=True)
class MapValues:
    """The values of a `TensorMap`, which describes them one by one; legal or not."""

    dtype: str
    address: int
    dims: tuple[int, ...]
    strides: tuple[int, ...]
    box: tuple[int, ...]
    element_strides: tuple[int, ...]
    interleave: str = "none"
    swizzle: str = "none"
    l2_promotion: str = "none"
    oob_fill: str = "zero"
    window: Im2col | None = None

    @property
    def rank(self) -> int:
        """Number of dimensions of the tensor."""
        return len(self.dims)

    @property
    def element(self) -> ElementType:
        """Element type with its size."""
        return ELEMENT_TYPES[self.dtype]

    @property
    def needs(self) -> str:
        """The least target that has such maps: "sm_90" or "sm_100"."""
        return "sm_100" if self.element.group > 1 or self.swizzle in f.NEWER_SWIZZLES else "sm_90"

    @property
    def recorded_bytes(self) -> int:
        """The box's byte count as the driver writes it into the upper half: extents divided by their element strides,
        rounded down (so 0 where a stride exceeds an extent). A copy moves `tile_box(map).nbytes`, which can differ."""
        if self.window is not None:
            return self.element.shared_bytes(self.window.channels * self.window.pixels)
        return self.element.shared_bytes(prod(map(int.__floordiv__, self.box, self.element_strides)))
