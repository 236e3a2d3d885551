"""`ptxlab demo`: real Hopper kernels on this machine, their results compared, and pictures of what happened."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table
from rich.text import Text

from ptxlab.abi.sanitizing import when_asked
from ptxlab.commands.command import Command, On
from ptxlab.conformance.kernels import digests, further, packed
from ptxlab.conformance.kernels.cases import Case, cases
from ptxlab.conformance.kernels.run import Device, Outcome, Verdict, gpu, judge, simulator
from ptxlab.diag import Diagnostic, console, show
from ptxlab.layout import SWIZZLES

if TYPE_CHECKING:
    import numpy as np

    from ptxlab.sim.report.report import TraceEvent

COMPARED = {"integers": "NumPy", "random": "chip"}
LEGEND = (
    "NumPy: on integers, exact in f32, the output must equal NumPy's bit for bit. "
    "chip: on random numbers its SHA-256 must be the one that an H100 gave, or an H200 for types, scales and epilogues."
)
STYLES = {Verdict.EQUAL: "green", Verdict.DIFFERS: "bold red", Verdict.NO_RECORD: "yellow", Verdict.FAILED: "bold red"}
CHUNK_STYLES = ("cyan", "yellow", "green", "magenta", "blue", "bright_red", "bright_cyan", "white")
TABLE_LINES = 8
TABLE_WIDTH = 96
"""Columns that 32 words of three characters take."""
TRACKS = {
    "cta 0 warp 0": "producer (warp 0)",
    "cta 0 TMA": "TMA",
    "cta 0 warp 4": "consumer (warps 4–7)",
    "cta 0 warp 8": "consumer (warps 8–11)",
    "cta 0 tensor cores": "tensor cores",
}
"""What the timeline of the gemm shows of its trace: one warp for each role of the first CTA."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """Where the kernels run and where the pictures go."""

    on: On = "sim"
    out: Annotated[Path, typer.Option("--out", metavar="FOLDER", help="where the pictures go")] = Path("ptxlab-demo")


@when_asked()
def main(options: Options, terminal: Console | None = None) -> int:
    """Run the demonstration and print it on the terminal, or where `terminal` says.

    Returns: the exit status: 0 when every verdict is «equal» and the pictures are drawn, else 1.

    Raises: Diagnostic PTX2501 for another device, PTX2304 and PTX2422 without a GPU, PTX2500 for a place that cannot be written.
    """
    terminal = terminal or console()
    begin = time.perf_counter()
    device, where = choose(options.on)
    _check_folder(options.out)
    record = digests.read()
    later = digests.read(further.RECORD)
    terminal.print(f"[bold]ptxlab demo[/] on {where}")
    terminal.print(f"digests of an H100: {record.provenance}", highlight=False)
    terminal.print(f"digests of an H200: {later.provenance}\n", highlight=False)
    held = replace(record, digests={**later.digests, **record.digests})
    outcomes = run_all([*cases(), *further.further(), *packed.shown()], device, held, terminal)
    terminal.print(results(outcomes, simulated=options.on == "sim"))
    show_swizzles(outcomes, terminal)
    drawn = pictures(outcomes, options.out)
    for path in drawn:
        terminal.print(f"picture: {path}", highlight=False, soft_wrap=True, markup=False)
    return conclude(outcomes, time.perf_counter() - begin, terminal)


def choose(on: str) -> tuple[Device, str]:
    """The device and its description. Raises: Diagnostic PTX2501 for another word, PTX2304 and PTX2422 without a GPU."""
    if on == "sim":
        from ptxlab.bench.machine import cpu

        facts = cpu()
        return simulator, f"the simulator ({facts['cores']} cores, {facts['cpu']})"
    if on == "gpu":
        from ptxlab.cuda.driver import device

        try:
            found = device()
        except Diagnostic as d:
            d.help = "leave --on out to simulate; `ptxlab doctor` says what is missing"
            raise
        return gpu, f"{found.name}, CUDA {found.driver[0]}.{found.driver[1]}"
    raise Diagnostic("PTX2501", f"{on!r} is no device.", help="use --on sim or --on gpu")


def _check_folder(out: Path) -> None:
    """A place that cannot be written is said before the work, not after it."""
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as e:
        raise Diagnostic("PTX2500", f"{out} cannot be written: {e.strerror}.", help="choose another --out") from None


def run_all(todo: Sequence[Case], device: Device, record: digests.Record, console: Console) -> list[Outcome]:
    """Run every case on both kinds of input, with progress bars."""
    out: list[Outcome] = []
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=console, transient=True) as progress:
        overall = progress.add_task("all kernels", total=sum(len(case.kinds) for case in todo))
        for case in todo:
            for kind in case.kinds:
                mine = progress.add_task(f"{case.kernel}, {kind}", total=None)

                def step(done: int, total: int, task: Any = mine) -> None:
                    progress.update(task, completed=done, total=total)

                traced = case.kernel.startswith("gemm") and kind == "integers"
                out.append(judge(case, kind, device, record, trace=traced, progress=step))
                progress.remove_task(mine)
                progress.advance(overall)
    return out


def results(outcomes: Sequence[Outcome], *, simulated: bool) -> Table:
    """The table: a kernel, what its output was compared with, how that ended, and what it took."""
    table = Table(
        box=None, pad_edge=False, header_style="bold", caption=LEGEND, caption_justify="left", caption_style="dim"
    )
    for name in ("kernel", "size", "compared\nwith", "verdict"):
        table.add_column(name, no_wrap=name == "kernel")
    table.add_column("thread-\ninstructions" if simulated else "", justify="right")
    table.add_column("seconds", justify="right")
    last = None
    for o in outcomes:
        names = (o.case.kernel, o.case.size) if o.case is not last else ("", "")
        counted = grouped(o.run.instructions) if o.run and o.run.instructions is not None else ""
        seconds = f"{o.run.seconds:.3f}" if o.run else ""
        table.add_row(*names, COMPARED[o.kind], Text(o.verdict, STYLES[o.verdict]), counted, seconds)
        last = o.case
    return table


def grouped(count: int) -> str:
    """A count with gaps between thousands: 1 234 567."""
    return f"{count:,}".replace(",", " ")


def show_swizzles(outcomes: Sequence[Outcome], console: Console) -> None:
    """Print shared memory as the tile kernels found it, one line for the 32 banks; colours are the 16-byte chunks of a row."""
    found = {
        o.case.kernel: o.run.output for o in outcomes if o.run and o.kind == "integers" and "swizzle" in o.case.kernel
    }
    if not found:
        return
    console.print(
        "\nWhere TMA puts a tile whose rows are 0, 1, 2 …: shared memory as the kernels read it back, 32 banks a line.",
        highlight=False,
    )
    for name, output in found.items():
        console.print(f"\n[bold]{name}[/], rows of {output.shape[1] * 4} bytes", highlight=False)
        for text in bank_lines(output, chunks=console.width < TABLE_WIDTH):
            console.print(text, soft_wrap=True)


def bank_lines(memory: np.ndarray, chunks: bool = False) -> list[Text]:
    """Shared memory as lines of 32 words, coloured by the chunk of its row that each word belongs to.

    Args:
        memory: words that hold their column.
        chunks: write four words as one range, for terminals narrower than 96 columns.
    """
    lines: list[Text] = []
    rows: list[list[int]] = memory.reshape(-1, 32)[:TABLE_LINES].astype(int).tolist()
    for row in rows:
        text = Text()
        for at in range(0, 32, 4):
            four = row[at : at + 4]
            shown = f"{four[0]:5d}–{four[3]:<3d}" if chunks else "".join(f"{word:3d}" for word in four)
            text.append(shown, CHUNK_STYLES[four[0] // 4 % len(CHUNK_STYLES)])
        lines.append(text)
    return lines


def pictures(outcomes: Sequence[Outcome], out: Path) -> list[Path]:
    """Draw the swizzles, and the timeline of the first gemm that was traced.

    Raises: Diagnostic PTX2500 where the folder cannot be written.
    """
    from ptxlab.view.figure import write_svg
    from ptxlab.view.swizzle import swizzle_svg

    drawn = [write_svg(out / f"swizzle-{mode}.svg", swizzle_svg(mode)) for mode in SWIZZLES]
    traced = next((o for o in outcomes if o.run and o.run.trace), None)
    if traced is not None and traced.run is not None and traced.run.trace:
        drawn.append(timeline(traced.run.trace, traced.case, out / "gemm-timeline.svg"))
    return drawn


def timeline(events: Sequence[TraceEvent], case: Case, path: Path) -> Path:
    """Draw the first CTA of a traced gemm. Raises: Diagnostic PTX2500 where the place cannot be written."""
    from ptxlab.view.pictures import timeline_picture

    return timeline_picture(
        [replace(e, track=TRACKS[e.track]) for e in events if e.track in TRACKS],
        path,
        title=f"{case.kernel}, {case.size}: one CTA in the simulator",
        subtitle="A warp fills a ring of four stages by TMA; two warpgroups multiply what is there, and store their part of C.",
        unit="logical clock of the simulator: what waits for what, not a time on hardware",
        tracks=list(TRACKS.values()),
    )


def conclude(outcomes: Sequence[Outcome], seconds: float, console: Console) -> int:
    """Print what is wrong, if anything is, and the last line. Returns the exit status."""
    bad = [o for o in outcomes if o.verdict is not Verdict.EQUAL]
    shown: dict[tuple[Verdict, str], list[str]] = {}
    for o in bad:
        shown.setdefault((o.verdict, o.detail), []).append(f"{o.case.kernel}, {o.case.size}, {COMPARED[o.kind]}")
    for (verdict, detail), which in shown.items():
        console.print(f"[{STYLES[verdict]}]{verdict}[/]: {detail}: {'; '.join(which)}", highlight=False, soft_wrap=True)
    show(dict.fromkeys(o.error for o in bad if o.error is not None), console)
    if bad:
        console.print(
            f"[bold red]{len(bad)} of {len(outcomes)} verdicts are not «equal»[/] ({seconds:.1f} s)", highlight=False
        )
        return 1
    total = sum(o.run.instructions or 0 for o in outcomes if o.run)
    counted = f", {grouped(total)} thread-instructions simulated" if total else ""
    console.print(f"[bold green]all {len(outcomes)} verdicts «equal»[/]{counted}, {seconds:.1f} s", highlight=False)
    return 0


COMMAND = Command(Options, main)
