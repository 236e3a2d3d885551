"""`ptxlab run --explore N`: the table, the findings, the exit status."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner, Result

from ptxlab.cli import app

RACE = """.version 8.0
.target sm_90a
.address_size 64
.shared .align 4 .b32 words[64];
.visible .entry race(.param .u64 out)
.reqntid 64, 1, 1
{
    .reg .b32 %r<6>;
    .reg .b64 %rd<3>;
    ld.param.u64 %rd0, [out];
    mov.u32 %r0, %tid.x;
    shl.b32 %r1, %r0, 2;
    mov.u32 %r2, words;
    add.u32 %r3, %r2, %r1;
    st.shared.u32 [%r3], 7;
    bar.sync 0;
    st.shared.u32 [%r3], %r0;
    xor.b32 %r1, %r1, 128;
    add.u32 %r3, %r2, %r1;
    ld.shared.u32 %r4, [%r3];
    mul.wide.u32 %rd1, %r0, 4;
    add.u64 %rd0, %rd0, %rd1;
    st.global.u32 [%rd0], %r4;
    ret;
}
"""


@pytest.fixture(autouse=True)
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("race.ptx").write_text(RACE)
    Path("right.ptx").write_text(RACE.replace("    xor", "    bar.sync 0;\n    xor"))


def run(file: str, *words: str) -> Result:
    return CliRunner().invoke(app, ["run", file, "--arg", "out=zeros:u32:64", *words])


def test_a_race_is_shown_with_its_seed_and_its_cause() -> None:
    done = run("race.ptx", "--explore", "6", "--out", "out=out.npy")
    assert done.exit_code == 1
    rows = [line.split()[:2] for line in done.stdout.splitlines()]
    assert ["late", "0"] in rows
    assert sum(row[:1] == ["random"] for row in rows) == 6
    assert "of 64 elements, first [" in " ".join(done.stdout.split())
    assert "error[PTX9270]" in done.stderr
    assert "error[PTX9200]" in done.stderr
    assert "does it again" in done.stderr
    assert not Path("out.npy").exists()


def test_a_right_kernel_writes_its_results() -> None:
    done = run("right.ptx", "--explore", "2", "--out", "out=out.npy")
    assert (done.exit_code, done.stderr) == (0, "")
    assert "5 runs with the same results" in done.stdout
    assert np.load("out.npy").tolist() == [i ^ 32 for i in range(64)]


def test_findings_as_json() -> None:
    done = run("race.ptx", "--explore", "6", "--format", "json")
    assert done.exit_code == 1
    assert [d["code"] for d in json.loads(done.stdout)["findings"]] == ["PTX9270", "PTX9200"]


@pytest.mark.parametrize(
    "words", [("--trace", "t.json"), ("--schedule", "late"), ("--stats",), ("--workers", "2"), ("--on", "gpu")]
)
def test_options_of_a_single_run_are_refused(words: tuple[str, ...]) -> None:
    done = run("right.ptx", "--explore", "2", *words)
    assert done.exit_code == 2
    assert words[0] in done.stderr or "--explore" in done.stderr
