"""What has happened at an mbarrier, in words and as data."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ptxlab.sim.diagnose.hangs.naming import who
from ptxlab.sim.engine.machine.deadlock import where
from ptxlab.sim.engine.machine.operation import Place
from ptxlab.sim.families.mbarrier.hang_history import History, Row

if TYPE_CHECKING:
    from ptxlab.layout.shared_tile import SharedMbarriers

MOST = 8
"""Events that a report tells."""


def events(past: History) -> list[Row]:
    """What has happened: the initialisation and the last phases, in order; waits are left out."""
    return list(past.rows.values())


def shown(past: History, place: Place, now: int, known: SharedMbarriers | None) -> str:
    """The last events in a line: "initialised with count 1 (line 13); phase 0: 1 arrival by thread 0 (line 15)".

    now: the phase. known: what declares the mbarrier, where the kernel is written in Python: its line has the count.
    """
    rows = events(past)
    inits = [r for r in rows if r.kind == "init"]
    phases: dict[int, list[Row]] = {}
    for row in rows:
        if row.kind != "init":
            phases.setdefault(row.phase, []).append(row)
    if known is not None:
        out = [f"declared with count {known.count} ({known.place.shown}), initialised{_place(r)}" for r in inits[-1:]]
    else:
        out = [f"initialised with count {r.amount}{_place(r)}" for r in inits[-1:]]
    for phase in sorted(phases)[-2:]:
        happened = ", ".join(_alike(phases[phase], place)[:MOST])
        over = " (over)" if phase < now else ""
        out.append(f"phase {phase}{over}: {happened}")
    if inits and len(out) == 1:
        out.append("nothing since")
    return "; ".join(out)


def _alike(rows: list[Row], place: Place) -> list[str]:
    """What warps did by the same instruction, together."""
    together: dict[tuple[str, int], list[Row]] = {}
    for row in rows:
        together.setdefault((row.kind, id(row.op)), []).append(row)
    out: list[str] = []
    for (kind, _), same in together.items():
        amount = sum(r.amount for r in same)
        by = who({r.warp: r.lanes for r in same}, place.cta)
        what = {"arrive": f"{amount} arrival{'s' if amount != 1 else ''}", "expect": f"{amount} bytes expected"}
        words = what.get(kind, f"{amount} bytes brought")
        out.append(f"{words} by {by}{_place(same[0])}")
    return out


def _place(row: Row) -> str:
    found = where(row.op)
    return f" ({found})" if found else ""


def data(past: History) -> list[dict[str, Any]]:
    """The same for machines."""
    return [
        {
            "what": row.kind,
            "phase": row.phase,
            "by": who({row.warp: row.lanes}),
            "times": row.times,
            "amount": row.amount,
            "instruction": row.op.text,
            "line": row.op.span.line if row.op.span is not None else None,
            "source": row.op.origin.shown if row.op.origin is not None else None,
        }
        for row in events(past)
    ]


__all__ = ["data", "shown"]
