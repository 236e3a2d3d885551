"""Maps that kernels change: tensormap.replace on the bytes, and loads through maps that a kernel gave all their fields."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from ptxlab.conformance.rows.values import words
from ptxlab.conformance.tma.cases import Case, Dice, cases, geometry, source
from ptxlab.conformance.tma.devices import Bytes, Device
from ptxlab.conformance.tma.kernels import DUMP, IMMEDIATE, MAP, load, rebinding, replacement
from ptxlab.layout import tensormap_fields as f
from ptxlab.layout.swizzles import SWIZZLES
from ptxlab.layout.tensormap import TensorMap
from ptxlab.layout.tensormap_fields import REPLACE_TYPES
from ptxlab.layout.tensormap_replace import replaced

SPACES: Final = ("global", "shared::cta")
MAPS: Final = 24
"""Maps that each replacement is tried on: a third of them any bytes, the others tiled and im2col maps."""
_ORDINALS: Final = ("box_dim", "global_dim", "global_stride", "element_stride")


@dataclass(frozen=True, slots=True)
class Replacement:
    """One form of tensormap.replace.

    Attributes:
        space, field: where and what.
        ordinal: the dimension; None for fields without.
        immediate: the value; None for fields that take a register.
    """

    space: str
    field: str
    ordinal: int | None = None
    immediate: int | None = None

    @property
    def key(self) -> str:
        """Its name in a record."""
        number = self.ordinal if self.ordinal is not None else self.immediate
        return " ".join(["replace", self.space, self.field, *([] if number is None else [str(number)])])

    def maps(self, seed: int) -> Bytes:
        """The maps before: uint8 (MAPS, 128)."""
        made = [c.map.encode() for kind in ("tile", "im2col") for c in cases(kind, MAPS // 3, seed)]
        rest = MAPS - len(made)
        wild = words(rest * MAP // 8, seed, self.key, "map").astype("<u8").view(np.uint8).reshape(rest, MAP)
        return np.concatenate([np.frombuffer(b"".join(made), np.uint8).reshape(-1, MAP), wild])

    def values(self, seed: int) -> NDArray[np.uint64]:
        """A value for each map: small ones, ones around the limits, and any bits."""
        if self.immediate is not None:
            return np.full(MAPS, self.immediate, np.uint64)
        dice = Dice(seed, self.key, "value")
        limits = (0, 1, 2, 8, 9, 16, 255, 256, 257, 1 << 16, (1 << 31) - 1, 1 << 31, (1 << 32) - 1)
        limits += (1 << 32, (1 << 36) + 16, (1 << 40) - 16, 1 << 40, (1 << 64) - 1)
        small = [dice.pick(limits) for _ in range(MAPS // 2)]
        return np.array([*small, *words(MAPS - len(small), seed, self.key).tolist()], np.uint64)

    def expected(self, seed: int) -> Bytes:
        """The maps after, as `layout` has it."""
        width = 64 if self.field in ("global_address", "global_stride") else 32
        out = [
            replaced(m.tobytes(), self.field, int(v) & (1 << width) - 1, self.ordinal or 0)
            for m, v in zip(self.maps(seed), self.values(seed), strict=True)
        ]
        return np.frombuffer(b"".join(out), np.uint8)

    def run(self, device: Device, seed: int) -> Bytes:
        """The maps after on a device."""
        maps = device.put(self.maps(seed))
        text = replacement(self.field, self.space, self.ordinal, self.immediate)
        device.launch(text, MAPS, [maps, device.put(self.values(seed))], threads=32)
        return device.get(maps).reshape(-1)


def replacements() -> list[Replacement]:
    """Every field, every ordinal, every immediate, in both spaces."""
    out: list[Replacement] = []
    for space in SPACES:
        out += [Replacement(space, field) for field in ("global_address", "rank")]
        out += [Replacement(space, field, ordinal=i) for field in _ORDINALS for i in range(f.MAX_RANK)]
        out += [Replacement(space, field, immediate=i) for field, n in IMMEDIATE.items() for i in range(n)]
    return out


def changes(m: TensorMap) -> list[tuple[str, int | None, int]]:
    """What makes any tiled map this one, but for the address and what no instruction changes: (field, ordinal, value)."""
    out: list[tuple[str, int | None, int]] = [("rank", None, m.rank - 1)]
    out += [("global_dim", i, n) for i, n in enumerate(m.dims)]
    out += [("global_stride", i, n) for i, n in enumerate(m.strides)]
    out += [("box_dim", i, n) for i, n in enumerate(m.box)]
    out += [("element_stride", i, n) for i, n in enumerate(m.element_strides)]
    out += [
        ("elemtype", None, REPLACE_TYPES.index(m.dtype)),
        ("interleave_layout", None, f.INTERLEAVES.index(m.interleave)),
    ]
    out += [("swizzle_mode", None, SWIZZLES.index(m.swizzle)), ("fill_mode", None, f.OOB_FILLS.index(m.oob_fill))]  # type: ignore[arg-type]
    return out


def rebound(device: Device, case: Case, template: Case, *, staged: bool) -> tuple[Bytes, Bytes, int]:
    """A load through a map that the kernel makes of another: the map's bytes with address 0, shared memory, the barrier's state."""
    memory = device.put(source())
    at = device.address(memory)
    maps = device.put(np.frombuffer(replace(template.map, address=at).encode(), np.uint8))
    rows = device.put(case.row(geometry(case.map).nbytes, at + case.map.address))
    data, states = device.put(np.zeros(DUMP, np.uint8)), device.put(np.zeros(1, np.uint64))
    text = load(case.mode, case.map.rank, rebinding(changes(case.map), staged=staged))
    device.launch(text, 1, [maps, rows, data, states], [memory])
    made = np.frombuffer(replaced(device.get(maps).tobytes(), "global_address", 0), np.uint8)
    return made, device.get(data), int(device.get(states)[0])


def rebound_cases(count: int, seed: int) -> Sequence[tuple[Case, Case, bool]]:
    """Tiled cases, the maps that they are made from, and whether they are made in shared memory."""
    drawn = cases("tile", 2 * count, seed)
    return [
        (replace(one, key=f"rebound {i}"), other, i % 2 == 0)
        for i, (one, other) in enumerate(zip(drawn[:count], drawn[count:], strict=True))
    ]
