"""Opcodes that the manual does not have, and that ptxas takes for others."""

from __future__ import annotations

from functools import lru_cache

REPEATED = frozenset(("sync", "sat", "satfinite", "relu", "uni", "approx", "cc", "NaN", "shiftamt"))
"""Flags that may stand twice, wherever they stand."""


@lru_cache(maxsize=1 << 12)
def meant(parts: tuple[str, ...]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The parts of the opcode that ptxas takes an opcode for, and in what words the two differ; the parts themselves, and
    nothing, where they are not known to be taken for others."""
    out = [part for i, part in enumerate(parts) if part not in REPEATED or part not in parts[:i]]
    said = [f"`.{part}` stands more than once" for part in dict.fromkeys(parts) if parts.count(part) > out.count(part)]
    if out[0] == "wgmma" and "sync" in out and "aligned" not in out:
        out.insert(out.index("sync") + 1, "aligned")
        said.append("`.aligned` is left out")
    return tuple(out), tuple(said)
