"""Immediates as their types want them."""

from __future__ import annotations

import numpy as np

from ptxlab.isa.operands import Imm
from ptxlab.isa.types import ScalarType

_WORD = 0xFFFF_FFFF_FFFF_FFFF


def immediate_bits(value: Imm, type_: ScalarType | None) -> int:
    """The bits of an immediate as its type wants them, in 64 bits.

    A double becomes a single one where that is wanted; 0f… stands for its bits wherever it is, in front of .f64, too.
    """
    if value.float_bits == 32:
        return int(value.value)
    single = type_ is not None and type_.name in ("f32", "tf32")
    if value.float_bits and not single:
        return int(value.value)
    if value.is_float or (type_ is not None and type_.kind == "f" and type_.bits >= 32):
        return _float_bits(float(value.number), 32 if single else 64)
    return int(value.value) & _WORD


def literal_bits(value: Imm, type_: ScalarType | None, *, cut: bool) -> int:
    """The bits of an element of a vector. `cut`: floating literals are not converted there."""
    if not cut or not value.is_float:
        return immediate_bits(value, type_)
    return int(value.value) if value.float_bits else _float_bits(float(value.value), 64)


def _float_bits(value: float, bits: int) -> int:
    if bits == 64:
        return int(np.float64(value).view(np.uint64))
    with np.errstate(over="ignore"):
        return int(np.float32(value).view(np.uint32))
