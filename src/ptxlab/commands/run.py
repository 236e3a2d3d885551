"""`ptxlab run`: somebody's PTX on .npy files."""

from __future__ import annotations

import contextlib
import io
import os
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
import typer
from rich.console import Console

from ptxlab.abi.build import param_by_name
from ptxlab.abi.cache import atomic_write_all
from ptxlab.abi.maps import BoundMap, tensor_map
from ptxlab.abi.options import LaunchOptions, SimOptions
from ptxlab.abi.sanitizing import by_default
from ptxlab.commands.command import Command, Ignore, NoLints, On, SourceRoots, codes
from ptxlab.commands.explore import check_explored, explore, summary
from ptxlab.commands.files import allow_sources, text_of
from ptxlab.commands.formats import Format, FormatOption, write_document
from ptxlab.commands.shell import BAD_OPTION, without_command
from ptxlab.commands.specs import Arrays, assignment, bad, extents, scalar, tensor_map_spec
from ptxlab.diag import Diagnostic, Severity, Suppressed, console, shortened, show, visible, visible_lines
from ptxlab.diag.causes import with_consequences
from ptxlab.launch.kernel import Kernel
from ptxlab.launch.module import Module, parse

if TYPE_CHECKING:
    from ptxlab.ptx.program import Param, Program
    from ptxlab.sim.report.certificate import Certificate
    from ptxlab.sim.report.stats import Stats


@dataclass(frozen=True, slots=True, kw_only=True)
class LaunchWords:
    """A launch as the command line has it. `arg` has PARAMETER=VALUE words; extents are words such as 4x2."""

    file: Annotated[Path, typer.Argument(metavar="FILE.ptx", help="PTX from anywhere; - reads standard input")]
    entry: Annotated[
        str | None, typer.Option(metavar="KERNEL", help="the kernel; may be left out where there is only one")
    ] = None
    grid: Annotated[str, typer.Option(metavar="XxYxZ", help="CTAs, e.g. 4 or 4x2")] = "1"
    block: Annotated[
        str | None, typer.Option(metavar="XxYxZ", help="threads of a CTA; default: the kernel's .reqntid")
    ] = None
    cluster: Annotated[str | None, typer.Option(metavar="XxYxZ", help="CTAs of a cluster")] = None
    shared: Annotated[int, typer.Option(metavar="BYTES", help="dynamic shared memory of a CTA")] = 0
    arg: Annotated[
        list[str] | None,
        typer.Option(
            metavar="PARAMETER=VALUE",
            help="by name or index: a.npy, u32:7, f32:1.5, zeros:f32:64x64, @OTHER (the array of another parameter), "
            "tensormap:a.npy,box=64x64",
        ),
    ] = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Options(LaunchWords):
    """A run as the command line has it. `arg` and `out` are PARAMETER=VALUE words; extents are words such as 4x2."""

    out: Annotated[
        list[str] | None,
        typer.Option(metavar="PARAMETER=FILE.npy", help="write the array behind a parameter when the kernel has ended"),
    ] = None
    cooperative: Annotated[
        bool, typer.Option("--cooperative", help="all CTAs are resident at once; a grid that does not fit is refused")
    ] = False
    on: On = "sim"
    sanitize: Annotated[
        bool | None,
        typer.Option(
            "--sanitize/--no-sanitize",
            help="look for accesses that nothing orders: races, missing waits and fences (the default; without is faster)",
        ),
    ] = None
    graph: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE.svg",
            help="write the happens-before graph of the first finding that has one; those of others go to FILE-2.svg and so on",
        ),
    ] = None
    certify: Annotated[
        bool,
        typer.Option(
            "--certify", help="say whether the run speaks for every schedule, or why not: then the status is 1"
        ),
    ] = False
    orders: Annotated[
        int,
        typer.Option(
            metavar="N",
            min=0,
            help="with --certify: how many runs at most, where locks and counters have several orders",
        ),
    ] = 1000
    explore: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            min=0,
            help="run under eager, late and N random schedules, compare the results, and look for the cause",
        ),
    ] = None
    schedule: Annotated[str, typer.Option(metavar="eager|late|random", help="when asynchronous operations happen")] = (
        "eager"
    )
    replay: Annotated[
        str,
        typer.Option(metavar="WORDS", help="whose strong access comes next, as a certificate has it: '0:0 1:0 0:0'"),
    ] = ""
    seed: Annotated[
        int, typer.Option(metavar="N", help="of the random schedule, and of memory that nobody has written")
    ] = 0
    poison: Annotated[
        bool,
        typer.Option(
            "--poison/--no-poison",
            help="registers and shared memory that nobody has written hold a pattern; else zeros",
        ),
    ] = True
    max_instructions: Annotated[
        int | None,
        typer.Option(metavar="N", min=1, help="stop the simulation after so many instructions, counted per thread"),
    ] = None
    trace: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="write the timeline: .json for ui.perfetto.dev, or a picture: .png, .svg"),
    ] = None
    stats: Annotated[
        bool, typer.Option("--stats", help="show bytes, bank conflicts, sectors and waits of each instruction")
    ] = False
    workers: Annotated[
        int | None, typer.Option(metavar="N", help="spread the simulation over N processes; 0: one for each core")
    ] = None
    dask: Annotated[
        str | None, typer.Option(metavar="ADDRESS", help="spread it over the workers of this Dask scheduler")
    ] = None
    format: FormatOption = Format.TEXT
    no_lints: NoLints = False
    ignore: Ignore = None
    source_root: SourceRoots = None

    @property
    def sim(self) -> SimOptions:
        """Those of the simulator. A field of the same name as one of `SimOptions` becomes that one."""
        same: dict[str, Any] = {f.name: getattr(self, f.name) for f in fields(SimOptions) if hasattr(self, f.name)}
        client = None if self.dask is None else _client(self.dask)
        same |= {"trace": self.trace is not None, "graphs": self.graph is not None, "client": client}
        return SimOptions(**same)


_SIMULATED = (
    "sanitize",
    "certify",
    "orders",
    "graph",
    "explore",
    "schedule",
    "replay",
    "seed",
    "poison",
    "max_instructions",
    "trace",
    "stats",
    "workers",
    "dask",
)
"""Options that a GPU has no use for."""
_OF_ONE_RUN = ("certify", "orders", "graph", "schedule", "replay", "trace", "stats", "workers", "dask")
"""Options that say how a single run goes."""


@dataclass(slots=True)
class Bound:
    """Arguments in order, and the arrays behind them by parameter name."""

    args: list[Any]
    arrays: dict[str, np.ndarray] = field(default_factory=dict[str, np.ndarray])


def main(options: Options) -> int:
    """Run a kernel of a .ptx file and write what was asked for.

    Inputs are read into memory and never written back; an output appears as a whole or not at all, and only when the
    kernel has come to its end: also where the sanitizer has found something. With --format for machines, standard output
    has the findings alone, also those that stop the launch.

    Returns: the exit status: 0, or 1 where --format writes errors, or --certify proves nothing.

    Raises: Diagnostic PTX25xx for options and files, and whatever a launch raises.
    """
    terminal = console()
    allow_sources(options.source_root)
    text, name = text_of(options.file)
    kernel = chosen(parse(text, name), options.entry)
    arrays = Arrays()
    bound = bind(kernel.program, options.arg or (), arrays)
    targets = _targets(kernel.program, options, bound, arrays)
    _check_device(options)
    inputs = {*arrays.files, os.path.realpath(options.file)}
    if options.trace is not None:
        _check_trace(options.trace, targets, inputs)
    if options.graph is not None:
        _check_graph(options.graph, targets, inputs)
    begin = time.perf_counter()
    outcome = _launched(kernel, options, bound, terminal)
    seconds = time.perf_counter() - begin
    if options.graph is not None:
        _draw(options.graph, outcome.found, terminal)
    if outcome.ended:
        _write({Path(path): bound.arrays[name] for path, name in targets.items()})
    if options.format is not Format.TEXT:
        write_document(options.format, outcome.found, outcome.suppressed, outcome.certificate)
        return outcome.status
    if not outcome.errors:
        show(outcome.found)
    if outcome.ended:
        lines = [f"{shortened(kernel.name)}: {outcome.words}{seconds:.2f} s", *outcome.notes]
        for path, name in targets.items():
            a = bound.arrays[name]
            lines.append(f"{name} → {path} ({a.dtype.name} {'×'.join(map(str, a.shape))})")
        terminal.print("\n".join(map(visible, lines)), highlight=False, soft_wrap=True, markup=False)
        if outcome.certificate is not None:
            terminal.print(visible_lines(str(outcome.certificate)), highlight=False, soft_wrap=True, markup=False)
        _say_how_to_go_without(outcome.found, options.sanitize)
    if outcome.errors:
        first, *rest = sorted(outcome.found, key=lambda d: d.severity is not Severity.ERROR)
        first.also = tuple(rest)
        raise first
    return outcome.status


def _say_how_to_go_without(found: Sequence[Diagnostic], sanitize: bool | None) -> None:
    """For somebody who has not asked for the sanitizer, and has a launch that it ends with an error."""
    first = next((d for d in found if d.severity is Severity.ERROR), None)
    if first is not None and first.code.startswith("PTX92") and by_default(sanitize):
        note = "the launch has run to its end, and its outputs are written; --no-sanitize turns the sanitizer off"
        first.notes = (*first.notes, note)


def _check_device(options: Options) -> None:
    """Refuse a device that there is not, and on a GPU what the simulator alone can do."""
    if options.on not in ("sim", "gpu"):
        raise bad(f"--on {options.on!r} is no device.", "use --on sim or --on gpu")
    default = Options(file=options.file)
    given = [f"--{name}" for name in _SIMULATED if getattr(options, name) != getattr(default, name)]
    if options.explore is not None:
        check_explored(name for name in _OF_ONE_RUN if getattr(options, name) != getattr(default, name))
    if given and options.on != "sim":
        what = ", ".join(given).replace("_", "-")
        raise bad(
            f"{what} {'is' if len(given) == 1 else 'are'} for the simulator.",
            f"leave {'it' if len(given) == 1 else 'them'} out, or use --on sim",
        )


def chosen(module: Module, entry: str | None) -> Kernel:
    """The kernel of this name, or the only one. Raises: Diagnostic PTX2501 where there are several."""
    if entry is not None:
        return module[entry]
    if len(module.entries) != 1:
        listed = ", ".join(module.entries) or "none"
        raise bad(f"{module.file} has {len(module.entries)} kernels.", f"choose one with --entry: {listed}")
    return module[module.entries[0]]


def bind(program: Program, words: Sequence[str], arrays: Arrays) -> Bound:
    """Values for all parameters. Words that refer to other arguments (@name) wait until those are there."""
    given: dict[str, str] = {}
    for word in words:
        name, value = assignment("--arg", word)
        param = param_by_name(program, name)
        if param.name in given:
            raise bad(f"Parameter {param.name!r} is given twice.", "give each parameter one --arg")
        given[param.name] = value
    missing = [p for p in program.params if p.name not in given]
    if missing:
        lacking = ", ".join(f"{p.name} (.{p.type}{f'[{p.count}]' if p.count > 1 else ''})" for p in missing)
        raise Diagnostic("PTX2301", f"Parameters without a value: {lacking}.", help="add --arg NAME=VALUE for each")
    bound = Bound([None] * len(program.params))
    for i in sorted(range(len(program.params)), key=lambda i: "@" in given[program.params[i].name]):
        param = program.params[i]
        try:
            bound.args[i] = _value(program, param, given[param.name], bound, arrays)
        except Diagnostic as d:
            d.message = f"--arg {param.name}: {d.message}"
            raise
    return bound


def _value(program: Program, param: Param, word: str, bound: Bound, arrays: Arrays) -> Any:
    number = scalar(word)
    if number is not None:
        return number
    if not word.startswith("tensormap:"):
        bound.arrays[param.name] = _array(program, word, bound, arrays)
        return bound.arrays[param.name]
    spec = tensor_map_spec(word.removeprefix("tensormap:"))
    array = bound.arrays[param.name] = _array(program, spec.array, bound, arrays)
    return tensor_map(array, **spec.options)


def _array(program: Program, word: str, bound: Bound, arrays: Arrays) -> np.ndarray:
    if not word.startswith("@"):
        return arrays.get(word)
    name = param_by_name(program, word[1:]).name
    if name not in bound.arrays:
        raise bad(f"{word!r} names no array.", "name a parameter whose own value is a file or zeros:…")
    return bound.arrays[name]


def _targets(program: Program, options: Options, bound: Bound, arrays: Arrays) -> dict[str, str]:
    """File by file, the parameter whose array goes there. Everything that can be refused is refused before the run."""
    out: dict[str, str] = {}
    inputs, taken = {*arrays.files, os.path.realpath(options.file)}, set[str]()
    for word in options.out or ():
        name, path = assignment("--out", word)
        param = param_by_name(program, name)
        if param.name not in bound.arrays:
            raise bad(f"--out {word!r}: parameter {param.name!r} is no array.", "outputs are arrays that --arg gives")
        real = os.path.realpath(path)
        if real in taken:
            raise bad(f"{path} is named by two outputs.", "write each to a file of its own")
        if real in inputs:
            raise Diagnostic("PTX2503", f"{path} is an input of this run.")
        _check_folder(path)
        if Path(real).exists() and not Path(real).is_file():
            raise Diagnostic("PTX2500", f"{path} is no file that could be replaced.", help="name a .npy file")
        out[path] = param.name
        taken.add(real)
    return out


def _check_trace(path: Path, targets: dict[str, str], inputs: set[str]) -> None:
    """Refuse a place for the timeline before the run."""
    from ptxlab.sim.report.trace import check_ending

    _check_picture(path, targets, inputs, "name a .json file")
    check_ending(path)


def _check_graph(path: Path, targets: dict[str, str], inputs: set[str]) -> None:
    """The same for graphs."""
    if path.suffix.lower() != ".svg":
        raise bad(f"--graph {path} does not end like a picture of a graph.", "name a file that ends in .svg")
    _check_picture(path, targets, inputs, "name a .svg file")


def _check_picture(path: Path, targets: dict[str, str], inputs: set[str], help_: str) -> None:
    real = os.path.realpath(path)
    if real in {os.path.realpath(target) for target in targets}:
        raise bad(f"{path} is named by two outputs.", "write each to a file of its own")
    if real in inputs:
        raise Diagnostic("PTX2503", f"{path} is an input of this run.")
    _check_folder(str(path))
    if Path(real).exists() and not Path(real).is_file():
        raise Diagnostic("PTX2500", f"{path} is no file that could be replaced.", help=help_)


def _draw(path: Path, found: Sequence[Diagnostic], terminal: Console) -> None:
    """Write the graphs of findings, and say where."""
    drawn = [d.order for d in found if d.order is not None]
    for number, graph in enumerate(drawn, 1):
        target = graph.save(path if number == 1 else path.with_name(f"{path.stem}-{number}{path.suffix}"))
        terminal.print(visible(f"graph → {target}"), highlight=False, soft_wrap=True, markup=False)
    if not drawn:
        terminal.print("no finding has a graph", highlight=False)


def _check_folder(path: str) -> None:
    parent = Path(path).parent
    if not parent.is_dir() or not os.access(parent, os.W_OK):
        raise Diagnostic("PTX2500", f"{path} cannot be written.", help="choose a folder that exists and is yours")


@dataclass(slots=True)
class _Outcome:
    """What a launch says of itself, and what was found in it. ended: whether it has come to its end, so that there are outputs.
    notes: lines about its outputs that are no findings. certificate: where it was asked for."""

    words: str = ""
    found: Sequence[Diagnostic] = ()
    suppressed: Sequence[Suppressed] = ()
    ended: bool = True
    notes: Sequence[str] = ()
    certificate: Certificate | None = None

    @property
    def status(self) -> int:
        """The exit status."""
        return int(self.errors or (self.certificate is not None and not self.certificate.proved))

    @property
    def errors(self) -> bool:
        return any(d.severity is Severity.ERROR for d in self.found)


def _launched(kernel: Kernel, options: Options, bound: Bound, terminal: Console) -> _Outcome:
    """Run. Raises: Diagnostic for errors, unless they are written for machines; for a wrong option anyway."""
    if options.format is not Format.TEXT:  # standard output is for the document: not for what the kernel prints
        terminal = console(stderr=True)
    try:
        with contextlib.redirect_stdout(sys.stdout if options.format is Format.TEXT else sys.stderr):
            outcome = _launch(kernel, options, bound, terminal)
    except Diagnostic as d:
        if options.graph is not None and options.format is Format.TEXT:
            _draw(options.graph, d.told(), terminal)
        if options.format is Format.TEXT or d.code == BAD_OPTION:
            raise
        return _Outcome(found=[without_command(one) for one in d.told()], ended=False)
    return outcome


def _launch(kernel: Kernel, options: Options, bound: Bound, terminal: Console) -> _Outcome:
    shape: dict[str, Any] = {
        "grid": extents("--grid", options.grid),
        "block": None if options.block is None else extents("--block", options.block),
        "cluster": None if options.cluster is None else extents("--cluster", options.cluster),
        "shared": options.shared,
        "cooperative": options.cooperative,
        "lints": not options.no_lints,
        "ignore": codes("--ignore", options.ignore),
    }
    if options.on == "gpu":
        _on_gpu(kernel, shape, bound)
        return _Outcome("on the GPU, ")
    if options.explore is not None:
        launch = LaunchOptions(args=bound.args, device="sim", **shape)
        found = explore(kernel, launch, options.sim, options.explore, terminal)
        agree = all(d.severity is not Severity.ERROR for d in found.findings)
        return _Outcome(summary(found), found.findings, found.suppressed, ended=agree)
    from ptxlab.launch.simulate import simulated

    report = simulated(kernel, LaunchOptions(args=bound.args, device="sim", **shape), options.sim, _progress())
    if options.trace is not None and report.trace is not None:
        report.trace.save(options.trace)
    if options.stats:
        terminal.print(report.stats.table())
    ctas = f"{report.stats.ctas:,} CTA{'s' * (report.stats.ctas != 1)}"
    counts = f"{ctas}, {report.stats.instructions:,} thread-instructions, {_spread(report.stats)}"
    hidden = f"{len(report.suppressed)} suppressed, " if report.suppressed else ""
    unwatched = f"{report.unwatched}, " if report.unwatched else ""
    notes = [f"note: {one}" for one in report.unwritten]
    found = with_consequences(report.findings)
    return _Outcome(counts + hidden + unwatched, found, report.suppressed, notes=notes, certificate=report.certificate)


def _progress() -> bool:
    """Whether a bar may be drawn."""
    return console(stderr=True).is_terminal


def _spread(stats: Stats) -> str:
    """What became of --workers."""
    if stats.serial is not None:
        return f"in one process: {stats.serial}, "
    return f"{stats.workers} processes, " if stats.workers > 1 else ""


def _client(address: str) -> Any:
    from ptxlab.sim.spread.remote import connected

    return connected(address)


def _on_gpu(kernel: Kernel, shape: dict[str, Any], bound: Bound) -> None:
    from ptxlab.cuda.array import GpuArray

    there: dict[int, GpuArray] = {}
    for a in bound.arrays.values():
        if id(a) not in there:
            there[id(a)] = GpuArray(a)
    args = [_moved(x, there) for x in bound.args]
    kernel.launch(args=args, **shape)
    for a in bound.arrays.values():
        a[...] = there[id(a)].numpy()


def _moved(arg: Any, there: dict[int, Any]) -> Any:
    """The argument with its array on the GPU; a map is made again for the new address."""
    if isinstance(arg, BoundMap):
        from dataclasses import replace

        from ptxlab.abi.arrays import view

        moved = view(there[id(arg.array.owner)])
        return BoundMap(replace(arg.map, address=moved.address), moved)
    return there.get(id(arg), arg)


def _write(files: dict[Path, np.ndarray]) -> None:
    try:
        atomic_write_all({path: [_npy(array)] for path, array in files.items()})
    except OSError as e:
        listed = ", ".join(map(str, files))
        raise Diagnostic("PTX2500", f"{listed} cannot be written: {e.strerror}.", help="choose another place") from None


def _npy(array: np.ndarray) -> memoryview:
    raw = io.BytesIO()
    np.save(raw, array, allow_pickle=False)
    return raw.getbuffer()


COMMAND = Command(Options, main)
