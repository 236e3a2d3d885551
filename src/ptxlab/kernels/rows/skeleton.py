"""What all kernels on rows have in common: a row comes to registers as f32, is reduced, and goes back to memory.

A kernel's body is a function of `Rows`. It stands in one loop over the rows of its threads (`Rows.loop`), and says by `load`,
`reduce` and `store` what happens to a row. How many threads share a row is the `Layout`'s affair:

- Lanes of a warp reduce by shuffles. The warps of a CTA put what they have into shared memory, the CTAs of a cluster into the
  shared memory of them all, and each warp adds up the same numbers in the same order. That takes one barrier: two buffers take
  turns.
- The order of sums depends on the layout alone, so results are the same bits run after run.
- Rows at multiples of 16 bytes move by vectors of 16 bytes. Rows that begin elsewhere (`Layout.shifted`) do so too, but for the
  ends of a row, which move by elements; what lies before and behind a row is neither read nor written.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from typing import Any, Literal

import ptxlab as px
from ptxlab.kernels.blocks.signature import Extra, extended
from ptxlab.kernels.rows.layout import COMFORTABLE, VECTOR, WARP, Layout, power_of_two
from ptxlab.kernels.rows.numbers import Values, joiner, packed, unpacked

ALL_LANES = 0xFFFFFFFF
SIZES = {"f32": 4, "bf16": 2, "f16": 2, "e4m3": 1, "s32": 4, "s64": 8}
NEUTRAL = {"add": 0.0, "max": float("-inf")}
PATTERNS = {("bf16", 0.0): 0, ("f16", 0.0): 0, ("bf16", NEUTRAL["max"]): 0xFF80, ("f16", NEUTRAL["max"]): 0xFC00}
"""Bits of neutral elements."""


@dataclass(frozen=True, slots=True)
class Operand:
    """What a kernel reads or writes.

    Attributes:
        name: of the parameter. kind: of its elements, a key of SIZES.
        along: "rows" for a matrix, "line" for one element a column, "each" for one element a row.
    """

    name: str
    kind: str
    along: Literal["rows", "line", "each"] = "rows"

    @property
    def size(self) -> int:
        """Bytes of an element."""
        return SIZES[self.kind]


Body = Callable[["Rows"], None]


@cache
def row_kernel(
    body: Body, operands: tuple[Operand, ...], numbers: tuple[tuple[str, str], ...], layout: Layout
) -> px.Kernel:
    """The kernel that does `body` with rows.

    Its parameters: rows, columns, the `numbers` (names and types), a pointer for each operand, and for matrices bytes from row to
    row.
    """
    extras = [Extra(name, getattr(px, kind)) for name, kind in numbers]
    for x in operands:
        extras.append(Extra(x.name, px.Ptr[px.b8], strided=x.along == "rows"))
        extras += [Extra(f"{x.name}_pitch", px.u64)] if x.along == "rows" else []
    names = [extra.name for extra in extras]

    def on_rows(k: px.Builder, rows: px.u32, columns: px.u32, *more: Any) -> None:
        k.griddepcontrol.wait()
        k.griddepcontrol.launch_dependents()
        body(Rows(k, layout, operands, (rows, columns), dict(zip(names, more, strict=True))))

    options: dict[str, Any] = {"cluster": (layout.ctas, 1, 1)} if layout.ctas > 1 else {}
    strided = [extra.name for extra in extras if extra.strided]
    return px.kernel(target="sm_90a", threads=layout.threads, strided=strided, name=body.__name__, **options)(
        extended(on_rows, extras)
    )


class Rows:
    """The rows of a kernel, as its body sees them.

    Attributes:
        k: the builder. layout: how rows are dealt. columns, count: columns of a row, as u32 and as f32.
        row: the one at hand within `loop`; where rows are cut, pieces are rows.
        first: its column at which each vector of the thread begins, registers.
        part: number of this thread's cluster and its lanes among all that hold a row.
    """

    there: Any
    """Whether there is a row for these threads; None outside of `loop`."""

    def __init__(
        self,
        k: px.Builder,
        layout: Layout,
        operands: Sequence[Operand],
        sizes: tuple[Any, Any],
        given: dict[str, Any],
    ) -> None:
        self.k, self.layout, self.given = k, layout, given
        self.operands = {x.name: x for x in operands}
        self.rows, self.columns = sizes
        self.count = k.cvt.rn.f32.u32(self.columns)
        self.place, self.group = k.tid.x % layout.lanes, k.tid.x // layout.lanes
        cluster, self.clusters = k.ctaid.x // layout.ctas, k.nctaid.x // layout.ctas
        self.begin = cluster * layout.rows
        self.part = self.begin + self.group
        if layout.ctas > 1:
            span = layout.vectors * layout.lanes
            self.place = k.mad.lo.u32(k.cluster_ctarank, span, self.place)
            k.cluster_sync()  # the shared memory of all is there
        if layout.piece:
            self.pieces = (self.columns + (layout.piece - 1)) // layout.piece
            self.rows = self.rows * self.pieces
        self.turn = k.mov.u32(0)
        self._at_row(self.part)

    def __contains__(self, name: str) -> bool:
        """Whether there is such an operand."""
        return name in self.operands

    # --- where things are ------------------------------------------------------------------------------------------------
    @contextmanager
    def loop(self) -> Generator[None, None, None]:
        """The rows of these threads, one after the other."""
        k, each = self.k, self.layout.rows
        with k.loop(self.rows, start=self.begin, step=self.clusters * each) as base:
            self._at_row(base + self.group if each > 1 else base)
            self.there = self.row < self.rows
            yield
            self.turn ^= 1

    def _at_row(self, row: Any) -> None:
        k, t = self.k, self.layout
        self.row, self.there = row, None
        self.line_of_row, self.offset, self.limit = row, None, self.columns
        if t.piece:
            self.line_of_row = row // self.pieces
            self.offset = (row - self.line_of_row * self.pieces) * t.piece
            self.limit = k.min.u32(self.columns - self.offset, t.piece)
        start = self.place * t.elements
        if t.shifted:
            lead = next(x for x in self.operands.values() if x.along == "rows")
            start = start - k.cvt.u32.u64(self._start(lead) % VECTOR) // lead.size
        self.first = [start + v * t.lanes * t.elements for v in range(t.vectors)]

    def _start(self, x: Operand) -> Any:
        """Where the row begins in a matrix."""
        k = self.k
        start = k.mad.lo.u64(k.cvt.u64.u32(self.line_of_row), self.given[f"{x.name}_pitch"], self.given[x.name])
        return start if self.offset is None else k.mad.wide.u32(self.offset, x.size, start)

    def _width(self) -> Any:
        """Columns of the row; none behind the last row."""
        if self.there is not None and self.layout.rows > 1:
            return self.k.selp.u32(self.limit, 0, self.there)
        return self.limit

    def inside(self, width: Any, vector: int, element: int) -> Any:
        """Whether an element lies within the row. Columns before the first are large numbers."""
        return self.first[vector] + element < width

    def masked(self, values: Values) -> list[Any]:
        """The values; 0 for those outside of the row."""
        t, width = self.layout, self._width()
        step = 1 if t.shifted else t.elements
        inside = [self.inside(width, v, e) for v in range(t.vectors) for e in range(0, t.elements, step)]
        return [self.k.selp.f32(x, 0.0, inside[i // step]) for i, x in enumerate(values)]

    # --- memory ----------------------------------------------------------------------------------------------------------
    def load(self, name: str, neutral: float = 0.0) -> list[Any]:
        """The thread's elements of the row as f32; `neutral` for those outside of it."""
        x = self.operands[name]
        return self._loaded(x, self._start(x), self._width(), neutral, by_element=False)

    def line(self, name: str) -> Callable[[], list[Any]]:
        """What belongs to the thread's columns, as f32: loaded once before the loop, where places stay and registers are left.

        Nothing where there is no such operand.
        """
        if name not in self:
            return list[Any]
        x, start = self.operands[name], self.given[name]

        def load() -> list[Any]:
            return self._loaded(x, start, self.columns, 0.0, by_element=self.layout.shifted)

        if self.layout.shifted or self.layout.threads > COMFORTABLE:
            return load
        words = load()
        return lambda: words

    def store(self, name: str, values: Values, *, by_part: bool = False) -> None:
        """Write the thread's elements of the row. by_part: of the row with the number of these threads, behind the loop."""
        if by_part:
            self._at_row(self.part)
        k, t, x = self.k, self.layout, self.operands[name]
        start, width = self._start(x), self._width()
        for v, first in enumerate(self.first):
            words = packed(k, values[v * t.elements : (v + 1) * t.elements], x.kind)
            at = self._address(first, x, start)
            if not t.shifted:
                self._move_vector(x, at, words, self.inside(width, v, 0), store=True)
                continue
            with k.if_(self._whole(width, first)):
                self._move_vector(x, at, words, None, store=True)
            with k.else_():
                for e, part in enumerate(self._parts(words, x)):
                    self._single(k.st.global_, x)(at + e * x.size, part, pred=self.inside(width, v, e))

    def number(self, name: str) -> Any:
        """The row's own element of an operand along "each"; 0 behind the last row."""
        x = self.operands[name]
        value = getattr(self.k.mov, x.kind)(0.0 if x.kind == "f32" else 0)
        getattr(self.k.ld.global_, x.kind)(self._of_row(x), d=value, pred=self.there)
        return value

    def set_number(self, name: str, value: Any, *, by_part: bool = False) -> None:
        """Write the row's own element: one thread of those that share the row does. by_part: as in `store`."""
        if by_part:
            self._at_row(self.part)
        x, writes = self.operands[name], self.place == 0
        if self.there is not None:
            writes = writes & self.there
        getattr(self.k.st.global_, x.kind)(self._of_row(x), value, pred=writes)

    def _of_row(self, x: Operand) -> px.Address:
        if x.name == "scale":  # there is one for all
            return self.given[x.name] + 0
        return px.Address.of(self.k.mad.wide.u32(self.row, x.size, self.given[x.name]), space="global")

    def element(self, name: str, column: Any, there: Any) -> Any:
        """One element of the row as f32, the same for all that share the row; 0 where it is not `there`."""
        x, k = self.operands[name], self.k
        word = k.mov.f32(0.0) if x.kind == "f32" else k.mov.b16(0)
        self._single(k.ld.global_, x)(self._address(column, x, self._start(x)), d=word, pred=there)
        return unpacked(k, [word], x.kind)[0]

    def _address(self, column: Any, x: Operand, start: Any) -> px.Address:
        """Columns before the first are negative."""
        return px.Address.of(self.k.mad.wide.s32(column, x.size, start), space="global")

    def _whole(self, width: Any, first: Any) -> Any:
        """Whether all of a vector lies within the row."""
        k, n = self.k, self.layout.elements
        return first < k.selp.u32(width - (n - 1), 0, width >= n)

    def _loaded(self, x: Operand, start: Any, width: Any, neutral: float, *, by_element: bool) -> list[Any]:
        k, t = self.k, self.layout
        out: list[Any] = []
        for v, first in enumerate(self.first):
            words = self._words(x, neutral)
            at = self._address(first, x, start)
            if not t.shifted:
                self._move_vector(x, at, words, self.inside(width, v, 0), store=False)
            elif by_element:
                self._load_elements(x, at, words, v, width)
            else:
                with k.if_(self._whole(width, first)):
                    self._move_vector(x, at, words, None, store=False)
                with k.else_():
                    self._load_elements(x, at, words, v, width)
            out += words
        return unpacked(k, out, x.kind)

    def _words(self, x: Operand, neutral: float) -> list[Any]:
        """Registers for a vector, full of neutral elements."""
        k, nbytes = self.k, self.layout.elements * x.size
        if x.kind == "f32":
            return [k.mov.f32(neutral) for _ in range(self.layout.elements)]
        bits = PATTERNS[x.kind, neutral]
        return [k.mov.b16(bits)] if nbytes == 2 else [k.mov.b32(bits * 0x10001) for _ in range(nbytes // 4)]

    def _load_elements(self, x: Operand, at: px.Address, words: list[Any], vector: int, width: Any) -> None:
        """The elements of a vector that lie within the row; registers of the others stay."""
        k, load = self.k, self._single(self.k.ld.global_, x)
        parts = self._parts(words, x)
        for e, part in enumerate(parts):
            load(at + e * x.size, d=part, pred=self.inside(width, vector, e))
        if len(parts) > len(words):
            for i, word in enumerate(words):
                k.mov.b32(parts[2 * i : 2 * i + 2], d=word)

    def _parts(self, words: list[Any], x: Operand) -> list[Any]:
        """A register for each element."""
        if len(words) == self.layout.elements:
            return words
        return [part for word in words for part in self.k.unpack(word, px.b16)]

    def _move_vector(self, x: Operand, at: px.Address, words: list[Any], pred: Any, *, store: bool) -> None:
        """A vector by as few accesses as there can be."""
        access = self.k.st.global_ if store else self.k.ld.global_
        kind = "f32" if x.kind == "f32" else f"b{min(32, self.layout.elements * x.size * 8)}"
        size = 4 if kind == "f32" else int(kind[1:]) // 8
        for i in range(0, len(words), 4):
            some = words[i : i + 4]
            one = getattr(access if len(some) == 1 else getattr(access, f"v{len(some)}"), kind)
            values = some[0] if len(some) == 1 else some
            if store:
                one(at + i * size, values, pred=pred)
            else:
                one(at + i * size, d=values, pred=pred)

    @staticmethod
    def _single(access: Any, x: Operand) -> Any:
        return getattr(access, "f32" if x.kind == "f32" else f"b{x.size * 8}")

    # --- sums ------------------------------------------------------------------------------------------------------------
    def reduce(self, *parts: tuple[str, Any]) -> list[Any]:
        """The sums ("add") and maxima ("max") over the row of what each thread has, the same bits in each of them."""
        k, t = self.k, self.layout
        values = [self._over_lanes(how, value, min(t.lanes, WARP)) for how, value in parts]
        slots = t.ctas * t.warps
        if t.lanes <= WARP:
            return values
        buffer = k.smem(px.f32, 2 * len(parts) * slots)
        lane = k.tid.x % WARP
        mine = (self.turn * (len(parts) * slots) + k.warp) * 4
        if t.ctas > 1:
            mine = k.mad.lo.u32(k.cluster_ctarank, 4 * t.warps, mine)
        with k.if_(lane < t.ctas):
            for i, value in enumerate(values):
                if t.ctas > 1:
                    k.st.shared__cluster.f32(buffer.remote(lane).at(mine) + i * slots * 4, value)
                else:
                    k.st.shared.f32(buffer.at(mine) + i * slots * 4, value)
        k.sync_all()
        reach = min(WARP, power_of_two(slots))
        lane = k.tid.x % reach
        out: list[Any] = []
        for i, (how, _) in enumerate(parts):
            at = buffer.at((self.turn * (len(parts) * slots) + lane) * 4)
            total = k.mov.f32(NEUTRAL[how])
            for s in range(0, slots, reach):
                one = k.mov.f32(NEUTRAL[how])
                k.ld.shared.f32(at + (i * slots + s) * 4, d=one, pred=lane + s < slots)
                joiner(k, how)(total, one, d=total)
            out.append(self._over_lanes(how, total, reach))
        return out

    def _over_lanes(self, how: str, value: Any, lanes: int) -> Any:
        k = self.k
        step = lanes // 2
        while step:
            other = k.shfl.sync.bfly.b32(value, step, WARP - 1, ALL_LANES)
            value = joiner(k, how)(value, other)
            step //= 2
        return value
