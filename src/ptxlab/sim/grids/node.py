"""What streams hold: launches and work of the host, and what each of them waits for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from ptxlab.abi.copying import HostCopy
from ptxlab.abi.options import SimOptions
from ptxlab.abi.record import LaunchRecord


@dataclass(frozen=True, slots=True, eq=False)
class Node:
    """One entry of a stream.

    Attributes:
        work: the launch; or work of the host, a copy say, which is done at once.
        after: entries, by their places in the list, that have to be over before this one begins.
        early: the grid in front of it in the stream, where this one may begin as soon as all CTAs of that one have executed
            griddepcontrol.launch_dependents or ended; None where it waits for all in front of it.
        before: entries of its stream whose end griddepcontrol.wait waits for.
        options: how the launch is simulated. label: which launch it is, in words: "launch 2 of its stream".
    """

    work: LaunchRecord | HostCopy
    after: frozenset[int] = frozenset()
    early: int | None = None
    before: frozenset[int] = frozenset()
    options: SimOptions = field(default_factory=SimOptions)
    label: str = ""


def together(nodes: Sequence[Node]) -> list[range]:
    """The entries in stretches, in order: those of a stretch may overlap, those of different ones never do."""
    over: list[int] = []  # of each entry: all in front of this place are over when it begins
    for node in nodes:
        over.append(_over(node.after, nodes, over))
    out: list[range] = []
    end = fewest = len(nodes)
    for place in reversed(range(len(nodes))):
        fewest = min(fewest, over[place])
        if fewest >= place:
            out.append(range(place, end))
            end = place
    return out[::-1]


def _over(after: frozenset[int], nodes: Sequence[Node], over: Sequence[int]) -> int:
    """Up to which place all entries are over once these are."""
    place = max((over[p] for p in after), default=0)
    known, ahead = set[int](), [p for p in after if p >= place]
    while ahead:
        one = ahead.pop()
        if one not in known:
            known.add(one)
            ahead += [p for p in nodes[one].after if p >= place]
    while place in known:
        place += 1
    return place
