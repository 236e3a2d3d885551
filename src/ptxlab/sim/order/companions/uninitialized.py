"""PTX9241, PTX9242, PTX9244: results that depend on registers or local memory that nobody has written, or on lanes that take no
part in a shuffle.

Compilers read unwritten registers now and then, where the value does not matter: a product that starts from zero, a move that
nothing uses. So reads are not what is looked at. A launch that might read anything unwritten runs again, without the sanitizer,
with other bits there. Where its results are the same, all is well. Where they are not, registers are changed one by one,
or local memory by the instruction that reads it, until it is known which of them the results depend on. In the same way values
are changed that shuffles take from lanes outside of their member mask, or that do not execute them: reductions do that now and
then, and drop the value. A program that was right is not asked again for the same grid and block, nor, about what is unwritten,
for the same parameters: that would double its time.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, TypeVar

from ptxlab.diag import Diagnostic
from ptxlab.isa.effects import WarpWide
from ptxlab.ptx.exposed import exposing
from ptxlab.sim.engine.compiled import frame as F
from ptxlab.sim.engine.decoded.decode import image_of
from ptxlab.sim.engine.machine.naming import lanes_text
from ptxlab.sim.order.companions.bad_addresses import blame
from ptxlab.sim.order.companions.local_reads import LocalReads
from ptxlab.sim.order.companions.rerun import Altered, OtherLanes, Rerun, Result
from ptxlab.sim.order.parts import parts

if TYPE_CHECKING:
    from ptxlab.abi.options import SimOptions
    from ptxlab.abi.record import LaunchRecord
    from ptxlab.ptx.program import Op, Program
    from ptxlab.sim.engine.decoded.decode import Image
    from ptxlab.sim.engine.machine.machine import Machine
    from ptxlab.sim.engine.machine.observer import Observer
    from ptxlab.sim.order.companions.local_reads import Read
    from ptxlab.sim.order.companions.rerun import Kept
    from ptxlab.sim.report.report import Report

    Maker = Callable[..., Machine]

T = TypeVar("T")
MOST_RIGHT = 64
"""Launches of a program that are remembered as right."""


def sanitized(record: LaunchRecord, options: SimOptions, machine_of: Maker, before: Callable[[], Kept]) -> Report:
    """A sanitized launch, and what it owes to registers and local memory that nobody has written.

    before: what memory holds now; it is a copy, so nobody makes it without need.
    """
    program, shape = record.program, (record.grid, record.block)
    image = image_of(program, noted=options.trace)
    asks = parts().asks_again(image)
    machine = machine_of(record, options, *([asks] if asks is not None else []))
    registers = sorted(name for name, row in image.rows.items() if row in image.exposed) if image.exposed else []
    shuffles = _shuffles(image)
    launch = (*shape, record.params)
    unwritten = bool(registers or image.unwritten_local) and launch not in image.right_registers
    if not unwritten and (not shuffles or shape in image.right_shuffles) and asks is None:
        return machine.run()
    again = Rerun(record, options, machine_of, before())
    try:
        report = machine.run()
    except Diagnostic as wrong:
        again.limit(machine.report.stats.instructions)
        if unwritten or (shuffles and shape not in image.right_shuffles):
            blame(again, machine, registers, wrong)
        raise
    again.limit(report.stats.instructions)
    if asks is not None and asks.some and shape not in image.right_counts and not report.findings:
        found = asks.again(again)
        report.findings.extend(found)
        if not found:
            image.right_counts.add(shape)
    if machine.env.get(F.E_OUTSIDE) and shape not in image.right_shuffles:
        if again.changes(OtherLanes(shuffles)):
            _lanes(again, again.run(Altered()), shuffles, report)
        else:
            image.right_shuffles.add(shape)
    if unwritten and again.changes(Altered(registers, None)):
        plain = again.run(Altered())
        _registers(again, plain, registers, report)
        if image.unwritten_local:
            _local(again, plain, report)
    elif unwritten:
        if len(image.right_registers) >= MOST_RIGHT:
            image.right_registers.clear()
        image.right_registers.add(launch)
    return report


def _shuffles(image: Image) -> Sequence[int]:
    """Where a program reads registers of other lanes: known once for an image."""
    if image.shuffles is None:
        effects = ((pc, op.inst.form.effect) for pc, op in zip(image.points, image.ops, strict=True))
        image.shuffles = tuple(pc for pc, effect in effects if isinstance(effect, WarpWide) and effect.reads)
    return image.shuffles


def _lanes(again: Rerun, plain: Result, shuffles: Sequence[int], report: Report) -> None:
    """What results owe to lanes that take no part in shuffles."""
    for pc in _guilty(again, plain, shuffles, OtherLanes):
        other = OtherLanes([pc])
        again.run(other)
        op = other.machine.image.op_at(pc)
        lane, who, members = other.last
        message = f"`{op.inst.opcode}` takes a value from a lane that has no part in it, and the results depend on it"
        took = f"lane {who} takes the value of lane {lane}, and only {lanes_text(members)} take part: `{op.text}`"
        _add(report, "PTX9244", message, op, [took, "with other bits from there the launch ends with other results"])


def _registers(again: Rerun, plain: Result, registers: Sequence[str], report: Report) -> None:
    for name in _guilty(again, plain, registers, Altered):
        op = exposing(again.program, name)
        if op is not None:
            message = f"`{op.inst.opcode}` reads `{name}`, which nobody has written, and the results depend on it"
            notes = ["with other bits in the register the launch ends with other results"]
            _add(report, "PTX9241", message, op, notes, _rebinding(again.program, name))


def _guilty(again: Rerun, plain: Result, some: Sequence[T], altered: Callable[[Sequence[T]], Observer]) -> list[T]:
    """The registers, or shuffles, that the results depend on, by halves."""
    if not some or again.spent or again.run(altered(some)) == plain:
        return []
    if len(some) == 1:
        return list(some)
    middle = len(some) // 2
    found = _guilty(again, plain, some[:middle], altered)
    return found + _guilty(again, plain, some[middle:], altered) or list(some[:1])


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
