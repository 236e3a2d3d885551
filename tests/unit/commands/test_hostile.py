"""Files that were made to harm: what they name is not opened, what they hold does not steer the terminal."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest
from processes import environment
from typer.testing import CliRunner, Result

import ptxlab as px
from ptxlab.cli import app
from ptxlab.diag import excerpt

HEAD = """\
.version 8.0
.target sm_90a
.address_size 64
"""
KERNEL = """\
.visible .entry k(.param .u64 a)
{{
  .reg .b32 %r<9>;
  .reg .b64 %d<8>;
  ld.param.u64 %d1, [a];
  .loc 2 {line} 0
  st.global.u32 [%d1+4096], %r1;
  ret;
}}
"""
SECRET = "SECRET-7731"
LAUNCH = ("--block", "1", "--arg", "a=zeros:u32:1")
"""The store is out of bounds: the diagnostic names the place that .loc says."""


def hostile(named: object, line: int = 1) -> str:
    return f'{HEAD}.file 2 "{named}"\n{KERNEL.format(line=line)}'


def ptxlab(*words: object, stdin: str | None = None) -> Result:
    """The command line, in this process."""
    done = CliRunner().invoke(app, list(map(str, words)), input=stdin)
    assert done.exception is None or isinstance(done.exception, SystemExit)
    return done


@pytest.fixture
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of the PTX, in the working directory; beside it lies another one, with a secret."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(excerpt, "_roots", {})
    made = tmp_path / "own"
    made.mkdir()
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "secret.cu").write_text(f"{SECRET}\nsecond\n")
    return made


def run(own: Path, named: object, *options: str, line: int = 1) -> str:
    """What a run says of a hostile file."""
    (own / "k.ptx").write_text(hostile(named, line))
    done = ptxlab("run", "own/k.ptx", *LAUNCH, *options)
    assert done.exit_code == 1
    assert "error[PTX9002]" in done.stderr
    return done.stderr


def test_a_source_beside_the_ptx_is_shown(own: Path) -> None:
    (own / "src").mkdir()
    (own / "src" / "kernel.cu").write_text("first\n  a[4096] = x;\n")
    for named in ("src/kernel.cu", own / "src" / "kernel.cu", "src/../src/kernel.cu"):
        assert "   2 | a[4096] = x;\n" in run(own, named, line=2)


def _secrets(own: Path) -> dict[str, object]:
    other = own.parent / "other"
    (own / "link.cu").symlink_to(other / "secret.cu")
    (own / "folder").symlink_to(other)
    (own / ".hidden").mkdir()
    for place in (own / ".hidden" / "key", own / ".key"):
        place.write_text(SECRET + "\n")
    (own / "large.cu").write_text(f"{SECRET}\n" + "x" * (8 << 20))
    (own / "binary.cu").write_bytes(SECRET.encode() + b"\n\0")
    os.mkfifo(own / "pipe.cu")
    return {
        "another folder": other / "secret.cu",
        "dots": "../other/secret.cu",
        "dots behind a name": "src/../../other/secret.cu",
        "an absolute path with dots": f"{own}/../other/secret.cu",
        "a link": "link.cu",
        "a link to a folder": "folder/secret.cu",
        "a hidden file": ".key",
        "a hidden folder": ".hidden/key",
        "a large file": "large.cu",
        "a binary file": "binary.cu",
        "a pipe": "pipe.cu",
        "a folder": ".",
        "a device": "/dev/zero",
        "the passwords": "/etc/passwd",
        "nothing": "",
    }


def test_nothing_else_is_shown(own: Path) -> None:
    for name, named in _secrets(own).items():
        said = run(own, named)
        assert SECRET not in said, name
        assert "\n   1 | " not in said.partition("k.ptx:")[0], name  # no line of whatever it is


def test_a_folder_that_the_user_allows(own: Path) -> None:
    other = own.parent / "other"
    assert SECRET not in run(own, "../other/secret.cu", "--source-root", "own")
    done = ptxlab("run", "own/k.ptx", "--source-root", "none")
    assert (done.exit_code, "--source-root none: No such file or directory." in done.stderr) == (2, True)
    done = ptxlab("check", "own/k.ptx", "--source-root", "own/k.ptx")
    assert (done.exit_code, "--source-root own/k.ptx: Not a directory." in done.stderr) == (2, True)
    (own.parent / "alias").symlink_to(other)
    assert SECRET in run(own, "secret.cu", "--source-root", "alias")
    assert SECRET in run(own, other / "secret.cu")  # alias is another name of it


def test_sources_of_python(own: Path) -> None:
    other = own.parent / "other"
    assert px.sources() == ()
    assert SECRET not in run(own, other / "secret.cu")
    assert px.sources(other) == (other,)
    assert SECRET in run(own, other / "secret.cu")
    for bad in (own / "none", other / "secret.cu", "a\0b", 7):
        with pytest.raises(px.Diagnostic, match="is no folder") as wrong:
            px.sources(bad)  # type: ignore[arg-type]
        assert wrong.value.code == "PTX2500"


def test_ptx_that_comes_from_nowhere_names_nothing(own: Path) -> None:
    (own / "source.cu").write_text(SECRET + "\n")
    (own / "k.ptx").write_text(hostile("source.cu"))
    assert SECRET in ptxlab("run", "own/k.ptx", *LAUNCH).stderr
    piped = ptxlab("run", "-", *LAUNCH, stdin=hostile("source.cu"))
    assert "error[PTX9002]" in piped.stderr
    assert SECRET not in piped.stderr


AUDIT = """
import json, sys
from typer.testing import CliRunner
from ptxlab.cli import app

opened, out = [], []
sys.addaudithook(lambda event, args: opened.append(str(args[0])) if event == "open" else None)
for words in json.load(sys.stdin):
    opened.clear()
    CliRunner().invoke(app, words)
    out.append(list(opened))
json.dump(out, sys.stdout)
"""


def opened(folder: Path, commands: Sequence[Sequence[object]]) -> list[set[str]]:
    """The files that each of several commands opens."""
    done = subprocess.run(
        [sys.executable, "-c", AUDIT],
        input=json.dumps([list(map(str, words)) for words in commands]),
        cwd=folder,
        env=environment(PTXLAB_CACHE_DIR=str(folder.parent / "cache"), PTXLAB_SANITIZE="0"),  # it opens no other files
        capture_output=True,
        text=True,
        check=True,
    )
    return [{os.path.realpath(folder / n) for n in names if not n.isdigit()} for names in json.loads(done.stdout)]


def test_no_file_outside_the_allowed_folders_is_opened(own: Path) -> None:
    """Beyond what the same command opens for a harmless file, a hostile one has files in its own folder opened alone."""
    secrets = [named for named in _secrets(own).values() if named]
    (own / "harmless.ptx").write_text(f"{HEAD}{KERNEL.format(line=1)}".replace("  .loc 2 1 0\n", ""))
    (own / "source.cu").write_text("int x;\n")
    usual = [
        ("run", "harmless.ptx", *LAUNCH),
        ("check", "harmless.ptx"),
        ("explain", "cp.async"),
        ("explain", "nothing"),
    ]
    commands: list[tuple[object, ...]] = [*usual, *usual]
    for number, named in enumerate([*secrets, "source.cu"]):
        (own / f"k{number}.ptx").write_text(hostile(named))
        commands += [("run", f"k{number}.ptx", *LAUNCH), ("check", f"k{number}.ptx"), ("explain", named)]
    found = opened(own, commands)
    known = set[str]().union(*found[: 2 * len(usual)])
    allowed = {str(p) for p in own.glob("*.ptx")} | {str(own / name) for name in ("source.cu", "large.cu", "binary.cu")}
    for words, files in zip(commands, found, strict=True):
        assert {f for f in files - known if not f.startswith(str(own.parent / "cache"))} <= allowed, words
    assert str(own / "source.cu") in found[-3]  # such files are seen


STEERING = {
    "an escape": "\x1b]0;owned\x07",
    "C1": "\x9b31m",
    "a carriage return": "\rhidden",
    "a direction": "\u202egnp.x",
    "an isolate": "\u2066x\u2069",
    "a line separator": "\u2028x",
    "nothing visible": "\u200bx",
}


@pytest.mark.parametrize("text", STEERING.values(), ids=STEERING)
@pytest.mark.parametrize("form", ["text", "json", "sarif", "github"])
def test_no_character_steers_the_terminal(own: Path, text: str, form: str) -> None:
    (own / "k.ptx").write_text(
        f'{HEAD}.visible .entry k() {{ /*{text}*/ mov.u32 %r1, "{text}"; nope{text} x; ret; }}\n', newline=""
    )
    done = ptxlab("check", "own/k.ptx", "--format", form)
    assert done.exit_code == 1
    said = (done.stdout + done.stderr).replace("\n", "")
    assert said.isprintable(), [c for c in said if not c.isprintable()]
    if form == "json":
        assert json.loads(done.stdout)["findings"]


@pytest.mark.parametrize("text", ["\x1b[31m", "\u202e", "\n"], ids=ascii)
def test_nor_does_the_name_of_a_file(own: Path, text: str) -> None:
    for command in ("check", "fmt", "to-python", "run", "tensormap decode", "explain"):
        done = ptxlab(*command.split(), f"no{text}where")
        assert done.exit_code in (1, 2)
        assert f"no{text}where" not in done.output
    (own / f"k{text}.py").write_text("x = (\n")
    done = ptxlab("check", own / f"k{text}.py")
    assert f"k{text}" not in done.output
    (own / f"k{text}.ptx").write_text(hostile(f"x{text}"))
    for command in ("check", "run"):
        assert text.join("kx")[:-1] not in ptxlab(command, own / f"k{text}.ptx").output


def test_an_excerpt_is_cut_around_its_marks(own: Path) -> None:
    long = "add.u32 %r1, %r1, 1; " * 40_000
    (own / "k.ptx").write_text(f"{HEAD}.visible .entry k() {{ .reg .b32 %r<9>; {long} nope %r1; ret; }}\n")
    done = ptxlab("check", "own/k.ptx")
    assert done.exit_code == 1
    assert len(done.stderr) < 2000
    line, marks = done.stderr.splitlines()[2:4]
    assert line[marks.index("^") : marks.rindex("^") + 1].startswith("nope")
    assert line.startswith("   4 | …")


@pytest.mark.parametrize("size", [1 << 20])
def test_no_word_is_long(own: Path, size: int) -> None:
    for text in (
        f'{HEAD}.file 2 "{"p" * size}"\n{KERNEL.format(line=1)}',
        f'{HEAD}.file 2 "{"p/" * (size // 2)}"\n{KERNEL.format(line=1)}',
        f"{HEAD}.visible .entry k() {{ {'x.' * (size // 2)}y %r1; ret; }}\n",
    ):
        (own / "k.ptx").write_text(text)
        done = ptxlab("run", "own/k.ptx", *LAUNCH)
        assert done.exit_code == 1
        assert len(done.stderr) < 20_000
