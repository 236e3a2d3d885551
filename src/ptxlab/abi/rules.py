"""What a kernel demands of the arrays and tensor maps that it is given, beyond what the parameter block shows."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from ptxlab.abi.arrays import ArrayView
from ptxlab.abi.maps import BoundMap
from ptxlab.diag import Diagnostic, Span
from ptxlab.isa.types import ScalarType
from ptxlab.layout.tensormap import TensorMap
from ptxlab.layout.tensormap_fields import element_fits, element_word


@dataclass(frozen=True, slots=True)
class ArrayRule:
    """What a kernel demands of the array behind one parameter; None and False demand nothing.

    Attributes:
        dtype: PTX type of the elements. Untyped ones ("b32") take any dtype of that size, "b8" any at all,
            integers either sign.
        rank: number of dimensions.
        contiguous: whether elements must lie in C order without gaps.
        align: bytes that the address must be a multiple of.
    """

    dtype: ScalarType | None = None
    rank: int | None = None
    contiguous: bool = False
    align: int = 1


@dataclass(frozen=True, slots=True)
class MapRule:
    """What a kernel demands of the tensor map behind one parameter; None demands nothing.

    Attributes:
        rank: number of dimensions.
        dtype: element type, e.g. "bf16".
        box: extents of the box, innermost first.
        swizzle: "none", "32B", "64B" or "128B".
        im2col: whether it is an im2col map. window: channels and pixels that one copy of it takes.
        room: bytes of shared memory that one copy may fill. place: the line of the kernel that says so.
    """

    rank: int | None = None
    dtype: str | None = None
    box: tuple[int, ...] | None = None
    swizzle: str | None = None
    im2col: bool | None = None
    window: tuple[int, int] | None = None
    room: int | None = None
    place: Span | None = None


Rule = ArrayRule | MapRule


def broken(where: str, arg: Any, a: ArrayView | None, rule: Rule | None) -> Iterator[Diagnostic]:
    """What of `rule` the argument breaks. `where` names it; `a` is the array that it is or describes."""
    if isinstance(rule, MapRule):
        made = arg.map if isinstance(arg, BoundMap) else arg
        if isinstance(made, TensorMap):
            for found in (*_map(where, made, rule), *_float8(where, a, rule)):
                if rule.place is not None:
                    found.notes = (*found.notes, f"the kernel copies through it at {rule.place.shown}")
                yield found
    elif rule is not None and a is not None:
        yield from _array(where, a, rule)


def _map(where: str, made: TensorMap, rule: MapRule) -> Iterator[Diagnostic]:
    if rule.im2col is not None and (made.window is not None) != rule.im2col:
        wants = "an im2col map" if rule.im2col else "a tiled map"
        made_by = "px.TensorMap.im2col(…)" if rule.im2col else "px.tensor_map(array, box=…)"
        yield Diagnostic(
            "PTX2317",
            f"{where} is {'an im2col' if made.window is not None else 'a tiled'} map; the kernel copies through {wants}.",
            help=f"make it with {made_by}",
        )
        return
    if rule.rank is not None and made.rank != rule.rank:
        yield Diagnostic(
            "PTX2308",
            f"{where} is a tensor map of {made.rank} dimensions; the kernel takes {rule.rank}.",
            help="reshape the array before px.tensor_map",
        )
        return
    if rule.dtype is not None and not element_fits(made.dtype, rule.dtype):
        yield Diagnostic(
            "PTX2307",
            f"{where} is a tensor map of {made.dtype}; the kernel takes {rule.dtype}.",
            help=f'convert the array, or px.tensor_map(…, dtype="{element_word(rule.dtype)}") if the sizes agree',
        )
    if rule.room is not None and made.recorded_bytes > rule.room:
        yield Diagnostic(
            "PTX2317",
            f"{where} copies {made.recorded_bytes} bytes at once; the kernel has a tile of {rule.room} for them.",
            help="make the map with a smaller box, or declare a larger tile",
        )
    window = None if made.window is None else (made.window.channels, made.window.pixels)
    if rule.window is not None and window is not None and window != rule.window:
        channels, pixels = rule.window
        yield Diagnostic(
            "PTX2317",
            f"{where} takes {window[0]} channels of {window[1]} pixels a copy; the kernel expects {channels} of {pixels}.",
            help=f"channels={channels}, pixels={pixels}",
        )
    for name, has, wants in (("box", made.box, rule.box), ("swizzle", made.swizzle, rule.swizzle)):
        if wants is not None and has != wants:
            axes = "in the array's axis order " if name == "box" else ""
            shown = tuple(reversed(wants)) if name == "box" else wants
            given = tuple(reversed(has)) if name == "box" else has
            yield Diagnostic(
                "PTX2317",
                f"{where} has {name} {given!r}; the kernel expects {shown!r}.",
                help=f"{axes}{name}={shown!r}",
            )


def _float8(where: str, a: ArrayView | None, rule: MapRule) -> Iterator[Diagnostic]:
    """Of the two types of float8, for which maps have one word, the array's is known."""
    has = a.ptx_type if a is not None else None
    if {has, rule.dtype} == {"e4m3", "e5m2"}:
        yield Diagnostic(
            "PTX2307",
            f"{where} is a tensor map of {a}; the kernel takes {rule.dtype}.",
            help="convert the array, or give its bytes: array.view(np.uint8)",
        )


def _array(where: str, a: ArrayView, rule: ArrayRule) -> Iterator[Diagnostic]:
    if rule.dtype is not None and not _dtype_fits(a, rule.dtype):
        yield Diagnostic(
            "PTX2307",
            f"{where} is {a}; the kernel takes .{rule.dtype}.",
            help="convert it, or give the kernel another type",
        )
    if rule.rank is not None and len(a.shape) != rule.rank:
        yield Diagnostic(
            "PTX2308", f"{where} has {len(a.shape)} dimensions; the kernel takes {rule.rank}.", help="reshape the array"
        )
    if rule.contiguous and not a.contiguous:
        yield Diagnostic(
            "PTX2309",
            f"{where} has strides {a.strides} bytes for shape {a.shape}; the kernel takes contiguous arrays.",
            help="pass a contiguous copy, e.g. numpy.ascontiguousarray(a) or a.contiguous()",
        )
    if a.address % rule.align:
        has = a.address & -a.address
        fresh = f"allocate it with px.empty(shape, dtype, align={rule.align})"
        yield Diagnostic(
            "PTX2310",
            f"{where} begins at an address that is a multiple of {has}, not of {rule.align} as the kernel demands.",
            help=fresh if a.device == "cpu" else "begin the slice elsewhere, or copy it into an array of its own",
        )


def _dtype_fits(a: ArrayView, wanted: ScalarType) -> bool:
    if wanted.name == "b8":
        return True
    if wanted.kind in "bx":
        return a.itemsize == wanted.bytes
    name = a.ptx_type
    if wanted.kind in "us":
        return name is not None and name[0] in "us" and a.itemsize == wanted.bytes
    return name == {"tf32": "f32"}.get(wanted.name, wanted.name)
