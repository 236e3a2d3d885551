"""Recovering an interpolator's table from results."""

from __future__ import annotations

import numpy as np
import pytest

from ptxlab.conformance.functions import run
from ptxlab.sim.numerics.approximate import tables
from tools.interpolator import FIXED_SOURCES, SOURCES, FixedSource, Segment, cut, fit, segments, table

EX2 = next(s for s in SOURCES if s.table is tables.EX2)
SOME = 4
SIZE = 1 << 17


@pytest.fixture(scope="module")
def results() -> np.ndarray:
    return EX2.results(run.simulator)[0][: SOME * SIZE]


def test_coefficients_come_out_of_the_results(results: np.ndarray) -> None:
    found = table("ex2", segments(results, SOME))
    assert [(c1, c2) for _, c1, c2 in found.rows] == [(c1, c2) for _, c1, c2 in tables.EX2.rows[:SOME]]
    bases = [(c0 << 14) + found.rounding for c0, _, _ in found.rows]
    wanted = [(c0 << 14) + tables.EX2.rounding for c0, _, _ in tables.EX2.rows[:SOME]]
    assert all(abs(a - b) < 8 for a, b in zip(bases, wanted, strict=True))


def test_one_other_result_is_enough_for_none_to_fit(results: np.ndarray) -> None:
    wrong = results[:SIZE].copy()
    wrong[1000] += 1
    x = np.arange(SIZE, dtype=np.int64)
    assert fit(*cut(results[:SIZE]), x) is not None
    assert fit(*cut(wrong), x) is None
    with pytest.raises(ValueError, match="segment 0"):
        segments(wrong, 1)


def test_segments_without_a_common_rounding_constant() -> None:
    apart = [Segment(0, 1, 0, 0), Segment(100, 101, 0, 0)]
    with pytest.raises(ValueError, match="in common"):
        table("none", apart)


@pytest.mark.parametrize("source", FIXED_SOURCES, ids=lambda s: s.table.name)
def test_coefficients_come_out_of_sums_of_fixed_point(source: FixedSource) -> None:
    known = source.table
    for index in (0, 1, len(known.rows) // 2, len(known.rows) - 1):
        found = source.segment(run.simulator, index)
        c0, c1, c2 = known.rows[index]
        assert (found.slope, found.curvature) == (c1, c2)
        assert found.least <= (c0 << 14) + known.rounding <= found.most
