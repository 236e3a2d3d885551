"""From a call to something that runs: in the simulator or on a GPU."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final, Protocol

from ptxlab.abi.alive import check_buffers
from ptxlab.abi.arrays import CPU
from ptxlab.abi.build import Built, pointer_rules
from ptxlab.abi.options import LaunchOptions, SimOptions
from ptxlab.abi.record import LaunchRecord
from ptxlab.abi.sanitizing import (
    VARIABLE,
    Sanitize,
    by_default,
    most_instructions,
    notify,
    notify_launch,
    notify_stop,
    wanted,
)
from ptxlab.diag import Diagnostic, Findings, Severity, Span
from ptxlab.diag.causes import as_shown
from ptxlab.launch.entry import Entry
from ptxlab.launch.progress import ProgressCallback, shown
from ptxlab.launch.suppressions import Suppressions
from ptxlab.launch.warn import warn

if TYPE_CHECKING:
    from ptxlab.sim.report.report import Report


_UNASKED: Final = (
    "the launch has run to its end, and the arrays hold its results; "
    f"sanitize=False or {VARIABLE}=0 turns the sanitizer off"
)
"""For somebody who has not asked for the sanitizer, and has a launch that it ends with an error."""


class Launch(Protocol):
    """A prepared launch; calling it runs it. On the GPU it returns when the launch is queued.

    Attributes:
        record: what is launched, checked and packed.

    Example:
        @px.kernel(threads=32)
        def count(k, x: px.Ptr[px.u32]):
            k.red.global_.add.u32(x[0], 1)

        x = np.zeros(1, np.uint32)
        launch = count.prepare(grid=2, args=[x])
        for _ in range(3):
            launch()
        print(x)  # [192]
    """

    record: LaunchRecord

    def __call__(self, stream: Any = None) -> Any:
        """Run.

        Args:
            stream: for the GPU alone; left out, the one given to `prepare`, else the one that the arrays' library works on now.

        Raises: Diagnostic PTX2425 for a stream that is not captured, while the library's current one is.
        """
        ...


class Simulated:
    """A launch prepared for the simulator. Calling it runs to the end and returns the report."""

    def __init__(
        self, entry: Entry, record: LaunchRecord, origin: Span | None, *, sanitize: Sanitize | None = None
    ) -> None:
        self.record = record
        self._entry, self._origin, self._sanitize = entry, origin, sanitize

    def __repr__(self) -> str:
        return f"<Launch of {self.record}, simulated>"

    def __call__(
        self, stream: Any = None, *, progress: ProgressCallback | bool | None = None, **options: Any
    ) -> Report:
        """Simulate.

        Args:
            stream: must be None. progress: a function, or True for a bar: see `px.simulate`.
            **options: the others of `px.simulate`, by name.

        Raises: Diagnostic PTX2314 for a stream; as `run`.
        """
        if stream is not None:
            raise Diagnostic(
                "PTX2314",
                "The simulator has no streams.",
                help="leave stream= out, or give CUDA arrays",
                origin=self._origin,
            )
        return self.run(SimOptions(**options), progress)

    def run(self, options: SimOptions, progress: ProgressCallback | bool | None = None) -> Report:
        """Simulate. Of the findings errors come first, then what the checks warn of.

        Raises: Diagnostic PTX90xx, PTX91xx; PTX2321 for an array that was resized since; PTX2501 for options.
        """
        report = self._run(options, progress)
        notify(report)
        return report

    def _run(self, options: SimOptions, progress: ProgressCallback | bool | None) -> Report:
        from ptxlab.sim import run
        from ptxlab.sim.report.certificate import not_proved

        given = options.sanitize if options.sanitize is not None else self._sanitize
        sanitize = wanted(True if (options.graphs or options.certify or options.order) and given is None else given)
        check_buffers(self.record.buffers)
        module = self._entry.module
        module.last_library = None
        suppressions = Suppressions(self._entry) if sanitize else None
        notify_launch(self.record)
        try:
            with shown(progress, self._entry.name) as callback:
                most = most_instructions(options.max_instructions)
                chosen = replace(options, progress=callback, sanitize=sanitize, max_instructions=most)
                report = run(self.record, chosen)
        except Diagnostic as d:
            if d.span is None:
                d.origin = d.origin or self._origin
            if d.also:
                d.also = tuple(as_shown((suppressions or Suppressions(self._entry)).split(d.also)[0]))
            notify_stop(d)
            raise
        if report.certificate is not None and report.findings:
            report.certificate = not_proved(report.certificate, report.findings)
        if suppressions is not None or report.findings:
            self._suppress(report, suppressions)
        report.findings[:0] = module.warnings(self._entry.name)
        report.findings.sort(key=lambda d: d.severity is not Severity.ERROR)  # as in what is raised for them
        return report

    def _suppress(self, report: Report, known: Suppressions | None) -> None:
        """Take out what is suppressed. Whether a suppression is needed shows only where all is looked for: by the sanitizer."""
        kept, report.suppressed = (known or Suppressions(self._entry)).split(report.findings)
        report.findings = Findings(as_shown(kept))
        report.findings += known.doubts() if known is not None else []


def prepare(entry: Entry, options: LaunchOptions, origin: Span | None, *, remember: bool = False) -> Launch:
    """Check, pack and load; `remember`: so that `Entry.repeats` knows its equals.

    Raises: Diagnostic, each with `origin` where it has no place of its own.
    """
    built = entry.built(options, origin)
    try:
        if built.record.device == CPU:
            return _simulated(entry, built, options, origin)
        return _loaded(entry, built, options, remember=remember)
    except Diagnostic as d:
        if d.span is None:
            d.at(origin=origin)
        raise


class _Checked(Simulated):
    """Like its base, but errors that were found while simulating are raised, and the rest are Python warnings."""

    def run(self, options: SimOptions, progress: ProgressCallback | bool | None = None) -> Report:
        report = self._run(options, progress)
        errors = [d for d in report.findings if d.severity is Severity.ERROR]
        if errors:
            first = errors[0]
            first.also = (*first.also, *(d for d in report.findings if d is not first))
            said = options.sanitize if options.sanitize is not None else self._sanitize
            if first.code.startswith("PTX92") and by_default(said):
                first.notes = (*first.notes, _UNASKED)
            notify_stop(first)
            raise first
        notify(report)
        warn(_one_of_each_code(report.findings))
        return report


def _one_of_each_code(warnings: Sequence[Diagnostic]) -> list[Diagnostic]:
    """The first of the sanitizer's warnings of each code, with a note of how many there are; all others as they are."""
    alike: dict[object, list[Diagnostic]] = {}
    for d in warnings:
        alike.setdefault(d.code if d.accesses else id(d), []).append(d)
    for first, *rest in alike.values():
        if rest:
            note = f"and {len(rest)} more of {first.code} in this launch: px.simulate has them all in `findings` of its report"
            first.notes = (*first.notes, note)
    return [first for first, *_ in alike.values()]


def _simulated(entry: Entry, built: Built, options: LaunchOptions, origin: Span | None) -> Launch:
    if options.stream is not None:
        raise Diagnostic("PTX2314", "The simulator has no streams.", help="leave stream= out, or give CUDA arrays")
    return _Checked(entry, built.record, origin, sanitize=options.sanitize)


def _loaded(entry: Entry, built: Built, options: LaunchOptions, *, remember: bool) -> Launch:
    if options.sanitize:
        raise Diagnostic(
            "PTX2501",
            "sanitize=True is for the simulator.",
            help='leave it out, or give NumPy arrays and device="auto"',
        )
    from ptxlab.cuda.driver import device
    from ptxlab.cuda.launch import Prepared
    from ptxlab.cuda.streams import current_source, settle

    gpu = device(built.ordinal)
    library = entry.module.library(gpu)
    owners = [b.array[0] for b in built.record.buffers]
    settle(owners)
    entry.module.last_library = library
    if remember and options.buffers == ():
        rules = {**pointer_rules(built.record.program), **entry.rules}
        entry.repeats.remember(options, library, built.record, rules, owners)
    current = current_source(owners, gpu.ordinal)
    return Prepared(library, built.record, current, stream=options.stream, cooperative=options.cooperative)
