"""Servers for tests, driven by the SDK's own client."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("mcp", reason="there is no SDK of MCP: install the extra `mcp`")

import anyio
import anyio.from_thread
import httpx2
from mcp import Client, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client

import ptxlab
from ptxlab.mcp.http import VARIABLE

SOURCE = str(Path(ptxlab.__file__).parents[1])
WORDS = [sys.executable, "-m", "ptxlab", "mcp"]
TOKEN = "a-token-for-the-tests"
LONGEST = 60
"""Seconds after which a request counts as lost."""

RACE = (Path(__file__).parent / "race.ptx").read_text(encoding="utf-8")
WORDS64 = {"out": {"array": "u32", "shape": [64]}}
MP = r"""PTX MP
{ x = 0; flag = 0; }
P0@cta 0,gpu 0         | P1@cta 1,gpu 0 ;
st.weak x, 1           | ld.acquire.gpu r0, flag ;
st.relaxed.gpu flag, 1 | ld.weak r1, x ;
exists (P1:r0 == 1 /\ P1:r1 == 0)
"""
DOUBLE = """
import ptxlab as px


@px.kernel(threads=32)
def double(k, x: px.Ptr[px.u32]):
    k.st.global_.u32(x[k.tid.x], k.ld.global_.u32(x[k.tid.x]) * 2)


def reference(x):
    x *= 2
"""
COUNTED = {"array": "u32", "shape": [32], "fill": 0, "step": 1}


def environment(**more: str) -> dict[str, str]:
    """That of a server."""
    kept = {name: os.environ[name] for name in ("PTXLAB_CACHE_DIR", "PATH", "HOME", "TMPDIR") if name in os.environ}
    return {**kept, "PYTHONPATH": SOURCE, "NO_COLOR": "1", **more}


class Driven:
    """A client that is connected to a server.

    Attributes:
        pid: of the server.
    """

    def __init__(self, client: Client, portal: Any, pid: int) -> None:
        self.client, self.portal, self.pid = client, portal, pid

    async def _called(self, name: str, arguments: dict[str, Any]) -> Any:
        with anyio.fail_after(LONGEST):
            return await self.client.call_tool(name, arguments)

    def raw(self, name: str, /, **arguments: Any) -> Any:
        """What the tool returns."""
        return self.portal.call(self._called, name, arguments)

    def call(self, name: str, /, **arguments: Any) -> dict[str, Any]:
        """Its answer, which the client has held against the schema of the tool."""
        return self.raw(name, **arguments).structured_content

    def begin(self, name: str, /, **arguments: Any) -> Future[Any]:
        """The same, without waiting; cancelled, the client goes away."""
        return self.portal.start_task_soon(self._called, name, arguments)

    def workers(self) -> set[int]:
        """The processes that the server has started."""
        return children(self.pid)

    def working(self) -> set[int]:
        """Those that work on requests, or wait for them: children of workers."""
        return self.workers() - {pid for pid in self.workers() if _parent(pid) == self.pid}

    def sleeping(self, seconds: float) -> tuple[Future[Any], int]:
        """A request whose Python sleeps, and the process that executes it."""
        self.call("check", python=DOUBLE)
        before = self.working()
        asked = self.begin("check", python=f"import time; time.sleep({seconds})" + DOUBLE)
        assert eventually(lambda: self.working() - before)
        return asked, next(iter(self.working() - before))


def code(answer: dict[str, Any]) -> str:
    """The code of the only finding, or of the first of several."""
    return answer["findings"][0]["code"] if answer["findings"] else ""


def children(pid: int) -> set[int]:
    """Processes whose parent is `pid`, and theirs."""
    parents: dict[int, int] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                status = (entry / "stat").read_text()
            except OSError:
                continue
            state, parent = status.rpartition(")")[2].split()[:2]
            if state != "Z":
                parents[int(entry.name)] = int(parent)
    found: set[int] = set()
    more = {pid}
    while more:
        more = {child for child, parent in parents.items() if parent in more} - found
        found |= more
    return found


def alive(pids: set[int]) -> set[int]:
    """Those of the processes that are still there."""
    return {pid for pid in pids if Path(f"/proc/{pid}").exists() and " Z " not in Path(f"/proc/{pid}/stat").read_text()}


def eventually(done: Any, seconds: float = 20) -> bool:
    """Whether something becomes true in time."""
    end = time.monotonic() + seconds
    while not done():
        if time.monotonic() > end:
            return False
        time.sleep(0.02)
    return True


def folders() -> set[str]:
    """Temporary folders of servers."""
    import tempfile

    return {p.name for p in Path(tempfile.gettempdir()).glob("ptxlab-mcp-*")}


def address(pid: int) -> str:
    """Where a server over HTTP listens."""
    found = subprocess.run(["ss", "-tlnpH"], capture_output=True, text=True, check=False).stdout
    line = next(line for line in found.splitlines() if f"pid={pid}," in line)
    return f"http://{line.split()[3]}/mcp"


@contextmanager
def over_stdio(*options: str, mode: str = "auto") -> Iterator[Driven]:
    """A server that the client has started."""
    parameters = StdioServerParameters(command=WORDS[0], args=[*WORDS[1:], *options], env=environment())
    before = children(os.getpid())
    with (
        anyio.from_thread.start_blocking_portal() as portal,
        portal.wrap_async_context_manager(Client(parameters, mode=mode)) as client,
    ):
        (pid,) = {p for p in children(os.getpid()) - before if _parent(p) == os.getpid()}
        yield Driven(client, portal, pid)


def _parent(pid: int) -> int:
    try:
        return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])
    except OSError:
        return 0


@contextmanager
def serving(*options: str, token: str = TOKEN) -> Iterator[tuple[subprocess.Popen[str], str, str]]:
    """A server over HTTP: its process, its address, and its token, which it makes where `token` is empty."""
    env = environment(**({VARIABLE: token} if token else {}))
    words = [*WORDS, "--http", "--port", "0", *options]
    server = subprocess.Popen(words, stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=env)
    try:
        assert server.stderr is not None
        found = re.fullmatch(r"ptxlab mcp: (http://127\.0\.0\.1:\d+/mcp)\n", server.stderr.readline())
        assert found is not None
        made = token or server.stderr.readline().removeprefix("token: ").strip()
        yield server, found[1], made
    finally:
        server.send_signal(signal.SIGTERM)
        try:
            server.wait(20)
        finally:
            server.kill()


@contextmanager
def connected(url: str, pid: int, token: str = TOKEN, mode: str = "auto") -> Iterator[Driven]:
    """A client of a server over HTTP."""
    http = httpx2.AsyncClient(headers={"Authorization": f"Bearer {token}"}, timeout=LONGEST)
    with anyio.from_thread.start_blocking_portal() as portal, portal.wrap_async_context_manager(http):
        transport = streamable_http_client(url, http_client=http)
        with portal.wrap_async_context_manager(Client(transport, mode=mode)) as client:
            yield Driven(client, portal, pid)


@contextmanager
def over_http(*options: str) -> Iterator[Driven]:
    """A server over HTTP, and a client of it."""
    with serving(*options) as (server, url, token), connected(url, server.pid, token) as driven:
        yield driven
