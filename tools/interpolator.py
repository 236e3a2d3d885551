"""`python -m tools.interpolator`: the interpolator's coefficients, recovered from all results of a binade.

The form of the sum is known (sim/numerics/approximate/interpolate.py). In each segment the slope and the curvature that fit the
results best are whole numbers but for noise; they are right where some constant gives every single result, and that constant is
known to a few units of 2^-17 of the last bit. What rounding constant the segments have in common follows from that.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from ptxlab.conformance.functions import run
from ptxlab.conformance.rows.probes import Probe
from ptxlab.diag import Diagnostic
from ptxlab.sim.numerics.approximate import tables
from ptxlab.sim.numerics.approximate.interpolate import ARGUMENT_BITS, Table

Integers = NDArray[np.int64]
_STEPS: Final = (15, 14)
"""Constants are multiples of 2^15 or 2^14 units, but for the rounding."""
_SAMPLE: Final = 7
"""One of so many results is looked at for the first guess."""


@dataclass(frozen=True, slots=True)
class Source:
    """Where a table's results come from.

    Attributes:
        table: what is to come out. probe: key of the instruction. begins: the first operands of binades, one after the other.
        unit: the exponent in whose last bits the results are counted. exact: whether the first of all is a case by itself.
    """

    table: Table
    probe: str
    begins: tuple[int, ...]
    unit: int
    exact: bool = False

    def results(self, device: run.Device) -> list[Integers]:
        """Of each binade, in units of the last bit."""
        out: list[Integers] = []
        for begin in self.begins:
            operands = np.arange(begin, begin + (1 << 23), dtype=np.uint32)
            found = device(Probe.of_key(self.probe), [operands]).astype(np.int64)
            out.append(found - ((self.unit - 1) << 23))
        return out


SOURCES: Final = (
    Source(tables.RCP, "rcp.f32 rcp.approx.ftz.f32", (0x3F80_0000,), 126),
    Source(tables.RSQ, "rsqrt.f32 rsqrt.approx.ftz.f32", (0x3F80_0000, 0x4000_0000), 126, exact=True),
    Source(tables.SQRT, "sqrt.f32 sqrt.approx.ftz.f32", (0x3F80_0000, 0x4000_0000), 127),
    Source(tables.EX2, "ex2.f32 ex2.approx.ftz.f32", (0x3F80_0000,), 128),
)


@dataclass(frozen=True, slots=True)
class Segment:
    """What fits: constants from `least` to `most` in units of 2^-17, the slope, and the curvature in halves."""

    least: int
    most: int
    slope: int
    curvature: int


def squared(x: Integers) -> Integers:
    """The square of the argument as the chip has it, in units of 2^19."""
    high = x >> 9
    return (high * high >> 1) + sum((x >> i & 1) * (x >> (18 - i)) for i in range(2, 9))


def fit(results: Integers, x: Integers) -> Segment | None:
    """The coefficients that give all results of a segment for the arguments x; None where there are none."""
    t, s = x / 2**ARGUMENT_BITS, squared(x)
    columns = np.stack([np.ones_like(t), t, s / 2**15]).T
    _, slope, curvature = np.linalg.lstsq(columns[::_SAMPLE], (results - results[0])[::_SAMPLE], rcond=None)[0]
    for more, bent in product((0, 1, -1), repeat=2):
        c1, c2 = round(float(slope)) + more, round(float(curvature) * 2) + bent
        rest = c1 * x + c2 * s * 2
        least = int(((results << ARGUMENT_BITS) - rest).max())
        most = int((((results + 1) << ARGUMENT_BITS) - rest).min()) - 1
        if least <= most:
            return Segment(least, most, c1, c2)
    return None


def segments(results: Integers, count: int, *, skip: int = 0) -> list[Segment]:
    """Those of a binade. skip: results at its begin that are a case by themselves. Raises: ValueError where nothing fits."""
    size = results.size // count
    step = (1 << ARGUMENT_BITS) // size
    out: list[Segment] = []
    for i in range(count):
        begin = skip if i == 0 else 0
        x = np.arange(begin, size, dtype=np.int64) * step
        found = fit(results[i * size + begin : (i + 1) * size], x)
        if found is None:
            raise ValueError(f"no coefficients fit segment {i}")
        out.append(found)
    return out


def table(name: str, found: Sequence[Segment]) -> Table:
    """The table of some segments, with the least rounding constant that they have in common. Raises: ValueError without one."""
    for step in _STEPS:
        allowed = np.ones(1 << step, np.bool_)
        for s in found:
            mine = np.zeros(1 << step, np.bool_)
            mine[np.arange(s.least, min(s.most, s.least + (1 << step)) + 1) % (1 << step)] = True
            allowed &= mine
        if allowed.any():
            rounding = int(np.flatnonzero(allowed)[0])
            bases = [s.least + (rounding - s.least) % (1 << step) - rounding for s in found]
            rows = tuple((b >> _STEPS[-1], s.slope, s.curvature) for b, s in zip(bases, found, strict=True))
            return Table(name, rounding, rows)
    raise ValueError("the segments have no rounding constant in common")


def recovered(source: Source, device: run.Device) -> Table:
    """The table that a device's results were made with. Raises: ValueError where none is."""
    binades = source.results(device)
    each = len(source.table.rows) // len(binades)
    found: list[Segment] = []
    for i, results in enumerate(binades):
        found += segments(results, each, skip=int(source.exact and i == 0))
    return table(source.table.name, found)


def main(arguments: Sequence[str] | None = None) -> int:
    """Recover the tables and compare them with the package's; 1 where they differ."""
    parser = argparse.ArgumentParser(prog="python -m tools.interpolator", description=__doc__)
    parser.add_argument("--on", choices=("gpu", "sim"), default="gpu", help="whose results: a GPU's, or the simulator's")
    options: Any = parser.parse_args(arguments)
    device = run.gpu if options.on == "gpu" else run.simulator
    different = 0
    for source in SOURCES:
        try:
            found = recovered(source, device)
        except (ValueError, Diagnostic) as e:
            print(f"{source.table.name}: {e}", file=sys.stderr)
            return 1
        same = found == source.table
        different += not same
        print(f"{found.name}: {len(found.rows)} segments, rounding {found.rounding}: {'as' if same else 'not as'} in tables.py")
        if not same:
            print(found)
    return int(different > 0)


if __name__ == "__main__":
    sys.exit(main())
