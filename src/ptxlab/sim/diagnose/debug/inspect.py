"""The state of a stopped launch as NumPy arrays: registers, shared and local memory, parameters, mbarriers."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ptxlab.abi.arrays import PTX_TYPE
from ptxlab.diag import Diagnostic, user_span
from ptxlab.isa.operands import Reg, Sreg
from ptxlab.isa.sregs import SREGS
from ptxlab.isa.types import ScalarType
from ptxlab.layout.shared_tile import SharedTile
from ptxlab.ptx.program import Program
from ptxlab.sim.engine.compiled import frame as F
from ptxlab.sim.engine.compiled.native import Bytes
from ptxlab.sim.engine.compiled.registry import load
from ptxlab.sim.engine.machine.protocol import MachineLike
from ptxlab.sim.engine.machine.resident import Cta, Launched, Warp
from ptxlab.sim.engine.machine.special import lane_row

_NUMPY = {ptx: name for name, ptx in PTX_TYPE.items() if name != "bool"} | {"tf32": "float32"}


def numpy_dtype(name: str) -> np.dtype[Any]:
    """NumPy's (or ml_dtypes') type for a PTX or NumPy type's name; untyped bits and packed pairs are unsigned integers.

    Raises: Diagnostic PTX2307.
    """
    if name[:1] == "b" and name[1:].isdigit():
        name = f"u{min(64, int(name[1:]))}"
    elif name.endswith("x2"):
        name = "u32" if name[-4:-2] == "16" else "u64" if name.startswith("f32") else "u16"
    word = _NUMPY.get(name, name)
    try:
        if word in ("bfloat16", "float8_e4m3fn", "float8_e5m2"):
            import ml_dtypes

            return np.dtype(getattr(ml_dtypes, word))
        return np.dtype(word)
    except TypeError:
        raise wrong("PTX2307", f"{name!r} is no dtype.", 'use e.g. "f32", "bf16" or "u32"') from None


def wrong(code: str, message: str, help: str | None = None) -> Diagnostic:
    """What is wrong in the line of the user that asks the debugger."""
    return Diagnostic(code, message, help=help, origin=user_span())


def unknown(code: str, what: str, name: str, names: Iterable[str]) -> Diagnostic:
    """A name that nobody has, with those that come near."""
    known = list(names)
    near = difflib.get_close_matches(name, known, n=4, cutoff=0.4) or known[:8]
    listed = ", ".join(near) + (", …" if len(near) < len(known) else "")
    return wrong(code, f"The kernel has no {what} `{name}`.", f"there are: {listed or 'none'}")


# --- registers --------------------------------------------------------------------------------------------------------
def register_types(program: Program) -> dict[str, ScalarType]:
    """The registers of a kernel and of the functions that it may call."""
    out: dict[str, ScalarType] = {}
    for routine in (*program.functions, program):
        out |= routine.registers
    return out


def register(
    warp: Warp, types: Mapping[str, ScalarType], name: str, dtype: str | None = None, others: Iterable[str] = ()
) -> NDArray[Any]:
    """A copy of a register in all 32 lanes, in its type or another one of its size; special registers too. `others`: names that a
    diagnostic knows beside registers.

    Returns: shape (32,); (32, 2) of uint64 for 128 bits; bool for a predicate.
    Raises: Diagnostic PTX9031, PTX2307.
    """
    if not isinstance(name, str):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise unknown("PTX9031", "register", repr(name), types)
    full = name if name.startswith("%") else f"%{name}"
    type_ = types.get(name) or types.get(full)
    if type_ is not None:
        row = warp.read_row(Reg(name if name in types else full, type_)).copy()
        if type_.bits == 1:
            return row
        row = row.reshape(32, 2) if type_.bits == 128 else row
        return _as(row, numpy_dtype(dtype or type_.name), name)
    if full in SREGS:
        return _special(warp, Sreg(full, SREGS[full].type))
    raise unknown("PTX9031", "register", name, [*others, *types])


def _special(warp: Warp, register: Sreg) -> NDArray[Any]:
    if register.name in F.LANE_SREGS:  # the kernel may not use it
        return lane_row(register.name, warp.index, warp.machine.record.block)
    return warp.read_row(register).copy()


def _as(row: NDArray[Any], dtype: np.dtype[Any], name: str) -> NDArray[Any]:
    if dtype.itemsize != row.dtype.itemsize:
        message = f"`{name}` has {8 * row.dtype.itemsize} bits a lane, and {dtype.name} has {8 * dtype.itemsize}."
        raise wrong("PTX2307", message, "name a dtype of the same size")
    return row.view(dtype)


# --- memory -----------------------------------------------------------------------------------------------------------
class Memory:
    """Bytes, by position or by variable: `m[0:16]`, `m[8]`, `m["tile"]`, `m.view(64, "f32", (4, 4))`.

    What it gives are views into the launch's memory: writing to them changes it. Swizzled tiles are copies in the order of
    their indices.
    """

    def __init__(self, memory: Bytes, variables: Mapping[str, tuple[int, int, str]], tiles: Mapping[str, SharedTile]):
        self._memory, self._variables, self._tiles = memory, variables, tiles

    def __len__(self) -> int:
        return self._memory.shape[-1]

    def __repr__(self) -> str:
        return f"<memory of {len(self)} bytes: {', '.join(self) or 'no variables'}>"

    def __iter__(self) -> Iterator[str]:
        return iter({**self._variables, **self._tiles})

    def __getitem__(self, key: Any) -> Any:
        if not isinstance(key, str):
            return self._memory[..., key]
        tile = self._tiles.get(key)
        if tile is not None:
            return self._tile(tile)
        if key not in self._variables:
            raise unknown("PTX9033", "variable", key, self)
        at, nbytes, dtype = self._variables[key]
        item = numpy_dtype(dtype)
        return self._memory[..., at : at + nbytes // item.itemsize * item.itemsize].view(item)

    def view(self, where: int | str, dtype: Any, shape: int | tuple[int, ...] = -1) -> NDArray[Any]:
        """The memory from a byte or a variable on, as an array of a type and shape (default: as many as there are).

        Raises: Diagnostic PTX9033 for a variable that is not there, or where the memory is too short; PTX2307.
        """
        item = numpy_dtype(dtype) if isinstance(dtype, str) else np.dtype(dtype)
        if isinstance(where, str):
            if where not in self._variables:
                raise unknown("PTX9033", "variable", where, self._variables)
            at, end = self._variables[where][0], sum(self._variables[where][:2])
        else:
            at, end = where, len(self)
        extents = (shape,) if isinstance(shape, int) else tuple(shape)
        count = (end - at) // item.itemsize if -1 in extents else int(np.prod(extents))
        if at < 0 or at + count * item.itemsize > len(self):
            message = f"{count} × {item.name} from byte {at} on do not fit into {len(self)} bytes."
            raise wrong("PTX9033", message, "start earlier, or take fewer")
        found = self._memory[..., at : at + count * item.itemsize].view(item)
        return found.reshape(*self._memory.shape[:-1], *extents)

    def _tile(self, tile: SharedTile) -> NDArray[Any]:
        start = self._variables[tile.name][0] if tile.offset is None else tile.offset
        item = numpy_dtype(tile.dtype)
        if tile.swizzle == "none":
            nbytes = item.itemsize * int(np.prod(tile.shape))
            return self._memory[start : start + nbytes].view(item).reshape(tile.shape)
        places = (start + tile.offsets())[..., None] + np.arange(item.itemsize)
        return self._memory[places].reshape(*tile.shape[:-1], -1).view(item)


def shared_memory(cta: Cta, tiles: Mapping[str, SharedTile]) -> Memory:
    """The shared memory of a CTA."""
    size = len(cta.shared)
    variables = {
        v.name: (v.offset, v.size or size - v.offset, v.type.name)
        for routine in (cta.machine.record.program, *cta.machine.record.program.functions)
        for v in routine.variables
        if v.space.startswith("shared")
    }
    return Memory(cta.shared, variables, tiles)


def local_memory(warp: Warp) -> Memory:
    """The local memory of a warp's threads, one row a lane: arrays have 32 as their first extent."""
    size = warp.machine.image.local_bytes
    rows = warp.cta.slot.local.reshape(-1, 32, size)[warp.index] if size else np.zeros((32, 0), np.uint8)
    program = warp.machine.record.program
    variables = {v.name: (v.offset, v.size, v.type.name) for v in program.variables if v.space == "local"}
    return Memory(rows, variables, {})


def parameter(machine: Launched, name: str) -> Any:
    """A parameter of the kernel: a NumPy scalar, or an array where it is one. Raises: Diagnostic PTX9033."""
    params = {p.name: p for p in machine.record.program.params}
    if name not in params:
        raise unknown("PTX9033", "parameter", name, params)
    p = params[name]
    values = machine.params[p.offset : p.offset + p.size].copy().view(numpy_dtype(p.type.name))
    return values if p.count > 1 else values[0]


# --- mbarriers --------------------------------------------------------------------------------------------------------
@dataclass(frozen=True, slots=True)
class MbarrierState:
    """A live mbarrier.

    Attributes:
        name: where it lies, in words. offset: its byte in the CTA's shared memory.
        phase: phases completed; its lowest bit is the parity of the current one.
        count: arrivals of a phase. pending: those that this phase lacks. tx: bytes that it lacks (below 0: they came early).
        waiting: who waits for the end of the phase, in words.
    """

    name: str
    offset: int
    phase: int
    count: int
    pending: int
    tx: int
    waiting: tuple[str, ...] = ()

    def __str__(self) -> str:
        lacks = [f"{self.pending} of {self.count} arrivals"] if self.pending else []
        if self.tx:
            lacks.append(f"{self.tx} bytes" if self.tx > 0 else f"an expect_tx for {-self.tx} bytes that have come")
        waits = f"; {', '.join(self.waiting)} waiting" if self.waiting else ""
        return (
            f"{self.name}: phase {self.phase} (parity {self.phase & 1}) lacks {' and '.join(lacks) or 'nothing'}{waits}"
        )


MBARRIERS: list[Callable[[MachineLike, Cta], list[MbarrierState]]] = []
"""Who knows the live mbarriers of a CTA, by place."""


def mbarriers(machine: MachineLike, cta: Cta) -> list[MbarrierState]:
    """The live mbarriers of a CTA, by place."""
    if not machine.units:
        return []
    load("diagnose")
    return [state for known in MBARRIERS for state in known(machine, cta)]
