"""The server over standard input and output."""

from __future__ import annotations

import os
import re
import select
import sys
import threading
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any, BinaryIO, Final, cast

import anyio
import anyio.from_thread
import anyio.lowlevel
import mcp_types as types
from mcp.server.stdio import stdio_server
from mcp.shared.message import SessionMessage

from ptxlab.mcp.limits import REQUEST, Limits
from ptxlab.mcp.pool import FLUSH, Pool
from ptxlab.mcp.server import served

_POLL: Final = 0.1
_ID: Final = re.compile(r'"id"\s*:\s*(?:(\d{1,18})|"([^"\\]{1,100})")')


class Lines:
    """The lines of standard input, as `stdio_server` reads them.

    A thread of its own reads: a read that waits can then be left behind when the server stops. Where the input ends, or a line is
    longer than a request may be, the end is told when all requests are answered, or nobody reads the answers.

    Attributes:
        refuse: takes the answer to a line that is no message, of which the SDK says nothing; its client would wait for ever.
    """

    def __init__(self, stream: BinaryIO, answers: int, pool: Pool) -> None:
        self._stream, self._answers, self._pool = stream, answers, pool
        self.refuse: Callable[[SessionMessage], Awaitable[None]] | None = None
        self._out, self._lines = anyio.create_memory_object_stream[str](0)

    def start(self) -> None:
        """Begin to read."""
        token = anyio.lowlevel.current_token()
        threading.Thread(target=self._read, args=(token,), daemon=True).start()

    def _read(self, token: Any) -> None:
        try:
            while line := self._stream.readline(REQUEST + 1):
                if len(line) > REQUEST:
                    print(f"error[PTX2504] a request has more than {REQUEST >> 20} MiB", file=sys.stderr, flush=True)
                    break
                anyio.from_thread.run(self._out.send, line.decode("utf-8", "replace"), token=token)
            anyio.from_thread.run_sync(self._out.close, token=token)
        except (OSError, RuntimeError, anyio.BrokenResourceError, anyio.ClosedResourceError, anyio.RunFinishedError):
            return  # the server has stopped

    async def __aiter__(self) -> AsyncIterator[str]:
        async for line in self._lines:
            try:
                types.jsonrpc_message_adapter.validate_json(line, by_name=False)
            except ValueError as e:
                if self.refuse is not None:
                    await self.refuse(SessionMessage(_unreadable(line, e)))
            else:
                yield line
        async with anyio.create_task_group() as group:
            group.start_soon(self._nobody_reads, group.cancel_scope)
            await anyio.sleep(FLUSH)  # the last request may not have begun
            await self._pool.idle()
            await anyio.sleep(FLUSH)
            group.cancel_scope.cancel()

    async def _nobody_reads(self, scope: anyio.CancelScope) -> None:
        out = select.poll()
        out.register(self._answers, 0)
        while not any(events & (select.POLLERR | select.POLLHUP) for _, events in out.poll(0)):
            await anyio.sleep(_POLL)
        scope.cancel()


def _unreadable(line: str, why: ValueError) -> types.JSONRPCError:
    """The answer to a line that is no message, for the request that it may have been."""
    found = _ID.search(line)
    number = None if found is None else int(found[1]) if found[1] is not None else found[2]
    said = str(why).splitlines()[2:3] or [str(why)]
    return types.JSONRPCError(
        jsonrpc="2.0",
        id=number,
        error=types.ErrorData(code=types.PARSE_ERROR, message=f"No message: {said[0].strip()}"[:400]),
    )


async def serve(limits: Limits) -> None:
    """Serve one client, until it closes standard input or is gone, or the process gets SIGTERM or SIGINT."""
    try:
        await _serve(limits)
    except* (BrokenPipeError, anyio.BrokenResourceError):
        pass  # nobody reads the answers


async def _serve(limits: Limits) -> None:
    pool = Pool(limits)
    async with anyio.create_task_group() as group:
        await group.start(pool.stop_at_signals, group.cancel_scope.cancel)
        async with pool.open():
            # Files of our own: `stdio_server` puts another one in the place of 1, and Python closes its own when it ends.
            lines = Lines(os.fdopen(os.dup(0), "rb"), os.dup(1), pool)
            lines.start()
            async with stdio_server(stdin=cast("anyio.AsyncFile[str]", lines)) as (incoming, outgoing):
                lines.refuse = outgoing.send
                server = served(pool)
                await server.run(incoming, outgoing, server.create_initialization_options())
        group.cancel_scope.cancel()
