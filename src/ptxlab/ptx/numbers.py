"""Literals and constant expressions of PTX, with their value and as they are written."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Sequence
from math import isinf
from sys import float_info
from typing import Any, NamedTuple

from ptxlab.isa.operands import Imm

_INT = re.compile(r"0[xX][0-9A-Fa-f]+U?|0[bB][01]+U?|0[0-7]*U?|[1-9]\d*U?", re.ASCII)
_FLOAT = re.compile(r"\d+\.\d*(?:[eE][+-]?\d+)?|\.\d+(?:[eE][+-]?\d+)?|\d+[eE][+-]?\d+", re.ASCII)
_BITS = re.compile(r"0[fF][0-9A-Fa-f]{8}|0[dD][0-9A-Fa-f]{16}", re.ASCII)
_LIMIT = 80  # characters of an integer literal: far more than 64 bits need, far less than what makes int() slow


def literal(token: str) -> Imm | None:
    """A number token as an immediate; None when it is no number, or one that ptxas calls a constant overflow."""
    if not token or len(token) > _LIMIT or not (token[0].isdigit() or token[0] == "."):
        return None
    if _BITS.fullmatch(token):
        return Imm(int(token[2:], 16), token, 4 * (len(token) - 2))
    if _INT.fullmatch(token):
        value = _integer(token.rstrip("U"))
        return None if value is None else Imm(value, token)
    value = float(token) if _FLOAT.fullmatch(token) else None
    return None if value is None or _no_double(value, token) else Imm(value, token)


def _integer(text: str) -> int | None:
    if text[:2] in ("0x", "0X"):
        return _fitting(text[2:], 16)
    if text[:2] in ("0b", "0B"):
        return _fitting(text[2:], 2)
    return _fitting(text, 8 if text[0] == "0" else 10)


def _fitting(digits: str, base: int) -> int | None:
    """64 bits of what digits say; None where ptxas refuses them: another digit follows when the topmost bit is taken."""
    value = int(digits, base)
    if value >> 63 == 0:
        return value
    held = 0
    for digit in digits:
        if held >> 63:
            return None
        held = (held * base + int(digit, base)) % (1 << 64)
    return held


def _no_double(value: float, token: str) -> bool:
    """Whether a number has no normal double: it is too large, or too close to 0."""
    return isinf(value) or (
        abs(value) < float_info.min and not set("123456789").isdisjoint(token.lower().split("e")[0])
    )


class _Int(NamedTuple):
    """An integer of 64 bits in a constant expression: .s64, or .u64 where it is written with a U or needs all bits."""

    value: int
    unsigned: bool = False


def _wrapped(value: int, unsigned: bool) -> _Int:
    """64 bits of a value, read as .u64 or .s64."""
    value %= 1 << 64
    return _Int(value if unsigned or value < 1 << 63 else value - (1 << 64), unsigned)


def _quotient(a: int, b: int) -> int:
    """Division as in C, towards zero."""
    return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


_COMPARED: dict[str, Callable[[Any, Any], bool]] = {
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    ">": operator.gt,
    "<=": operator.le,
    ">=": operator.ge,
}
_COMPUTED: dict[str, Callable[[int, int], int]] = {
    "|": lambda a, b: a | b,
    "^": lambda a, b: a ^ b,
    "&": lambda a, b: a & b,
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": _quotient,
}
_REAL: dict[str, Callable[[float, float], float]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": lambda a, b: a / b,
}
_BINARY = (
    ("||",),
    ("&&",),
    ("|",),
    ("^",),
    ("&",),
    ("==", "!="),
    ("<", ">", "<=", ">="),
    ("<<", ">>"),
    ("+", "-"),
    ("*", "/", "%"),
)
"""Operators by precedence, the weakest first."""
_CASTS = {".s64": False, ".u64": True}
_DEPTH = 64


class _Expression:
    """A constant expression in C's grammar, of integers or of numbers with a point, which do not mix."""

    def __init__(self, tokens: Sequence[str]) -> None:
        self.tokens, self.at, self.depth = tokens, 0, 0

    def peek(self) -> str:
        return self.tokens[self.at] if self.at < len(self.tokens) else ""

    def ternary(self) -> _Int | float:
        condition = self.binary(0)
        if self.peek() != "?":
            return condition
        self.at += 1
        first = _whole(self.ternary())
        if self.peek() != ":":
            raise ValueError("no colon")
        self.at += 1
        second = _whole(self.ternary())
        return first if _whole(condition).value else second

    def binary(self, level: int) -> _Int | float:
        if level == len(_BINARY):
            return self.unary()
        value = self.binary(level + 1)
        while (sign := self.peek()) in _BINARY[level]:
            self.at += 1
            value = _combined(sign, value, self.binary(level + 1))
        return value

    def unary(self) -> _Int | float:
        token = self.peek()
        self.at += 1
        self.depth += 1
        if self.depth > _DEPTH:
            raise ValueError("too deep")
        if token in ("-", "+", "~", "!"):
            return _signed(token, self.unary())
        if token == "(":
            return self.group()
        if token == "WARP_SZ":
            return _Int(32)
        found = literal(token)
        if found is None or found.float_bits == 32:
            raise ValueError("no number")
        number = found.number
        return number if isinstance(number, float) else _Int(number, number >> 63 != 0 or token[-1] == "U")

    def group(self) -> _Int | float:
        """What stands behind a parenthesis: an expression, or the type that what follows is cast to."""
        unsigned = _CASTS.get(self.peek())
        if unsigned is not None:
            self.at += 1
        value = _Int(0) if unsigned is not None else self.ternary()
        if self.peek() != ")":
            raise ValueError("no parenthesis")
        self.at += 1
        return value if unsigned is None else _wrapped(_whole(self.unary()).value, unsigned)


def _whole(value: _Int | float) -> _Int:
    if isinstance(value, _Int):
        return value
    raise ValueError("no integer")


def _signed(sign: str, value: _Int | float) -> _Int | float:
    """A sign in front of a value."""
    if not isinstance(value, _Int) and sign in ("-", "+"):
        return -value if sign == "-" else value
    inner = _whole(value)
    if sign == "!":
        return _Int(int(not inner.value))
    if sign == "~":
        return _wrapped(~inner.value, True)
    return _wrapped(-inner.value, inner.unsigned) if sign == "-" else inner


def _combined(sign: str, a: _Int | float, b: _Int | float) -> _Int | float:
    """Two values and what stands between them. Integers wrap; of a shift's count six bits matter."""
    if not isinstance(a, _Int) and not isinstance(b, _Int):
        if sign in _COMPARED:
            return _Int(int(_COMPARED[sign](a, b)))
        if sign in _REAL:
            return _REAL[sign](a, b)
    left, right = _whole(a), _whole(b)
    if sign in ("||", "&&"):
        either = (bool(left.value), bool(right.value))
        return _Int(int(any(either) if sign == "||" else all(either)))
    if sign in ("<<", ">>"):
        count = right.value % 64
        return _wrapped(left.value << count if sign == "<<" else left.value >> count, left.unsigned)
    unsigned = sign == "%" or left.unsigned or right.unsigned
    x, y = _wrapped(left.value, unsigned).value, _wrapped(right.value, unsigned).value
    if sign in _COMPARED:
        return _Int(int(_COMPARED[sign](x, y)))
    return _wrapped(x % y if sign == "%" else _COMPUTED[sign](x, y), unsigned)


def _is_name(token: str) -> bool:
    """Whether a token is a name, which no constant expression has; `%` alone is a sign, WARP_SZ a number."""
    first = token[:1]
    return (first.isalpha() or first in "_$" or (first == "%" and token != "%")) and token != "WARP_SZ"


def expression(tokens: Sequence[str]) -> Imm | None:
    """A literal, a negated literal, WARP_SZ or a constant expression; None when it is none of these.

    0f… has no sign and stands in no expression; 0d… may have one, which keeps the payload of a NaN.
    """
    if len(tokens) == 1:
        return Imm(32, "WARP_SZ") if tokens[0] == "WARP_SZ" else literal(tokens[0])
    if len(tokens) == 2 and tokens[0] == "-" and (one := literal(tokens[1])) is not None and one.float_bits == 64:
        return Imm(int(one.value) ^ (1 << 63), "-" + one.text, 64)
    if any(_is_name(t) for t in tokens):
        return None
    reader = _Expression(tokens)
    try:
        value = reader.ternary()
    except (ValueError, ZeroDivisionError, OverflowError):
        return None
    if reader.at != len(tokens):
        return None
    number = value.value if isinstance(value, _Int) else value
    return Imm(number, "".join("% " if t == "%" else t for t in tokens))  # `%100` would be a register's name
