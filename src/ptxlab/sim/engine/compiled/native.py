"""Native memory and functions, as Python handles them."""

from __future__ import annotations

import ctypes
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ptxlab.sim.engine.compiled import frame as F
from ptxlab.sim.engine.compiled.compile import code

Bytes = NDArray[np.uint8]
_CALLED = {
    F.E_RESOLVE: "ptxlab_resolve",
    F.E_ARRIVE: "ptxlab_arrive",
    F.E_TAKE: "ptxlab_take",
    F.E_AWAIT: "ptxlab_await",
    F.E_OLDEST: "ptxlab_oldest",
    F.E_WAKE: "ptxlab_wake",
}


def allocate(nbytes: int, align: int = 64) -> Bytes:
    """Zeroed bytes at an aligned address."""
    raw = np.zeros(nbytes + align, np.uint8)
    skip = -address(raw) % align
    return raw[skip : skip + nbytes]


def address(block: NDArray[Any]) -> int:
    """Where an array lies."""
    return int(block.ctypes.data)


class Block:
    """A block of native state with fields at byte offsets."""

    __slots__ = ("_u32", "_u64", "address", "bytes", "u32", "u64")

    def __init__(self, block: Bytes) -> None:
        self.bytes = block
        self.u32 = block[: len(block) // 4 * 4].view(np.uint32)
        self.u64 = block[: len(block) // 8 * 8].view(np.uint64)
        # single words go through memory views: a NumPy scalar costs five times as much
        self._u32, self._u64 = memoryview(self.u32), memoryview(self.u64)  # type: ignore[arg-type]
        self.address = address(block)

    def get(self, offset: int) -> int:
        """A u32."""
        return self._u32[offset >> 2]

    def set(self, offset: int, value: int) -> None:
        """Set a u32."""
        self._u32[offset >> 2] = value & 0xFFFF_FFFF

    def get64(self, offset: int) -> int:
        """A u64."""
        return self._u64[offset >> 3]

    def set64(self, offset: int, value: int) -> None:
        """Set a u64."""
        self._u64[offset >> 3] = value & 0xFFFF_FFFF_FFFF_FFFF


@dataclass(frozen=True, slots=True)
class Functions:
    """The runtime's entry points. `called`: addresses of those that handlers call, by their places in the environment."""

    cta: Any
    start: Any
    grid: Any
    verify: Any
    oldest: Any
    verify_at: int
    arrive_notifying: int
    called: Mapping[int, int]


@lru_cache(maxsize=1)
def functions() -> Functions:
    """The runtime, compiled and loaded."""
    c = code()
    pointer, word = ctypes.c_void_p, ctypes.c_uint32
    two = ctypes.CFUNCTYPE(ctypes.c_int32, pointer, pointer)
    return Functions(
        cta=two(c.function("ptxlab_enter_cta")),
        start=ctypes.CFUNCTYPE(None, pointer, pointer, word, word, word, word)(c.function("ptxlab_start")),
        grid=two(c.function("ptxlab_enter_grid")),
        verify=ctypes.CFUNCTYPE(None, pointer)(c.function("ptxlab_verify")),
        oldest=two(c.function("ptxlab_oldest")),
        verify_at=c.function("ptxlab_verify"),
        arrive_notifying=c.function("ptxlab_arrive_notifying"),
        called={offset: c.function(name) for offset, name in _CALLED.items()},
    )
