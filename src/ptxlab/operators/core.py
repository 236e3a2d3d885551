"""A function under `@px.operator`: how it is run on arrays that are there, and what is asked of what it returns."""

from __future__ import annotations

import threading
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from ptxlab.abi.arrays import CPU, view
from ptxlab.diag import Diagnostic
from ptxlab.launch.watch import Guarded, Watch, watched
from ptxlab.operators.arrays import library_of
from ptxlab.operators.gradient import Gradient
from ptxlab.operators.schema import Schema

_SIMULATING: Final = threading.RLock()
"""Held while a function simulates: JAX runs operators in threads of its own."""


@dataclass
class Declared:
    """What an operator is made of.

    Attributes:
        schema: what it takes and gives. function: what computes it.
        slope: its gradient, None while there is none. rule: how a batch is computed, None for one after the other.
    """

    schema: Schema
    function: Callable[..., Any]
    slope: Gradient | None = None
    rule: Callable[..., Any] | None = None

    @property
    def name(self) -> str:
        """E.g. "mylib::scale"."""
        return self.schema.name

    def run(self, values: Mapping[str, Any], watch: Watch | None = None) -> Any:
        """Call the function on arrays that are there. Those in memory of the host that it must not write are guarded.

        Args:
            values: the arguments by name. watch: of its launches; left out, one that guards.

        Raises: Diagnostic as its launches; PTX9004 where it writes what `mutates` does not name.
        """
        guarded = self._guarded(values)
        with watched(watch or _Run(guarded)), _SIMULATING if guarded else _nothing():
            try:
                return self.function(**values)
            except Diagnostic as d:
                if d.code == "PTX9004" and guarded:
                    d.help = f"name what {self.name} writes where it is made: mutates=(…)"
                raise

    def _guarded(self, values: Mapping[str, Any]) -> tuple[Guarded, ...]:
        out: list[Guarded] = []
        for p in self.schema.arrays:
            value = values[p.name]
            if value is not None and not p.mutated:
                seen = view(value)
                if seen.device != CPU:
                    return ()
                out.append(Guarded(p.name, *seen.extent))
        return tuple(out)

    def finished(self, given: Any, values: Mapping[str, Any]) -> Any:
        """What the function has returned for these arguments.

        Raises: Diagnostic PTX2352 where that is not what the operator was declared to return.
        """
        found = self.listed(given)
        libraries = {library_of(values[p.name]) for p in self.schema.arrays if values[p.name] is not None}
        for i, one in enumerate(found):
            kind = library_of(one)
            if kind not in libraries:
                shown = type(one).__name__
                raise self.wrong_result(
                    f"result {i} is a {shown}, and its arrays are of {', '.join(sorted(libraries))}"
                )
            for p in self.schema.arrays:
                if values[p.name] is not None and _shared(one, values[p.name], kind):
                    raise self.wrong_result(f"result {i} is memory of its argument `{p.name}`")
            self._same_device(i, one, values)
        return given

    def _same_device(self, number: int, result: Any, values: Mapping[str, Any]) -> None:
        there = getattr(result, "device", None)
        for p in self.schema.arrays:
            given = values[p.name]
            here = getattr(given, "device", there)
            if given is not None and str(here) != str(there):
                raise self.wrong_result(f"result {number} is on {there}, and its argument `{p.name}` on {here}")

    def listed(self, given: Any) -> list[Any]:
        """The results one by one. Raises: Diagnostic PTX2352 for another number of them than was declared."""
        wanted = self.schema.results
        if not wanted:
            if given is not None:
                raise self.wrong_result(f"it returned a {type(given).__name__}, and is annotated to return None")
            return []
        if self.schema.single:
            if isinstance(given, tuple | list) or given is None:
                shown = "nothing" if given is None else f"{len(given)} results"  # pyright: ignore[reportUnknownArgumentType]
                raise self.wrong_result(f"it returned {shown}, and is annotated to return one array")
            return [given]
        if not isinstance(given, tuple | list) or len(given) != wanted:  # pyright: ignore[reportUnknownArgumentType]
            shown = f"{len(given)} results" if isinstance(given, tuple | list) else f"a {type(given).__name__}"  # pyright: ignore[reportUnknownArgumentType]
            raise self.wrong_result(f"it returned {shown}, and is annotated to return {wanted} arrays")
        return list(given)  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType]

    def wrong_result(self, what: str) -> Diagnostic:
        """The diagnostic for a result that cannot be."""
        return Diagnostic(
            "PTX2352",
            f"{self.name}: {what}.",
            help="return as many arrays as annotated, made by px.empty_like or px.zeros_like of an argument",
            origin=self.schema.place,
        )


class _Run(Watch):
    """A call on arrays that are there."""

    def __init__(self, guarded: tuple[Guarded, ...]) -> None:
        self.guarded = guarded


@contextmanager
def _nothing() -> Generator[None]:
    yield


def _shared(one: Any, other: Any, library: str) -> bool:
    """Whether two arrays of a library share memory."""
    if library == "numpy":
        return np.may_share_memory(one, other)
    if library == "torch":
        return one.untyped_storage().data_ptr() == other.untyped_storage().data_ptr() != 0
    return one is other
