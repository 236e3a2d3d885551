"""Special registers with parts, such as %tid."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ptxlab.diag import Diagnostic, user_span
from ptxlab.lang.trace.core import Core
from ptxlab.lang.trace.types import u32


class SpecialRegisters:
    """%tid, %ctaid …: `.x`, `.y` and `.z` are registers read once at the kernel's entry."""

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

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            raise Diagnostic(
                "PTX0101", f"%{self._name} has no part `{name}`", help="its parts are x, y and z", origin=user_span()
            )
