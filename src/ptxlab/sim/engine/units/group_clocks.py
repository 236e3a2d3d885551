"""When the copies of groups end, on the clock of the timeline: what warps wait for that wait for groups.

Kept apart from the groups themselves, which forget a copy as soon as it has happened: under `eager` that is at its issue.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ptxlab.sim.engine.machine.resident import lane_bits
from ptxlab.sim.engine.units.trace import Timeline

if TYPE_CHECKING:
    from ptxlab.sim.engine.machine.protocol import MachineLike
    from ptxlab.sim.engine.machine.resident import Cluster, Warp

_ROWS = 16


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
    """When the copies of all warps end, by group."""

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


def group_clocks(machine: MachineLike) -> GroupClocks | None:
    """The clocks of one kind of groups, where the launch has a timeline."""
    return GroupClocks() if machine.unit(Timeline).on else None


__all__ = ["GroupClocks", "group_clocks"]
