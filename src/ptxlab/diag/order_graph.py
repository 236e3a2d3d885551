"""What a happens-before graph is made of: who did what, what ordered it, and the edge that is missing."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from ptxlab.diag.legible import visible


@dataclass(frozen=True, slots=True)
class OrderColumn:
    """A thread, or an asynchronous operation.

    Attributes:
        name: e.g. "thread (0, 0, 0)". where: e.g. "CTA (0, 0, 0)". asynchronous: whether it is an operation.

    Example: see HappensBefore
    """

    name: str
    where: str
    asynchronous: bool = False


@dataclass(frozen=True, slots=True)
class OrderEvent:
    """Something that a thread or an operation did.

    Attributes:
        column: who, by number. line: of the source, or the instruction. does: in words. opcode: of the instruction, or "".
        times: how often, one after the other. accused: whether it is one of the two accesses of the finding.

    Example: see HappensBefore
    """

    column: int
    line: str
    does: str
    opcode: str = ""
    times: int = 1
    accused: bool = False


@dataclass(frozen=True, slots=True)
class OrderEdge:
    """One event comes before another.

    Attributes:
        first, second: events, by number. kind: "program order", "issue", "barrier", "phase", "wait" or "value".
        counts: whether it orders the two; a value that is read through a weak access, or with too small a scope, does not.
        on_way: whether it is part of what orders the two accesses.

    Example: see HappensBefore
    """

    first: int
    second: int
    kind: Literal["program order", "issue", "barrier", "phase", "wait", "value"]
    counts: bool = True
    on_way: bool = False


@dataclass(frozen=True, slots=True, repr=False)
class OrderGraph:
    """The columns, events and edges of a graph: `HappensBefore` says what each attribute is."""

    code: str
    columns: tuple[OrderColumn, ...]
    events: tuple[OrderEvent, ...]
    edges: tuple[OrderEdge, ...]
    first: int
    second: int
    missing: str
    help: str
    found: bool = True
    ordered: bool = False

    def __repr__(self) -> str:
        said = f"{len(self.events)} events of {len(self.columns)} threads and operations"
        return f"<HappensBefore of {self.code}: {said}, {self.state}>"

    def __str__(self) -> str:
        """The graph in words, a line for each event and each edge between columns."""
        out: list[str] = []
        for number, event in enumerate(self.events):
            column = self.columns[event.column]
            often = f" (×{event.times})" if event.times > 1 else ""
            out.append(f"{number}. {column.name} of {column.where} {event.does}{often}: {event.line}")
        for edge in self.edges:
            if edge.kind != "program order":
                but = "" if edge.counts else ", which does not order them"
                out.append(f"{edge.first} → {edge.second}: {edge.kind}{but}")
        said = "missing: " * bool(self.missing) + self.state
        return "\n".join([*map(visible, out), f"{self.first} → {self.second}: {said}"])

    @property
    def state(self) -> str:
        """What is missing, "in order", or "no order is needed"."""
        if self.missing:
            return self.missing
        return "in order" if self.ordered else "no order is needed"

    @property
    def on_way(self) -> bool:
        """Whether something leads from one access to the other."""
        return any(edge.on_way for edge in self.edges)


__all__ = ["OrderColumn", "OrderEdge", "OrderEvent", "OrderGraph"]
