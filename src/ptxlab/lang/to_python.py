"""A module as a program in the language that writes it again, token for token."""

from __future__ import annotations

import keyword
import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Any

from ptxlab.diag import Diagnostic, Severity, user_span
from ptxlab.diag.boundary import public
from ptxlab.isa.bind import bind, check_needs, check_rules
from ptxlab.isa.match import attribute_of, root, split_opcode
from ptxlab.isa.operands import Addr, Imm, Not, Operand, Pair, Reg, Vec
from ptxlab.isa.shape import Shape
from ptxlab.isa.targets import Target
from ptxlab.ptx import tree
from ptxlab.ptx.collector import uncollected
from ptxlab.ptx.format import bare
from ptxlab.ptx.parser import parse
from ptxlab.ptx.printer import node_text

_TAKEN = frozenset(("k", "m", "px", "print", *keyword.kwlist))
_DEEPEST_WITH = 12  # Python nests 20 blocks


@public
def to_python(module: Any) -> str:
    """A program that prints the module: `px.module`, a call for each instruction, registers under the names they have.

    Comments and white space of the module are not kept; every token is.

    Args:
        module: a px.Module, its tree, or PTX text.

    Raises: Diagnostic PTX0xxx for text that does not parse, PTX2316 for what is no module.

    Example:
        text = '''
        .version 8.0
        .target sm_90a
        .address_size 64
        .global .u32 counter = 5;
        .visible .entry count(.param .u64 out)
        {
            .reg .u32 %r<2>;
            .reg .u64 %rd<2>;
            ld.param.u64 %rd0, [out];
            atom.global.add.u32 %r0, [counter], 1;
            st.global.u32 [%rd0], %r0;
            ret;
        }
        '''

        program = px.to_python(text)
        print("k.atom.global_.add.u32" in program)  # True
    """
    with uncollected():
        return _written(module)


def _written(module: Any) -> str:
    """The program. All that it is made from goes when this returns: the collector, back at work, need not walk it."""
    if isinstance(module, str):
        module = parse(module)
    found = getattr(module, "tree", module)
    if not isinstance(found, tree.Module):
        raise Diagnostic(
            "PTX2316",
            f"A {type(module).__name__} is no PTX module.",
            help="give PTX text, or a module of px.load",
            origin=user_span(),
        )
    return _Program(bare(found)).text()


class _Registers:
    """Which Python name holds a register, by scope."""

    def __init__(self) -> None:
        self.scopes: list[dict[str, str]] = [{}]
        self.used: set[str] = set(_TAKEN)

    def add(self, name: str) -> str:
        """A Python name for a declared name or the prefix of a range (then it ends in `<`)."""
        plain = re.sub(r"\W", "_", name.rstrip("<").lstrip("%$"), flags=re.ASCII) or "r"
        plain = f"r{plain}" if plain[0].isdigit() else plain
        unique, i = plain, 2
        while unique in self.used:
            unique, i = f"{plain}_{i}", i + 1
        self.used.add(unique)
        self.scopes[-1][name] = unique
        return unique

    def find(self, register: str) -> str | None:
        """The expression for a register; None where only its text can name it."""
        prefix = register.rstrip("0123456789")
        for scope in reversed(self.scopes):
            if register in scope:
                return scope[register]
            if prefix != register and f"{prefix}<" in scope:
                return f"{scope[f'{prefix}<']}[{register[len(prefix) :]}]"
        return None


class _Program:
    def __init__(self, module: tree.Module) -> None:
        self.module = module
        self.lines: list[str] = []
        self.depth = 0
        self.registers = _Registers()
        self.known: set[Shape] = set()  # of instructions that are legal
        try:
            self.target = Target.parse(module.target) if module.target else None
        except ValueError:
            self.target = None

    def line(self, text: str) -> None:
        self.lines.append("    " * self.depth + text if text else "")

    def text(self) -> str:
        """The program."""
        self.lines += ["import ptxlab as px", ""]
        items = self._headers()
        for item in items:
            self._top(item)
        self.lines += ["", 'if __name__ == "__main__":', '    print(m, end="")', ""]
        return "\n".join(self.lines)

    def _headers(self) -> Sequence[tree.TopItem]:
        """`m = px.module(…)`; returns what it does not say."""
        items = self.module.items
        heads = [i for i in items[:3] if isinstance(i, tree.Header)]
        shape = [h.name for h in heads]
        if shape[:2] != [".version", ".target"] or not _simple_target(heads[1]):
            self.line("m = px.module()")
            return items
        size = int(heads[2].words[0]) if shape[2:] == [".address_size"] and heads[2].words[0] in ("32", "64") else None
        arguments = [f'"{heads[0].words[0]}"', f'"{_joined(heads[1].words)}"']
        arguments += [] if size == 64 else [f"address_size={size}"]
        self.line(f"m = px.module({', '.join(arguments)})")
        return items[2 if size is None else 3 :]

    def _top(self, item: tree.TopItem) -> None:
        if isinstance(item, tree.File) and not item.rest and not item.written:
            self.line(f"m.file({item.index}, {_quoted(item.name)})")
        elif isinstance(item, tree.Function) and item.body is not None:
            self._function(item, item.body)
        else:
            self.line(f"m.declare({_quoted(node_text(item))})")

    def _function(self, node: tree.Function, body: tree.Block) -> None:
        arguments = [_quoted(node.name)]
        if node.params is None:
            arguments.append("None")
        elif node.params:
            arguments.append(_texts(node.params))
        if node.returns is not None:
            arguments.append(f"returns={_texts(node.returns)}")
        if node.directives:
            arguments.append(f"directives={_texts(node.directives)}")
        if node.linkage != (".visible" if node.kind == "entry" else ""):
            arguments.append(f"linkage={_quoted(node.linkage)}")
        self.lines.append("")
        self.line(f"with m.{node.kind}({', '.join(arguments)}) as k:")
        self.registers = _Registers()
        self._items(body.items)
        self.lines.append("")

    def _items(self, items: Iterable[tree.Item]) -> None:
        self.depth += 1
        before = len(self.lines)
        for item in items:
            self._item(item)
        if len(self.lines) == before:
            self.line("pass")
        self.depth -= 1

    def _item(self, item: tree.Item) -> None:
        match item:
            case tree.Instruction():
                self._instruction(item)
            case tree.Label():
                self.line(f"k.label({_quoted(item.name)})")
            case tree.Loc(rest=(), written=()):
                self.line(f"k.loc({item.file}, {item.line}, {item.column})")
            case tree.RegDecl():
                self._declared(item)
            case tree.Block():
                self._block(item)
            case _:
                self.line(f"k.declare({_quoted(node_text(item))})")

    def _block(self, item: tree.Block) -> None:
        self.registers.scopes.append({})
        if self.depth < _DEEPEST_WITH:
            self.line("with k.block():")
            self._items(item.items)
        else:
            self.line("k.begin()")
            for inner in item.items:
                self._item(inner)
            self.line("k.end()")
        self.registers.scopes.pop()

    def _declared(self, item: tree.RegDecl) -> None:
        if item.vector or item.align is not None or item.ahead or item.surplus or item.attributes or not item.names:
            self.line(f"k.declare({_quoted(node_text(item))})")
            return
        written = [n.name if n.count is None else f"{n.name}<{n.count.text}>" for n in item.names]
        names = [self.registers.add(n.name if n.count is None else f"{n.name}<") for n in item.names]
        self.line(f"{', '.join(names)} = k.reg({', '.join(map(_quoted, [str(item.type), *written]))})")

    def _instruction(self, node: tree.Instruction) -> None:
        operands = [self._operand(o) for o in node.operands]
        if node.guard is not None:
            operands.append(f"pred={self._operand(node.guard)}")
        legal = self._legal(node)
        path = _path(node.opcode) if legal else None
        if path is not None:
            self.line(f"k.{path}({', '.join(operands)})")
            return
        operands.insert(0, _quoted(node.opcode))
        operands += [] if legal else ["check=False"]
        self.line(f"k.instruction({', '.join(operands)})")

    def _legal(self, node: tree.Instruction) -> bool:
        """Whether the language takes the instruction when it is called."""
        try:
            found = bind(node.opcode, node.operands)
        except Diagnostic:
            return False
        if found.shape is not None and found.shape in self.known:
            return True
        wrong = [*check_rules(found), *check_needs(found, self.target, self.module.version)]
        legal = all(d.severity is not Severity.ERROR for d in wrong)
        if found.shape is not None and legal:
            self.known.add(found.shape)
        return legal

    def _operand(self, operand: Operand) -> str:
        match operand:
            case Reg():
                return self._register(operand) or _quoted(str(operand))
            case Imm() if (
                not operand.float_bits and operand.text == str(operand.value) and isinstance(operand.value, int)
            ):
                return operand.text
            case Not():
                inner = self._register(operand.reg)
                return f"~{inner}" if inner else _quoted(str(operand))
            case Pair(Reg() as first, Reg() as second):
                names = [self._register(r) for r in (first, second)]
                return f"{names[0]} | {names[1]}" if all(names) else _quoted(str(operand))
            case Vec(written=""):
                items = [self._operand(i) for i in operand.items]
                return f"({items[0]},)" if len(items) == 1 else f"({', '.join(items)})"
            case Addr(unified=False, between=()):
                return self._address(operand)
            case _:
                return _quoted(str(operand))

    def _register(self, register: Reg) -> str | None:
        """The expression for a register; None where only its text can name it, or is another than its name: `%r01`."""
        return None if register.written else self.registers.find(register.name)

    def _address(self, operand: Addr) -> str:
        base = self._register(operand.base) if isinstance(operand.base, Reg) else None
        if base is None or operand.written:
            place = _quoted(str(Addr(operand.base, operand.offset, None, operand.written))[1:-1])
        else:
            place = f"{base} {'-' if operand.offset < 0 else '+'} {abs(operand.offset)}" if operand.offset else base
        return f"[{place}]" if operand.coords is None else f"[{place}, {self._operand(operand.coords)}]"


@lru_cache(maxsize=1 << 12)
def _path(opcode: str) -> str | None:
    """The opcode as attributes; None where the modifiers stand in an order that only ptxas takes."""
    parts = split_opcode(opcode)
    state = root(parts[0])
    for part in parts[1:]:
        state = state.step(part) if state is not None else None
    return ".".join(map(attribute_of, parts)) if state is not None else None


def _joined(words: Iterable[str]) -> str:
    return "".join(words).replace(",", ", ")


def _simple_target(header: tree.Header) -> bool:
    return all(re.fullmatch(r"\w+|,", word) for word in header.words)


def _texts(nodes: Iterable[tree.Param | tree.Directive]) -> str:
    return f"[{', '.join(_quoted(node_text(n)) for n in nodes)}]"


def _quoted(text: str) -> str:
    """A Python string; long texts of several lines as they are."""
    plain = all(c.isprintable() or c == "\n" for c in text)
    if plain and "\n" in text and '"""' not in text and "\\" not in text and not text.endswith('"'):
        return f'"""{text}"""'
    shown = "".join(_escape(c) for c in text)
    return f'"{shown}"'


def _escape(character: str) -> str:
    if character in '"\\':
        return "\\" + character
    return character if character.isprintable() else repr(character)[1:-1]
