"""The bug zoo: right kernels in PTX, and the faulty ones that one named edit makes of each.

A family is a folder with its kernels, `*.ptx`, and an `__init__.py` that says how each is launched, what it gives, and how it is
broken. A comment `//! name` at the end of a line gives the line that name; several are separated by commas, and several lines
may share one. Edits and expected places speak of those names, so nobody counts lines.

Which code a pair of accesses gets:

- both by threads: PTX9200; PTX9201 where only a scope is too small, PTX9202 where the flag between them is weak, PTX9203 where
  one of them is atomic, PTX9204 where they are lanes of one store;
- one by an asynchronous operation, and nothing orders the two: PTX9210 where the operation writes, PTX9211 where it reads;
- both by asynchronous operations: PTX9215;
- ordered, but no fence joins the proxies: PTX9213;
- one of them is mbarrier.init: PTX9214.
"""

from __future__ import annotations

import importlib
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from ptxlab import diag

ROOT = Path(__file__).parent
FAMILIES = ("generic", "flags", "cp_async", "bulk", "tma", "wgmma", "cluster", "roles", "language", "compiled", "bugs")
SCHEDULES = (("eager", 0), ("late", 0), ("random", 1), ("random", 2))
"""Schedule and seed of each run."""

CODES: frozenset[str] = frozenset(c for c in diag.CODES if "PTX92" <= c < "PTX9260")
"""The codes of the sanitizer. Behind them are those of schedules and options."""

LATER = frozenset((ROOT / "later.txt").read_text(encoding="utf-8").splitlines())
"""Faulty kernels (family/kernel/mutation) that it does not find yet, though it has their codes, or finds at other lines."""

_STALE = ("PTX9029", "PTX9101")  # what a poll ends in that goes on finding an old value
_ORDER = ("PTX9233", "PTX9234", "PTX9235")  # execution that the same barrier would have ordered
RELATED: dict[str, tuple[str, ...]] = {
    "PTX9201": ("PTX9200", "PTX9215", "PTX9210", "PTX9234", *_STALE),
    "PTX9202": ("PTX9200", "PTX9203", "PTX9252", *_STALE),
    "PTX9203": ("PTX9200", *_ORDER),
    "PTX9204": ("PTX9200",),
    "PTX9200": (*_ORDER, "PTX9231", "PTX9252"),
    "PTX9210": ("PTX9200", "PTX9213", "PTX9215", "PTX9222", "PTX9223", "PTX9231", "PTX9236", *_ORDER),
    "PTX9211": ("PTX9200", "PTX9222", "PTX9223", "PTX9231"),
    "PTX9214": _ORDER,
    "PTX9215": ("PTX9222", "PTX9223", "PTX9231", "PTX9236"),
    "PTX9222": ("PTX9243",),
    "PTX9221": ("PTX9133", "PTX9210", "PTX9211", "PTX9215"),
    "PTX9223": ("PTX9210", "PTX9211", "PTX9215", "PTX9222"),
    "PTX9240": ("PTX9200",),
}
"""What one mistake may be called besides its code: a flag of too small a scope is a race itself; who does not wait for a phase may
miss its end; without a wgmma.fence a product does not come after what its warps have waited for."""

_MARK = re.compile(r"//!\s*(.+?)\s*$")


class Text:
    """The lines of a kernel, and what they are called."""

    def __init__(self, lines: list[str]) -> None:
        self.lines = lines

    def __str__(self) -> str:
        return "\n".join(self.lines) + "\n"

    def names(self, index: int) -> list[str]:
        found = _MARK.search(self.lines[index])
        return re.split(r",\s*", found[1]) if found else []

    def at(self, name: str) -> list[int]:
        """The indices of the lines that have a name: at least one."""
        found = [i for i in range(len(self.lines)) if name in self.names(i)]
        assert found, f"no line is called {name!r}"
        return found

    def numbers(self, name: str) -> set[int]:
        """The same, as line numbers."""
        return {i + 1 for i in self.at(name)}


Edit = Callable[[Text], Text]


def drop(*names: str) -> Edit:
    """Take lines out. An empty one stays in the place of each."""

    def edit(text: Text) -> Text:
        gone = {i for name in names for i in text.at(name)}
        return Text(["" if i in gone else line for i, line in enumerate(text.lines)])

    return edit


def sub(name: str, old: str, new: str) -> Edit:
    """Replace a word in all lines of a name; it stands once in each, in front of the comment."""

    def edit(text: Text) -> Text:
        lines = list(text.lines)
        for i in text.at(name):
            code, mark, names = lines[i].partition("//!")
            assert code.count(old) == 1, f"{old!r} stands {code.count(old)} times in {code!r}"
            lines[i] = code.replace(old, new) + mark + names
        return Text(lines)

    return edit


def move(name: str, *, before: str = "", behind: str = "") -> Edit:
    """Move one line in front of another, or behind it."""

    def edit(text: Text) -> Text:
        (i,) = text.at(name)
        (j,) = text.at(before or behind)
        lines = list(text.lines)
        line = lines.pop(i)
        lines.insert(j - (i < j) + (not before), line)
        return Text(lines)

    return edit


def add(new: str, *, before: str = "", behind: str = "") -> Edit:
    """Put a line in front of another, or behind it; it may have a name of its own."""

    def edit(text: Text) -> Text:
        (j,) = text.at(before or behind)
        return Text([*text.lines[: j + (not before)], new, *text.lines[j + (not before) :]])

    return edit


def both(*edits: Edit) -> Edit:
    """One mutation that takes several edits, such as an acquire and a release of the same scope."""

    def edit(text: Text) -> Text:
        for e in edits:
            text = e(text)
        return text

    return edit


@dataclass(frozen=True)
class Mutant:
    """A faulty kernel.

    Attributes:
        name: what was done to the right one.
        edit: how.
        code: what is found.
        at: the names of the lines of both accesses, in any order; one name where only that line is sure; none where the
            report names no line of its own.
        why: the reason, in a line.
        besides: other codes that may be found, too, because of the same mistake; those of `RELATED` always may.
        instead: what some schedules end in before the mistake shows, e.g. a deadlock where a wait comes too late.
        strict: whether the strict sanitizer alone finds it; otherwise nothing is found.
    """

    name: str
    edit: Edit
    code: str
    at: tuple[str, ...]
    why: str
    besides: tuple[str, ...] = ()
    instead: tuple[str, ...] = ()
    strict: bool = False


Made = tuple[list[Any], dict[int, Any]] | tuple[list[Any], dict[int, Any], list[Any]]
"""The arguments of a launch, and what some of them hold at the end; then arrays that the kernel finds through tensor maps or
pointers in memory. They are counted behind the arguments."""


@dataclass(frozen=True)
class Right:
    """A kernel without a mistake.

    Attributes:
        family, name: the folder and the file.
        make: the arguments and results, from random numbers.
        tricky: what a naive detector would take for a mistake; "" where there is nothing like that.
        lenient: why the sanitizer warns of a fence that is missing (PTX9214) and compilers do without; "" where it is silent.
        mutants: the faulty kernels that are made of it.
    """

    family: str
    name: str
    make: Callable[[np.random.Generator], Made]
    grid: Any = 1
    block: Any = 32
    cluster: Any = None
    shared: int = 0
    tricky: str = ""
    lenient: str = ""
    mutants: tuple[Mutant, ...] = field(default=(), repr=False)

    @property
    def path(self) -> Path:
        return ROOT / self.family / f"{self.name}.ptx"

    def text(self, mutant: Mutant | None = None) -> Text:
        """Its text, or that of a faulty one."""
        text = Text(self.path.read_text(encoding="utf-8").splitlines())
        return mutant.edit(text) if mutant else text

    def launch(self) -> tuple[dict[str, Any], list[tuple[Any, Any]]]:
        """What `px.simulate` is told of it; arrays, and what they hold at the end."""
        made = self.make(np.random.default_rng(7))
        args, results = made[0], made[1]
        buffers = made[2] if len(made) == 3 else []
        arrays = [*args, *buffers]
        launch = {"grid": self.grid, "block": self.block, "cluster": self.cluster, "shared": self.shared}
        return launch | {"args": args, "buffers": buffers}, [(arrays[i], expected) for i, expected in results.items()]


class Family:
    """The kernels of a folder, in the order in which they are declared."""

    def __init__(self, module: str) -> None:
        self.name = module.rpartition(".")[2]
        self.kernels: list[Right] = []

    def right(
        self, *mutants: Mutant, **launch: Any
    ) -> Callable[[Callable[[np.random.Generator], Made]], Callable[[np.random.Generator], Made]]:
        """Declares the kernel of the file that is called as the function below, which makes its arguments."""

        def declared(make: Callable[[np.random.Generator], Made]) -> Callable[[np.random.Generator], Made]:
            self.kernels.append(Right(self.name, make.__name__, make, mutants=mutants, **launch))
            return make

        return declared


@cache
def kernels() -> tuple[Right, ...]:
    """All right kernels."""
    families = [importlib.import_module(f"{__name__}.{name}").FAMILY for name in FAMILIES]
    return tuple(k for family in families for k in family.kernels)


def mutants() -> Iterator[tuple[Right, Mutant]]:
    """All faulty kernels, each with the right one that it is made of."""
    return ((k, m) for k in kernels() for m in k.mutants)
