"""Variables of the modules of this process, as a GPU's context keeps them: a pointer to one is good in every later launch.

A module's variables come in with the first simulated launch that can reach them, and go with the module's Python object.
"""

from __future__ import annotations

import threading
import weakref
from collections import deque
from dataclasses import dataclass, replace

from ptxlab.abi.record import Buffer, LaunchRecord

REMEMBERED = 256
"""Variables of modules that are gone, of which reports still know."""
_modules: weakref.WeakSet[Loaded] = weakref.WeakSet()
_gone: deque[Gone] = deque(maxlen=REMEMBERED)
_lock = threading.Lock()


@dataclass(frozen=True, slots=True)
class Gone:
    """Where a variable lay whose module is gone."""

    name: str
    module: str
    address: int
    nbytes: int


class Loaded:
    """The variables of one module that have memory, by name.

    Args:
        module: what reports call it.
    """

    def __init__(self, module: str) -> None:
        self.buffers: dict[str, Buffer] = {}
        self._places: list[Gone] = []
        self._module = module
        weakref.finalize(self, _forget, self._places).atexit = False
        with _lock:
            _modules.add(self)

    def add(self, buffer: Buffer) -> None:
        """A variable that has memory now."""
        with _lock:
            self.buffers[buffer.name] = buffer
            self._places.append(Gone(buffer.name, self._module, buffer.address, buffer.nbytes))


def _forget(places: list[Gone]) -> None:
    _gone.extend(places)


def reaching(record: LaunchRecord) -> LaunchRecord:
    """The launch with all variables that pointers in memory may lead to, those of other modules included."""
    named = {b.address for b in record.buffers}
    with _lock:
        known = [b for module in _modules for b in module.buffers.values() if b.address not in named]
    if not known:
        return record
    known.sort(key=lambda b: b.address)
    return replace(record, buffers=(*record.buffers, *known), elsewhere=frozenset(b.address for b in known))


def gone(where: int) -> Gone | None:
    """The variable that lay at an address until its module went."""
    return next((g for g in reversed(list(_gone)) if g.address <= where < g.address + g.nbytes), None)


__all__ = ["Gone", "Loaded", "gone", "reaching"]
