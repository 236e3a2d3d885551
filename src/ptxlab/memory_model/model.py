"""The memory model of PTX: relations over events, and the axioms that an execution has to obey.

To be read beside chapter 8 of the PTX manual, whose sections stand in brackets: (8.9.5). Each function is one definition of the
manual, each name in `AXIOMS` one axiom; `examples` has two small tests for each. What the manual says elsewhere of asynchronous
operations comes in at three places: `Graph.issue` and `Graph.done` (what such an operation inherits, and when its thread sees it),
`Execution.met` (barriers and mbarriers), and `proxy_preserved`. docs/explanation/memory-model.md tells it in words.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from ptxlab.isa.order import MEMORIES, memory_seen
from ptxlab.memory_model.events import INIT, Event, Execution, Graph, derived
from ptxlab.memory_model.relation import Relation, bits

# --- what follows from the program alone -----------------------------------------------------------------------------


@derived
def program_order(g: Graph) -> Relation:
    """Instructions of one thread, in the order in which it executes them (8.9.1).

    The reads, writes and completion of an asynchronous operation are in the order of that operation, and in no order with what
    its thread does later (8.9.1.1).
    """
    return g.order


@derived
def overlap(g: Graph) -> Relation:
    """Accesses to the same memory, by whatever address (8.2). A test's variables overlap completely or not at all.

    Operations on an mbarrier are accesses to it: they conflict with its initialisation, and with nothing else.
    """
    return g.pairs(lambda a, b: a.location is not None and a.location == b.location)


@derived
def same_address(g: Graph) -> Relation:
    """Overlapping accesses by one virtual address: aliases overlap, and count as different proxies (8.6)."""
    return overlap(g) & g.pairs(lambda a, b: INIT in (a.agent, b.agent) or a.address == b.address)


@derived
def local_order(g: Graph) -> Relation:
    """Accesses of one thread to one location, at one address and through one proxy, in program order (8.10.5)."""
    return program_order(g) & same_address(g) & g.pairs(lambda a, b: a.proxy == b.proxy)


@derived
def morally_strong(g: Graph) -> Relation:
    """Pairs of operations that the programmer has synchronised with each other (8.7).

    They are related in program order, or both are strong, each with a scope that includes the other's thread; both go through
    the same proxy; and if both access memory, they overlap completely, at one virtual address.
    """
    reach = g.pairs(lambda a, b: a.strong and b.strong and a.meets(b))
    near = program_order(g) | ~program_order(g)
    alike = g.pairs(lambda a, b: a.proxy == b.proxy and not a.joins and not b.joins)
    complete = same_address(g) | g.pairs(lambda a, b: not (a.memory and b.memory))
    return (near | reach) & alike & complete


@derived
def release_pattern(g: Graph) -> Relation:
    """The first operation of a release pattern and the strong write that publishes it (8.8).

    A release on M; a release on M and a later strong write to M; or a release fence and a later strong write.
    """
    strong = g.those(lambda e: e.kind == "write" and e.strong)
    release = g.those(lambda e: e.kind == "write" and e.strong and e.releases)
    fence = g.those(lambda e: e.kind == "fence" and e.strong and e.releases and e.only is None)
    on_m = (program_order(g) & same_address(g)).optional()
    return on_m.among(release, strong) | program_order(g).among(fence, strong)


@derived
def acquire_pattern(g: Graph) -> Relation:
    """The strong read that finds something published and the last operation of an acquire pattern (8.8).

    An acquire on M; a strong read of M and a later acquire on M; or a strong read and a later acquire fence. The read of a red
    counts for none of them (8.11.1).
    """
    strong = g.those(lambda e: e.kind == "read" and e.strong and not e.reduction)
    acquire = g.those(lambda e: e.kind == "read" and e.strong and e.acquires and not e.reduction)
    fence = g.those(lambda e: e.kind == "fence" and e.strong and e.acquires)
    on_m = (program_order(g) & same_address(g)).optional()
    return on_m.among(strong, acquire) | program_order(g).among(strong, fence)


# --- what memory decides ---------------------------------------------------------------------------------------------


@derived
def from_reads(x: Execution) -> Relation:
    """A read and the writes that came after the one it read from (8.9.7, third case)."""
    return ~x.reads_from >> x.coherence


@derived
def communication(x: Execution) -> Relation:
    """How accesses to one location follow each other (8.9.7): reads after their writes, writes in coherence order, reads before
    later writes."""
    return x.reads_from | x.coherence | from_reads(x)


@derived
def observation(x: Execution) -> Relation:
    """A write and a read that sees it, at once or through a chain of atomic operations (8.9.2)."""
    seen = morally_strong(x.graph) & x.reads_from
    return (seen | seen >> (x.graph.rmw >> seen).closure()) if x.graph.rmw else seen


@derived
def synchronizes(x: Execution) -> Relation:
    """Operations of different threads that order what is around them (8.9.4).

    fence.sc in Fence-SC order; barriers; and a release pattern whose write an acquire pattern's read observes, if the pattern's
    ends are morally strong.
    """
    g = x.graph
    patterns = release_pattern(g) >> observation(x) >> acquire_pattern(g)
    return (patterns & morally_strong(g)) | x.fence_order | x.meets


@derived
def _narrow(x: Execution) -> Relation:
    """The part of synchronizes-with that is about shared memory alone: what fences with .sync_restrict hand on."""
    g = x.graph
    fences = g.those(lambda e: e.kind == "fence" and e.about is not None and not e.joins)
    everything = (1 << g.size) - 1
    if not fences:
        return Relation.empty(g.size)
    return synchronizes(x).among(fences, everything) | synchronizes(x).among(everything, fences)


@derived
def base_causality(x: Execution) -> Relation:
    """Program order and synchronizes-with, transitively (8.9.5).

    An asynchronous operation's accesses come after what its thread did before issuing it, but do not hand that on: who sees the
    operation complete sees what the operation did, and nothing else of its thread (8.9.1.1). In the same way fence.mbarrier_init
    shows others that an mbarrier is initialised, and not what stands before that.
    """
    return _base(x, synchronizes(x))


def _base(x: Execution, synchronizing: Relation) -> Relation:
    own = (program_order(x.graph) | synchronizing | x.graph.done).closure()
    if x.met.publishes:
        own |= x.met.publishes >> own.optional()
    return own | (own.optional() >> x.graph.issue)


@derived
def proxy_preserved(x: Execution) -> Relation:
    """The part of base causality order that accesses through different proxies respect (8.9.5).

    Accesses to one address through the generic proxy; accesses to one address through the same proxy and from the same CTA; and
    accesses that are linked by proxy fences on the way: one out of the first one's proxy, in its CTA, then, for aliases, an
    alias fence, then one into the second one's proxy, in its CTA.

    Fences with .sync_restrict are on the way between accesses to shared memory alone, and those that release between accesses to
    that of their CTA.
    """
    narrow = _narrow(x)
    if not narrow:
        return _preserved(x, base_causality(x))
    g, found = x.graph, _preserved(x, _base(x, synchronizes(x) - narrow))
    shared = g.those(lambda e: (e.space or "").startswith("shared"))
    for owner in {e.owner for i, e in enumerate(g.events) if shared >> i & 1}:
        there = shared & g.those(lambda e, owner=owner: e.owner == owner)
        strangers = g.those(
            lambda f, owner=owner: f.kind == "fence" and f.about is not None and not _of_memory(f, "shared", owner)
        )
        synchronizing = synchronizes(x) - narrow.among(strangers)
        found |= _preserved(x, _base(x, synchronizing)).among(there, there)
    return found


def _preserved(x: Execution, base: Relation) -> Relation:
    g = x.graph
    generic = g.those(lambda e: e.location is not None and e.proxy == "generic")
    out = Relation.identity(g.size, generic) | (base & _leaves(g))
    into = _enters(x, base)
    aliased = out >> base.among(-1, g.those(lambda e: ("generic", "alias") in e.joins))

    def arrive(at: Relation) -> Relation:
        return (at >> base).among(-1, generic) | (at >> base.optional() >> into)

    close = base & (_near(g) | _initialised(g))
    return (same_address(g) & (arrive(out) | close)) | (overlap(g) & arrive(aliased))


@derived
def _initialised(g: Graph) -> Relation:
    """An initialisation of an mbarrier that fence.mbarrier_init follows, and operations on it through whatever proxy."""
    fences = g.those(lambda e: e.kind == "fence" and e.only == "mbarrier.init")
    inits = g.those(lambda e: e.kind == "write" and e.only == "mbarrier.init")
    fenced = sum(1 << a for a, _ in program_order(g).among(inits, fences))
    return Relation.product(g.size, fenced, g.those(lambda e: e.kind == "barrier"))


@derived
def _near(g: Graph) -> Relation:
    """Accesses through the same proxy and from the same CTA."""
    return g.pairs(lambda a, b: a.proxy == b.proxy and a.place.own_cta == b.place.own_cta)


@derived
def _leaves(g: Graph) -> Relation:
    """An access through another proxy than the generic one and a fence of its CTA that leads from there to the generic one."""
    return g.pairs(
        lambda a, f: (
            a.location is not None
            and (a.proxy, "generic") in f.joins
            and _about(f, a)
            and a.place.own_cta == f.place.own_cta
        )
    )


@derived
def _fence_enters(g: Graph) -> Relation:
    """A fence that leads from the generic proxy to another, and an access through that one: from the same CTA, or to its shared
    memory."""
    return g.pairs(
        lambda f, b: (
            b.location is not None
            and f.order != "release"
            and ("generic", b.proxy) in f.joins
            and _about(f, b)
            and (b.place.own_cta == f.place.own_cta or (b.space == "shared" and b.owner == f.place.cta))
        )
    )


@derived
def _handed_over(g: Graph) -> Relation:
    """The releasing and the acquiring half of a proxy fence that works in one direction."""
    return g.pairs(
        lambda f, h: f.order == "release" and h.order == "acquire" and bool(set(f.joins) & set(h.joins)) and f.meets(h)
    )


def _enters(x: Execution, base: Relation) -> Relation:
    """From a fence to the accesses through another proxy that it leads to. A fence in one direction has two halves, and begins
    with the releasing one; what is released and acquired by one thread needs no other."""
    g = x.graph
    enters = base & _fence_enters(g)
    halves = g.those(lambda e: bool(e.joins) and e.order == "acquire")
    if not halves:
        return enters
    whole = enters.among(~halves)
    return whole | ((base & _handed_over(g)) >> enters.among(halves))


def _about(fence: Event, access: Event) -> bool:
    """Whether a proxy fence is about the memory of an access."""
    if fence.over is not None and fence.over != access.location:
        return False
    return _of_memory(fence, access.space, access.owner)


def _of_memory(fence: Event, space: str | None, owner: int | None) -> bool:
    """Whether the state space of a fence includes a memory. Shared memory of no CTA that the test names is that of the fence."""
    if fence.about is None or space == "global":
        return "global" in MEMORIES[fence.about]
    here = fence.place.cta
    return space == "shared" and memory_seen(here, here if owner is None else owner) in MEMORIES[fence.about]


@derived
def causality(x: Execution) -> Relation:
    """What is visible to whom (8.9.5): proxy-preserved base causality order, also from a write to what follows those who
    observe it. The first writes come before everything."""
    g = x.graph
    first = g.those(lambda e: e.agent == INIT)
    begun = Relation.product(g.size, first, ~first & ((1 << g.size) - 1))
    return begun | proxy_preserved(x) | (observation(x) >> proxy_preserved(x))


# --- axioms ----------------------------------------------------------------------------------------------------------


Steps = tuple[tuple[str, int, int], ...]
"""A cycle, as steps (relation, from, to)."""


@dataclass(frozen=True, slots=True)
class Violation:
    """Why an execution is none: the axiom that it does not obey, and what finds the cycle that this forbids."""

    axiom: str
    found: Callable[[], Steps]

    @property
    def steps(self) -> Steps:
        """The cycle."""
        return self.found()


def coherence(x: Execution) -> Violation | None:
    """Writes that are related in causality order are in coherence order, and so are morally strong ones, one way or the other
    (8.10.1, 8.9.6). Coherence order has no cycle."""
    g = x.graph
    writes = g.those(lambda e: e.kind == "write")
    for a, b in (causality(x) & overlap(g)).among(writes, writes) - x.coherence:
        return _violation("coherence", *(("causality", a, b), ("not in coherence order", b, a)))
    for a, b in (morally_strong(g) & overlap(g)).among(writes, writes) - (x.coherence | ~x.coherence):
        return _violation("coherence", *(("morally strong", a, b), ("not in coherence order", b, a)))
    return _cycle("coherence", x.coherence.closure(), {"coherence": x.coherence})


def fence_sc(x: Execution) -> Violation | None:
    """Fence-SC order does not contradict causality order (8.10.2), and relates all morally strong fence.sc (8.9.3)."""
    g = x.graph
    fences = g.those(lambda e: e.kind == "fence" and e.order == "sc")
    for a, b in morally_strong(g).among(fences, fences) - (x.fence_order | ~x.fence_order):
        return _violation("fence-sc", *(("morally strong", a, b), ("not in Fence-SC order", b, a)))
    base = base_causality(x)
    found = (x.fence_order >> base).reflexive()
    if found is None:
        return None
    middle = next(bits(x.fence_order.rows[found] & (~base).rows[found]))
    return _violation("fence-sc", *(("Fence-SC", found, middle), ("base causality", middle, found)))


def atomicity(x: Execution) -> Violation | None:
    """Nothing that is morally strong with it comes between the read and the write of an atomic operation (8.10.3).

    Single-copy atomicity, the other half of that section, is about reads of some bytes of a write: here there are none.
    """
    strong = morally_strong(x.graph)
    between = (strong & from_reads(x)) >> (strong & x.coherence)
    for r, w in between & x.graph.rmw:
        middle = next(bits((strong & from_reads(x)).rows[r] & (~(strong & x.coherence)).rows[w]))
        return _violation("atomicity", *(("from-reads", r, middle), ("coherence", middle, w), ("one operation", w, r)))
    return None


def no_thin_air(x: Execution) -> Violation | None:
    """No value is its own reason: reads-from and dependencies have no cycle (8.10.4)."""
    return _cycle(
        "no-thin-air", x.reads_from | x.graph.depends, {"reads-from": x.reads_from, "depends": x.graph.depends}
    )


def sc_per_location(x: Execution) -> Violation | None:
    """Morally strong accesses to one location look sequentially consistent (8.10.5)."""
    strong = morally_strong(x.graph) & communication(x)
    order = local_order(x.graph)
    return _cycle("sc-per-location", strong | order, {"communication": strong, "program order": order})


def causality_axiom(x: Execution) -> Violation | None:
    """A read sees no write that it precedes in causality order, and none that was overwritten by one that precedes it (8.10.6)."""
    for kind, seen in (("reads-from", x.reads_from), ("from-reads", from_reads(x))):
        found = (seen >> causality(x)).reflexive()
        if found is not None:
            middle = next(bits(seen.rows[found] & (~causality(x)).rows[found]))
            return _violation("causality", *((kind, found, middle), ("causality", middle, found)))
    return None


AXIOMS: Final[Mapping[str, Callable[[Execution], Violation | None]]] = {
    "coherence": coherence,
    "fence-sc": fence_sc,
    "atomicity": atomicity,
    "no-thin-air": no_thin_air,
    "sc-per-location": sc_per_location,
    "causality": causality_axiom,
}


def violation(x: Execution) -> Violation | None:
    """The first axiom that the execution does not obey; None: it is allowed."""
    return next((v for axiom in AXIOMS.values() if (v := axiom(x)) is not None), None)


def races(x: Execution) -> Relation:
    """Pairs in a data race (8.7.1): they overlap, one of them writes, and they are neither related in causality order nor
    morally strong."""
    return unsynchronized(x.graph) - (causality(x) | ~causality(x))


@derived
def unsynchronized(g: Graph) -> Relation:
    """Conflicting accesses (8.7.1) that are not morally strong, whatever orders them: without one there is no race."""
    writes = g.those(lambda e: e.kind == "write")
    begun = g.those(lambda e: e.agent != INIT)
    every = (1 << g.size) - 1
    conflict = overlap(g) & (Relation.product(g.size, writes, every) | Relation.product(g.size, every, writes))
    return conflict.among(begun, begun) - morally_strong(g) - _parts(g)


def _parts(g: Graph) -> Relation:
    """The halves of one operation, which do not race with each other."""
    return g.pairs(lambda a, b: a.agent == b.agent and a.site == b.site and a.agent != INIT)


def _violation(axiom: str, *steps: tuple[str, int, int]) -> Violation:
    return Violation(axiom, lambda: steps)


def _cycle(axiom: str, relation: Relation, names: Mapping[str, Relation]) -> Violation | None:
    if relation.acyclic():
        return None

    def steps() -> Steps:
        found = relation.cycle()
        assert found is not None
        return tuple((_named(a, b, names), a, b) for a, b in pairwise(found))

    return Violation(axiom, steps)


def _named(a: int, b: int, names: Mapping[str, Relation]) -> str:
    return next((name for name, relation in names.items() if (a, b) in relation), "causality")
