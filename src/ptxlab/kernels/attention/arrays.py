"""Arrays that a function of scores reads: biases, slopes, numbers of documents."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, cast

import ptxlab as px
from ptxlab import ArrayView, Diagnostic, array_view, user_span
from ptxlab.kernels.blocks.signature import Extra

KINDS: dict[str, type[px.Register]] = {"float32": px.f32, "bfloat16": px.bf16, "float16": px.f16, "int32": px.s32}
MOST_AXES = 5


@dataclass(frozen=True, slots=True)
class ScoreArray:
    """An array in `score_args=`, as the function of scores sees it: `bias[at.head, at.query, at.key]` loads an element.

    An index is a register of px.u32 or px.s32, or an int. One that lies outside of the array, also one below 0, means the last
    element of its axis: scores behind the last query and key are computed too, and not used.

    `[]` gives a register of px.f32, or px.s32 for an array of int32.

    Attributes:
        k: the builder. kind: the type of its elements, "f32", "bf16", "f16" or "s32".
        start: its address, px.u64. extents: elements along each axis, px.u32. strides: bytes along each axis, px.u64.

    Raises: Diagnostic PTX2308 for another number of indices than the array has axes.

    Example: see attention
    """

    k: px.Builder = field(repr=False)
    kind: str
    start: Any
    extents: tuple[Any, ...]
    strides: tuple[Any, ...]

    def __getitem__(self, indices: Any) -> Any:
        given = cast("tuple[Any, ...]", indices if isinstance(indices, tuple) else (indices,))
        if len(given) != len(self.extents):
            raise Diagnostic(
                "PTX2308",
                f"There are {len(given)} indices for an array of {len(self.extents)} dimensions.",
                help="give one for each",
                origin=user_span(),
            )
        k, place = self.k, self.start
        for index, extent, stride in zip(given, self.extents, self.strides, strict=True):
            place = k.mad.lo.u64(k.cvt.u64.u32(k.min.u32(self._unsigned(index), extent - 1)), stride, place)
        at = px.Address.of(place, space="global")
        if self.kind in ("f32", "s32"):
            return getattr(k.ld.global_, self.kind)(at)
        return getattr(k.cvt.f32, self.kind)(k.ld.global_.b16(at))

    def _unsigned(self, index: Any) -> Any:
        if isinstance(index, int):
            return self.k.mov.u32(index % 2**32)
        return self.k.cvt.u32.s32(index) if index.scalar.name == "s32" else index

    __iter__: ClassVar[None] = None  # Python would ask for elements until one is refused


@dataclass(frozen=True, slots=True)
class Kind:
    """What the kernel has to know of such an array while it is traced: its type and how many axes it has."""

    name: str
    axes: int

    @property
    def extras(self) -> list[tuple[str, Any, bool]]:
        """The suffixes and types of its parameters, and whether its rows may be apart."""
        each = [
            (f"{word}{i}", kind, False)
            for word, kind in (("extent", px.u32), ("stride", px.u64))
            for i in range(self.axes)
        ]
        return [("", px.Ptr[px.b8], True), *each]

    def parameters(self, number: int) -> list[Extra]:
        """The parameters of array `number`."""
        return [Extra(f"array{number}{suffix and '_'}{suffix}", kind, strided) for suffix, kind, strided in self.extras]


def kinds_of(arrays: Sequence[ArrayView]) -> tuple[Kind, ...]:
    """The kinds of these arrays."""
    return tuple(Kind(KINDS[x.dtype].scalar.name, len(x.shape)) for x in arrays)


def arguments(x: ArrayView) -> list[Any]:
    """What the kernel is given of an array."""
    return [x, *x.shape, *(stride % 2**64 for stride in x.strides)]


def received(k: px.Builder, kinds: Sequence[Kind], given: Sequence[Any]) -> list[ScoreArray]:
    """The arrays, of the kernel's parameters in their order."""
    out: list[ScoreArray] = []
    rest = list(given)
    for kind in kinds:
        n = kind.axes
        out.append(ScoreArray(k, kind.name, rest[0], tuple(rest[1 : 1 + n]), tuple(rest[1 + n : 1 + 2 * n])))
        rest = rest[1 + 2 * n :]
    return out


def checked(given: Any) -> tuple[ArrayView, ...]:
    """Arrays for a function of scores. Raises: Diagnostic PTX2104, PTX2112, PTX2306, PTX2307, PTX2308."""
    if not isinstance(given, tuple | list):
        raise Diagnostic(
            "PTX2112",
            f"score_args is a {type(given).__name__}.",
            help="give a tuple of arrays: score_args=(bias,)",
            origin=user_span(),
        )
    out: list[ArrayView] = []
    for i, array in enumerate(given):  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]
        x = array_view(array)
        name = f"score_args[{i}]"
        if x.dtype not in KINDS:
            raise Diagnostic(
                "PTX2307", f"{name} is {x}.", help=f"convert it to {' or '.join(KINDS)}", origin=user_span()
            )
        if not 1 <= len(x.shape) <= MOST_AXES:
            raise Diagnostic(
                "PTX2308", f"{name} has {len(x.shape)} dimensions.", help=f"give 1 to {MOST_AXES}", origin=user_span()
            )
        if 0 in x.shape:
            raise Diagnostic("PTX2104", f"{name} is empty.", help="give an element at least", origin=user_span())
        out.append(x)
    return tuple(out)
