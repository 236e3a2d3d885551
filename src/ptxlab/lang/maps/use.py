"""What a kernel expects of the tensor maps that a launch passes."""

from __future__ import annotations

from dataclasses import dataclass

from ptxlab.diag import Span


@dataclass(frozen=True, slots=True)
class MapUse:
    """What a kernel expects of a tensor map parameter; None: anything.

    Attributes:
        rank: dimensions of the tensor. box: extents of the box in elements, innermost first.
        dtype: PTX type of the elements. swizzle: the map's swizzle. place: the line that says so.
        im2col: whether copies walk it as an im2col map. window: channels and pixels that one copy then takes.
        room: bytes of shared memory that a copy may fill, where that is all that is known of the box.
    """

    rank: int | None
    box: tuple[int, ...] | None
    dtype: str | None
    swizzle: str | None
    place: Span
    im2col: bool = False
    window: tuple[int, int] | None = None
    room: int | None = None

    def __str__(self) -> str:
        dtype = "" if self.dtype is None else f" .{self.dtype}"
        swizzle = "" if self.swizzle is None else f", swizzle {self.swizzle}"
        if not self.im2col:
            return f"boxes{'' if self.box is None else f' of {self.box}'}{dtype}{swizzle}"
        window = "" if self.window is None else f" of {self.window[0]} channels and {self.window[1]} pixels"
        return f"im2col windows{window}{dtype}{swizzle}"

    def differs(self, other: MapUse) -> bool:
        """Whether no map can be what both expect."""
        pairs = ((getattr(self, n), getattr(other, n)) for n in _COMPARED)
        return any(a is not None and b is not None and a != b for a, b in pairs)

    def both(self, other: MapUse) -> MapUse:
        """What either expects, where the two do not differ."""
        known = {n: getattr(other if getattr(self, n) is None else self, n) for n in _COMPARED}
        rooms = [u.room for u in (self, other) if u.room is not None]
        return MapUse(**known, place=self.place, room=min(rooms, default=None))


_COMPARED = ("rank", "box", "dtype", "swizzle", "im2col", "window")
