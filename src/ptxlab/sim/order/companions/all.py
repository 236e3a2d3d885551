"""All companions of the sanitizer, in the order in which they are told."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ptxlab.sim.order.parts import parts

if TYPE_CHECKING:
    from ptxlab.sim.engine.machine.observer import Observer
    from ptxlab.sim.order.sanitizer import Sanitizer


def with_companions(core: Sanitizer) -> list[Observer]:
    """The sanitizer, and those who look for what it does not."""
    known = parts()
    return [*(kind(core) for kind in known.before), core, *(kind(core) for kind in known.behind)]
