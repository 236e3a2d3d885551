"""Waits at the barrier of the cluster."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from ptxlab.sim.diagnose.hangs.graph import Graph
from ptxlab.sim.diagnose.hangs.waits import Found, Supplier, Waits
from ptxlab.sim.families.barriers.hang import MeetingWait
from ptxlab.sim.families.cluster.unit import ClusterBarriers


@dataclass(eq=False, slots=True)
class ClusterWait(MeetingWait):
    """Threads that wait at the barrier of their cluster."""

    kind: ClassVar[str] = "cluster"

    def target(self, graph: Graph) -> str:
        return "the barrier of the cluster"

    def supplied(self, graph: Graph) -> Iterator[Supplier]:
        for warp, lanes in graph.machine.unit(ClusterBarriers).get(self.cta.cluster).missing():
            yield from graph.by_state(warp, lanes, self.op, before=False)


class ClusterWaits(Waits):
    """Finds them."""

    units = (ClusterBarriers,)

    def in_units(self, graph: Graph) -> Iterator[Found]:
        for barrier in graph.machine.unit(ClusterBarriers).of.values():
            for warp, lanes in barrier.waiting.items():
                wanted = barrier.count + sum(m.bit_count() for _, m in barrier.missing())
                op, come = graph.stands(warp, lanes), barrier.count
                wait = ClusterWait(op, warp.cta, {warp: lanes}, come=come, wanted=wanted)
                yield wait, ("cluster", id(barrier))
