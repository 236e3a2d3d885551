"""A process that works on requests, one after the other; `python -m ptxlab.mcp.worker ORDERS` is started by the server.

It shuts itself in before it reads its first request. Python of requests is executed in a process that is forked for each of them.
"""

from __future__ import annotations

import contextlib
import gc
import io
import json
import os
import resource
import shutil
import sys
import tempfile
from importlib import import_module
from pathlib import Path
from typing import Any, BinaryIO, Final

from ptxlab.diag import Diagnostic
from ptxlab.mcp import isolation
from ptxlab.mcp.findings import refusal
from ptxlab.mcp.limits import MIB, PRINTED
from ptxlab.mcp.tools import tools
from ptxlab.mcp.tools.tool import Context
from ptxlab.mcp.wire import Orders, ended, receive, send

_USED: Final = (
    "ptxlab.checks",
    "ptxlab.lang.builder",
    "ptxlab.launch.compare",
    "ptxlab.launch.python_file",
    "ptxlab.launch.simulate",
    "ptxlab.memory_model.decision",
    "ptxlab.sim",
)
"""What requests need, imported before the first one comes."""
_KERNEL: Final = """.version 8.0
.target sm_90a
.address_size 64
.visible .entry k() .reqntid 32, 1, 1 { bar.sync 0; ret; }
"""
_WARMING: Final = (
    {"tool": "check", "arguments": {"ptx": _KERNEL}},
    {"tool": "simulate", "arguments": {"ptx": _KERNEL}},
)
"""Requests of its own that a worker begins with: tables are made, and machine code is loaded, before a client waits for them."""
_FEW: Final = 5
"""Findings of an answer that is too large with all of them."""
_WORN: Final = 1000
"""Requests after which a worker is replaced, so that what it keeps of each does not add up."""


class _Printed(io.TextIOBase):
    """Standard output of a request; what is too much is dropped."""

    def __init__(self) -> None:
        self._parts: list[str] = []
        self._room = PRINTED

    def writable(self) -> bool:
        """It is written to."""
        return True

    def write(self, text: str, /) -> int:
        """Keep what there is room for."""
        if self._room > 0:
            self._parts.append(text[: self._room])
            self._room -= len(text)
        return len(text)

    @property
    def text(self) -> str:
        """What was printed."""
        return "".join(self._parts)


def main(words: list[str]) -> int:
    """Work until the server closes the pipe."""
    orders = Orders.of(words[0])
    isolation.die_with(orders.parent)
    requests, answers = _pipes()
    for name in _USED:
        import_module(name)
    for tool in tools().values():
        assert tool.request
    os.chdir(orders.folder)
    isolation.bound(orders.limits)
    folder, cache = Path(orders.folder), [Path(orders.cache)] if orders.cache is not None else []
    held = {
        "files": isolation.keep_to(
            writable=[folder, *(() if orders.python else cache)],
            readable=[*isolation.libraries(), *(cache if orders.python else ())],
        )
    }
    if not orders.python:
        held["system calls"] = isolation.refuse_calls()
    context = Context(orders.limits, held)
    for request in _WARMING:
        _answered(request, context)
    gc.collect()
    gc.freeze()  # so that collections look at what requests leave alone, and forked processes share the rest
    send(answers, json.dumps(held).encode())
    served = 0
    while (request := receive(requests)) is not None:
        served += 1
        if orders.python:
            data, last = _apart(request, context, (requests, answers)), False
        else:
            isolation.allow_cpu(orders.limits.cpu, once=False)
            data, last = _worked_on(request, context)
            used = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
            last = last or served >= _WORN or used > orders.limits.memory // 2
        send(answers, data, last=last)
        if last:
            break
    return 0


def _apart(request: bytes, context: Context, pipes: tuple[BinaryIO, BinaryIO]) -> bytes:
    """The answer of a process that is made for this request alone, and may execute its Python.

    This one is its origin, and has never executed any. What the other one writes is an answer, whatever it says: the server looks
    at it.
    """
    folder = Path(tempfile.mkdtemp(dir=Path.cwd()))
    taken, given = os.pipe()
    child = os.fork()
    if not child:
        try:
            isolation.die_with(os.getppid())
            for pipe in pipes:
                pipe.close()
            os.close(taken)
            os.chdir(folder)
            isolation.refuse_calls()
            isolation.allow_cpu(context.limits.cpu, once=True)
            with open(given, "wb") as stream:
                stream.write(_worked_on(request, context)[0])
        finally:
            os._exit(0)
    os.close(given)
    with open(taken, "rb") as stream:
        data = stream.read(context.limits.answer + 1)
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    shutil.rmtree(folder, ignore_errors=True)
    if not status and data:
        return data
    return _text(refusal(json.loads(request)["tool"], ended(status, context.limits)), context)


def _worked_on(request: bytes, context: Context) -> tuple[bytes, bool]:
    """The answer as bytes, and whether this process should take no more requests."""
    answer, failed = _answered(json.loads(request), context)
    gc.collect()  # parts of a launch refer to each other, and hold much of the address space that is allowed
    return _text(answer, context), failed


def _pipes() -> tuple[BinaryIO, BinaryIO]:
    """The pipes to the server, out of the reach of what prints or reads."""
    requests, answers = os.dup(0), os.dup(1)
    null = os.open(os.devnull, os.O_RDWR)
    os.dup2(null, 0)
    os.dup2(null, 1)
    os.close(null)
    return os.fdopen(requests, "rb"), os.fdopen(answers, "wb")


def _answered(request: dict[str, Any], context: Context) -> tuple[dict[str, Any], bool]:
    """The answer, and whether something went wrong that this process may suffer from."""
    name = request["tool"]
    tool = tools()[name]
    printed = _Printed()
    try:
        with contextlib.redirect_stdout(printed):
            asked = tool.request.model_validate(request["arguments"])
            answer = tool.run(asked, context)
    except MemoryError:
        return _no_memory(name, context), True
    except Diagnostic as d:
        if isinstance(d.__context__, MemoryError) and d.code != "PTX2323":  # which names the array
            return _no_memory(name, context), True
        return refusal(name, d), False
    except (Exception, SystemExit) as e:
        what = f"{type(e).__name__}: {e}" if str(e) else type(e).__name__
        return refusal(name, Diagnostic("PTX2606", f"ptxlab failed: {what}.")), True
    if "printed" in tool.answer.model_fields:
        answer["printed"] = printed.text
    return answer, False


def _no_memory(tool: str, context: Context) -> dict[str, Any]:
    limit = context.limits.memory // MIB
    return refusal(tool, Diagnostic("PTX2605", f"The request needs more than {limit} MiB of memory."))


def _text(answer: dict[str, Any], context: Context) -> bytes:
    """The answer, files without the name of the worker's folder; a refusal where it is too large."""
    most = context.limits.answer
    for fewer in ({}, {"findings": answer.get("findings", [])[:_FEW]}):
        data = json.dumps(answer | fewer).replace(f"{os.getcwd()}{os.sep}", "").encode()
        if len(data) <= most:
            return data
    large = Diagnostic("PTX2607", f"The answer has {len(data):,} bytes; the server allows {most:,}.")
    return json.dumps(refusal(answer["tool"], large)).encode()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
