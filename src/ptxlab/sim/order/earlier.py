"""What a poll may have found earlier: a value that it goes on with, too, and behind which less is ordered.

A thread that waits until 33 of 64 others have counted goes on with 33, 34 and so on; in this run it may have found 64, and comes
behind all of them by that. Where nothing but a comparison uses what a load has found, and an earlier value of the word gives the
same answer, the thread does the same with that one. So it is taken to have found the earliest such value that it may: then what it
reads of those who came later is a race in this run, whatever the schedule.
"""

from __future__ import annotations

import operator
from collections import Counter, deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ptxlab.isa.action import is_strong
from ptxlab.isa.effects import Compute
from ptxlab.isa.operands import Imm, Reg
from ptxlab.ptx.flow import graph_of
from ptxlab.ptx.uses import readers, touched
from ptxlab.sim.certify.history import History
from ptxlab.sim.engine.machine.resident import Cta
from ptxlab.sim.order.clocks import Clock, knows_of
from ptxlab.sim.order.reads_from import Place

if TYPE_CHECKING:
    from ptxlab.ptx.program import Op, Program
    from ptxlab.sim.order.knowledge import Written

MOST = 256
"""Values of a word, and finds of it, that are remembered: of a word with more finds nothing earlier is told."""
_COMPARISONS: Mapping[str, Callable[[int, int], bool]] = {
    "eq": operator.eq,
    "ne": operator.ne,
    "lt": operator.lt,
    "lo": operator.lt,
    "le": operator.le,
    "ls": operator.le,
    "gt": operator.gt,
    "hi": operator.gt,
    "ge": operator.ge,
    "hs": operator.ge,
}
_INTEGERS = ("u32", "s32", "b32", "u64", "s64", "b64")


@dataclass(frozen=True, slots=True)
class Comparison:
    """A comparison of what a load has found with a number or a register. bits, signed: of the values."""

    how: Callable[[int, int], bool]
    other: int | Reg
    bits: int
    signed: bool

    def answer(self, value: int, other: int) -> bool:
        """Of a value of so many bits."""
        return self.how(self._number(value), self._number(other))

    def _number(self, value: int) -> int:
        value &= (1 << self.bits) - 1
        return value - (1 << self.bits) if self.signed and value >> self.bits - 1 else value


def compared_alone(program: Program) -> dict[int, tuple[Comparison, ...]]:
    """Of strong loads whose value nothing but comparisons use, by identity, those."""
    loads = [i for i, op in enumerate(program.ops) if is_strong(op.inst.form, op.inst) and op.guard is None]
    if not loads:
        return {}
    graph, ops = graph_of(program), program.ops
    writers: Counter[str] = Counter()
    written_at: dict[str, int] = {}
    for i, op in enumerate(ops):
        writes = touched(op)[1]
        writers.update(writes)
        written_at |= dict.fromkeys(writes, i)
    found: dict[int, tuple[Comparison, ...]] = {}
    for load in loads:
        names = touched(ops[load])[1]
        if len(names) != 1:
            continue
        made = [_comparison(ops[i], names[0]) for i in sorted(readers(graph, load, names[0]))]
        others = [one.other.name for one in made if one is not None and isinstance(one.other, Reg)]
        steady = all(writers[name] == 1 and written_at[name] < load for name in others)
        if made and steady and None not in made:
            found[id(ops[load])] = tuple(one for one in made if one is not None)
    return found


def _comparison(op: Op, name: str) -> Comparison | None:
    """The comparison that an instruction makes with a register; None where it does anything else with it."""
    operands, kind, effect = op.inst.operands, op.inst.mod("type"), op.inst.form.effect
    how = _COMPARISONS.get(op.inst.mod("cmp") or "")
    first, other = operands.get("a"), operands.get("b")
    known = isinstance(first, Reg) and first.name == name and how is not None and kind in _INTEGERS
    compares = isinstance(effect, Compute) and effect.each == "compare"
    if not compares or not known or how is None or kind is None:
        return None
    if isinstance(other, Reg):
        return None if other.name == name else Comparison(how, other, int(kind[1:]), kind[0] == "s")
    if not isinstance(other, Imm) or not isinstance(other.value, int):
        return None
    return Comparison(how, other.value, int(kind[1:]), kind[0] == "s")


@dataclass(frozen=True, slots=True)
class Instead:
    """A thread has been taken to have found a value, at a time, in the place of the last one. site: of its load."""

    who: int
    time: int
    site: int
    value: int
    last: int


@dataclass(slots=True)
class _Word:
    """What a word has held: of each store its value, what it has published, and who has stored when; and who has found which when.

    first: the number of the oldest store that is remembered. latest: of each thread, the number of the last one that it has found.
    """

    stores: deque[tuple[int, Written, int, int]]
    finds: list[tuple[int, int, int]]
    latest: dict[int, int]
    first: int = 0


class Earlier:
    """The values of words that threads store to strongly, as far as they follow one another.

    Args:
        loads: see `compared_alone`. each: threads of a CTA.

    Attributes:
        history: of the words, for a certificate; None: nobody asks for one.
    """

    def __init__(self, loads: Mapping[int, tuple[Comparison, ...]], each: int) -> None:
        self.loads, self._each = loads, each
        self.history: History | None = None
        self._words: dict[Place, _Word] = {}
        self._instead: deque[Instead] = deque(maxlen=MOST)

    def forget(self, memory: object) -> None:
        """Shared memory is that of another CTA now."""
        self._words = {place: word for place, word in self._words.items() if place[0] is not memory}

    def held(self, place: Place, written: Written | None, memory: int) -> int | None:
        """The value that was stored last, where that is the last strong write, and what memory holds; else nothing is known."""
        word = self._words.get(place)
        if word is not None and (word.stores[-1][1] is not written or word.stores[-1][0] != memory):
            self.drop(place)
            return None
        return None if word is None else memory

    def last(self, place: Place) -> int | None:
        """The value that was stored last, where it is known."""
        word = self._words.get(place)
        return word.stores[-1][0] if word is not None else None

    def drop(self, place: Place) -> None:
        """Something has been done to a word that is not followed."""
        self._words.pop(place, None)
        if self.history is not None:
            self.history.lost(word_of(place))

    def answers(self, load: int, others: Sequence[int], value: int) -> tuple[bool, ...]:
        """What the comparisons of a load, with these numbers, say of a value."""
        return tuple(one.answer(value, other) for one, other in zip(self.loads[load], others, strict=True))

    def stored(self, place: Place, value: int, written: Written, who: int, time: int) -> None:
        """A thread has stored a value."""
        word = self._words.get(place)
        if word is None:
            word = self._words[place] = _Word(deque(maxlen=MOST), [], {})
        word.first += len(word.stores) == MOST
        word.stores.append((value, written, who, time))

    def found(
        self, place: Place, load: tuple[int, int, int], known: Clock, same: Callable[[int], bool] | None
    ) -> Written | None:
        """A thread loads the word: what it may have found instead of what was stored last; None where that is all it can have.

        load: who, when, and the number of the instruction. known: what it knows. same: whether it goes on with a value as with the
        last; None where it uses the value itself.
        """
        word, (who, time, site) = self._words[place], load
        last = len(word.stores) - 1
        full = len(word.finds) >= MOST
        if full and self.history is not None:
            self.history.lost(word_of(place))
        index = last if same is None or full else self._earliest(word, who, known, same)
        if word.latest.get(who, -1) < word.first + index:
            word.latest[who] = word.first + index
            word.finds.append((who, time, word.first + index))
        if index == last:
            return None
        self._instead.append(Instead(who, time, site, word.stores[index][0], word.stores[last][0]))
        return word.stores[index][1]

    def behind(self, who: int, known: Clock) -> Instead | None:
        """A load by a thread, or by one that it knows of, that may have found less than in this run; the latest."""
        return next((one for one in reversed(self._instead) if self._knows(known, who, one.who, one.time)), None)

    def _earliest(self, word: _Word, who: int, known: Clock, same: Callable[[int], bool]) -> int:
        """The first value that a thread may find, and goes on with as with the last."""
        stores, last = list(word.stores), len(word.stores) - 1
        own = max(0, word.latest.get(who, 0) - word.first)
        at_least = next((i for i in range(last, own, -1) if self._knows(known, who, *stores[i][2:])), own)
        for other, time, number in reversed(word.finds):  # who finds a value, and tells of it, tells of those before it
            if number - word.first > at_least and self._knows(known, who, other, time):
                at_least = number - word.first
        return next(i for i in range(at_least, last + 1) if i == last or same(stores[i][0]))

    def _knows(self, known: Clock, who: int, other: int, time: int) -> bool:
        return who == other or knows_of(known, *divmod(other, self._each)) >= time


def word_of(place: Place) -> tuple[object, int]:
    """A place as certificates name it: shared memory by the CTA that has it now."""
    memory, byte = place
    return (memory.index if isinstance(memory, Cta) else memory), byte


def value_of(held: Any) -> int:
    """The number that some bytes are."""
    return int.from_bytes(bytes(held), "little")
