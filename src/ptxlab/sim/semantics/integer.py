"""Integer arithmetic, logic and comparison."""

from __future__ import annotations

from ptxlab.sim.emit import Emitter
from ptxlab.sim.ir import T, Val
from ptxlab.sim.registry import meaning


@meaning("add")
def add(e: Emitter, a: Val, b: Val) -> Val:
    return a + b


@meaning("mad")
def mad(e: Emitter, a: Val, b: Val, c: Val) -> Val:
    return a * b + c


@meaning("mul.wide")
def mul_wide(e: Emitter, a: Val, b: Val) -> Val:
    wide = T(a.t.kind, 2 * a.t.bits)
    return a.to(wide) * b.to(wide)


@meaning("add.f32")
def add_f32(e: Emitter, a: Val, b: Val) -> Val:
    return a + b


@meaning("setp")
def setp(e: Emitter, a: Val, b: Val) -> Val:
    return a.compare(e.mod("cmp") or "", b)
