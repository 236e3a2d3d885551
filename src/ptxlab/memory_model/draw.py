"""The graph of an execution as SVG: a column for each agent, its events from top to bottom, and arrows for the relations."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import Final

from ptxlab.memory_model.events import INIT, Execution
from ptxlab.memory_model.explain import SECTIONS, Arrow, communications, cycle, described, label, missing
from ptxlab.memory_model.verdict import Verdict, headline

_WIDTH: Final = 350
_HEIGHT: Final = 30
_STEP: Final = 74
_GAP: Final = 210
_TOP: Final = 96
_SMALL: Final = 10
_LINE: Final = 13
_COLOURS: Final = {
    "reads-from": "#1a7f4b",
    "from-reads": "#b3261e",
    "coherence": "#8a5a00",
    "synchronizes": "#1f5fbf",
    "Fence-SC": "#7a3fb3",
    "barrier": "#1f5fbf",
    "waits for": "#1f5fbf",
    "issues": "#6b7785",
    "program order": "#6b7785",
}
_INK: Final = "#1d2733"


def svg(verdict: Verdict) -> str:
    r"""The verdict's witness, or, where there is none, the candidate that came closest with the cycle that forbids it.

    Returns: the text of an SVG file.

    Example:
        from ptxlab import memory_model

        text = r'''PTX MP
        { x = 0; flag = 0; }
        P0@cta 0,gpu 0        | P1@cta 1,gpu 0 ;
        st.weak x, 1          | ld.acquire.gpu r0, flag ;
        st.relaxed.gpu flag, 1 | ld.weak r1, x ;
        exists (P1:r0 == 1 /\ P1:r1 == 0)
        '''

        print(memory_model.svg(px.litmus(text))[:4])  # <svg
    """
    if verdict.witness is not None:
        x = verdict.witness
        return _Picture(x, communications(x), headline(verdict), next(missing(x), "")).text()
    if verdict.forbidden is not None:
        x, why = verdict.forbidden
        shown = [Arrow("reads-from", a, b) for a, b in x.reads_from]
        cycled = cycle(x, why)
        shown = [a for a in shown if (a.source, a.target) not in {(c.source, c.target) for c in cycled}] + cycled
        under = (
            f"forbidden by the axiom {why.axiom} (PTX manual, {SECTIONS[why.axiom]}): the thick arrows go in a circle"
        )
        return _Picture(x, shown, headline(verdict), under, cycled).text()
    return _Picture(None, [], headline(verdict), "no execution decides it").text()


class _Picture:
    def __init__(
        self, x: Execution | None, found: Sequence[Arrow], title: str, under: str, cycled: Sequence[Arrow] = ()
    ) -> None:
        self.x, self.title, self.under = x, title, under
        self.cycled = {(a.source, a.target) for a in cycled}
        self.labels: list[tuple[float, float, float]] = []
        self.places: dict[int, tuple[float, float]] = {}
        self.out: list[str] = []
        self.columns = 1
        self.rows = 1
        if x is not None:
            self._place(x, found)
        self.arrows = found

    def _place(self, x: Execution, found: Sequence[Arrow]) -> None:
        agents = [a for a in range(len(x.graph.agents)) if any(e.agent == a for e in x.graph.events)]
        self.columns = max(len(agents), 1)
        used = {i for a in found for i in (a.source, a.target)}
        first = [i for i, e in enumerate(x.graph.events) if e.agent == INIT and i in used]
        top = _TOP + (_STEP if first else 0)
        for n, i in enumerate(first):
            self.places[i] = (20 + n * (_WIDTH + _GAP), _TOP)
        self.columns = max(self.columns, len(first))
        for column, agent in enumerate(agents):
            mine = [i for i, e in enumerate(x.graph.events) if e.agent == agent]
            for row, i in enumerate(mine):
                self.places[i] = (20 + column * (_WIDTH + _GAP), top + row * _STEP)
            self.rows = max(self.rows, len(mine))
            name = x.graph.agents[agent]
            where = x.graph.events[mine[0]].place
            said = f"{name}  cta {where.cta}, gpu {where.gpu}"
            if "." in name:
                said = f"{name}  {x.graph.events[mine[0]].text.split()[0]}"
            self._words(20 + column * (_WIDTH + _GAP), top - 12, _cut(said, _WIDTH // 8), bold=True)
        self.bottom = top + self.rows * _STEP

    def text(self) -> str:
        width = 40 + self.columns * (_WIDTH + _GAP) - _GAP
        height = getattr(self, "bottom", _TOP) + 20
        if self.x is not None:
            self._program_order(self.x)
            names = [self._arrow(arrow, number) for number, arrow in enumerate(self.arrows)]
            for x, y, arrow in (n for n in names if n is not None):
                self._label(x, y, arrow.relation)
            for i, (left, top) in self.places.items():
                self._box(self.x, i, left, top)
        self._words(20, 28, self.title, bold=True, size=15)
        self._words(20, 50, self.under)
        used = {"program order", *(a.relation for a in self.arrows)}
        markers = "".join(
            f'<marker id="{_key(name)}" viewBox="0 0 10 10" refX="9" refY="5" markerUnits="userSpaceOnUse" '
            f'markerWidth="11" markerHeight="11" '
            f'orient="auto-start-reverse"><path d="M0 0L10 5L0 10z" fill="{colour}"/></marker>'
            for name, colour in {**_COLOURS, "other": _INK}.items()
            if name in used or name == "other"
        )
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
            f'role="img" font-family="ui-monospace, Menlo, Consolas, monospace">'
            f"<title>{escape(self.title)}</title><desc>{escape(self._told())}</desc>"
            f'<rect width="100%" height="100%" fill="white"/>'
            f"<defs>{markers}</defs>{''.join(self.out)}</svg>\n"
        )

    def _told(self) -> str:
        """The picture in words, for those who cannot see it."""
        if self.x is None:
            return self.under
        x, seen = self.x, [i for i in self.places if self.x.graph.events[i].agent != INIT]
        events = [f"{label(x, i)}: {described(x, i)}" for i in sorted(seen)]
        arrows = [
            f"{label(x, a.source)} {a.relation} {label(x, a.target)}"
            for a in self.arrows
            if a.source in seen and a.target in seen
        ]
        return "; ".join(part for part in (self.under, *events, *arrows) if part)

    def _label(self, x: float, y: float, name: str) -> None:
        """An arrow's name, below those that are there already."""
        width = 6 * len(name) + 4
        while any(x < right and x + width > left and abs(y - at) < _LINE for left, right, at in self.labels):
            y += _LINE
        self.labels.append((x, x + width, y))
        self._words(x, y, name, size=_SMALL, colour=_COLOURS.get(name, _INK))

    def _words(self, x: float, y: float, text: str, *, bold: bool = False, size: int = 12, colour: str = _INK) -> None:
        weight = ' font-weight="bold"' if bold else ""
        if size == _SMALL:
            width = 6 * len(text) + 4
            self.out.append(
                f'<rect x="{x - 2:g}" y="{y - 9:g}" width="{width}" height="12" fill="white" opacity="0.85"/>'
            )
        self.out.append(f'<text x="{x:g}" y="{y:g}" font-size="{size}" fill="{colour}"{weight}>{escape(text)}</text>')

    def _box(self, x: Execution, i: int, left: float, top: float) -> None:
        e = x.graph.events[i]
        faint = e.agent == INIT
        self.out.append(
            f'<rect x="{left:g}" y="{top:g}" width="{_WIDTH}" height="{_HEIGHT}" rx="4" '
            f'fill="{"#f3f5f7" if faint else "#eaf2fb"}" stroke="{"#d5dbe1" if faint else "#8dbdf0"}"/>'
        )
        words = described(x, i) if faint else f"{label(x, i)}: {described(x, i)}"
        self._words(left + 6, top + 19, _cut(words, (_WIDTH - 12) // 7), size=11)

    def _program_order(self, x: Execution) -> None:
        order = x.graph.order
        for a, b in order - (order >> order):
            if a in self.places and b in self.places:
                left, top = self.places[a]
                _, low = self.places[b]
                dashed = "" if (a, b) in self.cycled else ' stroke-dasharray="3 3"'
                self.out.append(
                    f'<line x1="{left + 16:g}" y1="{top + _HEIGHT:g}" x2="{left + 16:g}" y2="{low:g}" '
                    f'stroke="{_COLOURS["program order"]}" stroke-width="{self._width(a, b):g}"{dashed} '
                    f'marker-end="url(#{_key("program order")})"/>'
                )
                self._label(left + 24, (top + _HEIGHT + low) / 2 + 4, "program order")

    def _width(self, a: int, b: int) -> float:
        """Of an arrow: thick in the circle that is forbidden."""
        return 2.6 if (a, b) in self.cycled else 1.3

    def _arrow(self, arrow: Arrow, number: int) -> tuple[float, float, Arrow] | None:
        """Draw an arrow; where its name goes."""
        if arrow.relation == "program order" or arrow.source not in self.places or arrow.target not in self.places:
            return None
        colour = _COLOURS.get(arrow.relation, _INK)
        key = _key(arrow.relation if arrow.relation in _COLOURS else "other")
        (x1, y1), (x2, y2) = self.places[arrow.source], self.places[arrow.target]
        y1, y2 = y1 + _HEIGHT / 2, y2 + _HEIGHT / 2
        if x1 == x2:  # within a column: a bow on its right
            x1 = x2 = x1 + _WIDTH
            mid = x1 + 40 + 10 * (number % 4)
        elif x1 < x2:
            x1 += _WIDTH
            mid = (x1 + x2) / 2
        else:
            x2 += _WIDTH
            mid = (x1 + x2) / 2
        self.out.append(
            f'<path d="M{x1:g} {y1:g}C{mid:g} {y1:g} {mid:g} {y2:g} {x2:g} {y2:g}" fill="none" stroke="{colour}" '
            f'stroke-width="{self._width(arrow.source, arrow.target):g}" marker-end="url(#{key})"/>'
        )
        # Near its beginning, so that arrows that cross keep their names apart.
        return (3 * x1 + x2 + 2 * mid) / 6 - 32, (3 * y1 + y2) / 4 + 4, arrow


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else text[: most - 1] + "…"


def _key(name: str) -> str:
    return name.replace(" ", "-").lower()
