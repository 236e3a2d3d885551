"""All orders are found, each once: held to all interleavings of small programs."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import pytest

from ptxlab.sim.certify.search import Changed, Search, Step, Trace


@dataclass(frozen=True)
class Does:
    """What a thread does: load, store, update, sum a word; or wait until it holds a value."""

    kind: str
    word: int
    value: int = 0


Program = Sequence[Sequence[Does]]


class Model:
    """A program that runs one access at a time. Threads that have loaded 1 from a word skip their next access."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.at = [0] * len(program)
        self.memory: dict[int, int] = {}
        self.seen: list[list[int]] = [[] for _ in program]

    def step(self, who: int) -> Step:
        one = self.program[who][self.at[who]]
        reads, writes = one.kind in ("load", "update", "wait", "lock"), one.kind in ("store", "update", "sum", "lock")
        return Step(
            who,
            0,
            ((None, one.word, one.word + 1),),
            reads,
            writes,
            ("add", "32") if one.kind == "sum" else None,
        )

    def ready(self) -> dict[int, Step]:
        found: dict[int, Step] = {}
        for who, code in enumerate(self.program):
            if self.at[who] < len(code):
                one = code[self.at[who]]
                held = self.memory.get(one.word, 0)
                if not (one.kind == "wait" and held < one.value) and not (one.kind == "lock" and held):
                    found[who] = self.step(who)
        return found

    def run(self, who: int) -> None:
        one = self.program[who][self.at[who]]
        held = self.memory.get(one.word, 0)
        self.at[who] += 1
        if one.kind in ("load", "update", "wait"):
            self.seen[who].append(held)
        if one.kind == "load" and held == 1:
            self.at[who] += 1
        if one.kind == "store":
            self.memory[one.word] = one.value
        elif one.kind == "lock":
            self.memory[one.word] = 1
        elif one.kind in ("sum", "update"):
            self.memory[one.word] = held + 1

    def waits(self) -> list[int]:
        return [who for who, code in enumerate(self.program) if self.at[who] < len(code)]


def outcome(model: Model) -> tuple[object, ...]:
    return tuple(map(tuple, model.seen)), tuple(sorted(model.memory.items())), tuple(model.waits())


def searched(program: Program) -> tuple[list[tuple[object, ...]], list[object], int]:
    """The outcomes that a search comes to, the orders, and how many runs it takes."""
    outcomes: list[tuple[object, ...]] = []
    orders: list[object] = []

    def run(chosen: Sequence[int], asleep: Mapping[int, Step]) -> Trace:
        model, trace, sleeping = Model(program), Trace(), dict(asleep)
        behind: dict[int, int] = {}
        while ready := model.ready():
            depth = len(trace.steps)
            who = (
                chosen[depth]
                if depth < len(chosen)
                else next((one for one in sorted(ready) if one not in sleeping), -1)
            )
            if who < 0:
                break
            trace.ready.append(ready)
            step = ready[who]
            if depth >= len(chosen):
                sleeping = {other: one for other, one in sleeping.items() if not one.depends(step)}
            trace.add(step, behind.get(who, 0))
            behind[who] = trace.closed[-1]
            model.run(who)
        else:
            trace.ended = True
            outcomes.append(outcome(model))
            orders.append(canonical(trace.steps))
        trace.left = [(model.step(who), behind.get(who, 0)) for who in model.waits()]
        return trace

    search = Search(run)
    assert search.all(lambda: True)
    assert search.orders == len(outcomes)
    return outcomes, orders, search.tried


def canonical(steps: Sequence[Step]) -> object:
    """The same for two ways to run that differ by steps which do not depend on each other."""
    counts: dict[int, int] = {}
    names: list[tuple[int, int]] = []
    for step in steps:
        counts[step.who] = counts.get(step.who, 0) + 1
        names.append((step.who, counts[step.who]))
    pairs = [
        (names[i], names[j])
        for j, second in enumerate(steps)
        for i, first in enumerate(steps[:j])
        if first.who != second.who and first.depends(second)
    ]
    return frozenset(names), frozenset(pairs)


def interleavings(program: Program) -> Iterator[tuple[tuple[object, ...], object]]:
    """Of every way to run a program, the outcome and the order."""

    def go_on(chosen: list[int]) -> Iterator[tuple[tuple[object, ...], object]]:
        model, steps = Model(program), list[Step]()
        for who in chosen:
            steps.append(model.step(who))
            model.run(who)
        ready = model.ready()
        if not ready:
            yield outcome(model), canonical(steps)
        for who in ready:
            yield from go_on([*chosen, who])

    return go_on([])


def drawn(seed: int) -> Program:
    r = random.Random(seed)
    kinds = ("load", "load", "store", "update", "sum", "wait", "lock")
    threads = r.choice((2, 2, 3, 3, 4))
    longest = {2: 4, 3: 3, 4: 2}[threads]
    return [
        [Does(r.choice(kinds), r.randrange(r.choice((1, 2, 3))), r.randrange(3)) for _ in range(r.randint(1, longest))]
        for _ in range(threads)
    ]


@pytest.mark.parametrize("seed", range(300))
def test_every_order_is_found_once(seed: int) -> None:
    program = drawn(seed)
    every = list(interleavings(program))
    outcomes, orders, _ = searched(program)
    assert set(outcomes) == {one for one, _ in every}
    assert len(orders) == len(set(orders))
    assert set(orders) == {one for _, one in every}


def test_what_does_not_depend_is_one_order() -> None:
    program = [[Does("update", who)] * 3 for who in range(4)]
    assert searched(program)[2] == 1
    assert searched([[Does("sum", 0)]] * 6)[2] == 1


def test_locks_have_the_orders_of_their_owners() -> None:
    owner = [Does("lock", 0), Does("update", 1), Does("store", 0, 0)]
    outcomes, _, tried = searched([owner] * 4)
    assert len(outcomes) == tried == 24


def test_a_launch_that_does_not_do_the_same_again() -> None:
    runs = iter(range(9))

    def run(chosen: Sequence[int], asleep: Mapping[int, Step]) -> Trace:
        trace, number = Trace(ended=True), next(runs)
        for who in (0, 1):
            step = Step(who, 0, ((None, 0, 4),), True, True)
            trace.ready.append({0: step, 1: step, **({2: step} if number else {})})
            trace.add(step, 0)
        return trace

    with pytest.raises(Changed):
        Search(run).all(lambda: True)
