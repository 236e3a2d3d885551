"""The house: each package imports only what stands below it, and the heavy parts are imported when they are used."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import ptxlab

ROOT = Path(ptxlab.__file__).parent
# What each package may import of ptxlab at the top of a module.
ALLOWED = {
    "diag": set(),
    "isa": {"diag"},
    "ptx": {"isa", "diag"},
    "layout": {"isa", "diag"},
    "reference": {"ptx", "isa", "diag"},
    "check": {"ptx", "isa", "layout", "diag"},
    "lang": {"check", "ptx", "isa", "layout", "diag"},
    "abi": {"ptx", "isa", "layout", "diag"},
    "sim": {"abi", "ptx", "isa", "layout", "diag"},
    "cuda": {"abi", "ptx", "isa", "layout", "diag"},
    "launch": {"abi", "check", "lang", "ptx", "isa", "layout", "diag"},
    "kernels": {"launch", "lang", "layout", "diag"},
    "view": {"launch", "sim", "layout", "diag"},
}
# Rooms at the top of the house import any other, but these.
NOT_ALLOWED = {
    "bench": {"cli", "commands", "conformance"},
    "conformance": {"cli", "commands"},
    "commands": {"cli"},
}
# What may be imported within a function, or for type checking, as well.
LATER = {"launch": {"sim", "cuda"}, "sim": {"view"}}  # a timeline draws itself


def _is_late(node: ast.AST) -> bool:
    """Whether imports within are not done when the module is imported: a function, or `if TYPE_CHECKING`."""
    if isinstance(node, ast.If):
        return isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"
    return isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)


def _imports(tree: ast.AST, package: str) -> Iterator[tuple[str, bool, int]]:
    """(package of ptxlab that is imported, at the top of the module, line)."""
    inner = {id(n) for f in ast.walk(tree) if _is_late(f) for n in ast.walk(f)}
    for node in ast.walk(tree):
        names: list[str] = []
        if isinstance(node, ast.Import):
            names = [a.name for a in node.names]
        elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
            names = [node.module] if node.module != "ptxlab" else [f"ptxlab.{a.name}" for a in node.names]
        elif isinstance(node, ast.ImportFrom) and node.level:
            names = [f"ptxlab.{package}.relative"]
        for name in names:
            parts = name.split(".")
            if parts[0] == "ptxlab" and len(parts) > 1:
                yield parts[1], id(node) not in inner, node.lineno


def _modules() -> list[Path]:
    return sorted(p for p in ROOT.rglob("*.py") if len(p.relative_to(ROOT).parts) > 1)


@pytest.mark.parametrize("path", _modules(), ids=lambda p: str(p.relative_to(ROOT)))
def test_imports_point_down(path: Path) -> None:
    package = path.relative_to(ROOT).parts[0]
    assert package in {*ALLOWED, *NOT_ALLOWED}, f"the house has no room called {package}"
    for imported, at_top, line in _imports(ast.parse(path.read_text()), package):
        if imported == package:
            continue
        where = f"{path.name}:{line} imports ptxlab.{imported}"
        if package in NOT_ALLOWED:
            assert imported not in NOT_ALLOWED[package], where
        else:
            assert imported in ALLOWED[package] | (set() if at_top else LATER.get(package, set())), where


@pytest.mark.parametrize(
    ("imported", "absent"),
    [
        ("ptxlab", ("numba", "llvmlite", "matplotlib", "cuda", "ptxlab.sim", "ptxlab.cuda")),
        ("ptxlab.isa", ("numpy", "numba", "llvmlite", "ptxlab.ptx")),
        ("ptxlab.ptx.parser", ("numpy", "numba", "llvmlite", "ptxlab.lang", "ptxlab.sim")),
        ("ptxlab.check", ("numba", "llvmlite", "ptxlab.lang", "ptxlab.sim")),
        ("ptxlab.launch", ("numba", "llvmlite", "ptxlab.sim", "ptxlab.cuda", "cuda")),
    ],
)
def test_heavy_parts_wait(imported: str, absent: tuple[str, ...]) -> None:
    code = f"import sys, {imported}; print([m for m in {absent!r} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == "[]"
