"""The 64 bits of an mbarrier, as an H100 shows them after `mbarrier.inval` and in the state that an arrival returns.

| bits | hold |
|---|---|
| 63 | parity of the current phase |
| 62–43 | 2^20 minus the arrivals that the phase still lacks |
| 42–21 | the bytes that it still lacks, negated |
| 20–1 | 2^20 minus the arrivals that complete a phase |

The functions take Python integers and whatever else computes with `+ - & | << >>` on 64-bit words, so compiled code packs by the
same lines.
"""

from __future__ import annotations

from typing import Any, Final, TypeVar

LIMIT: Final = 1 << 20
"""Counts of arrivals, and of bytes either way, stay below this."""
PARITY_BIT: Final = 63
_PENDING_BIT, _TX_BIT, _COUNT_BIT = 43, 21, 1
_COUNTS: Final = LIMIT - 1
_BYTES: Final = (1 << 22) - 1
W = TypeVar("W", bound=Any)


def pack(phase: W, pending: W, tx: W, count: W) -> W:
    """The state of a barrier.

    Args:
        phase: phases completed. pending: arrivals that this phase lacks. tx: bytes that it lacks, negative where they came before
            they were expected. count: arrivals that complete a phase.
    """
    out = ((phase & 1) << PARITY_BIT) | (((LIMIT - pending) & _COUNTS) << _PENDING_BIT)
    return out | (((0 - tx) & _BYTES) << _TX_BIT) | (((LIMIT - count) & _COUNTS) << _COUNT_BIT)


def parity_of(state: W) -> W:
    """The parity of the phase in which a state was taken: 0 or 1."""
    return (state >> PARITY_BIT) & 1


def pending_of(state: W) -> W:
    """The arrivals that the phase lacked when a state was taken, as `mbarrier.pending_count` gives them."""
    return (LIMIT - ((state >> _PENDING_BIT) & _COUNTS)) & _COUNTS
