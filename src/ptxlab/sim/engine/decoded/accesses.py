"""Which bytes an instruction reaches for by the addresses of its threads."""

from __future__ import annotations

from ptxlab.isa.effects import Access, AsyncCopy
from ptxlab.ptx.program import Op
from ptxlab.sim.engine.compiled.emit import Handler


def sizes(op: Op, handler: Handler) -> int:
    """Bytes that a thread moves, where one does by itself; 0 for others."""
    known = addresses(op, handler)
    return max((size for _, size in known), default=0)


def addresses(op: Op, handler: Handler) -> list[tuple[str, int]]:
    """The address operands of an instruction that accesses memory by threads, each with the bytes behind it."""
    effect = op.inst.form.effect
    moves = isinstance(effect, AsyncCopy) or (isinstance(effect, Access) and effect.kind != "discard")
    if not moves or handler.traps:
        return []
    out: list[tuple[str, int]] = []
    for slot in handler.slots:
        spec = op.inst.form.operands[slot.name]
        size = spec.bytes.eval(op.inst) if spec.bytes is not None else None
        if isinstance(slot.shape, str) and slot.shape[0] == "@" and isinstance(size, int) and size:
            out.append((slot.name, size))
    return out
