"""Words that threads poll: which values they have held, one after the other, and what has been asked of them.

A thread that waits until a word says something goes on under every schedule, and comes behind the same stores, where all of this
holds: the values come in one order, whoever runs first; what is asked has one answer for the first of them, and another one for the
rest; and where threads add to the word in any order, that other answer comes with the last of them alone.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

Word = tuple[object, int]
"""Memory, and the byte of it where a word begins."""
MOST = 1 << 16
"""Values of all words, and questions, that are remembered."""


@dataclass(slots=True)
class _Held:
    """What a word has held.

    size: bytes. adds: whether each store has added to what was there. lost: whether something has been done to it that is not
    followed. asked: by the load's number, with what it was compared, each once.
    """

    size: int
    values: list[int] = field(default_factory=list[int])
    adds: bool = True
    lost: bool = False
    asked: dict[int, set[tuple[int, ...]]] = field(default_factory=dict[int, set[tuple[int, ...]]])


class History:
    """What the polled words of a launch have held.

    Args:
        answers: what a load's comparisons, with these numbers, say of a value.
    """

    def __init__(self, answers: Callable[[int, Sequence[int], int], tuple[bool, ...]]) -> None:
        self._answers = answers
        self._words: dict[Word, _Held] = {}
        self._count = 0

    def stored(self, word: Word, size: int, before: int, value: int, *, adds: bool) -> None:
        """A value is stored to a word, which held another one."""
        held = self._at(word, size)
        if held is not None:
            held.values += [value] if held.values else [before, value]
            held.adds &= adds

    def asked(self, word: Word, size: int, load: int, others: tuple[int, ...]) -> None:
        """A load's comparisons ask about a word: its number, and what it is compared with."""
        held = self._at(word, size)
        if held is not None:
            held.asked.setdefault(load, set()).add(others)

    def lost(self, word: Word) -> None:
        """Something is done to a word that is not followed."""
        self._words.setdefault(word, _Held(1)).lost = True

    def _at(self, word: Word, size: int) -> _Held | None:
        self._count += 1
        held = self._words.setdefault(word, _Held(size))
        held.lost |= held.size != size or self._count > MOST
        return None if held.lost else held

    def settles(self, memory: object, byte: int, load: int, *, in_order: bool) -> bool:
        """Whether a load that waits for a word comes behind the same stores under every schedule.

        byte: one of the word. in_order: whether the stores to it come in one order.
        """
        found = ((start, self._words.get((memory, start))) for start in range(byte, byte - 8, -1))
        held = next((one for start, one in found if one is not None and byte < start + one.size), None)
        if held is None or held.lost or load not in held.asked:
            return False
        steps = {later - earlier for earlier, later in pairwise(held.values)}
        if not in_order and not (held.adds and len(steps) == 1):
            return False
        return all(self._once(held, load, others, last=not in_order) for others in held.asked[load])

    def _once(self, held: _Held, load: int, others: tuple[int, ...], *, last: bool) -> bool:
        """Whether the answers change once at most. last: with the last value, if they do."""
        answers = [self._answers(load, others, value) for value in held.values]
        changes = [i for i, (one, other) in enumerate(pairwise(answers), 1) if one != other]
        return not changes or (len(changes) == 1 and (not last or changes[0] == len(answers) - 1))
