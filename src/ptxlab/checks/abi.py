"""What ptxas' calling convention (the ABI) does not have, and what does not go without it.

A function with several results switches the convention off for the whole module: calls are then expanded in place, so that
nothing may be called by its address, nor call itself. With the convention on, no predicate and no integer of 8 or 16 bits is
passed. ptxas says so where it makes code, so of what kernels reach alone, but for a call by address, which it refuses in every
function.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from ptxlab.diag import Diagnostic
from ptxlab.isa.operands import Params, Symbol
from ptxlab.isa.types import ScalarType
from ptxlab.ptx.functions import SYSTEM_FUNCTIONS, aliases, references
from ptxlab.ptx.program import Op, Program, Signature
from ptxlab.ptx.tree import Function, Module, VarDecl

_UNPASSED = frozenset(("pred", "u8", "s8", "u16", "s16"))
_IN_MEMORY = ("global", "const")


@dataclass(frozen=True, slots=True)
class Calls:
    """What a function does with others.

    calls: the first call of each, by name. named: functions whose addresses it takes, or variables that it names hold.
    outside: calls by address, with what they pass, or of what the system brings. moved: the first instruction that takes a
    function's address.
    """

    function: Function
    calls: Mapping[str, Op]
    named: frozenset[str]
    outside: tuple[tuple[Op, Signature | None], ...]
    moved: Op | None

    def reached(self) -> Iterator[str]:
        """The functions that it leads to."""
        yield from self.calls
        yield from self.named


def calls_of(program: Program) -> Calls:
    """What a program does with functions, itself without those that it calls."""
    calls: dict[str, Op] = {}
    outside: list[tuple[Op, Signature | None]] = []
    moved: Op | None = None
    some = program.calls or program.pointers or program.prototypes
    for op in program.ops if some else ():
        callee = op.inst.operands.get("callee")
        if callee is None:
            moved = op if moved is None and _moves(op) else moved
        elif "proto" in op.inst.operands or str(callee) in SYSTEM_FUNCTIONS:
            outside.append((op, program.prototypes.get(str(op.inst.operands.get("proto")))))
        else:
            calls.setdefault(str(callee), op)
    held = {r.symbol for v in program.variables for r in v.references}
    return Calls(program.function, calls, frozenset((*program.pointers, *held)), tuple(outside), moved)


def _moves(op: Op) -> bool:
    """Whether it is a move of a function's address that stands in the text; ptxas overlooks other instructions with one."""
    written = op.node is None or op.node.opcode == op.inst.opcode
    return written and any(isinstance(o, Symbol) and o.space == "func" for o in op.inst.operands.values())


def check_abi(module: Module, every: Iterable[Calls]) -> Iterator[Diagnostic]:
    """What is wrong with how functions call each other. `every`: what each of the module does."""
    functions = {one.name: one for one in module.functions()}
    known = {one.function.name: one for one in every}
    other = aliases(module)
    reached = _reached(known, other)
    several = next((one for one in functions.values() if len(one.returns or ()) > 1), None)
    for one in known.values():
        yield from _without_prototype(one)
    if several is not None:
        yield from _without_abi(module, several, known, reached)
        return
    for name in reached:
        function = functions.get(name)
        for op, signature in known[name].outside if name in known else ():
            yield from _unpassed_by_address(op, signature)
        if function is not None and function.kind == "func" and function.body is not None:
            yield from _unpassed(function)


def _reached(known: Mapping[str, Calls], other: Mapping[str, str]) -> dict[str, None]:
    """The kernels and the functions that they lead to."""
    out = dict.fromkeys(name for name, one in known.items() if one.function.kind == "entry")
    left = list(out)
    while left:
        one = known.get(left.pop())
        for name in (other.get(n, n) for n in (one.reached() if one is not None else ())):
            if name not in out:
                out[name] = None
                left.append(name)
    return out


def _unpassed(function: Function) -> Iterator[Diagnostic]:
    """Parameters and results that the convention does not pass."""
    for one in (*(function.returns or ()), *(function.params or ())):
        if one.type.name in _UNPASSED and not one.dims and not one.vector:
            yield Diagnostic(
                "PTX0023",
                f"`{one.name}` of `{function.name}` is a .{one.type}, which ptxas passes to no function that is called",
                help=_instead(one.type),
                span=one.span,
                origin=one.origin,
            )


def _unpassed_by_address(op: Op, signature: Signature | None) -> Iterator[Diagnostic]:
    """The first parameter or result of a call by address that the convention does not pass."""
    for one in (*signature.returns, *signature.params) if signature is not None else ():
        if one.type.name in _UNPASSED and not one.is_array and not one.vector:
            yield _needs(
                op, f"`{op.inst.opcode}` passes a .{one.type}, which ptxas passes to no function", _instead(one.type)
            )
            return


def _instead(type_: ScalarType) -> str:
    if type_.kind == "p":
        return "pass a .b32 of 0 or 1"
    return f"declare it .b{type_.bits}, or pass a .{type_.kind}32"


def _without_prototype(one: Calls) -> Iterator[Diagnostic]:
    """A call by address of what has several results."""
    for op, _ in one.outside:
        given = op.inst.operands.get("ret")
        if "proto" in op.inst.operands and isinstance(given, Params) and len(given.items) > 1:
            yield _needs(op, f"`{op.inst.opcode}` calls by address what has several results", "return one value")


def _without_abi(
    module: Module, several: Function, known: Mapping[str, Calls], reached: Mapping[str, None]
) -> Iterator[Diagnostic]:
    """What does not go beside a function with several results."""
    way = f"`{several.name}` has several results: return one, the others through a pointer"
    for one in known.values():
        for op, _ in one.outside:
            what = (
                "by address"
                if "proto" in op.inst.operands
                else f"`{op.inst.operands['callee']}`, which the system brings"
            )
            yield _needs(op, f"`{op.inst.opcode}` calls {what}, in a module without a calling convention", way)
        if one.moved is not None and one.function.name in reached:
            yield _needs(
                one.moved, f"`{one.moved.inst.opcode}` takes the address of a function, which nothing may call", way
            )
    for item in module.items:
        if isinstance(item, VarDecl) and item.space in _IN_MEMORY:
            for name in references(item):
                if module.function(name) is not None:
                    message = f"a variable holds the address of `{name}`, which nothing may call"
                    yield Diagnostic("PTX0023", message, help=way, span=item.span, origin=item.origin)
                    break
    for name in reached:
        if name in known and (op := _back(name, known)) is not None:
            yield _needs(op, f"`{name}` calls itself, in a module without a calling convention", way)


def _back(name: str, known: Mapping[str, Calls]) -> Op | None:
    """The first call in a function that leads back to it."""
    for first, op in known[name].calls.items():
        seen, left = {first}, [first]
        while left:
            one = left.pop()
            if one == name:
                return op
            more = [n for n in (known[one].calls if one in known else ()) if n not in seen]
            seen.update(more)
            left += more
    return None


def _needs(op: Op, message: str, help: str) -> Diagnostic:
    return Diagnostic("PTX0023", message, help=help).at(op.span, op.origin)
