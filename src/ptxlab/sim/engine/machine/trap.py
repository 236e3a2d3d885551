"""Instructions that run in Python: the registry of their meanings, and what such a meaning may ask of the machine.

The native loop returns to Python at a trap; Python calls the function registered for the row's key:

    @trap("mbarrier.try_wait")
    def try_wait(ctx: TrapContext, op: Op) -> Outcome: ...

A meaning answers `DONE`, or `Blocked(on=key)`: then the lanes of `ctx.mask` are parked, and the meaning is called again
for them after `machine.wake(key)`. It must not have changed anything when it answers Blocked, unless it can tell a
second call from the first. A fault is a raised Diagnostic; places (PTX and Python line) are filled in by the caller.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ptxlab.isa.operands import Addr, Imm, Not, Operand, Reg, Sink, Sreg, Symbol, Vec
from ptxlab.isa.types import ScalarType
from ptxlab.ptx.program import Op
from ptxlab.sim.engine.compiled import registry
from ptxlab.sim.engine.compiled.address import ADDRESS32
from ptxlab.sim.engine.compiled.registry import DONE, INSTEAD, Blocked, Done, Outcome
from ptxlab.sim.engine.decoded.immediates import immediate_bits, literal_bits
from ptxlab.sim.engine.machine.protocol import MachineLike, Unit, Waiting, unit
from ptxlab.sim.engine.machine.resident import Cluster, Cta, Warp


def numpy_type(type_: ScalarType) -> np.dtype[Any]:
    """How values of a PTX type are handed to Python: their own NumPy type; bf16 and 8-bit floats as unsigned bits."""
    if type_.kind == "f" and type_.name in ("f16", "f32", "f64"):
        return np.dtype(f"f{type_.bits // 8}")
    if type_.kind == "s":
        return np.dtype(f"i{type_.bits // 8}")
    return np.dtype(f"u{min(type_.bits, 64) // 8}")


@dataclass(slots=True)
class TrapContext:
    """What a meaning in Python sees: one warp at one instruction.

    Attributes:
        machine, cluster, cta, warp: where it happens.
        mask: the lanes that execute it, as a 32-bit mask; never 0.
        op: the instruction, with its bound instance.
        calls: how often this instruction was tried before by these lanes (0 at first, 1 after one Blocked, …).
        lane: the lane at hand, which is to blame for what is wrong now; None stands for the first of `mask`.
    """

    machine: MachineLike
    cluster: Cluster
    cta: Cta
    warp: Warp
    mask: int
    op: Op
    calls: int = 0
    lane: int | None = None

    @property
    def blamed(self) -> int:
        """The lane that a fault names."""
        return self.first_lane if self.lane is None else self.lane

    @property
    def lanes(self) -> NDArray[np.intp]:
        """The executing lanes, ascending."""
        return np.flatnonzero(self.lane_mask)

    @property
    def lane_mask(self) -> NDArray[np.bool_]:
        """bool[32]: which lanes execute."""
        return ((self.mask >> np.arange(32)) & 1).astype(bool)

    @property
    def first_lane(self) -> int:
        """The lowest executing lane."""
        return (self.mask & -self.mask).bit_length() - 1

    @property
    def shared(self) -> NDArray[np.uint8]:
        """The kernel's part of the CTA's shared memory, as a writable view."""
        return self.cta.shared

    def _operand(self, operand: str | Operand) -> Operand:
        return self.op.inst.operands[operand] if isinstance(operand, str) else operand

    def _type(self, operand: str | Operand, default: ScalarType) -> ScalarType:
        named = self.op.inst.type_of(operand) if isinstance(operand, str) else None
        # a register wider than the row's type (ld, st) is read as it is
        return named if named is not None and named.bits == default.bits else default

    def present(self, name: str) -> bool:
        """Whether an optional operand is given."""
        return name in self.op.inst.operands

    def read(self, operand: str | Operand) -> NDArray[Any]:
        """The value of an operand in all 32 lanes, executing or not: shape (32,), or (n, 32) for a vector in braces.

        dtype: the row's type where its width fits (uint32, int32, float32, …; bool for predicates), else the register's.
        """
        found = self._operand(operand)
        if isinstance(found, Vec):
            return np.stack([self.read(item) for item in found.items])
        if isinstance(found, Not):
            return ~self.warp.read_row(found.reg)
        if isinstance(found, (Reg, Sreg)):
            row = self.warp.read_row(found)
            return row if row.dtype == np.bool_ else row.view(numpy_type(self._type(operand, found.type)))
        if isinstance(found, Imm):
            return np.full(32, *_immediate(found, self.op.inst.type_of(operand) if isinstance(operand, str) else None))
        if isinstance(found, Symbol):
            return np.full(32, self.machine.symbol_address(found, self.cta), np.uint64)
        raise TypeError(f"operand {found} has no value")

    def read_bytes(self, operand: str) -> NDArray[np.uint8]:
        """What the lanes hold of an operand, or of all elements of a vector, as the row's type: (32, bytes)."""
        spec, type_ = self.op.inst.form.operands[operand], self.op.inst.type_of(operand)
        assert type_ is not None
        found = self.op.inst.operands[operand]
        parts: list[NDArray[np.uint8]] = []
        for item in found.items if isinstance(found, Vec) else (found,):
            if isinstance(item, Imm):
                raw = np.full(32, literal_bits(item, type_, cut=spec.cut), np.uint64).view(np.uint8)
            else:
                raw = np.ascontiguousarray(self.warp.row(item) if isinstance(item, Reg) else self.read(item)).view(
                    np.uint8
                )
            parts.append(raw.reshape(32, -1)[:, : type_.bytes])
        return np.ascontiguousarray(np.concatenate(parts, axis=1))

    def read_addr(self, operand: str | Operand) -> NDArray[np.uint64]:
        """Effective addresses, offset added, in all 32 lanes; wrapped to 32 bits where the register has 32."""
        found = self._operand(operand)
        assert isinstance(found, Addr), f"{found} is no address"
        base = found.base
        if isinstance(base, Reg):
            row = self.warp.read_row(base)
            out = row.view(np.uint32 if base.type.bits == 32 else np.uint64).astype(np.uint64)
            out = out + np.uint64(found.offset & 0xFFFF_FFFF_FFFF_FFFF)
            return out & np.uint64(ADDRESS32) if base.type.bits == 32 else out
        value = int(base.value) if isinstance(base, Imm) else self.machine.symbol_address(base, self.cta)
        return np.full(32, (value + found.offset) & 0xFFFF_FFFF_FFFF_FFFF, np.uint64)

    def uniform(self, operand: str | Operand) -> int:
        """The value in the lowest executing lane, as an int (addresses: the effective address)."""
        found = self._operand(operand)
        values = self.read_addr(found) if isinstance(found, Addr) else self.read(operand)
        return int(values[self.first_lane])

    def write(self, operand: str | Operand, values: object) -> None:
        """Write a register (or a vector of registers: values of shape (n, 32)) in the executing lanes.

        `values` is broadcast over lanes; integers wrap to the register's width. The sink takes anything.
        """
        found = self._operand(operand)
        if isinstance(found, Vec):
            for item, row in zip(found.items, np.asarray(values), strict=True):
                self.write(item, row)
        elif isinstance(found, Reg):
            self.warp.write_row(found, np.asarray(values), self.mask)
        elif not isinstance(found, Sink):
            raise TypeError(f"operand {found} cannot be written")

    def frame_rows(self, registers: Sequence[Operand]) -> list[NDArray[np.uint8]]:
        """The registers' rows themselves, as bytes: writable views of 32 lanes × 2, 4 or 8 bytes."""
        return [self.warp.row(r) for r in registers if isinstance(r, Reg)]

    def global_view(
        self,
        address: int,
        nbytes: int,
        *,
        write: bool = False,
        pieces: tuple[NDArray[np.int64], int] | None = None,
    ) -> NDArray[np.uint8]:
        """Global memory [address, address + nbytes) as a view. `pieces`: see `Machine.global_view`.

        Raises: Diagnostic PTX9002 that names the array and how far outside it the access lies; PTX9004 for a write to
        an array that is read-only.
        """
        return self.machine.global_view(address, nbytes, write=write, pieces=pieces)


Meaning: TypeAlias = Callable[[TrapContext, Op], Outcome]


def trap(*keys: str, question: bool = False) -> Callable[[Meaning], Meaning]:
    """Register the function as the meaning of the rows with these keys, run in Python. question: see `registry.trap`."""
    return registry.trap(*keys, question=question)


def _immediate(value: Imm, type_: ScalarType | None) -> tuple[Any, Any]:
    if value.is_float and type_ is not None and type_.name in ("f32", "f64"):
        dtype = numpy_type(type_)
        return np.array([immediate_bits(value, type_)], np.uint64).astype(f"u{type_.bytes}").view(dtype)[0], dtype
    if value.float_bits:
        return np.uint64(value.value).astype(f"u{value.float_bits // 8}").view(
            f"f{value.float_bits // 8}"
        ), f"f{value.float_bits // 8}"
    if isinstance(value.value, float):
        return value.value, numpy_type(type_) if type_ is not None and type_.kind == "f" else np.float64
    dtype = numpy_type(type_) if type_ is not None and type_.kind in "bus" and type_.bits >= 8 else np.dtype(np.int64)
    return np.uint64(value.value & 0xFFFF_FFFF_FFFF_FFFF).astype(dtype), dtype


__all__ = [
    "DONE",
    "INSTEAD",
    "Blocked",
    "Done",
    "Outcome",
    "TrapContext",
    "Unit",
    "Waiting",
    "numpy_type",
    "trap",
    "unit",
]
