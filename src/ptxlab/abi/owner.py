"""Whether an array's bytes still lie in the memory of the array that owns them: NumPy can move it away under its views."""

from __future__ import annotations

from typing import Any, Final

from ptxlab.diag import Diagnostic

HELP: Final = "make arrays of another size instead of resizing those that are in use"


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
