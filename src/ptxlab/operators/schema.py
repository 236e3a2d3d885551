"""What an operator takes and gives, read from the annotations of its function."""

from __future__ import annotations

import inspect
import re
import types
import typing
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from ptxlab.diag import Diagnostic, Span, user_span
from ptxlab.operators.arrays import Array

_NAME: Final = re.compile(r"[A-Za-z_]\w*::[A-Za-z_]\w*")
_ARRAYS: Final = {"numpy.ndarray", "torch.Tensor", "jax.Array", "cupy.ndarray", "jaxlib._jax.Array"}
"""Annotations that mean an array of any library, as `px.Array` does."""
_SCALARS: Final[dict[type, str]] = {float: "float", int: "SymInt", bool: "bool", str: "str"}
"""torch's words for plain types of parameters."""
_KNOWN: Final = "px.Array, float, int, bool, str, lists and tuples of int or float, or one of them | None"


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter of an operator.

    Attributes:
        name: its own. kind: "array", or torch's word for its type: "float", "SymInt[]" and so on. optional: whether it may be None.
        keyword: whether it is given by name alone.
        default: what it is where it is left out; `inspect.Parameter.empty` where it must be given.
        mutated: whether the operator writes it.
    """

    name: str
    kind: str
    optional: bool
    keyword: bool
    default: Any
    mutated: bool

    @property
    def is_array(self) -> bool:
        """Whether it takes an array."""
        return self.kind == "array"

    def torch(self, number: int) -> str:
        """The parameter in torch's schema language; `number`: of the alias that a mutated one names."""
        word = "Tensor" if self.is_array else self.kind
        word += f"(a{number}!)" if self.mutated else ""
        given = "" if self.default is inspect.Parameter.empty else f"={_literal(self.default)}"
        return f"{word}{'?' * self.optional} {self.name}{given}"


@dataclass(frozen=True, slots=True)
class Schema:
    """An operator's signature.

    Attributes:
        name: "namespace::name". parameters: in order. results: number of arrays that it returns.
        single: whether it returns one array by itself, and no tuple.
        signature: of its function. place: where that is written. by_name: takes a call's arguments, and gives them by name.
    """

    name: str
    parameters: tuple[Parameter, ...]
    results: int
    single: bool
    signature: inspect.Signature
    place: Span | None
    by_name: Callable[..., dict[str, Any]]

    @property
    def arrays(self) -> tuple[Parameter, ...]:
        """Parameters that are arrays."""
        return tuple(p for p in self.parameters if p.is_array)

    @property
    def mutated(self) -> tuple[Parameter, ...]:
        """Arrays that the operator writes."""
        return tuple(p for p in self.parameters if p.mutated)

    def torch(self) -> str:
        """The schema as torch.library wants it."""
        words: list[str] = []
        keywords = False
        for i, p in enumerate(self.parameters):
            if p.keyword and not keywords:
                words.append("*")
                keywords = True
            words.append(p.torch(i))
        out = "Tensor" if self.single else f"({', '.join(['Tensor'] * self.results)})"
        return f"{self.name.partition('::')[2]}({', '.join(words)}) -> {out}"

    def bound(self, args: Sequence[Any], kwargs: Mapping[str, Any]) -> dict[str, Any]:
        """The arguments of a call by name, defaults included.

        Raises: Diagnostic PTX2351 where there are too many or too few.
        """
        try:
            return self.by_name(*args, **kwargs)
        except TypeError as wrong:
            words = str(wrong).replace("<lambda>()", self.name)
            raise self.refused(f"{words}.", f"it takes {self.signature}") from None

    def refused(self, message: str, help: str) -> Diagnostic:
        """A call that cannot be."""
        return Diagnostic("PTX2351", message, help=help, origin=user_span())


def schema_of(name: str, function: Callable[..., Any], mutates: Sequence[str]) -> Schema:
    """Read a function's signature.

    Raises: Diagnostic PTX2350 for a name that is none, parameters and results without an annotation that can be used, and names in
        `mutates` that are none of its arrays.
    """
    if not isinstance(name, str) or not _NAME.fullmatch(name):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise _wrong(f"{name!r} is no name of an operator.", 'give a namespace and a name: "mylib::scale"')
    place = _place(function)
    signature = inspect.signature(function)
    hints = _hints(function, place)
    written = (mutates,) if isinstance(mutates, str) else tuple(mutates)
    found = tuple(_parameter(p, hints, written, place) for p in signature.parameters.values())
    arrays = {p.name for p in found if p.is_array}
    for one in written:
        if one not in arrays:
            known = ", ".join(sorted(arrays)) or "none"
            raise _wrong(f"mutates= names `{one}`, which is no array that {name} takes.", f"its arrays: {known}", place)
    if not arrays:
        raise _wrong(f"{name} takes no array.", "annotate what it works on: x: px.Array", place)
    results, single = _results(hints.get("return", inspect.Parameter.empty), place, name)
    if not results and not written:
        raise _wrong(
            f"{name} returns nothing and writes nothing.",
            'annotate what it returns, -> px.Array, or name what it writes: mutates=("out",)',
            place,
        )
    return Schema(name, found, results=results, single=single, signature=signature, place=place, by_name=_binder(found))


def _binder(parameters: Sequence[Parameter]) -> Callable[..., dict[str, Any]]:
    """A function with these parameters that gives its arguments by name: Python binds them faster than `inspect` does."""
    defaults = {p.name: p.default for p in parameters if p.default is not inspect.Parameter.empty}
    words = [f"{p.name}=_[{p.name!r}]" if p.name in defaults else p.name for p in parameters]
    first = next((i for i, p in enumerate(parameters) if p.keyword), None)
    if first is not None:
        words.insert(first, "*")
    taken = ", ".join(f"{p.name!r}: {p.name}" for p in parameters)
    return eval(f"lambda {', '.join(words)}: {{{taken}}}", {"_": defaults})


def _wrong(message: str, help: str, place: Span | None = None) -> Diagnostic:
    return Diagnostic("PTX2350", message, help=help, origin=place or user_span())


def _place(function: Callable[..., Any]) -> Span | None:
    code = getattr(function, "__code__", None)
    return None if code is None else Span(code.co_filename, code.co_firstlineno)


def _hints(function: Callable[..., Any], place: Span | None) -> dict[str, Any]:
    try:
        return typing.get_type_hints(function)
    except NameError as wrong:
        raise _wrong(f"An annotation of {function.__name__} cannot be read: {wrong}.", f"use {_KNOWN}", place) from None


def _parameter(
    given: inspect.Parameter, hints: Mapping[str, Any], mutates: Sequence[str], place: Span | None
) -> Parameter:
    if given.kind in (given.VAR_POSITIONAL, given.VAR_KEYWORD, given.POSITIONAL_ONLY):
        raise _wrong(
            f"Parameter `{given.name}` is of a kind that operators do not have.",
            "write each parameter out, without * or / in front of it",
            place,
        )
    if given.name not in hints:
        raise _wrong(f"Parameter `{given.name}` has no annotation.", f"use {_KNOWN}", place)
    read = _kind(hints[given.name])
    if read is None:
        shown = inspect.formatannotation(hints[given.name])
        raise _wrong(
            f"Parameter `{given.name}` is annotated {shown}, which operators do not take.", f"use {_KNOWN}", place
        )
    kind, optional = read
    if kind == "array" and given.default not in (inspect.Parameter.empty, None):
        raise _wrong(f"Parameter `{given.name}` is an array, and has a default.", "let it be None", place)
    if kind == "array" and given.kind is given.KEYWORD_ONLY:
        raise _wrong(f"Parameter `{given.name}` is an array, and given by name alone.", "write it in front of *", place)
    return Parameter(given.name, kind, optional, given.kind is given.KEYWORD_ONLY, given.default, given.name in mutates)


def _kind(hint: Any) -> tuple[str, bool] | None:
    """The kind of a parameter, and whether it may be None; None for what is no parameter of an operator."""
    origin, args = typing.get_origin(hint), typing.get_args(hint)
    if origin in (typing.Union, types.UnionType):
        rest = [a for a in args if a is not type(None)]
        found = _kind(rest[0]) if len(rest) == 1 and len(args) == 2 else None
        return None if found is None else (found[0], True)
    if _is_array(hint):
        return "array", False
    if hint in _SCALARS:
        return _SCALARS[hint], False
    if origin in (list, tuple) or getattr(origin, "__name__", "") == "Sequence":
        inner = {a for a in args if a is not Ellipsis}
        if len(inner) == 1 and (one := inner.pop()) in (int, float):
            return f"{_SCALARS[one]}[]", False
    return None


def _is_array(hint: Any) -> bool:
    known = f"{getattr(hint, '__module__', '')}.{getattr(hint, '__qualname__', '')}"
    return hint is Array or known in _ARRAYS


def _results(hint: Any, place: Span | None, name: str) -> tuple[int, bool]:
    if hint in (None, type(None)):
        return 0, False
    if _is_array(hint):
        return 1, True
    args = typing.get_args(hint)
    if typing.get_origin(hint) is tuple and args and all(_is_array(a) for a in args):
        return len(args), False
    shown = "no annotation" if hint is inspect.Parameter.empty else inspect.formatannotation(hint)
    raise _wrong(
        f"What {name} returns has {shown}." if shown == "no annotation" else f"{name} is annotated to return {shown}.",
        "use -> px.Array, -> tuple[px.Array, px.Array] or -> None",
        place,
    )


def _literal(value: Any) -> str:
    """A default in torch's schema language."""
    if isinstance(value, str):
        return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'
    if isinstance(value, Sequence):
        return f"[{', '.join(_literal(v) for v in value)}]"  # pyright: ignore[reportUnknownVariableType]
    return repr(value)
