"""What a launch did, as events, and which events order which."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from ptxlab.sim.engine.machine.naming import lanes_of

if TYPE_CHECKING:
    from ptxlab.ptx.program import Op
    from ptxlab.sim.order.clocks import Clock
    from ptxlab.sim.order.views import View

Agent = tuple[str, int, int]
"""("warp", index of its CTA, its number in the CTA), or ("operation", index of the issuer's CTA, number of the operation)."""
Node = tuple[int, int]
"""An event by its number, and one of its lanes."""


class Token(NamedTuple):
    """What events hand on: a phase of an mbarrier, a use of a barrier, the start or the end of an operation, a value.

    kind: "phase", "barrier", "warp", "cluster", "issue", "read", "done" or "value". of: which one; its last number is that of a
    phase, and the lane that reads a value.
    """

    kind: str
    of: tuple[int, ...]


@dataclass(slots=True)
class Event:
    """Something that lanes of a warp, or an operation, did.

    Attributes:
        number: its place in the record. agent: who. lanes: which lanes; of an operation, those that issued it.
        op: the instruction; None for the exit. does: in words. cta: coordinates. kind: "access", "fence", "barrier", "mbarrier",
            "group", "issue", "operation", "register" or "exit".
        time: the sanitizer's. views: what each lane of the warp knew before; of a joint operation, what each warp knew.
        gives, takes: tokens. warp: of an operation, the warp that issued it. joint: whether all lanes of several warps have
            issued it together; else each lane has an operation of its own. done: of an operation, its cluster, and by lane what
            stands for it in clocks.
    """

    number: int
    agent: Agent
    lanes: int
    op: Op | None
    does: str
    cta: tuple[int, int, int]
    kind: str
    time: int = 0
    views: tuple[View, ...] = ()
    gives: list[Token] = field(default_factory=list[Token])
    takes: list[Token] = field(default_factory=list[Token])
    warp: int = 0
    joint: bool = False
    done: tuple[int, dict[int, int]] = (0, {})

    @property
    def by_operation(self) -> bool:
        return self.agent[0] == "operation"


@dataclass(frozen=True, slots=True)
class Link:
    """One event comes before another. sure: whether the sanitizer takes that for order; else why not, in words."""

    first: Node
    second: Node
    token: Token | None
    sure: bool


class Record:
    """The events of a launch.

    Attributes:
        events: all, in the order in which they happened. block: threads of a CTA in each dimension.
    """

    def __init__(self, block: tuple[int, int, int]) -> None:
        self.events: list[Event] = []
        self.block = block
        self._of: dict[Agent, list[int]] = {}
        self._givers: dict[Token, list[int]] = {}
        self._takers: dict[Token, list[int]] = {}
        self._entered = 0

    def add(self, event: Event) -> None:
        """One more event."""
        event.number = len(self.events)
        self.events.append(event)
        self._of.setdefault(event.agent, []).append(event.number)

    def _enter(self) -> None:
        """Find events by their tokens. They get those after they have been added."""
        for event in self.events[self._entered :]:
            for token in event.gives:
                self._givers.setdefault(token, []).append(event.number)
            for token in event.takes:
                self._takers.setdefault(token, []).append(event.number)
        self._entered = len(self.events)

    def of(self, agent: Agent) -> list[Event]:
        """The events of a warp or an operation, in order."""
        return [self.events[n] for n in self._of.get(agent, ())]

    def begin(self, number: int) -> int:
        """The event, or of one by an operation the one that issued it."""
        self._enter()
        event = self.events[number]
        if not event.by_operation:
            return number
        return min(self._givers.get(Token("issue", (event.agent[2],)), [number]))

    def next(self, node: Node) -> Event | None:
        """What the same thread, or operation, does next."""
        event, lane = self.events[node[0]], node[1]
        for later in self.of(event.agent):
            if later.number > event.number and later.lanes >> lane & 1:
                return later
        return None

    def links(self, node: Node) -> Iterator[Link]:
        """What comes after a node at once."""
        self._enter()
        number, lane = node
        event = self.events[number]
        following = self.next(node)
        if following is not None:
            yield Link(node, (following.number, lane), None, sure=True)
        for token in event.gives:
            for n in self._takers.get(token, ()):
                later = self.events[n]
                for other in self._lanes(event, lane, later, token):
                    if (later.agent, other) != (event.agent, lane):  # of its own, the order of the program tells
                        yield self._link(node, (n, other), token)

    def _lanes(self, event: Event, lane: int, later: Event, token: Token) -> list[int]:
        """The lanes of a later event that are concerned: of a thread's own operation, the same lane."""
        if token.kind in ("issue", "done", "read") and not (event.joint or later.joint):
            return [lane] if later.lanes >> lane & 1 else []
        if token.kind == "value":
            return [token.of[-1]] if later.lanes >> token.of[-1] & 1 else []
        return list(lanes_of(later.lanes))

    def _link(self, first: Node, second: Node, token: Token) -> Link:
        return Link(first, second, token, sure=self._knows(first, second, token))

    def _knows(self, first: Node, second: Node, token: Token) -> bool:
        """Whether who takes a token knows afterwards what who gave it has done until then."""
        event, later = self.events[first[0]], self.events[second[0]]
        if event.by_operation or later.by_operation:
            return True
        following = self.next(second)
        if following is None or not following.views:
            return True
        return _known(following.views[second[1]].clock, event, first[1], reads=False)

    def ordered(self, first: Node, last: Node, *, reads: bool) -> bool:
        """Whether who does the last knows of the first, as far as the sanitizer says. reads: the first one has only read.

        What a thread writes to its registers, others need not know.
        """
        event, later = self.events[first[0]], self.events[last[0]]
        if event.kind == "register":
            return True
        if any(token.kind == "value" for token in later.takes):  # it has found what it knows itself
            later = self.next(last) or later
        views = later.views if later.joint else later.views[last[1] : last[1] + 1]
        return bool(views) and all(_known(view.clock, event, first[1], reads=reads) for view in views)

    def path(self, first: Node, last: Node, *, flags: bool = False, most: int = 200_000) -> list[Link] | None:
        """The shortest way from one node to another, by links that count.

        flags: also by values that somebody reads, where fences around them may order more than the accesses themselves.
        Who waits for an operation knows that it is over, but not what its thread did before.
        """
        mine = self.events[first[0]].agent
        came: dict[Node, Link | None] = {first: None}
        work = [first]
        for node in work:
            if node == last:
                break
            if len(came) > most:
                return None
            event = self.events[node[0]]
            arrives = any(token.kind == "done" for token in event.takes)  # behind copies, and so behind this one
            if event.by_operation and event.agent != mine and not arrives:
                continue
            for link in self.links(node):
                counts = link.sure or (flags and link.token is not None and link.token.kind == "value")
                if counts and link.second not in came:
                    came[link.second] = link
                    work.append(link.second)
        if last not in came:
            return None
        out: list[Link] = []
        link = came[last]
        while link is not None:
            out.append(link)
            link = came[link.first]
        return out[::-1]

    def thread(self, node: Node) -> tuple[int, int, int]:
        """The thread of a node; of an operation, the one that issued it."""
        event = self.events[node[0]]
        number = 32 * (event.warp if event.by_operation else event.agent[2]) + node[1]
        x, y, _ = self.block
        return number % x, number // x % y, number // (x * y)


def _known(clock: Clock, event: Event, lane: int, *, reads: bool) -> bool:
    if event.by_operation:
        cluster, bits = event.done
        known = clock.done.get(cluster, 0) | (clock.read.get(cluster, 0) if reads else 0)
        return bool(known & bits.get(lane, 0))
    times = clock.threads.get(event.agent[1])
    return times is not None and int(times[32 * event.agent[2] + lane]) >= event.time
