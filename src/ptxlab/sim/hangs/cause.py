"""A likely cause of a hang."""

from __future__ import annotations

from dataclasses import dataclass

from ptxlab.sim.hangs.graph import Wait


@dataclass(frozen=True, slots=True)
class Cause:
    """Why a launch hangs, most likely.

    Attributes:
        rule: its name, for machines. words: a sentence. help: the way out. wait: the wait that it explains.
    """

    rule: str
    words: str
    help: str
    wait: Wait


__all__ = ["Cause"]
