"""Data races as data: which two accesses, where they stand, and why nothing orders them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import product

from ptxlab.diag import Span
from ptxlab.memory_model.events import Event, Execution
from ptxlab.memory_model.explain import described
from ptxlab.memory_model.model import acquire_pattern, base_causality, program_order, races, release_pattern
from ptxlab.memory_model.program import Place
from ptxlab.memory_model.relation import bits

Key = tuple[tuple[str, int, str], tuple[str, int, str]]
"""Two instructions that race: of each the thread, which of its steps, and what the other one accesses, too."""


@dataclass(frozen=True, slots=True, repr=False)
class Access:
    r"""One of two accesses that race.

    Attributes:
        thread: who executes the instruction. step: which of the thread's steps it is, the number in `Emitted.steps`.
        agent: the thread, or, for what an asynchronous operation does, thread.number.
        kind: read or write. location, proxy, order, scope: of the access.
        text, span: the instruction, and its place in the test's text.
        said: the access in words, with its value.

    Example:
        text = r'''PTX MP
        { x = 0; flag = 0; }
        P0@cta 0,gpu 0        | P1@cta 1,gpu 0 ;
        st.weak x, 1          | ld.acquire.gpu r0, flag ;
        st.relaxed.gpu flag, 1 | ld.weak r1, x ;
        exists (P1:r0 == 1 /\ P1:r1 == 0)
        '''

        race = px.litmus(text).races[0]

        access = race.accesses[0]
        print(access.thread, access.kind, access.order, access.text)  # P0 write weak st.weak x, 1
    """

    thread: str
    step: int
    agent: str
    kind: str
    location: str
    proxy: str
    order: str
    scope: str | None
    text: str
    span: Span | None
    said: str

    def __repr__(self) -> str:
        return f"<Access {self}>"

    def __str__(self) -> str:
        return f"{self.agent}: {self.said}"


@dataclass(frozen=True, slots=True, repr=False)
class Race:
    r"""Two accesses in a data race, in an execution that is allowed. `first`, `second`: the numbers of their events.

    Attributes:
        execution: the execution. first, second: numbers of the two events in it.

    Example:
        text = r'''PTX MP
        { x = 0; flag = 0; }
        P0@cta 0,gpu 0        | P1@cta 1,gpu 0 ;
        st.weak x, 1          | ld.acquire.gpu r0, flag ;
        st.relaxed.gpu flag, 1 | ld.weak r1, x ;
        exists (P1:r0 == 1 /\ P1:r1 == 0)
        '''

        race = px.litmus(text).races[0]

        first, second = race.accesses
        print(first.location, second.location, len(race.key), race.of_half)  # x x 2 False
        print(race.why)  # no synchronization leads from one to the other
    """

    execution: Execution
    first: int
    second: int

    def __repr__(self) -> str:
        return f"<Race: {self.accesses[0]} and {self.accesses[1]}>"

    @property
    def accesses(self) -> tuple[Access, Access]:
        """The two."""
        return self._access(self.first), self._access(self.second)

    @property
    def key(self) -> Key:
        """The two instructions, whatever values they had."""
        a, b = sorted((x.thread, x.step, x.location) for x in self.accesses)
        return a, b

    @property
    def of_half(self) -> bool:
        """Whether one of the two is the read of an atomic operation.

        Who observes the write of an atomic operation comes after that write, but not after its read (8.9.5). So the read may race
        alone, with an access that is in order behind the operation for anybody who sees the operation as one access.
        """
        rows = self.execution.graph.rmw.rows
        return bool(rows[self.first] or rows[self.second])

    @property
    def why(self) -> str:
        """Why nothing orders them, in a sentence."""
        return unordered(self.execution, self.first, self.second)

    def _access(self, number: int) -> Access:
        g = self.execution.graph
        e = g.events[number]
        agent = g.agents[e.agent]
        return Access(
            thread=agent.partition(".")[0],
            step=e.site,
            agent=agent,
            kind=e.kind,
            location=e.location or "",
            proxy=e.proxy,
            order=e.order,
            scope=e.scope,
            text=e.text,
            span=e.span,
            said=described(self.execution, number),
        )


@dataclass(slots=True, repr=False)
class Racing:
    r"""The races of all executions that have one outcome.

    Attributes:
        some: those that some execution has. always: the keys of those that each execution has. whole: the same without
            races of the read of an atomic operation alone, whose write is in order; see `Race.of_half`.
        clean: whether an execution has none.

    Example:
        text = r'''PTX MP
        { x = 0; flag = 0; }
        P0@cta 0,gpu 0        | P1@cta 1,gpu 0 ;
        st.weak x, 1          | ld.acquire.gpu r0, flag ;
        st.relaxed.gpu flag, 1 | ld.weak r1, x ;
        exists (P1:r0 == 1 /\ P1:r1 == 0)
        '''

        verdict = px.litmus(text, all_races=True)
        racing = list(verdict.racing.values())
        print(any(r.some for r in racing), any(r.clean for r in racing))  # True False
    """

    some: dict[Key, Race] = field(default_factory=dict[Key, Race])
    always: frozenset[Key] | None = None
    whole: frozenset[Key] | None = None
    clean: bool = False

    def __repr__(self) -> str:
        clean = "some executions have" if self.clean else "no execution is known to have"
        return f"<Racing: {len(self.some)} races; {clean} none>"

    def add(self, races: Sequence[Race]) -> None:
        """Take another execution's races."""
        here = {r.key: r for r in races}
        for key, race in here.items():
            self.some.setdefault(key, race)
        whole = frozenset(r.key for r in races if not r.of_half)
        self.always = frozenset(here) if self.always is None else self.always & frozenset(here)
        self.whole = whole if self.whole is None else self.whole & whole
        self.clean |= not here


def races_of(x: Execution) -> Iterator[Race]:
    """The races of an execution."""
    return (Race(x, a, b) for a, b in races(x) if a < b)


# --- why -------------------------------------------------------------------------------------------------------------


def unordered(x: Execution, a: int, b: int) -> str:
    """Why causality order does not relate two events."""
    base = base_causality(x)
    if (b, a) in base:
        a, b = b, a
    first, second = x.graph.events[a], x.graph.events[b]
    if (a, b) not in base:
        if first.strong and second.strong and not first.meets(second):
            return f"both are strong, but {_too_small(first, second)}"
        return next(_broken(x, a, b), next(_broken(x, b, a), "no synchronization leads from one to the other"))
    if first.proxy != second.proxy:
        return f"they come one after the other, but no proxy fence leads from the {first.proxy} to the {second.proxy} proxy"
    if first.address != second.address:
        return "they come one after the other, but no fence.proxy.alias joins their two addresses"
    return f"they come one after the other, but the {first.proxy} proxies of their CTAs are not the same"


def _broken(x: Execution, a: int, b: int) -> Iterator[str]:
    """What could have led from one to the other, and what it lacks."""
    g = x.graph
    before = program_order(g).optional()
    for w, r in x.reads_from:
        if (a, w) in before and (r, b) in before and w not in (a, b) and r not in (a, b):
            read, written = g.events[r].text, g.events[w].text
            yield f"`{read}` reads from `{written}`, but they do not synchronize: {_missing(x, (a, w), (r, b))}"
    arrivals = [i for i in bits(before.rows[a]) if g.events[i].kind == "barrier" and g.events[i].location is not None]
    waits = [i for i in bits((~before).rows[b]) if g.events[i].kind == "barrier" and g.events[i].location is not None]
    for p, q in product(arrivals, waits):
        arrival, wait = g.events[p], g.events[q]
        if arrival.location == wait.location and (p, q) not in x.meets and p != q:
            yield f"both come to {arrival.location}, but `{arrival.text}` and `{wait.text}` do not synchronize: " + (
                _relaxed(arrival) or _relaxed(wait) or _too_small(arrival, wait)
            )
    operation = "." in g.agents[g.events[a].agent]
    if operation and not any((a, e) in g.done for e in range(g.size)) and not arrivals:
        yield f"nothing waits until `{g.events[a].text}` is done with it"


def _relaxed(e: Event) -> str:
    return f"`{e.text}` is relaxed" if e.order in ("weak", "relaxed") else ""


def _missing(x: Execution, first: tuple[int, int], then: tuple[int, int]) -> str:
    """What a write and the read that sees it lack to hand on what stands before the write. first: that, and the write; then: the
    read, and what stands behind it."""
    g = x.graph
    (a, w), (r, b) = first, then
    written, read = g.events[w], g.events[r]
    for e in (written, read):
        if not e.strong:
            return f"`{e.text}` is weak"
    if not written.meets(read):
        return _too_small(written, read)
    before = program_order(g).optional()
    releases = [i for i in bits((~release_pattern(g)).rows[w]) if (a, i) in before]
    acquires = [i for i in bits(acquire_pattern(g).rows[r]) if (i, b) in before]
    if not releases:
        return f"`{written.text}` is no release, and no fence stands between `{g.events[a].text}` and it"
    if not acquires:
        return f"`{read.text}` is no acquire, and no fence stands between it and `{g.events[b].text}`"
    return _too_small(g.events[releases[-1]], g.events[acquires[-1]])


def _too_small(a: Event, b: Event) -> str:
    for mine, other in ((a, b), (b, a)):
        if not mine.place.includes(mine.scope, other.place):
            return f"the scope of `{mine.text}` is .{mine.scope}, and the other thread runs {_where(other.place, mine)}"
    other_ways = "they go through different proxies or addresses"
    return f"nobody waits for that phase, or {other_ways}" if "barrier" in (a.kind, b.kind) else other_ways


def _where(place: Place, than: Event) -> str:
    if place.gpu != than.place.gpu:
        return "on another GPU"
    return "in another CTA" if than.scope == "cta" else "in another cluster"
