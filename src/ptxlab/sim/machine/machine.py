"""The machine of one launch: memories, CTAs and clusters, and the way from a trap to its meaning.

CTAs that need nobody's help run one after the other without Python; schedule.py sees to all others.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from ptxlab.abi.occupancy import Residency, refusal
from ptxlab.abi.options import SimOptions
from ptxlab.abi.record import LaunchRecord
from ptxlab.diag import Diagnostic
from ptxlab.isa.operands import Operand, Reg, Sreg, Symbol
from ptxlab.sim.compiled import frame as F
from ptxlab.sim.compiled.address import LOCAL_WINDOW, shared_address
from ptxlab.sim.compiled.native import Block, Bytes, address, allocate, functions
from ptxlab.sim.compiled.registry import TRAPS, UNITS, Blocked, Done, load_units
from ptxlab.sim.decoded.decode import Image, image_of
from ptxlab.sim.machine import faults
from ptxlab.sim.machine.heap import existing
from ptxlab.sim.machine.schedule import LONE, PASSES, SLICE, Starts, Turn, rounds
from ptxlab.sim.machine.special import constants, lane_row, shared_bytes, shared_wanted
from ptxlab.sim.machine.trap import TrapContext, Unit
from ptxlab.sim.report.report import Event, Report, Trace

if TYPE_CHECKING:
    from ptxlab.ptx.program import Op

TRAPS_OF_TURN = 256
TRAPS_OF_WARP = 16
"""Instructions that run in Python, after which another CTA, or another warp of the CTA, gets its turn."""
SHORT = 64
"""Warp instructions between two questions of somebody who does nothing else."""
VAIN = 8
"""Turns in a row in which a CTA only polls, after which it gets company."""
U = TypeVar("U", bound=Unit)
Pieces = tuple[NDArray[np.int64], int]


class Warp:
    """A warp: its registers and masks, as views of its frame."""

    __slots__ = ("cta", "frame", "index", "machine")

    def __init__(self, cta: Cta, index: int, frame: Bytes) -> None:
        self.cta, self.index, self.frame = cta, index, Block(frame)
        self.machine = cta.machine

    @property
    def instructions(self) -> int:
        """Instructions that the warp has executed: its logical clock."""
        return self.frame.get64(F.F_INSTRUCTIONS)

    @property
    def waiting(self) -> int:
        """Mask of the lanes that a trap has parked."""
        return self.frame.get(F.F_WAITING)

    def row(self, register: Reg) -> Bytes:
        """A register's row, 32 lanes of 2, 4, 8 or 16 bytes; a predicate is 4 bytes, lane 0 the lowest bit. Writable."""
        at = self.machine.image.rows[register.name]
        return self.frame.bytes[at : at + F.row_bytes(register.type.bits)]

    def read_row(self, register: Reg | Sreg) -> NDArray[Any]:
        """A register in all 32 lanes: a view of unsigned integers of its width, a copy of booleans for a predicate."""
        if isinstance(register, Sreg):
            return self._special(register)
        raw = self.row(register)
        if register.type.bits == 1:
            return _bits(int(raw.view(np.uint32)[0]))
        return raw.view(np.dtype(f"u{max(16, min(64, register.type.bits)) // 8}"))

    def write_row(self, register: Reg, values: NDArray[Any], mask: int) -> None:
        """Write the lanes of a mask; values are broadcast, integers wrap, floats are stored as their bits."""
        raw = self.row(register)
        if register.type.bits == 1:
            word = raw.view(np.uint32)
            word[0] = (int(word[0]) & ~mask) | (_word(np.broadcast_to(values, 32).astype(bool)) & mask)
            return
        dtype = np.dtype(f"u{max(16, min(64, register.type.bits)) // 8}")
        if values.dtype.kind == "f":
            values = values.view(f"u{values.dtype.itemsize}")
        np.copyto(raw.view(dtype), np.broadcast_to(values, 32).astype(dtype), where=_bits(mask))

    def _special(self, register: Sreg) -> NDArray[Any]:
        if register.name in F.SREG_OFFSET:
            return np.full(32, self.frame.get(F.SREG_OFFSET[register.name]), np.uint32)
        at = self.machine.image.lane_rows.get(register.name)
        if at is not None:
            return self.frame.bytes[at : at + 128].view(np.uint32)
        return np.full(32, self.instructions, np.uint64 if register.type.bits == 64 else np.uint32)

    def thread(self, lane: int) -> tuple[int, int, int]:
        """%tid of a lane."""
        x, y, _ = self.machine.record.block
        linear = self.index * 32 + lane
        return linear % x, linear // x % y, linear // (x * y)


class Cta:
    """A CTA in its slot."""

    def __init__(self, machine: Machine, slot: Slot) -> None:
        self.machine = machine
        self.slot = slot
        self.cluster: Cluster
        self.rank = 0
        self.index = 0
        self.coordinates: tuple[int, int, int] = (0, 0, 0)
        self.warps = [Warp(self, i, frame) for i, frame in enumerate(slot.frames)]

    @property
    def shared(self) -> Bytes:
        """The kernel's part of its shared memory: `shared_bytes` bytes, writable."""
        return self.slot.shared

    @property
    def block(self) -> Block:
        """Its native state."""
        return self.slot.block

    @property
    def ended(self) -> bool:
        """Whether all its threads have exited."""
        return self.block.get(F.C_ALIVE) == 0


class Slot:
    """The memory that a resident CTA occupies; CTAs follow one another in it."""

    def __init__(self, machine: Machine) -> None:
        image, record = machine.image, machine.record
        self.warps = -(-record.threads // 32)
        memory = allocate(self.warps * image.frame_bytes)
        self.frames = [memory[i * image.frame_bytes : (i + 1) * image.frame_bytes] for i in range(self.warps)]
        self.memory = memory
        self.shared = allocate(machine.shared_bytes, 1024)
        self.local = _local(self.warps * 32, image.local_bytes)
        self.block = Block(allocate(F.C_BYTES))
        self.table = allocate(16 * 8)
        self.mbarriers = allocate(len(self.shared) // 8 * F.MBARRIER_BYTES if image.traps else 0)
        self.products = allocate(-(-self.warps // F.P_WARPS) * F.GROUP_BYTES if image.traps else 0)
        b = self.block
        b.set(F.C_WARPS, self.warps)
        b.set(F.C_FRAME_BYTES, image.frame_bytes)
        b.set(F.C_THREADS, record.threads)
        b.set(F.C_CLUSTER_SIZE, 1)
        b.set(F.C_ENTRY, image.entry)
        b.set64(F.C_MBARRIERS, address(self.mbarriers))
        b.set64(F.C_PRODUCTS, address(self.products))
        b.set64(F.C_FRAMES, address(memory))
        b.set64(F.C_SHARED, address(self.shared))
        b.set64(F.C_SHARED_BYTES, len(self.shared))
        b.set64(F.C_CLUSTER, address(self.table))
        self.table.view(np.uint64)[0] = b.address
        for index, frame in enumerate(self.frames):
            self._fill(machine, index, Block(frame))

    def _fill(self, machine: Machine, index: int, f: Block) -> None:
        f.set(F.F_ONES, F.FULL)
        f.set64(F.F_CTA, self.block.address)
        f.set64(F.F_SHARED, address(self.shared))
        f.set64(F.F_SHARED_BYTES, len(self.shared))
        f.set64(F.F_LOCAL, address(self.local) + index * 32 * machine.image.local_bytes)
        f.set64(F.F_LOCAL_BYTES, machine.image.local_bytes)
        for name, value in machine.constants.items():
            f.set(F.SREG_OFFSET[name], value)
        f.set(F.SREG_OFFSET["%warpid"], index)
        for name, at in machine.image.lane_rows.items():
            f.u32[at >> 2 : (at >> 2) + 32] = lane_row(name, index, machine.record.block)


def _local(threads: int, each: int) -> Bytes:
    """Local memory of so many threads."""
    try:
        return allocate(threads * each)
    except (MemoryError, ValueError):
        raise Diagnostic(
            "PTX9021",
            f"The {threads} threads of a CTA have {each} bytes of local memory each, {threads * each / (1 << 30):.1f} GiB: "
            "this machine has not so much",
        ) from None


@dataclass(eq=False)
class Cluster:
    """A resident cluster; a launch without clusters has clusters of one CTA."""

    machine: Machine
    index: int
    coordinates: tuple[int, int, int]
    ctas: list[Cta]
    sms: tuple[int, ...]
    slices: int = 0

    @property
    def ended(self) -> bool:
        """Whether all threads of all its CTAs have exited."""
        return all(c.ended for c in self.ctas)


@dataclass(slots=True)
class Parked:
    """Lanes that a trap has parked."""

    warp: Warp
    mask: int
    pc: int
    why: str
    calls: int = 1


@dataclass(frozen=True, kw_only=True)
class Options(SimOptions):
    """What the user chose, and the `parts` to run: clusters by index, ascending; None: all of them."""

    parts: Sequence[range] | None = None


class Machine:
    """A launch under way.

    Attributes:
        record, image: what runs. options: schedule, seed, ….
        report: findings, counts, timeline so far.
        resident: the clusters that share the machine now. residency: which may.
        woken: whether a wait has ended since it was last set to False.
        parked: lanes that wait, by key.
    """

    def __init__(self, record: LaunchRecord, options: Options) -> None:
        self.record, self.options = record, options
        self.image: Image = image_of(record.program)
        self.report = Report(trace=Trace() if options.trace else None)
        self.resident: list[Cluster] = []
        self.parked: dict[Hashable, list[Parked]] = {}
        self._calls: dict[tuple[int, int], Parked] = {}
        self._free: list[Slot] = []
        self.woken = False
        self.parts = options.parts or (range(record.ctas // record.ctas_per_cluster),)
        self.words = self.image.bind(record.variables)
        self.params = self._parameters(max(16, len(record.params)))
        self.params[: len(record.params)] = np.frombuffer(record.params, np.uint8)
        self.shared_bytes = shared_bytes(record)
        self.constants = constants(record)
        self.buffers = self._buffers()
        self.env = self._environment()
        if options.trace:
            load_units()
        self.units = [cls(self) for cls in UNITS] if self.image.traps or options.trace else []
        self._by_class: dict[type[Unit], Unit] = {type(u): u for u in self.units}
        if record.cooperative:
            self._gather()

    def _parameters(self, nbytes: int) -> Bytes:
        """Memory for the parameter block."""
        return allocate(nbytes, 64)

    def _buffers(self) -> NDArray[np.uint64]:
        """Which global memory may be reached: see `faults.buffer_table`."""
        return faults.buffer_table(self.record, self.params)

    def _environment(self) -> Block:
        env = Block(allocate(F.E_BYTES))
        native = functions()
        env.set64(F.E_RECORDS, address(self.words))
        env.set64(F.E_PARAMS, address(self.params))
        env.set64(F.E_BUFFERS, address(self.buffers))
        env.set64(F.E_BUFFER_COUNT, len(self.buffers))
        env.set64(F.E_FUNCTIONS, address(self.image.functions))
        env.set64(F.E_FUNCTION_COUNT, len(self.image.functions))
        known = existing()
        if known is not None:
            known.attach(env)
        watched = self.options.trace or self.options.sanitize
        env.set64(F.E_UNWATCHED, int(not watched))
        env.set64(F.E_EAGER_COPIES, int(self.options.schedule == "eager" and not watched))
        env.set64(F.E_PASSES, PASSES)
        env.set64(F.E_RESOLVE, native.resolve)
        env.set64(F.E_ARRIVE, native.arrive)
        for axis in range(3):
            env.set(F.E_GRID + 4 * axis, self.record.grid[axis])
        return env

    @cached_property
    def residency(self) -> Residency:
        """Which clusters an H100 holds at once."""
        return Residency(self.record, shared_wanted(self.record))

    def _gather(self) -> None:
        """All CTAs meet at once: nobody has come to the grid's barrier yet. Raises Diagnostic PTX2012 where they do not fit."""
        if self.residency.count < self.residency.total:
            raise refusal(self.record, self.residency.count * self.record.ctas_per_cluster)
        for buffer in self.record.buffers:
            if buffer.address == self.record.workspace:
                faults.view(self, buffer.address, buffer.nbytes, write=True)[:] = 0

    @property
    def may_watch(self) -> bool:
        """Whether the scheduler may put handlers of its own into the records."""
        return True

    def gives_turn(self, cta: Cta) -> bool:
        """Whether a CTA may run now, for all that the launch is watched for."""
        return True

    # -- what units ask for
    def unit(self, cls: type[U]) -> U:
        """The launch's instance of a unit."""
        return self._by_class[cls]  # type: ignore[return-value]

    @property
    def instructions(self) -> int:
        """Warp instructions executed so far by the launch."""
        return self.env.get64(F.E_WARP_COUNT)

    def wake(self, key: Hashable) -> int:
        """End the wait of all lanes parked on a key; their instruction is tried again. Returns how many groups woke."""
        groups = self.parked.pop(key, [])
        self.woken |= bool(groups)
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
        return faults.view(self, where, nbytes, write=write)

    def write(self, text: str, cta: Cta) -> None:
        """What the kernel prints."""
        sys.stdout.write(text)

    def event(self, track: str, name: str, kind: str, begin: int, end: int) -> None:
        """Note something on the timeline, when there is one."""
        if self.report.trace is not None:
            self.report.trace.append(Event(track, name, kind, begin, end))

    def moved(self, op: Op, nbytes: int) -> None:
        """A unit has copied so many bytes for an instruction; a machine that counts notes it."""

    # -- running
    def run(self) -> Report:
        """Run the launch. Raises Diagnostic for a fault, a deadlock, or too many instructions."""
        started = time.perf_counter()
        x, y, z = (g // c for g, c in zip(self.record.grid, self.record.cluster, strict=True))
        starts = Starts(self.parts, (x, y, z))
        try:
            if (
                self.units
                or self.record.ctas_per_cluster > 1
                or self.record.cooperative
                or self.options.schedule == "random"
            ):
                self.run_clusters(starts)
            else:
                self.run_grid(starts)
        except Diagnostic as wrong:
            faults.sourced(self, [wrong])
            raise
        finally:
            stats = self.report.stats
            stats.warp_instructions = self.instructions
            stats.instructions = self.env.get64(F.E_THREAD_COUNT)
            stats.seconds = time.perf_counter() - started
        for unit in self.units:
            unit.finished()
        faults.sourced(self, self.report.findings)
        return self.report

    def run_clusters(self, starts: Starts) -> None:
        """Several CTAs side by side: clusters, traps, and CTAs that wait for others."""
        rounds(self, starts).run()

    def run_grid(self, starts: Starts) -> None:
        """CTAs that need nobody's help run one after the other without Python."""
        while starts.left:
            cluster = self.admit(*starts.first)
            self.resident = [cluster]
            if self._run_alone(cluster, starts):
                self.retire(cluster)
            else:
                self.residency.give(cluster.sms)
                cluster.sms = self.residency.take(cluster.index)
                rounds(self, starts).run(while_needed=True)

    def _run_alone(self, cluster: Cluster, starts: Starts) -> bool:
        """CTAs one after the other, all in the place of one. False where the one that is there now needs more time or help."""
        native, cta, before = functions(), cluster.ctas[0], self.report.stats.ctas
        part = starts.stretch
        self.env.set64(F.E_NEXT_CTA, part.start)
        self.env.set64(F.E_END_CTA, part.stop)
        while True:
            self.limit(SLICE)
            status = native.grid(cta.block.address, self.env.address)
            done = self.env.get64(F.E_NEXT_CTA) - 1
            cluster.index = cta.index = done
            cluster.coordinates = cta.coordinates = self._coordinates(done)
            spent = vain = 0
            while (status == F.SLICE and spent < LONE) or (status == F.POLLS and vain < VAIN):
                spent, vain = (spent + 1, 0) if status == F.SLICE else (spent, vain + 1)
                self.limit(SLICE)
                status = native.cta(cta.block.address, self.env.address)
                self.progress(before + done - part.start)
            self.report.stats.ctas = before + done - part.start
            if status == F.FAULT:
                raise faults.fault(self, cta)
            if status != F.EXITED or done + 1 >= part.stop:
                starts.skip(done + 1 - part.start)
                return status == F.EXITED

    def _coordinates(self, index: int) -> tuple[int, int, int]:
        x, y, _ = self.record.grid
        return index % x, index // x % y, index // (x * y)

    def turn(self, cta: Cta, length: int, traps: int = TRAPS_OF_TURN) -> Turn:
        """A CTA runs until all its warps wait or poll, for `length` warp instructions at most, and `traps` of those in Python."""
        if not cta.block.get(F.C_RUNNABLE):
            return Turn.WAITS
        native, asked, began = functions(), self._asked, self.instructions
        self.limit(length)
        for count in range(1, traps + 1):
            status = native.cta(cta.block.address, self.env.address)
            if status == F.FAULT:
                raise faults.fault(self, cta)
            if status == F.POLLS:
                return Turn.POLLS
            if status != F.TRAP:
                break
            self.trap(cta)
            if count % TRAPS_OF_WARP == 0:  # a warp may poll what another one has to do
                cta.block.set(F.C_NEXT, (cta.block.get(F.C_CURRENT) + 1) % 32)
        else:
            if self._asked - asked == traps and self.instructions - began < SHORT * traps:
                return Turn.POLLS
        return Turn.RAN

    @property
    def _asked(self) -> int:
        """How often an mbarrier was asked in Python."""
        traps = self.report.stats.traps
        return traps.get("mbarrier.test_wait", 0) + traps.get("mbarrier.test_wait.parity", 0)

    def limit(self, length: int) -> None:
        """The next slice ends so many warp instructions from now. Raises PTX9005 when the launch may run no further."""
        top = self.options.max_instructions
        if top is not None:
            left = top - self.env.get64(F.E_THREAD_COUNT)
            if left <= 0:
                raise faults.too_long(self)
            length = min(length, -(-left // 32))
        self.env.set64(F.E_LIMIT, self.instructions + length)

    def progress(self, done: int) -> None:
        if self.options.progress is not None:
            self.options.progress(done, sum(map(len, self.parts)) * self.record.ctas_per_cluster)

    # -- residency
    def admit(self, index: int, coordinates: tuple[int, int, int]) -> Cluster:
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
        functions().start(cta.block.address, *cta.coordinates, cluster.sms[cta.rank])
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

    def retire(self, cluster: Cluster) -> None:
        for unit in self.units:
            unit.cluster_finished(cluster)
        self.resident.remove(cluster)
        self._calls = {key: one for key, one in self._calls.items() if one.warp.cta.cluster is not cluster}
        self.residency.give(cluster.sms)
        self._free += [c.slot for c in cluster.ctas]
        self.report.stats.ctas += len(cluster.ctas)

    # -- traps
    def trap(self, cta: Cta) -> None:
        warp = cta.warps[cta.block.get(F.C_CURRENT)]
        frame = warp.frame
        mask, pc = frame.get(F.F_TRAP_MASK), frame.get(F.F_TRAP_PC)
        op = self.image.op_at(pc)
        key = op.inst.form.key
        traps = self.report.stats.traps
        traps[key] = traps.get(key, 0) + 1
        before = self._calls.pop((id(warp), pc), None)
        calls = before.calls if before is not None else 0
        ctx = TrapContext(self, cta.cluster, cta, warp, mask, op, calls)
        try:
            outcome = TRAPS[key](ctx, op)
        except Diagnostic as wrong:
            raise faults.placed(wrong, op, warp, ctx.blamed) from None
        if isinstance(outcome, Done):
            after = self.image.next_pc(pc)
            if mask == F.FULL:
                frame.u32[:32] = after
            else:
                frame.u32[:32][_bits(mask)] = after
            return
        assert isinstance(outcome, Blocked)
        frame.set(F.F_WAITING, frame.get(F.F_WAITING) | mask)
        self.parked.setdefault(outcome.on, []).append(Parked(warp, mask, pc, outcome.why, calls + 1))


@lru_cache(maxsize=4096)
def _bits(mask: int) -> NDArray[np.bool_]:
    """The lanes of a mask; shared, so not to be written to."""
    out = np.unpackbits(np.array([mask], "<u4").view(np.uint8), bitorder="little").astype(bool)
    out.flags.writeable = False
    return out


def _word(lanes: NDArray[np.bool_]) -> int:
    return int(np.packbits(lanes, bitorder="little").view("<u4")[0])


__all__ = ["Cluster", "Cta", "Machine", "Operand", "Options", "Parked", "Slot", "Warp"]
