"""Pictures of a whole product of mma: A left of the accumulator and B above it, and which thread holds what."""

from __future__ import annotations

from functools import partial

from ptxlab.diag.svg import COLOURS, Number, cell, svg, text
from ptxlab.layout.cells import Cells, of
from ptxlab.layout.shapes import fragment

WIDE, HIGH = 34, 19


def _grid(x: Number, y: Number, shown: Cells, head: str, wide: Number = WIDE, high: Number = HIGH) -> list[str]:
    """A fragment: the number in a cell is the thread's, the colour says which of its registers."""
    rows, columns, _ = shown.owner.shape
    parts = [text(x, y - 24, head, size=13)]
    parts += [
        text(x + (j + 0.5) * wide, y - 6, name, size=10, anchor="middle") for j, name in enumerate(shown.columns())
    ]
    parts += [text(x - 5, y + (i + 0.7) * high, name, size=10, anchor="end") for i, name in enumerate(shown.rows())]
    for i in range(rows):
        for j in range(columns):
            thread, register = (int(v) for v in shown.owner[i, j])
            parts += _cell(x + j * wide, y + i * high, str(thread), COLOURS[register], wide, high)
    return parts


def _cell(x: Number, y: Number, what: str, colour: str, wide: Number, high: Number) -> list[str]:
    return [
        cell(x, y, wide, high, colour, fill=0.12),
        text(x + wide / 2, y + 0.7 * high, what, colour, size=11, anchor="middle"),
    ]


def _legend(x: Number, y: Number, registers: int, each: int = 4) -> list[str]:
    """The colours of registers, so many in a line."""
    parts: list[str] = []
    for i in range(registers):
        at, down = x + i % each * 92, y + i // each * 22
        parts += [cell(at, down, 14, 14, COLOURS[i]), text(at + 20, down + 12, f"register {i}", COLOURS[i], size=12)]
    return parts


def product(name: str, types: tuple[str, str], wide: Number = WIDE) -> str:
    """A left of D, B above it, as they are multiplied."""
    a, b, d = (of(fragment(name, matrix, type_)) for matrix, type_ in zip("abd", (types[0], *types), strict=True))
    left, top = 45, 60
    right = left + a.owner.shape[1] * wide + 60
    below = top + b.owner.shape[0] * HIGH + 60
    most = max(int(x.owner[..., 1].max()) for x in (a, b, d)) + 1
    parts = [
        *_grid(right, top, b, f"B, .{types[0]}", wide),
        *_grid(left, below, a, f"A, .{types[0]}", wide),
        *_grid(right, below, d, f"C and D, .{types[1]}", wide),
        *_legend(left, 14, most, max(1, a.owner.shape[1] * int(wide) // 92)),
    ]
    width = right + max(b.owner.shape[1], d.owner.shape[1]) * wide + 12
    height = below + max(a.owner.shape[0], d.owner.shape[0]) * HIGH + 12
    told = f"{name}: in each cell the thread that holds it, the colour is the register"
    return svg(width, height, told, parts, description=_described({"A": a, "B": b, "C and D": d}))


def _described(shown: dict[str, Cells]) -> str:
    """What a reader hears who cannot see the cells: the first row and the first column of each matrix."""
    parts: list[str] = []
    for name, one in shown.items():
        row = ", ".join(f"{t}:{r}" for t, r in one.owner[0].tolist())
        column = ", ".join(f"{t}:{r}" for t, r in one.owner[:, 0].tolist())
        parts.append(f"{name}, thread:register, first row {row}; first column {column}.")
    return " ".join(parts)


PICTURES = {
    "product-m16n8k16.svg": partial(product, "mma.m16n8k16", ("bf16", "f32")),
    "product-m8n8k4-f64.svg": partial(product, "mma.m8n8k4", ("f64", "f64")),
}
