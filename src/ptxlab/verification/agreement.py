"""Whether an array holds what a reference wants, within what rounding allows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from ptxlab.launch.compared import Mismatch
from ptxlab.verification.numbers.bounded import Arithmetic, Bounded, bounded
from ptxlab.verification.numbers.formats import Floats, Format, format_of
from ptxlab.verification.spec import Array

FP8: Final = 4
"""Bits of a significand, at most."""


@dataclass(frozen=True, slots=True)
class Wrong:
    """An array that does not agree.

    Attributes:
        mismatch: the first wrong element. where: indices of all wrong elements.
        times: how many times the allowed error the first one is off; None where nothing was allowed, or it is not a number.
    """

    mismatch: Mismatch
    where: NDArray[np.int64]
    times: float | None


def compared(
    name: str, array: Array, wanted: Any, tolerance: tuple[float, float] | None, within: Arithmetic
) -> tuple[Wrong | None, float]:
    """What is wrong in an array, None where it holds what is wanted; and the part of its elements that are decided.

    An element is decided where zero, or the number with another sign, would be wrong.
    """
    if not isinstance(wanted, Bounded) and array.dtype.kind in "iub" and np.asarray(wanted).dtype.kind in "iub":
        right, allowed = np.asarray(array == wanted), np.zeros(array.shape)
        target: Any = np.asarray(wanted)
    else:
        one = bounded(wanted, within)
        with np.errstate(invalid="ignore"):  # NaN that signal
            values, target = array.astype(np.float64), one.value
        allowed = _allowed(one, format_of(array.dtype), tolerance)
        right = _right(values, target, allowed, format_of(array.dtype))
    if bool(right.all()):
        size = np.abs(np.asarray(target, np.float64))
        with np.errstate(invalid="ignore"):
            decided = (allowed == 0) | (allowed < size) | ~np.isfinite(size)
        return None, float(decided.mean()) if right.size else 1.0
    where = np.argwhere(~right)
    index = tuple(int(i) for i in where[0])
    mismatch = Mismatch(name, len(where), right.size, index, str(array[index]), _shown(target[index]))
    return Wrong(mismatch, where, _times(array[index], target[index], float(allowed[index]))), 0.0


def _allowed(wanted: Bounded, form: Format | None, tolerance: tuple[float, float] | None) -> Floats:
    if tolerance is not None:
        rtol, atol = tolerance
        return atol + rtol * np.abs(wanted.value)
    if form is None:
        return wanted.error
    with np.errstate(over="ignore", invalid="ignore"):
        exact = (wanted.error == 0) & form.holds(wanted.value)
        return np.where(exact, 0, wanted.error + form.unit * np.abs(wanted.value) + form.step / 2)


def _right(values: Floats, wanted: Floats, allowed: Floats, form: Format | None) -> NDArray[np.bool_]:
    with np.errstate(invalid="ignore", over="ignore"):
        near = (np.abs(values - wanted) <= allowed) | (values == wanted) | (np.isnan(values) & np.isnan(wanted))
        near |= np.isinf(allowed) & np.isfinite(wanted)
        if form is None:
            return near | ~np.isfinite(wanted)
        beyond = np.abs(wanted) + allowed > form.most
        same_sign = np.signbit(values) == np.signbit(wanted)
        ended = ~np.isfinite(values) | (np.abs(values) >= form.most)
        ended &= np.isfinite(wanted) | ~np.isfinite(values) | (form.bits <= FP8)  # conversions to fp8 saturate
        return near | (beyond & ended & (same_sign | np.isnan(values)) & ~(np.isnan(values) & (form.name != "e4m3")))


def _shown(value: Any) -> str:
    return f"{value:.9g}" if isinstance(value, np.float64) else str(value)


def _times(value: Any, wanted: Any, allowed: float) -> float | None:
    off = abs(float(value) - float(wanted))
    return off / allowed if allowed > 0 and np.isfinite(off) and np.isfinite(allowed) else None


__all__ = ["Wrong", "compared"]
