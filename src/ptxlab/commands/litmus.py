"""`ptxlab litmus`: what the memory model says of small programs."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from ptxlab.commands.command import Command
from ptxlab.commands.files import STDIN, text_of, write_file
from ptxlab.commands.shell import without_command, write
from ptxlab.diag import Diagnostic, show
from ptxlab.memory_model.decision import decide
from ptxlab.memory_model.draw import svg
from ptxlab.memory_model.verdict import Verdict, as_data, headline, report

SUFFIX = ".litmus"


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """Which tests, and what is said of them."""

    files: Annotated[
        list[Path],
        typer.Argument(
            metavar="FILE|FOLDER…",
            help="litmus tests (.litmus, or PTX), or folders with .litmus files; - reads one from standard input",
        ),
    ]
    svg: Annotated[
        Path | None,
        typer.Option("--svg", metavar="FILE", help="draw the execution that decides the test; takes one test"),
    ] = None
    brief: Annotated[
        bool, typer.Option("--brief", help="one line for each test, as is usual where there are several")
    ] = False
    full: Annotated[bool, typer.Option("--full", help="the whole verdict of each test, where there are several")] = (
        False
    )
    run: Annotated[
        str | None, typer.Option("--run", metavar="gpu|sim", help="run the test as a kernel, and count its outcomes")
    ] = None
    times: Annotated[int, typer.Option("--times", metavar="N", help="how often --run runs it", min=1)] = 1000
    all_races: Annotated[
        bool, typer.Option("--all-races", help="every pair of instructions that race, and why, not the first one alone")
    ] = False
    no_race: Annotated[bool, typer.Option("--no-race", help="do not look for data races")] = False
    no_hang: Annotated[bool, typer.Option("--no-hang", help="do not look for executions that never end")] = False
    format: Annotated[
        str, typer.Option("--format", metavar="text|json", help="for people, or a JSON object on a line for each test")
    ] = "text"


def main(options: Options) -> int:
    """Print the verdicts.

    Returns: 0; 1 where a test cannot be read or decided, an answer rests on a bound, what a test expects (`forall`, `~exists`) is
        not so, and where --run sees what the model forbids.

    Raises: Diagnostic PTX2501 for --svg with several tests and --format json with --run, PTX2500 for a picture that cannot be
        written.
    """
    files = list(_files(options.files))
    if options.format not in ("text", "json"):
        raise Diagnostic("PTX2501", f"--format {options.format} is none of text and json.", help="name one of them")
    if options.format == "json" and options.run is not None:
        raise Diagnostic(
            "PTX2501", "--format json writes verdicts, and --run counts outcomes.", help="leave out one of them"
        )
    if options.svg is not None and len(files) != 1:
        raise Diagnostic("PTX2501", f"--svg draws one test, not {len(files)}.", help="name one file")
    brief = options.brief or (len(files) > 1 and not options.full)
    wrong = False
    for file in files:
        try:
            verdict = _verdict(file, options)
        except Diagnostic as d:
            show(map(without_command, [d, *d.also]))
            wrong = True
            continue
        wrong |= bool(verdict.unknown) or _disappoints(verdict)
        if options.format == "json":
            write(json.dumps({"file": str(file), **as_data(verdict)}) + "\n")
        elif options.run is None:
            write((f"{'' if file == STDIN else f'{file}: '}{_line(verdict)}" if brief else report(verdict)) + "\n")
        else:
            wrong |= _run(verdict, options)
        if options.svg is not None:
            write_file(options.svg, svg(verdict).encode())
    return int(wrong)


def _files(given: list[Path]) -> Iterator[Path]:
    for path in given:
        if path.is_dir():
            found = sorted(path.rglob(f"*{SUFFIX}"))
            if not found:
                raise Diagnostic("PTX2500", f"{path} has no {SUFFIX} files.", help="name another folder")
            yield from found
        else:
            yield path


def _verdict(file: Path, options: Options) -> Verdict:
    from ptxlab.memory_model import parse

    text, name = text_of(file) if file != STDIN else text_of(STDIN)
    program = parse(text, name)
    return decide(program, race=not options.no_race, all_races=options.all_races, hang=not options.no_hang)


def _run(verdict: Verdict, options: Options) -> bool:
    """Run a test and print what was seen; whether something is wrong."""
    from ptxlab.commands.litmus_run import run, verdict_lines

    assert options.run is not None
    try:
        lines, wrong = verdict_lines(verdict, run(verdict.program, verdict, options.run, options.times), options.run)
    except Diagnostic as d:
        if d.code == "PTX2501":
            raise
        show(map(without_command, [d, *d.also]))
        return d.code != "PTX0604"
    write("\n".join(lines) + "\n")
    return wrong


def _disappoints(verdict: Verdict) -> bool:
    """Whether a test expects something, and it is not so. `exists` only asks."""
    return verdict.program.quantifier in ("forall", "~exists") and verdict.holds is False


def _line(verdict: Verdict) -> str:
    race = "" if verdict.race is None else "; data race"
    hang = "" if verdict.hang is None else "; can hang"
    open_ = [name for name in verdict.unknown if name != "answer"]
    return headline(verdict) + race + hang + (f"; unknown: {', '.join(open_)}" if open_ else "")


COMMAND = Command(
    Options,
    main,
    help="Tests are in the litmus format of herd7 and Dat3M, or PTX with a condition: see docs/explanation/memory-model.md.",
)
