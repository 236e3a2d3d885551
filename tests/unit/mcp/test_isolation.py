"""What Python of a request cannot do."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from driven import COUNTED, DOUBLE, Driven, alive

REFUSED = {
    "a socket": "import socket; socket.socket()",
    "a process": "import subprocess; subprocess.run(['/bin/ls'])",
    "a fork": "import os; os.fork()",
    "the server": "import os; os.kill(os.getppid(), 9)",
    "its own group": "import os; os.setsid()",
    "the origin of its process": "import os; open(f'/proc/{os.getppid()}/mem', 'rb')",
    "a file of the system": "open('/etc/passwd')",
    "another folder": "open('/tmp/x', 'w')",
    "the folder of others": "import os; os.listdir('../..')",
    "the cache": "import os; open(os.environ['PTXLAB_CACHE_DIR'] + '/x', 'w')",
    "more processor time": "import resource; resource.setrlimit(resource.RLIMIT_CPU, (1000, 1000))",
    "memory that is shared": "import multiprocessing.shared_memory as m; m.SharedMemory(create=True, size=64)",
    "modes of files": "import os; os.chmod('.', 0o700)",
    "dates of files": "import os; os.utime('.')",
    "the privileges of root": "import os; os.setgroups([0])",
    "large files": "open('x', 'wb').truncate(1 << 30)",
}


@pytest.mark.parametrize("what", REFUSED)
def test_python_cannot_reach(http: Driven, what: str) -> None:
    assert "none" not in http.call("version")["isolation"].values()
    (found,) = http.call("check", python=REFUSED[what])["findings"]
    assert found["code"] in ("PTX2505", "PTX2606")
    assert found["code"] == "PTX2606" or any(
        word in found["message"] for word in ("PermissionError", "not permitted", "not allowed", "too large")
    )


def test_python_has_none_of_the_servers_secrets(http: Driven) -> None:
    source = DOUBLE + "\nimport os\nassert not [n for n in os.environ if 'TOKEN' in n]\n"
    assert http.call("check", python=source)["status"] == "clean"


def test_python_leaves_nothing_for_the_next_request(http: Driven) -> None:
    source = DOUBLE + "\nopen('left', 'w').write('x')\nimport ptxlab.checks\nptxlab.checks.check = None\n"
    before = http.workers()
    http.call("simulate", python=source, args=[COUNTED])
    again = DOUBLE + "\nimport os\nassert not os.path.exists('left')\nassert len(os.listdir('..')) == 1\n"
    assert http.call("simulate", python=again, args=[COUNTED])["status"] == "clean"
    assert http.call("check", python=again)["status"] == "clean"
    assert alive(before) == before


def test_python_cannot_speak_for_others(http: Driven) -> None:
    """A process that writes to all descriptors that it has, and ends, gives a wrong answer to its own request alone."""
    source = "import os\nfor n in range(64):\n    try: os.write(n, b'{}' * 100)\n    except OSError: pass\nos._exit(0)"
    (found,) = http.call("check", python=source)["findings"]
    assert found["code"] == "PTX2606"
    assert http.call("simulate", python=DOUBLE, args=[COUNTED])["status"] == "clean"


def test_workers_are_of_a_group_of_their_own(http: Driven) -> None:
    groups = {os.getpgid(pid) for pid in http.workers()}
    assert os.getpgid(http.pid) not in groups
    assert all("/ptxlab-mcp-" in str(Path(f"/proc/{pid}/cwd").resolve()) for pid in http.workers())
