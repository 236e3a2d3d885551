"""The machine of a part of a launch: it works on a copy of the memory and marks what it reads and writes there."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ptxlab.abi.record import LaunchRecord
from ptxlab.sim.compiled import frame as F
from ptxlab.sim.compiled.compile import code
from ptxlab.sim.compiled.emit import Handler
from ptxlab.sim.compiled.memory import SHARED, SPACE_OF
from ptxlab.sim.compiled.native import Block, Bytes, address
from ptxlab.sim.machine import faults
from ptxlab.sim.machine.machine import TRAPS_OF_TURN, Cluster, Cta, Machine, Options, Pieces
from ptxlab.sim.machine.schedule import PATIENCE, SLICE, Turn
from ptxlab.sim.observe.counting import Counting
from ptxlab.sim.spread.arena import Arena

_OWN = ("@P", "@S", "@B")
"""Shapes of addresses that cannot lie in global memory."""
VAIN = 1024
"""Turns in a row in which a CTA only asks for what others have to do, and nobody else gets on: then those others run elsewhere."""
UNLIKELY = 64
"""So many times longer may a cluster run that has no instruction by which it could wait for another one."""
_WORD = 0xFFFF_FFFF_FFFF_FFFF


class Cancelled(Exception):
    """Nobody wants the part any more."""


class Entangled(Exception):
    """A cluster makes no end and may wait for another one, which another process runs."""


@dataclass(frozen=True, kw_only=True)
class Part(Options):
    """How to run a part of a launch.

    Attributes:
        arena: the copy of the launch's memory.
        waits: whether clusters may wait for each other, or show which others run beside them.
        cancelled: asked now and then.
    """

    arena: Arena
    waits: bool = False
    cancelled: Callable[[], bool] = lambda: False


class Logged(Machine):
    """Runs parts of a launch on an arena.

    Attributes:
        printed: what the kernel printed, by the index of the cluster.

    Runs as its base does, and raises Cancelled and Entangled.
    """

    def __init__(self, record: LaunchRecord, options: Options) -> None:
        assert isinstance(options, Part)
        self.arena = options.arena
        self.printed: dict[int, str] = {}
        self._cancelled = options.cancelled
        self._waits = options.waits
        self._patience = PATIENCE * SLICE * (1 if options.waits else UNLIKELY)
        self._ended = self._ended_at = self._vain = 0
        super().__init__(record, options)
        places = [(at, replace(h, logged=True)) for at, h in self.image.accesses if _reaches_global(h)]
        found = code().handlers(h for _, h in places)
        for at, handler in places:
            self.words[at] = found[handler]

    def _parameters(self, nbytes: int) -> Bytes:
        return self.arena.parameters[:nbytes]

    def _buffers(self) -> NDArray[np.uint64]:
        table = faults.buffer_table(self.record, self.params)
        origin = address(self.arena.data)
        for row in table:
            if int(row[0]) != address(self.params):
                row[3] = (self.arena.layout.apart(int(row[0])) + origin) & _WORD
        return table

    def _environment(self) -> Block:
        env, arena = super()._environment(), self.arena
        origin = address(arena.data)
        env.set64(F.E_HEAP_BYTES, 0)  # that of this process is not the caller's
        env.set64(F.E_ARENA, origin)
        env.set64(F.E_ARENA_BYTES, len(arena.data))
        env.set64(F.E_READS, address(arena.reads) - origin)
        env.set64(F.E_WRITES, address(arena.writes) - origin)
        return env

    def global_view(self, where: int, nbytes: int, *, write: bool = False, pieces: Pieces | None = None) -> Bytes:
        found = super().global_view(where, nbytes, write=write)
        self.arena.mark(found, write, pieces)
        return found

    def write(self, text: str, cta: Cta) -> None:
        self.printed[cta.cluster.index] = self.printed.get(cta.cluster.index, "") + text

    @property
    def may_watch(self) -> bool:
        return False  # the handlers that watch know nothing of the arena; whoever waits for ever is Entangled

    def admit(self, index: int, coordinates: tuple[int, int, int]) -> Cluster:
        if self.resident and self._waits:
            raise Entangled  # a cluster that does not end gets company
        return super().admit(index, coordinates)

    def turn(self, cta: Cta, length: int, traps: int = TRAPS_OF_TURN) -> Turn:
        done = super().turn(cta, length, traps)
        self._vain = 0 if done is Turn.RAN else self._vain + (done is Turn.POLLS)
        if self._vain > VAIN * len(self.resident) * self.record.ctas_per_cluster:
            raise Entangled
        return done

    def limit(self, length: int) -> None:
        if self._cancelled():
            raise Cancelled
        ended = self.report.stats.ctas + self.env.get64(F.E_NEXT_CTA)
        if ended != self._ended:
            self._ended, self._ended_at = ended, self.instructions
        elif self.instructions - self._ended_at > self._patience * max(1, len(self.resident)):
            raise Entangled
        super().limit(length)


class Counted(Counting, Logged):
    """Runs parts of a launch on an arena, with counters."""


def _reaches_global(handler: Handler) -> bool:
    """Whether an address of the instruction may be one in global memory."""
    return any(
        isinstance(s.shape, str)
        and s.shape[0] == "@"
        and s.shape not in _OWN
        and SPACE_OF[s.type] not in (*SHARED, "local")
        for s in handler.slots
    )
