"""What a module says of where it comes from: the language of a function, places in intermediate code."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from ptxlab.checks.names import Names
from ptxlab.diag import Diagnostic
from ptxlab.isa.targets import ptx
from ptxlab.ptx.tree import Directive, Function

LANGUAGES: Final = ("nvsal", "nvvm", "cuda c++", "cuda c++ tile", "tile ir", "python-cutile", "fortran", "optix", "ptx")
INTERMEDIATE: Final = ptx(9, 4)
_LANGUAGE: Final = ptx(9, 2)


def check_languages(node: Function, names: Names) -> Iterator[Diagnostic]:
    """What is wrong with .language of a kernel or a function."""
    for one in node.directives:
        if one.name == ".language":
            yield from names.needs("`.language`", _LANGUAGE)
            yield from _named(one)


def _named(one: Directive) -> Iterator[Diagnostic]:
    for word in one.words[::2]:
        if not word.isdecimal() and (word[:1] != '"' or word.strip('"').lower() not in LANGUAGES):
            known = ", ".join(f'"{name}"' for name in LANGUAGES)
            yield Diagnostic("PTX0018", f"`.language` does not know {word}", help=f"it takes {known}, or a number")
