"""Which way a warp took through the machine code: the compiler unrolls, merges and moves blocks, so this is found, not known.

The functional run says which PTX instructions a warp executed; ptxas says of which line of PTX each machine instruction was
made. Of each
basic block of PTX one instruction stands for it, its mark: one that ptxas neither doubles nor leaves out, if there is any. A warp's
marks in order have to be those on its way through the machine code, but for what the compiler moved within a block.
"""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from ptxlab.timing.machine_code import MachineInstruction

_AHEAD: Final = 24
"""Marks that are looked at to choose between two branches."""
_DEEP: Final = 12
"""Blocks without marks that are gone through on the way to the next one."""
_NEAR: Final = 64
"""Marks among which one is looked for that the compiler has moved."""
_ENDS: Final = frozenset({"EXIT", "RET", "BRX", "JMP", "JMX"})


@dataclass(slots=True)
class Block:
    """A basic block of machine code: its instructions by their places, its marks in order, and where it may lead.

    maybe: marks under a predicate. exits: whether it ends with an exit, be it under a predicate.
    """

    first: int
    last: int
    marks: tuple[int, ...]
    maybe: frozenset[int]
    leads: tuple[int, ...]
    multiset: Counter[int]
    exits: bool


@dataclass(frozen=True, slots=True)
class Way:
    """What a warp executed: places in the machine code. missed: of its marks, how many lie on no way."""

    places: list[int]
    missed: int
    marks: int


class Paths:
    """The ways through a kernel.

    Args:
        code: its machine code. marks: for each place the instruction of PTX that it is the mark of, or -1.
    """

    def __init__(self, code: Sequence[MachineInstruction], marks: Sequence[int]) -> None:
        self.blocks = _blocks(code, marks)
        self.marked = {m for block in self.blocks for m in block.marks}
        self._holding: dict[int, list[int]] = {}
        for i, block in enumerate(self.blocks):
            for mark in block.multiset:
                self._holding.setdefault(mark, []).append(i)
        self._left = self._to_exit()
        self._known: dict[bytes, Way] = {}
        self._chosen: dict[tuple[int, tuple[int, ...]], int | None] = {}

    def _to_exit(self) -> list[int]:
        """How far each block is from an exit: marks on the way count as many blocks."""
        left = [0 if block.exits or not block.leads else 1 << 30 for block in self.blocks]
        for _ in self.blocks:
            changed = False
            for i, block in enumerate(self.blocks):
                if block.leads:
                    here = 1 + 1000 * len(block.marks) + min(left[lead] for lead in block.leads)
                    changed, left[i] = changed or here < left[i], min(here, left[i])
            if not changed:
                break
        return left

    def of(self, ops: Sequence[int]) -> Way:
        """The way of a warp that executed these instructions of PTX."""
        key = array("I", ops).tobytes()
        found = self._known.get(key)
        if found is None:
            found = self._known[key] = self._walk([op for op in ops if op in self.marked])
        return found

    def _walk(self, trace: list[int]) -> Way:
        places: list[int] = []
        at, position, missed = 0, 0, 0
        moved: set[int] = set()  # places of the trace behind `position` that are used up
        idle = 0
        while True:
            block = self.blocks[at]
            places.extend(range(block.first, block.last + 1))
            before = position
            for mark in block.marks:
                found = _next(trace, mark, position, moved)
                if found is None:
                    missed += mark not in block.maybe
                    continue
                moved.add(found)
                while position in moved:
                    moved.discard(position)
                    position += 1
            idle = idle + 1 if position == before else 0
            if not block.leads or (position >= len(trace) and (block.exits or idle > _DEEP)):
                break
            after = self._choose(block, trace, position)
            if idle > _DEEP and position < len(trace):
                position, missed = position + 1, missed + 1
            if after is None:
                jump = self._jump(trace, position, at)
                if jump is None:
                    break
                after = jump
            at = after
        missed += max(0, len(trace) - position - len(moved))
        return Way(places, missed, len(trace))

    def _choose(self, block: Block, trace: list[int], position: int) -> int | None:
        """The block that comes next; None where none of those that may has the next mark."""
        if position >= len(trace):
            return min(block.leads, key=self._left.__getitem__)
        window = tuple(trace[position : position + 2 * _AHEAD])
        key = (block.first, window)
        if key not in self._chosen:
            known: dict[tuple[int, int, int], tuple[int, int, int]] = {}
            scored = [(self._fits(lead, window, 0, _DEEP, known), -i, lead) for i, lead in enumerate(block.leads)]
            best = max(scored)
            nowhere = best[0][0] == 0 and window and self._jump(trace, position, -1) is not None
            self._chosen[key] = None if nowhere else best[2]
        return self._chosen[key]

    def _fits(
        self,
        at: int,
        trace: Sequence[int],
        position: int,
        depth: int,
        known: dict[tuple[int, int, int], tuple[int, int, int]],
    ) -> tuple[int, int, int]:
        """See `_scored`: each block, place and depth is looked at once."""
        key = (at, position, depth)
        if key not in known:
            known[key] = (0, 0, 0)
            known[key] = self._scored(at, trace, position, depth, known)
        return known[key]

    def _scored(
        self,
        at: int,
        trace: Sequence[int],
        position: int,
        depth: int,
        known: dict[tuple[int, int, int], tuple[int, int, int]],
    ) -> tuple[int, int, int]:
        """How many of the next marks lie on the best way from a block on; how many on its first block that has any; how short
        it is.

        Of two ways that fit equally well, the one with more marks at once is the loop that the compiler has unrolled.
        """
        block = self.blocks[at]
        if block.marks:
            need = block.multiset
            here = Counter(trace[position : position + len(block.marks)])
            certain = sum(n for m, n in need.items() if m not in block.maybe)
            matched = sum(min(n, here[m]) for m, n in need.items())
            if matched < certain:
                return (matched // 2, 0, 0)
            if matched < len(block.marks):
                while matched and sum((Counter(trace[position : position + matched]) - need).values()):
                    matched -= 1
                if matched == 0 and certain:
                    return (0, 0, 0)
            position, depth = position + matched, _DEEP
        else:
            matched = 0
            depth -= 1
        if not block.leads or (block.exits and position >= len(trace)):
            return (matched + (_AHEAD if position >= len(trace) else 0), matched, 0)
        if position >= _AHEAD or depth <= 0:
            return (matched, matched, 0)
        later = max(self._fits(lead, trace, position, depth, known) for lead in block.leads)
        return (matched + later[0], matched or later[1], later[2] - 1)

    def _jump(self, trace: list[int], position: int, at: int) -> int | None:
        """A block with the next mark that the ways from here do not lead to: other lanes of the warp go there."""
        if position >= len(trace):
            return None
        holding = self._holding.get(trace[position], [])
        return min(holding, key=lambda i: (i <= at, i), default=None)


def _next(trace: list[int], mark: int, position: int, moved: set[int]) -> int | None:
    for i in range(position, min(len(trace), position + _NEAR)):
        if trace[i] == mark and i not in moved:
            return i
    return None


def _blocks(code: Sequence[MachineInstruction], marks: Sequence[int]) -> list[Block]:
    """The basic blocks, in order."""
    place = {one.address: i for i, one in enumerate(code)}
    starts = {0}
    for i, one in enumerate(code):
        if one.target is not None and one.target in place:
            starts |= {place[one.target], i + 1}
        elif one.name in _ENDS:
            starts.add(i + 1)
    order = sorted(s for s in starts if s < len(code))
    number = {start: i for i, start in enumerate(order)}
    out: list[Block] = []
    for i, start in enumerate(order):
        last = (order[i + 1] if i + 1 < len(order) else len(code)) - 1
        end = code[last]
        leads: list[int] = []
        if end.target is not None and end.target in place:
            leads.append(number[place[end.target]])
        if (end.guarded or (end.target is None and end.name not in _ENDS)) and i + 1 < len(order):
            leads.append(i + 1)
        here = [(marks[j], code[j].guarded) for j in range(start, last + 1) if marks[j] >= 0]
        out.append(
            Block(
                start,
                last,
                marks=tuple(m for m, _ in here),
                maybe=frozenset(m for m, guarded in here if guarded),
                leads=tuple(dict.fromkeys(leads)),
                multiset=Counter(m for m, _ in here),
                exits=end.name == "EXIT",
            )
        )
    return out
