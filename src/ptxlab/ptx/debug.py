"""What stands in PTX for debuggers: files, places in them, sections of data. The parser keeps the gaps."""

from __future__ import annotations

from ptxlab.isa.types import TYPES
from ptxlab.ptx.lexer import END, Cursor
from ptxlab.ptx.tokens import any_token, integer
from ptxlab.ptx.tree import File, Loc, Section, Words


def file(cursor: Cursor) -> File:
    """.file 1 "name", timestamp, size"""
    cursor.next()
    index = integer(cursor)
    name = cursor.peek()
    if len(name) < 2 or name[0] != '"':
        raise cursor.wrong("a file name in quotes")
    cursor.next()
    rest: list[str] = []
    while len(rest) < 4 and cursor.accept(","):
        rest += [",", integer(cursor, "a time or size").text]
    written = "" if index.text == str(index.value) else index.text
    return File(int(index.value), name[1:-1], tuple(rest), written)


def loc(cursor: Cursor) -> Loc:
    """.loc file line column, function_name sym+off, inlined_at file line column"""
    cursor.next()
    literals = [integer(cursor) for _ in range(3)]
    numbers = [int(n.value) for n in literals]
    written = tuple(n.text for n in literals)
    rest = _inlined(cursor) if cursor.accept(",") else []
    usual = written == tuple(map(str, numbers))
    return Loc(numbers[0], numbers[1], numbers[2], tuple(rest), () if usual else written)


def intermediate(cursor: Cursor) -> Words:
    """.loc_intermediate file line column: a place in the code that a compiler made on the way to PTX."""
    name = cursor.next()
    return Words(name, tuple(integer(cursor).text for _ in range(3)), terminated=False)


def _inlined(cursor: Cursor) -> list[str]:
    """The rest of a .loc: a label of debug data that names the function, and where that was inlined."""
    rest = [",", cursor.expect("function_name"), _label(cursor)]
    if cursor.accept("+"):
        rest += ["+", integer(cursor).text]
    rest += [cursor.expect(","), cursor.expect("inlined_at")]
    return rest + [integer(cursor).text for _ in range(3)]


def _label(cursor: Cursor) -> str:
    """A label of debug data, or the name of a section."""
    if cursor.peek()[:2] == ".d":
        return cursor.next()
    return cursor.name("a label of debug data")


def section(cursor: Cursor) -> Section:
    """.section .debug_str { … }"""
    cursor.next()
    if cursor.peek()[:1] not in (".", END) or cursor.peek()[1:] in _NO_SECTIONS:
        raise cursor.wrong("a section name", help="e.g. `.debug_str`")
    name = any_token(cursor, "a section name")
    cursor.expect("{")
    words: list[str] = []
    while cursor.peek() not in ("}", END, ";"):
        words.append(cursor.next())
    cursor.expect("}")
    return Section(name, tuple(words))


_NO_SECTIONS = TYPES.keys() | {
    *("section", "reg", "entry", "func", "file", "loc", "align", "visible", "extern", "weak", "common", "v2", "v4"),
    *("global", "shared", "const", "local", "param"),
}
"""Words of which ptxas makes no section."""
