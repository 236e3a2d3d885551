"""Names in scope: registers, variables, parameters, functions."""

from __future__ import annotations

from ptxlab.isa.operands import Operand, Reg, Symbol
from ptxlab.isa.types import ScalarType


class Scope:
    """The names of a module, a function or a block, and what operands they were resolved to.

    `memo` maps the text of an operand to the operand; blocks share their parent's until they declare a name.
    """

    __slots__ = ("_names", "_odd", "_ranges", "memo", "parent")

    def __init__(self, parent: Scope | None = None) -> None:
        self.parent = parent
        self._names: dict[str, Reg | Symbol] = {}
        self._ranges: dict[str, tuple[ScalarType, int]] = {}
        self._odd: list[str] = []  # prefixes that end in a digit themselves
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
        if prefix[-1:].isdigit():
            self._odd.append(prefix)
        return True

    def _here(self, name: str) -> Reg | Symbol | None:
        found = self._names.get(name)
        if found is not None or not self._ranges:
            return found
        prefix = name.rstrip("0123456789")
        range_ = self._ranges.get(prefix)
        if range_ is not None:
            return _of_range(name, len(prefix), range_)
        for odd in self._odd:
            if name.startswith(odd):
                return _of_range(name, len(odd), self._ranges[odd])
        return None

    def find(self, name: str) -> Reg | Symbol | None:
        """What a name stands for, in this scope or those around it."""
        scope: Scope | None = self
        while scope is not None:
            found = scope._here(name)
            if found is not None:
                return found
            scope = scope.parent
        return None


def _of_range(name: str, prefix: int, range_: tuple[ScalarType, int]) -> Reg | None:
    """The register of a range that the name means; `prefix` is the length of the range's name."""
    digits = name[prefix:]
    if not digits.isdecimal() or len(digits) > 9 or (digits[0] == "0" and len(digits) > 1) or int(digits) >= range_[1]:
        return None
    return Reg(name, range_[0])
