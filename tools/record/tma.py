"""Recording tensor maps, and copies and reductions through them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ptxlab.conformance.record import golden
from ptxlab.conformance.record.chip import hopper
from ptxlab.conformance.record.golden import DIGEST, Golden
from ptxlab.conformance.tma.devices import Gpu
from ptxlab.conformance.tma.run import run
from ptxlab.diag import Diagnostic


def record(path: Path, seed: int = 0) -> Golden:
    """Run everything on GPU 0 twice and write what came out.

    Raises: Diagnostic PTX2304, PTX2422 without a GPU; PTX2423 where it is no Hopper; PTX2420 where a kernel fails, two runs differ,
    or a map that a kernel made loads other bytes than the host's: nothing is written then.
    """
    chip = hopper()
    first, second = (run(Gpu(), seed) for _ in range(2))
    unsteady = [k for k, v in first.results.items() if not np.array_equal(v, second.results[k])]
    if unsteady:
        raise Diagnostic("PTX2420", f"{len(unsteady)} cases gave two results: {', '.join(unsteady[:5])}.")
    strange = strangers(first.results)
    if strange:
        raise Diagnostic("PTX2420", f"Maps made on the GPU load other bytes than the host's: {', '.join(strange[:5])}.")
    made = Golden(**asdict(chip), seed=seed, results=first.results, operands=first.operands)
    golden.write(made, path)
    return made


def strangers(results: Mapping[str, NDArray[np.uint8]]) -> list[str]:
    """Rebound maps that load other bytes than those that the host made."""
    pairs = [(k, k.removesuffix(" from the host")) for k in results if k.endswith(" from the host")]
    return [ours for host, ours in pairs if not np.array_equal(results[host], results[ours][-DIGEST:])]


def main(path: Path, seed: int) -> int:
    """Record, and say what was recorded."""
    made = record(path, seed)
    print(f"{len(made.results)} results in {path}, {path.stat().st_size} bytes: {made.provenance}")
    return 0
