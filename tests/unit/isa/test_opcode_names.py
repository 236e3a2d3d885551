"""Nothing behind the parser asks what an instruction is called: rows say what they do, and later stages go by that.

Meanings are registered under the keys of their rows, which is how an instruction finds them. Everything else that compares a
row's name, its key or an opcode, or takes one apart, knows an instruction by name and forgets the next one of its kind.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import ptxlab

PACKAGE = Path(ptxlab.__file__).parent
_ROOMS = ("abi", "checks", "commands", "cuda", "kernels", "lang", "launch", "model", "ptx", "sim", "view")
_READERS = ("ptx/parser.py", "ptx/printer.py", "ptx/format.py", "ptx/lexer.py")
_FIELDS = {
    "name": ("form", "row"),
    "key": ("form", "row", "handler"),
    "family": ("form", "row"),
    "opcode": ("inst", "instance", "node"),
}
_TABLES = {"MEANINGS", "TRAPS", "ALONE", "HALFWAY", "MEETS", "ASKS", "FORMS"}
_TAKES_APART = {
    "startswith",
    "endswith",
    "removeprefix",
    "removesuffix",
    "split",
    "partition",
    "rpartition",
    "find",
    "count",
}
_ALLOWED = {
    "sim/engine/machine/faults.py: op.inst.opcode": "whether a message names the instruction already",
    "checks/instructions.py: inst.form.name": "loads and stores of eight narrow elements, at which some runs of ptxas die",
    "checks/abi.py: op.inst.opcode": "whether the instruction stands in the text, or computes an operand of one that does",
    "checks/abi.py: op.node.opcode": "the same",
    "checks/instructions.py: op.inst.form.key": "lookups whose second sampler ptxas overlooks",
    "sim/families/diagnose.py: wait.op.inst.opcode": "a guess why lanes wait, in words",
    "sim/families/mbarrier/hang.py: r.op.inst.form.key": "the same: an arrival without .noinc",
    "sim/families/mbarrier/hang.py: row.op.inst.opcode": "the same: an expect_tx that is no arrival",
}


def _said(node: ast.expr, named: set[str]) -> str | None:
    """The name, key or opcode that an expression is; None for others."""
    if isinstance(node, ast.Name):
        return node.id if node.id in named else None
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in _TAKES_APART:
        return _said(node.func.value, named)
    if isinstance(node, ast.Subscript):
        return _said(node.value, named)
    if not isinstance(node, ast.Attribute) or node.attr not in _FIELDS:
        return None
    owner = node.value.attr if isinstance(node.value, ast.Attribute) else getattr(node.value, "id", "")
    return ast.unparse(node) if owner in _FIELDS[node.attr] else None


def _aliases(function: ast.AST) -> set[str]:
    """Variables that hold one of these."""
    out: set[str] = set()
    for node in ast.walk(function):
        if isinstance(node, ast.Assign) and len(node.targets) == 1 and _said(node.value, set()) is not None:
            out |= {node.targets[0].id} if isinstance(node.targets[0], ast.Name) else set()
    return out


def _comparisons(tree: ast.AST) -> Iterator[tuple[int, str]]:
    for function in [tree, *(n for n in ast.walk(tree) if isinstance(n, (ast.FunctionDef, ast.Lambda)))]:
        named = _aliases(function) if function is not tree else set[str]()
        for node in ast.walk(function):
            match node:
                case ast.Compare():
                    sides = [node.left, *node.comparators]
                    tables = {side.id for side in sides if isinstance(side, ast.Name)} & _TABLES
                    yield from ((node.lineno, s) for side in sides if not tables and (s := _said(side, named)))
                    for side in sides:
                        inside = side.elts if isinstance(side, (ast.Tuple, ast.List)) else []
                        yield from ((node.lineno, s) for part in inside if (s := _said(part, named)))
                case ast.Call(func=ast.Attribute(attr=attr, value=value)) if attr in _TAKES_APART:
                    if s := _said(value, named):
                        yield node.lineno, s
                case ast.Match() if s := _said(node.subject, named):
                    yield node.lineno, s
                case _:
                    pass


def _found(text: str) -> list[str]:
    return sorted({said for _, said in _comparisons(ast.parse(text))})


def test_nothing_behind_the_parser_compares_opcode_names() -> None:
    found: dict[str, int] = {}
    for room in _ROOMS:
        for path in sorted((PACKAGE / room).rglob("*.py")):
            where = str(path.relative_to(PACKAGE))
            if where not in _READERS:
                for line, said in _comparisons(ast.parse(path.read_text())):
                    found[f"{where}: {said}"] = line
    wrong = {f"{place}, line {line}" for place, line in found.items() if place not in _ALLOWED}
    assert not wrong, "say it in the row instead: by its effect, an extent or an attribute of Form"
    assert found.keys() == _ALLOWED.keys(), "these exceptions are not needed any more"


def test_the_search_finds_what_it_is_for() -> None:
    for text in (
        "op.inst.form.name == 'atom'",
        "form.key in _CLAIMS",
        "'cas' in op.inst.opcode.split('.')",
        "inst.opcode.startswith(('ldmatrix', 'stmatrix'))",
        "e.handler.key.endswith('xorsign')",
        "def f(op):\n    key = op.inst.form.key\n    return key == 'mov' or '.im2col' in key",
        "def f(op):\n    match op.inst.form.name:\n        case 'bra': pass",
    ):
        assert _found(text), text
    for text in (
        "form.key in MEANINGS",
        "f'`{op.inst.opcode}` waits'",
        "TRAPS[form.key](ctx, op)",
        "register.name == '%p'",
    ):
        assert not _found(text), text
