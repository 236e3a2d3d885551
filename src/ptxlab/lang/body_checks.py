"""Mistakes that only a kernel function's source shows: Python that was meant for the device. Checked when the trace is complete."""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Callable, Iterator, Sequence
from types import CodeType
from typing import Any

from ptxlab.diag import Diagnostic, Span
from ptxlab.isa.form import BY_ROOT
from ptxlab.isa.match import part_of
from ptxlab.lang.trace.source import lines_of, tree_of

BLOCKS = frozenset({"if_", "else_", "while_", "loop", "elect", "role", "roles", "produce", "consume", "wgmma_group"})
"""What opens a `with` block of the language."""
_SUSPECT = re.compile(r"\breturn\b|^\s+\w+(?:\.\w+)+\s*(?:#.*)?$")


def check_body(fn: Callable[..., Any], k: Any) -> None:
    """Refuse Python in a kernel function that looks like device code but emits nothing.

    Raises: Diagnostic PTX2226 for instructions that are named and not called, and for a `return` in a `with` block that ends the
    tracing of all that follows.
    """
    code = getattr(fn, "__code__", None)
    if not isinstance(code, CodeType) or not code.co_varnames:
        return
    if not any(map(_SUSPECT.search, lines_of(code))):
        return
    tree = tree_of(code)
    if tree is not None and tree.body and isinstance(tree.body[0], ast.FunctionDef):
        for node, what, help in _found(tree.body[0].body, code.co_varnames[0], k):
            place = Span(code.co_filename, code.co_firstlineno + node.lineno - 1)
            raise Diagnostic("PTX2226", what, help=help, origin=place)


def _found(body: Sequence[ast.stmt], name: str, k: Any, last: bool = True) -> Iterator[tuple[ast.stmt, str, str]]:
    """(statement, what is wrong, what to do). `last`: whether nothing follows the body."""
    for i, node in enumerate(body):
        ends = last and i == len(body) - 1
        match node:
            case ast.Expr(value=ast.Attribute() as value):
                path = _path(value)
                if path and path[0] == name and _is_called(k, path[1:]):
                    shown = ".".join(path)
                    yield node, f"`{shown}` is named here and not called, so it does nothing", f"write {shown}(…)"
            case ast.With():
                opened = next((b for item in node.items if (b := _opened(item.context_expr))), None)
                left = next((s for s in node.body if isinstance(s, ast.Return)), None)
                if opened is not None and left is not None and not ends:
                    yield (
                        left,
                        f"`return` in a `with {opened}(…):` block ends the tracing of the kernel, not the threads in the block: "
                        "what follows it is never emitted",
                        f"let threads leave by {name}.exit(), or put what follows into a block of the other threads",
                    )
                yield from _found(node.body, name, k, ends)
            case ast.If():
                yield from _found(node.body, name, k, ends)
                yield from _found(node.orelse, name, k, ends)
            case ast.For() | ast.While():
                yield from _found(node.body, name, k, False)
            case _:
                pass


def _path(node: ast.expr) -> list[str]:
    """The names of an attribute, first one first; empty for attributes of anything but a name."""
    names: list[str] = []
    while isinstance(node, ast.Attribute):
        names.append(node.attr)
        node = node.value
    return [node.id, *reversed(names)] if isinstance(node, ast.Name) else []


def _opened(node: ast.expr) -> str | None:
    """The block that an expression opens, as it is written."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in BLOCKS:
        return ".".join(_path(node.func)) or f"….{node.func.attr}"
    return None


def _is_called(k: Any, path: Sequence[str]) -> bool:
    """Whether an attribute of the builder does something when it is called, and nothing when it is named."""
    owner: Any = type(k)  # pyright: ignore[reportUnknownVariableType]
    if part_of(path[0]) in BY_ROOT:
        return True
    return len(path) == 1 and inspect.isfunction(inspect.getattr_static(owner, path[0], None))
