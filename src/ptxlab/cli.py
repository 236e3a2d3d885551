"""The command line. Each command is a runner elsewhere; here are their options, and errors as one rendered diagnostic."""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Callable
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from ptxlab.diag import Diagnostic, show, user_span

app = typer.Typer(
    name="ptxlab",
    help="Write, check, simulate and run GPU kernels at the PTX level.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
bench = typer.Typer(help="Measure: gemm and launch on a GPU, sim, check and tensormap anywhere.", no_args_is_help=True)
app.add_typer(bench, name="bench")
tensormap = typer.Typer(help="Read, compare, make and draw the 128 bytes of a tensor map.", no_args_is_help=True)
app.add_typer(tensormap, name="tensormap")

On = Annotated[str, typer.Option("--on", metavar="sim|gpu", help="simulate, or run on the GPU")]
Record = Annotated[Path | None, typer.Option("--record", metavar="FILE", help="append the numbers as a JSON line")]


def _end(runner: Callable[[], int]) -> None:
    """Run a command and end the process with its status. A Diagnostic is shown, and the status is 1."""
    warnings.showwarning = _show_warning
    try:
        status = runner()
    except Diagnostic as d:
        show(_without_command(one) for one in (d, *d.also))
        status = 1
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        status = 130
    except BrokenPipeError:  # `ptxlab … | head`: nobody reads on
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        status = 141
    raise typer.Exit(status)


def _show_warning(message: Warning | str, *place: Any) -> None:
    """What a launch warns of is shown as any diagnostic is."""
    found = getattr(message, "diagnostic", None)
    if found is not None:
        show([_without_command(found)])
    else:
        print(f"warning: {message}", file=sys.stderr)


def _without_command(d: Diagnostic) -> Diagnostic:
    """A command was not called from Python of the user's: the line that a launch takes for it is not shown."""
    if d.origin is not None and d.origin.file == user_span().file:
        d.origin = None
    return d


@app.command()
def doctor() -> None:
    """Say what this machine can do, and what to install for the rest."""
    from ptxlab.commands import doctor as runner

    _end(runner.main)


@app.command()
def demo(
    on: On = "sim",
    out: Annotated[Path, typer.Option("--out", metavar="FOLDER", help="where the pictures go")] = Path("ptxlab-demo"),
) -> None:
    """Run real Hopper kernels, compare their results, and draw what happened."""
    from ptxlab.commands import demo as runner

    _end(lambda: runner.main(on, out))


@app.command()
def run(
    file: Annotated[Path, typer.Argument(metavar="FILE.ptx", help="PTX from anywhere")],
    entry: Annotated[str | None, typer.Option(help="the kernel; may be left out where there is only one")] = None,
    grid: Annotated[str, typer.Option(metavar="XxYxZ", help="CTAs, e.g. 4 or 4x2")] = "1",
    block: Annotated[
        str | None, typer.Option(metavar="XxYxZ", help="threads of a CTA; default: the kernel's .reqntid")
    ] = None,
    cluster: Annotated[str | None, typer.Option(metavar="XxYxZ", help="CTAs of a cluster")] = None,
    shared: Annotated[int, typer.Option(metavar="BYTES", help="dynamic shared memory of a CTA")] = 0,
    arg: Annotated[
        list[str] | None,
        typer.Option(
            metavar="PARAMETER=VALUE",
            help="by name or index: a.npy, u32:7, f32:1.5, zeros:f32:64x64, @OTHER (the array of another parameter), "
            "tensormap:a.npy,box=64x64,swizzle=128B",
        ),
    ] = None,
    out: Annotated[
        list[str] | None,
        typer.Option(metavar="PARAMETER=FILE.npy", help="write the array behind a parameter when the kernel has ended"),
    ] = None,
    cooperative: Annotated[
        bool, typer.Option("--cooperative", help="all CTAs are resident at once; a grid that does not fit is refused")
    ] = False,
    on: On = "sim",
    sanitize: Annotated[
        bool, typer.Option("--sanitize", help="look for races, missing waits and fences (not yet)")
    ] = False,
    schedule: Annotated[
        str, typer.Option(metavar="eager|late|random", help="when asynchronous operations happen")
    ] = "eager",
    seed: Annotated[int, typer.Option(metavar="N", help="of the random schedule")] = 0,
    max_instructions: Annotated[
        int | None,
        typer.Option(metavar="N", min=1, help="stop the simulation after so many instructions, counted per thread"),
    ] = None,
    trace: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="write the timeline: .json for ui.perfetto.dev, or a picture: .png, .svg"),
    ] = None,
    stats: Annotated[
        bool, typer.Option("--stats", help="show bytes, bank conflicts, sectors and waits of each instruction")
    ] = False,
    workers: Annotated[
        int | None, typer.Option(metavar="N", help="spread the simulation over N processes; 0: one for each core")
    ] = None,
    dask: Annotated[
        str | None, typer.Option(metavar="ADDRESS", help="spread it over the workers of this Dask scheduler")
    ] = None,
) -> None:
    """Run a kernel of a .ptx file on .npy files. Inputs are never overwritten."""
    from ptxlab.commands import run as runner

    request = runner.Request(
        file, entry, grid, block, cluster, shared, arg or (), out or (), cooperative, on, sanitize, schedule, seed,
        max_instructions, trace, stats, workers, dask,
    )  # fmt: skip
    _end(lambda: runner.main(request))


class Format(StrEnum):
    """How findings are written."""

    TEXT = "text"
    JSON = "json"
    SARIF = "sarif"
    GITHUB = "github"


@app.command()
def check(
    file: Annotated[list[Path], typer.Argument(metavar="FILE.ptx…", help="PTX from anywhere")],
    target: Annotated[
        str | None, typer.Option(metavar="SM", help="check for this target, e.g. sm_90a, not for the file's own")
    ] = None,
    format: Annotated[
        Format, typer.Option("--format", help="for people, or for machines: then on standard output")
    ] = Format.TEXT,
    no_lints: Annotated[bool, typer.Option("--no-lints", help="do not look across instructions")] = False,
    select: Annotated[
        list[str] | None, typer.Option(metavar="CODES", help="report these alone: PTX0212, or PTX50 for all such")
    ] = None,
    ignore: Annotated[list[str] | None, typer.Option(metavar="CODES", help="leave these out")] = None,
) -> None:
    """Parse and validate .ptx files: every finding with its line, the rule and the way out.

    The status is 0 where all is well or merely warned of, 1 where there are errors, 2 where an option cannot be.
    """
    from ptxlab.commands import check as runner

    def run() -> int:
        try:
            options = runner.options(target, format.value, not no_lints, select or (), ignore or ())
        except Diagnostic as d:
            raise typer.BadParameter(f"{d.message} {d.help}") from None
        return runner.main(file, options)

    _end(run)


@app.command()
def fmt(
    files: Annotated[list[Path], typer.Argument(metavar="FILE.ptx…", help="PTX from anywhere")],
    check: Annotated[
        bool, typer.Option("--check", help="write nothing; status 1 where a file has another form")
    ] = False,
    in_place: Annotated[bool, typer.Option("--in-place", "-i", help="write the files themselves")] = False,
) -> None:
    """Print PTX in its canonical form, with its comments."""
    from ptxlab.commands import fmt as runner

    _end(lambda: runner.main(files, check, in_place))


@app.command(context_settings={"ignore_unknown_options": True})
def explain(
    what: Annotated[
        list[str],
        typer.Argument(metavar="WHAT", help="a code (PTX0212), an opcode (cp.async) or an instruction in quotes"),
    ],
) -> None:
    """Explain a code, an opcode or an instruction: syntax, operands, rules, needs, effect, an example."""
    from ptxlab.commands import explain as runner

    _end(lambda: runner.main(" ".join(what)))


@app.command("to-python")
def to_python(
    file: Annotated[Path, typer.Argument(metavar="FILE.ptx", help="PTX from anywhere")],
    out: Annotated[Path | None, typer.Option("--out", "-o", metavar="FILE.py", help="write it there")] = None,
) -> None:
    """Print a .ptx file as a program in the language that writes it again, token for token."""
    from ptxlab.commands import to_python as runner

    _end(lambda: runner.main(file, out))


MapBytes = Annotated[
    str,
    typer.Argument(
        metavar="HEX|FILE", help="256 digits, 16 words 0x… of a dump, or a file of either or of bytes; - reads on"
    ),
]
AsJson = Annotated[bool, typer.Option("--json", help="for machines")]
Offset = Annotated[int, typer.Option(metavar="BYTES", help="where in a file of bytes the map begins")]
Picture = Annotated[
    Path | None, typer.Option("--picture", metavar="FILE", help="draw one copy into a .png, .svg or .pdf")
]
At = Annotated[
    str | None, typer.Option("--at", metavar="XxY", help="coordinates of the copy, innermost first; default 0")
]
List = Annotated[str | None, typer.Option(metavar="AxB…", help="innermost dimension first")]


@tensormap.command("decode")
def tensormap_decode(
    source: MapBytes, offset: Offset = 0, json: AsJson = False, picture: Picture = None, at: At = None
) -> None:
    """Say what a map holds, what it can address, what a copy moves, and what looks wrong.

    The status is 1 where a driver would refuse such a map.
    """
    from ptxlab.commands import tensormap as runner

    _end(lambda: runner.decode(source, offset, json, picture, at))


@tensormap.command("diff")
def tensormap_diff(a: MapBytes, b: MapBytes, json: AsJson = False) -> None:
    """Show the fields in which two maps differ. The status is 1 where there are any."""
    from ptxlab.commands import tensormap as runner

    _end(lambda: runner.diff(a, b, json))


@tensormap.command("picture")
def tensormap_picture(
    source: MapBytes,
    out: Annotated[
        Path | None, typer.Argument(metavar="FILE", help="a .png, .svg or .pdf; left out: text on the terminal")
    ] = None,
    at: At = None,
    offset: Offset = 0,
) -> None:
    """Draw which chunks a copy takes and where each lands in shared memory."""
    from ptxlab.commands import tensormap as runner

    _end(lambda: runner.picture(source, out, at, offset))


@tensormap.command("encode", context_settings={"ignore_unknown_options": True})
def tensormap_encode(
    mode: Annotated[str, typer.Option(metavar="tiled|im2col|im2col_wide")] = "tiled",
    dtype: Annotated[str | None, typer.Option(metavar="u8…16u6_align16b", help="element type")] = None,
    address: Annotated[str | None, typer.Option(metavar="N", help="of element 0; default 0")] = None,
    dims: List = None,
    strides: Annotated[
        str | None,
        typer.Option(metavar="AxB…", help="bytes, one for each dimension but the innermost; default without gaps"),
    ] = None,
    box: List = None,
    element_strides: List = None,
    interleave: Annotated[str, typer.Option(metavar="none|16B|32B")] = "none",
    swizzle: Annotated[
        str,
        typer.Option(metavar="MODE", help="none, 32B, 64B, 128B, 128B_atom_32B, 128B_atom_32B_flip_8B, 128B_atom_64B"),
    ] = "none",
    l2_promotion: Annotated[str, typer.Option(metavar="none|64B|128B|256B")] = "none",
    oob_fill: Annotated[str, typer.Option(metavar="zero|nan")] = "zero",
    lower: Annotated[
        str | None, typer.Option(metavar="AxB…", help="im2col: corner of the bounding box, W first")
    ] = None,
    upper: Annotated[str | None, typer.Option(metavar="AxB…", help="im2col: the other corner")] = None,
    channels: Annotated[int | None, typer.Option(metavar="N", help="im2col: of one copy")] = None,
    pixels: Annotated[int | None, typer.Option(metavar="N", help="im2col: of one copy")] = None,
    wide: Annotated[str, typer.Option(metavar="w|w128", help="im2col_wide: which instruction uses it")] = "w",
    target: Annotated[str, typer.Option(metavar="sm_90|sm_100")] = "sm_90",
    out: Annotated[Path | None, typer.Option("--out", "-o", metavar="FILE", help="write the bytes there")] = None,
    json: AsJson = False,
    explain: Annotated[bool, typer.Option("--explain", help="say what decode says, too")] = False,
    picture: Picture = None,
) -> None:
    """Make the bytes that the driver makes, without one."""
    from ptxlab.commands import tensormap as runner

    words = runner.Words(
        *(mode, dtype, address, dims, strides, box, element_strides, interleave, swizzle, l2_promotion, oob_fill),
        *(lower, upper, channels, pixels, wide, target),
    )
    _end(lambda: runner.encode(words, json, explain, out, picture))


@bench.command("launch")
def bench_launch(
    batches: Annotated[int, typer.Option(help="batches of launches; the median counts")] = 50, record: Record = None
) -> None:
    """Cost of a launch from Python, beside the driver's own call. Needs a GPU."""
    from ptxlab.bench import launch as runner

    _end(lambda: runner.main(batches, record))


@bench.command("gemm")
def bench_gemm(
    size: Annotated[list[int] | None, typer.Option(help="extent n of an n × n × n product; may be repeated")] = None,
    rounds: Annotated[int | None, typer.Option(help="how often each contender is timed")] = None,
    record: Record = None,
) -> None:
    """Our gemm beside cuBLAS in the same run. Needs a GPU and torch."""
    from ptxlab.bench import gemm as runner

    _end(lambda: runner.main(size or runner.SIZES, rounds or runner.ROUNDS, record))


@bench.command("grouped")
def bench_grouped(
    rounds: Annotated[int | None, typer.Option(help="how often each contender is timed")] = None, record: Record = None
) -> None:
    """Many products in one launch beside one product of equal work and torch's. Needs a GPU and torch."""
    from ptxlab.bench import grouped as runner

    _end(lambda: runner.main(rounds or runner.ROUNDS, record))


@bench.command("sim")
def bench_sim(
    rounds: Annotated[int, typer.Option(help="runs of each workload behind the first")] = 5,
    full: Annotated[bool, typer.Option("--full", help="also the gemm of 2048³, which takes minutes")] = False,
    record: Record = None,
) -> None:
    """Speed of the simulator, beside what it promises and other simulators that are installed."""
    from ptxlab.bench import sim as runner

    _end(lambda: runner.main(rounds, record, full=full))


@bench.command("tensormap")
def bench_tensormap(
    batches: Annotated[int, typer.Option(help="batches of 500 calls; the best and the median count")] = 40,
    record: Record = None,
) -> None:
    """Cost of a tensor map: made, looked up, and in a launch where there is a GPU."""
    from ptxlab.bench import maps as runner

    _end(lambda: runner.main(batches, record))


@bench.command("check")
def bench_check(
    file: Annotated[
        list[Path], typer.Argument(metavar="FILE.ptx…", help="large files; benchmarks/check.cu makes some")
    ],
    rounds: Annotated[int, typer.Option(help="how often each file is timed; the fastest counts")] = 5,
    record: Record = None,
) -> None:
    """Megabytes a second of parsing and checking, with lints and without."""
    from ptxlab.bench import checking as runner

    _end(lambda: runner.main(file, rounds, record))


@app.command()
def conformance(
    on: On = "sim",
    family: Annotated[list[str] | None, typer.Option(help="file of isa/, e.g. arith; may be repeated")] = None,
    full: Annotated[bool, typer.Option("--full", help="everything that is recorded, and not a part")] = False,
    seed: Annotated[int | None, typer.Option(help="of the part, or of the operands that a GPU gets")] = None,
    records: Annotated[Path | None, typer.Option(metavar="FOLDER", help="records of an H100")] = None,
    workers: Annotated[int, typer.Option(help="processes; 0: one for each core")] = 0,
    json: AsJson = False,
    record: Record = None,
) -> None:
    """Hold the simulator to a record of an H100, or to the GPU of this machine.

    Records are made in a checkout: `python -m tools.record`.
    """
    from ptxlab.conformance.runner import conform as runner

    if on not in ("sim", "gpu"):
        raise typer.BadParameter("sim or gpu", param_hint="--on")
    options = runner.Options(on, tuple(family or ()), full, seed, records, workers)
    _end(lambda: runner.main(options, json_=json, jsonl=record))


def main() -> None:
    """Entry point of `ptxlab`."""
    app()


if __name__ == "__main__":
    main()
