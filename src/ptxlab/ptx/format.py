"""The canonical form of a module: one statement a line, indented by depth, with its comments and single blank lines kept."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from ptxlab.ptx.lexer import BLANK, TOKEN
from ptxlab.ptx.printer import text
from ptxlab.ptx.tree import Block, Function, Instruction, Item, Module, Param, TopItem

_PIECE = re.compile(r"//[^\n]*|/\*.*?\*/|#[^\n]*|\s+", re.DOTALL)
_CONTINUED = "\n        "  # what goes on after a line comment within a statement


def formatted(module: Module) -> str:
    """The module as PTX in the canonical form. Its tokens are those of `str(module)`, with opcodes in one piece.

    Parsed again, it is an equal tree.
    Comments stay with what they stand beside: at the end of a line, on lines of their own, or within a statement.
    """
    canonical = text(bare(module))
    if module.source is None:
        return canonical
    out: list[str] = []
    written = _pieces(text(module))
    for first, (plain, token) in enumerate(_pieces(canonical)):
        kept, theirs = next(written)
        while theirs != token and token.startswith(theirs):  # an opcode whose modifiers stand apart
            gap, rest = next(written)
            kept, theirs = kept + gap.strip(), theirs + rest
        assert theirs == token, f"the canonical form changes {theirs!r} into {token!r}"
        out += [_merged(kept, plain, first=not first, last=not token), token]
    return "".join(out)


def _pieces(source: str) -> Iterator[tuple[str, str]]:
    """Every token with the white space and comments in front of it; the last token is empty."""
    pos = 0
    while True:
        blank = BLANK.match(source, pos)
        start = blank.end() if blank else pos
        found = TOKEN.match(source, start)
        yield source[pos:start], found.group() if found else ""
        if found is None:
            return
        pos = found.end()


def _merged(kept: str, plain: str, *, first: bool, last: bool) -> str:
    """The canonical white space `plain` with the comments and the blank line of what was written, `kept`.

    `first`, `last`: it stands at the beginning or at the end of the text.
    """
    pieces = _PIECE.findall(kept)
    comments = [p for p in pieces if not p.isspace()]
    if not comments and (last or first or kept.count("\n") < 2 or "\n" not in plain):
        return plain
    if "\n" in plain or first:
        return _between_lines(pieces, plain, first=first, last=last)
    return _within_line(comments, plain)


def _within_line(comments: list[str], plain: str) -> str:
    if not comments:
        return plain
    out = " "
    for comment in comments:
        if comment[0] == "#":  # a line marker, which must begin its line
            out = out.rstrip() + "\n"
        out += comment + (" " if comment.startswith("/*") else _CONTINUED)
    return out


def _between_lines(pieces: list[str], plain: str, *, first: bool, last: bool) -> str:
    """Comments at the end of the line before, and on lines of their own."""
    indent = plain.rpartition("\n")[2]
    out, broken = "", first
    wide = plain.count("\n") > 1 and not first  # the first break becomes a blank line in any case
    owed = 0  # line breaks since the last comment
    for piece in pieces:
        if piece.isspace():
            owed += piece.count("\n")
            continue
        if owed and not (first and not out):
            out += _break(owed, wide) + (indent if piece[0] != "#" else "")
            broken, wide = True, False
        elif out or not first:
            out += " "
        out += piece
        owed = 0
        if not piece.startswith("/*"):
            broken = False  # the comment takes the rest of its line
    closed = not pieces or not broken or owed
    if last:
        return out + "\n"
    if first and not out:
        return ""
    return out + (_break(owed, wide) + indent if closed else " ")


def _break(lines: int, wide: bool) -> str:
    return "\n\n" if lines > 1 or wide else "\n"


# --- the tree without its layout


def bare(module: Module) -> Module:
    """A copy of the module's tree whose nodes have no layout: it prints in the canonical form, without comments."""
    return Module(items=[bare_top(i) for i in module.items])


def bare_top(item: TopItem) -> TopItem:
    """A copy of what stands outside of functions, or of a function, without layout."""
    if not isinstance(item, Function):
        return replace(item, gaps=None)
    return replace(
        item,
        gaps=None,
        params=_params(item.params),
        returns=_params(item.returns),
        directives=tuple(replace(d, gaps=None) for d in item.directives),
        body=None if item.body is None else _block(item.body),
    )


def _params(params: tuple[Param, ...] | None) -> tuple[Param, ...] | None:
    return None if params is None else tuple(replace(p, gaps=None) for p in params)


def _block(block: Block) -> Block:
    return replace(block, gaps=None, items=[bare_item(i) for i in block.items])


def bare_item(item: Item) -> Item:
    """A copy of what stands in a function's body, without layout."""
    if isinstance(item, Block):
        return _block(item)
    if isinstance(item, Instruction):
        return replace(item, gaps=None, layout=None)
    return replace(item, gaps=None)
