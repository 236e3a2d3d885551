"""Terms: the conditions and quantities in a row, as data that can be evaluated, printed and negated.

A term evaluates against an instance (its modifiers and operands) to a value or to UNKNOWN, e.g. when an operand is a
register. UNKNOWN never reports.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Iterable
from typing import Any, Protocol


class _Unknown:
    def __repr__(self) -> str:
        return "unknown"

    def __bool__(self) -> bool:
        raise TypeError("UNKNOWN is neither true nor false; compare with `is UNKNOWN`")


UNKNOWN: Any = _Unknown()


class Facts(Protocol):
    """What a term may ask of an instance."""

    def mod(self, name: str) -> str | None: ...
    def operand_value(self, name: str) -> Any: ...
    def present(self, name: str) -> bool: ...
    def chosen(self, name: str) -> bool: ...
    def declared(self, name: str) -> Any: ...


def lift(value: object) -> Term:
    """A Python value as a term; terms stay as they are."""
    return value if isinstance(value, Term) else Const(value)


class Term:
    """Base of all terms; operators build larger ones. `==` builds a term, so terms are compared by `str`."""

    __hash__ = object.__hash__

    def __bool__(self) -> bool:
        raise TypeError(f"the term {self} is neither true nor false before it is evaluated")

    def eval(self, facts: Facts) -> Any:
        raise NotImplementedError

    def conjuncts(self) -> list[Term]:
        """The parts that must all hold."""
        return [self]

    def __eq__(self, other: object) -> Term:  # type: ignore[override]
        return Binary("==", self, lift(other))

    def __ne__(self, other: object) -> Term:  # type: ignore[override]
        return Binary("!=", self, lift(other))

    def __lt__(self, other: object) -> Term:
        return Binary("<", self, lift(other))

    def __le__(self, other: object) -> Term:
        return Binary("<=", self, lift(other))

    def __gt__(self, other: object) -> Term:
        return Binary(">", self, lift(other))

    def __ge__(self, other: object) -> Term:
        return Binary(">=", self, lift(other))

    def __add__(self, other: object) -> Term:
        return Binary("+", self, lift(other))

    def __sub__(self, other: object) -> Term:
        return Binary("-", self, lift(other))

    def __mul__(self, other: object) -> Term:
        return Binary("*", self, lift(other))

    def __floordiv__(self, other: object) -> Term:
        return Binary("//", self, lift(other))

    def __mod__(self, other: object) -> Term:
        return Binary("%", self, lift(other))

    def __and__(self, other: object) -> Term:
        return And(self, lift(other))

    def __or__(self, other: object) -> Term:
        return Or(self, lift(other))

    def __invert__(self) -> Term:
        return Negation(self)

    def implies(self, other: object) -> Term:
        """If this holds, the other must."""
        return Or(Negation(self), lift(other))

    def in_(self, *values: object) -> Term:
        """Whether the value is one of those given."""
        return Among(self, values)

    def map(self, table: dict[Any, Any]) -> Term:
        """The value looked up in a table; UNKNOWN where the table has none."""
        return Lookup(self, table)

    def where(self, holds: object, otherwise: object) -> Term:
        """One value where this holds, another where it does not."""
        return Where(self, lift(holds), lift(otherwise))

    def field(self, letter: str) -> Term:
        """The number behind a letter of a shape such as m64n256k16."""
        return ShapeField(self, letter)


class Const(Term):
    """A constant."""

    def __init__(self, value: object) -> None:
        self.value = value

    def eval(self, facts: Facts) -> Any:
        return self.value

    def __str__(self) -> str:
        return str(self.value)


class Mod(Term):
    """The chosen value of a modifier, None when it is left out."""

    def __init__(self, name: str) -> None:
        self.name = name

    def eval(self, facts: Facts) -> Any:
        return facts.mod(self.name)

    def __str__(self) -> str:
        return f".{self.name}"


class Op(Term):
    """The value of an immediate operand, a tuple of them for one in braces; UNKNOWN for a register, None when it is left out."""

    def __init__(self, name: str) -> None:
        self.name = name

    def eval(self, facts: Facts) -> Any:
        return facts.operand_value(self.name)

    def item(self, index: int) -> Term:
        """The value of one element of an operand in braces."""
        return Item(self, index)

    def __str__(self) -> str:
        return self.name


class Item(Term):
    """The value of an immediate among the elements of an operand; UNKNOWN for a register, or where there is none."""

    def __init__(self, whole: Op, index: int) -> None:
        self.whole, self.index = whole, index

    def eval(self, facts: Facts) -> Any:
        values: Any = self.whole.eval(facts)
        return values[self.index] if isinstance(values, tuple) and len(values) > self.index else UNKNOWN  # pyright: ignore

    def __str__(self) -> str:
        return f"element {self.index} of {self.whole}"


class Present(Term):
    """Whether an optional operand is given."""

    def __init__(self, name: str) -> None:
        self.name = name

    def eval(self, facts: Facts) -> Any:
        return facts.present(self.name)

    def __str__(self) -> str:
        return f"{self.name} is given"


_OPS: dict[str, Callable[[Any, Any], Any]] = {
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "//": lambda a, b: a // b,
    "%": operator.mod,
}


class Binary(Term):
    """Two terms joined by an arithmetic or comparing operator."""

    def __init__(self, op: str, left: Term, right: Term) -> None:
        self.op, self.left, self.right = op, left, right

    def eval(self, facts: Facts) -> Any:
        a, b = self.left.eval(facts), self.right.eval(facts)
        if a is UNKNOWN or b is UNKNOWN:
            return UNKNOWN
        if (a is None or b is None) and self.op not in ("==", "!="):
            return UNKNOWN
        return _OPS[self.op](a, b)

    def __str__(self) -> str:
        return f"{self.left} {self.op} {self.right}"


class And(Term):
    """Both hold; false wins over unknown."""

    def __init__(self, left: Term, right: Term) -> None:
        self.left, self.right = left, right

    def eval(self, facts: Facts) -> Any:
        a = self.left.eval(facts)
        if a is False:
            return False
        b = self.right.eval(facts)
        if b is False:
            return False
        return UNKNOWN if a is UNKNOWN or b is UNKNOWN else True

    def conjuncts(self) -> list[Term]:
        return self.left.conjuncts() + self.right.conjuncts()

    def __str__(self) -> str:
        return f"{self.left} and {self.right}"


class Or(Term):
    """One holds; true wins over unknown."""

    def __init__(self, left: Term, right: Term) -> None:
        self.left, self.right = left, right

    def eval(self, facts: Facts) -> Any:
        a = self.left.eval(facts)
        if a is True:
            return True
        b = self.right.eval(facts)
        if b is True:
            return True
        return UNKNOWN if a is UNKNOWN or b is UNKNOWN else False

    def __str__(self) -> str:
        if isinstance(self.left, Negation):
            return f"if {self.left.inner} then {self.right}"
        return f"({self.left} or {self.right})"


class Negation(Term):
    """The inner term does not hold."""

    def __init__(self, inner: Term) -> None:
        self.inner = inner

    def eval(self, facts: Facts) -> Any:
        value = self.inner.eval(facts)
        return UNKNOWN if value is UNKNOWN else not value

    def __str__(self) -> str:
        return f"not ({self.inner})"


def _holds(allowed: Any, value: object) -> bool:
    """Whether an allowed value, or an allowed range, covers the value."""
    if hasattr(allowed, "__contains__") and not isinstance(allowed, str):
        return value in allowed
    return allowed == value


class Among(Term):
    """The value is one of a list; a list entry may be a range."""

    def __init__(self, inner: Term, values: Iterable[object]) -> None:
        self.inner, self.values = inner, tuple(values)

    def eval(self, facts: Facts) -> Any:
        value = self.inner.eval(facts)
        return UNKNOWN if value is UNKNOWN else any(_holds(v, value) for v in self.values)

    def __str__(self) -> str:
        return f"{self.inner} in {{{', '.join(map(str, self.values))}}}"


class Lookup(Term):
    """The value found in a table."""

    def __init__(self, inner: Term, table: dict[Any, Any]) -> None:
        self.inner, self.table = inner, table

    def eval(self, facts: Facts) -> Any:
        value = self.inner.eval(facts)
        return UNKNOWN if value is UNKNOWN else self.table.get(value, UNKNOWN)

    def __str__(self) -> str:
        return f"{self.inner} as {self.table}"


class Where(Term):
    """One term's value where a condition holds, another's where it does not."""

    def __init__(self, condition: Term, holds: Term, otherwise: Term) -> None:
        self.condition, self.holds, self.otherwise = condition, holds, otherwise

    def eval(self, facts: Facts) -> Any:
        value = self.condition.eval(facts)
        if value is UNKNOWN:
            return UNKNOWN
        return (self.holds if value else self.otherwise).eval(facts)

    def __str__(self) -> str:
        return f"({self.holds} where {self.condition}, else {self.otherwise})"


class ShapeField(Term):
    """The number behind a letter of a shape."""

    def __init__(self, inner: Term, letter: str) -> None:
        self.inner, self.letter = inner, letter

    def eval(self, facts: Facts) -> Any:
        value = self.inner.eval(facts)
        if not isinstance(value, str):
            return UNKNOWN
        found = re.search(rf"{self.letter}(\d+)", value)
        return int(found.group(1)) if found else UNKNOWN

    def __str__(self) -> str:
        return f"{self.letter.upper()} of {self.inner}"


class Chosen(Term):
    """Whether a modifier is written out, whatever its default."""

    def __init__(self, name: str) -> None:
        self.name = name

    def eval(self, facts: Facts) -> Any:
        return facts.chosen(self.name)

    def __str__(self) -> str:
        return f".{self.name} is given"


class Declared(Term):
    """Whether registers of an operand are declared with types of one of these kinds."""

    def __init__(self, name: str, kinds: str) -> None:
        self.name, self.kinds = name, kinds

    def eval(self, facts: Facts) -> Any:
        found = facts.declared(self.name)
        return UNKNOWN if found is UNKNOWN else any(kind in self.kinds for kind in found)

    def __str__(self) -> str:
        return f"{self.name} is declared as {' or '.join(_KINDS[kind] for kind in self.kinds)}"


_KINDS = {"u": "unsigned", "s": "signed", "f": "floating-point"}


def declared(name: str, kinds: str) -> Term:
    """Whether a register of the operand `name` is declared with a type of one of these kinds, as ScalarType has them."""
    return Declared(name, kinds)


def chosen(name: str) -> Term:
    """Whether the modifier `name` is written out."""
    return Chosen(name)


def mod(name: str) -> Term:
    """The value of the modifier `name`: as written, else its default, else None."""
    return Mod(name)


def op(name: str) -> Op:
    """The value of the immediate operand `name`."""
    return Op(name)


def present(name: str) -> Term:
    """Whether the operand `name` is given."""
    return Present(name)
