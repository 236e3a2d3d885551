"""The arrays of packed groups, checked: the product of each group, and where its number of rows is read."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from ptxlab import ArrayView, Diagnostic, array_view, device_of, is_array, user_span
from ptxlab.kernels.blocks.choice import time_of
from ptxlab.kernels.blocks.promotion import BLOCK, Scales
from ptxlab.kernels.blocks.tiling import ROWS, Tiling
from ptxlab.kernels.gemm_call import FP8, LARGEST, SPAN, TMA_BYTES, Problem, check_matrix, check_rows, problem, times
from ptxlab.kernels.gemm_repack import LaunchSequence
from ptxlab.kernels.grouped_call import AT, BEYOND, CHUNK, ENTRY, SIZES

if TYPE_CHECKING:
    import numpy as np

    from ptxlab import Launch

Form: TypeAlias = Literal["rows", "masked", "depth"]
Given: TypeAlias = Literal["offsets", "ends", "counts"]
INTEGERS = {"int32": 4, "int64": 8}
WIDE = ("128x256-2c", "128x192-2c", "128x128-2c", "128x64-2c", "256x128-2c")
"""Tilings that are considered."""
LOW = tuple(f"{rows}-swapped" for n in (16, 32, 64, 96, 128) for rows in (f"64x{n}-1c", f"128x{n}-2c", f"256x{n}-2c"))
"""Those for few rows."""
ALIKE = 1.02
"""What the model of time cannot tell apart."""
PITCHES = (AT["c_pad"], AT["c_pad"] + 4)
"""Where an entry of the table has the bytes from line to line of A's and of B's scales. They begin where a_pad and b_pad say."""
PER_GROUP = {"rows": "b", "masked": "abc", "depth": "c"}
"""Of each form the matrices of which every group has its own: these have three dimensions."""


@dataclass(frozen=True, slots=True)
class Numbers:
    """Offsets or counts, as they are given.

    Attributes:
        name: of the argument. limit: the largest that makes sense. array: on the device of the matrices, or None.
        values: what the host knows, once and for all. size: bytes of one where they are read.
    """

    name: str
    given: Given
    limit: int
    array: ArrayView | None
    values: tuple[int, ...] | None
    size: int

    @property
    def none(self) -> bool:
        """Whether the host knows that there are no rows."""
        return self.values is not None and self.empty(self.values)

    def empty(self, values: Sequence[int]) -> bool:
        """Whether these numbers say that there are no rows."""
        return not any(values) if self.given != "offsets" else values[0] == values[-1]

    def check(self, values: Sequence[int]) -> None:
        """Raises: Diagnostic PTX2324 where groups reach beyond the matrices, or overlap."""
        least, what = 0, ""
        for i, x in enumerate(values):
            if x < least:
                raise _bad(
                    "PTX2324",
                    f"{self.name}[{i}] is {x}" + (f", and {what} is {least}." if what else "."),
                    "offsets ascend: sort the rows by group" if what else "give numbers from 0 on",
                )
            if x > self.limit:
                room = "each group has room for" if self.given == "counts" else "there are"
                raise _bad(
                    "PTX2324",
                    f"{self.name}[{i}] is {x}, but {room} {self.limit} rows.",
                    "give A, B and C more rows" if self.given == "counts" else "offsets count rows, at most all",
                )
            if self.given != "counts":
                least, what = x, f"{self.name}[{i}]"


@dataclass(frozen=True, slots=True)
class Lines:
    """Scales of one operand: where they lie, lines that share one, bytes from group to group, from line to line and along K."""

    array: ArrayView
    lines: int
    step: int
    pitch: int
    stride: int


@dataclass(frozen=True, slots=True)
class Packed:
    """Groups whose arrays fit together.

    Attributes:
        each: the product of a group that has all rows. a, b, c: as they were given. groups: how many.
        numbers: how many rows each has. scales: of A and of B, or None.
    """

    form: Form
    each: Problem
    a: ArrayView
    b: ArrayView
    c: ArrayView
    groups: int
    numbers: Numbers
    scales: tuple[Lines, Lines] | None

    @property
    def limit(self) -> int:
        """Rows of A, of all groups or of each."""
        return self.numbers.limit

    @property
    def nothing(self) -> bool:
        """Whether nothing is to be written."""
        return not self.groups or 0 in self.c.shape or (self.form != "depth" and self.numbers.none)

    @property
    def arrays(self) -> tuple[ArrayView, ...]:
        """Those that the products reach by addresses in memory."""
        found = [self.a, self.b, self.c, *([x.array for x in self.scales] if self.scales else [])]
        return tuple(x for x in found if 0 not in x.shape)

    @property
    def tma_can_store(self) -> bool:
        """Whether TMA, which writes whole 16 bytes of a row, stays within the rows of groups."""
        pitch = self.c.strides[-2] if self.c.shape[-2] > 1 else 0
        odd = (self.c.address, pitch, self._step("c"), self.each.n * self.c.itemsize)
        return not any(x % TMA_BYTES for x in odd)

    @property
    def shifts(self) -> tuple[int, int, int, int]:
        """Bytes from row to row of A, B, C and the scales of A, where groups begin at other rows."""
        by_row = {"rows": "ac", "masked": "", "depth": "ab"}[self.form]
        a, b, c = (
            x.strides[0] if name in by_row and 0 not in x.shape else 0
            for name, x in zip("abc", (self.a, self.b, self.c), strict=True)
        )
        return a, b, c, self.scales[0].pitch if self.scales and self.form == "rows" else 0

    def strides(self, t: Tiling) -> tuple[int, ...]:
        """Of the scales of the left and of the right operand, bytes along K."""
        if self.scales is None:
            return 0, 0
        return tuple(x.stride for x in (self.scales[::-1] if t.swapped else self.scales))

    def tiling(self, config: Tiling | str | None, expected: int | None) -> Tiling:
        """The tiling that is asked for, or the one that should be fastest. Raises: Diagnostic PTX2112."""
        if config is None:
            return self._chosen(self._expected(expected))
        t = Tiling.named(config) if isinstance(config, str) else config
        if t.splits > 1 or t.shared or t.gated or (t.swapped and self.form == "depth"):
            raise _bad("PTX2112", f"Tiling {t} is not for such groups.", 'use one such as "128x256-2c"')
        return self._fitted(t)

    def _fitted(self, t: Tiling) -> Tiling:
        p, promoted = self.each, self.scales is not None
        spread = self.scales is not None and self.scales[0 if t.swapped else 1].lines == 1
        made = replace(t, size=p.a.itemsize, promoted=promoted, spread=spread)
        return made.fitted(self.c.itemsize, None, p.b_major, p.a_major)

    def _expected(self, rows: int | None) -> int:
        """Rows of a group, on average."""
        if rows is None:
            return self.each.m if self.form != "rows" else -(-self.each.m // max(1, self.groups))
        if isinstance(rows, bool) or not isinstance(rows, int) or rows < 1:  # pyright: ignore[reportUnnecessaryIsInstance]
            raise _bad("PTX2112", f"expected={rows!r} is no number of rows.", "give an int from 1 on, or leave it out")
        return min(rows, self.each.m)

    def _chosen(self, expected: int) -> Tiling:
        """The tiling by which products of so many rows take the least time; of about equal ones that of the fewest tiles.

        Numbers of rows vary, so that the last tile of a group is half full on average.
        """
        p = self.each
        depth = p.depth if self.form != "depth" else -(-p.depth // max(1, self.groups))
        found: list[tuple[float, int, Tiling]] = []
        for name in WIDE + (LOW if self.form != "depth" and expected <= ROWS else ()):
            try:
                t = self._fitted(Tiling.named(name))
            except Diagnostic:  # there is no such tile of these types
                continue
            rows, columns = self._tile(t)
            m = expected if self.form == "depth" else min(expected + rows // 2, p.m)
            s = replace(
                p.shape(promoted=t.promoted), m=m, n=-(-p.n // columns) * columns * self.groups, k=max(1, depth)
            )
            found.append((time_of(s, t), t.tiles(s.m, s.n), t))
        least = min(time for time, _, _ in found)
        chosen = min((x for x in found if x[0] <= ALIKE * least), key=lambda x: (x[1], x[0]))[2]
        return self._stored_at_once(chosen) if self.form == "depth" else chosen

    def _stored_at_once(self, t: Tiling) -> Tiling:
        """The tiling with room for all boxes of a tile, where that leaves stages enough: many tiles are short, and end often."""
        try:
            at_once = self._fitted(replace(t, together=t.boxes(self.c.itemsize), stages=0))
        except Diagnostic:
            return t
        return at_once if at_once.stages >= ENOUGH_STAGES else t

    def counted_tile(self, t: Tiling) -> int:
        """Rows of C that a tile has, where groups differ in them; 0 where they differ along K."""
        return 0 if self.form == "depth" else self._tile(t)[0]

    def other_tiles(self, t: Tiling) -> int:
        """Tiles that have the same rows of C; those of a group where groups differ along K."""
        down, across = self._tiles(t)
        return down * across if self.form == "depth" else across

    @staticmethod
    def _tile(t: Tiling) -> tuple[int, int]:
        """Rows and columns of C that a tile has."""
        return (t.columns, t.rows) if t.swapped else (t.rows, t.columns)

    def _tiles(self, t: Tiling) -> tuple[int, int]:
        """Tiles of a group that has all rows: along M and along N."""
        rows, columns = self._tile(t)
        return -(-self.each.m // rows), -(-self.each.n // columns)

    def tiles(self, t: Tiling) -> int:
        """Tiles that there can be at most. Raises: Diagnostic PTX2308 for too many."""
        down = self._tiles(t)[0]
        rows = {"rows": down + min(self.groups, self.limit), "masked": down * self.groups, "depth": self.groups}
        found = rows[self.form] * self.other_tiles(t)
        if found > LARGEST:
            raise _bad("PTX2308", f"The groups have more than {LARGEST} tiles.", "launch parts of them")
        return found

    def scales_of(self, t: Tiling) -> Scales | None:
        """Lines that share a scale."""
        if self.scales is None:
            return None
        a, b = (x.lines for x in self.scales)
        return Scales(b, a) if t.swapped else Scales(a, b)

    def room_for_ends(self) -> np.ndarray:
        """The tile behind the last one of each group, to be entered, and tiles that never come."""
        import numpy as np

        return np.full(-(-self.groups // CHUNK) * CHUNK, 2**32 - 1, np.uint32)

    def table(self, t: Tiling) -> np.ndarray:
        """What is known of each group before its rows are."""
        import numpy as np

        p, made = self.each, np.zeros((self.groups, ENTRY), np.uint8)
        start = 0 if p.depth or self.form == "depth" else BEYOND
        down, across = self._tiles(t)
        facts: dict[str, int] = {
            "rows": across if t.swapped else down,
            "columns": down if t.swapped else across,
            "start": start,
            "stop": start + max(1, p.depth),
        }
        addresses: dict[str, tuple[int, int]] = {}
        for name, x in (("a", p.a), ("b", p.b), ("c", p.c)):
            if 0 in x.shape:  # a single element that no tile reaches, see `grouped_call`
                addresses[name] = (p.c.address // TMA_BYTES * TMA_BYTES, 0)
                facts |= {f"{name}_pitch": TMA_BYTES, f"{name}_inner": 1, f"{name}_outer": 1}
                continue
            addresses[name] = (x.address, self._step(name))
            pitch = x.strides[0] if x.shape[0] > 1 else -(-x.shape[1] * x.itemsize // TMA_BYTES) * TMA_BYTES
            facts |= {f"{name}_pitch": pitch, f"{name}_inner": x.shape[1], f"{name}_outer": x.shape[0]}
        for name, at, x in zip(("a_pad", "b_pad"), PITCHES, self.scales or (), strict=False):
            addresses[name] = (x.array.address, x.step)
            made[:, at : at + 4] = np.frombuffer(np.uint32(x.pitch).tobytes(), np.uint8)
        for name, value in facts.items():
            _enter(made, name, np.full(self.groups, value, np.uint32 if SIZES[name] == 4 else np.uint64))
        for name, (first, step) in addresses.items():
            _enter(made, name, np.uint64(first) + np.arange(self.groups, dtype=np.uint64) * np.uint64(step))
        return made

    def _step(self, name: str) -> int:
        """Bytes of a matrix from one group to the next."""
        x = {"a": self.a, "b": self.b, "c": self.c}[name]
        return x.strides[0] if name in PER_GROUP[self.form] and self.groups > 1 else 0


def _enter(made: np.ndarray, name: str, values: np.ndarray) -> None:
    """A fact of all groups."""
    import numpy as np

    made[:, AT[name] : AT[name] + SIZES[name]] = values[:, None].view(np.uint8)


def by_rows(a: Any, b: Any, c: Any, offsets: Any, b_layout: str, scales: tuple[Any, Any]) -> Packed:
    """Groups of rows of A and C. Raises: Diagnostic, see `grouped_rows`."""
    return _packed("rows", (array_view(a), array_view(b), array_view(c)), ("offsets", offsets), b_layout, scales)


def masked(a: Any, b: Any, c: Any, counts: Any, b_layout: str, scales: tuple[Any, Any]) -> Packed:
    """Groups with room for equally many rows. Raises: Diagnostic, see `grouped_masked`."""
    return _packed("masked", (array_view(a), array_view(b), array_view(c)), ("counts", counts), b_layout, scales)


def by_depth(a: Any, b: Any, c: Any, offsets: Any) -> Packed:
    """Groups of parts of the sum. Raises: Diagnostic, see `grouped_depth`."""
    return _packed("depth", (array_view(a), array_view(b), array_view(c)), ("offsets", offsets), "kn", (None, None))


def _packed(
    form: Form, arrays: tuple[ArrayView, ...], numbers: tuple[str, Any], b_layout: str, scales: tuple[Any, Any]
) -> Packed:
    _check_ranks(form, arrays)
    a, b, c = arrays
    own = {name: x.shape[0] for name, x in zip("ABC", arrays, strict=True) if name.lower() in PER_GROUP[form]}
    groups = next(iter(own.values()))
    if len(set(own.values())) > 1:
        said = ", ".join(f"{name} has {count}" for name, count in own.items())
        raise _bad("PTX2308", f"{said} groups.", "give one matrix for each group")
    _check_places(arrays)
    each = _one(form, arrays, b_layout)
    limit = each.depth if form == "depth" else each.m
    read = _numbers(*numbers, groups, limit, c)
    found = Packed(form, each, a, b, c, groups=groups, numbers=read, scales=None)
    _check_steps(found)
    return replace(found, scales=_scales(found, scales, b_layout))


def _one(form: Form, arrays: tuple[ArrayView, ...], b_layout: str) -> Problem:
    """The product of one group, which has all rows."""
    a, b, c = (
        replace(x, shape=x.shape[1:], strides=x.strides[1:]) if name in PER_GROUP[form] else x
        for name, x in zip("abc", arrays, strict=True)
    )
    if form == "depth":
        return _depth(a, b, c)
    p = problem(a, b, c, b_layout)
    check_rows("A", a)
    p = replace(p, a=a, a_major="K")  # where groups begin, addresses move from row to row
    if p.depth == 0:
        nothing = [replace(x, shape=(n, 0), strides=(0, x.itemsize)) for x, n in ((p.a, p.m), (p.b, p.n))]
        p = replace(p, a=nothing[0], b=nothing[1], a_major="K", b_major="K")
    _check_read(p)
    return p


def _depth(a: ArrayView, b: ArrayView, c: ArrayView) -> Problem:
    """The product of all rows of A, transposed, and of B."""
    check_matrix("A", a, ("bfloat16", "float16"))
    check_rows("A", a)
    check_rows("B", b)
    p = problem(replace(a, shape=a.shape[::-1], strides=a.strides[::-1]), b, c, "kn")
    p = replace(p, a=a, b=b, a_major="MN", b_major="MN")  # a single row or column may lie both ways
    _check_read(p)
    return p


def _check_read(p: Problem) -> None:
    """TMA and wgmma can read A and B where they are. Raises: Diagnostic PTX2101, PTX2102, PTX2309."""
    for name, x, major in (("A", p.a, p.a_major), ("B", p.b, p.b_major)):
        if 0 in x.shape:
            continue
        if major == "MN" and x.itemsize != 2:
            raise _bad(
                "PTX2309",
                f"{name} is {x.dtype}, and its neighbours lie across K.",
                "wgmma reads it along K alone: give it so" + (', B with b_layout="nk"' if name == "B" else ""),
            )
        p.map(name, x, (1, SPAN * 2 // x.itemsize if x.itemsize > 1 else SPAN))


def _check_ranks(form: Form, arrays: tuple[ArrayView, ...]) -> None:
    for name, x in zip("abc", arrays, strict=True):
        wanted = 3 if name in PER_GROUP[form] else 2
        if len(x.shape) != wanted:
            help = (
                "give one matrix for each group, stacked"
                if wanted == 3
                else "give one matrix with the rows of all groups"
            )
            raise _bad("PTX2308", f"{name.upper()} has {len(x.shape)} dimensions.", help)


def _check_places(arrays: tuple[ArrayView, ...]) -> None:
    if len({(x.device, x.ordinal) for x in arrays}) > 1:
        said = ", ".join(f"{n} on {_place(x)}" for n, x in zip("ABC", arrays, strict=True))
        raise _bad("PTX2303", f"The launch has {said}.", "move all arrays to one device")


def _place(x: ArrayView) -> str:
    return "the CPU" if x.device == "cpu" else f"GPU {x.ordinal}"


def _check_steps(p: Packed) -> None:
    """Groups lie where TMA can begin, and no two results lie in one place."""
    if p.groups < 2:
        return
    for name, x in (("a", p.a), ("b", p.b)):
        if name in PER_GROUP[p.form] and 0 not in x.shape and x.strides[0] % TMA_BYTES:
            raise _bad(
                "PTX2102",
                f"{name.upper()} has groups {x.strides[0]} bytes apart.",
                "TMA wants multiples of 16: pad them",
            )
    c = p.c
    if (
        "c" in PER_GROUP[p.form]
        and 0 not in c.shape
        and c.strides[0] < (c.shape[1] - 1) * c.strides[1] + c.shape[2] * c.itemsize
    ):
        raise _bad(
            "PTX2309", f"C has groups {c.strides[0]} bytes apart.", "groups must not overlap: give a contiguous array"
        )


# --- offsets and counts --------------------------------------------------------------------------------------------------
def _numbers(name: str, given: Any, groups: int, limit: int, c: ArrayView) -> Numbers:
    """Offsets or counts. Raises: Diagnostic PTX2307, PTX2308, PTX2309, PTX2324."""
    if not is_array(given):
        return _listed(name, given, groups, limit)
    x = array_view(given)
    if x.dtype not in INTEGERS:
        raise _bad("PTX2307", f"{name} is {x}.", "convert it to int32 or int64")
    if len(x.shape) != 1:
        raise _bad("PTX2308", f"{name} has {len(x.shape)} dimensions.", "give a vector")
    kind = _kind(name, x.shape[0], groups)
    if not x.contiguous:
        raise _bad("PTX2309", f"{name} has gaps between its elements.", "give a contiguous copy")
    if (x.device, x.ordinal) == (c.device, c.ordinal):
        return Numbers(name, kind, limit, x, None, INTEGERS[x.dtype])
    if x.device != "cpu":
        raise _bad("PTX2303", f"{name} is on {_place(x)}, C on {_place(c)}.", "move it there")
    import numpy as np

    return _listed(name, np.asarray(given).tolist(), groups, limit)


def _listed(name: str, given: Any, groups: int, limit: int) -> Numbers:
    """Those that the host has."""
    try:
        values = tuple(operator.index(x) for x in given)
    except TypeError:
        raise _bad(
            "PTX2324", f"{name}={given!r} is no list of numbers.", "give ints, or an array of int32 or int64"
        ) from None
    found = Numbers(name, _kind(name, len(values), groups), limit, None, values, 8)
    found.check(values)
    return found


def _kind(name: str, count: int, groups: int) -> Given:
    """What a list of so many numbers is."""
    if count == groups:
        return "counts" if name == "counts" else "ends"
    if name == "offsets" and count == groups + 1:
        return "offsets"
    way = "one for each" if name == "counts" else f"{groups + 1}: where each begins, and where the last ends"
    raise _bad("PTX2308", f"{name} has {count} numbers for {groups} groups.", f"give {way}")


@dataclass(frozen=True, slots=True)
class Read:
    """What the kernel reads of the numbers: an array of bytes. `seen`: the simulator's array, which the host can look at."""

    array: ArrayView
    numbers: Numbers
    seen: ArrayView | None

    @classmethod
    def of(cls, p: Packed) -> Read:
        """Where they are, or where the host has put them."""
        import numpy as np

        x, values = p.numbers.array, p.numbers.values
        if x is None:
            x = array_view(device_of(p.c).copy(np.array(values, np.int64)))
        seen = x if values is None and x.device == "cpu" else None
        flat = replace(x, dtype="uint8", itemsize=1, shape=(x.shape[0] * x.itemsize,), strides=(1,))
        return cls(flat, p.numbers, seen)

    def then(self, first: Launch, products: Launch, *, always: bool) -> Launch:
        """The launches one after the other; in the simulator the offsets or counts are checked first.

        Args:
            always: there is something to write where no group has rows.
        """
        both = [first, products]
        return _CheckedSequence(both, self.numbers, self.seen, always=always) if self.seen else LaunchSequence(both)


class _CheckedSequence(LaunchSequence):
    """Launches that check offsets or counts against the matrices at each call."""

    def __init__(self, launches: Sequence[Launch], numbers: Numbers, seen: ArrayView, *, always: bool) -> None:
        super().__init__(launches)
        self._numbers, self._seen, self._always = numbers, seen, always

    def __call__(self, stream: Any = None, **options: Any) -> Any:
        """Run them. Without rows only the first runs: a launch that writes nothing would give a warning.

        Raises: Diagnostic PTX2324, and as the launches.
        """
        import numpy as np

        values = np.asarray(self._seen.owner).tolist()
        self._numbers.check(values)
        if self._always or not self._numbers.empty(values):
            return super().__call__(stream, **options)
        return self._launches[0](stream, **options)


# --- scales --------------------------------------------------------------------------------------------------------------
def _scales(p: Packed, given: tuple[Any, Any], b_layout: str) -> tuple[Lines, Lines] | None:
    """Scales of fp8, one for each 128 steps along K. Raises: Diagnostic PTX2303, PTX2307, PTX2308."""
    if given[0] is None and given[1] is None:
        return None
    for name, x in zip(("scale_a", "scale_b"), given, strict=True):
        if not is_array(x):
            raise _bad("PTX2112", f"{name} is {x!r}.", "give both scale_a and scale_b, as arrays of float32")
    if p.each.a.dtype not in FP8:
        raise _bad("PTX2307", f"scale_a is given, but A is {p.each.a.dtype}.", "scales along K are for fp8")
    along, n = -(-p.each.depth // BLOCK), p.each.n
    turned = b_layout == "kn"
    a, b = array_view(given[0]), array_view(given[1])
    rows = (p.limit, along) if p.form == "rows" else (p.groups, p.limit, along)
    blocks: dict[tuple[int, ...], int] = {}
    for lines in (1, BLOCK):  # one line of less than 128 is a block as well
        last = (along, -(-n // lines)) if turned else (-(-n // lines), along)
        blocks[(p.groups, *last)] = lines
    for name, x, shapes in (("scale_a", a, [rows]), ("scale_b", b, [*blocks])):
        if x.dtype != "float32":
            raise _bad("PTX2307", f"{name} is {x}.", "convert it to float32")
        if x.shape not in shapes:
            wanted = " or ".join(times(s) for s in shapes)
            raise _bad("PTX2308", f"{name} is {x}.", f"give {wanted}: one for each 128 steps along K")
        if any(not 0 <= n < 2**32 for n in x.strides):
            raise _bad("PTX2309", f"{name} has strides of {x.strides} bytes.", "give a contiguous copy")
        if (x.device, x.ordinal) != (p.c.device, p.c.ordinal):
            raise _bad("PTX2303", f"{name} is on {_place(x)}, C on {_place(p.c)}.", "move all arrays to one device")
    if p.each.depth == 0:  # sums of nothing are zeros
        return None
    b_pitch, b_stride = b.strides[:0:-1] if turned else b.strides[1:]
    return (
        Lines(a, 1, a.strides[0] if p.form == "masked" else 0, a.strides[-2], a.strides[-1]),
        Lines(b, blocks[b.shape], b.strides[0], b_pitch, b_stride),
    )


def _bad(code: str, what: str, help: str) -> Diagnostic:
    return Diagnostic(code, what, help=help, origin=user_span())


ENOUGH_STAGES = 3
"""Of the ring, with which a tile may be stored at once."""
