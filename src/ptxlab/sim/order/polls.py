"""Polls: a warp asks again what it has asked before, and nothing has changed since.

What the sanitizer makes of it is what it made of it before. Threads that wait for a flag ask some thousand times.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ptxlab.isa.operands import Addr, Reg

if TYPE_CHECKING:
    from ptxlab.ptx.program import Op
    from ptxlab.sim.engine.machine.resident import Warp
    from ptxlab.sim.engine.machine.trap import TrapContext
    from ptxlab.sim.order.places import Reached


@dataclass(frozen=True, slots=True)
class _Asked:
    """An access that wrote nothing: when, with which registers, and what a compare-and-swap has compared in vain."""

    time: int
    changes: int
    registers: bytes
    ctx: TrapContext
    vain: Sequence[Reached]


class Polls:
    """Knows which accesses are repetitions."""

    def __init__(self) -> None:
        self._changes = 0
        self._quiet = -1, -1
        self._asked: dict[tuple[Warp, int, int], _Asked] = {}

    def changed(self) -> None:
        """Somebody has written, or told something: whoever asks may find something new."""
        self._changes += 1

    def quiet(self, before: int, after: int) -> None:
        """A fence has taken that time, and whoever asks finds what was there before."""
        begin, end = self._quiet
        self._quiet = begin if end == before else before, after

    def note(self, ctx: TrapContext, vain: Sequence[Reached], now: int) -> None:
        """An access has written nothing."""
        key = (ctx.warp, id(ctx.op), ctx.mask)
        self._asked[key] = _Asked(now, self._changes, _registers(ctx.warp, ctx.op), ctx, vain)

    def repeats(
        self, warp: Warp, mask: int, op: Op, now: int, exchanges: Callable[[TrapContext, Reached], bool]
    ) -> bool:
        """Whether the same lanes have made this access, at the same addresses, since anything changed."""
        asked = self._asked.get((warp, id(op), mask))
        if asked is None or asked.changes != self._changes:
            return False
        begin, end = self._quiet
        if asked.time != now and not (end == now and asked.time >= begin):
            return False
        if asked.registers != _registers(warp, op):
            return False
        return not any(exchanges(asked.ctx, reached) for reached in asked.vain)


def _registers(warp: Warp, op: Op) -> bytes:
    """The registers that an access has its addresses from."""
    found = (o.base for o in op.inst.operands.values() if isinstance(o, Addr) and isinstance(o.base, Reg))
    return b"".join(warp.row(register).tobytes() for register in found)
