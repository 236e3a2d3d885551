"""Tensor maps that a launch passes by value."""

from __future__ import annotations

from typing import TYPE_CHECKING, NoReturn

from ptxlab.diag import Span
from ptxlab.isa.operands import Symbol
from ptxlab.isa.types import TYPES
from ptxlab.lang.maps.changes import impossible
from ptxlab.lang.trace.core import Core
from ptxlab.lang.trace.values import Address

MAP_BYTES = 128
MAP_ALIGN = 64


class MapParameter:
    """A tensor map that the launch passes by value. Instructions take it as `map`, in front of its coordinates."""

    __slots__ = ("_address", "_k", "name", "place")

    def __init__(self, k: Core, name: str, place: Span) -> None:
        self._k, self.name, self.place = k, name, place
        self._address: Address | None = None

    def address(self) -> Address:
        """Its generic address: two instructions at the kernel's entry, the first time."""
        if self._address is None:
            k = self._k
            with k.at_entry(self.place):
                window = k.named_register(f"{self.name}_param", TYPES["u64"], fixed=True)
                k.set_fixed(window, "mov.u64", Symbol(self.name, "param", 0, MAP_ALIGN, MAP_BYTES))
                generic = k.named_register(self.name, TYPES["u64"], fixed=True)
                k.set_fixed(generic, "cvta.param.u64", window)
            self._address = Address(k, generic.reg, 0, "generic")
        return self._address

    def __repr__(self) -> str:
        return f"<tensor map {self.name}>"

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> NoReturn:
            if name not in ("seed", "rebind", "acquire"):
                raise AttributeError(f"{self!r} has no attribute {name!r}")
            raise impossible(
                f"{self!r} is a parameter, which a kernel cannot change",
                f"declare one that it can: slot = k.tensormap(maps[k.ctaid.x], like={self.name}), then slot.{name}(…)",
            )
