"""What the sanitizer had no room to follow."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Unwatched:
    """What the sanitizer did not look at; false where it looked at everything.

    Attributes:
        memory: bytes of global memory that are not followed, as the shadow memory is full.
        accesses: how many accesses were forgotten, as too many that nothing orders reached one place. One of them may race with
            a later access.
    """

    memory: int = 0
    accesses: int = 0

    def __bool__(self) -> bool:
        return bool(self.memory or self.accesses)

    def __add__(self, other: Unwatched) -> Unwatched:
        return Unwatched(self.memory + other.memory, self.accesses + other.accesses)

    def __str__(self) -> str:
        parts: list[str] = []
        if self.memory:
            parts.append(f"{self.memory:,} bytes of global memory not watched")
        if self.accesses:
            parts.append(f"{self.accesses:,} accesses forgotten")
        return ", ".join(parts)
