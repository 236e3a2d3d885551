"""Where things lie: the one place that knows how the simulator's addresses are made.

| space | an address is |
|---|---|
| global, const | the host address of the byte, inside one of the launch's buffers |
| param | of a kernel: `PARAM_BASE` + the byte's place among its parameters; generic: its host address |
| shared::cta, shared::cluster | as on an H100: the CTA's rank in its cluster from bit 24 up, the byte of its memory below |
| local | an offset into the thread's own local memory |
| generic | a host address; `SHARED_WINDOW + shared::cluster address`; `LOCAL_WINDOW + local address` |

The first `SHARED_BASE` bytes of a CTA's shared memory belong to the system; variables lie behind them, and no access of a
kernel reaches them. Everything above this module counts shared memory from the kernel's own first byte: offsets, views,
and the `shared + 0x40` of reports.

Constants and a kernel's parameters lie among the rest of global memory; isspacep tells them by the buffer that they lie in.

A shared::cta access reaches the executing CTA alone: an address with another rank is a fault, as on the chip.
shared::cluster and generic accesses go by the rank. No host address reaches bit 56, so the windows never collide with a buffer.
"""

from __future__ import annotations

from ptxlab.isa.limits import SHARED_RESERVED

PARAM_BASE = 0x210
"""The address of a kernel's first parameter: it lies there in a constant bank of an H100, so 32 bits hold it."""
SHARED_WINDOW = 1 << 56
"""Generic addresses of shared memory start here."""
LOCAL_WINDOW = 2 << 56
"""Generic addresses of local memory start here."""
WINDOW_SHIFT = 56
"""A generic address shifted right by this is 0 for global memory, 1 for shared, 2 for local."""
RANK_SHIFT = 24
"""A shared address shifted right by this is the CTA's rank in its cluster."""
OFFSET_MASK = (1 << RANK_SHIFT) - 1
ADDRESS32 = 0xFFFF_FFFF
SHARED_BASE = SHARED_RESERVED
"""Where the shared memory of a kernel starts in that of its CTA: the address of its first static variable, without the rank."""
SYSTEM_END = 0x120
"""What %reserved_smem_offset_end says: how much of its part the system uses (H100, driver 580)."""


def shared_address(rank: int, offset: int) -> int:
    """The address of byte `offset` of a kernel's shared memory, in the CTA with this rank."""
    return (rank << RANK_SHIFT) | ((SHARED_BASE + offset) & OFFSET_MASK)


def rank_of(address: int) -> int:
    """The rank in a shared::cluster or generic address; the cluster may have no such CTA."""
    return (address & ADDRESS32) >> RANK_SHIFT


def offset_of(address: int) -> int:
    """The offset in a shared or generic address, counted from the kernel's first byte; negative in the system's part."""
    return (address & OFFSET_MASK) - SHARED_BASE


def is_shared(generic: int) -> bool:
    """Whether a generic address lies in the shared window."""
    return generic >> WINDOW_SHIFT == SHARED_WINDOW >> WINDOW_SHIFT


def is_local(generic: int) -> bool:
    """Whether a generic address lies in the local window."""
    return generic >> WINDOW_SHIFT == LOCAL_WINDOW >> WINDOW_SHIFT
