"""Kernels and sizes that are predicted and then measured, drawn by a seed."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Final, Literal

from ptxlab.bench.predict import cut, small

SMS: Final = 132
Empty = Callable[..., Any]
"""Makes an array of zeros of a shape and a type."""


@dataclass(frozen=True, slots=True)
class Case:
    """A launch.

    Attributes:
        kind: which kernel. numbers: what `launch` needs to make it; JSON holds them.
        space: the work that other cases cut in other ways, in words: see `spaces`. "" for a case by itself.
    """

    kind: str
    numbers: dict[str, Any] = field(default_factory=dict[str, Any])
    space: str = ""

    @property
    def name(self) -> str:
        """In words."""
        return " ".join([self.kind, *(f"{key}={value}" for key, value in self.numbers.items())])


def launch(case: Case, empty: Empty) -> Any:
    """The launch of a case, on arrays of zeros: zeros draw little power, so that clocks stay where they are."""
    n = dict(case.numbers)
    if case.kind == "gemm":
        return _gemm(empty, **n)
    if case.kind == "attention":
        return _attention(empty, **n)
    if case.kind in ("rms_norm", "layer_norm"):
        return _norm(case.kind, empty, **n)
    if case.kind in cut.KINDS:
        return cut.prepared(case.kind, empty, **n)
    return small.prepared(case.kind, empty, **n)


def _gemm(empty: Empty, m: int, n: int, k: int, layout: Literal["kn", "nk"], config: str | None) -> Any:
    from ptxlab.kernels.gemm import prepare

    b = (n, k) if layout == "nk" else (k, n)
    return prepare(
        empty((m, k), "bfloat16"), empty(b, "bfloat16"), empty((m, n), "bfloat16"), b_layout=layout, config=config
    )


def _attention(empty: Empty, batch: int, length: int, heads: int, depth: int, causal: bool) -> Any:
    from ptxlab.kernels.attention import prepare

    shape = (batch, heads, length, depth)
    return prepare(*(empty(shape, "bfloat16") for _ in range(4)), causal=causal)


def _norm(kind: str, empty: Empty, rows: int, columns: int) -> Any:
    from ptxlab.kernels import rows as kernels

    made = kernels.prepare_rms_norm if kind == "rms_norm" else kernels.prepare_layer_norm
    return made(empty((rows, columns), "bfloat16"), empty((rows, columns), "bfloat16"), empty((columns,), "bfloat16"))


_CONFIGS: Final = (None, "128x256-2c", "128x128-2c", "128x192-2c", "256x128-2c", "64x256-1c", "64x128-1c", "192x128-3c")


def draw(seed: int, gemms: int = 12) -> list[Case]:
    """Cases of every kind: `gemms` products, and a few of each other."""
    dice = random.Random(seed)
    out: list[Case] = []
    for _ in range(gemms):
        m, n, k = (dice.choice((512, 768, 1024, 1536, 2048, 3072, 4096)) for _ in range(3))
        layout = dice.choice(("kn", "nk"))
        out.append(Case("gemm", {"m": m, "n": n, "k": k, "layout": layout, "config": dice.choice(_CONFIGS)}))
    for _ in range(6):
        length, heads = dice.choice(((512, 16), (1024, 8), (2048, 8), (2048, 16), (4096, 4)))
        depth, causal = dice.choice((64, 128)), dice.random() < 0.5
        out.append(
            Case(
                "attention",
                {"batch": dice.choice((1, 2)), "length": length, "heads": heads, "depth": depth, "causal": causal},
            )
        )
    for kind in ("rms_norm", "layer_norm"):
        for _ in range(3):
            rows, columns = dice.choice(((2048, 1024), (4096, 2048), (8192, 4096), (1024, 8192), (16384, 1024)))
            out.append(Case(kind, {"rows": rows, "columns": columns}))
    for _ in range(2):
        grid = dice.choice((SMS, 2 * SMS, 300, 600, 1000))
        count = dice.choice((64, 100, 200, 300))
        out.append(Case("fma", {"ctas": grid, "count": count, "chains": dice.choice((1, 2, 4, 8))}))
        out.append(Case("doubles", {"ctas": grid, "count": count, "chains": dice.choice((1, 2, 4))}))
        out.append(Case("exponentials", {"ctas": grid, "count": count}))
        out.append(Case("divisions", {"ctas": grid, "count": dice.choice((16, 32, 64))}))
        out.append(Case("conflicts", {"ctas": grid, "count": count, "stride": dice.choice((1, 2, 3, 4, 8, 16))}))
        out.append(Case("barriers", {"ctas": grid, "count": count}))
        out.append(Case("shuffles", {"ctas": grid, "count": count}))
        out.append(Case("divergence", {"ctas": grid, "count": dice.choice((8, 16, 32))}))
        out.append(
            Case(
                "stream",
                {
                    "ctas": dice.choice((SMS, 4 * SMS, 8 * SMS, 2000)),
                    "count": dice.choice((4, 8, 16)),
                    "width": dice.choice((1, 4)),
                },
            )
        )
        out.append(Case("strided", {"ctas": dice.choice((1000, 4000, 8000)), "stride": dice.choice((2, 4, 8, 16))}))
    return list({case.name: case for case in out}.values())
