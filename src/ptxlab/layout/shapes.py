"""The fragments of every shape of mma, wgmma and wmma, by name; they are made of the maps in `fragments`, `wmma` and `sparse`."""

from __future__ import annotations

import difflib
import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from ptxlab.diag import Diagnostic, user_span
from ptxlab.diag.boundary import public
from ptxlab.diag.html import table
from ptxlab.isa.form import FORMS, Form
from ptxlab.layout import fragments as maps
from ptxlab.layout.fragments import Fragment, IntArray
from ptxlab.layout.sparse import ROWS, group_columns, metadata_places, words
from ptxlab.layout.wmma import Letter, tiled, wmma

_NAME = re.compile(r"(mma(?:\.sp)?|wgmma(?:\.sp)?|wmma)\.m(\d+)n(\d+)k(\d+)")
_WORDS = {"mma": ("mma",), "mma.sp": ("mma.sp",), "wgmma": ("wgmma.mma_async",), "wgmma.sp": ("wgmma.mma_async.sp",),
          "wmma": ("wmma.mma",)}  # fmt: skip
_LOADS = ("wmma.load",)
_BITS = {"b1": 1, "s4": 4, "u4": 4, "e2m1": 8, "e2m3": 8, "e3m2": 8, "e4m3": 8, "e5m2": 8, "s8": 8, "u8": 8, "f16": 16,
         "bf16": 16, "tf32": 32, "f32": 32, "s32": 32, "f64": 64}  # fmt: skip
_HOW = 'e.g. px.fragment("mma.m16n8k16", "a", "bf16") or px.fragment("wgmma.m64n128k16", "d", "f32")'


class Place(NamedTuple):
    """Where an element of a matrix is held.

    Attributes:
        thread: of the warp; of the warpgroup for wgmma.
        register: its number among the thread's registers of the matrix.
        bit: the lowest bit of the element there.

    Example:
        print(px.fragment("mma.m16n8k16", "a", "bf16").lane_of(9, 3))  # Place(thread=5, register=1, bit=16)
    """

    thread: int
    register: int
    bit: int


@dataclass(frozen=True, eq=False, repr=False)
class MatrixFragment(Fragment):
    """Which thread holds which element of a matrix of mma, wgmma or wmma.

    Attributes:
        name: the instruction and its shape, e.g. "mma.m16n8k16".
        matrix: "a", "b", "c" or "d".
        dtype: the type of an element.
        bits: bits that an element takes in a register.
        sparse: whether it is a sparse A: its columns are those that are stored.
        rows, cols: the row and the column of each element, int32 [threads, elements].
        shape: rows and columns of the matrix.

    Example:
        d = px.fragment("wgmma.m64n8k16", "d", "f32")
        print(d.threads, d.elements, d.registers)  # 128 4 4
    """

    name: str
    matrix: str
    dtype: str
    bits: int
    sparse: bool = False

    @property
    def registers(self) -> int:
        """Registers of a thread. wmma has eight for A and B of f16, of which the last four repeat the others."""
        if self.name.startswith("wmma") and self.matrix in "ab" and self.dtype == "f16":
            return 8
        return self.elements if self.bits >= 32 else self.elements * self.bits // 32

    def lane_of(self, row: int, column: int) -> Place:
        """Who holds the element at (row, column), both from 0. Of sparse A, columns count what is stored.

        Raises: Diagnostic PTX2122 outside the matrix. ISA: "Matrix Fragments".

        Example:
            print(px.fragment("mma.m16n8k8", "d", "f32").lane_of(8, 1))  # Place(thread=0, register=3, bit=0)
        """
        if not (0 <= row < self.shape[0] and 0 <= column < self.shape[1]):
            raise _wrong(
                f"{self!r} has no element ({row}, {column}).",
                f"rows are 0 to {self.shape[0] - 1}, columns 0 to {self.shape[1] - 1}",
            )
        thread, element = (int(x) for x in self.owner[row, column])
        each = max(1, 32 // self.bits)
        return Place(thread, element // each, element % each * self.bits if each > 1 else 0)

    def picture(self, columns: int = 16) -> str:
        """The matrix as text: at each element `thread:register`, of the first `columns` columns.

        Args:
            columns: how many columns are shown.

        Example:
            print(px.fragment("mma.m8n8k4", "d", "f64").picture().splitlines()[1].split()[:3])  # ['0', '0:0', '0:1']
        """
        count = min(columns, self.shape[1])
        cells = [[self._cell(r, c) for c in range(count)] for r in range(self.shape[0])]
        width = max(len(x) for row in cells for x in row)
        width = max(width, len(str(count - 1)))
        head = "    ".rjust(5) + " ".join(str(c).rjust(width) for c in range(count))
        lines = [head.rstrip()]
        for r, row in enumerate(cells):
            more = " …" if count < self.shape[1] else ""
            lines.append(f"{r:4} " + " ".join(x.rjust(width) for x in row) + more)
        return "\n".join(lines)

    def _cell(self, row: int, column: int) -> str:
        place = self.lane_of(row, column)
        return f"{place.thread}:{place.register}"

    def __repr__(self) -> str:
        return f"<fragment {self.matrix} of {self.name} .{self.dtype}: {self.shape[0]} × {self.shape[1]}>"

    def _repr_html_(self) -> str:
        count = min(16, self.shape[1])
        cells = [[str(r), *(self._cell(r, c) for c in range(count))] for r in range(self.shape[0])]
        return table([repr(self)[1:-1], *map(str, range(count))], cells)


@public
def fragment(name: str, matrix: str, dtype: Any) -> MatrixFragment:
    """Which thread holds which element of a matrix of mma, wgmma or wmma.

    The simulator uses the same maps. For wmma the manual leaves them open; this is what an H100 does.

    Args:
        name: instruction and shape: "mma.m16n8k16", "mma.sp.m16n8k32", "wgmma.m64n128k16", "wgmma.sp.m64n8k32",
            "wmma.m16n16k16".
        matrix: "a", "b", "c" or "d". A and B of mma.m8n8k4 of f16 lie here as .row and .col have them.
        dtype: the type of its elements, as the instruction names it: "bf16", or px.bf16.

    Returns: a fragment with `lane_of(row, column)`, `rows`, `cols` and `picture()`.

    Raises: Diagnostic PTX2122 where there is no such shape, matrix or type, and for B of wgmma, which shared memory holds.
        ISA: "Matrix Fragments", "Register Fragments and Shared Memory Matrix Layouts".

    Example:
        accumulator = px.fragment("wgmma.m64n128k16", "d", "f32")
        print(accumulator.lane_of(17, 9))  # Place(thread=36, register=5, bit=0)
    """
    if not isinstance(name, str):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise _wrong(f"A {type(name).__name__} is no name of a shape.", 'e.g. px.fragment("mma.m16n8k16", "a", "bf16")')
    return _fragment(name, matrix, _type_name(dtype))


@lru_cache
def _fragment(name: str, matrix: str, dtype: str) -> MatrixFragment:
    family, m, n, k = _parsed(name)
    if matrix not in ("a", "b", "c", "d"):
        raise _wrong(f"{matrix!r} is no matrix of {name}.", 'use "a", "b", "c" or "d"')
    if not any(_fits(f, family, name.rsplit(".", 1)[1], matrix, dtype) for f in FORMS.values()):
        raise _wrong(
            f"{name} has no matrix {matrix.upper()} of .{dtype}.", f"see `ptxlab explain {family.split('.')[0]}`"
        )
    sparse = family.endswith(".sp")
    bits = 4 if dtype == "e2m1" and k == (128 if sparse else 64) and family.startswith("mma") else _BITS[dtype]
    base = _base(family, matrix, (m, n, k), bits, k // 2 if sparse else k)
    return MatrixFragment(
        *(base.rows, base.cols, base.shape),
        name=name,
        matrix=matrix,
        dtype=dtype,
        bits=bits,
        sparse=sparse and matrix == "a",
    )


@lru_cache
def names() -> tuple[str, ...]:
    """Every shape of mma, wgmma and wmma that has fragments, as `fragment` names them."""
    found: dict[str, None] = {}
    for form in FORMS.values():
        family = next((f for f, words in _WORDS.items() if form.name in words), None)
        mods: Any = form.mods
        shapes = mods["shape"] if "shape" in mods else re.findall(r"\.(m\d+n\d+k\d+)", form.syntax)
        found |= {f"{family}.{shape}": None for shape in shapes if family is not None}
    return tuple(found)


@lru_cache
def matrices(name: str) -> tuple[MatrixFragment, ...]:
    """Every fragment of a shape: of each matrix, of each of its types.

    Raises: Diagnostic PTX2122 where there is no such shape.
    """
    family = _parsed(name)[0]
    if name not in names():
        near = difflib.get_close_matches(name, names(), n=3)
        raise _wrong(f"{family} has no shape {name}.", f"near it: {', '.join(near)}" if near else _HOW)
    shape = name.rsplit(".", 1)[1]
    forms = [f for f in FORMS.values() if f.name in (*_WORDS[family], *_LOADS)]
    return tuple(
        _fragment(name, matrix, dtype)
        for matrix in ("acd" if family.startswith("wgmma") else "abcd")
        for dtype in _BITS
        if any(_fits(f, family, shape, matrix, dtype) for f in forms)
    )


def _base(family: str, matrix: str, shape: tuple[int, int, int], bits: int, held: int) -> Fragment:
    """`held`: columns of A that are stored."""
    m, n, k = shape
    if family == "wmma":
        return wmma(cast("Letter", matrix), shape, bits)
    if family.startswith("wgmma"):
        if matrix == "b":
            raise _wrong("B of wgmma lies in shared memory, not in registers.", "see tile.descriptor() and px.explain")
        return maps.wgmma_a(bits) if matrix == "a" else maps.wgmma_d(n)
    if shape == (8, 8, 4) and bits in (16, 32):
        return {"a": maps.octet_a("row"), "b": maps.octet_b("col")}.get(matrix) or maps.octet_d(bits)
    if matrix == "a":
        return tiled(maps.mma_a(bits), (m, held))
    return tiled(maps.mma_b(bits, 4), (k, n)) if matrix == "b" else tiled(maps.mma_d(), (m, n))


def _fits(form: Form, family: str, shape: str, matrix: str, dtype: str) -> bool:
    """Whether an instruction of this row has such a matrix."""
    mods: Any = form.mods
    load = form.name in _LOADS and family == "wmma"
    if form.name not in _WORDS[family] and not load:
        return False
    if shape not in (tuple(mods["shape"]) if "shape" in mods else ()) and f".{shape}" not in form.syntax:
        return False
    if load:  # of C and D the products say more: a load of C takes types that another shape multiplies
        return form.key.split(".")[2] == matrix and matrix in "ab" and dtype in mods["type"]
    if family == "wmma" and matrix in "ab":
        return False
    kinds = ("atype", "btype") if matrix in "ab" else ("dtype", "ctype")
    if any(kind in mods for kind in kinds):
        return any(kind in mods and dtype in mods[kind] for kind in kinds)
    return dtype in re.findall(r"\.(\w+)", form.syntax.partition(" ")[0].replace("<", ".").replace(">", "."))


def _type_name(dtype: Any) -> str:
    """ "bf16" of "bf16" and of a type of the language, which has its scalar."""
    return str(getattr(dtype, "scalar", dtype))


def _parsed(name: str) -> tuple[str, int, int, int]:
    found = _NAME.fullmatch(name) if isinstance(name, str) else None  # pyright: ignore[reportUnnecessaryIsInstance]
    if found is None:
        raise _wrong(f"{name!r} names no shape of mma, wgmma or wmma.", _HOW)
    return found[1], int(found[2]), int(found[3]), int(found[4])


class MetadataPlace(NamedTuple):
    """Where the metadata of an element lies.

    Attributes:
        lane: of the warp, whose word holds it.
        bit: the lowest of its bits there.

    Example:
        print(px.sparse_metadata("mma.sp.m16n8k32", "bf16").lane_of(8, 4))  # MetadataPlace(lane=0, bit=20)
    """

    lane: int
    bit: int


@dataclass(frozen=True, eq=False, repr=False)
class Metadata:
    """Which lane's word says which columns of a sparse A are there.

    Attributes:
        name, dtype, selector: as given.
        lanes, bits: int64 [16, groups]: the lane and the lowest bit of the four that speak of each group of columns.
        columns: how many columns a group has.

    Example:
        print(px.sparse_metadata("mma.sp.m16n8k32", "bf16").columns)  # 4
    """

    name: str
    dtype: str
    selector: int
    lanes: IntArray
    bits: IntArray
    columns: int

    def lane_of(self, row: int, column: int) -> MetadataPlace:
        """The lane and the lowest bit of the group in which column `column` of A lies, those left out counted; `row` within the
        warp's 16.

        Raises: Diagnostic PTX2122 outside the matrix. ISA: "Sparse matrix storage".

        Example:
            print(px.sparse_metadata("mma.sp.m16n8k32", "bf16").lane_of(1, 16))  # MetadataPlace(lane=5, bit=0)
        """
        group = column // self.columns
        if not (0 <= row < ROWS and 0 <= group < self.lanes.shape[1]):
            raise _wrong(
                f"{self!r} has no element ({row}, {column}).",
                f"rows are 0 to {ROWS - 1}, columns 0 to {self.lanes.shape[1] * self.columns - 1}",
            )
        return MetadataPlace(int(self.lanes[row, group]), int(self.bits[row, group]))

    def words(self, columns: Any) -> NDArray[np.uint32]:
        """The metadata operand of each lane, uint32 [32], for an A whose stored elements lie in these columns.

        Args:
            columns: integers [16, K / 2]: for each stored element its column in A, those left out counted. Of every four columns
                two are stored (tf32: of every two one; 4 bits: of every four pairs two), in increasing order for
                `.sp::ordered_metadata`. wgmma: the 16 rows of a warp.

        Raises: Diagnostic PTX2122 for another shape, or columns that cannot be. ISA: "Sparse matrix storage".

        Example:
            metadata = px.sparse_metadata("mma.sp.m16n8k16", "bf16")
            kept = np.tile([0, 3, 4, 5, 9, 11, 14, 15], (16, 1))  # of 16 columns
            print(hex(metadata.words(kept)[0]))  # 0xed4ced4c
        """
        places, half = np.asarray(columns), _parsed(self.name)[3] // 2
        if places.shape != (ROWS, half) or places.dtype.kind not in "iu":
            raise _wrong(
                f"{self!r} takes integers of shape ({ROWS}, {half}), not {places.dtype} of {places.shape}.",
                "give the column of each stored element",
            )
        try:
            return words(places.astype(np.int64), _BITS[self.dtype], 2 * half, self.selector)
        except ValueError as wrong:
            raise _wrong(f"These columns do not go with {self!r}: {wrong}.", "keep two of every four") from None

    def picture(self) -> str:
        """The groups of columns as text: at each one `lane:bit`.

        Example:
            text = px.sparse_metadata("mma.sp.m16n8k16", "bf16").picture()
            print(text.splitlines()[1].split())  # ['0', '0:0', '0:4', '0:8', '0:12']
        """
        groups = self.lanes.shape[1]
        heads = [str(g * self.columns) for g in range(groups)]
        cells = [[f"{self.lanes[r, g]}:{self.bits[r, g]}" for g in range(groups)] for r in range(ROWS)]
        width = max(len(x) for row in (heads, *cells) for x in row)
        lines = ["     " + " ".join(h.rjust(width) for h in heads)]
        return "\n".join([*lines, *(f"{r:4} " + " ".join(x.rjust(width) for x in row) for r, row in enumerate(cells))])

    def _repr_html_(self) -> str:
        groups = range(self.lanes.shape[1])
        heads = [repr(self)[1:-1], *(str(g * self.columns) for g in groups)]
        return table(heads, [(str(r), *(f"{self.lanes[r, g]}:{self.bits[r, g]}" for g in groups)) for r in range(ROWS)])

    def __repr__(self) -> str:
        return f"<metadata of {self.name} .{self.dtype}, selector {self.selector}>"


@public
def sparse_metadata(name: str, dtype: Any, selector: int = 0) -> Metadata:
    """Which lane's word of metadata says which columns of a sparse A are there.

    Args:
        name: "mma.sp.m16n8k32", "wgmma.sp.m64n128k32" …: of wgmma each warp holds that of its 16 rows.
        dtype: the type of A, as in `px.fragment`.
        selector: the operand of this name: which lanes of every four hold the words.

    Raises: Diagnostic PTX2122 for a shape or type that is not sparse, or a selector out of range. ISA: "Sparse matrix storage".

    Example:
        print(px.sparse_metadata("wgmma.sp.m64n8k32", "f16").lane_of(0, 20))  # MetadataPlace(lane=1, bit=4)
    """
    if not isinstance(name, str):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise _wrong(
            f"A {type(name).__name__} is no name of a shape.",
            'words of a matrix are made by px.sparse_metadata("mma.sp.m16n8k32", "bf16").words(columns)',
        )
    dtype = _type_name(dtype)
    a = fragment(name, "a", dtype)
    if not a.sparse:
        raise _wrong(f"{name} is not sparse: it has no metadata.", 'e.g. px.sparse_metadata("mma.sp.m16n8k32", "bf16")')
    k = _parsed(name)[3]
    most = selectors(a)
    if not isinstance(selector, int) or not 0 <= selector < most:  # pyright: ignore[reportUnnecessaryIsInstance]
        raise _wrong(f"{name} of .{dtype} has no selector {selector!r}.", f"use 0 to {most - 1}")
    lane, bit = metadata_places(a.bits, k, selector)
    return Metadata(name, dtype, selector, cast("IntArray", lane), cast("IntArray", bit), group_columns(a.bits))


def selectors(a: MatrixFragment) -> int:
    """How many selectors the metadata of a sparse A may have."""
    groups = _parsed(a.name)[3] // group_columns(a.bits)
    lanes = max(1, groups // 4 if a.bits >= 16 else groups // 8 * 2)
    return 4 // lanes if lanes < 4 else 1


def _wrong(what: str, help: str) -> Diagnostic:
    return Diagnostic("PTX2122", what, help=help, origin=user_span(), isa="Matrix Fragments")
