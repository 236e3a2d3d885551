"""Pictures of swizzles: what lies where in shared memory, and where the chunks of operand tiles lie."""

from __future__ import annotations

from functools import partial

from ptxlab.layout import SWIZZLES, OperandTile, Swizzle, k_major, mn_major, swizzle
from ptxlab.layout.swizzles import CHUNK
from ptxlab.layout.tile import STEP_BYTES
from ptxlab.view.grid import Cell, Grid, Heads
from ptxlab.view.swizzle import LINE, PER_LINE, swizzle_svg

SIZES = (8, 16, 32)
LINES, STEPS = 64, 64
"""Rows along M or N of a tile, and steps of k of an MN-major one."""
SHOWN = 16


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
    **{f"swizzle-{mode}.svg": partial(swizzle_svg, mode) for mode in SWIZZLES},
    **{f"tile-{m.lower()}-{mode}.svg": partial(operand, mode, m) for m in ("K", "MN") for mode in SWIZZLES},
}
