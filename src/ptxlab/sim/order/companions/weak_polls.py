"""PTX9252: loops that wait for other threads by a weak load.

A weak load promises that nobody else writes there meanwhile, so a compiler may load once, in front of the loop. Told of loops that
only ask, always at the same address, and whose load is one side of a race that was found.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from ptxlab.isa.effects import Access, Branch, Carry, Compute, Effect, Fence, Hint
from ptxlab.isa.operands import Label
from ptxlab.ptx.uses import touched
from ptxlab.sim.order.companions.companion import Companion

if TYPE_CHECKING:
    from ptxlab.ptx.program import Op, Program

LONGEST = 16
"""Instructions of a loop that may be one that only asks."""
RACES = ("PTX9200", "PTX9202", "PTX9203")
_ASKING = (Compute, Carry, Branch, Fence, Hint)


class WeakPolls(Companion):
    """Looks, at the end of a launch, whether the load of such a loop is part of a race."""

    def tally(self, report: object) -> None:
        races = [d for d in self.machine.report.findings if d.code in RACES]
        for op in weak_polls(self.machine.record.program) if races else ():
            place = op.span or op.origin
            if place is not None and any(place in (d.span or d.origin, d.other or d.other_origin) for d in races):
                message = f"`{op.inst.text()}` is asked over and over for what another thread writes, by a weak load"
                self.report("PTX9252", message, op, [f"in a loop that does nothing else: `{op.text}`"])


def weak_polls(program: Program) -> Iterator[Op]:
    """The weak loads of loops that only ask."""
    for index, op in enumerate(program.ops):
        effect = op.inst.form.effect
        if not isinstance(effect, Branch) or effect.to is None:
            continue
        target = op.inst.operands[effect.to]
        begin = program.labels.get(target.name, index + 1) if isinstance(target, Label) else index + 1
        if index - LONGEST < begin <= index:
            yield from _asked(program.ops[begin : index + 1])


def _asked(loop: list[Op]) -> Iterator[Op]:
    loads = [op for op in loop if isinstance(op.inst.form.effect, Access)]
    if any(
        type(op.inst.form.effect) is not Effect and not isinstance(op.inst.form.effect, (*_ASKING, Access))
        for op in loop
    ):
        return
    written = {name for op in loop for name in touched(op)[1]}
    for op in loads:
        touches = op.inst.effect.touches
        if any(t.writes or t.order != "weak" for t in touches):
            return
        if not written.intersection(touched(op)[0]):
            yield op
