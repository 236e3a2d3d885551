"""`ptxlab verify`: the judge, on the candidate, the reference and the spec of a Python file."""

from __future__ import annotations

import contextlib
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ptxlab.checks.formats import as_json
from ptxlab.commands.command import Command
from ptxlab.commands.formats import Format, FormatOption, write_document
from ptxlab.commands.shell import write
from ptxlab.diag import Diagnostic, visible_lines
from ptxlab.launch.python_file import imported, imports_beside, raised
from ptxlab.verification.judge import RUNS, SECONDS

if TYPE_CHECKING:
    from types import ModuleType

    from ptxlab.verification.verdict import Verification


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """What is judged, and how much is drawn."""

    file: Annotated[
        Path,
        typer.Argument(metavar="FILE.py", help="Python with a kernel or function, a reference in NumPy, and a px.Spec"),
    ]
    candidate: Annotated[str, typer.Option("--candidate", metavar="NAME", help="the kernel or function")] = "candidate"
    reference: Annotated[str, typer.Option("--reference", metavar="NAME", help="the reference")] = "reference"
    spec: Annotated[str, typer.Option("--spec", metavar="NAME", help="the px.Spec")] = "spec"
    seed: Annotated[int | None, typer.Option("--seed", metavar="N", help="of what is drawn; default: a new one")] = None
    runs: Annotated[int, typer.Option("--runs", metavar="N", help="inputs that are drawn")] = RUNS
    seconds: Annotated[float, typer.Option("--seconds", metavar="N", help="begin no run after so many seconds")] = (
        SECONDS
    )
    strict: Annotated[bool, typer.Option("--strict", help="hold to the memory model to the letter")] = False
    format: FormatOption = Format.TEXT


def main(options: Options) -> int:
    """Print the verdict.

    Returns: 0 for "equal", else 1.

    Raises: Diagnostic PTX2500, PTX2505 for the file, and as `px.verify`.
    """
    with contextlib.redirect_stdout(sys.stderr), imports_beside(options.file):
        module = imported(options.file)
        given = [_named(module, options.file, name) for name in (options.candidate, options.reference, options.spec)]
        found = _judged(given, options)
    if options.format is Format.TEXT:
        write(visible_lines(str(found)) + "\n")
    elif options.format is Format.JSON:
        write(as_json(found.findings, (), {"verification": found.data}) + "\n")
    else:
        write_document(options.format, found.findings)
    return int(not found)


def _judged(given: list[Any], options: Options) -> Verification:
    from ptxlab.verification.judge import verify

    sanitize = "strict" if options.strict else True
    try:
        return verify(*given, seed=options.seed, runs=options.runs, sanitize=sanitize, seconds=options.seconds)
    except Diagnostic:
        raise
    except Exception as e:
        raise raised(e, options.file, f"{options.candidate} cannot be judged") from None


def _named(module: ModuleType, file: Path, name: str) -> Any:
    found = getattr(module, name, None)
    if found is None:
        help_ = "define candidate, reference and spec, or name what they are called: --candidate, --reference, --spec"
        raise Diagnostic("PTX2505", f"{file} defines no {name!r}.", help=help_)
    return found


COMMAND = Command(Options, main)
