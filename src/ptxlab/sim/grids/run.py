"""Runs what streams hold: entries that may overlap side by side, all others one after the other.

The first entry that is not over drives: it runs like a launch that is alone, and where it gets on no further by itself, those
behind it take their turns. Under "eager" a grid is over, if it can be, before the next one begins. Under "late" CTAs stay at
griddepcontrol.launch_dependents, so that those that depend on them see as little as possible. Under "random" a draw decides
after each turn whether others get one.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import TYPE_CHECKING

from ptxlab.abi.occupancy import Chip
from ptxlab.abi.record import LaunchRecord
from ptxlab.diag import Diagnostic
from ptxlab.ptx.collector import seldom_collected
from ptxlab.ptx.grids import waits_for_grids
from ptxlab.sim.diagnose.observe.launch import machine_of
from ptxlab.sim.engine.machine.draws import draw
from ptxlab.sim.grids import room, stops
from ptxlab.sim.grids.compare import compare
from ptxlab.sim.grids.member import Failed, Member
from ptxlab.sim.grids.node import Node, together
from ptxlab.sim.launch.run import run

if TYPE_CHECKING:
    from ptxlab.sim.engine.machine.machine import Machine
    from ptxlab.sim.engine.machine.observer import Observer
    from ptxlab.sim.order.beside import Beside
    from ptxlab.sim.order.board import Board
    from ptxlab.sim.report.report import Report

_TURNS = 0x62D5
"""Tells these draws from others."""


def run_all(nodes: Sequence[Node]) -> list[Report | None]:
    """The reports of all entries, in order; None for work of the host.

    Raises: Stopped for the first launch that stops; those behind it have not run, or in part.
    """
    reports: list[Report | None] = []
    for stretch in together(nodes):
        if len(stretch) > 1:
            reports += _Group(nodes, stretch).run()
            continue
        node = nodes[stretch.start]
        if isinstance(node.work, LaunchRecord):
            try:
                reports.append(run(node.work, node.options))
            except Diagnostic as wrong:
                raise Stopped(stretch.start, wrong) from None
        else:
            node.work()
            reports.append(None)
    return reports


def _on_device_of(one: Member, members: Sequence[Member]) -> list[Member]:
    """Those of some launches that run on the device of one."""

    def device(member: Member) -> int | None:
        return member.node.work.ordinal if isinstance(member.node.work, LaunchRecord) else None

    return [member for member in members if device(member) == device(one)]


class Stopped(Exception):
    """A launch has stopped.

    Attributes:
        place: of the launch. wrong: why.
    """

    def __init__(self, place: int, wrong: Diagnostic) -> None:
        self.place, self.wrong = place, wrong


class _Group:
    """Entries that may overlap."""

    def __init__(self, nodes: Sequence[Node], stretch: range) -> None:
        self._nodes, self._stretch, self._first = nodes, stretch, stretch.start
        self.members = [Member(nodes[place], place, self) for place in stretch]
        self._chips = defaultdict[int, Chip](Chip)  # by device
        self._board: Board | None = None
        self._clock = 0
        self._running: list[Member] = []
        self._drawn = 0

    def run(self) -> list[Report | None]:
        """Run them to their ends."""
        with seldom_collected():
            for member in self.members:
                if member.over:
                    continue
                self._begin(member)
                self._enter(member)
                try:
                    member.run()
                except Diagnostic as wrong:
                    raise self._stopped(member.place, wrong) from None
                except Failed as failed:
                    raise self._stopped(failed.place, failed.wrong) from None
                self._leave(member)
        compare(self._nodes, self._stretch, self.members)
        for member in self.members:
            if member.begun:
                member.machine.leave()
        return [member.report for member in self.members]

    def _stopped(self, place: int, wrong: Diagnostic) -> Stopped:
        """A launch has stopped: with what was found between it and others."""
        here = self.members[place - self._first]
        room.explained(stops.explained(wrong, here, self.members), place, _on_device_of(here, self.members))
        found = compare(self._nodes, self._stretch, self.members)
        wrong.also = (*wrong.also, *(d for d in found if d not in wrong.also))
        return Stopped(place, wrong)

    # -- what members ask
    def has_to_wait(self, member: Member) -> bool:
        return not all(self._is_over(place) for place in member.node.before)

    def holds(self) -> bool:
        return self._schedule == "late"

    def help(self, member: Member) -> bool:
        if len(self._running) > 1:
            return False  # it runs beside another one, which will ask
        others = [one for one in self.members if one is not member and not one.over]
        if self._schedule == "late":
            others.reverse()
        for other in others:
            if self._may_run(other) and self._step(other):
                return True
        return any(one.let_go() for one in self.members if not one.over)

    def others_move(self, member: Member) -> bool:
        others = [one for one in self.members if one is not member and not one.over and self._may_run(one)]
        return any(self._may_move(one) for one in others)

    def has_turned(self, member: Member) -> None:
        if self._schedule != "random" or len(self._running) > 1:
            return
        self._drawn += 1
        bits = draw(self._seed, _TURNS, self._drawn)
        others = [one for one in self.members if one is not member and not one.over and self._may_run(one)]
        if bits & 1 and others:
            self._step(others[(bits >> 1) % len(others)])

    # -- running
    @property
    def _schedule(self) -> str:
        return self.members[0].node.options.schedule

    @property
    def _seed(self) -> int:
        return self.members[0].node.options.seed

    def _is_over(self, place: int) -> bool:
        return place < self._first or self.members[place - self._first].over

    def _may_run(self, member: Member) -> bool:
        """Whether an entry runs, or may begin: then it has begun."""
        if member.begun:
            return True
        node = member.node
        if not all(map(self._is_over, node.after)):
            return False
        primary = None if node.early is None or node.early < self._first else self.members[node.early - self._first]
        if primary is not None and not primary.lets_begin:
            return False
        self._begin(member)
        return not member.begun or member.machine.residency.fits

    def _begin(self, member: Member) -> None:
        record = member.node.work
        if member.begun or not isinstance(record, LaunchRecord):
            return

        beside = self._beside(member.node)

        def machine(observer: Observer) -> Machine:
            return machine_of(record, member.node.options, observer, chip=self._chips[record.ordinal], beside=beside)

        member.beside = beside
        member.make(machine)

    def _beside(self, node: Node) -> Beside | None:
        """What follows a launch beside others, if it is sanitized."""
        if not node.options.sanitize:
            return None
        from ptxlab.sim.order.beside import Beside
        from ptxlab.sim.order.board import Board

        assert isinstance(node.work, LaunchRecord)
        self._board = self._board or Board()
        return Beside(waits=node.early is not None and waits_for_grids(node.work.program), board=self._board)

    def _step(self, member: Member) -> bool:
        """An entry does something while another one waits for it."""
        if self._running:
            self._pause(self._running[-1])
        self._enter(member)
        try:
            return member.step()
        finally:
            self._leave(member)
            if self._running:
                self._resume(self._running[-1])

    def _may_move(self, member: Member) -> bool:
        self._enter(member)
        try:
            return member.may_move()
        finally:
            self._leave(member)

    def _enter(self, member: Member) -> None:
        self._resume(member)
        self._running.append(member)

    def _leave(self, member: Member) -> None:
        self._pause(member)
        self._running.pop()
        if member.over:
            for other in self.members:
                other.go_on()

    def _pause(self, member: Member) -> None:
        if member.begun:
            self._clock = member.machine.clock

    def _resume(self, member: Member) -> None:
        """All machines show one time."""
        if member.begun:
            member.machine.skip(max(0, self._clock - member.machine.clock))
