"""`k.print` of matrices: registers that a warp or a warpgroup holds together, and tiles of shared memory.

One thread of each warp prints, a call of the system's printf for each line. Lines say which row they are: those of several
warps may come in any order.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from ptxlab.diag import Diagnostic
from ptxlab.isa.types import TYPES, ScalarType
from ptxlab.lang.matrices import Matrices, MatrixRegisters
from ptxlab.lang.printing import MOST, SPEC, Printing, PrintSlot, slots
from ptxlab.lang.smem.tile import Tile
from ptxlab.lang.trace.types import register_class
from ptxlab.lang.trace.values import Register

PANEL = 16
"""Columns of a line."""
MOST_ELEMENTS = 16_384
"""Elements of a matrix that is printed."""
_WARP = 32
_EVERY_LANE, _SEGMENT = 0xFFFF_FFFF, 31
_HALVES = ("f16", "bf16")
_BYTES = ("e4m3", "e5m2")


@dataclass(frozen=True, slots=True)
class _Line:
    """What a line says around the elements: `head` and its values, the conversion of an element, and what follows."""

    head: str
    values: tuple[Any, ...]
    slot: PrintSlot
    tail: str
    rows: int
    columns: int

    def template(self, first: int, count: int) -> str:
        """The format of a line with `count` columns from `first` on; the number of the row goes in front of the elements."""
        width = len(str(self.rows - 1))
        part = f", {first}:{first + count}" if self.columns > PANEL else ""
        return f"{self.head}[%{width}u{part}]{f' {self.slot.word}' * count}{self.tail}\n"

    def panels(self) -> Iterator[tuple[int, int]]:
        """First column and number of columns of each part of a row."""
        return ((c, min(PANEL, self.columns - c)) for c in range(0, self.columns, PANEL))


@dataclass(frozen=True, slots=True)
class _Run:
    """Rows whose elements lie in the same places of their lanes' registers, each row `step` lanes behind the one before."""

    first: int
    count: int
    step: int
    lanes: tuple[int, ...]
    elements: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class _Place:
    """Where lines of registers come from.

    Attributes:
        held: the matrix. block: which of its blocks of rows. first: the first column.
        down: rows above those of the executing warp in its warpgroup: a register, or 0. leads: the predicate of who prints.
    """

    held: MatrixRegisters
    block: int
    down: Any
    leads: Any
    first: int


class MatrixPrinting(Matrices, Printing):
    """`k.print` with a matrix among its values."""

    def _print_matrix(self, template: str, wanted: list[PrintSlot], values: tuple[Any, ...]) -> bool:
        """Print the matrix that is the last of the values; False where no value is one."""
        held = [
            i for i, (slot, v) in enumerate(zip(wanted, values, strict=True))
            if isinstance(v, MatrixRegisters) or (isinstance(v, Tile) and slot.letter != "p")
        ]  # fmt: skip
        if not held:
            return False
        matrix = values[-1]
        if held != [len(values) - 1] or wanted[-1].letter == "s" or any(slot.word == "*" for slot in wanted):
            raise _wrong(f"{values[held[0]]!r} is printed by one conversion at the end of the format", _HOW)
        line = _line(template, wanted, values, matrix)
        if isinstance(matrix, Tile):
            self._print_tile(matrix, line)
        else:
            self._print_registers(matrix, line)
        return True

    # -- registers
    def _print_registers(self, held: MatrixRegisters, line: _Line) -> None:
        layout, leads = held.fragment, self.special("%laneid") == 0
        several = layout.threads > _WARP
        down = (self.thread >> 5 & 3) * int(layout.rows[_WARP, 0] - layout.rows[0, 0]) if several else 0
        for block in range(held.blocks):
            for first, count in line.panels():
                for run in _runs(held, range(first, first + count)):
                    self._over(run, _Place(held, block, down, leads, first), line)

    def _over(self, run: _Run, place: _Place, line: _Line) -> None:
        """The lines of some rows: a loop on the device where they are several."""
        if run.count == 1:
            self._row(run, place, line, None)
            return
        with self.loop(run.count) as i:
            self._row(run, place, line, i)

    def _row(self, run: _Run, place: _Place, line: _Line, i: Any) -> None:
        """The line of row `i` of a run; None: of its only one."""
        known: dict[int, Any] = {}
        ahead = 0 if i is None else i * run.step if run.step != 1 else i

        def lane(first: int) -> Any:
            if first not in known:
                known[first] = ahead + first if first or i is None else ahead
            return known[first]

        above = run.first + place.block * place.held.fragment.shape[0]
        row = above if i is None else i + above if above else i
        if isinstance(place.down, Register):
            row = place.down + row
        self._line(line, row, place.first, place.leads, self._fetched(place, run, lane, line.slot))

    def _fetched(self, place: _Place, run: _Run, lane: Callable[[int], Any], slot: PrintSlot) -> list[Any]:
        """The elements of a row, from the lanes that hold them."""
        held = place.held
        each = max(1, 32 // held.dtype.bits)
        known: dict[tuple[int, int], Any] = {}
        out: list[Any] = []
        for first, element in zip(run.lanes, run.elements, strict=True):
            number, part = divmod(element + place.block * held.fragment.elements, each)
            if (first, number) not in known:
                known[first, number] = self._shuffled(held[number], lane(first))
            out.append(self._element(known[first, number], part * held.dtype.bits, held.dtype, slot))
        return out

    def _shuffled(self, register: Register, lane: Any) -> Any:
        """What a register of another lane holds, as bits."""
        if register.reg.type.bits == 32:
            return self.emit("shfl.sync.idx.b32", (register, lane, _SEGMENT, _EVERY_LANE))
        low, high = (self._shuffled(part, lane) for part in self.unpack(register, TYPES["b32"]))
        return self.emit("mov.b64", ((low, high),))

    def _element(self, word: Register, bit: int, dtype: ScalarType, slot: PrintSlot) -> Any:
        """An element of a word, in a register of its type, for a conversion."""
        if dtype.bits >= 32:
            return _as(self, word, dtype)
        if dtype.name in _HALVES:
            return self.unpack(word, dtype)[bit // 16]
        if dtype.name in _BYTES and slot.letter == "f":
            return self._byte(self.unpack(word, TYPES["b16"])[bit // 16], dtype, bit % 16 // 8)
        if dtype.kind == "f" and slot.letter == "f":
            raise _wrong(f"`{slot.word}` cannot print .{dtype}", "print the bits of each element with %x")
        kind = "s32" if dtype.kind == "s" else "u32"
        return self.emit(f"bfe.{kind}", (_as(self, word, TYPES[kind]), bit, dtype.bits))

    def _byte(self, pair: Register, dtype: ScalarType, part: int) -> Any:
        """One of two floating-point numbers of 8 bits, as f16."""
        both = self.emit(f"cvt.rn.f16x2.{dtype}x2", (pair,))
        return self.unpack(both, TYPES["f16"])[part]

    # -- tiles
    def _print_tile(self, tile: Tile, line: _Line) -> None:
        """The first of the threads that are here prints all of it."""
        here = self.emit("clz.b32", (self.emit("brev.b32", (self.emit("activemask.b32"),)),))
        with self.if_(self.special("%laneid") == here):
            for first, count in line.panels():
                if len(tile.shape) == 1:
                    self._tile_row(tile, 0, first, count, line)
                    continue
                with self.loop(tile.shape[0]) as row:
                    self._tile_row(tile, row, first, count, line)

    def _tile_row(self, tile: Tile, row: Any, first: int, count: int, line: _Line) -> None:
        size = tile.dtype.bits // 8
        places = [
            tile.at(c * size) if len(tile.shape) == 1 else tile.locate(row, c) for c in range(first, first + count)
        ]
        self._line(line, row, first, None, [self._loaded(at, tile.dtype, line.slot) for at in places])

    def _loaded(self, at: Any, dtype: ScalarType, slot: PrintSlot) -> Any:
        direct = dtype.kind in "us" or dtype.name in ("f32", "f64")
        word = self.emit(f"ld.shared.{dtype if direct else f'b{dtype.bits}'}", (at,))
        if dtype.name in _BYTES:
            return self._byte(self.unpack(word, TYPES["b16"])[0], dtype, 0) if slot.letter == "f" else word
        return _as(self, word, dtype)

    def _line(self, line: _Line, row: Any, first: int, leads: Any, found: list[Any]) -> None:
        """Print one line; `leads`: in which thread, None where one alone is here."""
        template = line.template(first, len(found))
        values = (*line.values, row, *found)
        if leads is None:
            self._print(template, slots(template), values)
            return
        with self.if_(leads):
            self._print(template, slots(template), values)


_HOW = 'put it last: k.print("step %u: %8.3f", i, matrix)'


def _line(template: str, wanted: Sequence[PrintSlot], values: tuple[Any, ...], matrix: MatrixRegisters | Tile) -> _Line:
    """Raises: Diagnostic PTX2221 for a matrix that is too large to print, or has other dimensions than two."""
    shape = matrix.shape if isinstance(matrix, Tile) else _shape(matrix)
    if len(shape) > 2:
        raise _wrong(f"{matrix!r} has {len(shape)} dimensions", "print a part of two: tile[0]")
    rows, columns = [1, *shape][-2:]
    if rows * columns > MOST_ELEMENTS:
        raise _wrong(
            f"{matrix!r} is too large to print", f"print a part of at most {MOST_ELEMENTS:,} elements: tile.part(…)"
        )
    if len(values) + min(PANEL, columns) > MOST:
        raise _wrong(f"{len(values) - 1} values in front of a matrix are too many", "print them in another call")
    last = [found for found in SPEC.finditer(template) if found[5] != "%"][-1]
    head, tail = template[: last.start()].rstrip(), template[last.end() :].rstrip("\n")
    return _Line(head, values[:-1], wanted[-1], tail, rows, columns)


def _shape(held: MatrixRegisters) -> tuple[int, int]:
    rows, columns = held.fragment.shape
    return rows * held.blocks, columns


def _runs(held: MatrixRegisters, columns: range) -> Iterator[_Run]:
    """The rows that the first warp holds, in order; those that one loop can print together."""
    layout = held.fragment
    rows = sorted({int(row) for row in layout.rows[:_WARP].ravel()})
    places = {row: _places(held, row, columns) for row in rows}
    while rows:
        first = rows[0]
        lanes, elements = places[first]
        step = places[rows[1]][0][0] - lanes[0] if len(rows) > 1 else 0
        count = 1
        while count < len(rows) and places[rows[count]] == (tuple(lane + count * step for lane in lanes), elements):
            count += 1
        yield _Run(first, count, step, lanes, elements)
        rows = rows[count:]


def _places(held: MatrixRegisters, row: int, columns: range) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """The lanes, and the numbers of their elements, that hold these columns of a row."""
    owner = held.fragment.owner
    return tuple(int(owner[row, c, 0]) for c in columns), tuple(int(owner[row, c, 1]) for c in columns)


def _as(k: MatrixPrinting, register: Register, scalar: ScalarType) -> Any:
    """The same register, taken for one of another type of its size; tf32 is printed as the f32 that it is."""
    return register_class(TYPES["f32"] if scalar.name == "tf32" else scalar)(k, register.reg)


def _wrong(what: str, help: str) -> Diagnostic:
    return Diagnostic("PTX2221", what, help=help)


__all__ = ["MatrixPrinting"]
