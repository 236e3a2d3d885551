"""bar.sync, bar.arrive and bar.red: barriers of a CTA, in the block of the CTA; and a prologue that notifies the timeline."""

from __future__ import annotations

from typing import Any

from ptxlab.codegen.ir import I32, PTR, T, Val
from ptxlab.sim.engine.compiled import frame as F
from ptxlab.sim.engine.compiled.emit import Emitter
from ptxlab.sim.engine.compiled.layers import Layer, go_on
from ptxlab.sim.engine.compiled.registry import meaning
from ptxlab.sim.engine.handlers.control import fault
from ptxlab.sim.engine.handlers.notify import call_observer


def _gather(e: Emitter, pc: Val) -> None:
    """Suspend lanes until all living ones are here, and go on with all of them; without `.aligned` another barrier will do, too."""
    sync, alive = e.frame_word(F.F_SYNC) | e.exec, e.frame_word(F.F_ALIVE)
    e.set_frame_word(F.F_SYNC, sync)
    with e.if_(e.exec != alive):
        pcs = e.load(e.frame, T("u", 32), F.F_PCS, 64)
        there = sync & e.fn.mask(pcs == e.fn.splat(pc))
        with e.if_(there == alive):
            e.set_frame_word(F.F_SYNC, 0)
            e.leave(F.REGROUP)
        if e.handler.together:
            e.leave(F.REGROUP)
        else:
            with e.if_(sync != alive):
                e.leave(F.REGROUP)


def cta_barrier(e: Emitter, *, wait: bool, predicate: Val | None = None, kind: str = "sync") -> None:
    """Arrive when all living lanes of the warp are at a barrier; wait for the others of the CTA.

    The record runs again when the barrier has completed: the lanes in F_RELEASED then pass.
    """
    released = e.frame_word(F.F_RELEASED)
    passing, arriving = e.fresh("passing"), e.fresh("arriving")
    e.fn.branch((e.exec & released) == e.exec, passing, arriving)
    e.fn.block(arriving)
    first = e.intrinsic("cttz", e.exec, extra=", i1 true")
    if e.handler.together:
        e.stop_parted()
    if wait:
        pc = e.pc
        e.save_pcs(e.active & ~e.exec, e.next_pc)
        e.save_pcs(e.exec, pc)
        _gather(e, pc)
    numbers, threads = e.source("id"), e.source("threads")
    number = e.extract(numbers, first)
    count = e.extract(threads, first) if threads is not None else e.const(0, I32)
    for values, one in ((numbers, number), (threads, count)):
        if values is not None:
            apart = e.exec & e.fn.mask(values != e.fn.splat(one))
            with e.if_(apart != 0):
                fault(e, F.FAULT_BARRIERS, e.intrinsic("cttz", apart, extra=", i1 true"))
    nobody = (count == 0) if threads is not None and not wait else e.const(0, T("u", 1, 0)) != 0
    with e.if_((number > 15) | ((count & 31) != 0) | nobody):
        fault(e, F.FAULT_BARRIER, first)
    true = e.mask(predicate) & e.exec if predicate is not None else e.const(0, I32)
    arrive = e.load(e.env, PTR, F.E_ARRIVE, 8)
    cta = e.load(e.frame, PTR, F.F_CTA, 8)
    waits, all_true = e.const(int(wait), I32), (true == e.exec).to(I32)
    used = e.const(F.BARRIER_KINDS.index(kind), I32)
    words = (number, count, waits, all_true, e.intrinsic("ctpop", true), used, e.pc)
    shown = ", ".join(f"i32 {w.text}" for w in words)
    status = e.line(f"call i32 {arrive.text}(ptr {e.frame.text}, ptr {cta.text}, {shown})", I32)
    with e.if_(status == 2):
        fault(e, F.FAULT_COUNTS, first)
    if wait:
        e.fn.ret(e.select(status != 0, e.const(F.PARKED, I32), e.const(F.REGROUP, I32)))
    else:
        e.goto_next()
    e.fn.block(passing)
    e.set_frame_word(F.F_RELEASED, released & ~e.exec)


@meaning("bar.sync", "barrier.sync", "bar.cta.sync", "barrier.cta.sync", meets=True)
def bar_sync(e: Emitter, *operands: Any) -> None:
    """Wait until all threads of the CTA, or so many, have arrived."""
    cta_barrier(e, wait=True)


@meaning("bar.arrive", "barrier.arrive", "bar.cta.arrive", "barrier.cta.arrive")
def bar_arrive(e: Emitter, *operands: Any) -> None:
    """Arrive without waiting."""
    with e.if_(e.exec == 0):
        e.goto_next()
    cta_barrier(e, wait=False)


@meaning("bar.red", "barrier.red", "bar.cta.red", "barrier.cta.red", meets=True)
def bar_red(e: Emitter, *operands: Any) -> Val:
    """Wait, and combine the predicates of all threads."""
    cta_barrier(e, wait=True, predicate=e.source("p"), kind=str(e.mod("op")))
    word = e.frame_word(F.F_BAR_AND if e.mod("op") == "and" else F.F_BAR_COUNT)
    return e.splat(word != 0)


@meaning("bar.red.popc", "barrier.red.popc", "bar.cta.red.popc", "barrier.cta.red.popc", meets=True)
def bar_red_popc(e: Emitter, *operands: Any) -> Val:
    """Wait, and count the threads whose predicate holds."""
    cta_barrier(e, wait=True, predicate=e.source("p"), kind="popc")
    return e.splat(e.frame_word(F.F_BAR_COUNT))


@meaning("$clock")
def clock(e: Emitter) -> None:
    """Notify the timeline each time that lanes arrive at a barrier of the CTA, and when they go on."""
    pc = e.pc
    with e.if_(e.exec != 0):
        call_observer(e, pc, F.E_CLOCK)
    go_on(e, Layer.CLOCK, pc)
