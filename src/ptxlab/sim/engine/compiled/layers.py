"""Prologues: handlers in front of an instruction that do their work and go on to what stands below them.

Whoever observes a launch has a layer. Prologues of an outer layer come first. Each goes on to what stands below it: the
prologue of a layer further in, or the instruction itself (engine/machine/overlay.py keeps the tables that say which).
"""

from __future__ import annotations

from enum import IntEnum

from ptxlab.codegen.ir import I64, PTR, Val
from ptxlab.sim.engine.compiled import frame as F
from ptxlab.sim.engine.compiled.emit import Emitter


class Layer(IntEnum):
    """The layers, from the outside in. A new observer gets a place here: frame.py has room for LAYERS."""

    STOPS = 0
    """Breakpoints and single steps: what does not run is neither watched nor counted."""
    WATCH = 1
    """Notes what changes anything, while a launch is looked at that does not get on."""
    COUNTS = 2
    """Statistics."""
    CLOCK = 3
    """Tells the timeline who comes to a barrier of the CTA, and who goes on."""
    SANITIZE = 4
    """Tells the sanitizer of what is about to run."""
    COPIES = 5
    """Stand-ins for the instructions themselves: they work on a copy of the memory and log what they touch."""


assert len(Layer) <= F.LAYERS


def go_on(e: Emitter, layer: Layer, pc: Val) -> None:
    """Run what stands below a prologue of this layer at the record at hand; `pc`: of the record, as u32."""
    below = e.load(e.env, PTR, F.E_BELOW + 8 * layer, 8)
    e.tail(e.load(e.at(below, pc.to(I64)), PTR, 0, 8), e.rec, e.active)
