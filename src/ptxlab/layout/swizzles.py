"""Shared-memory swizzles of TMA and wgmma: 16-byte chunks that trade places within a row.

A swizzle works on absolute shared-memory addresses: some of the bits 4–6 (which chunk of 16 bytes within 128) are XORed
with the bits 7–9 (which row of 128 bytes). It is its own inverse.

| mode | chunks of a row that take part | address bits changed ^ by | repeats every |
|---|---|---|---|
| "none" | – | – | – |
| "32B" | 2 | 4 ^ 7 | 256 B |
| "64B" | 4 | 5–4 ^ 8–7 | 512 B |
| "128B" | 8 | 6–4 ^ 9–7 | 1024 B |
"""

from __future__ import annotations

from typing import Literal, TypeAlias, overload

import numpy as np
from numpy.typing import NDArray

from ptxlab.diag import Diagnostic, user_span

Swizzle: TypeAlias = Literal["none", "32B", "64B", "128B"]
SwizzleLike: TypeAlias = Literal["none", "32B", "64B", "128B", 0, 32, 64, 128] | None

SWIZZLES: tuple[Swizzle, ...] = ("none", "32B", "64B", "128B")
CHUNK = 16
"""Bytes that a swizzle moves as one."""

_SPAN: dict[str, int] = {"none": CHUNK, "32B": 32, "64B": 64, "128B": 128}
_ATOM: dict[str, int] = {"none": CHUNK, "32B": 256, "64B": 512, "128B": 1024}
_MASK: dict[str, int] = {"none": 0, "32B": 0x10, "64B": 0x30, "128B": 0x70}
_ALIAS: dict[object, Swizzle] = {None: "none", 0: "none", 32: "32B", 64: "64B", 128: "128B"}


def swizzle_mode(mode: object) -> Swizzle:
    """The swizzle in the project's spelling; 0, None, 32, 64 and 128 are aliases.

    Raises: Diagnostic PTX2112 for anything else.
    """
    for name in SWIZZLES:
        if mode == name:
            return name
    try:
        return _ALIAS[mode]
    except (KeyError, TypeError):
        raise Diagnostic(
            "PTX2112",
            f"{mode!r} is no swizzle.",
            help='use "none", "32B", "64B" or "128B"',
            origin=user_span(),
            isa="Swizzling Modes",
        ) from None


def swizzle_span(mode: SwizzleLike) -> int:
    """Bytes of a row that the mode permutes: 32, 64, 128; 16 (one chunk) for "none"."""
    return _SPAN[swizzle_mode(mode)]


def swizzle_atom(mode: SwizzleLike) -> int:
    """Bytes after which the pattern repeats: 256, 512, 1024; 16 for "none". A tile starts at a multiple of it."""
    return _ATOM[swizzle_mode(mode)]


def swizzle_mask(mode: SwizzleLike) -> int:
    """The address bits that change: `swizzled = a ^ ((a >> 3) & mask)`. 0 for "none"."""
    return _MASK[swizzle_mode(mode)]


@overload
def swizzle(address: int, mode: SwizzleLike) -> int: ...
@overload
def swizzle(address: NDArray[np.integer], mode: SwizzleLike) -> NDArray[np.integer]: ...
def swizzle(address: int | NDArray[np.integer], mode: SwizzleLike) -> int | NDArray[np.integer]:
    """Where the byte lies that an unswizzled layout has at `address`, and the other way round.

    Args:
        address: absolute shared-memory byte address, or an offset from a base that is a multiple of `swizzle_atom(mode)`;
            an int or an array of any integer type and shape, which the result keeps.
        mode: "none", "32B", "64B" or "128B".

    Raises: Diagnostic PTX2112 for an unknown mode. ISA: "Swizzling Modes".
    """
    mask = _MASK[swizzle_mode(mode)]
    return address ^ ((address >> 3) & mask)
