"""Operations held against their footprints, byte by byte, where their events happen."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ptxlab.isa.effects import AsyncCopy, Mbarrier
from ptxlab.sim.engine.machine.observer import Observed, Observer
from ptxlab.sim.engine.machine.operation import Footprint, Operation
from ptxlab.sim.engine.machine.resident import Cta

Key = Cta | int
"""Memory: a CTA's shared memory, or a buffer by its address."""
Memory = dict[Key, NDArray[np.uint8]]
Places = dict[Key, NDArray[np.int64]]


class Held(Observer):
    """Runs every operation several times before it counts, in memory that was changed where that should make no difference.

    - What does not come from what it reads, by its footprints, is found out by flipping all other bytes: the result is the same.
    - What it writes is what is the same then; all else is as it was. Of a reduction, which reads what it writes, only this much
      is known: that no other byte changes.
    - A copy that does not count in numbers brings each byte that it reads to every place that it writes to.

    Attributes:
        seen: the operations. exact: whether each byte that is read counts. only: the begin of the opcodes that are held.
    """

    def __init__(self, *, exact: bool = True, only: str = "") -> None:
        self.exact, self.only = exact, only
        self.seen: list[Operation] = []

    def attach(self, machine: Observed) -> None:
        self.machine = machine

    def issued(self, operation: Operation) -> None:
        if not operation.op.inst.opcode.startswith(self.only):
            return
        self.seen.append(operation)
        if isinstance(operation.op.inst.form.effect, Mbarrier):
            assert operation.reads == operation.writes == ()
            return
        read, write = operation.read, operation.write

        def checked() -> Any:
            self._check(operation, lambda: write(read()))
            return read()

        operation.read = checked

    def _check(self, operation: Operation, move: Callable[[], None]) -> None:
        effect = operation.op.inst.form.effect
        reads, writes = self._places(_data(operation.reads)), self._places(operation.writes)
        before, moved = self._memory(operation), self._tried(operation, move, {})
        others = self._but(operation, reads)
        apart = self._tried(operation, move, others)
        assert moved.frames == apart.frames
        reduces = isinstance(effect, AsyncCopy) and effect.update is not None
        for key, old in before.items():
            said = np.isin(np.arange(old.size), writes.get(key, ()))
            changed = moved.memory[key] != old
            assert not changed[~said].any(), f"{operation.op.text} changes bytes that it does not name"
            same = moved.memory[key] == apart.memory[key]
            if not reduces:
                at = np.isin(np.arange(old.size), others[key])
                assert np.array_equal(same[at], said[at]), f"{operation.op.text}: not what it writes"
        if self.exact and isinstance(effect, AsyncCopy) and not reduces:
            flipped = self._tried(operation, move, reads)
            count = sum(int((moved.memory[k][at] != flipped.memory[k][at]).sum()) for k, at in writes.items())
            assert count == len(operation.writes) * sum(int(p.nbytes.sum()) for p in _data(operation.reads))

    def _tried(self, operation: Operation, move: Callable[[], None], flips: Places) -> _Tried:
        """Memory, and registers of the warps, after a trial that began with these bytes flipped; then all is as it was before."""
        views = self._views(operation)
        kept = [bytes_.copy() for _, bytes_ in views]
        frames = [(w.frame.bytes, w.frame.bytes.copy()) for w in operation.warps]
        for key, bytes_ in views:
            bytes_[flips.get(key, _NONE)] ^= 0xFF
        move()
        out = _Tried(self._memory(operation), [now.tobytes() for now, _ in frames])
        for (_, bytes_), old in zip(views, kept, strict=True):
            bytes_[:] = old
        for now, old in frames:
            now[:] = old
        return out

    def _views(self, operation: Operation) -> list[tuple[Key, NDArray[np.uint8]]]:
        out: list[tuple[Key, NDArray[np.uint8]]] = [(cta, cta.shared) for cta in operation.cluster.ctas]
        return out + [(start, self.machine.global_view(start, size)) for start, size in self._buffers()]

    def _buffers(self) -> list[tuple[int, int]]:
        """Begin and bytes of each; one that lies in another is left out."""
        found: dict[int, int] = {}
        for b in self.machine.record.buffers:
            found[b.address] = max(b.nbytes, found.get(b.address, 0))
        return [(start, size) for start, size in found.items() if size]

    def _memory(self, operation: Operation) -> Memory:
        return {key: bytes_.copy() for key, bytes_ in self._views(operation)}

    def _but(self, operation: Operation, places: Places) -> Places:
        """All bytes but these, and those of the tensor map that the operation reads."""
        out: Places = {}
        for key, bytes_ in self._views(operation):
            at = np.setdiff1d(np.arange(bytes_.size), places.get(key, _NONE))
            for part in operation.reads:
                if part.proxy == "tensormap" and not isinstance(key, Cta):
                    at = np.setdiff1d(at, part.places() - key)
            out[key] = at
        return out

    def _places(self, footprints: Sequence[Footprint]) -> Places:
        out: Places = {}
        for part in footprints:
            places = part.places()
            assert part.starts.size
            assert (part.nbytes > 0).all()
            if part.cta is not None:
                assert part.space == "shared"
                out[part.cta] = np.union1d(out.get(part.cta, _NONE), places)
                continue
            assert part.space == "global"
            left = places.size
            for start, size in self._buffers():
                some = places[(places >= start) & (places < start + size)] - start
                left -= some.size
                if some.size:
                    out[start] = np.union1d(out.get(start, _NONE), some)
            assert not left
        return out


class _Tried:
    def __init__(self, memory: Memory, frames: list[bytes]) -> None:
        self.memory, self.frames = memory, frames


_NONE = np.zeros(0, np.int64)


def _data(footprints: Sequence[Footprint]) -> list[Footprint]:
    return [p for p in footprints if p.proxy != "tensormap"]
