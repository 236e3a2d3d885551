"""Approximate functions of f16 and bf16: the result of f32, cut off to fewer bits."""

from __future__ import annotations

from collections.abc import Callable

from ptxlab.codegen.ir import Fn, Val
from ptxlab.sim.engine.compiled import floats as fp

_BEYOND = {"f16": 2.0**16, "bf16": float("inf")}


def cut(fn: Fn, function: Callable[[Fn, Val], Val], bits: Val, kind: str) -> Val:
    """A function of the special function unit on the bits of f16 or bf16."""
    wide = function(fn, fp.widen(bits, kind).unsigned).floating
    out = fp.narrow(fn, wide, kind, "rz")
    return fn.select(wide >= _BEYOND[kind], fp.INFINITY[kind], out)
