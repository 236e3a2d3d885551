"""How rows are dealt to threads: a row for some lanes of a warp, for a CTA, or for a cluster of CTAs."""

from __future__ import annotations

from dataclasses import dataclass

WARP = 32
VECTOR = 16
"""Bytes that a thread moves at a time where rows allow it."""
LANE_ELEMENTS = 32
"""Elements of a row for a lane, where a warp holds whole rows."""
WARPS_OF_ROWS = 2
"""Warps of a CTA whose warps hold whole rows."""
COMFORTABLE, MOST_THREADS = 512, 1024
"""Threads of a CTA that holds a row: so many leave each 128 registers. The widest rows take the most there can be."""
REGISTERS, REGISTERS_STAGED = 80, 64
"""Of a thread, so that an SM holds enough of them to hide the latency of memory."""
NARROW, STAGED_BYTES, MOST_STAGED = 4096, 128, 192 * 1024
"""Columns that registers hold; of wider rows, bytes that a thread stages, and those of a CTA where there are no more threads."""
MOST_CTAS = 8
"""CTAs of a cluster on any GPU."""
THREADS_PER_SM = 2048
GPCS = 8
"""Of a GPU. A cluster lies within one of them."""


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
        resident: threads take row after row, of a grid that the GPU holds at once.
        staged: shared memory holds a row that is read more than once; else registers do, as f32.
        registers: that a thread may have; 0: as many as it takes.
    """

    elements: int
    vectors: int
    lanes: int
    threads: int
    ctas: int = 1
    shifted: bool = False
    piece: int = 0
    resident: bool = False
    staged: bool = False
    registers: int = 0

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
        """Clusters of the grid.

        Args:
            threads: that an SM shall have, where they are resident.
        """
        needed = max(1, -(-rows // self.rows))
        if not self.resident:
            return needed
        held = multiprocessors * max(1, threads // self.threads) // self.ctas
        if self.ctas > 1 and held > GPCS:
            held -= held % GPCS  # clusters lie within a GPC: what one has left over holds none
        return max(1, min(needed, held))


def choose(columns: int, elements: int, *, shifted: bool = False, most: int = 32, resident: bool = False) -> Layout:
    """The layout for rows of so many columns.

    Args:
        elements: that can be moved at a time. shifted: as in `Layout`.
        most: elements of a row that a thread has room for. resident: as in `Layout`; fewer lanes than a warp do not share a row.
    """
    vectors = -(-(columns - 1) // elements) + 1 if shifted else -(-columns // elements)
    deepest = most // elements
    registers = 0 if resident else REGISTERS
    if vectors * elements <= WARP * min(most, LANE_ELEMENTS):
        lanes = WARP if resident else min(WARP, power_of_two(vectors))
        each = -(-vectors // lanes)
        return Layout(elements, each, lanes, WARP * WARPS_OF_ROWS, 1, shifted, resident=resident, registers=registers)
    ctas = min(MOST_CTAS, power_of_two(-(-vectors // (COMFORTABLE * deepest))))
    each = -(-vectors // ctas)
    least = MOST_THREADS if each > COMFORTABLE * deepest else -(-each // deepest)
    threads = -(-least // WARP) * WARP
    registers = registers if threads <= COMFORTABLE else 0
    each = -(-each // threads)
    return Layout(elements, each, threads, threads, ctas, shifted, resident=resident, registers=registers)


def widest(most: int) -> int:
    """Columns of the widest row, where a thread has registers for so many elements of it."""
    return MOST_THREADS * MOST_CTAS * most


def power_of_two(n: int) -> int:
    """The smallest one that is not below n."""
    return 1 << (n - 1).bit_length()
