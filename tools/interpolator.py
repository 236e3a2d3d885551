"""`python -m tools.interpolator`: the interpolator's coefficients, recovered from all results in a segment.

The form of the sum is known (sim/numerics/approximate/interpolate.py), and every result says between what its sum lay before it
was cut off. In each segment the slope and the curvature that fit best are whole numbers but for noise; they are right where some
constant gives every single result, and that constant is known to a few units. What rounding constant the segments have in common
follows from that.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ptxlab.abi.sanitizing import when_asked
from ptxlab.conformance.functions import run
from ptxlab.conformance.rows.probes import Probe
from ptxlab.diag import Diagnostic
from ptxlab.sim.numerics.approximate import fixed_tables, tables
from ptxlab.sim.numerics.approximate.interpolate import ARGUMENT_BITS, Table

Integers: TypeAlias = NDArray[np.int64]
Words: TypeAlias = NDArray[np.uint32]
_FRACTION_BITS: Final = 23
_SIGNIFICANT: Final = 24
_TURN: Final = 2.0**25
"""Steps of a turn that sin tells apart."""
_PER_RADIAN: Final = 0.15915493667125702
"""1/2π in f32."""
_STEPS: Final = (15, 14)
"""Constants are multiples of 2^15 or 2^14 units, but for the rounding."""
_AROUND: Final = (0, 1, -1, 2, -2)
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


def fit(low: Integers, high: Integers, x: Integers) -> Segment | None:
    """The coefficients whose sums for the arguments x lie from `low` to `high`; None where there are none."""
    s = squared(x) << 1
    columns = np.stack([np.ones(x.size), x / 2**ARGUMENT_BITS, s / 2**16]).T
    middle = (low - low[0] + high - low[0]) / 2
    _, slope, curvature = np.linalg.lstsq(columns[::_SAMPLE], middle[::_SAMPLE], rcond=None)[0]
    for more, bent in product(_AROUND, repeat=2):
        c1, c2 = round(float(slope) / 2**ARGUMENT_BITS) + more, round(float(curvature) / 2**16) + bent
        rest = c1 * x + c2 * s
        least, most = int((low - rest).max()), int((high - rest).min())
        if least <= most:
            return Segment(least, most, c1, c2)
    return None


def cut(results: Integers) -> tuple[Integers, Integers]:
    """Between what the sums lie that were cut off to these results."""
    low = results << ARGUMENT_BITS
    return low, low + ((1 << ARGUMENT_BITS) - 1)


def segments(results: Integers, count: int, *, skip: int = 0) -> list[Segment]:
    """Those of a binade. skip: results at its begin that are a case by themselves. Raises: ValueError where nothing fits."""
    size = results.size // count
    step = (1 << ARGUMENT_BITS) // size
    out: list[Segment] = []
    for i in range(count):
        begin = skip if i == 0 else 0
        x = np.arange(begin, size, dtype=np.int64) * step
        found = fit(*cut(results[i * size + begin : (i + 1) * size]), x)
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


# --- functions whose results are numbers of fixed point -------------------------------------------------------------------------
Samples: TypeAlias = tuple[Integers, NDArray[np.float64]]
"""Arguments, and results, which are positive."""


@dataclass(frozen=True, slots=True)
class FixedSource:
    """Where the results of a table of fixed point come from.

    Attributes:
        table: what is to come out. places: binary places of the sum. kept: of what is cut off, at most.
        samples: asks a device for the results of a segment.
    """

    table: Table
    places: int
    kept: int
    samples: Callable[[run.Device, int], Samples]

    def segment(self, device: run.Device, index: int) -> Segment:
        """Raises: ValueError where nothing fits."""
        x, y = self.samples(device, index)
        low = np.ldexp(y, self.places).astype(np.int64)
        last = np.maximum(np.frexp(y)[1] - _SIGNIFICANT, -self.kept) + self.places
        found = fit(low, low + np.ldexp(1.0, last).astype(np.int64) - 1, x)
        if found is None:
            raise ValueError(f"no coefficients fit segment {index}")
        return found


def _asked(device: run.Device, probe: str, operands: Words) -> NDArray[np.float64]:
    return device(Probe.of_key(probe), [operands]).astype(np.uint32).view(np.float32).astype(np.float64)


def _logarithms(device: run.Device, index: int) -> Samples:
    """In [1, 2), but of 1, which is not looked up."""
    x = np.arange(index == 0, 1 << ARGUMENT_BITS, dtype=np.int64)
    operands = (x + (index << ARGUMENT_BITS) + 0x3F80_0000).astype(np.uint32)
    return x, _asked(device, "lg2.f32 lg2.approx.ftz.f32", operands)


def _sines(device: run.Device, index: int) -> Samples:
    """Of angles that fall into a segment of the first quarter once they are multiplied by 1/2π. They do not meet every place."""
    first = index << ARGUMENT_BITS
    steps = np.arange(first, first + (1 << ARGUMENT_BITS), dtype=np.float64)
    angles = ((steps + 0.5) / (_TURN * _PER_RADIAN)).astype(np.float32)
    turns = angles.astype(np.float64) * _PER_RADIAN
    turns = (turns.view(np.uint64) & ~np.uint64((1 << 29) - 1)).view(np.float64)  # cut off to f32
    x = np.floor(turns * _TURN).astype(np.int64) - first
    inside = (x >= 0) & (x < 1 << ARGUMENT_BITS)
    return x[inside], _asked(device, "sin.f32 sin.approx.ftz.f32", angles[inside].view(np.uint32))


def _tangents(device: run.Device, index: int) -> Samples:
    """In the power of two to which the segment belongs."""
    power = max(i for i, (first, _) in enumerate(fixed_tables.TANH_SPLIT) if first <= index)
    first, split = fixed_tables.TANH_SPLIT[power]
    x = np.arange(1 << ARGUMENT_BITS, dtype=np.int64)
    fraction = (x + ((index - first) << ARGUMENT_BITS)) << (_FRACTION_BITS - ARGUMENT_BITS - split)
    operands = (fraction + ((fixed_tables.TANH_LOW + power) << _FRACTION_BITS)).astype(np.uint32)
    return x, _asked(device, "tanh.f32 tanh.approx.f32", operands)


FIXED_SOURCES: Final = (
    FixedSource(fixed_tables.LG2, fixed_tables.LG2_PLACES, 36, _logarithms),
    FixedSource(fixed_tables.SIN, fixed_tables.SIN_PLACES, fixed_tables.SIN_PLACES, _sines),
    FixedSource(fixed_tables.TANH, fixed_tables.TANH_PLACES, fixed_tables.TANH_PLACES, _tangents),
)


def recovered(source: Source | FixedSource, device: run.Device) -> Table:
    """The table that a device's results were made with. Raises: ValueError where none is."""
    if isinstance(source, FixedSource):
        count = len(source.table.rows)
        return table(source.table.name, [source.segment(device, i) for i in range(count)])
    binades = source.results(device)
    each = len(source.table.rows) // len(binades)
    found: list[Segment] = []
    for i, results in enumerate(binades):
        found += segments(results, each, skip=int(source.exact and i == 0))
    return table(source.table.name, found)


@when_asked()
def main(arguments: Sequence[str] | None = None) -> int:
    """Recover the tables and compare them with the package's; 1 where they differ."""
    parser = argparse.ArgumentParser(prog="python -m tools.interpolator", description=__doc__)
    parser.add_argument(
        "--on", choices=("gpu", "sim"), default="gpu", help="whose results: a GPU's, or the simulator's"
    )
    options: Any = parser.parse_args(arguments)
    device = run.gpu if options.on == "gpu" else run.simulator
    different = 0
    for source in (*SOURCES, *FIXED_SOURCES):
        try:
            found = recovered(source, device)
        except (ValueError, Diagnostic) as e:
            print(f"{source.table.name}: {e}", file=sys.stderr)
            return 1
        same = found == source.table
        different += not same
        print(
            f"{found.name}: {len(found.rows)} segments, rounding {found.rounding}: {'as' if same else 'not as'} in the package"
        )
        if not same:
            print(found)
    return int(different > 0)


if __name__ == "__main__":
    sys.exit(main())
