"""The launches of an operator's call on a GPU, kept to be made again with other addresses: the function is not run for them."""

from __future__ import annotations

import sys
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np

from ptxlab.abi.arrays import is_array, view
from ptxlab.abi.maps import BoundMap
from ptxlab.cuda.launch import Prepared
from ptxlab.cuda.replay import Again, Patch
from ptxlab.cuda.streams import current_source
from ptxlab.launch.prepare import Launch
from ptxlab.launch.watch import Watch
from ptxlab.layout.tensormap import TensorMap
from ptxlab.operators.arrays import torch_array


class Slot(NamedTuple):
    """Memory that a call has: one of its arguments, or an array that its function made. `end`: behind its last byte."""

    begin: int
    end: int


class Made(NamedTuple):
    """An array that the function makes: what it is made by again."""

    shape: tuple[int, ...]
    stride: tuple[int, ...]
    dtype: Any
    zeros: bool


class Joined(NamedTuple):
    """Two tensors of a call that share memory, as slices of one do: their numbers, and how many bytes apart they begin."""

    one: int
    other: int
    apart: int


class Result(NamedTuple):
    """A result: the array of that number among those that were made, and how it is seen where it is a view of that one."""

    number: int
    seen: tuple[tuple[int, ...], tuple[int, ...], int] | None


class Plan:
    """Launches that are made again. It may be called from several threads.

    Args:
        made: arrays to make. launches: what runs. results: what is returned. joined: see `fits`.
    """

    __slots__ = ("_again", "_current", "_empty", "_joined", "_made", "_only", "_results", "_single", "_torch")

    def __init__(
        self,
        torch: Any,
        ordinal: int,
        made: Sequence[Made],
        launches: Sequence[Again],
        results: Sequence[Result],
        *,
        single: bool,
        joined: Sequence[Joined] = (),
    ) -> None:
        self._joined = tuple(joined)
        self._torch, self._made, self._again, self._results = torch, tuple(made), tuple(launches), tuple(results)
        self._single = single
        self._current = current_source([torch.empty(0)], ordinal)
        self._empty = _empties(torch, ordinal)
        # by far the most frequent: one array is made, and is the result
        plain = single and len(made) == 1 and not made[0].zeros and results[0].seen is None
        self._only = made[0][:3] if plain else None

    def fits(self, addresses: Sequence[int]) -> bool:
        """Whether tensors that share memory lie to each other as those did that the launches were noted with."""
        return not self._joined or all(addresses[j.other] - addresses[j.one] == j.apart for j in self._joined)

    def __call__(self, addresses: list[int]) -> Any:
        """Make the arrays and the launches for tensors at these addresses, on the current stream.

        Raises: Diagnostic as a prepared launch.
        """
        only = self._only
        if only is not None:
            out = self._empty(*only)
            addresses.append(out.data_ptr())
            handle = self._current()
            for launch in self._again:
                launch(addresses, handle)
            return out
        made = [self._new(m) for m in self._made]
        addresses += [m.data_ptr() for m in made]
        handle = self._current()
        for launch in self._again:
            launch(addresses, handle)
        out = [
            made[r.number] if r.seen is None else self._torch.as_strided(made[r.number], *r.seen) for r in self._results
        ]
        return out[0] if self._single else tuple(out) if out else None

    def _new(self, made: Made) -> Any:
        out = self._empty(made.shape, made.stride, made.dtype)
        return out.zero_() if made.zeros else out


def _empties(torch: Any, ordinal: int) -> Any:
    """What makes an empty tensor on the current GPU, which has this number."""
    quick = getattr(getattr(getattr(torch._C, "_dynamo", None), "guards", None), "_empty_strided_cuda", None)
    if quick is not None:  # what code of torch's own compiler calls
        return quick
    device = torch.device("cuda", ordinal)

    def empty(shape: tuple[int, ...], stride: tuple[int, ...], dtype: Any) -> Any:
        return torch.empty_strided(shape, stride, dtype=dtype, device=device)

    return empty


class Recorder(Watch):
    """Notes what a function does on a GPU, while it does it."""

    notes = True

    def __init__(self, torch: Any, arguments: Sequence[Any]) -> None:
        self._torch = torch
        self._tensors = [a for a in arguments if isinstance(a, torch.Tensor)]
        self._slots = [Slot(*view(t).extent) for t in self._tensors]
        self._given = len(self._slots)
        self._arrays: list[Any] = []
        self._made: list[Made] = []
        self._launches: list[Again] = []
        self._whole = True
        self._own = False

    @contextmanager
    def listening(self) -> Generator[None]:
        """Within the block torch's own operators are seen."""
        with _seen(self._torch, self._operated):
            yield

    def _operated(self, operation: Any) -> None:
        if not self._own and not getattr(operation, "is_view", False):
            self._whole = False

    def room(self, ordinal: int, shape: tuple[int, ...], dtype: str) -> Any:
        like = self._tensors[0]
        return self.allocated(like, shape, dtype, zeros=True) if like.get_device() == ordinal else None

    def beside(self) -> None:
        self._whole = False

    def allocated(self, like: Any, shape: tuple[int, ...], dtype: str, *, zeros: bool) -> Any:
        self._own = True
        try:
            out = torch_array(like, shape, dtype, zeros=zeros)
        finally:
            self._own = False
        self._arrays.append(out)
        self._made.append(Made(tuple(out.shape), out.stride(), out.dtype, zeros))
        self._slots.append(Slot(*view(out).extent))
        return out

    def prepared(self, launch: Launch, args: Sequence[Any]) -> Launch:
        if not isinstance(launch, Prepared):
            self._whole = False
            return launch
        return _Noted(self, launch, args)

    def ran(self, launch: Prepared, args: Sequence[Any], stream: Any) -> None:
        """A launch has run."""
        patches = self._patches(launch, args) if stream is None and launch.follows else None
        if patches is None:
            self._whole = False
        else:
            self._launches.append(Again(launch, patches))

    def _patches(self, launch: Prepared, args: Sequence[Any]) -> list[Patch] | None:
        """Where addresses stand in a launch's parameters, and of what; None where it uses memory that the call does not own."""
        for b in launch.record.buffers:
            if b.nbytes and self._place(b.address, b.end) is None:
                return None
        out: list[Patch] = []
        for param, arg in zip(launch.record.program.params, args, strict=True):
            raw = launch.record.params[param.offset : param.offset + param.size]
            if isinstance(arg, BoundMap | TensorMap) or is_array(arg):
                if len(raw) < 8:
                    return None
                address = int.from_bytes(raw[:8], "little")
                found = self._place(address, address)
                if found is None:
                    return None
                out.append(Patch(param.offset, *found))
            elif self._may_point(arg, raw):
                return None
        return out

    def _may_point(self, arg: Any, raw: bytes) -> bool:
        """Whether a number, or bytes, may be the address of something that lies elsewhere the next time."""
        if isinstance(arg, float | bool) or len(raw) < 8:
            return False
        words = np.frombuffer(raw[: len(raw) // 8 * 8], np.uint64).tolist()
        return any(self._place(w, w) is not None for w in words)

    def _place(self, begin: int, end: int) -> tuple[int, int] | None:
        """The slot in which bytes lie, and how far from where it begins. No bytes may also lie behind a slot's last."""
        fits = [(i, s) for i, s in enumerate(self._slots) if s.begin <= begin and end <= s.end]
        inside = [(i, s) for i, s in fits if begin < s.end] or fits  # the next slot may begin where one ends
        return None if not inside else (inside[0][0], begin - inside[0][1].begin)

    def plan(self, results: Sequence[Any], *, single: bool) -> Plan | None:
        """What was noted; None where the function did what cannot be made again without it."""
        found = [self._result(r) for r in results]
        joined = [Joined(i, j, b.begin - a.begin) for (i, a), (j, b) in _overlaps(self._slots)]
        if not self._whole or any(r is None for r in found) or any(j.other >= self._given for j in joined):
            return None
        # a tensor's first element may lie behind its first byte: slots begin where data_ptr() says
        for tensor, slot in zip((*self._tensors, *self._arrays), self._slots, strict=True):
            if slot.begin != tensor.data_ptr():
                return None
        ordinal = int(self._tensors[0].get_device())
        known = [r for r in found if r is not None]
        return Plan(self._torch, ordinal, self._made, self._launches, known, single=single, joined=joined)

    def _result(self, result: Any) -> Result | None:
        for number, made in enumerate(self._arrays):
            if result is made:
                return Result(number, None)
            if result.untyped_storage().data_ptr() == made.untyped_storage().data_ptr() and result.dtype == made.dtype:
                return Result(number, (tuple(result.shape), result.stride(), result.storage_offset()))
        return None


class _Noted:
    """A prepared launch that is noted when it runs."""

    def __init__(self, recorder: Recorder, launch: Prepared, args: Sequence[Any]) -> None:
        self._recorder, self._launch, self._args = recorder, launch, args
        self.record = launch.record

    def __call__(self, stream: Any = None) -> None:
        """Launch."""
        self._launch(stream)
        self._recorder.ran(self._launch, self._args, stream)


def _overlaps(slots: Sequence[Slot]) -> list[tuple[tuple[int, Slot], tuple[int, Slot]]]:
    """Pairs of slots that share memory, with their numbers: an address is of both."""
    there = [(i, s) for i, s in enumerate(slots) if s.end > s.begin]
    return [(a, b) for a, b in combinations(there, 2) if a[1].begin < b[1].end and b[1].begin < a[1].end]


def _seen(torch: Any, tell: Any) -> Any:
    """A mode of torch that tells of each operator that is called."""
    mode: Any = sys.modules.get("torch.utils._python_dispatch") or __import__(
        "torch.utils._python_dispatch", fromlist=["TorchDispatchMode"]
    )

    class Seen(mode.TorchDispatchMode):
        def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            tell(func)
            return func(*args, **(kwargs or {}))

    return Seen()
