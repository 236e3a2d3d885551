"""Operands: from text or tokens to the classes that rows understand."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache

from ptxlab.diag import Diagnostic
from ptxlab.isa.operands import (
    Addr,
    Element,
    Imm,
    Label,
    Minus,
    Not,
    Operand,
    Pair,
    Params,
    Part,
    Raw,
    Reg,
    Sink,
    Sreg,
    Sum,
    Symbol,
    Vec,
)
from ptxlab.isa.sregs import SPELLINGS, SREGS, VECTORS
from ptxlab.ptx.lexer import tokens
from ptxlab.ptx.numbers import expression, literal
from ptxlab.ptx.scope import Scope

_OPEN = {"{": "}", "[": "]", "(": ")"}
_SINK = Sink()
SUMMED = (16, 32, 64)
"""Bits of registers to which ptxas adds a number that stands behind them."""


class Undeclared(Exception):
    """A name that nothing declares; `register` tells whether it looks like a register, `vector` is the one whose element it is."""

    def __init__(self, name: str, register: bool, vector: Vec | None = None) -> None:
        super().__init__(name)
        self.name, self.register, self.vector = name, register, vector

    def diagnostic(self) -> Diagnostic:
        """What is wrong, without a place."""
        if self.vector is not None:
            fields = [f".{str(item).rpartition('.')[2]}" for item in self.vector.items]
            return Diagnostic(
                "PTX0010",
                f"`{self.name}` is no element of the vector register `{self.vector.written}`, which has {len(fields)}",
                help=f"its elements are {', '.join(fields[:-1])} and {fields[-1]}; ptxas takes others in some places, "
                "where they hold nothing, and dies of them elsewhere",
            )
        code, what = ("PTX0010", "register") if self.register else ("PTX0011", "variable or parameter")
        return Diagnostic(code, f"no {what} `{self.name}` is declared here", help="declare it in front of its use")


def split(parts: Sequence[str]) -> list[list[str]]:
    """Tokens at the commas that stand outside of brackets."""
    out: list[list[str]] = [[]]
    depth = 0
    for token in parts:
        if token == "," and depth == 0:
            out.append([])
            continue
        if token in "{[(" and token:
            depth += 1
        elif token in "}])" and token:
            depth -= 1
        out[-1].append(token)
    return out


# The operands that compilers write, in the very spelling that prints them; all others go through tokens.
_ADDRESS = re.compile(r"\[([%\w$]++)(?:\+(-?[1-9]\d{0,9}))?\]", re.ASCII)
_WORD = re.compile(r"[A-Za-z_$]\w*+", re.ASCII)
_APART = re.compile(r"[\w$] \.[xyzwrgba]\b", re.ASCII)  # `%tid .x`: one word
_INTEGER = re.compile(r"-?(?:0|[1-9]\d{0,19})", re.ASCII)


@lru_cache(maxsize=1 << 16)
def _literal(text: str) -> Imm | None:
    if len(text) < 19 and _INTEGER.fullmatch(text):
        return Imm(int(text), text)
    return literal(text)


def from_text(text: str, scope: Scope) -> Operand | None:
    """The operand that prints as this very text; None when it has another spelling. Raises Undeclared."""
    if not text:
        return None
    first = text[0]
    if first == "[":
        found = _ADDRESS.fullmatch(text)
        if found is not None:
            base = scope.memo.get(found[1]) or scope.find(found[1])
            if isinstance(base, Reg | Symbol):
                return Addr(base, int(found[2] or 0))
    elif first == "{":
        items = tuple([scope.memo.get(t) or scope.find(t) for t in text[1:-1].split(", ")])
        if None not in items:
            return Vec(items)  # type: ignore[arg-type]
    elif first == "(" and text[-1] == ")":
        items = tuple([scope.memo.get(t) or scope.find(t) for t in text[1:-1].split(", ")])
        if all(isinstance(i, Reg | Symbol) for i in items):
            return Params(items)  # type: ignore[arg-type]
    else:
        word = _new_word(text, scope) if _WORD.fullmatch(text) else scope.find(text) or _literal(text)
        if word is not None:
            return word
    made = from_tokens(tokens(text), scope)
    return made if str(made) == text and not _APART.search(text) else None


def from_tokens(parts: Sequence[str], scope: Scope) -> Operand:
    """The operand that these tokens make; Raw when it is nothing that a row takes. Raises Undeclared."""
    if not parts:
        return Raw("")
    first = parts[0]
    if len(parts) == 1:
        return _word(first, scope)
    if first == "[" and parts[-2:] == ["]", ".unified"]:
        place = _address(parts[1:-2], scope)
        return replace(place, unified=True) if place is not None else _raw(parts, scope)
    if first in _OPEN and parts[-1] == _OPEN[first] and first != "(":
        inner = parts[1:-1]
        made = _address(inner, scope) if first == "[" else _vector(inner, scope)
        return made if made is not None else _raw(parts, scope)
    if first == "!" and len(parts) == 2:
        reg = _word(parts[1], scope)
        if not isinstance(reg, Reg | Imm):
            return _raw(parts, scope)
        if isinstance(reg, Reg):
            return Not(reg)
    if first == "-" and len(parts) == 2 and isinstance(of := _part(parts[1], scope), Reg | Part):
        return Minus(of)
    if len(parts) > 2 and parts[-2] == "|" and not first[0].isdigit() and (len(parts) == 3 or first == "{"):
        return Pair(from_tokens(parts[:-2], scope), _word(parts[-1], scope))
    number = expression(parts)
    if number is not None:
        return number
    if first == "(" and parts[-1] == ")":
        return _list(parts[1:-1], scope)
    offset = _offset(parts[1:])
    if offset is not None:
        base = _word(first, scope)
        if isinstance(base, Symbol):
            return replace(base, offset=offset.value, written=_written(offset))  # type: ignore[arg-type]
        if isinstance(base, Reg) and base.type.kind in "bus" and base.type.bits in SUMMED:
            return Sum(base, offset.value, _written(offset))  # type: ignore[arg-type]
    return _indexed(parts, scope) or _raw(parts, scope)


def _indexed(parts: Sequence[str], scope: Scope) -> Symbol | Element | None:
    """An element of an array: `array[4]`, `array[%r1]`, `array[%r1+4]`."""
    base = scope.find(parts[0])
    if not isinstance(base, Symbol) or not base.element or parts[1] != "[" or parts[-1] != "]":
        return None
    register = scope.find(parts[2])
    if isinstance(register, Reg):
        if "." in parts[2]:
            return None
        offset = _offset(parts[3:-1])
        if register.type.kind not in "bus" or register.type.bits > 64 or (offset is None and len(parts) > 4):
            return None
        return Element(base, register, offset.value, _written(offset)) if offset else Element(base, register)  # type: ignore[arg-type]
    index = expression(parts[2:-1])
    if index is None or not isinstance(index.value, int) or index.float_bits:
        return None
    return replace(base, offset=index.value * base.element, written=f"[{index}]", indexed=True)


def as_list(operand: Operand) -> Operand:
    """What stands in parentheses in a call: a list, though it were a number in an expression."""
    if not isinstance(operand, Imm) or operand.text[:1] != "(" or operand.text[-1:] != ")":
        return operand
    inner = expression(tokens(operand.text[1:-1]))
    return operand if inner is None else Params((inner,))


def _raw(parts: Sequence[str], scope: Scope) -> Raw:
    named = [scope.find(token.partition(".")[0]) for token in parts]
    return Raw(" ".join(parts), tuple(dict.fromkeys(r for r in named if isinstance(r, Reg))))


def _word(token: str, scope: Scope) -> Operand:
    known = scope.memo.get(token)
    if known is None:
        known = scope.memo[token] = _new_word(token, scope)
    return known


def _hidden(token: str, scope: Scope) -> bool:
    """Whether a name of the module's own stands in front of a field of a special register: `%tid` for `%tid.x`."""
    stem, dot, _ = token.partition(".")
    return bool(dot) and scope.find(stem) is not None


def _new_word(token: str, scope: Scope) -> Operand:
    if token == "_":
        return _SINK
    found = scope.find(token)
    if found is not None:
        return found
    if token[0] == "$" and "." not in token:
        return Label(token)
    special = SREGS.get(SPELLINGS.get(token, token))
    if special is not None and not _hidden(token, scope):
        return Sreg(special.name, special.type, "" if special.name == token else token)
    if token in VECTORS:
        return Vec(tuple(Sreg(name, SREGS[name].type) for name in VECTORS[token]), written=token)
    number = expression((token,))
    if number is not None:
        return number
    stem, dot, _ = token.partition(".")
    whole = scope.find(stem) if dot or token[0] == "%" else None
    if token[0] == "%" and whole is None:
        raise Undeclared(token, True)
    if isinstance(whole, Vec) and dot:
        raise Undeclared(token, True, whole)
    if (part := _part(token, scope)) is not None:
        return part
    if token[0].isalpha() or token[0] in "_$":
        return _raw((token,), scope) if "." in token else Label(token)
    return _raw((token,), scope)


_PART = re.compile(r"(.+)\.([bh][0-9]{1,4})")


def _part(token: str, scope: Scope) -> Operand | None:
    """A register, or bytes or halves of one; None for anything else."""
    found = _PART.fullmatch(token)
    if found is None:
        return scope.find(token)
    base = scope.find(found[1])
    return Part(base, found[2]) if isinstance(base, Reg) else None


def _offset(parts: Sequence[str]) -> Imm | None:
    """What follows a base: +4, +-4, +0x10. Its text begins with the sign; `-4` alone is no offset, to ptxas neither."""
    if len(parts) < 2 or parts[0] != "+":
        return None
    value = expression(parts[1:])
    if value is None or not isinstance(value.value, int) or value.float_bits:
        return None
    return Imm(value.value, "+" + value.text)


def _written(offset: Imm) -> str:
    return "" if offset.value and offset.text == f"+{offset.value}" else offset.text


def _address(parts: Sequence[str], scope: Scope) -> Addr | None:
    pieces = split(parts)
    if not pieces[0]:
        return None
    coords = None
    between: tuple[Operand, ...] = ()
    if len(pieces) > 1:
        made = from_tokens(pieces[-1], scope)
        if isinstance(made, Reg | Imm):
            made = Vec((made,), bare=True)
        if not isinstance(made, Vec):
            return None
        coords = made
    if len(pieces) > 2:
        between = tuple(from_tokens(piece, scope) for piece in pieces[1:-1])
        if not all(isinstance(one, Reg | Symbol | Imm | Vec) for one in between):
            return None
    place = pieces[0]
    base = expression(place)
    if base is not None:
        return Addr(base, 0, coords, between=between) if isinstance(base.value, int) and not base.float_bits else None
    word = _word(place[0], scope)
    if isinstance(word, Label):
        raise Undeclared(word.name, False)
    if not isinstance(word, Reg | Symbol) or "." in place[0]:  # ptxas reads no element of a vector register here
        return None
    if len(place) == 1:
        return Addr(word, 0, coords, between=between)
    offset = _offset(place[1:])
    if offset is None:
        return None
    return Addr(word, offset.value, coords, _written(offset), between=between)  # type: ignore[arg-type]


def _vector(parts: Sequence[str], scope: Scope) -> Vec:
    return Vec(_items(parts, scope))


def _list(parts: Sequence[str], scope: Scope) -> Params:
    return Params(_items(parts, scope))


def _items(parts: Sequence[str], scope: Scope) -> tuple[Operand, ...]:
    """What stands within braces or parentheses: of what has brackets itself numbers alone, so that depth is bounded."""
    if not parts:
        return ()
    return tuple(_bracketed(p, scope) if p and p[0] in _OPEN else from_tokens(p, scope) for p in split(parts))


def _bracketed(parts: Sequence[str], scope: Scope) -> Operand:
    """An item that begins with a bracket."""
    if parts[-1] != _OPEN[parts[0]]:
        return from_tokens(parts, scope)
    return (expression(parts) if parts[0] == "(" else None) or _raw(parts, scope)
