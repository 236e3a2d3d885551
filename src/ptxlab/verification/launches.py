"""The launches of a candidate: heard once, and repeated on data that its host code has never seen."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any, Final, cast

import numpy as np

from ptxlab.abi.memory import address_of, bytes_of
from ptxlab.abi.record import Buffer, LaunchRecord
from ptxlab.diag import Diagnostic
from ptxlab.verification.residues import coded_array, is_coded
from ptxlab.verification.spec import Array


@dataclass(frozen=True, slots=True)
class Heard:
    """A launch. given: buffers that host code wrote before it, and what they held then."""

    record: LaunchRecord
    given: list[tuple[Buffer, Array]] = field(default_factory=list[tuple[Buffer, Array]])

    def repeated_on(self, inputs: list[Array]) -> LaunchRecord:
        """The record, with what host code gave in its place, and inputs that nobody may write."""
        for buffer, content in self.given:
            bytes_of(buffer)[...] = content
        closed = [_extent(a) for a in inputs]
        return replace(self.record, buffers=tuple(_closed(b, closed) for b in self.record.buffers))

    def code_given(self, *, degrees: bool = False) -> None:
        """Put codes of residues, or of the degrees of constants, in the place of the floating-point numbers that host code gave."""
        for buffer, content in self.given:
            dtype = _dtype_of(buffer)
            if dtype is not None and is_coded(dtype):
                coded = coded_array(content.view(dtype), dtype).view(np.uint8)
                bytes_of(buffer)[...] = 0 if degrees else coded

    def give_back(self, arrays: list[Array]) -> None:
        """Put back what host code gave, but for what lies in these arrays."""
        kept = [_extent(a) for a in arrays]
        for buffer, content in self.given:
            if not any(start < buffer.end and buffer.address < end for start, end in kept):
                bytes_of(buffer)[...] = content


def _dtype_of(buffer: Buffer) -> np.dtype[Any] | None:
    """Of the array behind a buffer, where there is one."""
    behind: object = buffer.array
    owners = cast("tuple[object, ...]", behind if isinstance(behind, tuple) else (behind,))
    return next((cast("Array", one).dtype for one in owners if isinstance(one, np.ndarray)), None)


def _extent(array: Array) -> tuple[int, int]:
    start = address_of(array)
    return start, start + array.nbytes


def _closed(buffer: Buffer, closed: list[tuple[int, int]]) -> Buffer:
    inside = any(start <= buffer.address and buffer.end <= end for start, end in closed)
    return replace(buffer, writable=False) if inside and buffer.nbytes else buffer


class Listener:
    """Hears the launches of a function, and what its host code writes between them.

    Whatever differs from what the last launch left was written by the host. Such bytes are the same whenever the launches are
    repeated: so nothing that the host computes from its inputs can help a result that is computed from others.

    Attributes:
        launches: so far. error: of a launch that was stopped, whether the function minds or not.
    """

    def __init__(self, arrays: list[Array], written: list[Array]) -> None:
        self.launches: list[Heard] = []
        self.error: Diagnostic | None = None
        self._written = written
        self._known = [(address_of(a), _bytes(a)) for a in arrays]
        self._results: list[bytes] = []

    def begins(self, record: LaunchRecord) -> None:
        """Before a launch."""
        given = [(b, bytes_of(b).copy()) for b in record.buffers if b.nbytes and self._changed(b)]
        self.launches.append(Heard(record, given))

    def ended(self, _: object) -> None:
        """Behind a launch."""
        self._known += [(b.address, bytes_of(b).copy()) for b in self.launches[-1].record.buffers if b.nbytes]
        self._results = [a.tobytes() for a in self._written]

    def stopped(self, stop: Diagnostic) -> None:
        """A launch has ended before its end."""
        self.error = self.error or stop
        self.ended(None)

    @property
    def touched(self) -> bool:
        """Whether results have changed since the last launch."""
        return [a.tobytes() for a in self._written] != self._results

    def _changed(self, buffer: Buffer) -> bool:
        """Whether the host has written it since it was last known."""
        now = bytes_of(buffer)
        known, sure = np.zeros(buffer.nbytes, np.uint8), np.zeros(buffer.nbytes, bool)
        for address, content in self._known:
            start, end = max(address, buffer.address), min(address + len(content), buffer.end)
            if start < end:
                known[start - buffer.address : end - buffer.address] = content[start - address : end - address]
                sure[start - buffer.address : end - buffer.address] = True
        return not (bool(sure.all()) and bool((known == now).all()))


def _bytes(array: Array) -> Any:
    return np.frombuffer(array.tobytes(), np.uint8)


_NUMBER: Final = re.compile(
    r"(?<![\w.%$])-?(?:0[fF][0-9a-fA-F]{8}|0[dD][0-9a-fA-F]{16}|0[xX][0-9a-fA-F]+|\d+\.\d*(?:[eE][-+]?\d+)?|\d+)(?![\w.])"
)


def numbers_in(records: list[LaunchRecord], function: object = None) -> list[int | float]:
    """Numbers that programs name, and a function: a result may depend on whether an extent or an element is one of them.

    Those that something is compared with come first.
    """
    found: dict[int | float, int] = dict.fromkeys(_constants(getattr(function, "__code__", None)), 0)
    for text in {op.text: None for record in records for op in record.program.ops}:
        rank = 0 if text.startswith("setp") else 1
        for n in map(_number, _NUMBER.findall(text)):
            found[n] = min(rank, found.get(n, rank))
    return sorted((n for n in found if math.isfinite(n)), key=lambda n: (found[n], n))


def _number(word: str) -> int | float:
    sign, word = (-1, word[1:]) if word.startswith("-") else (1, word)
    if word[:2] in ("0f", "0F"):
        return sign * float(np.uint32(int(word[2:], 16)).view(np.float32))
    if word[:2] in ("0d", "0D"):
        return sign * float(np.uint64(int(word[2:], 16)).view(np.float64))
    if word[:2] in ("0x", "0X"):
        return sign * int(word, 16)
    return sign * (float(word) if "." in word else int(word))


def _constants(code: Any) -> Iterator[int | float]:
    for one in getattr(code, "co_consts", ()):
        if type(one) in (int, float):
            yield one
        yield from _constants(one)


__all__ = ["Heard", "Listener", "numbers_in"]
