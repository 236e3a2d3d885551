"""How far a product of the tensor cores may lie from the exact one, and whether it does: float64 says what is exact.

A tensor core adds the products of one instruction and the accumulator at once. It cuts each term to `fraction` bits behind the
point of the largest one, and the sum to `kept` bits. So each instruction may lose (terms · 2^-fraction) of its largest term, and
2^-kept of the sum. The bound adds this up over the instructions of a sum, with the largest partial sum for all of them; it holds
however the sum is shared out. Types of 8 bits have so few bits that the bound is loose where K is large: that is why scales in
blocks exist.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING, Any, Final

from ptxlab.conformance.kernels.adversarial import facts

if TYPE_CHECKING:
    import numpy as np

INSTRUCTION: Final = 32
"""Bytes along K that one wgmma takes of a row."""
CUT: Final = {2: (25, 23), 4: (25, 23), 1: (13, 13)}
"""Bits that terms and sums keep, by the size of an element."""
FLOOR: Final = 2.0**-148
"""What an instruction may lose of sums that are tiny: terms are cut at 2^-158, sums at 2^-149."""
LARGEST: Final = 3.4e38
"""From about here on f32 is infinite."""
TINY: Final = 2.0**-126
"""Below this, f32 has fewer bits, or none."""


@dataclass(frozen=True, slots=True)
class Sums:
    """Exact results, and how far those of the chip may lie from them.

    Attributes:
        exact: in float64; NaN and infinities stand for themselves.
        slack: the bound; infinite where nothing can be said, as numbers may leave the range of f32 on the way.
    """

    exact: np.ndarray
    slack: np.ndarray


def sums(a: np.ndarray, b: np.ndarray) -> Sums:
    """Of A (M × K) and B (N × K), as stored in memory."""
    import numpy as np

    with np.errstate(all="ignore"):
        left, right = a.astype(np.float64), b.astype(np.float64)
    if a.dtype.kind in "iu":
        exact = left @ right.T
        return Sums(exact, np.zeros_like(exact))
    step = INSTRUCTION // a.dtype.itemsize
    fraction, kept = CUT[a.dtype.itemsize]
    count = -(-left.shape[1] // step)
    with np.errstate(all="ignore"):
        exact, cut = left @ right.T, np.zeros(())
        if a.dtype.itemsize == 4:
            short, narrow = (_tf32(x) for x in (a, b))
            seen = short @ narrow.T
            cut = np.abs(left - short) @ np.abs(right).T + np.abs(short) @ np.abs(right - narrow).T
            exact = np.where(np.isfinite(seen) & np.isfinite(exact), exact, seen)
        # what is no number decides by itself; the bound is about the others
        left, right = (np.where(np.isfinite(x), x, 0) for x in (left, right))
        partial, peak, largest = (np.zeros_like(exact) for _ in range(3))
        for at in range(0, left.shape[1], step):
            some, other = left[:, at : at + step], right[:, at : at + step]
            partial = partial + some @ other.T
            peak = np.maximum(peak, np.abs(partial))
            largest = np.maximum(largest, np.abs(some).max(1)[:, None] * np.abs(other).max(1)[None, :])
        peak *= 2  # of any part of the sum, however it is cut
        slack = np.zeros_like(exact)
        for _ in range(2):  # what was lost before is part of the partial sums, too
            term = np.maximum(largest, peak + slack)
            slack = count * (term * (step + 1) * 2.0**-fraction + (peak + slack) * 2.0**-kept + FLOOR)
        found = _sure(exact, slack + cut, peak + largest * step)
        found.slack[np.isnan(exact)] = 0  # nothing takes a NaN away again
        return found


def _tf32(x: np.ndarray) -> np.ndarray:
    """Without the lower 13 bits, which tensor cores do not look at."""
    import numpy as np

    return (x.view(np.uint32) & np.uint32(0xFFFFE000)).view(np.float32).astype(np.float64)


def _sure(exact: np.ndarray, slack: np.ndarray, size: Any) -> Sums:
    """With nothing said where numbers of this size leave the range of f32, and NaN and infinities as they are elsewhere."""
    import numpy as np

    out = np.where(np.isfinite(exact), slack, 0)
    out[~(size + out <= LARGEST)] = np.inf
    return Sums(exact, out)


def scaled(found: Sums, factor: Any) -> Sums:
    """Results times a factor, which is rounded once."""
    import numpy as np

    with np.errstate(all="ignore"):
        exact, size = found.exact * factor, np.abs(factor)
        slack = found.slack * size + np.abs(exact) * 2.0**-22 + FLOOR
        lost = np.isinf(found.slack) | ((size > 0) & (size < TINY)) | ((size > LARGEST) & np.isfinite(factor))
        return _sure(exact, slack, np.where(lost, np.inf, _size(exact)))


def _size(*values: Any) -> Any:
    """The sum of magnitudes, of those that are numbers."""
    import numpy as np

    return np.sum([np.where(np.isfinite(x), np.abs(x), 0) for x in values], axis=0)


def added(parts: Sequence[Sums]) -> Sums:
    """Parts of a sum, added in f32 one after the other."""
    import numpy as np

    with np.errstate(all="ignore"):
        exact, slack = (np.sum(x, axis=0) for x in ([p.exact for p in parts], [p.slack for p in parts]))
        size = _size(*(p.exact for p in parts)) + slack
        return _sure(exact, slack + size * len(parts) * 2.0**-23, size)


def through(given: Sequence[Sums], function: Callable[..., Any], *others: Any, rough: float = 2.0**-21) -> Sums:
    """What a function makes of results: its values at the ends of their bounds, and `rough` of what went in and came out.

    `function` takes what is `given` first. Twice the spread is allowed for functions that are not monotone in between.
    """
    import numpy as np

    inputs = [x.exact for x in given]
    with np.errstate(all="ignore"):
        exact = function(*inputs, *others)
        corners = product((-1, 1), repeat=len(given))
        ends = [
            function(*(x.exact + s * x.slack for x, s in zip(given, signs, strict=True)), *others) for signs in corners
        ]
        spread = 2 * np.max([np.abs(end - exact) for end in ends], axis=0)
        went_in = _size(*inputs, *others)
        many = np.prod([1 + _size(x) for x in inputs], axis=0)
        slack = spread + rough * (went_in + many + _size(exact)) + FLOOR
        lost = np.any([np.isinf(x.slack) for x in given], axis=0) | (np.isfinite(exact) & ~np.isfinite(slack))
        return _sure(exact, slack, np.where(lost, np.inf, went_in * 4 + _size(exact)))


def outside(got: np.ndarray, wanted: Sums) -> str:
    """Empty where all results lie within the bound, after rounding to the type of `got`; else how many do not, and the first.

    Where the exact result is NaN or infinite, so has to be the result. Where numbers may leave the range of f32, nothing is asked.
    """
    import numpy as np

    with np.errstate(all="ignore"):
        low, high = (as_type(wanted.exact + s * wanted.slack, got.dtype) for s in (-1, 1))
        value = got.astype(np.float64)
        inside = (value >= low) & (value <= high) | np.isinf(wanted.slack) | (np.isnan(low) & np.isnan(value))
    if inside.all():
        return ""
    first = np.unravel_index(int((~inside).argmax()), inside.shape)
    at = ", ".join(str(int(i)) for i in first)
    return (
        f"{int((~inside).sum())} of {inside.size} elements lie outside the bound; the first is [{at}]: {value[first]} "
        f"instead of {wanted.exact[first]} ± {wanted.slack[first]:.3g}"
    )


def as_type(exact: np.ndarray, dtype: np.dtype[Any]) -> np.ndarray:
    """Rounded to a type of results, as float64: to nearest even, types of 8 bits saturated, integers wrapped."""
    import numpy as np

    if dtype == np.int32:
        return exact.astype(np.int64).astype(np.int32).astype(np.float64)
    with np.errstate(all="ignore"):
        narrow = exact.astype(np.float32) if dtype.itemsize < 4 else exact
        if dtype.itemsize == 1:
            most = float(facts(dtype).max)
            narrow = np.clip(narrow, -most, most)
        return narrow.astype(dtype).astype(np.float64)
