"""setmaxnreg: registers that a CTA's warps give back to its pool and take from it.

Registers of the simulator hold their values whatever the count: what is modelled is who has to wait, and for whom.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ptxlab.abi.occupancy import registers_by_directives
from ptxlab.diag import Diagnostic
from ptxlab.sim.machine.trap import DONE, Blocked, Outcome, Unit, trap, unit
from ptxlab.sim.machine.words import cta_name, lanes_text

if TYPE_CHECKING:
    from ptxlab.ptx.program import Op
    from ptxlab.sim.machine.protocol import MachineLike
    from ptxlab.sim.machine.resident import Cluster, Cta, Warp
    from ptxlab.sim.machine.trap import TrapContext


class Pool:
    """A CTA's registers: how many per thread each warp has, and how many are free, in units of one per thread of a warp."""

    def __init__(self, cta: Cta, at_entry: int) -> None:
        self.cta = cta
        self.held = [at_entry] * len(cta.warps)
        self.free = 0
        self.waiting: dict[Warp, int] = {}


@unit
class RegisterFile(Unit):
    """The pools of all resident CTAs."""

    def __init__(self, machine: MachineLike) -> None:
        super().__init__(machine)
        self.pools: dict[Cta, Pool] = {}
        self.at_entry = registers_by_directives(machine.record.program.directives)

    def pool(self, cta: Cta) -> Pool | None:
        """The pool of a CTA; None when the kernel has no cap on registers: setmaxnreg is ignored there."""
        if self.at_entry is None:
            return None
        found = self.pools.get(cta)
        if found is None:
            found = self.pools[cta] = Pool(cta, self.at_entry)
        return found

    def cluster_finished(self, cluster: Cluster) -> None:
        for cta in cluster.ctas:
            self.pools.pop(cta, None)

    def deadlock_notes(self) -> list[tuple[Warp, str]]:
        return [
            (
                warp,
                f"{cta_name(pool.cta)} warp {warp.index}: setmaxnreg.inc waits for {wanted - pool.held[warp.index]} more "
                f"registers per thread; the CTA's pool has {pool.free} for one warp",
            )
            for pool in self.pools.values()
            for warp, wanted in pool.waiting.items()
        ]


@trap("setmaxnreg")
def setmaxnreg(ctx: TrapContext, op: Op) -> Outcome:
    pool = ctx.machine.unit(RegisterFile).pool(ctx.cta)
    if pool is None:
        return DONE
    if ctx.mask != 0xFFFF_FFFF:
        raise Diagnostic("PTX9130", f"`{op.inst.text()}` is executed by {lanes_text(ctx.mask)} alone")
    wanted, held = ctx.uniform("count"), pool.held[ctx.warp.index]
    increase = op.inst.mod("action") == "inc"
    if wanted != held and increase != (wanted > held):
        raise Diagnostic(
            "PTX9150",
            f"`{op.inst.text()}`, but warp {ctx.warp.index} has {held} registers per thread",
            help=f"use setmaxnreg.{'dec' if increase else 'inc'} to go to {wanted}",
        )
    if wanted - held > pool.free:
        pool.waiting[ctx.warp] = wanted
        return Blocked(on=pool)
    pool.waiting.pop(ctx.warp, None)
    pool.free -= wanted - held
    pool.held[ctx.warp.index] = wanted
    if wanted < held:
        ctx.machine.wake(pool)
    return DONE
