"""`ptxlab bench check`: how fast files of PTX are parsed and checked, with lints and without."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from rich.console import Console
from rich.table import Table

from ptxlab.bench import machine, records
from ptxlab.checks import check
from ptxlab.diag import Diagnostic, terminal
from ptxlab.ptx.parser import parse_all
from ptxlab.ptx.text import read


@dataclass(frozen=True, slots=True)
class Row:
    """One file; all rates in megabytes (10^6 bytes) a second of processor time, text to the end.

    Attributes:
        parse: text to tree. plain: parsed and checked without lints. lints: parsed and checked with them.
        findings: how many there were, lints included.
    """

    file: str
    bytes: int
    kernels: int
    parse: float
    plain: float
    lints: float
    findings: int


def measure(file: Path, rounds: int = 5) -> Row:
    """The fastest of `rounds` runs each: what else the machine does only slows.

    Raises: Diagnostic PTX2500, PTX0002 where the file cannot be read.
    """
    text = read(str(file))
    size = len(text.encode())
    module, _ = parse_all(text, str(file))
    kernels, findings = len(module.entries()), len(check(text))  # which also fills what is made once a process
    return Row(
        file=file.name,
        bytes=size,
        kernels=kernels,
        parse=size / 1e6 / _seconds(lambda: parse_all(text), rounds),
        plain=size / 1e6 / _seconds(lambda: check(text, lints=False), rounds),
        lints=size / 1e6 / _seconds(lambda: check(text), rounds),
        findings=findings,
    )


def _seconds(work: Callable[[], object], rounds: int) -> float:
    taken: list[float] = []
    for _ in range(rounds):
        begin = time.process_time()
        work()
        taken.append(time.process_time() - begin)
    return min(taken)


def main(files: Sequence[Path], rounds: int = 5, record: Path | None = None, console: Console | None = None) -> int:
    """Print a table, and append it to `record`.

    Returns: the exit status, 0.

    Raises: Diagnostic PTX2501 where nothing could be measured, PTX2500 where a file cannot be read or written.
    """
    console = console or terminal.console()
    if rounds < 1:
        raise Diagnostic("PTX2501", f"--rounds {rounds}: nothing would be measured.", help="give 1 or more")
    rows = [measure(f, rounds) for f in files]
    table = Table()
    for head in ("file", "MB", "kernels", "parse MB/s", "check MB/s", "with lints MB/s", "findings"):
        table.add_column(head)
    for r in rows:
        rates = [f"{x:.2f}" for x in (r.parse, r.plain, r.lints)]
        table.add_row(r.file, f"{r.bytes / 1e6:.2f}", str(r.kernels), *rates, str(r.findings))
    console.print(table)
    if record is not None:
        records.append(
            record,
            {
                "bench": "check",
                "date": machine.today(),
                **machine.cpu(),
                "rounds": rounds,
                "rows": list(map(asdict, rows)),
            },
        )
    return 0
