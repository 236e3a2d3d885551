"""`ptxlab conformance`: the simulator, held to a record of an H100 or to the GPU of this machine."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from ptxlab.abi.sanitizing import when_asked
from ptxlab.commands.command import AsJson, Command, On, Record
from ptxlab.conformance.runner import conform
from ptxlab.diag import Diagnostic


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """What is compared with what."""

    on: On = "sim"
    family: Annotated[list[str] | None, typer.Option(metavar="NAME", help="file of isa/rows/, e.g. arith; may be repeated")] = None
    full: Annotated[
        bool,
        typer.Option(
            "--full", help="everything that is recorded, and not a part; of functions, with --family functions"
        ),
    ] = False
    seed: Annotated[int | None, typer.Option(metavar="N", help="of the part, or of the operands that a GPU gets")] = None
    records: Annotated[Path | None, typer.Option(metavar="FOLDER", help="records of an H100")] = None
    sanitized: Annotated[
        bool, typer.Option("--sanitized", help="sanitize all launches; what is found counts like a difference")
    ] = False
    workers: Annotated[int, typer.Option(metavar="N", help="processes; 0: one for each core")] = 0
    json: AsJson = False
    record: Record = None


@when_asked()
def main(options: Options) -> int:
    """Compare.

    Returns: 1 where anything differs or is found, else 0.

    Raises: Diagnostic PTX2501 for another device; what `conform.compare` raises.
    """
    if options.on not in ("sim", "gpu"):
        raise Diagnostic("PTX2501", f"--on {options.on!r} is no device.", help="use --on sim or --on gpu")
    chosen = conform.Options(
        on=options.on,
        families=tuple(options.family or ()),
        full=options.full,
        seed=options.seed,
        folder=options.records,
        workers=options.workers,
        sanitized=options.sanitized,
    )
    return conform.main(chosen, json_=options.json, jsonl=options.record)


COMMAND = Command(Options, main, "Records are made in a checkout: `python -m tools.record`.")
