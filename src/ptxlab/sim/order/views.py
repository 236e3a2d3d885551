"""What a thread knows, or has published, as a value."""

from __future__ import annotations

import operator
from collections.abc import Mapping
from typing import Any, NamedTuple, TypeVar

from ptxlab.isa.order import memory_seen
from ptxlab.sim.order.clocks import START, Clock, joined

K = TypeVar("K")
Memory = tuple[int, str]
"""A CTA that executes a proxy fence, and what that is about: its own shared memory, that of a peer, or global memory."""


def memory_of(cta: int, home: int | None) -> Memory:
    """The shared memory of the CTA `home`, or global memory, as a fence of a CTA is about it."""
    return cta, memory_seen(cta, home)


ANY = -1
"""In the place of a CTA: whichever's shared memory."""


class View(NamedTuple):
    """What a thread knows.

    clock: for accesses through the generic proxy. fenced: what the proxy fences of each CTA have let through (`let_through`).
    inits: the initialisations of mbarriers that fence.mbarrier_init has published. half: what the releasing halves of
    proxy fences of one direction have published. near: by code, what it would know if scopes were wider (PTX9201) or flags strong
    (PTX9202). drained: what mbarriers have told it: reads among it may be followed by asynchronous writes. own: of each memory in
    `fenced`, the time up to which the thread's own accesses have been let through, whichever thread it is: lanes that fence
    together still know the same. What is published has it in `fenced`. shared: what holds for accesses to the shared memory of a
    CTA alone, or of `ANY`, as fences with .sync_restrict hand on no more. freed: what arrivals at mbarriers have told whatever
    their scope: how far threads have come, which operations are over, and, unless the sanitizer is strict, that reads of the
    reader's own shared memory are.
    """

    clock: Clock = START
    fenced: Mapping[Memory, Clock] = {}
    inits: Clock = START
    half: Clock = START
    near: Mapping[str, Clock] = {}
    drained: Clock = START
    own: Mapping[Memory, int] = {}
    shared: Mapping[int, Clock] = {}
    freed: Clock = START

    def let_through(self, cta: int, home: int | None) -> Clock:
        """What asynchronous operations of a CTA know of accesses through the generic proxy to the shared memory of the CTA `home`,
        or to global memory. A fence that is executed in `home` about its own memory will do, too."""
        known = self.fenced.get(memory_of(cta, home), START)
        return known if home is None or home == cta else joined(known, self.fenced.get(memory_of(home, home), START))

    def of_shared(self, cta: int) -> View:
        """What it says of the shared memory of a CTA: for those who access that."""
        if not self.shared:
            return self
        more = joined(self.shared.get(ANY, START), self.shared.get(cta, START))
        return self._replace(clock=joined(self.clock, more), drained=joined(self.drained, more))

    def passed(self) -> Clock:
        """How far it knows threads to have come, whatever the scope of the arrivals that told so."""
        return joined(self.clock, self.freed)

    def freed_in(self, cta: int) -> Clock:
        """What it knows by `freed` to be over in the shared memory of a CTA."""
        times = self.freed.threads.get(cta)
        return Clock({} if times is None else {cta: times}, self.freed.done, self.freed.read)

    def restricted(self, cta: int) -> View:
        """What of it a fence hands on that is about the shared memory of a CTA, or of `ANY`, alone."""
        fenced = {memory: known for memory, known in self.fenced.items() if memory[1] != "global"}
        kept = {k: known for k, known in self.shared.items() if cta == ANY}
        kept[cta] = joined(self.clock, joined(self.shared.get(ANY, START), self.shared.get(cta, START)))
        return View(fenced=fenced, inits=self.inits, half=self.half, shared=kept)


NOTHING = View()


def together(a: View, b: View) -> View:
    """What a thread knows, or has published, and what somebody else has published; one of the two itself where the other adds
    nothing."""
    if a is b or b is NOTHING:
        return a
    if a is NOTHING:
        return b
    clock = a.clock if b.clock is START else joined(a.clock, b.clock)
    inits = a.inits if b.inits is START else joined(a.inits, b.inits)
    half = a.half if b.half is START else joined(a.half, b.half)
    drained = a.drained if b.drained is START else joined(a.drained, b.drained)
    freed = a.freed if b.freed is START else joined(a.freed, b.freed)
    shared, fenced, near = _merged(a.shared, b.shared), _merged(a.fenced, b.fenced), _merged(a.near, b.near)
    alike = fenced is a.fenced and near is a.near and shared is a.shared
    clocks = clock, inits, half, drained, freed
    if alike and all(map(operator.is_, clocks, (a.clock, a.inits, a.half, a.drained, a.freed))):
        return a
    alike = _equal(fenced, b.fenced) and _equal(near, b.near) and not a.own and _equal(shared, b.shared)
    if alike and all(map(operator.is_, clocks, (b.clock, b.inits, b.half, b.drained, b.freed))):
        return b
    return View(clock, fenced, inits, half, near=near, drained=drained, own=a.own, shared=shared, freed=freed)


def _equal(a: Mapping[Any, Any], b: Any) -> bool:
    """Whether two say the same: of clocks, whether they are the same."""
    return a is b or (len(a) == len(b) and a == b)


def _merged(a: Mapping[K, Clock], b: Mapping[K, Clock]) -> Mapping[K, Clock]:
    """What either says; `a` itself where `b` adds nothing."""
    out = a
    for key, known in () if b is a else b.items():
        mine = out.get(key, START)
        more = joined(mine, known)
        out = out if more is mine else {**out, key: more}
    return out


def nearer(near: Mapping[str, Clock], code: str, known: Clock) -> Mapping[str, Clock]:
    """`View.near` with what a thread would know but for what a code says."""
    return _merged(near, {code: known})
