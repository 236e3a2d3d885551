"""A likely cause of a hang."""

from __future__ import annotations

from dataclasses import dataclass

from ptxlab.diag import CODES
from ptxlab.sim.diagnose.hangs.graph import Graph, Wait
from ptxlab.sim.diagnose.hangs.words import counting


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


def wrong_bytes(words: str, wait: Wait) -> Cause:
    """A phase expects other bytes than copies bring."""
    return Cause("bytes", words, f"{CODES['PTX9118'].help}: elements × bytes of each", wait)


def wrong_count(graph: Graph, wait: Wait, counts: str, come: int, by: str) -> Cause:
    """Fewer arrivals come than an mbarrier counts.

    counts: "full counts 2 arrivals a phase". come: how many come. by: by whom and where, or "".
    """
    words = f"{counts}, and {come} {'come' if come > 1 else 'comes'}{by}"
    return Cause("count", words, f"{counting(graph, wait, come)}, or let the others arrive, too", wait)


__all__ = ["Cause", "wrong_bytes", "wrong_count"]
