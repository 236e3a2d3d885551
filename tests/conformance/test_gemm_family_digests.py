"""Each member of the family of matrix products gives in the simulator the bytes that an H200 wrote."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import pytest

from ptxlab.bench.kernels.works import all_shapes
from ptxlab.conformance.kernels.cases import Case
from ptxlab.conformance.kernels.digests import read
from ptxlab.conformance.kernels.run import Verdict, judge, simulator
from ptxlab.kernels.blocks.choice import Shape, choose
from tools.record.family import CHOSEN, MEMBERS, family

HELD = read(Path(__file__).with_name("h200") / "family.json")
CASES = family()


def test_all_are_recorded() -> None:
    assert {c.key for c in CASES} == set(HELD.digests)
    assert "H200" in HELD.gpu
    assert all((HELD.driver, HELD.cuda, HELD.ptxas, HELD.date))


@pytest.mark.parametrize("b_major", ["K", "MN"])
def test_what_the_cost_model_takes_is_recorded(b_major: Literal["K", "MN"]) -> None:
    """Of all products of 16-bit numbers that `ptxlab bench kernels` measures."""
    shapes = [Shape(*s, item=2, b_major=b_major, sms=132) for s in all_shapes()]
    assert {str(choose(s)) for s in shapes} <= {*MEMBERS, *CHOSEN}


@pytest.mark.parametrize("case", CASES, ids=lambda c: c.key)
def test_the_bytes_of_an_h200(case: Case) -> None:
    outcome = judge(case, "random", simulator, HELD)
    assert outcome.verdict is Verdict.EQUAL, outcome.detail
