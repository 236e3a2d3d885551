"""One line measured: its record, as it stands in the file of JSON lines."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from types import ModuleType
from typing import Any, Final

from ptxlab.bench import machine
from ptxlab.bench.kernels import timing
from ptxlab.bench.kernels.contenders import contest
from ptxlab.bench.kernels.contest import Contest
from ptxlab.bench.kernels.timing import Seconds
from ptxlab.bench.kernels.works import Work

LOADED: Final = 0.3
"""Seconds of work before clocks and power are read."""
_PER_CLOCK: Final = 4096
"""Operations of an SM's tensor cores in a clock, for elements of 16 bits; a multiplication and an addition are two."""


@dataclass(frozen=True, slots=True)
class Roofs:
    """What the GPU can do at most.

    Attributes:
        copy: bytes a second that a copy reads and writes. sms: multiprocessors. clock: the highest one, in Hz.
    """

    copy: float
    sms: int
    clock: float

    def operations(self, size: int, clock: float | None = None) -> float:
        """Operations a second of the tensor cores for elements of `size` bytes, at the highest clock or another one."""
        return self.sms * _PER_CLOCK * (2.0 / size) * (clock or self.clock)

    def floor(self, work: Work) -> float:
        """Seconds below which the work cannot be done."""
        return max(work.operations / self.operations(work.size), work.bytes / self.copy)


def roofs(torch: ModuleType) -> Roofs:
    """Measured and asked for."""
    found = torch.cuda.get_device_properties(0)
    facts = machine.gpu()
    clock = float(facts.get("clocks.max.sm", 0) or 0) * 1e6 or 1980e6
    return Roofs(timing.copy_bandwidth(torch), found.multi_processor_count, clock)


def measured(torch: ModuleType, work: Work, roof: Roofs, rounds: int, names: Sequence[str]) -> dict[str, Any]:
    """The record of a line. Raises: Diagnostic PTX2420 where a result of ours is wrong."""
    made = contest(torch, work, names)
    found = timing.rounds(torch, made.everyone, rounds, int(work.amount)) if made.ours or made.peers else {}
    loaded = made.ours or made.peers
    gpu = under_load(torch, next(iter(loaded.values()))) if loaded else machine.gpu()
    return record(work, made, found, roof, gpu) | {"torch": torch.__version__, "cuda": torch.version.cuda}


def under_load(torch: ModuleType, calls: Sequence[timing.Call]) -> dict[str, str]:
    """Clocks and power while a contender works."""
    begin = time.perf_counter()
    about = max(timing.seconds_of(torch, calls), 1e-5)
    for i in range(min(20_000, round(LOADED / about))):
        calls[i % len(calls)]()
        if time.perf_counter() - begin > 2 * LOADED:
            break
    facts = machine.gpu()
    torch.cuda.synchronize()
    return facts


def record(work: Work, made: Contest, found: dict[str, Seconds], roof: Roofs, gpu: dict[str, str]) -> dict[str, Any]:
    """A line's numbers, in the form of a record. A grouped line's product of equal work counts by its own operations."""
    speeds = {name: made.scale.get(name, 1.0) * work.amount / s.median for name, s in found.items()}
    ours, peer = _fastest(made.ours, speeds), _fastest(made.peers, speeds)
    beside = peer if work.reach.beside == "best peer" else work.reach.beside
    ratio = speeds[ours] / speeds[beside] if ours and beside in speeds else None
    share = work.bytes / found[ours].median / roof.copy if ours else None
    other, least = work.reach.second or ("", 0.0)
    second = speeds[ours] / speeds[other] if ours and other in speeds else None
    return {
        "bench": "kernels",
        "date": machine.today(),
        "kind": work.kind,
        "work": work.name,
        "shapes": work.shapes[:1] if len(set(work.shapes)) == 1 else work.shapes,
        "products": len(work.shapes),
        "element_bytes": work.size,
        "data": "standard normal",
        "gpu": gpu,
        "copy_gbs": round(roof.copy / 1e9, 1),
        "peak_tflops": round(roof.operations(work.size) / 1e12, 1),
        "floor_us": round(roof.floor(work) * 1e6, 2),
        "contenders": {name: _contender(s, speeds[name], unit=unit_of(work.kind)) for name, s in found.items()},
        "missing": dict(made.missing),
        "ours": ours,
        "beside": beside if beside in speeds else None,
        "ratio": None if ratio is None else round(ratio, 4),
        "share_of_copy": None if share is None else round(share, 4),
        "second": None if second is None else {"beside": other, "ratio": round(second, 4), "reach": least},
        "reach": {"ratio": work.reach.ratio, "beside": work.reach.beside, "share": work.reach.share},
        "reached": reached(work, ratio, share, second),
    }


def _fastest(some: dict[str, Any], speeds: dict[str, float]) -> str | None:
    return max((name for name in some if name in speeds), key=speeds.__getitem__, default=None)


def unit_of(kind: str) -> str:
    """How the speed of lines of a kind is told: "tflops" or "gbs"."""
    return "gbs" if kind == "rows" else "tflops"


def _contender(s: Seconds, speed: float, *, unit: str) -> dict[str, Any]:
    times = {"us": s.median, "us_best": s.best, "us_worst": s.worst}
    return {name: round(x * 1e6, 3) for name, x in times.items()} | {
        unit: round(speed / (1e9 if unit == "gbs" else 1e12), 2),
        "rounds": s.rounds,
        "graph": s.graph,
    }


def reached(work: Work, ratio: float | None, share: float | None, second: float | None) -> bool | None:
    """Whether a line is where it has to be; None where nobody knows."""
    if ratio is None or (work.reach.second is not None and second is None):
        return None
    moved = work.reach.share is None or (share or 0.0) >= work.reach.share
    return ratio >= work.reach.ratio and moved and (second is None or second >= (work.reach.second or ("", 0.0))[1])
