"""Entries that have run, for those who compare them: what each has done to memory, and what flags have told it."""

from __future__ import annotations

from functools import cached_property

from ptxlab.abi.copying import HostCopy
from ptxlab.sim.engine.machine.machine import Machine
from ptxlab.sim.grids.node import Node
from ptxlab.sim.order.beside import Beside, Early
from ptxlab.sim.order.board import Talk
from ptxlab.sim.order.done import Done, done, of_copy
from ptxlab.sim.order.sanitizer import Sanitizer
from ptxlab.sim.order.shadow import OPERATION


class Judged:
    """An entry that has run, for those who compare it.

    Attributes:
        node, place: what it is. machine, core, beside: of a launch.
    """

    def __init__(self, node: Node, place: int, machine: Machine | None, beside: Beside | None) -> None:
        self.node, self.place, self.machine, self.beside = node, place, machine, beside
        self._known: dict[tuple[int, int, int], Done] = {}

    @cached_property
    def core(self) -> Sanitizer:
        """The sanitizer of a launch."""
        assert self.beside is not None
        core = self.beside.core
        assert isinstance(core, Sanitizer)
        return core

    @cached_property
    def arrays(self) -> list[tuple[int, int]]:
        """Where its arrays begin and end, in the order of its arguments: findings then come in one order wherever arrays lie."""
        if isinstance(self.node.work, HostCopy):
            return [view.extent for view in (self.node.work.to, self.node.work.source)]
        inner = self.node.work.workspace
        given = {b.address: number for number, b in enumerate(self.node.work.buffers)}
        regions = sorted(self.core.regions.buffers, key=lambda r: given.get(r.base, len(given)))
        return [(r.base, r.base + r.nbytes) for r in regions if not inner or r.base != inner]

    def done(self, which: int, begin: int, end: int) -> Done:
        """What it has done to a part of an array, by its place among `arrays`, or to more of it."""
        key = which, begin, end
        if key not in self._known:
            if isinstance(self.node.work, HostCopy):
                view = (self.node.work.to, self.node.work.source)[which]
                self._known[key] = of_copy(view, writes=which == 0)
            else:
                base = self.arrays[which][0]
                region = next(r for r in self.core.regions.buffers if r.base == base)
                self._known[key] = done(region, begin, end)
        return self._known[key]

    @property
    def talk(self) -> Talk | None:
        """Of a launch, what it hands on to others by flags, and gets to know."""
        return None if self.beside is None else self.beside.talk

    def issuer(self, agent: int) -> tuple[int, int]:
        """CTA and thread of an access, or of the thread that has issued it."""
        threads = self.core.threads
        if not agent & OPERATION:
            return threads.thread(agent)
        one = threads.operation(agent)
        return one.at.cta, 32 * one.warp + one.lane

    @property
    def comes_early(self) -> bool:
        """Whether it may have done anything that does not come behind its griddepcontrol.wait."""
        return self.beside is not None and (bool(self.beside.early) or not self.beside.has_wait)

    @cached_property
    def early(self) -> list[Early]:
        """What it does in front of griddepcontrol.wait."""
        return [] if self.beside is None else self.beside.in_short()

    def is_far(self, other: Judged) -> bool:
        """Whether the two are launches on different devices, between which the scope .gpu does not reach."""
        mine, its = self.node.work, other.node.work
        return not isinstance(mine, HostCopy) and not isinstance(its, HostCopy) and mine.ordinal != its.ordinal
