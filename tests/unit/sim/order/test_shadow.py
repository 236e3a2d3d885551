"""Cells of shadow memory: granules of runs, and how an access is packed into words."""

from __future__ import annotations

import numpy as np
import pytest

from ptxlab.sim.order.native.arena import Arena
from ptxlab.sim.order.native.state import MOST_BESIDE
from ptxlab.sim.order.shadow import PROXIES, SCOPES, Kind, Lines, Past, Region

NO_SITES = np.zeros(4, np.uint32)


def shared(granule: int, nbytes: int = 64) -> Region:
    arena = Arena([], granule, places=NO_SITES, sites=NO_SITES, slots=1, shared=nbytes, threads=32)
    return Region(arena, "shared", 0, nbytes, str, None, int(arena.slot_at(arena.slot()).cells))


def lines(granule: int, nbytes: int) -> Lines:
    arena = Arena([(0, nbytes)], granule, places=NO_SITES, sites=NO_SITES, slots=1, shared=0, threads=32)
    return Lines(arena, "global", 0, nbytes, str, 0, arena.lines[0])


def test_kinds_survive_their_word() -> None:
    for scope in SCOPES:
        for proxy in PROXIES:
            for size in (1, 2, 4, 8, 16):
                kind = Kind(123_456, scope != "", scope, size, proxy, update=size > 4)
                assert Kind.of(kind.info) == kind


@pytest.mark.parametrize("granule", [1, 2, 4])
def test_granules_of_runs(granule: int) -> None:
    region = shared(granule)
    starts, nbytes = np.array([0, 8, 60, 16]), np.array([4, 12, 4, 0])
    where, runs = region.granules(starts, nbytes)
    wanted = [(g, i) for i in range(4) for g in range(int(starts[i]) // granule, int(starts[i] + nbytes[i]) // granule)]
    assert list(zip(where.tolist(), runs.tolist(), strict=True)) == wanted


def test_a_run_that_begins_inside_a_granule_has_all_of_it() -> None:
    region = shared(4)
    where, _ = region.granules(np.array([2]), np.array([4]))
    assert where.tolist() == [0, 1]


@pytest.mark.parametrize("region", [shared(4, 1024), lines(4, 1024)], ids=["shared", "global"])
def test_accesses_beside_a_cell(region: Region) -> None:
    """They are kept in order, those of the same lanes at the same place once, and at most so many."""
    where, _ = region.granules(np.array([0]), np.array([1024]))
    region.remember(40, Past(1, 0b01, 5, 7, writes=False))
    region.remember(40, Past(33, 0b11, 6, 7, writes=True))
    region.remember(40, Past(1, 0b01, 9, 7, writes=False))
    assert region.others(40) == [Past(1, 1, 9, 7, writes=False), Past(33, 3, 6, 7, writes=True)]
    assert [g for g in where.tolist() if region.others(g)] == [40]
    for i in range(MOST_BESIDE + 3):
        region.remember(41, Past(65, 1, i, 100 + i, writes=False))
    assert [past.time for past in region.others(41)] == list(range(3, MOST_BESIDE + 3))
    region.forget(where)
    assert not region.others(40)
    assert not region.others(41)


def test_cells_of_global_memory_are_made_when_asked_for() -> None:
    region = lines(4, 1 << 12)
    where, runs = region.granules(np.array([128, 4092]), np.array([8, 4]))
    assert (where.tolist(), runs.tolist()) == ([32, 33, 1023], [0, 0, 1])
    region.cells[where, 2] = np.array([7, 8, 9])
    assert region.cells[where][:, 2].tolist() == [7, 8, 9]
    assert region.cells[33, 2] == 8


def test_memory_without_room_for_cells_is_not_followed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ptxlab.sim.order.native.arena.MOST_LINES", 1)
    region = lines(4, 1 << 12)
    where, runs = region.granules(np.array([0, 128]), np.array([4, 4]))
    assert (where.tolist(), runs.tolist()) == ([0], [0])
