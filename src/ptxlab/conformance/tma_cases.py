"""Random copies through tensor maps that the driver accepts and the hardware carries out: what they are, and in what memory.

Everything comes from raw words of PCG64, like `values`: a record made once must find the same cases for ever.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final, TypeVar

import numpy as np
from numpy.typing import NDArray

from ptxlab.conformance.tma_kernels import BASE_AT, NBYTES_AT, ROW
from ptxlab.conformance.values import column, words
from ptxlab.isa.types import TYPES
from ptxlab.layout.swizzle import CHUNK, SWIZZLES, swizzle_span
from ptxlab.layout.tensormap import Im2col, TensorMap
from ptxlab.layout.tensormap_fields import ELEMENT_TYPES

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

    def row(self, nbytes: int) -> NDArray[np.uint32]:
        """The numbers that a kernel reads; `nbytes`: what the barrier expects."""
        out = np.zeros(ROW, np.int64)
        out[: len(self.coordinates)] = self.coordinates
        out[5 : 5 + len(self.offsets)] = self.offsets
        out[NBYTES_AT], out[BASE_AT] = nbytes, self.base
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


def until(draw: Callable[[Dice], Case | None], dice: Dice) -> Case:
    """The first drawn case that a driver accepts and that fits."""
    while True:
        found = draw(dice)
        if found is not None and not found.map.problems():
            return found


def cases(kind: str, count: int, seed: int, *, region: int = SOURCE_BYTES) -> list[Case]:
    """So many cases of a kind of `KINDS`, in memory of `region` bytes."""
    draw = KINDS[kind]
    out: list[Case] = []
    for i in range(count):
        key = f"{kind} {i}"
        out.append(until(lambda dice, key=key: draw(dice, key, region), Dice(seed, key)))
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


def tile(dice: Dice, key: str, region: int, *, outside: bool = True) -> Case | None:
    """A box of a tiled map. `outside`: its coordinates may be negative, for loads."""
    rank = dice.between(1, 5)
    dtype = dice.pick(PLAIN)
    element = ELEMENT_TYPES[dtype]
    size = element.nbytes
    dims = (dice.between(1, 160), *(dice.between(1, 9) for _ in range(rank - 1)))
    strides = _layout(dice, dims[1:], dims[0] * size, CHUNK)
    swizzle = dice.pick(SWIZZLES)
    steps = tuple(dice.between(1, 8) if dice.one_in(4) else 1 for _ in range(rank))
    box = (_inner_box(dice, size, swizzle), *(dice.between(1, 8) for _ in range(rank - 1)))
    if not _fits(dims, strides, dims[0] * size, region):
        return None
    counts = [-(-b // s) for b, s in zip(box[1:], steps[1:], strict=True)]
    pitch = max(box[0] * size, swizzle_span(swizzle)) if swizzle != "none" else box[0] * size
    if math.prod(counts) * pitch > _FOOTPRINT:
        return None
    fill = dice.pick(("zero", "nan")) if element.is_float else "zero"
    made = TensorMap(dtype, _address(dice, CHUNK), dims, strides, box, steps, swizzle=swizzle, oob_fill=fill)
    unit = CHUNK // size
    low = -2 * box[0] if outside else 0
    inner = dice.between(low // unit, (dims[0] + box[0]) // unit) * unit
    rest = (_coordinate(dice, n, b if outside else 0) for n, b in zip(dims[1:], box[1:], strict=True))
    return Case(key, "tile", made, (inner, *rest), base=128 * dice.below(8))


def _coordinate(dice: Dice, extent: int, before: int) -> int:
    if before and dice.one_in(40):
        return dice.pick(_EXTREMES)
    return dice.between(-before, extent + 1)


def _address(dice: Dice, unit: int) -> int:
    return _MARGIN + unit * dice.below(16)


def im2col(dice: Dice, key: str, region: int, *, outside: bool = True) -> Case | None:
    """Pixels of an image. `outside`: the corners and offsets may lead out of it, for loads."""
    rank = dice.between(3, 5)
    spatial = rank - 2
    dtype = dice.pick(PLAIN)
    element = ELEMENT_TYPES[dtype]
    size = element.nbytes
    dims = (dice.between(1, 64), *(dice.between(1, 9) for _ in range(spatial)), dice.between(1, 4))
    strides = _layout(dice, dims[1:], dims[0] * size, CHUNK)
    swizzle = dice.pick(SWIZZLES)
    channels, pixels = _inner_box(dice, size, swizzle), dice.between(1, 48)
    pitch = max(channels * size, swizzle_span(swizzle)) if swizzle != "none" else channels * size
    if not _fits(dims, strides, dims[0] * size, region) or pixels * pitch > _FOOTPRINT:
        return None
    corner = (lambda: dice.between(-4, 4)) if outside else (lambda: 0)
    lower, upper = (tuple(corner() for _ in range(spatial)) for _ in range(2))
    steps = (1, *(dice.between(1, 3) if dice.one_in(3) else 1 for _ in range(spatial)), 1)
    fill = dice.pick(("zero", "nan")) if element.is_float else "zero"
    made = TensorMap(
        dtype,
        _address(dice, CHUNK),
        dims,
        strides,
        (),
        steps,
        swizzle=swizzle,
        oob_fill=fill,
        window=Im2col(lower, upper, channels, pixels),
    )
    if not all(n + high > low for n, low, high in zip(dims[1:], lower, upper, strict=False)):
        return None
    unit = CHUNK // size
    inner = dice.between(-channels // unit if outside and dice.one_in(8) else 0, dims[0] // unit) * unit
    at = (dice.between(low, n + high - 1) for n, low, high in zip(dims[1:-1], lower, upper, strict=True))
    coordinates = (inner, *at, dice.between(0, dims[-1] - 1))
    offsets = tuple(dice.between(0, 5) for _ in range(spatial)) if outside else ()
    return Case(key, "im2col", made, coordinates, offsets, 128 * dice.below(8))


Draw = Callable[[Dice, str, int], Case | None]
KINDS: Final[dict[str, Draw]] = {"tile": tile, "im2col": im2col}


def expected_bytes(case: Case) -> int:
    """What a load of the case adds to the barrier: the box, whatever lies outside the tensor."""
    from ptxlab.layout.tensorbox import tile_box

    if case.map.window is not None:
        return case.map.recorded_bytes
    return tile_box(case.map).nbytes
