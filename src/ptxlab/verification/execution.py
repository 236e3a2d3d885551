"""A candidate's runs: fresh arrays, its launches, and what is left of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, cast

import numpy as np

from ptxlab.abi.maps import tensor_map
from ptxlab.abi.memory import address_of
from ptxlab.abi.options import SimOptions
from ptxlab.abi.record import LaunchRecord
from ptxlab.diag import Diagnostic, Severity, Span
from ptxlab.diag.causes import as_shown
from ptxlab.launch.kernel import Kernel, kernel_of
from ptxlab.sim.report.certificate import Certificate, not_proved
from ptxlab.verification.drawn import Guarded
from ptxlab.verification.launches import Heard, Listener
from ptxlab.verification.spec import Array, Case, Input, Mapped, Output, launched

Candidate = Kernel | Callable[..., object]


@dataclass(slots=True)
class Prepared:
    """Arrays at addresses of their own, and the launches on them, which the candidate has chosen without seeing what is judged.

    Attributes:
        case: whose arrays these are. arrays: all of them, in their order. written: those that the candidate is to write.
        names: of the arrays. launches: of the candidate. error: what went wrong while it chose them.
    """

    case: Case
    arrays: list[Array]
    written: list[Array]
    names: list[str]
    guarded: list[Guarded]
    launches: list[Heard] = field(default_factory=list[Heard])
    error: Diagnostic | None = None

    @property
    def inputs(self) -> list[Array]:
        """Arrays that nobody may write."""
        both = zip(self.case.arrays, self.arrays, strict=True)
        return [array for one, array in both if isinstance(one, Input) and not one.updated]

    def fill(self, contents: Sequence[Array]) -> None:
        """Put contents into the arrays."""
        for array, content in zip(self.arrays, contents, strict=True):
            array[...] = content


@dataclass(slots=True)
class Ran:
    """What a run has left.

    Attributes:
        arrays: all of the case, in its order. written: those that the candidate was to write. names: of the arrays.
        error: what is wrong whatever the results are: it was stopped, or something was found. record: of a kernel's launch.
        certificate: where it was asked for. work: thread-instructions, bytes of global memory read and written.
    """

    arrays: list[Array]
    written: list[Array] = field(default_factory=list[Array])
    names: list[str] = field(default_factory=list[str])
    error: Diagnostic | None = None
    record: LaunchRecord | None = None
    certificate: Certificate | None = None
    work: dict[str, int] = field(default_factory=dict[str, int])


class Execution:
    """Runs a candidate again and again.

    Attributes:
        runs: how often, so far. most: thread-instructions of a run.
    """

    def __init__(self, candidate: Candidate, max_instructions: int, origin: Span | None, *, strict: bool) -> None:
        self.runs = 0
        self._kernel = _kernel(candidate)
        self._candidate, self.most, self._origin = candidate, max_instructions, origin
        self._strict = strict

    @property
    def name(self) -> str:
        """Of the candidate."""
        return self._kernel.name if self._kernel is not None else getattr(self._candidate, "__name__", "candidate")

    @property
    def is_kernel(self) -> bool:
        """Whether the candidate is a kernel, and no function."""
        return self._kernel is not None

    @property
    def function(self) -> object:
        """The candidate, where it is a function."""
        return None if self.is_kernel else self._candidate

    def prepared(
        self, case: Case, decoys: Sequence[Array], rng: np.random.Generator, earlier: Sequence[Array] | None = None
    ) -> Prepared:
        """The candidate's launches. decoys: what each array holds while it chooses them.

        earlier: a function is called with these in the same arrays first, as in a loop: what it keeps of that helps it nothing.
        """
        guarded = {id(one): Guarded(one, rng) for one in case.arrays}
        out = Prepared(
            case,
            [guarded[id(one)].array for one in case.arrays],
            [guarded[id(one)].array for one in case.written],
            [f"args[{_position(case, one)}]" for one in case.arrays],
            list(guarded.values()),
        )
        out.fill(decoys)
        try:
            args = [self._argument(one, guarded) for one in case.args]
            if self._kernel is not None:
                self._build(self._kernel, args, out)
            else:
                if earlier is not None:
                    out.fill(earlier)
                    self._call(args, out)
                    out.fill(decoys)
                self._call(args, out)
        except Diagnostic as stop:
            out.error = stop
            out.error.also = ()
        except KeyboardInterrupt:
            raise
        except BaseException as raised:  # whatever a candidate raises, SystemExit among it, is a verdict about it
            message = f"the candidate ends with {type(raised).__name__}: {raised}"
            out.error = Diagnostic("PTX9277", message, origin=self._origin)
        out.error = out.error or self._outside(out, decoys)
        return out

    def run(self, prepared: Prepared, contents: Sequence[Array], options: SimOptions) -> Ran:
        """Repeat the launches. contents: what each array holds before them."""
        from ptxlab.sim import run

        self.runs += 1
        ran = Ran(prepared.arrays, prepared.written, prepared.names, prepared.error)
        if ran.error is not None:
            return ran
        prepared.fill(contents)
        options = replace(options, sanitize="strict" if self._strict else True, max_instructions=self.most)
        options = replace(options, certify=options.certify and self.is_kernel)
        try:
            for heard in prepared.launches:
                record = heard.repeated_on(prepared.inputs)
                ran.record = record if self.is_kernel else None
                self._judge(run(record, options), options, ran)
        except Diagnostic as stop:
            ran.error = ran.error or stop
            ran.error.also = ()
        ran.error = ran.error or self._outside(prepared, contents)
        return ran

    def run_coded(self, prepared: Prepared, contents: Sequence[Array], seed: int, *, degrees: bool = False) -> Ran:
        """Repeat the launches with codes of residues in the place of floating-point numbers. contents: of the arrays, as codes.

        degrees: with codes of degrees. Only where no comparison of numbers decides anything: see `compares`.
        """
        from ptxlab.sim import run
        from ptxlab.sim.families.algebra.rewrite import algebraic

        self.runs += not degrees  # which judges nothing
        ran = Ran(prepared.arrays, prepared.written, prepared.names, prepared.error)
        if ran.error is not None:
            return ran
        prepared.fill(contents)
        options = SimOptions(seed=seed, max_instructions=self.most)
        try:
            for heard in prepared.launches:
                record = algebraic(heard.repeated_on(prepared.inputs), degrees=degrees)
                heard.code_given(degrees=degrees)
                ran.record = record if self.is_kernel else None
                run(record, options)
        except Diagnostic as stop:
            ran.error = stop
            ran.error.also = ()
            if self.compares(prepared):
                message = f"it compares numbers, and with residues in their place it is stopped: {stop.message}"
                ran.error = (
                    stop
                    if stop.code == "PTX9279"
                    else Diagnostic("PTX9279", message, span=stop.span, origin=stop.origin)
                )
        for heard in reversed(prepared.launches):
            heard.give_back(prepared.arrays)
        ran.error = ran.error or self._outside(prepared, contents)
        return ran

    def compares(self, prepared: Prepared) -> bool:
        """Whether comparisons of floating-point numbers may decide what the launches do."""
        from ptxlab.sim.families.algebra.rewrite import compares_numbers

        return any(compares_numbers(heard.record.program) for heard in prepared.launches)

    def _argument(self, one: Any, guarded: dict[int, Guarded]) -> Any:
        if isinstance(one, Input | Output):
            return guarded[id(one)].array
        if isinstance(one, Mapped):
            return tensor_map(guarded[id(one.array)].array, one.box, **one.options)
        return one

    def _judge(self, report: Any, options: SimOptions, ran: Ran) -> None:
        """What a launch says. Suppressions have no say here."""
        stats = report.stats
        done = {"instructions": stats.instructions}
        if options.stats:
            done |= {"read": stats.global_read, "written": stats.global_written}
        ran.work = {name: ran.work.get(name, 0) + count for name, count in done.items()}
        errors = _errors(report.findings)
        ran.error = ran.error or (errors[0] if errors else None)
        ran.certificate = report.certificate
        if ran.certificate is not None and report.findings:
            ran.certificate = not_proved(ran.certificate, report.findings)

    def _build(self, kernel: Kernel, args: list[Any], out: Prepared) -> None:
        chosen, constants = launched(out.case, args)
        record = kernel.entry(**constants).built(chosen, self._origin).record
        out.launches.append(Heard(record))
        names = {b.address: b.name for b in record.buffers if b.nbytes}
        found = [names.get(address_of(a)) for a in out.arrays]
        out.names = [name or other for name, other in zip(found, out.names, strict=True)]

    def _call(self, args: list[Any], out: Prepared) -> None:
        """Call a function, and listen to its launches."""
        from ptxlab.abi.sanitizing import Watcher, watching

        listener = Listener(out.arrays, out.written)
        watcher = Watcher(
            False, listener.ended, listener.begins, listener.stopped, quiet=True, max_instructions=self.most
        )
        with watching(watcher):
            cast("Callable[..., object]", self._candidate)(*args)
        out.launches = listener.launches
        if listener.error is not None:
            raise listener.error
        if not listener.launches:
            raise Diagnostic("PTX9275", "the function launches no kernel", origin=self._origin)
        if listener.touched:
            message = "the function itself writes a result, behind its last launch"
            raise Diagnostic("PTX9275", message, help="let a launch write it", origin=self._origin)

    def _outside(self, prepared: Prepared, contents: Sequence[Array]) -> Diagnostic | None:
        """What has changed besides the results."""
        everything = zip(prepared.case.arrays, prepared.names, prepared.arrays, contents, prepared.guarded, strict=True)
        for one, name, array, content, guard in everything:
            if not guard.guards_hold:
                return Diagnostic("PTX9002", f"bytes beside `{name}` have changed", origin=self._origin)
            if isinstance(one, Input) and not one.updated and array.tobytes() != np.asarray(content).tobytes():
                wrong = np.argwhere(_bits(array) != _bits(np.asarray(content)))[0].tolist()
                return Diagnostic(
                    "PTX9274", f"`{name}` is an input, and {wrong} of it has changed", origin=self._origin
                )
        return None


def _bits(array: Array) -> Array:
    return np.ascontiguousarray(array).view(f"u{array.dtype.itemsize}") if array.dtype.itemsize <= 8 else array


def _position(case: Case, array: Input | Output) -> int:
    return next(
        i for i, one in enumerate(case.args) if one is array or (isinstance(one, Mapped) and one.array is array)
    )


def _kernel(candidate: Candidate) -> Kernel | None:
    """The kernel; None for a function. Raises: Diagnostic PTX2322 for what is neither."""
    try:
        return kernel_of(candidate)
    except Diagnostic:
        if not callable(candidate):
            raise
        return None


def _errors(findings: Sequence[Diagnostic]) -> list[Diagnostic]:
    return [d for d in as_shown(findings) if d.severity is Severity.ERROR]


__all__ = ["Candidate", "Execution", "Prepared", "Ran"]
