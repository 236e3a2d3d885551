"""Literals and constant expressions of PTX, with their value and as they are written."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from math import isinf
from sys import float_info

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


def _quotient(a: int, b: int) -> int:
    """Division as in C, towards zero."""
    return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


_BINARY: list[dict[str, Callable[[int, int], int]]] = [
    {"||": lambda a, b: int(bool(a) or bool(b))},
    {"&&": lambda a, b: int(bool(a) and bool(b))},
    {"|": lambda a, b: a | b},
    {"^": lambda a, b: a ^ b},
    {"&": lambda a, b: a & b},
    {"==": lambda a, b: int(a == b), "!=": lambda a, b: int(a != b)},
    {
        "<": lambda a, b: int(a < b),
        ">": lambda a, b: int(a > b),
        "<=": lambda a, b: int(a <= b),
        ">=": lambda a, b: int(a >= b),
    },
    {"<<": lambda a, b: a << b, ">>": lambda a, b: a >> b},
    {"+": lambda a, b: a + b, "-": lambda a, b: a - b},
    {"*": lambda a, b: a * b, "/": lambda a, b: _quotient(a, b), "%": lambda a, b: a - b * _quotient(a, b)},
]
_REAL: dict[str, Callable[[float, float], float | int]] = {
    "==": lambda a, b: int(a == b),
    "!=": lambda a, b: int(a != b),
    "<": lambda a, b: int(a < b),
    ">": lambda a, b: int(a > b),
    "<=": lambda a, b: int(a <= b),
    ">=": lambda a, b: int(a >= b),
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "/": lambda a, b: a / b,
}
_SHIFTS = next(level for level, row in enumerate(_BINARY) if "<<" in row)
_UNARY: dict[str, Callable[[int], int]] = {
    "-": lambda a: -a,
    "+": lambda a: a,
    "~": lambda a: ~a,
    "!": lambda a: int(not a),
}
_CASTS = {".s64": -(1 << 63), ".u64": 0}  # and the least number of the type
_DEPTH = 64


class _Expression:
    """A constant expression in C's grammar, of integers or of numbers with a point, which do not mix."""

    def __init__(self, tokens: Sequence[str]) -> None:
        self.tokens, self.at, self.depth = tokens, 0, 0

    def peek(self) -> str:
        return self.tokens[self.at] if self.at < len(self.tokens) else ""

    def ternary(self) -> int | float:
        condition = self.binary(0)
        if self.peek() != "?":
            return condition
        self.at += 1
        first = _whole(self.ternary())
        if self.peek() != ":":
            raise ValueError("no colon")
        self.at += 1
        second = _whole(self.ternary())
        return first if _whole(condition) else second

    def binary(self, level: int) -> int | float:
        if level == len(_BINARY):
            return self.unary()
        value = self.binary(level + 1)
        while (sign := self.peek()) in _BINARY[level]:
            self.at += 1
            value = _combined(sign, level, value, self.binary(level + 1))
        return value

    def unary(self) -> int | float:
        token = self.peek()
        self.at += 1
        self.depth += 1
        if self.depth > _DEPTH:
            raise ValueError("too deep")
        if token in _UNARY:
            inner = self.unary()
            if isinstance(inner, float) and token in ("-", "+"):
                return -inner if token == "-" else inner
            return _UNARY[token](_whole(inner))
        if token == "(":
            return self.group()
        if token == "WARP_SZ":
            return 32
        found = literal(token)
        if found is None or found.float_bits == 32:
            raise ValueError("no number")
        return found.number

    def group(self) -> int | float:
        """What stands behind a parenthesis: an expression, or the type that what follows is cast to."""
        least = _CASTS.get(self.peek())
        if least is not None:
            self.at += 1
        value = 0 if least is not None else self.ternary()
        if self.peek() != ")":
            raise ValueError("no parenthesis")
        self.at += 1
        return value if least is None else (_whole(self.unary()) - least) % (1 << 64) + least


def _whole(value: int | float) -> int:
    if isinstance(value, float):
        raise ValueError("no integer")
    return value


def _combined(sign: str, level: int, a: int | float, b: int | float) -> int | float:
    if isinstance(a, float) and isinstance(b, float) and sign in _REAL:
        return _REAL[sign](a, b)
    left, right = _whole(a), _whole(b)
    if abs(left) >> 64 or abs(right) >> 64 or (level == _SHIFTS and not 0 <= right < 64):
        raise ValueError("too large")
    return _BINARY[level][sign](left, right)


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
    return Imm(value, "".join("% " if t == "%" else t for t in tokens))  # `%100` would be a register's name
