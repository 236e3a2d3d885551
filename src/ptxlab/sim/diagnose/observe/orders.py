"""A launch in every order of its strong accesses: whether each ends, without findings, and with the same bits."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from ptxlab.abi.memory import bytes_of
from ptxlab.abi.options import SimOptions
from ptxlab.abi.record import LaunchRecord
from ptxlab.diag import Diagnostic
from ptxlab.ptx.program import Op, Program
from ptxlab.sim.certify.kept import of_text
from ptxlab.sim.certify.peeks import answering_no
from ptxlab.sim.certify.search import Changed, Search, Step, Trace
from ptxlab.sim.diagnose.hangs.before import HANGS
from ptxlab.sim.diagnose.observe.launch import steered
from ptxlab.sim.engine.decoded.decode import image_of
from ptxlab.sim.engine.machine.deadlock import where
from ptxlab.sim.engine.machine.faults import name_of
from ptxlab.sim.engine.machine.machine import Machine
from ptxlab.sim.engine.machine.options import option_error
from ptxlab.sim.order.steering import Accesses, Asleep, Stale, Steering, TooMany
from ptxlab.sim.report.certificate import Certificate, Orders
from ptxlab.sim.report.report import Report

FREE = "PTX9301"
MOST_INSTRUCTIONS = 1 << 28
"""Thread instructions of all runs together, after which no more orders are tried."""
_BUFFERS = "no access is seen by others before an earlier one of its thread has found its value (load buffering)"
NAMED = 24
"""Accesses of an order that a note names, at most."""
ACCESSES = 8
"""A run counts as one for each so many strong accesses: long ones take longer."""


class Contents:
    """What the arrays of a launch hold that it may write, for other runs of it."""

    def __init__(self, record: LaunchRecord) -> None:
        self._buffers, self._workspace = [b for b in record.buffers if b.writable and b.nbytes], record.workspace
        self._held: list[NDArray[np.uint8]] = [bytes_of(b).copy() for b in self._buffers]

    def restore(self) -> None:
        """Put it back."""
        for buffer, held in zip(self._buffers, self._held, strict=True):
            bytes_of(buffer)[:] = held

    def differs(self) -> int | None:
        """The first address at which something else stands now; None where there is none. The grid's barrier is no result."""
        for buffer, held in zip(self._buffers, self._held, strict=True):
            if buffer.address == self._workspace:
                continue
            other = np.flatnonzero(bytes_of(buffer) != held)
            if len(other):
                return buffer.address + int(other[0])
        return None


def waiting(record: LaunchRecord) -> LaunchRecord:
    """The launch that is certified in the place of another one: it waits where questions ahead of time may save that."""
    return answering_no(record)


def accesses(record: LaunchRecord) -> Accesses:
    """The strong accesses of a launch whose order can be chosen."""
    return _accesses(record.program)


@of_text
def _accesses(program: Program) -> Accesses:
    return Accesses(program, image_of(program).ops)


def explored(
    record: LaunchRecord, options: SimOptions, report: Report, before: Contents, strong: Accesses
) -> Certificate:
    """The certificate of a launch whose strong accesses come in any order, once all orders have been looked at.

    report: of the run that has shown that, without findings. before: what its arrays held before. They hold what it has left, now
    and in the end. strong: its strong accesses.
    """
    certificate = report.certificate
    assert certificate is not None
    image = image_of(record.program)
    if options.orders < 1 or any(d.code != FREE for d in certificate.reasons) or image.exposed or image.unwritten_local:
        return certificate
    after = Contents(record)
    try:
        return _Explorer(record, options, certificate, before, after, strong).certificate()
    finally:
        after.restore()


class _Anew(Exception):
    """More accesses have to be chosen than was thought: all begins anew."""


class _Explorer:
    """Tries the orders of a launch, as far as its bounds go, until one is wrong."""

    def __init__(
        self,
        record: LaunchRecord,
        options: SimOptions,
        certificate: Certificate,
        before: Contents,
        after: Contents,
        strong: Accesses,
    ) -> None:
        self._record, self._first, self._strong = record, certificate, strong
        self._options = replace(options, schedule="eager", trace=False, stats=False, graphs=False, progress=None)
        self._before, self._after = before, after
        self._wrong: list[Diagnostic] = []
        self._instructions = self._counted = self._longest = 0
        self._turned, self._buffers = 0, False
        self._sites: set[int] = set()
        self._left_out: Set[int] = strong.sums

    def certificate(self) -> Certificate:
        """What comes of it."""
        search = Search(self._run)
        try:
            every = search.all(self._goes_on)
        except _Anew:
            return self.certificate()
        except TooMany:
            every = False
        except Changed:
            return self._not("the launch did not do the same again when it was run in the same order")
        if self._wrong:
            return replace(self._first, reasons=self._wrong)
        if not every:
            bound = Diagnostic(
                "PTX9305",
                f"{search.orders} orders have been tried, and there are more",
                notes=[f"they are all right: {search.tried} runs, of {self._longest} accesses at most"],
            )
            return replace(self._first, reasons=[*self._first.reasons, bound])
        ops = image_of(self._record.program).ops
        named = [f"`{ops[i].inst.opcode}`{_place(ops[i])}" for i in sorted(self._sites)]
        found = Orders(search.orders, search.tried, self._longest, named, self._options.orders)
        assumed = [*self._first.assumptions, *[_BUFFERS] * self._buffers]
        return replace(self._first, reasons=(), orders=found, assumptions=assumed)

    def _goes_on(self) -> bool:
        return not self._wrong and self._counted < self._options.orders and self._instructions < MOST_INSTRUCTIONS

    def _not(self, why: str) -> Certificate:
        return replace(self._first, reasons=[*self._first.reasons, Diagnostic("PTX9303", why)])

    def _run(self, chosen: Sequence[int], asleep: Mapping[int, Step]) -> Trace:
        """One run. What is wrong with it is noted."""
        self._before.restore()
        self._turned = max(len(chosen) - 1, 0)
        machine, steering = steered(self._record, self._options, self._strong, chosen, asleep, self._left_out)
        trace = steering.trace
        stop: Diagnostic | None = None
        try:
            if machine.residency.count < machine.residency.total:
                self._wrong.append(Diagnostic("PTX9303", "not all CTAs run at once: which of them start first is open"))
                return trace
            report = machine.run()
            trace.ended = True
        except Asleep:
            report = machine.report
        except Diagnostic as d:
            stop, report = d, machine.report
        finally:
            self._instructions += machine.report.stats.instructions
            machine.leave()
        if unsettled := steering.unsettled():
            self._left_out = self._left_out - unsettled
            raise _Anew
        self._counted += max(1, len(trace.steps) // ACCESSES)
        self._buffers |= steering.buffered is not None
        self._longest = max(self._longest, len(trace.steps))
        self._sites |= {step.site for step in trace.steps}
        self._judge(machine, steering, report, stop)
        return trace

    def _judge(self, machine: Machine, steering: Steering, report: Report, stop: Diagnostic | None) -> None:
        """Note what is wrong with a run, if anything is."""
        trace = steering.trace
        found = [stop] if stop is not None else list(report.findings)
        if found:
            how = "ends in a hang" if found[0].code in HANGS else "is faulty"
            self._wrong.append(
                self._told(f"{how}: {found[0].code}, {found[0].message}", trace).at(found[0].span, found[0].origin)
            )
        elif steering.stale is not None:
            self._wrong.append(self._older(steering.stale))
        elif steering.buffered is not None and self._options.sanitize == "strict":
            self._wrong.append(self._older(steering.buffered))
        elif report.certificate is not None and report.certificate.reasons:
            self._wrong += report.certificate.reasons
        elif trace.ended and (place := self._after.differs()) is not None:
            self._wrong.append(self._told(f"leaves other bits: {name_of(machine, place)}", trace))

    def _told(self, what: str, trace: Trace) -> Diagnostic:
        """That this is so in another order, and which that is."""
        each = -(-self._record.threads // 32) * 32
        order = [f"{step.who // each}:{step.who % each}" for step in trace.steps]
        last = image_of(self._record.program).ops[trace.steps[self._turned].site] if trace.steps else None
        first = " ".join(order[: self._turned + 1][-NAMED:])
        notes = [f"the order, by CTA and thread: {'… ' if self._turned >= NAMED else ''}{first}, and then as they come"]
        if last is not None:
            notes.append(f"what comes earlier than in the orders before: `{last.text}`{_place(last)}")
        made = Diagnostic(
            "PTX9304", f"in another order of its strong accesses the launch {what}", notes=notes,
            help=f'px.simulate(…, replay="{" ".join(order)}") does it again',
        )  # fmt: skip
        return made if last is None else made.at(last.span, last.origin)

    def _older(self, stale: Stale) -> Diagnostic:
        """That an access may come earlier than in any order."""
        op, other = stale.op, image_of(self._record.program).ops[stale.other]
        return Diagnostic(
            "PTX9306",
            f"`{op.inst.opcode}` may come before `{other.inst.opcode}`, as the memory model has it, and in no order here it does",
            span=op.span,
            origin=op.origin,
            other=other.span,
            other_origin=other.origin,
        )


def in_order(record: LaunchRecord, options: SimOptions) -> Report:
    """Run a launch whose strong accesses come in the order that its options name.

    Raises: Diagnostic PTX2501 where that cannot be; as `run`.
    """
    each = -(-record.threads // 32) * 32
    chosen = [int(cta) * each + int(thread) for cta, thread in parsed(options.replay)]
    machine, steering = steered(record, options, accesses(record), chosen)
    try:
        report = machine.run()
    except Asleep:
        done = len(steering.trace.steps)
        raise option_error(
            f"replay={options.replay!r}: thread {options.replay.split()[done]} comes to no strong access as number {done + 1}.",
            "use the order of a note of px.certify, for the same launch",
        ) from None
    machine.leave()
    return report


def parsed(order: str) -> list[list[str]]:
    """Of an order in words, CTA and thread of each access. Raises: Diagnostic PTX2501."""
    found = [one.split(":") for one in order.split()]
    if not found or not all(len(one) == 2 and all(part.isdigit() for part in one) for one in found):
        raise option_error(f"{order!r} is no order of accesses.", 'use e.g. "0:0 1:0 0:32": CTA and thread of each')
    return found


def _place(op: Op) -> str:
    found = where(op)
    return f" in {found}" if found else ""
