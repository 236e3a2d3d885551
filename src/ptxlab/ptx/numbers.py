"""Literals and constant expressions of PTX, with their value and as they are written."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from ptxlab.isa.operands import Imm

_INT = re.compile(r"0[xX][0-9A-Fa-f]+U?|0[bB][01]+U?|\d+U?", re.ASCII)
_FLOAT = re.compile(r"\d+\.\d*(?:[eE][+-]?\d+)?|\d+[eE][+-]?\d+", re.ASCII)
_BITS = re.compile(r"0[fF][0-9A-Fa-f]{8}|0[dD][0-9A-Fa-f]{16}", re.ASCII)
_LIMIT = 80  # characters of an integer literal: far more than 64 bits need, far less than what makes int() slow


def literal(token: str) -> Imm | None:
    """A number token as an immediate; None when it is no number."""
    if not token or not token[0].isdigit() or len(token) > _LIMIT:
        return None
    if _BITS.fullmatch(token):
        return Imm(int(token[2:], 16), token, 4 * (len(token) - 2))
    if _INT.fullmatch(token):
        return Imm(_integer(token.rstrip("U")), token)
    return Imm(float(token), token) if _FLOAT.fullmatch(token) else None


def _integer(text: str) -> int:
    if text[:2] in ("0x", "0X"):
        return int(text, 16)
    if text[:2] in ("0b", "0B"):
        return int(text, 2)
    # A leading zero means octal; 08 and 09 are no octal numbers, and ptxas reads them as decimal.
    octal = len(text) > 1 and text[0] == "0" and not set(text) & set("89")
    return int(text, 8 if octal else 10)


def negated(imm: Imm) -> Imm:
    """-literal."""
    if imm.float_bits:
        return Imm(imm.value ^ (1 << (imm.float_bits - 1)), "-" + imm.text, imm.float_bits)  # type: ignore[operator]
    return Imm(-imm.value, "-" + imm.text)


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
_DEPTH = 64


class _Expression:
    """A constant integer expression in C's grammar."""

    def __init__(self, tokens: Sequence[str]) -> None:
        self.tokens, self.at, self.depth = tokens, 0, 0

    def peek(self) -> str:
        return self.tokens[self.at] if self.at < len(self.tokens) else ""

    def ternary(self) -> int:
        condition = self.binary(0)
        if self.peek() != "?":
            return condition
        self.at += 1
        first = self.ternary()
        if self.peek() != ":":
            raise ValueError("no colon")
        self.at += 1
        second = self.ternary()
        return first if condition else second

    def binary(self, level: int) -> int:
        if level == len(_BINARY):
            return self.unary()
        value = self.binary(level + 1)
        while (apply := _BINARY[level].get(self.peek())) is not None:
            self.at += 1
            other = self.binary(level + 1)
            if abs(value) >> 64 or abs(other) >> 64 or (level == 7 and not 0 <= other < 64):
                raise ValueError("too large")
            value = apply(value, other)
        return value

    def unary(self) -> int:
        token = self.peek()
        self.at += 1
        self.depth += 1
        if self.depth > _DEPTH:
            raise ValueError("too deep")
        if token in ("-", "+", "~", "!"):
            inner = self.unary()
            return {"-": -inner, "+": inner, "~": ~inner, "!": int(not inner)}[token]
        if token == "(":
            value = self.ternary()
            if self.peek() != ")":
                raise ValueError("no parenthesis")
            self.at += 1
            return value
        if token == "WARP_SZ":
            return 32
        found = literal(token)
        if found is None or found.float_bits or not isinstance(found.value, int):
            raise ValueError("no integer")
        return found.value


def expression(tokens: Sequence[str]) -> Imm | None:
    """A literal, a negated literal, WARP_SZ or a constant integer expression; None when it is none of these."""
    if len(tokens) == 1 and (one := literal(tokens[0])) is not None:
        return one
    if len(tokens) == 2 and tokens[0] == "-" and (one := literal(tokens[1])) is not None:
        return negated(one)
    reader = _Expression(tokens)
    try:
        value = reader.ternary()
    except (ValueError, ZeroDivisionError, OverflowError):
        return None
    if reader.at != len(tokens):
        return None
    return Imm(value, "".join("% " if t == "%" else t for t in tokens))  # `%100` would be a register's name
