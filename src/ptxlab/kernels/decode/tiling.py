"""How decoding is cut: rows of queries, blocks of keys, the warps that share them, and what is in flight."""

from __future__ import annotations

from dataclasses import dataclass, replace

from ptxlab import Diagnostic, user_span
from ptxlab.kernels.attention.tiling import ITEM, SHARED, SPAN, padded

ROWS = 16
"""Rows of an mma: queries that a warp multiplies at once. Keys are taken by as many, the depth of the product with values."""
WARP = 32
LATENT_DEPTH, LATENT_VALUES = 576, 512
"""Elements of a head of latent attention, and how many of them, the first ones, are values."""
LATENT_SLICES = 2
"""Warpgroups that share the columns of their results."""
SHALLOW, DEEP = 96, 128
"""Elements of heads up to which a thread gets by with 168 registers, and up to which 255 suffice for the scores of 64 keys."""


@dataclass(frozen=True, slots=True)
class Tiling:
    """A way to cut attention for decoding.

    Attributes:
        parts: groups of warps with 16 rows each, which read the same keys. A row is a query of a head; heads that share keys are
            rows beside each other.
        warps: of a part, which share the keys of a block: a power of two.
        each: times 16 keys of a block, that a warp has.
        stages: blocks of keys and values that shared memory holds; all but one are in flight.
        ctas: of an SM.
        least: blocks for which a CTA is started.

    Example:
        from ptxlab.kernels.decode import Tiling

        t = Tiling(parts=1, warps=4, stages=5)
        print(t, t.rows, t.keys, t.threads, t.shared(128, 2))  # 16x64-4w-5st 16 64 160 181248
    """

    parts: int = 1
    warps: int = 4
    each: int = 1
    stages: int = 5
    ctas: int = 1
    least: int = 2

    def __str__(self) -> str:
        parts = [f"{self.rows}x{self.keys}", f"{self.warps * self.parts}w", f"{self.stages}st"]
        return "-".join([*parts, *([f"{self.ctas} an SM"] if self.ctas > 1 else [])])

    @property
    def rows(self) -> int:
        """Rows of queries that a CTA has at a time."""
        return ROWS * self.parts

    @property
    def keys(self) -> int:
        """Keys of a block."""
        return ROWS * self.each * self.warps

    @property
    def threads(self) -> int:
        """Of a CTA: a warp that loads, and those that compute."""
        return (1 + self.parts * self.warps) * WARP

    def block(self, depth: int, nbytes: int) -> int:
        """Bytes of shared memory for a block of keys and values, in heads of `depth` elements of so many bytes.

        Example:
            from ptxlab.kernels.decode import Tiling

            print(Tiling().block(128, 2))  # 32768
        """
        return 2 * self.keys * padded(depth, SPAN * ITEM // nbytes) * nbytes

    def shared(self, depth: int, nbytes: int) -> int:
        """Bytes of shared memory for heads of `depth` elements of so many bytes, without barriers.

        Example: see Tiling
        """
        return self.stages * self.block(depth, nbytes) + self.parts * (self.warps // 2) * self.state(depth) * 4

    def state(self, depth: int) -> int:
        """Numbers that a warp has of 16 rows: results, and of each row its largest score and the sum.

        Example:
            from ptxlab.kernels.decode import Tiling

            print(Tiling().state(128))  # 2176
        """
        return (depth // 2 + 4) * WARP

    def check(self, depth: int, nbytes: int) -> None:
        """Whether there can be such a kernel for heads of `depth` elements of so many bytes.

        Raises: Diagnostic PTX2112.

        Example:
            from ptxlab.kernels.decode import Tiling

            Tiling(warps=8, stages=3).check(64, 2)
        """
        if depth == LATENT_DEPTH:
            if self.least < 1 or replace(self, least=LATENT.least) != LATENT:
                raise _unfit(f"{self} does not fit latent attention.", f"take {LATENT!r}; only `least` may differ")
            return
        counts = (self.parts, self.warps, self.each, self.stages, self.ctas, self.least)
        if min(counts) < 1 or self.warps & (self.warps - 1) or self.keys > 256:
            raise _unfit(
                f"{self!r} cannot be.",
                "take a power of two of warps, up to 256 keys, and one or more of each",
            )
        if self.parts * self.warps > most_warps(depth):
            raise _unfit(
                f"{self} leaves a thread too few registers for heads of {depth} elements.",
                f"take {most_warps(depth)} warps in all parts",
            )
        room = SHARED // self.ctas
        if self.shared(depth, nbytes) > room:
            raise _unfit(
                f"{self} takes {self.shared(depth, nbytes)} bytes of shared memory for heads of {depth} elements of {nbytes} "
                f"bytes, and a CTA has {room}.",
                "take fewer stages, keys or CTAs of an SM",
            )


def most_warps(depth: int) -> int:
    """Warps that may compute: eight leave a thread 168 registers, four 255, with that which loads."""
    return 8 if depth <= SHALLOW else 4


def _unfit(what: str, help: str) -> Diagnostic:
    return Diagnostic("PTX2112", what, help=help, origin=user_span())


LATENT = Tiling(parts=4, warps=1, each=4, stages=2, least=8)
"""That of latent attention: its 64 rows and 64 keys are a wgmma's, and shared memory has room for two blocks."""
IN_FLIGHT = 192 << 10
"""Bytes of keys and values that shared memory holds by default, at most."""
MOST_STAGES = 12
THIN = 128
"""Bytes of a key for which blocks are large."""


def choose(depth: int, rows: int, nbytes: int = ITEM) -> Tiling:
    """The tiling that should be fastest.

    A block has 64 keys, and 128 where they take few bytes: a warp spends much of its time on a block waiting for itself, so blocks
    are not too small. With more queries, fewer warps share a block, and each has more of its keys. A head of keys with more queries
    than a CTA has rows, 128 or of deep heads 64, is read once for so many.

    Args:
        depth: elements of a head. rows: queries times heads that share keys. nbytes: of an element of the keys.

    Example:
        from ptxlab.kernels.decode import choose

        print(choose(128, 8), choose(64, 8), choose(128, 64))  # 16x64-4w-6st 16x128-8w-6st 64x64-4w-6st
    """
    if depth == LATENT_DEPTH:
        return LATENT
    most = most_warps(depth)
    parts = 1
    while parts < most and parts * ROWS < rows:
        parts *= 2
    thin = padded(depth, SPAN * ITEM // nbytes) * nbytes <= THIN
    warps = min(8 if thin else 4, most // parts)
    each = min((8 if thin else 4) // warps, 2 if depth <= SHALLOW else 4 if depth <= DEEP else 1)
    one = Tiling(parts, warps, each, stages=1)
    block = one.block(depth, nbytes)
    room = min(IN_FLIGHT, SHARED - one.shared(depth, nbytes) + block)
    return replace(one, stages=max(2, min(room // block, MOST_STAGES)))
