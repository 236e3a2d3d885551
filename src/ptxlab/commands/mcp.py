"""`ptxlab mcp`: a server of the Model Context Protocol, for agents."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Annotated

import typer

from ptxlab.commands.command import Command
from ptxlab.diag import Diagnostic


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """How clients reach the server, and what it allows them."""

    http: Annotated[
        bool, typer.Option("--http", help="serve HTTP on the loopback address, not standard input and output")
    ] = False
    port: Annotated[int, typer.Option(metavar="N", help="port of HTTP; 0: one that is free", min=0, max=65535)] = 8808
    python: Annotated[
        bool | None,
        typer.Option(
            "--python/--no-python",
            help="execute the Python of requests: kernels in Python, references; default: over standard input and output, where "
            "the system can shut it in",
        ),
    ] = None
    workers: Annotated[int, typer.Option(metavar="N", help="requests that are worked on at a time", min=1, max=256)] = 2
    queue: Annotated[int, typer.Option(metavar="N", help="requests that may wait", min=0, max=10_000)] = 16
    wait: Annotated[float, typer.Option(metavar="SECONDS", help="how long they may wait", min=0)] = 20.0
    time: Annotated[float, typer.Option(metavar="SECONDS", help="how long a request may take", min=0.1)] = 60.0
    cpu: Annotated[int, typer.Option(metavar="SECONDS", help="processor time that it may use", min=1)] = 30
    memory: Annotated[int, typer.Option(metavar="MIB", help="address space of a worker", min=1536)] = 4096
    instructions: Annotated[
        int, typer.Option(metavar="N", help="thread-instructions that a simulation may execute", min=1)
    ] = 1_000_000_000
    answer: Annotated[int, typer.Option(metavar="KIB", help="how large an answer may be", min=16, max=1 << 16)] = 1024
    grace: Annotated[
        float, typer.Option(metavar="SECONDS", help="how long running requests have when the server is stopped", min=0)
    ] = 5.0


def main(options: Options) -> int:
    """Serve until the client goes, or until SIGTERM or SIGINT.

    Returns: 0.

    Raises: Diagnostic PTX2600 without the SDK, PTX2501 for a port or a token that cannot be, PTX2606 where no worker starts.
    """
    try:
        import anyio

        from ptxlab.mcp import http, stdio
    except ImportError as e:
        raise Diagnostic("PTX2600", f"ptxlab mcp needs the package mcp, 2.3 or newer: {e}.") from None
    from ptxlab.mcp.limits import MIB, Limits

    limits = Limits(
        workers=options.workers,
        queue=options.queue,
        wait=options.wait,
        time=options.time,
        cpu=options.cpu,
        memory=options.memory * MIB,
        instructions=options.instructions,
        answer=options.answer << 10,
        grace=options.grace,
        python=False if options.http and options.python is None else options.python,
    )
    anyio.run(partial(http.serve, limits, options.port) if options.http else partial(stdio.serve, limits))
    return 0


COMMAND = Command(
    Options,
    main,
    "docs/how-to/mcp.md has the tools, the configuration of clients, and what is guaranteed. Over HTTP clients need a token: that "
    "of PTXLAB_MCP_TOKEN, or one that is made and written to standard error.",
)
