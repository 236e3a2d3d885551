"""The compact record that the package carries, made from a checkout's: digests of all results, and a few random programs."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path
from typing import Final

from ptxlab.conformance.record import golden
from ptxlab.conformance.record.golden import COMPACT, Golden
from ptxlab.conformance.runner.conform import records_folder

PROGRAMS: Final = 8
"""Random programs that it holds: a record has their text, which no digest stands for."""


def digested(whole: Golden) -> Golden:
    """A record with digests in place of results."""
    return replace(
        whole, results={}, digests={**whole.digests, **{k: golden.digest(v) for k, v in whole.results.items()}}
    )


def made(folder: Path) -> dict[str, Golden]:
    """Compact records of a folder's, by name. Raises: Diagnostic PTX2500 where one is missing."""
    whole = {name: golden.read(folder / f"{name}.npz") for name in ("rows", "micro", "programs", "tma")}
    return {
        "rows": digested(whole["rows"]),
        "micro": digested(whole["micro"]),
        "programs": whole["programs"].part(list(whole["programs"].results)[:PROGRAMS]),
        "tma": digested(whole["tma"]),
    }


def main(folder: Path | None = None, into: Path = COMPACT) -> int:
    """Write it, and say how large it is."""
    source = folder or records_folder()
    into.mkdir(exist_ok=True)
    for name, compact in made(source).items():
        golden.write(compact, into / f"{name}.npz")
    shutil.copyfile(source / "addresses.json", into / "addresses.json")
    print(f"{sum(p.stat().st_size for p in into.iterdir()) / 1024:.0f} KiB in {into}")
    return 0
