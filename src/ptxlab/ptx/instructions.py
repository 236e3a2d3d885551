"""Instructions: from text to the tree. The fast way takes what compilers write, the slow one everything else."""

from __future__ import annotations

import re

from ptxlab.diag import Diagnostic
from ptxlab.isa.operands import Label, Not, Operand, Reg
from ptxlab.isa.sregs import SREGS
from ptxlab.ptx.inseparable import INSEPARABLE
from ptxlab.ptx.lexer import END, MODIFIERS_AT, OPCODE_AT, TOKEN, Cursor, tokens
from ptxlab.ptx.operand import Undeclared, as_list, from_text, from_tokens, split
from ptxlab.ptx.scope import Scope
from ptxlab.ptx.tree import Instruction, Layout, Source


class InstructionReader:
    """Reads the instructions of a text, one by one. `scope` holds where the next one stands."""

    def __init__(self, source: Source, scope: Scope) -> None:
        self.source, self.text, self.scope = source, source.text, scope
        self.cursor = Cursor(source)
        self.layouts: dict[tuple[str, str | None, str | None, tuple[str, ...] | None, str], Layout] = {}

    def instruction(self, found: re.Match[str]) -> Instruction | None:
        """The fast way: an instruction written as almost all are. None when it must be looked at token by token."""
        lead, negated, guard, after_guard, opcode, gap, operands = found.groups()
        memo = self.scope.memo
        made: tuple[Operand, ...] = ()
        condition: Reg | Not | None = None
        inner: tuple[str, ...] | None = None
        end = ""
        try:
            if guard is not None:
                register = memo.get(guard) or self._remember(guard)
                if register.__class__ is not Reg:
                    return None
                condition = Not(register) if negated else register  # type: ignore[arg-type]
            if operands:
                if operands[0] in ".\r\n\f" and operands.lstrip()[:1] == ".":  # perhaps a modifier that stands apart
                    return None
                known = self._known(operands) if _usual(operands) else None
                if known is None:
                    if (respaced := _respaced(operands)) is None:
                        return None
                    operands, gaps, end = respaced
                    if (known := self._known(operands)) is None:
                        return None
                    gap += gaps[0]
                    inner = (*_BARE_GUARD[: 0 if guard is None else 2 if negated else 1], *gaps[1:])
                made = known
                if opcode[:4] == _CALL:
                    made = tuple(as_list(o) for o in made)
        except Undeclared:
            return None
        if not operands:
            gap, end = None, gap or ""
        key = (lead, after_guard, gap, inner, end)
        layout = self.layouts.get(key)
        if layout is None:
            layout = self.layouts[key] = Layout(lead, after_guard or " ", " " if gap is None else gap, inner, end)
        return Instruction(
            opcode, made, condition, layout=layout, source=self.source, start=found.end(1), end=found.end()
        )

    def _known(self, operands: str) -> tuple[Operand, ...] | None:
        """Operands with the printer's spaces; None when one has another spelling."""
        parts = _PARTS.findall(operands) if _BRACKETS.search(operands) else operands.split(", ")
        if ", ".join(parts) != operands:
            return None
        memo = self.scope.memo
        made = tuple([memo.get(p) for p in parts])
        if None in made:
            made = tuple([self._remember(p) for p in parts])
        return None if None in made else made  # type: ignore[return-value]

    def _remember(self, text: str) -> Operand | None:
        home = self.scope.home(text)
        memo = home.memo
        known = memo.get(text)
        if known is None:
            known = from_text(text, home)
            if known is None:
                return None
            memo[text] = known
        if home is not self.scope:
            self.scope.memo[text] = known
        return known

    def slow_instruction(self, start: int, pos: int) -> Instruction:
        """An instruction with comments, line breaks or unusual spelling in it."""
        cursor = self.cursor
        cursor.seek(pos)
        cursor.begin()
        guard: Reg | Not | None = None
        guard_gaps: tuple[str, ...] = ()
        if cursor.accept("@"):
            guard = self._guard()
            guard_gaps = tuple(cursor.gaps)
            cursor.begin()
        at = cursor.start()
        found = OPCODE_AT.match(self.text, at)
        if found is None:
            raise cursor.wrong("an instruction")
        opcode_gap = self.text[cursor.pos : at]
        opcode, end = self._opcode(found)
        cursor.seek(end)
        cursor.begin()
        parts, apart = self._operand_tokens(start)
        self._complain_about_shape(parts, end, opcode)
        gaps = cursor.gaps
        operands = self._operands(parts, start, opcode)
        if opcode[:4] == _CALL:
            operands = tuple(as_list(o) for o in operands)
        shown = tokens(", ".join(map(str, operands)))
        if shown != parts:
            raise Diagnostic(
                "PTX0001", f"the operands of `{opcode}` cannot be read", span=self.source.span(start, cursor.pos)
            )
        layout = Layout(
            guard_gaps[0] if guard_gaps else opcode_gap,
            guard=opcode_gap if guard_gaps else " ",
            opcode=gaps[0] if parts else " ",
            inner=(*guard_gaps[1:], *gaps[1:-1]),
            end=gaps[-1],
            spelling=None if end == found.end() else (opcode, self.text[at:end]),
            apart=apart,
        )
        return Instruction(opcode, operands, guard, layout=layout, source=self.source, start=start, end=cursor.pos)

    def _opcode(self, found: re.Match[str]) -> tuple[str, int]:
        """An opcode with the modifiers that stand apart from it, and where it ends."""
        opcode, end = found.group(), found.end()
        while (more := MODIFIERS_AT.match(self.text, end)) is not None:
            gap, modifiers = more.groups()
            first = "." + modifiers[1:].partition(".")[0]
            if first in _STATEMENTS or (first in _SPACES and "\n" in gap and self._declares(more.start(2))):
                break  # the next statement, and a semicolon has been forgotten
            if opcode + first in INSEPARABLE:
                raise Diagnostic(
                    "PTX0001",
                    f"`{opcode}{first}` is one word, and nothing may stand within it",
                    help=f"write `{opcode}{first}` without the gap",
                    span=self.source.span(more.start(2), more.start(2) + len(first)),
                )
            opcode, end = opcode + modifiers, more.end()
        return opcode, end

    def _declares(self, pos: int) -> bool:
        """Whether a state space begins a declaration, and is no modifier: a name that is no register follows the type."""
        probe = Cursor(self.source)
        probe.seek(pos)
        while probe.peek()[:1] == ".":
            if probe.next() == ".align":
                probe.next()
        return probe.peek()[:1] not in ("[", "{", "_", "") and not isinstance(self.scope.find(probe.peek()), Reg)

    def _operand_tokens(self, start: int) -> tuple[list[str], tuple[tuple[int, str], ...]]:
        """Tokens up to the semicolon, which is consumed, and the gaps within those whose selector stands apart."""
        cursor = self.cursor
        apart: list[tuple[int, str]] = []
        while (token := cursor.peek()) != ";":
            if token == END or (token == "}" and "{" not in cursor.tokens):
                raise self._unfinished(start)
            if cursor.selects():
                _join_selector(cursor, apart)
                continue
            if token[0] == "." and not token[1:2].isdigit() and not _may_begin_with_dot(token, cursor.tokens[-1:]):
                raise self._unfinished(start)
            cursor.next()
        cursor.next()
        return cursor.tokens[:-1], tuple(apart)

    def _complain_about_shape(self, parts: list[str], pos: int, opcode: str) -> None:
        """Raise for brackets that do not match and for words with nothing between them: mostly a forgotten semicolon."""
        open_: list[str] = []
        last = ""
        for i, token in enumerate(parts):
            if token in _CLOSING:
                if not open_ or open_.pop() != _CLOSING[token]:
                    raise self._at_token(i, pos, f"`{token}` closes nothing in the operands of `{opcode}`")
            elif token in _OPENING:
                open_.append(token)
            elif _is_word(last) and _is_word(token):
                found = self._at_token(i, pos, f"expected `,` or `;` after `{last}`, found `{token}`")
                found.help = "an instruction ends with a semicolon"
                raise found
            last = token
        if open_:
            raise self._at_token(len(parts), pos, f"`{open_[-1]}` is not closed in the operands of `{opcode}`")

    def _at_token(self, index: int, pos: int, message: str) -> Diagnostic:
        """A syntax error at a token counted from an offset."""
        probe = Cursor(self.source)
        probe.seek(pos)
        for _ in range(index):
            probe.next()
            if probe.selects():
                probe.next()
        at = probe.start()
        return Diagnostic("PTX0001", message, span=self.source.span(at, at + len(probe.peek())))

    def _unfinished(self, start: int) -> Diagnostic:
        return self.cursor.wrong(
            "`;` at the end of the instruction in line " + str(self.source.span(start, start).line)
        )

    def _guard(self) -> Reg | Not:
        cursor = self.cursor
        negated = cursor.accept("!") is not None
        at = cursor.start()
        name = cursor.name("a predicate register")
        register = self.scope.find(name) or _special(name)
        if not isinstance(register, Reg):
            raise self._undeclared(Undeclared(name, True), at)
        return Not(register) if negated else register

    def _operands(self, parts: list[str], start: int, opcode: str) -> tuple[Operand, ...]:
        if not parts:
            return ()
        try:
            return tuple(from_tokens(p, self.scope) for p in split(parts))
        except Undeclared as name:
            if opcode.partition(".")[0] == "bra" and parts == [name.name]:
                return (Label(name.name),)  # `%` may begin the name of a label
            at = self.text.find(name.name, start)
            raise self._undeclared(name, at if at >= 0 else start) from None

    def _undeclared(self, name: Undeclared, at: int) -> Diagnostic:
        found = name.diagnostic()
        example = f", e.g. `.reg .b32 {name.name};`" if name.register and name.vector is None else ""
        return Diagnostic(
            found.code, found.message, help=f"{found.help}{example}", span=self.source.span(at, at + len(name.name))
        )


_CALL = "call"  # the operands of which are lists
_CLOSING = {"}": "{", "]": "[", ")": "("}
_OPENING = frozenset(_CLOSING.values())
_STATEMENTS = frozenset(
    {
        ".reg",
        ".loc",
        ".loc_intermediate",
        ".pragma",
        ".section",
        ".file",
        ".branchtargets",
        ".calltargets",
        ".callprototype",
    }
)
"""Directives that may follow an instruction and are no modifiers."""
_SPACES = frozenset({".shared", ".local", ".param", ".global", ".const"})


def _may_begin_with_dot(token: str, before: list[str]) -> bool:
    """Tokens of operands that look like directives: `[…].unified` and casts."""
    return (token == ".unified" and before == ["]"]) or (token in (".s64", ".u64") and before == ["("])


def _join_selector(cursor: Cursor, apart: list[tuple[int, str]]) -> None:
    """Consume a selector as part of the name in front of it, and note what stands between."""
    selector = cursor.next()
    gap = cursor.gaps.pop()
    del cursor.tokens[-1]
    cursor.tokens[-1] += selector
    apart.append((len(cursor.tokens) - 1, gap))


def _is_word(token: str) -> bool:
    """Whether a token is a name or a number."""
    return token != "%" and (token[:1].isalnum() or token[:1] in ("%", "$", "_"))


def _usual(operands: str) -> bool:
    """Whether the spaces may be the printer's: one behind every comma, and no other."""
    commas = operands.count(",")
    return operands.count(", ") == commas == operands.count(" ")


def _respaced(operands: str) -> tuple[str, tuple[str, ...], str] | None:
    """Operands with the printer's spaces, the gap in front of each of their tokens, and the one at their end.

    None where a gap parts what would be one token without it, and where parentheses do not match.
    """
    written = operands.rstrip(" \t\r\n\f")
    text = written.translate(_NO_BLANKS).replace(",", ", ")
    if not text or (_PARTING.search(written) and TOKEN.findall(text) != TOKEN.findall(written)):
        return None
    if "(" in text and ", ".join(_PARTS.findall(text)) != text:
        return None
    return text, tuple(TOKEN.split(written)[:-1]), operands[len(written) :]


_BRACKETS = re.compile(r"[\[{(]")
_BARE_GUARD = ("", "")  # nothing stands between `@`, `!` and the predicate
_NO_BLANKS = dict.fromkeys(map(ord, " \t\r\n\f"))
_PARTING = re.compile(r"(?<=[^,{}()\[\] \t\r\n\f])[ \t\r\n\f]++(?![,{}()\[\]])")  # a gap between two words or signs
_PARTS = re.compile(r"\{[^{}]*+\}|\[[^\[\]]*+\]|\([^()]*+\)|[^,\s\[\]{}()]++")


def _special(name: str) -> Reg | None:
    """The one special register that may be a guard, a predicate, as a register; `written` tells it from a declared one."""
    known = SREGS.get(name)
    return Reg(name, known.type, written=name) if known is not None and known.type.kind == "p" else None
