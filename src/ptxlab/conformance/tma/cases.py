"""Random copies through tensor maps that the driver accepts and the hardware carries out: what they are, and in what memory.

Everything comes from raw words of PCG64, like `values`: a record made once must find the same cases for ever.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final, TypeVar

import numpy as np
from numpy.typing import NDArray

from ptxlab.conformance.rows.values import column, words
from ptxlab.conformance.tma.kernels import ADDRESS_AT, BASE_AT, NBYTES_AT, ROW
from ptxlab.isa.types import TYPES
from ptxlab.layout.im2col import Im2colBox, im2col_box
from ptxlab.layout.swizzles import CHUNK, SWIZZLES, swizzle_span
from ptxlab.layout.tensorbox import TileBox, tile_box
from ptxlab.layout.tensormap import Im2col, TensorMap
from ptxlab.layout.tensormap_fields import ELEMENT_TYPES, ElementType

T = TypeVar("T")
SOURCE_BYTES: Final = 1 << 19
"""What loads read: the map's address is an offset into it."""
REGION: Final = 1 << 15
"""What a store or a reduction may write: its map's address is an offset into it."""
_MARGIN: Final = 4096
PLAIN: Final = ("u8", "u16", "u32", "s32", "u64", "s64", "f16", "f32", "f64", "bf16", "f32_ftz")
"""Types whose loads keep every bit."""
_FOOTPRINT: Final = 8192
_EXTREMES: Final = (-(1 << 31), (1 << 31) - 1, -(1 << 20), 1 << 30)
_WIDE_OFFSETS: Final = (31, 32, 33, 127, 128, 255, 256, 257, 1024, 32767, 32768, 65535)


@dataclass(frozen=True, slots=True)
class Case:
    """One copy.

    Attributes:
        key: its name in a record.
        mode: "tile" or "im2col".
        map: its map; the address is an offset into the memory of the case.
        coordinates, offsets: operands, innermost first.
        base: of the box in shared memory, a multiple of 128.
    """

    key: str
    mode: str
    map: TensorMap
    coordinates: tuple[int, ...]
    offsets: tuple[int, ...] = ()
    base: int = 0

    def row(self, nbytes: int, address: int = 0) -> NDArray[np.uint32]:
        """The numbers that a kernel reads; `nbytes`: what the barrier expects. `address`: of the tensor."""
        out = np.zeros(ROW, np.int64)
        out[: len(self.coordinates)] = self.coordinates
        out[5 : 5 + len(self.offsets)] = self.offsets
        out[NBYTES_AT], out[BASE_AT] = nbytes, self.base
        out[ADDRESS_AT : ADDRESS_AT + 2] = address & 0xFFFF_FFFF, address >> 32
        return out.astype(np.uint32)

    @property
    def operands(self) -> NDArray[np.uint8]:
        """Map and operands as bytes, the same on every machine."""
        return np.concatenate([np.frombuffer(self.map.encode(), np.uint8), self.row(0).view(np.uint8)])


class Dice:
    """Random choices that stay the same for the same labels."""

    def __init__(self, *labels: object) -> None:
        self._labels = labels
        self._words = self._endless()

    def _endless(self) -> Iterator[int]:
        block = 0
        while True:
            yield from words(256, *self._labels, block).tolist()
            block += 1

    def below(self, n: int) -> int:
        """0 to n - 1."""
        return (next(self._words) >> 11) % n

    def between(self, low: int, high: int) -> int:
        """low to high, both included."""
        return low + self.below(high - low + 1)

    def pick(self, options: Sequence[T]) -> T:
        """One of several."""
        return options[self.below(len(options))]

    def one_in(self, n: int) -> bool:
        """Seldom true."""
        return self.below(n) == 0


def source() -> NDArray[np.uint8]:
    """What loads read: every 32-bit word differs from all others, so that a word tells where it comes from."""
    index = np.arange(SOURCE_BYTES // 4, dtype=np.uint64)
    return (index * np.uint64(0x9E3779B1) & np.uint64(0xFFFF_FFFF)).astype(np.uint32).view(np.uint8)


def content(case: Case, nbytes: int, seed: int) -> NDArray[np.uint8]:
    """Numbers of the map's type for a case: half of them corners, the rest any bits."""
    size = case.map.element.nbytes
    name = case.map.dtype.removesuffix("_ftz").replace("tf32", "f32")
    return column(TYPES[name], nbytes // size, seed, case.key).astype(f"<u{size}").view(np.uint8)


@dataclass(frozen=True, slots=True)
class Setting:
    """What a case is drawn for.

    Attributes:
        region: bytes of its memory.
        outside: coordinates, corners and offsets may lead out of the tensor on all sides, for loads.
        dtypes: of the map.
    """

    region: int = SOURCE_BYTES
    outside: bool = True
    dtypes: tuple[str, ...] = PLAIN


def cases(kind: str, count: int, seed: object, setting: Setting | None = None) -> list[Case]:
    """So many cases of a kind of `KINDS`: the first ones drawn that the driver accepts and that fit."""
    out: list[Case] = []
    for i in range(count):
        key = f"{kind} {i}"
        dice, found = Dice(seed, key), None
        while found is None or found.map.problems():
            found = KINDS[kind](dice, key, setting or Setting())
        out.append(found)
    return out


def _layout(dice: Dice, dims: Sequence[int], inner: int, unit: int) -> tuple[int, ...]:
    """Byte strides of all dimensions but the first, padded now and then."""
    strides: list[int] = []
    size = inner
    for extent in dims:
        size = -(-size // unit) * unit + (unit * dice.below(3) if dice.one_in(3) else 0)
        strides.append(size)
        size *= extent
    return tuple(strides)


def _fits(dims: Sequence[int], strides: Sequence[int], inner: int, region: int) -> bool:
    """Whether a tensor lies within the region, a margin on both sides left."""
    end = inner + sum((n - 1) * s for n, s in zip(dims[1:], strides, strict=True))
    return end + 2 * _MARGIN <= region


def _inner_box(dice: Dice, size: int, swizzle: str) -> int:
    """Elements of a box's row: a multiple of 16 bytes within the swizzle's span."""
    limit = 256 if swizzle == "none" else swizzle_span(swizzle)  # type: ignore[arg-type]
    return dice.between(1, min(limit, 256 * size) // CHUNK) * CHUNK // size


def _fill(dice: Dice, element: ElementType) -> str:
    return dice.pick(("zero", "nan")) if element.is_float else "zero"


def _base(dice: Dice) -> int:
    return 128 * dice.below(8)


def _address(dice: Dice, unit: int) -> int:
    return _MARGIN + unit * dice.below(16)


def _coordinate(dice: Dice, extent: int, before: int) -> int:
    """Along a dimension that is not the innermost: from `before` elements before the tensor on, seldom far away."""
    if before and dice.one_in(40):
        return dice.pick(_EXTREMES)
    return dice.between(-before, extent + 1)


def _tile(dice: Dice, key: str, setting: Setting) -> Case | None:
    """A box of a tiled map."""
    rank = dice.between(1, 5)
    dtype = dice.pick(setting.dtypes)
    element = ELEMENT_TYPES[dtype]
    size = element.nbytes
    dims = (dice.between(1, 160), *(dice.between(1, 9) for _ in range(rank - 1)))
    strides = _layout(dice, dims[1:], dims[0] * size, CHUNK)
    swizzle = dice.pick(SWIZZLES)
    steps = tuple(dice.between(1, 8) if dice.one_in(4) else 1 for _ in range(rank))
    box = (_inner_box(dice, size, swizzle), *(dice.between(1, 8) for _ in range(rank - 1)))
    address, fill = _address(dice, CHUNK), _fill(dice, element)
    made = TensorMap(dtype, address, dims, strides, box, steps, swizzle=swizzle, oob_fill=fill)
    if made.problems() or not _fits(dims, strides, dims[0] * size, setting.region):
        return None
    if geometry(made).footprint > _FOOTPRINT:
        return None
    unit = CHUNK // size
    low = -2 * box[0] if setting.outside else 0
    inner = dice.between(low // unit, (dims[0] + box[0]) // unit) * unit
    rest = (_coordinate(dice, n, b if setting.outside else 0) for n, b in zip(dims[1:], box[1:], strict=True))
    return Case(key, "tile", made, (inner, *rest), base=_base(dice))


def _im2col(dice: Dice, key: str, setting: Setting) -> Case | None:
    """Pixels of an image."""
    rank = dice.between(3, 5)
    spatial = rank - 2
    dtype = dice.pick(setting.dtypes)
    element = ELEMENT_TYPES[dtype]
    size = element.nbytes
    dims = (dice.between(1, 64), *(dice.between(1, 9) for _ in range(spatial)), dice.between(1, 4))
    strides = _layout(dice, dims[1:], dims[0] * size, CHUNK)
    swizzle = dice.pick(SWIZZLES)
    window = _window(dice, dims[1:-1], _inner_box(dice, size, swizzle), setting)
    steps = tuple(dice.between(1, 4) if dice.one_in(3) else 1 for _ in range(rank))
    address, fill = _address(dice, CHUNK), _fill(dice, element)
    made = TensorMap(dtype, address, dims, strides, (), steps, swizzle=swizzle, oob_fill=fill, window=window)
    if not _fits(dims, strides, dims[0] * size, setting.region) or not _walkable(made, dims[1:-1]):
        return None
    unit = CHUNK // size
    low = -window.channels // unit if setting.outside and dice.one_in(8) else 0
    inner = dice.between(low, dims[0] // unit) * unit
    at = _start(dice, dims[1:-1], window)
    return Case(
        key, "im2col", made, (inner, *at, dice.between(0, dims[-1] - 1)), _offsets(dice, spatial, setting), _base(dice)
    )


def _window(dice: Dice, extents: Sequence[int], channels: int, setting: Setting) -> Im2col:
    corners = [tuple(dice.between(-4, 4) if setting.outside else 0 for _ in extents) for _ in range(2)]
    return Im2col(corners[0], corners[1], channels, dice.between(1, 48))


def _walkable(m: TensorMap, extents: Sequence[int]) -> bool:
    """Whether the bounding box holds pixels, and the box of copies fits into shared memory."""
    w = m.window
    assert w is not None
    if not all(n + high > low for n, low, high in zip(extents, w.lower, w.upper, strict=True)):
        return False
    return not m.problems() and geometry(m).footprint <= _FOOTPRINT


def _start(dice: Dice, extents: Sequence[int], w: Im2col) -> tuple[int, ...]:
    """A pixel of the bounding box."""
    return tuple(dice.between(low, n + high - 1) for n, low, high in zip(extents, w.lower, w.upper, strict=True))


def _offsets(dice: Dice, count: int, setting: Setting) -> tuple[int, ...]:
    if not setting.outside:
        return ()
    return tuple(dice.pick(_WIDE_OFFSETS) if dice.one_in(16) else dice.between(0, 5) for _ in range(count))


def _interleaved(dice: Dice, key: str, setting: Setting) -> Case | None:
    """A box or pixels of a map whose elements are slices of 16 or 32 bytes."""
    rank = dice.between(3, 5)
    dtype = dice.pick(setting.dtypes)
    element = ELEMENT_TYPES[dtype]
    interleave = dice.pick(("16B", "32B"))
    unit = int(interleave.removesuffix("B"))
    dims = (dice.between(1, 24), *(dice.between(1, 6) for _ in range(rank - 1)))
    strides = _layout(dice, dims[1:], dims[0] * unit, unit)
    swizzle = dice.pick(SWIZZLES)
    steps = tuple(dice.between(1, 4) if dice.one_in(4) else 1 for _ in range(rank))
    step = CHUNK // element.nbytes
    pixels = dice.one_in(2)
    window = _window(dice, dims[:-2], step * dice.between(1, 4), setting) if pixels else None
    box: tuple[int, ...] = () if pixels else (step * dice.between(1, 6), *(dice.between(1, 4) for _ in range(rank - 1)))
    address, fill = _address(dice, unit), _fill(dice, element)
    made = TensorMap(
        dtype=dtype,
        address=address,
        dims=dims,
        strides=strides,
        box=box,
        element_strides=steps,
        interleave=interleave,
        swizzle=swizzle,
        oob_fill=fill,
        window=window,
    )
    if made.problems() or not _fits(dims, strides, dims[0] * unit, setting.region):
        return None
    if window is None:
        if geometry(made).footprint > _FOOTPRINT:
            return None
        before = [1 if d == rank - 2 else b for d, b in enumerate(box)] if setting.outside else [0] * rank
        at = tuple(dice.between(-b, n + 1) for n, b in zip(dims, before, strict=True))
        return Case(key, "tile", made, at, base=_base(dice))
    if not _walkable(made, dims[:-2]):
        return None
    low = -1 if setting.outside else 0
    at = (*_start(dice, dims[:-2], window), dice.between(low, dims[-2]), dice.between(0, dims[-1] - 1))
    return Case(key, "im2col", made, at, _offsets(dice, rank - 2, setting), _base(dice))


def _converted(dice: Dice, key: str, setting: Setting) -> Case | None:
    """A box whose numbers change on the way, or might."""
    return _tile(dice, key, replace(setting, dtypes=("tf32", "tf32_ftz", "f32_ftz")))


Draw = Callable[[Dice, str, Setting], Case | None]
KINDS: Final[dict[str, Draw]] = {
    "tile": _tile,
    "im2col": _im2col,
    "interleaved": _interleaved,
    "converted": _converted,
}


def geometry(m: TensorMap) -> TileBox | Im2colBox:
    """What copies through a map move."""
    return tile_box(m) if m.window is None else im2col_box(m)
