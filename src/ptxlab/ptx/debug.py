"""What stands in PTX for debuggers: files, places in them, sections of data. The parser keeps the gaps."""

from __future__ import annotations

from ptxlab.ptx.lexer import END, Cursor
from ptxlab.ptx.tokens import any_token, integer
from ptxlab.ptx.tree import File, Loc, Section


def file(cursor: Cursor) -> File:
    """.file 1 "name", timestamp, size"""
    cursor.next()
    index = integer(cursor)
    name = cursor.peek()
    if len(name) < 2 or name[0] != '"':
        raise cursor.wrong("a file name in quotes")
    cursor.next()
    rest: list[str] = []
    while cursor.accept(","):
        rest += [",", any_token(cursor, "a number")]
    written = "" if index.text == str(index.value) else index.text
    return File(int(index.value), name[1:-1], tuple(rest), written)


def loc(cursor: Cursor) -> Loc:
    """.loc file line column, function_name sym+off, inlined_at file line column"""
    cursor.next()
    literals = [integer(cursor) for _ in range(3)]
    numbers = [int(n.value) for n in literals]
    written = tuple(n.text for n in literals)
    rest: list[str] = []
    while cursor.accept(","):
        rest.append(",")
        while cursor.peek() not in (",", END) and not _starts_statement(cursor, rest):
            rest.append(cursor.next())
    usual = written == tuple(map(str, numbers))
    return Loc(numbers[0], numbers[1], numbers[2], tuple(rest), () if usual else written)


def _starts_statement(cursor: Cursor, rest: list[str]) -> bool:
    """Whether the rest of a .loc, which has no semicolon, ends here: its words are counted."""
    since = rest[len(rest) - rest[::-1].index(",") :] if "," in rest else rest
    if not since:
        return False
    if since[0] == "inlined_at":
        return len(since) >= 4
    return len(since) >= 2 and cursor.peek() != "+" and since[-1] != "+"


def section(cursor: Cursor) -> Section:
    """.section .debug_str { … }"""
    cursor.next()
    if cursor.peek()[:1] not in (".", END):
        raise cursor.wrong("a section name", help="e.g. `.debug_str`")
    name = any_token(cursor, "a section name")
    cursor.expect("{")
    words: list[str] = []
    while cursor.peek() not in ("}", END, ";"):
        words.append(cursor.next())
    cursor.expect("}")
    return Section(name, tuple(words))
