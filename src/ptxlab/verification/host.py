"""What of Python a candidate has to leave as it is.

The host code of a function, and the body of a traced kernel, run in the judge's own process, and can reach everything in it. What
makes that of little use: they choose launches before the inputs are drawn that the launches are judged on. This module finds
what else would help a false result: functions, classes and tables that are replaced, threads and hooks that stay behind.

What remains possible, as no Python can prevent it: to walk from frames or from the garbage collector to the judge's random
numbers, and to predict from a copy of them what it will draw; to change objects of the judge in place, or memory by ctypes; to
replace what this module does not watch, or this module itself, and to hide that; to end the process (os._exit), or to keep it
forever in a loop. Whoever judges candidates of people that are not trusted takes PTX text (`px.parse(…)["entry"]`), in which no
Python runs, or another process.
"""

from __future__ import annotations

import gc
import sys
import threading
from collections.abc import Iterator
from contextlib import suppress
from types import FunctionType, ModuleType
from typing import Any, Final

WATCHED: Final = ("ptxlab", "numpy", "ml_dtypes", "builtins", "secrets", "time", "ctypes")
CLOSED: Final = "ptxlab.verification"
"""Where data counts as well: tables, constants."""
Names = dict[str, Any]


class HostState:
    """Functions of the judge and of NumPy, hooks and threads, as they are now. others: further functions, with what they use."""

    def __init__(self, *others: Any) -> None:
        self._kept = [(name, space, dict(space)) for name, space in _spaces()]
        self._others = [(one, _used(one)) for one in others]
        self._modules = {name: sys.modules[name] for name, _ in _modules()}
        self._functions = [(f, f.__code__, f.__defaults__) for _, _, kept in self._kept for f in _functions(kept)]
        self._tables = [(name, table, list(table.items())) for name, table in _tables()]
        self._hooks = _hooks()
        self._threads = set(threading.enumerate())

    def changed(self) -> str | None:
        """What has changed, in words; None where nothing has."""
        for name, space, kept in self._kept:
            for key, value in kept.items():
                if space.get(key) is not value and (callable(value) or isinstance(value, property) or CLOSED in name):
                    return f"{name}.{key}"
        for one, used in self._others:
            now = _used(one)
            for name, value in used.items():
                if now.get(name) is not value:
                    return f"{name}, which {getattr(one, '__name__', 'a function')} uses"
        for name, module in self._modules.items():
            if sys.modules.get(name) is not module:
                return f"sys.modules[{name!r}]"
        for function, code, defaults in self._functions:
            if function.__code__ is not code or function.__defaults__ is not defaults:
                return function.__qualname__
        for name, table, items in self._tables:
            if list(table.items()) != items:
                return name
        if _hooks() != self._hooks:
            return "hooks of the interpreter"
        left = [t for t in threading.enumerate() if t not in self._threads]
        return f"thread {left[0].name}, which still runs" if left else None


def _used(function: Any) -> Names:
    """What a function of Python's finds under the names that it has: globals, variables around it, its code."""
    code = getattr(function, "__code__", None)
    if code is None:
        return {}
    found = {name: function.__globals__[name] for name in code.co_names if name in function.__globals__}
    with suppress(ValueError):  # a variable without a value
        found |= {
            name: cell.cell_contents for name, cell in zip(code.co_freevars, function.__closure__ or (), strict=True)
        }
    return found | {"__code__": code, "__defaults__": function.__defaults__}


def _hooks() -> tuple[Any, ...]:
    return sys.gettrace(), sys.getprofile(), threading.gettrace(), threading.getprofile(), tuple(gc.callbacks)


def _modules() -> Iterator[tuple[str, Names]]:
    found: dict[str, object] = dict(sys.modules)
    for name, module in found.items():
        if isinstance(module, ModuleType) and name.partition(".")[0] in WATCHED:
            yield name, vars(module)


def _spaces() -> Iterator[tuple[str, Any]]:
    """Names of modules, and of the classes in them that are written in Python."""
    for name, names in _modules():
        yield name, names
        for key, value in list(names.items()):
            if isinstance(value, type) and value.__module__ == name and value.__flags__ & HEAP:
                yield f"{name}.{key}", vars(value)


HEAP: Final = 1 << 9
"""Py_TPFLAGS_HEAPTYPE: a class that can be changed."""


def _functions(names: Names) -> Iterator[FunctionType]:
    return (value for value in names.values() if isinstance(value, FunctionType))


def _tables() -> Iterator[tuple[str, dict[Any, Any]]]:
    for name, names in _modules():
        if name.startswith(CLOSED):
            yield from ((f"{name}.{k}", v) for k, v in names.items() if isinstance(v, dict) and not k.startswith("__"))


__all__ = ["HostState"]
