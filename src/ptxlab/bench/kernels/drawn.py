"""Products drawn at random: no list of shapes to tune for. Each is held to the best peer in the same layout of B."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from typing import Any, Final, Literal

from rich.table import Table

from ptxlab.bench.kernels.table import empty, geometric_mean
from ptxlab.bench.kernels.works import Product, Reach, Work, named

LARGEST: Final = 17
"""The binary logarithm of the largest extent."""
MULTIPLES: Final = tuple(2**i for i in range(7))
"""What extents are multiples of: 1 to 64."""
_MOST_BYTES: Final = 3e9
_MOST_OPERATIONS: Final = 3e12
_TYPES: Final[tuple[tuple[Product, str, int], ...]] = (
    ("gemm", "bfloat16", 6),
    ("gemm", "float16", 2),
    ("fp8", "float8_e4m3fn", 2),
)
"""Kind, type of A and B, and how often it is drawn."""
MEAN: Final = 1.03
FIFTH: Final = 0.95
WORST: Final = 0.85
"""What the geometric mean, the 5th percentile and the lowest ratio have to reach."""
_TILE: Final = 128
_SMS: Final = 132


def works(count: int, seed: int, only: Sequence[str] = ()) -> list[Work]:
    """So many products: M, N and K log-uniform up to 2^17, each a multiple of 1 to 64; layout of B and types drawn, too.

    Args:
        only: kinds; none: all that are drawn.
    """
    dice = random.Random(seed)
    kinds = [one for one in _TYPES if not only or one[0] in only]
    made: list[Work] = []
    while len(made) < count and kinds:
        kind, dtype, _ = dice.choices(kinds, [weight for *_, weight in kinds])[0]
        layout: Literal["kn", "nk"] = dice.choice(("kn", "nk")) if kind == "gemm" else "nk"
        least = 16 if kind == "fp8" else 1  # cuBLAS takes no others of fp8
        m, n, k = _extent(dice, 1), _extent(dice, least), _extent(dice, least)
        words = f"{named((m, n, k))}, {dtype}, B {'K×N' if layout == 'kn' else 'N×K'}"
        size = 1 if kind == "fp8" else 2
        one = Work(kind, words, ((m, n, k),), Reach(FIFTH), size=size, dtype=dtype, layout=layout)
        if one.bytes <= _MOST_BYTES and one.operations <= _MOST_OPERATIONS:
            made.append(one)
    return made


def _extent(dice: random.Random, least: int) -> int:
    multiple = max(least, dice.choice(MULTIPLES))
    return multiple * max(1, round(2 ** dice.uniform(0, LARGEST) / multiple))


def cause(line: dict[str, Any]) -> str:
    """What makes the product of a record hard, in a few words: the first of these that holds."""
    (m, n, k), size = line["shapes"][0], line["element_bytes"]
    tiles, rows_of_b = -(-m // _TILE) * -(-n // _TILE), n if line["work"].endswith("K×N") else k
    if size * k % 16 or size * rows_of_b % 16:
        return "rows that no TMA takes (not multiples of 16 bytes)"
    if 2.0 * m * n * k < 2e8 and size * (m * k + n * k) + 2 * m * n < 4e6:
        return "small: a few microseconds"
    if min(m, n) <= 16:
        return "few rows or columns (up to 16)"
    if tiles < _SMS and k >= 4 * max(m, n):
        return "deep: few tiles, long K (splits)"
    if k <= 256:
        return "shallow: writing C counts"
    if tiles < _SMS:
        return "fewer tiles than SMs"
    waves = tiles / _SMS
    if waves < 8 and waves % 1 and -(-tiles // _SMS) / waves > 1.15:
        return "a last wave that is mostly empty"
    return "large"


def summary(lines: Sequence[dict[str, Any]], count: int, seed: int) -> dict[str, Any]:
    """What drawn products come to: geometric mean, 5th percentile, lowest, and the same by cause."""
    known = sorted((line for line in lines if line["ratio"] is not None), key=lambda line: line["ratio"])
    ratios = [line["ratio"] for line in known]
    causes: dict[str, list[dict[str, Any]]] = {}
    for line in known:
        causes.setdefault(cause(line), []).append(line)
    return {
        "drawn": count,
        "seed": seed,
        "compared": len(ratios),
        "geometric_mean": _rounded(geometric_mean(ratios)),
        "fifth_percentile": _rounded(ratios[len(ratios) // 20] if ratios else None),
        "lowest": [known[0]["work"], ratios[0]] if known else None,
        "causes": {name: _cause(some) for name, some in sorted(causes.items(), key=lambda item: _mean(item[1]))},
    }


def _mean(lines: Sequence[dict[str, Any]]) -> float:
    return geometric_mean(line["ratio"] for line in lines) or 0.0


def _cause(lines: Sequence[dict[str, Any]]) -> dict[str, Any]:
    below = sum(line["ratio"] < FIFTH for line in lines)
    return {
        "products": len(lines),
        "geometric_mean": _rounded(_mean(lines)),
        "below": below,
        "lowest": lines[0]["work"],
    }


def _rounded(ratio: float | None) -> float | None:
    return None if ratio is None else round(ratio, 4)


def words(found: dict[str, Any]) -> str:
    """A summary in two sentences."""
    if not found["compared"]:
        return "Nothing was compared."
    work, least = found["lowest"]
    return (
        f"{found['compared']} of {found['drawn']} products drawn from seed {found['seed']}: geometric mean "
        f"{found['geometric_mean']:.3f} (goal {MEAN}), 5th percentile {found['fifth_percentile']:.3f} (goal {FIFTH}), "
        f"lowest {least:.3f} (goal {WORST}): {work}."
    )


def causes(found: dict[str, Any]) -> Iterator[Table]:
    """Where the ratio is lost: a table by what makes products hard, the worst first."""
    if not found["causes"]:
        return
    out = empty("by what makes them hard")
    out.add_column("cause")
    for name in ("products", "geometric mean", f"below {FIFTH}"):
        out.add_column(name, justify="right", no_wrap=True)
    out.add_column("lowest")
    for name, one in found["causes"].items():
        out.add_row(name, str(one["products"]), f"{one['geometric_mean']:.3f}", str(one["below"]), one["lowest"])
    yield out
