"""Streams that are closed, full, or lack characters: one line each, a status, and no traceback."""

from __future__ import annotations

import os
import signal
import struct
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from processes import PTX, environment, shell

linux = pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full")
FULL = "Standard output cannot be written: No space left on device."
CLOSED = "Standard output cannot be written: Bad file descriptor."
RUN = "ptxlab run k.ptx --block 32 --arg a=zeros:u32:32"
PRINTING = [
    "ptxlab --help",
    "ptxlab --version",
    "ptxlab run --help",
    "ptxlab check k.ptx",
    "ptxlab check k.ptx --format json",
    "ptxlab fmt k.ptx",
    "ptxlab to-python k.ptx",
    "ptxlab explain cp.async",
    "ptxlab tensormap encode --dtype bf16 --dims 64x64 --box 64x64",
    "ptxlab tensormap encode --dtype bf16 --dims 64x64 --box 64x64 --explain",
    "ptxlab doctor",
    RUN,
]


@pytest.fixture(autouse=True)
def _file(tmp_path: Path) -> None:
    (tmp_path / "k.ptx").write_text(PTX, encoding="utf-8")


@linux
@pytest.mark.parametrize("line", PRINTING)
@pytest.mark.parametrize(("where", "words"), [("> /dev/full", FULL), (">&-", CLOSED)], ids=["full", "closed"])
def test_output_that_cannot_be_written(tmp_path: Path, line: str, where: str, words: str) -> None:
    done = shell(f"{line} {where}", tmp_path)
    assert done.returncode == 1
    assert done.stderr == f"error[PTX2500] file: {words}\n   = help: write to another place\n\n"


@linux
@pytest.mark.parametrize("where", ["2>&-", "2> /dev/full", ">&- 2>&-"])
def test_errors_that_cannot_be_written_leave_the_status(tmp_path: Path, where: str) -> None:
    for line, status in (("ptxlab check none.ptx", 1), ("ptxlab check --target sm_1 k.ptx", 2), ("ptxlab no", 2)):
        done = shell(f"{line} {where}", tmp_path)
        assert (done.returncode, done.stdout, done.stderr) == (status, "", ""), line


def test_input_that_is_closed(tmp_path: Path) -> None:
    done = shell("ptxlab check - <&-", tmp_path)
    assert done.returncode == 1
    assert "Standard input cannot be read: Bad file descriptor." in done.stderr
    assert shell("ptxlab check k.ptx <&-", tmp_path).returncode == 0


def test_a_file_does_not_become_a_closed_output(tmp_path: Path) -> None:
    shell(f"{RUN} --out a=a.npy >&- 2>&-", tmp_path)
    assert np.load(tmp_path / "a.npy").tolist() == [31, *[0] * 31]


@linux
@pytest.mark.parametrize(
    "line",
    [
        "ptxlab to-python k.ptx --out /dev/full",
        "ptxlab tensormap encode --dtype bf16 --dims 64x64 --box 64x64 --out /dev/full",
        "ptxlab bench check k.ptx --rounds 1 --record /dev/full",
    ],
)
def test_files_on_a_full_disk(tmp_path: Path, line: str) -> None:
    done = shell(line, tmp_path)
    assert done.returncode == 1
    assert "error[PTX2500] file: /dev/full cannot be written: No space left on device." in done.stderr
    assert done.stderr.count("error[") == 1
    assert "Traceback" not in done.stderr


SMALL = "ulimit -f 1; trap '' XFSZ; "
"""No file may grow beyond 1 KiB: a disk that is nearly full."""


@pytest.mark.parametrize(
    ("line", "file"),
    [
        ("ptxlab run k.ptx --block 1 --arg a=zeros:u32:9999 --out a=out.npy", "out.npy"),
        (f"{RUN} --trace out.json --grid 40", "out.json"),
        (f"{RUN} --trace out.png", "out.png"),
        ("ptxlab to-python long.ptx --out out.py", "out.py"),
        ("ptxlab fmt --in-place long.ptx", "long.ptx"),
        ("ptxlab bench check k.ptx --rounds 1 --record out.jsonl", "out.jsonl"),
    ],
)
def test_nothing_is_half_written(tmp_path: Path, line: str, file: str) -> None:
    (tmp_path / "long.ptx").write_text(
        PTX.replace("  ret;", "  mov.u32 %r2, %r1 ;\n" * 99 + "  ret;"), encoding="utf-8"
    )
    older = (
        (tmp_path / file).read_bytes() if (tmp_path / file).exists() else b"older\n" * (170 if "jsonl" in file else 1)
    )
    (tmp_path / file).write_bytes(older)
    env = environment(PTXLAB_CACHE_DIR=str(tmp_path / "cache"), PYTHONDONTWRITEBYTECODE="1", PTXLAB_SANITIZE="0")
    shell(line.replace(file, "warm" + file), tmp_path, env)  # what is compiled once, on a disk with room
    for left in tmp_path.glob("warm*"):
        left.unlink()
    before = sorted(p.name for p in tmp_path.iterdir())
    done = shell(SMALL + line, tmp_path, env)
    assert done.returncode == 1, done.stdout + done.stderr
    assert "error[PTX2500]" in done.stderr
    assert "Traceback" not in done.stderr
    assert (tmp_path / file).read_bytes() == older
    assert sorted(p.name for p in tmp_path.iterdir()) == before


def test_an_output_without_our_characters(tmp_path: Path) -> None:
    env = environment(PYTHONIOENCODING="ascii")
    for line in ("ptxlab doctor", "ptxlab run --help", f"{RUN} --out a=a.npy --stats", "ptxlab check none.ptx"):
        done = shell(line, tmp_path, env)
        assert "Traceback" not in done.stderr, line
        assert (done.stdout + done.stderr).isascii(), line
    assert "a -> a.npy (uint32 32)" in shell(f"{RUN} --out a=a.npy", tmp_path, env).stdout


def test_a_document_is_utf_8_whatever_the_terminal_is(tmp_path: Path) -> None:
    env = environment(PYTHONIOENCODING="ascii", LC_ALL="C")
    assert "// größer" in shell("ptxlab fmt k.ptx", tmp_path, env).stdout


def test_the_demo_in_ascii(tmp_path: Path) -> None:
    code = """
import sys
from pathlib import Path
from ptxlab.commands import demo
from ptxlab.commands.shell import prepare_streams, status_of
prepare_streams()
demo.cases = demo.further.further = demo.packed.shown = lambda: ()
demo.pictures = lambda outcomes, out: []
sys.exit(status_of(lambda: demo.main(demo.Options(out=Path("out")))))
"""
    env = environment(PYTHONIOENCODING="ascii")
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, env=env, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert 'all 0 verdicts "equal"' in done.stdout


def test_a_reader_that_stops(tmp_path: Path) -> None:
    (tmp_path / "long.ptx").write_text(
        PTX.replace("  ret;", "  mov.u32 %r2, %r1;\n" * 20000 + "  ret;"), encoding="utf-8"
    )
    done = shell("ptxlab fmt long.ptx | head -n 1 > /dev/null; exit ${PIPESTATUS[0]}", tmp_path)
    assert (done.returncode, done.stderr) == (141, "")


def test_an_interrupt(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.ptx")
    child = subprocess.Popen(
        [sys.executable, "-m", "ptxlab", "check", "pipe.ptx"],
        cwd=tmp_path,
        env=environment(),
        stderr=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    with open(tmp_path / "pipe.ptx", "wb"):  # the command has begun to read, and waits for more
        time.sleep(0.2)
        child.send_signal(signal.SIGINT)
        out, wrong = child.communicate(timeout=60)
    assert (child.returncode, out, wrong) == (130, b"", b"interrupted\n")


def on_terminal(folder: Path, columns: int, env: dict[str, str], *words: str) -> str:
    """What a command writes on a terminal of so many columns."""
    import fcntl
    import pty
    import termios

    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    child = subprocess.Popen(
        [sys.executable, "-m", "ptxlab", *words], cwd=folder, env=env, stdin=theirs, stdout=theirs, stderr=theirs
    )
    os.close(theirs)
    out = b""
    while True:
        try:
            piece = os.read(ours, 1 << 16)
        except OSError:  # the terminal's other end is closed
            break
        if not piece:
            break
        out += piece
    os.close(ours)
    child.wait(timeout=60)
    return out.decode().replace("\r\n", "\n")


COLOURED = [
    ["--help"],
    ["no-such-command"],
    ["check", "none.ptx"],
    ["doctor"],
    ["tensormap", "encode", "--dtype", "bf16", "--dims", "64x64", "--box", "64x64", "--explain"],
    ["run", "k.ptx", "--block", "32", "--arg", "a=zeros:u32:32", "--stats"],
]


@pytest.mark.parametrize("words", COLOURED, ids=lambda w: " ".join(w[:2]))
def test_no_color_means_no_escape_codes(tmp_path: Path, words: list[str]) -> None:
    assert "\x1b[" in on_terminal(tmp_path, 100, environment(TERM="xterm"), *words)
    assert "\x1b" not in on_terminal(tmp_path, 100, environment(TERM="xterm", NO_COLOR="1"), *words)


@pytest.mark.parametrize("words", COLOURED[3:], ids=lambda w: " ".join(w[:2]))
def test_tables_become_blocks_on_a_narrow_terminal(tmp_path: Path, words: list[str]) -> None:
    text = on_terminal(tmp_path, 40, environment(TERM="xterm", NO_COLOR="1"), *words)
    assert not set("│┃━┏") & set(text)  # no table
    for heading in {"doctor": "found: ", "tensormap": "says: ", "run": "instruction: "}[words[0]].split("|"):
        assert text.count(f"\n{heading}") >= 1
    if words[0] == "doctor":
        assert all(len(line) <= 40 for line in text.splitlines())
        assert "yes Python\nfound: " in text


def test_help_on_a_narrow_terminal(tmp_path: Path) -> None:
    text = on_terminal(tmp_path, 40, environment(TERM="xterm"), "check", "--help")
    assert "--select CODES" in text
    assert "│" not in text
