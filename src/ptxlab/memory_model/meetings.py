"""Who meets whom at barriers: all ways to put arrivals into phases, and the order that each of them gives (8.9.4).

A phase of a barrier is complete when as many have arrived as it counts. Who waits has the order of all who arrived; who waits for
ever is at a barrier whose phase the arrivals that are left do not complete.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, product

from ptxlab.isa.order import OF_CLUSTERS
from ptxlab.memory_model.events import Event, Graph, Meetings
from ptxlab.memory_model.program import Program
from ptxlab.memory_model.relation import Relation, bits
from ptxlab.memory_model.trace import Arrival

Pairs = tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class Met:
    """An arrival in a graph: its event, and whether its thread waits there for ever."""

    number: int
    event: Event
    arrival: Arrival
    forever: bool


def meetings(program: Program, graph: Graph, arrived: Sequence[Met]) -> Iterator[Meetings]:
    """All ways in which the arrivals of a graph can have met. None: these traces do not go together."""
    keys: dict[tuple[object, ...], list[Met]] = {}
    for met in arrived:
        keys.setdefault(met.arrival.key, []).append(met)
    ways = [list(_ways(program, graph, key, found)) for key, found in keys.items()]
    for choice in product(*ways):
        fenced = _fenced(graph, arrived)
        meets = Relation.of(graph.size, (*fenced, *(pair for pairs in choice for pair in pairs)))
        if _possible(graph, meets):
            yield Meetings(meets, Relation.of(graph.size, _published(graph, arrived)))


def _possible(graph: Graph, meets: Relation) -> bool:
    """Whether nothing happens before itself. Those who meet at a barrier are ordered with each other, both ways."""
    order = graph.order | graph.done
    return (order >> (meets | order).closure()).reflexive() is None


def _ways(program: Program, graph: Graph, key: tuple[object, ...], found: list[Met]) -> Iterator[Pairs]:
    match key[0]:
        case "cta":
            yield from _counted(found)
        case "cluster":
            yield from _cluster(program, found)
        case "grid":
            yield from _grid(program, found)
        case _:
            yield from _mbarrier(program, graph, found)


def _queues(found: Sequence[Met]) -> list[list[Met]]:
    """The arrivals of each agent, in its order."""
    queues: dict[int, list[Met]] = {}
    for met in found:
        queues.setdefault(met.event.agent, []).append(met)
    return list(queues.values())


# --- bar, barrier ----------------------------------------------------------------------------------------------------


def _counted(found: list[Met]) -> Iterator[Pairs]:
    queues = _queues(found)
    counts = [m.arrival.count for m in found if m.arrival.count is not None]
    count = counts[0] if counts else len(queues)
    yield from dict.fromkeys(_phases(queues, count))


def _phases(queues: list[list[Met]], count: int) -> Iterator[Pairs]:
    heads = [i for i, q in enumerate(queues) if q]
    if len(heads) < count or count < 1:
        if all(m.forever or m.arrival.role == "arrive" for q in queues for m in q):
            yield ()
        return
    for chosen in combinations(heads, count):
        phase = [queues[i][0] for i in chosen]
        if any(m.forever for m in phase):
            continue
        left = [q[1:] if i in chosen else q for i, q in enumerate(queues)]
        here = tuple(
            (a.number, b.number)
            for a in phase
            for b in phase
            if a is not b and b.arrival.role == "sync" and a.arrival.orders and b.arrival.orders
        )
        for more in _phases(left, count):
            yield here + more


# --- barrier.cluster -------------------------------------------------------------------------------------------------


def _cluster(program: Program, found: list[Met]) -> Iterator[Pairs]:
    home = found[0].arrival.key[1]
    members = {i for i, t in enumerate(program.threads) if t.place.own_cluster == home}
    arrivals: dict[int, list[Met]] = {i: [] for i in members}
    waits: dict[int, list[Met]] = {i: [] for i in members}
    for met in found:
        (waits if met.arrival.role == "wait" else arrivals)[met.event.thread].append(met)
    complete = min(map(len, arrivals.values()))
    pairs: list[tuple[int, int]] = []
    for mine in waits.values():
        for turn, wait in enumerate(mine):
            if wait.forever == (turn < complete):
                return
            if not wait.forever:
                pairs += [
                    (theirs[turn].number, wait.number)
                    for theirs in arrivals.values()
                    if theirs[turn].arrival.orders and wait.arrival.orders
                ]
    yield tuple(pairs)


def _phases_of_clusters(arrived: Sequence[Met]) -> Iterator[tuple[Met, Met]]:
    """Arrivals at barriers of clusters, and the waits that they end, those that order."""
    cluster = [m for m in arrived if m.arrival.key[0] == "cluster" and not m.forever]
    for arrival, wait in product(cluster, cluster):
        if arrival.arrival.role != "arrive" or wait.arrival.role != "wait" or not wait.arrival.orders:
            continue
        if arrival.arrival.key == wait.arrival.key and _turn(cluster, arrival) == _turn(cluster, wait):
            yield arrival, wait


def _fenced(graph: Graph, arrived: Sequence[Met]) -> list[tuple[int, int]]:
    """Release fences that include the cluster, in front of relaxed arrivals at its barrier, and the waits that these end."""
    fences = [
        i
        for i, e in enumerate(graph.events)
        if e.kind == "fence" and e.releases and e.scope in OF_CLUSTERS and e.only is None and not e.joins
    ]
    return [
        (f, wait.number)
        for arrival, wait in (_phases_of_clusters(arrived) if fences else ())
        for f in fences
        if not arrival.arrival.orders and (f, arrival.number) in graph.order
    ]


def _published(graph: Graph, arrived: Sequence[Met]) -> Iterator[tuple[int, int]]:
    """The initialisations of mbarriers that fence.mbarrier_init publishes by a later arrival at the cluster's barrier, whatever
    that orders itself, and the waits that the arrival ends."""
    fences = [i for i, e in enumerate(graph.events) if e.kind == "fence" and e.only == "mbarrier.init"]
    for arrival, wait in _phases_of_clusters(arrived):
        for f in fences:
            if (f, arrival.number) in graph.order:
                before = bits((~graph.order).rows[f])
                yield from ((i, wait.number) for i in before if graph.events[i].only == "mbarrier.init")


def _turn(found: Sequence[Met], one: Met) -> int:
    """Which of its thread's arrivals, or waits, at a barrier it is."""
    mine = [m for m in found if m.event.agent == one.event.agent and m.arrival.role == one.arrival.role]
    return mine.index(one)


# --- griddepcontrol --------------------------------------------------------------------------------------------------


def _grid(program: Program, found: list[Met]) -> Iterator[Pairs]:
    """Who waits for the grids before its own sees what they did, once all their threads have ended."""
    ends = [m for m in found if m.arrival.role == "end"]
    pairs: list[tuple[int, int]] = []
    for wait in (m for m in found if m.arrival.role == "wait"):
        before = [m for m in ends if m.event.place.grid < wait.event.place.grid]
        if len(before) < sum(t.place.grid < wait.event.place.grid for t in program.threads):
            return
        pairs += [(m.number, wait.number) for m in before]
    yield tuple(pairs)


# --- mbarrier --------------------------------------------------------------------------------------------------------


def _mbarrier(program: Program, graph: Graph, found: list[Met]) -> Iterator[Pairs]:
    inits = [m for m in found if m.arrival.role == "init"]
    begun = program.variables[str(found[0].arrival.key[1])].count
    count = (inits[0].arrival.count if inits else begun) or 1
    counted = [m for m in found if m.arrival.role in ("arrive", "expect", "complete")]
    waits = [m for m in found if m.arrival.role == "wait" or (m.arrival.role == "poll" and m.forever)]
    ways = {p for phases in _transactions(_queues(counted), count) for p in _waited(graph, phases, waits)}
    yield from sorted(ways)


def _transactions(queues: list[list[Met]], count: int) -> Iterator[list[list[Met]]]:
    """All ways to make phases of the arrivals: each has as many as the barrier counts, and as many bytes as it expects."""
    ended = False
    for taken in product(*(range(len(q) + 1) for q in queues)):
        phase = [m for q, n in zip(queues, taken, strict=True) for m in q[:n]]
        left = [q[n:] for q, n in zip(queues, taken, strict=True)]
        if not phase or not _complete(phase, count) or not _counted_in(phase, left):
            continue
        ended = True
        later = count - sum(m.arrival.drops for m in phase)
        none: list[list[Met]] = []
        for more in _transactions(left, later) if later > 0 else (none,):
            yield [phase, *more]
    if not ended:
        yield []


def _counted_in(phase: Sequence[Met], left: Sequence[Sequence[Met]]) -> bool:
    """Whether the phase has waited for those that counted themselves in before their thread arrived."""
    later = [m for q in left for m in q if m.arrival.role == "arrive" and m.arrival.count == 0]
    return not any(
        late.event.thread == m.event.thread and late.event.site < m.event.site for late in later for m in phase
    )


def _complete(phase: Sequence[Met], count: int) -> bool:
    arrived = sum(m.arrival.count or 0 for m in phase if m.arrival.role == "arrive")
    expected = sum(m.arrival.bytes for m in phase if m.arrival.role in ("arrive", "expect"))
    done = sum(m.arrival.bytes for m in phase if m.arrival.role == "complete")
    return arrived == count and expected == done


def _waited(graph: Graph, phases: list[list[Met]], waits: list[Met]) -> Iterator[Pairs]:
    """All ways in which waits can have found these phases over."""
    options: list[list[int]] = []
    for wait in waits:
        parity = wait.arrival.parity
        if wait.forever:
            if len(phases) % 2 != parity:
                return
            continue
        # By how many phases that were over: the last of them has this parity, and before the first comes one of parity 1.
        least, most = _bounds(phases, wait)
        options.append([n for n in range(least, most + 1) if (n - 1) % 2 == parity])
    ended = [w for w in waits if not w.forever]
    for choice in product(*options):
        found = list(zip(ended, choice, strict=True))
        if not any(_before(a, b) and m > n for a, m in found for b, n in found):
            pairs = (_ordered(graph, w, [m for phase in phases[:n] for m in phase]) for w, n in found)
            yield tuple(pair for some in pairs for pair in some)


def _bounds(phases: list[list[Met]], wait: Met) -> tuple[int, int]:
    """How many phases can have been over when a thread waited: all before its earlier arrivals, none behind its later ones."""
    least, most = 0, len(phases)
    for k, phase in enumerate(phases):
        if any(_before(m, wait) for m in phase):
            least = max(least, k)
        if any(_before(wait, m) for m in phase):
            most = min(most, k)
    return least, most


def _before(a: Met, b: Met) -> bool:
    """In program order."""
    return a.event.agent == b.event.agent and a.number < b.number


def _ordered(graph: Graph, wait: Met, arrived: Sequence[Met]) -> Pairs:
    """What an arrival releases, and what the wait acquires: each itself, or a fence in front of a relaxed arrival, or behind a
    relaxed wait."""
    acquires = _or_fences(graph, wait, lambda f, e: e.acquires and (wait.number, f) in graph.order)
    pairs: list[tuple[int, int]] = []
    for m in arrived:
        if m.event.place.includes(m.event.scope, wait.event.place) and wait.event.place.includes(
            wait.event.scope, m.event.place
        ):
            releases = _or_fences(graph, m, lambda f, e, m=m: e.releases and (f, m.number) in graph.order)
            pairs += [(a, b) for a in releases for b in acquires if graph.events[a].meets(graph.events[b])]
    return tuple(pairs)


def _or_fences(graph: Graph, met: Met, holds: Callable[[int, Event], bool]) -> list[int]:
    """Who arrives or waits, by its number; where that orders nothing, fences of its thread that do."""
    if met.arrival.orders:
        return [met.number]
    fences = ((i, e) for i, e in enumerate(graph.events) if e.kind == "fence" and e.only is None and not e.joins)
    return [i for i, e in fences if holds(i, e)]
