"""Chains of small launches in a stream, beside the same launches one by one."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable

import numpy as np

import ptxlab as px

LAUNCHES = 100
CTAS = 8
THREADS = 128


@px.kernel(threads=THREADS)
def add_one(k: px.Builder, x: px.Ptr[px.f32], *, early: bool) -> None:
    at = k.ctaid.x * THREADS + k.tid.x
    if early:
        k.griddepcontrol.launch_dependents()
        k.griddepcontrol.wait()
    k.st.global_.f32(x[at], k.ld.global_.f32(x[at]) + 1.0)


def ratio(rounds: int, *, early: bool, sanitize: bool) -> tuple[float, float, bool]:
    """A chain beside its launches alone, in processor time; the seconds of the chain, and whether both were right.

    early: launches that may begin while the one in front of them runs.
    """
    kernel = add_one.specialize(early=early)
    x = np.zeros(CTAS * THREADS, np.float32)

    def alone() -> None:
        for _ in range(LAUNCHES):
            px.simulate(kernel, grid=CTAS, args=[x], sanitize=sanitize)

    def chain() -> None:
        stream = px.Stream()
        for _ in range(LAUNCHES):
            kernel.launch(grid=CTAS, args=[x], stream=stream)
        px.synchronize(sanitize=sanitize)

    def timed(run: Callable[[], None]) -> float:
        begin = time.process_time()
        run()
        return time.process_time() - begin

    alone()
    chain()
    pairs = [(timed(chain), timed(alone)) for _ in range(rounds)]
    right = bool((x == 2 * LAUNCHES * (rounds + 1)).all())
    return statistics.median(c / a for c, a in pairs), statistics.median(c for c, _ in pairs), right
