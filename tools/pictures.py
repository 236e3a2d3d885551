"""`python -m tools.pictures`: draw the pictures of the explanation pages anew, as SVG.

Mid tones on a transparent ground, so that they are readable in a light and in a dark theme.
"""

from __future__ import annotations

import re
from pathlib import Path

DOCS = Path(__file__).resolve().parents[1] / "docs"
GREY, BLUE, ORANGE = "#7c8896", "#3f84d6", "#c9772b"
CELL = 84


def mbarrier_phases() -> str:
    """The steps that the page's kernel took, and the phase in progress after each, from the page's own output."""
    page = (DOCS / "explanation" / "mbarriers.md").read_text(encoding="utf-8")
    rows = re.findall(r"^(\S[\w ]{0,10}?) +(True|False) +(True|False)$", page, re.MULTILINE)
    parts, phase, before = [_text(10, 24, "the phase in progress after each step")], 0, "False"
    for i, (step, even_done, _) in enumerate(rows):
        phase += even_done != before
        before = even_done
        x, colour = 10 + i * CELL, (BLUE, ORANGE)[phase % 2]
        parts += [_box(x, 40, CELL - 4, colour), _text(x + 8, 65, f"phase {phase}", colour), _text(x + 8, 98, step)]
    return _svg(
        20 + len(rows) * CELL, 112, "Phases of an mbarrier, step by step; the colour is the phase's parity", parts
    )


def mbarrier_ring(stages: int = 3, steps: int = 8) -> str:
    """Which stage each step uses, and with which parity it waits for `full`."""
    parts: list[str] = [_text(10, 60 + 50 * stage, f"stage {stage}") for stage in range(stages)]
    for i in range(steps):
        stage, parity = i % stages, i // stages % 2
        x, colour = 80 + i * CELL, (BLUE, ORANGE)[parity]
        parts += [_text(x + 8, 24, f"step {i}"), _box(x, 35 + 50 * stage, CELL - 4, colour)]
        parts.append(_text(x + 8, 60 + 50 * stage, f"parity {parity}", colour))
    return _svg(
        90 + steps * CELL, 45 + 50 * stages, "A ring of stages: the parity turns over each time the ring wraps", parts
    )


PICTURES = {"mbarrier-phases.svg": mbarrier_phases, "mbarrier-ring.svg": mbarrier_ring}


def _box(x: int, y: int, width: int, colour: str) -> str:
    return f'<rect x="{x}" y="{y}" width="{width}" height="38" rx="5" fill="none" stroke="{colour}" stroke-width="2"/>'


def _text(x: int, y: int, text: str, colour: str = GREY) -> str:
    return f'<text x="{x}" y="{y}" font-size="14" fill="{colour}">{text}</text>'


def _svg(width: int, height: int, title: str, parts: list[str]) -> str:
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}"'
    return "\n".join([f'{head} role="img" font-family="sans-serif">', f"<title>{title}</title>", *parts, "</svg>", ""])


if __name__ == "__main__":
    for name, draw in PICTURES.items():
        (DOCS / "images" / name).write_text(draw(), encoding="utf-8")
