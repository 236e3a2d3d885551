"""Recorded steps get times: an SM as queues, driven by events.

Four schedulers issue one instruction a cycle each. A warp may issue when the stall count of its last instruction is over and the
counters that its next one names are clear, as ptxas has written them; a pipe takes an instruction when it has finished with the
last one. Memory, the tensor cores, copies, barriers and the network of a cluster are queues with a rate and a latency. What a
warp waited for is added up by line and cause.
"""

from __future__ import annotations

import heapq
from collections import Counter, defaultdict, deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from ptxlab.isa.operands import Vec
from ptxlab.ptx.program import Op
from ptxlab.timing.chip import ChipTable, Cost
from ptxlab.timing.steps import ClusterSteps, Facts, Flight, Meeting, Phase

QUARTERS: Final = 4
_GLOBAL: Final = frozenset({"LDG", "LD", "STG", "ST", "ATOM", "ATOMG", "REDG", "RED", "LDL", "STL"})
_SHARED: Final = frozenset({"LDS", "STS", "LDSM", "STSM", "ATOMS"})
_PRODUCTS: Final = frozenset({"HGMMA", "IGMMA", "QGMMA", "BGMMA"})
WIDE_FENCE: Final = "MEMBAR.GPU"
"""A MEMBAR that orders more than what the CTA sees: what its item is called."""
_FENCES: Final = {"MEMBAR": "fence.cta", WIDE_FENCE: "fence.gpu", "FENCE": "fence.proxy"}
_BARRIERS: Final = {"cta": "barrier", "cluster": "network.barrier"}
_CONSTANT: Final = frozenset({"LDC", "S2R", "S2UR", "R2UR", "B2R"})
_SHARED_BYTES: Final = 128
"""Bytes that shared memory reads or writes in a cycle."""
NO_PRODUCT: Final = (0.0, "", 0)
NOTHING: Final = Facts()
_CLEAR: Final = (0.0, "")


@dataclass(frozen=True, slots=True)
class Item:
    """A machine instruction as the replay takes it.

    Attributes:
        name: of its kind. op: the instruction of PTX behind it, -1: none. stall: cycles until the warp's next one.
        written, read: the counters that it sets until its result is there, and until its operands are read. waits: those that
            it waits for.
        cost: see `chip.Cost`. carries: whether what was recorded of `op` happens here.
        product: cycles of a wgmma, 0 for others, whether A lies in "shared" memory or in "registers", and bytes of shared memory.
    """

    name: str
    op: int
    stall: int
    written: tuple[int, ...]
    read: int | None
    waits: tuple[int, ...]
    cost: Cost
    carries: bool
    product: tuple[float, str, int]


@dataclass(frozen=True, slots=True)
class Share:
    """What an SM has of the chip while so many others work.

    Attributes:
        bytes_in, bytes_out: a cycle, from and to L2. memory: a cycle, between L2 and memory.
        missing: the share of bytes that go there.
    """

    bytes_in: float
    bytes_out: float
    memory: float
    missing: float


@dataclass(slots=True)
class Played:
    """What a replay shows.

    Attributes:
        ends: when each CTA that was replayed has ended, in order. stalls: cycles that warps waited, by warp's role (its index
            in the CTA), instruction of PTX and cause. issued: instructions, by PTX instruction. busy: cycles by unit of one SM.
        copied, flying: bytes that copies bring to one SM, and the same times the cycles from their issue to their end.
    """

    ends: list[float] = field(default_factory=list[float])
    stalls: dict[tuple[int, int, str], float] = field(default_factory=lambda: defaultdict(float))
    issued: Counter[int] = field(default_factory=Counter[int])
    busy: dict[str, float] = field(default_factory=lambda: defaultdict(float))
    copied: float = 0.0
    flying: float = 0.0

    @property
    def cycles(self) -> float:
        """Until the last CTA has ended."""
        return max(self.ends, default=0.0)


class _Queue:
    """A unit that takes work one after the other."""

    __slots__ = ("busy", "free")

    def __init__(self) -> None:
        self.free = self.busy = 0.0

    def take(self, now: float, cycles: float) -> float:
        """When work of so many cycles that comes now has been done."""
        self.free = max(self.free, now) + cycles
        self.busy += cycles
        return self.free


class _Sm:
    """The units of an SM."""

    def __init__(self) -> None:
        self.issue = [0.0] * QUARTERS
        self.issued = 0
        self.pipes: list[dict[str, float]] = [defaultdict(float) for _ in range(QUARTERS)]
        self.used: dict[str, float] = defaultdict(float)
        self.shared, self.tensor, self.copies, self.bars = _Queue(), _Queue(), _Queue(), _Queue()
        self.inwards, self.outwards, self.memory = _Queue(), _Queue(), _Queue()
        self.l1, self.phases, self.network = _Queue(), _Queue(), _Queue()

    def read(self, now: float, nbytes: float, share: Share) -> float:
        """When so many bytes have come, latency aside."""
        return max(
            self.inwards.take(now, nbytes / share.bytes_in),
            self.memory.take(now, nbytes * share.missing / share.memory),
        )

    def write(self, now: float, nbytes: float, share: Share) -> float:
        """When so many bytes have gone."""
        return max(
            self.outwards.take(now, nbytes / share.bytes_out),
            self.memory.take(now, nbytes * share.missing / share.memory),
        )


class _Cluster:
    """A cluster under way: its flights, phases and meetings."""

    def __init__(self, steps: ClusterSteps) -> None:
        self.steps = steps
        self.left = sum(len(cta) for cta in steps.warps)
        self.done: dict[int, float] = {}
        self.joined: Counter[int] = Counter()
        self.begins: dict[int, float] = {}
        self.phases: dict[Phase, float] = {}
        self.arrivals: Counter[Phase] = Counter()
        self.came: Counter[Meeting] = Counter()
        self.over: dict[Meeting, float] = {}
        self.latest: dict[Meeting, float] = {}
        self.waiting: dict[object, list[_Warp]] = {}
        self.expected, self.meets = _expected(steps)


class _Warp:
    """A warp under way."""

    __slots__ = ("at", "cluster", "facts", "index", "met", "places", "products", "quarter", "since", "slots", "sm")

    def __init__(
        self,
        cluster: _Cluster,
        sm: _Sm,
        index: int,
        quarter: int,
        places: Sequence[int],
        facts: dict[int, deque[Facts]],
        products: dict[int, deque[int]],
    ) -> None:
        self.cluster, self.sm, self.index, self.quarter = cluster, sm, index, quarter
        self.places, self.facts, self.products = places, facts, products
        self.at = 0
        self.slots: dict[int, tuple[float, str]] = {}
        self.since = 0.0
        self.met: Meeting | None = None


class Replay:
    """Replays clusters on as many SMs as they have CTAs.

    Args:
        chip: what units take. items: the machine code. ways: of each cluster, CTA and warp the places that it executed.
        clusters: in the order in which they start; each SM holds `resident` CTAs at once. share: of the chip.
    """

    def __init__(
        self,
        chip: ChipTable,
        items: Sequence[Item],
        ways: dict[int, list[list[list[int]]]],
        clusters: Sequence[ClusterSteps],
        resident: int,
        share: Share,
    ) -> None:
        self._items, self._ways, self._share = items, ways, share
        self._waiting_clusters = deque(clusters)
        f = self._f = chip.figures
        self._turn = f["launch.turn" if len(clusters[0].warps) == 1 else "launch.cluster_turn"]
        self._far = share.missing * (f["memory.latency"] - f["l2.latency"])
        self._sms = [_Sm() for _ in clusters[0].warps]
        self._heap: list[tuple[float, int, _Warp]] = []
        self._count = 0
        self._slot = 0
        self.played = Played()
        for _ in range(min(resident, len(clusters))):
            self._start(0.0)

    def run(self) -> Played:
        """Replay all. Where warps wait for what nobody does, clusters are missing among the ends."""
        heap = self._heap
        while heap:
            now, _, warp = heapq.heappop(heap)
            self._step(warp, now)
        played = self.played
        if played.ends:  # a grid is over when what it has written is
            played.ends[-1] = max(played.ends[-1], *(max(sm.outwards.free, sm.memory.free) for sm in self._sms))
        for sm in self._sms[:1]:
            played.busy |= {
                "issue": sm.issued / QUARTERS,
                "shared memory": sm.shared.busy,
                "tensor cores": sm.tensor.busy,
            }
            played.busy |= {
                "reads": sm.inwards.busy,
                "writes": sm.outwards.busy,
                "memory": sm.memory.busy,
                "copies": sm.copies.busy,
                "network": sm.network.busy,
            }
            played.busy |= {f"{pipe} pipe": cycles / QUARTERS for pipe, cycles in sm.used.items() if pipe != "none"}
        return played

    # -- CTAs
    def _start(self, now: float) -> None:
        if not self._waiting_clusters:
            return
        steps = self._waiting_clusters.popleft()
        cluster = _Cluster(steps)
        for rank, cta in enumerate(steps.warps):
            for index, warp in enumerate(cta):
                facts: dict[int, deque[Facts]] = {}
                for at in sorted(warp.facts):
                    if at < len(warp.ops):
                        facts.setdefault(warp.ops[at], deque()).append(warp.facts[at])
                products = {op: deque(numbers) for op, numbers in warp.products.items()}
                places = self._ways[steps.index][rank][index]
                one = _Warp(
                    cluster,
                    self._sms[rank],
                    index,
                    (self._slot + index) % QUARTERS,
                    places=places,
                    facts=facts,
                    products=products,
                )
                self._push(one, now)
        self._slot += len(steps.warps[0])

    def _push(self, warp: _Warp, when: float) -> None:
        self._count += 1
        heapq.heappush(self._heap, (when, self._count, warp))

    def _ends(self, warp: _Warp, now: float) -> None:
        cluster = warp.cluster
        cluster.left -= 1
        if not cluster.left:
            self.played.ends.append(now)
            self._start(now + self._turn)

    # -- instructions
    def _step(self, warp: _Warp, now: float) -> None:
        if warp.at >= len(warp.places):
            self._ends(warp, now)
            return
        item = self._items[warp.places[warp.at]]
        for slot in item.waits:
            until, cause = warp.slots.get(slot, _CLEAR)
            if until > now:
                self._stall(warp, item, until - now, cause)
                self._push(warp, until)
                return
        facts = self._facts(warp, item)
        if facts is not NOTHING and self._blocked(warp, item, facts, now):
            return
        sm, quarter = warp.sm, warp.quarter
        pipe = sm.pipes[quarter]
        free = max(sm.issue[quarter], pipe[item.cost.pipe] if item.cost.pipe != "none" else 0.0)
        if free > now:
            self._stall(warp, item, free - now, "issue" if free == sm.issue[quarter] else f"{item.cost.pipe} pipe")
            self._push(warp, free)
            return
        sm.issue[quarter] = now + 1
        sm.issued += 1
        if item.cost.pipe != "none":
            interval = max(item.cost.interval, self._f["shared.quarter"] * facts.wavefronts)
            if sm.tensor.free > now:  # products read and write registers, too: what is under way waits for it
                beside = self._f["issue.beside_products"]
                interval += beside
                for other, until in pipe.items():
                    if until > now:
                        pipe[other] = until + beside
            pipe[item.cost.pipe] = now + interval
            sm.used[item.cost.pipe] += interval
        self.played.issued[item.op] += 1
        warp.at += 1
        if facts is not NOTHING:
            warp.facts[item.op].popleft()
            warp.met = None
        behind = self._execute(warp, item, facts, now)
        self._push(warp, max(now + max(item.stall, 1), behind))

    def _facts(self, warp: _Warp, item: Item) -> Facts:
        if not item.carries:
            return NOTHING
        queue = warp.facts.get(item.op)
        return queue[0] if queue else NOTHING

    def _stall(self, warp: _Warp, item: Item, cycles: float, cause: str) -> None:
        self.played.stalls[warp.index, item.op, cause] += cycles

    # -- waits
    def _blocked(self, warp: _Warp, item: Item, facts: Facts, now: float) -> bool:
        cluster = warp.cluster
        for phase in facts.passes:
            left = cluster.expected.get(phase, 0) - cluster.arrivals[phase]
            if left > 0:
                self._wait(warp, item, phase, now, "mbarrier")
                return True
            if cluster.phases.get(phase, 0.0) > now:
                self._until(warp, item, cluster.phases[phase], now, "mbarrier")
                return True
        for number in facts.waits:
            until = cluster.done.get(number)
            cause = "tensor cores" if cluster.steps.flights[number].kind == "mma" else "copies"
            if until is None:
                self._wait(warp, item, number, now, cause)
                return True
            if until > now:
                self._until(warp, item, until, now, cause)
                return True
        return self._meets(warp, item, facts, now)

    def _meets(self, warp: _Warp, item: Item, facts: Facts, now: float) -> bool:
        """A barrier: who comes is counted once; who stays goes on when all have come."""
        meeting, cluster = facts.meets, warp.cluster
        if meeting is None:
            return False
        waits_only = meeting.scope == "cluster" and facts.stays
        if warp.met != meeting and not waits_only:
            warp.met = meeting
            came = warp.sm.bars.take(now, self._f["barrier.interval"])
            cluster.came[meeting] += 1
            cluster.latest[meeting] = max(cluster.latest.get(meeting, 0.0), came)
            if cluster.came[meeting] >= cluster.meets[meeting]:
                cluster.over[meeting] = cluster.latest[meeting] + self._f[f"{_BARRIERS[meeting.scope]}.latency"]
                self._wake(cluster, meeting, cluster.over[meeting])
        if not facts.stays:
            return False
        over = cluster.over.get(meeting)
        if over is None:
            self._wait(warp, item, meeting, now, "barrier")
            return True
        if over > now:
            self._until(warp, item, over, now, "barrier")
            return True
        return False

    def _until(self, warp: _Warp, item: Item, until: float, now: float, cause: str) -> None:
        self._stall(warp, item, until - now, cause)
        self._push(warp, until)

    def _wait(self, warp: _Warp, item: Item, key: object, now: float, cause: str) -> None:
        warp.since = now
        warp.cluster.waiting.setdefault((key, item.op, cause), []).append(warp)

    def _wake(self, cluster: _Cluster, key: object, when: float) -> None:
        for waiting in [w for w in cluster.waiting if w[0] == key]:  # type: ignore[index]
            _, op, cause = waiting  # type: ignore[misc]
            for warp in cluster.waiting.pop(waiting):
                self.played.stalls[warp.index, op, cause] += max(0.0, when - warp.since)
                self._push(warp, max(when, warp.since))

    # -- what instructions do
    def _execute(self, warp: _Warp, item: Item, facts: Facts, now: float) -> float:
        """Start what an instruction does. Returns before when the warp may not go on."""
        name, cause, behind = item.name, "latency" if item.cost.pipe == "none" else f"{item.cost.pipe} pipe", 0.0
        done = now + item.cost.latency
        read = now + 8.0
        if name in _PRODUCTS:
            self._product(warp, item, now)
        elif facts.remote:
            done, cause = self._remote(warp.sm, facts, now, out=name[0] == "S"), "network"
            read = warp.sm.network.free
        elif name in _GLOBAL and not facts.wavefronts:
            done, cause = self._global(warp.sm, facts, now, out=name[0] == "S" or name.startswith("RED")), "memory"
            read = warp.sm.l1.free
        elif name in _SHARED or name in _GLOBAL:
            took = warp.sm.shared.take(now, max(1, facts.wavefronts) * self._f["shared.wavefront"])
            done, cause = took + self._f["shared.latency"] - 1, "shared memory"
            read = took
        elif name == "SYNCS":
            done += warp.sm.phases.take(now, self._f["mbarrier.interval"]) - now
        elif name in _FENCES:
            behind = now + self._f[_FENCES[name]]
        elif name in _CONSTANT:
            cause = "constants and special registers"
        for number in facts.issues:
            self._fly(warp, number, now, by_threads=name == "STAS")
        for phase in facts.arrives:
            self._arrives(warp.cluster, phase, now + self._way(warp.sm, phase))
        for slot in item.written:
            self._set(warp, slot, done, cause)
        if item.read is not None:
            self._set(warp, item.read, max(read, now + 2), cause)
        return behind

    def _way(self, sm: _Sm, phase: Phase) -> float:
        """Cycles from an arrival to the mbarrier."""
        return self._f["mbarrier.latency"] / 2 if sm is self._sms[phase.rank] else self._f["network.arrival"]

    def _set(self, warp: _Warp, slot: int, until: float, cause: str) -> None:
        if until > warp.slots.get(slot, _CLEAR)[0]:
            warp.slots[slot] = until, cause

    def _global(self, sm: _Sm, facts: Facts, now: float, *, out: bool) -> float:
        """When an access of a warp to global memory is over."""
        nbytes = 32.0 * facts.sectors
        at = sm.l1.take(now, max(1.0, facts.sectors / 4))
        if not facts.sectors:
            return at + self._f["l1.latency"]
        if out:
            return sm.write(at, nbytes, self._share)
        missed = 32.0 * (facts.sectors - facts.again)
        if not missed:
            return at + self._f["l1.latency"]
        return sm.read(at, missed, self._share) + self._f["l2.latency"] + self._far

    def _remote(self, sm: _Sm, facts: Facts, now: float, *, out: bool) -> float:
        """When an access of a warp to the shared memory of other CTAs is over."""
        rate = self._f["network.store_bytes_per_cycle" if out else "network.load_bytes_per_cycle"]
        return sm.network.take(now, facts.remote / rate) + (0.0 if out else self._f["network.latency"])

    def _product(self, warp: _Warp, item: Item, now: float) -> None:
        numbers = warp.products.get(item.op)
        if not numbers:
            return
        number, cluster = numbers.popleft(), warp.cluster
        cluster.joined[number] += 1
        cluster.begins[number] = max(cluster.begins.get(number, 0.0), now)
        if cluster.joined[number] == cluster.steps.flights[number].warps:
            begin = cluster.begins.pop(number)
            operands = warp.sm.shared.take(begin, item.product[2] / _SHARED_BYTES)
            end = max(warp.sm.tensor.take(begin, item.product[0]), operands)
            self._land(cluster, number, end + self._f[f"wgmma.latency.{item.product[1]}"])

    def _fly(self, warp: _Warp, number: int, now: float, *, by_threads: bool) -> None:
        """A copy starts. by_threads: it is a store that does not go by the copy engine."""
        cluster, sm, f = warp.cluster, warp.sm, self._f
        flight = cluster.steps.flights[number]
        if flight.kind == "arrive":
            self._land(cluster, number, now + max((self._way(sm, phase) for phase in flight.completes), default=0.0))
            return
        if by_threads:
            self._land(
                cluster,
                number,
                sm.network.take(now, flight.nbytes / f["network.store_bytes_per_cycle"]) + f["network.copy_latency"],
            )
            return
        begin = max(now, sm.copies.free)
        took = flight.nbytes / f["bulk.bytes_per_cycle"]
        sm.copies.take(begin, max(f["bulk.interval"], took))
        engine = begin + took
        if flight.kind == "in":
            end = max(engine, sm.read(begin, flight.nbytes, self._share)) + f["bulk.latency"] + self._far
            if sm is self._sms[0]:
                self.played.copied += flight.nbytes
                self.played.flying += flight.nbytes * (end - now)
        elif flight.kind == "out":
            end = max(engine, sm.write(begin, flight.nbytes, self._share)) + f["bulk.latency"] / 2
        else:
            end = sm.network.take(begin, flight.nbytes / f["network.copy_bytes_per_cycle"]) + f["network.copy_latency"]
        self._land(cluster, number, end)

    def _land(self, cluster: _Cluster, number: int, when: float) -> None:
        cluster.done[number] = when
        for phase in cluster.steps.flights[number].completes:
            self._arrives(cluster, phase, when)
        self._wake(cluster, number, when)

    def _arrives(self, cluster: _Cluster, phase: Phase, when: float) -> None:
        cluster.arrivals[phase] += 1
        cluster.phases[phase] = max(cluster.phases.get(phase, 0.0), when)
        if cluster.arrivals[phase] == cluster.expected.get(phase, 0):
            self._wake(cluster, phase, cluster.phases[phase])


def _expected(steps: ClusterSteps) -> tuple[Counter[Phase], Counter[Meeting]]:
    """How many arrivals and ends of copies each phase has, and how many warps come to each barrier."""
    phases: Counter[Phase] = Counter()
    meets: Counter[Meeting] = Counter()
    for cta in steps.warps:
        for warp in cta:
            for facts in warp.facts.values():
                phases.update(facts.arrives)
                if facts.meets is not None and not (facts.meets.scope == "cluster" and facts.stays):
                    meets[facts.meets] += 1
    for flight in steps.flights.values():
        phases.update(flight.completes)
    return phases, meets


def flights_of(steps: ClusterSteps, kind: str) -> list[Flight]:
    """The operations of a kind."""
    return [flight for flight in steps.flights.values() if flight.kind == kind]


_DEPTH_BYTES: Final = 32
"""Bytes of a row of A or B that a wgmma multiplies, of every type."""


def product_of(op: Op, chip: ChipTable) -> tuple[float, str, int]:
    """Cycles of the tensor cores for a wgmma, where its A lies, and bytes of shared memory that it reads."""
    n = int(str(op.inst.mods["shape"]).split("n")[1].split("k")[0])
    source = "registers" if isinstance(op.inst.operands.get("a"), Vec) else "shared"
    rows = n if source == "registers" else n + 64
    return chip.product(source, n)[0], source, rows * _DEPTH_BYTES
