"""Machines that run parts of a launch, through Dask."""

# what Dask offers is not typed throughout
# pyright: reportMissingTypeStubs=false, reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false, reportMissingImports=false, reportUnknownParameterType=false

from __future__ import annotations

import importlib.util
import mmap
import time
import uuid
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager, suppress
from typing import Any

import numpy as np

from ptxlab.diag import Diagnostic
from ptxlab.sim.engine.compiled.native import Bytes
from ptxlab.sim.spread.arena import Arena
from ptxlab.sim.spread.task import Outcome, Task, perform, version

_LOOK = 1.0
"""Seconds between two questions of a part whether it is still wanted."""
_ANSWER = 10
"""Seconds that a scheduler may take to answer."""
_INSTALL = "pip install dask distributed; client=dask.distributed.Client(…)"


def connected(address: str) -> Any:
    """A client of the scheduler at an address.

    Raises: Diagnostic PTX2501 where Dask is not installed, PTX9041 where nobody answers.
    """
    _installed()
    from distributed import Client

    with _failures():
        return Client(address, timeout=_ANSWER)


def count(client: Any) -> int:
    """How many parts the workers of a client run at once.

    Raises: Diagnostic PTX2501 for what is no client of Dask, PTX9041 for one without workers.
    """
    _check(client)
    with _failures():
        threads = sum(client.nthreads().values())
    if not threads:
        raise Diagnostic("PTX9041", "the Dask client has no workers", help="wait for some: client.wait_for_workers(1)")
    return threads


def _installed() -> None:
    if importlib.util.find_spec("distributed") is None:
        raise Diagnostic("PTX2501", "Dask is not installed.", help=_INSTALL)


def _check(client: Any) -> None:
    _installed()
    from distributed import Client

    if not isinstance(client, Client):
        raise Diagnostic("PTX2501", f"client={client!r} is no Dask client.", help=_INSTALL)


def run(
    client: Any, task: Task, shares: Sequence[tuple[range, ...]], progress: Callable[[int], object]
) -> list[Outcome]:
    """Run each share of a launch as a task of Dask; `progress` is told how many CTAs are done whenever a share is.

    The first trouble of a part ends all of them. Raises: Diagnostic PTX9041 where Dask cannot run one, KeyboardInterrupt.
    """
    memory = np.zeros(Arena.nbytes(task.layout), np.uint8)
    task.layout.fill(memory)
    with _failures():
        started = _Started(client, task, shares, memory)
    outcomes: dict[Any, Outcome] = {}
    try:
        while len(outcomes) < len(shares):
            with _failures():
                future = next(started.ended)
                outcomes[future] = future.result()
            progress(sum(o.stats.ctas for o in outcomes.values()))
            if outcomes[future].trouble is not None:
                started.stop()
                return [outcomes[future]]
    except BaseException:
        started.stop()
        raise
    return [outcomes[future] for future in started.futures]


class _Started:
    """The tasks of a launch.

    Attributes:
        futures: one for each share. ended: those that are done, as they come.
    """

    def __init__(self, client: Any, task: Task, shares: Sequence[tuple[range, ...]], memory: Bytes) -> None:
        from distributed import Event, as_completed

        self.client = client
        self._stop = Event(f"ptxlab-{uuid.uuid4()}", client=client)
        there = client.scatter(memory, broadcast=True, hash=False)
        self.futures = [
            client.submit(_perform, task, one, there, version(), self._stop.name, pure=False, retries=0)
            for one in shares
        ]
        self.ended = iter(as_completed(self.futures))

    def stop(self) -> None:
        """Nobody wants them any more; a client that is gone cannot say so."""
        with suppress(Exception):
            self._stop.set()
            self.client.cancel(self.futures)


@contextmanager
def _failures() -> Generator[None]:
    """What goes wrong in Dask, in the network or in a worker becomes one diagnostic."""
    try:
        yield
    except Diagnostic:
        raise
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
