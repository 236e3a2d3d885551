"""Names that kernels give to places in shared memory, as far as families know more of them than the program's variables say."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, TypeAlias

from ptxlab.abi.record import LaunchRecord


class Declared(NamedTuple):
    """An array that lies in shared memory: its name, how far behind its start the place is, and whether it has one element."""

    name: str
    inner: int
    alone: bool


Names: TypeAlias = Callable[[LaunchRecord, int], Declared | None]
_names: list[Names] = []


def names_shared(found: Names) -> Names:
    """Register the function as one that knows what is declared at an offset into shared memory."""
    _names.append(found)
    return found


def declared_at(record: LaunchRecord, offset: int) -> Declared | None:
    """What a kernel declares at an offset into its shared memory; None where no family knows."""
    return next((known for names in _names if (known := names(record, offset)) is not None), None)
