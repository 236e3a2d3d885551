"""Asynchronous operations: how far each has come, and what it reads and writes, as data."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import IntEnum
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from ptxlab.ptx.program import Op
    from ptxlab.sim.engine.machine.resident import Cluster, Cta, Warp

NEVER = 1 << 62


class Place(NamedTuple):
    """Byte `offset` of a kernel's shared memory in a CTA; negative in the part that belongs to the system."""

    cta: Cta
    offset: int

    def at(self, cta: Cta) -> Place:
        """The same offset in another CTA."""
        return Place(cta, self.offset)

    def view(self, nbytes: int) -> NDArray[np.uint8]:
        """The bytes from here on, writable."""
        return self.cta.shared[self.offset : self.offset + nbytes]


class Stage(IntEnum):
    """How far an operation has come."""

    ISSUED = 0
    READ = 1
    WRITTEN = 2
    COMPLETE = 3


@dataclass(frozen=True, slots=True, eq=False)
class Footprint:
    """Bytes that an operation reads or writes, as runs.

    Attributes:
        space: "shared" or "global". cta: whose shared memory; None for global memory.
        starts: where each run begins: byte offsets from the kernel's first shared byte, or global addresses as the program has
            them. No order is promised, and runs of several lanes or rows may overlap.
        nbytes: bytes of each run, more than 0.
        proxy: "generic", "async", or "tensormap" for the bytes of a tensor map.
        lanes: the lane that each run belongs to, where every lane moves its own bytes; else None.
    """

    space: str
    cta: Cta | None
    starts: NDArray[np.int64]
    nbytes: NDArray[np.int64]
    proxy: str
    lanes: NDArray[np.int8] | None = None

    def places(self) -> NDArray[np.int64]:
        """Where every single byte lies, ascending, each once."""
        if not self.starts.size:
            return np.zeros(0, np.int64)
        before = np.cumsum(self.nbytes) - self.nbytes
        return np.unique(np.repeat(self.starts - before, self.nbytes) + np.arange(int(self.nbytes.sum())))


Footprints = tuple[Footprint, ...]
Touches = tuple[Callable[..., tuple[Footprints, Footprints]], *tuple[Any, ...]]
"""A function that works out what an operation reads and what it writes, and its arguments."""


class Operation:
    """Something that a unit does in the background.

    Args:
        warp, lanes, op: who issued it (lanes as a mask), and by which instruction: faults found later point there.
        read: takes the source and returns what `write` gets. write: changes the destination. complete: signals.
        after: an operation that must be complete before this one reads.
        touches: works out `reads` and `writes`; called once, and only where somebody asks. None: it touches no memory.
        group: all warps that issue it together, `warp` among them; empty: that one alone.
        signals: the mbarriers that it completes on, in each CTA that it writes to.

    Attributes:
        cluster: of the warp.
        number: 1, 2, 3 … in the order of issue within the launch; 0 before.
        awaited: whether the program has waited for it with a bulk group.
    """

    __slots__ = (
        "_touched",
        "_touches",
        "after",
        "awaited",
        "cluster",
        "complete",
        "data",
        "due",
        "group",
        "lanes",
        "number",
        "op",
        "read",
        "signals",
        "stage",
        "warp",
        "write",
    )

    def __init__(
        self,
        warp: Warp,
        lanes: int,
        op: Op,
        read: Callable[[], Any],
        write: Callable[[Any], None],
        complete: Callable[[Operation], None] | None = None,
        after: Operation | None = None,
        touches: Touches | None = None,
        group: tuple[Warp, ...] = (),
        signals: tuple[Place, ...] = (),
    ) -> None:
        self.warp, self.lanes, self.op, self.group = warp, lanes, op, group
        self.signals = signals
        self.cluster: Cluster = warp.cta.cluster
        self.read, self.write, self.complete, self.after = read, write, complete, after
        self.stage = Stage.ISSUED
        self.number = 0
        self.awaited = False
        self.due: tuple[int, int, int] = (NEVER, NEVER, NEVER)
        self.data: Any = None
        self._touches = touches
        self._touched: tuple[Footprints, Footprints] | None = None if touches else ((), ())

    @property
    def warps(self) -> tuple[Warp, ...]:
        """All warps that issued it."""
        return self.group or (self.warp,)

    @property
    def reads(self) -> Footprints:
        """What it reads before it is in stage READ. What a reduction finds at its destination is not among it."""
        return self._both()[0]

    @property
    def writes(self) -> Footprints:
        """What it writes before it is in stage WRITTEN; one footprint for each CTA. A reduction reads these bytes, too."""
        return self._both()[1]

    def _both(self) -> tuple[Footprints, Footprints]:
        if self._touched is None:
            assert self._touches is not None
            work_out, *of = self._touches
            self._touched = work_out(*of)
        return self._touched

    def step(self) -> None:
        """The next event."""
        if self.stage is Stage.ISSUED:
            self.data = self.read()
            self.stage = Stage.READ
        elif self.stage is Stage.READ:
            self.write(self.data)
            self.data = None
            self.stage = Stage.WRITTEN
        elif self.stage is Stage.WRITTEN:
            self.stage = Stage.COMPLETE
            if self.complete is not None:
                self.complete(self)
