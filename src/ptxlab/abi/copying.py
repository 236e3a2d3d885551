"""Copies between arrays of this process that the host queues in a stream."""

from __future__ import annotations

from dataclasses import dataclass

from ptxlab.abi.arrays import ArrayView
from ptxlab.abi.memory import elements_of
from ptxlab.diag import Span


@dataclass(frozen=True, slots=True)
class HostCopy:
    """A copy, done when it is called.

    Attributes:
        to, source: arrays of one shape and dtype. origin: where the caller has asked for it.
    """

    to: ArrayView
    source: ArrayView
    origin: Span | None

    def __call__(self) -> None:
        elements_of(self.to)[...] = elements_of(self.source)


__all__ = ["HostCopy"]
