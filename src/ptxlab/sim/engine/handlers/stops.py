"""Prologues of a debugger: they stop lanes in front of an instruction, at breakpoints and after single steps."""

from __future__ import annotations

from ptxlab.codegen.ir import I32, I64, PTR, Val
from ptxlab.sim.engine.compiled import frame as F
from ptxlab.sim.engine.compiled.emit import Emitter
from ptxlab.sim.engine.compiled.layers import Layer, go_on
from ptxlab.sim.engine.compiled.registry import meaning


def _stop(e: Emitter, pc: Val, anew: Val | None = None) -> None:
    """Back to Python, once for each arrival of a group of lanes; with `anew`, where they have stopped before as well."""
    seen = (e.frame_word(F.F_PASS_PC) == pc) & ((e.frame_word(F.F_PASS_MASK) & e.active) != 0)
    released = (e.frame_word(F.F_RELEASED) & e.active) != 0  # from a barrier, which runs once more
    if anew is not None:
        seen = seen & ~anew
    with e.if_(seen | released):
        e.set_frame_word(F.F_PASS_MASK, e.frame_word(F.F_PASS_MASK) & ~e.active)
        go_on(e, Layer.STOPS, pc)
    e.save_pcs(e.active, pc)
    for offset, value in ((F.F_PASS_PC, pc), (F.F_TRAP_PC, pc), (F.F_PASS_MASK, e.active), (F.F_TRAP_MASK, e.active)):
        e.set_frame_word(offset, value)
    _leave(e, F.STOPPED)


def _leave(e: Emitter, why: int) -> None:
    e.store(e.const(why, I32), e.env, F.E_STOPPED, 4)
    e.leave(F.TRAP)


@meaning("$stop")
def stop(e: Emitter) -> None:
    """A breakpoint: every warp stops."""
    _stop(e, e.pc)


@meaning("$step")
def step(e: Emitter) -> None:
    """Single steps: the warp that is stepped stops, and any warp once that one has ended.

    The others go on while it waits, and leave as soon as it can run again.
    """
    pc = e.pc
    stepped = e.load(e.env, PTR, F.E_STEP, 8)
    alive, waiting, sync = (e.load(stepped, I32, at, 4) for at in (F.F_ALIVE, F.F_WAITING, F.F_SYNC))
    other = (stepped.to(I64) != e.frame.to(I64)) & (alive != 0)
    waits = (alive & ~(waiting | sync)) == 0
    with e.if_(other & waits):
        go_on(e, Layer.STOPS, pc)
    with e.if_(other):
        e.save_pcs(e.active, pc)
        _leave(e, F.MAKES_ROOM)
    _stop(e, pc, alive == 0)
