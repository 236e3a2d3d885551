"""A prologue that tells somebody of an instruction before it runs: which lanes of which warp execute it."""

from __future__ import annotations

from ptxlab.sim.compiled import frame as F
from ptxlab.sim.compiled import memory
from ptxlab.sim.compiled.emit import Address, Emitter
from ptxlab.sim.compiled.ir import I32, PTR, T, Val
from ptxlab.sim.compiled.layers import Layer, go_on
from ptxlab.sim.compiled.registry import meaning


@meaning("$told")
def told(e: Emitter) -> None:
    """Call `E_TOLD`, unless no lane executes the instruction."""
    pc = e.pc
    with e.if_(e.exec != 0):
        _tell(e, pc)
    go_on(e, Layer.SANITIZE, pc)


@meaning("$told.access")
def access(e: Emitter, a: Address) -> None:
    """The same of a plain access, but only where native code cannot say that it is in order."""
    pc = e.pc
    with e.if_(e.exec != 0):
        value = e.fn.splat(a.value)
        if memory.SPACE_OF[a.space] in memory.SHARED:
            value = value.to(T("u", 32))
        places = memory.spill(e, value.to(memory.WIDE))
        cta, judge = e.load(e.frame, PTR, F.F_CTA, 8), e.load(e.env, PTR, F.E_JUDGE, 8)
        arena, slot = e.load(cta, PTR, F.C_ARENA, 8), e.load(cta, I32, F.C_SLOT, 4)
        open_ = e.fn.invoke(judge, I32, arena, slot, places, e.exec, e.frame_word(F.SREG_OFFSET["%warpid"]), pc)
        with e.if_(open_ != 0):
            _tell(e, pc)
    go_on(e, Layer.SANITIZE, pc)


def _tell(e: Emitter, pc: Val) -> None:
    e.fn.run(e.load(e.env, PTR, F.E_TOLD, 8), e.frame, pc, e.exec)
