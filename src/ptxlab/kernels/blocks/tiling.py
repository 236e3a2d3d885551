"""How a matrix product is tiled: the tile, the warpgroups that compute it, and how many CTAs split the sum along K."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Any, Literal

from ptxlab import Diagnostic, user_span

WARPGROUP = 128
ROWS = 64
"""Rows of a wgmma."""
SWIZZLED = 8
"""Rows of 128 bytes after which the 128B swizzle repeats."""
SPAN = 128
"""Bytes along K of a stage: one span of the 128B swizzle."""
TILE_K = 64
"""The same in 16-bit elements."""
SHARED = 232448 - 1024
"""Bytes of shared memory that a CTA may use, less what aligns the tiles."""
SWIZZLES: dict[int, Literal["32B", "64B", "128B"]] = {32: "32B", 64: "64B", 128: "128B"}
"""By the bytes of their span."""
NARROW = (16, 32)
"""Columns whose neighbours lie across K that are less than a swizzle span of 128 bytes: their span is 32 or 64 bytes."""
MAX_STAGES = 8
BATCH = 16
"""Words of 32 bits that a thread loads, where threads load, before it stores any of them."""
MOST_SHARES = 132
BOX_BYTES = 128
"""Widest box that TMA stores: one span of the 128B swizzle."""
BUFFERS = 2
"""Boxes of results in shared memory for each consumer: one is written while the other drains."""
TMA_BYTES = 16
"""What addresses and pitches of rows are multiples of, for TMA."""
STAGED_ROWS = 64
"""Rows of such a box."""
_NAME = re.compile(
    r"(\d+)x(\d+)-(\d)c(-swapped)?(?:-split(\d))?(?:-shares(\d+))?(?:-cluster(\d)x(\d))?(?:-(\d+)b)?(?:-(\d)st)?"
)
REGISTERS = {1: (None, None), 2: (40, 232), 3: (32, 160)}
"""Registers of a thread that loads and of one that multiplies, by the number of consumers."""


@dataclass(frozen=True, slots=True)
class Tiling:
    """A way to cut a product C = A · B.

    Attributes:
        rows, columns: of a tile, as wgmma has them. They run along M and N of C, along N and M where `swapped`.
        consumers: warpgroups that multiply, 1 to 3; each has an equal share of the rows.
        swapped: Cᵀ = Bᵀ · Aᵀ is computed. So a small M becomes the columns of wgmma, which may be as few as 8.
        splits: CTAs of a cluster that share the sum along K of one tile.
        shares: CTAs, or clusters where there are `splits`, that share this sum through memory.
        stages: of the ring; 0: as many as fit.
        group: rows of tiles that are finished before the next ones begin.
        size: bytes of an element of A and B.
        gated: pairs of results become one: each tile has columns of the gate in its first half, and those of the values that it
            lets through in the second. Where `swapped`, these halves are the two blocks of rows of each consumer.
        promoted: sums of 128 steps along K are scaled and added to others in registers.
        spread: where sums of 128 steps are scaled, each column has a scale of its own.
        under: an epilogue reads a matrix that lies as C does, and needs registers for it.
        together: boxes of results that a consumer stores at once; 1: one while the next one is written.
        cluster: tiles, down and across, that the CTAs of a cluster compute at one time. Two that lie one above the other, (2, 1),
            have the same columns, two side by side, (1, 2), the same rows: each CTA loads half of those for both.

    Example:
        from ptxlab.kernels.blocks.tiling import Tiling

        t = Tiling.named("128x256-2c").fitted(item=2, depth=4096)
        print(t.threads, t.blocks, t.slices, t.stored_columns, t.stages)  # 384 1 1 256 4
        print(t.box(2), t.staging(2), t.tiles(4096, 4096))  # (64, 64) 32768 512
        print(t.step, t.halves, t.out_rows, t.out_columns, t.summed_columns)  # 64 1 128 256 256
        print(t.boxes(2), t.buffers, t.room(2), t.stages_left(0))  # 4 2 4 4
        pair = Tiling.named("128x256-2c-cluster2x1")
        print(Tiling.named("64x64-1c-split8-shares16").parts)  # 128
        print(t.shared, pair.shared, t.ctas, pair.ctas, t.loaded, pair.loaded)  # False True 1 2 384 256
    """

    rows: int = 128
    columns: int = 256
    consumers: int = 2
    swapped: bool = False
    splits: int = 1
    stages: int = 0
    group: int = 16
    size: int = 2
    gated: bool = False
    promoted: bool = False
    together: int = 1
    spread: bool = False
    under: bool = False
    cluster: tuple[int, int] = (1, 1)
    shares: int = 1

    def __str__(self) -> str:
        words = [f"{self.rows}x{self.columns}", f"{self.consumers}c"]
        words += ["swapped"] * self.swapped + [f"split{self.splits}"] * (self.splits > 1)
        words += [f"shares{self.shares}"] * (self.shares > 1)
        words += [f"cluster{self.cluster[0]}x{self.cluster[1]}"] * self.shared
        words += [f"{self.together}b"] * (self.together > 1)
        return "-".join([*words, f"{self.stages}st"] if self.stages else words)

    @property
    def shared(self) -> bool:
        """Whether the CTAs of a cluster load for each other."""
        return self.cluster != (1, 1)

    @property
    def ctas(self) -> int:
        """CTAs of a cluster."""
        down, across = self.cluster
        return self.splits * down * across

    @property
    def parts(self) -> int:
        """CTAs that have a part of the sum along K of one tile."""
        return self.splits * self.shares

    @property
    def threads(self) -> int:
        """Of a CTA: a warpgroup that loads, and the consumers."""
        return (1 + self.consumers) * WARPGROUP

    @property
    def blocks(self) -> int:
        """Blocks of 64 rows that a consumer has."""
        return self.rows // (ROWS * self.consumers)

    @property
    def step(self) -> int:
        """Steps along K of a stage."""
        return SPAN // self.size

    @property
    def halves(self) -> int:
        """How many parts of a tile's columns make one result: 2 where a gate and its values are in one tile."""
        return 2 if self.gated and not self.swapped else 1

    @property
    def out_rows(self) -> int:
        """Rows of results that a tile gives."""
        return self.rows // 2 if self.gated and self.swapped else self.rows

    @property
    def out_columns(self) -> int:
        """Columns of results that a tile gives."""
        return self.columns // self.halves

    @property
    def slices(self) -> int:
        """Parts of a tile's columns that CTAs of a cluster add up and store, one each; the other CTAs are done before that."""
        least = 8 if self.swapped else 16
        found = self.splits
        while found > 1 and self.out_columns % (found * least):
            found //= 2
        return found

    @property
    def summed_columns(self) -> int:
        """Columns of the tile that one CTA adds up."""
        return self.columns // self.slices

    @property
    def stored_columns(self) -> int:
        """Columns of results that one CTA stores."""
        return self.out_columns // self.slices

    def box(self, item: int) -> tuple[int, int]:
        """Rows and columns of C that one TMA store takes, for results of `item` bytes."""
        if self.swapped:
            return _divisor(self.stored_columns, STAGED_ROWS, 8), min(ROWS, BOX_BYTES // item)
        return STAGED_ROWS, _divisor(self.stored_columns, BOX_BYTES // item, min(16, 32 // item))

    def boxes(self, item: int) -> int:
        """Boxes in which a block of 64 rows is stored."""
        rows, columns = self.box(item)
        return self.stored_columns // (rows if self.swapped else columns)

    def staging(self, item: int) -> int:
        """Bytes of the boxes of results."""
        rows, columns = self.box(item)
        width = ROWS * item if self.swapped else columns * item
        return self.consumers * self.buffers * rows * max(width, BOX_BYTES)

    @property
    def buffers(self) -> int:
        """Boxes of results that a consumer has room for."""
        return BUFFERS if self.together == 1 else self.together

    @classmethod
    def named(cls, name: str) -> Tiling:
        """The tiling that `str` calls so: "128x256-2c", "64x16-1c-swapped-split4". Raises: Diagnostic PTX2112 for other words."""
        found = _NAME.fullmatch(name)
        if found is None:
            raise Diagnostic(
                "PTX2112",
                f"{name!r} is no tiling.",
                help='write e.g. "128x256-2c" or "64x16-1c-swapped-split4"',
                origin=user_span(),
            )
        rows, columns, consumers, swapped, splits, shares, down, across, together, stages = found.groups()
        made = cls(int(rows), int(columns), int(consumers), bool(swapped), int(splits or 1), int(stages or 0))
        cluster = (int(down or 1), int(across or 1))
        return replace(made, together=int(together or 1), cluster=cluster, shares=int(shares or 1))

    def fitted(self, item: int, depth: int | None = None, b_major: str = "K", a_major: str = "K") -> Tiling:
        """The same with a number of stages. Raises: Diagnostic PTX2112 where it cannot be.

        Args:
            item: bytes of a result. depth: the sum's length, if known. b_major, a_major: how B and A lie in memory.
        """
        self._check()
        if depth is not None and self.parts > max(-(-depth // self.step), 1):
            raise _bad(f"{self} splits {depth} steps along K", f"each CTA needs {self.step}: take fewer splits")
        name, major, across, along = ("A", a_major, "K×M", "M×K") if self.swapped else ("B", b_major, "K×N", "N×K")
        if major == "MN" and self.out_columns % TILE_K and (self.columns not in NARROW or self.gated):
            wide = TILE_K * self.halves
            raise _bad(
                f"{self} cuts {name} as {across} within a swizzle span",
                f"use multiples of {wide} columns, or {name} as {along}",
            )
        self._check_halves(a_major, b_major)
        stages = self.stages or min(MAX_STAGES, self.room(item))
        if not 2 <= stages <= self.room(item):
            raise _bad(f"{self} has no room for {max(stages, 2)} stages", "take a smaller tile")
        if self.splits > 1 and stages * SPAN * max(self.rows, self.columns) < self.rows * self.columns * 4:
            raise _bad(f"{self} has no room to exchange its sums", "take more stages or a smaller tile")
        return replace(self, stages=stages)

    def room(self, item: int) -> int:
        """Stages that fit into shared memory with the staging buffer for results of `item` bytes."""
        return self.stages_left(self.staging(item))

    def stages_left(self, taken: int) -> int:
        """Stages that fit into shared memory where `taken` bytes are used otherwise."""
        return (SHARED - taken) // self._stage_bytes

    @property
    def _stage_bytes(self) -> int:
        return (self.rows + self.columns) * SPAN

    def _check(self) -> None:
        if self.consumers not in REGISTERS:
            raise _bad(f"{self} has {self.consumers} consumers", "use 1 to 3")
        if self.rows % (ROWS * self.consumers) or not 0 < self.rows <= 256:
            raise _bad(f"{self} has {self.rows} rows", f"use multiples of {ROWS} for each consumer, at most 256")
        wide = 8 if self.swapped else 16
        if self.columns % wide or not 0 < self.columns <= 256:
            raise _bad(f"{self} has {self.columns} columns", f"use multiples of {wide}, at most 256")
        most = 96 if self.consumers == 3 else 128 if self.under else 192
        if self.blocks * self.columns // 2 > most:
            raise _bad(f"{self} has too many results for the registers", "take fewer columns or more consumers")
        if self.parts > 1 and self.blocks * self.summed_columns // 2 > 64:
            raise _bad(f"{self} leaves too many sums to each CTA", "take more splits or a smaller tile")
        if self.splits not in (1, 2, 4, 8):
            raise _bad(f"{self} splits K among {self.splits} CTAs", "use 1, 2, 4 or 8")
        if not 0 < self.shares <= MOST_SHARES:
            raise _bad(f"{self} has {self.shares} shares", f"use 1 to {MOST_SHARES}")
        if self.gated:
            self._check_gate()
        if self.promoted and self.shares > 1:
            raise _bad(f"{self} cannot be scaled in blocks", "leave out the shares")
        if self.promoted:
            self._check_promotion()
        if self.shared:
            self._check_cluster()

    def _check_gate(self) -> None:
        """A gate and its values are results of the same thread."""
        if self.swapped and self.blocks != 2:
            raise _bad(
                f"{self} has no gate", 'a gate needs two blocks of 64 rows a consumer: use e.g. "128x16-1c-swapped"'
            )
        if not self.swapped and self.columns % 32:
            raise _bad(f"{self} has {self.columns} columns for a gate and its values", "use multiples of 32")

    def _check_promotion(self) -> None:
        """Registers suffice for the sums of a stage and those of all stages, and a tile's columns have one scale."""
        if SPAN % self.columns or self.blocks * self.columns > 256:
            raise _bad(
                f"{self} cannot be scaled in blocks",
                "use a divisor of 128 as columns, and at most 128 × 128 results a consumer",
            )
        if self.spread and (self.blocks * self.columns > 128 or self.consumers > 2):
            raise _bad(
                f"{self} cannot be scaled in blocks, with a scale for each column of the tile",
                "use 1 or 2 consumers, and at most 64 × 128 results a consumer",
            )

    def _check_cluster(self) -> None:
        """A cluster of two CTAs shares loads, and nothing else."""
        if self.cluster not in ((2, 1), (1, 2)):
            raise _bad(f"{self} has a cluster of {self.cluster[0]} × {self.cluster[1]} tiles", "use 2x1 or 1x2")
        if self.parts > 1 or self.gated or self.promoted:
            raise _bad(
                f"{self} shares loads", "leave out the cluster where K is split, or there is a gate or scales in blocks"
            )
        if self.cluster == (2, 1) and self.columns % (2 * SWIZZLED):
            raise _bad(f"{self} shares {self.columns} columns", f"use a multiple of {2 * SWIZZLED}")

    def _check_halves(self, a_major: str, b_major: str) -> None:
        """The halves that two CTAs load for each other are whole swizzle spans."""
        left, right = (b_major, a_major) if self.swapped else (a_major, b_major)
        down, across = self.cluster
        major, lines, way = (right, self.columns, "columns") if down > across else (left, self.rows, "rows")
        if self.shared and major == "MN" and lines % (2 * TILE_K):
            raise _bad(f"{self} cuts a swizzle span in two", f"use multiples of {2 * TILE_K} {way}")

    @property
    def loaded(self) -> int:
        """Rows and columns that a CTA loads for a stage."""
        down, across = self.cluster
        return self.rows // across + self.columns // down

    def tiles(self, m: int, n: int) -> int:
        """Tiles of a product; where a cluster shares loads, as many as its clusters have."""
        (rows, columns), (down, across) = (n, m) if self.swapped else (m, n), self.cluster
        return down * across * -(-rows // (self.rows * down)) * -(-columns // (self.columns * across))


def _divisor(extent: int, most: int, step: int) -> int:
    """The largest multiple of `step` that divides an extent and is at most `most`."""
    return max(x for x in range(step, most + 1, step) if extent % x == 0)


def loading_registers(t: Tiling) -> tuple[int | None, int | None]:
    """The same as `REGISTERS` where a warpgroup loads by ordinary loads; None: all threads keep what they start with."""
    return (None, None) if t.consumers == 1 or t.blocks * t.columns <= 128 else (104, 200)


def in_flight(t: Tiling) -> int:
    """Words of 32 bits that such a thread loads before it stores the first of them, as its registers allow."""
    return BATCH * (6 if t.consumers == 1 else 3 if loading_registers(t)[0] is None else 1)


def threads_can_load(t: Tiling) -> bool:
    """Whether a warpgroup that loads by ordinary loads finds registers beside the consumers."""
    return t.consumers < 3 and t.blocks * t.columns <= 256 and not t.shared and not t.gated and not t.promoted


def parts(extent: Any, size: int) -> Any:
    """Number of parts of `size` that cover an extent in a register: by a shift, which ptxas does not make of a division."""
    above = extent + (size - 1)
    return above >> (size.bit_length() - 1) if size & (size - 1) == 0 else above // size


def _bad(what: str, help: str) -> Diagnostic:
    return Diagnostic("PTX2112", f"Tiling {what}.", help=help, origin=user_span())
