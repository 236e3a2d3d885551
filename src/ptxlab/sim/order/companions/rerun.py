"""A launch once more, with other bits in the registers and the local memory that nobody has written."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from ptxlab.abi.memory import bytes_of
from ptxlab.diag import Diagnostic
from ptxlab.sim.engine.compiled import frame as F
from ptxlab.sim.engine.machine.observer import Observed, Observer

if TYPE_CHECKING:
    from ptxlab.abi.options import SimOptions
    from ptxlab.abi.record import LaunchRecord
    from ptxlab.sim.engine.machine.machine import Machine

    Maker = Callable[..., Machine]

T = TypeVar("T")
MOST_RUNS = 64
"""Runs in search of what the results depend on."""
_SEED = 0x5EED


class Altered(Observer):
    """Changes what a launch finds in registers and local memory that nobody has written, and keeps it from printing."""

    def __init__(
        self, registers: Iterable[str] = (), local: Iterable[int] | None = (), *, lane: int | None = None
    ) -> None:
        """`registers`: those that differ, in all lanes or in one. `local`: the bytes of a thread's local memory that differ;
        None: all."""
        self._registers, self._local, self._lane = registers, local, lane

    def attach(self, machine: Observed) -> None:
        unwritten, image = machine.unwritten, machine.image  # type: ignore[attr-defined]
        dice = np.random.default_rng(_SEED)
        rows, local = unwritten.rows.copy(), unwritten.local.copy()
        for name in self._registers:
            first = image.rows[name] - unwritten.registers.start
            other = self._changed(rows[first : first + _row_bytes(machine, name)], dice)
            rows[first : first + len(other)] = other
        places = range(len(local)) if self._local is None else [p for p in self._local if p < len(local)]
        for place in places:
            local[place] = ~local[place] ^ int(dice.integers(0, 2))
        unwritten.rows, unwritten.local = rows, local
        unwritten.attach(machine.env)

    def _changed(self, row: NDArray[np.uint8], dice: np.random.Generator) -> NDArray[np.uint8]:
        """A register's row with other bits."""
        other = ~row ^ dice.integers(0, 2, len(row), np.uint8)
        if self._lane is None:
            return other
        if len(row) == 4:  # a predicate: one bit a lane
            mine = np.frombuffer((1 << self._lane).to_bytes(4, "little"), np.uint8)
            return row ^ mine
        each, out = len(row) // 32, row.copy()
        mine = slice(each * self._lane, each * (self._lane + 1))
        out[mine] = other[mine]
        return out

    def printed(self, text: str, cta: Any) -> bool:
        return True


class OtherLanes(Observer):
    """Changes what shuffles take from lanes that have no part in them, and keeps the launch from printing.

    Attributes:
        last: of such a shuffle the lane whose value is taken, who takes it, and the lanes that take part.
    """

    def __init__(self, shuffles: Sequence[int]) -> None:
        """`shuffles`: the program counters of some that follow one another."""
        self._first, self._last = shuffles[0], shuffles[-1]

    def attach(self, machine: Observed) -> None:
        self.machine = machine
        machine.env.set(F.E_OTHER, self._first)
        machine.env.set(F.E_OTHER + 4, self._last + 1)

    @property
    def last(self) -> tuple[int, int, int]:
        lane, who, members = (self.machine.env.get(F.E_OUTSIDE + 4 * i) for i in range(3))
        return lane - 1, who, members

    def printed(self, text: str, cta: Any) -> bool:
        return True


def _row_bytes(machine: Observed, name: str) -> int:
    bits = machine.record.program.registers[name].bits
    return 4 if bits == 1 else 32 * max(16, bits) // 8


@dataclass(frozen=True)
class Result:
    """How a run has ended: the arrays it leaves, and the code of what stopped it."""

    arrays: tuple[bytes, ...]
    stop: str

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Result) and self.stop == other.stop and self.arrays == other.arrays


class Kept:
    """What the arrays hold that a launch may write, to be put back."""

    def __init__(self, record: LaunchRecord) -> None:
        self.views = [bytes_of(b) for b in record.buffers if b.writable and b.nbytes]
        self._held = [view.copy() for view in self.views]

    def put_back(self) -> None:
        """They hold it again."""
        for view, held in zip(self.views, self._held, strict=True):
            view[:] = held

    def is_there(self) -> bool:
        """Whether they hold it."""
        return all(_equal(view, held) for view, held in zip(self.views, self._held, strict=True))


class Rerun:
    """Runs a launch again, from the memory that it began with.

    Args:
        machine_of: makes a machine for a record, options and observers. before: what memory holds before the launch.
    """

    def __init__(self, record: LaunchRecord, options: SimOptions, machine_of: Maker, before: Kept) -> None:
        self._record, self._machine_of, self._before = record, machine_of, before
        self._options = replace(options, sanitize=False, trace=False, stats=False, progress=None)
        self.program = record.program
        self._runs = 0

    @property
    def spent(self) -> bool:
        """Whether there have been enough runs."""
        return self._runs >= MOST_RUNS

    def run(self, *observers: Observer) -> Result:
        """One run; memory is afterwards as it was before it."""
        stop, arrays = self._run(observers, lambda now: tuple(view.tobytes() for view in now.views))
        return Result(arrays, "" if stop is None else stop.code)

    def changes(self, *observers: Observer) -> bool:
        """Whether another run ends otherwise than the one before has, which has come to its end; memory is afterwards as it was."""
        stop, same = self._run(observers, Kept.is_there)
        return stop is not None or not same

    def stop(self, *observers: Observer) -> Diagnostic | None:
        """What stops the launch in another run, if anything does; memory is afterwards as it was before it."""
        return self._run(observers, lambda now: None)[0]

    def _run(self, observers: Sequence[Observer], result: Callable[[Kept], T]) -> tuple[Diagnostic | None, T]:
        """One run: what stops it, and what `result` makes of memory, beside what was there before."""
        now = Kept(self._record)
        self._runs += 1
        stop = None
        try:
            self._before.put_back()
            try:
                self._machine_of(self._record, self._options, *observers).run()
            except Diagnostic as found:
                stop = found
            return stop, result(now)
        finally:
            now.put_back()

    def limit(self, instructions: int) -> None:
        """Let runs take so many instructions: one with other bits may loop for ever."""
        most = self._options.max_instructions
        limit = 4 * instructions + 1_000_000
        self._options = replace(self._options, max_instructions=limit if most is None else min(most, limit))


def _equal(some: NDArray[np.uint8], others: NDArray[np.uint8]) -> bool:
    """Whether bytes are the same: words of 64 bits are compared faster than bytes."""
    whole = len(some) & ~7
    words = (some[:whole].view(np.uint64) == others[:whole].view(np.uint64)).all()
    return bool(words) and some[whole:].tobytes() == others[whole:].tobytes()
