"""Which registers the variables of a kernel function are bound to at each line, recorded while the function is traced."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from types import FrameType
from typing import Any, cast

from ptxlab.lang.trace.values import Register
from ptxlab.layout.variables import Matrix, Variable
from ptxlab.ptx import tree


class Watch:
    """Follows a function line by line and looks at its variables after each line.

    Args:
        function: the kernel function; of a wrapper, what it wraps too.
    """

    def __init__(self, function: Callable[..., Any]) -> None:
        self._codes = {function.__code__, inspect.unwrap(function).__code__}
        self._held: dict[str, Variable] = {}
        self._found: list[Variable] = []
        self._items: Sequence[Any] = ()

    @contextmanager
    def following(self, items: Sequence[Any]) -> Generator[None, None, None]:
        """Follow the function in the `with` block, while its instructions are added to `items`."""
        self._items = items
        before = sys.gettrace()
        sys.settrace(self._called)
        try:
            yield
        finally:
            sys.settrace(before)

    def _called(self, frame: FrameType, event: str, arg: Any) -> Any:
        return self._line if frame.f_code in self._codes else None

    def _line(self, frame: FrameType, event: str, arg: Any) -> Any:
        for name, value in frame.f_locals.items():
            held = _variable(name, value)
            if held is not None and held != self._held.get(name):
                self._held[name] = held
                self._found.append(replace(held, start=_instructions(self._items)))
        return self._line

    def variables(self, entry: Sequence[Any]) -> tuple[Variable, ...]:
        """What was seen. `entry`: what the kernel executes before what was followed."""
        return tuple(replace(v, start=v.start + _instructions(entry)) for v in self._found)


def _instructions(items: Sequence[Any]) -> int:
    return sum(isinstance(item, tree.Instruction) for item in items)


def _variable(name: str, value: Any) -> Variable | None:
    """The registers behind a value; None where it is neither a register nor a list of them."""
    if isinstance(value, Register):
        return Variable(name, 0, (value.reg.name,))
    if not isinstance(value, list | tuple):
        return None
    parts = cast("Sequence[Any]", value)
    if not parts or not all(isinstance(part, Register) for part in parts):
        return None
    whole = cast("Any", value)  # of `k.accumulator` and `k.fragment` it knows its matrix
    matrix = Matrix(whole.fragment, whole.blocks, whole.dtype.name) if hasattr(whole, "fragment") else None
    return Variable(name, 0, tuple(part.reg.name for part in parts), True, matrix)
