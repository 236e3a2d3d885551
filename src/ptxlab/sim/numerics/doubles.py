"""Products of f64 matrices: chains of fused multiply-adds, each rounded, k ascending from the addend."""

from __future__ import annotations

import ctypes
import hashlib
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ptxlab.sim.floats import canonical64
from ptxlab.sim.ir import I32, PTR, Fn, T

_MODES = ("rn", "rz", "rm", "rp")
_LANES = 8


def _step(mode: str) -> Fn:
    """c = a · b + c for `count` times eight elements."""
    fn = Fn(f"ptxlab_fma64_{mode}", "void", (PTR, PTR, PTR, I32))
    a, b, c, count = fn.args
    t = T("f", 64, _LANES)
    with fn.count(count) as number:
        at = number * (8 * _LANES)
        x, y, z = (fn.load(p, t, at, 8) for p in (a, b, c))
        out = fn.intrinsic("fma", x, y, z) if mode == "rn" else fn.rounded("fma", mode, t, x, y, z)
        fn.store(canonical64(fn, out, y, z, x), c, at, 8)
    fn.ret_void()
    return fn


def _text() -> str:
    functions = [_step(mode) for mode in _MODES]
    declared = sorted(set[str]().union(*(f.declared for f in functions)))
    return "\n".join([*declared, *(f.text() for f in functions)])


@lru_cache(maxsize=1)
def _steps() -> dict[str, Any]:
    from ptxlab.sim.compile import code

    digest = hashlib.sha256(Path(__file__).read_bytes()).hexdigest()[:16]
    names = [f"ptxlab_fma64_{mode}" for mode in _MODES]
    addresses = code().library(f"doubles-{digest}", _text, names)
    kind = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int32)
    return {mode: kind(addresses[name]) for mode, name in zip(_MODES, names, strict=True)}


def matmul(
    a: NDArray[np.uint64], b: NDArray[np.uint64], c: NDArray[np.uint64], rounding: str = "rn"
) -> NDArray[np.uint64]:
    """D = A·B + C: every product is added by one fma, in the order of k.

    Args: patterns of f64: a [M, K], b [K, N], c [M, N], M · N a multiple of 8. rounding: rn, rz, rm or rp.

    Returns: patterns [M, N]; a NaN is B's, else C's, else A's, made quiet. ISA: "mma", .f64.
    """
    out = np.array(c, np.uint64, order="C")
    step = _steps()[rounding]
    for k in range(a.shape[1]):
        left = np.ascontiguousarray(np.broadcast_to(a[:, k : k + 1], out.shape))
        right = np.ascontiguousarray(np.broadcast_to(b[k : k + 1], out.shape))
        step(left.ctypes.data, right.ctypes.data, out.ctypes.data, out.size // _LANES)
    return out
