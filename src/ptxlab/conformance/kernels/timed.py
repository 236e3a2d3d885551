"""How long the simulator takes for a small case of each matrix product, and whether it writes what a GPU wrote."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from ptxlab.conformance.kernels import cases, digests, further, packed, run, tensors


def timed() -> Iterator[tuple[str, float | None, str]]:
    """Of each case: what it is, seconds (None where it failed), and what is wrong with its result ("" for nothing)."""
    record, later = digests.read(), digests.read(further.RECORD)
    record = replace(record, digests={**later.digests, **record.digests})
    for case in (*cases.gemms()[:1], *tensors.grouped()[:1], *packed.shown()):
        ended = run.judge(case, "random", run.simulator, record)
        wrong = "" if ended.verdict is run.Verdict.EQUAL else ended.detail or ended.verdict.value
        yield f"{case.kernel}, {case.size}", ended.run.seconds if ended.run is not None else None, wrong


__all__ = ["timed"]
