"""Prologues of the sanitizer that tell of copies, commits and waits."""

from __future__ import annotations

from ptxlab.sim.engine.compiled import frame as F
from ptxlab.sim.engine.compiled import memory
from ptxlab.sim.engine.compiled.emit import Address, Emitter
from ptxlab.sim.engine.compiled.ir import I32, PTR, T, Val
from ptxlab.sim.engine.compiled.layers import Layer, go_on
from ptxlab.sim.engine.compiled.registry import meaning
from ptxlab.sim.engine.handlers.notes import here
from ptxlab.sim.engine.handlers.notify import tell


@meaning("$notify.copy")
def copy(e: Emitter, dst: Address, src: Address, some: Val | None = None) -> None:
    """Tell of copies, but only where native code cannot say that they are in order.

    Modifiers: `bytes` of a copy; `ignores`: `some` says who reads nothing, not how much.
    """
    pc = e.pc
    with e.if_(e.exec != 0):
        size = e.fn.splat(e.const(int(e.mods["bytes"]), I32))
        if some is None:
            taken = size
        elif "ignores" in e.mods:
            taken = e.fn.select(e.fn.splat(some), e.fn.splat(e.const(0, I32)), size)
        else:
            taken = e.fn.splat(some).to(T("u", 32))
        where = e.fn.splat(dst.value).to(T("u", 32))
        rows = [memory.spill(e, v.to(memory.WIDE)) for v in (e.fn.splat(src.value), where, taken)]
        arena, slot, warp = here(e)
        judge = e.load(e.env, PTR, F.E_COPY, 8)
        open_ = e.fn.invoke(judge, I32, arena, slot, *rows, e.exec, warp, pc)
        with e.if_(open_ != 0):
            tell(e, pc)
    go_on(e, Layer.SANITIZE, pc)


@meaning("$notify.commit")
def commit(e: Emitter) -> None:
    """Tell that lanes commit their copies."""
    pc = e.pc
    with e.if_(e.exec != 0):
        arena, slot, warp = here(e)
        e.fn.run(e.load(e.env, PTR, F.E_COMMIT, 8), arena, slot, e.exec, warp)
    go_on(e, Layer.SANITIZE, pc)


@meaning("$notify.wait")
def wait(e: Emitter) -> None:
    """Tell that lanes wait for copies."""
    pc = e.pc
    with e.if_(e.exec != 0):
        arena, slot, warp = here(e)
        e.fn.run(e.load(e.env, PTR, F.E_WAIT, 8), arena, slot, e.exec, warp, pc)
    go_on(e, Layer.SANITIZE, pc)
