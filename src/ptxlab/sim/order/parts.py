"""What families register with the sanitizer: what it asks of barriers, mbarriers, copies and products, and its companions.

Families say all that in one place (families/order.py), which is loaded when a launch is sanitized.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from ptxlab.sim.engine.compiled.registry import load

if TYPE_CHECKING:
    from ptxlab.diag import Diagnostic
    from ptxlab.ptx.program import Op
    from ptxlab.sim.engine.decoded.decode import Image
    from ptxlab.sim.engine.machine.observer import Observed, Observer
    from ptxlab.sim.engine.machine.operation import Footprints, Place
    from ptxlab.sim.engine.machine.resident import Cluster, Cta, Warp
    from ptxlab.sim.engine.machine.trap import TrapContext
    from ptxlab.sim.order.clocks import Clock
    from ptxlab.sim.order.companions.rerun import Rerun
    from ptxlab.sim.order.knowledge import Position, Team
    from ptxlab.sim.order.places import Reached
    from ptxlab.sim.order.views import View


class Meetings(Protocol):
    """Barriers of a CTA, of a warp and of a cluster: what those who have come know is handed on to those who go on."""

    def forget(self, cta: Cta) -> None:
        """A CTA has ended."""

    def forget_cluster(self, cluster: Cluster) -> None:
        """A cluster has ended."""

    def noted_arrival(self, cta: Cta, team: Team, word: int, alive: int, op: Op) -> None:
        """An arrival that native code has noted."""

    def runs(self, warp: Warp) -> None:
        """A warp runs, and waits at no barrier any more."""

    def in_warp(self, warp: Warp, mask: int, op: Op, team: Team) -> None:
        """Lanes come to a barrier of lanes of their warp."""

    def warp_meets(self, warp: Warp, lanes: int, team: Team) -> None:
        """All lanes of a warp meet at once, as machine code has noted."""

    def phase_of(self, cluster: Cluster) -> int:
        """The phase of the barrier of a cluster."""
        ...

    def cluster_arrived(self, warp: Warp, lanes: int, phase: int, op: Op) -> None:
        """Lanes arrive in a phase of the barrier of the cluster."""

    def cluster_passed(self, warp: Warp, lanes: int, phase: int, op: Op) -> None:
        """Lanes go on behind a phase of the barrier of the cluster."""


class Mbarriers(Protocol):
    """What mbarriers hand on: arrivals and completions publish into a phase, and whoever passes that phase acquires it."""

    def offsets(self, cta: object) -> Iterable[int]:
        """Where live mbarriers are in the shared memory of a CTA."""
        ...

    def forget(self, cta: Cta) -> None:
        """A CTA has ended."""

    def initialised(self, warp: Warp, lane: int, place: Place, op: Op) -> None:
        """A lane makes an mbarrier."""

    def invalidated(self, warp: Warp, lane: int, place: Place, op: Op) -> None:
        """A lane ends an mbarrier's life."""

    def use_ended(self, team: Team, threads: Sequence[int], reached: Reached) -> tuple[int, int, Op] | None:
        """The first thread whose access nothing orders behind the end of an mbarrier there, where that was, and what ended it."""

    def arrived(self, warp: Warp, lanes: int, place: Place, phase: int, op: Op) -> None:
        """Lanes are about to arrive in a phase."""

    def asked(self, warp: Warp, lanes: int, place: Place, op: Op) -> None:
        """Lanes ask for a phase, and do not hear whether it is over."""

    def passed(self, warp: Warp, lanes: int, place: Place, phase: int, op: Op) -> None:
        """Lanes have found a phase over."""

    def number(self, place: Place) -> int | None:
        """The number of an mbarrier among those of its CTA whose phases machine code is told of; None where it is not."""
        ...

    def lacks(self, place: Place) -> int:
        """The bytes that the phase of an mbarrier lacks, where all have arrived; 0 where it lacks none, or arrivals."""
        ...

    def used_by_operation(self, at: Position, view: View, place: Place, started: int, *, asynchronous: bool) -> None:
        """An operation uses an mbarrier: through the async proxy it needs a fence, too."""

    def complete(self, place: Place, phase: int, known: Clock, at: Position) -> None:
        """An operation ends, and counts in a phase."""


class AsksAgain(Protocol):
    """An observer of a launch that may have to see it once more. some: whether it has."""

    some: bool

    def again(self, rerun: Rerun) -> list[Diagnostic]:
        """What it finds in another run."""
        ...


@dataclass(frozen=True, slots=True)
class Parts:
    """What families register.

    Attributes:
        meetings, mbarriers: make these parts of a sanitizer (core.py).
        copied: what copies of cp.async are about to read and write. products_waited: a warp has waited for the products before
            that number, without Python: tells observers.
        before: companions that are told before the sanitizer. behind: those behind it, in this order.
        asks_again: for a program an observer of the launch, which may ask for another run; None: it has no need.
    """

    meetings: Callable[[Any], Meetings]
    mbarriers: Callable[[Any], Mbarriers]
    copied: Callable[[TrapContext, Op], tuple[Footprints, Footprints]]
    products_waited: Callable[[Observed, Warp, int], None]
    before: Sequence[Callable[[Any], Observer]]
    behind: Sequence[Callable[[Any], Observer]]
    asks_again: Callable[[Image], AsksAgain | None]


_registered: list[Parts] = []


def register_parts(parts: Parts) -> None:
    """Register what families have for the sanitizer."""
    _registered[:] = [parts]


def parts() -> Parts:
    """What families have registered."""
    if not _registered:
        load("order")
    return _registered[0]


def with_companions(core: Any) -> list[Observer]:
    """The sanitizer and its companions, in the order in which they are notified."""
    known = parts()
    return [*(kind(core) for kind in known.before), core, *(kind(core) for kind in known.behind)]
