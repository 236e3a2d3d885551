"""wmma: matrices of one warp in fragments.

How a fragment lies in the registers of a warp is the machine's own affair: here it is an H100's (`ptxlab.layout.wmma`). A
fragment with more room than elements holds them again. Products are those of mma: sums over all of K at once, but for tf32.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ptxlab.diag import Diagnostic
from ptxlab.isa.operands import Reg, Vec
from ptxlab.layout.fragments import Fragment
from ptxlab.layout.wmma import Letter, wmma
from ptxlab.sim.compiled.address import is_local
from ptxlab.sim.machine.trap import DONE, Outcome, trap
from ptxlab.sim.semantics.wmma import TF32_STEP
from ptxlab.sim.units.operands import addresses, agree, integers
from ptxlab.sim.units.place import check_converged, check_shared, is_generic, place

if TYPE_CHECKING:
    from ptxlab.ptx.program import Op
    from ptxlab.sim.machine.trap import TrapContext

Matrix = NDArray[np.unsignedinteger[Any]]
Bytes = NDArray[np.uint8]
_BITS = {
    "f16": 16,
    "bf16": 16,
    "tf32": 32,
    "f32": 32,
    "s32": 32,
    "f64": 64,
    "s8": 8,
    "u8": 8,
    "s4": 4,
    "u4": 4,
    "b1": 1,
}


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
    rows = _rows(ctx, name)
    fragment = _fragment(ctx, which, bits)
    room = sum(r.shape[1] for r in rows) * 8 // bits
    raw = _packed(np.tile(values[fragment.rows, fragment.cols], room // fragment.elements), bits)
    at = 0
    for row in rows:
        row[:] = raw[:, at : at + row.shape[1]]
        at += row.shape[1]


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


def _lines(ctx: TrapContext, name: str, bits: int, size: tuple[int, int], *, write: bool = False) -> list[Bytes]:
    """The lines of a matrix in memory: its rows, or its columns under .col."""
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
    return [_line(ctx, starts[0] + i * step, nbytes, name, write=write) for i in range(count)]


def _load(ctx: TrapContext, op: Op, which: Letter) -> Outcome:
    """A matrix from memory."""
    bits, size = _BITS[str(op.inst.mod("type"))], _size(op, which)
    values = _unpacked(np.stack(_lines(ctx, "src", bits, size)), bits)
    _hold(ctx, "d", bits, values if op.inst.mod("layout") == "row" else values.T, which)
    return DONE


_TYPES = ("f16", "f64", "tf32", "bf16", "int8", "int4", "b1")


@trap(*(f"wmma.load.a.{name}" for name in _TYPES))
def load_a(ctx: TrapContext, op: Op) -> Outcome:
    return _load(ctx, op, "a")


@trap(*(f"wmma.load.b.{name}" for name in _TYPES))
def load_b(ctx: TrapContext, op: Op) -> Outcome:
    return _load(ctx, op, "b")


@trap("wmma.load.c")
def load_c(ctx: TrapContext, op: Op) -> Outcome:
    return _load(ctx, op, "c")


@trap("wmma.store.d")
def store(ctx: TrapContext, op: Op) -> Outcome:
    """A matrix to memory."""
    bits, size = _BITS[str(op.inst.mod("type"))], _size(op, "d")
    lines = _lines(ctx, "dst", bits, size, write=True)
    values = _held(ctx, "s", bits, "d")
    for line, row in zip(lines, values if op.inst.mod("layout") == "row" else values.T, strict=True):
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
    a, b = _operands(ctx, op, _BITS[type_])
    out, addend = str(op.inst.mod("dtype")), str(op.inst.mod("ctype"))
    c = _held(ctx, "c", _BITS[addend], "c")
    if type_ == "tf32":
        for first in range(0, a.shape[1], TF32_STEP):
            step = slice(first, first + TF32_STEP)
            c = matmul(a[:, step], b[step], c, type_)
        _hold(ctx, "d", 32, c)
        return DONE
    if out == addend:
        _hold(ctx, "d", _BITS[out], matmul(a, b, c, type_, out=out).astype(f"u{_BITS[out] // 8}"))
        return DONE
    wide = c if addend == "f32" else c.view(np.float16).astype(np.float32).view(np.uint32)
    total = matmul(a, b, wide, type_)
    with np.errstate(over="ignore"):
        _hold(
            ctx, "d", _BITS[out], total if out == "f32" else total.view(np.float32).astype(np.float16).view(np.uint16)
        )
    return DONE
