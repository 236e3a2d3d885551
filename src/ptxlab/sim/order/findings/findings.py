"""Findings of the sanitizer in words: who, where, which bytes, why nothing orders the two, and the way out."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ptxlab.abi.record import Dim3
from ptxlab.diag import Access, Diagnostic, Memory, Severity
from ptxlab.isa.extents import Rows
from ptxlab.layout.fragments import ldmatrix
from ptxlab.sim.engine.machine.deadlock import where
from ptxlab.sim.engine.machine.faults import shared_name
from ptxlab.sim.engine.machine.observer import Observed
from ptxlab.sim.engine.machine.operation import Place
from ptxlab.sim.engine.machine.resident import Cta
from ptxlab.sim.engine.machine.trap import TrapContext
from ptxlab.sim.order.checks import Clash
from ptxlab.sim.order.findings.elements import in_shared, memory_at, named
from ptxlab.sim.order.findings.flags import Between, Flags
from ptxlab.sim.order.findings.overruns import Overruns
from ptxlab.sim.order.findings.unwaited import ISSUED_TOO_EARLY, Unwaited
from ptxlab.sim.order.places import Reached
from ptxlab.sim.order.shadow import OPERATION, WRITE_TIME, WRITER, Kind, Region
from ptxlab.sim.order.threads import Threads

if TYPE_CHECKING:
    from ptxlab.ptx.program import Op
    from ptxlab.sim.engine.machine.resident import Warp
    from ptxlab.sim.order.clocks import Clock
    from ptxlab.sim.order.earlier import Instead

MBARRIER_BYTES = 8
WAITS = {
    "cp.async-group": "cp.async.wait_group",
    "bulk-group": "cp.async.bulk.wait_group",
    "wgmma-group": "wgmma.wait_group",
    "mbarrier": "mbarrier.try_wait",
}
"""By how an operation ends, what waits for it."""


@dataclass(eq=False, slots=True)
class TooEarly:
    """A finding that an mbarrier may explain: it has let a thread go on before the other one has arrived.

    Attributes:
        late: CTA and number of the thread that arrives too late, or has issued the operation. by: the same of who goes on.
        fresh: whether nobody has looked at the mbarriers yet.
    """

    found: Diagnostic
    late: tuple[int, int]
    by: tuple[int, int]
    fresh: bool = True


class Findings:
    """Takes what clashes, tells it once for each pair of instructions, and counts the rest.

    Args:
        strict: tell also of threads of a CTA that write the same value to the same bytes.

    Attributes:
        too_early: findings that the count of an mbarrier may explain. unwaited: those that a missing wait may explain.
        early: which load of a thread, or of one that it knows of, may have found less.
        flags: what threads have stored to flags and found there. at: the warp and the instruction at hand. reached: which bytes it
            reaches. updates: of stores that end an update of two instructions, by their number, that of the load.
    """

    def __init__(self, machine: Observed, threads: Threads, *, strict: bool = False) -> None:
        self._machine, self._threads, self._strict = machine, threads, strict
        self.reached: Reached | None = None
        self.at: tuple[Warp, Op] | None = None
        self.updates: Mapping[int, int] = {}
        self._known: dict[tuple[str, int, int], Diagnostic] = {}
        self._early: dict[int, tuple[Region, int, int]] = {}
        self.too_early: list[TooEarly] = []
        self.unwaited, self._overruns = Unwaited(machine), Overruns(machine)
        self.early: Callable[[int, Clock], Instead | None] | None = None
        self.flags = Flags(threads, self._op, _place_of)

    def clash(self, clash: Clash) -> bool:
        """Two accesses that nothing orders. Returns: whether that is no matter, as both store one value."""
        before = Kind.of(clash.past.info)
        code = _code(clash, before, self._threads)
        if code == "PTX9200" and clash.writes and clash.past.writes and not self._strict and self._same_value(clash):
            return True
        if code == "PTX9215" and not self._strict and self._same_copy(clash):
            return True
        if {(code, before.site, clash.kind.site), (code, clash.kind.site, before.site)} & self._known.keys():
            return False
        first, second = self._op(before.site), self._op(clash.kind.site)
        memory, where = self._bytes(clash.region, clash.granule)
        who, earlier = self.who(clash.agent), self.who(clash.culprit)
        does = "writes" if clash.writes else "reads"
        did = "writes" if clash.past.writes else "reads"
        said = did
        if code in ("PTX9210", "PTX9211") and clash.past.agent & OPERATION:
            said = "may still be writing" if clash.past.writes else "may still be reading"
        why = _why(code, before, clash.kind)
        message = f"`{second.inst.opcode}` {does} {where}, which `{first.inst.opcode}` {said}, {why}"
        notes = [f"{who}: `{second.text}`", f"earlier, {earlier}: `{first.text}`"]
        found = self._add(code, message, notes, first, second, (before.site, clash.kind.site))
        found.why = why.removeprefix("and ")
        if code in ("PTX9210", "PTX9211"):
            found.help = self._read_of_a_copy(clash, found) or self._order(clash, first, found.help)
        if code in ("PTX9200", "PTX9210", "PTX9211", "PTX9215"):
            one, other = self._thread(clash.culprit), self._thread(clash.agent)
            self.too_early += [TooEarly(found, one, other), TooEarly(found, other, one)]
        self._past_its_end(found, clash, second, first)
        found.memory = memory
        found.accesses = (
            self._access(clash.agent, second, does),
            self._access(clash.culprit, first, did),
        )
        self._causes(found, clash, memory.array)
        return False

    def _past_its_end(self, found: Diagnostic, clash: Clash, *ops: Op) -> None:
        """Say so where one of two accesses to shared memory runs out of the array that it counts from."""
        if not isinstance(clash.region.key, Cta):
            return
        for op in ops:
            missed = self._overruns.past(op, clash.granule * clash.region.granule)
            if missed is not None:
                found.notes, found.help = (*found.notes, missed[0]), missed[1]
                return

    def _causes(self, found: Diagnostic, clash: Clash, array: str | None) -> None:
        """Say so where a flag comes between two accesses of threads, and why it does not order them.

        Findings have one cause where one flag fails them, or where they are about one array, and who comes later knows the same.
        """
        times = clash.known.threads.get(self._thread(clash.culprit)[0])
        knows = b"" if times is None else times.tobytes()
        memory = clash.region.key.index if isinstance(clash.region.key, Cta) else clash.region.base
        found.cause = (found.code, clash.past.writes and clash.writes, memory, array, knows)
        if (clash.past.agent | clash.agent) & OPERATION:
            return
        why = self.flags.explain(Between(clash.culprit - 1, clash.past.time, clash.agent - 1, clash.known))
        if why is None:
            self._behind_a_poll(found, clash)
        if why is None or {why.store.how.site, why.load.how.site} == {Kind.of(clash.past.info).site, clash.kind.site}:
            return
        store, load = (self._op(step.how.site) for step in (why.store, why.load))
        found.notes = (
            *found.notes,
            f"the flag between them: {self.who(why.store.who + 1)} stores it by `{store.text}`{_place_of(store)}, and "
            f"{self.who(why.load.who + 1)} finds it by `{load.text}`{_place_of(load)}",
            *why.lacks,
        )
        found.help, found.only_flag = why.help, why.only_flag
        found.cause = (found.code, why.store.how, why.load.how, why.help)
        found.flag = (self._access(why.store.who + 1, store, "writes"), self._access(why.load.who + 1, load, "reads"))

    def _behind_a_poll(self, found: Diagnostic, clash: Clash) -> None:
        """Say so where who comes later may have gone on before the value that its poll has found in this run."""
        early = None if self.early is None else self.early(clash.agent - 1, clash.known)
        if early is not None:
            load = self._op(early.site)
            found.notes = (
                *found.notes,
                f"{self.who(early.who + 1)} has found {early.last} by `{load.text}`{_place_of(load)}, and goes on with "
                f"{early.value}, too: then it does not come behind those who store later values",
            )
            found.help = "wait for the value that is there when all have stored what is read behind the wait"

    def _thread(self, agent: int) -> tuple[int, int]:
        """CTA and number of a thread, or of that which has issued an operation."""
        if not agent & OPERATION:
            return self._threads.thread(agent)
        one = self._threads.operation(agent)
        return one.at.cta, 32 * one.warp + one.lane

    def _read_of_a_copy(self, clash: Clash, found: Diagnostic) -> str | None:
        """What helps where a thread reads what an operation writes that completes on an mbarrier of the thread's CTA."""
        first = not clash.past.agent & OPERATION
        reader, copy = (clash.culprit, clash.agent) if first else (clash.agent, clash.culprit)
        reads = not (clash.past.writes if first else clash.writes)
        if not reads or not isinstance(clash.region.key, Cta):
            return None
        cta, thread = self._thread(reader)
        places = [p for p in self._threads.operation(copy).signals if p.cta is clash.region.key and p.cta.index == cta]
        return self.unwaited.read(found, places[0], thread // 32, first=first) if places else None

    def _order(self, clash: Clash, op: Op, otherwise: str | None) -> str | None:
        return self._wait_for(clash, op, otherwise) if clash.past.agent & OPERATION else ISSUED_TOO_EARLY

    def _wait_for(self, clash: Clash, op: Op, otherwise: str | None) -> str | None:
        """How an operation is waited for before an access: groups are a matter of the thread that has issued it."""
        end = op.inst.effect.completion
        if end is None or end.mechanism not in WAITS:
            return otherwise
        wait = WAITS[end.mechanism]
        if end.mechanism == "mbarrier":
            return f"wait for the operation first: for the phase of its mbarrier, by {wait}"
        if end.mechanism == "bulk-group" and not clash.past.writes:
            wait += ".read"
        if self._issues_together(clash):
            commit = f"{WAITS[end.mechanism].removesuffix('wait_group')}commit_group"
            return f"wait for the operation first: {commit} behind it, then {wait}"
        return f"let the thread that has issued the operation wait for it: {wait}; then a barrier between that and this access"

    def _issues_together(self, clash: Clash) -> bool:
        """Whether who accesses may wait for an earlier operation itself: its thread, or of wgmma the warpgroup."""
        issuer = self._threads.operation(clash.culprit)
        cta, thread = self._thread(clash.agent)
        if issuer.group == "wgmma-group":
            return cta == issuer.at.cta and thread // 128 == issuer.warp // 4
        return (cta, thread) == (issuer.at.cta, 32 * issuer.warp + issuer.lane)

    def _same_copy(self, clash: Clash) -> bool:
        """Whether threads of one CTA have issued the same copy: a warp that elects none of its lanes stores a tile 32 times."""
        one, other = (self._threads.operation(agent) for agent in (clash.past.agent, clash.agent))
        return one.at == other.at and one.content == other.content != 0

    def _same_value(self, clash: Clash) -> bool:
        """Whether a store finds its value there, from the store of the same CTA that nothing orders before it."""
        region, granule, past, reached = clash.region, clash.granule, clash.past, self.reached
        cell = region.cells[granule]
        if self.at is None or reached is None or reached.region is not region:
            return False
        if self._threads.thread(clash.agent)[0] != self._threads.thread(clash.culprit)[0]:
            return False  # CTAs that store to the same bytes do the same work twice, which nobody wants
        if (int(cell[WRITER]), int(cell[WRITE_TIME])) != (clash.culprit, past.time):
            return False  # somebody else has stored since
        warp, op = self.at
        lane, place = (clash.agent - 1) % self._threads.each % 32, granule * region.granule
        values = stored_bytes(warp, op)
        mine = (reached.lanes == lane) & (reached.starts <= place) & (place < reached.starts + reached.nbytes)
        if values is None or not mine.any():
            return False
        at = place - int(reached.starts[int(np.flatnonzero(mine)[0])])
        value = values[lane][at : at + region.granule]
        if isinstance(region.key, Cta):
            present = region.key.shared[place : place + region.granule]
        else:
            present = self._machine.global_view(region.base + place, region.granule)
        return len(value) == region.granule and bool(np.array_equal(value, present))

    def uninitialised(self, agent: int, site: int, place: Place, user: int, *, fence_missing: bool = False) -> None:
        """An mbarrier is used by whom nothing orders behind its initialisation.

        fence_missing: a fence is what is missing, within a CTA. Then it is a warning, as Triton does without, on all its chips.
        """
        assert self.at is not None
        second, first = self.at[1], self._op(site)
        key = self._number(second)
        if ("PTX9214", site, key) in self._known:
            return
        name = shared_name(self._machine, place.offset)
        why = "nothing orders that behind its initialisation"
        if fence_missing:
            why = "no fence shows its initialisation to the async proxy"
        message = f"`{second.inst.opcode}` uses the mbarrier {name}, and {why}"
        notes = [f"{self.who(user)}: `{second.text}`", f"earlier, {self.who(agent)}: `{first.text}`"]
        severity = Severity.WARNING if fence_missing else None
        found = self._add("PTX9214", message, notes, first, second, (site, key), severity=severity)
        found.why = why
        found.memory = in_shared(self._machine, place.offset, MBARRIER_BYTES)
        found.accesses = (self._access(user, second, "reads"), self._access(agent, first, "writes"))

    def unwritten(self, region: Region, granule: int, agent: int, kind: Kind) -> None:
        """Shared memory is read that nobody has written. Told when the launch ends: it may turn out to be a race."""
        self._early.setdefault(kind.site, (region, granule, agent))

    def end(self) -> None:
        """Nothing more happens: tell what was read unwritten, except where that was a race."""
        raced = {site for _, *sites in self._known for site in sites}
        for site, (region, granule, agent) in self._early.items():
            if site not in raced:
                op, (memory, where) = self._op(site), self._bytes(region, granule)
                message = f"`{op.inst.opcode}` reads {where}, which nobody has written"
                found = self._alone("PTX9240", message, op, agent, site)
                found.memory, found.accesses = memory, (self._access(agent, op, "reads"),)
        self._early.clear()

    def of_mbarrier(
        self, region: Region, granule: int, agent: int, kind: Kind, *, writes: bool, ended_by: Op | None = None
    ) -> None:
        """An ordinary access to the bytes of a live mbarrier, or of one whose end nothing orders before it."""
        if ("PTX9230", kind.site, kind.site) not in self._known:
            op = self._op(kind.site)
            memory, where = self._bytes(region, granule)
            does = "writes" if writes else "reads"
            message = f"`{op.inst.opcode}` {does} {where}, where a live mbarrier is"
            if ended_by is not None:
                behind = f"behind `{ended_by.inst.opcode}`, which ends the mbarrier there"
                message = f"`{op.inst.opcode}` {does} {where}, and nothing orders that {behind}"
            found = self._alone("PTX9230", message, op, agent, kind.site)
            found.memory, found.accesses = memory, (self._access(agent, op, does),)
            if ended_by is not None:
                found.other, found.other_origin = ended_by.span, ended_by.origin

    def _bytes(self, region: Region, granule: int) -> tuple[Memory, str]:
        """A granule, as data and in words."""
        offset = granule * region.granule
        memory = memory_at(self._machine, region, offset)
        return memory, named(memory, region.name(offset))

    def writer(self, agent: int, kind: Kind) -> Access:
        """A write that a cell remembers."""
        return self._access(agent, self._op(kind.site), "writes")

    def _access(self, agent: int, op: Op, does: str) -> Access:
        thread, cta = self.coordinates(agent)
        return Access(thread, cta, op.text, does, asynchronous=bool(agent & OPERATION), span=op.span, origin=op.origin)

    def _alone(self, code: str, message: str, op: Op, agent: int, site: int) -> Diagnostic:
        notes = [f"{self.who(agent)}: `{op.text}`"]
        found = Diagnostic(code, message, span=op.span, origin=op.origin, notes=notes)
        self._known[code, site, site] = found
        self._machine.report.findings.append(found)
        return found

    def never_waited(self, op: Op, started: int) -> None:
        """An operation has not been waited for when its CTA has ended."""
        site = self._number(op)
        if ("PTX9222", site, site) not in self._known:
            message = f"nobody waits for `{op.inst.opcode}` before the CTA ends"
            found = self._alone("PTX9222", message, op, started, site)
            found.accesses = (self._access(started, op, "starts"),)

    def lost(self, clash: Clash) -> None:
        """A thread stores what it has made of an earlier load, and nothing orders that with another thread's update."""
        site, other, who, others = clash.kind.site, Kind.of(clash.past.info).site, clash.agent, clash.culprit
        if site not in self.updates:
            site, other, who, others = other, site, others, who
        if any(code == "PTX9253" and site in sites for code, *sites in self._known):
            return
        second, first, load = self._op(site), self._op(other), self._op(self.updates[site])
        memory, name = self._bytes(clash.region, clash.granule)
        message = (
            f"`{second.inst.opcode}` writes to {name} what its thread has made of what `{load.inst.opcode}` has loaded there, and "
            "another thread's update may come in between: then it is lost"
        )
        notes = [
            f"{self.who(who)}: `{load.text}`{_place_of(load)}, then `{second.text}`",
            f"nothing orders that with {self.who(others)}: `{first.text}`",
        ]
        found = self._add("PTX9253", message, notes, first, second, (site, other))
        found.memory = memory
        found.accesses = (self._access(who, second, "writes"), self._access(others, first, "writes"))

    def collision(
        self, warp: Warp, reached: Reached, where: NDArray[np.int64], runs: NDArray[np.int64], op: Op, kind: Kind
    ) -> None:
        """Lanes of one store write the same bytes: told where their values differ."""
        values = stored_bytes(warp, op)
        order = np.argsort(where, kind="stable")
        same = np.flatnonzero(np.diff(where[order]) == 0)
        for i in same.tolist():
            one, other = (int(reached.lanes[runs[order[j]]]) for j in (i, i + 1))
            if values is None or (values[one] == values[other]).all():
                continue
            if ("PTX9204", kind.site, kind.site) in self._known:
                return
            memory, name = self._bytes(reached.region, int(where[order[i]]))
            agents = [self._threads.agent(warp.cta.index, 32 * warp.index + lane) for lane in (one, other)]
            message = f"`{op.inst.opcode}` writes different values to {name} in threads of one warp"
            notes = [f"{' and '.join(map(self.who, agents))}: `{op.text}`"]
            found = self._add("PTX9204", message, notes, op, op, (kind.site, kind.site))
            found.memory, found.accesses = memory, tuple(self._access(a, op, "writes") for a in agents)
            return

    def _add(
        self,
        code: str,
        message: str,
        notes: Sequence[str],
        first: Op,
        second: Op,
        sites: tuple[int, int],
        severity: Severity | None = None,
    ) -> Diagnostic:
        found = Diagnostic(
            code,
            message,
            span=second.span,
            origin=second.origin,
            notes=notes,
            other=first.span,
            other_origin=first.origin,
            severity=severity,
        )
        self._known[code, *sites] = found
        self._machine.report.findings.append(found)
        return found

    def _op(self, site: int) -> Op:
        return self._machine.image.ops[site]

    def _number(self, op: Op) -> int:
        return next(i for i, one in enumerate(self._machine.image.ops) if one is op)

    def who(self, agent: int) -> str:
        """A thread, or an operation and who issued it, in words."""
        thread, cta = self.coordinates(agent)
        return f"{'an operation of ' if agent & OPERATION else ''}thread {thread} of CTA {cta}"

    def coordinates(self, agent: int) -> tuple[Dim3, Dim3]:
        """Thread and CTA, of an operation those that issued it."""
        number, thread = self._thread(agent)
        x, y, _ = self._machine.record.block
        gx, gy, _ = self._machine.record.grid
        return (thread % x, thread // x % y, thread // (x * y)), (number % gx, number // gx % gy, number // (gx * gy))


def _place_of(op: Op) -> str:
    """ " in line 51", or " in kernel.py:16"."""
    found = where(op)
    return f" in {found}" if found else ""


def _code(clash: Clash, before: Kind, threads: Threads) -> str:
    past, now = clash.past, clash.kind
    earlier, later = bool(past.agent & OPERATION), bool(clash.agent & OPERATION)
    if "texture" in (now.proxy, before.proxy):
        return "PTX9250"
    if clash.fence_missing:
        return "PTX9213"
    if clash.near and (earlier or later or not (before.strong or now.strong)):
        return clash.near
    if earlier and later:
        return "PTX9215"
    if earlier:
        return "PTX9210" if past.writes else "PTX9211"
    if later:
        return "PTX9210" if clash.writes else "PTX9211"
    if before.update != now.update:
        return "PTX9203" if not (before.strong and now.strong) else "PTX9201"
    if before.strong and now.strong:
        return "PTX9201"
    if before.strong != now.strong:
        return "PTX9202"
    return "PTX9200"


def _why(code: str, before: Kind, now: Kind) -> str:
    if code == "PTX9201" and before.strong and now.strong:
        return "and their scopes do not include both threads"
    if code == "PTX9202" and before.strong != now.strong:
        return "and one of the two is a weak access"
    return {
        "PTX9213": "and no fence joins their proxies",
        "PTX9201": "and what would order them has too small a scope",
        "PTX9202": "and the flag between them is accessed weakly",
        "PTX9250": "and .nc may read what was there before",
    }.get(code, "and nothing orders the two")


def stored_bytes(warp: Warp, op: Op) -> NDArray[np.uint8] | None:
    """The bytes that are stored at each lane's address; None where the store has no such operand."""
    names = [
        name
        for name, spec in op.inst.form.operands.items()
        if name in ("b", "s") and name in op.inst.operands and spec.access == ""
    ]
    if not names:
        names = [n for n in ("b",) if n in op.inst.operands]
    if not names or op.inst.type_of(names[0]) is None:
        return None
    ctx = TrapContext(warp.cta.machine, warp.cta.cluster, warp.cta, warp, mask=0xFFFF_FFFF, op=op)  # type: ignore[arg-type]
    held = ctx.read_bytes(names[0])
    by_rows = any(isinstance(spec.extent, Rows) for spec in op.inst.form.operands.values())
    return _rows(held, trans="trans" in op.inst.mods) if by_rows else held


def _rows(held: NDArray[np.uint8], *, trans: bool) -> NDArray[np.uint8]:
    """The rows of 16 bytes that stmatrix stores, by the lanes that give their addresses. held: what each lane has of them."""
    count = held.shape[1] // 4
    where = ldmatrix(count, trans)
    matrix = np.zeros(where.shape, np.uint16)
    matrix[where.rows, where.cols] = held.view(np.uint16)
    out = np.zeros((32, 16), np.uint8)
    out[: 8 * count] = matrix.view(np.uint8)
    return out
