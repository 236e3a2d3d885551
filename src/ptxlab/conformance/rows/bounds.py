"""How far an approximation may be off, as the manual bounds it: what is compared for forms that it does not define to the bit.

Chip and simulator both keep the bound, so they differ by at most twice as much. Zeros, infinities and NaN are exact.
The simulator reduces the angles of sin and cos as the chip does, so that the bound of one turn holds for every angle.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from ptxlab.conformance.rows.probes import Probe
from ptxlab.conformance.rows.values import Words, decode, mask

# Relative and absolute error by row; f32's ulp is at most 2^-23 of the value.
_BOUNDS: Final = {
    "div.f32": (2 * 2**-23, 0.0),
    "rcp.f32": (2**-23, 0.0),
    "sqrt.f32": (2**-23, 0.0),
    "rsqrt.f32": (2**-22.9, 0.0),
    "rcp.approx.f64": (2**-20, 0.0),
    "rsqrt.approx.f64": (2**-20, 0.0),
    "rsqrt.approx.f64.full": (2**-53, 0.0),  # measured: never more than the last bit
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


def differing(probe: Probe, one: Words, other: Words) -> NDArray[np.bool_]:
    """Where two approximate results are further apart than the manual allows."""
    name = probe.outputs[0].type.name
    element = name.removesuffix("x2")
    if element == name:
        return _apart(probe, element, one, other)
    half = np.uint64(probe.outputs[0].bits // 2)
    low, high = (_apart(probe, element, _part(one, s, half), _part(other, s, half)) for s in (np.uint64(0), half))
    return low | high


def _part(v: Words, shift: np.uint64, bits: np.uint64) -> Words:
    return v >> shift & mask(int(bits))


def _apart(probe: Probe, kind: str, one: Words, other: Words) -> NDArray[np.bool_]:
    relative, absolute = _BOUNDS[probe.form.key]
    x, y = decode(kind, one), decode(kind, other)
    with np.errstate(invalid="ignore", over="ignore"):
        allowed = 2 * (absolute + relative * np.maximum(np.abs(x), np.abs(y))) + _LEAST[kind]
        close = np.abs(x - y) <= allowed
    measured = np.isfinite(x) & np.isfinite(y) & (x != 0) & (y != 0)
    return ~np.where(measured, close, one == other)
