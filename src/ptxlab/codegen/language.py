"""What native functions are written with: `native`, and the words that Python lacks."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import Any


class NotNative(Exception):
    """What the subset of Python does not have, with the place."""


class Native:
    """A function for native code.

    Attributes:
        name: of the function. names: what its names stand for that it does not set. tree: its syntax.
    """

    def __init__(self, function: Callable[..., Any]) -> None:
        self.function = function
        self.name = function.__name__
        self.names: Mapping[str, Any] = function.__globals__  # type: ignore[attr-defined]
        self.__doc__ = function.__doc__
        self.path = function.__code__.co_filename

    @property
    def tree(self) -> ast.FunctionDef:
        """The syntax."""
        return _functions(self.path)[self.name]

    def __call__(self, *args: Any) -> Any:
        raise TypeError(f"{self.name} is native: Python cannot run it")


def native(function: Callable[..., Any]) -> Any:
    """Mark a function for native code."""
    return Native(function)


def address(values: Any) -> int:
    """In native functions: an array as a number."""
    raise TypeError("only native functions have addresses")


def longs(number: int) -> Any:
    """In native functions: the array of 64-bit numbers at an address."""
    raise TypeError("only native functions have addresses")


def signed(word: int) -> int:
    """In native functions: the lower 32 bits of a number, with a sign."""
    raise TypeError("only native functions have words")


def clear(elements: Any) -> None:
    """In native functions: set an array of a record to zeros."""
    raise TypeError("only native functions have arrays")


def copy(to: Any, by: Any) -> None:
    """In native functions: set an array of a record, or a record, to what another one is."""
    raise TypeError("only native functions have arrays")


def raise_to(to: Any, by: Any) -> None:
    """In native functions: set each word of an array to that of another one where that is greater."""
    raise TypeError("only native functions have arrays")


class Switches:
    """Names that each unit of compilation makes true or false: `if follows.copies and …` costs nothing where it is false.

    Attributes:
        names: all of them.
    """

    def __init__(self, *names: str) -> None:
        self.names = frozenset(names)

    def __getattr__(self, name: str) -> bool:
        raise AttributeError(f"only native functions ask whether {name} is on")


@cache
def _functions(path: str) -> Mapping[str, ast.FunctionDef]:
    tree = ast.parse(Path(path).read_text(encoding="utf-8"))
    return {node.name: node for node in tree.body if isinstance(node, ast.FunctionDef)}
