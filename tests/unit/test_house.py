"""The house: each room imports only what stands below it, there are no circles, and heavy parts are imported when they are used.

Every import counts: at the top of a module, within a function, and for type checking.
"""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

import pytest

import ptxlab

ROOT: Final = Path(ptxlab.__file__).parent
FACE: Final = "ptxlab"
"""The package's own `__init__`: a room whose names come from others when they are first used."""


def _rooms(text: str) -> dict[str, frozenset[str]]:
    """`room: what it imports` on each line; `*` is all rooms above, `-name` is not that one."""
    out: dict[str, frozenset[str]] = {}
    for line in text.strip().splitlines():
        room, words = line.split(":")
        named = words.split()
        found = set(out) if "*" in named else set[str]()
        found |= {w for w in named if w[0] not in "*-"}
        out[room.strip()] = frozenset(found - {w[1:] for w in named if w[0] == "-"})
    return out


HOUSE: Final = _rooms("""
    diag:
    isa: diag
    ptx: isa diag
    layout: isa diag
    view: layout diag
    reference: layout ptx isa diag
    checks: ptx isa layout diag
    memory_model: ptx isa layout diag
    lang: checks ptx isa layout diag
    abi: ptx isa layout diag
    codegen:
    sim: codegen abi view ptx isa layout diag
    cuda: abi ptx isa layout diag
    launch: sim cuda abi lang checks ptx isa layout diag
    verification: launch sim abi diag
    timing: launch sim cuda abi layout ptx isa diag
    operators: launch cuda abi layout diag
    ptxlab: operators timing verification launch sim cuda abi lang checks memory_model reference layout diag
    kernels: ptxlab
    testing: verification launch sim checks abi diag
    mcp: ptxlab launch sim abi checks memory_model isa ptx diag
    bench: *
    conformance: *
    commands: *
    cli: commands ptxlab
    __main__: cli
""")
"""What each room may import, lowest rooms first: arrows point at rooms of earlier lines alone."""

INSIDE: Final[Mapping[str, Mapping[str, frozenset[str]]]] = {
    "isa": _rooms("""
        limits:
        sections:
        targets:
        terms:
        types:
        effects: terms
        order: effects
        extents: terms
        plain: terms
        specs: extents terms
        form: effects plain sections specs targets terms
        rows: *
        action: effects extents form specs terms
        spellings:
        match: form spellings types
        operands: types
        shape: operands
        releases: targets
        sregs: targets types
        mismatch: form operands specs
        brackets: form mismatch operands
        instance: action brackets effects form operands shape specs targets terms types
        calls: form instance
        sums: instance
        guards: effects instance match operands
        addressing: instance mismatch operands specs
        scalars: addressing form instance mismatch operands specs sregs types
        vectors: instance mismatch operands scalars specs terms types
        conditions: form instance match releases scalars spellings targets vectors
        bind: * -rows
        enumerate: * -rows
        skipped: form releases targets
        tried: operands targets
        lenient_vectors: operands tried types
        lenient: * -rows
    """),
    "lang": _rooms("""
        trace:
        flow: trace
        smem: flow trace
        maps: smem flow trace
        matrices: smem flow trace
        printing: flow trace
        print_matrix: matrices printing smem flow trace
        spelling:
        _instructions: spelling
        builder: *
        params: maps trace
        emission: trace
        declared: trace
        body_checks: spelling trace
        call_errors: trace
        kernel: *
        module: _instructions trace
        to_python: spelling
    """),
    "sim": _rooms("""
        report:
        engine: report
        numerics: engine
        certify: engine report
        order: certify engine report
        diagnose: order certify engine report
        families: *
        spread: diagnose engine report
        launch: spread diagnose engine report
        grids: launch diagnose order engine report
    """),
    "sim/engine": _rooms("""
        compiled:
        handlers: compiled
        decoded: handlers compiled
        machine: decoded compiled
        units: machine decoded compiled
    """),
    "conformance": _rooms("""
        record:
        rows: record
        micro: rows record
        programs: micro rows record
        tma: rows record
        functions: rows record
        addresses: record
        grids:
        kernels: record
        runner: *
    """),
}
"""The same for the rooms within a package, or within a room of it. sim/engine, order and diagnose know families by registration."""

ROOMED: Final = ("sim", "sim/engine", "conformance")
"""Packages in which every file lies in a room."""

ON_USE: Final = {("launch", "sim"), ("launch", "cuda"), ("sim", "view")}
"""What is imported within functions or for type checking alone: it is heavy, or wants a GPU."""


@dataclass(frozen=True, slots=True)
class Import:
    """An import of a module of ptxlab.

    Attributes:
        source, target: modules, e.g. "ptxlab.isa.form".
        line: of the import.
        how: "", "in a function" or "for type checking".
    """

    source: str
    target: str
    line: int
    how: str

    @property
    def where(self) -> str:
        """File and line, and what stands there."""
        how = f" ({self.how})" if self.how else ""
        return f"{MODULES[self.source].relative_to(ROOT.parent)}:{self.line}: imports {self.target}{how}"


def _name(path: Path) -> str:
    parts = (FACE, *path.relative_to(ROOT).with_suffix("").parts)
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


MODULES: Final = {_name(p): p for p in sorted(ROOT.rglob("*.py"))}


def room(module: str) -> str:
    """The room of a module: its package, or the module itself where it lies in none."""
    return [*module.split("."), FACE][1]


def inner_room(module: str, package: str) -> str:
    """The room within a package, as INSIDE names it; "" for the package itself.

    A family's part of the sanitizer's native filter is compiled as one program with the rest of it: it counts as `order`.
    """
    parts = [*module.split("."), "", "", ""]
    if parts[1:3] == ["sim", "families"] and parts[4].startswith("filter"):
        return "order"
    return parts[package.count("/") + 2]


def _named(node: ast.AST) -> list[str]:
    """What a statement or a call imports."""
    match node:
        case ast.Import():
            return [a.name for a in node.names]
        case ast.ImportFrom(level=0, module=str(package)):
            return [f"{package}.{a.name}" if f"{package}.{a.name}" in MODULES else package for a in node.names]
        case ast.ImportFrom():
            return ["a relative name"]
        case ast.Call(
            func=ast.Name(id="import_module") | ast.Attribute(attr="import_module"), args=[ast.Constant(str(m)), *_]
        ):
            return [m]
        case _:
            return []


def _typing(node: ast.AST) -> bool:
    return isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"


@cache
def imports(source: str) -> tuple[Import, ...]:
    """All imports of a module, of whatever package."""
    tree = ast.parse(MODULES[source].read_text(encoding="utf-8"))
    how: dict[int, str] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            how |= {id(n): "in a function" for n in ast.walk(node)}
        elif _typing(node):
            how |= {id(n): "for type checking" for n in ast.walk(node)}
    face = [Import(FACE, home, 1, "in a function") for home in ptxlab._HOMES] if source == FACE else []  # type: ignore[attr-defined]
    return (
        *face,
        *(
            Import(source, target, getattr(node, "lineno", 0), how.get(id(node), ""))
            for node in ast.walk(tree)
            for target in _named(node)
        ),
    )


def _own(source: str) -> Iterator[Import]:
    """Imports of ptxlab's other modules."""
    return (i for i in imports(source) if i.target.split(".")[0] == FACE and i.target != source)


@pytest.mark.parametrize("source", MODULES)
def test_imports_point_down(source: str) -> None:
    here = room(source)
    assert here in HOUSE, f"{MODULES[source]}: the house has no room called {here}; give it a line in HOUSE"
    for found in imports(source):
        assert found.target != "a relative name", f"{found.where}: imports are absolute"
        assert found.target.split(".")[0] not in ("tests", "tools"), (
            f"{found.where}: the package needs nothing of the checkout"
        )
    for found in _own(source):
        there = room(found.target)
        if there != here:
            assert here != "kernels" or there == FACE, (
                f"{found.where}: kernels take the public API alone. Write `from ptxlab import <name>`; what the API lacks, "
                "users lack too: enter it in `_HOMES` in src/ptxlab/__init__.py, with docstring, example and place "
                '(CONTRIBUTING.md, "Adding a word to the language")'
            )
            assert there in HOUSE[here], (
                f"{found.where}: {here}/ may import {', '.join(sorted(HOUSE[here])) or 'no room'} alone"
            )
            assert found.how or (here, there) not in ON_USE, f"{found.where}: {here}/ imports {there}/ when it is used"
        elif here in INSIDE:
            _inside(found, here)


def _inside(found: Import, package: str) -> None:
    """Hold an import within a package to the arrows of its rooms."""
    here, there = inner_room(found.source, package), inner_room(found.target, package)
    if not here:
        return  # the package's `__init__`
    rooms = INSIDE[package]
    assert here in rooms, f"{found.where}: {package}/ has no room called {here}; give it a line in INSIDE"
    allowed = ", ".join(sorted(rooms[here])) or "no other room"
    assert there == here or there in rooms[here], f"{found.where}: {package}/{here}/ may import {allowed} alone"
    if there == here and f"{package}/{here}" in INSIDE:
        _inside(found, f"{package}/{here}")


@pytest.mark.parametrize("table", [HOUSE, *INSIDE.values()], ids=["house", *INSIDE])
def test_the_arrows_themselves_point_down(table: Mapping[str, frozenset[str]]) -> None:
    above: set[str] = set()
    for name, arrows in table.items():
        assert arrows <= above, f"{name} imports {', '.join(sorted(arrows - above))}, which do not stand above its line"
        above.add(name)


@pytest.mark.parametrize("package", ROOMED)
def test_every_file_has_a_room(package: str) -> None:
    files = sorted(p.name for p in (ROOT / package).iterdir() if p.is_file())
    assert files == ["__init__.py"], f"files of {package}/ without a room: {', '.join(files)}"


def _circles() -> list[list[str]]:
    """Modules that import each other, all ways of importing counted (Tarjan's algorithm)."""
    arrows = {m: [i.target for i in _own(m) if i.target in MODULES] for m in MODULES}
    index: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []
    out: list[list[str]] = []

    def visit(module: str) -> None:
        index[module] = low[module] = len(index)
        stack.append(module)
        for target in arrows[module]:
            if target not in index:
                visit(target)
                low[module] = min(low[module], low[target])
            elif target in stack:
                low[module] = min(low[module], index[target])
        if low[module] == index[module]:
            at = stack.index(module)
            circle, stack[at:] = stack[at:], []
            if len(circle) > 1:
                out.append(sorted(circle))

    for module in MODULES:
        if module not in index:
            visit(module)
    return out


def test_no_circles() -> None:
    lines = dict.fromkeys(i.where for circle in _circles() for m in circle for i in _own(m) if i.target in circle)
    assert not lines, "modules import each other in a circle:\n  " + "\n  ".join(lines)


@pytest.mark.parametrize(
    ("imported", "absent"),
    [
        ("ptxlab, ptxlab.cli", ("mcp", "pydantic", "anyio", "starlette")),
        ("ptxlab", ("numba", "llvmlite", "matplotlib", "cuda", "ptxlab.sim", "ptxlab.cuda")),
        ("ptxlab.isa", ("numpy", "numba", "llvmlite", "ptxlab.ptx")),
        ("ptxlab.ptx.parser", ("numpy", "numba", "llvmlite", "ptxlab.lang", "ptxlab.sim")),
        ("ptxlab.checks", ("numba", "llvmlite", "ptxlab.lang", "ptxlab.sim")),
        ("ptxlab.memory_model", ("numpy", "numba", "llvmlite", "ptxlab.lang", "ptxlab.sim")),
        (
            "ptxlab.launch.kernel, ptxlab.launch.module, ptxlab.launch.simulate",
            ("numba", "llvmlite", "ptxlab.sim", "ptxlab.cuda", "cuda"),
        ),
        (
            "ptxlab.testing.plugin",
            ("numpy", "numba", "rich", "ptxlab.diag", "ptxlab.isa", "ptxlab.sim", "ptxlab.launch"),
        ),
    ],
)
def test_heavy_parts_wait(imported: str, absent: tuple[str, ...]) -> None:
    code = f"import sys, {imported}; print([m for m in {absent!r} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == "[]"
