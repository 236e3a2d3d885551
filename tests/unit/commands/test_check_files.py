"""`ptxlab check` on several files, in every format, with its exit status for CI."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from ptxlab.cli import app

_KERNEL = """.version 8.0
.target sm_90a
.address_size 64
.visible .entry k()
{{
    .reg .b32 %r<9>;
    {}
    ret;
}}
"""
_FILES = {
    "clean.ptx": "mov.u32 %r1, 1;",
    "lint.ptx": "add.u32 %r1, %r2, 1;",
    "warning.ptx": "mov.u32 %r1, 0x1FFFFFFFF;",
    "error.ptx": "add.f32 %r1, %nope, 1;",
}


@pytest.fixture(autouse=True)
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name, line in _FILES.items():
        Path(name).write_text(_KERNEL.format(line))


def check(*words: str) -> Result:
    return CliRunner().invoke(app, ["check", *words])


@pytest.mark.parametrize(
    ("words", "status"),
    [
        (["clean.ptx"], 0),
        (["lint.ptx", "warning.ptx"], 0),
        (["clean.ptx", "error.ptx"], 1),
        (["missing.ptx", "clean.ptx"], 1),
        (["error.ptx", "--ignore", "PTX00"], 0),
        (["error.ptx", "--select", "PTX50,PTX0107"], 0),
        (["error.ptx", "--select", "ptx0010"], 1),
        (["clean.ptx", "--target", "sm_80"], 0),
        (["clean.ptx", "--target", "sm_1"], 2),
        (["clean.ptx", "--select", "PTX77"], 2),
        (["clean.ptx", "--ignore", "nothing"], 2),
        (["clean.ptx", "--format", "xml"], 2),
        ([], 2),
    ],
)
def test_status(words: list[str], status: int) -> None:
    done = check(*words)
    assert done.exit_code == status
    assert "Traceback" not in done.output


def test_text_says_what_each_file_has() -> None:
    done = check(*_FILES)
    assert done.stdout.splitlines() == [
        "clean.ptx: 1 kernel, 0 errors, 0 warnings",
        "lint.ptx: 1 kernel, 0 errors, 0 warnings, 1 lint",
        "warning.ptx: 1 kernel, 0 errors, 1 warning",
        "error.ptx: 1 kernel, 1 error, 0 warnings",
    ]
    assert re.findall(r"(\w+)\[(PTX\d+)\]", done.stderr) == [
        ("lint", "PTX5002"), ("warning", "PTX0107"), ("error", "PTX0010"),
    ]  # fmt: skip
    assert check("lint.ptx", "--no-lints").stdout == "lint.ptx: 1 kernel, 0 errors, 0 warnings\n"


def test_json() -> None:
    done = check(*_FILES, "missing.ptx", "--format", "json")
    found = json.loads(done.stdout)["findings"]
    assert [(d["code"], d["severity"], d["file"], d["line"], d["column"]) for d in found] == [
        ("PTX5002", "lint", "lint.ptx", 7, 5),
        ("PTX0107", "warning", "warning.ptx", 7, 5),
        ("PTX0010", "error", "error.ptx", 7, 18),
        ("PTX2500", "error", None, None, None),
    ]
    assert all(d["message"] and d["help"] and d["slug"] for d in found)


def test_sarif() -> None:
    run = json.loads(check(*_FILES, "--format", "sarif").stdout)["runs"][0]
    rules = run["tool"]["driver"]["rules"]
    assert [(r["ruleId"], r["level"]) for r in run["results"]] == [
        ("PTX5002", "note"),
        ("PTX0107", "warning"),
        ("PTX0010", "error"),
    ]
    assert all(rules[r["ruleIndex"]]["id"] == r["ruleId"] for r in run["results"])
    place = run["results"][2]["locations"][0]["physicalLocation"]
    assert place == {
        "artifactLocation": {"uri": "error.ptx"},
        "region": {"startLine": 7, "startColumn": 18, "endColumn": 23},
    }
    assert json.loads(check("clean.ptx", "--format", "sarif").stdout)["runs"][0]["results"] == []


def test_github() -> None:
    lines = check(*_FILES, "--format", "github").stdout.splitlines()
    assert [line.partition(",")[0] for line in lines] == [
        "::notice file=lint.ptx",
        "::warning file=warning.ptx",
        "::error file=error.ptx",
    ]
    assert lines[2].startswith(
        "::error file=error.ptx,line=7,title=PTX0010 undeclared-register,col=18,endColumn=23::no register"
    )
    assert "%0Ahelp: " in lines[2]
    assert "`%25nope`" in lines[2]  # a per cent sign is an escape there
