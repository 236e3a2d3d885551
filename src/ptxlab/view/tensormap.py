"""What a picture of a tensor map's box shows: the bytes of the tensor that a copy takes, and where its chunks land."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ptxlab.layout import CHUNK, TensorMap, tile_box
from ptxlab.layout.im2col import im2col_box
from ptxlab.layout.tensormap_shape import shape, unit_bits

LINE = 128
"""Bytes over all 32 banks."""
PER_LINE = LINE // CHUNK
MOST_ROWS = 16
"""Rows and lines that are drawn; larger boxes are cut off, and the picture says so."""
MOST_CHUNKS = 16


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


@dataclass(frozen=True, slots=True)
class Side:
    """The tensor or shared memory: what columns and rows are called (not all columns need a name), and (column, row) of chunks."""

    name: str
    columns: tuple[str, ...]
    rows: tuple[str, ...]
    cells: tuple[tuple[int, int, Placed], ...]


@dataclass(frozen=True, slots=True)
class Shown:
    """What a picture of a copy shows: its words, and both sides. `left_out` says what is not shown, if anything."""

    title: str
    facts: str
    tensor: Side
    shared: Side
    filled: str
    """What the bytes outside the tensor are filled with; empty where the box lies inside."""
    left_out: str

    def legend(self, look: str) -> str:
        """What cells mean; `look` is that of cells outside the tensor."""
        outside = f"{look}: outside the tensor, filled with {self.filled}" if self.filled else ""
        return " · ".join(filter(None, ("a cell is 16 bytes: row.chunk", outside, self.left_out)))


def shown(m: TensorMap, coordinates: Sequence[int] | None = None) -> Shown:
    """What pictures of this copy show. Raises: as `chunks` does."""
    start = tuple(coordinates) if coordinates is not None else (0,) * m.rank
    placed = chunks(m, start)
    filled = ("NaN" if m.oob_fill == "nan" else "zeros") if any(p.valid < CHUNK for p in placed) else ""
    cut = any(p.row >= MOST_ROWS or p.chunk >= MOST_CHUNKS or p.shared >= LINE * MOST_ROWS for p in placed)
    left_out = f"{len(placed)} chunks in all, the first ones are shown" if cut else ""
    return Shown(_title(m, start), _facts(m), _tensor(m, start, placed), _shared(placed), filled, left_out)


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


def _tensor(m: TensorMap, start: Sequence[int], placed: Sequence[Placed]) -> Side:
    rows = min(MOST_ROWS, 1 + max(p.row for p in placed))
    across = min(MOST_CHUNKS, 1 + max(p.chunk for p in placed))
    per = max(1, CHUNK * 8 // unit_bits(m))
    step = max(1, across // 8)
    columns = ("" if c % step else str(start[0] + c * per) for c in range(across))
    cells = ((p.chunk, p.row, p) for p in placed if p.row < rows and p.chunk < across)
    names = (_row_name(m, start, r) for r in range(rows))
    return Side("in the tensor, by element and row", tuple(columns), tuple(names), tuple(cells))


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


def _shared(placed: Sequence[Placed]) -> Side:
    lines = min(MOST_ROWS, max(p.shared for p in placed) // LINE + 1)
    columns = (f"{4 * i}–{4 * i + 3}" for i in range(PER_LINE))
    cells = ((p.shared % LINE // CHUNK, p.shared // LINE, p) for p in placed if p.shared < lines * LINE)
    names = (f"{i * LINE:#05x}" for i in range(lines))
    return Side("in shared memory, by bank", tuple(columns), tuple(names), tuple(cells))
