"""Operations in groups, for observers: who has waited for which. Units that nobody observes keep nothing here."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ptxlab.isa.effects import Group
from ptxlab.sim.engine.machine.operation import Operation, Stage
from ptxlab.sim.engine.machine.resident import lane_bits, mask_of

if TYPE_CHECKING:
    from ptxlab.ptx.program import Op
    from ptxlab.sim.engine.machine.hooks import Hooks
    from ptxlab.sim.engine.machine.resident import Cluster, Warp


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
