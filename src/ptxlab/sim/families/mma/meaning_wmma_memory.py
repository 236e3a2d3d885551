"""wmma.load and wmma.store: matrices between memory and the fragments of a warp, as an H100 lays them out.

A matrix whose lines lie one behind the other in the CTA's shared memory, or in one buffer, is moved here. All others, and what is
wrong, are left to Python: families/mma/unit_wmma.py.
"""

from __future__ import annotations

from dataclasses import dataclass

from ptxlab.codegen.ir import I32, I64, PTR, T, Val
from ptxlab.layout.fragments import Fragment
from ptxlab.layout.wmma import Letter, wmma
from ptxlab.sim.engine.compiled import frame as F
from ptxlab.sim.engine.compiled.address import WINDOW_SHIFT
from ptxlab.sim.engine.compiled.emit import Address, Emitter
from ptxlab.sim.engine.compiled.memory import (
    SHARED,
    SPACE_OF,
    WIDE,
    Kind,
    Reach,
    host_of,
    pack_access,
    remembered,
    report,
)
from ptxlab.sim.engine.compiled.registry import meaning
from ptxlab.sim.engine.handlers.control import to_trap
from ptxlab.sim.families.mma.meaning import sizes, unless_together

BITS = {
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
"""Bits of an element in memory and in registers."""
FACTORS = ("f16", "f64", "tf32", "bf16", "int8", "int4", "b1")
"""The rows of A and B, by the ends of their keys."""


@dataclass(frozen=True, slots=True)
class _Matrix:
    """A matrix in memory: how many lines it has, which are its rows, or its columns under .col, and bytes of each.

    `pieces`: what moves at once, `bits` wide: its line and the byte within it, [register][lane][piece of the register], flat.
    """

    name: str
    count: int
    nbytes: int
    bits: int
    pieces: list[tuple[int, int]]

    @classmethod
    def of(cls, e: Emitter, letter: Letter) -> _Matrix:
        """The matrix that an instruction moves."""
        shape, layout, bits = str(e.mod("shape")), str(e.mod("layout")), BITS[str(e.mod("type"))]
        fragment = wmma(letter, sizes(shape), bits)
        lines, along, extent = fragment.rows, fragment.cols, fragment.shape
        if layout == "col":
            lines, along, extent = along, lines, (extent[1], extent[0])
        width = max(32, bits)
        each = width // bits
        whole = _side_by_side(Fragment(lines, along, extent), each)
        step = each if whole else 1
        pieces = [
            (int(lines[lane, first]), int(along[lane, first]) * bits // 8)
            for register in range(fragment.elements // each)
            for lane in range(F.LANES)
            for first in range(register * each, (register + 1) * each, step)
        ]
        name = f"wmma.{letter}.{shape}.{layout}.{bits}"
        return cls(name, extent[0], extent[1] * bits // 8, width if whole else bits, pieces)

    @property
    def registers(self) -> int:
        """How many hold the matrix once."""
        return len(self.pieces) * self.bits // (F.LANES * max(32, self.bits))


def _side_by_side(places: Fragment, each: int) -> bool:
    """Whether the elements of every register are neighbours on a line; `rows` of the places are lines."""
    lines = places.rows.reshape(F.LANES, -1, each)
    along = places.cols.reshape(F.LANES, -1, each)
    return bool((lines == lines[:, :, :1]).all() and (along[:, :, 1:] - along[:, :, :-1] == 1).all())


def _shared(e: Emitter, value: Val) -> Val:
    """What all lanes have; traps where they differ."""
    fn = e.fn
    if not value.t.lanes:
        return value
    first = fn.extract(value, 0)
    with fn.if_(fn.mask(value != first) != 0):
        to_trap(e)
    return first


def _step(e: Emitter, stride: Val | None, matrix: _Matrix, *, write: bool) -> Val:
    """Bytes from one line to the next; traps where lines go back, or are written over one another."""
    fn = e.fn
    if stride is None:
        return fn.const(matrix.nbytes, I64)
    bits = BITS[str(e.mod("type"))]
    step = (_shared(e, stride).signed.to(T("s", 64, 0)) * bits) >> 3
    with fn.if_(step < (matrix.nbytes if write else 0)):
        to_trap(e)
    return step.unsigned


def _place(e: Emitter, a: Address, matrix: _Matrix, step: Val, kind: Kind) -> Val:
    """Where the first line lies in this process, as u64, all lines being legal; traps otherwise."""
    fn, space = e.fn, SPACE_OF[a.space]
    first = _shared(e, a.value).to(I64)
    with fn.if_((first & (max(8, BITS[str(e.mod("type"))]) // 8 - 1)) != 0):
        to_trap(e)
    span = step * (matrix.count - 1) + matrix.nbytes
    if space in SHARED:
        return _in_shared(e, first, span)
    out = fn.variable(first)
    if space != "generic":
        out.set(_in_global(e, a, first, span, kind))
        return out.get()
    window = first >> WINDOW_SHIFT
    with fn.if_(window > 1):
        to_trap(e)
    with fn.if_(window == 1):
        out.set(_in_shared(e, first, span))
    with fn.if_(window == 0):
        out.set(_in_global(e, a, first, span, kind))
    return out.get()


def _in_shared(e: Emitter, first: Val, span: Val) -> Val:
    fn = e.fn
    offset = (first.to(I32) - fn.load(e.frame, I32, F.F_SHARED_FIRST, 4)).to(I64)
    with fn.if_((offset + span) > fn.load(e.frame, I64, F.F_SHARED_BYTES, 8)):
        to_trap(e)
    return offset + fn.load(e.frame, I64, F.F_SHARED, 8)


def _in_global(e: Emitter, a: Address, first: Val, span: Val, kind: Kind) -> Val:
    """In the buffer that the record remembers, or the one that is found now."""
    fn = e.fn

    def outside() -> Val:
        low, high = remembered(e, a)
        return (first < low) | ((first + span) > high)

    with fn.if_(outside()):
        fn.store(first, e.env, F.E_SCRATCH, 8)
        word = pack_access(1, SPACE_OF[a.space], write=kind == "store", read=kind == "load") | 1 << 20
        resolve, cache = fn.load(e.env, PTR, F.E_RESOLVE, 8), fn.at(e.rec, a.cache)
        one, asked = fn.const(1, I32), fn.const(word, I32)
        status = fn.invoke(resolve, I32, e.frame, cache, e.env, one, asked, e.rec)
        with fn.if_((status != 0) | outside()):
            to_trap(e)
    return host_of(e, a, first)


def _each_piece(e: Emitter, matrix: _Matrix, base: Val, step: Val, held: Val, *, write: bool) -> None:
    """Move all pieces between memory and `held`, the registers side by side."""
    fn = e.fn
    t = T("u", matrix.bits, 0)
    words = [line << 16 | byte for line, byte in matrix.pieces]
    table = fn.constants(matrix.name, words, I32)
    memory = base.to(PTR)
    with fn.count(len(words)) as number:
        i = number.to(I64)
        word = fn.load(table, I32, i * 4, 4).to(I64)
        there, here = fn.at(memory, (word >> 16) * step + (word & 0xFFFF)), fn.at(held, i * (matrix.bits // 8))
        source, target = (here, there) if write else (there, here)
        fn.store(fn.load(source, t), target)


def _report(e: Emitter, a: Address, matrix: _Matrix, base: Val, step: Val, kind: Kind) -> None:
    if e.handler.logged:
        where = e.fn.splat(base) + e.fn.iota(WIDE) * step
        lines = e.fn.const((1 << matrix.count) - 1, I32)
        report(e, Reach(a, where, lines, matrix.nbytes, kind))


def _load(e: Emitter, letter: Letter, src: Address, stride: Val | None) -> None:
    unless_together(e)
    fn = e.fn
    matrix = _Matrix.of(e, letter)
    step = _step(e, stride, matrix, write=False)
    base = _place(e, src, matrix, step, "load")
    _report(e, src, matrix, base, step, "load")
    row = T("u", max(32, matrix.bits))
    held = fn.alloca(row, matrix.registers)
    _each_piece(e, matrix, base, step, held, write=False)
    rows = [fn.load(held, row, i * row.bits * F.LANES // 8, 64) for i in range(matrix.registers)]
    shape = e.shape("d")
    if isinstance(shape, tuple):
        e.write("d", [rows[i % len(rows)] for i in range(len(shape))])
    else:
        e.write("d", rows[0])


@meaning(*(f"wmma.load.a.{name}" for name in FACTORS), halfway=True)
def load_a(e: Emitter, src: Address, stride: Val | None = None) -> None:
    """A matrix A into a fragment: again and again where it has more registers."""
    _load(e, "a", src, stride)


@meaning(*(f"wmma.load.b.{name}" for name in FACTORS), halfway=True)
def load_b(e: Emitter, src: Address, stride: Val | None = None) -> None:
    """A matrix B into a fragment, as for A."""
    _load(e, "b", src, stride)


@meaning("wmma.load.c", halfway=True)
def load_c(e: Emitter, src: Address, stride: Val | None = None) -> None:
    """A matrix C into a fragment."""
    _load(e, "c", src, stride)


@meaning("wmma.store.d", halfway=True)
def store(e: Emitter, dst: Address, s: list[Val] | Val, stride: Val | None = None) -> None:
    """A fragment into a matrix."""
    unless_together(e)
    fn = e.fn
    matrix = _Matrix.of(e, "d")
    step = _step(e, stride, matrix, write=True)
    base = _place(e, dst, matrix, step, "store")
    _report(e, dst, matrix, base, step, "store")
    row = T("u", max(32, matrix.bits))
    held = fn.alloca(row, matrix.registers)
    for i, value in enumerate((s if isinstance(s, list) else [s])[: matrix.registers]):
        fn.store(fn.splat(value).unsigned, held, i * row.bits * F.LANES // 8, 64)
    _each_piece(e, matrix, base, step, held, write=True)
