"""What became of scores in the forward pass, done again, and its derivative."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

import ptxlab as px
from ptxlab import Diagnostic, user_span
from ptxlab.kernels.attention.scores import Score, ScorePlace

ScoreGradient: TypeAlias = Callable[[Any, Any, Any, ScorePlace], Any]
"""A function of the builder, a scaled score, what the function of scores gave for it, and its place: the derivative there."""


@dataclass(frozen=True, slots=True)
class Scoring:
    """How an exponent comes from a product of a query and a key, while the kernel is traced.

    Attributes:
        scale: by which products are multiplied, log2(e) included where there is no `score`; a register.
        score, gradient: functions in the language, or None.
    """

    k: px.Builder
    scale: Any
    score: Score | None
    gradient: ScoreGradient | None

    def exponent(self, x: Any, shift: Any, place: ScorePlace | None) -> Any:
        """The exponent to base 2 of a score's weight in place of the product x. `shift`: the logarithm of the row's sum, negative.

        Returns: the derivative of the score with respect to the scaled product; None where that is 1.
        """
        k = self.k
        if self.score is None or place is None:
            k.fma.rn.f32(x, self.scale, shift, d=x)
            return None
        scaled = k.mul.rn.f32(x, self.scale)
        made = self.score(k, scaled, place)
        k.fma.rn.f32(made, math.log2(math.e), shift, d=x)
        return self.gradient(k, scaled, made, place) if self.gradient else None


def gradient_of(score: Score | None, given: ScoreGradient | None) -> ScoreGradient | None:
    """The derivative of a function of scores: the one that is given, or its own. Raises: Diagnostic PTX2112 where there is none."""
    if score is None and given is None:
        return None
    if score is None:
        raise Diagnostic(
            "PTX2112",
            "score_gradient= has no score= whose derivative it could be.",
            help="give both, as attention was given score=",
            origin=user_span(),
        )
    found = given or getattr(score, "gradient", None)
    if found is None:
        name = getattr(score, "__name__", repr(score))
        raise Diagnostic(
            "PTX2112",
            f"The derivative of the function of scores {name} is not known.",
            help="give score_gradient=, a function of the builder, the scaled score, the new score and its place, "
            "e.g. lambda k, x, y, at: 1.0 where something is added to scores",
            origin=user_span(),
        )
    return found
