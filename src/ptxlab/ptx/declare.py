"""Directives and declarations, token by token. Each function consumes one construct; the parser keeps the gaps."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from ptxlab.diag import Diagnostic
from ptxlab.isa.operands import Imm, Reg, Symbol, Vec
from ptxlab.isa.types import TYPES, ScalarType
from ptxlab.ptx.initializer import initializer
from ptxlab.ptx.lexer import END, NO_NAMES, TRIVIA, Cursor, tokens
from ptxlab.ptx.nodes import SPECIFIERS, alignment
from ptxlab.ptx.numbers import expression, literal
from ptxlab.ptx.operand import split
from ptxlab.ptx.scope import Scope, vector
from ptxlab.ptx.tokens import any_token, integer
from ptxlab.ptx.tree import (
    Declarator,
    Directive,
    Function,
    Header,
    Param,
    Prototype,
    RegDecl,
    RegName,
    Source,
    VarDecl,
    Words,
)

LINKAGE = (".visible", ".extern", ".weak", ".common")
SPACES = (".global", ".shared", ".const", ".local", ".param", ".tex")
HEADERS = (".version", ".target", ".address_size")
OUTSIDE = (".pragma", ".alias")
INSIDE = (".pragma", ".branchtargets", ".calltargets", ".alias")
_VECTORS = {".v2": 2, ".v4": 4}
_OPAQUE = {name: ScalarType(name, 64, "o") for name in ("texref", "samplerref", "surfref")}
_DIRECTIVES = (
    ".reqntid",
    ".maxntid",
    ".minnctapersm",
    ".maxnctapersm",
    ".maxnreg",
    ".reqnctapercluster",
    ".explicitcluster",
    ".maxclusterrank",
    ".blocksareclusters",
    ".noreturn",
    ".pragma",
    ".abi_preserve",
    ".abi_preserve_control",
    ".local_maxnreg",
    ".minperctamemory",
    ".language",
)
_FUNCTION_DIRECTIVES = {
    ".noreturn": 0,
    ".abi_preserve": 1,
    ".abi_preserve_control": 1,
    ".local_maxnreg": 2,
    ".language": 3,
}
"""With the order in which they stand."""
_MAX_REGISTERS = (1 << 32) - 1
_MAX_VARIABLES = 1 << 16


@dataclass(slots=True)
class _Type:
    """What stands between a space and a name."""

    type: ScalarType
    align: Imm | None = None
    vector: int = 0
    attributes: tuple[str, ...] = ()
    surplus: tuple[str, ...] = ()


_VERSION = re.compile(r"\d{1,4}\.\d{1,4}", re.ASCII)


def header(cursor: Cursor) -> Header:
    """.version 9.1 | .target sm_90a, debug | .address_size 64"""
    name = cursor.next()
    if name == ".version" and not _VERSION.fullmatch(cursor.peek()):
        raise cursor.wrong("a version", "e.g. `.version 8.0`")
    if name == ".address_size":
        bits = literal(cursor.peek())
        if bits is None or not isinstance(bits.value, int) or bits.float_bits or bits.value not in (32, 64):
            raise cursor.wrong("a number of bits, 64 or 32")
        return Header(name, (cursor.next(),))
    words = [_word(cursor, name)]
    if name == ".version" and cursor.gaps[-1].strip(" \t\f\r"):
        raise Diagnostic(
            "PTX0001",
            "the version stands in another line than `.version`, or a comment stands between them",
            help=f"write `.version {words[0]}`",
            span=cursor.source.span(cursor.pos - len(words[0]), cursor.pos),
        )
    while name == ".target" and cursor.accept(","):
        words += [",", _word(cursor, name)]
    return Header(name, tuple(words))


def _word(cursor: Cursor, name: str) -> str:
    if not cursor.peek()[:1].isalnum():
        raise cursor.wrong("a target or version")
    if name == ".target":
        cursor.cut(len(cursor.peek().partition(".")[0]))  # `sm_90a.address_size 64` is the target and a directive
    return cursor.next()


def words(cursor: Cursor) -> Words:
    """A directive kept as its tokens, up to the semicolon."""
    name = cursor.next()
    out: list[str] = []
    while cursor.peek() not in (";", END, "{", "}"):
        out.append(cursor.next())
    cursor.expect(";")
    if name in _LISTS and not _is_list(out):
        raise Diagnostic(
            "PTX0001",
            f"`{name}` takes names, with commas between them",
            help=f"e.g. `{name} A, B;`",
            span=cursor.source.span(cursor.pos - 1, cursor.pos),
        )
    return Words(name, tuple(out))


FUNCTION_AHEAD = re.compile(rf"{TRIVIA}\.extern{TRIVIA}\.func\b")
_NOTHING_AHEAD = re.compile(
    rf"{TRIVIA}(?:\.(?:visible|extern|weak|common|align{TRIVIA}\d+){TRIVIA})?\.reg\b[^;{{}}]*?\.\w+{TRIVIA};"
)


def names_nothing(cursor: Cursor) -> bool:
    """Whether registers without names are declared next, which ptxas takes outside of functions too."""
    return _NOTHING_AHEAD.match(cursor.text, cursor.pos) is not None


def nameless(cursor: Cursor) -> RegDecl:
    """Such a declaration."""
    linkage = (cursor.next(),) if cursor.peek() in LINKAGE else ()
    return registers(cursor, (*linkage, *_ahead(cursor)))


def target_again(cursor: Cursor) -> Words:
    """A .target in a function, of one name."""
    name = cursor.next()
    return Words(name, (_word(cursor, name),), terminated=False)


def outer_function(cursor: Cursor) -> Words:
    """`.extern .func …;` in a function, which declares nothing for others; kept as its tokens."""
    reader = Cursor(cursor.source)
    reader.seek(cursor.pos)
    reader.next()
    function_head(reader, ".extern")
    function_directives(reader, "func")
    if reader.peek() != ";":
        raise reader.wrong("`;`")
    return words(cursor)


_LISTS = (".branchtargets", ".calltargets")


def _is_list(words: list[str]) -> bool:
    """Whether words are names with commas between them; `A<3>` stands for A0, A1 and A2."""
    return all(_is_named(piece) for piece in split(words))


def _is_named(piece: list[str]) -> bool:
    if not piece or not (piece[0][0].isalpha() or piece[0][0] in "_$%"):
        return False
    return len(piece) == 1 or (
        len(piece) == 4 and piece[1::2] == ["<", ">"] and piece[2].isdecimal() and len(piece[2]) < 5
    )


def listed(words: Sequence[str]) -> list[str]:
    """The names of a list of targets, those of `A<3>` one by one."""
    out: list[str] = []
    for piece in split(words):
        out += [f"{piece[0]}{i}" for i in range(int(piece[2]))] if len(piece) == 4 else piece[:1]
    return out


def is_type(token: str) -> bool:
    """Whether a token is a type, or the size of a vector."""
    return token[:1] == "." and (token in _VECTORS or token[1:] in TYPES or token[1:] in _OPAQUE)


def _scalar(cursor: Cursor) -> ScalarType:
    token = cursor.peek()
    found = TYPES.get(token[1:]) or _OPAQUE.get(token[1:]) if token.startswith(".") else None
    if found is None:
        raise cursor.wrong("a type", help="e.g. .b32, .u64, .f32, .pred")
    cursor.next()
    return found


def _type(cursor: Cursor) -> _Type:
    """Attributes and alignments, vector and type."""
    out = _Type(TYPES["b32"])
    out.surplus, out.attributes, out.align = _usual_order(_specifiers(cursor))
    out.vector = _VECTORS.get(cursor.peek(), 0)
    if out.vector:
        cursor.next()
    out.type = _scalar(cursor)
    return out


def _specifiers(cursor: Cursor) -> list[tuple[tuple[str, ...], Imm | None]]:
    """The tokens of each alignment and each attribute; for an alignment also its number."""
    out: list[tuple[tuple[str, ...], Imm | None]] = []
    while cursor.peek() in SPECIFIERS:
        if cursor.peek() == ".attribute":
            out.append((_attributes(cursor), None))
        else:
            word = cursor.next()
            value = integer(cursor, "an alignment")
            out.append(((word, *tokens(value.text)), value))
    return out


def _usual_order(
    found: list[tuple[tuple[str, ...], Imm | None]],
) -> tuple[tuple[str, ...], tuple[str, ...], Imm | None]:
    """Surplus, attributes and alignment: the last attribute and the last alignment where they stand as usual."""
    left, align, attributes = list(found), None, ()
    if left and left[-1][1] is not None:
        align = left.pop()[1]
    if left and left[-1][1] is None:
        attributes = left.pop()[0]
    return tuple(word for words, _ in left for word in words), attributes, align


def _ahead(cursor: Cursor) -> tuple[str, ...]:
    return tuple(word for words, _ in _specifiers(cursor) for word in words)


def _attributes(cursor: Cursor) -> tuple[str, ...]:
    out = [cursor.next(), cursor.expect("(")]
    depth = 1
    while depth:
        token = any_token(cursor, "`)`")
        depth += (token == "(") - (token == ")")
        out.append(token)
    return tuple(out)


def usual(cursor: Cursor) -> RegDecl | VarDecl | None:
    """A declaration of one name as compilers write it, read at once; None for any other."""
    found = _USUAL.match(cursor.text, cursor.pos)
    if found is None:
        return None
    lead, space, gap, align, vector, type_, name, count, extent = found.group(1, 2, 3, 5, 7, 9, 11, 12, 13)
    scalar = TYPES.get(type_)
    if scalar is None or name in NO_NAMES or (extent and space == "reg"):
        return None
    if count and (space != "reg" or int(count) > _MAX_REGISTERS):
        return None
    gaps = [lead, gap]
    if align:
        gaps += found.group(4, 6)
    if vector:
        gaps.append(found[8])
    gaps.append(found[10])
    cursor.gaps += gaps + [""] * (4 if count or extent else 1)
    cursor.seek(found.end())
    aligned = Imm(int(align), align) if align else None
    many = _VECTORS[vector] if vector else 0
    if space == "reg":
        return RegDecl(scalar, (RegName(name, Imm(int(count), count) if count else None),), many, aligned)
    dims = (Imm(int(extent), extent),) if extent else ()
    return VarDecl(space, type=scalar, names=(Declarator(name, dims),), align=aligned, vector=many)


_GAP = r"([ \t\r\n]++)"
_NUMBER = r"([1-9]\d{0,8})"
_USUAL = re.compile(
    rf"([ \t\r\n]*+)\.(reg|param|local|shared|global|const){_GAP}(?:\.align{_GAP}{_NUMBER}{_GAP})?(?:(\.v[24]){_GAP})?"
    rf"\.(\w++){_GAP}([A-Za-z$%][\w$]++|[A-Za-z])(?:<{_NUMBER}>|\[{_NUMBER}\])?;",
    re.ASCII,
)


def declaration(cursor: Cursor) -> RegDecl | VarDecl:
    """A declaration in a function that begins with an alignment or an attribute."""
    ahead = _ahead(cursor)
    return registers(cursor, ahead) if cursor.peek() == ".reg" else variable(cursor, "", ahead)


def registers(cursor: Cursor, ahead: tuple[str, ...] = ()) -> RegDecl:
    """.reg .b32 %r<12>, x;"""
    cursor.next()
    kind = _type(cursor)
    names: list[RegName] = []
    while names or cursor.peek() != ";":  # ptxas takes a declaration of nothing
        name = cursor.name("a register name")
        names.append(RegName(name, _count(cursor, _MAX_REGISTERS, "registers")))
        if not cursor.accept(","):
            break
    cursor.expect(";")
    return RegDecl(kind.type, tuple(names), kind.vector, kind.align, kind.attributes, ahead=ahead, surplus=kind.surplus)


def _count(cursor: Cursor, most: int, what: str) -> Imm | None:
    """`<12>` behind a name: how many there are, name0 to name11."""
    if not cursor.accept("<"):
        return None
    at = cursor.start()
    count = integer(cursor, f"the number of {what}")
    if int(count.value) > most:
        raise Diagnostic(
            "PTX0001",
            f"{count} {what} are more than any kernel has",
            help=f"declare at most {most}",
            span=cursor.source.span(at, at + len(count.text)),
        )
    cursor.expect(">")
    return count


def variable(cursor: Cursor, linkage: str, ahead: tuple[str, ...] = ()) -> VarDecl:
    """.global .align 4 .b8 name[16] = {…}, other; or a type alone, which names nothing: `.u32;`."""
    ahead = ahead or _ahead(cursor)
    space = cursor.peek()
    if space in SPACES:
        cursor.next()
    elif is_type(space):
        space = ""
    else:
        raise cursor.wrong("a state space", help="e.g. .global, .shared, .const")
    kind = _type(cursor)
    names: list[Declarator] = []
    while space and (names or cursor.peek() != ";"):
        name = cursor.name("a variable name")
        count = _count(cursor, _MAX_VARIABLES, "variables")
        if count is not None:
            group = RegName(name, count)
            names += [Declarator(f"{name}{i}", group=group) for i in range(int(count.value))]
            if cursor.accept(","):
                continue
            break
        dims = _dims(cursor)
        init = initializer(cursor, 0) if cursor.accept("=") else None
        names.append(Declarator(name, dims, init))
        if not cursor.accept(","):
            break
    cursor.expect(";")
    return VarDecl(
        space[1:],
        type=kind.type,
        names=tuple(names),
        align=kind.align,
        linkage=linkage,
        vector=kind.vector,
        attributes=kind.attributes,
        ahead=ahead,
        surplus=kind.surplus,
    )


def _dims(cursor: Cursor) -> tuple[Imm | None, ...]:
    out: list[Imm | None] = []
    while cursor.accept("["):
        if not out and cursor.accept("]"):
            out.append(None)
            continue
        out.append(integer(cursor, "the extent of an array"))
        cursor.expect("]")
    return tuple(out)


_POINTED = (".global", ".shared", ".const", ".local", ".texref", ".samplerref", ".surfref")
"""What a parameter that is marked .ptr may lead to, as ptxas reads it."""


def parameter(cursor: Cursor) -> Param:
    """.param .u64 .ptr .global .align 16 name[…], or .reg .b32 %r of a function."""
    start = cursor.start()
    cursor.begin()
    ahead = _ahead(cursor)
    token = cursor.peek()
    if token not in (".param", ".reg"):
        raise cursor.wrong("`.param`")
    cursor.next()
    kind = _type(cursor)
    align_first = True
    ptr, ptr_space, ptr_align = False, "", None
    if cursor.accept(".ptr"):
        ptr = True
        if cursor.peek() in _POINTED:
            ptr_space = cursor.next()[1:]
        ptr_align = integer(cursor, "an alignment") if cursor.accept(".align") else None
    elif cursor.accept(".align"):
        front = (".align", *tokens(kind.align.text)) if kind.align is not None else ()
        kind.surplus, kind.attributes = (*kind.surplus, *kind.attributes, *front), ()
        kind.align, align_first = integer(cursor, "an alignment"), False
    name = cursor.name("the name of a parameter") if cursor.peek() != "_" else cursor.next()
    dims = _dims(cursor)
    out = Param(
        kind.type,
        name=name,
        dims=dims,
        align=kind.align,
        space=token[1:],
        ptr=ptr,
        ptr_space=ptr_space,
        ptr_align=ptr_align,
        attributes=kind.attributes,
        align_first=align_first,
        vector=kind.vector,
        ahead=ahead,
        surplus=kind.surplus,
    )
    out.gaps = tuple(cursor.gaps)
    out.source, out.start, out.end = cursor.source, start, cursor.pos
    return out


def _parameters(cursor: Cursor, gaps: list[str]) -> tuple[Param, ...]:
    """A list in parentheses; the gaps of its punctuation are appended to `gaps`."""
    out: list[Param] = []
    cursor.begin()
    cursor.expect("(")
    gaps += cursor.gaps
    if cursor.peek() != ")":
        while True:
            out.append(parameter(cursor))
            cursor.begin()
            if not cursor.accept(","):
                break
            gaps += cursor.gaps
    cursor.begin()
    cursor.expect(")")
    gaps += cursor.gaps
    return tuple(out)


def function_head(cursor: Cursor, linkage: str) -> tuple[Function, tuple[str, ...], int]:
    """Everything up to the closing parenthesis of the parameters: the node, its gaps, the offset behind its name."""
    kind = cursor.next()[1:]
    gaps = list(cursor.gaps)
    returns = params = None
    if kind == "func" and cursor.peek() == "(":
        returns = _parameters(cursor, gaps)
    cursor.begin()
    name = cursor.name("the name of the kernel or function")
    own = cursor.pos
    gaps += cursor.gaps
    if cursor.peek() == "(":
        params = _parameters(cursor, gaps)
    return Function(kind, name, params, returns, linkage=linkage), tuple(gaps), own


def function_directives(cursor: Cursor, kind: str) -> tuple[Directive, ...]:
    """Launch directives and their like in front of the body."""
    out: list[Directive] = []
    while (name := cursor.peek()) not in ("{", ";", END):
        if kind == "func" and name in _FUNCTION_DIRECTIVES:
            _check_order(cursor, name, [d.name for d in out])
        elif kind == "func" and begins_another(name):
            break
        elif kind == "func" or name not in _DIRECTIVES:
            known = _FUNCTION_DIRECTIVES if kind == "func" else _DIRECTIVES[:9]
            wants = "a launch directive or `{`" if kind == "entry" else "a directive or `{`"
            raise cursor.wrong(wants, help=f"the directives are {', '.join(known)}")
        start = cursor.start()
        cursor.begin()
        cursor.next()
        node = Directive(name)
        if name in (".pragma", ".language"):
            one = _string if name == ".pragma" else _language
            text = [one(cursor)]
            while cursor.accept(","):
                text += [",", one(cursor)]
            node.words, node.terminated = tuple(text), name == ".pragma" and cursor.expect(";") == ";"
        else:
            node.values = _numbers(cursor)
        node.gaps = tuple(cursor.gaps)
        node.source, node.start, node.end = cursor.source, start, cursor.pos
        out.append(node)
    return tuple(out)


def begins_another(token: str) -> bool:
    """Whether something outside of functions begins with a token: a declaration in front of it may lack its semicolon."""
    return token in (".entry", ".func", ".file", ".section", *LINKAGE, *SPACES, *OUTSIDE, *SPECIFIERS) or is_type(token)


def _check_order(cursor: Cursor, name: str, before: list[str]) -> None:
    """Raise for a directive of a function that stands twice, or behind one that must follow it."""
    if name in before:
        raise cursor.wrong("another directive, or `{`", help=f"`{name}` stands once")
    if before and _FUNCTION_DIRECTIVES[name] < _FUNCTION_DIRECTIVES[before[-1]]:
        raise cursor.wrong("another directive, or `{`", help=f"`{name}` stands in front of `{before[-1]}`")


def _language(cursor: Cursor) -> str:
    return any_token(cursor, "a language in quotes, or a number")


def _string(cursor: Cursor) -> str:
    if cursor.peek()[:1] != '"':
        raise cursor.wrong("a string", help='e.g. `"nounroll"`')
    return cursor.next()


def _numbers(cursor: Cursor) -> tuple[Imm, ...]:
    if expression((cursor.peek(),)) is None:
        return ()
    out = [integer(cursor)]
    while cursor.accept(","):
        out.append(integer(cursor))
    return tuple(out)


def prototype(cursor: Cursor, name: str) -> Prototype:
    """.callprototype (…) _ (…); kept as its tokens."""
    start = cursor.start()
    cursor.next()
    out: list[str] = []
    while cursor.peek() not in (";", END, "{", "}"):
        out.append(cursor.next())
    end = cursor.pos
    cursor.expect(";")
    node = Prototype(name, words=tuple(out))
    try:
        prototype_lists(node)
    except Diagnostic as wrong:
        raise wrong.at(cursor.source.span(start, end)) from None
    return node


def prototype_lists(node: Prototype) -> tuple[tuple[Param, ...], tuple[Param, ...]]:
    """The results and the parameters that a .callprototype names. Raises Diagnostic PTX0001 where it is malformed."""
    return prototype_parts(node)[:2]


def prototype_parts(node: Prototype) -> tuple[tuple[Param, ...], tuple[Param, ...], tuple[Directive, ...]]:
    """The results, the parameters and the directives of a .callprototype. Raises Diagnostic PTX0001 where it is malformed."""
    cursor = Cursor(Source("<prototype>", " ".join(node.words)))
    gaps: list[str] = []
    returns = _parameters(cursor, gaps) if cursor.peek() == "(" else ()
    cursor.expect("_")
    params = _parameters(cursor, gaps) if cursor.peek() == "(" else ()
    return returns, params, function_directives(cursor, "func")


def symbols(node: VarDecl) -> list[Symbol]:
    """The operands that a declaration brings into scope."""
    size = node.type.bytes * (node.vector or 1)
    align = alignment(node)
    opaque = node.type.name in _OPAQUE
    space = node.type.name if opaque else "param::func" if node.space == "param" else node.space
    return [
        Symbol(d.name, space, 0, align, size * d.count, element=size if len(d.dims) == 1 else 0) for d in node.names
    ]


def parameter_operand(param: Param, kind: str) -> Reg | Symbol | Vec:
    """What a parameter is within its kernel or function (`kind` "entry" or "func")."""
    if param.space == "reg":
        return vector(param.name, param.type, param.vector) if param.vector else Reg(param.name, param.type)
    align = alignment(param)
    opaque = param.type.name in _OPAQUE
    space = param.type.name if opaque else "param" if kind == "entry" else "param::func"
    element = param.type.bytes if len(param.dims) == 1 else 0
    return Symbol(param.name, space, 0, align, param.size, element=element, given=opaque)


def function_scope(node: Function, outer: Scope) -> tuple[Scope, list[Param]]:
    """The scope of a function's body with its parameters, and the parameters whose names are taken already."""
    scope = Scope(outer)
    scope.memo = {}
    params = (*(node.params or ()), *(node.returns or ()))
    return scope, [p for p in params if not scope.declare(p.name, parameter_operand(p, node.kind))]
