"""What was measured on: facts about the CPU and the GPU that stand in every record."""

from __future__ import annotations

import os
import platform
import subprocess
from datetime import UTC, datetime
from pathlib import Path

QUERY = (
    "name",
    "driver_version",
    "clocks.sm",
    "clocks.mem",
    "clocks.max.sm",
    "power.draw",
    "power.limit",
    "temperature.gpu",
)


def today() -> str:
    """The date in UTC, e.g. "2025-03-01"."""
    return datetime.now(UTC).date().isoformat()


def cpu() -> dict[str, str | int]:
    """Model, cores that this process may use, operating system and Python."""
    return {
        "cpu": _model(),
        "cores": len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1,
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
    }


def _model() -> str:
    try:
        text = Path("/proc/cpuinfo").read_text()
    except OSError:
        return platform.processor() or platform.machine()
    named = [line.partition(":")[2].strip() for line in text.splitlines() if line.startswith("model name")]
    return named[0] if named else platform.machine()


def gpu(ordinal: int = 0) -> dict[str, str]:
    """Name, driver, clocks (MHz), power (W) and temperature (°C) at this moment, as nvidia-smi says; empty without it."""
    command = ["nvidia-smi", f"--id={ordinal}", f"--query-gpu={','.join(QUERY)}", "--format=csv,noheader,nounits"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=20, check=True)
    except (OSError, subprocess.SubprocessError):
        return {}
    values = [v.strip() for v in done.stdout.strip().split(",")]
    return dict(zip(QUERY, values, strict=True)) if len(values) == len(QUERY) else {}


def children(pid: int) -> list[int]:
    """Processes that `pid` has started, on Linux."""
    return [int(word) for task in Path(f"/proc/{pid}/task").glob("*/children") for word in task.read_text().split()]


def resident(pid: int) -> int:
    """MiB of memory that a process has at hand, on Linux; 0 where it is gone."""
    try:
        words = Path(f"/proc/{pid}/statm").read_text().split()
    except OSError:
        return 0
    return int(words[1]) * os.sysconf("SC_PAGE_SIZE") >> 20
