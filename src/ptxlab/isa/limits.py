"""What an SM and a CTA of compute capability 9.0 have. Sizes in bytes."""

from __future__ import annotations

from typing import Final

WARP_SIZE: Final = 32
MAX_THREADS: Final = 1024  # per CTA
MAX_CLUSTER: Final = 8  # CTAs that every device of this generation can run as one cluster
MAX_CLUSTER_NON_PORTABLE: Final = 16

CONSTANT_BYTES: Final = 65_536  # of all .const variables of a module
SHARED_PER_CTA: Final = 232_448  # 227 KB, static and dynamic together
SHARED_PER_SM: Final = 233_472  # 228 KB
SHARED_RESERVED: Final = 1024  # per CTA, taken by the system
SHARED_UNIT: Final = 128  # a CTA gets a multiple of this
SHARED_STATIC_DEFAULT: Final = 49_152  # more than this, ptxas refuses as static shared memory

REGISTERS_PER_SM: Final = 65_536
MAX_REGISTERS: Final = 255  # per thread
WARP_UNIT: Final = 4  # an SM's four parts hold the same number of warps

TENSOR_MAP_STRIDE: Final = 1 << 40  # bytes; strides are less
TENSOR_MAP_BOX: Final = 256  # elements of a box along a dimension
TENSOR_MAP_ELEMENT_STRIDE: Final = 8
