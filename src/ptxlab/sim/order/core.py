"""What the parts of the sanitizer share: the launch, its shadow, and what its threads know."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Protocol

from ptxlab.isa.action import Action
from ptxlab.sim.engine.machine.observer import Observed, Observer
from ptxlab.sim.engine.machine.resident import Cta, Slot, Warp
from ptxlab.sim.order.checks import Checks
from ptxlab.sim.order.deferred import Deferred
from ptxlab.sim.order.earlier import Earlier
from ptxlab.sim.order.findings.findings import Findings
from ptxlab.sim.order.knowledge import Knowledge, Position, Team
from ptxlab.sim.order.native.arena import Arena
from ptxlab.sim.order.native.state import Slot as SlotRecord
from ptxlab.sim.order.parts import Mbarriers, Meetings
from ptxlab.sim.order.places import Regions
from ptxlab.sim.order.polls import Polls
from ptxlab.sim.order.sites import Copies
from ptxlab.sim.order.threads import Threads
from ptxlab.sim.order.views import View

if TYPE_CHECKING:
    from ptxlab.isa.action import Touch
    from ptxlab.ptx.program import Op
    from ptxlab.sim.engine.decoded.decode import Image
    from ptxlab.sim.engine.machine.operation import Operation
    from ptxlab.sim.order.clocks import Clock
    from ptxlab.sim.order.places import Reached
    from ptxlab.sim.order.shadow import Kind


class ComesTo(Protocol):
    """Is told that a warp has come to a barrier of its CTA, whether it waits there, and whether it was the last."""

    def __call__(self, warp: Warp, number: int, op: Op | None, *, waits: bool, over: bool) -> None: ...


class Unflagged(Exception):
    """Flags are not followed, and may matter."""


class Neighbour(Protocol):
    """Follows what a launch does beside others. talks: whether it may hand on anything to them by flags, or get to know of it."""

    talks: bool

    def attach(self, core: Core, image: Image) -> frozenset[int]:
        """The launch is about to begin. Returns: the instructions, by number, of which it has to be told."""
        ...

    def waited(self, warp: Warp, lanes: int) -> None:
        """Lanes go on behind griddepcontrol.wait."""

    def lets_begin(self, warp: Warp, lanes: int) -> None:
        """Lanes have executed griddepcontrol.launch_dependents."""

    def reaches(
        self, warp: Warp, team: Team, threads: Sequence[int], reached: Reached, touch: Touch, kind: Kind
    ) -> None:
        """Threads of a warp access global memory by themselves."""

    def fence(self, team: Team, threads: Sequence[int], order: str, scope: str) -> None:
        """Threads are about to execute a fence of the generic proxy."""

    def fenced(self, team: Team, threads: Sequence[int], order: str, scope: str) -> None:
        """They have executed it."""

    def learns(self, cta: int, threads: Sequence[int], done: Mapping[int, int]) -> None:
        """Threads of a CTA know more operations to be over, now these."""

    def issues(self, operation: Operation) -> None:
        """An operation starts."""

    def ends(self, issued: View, known: Clock) -> Clock:
        """What the end of an operation tells, whose thread knew this when it issued it: also that the grids in front are over."""
        ...


class Core(Observer):
    """The observer as its parts see it.

    Attributes:
        machine: the launch. numbers: the index of an instruction in the program, by its identity. points: where each
            is. copies: instructions that machine code follows. slots: where the arena has the resident CTAs. fenced: what each
            warp knew at its last wgmma.fence. textures: whether anything reads by .nc. changes_maps: whether
            anything may change tensor maps.
        remote: who is told of ordinary accesses to shared memory of another CTA. at_barriers: who is told of warps that come to
            barriers of their CTA. at_waits: who is told of instructions that wait for groups (their program
            counters), which machine code has executed. at_masks: who is told of warp-wide instructions whose member mask lacks a
            lane that executes them.
        lazy: whether machine code follows mbarriers, and Python hears of them when it has to judge. later: whether what hooks
            tell just now is to be noted alone.
        strict: ask for a proxy fence between a read and a later asynchronous write also behind an mbarrier, and for the scope of
            the cluster in waits for what another CTA multicasts, as the model's words do and common kernels do not; let nobody but
            its own thread know what comes before an asynchronous write; and let `red` come after what it adds to.
        flags: whether what threads hand on through flags is followed; else whatever may depend on it raises `Unflagged`.
        beside: what the launch does beside others; None where it is alone.
    """

    strict: bool = False
    flags: bool = True
    beside: Neighbour | None = None
    machine: Observed
    numbers: Mapping[int, int]
    points: Sequence[int]
    copies: Copies
    arena: Arena
    slots: dict[Slot, int]
    regions: Regions
    threads: Threads
    knowledge: Knowledge
    findings: Findings
    checks: Checks
    polls: Polls
    earlier: Earlier
    meetings: Meetings
    mbarriers: Mbarriers
    deferred: Deferred
    textures: bool
    changes_maps: bool
    lazy: bool
    later: bool

    def __init__(self) -> None:
        self.fenced: dict[Warp, View] = {}
        self.remote: list[Callable[[Warp, int, Cta, Op], None]] = []
        self.at_barriers: list[ComesTo] = []
        self.at_waits: list[Callable[[Warp, int], None]] = []
        self.at_masks: list[Callable[[Warp, int, Op], None]] = []

    def action(self, op: Op) -> Action:
        """What an instruction does."""
        raise NotImplementedError

    def is_unread(self, op: Op) -> bool:
        """Whether an instruction is an atomic operation of which nobody reads what it has found."""
        raise NotImplementedError

    def slot_of(self, cta: Cta) -> SlotRecord:
        """What machine code knows of a CTA that is resident."""
        raise NotImplementedError

    def team(self, cta: Cta) -> Team:
        """A CTA, with all that machine code has noted of it."""
        raise NotImplementedError

    def note(self, warp: Warp, lanes: int, op: Op, kind: int, first: int, second: int = 0) -> None:
        """Note something of lanes of a warp: see `NOTE_PHASE` and so on."""
        raise NotImplementedError

    def place(self, cta: Cta) -> Position:
        """Where a CTA's threads run."""
        raise NotImplementedError

    def keep(self, cta: Cta, item: object) -> int:
        """Keep something that Python needs for a note: its number."""
        raise NotImplementedError

    def team_of(self, warp: Warp) -> Team:
        """The CTA of a warp that runs, with all that machine code has noted of it."""
        raise NotImplementedError
