"""A prologue of the sanitizer that tells of waits for products."""

from __future__ import annotations

from ptxlab.sim.engine.compiled import frame as F
from ptxlab.sim.engine.compiled.emit import Emitter
from ptxlab.sim.engine.compiled.ir import I32, PTR
from ptxlab.sim.engine.compiled.layers import Layer, go_on
from ptxlab.sim.engine.compiled.registry import meaning
from ptxlab.sim.engine.handlers.notes import here
from ptxlab.sim.families.wgmma.meaning import commit_place, warpgroup


@meaning("$notify.products")
def products(e: Emitter) -> None:
    """Tell that a warp waits for products, where those are carried out: else it comes here once more. Modifier: `left`, groups."""
    pc, fn, left = e.pc, e.fn, int(e.mods["left"])
    group, member = warpgroup(e)
    commits = fn.load(fn.at(group, member * 4), I32, F.P_COMMITTED, 4)
    target = fn.variable(fn.const(0, I32))
    with e.if_(commits > left):
        target.set(fn.load(fn.at(group, commit_place(member, commits - (left + 1))), I32, 0, 4))
    with e.if_((e.exec != 0) & (target.get() <= fn.load(group, I32, F.P_DONE, 4))):
        arena, slot, warp = here(e)
        e.fn.run(e.load(e.env, PTR, F.E_PRODUCT_WAIT, 8), arena, slot, warp, target.get(), pc)
    go_on(e, Layer.SANITIZE, pc)
