"""How rows are dealt to threads: a row for some lanes of a warp, for a CTA, or for a cluster of CTAs."""

from __future__ import annotations

from dataclasses import dataclass

WARP = 32
VECTOR = 16
"""Bytes that a thread moves at a time where rows allow it."""
LANE_ELEMENTS = 32
"""Elements of a row for a lane, where a warp holds whole rows."""
WARPS_OF_ROWS = 4
"""Warps of a CTA whose warps hold whole rows."""
COMFORTABLE, MOST_THREADS = 512, 1024
"""Threads of a CTA that holds a row: so many leave each 128 registers. The widest rows take the most there can be."""
VECTORS = 2
"""Vectors that each thread of a CTA has of a row, as long as there are threads."""
MOST_CTAS = 8
"""CTAs of a cluster on any GPU."""
THREADS_PER_SM = 2048


@dataclass(frozen=True, slots=True)
class Layout:
    """How a kernel deals rows to threads.

    Attributes:
        elements: that a thread moves at a time. vectors: of so many, that a thread has of a row.
        lanes: threads of a CTA that share a row, some of a warp or all of the CTA. threads: of a CTA.
        ctas: of the cluster that shares a row.
        shifted: rows begin anywhere; vectors lie at multiples of 16 bytes all the same, and the first and the last of a row are
            moved by elements.
        piece: columns after which a row is cut, and each piece is a row of its own; 0: it is not.
    """

    elements: int
    vectors: int
    lanes: int
    threads: int
    ctas: int = 1
    shifted: bool = False
    piece: int = 0

    def pieces(self, columns: int) -> int:
        """Pieces of a row."""
        return -(-columns // self.piece) if self.piece else 1

    @property
    def rows(self) -> int:
        """Rows that a CTA holds at a time."""
        return self.threads // self.lanes

    @property
    def warps(self) -> int:
        return self.threads // WARP

    def clusters(self, rows: int, multiprocessors: int, threads: int = THREADS_PER_SM) -> int:
        """Clusters of the grid: as many as the GPU holds at a time, or fewer where there are fewer rows.

        Args:
            threads: that an SM shall have.
        """
        held = multiprocessors * max(1, threads // self.threads) // self.ctas
        return max(1, min(-(-rows // self.rows), held))


def choose(columns: int, elements: int, *, shifted: bool = False, most: int = 32, whole_warps: bool = False) -> Layout:
    """The layout for rows of so many columns.

    Args:
        elements: that can be moved at a time. shifted: as in `Layout`.
        most: elements of a row that a thread has registers for. whole_warps: fewer lanes than a warp do not share a row.
    """
    vectors = -(-(columns - 1) // elements) + 1 if shifted else -(-columns // elements)
    deepest = most // elements
    if vectors * elements <= WARP * min(most, LANE_ELEMENTS):
        lanes = WARP if whole_warps else min(WARP, power_of_two(vectors))
        return Layout(elements, -(-vectors // lanes), lanes, WARP * WARPS_OF_ROWS, shifted=shifted)
    ctas = min(MOST_CTAS, power_of_two(-(-vectors // (COMFORTABLE * deepest))))
    each = -(-vectors // ctas)
    least = MOST_THREADS if each > COMFORTABLE * deepest else min(COMFORTABLE, -(-each // min(VECTORS, deepest)))
    threads = -(-least // WARP) * WARP
    return Layout(elements, -(-each // threads), threads, threads, ctas, shifted)


def widest(most: int) -> int:
    """Columns of the widest row, where a thread has registers for so many elements of it."""
    return MOST_THREADS * MOST_CTAS * most


def power_of_two(n: int) -> int:
    """The smallest one that is not below n."""
    return 1 << (n - 1).bit_length()
