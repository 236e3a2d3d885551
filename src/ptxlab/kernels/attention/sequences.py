"""Sequences of attention: where the rows of each lie, whether all have as many or each its own number.

Packed sequences follow one another in one matrix. TMA has to end at the last row of a sequence and not at that of the matrix, or
it would read keys of the next one, and write its results. No map has to be changed for that: the rows are three axes of the map.
The outer one says where a box begins. The inner one has `FAR` rows, and of a box from row `FAR - n` of it on, n rows exist: the
others read as zeros and are not written. The axis between the two takes those `FAR` rows back: at its coordinate `FAR` it moves by
2^64 bytes less them, and addresses have 64 bits. Without that axis a map would begin some rows before the matrix, and where there
is no memory, a launch fails.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import ptxlab as px
from ptxlab import ArrayView, Diagnostic, Launch, array_view, user_span
from ptxlab.kernels.gemm_call import L2_PROMOTION, times
from ptxlab.kernels.gemm_repack import LaunchSequence

FAR = 1 << 30
"""Rows of the inner axis of packed rows."""


@dataclass(frozen=True, slots=True)
class Rows:
    """The rows of one sequence, of queries or of keys, while the kernel is traced.

    Attributes:
        length: how many, px.s32. batch: the number of the sequence, px.u32. start: its first row among those of all sequences,
            px.s32; None where each sequence has as many rows, and the map an axis for them.
    """

    k: px.Builder
    length: Any
    batch: Any
    start: Any = None

    def at(self, row: Any, head: Any, box: int) -> tuple[Any, ...]:
        """The coordinates behind the first of a box of so many rows, from `row` on."""
        if self.start is None:
            return row, head, self.batch
        k = self.k
        there = k.max.s32(k.min.s32(self.length - row, box), 0)
        return k.sub.s32(FAR, there), FAR, head, self.start + row + there


@dataclass(frozen=True, slots=True)
class Offsets:
    """Where packed sequences begin and end, while the kernel is traced: a pointer to s32, and the rows that there are."""

    k: px.Builder
    pointer: Any
    rows: Any

    def sequence(self, number: Any) -> Rows:
        """The rows of a sequence, cut to those that there are."""
        k = self.k
        at = px.Address.of(k.mad.wide.u32(number, 4, self.pointer), space="global")
        begin, end = (k.min.s32(k.max.s32(k.ld.global_.s32(at + 4 * i), 0), self.rows) for i in range(2))
        return Rows(k, k.max.s32(end - begin, 0), number, begin)


# --- on the host ---------------------------------------------------------------------------------------------------------------
@dataclass(frozen=True, slots=True)
class Packed:
    """Offsets of queries and of keys, and how many rows each may count."""

    queries: ArrayView
    keys: ArrayView
    limits: tuple[int, int]

    @property
    def count(self) -> int:
        """Sequences."""
        return self.queries.shape[0] - 1

    def check(self) -> bool:
        """Check offsets in the host's memory against the rows. Returns: whether there are no queries, as far as the host knows.

        Raises: Diagnostic PTX2324.
        """
        import numpy as np

        if self.queries.device != "cpu":
            return False
        queries, keys = (np.asarray(x.owner).tolist() for x in (self.queries, self.keys))
        for name, values, limit in zip(NAMES, (queries, keys), self.limits, strict=True):
            _check_values(name, values, limit)
        return queries[0] == queries[-1]


def _check_values(name: str, values: list[int], limit: int) -> None:
    for i, (before, value) in enumerate(pairwise([0, *values])):
        if not before <= value <= limit:
            least = f", and {name}[{i - 1}] is {before}" if i and value < before else ""
            help = f"offsets ascend, from 0 or more to at most the {limit} rows that there are"
            raise _bad("PTX2324", f"{name}[{i}] is {value}{least}.", help)


NAMES = ("q_offsets", "k_offsets")
ALIGNMENT = 16
"""Bytes: a stride that TMA takes, where it has none to take."""


class CheckedLaunch(LaunchSequence):
    """A launch before which offsets in the host's memory are checked."""

    def __init__(self, launch: Launch, packed: Packed) -> None:
        super().__init__([launch])
        self._packed = packed

    def __call__(self, stream: Any = None, **options: Any) -> Any:
        """Run it; where the host can see that there are no queries, do nothing. Raises: Diagnostic PTX2324, and as the launch."""
        return None if self._packed.check() else super().__call__(stream, **options)


def packed(given: tuple[Any, Any], limits: tuple[int, int]) -> Packed | None:
    """Offsets of packed sequences, None where there are none.

    Args:
        given: offsets of queries and of keys. limits: rows of each.

    Raises: Diagnostic PTX2112, PTX2307, PTX2308, PTX2309, PTX2324.
    """
    if given[0] is None and given[1] is None:
        return None
    found: list[ArrayView] = []
    for name, x in zip(NAMES, given, strict=True):
        if x is None:
            raise _bad("PTX2112", f"{name} is left out.", "give q_offsets and k_offsets; they may be one array")
        found.append(_offsets(name, array_view(x)))
    if found[0].shape != found[1].shape:
        lengths = " and ".join(times(x.shape) for x in found)
        raise _bad("PTX2308", f"q_offsets and k_offsets have {lengths} elements.", "give as many")
    made = Packed(found[0], found[1], limits)
    made.check()
    return made


def _offsets(name: str, x: ArrayView) -> ArrayView:
    if x.dtype != "int32":
        raise _bad("PTX2307", f"{name} is {x}.", "convert it to int32")
    if len(x.shape) != 1 or x.shape[0] < 2:
        raise _bad(
            "PTX2308", f"{name} is {times(x.shape)}.", "give where each sequence begins, and where the last one ends"
        )
    if not x.contiguous:
        raise _bad("PTX2309", f"{name} has gaps between its elements.", "give a contiguous copy")
    return x


def map_of_rows(x: ArrayView, box: int, columns: int, swizzle: str) -> px.TensorMap:
    """The map of packed rows that `Rows.at` has coordinates for: boxes of so many rows and columns.

    Args:
        x: 1 × heads × rows × depth.

    Raises: Diagnostic PTX2101, PTX2102.
    """
    _, heads, rows, depth = x.shape
    between, pitch = (x.strides[i] if x.shape[i] > 1 else ALIGNMENT for i in (1, 2))
    return px.TensorMap.tiled(
        dtype=x.ptx_type or "",
        address=x.address,
        dims=(depth, FAR, FAR + 1, heads, rows + 1),
        strides=(pitch, (1 << 64) // FAR - pitch, between, pitch),
        box=(columns, box, 1, 1, 1),
        swizzle=swizzle,
        l2_promotion=L2_PROMOTION,
    )


def _bad(code: str, what: str, help: str) -> Diagnostic:
    return Diagnostic(code, what, help=help, origin=user_span())
