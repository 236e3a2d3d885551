"""Names in scope: registers, variables, parameters, functions."""

from __future__ import annotations

import re

from ptxlab.diag import Diagnostic
from ptxlab.isa.operands import Label, Operand, Reg, Symbol, Vec
from ptxlab.isa.types import ScalarType

Named = Reg | Symbol | Vec | Label
"""What a name stands for: a Vec is a vector register as a whole, a Label one that hides what has its name outside."""
_WORDS = re.compile(r"[A-Za-z_$%][\w$]*", re.ASCII)
_FIELDS = {"x": 0, "y": 1, "z": 2, "w": 3, "r": 0, "g": 1, "b": 2, "a": 3}


def vector(name: str, type_: ScalarType, count: int) -> Vec:
    """A vector register: `.reg .v2 .f32 name`."""
    return Vec(tuple(Reg(f"{name}.{axis}", type_) for axis in "xyzw"[:count]), written=name)


def twice(name: str) -> Diagnostic:
    """The diagnostic that a name is taken."""
    return Diagnostic("PTX0013", f"`{name}` is declared twice in this scope", help="rename one of the two")


class Scope:
    """The names of a module, a function or a block, and what operands they were resolved to.

    `memo` maps the text of an operand to the operand; blocks share their parent's until they declare a name.
    """

    __slots__ = ("_names", "_ranges", "memo", "parent")

    def __init__(self, parent: Scope | None = None) -> None:
        self.parent = parent
        self._names: dict[str, Named] = {}
        self._ranges: dict[str, tuple[ScalarType, int, int]] = {}
        self.memo: dict[str, Operand] = parent.memo if parent is not None else {}

    def home(self, text: str) -> Scope:
        """The outermost scope of the function in which an operand means the same: those within declare none of its names."""
        scope, names = self, None
        while (around := scope.parent) is not None and around.parent is not None:
            if scope._names or scope._ranges:
                names = names or _WORDS.findall(text)
                if any(scope._here(name) is not None for name in names):
                    break
            scope = around
        return scope

    def _renew(self) -> None:
        self.memo = {}

    def declare(self, name: str, what: Named) -> bool:
        """Enter a name; False when this scope has it already."""
        if self._is_taken(name):
            return False
        self._renew()
        self._names[name] = what
        return True

    def hide(self, name: str) -> None:
        """Enter a label that has the name of a function or register outside of this scope: from here on it is meant."""
        found = self.find(name)
        if isinstance(found, Reg | Vec) or (isinstance(found, Symbol) and found.space == "func"):
            self.declare(name, Label(name))

    def declare_range(self, prefix: str, type_: ScalarType, count: int, elements: int = 0) -> bool:
        """Enter prefix0 … prefix<count-1>, vectors of so many elements; False when this scope has such a range or one of them."""
        if prefix in self._ranges or self._meets(prefix, count):
            return False
        self._renew()
        self._ranges[prefix] = (type_, count, elements)
        return True

    def _meets(self, prefix: str, count: int) -> bool:
        """Whether a name that stands by itself is one of a range. ptxas overlooks ranges whose name ends in a digit."""
        return not prefix[-1:].isdigit() and any(
            name.startswith(prefix)
            and (number := _number(name[len(prefix) :])) is not None
            and number < count
            and name == f"{prefix}{number}"
            for name in self._names
        )

    def _is_taken(self, name: str) -> bool:
        """Whether this scope has a name already, by itself or in a range; see `_meets`."""
        if name in self._names or "." in name:
            return self._here(name) is not None
        prefix = name.rstrip("0123456789")
        range_ = self._ranges.get(prefix)
        return range_ is not None and _of_range(name, len(prefix), range_) is not None

    def _here(self, name: str) -> Named | None:
        if "." in name:
            return self._element(name)
        found = self._names.get(name)
        if found is not None or not self._ranges:
            return found
        prefix = name.rstrip("0123456789")  # to ptxas a range whose own name ends in a digit has no registers
        range_ = self._ranges.get(prefix)
        return _of_range(name, len(prefix), range_) if range_ is not None else None

    def _element(self, name: str) -> Reg | None:
        """An element of a vector register: `v.x`, `v.r`."""
        stem, _, selector = name.partition(".")
        whole, index = self._here(stem), _FIELDS.get(selector, len(_FIELDS))
        if not isinstance(whole, Vec) or index >= len(whole.items):
            return None
        found = whole.items[index]
        assert isinstance(found, Reg)
        return found if found.name == name else Reg(found.name, found.type, name)

    def find(self, name: str) -> Named | None:
        """What a name stands for, in this scope or those around it."""
        scope: Scope | None = self
        while scope is not None:
            found = scope._here(name)
            if found is not None:
                return found
            scope = scope.parent
        return None


def _of_range(name: str, prefix: int, range_: tuple[ScalarType, int, int]) -> Reg | Vec | None:
    """The register of a range that the name means; `prefix` is the length of the range's name."""
    number = _number(name[prefix:])
    if number is None or number >= range_[1]:
        return None
    if name[prefix] == "0":  # %r01 is %r1
        plain = f"{name[:prefix]}{number}"
        return (
            vector(plain, range_[0], range_[2]) if range_[2] else Reg(plain, range_[0], name if name != plain else "")
        )
    return vector(name, range_[0], range_[2]) if range_[2] else Reg(name, range_[0])


def _number(digits: str) -> int | None:
    """Which register of a range is meant by what stands behind the range's name; ptxas does not look at zeros in front."""
    return int(digits) if digits.isascii() and digits.isdecimal() and len(digits) <= 9 else None
