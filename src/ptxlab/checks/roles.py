"""Parameters of functions and of their calls: who may read and write them, and that nothing else is done with them."""

from __future__ import annotations

from collections.abc import Iterator

from ptxlab.diag import Diagnostic
from ptxlab.isa.effects import Access
from ptxlab.isa.operands import Addr, Operand, Params, Symbol
from ptxlab.ptx.program import Op, Program


def check_roles(program: Program) -> Iterator[Diagnostic]:
    """What ptxas refuses of what instructions do with parameters."""
    signature = program.signature
    taken = {p.name for p in (signature.params if signature is not None else program.params)}
    returned = {p.name for p in signature.returns} if signature is not None else set[str]()
    passed = {v.name for v in program.variables if v.space == "param"}
    if signature is None and not passed:
        return
    results = set(_results(program))
    for op in program.ops:
        for operand in op.inst.operands.values():
            symbol = operand.base if isinstance(operand, Addr) else operand
            if not isinstance(symbol, Symbol) or symbol.space != "param::func":
                continue
            if symbol.name in passed:
                found = _hidden(op, operand, symbol, taken, returned) or _of_call(op, operand, symbol, results)
            else:
                found = _of_function(op, operand, symbol, taken, returned)
            if found is not None:
                yield found.at(op.span, op.origin)


def _results(program: Program) -> Iterator[str]:
    """The parameters that calls write."""
    for op in program.ops:
        given = op.inst.operands.get("ret") if "callee" in op.inst.operands else None
        for item in given.items if isinstance(given, Params) else (given,):
            if isinstance(item, Symbol):
                yield item.name


def _kind(op: Op) -> str:
    effect = op.inst.form.effect
    return effect.kind if isinstance(effect, Access) else ""


def _of_function(op: Op, operand: Operand, symbol: Symbol, taken: set[str], returned: set[str]) -> Diagnostic | None:
    """A parameter of the function itself, by its name."""
    if not isinstance(operand, Addr) or symbol.indexed:  # ptxas overlooks elements of arrays
        return None
    if symbol.name in returned and op.inst.mods.get("space") == "param::entry":
        return _no_entry(op, symbol)
    if symbol.name in taken and _kind(op) == "store":
        return Diagnostic(
            "PTX0108",
            f"`{op.inst.opcode}` writes `{symbol.name}`, which the function is given",
            help="write what it returns, or a variable of your own",
        )
    if symbol.name in returned and _kind(op) == "load":
        return Diagnostic(
            "PTX0108",
            f"`{op.inst.opcode}` reads `{symbol.name}`, which the function returns",
            help="keep the value in a register",
        )
    return None


def _hidden(op: Op, operand: Operand, symbol: Symbol, taken: set[str], returned: set[str]) -> Diagnostic | None:
    """A call's parameter with the name of one of the function's own: ptxas goes by the name, and takes it for that one."""
    name = _written(symbol)
    one_of = (taken if _kind(op) == "store" else returned) if isinstance(operand, Addr) else ()
    if name not in one_of:
        return None
    return Diagnostic(
        "PTX0108",
        f"`{op.inst.opcode}` of `{name}`, which a call passes: ptxas takes it for the function's parameter of the same name",
        help="rename one of the two",
    )


def _written(symbol: Symbol) -> str:
    """Its name in the text: without what tells it from others in the program."""
    return symbol.name.partition("#")[0]


def _no_entry(op: Op, symbol: Symbol) -> Diagnostic:
    return Diagnostic(
        "PTX0108",
        f"`{symbol.name}` lies in .param::func, but `{op.inst.opcode}` accesses .param::entry",
        help="write .param::func, or .param alone",
    )


def _of_call(op: Op, operand: Operand, symbol: Symbol, results: set[str]) -> Diagnostic | None:
    """A .param in a body, which calls pass."""
    if not isinstance(operand, Addr) or _kind(op) not in ("load", "store"):
        return Diagnostic(
            "PTX0108",
            f"`{op.inst.opcode}` takes the address of `{_written(symbol)}`, which a call passes and nobody else sees",
            help="declare a .local variable where an address is wanted",
        )
    if op.inst.mods.get("space") == "param::entry":
        return _no_entry(op, symbol)
    if op.guard is not None:
        return Diagnostic(
            "PTX0108",
            f"`{op.inst.opcode}` of `{_written(symbol)}`, which a call passes, stands behind a guard",
            help="branch around it together with the call",
        )
    if _kind(op) == "load" and symbol.name not in results:
        return Diagnostic(
            "PTX0108",
            f"`{op.inst.opcode}` reads `{_written(symbol)}`, and no call gives a result in it",
            help=f"call a function with ({_written(symbol)}) as its result first",
        )
    return None
