"""`python -m tools.images`: draw the PNG pictures of the documentation anew.

They are what `ptxlab demo`, tutorial 2 and `ptxlab tensormap picture` draw, with 256 colours so that the repository stays small.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from PIL import Image

from ptxlab.abi.sanitizing import when_asked
from ptxlab.commands.demo import timeline
from ptxlab.conformance.kernels.cases import gemms
from ptxlab.conformance.kernels.run import simulator
from ptxlab.layout import TensorMap
from ptxlab.view.tensormap import tensor_map_picture

ROOT = Path(__file__).resolve().parents[1]
DOCS = ROOT / "docs"
sys.path.insert(0, str(ROOT / "tests" / "docs"))


@when_asked()
def main() -> None:
    from pages import check  # pyright: ignore[reportMissingImports]

    with tempfile.TemporaryDirectory() as name:
        scratch = Path(name)
        box = TensorMap.tiled(
            dtype="bf16", address=1 << 32, dims=(1000, 512), strides=(2048,), box=(64, 8), swizzle="128B"
        )
        tensor_map_picture(box, scratch / "tensor-map-box.png", coordinates=(960, 508), dpi=110)
        case = gemms()[0]
        run = simulator(case, case.arrays("integers"), trace=True)
        timeline(run.trace or [], case, scratch / "gemm-timeline.png")
        check(DOCS / "tutorials" / "2-gemm.md", scratch)
        for drawn in scratch.glob("*.png"):
            small = Image.open(drawn).convert("RGB").quantize(256, dither=Image.Dither.NONE)
            small.save(DOCS / "images" / drawn.name, optimize=True)


if __name__ == "__main__":
    main()
