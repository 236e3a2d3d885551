"""A prologue that tells somebody of an instruction before it runs: which lanes of which warp execute it.

Those of cp.async and wgmma stand with their families.
"""

from __future__ import annotations

from ptxlab.codegen.ir import I32, PTR, T, Val
from ptxlab.sim.engine.compiled import frame as F
from ptxlab.sim.engine.compiled import memory
from ptxlab.sim.engine.compiled.emit import Address, Emitter
from ptxlab.sim.engine.compiled.layers import Layer, go_on
from ptxlab.sim.engine.compiled.registry import meaning
from ptxlab.sim.engine.handlers.notes import here


@meaning("$notify")
def notify(e: Emitter) -> None:
    """Call `E_NOTIFY`, unless no lane executes the instruction."""
    pc = e.pc
    with e.if_(e.exec != 0):
        tell(e, pc)
    go_on(e, Layer.SANITIZE, pc)


@meaning("$notify.access")
def access(e: Emitter, a: Address) -> None:
    """The same of a plain access, but only where native code cannot say that it is in order."""
    pc = e.pc
    with e.if_(e.exec != 0):
        value = e.fn.splat(a.value)
        if memory.SPACE_OF[a.space] in memory.SHARED:
            value = value.to(T("u", 32))
        places = memory.spill(e, value.to(memory.WIDE))
        arena, slot, warp = here(e)
        judge = e.load(e.env, PTR, F.E_JUDGE, 8)
        open_ = e.fn.invoke(judge, I32, arena, slot, places, e.exec, warp, pc, e.const(0, I32))
        with e.if_(open_ != 0):
            tell(e, pc)
    go_on(e, Layer.SANITIZE, pc)


@meaning("$notify.store")
def store(e: Emitter, a: Address, b: Val | list[Val]) -> None:
    """The same of a store. Lanes that store one value to the same bytes are no matter."""
    pc = e.pc
    with e.if_(e.exec != 0):
        value = e.fn.splat(a.value)
        if memory.SPACE_OF[a.space] in memory.SHARED:
            value = value.to(T("u", 32))
        places = memory.spill(e, value.to(memory.WIDE))
        arena, slot, warp = here(e)
        judge, same = (e.load(e.env, PTR, at, 8) for at in (F.E_JUDGE, F.E_SAME))
        open_ = e.fn.variable(e.fn.invoke(judge, I32, arena, slot, places, e.exec, warp, pc, e.const(0, I32)))
        with e.if_(open_.get() != 0):
            alike = e.fn.const(1, I32)
            for one in b if isinstance(b, list) else [b]:
                row = memory.spill(e, e.fn.splat(one).unsigned.to(memory.WIDE))
                alike = alike & e.fn.invoke(same, I32, places, row, e.exec)
            with e.if_(alike != 0):
                open_.set(e.fn.invoke(judge, I32, arena, slot, places, e.exec, warp, pc, e.const(F.JUDGE_EQUAL, I32)))
            with e.if_(open_.get() != 0):
                tell(e, pc)
    go_on(e, Layer.SANITIZE, pc)


@meaning("$notify.fence")
def fence(e: Emitter) -> None:
    """Tell of a proxy fence (modifier `kinds`: of which memory), or of wgmma.fence."""
    pc, guard = e.pc, "guard" in e.mods
    with e.if_(e.exec != 0):
        arena, slot, warp = here(e)
        note = e.load(e.env, PTR, F.E_GUARD if guard else F.E_FENCE, 8)
        kinds = e.const(0 if guard else int(e.mods["kinds"]), I32)
        full = e.fn.invoke(note, I32, arena, slot, e.exec, warp, kinds, pc)
        with e.if_(full != 0):
            e.fn.run(e.load(e.load(e.frame, PTR, F.F_CTA, 8), PTR, F.C_FLUSH, 8), e.frame)
    go_on(e, Layer.SANITIZE, pc)


@meaning("$notify.lanes")
def lanes(e: Emitter, mask: Val) -> None:
    """Notify of a warp-wide instruction where its member mask lacks a lane that executes it."""
    pc = e.pc
    each = e.fn.vector([1 << lane for lane in range(F.LANES)], T("u", 32))
    with e.if_((e.exec & e.fn.mask((e.fn.splat(mask) & each) == 0)) != 0):
        tell(e, pc)
    go_on(e, Layer.SANITIZE, pc)


@meaning("$notify.meet")
def meet(e: Emitter, mask: Val) -> None:
    """Tell of lanes that come to a bar.warp.sync."""
    pc = e.pc
    with e.if_(e.exec != 0):
        masks = memory.spill(e, e.fn.splat(mask).unsigned.to(memory.WIDE))
        arena, slot, warp = here(e)
        note = e.load(e.env, PTR, F.E_MEET, 8)
        then = e.fn.invoke(note, I32, arena, slot, masks, e.exec, warp, e.frame_word(F.F_RELEASED), pc)
        with e.if_(then == F.MEET_FULL):
            e.fn.run(e.load(e.load(e.frame, PTR, F.F_CTA, 8), PTR, F.C_FLUSH, 8), e.frame)
        with e.if_(then == F.MEET_IN_PART):
            tell(e, pc)
    go_on(e, Layer.SANITIZE, pc)


def tell(e: Emitter, pc: Val, whom: int = F.E_NOTIFY) -> None:
    """Call whoever stands at a place of the environment: lanes execute the instruction at `pc`."""
    e.fn.run(e.load(e.env, PTR, whom, 8), e.frame, pc, e.exec)
