"""Prologues of a watched machine: they note what changes anything but registers, or asks for the time, and go on to it.

A store or an atomic has an effect where memory differs afterwards. That shows when the next one comes, or at the end of the
slice: until then the bytes that were there before are kept.
"""

from __future__ import annotations

from ptxlab.codegen.ir import I32, I64, PTR, T
from ptxlab.sim.engine.compiled import frame as F
from ptxlab.sim.engine.compiled import memory
from ptxlab.sim.engine.compiled.emit import Address, Emitter
from ptxlab.sim.engine.compiled.layers import Layer, go_on
from ptxlab.sim.engine.compiled.registry import meaning

_BYTE = T("u", 8, 0)


def _note(e: Emitter, counter: int) -> None:
    """Count an execution by any lane."""
    block = e.load(e.env, PTR, F.E_WATCH, 8)
    some = (e.exec != 0).to(I64)
    e.store(e.load(block, I64, counter, 8) + some, block, counter, 8)


@meaning("$effect")
def effect(e: Emitter) -> None:
    """Something changes, whatever it is."""
    pc = e.pc
    _note(e, F.W_EFFECTS)
    go_on(e, Layer.WATCH, pc)


@meaning("$effect.clock")
def clock(e: Emitter) -> None:
    """A clock is read: what comes of it depends on the time."""
    pc = e.pc
    _note(e, F.W_CLOCKS)
    go_on(e, Layer.WATCH, pc)


@meaning("$effect.write")
def write(e: Emitter, a: Address) -> None:
    """A store or an atomic; the modifier `bytes` says how many of each lane."""
    pc = e.pc
    with e.if_(e.exec == 0):
        go_on(e, Layer.WATCH, pc)
    size = int(e.mods["bytes"])
    block = e.load(e.env, PTR, F.E_WATCH, 8)
    verify = e.load(block, PTR, F.W_VERIFY, 8)
    e.fn.do(f"call void {verify.text}(ptr {block.text})")
    where = memory.host_pointers(e, a, size, None)
    e.store(where, block, F.W_PLACES, 64)
    e.store(e.exec, block, F.W_LANES, 4)
    e.store(e.const(size, I32), block, F.W_SIZE, 4)
    with e.fn.each_bit(e.exec) as lane:
        source = e.load(block, PTR, lane * 8 + F.W_PLACES, 8)
        for k in range(size):
            e.store(e.load(source, _BYTE, k), block, lane * F.W_WIDEST + (F.W_BEFORE + k))
    go_on(e, Layer.WATCH, pc)
