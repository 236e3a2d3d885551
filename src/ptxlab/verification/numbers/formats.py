"""Floating-point formats: how finely they resolve, and where they end."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Format:
    """A format.

    Attributes:
        name: PTX's. bits: of the significand, the hidden one included. least, most: the smallest normal number, the largest one.
        flushes: whether instructions may take subnormal numbers for zero (.ftz).
    """

    name: str
    bits: int
    least: float
    most: float
    flushes: bool = False

    @property
    def unit(self) -> float:
        """The largest relative error of one rounding to nearest."""
        return 2.0**-self.bits

    @property
    def step(self) -> float:
        """The distance of subnormal numbers; where they may be flushed, the smallest normal number."""
        return self.least if self.flushes else self.least * 2 * self.unit

    def holds(self, value: Floats) -> NDArray[np.bool_]:
        """Which numbers it holds exactly, whatever the instructions flush."""
        return self._holds(value, self.bits)

    def proves(self, value: Floats) -> NDArray[np.bool_]:
        """Which numbers, where they come out in double precision, are exact results that it holds.

        Double precision itself rounds: a result that needs no more than 32 bits was hardly made so by that.
        """
        return self._holds(value, min(self.bits, 32))

    def _holds(self, value: Floats, bits: int) -> NDArray[np.bool_]:
        with np.errstate(invalid="ignore", over="ignore"):
            fraction, _ = np.frexp(value)
            scaled = np.ldexp(fraction, bits)
            fine = np.abs(value) >= self.least
            exact = np.where(fine, np.equal(scaled, np.rint(scaled)), np.equal(np.fmod(value, self.step), 0))
            return np.asarray((exact & (np.abs(value) <= self.most)) | ~np.isfinite(value))


F32: Final = Format("f32", 24, 2.0**-126, float(np.finfo(np.float32).max), flushes=True)
FORMATS: Final = {
    "f64": Format("f64", 53, 2.0**-1022, float(np.finfo(np.float64).max)),
    "f32": F32,
    "tf32": Format("tf32", 11, 2.0**-126, F32.most, flushes=True),
    "bf16": Format("bf16", 8, 2.0**-126, float(2.0**128 - 2.0**120)),
    "f16": Format("f16", 11, 2.0**-14, 65504.0),
    "e4m3": Format("e4m3", 4, 2.0**-6, 448.0),
    "e5m2": Format("e5m2", 3, 2.0**-14, 57344.0),
}


def format_of(dtype: np.dtype[Any]) -> Format | None:
    """The format of a dtype's numbers; None for integers."""
    from ptxlab.abi.arrays import PTX_TYPE

    return FORMATS.get(PTX_TYPE.get(dtype.name, ""))


__all__ = ["F32", "FORMATS", "Floats", "Format", "format_of"]
