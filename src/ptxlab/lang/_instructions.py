"""Attributes to opcodes: `k.cp.async_.cg.shared.global_` walks the rows as the parser does.

The typed view of this module is `_instructions.pyi`, made from the rows by `python -m ptxlab.lang.stubs`.
"""

from __future__ import annotations

import keyword
from collections.abc import Mapping, Sequence
from typing import Any

from ptxlab.diag import Diagnostic, user_span
from ptxlab.isa.match import State, root, why_no_head


def part_of(attribute: str) -> str:
    """The part of an opcode that an attribute names: `async_` → async, `_2d` → 2d, `shared__cta` → shared::cta."""
    if attribute.endswith("_") and keyword.iskeyword(attribute[:-1]):
        return attribute[:-1]
    if attribute.startswith("_") and attribute[1:2].isdigit():
        attribute = attribute[1:]
    return attribute.replace("__", "::")


def attribute_of(part: str) -> str:
    """The attribute for a part of an opcode; the inverse of `part_of`."""
    name = part.replace("::", "__")
    if name[0].isdigit():
        return "_" + name
    return name + "_" if keyword.iskeyword(name) else name


class Opcode:
    """An opcode as far as it has been written. Calling it emits the instruction."""

    def __init__(self, k: Instructions, opcode: str, state: State) -> None:
        self._k, self._opcode, self._state = k, opcode, state

    def __getattr__(self, name: str) -> Opcode:
        if name.startswith("__"):
            raise AttributeError(name)
        part = part_of(name)
        state = self._state.step(part)
        if state is None:
            raise why_no_head(f"{self._opcode}.{part}").at(origin=user_span())
        made = Opcode(self._k, f"{self._opcode}.{part}", state)
        self.__dict__[name] = made  # the next use is a plain attribute
        return made

    def __call__(self, *args: Any, pred: Any = None, **named: Any) -> Any:
        return self._k.emit(self._opcode, args, named, pred)

    def __repr__(self) -> str:
        return f"<opcode {self._opcode}>"

    def __bool__(self) -> bool:
        raise Diagnostic(
            "PTX2201",
            f"`{self._opcode}` is an instruction that has not been called",
            help="call it with its operands",
            origin=user_span(),
        )


class Instructions:
    """The instructions of a kernel being traced, as attributes; calling one emits it."""

    def emit(self, opcode: str, args: Sequence[Any] = (), named: Mapping[str, Any] = {}, pred: Any = None) -> Any:
        """Emit one instruction; returns its results."""
        raise NotImplementedError

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        word = part_of(name)
        state = root(word)
        if state is None:
            raise why_no_head(word).at(origin=user_span())
        made = Opcode(self, word, state)
        self.__dict__[name] = made
        return made
