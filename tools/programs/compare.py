"""Programs on two devices: the GPU of this machine and the simulator, or the simulator in several ways."""

from __future__ import annotations

import json
import queue
import subprocess
import sys
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Final

import numpy as np

from ptxlab.conformance.micro.kernel import THREADS, Bytes, Micro
from ptxlab.conformance.programs import run as programs
from ptxlab.conformance.programs.run import Device, program
from ptxlab.diag import Diagnostic

_PATIENCE: Final = 120.0
"""Seconds after which a program hangs."""
_EACH: Final = 12
"""Programs that a process takes at once."""
WORKER: Final = (sys.executable, "-m", "tools.programs", "work")
"""Compares programs one after the other, a line of JSON each."""


@dataclass(slots=True)
class Verdict:
    """What became of a program.

    Attributes:
        seed, number: of the program.
        lines: what differs; empty where nothing does.
        steady: whether a GPU gave the same twice.
        error: why it did not run to its end.
        optimiser: whether the chip does as the simulator where ptxas optimises nothing: then ptxas makes the difference.
        died: whether ptxas died of it, so that there is nothing to compare.
    """

    seed: int
    number: int
    lines: list[str] = field(default_factory=list[str])
    steady: bool = True
    error: str = ""
    optimiser: bool = False
    died: bool = False

    @property
    def good(self) -> bool:
        """Whether both machines did the same, or ptxas is what differs or died."""
        return (not self.lines or self.optimiser) and self.steady and (not self.error or self.died)


def judged(
    seed: int, number: int, chip: Device, ours: Device, *, twice: bool = True, plain: Device | None = None
) -> Verdict:
    """Run a program on two devices; `plain`: the chip without ptxas' optimiser, which is asked where they differ."""
    made = program(seed, number)
    text, out = made.text, Verdict(seed, number)
    try:
        theirs = chip(text, made.micro, seed)
        if twice:
            out.steady = bool(np.array_equal(theirs, chip(text, made.micro, seed)))
    except Diagnostic as d:
        out.error, out.died = f"the chip: {d.code} {d.message}", d.code == "PTX2403"
        return out
    try:
        mine = ours(text, made.micro, seed)
    except Diagnostic as d:
        out.error = f"the simulator: {d.code} {d.message}"
        return out
    out.lines = programs.shown(made.micro, theirs, mine)
    if out.lines and plain is not None:
        try:
            out.optimiser = bool(np.array_equal(plain(text, made.micro, seed), mine))
        except Diagnostic as d:
            out.lines.append(f"nobody knows whether ptxas' optimiser makes the difference: {d.code} {d.message}")
    return out


# --- many, in processes of their own: a program that fails takes its process with it -------------------------------------------
def compare(
    seed: int, count: int, jobs: int, tell: Callable[[Verdict], None], command: Sequence[str] | None = None
) -> list[Verdict]:
    """Compare many programs in `jobs` processes; `tell` is given each as it ends. `command`: what works, in tests."""
    waiting: queue.SimpleQueue[tuple[int, int]] = queue.SimpleQueue()
    for first in range(0, count, _EACH):
        waiting.put((first, min(_EACH, count - first)))
    out: list[Verdict] = []
    lock = threading.Lock()

    def note(found: Verdict) -> None:
        with lock:
            out.append(found)
            tell(found)

    def take() -> None:
        while True:
            try:
                first, left = waiting.get_nowait()
            except queue.Empty:
                return
            while left:
                done = _processed(seed, first, left, note, command or WORKER)
                first, left = first + done, left - done

    threads = [threading.Thread(target=take) for _ in range(jobs)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    return sorted(out, key=lambda v: v.number)


def _processed(seed: int, first: int, count: int, note: Callable[[Verdict], None], command: Sequence[str]) -> int:
    """Let a process judge programs; how many have a verdict then. One that ends or hangs has judged the next as bad."""
    ran = subprocess.Popen(
        [*command, str(seed), str(first), str(count)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert ran.stdout is not None
    assert ran.stderr is not None
    done, failed = 0, False
    while done < count:
        watch = threading.Timer(_PATIENCE, ran.kill)
        watch.start()
        line = ran.stdout.readline()
        hung = not watch.is_alive()
        watch.cancel()
        if not line:
            why = "it hangs" if hung else f"its process ended: {(ran.stderr.read().strip().splitlines() or ['?'])[-1]}"
            note(Verdict(seed, first + done, error=why))
            done, failed = done + 1, True
            break
        found = Verdict(**json.loads(line))
        note(found)
        done += 1
        if found.error.startswith("the chip") and not found.died:  # which lost its context
            failed = True
            break
    if failed:
        ran.kill()
    ran.communicate()
    return done


# --- the simulator with itself --------------------------------------------------------------------------------------------------
def debugger(text: str, micro: Micro, seed: int) -> Bytes:
    """The simulator under its debugger, a few steps and then to the end."""
    import ptxlab as px

    memory, out = programs.arrays(micro, seed)
    with px.debug(
        px.parse(text)["k0"], grid=micro.lanes // THREADS, block=THREADS, args=[memory, out], lints=False
    ) as d:
        d.step(50)
    return micro.results(out)


def variants() -> dict[str, Device]:
    """Ways to simulate that must all give the same."""
    return {
        "late": programs.simulator("late"),
        "random": programs.simulator("random", 1),
        "random again": programs.simulator("random", 2),
        "stats": programs.simulator(stats=True),
        "trace": programs.simulator(trace=True),
        "debugger": debugger,
        "workers": programs.simulator(workers=2),
    }


def by_variant(seed: int, number: int) -> dict[str, Verdict]:
    """A program under all variants, held against the eager schedule."""
    made = program(seed, number)
    eager = programs.simulator()(made.text, made.micro, seed)

    def before(text: str, micro: Micro, seed: int) -> Bytes:
        return eager

    return {name: judged(seed, number, device, before, twice=False) for name, device in variants().items()}
