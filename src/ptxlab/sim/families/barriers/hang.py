"""Waits at barriers of a CTA, and why not all threads arrive; what they share with waits at the barrier of the cluster."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

from ptxlab.isa.effects import Barrier
from ptxlab.isa.operands import Imm
from ptxlab.sim.diagnose.hangs.graph import Graph
from ptxlab.sim.diagnose.hangs.naming import place_of, verb, waiting, who
from ptxlab.sim.diagnose.hangs.waits import Cause, Found, Supplier, Wait, Waits
from ptxlab.sim.engine.compiled import frame as F

if TYPE_CHECKING:
    from ptxlab.ptx.program import Op
    from ptxlab.sim.engine.machine.resident import Warp


@dataclass(eq=False, slots=True)
class MeetingWait(Wait):
    """Threads that wait at a barrier. come, wanted: threads that have arrived, and that it counts."""

    come: int = field(kw_only=True)
    wanted: int = field(kw_only=True)

    def lacks(self) -> str:
        return f"{self.wanted - self.come} of {self.wanted} threads" if self.wanted else ""

    def data(self, graph: Graph) -> dict[str, Any]:
        return {"number": None, "come": self.come, "wanted": self.wanted}


@dataclass(eq=False, slots=True)
class CtaBarrierWait(MeetingWait):
    """Threads that wait at a barrier of their CTA."""

    kind: ClassVar[str] = "barrier"
    number: int = field(kw_only=True)

    def target(self, graph: Graph) -> str:
        return f"barrier {self.number} of the CTA"

    def state(self) -> tuple[Hashable, ...]:
        return (self.number,)

    def data(self, graph: Graph) -> dict[str, Any]:
        return {"number": self.number, "come": self.come, "wanted": self.wanted}

    def supplied(self, graph: Graph) -> Iterator[Supplier]:
        for warp, lanes, at, here in graph.standing:
            if warp.cta is self.cta and warp not in self.members:
                ways = (graph.reaches(here, graph.numbers[id(op)]) for op in _of_barrier(graph, self.number))
                if not self.wanted or any(ways):
                    yield Supplier({warp: lanes}, self.op, "waits" if at is not None else "runs", at)


class CtaBarrierWaits(Waits):
    """Finds them."""

    def of_warp(self, graph: Graph, warp: Warp) -> Found | None:
        frame, cta = warp.frame, warp.cta
        number, alive = frame.get(F.F_BARRIER) - 1, frame.get(F.F_ALIVE)
        if number < 0:
            return None
        lanes, at = alive & frame.get(F.F_SYNC) or alive, F.C_BARRIERS + number * F.BARRIER_BYTES
        come, wanted = cta.block.get(at + F.B_ARRIVED), cta.block.get(at + F.B_EXPECTED)
        wait = CtaBarrierWait(graph.stands(warp, lanes), cta, {warp: lanes}, number=number, come=come, wanted=wanted)
        return wait, ("barrier", id(cta), number)


def _of_barrier(graph: Graph, number: int) -> list[Op]:
    """The instructions that may use a barrier of the CTA."""
    return [op for op in graph.machine.image.ops if barrier_number(op) in (number, -1)]


def barrier_number(op: Op) -> int | None:
    """Which barrier of the CTA an instruction uses; -1 where a register says so, None where it uses none."""
    effect = op.inst.form.effect
    if not isinstance(effect, Barrier) or effect.scope != "cta":
        return None
    named = op.inst.operands.get("id")
    return int(named.value) if isinstance(named, Imm) else -1 if named is not None else 0


def ids(graph: Graph, wait: Wait) -> Cause | None:
    """Those who wait name another number than the others."""
    if not isinstance(wait, CtaBarrierWait) or wait.suppliers:
        return None
    numbers = [(op, barrier_number(op)) for op in graph.machine.image.ops]
    others = [op for op, number in numbers if number is not None and number not in (wait.number, -1, 0)]
    if not others or any(op is not wait.op for op in _of_barrier(graph, wait.number)):
        return None
    words = (
        f"{waiting(wait)} at barrier {wait.number}{place_of(wait.op)}, which no other "
        f"instruction names; `{others[0].text}`{place_of(others[0])} names another one"
    )
    return Cause("barrier-ids", words, "give the same number to all that are to meet", wait)


def barrier_count(graph: Graph, wait: Wait) -> Cause | None:
    """Counts that contradict each other, or the size of the CTA."""
    if not isinstance(wait, CtaBarrierWait) or not wait.wanted:
        return None
    help_ = "give the number of threads that meet there, those of bar.arrive included, in each of the instructions"
    numbers = {barrier_number(op) for op in graph.machine.image.ops} - {None, -1, wait.number}
    for number in [wait.number, *sorted(n for n in numbers if n is not None)]:
        counts = _counts(graph, number)
        if len(counts) > 1:
            listed = " and ".join(f"{count} threads{place_of(op)}" for count, op in list(counts.items())[:3])
            return Cause("barrier-count", f"barrier {number} is given {listed}", help_, wait)
    if wait.wanted <= graph.machine.record.threads:
        return None
    words = f"barrier {wait.number}{place_of(wait.op)} wants {wait.wanted} threads, and the CTA has {graph.machine.record.threads}"
    return Cause("barrier-count", words, help_, wait)


def _counts(graph: Graph, number: int) -> dict[int, Op]:
    """The counts that instructions give for a barrier of the CTA, where they are immediates."""
    out: dict[int, Op] = {}
    for op in _of_barrier(graph, number):
        given = op.inst.operands.get("threads")
        if isinstance(given, Imm):
            out.setdefault(int(given.value), op)
    return out


def too_few(graph: Graph, wait: Wait) -> Cause | None:
    """The threads that a barrier of the CTA still waits for cannot reach it any more."""
    if not isinstance(wait, CtaBarrierWait) or not wait.wanted:
        return None
    may = wait.come + sum(F.LANES for s in wait.suppliers for _ in s.members)
    if may >= wait.wanted:
        return None
    others = [w for w in graph.waits if w.cta is wait.cta and w is not wait]
    words = f"barrier {wait.number}{place_of(wait.op)} wants {wait.wanted} threads, and {wait.come} have come"
    if not others:
        help_ = "count the threads that meet there, neither more nor fewer, and let each arrive before it exits"
        return Cause("exited", f"{words}; all others have exited", help_, wait)
    other = others[0]
    words += (
        f"; {who(other.members)} {verb(other.members, 'waits', 'wait')} for {other.target(graph)}{place_of(other.op)}, "
        "and no way leads from there to an instruction that names this barrier"
    )
    return _not_all(words, wait)


def lacking(graph: Graph, wait: Wait) -> Cause | None:
    """Not all threads have arrived at a barrier of the CTA or the cluster."""
    lacks = wait.lacks() if isinstance(wait, MeetingWait) else ""
    if not lacks:
        return None
    return _not_all(f"{waiting(wait)} at {wait.target(graph)}{place_of(wait.op)}, and {lacks} never come", wait)


def _not_all(words: str, wait: Wait) -> Cause:
    help_ = "let every thread that is counted come there: no branch around it, no early exit"
    return Cause("not-all-come", words, help_, wait)
