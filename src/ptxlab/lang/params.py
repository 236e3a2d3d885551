"""Parameters of a kernel: what the function's annotations say, and the values that stand for them while it is traced."""

from __future__ import annotations

import inspect
import types
import typing
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from ptxlab.diag import Diagnostic, Span, span_of
from ptxlab.isa.operands import Addr, Symbol
from ptxlab.isa.types import TYPES, ScalarType
from ptxlab.lang.maps.parameter import MAP_ALIGN, MAP_BYTES, MapParameter
from ptxlab.lang.trace.core import Core
from ptxlab.lang.trace.names import identifier
from ptxlab.lang.trace.types import Ptr, is_register, register_class
from ptxlab.lang.trace.values import Register
from ptxlab.layout import TensorMap
from ptxlab.ptx import tree


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter of a kernel.

    Attributes:
        kind: "pointer", "scalar" or "tensor_map".
        type: its PTX type: u64 for a pointer, b8 (128 of them) for a tensor map.
        element: what a pointer points at; untyped bytes for tensor maps. step: bytes of an element.
        strided: the array behind a pointer may have gaps between its rows.
    """

    name: str
    kind: str
    type: ScalarType
    element: ScalarType | None = None
    strided: bool = False
    step: int = 1

    def __str__(self) -> str:
        """Its type, as a kernel's author writes it."""
        if self.kind == "tensor_map":
            return "px.TensorMap"
        if self.kind == "scalar":
            return f"px.{self.type}"
        return "px.Ptr[px.TensorMap]" if self.step == MAP_BYTES else f"px.Ptr[px.{self.element}]"

    @property
    def align(self) -> int:
        """What the address behind a pointer must be a multiple of, in bytes."""
        return max(1, self.step)

    def declaration(self) -> tree.Param:
        """The parameter as PTX declares it."""
        if self.kind == "tensor_map":
            return tree.Param(self.type, self.name, (tree.number(MAP_BYTES),), tree.number(MAP_ALIGN))
        return tree.Param(self.type, self.name)


def _unknown(fn: Callable[..., Any], name: str, what: str) -> Diagnostic:
    code = fn.__code__
    return Diagnostic(
        "PTX2200",
        f"parameter `{name}` of `{fn.__name__}` {what}",
        help="give it a name of ASCII letters and a type: px.Ptr[px.f32], px.TensorMap or a scalar such as px.u32; "
        "compile-time constants are keyword-only arguments",
        origin=span_of(code),
    )


def _parameter(fn: Callable[..., Any], python_name: str, annotation: Any) -> Parameter:
    name = identifier(python_name)
    origin = typing.get_origin(annotation)
    if origin is Ptr or annotation is Ptr:
        to: Any = next(iter(typing.get_args(annotation)), None)
        if to is TensorMap:
            return Parameter(name, "pointer", TYPES["u64"], TYPES["b8"], step=MAP_BYTES)
        if not is_register(to) and isinstance(to, type):
            raise _unknown(fn, name, f"points to {to.__name__}, which is no type of PTX")
        element = to.scalar if is_register(to) else TYPES["b8"]
        return Parameter(name, "pointer", TYPES["u64"], element, step=element.bytes)
    if annotation is TensorMap:
        return Parameter(name, "tensor_map", TYPES["b8"])
    if isinstance(annotation, type) and issubclass(annotation, Register) and annotation is not Register:
        if annotation.scalar.kind == "p":
            raise _unknown(fn, name, "is a predicate, which no launch can pass")
        return Parameter(name, "scalar", annotation.scalar)
    raise _unknown(fn, name, f"has the annotation {annotation!r}")


def _annotations(fn: Callable[..., Any]) -> dict[str, Any]:
    """The function's annotations as objects; a kernel may be defined in a function whose names they use."""
    closure: Mapping[str, Any] = inspect.getclosurevars(fn).nonlocals if isinstance(fn, types.FunctionType) else {}
    try:
        return typing.get_type_hints(fn, localns=dict(closure))
    except (NameError, AttributeError) as wrong:
        raise _unknown(fn, str(wrong.name), f"cannot be understood: {wrong}") from None


def signature_of(fn: Callable[..., Any]) -> tuple[tuple[Parameter, ...], dict[str, Any]]:
    """Parameters of the launch, and compile-time constants with their defaults (`inspect.Parameter.empty`: none).

    Raises: Diagnostic PTX2200 where a parameter says nothing that a launch can pass.
    """
    hints = _annotations(fn)
    parameters: list[Parameter] = []
    constants: dict[str, Any] = {}
    listed = list(inspect.signature(fn).parameters.values())
    if not listed:
        raise _unknown(fn, "k", "is missing: the first one receives the kernel being built")
    for p in listed[1:]:
        if p.kind is p.KEYWORD_ONLY:
            constants[p.name] = p.default
        elif p.kind is p.POSITIONAL_OR_KEYWORD and p.name in hints:
            made = _parameter(fn, p.name, hints[p.name])
            if any(made.name == other.name for other in parameters):
                raise _unknown(fn, p.name, f"is `{made.name}` in PTX, as another one is")
            parameters.append(made)
        else:
            raise _unknown(fn, p.name, "has no annotation")
    return tuple(parameters), constants


def receive(k: Core, parameter: Parameter, place: Span) -> Any:
    """The value that stands for a parameter in the function: loaded at the kernel's entry."""
    k.symbols.add(parameter.name)
    if parameter.kind == "tensor_map":
        return MapParameter(k, parameter.name, place)
    symbol = Symbol(parameter.name, "param", 0, parameter.type.bytes, parameter.type.bytes)
    cls = Ptr if parameter.kind == "pointer" else register_class(parameter.type)
    register = k.named_register(parameter.name, parameter.type, cls=cls, fixed=True)
    if cls is Ptr:
        assert parameter.element is not None
        register.element, register.step = parameter.element, parameter.step
    with k.at_entry(place):
        k.set_fixed(register, f"ld.param.{_loaded(parameter.type)}", Addr(symbol))
    return register


def _loaded(type_: ScalarType) -> str:
    """The type that ld names: untyped where .ld has no such type."""
    return type_.name if type_.kind in "bus" or type_.name in ("f32", "f64") else f"b{type_.bits}"
