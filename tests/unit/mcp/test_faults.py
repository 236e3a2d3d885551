"""Workers that die, queues that are full, clients that go: each request has one answer, and the next one, too."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator

import pytest
from driven import (
    COUNTED,
    DOUBLE,
    RACE,
    WORDS,
    WORDS64,
    Driven,
    alive,
    children,
    code,
    connected,
    environment,
    eventually,
    folders,
    over_stdio,
    serving,
)


def kill_group(pid: int) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.killpg(os.getpgid(pid), signal.SIGKILL)


@pytest.mark.parametrize("what", ["process", "group"])
def test_a_worker_that_is_killed_in_the_middle(server: Driven, what: str) -> None:
    running, pid = server.sleeping(100)
    if what == "group":
        kill_group(pid)
    else:
        os.kill(pid, signal.SIGKILL)
    answer = running.result(30).structured_content
    assert answer["findings"][0]["message"] == "The worker was ended by signal SIGKILL."
    assert code(server.call("simulate", ptx=RACE, args=WORDS64)) == "PTX9200"
    assert server.call("simulate", python=DOUBLE, args=[COUNTED])["status"] == "clean"


@pytest.mark.parametrize("what", ["children", "workers"])
def test_processes_that_are_killed_while_they_have_nothing_to_do(server: Driven, what: str) -> None:
    assert code(server.call("simulate", ptx=RACE, args=WORDS64)) == "PTX9200"
    for pid in server.working():
        os.kill(pid, signal.SIGKILL)
    for pid in server.workers() if what == "workers" else ():
        kill_group(pid)
    time.sleep(0.2)
    assert code(server.call("simulate", ptx=RACE, args=WORDS64)) == "PTX9200"


def test_a_request_that_is_cancelled(server: Driven) -> None:
    lost, pid = server.sleeping(100)
    lost.cancel()
    assert eventually(lambda: not alive({pid}), 3)
    assert server.call("check", ptx=RACE)["status"] == "clean"


def test_a_full_queue_is_said_at_once() -> None:
    with over_stdio("--workers", "1", "--queue", "1", "--wait", "1", "--time", "30") as driven:
        running, _ = driven.sleeping(3)
        waiting = driven.begin("check", ptx=RACE)
        time.sleep(0.2)
        begin = time.monotonic()
        busy = driven.call("check", ptx=RACE)
        assert time.monotonic() - begin < 0.5
        assert (code(busy), busy["status"]) == ("PTX2603", "refused")
        assert busy["findings"][0]["message"] == "All 1 workers are busy, and 1 requests wait."
        late = waiting.result(30).structured_content
        assert late["findings"][0]["message"] == "The request has waited for 1 seconds."
        assert driven.call("version")["status"] == "clean"  # needs no worker
        assert running.result(30).structured_content["status"] == "clean"
        assert driven.call("check", ptx=RACE)["status"] == "clean"


@pytest.fixture
def _no_folders() -> Iterator[None]:
    before = folders()
    yield
    assert eventually(lambda: folders() <= before)


@pytest.mark.usefixtures("_no_folders")
def test_sigterm_leaves_time_to_answer() -> None:
    with (
        serving("--workers", "1", "--grace", "8", "--python") as (server, url, token),
        connected(url, server.pid, token) as driven,
    ):
        soon, _ = driven.sleeping(2)
        queued = driven.begin("check", ptx=RACE)
        time.sleep(0.2)
        pids = driven.workers()
        server.send_signal(signal.SIGTERM)
        assert code(queued.result(20).structured_content) == "PTX2609"
        assert soon.result(20).structured_content["status"] == "clean"
        assert server.wait(20) == 0
        assert not alive(pids)


@pytest.mark.usefixtures("_no_folders")
def test_sigint_ends_a_request_that_takes_too_long() -> None:
    with (
        serving("--workers", "1", "--grace", "0.2", "--python") as (server, url, token),
        connected(url, server.pid, token) as driven,
    ):
        late, _ = driven.sleeping(100)
        pids = driven.workers()
        server.send_signal(signal.SIGINT)
        assert code(late.result(20).structured_content) == "PTX2609"
        assert server.wait(20) == 0
        assert not alive(pids)


@pytest.mark.usefixtures("_no_folders")
def test_sigterm_over_standard_output() -> None:
    server = started("--workers", "1", "--grace", "0.2")
    assert server.stdin is not None
    server.stdin.write(called(1, "check", python="import time; time.sleep(100)"))
    server.stdin.flush()
    assert eventually(lambda: len(children(server.pid)) >= 3)
    pids = children(server.pid)
    server.terminate()
    assert server.stdout is not None
    answers = [json.loads(line) for line in server.stdout.read().splitlines()]
    assert code(answers[-1]["result"]["structuredContent"]) == "PTX2609"
    assert server.wait(20) == 0
    assert not alive(pids)


INITIALIZE = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}
SCRIPT = [
    {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": INITIALIZE},
    {"jsonrpc": "2.0", "method": "notifications/initialized"},
]


def started(*options: str) -> subprocess.Popen[bytes]:
    """A server over standard input and output, spoken to by hand."""
    server = subprocess.Popen(
        [*WORDS, *options], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment()
    )
    assert server.stdin is not None
    server.stdin.write(b"".join(json.dumps(m).encode() + b"\n" for m in SCRIPT))
    server.stdin.flush()
    return server


def called(number: int, name: str, **arguments: object) -> bytes:
    params = {"name": name, "arguments": arguments}
    return json.dumps({"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": params}).encode() + b"\n"


@pytest.mark.usefixtures("_no_folders")
def test_answers_come_after_the_end_of_input() -> None:
    """`printf … | ptxlab mcp`: what has been asked is answered. What is no message is said; a line without an end is the end."""
    server = started("--workers", "1")
    broken = [b"{\n", b"\xff\n", b"[" * 1_000_000 + b"\n", b'{"jsonrpc": "2.0", "id": 7, "method": "tools/call"}\n']
    asked = called(1, "check", ptx=RACE) + called(2, "version")
    out, err = server.communicate(b"".join(broken) + asked + b"x" * ((32 << 20) + 1), timeout=60)
    answers = {m["id"]: m for m in map(json.loads, out.splitlines())}
    assert set(answers) == {None, 0, 1, 2, 7}
    assert answers[None]["error"]["code"] == -32700
    assert answers[1]["result"]["structuredContent"]["status"] == "clean"
    assert "error" in answers[7]
    assert (server.returncode, b"Traceback" in err, b"error[PTX2504]" in err) == (0, False, True)


@pytest.mark.usefixtures("_no_folders")
def test_a_client_that_dies_ends_the_server_and_its_workers() -> None:
    server = started("--workers", "1")
    assert server.stdin is not None
    assert server.stdout is not None
    server.stdin.write(called(1, "check", python="import time; time.sleep(100)"))
    server.stdin.flush()
    assert server.stdout.readline()
    assert eventually(lambda: len(children(server.pid)) >= 3)
    pids = children(server.pid)
    server.stdin.close()
    server.stdout.close()
    assert server.wait(20) == 0
    assert not alive(pids)


def test_a_server_that_is_killed_leaves_no_processes() -> None:
    before = folders()
    server = started("--workers", "1")
    assert eventually(lambda: children(server.pid))
    pids = children(server.pid)
    server.kill()
    server.wait()
    assert eventually(lambda: not alive(pids))
    for name in folders() - before:  # SIGKILL leaves no time to remove it
        shutil.rmtree(f"{tempfile.gettempdir()}/{name}", ignore_errors=True)


def test_without_the_sdk_the_way_out_is_said() -> None:
    script = "import sys; sys.modules['mcp'] = None; from ptxlab.cli import main; sys.argv = ['ptxlab', 'mcp']; main()"
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, env=environment(), check=False
    )
    assert done.returncode == 1
    assert "error[PTX2600]" in done.stderr
    assert "pip install 'ptxlab[mcp]'" in done.stderr
