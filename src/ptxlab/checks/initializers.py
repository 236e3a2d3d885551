"""Initialisers against the variables that they are for: their shape, and the values in them."""

from __future__ import annotations

from collections.abc import Iterator

from ptxlab.checks.calls import literal_fits
from ptxlab.checks.names import Names
from ptxlab.checks.opaque import check_properties
from ptxlab.diag import Diagnostic
from ptxlab.isa import releases
from ptxlab.isa.operands import Imm
from ptxlab.isa.targets import ptx
from ptxlab.isa.types import ScalarType
from ptxlab.ptx.numbers import literal
from ptxlab.ptx.tree import Declarator, Function, InitItem, InitList, Masked, Property, Reloc, VarDecl

_MASKS = ptx(7, 1)
_MASKED_NUMBERS = ptx(7, 2)
_BITS = 64  # of a literal
_SELF = (13, 4)  # the first ptxas that takes a variable's address in its own initialiser
_ADDRESSES = ("u32", "u64")
_MASKED = ("u8", *_ADDRESSES)


def check_initializer(node: VarDecl, one: Declarator, names: Names) -> Iterator[Diagnostic]:
    """What is wrong with the initialiser of a variable; it has one."""
    assert one.init is not None
    if node.linkage == ".extern" or node.space not in ("global", "const"):
        where = "declared .extern" if node.linkage == ".extern" else f"in .{node.space} memory"
        yield _wrong(
            f"`{one.name}` is {where}, and has no initial value",
            "leave the initialiser out, and store the values in the kernel",
        )
        return
    if node.type.kind == "o":
        yield from check_properties(node.type, one)
        return
    if node.type.bits == 16 and node.type.kind == "f":
        yield _wrong(
            f"a variable of type .{node.type} has no initial value", "declare it as .b16, with the bits as an integer"
        )
        return
    shape = [*one.dims, *([node.vector] if node.vector else [])]
    extents = [int(d.value) if isinstance(d, Imm) else d for d in shape]
    found = next(_shaped(node, one, one.init, extents, names), None)
    if found is not None:
        yield found


def _wrong(message: str, help: str) -> Diagnostic:
    return Diagnostic("PTX0014", message, help=help)


def _shaped(
    node: VarDecl, one: Declarator, init: InitItem, extents: list[int | None], names: Names
) -> Iterator[Diagnostic]:
    """What is wrong, with `extents` of the dimensions that are left."""
    if not extents:
        if isinstance(init, InitList):
            yield _wrong(f"braces stand in the initialiser of `{one.name}` where one value should", "leave them out")
        else:
            yield from _value(node, one.name, init, names)
        return
    if not isinstance(init, InitList):
        yield _wrong(f"one value stands in the initialiser of `{one.name}` where a list should", "write it in braces")
        return
    extent, vector = extents[0], bool(node.vector) and len(extents) == 1
    if not extent and not init.items:
        yield _wrong(f"the initialiser of `{one.name}` is empty, and so is the array", "give its extent")
    elif extent and (len(init.items) > extent or (vector and len(init.items) != extent)):
        what = f"a vector of {extent}" if vector else f"{extent} elements"
        yield _wrong(
            f"the initialiser of `{one.name}` has {len(init.items)} values for {what}",
            "give one value for each element",
        )
    else:
        simple = len(extents) == 1
        for item in init.items:
            if simple and isinstance(item, Imm) and _literal_fits(node.type, item):
                continue  # most are
            yield from _shaped(node, one, item, extents[1:], names)


def _literal_fits(type_: ScalarType, item: Imm) -> bool:
    """Whether a number may be an element of a variable: of some types nobody can write any."""
    return type_.kind in "busf" and literal_fits(item, type_)


def _value(node: VarDecl, name: str, item: InitItem, names: Names) -> Iterator[Diagnostic]:
    type_ = node.type
    if isinstance(item, Reloc):
        yield from _address(node, name, item, names)
    elif isinstance(item, Masked):
        yield from _mask(name, item.mask)
        yield from names.needs("a mask of a number", _MASKED_NUMBERS)
        yield from _value(node, name, item.byte, names)
    elif isinstance(item, Property):
        yield _wrong(f"`{name}` is no texture, sampler or surface, and has no {item.name}", "give a number")
    elif isinstance(item, Imm) and not _literal_fits(type_, item):
        wants = "a number such as 1.0" if type_.kind == "f" else "an integer"
        if type_.kind not in "usf":
            yield _wrong(f"a variable of type .{type_} has no initial value", "declare it as untyped bits of that size")
        else:
            yield _wrong(f"`{name}` is of type .{type_}, and its initialiser holds {item}", f"write {wants}")


def _address(node: VarDecl, name: str, item: Reloc, names: Names) -> Iterator[Diagnostic]:
    release = names.target.release or releases.NEWEST
    known = names.here(item.name) if item.name != name else node if release >= _SELF else None
    if known is None:
        yield Diagnostic(
            "PTX0011",
            f"the initialiser of `{name}` holds the address of `{item.name}`, which is not declared in front of it",
            help="declare it in front of its use",
        )
        return
    type_ = node.type
    if type_.name not in (_MASKED if item.mask else _ADDRESSES):
        yield _wrong(
            f"`{name}` is of type .{type_}, and its initialiser holds the address of `{item.name}`",
            "addresses stand in variables of type .u64, bytes of them in .u8",
        )
    elif isinstance(known, Function):
        if item.addend or item.generic:
            yield _wrong(
                f"the initialiser of `{name}` counts from the function `{item.name}`", f"write `{item.name}` alone"
            )
    elif known.space not in ("global", "const"):
        yield _wrong(
            f"the initialiser of `{name}` holds the address of `{item.name}` in .{known.space} memory",
            "take the address in the kernel, with mov",
        )
    if item.mask:
        yield from _mask(name, item.mask)
        yield from names.needs("a mask in an initialiser", _MASKS)


def _mask(name: str, written: str) -> Iterator[Diagnostic]:
    mask = literal(written)
    if mask is None or mask.value not in {0xFF << shift for shift in range(0, _BITS, 8)}:
        yield _wrong(f"the mask {written} in the initialiser of `{name}` is no byte", "write e.g. 0xFF00")
