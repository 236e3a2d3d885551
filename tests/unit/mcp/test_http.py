"""HTTP: who is let in, and what is not a request."""

from __future__ import annotations

import json
import subprocess

import anyio
import httpx2
import pytest
from driven import DOUBLE, RACE, TOKEN, WORDS, Driven, address, alive, code, connected, environment, eventually, serving

PING = {"jsonrpc": "2.0", "id": 1, "method": "ping"}


def post(url: str, token: str | None = TOKEN, content: bytes | None = None, **headers: str) -> httpx2.Response:
    """A request by hand."""
    sent = {"Accept": "application/json, text/event-stream", "Content-Type": "application/json", **headers}
    if token is not None:
        sent["Authorization"] = f"Bearer {token}"
    body = json.dumps(PING).encode() if content is None else content
    return httpx2.post(url, content=body, headers=sent, timeout=30)


@pytest.fixture(scope="module")
def url(http: Driven) -> str:
    found = address(http.pid)
    assert found.startswith("http://127.0.0.1:")  # the loopback address alone
    return found


@pytest.mark.parametrize("token", [None, "wrong", TOKEN + "x", TOKEN[:-1], "ä"])
def test_without_the_token(url: str, token: str | None) -> None:
    headers = {} if token is None else {"Authorization": f"Bearer {token}".encode()}
    answer = httpx2.post(url, json=PING, headers=headers, timeout=30)  # type: ignore[arg-type]
    assert answer.status_code == 401
    assert answer.headers["www-authenticate"].startswith("Bearer")
    assert post(url).status_code == 200


def test_a_client_of_the_sdk_with_a_wrong_token(http: Driven, url: str) -> None:
    with (
        pytest.raises(BaseException, match=r"401|Unauthorized|closed|error") as raised,
        connected(url, http.pid, "wrong"),
    ):
        pass
    assert not isinstance(raised.value, TimeoutError)


def test_names_of_other_hosts_and_origins(url: str) -> None:
    assert post(url, Host="evil.example").status_code == 421
    assert post(url, Origin="http://evil.example").status_code == 403
    assert post(url, Origin="http://127.0.0.1:1234").status_code == 200


BODIES: dict[str, tuple[bytes, int]] = {
    "no JSON": (b"{", 400),
    "not UTF-8": (b"\xff\xfe", 400),
    "a million brackets": (b"[" * 1_000_000, 400),
    "a million braces": (b'{"a":' * 1_000_000, 400),
    "no request": (b"[1, 2]", 400),
    "not a number": (b'{"jsonrpc": "2.0", "id": 1, "method": "ping", "params": {"a": NaN}}', 200),
    "large": (b" " * ((32 << 20) + 1), 413),
}


@pytest.mark.parametrize("name", BODIES)
def test_bodies_that_are_no_requests(url: str, name: str) -> None:
    content, status = BODIES[name]
    assert post(url, content=content).status_code in (status, 400)
    assert post(url).status_code == 200


def test_a_token_is_made_and_said_once() -> None:
    with serving("--workers", "1", token="") as (server, url, token):
        assert len(token) == 43
        assert post(url, token).status_code == 200
        assert post(url, TOKEN).status_code == 401
        with connected(url, server.pid, token) as driven:
            assert driven.call("version")["limits"]["python"] is False  # unless it is asked for
            assert code(driven.call("check", python=DOUBLE)) == "PTX2608"
        status, words = refused("--port", url.split(":")[2].split("/")[0])
        assert (status, "error[PTX2501]" in words) == (2, True)
        server.terminate()
        assert server.stderr is not None
        assert token not in server.stderr.read()


def test_a_token_that_is_too_short() -> None:
    status, words = refused(PTXLAB_MCP_TOKEN="short")
    assert (status, "error[PTX2501]" in words) == (2, True)


def refused(*options: str, **more: str) -> tuple[int, str]:
    """Status and words of a server that does not start."""
    words = [*WORDS, "--http", *options]
    done = subprocess.run(words, capture_output=True, text=True, env=environment(**more), check=False)
    return done.returncode, done.stderr


def test_a_client_that_is_gone_ends_its_worker(http: Driven, url: str) -> None:
    with connected(url, http.pid) as other:
        lost, pid = other.sleeping(100)
        lost.cancel()
    assert eventually(lambda: not alive({pid}), 3)
    assert http.call("check", ptx=RACE)["status"] == "clean"


def test_a_client_that_reads_slowly(http: Driven, url: str) -> None:
    """It gets all of its answer, and others are answered meanwhile."""
    arguments = {"ptx": RACE.replace("ret;", "bad;\n" * 40)}
    asked = {"name": "check", "arguments": arguments, "_meta": {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {},
    }}  # fmt: skip
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": asked}).encode()
    headers = {
        "Authorization": f"Bearer {TOKEN}", "Accept": "application/json, text/event-stream", "Content-Type": "application/json",
        "MCP-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/call", "Mcp-Name": "check",
    }  # fmt: skip

    async def slow() -> bytes:
        got = b""
        async with (
            httpx2.AsyncClient(timeout=30) as client,
            client.stream("POST", url, content=body, headers=headers) as answer,
        ):
            async for piece in answer.aiter_raw(4096):
                got += piece
                await anyio.sleep(0.02)
        return got

    reading = http.portal.start_task_soon(slow)
    assert http.call("check", ptx=RACE)["status"] == "clean"
    assert json.loads(reading.result(30))["result"]["structuredContent"]["count"] == 40
