"""setmaxnreg: registers that a CTA's warps release to its pools and take from them.

Each quarter of the SM has its own pool, for the warps with the same index modulo four. What a warp holds when it exits goes into no
pool, as on an H200. Registers of the simulator hold their values whatever the count: what is modelled is who has to wait for whom.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Final

from ptxlab.diag import Diagnostic
from ptxlab.ptx.entry_registers import AtEntry, at_entry
from ptxlab.sim.engine.machine.naming import cta_name
from ptxlab.sim.engine.machine.trap import DONE, Blocked, Outcome, Unit, Waiting, trap, unit
from ptxlab.sim.engine.units.events import located
from ptxlab.sim.engine.units.place import check_converged

if TYPE_CHECKING:
    from ptxlab.ptx.program import Op
    from ptxlab.sim.engine.machine.protocol import MachineLike
    from ptxlab.sim.engine.machine.resident import Cluster, Cta, Warp
    from ptxlab.sim.engine.machine.trap import TrapContext

QUARTERS: Final = 4


class Pool:
    """A CTA's registers: how many per thread each warp has, and how many are free in each quarter of the SM, in units of one per
    thread of a warp."""

    def __init__(self, cta: Cta, at_entry: int) -> None:
        self.cta = cta
        self.held = [at_entry] * len(cta.warps)
        self.free = [0] * QUARTERS
        self.waiting: dict[Warp, int] = {}


@unit
class RegisterFile(Unit):
    """The pools of all resident CTAs."""

    def __init__(self, machine: MachineLike) -> None:
        super().__init__(machine)
        self.pools: dict[Cta, Pool] = {}
        self._fewer: set[int] = set()

    @cached_property
    def at_entry(self) -> int | None:
        """Registers of a thread at entry; None where setmaxnreg is ignored. ptxas is asked where directives do not say it."""
        record = self.machine.record
        found = at_entry(record.program, record.registers)
        if found.source != "directives" and at_entry(record.program).registers is not None:
            self._warn(found, record.program.name)
        return found.registers

    def _warn(self, found: AtEntry, name: str) -> None:
        """Report where the count comes from, and that setmaxnreg is ignored where lints could not know it."""
        add, start = self.machine.report.findings.append, f"`{name}` is taken to start with {found.registers} registers"
        if found.source == "model":
            words = f"{start} per thread: nothing caps them, and there is no ptxas to ask"
            add(Diagnostic("PTX9151", words, isa="setmaxnreg"))
        elif found.source == "ptxas" and found.registers is None:
            words = f"ptxas ignores setmaxnreg in `{name}`: nothing caps its registers at entry"
            add(Diagnostic("PTX2023", words, isa="setmaxnreg"))

    def takes_fewer(self, op: Op, warp: Warp, held: int) -> None:
        """Report, once for an instruction, that a warp asks for fewer registers than it has."""
        if id(op) not in self._fewer:
            self._fewer.add(id(op))
            words = f"`{op.inst.text()}` does nothing: warp {warp.index} has {held} registers per thread"
            help_ = f"give registers back with setmaxnreg.dec, or ask for more than {held}"
            found = Diagnostic("PTX9152", words, help=help_, isa="setmaxnreg")
            self.machine.report.findings.append(located(found, op))

    def pool(self, cta: Cta) -> Pool | None:
        """The pool of a CTA; None where setmaxnreg is ignored."""
        found = self.pools.get(cta)
        if found is None and self.at_entry is not None:
            found = self.pools[cta] = Pool(cta, self.at_entry)
        return found

    def cluster_finished(self, cluster: Cluster) -> None:
        for cta in cluster.ctas:
            self.pools.pop(cta, None)

    def deadlock_notes(self) -> list[Waiting]:
        return [
            Waiting(
                warp,
                f"{cta_name(pool.cta)} warp {warp.index}: setmaxnreg.inc waits for {wanted - pool.held[warp.index]} more "
                f"registers per thread; the pool of its quarter of the SM has {pool.free[warp.index % QUARTERS]} for one warp",
            )
            for pool in self.pools.values()
            for warp, wanted in pool.waiting.items()
        ]


@trap("setmaxnreg")
def setmaxnreg(ctx: TrapContext, op: Op) -> Outcome:
    pool = ctx.machine.unit(RegisterFile).pool(ctx.cta)
    if pool is None:
        return DONE
    check_converged(ctx, op)
    wanted, held, quarter = ctx.uniform("count"), pool.held[ctx.warp.index], ctx.warp.index % QUARTERS
    if op.inst.mod("action") == "inc":
        if wanted - held > pool.free[quarter]:
            pool.waiting[ctx.warp] = wanted
            return Blocked(on=pool)
        if wanted < held:
            ctx.machine.unit(RegisterFile).takes_fewer(op, ctx.warp, held)
            wanted = held
    elif wanted > held:
        words = f"`{op.inst.text()}`, but warp {ctx.warp.index} has {held} registers per thread"
        raise Diagnostic("PTX9150", words, help=f"use setmaxnreg.inc to go to {wanted}")
    pool.waiting.pop(ctx.warp, None)
    pool.free[quarter] -= wanted - held
    pool.held[ctx.warp.index] = wanted
    if wanted < held:
        ctx.machine.wake(pool)
    return DONE
