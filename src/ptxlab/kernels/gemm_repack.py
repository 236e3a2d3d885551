"""Operands whose layout TMA or wgmma cannot read: a small kernel copies them first, before each product.

TMA wants rows that start at multiples of 16 bytes, and wgmma reads types of 8 and 32 bits along K alone. A copy reads the matrix
once and writes it once, which is little beside a large product and much beside a small one: lay operands out well where you can.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import combinations
from typing import Any

import ptxlab as px
from ptxlab import ArrayView, Launch
from ptxlab.kernels.gemm_call import TMA_BYTES, Problem, bytes_at_once, tma_can_load, zeroed

THREADS = 256
CTAS_PER_SM = 8
PIECES = 8
"""Pieces that a thread has in flight."""


@cache
def _kernel(each: int, lanes: int) -> px.Kernel:
    """A copy of rows in pieces of `each` bytes; `lanes` threads work on a row."""

    @px.kernel(target="sm_90a", threads=THREADS, strided=("source", "target"), name="gemm_repack")
    def repack(
        k: px.Builder,
        source: px.Ptr[px.b8],
        target: px.Ptr[px.b8],
        rows: px.u32,
        columns: px.u32,
        pitch: px.u64,
        by_row: px.u64,
        by_column: px.u64,
    ) -> None:
        """Piece (r, c) of rows at `pitch` goes to `target` + r · `by_row` + c · `by_column`. `columns`: pieces of a row."""
        word = f"b{8 * each}"
        load, store = getattr(k.ld.global_, word), getattr(k.st.global_, word)
        at_once = THREADS // lanes
        down, across = (PIECES * at_once, lanes) if lanes < THREADS else (1, PIECES * lanes)
        k.griddepcontrol.wait()
        k.griddepcontrol.launch_dependents()
        first_row, first_column = (k.tid.x // lanes, k.tid.x % lanes) if at_once > 1 else (0, k.tid.x)
        over = (columns + (across - 1)) // across
        with k.loop((rows + (down - 1)) // down * over, start=k.ctaid.x, step=k.nctaid.x) as number:
            group = number // over
            row = k.mad.lo.u32(group, down, first_row)
            column = k.mad.lo.u32(number - group * over, across, first_column)
            moved: list[tuple[Any, px.Address, Any]] = []
            for i in range(PIECES):
                r, c = (row + i * at_once, column) if at_once > 1 else (row, column + i * lanes)
                inside = k.selp.u32(k.selp.u32(1, 0, c < columns), 0, r < rows) == 1
                wide, value = k.cvt.u64.u32(r), k.reg(getattr(px, word))
                at = k.mad.wide.u32(c, each, k.mad.lo.u64(wide, pitch, source))
                load(px.Address.of(at, space="global"), d=value, pred=inside)
                to = k.mad.lo.u64(k.cvt.u64.u32(c), by_column, k.mad.lo.u64(wide, by_row, target))
                moved.append((inside, px.Address.of(to, space="global"), value))
            for inside, to, value in moved:
                store(to, value, pred=inside)

    return repack


class LaunchSequence:
    """Launches that run one after the other in one stream. The report and the record are those of the last."""

    def __init__(self, launches: Sequence[Launch]) -> None:
        self._launches = tuple(launches)
        self.record = self._launches[-1].record

    def __call__(self, stream: Any = None, **options: Any) -> Any:
        """Run them. Options are those of the launches."""
        out = None
        for launch in self._launches:
            out = launch(stream, **options) if options else launch(stream)
        return out


@dataclass(frozen=True, slots=True)
class Copied:
    """An operand that is copied: its name, where it lies, where it goes, and whether rows become columns."""

    name: str
    source: ArrayView
    target: ArrayView
    turned: bool


def kept_in_place(p: Problem, *, promoted: bool) -> list[str]:
    """Which operands that TMA cannot read may be left to threads, "a", "b", "ab" or "": each way to copy the others."""
    can = "" if promoted or p.per_result > 1 else "".join(name for name in p.loaded if _threads_can_load(p, name))
    return ["".join(some) for n in range(len(can), -1, -1) for some in combinations(can, n)]


def _threads_can_load(p: Problem, name: str) -> bool:
    x, major = (p.a, p.a_major) if name == "a" else (p.b, p.b_major)
    return bytes_at_once(x) > 1 and (major == "K" or x.itemsize == 2)


def readable(p: Problem, kept: str = "") -> tuple[Problem, list[Copied]]:
    """The product with operands that can be read, and the copies this takes; those in `kept` stay where they are."""
    copies: list[Copied] = []
    for name, x, major in (("a", p.a, p.a_major), ("b", p.b, p.b_major)):
        turned = major == "MN" and x.itemsize != 2
        if name in kept or (not turned and tma_can_load(x)):
            continue
        room = _room(p, x, x.shape[::-1] if turned else x.shape)
        copies.append(Copied(name, x, room, turned))
        p = replace(p, **{name: room}, **({f"{name}_major": "K"} if turned else {}))
    return p, copies


def _room(p: Problem, x: ArrayView, shape: tuple[int, ...]) -> ArrayView:
    """Memory for a matrix, whose rows start at multiples of 16 bytes."""
    lines, length = shape
    each = TMA_BYTES // x.itemsize
    return replace(zeroed(p.c, (lines, -(-length // each) * each), x.dtype), shape=(lines, length))


def repacking(copied: Copied, multiprocessors: int, **options: Any) -> Launch:
    """The launch that copies one operand."""
    source, target = copied.source, copied.target
    size, (rows, columns) = source.itemsize, source.shape
    each = size if copied.turned else bytes_at_once(source)
    pieces = columns * size // each
    lanes = min(THREADS, 1 << (pieces - 1).bit_length())
    pitch = source.strides[0] if rows > 1 else columns * size
    steps = (size, target.strides[0]) if copied.turned else (target.strides[0], each)
    parts = -(-rows * pieces // (THREADS * PIECES))
    grid = (max(1, min(parts, multiprocessors * CTAS_PER_SM)), 1, 1)
    return _kernel(each, lanes).prepare(grid=grid, args=[source, target, rows, pieces, pitch, *steps], **options)
