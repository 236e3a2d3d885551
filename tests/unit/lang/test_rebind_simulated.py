"""A map that a kernel has changed loads what a map of the host with the same parameters loads."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import rebound

from ptxlab.layout import TensorMap

_HALF = 64  # bytes of a map that tensormap.replace can change


def _same(array: Any) -> Any:
    return array


@pytest.mark.parametrize("staged", [True, False])
@pytest.mark.parametrize("name", rebound.CASES)
def test_every_field(name: str, staged: bool) -> None:
    case = rebound.CASES[name]
    loaded, made, expected, born = rebound.run(
        case, _same, _same, lambda a: a.ctypes.data, staged=staged, scope="gpu" if staged else "cta"
    )
    assert loaded == expected
    assert any(loaded)
    assert TensorMap.decode(made) == TensorMap.decode(born)
    if case.changes.get("rank", 2) >= 2:  # else the stride that there was stays
        assert made[:_HALF] == born[:_HALF]


@pytest.mark.parametrize("staged", [True, False])
@pytest.mark.parametrize("scope", ["cta", "gpu"])
def test_again_and_again_without_a_seed(staged: bool, scope: str) -> None:
    loaded, expected, maps, born = rebound.run_again(
        3, _same, _same, lambda a: a.ctypes.data, staged=staged, scope=scope
    )
    assert np.array_equal(loaded, expected)
    assert maps == 3 * born
