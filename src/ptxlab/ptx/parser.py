"""Text to tree."""

from __future__ import annotations

import re
from contextlib import suppress

from ptxlab.diag import Diagnostic, raise_all
from ptxlab.isa.operands import Reg, Symbol
from ptxlab.ptx import debug, declare
from ptxlab.ptx.collector import uncollected
from ptxlab.ptx.instructions import InstructionReader
from ptxlab.ptx.lexer import BLANK, END, LABEL, NO_NAMES, STATEMENT
from ptxlab.ptx.nodes import SPECIFIERS
from ptxlab.ptx.scope import Scope, twice, vector
from ptxlab.ptx.tree import (
    Block,
    Function,
    Header,
    Item,
    Label,
    Loc,
    Module,
    Node,
    Source,
    TopItem,
    Words,
)

_MAX_DEPTH = 64  # nested scopes; compilers stay below five
_MAX_ERRORS = 200
_BEHIND_TARGET = declare.HEADERS.index(".target") + 1  # where another .target may follow
_FIRST = "PTX begins with e.g. `.version 8.0` and `.target sm_90a`: is this a .ptx file?"


def parse(text: str, file: str = "<ptx>") -> Module:
    """The tree of a module.

    Raises Diagnostic for text that is not PTX and for names that nothing declares: the first error found, the others in its
    `also`. Whether instructions fit a row is not asked here; see `ptxlab.ptx.lower.lower` and `ptxlab.checks`.
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


class _Parser(InstructionReader):
    def __init__(self, source: Source, scope: Scope | None = None) -> None:
        super().__init__(source, Scope() if scope is None else scope)
        self.errors: list[Diagnostic] = []
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
        if token in declare.HEADERS[self.headers :] or (token == ".target" and self.headers == _BEHIND_TARGET):
            self.headers = declare.HEADERS.index(token) + 1
            node = declare.header(cursor)
            self._finish(node, start)
            return node
        if token in declare.HEADERS:
            raise Diagnostic(
                "PTX0001",
                f"the module does not begin with `{token}`"
                if token == ".version"
                else f"`{token}` stands where it cannot",
                help="a module begins with .version, .target and .address_size",
                span=self.source.span(start, start + len(token)),
            )
        if token == ".file":
            node = debug.file(cursor)
        elif token == ".section":
            node = debug.section(cursor)
        elif token in declare.OUTSIDE:
            node = declare.words(cursor)
        elif declare.names_nothing(cursor):
            node = declare.nameless(cursor)
        elif declare.begins_another(token):
            return self._declaration(start)
        else:
            raise cursor.wrong("a directive, a variable, a kernel or a function", None if start else _FIRST)
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
            self.error(twice(name).at(node.span))

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
        try:
            node.directives = declare.function_directives(cursor, node.kind)
            cursor.begin()
            if cursor.peek() == "{":
                for param in twice:
                    self._declared(False, param.name, param)
                node.body = self._block()
            elif node.kind == "entry" and node.directives:
                raise cursor.wrong(
                    "`{`", "directives stand where the kernel has its body, and not where it is declared"
                )
            elif node.kind == "func" and (cursor.peek() == END or declare.begins_another(cursor.peek())):
                node.terminated = False
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
        match, instruction = STATEMENT.match, self.instruction
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
            return self._label(label) if label is not None else self.slow_instruction(start, pos)
        return self._directive(token, start)

    def _label(self, found: re.Match[str]) -> Item:
        cursor = self.cursor
        cursor.seek(found.end())
        start = found.end(1)
        name = self.text[start : found.start(3)]
        if name == "_":
            raise Diagnostic(
                "PTX0001", "`_` is no name of a label", help="give it another", span=self.source.span(start, start + 1)
            )
        gaps = (found[1], found[3])
        if name in NO_NAMES:
            raise Diagnostic(
                "PTX0001",
                f"`{name}` is no name of a label",
                help="letters, digits and signs make a name",
                span=self.source.span(start, start + len(name)),
            )
        self.scope.hide(name)
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
        if (plain := declare.usual(cursor)) is not None:
            node = plain
        elif token == ".loc":
            node = debug.loc(cursor)
        elif token == ".loc_intermediate":
            node = debug.intermediate(cursor)
        elif token == ".reg":
            node = declare.registers(cursor)
        elif token == ".target":
            node = declare.target_again(cursor)
        elif token == ".extern" and declare.FUNCTION_AHEAD.match(cursor.text, cursor.pos):
            node = declare.outer_function(cursor)
        elif token in declare.SPACES or token in declare.LINKAGE or declare.is_type(token):
            linkage = cursor.next() if token in declare.LINKAGE else ""
            node = declare.variable(cursor, linkage)
        elif token in SPECIFIERS:
            node = declare.declaration(cursor)
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
