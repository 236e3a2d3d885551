"""Which bytes an instruction touches by the addresses of its threads."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ptxlab.isa.action import Touch
from ptxlab.isa.extents import Lines, Rows, Run
from ptxlab.sim.engine.compiled.address import RANK_SHIFT, SHARED_BASE, SHARED_WINDOW, WINDOW_SHIFT
from ptxlab.sim.engine.machine.trap import TrapContext
from ptxlab.sim.order.shadow import Lines as GlobalLines
from ptxlab.sim.order.shadow import Region

if TYPE_CHECKING:
    from ptxlab.abi.multicast import Multicast
    from ptxlab.sim.engine.machine.resident import Cta

SHADOWED = ("generic", "global", "shared", "shared::cta", "shared::cluster")


@dataclass(frozen=True, slots=True)
class Reached:
    """Bytes that lanes reach: of each run its lane, where it begins in the region, and how long it is."""

    region: Region
    lanes: NDArray[np.int64]
    starts: NDArray[np.int64]
    nbytes: NDArray[np.int64]


class Regions:
    """All shadowed memory of a launch.

    Attributes:
        shared: of each resident CTA. buffers: of global memory, by address.
    """

    def __init__(self, buffers: Sequence[GlobalLines], multicasts: Sequence[Multicast] = ()) -> None:
        self._multicasts = multicasts
        self.shared: dict[Cta, Region] = {}
        self.buffers = sorted(buffers, key=lambda r: r.base)
        self._begins = np.array([r.base for r in self.buffers], np.uint64)

    def reached(self, ctx: TrapContext, touch: Touch) -> Iterator[Reached]:
        """What the executing lanes reach by an operand. Bytes outside all memory are left out: the access itself will fault."""
        lanes, addresses, size = runs_of(ctx, touch)
        if touch.space in ("generic", "global"):
            if touch.space == "generic":
                window = addresses >> np.uint64(WINDOW_SHIFT)
                shared = window == SHARED_WINDOW >> WINDOW_SHIFT
                yield from self._shared(ctx, lanes[shared], addresses[shared], size)
                lanes, addresses = lanes[window == 0], addresses[window == 0]
            for some, where in self._behind(lanes, addresses):
                yield from self.in_global(some, where, np.full(len(some), size, np.int64))
        else:
            yield from self._shared(ctx, lanes, addresses, size)

    def _behind(
        self, lanes: NDArray[np.int64], addresses: NDArray[np.uint64]
    ) -> Iterator[tuple[NDArray[np.int64], NDArray[np.uint64]]]:
        """Lanes and addresses, with those of each replica in the place of multicast addresses."""
        for found in self._multicasts:
            mine = (addresses >= found.address) & (addresses < found.address + found.nbytes)
            if mine.any():
                for first in found.replicas:
                    yield lanes[mine], addresses[mine] - np.uint64(found.address) + np.uint64(first)
                lanes, addresses = lanes[~mine], addresses[~mine]
        yield lanes, addresses

    def _shared(
        self, ctx: TrapContext, lanes: NDArray[np.int64], addresses: NDArray[np.uint64], size: int
    ) -> Iterator[Reached]:
        where = addresses & np.uint64(0xFFFF_FFFF)
        ranks = (where >> np.uint64(RANK_SHIFT)).astype(np.int64)
        offsets = (where & np.uint64((1 << RANK_SHIFT) - 1)).astype(np.int64) - SHARED_BASE
        for rank in map(int, np.unique(ranks)):
            region = self.shared.get(ctx.cluster.ctas[rank]) if rank < len(ctx.cluster.ctas) else None
            if region is None:
                continue
            mine = (ranks == rank) & (offsets >= 0) & (offsets + size <= region.nbytes)
            if mine.any():
                yield Reached(region, lanes[mine], offsets[mine], np.full(int(mine.sum()), size, np.int64))

    def in_global(
        self, lanes: NDArray[np.int64], addresses: NDArray[np.uint64], nbytes: NDArray[np.int64]
    ) -> Iterator[Reached]:
        """Runs of bytes at global addresses."""
        if not self.buffers or not len(addresses):
            return
        found = np.searchsorted(self._begins, addresses.astype(np.uint64), side="right") - 1
        for i in map(int, np.unique(found)):
            if i < 0:
                continue
            region = self.buffers[i]
            starts = (addresses - np.uint64(region.base)).astype(np.int64)
            mine = (
                (found == i) & (starts >= 0) & (starts + nbytes <= region.nbytes)
            )  # the difference may have wrapped around
            if mine.any():
                yield Reached(region, lanes[mine], starts[mine], nbytes[mine])


def runs_of(ctx: TrapContext, touch: Touch) -> tuple[NDArray[np.int64], NDArray[np.uint64], int]:
    """Lanes, addresses and bytes of each run."""
    addresses, extent = ctx.read_addr(touch.operand), touch.extent
    lanes = ctx.lanes.astype(np.int64)
    if isinstance(extent, Rows):
        lanes = lanes[lanes < (extent.rows or 0)]
        return lanes, addresses[lanes], extent.bytes or 0
    if isinstance(extent, Lines):
        lines, bits = extent.lines or 0, extent.bits or 0
        stride = extent.stride if extent.stride is not None else _stride(ctx)
        first = addresses[lanes[0]]
        starts = first + np.arange(lines, dtype=np.uint64) * np.uint64(stride // 8)
        return np.full(lines, lanes[0]), starts, bits // 8
    assert isinstance(extent, Run), f"{ctx.op.text}: {extent}"
    return lanes, addresses[lanes], extent.bytes or 0


def _stride(ctx: TrapContext) -> int:
    """Bits from one line of a matrix to the next, where a register says how many elements."""
    element = re.sub(
        r"\D", "", ctx.op.inst.mod("type") or "b16"
    )  # s4 and b1 among them, which are no types of registers
    return int(ctx.read("stride")[ctx.first_lane]) * int(element)
