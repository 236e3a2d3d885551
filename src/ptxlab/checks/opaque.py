"""Textures, samplers and surfaces: where a sampler may be, and the properties in their initialisers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from ptxlab.checks.names import Names
from ptxlab.diag import Diagnostic
from ptxlab.isa.types import ScalarType
from ptxlab.ptx.tree import Declarator, InitItem, InitList, Property

_SIZES: Final = ("width", "height", "depth", "array_size", "channel_data_type", "channel_order")
_SAMPLING: Final = ("filter_mode", "addr_mode_0", "addr_mode_1", "addr_mode_2")
_PROPERTIES: Final = {
    "texref": (*_SIZES, *_SAMPLING, "normalized_coords", "num_mipmap_levels", "num_samples"),
    "samplerref": (*_SAMPLING, "force_unnormalized_coords"),
    "surfref": (*_SIZES, "memory_layout"),
}
_WORDS: Final = ("nearest", "linear", "wrap", "mirror", "clamp_ogl", "clamp_to_edge", "clamp_to_border")


def check_sampler(type_: ScalarType, name: str, names: Names) -> Iterator[Diagnostic]:
    """A sampler of its own, which a module has in one of the two modes of textures alone."""
    if type_.name == "samplerref" and not names.independent:
        yield Diagnostic(
            "PTX0015",
            f"`{name}` is a .samplerref, and the module keeps samplers in its textures",
            help="write `texmode_independent` behind the target, or leave the sampler out",
        )


def check_properties(type_: ScalarType, one: Declarator) -> Iterator[Diagnostic]:
    """What is wrong with the initialiser of a texture, a sampler or a surface."""
    left: list[InitItem] = [one.init] if isinstance(one.init, InitList) else []
    if one.init is not None and not left:
        yield _wrong(f"`{one.name}` is a .{type_}, and its initialiser is no list of properties", type_)
    while left:
        item = left.pop()
        if isinstance(item, InitList):
            left += item.items
        elif not isinstance(item, Property):
            yield _wrong(f"the initialiser of `{one.name}` holds a value without the name of a property", type_)
        elif item.name not in _PROPERTIES[type_.name]:
            yield _wrong(f"a .{type_} has no property `{item.name}`", type_)
        elif isinstance(item.value, str) and item.value not in _WORDS:
            yield Diagnostic(
                "PTX0014", f"`{item.value}` is no value of `{item.name}`", help=f"the words are {', '.join(_WORDS)}"
            )


def _wrong(message: str, type_: ScalarType) -> Diagnostic:
    return Diagnostic("PTX0014", message, help=f"a .{type_} has {', '.join(_PROPERTIES[type_.name])}")
