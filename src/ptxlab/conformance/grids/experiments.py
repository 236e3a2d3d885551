"""Questions about grids of a stream that overlap, each as the launches that answer it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from ptxlab.conformance.grids.steps import Step, load, put, store, trigger, until, wait

SMS: Final = 132
_LARGE: Final = 200 * 1024
"""Bytes of shared memory, of which an SM has room for those of one CTA."""
DATA, SEEN, BEGUN, PASSED, OTHER = range(5)
"""Words: what a grid computes, and how far others are."""


@dataclass(frozen=True, slots=True)
class Grid:
    """A launch.

    Attributes:
        steps: what its threads do. ctas, threads, shared, cluster: its extents.
        early: launched as a programmatic dependent; None: not said.
        stream: in which it is launched. after: grids, by their places in the experiment, whose end an event tells its stream.
    """

    steps: tuple[Step, ...]
    ctas: int = 1
    threads: int = 64
    shared: int = 0
    cluster: int | None = None
    early: bool | None = None
    stream: int = 0
    after: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Experiment:
    """A question, and its launches in the order in which the host makes them.

    Attributes:
        asks: the question. grids: the launches. unsteady: answers that a chip may give one way or the other: grid, answer.
        differs_captured: whether a CUDA graph of the launches answers otherwise: in it an event in front of a programmatic launch
            is a programmatic dependency, too.
    """

    asks: str
    grids: tuple[Grid, ...]
    unsteady: frozenset[tuple[int, int]] = frozenset()
    differs_captured: bool = False


_PRIMARY = (trigger(), until(SEEN, 0), store(DATA))
"""Lets others begin, waits until one has looked, and computes."""
_DEPENDENT = (load(DATA, 0), put(SEEN), wait(), load(DATA, 1))

EXPERIMENTS: Final = {
    "overlap": Experiment(
        "Does a dependent begin before its primary has ended, and does the wait show what the primary has stored?",
        (Grid(_PRIMARY), Grid(_DEPENDENT, early=True)),
    ),
    "not said": Experiment(
        "Does a grid begin early whose launch does not say so?",
        (Grid(_PRIMARY), Grid(_DEPENDENT, early=False)),
    ),
    "no trigger": Experiment(
        "Does a dependent begin before the end of a primary that never executes launch_dependents?",
        (Grid(_PRIMARY[1:]), Grid(_DEPENDENT, early=True)),
        frozenset({(1, 0)}),
    ),
    "exit is a trigger": Experiment(
        "Does the exit of a CTA count for launch_dependents?",
        (Grid((trigger(cta=1), until(SEEN, 0, cta=1), store(DATA, cta=1)), ctas=2), Grid(_DEPENDENT, early=True)),
    ),
    "one of two CTAs": Experiment(
        "Does a dependent begin when one CTA of two has executed launch_dependents?",
        (Grid((trigger(cta=1), until(SEEN, 0), store(DATA)), ctas=2), Grid(_DEPENDENT, early=True)),
        frozenset({(1, 0)}),
    ),
    "one thread is enough": Experiment(
        "Does launch_dependents by one thread of a CTA count for the CTA?",
        (Grid((trigger(thread=33), until(SEEN, 0), store(DATA)), threads=128), Grid(_DEPENDENT, early=True)),
    ),
    "all CTAs have begun": Experiment(
        "Does a dependent begin while CTAs of its primary have not?",
        (Grid(_PRIMARY, ctas=2 * SMS, shared=_LARGE), Grid(_DEPENDENT, early=True)),
    ),
    "no room": Experiment(
        "Does a dependent begin where the primary leaves no room on any SM?",
        (Grid(_PRIMARY, ctas=SMS, shared=_LARGE), Grid(_DEPENDENT, early=True, shared=_LARGE)),
        frozenset({(1, 0)}),
    ),
    "another thread": Experiment(
        "Does a wait by one thread hold back another thread of the CTA?",
        (
            Grid(_PRIMARY),
            Grid((wait(), load(DATA, 1), load(DATA, 0, thread=32), put(SEEN, thread=32)), early=True),
        ),
    ),
    "stored before the trigger": Experiment(
        "What does a dependent see, before its wait, of what was stored before launch_dependents?",
        (Grid((store(DATA), trigger(), until(SEEN, 0))), Grid(_DEPENDENT, early=True)),
        frozenset({(1, 0)}),
    ),
    "chain that waits": Experiment(
        "Does the wait of a third grid stand for the end of the first, where the second waits for it?",
        (
            Grid((trigger(), until(PASSED, 0), store(DATA))),
            Grid((trigger(), wait(), store(OTHER)), early=True),
            Grid((wait(), load(DATA, 0), load(OTHER, 1), put(PASSED)), early=True),
        ),
    ),
    "chain that does not wait": Experiment(
        "Does the wait of a third grid stand for the end of the first, where the second never waits?",
        (
            Grid((trigger(), until(PASSED, 0), store(DATA))),
            Grid((trigger(), store(OTHER)), early=True),
            Grid((wait(), load(DATA, 0), load(OTHER, 1), put(PASSED)), early=True),
        ),
    ),
    "chain, third without a trigger": Experiment(
        "Does a third grid begin while the first runs, where the second neither waits nor executes launch_dependents?",
        (
            Grid((trigger(), until(PASSED, 0), store(DATA))),
            Grid((store(OTHER),), early=True),
            Grid((wait(), load(DATA, 0), load(OTHER, 1), put(PASSED)), early=True),
        ),
    ),
    "third begins, second waits": Experiment(
        "Does a third grid begin while the first runs, where the second waits for it and has executed launch_dependents before?",
        (
            Grid((trigger(), until(BEGUN, 0), until(PASSED, 1), store(DATA))),
            Grid((trigger(), wait(), store(OTHER)), early=True),
            Grid((put(BEGUN), wait(), load(DATA, 0), load(OTHER, 1), put(PASSED)), early=True),
        ),
    ),
    "third begins, second ends": Experiment(
        "Does a third grid begin while the first runs, where the second has ended without a wait?",
        (
            Grid((trigger(), until(BEGUN, 0), until(PASSED, 1), store(DATA))),
            Grid((trigger(), store(OTHER)), early=True),
            Grid((put(BEGUN), wait(), load(DATA, 0), load(OTHER, 1), put(PASSED)), early=True),
        ),
    ),
    "third begins, second runs": Experiment(
        "Does the wait of a third grid go on while the second one runs, which has not waited for the first?",
        (
            Grid((trigger(), until(BEGUN, 0), store(DATA))),
            Grid((trigger(), until(PASSED, 0), store(OTHER)), early=True),
            Grid((put(BEGUN), wait(), load(DATA, 0), load(OTHER, 1), put(PASSED)), early=True),
        ),
    ),
    "third never waits": Experiment(
        "Does a third grid run to its end while the first runs, where neither it nor the second waits?",
        (
            Grid((trigger(), until(PASSED, 0), store(DATA))),
            Grid((trigger(), store(OTHER)), early=True),
            Grid((load(DATA, 0), load(OTHER, 1), put(PASSED)), early=True),
        ),
        frozenset({(2, 1)}),
    ),
    "third never waits, second without a trigger": Experiment(
        "Does the end of a second grid that has not waited let a third one begin?",
        (
            Grid((trigger(), until(PASSED, 0), store(DATA))),
            Grid((store(OTHER),), early=True),
            Grid((load(DATA, 0), load(OTHER, 1), put(PASSED)), early=True),
        ),
    ),
    "wait of a fourth": Experiment(
        "Does the wait of a fourth grid stand for the end of the first, where those between never wait?",
        (
            Grid((trigger(), until(BEGUN, 0), until(PASSED, 1), store(DATA))),
            Grid((trigger(), store(OTHER)), early=True),
            Grid((trigger(), store(OTHER)), early=True),
            Grid((put(BEGUN), wait(), load(DATA, 0), load(OTHER, 1), put(PASSED)), early=True),
        ),
    ),
    "clusters": Experiment(
        "Does launch_dependents by one CTA of a cluster count for the cluster?",
        (
            Grid((trigger(cta=1), until(SEEN, 0), store(DATA)), ctas=2, cluster=2),
            Grid(_DEPENDENT, early=True),
        ),
    ),
    "ordinary behind a chain": Experiment(
        "Does an ordinary launch wait for the first grid, where the second never waits for it?",
        (
            Grid((trigger(), until(PASSED, 0), store(DATA))),
            Grid((trigger(), store(OTHER)), early=True),
            Grid((load(DATA, 0), load(OTHER, 1), put(PASSED)), early=False),
        ),
    ),
    "event behind a chain": Experiment(
        "Does an event behind a grid that never waits tell the end of the first one, too?",
        (
            Grid((trigger(), until(PASSED, 0), store(DATA))),
            Grid((trigger(), store(OTHER)), early=True),
            Grid((load(DATA, 0), load(OTHER, 1), put(PASSED)), early=False, stream=1, after=(1,)),
        ),
    ),
    "wait of an ordinary grid": Experiment(
        "Does griddepcontrol.wait in a grid that was launched in the ordinary way go on at once?",
        (Grid((store(DATA),)), Grid((wait(), load(DATA, 0)), early=False)),
    ),
    "second wait": Experiment(
        "Does a second griddepcontrol.wait go on at once?",
        (Grid(_PRIMARY), Grid((*_DEPENDENT, wait(), load(DATA, 2)), early=True)),
    ),
    "two streams": Experiment(
        "Do grids of two streams run side by side?",
        (Grid((put(BEGUN), until(SEEN, 0))), Grid((until(BEGUN, 0), put(SEEN)), stream=1)),
    ),
    "an event between": Experiment(
        "Does a grid wait for an event of another stream?",
        (Grid((put(BEGUN), until(SEEN, 0), store(DATA))), Grid((load(DATA, 0), put(SEEN)), stream=1, after=(0,))),
    ),
    "early behind an event": Experiment(
        "Does a dependent begin early where its stream waits for an event between the two?",
        (
            Grid((store(OTHER),), stream=1),
            Grid(_PRIMARY),
            Grid(_DEPENDENT, early=True, after=(0,)),
        ),
        frozenset({(1, 0), (2, 0)}),
        differs_captured=True,
    ),
    "first of a stream": Experiment(
        "Does a dependent begin early that is the first of its stream, and waits for an event there?",
        (Grid((trigger(), until(SEEN, 0), store(DATA))), Grid(_DEPENDENT, early=True, stream=1, after=(0,))),
        frozenset({(1, 0)}),
        differs_captured=True,
    ),
    "trigger twice": Experiment(
        "Does a second launch_dependents of a CTA count for another one?",
        (
            Grid((trigger(cta=1), trigger(cta=1, thread=32), until(SEEN, 0), store(DATA)), ctas=2),
            Grid(_DEPENDENT, early=True),
        ),
        frozenset({(1, 0)}),
    ),
    "two dependents": Experiment(
        "May a third grid begin while the first runs, where the second executes launch_dependents and then waits?",
        (
            Grid((trigger(), until(SEEN, 0), store(DATA))),
            Grid((trigger(), wait(), load(DATA, 0)), early=True),
            Grid((put(SEEN), wait(), load(DATA, 0)), early=True),
        ),
    ),
}
