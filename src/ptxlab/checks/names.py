"""The names of a module in the order of their declarations, and what target and version they are held to."""

from __future__ import annotations

from collections.abc import Iterator

from ptxlab.checks.target import ModuleTarget
from ptxlab.diag import Diagnostic
from ptxlab.isa.targets import Need
from ptxlab.ptx.tree import Function, Loc, VarDecl


def too_large(value: int) -> bool:
    """Whether a number of a directive does not fit 32 bits. Of 64 bits the uppermost is a sign, and ptxas takes negative ones."""
    return 1 << 32 <= value % (1 << 64) < 1 << 63


class Names:
    """What is declared outside of functions so far, and in the function at hand; what names debug data.

    files: the indices of .file. places: that a .loc has named. data: labels of sections. inlined: places of inlined code.

    `independent`: the module keeps samplers apart from textures.
    """

    def __init__(self, target: ModuleTarget, *, independent: bool = False) -> None:
        self.target = target
        self.independent = independent
        self.module: dict[str, VarDecl | Function] = {}
        self.local: dict[str, VarDecl] = {}
        self.aliases: set[str] = set()
        self.files: set[int] = set()
        self.places: set[tuple[int, int, int]] = set()
        self.data: set[str] = set()
        self.inlined: list[Loc] = []

    def here(self, name: str) -> VarDecl | Function | None:
        """What a name stands for at this place."""
        return self.local.get(name) or self.module.get(name)

    def needs(self, what: str, need: Need) -> Iterator[Diagnostic]:
        """PTX1008 where the module's target or version does not have it."""
        target, version = self.target.target, self.target.version
        need = need.on(target)
        too_old = version is not None and version < need.version
        if too_old or (target is not None and not need.target_ok(target)):
            yield Diagnostic("PTX1008", f"{what} does not exist here", help=f"it needs {need}")
