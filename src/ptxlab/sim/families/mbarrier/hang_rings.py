"""Stages of a ring that are left out: mbarriers of an array that lag behind the others."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ptxlab.layout.shared_tile import MBARRIER_BYTES
from ptxlab.sim.diagnose.hangs.graph import Graph
from ptxlab.sim.diagnose.hangs.naming import name, place_of
from ptxlab.sim.engine.machine.operation import Place
from ptxlab.sim.families.mbarrier.declared import declared_at
from ptxlab.sim.families.mbarrier.hang_history import Recorder, Row
from ptxlab.sim.families.mbarrier.unit import Mbarriers

if TYPE_CHECKING:
    from ptxlab.ptx.program import Op
    from ptxlab.sim.engine.machine.resident import Cta


@dataclass(frozen=True, slots=True)
class Stage:
    """An mbarrier of an array.

    Attributes:
        begun: phases in which somebody has arrived, or that are over. arrivals: who has arrived last, by which instructions.
    """

    place: Place
    begun: int
    arrivals: list[Row]


def stages(graph: Graph, at: Place, by: Op) -> list[Stage]:
    """The mbarriers of the array of one at which the line of `by` has waited, in the array's order; [] for a single one.

    Whoever goes through them in turn is never ahead of an earlier stage, and at most one phase ahead of a later one.
    """
    recorder = graph.recorder
    if not isinstance(recorder, Recorder):
        return []
    live = graph.machine.unit(Mbarriers).live.get(at.cta, {})
    waited = {
        place
        for op in graph.machine.image.ops
        if op is by or (place_of(op) and place_of(op) == place_of(by))
        for place in recorder.done.get(id(op), ())
    } | {at}
    out: list[Stage] = []
    for offset in _offsets(graph, at.offset):
        place, barrier = Place(at.cta, offset), live.get(offset)
        if barrier is not None and place in waited:
            past, begun = recorder.of.get(place), barrier.phase + (barrier.pending < barrier.count)
            out.append(Stage(place, begun, past.of("arrive") if past is not None else []))
    return out if len(out) > 1 else []


def _offsets(graph: Graph, offset: int) -> range:
    """Where the mbarriers lie that were declared together with one."""
    found = declared_at(graph.machine.record, offset)
    if found is not None:
        first = offset - found[1]
        return range(first, first + found[0].nbytes, MBARRIER_BYTES)
    for var in graph.machine.record.program.variables:
        if var.space.startswith("shared") and var.offset <= offset < var.offset + var.size:
            return range(var.offset, var.offset + var.size, MBARRIER_BYTES)
    return range(0)


def left_out(found: list[Stage]) -> list[Stage]:
    """The stages that lag behind others by more than going through them in turn allows."""

    def lags(i: int) -> bool:
        return any(other.begun >= found[i].begun + (1 if j > i else 2) for j, other in enumerate(found))

    return [one for i, one in enumerate(found) if lags(i)]


def leaves_out(graph: Graph, cta: Cta, one: Stage, found: list[Stage]) -> str:
    """What has arrived at a stage that is left out, and at the others: a sentence."""
    ahead = [s for s in found if s.begun > one.begun and s.arrivals]
    most = max(ahead, key=lambda s: s.begun)
    rows = list({place_of(r.op): r for s in ahead for r in s.arrivals}.values())
    by = f"`{rows[-1].op.inst.opcode}`{place_of(rows[-1].op)}"
    times = "no arrival" if not one.begun else f"arrivals for {one.begun} phase{'s' * (one.begun > 1)}"
    others = f"{most.begun} phase{'s' * (most.begun > 1)}"
    return (
        f"{name(graph, one.place, of=cta)} has got {times}, and {name(graph, most.place, of=cta)} those of {others}: "
        f"{by} leaves a stage out"
    )
