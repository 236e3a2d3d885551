"""Careless words and files: standard input, endless files, text in the place of a path, what a command imports, completion."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest
from processes import PTX, environment
from typer.testing import CliRunner, Result

import ptxlab as px
from ptxlab import __version__
from ptxlab.cli import COMMANDS, app
from ptxlab.diag import files
from ptxlab.ptx import text


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("k.ptx").write_text(PTX, encoding="utf-8")


def cli(*words: str, stdin: str | bytes | None = None) -> Result:
    done = CliRunner().invoke(app, list(words), input=stdin)
    assert done.exception is None or isinstance(done.exception, SystemExit)
    return done


def test_version() -> None:
    for word in ("--version", "-V"):
        assert cli(word).stdout == f"ptxlab {__version__}\n"


def test_standard_input() -> None:
    assert cli("check", "-", stdin=PTX).stdout == "<stdin>: 1 kernel, 0 errors, 0 warnings\n"
    assert cli("fmt", "-", stdin=PTX).stdout == cli("fmt", "k.ptx").stdout != ""
    assert cli("to-python", "-", stdin=PTX).stdout == cli("to-python", "k.ptx").stdout != ""
    assert cli("explain", "-", stdin="cp.async\n").stdout == cli("explain", "cp.async").stdout != ""
    done = cli("run", "-", "--block", "32", "--arg", "a=zeros:u32:1", "--out", "a=a.npy", stdin=PTX)
    assert done.exit_code == 0, done.output
    assert np.load("a.npy").tolist() == [31]
    data = px.TensorMap.tiled(dtype="u8", address=1 << 20, dims=(64,), strides=(), box=(64,)).encode()
    assert cli("tensormap", "decode", "-", stdin=data).stdout == cli("tensormap", "decode", data.hex()).stdout


def test_what_standard_input_holds_is_reported() -> None:
    done = cli("check", "-", stdin=PTX.replace("ret;", "return;"))
    assert done.exit_code == 1
    assert "error[PTX0100]" in done.stderr
    assert "--> <stdin>:11:3" in done.stderr
    assert "error[PTX0002]" in cli("fmt", "-", stdin=b"\x7fELF").stderr
    assert cli("fmt", "-", "--in-place", stdin=PTX).exit_code == 2
    assert cli("tensormap", "diff", "-", "-", stdin=b"").exit_code == 2
    assert cli("fmt", "-", "--check", stdin=PTX).stdout.startswith("--- <stdin>\n")


ENDLESS = [("check",), ("fmt",), ("to-python",), ("run",), ("tensormap", "decode"), ("tensormap", "diff", "00")]


@pytest.mark.skipif(not Path("/dev/zero").exists(), reason="there is no /dev/zero")
@pytest.mark.parametrize("words", ENDLESS, ids=" ".join)
@pytest.mark.parametrize("source", ["zeros", "text"])
def test_a_file_without_an_end(monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...], source: str) -> None:
    monkeypatch.setattr(text, "MOST", 4 * files.MIB)
    monkeypatch.setattr("ptxlab.commands.tensormap_input.MOST", 4 * files.MIB)
    name, child = "/dev/zero", None
    if source == "text":
        os.mkfifo("pipe")
        name = "pipe"
        child = subprocess.Popen("yes > pipe", shell=True, stderr=subprocess.DEVNULL)
    done = cli(*words, name)
    assert done.exit_code == 1
    if source == "text" or words[0] == "tensormap":
        assert f"error[PTX2504] too-large: {name} holds more than 4 MiB.\n" in done.stderr
    else:
        assert "error[PTX0002] not-text: /dev/zero is no text: byte 0 is zero." in done.stderr
    if child is not None:
        assert child.wait(timeout=30) != 0  # nobody reads on


def test_a_pipe_that_the_user_names_is_read() -> None:
    os.mkfifo("pipe.ptx")
    writer = threading.Thread(target=lambda: Path("pipe.ptx").write_text(PTX, encoding="utf-8"))
    writer.start()
    assert cli("check", "pipe.ptx").stdout == "pipe.ptx: 1 kernel, 0 errors, 0 warnings\n"
    writer.join()


@pytest.mark.parametrize("command", ["check", "fmt", "run", "to-python"])
@pytest.mark.parametrize(
    ("name", "reason"), [("none.ptx", "No such file or directory"), (".", "Is a directory"), ("x" * 300, "File name too long")]
)  # fmt: skip
def test_a_file_that_cannot_be_read(command: str, name: str, reason: str) -> None:
    done = cli(command, name)
    assert done.exit_code == 1
    assert f"cannot be read: {reason}." in done.stderr
    assert done.stderr.count("error[") == 1
    assert "-->" not in done.stderr  # no line of anybody's Python


def test_ptx_in_the_place_of_a_path() -> None:
    for given in (PTX, PTX.replace("\n", " ")):
        with pytest.raises(px.Diagnostic) as wrong:
            px.load(given)
        assert wrong.value.code == "PTX2316"
        assert "px.parse(text)" in (wrong.value.help or "")
        assert "visible" not in str(wrong.value)  # the text is not repeated
        done = cli("check", given)
        assert done.exit_code == 1
        assert "This is PTX text, and not a path." in done.stderr
        assert "send the text to standard input" in done.stderr
        assert len(done.stderr) < 400


@pytest.mark.parametrize("path", [7, None, b"none.ptx", "a\0b.ptx", ["k.ptx"]])
def test_what_is_no_path(path: object) -> None:
    with pytest.raises(px.Diagnostic) as wrong:
        px.load(path)  # type: ignore[arg-type]
    assert wrong.value.code in ("PTX2316", "PTX2500")
    assert wrong.value.help


LIGHT = {
    "--help": (
        "numpy",
        "ptxlab.launch",
        "ptxlab.ptx",
        "ptxlab.sim",
        "matplotlib",
        "numba",
        "llvmlite",
        "rich.progress",
    ),
    "--version": ("numpy", "ptxlab.launch", "ptxlab.ptx", "ptxlab.sim", "matplotlib", "numba", "llvmlite"),
    "check k.ptx": ("ptxlab.sim", "ptxlab.lang", "ptxlab.conformance", "matplotlib", "numba", "llvmlite"),
    "fmt k.ptx": ("ptxlab.sim", "ptxlab.lang", "ptxlab.conformance", "matplotlib", "numba", "llvmlite"),
    "explain cp.async": ("ptxlab.sim", "matplotlib", "numba", "llvmlite"),
    "run --help": ("ptxlab.sim", "matplotlib", "numba", "llvmlite"),
    "bench --help": ("ptxlab.sim", "matplotlib", "numba", "llvmlite"),
}


@pytest.mark.parametrize(("line", "absent"), LIGHT.items(), ids=LIGHT)
def test_a_command_imports_what_it_needs(line: str, absent: tuple[str, ...]) -> None:
    code = f"""
import sys
from ptxlab.cli import main
sys.argv = ["ptxlab", *{line.split()!r}]
try:
    main()
except SystemExit as e:
    print([m for m in {absent!r} if m in sys.modules], e.code, file=sys.stderr)
"""
    done = subprocess.run([sys.executable, "-c", code], env=environment(), capture_output=True, text=True, check=False)
    assert done.stderr == "[] 0\n"


def complete(words: str) -> list[str]:
    """What bash is offered behind these words."""
    env = environment(_PTXLAB_COMPLETE="complete_bash", COMP_WORDS=words, COMP_CWORD=str(len(words.split(" ")) - 1))
    code = "import sys; sys.argv[0] = 'ptxlab'; from ptxlab.cli import main; main()"
    done = subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True, check=False)
    assert done.stderr == ""
    return done.stdout.split()


def test_completion() -> None:
    assert complete("ptxlab c") == ["check", "conformance"]
    assert set(complete("ptxlab ")) == set(COMMANDS)
    assert complete("ptxlab run --max") == ["--max-instructions"]
    assert complete("ptxlab check --format s") == ["sarif"]
    assert complete("ptxlab tensormap e") == ["encode"]
    assert complete("ptxlab tensormap encode --l2") == ["--l2-promotion"]
    assert "--show-completion" in cli("--help").output
    assert "--install-completion" in cli("--help").output


def test_each_command_is_listed_with_its_own_help() -> None:
    listed = cli("--help").output
    for name, summary in COMMANDS.items():
        assert name in listed
        done = cli(name, "--help")
        assert done.exit_code == 0
        assert summary.split(":")[0].split(",")[0] in " ".join(done.output.split())


@pytest.mark.parametrize(
    ("words", "help"),
    [
        (("check",), "FILE"),
        (("chek",), "check"),
        (("check", "--targte", "x"), "--target"),
        (("run", "k.ptx", "--shared", "many"), "--shared"),
        (("run", "k.ptx", "--max-instructions", "0"), "--max-instructions"),
        (("run", "k.ptx", "--schedule", "now", "--block", "1", "--arg", "a=zeros:u32:1"), "eager, late, random"),
        (("check", "k.ptx", "--format", "xml"), "sarif"),
        (("check", "k.ptx", "--select", "PTX77"), "--select PTX77"),
        (("conformance", "--on", "moon"), "--on 'moon'"),
        (("demo", "--on", "moon"), "moon"),
        (("bench", "sim", "--rounds", "0"), "--rounds"),
    ],
)
def test_bad_usage_names_the_option_and_ends_with_2(words: tuple[str, ...], help: str) -> None:
    done = cli(*words)
    assert done.exit_code == 2
    assert help in " ".join(done.stderr.split())
