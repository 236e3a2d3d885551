"""A worker: `python -m ptxlab.mcp.worker ORDERS` is started by the server, which sends it one request after the other.

It keeps itself to its folders, and hands requests to children that it forks, which refuse themselves system calls and work on
them. So a new process costs milliseconds, and what happens to it does not happen to the worker. A request with Python has a child
of its own.
"""

from __future__ import annotations

import contextlib
import gc
import io
import json
import os
import resource
import shutil
import signal
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
from ptxlab.mcp.wire import STATUS, Orders, receive, send

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
"""Requests after which a child is replaced, so that what it keeps of each does not add up."""


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
    """Hand requests to children until the server closes the pipe."""
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
    files = isolation.keep_to(
        writable=[folder, *(() if orders.python else cache)],
        readable=[*isolation.libraries(), *(cache if orders.python else ())],
    )
    context = Context(orders.limits, {"files": files, "system calls": _refused_calls()})
    for request in _WARMING:
        _answered(request, context)
    gc.collect()
    gc.freeze()  # so that collections look at what requests leave alone, and children share the rest
    send(answers, json.dumps(dict(context.isolation)).encode())
    return _served(requests, answers, orders, context)


def _served(requests: BinaryIO, answers: BinaryIO, orders: Orders, context: Context) -> int:
    """Each request has one answer, or the exit status of the child that had none. SIGUSR1 ends the child that works."""
    child: Child | None = None
    working = False

    def interrupt(*_: object) -> None:
        if working and child is not None:
            os.kill(child.pid, signal.SIGKILL)

    signal.signal(signal.SIGUSR1, interrupt)
    while (frame := receive(requests)) is not None:
        if child is not None and child.gone:  # somebody has killed it while it had nothing to do
            child.end()
            child = None
        child = child or Child(orders, context, (requests, answers))
        working = True
        answer = child.ask(frame[0])
        working = False
        status = 0
        if answer is None or answer[1] or orders.python:
            status = child.end()
            child = None
        if answer is None:
            send(answers, STATUS.pack(status), flag=True)
        else:
            send(answers, answer[0])
    return 0


class Child:
    """A process that is forked to work on requests: on many, or where they have Python, on one.

    Its origin has never worked on a request, so that it begins as if nobody had asked anything before.
    """

    def __init__(self, orders: Orders, context: Context, pipes: tuple[BinaryIO, BinaryIO]) -> None:
        self._most = context.limits.answer
        self._folder = Path(tempfile.mkdtemp(dir=orders.folder))
        taken, asked = os.pipe()
        answered, given = os.pipe()
        self.pid = os.fork()
        if not self.pid:
            try:
                isolation.die_with(os.getppid())
                for handle in (asked, answered, *(pipe.fileno() for pipe in pipes)):
                    os.close(handle)
                os.chdir(self._folder)
                isolation.refuse_calls(metadata=orders.python)
                _work(os.fdopen(taken, "rb"), os.fdopen(given, "wb"), context, once=orders.python)
            finally:
                os._exit(0)
        os.close(taken)
        os.close(given)
        self._requests, self._answers = os.fdopen(asked, "wb"), os.fdopen(answered, "rb")

    @property
    def gone(self) -> bool:
        """Whether it has ended."""
        return os.waitid(os.P_PID, self.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None

    def ask(self, request: bytes) -> tuple[bytes, bool] | None:
        """Its answer, and whether it takes no more; None where there is none, or one that is too long."""
        try:
            send(self._requests, request)
        except BrokenPipeError:
            return None
        return receive(self._answers, self._most)

    def end(self) -> int:
        """End it, and remove its folder. Returns: its exit status, negative for a signal."""
        with contextlib.suppress(BrokenPipeError):
            self._requests.close()  # which lets one that waits for requests end by itself
        self._answers.close()
        ended, status = os.waitpid(self.pid, os.WNOHANG)
        if not ended:
            with contextlib.suppress(ProcessLookupError):
                os.kill(self.pid, signal.SIGKILL)
            _, status = os.waitpid(self.pid, 0)
        shutil.rmtree(self._folder, ignore_errors=True)
        return os.waitstatus_to_exitcode(status)


def _work(requests: BinaryIO, answers: BinaryIO, context: Context, *, once: bool) -> None:
    """What a child does."""
    served, last = 0, False
    while not last and (frame := receive(requests)) is not None:
        served += 1
        isolation.allow_cpu(context.limits.cpu, once=once)
        data, failed = _worked_on(frame[0], context)
        used = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
        last = once or failed or served >= _WORN or used > context.limits.memory // 2
        send(answers, data, flag=last)


def _refused_calls() -> str:
    """What refuses system calls of children: tried in one."""
    child = os.fork()
    if not child:
        os._exit(isolation.refuse_calls(metadata=True) == isolation.NONE)
    return "seccomp" if not os.waitpid(child, 0)[1] else isolation.NONE


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
