"""mbarriers: their state lives in this unit, as it does on the chip, and not in the bytes of shared memory.

A phase completes when no arrival is pending and as many bytes have arrived as were expected.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from functools import cached_property
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ptxlab.diag import Diagnostic
from ptxlab.isa.effects import Mbarrier as Effect
from ptxlab.isa.operands import Reg
from ptxlab.layout.mbarrier_state import LIMIT, PARITY_BIT, pack, pending_of
from ptxlab.sim.certify.peeks import PEEK
from ptxlab.sim.engine.compiled import frame as F
from ptxlab.sim.engine.machine.draws import draw
from ptxlab.sim.engine.machine.faults import shared_name
from ptxlab.sim.engine.machine.naming import cta_name, lanes_of, lanes_text, warps_text
from ptxlab.sim.engine.machine.operation import Operation
from ptxlab.sim.engine.machine.resident import Parked
from ptxlab.sim.engine.machine.trap import DONE, Blocked, Outcome, Unit, Waiting, trap, unit
from ptxlab.sim.engine.units import handover
from ptxlab.sim.engine.units.events import Engine
from ptxlab.sim.engine.units.operands import ALL_LANES, integers, write_predicate
from ptxlab.sim.engine.units.place import Place, check_shared, lane_places, place_groups
from ptxlab.sim.engine.units.trace import Timeline
from ptxlab.sim.families.mbarrier.declared import counting_at

if TYPE_CHECKING:
    from ptxlab.ptx.program import Op
    from ptxlab.sim.engine.machine.protocol import MachineLike
    from ptxlab.sim.engine.machine.resident import Cluster, Cta, Warp
    from ptxlab.sim.engine.machine.trap import TrapContext


LONGEST_WAIT = 4000
"""Nanoseconds after which a try_wait answers false: so long an H100 waits, whatever the hint says."""
_Lanes: TypeAlias = "tuple[Warp, int]"
"""Lanes of a warp, as a mask."""
_EXPECT, _SPACES = ("", ".expect_tx"), ("", ".cluster")


class _Word:
    """A word of a barrier's state in native memory."""

    def __init__(self, offset: int) -> None:
        self.index = offset // 4

    def __get__(self, barrier: Barrier, owner: type[Barrier]) -> int:
        return barrier.words[self.index]

    def __set__(self, barrier: Barrier, value: int) -> None:
        barrier.words[self.index] = value


class Barrier:
    """A live mbarrier. It is the key that waiting lanes are parked on. Its counts lie where compiled arrivals find them.

    Attributes:
        count: arrivals that complete a phase, from the next phase on.
        pending: arrivals that this phase lacks. tx: bytes that it lacks (negative: arrived before they were expected).
        phase: phases completed; its lowest bit is the parity of the current phase. seen: how many of them a wait has found so.
        clock, completed: logical time of this phase's latest event, and of the last completion.
        waiters: (warp, lanes) → parity waited for. awaited: whether there are any.
        copies: those that have completed bytes in this phase, by the id of their instruction.
    """

    __slots__ = ("clock", "completed", "copies", "place", "waiters", "words")

    live, count, pending, tx = _Word(F.M_LIVE), _Word(F.M_COUNT), _Word(F.M_PENDING), _Word(F.M_BYTES)
    phase, seen, awaited = _Word(F.M_PHASE), _Word(F.M_SEEN), _Word(F.M_AWAITED)

    def __init__(self, place: Place, count: int) -> None:
        self.place = place
        self.words = memoryview(_state_of(place).view(np.int32))  # type: ignore[arg-type]
        self.words[:] = memoryview(np.zeros(F.MBARRIER_BYTES // 4, np.int32))  # type: ignore[arg-type]
        self.live, self.count, self.pending = 1, count, count
        self.clock = self.completed = 0
        self.waiters: dict[tuple[Warp, int], int] = {}
        self.copies: dict[int, int] = {}

    @classmethod
    def found(cls, place: Place) -> Barrier:
        """One that native code has made."""
        words, out = bytes(_state_of(place)), cls(place, 1)
        out.words[:] = memoryview(np.frombuffer(words, np.int32))  # type: ignore[arg-type]
        return out

    @property
    def state(self) -> int:
        """The opaque 64 bits as an H100 shows them."""
        return pack(self.phase, self.pending, self.tx, self.count)


def _state_of(place: Place) -> NDArray[np.uint8]:
    """Where native memory has the state of the barrier at a place."""
    at = place.offset // 8 * F.MBARRIER_BYTES
    return place.cta.slot.mbarriers[at : at + F.MBARRIER_BYTES]


@unit
class Mbarriers(Unit):
    """All live mbarriers of a launch."""

    def __init__(self, machine: MachineLike) -> None:
        super().__init__(machine)
        self.live: dict[Cta, dict[int, Barrier]] = {}
        self._ends: dict[_Lanes, tuple[int, Hashable]] = {}
        self._over: set[_Lanes] = set()
        self.completes = machine.hooks.mbarrier_completed

    @cached_property
    def timeline(self) -> Timeline:
        """The launch's timeline."""
        return self.machine.unit(Timeline)

    def cta_started(self, cta: Cta) -> None:
        self.live[cta] = {}

    def taken_over(self, cta: Cta) -> None:
        live = self.live[cta]
        live |= {at: Barrier.found(Place(cta, at)) for at in handover.barriers(cta)}
        for warp, mask, at, began in handover.sleepers(cta):
            b = live[at]
            b.waiters[warp, mask], b.awaited = b.phase & 1, 1
            self._ends[warp, mask] = (began + LONGEST_WAIT, b)
            lane = lanes_of(mask)[0]
            self.machine.park(b, Parked(warp, mask, int(warp.frame.u32[lane]), ""))

    def cluster_finished(self, cluster: Cluster) -> None:
        for cta in cluster.ctas:
            for b in self.live.pop(cta, {}).values():
                b.live = 0
        ended = {w for cta in cluster.ctas for w in cta.warps}
        self._ends = {lanes: end for lanes, end in self._ends.items() if lanes[0] not in ended}
        self._over = {lanes for lanes in self._over if lanes[0] not in ended}

    # -- timed waits
    def park(self, lanes: _Lanes, on: Hashable, *, resumed: bool) -> None:
        """Lanes wait on a key, for a limited time. `resumed`: they have waited before, and their time runs on.

        It runs on for the same key alone: where native code has ended the wait before, nobody has said that here.
        """
        if not resumed or lanes not in self._ends or self._ends[lanes][1] != on:
            self._ends[lanes] = (self.machine.clock + LONGEST_WAIT, on)

    def timed_out(self, lanes: _Lanes, *, resumed: bool) -> bool:
        """Whether the time of a wait has passed, which ends it. `resumed`: the lanes have waited before; others begin afresh."""
        passed = lanes in self._over
        self._over.discard(lanes)
        return passed and resumed

    def leave(self, lanes: _Lanes) -> None:
        """Lanes do not wait any more."""
        self._ends.pop(lanes, None)

    def timed(self) -> list[Warp]:
        return [warp for warp, _ in self._ends]

    def next_end(self, *, last: bool = False) -> int | None:
        if not self._ends:
            return None
        return (max if last else min)(end for end, _ in self._ends.values())

    def time_passed(self) -> None:
        now = self.machine.clock
        due = [(lanes, on) for lanes, (end, on) in self._ends.items() if end <= now]
        for lanes, _ in due:
            del self._ends[lanes]
            self._over.add(lanes)
        for on in {id(on): on for _, on in due}.values():
            self.machine.wake(on)

    def find(self, where: Place, op: Op) -> Barrier:
        """The barrier at a place. Raises: Diagnostic PTX9110 where there is none, PTX9121 and PTX9122 where none can be."""
        found = self.live.get(where.cta, {}).get(where.offset)
        if found is None:
            check_shared(where, 8, 8, "mbarrier", op)
            words = f"`{op.inst.opcode}` uses {self._name(where)}, which is no initialised mbarrier"
            help_ = "mbarrier.init it first, fence, and let the other threads wait for that at a barrier"
            raise Diagnostic("PTX9110", words, help=help_, isa=op.inst.form.isa)
        return found

    def is_live(self, where: Place, barrier: Barrier) -> bool:
        """Whether that barrier is still the one at its place."""
        return self.live.get(where.cta, {}).get(where.offset) is barrier

    def init(self, where: Place, count: int, op: Op) -> None:
        """Make a barrier. One that is there and that nobody uses just now begins anew, with a warning.

        Raises: Diagnostic PTX9111 over one whose phase is under way, PTX9114 for a count out of range.
        """
        check_shared(where, 8, 8, "mbarrier", op)
        before = self.live[where.cta].get(where.offset)
        if before is not None:
            self._initialised_again(before, op)
        if not 1 <= count < LIMIT:
            raise Diagnostic("PTX9114", f"an mbarrier cannot count {count} arrivals", isa=op.inst.form.isa)
        self.live[where.cta][where.offset] = Barrier(where, count)

    def _initialised_again(self, b: Barrier, op: Op) -> None:
        """Warn that a barrier is initialised again. Raises PTX9111 where that loses arrivals, bytes or waits."""
        if b.pending != b.count or b.tx or b.waiters:
            lacks = f"phase {b.phase} lacks {b.pending} of {b.count} arrivals and {b.tx} bytes"
            waits = f", and {len(b.waiters)} warps wait for it" if b.waiters else ""
            words = f"{self._name(b.place)} is initialised while it is a live mbarrier: {lacks}{waits}"
            help_ = "let one thread initialise it once; mbarrier.inval it before its memory is used again"
            raise Diagnostic("PTX9111", words, help=help_, isa=op.inst.form.isa)
        self.warn("PTX9119", f"{self._name(b.place)} is a live mbarrier already: it begins anew, in phase 0", op)

    def warn(self, code: str, words: str, op: Op) -> None:
        """Add to the findings, once for an instruction."""
        findings = self.machine.report.findings
        if not any(d.code == code and d.span == op.span for d in findings):
            findings.append(Diagnostic(code, words, span=op.span, origin=op.origin, isa=op.inst.form.isa))

    def inval(self, where: Place, op: Op) -> None:
        """End a barrier's life; its memory then shows the state."""
        found = self.find(where, op)
        where.view(8)[:] = np.frombuffer(found.state.to_bytes(8, "little"), np.uint8)
        found.live = 0
        del self.live[where.cta][where.offset]

    def arrive(self, b: Barrier, count: int, op: Op, *, drop: bool = False) -> None:
        """So many arrivals. Raises: Diagnostic PTX9112 when the phase does not lack that many."""
        if count > b.pending:
            many = "s" if count > 1 else ""
            lacks = f"in phase {b.phase}, which lacks {b.pending or 'none'}"
            known = counting_at(self.machine.record, b.place.offset, b.count)
            counting = "mbarrier.init" if known is None else f"`{known.counting(b.count)}` in {known.place.shown}"
            help_ = f"{counting} counts {b.count} a phase: raise the count, or let fewer threads arrive"
            words = f"{count} arrival{many} on {self._name(b.place)} {lacks}"
            raise Diagnostic("PTX9112", words, help=help_, isa=op.inst.form.isa)
        b.pending -= count
        if drop:
            b.count -= count
        self._end_if_complete(b)

    def expect(self, b: Barrier, nbytes: int, op: Op) -> None:
        """More bytes are expected in this phase. Raises: Diagnostic PTX9113 beyond 2^20 - 1."""
        total = b.tx + nbytes
        if not -LIMIT < total < LIMIT:
            raise self._overflow(b, total, op)
        b.tx = total
        self._end_if_complete(b)

    def _overflow(self, b: Barrier, total: int, op: Op) -> Diagnostic:
        copies, name = b.copies.get(id(op), 0), self._name(b.place)
        words, help_ = f"{name} would lack {total} bytes", "expect fewer bytes a phase"
        if total < 0:
            words = f"{name} has got {-total} bytes more than it expects in phase {b.phase}"
            help_ = "expect what the copies bring"
        words += f"; an mbarrier counts up to {LIMIT - 1}"
        if total < 0 and copies > 1:
            words += f": {copies} copies by `{op.inst.opcode}` have come, one from each thread that executed it"
            help_ = "let one thread issue the copy: elect.sync, or a predicate"
        return Diagnostic("PTX9113", words, help=help_, isa=op.inst.form.isa)

    def complete(
        self,
        where: Place,
        nbytes: int,
        op: Op,
        clock: int = 0,
        *,
        piece: int | None = None,
        operation: Operation | None = None,
    ) -> None:
        """So many bytes have arrived, in pieces (all at once for None): the phase may end before the last of them.

        operation: the copy; None where an instruction completes them itself.
        """
        b = self.find(where, op)
        b.clock = max(b.clock, clock)
        b.copies[id(op)] = b.copies.get(id(op), 0) + 1
        lacking = b.tx
        if piece is not None and not b.pending and 0 < lacking < nbytes:
            self._too_many(b, nbytes, op)
            if lacking % piece == 0 and self._ends_between(b, lacking):
                self.notify_completed(operation, b)
                self.expect(b, -lacking, op)
                nbytes -= lacking
        self.notify_completed(operation, b)
        self.expect(b, -nbytes, op)

    def notify_completed(self, operation: Operation | None, b: Barrier) -> None:
        """Notify observers that an operation's bytes, or its arrival, count in the phase that is under way."""
        if operation is not None:
            for hook in self.completes:
                hook(operation, b.place, b.phase)

    def _ends_between(self, b: Barrier, lacking: int) -> bool:
        """Whether a piece ends where the count is zero. A chip does it as often as not, so `random` draws it."""
        options = self.machine.options
        return options.schedule != "random" or draw(options.seed, b.place.cta.index, b.place.offset, lacking) & 1 == 0

    def _too_many(self, b: Barrier, nbytes: int, op: Op) -> None:
        """Warn that a copy brings more than the phase lacks."""
        words = (
            f"`{op.inst.opcode}` brings {nbytes} bytes where phase {b.phase} of {self._name(b.place)} lacks {b.tx}: "
            "the phase may end before all data is there, and the rest counts in the next one"
        )
        self.warn("PTX9118", words, op)

    def raise_pending(self, b: Barrier, op: Op) -> None:
        """One more arrival is awaited in this phase (cp.async.mbarrier.arrive without .noinc)."""
        if b.pending + 1 >= LIMIT:
            raise Diagnostic("PTX9114", f"{self._name(b.place)} counts too many arrivals", isa=op.inst.form.isa)
        b.pending += 1

    def _end_if_complete(self, b: Barrier) -> None:
        """The phase ends if it lacks no arrival and no bytes."""
        if b.pending or b.tx:
            return
        b.phase += 1
        b.pending = b.count
        b.completed, b.clock = b.clock, 0
        b.awaited = 0
        b.copies.clear()
        b.waiters.clear()  # whoever still waits enters itself again
        self.machine.wake(b)
        self.machine.wake(_any_of(b.place.cta))

    def _name(self, where: Place) -> str:
        return f"{shared_name(self.machine, where.offset)} of {cta_name(where.cta)}"

    def deadlock_notes(self) -> list[Waiting]:
        """First a barrier that lacks nothing but bytes, as none are under way; then those that have completed the fewest phases."""
        waited = [b for barriers in self.live.values() for b in barriers.values() if b.waiters]
        waited.sort(key=lambda b: (b.pending > 0, b.phase))
        return [note for b in waited for note in self._notes(b)]

    def _notes(self, b: Barrier) -> Iterator[Waiting]:
        lacks = [f"{b.pending} of {b.count} arrivals"] if b.pending else []
        if b.tx > 0:
            lacks.append(f"{b.tx} bytes")
        elif b.tx < 0:
            copies = sum(b.copies.values())
            lacks.append(f"an expect_tx for {-b.tx} bytes that have come{f' in {copies} copies' if copies > 1 else ''}")
        together: dict[tuple[Cta, int, int], list[int]] = {}
        for (warp, mask), parity in b.waiters.items():
            together.setdefault((warp.cta, mask, parity), []).append(warp.index)
        for (cta, mask, parity), warps in together.items():
            where = shared_name(self.machine, b.place.offset) if cta is b.place.cta else self._name(b.place)
            note = (
                f"{cta_name(cta)}, {warps_text(warps)}, {lanes_text(mask)}: waiting on mbarrier {where} "
                f"for the end of phase {b.phase} (parity {parity}), which lacks {' and '.join(lacks)}"
            )
            yield Waiting(cta.warps[warps[0]], note, mask)


def _any_of(cta: Cta) -> tuple[str, Cta]:
    """The key of lanes that wait on several barriers of a CTA at once."""
    return ("mbarriers", cta)


@trap("mbarrier.init")
def init(ctx: TrapContext, op: Op) -> Outcome:
    unit_ = ctx.machine.unit(Mbarriers)
    counts = ctx.read("count")
    for lane, where in lane_places(ctx, "mbar"):
        unit_.init(where, int(counts[lane]), op)
        for hook in ctx.machine.hooks.mbarrier_initialised:
            hook(ctx.warp, lane, where, op)
    return DONE


@trap("mbarrier.inval")
def inval(ctx: TrapContext, op: Op) -> Outcome:
    for lane, where in lane_places(ctx, "mbar"):
        ctx.machine.unit(Mbarriers).inval(where, op)
        for hook in ctx.machine.hooks.mbarrier_invalidated:
            hook(ctx.warp, lane, where, op)
    return DONE


class _Arrivals:
    """Notifies observers of the arrivals of a warp: together those that count in the same phase."""

    def __init__(self, ctx: TrapContext, op: Op) -> None:
        self._notify, self._warp, self._op = ctx.machine.hooks.mbarrier_arrived, ctx.warp, op
        self._barrier: Barrier | None = None
        self._phase = self._lanes = 0

    def add(self, b: Barrier, lane: int, count: int) -> None:
        """A lane is about to arrive so many times."""
        if b is not self._barrier or b.phase != self._phase:
            self.flush()
            self._barrier, self._phase = b, b.phase
        self._lanes |= 1 << lane
        if b.pending <= count:  # the phase may end
            self.flush()

    def flush(self) -> None:
        """Notify of what is collected."""
        if self._barrier is not None and self._lanes:
            for hook in self._notify:
                hook(self._warp, self._lanes, self._barrier.place, self._phase, self._op)
        self._lanes = 0


def _notify_expected(ctx: TrapContext, lane: int, b: Barrier, nbytes: int) -> None:
    """Notify observers that a lane adds to the bytes that a barrier's phase expects."""
    for hook in ctx.machine.hooks.mbarrier_expected:
        hook(ctx.warp, lane, b.place, b.phase, nbytes, ctx.op)


@trap(*(f"mbarrier.{kind}{tx}{space}" for kind in ("arrive", "arrive_drop") for tx in _EXPECT for space in _SPACES))
def arrive(ctx: TrapContext, op: Op) -> Outcome:
    unit_, effect = ctx.machine.unit(Mbarriers), op.inst.form.effect
    drop = isinstance(effect, Effect) and effect.kind.startswith("arrive_drop")
    counts = integers(ctx, "count") if ctx.present("count") else [1] * 32
    expected = integers(ctx, "tx_count") if ctx.present("tx_count") else None
    wanted = isinstance(op.inst.operands["state"], Reg)
    states = [0] * 32
    now, hooks = unit_.timeline.now(ctx.warp), ctx.machine.hooks
    arrivals = _Arrivals(ctx, op) if hooks.mbarrier_arrived else None
    for lane, where in lane_places(ctx, "mbar"):
        b = unit_.find(where, op)
        if wanted:
            states[lane] = b.state
        b.clock = max(b.clock, now)
        if expected is not None:
            _notify_expected(ctx, lane, b, expected[lane])
            unit_.expect(b, expected[lane], op)
        if arrivals is not None:
            arrivals.add(b, lane, counts[lane])
        unit_.arrive(b, counts[lane], op, drop=drop)
    if arrivals is not None:
        arrivals.flush()
    if wanted:
        ctx.write("state", np.array(states, np.uint64))
    return DONE


@trap("mbarrier.arrive.noComplete", "mbarrier.arrive_drop.noComplete")
def arrive_no_complete(ctx: TrapContext, op: Op) -> Outcome:
    """The program promises that the phase does not complete. Breaking the promise is undefined, and a warning: on a chip the phase
    ends."""
    unit_ = ctx.machine.unit(Mbarriers)
    counts = ctx.read("count")
    left: dict[Barrier, int] = {}
    for lane, where in lane_places(ctx, "mbar"):
        b = unit_.find(where, op)
        left[b] = left.get(b, b.pending) - int(counts[lane])
        if left[b] <= 0 and b.tx == 0:
            words = f"`{op.inst.opcode}` completes phase {b.phase} of {shared_name(ctx.machine, where.offset)}"
            unit_.warn("PTX9117", words, op)
    return arrive(ctx, op)


@trap("mbarrier.expect_tx")
def expect_tx(ctx: TrapContext, op: Op) -> Outcome:
    unit_ = ctx.machine.unit(Mbarriers)
    counts = ctx.read("tx_count")
    for lane, where in lane_places(ctx, "mbar"):
        b = unit_.find(where, op)
        _notify_expected(ctx, lane, b, int(counts[lane]))
        unit_.expect(b, int(counts[lane]), op)
    return DONE


@trap("mbarrier.complete_tx")
def complete_tx(ctx: TrapContext, op: Op) -> Outcome:
    unit_ = ctx.machine.unit(Mbarriers)
    counts = ctx.read("tx_count")
    for lane, where in lane_places(ctx, "mbar"):
        _notify_expected(ctx, lane, unit_.find(where, op), -int(counts[lane]))
        unit_.complete(where, int(counts[lane]), op, unit_.timeline.now(ctx.warp))
    return DONE


@trap("mbarrier.test_wait", "mbarrier.test_wait.parity", question=True)
def test_wait(ctx: TrapContext, op: Op) -> Outcome:
    done, waiting = _poll(ctx, op)
    write_predicate(ctx, "done", done)
    if waiting:
        ctx.machine.unit(Engine).polled(ctx.cluster)
    return DONE


@trap("mbarrier.try_wait", "mbarrier.try_wait.parity")
def try_wait(ctx: TrapContext, op: Op) -> Outcome:
    """Waits when all lanes have to wait, until a phase ends or the time is over: then the answer is false."""
    unit_ = ctx.machine.unit(Mbarriers)
    done, waiting = _poll(ctx, op)
    key, resumed = (ctx.warp, ctx.mask), ctx.calls > 0
    if unit_.timed_out(key, resumed=resumed) or done:
        for b in waiting:
            b.waiters.pop(key, None)
        unit_.leave(key)
        write_predicate(ctx, "done", done)
        return DONE
    for b, parity in waiting.items():
        b.waiters[key], b.awaited = parity, 1
    on = next(iter(waiting)) if len(waiting) == 1 else _any_of(ctx.cta)
    unit_.park(key, on, resumed=resumed)
    return Blocked(on=on)


@trap(PEEK)
def peek(ctx: TrapContext, op: Op) -> Outcome:
    """A question that is answered with no, as what its answer saves is a wait that comes anyway."""
    unit_, odd = ctx.machine.unit(Mbarriers), _mask_of(integers(ctx, "parity"), 0)
    for lanes, where in place_groups(ctx, "mbar"):
        unit_.find(where, op)
        for parity, asking in enumerate((lanes & ~odd, lanes & odd)):
            for hook in ctx.machine.hooks.mbarrier_peeked if asking else ():
                hook(ctx.warp, asking, where, parity, op)
    write_predicate(ctx, "done", 0)
    return DONE


def _poll(ctx: TrapContext, op: Op) -> tuple[int, dict[Barrier, int]]:
    """The lanes whose phases are complete, and barriers and parities of the others."""
    unit_ = ctx.machine.unit(Mbarriers)
    if ctx.present("parity"):
        odd = _mask_of(integers(ctx, "parity"), 0)
    else:
        odd = _mask_of(integers(ctx, "state"), PARITY_BIT)
    done = latest = 0
    waiting: dict[Barrier, int] = {}
    over: dict[Place, int] = {}
    for lanes, where in place_groups(ctx, "mbar"):
        b = unit_.find(where, op)
        complete = lanes & (~odd if b.phase & 1 else odd)
        if complete:
            b.seen = b.phase
            done |= complete
            latest = max(latest, b.completed)
            over[where] = b.phase - 1
            for hook in ctx.machine.hooks.mbarrier_passed:
                hook(ctx.warp, complete, where, b.phase - 1, op)
        if complete != lanes:
            waiting[b] = b.phase & 1
    if not waiting:
        unit_.timeline.wait(ctx.warp, latest, "mbarrier wait", op, over)
    return done, waiting


def _mask_of(values: list[int], bit: int) -> int:
    """The lanes whose value has a bit set."""
    if values.count(values[0]) == 32:
        return ALL_LANES if values[0] >> bit & 1 else 0
    return sum((v >> bit & 1) << lane for lane, v in enumerate(values))


@trap("mbarrier.pending_count")
def pending_count(ctx: TrapContext, op: Op) -> Outcome:
    ctx.write("count", np.array([pending_of(int(state)) for state in ctx.read("state").tolist()], np.uint32))
    return DONE
