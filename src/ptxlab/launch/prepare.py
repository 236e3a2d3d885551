"""From a call to something that runs: in the simulator or on a GPU."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Protocol

from ptxlab.abi.alive import check_buffers
from ptxlab.abi.arrays import CPU, view
from ptxlab.abi.build import Built, pointer_rules
from ptxlab.abi.options import LaunchOptions, SimOptions
from ptxlab.abi.record import LaunchRecord
from ptxlab.abi.sanitizing import (
    Sanitize,
    by_default,
    most_instructions,
    notify,
    notify_launch,
    wanted,
)
from ptxlab.diag import Diagnostic, Span
from ptxlab.launch.begun import Begun, raise_errors
from ptxlab.launch.entry import Entry
from ptxlab.launch.lints import Lints
from ptxlab.launch.progress import ProgressCallback, shown
from ptxlab.launch.streams import check_stream, queue, settle
from ptxlab.launch.warn import warn
from ptxlab.launch.watch import watching
from ptxlab.ptx.grids import waits_for_grids

if TYPE_CHECKING:
    from ptxlab.sim.report.report import Report


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
            stream: a px.Stream; on the GPU also one of torch, CuPy, or a handle. Left out, the one given to `prepare`; on the GPU
                else the one that the arrays' library works on now.

        Raises: Diagnostic PTX2425 for a stream that is not captured, while the library's current one is.
        """
        ...


class Simulated:
    """A launch prepared for the simulator. Calling it runs to the end and returns the report."""

    def __init__(
        self,
        entry: Entry,
        record: LaunchRecord,
        origin: Span | None,
        *,
        sanitize: Sanitize | None = None,
        stream: Any = None,
    ) -> None:
        self.record, self.entry = record, entry
        self._origin, self._sanitize, self._stream = origin, sanitize, stream

    def __repr__(self) -> str:
        return f"<Launch of {self.record}, simulated>"

    def __call__(
        self, stream: Any = None, *, progress: ProgressCallback | bool | None = None, **options: Any
    ) -> Report | None:
        """Simulate, or queue the launch.

        Args:
            stream: a px.Stream, which queues it; left out, the one given to `prepare`, if any.
            progress: a function, or True for a bar: see `px.simulate`. **options: the others of `px.simulate`, by name.

        Returns: the report; None where the launch is queued.

        Raises: Diagnostic PTX2314 for a stream of another kind; as `run`.
        """
        chosen = stream if stream is not None else self._stream
        if chosen is not None:
            queue(self, chosen, self._origin)
            return None
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

        settle()
        begun = self.begins(options)
        try:
            with shown(progress, self.entry.name) as callback:
                report = run(self.record, replace(begun.options, progress=callback))
        except Diagnostic as d:
            raise begun.stopped(d) from None
        return begun.ended(report)

    def begins(self, options: SimOptions) -> Begun:
        """The launch is about to run. Raises: Diagnostic PTX2321 for an array that was resized since, PTX2501 for options."""
        given = options.sanitize if options.sanitize is not None else self._sanitize
        sanitize = wanted(True if (options.graphs or options.certify or options.replay) and given is None else given)
        check_buffers(self.record.buffers)
        self.entry.module.last_library = None
        notify_launch(self.record)
        most = most_instructions(options.max_instructions)
        chosen = replace(options, sanitize=sanitize, max_instructions=most)
        return Begun(self.entry, self.record, chosen, self._origin)


def prepare(entry: Entry, options: LaunchOptions, origin: Span | None, *, remember: bool = False) -> Launch:
    """Check, pack and load; `remember`: so that `Entry.repeats` knows its equals.

    Raises: Diagnostic, each with `origin` where it has no place of its own.
    """
    watch = watching()
    if watch is not None and options.stream is None:
        options = replace(options, stream=watch.stream)
    built = entry.built(options, origin)
    try:
        if built.record.device == CPU:
            if watch is not None:
                built = replace(built, record=watch.protected(built.record))
            return _simulated(entry, built, options, origin)
        if options.programmatic and options.lints and not waits_for_grids(built.record.program):
            # in the simulator the sanitizer judges what it does
            shown = entry.lints & Lints.of(options.lints, options.ignore)
            warn(shown.chosen([_never_waits(built.record.program.name, origin)]))
        made = _loaded(entry, built, options, remember=remember)
        return made if watch is None else watch.prepared(made, options.args)
    except Diagnostic as d:
        if d.span is None:
            d.at(origin=origin)
        raise


def _never_waits(name: str, origin: Span | None) -> Diagnostic:
    return Diagnostic(
        "PTX5071",
        f"{name} is launched with programmatic=True and has no griddepcontrol.wait: it may run before the grids in front are over, "
        "and so may what comes behind it",
        help="execute griddepcontrol.wait before it uses what they do, or leave programmatic= out",
        origin=origin,
    )


class _Checked(Simulated):
    """Like its base, but errors that were found while simulating are raised, and the rest are Python warnings."""

    def run(self, options: SimOptions, progress: ProgressCallback | bool | None = None) -> Report:
        report = self._run(options, progress)
        raise_errors(
            [report], by_default=by_default(options.sanitize if options.sanitize is not None else self._sanitize)
        )
        return report


def _simulated(entry: Entry, built: Built, options: LaunchOptions, origin: Span | None) -> Launch:
    if options.stream is not None:
        check_stream(options.stream, origin)
    return _Checked(entry, built.record, origin, sanitize=options.sanitize, stream=options.stream)


def _loaded(entry: Entry, built: Built, options: LaunchOptions, *, remember: bool) -> Launch:
    if options.sanitize:
        raise Diagnostic(
            "PTX2501",
            "sanitize=True is for the simulator.",
            help='leave it out, or give NumPy arrays and device="auto"',
        )
    from ptxlab.cuda.driver import device
    from ptxlab.cuda.launch import Prepared
    from ptxlab.cuda.peers import map_peers
    from ptxlab.cuda.streams import current_source, settle

    gpu = device(built.ordinal)
    others = {view(b.array[0]).ordinal for b in built.record.buffers} - {gpu.ordinal}
    if others:
        map_peers([gpu, *map(device, sorted(others))])
    library = entry.module.library(gpu)
    owners = [b.array[0] for b in built.record.buffers]
    settle(owners)
    entry.module.last_library = library
    if remember and options.buffers == ():
        rules = {**pointer_rules(built.record.program), **entry.rules}
        entry.repeats.remember(options, library, built.record, rules, owners)
    current = current_source(owners, gpu.ordinal)
    return Prepared(library, built.record, current, stream=options.stream)
