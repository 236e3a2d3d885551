"""The gradient of an operator: what its function wants of a call, and whether it gives what is needed."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

from ptxlab.diag import Diagnostic, Span, user_span
from ptxlab.operators.schema import Schema

RESULT, RESULTS, NEEDS = "result", "results", "needs"


class Gradient:
    """A function under `@operator.gradient`.

    Attributes:
        saved: names of what it wants of a call: parameters of the operator.
        keeps_results: whether it wants the results.

    Raises: Diagnostic PTX2353 for parameters that mean nothing, and for operators that have no gradient.
    """

    def __init__(self, schema: Schema, function: Callable[..., Any]) -> None:
        self._schema, self._function = schema, function
        code = getattr(function, "__code__", None)
        self._place = None if code is None else Span(code.co_filename, code.co_firstlineno)
        if schema.mutated:
            raise self._wrong(
                f"{schema.name} writes `{schema.mutated[0].name}`, and has no gradient.",
                "return a new array in place of writing one",
            )
        names = list(inspect.signature(function).parameters)
        count = schema.results
        if len(names) < count:
            raise self._wrong(
                f"The gradient of {schema.name} takes {len(names)} arguments, and the operator has {count} results.",
                "its first parameters are the gradients of the results, e.g. d_out",
            )
        known = {p.name for p in schema.parameters} | {RESULT if schema.single else RESULTS, NEEDS}
        self._names = names[count:]
        for name in self._names:
            if name not in known:
                raise self._wrong(
                    f"The gradient of {schema.name} asks for `{name}`, which is no part of a call.",
                    f"behind the gradients of {count} results it may name {', '.join(sorted(known))}",
                )
        parameters = {p.name for p in schema.parameters}
        self.saved = tuple(name for name in self._names if name in parameters)
        self.keeps_results = any(name in (RESULT, RESULTS) and name not in parameters for name in self._names)

    def __call__(
        self, d_results: Sequence[Any], saved: Mapping[str, Any], results: Sequence[Any], needs: Collection[str]
    ) -> list[Any]:
        """The gradients of the operator's arrays.

        Args:
            d_results: gradients of the results. saved: what was kept of the call, by name. results: where they were kept.
            needs: the arrays whose gradient is wanted.

        Raises: Diagnostic PTX2353 for another number of gradients.
        """
        more: dict[str, Any] = {NEEDS: frozenset(needs), RESULTS: tuple(results)}
        if results:
            more[RESULT] = results[0]
        given = self._function(*d_results, **{name: saved.get(name, more.get(name)) for name in self._names})
        arrays = self._schema.arrays
        found: list[Any] = list(given) if isinstance(given, tuple | list) else [given]  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType]
        if len(found) != len(arrays):
            wanted = ", ".join(p.name for p in arrays)
            raise self._wrong(
                f"The gradient of {self._schema.name} returned {len(found)} gradients for {len(arrays)} arrays.",
                f"return one for each of ({wanted}), None for those that have none",
            )
        return found

    def _wrong(self, message: str, help: str) -> Diagnostic:
        return Diagnostic("PTX2353", message, help=help, origin=self._place or user_span())


def missing(schema: Schema) -> Diagnostic:
    """A gradient is asked for, and there is none."""
    return Diagnostic(
        "PTX2353",
        f"{schema.name} has no gradient.",
        help=f"write one under @{schema.name.partition('::')[2]}.gradient, or call it under torch.no_grad()",
        origin=schema.place,
    )
