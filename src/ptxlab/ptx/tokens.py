"""What directives of all kinds are made of."""

from __future__ import annotations

from ptxlab.isa.operands import Imm
from ptxlab.ptx.lexer import END, Cursor
from ptxlab.ptx.numbers import expression


def any_token(cursor: Cursor, what: str) -> str:
    """Consume the next token, whatever it is."""
    if cursor.peek() == END:
        raise cursor.wrong(what)
    return cursor.next()


def integer(cursor: Cursor, what: str = "an integer") -> Imm:
    """An unsigned integer literal, or WARP_SZ."""
    found = expression((cursor.peek(),))
    if found is None or found.float_bits or not isinstance(found.value, int):
        raise cursor.wrong(what)
    cursor.next()
    return found
