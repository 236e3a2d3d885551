"""PTX9241, PTX9242: results that depend on registers or local memory that nobody has written.

Compilers read unwritten registers now and then, where the value does not matter: a product that starts from zero, a move that
nothing uses. So reads are not what is looked at. A launch that might read anything unwritten runs again, without the sanitizer,
with other bits there. Where its results are the same, all is well. Where they are not, registers are changed one by one,
or local memory by the instruction that reads it, until it is known which of them the results depend on.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from ptxlab.diag import Diagnostic
from ptxlab.ptx.exposed import exposing
from ptxlab.sim.order.companions.bad_addresses import blame
from ptxlab.sim.order.companions.local_reads import LocalReads
from ptxlab.sim.order.companions.rerun import Altered, Rerun, Result

if TYPE_CHECKING:
    from ptxlab.abi.options import SimOptions
    from ptxlab.abi.record import LaunchRecord
    from ptxlab.ptx.program import Op, Program
    from ptxlab.sim.engine.machine.machine import Machine
    from ptxlab.sim.order.companions.local_reads import Read
    from ptxlab.sim.report.report import Report

    Maker = Callable[..., Machine]


def sanitized(record: LaunchRecord, options: SimOptions, machine_of: Maker) -> Report:
    """A sanitized launch, and what it owes to registers and local memory that nobody has written."""
    machine = machine_of(record, options)
    image = machine.image
    registers = sorted(name for name, row in image.rows.items() if row in image.exposed)
    if not registers and not image.unwritten_local:
        return machine.run()
    again = Rerun(record, options, machine_of)
    try:
        report = machine.run()
    except Diagnostic as wrong:
        again.limit(machine.report.stats.instructions)
        blame(again, machine, registers, wrong)
        raise
    again.limit(report.stats.instructions)
    if again.run(Altered(registers, None)) != again.now():
        plain = again.run(Altered())
        _registers(again, plain, registers, report)
        if image.unwritten_local:
            _local(again, plain, report)
    return report


def _registers(again: Rerun, plain: Result, registers: Sequence[str], report: Report) -> None:
    for name in _guilty(again, plain, registers):
        op = exposing(again.program, name)
        if op is not None:
            message = f"`{op.inst.opcode}` reads `{name}`, which nobody has written, and the results depend on it"
            notes = ["with other bits in the register the launch ends with other results"]
            _add(report, "PTX9241", message, op, notes, _rebinding(again.program, name))


def _guilty(again: Rerun, plain: Result, names: Sequence[str]) -> list[str]:
    """The registers that the results depend on, by halves."""
    if not names or again.spent or again.run(Altered(names)) == plain:
        return []
    if len(names) == 1:
        return list(names)
    middle = len(names) // 2
    found = _guilty(again, plain, names[:middle])
    return found + _guilty(again, plain, names[middle:]) or list(names[:1])


def _local(again: Rerun, plain: Result, report: Report) -> None:
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


def _rebinding(program: Program, name: str) -> str | None:
    """The way out where a name of Python was bound to the register within a block: then the old one is what to write."""
    found = next((r for r in program.function.rebound if r.register == name), None)
    if found is None:
        return None
    return (
        f"`{found.name}` is a new register from line {found.place.line} on, in `with {found.block}:`, and threads that do not "
        f"execute the block have not written it: write `{found.name} += …`, or pass d={found.name}"
    )


def _add(report: Report, code: str, message: str, op: Op, notes: list[str], help: str | None = None) -> None:
    report.findings.append(Diagnostic(code, message, help=help, span=op.span, origin=op.origin, notes=notes))
