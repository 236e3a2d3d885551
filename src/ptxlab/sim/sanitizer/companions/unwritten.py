"""PTX9241, PTX9242: results that depend on registers or local memory that nobody has written.

Compilers read unwritten registers now and then, where the value does not matter: a product that starts from zero, a move that
nothing uses. So reads are not what is looked at. A launch that might read anything unwritten runs again, without the sanitizer,
with other bits there. Where its results are the same, all is well. Where they are not, registers are changed one by one,
or local memory by the instruction that reads it, until it is known which of them the results depend on.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ptxlab.diag import Diagnostic
from ptxlab.ptx.exposed import exposing
from ptxlab.sim.machine.observer import Observed, Observer
from ptxlab.sim.sanitizer.companions.local_reads import LocalReads

if TYPE_CHECKING:
    from ptxlab.abi.options import SimOptions
    from ptxlab.abi.record import LaunchRecord
    from ptxlab.ptx.program import Op
    from ptxlab.sim.machine.machine import Machine
    from ptxlab.sim.report.report import Report
    from ptxlab.sim.sanitizer.companions.local_reads import Read

    Maker = Callable[..., Machine]

MOST_RUNS = 64
"""Runs in search of what the results depend on."""
_SEED = 0x5EED


class Altered(Observer):
    """Changes what a launch finds in registers and local memory that nobody has written, and keeps it from printing."""

    def __init__(self, registers: Iterable[str] = (), local: Iterable[int] | None = ()) -> None:
        """`registers`: those that differ. `local`: the bytes of a thread's local memory that differ; None: all."""
        self._registers, self._local = registers, local

    def attach(self, machine: Observed) -> None:
        unwritten, image = machine.unwritten, machine.image  # type: ignore[attr-defined]
        dice = np.random.default_rng(_SEED)
        rows, local = unwritten.rows.copy(), unwritten.local.copy()
        for name in self._registers:
            first = image.rows[name] - unwritten.registers.start
            size = _row_bytes(machine, name)
            rows[first : first + size] = ~rows[first : first + size] ^ dice.integers(0, 2, size, np.uint8)
        places = range(len(local)) if self._local is None else [p for p in self._local if p < len(local)]
        for place in places:
            local[place] = ~local[place] ^ int(dice.integers(0, 2))
        unwritten.rows, unwritten.local = rows, local
        unwritten.attach(machine.env)

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


class Again:
    """Runs a launch again, from the memory that it began with.

    Args:
        machine_of: makes a machine for a record, options and observers.
    """

    def __init__(self, record: LaunchRecord, options: SimOptions, machine_of: Maker) -> None:
        self._record, self._machine_of = record, machine_of
        self._options = replace(options, sanitize=False, trace=False, stats=False, progress=None)
        self._views = [_bytes(b.address, b.nbytes) for b in record.buffers if b.writable and b.nbytes]
        self._before = [view.copy() for view in self._views]
        self.program = record.program
        self._runs = 0

    @property
    def spent(self) -> bool:
        """Whether there have been enough runs."""
        return self._runs >= MOST_RUNS

    def run(self, *observers: Observer) -> Result:
        """One run; memory is afterwards as it was before it."""
        kept = [view.copy() for view in self._views]
        self._runs += 1
        stop = ""
        try:
            for view, before in zip(self._views, self._before, strict=True):
                view[:] = before
            try:
                self._machine_of(self._record, self._options, *observers).run()
            except Diagnostic as found:
                stop = found.code
            return Result(tuple(view.tobytes() for view in self._views), stop)
        finally:
            for view, old in zip(self._views, kept, strict=True):
                view[:] = old

    def now(self) -> Result:
        """What the arrays hold now, behind a run that has come to its end."""
        return Result(tuple(view.tobytes() for view in self._views), "")

    def limit(self, instructions: int) -> None:
        """Let runs take so many instructions: one with other bits may loop for ever."""
        most = self._options.max_instructions
        limit = 4 * instructions + 1_000_000
        self._options = replace(self._options, max_instructions=limit if most is None else min(most, limit))


def sanitized(record: LaunchRecord, options: SimOptions, machine_of: Maker) -> Report:
    """A sanitized launch, and what it owes to registers and local memory that nobody has written."""
    machine = machine_of(record, options)
    image = machine.image
    registers = sorted(name for name, row in image.rows.items() if row in image.exposed)
    if not registers and not image.unwritten_local:
        return machine.run()
    again = Again(record, options, machine_of)
    report = machine.run()
    again.limit(report.stats.instructions)
    if again.run(Altered(registers, None)) != again.now():
        plain = again.run(Altered())
        _registers(again, plain, registers, report)
        if image.unwritten_local:
            _local(again, plain, report)
    return report


def _registers(again: Again, plain: Result, registers: Sequence[str], report: Report) -> None:
    for name in _guilty(again, plain, registers):
        op = exposing(again.program, name)
        if op is not None:
            message = f"`{op.inst.opcode}` reads `{name}`, which nobody has written, and the results depend on it"
            _add(report, "PTX9241", message, op, ["with other bits in the register the launch ends with other results"])


def _guilty(again: Again, plain: Result, names: Sequence[str]) -> list[str]:
    """The registers that the results depend on, by halves."""
    if not names or again.spent or again.run(Altered(names)) == plain:
        return []
    if len(names) == 1:
        return list(names)
    middle = len(names) // 2
    found = _guilty(again, plain, names[:middle])
    return found + _guilty(again, plain, names[middle:]) or list(names[:1])


def _local(again: Again, plain: Result, report: Report) -> None:
    if again.run(Altered((), None)) == plain:
        return
    watch = LocalReads()
    again.run(Altered(), watch)
    for read in watch.found.values():
        if not again.spent and again.run(Altered((), read.places)) != plain:
            _add(report, "PTX9242", *_words(read))


def _words(read: Read) -> tuple[str, Op, list[str]]:
    op = read.op
    message = f"`{op.inst.opcode}` reads {read.name}, which nobody has written, and the results depend on it"
    return message, op, [f"{read.who}: `{op.text}`", "with other bits there the launch ends with other results"]


def _add(report: Report, code: str, message: str, op: Op, notes: list[str]) -> None:
    report.findings.append(Diagnostic(code, message, span=op.span, origin=op.origin, notes=notes))


def _bytes(address: int, nbytes: int) -> NDArray[np.uint8]:
    return np.ctypeslib.as_array((ctypes.c_uint8 * nbytes).from_address(address))


__all__ = ["Again", "Altered", "sanitized"]
