"""The one owner of the records' handler words: prologues by record, in layers.

Without a layer the records are what the decoder wrote. A layer has a table of what stands below it, for every record: its
prologues go on there (engine/compiled/layers.py). All tables are made anew whenever a layer changes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from ptxlab.sim.engine.compiled import frame as F
from ptxlab.sim.engine.compiled.compile import code
from ptxlab.sim.engine.compiled.emit import Handler
from ptxlab.sim.engine.compiled.layers import Layer
from ptxlab.sim.engine.compiled.native import Block, address

Places = Sequence[int] | NDArray[np.int64]
"""Program counters of records."""


class Overlay:
    """The prologues of a launch.

    Args:
        words: the records, whose handlers it changes. env: the native environment, which leads prologues to their tables.
    """

    def __init__(self, words: NDArray[np.uint64], env: Block) -> None:
        self.words, self._env = words, env
        self._decoded: NDArray[np.uint64] | None = None
        self._layers: dict[Layer, tuple[NDArray[np.int64], NDArray[np.uint64]]] = {}
        self._below: dict[Layer, NDArray[np.uint64]] = {}

    def has(self, layer: Layer) -> bool:
        """Whether a layer is there."""
        return layer in self._layers

    def put(self, layer: Layer, prologues: Mapping[Handler, Places]) -> None:
        """Give a layer these prologues, in the place of those that it has; of two for one record, the later one counts."""
        found = code().handlers(prologues)
        at = [np.asarray(places, np.int64) // 8 for places in prologues.values()]
        if not sum(map(len, at)):
            self.lift(layer)
            return
        words = [np.full(len(places), found[h], np.uint64) for h, places in zip(prologues, at, strict=True)]
        old = self._layers.get(layer)
        self._layers[layer] = np.concatenate(at), np.concatenate(words)
        self._stack(layer, old)

    def lift(self, layer: Layer) -> None:
        """Take a layer's prologues away, if it has any."""
        old = self._layers.pop(layer, None)
        if old is not None:
            self._stack(layer, old)

    def _stack(self, changed: Layer, old: tuple[NDArray[np.int64], NDArray[np.uint64]] | None) -> None:
        """Make all tables, and bring what stands on top into the records."""
        if self._decoded is None:
            self._decoded = self.words.copy()
        now = self._decoded.copy()
        for layer in sorted(self._layers, reverse=True):
            below = self._below.get(layer)
            if below is None:
                below = self._below[layer] = np.empty_like(now)
                self._env.set64(F.E_BELOW + 8 * layer, address(below))
            below[:] = now
            at, words = self._layers[layer]
            now[at] = words
        for one in (old, self._layers.get(changed)):
            if one is not None:
                self.words[one[0]] = now[one[0]]


def places_of(wanted: Mapping[int, Handler]) -> dict[Handler, list[int]]:
    """Prologues by record, the other way round."""
    out: dict[Handler, list[int]] = {}
    for pc, handler in wanted.items():
        out.setdefault(handler, []).append(pc)
    return out
