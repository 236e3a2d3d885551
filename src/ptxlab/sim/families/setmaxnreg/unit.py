"""setmaxnreg: registers that a CTA's warps give back to its pools and take from them.

A quarter of the SM has a pool of its own: the warps whose indices leave the same rest by four. What a warp holds when it exits
comes into no pool, as an H200 has it. Registers of the simulator hold their values whatever the count: what is modelled is who
has to wait, and for whom.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Final

from ptxlab.diag import Diagnostic
from ptxlab.ptx.entry_registers import AtEntry, at_entry
from ptxlab.sim.engine.machine.naming import cta_name
from ptxlab.sim.engine.machine.trap import DONE, Blocked, Outcome, Unit, Waiting, trap, unit
from ptxlab.sim.engine.units.place import check_converged

if TYPE_CHECKING:
    from ptxlab.ptx.program import Op
    from ptxlab.sim.engine.machine.protocol import MachineLike
    from ptxlab.sim.engine.machine.resident import Cluster, Cta, Warp
    from ptxlab.sim.engine.machine.trap import TrapContext

QUARTERS: Final = 4
_IGNORED: Final = "PTX2023"
_MODELLED: Final = "PTX9151"


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

    @cached_property
    def at_entry(self) -> int | None:
        """Registers of a thread at entry; None where setmaxnreg is ignored. ptxas is asked where directives do not say it."""
        record = self.machine.record
        found = at_entry(record.program, record.registers)
        if found.source != "directives":
            self._tell(found)
        return found.registers

    def _tell(self, found: AtEntry) -> None:
        """Say where the count comes from, and that setmaxnreg is ignored where lints could not know it."""
        program = self.machine.record.program
        name, guessed = program.name, at_entry(program).registers is not None
        if found.source == "model" and guessed:
            self._warn(
                _MODELLED,
                f"`{name}` is taken to start with {found.registers} registers per thread: nothing caps them, and there is no "
                "ptxas to ask",
            )
        elif found.source == "ptxas" and guessed and found.registers is None:
            self._warn(_IGNORED, f"ptxas ignores setmaxnreg in `{name}`: nothing caps its registers at entry")

    def _warn(self, code: str, text: str) -> None:
        self.machine.report.findings.append(Diagnostic(code, text, isa="setmaxnreg"))

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
        wanted = max(wanted, held)  # who has more keeps them
    elif wanted > held:
        raise Diagnostic(
            "PTX9150",
            f"`{op.inst.text()}`, but warp {ctx.warp.index} has {held} registers per thread",
            help=f"use setmaxnreg.inc to go to {wanted}",
        )
    pool.waiting.pop(ctx.warp, None)
    pool.free[quarter] -= wanted - held
    pool.held[ctx.warp.index] = wanted
    if wanted < held:
        ctx.machine.wake(pool)
    return DONE
