"""What an H100 (compute capability 9.0) takes in a launch. Sizes in bytes."""

from __future__ import annotations

from typing import Final

from ptxlab.isa.limits import (
    MAX_CLUSTER,
    MAX_CLUSTER_NON_PORTABLE,
    MAX_REGISTERS,
    MAX_THREADS,
    REGISTERS_PER_SM,
    SHARED_PER_CTA,
    SHARED_PER_SM,
    SHARED_RESERVED,
    SHARED_STATIC_DEFAULT,
    SHARED_UNIT,
    WARP_SIZE,
    WARP_UNIT,
)

__all__ = [
    "MAX_CLUSTER",
    "MAX_CLUSTER_NON_PORTABLE",
    "MAX_REGISTERS",
    "MAX_THREADS",
    "REGISTERS_PER_SM",
    "SHARED_PER_CTA",
    "SHARED_PER_SM",
    "SHARED_RESERVED",
    "SHARED_STATIC_DEFAULT",
    "SHARED_UNIT",
    "WARP_SIZE",
    "WARP_UNIT",
]

MAX_BLOCK: Final = (1024, 1024, 64)
MAX_GRID: Final = (2**31 - 1, 65535, 65535)
SM_COUNT: Final = 132  # of an H100 SXM
WARPS_PER_SM: Final = 64
CTAS_PER_SM: Final = 32
BARRIERS_PER_SM: Final = 64  # named barriers; as NVIDIA's cuda_occupancy.h has it for compute capability 9.0
SMS_OF_GPCS: Final = (8, 16, 16, 16, 16, 16, 18, 18, 2, 2, 2, 2)
"""SMs of each group, within one of which a cluster has to find room: GPCs, and pairs that stand alone. No group takes clusters of
more CTAs than it has SMs. Parts differ: some SMs of each are switched off. As an H100 80GB HBM3 has them."""
REGISTER_UNIT: Final = 256  # registers of a warp are a multiple of this

PARAM_BYTES: Final = 4096  # parameter block before PTX 8.1 …
PARAM_BYTES_LARGE: Final = 32_764  # … and from 8.1 on, sm_70 and newer
TENSOR_MAP_BYTES: Final = 128
TENSOR_MAP_ALIGN: Final = 64
