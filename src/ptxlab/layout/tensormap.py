"""Tensor maps: the 128 bytes by which TMA knows a tensor, made and read without a driver."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from operator import index
from struct import Struct
from typing import Any, Final, NoReturn

from ptxlab.diag import Diagnostic, html, raise_all, user_span
from ptxlab.diag.boundary import public
from ptxlab.layout import tensormap_fields as f
from ptxlab.layout.tensormap_fields import ELEMENT_TYPES, Field
from ptxlab.layout.tensormap_rules import ISA as ISA
from ptxlab.layout.tensormap_rules import problems
from ptxlab.layout.tensormap_values import Im2col as Im2col
from ptxlab.layout.tensormap_values import MapValues


def _spelled(*words: str) -> dict[Any, str]:
    """Words by themselves and by what else stands for them: None for the first, 64 for "64B"."""
    sizes = {int(w[:-1]): w for w in words if w[:-1].isdigit()}
    return {None: words[0], **({0: words[0]} if sizes else {}), **sizes, **{w: w for w in words}}


DTYPE_WORDS: Final = {word: word for word in ELEMENT_TYPES}
INTERLEAVE_WORDS: Final = _spelled(*f.INTERLEAVES)
SWIZZLE_WORDS: Final = _spelled(*f.ALL_SWIZZLES)
L2_PROMOTION_WORDS: Final = _spelled(*f.L2_PROMOTIONS)
OOB_FILL_WORDS: Final = _spelled(*f.OOB_FILLS)
TARGET_WORDS: Final = {"sm_90": "sm_90", "sm_100": "sm_100"}

# The map in pieces that are small numbers: address, modes, strides >> 4, their upper bits, extents, element strides with the
# innermost extent of the box, the rest of the box, byte count, alignment.
_PIECES: Final = Struct("<QI4II5IIQQI52x")
_MODES, _HIGHS, _STEPS, _BOX = f.IM2COL.bit, f.STRIDE_HIGH[0].bit, f.ELEMENT_STRIDE[0].bit, f.BOX_OUTER[0].bit
# What a word adds to the modes.
_RANK_AT: Final = f.RANK.bit - _MODES
_ELEMENT_BITS: Final = {
    t.name: t.code << f.ELEMENT.bit - _MODES | t.tf32 << f.TF32.bit - _MODES for t in ELEMENT_TYPES.values()
}
_INTERLEAVE_BITS: Final = {w: i << f.INTERLEAVE.bit - _MODES for i, w in enumerate(f.INTERLEAVES)}
_SWIZZLE_BITS: Final = {
    w: min(i, 3) << f.SWIZZLE.bit - _MODES | max(i - 3, 0) << f.ATOMICITY.bit - _MODES
    for i, w in enumerate(f.ALL_SWIZZLES)
}
_FILL_BITS: Final = {w: i << f.FILL.bit - _MODES for i, w in enumerate(f.OOB_FILLS)}
_L2_BITS: Final = {w: i << f.L2.bit - _MODES for i, w in enumerate(f.L2_PROMOTIONS)}
# Where the values of each dimension go in their piece.
_STRIDE_LOW: Final = f.STRIDE_LOW[0].mask
_HIGH_PLACES: Final = tuple(field.bit - _HIGHS for field in f.STRIDE_HIGH)
_STEP_PLACES: Final = tuple(field.bit - _STEPS for field in f.ELEMENT_STRIDE)
_BOX_PLACES: Final = tuple(field.bit - _BOX for field in f.BOX_OUTER)
_INNER_AT: Final = f.BOX_INNER.bit - _STEPS
_ZEROS: Final = tuple((0,) * n for n in range(f.MAX_RANK + 1))


@dataclass(frozen=True, slots=True, repr=False)
class TensorMap(MapValues):
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
        swizzle: "none", "32B", "64B", "128B", or one of sm_100: "128B_atom_32B", "128B_atom_32B_flip_8B", "128B_atom_64B".
        l2_promotion: "none", "64B", "128B" or "256B".
        oob_fill: "zero" or "nan".
        window: channels, pixels and bounding box of an im2col map; None for a tiled one.

    Example:
        a = px.empty((128, 256), np.float16)
        tm = px.TensorMap.tiled(dtype="f16", address=a, dims=(256, 128), strides=(512,), box=(64, 64), swizzle="128B")
        again = px.TensorMap.decode(tm.encode())
        print(again == tm, again.rank, again.element.bits, again.needs)  # True 2 16 sm_90
        print(tm.recorded_bytes, tm.problems(), tm.unverified)  # 8192 [] ()
        tm.check("sm_90")  # raises what `problems` lists
    """

    # What follows from the rest: the target that `check` has passed for, and the bytes.
    _legal: str | None = field(default=None, init=False, repr=False, compare=False)
    _bytes: bytes | None = field(default=None, init=False, repr=False, compare=False)

    def __repr__(self) -> str:
        copied = f"box {self.box}" if self.window is None else repr(self.window)
        return f"<TensorMap {self.dtype}: dims {self.dims}, strides {self.strides}, {copied}{self._modes()}>"

    def _modes(self) -> str:
        """The modes that are not what they are by default."""
        named = [("swizzle", "none"), ("interleave", "none"), ("l2_promotion", "none"), ("oob_fill", "zero")]
        said = [f"{name} {getattr(self, name)}" for name, usual in named if getattr(self, name) != usual]
        said += [f"element_strides {self.element_strides}"] * any(n != 1 for n in self.element_strides)
        return "".join(f", {words}" for words in said)

    def _repr_html_(self) -> str:
        strides = ("the element's", *self.strides)
        tiled = self.window is None
        rows = [
            (i, self.dims[i], strides[i], *((self.box[i],) if tiled else ()), self.element_strides[i])
            for i in range(self.rank)
        ]
        heads = ("dimension", "extent", "stride in bytes", *(("box",) if tiled else ()), "element stride")
        window = "" if tiled else f", {self.window}"
        modes = f"swizzle {self.swizzle}, interleave {self.interleave}, l2_promotion {self.l2_promotion}, oob_fill {self.oob_fill}"
        title = f"TensorMap of {self.dtype} at {self.address:#x}: {modes}{window}"
        return html.table(heads, rows, title)

    @classmethod
    @public
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
        target: str = "sm_90",
    ) -> TensorMap:
        """The map that cuTensorMapEncodeTiled makes.

        Args:
            dtype: "u8" … "tf32_ftz".
            address: an integer, or an array (NumPy, or anything with `__cuda_array_interface__` or `data_ptr()`).
            dims: extents in elements, innermost first, 1–5 of them.
            strides: bytes, one for each dimension but the innermost.
            box: elements of the box per dimension, innermost first.
            element_strides: default 1 everywhere.
            interleave, swizzle, l2_promotion, oob_fill: as `TensorMap` describes them; sizes may be numbers, e.g. 128 for "128B".
            target: "sm_90", or "sm_100" for what an H100's driver refuses; see `unverified`.

        Raises: Diagnostic PTX2100–PTX2112 and PTX2124, where the driver would refuse without a word. All findings come in one.
        """
        dims = _ints("dims", dims)
        found = cls(
            dtype=_word("dtype", dtype, DTYPE_WORDS),
            address=address_of(address),
            dims=dims,
            strides=_ints("strides", strides),
            box=_ints("box", box),
            element_strides=_ints("element_strides", element_strides)
            if element_strides is not None
            else (1,) * len(dims),
            interleave=_word("interleave", interleave, INTERLEAVE_WORDS),
            swizzle=_word("swizzle", swizzle, SWIZZLE_WORDS),
            l2_promotion=_word("l2_promotion", l2_promotion, L2_PROMOTION_WORDS),
            oob_fill=_word("oob_fill", oob_fill, OOB_FILL_WORDS),
        )
        found.check(target)
        return found

    @classmethod
    @public
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
        target: str = "sm_90",
    ) -> TensorMap:
        """The map that cuTensorMapEncodeIm2col makes, of a tensor of 3–5 dimensions C, W, (H, (D,)) N.

        Args:
            lower, upper: corners of the bounding box relative to the tensor's, one per spatial dimension, innermost first.
            channels, pixels: what one copy takes: elements of the channel dimension (1–256), and pixels (1–1024).
            dtype, address, dims, strides, element_strides, interleave, swizzle, l2_promotion, oob_fill, target: as in `tiled`.

        Raises: Diagnostic PTX2100–PTX2115, PTX2124.

        Example:
            image = px.empty((4, 16, 16, 64), np.float16)  # N, H, W, C
            tm = px.TensorMap.im2col(
                dtype="f16", address=image, dims=(64, 16, 16, 4), strides=(128, 2048, 32768),
                lower=(-1, -1), upper=(-1, -1), channels=64, pixels=128, swizzle="128B",
            )
            print(tm.window.pixels, tm.window.lower)  # 128 (-1, -1)
        """
        dims = _ints("dims", dims)
        window = Im2col(
            _ints("lower", lower), _ints("upper", upper), _int("channels", channels), _int("pixels", pixels)
        )
        found = cls(
            dtype=_word("dtype", dtype, DTYPE_WORDS),
            address=address_of(address),
            dims=dims,
            strides=_ints("strides", strides),
            box=(),
            element_strides=_ints("element_strides", element_strides)
            if element_strides is not None
            else (1,) * len(dims),
            interleave=_word("interleave", interleave, INTERLEAVE_WORDS),
            swizzle=_word("swizzle", swizzle, SWIZZLE_WORDS),
            l2_promotion=_word("l2_promotion", l2_promotion, L2_PROMOTION_WORDS),
            oob_fill=_word("oob_fill", oob_fill, OOB_FILL_WORDS),
            window=window,
        )
        found.check(target)
        return found

    @classmethod
    @public
    def im2col_wide(cls, *, dims: Sequence[int], lower: int, upper: int, mode: str = "w", **others: Any) -> TensorMap:
        """The map that cuTensorMapEncodeIm2colWide makes: only W has offsets. `others` as in `im2col`.

        Args:
            dims: extents in elements, innermost first. lower, upper: corners of the bounding box along W.

        The bytes are those of an im2col map whose other offsets are 0; `mode` ("w" or "w128") leaves no trace in them.
        The instructions that use it need sm_100.

        Example:
            image = px.empty((4, 16, 16, 64), np.float16)
            tm = px.TensorMap.im2col_wide(
                dtype="f16", address=image, dims=(64, 16, 16, 4), strides=(128, 2048, 32768),
                lower=-1, upper=-1, channels=64, pixels=128, swizzle="128B",
            )
            print(tm.window.lower)  # (-1, 0)
        """
        _word("mode", mode, {"w": "w", "w128": "w128"})
        dims = _ints("dims", dims)
        rest = (0,) * max(0, len(dims) - 3)
        return cls.im2col(dims=dims, lower=(lower, *rest), upper=(upper, *rest), **others)

    @property
    def unverified(self) -> tuple[str, ...]:
        """What of the encoding no driver was asked about, in words; empty for maps of sm_90, whose every bit was compared."""
        out: list[str] = []
        if self.element.group > 1:
            out.append(f"element type {self.dtype}: the code is what ptxas writes for tensormap.replace on sm_100a")
            out.append("byte count in the upper half: the gaps in shared memory are counted")
        if self.swizzle in f.NEWER_SWIZZLES:
            out.append(f"swizzle {self.swizzle}: the field is where ptxas writes it for tensormap.replace on sm_100a")
            out.append("alignment in the upper half: the length of the swizzle's pattern, as for the other swizzles")
        return tuple(out)

    def problems(self, target: str = "sm_90") -> list[Diagnostic]:
        """Why the driver would refuse this map; empty if it would accept it.

        Args:
            target: "sm_90" or "sm_100".

        Raises: Diagnostic PTX2112 for another target.
        """
        return problems(self, _word("target", target, TARGET_WORDS))

    def check(self, target: str = "sm_90") -> None:
        """Raise what `problems` finds for a `target` ("sm_90" or "sm_100"), all in one."""
        found = self.problems(target)
        if found:
            origin = user_span()
            raise_all([d.at(origin=origin) for d in found])
        object.__setattr__(self, "_legal", target)

    def encode(self, target: str = "sm_90") -> bytes:
        """The 128 bytes that the driver makes.

        Args:
            target: "sm_90", or "sm_100" for maps that an H100's driver refuses; see `unverified`.

        Raises: Diagnostic for a map that the driver would refuse (a decoded or a hand-made one).
        """
        if self._legal != target:
            self.check(target)
        if self._bytes is None:
            object.__setattr__(self, "_bytes", self._packed())
            assert self._bytes is not None
        return self._bytes

    def _packed(self) -> bytes:
        rank = len(self.dims)
        rest = _ZEROS[f.MAX_RANK - rank]
        modes = rank - 1 << _RANK_AT | _ELEMENT_BITS[self.dtype] | _INTERLEAVE_BITS[self.interleave]
        modes |= _SWIZZLE_BITS[self.swizzle] | _FILL_BITS[self.oob_fill] | _L2_BITS[self.l2_promotion]
        highs = steps = box = 0
        for stride, bit in zip(self.strides, _HIGH_PLACES, strict=False):
            highs |= stride >> 36 << bit
        for step, bit in zip(self.element_strides, _STEP_PLACES, strict=False):
            steps |= step - 1 << bit
        if self.window is None:
            steps |= self.box[0] - 1 << _INNER_AT
            for extent, bit in zip(self.box[1:], _BOX_PLACES, strict=False):
                box |= extent - 1 << bit
        else:
            modes |= 1
            steps |= self.window.channels - 1 << _INNER_AT
            box = _window_bits(self.window, rank)
        pieces = (
            self.address,
            modes,
            *[s >> 4 & _STRIDE_LOW for s in self.strides],
            *rest,
            highs,
            *[d - 1 for d in self.dims],
            *rest,
            steps,
            box,
            self.recorded_bytes,
            f.PERIOD[self.swizzle],
        )
        return _PIECES.pack(*pieces)

    @classmethod
    @public
    def decode(cls, data: bytes | bytearray | memoryview) -> TensorMap:
        """Read a map back from its 128 bytes, `data`.

        The upper half, which follows from the lower one, is not looked at, so that a map whose fields were replaced on the
        device can be read too; `problems()` says whether the fields make sense together.

        Raises: Diagnostic PTX2116 where the bytes have another length, or hold a value that no field knows.
        """
        raw = bytes(data)
        if len(raw) != f.NBYTES:
            _undecodable(f"A tensor map has {f.NBYTES} bytes; these are {len(raw)}.")
        n = int.from_bytes(raw, "little")
        rank = _get(n, f.RANK) + 1
        if rank > f.MAX_RANK:
            _undecodable(f"The rank field says {rank}; a tensor map has 1 to {f.MAX_RANK} dimensions.")
        if _get(n, f.SWIZZLE_HIGH):
            _undecodable("The swizzle field says spans of 96 bytes (sm_103a), for which there is no word.")
        swizzle, atoms = _get(n, f.SWIZZLE), _get(n, f.ATOMICITY)
        if atoms and swizzle != 3:
            _undecodable(
                f"The swizzle field holds {swizzle} with atoms of kind {atoms}; only spans of 128 bytes have such."
            )
        interleave = _get(n, f.INTERLEAVE)
        if interleave >= len(f.INTERLEAVES):
            _undecodable(f"The interleave field holds {interleave}; 0, 1 and 2 are known.")
        dims = tuple(_get(n, field) + 1 for field in f.DIM[:rank])
        low_high = zip(f.STRIDE_LOW[: rank - 1], f.STRIDE_HIGH, strict=False)
        strides = tuple(_get(n, low) << 4 | _get(n, high) << 36 for low, high in low_high)
        window = _window(n, rank) if _get(n, f.IM2COL) else None
        box = () if window else tuple(_get(n, field) + 1 for field in (f.BOX_INNER, *f.BOX_OUTER)[:rank])
        return cls(
            dtype=_element_name(_get(n, f.ELEMENT), bool(_get(n, f.TF32))),
            address=_get(n, f.ADDRESS),
            dims=dims,
            strides=strides,
            box=box,
            element_strides=tuple(_get(n, field) + 1 for field in f.ELEMENT_STRIDE[:rank]),
            interleave=f.INTERLEAVES[interleave],
            swizzle=f.ALL_SWIZZLES[swizzle + atoms],
            l2_promotion=f.L2_PROMOTIONS[_get(n, f.L2)],
            oob_fill=f.OOB_FILLS[_get(n, f.FILL)],
            window=window,
        )


def address_of(value: Any) -> int:
    """The address that an integer or an array (NumPy, `__cuda_array_interface__`, `data_ptr()`) stands for.

    Raises: Diagnostic PTX2119 for anything else.
    """
    try:
        return index(value)
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
        return index(value)
    except TypeError:
        raise Diagnostic("PTX2123", f"{name} must be an integer, not {value!r}.", origin=user_span(), isa=ISA) from None


def _ints(name: str, values: Iterable[Any]) -> tuple[int, ...]:
    try:
        return tuple(map(index, values))
    except TypeError:
        pass
    try:
        each = iter(values)
    except TypeError:
        raise _no_list(name, values) from None
    return tuple(_int(name, v) for v in each)


def _no_list(name: str, values: object) -> Diagnostic:
    return Diagnostic(
        "PTX2100",
        f"{name} must list one integer per dimension, not {values!r}.",
        help="write a tuple, innermost dimension first",
        origin=user_span(),
        isa=ISA,
    )


def _word(name: str, value: Any, known: Mapping[Any, str]) -> str:
    try:
        return known[value]
    except (KeyError, TypeError):
        words = ", ".join(f'"{w}"' for w in dict.fromkeys(known.values()))
    raise Diagnostic(
        "PTX2112", f"{value!r} is no {name} of a tensor map.", help=f"use one of {words}", origin=user_span(), isa=ISA
    )


def _window_bits(w: Im2col, rank: int) -> int:
    """Pixels and corners, which an im2col map has where a tiled one has the outer extents of the box."""
    n = w.pixels - 1 << f.PIXELS.bit - _BOX
    width = f.CORNER_BITS[rank]
    for corner, place in ((w.lower, f.LOWER_CORNER), (w.upper, f.UPPER_CORNER)):
        for i, offset in enumerate(corner):
            n |= (offset & (1 << width) - 1) << place.bit - _BOX + i * width
    return n


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
