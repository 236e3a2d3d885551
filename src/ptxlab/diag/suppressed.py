"""A finding that somebody has suppressed."""

from __future__ import annotations

from dataclasses import dataclass

from ptxlab.diag.model import Diagnostic
from ptxlab.diag.span import Span


@dataclass(frozen=True, slots=True)
class Suppressed:
    """A finding that was found, and is not reported among the others.

    Attributes:
        finding: what was found. reason: why it is suppressed; "" where nobody says so. place: where that is written.
        in_source: whether it is a comment beside the code; else a table of pyproject.toml.
    """

    finding: Diagnostic
    reason: str
    place: Span
    in_source: bool


__all__ = ["Suppressed"]
