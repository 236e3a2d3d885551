"""Fences. Except for tensor maps, all proxies of the simulator see one memory, and wgmma reads registers when it is carried out, so
fences order nothing here; the sanitizer heeds them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ptxlab.sim.machine.trap import meaning

if TYPE_CHECKING:
    from ptxlab.sim.compiled.emit import Emitter


@meaning(
    "fence.proxy.async",
    "fence.proxy.async::generic",
    "fence.sync_restrict",
    "fence.proxy.alias",
    "membar.proxy.alias",
    "fence.mbarrier_init",
    "wgmma.fence",
)
def fence(e: Emitter, *operands: Any) -> None:
    """No effect on values."""
