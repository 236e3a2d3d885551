"""Prologues that notify an observer of an instruction before it runs: which lanes of which warp execute it; and notes for the
sanitizer of what warps have waited for, which it takes later.

Those of cp.async and wgmma stand with their families.
"""

from __future__ import annotations

from ptxlab.codegen.ir import I32, PTR, T, Val
from ptxlab.sim.engine.compiled import frame as F
from ptxlab.sim.engine.compiled import memory
from ptxlab.sim.engine.compiled.emit import Address, Emitter
from ptxlab.sim.engine.compiled.layers import Layer, go_on
from ptxlab.sim.engine.compiled.registry import meaning


@meaning("$notify")
def notify(e: Emitter) -> None:
    """Call `E_NOTIFY`, unless no lane executes the instruction."""
    pc = e.pc
    with e.if_(e.exec != 0):
        call_observer(e, pc)
    go_on(e, Layer.SANITIZE, pc)


def _places(e: Emitter, a: Address) -> Val:
    """The addresses of lanes, in memory as 64-bit numbers."""
    value = e.fn.splat(a.value)
    if memory.SPACE_OF[a.space] in memory.SHARED:
        value = value.to(T("u", 32))
    return memory.spill(e, value.to(memory.WIDE))


def _judged(e: Emitter, pc: Val, places: Val, how: int = 0) -> Val:
    """Whether native code leaves an access at these places to Python: all, if it may come in front of griddepcontrol.wait (modifier
    `early`) and the warp is not known to come behind that."""
    arena, slot, warp = here(e)
    judge = e.load(e.env, PTR, F.E_JUDGE, 8)
    arguments = arena, slot, places, e.exec, warp, pc, e.const(how, I32)
    if "early" not in e.mods:
        return e.fn.invoke(judge, I32, *arguments)
    left = e.fn.variable(e.fn.const(1, I32))
    behind = e.load(e.load(e.frame, PTR, F.F_CTA, 8), I32, F.C_BEHIND, 4)
    with e.if_((behind >> warp) & 1 != 0):
        left.set(e.fn.invoke(judge, I32, *arguments))
    return left.get()


@meaning("$notify.access")
def access(e: Emitter, a: Address) -> None:
    """The same of a plain access, but only where native code cannot say that it is in order."""
    pc = e.pc
    with e.if_(e.exec != 0), e.if_(_judged(e, pc, _places(e, a)) != 0):
        call_observer(e, pc)
    go_on(e, Layer.SANITIZE, pc)


@meaning("$notify.store")
def store(e: Emitter, a: Address, b: Val | list[Val]) -> None:
    """The same of a store. Lanes that store one value to the same bytes are no matter."""
    pc = e.pc
    with e.if_(e.exec != 0):
        places = _places(e, a)
        open_, same = e.fn.variable(_judged(e, pc, places)), e.load(e.env, PTR, F.E_SAME, 8)
        with e.if_(open_.get() != 0):
            alike = e.fn.const(1, I32)
            for one in b if isinstance(b, list) else [b]:
                row = memory.spill(e, e.fn.splat(one).unsigned.to(memory.WIDE))
                alike = alike & e.fn.invoke(same, I32, places, row, e.exec)
            with e.if_(alike != 0):
                open_.set(_judged(e, pc, places, F.JUDGE_EQUAL))
            with e.if_(open_.get() != 0):
                call_observer(e, pc)
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
        _flush_if(e, full != 0)
    go_on(e, Layer.SANITIZE, pc)


@meaning("$notify.lanes")
def lanes(e: Emitter, mask: Val) -> None:
    """Notify of a warp-wide instruction where its member mask lacks a lane that executes it."""
    pc = e.pc
    each = e.fn.vector([1 << lane for lane in range(F.LANES)], T("u", 32))
    with e.if_((e.exec & e.fn.mask((e.fn.splat(mask) & each) == 0)) != 0):
        call_observer(e, pc)
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
        _flush_if(e, then == F.MEET_FULL)
        with e.if_(then == F.MEET_IN_PART):
            call_observer(e, pc)
    go_on(e, Layer.SANITIZE, pc)


def call_observer(e: Emitter, pc: Val, whom: int = F.E_NOTIFY) -> None:
    """Call whoever stands at a place of the environment: lanes execute the instruction at `pc`."""
    e.fn.run(e.load(e.env, PTR, whom, 8), e.frame, pc, e.exec)


def take_note(e: Emitter, kind: int, first: Val, second: Val) -> None:
    """Note for the sanitizer what the executing lanes have waited for: see `E_NOTE`."""
    pc = e.pc
    arena, slot, warp = here(e)
    note = e.load(e.env, PTR, F.E_NOTE, 8)
    full = e.fn.invoke(note, I32, arena, slot, e.const(kind, I32), warp, e.exec, pc, first, second)
    _flush_if(e, full != 0)


def _flush_if(e: Emitter, full: Val) -> None:
    """Let Python take the notes where there is no room for more."""
    with e.if_(full):
        e.fn.run(e.load(e.load(e.frame, PTR, F.F_CTA, 8), PTR, F.C_FLUSH, 8), e.frame)


def here(e: Emitter) -> tuple[Val, Val, Val]:
    """The arena, the CTA's slot in it, and the warp."""
    cta = e.load(e.frame, PTR, F.F_CTA, 8)
    return e.load(cta, PTR, F.C_ARENA, 8), e.load(cta, I32, F.C_SLOT, 4), e.frame_word(F.SREG_OFFSET["%warpid"])
