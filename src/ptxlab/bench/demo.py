"""`ptxlab demo`: real Hopper kernels on this machine, their results compared, and pictures of what happened."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table
from rich.text import Text

from ptxlab.conformance import digests
from ptxlab.conformance.cases import KINDS, Case, cases
from ptxlab.conformance.run import Device, Outcome, Verdict, gpu, judge, simulator
from ptxlab.diag import Diagnostic, show

if TYPE_CHECKING:
    import numpy as np

    from ptxlab.sim.report import Event

COMPARED = {"integers": "integers: NumPy, bit for bit", "random": "random: SHA-256 seen on an H100"}
STYLES = {Verdict.EQUAL: "green", Verdict.DIFFERS: "bold red", Verdict.NO_RECORD: "yellow", Verdict.FAILED: "bold red"}
CHUNK_STYLES = ("cyan", "yellow", "green", "magenta", "blue", "bright_red", "bright_cyan", "white")
TABLE_LINES = 8


def main(on: str, out: Path, console: Console | None = None) -> int:
    """Run the demonstration and print it.

    Args:
        on: "sim" or "gpu".
        out: folder for the pictures.
        console: where to print; default the terminal.

    Returns: the exit status: 0 when every verdict is «equal» and the pictures are drawn, else 1.

    Raises: Diagnostic PTX2501 for another device, PTX2304 and PTX2422 without a GPU, PTX2500 for a place that cannot be written.
    """
    console = console or Console()
    begin = time.perf_counter()
    device, where = choose(on)
    _check_folder(out)
    record = digests.read()
    console.print(f"[bold]ptxlab demo[/] on {where}")
    console.print(f"Digests to compare with: {record.provenance}\n", highlight=False)
    outcomes = run_all(cases(), device, record, console)
    console.print(results(outcomes, simulated=on == "sim"))
    show_swizzles(outcomes, console)
    drawn = pictures(outcomes, out)
    for path in drawn:
        console.print(f"picture: {path}", highlight=False, soft_wrap=True)
    return conclude(outcomes, time.perf_counter() - begin, console)


def choose(on: str) -> tuple[Device, str]:
    """The device and its description. Raises: Diagnostic PTX2501 for another word, PTX2304 and PTX2422 without a GPU."""
    if on == "sim":
        from ptxlab.bench.machine import cpu

        facts = cpu()
        return simulator, f"the simulator ({facts['cores']} cores, {facts['cpu']})"
    if on == "gpu":
        from ptxlab.cuda.driver import device

        found = device()
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
        overall = progress.add_task("all kernels", total=len(todo) * len(KINDS))
        for case in todo:
            for kind in KINDS:
                mine = progress.add_task(f"{case.kernel}, {kind}", total=None)

                def step(done: int, total: int, task: Any = mine) -> None:
                    progress.update(task, completed=done, total=total)

                traced = case.kernel.startswith("gemm") and kind == "integers"
                out.append(judge(case, kind, device, record, trace=traced, progress=step))
                progress.remove_task(mine)
                progress.advance(overall)
    return out


def results(outcomes: Sequence[Outcome], *, simulated: bool) -> Table:
    """The table: a kernel, what its output was compared with, and how that ended."""
    table = Table(box=None, pad_edge=False, header_style="bold", caption_justify="left")
    for name in ("kernel", "size", "compared", "verdict"):
        table.add_column(name)
    table.add_column("thread-instructions" if simulated else "", justify="right")
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
        for text in bank_lines(output):
            console.print(text, soft_wrap=True)


def bank_lines(memory: np.ndarray) -> list[Text]:
    """Shared memory as lines of 32 words, coloured by the chunk of its row that each word belongs to."""
    lines: list[Text] = []
    for row in memory.reshape(-1, 32)[:TABLE_LINES].astype(int):
        text = Text()
        for word in row.tolist():
            text.append(f"{word:3d}", CHUNK_STYLES[word // 4 % len(CHUNK_STYLES)])
        lines.append(text)
    return lines


def pictures(outcomes: Sequence[Outcome], out: Path) -> list[Path]:
    """Draw the swizzles, and the timeline of the first gemm that was traced.

    Raises: Diagnostic PTX2500 where the folder cannot be written.
    """
    from ptxlab.view.swizzle import swizzle_picture

    drawn = [swizzle_picture(out / "swizzles.png")]
    traced = next((o for o in outcomes if o.run and o.run.trace), None)
    if traced is not None and traced.run is not None and traced.run.trace:
        drawn.append(timeline(traced.run.trace, traced.case, out / "gemm-timeline.png"))
    return drawn


def timeline(events: Sequence[Event], case: Case, path: Path) -> Path:
    """Draw the first CTA of a traced gemm. Raises: Diagnostic PTX2500 where the place cannot be written."""
    from ptxlab.view.timeline import timeline_picture

    first = [e for e in events if e.track.startswith("cta 0 ")]
    return timeline_picture(
        first or events,
        path,
        title=f"{case.kernel}, {case.size}: CTA 0 in the simulator",
        subtitle="One producer warp fills a ring of tiles by TMA; two consumer warpgroups multiply them on the tensor cores.",
        unit="instructions of the simulated machine: an order of events, not a time on hardware",
    )


def conclude(outcomes: Sequence[Outcome], seconds: float, console: Console) -> int:
    """Print what is wrong, if anything is, and the last line. Returns the exit status."""
    bad = [o for o in outcomes if o.verdict is not Verdict.EQUAL]
    for o in bad:
        console.print(
            f"[{STYLES[o.verdict]}]{o.verdict}[/]: {o.case.key}, {o.kind}: {o.detail}", highlight=False, soft_wrap=True
        )
    shown: set[Diagnostic] = set()
    for o in bad:
        if o.error is not None and o.error not in shown:
            shown.add(o.error)
            show([o.error], console)
    total = sum(o.run.instructions or 0 for o in outcomes if o.run)
    counted = f", {grouped(total)} thread-instructions simulated" if total else ""
    if bad:
        console.print(
            f"[bold red]{len(bad)} of {len(outcomes)} verdicts are not «equal»[/] ({seconds:.1f} s)", highlight=False
        )
        return 1
    console.print(f"[bold green]all {len(outcomes)} verdicts «equal»[/]{counted}, {seconds:.1f} s", highlight=False)
    return 0
