"""What an H100 (compute capability 9.0) takes in a launch. Sizes in bytes."""

from __future__ import annotations

from typing import Final

WARP_SIZE: Final = 32
MAX_THREADS: Final = 1024  # per CTA
MAX_BLOCK: Final = (1024, 1024, 64)
MAX_GRID: Final = (2**31 - 1, 65535, 65535)
MAX_CLUSTER: Final = 8  # CTAs that every device of this generation can run as one cluster
MAX_CLUSTER_NON_PORTABLE: Final = 16

SHARED_PER_CTA: Final = 232_448  # 227 KB, static and dynamic together
SHARED_PER_SM: Final = 233_472  # 228 KB
SHARED_RESERVED: Final = 1024  # per CTA, taken by the system
SHARED_STATIC_DEFAULT: Final = 49_152  # more than this, ptxas refuses as static shared memory

SM_COUNT: Final = 132  # of an H100 SXM
WARPS_PER_SM: Final = 64
CTAS_PER_SM: Final = 32
REGISTERS_PER_SM: Final = 65_536
MAX_REGISTERS: Final = 255  # per thread

PARAM_BYTES: Final = 4096  # parameter block before PTX 8.1 …
PARAM_BYTES_LARGE: Final = 32_764  # … and from 8.1 on, sm_70 and newer
TENSOR_MAP_BYTES: Final = 128
TENSOR_MAP_ALIGN: Final = 64
