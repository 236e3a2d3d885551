"""The values that reads may get: what is there at the start, and what the threads may write.

A value that needs another one first, and that one a third, is found step by step. Since no value is its own reason (8.10.4), a
chain of such needs comes by each write once: values that would take more writes to a location than the program has are none.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from itertools import product

from ptxlab.memory_model.loops import TURNS, Counted
from ptxlab.memory_model.program import Branch, Pointer, Program, Publish, Step, Store, Transfer, Update, Value

Cost = tuple[int, ...]
"""How many writes to each location a value takes."""
Written = tuple[str, Value, tuple[tuple[str, Value], ...]]
"""A write's location and value, and the reads on which it depends."""


def values(
    program: Program, counted: Counted, written: Callable[[Mapping[str, frozenset[Value]]], Iterable[Written]]
) -> dict[str, frozenset[Value]]:
    """What reads of each location may get.

    Args:
        written: all writes that threads may do when reads get such values. It enters in `counted` how often loops are turned.
    """
    places = [v.location for v in program.variables.values() if v.location == v.name]
    none: Cost = (0,) * len(places)
    costs: dict[tuple[str, Value], set[Cost]] = {}
    for v in program.variables.values():
        if v.location == v.name:
            costs[v.location, 0 if v.init is None else v.init] = {none}
    while True:
        domain = {p: frozenset(v for q, v in costs if q == p) for p in places}
        before = sum(map(len, costs.values()))
        found = list(written(domain))
        most = tuple(_writes(program, place, counted) for place in places)
        for place, value, reads in found:
            at = places.index(place)
            for needs in product(*(costs[r] for r in reads)):
                cost = tuple(max((n[i] for n in needs), default=0) + (i == at) for i in range(len(places)))
                if all(c <= m for c, m in zip(cost, most, strict=True)):
                    _enter(costs.setdefault((place, value), set()), cost)
        costs = {k: v for k, v in costs.items() if v}
        if sum(map(len, costs.values())) == before and domain == {
            p: frozenset(v for q, v in costs if q == p) for p in places
        }:
            return domain


def _enter(known: set[Cost], cost: Cost) -> None:
    """Keep the least costs alone."""
    if any(all(a <= b for a, b in zip(k, cost, strict=True)) for k in known):
        return
    known.difference_update({k for k in known if all(a <= b for a, b in zip(cost, k, strict=True))})
    known.add(cost)


def _writes(program: Program, place: str, counted: Counted) -> int:
    """How many writes to a location the program can do at most."""
    count = 0
    for index, thread in enumerate(program.threads):
        loops = [(s.target, i) for i, s in enumerate(thread.steps) if isinstance(s, Branch) and s.target <= i]
        for i, step in enumerate(thread.steps):
            if _may_write(program, step, place):
                heads = {a for a, b in loops if a <= i <= b}
                count += 1 + sum(TURNS + counted.get((index, head), 0) for head in heads)
    return count


def _may_write(program: Program, step: Step, place: str) -> bool:
    match step:
        case Store() | Update():
            address = step.address
        case Transfer(stores=True) | Publish():
            return True
        case Transfer(target=target, multicast=None) if target is not None:
            address = target
        case Transfer(multicast=mask) if mask is not None:
            return True
        case _:
            return False
    return not isinstance(address, Pointer) or program.variables[address.name].location == place
