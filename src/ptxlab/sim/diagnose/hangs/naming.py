"""Threads, instructions and places of a wait graph in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ptxlab.sim.diagnose.hangs.graph import Graph, runs
from ptxlab.sim.diagnose.hangs.waits import Members, Supplier, Wait
from ptxlab.sim.engine.machine.deadlock import where
from ptxlab.sim.engine.machine.faults import shared_name
from ptxlab.sim.engine.machine.naming import cta_name, lanes_of
from ptxlab.sim.engine.machine.operation import Place

if TYPE_CHECKING:
    from ptxlab.ptx.program import Op
    from ptxlab.sim.engine.machine.resident import Cta

MOST = 3
"""Sets of threads that are named."""


def threads(members: Members) -> dict[Cta, list[tuple[int, int]]]:
    """The threads of each CTA, as ranges of linear numbers."""
    numbers: dict[Cta, list[int]] = {}
    for warp, lanes in members.items():
        numbers.setdefault(warp.cta, []).extend(32 * warp.index + lane for lane in lanes_of(lanes))
    return {cta: runs(sorted(set(found))) for cta, found in numbers.items()}


def who(members: Members, of: Cta | None = None) -> str:
    """ "threads 0-127 of CTA (0, 0, 0)"; without the CTA where all are in `of`."""
    found = threads(members)
    if of is not None and list(found) == [of]:
        return _threads(found[of])
    alike: dict[str, list[Cta]] = {}
    for cta, ranges in found.items():
        alike.setdefault(_threads(ranges), []).append(cta)
    named: list[str] = []
    for words, ctas in list(alike.items())[:MOST]:
        more = f" and of {len(ctas) - 1} more CTA{'s' if len(ctas) > 2 else ''}" if len(ctas) > 1 else ""
        named.append(f"{words} of {cta_name(ctas[0])}{more}")
    return " and ".join([*named, *(["others"] if len(alike) > MOST else [])])


def is_one(members: Members) -> bool:
    """Whether it is a single thread."""
    return sum(lanes.bit_count() for lanes in members.values()) == 1


def verb(members: Members, one: str, many: str) -> str:
    """The form of a verb that goes with so many threads."""
    return one if is_one(members) else many


def waiting(wait: Wait) -> str:
    """Who waits, with the verb: "threads 0-31 wait"."""
    return f"{who(wait.members)} {verb(wait.members, 'waits', 'wait')}"


def _threads(ranges: list[tuple[int, int]]) -> str:
    listed = ", ".join(str(a) if a == b else f"{a}-{b}" for a, b in ranges[:8])
    more = ", …" if len(ranges) > 8 else ""
    alone = len(ranges) == 1 and ranges[0][0] == ranges[0][1]
    return f"thread{'' if alone else 's'} {listed}{more}"


def place_of(op: Op) -> str:
    """ " in line 51", or " in kernel.py:16"."""
    found = where(op)
    return f" in {found}" if found else ""


def name(graph: Graph, place: Place, *, of: Cta | None = None) -> str:
    """A place in shared memory; its CTA, too, where that is not `of`."""
    whose = "" if of is place.cta or graph.machine.record.ctas == 1 else f" of {cta_name(place.cta)}"
    return f"{shared_name(graph.machine, place.offset)}{whose}"


def supplier(graph: Graph, wait: Wait, s: Supplier) -> str:
    """Who could end a wait, and why that does not happen."""
    who_, many = who(s.members), not is_one(s.members)
    by = f" by `{s.op.inst.opcode}`{place_of(s.op)}" if wait.by_instruction else ""
    could = f"{who_} did it in earlier phases{by}" if s.before else f"{who_} could{by}"
    if s.state == "exited":
        return f"{could}, but {'have' if many else 'has'} exited"
    if s.wait is wait:
        return f"{could}, but {'wait' if many else 'waits'} here {'themselves' if many else 'itself'}"
    if s.wait is not None:
        return f"{could}, but {'wait' if many else 'waits'} for {s.wait.target(graph)}{place_of(s.wait.op)}"
    return f"{could}, but {'do' if many else 'does'} not come to it"
