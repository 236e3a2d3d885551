"""The shared-memory swizzles as a picture: which chunk of which row lies on which banks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from ptxlab.layout import CHUNK, Swizzle, SwizzleLike, swizzle, swizzle_mode, swizzle_span
from ptxlab.view.grid import Cell, Grid, Heads

LINE = 128
"""Bytes over all 32 banks."""
LINES = 8
PER_LINE = LINE // CHUNK


def places(mode: SwizzleLike, row_bytes: int | None = None, lines: int = LINES) -> list[list[tuple[int, int]]]:
    """What lies where: `places(mode)[line][place]` is the (row, chunk) of the source that lies at 16-byte place `place` of
    128-byte line `line`.

    Args:
        mode: the swizzle.
        row_bytes: length of the rows that were copied; default the swizzle's span, 128 for "none".
        lines: lines of 128 bytes.
    """
    name = swizzle_mode(mode)
    width = row_bytes or (LINE if name == "none" else swizzle_span(name))
    at = [[swizzle(line * LINE + place * CHUNK, name) for place in range(PER_LINE)] for line in range(lines)]
    return [[(source // width, source % width // CHUNK) for source in line] for line in at]


def conflict_degree(grid: Sequence[Sequence[tuple[int, int]]], chunk: int = 0, rows: int = 8) -> int:
    """How many of the first `rows` rows have this chunk on the same banks: 1 is free of conflicts, 8 is the worst."""
    banks = Counter(place for line in grid for place, (row, c) in enumerate(line) if c == chunk and row < rows)
    return max(banks.values())


def swizzle_svg(mode: Swizzle) -> str:
    """Which chunk of which row of a tile lies where in 1024 bytes of shared memory."""
    grid = places(mode)
    spots = [[Cell(f"r{row} c{c}", c, c == 0 and row < 8) for row, c in line] for line in grid]
    rows = Heads("address", [f"{i * LINE:#05x}" for i in range(len(grid))])
    banks = Heads("banks", [f"{4 * p}–{4 * p + 3}" for p in range(PER_LINE)])
    degree = conflict_degree(grid)
    width = LINE if mode == "none" else swizzle_span(mode)
    said = "no bank conflict" if degree == 1 else f"{degree}-way bank conflict"
    notes = [
        f"rn cm: 16-byte chunk m of row n, of rows of {width} bytes",
        f"framed: chunk 0 of rows 0 to 7, which are read together: {said}",
    ]
    first = "; ".join(", ".join(spot.text for spot in line) for line in spots[:2])
    title = "No swizzle: rows one after the other" if mode == "none" else f"Swizzle {mode} of rows of {width} bytes"
    return Grid(cells=spots, rows=[rows], columns=[banks], notes=notes).drawn(
        title, f"The first 256 bytes hold {first}."
    )
