"""Timelines of simulated products, as `ptxlab demo` and tutorial 2 draw them, and a box as `ptxlab tensormap picture` does."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from ptxlab.abi.sanitizing import when_asked
from ptxlab.commands.demo import timeline
from ptxlab.conformance.kernels.cases import gemms
from ptxlab.conformance.kernels.run import simulator
from ptxlab.layout import TensorMap
from ptxlab.view.tensormap import shown
from ptxlab.view.tensormap_svg import tensor_map_svg
from tools.blocks import blocks

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "tutorials" / "2-gemm.md"


@when_asked()
def gemm() -> str:
    case = gemms()[0]
    run = simulator(case, case.arrays("integers"), trace=True)
    with tempfile.TemporaryDirectory() as folder:
        return timeline(run.trace or [], case, Path(folder) / "drawn.svg").read_text(encoding="utf-8")


@when_asked()
def pipelined() -> str:
    """Runs the page up to the block that draws the picture."""
    sys.path.insert(0, str(ROOT / "tests" / "docs"))
    from pages import Session  # pyright: ignore[reportMissingImports]

    with tempfile.TemporaryDirectory() as folder:
        session = Session(Path(folder))
        drawn = Path(folder) / "pipelined.svg"
        for block in blocks(PAGE.read_text(encoding="utf-8")):
            session.run(block)
            if drawn.exists():
                return drawn.read_text(encoding="utf-8")
    raise LookupError(f"{PAGE} draws no pipelined.svg")


def box() -> str:
    tiled = TensorMap.tiled(
        dtype="bf16", address=1 << 32, dims=(1000, 512), strides=(2048,), box=(64, 8), swizzle="128B"
    )
    return tensor_map_svg(shown(tiled, (960, 508)))


PICTURES = {"gemm-timeline.svg": gemm, "pipelined.svg": pipelined, "tensor-map-box.svg": box}
