"""One computing instruction applied to whole arrays: its meaning in a compiled loop, without a kernel around it.

This is for comparing functions on all their operands, at the speed of the machine.
"""

from __future__ import annotations

import ctypes
from collections.abc import Mapping
from functools import lru_cache
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ptxlab.codegen.ir import I64, LANES, PTR, Fn, T, ty
from ptxlab.isa.bind import Instance
from ptxlab.isa.match import heads
from ptxlab.sim.engine.compiled.compile import code
from ptxlab.sim.engine.compiled.emit import Emitter, Handler
from ptxlab.sim.engine.compiled.registry import MEANINGS

Words: TypeAlias = NDArray[np.unsignedinteger[Any]]
"""Bits of operands or results."""


def evaluate(opcode: str, *operands: Words) -> Words:
    """The results of an instruction, element by element.

    Args:
        opcode: with its modifiers, e.g. `div.full.ftz.f32`: of a row that is compiled, reads registers of one width, and writes
            one of the same.
        operands: what it reads, in its order: arrays of one length and of words as wide as the registers.
    """
    bits = operands[0].dtype.itemsize * 8
    count = operands[0].size
    whole = -(-count // LANES) * LANES
    padded = [o if count == whole and o.flags.c_contiguous else _padded(o, whole) for o in operands]
    out = np.empty(whole, operands[0].dtype)
    loop = _loop(opcode, bits, len(operands))
    loop(*(p.ctypes.data for p in padded), out.ctypes.data, whole)
    return out[:count]


def _padded(operand: Words, count: int) -> Words:
    out = np.zeros(count, operand.dtype)
    out[: operand.size] = operand
    return out


class _Bare(Emitter):
    """An emitter without a frame: for meanings that look at nothing but their operands and modifiers."""

    def __init__(self, fn: Fn, key: str, mods: Mapping[str, str], features: frozenset[str]) -> None:
        self.handler = Handler(key, tuple(mods.items()))
        self.fn, self.mods, self.features = fn, dict(mods), features


@lru_cache(maxsize=128)
def _loop(opcode: str, bits: int, operands: int) -> Any:
    name = f"ptxlab_array_{opcode}_{bits}"
    symbols = [name]
    where = code().library(name, lambda: _text(name, opcode, bits, operands), symbols)[name]
    return ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * (operands + 1), ctypes.c_int64)(where)


def _text(name: str, opcode: str, bits: int, operands: int) -> str:
    form, mods = next((form, mods) for form, mods in heads(opcode) if form.key in MEANINGS)
    inst = Instance(form, opcode, mods, {})
    fn = Fn(f'"{name}"', "void", (*[PTR] * operands, PTR, I64))
    *sources, target, count = fn.args
    named = [n for n, spec in form.operands.items() if "r" in (spec.access or spec.role)]
    types = [inst.type_of(n) for n in named]
    e = _Bare(fn, form.key, {**form.defaults, **mods}, code().features)
    at = fn.variable(fn.const(0, I64))
    with fn.while_() as after:
        i = at.get()
        fn.break_if(i >= count, after)
        place = i * (bits // 8)
        words = [fn.load(s, T("u", bits), place, bits // 8) for s in sources]
        given = [w.as_(ty(t.name) if t is not None else w.t) for w, t in zip(words, types, strict=True)]
        fn.store(MEANINGS[form.key](e, *given).unsigned, target, place, bits // 8)
        at.set(i + LANES)
    fn.ret_void()
    return "\n".join([*sorted(fn.declared), fn.text()])
