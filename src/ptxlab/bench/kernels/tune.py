"""`ptxlab tune`: times the tilings of a product on the GPU at hand, and keeps the fastest for `gemm` to choose."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import ModuleType
from typing import Any, Final

from rich.console import Console
from rich.table import Table

from ptxlab import Device, Profile, Ranking, device_of, empty, profile
from ptxlab.bench.kernels import ours, timing, works
from ptxlab.bench.kernels.contest import Inputs, sets_of
from ptxlab.bench.kernels.timing import Call, Seconds
from ptxlab.diag import Diagnostic
from ptxlab.kernels.blocks.choice import Shape, candidates, choose, time_of
from ptxlab.kernels.blocks.tiling import Tiling
from ptxlab.kernels.blocks.tuned import Tuned, forget, keep, kept
from ptxlab.timing.chip import chip, chip_of
from ptxlab.timing.rank import Planned, ranking

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
        predict: so many of them are timed, those that the timing model puts first; None: all.
    """

    shapes: Sequence[works.Shape]
    type: str = "bf16"
    layouts: tuple[ours.Layout, ...] = ("kn", "nk")
    most: int = MOST
    rounds: int = 20
    predict: int | None = None


@dataclass(frozen=True, slots=True)
class Measured:
    """What came of one product: the measurement, and the seconds of each candidate."""

    tuned: Tuned
    seconds: Mapping[str, Seconds]


def expected(shape: Shape, most: int = MOST) -> list[Tiling]:
    """So many candidates of a product, those that the model expects to be fastest, in their order."""
    return sorted(candidates(shape), key=lambda t: time_of(shape, t))[: max(1, most)]


def best_of(shape: Shape, make: Maker, timer: Timer, among: Sequence[Tiling] | None = None) -> Measured:
    """Time candidates of a product.

    Args:
        shape: the product. among: the candidates; None: those of `expected`.

    Raises: Diagnostic PTX2511 where none of them runs.
    """
    model, calls = str(choose(shape)), dict[str, Sequence[Call]]()
    wrong: Diagnostic | None = None
    for tiling in among or expected(shape):
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
    """Tune products on this machine's GPU; where there is none, show what is predicted, if `predict` asks for it.

    Raises: Diagnostic as `ptxlab.bench.contest.torch_with_gpu`, PTX2511; with `predict` PTX2501 for a GPU without a table, PTX2512.
    """
    from ptxlab.bench.contest import torch_with_gpu

    try:
        torch = torch_with_gpu()
    except Diagnostic as d:
        if chosen.predict is None:
            raise
        return _without_gpu(chosen, d, console)
    device = _device(torch)
    for m, n, k in chosen.shapes:
        for layout in chosen.layouts:
            with console.status(f"{m} × {n} × {k}, B {_letters(layout)}"):
                found = None if chosen.predict is None else foretold((m, n, k), layout, chosen, chip_of(device.name))
                measured = _tuned(torch, (m, n, k), layout, chosen, found)
            keep(device, measured.tuned)
            if found is not None:
                _print(found, console)
            console.print(table(measured, f"{m} × {n} × {k} {chosen.type}, B {_letters(layout)}, {device.name}"))
    return 0


def _without_gpu(chosen: Chosen, why: Diagnostic, console: Console) -> int:
    """Show rankings alone."""
    for size in chosen.shapes:
        for layout in chosen.layouts:
            with console.status(f"{works.named(size)}, B {_letters(layout)}"):
                found = foretold(size, layout, chosen)
            _print(found, console)
    console.print(f"Nothing was measured, and nothing is kept. {why.message}", highlight=False)
    return 0


def promising(found: Ranking, shape: Shape, count: int) -> list[Tiling]:
    """So many candidates that a ranking puts first, and beside them what is taken where nothing is kept: it has to be beaten."""
    predicted = [Tiling.named(one.constants["tiling"]) for one in found.candidates if one.profile is not None]
    return list(dict.fromkeys([*predicted[:count], choose(shape)]))


def foretold(size: works.Shape, layout: ours.Layout, chosen: Chosen, on: str = "h200") -> Ranking:
    """The candidates of a product as the timing model ranks them, on arrays of the host: their content does not count.

    Raises: Diagnostic PTX2512 where none can be predicted.
    """
    from ptxlab.kernels.gemm import prepare
    from ptxlab.kernels.gemm_call import problem

    (m, n, k), (kind, result) = size, TYPES[chosen.type]
    arrays = empty((m, k), kind), empty((k, n) if layout == "kn" else (n, k), kind), empty((m, n), result)

    def plan(tiling: Tiling) -> Planned:
        def predicted() -> Profile:
            return profile(prepare(*arrays, b_layout=layout, config=tiling), on=on)

        return Planned({"tiling": str(tiling)}, predicted)

    name = f"gemm {works.named(size)} {chosen.type}, B {_letters(layout)}"
    every = expected(problem(*arrays, layout).shape(), chosen.most)
    return ranking(name, [plan(tiling) for tiling in every], chip(on))


def _print(found: Ranking, console: Console) -> None:
    console.print(found.title, highlight=False)
    console.print(found.table())
    console.print("\n".join(found.remarks), highlight=False, markup=False)
    console.print()


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
        by_model = time_of(tuned.shape, tuned.shape.cut(Tiling.named(name)))
        notes = ["kept"] * (name == tuned.config) + ["the model's choice"] * (name == tuned.model)
        out.add_row(name, f"{s.median * 1e6:.2f}", f"{s.best * 1e6:.2f}", f"{by_model:.2f}", ", ".join(notes))
    return out


def _device(torch: ModuleType) -> Device:
    return device_of(torch.empty(1, device="cuda"))


def _letters(layout: str) -> str:
    return "K×N" if layout == "kn" else "N×K"


def _tuned(
    torch: ModuleType, size: works.Shape, layout: ours.Layout, chosen: Chosen, found: Ranking | None
) -> Measured:
    """One product, on several sets of random inputs, which take turns. found: its candidates, ranked."""
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

    shape = problem(*sets[0], layout).shape()
    if found is None or chosen.predict is None:
        return best_of(shape, make, timer, expected(shape, chosen.most))
    return best_of(shape, make, timer, promising(found, shape, chosen.predict))


def _drawn(inputs: Inputs, kind: str, rows: int, columns: int) -> Any:
    if kind == "int8":
        return inputs.torch.randint(-128, 128, (rows, columns), dtype=inputs.torch.int8, device="cuda")
    return inputs.normal(rows, columns, dtype=kind)
