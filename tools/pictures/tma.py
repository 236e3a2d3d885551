"""Pictures of tensor copies: a box at the edge of its tensor, the swizzles, and the pixels of an im2col copy."""

from __future__ import annotations

from ptxlab.diag.svg import BLUE, COLOURS, GREY, INK, ORANGE, VIOLET, box, cell, svg, text, tint
from ptxlab.layout import CHUNK, SWIZZLES, TensorMap, swizzle, swizzle_atom, swizzle_span, tile_box
from ptxlab.layout.im2col import im2col_box

CELL = 22
LINE = 128
"""Bytes over all 32 banks."""


def _tensor(columns: int, rows: int, x: int, y: int) -> list[str]:
    """The grid of a tensor's elements."""
    return [cell(x + c * CELL, y + r * CELL, CELL, CELL, GREY, fill=0) for r in range(rows) for c in range(columns)]


def edge_box() -> str:
    """A box that reaches over two edges, and one with an element stride, as `TileBox.at` places their rows."""
    columns, rows, top = 12, 6, 64
    parts: list[str] = []
    for panel, (at, steps, title) in enumerate(
        (
            ((8, 4), (1, 1), "box 8 × 4 at column 8, row 4"),
            ((0, 0), (1, 2), "box 8 × 6 at column 0, row 0; element stride 2"),
        )
    ):
        left = 12 + panel * 440
        shape = (8, 4) if panel == 0 else (8, 6)
        map = TensorMap.tiled(
            dtype="u32", address=0, dims=(columns, rows), strides=(4 * columns,), box=shape, element_strides=steps
        )
        geometry = tile_box(map)
        found = geometry.at(at)
        parts += [text(left, 24, title), text(left, 46, f"{geometry.nbytes} bytes, {geometry.rows} rows")]
        parts += _tensor(columns, rows, left, top)
        for i, step in enumerate(geometry.steps[1].tolist()):
            inside = found.inside is None or bool(found.inside[i])
            for c in range(geometry.counts[0]):
                real = inside and found.begin <= c * 4 < found.end
                x, y = left + (at[0] + c) * CELL, top + (at[1] + step) * CELL
                parts.append(cell(x, y, CELL, CELL, BLUE if real else ORANGE, fill=0.45 if real else 0.2))
    bottom = top + 8 * CELL + 26
    parts += [
        cell(12, bottom - 14, 16, 16, BLUE, fill=0.45),
        text(36, bottom, "comes from the tensor", BLUE),
        cell(232, bottom - 14, 16, 16, ORANGE, fill=0.2),
        text(256, bottom, "outside: filled, and counted by the mbarrier all the same", ORANGE),
    ]
    return svg(
        12 + 440 + 400,
        bottom + 12,
        "Boxes of a tensor of 12 × 6 elements: what comes from it, and what is filled",
        parts,
    )


def swizzles() -> str:
    """Where the chunks of each row lie. A colour is a row of the box, a number the chunk's place in it."""
    parts: list[str] = []
    for panel, mode in enumerate(SWIZZLES[1:]):
        left, span = 12 + panel * 270, swizzle_span(mode)
        parts += [
            text(left, 24, f"{mode}: rows of {span} bytes"),
            text(left, 44, f"repeats after {swizzle_atom(mode)} bytes", size=12),
        ]
        for line in range(8):
            for place in range(LINE // CHUNK):
                source = swizzle(line * LINE + place * CHUNK, mode)
                row, chunk = divmod(source, span)
                x, y = left + place * 30, 56 + line * CELL
                parts.append(cell(x, y, 30, CELL, tint(COLOURS[row % 8]), fill=1))
                if chunk == 0:
                    parts.append(box(x + 2, y + 2, 26, CELL - 4, COLOURS[row % 8]))
                parts.append(text(x + 15, y + 16, f"{chunk // CHUNK}", INK, size=12, anchor="middle"))
    parts.append(
        text(
            12,
            56 + 8 * CELL + 24,
            "A line is 128 bytes, all 32 banks; a cell is a chunk of 16 bytes. Framed: chunk 0 of each row.",
        )
    )
    return svg(
        12 + 3 * 270, 56 + 8 * CELL + 36, "Swizzles 32B, 64B and 128B: where each 16-byte chunk of a row lies", parts
    )


def _image(width: int, height: int, margin: int) -> TensorMap:
    """The map of an image for a filter of 3 × 3 and a padding of 1; `margin` puts it into a larger image."""
    wide, high = width + 2 * margin, height + 2 * margin
    return TensorMap.im2col(
        dtype="f16",
        address=0,
        dims=(8, wide, high, 1),
        strides=(16, 16 * wide, 16 * wide * high),
        lower=(margin - 1, margin - 1),
        upper=(-margin - 1, -margin - 1),
        channels=8,
        pixels=12,
    )


def im2col() -> str:
    """The pixels of one copy, for two taps of a filter, in the order in which they come."""
    width, height, margin, top = 8, 6, 4, 64
    geometry, larger = im2col_box(_image(width, height, 0)), im2col_box(_image(width, height, margin))
    window, parts = geometry.window, list[str]()
    for panel, offsets in enumerate(((0, 0), (2, 1))):
        left = 12 + CELL + panel * 290
        parts += [text(left - CELL, 24, f"offsets {offsets}"), *_tensor(width, height, left, top)]
        inside = geometry.at((0, 1, 1, 0), offsets).inside
        assert inside is not None
        # in the larger image no pixel lies outside, so that its address tells its place
        places = larger.at((0, 1 + margin, 1 + margin, 0), offsets).offsets.tolist()
        for i, place in enumerate(places):
            row, column = divmod(place // 16, width + 2 * margin)
            colour = BLUE if inside[i] else ORANGE
            x, y = left + (column - margin) * CELL, top + (row - margin) * CELL
            parts += [
                cell(x, y, CELL, CELL, tint(colour), fill=1),
                text(x + 11, y + 16, str(i), INK, size=12, anchor="middle"),
            ]
        wide, high = (n + up - low for n, low, up in zip((width, height), window.lower, window.upper, strict=True))
        parts.append(box(left + window.lower[0] * CELL, top + window.lower[1] * CELL, wide * CELL, high * CELL, VIOLET))
    bottom = top + (height + 1) * CELL + 24
    parts += [
        text(12, bottom, "Frame: the bounding box, in which a copy begins and walks.", VIOLET),
        text(12, bottom + 20, "Blue: pixels of the image. Orange: outside of it, filled.", ORANGE),
    ]
    title = "The twelve pixels of an im2col copy from W 1, H 1 on, for two taps of a filter"
    return svg(12 + 2 * 290, bottom + 32, title, parts)


PICTURES = {"tma-box.svg": edge_box, "tma-swizzles.svg": swizzles, "tma-im2col.svg": im2col}
