"""The kernel that measures the clock beside other work."""

from __future__ import annotations

import numpy as np

from ptxlab.bench.clock import probe


def test_the_probe_runs_as_long_as_it_is_told() -> None:
    out = np.zeros(2, np.uint64)
    probe(out, 200)()
    assert out[0] >= 200
    assert out[1] > 0
