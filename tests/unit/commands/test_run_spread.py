"""`ptxlab run --workers`."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner, Result

from ptxlab.cli import app
from ptxlab.sim.spread import remote

ADD = """\
.version 8.0
.target sm_90a
.address_size 64
.visible .entry add(.param .u64 a, .param .u64 b, .param .u64 c, .param .u32 n)
{
  .reg .pred %p;
  .reg .b32 %r<9>;
  .reg .b64 %d<8>;
  ld.param.u64 %d1, [a];
  ld.param.u64 %d2, [b];
  ld.param.u64 %d3, [c];
  ld.param.u32 %r1, [n];
  mov.u32 %r2, %ctaid.x;
  mov.u32 %r3, %ntid.x;
  mov.u32 %r4, %tid.x;
  mad.lo.s32 %r5, %r2, %r3, %r4;
  setp.ge.u32 %p, %r5, %r1;
  @%p bra DONE;
  mul.wide.u32 %d4, %r5, 4;
  add.u64 %d5, %d1, %d4;
  add.u64 %d6, %d2, %d4;
  add.u64 %d7, %d3, %d4;
  ld.global.u32 %r6, [%d5];
  ld.global.u32 %r7, [%d6];
  add.u32 %r8, %r6, %r7;
  st.global.u32 [%d7], %r8;
DONE:
  ret;
}
"""


def run(folder: Path, *options: str, c: str = "zeros:u32:2048") -> Result:
    (folder / "add.ptx").write_text(ADD)
    for name in "ab":
        np.save(folder / f"{name}.npy", np.arange(2048, dtype=np.uint32))
    words = ["run", f"{folder}/add.ptx", "--grid", "16", "--block", "128", "--arg", f"a={folder}/a.npy"]
    words += ["--arg", f"b={folder}/b.npy", "--arg", f"c={c}", "--arg", "n=u32:2048", "--out", f"c={folder}/c.npy"]
    return CliRunner().invoke(app, [*words, *options])


def test_the_result_is_the_same(tmp_path: Path) -> None:
    result = run(tmp_path, "--workers", "2")
    assert result.exit_code == 0, result.output
    assert "2 processes" in result.output
    assert (np.load(tmp_path / "c.npy") == 2 * np.arange(2048)).all()


def test_a_launch_that_cannot_be_spread_says_why(tmp_path: Path) -> None:
    result = run(tmp_path, "--workers", "2", "--grid", "1")
    assert result.exit_code == 0, result.output
    assert "in one process: there is one cluster" in result.output


@pytest.mark.parametrize(
    ("options", "status", "words"),
    [
        (("--workers", "-1"), 2, "no number of processes"),
        (("--workers", "2", "--dask", "tcp://127.0.0.1:1"), 1 if find_spec("distributed") else 2, "Dask"),
        (("--workers", "2", "--on", "gpu"), 2, "for the simulator"),
    ],
)
def test_options_that_cannot_be_honoured_write_nothing(
    tmp_path: Path, options: tuple[str, ...], status: int, words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(remote, "_ANSWER", 1)  # nobody listens there
    result = run(tmp_path, *options)
    assert result.exit_code == status
    assert words in " ".join(result.output.split())
    assert not (tmp_path / "c.npy").exists()
