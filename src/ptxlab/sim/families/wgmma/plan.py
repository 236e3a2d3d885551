"""What a wgmma instruction does, worked out once per instruction: shapes, types, and where its registers lie in the frames."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ptxlab.isa.operands import Imm, Reg, Vec
from ptxlab.layout.fragments import wgmma_a, wgmma_d
from ptxlab.layout.matrix_descriptor import Major, MatrixDescriptor, element_offsets
from ptxlab.sim.engine.compiled.address import SHARED_BASE
from ptxlab.sim.numerics import native

if TYPE_CHECKING:
    from ptxlab.ptx.program import Op
    from ptxlab.sim.engine.machine.protocol import MachineLike

Index = NDArray[np.int32]
BITS = {"f16": 16, "bf16": 16, "tf32": 32, "e4m3": 8, "e5m2": 8, "s8": 8, "u8": 8, "b1": 8}
"""Bits of the memory word that an element is taken from; b1 operands are taken by bytes."""
FLOATS = ("f16", "bf16", "tf32", "e4m3", "e5m2")
ROWS, ROWS_PER_WARP = 64, 16
_MOST = 512
"""Pairs of descriptors that an instruction remembers."""


class Types(NamedTuple):
    """Extents and element types: instructions that share them share their arithmetic. k counts memory words, 32 bytes a line."""

    n: int
    k: int
    a: str
    b: str
    d: str
    sparse: bool = False
    coded: str = ""
    """Whether its numbers are codes of residues."""

    @property
    def depth(self) -> int:
        """Memory words of a column of B: twice those of a row of A where A is sparse."""
        return 2 * self.k if self.sparse else self.k

    @property
    def d_bits(self) -> int:
        """Bits of an accumulator element."""
        return 16 if self.d == "f16" else 32


@dataclass(frozen=True, eq=False)
class Plan:
    """One wgmma.mma_async.

    Attributes:
        starts: where each register of the accumulator lies in a frame, int64, bytes.
        d_index: where accumulator element (row % 16, column) of a warp lies in its frame, [4, 16, N] in words of d_bits.
        a_index: the same for A in registers, [4, 16, k] in words of a's type; None when A comes by descriptor.
        starts_at, a_at: where `starts` and `a_index` lie in memory.
        major_a, major_b: "MN" where the transpose immediate is 1.
        saturate: clamp integer results instead of wrapping them.
        metadata, selector: of a sparse A: where the register of its metadata lies in a frame, bytes, and whose lanes' count.
    """

    name: str
    types: Types
    starts: NDArray[np.int64]
    d_index: Index
    a_index: Index | None
    major_a: Major
    major_b: Major
    negate_a: bool
    negate_b: bool
    saturate: bool
    metadata: int = 0
    selector: int = 0
    starts_at: int = field(init=False)
    a_at: int = field(init=False)
    _found: dict[tuple[int, int], Operands] = field(default_factory=dict[tuple[int, int], "Operands"])

    def __post_init__(self) -> None:
        object.__setattr__(self, "starts_at", int(self.starts.ctypes.data))
        object.__setattr__(self, "a_at", 0 if self.a_index is None else int(self.a_index.ctypes.data))

    def operands(self, descriptors: tuple[int, int]) -> Operands:
        """Where A and B lie, by their descriptors. Raises: Diagnostic PTX2121."""
        found = self._found.get(descriptors)
        if found is None:
            a, b = descriptors
            types = self.types
            bits = BITS[types.a]
            left = None
            if self.a_index is None:
                left = operand_index(a, ROWS, types.k, bits, self.major_a, by_k=False)
            found = Operands(left, operand_index(b, types.n, types.depth, bits, self.major_b, by_k=True))
            if len(self._found) >= _MOST:
                self._found.clear()
            self._found[descriptors] = found
        return found


def make_plan(machine: MachineLike, op: Op) -> Plan:
    """The plan of an instruction of the running program."""
    inst = op.inst
    shape = inst.mods["shape"]
    a_type, b_type, d_type = inst.mods["atype"], inst.mods["btype"], inst.mods["dtype"]
    n = int(shape[shape.index("n") + 1 : shape.index("k")])
    bits = BITS[a_type]
    d_bits = 16 if d_type == "f16" else 32
    a = inst.operands["a"]
    metadata = inst.operands.get("meta")
    coded = machine.image.program.coded if a_type in FLOATS else ""
    return Plan(
        name=f"wgmma {shape}",
        types=Types(n, 256 // bits, a_type, b_type, d_type, sparse=metadata is not None, coded=coded),
        starts=_starts(machine, inst.operands["d"]),
        d_index=_frame_index(machine, inst.operands["d"], wgmma_d(n).flat, (64, n), d_bits),
        a_index=_frame_index(machine, a, wgmma_a(bits).flat, (64, 256 // bits), bits) if isinstance(a, Vec) else None,
        major_a="MN" if _immediate(op, "trans_a") == 1 else "K",
        major_b="MN" if _immediate(op, "trans_b") == 1 else "K",
        negate_a=_immediate(op, "scale_a") == -1,
        negate_b=_immediate(op, "scale_b") == -1,
        saturate="satfinite" in inst.mods,
        metadata=machine.image.rows[metadata.name] if isinstance(metadata, Reg) else 0,
        selector=_immediate(op, "selector") or 0,
    )


def _immediate(op: Op, name: str) -> int | None:
    found = op.inst.operands.get(name)
    return int(found.value) if isinstance(found, Imm) else None


def _frame_index(machine: MachineLike, registers: object, flat: Index, shape: tuple[int, int], bits: int) -> Index:
    """Where each element of a fragment lies in its warp's frame, in words of `bits`, as [warps, rows of a warp, columns]."""
    starts = _starts(machine, registers)
    per_register = 32 // bits
    thread, element = np.indices(flat.shape)
    byte = starts[element // per_register] + thread % 32 * 4 + element % per_register * (bits // 8)
    out = np.empty(shape[0] * shape[1], np.int32)
    out[flat] = byte // (bits // 8)
    return out.reshape(4, ROWS_PER_WARP, shape[1])


def _starts(machine: MachineLike, registers: object) -> NDArray[np.int64]:
    assert isinstance(registers, Vec)
    return np.array([machine.image.rows[r.name] for r in registers.items if isinstance(r, Reg)], np.int64)


@dataclass(frozen=True, slots=True, eq=False)
class OperandIndex:
    """Where the elements behind a descriptor lie in a kernel's shared memory, in words, flat; `begin`, `end`: in bytes."""

    index: Index
    address: int
    begin: int
    end: int


class Operands(NamedTuple):
    """Where the elements of A, unless it comes in registers, and of B lie."""

    a: OperandIndex | None
    b: OperandIndex


@lru_cache(maxsize=512)
def operand_index(descriptor: int, lines: int, k: int, bits: int, major: Major, *, by_k: bool) -> OperandIndex:
    """The elements of an operand in words of `bits`.

    Args:
        by_k: in the order that `native.multiply` wants B in; else [lines, k].

    Raises: Diagnostic PTX2121.
    """
    addresses = element_offsets(MatrixDescriptor.decode(descriptor), lines, k, bits, major) - SHARED_BASE
    ordered = native.blocked(addresses.T) if by_k else addresses
    index = np.ascontiguousarray(ordered // (bits // 8), np.int32).reshape(-1)
    return OperandIndex(index, index.ctypes.data, int(addresses.min()), int(addresses.max()) + bits // 8)
