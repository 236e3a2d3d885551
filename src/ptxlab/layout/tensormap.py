"""Tensor maps: the 128 bytes by which TMA knows a tensor, made and read without a driver."""

from __future__ import annotations

import operator
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NoReturn

from ptxlab.diag import Diagnostic, raise_all, user_span
from ptxlab.layout import tensormap_fields as f
from ptxlab.layout.swizzle import SWIZZLES, swizzle_atom, swizzle_mode
from ptxlab.layout.tensormap_fields import ELEMENT_TYPES, ElementType, Field

ISA = "Tensor-map"


@dataclass(frozen=True, slots=True)
class Im2col:
    """What an im2col map has in the place of a box.

    Attributes:
        lower, upper: corners of the bounding box, one signed offset per spatial dimension (rank − 2), innermost first.
        channels: elements along the channel dimension that one copy takes (1–256).
        pixels: pixels that one copy takes (1–1024).
    """

    lower: tuple[int, ...]
    upper: tuple[int, ...]
    channels: int
    pixels: int


@dataclass(frozen=True, slots=True)
class TensorMap:
    """A tensor map. Dimension lists are in the driver's order: innermost first.

    Make one by `tiled`, `im2col`, `im2col_wide` (checked) or `decode` (as the bytes have it; `problems()` then checks).

    Attributes:
        dtype: element type, e.g. "bf16"; a key of `ELEMENT_TYPES`.
        address: global address of element 0 in bytes.
        dims: extents in elements.
        strides: byte strides of dimensions 1 … rank − 1; that of dimension 0 is the element's size.
        box: extents of the box in elements (not divided by the element strides); empty for im2col maps.
        element_strides: step between the elements that are taken, per dimension.
        interleave: "none", "16B" or "32B".
        swizzle: "none", "32B", "64B" or "128B".
        l2_promotion: "none", "64B", "128B" or "256B".
        oob_fill: "zero" or "nan".
        window: channels, pixels and bounding box of an im2col map; None for a tiled one.
    """

    dtype: str
    address: int
    dims: tuple[int, ...]
    strides: tuple[int, ...]
    box: tuple[int, ...]
    element_strides: tuple[int, ...]
    interleave: str = "none"
    swizzle: str = "none"
    l2_promotion: str = "none"
    oob_fill: str = "zero"
    window: Im2col | None = None

    @classmethod
    def tiled(
        cls,
        *,
        dtype: str,
        address: Any,
        dims: Sequence[int],
        strides: Sequence[int],
        box: Sequence[int],
        element_strides: Sequence[int] | None = None,
        interleave: str | None = "none",
        swizzle: str | int | None = "none",
        l2_promotion: str | int | None = "none",
        oob_fill: str | None = "zero",
    ) -> TensorMap:
        """The map that cuTensorMapEncodeTiled makes.

        Args:
            dtype: "u8" … "tf32_ftz".
            address: an integer, or an array (NumPy, or anything with `__cuda_array_interface__` or `data_ptr()`).
            dims: extents in elements, innermost first, 1–5 of them.
            strides: bytes, one for each dimension but the innermost.
            box: elements of the box per dimension, innermost first.
            element_strides: default 1 everywhere.

        Raises: Diagnostic PTX2100–PTX2112, where the driver would refuse without a word. All findings come in one.
        """
        dims = _ints("dims", dims)
        found = cls(
            _word("dtype", dtype, tuple(ELEMENT_TYPES)),
            address_of(address),
            dims,
            _ints("strides", strides),
            _ints("box", box),
            _ints("element_strides", element_strides) if element_strides is not None else (1,) * len(dims),
            *_modes(interleave, swizzle, l2_promotion, oob_fill),
        )
        return found._checked()

    @classmethod
    def im2col(
        cls,
        *,
        dtype: str,
        address: Any,
        dims: Sequence[int],
        strides: Sequence[int],
        lower: Sequence[int],
        upper: Sequence[int],
        channels: int,
        pixels: int,
        element_strides: Sequence[int] | None = None,
        interleave: str | None = "none",
        swizzle: str | int | None = "none",
        l2_promotion: str | int | None = "none",
        oob_fill: str | None = "zero",
    ) -> TensorMap:
        """The map that cuTensorMapEncodeIm2col makes, of a tensor of 3–5 dimensions C, W, (H, (D,)) N.

        Args:
            lower, upper: corners of the bounding box relative to the tensor's, one per spatial dimension, innermost first.
            channels, pixels: what one copy takes.
            Others as in `tiled`.

        Raises: Diagnostic PTX2100–PTX2115.
        """
        dims = _ints("dims", dims)
        window = Im2col(
            _ints("lower", lower), _ints("upper", upper), _int("channels", channels), _int("pixels", pixels)
        )
        found = cls(
            _word("dtype", dtype, tuple(ELEMENT_TYPES)),
            address_of(address),
            dims,
            _ints("strides", strides),
            (),
            _ints("element_strides", element_strides) if element_strides is not None else (1,) * len(dims),
            *_modes(interleave, swizzle, l2_promotion, oob_fill),
            window,
        )
        return found._checked()

    @classmethod
    def im2col_wide(cls, *, dims: Sequence[int], lower: int, upper: int, mode: str = "w", **others: Any) -> TensorMap:
        """The map that cuTensorMapEncodeIm2colWide makes: only W has offsets. Other arguments as in `im2col`.

        The bytes are those of an im2col map whose other offsets are 0; `mode` ("w" or "w128") leaves no trace in them.
        The instructions that use it need sm_100.
        """
        _word("mode", mode, ("w", "w128"))
        rest = (0,) * max(0, len(dims) - 3)
        return cls.im2col(dims=dims, lower=(lower, *rest), upper=(upper, *rest), **others)

    @property
    def rank(self) -> int:
        """Number of dimensions of the tensor."""
        return len(self.dims)

    @property
    def element(self) -> ElementType:
        """Element type with its size."""
        return ELEMENT_TYPES[self.dtype]

    def problems(self) -> list[Diagnostic]:
        """Why the driver would refuse this map; empty if it would accept it."""
        from ptxlab.layout.tensormap_rules import problems  # the rules need this type

        return problems(self)

    def _checked(self) -> TensorMap:
        found = self.problems()
        if found:
            origin = user_span()
            raise_all([d.at(origin=origin) for d in found])
        return self

    def encode(self) -> bytes:
        """The 128 bytes that the driver makes for an H100.

        Raises: Diagnostic for a map that the driver would refuse (a decoded or a hand-made one).
        """
        self._checked()
        element = self.element
        assert element.code is not None  # PTX2111 otherwise
        n = self.address
        n |= self.rank - 1 << f.RANK.bit | element.code << f.ELEMENT.bit | element.tf32 << f.TF32.bit
        n |= f.INTERLEAVES.index(self.interleave) << f.INTERLEAVE.bit
        n |= SWIZZLES.index(swizzle_mode(self.swizzle)) << f.SWIZZLE.bit
        n |= f.OOB_FILLS.index(self.oob_fill) << f.FILL.bit | f.L2_PROMOTIONS.index(self.l2_promotion) << f.L2.bit
        for stride, low, high in zip(self.strides, f.STRIDE_LOW, f.STRIDE_HIGH, strict=False):
            n |= (stride >> 4 & low.mask) << low.bit | (stride >> 36) << high.bit
        for dim, field in zip(self.dims, f.DIM, strict=False):
            n |= dim - 1 << field.bit
        for step, field in zip(self.element_strides, f.ELEMENT_STRIDE, strict=False):
            n |= step - 1 << field.bit
        n |= self._box_bits() | self.recorded_bytes << f.BOX_BYTES.bit
        n |= swizzle_atom(swizzle_mode(self.swizzle)) << f.ALIGNMENT.bit
        return n.to_bytes(f.NBYTES, "little")

    def _box_bits(self) -> int:
        if self.window is None:
            n = self.box[0] - 1 << f.BOX_INNER.bit
            for extent, field in zip(self.box[1:], f.BOX_OUTER, strict=False):
                n |= extent - 1 << field.bit
            return n
        w = self.window
        n = 1 << f.IM2COL.bit | w.channels - 1 << f.BOX_INNER.bit | w.pixels - 1 << f.PIXELS.bit
        width = f.CORNER_BITS[self.rank]
        for corner, field in ((w.lower, f.LOWER_CORNER), (w.upper, f.UPPER_CORNER)):
            for i, offset in enumerate(corner):
                n |= (offset & (1 << width) - 1) << field.bit + i * width
        return n

    @property
    def recorded_bytes(self) -> int:
        """The box's byte count as the driver writes it into the upper half: extents divided by their element strides,
        rounded down (so 0 where a stride exceeds an extent). A copy moves `tile_box(map).nbytes`, which can differ."""
        if self.window is not None:
            return self.window.channels * self.window.pixels * self.element.nbytes
        n = self.element.nbytes
        for extent, step in zip(self.box, self.element_strides, strict=True):
            n *= extent // step
        return n

    @classmethod
    def decode(cls, data: bytes | bytearray | memoryview) -> TensorMap:
        """Read a map back from its 128 bytes. The upper half, which follows from the lower one, is not looked at, so that a map
        whose fields were replaced on the device can be read too; `problems()` says whether the fields make sense together.

        Raises: Diagnostic PTX2116 where the bytes have another length, or hold a value that no field knows.
        """
        raw = bytes(data)
        if len(raw) != f.NBYTES:
            _undecodable(f"A tensor map has {f.NBYTES} bytes; these are {len(raw)}.")
        n = int.from_bytes(raw, "little")
        rank = _get(n, f.RANK) + 1
        if rank > f.MAX_RANK:
            _undecodable(f"The rank field says {rank}; a tensor map has 1 to {f.MAX_RANK} dimensions.")
        interleave = _get(n, f.INTERLEAVE)
        if interleave >= len(f.INTERLEAVES):
            _undecodable(f"The interleave field holds {interleave}; 0, 1 and 2 are known.")
        dims = tuple(_get(n, field) + 1 for field in f.DIM[:rank])
        low_high = zip(f.STRIDE_LOW[: rank - 1], f.STRIDE_HIGH, strict=False)
        strides = tuple(_get(n, low) << 4 | _get(n, high) << 36 for low, high in low_high)
        window = _window(n, rank) if _get(n, f.IM2COL) else None
        box = () if window else tuple(_get(n, field) + 1 for field in (f.BOX_INNER, *f.BOX_OUTER)[:rank])
        return cls(
            _element_name(_get(n, f.ELEMENT), bool(_get(n, f.TF32))),
            _get(n, f.ADDRESS),
            dims,
            strides,
            box,
            tuple(_get(n, field) + 1 for field in f.ELEMENT_STRIDE[:rank]),
            f.INTERLEAVES[interleave],
            SWIZZLES[_get(n, f.SWIZZLE)],
            f.L2_PROMOTIONS[_get(n, f.L2)],
            f.OOB_FILLS[_get(n, f.FILL)],
            window,
        )


def address_of(value: Any) -> int:
    """The address that an integer or an array (NumPy, `__cuda_array_interface__`, `data_ptr()`) stands for.

    Raises: Diagnostic PTX2119 for anything else.
    """
    try:
        return operator.index(value)
    except TypeError:
        pass
    for name in ("__array_interface__", "__cuda_array_interface__"):
        interface = getattr(value, name, None)
        if interface is not None:
            return int(interface["data"][0])
    if callable(getattr(value, "data_ptr", None)):
        return int(value.data_ptr())
    raise Diagnostic(
        "PTX2119",
        f"A {type(value).__name__} has no address.",
        help="give an integer or an array",
        origin=user_span(),
    )


def _int(name: str, value: Any) -> int:
    try:
        return operator.index(value)
    except TypeError:
        raise Diagnostic("PTX2123", f"{name} must be an integer, not {value!r}.", origin=user_span(), isa=ISA) from None


def _ints(name: str, values: Iterable[Any]) -> tuple[int, ...]:
    if isinstance(values, Iterable):
        return tuple(_int(name, v) for v in values)
    raise Diagnostic(
        "PTX2100",
        f"{name} must list one integer per dimension, not {values!r}.",
        help="write a tuple, innermost dimension first",
        origin=user_span(),
        isa=ISA,
    )


def _word(name: str, value: Any, known: tuple[str, ...]) -> str:
    if value in known:
        return value
    words = ", ".join(f'"{w}"' for w in known)
    raise Diagnostic(
        "PTX2112", f"{value!r} is no {name} of a tensor map.", help=f"use one of {words}", origin=user_span(), isa=ISA
    )


def _modes(interleave: Any, swizzle: Any, l2_promotion: Any, oob_fill: Any) -> tuple[str, str, str, str]:
    """The four modes in the project's spelling, from words and their numeric aliases."""

    def spelled(value: Any) -> Any:
        if value is None or (isinstance(value, int) and value == 0):
            return "none"
        return f"{value}B" if isinstance(value, int) else value

    return (
        _word("interleave", spelled(interleave), f.INTERLEAVES),
        _word("swizzle", spelled(swizzle), (*SWIZZLES, *f.NEWER_SWIZZLES)),
        _word("l2_promotion", spelled(l2_promotion), f.L2_PROMOTIONS),
        _word("oob_fill", "zero" if oob_fill is None else oob_fill, f.OOB_FILLS),
    )


def _get(n: int, field: Field) -> int:
    return n >> field.bit & field.mask


def _element_name(code: int, tf32: bool) -> str:
    for t in ELEMENT_TYPES.values():
        if t.code == code and t.tf32 == tf32:
            return t.name
    _undecodable(
        f"The element-type field holds {code}{' with the tf32 bit' if tf32 else ''}, which no type is known for."
    )


def _window(n: int, rank: int) -> Im2col:
    if rank not in f.CORNER_BITS:
        _undecodable(f"An im2col map has 3 to 5 dimensions; the rank field says {rank}.")
    width = f.CORNER_BITS[rank]
    sign = 1 << width - 1

    def corner(field: Field) -> tuple[int, ...]:
        raw = (_get(n, Field(field.bit + i * width, width)) for i in range(rank - 2))
        return tuple((x ^ sign) - sign for x in raw)

    return Im2col(corner(f.LOWER_CORNER), corner(f.UPPER_CORNER), _get(n, f.BOX_INNER) + 1, _get(n, f.PIXELS) + 1)


def _undecodable(message: str) -> NoReturn:
    raise Diagnostic("PTX2116", message, help="give the bytes as a driver made them", origin=user_span(), isa=ISA)
