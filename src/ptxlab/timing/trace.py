"""One replay, written down: a trace in cycles, and the chain of waits that its length follows from."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from ptxlab.ptx.program import Op
from ptxlab.sim.engine.decoded.sources import Source
from ptxlab.sim.report.trace import VISIBLE, Trace, TraceEvent
from ptxlab.timing.chip import ChipTable
from ptxlab.timing.lines import place_of
from ptxlab.timing.replay import Item, Replay
from ptxlab.timing.steps import Facts, Meeting, Phase

if TYPE_CHECKING:
    from ptxlab.timing.predict import Predicted

RUNS: Final = "instructions"
"""What the path is made of where a warp does not wait."""
_MOST: Final = 200_000
"""Events that are kept."""
_STEPS: Final = 1_000_000
"""Pieces of the path, at most."""
_SAID: Final = 4
"""Pieces of the path that are told."""


class _Release(NamedTuple):
    """What ends a wait: when, who brought it about and when, by which instruction, and what took the time in between."""

    when: float
    warp: Any
    since: float
    op: int
    kind: str


class _Wait(NamedTuple):
    """A wait of a warp; `release` is None where no other warp ends it."""

    begin: float
    end: float
    cause: str
    op: int
    release: _Release | None


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of the critical path.

    Attributes:
        cause: e.g. "copies", "tensor cores", "memory"; "instructions" where a warp does not wait. op: the instruction of PTX that
            started what takes the time, -1 where it is none. cycles: of the path.
    """

    cause: str
    op: int
    cycles: float


class Traced(Replay):
    """One round of the CTAs that an SM holds, those of the cluster that takes longest: what warps wait for and, with `events`, all
    that goes on."""

    def __init__(self, found: Predicted, chip: ChipTable, *, events: bool) -> None:
        self.trace = Trace()
        self.trace.unit = "cycles"
        self._ops: Sequence[Op] = found.ops if events else ()
        self._places = found.where
        self._releases: dict[tuple[Any, object], _Release] = {}
        self._logs: dict[Any, list[_Wait]] = defaultdict(list)
        self._open: dict[Any, tuple[int, str, float, float]] = {}
        self._order: dict[Any, int] = {}
        self._actor: Any = None
        self._item: Item | None = None
        self._now = 0.0
        self._kind = "mbarrier"
        self._last: tuple[Any, float] = (None, 0.0)
        one, count = max(found.recorded, key=lambda c: found.durations[c.index]), found.limits.resident
        ways = {one.index: found.ways[one.index]}
        super().__init__(chip, found.items, ways, [one] * count, count, found.share)

    # -- what is noted
    def _step(self, warp: Any, now: float) -> None:
        self._actor, self._now = warp, now
        self._item = self._items[warp.places[warp.at]] if warp.at < len(warp.places) else None
        super()._step(warp, now)

    def _ends(self, warp: Any, now: float) -> None:
        self._flush(warp)
        if now >= self._last[1]:
            self._last = warp, now
        super()._ends(warp, now)

    def _stall(self, warp: Any, item: Item, cycles: float, cause: str) -> None:
        super()._stall(warp, item, cycles, cause)
        self._waited(warp, self._now, self._now + cycles, cause, item.op, None)

    def _until(self, warp: Any, item: Item, until: float, now: float, cause: str) -> None:
        super()._until(warp, item, until, now, cause)
        facts = self._facts(warp, item)
        keys = (*facts.passes, *facts.waits, facts.meets)
        found = (self._releases.get((warp.cluster, key)) for key in keys)
        log = self._logs[warp]
        log[-1] = log[-1]._replace(release=next((one for one in found if one is not None and one.when <= until), None))

    def _wake(self, cluster: Any, key: object, when: float) -> None:
        release = self._releases.get((cluster, key))
        for waiting, warps in cluster.waiting.items():
            if waiting[0] == key:
                for warp in warps:
                    self._waited(warp, warp.since, max(when, warp.since), waiting[2], waiting[1], release)
        super()._wake(cluster, key, when)

    def _meets(self, warp: Any, item: Item, facts: Facts, now: float) -> bool:
        meeting: Meeting | None = facts.meets
        if meeting is not None and warp.met != meeting and not (meeting.scope == "cluster" and facts.stays):
            self._note(warp.cluster, meeting, now)
        return super()._meets(warp, item, facts, now)

    def _land(self, cluster: Any, number: int, when: float) -> None:
        self._note(cluster, number, when)
        super()._land(cluster, number, when)

    def _arrives(self, cluster: Any, phase: Phase, when: float) -> None:
        self._note(cluster, phase, when)
        super()._arrives(cluster, phase, when)

    def _note(self, cluster: Any, key: object, when: float) -> None:
        """Who brings about a phase, the end of an operation or a barrier: the one whose part is there last."""
        known = self._releases.get((cluster, key))
        if known is None or when >= known.when:
            op = self._item.op if self._item is not None else -1
            self._releases[cluster, key] = _Release(when, self._actor, self._now, op, self._kind)

    def _waited(self, warp: Any, begin: float, end: float, cause: str, op: int, release: _Release | None) -> None:
        if end > begin:
            self._logs[warp].append(_Wait(begin, end, cause, op, release))
            self._flush(warp, begin)
            self._event(self._track(warp), cause, "wait", begin, end, op)

    # -- events
    def _execute(self, warp: Any, item: Item, facts: Facts, now: float) -> float:
        behind = super()._execute(warp, item, facts, now)
        end = max(now + max(item.stall, 1), behind)
        op, name, begin, until = self._open.get(warp, (-2, "", now, now))
        if op == item.op and until >= now:
            self._open[warp] = op, name, begin, end
        else:
            self._flush(warp, now)
            self._open[warp] = item.op, item.name, now, end
        return behind

    def _flush(self, warp: Any, until: float = float("inf")) -> None:
        """What the warp has executed last becomes an event."""
        found = self._open.pop(warp, None)
        if found is not None and self._ops:
            op, name, begin, end = found
            said = self._ops[op].inst.form.name if op >= 0 else name
            self._event(self._track(warp), said, "compute", begin, min(end, until), op)

    def _fly(self, warp: Any, number: int, now: float, *, by_threads: bool) -> None:
        flight, unit = warp.cluster.steps.flights[number], warp.sm.network if by_threads else warp.sm.copies
        begin, kind = max(now, unit.free), self._kind
        self._kind = kind if flight.kind == "arrive" else "copies"
        super()._fly(warp, number, now, by_threads=by_threads)
        self._kind = kind
        if flight.kind != "arrive" and self._item is not None:
            visible = round(warp.cluster.done[number])
            more = {"bytes": flight.nbytes, VISIBLE: visible}
            what = "store" if flight.kind == "out" else "copy"
            name = self._ops[self._item.op].inst.form.name if self._ops and self._item.op >= 0 else self._item.name
            track = f"{self._cta(warp)} {'network' if by_threads else 'TMA'}"
            self._event(track, name, what, begin, unit.free, op=self._item.op, more=more)

    def _product(self, warp: Any, item: Item, now: float) -> None:
        tensor, kind = warp.sm.tensor, self._kind
        begin, before, self._kind = max(now, tensor.free), tensor.busy, "tensor cores"
        super()._product(warp, item, now)
        self._kind = kind
        if tensor.busy > before:
            self._event(f"{self._cta(warp)} tensor cores", item.name, "mma", begin, tensor.free, item.op)

    def _cta(self, warp: Any) -> str:
        order = self._order.setdefault(warp.cluster, len(self._order))
        return f"cta {order * len(self._sms) + self._sms.index(warp.sm)}"

    def _track(self, warp: Any) -> str:
        return f"{self._cta(warp)} warp {warp.index}"

    def _event(
        self,
        track: str,
        name: str,
        kind: str,
        begin: float,
        end: float,
        op: int,
        more: Mapping[str, int | str] | None = None,
    ) -> None:
        if not self._ops:
            return
        if len(self.trace) >= _MOST:
            self.trace.dropped += 1
            return
        args: dict[str, int | str] = {}
        if op >= 0:
            args = {"instruction": self._ops[op].text, "line": self._places[op].line}
            origin = self._places[op].origin
            if origin is not None:
                args["source"] = f"{origin.file}:{origin.line}"
        self.trace.append(TraceEvent(track, name, kind, round(begin), round(end), {**args, **(more or {})}))

    # -- the critical path
    def path(self) -> list[Piece]:
        """The chain of work and waits that ends last, summed by cause and instruction; what takes longest comes first."""
        summed: dict[tuple[str, int], float] = defaultdict(float)
        warp, now = self._last
        places = {one: len(log) for one, log in self._logs.items()}
        for _ in range(_STEPS):
            log, at = self._logs[warp], places.get(warp, 0)
            while at and log[at - 1].end > now:
                at -= 1
            places[warp] = at
            if not at:
                break
            wait = log[at - 1]
            places[warp] = at - 1
            summed[RUNS, -1] += now - wait.end
            release = wait.release
            if release is not None and release.since < wait.end:
                summed[release.kind, release.op] += wait.end - release.since
                warp, now = release.warp, release.since
            else:
                summed[wait.cause, wait.op] += wait.end - wait.begin
                now = wait.begin
        summed[RUNS, -1] += now
        found = [Piece(cause, op, cycles) for (cause, op), cycles in summed.items() if cycles > 0]
        return sorted(found, key=lambda piece: -piece.cycles)


def traced(found: Predicted, chip: ChipTable, *, events: bool) -> Traced:
    """A replay once more, written down: see `Traced`."""
    made = Traced(found, chip, events=events)
    made.run()
    return made


def path_words(pieces: Sequence[Piece], where: Sequence[Source]) -> str:
    """The critical path in a sentence; nothing where there is none."""
    total = sum(piece.cycles for piece in pieces)
    causes: dict[str, float] = defaultdict(float)
    for piece in pieces:
        causes[piece.cause] += piece.cycles
    said: list[str] = []
    for cause, cycles in sorted(causes.items(), key=lambda pair: -pair[1])[:_SAID]:
        lead = max((p for p in pieces if p.cause == cause), key=lambda p: p.cycles)
        place = f" ({place_of(where[lead.op])})" if lead.op >= 0 else ""
        said.append(f"{cause} {cycles / total:.0%}{place}")
    return f"critical path of {total:,.0f} cycles: {', '.join(said)}" if said else ""
