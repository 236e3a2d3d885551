"""Pictures of swizzles: what lies where in shared memory, and where the chunks of operand tiles lie."""

from __future__ import annotations

from functools import partial

from ptxlab.layout import SWIZZLES, OperandTile, Swizzle, k_major, mn_major, swizzle, swizzle_span
from ptxlab.layout.swizzles import CHUNK
from ptxlab.layout.tile import STEP_BYTES
from ptxlab.view.swizzle import LINE, PER_LINE, conflict_degree, places
from tools.pictures.grid import Cell, Grid, Heads

SIZES = (8, 16, 32)
LINES, STEPS = 64, 64
"""Rows along M or N of a tile, and steps of k of an MN-major one."""
SHOWN = 16


def memory(mode: Swizzle) -> str:
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


def tile(mode: Swizzle, major: str, bits: int = 16) -> OperandTile:
    """A tile that is 128 bytes long where it is contiguous."""
    if major == "K":
        return k_major(LINES, LINE * 8 // bits, bits, mode)
    return mn_major(LINES, STEPS, bits, mode)


def offsets(held: OperandTile, rows: int = SHOWN) -> list[list[int]]:
    """Where each chunk lies, from the tile's start: of the first rows or steps of k, of 128 bytes along the other dimension."""
    each = CHUNK // held.element_bytes
    plain = [
        [held.offset(i, c * each) if held.major == "K" else held.offset(c * each, i) for c in range(PER_LINE)]
        for i in range(rows)
    ]
    return [[swizzle(at, held.swizzle) for at in row] for row in plain]


def operand(mode: Swizzle, major: str) -> str:
    """Where the chunks of a tile lie that a descriptor describes."""
    held = tile(mode, major)
    at = offsets(held)
    spots = [
        [Cell(f"{x:#05x}", x // CHUNK % PER_LINE, c == 0 and i < 8) for c, x in enumerate(row)]
        for i, row in enumerate(at)
    ]
    along, across = ("K", "row of M or N") if major == "K" else ("M or N", "k")
    columns = [
        Heads(f"{along}, {bits} bits", [_span(c, CHUNK * 8 // bits) for c in range(PER_LINE)])
        for bits in (SIZES if major == "K" else (16,))
    ]
    further = at[8][0] - at[0][0]
    grid = Grid(
        cells=spots,
        rows=[Heads(across, [str(i) for i in range(len(at))])],
        columns=columns,
        below=f"each further 8 {'rows' if major == 'K' else 'steps of k'}: + {further:#x}",
        notes=[
            _descriptor(held),
            "cells: offset of a chunk of 16 bytes; colour: its banks; framed: chunks that are read together",
        ],
    )
    name = "no swizzle" if mode == "none" else f"swizzle {mode}"
    first = "; ".join(", ".join(spot.text for spot in row) for row in spots[:2])
    return grid.drawn(f"{major}-major tile with {name}: offsets of its chunks", f"The first two rows lie at {first}.")


def _descriptor(held: OperandTile) -> str:
    made = held.descriptor()
    k = STEP_BYTES // held.element_bytes
    size = f"tile of {held.lines} × {held.k}, {held.element_bits} bits"
    return f"{size}: LBO {made.leading}, SBO {made.stride}; the next {k} of k: address + {held.k_step(1)}"


def _span(index: int, each: int) -> str:
    return f"{index * each}–{index * each + each - 1}"


PICTURES = {
    **{f"swizzle-{mode}.svg": partial(memory, mode) for mode in SWIZZLES},
    **{f"tile-{m.lower()}-{mode}.svg": partial(operand, mode, m) for m in ("K", "MN") for mode in SWIZZLES},
}
