"""PTX9167: boxes wholly outside their tensor because coordinates are exchanged: zeros are loaded, or nothing is stored.

Boxes behind the end of a tensor are common in kernels of fixed tiles and trip counts. So all boxes of a launch through one map are
looked at together. They are a mistake where, with two coordinates exchanged, each of them begins within the tensor and they cover
it, and as they are they do not reach its end.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING

from ptxlab.diag import Diagnostic
from ptxlab.sim.engine.machine.trap import Unit, unit
from ptxlab.sim.engine.units.events import located

if TYPE_CHECKING:
    from ptxlab.layout.tensorbox import TileBox
    from ptxlab.ptx.program import Op
    from ptxlab.sim.engine.machine.protocol import MachineLike

_MOST = 256
"""Maps that are followed."""


@dataclass(slots=True)
class _Boxes:
    """The boxes that are loaded, or stored, through one map: how many, of them outside, and of these the first, and by which
    instruction; where they begin."""

    op: Op
    box: TileBox
    low: list[int]
    high: list[int]
    count: int = 0
    outside: int = 0
    first: tuple[int, ...] = ()


@unit
class Outside(Unit):
    """Follows where boxes begin."""

    def __init__(self, machine: MachineLike) -> None:
        super().__init__(machine)
        self._of: dict[tuple[str, int], _Boxes] = {}

    def record(self, op: Op, box: TileBox, coordinates: Sequence[int]) -> None:
        """A copy of a box at these coordinates, innermost first."""
        key = (op.inst.form.key, id(box))
        one = self._of.get(key)
        if one is None:
            if len(coordinates) < 2 or len(self._of) >= _MOST:
                return
            one = self._of[key] = _Boxes(op, box, list(coordinates), list(coordinates))
        one.count += 1
        low, high, within = one.low, one.high, True
        for i, (c, n, extent) in enumerate(zip(coordinates, box.map.dims, box.map.box, strict=True)):
            if c < low[i]:
                low[i] = c
            elif c > high[i]:
                high[i] = c
            within = within and -extent < c < n
        if not within:
            one.outside += 1
            if not one.first:
                one.op, one.first = op, tuple(coordinates)

    def finished(self) -> None:
        reported: set[int] = set()
        for one in self._of.values():
            pairs = combinations(range(len(one.low)), 2) if one.outside and id(one.op) not in reported else ()
            for pair in [p for p in pairs if _exchanged(one, *p)][:1]:
                reported.add(id(one.op))
                self._report(one, pair)

    def _report(self, one: _Boxes, pair: tuple[int, int]) -> None:
        m, op = one.box.map, one.op
        mean = "their bytes in shared memory are filled" if "mbar" in op.inst.operands else "nothing of them is stored"
        words = (
            f"{one.outside} of {one.count} boxes of `{op.inst.opcode}` lie wholly outside the tensor, so {mean}; with the "
            f"coordinates {pair[0]} and {pair[1]} exchanged, all would begin within it"
        )
        notes = [f"innermost first: a box of {_shown(m.box)} at {one.first}, in a tensor of {_shown(m.dims)}"]
        self.machine.report.findings.append(
            located(Diagnostic("PTX9167", words, notes=notes, isa=op.inst.form.isa), op)
        )


def _exchanged(one: _Boxes, i: int, j: int) -> bool:
    """Whether the coordinates i and j look exchanged."""
    dims, extents, low, high = one.box.map.dims, one.box.map.box, one.low, one.high
    if min(low[i], low[j]) < 0 or (high[i] < dims[i] and high[j] < dims[j]):
        return False
    within = high[j] < dims[i] and high[i] < dims[j]
    whole = high[j] + extents[i] >= dims[i] and high[i] + extents[j] >= dims[j] and low[i] == low[j] == 0
    short = high[i] + extents[i] < dims[i] or high[j] + extents[j] < dims[j]
    enough = one.count >= -(-dims[i] // extents[i]) * -(-dims[j] // extents[j])
    both = low[i] < high[i] and low[j] < high[j]
    return within and whole and short and enough and (both or 2 * one.outside > one.count)


def _shown(extents: Sequence[int]) -> str:
    return " × ".join(map(str, extents))
