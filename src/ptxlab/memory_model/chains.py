"""Random tests in which one location goes from thread to thread: accesses, and the hand-overs between them.

Whoever waits waits for something that is done before, so that no chain can hang: what is left out or drawn wrong are fences, waits,
scopes and orders.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Final

_TRIES: Final = 12
_WIDER: Final = {"cta": ("cta", "cluster", "gpu"), "cluster": ("cluster", "gpu"), "gpu": ("gpu", "sys")}
_NARROWER: Final = {"cta": ("cta",), "cluster": ("cta",), "gpu": ("cta", "cluster")}
_TX: Final = "mbarrier::complete_tx::bytes"


@dataclass(slots=True)
class _Hop:
    """What a hop adds: cells of threads, names that they need, registers that are asked for.

    Attributes:
        completes: the mbarrier that an operation completes on, and the CTA in which that lies. waited: those that were waited for.
        proxy: of the access.
    """

    cells: list[tuple[int, str]] = field(default_factory=list[tuple[int, str]])
    init: list[str] = field(default_factory=list[str])
    shown: list[str] = field(default_factory=list[str])
    cost: int = 0
    completes: tuple[str, int] | None = None
    waited: list[str] = field(default_factory=list[str])
    proxy: str = "generic"

    def add(self, thread: int, *cells: str, cost: int = 1) -> None:
        """Instructions of a thread, each of which counts as so many events."""
        self.cells += [(thread, c) for c in cells]
        self.cost += cost * len(cells)


class Chain:
    """A test under way."""

    def __init__(self, r: random.Random, threads: int, events: int, *, fenced: bool = False) -> None:
        self.r, self.left, self.fenced = r, events, fenced
        self.threads = r.randint(min(2, threads), threads)
        self.layout = r.choice(("cta", "cluster") if fenced else ("cta", "cta", "cluster", "gpu"))
        self.ctas = [0] * self.threads
        if self.layout != "cta":
            self.ctas = [n % 2 for n in range(self.threads)]
        self.shared = self.layout != "gpu" and r.random() < 0.6
        self.name = "s" if self.shared else "x"
        self.columns: list[list[str]] = [[] for _ in range(self.threads)]
        self.init: list[str] = [".shared s @ cta 0 = 0;" if self.shared else "x = 0;"]
        self.shown: list[str] = [] if self.shared else ["x"]
        self.pending: dict[str, int] = {}
        self.count = 0
        self.value = 0

    def parts(self) -> tuple[str, list[str], list[list[str]], list[str]]:
        """What there is at the start, where threads run, their instructions, and what is asked for."""
        here, hop = self._drawn(None)
        while hop is not None:
            here, hop = self._drawn((here, hop))
        self._end()
        if not self.shown:  # a test that reads nothing asks for a register, which then has to be one
            self.init.append("P0:r0 = 0;")
        return " ".join(self.init), self._places(), self.columns, self.shown or ["P0:r0"]

    def _end(self) -> None:
        """Shared memory has to stay until all operations are done with it. Waits at the end, which order nothing that matters."""
        for name, cta in self.pending.items():
            thread, number = self.ctas.index(cta), self._fresh()
            wait = f"mbarrier.try_wait.parity.relaxed.cta.shared::cta.b64 p{number}, [{name}], 0"
            self.columns[thread] += [f"LC{number}: {wait}", f"beq p{number}, 0, LC{number}"]
        for column in self.columns:
            ends = [i for i, c in enumerate(column) if "wait_group" in c]
            if any("bulk_group" in c for c in column[ends[-1] if ends else 0 :]):
                column += ["cp.async.bulk.commit_group", "cp.async.bulk.wait_group.read 0"]
            if any(c.startswith("cp.async.ca") for c in column) and column[-1] != "cp.async.wait_all":
                column.append("cp.async.wait_all")

    def _places(self) -> list[str]:
        cluster = "cluster 0," if self.layout == "cluster" else ""
        return [f"cta {c},{cluster}gpu 0" for c in self.ctas]

    def _drawn(self, last: tuple[int, _Hop] | None) -> tuple[int, _Hop | None]:
        """The next hop behind the last one, and where it ends; None where nothing fits into what is left."""
        for _ in range(_TRIES):
            there, hop = self._first() if last is None else self._hop(*last)
            if hop.cost <= self.left:
                self._take(hop)
                return there, hop
        return 0, None

    def _take(self, hop: _Hop) -> None:
        self.left -= hop.cost
        for name in hop.waited:
            self.pending.pop(name, None)
        if hop.completes is not None:
            self.pending[hop.completes[0]] = hop.completes[1]
        for thread, cell in hop.cells:
            self.columns[thread].append(cell)
        self.init += hop.init
        self.shown += hop.shown

    def _fresh(self) -> int:
        self.count += 1
        return self.count

    def _likely(self, chance: float = 0.7) -> bool:
        return self.r.random() < chance

    # --- a hop: the hand-over from the last access, and the next one -------------------------------------------------

    def _first(self) -> tuple[int, _Hop]:
        hop, here = _Hop(), self.r.randrange(self.threads)
        self._access(hop, here, hop)
        return here, hop

    def _hop(self, here: int, last: _Hop) -> tuple[int, _Hop]:
        hop, there = _Hop(), self.r.randrange(self.threads)
        if last.proxy == "generic" and self._likely(0.25):
            hop.add(here, self._proxy_fence())
        self._over(hop, here, there, last)
        self._access(hop, there, last)
        return there, hop

    def _over(self, hop: _Hop, here: int, there: int, last: _Hop) -> None:
        """From one thread to another, so that what was done is visible, or not."""
        if last.completes is not None:
            name, cta = last.completes
            waiter = there if self.ctas[there] == cta else here
            if self.ctas[waiter] == cta and self._likely(0.8):
                self._wait(hop, waiter, here, name)
                hop.waited.append(name)
                if waiter == there:
                    return
        if here == there or not self._likely(0.9):
            return
        near = self.ctas[here] == self.ctas[there]
        ways: list[Callable[[_Hop, int, int], None]] = [self._mbarrier if self.fenced else self._flag]
        if near:
            ways += [self._bar, self._mbarrier]
        elif self.layout == "cluster":
            ways += [self._mbarrier, self._cluster]
        self.r.choice(ways)(hop, here, there)

    def _scope(self, here: int, there: int) -> str:
        """A scope that holds both threads, or, now and then, one that is too small."""
        needed = "cta" if self.ctas[here] == self.ctas[there] else self.layout
        return self.r.choice((_WIDER if self._likely(0.8) else _NARROWER)[needed])

    def _flag(self, hop: _Hop, here: int, there: int) -> None:
        number = self._fresh()
        hop.init.append(f"f{number} = 0;")
        release, acquire = self._scope(here, there), self._scope(here, there)
        if self._likely(0.7):
            order = "release" if self._likely(0.85) else "relaxed"
            hop.add(here, f"st.{order}.{release} f{number}, 1")
        else:
            hop.add(here, f"fence.acq_rel.{release}", f"st.relaxed.{release} f{number}, 1")
        order = "acquire" if self._likely(0.85) else "relaxed"
        hop.add(there, f"LC{number}: ld.{order}.{acquire} q{number}, f{number}")
        hop.add(there, f"bne q{number}, 1, LC{number}", cost=0)
        if order == "relaxed" and self._likely(0.6):
            hop.add(there, f"fence.acq_rel.{acquire}")

    def _bar(self, hop: _Hop, here: int, there: int) -> None:
        number = self._fresh()
        hop.add(here, f"bar.cta.{'sync' if self._likely(0.5) else 'arrive'} {number}")
        hop.add(there, f"bar.cta.sync {number}")

    def _cluster(self, hop: _Hop, here: int, there: int) -> None:
        """All threads of the cluster meet."""
        del here, there
        order = "" if self._likely(0.8) else ".relaxed"
        for thread in range(self.threads):
            cost = 1 if thread == 0 else 0
            hop.add(thread, f"barrier.cluster.arrive{order}", "barrier.cluster.wait", cost=cost)

    def _mbarrier(self, hop: _Hop, here: int, there: int) -> None:
        name = self._new_mbarrier(hop, self.ctas[there])
        order = "release" if self._likely(0.15 if self.fenced else 0.85) else "relaxed"
        scope = "cluster" if self._scope(here, there) != "cta" else "cta"
        if self.fenced and order == "relaxed" and self._likely(0.85):
            hop.add(here, self._fence("release"))
        space = "cta" if self.ctas[here] == self.ctas[there] else "cluster"
        hop.add(here, f"mbarrier.arrive.{order}.{scope}.shared::{space}.b64 _, [{name}]")
        self._wait(hop, there, here, name)

    def _new_mbarrier(self, hop: _Hop, cta: int) -> str:
        name = f"m{self._fresh()}"
        hop.init.append(f".mbarrier {name} @ cta {cta} = 1;")
        return name

    def _wait(self, hop: _Hop, thread: int, other: int, name: str) -> None:
        """A loop until the mbarrier's first phase is over."""
        number = self._fresh()
        order = "acquire" if self._likely(0.15 if self.fenced else 0.85) else "relaxed"
        scope = "cluster" if self._scope(thread, other) != "cta" else "cta"
        wait = f"mbarrier.try_wait.parity.{order}.{scope}.shared::cta.b64 p{number}, [{name}], 0"
        hop.add(thread, f"LC{number}: {wait}")
        hop.add(thread, f"beq p{number}, 0, LC{number}", cost=0)
        if self.fenced and order == "relaxed" and self._likely(0.85):
            hop.add(thread, self._fence("acquire"))

    def _fence(self, order: str) -> str:
        """A fence of one direction, of shared memory alone or of all."""
        if self._likely(0.5):
            space = {"release": "shared::cta", "acquire": "shared::cluster"}[order]
            return f"fence.{order}.sync_restrict::{space}.cluster"
        return f"fence.{order}.{self.r.choice(('cta', 'cluster', 'cluster', 'gpu'))}"

    def _proxy_fence(self) -> str:
        space = self.r.choice(("", "", "", ".global", ".shared::cta"))
        return f"fence.proxy.async{space}"

    # --- accesses ----------------------------------------------------------------------------------------------------

    def _access(self, hop: _Hop, thread: int, last: _Hop) -> None:
        if self._likely(0.5):
            self._ordinary(hop, thread)
            return
        near = self.ctas[thread] == 0 or not self.shared
        if last.proxy == "generic" and self._likely(0.5):
            hop.add(thread, self._proxy_fence())
        ways: Sequence[Callable[[_Hop, int], None]]
        if not near:
            ways = (self._st_async, self._red_async, self._between_ctas)
        elif self.shared:
            ways = (self._bulk_load, self._bulk_store, self._cp_async)
        else:
            ways = (self._bulk_load, self._bulk_store, self._bulk_reduce, self._cp_async)
        self.r.choice(ways)(hop, thread)

    def _ordinary(self, hop: _Hop, thread: int) -> None:
        name = self.name
        order = "weak" if self._likely(0.8) else f"relaxed.{self._scope(0, thread)}"
        match self.r.choice(("ld", "ld", "st", "st", "atom", "red")):
            case "ld":
                register = f"r{self._fresh()}"
                hop.add(thread, f"ld.{order} {register}, {name}")
                hop.shown.append(f"P{thread}:{register}")
            case "st":
                self.value += 1
                hop.add(thread, f"st.{order} {name}, {self.value}")
            case "atom":
                register = f"r{self._fresh()}"
                hop.add(thread, f"atom.relaxed.{self._scope(0, thread)}.add {register}, {name}, 1", cost=2)
                hop.shown.append(f"P{thread}:{register}")
            case _:
                hop.add(thread, f"red.relaxed.{self._scope(0, thread)}.add {name}, 1", cost=2)

    def _other(self, hop: _Hop, thread: int, *, shared: bool, shown: bool) -> str:
        """Memory that nobody else accesses, for the other end of a copy."""
        number = self._fresh()
        if shared:
            hop.init.append(f".shared t{number} @ cta {self.ctas[thread]} = {10 + number};")
            return f"t{number}"
        hop.init.append(f"y{number} = {10 + number};")
        if shown:
            hop.shown.append(f"y{number}")
        return f"y{number}"

    def _announced(self, hop: _Hop, thread: int, cta: int, bytes_: int) -> str:
        """An mbarrier that expects these bytes."""
        name = self._new_mbarrier(hop, cta)
        near = self.ctas[thread] == cta
        scope, space = ("cta", "cta") if near else ("cluster", "cluster")
        hop.add(thread, f"mbarrier.arrive.expect_tx.relaxed.{scope}.shared::{space}.b64 _, [{name}], {bytes_}")
        hop.completes = (name, cta)
        return name

    def _bulk_load(self, hop: _Hop, thread: int) -> None:
        """Into shared memory: a write of s, or a read of x."""
        hop.proxy = "async"
        other = self._other(hop, thread, shared=not self.shared, shown=False)
        target, source = (self.name, other) if self.shared else (other, self.name)
        barrier = self._announced(hop, thread, self.ctas[thread], 16)
        hop.add(thread, f"cp.async.bulk.shared::cta.global.{_TX} [{target}], [{source}], 16, [{barrier}]", cost=2)

    def _bulk_store(self, hop: _Hop, thread: int) -> None:
        """Out of shared memory: a read of s, or a write of x."""
        hop.proxy = "async"
        other = self._other(hop, thread, shared=not self.shared, shown=True)
        target, source = (other, self.name) if self.shared else (self.name, other)
        hop.add(thread, f"cp.async.bulk.global.shared::cta.bulk_group [{target}], [{source}], 16", cost=2)
        self._group(hop, thread)

    def _bulk_reduce(self, hop: _Hop, thread: int) -> None:
        hop.proxy = "async"
        other = self._other(hop, thread, shared=True, shown=False)
        operation = "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32"
        hop.add(thread, f"{operation} [{self.name}], [{other}], 16", cost=2)
        self._group(hop, thread)

    def _group(self, hop: _Hop, thread: int) -> None:
        if self._likely(0.85):
            hop.add(thread, "cp.async.bulk.commit_group", cost=0)
        if self._likely(0.85):
            hop.add(thread, f"cp.async.bulk.wait_group{'' if self._likely(0.6) else '.read'} 0")

    def _cp_async(self, hop: _Hop, thread: int) -> None:
        other = self._other(hop, thread, shared=not self.shared, shown=False)
        target, source = (self.name, other) if self.shared else (other, self.name)
        hop.add(thread, f"cp.async.ca.shared.global [{target}], [{source}], 4", cost=2)
        if self._likely(0.3):
            name = self._new_mbarrier(hop, self.ctas[thread])
            hop.add(thread, f"cp.async.mbarrier.arrive.noinc.shared.b64 [{name}]")
            hop.completes = (name, self.ctas[thread])
        elif self._likely(0.8):
            hop.add(thread, "cp.async.wait_all")

    def _st_async(self, hop: _Hop, thread: int) -> None:
        hop.proxy = "async"
        barrier = self._announced(hop, thread, 0, 4)
        self.value += 1
        hop.add(thread, f"st.async.weak.shared::cluster.{_TX}.b32 [{self.name}], {self.value}, [{barrier}]", cost=2)

    def _red_async(self, hop: _Hop, thread: int) -> None:
        hop.proxy = "async"
        barrier = self._announced(hop, thread, 0, 4)
        operation = f"red.async.relaxed.cluster.shared::cluster.{_TX}.add.u32"
        hop.add(thread, f"{operation} [{self.name}], 1, [{barrier}]", cost=2)

    def _between_ctas(self, hop: _Hop, thread: int) -> None:
        """A bulk copy from the thread's own shared memory into that of CTA 0."""
        hop.proxy = "async"
        other = self._other(hop, thread, shared=True, shown=False)
        barrier = self._announced(hop, thread, 0, 16)
        operation = f"cp.async.bulk.shared::cluster.shared::cta.{_TX}"
        hop.add(thread, f"{operation} [{self.name}], [{other}], 16, [{barrier}]", cost=2)
