"""Waits for phases of mbarriers: who waits, what the phase lacks, who could end it, and what is known of its past."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

from ptxlab.diag import CODES
from ptxlab.isa.effects import AsyncCopy, Mbarrier
from ptxlab.layout.mbarrier_state import PARITY_BIT
from ptxlab.sim.diagnose.hangs.graph import Graph
from ptxlab.sim.diagnose.hangs.naming import is_one, name, place_of, who
from ptxlab.sim.diagnose.hangs.waits import Cause, Found, Members, Supplier, Wait, Waits
from ptxlab.sim.engine.machine.deadlock import where
from ptxlab.sim.engine.machine.naming import lanes_of
from ptxlab.sim.engine.machine.operation import Place
from ptxlab.sim.engine.machine.trap import TrapContext
from ptxlab.sim.engine.units.operands import integers
from ptxlab.sim.engine.units.place import place_groups
from ptxlab.sim.families.mbarrier.declared import counting_at, mbarrier_at
from ptxlab.sim.families.mbarrier.hang_history import History, Recorder, events, shown
from ptxlab.sim.families.mbarrier.hang_rings import stages
from ptxlab.sim.families.mbarrier.unit import Barrier, Mbarriers

if TYPE_CHECKING:
    from ptxlab.layout.shared_tile import SharedMbarriers
    from ptxlab.ptx.program import Op
    from ptxlab.sim.engine.machine.resident import Warp

MOST_STAGES = 4
"""Stages of a ring whose past is printed where one of them is left out."""


@dataclass(eq=False, slots=True)
class MbarrierWait(Wait):
    """Threads that wait for a phase of an mbarrier. past: what is known of it."""

    kind: ClassVar[str] = "mbarrier"
    end: ClassVar[str] = "end"
    by_instruction: ClassVar[bool] = True
    barrier: Barrier = field(kw_only=True)
    past: History | None = field(kw_only=True)
    phase: int = field(kw_only=True)

    @property
    def place(self) -> Place:
        """Where the mbarrier is."""
        return self.barrier.place

    def target(self, graph: Graph) -> str:
        return f"phase {self.phase} of mbarrier {self.thing(graph)}"

    def thing(self, graph: Graph) -> str:
        return name(graph, self.place, of=self.cta)

    def lacks(self) -> str:
        b = self.barrier
        out = [f"{b.pending} of {b.count} arrivals"] if b.pending else []
        out += [f"{b.tx} bytes"] if b.tx > 0 else []
        out += [f"an expect_tx for {-b.tx} bytes that have come"] if b.tx < 0 else []
        return " and ".join(out)

    def state(self) -> tuple[Hashable, ...]:
        return self.place.offset, self.barrier.pending, self.barrier.tx

    def phase_number(self) -> int:
        return self.phase

    def supplied(self, graph: Graph) -> Iterator[Supplier]:
        b, past = self.barrier, self.past
        kind = "arrive" if b.pending else "bring" if b.tx > 0 else "expect"
        known: set[tuple[int, int]] = set()
        now: Members = {}
        for row in past.of(kind, b.phase) if past is not None else ():
            now[row.warp] = now.get(row.warp, 0) | row.lanes
        for row in past.of(kind) if past is not None else ():
            if row.phase < b.phase:
                lanes = row.lanes & ~now.get(row.warp, 0)
                known |= {(id(row.warp), lane) for lane in lanes_of(lanes)}
                yield from graph.by_state(row.warp, lanes, row.op, before=True)
        if known:
            return
        for op in (op for op in graph.machine.image.ops if DOES[kind](op)):
            there = graph.numbers[id(op)]
            if not may_take_part(graph, op, self):
                continue
            for warp, lanes, at, here in graph.standing:
                lanes &= ~now.get(warp, 0)
                if lanes and warp.cta.cluster is b.place.cta.cluster and graph.reaches(here, there):
                    yield Supplier({warp: lanes}, op, "waits" if at is not None else "runs", at)

    def happened(self, graph: Graph) -> tuple[Hashable, str] | None:
        if self.past is None:
            return None
        words = shown(self.past, self.place, self.phase, declared(graph, self))
        return self.place.offset, f"at {name(graph, self.place)}: {words}" if words else ""

    def around(self, graph: Graph) -> list[str]:
        places = [stage.place for stage in stages(graph, self.place, self.op)[:MOST_STAGES]]
        return [words for words in (_at_stage(graph, place) for place in places) if words]

    def data(self, graph: Graph) -> dict[str, Any]:
        b, known = self.barrier, declared(graph, self)
        return {
            **_which(graph, self.place),
            "declared": known.place.shown if known is not None else None,
            "phase": self.phase,
            "parity": self.phase & 1,
            "count": b.count,
            "pending_arrivals": b.pending,
            "pending_bytes": b.tx,
            "events": events(self.past) if self.past is not None else [],
        }


def _which(graph: Graph, place: Place) -> dict[str, Any]:
    """Which mbarrier it is: the array, the element (counted in mbarriers of 8 bytes) and the offset."""
    out: dict[str, Any] = {"name": name(graph, place), "cta": list(place.cta.coordinates), "offset": place.offset}
    found = mbarrier_at(graph.machine.record, place.offset)
    if found is not None:
        out |= {"array": found[0], "element": found[1]}
    return out


def _at_stage(graph: Graph, place: Place) -> str:
    """What has happened at an mbarrier of the ring in which another one is waited for."""
    recorder = recorder_of(graph)
    assert recorder is not None
    past, barrier = recorder.of.get(place), graph.machine.unit(Mbarriers).live[place.cta][place.offset]
    if past is None:
        return ""
    known = counting_at(graph.machine.record, place.offset, barrier.count)
    return f"at {name(graph, place)}: {shown(past, place, barrier.phase, known)}"


class MbarrierWaits(Waits):
    """Finds them: lanes that sleep at mbarriers, and lanes that poll them."""

    units = (Mbarriers,)

    def in_units(self, graph: Graph) -> Iterator[Found]:
        for barriers in graph.machine.unit(Mbarriers).live.values():
            for b in barriers.values():
                for (warp, lanes), _ in b.waiters.items():
                    op = graph.parked_at.get((id(warp), lanes)) or graph.stands(warp, lanes)
                    yield _found(graph, op, warp, lanes, b)

    def asked(self, graph: Graph, ctx: TrapContext, op: Op) -> list[Found]:
        if _kind(op) not in ("test_wait", "try_wait"):
            return []
        return [_found(graph, op, ctx.warp, lanes, b) for b, lanes in _awaited(ctx)]


def _found(graph: Graph, op: Op, warp: Warp, lanes: int, b: Barrier) -> Found:
    recorder = recorder_of(graph)
    past = recorder.of.get(b.place) if recorder is not None else None
    return MbarrierWait(op, warp.cta, {warp: lanes}, barrier=b, past=past, phase=b.phase), ("mbarrier", id(b), id(op))


def recorder_of(graph: Graph) -> Recorder | None:
    """What has happened at mbarriers; None where the launch could not be run again."""
    return graph.recorder if isinstance(graph.recorder, Recorder) else None


def _awaited(ctx: TrapContext) -> list[tuple[Barrier, int]]:
    """The mbarriers whose phases are not over for lanes that poll, and which lanes."""
    barriers = ctx.machine.unit(Mbarriers)
    given = integers(ctx, "parity") if ctx.present("parity") else [v >> PARITY_BIT for v in integers(ctx, "state")]
    found = [(barriers.live.get(place.cta, {}).get(place.offset), lanes) for lanes, place in place_groups(ctx, "mbar")]
    out = [
        (b, sum(1 << n for n in lanes_of(lanes) if given[n] & 1 == b.phase & 1)) for b, lanes in found if b is not None
    ]
    return [(b, lanes) for b, lanes in out if lanes]


def may_take_part(graph: Graph, op: Op, wait: MbarrierWait) -> bool:
    """Whether an instruction may be for the mbarrier of a wait: where it has been for others, some wait is for both."""
    named, recorder = graph.named(op, "mbar"), recorder_of(graph)
    if named is not None:
        return named == wait.place.offset
    if recorder is None:
        return True
    places = recorder.done.get(id(op), set[Place]())
    return not places or wait.place in places or any(p in places for p in _alike(graph, recorder, wait))


def _alike(graph: Graph, recorder: Recorder, wait: MbarrierWait) -> set[Place]:
    """The mbarriers that the same instructions wait for, such as those of the other stages of a ring."""
    out: set[Place] = set()
    for op in graph.machine.image.ops:
        places = recorder.done.get(id(op), set[Place]())
        if _kind(op) in ("test_wait", "try_wait") and (op is wait.op or wait.place in places):
            out |= places
    return out


def _brings(op: Op) -> bool:
    effect = op.inst.form.effect
    return _kind(op) == "complete_tx" or (isinstance(effect, AsyncCopy) and effect.completion == "mbarrier")


def _kind(op: Op) -> str:
    effect = op.inst.form.effect
    return effect.kind if isinstance(effect, Mbarrier) else ""


DOES: dict[str, Callable[[Op], bool]] = {
    "arrive": lambda op: "arrive" in _kind(op),
    "bring": _brings,
    "expect": lambda op: "expect_tx" in _kind(op),
}
"""Whether an instruction may arrive at an mbarrier, bring bytes, or expect them."""


def declared(graph: Graph, wait: MbarrierWait) -> SharedMbarriers | None:
    """What declares the mbarrier of a wait in a kernel written in Python; None where it was initialised otherwise."""
    inits = wait.past.of("init") if wait.past is not None else []
    count = inits[-1].amount if inits else wait.barrier.count
    return counting_at(graph.machine.record, wait.place.offset, count)


def counted(graph: Graph, wait: MbarrierWait) -> str:
    """Where the count of an mbarrier stands: " (pipe.py:16)"."""
    found = declared(graph, wait)
    if found is not None:
        return f" ({found.place.shown})"
    places = [where(r.op) for r in (wait.past.of("init") if wait.past is not None else ())]
    return f" ({places[-1]})" if places and places[-1] else ""


def counting(graph: Graph, wait: MbarrierWait, count: int) -> str:
    """How to change the count: "count 4: `k.mbarrier(4)` in pipe.py:16", or "count 4 in mbarrier.init"."""
    found = declared(graph, wait)
    if found is None:
        return f"count {count} in mbarrier.init"
    return f"count {count}: `{found.counting(count)}` in {found.place.shown}"


def wrong_bytes(words: str, wait: MbarrierWait) -> Cause:
    """A phase expects other bytes than copies bring."""
    return Cause("bytes", words, f"{CODES['PTX9118'].help}: elements × bytes of each", wait)


def wrong_count(graph: Graph, wait: MbarrierWait, counts: str, come: int, by: str) -> Cause:
    """Fewer threads arrive than an mbarrier counts.

    counts: "full counts 2 arrivals a phase". come: how many arrive. by: by whom and where, or "".
    """
    words = f"{counts}, and {come} {'come' if come > 1 else 'comes'}{by}"
    return Cause("count", words, f"{counting(graph, wait, come)}, or let the others arrive, too", wait)


def unrecorded(graph: Graph, wait: Wait) -> Cause | None:
    """The cause, where it follows from what an mbarrier lacks and its past is not known."""
    if not isinstance(wait, MbarrierWait) or wait.past is not None:
        return None
    b = wait.barrier
    there, come = wait.thing(graph), b.count - b.pending
    if not b.pending and b.tx > 0:
        return wrong_bytes(
            f"all have arrived at {there}, and {b.tx} bytes that phase {wait.phase} expects never come", wait
        )
    if b.tx < 0:
        return wrong_bytes(f"{-b.tx} bytes came to {there} that phase {wait.phase} does not expect", wait)
    if come:
        return wrong_count(graph, wait, f"{there} counts {b.count} arrivals a phase{counted(graph, wait)}", come, "")
    return None


def waits_first(graph: Graph, wait: Wait) -> Cause | None:
    """Only the waiting threads themselves could end the phase."""
    if not isinstance(wait, MbarrierWait) or not wait.suppliers or any(s.wait is not wait for s in wait.suppliers):
        return None
    s = wait.suppliers[0]
    one = is_one(wait.members)
    words = (
        f"{who(wait.members)} {'waits' if one else 'wait'} for {wait.target(graph)}, and only {'it' if one else 'they'} could "
        f"end it, by `{s.op.inst.opcode}`{place_of(s.op)} behind the wait"
    )
    return Cause("waits-first", words, "let it happen before the wait, or in other threads", wait)
