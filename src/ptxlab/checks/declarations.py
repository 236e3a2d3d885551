"""Declarations of a module and its functions, as ptxas reads them: from top to bottom, each against those in front of it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ptxlab.checks.alignments import MOST_ALIGNMENT, check_alignment
from ptxlab.checks.attributes import check_attributes
from ptxlab.checks.initializers import check_initializer
from ptxlab.checks.languages import INTERMEDIATE, check_languages
from ptxlab.checks.names import Names
from ptxlab.checks.opaque import check_sampler
from ptxlab.checks.pragmas import check_kernel_pragmas, check_pragma
from ptxlab.checks.prototypes import check_alias, check_function, check_prototype, check_size, check_undefined
from ptxlab.checks.sections import check_file, check_inlined, check_location, check_section
from ptxlab.checks.target import ModuleTarget, check_again
from ptxlab.checks.unresolved import check_arrays
from ptxlab.diag import Diagnostic
from ptxlab.isa.sregs import is_special
from ptxlab.isa.targets import ptx, sm
from ptxlab.isa.types import ScalarType
from ptxlab.ptx.declare import prototype_lists
from ptxlab.ptx.scope import twice
from ptxlab.ptx.tree import (
    Block,
    Declarator,
    File,
    Function,
    Instruction,
    Item,
    Label,
    Loc,
    Module,
    Param,
    Prototype,
    RegDecl,
    Section,
    TopItem,
    VarDecl,
    Words,
    alignments,
    attributes,
)

_PARAMETER_ALIGNMENT = 128  # of what calls pass
_VECTOR_BITS = 128
_WIDE = ptx(8, 3) & sm(70)
# Types that instructions name, and no register or variable has.
_OF_INSTRUCTIONS = frozenset(
    ("bf16", "bf16x2", "tf32", "u16x2", "s16x2", "f32x2", "e4m3", "e5m2", "e2m1", "e2m3", "e3m2")
)
_UNREADABLE = frozenset(
    ("bf16", "bf16x2", "tf32", "e2m1", "e2m3", "e3m2")
)  # of them, those that are a mistake everywhere


def check_declarations(module: Module, target: ModuleTarget, *, whole: bool = False) -> list[Diagnostic]:
    """What is wrong with declarations, outside of functions and in them. `whole`: nothing is linked to the module."""
    header = module.header(".target")
    names = Names(target, independent=header is not None and "texmode_independent" in header.words)
    found: list[Diagnostic] = []
    for item in module.items:
        found += [d.at(item.span, item.origin) if d.span is None else d for d in _top(item, names)]
    return [*found, *check_inlined(names), *check_undefined(module), *check_arrays(module, whole=whole)]


def _top(item: TopItem, names: Names) -> Iterator[Diagnostic]:
    if isinstance(item, VarDecl):
        yield from _variables(item, names, module=True)
    elif isinstance(item, RegDecl):
        yield from _registers(item, names, set(), module=True)
    elif isinstance(item, Function):
        yield from check_function(item, names)
        yield from _parameters(item, names)
        yield from check_languages(item, names)
        yield from check_kernel_pragmas(item)
        if item.body is not None:
            names.local = {}
            taken = {one.name for one in (*(item.returns or ()), *(item.params or ()))}
            yield from _placed(item.body.items, names, taken)
            names.local = {}
    elif isinstance(item, Words) and item.name == ".alias":
        yield from check_alias(item, names)
    elif isinstance(item, Words) and item.name == ".pragma":
        yield from check_pragma(item.words, names, module=True)
    elif isinstance(item, File):
        yield from check_file(item, names)
    elif isinstance(item, Section):
        yield from check_section(item, names)


def _placed(items: Iterable[Item], names: Names, parameters: Iterable[str] = ()) -> Iterator[Diagnostic]:
    """What is wrong in a block and those within it. `parameters`: of its function, if it is the body."""
    found: list[tuple[Item, Diagnostic]] = []
    labels: set[str] = set()
    taken = set(parameters)
    before: Item | None = None
    for item in items:
        behind, before = before, item
        if type(item) is Instruction:
            continue
        if isinstance(item, Block):
            outer, names.local = names.local, dict(names.local)
            yield from _placed(item.items, names)
            names.local = outer
        elif isinstance(item, Loc):
            found += [(item, d) for d in check_location(item, names)]
        elif isinstance(item, RegDecl):
            found += [(item, d) for d in _registers(item, names, labels)]
            taken.update(one.name for one in item.names if one.count is None)
        elif isinstance(item, VarDecl):
            found += [(item, d) for d in _variables(item, names, module=False)]
            found += [(item, twice(one.name)) for one in item.names if one.name in labels]
            taken.update(one.name for one in item.names)
        elif isinstance(item, Words):
            found += [(item, d) for d in _words(item, behind, names)]
        elif isinstance(item, (Label, Prototype)):
            if isinstance(item, Prototype):
                found += [(item, d) for d in check_prototype(item, names)]
                found += [
                    (item, d)
                    for p in prototype_lists(item)
                    for one in p
                    for d in _type(one.type, one.vector, names, array=True)
                ]
            if item.name in taken:
                found.append((item, twice(item.name)))
            labels.add(item.name)
    yield from (d.at(item.span, item.origin) for item, d in found)


def _words(item: Words, behind: Item | None, names: Names) -> Iterator[Diagnostic]:
    """A directive in a function; `behind` is what it stands behind."""
    if item.name == ".alias":
        yield from check_alias(item, names)
    elif item.name == ".pragma":
        yield from check_pragma(item.words, names, module=False)
    elif item.name == ".target":
        yield from check_again(item.words[0], names.target)
    elif item.name == ".loc_intermediate":
        yield from names.needs("`.loc_intermediate`", INTERMEDIATE)
    elif item.name in (".branchtargets", ".calltargets") and not isinstance(behind, Label):
        yield Diagnostic("PTX0001", f"`{item.name}` has no name", help=f"write `name: {item.name} …;`")


def _wrong(message: str, help: str) -> Diagnostic:
    return Diagnostic("PTX0015", message, help=help)


# --- types and alignments


def _type(
    type_: ScalarType, vector: int, names: Names, *, array: bool = False, read_only: bool = False
) -> Iterator[Diagnostic]:
    """What is wrong with a type, wherever it stands. `read_only`: ptxas reads it, and makes nothing of this type, as where
    nothing is named."""
    if type_.name in (_UNREADABLE if read_only else _OF_INSTRUCTIONS) or (
        not read_only and type_.kind == "x" and type_.name != "f16x2"
    ):
        bits = f".b{type_.bits}"
        yield _wrong(f".{type_} is a type of instructions alone", f"declare {bits}, which the instructions take")
    elif type_.bits * max(1, vector) > _VECTOR_BITS:
        yield _wrong(f"a vector of {vector} .{type_} has more than {_VECTOR_BITS} bits", "declare a shorter vector")
    elif type_.kind == "o" and vector:
        yield _wrong(f"a .{type_} makes no vectors", "declare an array")
    elif type_.kind == "p" and vector:
        yield _wrong("predicates make no vectors", "declare them one by one")
    if type_.name == "b128" and not array and not read_only:
        yield from names.needs("the type .b128", _WIDE)


# --- registers


def _registers(node: RegDecl, names: Names, labels: set[str], *, module: bool = False) -> Iterator[Diagnostic]:
    if node.type.kind == "o" and not module:
        yield _wrong(f"no register holds a .{node.type}", "declare it .global, outside of functions")
        return
    words = attributes(node)
    if words:
        alone = [one.name for one in node.names if one.count is None]
        ranges = not alone and ".unified" not in words  # ptxas takes .managed of them
        yield from check_attributes(words, (*alone, "%")[0], "global" if ranges else "reg", names)
    yield from _type(node.type, node.vector, names, read_only=not node.names)
    for align in alignments(node):
        yield from check_alignment(align)
    for one in node.names:
        if one.count is None and one.name in labels:
            yield twice(one.name)


# --- variables


def _variables(node: VarDecl, names: Names, *, module: bool) -> Iterator[Diagnostic]:
    yield from _type(node.type, node.vector, names, array=any(d.dims for d in node.names), read_only=not node.names)
    if node.names or (not module and (node.linkage or node.type.kind == "o")):
        yield from _space(node, names, module=module)
    else:
        yield from check_attributes(attributes(node), "", "global", names)
    for align in alignments(node):
        yield from check_alignment(align, _PARAMETER_ALIGNMENT if node.space == "param" else MOST_ALIGNMENT)
    for one in node.names:
        if module:
            yield from _again(node, one, names)
        yield from _extent(node, one)
        if one.init is not None:
            yield from check_initializer(node, one, names)
        (names.module if module else names.local)[one.name] = node


def _space(node: VarDecl, names: Names, *, module: bool) -> Iterator[Diagnostic]:
    """What is wrong with where a variable lies."""
    name = node.names[0].name if node.names else f".{node.type}"
    if node.type.kind == "p":
        yield _wrong(f"`{name}` is a predicate, and memory holds none", "declare it .reg, or a byte")
    elif node.type.kind == "o" and not (module and (node.space == "global" or _is_table(node))):
        yield _wrong(f"`{name}` is a .{node.type}, and lies in .global memory outside of functions", "declare it there")
    elif node.space == "tex":
        yield _wrong("`.tex` is gone since PTX 1.5", "declare a .global .texref")
    elif module and node.space in ("local", "param"):
        yield _wrong(f"`{name}` lies in .{node.space} memory, which functions have", "declare it in the function")
    elif not module and node.linkage:
        yield _wrong(f"`{name}` is declared {node.linkage} in a function", "declare it outside of functions")
    elif node.linkage == ".common" and node.space != "global":
        yield _wrong(f"`{name}` is declared .common in .{node.space} memory", "such variables lie in .global memory")
    elif node.linkage == ".common" and node.type.kind == "o" and not _is_table(node):
        yield _wrong(f"`{name}` is a .{node.type}, and declared .common", "leave `.common` out")
    elif node.space == "param" and any(not one.dims for one in node.names) and (node.vector or node.type.kind == "x"):
        yield _wrong(f"`{name}` cannot be a parameter", "declare an array of .b8")
    yield from check_attributes(attributes(node), name, node.space, names)
    for one in node.names:
        yield from check_sampler(node.type, one, names)


def _is_table(node: VarDecl) -> bool:
    """Whether a declaration is of arrays alone, where ptxas does not look at what textures need."""
    return node.space in ("global", "const", "shared") and all(one.dims for one in node.names)


def _extent(node: VarDecl, one: Declarator) -> Iterator[Diagnostic]:
    if _is_open(one) and one.init is None and node.linkage != ".extern":
        yield _wrong(f"`{one.name}` has no extent", "give its extent, or an initialiser; .extern may leave it open")
    elif any(d is not None and d.value == 0 for d in one.dims[1:]):
        yield _wrong(f"`{one.name}` has an extent of 0 behind its first", "give all extents but the first")


def _again(node: VarDecl, one: Declarator, names: Names) -> Iterator[Diagnostic]:
    """What is wrong with a name that was declared before."""
    known = names.module.get(one.name)
    if is_special(one.name):
        yield twice(one.name)
    if known is None:
        return
    if isinstance(known, Function):
        yield twice(one.name)
        return
    before = next(d for d in known.names if d.name == one.name)
    if known.linkage != ".extern" and node.linkage != ".extern":
        yield twice(one.name)
    elif (known.type, known.vector) != (node.type, node.vector) or not _same_extents(before, one):
        yield Diagnostic(
            "PTX0017", f"`{one.name}` was declared with another type before", help="make the declarations the same"
        )
    elif known.linkage == ".extern" and not node.linkage:
        yield Diagnostic(
            "PTX0017", f"`{one.name}` was declared .extern, and is defined without .visible", help="define it .visible"
        )


def _same_extents(one: Declarator, other: Declarator) -> bool:
    a, b = ([int(d.value) if d is not None else 0 for d in x.dims] for x in (one, other))
    return len(a) == len(b) and all(x == y or not x or not y for x, y in zip(a, b, strict=True))


# --- parameters


def _parameters(node: Function, names: Names) -> Iterator[Diagnostic]:
    returns, params = node.returns or (), node.params or ()
    for one in (*returns, *params):
        yield from (d.at(one.span, one.origin) for d in _parameter(node, one, names))
    for one in (*returns, *params[:-1]) if node.kind == "func" else ():
        if one.dims and _is_open(one):
            yield _wrong(f"the parameter `{one.name}` has no extent", "the last parameter alone may leave it open")


def _is_open(one: Param | Declarator) -> bool:
    return bool(one.dims) and (one.dims[0] is None or one.dims[0].value == 0)


def _parameter(node: Function, one: Param, names: Names) -> Iterator[Diagnostic]:
    defined = node.body is not None  # of others ptxas reads the parameters and asks little
    yield from _type(one.type, one.vector, names, array=bool(one.dims), read_only=not defined)
    if defined:
        yield from check_sampler(one.type, one, names)
    yield from check_size(one)
    most = _PARAMETER_ALIGNMENT if defined and node.kind == "func" else MOST_ALIGNMENT
    for align in (*alignments(one), *([int(one.ptr_align.value)] if one.ptr_align is not None else [])):
        yield from check_alignment(align, most)
    found = list(_written(node, one))
    if defined and attributes(one) and not found:
        yield from check_attributes(attributes(one), one.name, one.space, names)
    elif defined and not found:
        yield from _held(node, one)
    elif attributes(one) and not found:
        yield from check_attributes(attributes(one), one.name, "global", names)
    yield from found


def _written(node: Function, one: Param) -> Iterator[Diagnostic]:
    """What is wrong with how a parameter is written."""
    entry = node.kind == "entry"
    if len(one.dims) > 1:
        yield _wrong(f"the parameter `{one.name}` has more than one extent", "give the product of its extents")
    elif not entry and not one.align_first:
        yield _wrong(f"`.align` of `{one.name}` stands behind the type", "write it in front of the type")
    elif entry and one.space == "reg":
        yield _wrong(f"the kernel parameter `{one.name}` is a register", "declare it .param")
    elif entry and _is_open(one):
        yield _wrong(f"the parameter `{one.name}` has no extent", "give its extent")
    elif one.ptr and not entry:
        yield _wrong(f"the parameter `{one.name}` is marked .ptr, which kernels alone have", "leave `.ptr` out")
    elif not entry and one.name == "_":
        yield _wrong("a parameter has no name", "give it one: prototypes alone may leave it out")


def _held(node: Function, one: Param) -> Iterator[Diagnostic]:
    """What is wrong with what a parameter holds."""
    if one.space == "reg" and (one.dims or one.type.kind == "o"):
        yield _wrong(f"the parameter `{one.name}` fits no register", "declare it .param")
    elif one.space == "reg":
        return
    elif one.type.kind == "p":
        yield _wrong(
            f"the parameter `{one.name}` is a predicate, and memory holds none", "pass a byte, or a .reg .pred"
        )
    elif one.vector and not one.dims:
        yield _wrong(f"the parameter `{one.name}` is a vector", "declare an array, or a vector in .reg")
    elif not one.dims and (one.type.kind == "x" or (one.type.kind == "o" and node.kind == "func")):
        yield _wrong(f"the parameter `{one.name}` cannot be a .{one.type}", f"declare it .b{one.type.bits}")
