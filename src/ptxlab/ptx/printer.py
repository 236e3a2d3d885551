"""Tree to text: each node's tokens, with the node's own gaps or the canonical ones between them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Protocol

from ptxlab.isa.operands import Imm, Not
from ptxlab.ptx.lexer import tokens
from ptxlab.ptx.nodes import (
    Block,
    Directive,
    File,
    Function,
    Header,
    InitItem,
    InitList,
    Instruction,
    Item,
    Label,
    Loc,
    Masked,
    Param,
    Property,
    Prototype,
    RegDecl,
    RegName,
    Reloc,
    Section,
    TopItem,
    VarDecl,
    Words,
)
from ptxlab.ptx.source import Source

_INDENT = "    "


class Printed(Protocol):
    """What a whole module is to the printer."""

    items: list[TopItem]
    tail: str
    source: Source | None


def text(module: Printed) -> str:
    """The module as PTX: what was parsed comes out byte for byte, what was built in the canonical layout."""
    out: list[str] = []
    for item in module.items:
        _top(item, out, first=not out)
    out.append(module.tail or ("\n" if module.source is None else ""))
    return "".join(out)


def node_text(node: TopItem | Item | Directive | Param) -> str:
    """A declaration, directive or function without a body in the canonical layout."""
    out: list[str] = []
    if isinstance(node, Function):
        _function(node, out, "")
    else:
        _plain(None, _tokens(node), out, "")
    return "".join(out)


def instruction_text(node: Instruction) -> str:
    """One instruction without its leading white space and semicolon, e.g. `@%p1 bra L`."""
    operands = ", ".join(map(str, node.operands))
    guard = f"@{node.guard} " if node.guard is not None else ""
    return f"{guard}{node.opcode} {operands}" if operands else guard + node.opcode


def _top(item: TopItem, out: list[str], *, first: bool) -> None:
    lead = "" if first else "\n"
    if isinstance(item, Function):
        _function(item, out, lead)
    else:
        _plain(item.gaps, _tokens(item), out, lead)


def _weave(gaps: Sequence[str], parts: Sequence[str], out: list[str]) -> None:
    for gap, part in zip(gaps, parts, strict=True):
        out.append(gap)
        out.append(part)


def _plain(gaps: Sequence[str] | None, parts: list[str], out: list[str], lead: str) -> None:
    """A node without children. Gaps that do not fit any more, after a change of the node, give way to the canonical ones."""
    if gaps is not None and len(gaps) == len(parts):
        _weave(gaps, parts, out)
        return
    out.append(gaps[0] if gaps else lead)
    out.append(_section(parts) if parts[0] == ".section" else _spaced(parts))


def _section(parts: Sequence[str]) -> str:
    """Debug data: a line for every label and directive, as there are thousands of them."""
    lines: list[list[str]] = [[]]
    for i, part in enumerate(parts[3:-1], 3):
        if part[0] == "." or parts[i + 1] == ":":
            lines.append([])
        lines[-1].append(part)
    inner = "".join(f"\n{_INDENT}{_spaced(line)}" for line in lines if line)
    return f"{_spaced(parts[:2])}\n{{{inner}\n}}"


_TIGHT_BEFORE = frozenset(",;)]<>:")
_TIGHT_AFTER = frozenset("([<+-")


def _spaced(parts: Iterable[str]) -> str:
    """Tokens with canonical spaces between them."""
    out = ""
    last = ""
    for part in parts:
        tight = not out or part in _TIGHT_BEFORE or last in _TIGHT_AFTER or part in "[(+-" or last == "{" or part == "}"
        out += part if tight else " " + part
        last = part
    return out


# --- tokens of nodes without children


def _number(value: Imm) -> list[str]:
    return tokens(value.text)


def _align(node: VarDecl | Param | RegDecl) -> list[str]:
    return [".align", *_number(node.align)] if node.align is not None else []


def _dims(dims: Iterable[Imm | None]) -> list[str]:
    out: list[str] = []
    for d in dims:
        out += ["[", "]"] if d is None else ["[", *_number(d), "]"]
    return out


def _init(item: InitItem) -> Iterator[str]:
    if isinstance(item, InitList):
        yield "{"
        for i, inner in enumerate(item.items):
            if i:
                yield ","
            if isinstance(inner, Imm) and inner.text.isalnum():
                yield inner.text
            else:
                yield from _init(inner)
        yield "}"
    elif isinstance(item, Reloc):
        if item.mask:
            yield from (item.mask, "(")
        yield from ("generic", "(", item.name, ")") if item.generic else (item.name,)
        yield from item.addend
        if item.mask:
            yield ")"
    elif isinstance(item, Masked):
        yield from (item.mask, "(", *_number(item.value), ")")
    elif isinstance(item, Property):
        yield from (item.name, "=")
        yield from (item.value,) if isinstance(item.value, str) else _number(item.value)
    else:
        yield from _number(item)


def _registers(node: RegDecl) -> list[str]:
    out = [*node.ahead, ".reg", *node.surplus, *node.attributes, *_align(node)]
    if node.vector:
        out.append(f".v{node.vector}")
    out.append(f".{node.type}")
    for i, name in enumerate(node.names):
        out += [","] if i else []
        out += _counted(name)
    return [*out, ";"]


def _counted(name: RegName) -> list[str]:
    return [name.name] if name.count is None else [name.name, "<", name.count.text, ">"]


def _variable(node: VarDecl) -> list[str]:
    out = [node.linkage] if node.linkage else []
    out += [*node.ahead, *([f".{node.space}"] if node.space else []), *node.surplus, *node.attributes]
    vector = [f".v{node.vector}"] if node.vector else []
    kind = f".{node.type}"
    out += [*_align(node), *vector, kind]
    for i, name in enumerate(node.names):
        if name.group is not None and i and name.group is node.names[i - 1].group:
            continue  # written with the one in front of it
        out += [","] if i else []
        out += _counted(name.group) if name.group is not None else [name.name, *_dims(name.dims)]
        if name.init is not None:
            out.append("=")
            out += _init(name.init)
    return [*out, ";"]


def _param(node: Param) -> list[str]:
    out = [*node.ahead, f".{node.space}", *node.surplus, *node.attributes]
    kind = [f".v{node.vector}", f".{node.type}"] if node.vector else [f".{node.type}"]
    out += [*_align(node), *kind] if node.align_first else [*kind, *_align(node)]
    if node.ptr:
        out.append(".ptr")
        if node.ptr_space:
            out.append(f".{node.ptr_space}")
        if node.ptr_align is not None:
            out += [".align", *_number(node.ptr_align)]
    return [*out, node.name, *_dims(node.dims)]


def _directive(node: Directive) -> list[str]:
    out = [node.name, *node.words]
    for i, value in enumerate(node.values):
        out += [","] if i else []
        out += _number(value)
    return [*out, ";"] if node.terminated else out


def _tokens(node: TopItem | Item | Directive | Param) -> list[str]:
    """The tokens of a node without children."""
    match node:
        case Header():
            return [node.name, *node.words]
        case File():
            return [".file", node.written or str(node.index), f'"{node.name}"', *node.rest]
        case Loc():
            numbers = node.written or (str(node.file), str(node.line), str(node.column))
            return [".loc", *numbers, *node.rest]
        case Section():
            return [".section", node.name, "{", *node.words, "}"]
        case Words():
            return [node.name, *node.words, ";"] if node.terminated else [node.name, *node.words]
        case RegDecl():
            return _registers(node)
        case VarDecl():
            return _variable(node)
        case Param():
            return _param(node)
        case Directive():
            return _directive(node)
        case Label():
            return [node.name, ":"]
        case Prototype():
            return [node.name, ":", ".callprototype", *node.words, ";"]
        case _:
            raise TypeError(f"{type(node).__name__} has children")


# --- nodes with children


def _instruction(node: Instruction, out: list[str], lead: str) -> None:
    layout = node.layout
    if layout is None:
        out.append(f"{lead}{instruction_text(node)};")
        return
    operands = ", ".join(map(str, node.operands)) if node.operands else ""
    if layout.inner is not None:
        _unusual(node, operands, out)
        return
    guard = f"@{node.guard}{layout.guard}" if node.guard is not None else ""
    if operands:
        out.append(f"{layout.before}{guard}{node.opcode}{layout.opcode}{operands}{layout.end};")
    else:
        out.append(f"{layout.before}{guard}{node.opcode}{layout.end};")


def _unusual(node: Instruction, operands: str, out: list[str]) -> None:
    """An instruction with a gap of its own in front of every token."""
    layout = node.layout
    assert layout is not None
    assert layout.inner is not None
    guard = (
        ["@", "!", node.guard.reg.name] if isinstance(node.guard, Not) else ["@", node.guard.name] if node.guard else []
    )
    shown = tokens(operands)
    if len(layout.inner) != max(0, len(guard) - 1) + max(0, len(shown) - 1):
        # The instruction was changed since it was parsed.
        out.append(f"{layout.before}{instruction_text(node)};")
        return
    cut = max(0, len(guard) - 1)
    spelling = layout.spelling
    opcode = spelling[1] if spelling is not None and spelling[0] == node.opcode else node.opcode
    if guard:
        _weave((layout.before, *layout.inner[:cut]), guard, out)
        out += [layout.guard, opcode]
    else:
        out += [layout.before, opcode]
    if shown:
        for i, gap in layout.apart:
            name, _, selector = shown[i].rpartition(".")
            shown[i] = f"{name}{gap}.{selector}"
        _weave((layout.opcode, *layout.inner[cut:]), shown, out)
    out += [layout.end, ";"]


def _items(items: Iterable[Item], out: list[str], depth: int) -> None:
    lead = "\n" + _INDENT * depth
    for item in items:
        if isinstance(item, Instruction):
            _instruction(item, out, lead)
        elif isinstance(item, Block):
            _block(item, out, lead, depth)
        elif isinstance(item, Label):
            _label(item, out)
        else:
            _plain(item.gaps, _tokens(item), out, lead)


def _label(node: Label, out: list[str]) -> None:
    before, after = node.gaps if node.gaps is not None and len(node.gaps) == 2 else ("\n", "")
    out += [before, node.name, after, ":"]


def _block(node: Block, out: list[str], lead: str, depth: int) -> None:
    gaps = node.gaps if node.gaps is not None and len(node.gaps) == 2 else (lead, lead)
    out += [gaps[0], "{"]
    _items(node.items, out, depth + 1)
    out += [gaps[1], "}"]


def _function(node: Function, out: list[str], lead: str) -> None:
    own = _function_tokens(node)
    parsed = node.gaps is not None and len(node.gaps) == own
    gaps = iter(node.gaps) if node.gaps is not None and parsed else iter(_function_gaps(node, lead))

    def put(token: str) -> None:
        out.append(next(gaps))
        out.append(token)

    if node.linkage:
        put(node.linkage)
    put(f".{node.kind}")
    if node.returns is not None:
        _parameters(node.returns, put, out, " ")
    put(node.name)
    if node.params is not None:
        _parameters(node.params, put, out, "\n" + _INDENT)
    for directive in node.directives:
        _plain(directive.gaps, _directive(directive), out, "\n")
    if _ends(node):
        put(";")
    if node.body is not None:
        _block(node.body, out, "\n", 0)


def _ends(node: Function) -> bool:
    """Whether a semicolon ends it."""
    return node.body is None and node.terminated


def _parameters(params: tuple[Param, ...], put: object, out: list[str], lead: str) -> None:
    assert callable(put)
    put("(")
    for i, param in enumerate(params):
        if i:
            put(",")
        _plain(param.gaps, _param(param), out, lead if lead != " " or i else "")
    put(")")


def _function_tokens(node: Function) -> int:
    """How many tokens are the function's own: linkage, kind, name, punctuation."""
    count = 2 + bool(node.linkage) + _ends(node)
    for params in (node.returns, node.params):
        if params is not None:
            count += 2 + max(0, len(params) - 1)
    return count


def _function_gaps(node: Function, lead: str) -> list[str]:
    out = ["\n" + lead if lead else lead]
    if node.linkage:
        out.append(" ")
    if node.returns is not None:
        out += [" ", *([""] * max(0, len(node.returns) - 1)), ""]
    out.append(" ")
    if node.params is not None:
        out += ["", *([""] * max(0, len(node.params) - 1)), "\n" if node.params else ""]
    return [*out, ""] if _ends(node) else out
