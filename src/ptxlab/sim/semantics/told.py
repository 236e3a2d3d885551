"""A prologue that tells somebody of an instruction before it runs: which lanes of which warp execute it."""

from __future__ import annotations

from ptxlab.sim.compiled import frame as F
from ptxlab.sim.compiled.emit import Emitter
from ptxlab.sim.compiled.ir import PTR
from ptxlab.sim.compiled.layers import Layer, go_on
from ptxlab.sim.compiled.registry import meaning


@meaning("$told")
def told(e: Emitter) -> None:
    """Call `E_TOLD`, unless no lane executes the instruction."""
    pc = e.pc
    with e.if_(e.exec != 0):
        listener = e.load(e.env, PTR, F.E_TOLD, 8)
        e.fn.do(f"call void {listener.text}(ptr {e.frame.text}, i32 {pc.text}, i32 {e.exec.text})")
    go_on(e, Layer.SANITIZE, pc)
