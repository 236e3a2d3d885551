"""The rows of PTX: what ptxlab knows about every instruction form. Importing this package enters them all."""

from __future__ import annotations

from importlib import import_module

FAMILIES = (
    "move",
    "arith",
    "extended",
    "video",
    "logic",
    "compare",
    "convert",
    "narrow",
    "memory",
    "stack",
    "control",
    "warp",
    "async_copy",
    "bulk",
    "tensor",
    "tensor_sm107",
    "reduce",
    "tensormap",
    "mbarrier",
    "fence",
    "wgmma",
    "matrix",
    "mma",
    "mma_sparse",
    "wmma",
    "cluster",
    "remote",
    "multimem",
    "fabric",
    "compress",
    "launchcontrol",
    "tcgen05",
    "texture",
)
for _family in FAMILIES:
    import_module(f"ptxlab.isa.rows.{_family}")
