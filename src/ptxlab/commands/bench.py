"""`ptxlab bench`: the options of the measurements in `ptxlab.bench`, each imported when it runs."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Final

import typer

from ptxlab.abi.sanitizing import when_asked
from ptxlab.commands.command import Command, Record
from ptxlab.commands.specs import bad
from ptxlab.diag import Diagnostic, console


@dataclass(frozen=True, slots=True, kw_only=True)
class LaunchOptions:
    """How the cost of a launch is measured."""

    batches: Annotated[int, typer.Option(metavar="N", help="batches of launches; the median counts", min=1)] = 50
    record: Record = None


@when_asked()
def launch(options: LaunchOptions) -> int:
    """See `ptxlab.bench.launch`."""
    from ptxlab.bench import launch

    return launch.main(options.batches, options.record, console())


@dataclass(frozen=True, slots=True, kw_only=True)
class GemmOptions:
    """Which products are measured."""

    size: Annotated[
        list[int] | None, typer.Option(metavar="N", help="extent of an N × N × N product; may be repeated", min=1)
    ] = None
    rounds: Annotated[int | None, typer.Option(metavar="N", help="how often each contender is timed", min=1)] = None
    record: Record = None


@when_asked()
def gemm(options: GemmOptions) -> int:
    """See `ptxlab.bench.gemm`."""
    from ptxlab.bench import gemm

    return gemm.main(options.size or gemm.SIZES, options.rounds or gemm.ROUNDS, options.record, console())


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupedOptions:
    """How grouped products are measured."""

    rounds: Annotated[int | None, typer.Option(metavar="N", help="how often each contender is timed", min=1)] = None
    record: Record = None


@when_asked()
def grouped(options: GroupedOptions) -> int:
    """See `ptxlab.bench.grouped`."""
    from ptxlab.bench import grouped

    return grouped.main(options.rounds or grouped.ROUNDS, options.record, console())


@dataclass(frozen=True, slots=True, kw_only=True)
class KernelOptions:
    """What is measured, and beside whom."""

    only: Annotated[
        list[str] | None,
        typer.Option(
            metavar="KIND",
            help="gemm, fp8, fp8-rows, fp8-blocks, grouped, grouped-fp8, grouped-rows, grouped-masked, grouped-depth, "
            "grouped-blocks, fused, attention, attention-backward, decode, decode-fp8, decode-mla, rows, block, launch, "
            "simulator; repeatable",
        ),
    ] = None
    shapes: Annotated[
        str,
        typer.Option(
            "--shapes", metavar="SHAPES", help="of gemm in place of its own: n or MxNxK, e.g. 4096,64x4096x8192"
        ),
    ] = ""
    peers: Annotated[
        list[str] | None,
        typer.Option(metavar="PEER", help="cublas, cudnn, compile, triton, quack, flash or flashinfer; repeatable"),
    ] = None
    quick: Annotated[
        bool, typer.Option("--quick", help="a few lines, 20 rounds, and only peers that need no tuning")
    ] = False
    random: Annotated[
        int | None,
        typer.Option(
            metavar="N", min=1, help="in place of all lines N products whose extents, types and layouts are drawn"
        ),
    ] = None
    seed: Annotated[int, typer.Option(metavar="S", help="from which --random draws")] = 0
    rounds: Annotated[int | None, typer.Option(metavar="N", help="how often each contender is timed", min=1)] = None
    record: Record = None
    picture: Annotated[Path | None, typer.Option(metavar="FILE.svg", help="draw the roofline of gemm")] = None


@when_asked()
def kernels(options: KernelOptions) -> int:
    """See `ptxlab.bench.kernels`. Raises: Diagnostic PTX2501 for options that contradict each other."""
    if options.random is not None and (options.shapes or options.picture):
        raise bad("--random does not go together with --shapes or --picture.", "give one of the two")
    from ptxlab.bench.kernels import run

    left = sorted(set(options.only or ()) - {"gemm", "fp8"})
    if options.random is not None and left:
        raise bad(f"--random draws no {left[0]}.", "kinds: gemm, fp8")
    from ptxlab.conformance.kernels.timed import timed

    chosen = run.Chosen(
        only=options.only or (),
        shapes=options.shapes,
        peers=options.peers or (),
        quick=options.quick,
        random=options.random,
        seed=options.seed,
        rounds=options.rounds,
        record=options.record,
        picture=options.picture,
    )
    return run.main(chosen, console(), timed)


@dataclass(frozen=True, slots=True, kw_only=True)
class SimOptions:
    """How the simulator is measured."""

    rounds: Annotated[int, typer.Option(metavar="N", help="runs of each workload behind the first", min=1)] = 5
    full: Annotated[bool, typer.Option("--full", help="also the gemm of 2048³, which takes minutes")] = False
    sanitized: Annotated[
        bool, typer.Option("--sanitized", help="measure instead how much longer launches take with the sanitizer")
    ] = False
    record: Record = None


@when_asked()
def sim(options: SimOptions) -> int:
    """See `ptxlab.bench.sim`. Raises: Diagnostic PTX2501 for options that contradict each other."""
    if options.sanitized:
        if options.full:
            raise bad("--full does not go together with --sanitized.", "give one of the two")
        from ptxlab.bench.sim import sanitized

        return sanitized.main(options.rounds, options.record, console())
    from ptxlab.bench.sim import run

    return run.main(options.rounds, options.record, console(), full=options.full)


@dataclass(frozen=True, slots=True, kw_only=True)
class MapOptions:
    """How tensor maps are measured."""

    batches: Annotated[
        int, typer.Option(metavar="N", help="batches of 500 calls; the best and the median count", min=1)
    ] = 40
    record: Record = None


@when_asked()
def maps(options: MapOptions) -> int:
    """See `ptxlab.bench.maps`."""
    from ptxlab.bench import maps

    return maps.main(options.batches, options.record, console())


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckOptions:
    """Which files are checked, and how often."""

    files: Annotated[
        list[Path], typer.Argument(metavar="FILE.ptx…", help="large files; benchmarks/check.cu makes some")
    ]
    rounds: Annotated[
        int, typer.Option(metavar="N", help="how often each file is timed; the fastest counts", min=1)
    ] = 5
    record: Record = None


def check(options: CheckOptions) -> int:
    """See `ptxlab.bench.check`."""
    from ptxlab.bench import check as runner

    return runner.main(options.files, options.rounds, options.record, console())


@dataclass(frozen=True, slots=True, kw_only=True)
class FunctionOptions:
    """How approximate functions are measured."""

    rounds: Annotated[int, typer.Option(metavar="N", help="how often each is timed; the fastest counts", min=1)] = 5
    record: Record = None


def functions(options: FunctionOptions) -> int:
    """See `ptxlab.bench.functions`."""
    from ptxlab.bench import functions as runner

    return runner.main(options.rounds, options.record, console())


@dataclass(frozen=True, slots=True, kw_only=True)
class McpOptions:
    """How long the server for agents is measured."""

    seconds: Annotated[float, typer.Option(metavar="N", help="of all parts together; 1800 shows leaks", min=1)] = 45.0
    workers: Annotated[int, typer.Option(metavar="N", help="of the server", min=1)] = 2
    clients: Annotated[int, typer.Option(metavar="N", help="that send requests at a time", min=1)] = 4
    record: Record = None


def mcp(options: McpOptions) -> int:
    """See `ptxlab.bench.mcp`. Raises: Diagnostic PTX2600 without the SDK."""
    try:
        from ptxlab.bench import mcp as runner
    except ImportError as e:
        raise Diagnostic("PTX2600", f"The benchmark needs the package mcp, 2.3 or newer: {e}.") from None
    return runner.main(options.seconds, options.workers, options.clients, options.record, console())


@dataclass(frozen=True, slots=True, kw_only=True)
class CollectiveOptions:
    """Over how many GPUs, and how often each contender is timed."""

    gpus: Annotated[int, typer.Option(metavar="N", help="of this machine: GPU 0, 1, …", min=2, max=8)] = 2
    rounds: Annotated[int, typer.Option(metavar="N", help="how often each contender is timed", min=1)] = 15
    record: Record = None


def collectives(options: CollectiveOptions) -> int:
    """See `ptxlab.bench.collectives`."""
    from ptxlab.bench import collectives as runner

    return runner.main(options.gpus, options.rounds, options.record, console())


@dataclass(frozen=True, slots=True, kw_only=True)
class PredictOptions:
    """Which kernels are predicted, and whether the GPU is asked."""

    record: Annotated[Path, typer.Argument(metavar="RECORD.jsonl", help="where predictions and measurements stand")]
    seed: Annotated[int, typer.Option(metavar="N", help="draws kernels and sizes")] = 0
    gemms: Annotated[int, typer.Option(metavar="N", help="matrix products among them", min=0)] = 12
    spaces: Annotated[
        int,
        typer.Option(metavar="N", help="in their place: candidates of N products and of other work, to be ranked", min=0),
    ] = 0
    measure: Annotated[
        bool, typer.Option("--measure", help="measure what the record predicts; needs a GPU and torch")
    ] = False
    compare: Annotated[bool, typer.Option("--compare", help="show the errors of what the record has")] = False


def predict(options: PredictOptions) -> int:
    """See `ptxlab.bench.predict`. Raises: Diagnostic PTX2500 for a file that cannot be read."""
    from ptxlab.bench.predict import run

    if options.compare:
        return run.compare(options.record, console())
    return run.main(options.seed, options.gemms, options.record, options.measure, console(), options.spaces)


COMMANDS: Final = {
    "launch": Command(
        LaunchOptions, launch, "Cost of a launch from Python, beside the driver's own call. Needs a GPU."
    ),
    "gemm": Command(GemmOptions, gemm, "Our gemm beside cuBLAS in the same run. Needs a GPU and torch."),
    "grouped": Command(
        GroupedOptions,
        grouped,
        "Many products in one launch beside one product of equal work and torch's. Needs a GPU and torch.",
    ),
    "kernels": Command(
        KernelOptions,
        kernels,
        "Matrix products, attention and what lies between them, beside every peer that is installed, with what each has to reach. "
        "Needs a GPU and torch.",
    ),
    "collectives": Command(
        CollectiveOptions,
        collectives,
        "An all-reduce over several GPUs beside NCCL and torch's symmetric memory, and products that communicate beside "
        "their parts. Needs two GPUs and torch.",
    ),
    "predict": Command(
        PredictOptions,
        predict,
        "Kernels drawn by a seed: first what the timing model predicts, then what a GPU measures, and how far off that was.",
    ),
    "sim": Command(
        SimOptions, sim, "Speed of the simulator, beside what it promises and other simulators that are installed."
    ),
    "tensormap": Command(
        MapOptions, maps, "Cost of a tensor map: made, looked up, and in a launch where there is a GPU."
    ),
    "check": Command(CheckOptions, check, "Megabytes a second of parsing and checking, with lints and without."),
    "mcp": Command(
        McpOptions,
        mcp,
        "Requests a second of the server for agents, and then what becomes of them while workers are killed and clients go. "
        "The status is 1 where an answer is lost or wrong.",
    ),
    "functions": Command(
        FunctionOptions, functions, "Results a second of approximate functions in the simulator, on one core."
    ),
}
