"""Each member of the family of matrix products gives in the simulator the bytes that an H200 wrote."""

from __future__ import annotations

from pathlib import Path

import pytest

from ptxlab.conformance.kernels.cases import Case
from ptxlab.conformance.kernels.digests import read
from ptxlab.conformance.kernels.family import family
from ptxlab.conformance.kernels.run import Verdict, judge, simulator

HELD = read(Path(__file__).with_name("h200") / "family.json")
CASES = family()


def test_all_are_recorded() -> None:
    assert {c.key for c in CASES} == set(HELD.digests)
    assert "H200" in HELD.gpu
    assert all((HELD.driver, HELD.cuda, HELD.ptxas, HELD.date))


@pytest.mark.parametrize("case", CASES, ids=lambda c: c.key)
def test_the_bytes_of_an_h200(case: Case) -> None:
    outcome = judge(case, "random", simulator, HELD)
    assert outcome.verdict is Verdict.EQUAL, outcome.detail
