"""The instructions of a program: which of them native code may look at first, and how each accesses memory."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ptxlab.isa.action import Touch
from ptxlab.isa.effects import Access, Fence
from ptxlab.isa.extents import Rows, Run
from ptxlab.sim.compiled.emit import Handler, Slot, fields_of
from ptxlab.sim.decoded.accesses import addresses
from ptxlab.sim.sanitizer.native import arena as A
from ptxlab.sim.sanitizer.native.arena import Arena
from ptxlab.sim.sanitizer.places import SHADOWED
from ptxlab.sim.sanitizer.shadow import Kind

if TYPE_CHECKING:
    from ptxlab.ptx.program import Op

_SHARED = ("shared", "shared::cta", "shared::cluster")
_WIDEST = 32
"""Bytes of a lane's widest access."""


class Sites:
    """Tells native code of the instructions that it may look at.

    Args:
        strict: as of the sanitizer.
    """

    def __init__(self, arena: Arena, ops: Sequence[Op], *, strict: bool) -> None:
        self._arena, self._textures = arena, has_textures(ops)
        self._sums = not strict and _only_sums(ops)

    def prologue(self, number: int, pc: int, op: Op, handler: Handler) -> Handler:
        """What stands in front of an instruction."""
        touch, reached = self._alone(op), addresses(op, handler)
        if touch is None or len(reached) != 1:
            return Handler("$told", together=handler.together)
        extent = touch.extent
        assert isinstance(extent, (Run, Rows))
        lanes = (1 << (extent.rows or 0)) - 1 if isinstance(extent, Rows) else A.LOST
        self._arena.site(number, pc, kind_of(number, op, touch).info, extent.bytes or 0, self._flags(touch), lanes)
        name = reached[0][0]
        slots = tuple(
            Slot(s.name, s.type, "r", s.shape) if s.name == name else Slot(s.name, "", "", ("i",) * fields_of(s.shape))
            for s in handler.slots
        )
        return Handler("$told.access", (), slots, together=handler.together)

    def _alone(self, op: Op) -> Touch | None:
        """The access of an instruction that makes just one: a plain one, or a sum in memory that nobody takes for a flag."""
        if not isinstance(op.inst.form.effect, Access):
            return None
        touches = op.inst.effect.touches
        if len(touches) != 1 or touches[0].space not in SHADOWED or touches[0].proxy not in ("generic", "texture"):
            return None
        (touch,) = touches
        plain = touch.order == "weak" and touch.update is None
        if not plain and not (self._sums and touch.update is not None and touch.scope in ("gpu", "sys")):
            return None
        extent = touch.extent
        if not isinstance(extent, (Run, Rows)) or extent.bytes is None:
            return None
        if isinstance(extent, Rows) and extent.rows is None:
            return None
        nbytes = extent.bytes
        return touch if nbytes & (nbytes - 1) == 0 and self._arena.granule <= nbytes <= _WIDEST else None

    def _flags(self, touch: Touch) -> int:
        flags = (
            (touch.reads, A.T_READS),
            (touch.writes, A.T_WRITES),
            (touch.space in _SHARED, A.T_SHARED),
            (touch.space == "generic", A.T_GENERIC),
            (touch.update is not None, A.T_ATOMIC),
            (touch.proxy == "texture", A.T_TEXTURE),
            (self._textures, A.T_TEXTURES),
        )
        return sum(bit for there, bit in flags if there)


def _only_sums(ops: Sequence[Op]) -> bool:
    """Whether nothing in a program can serve as a flag: its strong accesses return nothing, and nothing releases or acquires."""
    for op in ops:
        effect, action = op.inst.form.effect, op.inst.effect
        if isinstance(effect, Fence) and not action.joins and action.only is None:
            return False
        if isinstance(effect, Access):
            for touch in action.touches:
                if touch.order != "weak" and (touch.order != "relaxed" or "d" in op.inst.form.operands):
                    return False
                if touch.order != "weak" and touch.update is None:
                    return False
    return True


def has_textures(ops: Sequence[Op]) -> bool:
    """Whether the kernel has .nc loads."""
    return any(
        t.proxy == "texture" for op in ops if isinstance(op.inst.form.effect, Access) for t in op.inst.effect.touches
    )


def kind_of(site: int, op: Op, touch: Touch) -> Kind:
    """How an instruction accesses memory."""
    strong = touch.order != "weak"
    size = touch.extent.bytes if isinstance(touch.extent, Run) and touch.extent.bytes else 16
    vector = op.inst.mod("vec")
    if strong and vector is not None and vector[1:].isdigit():
        size //= int(vector[1:])
    proxy = touch.proxy if touch.proxy in ("generic", "texture") else "generic"
    return Kind(site, strong, touch.scope or "", size, proxy, touch.update is not None)


__all__ = ["Sites", "has_textures", "kind_of"]
