"""Parts of SVG pictures: boxes, lines, arrows, texts, and the picture around them.

Mid tones on a transparent ground are readable in a light and in a dark theme. A fill is the same tone, mostly transparent, so that
a text on it stays readable too. All lengths are pixels; a text's place is the left end of its base line unless `anchor` says
otherwise.
"""

from __future__ import annotations

from html import escape

Number = int | float
_DASHES = ' stroke-dasharray="5 4"'

GREY, BLUE, ORANGE, GREEN = "#7c8896", "#3f84d6", "#c9772b", "#3f9a57"
RED, VIOLET, TEAL, PINK = "#d6524c", "#8f6fd6", "#2a9aa3", "#c9608f"
COLOURS = (BLUE, ORANGE, GREEN, VIOLET, TEAL, PINK, RED, GREY)
"""One after another, for things of a kind that must be told apart."""
INK = "#1b2430"
"""Of texts on a tint."""


def text(x: Number, y: Number, what: str, colour: str = GREY, *, size: Number = 14, anchor: str = "start") -> str:
    """One line of text; `anchor` is start, middle or end."""
    placed = "" if anchor == "start" else f' text-anchor="{anchor}"'
    return f'<text x="{x:g}" y="{y:g}" font-size="{size:g}" fill="{colour}"{placed}>{escape(what, quote=False)}</text>'


def tint(colour: str) -> str:
    """A light, opaque tone of a colour, on which INK is easy to read in either theme."""
    return "#" + "".join(f"{255 - (255 - int(colour[i : i + 2], 16)) * 2 // 5:02x}" for i in (1, 3, 5))


def box(
    x: Number, y: Number, width: Number, height: Number, colour: str = GREY, *, fill: float = 0, dashed: bool = False
) -> str:
    """A rectangle with round corners; `fill` is how opaque its inside is, from 0 to 1."""
    inside = f'fill="{colour}" fill-opacity="{fill:g}"' if fill else 'fill="none"'
    around = f'stroke="{colour}" stroke-width="2"{_DASHES if dashed else ""}'
    return f'<rect x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" rx="5" {inside} {around}/>'


def cell(x: Number, y: Number, width: Number, height: Number, colour: str = GREY, *, fill: float = 0.25) -> str:
    """A rectangle of a grid: thin lines, square corners, filled."""
    inside = f'fill="{colour}" fill-opacity="{fill:g}"' if fill else 'fill="none"'
    return f'<rect x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" {inside} stroke="{colour}" stroke-width="0.8"/>'


def line(x: Number, y: Number, x2: Number, y2: Number, colour: str = GREY, *, dashed: bool = False) -> str:
    return f'<line x1="{x:g}" y1="{y:g}" x2="{x2:g}" y2="{y2:g}" stroke="{colour}" stroke-width="2"{_DASHES if dashed else ""}/>'


def arrow(x: Number, y: Number, x2: Number, y2: Number, colour: str = GREY, *, dashed: bool = False) -> str:
    """A line with a head at its second end."""
    long = ((x2 - x) ** 2 + (y2 - y) ** 2) ** 0.5
    along, across = ((x2 - x) / long, (y2 - y) / long), (-(y2 - y) / long, (x2 - x) / long)
    foot = x2 - 9 * along[0], y2 - 9 * along[1]
    corners = [(x2, y2)] + [(foot[0] + side * 4 * across[0], foot[1] + side * 4 * across[1]) for side in (1, -1)]
    points = " ".join(f"{px:.1f},{py:.1f}" for px, py in corners)
    shaft = line(x, y, round(foot[0], 1), round(foot[1], 1), colour, dashed=dashed)
    return f'{shaft}\n<polygon points="{points}" fill="{colour}"/>'


def svg(width: Number, height: Number, title: str, parts: list[str], *, description: str = "") -> str:
    """The whole picture. Readers who cannot see it are read its title, and the description where the title does not say it all."""
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height:g}" width="{width:g}" height="{height:g}"'
    said = [f"<title>{escape(title, quote=False)}</title>"]
    if description:
        said.append(f"<desc>{escape(description, quote=False)}</desc>")
    return "\n".join([f'{head} role="img" font-family="sans-serif">', *said, *parts, "</svg>", ""])
