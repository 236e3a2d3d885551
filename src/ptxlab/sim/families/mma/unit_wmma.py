"""wmma: matrices of one warp in fragments.

How a fragment lies in the registers of a warp is the machine's own affair: here it is an H100's (`ptxlab.layout.wmma`). A
fragment with more room than elements holds them again. Products are those of mma: sums over all of K at once, but for tf32.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ptxlab.diag import Diagnostic
from ptxlab.isa.operands import Reg, Vec
from ptxlab.layout.fragments import Fragment
from ptxlab.layout.wmma import Letter, wmma
from ptxlab.sim.engine.compiled.address import is_local
from ptxlab.sim.engine.machine.trap import DONE, Outcome, trap
from ptxlab.sim.engine.units.operands import addresses, agree, integers
from ptxlab.sim.engine.units.place import check_converged, check_shared, is_generic, place
from ptxlab.sim.families.mma.meaning_wmma import TF32_STEP
from ptxlab.sim.families.mma.meaning_wmma_memory import BITS, FACTORS

if TYPE_CHECKING:
    from ptxlab.ptx.program import Op
    from ptxlab.sim.engine.machine.trap import TrapContext

Matrix = NDArray[np.unsignedinteger[Any]]
Bytes = NDArray[np.uint8]
Index = NDArray[np.integer[Any]]


@lru_cache(maxsize=256)
def _extents(shape: str) -> tuple[int, int, int]:
    m, rest = shape[1:].split("n")
    n, k = rest.split("k")
    return int(m), int(n), int(k)


def _size(op: Op, which: str) -> tuple[int, int]:
    """Rows and columns of A, B, or C and D."""
    m, n, k = _extents(str(op.inst.mod("shape")))
    return {"a": (m, k), "b": (k, n)}.get(which, (m, n))


# --- patterns and bytes


def _unpacked(raw: Bytes, bits: int) -> Matrix:
    """Elements along the last axis of bytes."""
    if bits >= 8:
        return np.ascontiguousarray(raw).view(np.dtype(f"u{bits // 8}"))
    parts = raw[..., None] >> np.arange(0, 8, bits, dtype=np.uint8) & np.uint8((1 << bits) - 1)
    return parts.reshape(*raw.shape[:-1], -1)


def _packed(values: Matrix, bits: int) -> Bytes:
    """Bytes of the elements along the last axis."""
    if bits >= 8:
        return np.ascontiguousarray(values).view(np.uint8)
    parts = values.astype(np.uint8).reshape(*values.shape[:-1], -1, 8 // bits)
    return np.bitwise_or.reduce(parts << np.arange(0, 8, bits, dtype=np.uint8), axis=-1)


# --- registers


def _rows(ctx: TrapContext, name: str) -> list[Bytes]:
    """The registers of a fragment, as bytes of the lanes: (32, width) each."""
    found = ctx.op.inst.operands[name]
    items = found.items if isinstance(found, Vec) else (found,)
    return [ctx.warp.row(r).reshape(32, -1) for r in items if isinstance(r, Reg)]


def _fragment(ctx: TrapContext, which: Letter, bits: int) -> Fragment:
    return wmma(which, _extents(str(ctx.op.inst.mod("shape"))), bits)


def _held(ctx: TrapContext, name: str, bits: int, which: Letter) -> Matrix:
    """The matrix that the warp holds in a fragment."""
    fragment = _fragment(ctx, which, bits)
    held = _unpacked(np.concatenate(_rows(ctx, name), axis=1), bits)
    out = np.zeros(fragment.shape, held.dtype)
    out[fragment.rows, fragment.cols] = held[:, : fragment.elements]
    return out


def _hold(ctx: TrapContext, name: str, bits: int, values: Matrix, which: Letter = "d") -> None:
    """Put a matrix into the registers of a fragment, again and again where there are more."""
    found = ctx.op.inst.operands[name]
    items = found.items if isinstance(found, Vec) else (found,)
    registers = [r for r in items if isinstance(r, Reg)]
    width = max(32, registers[0].type.bits)
    rows, cols = _again(which, str(ctx.op.inst.mod("shape")), bits, len(registers) * width)
    raw = _packed(values[rows, cols], bits).view(np.dtype(f"u{width // 8}"))
    starts = np.array([ctx.machine.image.rows[r.name] for r in registers], np.int64)
    frame = ctx.warp.frame
    (frame.u32 if width == 32 else frame.u64)[starts[:, None] * 8 // width + _LANES] = raw.T


_LANES: Final = np.arange(32, dtype=np.int64)


@lru_cache(maxsize=256)
def _again(which: Letter, shape: str, bits: int, room: int) -> tuple[Index, Index]:
    """Row and column of what each lane holds of a fragment in registers of so many bits, [lane, element]."""
    fragment = wmma(which, _extents(shape), bits)
    times = room // bits // fragment.elements
    return np.tile(fragment.rows, times), np.tile(fragment.cols, times)


# --- memory


def _line(ctx: TrapContext, address: int, nbytes: int, name: str, *, write: bool) -> Bytes:
    """A row or column of a matrix in memory, as a view."""
    space = str(ctx.op.inst.mod("space") or "generic")
    if space == "global" or (space == "generic" and is_generic(ctx.op.inst, name) and address >> 56 == 0):
        return ctx.global_view(address, nbytes, write=write)
    if is_local(address) and space == "generic":
        raise Diagnostic(
            "PTX9115",
            f"`{ctx.op.inst.opcode}` reaches for local memory",
            help="let the matrix lie in global or shared memory",
            isa=ctx.op.inst.form.isa,
        )
    where = place(ctx, address, generic=space == "generic", here=space != "generic")
    check_shared(where, nbytes, 1, "matrix", ctx.op)
    return where.view(nbytes)


class _Lines(NamedTuple):
    """The lines of a matrix in memory, its rows, or its columns under .col: where the first begins, how far apart they are, bytes
    of each, and their number."""

    start: int
    step: int
    nbytes: int
    number: int


def _whole(ctx: TrapContext, name: str, bits: int, lines: _Lines, *, write: bool) -> Matrix | None:
    """The lines as one view of their elements, where they lie in the memory of one place, one behind the other; else None."""
    start, step, nbytes, count = lines
    span = (count - 1) * step + nbytes
    if bits < 8 or step <= 0:
        return None
    space = str(ctx.op.inst.mod("space") or "generic")
    if space == "global" or (space == "generic" and is_generic(ctx.op.inst, name) and start >> 56 == 0):
        try:
            found = ctx.global_view(start, span, write=write, pieces=(np.arange(count, dtype=np.int64) * step, nbytes))
        except Diagnostic:
            return None  # line by line it is said which one is wrong
    else:
        if is_local(start) and space == "generic":
            return None
        where = place(ctx, start, generic=space == "generic", here=space != "generic")
        if where.offset < 0 or where.offset + span > len(where.cta.shared):
            return None
        found = where.view(span)
    size = bits // 8
    return np.ndarray((count, nbytes // size), np.dtype(f"u{size}"), found.data, 0, (step, size))


def _lines(ctx: TrapContext, name: str, bits: int, size: tuple[int, int]) -> _Lines:
    """Where a matrix lies in memory."""
    op = ctx.op
    check_converged(ctx, op)
    count, length = size if op.inst.mod("layout") == "row" else (size[1], size[0])
    starts = addresses(ctx, name)
    strides = integers(ctx, "stride") if ctx.present("stride") else [length] * 32
    if not agree(starts, ctx.mask) or not agree(strides, ctx.mask):
        raise Diagnostic(
            "PTX9132",
            f"the threads of a warp give `{op.inst.opcode}` different {'strides' if agree(starts, ctx.mask) else 'addresses'}",
            help="the address and the stride are those of the whole matrix: give the same in every thread",
            isa=op.inst.form.isa,
        )
    stride = strides[0] - ((strides[0] & 1 << 31) << 1)
    step, nbytes = stride * bits // 8, length * bits // 8
    align = max(1, bits // 8)
    if starts[0] % align:
        raise Diagnostic(
            "PTX9006",
            f"`{op.inst.opcode}`: the matrix does not begin at a multiple of {align} bytes",
            isa=op.inst.form.isa,
        )
    return _Lines(starts[0], step, nbytes, count)


def _each(ctx: TrapContext, name: str, lines: _Lines, *, write: bool = False) -> list[Bytes]:
    """The lines one by one."""
    start, step, nbytes, count = lines
    return [_line(ctx, start + i * step, nbytes, name, write=write) for i in range(count)]


def _load(ctx: TrapContext, op: Op, which: Letter) -> Outcome:
    """A matrix from memory."""
    bits, size = BITS[str(op.inst.mod("type"))], _size(op, which)
    lines = _lines(ctx, "src", bits, size)
    values = _whole(ctx, "src", bits, lines, write=False)
    if values is None:
        values = _unpacked(np.stack(_each(ctx, "src", lines)), bits)
    _hold(ctx, "d", bits, values if op.inst.mod("layout") == "row" else values.T, which)
    return DONE


@trap(*(f"wmma.load.a.{name}" for name in FACTORS))
def load_a(ctx: TrapContext, op: Op) -> Outcome:
    return _load(ctx, op, "a")


@trap(*(f"wmma.load.b.{name}" for name in FACTORS))
def load_b(ctx: TrapContext, op: Op) -> Outcome:
    return _load(ctx, op, "b")


@trap("wmma.load.c")
def load_c(ctx: TrapContext, op: Op) -> Outcome:
    return _load(ctx, op, "c")


@trap("wmma.store.d")
def store(ctx: TrapContext, op: Op) -> Outcome:
    """A matrix to memory."""
    bits, size = BITS[str(op.inst.mod("type"))], _size(op, "d")
    lines = _lines(ctx, "dst", bits, size)
    values = _held(ctx, "s", bits, "d")
    rows = values if op.inst.mod("layout") == "row" else values.T
    whole = _whole(ctx, "dst", bits, lines, write=True)
    if whole is not None and lines.step >= lines.nbytes:
        whole[:] = rows
        return DONE
    for line, row in zip(_each(ctx, "dst", lines, write=True), rows, strict=True):
        line[:] = _packed(row, bits)
    return DONE


# --- products


def _operands(ctx: TrapContext, op: Op, bits: int) -> tuple[Matrix, Matrix]:
    check_converged(ctx, op)
    return _held(ctx, "a", bits, "a"), _held(ctx, "b", bits, "b")


@trap("wmma.mma.f16", "wmma.mma.bf16", "wmma.mma.tf32")
def floats(ctx: TrapContext, op: Op) -> Outcome:
    """f16, bf16 and tf32, in f32 or f16."""
    from ptxlab.sim.numerics.kernels import matmul

    type_ = str(op.inst.mod("atype") or "f16")
    a, b = _operands(ctx, op, BITS[type_])
    out, addend = str(op.inst.mod("dtype")), str(op.inst.mod("ctype"))
    c = _held(ctx, "c", BITS[addend], "c")
    if type_ == "tf32":
        for first in range(0, a.shape[1], TF32_STEP):
            step = slice(first, first + TF32_STEP)
            c = matmul(a[:, step], b[step], c, type_)
        _hold(ctx, "d", 32, c)
        return DONE
    if out == addend:
        _hold(ctx, "d", BITS[out], matmul(a, b, c, type_, out=out).astype(f"u{BITS[out] // 8}"))
        return DONE
    wide = c if addend == "f32" else c.view(np.float16).astype(np.float32).view(np.uint32)
    total = matmul(a, b, wide, type_)
    with np.errstate(over="ignore"):
        _hold(ctx, "d", BITS[out], total if out == "f32" else total.view(np.float32).astype(np.float16).view(np.uint16))
    return DONE
