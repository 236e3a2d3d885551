"""What all kernels on rows have in common: a row comes to registers as f32, is reduced, and goes back to memory.

A kernel's body is a function of `Rows`. It says by `load`, `reduce` and `store` what happens to a row within `Rows.loop`. How many
threads share a row is the `Layout`'s affair:

- The grid has threads for each row, and what hides the latency of memory is that an SM holds many of them. Kernels with sums over
  rows have threads that are `resident`: they take one row after the other, and load the next one meanwhile (`Staged`).
- Lanes of a warp reduce by shuffles. The warps of a CTA put what they have into shared memory, the CTAs of a cluster into the
  shared memory of them all, and each warp adds up the same numbers in the same order. That takes one barrier; where
  threads are resident, two buffers take turns.
- The order of sums depends on the layout alone, so results are the same bits run after run.
- Rows at multiples of 16 bytes move by vectors of 16 bytes. Rows that begin elsewhere (`Layout.shifted`) do so too, but for the
  ends of a row, which move by elements; what lies before and behind a row is neither read nor written.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from itertools import islice
from typing import Any, Literal

import ptxlab as px
from ptxlab.kernels.blocks.signature import Extra, extended
from ptxlab.kernels.rows.layout import VECTOR, WARP, Layout, power_of_two
from ptxlab.kernels.rows.numbers import joiner, packed, unpacked

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
    if layout.registers:
        options["max_registers"] = layout.registers
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
        self.begin = k.ctaid.x // layout.ctas * layout.rows
        self.part = self.begin + self.group
        self.met = layout.ctas == 1
        if layout.ctas > 1:
            span = layout.vectors * layout.lanes
            self.place = k.mad.lo.u32(k.cluster_ctarank, span, self.place)
            k.barrier.cluster.arrive.release.aligned()
        if layout.piece:
            self.pieces = (self.columns + (layout.piece - 1)) // layout.piece
            self.rows = self.rows * self.pieces
        self.turn = k.mov.u32(0)
        self.loaded: dict[str, list[Any]] = {}
        self.staged: Staged | None = None
        self.at_row(self.part)

    def __contains__(self, name: str) -> bool:
        """Whether there is such an operand."""
        return name in self.operands

    # --- where things are ------------------------------------------------------------------------------------------------
    @contextmanager
    def loop(self, *names: str, neutral: float = 0.0) -> Generator[None, None, None]:
        """The row of these threads, or their rows, one after the other, where they are resident.

        Args:
            names: of matrices that are read more than once, which shared memory holds where the layout is `staged`.
            neutral: as in `load`.
        """
        k, t = self.k, self.layout
        read = [x for name, x in self.operands.items() if name in names and t.staged]
        self.staged = Staged(self, read, neutral) if read else None
        self.at_row(self.part, within=True)
        if self.staged:
            self.staged.fetch()
        if not t.resident:
            if self.staged:
                self.staged.keep()
            yield
            self._meet()
            return
        self._meet()
        step = k.nctaid.x // t.ctas * t.rows
        with k.loop(self.rows, start=self.begin, step=step) as begin:
            row = begin + self.group if t.rows > 1 else begin
            if self.staged:
                self.staged.keep()
                self.at_row(row + step, within=True)
                self.staged.fetch()
            self.at_row(row, within=True)
            yield
            self.turn ^= 1

    @contextmanager
    def steps(self, name: str, neutral: float = 0.0) -> Generator[list[Any], None, None]:
        """The thread's elements of a row of any width, some at a time, as `load` has them all."""
        t, x = self.layout, self.operands[name]
        width, begin = self.width(), self.first[0]
        span = t.ctas * t.vectors * t.lanes * t.elements
        with self.k.loop(width + (t.elements if t.shifted else 0), step=span) as offset:
            self.first = [begin + offset + v * t.lanes * t.elements for v in range(t.vectors)]
            yield self._loaded(x, neutral)

    def _meet(self) -> None:
        """Wait, once, for the CTAs of the cluster: their shared memory is there."""
        if not self.met:
            self.k.barrier.cluster.wait.acquire.aligned()
        self.met = True

    def at_row(self, row: Any, *, within: bool = False) -> None:
        """Turn to a row. within: of those that there are, or one behind them."""
        k, t = self.k, self.layout
        self.row, self.there = row, row < self.rows if within else None
        self.line_of_row, self.offset, self.limit = row, None, self.columns
        if t.piece:
            self.line_of_row = row // self.pieces
            self.offset = (row - self.line_of_row * self.pieces) * t.piece
            self.limit = k.min.u32(self.columns - self.offset, t.piece)
        start = self.place * t.elements
        if t.shifted:
            lead = next(x for x in self.operands.values() if x.along == "rows")
            start = start - k.cvt.u32.u64(self.start(lead) % VECTOR) // lead.size
        self.first = [start + v * t.lanes * t.elements for v in range(t.vectors)]
        self.loaded = {}

    def start(self, x: Operand) -> Any:
        """Where the row begins in a matrix."""
        k = self.k
        start = k.mad.lo.u64(k.cvt.u64.u32(self.line_of_row), self.given[f"{x.name}_pitch"], self.given[x.name])
        return start if self.offset is None else k.mad.wide.u32(self.offset, x.size, start)

    def width(self) -> Any:
        """Columns of the row; none behind the last row."""
        if self.there is not None and self.layout.rows > 1:
            return self.k.selp.u32(self.limit, 0, self.there)
        return self.limit

    def inside(self, width: Any, vector: int, element: int) -> Any:
        """Whether an element lies within the row. Columns before the first are large numbers."""
        return self.first[vector] + element < width

    def masked(self, values: Iterable[Any]) -> Iterable[Any]:
        """The values; 0 for those outside of the row."""
        t, width = self.layout, self.width()
        step = 1 if t.shifted else t.elements
        inside = [self.inside(width, v, e) for v in range(t.vectors) for e in range(0, t.elements, step)]
        return (self.k.selp.f32(x, 0.0, inside[i // step]) for i, x in enumerate(values))

    # --- memory ----------------------------------------------------------------------------------------------------------
    def load(self, name: str, neutral: float = 0.0) -> Iterable[Any]:
        """The thread's elements of the row as f32; `neutral` for those outside of it.

        From shared memory they come as they are asked for, and in each call anew: registers need not keep a row.
        """
        x = self.operands[name]
        if self.staged and name in self.staged.buffers:
            return self.staged.values(x)
        if name not in self.loaded:
            self.loaded[name] = self._loaded(x, neutral)
        return self.loaded[name]

    def again(self, make: Callable[[], Iterable[Any]]) -> Callable[[], Iterable[Any]]:
        """Values that are needed again: computed once where registers keep them, else each time."""
        if self.staged:
            return make
        values = list(make())
        return lambda: values

    def line(self, name: str) -> Callable[[], Iterable[Any]]:
        """What belongs to the thread's columns, as f32: asked for in each row, and then in the L1 cache.

        Nothing where there is no such operand.
        """
        if name not in self:
            return list[Any]
        x = self.operands[name]

        def values() -> Iterable[Any]:
            for v, at in enumerate(self.places(x, self.given[name])):
                words = self.words(x, 0.0)
                self._fill_one(x, at, self.columns, v, words, by_element=self.layout.shifted)
                yield from unpacked(self.k, words, x.kind)

        return values

    def store(self, name: str, values: Iterable[Any], *, by_part: bool = False) -> None:
        """Write the thread's elements of the row. by_part: of the row with the number of these threads, behind the loop."""
        if by_part:
            self.at_row(self.part)
        k, t, x = self.k, self.layout, self.operands[name]
        width, values = self.width(), iter(values)
        for v, (first, at) in enumerate(zip(self.first, self.places(x, self.start(x)), strict=True)):
            words = packed(k, list(islice(values, t.elements)), x.kind)
            if not t.shifted:
                move(k.st.global_, at, words, pred=self.inside(width, v, 0), store=True, bits=8 * t.elements * x.size)
                continue
            with k.if_(self._whole(width, first)):
                move(k.st.global_, at, words, store=True)
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
            self.at_row(self.part)
        x, writes = self.operands[name], self.place == 0
        if self.there is not None:
            writes = writes & self.there
        getattr(self.k.st.global_, x.kind)(self._of_row(x), value, pred=writes)

    def _of_row(self, x: Operand) -> px.Address:
        if x.name == "scale":  # there is one for all
            return self.given[x.name] + 0
        row = self.row if x.name == "scales" else self.line_of_row  # pieces have scales of their own
        return px.Address.of(self.k.mad.wide.u32(row, x.size, self.given[x.name]), space="global")

    def element(self, name: str, column: Any, there: Any) -> Any:
        """One element of the row as f32, the same for all that share the row; 0 where it is not `there`."""
        x, k = self.operands[name], self.k
        word = k.mov.f32(0.0) if x.kind == "f32" else k.mov.b16(0)
        self._single(k.ld.global_, x)(self._address(column, x, self.start(x)), d=word, pred=there)
        return unpacked(k, [word], x.kind)[0]

    def _address(self, column: Any, x: Operand, start: Any) -> px.Address:
        """Columns before the first are negative."""
        return px.Address.of(self.k.mad.wide.s32(column, x.size, start), space="global")

    def _whole(self, width: Any, first: Any) -> Any:
        """Whether all of a vector lies within the row."""
        k, n = self.k, self.layout.elements
        return first < k.selp.u32(width - (n - 1), 0, width >= n)

    def _loaded(self, x: Operand, neutral: float) -> list[Any]:
        vectors = [self.words(x, neutral) for _ in self.first]
        self.fill(x, self.start(x), self.width(), vectors)
        return [value for words in vectors for value in unpacked(self.k, words, x.kind)]

    def fill(self, x: Operand, start: Any, width: Any, vectors: list[list[Any]], *, by_element: bool = False) -> None:
        """Load the thread's vectors into these words, which stay as they are outside of the row."""
        for v, (at, words) in enumerate(zip(self.places(x, start), vectors, strict=True)):
            self._fill_one(x, at, width, v, words, by_element=by_element)

    def _fill_one(self, x: Operand, at: px.Address, width: Any, v: int, words: list[Any], *, by_element: bool) -> None:
        k, first = self.k, self.first[v]
        if not self.layout.shifted:
            move(k.ld.global_, at, words, pred=self.inside(width, v, 0), store=False)
        elif by_element:
            self._load_elements(x, at, words, v, width)
        else:
            with k.if_(self._whole(width, first)):
                move(k.ld.global_, at, words, store=False)
            with k.else_():
                self._load_elements(x, at, words, v, width)

    def places(self, x: Operand, start: Any) -> list[px.Address]:
        """Where the thread's vectors are."""
        begin = self._address(self.first[0], x, start)
        return [begin + v * self.layout.lanes * self.layout.elements * x.size for v in range(self.layout.vectors)]

    def words(self, x: Operand, neutral: float | None) -> list[Any]:
        """Registers for a vector, full of neutral elements where there are such."""
        k, nbytes = self.k, self.layout.elements * x.size
        if x.kind == "f32":
            return [k.reg(px.f32) if neutral is None else k.mov.f32(neutral) for _ in range(self.layout.elements)]
        if neutral is None:
            return [k.reg(px.b16)] if nbytes == 2 else [k.reg(px.b32) for _ in range(nbytes // 4)]
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
        self._meet()
        buffer = k.smem(px.f32, (1 + t.resident) * len(parts) * slots)
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


class Staged:
    """Rows in shared memory, where each thread puts what it has loaded and reads it back as often as it is needed.

    Registers then hold packed words of a row for a short time only, and where threads are resident, those of the next row while
    this one is worked on. No thread reads what another one wrote, so that nobody waits.
    """

    def __init__(self, r: Rows, operands: Sequence[Operand], neutral: float) -> None:
        k, t = r.k, r.layout
        self.r, self.operands, self.neutral = r, operands, neutral
        self.nbytes = {x.name: t.elements * x.size for x in operands}
        self.buffers = {
            name: k.smem(px.b8, t.vectors * t.threads * n, align=VECTOR).at(k.tid.x * n)
            for name, n in self.nbytes.items()
        }
        self.words = {x.name: [r.words(x, neutral) for _ in range(t.vectors)] for x in operands}

    def fetch(self) -> None:
        """Ask for the words of the row at hand."""
        r = self.r
        width = r.k.selp.u32(r.limit, 0, r.there)
        for x in self.operands:
            r.fill(x, r.start(x), width, self.words[x.name])

    def keep(self) -> None:
        """Put them where `values` reads them."""
        t = self.r.layout
        for x in self.operands:
            n = self.nbytes[x.name]
            for v, words in enumerate(self.words[x.name]):
                move(self.r.k.st.shared, self.buffers[x.name] + v * t.threads * n, words, store=True)

    def values(self, x: Operand) -> Iterable[Any]:
        """The thread's elements of the row that was kept."""
        k, t, n = self.r.k, self.r.layout, self.nbytes[x.name]
        for v in range(t.vectors):
            words = self.r.words(x, None)
            move(k.ld.shared, self.buffers[x.name] + v * t.threads * n, words, store=False)
            yield from unpacked(k, words, x.kind)


def move(access: Any, at: px.Address, words: list[Any], *, pred: Any = None, store: bool, bits: int = 32) -> None:
    """A vector by as few accesses as there can be. bits: of an access, where a word has less of them that count."""
    width: int = words[0].scalar.bits
    kind = "f32" if words[0].scalar is px.f32 else f"b{min(bits, width)}"
    for i in range(0, len(words), 4):
        some = words[i : i + 4]
        one = getattr(access if len(some) == 1 else getattr(access, f"v{len(some)}"), kind)
        values = some[0] if len(some) == 1 else some
        if store:
            one(at + i * width // 8, values, pred=pred)
        else:
            one(at + i * width // 8, d=values, pred=pred)
