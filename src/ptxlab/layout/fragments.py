"""Which thread's register holds which matrix element: mma, wgmma, ldmatrix and stmatrix.

A map is two integer arrays `rows` and `cols` indexed [thread, element]. Elements of a thread are counted in register order, low
bits first: with 32-bit elements, element i is register i; with 16-bit ones, elements 2i and 2i + 1 are the low and the high half
of register i; with 8-bit ones, register i holds elements 4i to 4i + 3. Arrays are read-only and shared between calls.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np
from numpy.typing import NDArray

from ptxlab.diag import Diagnostic, user_span

IntArray = NDArray[np.int32]

WARP = 32
WARPGROUP = 128


@dataclass(frozen=True, eq=False)
class Fragment:
    """Rows and columns of the elements that each thread holds; int32 arrays of shape (threads, elements).

    Attributes:
        rows, cols: position of thread t's element e in the matrix.
        shape: (rows, columns) of the matrix.
    """

    rows: IntArray
    cols: IntArray
    shape: tuple[int, int]

    @property
    def threads(self) -> int:
        """Threads that hold the matrix together: 32, or 128 of a warpgroup."""
        return self.rows.shape[0]

    @property
    def elements(self) -> int:
        """Elements that one thread holds."""
        return self.rows.shape[1]

    @cached_property
    def flat(self) -> IntArray:
        """Row-major index `row * columns + col` of each (thread, element): `matrix.ravel()[flat]` is what the threads hold."""
        return _frozen(self.rows * self.shape[1] + self.cols)

    @cached_property
    def owner(self) -> IntArray:
        """The inverse: int32 array of shape `shape + (2,)` with (thread, element) of every matrix element."""
        out = np.full((*self.shape, 2), -1, np.int32)
        thread, element = np.indices(self.rows.shape, dtype=np.int32)
        out[self.rows, self.cols] = np.stack([thread, element], axis=-1)
        return _frozen(out)


def _frozen(a: NDArray[np.integer]) -> IntArray:
    out = np.ascontiguousarray(a, np.int32)
    out.flags.writeable = False
    return out


def _grid(threads: int, elements: int) -> tuple[IntArray, IntArray]:
    """Broadcastable thread and element numbers."""
    return np.arange(threads, dtype=np.int32)[:, None], np.arange(elements, dtype=np.int32)[None, :]


def _fragment(rows: NDArray[np.integer], cols: NDArray[np.integer], shape: tuple[int, int]) -> Fragment:
    rows, cols = np.broadcast_arrays(rows, cols)
    return Fragment(_frozen(rows), _frozen(cols), shape)


@dataclass(frozen=True, slots=True)
class BitField:
    """Bits of a thread's number that add `factor` times their value to a row or a column."""

    shift: int
    width: int
    factor: int


def bit_fields(values: NDArray[np.integer]) -> list[BitField]:
    """How values over the threads of a fragment come about: the sum of bit fields of the thread's number, each with a factor.

    Args:
        values: [threads], a power of two of them: a column of `Fragment.rows` or `Fragment.cols`. What thread 0 has is left out.
    """
    bits = (len(values) - 1).bit_length()
    steps = [int(values[1 << b] - values[0]) for b in range(bits)]
    assert all(int(v - values[0]) == sum(s for b, s in enumerate(steps) if t >> b & 1) for t, v in enumerate(values))
    out: list[BitField] = []
    for b, step in enumerate(steps):
        last = out[-1] if out else None
        if last is not None and last.shift + last.width == b and step == last.factor << last.width:
            out[-1] = BitField(last.shift, last.width + 1, last.factor)
        elif step:
            out.append(BitField(b, 1, step))
    return out


_BYTES_UP = (8, 16, 32)
_BITS_UP = (1, 4, *_BYTES_UP, 64)


def _per_register(element_bits: int, sizes: tuple[int, ...] = _BYTES_UP) -> int:
    if element_bits not in sizes:
        raise Diagnostic(
            "PTX2122",
            f"No such fragment is laid out by elements of {element_bits} bits.",
            help=f"elements have {', '.join(map(str, sizes[:-1]))} or {sizes[-1]} bits",
            origin=user_span(),
            isa="Matrix Fragments",
        )
    return max(1, 32 // element_bits)  # f64 has registers of its own


@lru_cache
def wgmma_d(n: int) -> Fragment:
    """The accumulator of wgmma m64nNk*: 128 threads × N/2 elements of a 64 × N matrix.

    Warp w of the warpgroup holds rows 16w to 16w + 15. f32 and s32 accumulators have one element a register, f16 ones two.

    Raises: Diagnostic PTX2122 unless N is a multiple of 8 from 8 to 256. ISA: "Register Fragments and Shared Memory Matrix
    Layouts" of wgmma.
    """
    if n % 8 or not 8 <= n <= 256:
        nearest = min(256, max(8, (n + 4) // 8 * 8))
        raise Diagnostic(
            "PTX2122",
            f"wgmma has no accumulator with N = {n}.",
            help=f"N is a multiple of 8 from 8 to 256; the nearest is {nearest}",
            origin=user_span(),
            isa="Asynchronous Warpgroup Level Matrix Shape",
        )
    t, e = _grid(WARPGROUP, n // 2)
    lane = t % WARP
    rows = t // WARP * 16 + lane // 4 + e // 2 % 2 * 8
    cols = e // 4 * 8 + lane % 4 * 2 + e % 2
    return _fragment(rows, cols, (64, n))


@lru_cache
def wgmma_a(element_bits: int) -> Fragment:
    """Operand A of wgmma held in registers: 128 threads × 4 registers of a 64 × (256 / element_bits) matrix.

    Args:
        element_bits: 16 for f16 and bf16, 32 for tf32, 8 for fp8 and integers, 1 for bits.

    Raises: Diagnostic PTX2122 for other sizes.
    """
    return _stack_of_a(WARPGROUP, element_bits, (1, *_BYTES_UP))


@lru_cache
def mma_a(element_bits: int = 16) -> Fragment:
    """Operand A of mma m16n8k(256 / element_bits), e.g. m16n8k16 for 16 bits: 32 threads × 4 registers; f64: m16n8k16, 8.

    Shapes with smaller M and K hold the first registers of it: two of m16n8k8 for 16 bits, one of m8n8k16 for 8.
    """
    return _stack_of_a(WARP, element_bits, _BITS_UP)


def _stack_of_a(threads: int, element_bits: int, sizes: tuple[int, ...] = _BYTES_UP) -> Fragment:
    c = _per_register(element_bits, sizes)
    registers = 8 if element_bits == 64 else 4
    t, e = _grid(threads, registers * c)
    lane, register = t % WARP, e // c
    rows = t // WARP * 16 + lane // 4 + register % 2 * 8
    cols = register // 2 * 4 * c + lane % 4 * c + e % c
    return _fragment(rows, cols, (threads // 2, 2 * registers * c))


@lru_cache
def mma_b(element_bits: int = 16, registers: int = 2) -> Fragment:
    """Operand B (K × 8) of mma m16n8k(256 / element_bits): 32 threads × 2 registers; rows are k, columns are n.

    Shapes with smaller K hold the first register of it; m16n8k16 of f64 and the larger shapes of mma.sp have 4.
    """
    c = _per_register(element_bits, _BITS_UP)
    t, e = _grid(WARP, registers * c)
    rows = e // c * 4 * c + t % 4 * c + e % c
    return _fragment(rows, t // 4, (4 * registers * c, 8))


@lru_cache
def mma_d() -> Fragment:
    """Accumulator C and D of mma m16n8k*: 32 threads × 4 elements of a 16 × 8 matrix."""
    t, e = _grid(WARP, 4)
    return _fragment(t // 4 + e // 2 * 8, t % 4 * 2 + e % 2, (16, 8))


# --- mma.m8n8k4 of f16: lanes 4 i to 4 i + 3 and 16 + 4 i to 16 + 4 i + 3 multiply matrices of their own


def _octet(t: NDArray[np.integer]) -> NDArray[np.integer]:
    """Which of the four products a lane takes part in."""
    return t % 16 // 4


@lru_cache
def octet_a(layout: str) -> Fragment:
    """A of mma.m8n8k4: 32 threads × 4 elements of four matrices 8 × 4 below each other. `layout`: row or col."""
    t, e = _grid(WARP, 4)
    along, across = np.broadcast_arrays(t % 4, e)
    row, col = (along, across) if layout == "row" else (across, along)
    return _fragment(8 * _octet(t) + 4 * (t // 16) + row, col, (32, 4))


@lru_cache
def octet_b(layout: str) -> Fragment:
    """B of mma.m8n8k4: 32 threads × 4 elements of four matrices 4 × 8 beside each other. `layout`: row or col."""
    t, e = _grid(WARP, 4)
    along, across = np.broadcast_arrays(t % 4, e)
    row, col = (along, across) if layout == "row" else (across, along)
    return _fragment(row, 8 * _octet(t) + 4 * (t // 16) + col, (4, 32))


@lru_cache
def octet_d(element_bits: int) -> Fragment:
    """C and D of mma.m8n8k4: 32 threads × 8 elements, of 16 or 32 bits, of four matrices 8 × 8 below each other."""
    t, e = _grid(WARP, 8)
    if element_bits == 16:
        row, col = np.broadcast_arrays(t % 4, e)
    else:
        row, col = t % 2 + (e & 2), (e & 4) + (t & 2) + (e & 1)
    return _fragment(8 * _octet(t) + 4 * (t // 16) + row, col, (32, 8))


@lru_cache
def ldmatrix(num: int, trans: bool = False) -> Fragment:
    """What ldmatrix and stmatrix .m8n8.x{num}{.trans}.b16 move: 32 threads × 2 num elements of a (8 num) × 8 matrix.

    The matrices lie below each other: row 8m + r is row r of matrix m as memory has it, its address given by the lane of that
    number. Register m of a thread holds elements 2m and 2m + 1.

    Args:
        num: 1, 2 or 4.
        trans: `.trans`: what was a column in memory lies along a row of threads.

    Raises: Diagnostic PTX2122 for another `num`. ISA: "ldmatrix", "stmatrix".
    """
    if num not in (1, 2, 4):
        raise Diagnostic(
            "PTX2122",
            f"ldmatrix and stmatrix move 1, 2 or 4 matrices of 8 × 8, not {num}.",
            help="use .x1, .x2 or .x4",
            origin=user_span(),
            isa="ldmatrix",
        )
    t, e = _grid(WARP, 2 * num)
    line, place = np.broadcast_arrays(t // 4, t % 4 * 2 + e % 2)
    row, col = (place, line) if trans else (line, place)
    return _fragment(e // 2 * 8 + row, col, (8 * num, 8))
