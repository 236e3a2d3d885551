"""What a prepared launch costs, beside the driver's own call in the same run."""

from __future__ import annotations

import pytest

pytestmark = pytest.mark.gpu


def test_all_ways_to_launch_are_measured() -> None:
    from ptxlab.bench.launch import measure

    rows = {r.name: r for r in measure(20).rows}
    assert rows["cuLaunchKernelEx"].ratio == 1.0
    assert all(r.microseconds > 0 for r in rows.values())
    assert "prepared p()" in rows
