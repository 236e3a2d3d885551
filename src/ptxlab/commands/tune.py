"""`ptxlab tune`: measure which tiling of a product is fastest on this GPU."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import typer

from ptxlab.commands.command import Command
from ptxlab.commands.specs import bad
from ptxlab.diag import console


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """Which products are tuned."""

    shapes: Annotated[
        list[str] | None, typer.Argument(metavar="SHAPE…", help="of products: n or MxNxK, e.g. 4096 64x4096x8192")
    ] = None
    type: Annotated[str, typer.Option("--type", metavar="TYPE", help="of A and B: bf16, f16, tf32, int8, e4m3 or e5m2")] = "bf16"
    layout: Annotated[
        str, typer.Option("--layout", metavar="LAYOUT", help="of B: kn, nk or both; default both, for elements of 16 bits")
    ] = ""
    most: Annotated[int, typer.Option(metavar="N", help="candidates that are timed, those that should be fastest", min=1)] = 16
    predict: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            help="of the candidates time N that the timing model puts first, and the default; without a GPU show what it predicts",
            min=1,
        ),
    ] = None
    rounds: Annotated[int, typer.Option(metavar="N", help="how often each candidate is timed; the median counts", min=3)] = 20
    show: Annotated[bool, typer.Option("--list", help="show what is kept for this GPU")] = False
    forget: Annotated[bool, typer.Option("--forget", help="forget what is kept for this GPU")] = False


def run(options: Options) -> int:
    """Tune, show or forget. Raises: Diagnostic PTX2501 for options that cannot be, and what `bench.kernels.tune` raises."""
    from ptxlab.bench.kernels import tune, works

    if options.show + options.forget + bool(options.shapes) != 1:
        raise bad("Say what to do: shapes, --list or --forget.", "e.g. ptxlab tune 4096 64x4096x8192")
    if options.predict is not None and not options.shapes:
        raise bad("--predict is about shapes.", "e.g. ptxlab tune 4096 --predict 4")
    if options.show:
        return tune.show(console())
    if options.forget:
        return tune.clear(console())
    if options.type not in tune.TYPES:
        raise bad(f"--type {options.type} is no type of a product.", f"use {', '.join(tune.TYPES)}")
    wide = options.type in ("bf16", "f16")
    if options.layout not in ("", "kn", "nk", "both"):
        raise bad(f"--layout {options.layout} is no layout of B.", "use kn, nk or both")
    if not wide and options.layout in ("kn", "both"):
        raise bad(f"B of {options.type} as K×N is copied to N×K first.", "use --layout nk")
    layouts = {"kn": ("kn",), "nk": ("nk",)}.get(options.layout, ("kn", "nk") if wide else ("nk",))
    shapes = works.shapes_of(",".join(options.shapes or ()))
    chosen = tune.Chosen(shapes, options.type, layouts, options.most, options.rounds, options.predict)  # pyright: ignore[reportArgumentType]
    return tune.main(chosen, console())


COMMAND = Command(
    Options,
    run,
    "What is found is kept on disk for this GPU model, driver and version, and `ptxlab.kernels.gemm` uses it for products "
    "of the same kind on CUDA arrays. Needs a GPU and torch; with --predict, without a GPU the ranking is shown.",
)
