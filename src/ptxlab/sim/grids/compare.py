"""Compares what launches have done that may overlap, once they have ended; what is found is in the report of the later one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from ptxlab.abi.record import LaunchRecord
from ptxlab.diag import Diagnostic
from ptxlab.sim.grids.node import Node
from ptxlab.sim.grids.relation import Relation

if TYPE_CHECKING:
    from ptxlab.sim.grids.judge import Clash
    from ptxlab.sim.grids.judged import Judged
    from ptxlab.sim.grids.member import Member


def compare(nodes: Sequence[Node], stretch: range, members: Sequence[Member]) -> list[Diagnostic]:
    """What is found between entries of a stretch that have begun, where they are sanitized."""
    if not any(member.beside is not None for member in members):
        return []
    from ptxlab.sim.grids.handed import Handed
    from ptxlab.sim.grids.judge import broken, clashes
    from ptxlab.sim.grids.judged import Judged
    from ptxlab.sim.grids.told import told

    judged: dict[int, Judged] = {}
    for member in members:
        if member.begun if member.beside is not None else (member.over and not member.begun):
            machine = member.machine if member.begun else None
            judged[member.place] = Judged(member.node, member.place, machine, member.beside)
    relation = Relation(nodes, stretch, lambda place: _passes(judged.get(place)))
    entries = list(judged.values())
    handed = Handed(entries, relation)
    out: list[Diagnostic] = []
    pairs = set[tuple[int, int]]()
    alike: dict[tuple[object, ...], tuple[Diagnostic, set[tuple[int, int]]]] = {}
    for clash in clashes(handed):
        earlier, later = judged[clash.earlier], judged[clash.later]
        pairs.add((clash.earlier, clash.later))
        lines = _lines(clash, earlier, later)
        if lines not in alike:
            out.append(_added(told(clash, earlier, later), (later, earlier, *entries)))
            alike[lines] = out[-1], set()
        alike[lines][1].add((clash.earlier, clash.later))
    for found, launches in alike.values():
        more = len(launches) - 1
        if more:
            words = "one more pair of launches does" if more == 1 else f"{more} more pairs of launches do"
            found.notes = (*found.notes, f"{words} the same at these lines")
    for clash in broken(handed, lambda place: _below(place, nodes, judged, relation)):
        earlier, later = judged[clash.earlier], judged[clash.later]
        if (clash.earlier, clash.later) not in pairs:
            pairs.add((clash.earlier, clash.later))
            silent = _silent(clash.later, nodes, judged)
            out.append(_added(told(clash, earlier, later, chain=silent), (later, earlier)))
    return out


def _lines(clash: Clash, *entries: Judged) -> tuple[object, ...]:
    """What is alike in clashes of the same two instructions, whichever launches of their kernels they are of."""
    works = [one.node.work for one in entries]
    who = [id(work.program) if isinstance(work, LaunchRecord) else id(work) for work in works]
    return (*who, clash.first.kind.site, clash.second.kind.site, clash.waited is None)


def _added(found: Diagnostic, entries: Sequence[Judged]) -> Diagnostic:
    """Into the report of the first of these that is a launch."""
    report = next(one.machine.report for one in entries if one.machine is not None)
    report.findings.append(found)
    return found


def _passes(one: Judged | None) -> bool:
    """Whether a grid may have let its dependents begin, or have ended, while those in front of it ran."""
    if one is None or one.beside is None or one.machine is None:
        return False
    return one.beside.passes or len(one.beside.waits) < one.machine.record.ctas


def _silent(place: int, nodes: Sequence[Node], judged: dict[int, Judged]) -> Judged | None:
    """The nearest grid in front of an entry that never waits, where all between the two are waited for."""
    before = nodes[place].early
    one = judged.get(before) if before is not None else None
    if one is None or one.beside is None or before is None or nodes[before].early is None:
        return None
    return one if not one.beside.waits else None


def _below(place: int, nodes: Sequence[Node], judged: dict[int, Judged], relation: Relation) -> Iterator[int]:
    """Grids in front of one that never waits, whose end the manual does not promise to the wait of an entry."""
    here = judged[place]
    silent = _silent(place, nodes, judged)
    if silent is None or here.beside is None or not here.beside.waits:
        return
    yield from (p for p in relation.beside(place) if p != silent.place)
