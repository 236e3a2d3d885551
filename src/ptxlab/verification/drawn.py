"""What arrays hold: random, structured and adversarial numbers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

import numpy as np

from ptxlab.launch.arrays import empty
from ptxlab.verification.numbers.formats import Floats, Format, format_of
from ptxlab.verification.spec import Array, Input, Output

Draw = Callable[[np.random.Generator, tuple[int, ...], Format], Floats]
GUARD: Final = 512
"""Bytes on each side of an array in which nobody has any business."""


def _normal(rng: np.random.Generator, shape: tuple[int, ...], form: Format) -> Floats:
    del form
    return rng.standard_normal(shape)


def _integers(rng: np.random.Generator, shape: tuple[int, ...], form: Format) -> Floats:
    del form
    return rng.integers(-4, 5, shape).astype(np.float64)


def _positive(rng: np.random.Generator, shape: tuple[int, ...], form: Format) -> Floats:
    del form
    return rng.uniform(0.5, 1.0, shape)


def _spikes(rng: np.random.Generator, shape: tuple[int, ...], form: Format) -> Floats:
    """A power of two in each row, at a place of its own."""
    del form
    out = np.zeros(shape)
    if out.size:
        rows = out.reshape(-1, shape[-1] if shape else 1)
        columns = rng.permuted(np.resize(np.arange(rows.shape[1]), rows.shape[0]))
        rows[np.arange(len(rows)), columns] = np.ldexp(
            rng.choice([-1.0, 1.0], len(rows)), rng.integers(0, 5, len(rows))
        )
    return out


def _ramp(rng: np.random.Generator, shape: tuple[int, ...], form: Format) -> Floats:
    """Small whole numbers that count, up or down."""
    out = (np.arange(int(np.prod(shape)), dtype=np.float64) % (1 << min(form.bits, 5))).reshape(shape)
    return out if rng.random() < 0.5 else -out


def _tiny(rng: np.random.Generator, shape: tuple[int, ...], form: Format) -> Floats:
    """Around the smallest normal number, one at least so far above it that nobody may take it for zero."""
    out = rng.standard_normal(shape) * form.least * np.exp2(rng.uniform(-3, 6, shape))
    flat = out.reshape(-1)
    if flat.size:
        flat[rng.integers(flat.size)] = rng.choice([-1.0, 1.0]) * form.least * np.exp2(rng.uniform(4, 6))
    return out


def _small(rng: np.random.Generator, shape: tuple[int, ...], form: Format) -> Floats:
    """All far below one, and far above what the type resolves."""
    return rng.standard_normal(shape) * form.least ** rng.uniform(0.125, 0.5)


def _large(rng: np.random.Generator, shape: tuple[int, ...], form: Format) -> Floats:
    return rng.standard_normal(shape) * np.sqrt(form.most) / 8


def _sparse(rng: np.random.Generator, shape: tuple[int, ...], form: Format) -> Floats:
    """A few random numbers among zeros: sums of few terms, in which nothing hides that factors are rounded."""
    return _normal(rng, shape, form) * (rng.random(shape) < 2 / max(shape[-1] if shape else 1, 4))


def _wide(rng: np.random.Generator, shape: tuple[int, ...], form: Format) -> Floats:
    """Of very different size."""
    reach = min(-np.log2(form.least), np.log2(form.most)) / 3
    return _normal(rng, shape, form) * np.exp2(rng.uniform(-reach, reach, shape))


def _with(*numbers: float) -> Draw:
    """Some of these among random numbers, at least one."""

    def drawn(rng: np.random.Generator, shape: tuple[int, ...], form: Format) -> Floats:
        out = _normal(rng, shape, form)
        flat = out.reshape(-1)
        for number in rng.permutation(numbers)[: 1 + int(rng.integers(len(numbers)))]:
            if flat.size:
                flat[rng.integers(flat.size, size=1 + int(rng.integers(3)))] = number
        return out

    return drawn


KINDS: Final[Mapping[str, Draw]] = {
    "random": _normal,
    "integers": _integers,
    "positive": _positive,
    "spikes": _spikes,
    "ramp": _ramp,
    "zeros": lambda rng, shape, form: np.where(rng.random(shape) < 0.25, -0.0, 0.0),
    "ones": lambda rng, shape, form: np.ones(shape),
    "tiny": _tiny,
    "small": _small,
    "large": _large,
    "sparse": _sparse,
    "wide": _wide,
    "NaN": _with(np.nan),
    "infinities": _with(np.inf, -np.inf),
}
"""What arrays of floating-point numbers hold."""
SPECIAL: Final = ("NaN", "infinities")


def filled(one: Input, kind: str, rng: np.random.Generator) -> Any:
    """What an input holds."""
    shape, dtype = one.extents, one.elements
    if one.values is not None:
        return np.asarray(one.values(rng, shape)).astype(dtype).reshape(shape)
    form = format_of(dtype)
    if form is None:
        return _whole(one, dtype, kind, rng, shape)
    with np.errstate(over="ignore", invalid="ignore"):
        if one.low is not None or one.high is not None:
            return _within(one, form, kind, rng, shape).astype(dtype)
        return np.clip(KINDS[kind](rng, shape, form), *_reach(kind, form)).astype(dtype)


def _reach(kind: str, form: Format) -> tuple[float, float]:
    return (-np.inf, np.inf) if kind in SPECIAL else (-form.most, form.most)


def _within(one: Input, form: Format, kind: str, rng: np.random.Generator, shape: tuple[int, ...]) -> Floats:
    low = -form.most if one.low is None else one.low
    high = form.most if one.high is None else one.high
    if kind in ("zeros", "ones"):
        return np.full(shape, low if kind == "zeros" else high)
    if kind in ("integers", "spikes", "ramp", "tiny", "small", "sparse", "wide"):
        return np.clip(KINDS[kind](rng, shape, form), low, high)
    return rng.uniform(low, high, shape)


def _whole(one: Input, dtype: np.dtype[Any], kind: str, rng: np.random.Generator, shape: tuple[int, ...]) -> Any:
    if dtype.kind == "b":
        return rng.integers(0, 2, shape).astype(dtype)
    limits = np.iinfo(dtype)
    low = limits.min if one.low is None else int(one.low)
    high = int(limits.max) if one.high is None else int(one.high) - 1
    match kind:
        case "zeros":
            return np.full(shape, min(max(0, low), high), dtype)
        case "ones":
            return np.full(shape, min(max(1, low), high), dtype)
        case "large":
            return rng.choice(np.array([low, high], dtype), shape)
        case "ramp":
            count = int(np.prod(shape))
            return (low + np.arange(count, dtype=object) % (high - low + 1)).astype(dtype).reshape(shape)
        case "integers" | "spikes" | "tiny":
            near = rng.integers(max(low, -8 if low < 0 else low), min(high, max(low, -8) + 16), shape, endpoint=True)
            return near.astype(dtype)
        case _:
            return rng.integers(low, high, shape, dtype=dtype, endpoint=True)


def fitting(one: Input, numbers: Sequence[int | float]) -> Array:
    """Those of some numbers that an input may hold: whole ones where it holds whole numbers."""
    dtype, form = one.elements, format_of(one.elements)
    if form is None and dtype.kind not in "iu":
        return np.zeros(0, dtype)
    low, high = (-form.most, form.most) if form else (int(np.iinfo(dtype).min), int(np.iinfo(dtype).max))
    low = low if one.low is None else max(low, one.low)
    high = high if one.high is None else min(high, one.high if form else one.high - 1)
    kind = float if form else int
    return np.array([n for n in numbers if type(n) is kind and low <= n <= high]).astype(dtype)


class Guarded:
    """An array with guards on both sides, at an address of its own."""

    def __init__(self, one: Input | Output, rng: np.random.Generator) -> None:
        shape, dtype = one.extents, one.elements
        nbytes = dtype.itemsize * int(np.prod(shape))
        before = GUARD + 256 * int(rng.integers(4))
        self._raw = empty(before + nbytes + GUARD, np.uint8)
        self._raw[:] = rng.integers(0, 256, self._raw.size, dtype=np.uint8)
        self._before, self._end = before, before + nbytes
        self._guards = self._outside()
        self.array: Array = self._raw[before : before + nbytes].view(dtype).reshape(shape)

    def _outside(self) -> bytes:
        return self._raw[: self._before].tobytes() + self._raw[self._end :].tobytes()

    @property
    def guards_hold(self) -> bool:
        """Whether nobody has written beside the array."""
        return self._outside() == self._guards


__all__ = ["KINDS", "SPECIAL", "Guarded", "filled", "fitting"]
