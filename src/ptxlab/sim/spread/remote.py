"""Machines that run parts of a launch, through Dask."""

# what Dask offers is not typed throughout
# pyright: reportMissingTypeStubs=false, reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false, reportMissingImports=false, reportUnknownParameterType=false

from __future__ import annotations

import mmap
import time
import uuid
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ptxlab.diag import Diagnostic
from ptxlab.sim.native import Bytes
from ptxlab.sim.spread.arena import Arena
from ptxlab.sim.spread.task import Outcome, Task, perform, version

_LOOK = 1.0
"""Seconds between two questions of a part whether it is still wanted."""
_INSTALL = 'pip install "ptxlab[dask]"; client=dask.distributed.Client(…)'


def count(client: Any) -> int:
    """How many parts the workers of a client run at once.

    Raises: Diagnostic PTX2501 for what is no client of Dask, PTX9041 for one without workers.
    """
    _check(client)
    threads = sum(client.nthreads().values())
    if not threads:
        raise Diagnostic("PTX9041", "the Dask client has no workers", help="wait for some: client.wait_for_workers(1)")
    return threads


def _check(client: Any) -> None:
    try:
        from distributed import Client
    except ImportError:
        raise Diagnostic("PTX2501", "client= needs Dask, which is not installed.", help=_INSTALL) from None
    if not isinstance(client, Client):
        raise Diagnostic("PTX2501", f"client= takes a Dask client, not a {type(client).__name__}.", help=_INSTALL)


def run(client: Any, task: Task, shares: Sequence[tuple[range, ...]], progress: Callable[[int], None]) -> list[Outcome]:
    """Run each share of a launch as a task of Dask; `progress` is told how many CTAs are done whenever a share is.

    The first trouble of a part ends all of them. Raises: Diagnostic PTX9041 where Dask cannot run one, KeyboardInterrupt.
    """
    from distributed import Event, as_completed

    memory = np.zeros(Arena.nbytes(task.layout), np.uint8)
    task.layout.fill(memory)
    stop = Event(f"ptxlab-{uuid.uuid4()}", client=client)
    there = client.scatter(memory, broadcast=True, hash=False)
    futures = [client.submit(_perform, task, one, there, version(), stop.name, pure=False, retries=0) for one in shares]
    outcomes: dict[Any, Outcome] = {}
    try:
        for future in as_completed(futures):
            outcomes[future] = _result(future)
            progress(sum(o.stats.ctas for o in outcomes.values()))
            if outcomes[future].trouble is not None:
                break
    except BaseException:
        stop.set()
        client.cancel(futures)
        raise
    if len(outcomes) < len(futures):
        stop.set()
        client.cancel(futures)
        return [o for o in outcomes.values() if o.trouble is not None]
    return [outcomes[future] for future in futures]


def _result(future: Any) -> Outcome:
    try:
        return future.result()
    except Exception as e:
        words = str(e).strip().splitlines()[:1] or [type(e).__name__]
        raise Diagnostic("PTX9041", f"Dask could not run a part of the launch: {words[0]}") from None


def _perform(task: Task, parts: tuple[range, ...], memory: Bytes, wanted: str, stop: str) -> Outcome:
    """Runs in a worker of Dask."""
    if wanted != version():
        raise RuntimeError("another version of ptxlab is installed there")
    data = np.frombuffer(mmap.mmap(-1, len(memory)), np.uint8)
    data[:] = memory
    return perform(task, parts, data, _Asked(stop))


class _Asked:
    """Whether the launch has been given up; asked of the scheduler now and then."""

    def __init__(self, name: str) -> None:
        self.name, self.next, self.event = name, time.monotonic() + _LOOK, None

    def __call__(self) -> bool:
        if time.monotonic() < self.next:
            return False
        from distributed import Event, get_client

        self.event = self.event or Event(self.name, client=get_client())
        self.next = time.monotonic() + _LOOK
        return bool(self.event.is_set())
