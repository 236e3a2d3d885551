"""Names in scope: registers, variables, parameters, functions."""

from __future__ import annotations

import re

from ptxlab.isa.operands import Operand, Reg, Symbol
from ptxlab.isa.types import ScalarType

_NUMBERED = re.compile(r"(.*?)(0|[1-9]\d*)", re.ASCII | re.DOTALL)


class Scope:
    """The names of a module, a function or a block, and what operands they were resolved to.

    `memo` maps the text of an operand to the operand; blocks share their parent's until they declare a name.
    """

    __slots__ = ("_names", "_ranges", "memo", "parent")

    def __init__(self, parent: Scope | None = None) -> None:
        self.parent = parent
        self._names: dict[str, Reg | Symbol] = {}
        self._ranges: dict[str, tuple[ScalarType, int]] = {}
        self.memo: dict[str, Operand] = parent.memo if parent is not None else {}

    def _renew(self) -> None:
        self.memo = {}

    def declare(self, name: str, what: Reg | Symbol) -> bool:
        """Enter a name; False when this scope has it already."""
        if self._here(name) is not None:
            return False
        self._renew()
        self._names[name] = what
        return True

    def declare_range(self, prefix: str, type_: ScalarType, count: int) -> bool:
        """Enter prefix0 … prefix<count-1>; False when this scope has such a range already."""
        if prefix in self._ranges:
            return False
        self._renew()
        self._ranges[prefix] = (type_, count)
        return True

    def _here(self, name: str) -> Reg | Symbol | None:
        found = self._names.get(name)
        if found is not None or not self._ranges:
            return found
        split = _NUMBERED.fullmatch(name)
        if split is None:
            return None
        range_ = self._ranges.get(split[1])
        if range_ is None or len(split[2]) > 9 or int(split[2]) >= range_[1]:
            return None
        return Reg(name, range_[0])

    def find(self, name: str) -> Reg | Symbol | None:
        """What a name stands for, in this scope or those around it."""
        scope: Scope | None = self
        while scope is not None:
            found = scope._here(name)
            if found is not None:
                return found
            scope = scope.parent
        return None
