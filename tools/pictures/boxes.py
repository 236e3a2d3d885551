"""Pictures of what copies through tensor maps move, and where it lies in shared memory: boxes, and rows that are gathered."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from ptxlab.diag.svg import svg, text
from ptxlab.layout import TensorMap, tile_box
from ptxlab.layout.gather import gather_box
from ptxlab.layout.swizzles import CHUNK
from ptxlab.layout.tensorbox import Box, BoxRows
from ptxlab.view.grid import Cell, Grid, Heads

EMPTY = 7
"""The colour of what is not copied."""
COLUMNS, ROWS = 64, 8
PER_LINE = 128 // CHUNK
MATRIX = {"dtype": "bf16", "address": 1 << 32, "dims": (COLUMNS, ROWS), "strides": (COLUMNS * 2,)}


def box_map() -> TensorMap:
    """The map whose boxes are drawn."""
    return TensorMap.tiled(**MATRIX, box=(32, 4), swizzle="64B")


def box(coordinates: tuple[int, int]) -> str:
    """A box of a matrix, and where its chunks lie in shared memory."""
    title = f"A box of 32 × 4 bf16 at {coordinates} of a matrix of {COLUMNS} × {ROWS}, swizzle 64B"
    held = tile_box(box_map())
    return _drawn(*copied(held, held.at(coordinates)), title)


def gathered(rows: Sequence[int]) -> str:
    """Four rows of a matrix."""
    held = gather_box(TensorMap.tiled(**MATRIX, box=(32, 1), swizzle="64B"))
    found = held.at((16, *rows))
    title = f"gather4 of rows {', '.join(map(str, rows))} from column 16, 32 bf16 each, swizzle 64B"
    return _drawn(*copied(held, found), title)


def copied(held: Box, found: BoxRows) -> tuple[list[list[Cell]], list[list[Cell]]]:
    """The matrix and shared memory in chunks of 16 bytes; the number of a chunk in the box is the same in both."""
    chunks = held.row_bytes // CHUNK
    matrix = [[Cell("", EMPTY)] * PER_LINE for _ in range(ROWS)]
    shared = [[Cell("", EMPTY)] * PER_LINE for _ in range(-(-held.footprint // 128))]
    for row, (start, places) in enumerate(zip(found.offsets.tolist(), held.shared_chunks().tolist(), strict=True)):
        for c, place in enumerate(places):
            within = (found.inside is None or bool(found.inside[row])) and found.begin <= c * CHUNK < found.end
            name = str(row * chunks + c)
            shared[place // 128][place % 128 // CHUNK] = Cell(name if within else "zero", row if within else EMPTY)
            if within:
                line, at = divmod(start + c * CHUNK, COLUMNS * 2)
                matrix[line][at // CHUNK] = Cell(name, row, framed=True)
    return matrix, shared


def _drawn(matrix: list[list[Cell]], shared: list[list[Cell]], title: str) -> str:
    """The matrix above, shared memory below."""
    columns = [f"{8 * i}–{8 * i + 7}" for i in range(PER_LINE)]
    left = Grid(cells=matrix, rows=[Heads("row", [str(i) for i in range(ROWS)])], columns=[Heads("", columns)])
    banks = [f"{4 * i}–{4 * i + 3}" for i in range(PER_LINE)]
    lines = [f"{128 * i:#05x}" for i in range(len(shared))]
    right = Grid(cells=shared, rows=[Heads("offset", lines)], columns=[Heads("banks", banks)])
    note = "a cell is a chunk of 16 bytes, by its number in the box; zero: out of bounds"
    order = "; ".join(", ".join(one.text for one in line) for line in shared)
    return _stacked([("global memory", left), ("shared memory", right)], title, [note], f"Shared memory holds {order}.")


def _stacked(shown: Sequence[tuple[str, Grid]], title: str, notes: Sequence[str], description: str) -> str:
    """Grids below each other, each with its name: side by side they would be too wide for a page."""
    parts: list[str] = []
    y, wide = 8, 0
    for name, grid in shown:
        parts.append(text(10, y + 14, name, size=13))
        more, high, width = grid.parts(10, y + 22)
        parts += more
        y, wide = y + high + 34, max(wide, width)
    for note in notes:
        parts.append(text(10, y + 4, note, size=12))
        y += 18
    return svg(max(wide, 7 * max(map(len, notes))) + 20, y + 4, title, parts, description=description)


PICTURES = {
    "box-inside.svg": partial(box, (16, 2)),
    "box-edge.svg": partial(box, (48, 6)),
    "box-gather4.svg": partial(gathered, (6, 1, 2, 4)),
}
