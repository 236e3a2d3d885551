"""Functions that a kernel calls: what they pass, in which order they are laid out, and where their addresses come from."""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from ptxlab.isa.operands import Operand, Params, Symbol, Vec
from ptxlab.ptx import tree
from ptxlab.ptx.declare import prototype_lists
from ptxlab.ptx.program import Param, Program, Signature

SYSTEM_FUNCTIONS = ("vprintf", "__assertfail", "malloc", "free", "__nv_activemask_impl")
"""Functions that the system brings along."""
FUNCTION_UNIT = 16
"""Addresses of functions are multiples of this."""
CODE = 1 << 60
"""Functions lie above this, where no variable lies."""
MODULE_BYTES = 1 << 24
"""Distance between the functions of two modules."""


def params_of(nodes: Iterable[tree.Param], start: int = 0) -> tuple[list[Param], int]:
    """Parameters in a block from byte `start` on, and where they end."""
    out: list[Param] = []
    at = start
    for node in nodes:
        element = max(1, node.type.bytes)  # a predicate takes a byte
        size = max(element, node.size) if not node.dims else node.size
        align = tree.alignment(node)
        at = -(-at // align) * align
        out.append(
            Param(
                node.name,
                type=node.type,
                count=size // element,
                size=size,
                align=align,
                offset=at,
                space=node.space,
                is_array=bool(node.dims),
                vector=node.vector,
            )
        )
        at += size
    return out, at


def _signature(returns: Iterable[tree.Param], params: Iterable[tree.Param]) -> Signature:
    results, middle = params_of(returns)
    taken, end = params_of(params, middle)
    return Signature(tuple(results), tuple(taken), end)


def signature_of(function: tree.Function) -> Signature:
    """What a function takes and returns."""
    return _signature(function.returns or (), function.params or ())


def prototype_of(node: tree.Prototype) -> Signature:
    """What a .callprototype says. Raises Diagnostic PTX0001 where it is malformed."""
    return _signature(*prototype_lists(node))


def renamed(signature: Signature, names: Mapping[str, str]) -> Signature:
    """The signature with other names for its parameters."""
    return Signature(
        tuple(replace(p, name=names.get(p.name, p.name)) for p in signature.returns),
        tuple(replace(p, name=names.get(p.name, p.name)) for p in signature.params),
        signature.size,
    )


def aliases(module: tree.Module) -> dict[str, str]:
    """Other names of functions, and the functions that they stand for: what the module's .alias directives say."""
    found = [i.words for i in _directives(module) if i.name == ".alias"]
    named = {words[0]: words[-1] for words in found if len(words) >= 2}
    return {name: _behind(name, named) for name in named}


def _directives(module: tree.Module) -> Iterator[tree.Words]:
    """Directives outside of functions and in them."""
    left: list[Sequence[tree.TopItem | tree.Item]] = [module.items]
    left += [f.body.items for f in module.functions() if f.body is not None]
    while left:
        for item in left.pop():
            if type(item) is tree.Words:
                yield item
            elif type(item) is tree.Block:
                left.append(item.items)


def _behind(name: str, named: Mapping[str, str]) -> str:
    """The end of a chain of aliases; the last name before it repeats itself."""
    seen = {name}
    while (behind := named.get(name)) is not None and behind not in seen:
        seen.add(behind)
        name = behind
    return name


def code_of(module: tree.Module) -> int:
    """Where the functions of a module begin. It depends on the text alone, so that all processes of a launch agree on it."""
    text = module.source.text if module.source is not None else str(module)
    return CODE + MODULE_BYTES * zlib.crc32(text.encode())


def numbered(module: tree.Module) -> dict[str, int]:
    """The address of every function of the module, which no other module has; an alias has that of its function."""
    names = dict.fromkeys(f.name for f in module.functions())
    begin = code_of(module) if any(f.kind == "func" for f in module.functions()) else CODE
    places = {name: begin + FUNCTION_UNIT * i for i, name in enumerate(names)}
    return places | {other: places[name] for other, name in aliases(module).items() if name in places}


def references(node: tree.VarDecl) -> Iterator[str]:
    """Names whose addresses stand in the initialisers of a declaration."""
    left: list[tree.InitItem] = [d.init for d in node.names if d.init is not None]
    while left:
        item = left.pop()
        if isinstance(item, tree.InitList):
            left += item.items
        elif isinstance(item, tree.Reloc):
            yield item.name


def address_taken(module: tree.Module) -> list[str]:
    """The functions whose addresses the module's code takes, or its variables hold: what a pointer in memory may lead to."""
    known = {f.name for f in module.functions() if f.kind == "func"}
    other = aliases(module)
    blocks = [f.body for f in module.functions() if f.body is not None]
    variables = [i for i in module.items if isinstance(i, tree.VarDecl)]
    found: dict[str, None] = {}
    while blocks:
        for item in blocks.pop().items:
            if isinstance(item, tree.Block):
                blocks.append(item)
            elif isinstance(item, tree.Instruction):
                found.update(dict.fromkeys(_functions(item.operands)))
    for node in variables:
        found.update(dict.fromkeys(references(node)))
    return [name for name in dict.fromkeys(other.get(n, n) for n in found) if name in known]


def _functions(operands: Iterable[Operand]) -> Iterator[str]:
    for operand in operands:
        if isinstance(operand, Vec | Params):
            yield from _functions(operand.items)
        elif isinstance(operand, Symbol) and operand.space == "func":
            yield operand.name


def indirect(program: Program) -> bool:
    """Whether it calls functions by their addresses."""
    return any("callee" in op.inst.operands and "proto" in op.inst.operands for op in program.ops)


def callees(program: Program, pointers: Iterable[str]) -> list[str]:
    """The functions that a program may call; through an address, all those whose address the kernel or its module takes."""
    return [*program.calls, *(pointers if indirect(program) else ())]


def called_first(entry: Program, found: Mapping[str, Program], pointers: Iterable[str]) -> list[Program]:
    """The functions, each behind those that it calls where that is possible: it runs longest where it stands last."""
    out: dict[str, Program] = {}
    seen: set[str] = set()
    stack: list[tuple[Program, list[str]]] = [(entry, callees(entry, pointers))]
    while stack:
        program, left = stack[-1]
        if left:
            name = left.pop(0)
            if name in found and name not in seen:
                seen.add(name)
                stack.append((found[name], callees(found[name], pointers)))
            continue
        stack.pop()
        if program is not entry:
            out[program.name] = program
    return list(out.values())
