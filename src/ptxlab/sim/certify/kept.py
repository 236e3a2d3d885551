"""What follows from the text of a program, found once: a launch is often certified again."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from functools import wraps
from typing import Final, TypeVar

from ptxlab.ptx.program import Program

T = TypeVar("T")
_MOST: Final = 32
"""Programs whose results are kept: the latest ones."""


def of_text(found: Callable[[Program], T]) -> Callable[[Program], T]:
    """A function of a program that is not changed any more: results are kept by the identity of the program."""
    kept: OrderedDict[int, tuple[Program, T]] = OrderedDict()

    @wraps(found)
    def once(program: Program) -> T:
        one = kept.get(id(program))
        if one is None or one[0] is not program:
            one = kept[id(program)] = program, found(program)
            while len(kept) > _MOST:
                kept.popitem(last=False)
        return one[1]

    return once
