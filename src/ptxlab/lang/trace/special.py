"""Special registers with parts, such as %tid, and with numbers, such as %envreg0."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Generic, NoReturn, TypeVar

from ptxlab.diag import Diagnostic, user_span
from ptxlab.isa.sregs import NUMBERED
from ptxlab.lang.trace.core import Core
from ptxlab.lang.trace.types import u32
from ptxlab.lang.trace.values import whole

_T = TypeVar("_T")


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


class NumberedRegisters(Generic[_T]):
    """%envreg0, %envreg1 … as `k.envreg[0]`, `k.envreg[1]` …: one register for each number. `k.pm` and `k.pm_64` are the same.

    Raises: Diagnostic PTX0101 for a number that there is not.

    Example:
        k.st.global_.b32(out[k.thread], k.envreg[3])
        # out[:2]: [0 0]
    """

    def __init__(self, k: Core, name: str) -> None:
        self._k, self._name = k, name

    def __getitem__(self, number: int) -> _T:
        known = NUMBERED[self._name]
        if not 0 <= whole(number) < len(known):
            raise Diagnostic(
                "PTX0101",
                f"there is no k.{self._name}[{number}]",
                help=f"the numbers are 0 to {len(known) - 1}",
                origin=user_span(),
            )
        return self._k.special(known[number])

    def __len__(self) -> int:
        return len(NUMBERED[self._name])

    def __repr__(self) -> str:
        return f"<{len(self)} registers: k.{self._name}[0] …>"

    as_operand = "take one by its number: k.envreg[0]"


def _whole_group(self: SpecialRegisters | NumberedRegisters[Any], *_: Any) -> NoReturn:
    name = self._name  # pyright: ignore[reportPrivateUsage]
    several = (
        f"%{name} is three registers" if isinstance(self, SpecialRegisters) else f"k.{name} is {len(self)} registers"
    )
    help = f"take a part: k.{name}.x" if isinstance(self, SpecialRegisters) else f"take one by its number: k.{name}[0]"
    raise Diagnostic("PTX2201", f"{several}, and no number", help=help, origin=user_span())


for _group in (SpecialRegisters, NumberedRegisters):
    for _operator in ("add", "sub", "mul", "floordiv", "mod", "lshift", "rshift", "and", "or", "xor"):
        for _side in ("", "r"):
            setattr(_group, f"__{_side}{_operator}__", _whole_group)
    for _operator in ("eq", "ne", "lt", "le", "gt", "ge", "iter", "bool", "index", "float", "int"):
        setattr(_group, f"__{_operator}__", _whole_group)
SpecialRegisters.__getitem__ = _whole_group  # type: ignore[attr-defined]
