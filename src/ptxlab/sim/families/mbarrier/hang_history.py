"""What has happened at each mbarrier: who initialised it, arrived, expected and brought bytes, and who has waited."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ptxlab.isa.effects import Mbarrier
from ptxlab.sim.diagnose.hangs.naming import who
from ptxlab.sim.diagnose.hangs.waits import Listener
from ptxlab.sim.engine.machine.deadlock import where
from ptxlab.sim.engine.machine.naming import lanes_of
from ptxlab.sim.engine.machine.operation import Operation, Place
from ptxlab.sim.engine.machine.trap import TrapContext
from ptxlab.sim.engine.units.operands import integers
from ptxlab.sim.families.mbarrier.unit import Mbarriers

if TYPE_CHECKING:
    from ptxlab.layout.shared_tile import SharedMbarriers
    from ptxlab.ptx.program import Op
    from ptxlab.sim.engine.machine.resident import Cluster, Warp

PHASES = 4
"""Phases of an mbarrier that are kept: the last ones."""
MOST = 8
"""Events of a phase that a report names."""


@dataclass(slots=True)
class Row:
    """What a warp has done at an mbarrier in a phase, by one instruction.

    Attributes:
        kind: "init", "arrive", "expect", "bring" or "pass". phase: which one counts it.
        lanes: all that did it. times: how often. amount: arrivals or bytes, all together; the count of an init.
        each: bytes that a copy brings in all, or that a lane expects; they may differ.
    """

    kind: str
    phase: int
    op: Op
    warp: Warp
    lanes: int = 0
    times: int = 0
    amount: int = 0
    each: set[int] = field(default_factory=set[int])


@dataclass(slots=True)
class History:
    """An mbarrier's past.

    Attributes:
        rows: the last phases, oldest first.
        passed: of each warp, sets of lanes that have asked together, and the last phase that they found over: -1 for the one
            before the first.
        twice: of each warp, lanes that have found the same phase over twice, and the phase.
        split: an instruction whose lanes arrived in several phases: each of them ends one. latest: the last phase.
        excess: whether a copy has brought more than its phase lacked, so that the rest counted in the next one.
    """

    rows: dict[tuple[int, str, int, int], Row] = field(default_factory=dict[tuple[int, str, int, int], Row])
    passed: dict[Warp, dict[int, int]] = field(default_factory=dict["Warp", "dict[int, int]"])
    twice: dict[Warp, tuple[int, int]] = field(default_factory=dict["Warp", "tuple[int, int]"])
    split: Row | None = None
    latest: int = -1
    excess: bool = False

    def of(self, kind: str, phase: int | None = None) -> list[Row]:
        """The rows of a kind, of one phase or of all that are kept."""
        return [r for r in self.rows.values() if r.kind == kind and phase in (None, r.phase)]

    def seen(self, warp: Warp, lanes: int) -> int:
        """The last phase that any of these lanes has found over; -1 for none, too."""
        return max((phase for mask, phase in self.passed.get(warp, {}).items() if mask & lanes), default=-1)

    def note(self, kind: str, phase: int, op: Op, warp: Warp, lanes: int, amount: int) -> Row:
        """Something happens."""
        if phase > self.latest:
            self.latest = phase
            old = [key for key, row in self.rows.items() if row.phase <= phase - PHASES and row.kind != "init"]
            for key in old:
                del self.rows[key]
        key = (phase, kind, id(op), id(warp))
        row = self.rows.get(key)
        if row is None:
            row = self.rows[key] = Row(kind, phase, op, warp)
        row.lanes |= lanes
        row.times += 1
        row.amount += amount
        return row


class Recorder(Listener):
    """Records what happens at all mbarriers.

    Attributes:
        of: the past of each live mbarrier. done: the mbarriers that each instruction has used, by its id.
    """

    def __init__(self, seconds: float) -> None:
        super().__init__(seconds)
        self.of: dict[Place, History] = {}
        self.done: dict[int, set[Place]] = {}
        self._last: tuple[Op, Warp, int, Place, int] | None = None
        self._partly: dict[tuple[int, Place], tuple[Row, int]] = {}

    def cluster_retired(self, cluster: Cluster) -> None:
        gone = set(map(id, cluster.ctas))
        self.of = {place: past for place, past in self.of.items() if id(place.cta) not in gone}
        self._partly.clear()

    def _note(self, kind: str, place: Place, phase: int, op: Op, warp: Warp, *, lanes: int, amount: int) -> Row:
        self.done.setdefault(id(op), set()).add(place)
        return self.of.setdefault(place, History()).note(kind, phase, op, warp, lanes, amount)

    def mbarrier_initialised(self, warp: Warp, lane: int, place: Place, op: Op) -> None:
        self.of[place] = History()
        barrier = self.machine.unit(Mbarriers).live[place.cta][place.offset]
        self._note("init", place, 0, op, warp, lanes=1 << lane, amount=barrier.count)

    def mbarrier_invalidated(self, warp: Warp, lane: int, place: Place, op: Op) -> None:
        self.of.pop(place, None)

    def mbarrier_arrived(self, warp: Warp, lanes: int, place: Place, phase: int, op: Op) -> None:
        amount = lanes.bit_count()
        if "count" in op.inst.operands:
            ctx = TrapContext(self.machine, warp.cta.cluster, warp.cta, warp, mask=lanes, op=op)
            counts = integers(ctx, "count")
            amount = sum(counts[lane] for lane in lanes_of(lanes))
        row = self._note("arrive", place, phase, op, warp, lanes=lanes, amount=amount)
        now = (op, warp, warp.instructions, place, phase)
        if self._last is not None and self._last[:4] == now[:4] and self._last[4] != phase:
            self.of[place].split = row
        self._last = now

    def mbarrier_expected(self, warp: Warp, lane: int, place: Place, phase: int, nbytes: int, op: Op) -> None:
        kind = "expect" if nbytes >= 0 else "bring"
        row = self._note(kind, place, phase, op, warp, lanes=1 << lane, amount=abs(nbytes))
        row.each.add(abs(nbytes))

    def mbarrier_completed(self, operation: Operation, place: Place, phase: int) -> None:
        effect = operation.op.inst.form.effect
        if isinstance(effect, Mbarrier):  # an arrival behind the thread's copies
            lanes = operation.lanes
            self._note("arrive", place, phase, operation.op, operation.warp, lanes=lanes, amount=lanes.bit_count())
            return
        key, rest = (operation.number, place), 0
        known = self._partly.pop(key, None)
        if known is None:
            barrier = self.machine.unit(Mbarriers).live[place.cta][place.offset]
            total = sum(int(f.nbytes.sum()) for f in operation.writes if f.cta is place.cta)
            rest = total - barrier.tx if not barrier.pending and 0 < barrier.tx < total else 0
        else:  # its first bytes have ended the phase before
            row, total = known
            row.amount -= total
        row = self._note("bring", place, phase, operation.op, operation.warp, lanes=operation.lanes, amount=total)
        if known is None:
            row.each.add(total)
        if rest:
            self._partly[key] = (row, rest)
            self.of[place].excess = True

    def mbarrier_passed(self, warp: Warp, lanes: int, place: Place, phase: int, op: Op) -> None:
        past = self.of.setdefault(place, History())
        before = past.passed.setdefault(warp, {})
        if before.get(lanes) == phase:
            past.twice[warp] = (past.twice.get(warp, (0, 0))[0] | lanes, phase)
        before[lanes] = phase
        self.done.setdefault(id(op), set()).add(place)


# -- in words and as data
def shown(past: History, place: Place, now: int, known: SharedMbarriers | None) -> str:
    """The last events in a line: "initialised with count 1 (line 13); phase 0: 1 arrival by thread 0 (line 15)".

    now: the phase. known: what declares the mbarrier, where the kernel is written in Python: its line has the count.
    """
    inits = past.of("init")
    phases: dict[int, list[Row]] = {}
    for row in past.rows.values():
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


def events(past: History) -> list[dict[str, Any]]:
    """The same as data that JSON can hold."""
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
        for row in past.rows.values()
    ]
