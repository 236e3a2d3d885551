"""What threads wait for in a launch that hangs, and who could end that. Each kind of wait is a subclass of `Wait`.

Families register the kinds that concern them, and rules for their causes, by `register_kinds` (families/diagnose.py).
"""

from __future__ import annotations

import time
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, TypeAlias

from ptxlab.sim.engine.compiled.registry import load
from ptxlab.sim.engine.machine.observer import Observed, Observer

if TYPE_CHECKING:
    from ptxlab.ptx.program import Op
    from ptxlab.sim.engine.machine.resident import Cta, Warp
    from ptxlab.sim.engine.machine.trap import TrapContext, Unit

Members = dict["Warp", int]
"""Lanes of warps, as masks."""
Of: TypeAlias = Any
"""A `Graph` (graph.py), which imports this module."""


@dataclass(eq=False, slots=True)
class Supplier:
    """Threads that could end a wait.

    Attributes:
        members: who. op: the instruction by which. state: "exited", "waits" or "runs". wait: what for, where they wait.
        before: whether they have done it in an earlier phase; else they may come to the instruction.
    """

    members: Members
    op: Op
    state: str
    wait: Wait | None = None
    before: bool = False


@dataclass(eq=False, slots=True)
class Wait:
    """Threads that wait at one instruction for the same thing.

    Attributes:
        kind: its name, for machines. end: what suppliers do to it. by_instruction: whether they do that by an instruction of
            their own, not by coming here, too.
        members: who. op: where. cta: of the first of them. suppliers: who could end it.
    """

    kind: ClassVar[str]
    end: ClassVar[str] = "complete"
    by_instruction: ClassVar[bool] = False
    op: Op
    cta: Cta
    members: Members = field(default_factory=dict["Warp", int])
    suppliers: list[Supplier] = field(default_factory=list[Supplier], kw_only=True)

    def target(self, graph: Of) -> str:
        """What is waited for, in words."""
        raise NotImplementedError

    def thing(self, graph: Of) -> str:
        """The same without a phase."""
        return self.target(graph)

    def lacks(self) -> str:
        """What is missing, in words; "" where nobody knows."""
        return ""

    def supplied(self, graph: Of) -> Iterator[Supplier]:
        """Who could end it."""
        return iter(())

    def state(self) -> tuple[Hashable, ...]:
        """What it is for and how far that is: alike in waits of several CTAs for the same."""
        return ()

    def phase_number(self) -> int:
        """Which phase is waited for; 0 where there are none."""
        return 0

    def happened(self, graph: Of) -> tuple[Hashable, str] | None:
        """What has happened at the thing that is waited for: its key, and words or "". None where that is not known."""
        return None

    def around(self, graph: Of) -> list[str]:
        """What has happened at things beside it."""
        return []

    def data(self, graph: Of) -> dict[str, Any] | None:
        """What is known of the barrier, for machines."""
        return None


@dataclass(eq=False, slots=True)
class Question(Wait):
    """Lanes read memory again and again. words: what they read."""

    kind: ClassVar[str] = "memory"
    words: str = field(default="", kw_only=True)

    def target(self, graph: Of) -> str:
        return self.words or "nothing that changes"


@dataclass(eq=False, slots=True)
class Other(Wait):
    """Lanes wait for other lanes of the warp, other warps of the warpgroup, registers. words: why."""

    kind: ClassVar[str] = "other"
    words: str = field(default="", kw_only=True)

    def target(self, graph: Of) -> str:
        return self.words


@dataclass(frozen=True, slots=True)
class Cause:
    """Why a launch hangs, most likely.

    Attributes:
        rule: its name, for machines. words: a sentence. help: the way out. wait: the wait that it explains.
    """

    rule: str
    words: str
    help: str
    wait: Wait


Rule: TypeAlias = Callable[[Of, Wait], Cause | None]


def either(*rules: Rule) -> Rule:
    """The rules as one: the first that fits a wait."""
    return lambda graph, wait: next((cause for rule in rules if (cause := rule(graph, wait)) is not None), None)


Found: TypeAlias = tuple[Wait, Hashable]
"""A wait, and a key: waits of the same key are one."""


class Waits:
    """Finds waits of a kind. units: whose own words of who waits it makes superfluous."""

    units: tuple[type[Unit], ...] = ()

    def in_units(self, graph: Of) -> Iterator[Found]:
        """Waits that units know of."""
        return iter(())

    def of_warp(self, graph: Of, warp: Warp) -> Found | None:
        """The wait of a warp as a whole."""
        return None

    def asked(self, graph: Of, ctx: TrapContext, op: Op) -> list[Found]:
        """Waits of lanes that ask by an instruction whether something is over; [] where it asks for something else."""
        return []


class TooLong(Exception):
    """The time for the second run is over."""


class Listener(Observer):
    """Listens to the second run of a launch: what happens at whatever threads wait for. seconds: how long that may take."""

    def __init__(self, seconds: float) -> None:
        self._end = time.monotonic() + seconds

    def attach(self, machine: Observed) -> None:
        self.machine = machine

    def slice_begins(self) -> None:
        if time.monotonic() > self._end:
            raise TooLong

    def printed(self, text: str, cta: Cta) -> bool:
        return True  # the first run has printed it


@dataclass(frozen=True, slots=True)
class Kinds:
    """What families know of hangs.

    Attributes:
        waits: kinds of waits. rules: for causes, the most telling first. listener: makes what listens to the second run.
    """

    waits: Sequence[Waits]
    rules: Sequence[Rule]
    listener: Callable[[float], Listener]


_registered: list[Kinds] = []


def register_kinds(kinds: Kinds) -> None:
    """Say what families know of hangs."""
    _registered[:] = [kinds]


def kinds() -> Kinds:
    """What families know of hangs."""
    if not _registered:
        load("diagnose")
    return _registered[0]
