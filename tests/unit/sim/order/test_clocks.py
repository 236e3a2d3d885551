"""Clocks: joined, shared as long as nothing is new, and never changed."""

from __future__ import annotations

import numpy as np

from ptxlab.sim.order.clocks import START, Clock, joined, over, sources_read
from ptxlab.sim.order.knowledge import Knowledge, Position
from ptxlab.sim.order.native.state import Header
from ptxlab.sim.order.views import View, together


def clock(cta: int, *times: int) -> Clock:
    return Clock({cta: np.array(times, np.uint32)}, {}, {})


def test_a_join_knows_what_either_knows() -> None:
    both = joined(joined(clock(0, 1, 5), clock(0, 3, 2)), joined(clock(1, 7, 0), over(0, 0b100)))
    assert {cta: times.tolist() for cta, times in both.threads.items()} == {0: [3, 5], 1: [7, 0]}
    assert (both.is_done(0, 2), both.is_done(0, 1), both.is_done(1, 2)) == (True, False, False)


def test_a_join_with_nothing_new_is_the_same_clock() -> None:
    one = joined(clock(0, 3, 5), over(2, 0b11))
    for other in (START, one, clock(0, 3, 4), over(2, 0b01)):
        assert joined(one, other) is one


def test_who_has_read_its_source_may_still_write() -> None:
    reads = sources_read(0, 0b1)
    assert (reads.has_read(0, 0), reads.is_done(0, 0)) == (True, False)
    assert joined(reads, over(0, 0b1)).is_done(0, 0)


def test_views_are_shared_too() -> None:
    view = View(clock(0, 3), {(0, "shared"): clock(0, 2)}, near={"PTX9201": clock(0, 9)})
    assert together(view, View(clock(0, 2), {(0, "shared"): clock(0, 1)})) is view
    assert together(view, View(clock(0, 4))).clock.threads[0].tolist() == [4]


def test_warps_that_learn_the_same_share_what_they_know() -> None:
    """Also behind so many other views that what was kept for that has been dropped, and with new views in their places."""
    know = Knowledge(np.ones(Header.WORDS, np.uint32), strict=False)
    team = know.start(Position(0, 0), 64)
    known = know.publish(team, [0])
    for warp in (0, 1):
        know.learn(team, range(32 * warp, 32 * warp + 32), known)
    for number in range(200):
        told = View(over(0, 1 << number))
        for warp in (0, 1):
            know.learn(team, range(32 * warp, 32 * warp + 32), told)
        assert team.views[0] is team.views[63]
        del told
    assert team.views[0].clock.done[0] == (1 << 200) - 1


def test_what_is_published_ends_there() -> None:
    """What a thread does behind a release is not known to who acquires it."""
    know = Knowledge(np.ones(Header.WORDS, np.uint32), strict=False)
    team = know.start(Position(0, 0), 32)
    first = know.now
    view = know.publish(team, [3])
    assert view.clock.threads[0][3] == first
    assert know.now > first
    know.learn(team, [5], view)
    assert team.views[5].clock.threads[0].tolist() == [first if t == 3 else 0 for t in range(32)]
    assert team.views[4].clock is START
