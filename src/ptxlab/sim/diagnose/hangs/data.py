"""The wait graph for machines: dicts, lists, strings and numbers, as JSON has them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ptxlab.sim.diagnose.hangs.graph import Graph
from ptxlab.sim.diagnose.hangs.naming import threads, who
from ptxlab.sim.diagnose.hangs.waits import Cause, Members, Supplier, Wait

if TYPE_CHECKING:
    from ptxlab.ptx.program import Op

MOST_THREADS = 64
"""CTAs of which the threads are listed."""


def as_data(graph: Graph, found: Sequence[Cause]) -> dict[str, Any]:
    """The graph: `waits`, `cycle` (numbers of waits), `causes` (the likeliest first), `recorded` (whether pasts are known)."""
    number = {id(w): i for i, w in enumerate(graph.waits)}
    return {
        "waits": [_wait(graph, w, number) for w in graph.waits],
        "cycle": [number[id(w)] for w in graph.cycle],
        "causes": [{"rule": c.rule, "words": c.words, "help": c.help, "wait": number[id(c.wait)]} for c in found],
        "recorded": graph.recorder is not None,
    }


def _wait(graph: Graph, wait: Wait, number: dict[int, int]) -> dict[str, Any]:
    out: dict[str, Any] = {
        "kind": wait.kind,
        "who": who(wait.members),
        "threads": _threads(wait.members),
        "for": wait.target(graph),
        "lacks": wait.lacks(),
        **_where(wait.op),
        "suppliers": [_supplier(s, number) for s in wait.suppliers],
    }
    barrier = wait.data(graph)
    if barrier is not None:
        out["barrier"] = barrier
    return out


def _supplier(s: Supplier, number: dict[int, int]) -> dict[str, Any]:
    return {
        "who": who(s.members),
        "threads": _threads(s.members),
        "state": s.state,
        "waits": number.get(id(s.wait)) if s.wait is not None else None,
        "before": s.before,
        **_where(s.op),
    }


def _threads(members: Members) -> list[dict[str, Any]]:
    found = list(threads(members).items())[:MOST_THREADS]
    return [{"cta": list(cta.coordinates), "threads": [list(r) for r in ranges]} for cta, ranges in found]


def _where(op: Op) -> dict[str, Any]:
    return {
        "instruction": op.text,
        "line": op.span.line if op.span is not None else None,
        "source": op.origin.shown if op.origin is not None else None,
    }
