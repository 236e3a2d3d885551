"""Every public name, the page it stands on, and what a reader is told of it.

Names are found by walking: `px.__all__`, the words of `k`, and the public members of the classes on each page. What is missing here
fails `tests/docs/test_language_pages.py`, which says where to enter it.
"""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import Enum
from functools import cache
from importlib import import_module
from itertools import pairwise
from types import ModuleType
from typing import Any, cast

from ptxlab.isa.sregs import SREGS, word_of
from ptxlab.reference.language.docstring import Docstring, parse, parse_text
from ptxlab.reference.language.places import PAGES, SERVING, Page, builder

_METHODS = {"mbarrier": "declare_mbarrier", "elect": "one_lane", "tensormap": "working_map"}
"""Words of `k` that are the first word of opcodes too, and the methods behind them."""


@dataclass(frozen=True, slots=True)
class Name:
    """A public name.

    Attributes:
        shown: as users write it, e.g. "k.if_", "px.kernel", "Tile.at". word: the last part of it. value: what it is.
        page: where it stands. owner: of a member, its class. doc: its docstring, taken apart.
    """

    shown: str
    value: Any
    page: Page
    owner: Name | None = None
    doc: Docstring = field(default_factory=Docstring)

    @property
    def word(self) -> str:
        """The name without what stands before it."""
        return self.shown.rsplit(".", 1)[-1]

    @property
    def anchor(self) -> str:
        """Its anchor on the page."""
        return slug(self.shown)

    @property
    def example(self) -> str:
        """Code that uses it: its own example, or that of its class where the class's uses it; "" where neither does."""
        if self.doc.example:
            return self.doc.example
        other = next((n for n in names() if n.shown == self.doc.see), None) if self.doc.see else self.owner
        found = other.doc.example if other is not None else ""
        shown = uses(found, self.word) or (self.doc.see and inspect.isclass(self.value))  # objects are seen, not named
        return found if shown else ""

    def signature(self) -> str:
        """How it is called; the name alone for what is not."""
        call: Any = self.value.__init__ if inspect.isclass(self.value) else self.value
        if isinstance(call, classmethod | staticmethod):
            call = cast("Any", call).__func__
        plain = not callable(call) or isinstance(self.value, property)
        if plain or (inspect.isclass(self.value) and self.page.slug not in ("blocks",)):
            return self.shown
        try:
            found = inspect.signature(call)
        except (TypeError, ValueError):
            return self.shown
        kept = [p for p in found.parameters.values() if p.name not in ("self", "cls")]
        shown = [str(p.replace(annotation=inspect.Parameter.empty)) for p in kept]
        for i, p in enumerate(kept):
            if (
                p.kind is inspect.Parameter.KEYWORD_ONLY
                and "*" not in shown
                and not any(s.startswith("*") for s in shown)
            ):
                shown.insert(i, "*")
                break
        return f"{self.shown}({', '.join(shown)})"


def slug(heading: str) -> str:
    """The anchor that Markdown makes of a heading."""
    return re.sub(r"[^\w\s-]", "", heading.lower()).strip().replace(" ", "-")


def uses(example: str, word: str) -> bool:
    """Whether code names a word."""
    return word in re.findall(r"\w+", example)


@cache
def names() -> tuple[Name, ...]:
    """All public names, in the order of their pages; a class is followed by its members.

    Names of a module that needs a package which is not installed, such as pytest, are left out.
    """
    return tuple(name for page in PAGES for entry in page.entries for name in _of_entry(page, entry))


def _of_entry(page: Page, entry: str) -> Iterator[Name]:
    where, _, word = entry.partition(":")
    if where == "k":
        yield _made(f"k.{word}", _member_of_builder(word), page)
        return
    word, _, alias = word.partition("=")
    try:
        value = _value(where, word)
    except ModuleNotFoundError as missing:
        if missing.name is None or missing.name.partition(".")[0] == "ptxlab":
            raise
        return
    if alias:
        yield _made(alias, value, page)
        return
    prefix = "px." if where == "ptxlab" else page.prefix
    written = attribute_docs(where).get(word)
    if written is not None:
        yield Name(f"{prefix}{word}", value, page, None, parse_text(written))
        return
    yield from _with_members(_made(f"{prefix}{word}", value, page))


@cache
def attribute_docs(module: str) -> dict[str, str]:
    """The strings below assignments of a module, by the name that is assigned: what Python has no `__doc__` for."""
    source = inspect.getsource(import_module(module))
    body = ast.parse(source).body if '\n"""' in source else []
    return {
        target.id: inspect.cleandoc(text.value.value)
        for node, text in pairwise(body)
        if isinstance(node, ast.Assign) and isinstance(text, ast.Expr) and isinstance(text.value, ast.Constant)
        for target in node.targets
        if isinstance(target, ast.Name) and isinstance(text.value.value, str)
    }


def _value(where: str, word: str) -> Any:
    """What a name stands for; for a module of that name, its function."""
    home = import_module(where)
    found = getattr(home, word) if hasattr(home, word) else import_module(f"{where}.{word}")
    if isinstance(found, ModuleType) and hasattr(found, word):
        found = getattr(found, word)
    return getattr(found, "__pytest_wrapped__", None) or found


def _with_members(name: Name) -> Iterator[Name]:
    yield name
    if inspect.isclass(name.value) and name.value is not builder():  # the words of `k` have entries of their own
        for word, value in members(name.value):
            yield _made(f"{name.value.__name__}.{word}", value, name.page, name)


def _made(shown: str, value: Any, page: Page, owner: Name | None = None) -> Name:
    return Name(shown, value, page, owner, parse(value))


def _member_of_builder(word: str) -> Any:
    return inspect.getattr_static(builder(), _METHODS.get(word, word))


def members(cls: type) -> Iterator[tuple[str, Any]]:
    """The public functions and properties of a class, in the order in which they are written; those of its bases in ptxlab too."""
    seen: set[str] = set()
    for base in cls.__mro__:
        if not base.__module__.startswith("ptxlab"):
            continue
        for word, value in vars(base).items():
            hidden = word.startswith("_") or word in seen or f"{base.__name__}.{word}" in SERVING
            seen.add(word)
            if hidden or not (inspect.isfunction(value) or isinstance(value, property | classmethod | staticmethod)):
                continue
            yield word, value


def fields(cls: type) -> Iterator[str]:
    """The public data attributes of a class: slots, fields of a dataclass, members of an enumeration."""
    if issubclass(cls, Enum):
        yield from cls.__members__
        return
    for base in cls.__mro__:
        if base.__module__.startswith("ptxlab"):
            slots = vars(base).get("__slots__", ())
            for word in (*((slots,) if isinstance(slots, str) else slots), *vars(base).get("__dataclass_fields__", ())):
                if not word.startswith("_") and f"{base.__name__}.{word}" not in SERVING:
                    yield word


def special_registers() -> dict[str, list[str]]:
    """Special registers by the word of `k` that reads them, e.g. "tid" for %tid.x, %tid.y and %tid.z."""
    out: dict[str, list[str]] = {}
    for name in SREGS:
        out.setdefault(word_of(name), []).append(name)
    return out
