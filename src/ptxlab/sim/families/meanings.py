"""The meanings that are machine code, and the names that families know: importing this module registers them."""

from importlib import import_module
from typing import Final

MODULES: Final = (
    "engine.handlers.calls",
    "engine.handlers.control",
    "engine.handlers.counting",
    "engine.handlers.effects",
    "engine.handlers.stops",
    "engine.handlers.notify",
    "families.algebra.meaning",
    "families.algebra.meaning_mma",
    "families.atomics.meaning",
    "families.barriers.meaning",
    "families.cluster.meaning",
    "families.cp_async.meaning",
    "families.mbarrier.declared",
    "families.mbarrier.meaning",
    "families.memory.meaning",
    "families.mma.meaning",
    "families.mma.meaning_matrix",
    "families.mma.meaning_octets",
    "families.mma.meaning_sparse",
    "families.mma.meaning_wmma",
    "families.mma.meaning_wmma_memory",
    "families.plain.compare",
    "families.plain.convert",
    "families.plain.extended",
    "families.plain.integer",
    "families.plain.logic",
    "families.plain.move",
    "families.plain.real",
    "families.plain.video",
    "families.plain.warp",
    "families.wgmma.meaning",
)

for _name in MODULES:
    import_module(f"ptxlab.sim.{_name}")
