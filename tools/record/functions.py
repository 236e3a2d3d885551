"""Recording what approximate functions give: digests of all results of functions with one operand, and of drawn pairs."""

from __future__ import annotations

import time
from dataclasses import asdict
from pathlib import Path
from typing import Final

from ptxlab.conformance.record import golden
from ptxlab.conformance.record.chip import hopper
from ptxlab.conformance.record.golden import COMPACT, Golden
from ptxlab.conformance.runner.suites import SUITES
from tools.record.suites import SHARD_SECONDS, recorded, resumed

RECORD: Final = COMPACT / "functions.npz"
_SHARD: Final = 256


def record(path: Path, limit: float = SHARD_SECONDS) -> tuple[bool, list[str]]:
    """Add to a record what it lacks: whether it is whole then, and what gave two results.

    Raises: Diagnostic PTX2304, PTX2422, PTX2423 without a Hopper; PTX2500 where the record is of another machine.
    """
    suite, begin, unsteady = SUITES["functions"], time.perf_counter(), list[str]()
    fresh = Golden(**asdict(hopper()))
    made = resumed(golden.read(path), fresh, path, adding=True) if path.exists() else fresh
    left = [u.name for u in suite.units() if not made.holds(u.name)]
    for i in range(0, len(left), _SHARD):
        if time.perf_counter() - begin > limit:
            return False, unsteady
        made = recorded(suite, left[i : i + _SHARD], made, unsteady)
        golden.write(made, path)
    return True, unsteady


def main(path: Path) -> int:
    """Record; 3 where the same command has to go on, 1 where two runs of something differ."""
    whole, unsteady = record(path)
    print(f"{path}: {'complete' if whole else 'begun; the same command goes on'}")
    for name in unsteady:
        print(f"not recorded, two runs differ: {name}")
    return 3 if not whole else int(bool(unsteady))
