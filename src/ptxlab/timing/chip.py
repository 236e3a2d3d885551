"""What a chip takes for each kind of work: a table made of measurements, where each figure says what it rests on."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Final

from ptxlab.diag import Diagnostic

_TABLES: Final = Path(__file__).parent / "chips"
MEASURED, INTERPOLATED, ASSUMED = "measured", "interpolated", "assumed"


@dataclass(frozen=True, slots=True)
class Cost:
    """What a kind of machine instruction takes.

    Attributes:
        interval: cycles in which its pipe takes no other instruction of the same quarter of an SM. latency: cycles until its
            result is
            there. pipe: which one. basis: "measured", "interpolated" or "assumed".
    """

    interval: float
    latency: float
    pipe: str
    basis: str


@dataclass(frozen=True)
class ChipTable:
    """A chip.

    Attributes:
        name: as the driver calls it. clock: of the SMs while they were measured, in MHz. about: driver, assembler, date.
        tensor_clock: the same while wgmma keeps the tensor cores at work, which lowers it.
        costs: by name of machine instruction. figures: all else; `bases` says of each what it rests on.
        products: cycles of a wgmma by where A lies ("shared", "registers") and N.
        errors: how far predictions with this table were off: of "all" kernels that were measured after they had been
            predicted, and by
            kind, "kernels", "mean" and "worst".
        ranks: how well rankings of candidates agreed with measurements, by kind of kernel: see `rank.Ranking`.
    """

    name: str
    clock: float
    tensor_clock: float
    about: Mapping[str, str]
    costs: Mapping[str, Cost]
    figures: Mapping[str, float]
    bases: Mapping[str, str]
    products: Mapping[str, Mapping[int, float]]
    errors: Mapping[str, Mapping[str, float]]
    ranks: Mapping[str, Mapping[str, float]]

    def clock_with(self, names: Iterable[str]) -> float:
        """MHz of the SMs while they execute these machine instructions."""
        return self.tensor_clock if any(name.endswith("GMMA") for name in names) else self.clock

    def cost(self, name: str) -> Cost:
        """Of a machine instruction; that of an unknown one is assumed."""
        found = self.costs.get(name)
        return found if found is not None else Cost(2.0, 20.0, "alu", ASSUMED)

    def product(self, source: str, n: int) -> tuple[float, str]:
        """Cycles of a wgmma with this N, and what they rest on."""
        known = self.products[source]
        if n in known:
            return known[n], MEASURED
        sizes = sorted(known)
        below = max((s for s in sizes if s < n), default=sizes[0])
        above = min((s for s in sizes if s > n), default=sizes[-1])
        part = 0.0 if above == below else (n - below) / (above - below)
        return known[below] + part * (known[above] - known[below]), INTERPOLATED


def chips() -> tuple[str, ...]:
    """Names of the chips that have a table."""
    return tuple(sorted(path.stem for path in _TABLES.glob("*.json")))


def chip_of(gpu: str) -> str:
    """The name of the chip that a GPU has, as its driver calls it. Raises: Diagnostic PTX2501 where there is no table of it."""
    for name in chips():
        if name.upper() in gpu.upper().split():
            return name
    raise Diagnostic(
        "PTX2501",
        f"There is no table of what {gpu} takes.",
        help=f"predict for {' or '.join(chips())}, or measure the chip: python -m ptxlab.bench.calibrate",
    )


@cache
def chip(name: str) -> ChipTable:
    """The table of a chip. Raises: Diagnostic PTX2501 where it has none."""
    path = _TABLES / f"{name.lower()}.json"
    if not path.is_file():
        raise Diagnostic(
            "PTX2501",
            f"chip={name!r} has no table.",
            help=f"use {' or '.join(map(repr, chips()))}, or measure the chip: python -m ptxlab.bench.calibrate",
        )
    return _read(json.loads(path.read_text(encoding="utf-8")))


def _read(table: Mapping[str, Any]) -> ChipTable:
    return ChipTable(
        name=table["name"],
        clock=table["clock_mhz"],
        tensor_clock=table["tensor_clock_mhz"],
        about=table["about"],
        costs={name: Cost(**cost) for name, cost in table["costs"].items()},
        figures={name: figure["value"] for name, figure in table["figures"].items()},
        bases={name: figure["basis"] for name, figure in table["figures"].items()},
        products={source: {int(n): c for n, c in known.items()} for source, known in table["products"].items()},
        errors=table["errors"],
        ranks=table.get("ranks", {}),
    )
