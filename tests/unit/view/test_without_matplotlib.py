"""Without the extra `plot`: SVG pictures need no Matplotlib, and what needs it says so before anything is run or written."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from ptxlab import cli
from ptxlab.bench.kernels import picture
from ptxlab.diag import Diagnostic
from ptxlab.layout import TensorMap
from ptxlab.sim.report.trace import Trace, TraceEvent, check_ending
from ptxlab.view import figure
from ptxlab.view.pictures import tensor_map_picture, timeline_picture

MAP = TensorMap.tiled(dtype="u8", address=4096, dims=(64, 8), strides=(64,), box=(16, 4))
EVENTS = [TraceEvent("cta 0 warp 0", "copy", "copy", 0, 9)]


@pytest.fixture
def without(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(figure, "find_spec", lambda name: None)
    monkeypatch.setitem(sys.modules, "matplotlib", None)


@pytest.mark.usefixtures("without")
@pytest.mark.parametrize("ending", [".png", ".pdf"])
def test_other_pictures_say_what_to_install(tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"x{ending}"
    for draw in (
        lambda: tensor_map_picture(MAP, path),
        lambda: timeline_picture(EVENTS, path),
        lambda: Trace(EVENTS).save(path),
        lambda: check_ending(path),
    ):
        with pytest.raises(Diagnostic) as found:
            draw()
        assert (found.value.code, "pip install matplotlib" in str(found.value.help)) == ("PTX2510", True)
        assert ".svg" in str(found.value.help)
    assert not list(tmp_path.iterdir())


@pytest.mark.usefixtures("without")
def test_svg_needs_none(tmp_path: Path) -> None:
    made = [tensor_map_picture(MAP, tmp_path / "map.svg"), timeline_picture(EVENTS, tmp_path / "time.svg")]
    assert all(path.read_text().startswith("<svg") for path in made)


@pytest.mark.usefixtures("without")
def test_a_roofline_says_so_before_anything_is_measured() -> None:
    with pytest.raises(Diagnostic) as found:
        picture.need()
    assert found.value.code == "PTX2510"


@pytest.mark.usefixtures("without")
def test_a_run_says_so_before_it_starts(tmp_path: Path) -> None:
    kernel = tmp_path / "k.ptx"
    kernel.write_text(".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k() { ret; }\n")
    done = CliRunner().invoke(
        cli.app, ["run", str(kernel), "--grid", "1", "--block", "32", "--trace", str(tmp_path / "t.png")]
    )
    assert done.exit_code == 1
    assert "PTX2510" in done.stderr
    assert not (tmp_path / "t.png").exists()


def test_nothing_asks_for_matplotlib_at_its_import() -> None:
    imports = "import ptxlab.commands.demo, ptxlab.view.pictures, ptxlab.bench.kernels.run"
    code = f"import sys; sys.modules['matplotlib'] = None; {imports}"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
