"""`ptxlab tune`: times the tilings of a product on the GPU at hand, and keeps the fastest for `gemm` to choose."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import ModuleType
from typing import Any, Final

from rich.console import Console
from rich.table import Table

from ptxlab import Device, device_of
from ptxlab.bench.kernels import ours, timing, works
from ptxlab.bench.kernels.contest import Inputs, sets_of
from ptxlab.bench.kernels.timing import Call, Seconds
from ptxlab.diag import Diagnostic
from ptxlab.kernels.blocks.choice import Shape, candidates, choose, time_of
from ptxlab.kernels.blocks.tiling import Tiling
from ptxlab.kernels.blocks.tuned import Tuned, forget, keep, kept

TYPES: Final = {
    "bf16": ("bfloat16", "bfloat16"),
    "f16": ("float16", "float16"),
    "tf32": ("float32", "float32"),
    "int8": ("int8", "int32"),
    "e4m3": ("float8_e4m3fn", "bfloat16"),
    "e5m2": ("float8_e5m2", "bfloat16"),
}
"""torch's names of the types of A and B, and of C, by ours."""
WORTH: Final = 0.01
"""A tiling takes the place of the model's where it takes this share less of its time; below, it may be noise."""
MOST: Final = 16

Timer = Callable[[Mapping[str, Sequence[Call]]], Mapping[str, Seconds]]
"""Times contenders, each of which is one call for each set of inputs."""
Maker = Callable[[Tiling], Sequence[Call]]
"""The calls of a product that is cut so. Raises: Diagnostic where it cannot be."""


@dataclass(frozen=True, slots=True)
class Chosen:
    """What is tuned.

    Attributes:
        shapes: M, N, K of each product. type: of `TYPES`. layouts: of B, "kn" or "nk". most: candidates of each product, those
            that the model expects to be fastest. rounds: how often each is timed.
    """

    shapes: Sequence[works.Shape]
    type: str = "bf16"
    layouts: tuple[ours.Layout, ...] = ("kn", "nk")
    most: int = MOST
    rounds: int = 20


@dataclass(frozen=True, slots=True)
class Measured:
    """What came of one product: the measurement, and the seconds of each candidate."""

    tuned: Tuned
    seconds: Mapping[str, Seconds]


def best_of(shape: Shape, make: Maker, timer: Timer, most: int = MOST) -> Measured:
    """Time the candidates of a product.

    Args:
        shape: the product. most: how many candidates are timed, those that the model expects to be fastest.

    Raises: Diagnostic PTX2511 where none of them runs.
    """
    ranked = sorted(candidates(shape), key=lambda t: time_of(shape, t))[: max(1, most)]
    model, calls = str(choose(shape)), dict[str, Sequence[Call]]()
    wrong: Diagnostic | None = None
    for tiling in ranked:
        try:
            calls[str(tiling)] = make(tiling)
        except Diagnostic as d:
            wrong = d
    if not calls:
        raise Diagnostic(
            "PTX2511",
            f"No tiling of a product of {shape.m} × {shape.n} × {shape.k} runs here"
            + (f": {wrong.message}" if wrong else "."),
            help="run gemm on arrays of this shape: it says why",
        )
    found = timer(calls)
    fastest = min(found, key=lambda name: found[name].median)
    beside = found.get(model, found[fastest])
    if model in found and found[fastest].median > (1 - WORTH) * beside.median:
        fastest = model
    return Measured(Tuned(shape, fastest, model, found[fastest].median, beside.median), found)


def main(chosen: Chosen, console: Console) -> int:
    """Tune products on this machine's GPU. Raises: Diagnostic as `ptxlab.bench.contest.torch_with_gpu`, PTX2511."""
    from ptxlab.bench.contest import torch_with_gpu

    torch = torch_with_gpu()
    device = _device(torch)
    for m, n, k in chosen.shapes:
        for layout in chosen.layouts:
            with console.status(f"{m} × {n} × {k}, B {_letters(layout)}"):
                measured = _tuned(torch, (m, n, k), layout, chosen)
            keep(device, measured.tuned)
            console.print(table(measured, f"{m} × {n} × {k} {chosen.type}, B {_letters(layout)}, {device.name}"))
    return 0


def show(console: Console) -> int:
    """What is kept for this machine's GPU."""
    from ptxlab.bench.contest import torch_with_gpu

    device = _device(torch_with_gpu())
    out = Table(
        title=f"tuned for {device.name}, CUDA {'.'.join(map(str, device.driver))}", title_justify="left", box=None
    )
    for name in ("M × N × K", "B", "tiling", "µs", "the model's", "µs"):
        out.add_column(name, justify="right" if name == "µs" else "left")
    for t in sorted(kept(device), key=lambda t: (t.shape.m, t.shape.n, t.shape.k)):
        s = t.shape
        size = f"{s.m} × {s.n} × {s.k}, {s.size} bytes"
        out.add_row(size, s.b_major, t.config, f"{t.seconds * 1e6:.1f}", t.model, f"{t.model_seconds * 1e6:.1f}")
    console.print(out)
    return 0


def clear(console: Console) -> int:
    """Forget what is kept for this machine's GPU."""
    from ptxlab.bench.contest import torch_with_gpu

    console.print(f"{forget(_device(torch_with_gpu()))} measurements are forgotten")
    return 0


def table(measured: Measured, title: str) -> Table:
    """The candidates of a product, the fastest first."""
    out = Table(title=title, title_justify="left", box=None, pad_edge=False, header_style="bold")
    for name, justify in (
        ("tiling", "left"),
        ("µs, median", "right"),
        ("best", "right"),
        ("model expects", "right"),
        ("", "left"),
    ):
        out.add_column(name, justify=justify)  # pyright: ignore[reportArgumentType]
    tuned = measured.tuned
    for name, s in sorted(measured.seconds.items(), key=lambda x: x[1].median):
        expected = time_of(tuned.shape, tuned.shape.cut(Tiling.named(name)))
        notes = ["kept"] * (name == tuned.config) + ["the model's choice"] * (name == tuned.model)
        out.add_row(name, f"{s.median * 1e6:.2f}", f"{s.best * 1e6:.2f}", f"{expected:.2f}", ", ".join(notes))
    return out


def _device(torch: ModuleType) -> Device:
    return device_of(torch.empty(1, device="cuda"))


def _letters(layout: str) -> str:
    return "K×N" if layout == "kn" else "N×K"


def _tuned(torch: ModuleType, size: works.Shape, layout: ours.Layout, chosen: Chosen) -> Measured:
    """One product, on several sets of random inputs, which take turns."""
    from ptxlab.kernels.gemm_call import problem

    (m, n, k), (kind, result) = size, TYPES[chosen.type]
    inputs = Inputs.seeded(torch)
    of_b, of_c = (k, n) if layout == "kn" else (n, k), {"dtype": getattr(torch, result), "device": "cuda"}
    sets = [
        (_drawn(inputs, kind, m, k), _drawn(inputs, kind, *of_b), torch.empty(m, n, **of_c))
        for _ in range(sets_of(works.gemm(size)))
    ]

    def make(tiling: Tiling) -> list[Call]:
        return [ours.gemm(a, b, c, layout, config=str(tiling)) for a, b, c in sets]

    def timer(calls: Mapping[str, Sequence[Call]]) -> dict[str, Seconds]:
        return timing.rounds(torch, calls, chosen.rounds, m * n * k)

    return best_of(problem(*sets[0], layout).shape(), make, timer, chosen.most)


def _drawn(inputs: Inputs, kind: str, rows: int, columns: int) -> Any:
    if kind == "int8":
        return inputs.torch.randint(-128, 128, (rows, columns), dtype=inputs.torch.int8, device="cuda")
    return inputs.normal(rows, columns, dtype=kind)
