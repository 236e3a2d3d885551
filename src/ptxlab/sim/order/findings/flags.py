"""Flags that come between two accesses and fail to order them: which store and which load these are, and what either side lacks.

A finding names the accesses to the data. What has to be changed is elsewhere, at the flag: a thread stores the data, then the flag,
another one finds the flag, then loads the data; and one of the two sides lacks its fence, or the fence has too small a scope.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from ptxlab.isa.order import ACQUIRING, RELEASING
from ptxlab.sim.order.clocks import START, Clock, knows_of
from ptxlab.sim.order.knowledge import Position
from ptxlab.sim.order.native.state import LANES
from ptxlab.sim.order.reads_from import Place
from ptxlab.sim.order.threads import Threads

if TYPE_CHECKING:
    from ptxlab.ptx.program import Op

MOST = 8
"""Stores to a place, and finds of a thread, that are remembered."""
MOST_FENCES = 64
"""Fences of a warp that are remembered."""


@dataclass(frozen=True, slots=True)
class How:
    """The part of an instruction: its number, the order and the scope of its access, or of its fence, and, of a store, whether it
    adds to what is there, so that who finds it has found the one before it, too."""

    site: int
    order: str
    scope: str
    adds: bool = False


class Step(NamedTuple):
    """A thread stores to a flag, finds one, or executes a fence.

    Attributes:
        number: of the step, in the order in which they happen. who: the thread, by its number in the launch. time: when.
        known: what the thread knew before it; None where that has to be asked for. how: by which instruction.
    """

    number: int
    who: int
    time: int
    known: Clock | None
    how: How


class _Fence(NamedTuple):
    """Threads execute a fence: see `Step`."""

    number: int
    threads: Sequence[int]
    time: int
    known: Clock
    how: How


@dataclass(frozen=True, slots=True)
class Explained:
    """Why a flag does not order two accesses.

    Attributes:
        store, load: of the flag. lacks: what each side lacks, in words. help: what to change. only_flag: whether that is in these
            two accesses alone.
    """

    store: Step
    load: Step
    lacks: Sequence[str]
    help: str
    only_flag: bool


Lacks = tuple[str, str, bool]
"""What a side of a flag lacks, in words, what would help, and whether it is a matter of the access to the flag itself."""


@dataclass(frozen=True, slots=True)
class Between:
    """Two accesses that nothing orders: the earlier one by a thread at a time, and who makes the later one, with what it knows."""

    who: int
    time: int
    later: int
    known: Clock


class Flags:
    """What threads have stored to flags and found there, and their fences.

    Args:
        threads: those of the launch. op: the instruction of a site. where: says where an instruction stands, as " in kernel.py:16".

    Attributes:
        known_of: what a thread knows now. catch_up: called before it is asked for anything.
    """

    def __init__(self, threads: Threads, op: Callable[[int], Op], where: Callable[[Op], str]) -> None:
        self._threads, self._op, self._where = threads, op, where
        self.known_of: Callable[[int], Clock] = lambda who: START
        self.catch_up: Callable[[], None] = lambda: None
        self._count = 0
        self._stores: dict[Place, deque[Step]] = {}
        self._finds: dict[int, deque[tuple[Place, int, Step]]] = {}
        self._fences: dict[int, deque[_Fence]] = {}

    # -- what happens
    def step(self, who: int, how: How, time: int, known: Clock | None) -> Step:
        """The next step."""
        self._count += 1
        return Step(self._count, who, time, known, how)

    def is_flag(self, place: Place) -> bool:
        """Whether anybody has stored to a place as to a flag."""
        return place in self._stores

    def stores(self, place: Place, step: Step) -> None:
        """A thread stores to a place, or adds to it; or somebody finds its weak store there."""
        stores = self._stores.setdefault(place, deque(maxlen=MOST))
        if not stores or (stores[-1].who, stores[-1].time) != (step.who, step.time):
            stores.append(step)

    def finds(self, place: Place, step: Step) -> None:
        """A thread reads a place, and finds what has been stored there last."""
        stores = self._stores.get(place)
        if stores and stores[-1].who != step.who:
            mine = self._finds.setdefault(step.who, deque(maxlen=MOST))
            if not any(at == place and store == stores[-1].number for at, store, _ in mine):
                mine.append((place, stores[-1].number, step))

    def fences(self, threads: Sequence[int], how: How, time: int, known: Clock) -> None:
        """Threads of a warp that know the same execute a fence."""
        self._count += 1
        fences = self._fences.setdefault(threads[0] // LANES, deque(maxlen=MOST_FENCES))
        fences.append(_Fence(self._count, threads, time, known, how))

    def _fences_of(self, who: int) -> list[Step]:
        """The fences of a thread."""
        fences = self._fences.get(who // LANES, ())
        return [Step(one.number, who, one.time, one.known, one.how) for one in fences if who in one.threads]

    # -- what it tells
    def explain(self, between: Between) -> Explained | None:
        """The first flag that is stored behind the earlier access and found before the later one; None where there is none, or
        nothing is wrong with it."""
        self.catch_up()
        pairs = sorted(self._pairs(between), key=lambda pair: (pair[0].number, pair[1].number))
        for store, load in pairs:
            found = self._lacks(between, store, load)
            if found:
                lacks, helps = (list(dict.fromkeys(words)) for words in list(zip(*found, strict=True))[:2])
                return Explained(store, load, lacks, "; ".join(helps), all(of_flag for *_, of_flag in found))
        return None

    def _pairs(self, between: Between) -> Iterator[tuple[Step, Step]]:
        """Stores to flags behind the earlier access, and who has found them before the later one."""
        for who, finds in self._finds.items():
            for place, number, load in finds:
                if who != between.later and not self._knows(between.known, who, load.time):
                    continue
                for store in self._found(place, number):
                    if store.who != who and self._is_behind(store, between):
                        yield store, load

    def _found(self, place: Place, number: int) -> Iterator[Step]:
        """The store to a place by its number, and, where that adds to what is there, those before it."""
        for store in reversed(self._stores[place]):
            if store.number <= number:
                yield store
                if not store.how.adds:
                    return

    def _is_behind(self, step: Step, between: Between) -> bool:
        """Whether a step comes after the earlier access."""
        if step.who == between.who:
            return step.time >= between.time
        known = self.known_of(step.who) if step.known is None else step.known
        return self._knows(known, between.who, between.time)

    def _knows(self, clock: Clock, who: int, time: int) -> bool:
        cta, thread = divmod(who, self._threads.each)
        return knows_of(clock, cta, thread) >= time

    def _lacks(self, between: Between, store: Step, load: Step) -> list[Lacks]:
        """What the sides of a flag lack."""
        giver, taker = (self._threads.position(step.who + 1) for step in (store, load))
        wide = "cta" if giver.cta == taker.cta else "cluster" if giver.cluster == taker.cluster else "gpu"
        gives = [s for s in (store, *self._fences_of(store.who)) if s.how.order in RELEASING]
        takes = [s for s in (load, *self._fences_of(load.who)) if s.how.order in ACQUIRING]
        sides = (
            _Side(
                store,
                [s for s in gives if _in_turn(s, store) and self._is_behind(s, between)],
                giver,
                taker,
                _STORE,
            ),
            _Side(load, [s for s in takes if _in_turn(load, s) and self._is_before(s, between)], taker, giver, _LOAD),
        )
        return [one for side in sides for one in self._of_side(side, wide)]

    def _is_before(self, step: Step, between: Between) -> bool:
        """Whether a step comes before the later access."""
        return step.who == between.later or self._knows(between.known, step.who, step.time)

    def _of_side(self, side: _Side, wide: str) -> Iterator[Lacks]:
        """What a side lacks."""
        words, flag = side.words, side.flag
        named = self._named(flag)
        if flag.how.order == "weak":
            yield f"{named} is weak", f"{words.access} with {words.order}.{wide}", True
            return
        if not side.orders:
            help_ = f"{words.access} with {words.order}.{wide}, or put fence.acq_rel.{wide} {words.there} it"
            yield f"{named} {words.does_not}, and no fence {words.there} it does", help_, False
        elif not any(side.here.within(s.how.scope, side.other) for s in side.orders):
            yield self._narrow(side.orders[-1], wide, of_flag=side.orders[-1] is flag)
        if not side.here.within(flag.how.scope, side.other) and side.orders[-1:] != [flag]:
            yield self._narrow(flag, wide, of_flag=True)

    def _narrow(self, step: Step, wide: str, *, of_flag: bool) -> Lacks:
        """That the scope of a step does not include the thread on the other side."""
        other = "cluster" if step.how.scope == "cluster" else "CTA"
        lacks = f"{self._named(step)} has the scope .{step.how.scope}, and the other thread is in another {other}"
        return lacks, f"give `{self._op(step.how.site).inst.opcode}` the scope .{wide}", of_flag

    def _named(self, step: Step) -> str:
        op = self._op(step.how.site)
        return f"`{op.text}`{self._where(op)}"


def _in_turn(first: Step, second: Step) -> bool:
    """Whether two steps of a thread come in this order. Of those that machine code has seen to, only the time is known."""
    if first.known is None or second.known is None:
        return first.time <= second.time
    return first.number <= second.number


@dataclass(frozen=True, slots=True)
class _Words:
    """How a side of a flag is spoken of."""

    access: str
    order: str
    does_not: str
    there: str


_STORE = _Words("store the flag", ".release", "does not release", "in front of")
_LOAD = _Words("load the flag", ".acquire", "does not acquire", "behind")


@dataclass(frozen=True, slots=True)
class _Side:
    """A side of a flag: the access to it, what there releases or acquires, where it is, and where the other one is."""

    flag: Step
    orders: Sequence[Step]
    here: Position
    other: Position
    words: _Words
