"""How rows are dealt to threads: a row for some lanes of a warp, for a CTA, or for a cluster of CTAs."""

from __future__ import annotations

from dataclasses import dataclass

WARP = 32
VECTOR = 16
"""Bytes that a thread moves at a time where rows allow it."""
WARPS_OF_ROWS, MOST_WARPS, CTA_ELEMENTS = 2, 8, 2048
"""Warps of a CTA whose warps hold whole rows, and elements that it has at least: an SM cannot begin CTAs any faster."""
LANE_ELEMENTS = 16
"""Of a lane that shares its warp with others' rows, where rows have as many: fewer ask too little of memory at a time."""
COMFORTABLE, MOST_THREADS = 512, 1024
"""Threads of a CTA that holds a row: so many leave each 128 registers. The widest rows take the most there can be."""
REGISTERS, REGISTERS_FEW, REGISTERS_LEAST, REGISTERS_SUMS, REGISTERS_WIDE_SUMS = 80, 64, 40, 96, 128
"""Of a thread, so that an SM holds enough of them to hide the latency of memory: where registers hold a row; where a CTA has more
than 512 threads, or a thread stages much; where it stages little; where there are sums over narrow rows, and over wide ones."""
STAGED_BYTES = 128
"""Bytes that a thread stages at most."""
MOST_CTAS = 8
"""CTAs of a cluster on any GPU."""
THREADS_PER_SM, REGISTERS_PER_SM = 2048, 65536
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

    def clusters(self, rows: int, multiprocessors: int) -> int:
        """Clusters of the grid."""
        needed = max(1, -(-rows // self.rows))
        if not self.resident:
            return needed
        per_sm = (REGISTERS_PER_SM // self.registers if self.registers else THREADS_PER_SM) // self.threads
        held = multiprocessors * max(1, per_sm) // self.ctas
        if self.ctas > 1 and held > GPCS:
            held -= held % GPCS  # clusters lie within a GPC: what one has left over holds none
        return max(1, min(needed, held))


@dataclass(frozen=True, slots=True)
class Room:
    """How much of a row the threads of a kernel take: measured on an H200, for rows of 1,024 to 65,536 columns.

    Attributes:
        lane: elements for a lane, where a warp holds whole rows.
        cta: threads of a CTA and elements for each, at most: the first that hold the row are taken, and else a cluster of the last.
        narrow: columns of a row up to which registers hold it; of wider ones shared memory does, where it is the only one.
    """

    lane: int
    cta: tuple[tuple[int, int], ...]
    narrow: int = 8192


ONE_ROW = Room(32, ((COMFORTABLE, 32), (MOST_THREADS, 32)))
"""Registers hold a row, of which more than one thing is computed; or it comes in steps."""
LIGHT = Room(32, ((MOST_THREADS, 16), (MOST_THREADS, 32)), 4096)
"""Little is computed."""
THREE_ROWS = Room(16, ((COMFORTABLE, 16),))
"""Registers hold two rows, and what becomes of them."""
SUMS = Room(16, ((COMFORTABLE, 16), (COMFORTABLE, 32)))
"""Registers hold sums over rows for each column."""


def staged(nbytes: int) -> Room:
    """Where shared memory holds a row, `nbytes` of each element."""
    most = max(16, STAGED_BYTES // nbytes)
    return Room(32, ((COMFORTABLE, 16), (COMFORTABLE, most), (MOST_THREADS, most)))


def choose(
    columns: int, elements: int, room: Room = ONE_ROW, *, shifted: bool = False, resident: bool = False
) -> Layout:
    """The layout for rows of so many columns.

    Args:
        elements: that can be moved at a time. shifted: as in `Layout`.
        room: what threads take of a row. resident: as in `Layout`; fewer lanes than a warp do not share a row.
    """
    vectors = -(-(columns - 1) // elements) + 1 if shifted else -(-columns // elements)
    if vectors * elements <= WARP * room.lane:
        least = 1 if resident else max(1, LANE_ELEMENTS // elements)
        lanes = WARP if resident else min(WARP, power_of_two(-(-vectors // least)))
        each = -(-vectors // lanes)
        warps = WARPS_OF_ROWS if resident else CTA_ELEMENTS // (WARP * each * elements)
        threads = WARP * min(max(warps, WARPS_OF_ROWS), MOST_WARPS)
        registers = REGISTERS_SUMS if room == SUMS else 0 if resident else REGISTERS
        return Layout(elements, each, lanes, threads, 1, shifted, resident=resident, registers=registers)
    held = (x for x in room.cta if x[0] * (x[1] // elements) >= vectors)
    most, deepest = next(held, room.cta[-1])
    ctas = _ctas(vectors, most * (deepest // elements), room)
    share = -(-vectors // ctas)
    if share > most * (deepest // elements):  # the widest rows that there can be
        most = MOST_THREADS
    usual = deepest if ctas > 1 else room.cta[0][1]
    each = max(usual // elements, -(-share // most))
    threads = -(-share // (each * WARP)) * WARP
    if room == SUMS:
        registers = REGISTERS_SUMS if each * elements <= room.cta[0][1] else REGISTERS_WIDE_SUMS
        registers = min(registers, REGISTERS_PER_SM // threads)
    else:
        registers = 0 if resident else REGISTERS if threads <= COMFORTABLE else REGISTERS_FEW
    return Layout(
        elements, -(-share // threads), threads, threads, ctas, shifted, resident=resident, registers=registers
    )


def _ctas(vectors: int, held: int, room: Room) -> int:
    """CTAs that share a row, where one holds so many vectors. With sums, more than two are eight: few threads wait less."""
    needed = power_of_two(-(-vectors // held))
    return MOST_CTAS if room == SUMS and needed > 2 else min(MOST_CTAS, needed)


def widest(most: int) -> int:
    """Columns of the widest row, where a thread has registers for so many elements of it."""
    return MOST_THREADS * MOST_CTAS * most


def power_of_two(n: int) -> int:
    """The smallest one that is not below n."""
    return 1 << (n - 1).bit_length()
