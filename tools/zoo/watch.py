"""Runs the zoo under the tools of compute-sanitizer, some processes side by side, until the time is over."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Container
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

from tools.zoo.items import ROOT, hangs, items, name_of

TOOLS = ("memcheck", "racecheck", "synccheck", "initcheck")
_PATIENCE = 8.0
"""Seconds that a kernel may take; a process that has just begun may take longer."""
_START = 40.0


@dataclass
class _Process:
    at: int
    due: float = field(default_factory=lambda: time.time() + _START)
    ended: bool = False


def watch(out: Path, seconds: float, shards: int, known: Container[str] = ()) -> None:
    """Write `TOOL-SHARD.log` of each tool and shard into a folder. Kernels of `known` names are left out."""
    out.mkdir(parents=True, exist_ok=True)
    until = time.time() + seconds
    left_out = [n for n, item in enumerate(items()) if name_of(*item) in known]
    hanging = [n for n, (_, mutant) in enumerate(items()) if hangs(mutant)]
    threads = [
        threading.Thread(
            target=_shard,
            args=(tool, shard, shards),
            kwargs={"out": out, "until": until, "skipped": [*left_out, *(hanging if tool != "synccheck" else ())]},
        )
        for tool in TOOLS
        for shard in range(shards)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def _shard(tool: str, shard: int, shards: int, *, out: Path, until: float, skipped: list[int]) -> None:
    """One tool and one shard: a process after the other, each behind where the one before failed or hung."""
    start = shard
    with (out / f"{tool}-{shard}.log").open("w", errors="replace") as log:
        while time.time() < until:
            state = _run(tool, start, shards, skipped, log, until)
            if state.ended:
                return
            start = state.at + shards


def _run(tool: str, start: int, shards: int, skipped: list[int], log: IO[str], until: float) -> _Process:
    more = ["--racecheck-report", "all"] if tool == "racecheck" else []
    worker = [sys.executable, "-m", "tools.zoo.worker", str(start), str(shards), *map(str, skipped)]
    process = subprocess.Popen(
        ["compute-sanitizer", "--tool", tool, "--print-limit", "400", *more, *worker],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        start_new_session=True,
        cwd=ROOT,
    )
    state = _Process(start - shards)
    reader = threading.Thread(target=_read, args=(process.stdout, state, log), daemon=True)
    reader.start()
    while process.poll() is None:
        time.sleep(0.2)
        now = time.time()
        if now > state.due or now > until:
            log.write(f"## {state.at} {'hang' if now > state.due else 'stopped'}\n")
            os.killpg(process.pid, signal.SIGKILL)
            break
    reader.join(5)
    return state


def _read(lines: IO[str], state: _Process, log: IO[str]) -> None:
    for line in lines:
        words = line.split()
        if words[:1] == ["##"]:
            state.ended = words[1] == "end"
            if not state.ended:
                state.at, state.due = int(words[1]), time.time() + _PATIENCE
        if "Host Frame" not in line and "Device Frame" not in line:
            log.write(line[:400].rstrip("\n") + "\n")


__all__ = ["TOOLS", "watch"]
