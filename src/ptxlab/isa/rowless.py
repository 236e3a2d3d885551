"""Instructions of PTX that have no row yet, so that nobody is told that they do not exist."""

from __future__ import annotations

from typing import Final

from ptxlab.diag import Diagnostic

ROWLESS: Final = frozenset(
    (
        *(f"fabric.try_{what}" for what in ("get", "put", "red", "pullred", "atom")),
        *("spcompress", "spdecompress", "applypriority.async.bulk.tensor", "createpolicy.range.fabric"),
    )
)
_LONGEST: Final = max(name.count(".") for name in ROWLESS) + 1


def rowless(parts: tuple[str, ...]) -> Diagnostic | None:
    """What to say of an opcode (in parts) that PTX has and the rows have not; None of every other one."""
    for n in range(_LONGEST, 0, -1):
        name = ".".join(parts[:n])
        if name in ROWLESS:
            return Diagnostic(
                "PTX0110",
                f"`{name}` is read and printed, but ptxlab does not know its forms",
                help="it is neither checked nor simulated; the toolkit's own ptxas and driver take the kernel",
            )
    return None
