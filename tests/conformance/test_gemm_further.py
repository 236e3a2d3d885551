"""Types, scales and epilogues of the matrix product, as `ptxlab demo` shows them: on integers, NumPy's bits."""

from __future__ import annotations

import pytest

from ptxlab.conformance.kernels.cases import Case
from ptxlab.conformance.kernels.digests import Record
from ptxlab.conformance.kernels.further import further
from ptxlab.conformance.kernels.run import Verdict, judge, simulator


@pytest.mark.parametrize("case", further(), ids=lambda c: c.kernel)
def test_integers_are_exact(case: Case) -> None:
    assert case.kinds == ("integers",)
    outcome = judge(case, "integers", simulator, Record())
    assert outcome.verdict is Verdict.EQUAL, outcome.detail
