"""Opcodes that the manual does not have, and that ptxas takes for others."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

REPEATED = frozenset(("sync", "sat", "satfinite", "relu", "uni", "approx", "cc", "NaN", "shiftamt"))
"""Flags that may stand twice, wherever they stand."""


@lru_cache(maxsize=1 << 12)
def meant(parts: tuple[str, ...]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The parts of the opcode that ptxas takes an opcode for, and in what words the two differ; the parts themselves, and
    nothing, where they are not known to be taken for others."""
    told: list[str] = []
    out = [part for i, part in enumerate(parts) if part not in REPEATED or part not in parts[:i]]
    told += [
        f"`.{part}` stands more than once" for part in dict.fromkeys(parts) if _count(parts, part) > _count(out, part)
    ]
    if out[0] == "wgmma" and "sync" in out and "aligned" not in out:
        out.insert(out.index("sync") + 1, "aligned")
        told.append("`.aligned` is left out")
    return tuple(out), tuple(told)


def _count(parts: Sequence[str], part: str) -> int:
    return sum(one == part for one in parts)
