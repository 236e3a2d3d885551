"""PTX9216: copies through a tensor map that nothing orders behind its change, or the change behind them.

A change reaches a copy by four steps, each ordered behind the one before: somebody changes the map, a thread that knows of it
releases it to the tensormap proxy, a thread of the CTA that copies acquires the map, and the copy is issued. Clocks say which of
them know of each other, so it does not matter when they happen to run.

Ordinary stores change a map, too: whoever copies one into global memory word by word has to release it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ptxlab.isa.effects import Access
from ptxlab.layout.tensormap_fields import NBYTES
from ptxlab.sim.engine.machine.faults import name_of
from ptxlab.sim.families.tensormap.unit import TensorMaps
from ptxlab.sim.order.clocks import Clock
from ptxlab.sim.order.companions.companion import Companion, knows
from ptxlab.sim.order.knowledge import threads_of
from ptxlab.sim.order.shadow import OPERATION, WRITE_TIME, WRITER, Kind, past_write

if TYPE_CHECKING:
    from ptxlab.ptx.program import Op
    from ptxlab.sim.engine.machine.operation import Operation
    from ptxlab.sim.engine.machine.resident import Warp
    from ptxlab.sim.order.sanitizer import Sanitizer


@dataclass(slots=True)
class _Event:
    """Something that lanes of a warp have done: when, by which instruction, and what they knew then."""

    warp: Warp
    threads: list[int]
    time: int
    op: Op
    clock: Clock

    def known_to(self, other: _Event) -> bool:
        """Whether it happens before another one."""
        return knows(other.clock, self.warp.cta.index, self.threads, self.time)


@dataclass(frozen=True, slots=True)
class _Store:
    """An ordinary store to bytes of a map: by which thread, when, and by which instruction."""

    cta: int
    thread: int
    time: int
    op: Op

    def known_to(self, other: _Event) -> bool:
        """Whether it happens before an event."""
        return knows(other.clock, self.cta, [self.thread], self.time)


@dataclass(slots=True)
class _Map:
    """A tensor map in memory: its changes, the releases behind them, its acquisitions, and the copies through it.

    judged: of lanes of a warp, which changes and stores their latest copy was compared with.
    """

    changes: dict[Warp, _Event] = field(default_factory=dict["Warp", _Event])
    acquired: list[_Event] = field(default_factory=list[_Event])
    copies: dict[int, Operation] = field(default_factory=dict[int, "Operation"])
    judged: dict[tuple[Warp, int], tuple[int, bytes]] = field(
        default_factory=dict["tuple[Warp, int]", tuple[int, bytes]]
    )
    count: int = 0
    """Of all changes."""


class MapOrder(Companion):
    """Follows changes and uses of tensor maps."""

    def __init__(self, core: Sanitizer) -> None:
        super().__init__(core)
        self._maps: dict[int, _Map] = {}
        self._releases: list[_Event] = []

    def _event(self, warp: Warp, lanes: int, op: Op) -> _Event:
        team, know, threads = self.core.team(warp.cta), self.core.knowledge, threads_of(warp.index, lanes)
        time = know.now
        return _Event(warp, threads, time, op, know.publish(team, threads).clock)

    def mapped(self, warp: Warp, lanes: int, op: Op, kind: str, addresses: Sequence[int]) -> None:
        event = self._event(warp, lanes, op)
        if kind == "release":
            self._releases.append(event)
            return
        found = self._maps.setdefault(addresses[0], _Map())
        if kind == "acquire":
            found.acquired.append(event)
            return
        found.changes[warp] = event
        found.count += 1
        for operation in found.copies.values():
            if not self.core.operations.has_read(operation, event.clock):
                self._found(addresses[0], operation, event, changes_later=True)
        if kind == "copy":  # tensormap.cp_fenceproxy releases what it writes
            self._releases.append(self._event(warp, lanes, op))

    def issued(self, operation: Operation) -> None:
        if not self.core.changes_maps and not self.machine.unit(TensorMaps).uses:
            return  # all maps are parameters
        places = [f for f in operation.reads if f.proxy == "tensormap"]
        for footprint in places:
            address = int(footprint.starts[0])
            found = self._maps.setdefault(address, _Map())
            found.copies[id(operation.op)] = operation
            key, judged = (operation.warp, operation.lanes), (found.count, self._written(address))
            if found.judged.get(key) != judged:  # else a copy before this one, by the same threads, has been compared
                found.judged[key] = judged
                self._judge(address, found, operation)

    def _judge(self, address: int, found: _Map, operation: Operation) -> None:
        """Compare a copy with the changes of its map, and with the stores to it."""
        event = self._at_issue(operation)
        for change in found.changes.values():
            if not self._reaches(found, change, event):
                self._found(address, operation, change, changes_later=False)
        for store in self._stores(address):
            if not self._reaches(found, store, event):
                self._stored(address, operation, store)
                break

    def _at_issue(self, operation: Operation) -> _Event:
        """The start of an operation: what its threads have published then."""
        warp = operation.warp
        self.core.team(warp.cta)  # Python hears of the operation, if it has not yet
        view = self.core.operations.knows_at_issue(operation)
        if view is None:
            return self._event(warp, operation.lanes, operation.op)
        threads = threads_of(warp.index, operation.lanes)
        return _Event(warp, threads, self.core.knowledge.now, operation.op, view.clock)

    def _cells(self, address: int) -> Iterator[NDArray[np.uint32]]:
        """What is known of the bytes of a map."""
        lane, where, size = np.zeros(1, np.int64), np.array([address], np.uint64), np.array([NBYTES], np.int64)
        for reached in self.core.regions.in_global(lane, where, size):
            granules, _ = reached.region.granules(reached.starts, reached.nbytes)
            yield reached.region.cells[granules]

    def _written(self, address: int) -> bytes:
        """Who has written the bytes of a map last, and when."""
        return b"".join(cells[:, [WRITER, WRITE_TIME]].tobytes() for cells in self._cells(address))

    def _stores(self, address: int) -> list[_Store]:
        """The ordinary stores of threads that have written the bytes of a map last."""
        out: dict[tuple[int, int], _Store] = {}
        for cells in self._cells(address):
            pasts = [past_write(cell) for cell in cells]
            for agent, time, info in {(p.agent, p.time, p.info) for p in pasts if p is not None}:
                if agent & OPERATION:
                    continue
                op = self.machine.image.ops[Kind.of(info).site]
                if isinstance(op.inst.form.effect, Access) and op.inst.form.effect.tensormap is None:
                    out[agent, time] = _Store(*self.core.threads.thread(agent), time, op)
        return [out[key] for key in sorted(out)]

    def _reaches(self, found: _Map, change: _Event | _Store, use: _Event) -> bool:
        """Whether a release, and an acquisition in the copy's CTA, order a change before the copy."""
        for release in self._releases:
            if change.known_to(release):
                for acquired in found.acquired:
                    if acquired.warp.cta is use.warp.cta and release.known_to(acquired) and acquired.known_to(use):
                        return True
        return False

    def _stored(self, address: int, use: Operation, store: _Store) -> None:
        name, stored = name_of(self.machine, address), f"`{store.op.inst.opcode}`"
        what = f"`{use.op.inst.opcode}` reads the tensor map {name}, of which {stored} writes bytes"
        message = f"{what}, and no release and acquire lead from the store to the copy"
        notes = [f"{self.who(use.warp, use.lanes)}: `{use.op.text}`", f"the store: `{store.op.text}`"]
        self.report("PTX9216", message, use.op, notes, store.op)

    def _found(self, address: int, use: Operation, change: _Event, *, changes_later: bool) -> None:
        name = name_of(self.machine, address)
        what = f"`{use.op.inst.opcode}` reads the tensor map {name}, which `{change.op.inst.opcode}` changes"
        why = "no release and acquire lead from the change to the copy"
        if changes_later:
            why = "nothing orders the change behind the copy"
        notes = [
            f"{self.who(use.warp, use.lanes)}: `{use.op.text}`",
            f"{self.who(change.warp, 1 << change.threads[0] % 32)}: `{change.op.text}`",
        ]
        self.report("PTX9216", f"{what}, and {why}", use.op, notes, change.op)
