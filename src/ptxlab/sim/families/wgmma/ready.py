"""Products of wgmma that compiled code carries out by itself: Python enters them where it has carried them out once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ptxlab.sim.engine.compiled import frame as F
from ptxlab.sim.engine.compiled.native import Block, address, allocate
from ptxlab.sim.numerics import ready
from ptxlab.sim.numerics.ready import Key

if TYPE_CHECKING:
    from ptxlab.sim.engine.machine.resident import Cta
    from ptxlab.sim.engine.units.touches import Runs
    from ptxlab.sim.families.wgmma.arithmetic import Math
    from ptxlab.sim.families.wgmma.plan import Operands, Plan

_RUNS = (F.Y_RUNS_A, F.Y_STARTS_A, F.Y_SIZES_A), (F.Y_RUNS_B, F.Y_STARTS_B, F.Y_SIZES_B)
_MOST = F.READY_PLACES // 2
"""Products that the table holds before it is emptied: a fuller one has no place near where a product belongs."""


class Ready:
    """The products that compiled code knows in a launch."""

    def __init__(self, env: Block) -> None:
        self._memory = allocate(F.READY_PLACES * F.READY_BYTES)
        self._env = env
        self._entries: dict[int, tuple[Plan, Math, Operands, Sequence[Runs | None]]] = {}
        """By place; they also keep alive what the table points to."""
        env.set64(F.E_READY, address(self._memory))
        env.set64(F.E_PRODUCT, ready.function())

    def at(self, place: int) -> tuple[Plan, Math]:
        """The plan and the arithmetic of a product in the table."""
        plan, math, *_ = self._entries[place]
        return plan, math

    @property
    def judged(self) -> bool:
        """Whether somebody judges what products read."""
        return self._env.get64(F.E_JUDGE_PRODUCT) != 0

    def enter(self, key: Key, plan: Plan, math: Math, operands: Operands, runs: Sequence[Runs | None]) -> int | None:
        """Remember how a product is carried out; its place in the table, None where there is no room for it.

        runs: the bytes of A, unless it comes in registers, and of B, where somebody judges that.
        """
        for place in ready.places(key):
            if place not in self._entries:
                break
            if ready.matches(self._entry(place), key):
                return place
        else:
            return None
        entry = self._entry(place)
        pc, a, b, accumulate = key
        words = {F.Y_ACCUMULATE: accumulate, F.Y_PC: pc + 1, F.Y_REGISTERS: int(operands.a is None)}
        for at, value in (words | math.words(plan, accumulate)).items():
            entry.set(at, value)
        for at, value in ({F.Y_A: a, F.Y_B: b} | math.fields(plan, operands)).items():
            entry.set64(at, value)
        for found, fields in zip(runs, _RUNS, strict=False):
            if found is not None:
                starts, nbytes = found
                for at, value in zip(fields, (len(starts), starts.ctypes.data, nbytes.ctypes.data), strict=True):
                    entry.set64(at, value)
        self._entries[place] = plan, math, operands, runs
        return place

    @property
    def full(self) -> bool:
        """Whether it is time to begin anew."""
        return len(self._entries) >= _MOST

    def clear(self) -> None:
        """Forget all products."""
        self._memory[:] = 0
        self._entries.clear()

    def _entry(self, place: int) -> Block:
        return Block(self._memory[place * F.READY_BYTES : (place + 1) * F.READY_BYTES])


def boxes_changed(cta: Cta) -> None:
    """Copies have written other boxes into a CTA's shared memory: its products have to be compared with them again."""
    for at in range(0, len(cta.slot.products), F.GROUP_BYTES):
        state = Block(cta.slot.products[at : at + F.GROUP_BYTES])
        state.set(F.P_BOXES, 1)
        forget(state)


def forget(state: Block) -> None:
    """No product is known any more to agree with the boxes of a warpgroup's CTA."""
    state.bytes[F.P_KNOWN : F.P_KNOWN + F.READY_PLACES // 8] = 0


def know(state: Block, place: int) -> None:
    """A product agrees with the boxes of a warpgroup's CTA."""
    at = F.P_KNOWN + place // 32 * 4
    state.set(at, state.get(at) | 1 << place % 32)
