"""`ptxlab profile`: what a kernel of somebody's PTX will cost."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import typer
from rich.table import Table

from ptxlab.commands.command import AsJson, Command
from ptxlab.commands.files import text_of
from ptxlab.commands.run import LaunchWords, bind, chosen
from ptxlab.commands.shell import write
from ptxlab.commands.specs import Arrays, extents
from ptxlab.diag import console, visible
from ptxlab.launch.module import parse

if TYPE_CHECKING:
    from ptxlab.timing.profile import Profile

_SHOWN = 12
"""Lines that are shown of what warps wait for."""


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
    json: AsJson = False


def run(options: Options) -> int:
    """Predict, and show what comes out. Raises: Diagnostic PTX25xx for options and files, and what `px.profile` raises."""
    from ptxlab.timing.profile import profile

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
        on=options.chip,
        clock=options.clock,
        cold=options.cold,
        arithmetic=options.arithmetic,
    )
    if options.json:
        write(json.dumps(found.record(), indent=1) + "\n")
        return 0
    _show(found)
    return 0


def _show(found: Profile) -> None:
    from ptxlab.timing.profile import ROOFS

    terminal = console()
    terminal.print("\n".join(map(visible, found.head)), highlight=False, soft_wrap=True, markup=False)
    busy = Table(box=None, pad_edge=False, header_style="bold")
    busy.add_column("unit")
    busy.add_column("busy", justify="right")
    for unit, share in found.shares.items():
        busy.add_row(unit, f"{share:.1%}")
    terminal.print(busy)
    roofs = Table(box=None, pad_edge=False, header_style="bold")
    for title in ROOFS:
        roofs.add_column(title, justify="left" if title == ROOFS[0] else "right")
    for row in found.roofline.rows(found.cycles):
        roofs.add_row(*row)
    terminal.print(roofs)
    waits = Table(box=None, pad_edge=False, header_style="bold")
    for title, justify in (
        ("cycles", "right"),
        ("warps", "left"),
        ("waits for", "left"),
        ("where", "left"),
        ("instruction", "left"),
    ):
        waits.add_column(title, justify=justify)  # pyright: ignore[reportArgumentType]
    for stall in found.stalls[:_SHOWN]:
        waits.add_row(
            f"{stall.cycles:,.0f}",
            f"{stall.warps}-{stall.warps + 3}",
            stall.cause,
            visible(stall.place),
            visible(stall.text[:60]),
        )
    terminal.print(waits)
    terminal.print("\n".join(map(visible, found.waits)), highlight=False, soft_wrap=True, markup=False)


COMMAND = Command(
    Options,
    run,
    "A few CTAs are simulated and replayed with what instructions were measured to take: by the machine code where "
    "ptxas is installed. "
    "Arrays that only have to be there are written zeros:f32:1024x1024.",
)
