"""What the server allows a request."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

MIB: Final = 1 << 20
TEXT: Final = 8 * MIB
"""Characters of PTX, of Python or of a litmus test."""
REQUEST: Final = 32 * MIB
"""Bytes of a request: its arrays, too."""
FILE: Final = 64 * MIB
"""Bytes of a file that a worker writes."""
PRINTED: Final = 16 << 10
"""Characters of what a kernel prints that an answer has."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """The limits of one server.

    Attributes:
        workers: requests that are worked on at a time. queue: how many more may wait. wait: how many seconds each of them may.
        time: seconds of wall-clock time of a request. cpu: seconds of processor time. memory: bytes of a worker's address space.
        instructions: thread-instructions of a simulation. answer: bytes of an answer.
        grace: seconds that running requests have when the server stops.
        python: whether Python of requests is executed; None: where the system can shut it in.
    """

    workers: int = 2
    queue: int = 16
    wait: float = 20.0
    time: float = 60.0
    cpu: int = 30
    memory: int = 4096 * MIB
    instructions: int = 1_000_000_000
    answer: int = MIB
    grace: float = 5.0
    python: bool | None = None
