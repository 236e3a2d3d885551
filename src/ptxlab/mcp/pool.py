"""The workers of a server, and the queue in front of them."""

from __future__ import annotations

import json
import shutil
import signal
import tempfile
from collections.abc import AsyncGenerator, Callable, Generator, Mapping
from contextlib import asynccontextmanager, contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import anyio
from anyio.abc import TaskGroup, TaskStatus

from ptxlab.abi import cache
from ptxlab.diag import Diagnostic
from ptxlab.mcp import isolation
from ptxlab.mcp.limits import Limits
from ptxlab.mcp.process import Worker

FLUSH: Final = 0.2
"""Seconds in which the last answers are written."""
_POLL: Final = 0.02
"""Seconds between looks whether all requests are answered."""


class Pool:
    """Hands requests to workers, each of which has one at a time.

    Requests with Python have workers of their own, which start when the first one comes.

    Attributes:
        limits: of requests. isolation: how workers are shut in; {} as long as none has started. known: whether that is known.
    """

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self.isolation: Mapping[str, str] = {}
        self.known = anyio.Event()
        self._ready: dict[bool, list[Worker]] = {False: [], True: []}
        self._working = {False: 0, True: 0}
        self._slots = anyio.CapacityLimiter(limits.workers)
        self._starting = anyio.Lock()
        self._running: set[anyio.CancelScope] = set()
        self._waiting: set[anyio.CancelScope] = set()
        self._asked = 0
        self._stopped = False
        found = cache.directory("sim")
        self._cache = None if found is None else found.parent
        self._root: Path | None = None
        self._tasks: TaskGroup | None = None

    @asynccontextmanager
    async def open(self) -> AsyncGenerator[None]:
        """Start the workers; at the end they are gone, with all that they have left behind."""
        self._root = Path(tempfile.mkdtemp(prefix="ptxlab-mcp-"))
        try:
            async with anyio.create_task_group() as self._tasks:
                self._tasks.start_soon(self._begin)
                try:
                    yield
                finally:
                    with anyio.CancelScope(shield=True):
                        await self.stop(0)
                    self._tasks.cancel_scope.cancel()
        finally:
            for worker in (*self._ready[False], *self._ready[True]):
                await worker.kill()
            shutil.rmtree(self._root, ignore_errors=True)

    async def _begin(self) -> None:
        """Start the first workers. Whether Python may be executed is decided by what the first of them says."""
        await self._refill(False)
        if self.limits.python is None:
            shut_in = self.isolation and isolation.NONE not in self.isolation.values()
            self.limits = replace(self.limits, python=bool(shut_in))
        self.known.set()
        for _ in range(self.limits.workers - 1):
            await self._refill(False)

    async def ask(self, tool: str, arguments: Mapping[str, Any], *, python: bool) -> bytes:
        """The answer of a worker. A request that is cancelled ends its process.

        Raises: Diagnostic PTX2603 where there is no room in time, PTX2604 to PTX2607 for what a request may not, PTX2609.
        """
        request = json.dumps({"tool": tool, "arguments": arguments}).encode()
        async with self._slot():
            with _kept(self._running):
                return await self._answer(request, python=python)
            raise _stopping()  # `stop` has cancelled it

    async def stop(self, grace: float) -> None:
        """Refuse what waits and what comes; give running requests `grace` seconds, then end them. All have their answer then."""
        self._stopped = True
        for scope in self._waiting:
            scope.cancel()
        with anyio.move_on_after(grace):
            await self.idle()
        for scope in self._running:
            scope.cancel()
        await self.idle()

    async def stop_at_signals(self, then: Callable[[], object], *, task_status: TaskStatus[None]) -> None:
        """At SIGTERM or SIGINT stop, leave the last answers time to be written, and call `then`."""
        with anyio.open_signal_receiver(signal.SIGTERM, signal.SIGINT) as signals:
            task_status.started()
            async for _ in signals:
                await self.stop(self.limits.grace)
                await anyio.sleep(FLUSH)
                then()
                return

    async def idle(self) -> None:
        """Wait until there is an answer to every request."""
        while self._asked:
            await anyio.sleep(_POLL)

    @contextmanager
    def asked(self) -> Generator[None]:
        """A request that is being answered."""
        self._asked += 1
        try:
            yield
        finally:
            self._asked -= 1

    @asynccontextmanager
    async def _slot(self) -> AsyncGenerator[None]:
        """The right to use a worker. Raises: Diagnostic PTX2603, PTX2609."""
        me, admitted = object(), False
        if self._stopped:
            raise _stopping()
        full = self._slots.available_tokens < 1
        if full and self._slots.statistics().tasks_waiting >= self.limits.queue:
            raise Diagnostic(
                "PTX2603", f"All {self.limits.workers} workers are busy, and {self.limits.queue} requests wait."
            )
        with _kept(self._waiting), anyio.move_on_after(self.limits.wait):
            await self._slots.acquire_on_behalf_of(me)
            admitted = True
        if not admitted:
            if self._stopped:
                raise _stopping()
            raise Diagnostic("PTX2603", f"The request has waited for {self.limits.wait:g} seconds.")
        try:
            yield
        finally:
            self._slots.release_on_behalf_of(me)

    async def _answer(self, request: bytes, *, python: bool) -> bytes:
        worker = await self._worker(python)
        self._working[python] += 1
        try:
            with anyio.move_on_after(self.limits.time):
                return await worker.ask(request)
            raise Diagnostic("PTX2604", f"The request took more than {self.limits.time:g} seconds.")
        finally:
            if worker.busy and not self._stopped:
                await worker.interrupt()
            self._working[python] -= 1
            if worker.alive and not worker.busy and not self._stopped:
                self._ready[python].append(worker)
            else:
                await worker.kill()
                if self._tasks is not None and not self._stopped:
                    self._tasks.start_soon(self._refill, python)

    async def _worker(self, python: bool) -> Worker:
        """One that is ready, or else a new one."""
        found = await self._taken(python)
        if found is not None:
            return found
        async with self._starting:  # somebody may have started one meanwhile
            return await self._taken(python) or await self._start(python)

    async def _taken(self, python: bool) -> Worker | None:
        """One of those that are ready, and have not died while they had nothing to do."""
        while self._ready[python]:
            worker = self._ready[python].pop()
            if worker.alive:
                return worker
            await worker.kill()
        return None

    async def _refill(self, python: bool) -> None:
        """Start a worker where one is missing. What keeps it from starting is told to the request that needs it."""
        async with self._starting:
            wanted = 1 if python else self.limits.workers - self._working[False]
            if len(self._ready[python]) < wanted and not self._stopped:
                with suppress(Diagnostic):
                    self._ready[python].append(await self._start(python))

    async def _start(self, python: bool) -> Worker:
        assert self._root is not None
        worker = await Worker.start(self._root, self.limits, self._cache, python=python)
        self.isolation = self.isolation or worker.isolation
        return worker


@contextmanager
def _kept(scopes: set[anyio.CancelScope]) -> Generator[anyio.CancelScope]:
    """A scope that is in a set as long as it is open."""
    with anyio.CancelScope() as scope:
        scopes.add(scope)
        try:
            yield scope
        finally:
            scopes.discard(scope)


def _stopping() -> Diagnostic:
    return Diagnostic("PTX2609", "The server stops.")
