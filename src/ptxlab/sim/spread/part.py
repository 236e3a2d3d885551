"""A part of a launch: it works on a copy of the memory, and what it reads and writes there is marked."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from ptxlab.sim.engine.compiled import frame as F
from ptxlab.sim.engine.compiled.emit import Handler
from ptxlab.sim.engine.compiled.layers import Layer
from ptxlab.sim.engine.compiled.memory import SHARED, SPACE_OF
from ptxlab.sim.engine.compiled.native import Block, Bytes, address
from ptxlab.sim.engine.machine.memory import Memory
from ptxlab.sim.engine.machine.observer import Observed, Observer, Turn
from ptxlab.sim.engine.machine.overlay import places_of
from ptxlab.sim.engine.machine.protocol import Pieces
from ptxlab.sim.engine.machine.resident import Cta
from ptxlab.sim.engine.machine.schedule import PATIENCE, SLICE
from ptxlab.sim.report.unwritten import Stored
from ptxlab.sim.spread.arena import Arena

_OWN = ("@P", "@S", "@B")
"""Shapes of addresses that cannot lie in global memory."""
VAIN = 1024
"""Turns in a row in which a CTA only asks for what others have to do, and nobody else gets on: then those others run elsewhere."""
UNLIKELY = 64
"""So many times longer may a cluster run that has no instruction by which it could wait for another one."""


class Cancelled(Exception):
    """Nobody wants the part any more."""


class Entangled(Exception):
    """A cluster does not end; it may be waiting for one that another process runs."""


class ArenaMemory(Memory):
    """Buffers and parameters of a launch, in an arena."""

    def __init__(self, arena: Arena) -> None:
        self.arena = arena

    def parameters(self, nbytes: int) -> Bytes:
        return self.arena.parameters[:nbytes]

    def apart(self, where: int) -> int:
        return self.arena.layout.apart(where) + address(self.arena.data)

    def attach(self, env: Block) -> None:
        """The heap of this process is not the caller's, so the launch has none."""
        origin = address(self.arena.data)
        env.set64(F.E_ARENA, origin)
        env.set64(F.E_ARENA_BYTES, len(self.arena.data))
        env.set64(F.E_READS, address(self.arena.reads) - origin)
        env.set64(F.E_WRITES, address(self.arena.writes) - origin)


class Part(Observer):
    """Marks what a part of a launch reads and writes of its arena, and ends a part that cannot go on by itself.

    Args:
        arena: the memory of the launch; see `ArenaMemory`.
        waits: whether clusters may wait for each other, or show which others run beside them.
        cancelled: asked now and then.

    Attributes:
        texts: what the kernel printed, by the index of the cluster. has_stored: what the sanitizer has seen it store, by address.

    The launch raises Cancelled and Entangled beside all else.
    """

    def __init__(self, arena: Arena, *, waits: bool = False, cancelled: Callable[[], bool] = lambda: False) -> None:
        self.texts: dict[int, str] = {}
        self.has_stored: Mapping[int, Stored] = {}
        self._arena, self._waits, self._cancelled = arena, waits, cancelled
        self._patience = PATIENCE * SLICE * (1 if waits else UNLIKELY)
        self._ended = self._ended_at = self._vain = 0

    def attach(self, machine: Observed) -> None:
        self._machine = machine
        copies = {8 * at: replace(h, logged=True) for at, h in machine.image.accesses if _reaches_global(h)}
        machine.overlay.put(Layer.COPIES, places_of(copies))

    def reached(self, view: Bytes, write: bool, pieces: Pieces | None) -> None:
        self._arena.mark(view, write, pieces)

    def printed(self, text: str, cta: Cta) -> bool:
        self.texts[cta.cluster.index] = self.texts.get(cta.cluster.index, "") + text
        return True

    def stored(self, stored: Mapping[int, Stored]) -> None:
        self.has_stored = stored

    def cluster_starts(self, index: int) -> None:
        if self._machine.resident and self._waits:
            raise Entangled  # one does not end, and the next ones become resident beside it

    def turned(self, cta: Cta, turn: Turn) -> None:
        self._vain = 0 if turn is Turn.RAN else self._vain + (turn is Turn.POLLS)
        if self._vain > VAIN * len(self._machine.resident) * self._machine.record.ctas_per_cluster:
            raise Entangled

    def slice_begins(self) -> None:
        if self._cancelled():
            raise Cancelled
        machine = self._machine
        ended = machine.report.stats.ctas + machine.env.get64(F.E_NEXT_CTA)
        if ended != self._ended:
            self._ended, self._ended_at = ended, machine.instructions
        elif machine.instructions - self._ended_at > self._patience * max(1, len(machine.resident)):
            raise Entangled

    def hangs(self) -> None:
        raise Entangled  # what it waits for may be done by another process


def _reaches_global(handler: Handler) -> bool:
    """Whether an address of the instruction may be one in global memory."""
    return any(
        isinstance(s.shape, str)
        and s.shape[0] == "@"
        and s.shape not in _OWN
        and SPACE_OF[s.type] not in (*SHARED, "local")
        for s in handler.slots
    )
