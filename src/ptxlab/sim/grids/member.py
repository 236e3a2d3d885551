"""A launch among others that it may overlap with."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from functools import cached_property
from typing import TYPE_CHECKING, Protocol

from ptxlab.abi.record import LaunchRecord
from ptxlab.diag import Diagnostic
from ptxlab.sim.engine.compiled import frame as F
from ptxlab.sim.engine.machine.observer import Observed, Observer, Turn
from ptxlab.sim.engine.machine.schedule import Rounds, rounds

if TYPE_CHECKING:
    from ptxlab.sim.engine.machine.machine import Machine
    from ptxlab.sim.engine.machine.resident import Cta, Warp
    from ptxlab.sim.grids.node import Node
    from ptxlab.sim.order.beside import Beside
    from ptxlab.sim.report.report import Report


class Neighbours(Protocol):
    """What a member knows of the others."""

    def has_to_wait(self, member: Member) -> bool:
        """Whether a grid that its own waits for, at griddepcontrol.wait, is not over."""
        ...

    def holds(self) -> bool:
        """Whether CTAs that have executed griddepcontrol.launch_dependents stay there until nobody else gets on."""
        ...

    def help(self, member: Member) -> bool:
        """The launch is stuck: the others run. Whether anything was done."""
        ...

    def others_move(self, member: Member) -> bool:
        """The launch is stuck: whether one of the others may still do something."""
        ...

    def has_turned(self, member: Member) -> None:
        """A CTA of the launch has had its turn."""
        ...


class Failed(Exception):
    """A launch has stopped while another one was waiting for it."""

    def __init__(self, place: int, wrong: Diagnostic) -> None:
        self.place, self.wrong = place, wrong


class Member(Observer):
    """An entry of a stream, while it waits, runs, or is over; of its machine, if it is a launch, an observer.

    Attributes:
        node: what it is. over: whether it has come to its end. report: of a launch that is over. beside: what the sanitizer
            has noted of it for others.
    """

    def __init__(self, node: Node, place: int, neighbours: Neighbours) -> None:
        self.node, self.place = node, place
        self._neighbours = neighbours
        self._held = False
        self._machine: Machine | None = None
        self.over = False
        self.beside: Beside | None = None
        self.report: Report | None = None

    def make(self, machine: Callable[[Observer], Machine]) -> None:
        """It may begin: its machine, if it is a launch; it observes it."""
        self._machine = machine(self)

    @property
    def begun(self) -> bool:
        """Whether it may have done anything."""
        return self._machine is not None

    @property
    def machine(self) -> Machine:
        """The machine of a launch that has begun."""
        assert self._machine is not None
        return self._machine

    @cached_property
    def _rounds(self) -> Rounds:
        return rounds(self.machine, self.machine.starts)

    @property
    def lets_begin(self) -> bool:
        """Whether those that depend on it may begin: all CTAs have begun, and executed launch_dependents or ended."""
        if self.over:
            return True
        if self._machine is None or self._machine.starts.left:
            return False
        resident = (cta for cluster in self._machine.resident for cta in cluster.ctas)
        return all(cta.ended or cta.block.get(F.C_TRIGGERED) for cta in resident)

    # -- running
    def run(self) -> None:
        """Run to the end; others run where this one is stuck. Raises Diagnostic as `Machine.run`."""
        if not isinstance(self.node.work, LaunchRecord):
            self.node.work()
        elif "_rounds" in self.__dict__:
            with self.machine.running():
                self._rounds.run()
        else:
            self.machine.run()
        self._ends()

    def step(self) -> bool:
        """Do something, beside another one that is stuck. Whether anything was done. Raises `Failed`."""
        if not isinstance(self.node.work, LaunchRecord):
            self.run()
            return True
        try:
            with self.machine.running(part=True):
                done = self._rounds.step()
        except Diagnostic as wrong:
            raise Failed(self.place, wrong) from None
        if not self.machine.resident and not self.machine.starts.left:
            self._ends()
            return True
        return done

    def may_move(self) -> bool:
        """Whether it may still do something by itself, now that another one is stuck."""
        return not isinstance(self.node.work, LaunchRecord) or self._rounds.may_move()

    def _ends(self) -> None:
        self.over = True
        if self._machine is not None:
            self.report = self._machine.finished()

    def go_on(self) -> None:
        """Lanes that wait at griddepcontrol.wait go on, if all that they wait for is over."""
        if self._machine is not None and not self.over and not self._neighbours.has_to_wait(self):
            self._machine.env.set64(F.E_EARLY, 0)
            self._machine.wake(_Wait(self))

    def let_go(self) -> bool:
        """Those that are held at launch_dependents go on. Whether there are any."""
        if not self._held:
            return False
        self._held = False
        return bool(self.machine.wake(_Hold(self)))

    # -- what the machine tells
    def attach(self, machine: Observed) -> None:
        machine.env.set64(F.E_HOLDS, int(self._neighbours.holds()))
        machine.env.set64(F.E_EARLY, int(self._neighbours.has_to_wait(self)))

    def grid_waits(self, warp: Warp, lanes: int, *, again: bool) -> Hashable | None:
        return _Wait(self) if self._neighbours.has_to_wait(self) else None

    def grid_triggers(self, warp: Warp, lanes: int, *, again: bool) -> Hashable | None:
        if again or not self._neighbours.holds():
            return None
        self._held = True
        return _Hold(self)

    def stuck(self) -> bool:
        return self._neighbours.help(self)

    def others_move(self) -> bool:
        return self._neighbours.others_move(self)

    def turned(self, cta: Cta, turn: Turn) -> None:
        self._neighbours.has_turned(self)


class _Key:
    """What lanes of a launch are parked on."""

    def __init__(self, member: Member) -> None:
        self._member = member

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and other._member is self._member

    def __hash__(self) -> int:
        return hash((type(self), id(self._member)))


class _Wait(_Key):
    """griddepcontrol.wait."""


class _Hold(_Key):
    """griddepcontrol.launch_dependents, where what stands behind it happens as late as possible."""
