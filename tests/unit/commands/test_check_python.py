"""`ptxlab check kernel.py`: kernels written in Python, checked at their lines."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from ptxlab.cli import app

HEAD = """\
import ptxlab as px

print("imported as", __name__)

"""
COPY = """
@px.kernel(target="sm_90a", threads=128)
def copy(k, src: px.Ptr[px.b32], dst: px.Ptr[px.b32]):
    buf = k.smem(px.b32, 512, align=16)
    off = k.tid.x * 16
    k.cp.async_.{}.shared.global_(buf.at(off), src.at(off), {})
    {}
    k.cp.async_.wait_group(0)
    v = k.ld.shared.v4.b32(buf.at(off))
    k.st.global_.v4.b32(dst.at(off), v)
"""
COMMIT = "k.cp.async_.commit_group()"
TILED = """
@px.kernel(target="sm_90a", threads=128)
def tiled(k, dst: px.Ptr[px.b32], *, tile: int):
    k.st.global_.b32(dst.at(tile), k.tid.x)
"""


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def check(text: str, *words: str) -> Result:
    Path("kernel.py").write_text(text)
    return CliRunner().invoke(app, ["check", "kernel.py", *words])


def test_a_kernel_without_findings() -> None:
    done = check(HEAD + COPY.format("cg", 16, COMMIT))
    assert (done.exit_code, done.stdout) == (0, "kernel.py: 1 kernel, 0 errors, 0 warnings\n")
    assert done.stderr == "imported as _checked_kernel\n"  # not __main__, and not in the way of the findings
    assert not Path("__pycache__").exists()
    assert "." not in sys.path
    assert str(Path.cwd()) not in sys.path


def test_an_error_stands_at_its_line_of_python() -> None:
    text = HEAD + COPY.format("cg", 8, COMMIT)
    line = 1 + text.split("\n").index("    k.cp.async_.cg.shared.global_(buf.at(off), src.at(off), 8)")
    done = check(text)
    assert done.exit_code == 1
    assert "error[PTX0212]" in done.stderr
    assert f"--> kernel.py:{line}\n" in done.stderr
    assert f"{line:>4} | k.cp.async_.cg.shared.global_(buf.at(off), src.at(off), 8)" in done.stderr
    found = json.loads(check(text, "--format", "json").stdout)["findings"]
    assert [(d["code"], Path(d["file"]).name, d["line"]) for d in found] == [("PTX0212", "kernel.py", line)]


def test_lints_and_the_options_for_them() -> None:
    text = HEAD + COPY.format("cg", 16, "pass")
    done = check(text)
    assert (done.exit_code, "lint[PTX5012]" in done.stderr) == (0, True)
    assert "1 lint" in done.stdout
    for words in (["--no-lints"], ["--ignore", "PTX50"], ["--select", "PTX02"]):
        assert "PTX5012" not in check(text, *words).stderr
    assert "PTX1001" in check(text, "--target", "sm_75").stderr


def test_a_constant_without_a_value_is_a_note() -> None:
    done = check(HEAD + TILED)
    assert (done.exit_code, done.stdout) == (0, "kernel.py: 0 kernels, 0 errors, 0 warnings, 1 note\n")
    assert "note[PTX2209] constant: kernel `tiled` has no value for its constant `tile`" in done.stderr
    assert "| def tiled(k, dst: px.Ptr[px.b32], *, tile: int):" in done.stderr
    assert ".specialize(…)" in done.stderr
    done = check(HEAD + TILED + "\nsmall = tiled.specialize(tile=4)\n")
    assert done.stdout == "kernel.py: 1 kernel, 0 errors, 0 warnings, 1 note\n"


def test_modules_beside_the_file_are_found() -> None:
    Path("beside.py").write_text("BYTES = 16\n")
    done = check("from beside import BYTES\n" + HEAD + COPY.format("cg", "BYTES", COMMIT))
    assert done.exit_code == 0, done.output


def test_a_file_without_kernels_says_so() -> None:
    done = check("x = 1\n")
    assert done.exit_code == 0
    assert "note[PTX2505]" in done.stderr
    assert "defines no kernel" in done.stderr


WRONG = {
    "a syntax error": ("def f(:\n", "kernel.py:1:7", "invalid syntax"),
    "an exception": ("\nx = 1 / 0\n", "kernel.py:2", "ZeroDivisionError: division by zero"),
    "an exit": ("import sys\nsys.exit(3)\n", "kernel.py:2", "SystemExit: 3"),
    "an import that fails": ("import no_such_module\n", "kernel.py:1", "No module named"),
    "an exception of a kernel": (
        HEAD + '@px.kernel(target="sm_90a", threads=32)\ndef k(k):\n    oops\n',
        "kernel.py:7",
        "kernel `k` cannot be traced: NameError",
    ),
}


@pytest.mark.parametrize(("text", "place", "words"), WRONG.values(), ids=WRONG)
def test_what_the_python_raises_is_a_finding(text: str, place: str, words: str) -> None:
    done = check(text)
    assert done.exit_code == 1
    assert done.exception is None or isinstance(done.exception, SystemExit)
    assert "error[PTX2505]" in done.stderr
    assert f"--> {place}" in done.stderr
    assert words in done.stderr
    assert "help: " in done.stderr


@pytest.mark.parametrize(("name", "reason"), [("none.py", "No such file"), ("folder.py", "Is a directory")])
def test_a_file_that_cannot_be_read(name: str, reason: str) -> None:
    Path("folder.py").mkdir()
    done = CliRunner().invoke(app, ["check", name])
    assert (done.exit_code, f"error[PTX2500] file: {name} cannot be read: {reason}." in done.stderr) == (1, True)
