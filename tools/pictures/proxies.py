"""Picture of the proxies: which fences lead from ordinary accesses to those of another proxy, and what leads back."""

from __future__ import annotations

import ptxlab.isa as _rows  # noqa: F401  # enters the rows
from ptxlab.diag.svg import BLUE, GREY, ORANGE, arrow, box, line, svg, text
from ptxlab.isa.effects import COMPLETIONS, Access, Fence
from ptxlab.isa.form import FORMS

OTHERS = ("async", "tensormap", "alias", "texture", "constant", "surface")
LEFT, RIGHT, TOP, STEP = 150, 560, 16, 76


def _joining(begin: str, end: str) -> list[str]:
    """The instructions that join one proxy to another, in their shorter spelling."""
    found: set[str] = set()
    for row in FORMS.values():
        if isinstance(row.effect, Fence | Access) and (begin, end) in row.effect.joins:
            found.add(row.name)
    return sorted((name for name in found if not name.startswith("membar")), key=lambda name: (len(name), name))


def _ends(begin: str, end: str) -> bool:
    """Whether the end of an asynchronous operation joins the two."""
    return any(completion.fence == (begin, end) for completion in COMPLETIONS.values())


def proxies() -> str:
    """Ordinary accesses on the left, the other ways to memory on the right, and what stands between."""
    height = len(OTHERS) * STEP
    parts = [
        box(10, TOP, LEFT - 20, height - 16, BLUE, fill=0.12),
        text(70, TOP + height / 2, "generic", BLUE, anchor="middle"),
    ]
    for i, other in enumerate(OTHERS):
        y = TOP + i * STEP
        there, back = _joining("generic", other), _joining(other, "generic")
        colour = ORANGE if there else GREY
        parts += [
            box(RIGHT, y, 120, STEP - 16, colour, fill=0.12),
            text(RIGHT + 60, y + 35, other, colour, anchor="middle"),
        ]
        if not there:
            parts.append(line(LEFT - 6, y + 38, RIGHT - 6, y + 38, GREY, dashed=True))
            parts.append(text((LEFT + RIGHT) / 2, y + 30, "no fence: only the end of the grid", GREY, anchor="middle"))
            continue
        parts.append(arrow(LEFT - 6, y + 22, RIGHT - 6, y + 22, ORANGE))
        parts.append(text((LEFT + RIGHT) / 2, y + 15, ", ".join(there), ORANGE, size=12, anchor="middle"))
        said = ", ".join(back[:1] + ["or the wait for the operation"] * _ends(other, "generic"))
        if said:
            parts.append(arrow(RIGHT - 6, y + 44, LEFT - 6, y + 44, BLUE))
            parts.append(text((LEFT + RIGHT) / 2, y + 60, said, BLUE, size=12, anchor="middle"))
    return svg(RIGHT + 130, TOP + height, "Proxies, and the fences that lead from one to the other", parts)


PICTURES = {"proxies.svg": proxies}
