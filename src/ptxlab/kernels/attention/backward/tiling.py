"""How the backward pass of attention is cut: for the gradients of keys and values, and for those of queries."""

from __future__ import annotations

from dataclasses import dataclass

from ptxlab import Diagnostic, user_span
from ptxlab.kernels.attention.tiling import ITEM, REGISTERS, ROWS, SHARED, SPAN, WARPGROUP, padded

STATISTICS = 8
"""Bytes of numbers beside a row of a block, where that is a query: a logarithm and a sum, f32."""
BUFFERS = 2
"""Of dS in shared memory: a consumer writes the next one while the other one may still multiply the last one."""
PARTS = 1
"""Of dQ in shared memory, on their way out."""
APART = (40, 232)
"""Registers of a thread that loads and of one that computes, with two consumers that have the sums of one gradient."""


@dataclass(frozen=True, slots=True)
class Cut:
    """How one kernel is cut.

    Attributes:
        consumers: warpgroups that compute, 1 to 3, each with 64 rows of a tile.
        block: rows of the other side that are looked at together, a multiple of 16 up to 256.
        stages: blocks that shared memory holds.

    Example:
        from ptxlab.kernels.attention.backward import Cut

        cut = Cut(consumers=2, block=64)
        print(cut, cut.rows, cut.threads, cut.shared(128, held=2))  # 128x64-2st 128 384 132096
    """

    consumers: int = 2
    block: int = 64
    stages: int = 2

    def __str__(self) -> str:
        return f"{self.rows}x{self.block}-{self.stages}st"

    @property
    def rows(self) -> int:
        """Of a tile."""
        return ROWS * self.consumers

    @property
    def threads(self) -> int:
        """Of a CTA: a warpgroup that loads, and the consumers."""
        return (1 + self.consumers) * WARPGROUP

    def shared(self, depth: int, held: int) -> int:
        """Bytes of shared memory, without barriers.

        Args:
            depth: elements of a head. held: matrices that a tile has.

        Example: see Cut
        """
        rows = held * self.rows + 2 * self.stages * self.block
        return rows * padded(depth) * ITEM + self.stages * self.block * STATISTICS


@dataclass(frozen=True, slots=True)
class Tiling:
    """A way to cut the backward pass.

    Attributes:
        keys: of the kernel for the gradients of keys, with tiles of keys, past which queries stream.
        values: of that for the gradients of values; None: `keys` is of a kernel for both.
        queries: of the kernel for the gradients of queries, with tiles of queries.
        fused: of one kernel for all three, where all are asked for, with tiles of keys and two consumers; None: there is none.

    Example:
        from ptxlab.kernels.attention.backward import Cut, Tiling

        print(Tiling(keys=Cut(block=32)))  # keys and values 128x32-2st, queries 128x64-2st
    """

    keys: Cut = Cut()
    queries: Cut = Cut()
    values: Cut | None = None
    fused: Cut | None = None

    def __str__(self) -> str:
        apart = f"keys {self.keys}, values {self.values}" if self.values else f"keys and values {self.keys}"
        together = f", all {self.fused}" if self.fused else ""
        return f"{apart}, queries {self.queries}{together}"


def check(tiling: Tiling, depth: int) -> None:
    """Whether there can be such kernels for heads of `depth` elements. Raises: Diagnostic PTX2112."""
    if tiling.values is None and depth > 2 * SPAN:
        raise _unfit(
            f"Heads of {depth} elements leave no registers for the gradients of keys and values in one kernel.",
            "name values=, which gives them two",
        )
    _check_cut(tiling.keys, depth, held=2)
    _check_cut(tiling.queries, depth, held=2)
    if tiling.values:
        _check_cut(tiling.values, depth, held=1)
    if tiling.fused:
        if tiling.fused.consumers != 2 or depth > 2 * SPAN:
            raise _unfit(
                f"One kernel for all gradients, {tiling.fused}, cannot be for heads of {depth} elements.",
                f"it has two consumers, and is for up to {2 * SPAN} elements: leave fused= out",
            )
        _check_cut(tiling.fused, depth, held=2, beside=shared_by_fused(tiling.fused, depth))


def parts_of_queries(cut: Cut, depth: int) -> int:
    """Into how many parts the queries of a block are cut, where one kernel computes all gradients: for dQ each consumer has half of
    the depth, or, where that is one span, all of it for half of the queries."""
    return 1 if depth > SPAN else cut.consumers


def shared_by_fused(cut: Cut, depth: int) -> int:
    """Bytes of shared memory that the kernel for all gradients has beside what one for keys and values has: dS, and dQ in f32."""
    parts = parts_of_queries(cut, depth)
    slopes = BUFFERS * cut.rows * parts * padded(cut.block // parts) * ITEM
    return slopes + PARTS * cut.block * padded(depth) * 4


def _check_cut(cut: Cut, depth: int, held: int, beside: int = 0) -> None:
    if not (1 <= cut.consumers <= 3 and cut.stages >= 1 and 16 <= cut.block <= 256 and cut.block % 16 == 0):
        raise _unfit(
            f"{cut!r} cannot be.", "1 to 3 consumers, a block of a multiple of 16 rows up to 256, a stage or more"
        )
    needed = cut.shared(depth, held) + beside
    if needed > SHARED:
        raise _unfit(
            f"{cut} takes {needed} bytes of shared memory for heads of {depth} elements, and a CTA has {SHARED}.",
            "take a smaller block, or fewer stages or consumers",
        )


def _unfit(what: str, help: str) -> Diagnostic:
    return Diagnostic("PTX2112", what, help=help, origin=user_span())


def registers(consumers: int, *, both: bool) -> tuple[int | None, int | None]:
    """Registers of a thread that loads and of one that computes. `both`: whether that has the sums of dK and dV."""
    return APART if consumers == 2 and not both else REGISTERS[consumers]


def choose(depth: int, *, scored: bool = False) -> Tiling:
    """The tiling that should be fastest.

    Args:
        depth: elements of a head, up to 256. scored: whether there is a function of scores, whose derivative takes registers.

    Example:
        from ptxlab.kernels.attention.backward import choose

        print(choose(128))  # keys and values 128x64-3st, queries 128x96-2st, all 128x64-2st
    """
    if depth <= SPAN:
        keys, fused = Cut(block=96 if scored else 112, stages=3), Cut(block=80 if scored else 112, stages=3)
        return Tiling(keys=keys, queries=Cut(consumers=3, block=64 if scored else 96), fused=fused)
    if depth <= 2 * SPAN:
        block = 48 if scored else 64
        return Tiling(keys=Cut(block=block, stages=3), queries=Cut(block=96), fused=Cut(block=block))
    if depth <= 3 * SPAN:
        return Tiling(keys=Cut(block=64), values=Cut(block=80), queries=Cut(block=64))
    return Tiling(keys=Cut(block=32, stages=3), values=Cut(block=64), queries=Cut(block=48))
