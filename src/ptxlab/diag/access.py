"""Who accesses which bytes: what a diagnostic about memory says in words, as data."""

from __future__ import annotations

from dataclasses import dataclass

from ptxlab.diag.span import Span


@dataclass(frozen=True, slots=True)
class Memory:
    """Bytes of memory that a kernel accesses.

    Attributes:
        space: "global" or "shared". array: what the bytes belong to, e.g. the parameter that the array was passed for.
        offset: of the first byte, counted from the start of the array; where there is none, of the space. nbytes: how many.
        element: index of the element that the first byte belongs to, one number for each dimension; None where it is not known.
    """

    space: str
    array: str | None
    offset: int
    nbytes: int
    element: tuple[int, ...] | None = None


@dataclass(frozen=True, slots=True)
class Access:
    """One of the accesses that a diagnostic is about.

    Attributes:
        thread, cta: who executes the instruction, x first; of an asynchronous operation, who has issued it.
        instruction: as it stands in the PTX. does: "reads", "writes", "uses", "starts" or "exits".
        asynchronous: whether an operation does it later.
        span, origin: places in the PTX and in the source behind it.
    """

    thread: tuple[int, int, int]
    cta: tuple[int, int, int]
    instruction: str
    does: str
    asynchronous: bool = False
    span: Span | None = None
    origin: Span | None = None


__all__ = ["Access", "Memory"]
