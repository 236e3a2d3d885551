"""How far an approximation may be off, as the manual bounds it: what is compared for forms that it does not define to the bit.

Chip and simulator both keep the bound, so they differ by at most twice as much. Zeros, infinities and NaN are exact.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from ptxlab.conformance.probes import Probe
from ptxlab.conformance.values import Words, decode, mask

# Relative and absolute error by row; f32's ulp is at most 2^-23 of the value.
_BOUNDS: Final = {
    "div.f32": (2 * 2**-23, 0.0),
    "rcp.f32": (2**-23, 0.0),
    "sqrt.f32": (2**-23, 0.0),
    "rsqrt.f32": (2**-22.9, 0.0),
    "rcp.approx.f64": (2**-20, 0.0),
    "rsqrt.approx.f64": (2**-20, 0.0),
    "lg2.f32": (2**-22, 2**-22),
    "ex2.f32": (2 * 2**-23, 0.0),
    "ex2.f16": (2**-9.9, 0.0),
    "ex2.bf16": (2**-7, 0.0),
    "tanh.f32": (2**-11, 0.0),
    "tanh.f16": (2**-10.987, 2**-10.987),
    "tanh.bf16": (2**-8, 2**-8),
    "sin.f32": (0.0, 2**-20.5),
    "cos.f32": (0.0, 2**-20.5),
}
_LEAST: Final = {"f16": 2.0**-24, "bf16": 2.0**-133, "f32": 2.0**-149, "f64": 2.0**-1074}
_TURNS: Final = 2 * np.pi  # sin and cos are bounded within one turn, coarser within fifty, and not at all beyond


def differing(probe: Probe, inputs: Sequence[Words], one: Words, other: Words) -> NDArray[np.bool_]:
    """Where two approximate results are further apart than the manual allows."""
    name = probe.outputs[0].type.name
    element = name.removesuffix("x2")
    if element == name:
        return _apart(probe, element, inputs, one, other)
    half = np.uint64(probe.outputs[0].bits // 2)
    low, high = (
        _apart(probe, element, [_part(v, s, half) for v in inputs], _part(one, s, half), _part(other, s, half))
        for s in (np.uint64(0), half)
    )
    return low | high


def _part(v: Words, shift: np.uint64, bits: np.uint64) -> Words:
    return v >> shift & mask(int(bits))


def _apart(probe: Probe, kind: str, inputs: Sequence[Words], one: Words, other: Words) -> NDArray[np.bool_]:
    relative, absolute = _BOUNDS[probe.form.key]
    x, y = decode(kind, one), decode(kind, other)
    limit = np.full(x.shape, absolute)
    if probe.form.name in ("sin", "cos"):
        angle = np.abs(decode(kind, inputs[0]))
        limit = np.where(angle <= _TURNS, limit, np.where(angle <= 50 * _TURNS, 2**-14.7, np.inf))
    with np.errstate(invalid="ignore", over="ignore"):
        allowed = 2 * (limit + relative * np.maximum(np.abs(x), np.abs(y))) + _LEAST[kind]
        close = np.abs(x - y) <= allowed
    both_finite = np.isfinite(x) & np.isfinite(y)
    # Near the edge of the range one may just overflow where the other does not.
    return ~np.where(both_finite, close, one == other)
