"""A traced kernel as a module of PTX."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from ptxlab.diag import Span
from ptxlab.isa.targets import Target, Version
from ptxlab.isa.types import TYPES, ScalarType
from ptxlab.lang.trace.core import PREFIX, Core, Item
from ptxlab.lang.trace.names import file_name
from ptxlab.ptx import tree


def register_declarations(k: Core) -> list[tree.Item]:
    """.reg lines: numbered registers by type, then the named ones."""
    out: list[tree.Item] = [tree.registers(TYPES[t], PREFIX[t], n) for t, n in k.counts.items() if n]
    by_type: dict[ScalarType, list[str]] = {}
    for name, type_ in k.named.items():
        by_type.setdefault(type_, []).append(name)
    for type_, names in by_type.items():
        out.append(tree.RegDecl(type_, tuple(tree.RegName(n) for n in names)))
    return out


class Lines:
    """Numbers files and says where the source line changes."""

    def __init__(self) -> None:
        self.files: dict[str, int] = {}

    def marked(self, items: Iterable[Item]) -> list[tree.Item]:
        """The items with a .loc in front of each whose line differs from the one before."""
        out: list[tree.Item] = []
        last: Span | None = None
        for item in items:
            origin = item.origin
            if isinstance(item, tree.Instruction) and origin is not None and origin is not last:
                out.append(tree.Loc(self._number(origin.file), origin.line, 0))
                last = origin
            out.append(item)
        return out

    def _number(self, file: str) -> int:
        return self.files.setdefault(file, len(self.files) + 1)

    def declarations(self) -> list[tree.TopItem]:
        """The .file lines."""
        return [tree.File(n, file_name(relative_path(file))) for file, n in self.files.items()]


def relative_path(file: str) -> str:
    """A source path as it is recorded: from the root of its package on, or the bare name of a script."""
    path = Path(file)
    top = path.parent
    while (top / "__init__.py").exists():
        top = top.parent
    return path.relative_to(top).as_posix()


def module_of(
    version: Version, target: Target, outside: Sequence[tree.TopItem], function: tree.Function, lines: Lines | None
) -> tree.Module:
    """The module: headers, files, variables, kernel."""
    files = [] if lines is None else lines.declarations()
    return tree.Module(version, str(target), 64, [*files, *outside, function])
