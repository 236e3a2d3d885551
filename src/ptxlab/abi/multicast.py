"""Multicast addresses: one address for arrays of the same shape in the memories of several devices."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ptxlab.abi.arrays import ArrayView


@dataclass(frozen=True, slots=True)
class Replicas:
    """The arrays behind a multicast address, in the order of their devices; it owns the view that is launched with."""

    views: tuple[ArrayView, ...]


@dataclass(frozen=True, slots=True)
class Multicast:
    """A multicast address in a launch.

    Attributes:
        name: of the parameter. address, nbytes: what multimem instructions name. replicas: where each array lies.
    """

    name: str
    address: int
    nbytes: int
    replicas: tuple[int, ...]

    def holds(self, where: int, nbytes: int = 1) -> bool:
        """Whether bytes lie behind it."""
        return self.address <= where and where + nbytes <= self.address + self.nbytes


def multicasts(views: Sequence[tuple[str, ArrayView]]) -> tuple[Multicast, ...]:
    """The multicast addresses among the arrays of a launch."""
    return tuple(
        Multicast(name, a.address, a.extent[1] - a.address, tuple(v.address for v in a.owner.views))
        for name, a in views
        if isinstance(a.owner, Replicas)
    )


def replicas_of(views: Sequence[tuple[str, ArrayView]]) -> list[tuple[str, ArrayView]]:
    """All arrays, in the place of a multicast address those behind it."""
    out: list[tuple[str, ArrayView]] = []
    for name, a in views:
        owner = a.owner
        out += [(f"{name}[{i}]", v) for i, v in enumerate(owner.views)] if isinstance(owner, Replicas) else [(name, a)]
    return out


__all__ = ["Multicast", "Replicas", "multicasts", "replicas_of"]
