"""Loads and stores of registers."""

from __future__ import annotations

from typing import Any, cast

from ptxlab.codegen.ir import T, Val, ty
from ptxlab.sim.engine.compiled import memory
from ptxlab.sim.engine.compiled.emit import Address, Emitter
from ptxlab.sim.engine.compiled.registry import meaning


def element(name: str) -> tuple[T, int]:
    """The element that moves, and how many make one register of the row's type: b128 is two of 64 bits."""
    return (ty("b64"), 2) if name == "b128" else (ty(name), 1)


@meaning("ld", "ld.cached", "ld.volatile", "ld.strong", "ld.mmio", "ld.mmio.acquire", "ld.nc", "ld.readonly", "ldu")
def ld(e: Emitter, a: Address, *policy: Any) -> Any:
    """Load one element a register, adjacent ones for vectors."""
    t, parts = element(e.type_name("d"))
    shape = e.shape("d")
    count = len(shape) if isinstance(shape, tuple) else 1
    values = memory.load(e, a, t, count * parts)
    if parts == 2:
        values = [e.wide128(values[2 * i], values[2 * i + 1]) for i in range(count)]
    e.write("d", values if isinstance(shape, tuple) else values[0])


@meaning("st", "st.cached", "st.volatile", "st.strong", "st.mmio", "st.mmio.release")
def st(e: Emitter, a: Address, b: Any, *policy: Any) -> None:
    """Store one element a register, adjacent ones for vectors."""
    values: list[Val] = cast("list[Val]", b) if isinstance(b, list) else [b]
    if e.type_name("b") == "b128":
        values = [half for v in values for half in e.halves128(v)]
    shape = e.shape("b")
    if isinstance(shape, tuple) and "_" in shape:
        memory.store_some(e, a, [None if s == "_" else v for s, v in zip(shape, values, strict=True)])
        return
    memory.store(e, a, values)


@meaning(
    "prefetch", "prefetch.evict", "prefetch.valid_addr", "prefetchu.L1", "applypriority.L2::evict_normal", "discard.L2"
)
def hint(e: Emitter, *operands: Any) -> None:
    """Caches are not modelled; what `discard` leaves in memory is what was there."""
