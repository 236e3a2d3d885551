"""Notes for the sanitizer of what warps have waited for without Python: it takes them later."""

from __future__ import annotations

from ptxlab.codegen.ir import I32, PTR, Val
from ptxlab.sim.engine.compiled import frame as F
from ptxlab.sim.engine.compiled.emit import Emitter


def take_note(e: Emitter, kind: int, first: Val, second: Val) -> None:
    """Note for the sanitizer what the executing lanes have waited for: see `E_NOTE`."""
    pc = e.pc
    arena, slot, warp = here(e)
    note = e.load(e.env, PTR, F.E_NOTE, 8)
    full = e.fn.invoke(note, I32, arena, slot, e.const(kind, I32), warp, e.exec, pc, first, second)
    with e.if_(full != 0):
        e.fn.run(e.load(e.load(e.frame, PTR, F.F_CTA, 8), PTR, F.C_FLUSH, 8), e.frame)


def here(e: Emitter) -> tuple[Val, Val, Val]:
    """The arena, the CTA's slot in it, and the warp."""
    cta = e.load(e.frame, PTR, F.F_CTA, 8)
    return e.load(cta, PTR, F.C_ARENA, 8), e.load(cta, I32, F.C_SLOT, 4), e.frame_word(F.SREG_OFFSET["%warpid"])
