"""No call passes more than six arguments by their places: names say what is what, and a new one cannot slip in between."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import ptxlab

ROOT = Path(ptxlab.__file__).parent
MOST = 6
# Functions whose arguments have no names: CUDA's driver, types of C functions, calls that compiled code makes, groups of a
# match, instructions (operands stand in PTX's order).
NAMELESS = frozenset(("cuLibraryLoadData", "CFUNCTYPE", "invoke", "run", "group", "wgmma", "beside"))
INSTRUCTIONS = "k."
COMPILED = [*ROOT.glob("sim/order/native/*.py"), *ROOT.glob("sim/families/*/filter*.py")]
"""The native part of the sanitizer: words of memory go from function to function."""


def _seen(call: ast.Call) -> list[ast.expr]:
    """Arguments of a call that go by their places; of a list that is spread out, those that can be seen."""
    out: list[ast.expr] = []
    for a in call.args:
        spread = a.value if isinstance(a, ast.Starred) else None
        if spread is None:
            out.append(a)
        elif isinstance(spread, ast.Tuple | ast.List):
            out += spread.elts
    return out


def _nameless(call: ast.Call) -> bool:
    """Whether no names could be given; a list of words such as `oneof("u8", "u16", …)` is one argument in several parts."""
    called = ast.unparse(call.func)
    words = all(isinstance(a, ast.Constant) and isinstance(a.value, str) for a in _seen(call))
    return words or called.startswith(INSTRUCTIONS) or called.rpartition(".")[2] in NAMELESS


def long_calls(source: str) -> Iterator[tuple[int, int]]:
    """(line, number of arguments) of each call with too many."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call) and len(_seen(node)) > MOST and not _nameless(node):
            yield node.lineno, len(_seen(node))


ROOMS = sorted({p.relative_to(ROOT).parts[0] for p in ROOT.rglob("*.py")})


@pytest.mark.parametrize("room", ROOMS)
def test_arguments_have_names(room: str) -> None:
    place = ROOT / room
    files = [place] if place.is_file() else [p for p in sorted(place.rglob("*.py")) if p not in COMPILED]
    found = [
        f"{path.relative_to(ROOT)}:{line} passes {count} arguments by their places"
        for path in files
        for line, count in long_calls(path.read_text())
    ]
    assert found == []


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ("f(1, 2, 3, 4, 5, 6)", []),
        ("f(1, 2, 3, 4, 5, 6, 7)", [(1, 7)]),
        ("f(1, 2, 3, 4, 5, 6, *(7, 8))", [(1, 8)]),
        ("f(*many)", []),
        ("f(1, 2, 3, 4, 5, 6, g=7)", []),
        ("\nx = [a.f(1, 2, 3, 4, 5, 6, 7)]", [(2, 7)]),
        ('oneof("a", "b", "c", "d", "e", "f", "g")', []),
        ("k.wgmma.mma_async(1, 2, 3, 4, 5, 6, 7)", []),
        ("api.cuLibraryLoadData(1, 2, 3, 4, 5, 6, 7)", []),
    ],
)
def test_what_is_counted(source: str, found: list[tuple[int, int]]) -> None:
    assert list(long_calls(source)) == found
