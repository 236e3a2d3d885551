"""An epilogue inside the kernel: what it reads for each result of a thread, in which order, and where results are.

Rows and columns here are those of a block as wgmma computes it; where the product is swapped they are columns and rows of C.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import ptxlab as px
from ptxlab import Diagnostic, Span, user_span
from ptxlab.kernels.blocks.epilogue import Along, Function
from ptxlab.kernels.blocks.tiling import Tiling

LANES = 0xFFFFFFFF


def parts_of(k: px.Builder, number: Any, across: int) -> tuple[Any, Any]:
    """Quotient and remainder of a number by a constant."""
    if across & (across - 1) == 0:
        return k.shr.u32(number, across.bit_length() - 1), number & (across - 1)
    quotient = number // across
    return quotient, number - quotient * across


@dataclass(frozen=True, slots=True)
class Read:
    """An array as the kernel sees it.

    Attributes:
        pairs: two neighbours in memory may be read at once. shared: it may be C itself. exact: elements may be written while others
            are read, as they are of C: each thread then reads those whose results it writes, and nothing else.
        staged: it comes through shared memory, to where results lie next.
    """

    along: Along
    dtype: type[px.Register]
    pairs: bool = False
    shared: bool = False
    exact: bool = False
    staged: bool = False

    @property
    def arguments(self) -> int:
        """Parameters of the kernel that it takes: its address, and of a matrix the bytes from row to row."""
        return 2 if self.along == "element" else 1


@dataclass(frozen=True, slots=True)
class Planned:
    """A step of an epilogue as the kernel sees it, without the arrays themselves."""

    kind: Literal["each", "gate", "amax"]
    function: Function | None
    reads: tuple[Read, ...] = ()

    def compute(self, k: px.Builder, *values: Any) -> Any:
        """The result of the step's function. Raises: Diagnostic PTX2112 where that is no register of f32, and no number."""
        assert self.function is not None
        found = self.function(k, *values)
        if getattr(getattr(found, "scalar", None), "name", "") == "f32" or isinstance(found, int | float):
            return found
        name, code = getattr(self.function, "__name__", "the function"), getattr(self.function, "__code__", None)
        scalar = getattr(found, "scalar", None)
        what = "nothing" if found is None else type(found).__name__ if scalar is None else f"a register of .{scalar}"
        raise Diagnostic(
            "PTX2112",
            f"`{name}`, an epilogue, returns {what} and not a register of .f32.",
            help="return what is to be stored, e.g. `return k.max.f32(x, 0.0)`",
            origin=user_span() if code is None else Span(code.co_filename, code.co_firstlineno),
        )


class Finish:
    """The steps of an epilogue, applied where results are stored: as late as possible, so that they wait in no registers.

    Args:
        arguments: the kernel's parameters for what the steps read, in their order.
        extents: rows and columns of results, as wgmma has them. out: their type in C.

    Example: see Mainloop
    """

    def __init__(
        self,
        k: px.Builder,
        tiling: Tiling,
        plan: Sequence[Planned],
        *,
        arguments: Sequence[Any],
        extents: tuple[Any, Any],
        out: type[px.Register],
    ) -> None:
        self.k, self.tiling, self.plan, self.extents, self.out = k, tiling, plan, extents, out
        left = list(arguments)
        self.steps = [
            (step, [(read, [left.pop(0) for _ in range(read.arguments)]) for read in step.reads]) for step in plan
        ]
        self.ones: dict[int, Any] = {}
        self.largest: dict[int, Any] = {}
        self._at: tuple[Any, Any] | None = None
        self._spread: dict[Any, Sequence[Any]] = {}
        self._known: dict[Any, Any] = {}

    def __repr__(self) -> str:
        return f"<Finish of {self.tiling}: {len(self.plan)} steps, results of .{self.out.scalar}>"

    @property
    def per_result(self) -> int:
        """Sums that make one result."""
        return 2 if self.tiling.gated else 1

    @property
    def reads_c(self) -> bool:
        """Whether C may be among what is read."""
        return any(read.shared for step in self.plan for read in step.reads)

    def begin(self) -> None:
        """Read what all results share."""
        k = self.k
        for number, (step, reads) in enumerate(self.steps):
            if step.kind == "amax":
                self.largest[number] = k.reg(px.u32)
                k.mov.u32(0, d=self.largest[number])
                continue
            for i, (read, (pointer, *_)) in enumerate(reads):
                if read.along == "scalar":
                    self.ones[number * 100 + i] = self._float_of(read, self._load(read, px.Address.of(pointer), 1))[0]
        if self.plan:
            lane = k.tid.x & 31
            self._row, self._column = k.mad.lo.u32(k.warp & 3, 16, lane >> 2), (lane & 3) * 2

    def values(self, block: Sequence[Any], first: int, count: int, row: Any, column: Any) -> Sequence[Any]:
        """Results `first` to `first + count` of a block that begins at (row, column)."""
        if not self.plan:
            values = block[first : first + count]
            return values if self.out is px.s32 else [self._float(x) for x in values]
        self._move(row, column)
        return [x for e in range(first, first + count, 2) for x in self._pair(block, e)]

    def prefetch_inputs(self, first: int, count: int, row: Any, column: Any) -> None:
        """Begin to read what these results of a block need: they then need not wait for memory.

        Args: as for `values`, of which the block itself may be unknown yet.
        """
        if not self.plan:
            return
        self._move(row, column)
        for e in range(first, first + count, 2):
            sides = self.per_result
            for number, (step, reads) in enumerate(self.steps):
                if step.kind == "gate":
                    sides = 1
                elif step.kind == "each":
                    for i, (read, arguments) in enumerate(reads):
                        for s in range(sides if read.along != "scalar" else 0):
                            if self._by_column(read):
                                self._read_columns((number, i, s), read, arguments[0], self._gap(read, s))
                            elif read.along != "element":  # a matrix would take registers that the sums need
                                self._raw(number, i, e, s)

    @property
    def staged(self) -> tuple[int, int] | None:
        """The step and the number of the matrix that comes through shared memory."""
        found = [(n, i) for n, step in enumerate(self.plan) for i, read in enumerate(step.reads) if read.staged]
        return found[0] if found else None

    def set_source(self, e: int, pair: Sequence[Any], row: Any, column: Any) -> None:
        """The two elements of that matrix for results e and e + 1 of a block."""
        self._move(row, column)
        assert self.staged is not None
        self._known[(*self.staged, 0, e)] = pair

    def source(self, row: Any, column: Any) -> tuple[px.Address, Any]:
        """Where an element of that matrix lies, and whether it exists."""
        k = self.k
        assert self.staged is not None
        number, i = self.staged
        read, (start, pitch) = self.steps[number][1][i]
        at = k.mad.lo.u64(k.cvt.u64.u32(row), pitch, start)
        inside = k.selp.u32(k.selp.u32(1, 0, column < self.extents[1]), 0, row < self.extents[0])
        return px.Address.of(k.mad.wide.u32(column, read.dtype.scalar.bytes, at), space="global"), inside

    def _move(self, row: Any, column: Any) -> None:
        """To the block that begins there."""
        if self._at is None or self._at[1] is not column:
            self._at, self._known, self._spread = (row, column), {}, {}
        elif self._at[0] is not row:
            self._at, self._known = (row, column), {}

    def end(self) -> None:
        """Combine the largest magnitudes of all threads: it does not matter in which order."""
        k = self.k
        for number, largest in self.largest.items():
            ((_, (pointer,)),) = self.steps[number][1]
            of_warp = k.redux.sync.max.u32(largest, LANES)
            k.red.global_.max.u32(px.Address.of(pointer), of_warp, pred=(k.tid.x & 31) == 0)

    # --- one pair of results -----------------------------------------------------------------------------------------
    def _pair(self, block: Sequence[Any], e: int) -> list[Any]:
        """Results e and e + 1: neighbours in a row of the block."""
        k, half = self.k, len(block) // 2
        sides = [[self._float(x) for x in block[e + s * half : e + s * half + 2]] for s in range(self.per_result)]
        for number, (step, reads) in enumerate(self.steps):
            if step.kind == "amax":
                for i, x in enumerate(sides[0]):
                    self._track_amax(number, x, e + i)
            elif step.kind == "gate":
                sides = [[step.compute(k, gate, x) for gate, x in zip(*sides, strict=True)]]
            else:
                for s, side in enumerate(sides):
                    inputs = [self._operands(number, i, e, s) for i in range(len(reads))]
                    sides[s] = [step.compute(k, x, *(b[i] for b in inputs)) for i, x in enumerate(side)]
        return sides[0]

    def _float(self, x: Any) -> Any:
        """Sums of integers become f32."""
        return x if x.scalar.name == "f32" else self.k.cvt.rn.f32.s32(x)

    def _track_amax(self, number: int, x: Any, e: int) -> None:
        """Of results that lie in C."""
        k = self.k
        bits = k.and_.b32(k.mov.b32(x), 0x7FFFFFFF)
        inside = k.selp.b32(bits, 0, self._left(e // 2 % 2) > 8 * (e // 4) + e % 2)
        k.max.u32(self.largest[number], inside, d=self.largest[number])

    def _left(self, half: int) -> Any:
        """Columns of the results from the lane's first on, none below the last row."""
        k = self.k

        def made() -> Any:
            line = self._line(half)
            return k.selp.s32(self.extents[1] - self._first(), 0, line < self.extents[0])

        return self._once(("left", half), made)

    # --- what the epilogue reads for a result --------------------------------------------------------------------------
    def _once(self, key: Any, made: Any) -> Any:
        """What is computed once for a block."""
        if key not in self._known:
            self._known[key] = made()
        return self._known[key]

    def _line(self, half: int) -> Any:
        """The lane's row, the upper or the lower one."""
        return self._once(("line", half), lambda: self._at[0] + self._row + 8 * half if self._at else None)

    def _first(self) -> Any:
        """The lane's first column."""
        return self._once("first", lambda: self._at[1] + self._column if self._at else None)

    def _operands(self, number: int, i: int, e: int, side: int) -> Sequence[Any]:
        """What step `number` reads as its array i for results e and e + 1, of the gate (side 0) or of what is behind it."""
        read = self.steps[number][1][i][0]
        if read.along == "scalar":
            x = self.ones[number * 100 + i]
            return (x, x)
        key, raw = self._raw(number, i, e, side)
        of_lanes = read.along != "element" and key[3] == "column"
        found = raw if of_lanes else self._once(("f32", key), lambda: self._float_of(read, raw))
        return found if len(found) == 2 else (found[0], found[0])

    def _raw(self, number: int, i: int, e: int, side: int) -> tuple[Any, Sequence[Any]]:
        """The same as it is read, one value where it is the same for both, and what names it among all that was read."""
        read, arguments = self.steps[number][1][i]
        if read.along == "element":
            key: Any = (number, i, side, e)
            return key, self._once(key, lambda: self._elements(read, arguments, e, side))
        gap = self._gap(read, side)
        if not self._by_column(read):
            key = (number, i, side, "line", half := e // 2 % 2)
            return key, self._once(key, lambda: self._of_line(read, arguments[0], half, gap))
        key = (number, i, side, "column", e // 4)
        return key, self._once(key, lambda: self._of_columns((number, i, side), read, arguments[0], e // 4, gap))

    def _by_column(self, read: Read) -> bool:
        """Whether it is a vector along the columns of the product as wgmma computes it."""
        return read.along in ("row", "column") and (read.along == "row") == self.tiling.swapped

    def _gap(self, read: Read, side: int) -> Any:
        """How far behind a gate's elements those are that it lets through."""
        return self.extents[0 if self.tiling.swapped else 1] if side and read.along == "column" else None

    def _of_line(self, read: Read, start: Any, half: int, gap: Any) -> Sequence[Any]:
        """Of a vector along the rows."""
        return self._load(read, self._at_index(read, start, self._clamped(self._line(half), 0, 1), gap), 1)

    def _of_columns(self, key: Any, read: Read, start: Any, group: int, gap: Any) -> Sequence[Any]:
        """Of a vector along the columns: those of the lane's two columns in a group of 8, as f32.

        The lanes read the vector once for a tile, each every 32nd element, and get theirs from each other: a read for each result
        would wait for memory once for each box.
        """
        k = self.k
        self._read_columns(key, read, start, gap)
        lane = (k.tid.x & 3) * 2 + 8 * (group % 4)
        mine = self._spread[key][group // 4]
        return [k.shfl.sync.idx.b32(mine, lane + i if i else lane, 0x1F, LANES) for i in range(2)]

    def _read_columns(self, key: Any, read: Read, start: Any, gap: Any) -> None:
        """What the lanes know of a vector along the columns."""
        if key in self._spread:
            return
        assert self._at is not None
        first = self._at[1] + (self.k.tid.x & 31)
        found: list[Any] = []
        for j in range(-(-self.tiling.stored_columns // 32)):
            index = self._clamped(first + 32 * j if j else first, 1, 1)
            found += self._float_of(read, self._load(read, self._at_index(read, start, index, gap), 1))
        self._spread[key] = found

    def _neighbours(self, read: Read, start: Any, offset: int, gap: Any, half: int | None = None) -> Sequence[Any]:
        """Of a vector along the columns, or of a row of a matrix: those of two neighbouring ones."""
        if read.pairs:
            index = self._clamped(self._first() + offset, 1, 2)
            return self._load(read, self._at_index(read, start, index, gap), 2, self._inside(read, half, offset))
        found: list[Any] = []
        for i in range(2):
            index = self._clamped(self._first() + (offset + i), 1, 1)
            found += self._load(read, self._at_index(read, start, index, gap), 1, self._inside(read, half, offset + i))
        return found

    def _elements(self, read: Read, arguments: Sequence[Any], e: int, side: int) -> Sequence[Any]:
        """Of a matrix over C: two neighbours in a row of C, or in a column where the product is swapped."""
        k, (start, pitch), half, offset = self.k, arguments, e // 2 % 2, 8 * (e // 4)
        swapped = self.tiling.swapped
        gap = self.extents[0 if swapped else 1] if side else None
        line = self._once(("clamped", half), lambda: self._clamped(self._line(half), 0, 1))

        def row_of(index: Any) -> Any:
            return k.mad.lo.u64(k.cvt.u64.u32(index), pitch, start)

        if not swapped:
            row = self._once((id(start), "row", half), lambda: row_of(line))
            return self._neighbours(read, row, offset, gap, half)
        found: list[Any] = []
        for i in range(2):
            index = self._clamped(self._first() + (offset + i), 1, 1)
            inside = self._inside(read, half, offset + i)
            found += self._load(read, self._at_index(read, row_of(index), line, gap), 1, inside)
        return found

    def _inside(self, read: Read, half: int | None, offset: int) -> Any:
        """The predicate of a read that only threads with results in C may make; None where all may."""
        return self._left(half) > offset if (read.shared or read.exact) and half is not None else None

    def _clamped(self, index: Any, axis: int, count: int) -> Any:
        """`count` from here on exist: what lies beyond C is read elsewhere, and never stored."""
        last = self._once(("last", axis, count), lambda: self.extents[axis] - count)
        return self.k.min.u32(index, last)

    def _at_index(self, read: Read, start: Any, index: Any, gap: Any) -> px.Address:
        index = index if gap is None else index + gap
        return px.Address.of(self.k.mad.wide.u32(index, read.dtype.scalar.bytes, start), space="global")

    def _load(self, read: Read, at: px.Address, count: int, inside: Any = None) -> Sequence[Any]:
        """One or two neighbours as they are; zeros where not `inside`."""
        k, name = self.k, read.dtype.scalar.name
        load = k.ld.global_.v2 if count == 2 else k.ld.global_
        load, kind, zero = (load.f32, px.f32, k.mov.f32) if name == "f32" else (load.b16, px.b16, k.mov.b16)
        if inside is None:
            got = load(at)
            return list(got) if count == 2 else [got]
        values = [k.reg(kind) for _ in range(count)]
        for x in values:
            zero(0.0 if name == "f32" else 0, d=x)
        load(at, d=values if count == 2 else values[0], pred=inside)
        return values

    def _float_of(self, read: Read, values: Sequence[Any]) -> Sequence[Any]:
        """What was read, as f32."""
        name = read.dtype.scalar.name
        return values if name == "f32" else [getattr(self.k.cvt.f32, name)(x) for x in values]
