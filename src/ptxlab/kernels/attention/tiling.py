"""How attention is cut: the rows and keys of a tile, the warpgroups that compute it, and how their work overlaps."""

from __future__ import annotations

from dataclasses import dataclass

from ptxlab import Diagnostic, user_span

ROWS = 64
"""Rows of a wgmma: the queries that a consumer has."""
WARPGROUP = 128
SPAN = 64
"""Elements of 16 bits in a span of the 128B swizzle."""
ITEM = 2
"""Bytes of an element."""
SHARED = 232448 - 2048
"""Bytes of shared memory that a CTA may use, less barriers and what aligns the tiles."""
LARGEST_DEPTH = 256
REGISTERS: dict[int, tuple[int | None, int | None]] = {1: (None, None), 2: (24, 240), 3: (32, 160)}
"""Registers of a thread that loads and of one that computes, by the number of consumers."""


@dataclass(frozen=True, slots=True)
class Tiling:
    """A way to cut attention.

    Attributes:
        consumers: warpgroups that compute, 1 to 3, each with 64 queries.
        keys: of a block, a multiple of 16 up to 256.
        stages: blocks of K, and of V, that shared memory holds.
        overlap: a consumer issues the scores of a block before the product of the one before it with V, and computes exponentials
            while that is under way.
        pingpong: the consumers take turns at the tensor cores, so that one computes exponentials while another one multiplies.
        staging: results leave through shared memory of their own; otherwise through that of the queries, and those of the next
            tile come later.

    Example:
        from ptxlab.kernels.attention import Tiling

        t = Tiling(consumers=2, keys=128)
        print(t, t.rows, t.threads, t.shared(128))  # 128x128-2st 128 384 196608
    """

    consumers: int = 2
    keys: int = 128
    stages: int = 2
    overlap: bool = True
    pingpong: bool = True
    staging: bool = True

    def __str__(self) -> str:
        off = [name for name in ("overlap", "pingpong", "staging") if not getattr(self, name)]
        return "-".join([f"{self.rows}x{self.keys}", f"{self.stages}st", *(f"no {name}" for name in off)])

    @property
    def rows(self) -> int:
        """Queries of a tile."""
        return ROWS * self.consumers

    @property
    def threads(self) -> int:
        """Of a CTA: a warpgroup that loads, and the consumers."""
        return (1 + self.consumers) * WARPGROUP

    def shared(self, depth: int) -> int:
        """Bytes of shared memory for heads of `depth` elements, without barriers.

        Example: see Tiling
        """
        queries = self.rows * (2 if self.staging else 1)
        return (queries + 2 * self.stages * self.keys) * padded(depth) * ITEM

    def check(self, depth: int) -> None:
        """Whether there can be such a kernel for heads of `depth` elements.

        Raises: Diagnostic PTX2112.

        Example:
            from ptxlab.kernels.attention import Tiling

            Tiling(keys=80, staging=False).check(256)
        """
        if not (1 <= self.consumers <= 3 and self.stages >= 1 and 16 <= self.keys <= 256 and self.keys % 16 == 0):
            raise _unfit(
                f"{self!r} cannot be.", "1 to 3 consumers, a multiple of 16 keys up to 256, and a stage or more"
            )
        if self.shared(depth) > SHARED:
            raise _unfit(
                f"{self} takes {self.shared(depth)} bytes of shared memory for heads of {depth} elements, and a CTA has {SHARED}.",
                "take fewer keys or stages, or staging=False",
            )


def _unfit(what: str, help: str) -> Diagnostic:
    return Diagnostic("PTX2112", what, help=help, origin=user_span())


def padded(depth: int, nbytes: int = ITEM) -> int:
    """Elements of so many bytes that a head takes in shared memory: whole spans of the swizzle."""
    span = SPAN * ITEM // nbytes
    return -(-depth // span) * span


def choose(depth: int, *, bounded: bool = False) -> Tiling:
    """The tiling that should be fastest.

    Args:
        depth: elements of a head, up to 256. bounded: whether a mask leaves queries different keys, as a causal one does.

    Example:
        from ptxlab.kernels.attention import choose

        print(choose(64), choose(128), choose(256))  # 192x128-2st 128x128-2st 128x80-2st-no staging
    """
    if depth <= SPAN:
        return Tiling(consumers=3, keys=128)
    if depth <= 2 * SPAN:
        return Tiling(consumers=2, keys=128)
    if depth <= 3 * SPAN:
        return Tiling(consumers=2, keys=96 if bounded else 112, staging=False)
    return Tiling(consumers=2, keys=80, staging=False)
