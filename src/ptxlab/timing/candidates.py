"""Candidates of a kernel: combinations of values of its compile-time constants, and what a launch of each is."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Mapping, Sequence
from types import SimpleNamespace
from typing import Any

from ptxlab.abi.arrays import is_array
from ptxlab.abi.validate import Extents
from ptxlab.diag import Diagnostic, user_span
from ptxlab.launch.kernel import Kernel

Grid = Extents | Callable[[Any], Extents]


def candidates(kernel: Kernel, space: Mapping[str, Iterable[Any]]) -> tuple[dict[str, Any], ...]:
    """All combinations, the first values first. Raises: Diagnostic PTX2514 for what is no choice among the kernel's constants."""
    known = kernel.source.constants
    if not space:
        raise no_choice(
            f"There is nothing to choose for {kernel.name}.", f"name values of {', '.join(known) or 'constants'}"
        )
    values: list[tuple[Any, ...]] = []
    for name, given in space.items():
        if name not in known:
            has = f"its constants: {', '.join(known)}" if known else "give it keyword-only parameters"
            raise no_choice(f"{kernel.name} has no compile-time constant `{name}`.", has)
        if isinstance(given, str) or not isinstance(given, Iterable) or not (listed := tuple(given)):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise no_choice(f"{name}={given!r} is no list of values.", f"write {name}=[…]")
        values.append(listed)
    return tuple(dict(zip(space, chosen, strict=True)) for chosen in itertools.product(*values))


def no_choice(message: str, help: str) -> Diagnostic:
    """What is wrong with a choice."""
    return Diagnostic("PTX2514", message, help=help, origin=user_span())


def at(given: Any, chosen: Mapping[str, Any]) -> Any:
    """What was given, or what it says of a candidate."""
    return given(SimpleNamespace(**chosen)) if callable(given) and not is_array(given) else given


def all_at(args: Sequence[Any], chosen: Mapping[str, Any]) -> list[Any]:
    """Arguments for a candidate."""
    return [at(arg, chosen) for arg in args]


def words(chosen: Mapping[str, Any]) -> str:
    """A candidate in words."""
    return ", ".join(f"{name}={shown(value)}" for name, value in chosen.items())


def shown(value: Any) -> str:
    """A value of a constant; functions and classes by their name."""
    return getattr(value, "__name__", None) or repr(value)
