"""Text to tree."""

from __future__ import annotations

import re
from contextlib import suppress

from ptxlab.diag import Diagnostic, raise_all
from ptxlab.isa.operands import Not, Operand, Reg, Symbol
from ptxlab.ptx import declare
from ptxlab.ptx.collector import uncollected
from ptxlab.ptx.inseparable import INSEPARABLE
from ptxlab.ptx.lexer import BLANK, END, LABEL, MODIFIERS_AT, OPCODE_AT, STATEMENT, TOKEN, Cursor, tokens
from ptxlab.ptx.operand import Undeclared, as_list, from_text, from_tokens, split
from ptxlab.ptx.scope import Scope, vector
from ptxlab.ptx.tree import (
    Block,
    Function,
    Header,
    Instruction,
    Item,
    Label,
    Layout,
    Loc,
    Module,
    Node,
    Source,
    TopItem,
    Words,
)

_MAX_DEPTH = 64  # nested scopes; compilers stay below five
_MAX_ERRORS = 200
_FIRST = "PTX begins with e.g. `.version 8.0` and `.target sm_90a`: is this a .ptx file?"


def parse(text: str, file: str = "<ptx>") -> Module:
    """The tree of a module.

    Raises Diagnostic for text that is not PTX and for names that nothing declares: the first error found, the others in its
    `also`. Whether instructions fit a row is not asked here; see `ptxlab.ptx.lower.lower` and `ptxlab.check`.
    """
    module, found = parse_all(text, file)
    raise_all(found)
    return module


def parse_all(text: str, file: str = "<ptx>") -> tuple[Module, list[Diagnostic]]:
    """The tree of what could be read, and everything that is wrong. What could not be read is left out of the tree."""
    with uncollected():
        return _Parser(Source(file, text)).module()


def parse_items(text: str, scope: Scope) -> list[Item]:
    """What may stand in a function's body, read where `scope` holds; its declarations enter the scope.

    Raises Diagnostic as `parse` does.
    """
    parser = _Parser(Source("<text>", text), scope)
    out: list[Item] = []
    with suppress(_TooMany):
        parser.items(out)
    parser.done()
    return out


def parse_tops(text: str, scope: Scope) -> list[TopItem]:
    """What may stand outside of functions, read where `scope` holds; its declarations enter the scope.

    Raises Diagnostic as `parse` does.
    """
    parser = _Parser(Source("<text>", text), scope)
    out: list[TopItem] = []
    with suppress(_TooMany):
        parser.tops(out)
    parser.done()
    return out


class _TooMany(Exception):
    """So much is wrong that reading on is of no use."""


class _Parser:
    def __init__(self, source: Source, scope: Scope | None = None) -> None:
        self.source, self.text = source, source.text
        self.cursor = Cursor(source)
        self.scope = Scope() if scope is None else scope
        self.errors: list[Diagnostic] = []
        self.layouts: dict[tuple[str, str | None, str | None, tuple[str, ...] | None, str], Layout] = {}
        self.depth = 0
        self.headers = 0  # how many kinds of them have passed

    # --- errors and recovery

    def error(self, found: Diagnostic) -> None:
        """Keep a diagnostic; give up on the text when there are too many."""
        if self.errors and found.span is not None and found.span == self.errors[-1].span:
            return  # reading on began at the very place that was not understood
        self.errors.append(found)
        if len(self.errors) >= _MAX_ERRORS:
            raise _TooMany

    def skip_statement(self, start: int) -> None:
        """Go on behind the statement that begins at `start`: past its semicolon, or at a brace or a new directive."""
        pos = max(self.cursor.pos, start)
        if pos > start and self.text[pos - 1] == ";":
            self.cursor.seek(pos)
            return
        while True:
            self.cursor.seek(pos)
            token = self.cursor.peek()
            if token in (END, "}", "{"):
                # A brace that is the very thing that was not understood must be passed.
                if self.cursor.start() == start and token != END:
                    self.cursor.next()
                return
            at_line_start = "\n" in self.text[pos : self.cursor.start()]
            if at_line_start and self.cursor.start() > start and (token[0] == "." or token[0] == "@"):
                return
            self.cursor.next()
            pos = self.cursor.pos
            if token == ";":
                return

    # --- the module

    def module(self) -> tuple[Module, list[Diagnostic]]:
        """All of the text."""
        items: list[TopItem] = []
        cursor = self.cursor
        try:
            self.tops(items)
        except _TooMany:
            return Module(items=items, source=self.source), self.errors
        blank = BLANK.match(self.text, cursor.pos)
        tail = self.text[cursor.pos : blank.end() if blank else len(self.text)]
        self._need_header(items)
        self._cut_short()
        return Module(items=items, tail=tail, source=self.source), self.errors

    def _cut_short(self) -> None:
        """A text that ends too early is one mistake, whatever the half statement and the open braces at its end look like."""
        ends = [d for d in self.errors if d.code == "PTX0003"]
        if ends:
            size = len(self.text.rstrip())
            last = self.source.span(size, size).line
            self.errors = [d for d in self.errors if d.span is not None and d.span.line < last] + ends[:1]

    def done(self) -> None:
        """Raise what is wrong; there must be nothing left."""
        if self.cursor.peek() != END and not self.errors:
            self.errors.append(self.cursor.wrong("the end of the text"))
        raise_all(self.errors)

    def tops(self, items: list[TopItem]) -> None:
        """Everything outside of functions, up to the end."""
        cursor = self.cursor
        while cursor.peek() != END:
            start = cursor.start()
            try:
                items.append(self._top(start))
            except Diagnostic as found:
                self.error(found)
                self._skip_top(start)

    def _need_header(self, items: list[TopItem]) -> None:
        if self.errors:
            return
        headers = [item.name if isinstance(item, Header) else "" for item in items]
        if headers[:1] == [".version"] and ".target" in headers:
            return
        lacks = "names no `.target`" if headers[:1] == [".version"] else "does not begin with `.version`"
        self.error(
            Diagnostic(
                "PTX0001",
                f"the module {lacks}",
                help="begin with e.g. `.version 8.0` and `.target sm_90a`",
                span=self.source.span(0, 1),
            )
        )

    def _skip_top(self, start: int) -> None:
        """Behind what a top-level error spoils: a whole function body if the error stands in front of one."""
        self.skip_statement(start)
        if self.cursor.peek() != "{":
            return
        depth = 0
        while (token := self.cursor.peek()) != END:
            self.cursor.next()
            depth += (token == "{") - (token == "}")
            if depth == 0:
                return

    def _finish(self, node: Node, start: int) -> None:
        node.gaps = tuple(self.cursor.gaps)
        node.source, node.start, node.end = self.source, start, self.cursor.pos

    def _top(self, start: int) -> TopItem:
        cursor = self.cursor
        cursor.begin()
        token = cursor.peek()
        node: TopItem
        if token in declare.HEADERS[self.headers :]:
            self.headers = declare.HEADERS.index(token) + 1
            node = declare.header(cursor)
            self._finish(node, start)
            return node
        if token in declare.HEADERS:
            raise Diagnostic(
                "PTX0001",
                f"the module does not begin with `{token}`" if token == ".version" else f"`{token}` stands where it cannot",
                help="a module begins with .version, .target and .address_size, each once",
                span=self.source.span(start, start + len(token)),
            )
        if token == ".file":
            node = declare.file(cursor)
        elif token == ".section":
            node = declare.section(cursor)
        elif token in declare.OUTSIDE:
            node = declare.words(cursor)
        elif token in declare.LINKAGE or token in (".entry", ".func") or token in declare.SPACES:
            return self._declaration(start)
        else:
            raise cursor.wrong("a directive, a variable, a kernel or a function", None if start else _FIRST)
        if token != ".file":
            self.headers = len(declare.HEADERS)
        self._finish(node, start)
        return node

    def _declaration(self, start: int) -> TopItem:
        cursor = self.cursor
        linkage = cursor.next() if cursor.peek() in declare.LINKAGE else ""
        if cursor.peek() in (".entry", ".func"):
            return self._function(start, linkage)
        node = declare.variable(cursor, linkage)
        self._finish(node, start)
        self._declare_variable(node)
        self.headers = len(declare.HEADERS)
        return node

    # --- declarations into scope

    def _declared(self, done: bool, name: str, node: Node) -> None:
        if not done:
            self.error(
                Diagnostic(
                    "PTX0013", f"`{name}` is declared twice in this scope", help="rename one of the two", span=node.span
                )
            )

    def _declare_variable(self, node: declare.VarDecl) -> None:
        for symbol in declare.symbols(node):
            # Declared first and defined later is how extern works.
            known = self.scope.find(symbol.name) if self.scope.parent is None else None
            self._declared(self.scope.declare(symbol.name, symbol) or known is not None, symbol.name, node)

    def _declare_registers(self, node: declare.RegDecl) -> None:
        for one in node.names:
            if one.count is not None:
                done = self.scope.declare_range(one.name, node.type, int(one.count.value), node.vector)
            else:
                made = vector(one.name, node.type, node.vector) if node.vector else Reg(one.name, node.type)
                done = self.scope.declare(one.name, made)
            self._declared(done, one.name, node)

    # --- functions

    def _function(self, start: int, linkage: str) -> Function:
        cursor = self.cursor
        self.headers = len(declare.HEADERS)
        node, gaps, own = declare.function_head(cursor, linkage)
        self.scope.declare(node.name, Symbol(node.name, "func"))
        outer = self.scope
        self.scope, twice = declare.function_scope(node, outer)
        for param in twice:
            self._declared(False, param.name, param)
        try:
            node.directives = declare.function_directives(cursor, node.kind)
            cursor.begin()
            if cursor.peek() == "{":
                node.body = self._block()
            else:
                cursor.expect(";")
                gaps = (*gaps, *cursor.gaps)
        finally:
            self.scope = outer
        node.gaps = gaps
        node.source, node.start, node.end = self.source, start, own
        return node

    def _block(self) -> Block:
        """A scope in braces. The cursor stands at the opening brace."""
        cursor = self.cursor
        start = cursor.start()
        cursor.begin()
        cursor.expect("{")
        opening = cursor.gaps[0]
        block = Block()
        self.depth += 1
        if self.depth > _MAX_DEPTH:
            raise Diagnostic(
                "PTX0001",
                f"scopes are nested more than {_MAX_DEPTH} deep",
                help="a kernel needs a few; is a closing brace missing?",
                span=self.source.span(start, start + 1),
            )
        self.items(block.items)
        self.depth -= 1
        cursor.begin()
        if cursor.peek() != "}":
            raise cursor.wrong(f"`}}` for the brace in line {self.source.span(start, start + 1).line}")
        cursor.next()
        block.gaps = (opening, cursor.gaps[0])
        block.source, block.start, block.end = self.source, start, start + 1
        return block

    def items(self, out: list[Item]) -> None:
        """Everything up to the brace that closes the block."""
        text, cursor = self.text, self.cursor
        match, instruction = STATEMENT.match, self._instruction
        pos = cursor.pos
        while True:
            found = match(text, pos)
            if found is not None:
                made = instruction(found)
                if made is not None:
                    out.append(made)
                    pos = found.end()
                    continue
            cursor.seek(pos)
            token = cursor.peek()
            if token in ("}", END):
                return
            start = cursor.start()
            depth, scope = self.depth, self.scope
            try:
                out.append(self._item(token, start, pos))
            except Diagnostic as wrong:
                self.error(wrong)
                self.depth, self.scope = depth, scope
                self.skip_statement(start)
            pos = cursor.pos

    # --- one instruction

    def _instruction(self, found: re.Match[str]) -> Instruction | None:
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
                if operands[0] == ".":  # perhaps a modifier that stands apart
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
        parts = (
            _PARTS.findall(operands) if operands.find("{") >= 0 or operands.find("[") >= 0 else operands.split(", ")
        )
        if ", ".join(parts) != operands:
            return None
        memo = self.scope.memo
        made = tuple([memo.get(p) for p in parts])
        if None in made:
            made = tuple([self._remember(p) for p in parts])
        return None if None in made else made  # type: ignore[return-value]

    def _remember(self, text: str) -> Operand | None:
        memo = self.scope.memo
        known = memo.get(text)
        if known is None:
            known = from_text(text, self.scope)
            if known is not None:
                memo[text] = known
        return known

    def _slow_instruction(self, start: int, pos: int) -> Instruction:
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
        operands = self._operands(parts, start)
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
        register = self.scope.find(name)
        if not isinstance(register, Reg):
            raise self._undeclared(Undeclared(name, True), at)
        return Not(register) if negated else register

    def _operands(self, parts: list[str], start: int) -> tuple[Operand, ...]:
        if not parts:
            return ()
        try:
            return tuple(from_tokens(p, self.scope) for p in split(parts))
        except Undeclared as name:
            at = self.text.find(name.name, start)
            raise self._undeclared(name, at if at >= 0 else start) from None

    def _undeclared(self, name: Undeclared, at: int) -> Diagnostic:
        code, what = ("PTX0010", "register") if name.register else ("PTX0011", "variable or parameter")
        return Diagnostic(
            code,
            f"no {what} `{name.name}` is declared here",
            help=f"declare it in front of its use, e.g. `.reg .b32 {name.name};`"
            if name.register
            else "declare it in front of its use",
            span=self.source.span(at, at + len(name.name)),
        )

    # --- what else stands in a block

    def _item(self, token: str, start: int, pos: int) -> Item:
        if token == "{":
            outer = self.scope
            self.scope = Scope(outer)
            try:
                return self._block()
            finally:
                self.scope = outer
        if token[0] != ".":
            label = LABEL.match(self.text, pos)
            return self._label(label) if label is not None else self._slow_instruction(start, pos)
        return self._directive(token, start)

    def _label(self, found: re.Match[str]) -> Item:
        cursor = self.cursor
        cursor.seek(found.end())
        start = found.end(1)
        name = self.text[start : found.start(3)]
        gaps = (found[1], found[3])
        if cursor.peek() == ".callprototype":
            cursor.begin()
            prototype = declare.prototype(cursor, name)
            prototype.gaps = (*gaps, *cursor.gaps)
            prototype.source, prototype.start, prototype.end = self.source, start, cursor.pos
            return prototype
        return Label(name, gaps=gaps, source=self.source, start=start, end=found.end())

    def _directive(self, token: str, start: int) -> Item:
        cursor = self.cursor
        cursor.begin()
        node: Loc | Words | declare.RegDecl | declare.VarDecl
        if token == ".loc":
            node = declare.loc(cursor)
        elif token == ".reg":
            node = declare.registers(cursor)
        elif token in declare.SPACES or token in declare.LINKAGE:
            linkage = cursor.next() if token in declare.LINKAGE else ""
            node = declare.variable(cursor, linkage)
        elif token in declare.INSIDE:
            node = declare.words(cursor)
        else:
            raise cursor.wrong(
                "an instruction or a directive", help=f"ptxlab does not know the directive `{token}` here"
            )
        self._finish(node, start)
        if isinstance(node, declare.RegDecl):
            self._declare_registers(node)
        elif isinstance(node, declare.VarDecl):
            self._declare_variable(node)
        return node


_CALL = "call"  # the operands of which are lists
_CLOSING = {"}": "{", "]": "[", ")": "("}
_OPENING = frozenset(_CLOSING.values())
_STATEMENTS = frozenset(
    {".reg", ".loc", ".pragma", ".section", ".file", ".branchtargets", ".calltargets", ".callprototype"}
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
    written = operands.rstrip(" \t\r\n")
    text = written.translate(_NO_BLANKS).replace(",", ", ")
    if not text or (_PARTING.search(written) and TOKEN.findall(text) != TOKEN.findall(written)):
        return None
    if "(" in text and ", ".join(_PARTS.findall(text)) != text:
        return None
    return text, tuple(TOKEN.split(written)[:-1]), operands[len(written) :]


_BARE_GUARD = ("", "")  # nothing stands between `@`, `!` and the predicate
_NO_BLANKS = dict.fromkeys(map(ord, " \t\r\n"))
_PARTING = re.compile(r"(?<=[^,{}()\[\] \t\r\n])[ \t\r\n]++(?![,{}()\[\]])")  # a gap between two words or signs
_PARTS = re.compile(r"\{[^{}]*+\}|\[[^\[\]]*+\]|\([^()]*+\)|[^,\s\[\]{}()]++")
