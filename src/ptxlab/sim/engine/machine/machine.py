"""The machine of one launch: it runs CTAs, and finds the way from a trap to its meaning.

CTAs that need nobody's help run one after the other without Python; schedule.py sees to all others. Who observes the launch
is told by hooks (observer.py), and puts prologues in front of instructions (overlay.py).
"""

from __future__ import annotations

import sys
import time
from collections.abc import Generator, Hashable, Sequence
from contextlib import contextmanager
from typing import TypeVar

import numpy as np

from ptxlab.abi.occupancy import Chip, Residency, refusal
from ptxlab.abi.options import SimOptions
from ptxlab.abi.record import LaunchRecord
from ptxlab.diag import Diagnostic
from ptxlab.isa.operands import Symbol
from ptxlab.ptx.program import Op
from ptxlab.sim.engine.compiled import frame as F
from ptxlab.sim.engine.compiled.address import LOCAL_WINDOW, shared_address
from ptxlab.sim.engine.compiled.native import Block, Bytes, address, allocate, functions
from ptxlab.sim.engine.compiled.registry import QUESTIONS, TRAPS, Done, Instead, load_units
from ptxlab.sim.engine.decoded.decode import CACHED, Image, image_of
from ptxlab.sim.engine.machine import faults
from ptxlab.sim.engine.machine import system as system  # it registers the system's functions
from ptxlab.sim.engine.machine.memory import Memory
from ptxlab.sim.engine.machine.observer import UNHEARD, Look, Observer, Observers, Turn
from ptxlab.sim.engine.machine.overlay import Overlay
from ptxlab.sim.engine.machine.protocol import UNITS, Pieces, Unit
from ptxlab.sim.engine.machine.resident import Cluster, Cta, Parked, Slot, Warp, lane_bits, local_memory
from ptxlab.sim.engine.machine.schedule import PASSES, Starts, rounds
from ptxlab.sim.engine.machine.special import constants, shared_bytes, shared_wanted
from ptxlab.sim.engine.machine.standalone import Standalone, is_copy_alone, runs_alone
from ptxlab.sim.engine.machine.trap import TrapContext
from ptxlab.sim.engine.machine.uninitialized import Unwritten
from ptxlab.sim.report.report import Report, Trace, TraceEvent

TRAPS_OF_TURN = 256
TRAPS_OF_WARP = 16
"""Instructions that run in Python, after which another CTA, or another warp of the CTA, gets its turn."""
CACHED_POLLS = 32
"""Polls of what an SM's cache holds, after which a turn is over that does nothing else."""
SHORT = 64
"""Warp instructions between two questions of somebody who does nothing else."""
U = TypeVar("U", bound=Unit)


class Machine:
    """A launch under way.

    Attributes:
        record, image: what runs. options: schedule, seed, ….
        report: findings, counts, timeline so far.
        resident: the clusters that share the machine now. residency: which may.
        starts: the clusters that have not begun. woken: whether a wait has ended since it was last set to False.
        parked: lanes that wait, by key. hooks: those of observers.
        overlay: the prologues in front of instructions.
    """

    def __init__(
        self,
        record: LaunchRecord,
        options: SimOptions,
        observers: Sequence[Observer] = (),
        *,
        memory: Memory | None = None,
        parts: Sequence[range] | None = None,
        chip: Chip | None = None,
    ) -> None:
        """`observers`: who is told of what happens. `memory`: where the buffers lie. `parts`: the clusters to run, by index and
        ascending; None: all of them. `chip`: that on which other grids run as well. For a launch with all that belongs to it, see
        `observe.launch.machine_of`."""
        self.record, self.options = record, options
        self.hooks = Observers(observers)
        self.memory = memory or Memory()
        self.image: Image = image_of(record.program, noted=options.trace)
        self.report = Report(trace=Trace() if options.trace else None)
        self.resident: list[Cluster] = []
        self.parked: dict[Hashable, list[Parked]] = {}
        self._calls: dict[tuple[int, int], Parked] = {}
        self._free: list[Slot] = []
        self._residency: Residency | None = None
        self._chip = chip
        self.woken = False
        self.parts = parts or (range(record.ctas // record.ctas_per_cluster),)
        x, y, z = (g // c for g, c in zip(record.grid, record.cluster, strict=True))
        self.starts = Starts(self.parts, (x, y, z))
        self._words = self.image.bind(record.variables)
        self.params = self.memory.parameters(max(16, len(record.params)))
        self.params[: len(record.params)] = np.frombuffer(record.params, np.uint8)
        self.shared_bytes = shared_bytes(record)
        self.constants = constants(record)
        local_memory(-(-record.threads // 32) * 32, self.image.local_bytes)  # refused before a pattern is drawn for it
        self.unwritten = Unwritten(self.image, self.shared_bytes, options.seed, poison=options.poison)
        self.buffers = faults.buffer_table(record, self.params, self.memory.apart)
        self.env = self._environment()
        self.overlay = Overlay(self._words, self.env)
        if options.trace or self.image.caches:
            load_units()
        self.units = [cls(self) for cls in UNITS] if self.image.traps or options.trace else []
        self._by_class: dict[type[Unit], Unit] = {type(u): u for u in self.units}
        for observer in observers:
            observer.attach(self)
        copies = self.options.schedule == "eager" and not self.options.trace
        self.env.set64(F.E_COPIES, int(copies and not any(o.hears_copies for o in observers)))
        products = copies and not any(o.hears_products for o in observers)
        self.env.set64(F.E_PRODUCTS, int(products))
        if products:
            self.env.set64(F.E_WAITS, 1)
        self.env.set64(F.E_SLEEPS, int(self.env.get64(F.E_WAITS) != 0 and not any(o.hears_sleeps for o in observers)))
        if record.cooperative:
            self._gather()

    def _environment(self) -> Block:
        env = Block(allocate(F.E_BYTES))
        native = functions()
        env.set64(F.E_RECORDS, address(self._words))
        env.set64(F.E_YIELDS, address(self.image.yields))
        env.set64(F.E_PARAMS, address(self.params))
        env.set64(F.E_BUFFERS, address(self.buffers))
        env.set64(F.E_BUFFER_COUNT, len(self.buffers))
        env.set64(F.E_FUNCTIONS, address(self.image.functions))
        env.set64(F.E_FUNCTION_COUNT, len(self.image.functions))
        env.set64(F.E_FUNCTION_BASE, self.image.code)
        self.memory.attach(env)
        self.unwritten.attach(env)
        watched = self.options.trace or self.hooks.watched
        env.set64(F.E_UNWATCHED, int(not watched))
        env.set64(F.E_EAGER_COPIES, int(self.options.schedule == "eager" and not watched))
        env.set64(F.E_COMMITS, int(not self.options.trace and not self.hooks.committed))
        env.set64(F.E_JOINS, int(self.options.schedule == "eager" and not self.options.trace))
        env.set64(F.E_PASSES, PASSES)
        for offset, function in native.called.items():
            env.set64(offset, function)
        for axis in range(3):
            env.set(F.E_GRID + 4 * axis, self.record.grid[axis])
        return env

    @property
    def residency(self) -> Residency:
        """Which clusters an H100 holds at once."""
        if self._residency is None:
            self._residency = Residency(self.record, shared_wanted(self.record), self._chip)
        return self._residency

    def _gather(self) -> None:
        """All CTAs meet at once: nobody has come to the grid's barrier yet. Raises Diagnostic PTX2012 where they do not fit."""
        if self.residency.count < self.residency.total:
            raise refusal(self.record, self.residency.count * self.record.ctas_per_cluster)
        for buffer in self.record.buffers:
            if buffer.address == self.record.workspace:
                faults.view(self, buffer.address, buffer.nbytes, write=True)[:] = 0

    def gives_turn(self, cta: Cta) -> bool:
        """Whether a CTA may run now, for all that observers say."""
        return all(gives(cta) for gives in self.hooks.gives_turn)

    def look(self) -> Look | None:
        """Whether the launch can ever get on; None where nobody knows."""
        return next((found for look in self.hooks.look if (found := look()) is not None), None)

    def hangs(self) -> None:
        """Tell that the launch is about to be ended as one that hangs."""
        for hook in self.hooks.hangs:
            hook()

    # -- what units ask for
    def unit(self, cls: type[U]) -> U:
        """The launch's instance of a unit."""
        return self._by_class[cls]  # type: ignore[return-value]

    @property
    def instructions(self) -> int:
        """Warp instructions executed so far by the launch."""
        return self.env.get64(F.E_WARP_COUNT)

    @property
    def clock(self) -> int:
        """What clocks show: nanoseconds, which are warp instructions and the time that went by while nobody ran."""
        return self.instructions + self.env.get64(F.E_SKEW)

    @property
    def timed(self) -> Sequence[Warp]:
        """Warps with lanes that are parked for a limited time."""
        return [warp for unit in self.units for warp in unit.timed()]

    def pass_time(self, *, last: bool = False) -> None:
        """Put the clock forward to where the next wait ends by itself, or all of them do."""
        ends = [end for unit in self.units if (end := unit.next_end(last=last)) is not None]
        if ends:
            self.skip(max(0, (max if last else min)(ends) - self.clock))
            self.end_waits()

    def skip(self, time: int) -> None:
        """Put the clock forward."""
        self.env.set64(F.E_SKEW, self.env.get64(F.E_SKEW) + time)

    def end_waits(self) -> None:
        """End the waits whose time is over."""
        for unit in self.units:
            unit.time_passed()

    def park(self, key: Hashable, group: Parked) -> None:
        """Note lanes that wait already, for `wake` with the same key."""
        self.parked.setdefault(key, []).append(group)

    def wake(self, key: Hashable) -> int:
        """End the wait of all lanes parked on a key; their instruction is tried again. Returns how many groups woke."""
        groups = self.parked.pop(key, [])
        self.woken |= bool(groups)
        for hook in self.hooks.woken:
            hook(groups)
        for group in groups:
            frame, block = group.warp.frame, group.warp.cta.block
            frame.set(F.F_WAITING, frame.get(F.F_WAITING) & ~group.mask)
            block.set(F.C_RUNNABLE, block.get(F.C_RUNNABLE) | 1 << group.warp.index)
            self._calls[(id(group.warp), group.pc)] = group
        return len(groups)

    def symbol_address(self, symbol: Symbol, cta: Cta) -> int:
        """The address of a variable in its state space, as a CTA sees it; of a parameter, where it lies in this process."""
        for param in self.record.program.params:
            if param.name == symbol.name:
                return address(self.params) + param.offset + symbol.offset
        if symbol.name in self.record.variables:
            return self.record.variables[symbol.name] + symbol.offset
        for variable in self.record.program.variables:
            if variable.name == symbol.name:
                offset = variable.offset + symbol.offset
                return LOCAL_WINDOW + offset if variable.space == "local" else shared_address(cta.rank, offset)
        raise KeyError(symbol.name)

    def global_view(self, where: int, nbytes: int, *, write: bool = False, pieces: Pieces | None = None) -> Bytes:
        """Global memory as bytes. Raises Diagnostic PTX9002 outside the launch's buffers, PTX9004 for read-only ones.

        `pieces`: the parts of it that are read or written, where that is not all: places in the view, and bytes of each.
        """
        found = faults.view(self, where, nbytes, write=write)
        for hook in self.hooks.reached:
            hook(found, write, pieces)
        return found

    def write(self, text: str, cta: Cta) -> None:
        """What the kernel prints."""
        if not any(take(text, cta) for take in self.hooks.printed):
            sys.stdout.write(text)

    def event(self, track: str, name: str, kind: str, begin: int, end: int) -> None:
        """Note something on the timeline, when there is one."""
        if self.report.trace is not None:
            self.report.trace.append(TraceEvent(track, name, kind, begin, end))

    def moved(self, op: Op, nbytes: int) -> None:
        """A unit has copied so many bytes for an instruction."""
        for hook in self.hooks.moved:
            hook(op, nbytes)

    # -- running
    def run(self) -> Report:
        """Run the launch. Raises Diagnostic for a fault, a deadlock, or too many instructions."""
        with self.running():
            if self._may_run_alone:
                Standalone(self, self.starts).run()
            else:
                rounds(self, self.starts).run()
        return self.finished()

    @contextmanager
    def running(self, *, part: bool = False) -> Generator[None]:
        """While the launch, or a part of it, runs: what stops it says where in the source, and with what else was found.

        Behind a part with others to come nothing is entered into the report: warps of it are in the middle of what they do.
        """
        started, stopped = time.perf_counter(), False
        try:
            yield
        except BaseException as wrong:
            stopped = True
            if isinstance(wrong, Diagnostic):
                faults.sourced(self, [wrong, *self.report.findings])
                wrong.also = (*wrong.also, *(d for d in self.report.findings if d is not wrong))
            raise
        finally:
            if stopped or not part or not (self.resident or self.starts.left):
                self.tally()
            self.report.stats.seconds += time.perf_counter() - started

    def finished(self) -> Report:
        """The report of a launch that has come to its end."""
        for unit in self.units:
            unit.finished()
        faults.sourced(self, self.report.findings)
        return self.report

    def tally(self) -> None:
        """Enter into the report what is known so far."""
        stats = self.report.stats
        stats.warp_instructions = self.instructions
        stats.instructions = self.env.get64(F.E_THREAD_COUNT)
        for hook in self.hooks.tally:
            hook(self.report)

    def leave(self) -> None:
        """Behind a run that has ended well: what observers hold for questions can go."""
        for hook in self.hooks.left:
            hook()

    @property
    def _may_run_alone(self) -> bool:
        """Whether CTAs can run one after the other without Python."""
        if self.record.ctas_per_cluster > 1 or self.record.cooperative or self.options.schedule == "random":
            return False
        if self.hooks.in_turns:
            return False
        if self.units and self.env.get64(F.E_COPIES) and runs_alone(self.image, is_copy_alone):
            return True  # hooks hear of nothing but what those of a program without asynchronous operations hear of
        return not self.units or (runs_alone(self.image) and self.hooks.overrides <= UNHEARD and self._unwatched)

    @property
    def _unwatched(self) -> bool:
        return self.env.get64(F.E_UNWATCHED) != 0

    def turn(self, cta: Cta, length: int, traps: int = TRAPS_OF_TURN, *, asks: int = 0) -> Turn:
        """A CTA runs until all its warps wait or poll, for `length` warp instructions at most, and `traps` of those in Python.

        asks: for turns that have to be the same whoever listens: no warp gets its turn for what another one runs in Python, and a
            turn ends after so many questions whether something is over with little between them. 0: neither.
        """
        if self.hooks.gives_turn and not self.gives_turn(cta):
            return Turn.WAITS
        done = self._turn(cta, length, traps, asks)
        self.has_run(cta)
        for hook in self.hooks.turned:
            hook(cta, done)
        return done

    def has_run(self, cta: Cta) -> None:
        """Units hear that what has changed in memory since the last time, this CTA has written."""
        if self.image.caches:
            for unit in self.units:
                unit.turned(cta)

    def _turn(self, cta: Cta, length: int, traps: int, asks: int) -> Turn:
        if not cta.block.get(F.C_RUNNABLE):
            return Turn.WAITS
        native, asked, cached, began = functions(), self._asked, self._cached, self.instructions
        self.limit(length)
        for count in range(1, traps + 1):
            status = native.cta(cta.block.address, self.env.address)
            if status == F.FAULT:
                raise faults.fault(self, cta)
            if status == F.POLLS:
                return Turn.POLLS
            if status != F.TRAP:
                break
            if not self.trap(cta):
                return Turn.RAN
            if count == CACHED_POLLS and self._cached - cached == count and self.instructions - began < SHORT * count:
                return Turn.POLLS
            if asks and self._asked - asked >= asks and self.instructions - began < SHORT * asks:
                return Turn.POLLS
            if not asks and count % TRAPS_OF_WARP == 0:  # a warp may poll what another one has to do
                cta.block.set(F.C_NEXT, (cta.block.get(F.C_CURRENT) + 1) % 32)
        else:
            if self._asked - asked == traps and self.instructions - began < SHORT * traps:
                return Turn.POLLS
        return Turn.RAN

    @property
    def _asked(self) -> int:
        """How often Python was asked whether something is over."""
        traps = self.report.stats.traps
        return sum(traps.get(key, 0) for key in QUESTIONS)

    @property
    def _cached(self) -> int:
        """How often a poll was answered by what an SM's cache holds."""
        return self.report.stats.traps.get(CACHED, 0)

    def limit(self, length: int) -> None:
        """The next slice ends so many warp instructions from now. Raises PTX9005 when the launch may run no further."""
        for hook in self.hooks.slice_begins:
            hook()
        top = self.options.max_instructions
        if top is not None:
            left = top - self.env.get64(F.E_THREAD_COUNT)
            if left <= 0:
                raise faults.too_long(self)
            length = min(length, -(-left // 32))
        self.env.set64(F.E_LIMIT, self.instructions + length)

    def progress(self, done: int) -> None:
        """Tell that so many CTAs have ended."""
        for hook in self.hooks.progressed:
            hook(done)
        if self.options.progress is not None:
            self.options.progress(done, sum(map(len, self.parts)) * self.record.ctas_per_cluster)

    # -- residency
    def admit(self, index: int, coordinates: tuple[int, int, int]) -> Cluster:
        """Start a cluster: its CTAs get their slots."""
        for hook in self.hooks.cluster_starts:
            hook(index)
        shape = self.record.cluster
        ctas: list[Cta] = []
        for rank in range(self.record.ctas_per_cluster):
            cta = Cta(self, self._free.pop() if self._free else Slot(self))
            inner = (rank % shape[0], rank // shape[0] % shape[1], rank // (shape[0] * shape[1]))
            cta.rank = rank
            cta.coordinates = tuple(c * s + i for c, s, i in zip(coordinates, shape, inner, strict=True))  # type: ignore[assignment]
            x, y, _ = self.record.grid
            cta.index = cta.coordinates[0] + x * (cta.coordinates[1] + y * cta.coordinates[2])
            ctas.append(cta)
        cluster = Cluster(self, index, coordinates, ctas, self.residency.take(index))
        for cta in ctas:
            self._start(cta, cluster)
        return cluster

    def _start(self, cta: Cta, cluster: Cluster) -> None:
        cta.cluster = cluster
        functions().start(cta.block.address, self.env.address, *cta.coordinates, cluster.sms[cta.rank])
        cta.block.set(F.C_RANK, cta.rank)
        cta.block.set(F.C_CLUSTER_SIZE, len(cluster.ctas))
        cta.slot.table.view(np.uint64)[: len(cluster.ctas)] = [c.block.address for c in cluster.ctas]
        shape = self.record.cluster
        inner = [c - k * s for c, k, s in zip(cta.coordinates, cluster.coordinates, shape, strict=True)]
        for warp in cta.warps:
            for axis, letter in enumerate("xyz"):
                warp.frame.set(F.SREG_OFFSET[f"%clusterid.{letter}"], cluster.coordinates[axis])
                warp.frame.set(F.SREG_OFFSET[f"%cluster_ctaid.{letter}"], inner[axis])
            warp.frame.set(F.SREG_OFFSET["%cluster_ctarank"], cta.rank)
            warp.frame.set(F.F_SHARED_FIRST, shared_address(cta.rank, 0))
        for unit in self.units:
            unit.cta_started(cta)
        for hook in self.hooks.cta_started:
            hook(cta)

    def retire(self, cluster: Cluster) -> None:
        """End a cluster whose threads have all exited."""
        for unit in self.units:
            unit.cluster_finished(cluster)
        self.resident.remove(cluster)
        self._calls = {key: one for key, one in self._calls.items() if one.warp.cta.cluster is not cluster}
        self.residency.give(cluster.sms)
        self._free += [c.slot for c in cluster.ctas]
        self.report.stats.ctas += len(cluster.ctas)
        for hook in self.hooks.cluster_retired:
            hook(cluster)

    # -- traps
    def trap(self, cta: Cta) -> bool:
        """See to the trap that a CTA has run into: an instruction that runs in Python, or a prologue that has left native code.
        Whether the turn of the CTA goes on."""
        hooks = self.hooks
        if hooks.stopped and self.env.get(F.E_STOPPED):
            for hook in hooks.stopped:
                hook(cta)
            self.env.set(F.E_STOPPED, 0)
            return False
        warp = cta.warps[cta.block.get(F.C_CURRENT)]
        frame = warp.frame
        mask, pc = frame.get(F.F_TRAP_MASK), frame.get(F.F_TRAP_PC)
        key, op = self.image.trap_at(pc)
        traps = self.report.stats.traps
        traps[key] = traps.get(key, 0) + 1
        for hook in hooks.trap_begins:
            hook(warp, mask, pc)
        before = self._calls.pop((id(warp), pc), None)
        calls = before.calls if before is not None else 0
        ctx = TrapContext(self, cta.cluster, cta, warp, mask=mask, op=op, calls=calls)
        try:
            outcome = TRAPS[key](ctx, op)
        except Diagnostic as wrong:
            raise faults.placed(wrong, op, warp, ctx.blamed) from None
        parked: Parked | None = None
        if isinstance(outcome, Done):
            after = self.image.caches[pc][2] if isinstance(outcome, Instead) else self.image.next_pc(pc)
            if mask == F.FULL:
                frame.u32[:32] = after
            else:
                frame.u32[:32][lane_bits(mask)] = after
        else:
            frame.set(F.F_WAITING, frame.get(F.F_WAITING) | mask)
            parked = Parked(warp, mask, pc, outcome.why, calls + 1)
            self.park(outcome.on, parked)
        for hook in hooks.trap_ended:
            hook(warp, mask, pc, parked)
        return True
