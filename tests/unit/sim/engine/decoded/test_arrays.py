"""Instructions over arrays: what a kernel of the same instruction writes."""

from __future__ import annotations

import numpy as np
import pytest

import ptxlab as px
from ptxlab.conformance.functions.cases import Case
from ptxlab.conformance.functions.run import text
from ptxlab.conformance.rows.probes import Probe
from ptxlab.sim.engine.decoded.arrays import evaluate

KEYS = (
    "div.f32 div.full.f32",
    "div.f32 div.approx.ftz.f32",
    "rcp.f32 rcp.approx.f32",
    "rsqrt.approx.f64.full rsqrt.approx.f64",
    "ex2.f16 ex2.approx.f16x2",
    "fma.f32 fma.rp.f32",
    "add.f32 add.rz.ftz.f32",
)


@pytest.mark.parametrize("key", KEYS)
def test_they_are_those_of_a_kernel(key: str) -> None:
    probe = Probe.of_key(key)
    bits = probe.inputs[0].bits
    rng = np.random.default_rng(7)
    count = 1000  # not a multiple of what is computed side by side
    operands = [rng.integers(0, 2**bits, count, dtype=f"u{bits // 8}") for _ in probe.inputs]
    out = px.empty(count, operands[0].dtype)
    there = [px.empty(count, o.dtype) for o in operands]
    for room, operand in zip(there, operands, strict=True):
        room[...] = operand
    kernel = px.parse(text(probe))["k"]
    px.simulate(kernel, grid=4, block=256, args=[*there, out, np.uint32(count)], lints=False)
    assert np.array_equal(evaluate(probe.opcode, *operands), out)


def test_drawn_operands_hold_all_kinds() -> None:
    case = Case(Probe.of_key("div.f32 div.full.f32"), "drawn", 0)
    a, b = case.operands(3)
    for column in (a, b):
        exponent = column >> np.uint32(23) & np.uint32(255)
        assert set(range(256)) <= set(exponent.tolist())
    again, _ = case.operands(3)
    other, _ = case.operands(4)
    assert np.array_equal(a, again)
    assert not np.array_equal(a, other)
