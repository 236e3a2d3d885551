"""Lines that are no products: what a launch from Python costs, and how long the simulator takes for each kernel."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

from ptxlab.bench import launch, machine

PREPARED: Final = 1.05
"""Of the driver's own call."""
UNPREPARED: Final = 20.0
"""Microseconds."""
SIMULATED: Final = 5.0
"""Seconds on two cores."""


def launches(batches: int = 30) -> list[dict[str, Any]]:
    """What launches cost. Raises: Diagnostic PTX2304 and PTX2422 without a GPU."""
    rows = {row.name: row for row in launch.measure(batches).rows}
    out = [_line("launch", "prepared p()", rows["prepared p()"].ratio, PREPARED, "of the driver's own call")]
    repeated = [name for name in rows if name.startswith("kernel[grid](…)") and "first" not in name]
    return out + [_line("launch", name, rows[name].microseconds, UNPREPARED, "µs") for name in repeated]


def simulated(timed: Iterable[tuple[str, float | None, str]]) -> list[dict[str, Any]]:
    """A small case of each kernel in the simulator: what it is, its seconds, and what is wrong with its result."""
    out: list[dict[str, Any]] = []
    for what, seconds, wrong in timed:
        line = _line("simulator", what, seconds, SIMULATED, "s")
        out.append(line | {"reached": False, "missing": {"the bytes of a GPU": wrong}} if wrong else line)
    return out


def _line(kind: str, what: str, value: float | None, most: float, unit: str) -> dict[str, Any]:
    return {
        "bench": "kernels",
        "date": machine.today(),
        "kind": kind,
        "work": what,
        "gpu": machine.gpu(),
        **machine.cpu(),
        "value": None if value is None else round(value, 4),
        "unit": unit,
        "most": most,
        "reached": None if value is None else value <= most,
        "missing": {},
    }
