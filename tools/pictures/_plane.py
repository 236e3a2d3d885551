"""Two logarithmic axes for the points of a picture."""

from __future__ import annotations

import math

from ptxlab.diag.svg import GREY, text

LEFT, TOP, WIDE, HIGH = 64, 34, 640, 380


class Plane:
    """Places of points on two logarithmic axes, which begin and end at powers of ten along y."""

    def __init__(self, xs: list[float], ys: list[float]) -> None:
        self.low, self.high = min(xs) / 1.5, max(xs) * 1.5
        self.bottom, self.top = (
            10.0 ** step(math.log10(y)) for step, y in ((math.floor, min(ys)), (math.ceil, max(ys)))
        )

    def x(self, value: float) -> float:
        return round(LEFT + WIDE * math.log(value / self.low) / math.log(self.high / self.low), 1)

    def y(self, value: float) -> float:
        return round(TOP + HIGH - HIGH * math.log(value / self.bottom) / math.log(self.top / self.bottom), 1)

    def axes(self, along: str, up: str) -> list[str]:
        """Lines at the powers of ten, with their numbers, and what they count."""
        parts: list[str] = []
        for power in range(math.ceil(math.log10(self.low)), math.floor(math.log10(self.high)) + 1):
            x = self.x(10.0**power)
            parts += [
                thin(x, TOP, x, TOP + HIGH),
                text(x, TOP + HIGH + 18, f"{10**power:,}", size=12, anchor="middle"),
            ]
        for power in range(round(math.log10(self.bottom)), round(math.log10(self.top)) + 1):
            y = self.y(10.0**power)
            parts += [thin(LEFT, y, LEFT + WIDE, y), text(LEFT - 8, y + 4, f"{10**power:,}", size=12, anchor="end")]
        parts.append(text(LEFT + WIDE / 2, TOP + HIGH + 38, along, size=13, anchor="middle"))
        return [*parts, text(8, TOP - 14, up, size=13)]


def thin(x: float, y: float, x2: float, y2: float) -> str:
    return f'<path d="M{x:g} {y:g}L{x2:g} {y2:g}" stroke="{GREY}" stroke-width="0.4"/>'
