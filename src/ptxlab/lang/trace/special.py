"""Special registers with parts, such as %tid."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NoReturn

from ptxlab.diag import Diagnostic, user_span
from ptxlab.lang.trace.core import Core
from ptxlab.lang.trace.types import u32


class SpecialRegisters:
    """%tid, %ctaid …: `.x`, `.y` and `.z` are registers read once at the kernel's entry.

    Example:
        k.st.global_.u32(out[k.tid.x], k.ntid.x + k.ctaid.y + k.ctaid.z)
        # out[:2]: [128 128]
    """

    def __init__(self, k: Core, name: str) -> None:
        self._k, self._name = k, name

    @property
    def x(self) -> u32:
        """Along x."""
        return self._k.special(f"%{self._name}.x")

    @property
    def y(self) -> u32:
        """Along y."""
        return self._k.special(f"%{self._name}.y")

    @property
    def z(self) -> u32:
        """Along z."""
        return self._k.special(f"%{self._name}.z")

    def __repr__(self) -> str:
        return f"<%{self._name}: .x, .y, .z>"

    def __dir__(self) -> list[str]:
        return ["x", "y", "z"]

    as_operand = "take a part: k.tid.x"
    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            if name.startswith("_") or name == "address":
                raise AttributeError(name)
            raise Diagnostic(
                "PTX0101", f"%{self._name} has no part `{name}`", help="its parts are x, y and z", origin=user_span()
            )


def _whole_group(self: SpecialRegisters, *_: Any) -> NoReturn:
    name = self._name  # pyright: ignore[reportPrivateUsage]
    raise Diagnostic(
        "PTX2201",
        f"%{name} is three registers, and no number",
        help=f"take a part: k.{name}.x",
        origin=user_span(),
    )


for _operator in ("add", "sub", "mul", "floordiv", "mod", "lshift", "rshift", "and", "or", "xor"):
    for _side in ("", "r"):
        setattr(SpecialRegisters, f"__{_side}{_operator}__", _whole_group)
for _operator in ("eq", "ne", "lt", "le", "gt", "ge", "getitem", "iter", "bool", "index", "float", "int"):
    setattr(SpecialRegisters, f"__{_operator}__", _whole_group)
