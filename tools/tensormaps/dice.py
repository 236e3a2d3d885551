"""Random calls of the driver's three encoders of tensor maps: many are legal, the others stand on or beyond a border or two.

A call is a dict with the driver's own numbers, as the records of `tests/conformance/h100` have it: `kind`, `dt`, `rank`, `addr`,
`dim`, `str` (bytes), `il`, `sw`, `l2`, `oob`, `es`; then `box`, or `lo`, `hi`, `cpp`, `ppc` (and `mode` for im2col_wide).
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from typing import Any, Final

from ptxlab.layout import tensormap_fields as f

Call = dict[str, Any]
KINDS: Final = ("tiled", "im2col", "im2col_wide")
DTYPES: Final = tuple(f.ELEMENT_TYPES)
"""In the order of the driver's enumeration, like the swizzles."""
SWIZZLES: Final = ("none", "32B", "64B", "128B", *f.NEWER_SWIZZLES)
_OF_SM_90: Final = 13  # element types, the first ones
_SPANS: Final = (0, 32, 64, 128)
_WIDE: Final = (1 << 31, (1 << 31) + 1, (1 << 32) - 1)

_DIMS: Final = (0, 1, 2, (1 << 31) - 1, *_WIDE, 1 << 32, (1 << 32) + 1, 1 << 33, 1 << 63, (1 << 64) - 1)
_STRIDES: Final = (
    *(0, 1, 8, 15, 16, 17, 24, 31, 32, 48, (1 << 36) - 16, 1 << 36, (1 << 36) + 16),
    *((1 << 40) - 32, (1 << 40) - 16, (1 << 40) - 8, 1 << 40, (1 << 40) + 1, (1 << 40) + 16, 1 << 63, (1 << 64) - 16),
)
_ADDRESSES: Final = (
    *(0, 1, 4, 8, 15, 16, 24, 32, 48, 1 << 47, 1 << 48, (1 << 57) - 32, (1 << 57) - 16, 1 << 57, (1 << 57) + 32),
    *(1 << 58, 1 << 63, (1 << 64) - 16, (1 << 64) - 1),
)
_BOX: Final = (0, 1, 2, 255, 256, 257, 512, 1 << 16, *_WIDE)
_ELEMENT_STRIDES: Final = (0, 1, 2, 7, 8, 9, 16, *_WIDE)
_PIXELS: Final = (0, 1, 1023, 1024, 1025, 2048, *_WIDE)


def calls(count: int, seed: int) -> Iterator[Call]:
    """So many calls; the same for the same seed."""
    dice = random.Random(seed)
    return (draw(dice) for _ in range(count))


def draw(dice: random.Random) -> Call:
    """One call."""
    call = legal(dice, dice.choices(KINDS, (5, 3, 2))[0])
    borders = _BORDERS if call["kind"] == "tiled" else _IM2COL_BORDERS
    for _ in range(dice.choices((0, 1, 2), (4, 5, 1))[0]):
        dice.choice(borders)(call, dice)
    return call


def _spread(dice: random.Random, limit: int) -> int:
    """1 to `limit`, every order of magnitude as likely as the others, powers of two and their neighbours often."""
    bits = dice.randrange(limit.bit_length())
    if dice.random() < 0.5:
        return min(limit, dice.randrange(1 << bits, 2 << bits))
    return max(1, min(limit, (1 << bits) + dice.choice((-1, 0, 0, 1))))


def legal(dice: random.Random, kind: str) -> Call:
    """A call that breaks no rule that is known."""
    rank = dice.randint(1 if kind == "tiled" else 3, 5)
    interleave = dice.choices((0, 1, 2), (4, 1, 1))[0] if rank >= 3 else 0
    unit = 32 if interleave == 2 else 16
    dtype = dice.randrange(_OF_SM_90)
    element = f.ELEMENT_TYPES[DTYPES[dtype]]
    call: Call = {
        "kind": kind,
        "dt": dtype,
        "rank": rank,
        "addr": (_spread(dice, f.MAX_ADDRESS // unit) - 1) * unit,
        "dim": [_spread(dice, 1 << 32) for _ in range(rank)],
        "str": [(_spread(dice, (1 << 40) // unit) - 1) * unit for _ in range(rank - 1)],
        "il": interleave,
        "sw": dice.randrange(4),
        "l2": dice.randrange(4),
        "oob": dice.randrange(2) if element.is_float else 0,
        "es": [dice.randint(1, 8) if dice.random() < 0.4 else 1 for _ in range(rank)],
    }
    inner = _inner(call, dice)
    room = f.MAX_BOX_BYTES // (inner * element.nbytes)
    if kind == "tiled":
        call["box"] = [inner, *_extents(call["es"][1:], room * call["es"][0], dice)]
    else:
        call |= _window(call, dice) | {"cpp": inner, "ppc": min(room, _spread(dice, f.MAX_PIXELS))}
    return call


def _inner(call: Call, dice: random.Random) -> int:
    """Elements of the innermost extent: whole chunks of 16 bytes, within the span of the swizzle."""
    nbytes = f.ELEMENT_TYPES[DTYPES[call["dt"]]].nbytes
    swizzle: int = call["sw"]
    widest = min(f.MAX_BOX * nbytes, _SPANS[swizzle] if swizzle and not call["il"] else 1 << 30)
    return dice.randint(1, widest // 16) * 16 // nbytes


def _extents(steps: list[int], room: int, dice: random.Random) -> list[int]:
    """The outer extents of a box of at most `room` rows, with these element strides."""
    made: list[int] = []
    for step in steps:
        extent = min(_spread(dice, f.MAX_BOX), max(1, room) * step)
        made.append(extent)
        room //= max(1, extent // step)
    return made


def _window(call: Call, dice: random.Random) -> Call:
    """Corners that leave pixels; a dimension is widened where they would not."""
    half = 1 << f.CORNER_BITS[call["rank"]] - 1
    many = call["rank"] - 2
    low, high = (
        [dice.choice((0, 0, 1, -1, -half, half - 1, dice.randrange(-half, half))) for _ in range(many)] for _ in "lh"
    )
    first = 0 if call["il"] else 1
    if call["kind"] == "im2col_wide":
        low, high = low[:1] + [0] * (many - 1), high[:1] + [0] * (many - 1)
    for i in range(many):
        dim = call["dim"][first + i]
        if not low[i] < dim + high[i] < 1 << 31:
            call["dim"][first + i] = max(1, low[i] - high[i] + 1) + dice.randrange(1000)
    if call["kind"] == "im2col_wide":
        return {"lo": low[0], "hi": high[0], "mode": dice.randrange(2)}
    return {"lo": low, "hi": high}


def _listed(corner: list[int] | int) -> list[int]:
    """A corner, which is one number in im2col_wide mode, as a list."""
    return corner if isinstance(corner, list) else [corner]


def _one(name: str, values: tuple[int, ...]) -> Callable[[Call, random.Random], None]:
    """Put a value, or one of a list, on a border."""

    def change(call: Call, dice: random.Random) -> None:
        if not isinstance(call[name], list):
            call[name] = dice.choice(values)
        elif call[name]:
            call[name][dice.randrange(len(call[name]))] = dice.choice(values)

    return change


def _address(call: Call, dice: random.Random) -> None:
    call["addr"] = (call["addr"] + dice.choice((1, 2, 4, 8, 16, 24, 32))) % (1 << 64)


def _stride(call: Call, dice: random.Random) -> None:
    if call["str"]:
        call["str"][dice.randrange(len(call["str"]))] += dice.choice((1, 8, 16, 32))


def _innermost(call: Call, dice: random.Random) -> None:
    """The width of the box about a span of 16, 32, 64, 128 bytes or a multiple."""
    nbytes = f.ELEMENT_TYPES[DTYPES[call["dt"] % _OF_SM_90]].nbytes
    width = dice.choice((16, 32, 48, 64, 96, 128, 144, 256)) // nbytes + dice.choice((-1, 0, 0, 0, 1))
    if call["kind"] == "tiled":
        if call["box"]:
            call["box"][0] = width
    else:
        call["cpp"] = max(0, width)


def _full(call: Call, dice: random.Random) -> None:
    """A box of exactly 228 KiB, or a little more or less."""
    nbytes = f.ELEMENT_TYPES[DTYPES[call["dt"] % _OF_SM_90]].nbytes
    row = dice.choice((16, 32, 64, 96, 128))
    rows = f.MAX_BOX_BYTES // row
    if call["kind"] != "tiled":
        call |= {"cpp": row // nbytes, "ppc": rows + dice.choice((-1, 0, 0, 1))}
        return
    if call["rank"] < 3 or len(call["box"]) < 3:
        return
    second = dice.choice([n for n in range(1, f.MAX_BOX + 1) if rows % n == 0])
    third = rows // second + dice.choice((-1, 0, 0, 0, 1))
    call["box"] = [row // nbytes, second, third] + [1] * (call["rank"] - 3)
    call["es"] = [1] * call["rank"]


def _rank(call: Call, dice: random.Random) -> None:
    """Another rank, its lists made to fit."""
    rank = dice.choice((0, 1, 2, 3, 4, 5, 6, 7))
    wanted = {"dim": rank, "str": rank - 1, "es": rank, "box": rank, "lo": rank - 2, "hi": rank - 2}
    for name, many in wanted.items():
        if isinstance(call.get(name), list):
            call[name] = (call[name] + [call[name][-1] if call[name] else 16] * 7)[: max(0, many)]
    call["rank"] = rank


def _corner(call: Call, dice: random.Random) -> None:
    half = 1 << f.CORNER_BITS.get(call["rank"], 8) - 1
    value = dice.choice(
        (-half - 1, -half, -half + 1, half - 1, half, half + 1, 0, -(1 << 31), (1 << 31) - 1, 1 << 15, -(1 << 15) - 1)
    )
    _one(dice.choice(("lo", "hi")), (value,))(call, dice)


def _emptied(call: Call, dice: random.Random) -> None:
    """A bounding box of one, no, or less than no pixel, or about half of the numbers of 32 bits."""
    low, high = _listed(call["lo"]), _listed(call["hi"])
    if not low or call["rank"] < 3:
        return
    i = dice.randrange(len(low))
    at = (0 if call["il"] == 0 else -1) + 1 + i
    near = dice.choice((-1, 0, 1))
    dim = dice.choice((low[i] - high[i], (1 << 31) - high[i], (1 << 31) - high[i] + low[i], 1 << 31, 1 << 32)) + near
    call["dim"][at] = max(0, dim)


_MODES: Final = (
    _one("dt", (*range(_OF_SM_90, len(DTYPES)), len(DTYPES))),
    _one("il", (0, 1, 2, 3)),
    _one("sw", tuple(range(8))),
    _one("sw", (4, 5, 6)),
    _one("l2", (0, 1, 2, 3, 4)),
    _one("oob", (0, 1, 1, 2)),
)
_COMMON: Final = (
    _address,
    _one("addr", _ADDRESSES),
    _one("dim", _DIMS),
    _stride,
    _one("str", _STRIDES),
    _one("es", _ELEMENT_STRIDES),
    _innermost,
    _full,
    _rank,
    *_MODES,
)
_BORDERS: Final = (*_COMMON, _one("box", _BOX), _one("box", _BOX))
_IM2COL_BORDERS: Final = (*_COMMON, _one("cpp", _BOX), _one("ppc", _PIXELS), _corner, _corner, _emptied, _emptied)
