"""`ptxlab profile`: the report, its trace, and bad options."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from ptxlab.cli import app

FILL = """\
.version 8.0
.target sm_90
.address_size 64
.visible .entry fill(.param .u64 out)
.reqntid 64
{
  .reg .b32 %r<2>;
  .reg .b64 %d<3>;
  ld.param.u64 %d1, [out];
  mov.u32 %r1, %tid.x;
  mul.wide.u32 %d2, %r1, 32;
  add.u64 %d1, %d1, %d2;
  st.global.u32 [%d1], %r1;
  ret;
}
"""


@pytest.fixture(autouse=True)
def wide(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "220")


def _run(folder: Path, options: Sequence[str]) -> Result:
    source = folder / "fill.ptx"
    source.write_text(FILL)
    return CliRunner().invoke(app, ["profile", str(source), "--arg", "out=zeros:u32:512", *options])


def test_it_shows_lines_and_what_a_cta_takes(tmp_path: Path) -> None:
    done = _run(tmp_path, [])
    said = done.output
    assert done.exit_code == 0, said
    assert "fit on an SM" in said
    assert "64 sectors of global memory, 8 would do" in said
    assert "critical path of" in said
    assert "line 13" in said


def test_it_writes_the_replay_as_a_trace(tmp_path: Path) -> None:
    done = _run(tmp_path, ["--trace", str(tmp_path / "t.json"), "--json"])
    events = json.loads((tmp_path / "t.json").read_text())["traceEvents"]
    assert {e["args"]["name"] for e in events if e["name"] == "thread_name"} == {"warp 0", "warp 1"}
    assert json.loads(done.output)["occupancy"]["warps"] == 2


@pytest.mark.parametrize(
    "options", [["--on", "tpu"], ["--on", "gpu", "--chip", "h300"], ["--trace", "t.txt"], ["--on", "gpu", "--cold"]]
)
def test_bad_options_are_one_diagnostic(options: list[str], tmp_path: Path) -> None:
    done = _run(tmp_path, options)
    assert done.exit_code == 2
    assert (done.output.count("error[PTX"), done.output.count("PTX2501"), "= help:" in done.output) == (1, 1, True)
