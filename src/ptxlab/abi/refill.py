"""Parameter blocks of launches that follow a checked one: the same places, other addresses and numbers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from struct import Struct
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from ptxlab.abi.arrays import ArrayView, is_array
from ptxlab.abi.maps import BoundMap
from ptxlab.abi.params import aggregate, scalar
from ptxlab.abi.rules import ArrayRule, Rule
from ptxlab.isa.types import ScalarType
from ptxlab.layout.tensormap import TensorMap

if TYPE_CHECKING:
    from ptxlab.ptx.program import Param

Fit = Callable[[Any], Any]
"""From a value to what its place in the block takes. Raises: ValueError or Diagnostic where it does not fit."""
_WORDS: Final = {8: "B", 16: "H", 32: "I", 64: "Q"}
_FLOATS: Final = {"f32": "f", "f64": "d"}


class Refill:
    """How values become a parameter block.

    Args:
        params: of the kernel. args: of a launch that was checked. rules: what the kernel demands of its arguments.
    """

    __slots__ = ("_fits", "pack_into", "size")

    def __init__(self, params: Sequence[Param], args: Sequence[Any], rules: Mapping[str, Rule]) -> None:
        words = ["<"]
        fits: list[tuple[int, Fit]] = []
        end = 0
        for i, (param, arg) in enumerate(zip(params, args, strict=True)):
            word, fit = _place(param, arg, rules.get(param.name))
            words.append(f"{param.offset - end}x{word}")
            end = param.offset + param.size
            if fit is not None:
                fits.append((i, fit))
        layout = Struct("".join(words))
        self._fits = tuple(fits)
        self.size = layout.size
        self.pack_into = layout.pack_into

    def fitted(self, values: list[Any]) -> list[Any]:
        """The values as `pack_into` takes them. Raises: ValueError or Diagnostic where one does not fit."""
        for i, fit in self._fits:
            values[i] = fit(values[i])
        return values


def _place(param: Param, arg: Any, rule: Rule | None) -> tuple[str, Fit | None]:
    if isinstance(arg, BoundMap | TensorMap):
        return f"{param.size}s", None
    if isinstance(arg, ArrayView) or is_array(arg):
        align = rule.align if isinstance(rule, ArrayRule) else 1
        return "Q", partial(_aligned, align) if align > 1 else None
    if param.count > 1 or param.type.bits > 64:
        return f"{param.size}s", partial(aggregate, param)
    kind = param.type
    of: type = type(arg)  # pyright: ignore[reportUnknownVariableType]
    if kind.kind in "usb" and (of in (int, bool) or issubclass(of, np.integer)):
        return _WORDS[kind.bits], _integer(kind)
    if kind.name in _FLOATS and (of in (int, bool, float) or issubclass(of, np.integer | np.floating)):
        return _FLOATS[kind.name], float
    return f"{param.size}s", partial(scalar, kind)


def _aligned(align: int, address: int) -> int:
    if address % align:
        raise ValueError
    return address


def _integer(kind: ScalarType) -> Fit:
    # nvcc declares int as .u32: unsigned and untyped parameters take negative numbers too, as in `params`
    low, mask = -(1 << kind.bits - 1), (1 << kind.bits) - 1
    high = mask >> 1 if kind.kind == "s" else mask

    def fit(value: Any) -> int:
        number = int(value)
        if low <= number <= high:
            return number & mask
        raise ValueError

    return fit
