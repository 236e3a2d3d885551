"""How attention is cut: the rows and keys of a tile, the warpgroups that compute it, and how their work overlaps."""

from __future__ import annotations

from dataclasses import dataclass, replace

from ptxlab import Diagnostic, user_span

ROWS = 64
"""Rows of a wgmma: the queries that a consumer has."""
WARPGROUP = 128
SPAN = 64
"""Elements of 16 bits in a span of the 128B swizzle."""
SWIZZLES = {128: "128B", 64: "64B"}
"""By the bytes of a span; heads that take as much room either way have the first."""
ITEM = 2
"""Bytes of an element, of Q, K and V in fp8 one."""
FP8_KEYS = 64
"""What keys of a block are a multiple of in fp8: a span of V, which lies transposed."""
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
        staging: results leave through shared memory of their own; otherwise, where they fit, through that of the queries, and
            those of the next tile come later.

    Example:
        from ptxlab.kernels.attention import Tiling

        t = Tiling(consumers=2, keys=128)
        print(t, t.rows, t.threads, t.shared(128))  # 128x128-2st 128 384 196608
        print(t.shared(192, 128), t.staged(64, 128))  # 245760 True
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

    def staged(self, depth: int, value_depth: int, item: int = ITEM) -> bool:
        """Whether results have shared memory of their own: with `staging`, or where that of the queries does not fit them.

        Example: see Tiling
        """
        fits = room(value_depth) <= room(depth) and span(value_depth) == span(depth)
        return self.staging or not fits or item != ITEM

    def shared(self, depth: int, value_depth: int | None = None, item: int = ITEM) -> int:
        """Bytes of shared memory for heads of `depth` elements, of `value_depth` in V, without barriers.

        Args:
            item: bytes of an element of Q, K and V: 2, or 1 for fp8.

        Example: see Tiling
        """
        values = depth if value_depth is None else value_depth
        left = (self.rows + self.stages * self.keys) * room(depth, item) * item
        block = self.keys * room(values) * ITEM if item == ITEM else room(self.keys, item) * values
        results = self.rows * room(values) * ITEM * self.staged(depth, values, item)
        return left + self.stages * block + results

    def check(self, depth: int, value_depth: int | None = None, item: int = ITEM) -> None:
        """Whether there can be such a kernel for heads of `depth` elements, of `value_depth` in V.

        Args:
            item: as of `shared`.

        Raises: Diagnostic PTX2112.

        Example:
            from ptxlab.kernels.attention import Tiling

            Tiling(keys=80, staging=False).check(256)
        """
        if not (1 <= self.consumers <= 3 and self.stages >= 1 and 16 <= self.keys <= 256 and self.keys % 16 == 0):
            raise _unfit(
                f"{self!r} cannot be.", "1 to 3 consumers, a multiple of 16 keys up to 256, and a stage or more"
            )
        if item != ITEM and self.keys % FP8_KEYS:
            raise _unfit(f"{self} has blocks of {self.keys} keys.", f"those of fp8 have a multiple of {FP8_KEYS}")
        taken = self.shared(depth, value_depth, item)
        if taken > SHARED:
            values = "" if value_depth in (None, depth) else f" and values of {value_depth}"
            raise _unfit(
                f"{self} takes {taken} bytes of shared memory for heads of {depth} elements{values}, and a CTA has {SHARED}.",
                "take fewer keys or stages, or staging=False",
            )


def _unfit(what: str, help: str) -> Diagnostic:
    return Diagnostic("PTX2112", what, help=help, origin=user_span())


def span(depth: int, item: int = ITEM) -> int:
    """Elements of so many bytes in a span of the swizzle that heads have in shared memory: the one that wastes less."""
    return min(SWIZZLES, key=lambda width: padded(depth, width // item)) // item


def padded(depth: int, width: int = SPAN) -> int:
    """Elements that a head takes in shared memory in whole spans of so many."""
    return -(-depth // width) * width


def room(depth: int, item: int = ITEM) -> int:
    """Elements that a head takes in shared memory with its own swizzle."""
    return padded(depth, span(depth, item))


def choose(depth: int, *, value_depth: int | None = None, bounded: bool = False, item: int = ITEM) -> Tiling:
    """The tiling that should be fastest: as many keys as registers and shared memory allow.

    Args:
        depth: elements of a head, up to 256. value_depth: of a head of V and O; left out, as many.
        bounded: whether a mask leaves queries different keys, as a causal one does.
        item: bytes of an element of Q, K and V: 2, or 1 for fp8.

    Example:
        from ptxlab.kernels.attention import choose

        print(choose(64), choose(128), choose(256))  # 192x128-2st 128x128-2st 128x80-2st-no staging
        print(choose(192, value_depth=128))  # 128x128-2st-no staging
    """
    values = depth if value_depth is None else value_depth
    if item != ITEM:
        wanted = Tiling(consumers=3 if values <= 64 else 2, keys=192 if 64 < values <= 128 else 128)
    elif values <= 64:
        wanted = Tiling(consumers=3, keys=128)
    elif values <= 128:
        wanted = Tiling(consumers=2, keys=128)
    elif values <= 192:
        wanted = Tiling(consumers=2, keys=96 if bounded else 112, staging=False)
    else:
        wanted = Tiling(consumers=2, keys=80, staging=False)
    step = 16 if item == ITEM else FP8_KEYS
    fitting = [wanted, *(replace(wanted, keys=keys, staging=False) for keys in range(wanted.keys, 0, -step))]
    return next(t for t in fitting if t.shared(depth, values, item) <= SHARED)
