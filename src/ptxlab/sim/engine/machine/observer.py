"""Who observes a launch: an `Observer` overrides the hooks that it needs; a machine has any number of them.

An observer may put prologues in front of instructions (engine/machine/overlay.py), each in a layer of its own. Hooks are called in
the order in which the observers were given; a machine without observers calls none.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum, IntEnum
from functools import lru_cache
from typing import Protocol

from ptxlab.ptx.program import Op
from ptxlab.sim.engine.compiled.native import Bytes
from ptxlab.sim.engine.machine.hooks import Hooks
from ptxlab.sim.engine.machine.operation import Operation, Place, Stage
from ptxlab.sim.engine.machine.overlay import Overlay
from ptxlab.sim.engine.machine.protocol import MachineLike, Pieces
from ptxlab.sim.engine.machine.resident import Cluster, Cta, Parked, Warp
from ptxlab.sim.report.report import Report
from ptxlab.sim.report.unwritten import Stored


class Turn(IntEnum):
    """What has become of a turn."""

    WAITS = 0
    """Nothing could run."""
    POLLS = 1
    """At the end, all that could run asked in vain for what others have to do."""
    RAN = 2


class Verdict(Enum):
    """What a look at a machine has shown."""

    MOVES = "something changes, or may do so"
    TIME = "nothing changes but the time, which somebody asks for"
    HANGS = "nothing will ever change"


@dataclass(frozen=True, slots=True)
class Look:
    """A verdict, and with HANGS the warps that go round in circles."""

    verdict: Verdict
    stuck: Sequence[Warp] = ()


class Observed(MachineLike, Protocol):
    """A machine as its observers see it.

    Attributes:
        overlay: where prologues are put. instructions: warp instructions executed so far by the launch. hooks: of all observers.
    """

    @property
    def hooks(self) -> Observers: ...

    @property
    def overlay(self) -> Overlay: ...
    @property
    def instructions(self) -> int: ...
    @property
    def timed(self) -> Sequence[Warp]:
        """Warps with lanes that are parked for a limited time."""
        ...

    def pass_time(self, *, last: bool = False) -> None:
        """Put the clock forward to where the next wait ends by itself, or all of them do."""
        ...

    def has_run(self, cta: Cta) -> None:
        """Units hear that what has changed in memory since the last time, a CTA has written."""

    def limit(self, length: int) -> None:
        """The next slice ends so many warp instructions from now. Raises PTX9005 when the launch may run no further."""
        ...

    def trap(self, cta: Cta) -> bool:
        """See to the trap that a CTA has run into. Whether its turn goes on."""
        ...


class Observer:
    """Observes a launch. All hooks do nothing here.

    Attributes:
        in_turns: whether all CTAs have to take turns under the scheduler. Else those that need nobody's help run one after
            the other without Python, and no hook is called for them.
    """

    in_turns = False

    @property
    def hears_copies(self) -> bool:
        """Whether hooks have to be called for cp.async, its groups and waits. Asked once, when all observers are attached."""
        return _overriding_any(type(self))

    @property
    def hears_products(self) -> bool:
        """The same for wgmma and waits for it."""
        return self.hears_copies

    @property
    def hears_sleeps(self) -> bool:
        """Whether hooks have to be called where a warp waits for products."""
        return _overrides(type(self), "woken") or _overrides(type(self), "trap_ended")

    def attach(self, machine: Observed) -> None:
        """The machine is made, and nothing has run: the place to put prologues."""

    def tally(self, report: Report) -> None:
        """Enter into the report what is known so far. Called at the end of the launch, however it ends, and when asked for."""

    def stored(self, stored: Mapping[int, Stored]) -> None:
        """The sanitizer has seen, until now, that this has been stored into arrays, by address."""

    # -- residency
    def left(self) -> None:
        """The launch has ended well, and nobody will ask the machine anything more."""

    def cluster_starts(self, index: int) -> None:
        """A cluster is about to become resident."""

    def cta_started(self, cta: Cta) -> None:
        """A CTA has become resident."""

    def cluster_retired(self, cluster: Cluster) -> None:
        """All threads of a cluster have exited, and its memory is free."""

    # -- turns
    def gives_turn(self, cta: Cta) -> bool:
        """Whether a CTA may run now."""
        return True

    def slice_begins(self) -> None:
        """Native code is about to run."""

    def turned(self, cta: Cta, turn: Turn) -> None:
        """A CTA has had its turn."""

    def progressed(self, done: int) -> None:
        """So many CTAs have ended. Called now and then."""

    def idle(self) -> bool:
        """Nobody can go on, or those who can ask in vain: whether the observer has let anybody go on whom it has stopped.

        Who overrides it has all CTAs resident that fit, from the start.
        """
        return False

    # -- instructions that run in Python
    def trap_begins(self, warp: Warp, mask: int, pc: int) -> None:
        """Lanes have come to an instruction that runs in Python."""

    def trap_ended(self, warp: Warp, mask: int, pc: int, parked: Parked | None) -> None:
        """It is done, or the lanes are parked and will try it again. Not called where it fails."""

    def woken(self, groups: Sequence[Parked]) -> None:
        """The wait of lanes is over."""

    def stopped(self, cta: Cta) -> None:
        """A prologue has left native code (`E_STOPPED` says why). The turn of the CTA is over."""

    # -- memory and output
    def reached(self, view: Bytes, write: bool, pieces: Pieces | None) -> None:
        """A unit, or an instruction in Python, reads or writes global memory: all of a view, or the pieces of it."""

    def moved(self, op: Op, nbytes: int) -> None:
        """A unit has copied so many bytes for an instruction."""

    def printed(self, text: str, cta: Cta) -> bool:
        """The kernel prints. Whether the observer takes it; if nobody does, it goes to standard output."""
        return False

    # -- asynchronous operations, and what orders them: the same events under every schedule
    def issued(self, operation: Operation) -> None:
        """An operation starts; none of its events has happened."""

    def waited(self, warp: Warp, operations: Sequence[tuple[Operation, int]], stage: Stage) -> None:
        """Lanes have waited by groups until operations are in a stage: READ or COMPLETE.

        With each operation the mask of the lanes that waited for it. Told once for an operation, a lane and a stage; COMPLETE is
        told without READ where the lane has waited for both at once.
        """

    def committed(self, warp: Warp, mask: int, kind: str) -> None:
        """Lanes have made their operations since the last time a group: "cp.async-group", "bulk-group" or "wgmma-group"."""

    def mbarrier_initialised(self, warp: Warp, lane: int, place: Place, op: Op) -> None:
        """A lane has made an mbarrier; if there was one, it begins anew."""

    def mbarrier_invalidated(self, warp: Warp, lane: int, place: Place, op: Op) -> None:
        """A lane has ended an mbarrier's life."""

    def mbarrier_arrived(self, warp: Warp, lanes: int, place: Place, phase: int, op: Op) -> None:
        """Arrivals of these lanes are about to count in a phase: 0, 1, 2 … since the mbarrier was initialised."""

    def mbarrier_expected(self, warp: Warp, lane: int, place: Place, phase: int, nbytes: int, op: Op) -> None:
        """A lane is about to add bytes to those that a phase expects; they are negative for mbarrier.complete_tx."""

    def mbarrier_completed(self, operation: Operation, place: Place, phase: int) -> None:
        """Bytes that an operation has brought, or its arrival, are about to count in a phase; in two where the bytes end one."""

    def mbarrier_passed(self, warp: Warp, lanes: int, place: Place, phase: int, op: Op) -> None:
        """test_wait or try_wait has found in these lanes that a phase is over."""

    def mbarrier_peeked(self, warp: Warp, lanes: int, place: Place, parity: int, op: Op) -> None:
        """A question for a phase is answered with no, whether it is over or not, and stands in front of a wait for it."""

    def cluster_arrived(self, warp: Warp, lanes: int, op: Op) -> None:
        """Lanes have arrived at the cluster's barrier, whose phase is not over."""

    def cluster_passed(self, warp: Warp, lanes: int, op: Op) -> None:
        """Lanes have waited for the cluster's barrier, and go on."""

    def mapped(self, warp: Warp, lanes: int, op: Op, kind: str, addresses: Sequence[int]) -> None:
        """Lanes have changed or fenced tensor maps of 128 bytes at these generic addresses.

        kind: "replace"; "copy" (tensormap.cp_fenceproxy: destination, source); "release" (of no map in particular); "acquire".
        """

    # -- grids that overlap
    def grid_waits(self, warp: Warp, lanes: int, *, again: bool) -> Hashable | None:
        """Lanes have come to griddepcontrol.wait: what they are parked on, None where they go on. again: they were parked."""

    def grid_triggers(self, warp: Warp, lanes: int, *, again: bool) -> Hashable | None:
        """The same of griddepcontrol.launch_dependents."""

    def stuck(self) -> bool:
        """Nothing of the launch gets on by itself: whether others have done anything that may change it."""
        return False

    def others_move(self) -> bool:
        """Nothing of the launch gets on by itself: whether others still may, and change it."""
        return False

    # -- launches that do not end
    def look(self) -> Look | None:
        """The launch does not get on: whether it ever can. None from who does not know."""
        return None

    def hangs(self) -> None:
        """The launch hangs, and is about to be ended for it."""


class Observers(Hooks):
    """The hooks of a machine's observers: of each, those that do anything."""

    tally: tuple[Callable[[Report], None], ...] = ()
    left: tuple[Callable[[], None], ...] = ()
    stored: tuple[Callable[[Mapping[int, Stored]], None], ...] = ()
    cluster_starts: tuple[Callable[[int], None], ...] = ()
    cta_started: tuple[Callable[[Cta], None], ...] = ()
    cluster_retired: tuple[Callable[[Cluster], None], ...] = ()
    gives_turn: tuple[Callable[[Cta], bool], ...] = ()
    slice_begins: tuple[Callable[[], None], ...] = ()
    turned: tuple[Callable[[Cta, Turn], None], ...] = ()
    progressed: tuple[Callable[[int], None], ...] = ()
    idle: tuple[Callable[[], bool], ...] = ()
    trap_begins: tuple[Callable[[Warp, int, int], None], ...] = ()
    trap_ended: tuple[Callable[[Warp, int, int, Parked | None], None], ...] = ()
    woken: tuple[Callable[[Sequence[Parked]], None], ...] = ()
    stopped: tuple[Callable[[Cta], None], ...] = ()
    reached: tuple[Callable[[Bytes, bool, Pieces | None], None], ...] = ()
    moved: tuple[Callable[[Op, int], None], ...] = ()
    printed: tuple[Callable[[str, Cta], bool], ...] = ()
    stuck: tuple[Callable[[], bool], ...] = ()
    others_move: tuple[Callable[[], bool], ...] = ()
    look: tuple[Callable[[], Look | None], ...] = ()
    hangs: tuple[Callable[[], None], ...] = ()

    def __init__(self, observers: Sequence[Observer]) -> None:
        self.in_turns = any(o.in_turns for o in observers)
        found = _overriding(tuple(type(o) for o in observers))
        self.overrides = frozenset(name for name, _ in found)
        for name, places in found:
            setattr(self, name, tuple([getattr(observers[i], name) for i in places]))


UNHEARD = frozenset(
    (
        "tally",
        "stored",
        "left",
        "cluster_starts",
        "slice_begins",
        "turned",
        "progressed",
        "idle",
        "reached",
        "printed",
        "grid_waits",
        "grid_triggers",
        "stuck",
        "others_move",
        "look",
        "hangs",
    )
)
"""Hooks that have nothing to hear where CTAs run alone: one that is not among them keeps asynchronous operations in Python."""
HOOKS = (*Observers.__annotations__, *Hooks.ASYNCHRONOUS, *Hooks.OF_GRIDS)


@lru_cache(maxsize=64)
def _overriding(kinds: tuple[type[Observer], ...]) -> tuple[tuple[str, tuple[int, ...]], ...]:
    """Of each hook that any overrides, which observers do: found once for each combination, as launches are made often."""
    found = {name: tuple(i for i, kind in enumerate(kinds) if _overrides(kind, name)) for name in HOOKS}
    return tuple((name, places) for name, places in found.items() if places)


@lru_cache(maxsize=64)
def _overriding_any(kind: type[Observer]) -> bool:
    """Whether any asynchronous hook is overridden."""
    return any(_overrides(kind, name) for name in Hooks.ASYNCHRONOUS)


def _overrides(kind: type[Observer], name: str) -> bool:
    return getattr(kind, name) is not getattr(Observer, name)
