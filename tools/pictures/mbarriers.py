"""Pictures of mbarriers: phases as a timeline, and a ring of stages."""

from __future__ import annotations

import re
from pathlib import Path

from ptxlab.diag.svg import BLUE, ORANGE, box, svg, text

PAGE = Path(__file__).resolve().parents[2] / "docs" / "explanation" / "mbarriers.md"
CELL, HEIGHT = 84, 38


def mbarrier_phases() -> str:
    """The steps that the page's kernel took, and the phase in progress after each, from the page's own output."""
    rows = re.findall(r"^(\S[\w ]{0,10}?) +(True|False) +(True|False)$", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    parts, phase, before = [text(10, 24, "the phase in progress after each step")], 0, "False"
    for i, (step, even_done, _) in enumerate(rows):
        phase += even_done != before
        before = even_done
        x, colour = 10 + i * CELL, (BLUE, ORANGE)[phase % 2]
        parts += [
            box(x, 40, CELL - 4, HEIGHT, colour),
            text(x + 8, 65, f"phase {phase}", colour),
            text(x + 8, 98, step),
        ]
    return svg(
        20 + len(rows) * CELL, 112, "Phases of an mbarrier, step by step; the colour is the phase's parity", parts
    )


def mbarrier_ring(stages: int = 3, steps: int = 8) -> str:
    """Which stage each step uses, and with which parity it waits for `full`."""
    parts: list[str] = [text(10, 60 + 50 * stage, f"stage {stage}") for stage in range(stages)]
    for i in range(steps):
        stage, parity = i % stages, i // stages % 2
        x, colour = 80 + i * CELL, (BLUE, ORANGE)[parity]
        parts += [text(x + 8, 24, f"step {i}"), box(x, 35 + 50 * stage, CELL - 4, HEIGHT, colour)]
        parts.append(text(x + 8, 60 + 50 * stage, f"parity {parity}", colour))
    return svg(
        90 + steps * CELL, 45 + 50 * stages, "A ring of stages: the parity turns over each time the ring wraps", parts
    )


PICTURES = {"mbarrier-phases.svg": mbarrier_phases, "mbarrier-ring.svg": mbarrier_ring}
