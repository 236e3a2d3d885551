"""Branches, exits, fences, traps, and the records that the decoder adds."""

from __future__ import annotations

from typing import Any

from ptxlab.codegen.ir import I32, I64, PTR, T, Val
from ptxlab.sim.engine.compiled import frame as F
from ptxlab.sim.engine.compiled.emit import Emitter
from ptxlab.sim.engine.compiled.registry import meaning


@meaning("$block")
def block(e: Emitter, n: Val) -> None:
    """Head of a basic block: the end of the slice, lanes to merge with, then the count of what follows."""
    length = e.field("n")
    count = e.load(e.env, I64, F.E_WARP_COUNT, 8)
    pc = e.pc
    late = count >= e.load(e.env, I64, F.E_ROTATE_LIMIT, 8)
    go, stop = e.fresh("go"), e.fresh("stop")
    e.fn.branch(late | (pc >= e.frame_word(F.F_MERGE)), stop, go)
    e.fn.block(stop)
    e.save_pcs(e.active, pc)
    e.fn.ret(e.select(late, e.const(F.SLICE, I32), e.const(F.REGROUP, I32)))
    e.fn.block(go)
    lanes = e.intrinsic("ctpop", e.active).to(I64)
    e.store(count + length, e.env, F.E_WARP_COUNT, 8)
    threads = e.load(e.env, I64, F.E_THREAD_COUNT, 8) + length * lanes
    e.store(threads, e.env, F.E_THREAD_COUNT, 8)
    mine = e.load(e.frame, I64, F.F_INSTRUCTIONS, 8) + length
    e.store(mine, e.frame, F.F_INSTRUCTIONS, 8)
    e.goto_next()


@meaning("$trap")
def to_python(e: Emitter) -> None:
    """An instruction for Python."""
    with e.if_(e.exec == 0):
        e.goto_next()
    to_trap(e)


def to_trap(e: Emitter) -> None:
    """Note who is where, and leave for the meaning in Python."""
    pc = e.pc
    e.save_pcs(e.active & ~e.exec, e.next_pc)
    e.save_pcs(e.exec, pc)
    e.set_frame_word(F.F_TRAP_MASK, e.exec)
    e.set_frame_word(F.F_TRAP_PC, pc)
    e.leave(F.TRAP)


def trap_if(e: Emitter, condition: Val) -> None:
    """Leave for the meaning in Python where a scalar boolean holds."""
    with e.if_(condition):
        to_trap(e)


def _exit(e: Emitter) -> None:
    e.set_frame_word(F.F_ALIVE, e.frame_word(F.F_ALIVE) & ~e.exec)
    # lanes that waited for those that leave look again
    with e.if_(e.frame_word(F.F_BARRIER) == 0):
        e.set_frame_word(F.F_SYNC, 0)
    rest = e.active & ~e.exec
    e.save_pcs(rest, e.next_pc)
    e.leave(F.REGROUP)


@meaning("exit", "ret", "$end")
def leave(e: Emitter) -> None:
    """The executing lanes end; in a kernel `ret` does the same."""
    with e.if_(e.exec == 0):
        e.goto_next()
    _exit(e)


@meaning("bra")
def bra(e: Emitter, target: Val) -> None:
    """All executing lanes go to the target, the others on; where both exist, the dispatcher chooses."""
    rest = e.active & ~e.exec
    with e.if_(rest == 0):
        e.goto(e.at(e.load(e.env, PTR, F.E_RECORDS, 8), target), e.active)
    with e.if_(e.exec == 0):
        e.goto_next()
    e.save_pcs(e.exec, target.to(I32))
    e.save_pcs(rest, e.next_pc)
    e.leave(F.REGROUP)


@meaning("$poll")
def poll(e: Emitter, target: Val) -> None:
    """A `bra` back to the begin of a loop that only asks whether others have done something: they get their turn first."""
    with e.if_(e.exec == 0):
        e.goto_next()
    e.save_pcs(e.active & ~e.exec, e.next_pc)
    e.save_pcs(e.exec, target.to(I32))
    e.leave(F.POLLS)


@meaning("brx.idx")
def brx(e: Emitter, index: Val, targets: list[Val]) -> None:
    """Each lane goes to the target of its index. Beyond the list the manual promises nothing: that is a fault."""
    with e.if_(e.exec == 0):
        e.goto_next()
    beyond = e.exec & e.fn.mask(index >= len(targets))
    with e.if_(beyond != 0):
        fault(e, F.FAULT_TARGET, e.intrinsic("cttz", beyond, extra=", i1 true"))
    e.save_pcs(e.active, e.next_pc)
    for number, target in enumerate(targets):
        e.save_pcs(e.exec & e.fn.mask(index == number), target.to(I32))
    e.leave(F.REGROUP)


@meaning("trap", "brkpt")
def trap(e: Emitter) -> None:
    """Stop the launch; so does a breakpoint where no debugger is there."""
    with e.if_(e.exec == 0):
        e.goto_next()
    fault(e, F.FAULT_TRAP, e.intrinsic("cttz", e.exec, extra=", i1 true"))


def fault(e: Emitter, kind: int, lane: Val, pc: Val | None = None) -> None:
    """Leave with a fault of a lane, at this record or another one."""
    e.set_frame_word(F.F_FAULT, kind)
    e.set_frame_word(F.F_FAULT_LANE, lane)
    e.set_frame_word(F.F_FAULT_PC, e.pc if pc is None else pc)
    e.leave(F.FAULT)


@meaning(
    "pmevent",
    "pmevent.mask",
    "membar",
    "fence",
    "fence.oneway",
    "fence.proxy.async",
    "fence.proxy.async::generic",
    "fence.proxy.async::generic.read",
    "fence.sync_restrict",
    "fence.proxy.alias",
    "fence.proxy.alias.sys",
    "fence.alias",
    "membar.proxy.alias",
    "membar.proxy.async",
)
def nothing(e: Emitter, *operands: Any) -> None:
    """No effect on values: accesses happen in program order, all at once.

    Except for tensor maps all proxies of the simulator see one memory, and a wgmma reads registers when it is carried out.
    """


@meaning("createpolicy.fractional", "createpolicy.range", "createpolicy.cvt")
def createpolicy(e: Emitter, *operands: Any) -> Val:
    """Cache policies change no values; programs only hand them on."""
    return e.fn.const(0, T("u", 64))


@meaning("griddepcontrol", halfway=True, alone=True)
def griddepcontrol(e: Emitter) -> None:
    """Python is for those who observe the launch, for grids that have to wait, and for those whose schedule holds them here."""
    waits = e.mod("action") == "wait"
    with e.if_(e.exec == 0):
        e.goto_next()
    if not waits:
        e.fn.store(e.fn.const(1, I32), e.load(e.frame, PTR, F.F_CTA, 8), F.C_TRIGGERED, 4)
    with e.if_(e.load(e.env, I64, F.E_UNWATCHED, 8) == 0):
        to_trap(e)
    with e.if_(e.load(e.env, I64, F.E_EARLY if waits else F.E_HOLDS, 8) != 0):
        to_trap(e)


@meaning("nanosleep")
def nanosleep(e: Emitter, t: Val) -> None:
    """Others get their turn: nobody measures how long one sleeps."""
    with e.if_(e.exec == 0):
        e.goto_next()
    e.save_pcs(e.active, e.next_pc)
    e.leave(F.POLLS)
