"""Alignments: powers of two."""

from __future__ import annotations

from collections.abc import Iterator

from ptxlab.diag import Diagnostic

MOST_ALIGNMENT = 1 << 31


def check_alignment(value: int, most: int = MOST_ALIGNMENT) -> Iterator[Diagnostic]:
    """What is wrong with an alignment."""
    if value < 1 or value & (value - 1) or value > most:
        yield Diagnostic(
            "PTX0016",
            f"`.align {value}` is no alignment here",
            help=f"an alignment is a power of two, up to {most}",
        )
