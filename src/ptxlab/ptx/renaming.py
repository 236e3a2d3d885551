"""How the names of blocks become those of a program, where each register, variable and label has a name of its own."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from operator import is_
from typing import Protocol

from ptxlab.isa.operands import (
    Addr,
    Element,
    Label,
    Minus,
    Not,
    Operand,
    Pair,
    Params,
    Part,
    Raw,
    Reg,
    Sum,
    Symbol,
    Vec,
)


class Known(Protocol):
    """Names that a program must leave alone."""

    def __contains__(self, name: str) -> bool: ...


class Names:
    """How the names of a block are called in the program."""

    __slots__ = ("hiding", "labels", "names", "parent", "prefixes")

    def __init__(self, parent: Names | None) -> None:
        self.parent = parent
        self.names: dict[str, str] = {}
        self.prefixes: dict[str, tuple[str, int]] = {}  # of register ranges: prefix → suffix of their new names, count
        self.labels: dict[str, str] = {}
        self.hiding: set[str] = (
            set()
        )  # labels so far with the name of something else, which means the label from there on

    def hidden(self, name: str) -> str | None:
        """The label that hides a special register or a variable; None when there is none."""
        whole = name.partition(".")[0]
        scope: Names | None = self
        while scope is not None:
            if whole in scope.hiding:
                return whole
            scope = scope.parent
        return None

    def register(self, name: str) -> str:
        """The name of a register or variable in the program."""
        if "." in name:
            whole, _, element = name.partition(".")
            return f"{self.register(whole)}.{element}"
        scope: Names | None = self
        while scope is not None:
            if name in scope.names:
                return scope.names[name]
            if scope.prefixes:
                for prefix, number in _splits(name):
                    suffix, count = scope.prefixes.get(prefix, ("", 0))
                    if number < count:
                        return name + suffix
            scope = scope.parent
        return name

    def label(self, name: str) -> str | None:
        """The name of a label in the program; None when there is none."""
        scope: Names | None = self
        while scope is not None:
            if name in scope.labels:
                return scope.labels[name]
            scope = scope.parent
        return None


class Taken:
    """The names of a program: those of its functions must not meet."""

    def __init__(self, globals: Known) -> None:
        self.globals = globals
        self.taken: set[str] = set()
        self.ranges: dict[str, int] = {}  # prefix → count
        self.numbered: dict[
            str, list[str]
        ] = {}  # names that end in digits, and prefixes of ranges, without their digits
        self.count = 0

    def unique(self, name: str) -> str:
        """A name that the program does not have yet, in a range of registers or by itself."""
        in_range = any(number < self.ranges.get(prefix, 0) for prefix, number in _splits(name))
        return name + self._suffix(name, name in self.taken or in_range or name in self.globals)

    def unique_range(self, prefix: str, count: int) -> str:
        """A suffix for the names of a range of registers, "" where the program has none of them yet."""
        stem = prefix.rstrip(_DIGITS)
        met = prefix in self.ranges or any(
            # a range whose prefix ends in digits may meet others of its stem
            (name in self.ranges and stem != prefix) or any(p == prefix and n < count for p, n in _splits(name))
            for name in self.numbered.get(stem, ())
        )
        suffix = self._suffix(prefix, met)
        if not suffix:
            self.ranges[prefix] = count
        return suffix

    def _suffix(self, name: str, met: bool) -> str:
        if met:
            self.count += 1
            return f"#{self.count}"
        self.taken.add(name)
        self.numbered.setdefault(name.rstrip(_DIGITS), []).append(name)
        return ""


_DIGITS = "0123456789"


def _splits(name: str) -> Iterator[tuple[str, int]]:
    """Prefixes and numbers that a register of a range may be made of."""
    for at in range(len(name.rstrip(_DIGITS)), len(name)):
        if name[at] != "0" or at == len(name) - 1:
            yield name[:at], int(name[at:])


def mapped(operand: Operand, scope: Names) -> Operand:
    """The operand with the program's names; itself where they are its own."""
    match operand:
        case Reg():
            name = scope.register(operand.name)
            return operand if name == operand.name else Reg(name, operand.type)
        case Symbol():
            name = scope.register(operand.name)
            if name == operand.name:
                return operand
            # not by `replace`, which takes ten times as long: every parameter of a call in a scope of its own comes here
            return Symbol(
                name,
                operand.space,
                operand.offset,
                align=operand.align,
                size=operand.size,
                written=operand.written,
                element=operand.element,
                indexed=operand.indexed,
                given=operand.given,
            )
        case Element():
            index = Reg(scope.register(operand.index.name), operand.index.type)
            return replace(operand, base=mapped(operand.base, scope), index=index)  # type: ignore[arg-type]
        case Addr():
            base = mapped(operand.base, scope)
            coords = mapped(operand.coords, scope) if operand.coords is not None else None
            between = all_mapped(operand.between, scope)
            if base is operand.base and coords is operand.coords and between is operand.between:
                return operand
            return Addr(base, operand.offset, coords, operand.written, operand.unified, between)  # type: ignore[arg-type]
        case Vec():
            items = all_mapped(operand.items, scope)
            return operand if items is operand.items else replace(operand, items=items)
        case Params():
            items = all_mapped(operand.items, scope)
            return operand if items is operand.items else Params(items)
        case Pair():
            return Pair(mapped(operand.first, scope), mapped(operand.second, scope))
        case Not():
            return Not(Reg(scope.register(operand.reg.name), operand.reg.type))
        case Part():
            return Part(Reg(scope.register(operand.reg.name), operand.reg.type), operand.which)
        case Sum():
            return Sum(Reg(scope.register(operand.reg.name), operand.reg.type), operand.offset, operand.written)
        case Minus():
            return Minus(mapped(operand.of, scope))  # type: ignore[arg-type]
        case Label():
            name = scope.label(operand.name) or operand.name
            return operand if name == operand.name else Label(name)
        case Raw():
            return Raw(operand.text, tuple(Reg(scope.register(r.name), r.type) for r in operand.registers))
        case _:
            return operand


def all_mapped(operands: tuple[Operand, ...], scope: Names) -> tuple[Operand, ...]:
    """Operands with the program's names; the same tuple where they are its own."""
    made = tuple([mapped(o, scope) for o in operands])
    return operands if all(map(is_, made, operands)) else made
