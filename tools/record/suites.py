"""Recording rows, micro-kernels and random programs."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Final

import numpy as np

from ptxlab.conformance.record import golden
from ptxlab.conformance.record.chip import hopper
from ptxlab.conformance.record.golden import Golden
from ptxlab.conformance.runner.conform import known
from ptxlab.conformance.runner.suites import SUITES, Suite
from ptxlab.diag import Diagnostic
from tools.record.compact import digested

SHARD_SECONDS: Final = 8 * 60
"""After so long a recording stops, to be resumed by the same command."""


@dataclass(slots=True)
class Recording:
    """How far a recording came.

    Attributes:
        complete: whether all that was asked for is there now, or unsteady.
        unsteady: what gave two results in two runs, and is left out.
    """

    complete: bool = True
    unsteady: list[str] = field(default_factory=list[str])


def record(
    folder: Path,
    seed: int | None = None,
    shards: int = 1,
    named: Sequence[str] = (),
    limit: float = SHARD_SECONDS,
    beside: Path | None = None,
) -> Recording:
    """Record what GPU 0 writes for computing rows, micro-kernels and random programs.

    Args:
        folder: of `rows.npz`, `micro.npz` and `programs.npz`. Results of the same seed that they hold already are kept.
        seed: of the operands; None for that of the files, else 0.
        shards: parts after which the file is written.
        named: files of `isa/rows/`; empty for all.
        limit: seconds after which no further shard is begun.
        beside: of a record of another GPU. What that one holds is left out, and of the rest digests are kept.

    Raises: Diagnostic PTX2304, PTX2422, PTX2423 without a Hopper; PTX2500 where some families were to be added to a record of
    another GPU, driver, ptxas or seed.
    """
    known(named)
    hopper()
    begin, out = time.perf_counter(), Recording()
    for suite in (SUITES["rows"], SUITES["micro"], SUITES["programs"]):
        path = folder / f"{suite.name}.npz"
        made = _begun(path, seed, adding=bool(named))
        other = suite.read(beside) if beside is not None else None
        left = [u.name for u in suite.on_gpu(named) if not made.holds(u.name) and not (other and other.holds(u.name))]
        size = max(1, -(-len(left) // shards))
        for i in range(0, len(left), size):
            if time.perf_counter() - begin > limit:
                out.complete = False
                return out
            made = recorded(suite, left[i : i + size], made, out.unsteady)
            golden.write(made if beside is None else digested(made), path)
    return out


def _begun(path: Path, seed: int | None, *, adding: bool) -> Golden:
    """A record of this seed and this machine that is to be gone on with, or a new one."""
    fresh = Golden(**asdict(hopper()), seed=seed or 0)
    if not path.exists():
        return fresh
    old = golden.read(path)
    return resumed(old, fresh if seed is not None else replace(fresh, seed=old.seed), path, adding=adding)


def resumed(old: Golden, fresh: Golden, path: Path, *, adding: bool) -> Golden:
    """The old record where the new one would be of the same machine and seed, else the new one, which begins empty.

    A record that several releases of ptxas made, as "13.0.88 (video), 13.1.80", goes on with any of them.

    Raises: Diagnostic PTX2500 where some families were to be added to the old one: the others would be lost.
    """
    releases = [one.partition(" (")[0] for one in old.ptxas.split(", ")]
    if (old.gpu, old.driver, old.seed) == (fresh.gpu, fresh.driver, fresh.seed) and fresh.ptxas in releases:
        return old
    if (adding or old.digests) and old.keys:
        raise Diagnostic(
            "PTX2500",
            f"{path} is of {old.provenance}; families recorded here, with {fresh.provenance}, do not belong into it.",
            help="record all of them by leaving out --family, or into another folder",
        )
    return fresh


def recorded(suite: Suite, names: Sequence[str], made: Golden, unsteady: list[str]) -> Golden:
    """A record with further results; what two runs do not agree on is noted instead."""
    results, operands = dict(made.results), dict(made.operands)
    for i in range(0, len(names), suite.chunk):
        some = names[i : i + suite.chunk]
        first, second = (suite.gpu(some, made.seed) for _ in range(2))
        for key, found in first.results.items():
            if np.array_equal(found, second.results[key]):
                results[key], operands[key] = found, first.operands[key]
            else:
                unsteady.append(key)
    return replace(made, results=results, operands=operands)


def main(folder: Path, seed: int | None, shards: int, named: Sequence[str], beside: Path | None = None) -> int:
    """Record; 3 where the same command has to go on, 1 where two runs of something differ."""
    done = record(folder, seed, shards, named, beside=beside)
    sizes = ", ".join(f"{p.name} {p.stat().st_size / 2**20:.1f} MiB" for p in sorted(folder.glob("*.npz")))
    print(f"{sizes}: {'complete' if done.complete else 'begun; the same command goes on'}")
    for key in done.unsteady:
        print(f"not recorded, two runs differ: {key}")
    return 3 if not done.complete else int(bool(done.unsteady))
