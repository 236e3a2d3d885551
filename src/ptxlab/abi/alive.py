"""Whether the arrays of a prepared launch are still what it was made of: NumPy can move memory away under its views."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ptxlab.abi.arrays import view
from ptxlab.abi.owner import HELP
from ptxlab.abi.record import Buffer
from ptxlab.diag import Diagnostic


def check_buffers(buffers: Iterable[Buffer]) -> None:
    """Raise PTX2321 for an array that has moved since its launch was prepared."""
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
