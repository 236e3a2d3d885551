"""Whether arrays are still what a launch or a tensor map was made of: NumPy can move memory away under its views."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from ptxlab.diag import Diagnostic

if TYPE_CHECKING:
    from ptxlab.abi.record import Buffer

HELP = "make arrays of another size instead of resizing those that are in use"


def check_owner(array: Any, low: int, high: int) -> None:
    """Raise PTX2321 where [low, high), the bytes of a NumPy array, do not lie in the memory of the array that owns them."""
    import numpy as np

    owner = array.base
    while isinstance(owner, np.ndarray) and owner.base is not None:
        owner = owner.base
    if not isinstance(owner, np.ndarray) or low == high:
        return
    begin = int(owner.__array_interface__["data"][0])
    if not (begin <= low and high <= begin + owner.nbytes):
        raise Diagnostic(
            "PTX2321",
            f"The memory of an array of {high - low} bytes is gone: the array that owned it has been resized.",
            help=HELP,
        )


def check_buffers(buffers: Iterable[Buffer]) -> None:
    """Raise PTX2321 for an array that has moved since its launch was prepared."""
    from ptxlab.abi.arrays import view

    for b in buffers:
        held: Any = b.array
        if not isinstance(held, tuple):
            continue  # a variable of the module
        owner: Any = held[0]  # pyright: ignore[reportUnknownVariableType]
        low, high = view(owner).extent  # a buffer may be a part of its owner
        if not (low <= b.address and b.address + b.nbytes <= high):
            raise Diagnostic(
                "PTX2321",
                f"`{b.name}` is not the array any more that the launch was prepared with: it was resized.",
                help=HELP,
            )
