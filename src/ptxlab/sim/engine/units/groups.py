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
from ptxlab.sim.engine.units.trace import COPY_LATENCY, Timeline

if TYPE_CHECKING:
    from ptxlab.ptx.program import Op
    from ptxlab.sim.engine.machine.hooks import Hooks
    from ptxlab.sim.engine.machine.protocol import MachineLike
    from ptxlab.sim.engine.machine.resident import Cluster, Warp
    from ptxlab.sim.engine.machine.trap import TrapContext

T = TypeVar("T")
_ROWS = 16


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


class Backlog:
    """Operations of groups of one kind, until all their lanes have waited for them."""

    def __init__(self, hooks: Hooks) -> None:
        self._hooks = hooks
        self._of: dict[Warp, _Warp] = {}

    def add(self, operation: Operation) -> None:
        """An operation is issued: it belongs to the group that each of its lanes commits next."""
        if self._hooks.waited:
            of = self._of.setdefault(operation.warp, _Warp())
            of.fresh.append(_Entry(operation, of.committed.copy(), operation.lanes, operation.lanes))

    def commit(self, warp: Warp, mask: int, kind: str) -> None:
        """Lanes commit a group."""
        of = self._of.get(warp)
        if of is not None:
            of.committed[lane_bits(mask)] += 1
        for hook in self._hooks.committed:
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
            for hook in self._hooks.waited:
                hook(warp, found, stage)

    def forget(self, cluster: Cluster) -> None:
        """The warps of a cluster have ended."""
        for cta in cluster.ctas:
            for warp in cta.warps:
                self._of.pop(warp, None)


class _Ends:
    """The ends of a warp's copies.

    Attributes:
        latest: of each lane, when the last of its copies so far ends.
        committed: groups that each lane has committed. groups: row g: the same as `latest`, when the lane committed group g.
    """

    __slots__ = ("committed", "groups", "latest")

    def __init__(self) -> None:
        self.latest = np.zeros(32, np.int64)
        self.committed = np.zeros(32, np.int64)
        self.groups: NDArray[np.int64] = np.zeros((_ROWS, 32), np.int64)

    def commit(self, lanes: NDArray[np.bool_]) -> None:
        rows = self.committed[lanes]
        if rows.size and int(rows.max()) >= len(self.groups):
            self.groups = np.concatenate([self.groups, np.zeros_like(self.groups)])
        self.groups[rows, np.flatnonzero(lanes)] = self.latest[lanes]
        self.committed[lanes] += 1

    def until(self, lanes: NDArray[np.bool_], pending: int | None) -> int:
        if pending is None:
            return int(self.latest[lanes].max(initial=0))
        last = self.committed[lanes] - pending - 1
        some = last >= 0
        return int(self.groups[last[some], np.flatnonzero(lanes)[some]].max(initial=0))


class GroupClocks:
    """When the copies of all warps end, by group, on the clock of the timeline.

    Kept apart from the groups themselves, which forget a copy as soon as it has happened: under `eager` that is at its issue.
    """

    def __init__(self) -> None:
        self._of: dict[Warp, _Ends] = {}

    def add(self, warp: Warp, mask: int, end: int) -> None:
        """A copy of these lanes, whose bytes are visible from `end` on."""
        latest = self._of.setdefault(warp, _Ends()).latest
        lanes = lane_bits(mask)
        latest[lanes] = np.maximum(latest[lanes], end)

    def commit(self, warp: Warp, mask: int) -> None:
        """The lanes' copies so far become a group."""
        ends = self._of.get(warp)
        if ends is not None:
            ends.commit(lane_bits(mask))

    def until(self, warp: Warp, mask: int, pending: int | None) -> int:
        """When all but the latest `pending` groups of these lanes have ended; with None all copies, in groups or not."""
        ends = self._of.get(warp)
        return 0 if ends is None else ends.until(lane_bits(mask), pending)

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
        hooks = machine.hooks
        self.backlog = Backlog(hooks) if hooks.waited or hooks.committed else None

    @cached_property
    def clocks(self) -> GroupClocks | None:
        """When the groups end on the timeline; None where there is none."""
        return GroupClocks() if self.machine.unit(Timeline).on else None

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
