"""The source of a function whose trace is under way, as a syntax tree."""

from __future__ import annotations

import ast
import linecache
import textwrap
from functools import lru_cache
from types import CodeType


def lines_of(code: CodeType) -> list[str]:
    """The source of a function; empty where it cannot be read."""
    last = max((line for _, _, line in code.co_lines() if line is not None), default=0)
    return linecache.getlines(code.co_filename)[code.co_firstlineno - 1 : last]


def tree_of(code: CodeType) -> ast.Module | None:
    """Its syntax, with line 1 where the code begins; None where it cannot be read, or is a part of an expression."""
    try:
        return ast.parse(textwrap.dedent("".join(lines_of(code))))
    except SyntaxError:
        return None


@lru_cache(maxsize=8)
def placed_tree(code: CodeType) -> ast.Module | None:
    """Its syntax, with the lines of its file."""
    tree = tree_of(code)
    return None if tree is None else ast.increment_lineno(tree, code.co_firstlineno - 1)


@lru_cache(maxsize=8)
def blocks_of(code: CodeType) -> tuple[ast.With, ...]:
    """All `with` statements of a function, with the lines of its file."""
    tree = placed_tree(code)
    return () if tree is None else tuple(node for node in ast.walk(tree) if isinstance(node, ast.With))
