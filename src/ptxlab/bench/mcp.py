"""`ptxlab bench mcp`: requests a second of the server for agents, and what becomes of requests while workers die and clients go.

The server runs as a process of its own, over HTTP; its clients are those of the SDK, all in this process. In the last parts,
workers are killed, and clients go away in the middle of a request, send large inputs, wrong ones and kernels that never end, and
read slowly. Each answer is held to what it has to be. A request is lost where its client stays and gets no answer, and hangs where
it gets none in time.
"""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import AsyncGenerator, Callable, Coroutine, Generator
from contextlib import asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from statistics import quantiles
from typing import Any, Final

import anyio
import httpx2
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from rich.console import Console
from rich.table import Table

from ptxlab.bench import machine, records
from ptxlab.diag import Diagnostic, terminal
from ptxlab.mcp.http import VARIABLE

_TOKEN: Final = "benchmark-token-0123456789"
_IN_TIME: Final = 60.0
"""Seconds after which a request hangs: more than it may wait and take together."""
_LIMITS: Final = ("--cpu", "4", "--time", "10", "--wait", "20", "--queue", "64", "--instructions", str(10**12))
_KILL_EVERY: Final = 2.0
_KERNEL: Final = """.version 8.0
.target sm_90a
.address_size 64
.visible .entry add(.param .u64 x, .param .u32 n)
.reqntid 128, 1, 1
{
    .reg .b32 %r<6>;
    .reg .b64 %rd<4>;
    .reg .pred %p;
    .shared .align 4 .b32 row[128];
    ld.param.u64 %rd0, [x];
    ld.param.u32 %r0, [n];
    mov.u32 %r1, %tid.x;
    mov.u32 %r2, %ctaid.x;
    mad.lo.u32 %r2, %r2, 128, %r1;
    mul.wide.u32 %rd1, %r2, 4;
    add.u64 %rd2, %rd0, %rd1;
    ld.global.u32 %r3, [%rd2];
    shl.b32 %r4, %r1, 2;
    mov.u32 %r5, row;
    add.u32 %r5, %r5, %r4;
    st.shared.u32 [%r5], %r3;
    bar.sync 0;
    ld.shared.u32 %r3, [%r5];
    add.u32 %r3, %r3, %r0;
    st.global.u32 [%rd2], %r3;
    ret;
}
"""
_ENDLESS: Final = """.version 8.0
.target sm_90a
.address_size 64
.visible .entry spin() .reqntid 32, 1, 1 {
    .reg .u32 %r<1>;
    mov.u32 %r0, 0;
again:
    add.u32 %r0, %r0, 1;
    bra again;
}
"""
_PYTHON: Final = """import ptxlab as px

@px.kernel(threads=32)
def add(k, x: px.Ptr[px.u32]):
    k.st.global_.u32(x[k.tid.x], k.ld.global_.u32(x[k.tid.x]) + 1)
"""
_JUDGED: Final = """import ptxlab as px

@px.kernel(threads=32)
def candidate(k, x: px.Ptr[px.f32], out: px.Ptr[px.f32]):
    at = k.ctaid.x * 32 + k.tid.x
    k.st.global_.f32(out[at], k.ld.global_.f32(x[at]) * 2.0)

def reference(x):
    return x * 2

spec = px.Spec(lambda m: px.case([px.Input("f32", 32 * m), px.Output("f32", 32 * m)], grid=m), sizes={"m": range(1, 9)})
"""


def _launch(elements: int) -> dict[str, Any]:
    x = {"array": "u32", "shape": [elements], "fill": 0, "step": 1}
    return {"ptx": _KERNEL, "grid": elements // 128, "args": {"x": x, "n": 3}}


def _simulated(answer: dict[str, Any]) -> bool:
    return answer["status"] == "clean" and answer["outputs"][0]["first"][:2] == [3, 4]


def _refused(code: str) -> Callable[[dict[str, Any]], bool]:
    return lambda answer: answer["findings"][0]["code"] == code


@dataclass(frozen=True, slots=True)
class _Kind:
    """A request, and whether an answer is right. weight: how often it comes in the part with faults."""

    name: str
    tool: str
    arguments: dict[str, Any]
    right: Callable[[dict[str, Any]], bool]
    weight: int = 1


_CHECK: Final = _Kind("check", "check", {"ptx": _KERNEL}, lambda a: a["status"] == "clean", 30)
_SIMULATE: Final = _Kind("simulate", "simulate", _launch(1024), _simulated, 30)
_VERIFY: Final = _Kind("verify", "verify", {"python": _JUDGED}, lambda a: a["verdict"] == "equal" and a["proved"], 10)
_CERTIFY: Final = _Kind("certify", "certify", _launch(1024), lambda a: a["proved"], 10)
_PYTHON_KERNEL: Final = _Kind(
    "python",
    "simulate",
    {"python": _PYTHON, "args": [{"array": "u32", "shape": [32]}]},
    lambda a: a["status"] == "clean",
    10,
)
_STEADY: Final = (_CHECK, _SIMULATE, _VERIFY, _CERTIFY)
_MIXED: Final = (
    *_STEADY,
    _Kind("explain", "explain", {"what": "PTX9213"}, lambda a: "fence" in (a["text"] or ""), 10),
    _PYTHON_KERNEL,
    _Kind("large array", "simulate", _launch(1 << 18), _simulated, 4),
    _Kind("large text", "check", {"ptx": _KERNEL + "// " + "x" * 4_000_000}, lambda a: a["status"] == "clean", 2),
    _Kind("too large text", "check", {"ptx": "x" * 9_000_000}, _refused("PTX2504"), 2),
    _Kind("wrong argument", "simulate", {"ptx": _KERNEL, "args": {"y": 1}}, _refused("PTX2601"), 4),
    _Kind("endless", "simulate", {"ptx": _ENDLESS}, _refused("PTX2604"), 1),
    _Kind("crash", "check", {"python": "import ctypes; ctypes.string_at(0)"}, _refused("PTX2606"), 2),
)
_MAY_COME: Final = ("PTX2603", "PTX2606")
"""Codes that a right request may get while workers are killed and the queue is long."""


@dataclass(slots=True)
class _Part:
    """What one part of the run has counted."""

    name: str
    seconds: float = 0.0
    times: list[float] = field(default_factory=list[float])
    answers: Counter[str] = field(default_factory=Counter[str])
    faults: Counter[str] = field(default_factory=Counter[str])
    lost: int = 0
    hangs: int = 0
    wrong: list[str] = field(default_factory=list[str])

    @property
    def row(self) -> dict[str, Any]:
        """For the record; times in milliseconds."""
        cuts = quantiles(self.times, n=100) if len(self.times) > 1 else [0.0] * 99
        return {
            "part": self.name,
            "seconds": round(self.seconds, 1),
            "requests": len(self.times) + self.lost + self.hangs,
            "per_second": round(len(self.times) / max(self.seconds, 1e-9), 1),
            "p50_ms": round(cuts[49] * 1e3, 1),
            "p99_ms": round(cuts[98] * 1e3, 1),
            "lost": self.lost,
            "hangs": self.hangs,
            "wrong": len(self.wrong),
            "answers": dict(sorted(self.answers.items())),
            "faults": dict(sorted(self.faults.items())),
        }


class _Run:
    """The clients of one server."""

    def __init__(self, url: str, pid: int, clients: int) -> None:
        self.url, self.pid, self.clients = url, pid, clients
        self.draw = random.Random(1)
        self.end = 0.0

    @asynccontextmanager
    async def client(self) -> AsyncGenerator[Client]:
        """A client of the SDK."""
        headers = {"Authorization": f"Bearer {_TOKEN}"}
        async with (
            httpx2.AsyncClient(headers=headers, timeout=2 * _IN_TIME) as http,
            Client(streamable_http_client(self.url, http_client=http), mode="2026-07-28") as client,
        ):
            yield client

    async def part(self, name: str, seconds: float, *work: Callable[[_Part], Coroutine[Any, Any, None]]) -> _Part:
        """Do all of `work` at once until the time is over."""
        found = _Part(name)
        begin = time.monotonic()
        self.end = begin + seconds
        async with anyio.create_task_group() as group:
            for one in work:
                group.start_soon(one, found)
        found.seconds = time.monotonic() - begin
        return found

    def steady(self, kind: _Kind) -> Callable[[_Part], Coroutine[Any, Any, None]]:
        """One client that sends one request after the other."""

        async def work(part: _Part) -> None:
            async with self.client() as client:
                while time.monotonic() < self.end:
                    await self._one(part, client, kind)

        return work

    async def mixed(self, part: _Part) -> None:
        """One client after the other, each with some requests of all kinds."""
        weights = [kind.weight for kind in _MIXED]
        while time.monotonic() < self.end:
            async with self.client() as client:
                for kind in self.draw.choices(_MIXED, weights, k=20):
                    if time.monotonic() < self.end:
                        await self._one(part, client, kind, faults=True)

    async def _one(self, part: _Part, client: Client, kind: _Kind, *, faults: bool = False) -> None:
        begin = time.monotonic()
        try:
            with anyio.fail_after(_IN_TIME):
                answer = (await client.call_tool(kind.tool, kind.arguments)).structured_content
        except TimeoutError:
            part.hangs += 1
            return
        except Exception as e:
            part.lost += 1
            part.wrong.append(f"{kind.name}: {type(e).__name__}: {e}")
            return
        part.times.append(time.monotonic() - begin)
        assert answer is not None
        code = answer["findings"][0]["code"] if answer["findings"] else answer["status"]
        part.answers[f"{kind.name}: {code}"] += 1
        if not kind.right(answer) and not (faults and code in _MAY_COME):
            part.wrong.append(f"{kind.name}: {code}: {answer['findings'][:1]}"[:400])

    async def killer(self, part: _Part) -> None:
        """Kill workers."""
        while time.monotonic() < self.end:
            await anyio.sleep(_KILL_EVERY)
            workers = machine.children(self.pid)
            children = [child for worker in workers for child in machine.children(worker)]
            with suppress(ProcessLookupError):
                if workers and self.draw.random() < 0.2:
                    os.killpg(self.draw.choice(workers), signal.SIGKILL)
                    part.faults["workers killed"] += 1
                elif children:
                    os.kill(self.draw.choice(children), signal.SIGKILL)
                    part.faults["children killed"] += 1

    async def leaver(self, part: _Part) -> None:
        """Clients that go in the middle of a request."""
        while time.monotonic() < self.end:
            with anyio.move_on_after(self.draw.uniform(0.01, 0.3)):
                async with self.client() as client:
                    await client.call_tool("simulate", {"ptx": _ENDLESS})
            part.faults["clients gone"] += 1
            await anyio.sleep(0.5)

    async def slow(self, part: _Part) -> None:
        """A client that reads an answer in small pieces, with pauses."""
        meta = {"protocolVersion": "2026-07-28", "clientCapabilities": dict[str, Any]()}
        params = {
            "name": "check",
            "arguments": {"ptx": _KERNEL.replace("ret;", "bad;\n" * 100)},
            "_meta": {f"io.modelcontextprotocol/{name}": value for name, value in meta.items()},
        }
        body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
        headers = {
            "Authorization": f"Bearer {_TOKEN}",
            "Accept": "application/json, text/event-stream",
            "MCP-Protocol-Version": "2026-07-28",
            "Mcp-Method": "tools/call",
            "Mcp-Name": "check",
        }
        while time.monotonic() < self.end:
            got = b""
            async with (
                httpx2.AsyncClient(timeout=_IN_TIME) as http,
                http.stream("POST", self.url, json=body, headers=headers) as answer,
            ):
                async for piece in answer.aiter_raw(2048):
                    got += piece
                    await anyio.sleep(0.01)
            part.faults["slow readers"] += 1
            if json.loads(got)["result"]["structuredContent"]["tool"] != "check":
                part.wrong.append("slow reader")


@contextmanager
def _server(workers: int) -> Generator[tuple[str, int]]:
    """A server, and its process."""
    words = [
        sys.executable,
        "-m",
        "ptxlab",
        "mcp",
        "--http",
        "--port",
        "0",
        "--python",
        "--workers",
        str(workers),
        *_LIMITS,
    ]
    process = subprocess.Popen(words, stderr=subprocess.PIPE, text=True, env={**os.environ, VARIABLE: _TOKEN})
    try:
        assert process.stderr is not None
        said = process.stderr.readline()
        if not said.startswith("ptxlab mcp: "):
            raise Diagnostic("PTX2606", f"The server has not started: {said.strip()}.")
        yield said.split()[-1], process.pid
    finally:
        process.terminate()
        process.wait(30)


async def _measured(run: _Run, seconds: float) -> tuple[list[_Part], list[dict[str, Any]]]:
    """All parts, and the memory behind each of them."""
    parts: list[_Part] = []
    memory: list[dict[str, Any]] = []

    async def add(name: str, share: float, *work: Callable[[_Part], Coroutine[Any, Any, None]]) -> None:
        parts.append(await run.part(name, seconds * share, *work))
        memory.append({"after": name, **_memory(run.pid)})

    async with run.client() as client:
        for kind in (*_STEADY, _PYTHON_KERNEL):  # all workers have started, and all code is compiled
            for _ in range(4):
                await client.call_tool(kind.tool, kind.arguments)
    memory.append({"after": "start", **_memory(run.pid)})
    for kind in _STEADY:
        await add(kind.name, 0.3 / len(_STEADY), *[run.steady(kind)] * run.clients)
    faults = (run.killer, run.leaver, run.slow)
    await add("faults, first half", 0.35, *[run.mixed] * run.clients, *faults)
    await add("faults, second half", 0.35, *[run.mixed] * run.clients, *faults)
    return parts, memory


def _memory(pid: int) -> dict[str, Any]:
    """Resident memory in MiB."""
    started = machine.children(pid)
    workers = [machine.resident(p) for p in (*started, *(child for p in started for child in machine.children(p)))]
    return {"server_mib": machine.resident(pid), "workers": len(workers), "largest_worker_mib": max(workers, default=0)}


def main(seconds: float, workers: int, clients: int, record: Path | None = None, console: Console | None = None) -> int:
    """Print a table, and append it to `record`.

    Returns: 1 where a request was lost, hung or got a wrong answer, else 0.
    """
    console = console or terminal.console()
    with _server(workers) as (url, pid):
        parts, memory = anyio.run(_measured, _Run(url, pid, clients), seconds)
    table = Table()
    heads = ("part", "seconds", "requests", "per_second", "p50_ms", "p99_ms", "lost", "hangs", "wrong")
    for head in heads:
        table.add_column(head.replace("_", " "))
    for part in parts:
        table.add_row(*(str(part.row[head]) for head in heads))
    console.print(table)
    for at in memory:
        console.print(", ".join(f"{name} {value}" for name, value in at.items()), highlight=False)
    for words in [w for part in parts for w in part.wrong][:10]:
        console.print(words, highlight=False, markup=False)
    if record is not None:
        row = {"workers": workers, "clients": clients, "parts": [part.row for part in parts], "memory": memory}
        records.append(record, {"bench": "mcp", "date": machine.today(), **machine.cpu(), **row})
    return int(any(part.lost or part.hangs or part.wrong for part in parts))
