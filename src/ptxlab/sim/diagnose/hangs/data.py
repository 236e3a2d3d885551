"""The wait graph for machines: dicts, lists, strings and numbers, as JSON has them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ptxlab.sim.diagnose.hangs.cause import Cause
from ptxlab.sim.diagnose.hangs.graph import Graph, Members, Supplier, Wait
from ptxlab.sim.diagnose.hangs.past import data as events
from ptxlab.sim.diagnose.hangs.words import declared, missing, name, target, threads, who
from ptxlab.sim.families.mbarrier.declared import mbarrier_at

if TYPE_CHECKING:
    from ptxlab.ptx.program import Op
    from ptxlab.sim.engine.machine.operation import Place

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
        "for": target(graph, wait),
        "lacks": missing(graph, wait),
        **_where(wait.op),
        "suppliers": [_supplier(s, number) for s in wait.suppliers],
    }
    if wait.barrier is not None and wait.place is not None:
        b = wait.barrier
        out["barrier"] = {
            **_mbarrier(graph, wait.place),
            "declared": known.place.shown if (known := declared(graph, wait)) is not None else None,
            "phase": wait.phase,
            "parity": wait.phase & 1,
            "count": b.count,
            "pending_arrivals": b.pending,
            "pending_bytes": b.tx,
            "events": events(wait.past) if wait.past is not None else [],
        }
    elif wait.kind in ("barrier", "cluster"):
        out["barrier"] = {
            "number": wait.number if wait.kind == "barrier" else None,
            "come": wait.come,
            "wanted": wait.wanted,
        }
    return out


def _mbarrier(graph: Graph, place: Place) -> dict[str, Any]:
    """Which mbarrier it is: the array, the element (counted in mbarriers of 8 bytes) and the offset."""
    out: dict[str, Any] = {"name": name(graph, place), "cta": list(place.cta.coordinates), "offset": place.offset}
    found = mbarrier_at(graph.machine.record, place.offset)
    if found is not None:
        out |= {"array": found[0], "element": found[1]}
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


__all__ = ["as_data"]
