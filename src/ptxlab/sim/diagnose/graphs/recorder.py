"""A sanitizer that keeps what it is told as events, and gives each finding its graph when the launch has ended."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Final

import numpy as np

from ptxlab.diag import HappensBefore
from ptxlab.isa.action import Action
from ptxlab.isa.effects import Access, AsyncMma, Barrier, Fence, Group, Mbarrier
from ptxlab.ptx.flights import bits_of, events_of
from ptxlab.ptx.flow import graph_of
from ptxlab.sim.diagnose.graphs.events import Event, Record, Token
from ptxlab.sim.diagnose.graphs.graph import graph_of_finding, same
from ptxlab.sim.engine.compiled import frame as F
from ptxlab.sim.engine.compiled.emit import Handler
from ptxlab.sim.engine.machine.faults import shared_name
from ptxlab.sim.engine.machine.naming import lanes_of
from ptxlab.sim.engine.machine.observer import Observed, Observer
from ptxlab.sim.engine.machine.operation import Footprint, Operation, Place, Stage
from ptxlab.sim.engine.machine.resident import Cluster, Cta, Parked, Warp
from ptxlab.sim.engine.machine.trap import TrapContext
from ptxlab.sim.order.places import SHADOWED
from ptxlab.sim.order.sanitizer import Sanitizer
from ptxlab.sim.order.sites import Sites, sites_of
from ptxlab.sim.order.views import NOTHING, View

if TYPE_CHECKING:
    from ptxlab.ptx.program import Op
    from ptxlab.sim.engine.decoded.decode import Image
    from ptxlab.sim.report.report import Report

ALL: Final = 0xFFFF_FFFF
MOST: Final = 1 << 20
"""Events that are kept. A launch that goes on longer gets no graphs for what is found behind them."""


class Recorded(Sanitizer):
    """Keeps the events of a launch. All that it sanitizes goes through Python, so it is slow."""

    def attach(self, machine: Observed) -> None:
        self.record = Record(machine.record.block)
        self._numbers: dict[tuple[int, int], tuple[int, set[Warp]]] = {}
        self._lives: dict[Place, int] = {}
        self._before: dict[Place, list[Token]] = {}
        self._written: dict[tuple[object, int], tuple[int, int, bool]] = {}
        self._copied: dict[Warp, list[Token]] = {}
        self._waits: dict[Warp, Event] = {}
        self._met: dict[tuple[Warp, int], tuple[int, int]] = {}
        self._stamps: list[int] = []
        super().attach(machine)
        self.at_barriers.append(self._comes)

    def _may_follow(self) -> bool:
        return False

    def _sites_in(self, image: Image, *, phases: bool) -> Sites:
        """All that concerns the sanitizer is told to Python, and what writes registers of products."""
        found = sites_of(image, strict=self.strict)
        self._plain = _registers(self.machine)
        concerned = self._concerned = {pc for places in found.prologues.values() for pc in places}
        prologues: dict[Handler, list[int]] = {}
        for pc, op, handler in zip(image.points, image.ops, image.handlers, strict=True):
            if not handler.traps and (pc in concerned or id(op) in self._plain or _commits(op)):
                prologues.setdefault(Handler("$notify", together=handler.together), []).append(pc)
        rows, places = np.zeros_like(found.rows), np.zeros_like(found.places)
        return replace(found, prologues=prologues, rows=rows, places=places)

    # -- events
    def _note(self, warp: Warp, lanes: int, op: Op | None, does: str, kind: str) -> Event:
        """One more event of a warp."""
        cta, team = warp.cta, self.knowledge.teams.get(warp.cta.index)
        views = tuple(team.views[32 * warp.index : 32 * warp.index + 32]) if team is not None else ()
        agent = ("warp", cta.index, warp.index)
        time = self.knowledge.now
        return self._keep(Event(0, agent, lanes, op, does=does, cta=cta.coordinates, kind=kind, time=time, views=views))

    def _keep(self, event: Event) -> Event:
        self._stamp()
        if len(self.record.events) < MOST:
            self.record.add(event)
        return event

    def _stamp(self) -> None:
        """Findings that there are by now were made at the latest event."""
        new = len(self.machine.report.findings) - len(self._stamps)
        self._stamps += [len(self.record.events)] * new

    def _of_operation(self, operation: Operation, does: str) -> Event:
        cta, lanes = operation.warp.cta, operation.lanes
        agent, time = ("operation", cta.index, operation.number), self.knowledge.now
        event = Event(0, agent, lanes, operation.op, does=does, cta=cta.coordinates, kind="operation", time=time)
        event.warp, event.joint = operation.warp.index, len(operation.warps) > 1
        return self._keep(event)

    # -- instructions
    def _instruction(self, frame: int, pc: int, mask: int) -> None:
        warp, op = self._warps[frame], self.op_at(pc)
        if self._failure is None:
            try:
                self.team_of(warp)
                self._executes(warp, mask, op)
            except BaseException as e:  # native code cannot pass it on: the next hook does
                self._failure = e
        if pc in self._concerned:
            super()._instruction(frame, pc, mask)
        self._stamp()

    def trap_begins(self, warp: Warp, mask: int, pc: int) -> None:
        op = self._sites.in_python.get(pc)
        if op is not None:
            self._raise()
            self.team_of(warp)
            self._executes(warp, mask, op)
        super().trap_begins(warp, mask, pc)
        self._stamp()

    def trap_ended(self, warp: Warp, mask: int, pc: int, parked: Parked | None) -> None:
        op = self.op_at(pc)
        if isinstance(op.inst.form.effect, Group) and parked is None:
            self._group(warp, mask, op)
            self._waits.pop(warp, None)
        self._stamp()

    def _executes(self, warp: Warp, mask: int, op: Op) -> None:
        action, effect = self.action(op), op.inst.form.effect
        if isinstance(effect, Access):
            self._accesses(warp, mask, op, action)
        elif isinstance(effect, Fence):
            self._note(warp, mask, op, "fence", "fence")
        elif isinstance(effect, Barrier):
            self._in_warp(warp, mask, op)
        elif isinstance(effect, Group):
            commits = _commits(op)
            self._note(warp, mask, op, "commits a group" if commits else "fence", "group" if commits else "fence")
        else:
            self._note(warp, mask, op, "writes registers", "register")

    def _accesses(self, warp: Warp, mask: int, op: Op, action: Action) -> None:
        event = self._note(warp, mask, op, "", "access")
        ctx = TrapContext(self.machine, warp.cta.cluster, warp.cta, warp, mask=mask, op=op)
        does: list[str] = []
        for touch in action.touches:
            if touch.space not in SHADOWED or touch.proxy == "constant":
                continue
            does.append("updates" if touch.update else "writes" if touch.writes else "reads")
            strong = touch.order != "weak"
            for reached in self.regions.reached(ctx, touch):
                key = reached.region.key
                for lane, start in zip(reached.lanes.tolist(), reached.starts.tolist(), strict=True):
                    self._value(event, lane, (key, start), touch.reads, touch.writes, strong=strong)
        event.does = ", ".join(dict.fromkeys(does))

    def _value(
        self, event: Event, lane: int, place: tuple[object, int], reads: bool, writes: bool, *, strong: bool
    ) -> None:
        """A lane reads what somebody has written, which orders the two where both are flags."""
        wrote = self._written.get(place)
        if reads and wrote is not None and (strong or wrote[2]) and self.record.events:
            writer = self.record.events[wrote[0]]
            if writer.agent != event.agent:
                token = Token("value", (wrote[0], lane))
                event.takes.append(token)
                writer.gives.append(token)
        if writes:
            self._written[place] = (event.number, lane, strong)

    def _in_warp(self, warp: Warp, mask: int, op: Op) -> None:
        """bar.warp.sync. Lanes that are let go run it once more."""
        mask &= ~warp.frame.get(F.F_RELEASED)
        if not mask:
            return
        ctx = TrapContext(self.machine, warp.cta.cluster, warp.cta, warp, mask=mask, op=op)
        named = ctx.read("mask").astype(np.int64) & ALL
        for members in sorted({int(named[lane]) for lane in lanes_of(mask)}):
            mine = sum(1 << lane for lane in lanes_of(mask & members) if named[lane] == members)
            turn, came = self._met.get((warp, members), (0, 0))
            if came & mine:
                turn, came = turn + 1, 0
            event = self._note(warp, mine, op, "meets the warp", "barrier")
            token = Token("warp", (warp.cta.index, warp.index, members, turn))
            event.gives, event.takes = [token], [token]
            came |= mine
            over = members & warp.frame.get(F.F_ALIVE) & ~came == 0
            self._met[warp, members] = (turn + 1, 0) if over else (turn, came)

    def _comes(self, warp: Warp, number: int, op: Op | None, *, waits: bool, over: bool) -> None:
        """A warp has come to a barrier of its CTA."""
        key = (warp.cta.index, number)
        turn, came = self._numbers.get(key, (0, set[Warp]()))
        mine = self.record.of(("warp", warp.cta.index, warp.index))
        again = warp in came and mine[-1].op is op  # where all have met, that is told of those who came first once more
        if warp in came and not again:  # it has ended as others have exited
            turn, came = turn + 1, set[Warp]()
        if not again:
            alive = warp.frame.get(F.F_ALIVE) or ALL
            event = self._note(warp, alive, op, f"barrier {number}" + ("" if waits else ": arrives"), "barrier")
            event.time -= 1  # what the warp knows has been published before this is told
            token = Token("barrier", (*key, turn))
            event.gives, event.takes = [token], [token] if waits else []
            came.add(warp)
        self._numbers[key] = (turn + 1, set[Warp]()) if over else (turn, came)

    # -- barriers of the cluster
    def cluster_arrived(self, warp: Warp, lanes: int, op: Op) -> None:
        self.team_of(warp)
        phase = self.phases[warp] = self.meetings.phase_of(warp.cta.cluster)
        event = self._note(warp, lanes, op, "arrives at the cluster's barrier", "barrier")
        event.gives = [Token("cluster", (warp.cta.cluster.index, phase))]
        super().cluster_arrived(warp, lanes, op)

    def cluster_passed(self, warp: Warp, lanes: int, op: Op) -> None:
        self.team_of(warp)
        event = self._note(warp, lanes, op, "passes the cluster's barrier", "barrier")
        event.takes = [Token("cluster", (warp.cta.cluster.index, self.phases.get(warp, -1)))]
        super().cluster_passed(warp, lanes, op)

    # -- operations
    def issued(self, operation: Operation) -> None:
        number = (operation.number,)
        for warp in operation.warps:
            self.team_of(warp)
            event = self._note(warp, operation.lanes, operation.op, "issues", "issue")
            event.gives = [Token("issue", number)]
        event = self._of_operation(operation, _does(operation))
        event.takes = [Token("issue", number)]
        event.gives = [Token("done", number), Token("read", number)]
        event.views = self._known_to(operation)
        for warp in operation.warps:
            self._copied.setdefault(warp, []).append(Token("done", number))
        super().issued(operation)
        event.done = self.operations.in_clocks(operation)
        self._stamp()

    def _known_to(self, operation: Operation) -> tuple[View, ...]:
        """What comes before an operation: of wgmma, what each of its warps knew at its last wgmma.fence."""
        if len(operation.warps) > 1:
            return tuple(self.fenced.get(warp, NOTHING) for warp in operation.warps)
        first = 32 * operation.warp.index
        return tuple(self.team_of(operation.warp).views[first : first + 32])

    def _group(self, warp: Warp, mask: int, op: Op) -> Event:
        """A commit, or a wait."""
        found = self._waits.get(warp)
        if found is None or found.op is not op:
            does = "commits a group" if _commits(op) else "waits for groups"
            found = self._waits[warp] = self._note(warp, mask, op, does, "group")
        return found

    def trapped(self, warp: Warp) -> Op:
        """The instruction at which a warp is."""
        return self.machine.image.op_at(int(warp.frame.u32[lanes_of(warp.frame.get(F.F_ALIVE))[0]]))

    def waited(self, warp: Warp, operations: Sequence[tuple[Operation, int]], stage: Stage) -> None:
        op = self._waiting_at(warp, operations)
        if op is not None:
            lanes = 0
            for _, mask in operations:
                lanes |= mask
            event = self._group(warp, lanes, op)
            event.lanes |= lanes
            word = "read" if stage is Stage.READ else "done"
            event.takes += [Token(word, (one.number,)) for one, _ in operations]
        super().waited(warp, operations, stage)

    def _waiting_at(self, warp: Warp, operations: Sequence[tuple[Operation, int]]) -> Op | None:
        """The wait of lanes that have waited for operations."""
        for _, mask in operations:
            for lane in lanes_of(mask):
                op = self.machine.image.op_at(int(warp.frame.u32[lane]))
                if isinstance(op.inst.form.effect, Group):
                    return op
        return None

    # -- mbarriers
    def _at_mbarrier(self, warp: Warp, lanes: int, place: Place, op: Op, does: str) -> Event:
        self.team_of(warp)
        name = shared_name(self.machine, place.offset).partition(" (")[0].replace("`", "")
        return self._note(warp, lanes, op, f"{does} {name}", "mbarrier")

    def _token(self, place: Place, phase: int) -> Token:
        return Token("phase", (place.cta.index, place.offset, self._lives.get(place, 0), phase))

    def mbarrier_initialised(self, warp: Warp, lane: int, place: Place, op: Op) -> None:
        self._lives[place] = self._lives.get(place, 0) + 1
        self._before[place] = []
        self._at_mbarrier(warp, 1 << lane, place, op, "initialises")
        super().mbarrier_initialised(warp, lane, place, op)

    def mbarrier_expected(self, warp: Warp, lane: int, place: Place, phase: int, nbytes: int, op: Op) -> None:
        verb = "expects" if nbytes >= 0 else "brings"
        self._at_mbarrier(warp, 1 << lane, place, op, f"{verb} {abs(nbytes)} bytes, phase {phase} of")

    def mbarrier_arrived(self, warp: Warp, lanes: int, place: Place, phase: int, op: Op) -> None:
        self.team_of(warp)
        last = self.record.events[-1] if self.record.events else None
        if last is not None and last.op is op and last.agent == ("warp", warp.cta.index, warp.index):
            event, last.does = last, f"arrives and {last.does}"
        else:
            event = self._at_mbarrier(warp, lanes, place, op, f"arrives in phase {phase} of")
        self._ends_phase(event, place, phase)
        super().mbarrier_arrived(warp, lanes, place, phase, op)
        self._stamp()

    def _ends_phase(self, event: Event, place: Place, phase: int) -> None:
        token = self._token(place, phase)
        event.gives.append(token)
        self._before.setdefault(place, []).append(token)

    def mbarrier_completed(self, operation: Operation, place: Place, phase: int) -> None:
        name = shared_name(self.machine, place.offset).partition(" (")[0].replace("`", "")
        event = self._of_operation(operation, f"completes in phase {phase} of {name}")
        effect = operation.op.inst.form.effect
        if isinstance(effect, Mbarrier) and effect.after is not None:
            event.takes = list(self._copied.get(operation.warp, ()))
        self._ends_phase(event, place, phase)
        super().mbarrier_completed(operation, place, phase)
        self._stamp()

    def mbarrier_passed(self, warp: Warp, lanes: int, place: Place, phase: int, op: Op) -> None:
        event = self._at_mbarrier(warp, lanes, place, op, f"waits for phase {phase} of")
        event.takes = list(dict.fromkeys(t for t in self._before.get(place, ()) if t.of[-1] <= phase))
        super().mbarrier_passed(warp, lanes, place, phase, op)
        self._stamp()

    # -- ends
    def _ends(self, cta: Cta) -> None:
        for warp in cta.warps:
            self._note(warp, ALL, None, "exits", "exit")
        super()._ends(cta)

    def cluster_retired(self, cluster: Cluster) -> None:
        self._stamp()
        super().cluster_retired(cluster)

    def enter(self, report: Report) -> None:
        """Give each finding its graph. All who find anything have done so."""
        self._stamp()
        report.order = Found(self.record)
        for finding, stamp in zip(report.findings, self._stamps, strict=False):
            finding.order = finding.order or graph_of_finding(self.record, finding, stamp)


class Graphs(Observer):
    """Is told last when a launch ends, and gives the findings their graphs."""

    def __init__(self, core: Recorded) -> None:
        self._core = core

    @property
    def hears_copies(self) -> bool:
        return self._core.hears_copies

    def tally(self, report: Report) -> None:
        self._core.enter(report)


class Found:
    """The events of a launch, for the accesses of graphs of other launches."""

    def __init__(self, record: Record) -> None:
        self.record = record

    def same(self, graph: HappensBefore) -> HappensBefore | None:
        """See `Report.order`."""
        return same(self.record, graph)


def _commits(op: Op) -> bool:
    effect = op.inst.form.effect
    return isinstance(effect, Group) and effect.kind == "commit"


def _does(operation: Operation) -> str:
    """What an operation accesses, in words."""
    if isinstance(operation.op.inst.form.effect, Mbarrier):
        return "arrives behind copies"
    words = [
        f"{verb} {' and '.join(spaces)}"
        for verb, spaces in (("reads", _spaces(operation.reads)), ("writes", _spaces(operation.writes)))
        if spaces
    ]
    if isinstance(operation.op.inst.form.effect, AsyncMma):
        words.append("writes registers")
    return ", ".join(words)


def _spaces(footprints: Iterable[Footprint]) -> list[str]:
    return list(dict.fromkeys(f"{f.space} memory" for f in footprints if f.proxy != "tensormap"))


def _registers(machine: Observed) -> set[int]:
    """The instructions, by id, that touch registers of wgmma."""
    program = machine.record.program
    if not any(isinstance(op.inst.form.effect, AsyncMma) for op in program.ops):
        return set()
    graph, bits = graph_of(program), bits_of(program.ops)
    found = (event for b in range(len(graph)) for event in events_of(graph, b, bits))
    return {id(program.ops[event.op]) for event in found if event.kind == "touch"}
