"""What has happened before something: of each thread up to which time, and which asynchronous operations.

Time is one counter for the launch. It goes on whenever a thread publishes what it knows: that tells what the thread does later from
what it did before. A clock says, for the threads of each CTA, up to which time what they did has happened before. Clocks are
never changed, and shared as long as nothing is new: threads that have met at a barrier have one clock.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

Times = NDArray[np.uint32]
K = TypeVar("K")


@dataclass(frozen=True, slots=True, eq=False)
class Clock:
    """What has happened before.

    Attributes:
        threads: by CTA, the time up to which each of its threads is known.
        done: by cluster, the asynchronous operations that are over, a bit for each number. read: those that have read their source.
    """

    threads: Mapping[int, Times]
    done: Mapping[int, int]
    read: Mapping[int, int]

    def is_done(self, cluster: int, number: int) -> bool:
        """Whether an operation is known to be over."""
        return bool(self.done.get(cluster, 0) >> number & 1)

    def has_read(self, cluster: int, number: int) -> bool:
        """Whether an operation is known to have read its source."""
        return bool((self.read.get(cluster, 0) | self.done.get(cluster, 0)) >> number & 1)


START = Clock({}, {}, {})
"""Nothing of the launch."""


def knows_of(clock: Clock, cta: int, thread: int) -> int:
    """Up to which time a clock knows a thread; 0 where it does not."""
    times = clock.threads.get(cta)
    return 0 if times is None else int(times[thread])


def joined(a: Clock, b: Clock) -> Clock:
    """What either knows. One of the two itself where the other adds nothing, so that threads that know the same share a clock."""
    if a is b or b is START:
        return a
    if a is START:
        return b
    threads, done, read = _times(a.threads, b.threads), _bits(a.done, b.done), _bits(a.read, b.read)
    if threads is a.threads and done is a.done and read is a.read:
        return a
    if threads is b.threads and _same(done, b.done) and _same(read, b.read):
        return b
    return Clock(threads, done, read)


def _same(a: Mapping[int, int], b: Mapping[int, int]) -> bool:
    return a is b or a == b


def all_joined(clocks: Iterable[Clock]) -> Clock:
    """What any of them knows."""
    out = START
    for clock in {id(c): c for c in clocks}.values():
        out = joined(out, clock)
    return out


def _times(a: Mapping[int, Times], b: Mapping[int, Times]) -> Mapping[int, Times]:
    out: dict[int, Times] | None = None
    all_of_b = len(a) <= len(b)
    for cta, times in b.items():
        mine = a.get(cta)
        if mine is times:
            continue
        if mine is None:
            merged = times
        else:
            merged = np.maximum(mine, times)
            said = merged.tobytes()
            same = said == times.tobytes()
            all_of_b = all_of_b and same
            if said == mine.tobytes():
                continue
            if same:
                merged = times
        out = dict(a) if out is None else out
        out[cta] = merged
    if out is None:
        return a
    return b if all_of_b and len(out) == len(b) else out


def _bits(a: Mapping[K, int], b: Mapping[K, int]) -> Mapping[K, int]:
    out: dict[K, int] | None = None
    for key, bits in b.items():
        mine = a.get(key, 0)
        if mine | bits != mine:
            out = dict(a) if out is None else out
            out[key] = mine | bits
    return a if out is None else out


def over(cluster: int, bits: int) -> Clock:
    """That these operations of a cluster are over."""
    return Clock({}, {cluster: bits}, {})


def sources_read(cluster: int, bits: int) -> Clock:
    """That these operations of a cluster have read their sources."""
    return Clock({}, {}, {cluster: bits})
