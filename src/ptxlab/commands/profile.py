"""`ptxlab profile`: what a kernel of somebody's PTX will cost."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.markup import escape
from rich.table import Table

from ptxlab.commands.command import AsJson, Command
from ptxlab.commands.files import text_of
from ptxlab.commands.run import LaunchWords, bind, chosen
from ptxlab.commands.shell import write
from ptxlab.commands.specs import Arrays, bad, extents
from ptxlab.diag import console, visible
from ptxlab.launch.module import parse

if TYPE_CHECKING:
    from ptxlab.timing.profile import Profile

_SHOWN = 12
"""Lines that are shown of a table."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Options(LaunchWords):
    """A launch as the command line has it, and the chip that it is predicted for."""

    chip: Annotated[str, typer.Option(metavar="NAME", help="whose measured table is used")] = "h200"
    clock: Annotated[float | None, typer.Option(metavar="MHZ", help="of the SMs, for microseconds")] = None
    cold: Annotated[bool, typer.Option("--cold", help="L2 holds nothing of the arrays at the start")] = False
    arithmetic: Annotated[
        bool,
        typer.Option("--arithmetic", help="compute products of matrices, where results decide what the kernel does"),
    ] = False
    on: Annotated[
        str, typer.Option("--on", metavar="sim|gpu", help="gpu: measure the launch there, too, and show both")
    ] = "sim"
    trace: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="write the replay, in cycles: .json for ui.perfetto.dev, or a picture: .png, .svg",
        ),
    ] = None
    json: AsJson = False


def run(options: Options) -> int:
    """Predict, and show what comes out. Raises: Diagnostic PTX25xx for options and files, and what `px.profile` raises."""
    from ptxlab.timing.profile import profile

    _check(options)
    text, name = text_of(options.file)
    kernel = chosen(parse(text, name), options.entry)
    bound = bind(kernel.program, options.arg or (), Arrays())
    found = profile(
        kernel,
        grid=extents("--grid", options.grid),
        block=None if options.block is None else extents("--block", options.block),
        cluster=None if options.cluster is None else extents("--cluster", options.cluster),
        shared=options.shared,
        args=bound.args,
        on="gpu" if options.on == "gpu" else options.chip,
        clock=options.clock,
        cold=options.cold,
        arithmetic=options.arithmetic,
        trace=options.trace is not None,
    )
    if options.trace is not None and found.trace is not None:
        found.trace.save(options.trace)
    if options.json:
        write(json.dumps(found.record(), indent=1) + "\n")
        return 0
    _show(found)
    return 0


def _check(options: Options) -> None:
    """Refuse options before anything runs. Raises: Diagnostic PTX2501, PTX2510."""
    if options.on not in ("sim", "gpu"):
        raise bad(f"--on {options.on!r} is no device.", "use --on sim or --on gpu")
    if options.on == "gpu" and options.chip != Options(file=options.file).chip:
        raise bad("--chip is for predictions alone.", "with --on gpu the GPU says which chip it is")
    if options.trace is not None:
        from ptxlab.sim.report.trace import check_ending

        check_ending(options.trace)


def _show(found: Profile) -> None:
    from ptxlab.timing.lines import COLUMNS
    from ptxlab.timing.profile import ROOFS

    terminal = console()
    terminal.print("\n".join(map(visible, found.head)), highlight=False, soft_wrap=True, markup=False)
    terminal.print(_table(("unit", "busy>"), [(unit, f"{share:.1%}") for unit, share in found.shares.items()]))
    terminal.print(_table((ROOFS[0], *(f"{title}>" for title in ROOFS[1:])), found.roofline.rows(found.cycles)))
    titles = [f"{title}>" if title in ("share", "cycles") else title for title in COLUMNS]
    terminal.print(_table(titles, [line.row() for line in found.lines[:_SHOWN]]))
    terminal.print(_table(("cycles>", "warps", "waits for", "where"), found.wait_rows(_SHOWN)))
    terminal.print("\n".join(map(visible, found.remarks)), highlight=False, soft_wrap=True, markup=False)


def _table(titles: Sequence[str], rows: Iterable[Sequence[str]]) -> Table:
    """A table; columns whose title ends with > are aligned to the right."""
    made = Table(box=None, pad_edge=False, header_style="bold")
    for title in titles:
        made.add_column(title.rstrip(">"), justify="right" if title.endswith(">") else "left")
    for row in rows:
        made.add_row(*(escape(visible(cell)) for cell in row))
    return made


COMMAND = Command(
    Options,
    run,
    "A few CTAs are simulated and replayed with what instructions were measured to take: by the machine code where "
    "ptxas is installed. "
    "Arrays that only have to be there are written zeros:f32:1024x1024.",
)
