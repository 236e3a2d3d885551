"""What units share whose operations complete in groups; and for observers, who has waited for which operations."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from ptxlab.isa.effects import Group
from ptxlab.sim.engine.machine.operation import Operation, Stage
from ptxlab.sim.engine.machine.protocol import Unit
from ptxlab.sim.engine.machine.resident import lane_bits, mask_of
from ptxlab.sim.engine.units.events import Engine
from ptxlab.sim.engine.units.group_clocks import GroupClocks, group_clocks
from ptxlab.sim.engine.units.trace import COPY_LATENCY, Timeline

if TYPE_CHECKING:
    from ptxlab.ptx.program import Op
    from ptxlab.sim.engine.machine.hooks import Hooks
    from ptxlab.sim.engine.machine.protocol import MachineLike
    from ptxlab.sim.engine.machine.resident import Cluster, Warp
    from ptxlab.sim.engine.machine.trap import TrapContext

T = TypeVar("T")


def kind_of(op: Op) -> str:
    """The kind of groups that an instruction commits or waits for."""
    effect = op.inst.form.effect
    assert isinstance(effect, Group)
    return effect.group


@dataclass(slots=True)
class _Entry:
    """An operation, and the group that it belongs to in each lane.

    unread, incomplete: lanes that have yet to wait until it has read, or is complete.
    """

    operation: Operation
    group: NDArray[np.int64]
    unread: int
    incomplete: int


class _Warp:
    """The operations of a warp for which some lane has yet to wait, and the groups that each lane has committed.

    fresh: those that some lane has not waited for at all. read: those that all lanes have waited for until they had read.
    """

    __slots__ = ("committed", "fresh", "read")

    def __init__(self) -> None:
        self.committed = np.zeros(32, np.int64)
        self.fresh: list[_Entry] = []
        self.read: list[_Entry] = []

    def sort(self) -> None:
        """Lanes have waited: move entries, and drop those for which all have waited until they were complete."""
        if any(not e.incomplete for e in self.read):
            self.read = [e for e in self.read if e.incomplete]
        self.read += [e for e in self.fresh if e.incomplete and not e.unread]
        self.fresh = [e for e in self.fresh if e.unread]


def backlog_of(hook: Hooks) -> Backlog | None:
    """A backlog, where somebody listens."""
    return Backlog(hook) if hook.waited or hook.committed else None


class Backlog:
    """Operations of groups of one kind, until all their lanes have waited for them."""

    def __init__(self, hook: Hooks) -> None:
        self._notify = hook
        self._of: dict[Warp, _Warp] = {}

    def add(self, operation: Operation) -> None:
        """An operation is issued: it belongs to the group that each of its lanes commits next."""
        if self._notify.waited:
            of = self._of.setdefault(operation.warp, _Warp())
            of.fresh.append(_Entry(operation, of.committed.copy(), operation.lanes, operation.lanes))

    def commit(self, warp: Warp, mask: int, kind: str) -> None:
        """Lanes commit a group."""
        of = self._of.get(warp)
        if of is not None:
            of.committed[lane_bits(mask)] += 1
        for hook in self._notify.committed:
            hook(warp, mask, kind)

    def waited(self, warp: Warp, mask: int, pending: int | None, stage: Stage) -> None:
        """Lanes have waited for all but the latest `pending` groups; for everything with None, committed or not."""
        of = self._of.get(warp)
        if of is None:
            return
        complete = stage is Stage.COMPLETE
        found: list[tuple[Operation, int]] = []
        for entry in [*of.read, *of.fresh] if complete else of.fresh:
            lanes = mask & (entry.incomplete if complete else entry.unread)
            if lanes and pending is not None:
                lanes &= mask_of(entry.group < of.committed - pending)
            if lanes:
                found.append((entry.operation, lanes))
                entry.unread &= ~lanes
                if complete:
                    entry.incomplete &= ~lanes
        if found:
            of.sort()
            for hook in self._notify.waited:
                hook(warp, found, stage)

    def forget(self, cluster: Cluster) -> None:
        """The warps of a cluster have ended."""
        for cta in cluster.ctas:
            for warp in cta.warps:
                self._of.pop(warp, None)


class Groups(Unit, Generic[T]):
    """A unit of copies that complete in groups. of: what it keeps of each warp. backlog: for observers, where there are any."""

    def __init__(self, machine: MachineLike) -> None:
        super().__init__(machine)
        self.of: dict[Warp, T] = {}
        self.backlog = backlog_of(machine.hooks)

    @cached_property
    def clocks(self) -> GroupClocks | None:
        """When the groups end on the timeline; None where there is none."""
        return group_clocks(self.machine)

    @cached_property
    def engine(self) -> Engine:
        """The launch's engine."""
        return self.machine.unit(Engine)

    def committed(self, ctx: TrapContext) -> None:
        """The executing lanes have committed a group."""
        if self.backlog is not None:
            self.backlog.commit(ctx.warp, ctx.mask, kind_of(ctx.op))
        if self.clocks is not None:
            self.clocks.commit(ctx.warp, ctx.mask)

    def waited(self, ctx: TrapContext, pending: int | None, stage: Stage, name: str) -> None:
        """The executing lanes have waited for all but the latest `pending` groups; for everything with None. name: of the wait."""
        if self.backlog is not None:
            self.backlog.waited(ctx.warp, ctx.mask, pending, stage)
        if self.clocks is not None:
            end = self.clocks.until(ctx.warp, ctx.mask, pending)
            # the source has been read when the engine is done with it
            until = end - COPY_LATENCY if stage is Stage.READ else end
            self.machine.unit(Timeline).wait(ctx.warp, until, name, ctx.op)

    def cluster_finished(self, cluster: Cluster) -> None:
        for cta in cluster.ctas:
            for warp in cta.warps:
                self.of.pop(warp, None)
        if self.backlog is not None:
            self.backlog.forget(cluster)
        if self.clocks is not None:
            self.clocks.forget(cluster)
