"""What a prepared launch costs, beside the driver's own call in the same run."""

from __future__ import annotations

import pytest

from ptxlab.cuda import driver
from ptxlab.diag import Diagnostic


def _reason() -> str:
    try:
        found = driver.device().capability
    except Diagnostic as d:
        return d.message
    return "" if found == (9, 0) else f"the GPU is sm_{found[0]}{found[1]}"


pytestmark = [pytest.mark.gpu, pytest.mark.skipif(bool(_reason()), reason=f"needs a GPU of sm_90: {_reason()}")]


def test_all_ways_to_launch_are_measured() -> None:
    from ptxlab.bench.launch import measure

    rows = {r.name: r for r in measure(20).rows}
    assert rows["cuLaunchKernelEx"].ratio == 1.0
    assert all(r.microseconds > 0 for r in rows.values())
    assert "prepared p()" in rows
