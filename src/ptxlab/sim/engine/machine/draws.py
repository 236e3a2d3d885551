"""Random numbers that depend on a key alone: the same decisions again for the same seed."""

from __future__ import annotations


def draw(*key: int) -> int:
    """64 random bits for a key: a counter-based generator (SplitMix64's mixing, applied word by word)."""
    state = 0
    for word in key:
        state = (state ^ (word & 0xFFFF_FFFF_FFFF_FFFF)) + 0x9E37_79B9_7F4A_7C15 & 0xFFFF_FFFF_FFFF_FFFF
        state = (state ^ state >> 30) * 0xBF58_476D_1CE4_E5B9 & 0xFFFF_FFFF_FFFF_FFFF
        state = (state ^ state >> 27) * 0x94D0_49BB_1331_11EB & 0xFFFF_FFFF_FFFF_FFFF
        state ^= state >> 31
    return state
