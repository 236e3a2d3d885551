"""The constant memory of a module."""

from __future__ import annotations

from collections.abc import Iterator

from ptxlab.diag import Diagnostic
from ptxlab.isa.limits import CONSTANT_BYTES
from ptxlab.ptx.lower import Globals
from ptxlab.ptx.tree import Block, Item, Module, VarDecl
from ptxlab.ptx.variables import variable


def _within(block: Block) -> Iterator[Item]:
    """What stands in a block and those within it."""
    for item in block.items:
        yield from _within(item) if isinstance(item, Block) else (item,)


def check_constants(module: Module, shared: Globals) -> Iterator[Diagnostic]:
    """PTX2026 where all .const variables together, used or not, take more than there is; the place is the first behind the end."""
    total = 0
    outside = {id(item) for item in module.items}
    for item in (
        *module.items,
        *(inner for f in module.functions() if f.body is not None for inner in _within(f.body)),
    ):
        if not isinstance(item, VarDecl) or item.space != "const" or item.linkage == ".extern":
            continue
        for one in item.names:
            known = shared.get(one.name) if id(item) in outside else variable(item, one, name=one.name)
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
