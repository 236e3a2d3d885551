"""Places in memory that are used as if they were the values stored there.

As in `valueless`, a type checker sees none of this.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NoReturn

from ptxlab.diag import Diagnostic, user_span
from ptxlab.isa.types import ScalarType


class Unread:
    """A place in memory. It has no operators but what a subclass gives it; each other one says how to load."""

    __slots__ = ()

    def loaded_by(self) -> str:
        """The call that loads what lies here."""
        raise NotImplementedError

    def stored_by(self) -> str:
        """The call that stores here."""
        raise NotImplementedError

    def unread(self, wanted: str, help: str = "") -> Diagnostic:
        """It is a place. `wanted`: what is asked of it, or stands in its place."""
        return Diagnostic(
            "PTX2224",
            f"{self!r} is a place in memory, and {wanted}",
            help=help or f"load it first: x = {self.loaded_by()}",
            origin=user_span(),
        )

    def unwritten(self) -> Diagnostic:
        """Something is assigned to an element."""
        return Diagnostic(
            "PTX2224",
            f"{self!r} is a place in memory, which Python cannot assign to",
            help=f"store to it: {self.stored_by()}",
            origin=user_span(),
        )


def access(action: str, space: str, element: ScalarType | None) -> str:
    """The load ("ld") or store ("st") of an element, as a kernel writes it."""
    spaces = {"generic": "", "global": ".global_"}
    type_ = element.name if element is not None and _direct(element) else f"b{element.bits}" if element else "b32"
    return f"k.{action}{spaces.get(space, '.' + space.replace('::', '__'))}.{type_}"


def _direct(element: ScalarType) -> bool:
    """Whether ld has the type; else its bits are loaded."""
    return element.kind in "bus" or element.name in ("f32", "f64")


def _refuses(symbol: str) -> Callable[..., NoReturn]:
    def refuse(self: Unread, *_: Any) -> NoReturn:
        raise self.unread(f"`{symbol}` takes a number")

    return refuse


def _assigned(self: Unread, *_: Any) -> NoReturn:
    raise self.unwritten()


_BINARY = {
    "add": "+", "sub": "-", "mul": "*", "truediv": "/", "floordiv": "//", "mod": "%", "pow": "**", "lshift": "<<", "rshift": ">>",
    "and": "&", "or": "|", "xor": "^", "matmul": "@", "divmod": "divmod",
}  # fmt: skip
_UNARY = {
    "neg": "-", "pos": "+", "invert": "~", "abs": "abs", "round": "round", "trunc": "trunc", "floor": "floor", "ceil": "ceil",
    "int": "int", "float": "float", "complex": "complex", "index": "[…]", "bool": "if", "len": "len",
    "iter": "for", "eq": "==", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">=", "contains": "in",
    "getitem": "[…]", "array_ufunc": "NumPy", "array": "NumPy",
}  # fmt: skip
for _name, _symbol in _BINARY.items():
    for _prefix in ("", "r"):
        setattr(Unread, f"__{_prefix}{_name}__", _refuses(_symbol))
for _name, _symbol in _UNARY.items():
    setattr(Unread, f"__{_name}__", _refuses(_symbol))
setattr(Unread, "__setitem__", _assigned)  # noqa: B010
setattr(Unread, "__hash__", object.__hash__)  # noqa: B010
