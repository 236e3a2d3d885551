"""The server over the SDK's streamable HTTP, on the loopback address, for who has the token."""

from __future__ import annotations

import os
import secrets
import socket
import sys
from contextlib import AbstractContextManager, nullcontext
from typing import Final

import anyio
import uvicorn
from mcp.server.auth.provider import AccessToken
from mcp.server.auth.settings import AuthSettings
from pydantic import AnyHttpUrl

from ptxlab.diag import Diagnostic
from ptxlab.mcp.limits import REQUEST, Limits
from ptxlab.mcp.pool import Pool
from ptxlab.mcp.server import served

VARIABLE: Final = "PTXLAB_MCP_TOKEN"
_HOST: Final = "127.0.0.1"
_SHORTEST: Final = 16
"""Characters of a token."""
_CONNECTIONS: Final = 64
"""Connections beyond those of requests that run or wait; further ones are answered 503."""


class _Token:
    """Knows the one token that is right."""

    def __init__(self, token: str) -> None:
        self._token = token.encode()

    async def verify_token(self, token: str) -> AccessToken | None:
        """Who has it is let in."""
        if not secrets.compare_digest(token.encode("utf-8", "surrogateescape"), self._token):
            return None
        return AccessToken(token=token, client_id="ptxlab", scopes=[])


class _Server(uvicorn.Server):
    """uvicorn's, which leaves signals to the pool."""

    def capture_signals(self) -> AbstractContextManager[None]:  # pyright: ignore[reportIncompatibleMethodOverride]
        """Around all that it does."""
        return nullcontext()

    def stop(self) -> None:
        """Take no more connections, and return when those that there are have their answers."""
        self.should_exit = True


async def serve(limits: Limits, port: int) -> None:
    """Serve until SIGTERM or SIGINT. Raises: Diagnostic PTX2501 for a port that is taken, or a token that is too short."""
    token = os.environ.pop(VARIABLE, "")
    if token and len(token) < _SHORTEST:
        raise Diagnostic(
            "PTX2501", f"{VARIABLE} has fewer than {_SHORTEST} characters.", help="leave it out: one is made"
        )
    made = token or secrets.token_urlsafe(32)
    try:
        listening = socket.create_server((_HOST, port), backlog=_CONNECTIONS)
    except (OSError, OverflowError) as e:
        raise Diagnostic(
            "PTX2501", f"--port {port}: {getattr(e, 'strerror', None) or e}.", help="name another, or 0"
        ) from None
    pool = Pool(limits)
    url = f"http://{_HOST}:{listening.getsockname()[1]}"
    app = served(
        pool
    ).streamable_http_app(
        stateless_http=True,  # no request needs what another one has left behind, and a client that is gone leaves nothing
        max_request_body_size=REQUEST,
        host=_HOST,  # so that the headers Host and Origin have to be of this machine
        auth=AuthSettings(issuer_url=AnyHttpUrl(url), resource_server_url=None, required_scopes=[]),
        token_verifier=_Token(made),
    )
    config = uvicorn.Config(
        app,
        log_level="error",
        access_log=False,
        limit_concurrency=limits.workers + limits.queue + _CONNECTIONS,
        timeout_graceful_shutdown=5,
    )
    server = _Server(config)
    with listening:
        async with anyio.create_task_group() as group:
            await group.start(pool.stop_at_signals, server.stop)
            async with pool.open():
                print(f"ptxlab mcp: {url}/mcp", file=sys.stderr)
                if not token:
                    print(f"token: {made}", file=sys.stderr)
                sys.stderr.flush()
                await server.serve(sockets=[listening])
            group.cancel_scope.cancel()
