"""The asynchronous units and the meanings in Python, of all families: importing this module registers them."""

from importlib import import_module
from typing import Final

MODULES: Final = (
    "engine.units.events",
    "engine.units.trace",
    "families.mbarrier.unit",
    "families.bulk.unit",
    "families.multimem.unit",
    "families.memory.unit_caches",
    "families.cluster.unit",
    "families.cp_async.unit",
    "families.wgmma.swizzles",
    "families.wgmma.twice",
    "families.mma.unit",
    "families.mma.unit_sparse",
    "families.bulk.outside",
    "families.setmaxnreg.unit",
    "families.cluster.unit_remote",
    "families.tensormap.unit",
    "families.bulk.tile_layouts",
    "families.bulk.unit_tma",
    "families.wgmma.unit",
    "families.mma.unit_wmma",
    "families.barriers.timeline",
    "families.algebra.unit",
)
"""In the order in which units are told of what happens, and in which their findings come."""

for _name in MODULES:
    import_module(f"ptxlab.sim.{_name}")
