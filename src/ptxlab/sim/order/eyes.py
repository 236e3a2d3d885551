"""Who looks at what others have done to memory, and with what knowledge."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from ptxlab.sim.engine.machine.resident import Cta
from ptxlab.sim.order.clocks import Clock, joined
from ptxlab.sim.order.knowledge import Position
from ptxlab.sim.order.shadow import Region
from ptxlab.sim.order.views import View


@dataclass(slots=True)
class Eye:
    """Who looks at what others have done.

    Attributes:
        at: where. view: what it knows. proxy: in which it accesses memory. space: which memory.
        fenced: what it knows of accesses through the generic proxy, where its own is the async proxy.
        before: its clock before what it does now, where that differs: what it has found by then is what it knows.
        whole: whether a read has to be fenced before a later write through another proxy also where an mbarrier is between them.
    """

    at: Position
    view: View
    proxy: str = "generic"
    fenced: Clock | None = None
    whole: bool = False
    before: Clock | None = None

    def clock_for(self, past_proxy: str, *, wrote: bool) -> Clock:
        """What it knows of accesses of a kind."""
        if self.fenced is None or past_proxy != "generic":
            return self.view.clock
        return self.fenced if wrote or self.whole else joined(self.fenced, self.view.drained)

    def of(self, region: Region) -> Eye:
        """It, as it looks at a region: of shared memory it may know more."""
        view = self.view.of_shared(region.key.index) if isinstance(region.key, Cta) else self.view
        if view is self.view:
            return self
        return replace(self, view=view, before=self.before and joined(self.before, view.clock))


def at_region(eyes: Sequence[Eye], region: Region) -> Sequence[Eye]:
    """Eyes as they look at a region; those that are one stay one."""
    if not any(eye.view.shared for eye in eyes):
        return eyes
    made = {id(eye): eye.of(region) for eye in eyes}
    return [made[id(eye)] for eye in eyes]


def seen_by(threads: Sequence[int], views: Sequence[View], at: Position, before: Sequence[View] = ()) -> list[Eye]:
    """The eyes of threads in the generic proxy; those that know the same are one. before: what each knew before."""
    made: dict[tuple[int, int], Eye] = {}
    out: list[Eye] = []
    for i, t in enumerate(threads):
        view = views[t]
        clock = before[i].clock if before else view.clock
        eye = made.get((id(view), id(clock)))
        if eye is None:
            eye = made[id(view), id(clock)] = Eye(at, view, before=clock)
        out.append(eye)
    return out
