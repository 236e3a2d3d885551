"""Spaces of candidates: one piece of work each, which a kernel's constants cut in several ways. How well are they ranked?"""

from __future__ import annotations

import random
from collections.abc import Iterator
from itertools import product
from typing import Any, Final

import ptxlab as px
from ptxlab.bench.predict.cases import Case
from ptxlab.kernels.blocks.choice import candidates, choose
from ptxlab.kernels.gemm_call import problem

EACH: Final = 8
"""Tilings of a product: the one that `gemm` takes by itself, and others that are drawn."""


def draw(seed: int, products: int) -> list[Case]:
    """Candidates of so many products, and of half as many pieces of work of each kernel above."""
    dice = random.Random(seed)
    out: list[Case] = []
    for _ in range(products):
        out += _tilings(dice)
    for _ in range((products + 1) // 2):
        n = dice.choice((1 << 20, 1 << 22, 1 << 24))
        out += _all("scaled", {"n": n}, per_thread=(1, 2, 4, 8), apart=(True, False))
        n = dice.choice((1024, 2048, 4096))
        out += _all("transposed", {"n": n}, tiles=(1, 2, 4, 8), pad=(0, 1))
    return list({case.name: case for case in out}.values())


def _all(kind: str, work: dict[str, Any], **constants: tuple[Any, ...]) -> Iterator[Case]:
    for chosen in product(*constants.values()):
        yield Case(kind, work | dict(zip(constants, chosen, strict=True)), Case(kind, work).name)


def _tilings(dice: random.Random) -> Iterator[Case]:
    m, n, k = (dice.choice((512, 768, 1024, 1536, 2048, 3072, 4096)) for _ in range(3))
    layout = dice.choice(("kn", "nk"))
    b = px.empty((n, k) if layout == "nk" else (k, n), "bf16")
    shape = problem(px.empty((m, k), "bf16"), b, px.empty((m, n), "bf16"), layout).shape()
    own = choose(shape)
    others = sorted(str(t) for t in candidates(shape) if t != own)
    work = {"m": m, "n": n, "k": k, "layout": layout}
    for config in (str(own), *dice.sample(others, min(EACH - 1, len(others)))):
        yield Case("gemm", work | {"config": config}, Case("gemm", work).name)
