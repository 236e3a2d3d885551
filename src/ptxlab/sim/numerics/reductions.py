"""What the copy engine makes of two numbers: cp.reduce.async.bulk and its tensor form, on whole arrays.

Numbers are taken and given as unsigned words. NaNs come out canonical, except of f64.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from ptxlab.isa.types import TYPES
from ptxlab.sim.numerics import degrees, residues
from ptxlab.sim.numerics.coded import code_of, held

Words = NDArray[Any]
Combine = Callable[[Words, Words], Words]
"""`combine(old, source)`: the new words."""

_NAN: Final = {"f16": 0x7FFF, "bf16": 0x7FFF, "f32": 0x7FFF_FFFF}
_QUIET64: Final = np.uint64(0xFFF8_0000_0000_0000)


def rounded_to_tf32(words: NDArray[np.uint32]) -> NDArray[np.uint32]:
    """f32 rounded to the 10 fraction bits of tf32, to nearest even; subnormal numbers too. NaNs come out as 0x7fffe000."""
    cut = np.uint32(_TF32_CUT)
    half = np.uint32((1 << _TF32_CUT - 1) - 1)
    out = words + half + (words >> cut & np.uint32(1)) >> cut << cut
    return np.where(words & np.uint32(0x7FFF_FFFF) > 0x7F80_0000, np.uint32(0x7FFF_E000), out)


_TF32_CUT: Final = 13


def combiner(op: str, type_: str, *, coded: str = "") -> tuple[np.dtype[Any], Combine]:
    """The words of a type, and what an operation makes of two of them.

    Args:
        op: "add", "min", "max", "inc", "dec", "and", "or" or "xor".
        type_: PTX's name of the type, or "f32_ftz", which flushes subnormal numbers (an H100 keeps those of f32, whatever the
            manual says).
        coded: "residues" or "degrees" where floating-point numbers are codes of these; else "".
    """
    word = np.dtype(f"u{TYPES[type_.removesuffix('_ftz')].bits // 8}")
    if op in _BITS:
        return word, _BITS[op]
    if type_[0] in "us" or type_ in ("b32", "b64"):
        return word, _integer(op, np.dtype(f"i{word.itemsize}") if type_[0] == "s" else word)
    if coded:
        bits, function = 8 * word.itemsize, of_codes(op, degree=coded == "degrees")
        return word, lambda old, new: held(function(residues.ARRAYS, code_of(old), code_of(new)), bits)
    return word, _ADD[type_] if op == "add" else _extreme(type_, largest=op == "max")


def reduction_type(op: str, element: str) -> str | None:
    """The type in which a reduction through a tensor map combines elements; None where there is none.

    Args:
        op: as in `combiner`. element: the map's element type.
    """
    name = element.replace("tf32", "f32")
    if op in _BITS:
        return {"u32": "b32", "s32": "b32", "u64": "b64"}.get(name)
    if op in ("inc", "dec"):
        return "u32" if name == "u32" else None
    known = _SUMS if op == "add" else _EXTREMES
    return name if name in known else None


_SUMS: Final = ("u32", "s32", "u64", "f16", "bf16", "f32", "f32_ftz", "f64")
_EXTREMES: Final = ("u32", "s32", "u64", "s64", "f16", "bf16")
_BITS: Final[dict[str, Combine]] = {"and": np.bitwise_and, "or": np.bitwise_or, "xor": np.bitwise_xor}


def _integer(op: str, number: np.dtype[Any]) -> Combine:
    if op == "add":
        return np.add
    if op == "inc":
        return lambda old, limit: np.where(old >= limit, 0, old + old.dtype.type(1)).astype(old.dtype)
    if op == "dec":
        return lambda old, limit: np.where((old == 0) | (old > limit), limit, old - old.dtype.type(1))
    pick = np.minimum if op == "min" else np.maximum
    return lambda old, new: pick(old.view(number), new.view(number)).view(old.dtype)


# --- floating point ---------------------------------------------------------------------------------------------------
def widened(bits: Words, type_: str) -> NDArray[np.float32]:
    """f16 and bf16 as f32."""
    if type_ == "f16":
        return bits.view(np.float16).astype(np.float32)
    return (bits.astype(np.uint32) << np.uint32(16)).view(np.float32)


def narrowed(numbers: NDArray[np.float32], type_: str) -> Words:
    """Rounded to nearest even."""
    with np.errstate(over="ignore"):
        if type_ == "f16":
            out = numbers.astype(np.float16).view(np.uint16)
        else:
            bits = numbers.view(np.uint32)
            out = (bits + np.uint32(0x7FFF) + (bits >> np.uint32(16) & np.uint32(1)) >> np.uint32(16)).astype(np.uint16)
    return np.where(np.isnan(numbers), np.uint16(_NAN[type_]), out)


def _add_half(type_: str) -> Combine:
    def add(old: Words, new: Words) -> Words:
        with np.errstate(over="ignore", invalid="ignore"):
            return narrowed(widened(old, type_) + widened(new, type_), type_)

    return add


def _flushed(numbers: NDArray[np.float32]) -> NDArray[np.float32]:
    """Subnormal numbers as zeros of their sign."""
    tiny = np.abs(numbers) < np.finfo(np.float32).tiny
    return np.where(tiny, np.copysign(np.float32(0), numbers), numbers)


def _add_single(old: Words, new: Words) -> Words:
    with np.errstate(over="ignore", invalid="ignore"):
        total = old.view(np.float32) + new.view(np.float32)
    return np.where(np.isnan(total), np.uint32(_NAN["f32"]), total.view(np.uint32))


def _add_flushed(old: Words, new: Words) -> Words:
    total = _add_single(_flushed(old.view(np.float32)), _flushed(new.view(np.float32)))
    return _flushed(total.view(np.float32)).view(np.uint32)


def _add_double(old: Words, new: Words) -> Words:
    """A NaN stays as it is, a signalling one too: the source's if there are two."""
    a, b = old.view(np.float64), new.view(np.float64)
    with np.errstate(over="ignore", invalid="ignore"):
        total = a + b
    nan = np.where(np.isnan(b), new, np.where(np.isnan(a), old, _QUIET64))
    return np.where(np.isnan(total), nan, total.view(np.uint64))


def of_codes(op: str, *, degree: bool) -> Callable[..., Any]:
    """What an operation, "add", "min" or "max", makes of two codes: of degrees, or of residues."""
    if degree:
        return degrees.add if op == "add" else degrees.own
    return {"add": residues.add, "min": residues.minimum, "max": residues.maximum}[op]


_ADD: Final[dict[str, Combine]] = {
    "f16": _add_half("f16"),
    "bf16": _add_half("bf16"),
    "f32": _add_single,
    "f32_ftz": _add_flushed,
    "f64": _add_double,
}


def _extreme(type_: str, *, largest: bool) -> Combine:
    """The lesser or larger number, -0 below +0; one NaN loses."""

    def pick(old: Words, new: Words) -> Words:
        a, b = widened(old, type_), widened(new, type_)
        with np.errstate(invalid="ignore"):
            better = (a > b) if largest else (a < b)
        zeros = old & new if largest else old | new
        out = np.where(a == b, zeros, np.where(better, old, new))
        out = np.where(np.isnan(a), new, np.where(np.isnan(b), old, out))
        return np.where(np.isnan(a) & np.isnan(b), np.uint16(_NAN[type_]), out)

    return pick
