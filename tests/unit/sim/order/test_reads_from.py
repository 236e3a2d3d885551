"""Who has found which strong writes, and that this does not grow with the launch."""

from __future__ import annotations

import numpy as np
import pytest

import ptxlab as px
from ptxlab.sim.order import reads_from as module
from ptxlab.sim.order.clocks import START, Clock
from ptxlab.sim.order.reads_from import ROOM, Chain, ReadsFrom

PLACE, EACH = "flag", 32


def chain(*writes: tuple[int, int]) -> Chain:
    made = Chain()
    for write in writes:
        made.add(write)
    return made


def test_a_thread_knows_what_it_has_found_when_its_instruction_is_over() -> None:
    finds, written = ReadsFrom(), chain((5, 1))
    finds.note(PLACE, [7], written, 6)
    assert not finds.knows(PLACE, (5, 1), START, 7, EACH)
    finds.settle()
    assert finds.knows(PLACE, (5, 1), START, 7, EACH)
    assert not finds.knows(PLACE, (5, 1), START, 8, EACH)
    assert not finds.knows("another", (5, 1), START, 7, EACH)


def test_a_write_that_comes_later_is_not_found() -> None:
    finds, written = ReadsFrom(), chain((5, 1))
    finds.note(PLACE, [7], written, 6)
    finds.settle()
    written.add((8, 2))
    assert not finds.knows(PLACE, (8, 2), START, 7, EACH)


def test_a_write_of_the_same_instruction_is_not_found() -> None:
    finds, written = ReadsFrom(), Chain()
    written.new.append(1)
    finds.note(PLACE, [7], written, 6)
    written.stamp(6)
    finds.settle()
    assert not finds.knows(PLACE, (6, 1), START, 7, EACH)


@pytest.mark.parametrize(("until", "known"), [(5, False), (6, True), (9, True)])
def test_who_knows_the_reader_so_far_knows_what_it_has_found(until: int, known: bool) -> None:
    finds = ReadsFrom()
    finds.note(PLACE, [EACH + 7], chain((5, 1)), 6)
    finds.settle()
    times = np.zeros(EACH, np.uint32)
    times[7] = until
    assert finds.knows(PLACE, (5, 1), Clock({1: times}, {}, {}), 3, EACH) == known


def test_finds_that_nobody_asks_for_are_forgotten() -> None:
    finds, written = ReadsFrom(), Chain()
    for time in range(1, ROOM + 1):
        written.add((time, time % 8))
        finds.note(PLACE, [time % 8 + 8], written, time)
        finds.settle()
    assert finds.is_full(PLACE, written)
    finds.thin_out(PLACE, written, [(3, 3), (ROOM, 0)])
    assert not finds.is_full(PLACE, written)
    assert finds.knows(PLACE, (3, 3), START, 3 + 8, EACH)
    assert finds.knows(PLACE, (3, 3), START, 5 + 8, EACH)
    assert finds.knows(PLACE, (ROOM, 0), START, 8, EACH)
    assert not finds.knows(PLACE, (ROOM, 0), START, 7 + 8, EACH)
    assert len(written.writes) == 2


@px.kernel(target="sm_90a", threads=32)
def take(k, tickets: px.Ptr[px.u32], own: px.Ptr[px.u32]):
    k.fence.acq_rel.gpu()  # so that Python hears of each addition
    n = k.mov.u32(0)
    with k.while_(lambda: n < 40):
        t = k.atom.relaxed.gpu.global_.add.u32(tickets[k.laneid & 1], 1)
        k.st.global_.u32(own[t + (k.laneid & 1) * 4096], t)
        k.add.u32(n, 1, d=n)


def test_a_launch_forgets(monkeypatch: pytest.MonkeyPatch) -> None:
    """1,280 additions to each of two places by 64 threads."""
    made: list[ReadsFrom] = []

    class Kept(ReadsFrom):
        def __init__(self) -> None:
            super().__init__()
            made.append(self)

    monkeypatch.setattr("ptxlab.sim.order.companions.unflagged.unflagged", lambda *launch: None)
    monkeypatch.setattr("ptxlab.sim.order.knowledge.ReadsFrom", Kept)
    monkeypatch.setattr(module, "ROOM", 64)
    tickets, own = np.zeros(2, np.uint32), np.zeros(8192, np.uint32)
    report = px.simulate(take, grid=2, args=[tickets, own], sanitize=True)
    assert report.findings == []
    assert tickets.tolist() == [1280, 1280]
    (finds,) = made
    assert len(finds._of) == 2
    for found in finds._of.values():
        assert len(found) < 1000
        assert max(len(find.chain.writes) for find in found) < 512
