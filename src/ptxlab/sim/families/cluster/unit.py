"""The cluster's barrier, and addresses in other CTAs' shared memory."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ptxlab.diag import Diagnostic
from ptxlab.sim.engine.compiled import frame as F
from ptxlab.sim.engine.machine.naming import cta_name, lanes_text
from ptxlab.sim.engine.machine.trap import DONE, Blocked, Outcome, Unit, Waiting, trap, unit
from ptxlab.sim.engine.units.trace import Timeline

if TYPE_CHECKING:
    from ptxlab.ptx.program import Op
    from ptxlab.sim.engine.machine.protocol import MachineLike
    from ptxlab.sim.engine.machine.resident import Cluster, Warp
    from ptxlab.sim.engine.machine.trap import TrapContext


class ClusterBarrier:
    """The barrier of one cluster.

    Attributes:
        arrived: lanes of each warp that have arrived in the current phase.
        owing: lanes that have arrived and not waited since.
        count: threads that have arrived in the current phase.
    """

    __slots__ = ("arrived", "clock", "cluster", "completed", "count", "owing", "phase", "waiting")

    def __init__(self, cluster: Cluster) -> None:
        self.cluster = cluster
        self.arrived: dict[Warp, int] = {}
        self.owing: dict[Warp, int] = {}
        self.waiting: dict[Warp, int] = {}
        self.count = self.phase = 0
        self.clock = self.completed = 0

    def missing(self) -> list[tuple[Warp, int]]:
        """Warps with living lanes that have not arrived; exited threads count as arrived."""
        out: list[tuple[Warp, int]] = []
        for cta in self.cluster.ctas:
            for warp in cta.warps:
                lacking = warp.frame.get(F.F_ALIVE) & ~self.arrived.get(warp, 0)
                if lacking:
                    out.append((warp, lacking))
        return out


@unit
class ClusterBarriers(Unit):
    """The barriers of all resident clusters."""

    def __init__(self, machine: MachineLike) -> None:
        super().__init__(machine)
        self.of: dict[Cluster, ClusterBarrier] = {}

    def get(self, cluster: Cluster) -> ClusterBarrier:
        """The barrier of a cluster."""
        found = self.of.get(cluster)
        if found is None:
            found = self.of[cluster] = ClusterBarrier(cluster)
        return found

    def settle(self, b: ClusterBarrier) -> bool:
        """Complete the phase if every living thread has arrived."""
        if not b.count or b.missing():
            return False
        b.phase += 1
        b.count = 0
        b.arrived.clear()
        b.waiting.clear()
        b.completed, b.clock = b.clock, 0
        self.machine.wake(b)
        return True

    def slice_end(self, cluster: Cluster) -> None:
        """Threads that exit arrive, and nobody says so: look again."""
        b = self.of.get(cluster)
        if b is not None and b.waiting:
            self.settle(b)

    def idle(self) -> bool:
        settled = [b for b in self.of.values() if b.waiting and self.settle(b)]
        return bool(settled)

    def cluster_finished(self, cluster: Cluster) -> None:
        self.of.pop(cluster, None)

    def deadlock_notes(self) -> list[Waiting]:
        out: list[Waiting] = []
        for b in self.of.values():
            if b.waiting:
                lacking = [f"{cta_name(w.cta)} warp {w.index} {lanes_text(m)}" for w, m in b.missing()]
                more = f" and {len(lacking) - 4} more" if len(lacking) > 4 else ""
                note = f"the cluster's barrier, phase {b.phase}, waits for {', '.join(lacking[:4])}{more}"
                out.append(Waiting(next(iter(b.waiting)), note, meets=True))
        return out


@trap("barrier.cluster.arrive")
def arrive(ctx: TrapContext, op: Op) -> Outcome:
    unit_ = ctx.machine.unit(ClusterBarriers)
    b = unit_.get(ctx.cluster)
    owing = b.owing.get(ctx.warp, 0)
    if owing & ctx.mask:
        raise Diagnostic(
            "PTX9140",
            f"{lanes_text(owing & ctx.mask)} of warp {ctx.warp.index} arrive at the cluster's barrier again without waiting",
            help="follow every barrier.cluster.arrive by a barrier.cluster.wait of the same threads",
        )
    b.owing[ctx.warp] = owing | ctx.mask
    b.arrived[ctx.warp] = b.arrived.get(ctx.warp, 0) | ctx.mask
    b.count += ctx.mask.bit_count()
    b.clock = max(b.clock, ctx.machine.unit(Timeline).now(ctx.warp))
    for hook in ctx.machine.hooks.cluster_arrived:
        hook(ctx.warp, ctx.mask, op)
    if b.count == ctx.machine.record.threads * len(ctx.cluster.ctas):
        unit_.settle(b)
    return DONE


@trap("barrier.cluster.wait")
def wait(ctx: TrapContext, op: Op) -> Outcome:
    b = ctx.machine.unit(ClusterBarriers).get(ctx.cluster)
    owing = b.owing.get(ctx.warp, 0)
    if ctx.mask & ~owing:
        raise Diagnostic(
            "PTX9140",
            f"{lanes_text(ctx.mask & ~owing)} of warp {ctx.warp.index} wait at the cluster's barrier without having arrived",
            help="every thread that waits must have executed barrier.cluster.arrive before",
        )
    if b.arrived.get(ctx.warp, 0) & ctx.mask:
        b.waiting[ctx.warp] = b.waiting.get(ctx.warp, 0) | ctx.mask
        return Blocked(on=b)
    b.owing[ctx.warp] = owing & ~ctx.mask
    ctx.machine.unit(Timeline).wait(ctx.warp, b.completed, "cluster barrier", ctx.op)
    for hook in ctx.machine.hooks.cluster_passed:
        hook(ctx.warp, ctx.mask, op)
    return DONE


@trap("griddepcontrol")
def griddepcontrol(ctx: TrapContext, op: Op) -> Outcome:
    """Of a launch that runs alone the grids before it have ended, and none after it waits; else its neighbours know more."""
    waits = op.inst.effect.order == "acquire"
    for hook in ctx.machine.hooks.grid_waits if waits else ctx.machine.hooks.grid_triggers:
        wait = hook(ctx.warp, ctx.mask, again=ctx.calls > 0)
        if wait is not None:
            return Blocked(on=wait, why="waits for the grids before its own, at griddepcontrol.wait" if waits else "")
    return DONE
