"""What `tensormap.replace` can write into a tensor map: the fields, the values that each takes, and what is refused."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

from ptxlab.diag import Diagnostic, user_span
from ptxlab.isa.targets import Target
from ptxlab.lang.trace.values import Address, Register
from ptxlab.layout import tensormap_fields as fields
from ptxlab.layout.swizzles import SWIZZLES, swizzle_mode

Change: TypeAlias = tuple[str, int, tuple[Any, ...]]
"""The field, its width, its operands behind the map."""


@dataclass(frozen=True, slots=True)
class _Numbers:
    """What a field of a map takes: width in bits, least and greatest value, and what all must be a multiple of."""

    bits: int
    least: int
    most: int
    unit: int = 1


_ADDRESS = _Numbers(64, 0, (1 << 64) - 1, 16)
_DIM = _Numbers(32, 1, (1 << 32) - 1)
_STRIDE = _Numbers(64, 16, fields.MAX_STRIDE - 16, 16)
_BOX = _Numbers(32, 1, fields.MAX_BOX)
_STEP = _Numbers(32, 1, fields.MAX_ELEMENT_STRIDE)


def impossible(what: str, help: str) -> Diagnostic:
    """What no instruction can do to a tensor map."""
    return Diagnostic("PTX2214", what, help=help, origin=user_span(), isa="tensormap.replace")


def named_fields(
    target: Target, dtype: str | None, interleave: str | None, swizzle: Any, oob_fill: str | None, rank: int | None
) -> Iterator[Change]:
    """Fields whose values are words."""
    for name, path, value, words in (
        ("dtype", "elemtype", dtype, fields.REPLACE_TYPES),
        ("interleave", "interleave_layout", interleave, fields.INTERLEAVES),
        ("swizzle", "swizzle_mode", None if swizzle is None else swizzle_mode(swizzle), SWIZZLES),
        ("oob_fill", "fill_mode", oob_fill, fields.OOB_FILLS),
        ("rank", "rank", rank, tuple(range(1, fields.MAX_RANK + 1))),
    ):
        if value is None:
            continue
        if value not in words:
            raise impossible(
                f"{name}={value!r} is nothing that a tensor map can hold on {target}",
                f"use {', '.join(map(repr, words))}",
            )
        yield path, 32, (words.index(value),)


def check_lists(**given: Any) -> None:
    """Fields with a value for each dimension take sequences."""
    for name, values in given.items():
        if values is not None and (isinstance(values, str) or not isinstance(values, Sequence)):
            raise impossible(
                f"`{name}` is {values!r}, no list of one value a dimension", "give a tuple, innermost first"
            )


def places(
    address: Any, dims: Sequence[Any] | None, strides: Sequence[Any] | None, rank: int | None, unit: int
) -> Iterator[Change]:
    """Where the tensor lies, and its geometry: address, extents, strides. `unit`: what places are multiples of, in bytes."""
    known = rank if rank is not None else None if dims is None else len(dims)
    for name, values, wanted in (("dims", dims, known), ("strides", strides, known and known - 1)):
        if values is not None and wanted is not None and len(values) != wanted:
            raise impossible(
                f"`{name}` has {len(values)} values for {known} dimensions",
                f"give {wanted}, innermost first; None leaves one as it is"
                + ("; dimension 0 has no stride: its elements follow each other" if name == "strides" else ""),
            )
    if address is not None:
        yield "global_address", 64, (_value("address", address, replace(_ADDRESS, unit=unit)),)
    yield from _listed("dims", "global_dim", dims, _DIM)
    yield from _listed("strides", "global_stride", strides, replace(_STRIDE, unit=unit))


def boxes(box: Sequence[Any] | None, element_strides: Sequence[Any] | None) -> Iterator[Change]:
    """The box that a copy moves, and its steps."""
    yield from _listed("box", "box_dim", box, _BOX)
    yield from _listed("element_strides", "element_stride", element_strides, _STEP)


def _listed(name: str, path: str, values: Sequence[Any] | None, takes: _Numbers) -> Iterator[Change]:
    most = fields.MAX_RANK - (name == "strides")
    if values is not None and len(values) > most:
        raise impossible(f"`{name}` has {len(values)} values", f"a tensor map has at most {most}")
    for i, value in enumerate(values or ()):
        if value is not None:
            yield path, takes.bits, (i, _value(f"{name}[{i}]", value, takes))


def _value(name: str, value: Any, takes: _Numbers) -> Any:
    """The operand for a field. Raises: Diagnostic PTX2214 for what does not fit it."""
    if isinstance(value, Address) and name == "address" and value.space in ("global", "generic"):
        value = value.register()
    if isinstance(value, Register):
        if value.reg.type.bits != takes.bits or value.scalar.kind not in "bus":
            raise impossible(
                f"`{name}` is {value!r}, but the field takes {takes.bits} bits",
                f"convert it: k.cvt.u{takes.bits}.{value.scalar}(…)",
            )
        return value
    if not isinstance(value, int) or isinstance(value, bool):
        raise impossible(
            f"`{name}` is {value!r}, which a kernel cannot write into a tensor map",
            f"give an int or a register of {takes.bits} bits",
        )
    if not takes.least <= value <= takes.most or value % takes.unit:
        unit = f", a multiple of {takes.unit}" * (takes.unit > 1)
        raise impossible(f"`{name}` is {value}", f"it takes {takes.least} to {takes.most}{unit}")
    return value


def refuse(others: dict[str, Any]) -> None:
    """What is fixed when a map is made on the host."""
    for name in others:
        if name in _HOST_ONLY:
            raise impossible(
                f"no instruction changes {_HOST_ONLY[name]}",
                "pass a second map that the host has made, and use it as like=",
            )
        raise impossible(f"a tensor map has no field `{name}`", f"its fields are {', '.join(_FIELDS)}")


_FIELDS = (
    "address", "dims", "strides", "box", "element_strides", "rank", "dtype", "interleave", "swizzle", "oob_fill",
)  # fmt: skip
_HOST_ONLY = {
    "l2_promotion": "the L2 promotion of a tensor map",
    "lower": "the bounding box of an im2col map",
    "upper": "the bounding box of an im2col map",
    "channels": "the channels of an im2col map",
    "pixels": "the pixels of an im2col map",
}
