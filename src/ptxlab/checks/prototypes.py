"""Functions that are declared more than once, and their other names."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ptxlab.checks.alignments import check_alignment
from ptxlab.checks.attributes import check_attributes
from ptxlab.checks.names import Names, too_large
from ptxlab.diag import Diagnostic
from ptxlab.isa.sregs import is_special
from ptxlab.isa.targets import ptx
from ptxlab.ptx.declare import prototype_parts
from ptxlab.ptx.functions import SYSTEM_FUNCTIONS, aliases, params_of
from ptxlab.ptx.scope import twice
from ptxlab.ptx.tree import (
    Directive,
    Function,
    Module,
    Param,
    Prototype,
    VarDecl,
    Words,
    alignment,
    alignments,
    attributes,
)

_PRESERVE = ptx(9, 0)
_MOST_PRESERVED = {".abi_preserve": ("registers", 239), ".abi_preserve_control": ("control registers", 11)}
_LOCAL_REGISTERS = ptx(8, 8)
_OLD_BLOCK, _BLOCK = 4352, 32_764  # what ptxas takes of a kernel's parameters, in bytes


def check_function(node: Function, names: Names) -> Iterator[Diagnostic]:
    """What is wrong with a function beside those in front of it, which it joins."""
    known = names.module.get(node.name)
    if isinstance(known, VarDecl) or is_special(node.name):
        yield twice(node.name)
    elif known is not None:
        yield from _again(known, node)
    if node.linkage == ".extern" and node.body is not None:
        yield Diagnostic(
            "PTX0015", f"`{node.name}` is declared .extern and has a body", help="leave out `.extern`, or the body"
        )
    elif node.linkage == ".common":
        yield Diagnostic("PTX0015", f"`{node.name}` is a function, and .common is for variables", help="leave it out")
    returns = node.returns or ()
    if len(returns) > 1 and any(p.space == "param" for p in returns):
        yield Diagnostic(
            "PTX0015", f"`{node.name}` returns more than one .param", help="return them in .reg, or in one array"
        )
    yield from _directives(node, names)
    if node.kind == "entry":
        yield from _block(node, names)
    if known is None or node.body is not None:
        names.module[node.name] = node


def check_prototype(node: Prototype, names: Names) -> Iterator[Diagnostic]:
    """What is wrong with a .callprototype: less than with a function, for ptxas looks at little of it."""
    returns, params, directives = prototype_parts(node)
    if len(returns) > 1 and any(p.space == "param" for p in returns):
        yield Diagnostic(
            "PTX0015", f"`{node.name}` returns more than one .param", help="return them in .reg, or in one array"
        )
    for one in (*returns, *params[:-1]):
        if one.dims and (one.dims[0] is None or one.dims[0].value == 0):
            yield Diagnostic(
                "PTX0015",
                f"a parameter of `{node.name}` has no extent",
                help="the last parameter alone may leave it open",
            )
    for one in (*returns, *params):
        yield from check_size(one)
        yield from check_attributes(attributes(one), one.name, "global", names)
        for align in (*alignments(one), *([int(one.ptr_align.value)] if one.ptr_align is not None else ())):
            yield from check_alignment(align)
    yield from _directives(Function("func", node.name, params, returns, directives), names)


def check_size(one: Param) -> Iterator[Diagnostic]:
    """An extent of a parameter that ptxas does not read."""
    if any(d is not None and too_large(int(d.value)) for d in one.dims):
        yield Diagnostic(
            "PTX0015", f"an extent of the parameter `{one.name}` does not fit 32 bits", help="pass a pointer"
        )


def _directives(node: Function, names: Names) -> Iterator[Diagnostic]:
    """What is wrong with the directives of a function; those of kernels are looked at with the kernel."""
    for one in node.directives if node.kind == "func" else ():
        if one.name in _MOST_PRESERVED:
            yield from names.needs(f"`{one.name}`", _PRESERVE)
            what, most = _MOST_PRESERVED[one.name]
            if len(one.values) != 1 or not 0 <= int(one.values[0].value) <= most:
                yield Diagnostic(
                    "PTX2020", f"`{one.name}` takes a number of {what}", help=f"e.g. `{one.name} 8`, up to {most}"
                )
        elif one.name == ".local_maxnreg":
            yield from _local_registers(one, node, names)
        elif one.name == ".noreturn" and node.returns:
            yield Diagnostic(
                "PTX2021", f"`{node.name}` returns a value, and is .noreturn", help="leave `.noreturn` out"
            )


def _local_registers(one: Directive, node: Function, names: Names) -> Iterator[Diagnostic]:
    yield from names.needs("`.local_maxnreg`", _LOCAL_REGISTERS)
    if len(one.values) != 1 or too_large(int(one.values[0].value)) or int(one.values[0].value) < 1:
        yield Diagnostic("PTX2020", "`.local_maxnreg` takes a number of registers", help="e.g. `.local_maxnreg 64`")
    elif node.body is None:
        yield Diagnostic(
            "PTX2021", f"`{node.name}` has no body, and is .local_maxnreg", help="write it where the body is"
        )


def _block(node: Function, names: Names) -> Iterator[Diagnostic]:
    """PTX2313 where the parameters of a kernel take more bytes than there are."""
    _, size = params_of(node.params or ())
    version, target = names.target.version, names.target.target
    large = (version is None or version >= (8, 1)) and (target is None or target.number >= 70)
    most = _BLOCK if large else _OLD_BLOCK
    if size % (1 << 32) > most:  # ptxas counts in 32 bits
        yield Diagnostic(
            "PTX2313",
            f"the parameters of `{node.name}` take {size} bytes, and a kernel has {most}",
            help="pass a pointer" if large else f"pass a pointer; from PTX 8.1 and sm_70 on it is {_BLOCK}",
        )


def _again(known: Function, node: Function) -> Iterator[Diagnostic]:
    if known.kind != node.kind or known.body is not None:
        yield twice(node.name)
    elif node.linkage not in (known.linkage, "" if known.linkage in (".visible", ".weak") else known.linkage):
        yield Diagnostic(
            "PTX0017",
            f"`{node.name}` was declared {known.linkage or 'without linkage'}, and is {node.linkage or 'without'} here",
            help="make the declarations the same",
        )
    else:
        what = difference(known, node)
        if what:
            yield Diagnostic(
                "PTX0017", f"`{node.name}` was declared with other {what}", help="make the declarations the same"
            )


def difference(one: Function, other: Function) -> str:
    """In what two declarations of a function differ; empty where they agree."""
    return (
        _lists(one.returns or (), other.returns or (), "results")
        or _lists(one.params or (), other.params or (), "parameters")
        or ("" if _promises(one) == _promises(other) else "directives")
    )


def _promises(node: Function) -> dict[str, tuple[int, ...]]:
    """What the directives of a function tell those that call it."""
    told = (".noreturn", *_MOST_PRESERVED)
    return {d.name: tuple(int(v.value) for v in d.values) for d in node.directives if d.name in told}


def _lists(one: Sequence[Param], other: Sequence[Param], what: str) -> str:
    if len(one) != len(other):
        return what
    return what if any(_kind(a) != _kind(b) for a, b in zip(one, other, strict=True)) else ""


def _kind(param: Param) -> tuple[object, ...]:
    extents = tuple(int(d.value) if d is not None else 0 for d in param.dims)
    return param.space, param.type, param.vector, extents, alignment(param)


def check_alias(node: Words, names: Names) -> Iterator[Diagnostic]:
    """What is wrong with `.alias other, function;`."""
    words = node.words
    if len(words) != 3 or words[1] != ",":
        yield Diagnostic("PTX0001", "`.alias` takes two names", help="write `.alias other, function;`")
        return
    name, target = words[0], words[2]
    for one in (name, target):
        known = names.module.get(one)
        if known is None:
            yield Diagnostic("PTX0011", f"`{one}` is not declared here", help="declare it in front of its use")
            return
        if isinstance(known, VarDecl):
            yield _alias(f"`{one}` is a variable", "functions alone have other names")
            return
    alias, function = names.module[name], names.module[target]
    assert isinstance(alias, Function)
    assert isinstance(function, Function)
    if name == target:
        yield _alias(f"`{name}` is named as an alias of itself", "name the function that it stands for")
    elif alias.body is not None:
        yield _alias(f"`{name}` has a body of its own", f"declare it alone: `.visible .func {name}();`")
    elif name in names.aliases:
        yield _alias(f"`{name}` is an alias already", "leave one of the two out")
    elif "entry" in (function.kind, alias.kind):
        kernel = target if function.kind == "entry" else name
        yield _alias(f"`{kernel}` is a kernel", "functions alone have other names")
    elif function.linkage in (".weak", ".extern"):
        yield _alias(f"`{target}` is declared {function.linkage}", "declare it .visible")
    elif difference(alias, function):
        yield _alias(
            f"`{name}` and `{target}` have other {difference(alias, function)}", "make the declarations the same"
        )
    names.aliases.add(name)


def _alias(message: str, help: str) -> Diagnostic:
    return Diagnostic("PTX0019", message, help=help)


def check_undefined(module: Module) -> Iterator[Diagnostic]:
    """Functions that are declared, not .extern, and have no body."""
    bodies = {f.name for f in module.functions() if f.body is not None} | set(SYSTEM_FUNCTIONS)
    other = set(aliases(module))
    said: set[str] = set()
    for node in module.functions():
        if node.body is None and node.linkage != ".extern" and node.name not in bodies | other | said:
            said.add(node.name)
            yield Diagnostic(
                "PTX0020",
                f"`{node.name}` is declared, and nothing defines it",
                help="define it, or declare it .extern for another file to bring it",
                span=node.span,
                origin=node.origin,
            )
