"""Who accesses memory, as numbers: threads of the launch, and asynchronous operations."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ptxlab.sim.engine.machine.naming import lanes_of
from ptxlab.sim.engine.machine.operation import Place
from ptxlab.sim.order.clocks import Clock
from ptxlab.sim.order.knowledge import Position
from ptxlab.sim.order.native.arena import Arena
from ptxlab.sim.order.native.state import COPY, LOST, Copy
from ptxlab.sim.order.shadow import OPERATION, Past

Words = NDArray[np.uint32]


@dataclass(slots=True)
class Started:
    """An asynchronous operation, of one lane.

    Attributes:
        site: its instruction, by number. at: the CTA that issued it. cluster, number: what clocks call it.
        warp, lane: who issued it. group: what groups it may be waited for by, or "".
        spread: whether it writes to several CTAs. copy: of a copy that machine code follows, where the arena has it.
        signals: the mbarriers that it completes on. content: the same for operations that store the same bytes to the same
            places, as they have the same instruction, source and destination, or values; 0 where that is not known.
    """

    site: int
    at: Position
    cluster: int
    number: int
    warp: int
    lane: int
    group: str
    spread: bool
    copy: Copy | None = None
    signals: tuple[Place, ...] = ()
    content: int = 0

    def in_turn(self, earlier: Started) -> bool:
        """Whether who has waited for this one has waited for an earlier one: groups of a thread are waited for in order."""
        mine, its = (
            (self.cluster, self.at, self.warp, self.lane),
            (earlier.cluster, earlier.at, earlier.warp, earlier.lane),
        )
        return bool(self.group) and (self.group, mine) == (earlier.group, its)


class Threads:
    """How threads and operations are numbered.

    Attributes:
        each: threads of a CTA, in whole warps. arena: what machine code knows. started: all asynchronous operations, by number.
    """

    def __init__(self, each: int, cluster_of: Callable[[int], int], arena: Arena) -> None:
        self.each, self.arena = each, arena
        self.started: list[Started] = []
        self._cluster_of = cluster_of

    def agent(self, cta: int, thread: int) -> int:
        """The word of a thread."""
        return cta * self.each + thread + 1

    def position(self, agent: int) -> Position:
        """Where a thread or an operation runs."""
        if agent & OPERATION:
            return self.operation(agent).at
        cta = (agent - 1) // self.each
        return Position(cta, self._cluster_of(cta))

    def operation(self, agent: int) -> Started:
        """An operation, by its word."""
        number = agent & ~OPERATION
        if not number & COPY:
            return self.started[number]
        place, lane = divmod(number & ~COPY, 32)
        copy = self.arena.copy_at(place)
        index, site = copy.cta, copy.site
        warp = (copy.warp - 1) % self.each // 32
        at, group = Position(index, self._cluster_of(index)), "cp.async-group"
        if copy.product:
            lane, group = 0, "wgmma-group"
        return Started(site, at, at.cluster, number, warp, lane, group=group, spread=False, copy=copy)

    def copy_over(self, one: Started, past: Past, clock: Clock, agent: int) -> bool:
        """Whether copies are over for whom a clock is known: their threads have waited, and are known to have.

        past: of the copy of one lane, or with LOST as lanes those of all lanes of the instruction.
        """
        copy = one.copy
        if copy is None or copy.time != past.time:
            return True  # another one has taken its place since
        times = clock.threads.get(one.at.cta)
        if copy.product:
            return self._product_over(one, times, agent)
        for lane in lanes_of(copy.lanes) if past.lanes == LOST else (one.lane,):
            end, thread = copy.ends[lane], 32 * one.warp + lane
            known = agent == self.agent(one.at.cta, thread) or (times is not None and int(times[thread]) >= end)
            if not end or not known:
                return False
        return True

    def _product_over(self, one: Started, times: Words | None, agent: int) -> bool:
        """Whether any warp of its warpgroup has waited for a product, and who knows these times of its CTA knows that."""
        for member, end in enumerate(one.copy.ends[:4].tolist() if one.copy else ()):
            first = 32 * (one.warp + member)
            mine = 0 <= agent - self.agent(one.at.cta, first) < 32
            if end and (mine or (times is not None and bool((times[first : first + 32] >= end).any()))):
                return True
        return False

    def thread(self, agent: int) -> tuple[int, int]:
        """CTA and thread of a thread's word."""
        return divmod(agent - 1, self.each)
