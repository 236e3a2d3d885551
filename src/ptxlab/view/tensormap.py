"""A tensor map's box as a picture: which bytes of the tensor one copy takes, and where each chunk lands in shared memory."""

# matplotlib leaves the types of its **kwargs unsaid
# pyright: reportUnknownMemberType=false

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from ptxlab.layout import CHUNK, TensorMap, tile_box
from ptxlab.layout.im2col import im2col_box
from ptxlab.layout.tensormap_shape import shape, unit_bits
from ptxlab.view.figure import CHUNK_COLOURS, FAINT, INK, RULE, new_figure, save

if TYPE_CHECKING:
    from matplotlib.axes import Axes

LINE = 128
"""Bytes over all 32 banks."""
PER_LINE = LINE // CHUNK
MOST_ROWS = 16
"""Rows and lines that are drawn; larger boxes are cut off, and the picture says so."""
MOST_CHUNKS = 16
CELL = 0.42
"""Inches of a chunk."""


@dataclass(frozen=True, slots=True)
class Placed:
    """A chunk of 16 bytes: its row and its place in the row, its offset in shared memory, and how many of its bytes are real."""

    row: int
    chunk: int
    shared: int
    valid: int


def chunks(m: TensorMap, coordinates: Sequence[int] | None = None) -> list[Placed]:
    """The chunks of the box at these coordinates (elements, innermost first; default all 0), row by row.

    Raises: Diagnostic PTX2117, PTX2118 for coordinates and maps whose places are not known, PTX21xx for illegal maps.
    """
    start = tuple(coordinates) if coordinates is not None else (0,) * m.rank
    box = tile_box(m) if m.window is None else im2col_box(m)
    rows, places = box.at(start), box.shared_chunks()
    many = places.shape[1]
    out: list[Placed] = []
    for r in range(box.rows):
        inside = rows.inside is None or bool(rows.inside[r])
        for c in range(many):
            real = min(max(rows.end - c * CHUNK, 0), CHUNK) if inside and c * CHUNK >= rows.begin else 0
            out.append(Placed(r, c, int(places[r, c]), real))
    return out


def text_picture(m: TensorMap, coordinates: Sequence[int] | None = None, lines: int = MOST_ROWS) -> str:
    """Shared memory as lines of 128 bytes, each chunk by its row and place, `·` where nothing is written, `*` behind fill.

    Raises: as `chunks` does.
    """
    at = {p.shared // CHUNK: p for p in chunks(m, coordinates)}
    total = max(at) // PER_LINE + 1
    widest = max(4, *(len(_name(p)) for p in at.values()))
    out = [f"{'':8}" + " ".join(f"+{CHUNK * i}".rjust(widest) for i in range(PER_LINE))]
    for line in range(min(total, lines)):
        cells = (at.get(line * PER_LINE + i) for i in range(PER_LINE))
        out.append(f"{line * LINE:#07x} " + " ".join(f"{_name(p) if p else '·':>{widest}}" for p in cells))
    if total > lines:
        out.append(f"… {total - lines} more lines of 128 bytes")
    return "\n".join(out)


def _name(p: Placed) -> str:
    return f"{p.row}.{p.chunk}" + ("*" if p.valid < CHUNK else "")


def tensor_map_picture(
    m: TensorMap, path: str | os.PathLike[str], *, coordinates: Sequence[int] | None = None, dpi: int = 150
) -> Path:
    """Draw one copy: on the left the rows of the box as they lie in the tensor, on the right shared memory.

    Args:
        m: a legal map.
        path: .png, .svg or .pdf.
        coordinates: of the box's first element, innermost first; default all 0.
        dpi: pixels per inch of a .png.

    Returns: the path written.

    Raises: Diagnostic as `chunks` does; PTX2500, PTX2501 for a place that cannot be written.
    """
    start = tuple(coordinates) if coordinates is not None else (0,) * m.rank
    placed = chunks(m, start)
    rows = min(MOST_ROWS, 1 + max(p.row for p in placed))
    across = min(MOST_CHUNKS, 1 + max(p.chunk for p in placed))
    lines = min(MOST_ROWS, max(p.shared for p in placed) // LINE + 1)
    deep = max(rows, lines)
    left, between, top, foot = 1.3, 1.25, 1.35, 0.75
    width = left + CELL * across + between + CELL * 1.35 * PER_LINE + 0.4
    width, shift = max(width, 9.0), max(0.0, (9.0 - width) / 2)
    height = top + CELL * deep + foot
    figure = new_figure(width, height)

    def axes(x: float, columns: float, down: int) -> Axes:
        return figure.add_axes(
            ((x + shift) / width, (foot + CELL * (deep - down)) / height, columns / width, CELL * down / height)
        )

    _tensor(axes(left, CELL * across, rows), m, start, placed, rows, across)
    _shared(axes(left + CELL * across + between, CELL * 1.35 * PER_LINE, lines), placed, lines)
    figure.text(
        0.5, 1 - 0.28 / height, _title(m, start), ha="center", va="center", fontsize=13, fontweight="bold", color=INK
    )
    figure.text(0.5, 1 - 0.55 / height, _facts(m), ha="center", va="center", fontsize=9.5, color=FAINT)
    figure.text(0.5, 0.3 / height, _legend(m, placed), ha="center", va="center", fontsize=9, color=FAINT)
    return save(figure, path, dpi)


def _title(m: TensorMap, start: Sequence[int]) -> str:
    box = (
        " × ".join(map(str, m.box)) if m.window is None else f"{m.window.channels} channels × {m.window.pixels} pixels"
    )
    swizzle = "no swizzle" if m.swizzle == "none" else f"swizzle {m.swizzle}"
    return f"{box} of {m.dtype} at ({', '.join(map(str, start))}), {swizzle}"


def _facts(m: TensorMap) -> str:
    s = shape(m)
    return (
        f"tensor {' × '.join(map(str, m.dims))}, innermost first · expect_tx {s.transaction_bytes} bytes · "
        f"{s.shared_bytes} bytes of shared memory, aligned to {s.alignment}"
    )


def _legend(m: TensorMap, placed: Sequence[Placed]) -> str:
    parts = ["a cell is 16 bytes: row.chunk"]
    if any(p.valid < CHUNK for p in placed):
        parts.append(f"hatched: outside the tensor, filled with {'NaN' if m.oob_fill == 'nan' else 'zeros'}")
    if any(p.row >= MOST_ROWS or p.chunk >= MOST_CHUNKS or p.shared >= LINE * MOST_ROWS for p in placed):
        parts.append(f"{len(placed)} chunks in all, the first ones are shown")
    return " · ".join(parts)


def _tensor(ax: Axes, m: TensorMap, start: Sequence[int], placed: Sequence[Placed], rows: int, across: int) -> None:
    for p in placed:
        if p.row < rows and p.chunk < across:
            _cell(ax, p.chunk, p.row, p)
    per = max(1, CHUNK * 8 // unit_bits(m))
    ax.set(xlim=(0, across), ylim=(rows, 0))
    step = max(1, across // 8)
    ax.set_xticks([c + 0.5 for c in range(0, across, step)], [str(start[0] + c * per) for c in range(0, across, step)])
    ax.set_yticks([r + 0.5 for r in range(rows)], [_row_name(m, start, r) for r in range(rows)])
    _bare(ax, "in the tensor, by element and row")


def _row_name(m: TensorMap, start: Sequence[int], row: int) -> str:
    """The coordinates of a row behind the innermost one; a pixel's number for im2col."""
    if m.window is not None:
        return f"pixel {row}"
    first = 1 if m.interleave == "none" else 0  # rows of an interleaved map are slices
    walked = list(zip(start, shape(m).counts, m.element_strides, strict=True))[first:]
    out: list[str] = []
    for coordinate, count, step in walked:
        out.append(str(coordinate + row % count * step))
        row //= count
    return ", ".join(out) if out else "row 0"


def _shared(ax: Axes, placed: Sequence[Placed], lines: int) -> None:
    from matplotlib.patches import Rectangle

    for line in range(lines):
        ax.add_patch(Rectangle((0, line), PER_LINE, 1, facecolor="none", edgecolor=RULE, linewidth=0.6))
    for p in placed:
        if p.shared < lines * LINE:
            _cell(ax, p.shared % LINE // CHUNK, p.shared // LINE, p)
    ax.set(xlim=(0, PER_LINE), ylim=(lines, 0))
    ax.set_xticks([i + 0.5 for i in range(PER_LINE)], [f"{4 * i}–{4 * i + 3}" for i in range(PER_LINE)])
    ax.set_yticks([i + 0.5 for i in range(lines)], [f"{i * LINE:#05x}" for i in range(lines)])
    _bare(ax, "in shared memory, by bank")


def _cell(ax: Axes, x: float, y: float, p: Placed) -> None:
    from matplotlib.patches import Rectangle

    outside = p.valid < CHUNK
    ax.add_patch(
        Rectangle(
            (x + 0.03, y + 0.05), 0.94, 0.9, facecolor="white" if not p.valid else CHUNK_COLOURS[p.chunk % PER_LINE],
            edgecolor=RULE if outside else "white", hatch="///" if outside else None, linewidth=0.5,
        )
    )  # fmt: skip
    ax.text(x + 0.5, y + 0.53, f"{p.row}.{p.chunk}", ha="center", va="center", fontsize=6.5, color=INK)


def _bare(ax: Axes, title: str) -> None:
    ax.xaxis.set_ticks_position("top")
    ax.tick_params(length=0, labelsize=7.5, colors=FAINT)
    ax.spines[:].set_visible(False)
    ax.set_title(title, fontsize=9, color=INK, loc="left", pad=6)
