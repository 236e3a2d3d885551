"""Other simulators beside ours: Numba's and Triton's, each in a process of its own and at a size that it manages."""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

_FOLDER: Final = Path(__file__).parent
_LIMIT: Final = 300  # seconds before a peer counts as hanging
PEERS: Final = {
    "Numba's simulator": ("numba", "peer_numba.py", "4096", "48"),
    "Triton's interpreter": ("triton", "peer_triton.py", str(1 << 20), "256"),
}
"""Name → module that must be installed, script, elements of its vectors, extent of its matrices."""


@dataclass(frozen=True, slots=True)
class Peer:
    """What another simulator made of the same problem.

    Attributes:
        size: what it ran. seconds: of one run, the first left out. operations, threads: a second; threads 0 where it has none.
        ratio: our operations a second over its own.
    """

    name: str
    size: str
    seconds: float
    operations: float
    threads: float
    ratio: float


def beside(workload: str, operations: float) -> tuple[list[Peer], list[str]]:
    """All peers that know the workload, and why others are left out.

    Args:
        workload: e.g. "vector add". operations: ours a second.
    """
    found: list[Peer] = []
    missing: list[str] = []
    for name in PEERS:
        ran = _ran(name)
        if isinstance(ran, str):
            missing.append(f"{name}: {ran}")
        elif workload in ran:
            seconds, work, threads, size = ran[workload]
            theirs = work / seconds
            found.append(Peer(name, size, seconds, theirs, threads / seconds, operations / theirs))
    return found, missing


@cache
def _ran(name: str) -> dict[str, tuple[float, int, int, str]] | str:
    """What its script printed, or why there is nothing."""
    module, script, *sizes = PEERS[name]
    if importlib.util.find_spec(module) is None:
        return f"{module} is not installed"
    clean = {k: v for k, v in os.environ.items() if k not in ("TRITON_INTERPRET", "NUMBA_ENABLE_CUDASIM")}
    command = [sys.executable, "-P", str(_FOLDER / script), *sizes]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=_LIMIT, env=clean, check=True)
        return json.loads(done.stdout)
    except subprocess.TimeoutExpired:
        return f"not done in {_LIMIT} s"
    except subprocess.CalledProcessError as e:
        return (e.stderr.strip().splitlines() or [f"exit status {e.returncode}"])[-1]
