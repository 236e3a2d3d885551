"""The list of products of `grouped_gemm`, checked, and the table in which the kernel finds each product."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import accumulate
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, cast

from ptxlab import ArrayView, Diagnostic, user_span
from ptxlab.kernels.gemm_call import SPAN, TMA_BYTES, Problem, alike

if TYPE_CHECKING:
    import numpy as np

Group: TypeAlias = tuple[Any, Any, Any] | tuple[Any, Any, Any, Any, Any]
"""A, B and C of a product, and scales of A and B in blocks."""
CHUNK = 32
"""Products that the kernel looks at in one step: the list of their ends is padded to a multiple of it."""
BEYOND = 64
"""A step along K at which a matrix without columns has nothing: all that is loaded there are zeros."""
LARGEST = 2**31 - 1
"""Tiles of all products together."""
MAP_BYTES = 128
WORTH_CUTTING = 512
"""Steps along K from which on the last columns of a product go apart: to bind the maps takes 1 to 2 µs, about what a narrow tile of
so many steps saves."""

_MATRIX = (("", 8), ("_pitch", 8), ("_inner", 4), ("_outer", 4), ("_pad", 8))
_REST = ("first", "end", "rows", "columns", "start", "stop", "narrow", "spare")


SIZES = {f"{x}{tail}": size for x in "abc" for tail, size in _MATRIX} | dict.fromkeys(_REST, 4)
"""Bytes of each fact of a product."""
AT = dict(zip(SIZES, accumulate(SIZES.values(), initial=0), strict=False))
"""Where a product's facts lie in its entry, in bytes. Of each matrix as it lies in memory: address, bytes from row to row,
columns and rows. Of the product: its first tile and the one behind its last, rows and columns of tiles, the steps along K."""
ENTRY = 128
"""Bytes of an entry."""


@dataclass(frozen=True, slots=True)
class Groups:
    """Products that go together.

    Attributes:
        problems: those that have a tile, the longest sums first. b_major: how all B lie. dtype: of all C. types: of A and B.
        anchor: an array that says which device. arrays: all of them. numbers: of the products in the list.
    """

    problems: tuple[Problem, ...]
    b_major: Literal["K", "MN"]
    dtype: str
    types: tuple[str, str]
    anchor: ArrayView
    arrays: tuple[ArrayView, ...]
    numbers: tuple[int, ...]

    @property
    def tma_can_store(self) -> bool:
        """Whether TMA, which writes whole 16 bytes of a row, stays within the rows of every C."""
        return all(p.tma_can_store for p in self.problems)


@dataclass(frozen=True, slots=True)
class Table:
    """The products as the kernel reads them.

    Attributes:
        ends: for each product the tile behind its last one, u32, padded by tiles that never come. entries: ENTRY bytes each.
        tiles: of all products.
    """

    ends: np.ndarray
    entries: np.ndarray
    tiles: int

    @staticmethod
    def room(maps: int) -> np.ndarray:
        """Memory for tensor maps."""
        import numpy as np

        return np.zeros((maps, MAP_BYTES), np.uint8)


def groups(problems: Any, b_layout: str) -> Groups:
    """The products of a list. Raises: Diagnostic PTX2303, PTX2318, and what `gemm_call.problem` raises, see `grouped_gemm`."""
    found = [_one(i, p, b_layout) for i, p in enumerate(listed(problems))]
    _alike(found, "C", lambda p: p.c.dtype)
    _alike(found, "A", lambda p: p.a.dtype)
    _alike(found, "B", lambda p: p.b.dtype)
    _on_one_device(found)
    full = [(i, p) for i, p in enumerate(found) if p.m and p.n]
    summed = [p for _, p in full if p.depth]
    _alike(summed, "B", lambda p: {"K": "columns", "MN": "rows"}[p.b_major] + " of neighbouring elements")
    for i, p in full:
        _addressable(i, p)
    order = sorted(full, key=lambda x: -x[1].depth)
    arrays = tuple(x for _, p in order for x in (p.a, p.b, p.c) if 0 not in x.shape)
    first = found[0]
    b_major = summed[0].b_major if summed else "MN" if first.a.itemsize == 2 else "K"
    numbers, chosen = tuple(i for i, _ in order), tuple(p for _, p in order)
    types = (first.a.dtype, first.b.dtype)
    return Groups(chosen, b_major, first.c.dtype, types, first.c, arrays=arrays, numbers=numbers)


def listed(problems: Any) -> list[Any]:
    """The products of a list. Raises: Diagnostic PTX2318 where there is none."""
    try:
        out = list(problems)
    except TypeError:
        out = []
    if out:
        return out
    raise Diagnostic(
        "PTX2318",
        "There is no product."
        if out == [] and hasattr(problems, "__len__")
        else f"{problems!r} is no list of products.",
        help="give a list of (a, b, c)",
        origin=user_span(),
    )


def arrays_of(group: Any) -> Sequence[Any]:
    """The arrays of a product; none for what is no product."""
    return cast("Sequence[Any]", group) if isinstance(group, tuple | list) else ()


def _one(number: int, group: Any, b_layout: str) -> Problem:
    three = arrays_of(group)
    if len(three) != 3:
        raise Diagnostic(
            "PTX2318",
            f"Product {number} is no (a, b, c).",
            help="give three arrays for each, or all five where scales are in blocks",
            origin=user_span(),
        )
    with of_product(number):
        a, b, c = three
        return alike(a, b, c, b_layout)


@contextmanager
def of_product(number: int) -> Generator[None, None, None]:
    """Say which product a finding is about."""
    try:
        yield
    except Diagnostic as wrong:
        wrong.message = f"Product {number}: {wrong.message}"
        raise


def _alike(found: Sequence[Problem], what: str, fact: Callable[[Problem], str]) -> None:
    kinds = dict.fromkeys(fact(p) for p in found)
    if len(kinds) > 1:
        raise Diagnostic(
            "PTX2318",
            f"The {what} of the products differ: some are {', some '.join(kinds)}.",
            help="launch each kind by itself, or make copies of one kind",
            origin=user_span(),
        )


def _on_one_device(found: Sequence[Problem]) -> None:
    places: dict[tuple[str, int], str] = {}
    for i, p in enumerate(found):
        for name, x in zip("ABC", (p.a, p.b, p.c), strict=True):
            places.setdefault((x.device, x.ordinal), f"{name} of product {i}")
    if len(places) > 1:
        said = " and ".join(
            f"{name} on {'the CPU' if at[0] == 'cpu' else f'GPU {at[1]}'}" for at, name in places.items()
        )
        raise Diagnostic("PTX2303", f"The launch has {said}.", help="move all arrays to one device", origin=user_span())


def _addressable(number: int, p: Problem) -> None:
    """TMA can read A and B. Raises: Diagnostic PTX2101 or PTX2102."""
    with of_product(number):
        for name, x in (("A", p.a), ("B", p.b)):
            if p.depth:
                p.map(name, x, (1, SPAN))


@dataclass(frozen=True, slots=True)
class Piece:
    """A product, or a part of one, as the kernel knows it: rows and columns of tiles, and one word about the tiles."""

    problem: Problem
    rows: int
    columns: int
    word: int


def pieces_of(p: Problem, tile_m: int, tile_n: int, narrow: int) -> list[Piece]:
    """The product, its last columns apart where narrow tiles do for them; the word of these is 1."""
    down, across = -(-p.m // tile_m), -(-p.n // tile_n)
    rest = p.n % tile_n
    if not 0 < rest <= narrow:
        return [Piece(p, down, across, 0)]
    if p.n == rest:
        return [Piece(p, down, across, 1)]
    if p.depth < WORTH_CUTTING:
        return [Piece(p, down, across, 0)]
    return [
        Piece(_columns(p, 0, p.n - rest), down, across - 1, 0),
        Piece(_columns(p, p.n - rest, rest), down, 1, 1),
    ]


def _columns(p: Problem, first: int, count: int) -> Problem:
    """Some columns of a product."""
    c = replace(p.c, address=p.c.address + first * p.c.itemsize, shape=(p.m, count))
    if p.b_major == "K":
        b = replace(p.b, address=p.b.address + first * p.b.strides[0], shape=(count, p.depth))
    else:
        b = replace(p.b, address=p.b.address + first * p.b.itemsize, shape=(p.depth, count))
    return replace(p, b=b, c=c)


def table(found: Groups, tile_m: int, tile_n: int, narrow: int) -> Table:
    """The table of the products, for tiles of `tile_m` × `tile_n`, and of `narrow` columns where a product ends with so few.

    Raises: Diagnostic PTX2308 for too many tiles.
    """
    return table_of([x for p in found.problems for x in pieces_of(p, tile_m, tile_n, narrow)])


def table_of(pieces: Sequence[Piece]) -> Table:
    """The table of these products, in this order. Raises: Diagnostic PTX2308 for too many tiles."""
    import numpy as np

    count = len(pieces)
    entries = np.zeros((max(1, count), ENTRY), np.uint8)
    ends = np.full(-(-count // CHUNK) * CHUNK or CHUNK, 2**32 - 1, np.uint32)
    tiles = 0
    for i, piece in enumerate(pieces):
        p = piece.problem
        start = 0 if p.depth else BEYOND
        nowhere = p.c.address // TMA_BYTES * TMA_BYTES
        facts = {
            **_facts("a", p.a, nowhere),
            **_facts("b", p.b, nowhere),
            **_facts("c", p.c, nowhere),
            "first": tiles,
            "end": tiles + piece.rows * piece.columns,
            "rows": piece.rows,
            "columns": piece.columns,
            "start": start,
            "stop": start + max(1, p.depth),
            "narrow": piece.word,
        }
        tiles = ends[i] = facts["end"]
        if tiles > LARGEST:
            raise Diagnostic(
                "PTX2308", f"The products have more than {LARGEST} tiles.", help="launch parts of the list"
            )
        for name, value in facts.items():
            size = SIZES[name]
            entries[i, AT[name] : AT[name] + size] = np.frombuffer(int(value).to_bytes(size, "little"), np.uint8)
    return Table(ends, entries, int(tiles))


def _facts(name: str, x: ArrayView, nowhere: int) -> dict[str, int]:
    """Where a matrix lies. One without elements is a single element that no tile reaches: all that is loaded are zeros. It lies at
    `nowhere`, which must be the device's memory all the same: TMA looks an address up before it finds that nothing is wanted of it.
    """
    rows, columns = x.shape
    if not rows * columns:
        return {name: nowhere, f"{name}_pitch": TMA_BYTES, f"{name}_inner": 1, f"{name}_outer": 1}
    pitch = x.strides[0] if rows > 1 else TMA_BYTES
    return {name: x.address, f"{name}_pitch": pitch, f"{name}_inner": columns, f"{name}_outer": rows}
