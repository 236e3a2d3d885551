"""`ptxlab run`: somebody's PTX on .npy files."""

from __future__ import annotations

import io
import os
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from rich.console import Console

from ptxlab.abi.build import param_by_name
from ptxlab.abi.cache import atomic_write_all
from ptxlab.abi.maps import BoundMap, tensor_map
from ptxlab.commands.specs import Arrays, assignment, bad, extents, scalar, tensor_map_spec
from ptxlab.diag import Diagnostic, shortened
from ptxlab.launch.kernel import Kernel
from ptxlab.launch.module import Module, load

if TYPE_CHECKING:
    from ptxlab.ptx.program import Param, Program
    from ptxlab.sim.report.stats import Stats


@dataclass(frozen=True, slots=True)
class Request:
    """A run as the command line has it. `args` and `outs` are PARAMETER=VALUE words; extents are words such as 4x2.

    `dask` is the address of a scheduler.
    """

    file: Path
    entry: str | None = None
    grid: str = "1"
    block: str | None = None
    cluster: str | None = None
    shared: int = 0
    args: Sequence[str] = ()
    outs: Sequence[str] = ()
    cooperative: bool = False
    on: str = "sim"
    sanitize: bool = False
    schedule: str = "eager"
    seed: int = 0
    max_instructions: int | None = None
    trace: Path | None = None
    stats: bool = False
    workers: int | None = None
    dask: str | None = None


_SIMULATED = ("sanitize", "schedule", "seed", "max_instructions", "trace", "stats", "workers", "dask")
"""Options that a GPU has no use for."""


@dataclass(slots=True)
class _Bound:
    """Arguments in order, and the arrays behind them by parameter name."""

    args: list[Any]
    arrays: dict[str, np.ndarray] = field(default_factory=dict[str, np.ndarray])


def main(request: Request, console: Console | None = None) -> int:
    """Run a kernel of a .ptx file and write what was asked for.

    Inputs are read into memory and never written back; an output appears as a whole or not at all, and only when the
    kernel has ended well.

    Returns: the exit status, 0.

    Raises: Diagnostic PTX25xx for options and files, and whatever a launch raises.
    """
    console = console or Console()
    kernel = _kernel(load(request.file), request.entry)
    arrays = Arrays()
    bound = _bind(kernel.program, request.args, arrays)
    targets = _targets(kernel.program, request, bound, arrays)
    _check_device(request)
    if request.trace is not None:
        _check_trace(request, targets, arrays)
    begin = time.perf_counter()
    counted = _launch(kernel, request, bound, console)
    seconds = time.perf_counter() - begin
    _write({Path(path): bound.arrays[name] for path, name in targets.items()})
    console.print(f"{shortened(kernel.name)}: {counted}{seconds:.2f} s", highlight=False, soft_wrap=True)
    for path, name in targets.items():
        a = bound.arrays[name]
        console.print(
            f"{name} → {path} ({a.dtype.name} {'×'.join(map(str, a.shape))})", highlight=False, soft_wrap=True
        )
    return 0


def _check_device(request: Request) -> None:
    """Refuse a device that there is not, and on a GPU what the simulator alone can do."""
    if request.on not in ("sim", "gpu"):
        raise bad(f"--on {request.on!r} is no device.", "use --on sim or --on gpu")
    default = Request(request.file)
    given = [f"--{name}" for name in _SIMULATED if getattr(request, name) != getattr(default, name)]
    if given and request.on != "sim":
        what = ", ".join(given).replace("_", "-")
        raise bad(
            f"{what} {'is' if len(given) == 1 else 'are'} for the simulator.",
            f"leave {'it' if len(given) == 1 else 'them'} out, or use --on sim",
        )


def _kernel(module: Module, entry: str | None) -> Kernel:
    if entry is not None:
        return module[entry]
    if len(module.entries) != 1:
        listed = ", ".join(module.entries) or "none"
        raise bad(f"{module.file} has {len(module.entries)} kernels.", f"choose one with --entry: {listed}")
    return module[module.entries[0]]


def _bind(program: Program, words: Sequence[str], arrays: Arrays) -> _Bound:
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
    bound = _Bound([None] * len(program.params))
    for i in sorted(range(len(program.params)), key=lambda i: "@" in given[program.params[i].name]):
        param = program.params[i]
        try:
            bound.args[i] = _value(program, param, given[param.name], bound, arrays)
        except Diagnostic as d:
            d.message = f"--arg {param.name}: {d.message}"
            raise
    return bound


def _value(program: Program, param: Param, word: str, bound: _Bound, arrays: Arrays) -> Any:
    number = scalar(word)
    if number is not None:
        return number
    if not word.startswith("tensormap:"):
        bound.arrays[param.name] = _array(program, word, bound, arrays)
        return bound.arrays[param.name]
    spec = tensor_map_spec(word.removeprefix("tensormap:"))
    array = bound.arrays[param.name] = _array(program, spec.array, bound, arrays)
    return tensor_map(array, **spec.options)


def _array(program: Program, word: str, bound: _Bound, arrays: Arrays) -> np.ndarray:
    if not word.startswith("@"):
        return arrays.get(word)
    name = param_by_name(program, word[1:]).name
    if name not in bound.arrays:
        raise bad(f"{word!r} names no array.", "name a parameter whose own value is a file or zeros:…")
    return bound.arrays[name]


def _targets(program: Program, request: Request, bound: _Bound, arrays: Arrays) -> dict[str, str]:
    """File by file, the parameter whose array goes there. Everything that can be refused is refused before the run."""
    out: dict[str, str] = {}
    inputs, taken = {*arrays.files, os.path.realpath(request.file)}, set[str]()
    for word in request.outs:
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


def _check_trace(request: Request, targets: dict[str, str], arrays: Arrays) -> None:
    """Refuse a place for the timeline before the run."""
    from ptxlab.sim.report.trace import check_ending

    real = os.path.realpath(str(request.trace))
    if real in {os.path.realpath(path) for path in targets}:
        raise bad(f"{request.trace} is named by two outputs.", "write each to a file of its own")
    if real in {*arrays.files, os.path.realpath(request.file)}:
        raise Diagnostic("PTX2503", f"{request.trace} is an input of this run.")
    _check_folder(str(request.trace))
    if Path(real).exists() and not Path(real).is_file():
        raise Diagnostic("PTX2500", f"{request.trace} is no file that could be replaced.", help="name a .json file")
    check_ending(Path(str(request.trace)))


def _check_folder(path: str) -> None:
    parent = Path(path).parent
    if not parent.is_dir() or not os.access(parent, os.W_OK):
        raise Diagnostic("PTX2500", f"{path} cannot be written.", help="choose a folder that exists and is yours")


def _launch(kernel: Kernel, request: Request, bound: _Bound, console: Console) -> str:
    """Run; what it says of itself."""
    shape: dict[str, Any] = {
        "grid": extents("--grid", request.grid),
        "block": None if request.block is None else extents("--block", request.block),
        "cluster": None if request.cluster is None else extents("--cluster", request.cluster),
        "shared": request.shared,
        "cooperative": request.cooperative,
    }
    if request.on == "gpu":
        _on_gpu(kernel, shape, bound)
        return "on the GPU, "
    from ptxlab.diag import raise_all, show
    from ptxlab.launch.simulate import simulate

    report = simulate(
        kernel,
        args=bound.args,
        sanitize=request.sanitize,
        schedule=request.schedule,
        seed=request.seed,
        max_instructions=request.max_instructions,
        trace=request.trace is not None,
        stats=request.stats,
        progress=sys.stderr.isatty(),
        workers=request.workers,
        client=None if request.dask is None else _client(request.dask),
        **shape,
    )
    if request.trace is not None and report.trace is not None:
        report.trace.save(request.trace)
    if request.stats:
        console.print(report.stats.table())
    raise_all(report.findings)
    show(report.findings)
    return f"{report.stats.ctas:,} CTAs, {report.stats.instructions:,} thread-instructions, {_spread(report.stats)}"


def _spread(stats: Stats) -> str:
    """What became of --workers."""
    if stats.serial is not None:
        return f"in one process: {stats.serial}, "
    return f"{stats.workers} processes, " if stats.workers > 1 else ""


def _client(address: str) -> Any:
    from ptxlab.sim.spread.remote import connected

    return connected(address)


def _on_gpu(kernel: Kernel, shape: dict[str, Any], bound: _Bound) -> None:
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
