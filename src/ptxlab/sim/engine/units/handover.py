"""What native code knows of a CTA that ran alone, as the units know it: barriers, who sleeps at them, and operations under way."""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ptxlab.abi.memory import bytes_at
from ptxlab.sim.engine.compiled import frame as F
from ptxlab.sim.engine.compiled.native import Block

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ptxlab.sim.engine.machine.resident import Cta, Warp

TABLE_STEP = F.MBARRIER_BYTES // 8
"""Bytes of the table of mbarriers for each byte of shared memory."""


class Queued:
    """An operation of the queue: a copy, or an arrival of each lane.

    Attributes:
        number: the order of issue. warp, pc, lanes: who, where, and for whom it is pending, as a mask.
        size: bytes of each lane's copy; 0 for an arrival. groups: the group of each lane's copy.
    """

    def __init__(self, cta: Cta, warp: Warp, block: Block) -> None:
        self._block, self._cta = block, cta
        self.warp = warp
        self.number = block.get64(F.U_NUMBER)
        self.pc, self.lanes, self.size = (block.get(at) for at in (F.U_PC, F.U_LANES, F.U_SIZE))
        self.groups = _row(block, F.U_GROUPS, np.uint32).astype(np.int64)

    @property
    def barrier(self) -> int:
        """Where in shared memory the mbarrier of an arrival is."""
        lane = (self.lanes & -self.lanes).bit_length() - 1
        table = self._cta.block.get64(F.C_MBARRIERS)
        return (int(_row(self._block, F.U_TO, np.uint64)[lane]) - table) // TABLE_STEP

    def sources(self) -> list[tuple[int, int]]:
        """Address in this process and bytes that are read, of each lane for whom the copy is pending."""
        where = _row(self._block, F.U_FROM, np.uint64).tolist()
        taken = _row(self._block, F.U_TAKEN, np.uint32).tolist()
        return [(where[lane], taken[lane]) for lane in range(F.LANES) if self.lanes >> lane & 1]

    def targets(self) -> NDArray[np.int64]:
        """Where in shared memory the bytes of these lanes go."""
        where = _row(self._block, F.U_TO, np.uint64).astype(np.int64) - self._cta.block.get64(F.C_SHARED)
        return where[[lane for lane in range(F.LANES) if self.lanes >> lane & 1]]


def read(sources: list[tuple[int, int]], size: int) -> NDArray[np.uint8]:
    """The bytes of a copy, zeros behind those that are read."""
    rows = [ctypes.string_at(where, taken).ljust(size, b"\0") for where, taken in sources]
    return np.frombuffer(b"".join(rows), np.uint8).reshape(-1, size)


class Queue:
    """The queue of a CTA that has run alone."""

    def __init__(self, cta: Cta, address: int) -> None:
        self.cta, self._block = cta, _block(address, F.QUEUE_BYTES)

    @property
    def polls(self) -> int:
        """How often an mbarrier was asked in vain."""
        return self._block.get64(F.Q_POLLS)

    @property
    def issued(self) -> int:
        """Operations since the CTA began."""
        return self._block.get64(F.Q_ISSUED)

    def committed(self, warp: Warp) -> NDArray[np.int64]:
        """Groups that each lane has committed."""
        return _row(self._block, F.Q_COMMITTED + 4 * F.LANES * warp.index, np.uint32).astype(np.int64)

    def pending(self) -> list[Queued]:
        """All operations that are under way, in the order of their issue."""
        return sorted((one for warp in self.cta.warps for one in self._of(warp)), key=lambda one: one.number)

    def _of(self, warp: Warp) -> Iterator[Queued]:
        where = self._block.get64(F.Q_FIRST + 8 * warp.index)
        while where:
            block = _block(where, F.PENDING_BYTES)
            yield Queued(self.cta, warp, block)
            where = block.get64(F.U_NEXT)


def barriers(cta: Cta) -> list[int]:
    """Where in shared memory barriers were made in native code and are live."""
    block, table = cta.block, Block(cta.slot.mbarriers)
    made = [block.get(F.C_LIVE + 4 * i) for i in range(block.get(F.C_LIVE_COUNT))]
    return [at for at in made if table.get(at * TABLE_STEP + F.M_LIVE)]


def sleepers(cta: Cta) -> list[tuple[Warp, int, int, int]]:
    """Who sleeps until a phase is over: warp, lanes, where the barrier is, and when they began. They are awake for native code."""
    out: list[tuple[Warp, int, int, int]] = []
    for warp in cta.warps:
        lanes = warp.frame.get(F.F_SLEEPING)
        if lanes:
            out.append((warp, lanes, warp.frame.get(F.F_SLEEPS_AT), warp.frame.get64(F.F_SLEPT)))
            warp.frame.set(F.F_SLEEPING, 0)
    table = Block(cta.slot.mbarriers)
    for _, _, at, _ in out:
        table.set(at * TABLE_STEP + F.M_SLEEPERS, 0)
    return sorted(out, key=lambda one: one[3])


def _block(address: int, nbytes: int) -> Block:
    return Block(bytes_at(address, nbytes))


def _row(block: Block, offset: int, dtype: Any) -> NDArray[Any]:
    return np.frombuffer(block.bytes, dtype, F.LANES, offset)
