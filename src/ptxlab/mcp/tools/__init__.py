"""The registry of tools, each a module of this package with a `TOOL`.

To add one: a module with a request, an answer, a function that turns one into the other, and a `TOOL`; its name in `_NAMES`; its
section in docs/how-to/mcp.md.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import Any, Final

from ptxlab.mcp.tools.tool import Tool

_NAMES: Final = ("check", "explain", "simulate", "certify", "verify", "compare", "litmus", "version")


@cache
def tools() -> dict[str, Tool[Any, Any]]:
    """All tools by name."""
    return {name: import_module(f"ptxlab.mcp.tools.{name}").TOOL for name in _NAMES}


__all__ = ["Tool", "tools"]
