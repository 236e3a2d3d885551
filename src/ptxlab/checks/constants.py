"""The constant memory of a module."""

from __future__ import annotations

from collections.abc import Iterator

from ptxlab.diag import Diagnostic
from ptxlab.isa.limits import CONSTANT_BYTES
from ptxlab.ptx.lower import Globals
from ptxlab.ptx.tree import Module, VarDecl


def check_constants(module: Module, shared: Globals) -> Iterator[Diagnostic]:
    """PTX2026 where all .const variables together, used or not, take more than there is; the place is the first behind the end."""
    total = 0
    for item in module.items:
        if not isinstance(item, VarDecl) or item.space != "const" or item.linkage == ".extern":
            continue
        for one in item.names:
            known = shared.get(one.name)
            if known is None:
                continue
            before, total = total, -(-total // known.align) * known.align + known.size
            if before <= CONSTANT_BYTES < total:
                yield Diagnostic(
                    "PTX2026",
                    f"the .const variables up to `{one.name}` take {total} bytes",
                    help=f"a module has {CONSTANT_BYTES} bytes of them: put large tables into .global memory",
                    span=item.span,
                    origin=item.origin,
                )
