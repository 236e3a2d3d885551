"""Kernels whose number of parameters depends on what an epilogue reads."""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from dataclasses import dataclass
from types import FunctionType
from typing import Any


@dataclass(frozen=True, slots=True)
class Extra:
    """A parameter. `annotation` is a type as kernels take it, e.g. px.Ptr[px.f32]; `strided`: its rows may be apart."""

    name: str
    annotation: Any
    strided: bool = False


def extended(fn: FunctionType, extras: Sequence[Extra]) -> FunctionType:
    """A kernel function that ends with `*more`, with these parameters in its place. `fn` itself stays as it is."""
    copy = FunctionType(fn.__code__, fn.__globals__, fn.__name__, fn.__defaults__, fn.__closure__)
    copy.__kwdefaults__, copy.__module__, copy.__doc__ = fn.__kwdefaults__, fn.__module__, fn.__doc__
    kept = inspect.signature(fn)
    made: list[inspect.Parameter] = []
    for parameter in kept.parameters.values():
        if parameter.kind is not parameter.VAR_POSITIONAL:
            made.append(parameter)
            continue
        made += [inspect.Parameter(x.name, inspect.Parameter.POSITIONAL_OR_KEYWORD) for x in extras]
    copy.__signature__ = kept.replace(parameters=made)  # type: ignore[attr-defined]
    copy.__annotations__ = fn.__annotations__ | {x.name: x.annotation for x in extras}
    return copy
