"""`%%ptx name` in a notebook: a cell of PTX, checked, and bound to a name."""

from __future__ import annotations

import keyword
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Final, Protocol

from ptxlab.checks import check
from ptxlab.diag import Diagnostic, Findings, Severity
from ptxlab.launch.module import Module, parse

USAGE: Final = "%%ptx name, and where it is wanted --target sm_90a or --no-lints"
MAGIC: Final = "ptx"


class Shell(Protocol):
    """What is asked of IPython's shell."""

    def register_magic_function(self, func: Callable[..., Any], magic_kind: str, magic_name: str) -> None:
        """Make a magic of a function."""
        ...

    def push(self, variables: dict[str, Any]) -> None:
        """Bind names for the cells that follow."""
        ...


@dataclass(frozen=True, slots=True)
class _Wanted:
    """What stands behind `%%ptx`."""

    name: str | None = None
    target: str | None = None
    lints: bool = True


def load(shell: Shell) -> None:
    """Give a notebook its magic: `%load_ext ptxlab`."""

    def ptx(line: str, cell: str) -> Module | None:
        return ptx_cell(shell, line, cell)

    ptx.__doc__ = ptx_cell.__doc__
    shell.register_magic_function(ptx, "cell", MAGIC)


def ptx_cell(shell: Shell, line: str, cell: str) -> Module | None:
    """A cell of PTX: it is parsed and checked, what is found is shown, and the module is bound to the name behind `%%ptx`.

    Usage: %%ptx name [--target sm_90a] [--no-lints]

    --target: check for this target instead of the module's own. --no-lints: errors and warnings alone.
    Where there is an error, nothing is bound.

    Returns: the module, which the notebook shows; None where there is an error.
    """
    try:
        wanted = _wanted(line)
        module = parse(cell, f"<{wanted.name or 'cell'}>")
        found = Findings(check(module, wanted.target, lints=wanted.lints))
    except Diagnostic as wrong:
        first, wrong.also, others = wrong, (), wrong.also
        show(Findings([first, *others]))
        return None
    if found:
        show(found)
    if any(d.severity is Severity.ERROR for d in found):
        return None
    if wanted.name is not None:
        shell.push({wanted.name: module})
    return module


def _wanted(line: str) -> _Wanted:
    """Raises: Diagnostic PTX2501 for what is neither a name nor an option."""
    name: str | None = None
    target: str | None = None
    lints, words = True, iter(line.split())
    for word in words:
        if word == "--no-lints":
            lints = False
        elif word.partition("=")[0] == "--target":
            target = word.partition("=")[2] or _value(words)
        elif name is None and word.isidentifier() and not keyword.iskeyword(word):
            name = word
        else:
            raise _refused(f"`{word}` is neither a name for the module nor an option of %%ptx.")
    return _Wanted(name, target, lints)


def _value(words: Iterator[str]) -> str:
    found = next(words, None)
    if found is None:
        raise _refused("`--target` of %%ptx names no target.")
    return found


def _refused(message: str) -> Diagnostic:
    return Diagnostic("PTX2501", message, help=f"write {USAGE}")


def show(found: Findings) -> None:
    """Show findings below the cell; as text where no IPython runs."""
    ipython: Any = sys.modules.get("IPython")
    if ipython is None or ipython.get_ipython() is None:
        print(*found, sep="\n")
    else:
        ipython.display.display(found)


__all__ = ["load", "ptx_cell"]
