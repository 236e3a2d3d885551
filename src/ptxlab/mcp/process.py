"""A worker as the server sees it."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Final

import anyio
from anyio.abc import Process
from anyio.streams.buffered import BufferedByteReceiveStream

from ptxlab.diag import Diagnostic
from ptxlab.mcp.limits import Limits
from ptxlab.mcp.wire import HEAD, STATUS, Orders, ended

_INHERITED: Final = ("PATH", "LANG", "LC_ALL", "PYTHONPATH", "LD_LIBRARY_PATH")
"""Variables that a worker has of the server's. The token is none of them."""
_PATIENCE: Final = 3.0
"""Seconds for a worker to end a request."""
_START: Final = 60.0
"""Seconds for a worker to start."""


class Worker:
    """A process of `ptxlab.mcp.worker`, with a folder of its own.

    Attributes:
        isolation: how it is shut in. busy: whether it has a request that it has not answered.
    """

    def __init__(self, process: Process, folder: Path, limits: Limits) -> None:
        assert process.stdin is not None
        assert process.stdout is not None
        self.isolation: Mapping[str, str] = {}
        self.busy = False
        self._head: tuple[int, bool] | None = None
        self._process, self._folder, self._limits = process, folder, limits
        self._in, self._out = process.stdin, BufferedByteReceiveStream(process.stdout)

    @classmethod
    async def start(cls, root: Path, limits: Limits, cache: Path | None, *, python: bool) -> Worker:
        """Start one, and wait until it is shut in. Raises: Diagnostic PTX2606."""
        try:
            return await cls._started(root, limits, cache, python=python)
        except OSError as e:
            raise Diagnostic("PTX2606", f"No worker can be started: {e.strerror}.") from None

    @classmethod
    async def _started(cls, root: Path, limits: Limits, cache: Path | None, *, python: bool) -> Worker:
        folder = Path(tempfile.mkdtemp(dir=root))
        orders = Orders(
            limits=limits,
            folder=str(folder),
            cache=None if cache is None else str(cache),
            python=python,
            parent=os.getpid(),
        )
        own = {"HOME": folder, "TMPDIR": folder, "PTXLAB_CACHE_DIR": cache or folder}
        fixed = {
            "PYTHONDONTWRITEBYTECODE": "1",
            "PYTHONSAFEPATH": "1",
            "OPENBLAS_NUM_THREADS": "1",
            "OMP_NUM_THREADS": "1",
        }
        kept = {name: os.environ[name] for name in _INHERITED if name in os.environ}
        process = await anyio.open_process(
            [sys.executable, "-m", "ptxlab.mcp.worker", orders.text()],
            stderr=subprocess.DEVNULL,
            cwd=folder,
            env={**kept, **fixed, **{name: str(path) for name, path in own.items()}},
            start_new_session=True,  # what ends the server's group by a signal leaves it time to answer
        )
        made = cls(process, folder, limits)
        try:
            with anyio.fail_after(_START):
                made.isolation = json.loads((await made._received())[0])
        except BaseException as e:
            await made.kill()
            if isinstance(e, TimeoutError):
                raise Diagnostic("PTX2606", f"A worker has not started within {_START:.0f} seconds.") from None
            raise
        return made

    @property
    def alive(self) -> bool:
        """Whether the process is there."""
        return self._process.returncode is None

    async def ask(self, request: bytes) -> bytes:
        """The answer to a request. Raises: Diagnostic PTX2604, PTX2606, PTX2607."""
        self.busy = True
        try:
            await self._in.send(HEAD.pack(len(request), False) + request)
        except (anyio.BrokenResourceError, anyio.ClosedResourceError):
            raise await self._ended() from None
        data, ended_ = await self._received()
        if ended_:
            raise ended(STATUS.unpack(data)[0], self._limits)
        return data

    async def interrupt(self) -> None:
        """End the request that it works on, so that it takes another; it is not busy then."""
        with anyio.CancelScope(shield=True), anyio.move_on_after(_PATIENCE):
            async with anyio.create_task_group() as group:
                group.start_soon(self._signalled)
                with contextlib.suppress(Diagnostic):
                    await self._received()
                group.cancel_scope.cancel()

    async def _signalled(self) -> None:
        while self.alive:  # again and again: it may not have begun
            os.kill(self._process.pid, signal.SIGUSR1)
            await anyio.sleep(0.05)

    async def _received(self) -> tuple[bytes, bool]:
        """A frame. One that is cancelled goes on where it was."""
        try:
            if self._head is None:
                self._head = HEAD.unpack(await self._out.receive_exactly(HEAD.size))
            size, flag = self._head
            if size > self._limits.answer:  # a worker looks at that itself: this one is not to be trusted
                raise Diagnostic(
                    "PTX2607", f"The answer has {size:,} bytes; the server allows {self._limits.answer:,}."
                )
            data = await self._out.receive_exactly(size)
        except (anyio.IncompleteRead, anyio.EndOfStream, anyio.BrokenResourceError, anyio.ClosedResourceError):
            raise await self._ended() from None
        self._head, self.busy = None, False
        return data, flag

    async def _ended(self) -> Diagnostic:
        """Why there is no answer."""
        with anyio.move_on_after(5):
            await self._process.wait()
        return ended(self._process.returncode, self._limits)

    async def kill(self) -> None:
        """End the process and all that it has started, and remove its folder."""
        with anyio.CancelScope(shield=True):
            if self._process.returncode is None:
                with contextlib.suppress(ProcessLookupError):
                    os.killpg(self._process.pid, signal.SIGKILL)
            await self._process.aclose()
            shutil.rmtree(self._folder, ignore_errors=True)
