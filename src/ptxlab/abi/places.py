"""Devices as launches know them, and which simulated one an array's memory belongs to: by its address, as on a GPU."""

from __future__ import annotations

import bisect
import threading
import weakref
from dataclasses import dataclass
from typing import Any

from ptxlab.diag import Diagnostic


@dataclass(frozen=True, slots=True)
class Place:
    """Where a launch runs.

    Attributes:
        kind: "cpu" for a simulated device, or "cuda". number: which one. peers: whether it reaches the memory of the others.
    """

    kind: str
    number: int = 0
    peers: bool = True

    def __str__(self) -> str:
        return f"device {self.number}" if self.kind == "cpu" else f"GPU {self.number}"


_lock = threading.Lock()
_begins: list[int] = []
_owned: dict[int, tuple[int, int]] = {}  # by begin: end, device


def belongs(memory: Any, number: int) -> None:
    """The bytes of a NumPy array that owns its memory belong to a simulated device, as long as the array lives."""
    begin = int(memory.__array_interface__["data"][0])
    with _lock:
        bisect.insort(_begins, begin)
        _owned[begin] = begin + memory.nbytes, number
    weakref.finalize(memory, _forget, begin).atexit = False


def _forget(begin: int) -> None:
    with _lock:
        if _owned.pop(begin, None) is not None:
            del _begins[bisect.bisect_left(_begins, begin)]


def device_at(address: int) -> int:
    """The simulated device whose memory an address lies in; 0 for memory that no device has given out."""
    if not _begins:
        return 0
    with _lock:
        at = bisect.bisect_right(_begins, address) - 1
        end, number = _owned[_begins[at]] if at >= 0 else (0, 0)
    return number if address < end else 0


def no_peer(here: Place, name: str, there: Place, why: str = "its devices were made with peers=False") -> Diagnostic:
    """What to raise where a device cannot reach an array of another one."""
    return Diagnostic(
        "PTX2343",
        f"`{name}` lies on {there}, and {here} has no access to its memory: {why}.",
        help=f"copy it to {here}, or let the devices map each other's memory",
    )


__all__ = ["Place", "belongs", "device_at", "no_peer"]
