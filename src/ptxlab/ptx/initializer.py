"""Initialisers, token by token."""

from __future__ import annotations

from ptxlab.isa.operands import Imm
from ptxlab.ptx.lexer import END, Cursor
from ptxlab.ptx.numbers import expression, literal
from ptxlab.ptx.tree import InitItem, InitList, Masked, Property, Reloc

_MAX_INIT_DEPTH = 16


def initializer(cursor: Cursor, depth: int) -> InitItem:
    """What stands behind the `=` of a variable, or in the braces there: `depth` counts them."""
    if cursor.peek() == "{":
        if depth > _MAX_INIT_DEPTH:
            raise cursor.wrong("fewer nested braces")
        return _init_list(cursor, depth)
    token = cursor.peek()
    if token == "generic" and _opens(cursor):
        return _generic(cursor)
    if literal(token) is not None and _opens(cursor):
        return _masked(cursor)
    if _is_name(token):
        return _named(cursor) if depth else _reloc(cursor)
    found = expression(_value(cursor))
    if found is None:
        raise cursor.wrong("a number or the address of a variable before it")
    return found


def _value(cursor: Cursor) -> list[str]:
    """The tokens of a number or constant expression: up to the comma, brace or parenthesis that ends it."""
    parts: list[str] = []
    level = 0
    while (token := cursor.peek()) not in (END, ";", "{", "}") and (level or token not in (",", ")")):
        level += (token == "(") - (token == ")")
        parts.append(cursor.next())
    return parts


def _init_list(cursor: Cursor, depth: int) -> InitList:
    cursor.next()
    items: list[InitItem] = []
    memo: dict[str, Imm | None] = {}
    while cursor.peek() != "}":
        token = cursor.peek()
        simple = memo[token] if token in memo else memo.setdefault(token, literal(token))
        if simple is not None and _ends_item(cursor):
            cursor.next()
            items.append(simple)
        else:
            items.append(initializer(cursor, depth + 1))
        if not cursor.accept(","):
            break
        if cursor.peek() == "}":
            raise cursor.wrong("a value behind the comma")
    cursor.expect("}")
    return InitList(tuple(items))


def _after(cursor: Cursor) -> int:
    return cursor.start() + len(cursor.peek())


def _opens(cursor: Cursor) -> bool:
    """Whether a parenthesis follows the next token."""
    return cursor.text[_after(cursor) :][:64].lstrip()[:1] == "("


def _ends_item(cursor: Cursor) -> bool:
    """Whether a comma or brace follows the next token directly, so that it is a number and not an expression."""
    at = _after(cursor)
    return cursor.text[at : at + 1] in (",", "}")


def _named(cursor: Cursor) -> Reloc | Property:
    """The address of a variable, or a property of an opaque one."""
    found = _reloc(cursor)
    if found.addend or not cursor.accept("="):
        return found
    if cursor.peek()[:1].isalpha() and cursor.peek() != "WARP_SZ":
        return Property(found.name, cursor.name("the value of a property"))
    value = expression(_value(cursor))
    if value is None:
        raise cursor.wrong("the value of a property before it")
    return Property(found.name, value)


def _reloc(cursor: Cursor) -> Reloc:
    return Reloc(cursor.name("a variable"), _addend(cursor))


def _generic(cursor: Cursor) -> Reloc:
    cursor.expect("generic")
    cursor.expect("(")
    name = cursor.name("a variable")
    cursor.expect(")")
    return Reloc(name, _addend(cursor), True)


def _is_name(token: str) -> bool:
    return (token[:1].isalpha() or token[:1] in ("_", "$", "%")) and expression((token,)) is None


def _masked(cursor: Cursor) -> Reloc | Masked:
    """0xFF00(name): a byte of an address, or of a number."""
    mask = cursor.next()
    cursor.expect("(")
    if not _is_name(cursor.peek()):
        value = expression(_value(cursor))
        if value is None or value.is_float:
            raise cursor.wrong("a variable or an integer before it")
        cursor.expect(")")
        return Masked(mask, value)
    inner = _generic(cursor) if cursor.peek() == "generic" and _opens(cursor) else _reloc(cursor)
    cursor.expect(")")
    return Reloc(inner.name, inner.addend, inner.generic, mask)


def _addend(cursor: Cursor) -> tuple[str, ...]:
    """What is added to an address: `+`, and a constant expression."""
    if cursor.peek() == "-":
        raise cursor.wrong("`+` or the end of the address", "a number is added with its sign: `name+-4`")
    if cursor.peek() != "+":
        return ()
    sign = cursor.next()
    parts = _value(cursor)
    found = expression(parts)
    if found is None or found.is_float:
        raise cursor.wrong("the number of bytes that is added before it")
    return (sign, *parts)
