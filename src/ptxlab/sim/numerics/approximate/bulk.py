"""Approximate functions of whole arrays: compiled loops over the same code that kernels run."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from functools import lru_cache
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ptxlab.sim.compiled.ir import I64, LANES, PTR, Fn, T, Val

Function: TypeAlias = Callable[..., Val]
"""Of a function under construction and the bits of its operands, all u32, u16 or u64; it returns the result's."""
Words: TypeAlias = NDArray[np.unsignedinteger[Any]]


def evaluate(function: Function, name: str, *operands: Words) -> Words:
    """The results of a function, operand by operand, as bits. `name` tells functions apart, in the cache as well."""
    shape = operands[0].shape
    bits = operands[0].dtype.itemsize * 8
    count = -(-operands[0].size // LANES) * LANES
    padded = [np.zeros(count, o.dtype) for o in operands]
    for room, operand in zip(padded, operands, strict=True):
        room[: operand.size] = operand.reshape(-1)
    out = np.empty_like(padded[0])
    loop = _loop(function, f"ptxlab_bulk_{name}_{bits}", bits, len(operands))
    loop(*(p.ctypes.data for p in padded), out.ctypes.data, count)
    return out[: operands[0].size].reshape(shape)


@lru_cache(maxsize=64)
def _loop(function: Function, name: str, bits: int, operands: int) -> Any:
    from ptxlab.sim.compiled.compile import code

    def text() -> str:
        fn = Fn(name, "void", (*[PTR] * operands, PTR, I64))
        *sources, target, count = fn.args
        at = fn.variable(fn.const(0, I64))
        with fn.while_() as after:
            i = at.get()
            fn.break_if(i >= count, after)
            place = i * (bits // 8)
            words = [fn.load(s, T("u", bits), place, bits // 8) for s in sources]
            fn.store(function(fn, *words), target, place, bits // 8)
            at.set(i + LANES)
        fn.ret_void()
        return "\n".join([*sorted(fn.declared), fn.text()])

    where = code().library(name, text, [name])[name]
    return ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * (operands + 1), ctypes.c_int64)(where)


__all__ = ["Function", "Words", "evaluate"]
