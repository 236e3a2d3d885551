"""What asynchronous operations access, by tiles: cells are sorted by what they say, and noted all at once."""

from __future__ import annotations

import numpy as np
import pytest

from ptxlab.sim.order.native.arena import Arena
from ptxlab.sim.order.native.state import MOST_BESIDE, MOST_SORTS, Cell, Node, Slot
from ptxlab.sim.order.shadow import OPERATION, READER, WRITER, Kind, Lines, Past, Region, Tile, past_read, past_write

NBYTES, GRANULE = 1024, 4
NO_SITES = np.zeros(4, np.uint32)
SITE = Kind(7, proxy="async").info


def region(name: str) -> Region:
    """Of shared memory, or of global memory."""
    arena = Arena([(0, NBYTES)], GRANULE, places=NO_SITES, sites=NO_SITES, slots=1, shared=NBYTES, threads=64)
    arena.header.now = 5
    if name == "global":
        return Lines(arena, "global", 0, NBYTES, str, 0, arena.lines[0])
    return Region(arena, "shared", 0, NBYTES, str, None, int(arena.slot_at(arena.slot()).cells))


def tile(of: Region, *runs: tuple[int, int]) -> Tile:
    """Of runs: begin and bytes."""
    starts, nbytes = (np.array([run[i] for run in runs], np.int64) for i in (0, 1))
    found = of.tile(starts, nbytes)
    assert found is not None
    return found


def write(of: Region, granule: int, agent: int, time: int = 1, info: int = 3) -> None:
    of.granules(np.array([granule * GRANULE]), np.array([GRANULE]))  # so that it has a cell
    where = np.array([granule])
    for name, value in (("writer", agent), ("write_time", time), ("write_info", info)):
        of.cells[where, Cell.at(name)] = value


def read(of: Region, granule: int, agent: int, lanes: int = 1, time: int = 1, info: int = 3) -> None:
    of.granules(np.array([granule * GRANULE]), np.array([GRANULE]))
    where = np.array([granule])
    for name, value in (("reader", agent), ("read_lanes", lanes), ("read_time", time), ("read_info", info)):
        of.cells[where, Cell.at(name)] = value


def sorts(of: Region, *runs: tuple[int, int]) -> list[int]:
    return tile(of, *runs).which.tolist()


both = pytest.mark.parametrize("name", ["shared", "global"])


@both
def test_cells_that_say_the_same_are_one_sort(name: str) -> None:
    of = region(name)
    for granule, agent in enumerate([1, 2, 32, 33, 33, OPERATION | 1, OPERATION | 2, 0]):  # threads 0, 1, 31, 32, 32
        if agent:
            write(of, granule, agent)
    assert sorts(of, (0, 32)) == [0, 0, 0, 1, 1, 2, 3, 4]
    write(of, 1, 2, time=2)
    write(of, 2, 32, info=4)
    assert sorts(of, (0, 12)) == [0, 1, 2]


@both
def test_reads_and_lists_tell_sorts_apart(name: str) -> None:
    of = region(name)
    read(of, 0, 1)
    for granule, differs in enumerate([{}, {"lanes": 2}, {"time": 2}, {"info": 4}], start=1):
        read(of, granule, 1, **differs)
    read(of, 5, 33)
    assert sorts(of, (0, 24)) == [0, 0, 1, 2, 3, 4]
    of = region(name)
    of.granules(np.array([0]), np.array([32]))
    one, other = Past(1, 1, 1, 3, writes=False), Past(33, 1, 1, 3, writes=True)
    for granule, pasts in enumerate([[one], [one], [one, other], [other, one], []]):
        for past in pasts:
            of.remember(granule, past)
    assert sorts(of, (0, 20)) == [0, 0, 1, 2, 3]


@both
def test_runs_have_all_granules_that_they_touch(name: str) -> None:
    of = region(name)
    for granule in range(8):
        write(of, granule, 1 + 32 * granule)
    found = tile(of, (2, 4), (12, 0), (16, 9), (3, 1))
    assert found.counts.tolist() == [2, 0, 3, 1]
    assert [Cell(cell, of.arena.fast).writer for cell in found.some[found.which].tolist()] == [1, 33, 129, 161, 193, 1]


@both
def test_too_many_sorts_are_no_tile(name: str) -> None:
    of = region(name)
    for granule in range(MOST_SORTS + 1):
        write(of, granule, 1 + 32 * granule)
    assert len(tile(of, (0, GRANULE * MOST_SORTS)).some) == MOST_SORTS
    assert of.tile(np.array([0]), np.array([GRANULE * (MOST_SORTS + 1)])) is None


@pytest.mark.parametrize("run", [(-4, 8), (NBYTES - 4, 8)])
def test_what_lies_outside_is_no_tile(run: tuple[int, int]) -> None:
    assert region("shared").tile(np.array([run[0]]), np.array([run[1]])) is None


def test_memory_without_room_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ptxlab.sim.order.native.arena.MOST_LINES", 1)
    of = region("global")
    found = tile(of, (0, 8), (128, 8))
    assert found.which.tolist() == [0, 0, -1, -1]
    found.note(np.array([OPERATION] * 2, np.uint32), SITE, lambda past, new: False, writes=True)
    assert of.cells[np.array([0, 1]), WRITER].tolist() == [OPERATION] * 2
    assert of.arena.unwatched().memory == 128
    assert "128 bytes of global memory not watched" in str(of.arena.unwatched())


@both
def test_a_write_takes_the_place_of_all_before(name: str) -> None:
    of = region(name)
    for granule in range(4):
        read(of, granule, 33)
        of.remember(granule, Past(65, 1, 1, 3, writes=False))
    tile(of, (0, 8), (8, 4)).note(
        np.array([OPERATION | 4, OPERATION | 5], np.uint32), SITE, lambda past, new: False, writes=True
    )
    cells = of.cells[np.arange(4)]
    assert [past_write(c) for c in cells] == [
        *[Past(OPERATION | 4, 1, 5, SITE, writes=True)] * 2,
        Past(OPERATION | 5, 1, 5, SITE, writes=True),
        None,
    ]
    assert [past_read(c) is None for c in cells] == [True, True, True, False]
    assert [len(of.others(g)) for g in range(4)] == [0, 0, 0, 1]


@both
def test_a_read_keeps_those_that_it_does_not_replace(name: str) -> None:
    of = region(name)
    for granule, agent in enumerate([33, 65, 33, 65]):
        read(of, granule, agent, lanes=6)
    agents = np.array([OPERATION | 4, OPERATION | 5], np.uint32)
    asked: list[tuple[int, int]] = []

    def superseded(past: Past, new: int) -> bool:
        asked.append((past.agent, new))
        return past.agent == 33

    tile(of, (0, 8), (8, 8)).note(agents, SITE, superseded, writes=False)
    assert sorted(asked) == sorted((old, int(new)) for old in (33, 65) for new in agents)
    assert [past_read(c) for c in of.cells[np.arange(4)]] == [
        Past(OPERATION | part, 1, 5, SITE, writes=False) for part in (4, 4, 5, 5)
    ]
    assert [of.others(g) for g in range(4)] == [[], [Past(65, 6, 1, 3, writes=False)]] * 2


def test_an_operation_that_reads_a_cell_twice_is_there_once() -> None:
    of = region("shared")
    tile(of, (0, 8), (4, 8)).note(
        np.array([OPERATION, OPERATION | 1], np.uint32), SITE, lambda past, new: False, writes=False
    )
    assert of.cells[np.arange(3), READER].tolist() == [OPERATION, OPERATION, OPERATION | 1]
    assert not of.others(1)


def test_the_next_cta_gets_the_nodes_of_lists() -> None:
    """However lists came to be, a CTA that ends leaves none: many CTAs in one place do not use up all nodes."""
    of = region("shared")
    slot = int(Slot(of.first)[-1])
    for cta in range(3):
        of.arena.native.begin(slot, cta)
        if cta % 2:
            of.remember(3, Past(1, 1, 1, 3, writes=False))
        else:
            read(of, 3, 33)
            tile(of, (12, 4)).note(np.array([OPERATION], np.uint32), SITE, lambda past, new: False, writes=False)
        assert len(of.others(3)) == 1
    assert int(of.arena.header.node) - first_node() == Node.WORDS
    assert not of.arena.unwatched()


def first_node() -> int:
    """Where the first node is."""
    arena = Arena([(0, NBYTES)], GRANULE, places=NO_SITES, sites=NO_SITES, slots=1, shared=NBYTES, threads=64)
    return int(arena.header.node)


def test_what_is_forgotten_is_counted() -> None:
    of = region("shared")
    for i in range(MOST_BESIDE + 3):
        of.remember(0, Past(1, 1, 1, i, writes=False))
    assert of.arena.unwatched().accesses == 3
    assert str(of.arena.unwatched()) == "3 accesses forgotten"
