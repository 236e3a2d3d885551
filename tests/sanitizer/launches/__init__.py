"""The zoo of launches: right programs of several launches, and the faulty ones that a named change makes of each.

A program is a function that queues its launches; `fault` is the name of the change, "" for the right one. Kernels are written where
they are used, so that a change is an `if` in their text. A comment `#: name` at the end of a line gives that line a name; several
lines may share one, and several names are separated by commas. A fault says which code is found, and at which two lines.

Public bugs are rebuilt in small, and name their thread.
"""

from __future__ import annotations

import importlib
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

ROOT = Path(__file__).parent
FILES = ("before", "alone", "chains", "streams", "bulk", "bugs", "devices")
SCHEDULES = (("eager", 0), ("late", 0), ("random", 1), ("random", 2))
"""Schedule and seed of each run; and the first of them strict."""

BEFORE, ALONE, STREAMS, CHAIN = "PTX9260", "PTX9261", "PTX9262", "PTX9263"
Checks = Sequence[tuple[Any, Any]]
"""Arrays, and what stands in them at the end of a right run."""

_MARK = re.compile(r"#: (.+?)\s*$")


@dataclass(frozen=True)
class Fault:
    """A change that makes a program faulty.

    Attributes:
        name: what the program is told. code: of the finding. at: the names of the lines of the later access and of the other one.
        why: what goes wrong.
    """

    name: str
    code: str
    at: tuple[str, str]
    why: str


@dataclass(frozen=True)
class Program:
    """A program of the zoo.

    Attributes:
        queue: queues its launches. faults: how it is broken. bug: the thread that it is taken from.
    """

    file: str
    name: str
    queue: Callable[[str], Checks]
    faults: tuple[Fault, ...]
    bug: str


_all: list[Program] = []


def program(*faults: Fault, bug: str = "") -> Callable[[Callable[[str], Checks]], Callable[[str], Checks]]:
    """Puts a program into the zoo."""

    def made(queue: Callable[[str], Checks]) -> Callable[[str], Checks]:
        _all.append(Program(queue.__module__.rpartition(".")[2], queue.__name__, queue, faults, bug))
        return queue

    return made


def programs() -> list[Program]:
    """All of them."""
    if not _all:
        for file in FILES:
            importlib.import_module(f"{__name__}.{file}")
    return list(_all)


def faulty() -> Iterator[tuple[Program, Fault]]:
    """All that are faulty."""
    for one in programs():
        for fault in one.faults:
            yield one, fault


@cache
def lines(file: str) -> dict[str, frozenset[int]]:
    """The numbers of the lines that have a name."""
    out: dict[str, set[int]] = {}
    for number, line in enumerate((ROOT / f"{file}.py").read_text(encoding="utf-8").splitlines(), 1):
        found = _MARK.search(line)
        for name in found[1].split(", ") if found else ():
            out.setdefault(name, set()).add(number)
    return {name: frozenset(numbers) for name, numbers in out.items()}


def zeros(count: int = 64) -> Any:
    """An array of words."""
    return np.zeros(count, np.uint32)


def numbers(count: int = 64) -> Any:
    """Words that tell themselves apart."""
    return np.arange(1, count + 1, dtype=np.uint32)
