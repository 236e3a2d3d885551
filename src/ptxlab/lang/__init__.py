"""The authoring language: one call is one PTX instruction; declarations own the error-prone arithmetic."""

from ptxlab.lang.builder import Builder
from ptxlab.lang.kernel import KernelFunction, Traced
from ptxlab.lang.maps.parameter import MapParameter
from ptxlab.lang.maps.rebind import MapSlot
from ptxlab.lang.maps.use import MapUse
from ptxlab.lang.matrices import MatrixRegisters
from ptxlab.lang.params import Parameter
from ptxlab.lang.smem.barriers import Mbarrier
from ptxlab.lang.smem.ring import Ring, Slot
from ptxlab.lang.smem.tile import Tile
from ptxlab.lang.trace.types import (
    Ptr,
    b8,
    b16,
    b32,
    b64,
    b128,
    bf16,
    bf16x2,
    e4m3,
    e5m2,
    f16,
    f16x2,
    f32,
    f64,
    pred,
    s8,
    s16,
    s32,
    s64,
    tf32,
    u8,
    u16,
    u32,
    u64,
)  # fmt: skip
from ptxlab.lang.trace.values import Address, Register, Registers

__all__ = [
    "Address", "Builder", "KernelFunction", "MapParameter", "MapSlot", "MapUse", "MatrixRegisters", "Mbarrier", "Parameter", "Ptr",
    "Register", "Registers", "Ring", "Slot", "Tile", "Traced",
    "b8", "b16", "b32", "b64", "b128", "bf16", "bf16x2", "e4m3", "e5m2", "f16", "f16x2", "f32", "f64", "pred", "s8", "s16",
    "s32", "s64", "tf32", "u8", "u16", "u32", "u64",
]  # fmt: skip
