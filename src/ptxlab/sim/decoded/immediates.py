"""Immediates as their types want them."""

from __future__ import annotations

import numpy as np

from ptxlab.isa.operands import Imm
from ptxlab.isa.types import ScalarType

_WORD = 0xFFFF_FFFF_FFFF_FFFF


def immediate_bits(value: Imm, type_: ScalarType | None) -> int:
    """The bits of an immediate as its type wants them, in 64 bits."""
    floating = type_ is not None and type_.kind == "f" and type_.bits >= 32
    bits = type_.bits if floating and type_ is not None else 64
    if value.float_bits and (not floating or bits == value.float_bits):
        return int(value.value)
    if value.float_bits or floating or isinstance(value.value, float):
        return _float_bits(float(value.number), bits)
    return int(value.value) & _WORD


def _float_bits(value: float, bits: int) -> int:
    if bits == 64:
        return int(np.float64(value).view(np.uint64))
    with np.errstate(over="ignore"):
        return int(np.float32(value).view(np.uint32))
