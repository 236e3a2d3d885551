"""Where things lie: the one place that knows how the simulator's addresses are made.

| space | an address is |
|---|---|
| global, const, param | the host address of the byte, inside one of the launch's buffers |
| shared::cta | a 32-bit offset into the executing CTA's shared memory |
| shared::cluster | the same offset (it denotes the executing CTA), or `(rank + 1) << 24 | offset` for the CTA of that rank |
| local | an offset into the thread's own local memory |
| generic | a host address; `SHARED_WINDOW + shared::cluster address`; `LOCAL_WINDOW + local address` |

No host address reaches bit 56, so the windows never collide with a buffer.
"""

from __future__ import annotations

SHARED_WINDOW = 1 << 56
"""Generic addresses of shared memory start here."""
LOCAL_WINDOW = 2 << 56
"""Generic addresses of local memory start here."""
WINDOW_SHIFT = 56
"""A generic address shifted right by this is 0 for global memory, 1 for shared, 2 for local."""
RANK_SHIFT = 24
"""A shared::cluster address shifted right by this is the CTA's rank + 1, or 0 for the executing CTA."""
OFFSET_MASK = (1 << RANK_SHIFT) - 1
ADDRESS32 = 0xFFFF_FFFF


def cluster_address(rank: int, offset: int) -> int:
    """The shared::cluster address of byte `offset` in the shared memory of the CTA with this rank (what `mapa` gives)."""
    return ((rank + 1) << RANK_SHIFT) | (offset & OFFSET_MASK)


def split_shared(address: int, own_rank: int) -> tuple[int, int]:
    """(rank, offset) of a shared::cluster or shared::cta address as the CTA `own_rank` sees it.

    The rank may be one that the cluster does not have: the caller checks it.
    """
    address &= ADDRESS32
    window = address >> RANK_SHIFT
    return (own_rank if window == 0 else window - 1), address & OFFSET_MASK


def is_shared(generic: int) -> bool:
    """Whether a generic address lies in the shared window."""
    return generic >> WINDOW_SHIFT == SHARED_WINDOW >> WINDOW_SHIFT


def is_local(generic: int) -> bool:
    """Whether a generic address lies in the local window."""
    return generic >> WINDOW_SHIFT == LOCAL_WINDOW >> WINDOW_SHIFT
