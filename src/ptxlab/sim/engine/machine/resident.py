"""What is resident: clusters, their CTAs in slots of memory, and warps as views of their frames."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from ptxlab.abi.record import LaunchRecord
from ptxlab.diag import Diagnostic
from ptxlab.isa.operands import Reg, Sreg
from ptxlab.sim.engine.compiled import frame as F
from ptxlab.sim.engine.compiled.native import Block, Bytes, address, allocate
from ptxlab.sim.engine.decoded.decode import Image
from ptxlab.sim.engine.machine.special import lane_row
from ptxlab.sim.engine.machine.uninitialized import Unwritten


class Launched(Protocol):
    """What CTAs and warps know of their launch.

    Attributes:
        record, image: what runs. shared_bytes: of a CTA. constants: special registers that are the same for the entire launch.
        params: the parameter block. unwritten: what CTAs begin with.
        buffers: global memory that may be reached; see `faults.buffer_table`.
    """

    @property
    def record(self) -> LaunchRecord: ...
    @property
    def image(self) -> Image: ...
    @property
    def shared_bytes(self) -> int: ...
    @property
    def constants(self) -> Mapping[str, int]: ...
    @property
    def params(self) -> Bytes: ...
    @property
    def buffers(self) -> NDArray[np.uint64]: ...
    @property
    def unwritten(self) -> Unwritten: ...


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
            return lane_bits(int(raw.view(np.uint32)[0]))
        return raw.view(np.dtype(f"u{max(16, min(64, register.type.bits)) // 8}"))

    def write_row(self, register: Reg, values: NDArray[Any], mask: int) -> None:
        """Write the lanes of a mask; values are broadcast, integers wrap, floats are stored as their bits."""
        raw = self.row(register)
        if register.type.bits == 1:
            word = raw.view(np.uint32)
            word[0] = (int(word[0]) & ~mask) | (mask_of(np.broadcast_to(values, 32).astype(bool)) & mask)
            return
        dtype = np.dtype(f"u{max(16, min(64, register.type.bits)) // 8}")
        if values.dtype.kind == "f":
            values = values.view(f"u{values.dtype.itemsize}")
        np.copyto(raw.view(dtype), np.broadcast_to(values, 32).astype(dtype), where=lane_bits(mask))

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
    """A CTA in its slot.

    Attributes:
        blamed: the lane with which the launch has stopped; None where that is not in this CTA.
    """

    def __init__(self, machine: Launched, slot: Slot) -> None:
        self.machine = machine
        self.slot = slot
        self.cluster: Cluster
        self.rank = 0
        self.index = 0
        self.blamed: int | None = None
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

    def __init__(self, machine: Launched) -> None:
        image, record = machine.image, machine.record
        self.warps = -(-record.threads // 32)
        memory = allocate(self.warps * image.frame_bytes)
        self.frames = [memory[i * image.frame_bytes : (i + 1) * image.frame_bytes] for i in range(self.warps)]
        self.memory = memory
        self.shared = allocate(machine.shared_bytes, 1024)
        self.local = local_memory(self.warps * 32, image.local_bytes)
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
            machine.unwritten.fill(frame)
            self._fill(machine, index, Block(frame))

    def _fill(self, machine: Launched, index: int, f: Block) -> None:
        f.set(F.F_ONES, F.FULL)
        f.set64(F.F_CTA, self.block.address)
        f.set64(F.F_SHARED, address(self.shared))
        f.set64(F.F_SHARED_BYTES, len(self.shared))
        f.set64(F.F_LOCAL, address(self.local) + index * 32 * machine.image.local_bytes)
        f.set64(F.F_LOCAL_BYTES, machine.image.local_bytes)
        for name, value in machine.constants.items():
            f.set(F.SREG_OFFSET[name], value)
        f.set(F.SREG_OFFSET["%warpid"], index)
        for at, (bits, width) in machine.image.numbers.items():
            (f.u32 if width == 32 else f.u64)[at * 8 // width : at * 8 // width + 32] = bits
        for name, at in machine.image.lane_rows.items():
            f.u32[at >> 2 : (at >> 2) + 32] = lane_row(name, index, machine.record.block)


def local_memory(threads: int, each: int) -> Bytes:
    """Local memory of so many threads, `each` bytes for one of them. Raises PTX9021 where there is no room for it."""
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

    machine: Launched
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


@lru_cache(maxsize=4096)
def lane_bits(mask: int) -> NDArray[np.bool_]:
    """The lanes of a mask; shared, so not to be written to."""
    out = np.unpackbits(np.array([mask], "<u4").view(np.uint8), bitorder="little").astype(bool)
    out.flags.writeable = False
    return out


def mask_of(lanes: NDArray[np.bool_]) -> int:
    """The mask of 32 lanes."""
    return int(np.packbits(lanes, bitorder="little").view("<u4")[0])
