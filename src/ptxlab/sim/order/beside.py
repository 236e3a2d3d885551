"""What a launch does beside others: what nothing orders behind the grids in front, and what flags have told it.

`griddepcontrol.wait` is for the thread that executes it, and for those that it hands on to. So clocks know one more thing: that the
grids in front are over, as an operation of nobody's cluster. What threads access that do not know it is kept here, and `sim/grids`
compares it with what the grids in front have done. What launches hand on to each other by flags, `board` knows.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ptxlab.isa.effects import Access, AsyncCopy, Fence
from ptxlab.isa.order import OF_LAUNCHES
from ptxlab.ptx.grids import LAUNCH_DEPENDENTS, before_waits, of_grids
from ptxlab.sim.engine.compiled import frame as F
from ptxlab.sim.engine.machine.naming import lanes_of
from ptxlab.sim.order.board import Board, Known, Talk, posts_in
from ptxlab.sim.order.clocks import Clock, joined, over
from ptxlab.sim.order.core import Core, Neighbour
from ptxlab.sim.order.knowledge import Team, threads_of
from ptxlab.sim.order.places import Reached
from ptxlab.sim.order.shadow import Kind
from ptxlab.sim.order.views import View

if TYPE_CHECKING:
    from ptxlab.isa.action import Touch
    from ptxlab.ptx.program import Op
    from ptxlab.sim.engine.decoded.decode import Image
    from ptxlab.sim.engine.machine.operation import Operation
    from ptxlab.sim.engine.machine.resident import Warp

_GRIDS = -1
"""In the place of a cluster: the grids in front of the launch."""
_WAITED = View(over(_GRIDS, 1))
_GLOBAL = ("global", "generic")


@dataclass(frozen=True, slots=True)
class Early:
    """An access that nothing orders behind the grids in front.

    Attributes:
        kind: how. reads, writes: what it does. starts, nbytes: runs of global memory. agents: the thread of each run.
        asynchronous: whether an operation of the thread does it. known: the posts of other launches that it comes behind.
    """

    kind: Kind
    reads: bool
    writes: bool
    starts: NDArray[np.int64]
    nbytes: NDArray[np.int64]
    agents: NDArray[np.uint32]
    asynchronous: bool
    known: Known


class Beside(Neighbour):
    """Follows a launch that may overlap with others.

    Args:
        waits: whether it begins early, and its kernel has griddepcontrol.wait. board: of the launches that may overlap.

    Attributes:
        core: the sanitizer of the launch. has_wait: as `waits`. follows: whether anything may come in front of that.
        early: those accesses. maps: reads of tensor maps. waits: by CTA that has executed griddepcontrol.wait, the
            threads, as far as they matter.
        passes: whether a thread has let dependents begin that did not know of the end of the grids in front.
        fences: the scopes of the program's fences that include other launches. talks: whether it may use flags of others.
            talk: what it hands on by flags, and gets to know.
    """

    core: Core
    talk: Talk
    fences: frozenset[str]
    talks: bool
    _sites: frozenset[int]

    def __init__(self, *, waits: bool, board: Board) -> None:
        self.has_wait, self.follows, self._triggers = waits, False, False
        self.early: list[Early] = []
        self.maps: list[Early] = []
        self.waits: dict[int, set[int]] = {}
        self.passes = False
        self._board = board
        self._maps_seen: set[tuple[int, int]] = set()

    # -- what the sanitizer tells
    def attach(self, core: Core, image: Image) -> frozenset[int]:
        self.core = core
        if image.before_waits is None:
            image.before_waits = _before_waits(image)
        early, self._triggers, self.fences, self.talks = image.before_waits
        self.talk = Talk(self._board, core, fences=bool(self.fences))
        self._sites = early if self.has_wait else frozenset()
        self.follows = bool(self._sites)
        return self._sites

    def waited(self, warp: Warp, lanes: int) -> None:
        core = self.core
        waits = self.waits.setdefault(core.slot_of(warp.cta).cta, set())
        if self.follows or (self._triggers and not self.passes):
            threads = threads_of(warp.index, lanes)
            waits.update(threads)
            core.polls.changed()
            core.knowledge.learn(core.team_of(warp), threads, _WAITED)

    def lets_begin(self, warp: Warp, lanes: int) -> None:
        if self._triggers and not self.passes:
            views = self.core.team_of(warp).views
            self.passes = not all(_has_waited(views[t].clock) for t in threads_of(warp.index, lanes))

    def reaches(
        self, warp: Warp, team: Team, threads: Sequence[int], reached: Reached, touch: Touch, kind: Kind
    ) -> None:
        if kind.strong and touch.scope in OF_LAUNCHES:
            unread = touch.writes and self.core.is_unread(self.core.machine.image.ops[kind.site])
            finds = touch.reads and (self.core.strict or not unread)
            words = (reached.starts + reached.region.base).tolist()
            self.talk.accesses(team, threads, words, touch, finds=finds)
        if not self.follows:
            return
        if self._comes_behind(warp, team):
            return
        starts = reached.starts + reached.region.base
        for view, members in team.by_view(sorted(set(threads))):
            if _has_waited(view.clock):
                continue
            mine = np.isin(threads, members)
            agents = np.array([self.core.threads.agent(team.at.cta, t) for t in threads], np.uint32)[mine]
            runs = starts[mine], reached.nbytes[mine], agents
            self.early.append(
                Early(kind, touch.reads, touch.writes, *runs, asynchronous=False, known=posts_in(view.clock))
            )

    def issues(self, operation: Operation) -> None:
        both = ((operation.reads, False), (operation.writes, True))
        there = [(f, writes) for footprints, writes in both for f in footprints if f.cta is None]
        core, first = self.core, 32 * operation.warp.index
        site = core.numbers[id(operation.op)]
        follows = site in self._sites
        maps = {(site, int(f.starts[0])) for f, _ in there if f.proxy == "tensormap"} - self._maps_seen
        if not (there and follows) and not maps:
            return
        self._maps_seen |= maps
        team, lanes = core.team(operation.warp.cta), lanes_of(operation.lanes)
        early = follows and not all(_has_waited(team.views[first + lane].clock) for lane in lanes)
        thread = first + lanes[0]
        action = core.action(operation.op)
        for footprint, writes in there:
            touch = next((t for t in action.touches if t.agent == "operation" and t.writes == writes), None)
            strong = touch is not None and touch.order != "weak"
            kind = Kind(site, strong, (touch.scope or "") if touch is not None else "", update=strong)
            agents = np.full(len(footprint.starts), core.threads.agent(team.at.cta, thread), np.uint32)
            runs = footprint.starts, footprint.nbytes, agents
            one = Early(kind, not writes, writes, *runs, asynchronous=True, known=posts_in(team.views[thread].clock))
            if early:
                self.early.append(one)
            if footprint.proxy == "tensormap" and maps:
                self.maps.append(one)

    def fence(self, team: Team, threads: Sequence[int], order: str, scope: str) -> None:
        self.talk.fence(team, threads, order, scope)

    def fenced(self, team: Team, threads: Sequence[int], order: str, scope: str) -> None:
        self.talk.fenced(team, threads, order, scope)

    def learns(self, cta: int, threads: Sequence[int], done: Mapping[int, int]) -> None:
        self.talk.learns(cta, threads, done)

    def ends(self, issued: View, known: Clock) -> Clock:
        return joined(known, _WAITED.clock) if _has_waited(issued.clock) else known

    def in_short(self) -> list[Early]:
        """The accesses in front of griddepcontrol.wait, those of one kind together."""
        alike: dict[tuple[object, ...], list[Early]] = {}
        for one in self.early:
            known = frozenset(one.known.items())
            alike.setdefault((one.kind, one.reads, one.writes, one.asynchronous, known), []).append(one)
        return [_joined(some) for some in alike.values()]

    # -- inside
    def _comes_behind(self, warp: Warp, team: Team) -> bool:
        """Whether all threads of a warp know of the wait: machine code looks at what they do from now on. So it is with the whole
        CTA, behind a barrier."""
        views = team.views[: self.core.machine.record.threads]
        if not all(_has_waited(v.clock) for v in {id(v): v for v in views[32 * warp.index :][:32]}.values()):
            return False
        whole = all(_has_waited(v.clock) for v in {id(v): v for v in views}.values())
        block = warp.cta.block
        block.set(F.C_BEHIND, (1 << 32) - 1 if whole else block.get(F.C_BEHIND) | 1 << warp.index)
        return True


def _joined(some: Sequence[Early]) -> Early:
    if len(some) == 1:
        return some[0]
    starts, nbytes, agents = (
        np.concatenate([getattr(one, name) for one in some]) for name in ("starts", "nbytes", "agents")
    )
    return replace(some[0], starts=starts, nbytes=nbytes, agents=agents)


def _has_waited(clock: Clock) -> bool:
    """Whether who has this clock knows that the grids in front of the launch are over."""
    return clock.is_done(_GRIDS, 0)


def _before_waits(image: Image) -> tuple[frozenset[int], bool, frozenset[str], bool]:
    """The accesses to global memory, by the number of the instruction, that a thread may reach without griddepcontrol.wait; whether
    it may reach launch_dependents so; the scopes of the program's fences that include other launches; and whether any access is
    strong in such a scope."""
    early = before_waits(image.program)
    ids = {id(op) for op in early if _is_global(op)}
    scopes = {op.inst.effect.scope for op in image.ops if isinstance(op.inst.form.effect, Fence)}
    fences = frozenset(scope for scope in scopes if scope in OF_LAUNCHES)
    sites = frozenset(i for i, op in enumerate(image.ops) if id(op) in ids)
    return sites, any(of_grids(op) == LAUNCH_DEPENDENTS for op in early), fences, any(map(_may_be_a_flag, image.ops))


def _may_be_a_flag(op: Op) -> bool:
    return _is_global(op) and any(t.order != "weak" and t.scope in OF_LAUNCHES for t in op.inst.effect.touches)


def _is_global(op: Op) -> bool:
    return isinstance(op.inst.form.effect, (Access, AsyncCopy)) and any(
        t.space in _GLOBAL and t.proxy != "constant" for t in op.inst.effect.touches
    )
