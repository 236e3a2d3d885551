"""The arguments of collective operations, checked, and the share of each device."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from ptxlab import ArrayView, Device, Diagnostic, Process, array_view, is_array, user_span
from ptxlab.kernels.collectives.room import LINE, LINE_CTAS, LINE_THREADS, PIECE, VECTOR, Size, size_of

ONE_SHOT = 1 << 18
"""Bytes up to which an all-reduce is done in one shot."""
ELEMENTS = {"bfloat16": "bf16", "float16": "f16", "float32": "f32"}
"""What is summed."""
WAYS = ("auto", "one-shot", "two-shot")


@dataclass(frozen=True, slots=True)
class Work:
    """A collective operation.

    Attributes:
        inputs, outputs: arrays of each device, as words of 32 bits. part: vectors for each device. total: of all of them.
        scatters, gathers: as `exchange.exchange` has them. lines: of `exchange.exchange_lines`; 0: it is not used.
        element: what is summed.
    """

    inputs: Sequence[Any]
    outputs: Sequence[Any]
    part: int
    total: int
    scatters: bool = False
    gathers: bool = False
    lines: int = 0
    element: str = "f32"

    @classmethod
    def nothing(cls, arrays: Sequence[Any]) -> Work:
        """A barrier alone; `arrays` stand in the places of inputs and outputs."""
        return cls(arrays, arrays, 1, 0, scatters=True)

    def ctas(self, size: Size) -> int:
        """CTAs of each device: as many on all of them, since those of one number meet."""
        if self.lines:
            return min(LINE_CTAS, -(-self.lines // LINE_THREADS))
        return _ctas(self.part, size)


@dataclass(frozen=True, slots=True)
class Rows:
    """Rows that go to other devices, or come back.

    Attributes:
        rows, outputs: of each device, as words of 32 bits. counts: of each device. vectors: of 16 bytes in a row.
        most_rows, most_outputs: of `rows` and of `outputs`.
    """

    rows: Sequence[ArrayView]
    outputs: Sequence[ArrayView]
    counts: Sequence[ArrayView]
    vectors: int
    most_rows: int
    most_outputs: int

    def ctas(self, size: Size) -> int:
        """CTAs of each device."""
        return _ctas(self.most_rows * self.vectors, size)


def _ctas(vectors: int, size: Size) -> int:
    """CTAs that move so many vectors."""
    return max(1, min(size.ctas, -(-vectors // PIECE)))


def bad(message: str, help: str) -> Diagnostic:
    """What is wrong with the arguments."""
    return Diagnostic("PTX2345", message, help=help, origin=user_span())


@dataclass(frozen=True, slots=True)
class Members:
    """The devices of a group that are in this process.

    Attributes:
        devices, ranks: theirs, and their numbers in the group. size: of each device's room.
    """

    devices: tuple[Device, ...]
    ranks: Sequence[int]
    size: Size

    @property
    def count(self) -> int:
        """Devices of the group."""
        return self.size.ranks


def members(given: Sequence[Device] | Process, streams: Sequence[Any] | None) -> Members:
    """Of devices, or of a process.

    Raises: Diagnostic PTX2345 for devices that are no group, and for streams that are not theirs.
    """
    if isinstance(given, Process):
        if streams is not None and len(streams) != 1:
            raise bad(f"There are {len(streams)} streams for one GPU.", "give one")
        return Members((given.device,), [given.rank], size_of(given.count, simulated=False))
    if not 2 <= len(given) <= 8 or not all(isinstance(d, Device) for d in given):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise bad("A group has 2 to 8 devices.", "give those of px.devices(n)")
    if len({d.ordinal is None for d in given}) > 1 or len({d.number for d in given}) < len(given):
        raise bad("The devices of a group are different ones of one kind.", "give those of one px.devices(n)")
    if streams is not None and [getattr(s, "device", None) for s in streams] != list(given):
        raise bad("The streams are not of these devices, one for each.", "make them by px.Stream(device)")
    return Members(tuple(given), range(len(given)), size_of(len(given), simulated=given[0].ordinal is None))


def reduced(group: Members, inputs: Any, outputs: Any, way: str) -> list[Work]:
    """An all-reduce: one exchange, or two. Raises: Diagnostic PTX2345, PTX2307."""
    if way not in WAYS:
        raise bad(f"{way!r} is no way of an all-reduce.", f"use one of {', '.join(WAYS)}")
    ins, outs = _arrays("inputs", group, inputs), _arrays("outputs", group, outputs)
    element = element_of(ins)
    vectors = _alike(ins, outs, 1, 1)
    if any(a.overlaps(b) and a.address != b.address for a, b in zip(ins, outs, strict=True)):
        raise bad("An output overlaps its input in part.", "give the inputs themselves, or arrays apart from them")
    # of two devices each sends as much in one shot as in two
    if way == "one-shot" or (way == "auto" and (group.count == 2 or vectors * VECTOR <= ONE_SHOT)):
        return [Work(_words(ins), _words(outs), vectors, vectors, lines=_lines(vectors, group.size), element=element)]
    part = -(-vectors // group.count)
    own = [_part(x, part * rank, part) for rank, x in zip(group.ranks, outs, strict=True)]
    scatter = Work(_words(ins), _words(own), part, vectors, scatters=True, element=element)
    return [scatter, Work(_words(own), _words(outs), part, vectors, gathers=True)]


def _lines(vectors: int, size: Size) -> int:
    """How many lines carry so many vectors; 0 where a room has not so many."""
    lines = vectors * VECTOR // LINE
    return lines if lines <= size.lines else 0


def _part(x: ArrayView, start: int, vectors: int) -> ArrayView:
    """So many vectors of a contiguous array, from one on; fewer at its end."""
    nbytes = math.prod(x.shape) * x.itemsize
    begin = min(start * VECTOR, nbytes)
    length = min(vectors * VECTOR, nbytes - begin) // x.itemsize
    return replace(x, address=x.address + begin, shape=(length,), strides=(x.itemsize,))


def scattered(group: Members, inputs: Any, outputs: Any) -> Work:
    """A reduce-scatter. Raises: Diagnostic PTX2345, PTX2307."""
    ins, outs = _arrays("inputs", group, inputs), _arrays("outputs", group, outputs)
    element, count = element_of(ins), group.count
    part = _alike(ins, outs, 1, count)
    _apart(ins, outs)
    return Work(_words(ins), _words(outs), part, part * count, scatters=True, element=element)


def gathered(group: Members, inputs: Any, outputs: Any) -> Work:
    """An all-gather. Raises: Diagnostic PTX2345."""
    ins, outs = _arrays("inputs", group, inputs), _arrays("outputs", group, outputs)
    part = _alike(ins, outs, group.count, 1)
    _apart(ins, outs)
    return Work(_words(ins), _words(outs), part, part * group.count, gathers=True)


def checked_rows(group: Members, rows: Any, counts: Any, outputs: Any) -> Rows:
    """Arguments of `dispatch` and `combine`. Raises: Diagnostic PTX2345."""
    here, there = _arrays("rows", group, rows), _arrays("outputs", group, outputs)
    numbers = _arrays("counts", group, counts)
    a, b, n = here[0], there[0], numbers[0]
    if len(a.shape) != 2 or len(b.shape) != 2 or (a.dtype, a.shape[1]) != (b.dtype, b.shape[1]):
        raise bad(f"The rows are those of {a}, the outputs {b}.", "give matrices of one dtype with rows of one length")
    if n.dtype != "int32" or n.shape != (group.count,):
        raise bad(f"The counts are {n}.", f"give {group.count} int32 on each device")
    nbytes = a.shape[1] * a.itemsize
    if nbytes % VECTOR or not nbytes:
        raise bad(f"A row has {nbytes} bytes.", f"pad the rows to a multiple of {VECTOR} bytes")
    _apart(here, there)
    return Rows(_words(here), _words(there), numbers, nbytes // VECTOR, a.shape[0], b.shape[0])


def located(what: str, group: Members, given: Any) -> list[ArrayView]:
    """Views of the arrays, one on each device of this process, alike in shape and dtype. Raises: Diagnostic PTX2345."""
    if len(group.devices) == 1 and is_array(given):
        given = [given]
    views = [array_view(x) for x in given]
    if len(views) != len(group.devices):
        raise bad(f"There are {len(views)} {what} for {len(group.devices)} devices.", "give one array for each device")
    for rank, (x, device) in enumerate(zip(views, group.devices, strict=True)):
        simulated = device.ordinal is None
        if (x.device == "cpu") != simulated or x.ordinal != device.number:
            here = f"{'device' if simulated else 'GPU'} {device.number}"
            raise bad(f"{what}[{rank}] does not lie on {here}.", "make it there: device.copy(…), device.zeros(…)")
    if len({(x.shape, x.dtype) for x in views}) > 1:
        raise bad(f"The {what} are not of one shape and dtype.", "give arrays that differ by device alone")
    return views


def _arrays(what: str, group: Members, given: Any) -> list[ArrayView]:
    """The same, of whole arrays that begin at multiples of 16 bytes."""
    views = located(what, group, given)
    for rank, x in enumerate(views):
        if not x.contiguous or (what in ("outputs", "rows") and not x.writable):
            raise bad(f"{what}[{rank}] is not contiguous, or read-only.", "give whole arrays")
        if x.address % VECTOR:
            raise bad(f"{what}[{rank}] does not begin at a multiple of {VECTOR} bytes.", "begin at a multiple of it")
    return views


def element_of(ins: Sequence[ArrayView]) -> str:
    """What is summed. Raises: Diagnostic PTX2307."""
    found = ELEMENTS.get(ins[0].dtype)
    if found is None:
        help = f"convert to {', '.join(ELEMENTS)}"
        raise Diagnostic("PTX2307", f"Sums of {ins[0].dtype} are not there.", help=help, origin=user_span())
    return found


def _alike(ins: Sequence[ArrayView], outs: Sequence[ArrayView], times: int, parts: int) -> int:
    """Vectors of a device's share, where outputs have `times` the elements of inputs, or inputs `parts` those of outputs."""
    a, b = ins[0], outs[0]
    have, want = math.prod(b.shape) * parts, math.prod(a.shape) * times
    if a.dtype != b.dtype or have != want or (times == parts and a.shape != b.shape):
        raise bad(f"The inputs are {a}, the outputs {b}.", f"give outputs of {a.dtype}, {want // parts} elements each")
    nbytes = math.prod(a.shape) // parts * a.itemsize
    if nbytes % VECTOR:
        raise bad(f"Each device's part has {nbytes} bytes.", f"pad the arrays: parts are a multiple of {VECTOR} bytes")
    return nbytes // VECTOR


def _apart(ins: Sequence[ArrayView], outs: Sequence[ArrayView]) -> None:
    if any(a.overlaps(b) for a, b in zip(ins, outs, strict=True)):
        help = "give other arrays; only an all-reduce may write its inputs"
        raise bad("An output overlaps an input, which is still read.", help)


def _words(views: Sequence[ArrayView]) -> list[ArrayView]:
    """The arrays as words of 32 bits."""
    return [words(x) for x in views]


def words(x: ArrayView) -> ArrayView:
    """An array as words of 32 bits."""
    count = math.prod(x.shape) * x.itemsize // 4
    return replace(x, dtype="uint32", itemsize=4, shape=(count,), strides=(4,))
