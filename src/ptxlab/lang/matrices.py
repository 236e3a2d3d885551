"""Registers that hold a matrix: accumulators and fragments, which know where their elements lie."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass, fields
from typing import Any, NoReturn

from ptxlab.diag import Diagnostic
from ptxlab.diag.html import table
from ptxlab.isa.types import TYPES, ScalarType
from ptxlab.lang.flow.roles import Roles
from ptxlab.lang.smem.tile import Tile
from ptxlab.lang.trace.block import block
from ptxlab.lang.trace.types import Ptr, scalar_of
from ptxlab.lang.trace.values import Address, Register, Registers, whole
from ptxlab.layout.fragments import Fragment, bit_fields, wgmma_d
from ptxlab.layout.shapes import fragment

Epilogue = Callable[[Any, Any], Any]
_PAIRS = {"f16": "f16x2", "bf16": "bf16x2"}


class MatrixRegisters(Registers):
    """A thread's registers with its part of a matrix, as `k.accumulator` and `k.fragment` return them.

    They are an operand like any other list of registers; slices are plain `Registers`. `acc[i] += value` and its like write one
    register; where it holds two elements of 16 bits, both at once: those of accumulators, c and d are px.f16x2 and px.bf16x2.

    Raises: Diagnostic PTX2205 for arithmetic with the whole matrix, PTX0109 for `acc[row, column]`.

    Attributes:
        fragment: which thread holds which element; of an accumulator with several blocks of 64 rows, that of one block.
        blocks: how many blocks there are, one below the other.
        dtype: the type of an element.

    Example:
        acc = k.accumulator(64, 16)
        for row, column, register in acc.elements():
            k.cvt.rn.f32.u32(row * 16 + column, d=register)
        acc[7] += 0.5
        acc.store(y, 16)
        # y[1022:]: [1022.  1023.5]
    """

    _one = "registers are counted: acc[i]; acc.elements() gives row, column and register of each element"
    fragment: Fragment
    blocks: int
    dtype: ScalarType
    _k: Matrices

    @classmethod
    def of(
        cls, k: Matrices, registers: Registers, held: Fragment, dtype: ScalarType, blocks: int = 1
    ) -> MatrixRegisters:
        """These registers, as the matrix that they hold."""
        made = cls(registers)
        made._k, made.fragment, made.dtype, made.blocks = k, held, dtype, blocks
        return made

    def __iadd__(self, other: Any) -> NoReturn:
        self._one_by_one("+")

    def __repr__(self) -> str:
        rows, columns = self.fragment.shape
        return f"<{len(self)} registers of a {rows * self.blocks} × {columns} matrix of .{self.dtype}>"

    def _repr_html_(self) -> str:
        """Which thread holds which element: `thread:register`, of the first 16 columns."""
        held = self.fragment
        rows, columns = held.shape[0], min(16, held.shape[1])
        each = max(1, 32 // self.dtype.bits)

        def cell(row: int, column: int) -> str:
            thread, element = (int(n) for n in held.owner[row, column])
            return f"{thread}:{element // each}"

        heads = [repr(self)[1:-1], *map(str, range(columns))]
        return table(heads, [(str(r), *(cell(r, c) for c in range(columns))) for r in range(rows)])

    def elements(self) -> Iterator[tuple[Any, Any, Any]]:
        """(row, column, register) of every element that the executing thread holds, in the order of its registers.

        Row and column count from 0 in the matrix: registers of .u32, one addition for each row and column that differ from
        the first. Of elements of 16 bits the two of a register are taken apart, one mov each: writing those does not change
        the matrix.

        Raises: Diagnostic PTX2232 for elements of fewer than 16 bits. ISA: "Matrix Fragments".

        Example:
            d = k.fragment("mma.m16n8k8", "d", px.f32)
            for row, column, register in d.elements():
                k.mov.f32(1.0, d=register)
                k.st.global_.f32(y[row * 8 + column], register)
            # float(y.sum()): 128.0
        """
        rows, columns = self._k.positions(self.fragment)
        return self.walk(rows, columns)

    def walk(self, row: Any, column: Any) -> Iterator[tuple[Any, Any, Any]]:
        """`elements`, of a thread whose first element lies at `row` and `column`."""
        values = self._values()
        made: dict[tuple[str, int], Any] = {}
        for i, value in enumerate(values):
            down, right = self.steps(i)
            for key, base, step in (("r", row, down), ("c", column, right)):
                if (key, step) not in made:
                    made[key, step] = base + step if step else base
            yield made["r", down], made["c", right], value

    def steps(self, element: int) -> tuple[int, int]:
        """Rows and columns from the thread's first element to this one."""
        held, each = self.fragment, self.fragment.elements
        block, element = divmod(element, each)
        down, right = held.rows[0, element] - held.rows[0, 0], held.cols[0, element] - held.cols[0, 0]
        return int(down) + block * held.shape[0], int(right)

    def _values(self) -> list[Any]:
        if self.dtype.bits >= 32:
            return list(self)
        if self.dtype.bits < 16:
            raise self._k.no_matrix(
                f"{self!r} has several elements of {self.dtype.bits} bits in each register",
                "px.fragment(…).lane_of(row, column) says where they are",
            )
        wanted = self.fragment.elements * self.blocks // 2
        return [part for register in self[:wanted] for part in self._k.unpack(register, self.dtype)]

    def store(
        self,
        to: Ptr[Any] | Address | Tile,
        pitch: Any = None,
        *,
        row: Any = 0,
        column: Any = 0,
        rows: Any = None,
        columns: Any = None,
        epilogue: Epilogue | None = None,
    ) -> None:
        """Store the matrix, row by row, with ordinary stores; all its threads execute this.

        Values are converted to the type of what is stored to: f32 to f16 and bf16 (rounded to nearest even), f16 to f32; equal
        types are stored as they are. Two neighbours of a row are stored together where the place is known to allow it:
        without `columns`, and with an even `column` and pitch that are Python's.

        Args:
            to: a pointer or address of elements, row-major; or a tile of two dimensions, whose swizzle is kept.
            pitch: elements from one row to the next, an int or a register; for a tile left out.
            row, column: where in `to` the matrix begins; ints or registers of 32 bits.
            rows, columns: the extents of `to`; what lies beyond them is not written. ints or registers of 32 bits.
            epilogue: called with the builder and each value (px.f32 of an f32 accumulator), before it is converted; gives
                the value to store, e.g. `lambda k, x: k.max.f32(x, 0.0)`.

        Raises: Diagnostic PTX2232 for what cannot be stored so: no pitch, another type, bounds of a tile.

        Example:
            acc = k.accumulator(64, 16)
            for register in acc:
                k.mov.f32(-1.0, d=register)
            acc.store(y, 16, epilogue=lambda b, x: b.neg.f32(x))
            # float(y.sum()): 1024.0
        """
        self._k.store_matrix(self, _Target(to, pitch, row, column, rows, columns), epilogue)


class Matrices(Roles):
    """Registers of matrices, and groups of wgmma."""

    def accumulator(self, m: int, n: int, dtype: Any = "f32") -> MatrixRegisters:
        """The registers in which a warpgroup holds an m × n result of wgmma, one list for each 64 rows in turn.

        Registers are not set: let the first wgmma have scale_d=False. `elements()` and `store(…)` know where each element lies.

        Raises: Diagnostic PTX2210 unless m is a multiple of 64 and n one of 8 up to 256.
            ISA: "Register Fragments and Shared Memory Matrix Layouts" of wgmma.

        Args:
            m, n: rows and columns of the result.
            dtype: px.f32, px.f16 (two results in a register) or px.s32.

        Returns: `m / 64 · n / 2` registers of 32 bits for f32 and s32, half as many for f16. Register `4j + 2h + e` of a block
            of 64 rows holds row `16 · warp + 8h + lane / 4`, column `8j + 2 · (lane % 4) + e`.

        Example:
            tile = k.smem(px.f16, (64, 64), swizzle="128B")
            bar = k.mbarrier(1)
            k.init_barriers()
            with k.if_(k.thread == 0):
                bar.arrive_expect_tx(tile.nbytes)
                k.tma_load(tile, tm, (0, 0), bar)
            bar.wait(0)
            acc = k.accumulator(64, 64)
            part = tile.descriptor()
            with k.wgmma_group():
                for i in range(part.steps):
                    k.wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16(acc, part[i], part[i], i > 0, 1, 1, 0, 0)
            acc.store(y, 64, rows=16)
            # y[:2]: [64. 64.]
        """
        scalar, m, n = scalar_of(dtype), whole(m), whole(n)
        if m % 64 or m < 64 or n % 8 or not 8 <= n <= 256 or scalar.bits not in (16, 32):
            raise Diagnostic(
                "PTX2210",
                f"wgmma has no accumulator of {m} × {n} .{scalar}",
                help="m is a multiple of 64, n one of 8 up to 256, the type f32, f16 or s32",
                origin=self.here(),
            )
        each = TYPES[_PAIRS.get(scalar.name, "b32")] if scalar.bits == 16 else scalar
        registers = self.several(each, m // 64 * n * scalar.bits // 64)
        return MatrixRegisters.of(self, registers, wgmma_d(n), scalar, m // 64)

    @block("k.wgmma_group()")
    def wgmma_group(self, wait: int | None = 0) -> Generator[None, None, None]:
        """wgmma.fence before the block, wgmma.commit_group behind it, and wgmma.wait_group.

        Args:
            wait: how many of the last groups may still be under way behind the block, 0 to 7; None: nothing is waited for.

        PTX: wgmma.fence, wgmma.commit_group, wgmma.wait_group.

        Raises: Diagnostic PTX2232 for another `wait`; PTX2222 where it is called without `with`.
            ISA: "Asynchronous warpgroup-level matrix instructions".

        Example: see k.accumulator
        """
        if wait is not None and (not isinstance(wait, int) or not 0 <= wait <= 7):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise self.no_matrix(f"wait={wait!r} is no number of groups", "use 0 to 7, or None to wait for none")
        self.emit("wgmma.fence.sync.aligned")
        yield
        self.emit("wgmma.commit_group.sync.aligned")
        if wait is not None:
            self.emit("wgmma.wait_group.sync.aligned", (wait,))

    def fragment(self, name: str, matrix: str, dtype: Any, registers: Registers | None = None) -> MatrixRegisters:
        """New registers that hold a thread's part of a matrix of mma, wgmma or wmma; they are not set.

        Args:
            name: instruction and shape, as in `px.fragment`.
            matrix: "a", "b", "c" or "d".
            dtype: the type of an element.
            registers: what holds it already, e.g. the result of an mma; default: new ones.

        Raises: Diagnostic PTX2122 where there is no such matrix, PTX2232 for another number of registers.
            ISA: "Matrix Fragments".

        Example:
            a = [k.mov.b32(0x3C003C00) for _ in range(2)]  # ones of f16, two in a register
            b, zeros = [k.mov.b32(0x3C003C00)], [k.mov.f32(0.0) for _ in range(4)]
            d = k.mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32(a, b, zeros)
            k.fragment("mma.m16n8k8", "d", px.f32, d).store(y, 8)
            # y[:3]: [8. 8. 8.]
        """
        scalar = scalar_of(dtype)
        held = fragment(name, matrix, scalar.name)
        each = TYPES["b32"] if scalar.bits < 32 or scalar.name == "tf32" else scalar
        if matrix in ("c", "d") and scalar.name in _PAIRS:
            each = TYPES[_PAIRS[scalar.name]]
        if registers is None:
            registers = self.several(each, held.registers)
        elif len(registers) != held.registers:
            raise self.no_matrix(f"{held!r} has {held.registers} registers, not {len(registers)}", "give all of them")
        return MatrixRegisters.of(self, Registers(registers), held, scalar)

    def positions(self, held: Fragment) -> tuple[Any, Any]:
        """Registers with the row and the column of the executing thread's first element."""
        thread = self.thread & (held.threads - 1)
        return self._field_sum(thread, held.rows[:, 0]), self._field_sum(thread, held.cols[:, 0])

    def _field_sum(self, thread: Any, values: Any) -> Any:
        """What `values` holds at the number in `thread`: a sum of its bit fields, each with a factor."""
        total: Any = None
        for field in bit_fields(values):
            part = thread >> field.shift if field.shift else thread
            if field.width < (len(values) - 1).bit_length() - field.shift:
                part = part & ((1 << field.width) - 1)
            if total is not None:
                total = self.emit("mad.lo.u32", (part, field.factor, total))
            else:
                total = part * field.factor if field.factor > 1 else part
        return self.emit("mov.u32", (0,)) if total is None else total

    # -- storing
    def store_matrix(self, held: MatrixRegisters, target: _Target, epilogue: Epilogue | None) -> None:
        """What `MatrixRegisters.store` does."""
        to, out = target.to, self._stored_type(held, target.to)
        if isinstance(to, Tile):
            if (target.pitch, target.rows, target.columns) != (None, None, None) or len(to.shape) != 2:
                raise self.no_matrix(
                    f"{to!r} has its own pitch and extents", "give a part of two dimensions, and no bounds"
                )
        elif target.pitch is None:
            raise self.no_matrix("no pitch is given", "say how many elements lie between rows: acc.store(c, pitch)")
        for what, value in target.registers():
            if value.scalar.bits != 32:
                raise self.no_matrix(f"{what} is a register of .{value.scalar}", "give an int or a register of .u32")
        row, column = self.positions(held.fragment)
        row, column = _moved(row, target.row), _moved(column, target.column)
        places = list(held.walk(row, column))
        if epilogue is not None:
            places = [(p[0], p[1], epilogue(self, p[2])) for p in places]
        write = _Writer(self, target, column, out)
        step = 0
        while step < len(places):
            step += write.next(
                places[step : step + 2], [held.steps(step + i) for i in range(len(places[step : step + 2]))]
            )

    def _stored_type(self, held: MatrixRegisters, to: Any) -> ScalarType:
        if isinstance(to, Tile):
            return to.dtype
        if isinstance(to, Ptr | Address):
            return to.element or held.dtype
        raise self.no_matrix(f"{to!r} is no place in memory", "give a pointer (c, or c[offset]), an address or a tile")

    def no_matrix(self, what: str, help: str) -> Diagnostic:
        """PTX2232 at the user's line."""
        return Diagnostic("PTX2232", what, help=help, origin=self.here())


@dataclass(frozen=True, slots=True)
class _Target:
    """Where a matrix goes; `MatrixRegisters.store` says what the attributes mean."""

    to: Any
    pitch: Any
    row: Any
    column: Any
    rows: Any
    columns: Any

    def registers(self) -> Iterator[tuple[str, Register]]:
        """What is given as a register, with the argument's name."""
        for field in fields(self)[1:]:
            value = getattr(self, field.name)
            if isinstance(value, Register):
                yield field.name, value

    @property
    def pairs(self) -> bool:
        """Whether two neighbours of a row may be stored together."""
        return self.columns is None and _even(self.column) and (isinstance(self.to, Tile) or _even(self.pitch))


class _Writer:
    """Stores the elements of a matrix one after the other. It keeps row addresses and the predicates of bounds checks."""

    def __init__(self, k: Matrices, target: _Target, column: Any, out: ScalarType) -> None:
        self.k, self.target, self.column, self.out = k, target, column, out
        self._rows: dict[int, Address] = {}
        self._inside: dict[tuple[str, int], Any] = {}

    def next(self, places: list[tuple[Any, Any, Any]], steps: list[tuple[int, int]]) -> int:
        """Store the first element, and the second with it where they are neighbours; gives how many that were."""
        (row, column, value), (down, right) = places[0], steps[0]
        pair = len(places) > 1 and self.target.pairs and steps[1] == (down, right + 1) and right % 2 == 0
        values = [value, places[1][2]] if pair else [value]
        guard = self._guard(row, down, "row", self.target.rows)
        within = self._guard(column, right, "column", self.target.columns)
        both = within if guard is None else guard if within is None else guard & within
        self._store(self._address(row, column, down, right), values, both)
        return len(values)

    def _guard(self, at: Any, step: int, side: str, bound: Any) -> Any:
        if bound is None:
            return None
        if (side, step) not in self._inside:
            self._inside[side, step] = at < bound
        return self._inside[side, step]

    def _address(self, row: Any, column: Any, down: int, right: int) -> Address:
        to = self.target.to
        if isinstance(to, Tile):
            width = to.panel_columns
            if to.shape[1] <= width:
                return to.locate(row, column)
            panel = column // width
            return to.locate(row, column - panel * width).at(panel * to.panel_bytes)
        size = self.out.bits // 8
        if down not in self._rows:
            start = to.address() if isinstance(to, Ptr) else to
            if start.base.type.bits == 64:
                line = self.k.emit("mul.wide.u32", (row, self.target.pitch)) + self.k.emit(
                    "cvt.u64.u32", (self.column,)
                )
            else:
                line = row * self.target.pitch + self.column
            self._rows[down] = start.at(line, size)
        return self._rows[down].at(right * size)

    def _store(self, at: Address, values: list[Any], guard: Any) -> None:
        space, emit = "" if at.space == "generic" else f".{at.space}", self.k.emit
        packed = _PAIRS.get(self.out.name)
        if packed and len(values) == 2 and all(v.scalar.name == "f32" for v in values):
            emit(f"st{space}.b32", (at, emit(f"cvt.rn.{packed}.f32", (values[1], values[0]))), pred=guard)
            return
        ready, bits = [self._as(v) for v in values], self.out.bits
        if len(ready) == 2:
            emit(f"st{space}.v2.b{bits}", (at, Registers(ready)), pred=guard)
        else:
            emit(f"st{space}.b{bits}", (at, ready[0]), pred=guard)

    def _as(self, value: Any) -> Any:
        """The value as it is stored."""
        name, out = value.scalar.name, self.out
        if name == out.name or ("b" in (value.scalar.kind, out.kind) and value.scalar.bits == out.bits):
            return value
        if name == "f32" and out.name in _PAIRS:
            return self.k.emit(f"cvt.rn.{out.name}.f32", (value,))
        if (name, out.name) == ("f16", "f32"):
            return self.k.emit("cvt.f32.f16", (value,))
        how = "convert it in the epilogue: epilogue=lambda k, x: …"
        raise self.k.no_matrix(f"a value of .{name} is not stored as .{out}", how)


def _moved(base: Any, by: Any) -> Any:
    return base if not isinstance(by, Register) and whole(by) == 0 else base + by


def _even(value: Any) -> bool:
    return not isinstance(value, Register) and whole(value) % 2 == 0


__all__ = ["Matrices", "MatrixRegisters"]
