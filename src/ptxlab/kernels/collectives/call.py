"""The arguments of collective operations, checked, and the share of each device."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import ptxlab as px
from ptxlab import ArrayView, Device, Diagnostic, array_view, user_span

THREADS = 512
VECTOR = 16
"""Bytes that a thread moves at once."""
MOST_CTAS = 32
"""CTAs of a device."""
ONE_SHOT = 1 << 18
"""Bytes up to which an all-reduce is done in one shot."""
ELEMENTS = {"bfloat16": "bf16", "float16": "f16", "float32": "f32"}
"""What is summed."""
WAYS = ("auto", "one-shot", "two-shot")


@dataclass(frozen=True, slots=True)
class Share:
    """What one device does: vectors of 16 bytes, and where they begin in inputs and outputs."""

    vectors: int = 0
    read_from: int = 0
    write_to: int = 0


@dataclass(frozen=True, slots=True)
class Work:
    """A collective operation.

    Attributes:
        inputs, outputs: arrays of each device, as words of 32 bits. shares: of each device.
        reads_all, writes_all: whether a device reads the inputs, and writes the outputs, of all. element: what is summed.
    """

    inputs: Sequence[Any]
    outputs: Sequence[Any]
    shares: Sequence[Share]
    reads_all: bool = False
    writes_all: bool = False
    element: str = "f32"

    @classmethod
    def nothing(cls, arrays: Sequence[Any]) -> Work:
        """A barrier alone; `arrays` stand in the places of inputs and outputs."""
        return cls(arrays, arrays, [Share()] * len(arrays))

    @property
    def ctas(self) -> int:
        """CTAs of each device: as many on all of them, since those of one number meet."""
        return _ctas(max(share.vectors for share in self.shares))


@dataclass(frozen=True, slots=True)
class Rows:
    """Rows that go to other devices, or come back.

    Attributes:
        rows, outputs: of each device, as words of 32 bits. counts: of each device. vectors: of 16 bytes in a row.
        rows_here, rows_there: of `rows` and of `outputs`.
    """

    rows: Sequence[ArrayView]
    outputs: Sequence[ArrayView]
    counts: Sequence[ArrayView]
    vectors: int
    rows_here: int
    rows_there: int

    @property
    def ctas(self) -> int:
        """CTAs of each device."""
        return _ctas(self.rows_here * self.vectors)


def _ctas(vectors: int) -> int:
    """CTAs that move so many vectors."""
    return max(1, min(MOST_CTAS, -(-vectors // THREADS)))


def _bad(message: str, help: str) -> Diagnostic:
    return Diagnostic("PTX2345", message, help=help, origin=user_span())


def checked_devices(devices: Sequence[Device], streams: Sequence[px.Stream] | None) -> None:
    """Raise PTX2345 for devices that are no group, and for streams that are not of these devices."""
    if not 2 <= len(devices) <= 8 or not all(isinstance(d, Device) for d in devices):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise _bad("A group has 2 to 8 devices.", "give those of px.devices(n)")
    if len({d.ordinal is None for d in devices}) > 1 or len({d.number for d in devices}) < len(devices):
        raise _bad("The devices of a group are different ones of one kind.", "give those of one px.devices(n)")
    if streams is not None and [s.device for s in streams] != list(devices):
        raise _bad("The streams are not of these devices, one for each.", "make them by px.Stream(device)")


def reduced(devices: Sequence[Device], inputs: Sequence[Any], outputs: Sequence[Any], way: str) -> Work:
    """An all-reduce. Raises: Diagnostic PTX2345, PTX2307."""
    if way not in WAYS:
        raise _bad(f"{way!r} is no way of an all-reduce.", f"use one of {', '.join(WAYS)}")
    ins, outs = _arrays("inputs", devices, inputs), _arrays("outputs", devices, outputs)
    element = _element(ins)
    vectors = _alike(ins, outs, 1, 1)
    apart = not any(_overlap(a, b) for a, b in zip(ins, outs, strict=True))
    whole = way == "one-shot" or (way == "auto" and apart and vectors * VECTOR <= ONE_SHOT)
    if whole:
        _apart(ins, outs)
        shares = [Share(vectors)] * len(devices)
        return Work(_words(ins), _words(outs), shares, reads_all=True, element=element)
    if not apart and any(a.address != b.address for a, b in zip(ins, outs, strict=True)):
        raise _bad("An output overlaps its input in part.", "give the inputs themselves, or arrays apart from them")
    part = -(-vectors // len(devices))
    starts = [min(vectors, part * rank) for rank in range(len(devices))]
    shares = [Share(min(part, vectors - start), start, start) for start in starts]
    return Work(_words(ins), _words(outs), shares, reads_all=True, writes_all=True, element=element)


def scattered(devices: Sequence[Device], inputs: Sequence[Any], outputs: Sequence[Any]) -> Work:
    """A reduce-scatter. Raises: Diagnostic PTX2345, PTX2307."""
    ins, outs = _arrays("inputs", devices, inputs), _arrays("outputs", devices, outputs)
    element = _element(ins)
    vectors = _alike(ins, outs, 1, len(devices))
    _apart(ins, outs)
    shares = [Share(vectors, vectors * rank, 0) for rank in range(len(devices))]
    return Work(_words(ins), _words(outs), shares, reads_all=True, element=element)


def gathered(devices: Sequence[Device], inputs: Sequence[Any], outputs: Sequence[Any]) -> Work:
    """An all-gather. Raises: Diagnostic PTX2345."""
    ins, outs = _arrays("inputs", devices, inputs), _arrays("outputs", devices, outputs)
    vectors = _alike(ins, outs, len(devices), 1)
    _apart(ins, outs)
    shares = [Share(vectors, 0, vectors * rank) for rank in range(len(devices))]
    return Work(_words(ins), _words(outs), shares, writes_all=True)


def checked_rows(devices: Sequence[Device], rows: Sequence[Any], counts: Sequence[Any], outputs: Sequence[Any]) -> Rows:
    """Arguments of `dispatch` and `combine`. Raises: Diagnostic PTX2345."""
    here, there = _arrays("rows", devices, rows), _arrays("outputs", devices, outputs)
    numbers = _arrays("counts", devices, counts)
    a, b, n = here[0], there[0], numbers[0]
    if len(a.shape) != 2 or len(b.shape) != 2 or (a.dtype, a.shape[1]) != (b.dtype, b.shape[1]):
        raise _bad(f"The rows are those of {a}, the outputs {b}.", "give matrices of one dtype with rows of one length")
    if n.dtype != "int32" or n.shape != (len(devices),):
        raise _bad(f"The counts are {n}.", f"give {len(devices)} int32 on each device")
    nbytes = a.shape[1] * a.itemsize
    if nbytes % VECTOR or not nbytes:
        raise _bad(f"A row has {nbytes} bytes.", f"pad the rows to a multiple of {VECTOR} bytes")
    _apart(here, there)
    return Rows(_words(here), _words(there), numbers, nbytes // VECTOR, a.shape[0], b.shape[0])


def _arrays(what: str, devices: Sequence[Device], given: Sequence[Any]) -> list[ArrayView]:
    """Views of the arrays, one on each device."""
    views = [array_view(x) for x in given]
    if len(views) != len(devices):
        raise _bad(f"There are {len(views)} {what} for {len(devices)} devices.", "give one array for each device")
    for rank, (x, device) in enumerate(zip(views, devices, strict=True)):
        simulated = device.ordinal is None
        if (x.device == "cpu") != simulated or x.ordinal != device.number:
            here = f"{'device' if simulated else 'GPU'} {device.number}"
            raise _bad(f"{what}[{rank}] does not lie on {here}.", "make it there: device.copy(…), device.zeros(…)")
        if not x.contiguous or (what in ("outputs", "rows") and not x.writable):
            raise _bad(f"{what}[{rank}] is not contiguous, or read-only.", "give whole arrays")
        if x.address % VECTOR:
            raise _bad(f"{what}[{rank}] does not begin at a multiple of {VECTOR} bytes.", "begin at a multiple of it")
    if len({(x.shape, x.dtype) for x in views}) > 1:
        raise _bad(f"The {what} are not of one shape and dtype.", "give arrays that differ by device alone")
    return views


def _element(ins: Sequence[ArrayView]) -> str:
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
        raise _bad(f"The inputs are {a}, the outputs {b}.", f"give outputs of {a.dtype}, {want // parts} elements each")
    nbytes = math.prod(a.shape) // parts * a.itemsize
    if nbytes % VECTOR:
        raise _bad(f"Each device's part has {nbytes} bytes.", f"pad the arrays: parts are a multiple of {VECTOR} bytes")
    return nbytes // VECTOR


def _overlap(a: ArrayView, b: ArrayView) -> bool:
    (low, high), (first, end) = a.extent, b.extent
    return low < end and first < high


def _apart(ins: Sequence[ArrayView], outs: Sequence[ArrayView]) -> None:
    if any(_overlap(a, b) for a, b in zip(ins, outs, strict=True)):
        help = 'give other arrays; an all-reduce with way="two-shot" may write its inputs'
        raise _bad("An output overlaps an input, which other devices still read.", help)


def _words(views: Sequence[ArrayView]) -> list[ArrayView]:
    """The arrays as words of 32 bits."""
    return [
        replace(x, dtype="uint32", itemsize=4, shape=(math.prod(x.shape) * x.itemsize // 4,), strides=(4,))
        for x in views
    ]
