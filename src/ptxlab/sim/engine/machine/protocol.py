"""What the parts of a machine know of it, and what the machine knows of its asynchronous units.

Units, instructions that run in Python, faults and reports of deadlocks take a `MachineLike`; the scheduler drives a
`Schedulable`. The machine itself (machine.py) imports them, and none of them imports it.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from ptxlab.abi.occupancy import Residency
from ptxlab.abi.options import SimOptions
from ptxlab.isa.operands import Symbol
from ptxlab.ptx.program import Op
from ptxlab.sim.engine.compiled.native import Block, Bytes
from ptxlab.sim.engine.machine.hooks import Hooks
from ptxlab.sim.engine.machine.resident import Cluster, Cta, Launched, Parked, Warp
from ptxlab.sim.report.report import Report

U = TypeVar("U", bound="Unit")
Pieces = tuple[NDArray[np.int64], int]
"""Parts of a view: where each begins, and the bytes of each."""


class MachineLike(Launched, Protocol):
    """A launch under way, as units and instructions that run in Python see it.

    Attributes:
        options: schedule, seed, …. report: findings, counts, timeline so far. env: the native environment.
        resident: the clusters that share the machine now. residency: which may. parked: lanes that wait, by key.
        units: the asynchronous units of the launch. hooks: whom they tell what they do.
        woken: whether a wait has ended since the scheduler last set it to False.
    """

    woken: bool

    @property
    def options(self) -> SimOptions: ...
    @property
    def report(self) -> Report: ...
    @property
    def env(self) -> Block: ...
    @property
    def resident(self) -> list[Cluster]: ...
    @property
    def residency(self) -> Residency: ...
    @property
    def parked(self) -> Mapping[Hashable, Sequence[Parked]]: ...
    @property
    def units(self) -> Sequence[Unit]: ...
    @property
    def hooks(self) -> Hooks: ...
    @property
    def clock(self) -> int:
        """What clocks show: nanoseconds, which are warp instructions and the time that went by while nobody ran."""
        ...

    def unit(self, cls: type[U]) -> U:
        """The launch's instance of a unit."""
        ...

    def park(self, key: Hashable, group: Parked) -> None:
        """Note lanes that wait already, for `wake` with the same key."""
        ...

    def wake(self, key: Hashable) -> int:
        """End the wait of all lanes parked on a key; their instruction is tried again. Returns how many groups woke."""
        ...

    def symbol_address(self, symbol: Symbol, cta: Cta) -> int:
        """The address of a variable in its state space, as a CTA sees it; of a parameter, where it lies in this process."""
        ...

    def global_view(self, where: int, nbytes: int, *, write: bool = False, pieces: Pieces | None = None) -> Bytes:
        """Global memory as bytes. Raises Diagnostic PTX9002 outside the launch's buffers, PTX9004 for read-only ones.

        `pieces`: the parts of it that are read or written, where that is not all: places in the view, and bytes of each.
        """
        ...

    def write(self, text: str, cta: Cta) -> None:
        """What the kernel prints."""
        ...

    def moved(self, op: Op, nbytes: int) -> None:
        """A unit has copied so many bytes for an instruction."""
        ...


@dataclass(frozen=True, slots=True)
class Waiting:
    """Somebody who waits, for the report of a deadlock.

    Attributes:
        warp: who, or the first of them. words: who they are, and what they wait for.
        mask: the lanes; 0 for those of the warp that wait, whichever they are.
        meets: whether they wait for threads that are to come to the same place, and may be kept from it by another wait.
        unseen: they read what others have changed, and do not see it: what to do instead. "" for all others.
        op: the instruction where they wait; None: where the warp stands.
    """

    warp: Warp
    words: str
    mask: int = 0
    meets: bool = False
    unseen: str = ""
    op: Op | None = None


class Unit:
    """An asynchronous unit of the machine (TMA, tensor cores, …). Register subclasses with `@unit`.

    Every launch makes one instance of each unit; `machine.unit(Class)` finds it. Override what is needed.
    """

    def __init__(self, machine: MachineLike) -> None:
        self.machine = machine

    def cta_started(self, cta: Cta) -> None:
        """A CTA becomes resident; its shared memory may hold anything."""

    def taken_over(self, cta: Cta) -> None:
        """A CTA that ran alone in native code goes on with units: what native code knows of it is theirs to know now."""

    def cluster_finished(self, cluster: Cluster) -> None:
        """All threads of the cluster have exited. Operations still under way must be carried out now: after this call
        its shared memory belongs to another cluster."""

    def turned(self, cta: Cta) -> None:
        """A CTA has had its turn. Only told where polls ask what an SM's cache holds."""

    def slice_end(self, cluster: Cluster) -> None:
        """The cluster has used up a slice of instructions, or all its warps wait: a place for events that are due."""

    def idle(self) -> bool:
        """Nothing can run: carry out what is pending, at least one event. Returns whether anything happened.
        When every unit answers False, the launch is deadlocked."""
        return False

    def pending(self) -> bool:
        """Whether something is under way that happens without any thread's doing."""
        return False

    def timed(self) -> Iterable[Warp]:
        """Warps with lanes that are parked for a limited time."""
        return ()

    def next_end(self, *, last: bool = False) -> int | None:
        """When the time of the wait that ends next is over (`last`: of all waits), by the machine's clock. None without any."""
        return None

    def time_passed(self) -> None:
        """The clock was put forward: wake lanes whose waits are over."""

    def deadlock_notes(self) -> list[Waiting]:
        """Who waits on which barrier and phase, for how many arrivals and bytes: the likeliest cause of a deadlock first."""
        return []

    def finished(self) -> None:
        """The launch is over: all clusters have finished."""


UNITS: list[type[Unit]] = []
"""The classes of units; every launch makes one instance of each."""


def unit(cls: type[U]) -> type[U]:
    """Register a unit class."""
    UNITS.append(cls)
    return cls
