"""`ptxlab verify`: verdicts, formats, and bad files."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import CliRunner

from ptxlab.cli import app

JUDGED = """
import ptxlab as px

print("imported")

@px.kernel(threads=64)
def candidate(k, x: px.Ptr[px.f32], y: px.Ptr[px.f32]):
    k.st.global_.f32(y[k.tid.x], k.ld.global_.f32(x[k.tid.x]) * 2.0)

def reference(x):
    return x * 2

spec = px.Spec(lambda: px.case([px.Input("f32", 64), px.Output("f32", 64)], grid=1))
"""


Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    monkeypatch.chdir(tmp_path)

    def called(source: str, *words: str) -> tuple[int, str, str]:
        """Status, standard output, standard error, and what was raised."""
        Path("judged.py").write_text(source, encoding="utf-8")
        done = CliRunner().invoke(app, ["verify", "judged.py", *words])
        return done.exit_code, done.stdout, done.stderr + str(done.exception or "")

    return called


def test_equal_and_wrong(run: Run) -> None:
    status, out, err = run(JUDGED, "--seed", "1")
    assert status == 0
    assert re.fullmatch(r"candidate: equal \(\d+ runs, seed=1\)", out.splitlines()[0])
    assert "imported" in err
    status, out, _ = run(JUDGED.replace("x * 2\n", "x * 3\n"), "--seed", "1", "--runs", "2")
    assert status == 1
    assert out.startswith("candidate: wrong (1 runs, seed=1)")
    assert "error[PTX9273]" in out


def test_formats(run: Run) -> None:
    wrong = JUDGED.replace("x * 2\n", "x * 3\n")
    status, out, _ = run(wrong, "--format", "json")
    document = json.loads(out)
    assert (status, document["verification"]["verdict"], document["findings"][0]["code"]) == (1, "wrong", "PTX9273")
    assert document["verification"]["cause"]["code"] == "PTX9273"
    status, out, _ = run(wrong, "--format", "sarif")
    assert (status, json.loads(out)["runs"][0]["results"][0]["ruleId"]) == (1, "PTX9273")
    assert run(wrong, "--format", "github")[1].startswith("::error file=")
    assert json.loads(run(JUDGED, "--format", "json", "--strict")[1])["verification"]["verdict"] == "equal"


def test_bad_files(run: Run) -> None:
    status, out, err = run(JUDGED, "--spec", "specs")
    assert (status, out) == (1, "")
    assert "error[PTX2505]" in err
    assert "'specs'" in err
    assert "error[PTX2505]" in run("1 / 0")[2]
    assert "judged.py" in run(JUDGED.replace("x * 2\n", "1 / 0\n"))[2]
    assert "error[PTX2501]" in run(JUDGED, "--runs", "0")[2]
    assert "error[PTX2501]" in run(JUDGED, "--candidate", "reference", "--spec", "reference")[2]
