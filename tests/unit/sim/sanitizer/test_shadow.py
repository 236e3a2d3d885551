"""Cells of shadow memory: granules of runs, and how an access is packed into words."""

from __future__ import annotations

import numpy as np
import pytest

from ptxlab.sim.sanitizer.shadow import PROXIES, SCOPES, Kind, Region


def test_kinds_survive_their_word() -> None:
    for scope in SCOPES:
        for proxy in PROXIES:
            for size in (1, 2, 4, 8, 16):
                kind = Kind(123_456, scope != "", scope, size, proxy, update=size > 4)
                assert Kind.of(kind.info) == kind


@pytest.mark.parametrize("granule", [1, 2, 4])
def test_granules_of_runs(granule: int) -> None:
    region = Region("shared", 0, 64, granule, str, None)
    starts, nbytes = np.array([0, 8, 60, 16]), np.array([4, 12, 4, 0])
    where, runs = region.granules(starts, nbytes)
    wanted = [(g, i) for i in range(4) for g in range(int(starts[i]) // granule, int(starts[i] + nbytes[i]) // granule)]
    assert list(zip(where.tolist(), runs.tolist(), strict=True)) == wanted


def test_a_run_that_begins_inside_a_granule_has_all_of_it() -> None:
    region = Region("shared", 0, 64, 4, str, None)
    where, _ = region.granules(np.array([2]), np.array([4]))
    assert where.tolist() == [0, 1]
