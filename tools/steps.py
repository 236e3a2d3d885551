"""`python -m tools.steps`: the kernel of tutorial 8, step by step, timed on a GPU beside `gemm` and cuBLAS.

The code is the page's own. Each step differs from the one before in one thing: the tile, the stages of the ring, the order of
tiles, how many tiles a CTA takes.
`--record FILE` appends a line of JSON for each shape. It needs a GPU of sm_90, and torch.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from types import ModuleType
from typing import Any

import ptxlab as px
from ptxlab.bench import contest, machine, records
from ptxlab.bench.contest import Call, Contenders
from ptxlab.diag import Diagnostic, console
from ptxlab.kernels.blocks.tiling import Tiling
from ptxlab.kernels.gemm import prepare
from tools.blocks import blocks

PAGE = Path(__file__).resolve().parents[1] / "docs" / "tutorials" / "8-fast-gemm.md"
FILE = "product.py"


@dataclass(frozen=True, slots=True)
class Step:
    """A tiling by its name, the rows of tiles that are finished before the next ones begin, and whether a CTA takes many tiles."""

    tiling: str
    group: int = 1
    persistent: bool = False


STEPS = {
    "64 × 64": Step("64x64-1c"),
    "128 × 128, 2 consumers": Step("128x128-2c"),
    "128 × 256, 2 stages": Step("128x256-2c-2st"),
    "128 × 256, 3 stages": Step("128x256-2c-3st"),
    "128 × 256, 4 stages": Step("128x256-2c"),
    "the same, tiles in groups of 16 rows": Step("128x256-2c", 16),
    "the same, one CTA an SM takes many tiles": Step("128x256-2c", 16, persistent=True),
}
SHAPES = ((4096, 4096, 4096), (4096, 28672, 8192))
TOLERANCE = 1e-2
"""Relative error beside cuBLAS: one of a single tile would be far above it."""


@contextmanager
def page() -> Iterator[ModuleType]:
    """The page's kernel as a module: the first of its blocks of that name."""
    text = next(b.text for b in blocks(PAGE.read_text(encoding="utf-8")) if b.name == FILE)
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder) / FILE
        place.write_text(f"import numpy as np\nimport ptxlab as px\n{text}", encoding="utf-8")
        module = ModuleType("product")
        exec(compile(place.read_text(encoding="utf-8"), str(place), "exec"), vars(module))
        yield module


def launch(kernel_of: Callable[[Tiling], Any], step: str, a: Any, b: Any, c: Any, sms: int) -> Call:
    """A step's launch: C = A · Bᵀ. As `multiply` of the page, but prepared."""
    how = STEPS[step]
    (m, k), n, item = a.shape, b.shape[0], a.itemsize
    t = replace(Tiling.named(how.tiling).fitted(item, k), group=how.group)
    maps = [px.tensor_map(x, box=(lines, t.step), swizzle="128B") for x, lines in ((a, t.rows), (b, t.columns))]
    maps.append(px.tensor_map(c, box=t.box(c.itemsize), swizzle="128B"))
    ctas = min(sms, t.tiles(m, n)) if how.persistent else t.tiles(m, n)
    return kernel_of(t).prepare(grid=(ctas, 1, 1), args=(*maps, m, n, k))


def contenders(torch: ModuleType, kernel_of: Callable[[Tiling], Any], shape: tuple[int, int, int]) -> Contenders:
    """Every step, `gemm` and cuBLAS. Raises: Diagnostic PTX2420 for a step whose result differs from cuBLAS's."""
    m, n, k = shape
    sms = torch.cuda.get_device_properties(0).multi_processor_count
    generator = torch.Generator(device="cuda").manual_seed(0)
    a, b = (torch.randn(x, k, device="cuda", generator=generator).to(torch.bfloat16) for x in (m, n))
    c = torch.empty(m, n, device="cuda", dtype=torch.bfloat16)
    made: dict[str, Call] = {step: launch(kernel_of, step, a, b, c, sms) for step in STEPS}
    made["ptxlab.kernels.gemm"] = prepare(a, b, c, b_layout="nk")
    wanted = (a @ b.T).float()
    for name, call in made.items():
        c.fill_(float("nan"))
        call()
        torch.cuda.synchronize()
        error = float((c.float() - wanted).norm() / wanted.norm())
        if not error <= TOLERANCE:  # NaN fails too
            raise Diagnostic(
                "PTX2420", f"{name} is wrong: relative error {error:.2g}.", help="run the page in the simulator"
            )
    made["cuBLAS, a @ b.T"] = lambda: torch.matmul(a, b.T, out=c)
    return {name: [call] for name, call in made.items()}


def main(arguments: list[str] | None = None) -> int:
    """Times each shape, shows a table, and returns the exit status."""
    parser = argparse.ArgumentParser(prog="python -m tools.steps", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=40, help="rounds that the median is taken of")
    parser.add_argument("--record", type=Path, help="append a line of JSON for each shape to this file")
    options = parser.parse_args(arguments)
    try:
        contest.check_rounds(options.rounds)
        torch = contest.torch_with_gpu()
        with page() as module:
            for shape in SHAPES:
                measure(torch, module.product_of, shape, options.rounds, options.record)
    except Diagnostic as d:
        print(d, file=sys.stderr)
        return 1
    return 0


def measure(torch: ModuleType, kernel_of: Any, shape: tuple[int, int, int], rounds: int, record: Path | None) -> None:
    """One shape: shown, and recorded."""
    m, n, k = shape
    operations = 2.0 * m * n * k
    made = contenders(torch, kernel_of, shape)
    contest.warm(torch, made, operations)
    timings = contest.timings(torch, made, operations, rounds)
    beside = timings["cuBLAS, a @ b.T"].median
    line = {
        "bench": "steps",
        "date": machine.today(),
        "shape": list(shape),
        "data": "bf16, standard normal",
        "gpu": contest.under_load(torch, made["ptxlab.kernels.gemm"], operations),
        "torch": torch.__version__,
        "cuda": torch.version.cuda,
        "tflops": {name: t.record(beside) for name, t in timings.items()},
    }
    console().print(contest.table(line, f"{m} × {n} × {k}", "of cuBLAS"))
    if record is not None:
        records.append(record, line)


if __name__ == "__main__":
    sys.exit(main())
