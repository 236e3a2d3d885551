"""Observers for tests: what they are told, and whether operations touch the bytes that they say."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any
from unittest import mock

from ptxlab.ptx.program import Op
from ptxlab.sim.diagnose.observe.launch import machine_of
from ptxlab.sim.engine.machine.machine import Machine
from ptxlab.sim.engine.machine.observer import Observer
from ptxlab.sim.engine.machine.operation import Operation, Place, Stage
from ptxlab.sim.engine.machine.resident import Warp


@contextmanager
def observed(observer: Observer) -> Iterator[None]:
    """Simulations are observed."""

    def made(record: Any, options: Any, *others: Any, **more: Any) -> Machine:
        return machine_of(record, options, observer, *others, **more)

    with mock.patch("ptxlab.sim.diagnose.observe.launch.machine_of", made):
        yield


class Recorder(Observer):
    """Writes down what it is told, in words that do not depend on the schedule."""

    def __init__(self) -> None:
        self.events: list[tuple[Any, ...]] = []
        self.operations: list[Operation] = []

    def _add(self, name: str, *what: Any) -> None:
        self.events.append((name, *what))

    def of(self, *names: str) -> list[tuple[Any, ...]]:
        """The events of these kinds, in their order."""
        return [e for e in self.events if e[0] in names]

    def issued(self, operation: Operation) -> None:
        assert operation.stage is Stage.ISSUED
        self.operations.append(operation)
        assert operation.number == len(self.operations)
        self._add("issued", operation.number, _warp(operation.warp), operation.lanes, operation.op.inst.form.key)

    def waited(self, warp: Warp, operations: Sequence[tuple[Operation, int]], stage: Stage) -> None:
        assert operations
        for operation, mask in operations:
            assert operation.stage >= stage
            assert warp in operation.warps
            self._add("waited", _warp(warp), operation.number, mask, stage.name)

    def committed(self, warp: Warp, mask: int, kind: str) -> None:
        self._add("committed", _warp(warp), mask, kind)

    def mbarrier_initialised(self, warp: Warp, lane: int, place: Place, op: Op) -> None:
        self._add("initialised", _warp(warp), lane, _place(place))

    def mbarrier_invalidated(self, warp: Warp, lane: int, place: Place, op: Op) -> None:
        self._add("invalidated", _warp(warp), lane, _place(place))

    def mbarrier_arrived(self, warp: Warp, lanes: int, place: Place, phase: int, op: Op) -> None:
        self._add("arrived", _warp(warp), lanes, _place(place), phase)

    def mbarrier_expected(self, warp: Warp, lane: int, place: Place, phase: int, nbytes: int, op: Op) -> None:
        self._add("expected", _warp(warp), lane, _place(place), phase, nbytes)

    def mbarrier_completed(self, operation: Operation, place: Place, phase: int) -> None:
        assert operation.stage is Stage.COMPLETE
        self._add("completed", operation.number, _place(place), phase)

    def mbarrier_passed(self, warp: Warp, lanes: int, place: Place, phase: int, op: Op) -> None:
        self._add("passed", _warp(warp), lanes, _place(place), phase)

    def cluster_arrived(self, warp: Warp, lanes: int, op: Op) -> None:
        self._add("cluster arrived", _warp(warp), lanes)

    def cluster_passed(self, warp: Warp, lanes: int, op: Op) -> None:
        self._add("cluster passed", _warp(warp), lanes)

    def mapped(self, warp: Warp, lanes: int, op: Op, kind: str, addresses: Sequence[int]) -> None:
        self._add("mapped", _warp(warp), lanes, kind, tuple(addresses))


def _warp(warp: Warp) -> tuple[int, int]:
    return warp.cta.index, warp.index


def _place(place: Place) -> tuple[int, int]:
    return place.cta.index, place.offset
