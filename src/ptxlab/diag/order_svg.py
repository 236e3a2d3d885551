"""Happens-before graphs as SVG pictures: a column for each thread and operation, time from top to bottom."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from textwrap import wrap
from typing import Final

from ptxlab.diag.legible import visible
from ptxlab.diag.model import Diagnostic
from ptxlab.diag.order_graph import OrderEdge, OrderGraph
from ptxlab.diag.span import user_span
from ptxlab.diag.svg import BLUE, GREEN, GREY, ORANGE, RED, box, svg, text

WIDTH: Final = 300
GAP: Final = 70
HIGH: Final = 38
STEP: Final = 54
LEFT: Final = 14
LETTERS: Final = 46
"""Of a line in a box."""
COLOURS: Final = {"issue": ORANGE, "barrier": BLUE, "phase": BLUE, "wait": BLUE, "value": BLUE, "program order": GREY}


def drawn(graphs: Sequence[OrderGraph]) -> str:
    """Graphs below each other, as one picture."""
    parts: list[str] = []
    y, wide = 8.0, 0.0
    for graph in graphs:
        picture = _Picture(graph, y)
        parts += picture.parts()
        y, wide = picture.bottom + 18, max(wide, picture.wide)
    first = graphs[0]
    title = f"Happens-before graph of {first.code}: {first.missing}" + (", and the repair" if len(graphs) > 1 else "")
    return svg(wide, y, title, parts, description="\nRepaired:\n".join(map(str, graphs)))


def saved(graphs: Sequence[OrderGraph], path: Path) -> Path:
    """Write them."""
    if path.suffix.lower() != ".svg":
        message = f"{path.name} does not end like a picture of a graph."
        raise Diagnostic("PTX2501", message, help="name a file that ends in .svg", origin=user_span())
    try:
        path.write_text(drawn(graphs), encoding="utf-8")
    except OSError as e:
        message = f"{path} cannot be written: {e.strerror}."
        raise Diagnostic("PTX2500", message, help="choose another place", origin=user_span()) from None
    return path


class _Picture:
    def __init__(self, graph: OrderGraph, top: float) -> None:
        self.graph, self.top = graph, top
        self.wide = 2 * LEFT + len(graph.columns) * (WIDTH + GAP) - GAP + 40
        self.rows = _rows(graph)
        self._labels: list[tuple[float, float]] = []
        self.first_row = top + 78
        self.notes = self._notes()
        self.bottom = self.first_row + (max(self.rows) + 1) * STEP - 10 + 18 * len(self.notes)

    def parts(self) -> list[str]:
        graph, colour = self.graph, GREEN if not self.graph.missing else RED
        head = f"{graph.code if graph.found else 'repaired'}: {graph.state}"
        out = [text(LEFT, self.top + 16, head, colour, size=15)]
        for number, column in enumerate(graph.columns):
            x = self._x(number)
            tone = ORANGE if column.asynchronous else GREY
            out += [text(x, self.top + 44, column.name, tone), text(x, self.top + 61, column.where, tone, size=11)]
        out += [line for edge in _once(graph.edges) for line in self._edge(edge)]
        out += [line for number in range(len(graph.events)) for line in self._event(number)]
        if graph.missing:
            out += self._missing()
        y = self.bottom - 18 * len(self.notes) + 12
        return out + [text(LEFT, y + 18 * i, note, colour, size=13) for i, note in enumerate(self.notes)]

    def _notes(self) -> list[str]:
        if not self.graph.missing or not self.graph.help:
            return []
        return wrap(f"help: {self.graph.help}", max(60, int(self.wide / 7)))

    def _x(self, column: int) -> float:
        return LEFT + column * (WIDTH + GAP)

    def _y(self, number: int) -> float:
        return self.first_row + self.rows[number] * STEP

    def _event(self, number: int) -> list[str]:
        event = self.graph.events[number]
        colour = (RED if self.graph.missing else GREEN) if event.accused else GREY
        if not event.accused and self.graph.columns[event.column].asynchronous:
            colour = ORANGE
        x, y = self._x(event.column), self._y(number)
        often = f" (×{event.times})" if event.times > 1 else ""
        return [
            box(x, y, WIDTH, HIGH, colour, fill=0.16 if event.accused else 0.06),
            text(x + 8, y + 16, _cut(event.line), GREY, size=11),
            text(x + 8, y + 31, _cut(event.does + often), colour if event.accused else GREY, size=11),
        ]

    def _edge(self, edge: OrderEdge) -> list[str]:
        graph = self.graph
        a, b = graph.events[edge.first], graph.events[edge.second]
        colour = GREEN if edge.on_way else COLOURS[edge.kind] if edge.counts else RED
        width = 3 if edge.on_way else 1.6
        if a.column == b.column:
            x = self._x(a.column) + 20
            return _line((x, self._y(edge.first) + HIGH), (x, self._y(edge.second)), colour, width)
        right = a.column < b.column
        start = self._x(a.column) + (WIDTH if right else 0), self._y(edge.first) + HIGH / 2
        end = self._x(b.column) + (0 if right else WIDTH), self._y(edge.second) + HIGH / 2
        out = _line(start, end, colour, width, dashed=not edge.counts)
        label = edge.kind if edge.counts else "no order"
        return [*out, *self._label(start, end, label, colour)]

    def _label(self, start: tuple[float, float], end: tuple[float, float], words: str, colour: str) -> list[str]:
        """In the gap beside the box from which the edge comes, above the line."""
        x = start[0] + (6 if end[0] > start[0] else 6 - GAP)
        slope = (end[1] - start[1]) / (end[0] - start[0])
        y = start[1] + slope * (x + 20 - start[0]) - 6
        while any(abs(x - px) < GAP and abs(y - py) < 11 for px, py in self._labels):
            y -= 11
        self._labels.append((x, y))
        return [text(x, y, words, colour, size=10)]

    def _missing(self) -> list[str]:
        """The edge that is not there, from the first access to the second."""
        graph = self.graph
        a, b = graph.events[graph.first], graph.events[graph.second]
        ya, yb = self._y(graph.first), self._y(graph.second)
        if a.column == b.column:
            x = self._x(a.column) + WIDTH
            return [*_bow((x, ya + HIGH / 2), (x, yb + HIGH / 2), 44), text(x + 8, ya + 6, "missing", RED, size=10)]
        right = a.column < b.column
        start = self._x(a.column) + (WIDTH if right else 0), ya + HIGH / 2 + 6
        end = self._x(b.column) + (0 if right else WIDTH), yb + HIGH / 2 - 6
        return [*_line(start, end, RED, 2.4, dashed=True), *self._label(start, end, "missing", RED)]


def _once(edges: Sequence[OrderEdge]) -> list[OrderEdge]:
    """Barriers order both ways: the way that counts here is drawn."""
    both = {(e.first, e.second): e for e in edges}
    out: list[OrderEdge] = []
    for edge in edges:
        back = both.get((edge.second, edge.first))
        if back is None or (edge.on_way, edge.first < edge.second) > (back.on_way, back.first < back.second):
            out.append(edge)
    return out


def _rows(graph: OrderGraph) -> list[int]:
    """Of each event its row: below what comes before it, and beside those whom it meets at a barrier."""
    meets = [(e.first, e.second) for e in graph.edges if e.kind == "barrier"]
    groups = _groups(len(graph.events), [pair for pair in meets if pair[::-1] in meets])
    above: list[tuple[int, int, int]] = [
        (e.first, e.second, int(e.kind != "issue")) for e in graph.edges if groups[e.first] != groups[e.second]
    ]
    above.append((graph.first, graph.second, 1))
    out = [0] * len(graph.events)
    for _ in graph.events:  # each round puts at least one more where it belongs
        for first, second, step in above:
            out[second] = max(out[second], out[first] + step)
        for number, group in enumerate(groups):
            out[number] = max(out[other] for other, its in enumerate(groups) if its == group)
    return out


def _groups(count: int, pairs: Sequence[tuple[int, int]]) -> list[int]:
    """Events that belong together, each by the number of its group."""
    out = list(range(count))
    for a, b in pairs:
        old, new = out[a], out[b]
        out = [new if group == old else group for group in out]
    return out


def _line(
    start: tuple[float, float], end: tuple[float, float], colour: str, width: float, *, dashed: bool = False
) -> list[str]:
    """A line with a head at its end."""
    (x1, y1), (x2, y2) = start, end
    long = max(1.0, ((x2 - x1) ** 2 + (y2 - y1) ** 2) ** 0.5)
    dx, dy = (x2 - x1) / long, (y2 - y1) / long
    fx, fy = x2 - 8 * dx, y2 - 8 * dy
    points = f"{x2:.1f},{y2:.1f} {fx - 4 * dy:.1f},{fy + 4 * dx:.1f} {fx + 4 * dy:.1f},{fy - 4 * dx:.1f}"
    dashes = ' stroke-dasharray="6 4"' if dashed else ""
    return [
        f'<path d="M{x1:.1f} {y1:.1f}L{fx:.1f} {fy:.1f}" fill="none" stroke="{colour}" stroke-width="{width:g}"{dashes}/>',
        f'<polygon points="{points}" fill="{colour}"/>',
    ]


def _bow(start: tuple[float, float], end: tuple[float, float], out: float) -> list[str]:
    """A dashed red bow on the right of a column."""
    (x1, y1), (x2, y2) = start, end
    head = f"{x2:.1f},{y2:.1f} {x2 + 9:.1f},{y2 - 4:.1f} {x2 + 9:.1f},{y2 + 4:.1f}"
    return [
        f'<path d="M{x1:.1f} {y1:.1f}C{x1 + out:.1f} {y1:.1f} {x2 + out:.1f} {y2:.1f} {x2 + 8:.1f} {y2:.1f}" fill="none" '
        f'stroke="{RED}" stroke-width="2.4" stroke-dasharray="6 4"/>',
        f'<polygon points="{head}" fill="{RED}"/>',
    ]


def _cut(words: str) -> str:
    words = visible(words)
    return words if len(words) <= LETTERS else words[: LETTERS - 1] + "…"
