"""`ptxlab check`: everything that is wrong in .ptx files."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console

from ptxlab import __version__
from ptxlab.check import check_tree
from ptxlab.check.formats import as_github, as_json, as_sarif
from ptxlab.check.target import check_target
from ptxlab.diag import CODES, Diagnostic, Severity, show
from ptxlab.launch.module import read
from ptxlab.ptx.parser import parse_all
from ptxlab.ptx.tree import Module


@dataclass(frozen=True, slots=True)
class Options:
    """How files are checked. `select` and `ignore` hold codes or their beginnings, e.g. "PTX50": what is reported at
    all, and what is not. `target` takes the place of the modules' own, e.g. "sm_90a"."""

    target: str | None = None
    format: str = "text"
    lints: bool = True
    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()


def options(target: str | None, format: str, lints: bool, select: Sequence[str], ignore: Sequence[str]) -> Options:
    """Options as words of the command line; codes may be joined by commas.

    Raises: Diagnostic PTX2501 for a code or target that does not exist.
    """
    if target is not None and check_target(Module(), target)[1]:
        raise Diagnostic("PTX2501", f"--target {target}: there is no such target.", help="write e.g. sm_90a")
    return Options(target, format, lints, _codes("--select", select), _codes("--ignore", ignore))


def _codes(option: str, words: Sequence[str]) -> tuple[str, ...]:
    out = tuple(w.strip().upper() for word in words for w in word.split(",") if w.strip())
    for word in out:
        if not any(code.startswith(word) for code in CODES):
            raise Diagnostic("PTX2501", f"{option} {word}: there is no such code.", help="write e.g. PTX0212 or PTX50")
    return out


def main(files: Sequence[Path], options: Options = Options(), console: Console | None = None) -> int:
    """Print all findings, each once, in the format asked for. A file that cannot be read is a finding of its own.

    Returns: 1 where one is an error, else 0.
    """
    console = console or Console()
    found: list[Diagnostic] = []
    for file in files:
        one, module = _checked(file, options)
        found += one
        if options.format == "text":
            show(one)
            _summary(console, file, one, module)
    match options.format:
        case "json":
            _print(as_json(found))
        case "sarif":
            _print(as_sarif(found, __version__))
        case "github":
            _print(as_github(found))
        case _:
            pass
    return 1 if any(d.severity is Severity.ERROR for d in found) else 0


def _checked(file: Path, options: Options) -> tuple[list[Diagnostic], Module | None]:
    try:
        module, found = parse_all(read(str(file)), str(file))
    except Diagnostic as d:
        return [d, *d.also], None
    found = found + check_tree(module, options.target, found, lints=options.lints)
    return [d for d in dict.fromkeys(found) if _wanted(d, options)], module


def _wanted(d: Diagnostic, options: Options) -> bool:
    if options.select and not d.code.startswith(options.select):
        return False
    return not (options.ignore and d.code.startswith(options.ignore))


def _print(text: str) -> None:
    if text:
        print(text)


def _summary(console: Console, file: Path, found: list[Diagnostic], module: Module | None) -> None:
    if module is None:
        return
    count = {s: sum(d.severity is s for d in found) for s in Severity}
    words = [
        _count(len(module.entries()), "kernel"),
        _count(count[Severity.ERROR], "error"),
        _count(count[Severity.WARNING], "warning"),
        *([_count(n, "lint")] if (n := count[Severity.LINT]) else []),
        *([_count(n, "note")] if (n := count[Severity.NOTE]) else []),
    ]
    console.print(f"{file}: {', '.join(words)}", highlight=False, soft_wrap=True)


def _count(n: int, what: str) -> str:
    return f"{n} {what}" + ("s" if n != 1 else "")
