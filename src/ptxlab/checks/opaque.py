"""Textures, samplers and surfaces: where a sampler may be, and the properties in their initialisers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from ptxlab.checks.names import Names
from ptxlab.diag import Diagnostic
from ptxlab.isa.types import ScalarType
from ptxlab.ptx.tree import Declarator, InitItem, InitList, Param, Property

_SIZES: Final = ("width", "height", "depth", "array_size", "channel_data_type", "channel_order")
_SAMPLING: Final = ("filter_mode", "addr_mode_0", "addr_mode_1", "addr_mode_2")
_PROPERTIES: Final = {
    "texref": (*_SIZES, *_SAMPLING, "normalized_coords", "num_mipmap_levels", "num_samples"),
    "samplerref": (*_SAMPLING, "force_unnormalized_coords"),
    "surfref": (*_SIZES, "memory_layout"),
}
_WORDS: Final = ("nearest", "linear", "wrap", "mirror", "clamp_ogl", "clamp_to_edge", "clamp_to_border")


def check_sampler(type_: ScalarType, one: Declarator | Param, names: Names) -> Iterator[Diagnostic]:
    """A sampler of its own, which a module has in one of the two modes of textures alone; ptxas lets arrays of them be."""
    if type_.name == "samplerref" and not one.dims and not names.independent:
        yield Diagnostic(
            "PTX0015",
            f"`{one.name}` is a .samplerref, and the module keeps samplers in its textures",
            help="write `texmode_independent` behind the target, or leave the sampler out",
        )


def check_properties(type_: ScalarType, one: Declarator) -> Iterator[Diagnostic]:
    """What is wrong with the initialiser of a texture, a sampler or a surface. In front of the braces of an element ptxas
    overlooks which properties the type has."""
    left: list[tuple[InitItem, int]] = [(one.init, -1)] if isinstance(one.init, InitList) else []
    if one.init is not None and not left:
        yield _wrong(f"`{one.name}` is a .{type_}, and its initialiser is no list of properties", type_)
    while left:
        item, depth = left.pop()
        if isinstance(item, InitList):
            yield from _braces(type_, one, item, depth + 1)
            left += [(inner, depth + 1) for inner in item.items]
        elif not isinstance(item, Property):
            yield _wrong(f"the initialiser of `{one.name}` holds a value without the name of a property", type_)
        elif item.name not in _PROPERTIES[type_.name] and depth == len(one.dims):
            yield _wrong(f"a .{type_} has no property `{item.name}`", type_)
        elif isinstance(item.value, str) and item.value not in _WORDS:
            yield Diagnostic(
                "PTX0014", f"`{item.value}` is no value of `{item.name}`", help=f"the words are {', '.join(_WORDS)}"
            )


def _braces(type_: ScalarType, one: Declarator, item: InitList, depth: int) -> Iterator[Diagnostic]:
    """What is wrong with braces within so many others: more of them than the variable has extents, or elements."""
    extent = one.dims[depth] if depth < len(one.dims) else None
    inner = sum(isinstance(i, InitList) for i in item.items)
    if depth > len(one.dims):
        yield _wrong(f"the initialiser of `{one.name}` has more braces than the variable has extents", type_)
    elif extent is not None and 0 < extent.value < inner:
        yield _wrong(f"the initialiser of `{one.name}` has {inner} elements, and the variable {extent}", type_)


def _wrong(message: str, type_: ScalarType) -> Diagnostic:
    return Diagnostic("PTX0014", message, help=f"a .{type_} has {', '.join(_PROPERTIES[type_.name])}")
